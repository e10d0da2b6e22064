"""Significance of the difference of two systems on the same documents: permutation test and adjusted p-values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from docscore.core.numbers import DECIMALS, ROUNDING
from docscore.core.runtime import Advance, ignore
from docscore.stats.intervals import BATCH_CELLS, RESAMPLES, SEED, Array, Ratios, quotients

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
