"""The figures of several metrics over the same scored rows, all of them or slices, each with its interval."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.runtime import Advance, Progress, ignore, no_progress
from docscore.evaluation.fields import FieldTable
from docscore.evaluation.scores import CorpusScore
from docscore.metrics.base import Breakdown, FigureName
from docscore.metrics.registry import METRICS, TYPED
from docscore.stats.intervals import RESAMPLES, SEED, Interval, Ratios, check_confidence, intervals_of


class Figure(NamedTuple):
    """A figure of a metric over a test set.

    Attributes:
        name: the key of results, such as "kieval_entity_f1".
        label: its name in tables, such as "KIEval Entity F1".
        value: in [0, 1]; 1 is best.
        interval: the confidence interval from resampled documents; None if not requested.
    """

    name: str
    label: str
    value: float
    interval: Interval | None = None


def ends_by_name(figures: Sequence[Figure]) -> dict[str, Any]:
    """The ends of the intervals by the name of the figure, under "confidence_intervals"; nothing without intervals."""
    ends = {figure.name: figure.interval.ends for figure in figures if figure.interval is not None}
    return {"confidence_intervals": ends} if ends else {}


def figures_of(
    names: Sequence[FigureName],
    ratios: Ratios,
    *,
    confidence: float | None,
    seed: int,
    resampled: Advance,
    clusters: npt.NDArray[np.intp] | None,
) -> list[Figure]:
    """Each ratio as a figure with its interval; without a confidence level there are no intervals."""
    intervals: list[Interval | None] = [None] * len(names)
    if confidence is not None:
        level = check_confidence(confidence)
        intervals = list(intervals_of(ratios, level, seed=seed, resampled=resampled, clusters=clusters))
    return [
        Figure(*name, float(value), interval)
        for name, value, interval in zip(names, ratios.values, intervals, strict=True)
    ]


def figure_names(metrics: Sequence[str]) -> list[FigureName]:
    """The names of the figures of metrics, in the order of the metrics."""
    return [name for metric in metrics for name in METRICS[metric].figures]


def figure_ratios(scored: Sequence[CorpusScore]) -> Ratios:
    """The figures of metrics as ratios of sums over n documents, a column for each of the k figures.

    Args:
        scored: the same rows scored with each of the metrics.
    """
    columns: list[np.ndarray[Any, np.dtype[np.float64]]] = []
    for scores in scored:
        metric = METRICS[scores.metric]
        sums = [metric.figure_sums(each) for each in scores.points]
        columns.append(np.array(sums, dtype=np.float64).reshape(-1, len(metric.figures), 2))
    table = np.concatenate(columns, axis=1)
    return Ratios(table[:, :, 0], table[:, :, 1])


def breakdown_of(scores: CorpusScore) -> Breakdown | None:
    """Further counts of the metric over the rows, such as the corrections of KIEval; None where it has none."""
    if scores.metric == TYPED:
        return FieldTable.of_leaves(leaves for _, leaves in scores.points)
    return METRICS[scores.metric].breakdown(scores.points)


class Slice(NamedTuple):
    """The rows of a test set that share a value.

    Attributes:
        value: the value, as text; None for all rows.
        documents: how many rows there are.
        figures: the figures over these rows, with their intervals.
    """

    value: str | None
    documents: int
    figures: list[Figure]

    def to_dict(self) -> dict[str, Any]:
        """The row of a table, in plain types."""
        values: dict[str, Any] = {figure.name: figure.value for figure in self.figures}
        return {"value": self.value, "documents": self.documents, **values, **ends_by_name(self.figures)}


def slices_of(
    names: Sequence[FigureName],
    ratios: Ratios,
    values: Sequence[Hashable],
    *,
    clusters: npt.NDArray[np.intp] | None = None,
    confidence: float | None = None,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> list[Slice]:
    """Compute the figures of each slice, largest slice first, slices of equal size in the order of their first rows.

    Args:
        names: of each of the k figures.
        ratios: the figures of n rows, from `figure_ratios`.
        values: the value of each row, n of them.
        clusters: the number of each row's cluster, shape (n,), where rows are not independent.
        confidence: the level of the intervals, between 0 and 1; None for none.
        seed: the seed of the random numbers of the intervals.
        progress: called when the phase "Resampling" begins.
    """
    rows: dict[Hashable, list[int]] = {}
    for number, value in enumerate(values):
        rows.setdefault(value, []).append(number)
    resampled = ignore if confidence is None else progress("Resampling", RESAMPLES * len(rows))
    found = []
    for value, numbers in sorted(rows.items(), key=lambda item: -len(item[1])):
        of_slice = None if clusters is None else clusters[numbers]
        part = ratios.rows(numbers)
        figures = figures_of(names, part, confidence=confidence, seed=seed, resampled=resampled, clusters=of_slice)
        found.append(Slice("null" if value is None else str(value), len(numbers), figures))
    return found
