"""Comparisons of systems on the same documents: permutation test, adjusted p-values, and ranks with intervals."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.numbers import DECIMALS, ROUNDING
from docscore.core.runtime import Advance, ignore
from docscore.stats.intervals import (
    BATCH_CELLS,
    CONFIDENCE,
    MOST_RESAMPLED,
    RESAMPLES,
    SEED,
    Array,
    Ratios,
    quotients,
    sampled_values,
)

_BITS = 32


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

    Under the null hypothesis, the two systems' results of a document have the same distribution, so they can be
    swapped. The p-value is the share of swaps whose difference is at least as large in absolute value. Documents on
    which the two agree have no effect and are left out.

    Args:
        base: k ratios over n documents.
        new: the same k ratios of the other system.
        n_resamples: the number of random swaps; if m documents differ and 2^m is not larger, all swaps are used.
        seed: the seed of the random numbers.
        permuted: progress callback, called with the number of swaps just made.
        clusters: the number of each document's cluster, shape (n,), for documents that are not independent: whole
            clusters are swapped.

    Source:
        Fisher 1935, The Design of Experiments, section 21. The p-value equals `scipy.stats.permutation_test` with
        permutation_type="samples". That function takes minutes for 100,000 documents, since it shuffles the results of
        one document at a time.
    """
    base, new = base.by_cluster(clusters), new.by_cluster(clusters)
    changes = new.table - base.table
    changes = changes[np.abs(changes).max(axis=1) > ROUNDING]
    m, k = len(changes), base.earned.shape[1]

    def amounts(moved: Array) -> Array:
        """Return the absolute k differences for sums moved by (b, 2k), rounded so that equal differences tie."""
        sides = []
        for sums, by in ((base.sums, moved), (new.sums, -moved)):
            earned, weight = np.hsplit(sums.ravel() + by, 2)
            sides.append(quotients(earned, weight, np.ones(k), ROUNDING))
        return np.abs(np.round(sides[1] - sides[0], DECIMALS))

    observed, large = amounts(np.zeros((1, 2 * k))), np.zeros(k, dtype=np.intp)
    uses_all = 2**m <= n_resamples
    all_swaps = (np.arange(2**m)[:, None] >> np.arange(m) & 1).astype(np.float64) if uses_all else None
    for swaps in sampled_swaps(m, n_resamples, seed) if all_swaps is None else [all_swaps]:
        large += np.count_nonzero(amounts(swaps @ changes) >= observed, axis=0)
        permuted(len(swaps))
    observation = 0 if uses_all else 1  # all swaps include the observed difference; random swaps may not
    swaps_made = 2**m if uses_all else n_resamples
    return [(count + observation) / (swaps_made + observation) for count in large.tolist()]


def sampled_swaps(m: int, n_resamples: int, seed: int) -> Iterator[Array]:
    """Yield random swaps of m documents in batches of shape (b, m): 1 to swap the results of a document, otherwise 0.

    One random bit decides for each document, so a swap of a million documents needs 125 kB of random numbers. The swaps
    do not depend on the size of the batches.
    """
    rng = np.random.default_rng(seed)
    width = -(-m // _BITS) * _BITS  # bits per swap, a multiple of the number that the generator makes at a time
    batch = max(1, BATCH_CELLS // m)
    for start in range(0, n_resamples, batch):
        count = min(batch, n_resamples - start)
        sampled = np.frombuffer(rng.bytes(count * width // 8), dtype=np.uint8).reshape(count, -1)
        yield np.unpackbits(sampled, axis=1, count=m).astype(np.float64)


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


class Rank(NamedTuple):
    """The rank of a system among several, 1 for the best.

    Attributes:
        value: its rank by the figure; systems with the same figure share a rank.
        low: the best rank that the documents allow.
        high: the worst rank that the documents allow.
        best: the share of resamples in which the system is the best, in [0, 1]; ties are divided.
    """

    value: int
    low: int
    high: int
    best: float


def ranks_of(
    systems: Ratios,
    confidence: float = CONFIDENCE,
    *,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    resampled: Advance = ignore,
    clusters: npt.ArrayLike | None = None,
) -> list[Rank]:
    """Compute the ranks of k systems by one figure.

    All intervals of ranks are valid jointly with the given confidence. Two systems differ if their difference, divided
    by its standard error, exceeds the quantile of the largest such deviation of all pairs in resamples. Pairs that
    differ are removed, and the quantile is computed again. The best rank of a system is one more than the number of
    systems above it that differ from it.

    Args:
        systems: one column per system with its figure, over the same n documents; at least two systems.
        confidence: the probability that no pair is found to differ in the wrong direction, between 0 and 1.
        n_resamples: the number of resamples of the documents; for more than 10,000 documents, the number of draws from
            the normal distribution that approximates their sums.
        seed: the seed of the random numbers.
        resampled: progress callback, called with the number of resamples just sampled.
        clusters: the number of each document's cluster, shape (n,); whole clusters are resampled.

    Source:
        Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for Ranks, Review of Economic Studies 91, section 3;
        the steps follow Romano and Wolf 2005, Econometrica 73.
    """
    systems = systems.by_cluster(clusters)
    values, n = systems.values, systems.count
    if n > MOST_RESAMPLED:
        influence, rng = systems.influence(), np.random.default_rng(seed)
        sampled = rng.multivariate_normal(values, influence.T @ influence, n_resamples, check_valid="ignore").T
        resampled(n_resamples)
    else:
        sampled = sampled_values(systems.of, len(values), n, n_resamples, seed, resampled)
    above = _above(values, sampled, confidence, n)
    top = sampled >= sampled.max(axis=0) - ROUNDING
    best = (top / top.sum(axis=0)).mean(axis=1)
    ranks = 1 + (values > values[:, np.newaxis] + ROUNDING).sum(axis=1)
    lows, highs = 1 + above.sum(axis=0), len(values) - above.sum(axis=1)
    return list(map(Rank, ranks.tolist(), lows.tolist(), highs.tolist(), best.tolist()))


def _above(values: Array, sampled: Array, confidence: float, n: int) -> npt.NDArray[np.bool_]:
    """Return for each pair of k systems whether the first is significantly above the second, shape (k, k).

    Args:
        values: the figures, shape (k,).
        sampled: the figures of each resample, shape (k, b).
        confidence: the probability that no pair is found to differ in the wrong direction.
        n: the number of documents; the fewer there are, the more the quantile is widened, as in Student's distribution.
    """
    from scipy.special import ndtr, stdtrit  # noqa: PLC0415  slow to import

    differences = values[:, np.newaxis] - values
    moved = sampled - sampled.mean(axis=1, keepdims=True)
    errors = np.sqrt([(moved - row).var(axis=1, ddof=1) for row in moved])
    possible = errors > ROUNDING
    unbiased = errors / np.sqrt(1 - 1 / n)  # resamples vary as if n - 1 were n
    scaled = np.divide(differences, unbiased, out=np.zeros_like(errors), where=possible)
    above = np.zeros(errors.shape, dtype=bool)
    while True:
        largest = np.zeros(sampled.shape[1])
        for row, error, chosen in zip(moved, errors, possible & ~above & ~above.T, strict=True):
            if chosen.any():
                deviations = np.abs(moved[chosen] - row) / error[chosen, np.newaxis]
                np.maximum(largest, deviations.max(axis=0), out=largest)
        beyond = scaled > stdtrit(n - 1, ndtr(np.quantile(largest, confidence)))
        if not (beyond & ~above).any():
            return above
        above |= beyond
