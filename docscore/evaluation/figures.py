"""The figures of a test set: figures of metrics and slices, rates, variances between runs, and costs of predictions."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from math import fsum
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.errors import short_repr
from docscore.core.formatting import FOUR_DIGITS, share_text, shown_name, three_digits
from docscore.core.numbers import MILLION, ROUNDING
from docscore.core.options import check_price
from docscore.core.values import value_excerpt
from docscore.evaluation.tables import (
    NO_VALUE,
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
from docscore.grounding.support import WHERE, DocumentSupport
from docscore.inputs.json_text import JsonError, loads
from docscore.inputs.model_text import Parsed
from docscore.inputs.rows import COSTS, Absent, NoCell
from docscore.inputs.test_set import TestSet
from docscore.metrics.base import FigureName
from docscore.metrics.kieval import KieScore
from docscore.stats.intervals import Interval, Ratios, intervals_of, wilson_interval


class Figure(NamedTuple):
    """A figure of a metric over a test set.

    Attributes:
        name: the key in results, such as "kieval_entity_f1".
        label: the name in tables, such as "KIEval Entity F1".
        value: in [0, 1]; 1 is best.
        interval: the confidence interval from resampled documents; None if not requested.
    """

    name: str
    label: str
    value: float
    interval: Interval | None = None


def figures_of(names: Sequence[FigureName], ratios: Ratios, confidence: float | None, **drawing: Any) -> list[Figure]:
    """Return ratios as figures with their intervals; without a confidence level there are no intervals.

    Args:
        names: the names of k figures.
        ratios: k ratios of sums.
        confidence: the level of the intervals, or None.
        drawing: keywords of `intervals_of`.
    """
    intervals: Sequence[Interval | None] = (
        [None] * len(names) if confidence is None else intervals_of(ratios, confidence, **drawing)
    )
    figures = zip(names, ratios.values.tolist(), intervals, strict=True)
    return [Figure(*name, value, interval) for name, value, interval in figures]


def ends_by_name(figures: Iterable[Figure]) -> dict[str, Any]:
    """Return the ends of the intervals and their notes by figure; an empty dict if there are no intervals."""
    intervals = {figure.name: figure.interval for figure in figures if figure.interval is not None}
    ends = {name: interval.ends for name, interval in intervals.items()}
    notes = {name: interval.note for name, interval in intervals.items() if interval.note}
    return {
        **({"confidence_intervals": ends} if ends else {}),
        **({"confidence_notes": notes} if notes else {}),
    }


def samples_of(test_set: TestSet, scores: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the id and the score of each row, `{"question_id": ..., "anls_score": ...}`, and how it was parsed.

    With `parse`, each row also has the key "parsed": "exact" (no change was needed), "extracted", "repaired",
    "ambiguous", "failed", or None without a prediction. If any row has a note, each row has the key "parse_note": which
    of several values was chosen, what was repaired, or why parsing failed. With missing "zero", each row has the key
    "missing": whether it has no prediction.

    Args:
        test_set: the rows.
        scores: the id and the score of each row.
    """
    samples, absent = list(scores), test_set.absent_as_null
    with_notes = any(parsed.note for parsed in test_set.readings.values())
    for number, sample in enumerate(samples):
        if test_set.options.parse_mode is not None:
            parsed = test_set.readings.get(number, Parsed(None))
            sample["parsed"] = None if number in test_set.absent else parsed.outcome
            if with_notes:
                sample["parse_note"] = parsed.note
        if absent is not None:
            sample["missing"] = number in absent
    return samples


def rows_table(samples: Sequence[Mapping[str, Any]], score: str) -> Table:
    """Return a table of the id and the score of each row, and how its prediction was parsed.

    Args:
        samples: the rows, as `samples_of` returns them.
        score: the key of the score.
    """
    heads = {"parsed": "parsed", "parse_note": "note", "missing": "missing"}
    return table_of(
        "Documents",
        samples,
        text_column("question_id", "document"),
        value_column(score, "score", three_digits),
        *(_words_column(name, head) for name, head in heads.items() if name in samples[0]),
        unit="documents",
    )


