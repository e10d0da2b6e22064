"""Confidence intervals over documents: bootstrap intervals for means and ratios, Wilson's for rates of documents.

Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapters 14 and 22. Resampled documents give BCa intervals,
and derivatives its closed-form approximation ABC, for many documents. With z0 the bias correction and a the
acceleration, the end of a BCa interval for the probability alpha is the quantile of the resampled figures at

    cdf(z0 + (z0 + z) / (1 - a (z0 + z)))    where z is the standard normal quantile of alpha (14.10).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from docscore.core.errors import InputTypeError, InputValueError
from docscore.core.progress import Advance, ignore
from docscore.core.tolerance import ROUNDING
from docscore.stats.ratios import Array, Differences, GapReason, IntervalGap, Ratios

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


BATCH_CELLS = 1_000_000  # numbers per batch of resamples, so that it fits in a processor's cache


_FEW_FIGURES = 5


_SMALL_BATCH_CELLS = 120_000  # for few figures: their products then stay in one BLAS thread, which is faster

_NORMAL = NormalDist()


class Estimates(Protocol):
    """Protocol of k figures over n documents that can be computed for resamples of the documents.

    Attributes:
        count: n.
        values: the k figures over all documents.
    """

    count: int
    values: Array

    def of(self, counts: Array) -> Array:
        """The figures of resamples, given how often each document is drawn: shape (b, n) to (k, b)."""
        ...


class Ends(NamedTuple):
    """The ends of k intervals and the standard errors of the k figures; NaN where there is no interval."""

    lows: Array
    highs: Array
    errors: Array


def drawn_values(estimates: Estimates, n_resamples: int, seed: int, resampled: Advance, width: int = 0) -> Array:
    """Compute the k figures of each of b resamples of the documents, shape (k, b).

    Args:
        estimates: k figures over n documents.
        n_resamples: b.
        seed: the seed of the random numbers.
        resampled: progress callback, called with the number of resamples just drawn.
        width: the memory of a resample, as a count of numbers, if larger than n.
    """
    drawn = np.empty((len(estimates.values), n_resamples))
    done = 0
    cells = BATCH_CELLS if len(drawn) > _FEW_FIGURES else _SMALL_BATCH_CELLS
    for counts in resamples(estimates.count, n_resamples, seed, max(1, cells // max(estimates.count, width))):
        drawn[:, done : done + len(counts)] = estimates.of(counts)
        done += len(counts)
        resampled(len(counts))
    return drawn


def bca(drawn: Array, values: Array, pulls: Array, shares: tuple[float, float]) -> Ends:
    """The interval ends of k figures by the bias-corrected and accelerated bootstrap (BCa).

    Args:
        drawn: the figures of each resample, shape (k, b).
        values: the figures themselves, shape (k,).
        pulls: the influence of each document on each figure, up to a constant factor, shape (n, k): for the
            acceleration.
        shares: the nominal probabilities below the lower and below the upper end.
    """
    ends = [_quantiles(*each, shares) for each in zip(drawn, values, acceleration(pulls), strict=True)]
    lows, highs = np.array(ends).reshape(-1, 2).T
    return Ends(lows, highs, drawn.std(axis=1, ddof=1))


def resamples(n: int, n_resamples: int, seed: int, batch: int) -> Iterator[Array]:
    """Yield how often each of n documents is drawn in each resample, in batches of shape (b, n).

    Args:
        n: the number of documents, and of draws.
        n_resamples: the number of resamples in all batches together.
        seed: the seed of the random numbers.
        batch: the largest b. The resamples do not depend on it.
    """
    rng = np.random.default_rng(seed)
    for start in range(0, n_resamples, batch):
        drawn = rng.integers(0, n, (min(batch, n_resamples - start), n))
        counts = np.empty(drawn.shape)
        for row, numbers in zip(counts, drawn, strict=True):
            row[:] = np.bincount(numbers, minlength=n)
        yield counts


def acceleration(pulls: Array) -> Array:
    """The k accelerations (14.15): a sixth of the skewness of the documents' influences; NaN where all are equal."""
    centred = pulls - pulls.mean(axis=0)
    squares = (centred**2).sum(axis=0)
    found: Array = (centred**3).sum(axis=0) / np.where(squares > 0, 6 * squares**1.5, np.nan)
    return found


def _quantiles(drawn: Array, value: float, a: float, shares: Sequence[float]) -> list[float]:
    """The BCa quantiles of the resamples; NaN where all of them are on one side of the value."""
    below = np.count_nonzero(drawn < value - ROUNDING) + np.count_nonzero(drawn <= value + ROUNDING)
    share_below = below / (2 * len(drawn))  # resamples equal to the value count half
    if not 0 < share_below < 1 or math.isnan(a):
        return [math.nan] * len(shares)
    z0 = _NORMAL.inv_cdf(share_below)
    corrected = [_NORMAL.cdf(z0 + _stretched(z0 + _NORMAL.inv_cdf(share), a)) for share in shares]
    found: list[float] = np.quantile(drawn, corrected).tolist()
    return found


def _stretched(z: float, a: float) -> float:
    """Return z / (1 - a z), the inner term of the BCa formula; infinite where a z is 1 or more."""
    rest = 1 - a * z
    return z / rest if rest > 0 else math.copysign(math.inf, z)


def abc(estimates: Ratios | Differences, shares: tuple[float, float]) -> Ends:
    """The interval ends by approximate bootstrap confidence (ABC), an approximation of BCa without resampling.

    Uses derivatives and one pass over the documents. The ends differ from those of BCa by terms of order 1/n, and are
    clipped to the range of the documents' own ratios.

    Source:
        DiCiccio and Efron 1992, More accurate confidence intervals in exponential families, Biometrika 79;
        Efron and Tibshirani 1993, section 22.6.
    """
    pulls, n = estimates.influence(), estimates.count
    sigma = np.sqrt((pulls**2).sum(axis=0))
    direction = pulls / sigma
    a = acceleration(pulls)
    bend = (estimates.bias() - estimates.curvature(direction)) / sigma
    z0 = np.array([_bias_correction(*each) for each in zip(a.tolist(), bend.tolist(), strict=True)])
    limits = estimates.ends()
    found = []
    for share, limit in zip(shares, limits, strict=True):
        z = z0 + _NORMAL.inv_cdf(share)
        rest = 1 - a * z
        end = estimates.along(direction, np.divide(z, rest**2, out=np.zeros_like(z), where=rest > 0))
        found.append(np.clip(np.where((rest > 0) & np.isfinite(end), end, limit), *limits))
    return Ends(found[0], found[1], sigma * math.sqrt(n / (n - 1)))


def _bias_correction(a: float, bend: float) -> float:
    """The bias correction z0 of ABC, from the acceleration and the curvature."""
    share = 2 * _NORMAL.cdf(a) * _NORMAL.cdf(-bend)
    return _NORMAL.inv_cdf(min(max(share, ROUNDING), 1 - ROUNDING))
