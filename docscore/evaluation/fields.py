"""The fields of score trees: counts of outcomes, points per field, and the cause of every lost point.

Sums of floats are exact: every float is an integer multiple of a unit, the smallest positive float 2**-1074, and
integers add exactly. The result therefore does not depend on the order or grouping of the documents.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from operator import add, attrgetter
from typing import Any

import numpy as np

from docscore.core.formatting import FOUR_DIGITS, counted, share_text, three_digits
from docscore.core.numbers import ROUNDING
from docscore.core.options import CompareOptions
from docscore.core.values import Scalar
from docscore.evaluation.tables import (
    Content,
    Table,
    TableCell,
    TableColumn,
    field_column,
    interval_column,
    table_of,
    text_column,
    value_column,
)
from docscore.metrics.anls_star.api import OUTCOMES, FieldCounts, Leaf, Outcome
from docscore.metrics.anls_star.causes import NAMES, Cause
from docscore.metrics.anls_star.matching import ListRows
from docscore.metrics.anls_star.sizes import SIDES
from docscore.metrics.base import Metric, MetricRow
from docscore.stats.intervals import Interval, Ratios

MOST_FIELDS_TESTED = 200  # only this many fields, those with the most weight, have an interval or are compared
LEFT_OUT = Interval(note=f"only the {MOST_FIELDS_TESTED} fields with the most weight have an interval")

_UNIT = 1 << 1074


@lru_cache(maxsize=1024)  # most leaves earn 0 or 1
def units(number: float) -> int:
    """Convert a float to an integer number of units.

    Raises:
        ValueError, OverflowError: for NaN and infinities.
    """
    numerator, denominator = number.as_integer_ratio()
    return numerator << (_UNIT.bit_length() - denominator.bit_length())  # both are powers of two


def as_float(count: int) -> float:
    """Convert a number of units to the nearest float, with the rounding of `math.fsum`.

    >>> as_float(sum(map(units, [0.1] * 10))), sum([0.1] * 10)
    (1.0, 0.9999999999999999)
    """
    return count / _UNIT


@dataclass
class Field:
    """The counts of one field of a schema over all documents.

    S and L are the numerator and denominator of ANLS*: points earned and points possible.

    Attributes:
        path: the path without list indices: `items[].price`.
        earned_units: the exact sum of S over the values of the field (`docscore.evaluation.fields`).
        weight_units: the exact sum of L over the values; L is fractional if a schema has fractional weights.
        counts: the number of exact, partial, wrong, wrong type, missing and extra values.
        nulls: the number of nulls per outcome: expected and left empty, or in a row that the other side does not have.
        divided: the number of wrong type values that are lists or objects in the ground truth; the values inside them
            are expected in their place.
        lost_units: the points lost in the field by cause, as shares of 1 - score of their documents, summed exactly.
        unnamed_units: the points lost without a cause, in fields of a metric that counts entities.
        compared: how the schema compared the values, "" for text; several ways if documents have several schemas.
        unclear: the number of values per side that could not be read this way, and of "ambiguous" pairs.
        document_count: the number of documents that have the field.
        numbers: the numbers of the documents that have the field, in the order in which they were added; empty after
            a merge, which keeps only sums.
        document_earned: S in each of these documents.
        document_weight: L in each of these documents.
    """

    path: str
    earned_units: int = field(default=0, repr=False)
    weight_units: int = field(default=0, repr=False)
    counts: defaultdict[Outcome, int] = field(default_factory=partial(defaultdict, int))
    nulls: defaultdict[Outcome, int] = field(default_factory=partial(defaultdict, int))
    divided: int = 0
    lost_units: defaultdict[Cause, int] = field(default_factory=partial(defaultdict, int), repr=False)
    unnamed_units: int = field(default=0, repr=False)
    compared: list[str] = field(default_factory=list, repr=False)
    unclear: defaultdict[str, int] = field(default_factory=partial(defaultdict, int), repr=False)
    document_count: int = 0
    numbers: array[int] = field(default_factory=lambda: array("q"), repr=False)
    document_earned: array[float] = field(default_factory=lambda: array("d"), repr=False)
    document_weight: array[float] = field(default_factory=lambda: array("d"), repr=False)

    @property
    def earned(self) -> float:
        """The sum of S over the values of the field."""
        return as_float(self.earned_units)

    @property
    def weight(self) -> float:
        """The sum of L over the values of the field."""
        return as_float(self.weight_units)

    @property
    def score(self) -> float:
        """S / L over all documents, in [0, 1]; 1 if L is 0."""
        return self.earned / self.weight if self.weight_units else 1.0

    @property
    def points_lost(self) -> float:
        """The points lost in the field, as shares of 1 - score of their documents, summed over documents."""
        return as_float(sum(self.lost_units.values()) + self.unnamed_units)

    @property
    def expected(self) -> int:
        """The number of values in the ground truths; nulls are not counted."""
        return self._values() - self._values("extra") - self.divided

    @property
    def omission_rate(self) -> float | None:
        """The share of the expected values that predictions do not have, in [0, 1]; None if none is expected."""
        return self._values("missing") / self.expected if self.expected else None

    @property
    def hallucination_rate(self) -> float | None:
        """The share of predicted values without a counterpart in the ground truth; None if none is predicted."""
        predicted = self._values() - self._values("missing")
        return self._values("extra") / predicted if predicted else None

    def _values(self, *outcomes: Outcome) -> int:
        """Return the number of values with one of these outcomes, by default with any; nulls are not counted."""
        return sum(self.counts[outcome] - self.nulls[outcome] for outcome in outcomes or OUTCOMES)

    @property
    def compared_as(self) -> str:
        """How the values were compared, in words."""
        return " or ".join(label or "text" for label in self.compared)

    def add_points(self, number: int, earned: float, weight: float) -> None:
        """Add S and L of a value of a document; the values of one document must be added one after the other."""
        if self.numbers and self.numbers[-1] == number:
            self.document_earned[-1] += earned
            self.document_weight[-1] += weight
        else:
            self.document_count += 1
            self.numbers.append(number)
            self.document_earned.append(earned)
            self.document_weight.append(weight)
        self.earned_units += units(earned)
        self.weight_units += units(weight)

    def merge(self, other: Field, sign: int = 1) -> None:
        """Add the sums of the same field in other documents; with the sign -1, subtract them."""
        self.earned_units += sign * other.earned_units
        self.unnamed_units += sign * other.unnamed_units
        self.weight_units += sign * other.weight_units
        self.document_count += sign * other.document_count
        self.divided += sign * other.divided
        del self.numbers[:], self.document_earned[:], self.document_weight[:]
        self.compared += [label for label in other.compared if label not in self.compared]
        for own, more in zip(self._tallies, other._tallies, strict=True):
            for name, count in more.items():
                own[name] += sign * count

    @property
    def _tallies(self) -> tuple[defaultdict[Any, int], ...]:
        return self.counts, self.nulls, self.lost_units, self.unclear


Blanks = list[tuple[int, bool]]  # per place empty in the ground truth: the document's number, whether it is filled

Losses = dict[tuple[str, Cause], float]  # the points that a document loses, by the name of the field and the cause


class FieldTable:
    """The fields and lists of a schema, filled document by document.

    Attributes:
        fields: the fields by path, in the order of their first occurrence.
        lists: the rows of all lists at a place, by the path of the rows, `items[]`; `cut_points` is a number of units.
        values: the number of expected, missing, predicted and extra values of each document; nulls are not counted.
        losses: for each document, the points lost by field and cause, as shares of 1 - score of the document.
        blanks: the places that ground truths leave empty, by field.
        unequal: the compared scalars that lost points, each pair with the number of its document.
    """

    def __init__(self) -> None:
        self.fields: dict[str, Field] = {}
        self.lists: dict[str, ListRows] = {}
        self.values: list[tuple[int, int, int, int]] = []
        self.losses: list[Losses] = []
        self.blanks: defaultdict[str, Blanks] = defaultdict(list)
        self.unequal: list[tuple[int, Scalar, Scalar]] = []

    def counts(self) -> dict[str, int]:
        """Return the number of values that could not be read as a schema says, and of pairs with several readings."""
        return {key: sum(field.unclear[name] for field in self.fields.values()) for key, name in _UNCLEAR.items()}

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return the fields of the typed score, one row per field, in plain types."""
        return {"typed_fields": list(typed_fields_table(self.fields.values()))}

    def add_sums(self, number: int, sums: Mapping[str, tuple[float, float]]) -> None:
        """Add a document by types of entities: the numerator and denominator of each type."""
        for name, (earned, weight) in sums.items():
            self.fields.setdefault(name, Field(name)).add_points(number, earned, weight)
            self.fields[name].unnamed_units += units(weight) - units(earned)
        self.losses.append({})

    def add_pair(
        self,
        number: int,
        leaves: Iterable[Leaf],
        lists: Iterable[tuple[str, ListRows]],
        weight: float,
        unequal: Iterable[tuple[Scalar, Scalar]],
        blanks: Iterable[tuple[str, bool]],
    ) -> None:
        """Add a document, the scalars in it that lost points, and the places that its ground truth leaves empty."""
        self.add(number, leaves, lists, weight)
        self.unequal += [(number, *pair) for pair in unequal]
        for name, is_filled in blanks:
            self.blanks[name].append((number, is_filled))

    def add(
        self, number: int, leaves: Iterable[Leaf], lists: Iterable[tuple[str, ListRows]] = (), weight: float = 1.0
    ) -> None:
        """Add a document.

        Args:
            number: the number of the document, unique among the documents.
            leaves: the leaves of its tree.
            lists: the rows of its lists.
            weight: L of the document.
        """
        total = missing = extra = divided = 0  # values; nulls are not counted
        lost: Losses = {}
        for leaf in leaves:
            name, outcome, earned, possible, cause = leaf.field, leaf.outcome, leaf.earned, leaf.weight, leaf.cause
            field = self.fields.get(name)
            if field is None:
                field = self.fields[name] = Field(name)
            field.add_points(number, earned, possible)
            field.counts[outcome] += 1
            if leaf.is_divided:  # a divided leaf is never a null
                field.divided += 1
                divided += 1
            if leaf.kind == "null":
                field.nulls[outcome] += 1
            else:
                total += 1
                missing += outcome == "missing"
                extra += outcome == "extra"
            if leaf.compared not in field.compared:
                field.compared.append(leaf.compared)
            for problem in (*leaf.unreadable, *(["ambiguous"] if leaf.ambiguous else ())):
                field.unclear[problem] += 1
            if cause:
                points_lost = (possible - earned) / weight
                field.lost_units[cause] += units(points_lost)
                lost[name, cause] = lost.get((name, cause), 0.0) + points_lost
        for name, rows in lists:
            if rows.expected or rows.predicted:
                more = rows._replace(cut_points=units(rows.cut_points / weight) if rows.cut_points else 0)
                self.lists[name] = ListRows(*map(add, self.lists[name], more)) if name in self.lists else more
        self.losses.append(lost)
        self.values.append((total - extra - divided, missing, total - missing, extra))

    def by_loss(self) -> list[Field]:
        """Return the fields, most points lost first."""
        return sorted(self.fields.values(), key=lambda field: -field.points_lost)

    def by_blanks(self) -> dict[str, Blanks]:
        """Return the fields that ground truths leave empty, most places first."""
        return dict(sorted(self.blanks.items(), key=lambda item: (-len(item[1]), item[0])))

    def heaviest(self) -> list[Field]:
        """Return the fields, most weight first."""
        return sorted(self.fields.values(), key=lambda field: (-field.weight, field.path))

    def typed(self) -> Table:
        """Return the fields that a comparator compared, most points lost first."""
        fields = [field for field in self.fields.values() if field.compared != [""]]
        return typed_fields_table(sorted(fields, key=lambda field: field.earned - field.weight))


