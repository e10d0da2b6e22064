"""Calibration of confidences: AUROC, expected calibration error, Brier score and the reliability diagram.

A value has a confidence in [0, 1] and is right or wrong. The values of one document depend on each other, so intervals
resample whole documents.
"""

import math
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.numbers import ROUNDING
from docscore.core.options import check_confidence
from docscore.core.runtime import Advance, ignore
from docscore.stats.intervals import (
    CONFIDENCE,
    FEWEST,
    RESAMPLES,
    SEED,
    TOO_ALIKE,
    Array,
    Interval,
    Ratios,
    bca,
    intervals_of,
    normal_quantiles,
    sampled_values,
)

BINS = 15  # for the reliability diagram and the expected calibration error, as in Guo et al. 2017
BINNING = f"{BINS} bins of equal width"
_CHANCE = 0.5  # the AUROC of uninformative confidences
_EDGES = np.arange(BINS + 1) / BINS

_MOST_CELLS = 200_000_000  # values x resamples, a few seconds; more values get fewer resamples
_FEWEST_RESAMPLES = 1000


class CalibrationFigure(NamedTuple):
    """A figure with its interval.

    Attributes:
        value: the figure, in [0, 1]; None if it is undefined; the note of the interval gives the reason.
        interval: the confidence interval from resampled documents.
    """

    value: float | None
    interval: Interval


class ReliabilityPoint(NamedTuple):
    """The values of one bin of confidences: a point of the reliability diagram.

    Attributes:
        low: the lower edge, exclusive except in the first bin.
        high: the upper edge, inclusive.
        values: the number of values in the bin.
        confidence: their mean confidence.
        accuracy: the share of right values.
        interval: the interval of the accuracy.
    """

    low: float
    high: float
    values: int
    confidence: float
    accuracy: float
    interval: Interval


@dataclass(frozen=True)
class Calibration:
    """The calibration of the confidences of values.

    Attributes:
        values: the number of values.
        documents: the number of documents with values.
        right: the number of right values.
        auroc: the area under the ROC curve; 1 if confidences separate right from wrong values, 0.5 at chance.
        ece: the expected calibration error; 0 is best.
        brier: the Brier score; 0 is best.
        points: the non-empty bins, in increasing order.
    """

    values: int
    documents: int
    right: int
    auroc: CalibrationFigure
    ece: CalibrationFigure
    brier: CalibrationFigure
    points: list[ReliabilityPoint]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return warnings about the confidences, as sentences."""
        if self.auroc.value is None or self.auroc.value >= _CHANCE:
            return ()
        return ("AUROC is below 0.5: wrong values have higher confidences. Are the numbers probabilities of errors?",)

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes in plain types; an interval becomes its two ends, or None and a note."""
        result: dict[str, Any] = {"values": self.values, "documents": self.documents, "right": self.right}
        for name, figure in (("auroc", self.auroc), ("ece", self.ece), ("brier", self.brier)):
            note = {f"{name}_note": figure.interval.note} if figure.interval.note else {}
            result |= {name: figure.value, f"{name}_interval": figure.interval.ends, **note}
        return {
            **result,
            "warnings": list(self.warnings),
            "binning": BINNING,
            "reliability": [{**point._asdict(), "interval": point.interval.ends} for point in self.points],
        }


