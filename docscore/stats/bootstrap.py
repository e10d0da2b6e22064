"""Bootstrap intervals: BCa from resampled documents, and its closed-form approximation ABC for many documents.

Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapters 14 and 22. With z0 the bias correction and a the
acceleration, the end of an interval for the probability alpha is the quantile of the resampled figures at

    cdf(z0 + (z0 + z) / (1 - a (z0 + z)))    where z is the standard normal quantile of alpha (14.10).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple, Protocol

import numpy as np

from docscore.core.progress import Advance
from docscore.core.tolerance import ROUNDING
from docscore.stats.ratios import Array, Differences, Ratios

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
