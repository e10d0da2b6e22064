"""Confidence intervals over documents: bootstrap intervals for ratios of sums, Wilson intervals for rates.

A document with the weight c counts as c documents. Derivatives are with respect to these weights, at 1.

Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapters 14 and 22. For up to 10,000 documents,
intervals are BCa and come from resamples. For more documents, they are ABC, which approximates BCa by derivatives. With
z0 the bias correction and a the acceleration, the end of a BCa interval for the probability alpha is the quantile of
the resampled figures at

    cdf(z0 + (z0 + z) / (1 - a (z0 + z)))    where z is the standard normal quantile of alpha (14.10).

Both are too short for few documents. Hesterberg 2015, What Teachers Should Know About the Bootstrap, arXiv 1411.5279,
section 5.3, expands them: z is sqrt(n / (n - 1)) times the quantile of alpha of Student's distribution with n - 1
degrees of freedom, for n documents. Fewer than `FEWEST` documents have a Wilson interval or no interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from statistics import NormalDist
from typing import Any, Concatenate, NamedTuple, ParamSpec

import numpy as np
import numpy.typing as npt

from docscore.core.numbers import ROUNDING
from docscore.core.options import check_confidence
from docscore.core.runtime import Advance, ignore

CONFIDENCE = 0.95
RESAMPLES = 10_000
SEED = 0

MOST_RESAMPLED = 10_000  # documents; for more, the ends come from ABC, an analytic approximation

FEWEST = 5  # documents or clusters that are resampled; four have 35 different resamples, five have 126
_FEW_CLUSTERS = 20  # with fewer clusters, the interval may be too short

BATCH_CELLS = 1_000_000  # numbers per batch of resamples, so that it fits in a processor's cache
_FEW_FIGURES = 5
_SMALL_BATCH_CELLS = 120_000  # for few figures: BLAS then multiplies in one thread, which is faster

Array = npt.NDArray[np.float64]
P = ParamSpec("P")


NO_CHANGE = "no document changed"
WILSON = "Wilson's formula"


_NORMAL = NormalDist()

Ends = tuple[Array, Array, Array]  # lower and upper ends of k intervals, NaN for no interval; standard errors


class Interval(NamedTuple):
    """A confidence interval.

    Attributes:
        low: the lower end; None if there is no interval.
        high: the upper end; None if there is no interval.
        standard_error: the standard error of the estimate; None if there is no interval.
        note: why there is no interval, its method if neither BCa nor ABC, or why it is unreliable; otherwise "".
    """

    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    note: str = ""

    @property
    def ends(self) -> tuple[float, float] | None:
        """Return both ends; None if there is no interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def mark(self) -> str:
        """The text after the ends in tables: the name of the method if it is Wilson's formula."""
        return " (Wilson)" if self.ends and WILSON in self.note else ""


TOO_ALIKE = Interval(note="too few documents differ for an interval")