def _words_column(name: str, head: str) -> Content:
    words: dict[Any, str] = {True: "yes", False: "no", None: NO_VALUE, "": NO_VALUE}
    return TableColumn(name, head, "text"), lambda sample: TableCell(
        sample[name], words.get(sample[name], str(sample[name]))
    )


class Slice(NamedTuple):
    """The rows of a test set that share a value.

    Attributes:
        value: the value, as text; None for all rows.
        documents: the number of documents; a document with several runs counts once.
        figures: the figures over these rows, with their intervals.
    """

    value: str | None
    documents: int
    figures: list[Figure]

    def to_dict(self) -> dict[str, Any]:
        """Return the value, the number of documents and the figures in plain types."""
        values: dict[str, Any] = {figure.name: figure.value for figure in self.figures}
        return {"value": self.value, "documents": self.documents, **values, **ends_by_name(self.figures)}


def slices_of(
    rows_by_slice: Mapping[str, Sequence[int]],
    names: Sequence[FigureName],
    ratios: Ratios,
    confidence: float | None,
    *,
    clusters: npt.NDArray[np.intp] | None,
    runs: int,
    optional: Collection[str],
    **drawing: Any,
) -> list[Slice]:
    """Return the figures of each slice, largest slice first; slices of equal size keep the order of their first rows.

    Args:
        rows_by_slice: the numbers of the rows of each slice.
        names: the names of the k figures.
        ratios: the figures as ratios of sums over all rows.
        confidence: the confidence level of the intervals; None for no intervals.
        clusters: the number of each row's cluster; None if rows are independent.
        runs: the number of rows per document.
        optional: the keys of figures that a slice leaves out if none of its rows has them.
        drawing: keywords of `intervals_of`.
    """
    slices = []
    for value, numbers in sorted(rows_by_slice.items(), key=lambda item: -len(item[1])):
        of_slice = ratios.rows(numbers)
        given = {"clusters": None if clusters is None else clusters[numbers], **drawing}
        figures = zip(figures_of(names, of_slice, confidence, **given), of_slice.totals.tolist(), strict=True)
        kept = [figure for figure, total in figures if total or figure.name not in optional]
        slices.append(Slice(value, len(numbers) // runs, kept))
    return slices


def slices_table(slices: Iterable[Slice], by: str) -> Table:
    """Return a table of the figures of the slices with their intervals: one row per slice and figure."""
    return table_of(
        f"Slices by {shown_name(by)}, most documents first",
        [(part, figure) for part in slices for figure in part.figures],
        text_column("value", by, lambda item: item[0].value),
        value_column("documents", "documents", value=lambda item: item[0].documents),
        text_column("metric", "metric", lambda item: item[1].label, "text"),
        value_column("figure", "figure", FOUR_DIGITS, lambda item: item[1].value),
        interval_column(FOUR_DIGITS, lambda item: item[1].interval),
    )


FILLED = "filled although empty"  # the rate of places that are empty in the ground truth and filled in the prediction


# rates of values; the other rates are of documents
OMISSION = "omission: expected values that are missing"
HALLUCINATION = "hallucination: values predicted, not expected"
_OF_VALUES = (OMISSION, HALLUCINATION, FILLED)

RateCounts = tuple[list[int], list[int]]  # the numerator and the denominator of a rate in each row


def rates_as_ratios(counts: Iterable[RateCounts]) -> Ratios:
    """Return rates as ratios of sums over rows, one column per rate."""
    hits, totals = np.array(list(counts), dtype=np.float64).transpose(1, 2, 0)
    return Ratios(hits, totals)


class Rate(NamedTuple):
    """A share of documents or of values.

    Attributes:
        name: the name of what is counted.
        hits: the number of documents or values that are counted.
        total: the number of all documents or values.
        interval: Wilson's interval for independent documents. For values, and for documents in clusters, the interval
            from resampled documents or clusters. None if not requested.
    """

    name: str
    hits: int
    total: int
    interval: Interval | None

    @property
    def value(self) -> float | None:
        """Hits / total, in [0, 1]; None if total is 0."""
        return self.hits / self.total if self.total else None


def rates_of(counts: Mapping[str, RateCounts], resampled: Mapping[str, Interval], wilson: float | None) -> list[Rate]:
    """Return rates with their intervals.

    Args:
        counts: the counts, by the name of the rate.
        resampled: the interval of each rate over resampled documents; empty if not requested.
        wilson: the confidence level for rates of independent documents; None if documents are not independent, or if no
            interval is requested.
    """
    rates = []
    for name, (hits, totals) in counts.items():
        rate = Rate(name, sum(hits), sum(totals), resampled.get(name))
        if name not in _OF_VALUES and wilson is not None:
            rate = rate._replace(interval=wilson_interval(rate.hits, rate.total, confidence=wilson))
        rates.append(rate)
    return rates


def rates_table(rates: Iterable[Rate]) -> Table:
    """Return a table of rates with their intervals."""

    def name_cell(rate: Rate) -> TableCell:
        return TableCell(rate.name, f"{FILLED}: {_count_cell(rate).text}" if rate.name == FILLED else rate.name)

    name = TableColumn("rate", "rate", "text"), name_cell
    return table_of("Rates: shares of documents and of values", rates, name, *_RATE_COLUMNS, unit="rates")


def filled_table(blanks: Mapping[str, Collection[tuple[int, bool]]], intervals: Mapping[str, Interval]) -> Table:
    """Return a table of how many empty places of the ground truths are filled, by field, most filled first.

    Args:
        blanks: the document number of each place, and whether it is filled, by field.
        intervals: the interval of each field; empty if not requested.
    """
    rates = [
        Rate(path, sum(is_filled for _, is_filled in places), len(places), intervals.get(path))
        for path, places in blanks.items()
    ]
    return table_of(
        f"{FILLED.capitalize()}, by field",
        sorted(rates, key=lambda rate: (-rate.hits, rate.name)),
        field_column(attrgetter("name")),
        *_RATE_COLUMNS,
        unit="fields",
    )


def _count_cell(rate: Rate) -> TableCell:
    return TableCell(rate.hits, f"{rate.hits:,} of {rate.total:,}")


_RATE_COLUMNS: tuple[Content, ...] = (
    value_column("value", "value", share_text),
    interval_column(share_text),
    (TableColumn("hits", "count"), _count_cell),
    value_column("total", "of", extra=True),
)


def regions_table(levels: Iterable[Mapping[str, Any]]) -> Table:
    """Return a table of right and wrong values by their regions: the table "regions" of the metric grounding."""
    shares = [(value, region) for value in ("right", "wrong") for region in ("right", "other")]
    return table_of(
        "Regions: predicted values with the right region, and with another or none",
        levels,
        text_column("level", "level", kind="text"),
        *(value_column(name, head, "{:.3f}".format) for name, head in _RATES),
        *(
            value_column(
                f"{value}_value_{region}_region",
                f"{value} value, {region} region",
                share_text,
                terminal=f"{value}, {region} region",
            )
            for value, region in shares
        ),
        value_column("missing", "missing"),
        value_column("cells", "of"),
        *(value_column(name, name.replace("_", " "), extra=True) for name in ("cited", "not_cited", "not_evaluated")),
        unit="levels",
    )


_RATES = ("f1", "F1"), ("precision", "precision"), ("recall", "recall")


def support_tables(support: DocumentSupport) -> list[Table]:
    """Return tables of the share of values found in their documents, and of the values that are not found."""
    rows = support.tables()
    found = table_of(
        "Values found in the documents",
        rows["found"],
        (TableColumn("where", "found", "text"), lambda row: TableCell(row["where"], WHERE[row["where"]])),
        value_column("share", "share", share_text),
        interval_column(share_text, lambda row: support.intervals.get(row["where"])),
        (TableColumn("hits", "count"), lambda row: TableCell(row["hits"], f"{row['hits']:,} of {row['total']:,}")),
        value_column("total", "of", extra=True),
        unit="rates",
    )
    not_found = table_of(
        "Values not found in their documents, most frequent first",
        rows["not_found"],
        value_column("value", "value", value_excerpt, kind="code"),
        field_column(),
        value_column("times", "times"),
        value_column("documents", "documents"),
        text_column("question_id", "such as"),
        unit="values",
    )
    return [found, not_found]


def kieval_tables(score: KieScore) -> list[Table]:
    """Return the counts of KIEval in two tables (entities and groups), in total and by type."""
    total = KieScore(by_entity={"all": score.entities}, by_group={"all": score.groups}).tables()
    by_type = score.tables()
    edits = ("substitutions", "additions", "deletions")
    entities = sorted(by_type["entities"], key=lambda row: -sum(row[edit] for edit in edits))
    share = "{:.3f}".format
    return [
        table_of(
            "Entities by type, most corrections first",
            total["entities"] + entities,
            text_column("entity", "entity"),
            value_column("f1", "F1", share),
            value_column("precision", "precision", share, extra=True),
            value_column("recall", "recall", share, extra=True),
            value_column("aligned", "aligned", share),
            value_column("true_positives", "right"),
            *map(value_column, edits, ("to change", "to add", "to delete")),
            unit="types of entities",
        ),
        table_of(
            "Groups by type",
            total["groups"] + by_type["groups"],
            text_column("group", "group"),
            value_column("f1", "F1", share),
            *(value_column(outcome, outcome) for outcome in ("right", "wrong", "missed", "invented")),
            unit="types of groups",
        ),
    ]


class Runs(NamedTuple):
    """The variation of a system in r runs on n documents; all variances are of a document's score in one run.

    Attributes:
        runs: r, at least two.
        documents: n, at least two.
        scores: the figure of each run, by default the mean of its documents.
        deviation: the standard deviation of these figures.
        of_documents: the variance between documents, which is the same in all runs.
        of_runs: the variance between runs, which is the same for all documents.
        of_both: the remaining variance of a document from run to run.
        unstable: the scores, in each run, of the documents whose score differs between runs, the largest range first.
    """

    runs: int
    documents: int
    scores: list[float]
    deviation: float
    of_documents: float
    of_runs: float
    of_both: float
    unstable: dict[str, list[float]]

    @property
    def shares(self) -> tuple[float, float, float] | None:
        """The shares of documents, runs and both in the variance, which sum to 1; None if no score differs."""
        parts = (self.of_documents, self.of_runs, self.of_both)
        total = sum(parts)
        return (parts[0] / total, parts[1] / total, parts[2] / total) if total > 0 else None

    @property
    def wanted(self) -> tuple[int, int | None]:
        """The number of documents, and of runs, that would halve the interval; None if no number of runs halves it."""
        error = self.of_documents / self.documents + self.of_both / (self.documents * self.runs)
        left = error / 4 * self.documents - self.of_documents
        return 4 * self.documents, math.ceil(self.of_both / left - ROUNDING) if left > 0 else None

    def to_dict(self, most: int) -> dict[str, Any]:
        """Return the figures in plain types, with at most `most` of the documents whose scores differ."""
        shares = dict(zip(("documents", "runs", "both"), self.shares or (None, None, None), strict=True))
        documents, runs = self.wanted
        return {
            "runs": self.runs,
            "documents": self.documents,
            "scores": self.scores,
            "standard_deviation": self.deviation,
            "variance": shares,
            "unstable": len(self.unstable),
            "most_unstable": [{"id": name, "scores": scores} for name, scores in islice(self.unstable.items(), most)],
            "to_halve_the_interval": {"documents": documents, "runs": runs},
        }


def runs_of(figure: Ratios, scores: Sequence[float], documents: Sequence[str]) -> Runs | None:
    """Split the variance of the scores of n documents in r runs into documents, runs, and both.

    A single document has no such variance.

    Args:
        figure: the figure as a ratio of sums over the rows; the rows of one run follow the rows of the run before.
        scores: the score of each row.
        documents: the n ids; empty if there is one run.

    Source:
        Analysis of variance with two random factors and one value per cell: Scheffé 1959, The Analysis of Variance,
        section 7.4; estimates below 0 are 0.

    >>> scores = np.array([1.0, 0.5, 0.0, 1.0, 0.5, 0.3])
    >>> runs = runs_of(Ratios(scores[:, np.newaxis], np.ones((6, 1))), scores, ["a", "b", "c"])
    >>> [round(share, 3) for share in runs.shares], list(runs.unstable)
    ([0.921, 0.0, 0.079], ['c'])
    """
    n = len(documents)
    if n < 2:  # noqa: PLR2004
        return None
    table = np.reshape(scores, (-1, n))
    r = len(table)
    of_runs = [float(figure.rows(range(first, first + n)).values[0]) for first in range(0, r * n, n)]
    by_run, by_document = table.mean(axis=1), table.mean(axis=0)
    rest = table - by_run[:, np.newaxis] - by_document + table.mean()
    of_both = float((rest**2).sum() / ((r - 1) * (n - 1)))
    ranges = np.ptp(table, axis=0)
    unstable = {
        documents[number]: table[:, number].tolist()
        for number in np.argsort(-ranges, kind="stable").tolist()
        if ranges[number] > ROUNDING
    }
    return Runs(
        r,
        n,
        of_runs,
        float(np.std(of_runs, ddof=1)),
        max(0.0, float(by_document.var(ddof=1)) - of_both / r),
        max(0.0, float(by_run.var(ddof=1)) - of_both / n),
        of_both,
        unstable,
    )


class Cost(NamedTuple):
    """The sum of a column of the predictions: cost, seconds or tokens.

    Attributes:
        total: the sum over the documents; with several runs, the mean of the sums of the runs. None if a prediction
            does not have a number of at least 0.
        note: why there is no sum, or "".
    """

    total: float | None
    note: str = ""


def costs_of(pairs: TestSet, token_price: float | None = None) -> dict[str, Cost]:
    """Return the sums of those columns in `COSTS` that a prediction has, by column.

    Args:
        pairs: the rows.
        token_price: the price of a million tokens, to compute the cost from; None to use the column of the costs.

    >>> costs_of(TestSet(["a", "b"], [1, 1], [1, 2], costs=[(0.25, None, 12), (0.5, None, None)]))
    {'cost': Cost(total=0.75, note=''), 'tokens': Cost(total=None, note="1 of 2 predictions have no tokens of at \
least 0, such as 'b' (nothing)")}
    """
    columns = dict(zip(COSTS, zip(*pairs.costs or (), strict=True), strict=False))
    costs = {name: _cost(name, cells, pairs) for name, cells in columns.items() if not all(map(_is_nothing, cells))}
    if token_price is not None:
        tokens = costs.get("tokens", Cost(None, "no prediction has tokens to compute its cost from"))
        costs["cost"] = tokens if tokens.total is None else Cost(tokens.total * token_price / MILLION)
    return costs


def _cost(name: str, cells: tuple[Any, ...], pairs: TestSet) -> Cost:
    numbers, without = [], []
    for row, cell in zip(pairs.ids, cells, strict=True):
        value = float(cell) if isinstance(cell, Decimal) else cell  # from a Parquet file
        if isinstance(cell, str):  # from a CSV file
            with suppress(JsonError):
                value = loads(cell)
        try:
            numbers.append(check_price(name, value))
        except (TypeError, ValueError):
            without.append(f"{short_repr(row)} ({'nothing' if _is_nothing(cell) else short_repr(cell)})")
    if without:
        count = f"{len(without):,} of {len(cells):,} predictions have no {name} of at least 0"
        return Cost(None, f"{count}, such as {without[0]}")
    try:
        return Cost(fsum(numbers) / pairs.runs)
    except OverflowError:
        return Cost(None, f"the sum of {name} over all predictions is too large for a floating-point number")


def _is_nothing(cell: Any) -> bool:
    return cell is None or cell is Absent or cell is NoCell or (isinstance(cell, str) and not cell.strip())


def undominated(systems: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the systems that no other system dominates.

    A system dominates another one if it is no worse in score and cost, and better in one of them.

    Args:
        systems: the score and the cost of each system by its name.

    >>> undominated({"a": (0.9, 2.0), "b": (0.8, 1.0), "c": (0.8, 1.5), "d": (0.7, 1.0)})
    ['a', 'b']
    """

    def beats(other: tuple[float, float], system: tuple[float, float]) -> bool:
        gain, saved = other[0] - system[0], system[1] - other[1]
        return gain >= -ROUNDING and saved >= 0 and (gain > ROUNDING or saved > 0)

    return [name for name, system in systems.items() if not any(beats(other, system) for other in systems.values())]
