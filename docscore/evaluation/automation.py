"""The trade-off of automation and accuracy: accuracy after reviewing the values with low confidence.

Khang et al. 2025, arXiv 2503.05488, appendix C. Predicted values with a confidence below a threshold are reviewed, and
corrected or deleted where they are wrong. A review does not find missing values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.errors import InputValueError, row_place
from docscore.core.numbers import ROUNDING
from docscore.core.runtime import Progress, no_progress
from docscore.metrics.kieval import KieScore
from docscore.stats.calibration import Calibration, calibration_of
from docscore.stats.intervals import (
    BATCH_CELLS,
    CONFIDENCE,
    RESAMPLES,
    SEED,
    Array,
    Interval,
    Ratios,
    check_number,
    intervals_of,
    sums_by_cluster,
)

GRID = tuple(step / 100 for step in range(101))


class Point(NamedTuple):
    """Automation rate and accuracy at one threshold.

    Attributes:
        threshold: values with a confidence below it are reviewed; infinity for all.
        automation_rate: the share of the predicted values that are not reviewed, in [0, 1].
        aligned: KIEval Aligned after the review, in [0, 1].
    """

    threshold: float
    automation_rate: float
    aligned: float

    def to_dict(self) -> dict[str, Any]:
        """The attributes in plain types; an infinite threshold becomes None, since JSON has no infinity."""
        return {**self._asdict(), "threshold": _finite(self.threshold)}


class Choice(NamedTuple):
    """The lowest threshold that reaches a wanted accuracy.

    Attributes:
        target: the wanted KIEval Aligned.
        point: the point of that threshold; None where even a review of all values does not reach the target.
        threshold: the confidence interval of the threshold.
        automation_rate: the confidence interval of the automation rate at that threshold.
    """

    target: float
    point: Point | None
    threshold: Interval
    automation_rate: Interval

    def to_dict(self) -> dict[str, Any]:
        """The attributes in plain types."""
        ends = self.threshold.ends
        return {
            "target": self.target,
            "lowest": self.point and self.point.to_dict(),
            "threshold_interval": ends and (_finite(ends[0]), _finite(ends[1])),
            "automation_rate_interval": self.automation_rate.ends,
        }


@dataclass(frozen=True)
class Curve:
    """The trade-off of automation and accuracy over n documents.

    Attributes:
        thresholds: t thresholds in increasing order, the last infinity.
        counts: for each document and threshold how many predicted values are reviewed, how many errors are left, and
            how many values the output has or should have, shape (3, n, t).
        predicted: how many values each document's prediction has, shape (n,).
    """

    thresholds: tuple[float, ...]
    counts: Array
    predicted: Array

    def points(self) -> list[Point]:
        """One point for each threshold (equations 13 and 14)."""
        automation, aligned = (ratios.values.tolist() for ratios in self._ratios())
        return [Point(*values) for values in zip(self.thresholds, automation, aligned, strict=True)]

    def lowest(
        self,
        target: float,
        *,
        confidence: float = CONFIDENCE,
        n_resamples: int = RESAMPLES,
        seed: int = SEED,
        progress: Progress = no_progress,
    ) -> Choice:
        """Find the lowest threshold whose accuracy after the review is at least the target.

        Args:
            target: the wanted KIEval Aligned, in [0, 1].
            confidence: the level of the intervals.
            n_resamples: how many resamples of documents are drawn.
            seed: the seed of the random numbers.
            progress: called when the phase "Resampling" begins.

        Returns:
            The threshold and its percentile interval over resampled documents. In a resample that does not reach the
            target, the threshold is infinity.
        """
        target = check_number("target", target, "a number from 0 to 1", lambda number: 0 <= number <= 1)
        points = self.points()
        number = next((i for i, point in enumerate(points) if point.aligned >= target - ROUNDING), None)
        if number is None:
            none = Interval(note="even where all is reviewed, values are missing")
            return Choice(target, None, none, none)
        automation, aligned = self._ratios()
        [rate] = intervals_of(automation.columns([number]), confidence, n_resamples=n_resamples, seed=seed)
        resampled, n = progress("Resampling", n_resamples), len(self.predicted)
        if n == 1:
            return Choice(target, points[number], rate, rate)
        rng = np.random.default_rng(seed)
        thresholds = np.empty(n_resamples)
        at_once = max(1, BATCH_CELLS // n)
        for start in range(0, n_resamples, at_once):
            rows = min(at_once, n_resamples - start)
            counts = rng.multinomial(n, np.full(n, 1 / n), size=rows).astype(np.float64)
            reached = target - ROUNDING <= aligned.of(counts).T
            first = np.where(reached.any(axis=1), reached.argmax(axis=1), len(self.thresholds) - 1)
            thresholds[start : start + rows] = np.array(self.thresholds)[first]
            resampled(rows)
        shares = (1 - confidence) / 2, (1 + confidence) / 2
        low, high = np.quantile(thresholds, shares, method="inverted_cdf").tolist()
        method = f"percentiles of {n_resamples:,} resamples of documents"
        return Choice(target, points[number], Interval(low, high, None, method), rate)

    def _ratios(self) -> tuple[Ratios, Ratios]:
        """Automation rate and accuracy as ratios of sums over documents, with a column for each threshold."""
        predicted = np.repeat(self.predicted[:, np.newaxis], len(self.thresholds), axis=1)
        return Ratios(predicted - self.counts[0], predicted), Ratios(self.counts[2] - self.counts[1], self.counts[2])


def _finite(threshold: float) -> float | None:
    return threshold if math.isfinite(threshold) else None


def automation_curve(
    scores: Sequence[KieScore],
    thresholds: Sequence[float] = GRID,
    names: Sequence[str] | None = None,
    clusters: npt.ArrayLike | None = None,
) -> Curve:
    """Compute automation rate and accuracy after review for each threshold of confidence.

    Args:
        scores: KIEval of n documents, computed with confidences.
        thresholds: at least one, from 0 to 1; infinity, at which all values are reviewed, is added.
        names: the names of the documents in error messages; by default their numbers.
        clusters: the number of each document's cluster, shape (n,), where documents are not independent: then the sums
            are over clusters.

    Raises:
        ValueError: if there are no documents, or a predicted value has no confidence.

    >>> from docscore.metrics.kieval import kieval_score
    >>> scores = [kieval_score({"a": "1", "b": "2"}, {"a": "1", "b": "3"}, confidences={"a": 0.9, "b": 0.4})]
    >>> automation_curve(scores, [0.0, 0.5]).points()[1]
    Point(threshold=0.5, automation_rate=0.5, aligned=1.0)
    """
    if not scores:
        raise InputValueError(expected="at least one document", got="none")
    grid = (*sorted(set(thresholds)), math.inf)
    called = names or list(map(str, range(len(scores))))
    counts = np.array([_counts(score, np.array(grid), name) for score, name in zip(scores, called, strict=True)])
    predicted = np.array([sum(step.prediction is not None for step in score.steps) for score in scores], dtype=float)
    if clusters is not None:
        counts = sums_by_cluster(counts.reshape(len(scores), -1), clusters).reshape(-1, *counts.shape[1:])
        predicted = sums_by_cluster(predicted[:, np.newaxis], clusters)[:, 0]
    return Curve(grid, counts.transpose(1, 0, 2), predicted)


def _counts(score: KieScore, grid: Array, name: str) -> Array:
    """Reviewed values, errors left and values of the output of a document at each threshold, shape (3, t)."""
    steps = _confidences(score, name)
    of_edits = [np.sort([sure for sure, edit in steps if edit == wanted]) for wanted in ("right", "change", "delete")]
    right, change, delete = of_edits
    below = [np.searchsorted(values, grid, side="left") for values in of_edits]
    changes, deletions = len(change) - below[1], len(delete) - below[2]  # not reviewed, so the errors are left
    additions = score.entities.additions
    output = len(right) + len(change) + deletions + additions
    return np.array([sum(below), changes + deletions + additions, output], dtype=np.float64)


def _confidences(score: KieScore, name: str) -> list[tuple[float, str]]:
    """The confidence of each predicted value of a document, and the correction that the value needs."""
    values: list[tuple[float, str]] = []
    for step in score.steps:
        if step.prediction is not None:
            if step.prediction.confidence is None:
                raise InputValueError(place=(row_place(name), step.place), expected="a confidence", got="none")
            values.append((step.prediction.confidence, step.edit))
    return values


def calibration_of_scores(
    scores: Sequence[KieScore],
    names: Sequence[str],
    clusters: npt.NDArray[np.intp] | None = None,
    *,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> Calibration:
    """How far the confidences of predicted values can be trusted; a value is right where KIEval needs no correction.

    Args:
        scores: KIEval of n documents, made with confidences.
        names: the ids of the documents, for messages.
        clusters: the number of each document's cluster, shape (n,), where documents are not independent.
        confidence: the level of the intervals.
        seed: where the random numbers start.
        progress: called when the phase "Resampling" begins.

    Raises:
        ValueError: for a predicted value without a confidence, naming the document and the place.
    """
    values: list[tuple[float, bool, int]] = []
    for number, (score, name) in enumerate(zip(scores, names, strict=True)):
        group = number if clusters is None else int(clusters[number])
        values += [(sure, edit == "right", group) for sure, edit in _confidences(score, name)]
    columns = np.array(values, dtype=np.float64).reshape(-1, 3).T
    resampled = progress("Resampling", RESAMPLES)
    return calibration_of(
        columns[0], columns[1], columns[2].astype(np.intp), confidence=confidence, seed=seed, resampled=resampled
    )