class Ratios:
    """Ratios of sums over n documents: k columns of numerators and denominators.

    The sums over all documents are exact (`math.fsum`), so that the ratios do not depend on the order of the documents.

    Args:
        earned: the numerators, from 0 to the denominators, shape (n, k).
        weight: the denominators, at least 0; for a document without the field, both are 0.
        unit: the name of a row in messages, "document" or "cluster".
        sums: the sums of both over all rows, shape (2, k), if they are known.

    Attributes:
        count: n.
        totals: the k sums of the denominators.
        values: the k ratios; a ratio is 1 if its denominator is 0.
    """

    def __init__(self, earned: Array, weight: Array, *, unit: str = "document", sums: Array | None = None) -> None:
        self.table = np.hstack([earned, weight])  # one matrix product gives both sums of a resample
        k = earned.shape[1]
        self.earned, self.weight, self.unit = self.table[:, :k], self.table[:, k:], unit
        self.count = len(earned)
        exact = [math.fsum(column.tolist()) for column in self.table.T] if sums is None else sums
        self.sums: Array = np.array(exact, dtype=np.float64).reshape(2, k)
        self.totals: Array = self.sums[1]
        self.values = quotients(self.sums[0], self.totals, np.ones(k))

    def columns(self, chosen: list[int]) -> Ratios:
        """Select columns."""
        return Ratios(self.earned[:, chosen], self.weight[:, chosen], unit=self.unit, sums=self.sums[:, chosen])

    def rows(self, chosen: Sequence[int]) -> Ratios:
        """Select documents by number, in this order."""
        return Ratios(self.earned[list(chosen)], self.weight[list(chosen)])

    def by_cluster(self, clusters: npt.ArrayLike | None) -> Ratios:
        """Return the same ratios with one row per cluster: the sums over its documents, in order of the numbers.

        Args:
            clusters: the number of each document's cluster, an integer, shape (n,); None if all are independent.
        """
        if clusters is None:
            return self
        labels = np.asarray(clusters)
        order = np.argsort(labels, kind="stable")
        _, starts = np.unique(labels[order], return_index=True)
        earned, weight = np.hsplit(np.add.reduceat(self.table[order], starts, axis=0), 2)
        return Ratios(earned, weight, unit="cluster", sums=self.sums)

    def of(self, counts: Array) -> Array:
        """Return the ratios of resamples, given how often each document is sampled: from shape (b, n) to (k, b).

        If no document of a resample has the field, the resample gets the ratio of all documents.
        """
        numerators, denominators = np.hsplit(counts @ self.table, 2)
        return quotients(numerators, denominators, self.values).T  # type: ignore[no-any-return]

    def left_out(self) -> Array:
        """Return the ratios with one document left out, shape (n, k): (E - e) / (W - w), or E / W if W = w."""
        return quotients(self.sums[0] - self.earned, self.totals - self.weight, self.values)

    def influence(self) -> Array:
        """Return the derivatives of the ratios with respect to document weights, shape (n, k): (e - value w) / W."""
        return (self.earned - self.values * self.weight) / self._divisors

    def bias(self) -> Array:
        """Return the k biases of the ratios to second order: half the sum of their second derivatives."""
        return -(self.influence() * self.weight).sum(axis=0) / self._divisors  # type: ignore[no-any-return]

    def curvature(self, direction: Array) -> Array:
        """Return half the k second derivatives along a direction of the weights, shape (n, k)."""
        numerators, denominators = self._moved(direction)
        return -(numerators - self.values * denominators) * denominators / self._divisors**2

    def along(self, direction: Array, steps: Array) -> Array:
        """Return the ratios for the weights 1 + step x direction of k steps; NaN if a denominator is not positive."""
        earned, weight = self._moved(direction)
        default = np.where(self.totals > 0, np.nan, self.values)
        return quotients(self.sums[0] + steps * earned, self.totals + steps * weight, default)

    def ends(self) -> tuple[Array, Array]:
        """Return the smallest and the largest value that each of the k ratios can have, whatever the weights."""
        lows = quotients(self.earned, self.weight, np.array(np.inf)).min(axis=0, initial=np.inf)
        highs = quotients(self.earned, self.weight, np.array(-np.inf)).max(axis=0, initial=-np.inf)
        return np.where(self.totals > 0, lows, self.values), np.where(self.totals > 0, highs, self.values)

    @property
    def are_means(self) -> npt.NDArray[np.bool_]:
        """Whether each ratio is a mean over the documents that have it: all their denominators are 1."""
        return ((self.weight == 0) | (self.weight == 1)).all(axis=0)  # type: ignore[no-any-return]

    @property
    def having(self) -> npt.NDArray[np.intp]:
        """The number of documents that have each of the k ratios."""
        return (self.weight > 0).sum(axis=0)  # type: ignore[no-any-return]

    def without_resampling(self, column: int, *, alike: bool, is_mean: bool, confidence: float) -> Interval | None:
        """Return a Wilson interval for few or equal documents, no interval with the reason, or None to resample.

        Args:
            column: the number of the ratio.
            alike: whether no document influences it.
            is_mean: whether it is a mean over rows.
            confidence: the nominal coverage.
        """
        having, fewest = int(self.having[column]), "two" if is_mean else "five"
        if having == 0:
            return Interval(note=f"no {self.unit} contributes to it")
        if having < (2 if is_mean else FEWEST):
            return Interval(note=f"it needs at least {fewest} {self.unit}s")
        if not alike and having >= FEWEST:
            return None
        found = wilson_interval(float(self.values[column]) * having, having, confidence=confidence)
        return found._replace(note=f"{WILSON} on the mean")

    @property
    def _divisors(self) -> Array:
        """Return the sums of the denominators, with 1 in place of 0."""
        return np.where(self.totals > 0, self.totals, 1.0)

    def _moved(self, direction: Array) -> tuple[Array, Array]:
        """Return the changes of both sums for one step of the weights along a direction."""
        return (direction * self.earned).sum(axis=0), (direction * self.weight).sum(axis=0)


def _difference(method: Callable[Concatenate[Ratios, P], Array]) -> Callable[Concatenate[Differences, P], Array]:
    """Return a method for differences: its result for the new system minus its result for the base."""

    def of_both(self: Differences, /, *args: P.args, **keywords: P.kwargs) -> Array:
        return method(self.new, *args, **keywords) - method(self.base, *args, **keywords)

    return of_both


