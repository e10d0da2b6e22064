"""Whether a difference of two systems on the same documents could be chance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from docscore.core.tolerance import DECIMALS, ROUNDING
from docscore.stats.bootstrap import BATCH_CELLS
from docscore.stats.intervals import RESAMPLES, SEED
from docscore.stats.ratios import Array, Differences, Ratios


def permutation_p_values(
    base: Ratios,
    new: Ratios,
    *,
    n_resamples: int = RESAMPLES - 1,
    seed: int = SEED,
    permuted: Callable[[int], object] = bool,
) -> list[float]:
    """The two-sided p-value of each difference of ratios, by swapping the two systems document by document.

    If the systems were alike, each document's results could as well belong to the other; the p-value is the share of
    such swaps whose difference is at least as large. Documents on which the two agree change nothing and are left out.

    Args:
        base: k ratios over n documents.
        new: the same of the other system.
        n_resamples: how many swaps are drawn; with 2^m at most this, for m documents that differ, all are taken.
        seed: where the random numbers start.
        permuted: is told how many swaps were made since it was told last.

    Source:
        Fisher 1935, The Design of Experiments, section 21, with `scipy.stats.permutation_test`.
    """
    from scipy import stats  # noqa: PLC0415  slow to import

    changes = np.hstack([new.earned - base.earned, new.weight - base.weight])
    differing = np.abs(changes).max(axis=1) > ROUNDING
    changes = changes[differing]
    m, k = int(differing.sum()), base.earned.shape[1]
    if m <= 1:  # swapping the one that differs gives the same difference with the other sign
        return [1.0] * k
    totals = [np.hstack([each.earned.sum(axis=0), each.weight.sum(axis=0)]) for each in (base, new)]

    def statistic(first: Any, _second: Any, axis: int = -1) -> Array:  # noqa: ARG001  scipy's protocol
        swapped = (np.asarray(first) >= m).astype(np.float64)
        permuted(len(swapped) if swapped.ndim > 1 else 0)
        moved = swapped @ changes
        values = [_quotient(total + sign * moved, k) for total, sign in zip(totals, (1, -1), strict=True)]
        return np.round(values[1] - values[0], DECIMALS)

    with np.errstate(over="ignore"):  # older versions of scipy count all 2^m swaps in floats
        found = stats.permutation_test(
            (np.arange(m), np.arange(m) + m),
            statistic,
            permutation_type="samples",
            vectorized=True,
            n_resamples=n_resamples,
            batch=max(1, BATCH_CELLS // m),
            random_state=np.random.default_rng(seed),
        )
    return [float(p) for p in found.pvalue]


def _quotient(sums: Array, k: int) -> Array:
    """The ratios where the first k sums are numerators and the others denominators."""
    tops, bottoms = sums[..., :k], sums[..., k:]
    return np.divide(tops, bottoms, out=np.ones_like(tops), where=bottoms > ROUNDING)


def upper_bound(differences: Differences, confidence: float) -> float | None:
    """The one-sided upper bound of the first difference, by Student's t.

    With few documents it keeps its level where the bootstrap's does not, see `benchmarks/coverage.py`.
    """
    from scipy import stats  # noqa: PLC0415  slow to import

    n = differences.count
    if n == 1:
        return None
    value = float(differences.values[0])
    error = np.sqrt((differences.influence()[:, 0] ** 2).sum() * n / (n - 1))
    if error <= ROUNDING and abs(value) > ROUNDING and 0.5**n > 1 - confidence:
        return None  # all changed alike, but so few could by chance
    return min(1.0, float(value + stats.t.ppf(confidence, n - 1) * error))