def counted_fields(
    metric: Metric[Any],
    rows: Iterable[tuple[int, MetricRow]],
    options: CompareOptions,
    by_schema: Metric[Any] | None = None,
) -> FieldTable:
    """Return the fields and lists of rows for a metric that has score trees.

    Args:
        metric: the metric.
        rows: the rows, each with its number.
        options: how values are compared.
        by_schema: the metric that knows which keys a schema names, if it is another one.
    """
    table, counts, named = FieldTable(), FieldCounts(), FieldCounts()
    for number, row in rows:
        metric.count_fields(counts, row, options)
        if by_schema is not None:
            by_schema.count_fields(named, row, options)
        blanks = (counts if by_schema is None else named).blanks
        table.add_pair(number, counts.leaves, counts.lists, counts.weight, counts.unequal, blanks)
    return table


def summed_fields(metric: Metric[Any], points: Iterable[Any], figure: Ratios) -> FieldTable:
    """Return the types of entities of rows, for a metric that counts entities.

    Args:
        metric: the metric.
        points: the points of each row.
        figure: the first figure of the metric. A row in which it counts nothing has fields of another figure, or none.
    """
    table = FieldTable()
    for number, (of_row, weight) in enumerate(zip(points, figure.weight[:, 0].tolist(), strict=True)):
        table.add_sums(number, metric.field_sums(of_row) if weight else {})
    return table


