"""Two systems on the same documents: paired differences of ratios of sums, and the gates that fail a change.

The figure of a metric, a field, a slice, a cause of lost points and a system are names of columns of such ratios; each
difference has the same interval and the same test. P-values of several columns are adjusted for their number:

* between systems by Holm (`docscore.evaluation.systems`): each claim that one system is better than another is acted
  on by itself, so that the chance of even one false claim has to be small;
* of fields, slices and causes by Benjamini and Hochberg: they are a list of where to look, of which the expected share
  of false discoveries counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.display import Displayed
from docscore.core.errors import InputValueError
from docscore.core.formatting import FOUR_DIGITS, p_text, shown_name, three_digits, with_sign
from docscore.core.numbers import ROUNDING
from docscore.core.options import check_number, check_whole
from docscore.core.output import write_report
from docscore.core.runtime import Progress, no_progress
from docscore.data.groups import groups_of_rows
from docscore.evaluation.fields import MOST_FIELDS_TESTED, Field, FieldTable, fields_as_ratios
from docscore.evaluation.rows import ScoredRows
from docscore.evaluation.tables import (
    LISTED,
    Content,
    Table,
    TableCell,
    TableColumn,
    interval_column,
    table_of,
    text_column,
    value_column,
)
from docscore.metrics.anls_star.causes import CAUSES
from docscore.metrics.base import FigureName
from docscore.stats.intervals import (
    CONFIDENCE,
    NO_CHANGE,
    RESAMPLES,
    SEED,
    Array,
    Differences,
    Interval,
    Ratios,
    check_confidence,
    intervals_of,
    side_by_side,
)
from docscore.stats.significance import fewest_documents, holm, permutation_p_values, upper_bound

_ONE_SIDED = Interval(note="only one of the two has it")


class Change(NamedTuple):
    """The change of a ratio between two systems: of a figure, a document, a field, a slice or a cause of lost points.

    Attributes:
        name: the key of results, such as "typed_score"; the id of a document, the path of a field.
        label: its name in tables, such as "Typed score".
        base: its value before, in [0, 1]; None where a field or slice did not occur.
        new: its value after, in [0, 1]; None where a field or slice does not occur.
        interval: the confidence interval of the difference, paired by document; None for a single document.
        p_value: two-sided, of the paired permutation test; None where there is nothing to test.
        adjusted: the p-value adjusted for the number of tests: of systems by Holm; of fields, slices and causes by
            Benjamini and Hochberg, a q-value. None where there is one test.
    """

    name: str
    label: str
    base: float | None
    new: float | None
    interval: Interval | None = None
    p_value: float | None = None
    adjusted: float | None = None

    @property
    def difference(self) -> float | None:
        """New minus base; None where one side has no value."""
        return None if self.base is None or self.new is None else self.new - self.base

    @property
    def size(self) -> float:
        """The amount of the difference; 0 where there is none."""
        return abs(self.difference or 0.0)

    @property
    def changed(self) -> bool:
        """Whether the value of any document changed."""
        return self.interval is None or self.interval.note != NO_CHANGE

    def is_beyond_chance(self, confidence: float) -> bool:
        """Whether the change is shown at a level of confidence, by its p-value adjusted for the number of tests."""
        p_value = self.p_value if self.adjusted is None else self.adjusted
        return p_value is not None and p_value < level_of_tests(confidence)


def level_of_tests(confidence: float) -> float:
    """Return the p-value below which a difference is beyond chance at a level of confidence, free of rounding.

    >>> level_of_tests(0.95), 1 - 0.95
    (0.05, 0.050000000000000044)
    """
    return round(1 - confidence, 12)


def changes_table(
    caption: str,
    changes: Iterable[Change],
    name: Content,
    *,
    unit: str,
    text: Callable[[float], str] = three_digits,
    q_values: bool = True,
    signatures: Iterable[str] = (),
) -> Table:
    """Return changes with their intervals and p-values.

    Args:
        caption: the caption.
        changes: the rows.
        name: the first column.
        unit: the name of the rows, in the plural.
        text: how a value is displayed.
        q_values: whether the changes have q-values.
        signatures: the signatures of the figures.
    """
    return table_of(
        caption,
        changes,
        name,
        *_both_columns(text),
        interval_column(lambda end: with_sign(end, 3)),
        value_column("p_value", "p", p_text),
        *([value_column("q_value", "q", p_text, attrgetter("adjusted"))] if q_values else []),
        unit=unit,
        signatures=signatures,
    )


def document_changes_table(changes: Iterable[Change]) -> Table:
    """Return documents with their scores in both systems."""
    name = text_column("question_id", "document", attrgetter("name"))
    return table_of("Documents, largest changes", changes, name, *_both_columns(three_digits), unit="documents")


def _both_columns(text: Callable[[float], str]) -> list[Content]:
    """The columns of the values in two systems, and of their difference."""
    return [
        value_column("base", "base", text),
        value_column("new", "new", text),
        value_column("difference", "change", with_sign),
    ]


def rows_of_base(base: Sequence[str], new: Sequence[str]) -> list[int]:
    """The numbers of the ids of the base in the order of those of the new system: the pairing of all comparisons.

    Raises:
        ValueError: if an id is on one side only.
    """
    number_of = {name: number for number, name in enumerate(base)}
    only = sorted(number_of.keys() ^ set(new))
    if only:
        raise InputValueError(
            expected="the same ids on both sides",
            got=f"{len(only)} on one side only, such as {only[0]!r}",
        )
    return [number_of[name] for name in new]


def changes_of(
    names: Iterable[FigureName],
    base: Ratios,
    new: Ratios,
    groups: Sequence[Sequence[int]],
    *,
    clusters: npt.NDArray[np.intp] | None = None,
    confidence: float | None = None,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> list[Change]:
    """The change of each of k ratios between two systems on the same n rows, with interval and p-value.

    Args:
        names: of the ratios.
        base: the ratios of the system to compare with.
        new: the same ratios of the system to compare, the rows in the same order.
        groups: the numbers of the ratios that are tested with the same swaps. The p-value of one that is tested alone
            does not depend on what else is compared.
        clusters: the number of each row's cluster, shape (n,), where rows are not independent.
        confidence: the level of the intervals, between 0 and 1; None for none.
        n_resamples: how many resamples and permutations are drawn.
        seed: the seed of the random numbers.
        progress: called when the phase "Resampling" begins.
    """
    resampled = progress("Resampling", (len(groups) + (confidence is not None)) * n_resamples)
    drawn: dict[str, Any] = {"seed": seed, "clusters": clusters}
    intervals: list[Interval] | list[None] = [None] * len(base.values)
    if confidence is not None:
        differences = Differences(new, base)
        intervals = intervals_of(differences, confidence, n_resamples=n_resamples, resampled=resampled, **drawn)
    p_values: dict[int, float] = {}
    for group in map(list, groups):
        sides = base.columns(group), new.columns(group)
        tested = permutation_p_values(*sides, n_resamples=n_resamples - 1, permuted=resampled, **drawn)
        p_values.update(zip(group, tested, strict=True))
    values = zip(names, base.values.tolist(), new.values.tolist(), intervals, strict=True)
    return [
        Change(*name, before, after, interval, p_values[column])
        for column, (name, before, after, interval) in enumerate(values)
    ]


def adjusted(changes: Iterable[Change], correction: Callable[[list[float]], Iterable[float]] = holm) -> list[Change]:
    """The changes with their p-values adjusted for the number of tests; what was not tested stays as it is."""
    all_changes = list(changes)
    p_values = [change.p_value for change in all_changes if change.p_value is not None]
    corrected = iter(correction(p_values) if p_values else ())
    return [
        change if change.p_value is None else change._replace(adjusted=float(next(corrected))) for change in all_changes
    ]


def _with_q_values(changes: Sequence[Change], base: Array, new: Array) -> list[Change]:
    """The changes of fields, slices or causes, largest first; those that changed and that both have are tested.

    Args:
        changes: k of them.
        base: the sums of their denominators in the system to compare with, shape (k,); 0 where it has no such value.
        new: the sums of their denominators in the system to compare, shape (k,); 0 where it has no such value.
    """
    from scipy import stats  # noqa: PLC0415  slow to import

    compared = []
    for change, *totals in zip(changes, base, new, strict=True):
        before, after = (value if total else None for value, total in zip(change[2:4], totals, strict=True))
        if before is None or after is None:
            compared.append(change._replace(base=before, new=after, interval=_ONE_SIDED, p_value=None))
        else:
            compared.append(change if change.changed else change._replace(p_value=None))
    return _largest(adjusted(compared, stats.false_discovery_control))


class Gate(NamedTuple):
    """The result of a gate: whether a system is worse than the base by more than a margin, or below a level.

    Attributes:
        margin: by how much the new system may be worse; None for a gate on a level.
        bound: the one-sided upper confidence bound of the difference or the figure; the figure where chance is not
            considered.
        failed: whether the bound is below minus the margin, or below the level.
        sentence: the result as a sentence.
        level: the level; None for a gate on a margin.
    """

    margin: float | None
    bound: float
    failed: bool
    sentence: str
    level: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The attributes in plain types."""
        limit = {"margin": self.margin} if self.level is None else {"level": self.level}
        return {"passed": not self.failed, **limit, "bound": self.bound, "sentence": self.sentence}