def calibration_of(
    confidences: npt.ArrayLike,
    correct: npt.ArrayLike,
    documents: npt.ArrayLike,
    *,
    confidence: float = CONFIDENCE,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    resampled: Advance = ignore,
) -> Calibration:
    """Compute AUROC, expected calibration error, Brier score and a reliability diagram, with intervals.

    Let c be the confidence of a value, and y = 1 if it is right and 0 if it is wrong.

    * AUROC is the probability that a right value has a higher confidence than a wrong one; a tie counts half.
    * ECE is the sum over bins of |sum of y - sum of c| / number of all values. All bins (low, high] are equally wide,
      and the first includes its low end.
    * The Brier score is the mean of (c - y)^2.

    The intervals of AUROC, of the Brier score and of the accuracies in the bins are BCa intervals with Hesterberg's
    expansion, for at least five documents (`docscore.stats.intervals`). The ECE is biased upwards, since random
    deviations in the bins count as error; the ECE of a resample has even more bias. Its interval is the basic bootstrap
    interval (2 ECE - upper quantile, 2 ECE - lower quantile), which corrects for this bias and may therefore lie below
    the ECE itself. It starts at 0 if random deviations alone can explain the ECE.

    Args:
        confidences: the confidences of v values, in [0, 1].
        correct: whether each value is right.
        documents: the number of the document (or cluster of documents) of each value, an integer.
        confidence: the level of the intervals, between 0 and 1.
        n_resamples: the number of resamples; AUROC and ECE use fewer, but at least 1,000, for more than 20,000 values.
        seed: the seed of the random numbers.
        resampled: progress callback, called with the number of resamples just sampled.

    Source:
        Hanley and McNeil 1982, The meaning and use of the area under a ROC curve; Naeini et al. 2015, Obtaining well
        calibrated probabilities using Bayesian binning, and Guo et al. 2017, arXiv 1706.04599 (ECE); Brier
        1950, Verification of forecasts expressed in terms of probability; Davison and Hinkley 1997, Bootstrap Methods
        and their Application, section 5.2 (basic).

    >>> calibration = calibration_of([0.9, 0.8, 0.6, 0.3], [1, 1, 0, 1], [0, 0, 1, 1])
    >>> round(calibration.auroc.value, 3), round(calibration.ece.value, 3), round(calibration.brier.value, 3)
    (0.667, 0.4, 0.225)
    """
    level = check_confidence(confidence)
    values = _Values(confidences, correct, documents)
    if not len(values.right):
        none = CalibrationFigure(None, Interval(note="no value has a confidence"))
        return Calibration(0, 0, 0, none, none, none, [])
    brier, points = _brier_and_points(values, level, n_resamples, seed)
    auroc, ece = _resampled_figures(values, level, n_resamples, seed, resampled)
    return Calibration(len(values.right), values.document_count, int(values.right.sum()), auroc, ece, brier, points)


class _Values:
    """Values with their bins and the numbers of their documents, from 0 to `document_count` - 1."""

    def __init__(self, confidences: npt.ArrayLike, correct: npt.ArrayLike, documents: npt.ArrayLike) -> None:
        self.confidences: Array = np.asarray(confidences, dtype=np.float64)
        self.right = np.asarray(correct) > 0
        names, numbers = np.unique(np.asarray(documents), return_inverse=True)
        self.documents, self.document_count = numbers.reshape(-1).astype(np.intp), len(names)
        self.bin_of = np.searchsorted(_EDGES[1:-1], self.confidences, side="left")
        self.gaps: Array = self.right - self.confidences  # 1 (right) or 0 (wrong), minus the confidence

    def sums(self, numbers: Array, bins: int = 1) -> Array:
        """Sum numbers, one for each value, by document and bin, shape (n, bins); with one bin, by document."""
        cells = self.documents * bins + (self.bin_of if bins > 1 else 0)
        totals = np.bincount(cells, weights=numbers, minlength=self.document_count * bins)
        return totals.reshape(self.document_count, bins).astype(np.float64)


def _brier_and_points(
    values: _Values, level: float, n_resamples: int, seed: int
) -> tuple[CalibrationFigure, list[ReliabilityPoint]]:
    """Return the Brier score and the points of the diagram, which are ratios of sums over documents."""
    ones = np.ones(len(values.right))
    earned = np.hstack([values.sums(values.gaps**2), values.sums(values.right.astype(np.float64), BINS)])
    weight = np.hstack([values.sums(ones), values.sums(ones, BINS)])
    brier, *accuracies = intervals_of(Ratios(earned, weight), level, n_resamples=n_resamples, seed=seed)
    points = []
    for number, interval in enumerate(accuracies):
        inside = values.bin_of == number
        if inside.any():
            low, high = _EDGES[number : number + 2].tolist()
            confidence, accuracy = (fmean(of[inside].tolist()) for of in (values.confidences, values.right))
            points.append(ReliabilityPoint(low, high, int(inside.sum()), confidence, accuracy, interval))
    return CalibrationFigure(fmean((values.gaps**2).tolist()), brier), points