def fields_as_ratios(fields: Sequence[Field], documents: int) -> Ratios:
    """Return the scores of fields as ratios of sums over documents; the k columns have the order of the fields."""
    earned, weight = np.zeros((documents, len(fields))), np.zeros((documents, len(fields)))
    for column, summed in enumerate(fields):
        numbers = np.array(summed.numbers, dtype=np.intp)
        earned[numbers, column], weight[numbers, column] = summed.document_earned, summed.document_weight
    return Ratios(earned, weight)


def fields_table(
    fields: Iterable[Field], whole: float, intervals: Mapping[str, Interval], *, with_outcomes: bool
) -> Table:
    """Return a table of the fields of a test set, with their scores and the points that they lost.

    Args:
        fields: the fields, one per row.
        whole: the points possible in all documents, the divisor of points lost; for a mean, the number of documents.
        intervals: the interval of the score of each field, by path.
        with_outcomes: whether the values of the fields have outcomes; types of entities do not have any.
    """
    outcomes: tuple[Content, ...] = (
        *(_outcome_column(*names) for names in _OUTCOME_HEADS.items()),
        value_column("omission_rate", "omission", share_text, extra=True),
        value_column("hallucination_rate", "hallucination", share_text, extra=True),
    )
    return table_of(
        "Fields, most points lost first",
        fields,
        field_column(attrgetter("path")),
        value_column("score", "score", three_digits),
        interval_column("{:.3f}".format, lambda field: intervals.get(field.path), "{:.2f}-{:.2f}"),
        value_column(
            "points_lost", "points lost", FOUR_DIGITS, lambda field: field.points_lost / whole, terminal="lost"
        ),
        value_column("documents", "documents", value=attrgetter("document_count"), extra=True),
        *(outcomes if with_outcomes else ()),
        unit="fields",
    )