class Comparison(Displayed):
    """Two systems on the same documents: the difference of the first figure of their first metric, and what changed.

    The figure decides the verdict, the documents, the fields, the causes and the gate. Changes and tables are computed
    when they are first looked at; a table is called as the list of changes that it shows.

    Args:
        base: the system to compare with.
        new: the system to compare, on the same ids.
        confidence: the level of the intervals, between 0 and 1; None for that of the base.
        n_resamples: how many resamples and permutations are drawn; if there are fewer permutations, all are used.
        seed: the seed of the random numbers; None for that of the base.
        progress: called when each phase "Resampling" begins; None for that of the base.

    Attributes:
        base: the system compared with.
        new: the system that is compared.
        confidence: the level of the intervals.
        tests: how many systems are compared with the base; `figure.adjusted` allows for them.
        signature: what makes the figure comparable: metric, options and version.

    Raises:
        TypeError, ValueError: for an invalid confidence, seed or number of resamples.
        ValueError: if an id is on one side only, or the two have other options, clusters, ground truths or metrics.

    >>> import docscore
    >>> truths = {"a": "tea", "b": "rum", "c": "ale"}
    >>> base = docscore.evaluate(predictions={"a": "tea", "b": "xxx", "c": "yyy"}, references=truths)
    >>> new = docscore.evaluate(predictions={"a": "tea", "b": "rum", "c": "yyy"}, references=truths)
    >>> found = base.compare(new)
    >>> round(found.difference, 4), [row["question_id"] for row in found.documents]
    (0.3333, ['b'])
    """

    def __init__(
        self,
        base: ScoredRows,
        new: ScoredRows,
        *,
        confidence: float | None = None,
        n_resamples: int = RESAMPLES,
        seed: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.base, self.new = base, new
        self.confidence = check_confidence(base.confidence or CONFIDENCE if confidence is None else confidence)
        self._drawn: dict[str, Any] = {
            "confidence": self.confidence,
            "n_resamples": check_whole("n_resamples", n_resamples, 2),
            "seed": base.seed if seed is None else check_whole("seed", seed, 0),
            "progress": progress or base.progress,
            "clusters": new.clusters,
        }
        if base.metrics != new.metrics:
            raise InputValueError(
                place="metrics",
                expected="the same for both systems",
                got=" and ".join(", ".join(system.metrics) for system in (base, new)),
            )
        if base.pairs.runs != new.pairs.runs:
            raise InputValueError(
                place="compare",
                expected="as many runs of the base as of the other",
                got=f"{base.pairs.runs} and {new.pairs.runs}",
            )
        self._rows = rows_of_base(base.ids, new.ids)
        clusters = base.pairs.clusters and [base.pairs.clusters[row] for row in self._rows]
        if clusters != new.pairs.clusters:
            raise InputValueError(place="cluster", expected="the same for both systems", got="another one")
        if base.options != new.options:
            raise InputValueError(
                expected="both scored by the same rules",
                got=f"{base.signature} and {new.signature}",
            )
        truths = base.pairs.truths
        for row, name, truth in zip(self._rows, new.ids, new.pairs.truths, strict=True):
            if truths[row] != truth:
                raise InputValueError(expected="the same ground truths on both sides", got=f"others for {name!r}")
        self.tests = 1
        self.signature = new.signature

    def __repr__(self) -> str:
        facts = f"{with_sign(self.difference)}, p {self.p_value:.4g}, {len(self.new):,} documents"
        return f"<Comparison {self.new.metric} {facts}>"

    @cached_property
    def _figure_and_fields(self) -> tuple[Change, list[Change]]:
        paths = _heaviest(self.base.field_table, self.new.field_table)
        before, after = self._sides(lambda system: _with_fields(system, paths))
        names = [self.new.figure_names[0], *(FigureName(path, path) for path in paths)]
        groups = [[0], range(1, len(names))] if paths else [[0]]
        figure, *fields = changes_of(names, before, after, groups, **self._drawn)
        return figure, _with_q_values(fields, before.totals[1:], after.totals[1:])

    @cached_property
    def figure(self) -> Change:
        """The change of the first figure; `adjusted` for the number of systems where several are compared."""
        return self._figure_and_fields[0]

    @property
    def difference(self) -> float:
        """The figure of the new system minus that of the base."""
        return self.new.score - self.base.score

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval of the difference, paired by document; None where there are too few documents."""
        return self.figure.interval and self.figure.interval.ends

    @property
    def p_value(self) -> float:
        """Two-sided, of a permutation test that swaps the systems' results document by document."""
        return 1.0 if self.figure.p_value is None else self.figure.p_value

    @cached_property
    def upper(self) -> float:
        """The one-sided upper confidence bound of the difference."""
        before, after = self._sides(attrgetter("ratio"))
        return upper_bound(Differences(after, before), self.confidence, self.new.clusters)

    @cached_property
    def document_changes(self) -> list[Change]:
        """The score of each document in both systems, in the order of the new system."""
        before = [self.base.scores[row] for row in self._rows]
        return list(map(Change, self.new.ids, self.new.ids, before, self.new.scores))

    @property
    def better(self) -> list[Change]:
        """The documents whose score rose, largest change first."""
        return _largest(change for change in self.document_changes if (change.difference or 0.0) > ROUNDING)

    @property
    def worse(self) -> list[Change]:
        """The documents whose score fell, largest change first."""
        return _largest(change for change in self.document_changes if (change.difference or 0.0) < -ROUNDING)

    @property
    def same(self) -> int:
        """The number of documents whose score did not change."""
        return sum(change.size <= ROUNDING for change in self.document_changes)

    @property
    def field_changes(self) -> list[Change]:
        """The fields, largest change first; of more than 200 those of most weight."""
        return self._figure_and_fields[1]

    @cached_property
    def figure_changes(self) -> list[Change]:
        """The figures of all metrics, where there is more than one."""
        names = self.new.figure_names
        if len(names) == 1:
            return []
        sides = self._sides(lambda system: system.ratios)
        _, *others = changes_of(names, *sides, [[column] for column in range(len(names))], **self._drawn)
        return [self.figure, *others]

    @cached_property
    def cause_changes(self) -> list[Change]:
        """The points lost by cause, as shares of 1, largest change first; causes of neither system are left out."""
        causes = self._together(CAUSES, *self._sides(lambda system: _lost_by_cause(system.field_table)))
        return [change for change in causes if change.base or change.new]

    @cached_property
    def slice_changes(self) -> list[Change]:
        """The figure within the documents of each value of `by`, largest change first; of more than 200 the largest."""
        if self.new.by is None:
            return []
        values = np.array(groups_of_rows(self.new.pairs, self.new.by, "by"))
        kept = [value for value, _ in Counter(values.tolist()).most_common(MOST_FIELDS_TESTED)]
        within = np.array([values == value for value in kept], dtype=np.float64).T
        before, after = (
            Ratios(side.earned * within, side.weight * within) for side in self._sides(attrgetter("ratio"))
        )
        return self._together(kept, before, after)

    def decide(self, max_loss: float) -> Gate:
        """Decide whether the new system is worse than the base by more than a loss, with the comparison's confidence.

        Args:
            max_loss: by how much the figure may fall, at least 0.

        Raises:
            ValueError: if there are too few documents to show a larger loss at all, if documents were
                left out, or for a loss that is negative.
        """
        margin = check_number("max_loss", max_loss, "a number of at least 0", lambda number: number >= 0)
        figure = self.figure.label
        if margin >= 1:
            raise InputValueError(problem=f"the gate cannot decide: {figure} cannot fall by more than {margin:g}")
        before, after = self._sides(attrgetter("ratio"))
        worst = Differences(Ratios(0 * after.weight, after.weight), Ratios(before.weight, before.weight))
        limits = ("all fall from 1 to 0", fewest_documents(self.confidence, (1 + margin) / 2), -margin)
        remark = _check_decidable(self.new, self.confidence, worst, *limits)
        failed = self.upper < -margin - ROUNDING
        if failed:
            loss = f"a loss of more than {margin:g} beyond chance"
        elif self.difference < -margin - ROUNDING:  # so that a loss that passes as chance is told from none
            loss = f"but a loss of more than {margin:g} may be chance"
            if self.p_value < level_of_tests(self.confidence):
                remark += f"; p = {self.p_value:.2g} says that the two differ, not by how much"
        else:
            loss = f"no loss of more than {margin:g}"
        verdict = f"{_verdict(failed)}: the difference of {figure} is {with_sign(self.difference)}, {loss}"
        bound = f"with confidence {self.confidence:.4g} it stays below {with_sign(self.upper)}{remark}"
        return Gate(margin, self.upper, failed, f"{verdict} ({bound})")

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes in plain types, tables as lists of dicts."""
        note = self.figure.interval.note if self.figure.interval else ""
        slices: dict[str, Any] = {} if self.new.by is None else {"slices": list(self.slices)}
        if self.new.slice is not None:
            slices = {"slice": {"by": self.new.slice_name, "value": self.new.slice}}
        metrics = {"metrics": list(self.figures), "signatures": self.new.signatures} if self.figures else {}
        return {
            "metric": self.new.metric,
            "base": self.figure.base,
            "new": self.figure.new,
            "difference": self.difference,
            "confidence": self.confidence,
            "confidence_interval": self.interval,
            **({"confidence_note": note} if note else {}),
            "p_value": self.p_value,
            "rows": len(self.document_changes),
            "better": list(document_changes_table(self.better)),
            "worse": list(document_changes_table(self.worse)),
            "same": self.same,
            "fields": list(self._field_table(self.field_changes)),
            "causes": list(self._cause_table(self.cause_changes)),
            **slices,
            **metrics,
            **{name: count for name, count in self.new.counts.items() if name == "skipped"},
            "counts": {"base": self.base.counts, "new": self.new.counts},
            "by_value": {"base": self.base.score_by_value, "new": self.new.score_by_value},
            "signature": self.signature,
        }

    @cached_property
    def documents(self) -> Table:
        """The documents whose score changed, largest change first; of equal changes, losses first."""
        return document_changes_table(_largest([*self.worse, *self.better]))

    @cached_property
    def fields(self) -> Table:
        """The fields whose score changed, each with interval, p-value and q-value."""
        return self._field_table(change for change in self.field_changes if change.changed)

    def _field_table(self, changes: Iterable[Change]) -> Table:
        unchanged = sum(not change.changed for change in self.field_changes)
        caption = f"Fields, largest change first ({unchanged:,} did not change)"
        return changes_table(
            caption, changes, text_column("field", "field", attrgetter("name")), unit="fields that changed"
        )

    @cached_property
    def figures(self) -> Table:
        """The change of each figure of the metrics, with interval and p-value; no rows if there is one figure."""
        return changes_table(
            "Metrics",
            self.figure_changes,
            (TableColumn("figure", "metric", "text"), lambda change: TableCell(change.name, change.label)),
            unit="figures",
            text=FOUR_DIGITS,
            q_values=False,
            signatures=self.new.signatures.values(),
        )

    @cached_property
    def causes(self) -> Table:
        """The points lost by each cause whose points changed, with interval, p-value and q-value."""
        return self._cause_table(change for change in self.cause_changes if change.changed)

    def _cause_table(self, changes: Iterable[Change]) -> Table:
        caption, name = "Points lost by cause, largest change first", attrgetter("name")
        return changes_table(caption, changes, text_column("cause", "cause", name, "text"), unit="causes")

    @cached_property
    def slices(self) -> Table:
        """The figure within each slice, with interval, p-value and q-value; without `by` no rows."""
        by = shown_name(self.new.slice_name)
        caption = f"{self.figure.label} by {by}, largest change first"
        name = text_column("value", by, attrgetter("name"))
        return changes_table(caption, self.slice_changes, name, unit="slices")

    def report(self, path: str | Path, *, changes: int = LISTED) -> Path:
        """Write the comparison as Markdown, for a comment on a pull request.

        Args:
            path: the file to write, `.md`.
            changes: how many of the better and of the worse documents are listed.

        Returns:
            The path of the file.

        Raises:
            ValueError: for another extension, and a folder that does not exist.
        """
        return write_report(path, self._renderers(changes=changes))

    def _sides(self, of_system: Callable[[ScoredRows], Ratios]) -> tuple[Ratios, Ratios]:
        """Ratios of both systems, the rows of both in the order of the new system."""
        before, after = of_system(self.base), of_system(self.new)
        return before.rows(self._rows), after

    def _together(self, names: Sequence[str], before: Ratios, after: Ratios) -> list[Change]:
        """The changes of slices or causes, tested with the same swaps, with q-values."""
        labels = [FigureName(name, name) for name in names]
        changes = changes_of(labels, before, after, [range(len(names))], **self._drawn)
        return _with_q_values(changes, before.totals, after.totals)


compare = Comparison
"""`Comparison` as a function of two results: `docscore.compare(base, new)`."""

decide = Comparison.decide
"""`Comparison.decide` as a function: `docscore.decide(comparison, max_loss)`."""


def decide_level(system: ScoredRows, level: float, confidence: float | None) -> Gate:
    """Decide whether the first figure of a system is below a level, by itself or beyond chance.

    With a confidence it fails, as for two systems, only where that is shown: where the upper confidence bound of the
    figure is below the level. A figure that may be below it by chance then passes.

    Args:
        system: the evaluation.
        level: the level, above 0 and at most 1.
        confidence: the share of test sets whose true figure is at least the level and that pass, between 0 and 1; None
            to compare the figure itself, by chance or not.

    Raises:
        ValueError: if there are too few documents to show that the figure is below the level at all, if documents were
            left out, or for a level out of its range.
    """
    confidence = None if confidence is None else check_confidence(confidence)
    level = check_number("level", level, "a number above 0 and at most 1", lambda number: 0 < number <= 1)
    first = system.ratio
    bound = value = float(first.values[0])
    nothing = Ratios(np.zeros_like(first.weight), first.weight)
    needed = 1 if confidence is None else fewest_documents(confidence, 1 - level)
    worst = "all have the score 0", needed, level
    unless = _check_decidable(system, confidence, Differences(nothing, nothing), *worst)
    what = "mean" if system.is_mean else "figure"
    remark, by_chance = f"the {what} itself is compared, by chance or not", ""
    below = value < level - ROUNDING
    if confidence is not None:
        bound = upper_bound(Differences(first, nothing), confidence, system.clusters)
        remark = f"with confidence {confidence:.4g} it stays below {bound:.4f}{unless}"
        by_chance = " beyond chance" if bound < level - ROUNDING else ", but may be so by chance"
    failed = bound < level - ROUNDING
    relation = f"below {level:g}{by_chance}" if below else f"not below {level:g}"
    sentence = f"{_verdict(failed)}: {system.figure_names[0].label}, {value:.4f}, is {relation} ({remark})"
    return Gate(None, bound, failed, sentence, level)


def _verdict(failed: bool) -> str:
    return "failed" if failed else "passed"


def _check_decidable(
    system: ScoredRows, confidence: float | None, least: Differences, worst: str, needed: int, limit: float
) -> str:
    """Check that a gate can fail at all, and return what its bound assumes, in words; "" where it assumes nothing.

    Args:
        system: the evaluation; no document may be left out, since a gate must not pass for want of the worst.
        confidence: of the gate; None where chance is not considered.
        least: the smallest difference that these documents could have.
        worst: when they have it, in words.
        needed: the least number of documents, or clusters of them, that can fail if all have the same weight.
        limit: what the bound must be below for the gate to fail.

    Raises:
        ValueError: if rows were left out, or if the gate could not fail whatever the predictions are.
    """
    if system.pairs.skipped:
        skipped = f"{system.pairs.skipped:,}, which may be the worst"
        raise InputValueError(problem=f"the gate cannot decide: left out {system.why_left_out} are {skipped}")
    names = system.pairs.clusters
    count, unit = (len(system), "document") if names is None else (len(set(names)), "cluster")
    if count < needed:
        these = f"one {unit} is" if count == 1 else f"{count:,} {unit}s are"
        too_few = f"{these} too few for a confidence of {confidence:.4g}: it takes {needed:,}, even if {worst}"
        raise InputValueError(problem=f"the gate cannot decide: {too_few}")
    by_unit = least if system.clusters is None else least.by_cluster(system.clusters)
    weights = by_unit.new.weight
    if confidence is None or weights.max() - weights.min() <= ROUNDING:
        return ""
    if upper_bound(by_unit, confidence) >= limit - ROUNDING:
        share = f"the largest of {count:,} {unit}s has {float(weights.max() / weights.sum()):.0%} of the weight"
        raise InputValueError(problem=f"the gate cannot decide: {share}, too much even if {worst}")
    return f", if no {unit} outside the test set is larger than these"


def _heaviest(*tables: FieldTable) -> list[str]:
    """The paths of the `MOST_FIELDS_TESTED` fields with the most weight, in their order."""
    weights: dict[str, float] = {}
    for table in tables:
        for path, field in table.fields.items():
            weights[path] = weights.get(path, 0.0) + field.weight
    chosen = set(sorted(weights, key=lambda path: -weights[path])[:MOST_FIELDS_TESTED])
    return [path for path in weights if path in chosen]


def _with_fields(system: ScoredRows, paths: Sequence[str]) -> Ratios:
    """The first figure, and the fields with these paths."""
    known = system.field_table.fields
    fields = fields_as_ratios([known.get(path, Field(path)) for path in paths], len(system))
    return side_by_side(system.ratio, fields)


def _lost_by_cause(table: FieldTable) -> Ratios:
    """The points that documents lose by each cause, as ratios over documents."""
    lost = np.zeros((len(table.losses), len(CAUSES)))
    for row, losses in zip(lost, table.losses, strict=True):
        for (_, cause), points in losses.items():
            row[CAUSES.index(cause)] += points
    return Ratios(lost, np.ones_like(lost))


def _largest(changes: Iterable[Change]) -> list[Change]:
    return sorted(changes, key=lambda change: -change.size)