class Differences:
    """Differences of ratios of two systems on the same n documents, with the same resamples for both.

    Attributes:
        count: n.
        values: the k differences, new minus base.
        moved: whether any document changed by more than `ROUNDING`, for each difference.
    """

    def __init__(self, new: Ratios, base: Ratios, *, moved: npt.NDArray[np.bool_] | None = None) -> None:
        self.new, self.base = new, base
        self.count, self.unit = new.count, new.unit
        self.values: Array = new.values - base.values
        if moved is None:
            change = np.maximum(*np.hsplit(np.abs(new.table - base.table), 2))
            moved = change.max(axis=0, initial=0.0) > ROUNDING
        self.moved = moved

    of = _difference(Ratios.of)
    left_out = _difference(Ratios.left_out)
    influence = _difference(Ratios.influence)
    bias = _difference(Ratios.bias)
    curvature = _difference(Ratios.curvature)
    along = _difference(Ratios.along)

    def columns(self, chosen: list[int]) -> Differences:
        """Select columns."""
        return Differences(self.new.columns(chosen), self.base.columns(chosen), moved=self.moved[chosen])

    def by_cluster(self, clusters: npt.ArrayLike | None) -> Differences:
        """Return the same differences with one row per cluster; see `Ratios.by_cluster`."""
        return Differences(self.new.by_cluster(clusters), self.base.by_cluster(clusters), moved=self.moved)

    def ends(self) -> tuple[Array, Array]:
        """Return the smallest and the largest value that each of the k differences can have, whatever the weights."""
        (new_lows, new_highs), (base_lows, base_highs) = self.new.ends(), self.base.ends()
        return new_lows - base_highs, new_highs - base_lows

    @property
    def are_means(self) -> npt.NDArray[np.bool_]:
        """Whether each ratio of both systems is a mean over the documents that have it."""
        return self.new.are_means & self.base.are_means

    @property
    def having(self) -> npt.NDArray[np.intp]:
        """The number of documents that have each of the k ratios in one of the systems."""
        return ((self.new.weight > 0) | (self.base.weight > 0)).sum(axis=0)  # type: ignore[no-any-return]

    def without_resampling(self, column: int, *, alike: bool, is_mean: bool, confidence: float) -> Interval | None:  # noqa: ARG002
        """Return an interval for documents that all changed by the same amount; None to resample.

        It assumes that at most `rest` of all documents, by Wilson's formula, would change otherwise, by -1 to 1.
        """
        having, change = int(self.having[column]), float(self.values[column])
        if not self.moved[column]:
            return Interval(note=NO_CHANGE)
        if having < FEWEST:
            return Interval(note=f"it needs at least five {self.unit}s")
        if not alike:
            return None
        rest = wilson_interval(0, having, confidence=confidence).high or 0.0
        note = f"{WILSON}, as all {having:,} {self.unit}s changed by the same amount"
        return Interval(change - rest * (change + 1), change + rest * (1 - change), 0.0, note)


def side_by_side(*parts: Ratios) -> Ratios:
    """Join the columns of ratios over the same documents."""
    if len(parts) == 1:
        return parts[0]
    earned, weight = np.hstack([part.earned for part in parts]), np.hstack([part.weight for part in parts])
    return Ratios(earned, weight, unit=parts[0].unit, sums=np.hstack([part.sums for part in parts]))


def quotients(numerators: Array, denominators: Array, default: Array, least: float = 0.0) -> Array:
    """Divide element by element; return the default if the denominator is not above the least one."""
    values: Array = np.broadcast_to(default, numerators.shape).copy()
    return np.divide(numerators, denominators, out=values, where=denominators > least)


def wilson_interval(count: float, of: int, *, confidence: float = CONFIDENCE) -> Interval:
    """Compute the Wilson score interval of a rate: `count` of `of` independent documents, or a sum of their scores.

    The result equals `scipy.stats.binomtest(count, of).proportion_ci(confidence, "wilson")`, but does not import
    scipy.stats, which takes as long as a small evaluation.

    Source:
        Wilson 1927, Probable inference, the law of succession, and statistical inference.

    >>> interval = wilson_interval(0, 20)
    >>> interval.low, round(interval.high, 3)
    (0.0, 0.161)
    """
    z = _NORMAL.inv_cdf((1 + confidence) / 2)
    rate = count / of
    centre = (rate + z**2 / (2 * of)) / (1 + z**2 / of)
    half = z * math.sqrt(rate * (1 - rate) / of + (z / (2 * of)) ** 2) / (1 + z**2 / of)
    low = centre - half if count else 0.0
    high = centre + half if count < of else 1.0
    return Interval(low, high, math.sqrt(rate * (1 - rate) / of))