_OUTCOME_HEADS: dict[Outcome, tuple[str, str]] = {  # the heading, and a short heading for terminals
    "exact": ("exact", ""),
    "partial": ("near", ""),
    "wrong": ("wrong", ""),
    "wrong_type": ("wrong type", "type"),
    "missing": ("missing", "miss"),
    "extra": ("extra", ""),
}


def _outcome_column(outcome: Outcome, heads: tuple[str, str]) -> Content:
    def count_text(count: int) -> str:
        return f"{count:,}" if count else "·"

    return value_column(outcome, heads[0], count_text, lambda field: field.counts[outcome], terminal=heads[1])


_CUT_NAMED = 0.1  # smallest share of the loss for which a sentence names rows that were cut off


def cut_off_text(table: FieldTable, lost: float) -> str:
    """Return a sentence on the rows that were cut off from lists; "" if they are less than a tenth of the loss.

    Args:
        table: the counts; they must cover at least the documents with long lists.
        lost: the loss of all documents.
    """
    places = [rows for rows in table.lists.values() if rows.cut_off]
    total = ListRows(*map(sum, zip(*places, strict=True))) if places else ListRows(0, 0)
    points = as_float(int(total.cut_points))
    if not points or points + ROUNDING < _CUT_NAMED * lost:
        return ""
    what = f"{counted(total.cut_rows, 'row')} of {counted(total.cut_off, 'list')}"
    share = share_text(points / lost)
    return f"rows at the end of lists that were cut off account for {share} of the lost points ({what})"


