"""Significance of the difference of two systems on the same documents: permutation test and one-sided bound."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from docscore.core.numbers import DECIMALS, ROUNDING
from docscore.core.runtime import Advance, ignore
from docscore.stats.intervals import BATCH_CELLS, RESAMPLES, SEED, Array, Differences, Ratios

_NORMAL = NormalDist()


_BITS = 32


_NEAR_MEAN = 1e-3  # standard errors; nearer to the mean the saddlepoint formula is inexact, its limit is used


def permutation_p_values(
    base: Ratios,
    new: Ratios,
    *,
    n_resamples: int = RESAMPLES - 1,
    seed: int = SEED,
    permuted: Advance = ignore,
    clusters: npt.ArrayLike | None = None,
) -> list[float]:
    """Compute the two-sided p-value of each difference of ratios by a paired permutation test.

    Under the null hypothesis, the two systems' results of each document can be swapped; the p-value is the share of
    swaps whose difference is at least as large. Documents on which the two agree change nothing and are left out.

    Args:
        base: k ratios over n documents.
        new: the same k ratios of the other system.
        n_resamples: how many swaps are drawn; if m documents differ and 2^m is not larger, all swaps are used.
        seed: the seed of the random numbers.
        permuted: progress callback, called with the number of swaps just made.
        clusters: the number of each document's cluster, shape (n,), for documents that are not independent: whole
            clusters are swapped.

    Source:
        Fisher 1935, The Design of Experiments, section 21. The p-value is that of `scipy.stats.permutation_test` with
        permutation_type="samples", which takes minutes for 100,000 documents, since it shuffles the two results of each
        document by itself.
    """
    if clusters is not None:
        base, new = base.by_cluster(clusters), new.by_cluster(clusters)
    changes = new.table - base.table
    changes = changes[np.abs(changes).max(axis=1) > ROUNDING]
    m, k = len(changes), base.earned.shape[1]
    if m <= 1:  # swapping the one that differs gives the same difference with the other sign
        return [1.0] * k
    totals = [each.sums.ravel() for each in (base, new)]

    def differences(moved: Array) -> Array:
        """The k differences, rounded so that equal ones tie, where the sums move by these amounts, shape (b, 2k)."""
        values = [_quotient(total + sign * moved, k) for total, sign in zip(totals, (1, -1), strict=True)]
        return np.round(values[1] - values[0], DECIMALS)

    observed = differences(np.zeros((1, 2 * k)))
    smaller, larger = np.zeros(k), np.zeros(k)
    every = 2**m <= n_resamples
    all_swaps = (np.arange(2**m)[:, None] >> np.arange(m) & 1).astype(np.float64) if every else None
    for swaps in drawn_swaps(m, n_resamples, seed) if all_swaps is None else [all_swaps]:
        found = differences(swaps @ changes)
        smaller += np.count_nonzero(found <= observed, axis=0)
        larger += np.count_nonzero(found >= observed, axis=0)
        permuted(len(swaps))
    itself = 0 if every else 1  # what was observed is one of the swaps; among those that are drawn it may be missing
    shares = (np.minimum(smaller, larger) + itself) / ((2**m if every else n_resamples) + itself)
    return [min(1.0, 2 * share) for share in shares.tolist()]


def drawn_swaps(m: int, n_resamples: int, seed: int) -> Iterator[Array]:
    """Random ways to swap each of m documents or not, 1 for those that are swapped, in batches of shape (b, m).

    Each is a random bit, so that a million documents need no more than 125 kB of random numbers for a way. The ways do
    not depend on the size of the batches.
    """
    rng = np.random.default_rng(seed)
    width = -(-m // _BITS) * _BITS  # bits of a way, a whole number of those that the generator makes at a time
    batch = max(1, BATCH_CELLS // m)
    for start in range(0, n_resamples, batch):
        count = min(batch, n_resamples - start)
        drawn = np.frombuffer(rng.bytes(count * width // 8), dtype=np.uint8).reshape(count, -1)
        yield np.unpackbits(drawn, axis=1, count=m).astype(np.float64)


def _quotient(sums: Array, k: int) -> Array:
    """The ratios where the first k sums are numerators and the others denominators."""
    numerators, denominators = sums[..., :k], sums[..., k:]
    return np.divide(numerators, denominators, out=np.ones_like(numerators), where=denominators > ROUNDING)


def upper_bound(differences: Differences, confidence: float, clusters: npt.ArrayLike | None = None) -> float:
    """Compute the one-sided upper confidence bound of the first difference.

    Student's t fails if most documents lose a little and few gain much: if none of the few is in the sample, the loss
    looks certain. This bound allows for the largest possible gain of documents outside the sample, so that it holds
    for differences however skewed; `benchmarks/coverage.py` measures its error and its power.

    It is exact for means, where all documents have the same weight. A ratio of sums, such as the F1 of entities, is
    linearised: a document counts as value + n x influence. How heavy documents can be is then unknown, and no bound
    holds for all populations: documents outside the sample are assumed to be no heavier than the heaviest in it.
    Where that is wrong, so is the bound: if 5% of the documents weigh 20 times as much as the others and gain what
    those lose, it is below the true difference in 31% of samples of 20 documents and in 1% of samples of 100. Gates
    name the assumption (`docscore.evaluation.comparison`).

    Args:
        differences: of two systems on n documents; the first is bounded.
        confidence: the share of test sets in which the bound is above the true difference, between 0 and 1.
        clusters: the number of each document's cluster, shape (n,), for documents that are not independent: the bound
            is then computed over clusters.
    """
    first = differences.columns([0])
    if clusters is not None:
        first = first.by_cluster(clusters)
    value = float(first.values[0])
    of_documents = value + first.count * first.influence()[:, 0]
    # n x the influence of a document of the largest weight with score 1 of the new system and 0 of the base
    largest = [float(side.weight.max() * side.count / (side.totals[0] or 1.0)) for side in (first.new, first.base)]
    gain = largest[0] * float(1 - first.new.values[0]) + largest[1] * float(first.base.values[0])
    return min(1.0, bound_of_mean(of_documents, value + gain, confidence))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number, so that the chance of any false discovery among them stays below a level.

    The i-th smallest of m is multiplied by m - i + 1, and is at least as large as those before it, and at most 1.

    Source:
        Holm 1979, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    count, largest = len(p_values), 0.0
    adjusted = [0.0] * count
    for place, number in enumerate(sorted(range(count), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (count - place) * p_values[number]))
        adjusted[number] = largest
    return adjusted


def fewest_documents(confidence: float, share: float) -> int:
    """The least number n of documents with share^n < 1 - confidence: fewer cannot show a loss or a low mean.

    Where all n documents fall from 1 to 0, the upper bound of the difference is below -margin if ((1 + margin) / 2)^n
    is below 1 - confidence; where all have the score 0, that of the mean is below a level if (1 - level)^n is.

    >>> fewest_documents(0.95, 1 / 2), fewest_documents(0.95, 3 / 4), fewest_documents(0.99, 1 / 2)
    (5, 11, 7)
    """
    return math.floor(math.log(1 - confidence) / math.log(share)) + 1 if share else 1


def bound_of_mean(values: Array, largest: float, confidence: float) -> float:
    """The one-sided upper confidence bound of the mean of independent values that are at most `largest` (Gaffke).

    It is a quantile of the weighted mean of the values and `largest`, where the weights are drawn uniformly from all
    weights that add up to 1. For values of two kinds it is the bound of Clopper and Pearson. That it holds for all
    distributions is proven for special cases; no counterexample is known. The quantile is computed with the saddlepoint
    approximation, with an error below 1 % of its distance from the mean, without random numbers.

    Args:
        values: of n independent draws, shape (n,).
        largest: the largest possible value.
        confidence: the share of samples in which the bound is above the true mean, between 0 and 1.

    Source:
        Gaffke 2005, Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
        variable, Mathematical Methods of Statistics 14; Learned-Miller and Thomas 2020, arXiv 1905.06208; Lugannani and
        Rice 1980, Saddle point approximation for the distribution of the sum of independent random variables, in the
        form of Barndorff-Nielsen 1986, Biometrika 73.

    >>> round(bound_of_mean(np.zeros(20), 1.0, 0.95), 2)  # 1 - 0.05 ** (1 / 20)
    0.14
    """
    from scipy.optimize import brentq  # noqa: PLC0415  slow to import

    points = np.append(values, largest)
    least = float(points.min())
    spread = largest - least
    if spread <= ROUNDING:
        return largest
    points = (points - least) / spread  # so that bounds close to the ends differ from them as numbers, too
    low, high = ROUNDING, 1 - ROUNDING
    shares = [_share_below(points, end) - confidence for end in (low, high)]
    if shares[0] >= 0 or shares[1] <= 0:
        return least if shares[0] >= 0 else largest
    return least + spread * float(brentq(lambda bound: _share_below(points, bound) - confidence, low, high))


def _share_below(points: Array, bound: float) -> float:
    """The probability that the mean of the points with uniformly random weights is below a bound.

    The weights are exponential variables divided by their sum, so it is the probability that the sum of exponential
    variables times (point - bound) is below 0. Its cumulant generating function is K(s) = - sum log(1 - s y).
    """
    from scipy.optimize import brentq  # noqa: PLC0415  slow to import

    y, inner = points - bound, 1 - 0.5 / len(points)  # at the root, all 1 - s y are at least 1 / len(points)
    s = brentq(lambda step: float((y / (1 - step * y)).sum()), inner / y.min(), inner / y.max())
    pulled = y / (1 - s * y)
    root = math.copysign(math.sqrt(max(2 * float(np.log1p(-s * y).sum()), 0.0)), s)
    if abs(root) < _NEAR_MEAN:
        return _NORMAL.cdf(root + float((y**3).sum()) / (3 * float((y**2).sum()) ** 1.5))
    slope = s * math.sqrt(float((pulled**2).sum()))
    return _NORMAL.cdf(root + math.log(slope / root) / root)
