"""Confidence intervals over documents: BCa bootstrap for means and ratios, Wilson for rates of documents."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.errors import InputTypeError, InputValueError
from docscore.core.progress import Advance, ignore
from docscore.stats.bootstrap import abc, bca, drawn_values
from docscore.stats.ratios import Differences, GapReason, IntervalGap, Ratios

Alternative = Literal["two-sided", "less", "greater"]


CONFIDENCE = 0.95


RESAMPLES = 10_000


SEED = 0


MOST_RESAMPLED = 10_000  # documents; with more, ABC differs from BCa about as much as BCa between two seeds


class Interval(NamedTuple):
    """A confidence interval.

    Attributes:
        low: the lower end; None if there is no interval.
        high: the upper end; None if there is no interval.
        standard_error: of the estimate; None if there is no interval.
        method: how it was computed.
        note: why there is no interval, else "".
        reason: the same as a code; None if there is an interval.
    """

    low: float | None
    high: float | None
    standard_error: float | None
    method: str
    note: str = ""
    reason: GapReason | None = None

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends; None if there is no interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def no_interval(gap: IntervalGap) -> Interval:
    """An `Interval` without ends, with the reason."""
    return Interval(None, None, None, "none", gap.note, gap.reason)


def check_confidence(confidence: float) -> float:
    """Check a confidence level and return it as a float.

    Raises:
        TypeError, ValueError: unless it is a number between 0 and 1.
    """
    if isinstance(confidence, bool) or not isinstance(confidence, int | float | np.floating):
        got = type(confidence).__name__
        raise InputTypeError(place="confidence", expected="a number between 0 and 1", got=got)
    if not 0 < confidence < 1:
        raise InputValueError(place="confidence", expected="a number between 0 and 1", got=str(confidence))
    return float(confidence)


def ratio_intervals(
    earned: npt.ArrayLike,
    weight: npt.ArrayLike,
    *,
    confidence: float = CONFIDENCE,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    alternative: Alternative = "two-sided",
    resampled: Advance = ignore,
    clusters: npt.ArrayLike | None = None,
) -> list[Interval]:
    """Compute an interval for each ratio sum(earned) / sum(weight), by resampling documents.

    All ratios are computed from the same resamples, by the bias-corrected and accelerated bootstrap (BCa). With more
    than 10,000 documents, whose resampling would take long, the ends come from its closed-form approximation ABC,
    which differs from BCa about as much as BCa differs between two seeds (`benchmarks/README.md`). An interval stays in
    the range of the documents' own ratios: that of a share stays in [0, 1].

    Args:
        earned: the numerators, one row for each document and one column for each ratio, shape (n, k).
        weight: the denominators, same shape, at least 0; a document without the field has 0 in both.
        confidence: the nominal coverage, between 0 and 1.
        n_resamples: the number of resamples.
        seed: the seed of the random numbers.
        alternative: "two-sided", or "less" or "greater" for a one-sided upper or lower bound.
        resampled: progress callback, called with the number of resamples just drawn.
        clusters: the number of each document's cluster, shape (n,), for documents that are not independent, such as
            questions on one page: whole clusters are resampled.

    Returns:
        k intervals, without ends where fewer than two documents have the field, or all have the same ratio.

    Source:
        Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 14 (BCa) and section 22.6 (ABC).

    >>> scores = [[1.0], [0.5], [0.75], [0.25], [1.0], [0.0]]
    >>> [interval] = ratio_intervals(scores, [[1.0]] * 6)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.25, 0.88)
    """
    ratios = Ratios(np.asarray(earned, dtype=np.float64), np.asarray(weight, dtype=np.float64))
    return intervals_of(ratios, confidence, alternative, n_resamples, seed, resampled, clusters)


def mean_interval(values: npt.ArrayLike, **options: Any) -> Interval:
    """Compute the interval of a mean over documents; options as for `ratio_intervals`."""
    column = np.asarray(values, dtype=np.float64).reshape(-1, 1)
    return ratio_intervals(column, np.ones_like(column), **options)[0]


def wilson_interval(count: int, of: int, *, confidence: float = CONFIDENCE) -> Interval:
    """Compute the Wilson score interval of a rate: `count` of `of` independent documents.

    Source:
        Wilson 1927, Probable inference, the law of succession, and statistical inference.

    >>> interval = wilson_interval(0, 20)
    >>> interval.low, round(interval.high, 3)
    (0.0, 0.161)
    """
    confidence = check_confidence(confidence)
    if not of:
        return no_interval(IntervalGap("no rows", "no documents"))
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate = count / of
    centre = (rate + z**2 / (2 * of)) / (1 + z**2 / of)
    half = z * math.sqrt(rate * (1 - rate) / of + (z / (2 * of)) ** 2) / (1 + z**2 / of)
    low = centre - half if count else 0.0
    high = centre + half if count < of else 1.0
    return Interval(low, high, math.sqrt(rate * (1 - rate) / of), "Wilson")


def intervals_of(
    estimates: Ratios | Differences,
    confidence: float = CONFIDENCE,
    alternative: Alternative = "two-sided",
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    resampled: Advance = ignore,
    clusters: npt.ArrayLike | None = None,
) -> list[Interval]:
    """Compute an interval for each of the estimates; options as for `ratio_intervals`."""
    confidence = check_confidence(confidence)
    if clusters is not None:
        estimates = estimates.by_cluster(clusters)
    gaps = estimates.gaps()
    found = {column: no_interval(gap) for column, gap in enumerate(gaps) if gap is not None}
    possible = [column for column, gap in enumerate(gaps) if gap is None]
    if not possible:
        return list(found.values())
    chosen = estimates.columns(possible)
    risk = (1 - confidence) / 2 if alternative == "two-sided" else 1 - confidence
    if estimates.count > MOST_RESAMPLED:
        ends = abc(chosen, (risk, 1 - risk))
        method = f"ABC (approximate bootstrap) over {estimates.count:,} {estimates.unit}s"
    else:
        drawn = drawn_values(chosen, n_resamples, seed, resampled)
        ends = bca(drawn, chosen.values, -chosen.left_out(), (risk, 1 - risk))
        method = f"BCa bootstrap, {n_resamples:,} resamples of {estimates.unit}s"
    for column, low, high, error in zip(possible, *ends, strict=True):
        found[column] = _interval(low, high, error, alternative, method)
    return [found[column] for column in range(len(gaps))]


def _interval(low: float, high: float, error: float, alternative: Alternative, method: str) -> Interval:
    """The interval; for a one-sided alternative the other end is infinite."""
    if np.isnan(low) or np.isnan(high):
        return no_interval(IntervalGap("too few differ", "too few documents differ for an interval"))
    low = -np.inf if alternative == "less" else float(low)
    high = np.inf if alternative == "greater" else float(high)
    return Interval(low, high, float(error), method)
