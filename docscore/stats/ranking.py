"""Ranks of systems on the same documents, with intervals and groups."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.numbers import ROUNDING
from docscore.core.runtime import Advance, ignore
from docscore.stats.intervals import CONFIDENCE, MOST_RESAMPLED, RESAMPLES, SEED, Array, Ratios, drawn_values


class Rank(NamedTuple):
    """The place of a system in the order of several, 1 for the best.

    Attributes:
        value: its rank by the figure; systems with the same figure share a rank.
        low: the best rank that the documents allow.
        high: the worst rank that they allow.
        group: the number of its group, 1 for the best. In the order of the figure, a group begins at the first system
            that is told apart from the first of the group before it.
        best: the share of resamples in which the system is the best, in [0, 1]; ties are divided.
    """

    value: int
    low: int
    high: int
    group: int
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

    All intervals of ranks hold together with the confidence. Two systems are told apart if their difference, divided
    by its standard error, is beyond the quantile of the largest such deviation of all pairs in resamples. Pairs that
    are told apart leave, and the quantile is taken again. A system's best rank is one more than the number of systems
    that are told apart from it and above it.

    Args:
        systems: one column per system with its figure, over the same n documents; at least two systems.
        confidence: the probability that no two systems are told apart in the wrong order, between 0 and 1.
        n_resamples: the number of resamples of the documents; for more than 10,000 documents, the number of draws from
            the normal distribution that approximates their sums.
        seed: the seed of the random numbers.
        resampled: progress callback, called with the number of resamples just drawn.
        clusters: the number of each document's cluster, shape (n,); whole clusters are resampled.

    Source:
        Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for Ranks, Review of Economic Studies 91, section 3;
        the steps are those of Romano and Wolf 2005, Econometrica 73.
    """
    if clusters is not None:
        systems = systems.by_cluster(clusters)
    values, n = systems.values, systems.count
    if n > MOST_RESAMPLED:
        influence = systems.influence()
        covariance = influence.T @ influence
        rng = np.random.default_rng(seed)
        moves = rng.multivariate_normal(np.zeros(len(values)), covariance, n_resamples, check_valid="ignore")
        drawn = values[:, np.newaxis] + moves.T
        resampled(n_resamples)
    else:
        drawn = drawn_values(systems.of, len(values), n, n_resamples, seed, resampled)
    above = _told_apart(values, drawn, confidence, n)
    top = drawn >= drawn.max(axis=0) - ROUNDING
    best = (top / top.sum(axis=0)).mean(axis=1)
    ranks = 1 + (values > values[:, np.newaxis] + ROUNDING).sum(axis=1)
    lows, highs = 1 + above.sum(axis=0), len(values) - above.sum(axis=1)
    columns = (ranks.tolist(), lows.tolist(), highs.tolist(), _groups(values, above), best.tolist())
    return [Rank(*row) for row in zip(*columns, strict=True)]


def _told_apart(values: Array, drawn: Array, confidence: float, n: int) -> npt.NDArray[np.bool_]:
    """Return for each pair of k systems whether the first is told apart from and above the second, shape (k, k).

    Args:
        values: the figures, shape (k,).
        drawn: the figures of each resample, shape (k, b).
        confidence: the probability that no pair is told apart in the wrong order.
        n: the number of documents; the fewer there are, the more the quantile is widened, as in Student's distribution.
    """
    from scipy.special import ndtr, stdtrit  # noqa: PLC0415  slow to import

    differences = values[:, np.newaxis] - values
    moved = drawn - drawn.mean(axis=1, keepdims=True)
    errors = np.sqrt([(moved - row).var(axis=1, ddof=1) for row in moved])
    possible = errors > ROUNDING
    unbiased = errors / np.sqrt(1 - 1 / n)  # resamples vary as if n - 1 were n
    scaled = np.divide(differences, unbiased, out=np.zeros_like(errors), where=possible)
    above = np.zeros(errors.shape, dtype=bool)
    while True:
        largest = np.zeros(drawn.shape[1])
        for row, error, chosen in zip(moved, errors, possible & ~above & ~above.T, strict=True):
            if chosen.any():
                deviations = np.abs(moved[chosen] - row) / error[chosen, np.newaxis]
                np.maximum(largest, deviations.max(axis=0), out=largest)
        beyond = scaled > stdtrit(n - 1, ndtr(np.quantile(largest, confidence)))
        if not (beyond & ~above).any():
            return above
        above |= beyond


def _groups(values: Array, above: npt.NDArray[np.bool_]) -> list[int]:
    """Return the number of each system's group."""
    groups = [1] * len(values)
    first, *others = np.argsort(-values, kind="stable").tolist()
    for system in others:
        groups[system] = groups[first] + bool(above[first, system])
        first = system if above[first, system] else first
    return groups
