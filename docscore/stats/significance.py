"""Significance of the difference of two systems on the same documents: permutation test and one-sided bound."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from docscore.core.numbers import DECIMALS, ROUNDING
from docscore.core.runtime import Advance, ignore
from docscore.stats.intervals import BATCH_CELLS, RESAMPLES, SEED, Array, Differences, Ratios, quotients

_NORMAL = NormalDist()


_BITS = 32


_NEAR_MEAN = 1e-3  # standard errors; nearer to the mean, the saddlepoint formula is inexact, and its limit is used


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

    Under the null hypothesis, the two systems' results of each document can be swapped. The p-value is the share of
    swaps whose difference is at least as large. Documents on which the two agree change nothing and are left out.

    Args:
        base: k ratios over n documents.
        new: the same k ratios of the other system.
        n_resamples: the number of swaps to draw; if m documents differ and 2^m is not larger, all swaps are used.
        seed: the seed of the random numbers.
        permuted: progress callback, called with the number of swaps just made.
        clusters: the number of each document's cluster, shape (n,), for documents that are not independent: whole
            clusters are swapped.

    Source:
        Fisher 1935, The Design of Experiments, section 21. The p-value is that of `scipy.stats.permutation_test` with
        permutation_type="samples". That function takes minutes for 100,000 documents, since it shuffles the results of
        one document at a time.
    """
    if clusters is not None:
        base, new = base.by_cluster(clusters), new.by_cluster(clusters)
    changes = new.table - base.table
    changes = changes[np.abs(changes).max(axis=1) > ROUNDING]
    m, k = len(changes), base.earned.shape[1]
    if m <= 1:  # swapping the one that differs gives the same difference with the other sign
        return [1.0] * k

    def differences(moved: Array) -> Array:
        """Return the k differences for sums moved by (b, 2k) amounts, rounded so that equal differences tie."""
        sides = []
        for sums, by in ((base.sums, moved), (new.sums, -moved)):
            earned, weight = np.hsplit(sums.ravel() + by, 2)
            sides.append(quotients(earned, weight, np.ones(k), ROUNDING))
        return np.round(sides[1] - sides[0], DECIMALS)

    observed = differences(np.zeros((1, 2 * k)))
    smaller, larger = np.zeros(k), np.zeros(k)
    uses_all = 2**m <= n_resamples
    all_swaps = (np.arange(2**m)[:, None] >> np.arange(m) & 1).astype(np.float64) if uses_all else None
    for swaps in drawn_swaps(m, n_resamples, seed) if all_swaps is None else [all_swaps]:
        permutations = differences(swaps @ changes)
        smaller += np.count_nonzero(permutations <= observed, axis=0)
        larger += np.count_nonzero(permutations >= observed, axis=0)
        permuted(len(swaps))
    observation = 0 if uses_all else 1  # the observed difference is one of all swaps, but random swaps may lack it
    shares = (np.minimum(smaller, larger) + observation) / ((2**m if uses_all else n_resamples) + observation)
    return [min(1.0, 2 * share) for share in shares.tolist()]


def drawn_swaps(m: int, n_resamples: int, seed: int) -> Iterator[Array]:
    """Yield random swaps of m documents in batches of shape (b, m): 1 to swap the results of a document, otherwise 0.

    One random bit decides on a document, so that a swap of a million documents takes 125 kB of random numbers. The
    swaps do not depend on the size of the batches.
    """
    rng = np.random.default_rng(seed)
    width = -(-m // _BITS) * _BITS  # bits per swap, a multiple of the number that the generator makes at a time
    batch = max(1, BATCH_CELLS // m)
    for start in range(0, n_resamples, batch):
        count = min(batch, n_resamples - start)
        drawn = np.frombuffer(rng.bytes(count * width // 8), dtype=np.uint8).reshape(count, -1)
        yield np.unpackbits(drawn, axis=1, count=m).astype(np.float64)


def upper_bound(differences: Differences, confidence: float, clusters: npt.ArrayLike | None = None) -> float:
    """Compute the one-sided upper confidence bound of the first difference.

    Student's t fails if most documents lose a little and few gain much: if the sample contains none of the few, the
    loss looks certain. This bound allows for the largest possible gain of documents outside the sample, and so holds
    for differences of any skewness. `benchmarks/coverage.py` measures its error and its power.

    The bound is exact for means, where all documents have the same weight. A ratio of sums, such as the F1 of entities,
    is linearised: a document counts as value + n x influence. No bound holds for all populations, since the largest
    possible weight of a document is unknown. This one assumes that no document outside the sample is heavier than the
    heaviest in it. If 5% of the documents weigh 20 times as much as the others and gain what those lose, the bound is
    below the true difference in 31% of samples of 20 documents and in 1% of samples of 100. Gates name the assumption
    (`docscore.evaluation.comparison`).

    Args:
        differences: the differences of two systems on n documents; the first is bounded.
        confidence: the share of test sets in which the bound is above the true difference, between 0 and 1.
        clusters: the number of each document's cluster, shape (n,), for documents that are not independent: the bound
            is then computed over clusters.
    """
    first = differences.columns([0])
    if clusters is not None:
        first = first.by_cluster(clusters)
    value = float(first.values[0])
    of_documents = value + first.count * first.influence()[:, 0]
    # n x the influence of a document of the largest weight, if the new system gets 1 and the base 0
    largest = [float(side.weight.max() * side.count / (side.totals[0] or 1.0)) for side in (first.new, first.base)]
    gain = largest[0] * float(1 - first.new.values[0]) + largest[1] * float(first.base.values[0])
    return min(1.0, bound_of_mean(of_documents, value + gain, confidence))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values so that the chance of any false discovery among them stays below a level.

    The i-th smallest of m p-values is multiplied by m - i + 1. Each result is at most 1, and at least as large as the
    results of smaller p-values.

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
    """Return the least number n of documents with share^n < 1 - confidence: fewer cannot show a loss or a low mean.

    If all n documents fall from 1 to 0, the upper bound of the difference is below -margin where ((1 + margin) / 2)^n
    is below 1 - confidence. If all documents have the score 0, the upper bound of the mean is below a level where
    (1 - level)^n is below 1 - confidence.

    >>> fewest_documents(0.95, 1 / 2), fewest_documents(0.95, 3 / 4), fewest_documents(0.99, 1 / 2)
    (5, 11, 7)
    """
    return math.floor(math.log(1 - confidence) / math.log(share)) + 1 if share else 1


def bound_of_mean(values: Array, largest: float, confidence: float) -> float:
    """Return the one-sided upper confidence bound of the mean of independent values of at most `largest` (Gaffke).

    The bound is a quantile of the weighted mean of the values and `largest`, where the weights are drawn uniformly from
    all weights that add up to 1. For values of two kinds it is the bound of Clopper and Pearson. It is proven to hold
    for special distributions, and no counterexample is known. The quantile is computed with the saddlepoint
    approximation, without random numbers. Its error is below 1% of its distance from the mean.

    Args:
        values: n independent draws, shape (n,).
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
    """Return the probability that the mean of the points with uniformly random weights is below a bound.

    The weights are exponential variables divided by their sum. The result is therefore the probability that the sum of
    exponential variables times y = point - bound is below 0. The cumulant generating function of this sum is
    K(s) = - sum log(1 - s y).
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