def _resampled_figures(
    values: _Values, level: float, n_resamples: int, seed: int, resampled: Advance
) -> tuple[CalibrationFigure, CalibrationFigure]:
    """Return AUROC and ECE with their intervals."""
    count, right = len(values.right), int(values.right.sum())
    area = None
    if 0 < right < count:
        area = RocArea(values.confidences, values.right, values.documents, values.document_count)
    bins = int(values.bin_of.max()) + 1
    gaps, sizes = values.sums(values.gaps, bins), values.sums(np.ones(count))
    observed = np.array([math.fsum(values.gaps[values.bin_of == number].tolist()) for number in range(bins)]) / count
    ece = math.fsum(np.abs(observed).tolist())

    def figures(counts: Array) -> Array:
        """Return for each resample AUROC, ECE, and the sum of the bins' deviations from their observed gaps."""
        sampled_gaps = counts @ gaps / (counts @ sizes)
        return np.array(
            [
                area.of(counts) if area else np.ones(len(counts)),
                np.abs(sampled_gaps).sum(axis=1),
                np.abs(sampled_gaps - observed).sum(axis=1),
            ]
        )

    area_interval = ece_interval = Interval(note="it needs at least five documents")
    if values.document_count >= FEWEST:
        draws = min(n_resamples, max(_FEWEST_RESAMPLES, _MOST_CELLS // count))
        sampled = sampled_values(figures, 3, values.document_count, draws, seed, resampled, width=count)
        ece_interval = _ece_interval(sampled[1], sampled[2], ece, level)
        if area is not None:
            influence, reach = area.influence()[:, np.newaxis], normal_quantiles(level, [values.document_count])
            low, high, error = (float(of[0]) for of in bca(sampled[:1], np.array([area.value]), influence, reach))
            alike = math.isnan(low) or np.abs(influence).max() <= ROUNDING
            area_interval = TOO_ALIKE if alike else Interval(low, high, error)
    if area is None:
        values_are = "the one value is" if count == 1 else f"all {count:,} values are"
        area_interval = Interval(note=f"{values_are} {'right' if right else 'wrong'}: AUROC needs right and wrong ones")
    return CalibrationFigure(area.value if area else None, area_interval), CalibrationFigure(ece, ece_interval)


def _ece_interval(sampled: Array, centred: Array, ece: float, level: float) -> Interval:
    """Return the basic bootstrap interval of ECE; it starts at 0 if random deviations alone can explain the ECE."""
    if np.ptp(sampled) <= ROUNDING:
        return TOO_ALIKE
    shares = (1 - level) / 2, (1 + level) / 2
    high, low = (min(max(0.0, 2 * ece - float(end)), 1.0) for end in np.quantile(sampled, shares))
    is_noise = ece <= np.quantile(centred, shares[1])
    return Interval(0.0 if is_noise else low, high, float(sampled.std(ddof=1)))


class RocArea:
    """The probability that a right value has a higher confidence than a wrong one; a tie counts half (AUROC).

    Args:
        confidences: the confidences of v values.
        right: whether each value is right; at least one is right, and at least one is wrong.
        documents: the number of each value's document, from 0.
        count: the number of documents.

    Attributes:
        value: AUROC, in [0, 1].

    Source:
        Hanley and McNeil 1982, The meaning and use of the area under a receiver operating characteristic (ROC) curve.
    """

    def __init__(
        self, confidences: Array, right: npt.NDArray[np.bool_], documents: npt.NDArray[np.intp], count: int
    ) -> None:
        order = np.argsort(confidences[~right], kind="stable")
        of_wrong, of_right = confidences[~right][order], confidences[right]
        self.count = count
        self.right_documents, self.wrong_documents = documents[right], documents[~right][order]
        self.below = np.searchsorted(of_wrong, of_right, side="left")  # wrong values below each right one
        self.up_to = np.searchsorted(of_wrong, of_right, side="right")  # wrong values below or equal to it
        self.value = float((self.below + self.up_to).sum()) / (2 * len(of_right) * len(of_wrong))

    def of(self, counts: Array) -> Array:
        """Return AUROC of resamples, given how often each document is sampled: from shape (b, n) to (b,).

        A resample without right or without wrong values gets the AUROC of all documents.
        """
        wrong = np.zeros((len(counts), len(self.wrong_documents) + 1))
        np.cumsum(counts.take(self.wrong_documents, axis=1), axis=1, out=wrong[:, 1:])
        right = counts.take(self.right_documents, axis=1)
        pairs: Array = np.einsum("bv,bv->b", right, wrong.take(self.below, axis=1))
        if (self.below < self.up_to).any():
            pairs = (pairs + np.einsum("bv,bv->b", right, wrong.take(self.up_to, axis=1))) / 2
        both = right.sum(axis=1) * wrong[:, -1]
        return np.divide(pairs, both, out=np.full(len(counts), self.value), where=both > 0)  # type: ignore[no-any-return]

    def influence(self) -> Array:
        """Return the derivative of AUROC with respect to each document's weight, shape (n,)."""
        rights, wrongs = len(self.right_documents), len(self.wrong_documents)
        of_right = (self.below + self.up_to) / (2 * wrongs)  # the share of wrong values below each right one
        ends = [np.cumsum(np.bincount(counts, minlength=wrongs + 1))[:wrongs] for counts in (self.below, self.up_to)]
        of_wrong = 1 - (ends[0] + ends[1]) / (2 * rights)  # the share of right values above each wrong one
        sums = [
            np.bincount(documents, weights=shares - self.value, minlength=self.count) / len(shares)
            for documents, shares in ((self.right_documents, of_right), (self.wrong_documents, of_wrong))
        ]
        return sums[0] + sums[1]
