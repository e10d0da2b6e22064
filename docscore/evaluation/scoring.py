"""The points of rows, and the sums that figures, rates and causes are computed from."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, islice, repeat
from math import inf
from typing import Any

import numpy as np

from docscore.core.errors import (
    DataWarning,
    Diagnostic,
    InputError,
    InputValueError,
    at_place,
    row_place,
    short_repr,
)
from docscore.core.formatting import counted
from docscore.core.numbers import ROUNDING
from docscore.core.options import CompareOptions
from docscore.core.processes import in_processes, numbered_portions
from docscore.core.runtime import Advance, Progress, ignore, no_progress, watched
from docscore.evaluation.fields import LEFT_OUT, MOST_FIELDS_TESTED, FieldTable, as_float, fields_as_ratios
from docscore.evaluation.figures import FILLED, HALLUCINATION, OMISSION, RateCounts, rates_as_ratios
from docscore.evaluation.registry import ANLS_STAR, METRICS, TYPED, is_own, line_of_metric
from docscore.inputs.test_set import TestSet
from docscore.metrics.anls import AnlsStar
from docscore.metrics.anls_star.api import score_all
from docscore.metrics.anls_star.causes import CAUSES, Cause
from docscore.metrics.base import Breakdown, FigureName, MetricRow
from docscore.metrics.typed.schema_warnings import warnings_about_readings
from docscore.stats.intervals import Interval, Ratios, intervals_of_parts

_IdsAndPairs = tuple[Sequence[str], Sequence[tuple[Any, Any]]]


def anls_star_scores(
    test_set: TestSet, options: CompareOptions, num_proc: int = 1, progress: Progress = no_progress
) -> list[float]:
    """Return the ANLS* score of each row, in [0, 1].

    Args:
        test_set: the rows.
        options: how values are compared.
        num_proc: the number of processes.
        progress: called when the phase "Scoring" begins.
    """
    ids, pairs = test_set.ids, test_set.pairs
    scored = progress("Scoring", len(ids))
    # A text may give a warning, which would be lost in another process.
    if num_proc == 1 or any(type(prediction) is str for _, prediction in pairs):
        return _scores((ids, pairs), options, scored)
    portions = [(ids[start : start + len(part)], part) for start, part in numbered_portions(pairs, num_proc)]
    scores: list[float] = []
    for found in in_processes(partial(_scores, options=options), portions, num_proc):
        scores += found
        scored(len(found))
    return scores


def _scores(rows: _IdsAndPairs, options: CompareOptions, scored: Advance = ignore) -> list[float]:
    ids, pairs = rows
    scores: list[float] = score_all(pairs, options, lambda number: row_place(ids[number]), scored).tolist()
    return scores


class MetricScores:
    """The points of rows by one metric, and its figures over the rows; both are computed on first access.

    Args:
        metric: the name of the metric.
        test_set: the rows.
        options: how values are compared.
        rows: a function that returns the rows in the form that metrics accept.
        anls_star: a function that returns the ANLS* score of each row.
        progress: called when each phase of the work begins.
        warn: called with warnings that need the scores.
        is_primary: whether the metric must have a figure.
    """

    def __init__(
        self,
        metric: str,
        test_set: TestSet,
        options: CompareOptions,
        rows: Callable[[], Iterable[MetricRow]],
        anls_star: Callable[[], list[float]],
        progress: Progress,
        warn: Callable[[Iterable[DataWarning]], None],
        *,
        is_primary: bool,
    ) -> None:
        self.metric, self.test_set, self.options, self.is_primary = metric, test_set, options, is_primary
        self._rows, self._anls_star, self._progress, self._warn = rows, anls_star, progress, warn

    @cached_property
    def points(self) -> list[Any]:
        """The points of each row, from which the metric computes its figures.

        Raises:
            TypeError, ValueError: if the metric cannot score a value; the message names its row.
        """
        if isinstance(METRICS[self.metric], AnlsStar):
            scores = self._anls_star()  # this phase comes first
            if self.metric == ANLS_STAR:
                return scores
        rows = watched(self._rows(), self._progress, "Measuring", len(self.test_set.ids))
        # with confidences, the automation curve needs the details
        details = self.test_set.confidences is not None
        points = points_of_rows(self.metric, rows, self.options, details=details)
        if self.metric == TYPED and self.test_set.is_full:
            leaves = [leaf for _, of_row in points for leaf in of_row]
            self._warn(warnings_about_readings(leaves, self.options.schema))
        return points

    @cached_property
    def _all_ratios(self) -> Ratios:
        if self.metric == ANLS_STAR:  # the points of this metric are the scores
            scores = np.array(self.points)[:, np.newaxis]
            return Ratios(scores, np.ones_like(scores))
        rows = zip(self.test_set.ids, self.points, strict=True)
        return ratios_of_points(self.metric, watched(rows, self._progress, "Summing", len(self.test_set.ids)))

    @cached_property
    def _having(self) -> list[int]:
        """The numbers of the figures; for regions, or for a metric of a user, only figures for which anything counts.

        Raises:
            ValueError: if the primary metric has no figure.
        """
        if not (METRICS[self.metric].evaluates_regions or is_own(METRICS[self.metric])):
            return list(range(len(METRICS[self.metric].figures)))
        numbers: list[int] = np.flatnonzero(self._all_ratios.totals).tolist()
        if not numbers and (self.test_set.is_full or self.test_set.slice is not None):
            expected = (
                "evidence with a page or a box for at least one value of the ground truths"
                if METRICS[self.metric].evaluates_regions
                else "a denominator above 0 in at least one row"
            )
            diagnostic = Diagnostic((f"metric {self.metric}",), expected, "none")
            if self.is_primary:
                raise InputValueError(diagnostic)
            if self.test_set.is_full:
                self._warn([DataWarning("no figure", diagnostic)])
        return numbers

    @property
    def names(self) -> list[FigureName]:
        """The names of the figures."""
        return [METRICS[self.metric].figures[number] for number in self._having]

    @cached_property
    def ratios(self) -> Ratios:
        """The k figures as ratios of sums over the n rows, one column per figure."""
        is_whole = len(self._having) == len(METRICS[self.metric].figures)
        return self._all_ratios if is_whole else self._all_ratios.columns(self._having)

    @cached_property
    def first(self) -> Ratios:
        """The first figure; zeros for a part of a test set in which nothing counts."""
        if not self._having:
            return Ratios(np.zeros((len(self.points), 1)), np.zeros((len(self.points), 1)))
        return self.ratios if len(self._having) == 1 else self.ratios.columns([0])

    @cached_property
    def counted(self) -> Collection[int]:
        """The numbers of the rows that the first figure covers: all rows, or for regions the rows with evidence."""
        by_regions = METRICS[self.metric].evaluates_regions
        return set(np.flatnonzero(self.first.weight[:, 0]).tolist()) if by_regions else range(len(self.test_set.ids))

    @property
    def is_mean(self) -> bool:
        """Whether the first figure is the mean of the scores of rows. For entities, it is a ratio of sums instead."""
        return bool((self.first.weight[list(self.counted)] == 1).all())

    @cached_property
    def breakdown(self) -> Breakdown | None:
        """Further counts over all rows, or None."""
        if self.metric != TYPED:
            return METRICS[self.metric].breakdown(self.points)
        table = FieldTable()
        for number, (_, leaves) in enumerate(self.points):
            table.add(number, leaves)
        return table


def points_of_rows(metric: str, rows: Iterable[MetricRow], options: CompareOptions, *, details: bool) -> list[Any]:
    """Return the points of each row by a metric.

    Args:
        metric: the name of the metric.
        rows: the rows.
        options: how values are compared.
        details: whether the points keep the details that only the automation curve needs.

    Raises:
        TypeError, ValueError: if the metric cannot score a value; the message names its row.
    """
    scorer, points = METRICS[metric], []
    for row in rows:
        try:
            of_row = scorer.row_points(row, options)
        except Exception as error:  # noqa: BLE001  whatever a metric of a user raises
            raise error_of_metric(metric, row.question_id, error) from error.__cause__
        points.append(of_row if details else scorer.without_details(of_row))
    return points


def ratios_of_points(metric: str, rows: Iterable[tuple[str, Any]]) -> Ratios:
    """Return the figures of a metric as ratios of sums over rows, one column per figure.

    Args:
        metric: the name of the metric.
        rows: the id and the points of each row.

    Raises:
        ValueError: if sums are not numerators and denominators; the message names the row.
    """
    sums = np.array([_figure_sums(metric, *row) for row in rows], dtype=np.float64)
    earned, weight = np.moveaxis(sums.reshape(-1, len(METRICS[metric].figures), 2), 2, 0)
    return Ratios(earned, weight)


def _figure_sums(metric: str, question_id: str, points: Any) -> Sequence[tuple[float, float]]:
    scorer = METRICS[metric]
    try:
        sums = scorer.figure_sums(points)
    except Exception as error:  # noqa: BLE001  whatever a metric of a user raises
        raise error_of_metric(metric, question_id, error) from error.__cause__
    try:
        if len(sums) == len(scorer.figures) and all(0 <= part <= whole + ROUNDING < inf for part, whole in sums):
            return sums
        got = short_repr(sums)
    except (TypeError, ValueError) as error:
        got = str(error)
    expected = f"{counted(len(scorer.figures), 'pair')} of a numerator and a denominator, 0 <= numerator <= denominator"
    raise InputValueError(place=(row_place(question_id), f"metric {metric}"), expected=expected, got=got)


def error_of_metric(metric: str, question_id: str, error: Exception) -> Exception:
    """Return the error of a metric with its row, and with the line of code if a user wrote the metric."""
    place = row_place(question_id)
    if is_own(METRICS[metric]) and not isinstance(error, InputError | MemoryError):
        line = line_of_metric(METRICS[metric], error)
        problem = f"{type(error).__name__}: {error} ({line})" if str(error) else f"{type(error).__name__} ({line})"
        return InputValueError(place=(place, f"metric {metric}"), problem=problem)
    if isinstance(error, TypeError | ValueError):
        return at_place(place, error)
    if isinstance(error, ArithmeticError):
        return InputValueError(place=(place, f"metric {metric}"), problem=str(error))
    return error


def points_lost(table: FieldTable, denominator: float) -> dict[Cause, float]:
    """Return the points lost by each cause as a share of the denominator; the shares add up to 1 - score."""
    return {
        cause: as_float(sum(field.lost_units[cause] for field in table.fields.values())) / denominator
        for cause in CAUSES
    }


def rate_counts_of(
    table: FieldTable,
    scores: Sequence[float],
    evaluated: Collection[int],
    test_set: TestSet,
) -> dict[str, RateCounts]:
    """Return the counts of each rate, by the name of the rate.

    Args:
        table: the fields, with the counts of values of each row.
        scores: the score of each row.
        evaluated: the numbers of the rows that the score covers.
        test_set: the rows. Some may have failed to parse, or may not have a prediction.
    """
    values, ones = table.values, [1] * len(scores)
    events = {}
    if values:
        events = {
            "documents with a missing value": [missing > 0 for _, missing, _, _ in values],
            "documents with an invented value": [extra > 0 for _, _, _, extra in values],
        }
    for name, numbers in (
        ("texts that could not be parsed", test_set.failed),
        ("missing predictions", test_set.absent_as_null),
    ):
        if numbers is not None:
            events[name] = [number in numbers for number in range(len(scores))]
    totals = [int(number in evaluated) for number in range(len(scores))]
    right = [int(score == 1) * total for score, total in zip(scores, totals, strict=True)]
    counts = {"fully correct documents": (right, totals)}
    counts |= {name: (list(map(int, happened)), ones) for name, happened in events.items()}
    if values:
        expected, missing, predicted, extra = map(list, zip(*values, strict=True))
        counts |= {OMISSION: (missing, expected), HALLUCINATION: (extra, predicted)}
    if table.blanks:
        counts[FILLED] = counts_of_blanks(chain.from_iterable(table.blanks.values()), len(scores))
    return counts


def counts_of_blanks(blanks: Iterable[tuple[int, bool]], count: int) -> RateCounts:
    """Return how many places of each row are empty in the ground truth, and how many of these are filled."""
    hits, totals = [0] * count, [0] * count
    for number, is_filled in blanks:
        hits[number] += is_filled
        totals[number] += 1
    return hits, totals


def intervals_of_counts(
    counts: Mapping[str, RateCounts], table: FieldTable, confidence: float | None, **drawing: Any
) -> dict[str, dict[str, Interval]]:
    """Return the intervals of rates, of fields that are filled although empty, and of the scores of fields, by name.

    All use the same resamples. Only the first fields of each order of the table have an interval, and the others a note
    that says so.

    Args:
        counts: the counts of each rate.
        table: the fields.
        confidence: the confidence level of the intervals; None for no intervals.
        drawing: how rows are resampled.
    """
    if confidence is None:
        return {"rates": {}, "filled": {}, "fields": {}}
    count = len(next(iter(counts.values()))[0])
    blanks, fields = table.by_blanks(), table.heaviest()
    parts = chain(
        [rates_as_ratios(counts.values())],
        (rates_as_ratios([counts_of_blanks(each, count)]) for each in islice(blanks.values(), MOST_FIELDS_TESTED)),
        (fields_as_ratios([field], count) for field in fields[:MOST_FIELDS_TESTED]),
    )
    found = iter(intervals_of_parts(parts, confidence, **drawing))
    names = {"rates": counts, "filled": blanks, "fields": [field.path for field in fields]}
    return {
        kind: dict(zip(of_kind, chain(islice(found, MOST_FIELDS_TESTED), repeat(LEFT_OUT)), strict=False))
        for kind, of_kind in names.items()
    }