def intervals_of(
    estimates: Ratios | Differences,
    confidence: float = CONFIDENCE,
    *,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    resampled: Advance = ignore,
    clusters: npt.ArrayLike | None = None,
) -> list[Interval]:
    """Compute an interval for each of k estimates, by resampling documents.

    All estimates are computed from the same resamples, by the bias-corrected and accelerated bootstrap (BCa), or by ABC
    for more than 10,000 documents. Both have Hesterberg's expansion. An interval stays in the range of the ratios of
    single documents, so the interval of a share stays in [0, 1]. Fewer than five documents, and documents with equal
    ratios, are not resampled. Documents with equal ratios, and means of two to four documents, have Wilson intervals.

    Args:
        estimates: ratios of sums over n documents, or differences of them between two systems.
        confidence: the nominal coverage, between 0 and 1.
        n_resamples: the number of resamples.
        seed: the seed of the random numbers.
        resampled: progress callback, called with the number of resamples just sampled.
        clusters: the number of each document's cluster, shape (n,), for documents that are not independent, such as
            questions on one page: whole clusters are resampled.

    Returns:
        k intervals. An interval has no ends if no document changed, or if fewer than two documents have the field (five
        for a ratio of sums or a difference).

    >>> scores = np.array([[1.0], [0.5], [0.75], [0.25], [1.0], [0.0]])
    >>> [interval] = intervals_of(Ratios(scores, np.ones((6, 1))))
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.12, 0.96)
    """
    level, are_means = check_confidence(confidence), estimates.are_means.tolist()
    estimates = estimates.by_cluster(clusters)
    influence = np.abs(estimates.influence()).max(axis=0, initial=0.0) * estimates.count
    intervals = [
        estimates.without_resampling(column, alike=bool(most <= ROUNDING), is_mean=is_mean, confidence=level)
        for column, (most, is_mean) in enumerate(zip(influence, are_means, strict=True))
    ]
    possible = [column for column, interval in enumerate(intervals) if interval is None]
    if possible:
        chosen = estimates.columns(possible)
        reach = normal_quantiles(level, chosen.having)
        if estimates.count > MOST_RESAMPLED:
            ends = abc(chosen, reach)
        else:
            sampled = sampled_values(chosen.of, len(possible), chosen.count, n_resamples, seed, resampled)
            ends = bca(sampled, chosen.values, -chosen.left_out(), reach)
        for column, low, high, error in zip(possible, *ends, strict=True):
            without = np.isnan(low) or np.isnan(high)
            intervals[column] = TOO_ALIKE if without else Interval(float(low), float(high), float(error))
    is_thin = estimates.unit == "cluster" and estimates.count <= _FEW_CLUSTERS
    few = f"only {estimates.count} clusters: it may be too short" if is_thin else ""
    return [
        each._replace(note="; ".join(filter(None, (each.note, few)))) if each.ends else each
        for each in intervals
        if each is not None
    ]


def intervals_of_parts(
    parts: Iterable[Ratios], confidence: float = CONFIDENCE, *, clusters: npt.ArrayLike | None = None, **drawing: Any
) -> list[Interval]:
    """Compute the intervals of all columns of several ratios over the same documents, from the same resamples.

    If documents are not resampled, the parts are computed one by one, since all together could need gigabytes.

    Args:
        parts: the ratios, at least one.
        confidence: as for `intervals_of`.
        clusters: the number of each document's cluster.
        drawing: the other keywords of `intervals_of`.
    """
    waiting = iter(parts)
    first = next(waiting)
    units, each_part = first.by_cluster(clusters).count, chain([first], waiting)
    together = [side_by_side(*each_part)] if units <= MOST_RESAMPLED else each_part
    return [found for part in together for found in intervals_of(part, confidence, clusters=clusters, **drawing)]


def normal_quantiles(confidence: float, counts: npt.ArrayLike) -> Array:
    """Return how many standard deviations Hesterberg's expansion reaches to each side for counts of documents.

    >>> normal_quantiles(0.95, [5, 20, 1000]).round(2).tolist()
    [3.1, 2.15, 1.96]
    """
    from scipy.special import stdtrit  # noqa: PLC0415  slow to import

    n = np.asarray(counts, dtype=np.float64)
    return -np.sqrt(n / (n - 1)) * stdtrit(n - 1, (1 - confidence) / 2)