def lists_table(table: FieldTable, whole: float) -> Table:
    """Return a table of the rows of the lists at each place, outer lists first, with a sentence if many were cut off.

    Args:
        table: the counts.
        whole: the points possible in all documents, the divisor of points lost.
    """

    def share(name: str, of: str) -> Content:
        return value_column(name, name, share_text, lambda each: each["paired"] / each[of] if each[of] else None)

    def cut_cell(each: Mapping[str, Any]) -> TableCell:
        return TableCell(each["cut_off"], f"{each['cut_off']:,} of {each['lists']:,}" if each["cut_off"] else "·")

    lists = sorted(table.lists.items(), key=lambda each: each[0].count("[]"))
    found = table_of(
        "Rows of lists",
        [{"field": path, **rows._asdict()} for path, rows in lists],
        field_column(head="list"),
        value_column("lists", "lists", extra=True),
        value_column("expected", "expected"),
        value_column("predicted", "predicted"),
        value_column("paired", "paired"),
        share("precision", "predicted"),
        share("recall", "expected"),
        value_column("right", "fully right", terminal="right"),
        (TableColumn("cut_off", "cut off"), cut_cell),
        value_column("cut_rows", "rows cut off", extra=True),
        value_column("cut_points", "lost", FOUR_DIGITS, lambda each: as_float(each["cut_points"]) / whole, extra=True),
        unit="lists",
    )
    footnote = cut_off_text(table, sum(field.points_lost for field in table.fields.values()))
    return replace(found, footnotes=(f"{footnote}.",) if footnote else ())


def causes_table(lost: Mapping[Cause, float], meanings: Mapping[Cause, str], caption: str = "") -> Table:
    """Return a table of the causes of lost points, largest first; without rows if no points were lost.

    Args:
        lost: the points lost by each cause, as shares of 1.
        meanings: the meaning of each cause.
        caption: the caption; "" to state how much was lost.
    """
    causes = sorted(((cause, points) for cause, points in lost.items() if points), key=lambda item: -item[1])
    whole = sum(lost.values())
    return table_of(
        caption or f"Causes of the lost points, {whole:.4f} of 1",
        causes,
        value_column("bar", "", lambda _: "", lambda item: item[1] / causes[0][1], kind="bar"),
        value_column("points_lost", "points", FOUR_DIGITS, lambda item: item[1]),
        value_column("share", "share", share_text, lambda item: item[1] / whole),
        (
            TableColumn("cause", "cause", "text"),
            lambda item: TableCell(item[0], NAMES[item[0]][0], note=meanings[item[0]]),
        ),
        unit="causes",
    )


def typed_fields_table(fields: Iterable[Field]) -> Table:
    """Return a table of the fields of the typed score, with how their values were compared."""
    return table_of(
        "Typed score: fields with a comparator",
        fields,
        field_column(attrgetter("path")),
        value_column("typed_score", "typed score", three_digits, attrgetter("score"), terminal="score"),
        text_column("compared", "compared as", attrgetter("compared_as"), "text"),
        value_column("weight", "weight", extra=True),
        value_column("values", "values", value=lambda field: sum(field.counts.values())),
        _column_of_unclear("unreadable_ground_truths", "not read, expected", "unread"),
        _column_of_unclear("unreadable_predictions", "not read, predicted", "unread pred."),
        _column_of_unclear("ambiguous_values", "ambiguous", ""),
        unit="fields",
    )


_UNCLEAR = {"unreadable_ground_truths": SIDES[0], "unreadable_predictions": SIDES[1], "ambiguous_values": "ambiguous"}


def _column_of_unclear(name: str, head: str, terminal: str) -> Content:
    return value_column(name, head, value=lambda field: field.unclear[_UNCLEAR[name]], terminal=terminal)
