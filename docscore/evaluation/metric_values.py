"""The figures of several metrics over the same scored rows, all of them or slices, each with its interval."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.runtime import Advance, Progress, ignore, no_progress
from docscore.evaluation.fields import FieldTable
from docscore.evaluation.scores import CorpusScore
from docscore.metrics.base import Breakdown, FigureName
from docscore.metrics.kieval import KieScore
from docscore.metrics.registry import METRICS, checked_metrics
from docscore.metrics.signature import signature_of
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


@dataclass(frozen=True)
class Measured:
    """The figures of metrics over a test set.

    Attributes:
        figures: the figures, in the order of the requested metrics.
        signatures: by the name of each metric what makes its figures comparable: version and options.
        breakdowns: further counts of a metric by its name, such as the corrections of KIEval.
    """

    figures: list[Figure]
    signatures: dict[str, str]
    breakdowns: dict[str, Breakdown] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """That of the first metric."""
        return next(iter(self.signatures.values()))

    @property
    def kieval(self) -> KieScore | None:
        """The counts behind the figures of KIEval; None if it was not requested."""
        found = self.breakdowns.get("kieval")
        return found if isinstance(found, KieScore) else None

    @property
    def typed(self) -> FieldTable | None:
        """The fields behind the typed score with how each was compared, if it was asked for."""
        found = self.breakdowns.get("typed")
        return found if isinstance(found, FieldTable) else None

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, and the numbers behind them, in plain types."""
        result: dict[str, Any] = {figure.name: figure.value for figure in self.figures}
        for breakdown in self.breakdowns.values():
            result |= breakdown.counts()
        ends = {figure.name: figure.interval.ends for figure in self.figures if figure.interval is not None}
        return {**result, "confidence_intervals": ends} if ends else result


class FigureColumns(NamedTuple):
    """The figures of metrics as ratios of sums over n documents.

    Attributes:
        names: of each of the k figures.
        ratios: their numerators and denominators, each of shape (n, k).
        breakdowns: further counts of a metric by its name.
    """

    names: list[FigureName]
    ratios: Ratios
    breakdowns: dict[str, Breakdown]

    def rows(self, numbers: Sequence[int]) -> FigureColumns:
        """The figures of the rows with these numbers, in this order, without breakdowns."""
        chosen = list(numbers)
        return FigureColumns(self.names, Ratios(self.ratios.earned[chosen], self.ratios.weight[chosen]), {})


def measure(
    scores: CorpusScore,
    metrics: Sequence[str],
    *,
    confidence: float | None = None,
    seed: int = SEED,
    progress: Progress = no_progress,
    columns: FigureColumns | None = None,
) -> Measured:
    """Compute the figures of metrics over scored rows, with the options with which the rows were scored.

    Args:
        scores: the rows, scored with ANLS*.
        metrics: names among `METRICS`.
        confidence: the level of the intervals; None for none.
        seed: the seed of the random numbers of the intervals.
        progress: called when the phases "Measuring" and "Resampling" begin.
        columns: what `figure_columns` gave for these metrics, where it is known already.

    Raises:
        ValueError: for an unknown metric, or a value that a metric cannot score, naming its row.

    >>> from docscore.evaluation import score_corpus
    >>> from docscore.data.pairing import pairs_of
    >>> scores = score_corpus(pairs_of([{"a": "x", "b": "y"}], [{"a": "x", "b": "z"}]))
    >>> [(figure.label, figure.value) for figure in measure(scores, ["entity_f1", "nted"]).figures]
    [('Entity F1', 0.5), ('nTED', 0.75)]
    """
    found = columns or figure_columns([scores.by(name, progress) for name in checked_metrics(metrics)])
    resampled = ignore if confidence is None else progress("Resampling", RESAMPLES)
    figures = figures_of(
        found.names, found.ratios, confidence=confidence, seed=seed, resampled=resampled, clusters=scores.clusters
    )
    names = checked_metrics(metrics)
    signatures = {name: signature_of(name, scores.options, skipped=scores.pairs.skipped) for name in names}
    return Measured(figures, signatures, found.breakdowns)


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


def figure_columns(scored: Sequence[CorpusScore]) -> FigureColumns:
    """The figures of metrics as ratios of sums over documents.

    Args:
        scored: the same rows scored with each of the metrics.
    """
    names: list[FigureName] = []
    breakdowns: dict[str, Breakdown] = {}
    columns: list[np.ndarray[Any, np.dtype[np.float64]]] = []
    for scores in scored:
        metric = METRICS[scores.metric]
        sums = [metric.figure_sums(each) for each in scores.points]
        columns.append(np.array(sums, dtype=np.float64).reshape(-1, len(metric.figures), 2))
        names += metric.figures
        breakdown: Breakdown | None = metric.breakdown(scores.points)
        if metric.name == "typed":
            breakdown = FieldTable.of_leaves(leaves for _, leaves in scores.points)
        if breakdown is not None:
            breakdowns[metric.name] = breakdown
    table = np.concatenate(columns, axis=1)
    return FigureColumns(names, Ratios(table[:, :, 0], table[:, :, 1]), breakdowns)


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
        ends = {figure.name: figure.interval.ends for figure in self.figures if figure.interval is not None}
        intervals = {"confidence_intervals": ends} if ends else {}
        return {"value": self.value, "documents": self.documents, **values, **intervals}


def slices_of(
    columns: FigureColumns,
    values: Sequence[Hashable],
    *,
    clusters: npt.NDArray[np.intp] | None = None,
    confidence: float | None = None,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> list[Slice]:
    """Compute the figures of each slice, largest slice first, slices of equal size in the order of their first rows.

    Args:
        columns: the figures of n rows, from `docscore.evaluation.metric_values.figure_columns`.
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
        ratios = columns.rows(numbers).ratios
        figures = figures_of(
            columns.names, ratios, confidence=confidence, seed=seed, resampled=resampled, clusters=of_slice
        )
        found.append(Slice("null" if value is None else str(value), len(numbers), figures))
    return found