def sampled_values(
    figures: Callable[[Array], Array], k: int, n: int, n_resamples: int, seed: int, resampled: Advance, width: int = 0
) -> Array:
    """Compute k figures of each of b resamples of n documents, shape (k, b).

    The resamples do not depend on the size of the batches in which they are computed.

    Args:
        figures: computes the figures from the number of times that each document is sampled, from shape (b, n) to (k,
            b).
        k: the number of figures.
        n: the number of documents.
        n_resamples: b.
        seed: the seed of the random numbers.
        resampled: progress callback, called with the number of resamples just sampled.
        width: the memory of a resample, in numbers, if larger than n.
    """
    sampled = np.empty((k, n_resamples))
    cells = BATCH_CELLS if k > _FEW_FIGURES else _SMALL_BATCH_CELLS
    batch = max(1, cells // max(n, width))
    rng = np.random.default_rng(seed)
    for start in range(0, n_resamples, batch):
        chosen = rng.integers(0, n, (min(batch, n_resamples - start), n))
        counts = np.array([np.bincount(documents, minlength=n) for documents in chosen], dtype=np.float64)
        sampled[:, start : start + batch] = figures(counts)
        resampled(len(counts))
    return sampled


def bca(sampled: Array, values: Array, influence: Array, reach: Array) -> Ends:
    """Return the interval ends of k figures by the bias-corrected and accelerated bootstrap (BCa).

    Args:
        sampled: the figures of each resample, shape (k, b).
        values: the figures themselves, shape (k,).
        influence: the influence of each document on each figure, up to a constant factor, shape (n, k).
        reach: the standard normal quantile of each upper end, shape (k,); the lower end has its negative.
    """
    ends = [_quantiles(*column) for column in zip(sampled, values, acceleration(influence), reach, strict=True)]
    lows, highs = np.array(ends).reshape(-1, 2).T
    return lows, highs, sampled.std(axis=1, ddof=1)


def acceleration(influence: Array) -> Array:
    """Return the k accelerations (14.15), a sixth of the skewness of the influences; NaN if all are equal."""
    centred = influence - influence.mean(axis=0)
    squares = (centred**2).sum(axis=0)
    return (centred**3).sum(axis=0) / np.where(squares > 0, 6 * squares**1.5, np.nan)  # type: ignore[no-any-return]


def _quantiles(sampled: Array, value: float, a: float, reach: float) -> list[float]:
    """Return the BCa quantiles of the resamples; NaN if all of them are on one side of the value."""
    below = np.count_nonzero(sampled < value - ROUNDING) + np.count_nonzero(sampled <= value + ROUNDING)
    share_below = below / (2 * len(sampled))  # resamples equal to the value count half
    if not 0 < share_below < 1 or math.isnan(a):
        return [math.nan] * 2
    z0 = _NORMAL.inv_cdf(share_below)
    adjusted = [z / (1 - a * z) if a * z < 1 else math.copysign(math.inf, z) for z in (z0 - reach, z0 + reach)]
    return np.quantile(sampled, [_NORMAL.cdf(z0 + z) for z in adjusted]).tolist()  # type: ignore[no-any-return]


def abc(estimates: Ratios | Differences, reach: Array) -> Ends:
    """Return the interval ends by approximate bootstrap confidence (ABC), an approximation of BCa without resampling.

    ABC uses derivatives and one pass over the documents. The ends of both differ by terms of order 1/n. The ends
    are clipped to the range of the ratios of single documents. For the arguments, see `bca`.

    Source:
        DiCiccio and Efron 1992, More accurate confidence intervals in exponential families, Biometrika 79;
        Efron and Tibshirani 1993, section 22.6.
    """
    influence, n = estimates.influence(), estimates.count
    sigma = np.sqrt((influence**2).sum(axis=0))
    direction = influence / sigma
    a = acceleration(influence)
    bend = (estimates.bias() - estimates.curvature(direction)) / sigma
    shares_below = [2 * _NORMAL.cdf(a_i) * _NORMAL.cdf(-bend_i) for a_i, bend_i in zip(a, bend, strict=True)]
    z0 = np.array([_NORMAL.inv_cdf(min(max(share, ROUNDING), 1 - ROUNDING)) for share in shares_below])
    limits = estimates.ends()
    ends = []
    for z, limit in zip((z0 - reach, z0 + reach), limits, strict=True):
        rest = 1 - a * z
        end = estimates.along(direction, np.divide(z, rest**2, out=np.zeros_like(z), where=rest > 0))
        ends.append(np.clip(np.where((rest > 0) & np.isfinite(end), end, limit), *limits))
    return ends[0], ends[1], sigma * math.sqrt(n / (n - 1))
