"""Ratios of sums over documents, and their differences between two systems, with the derivatives that intervals need.

A document with the weight c counts as c documents. Derivatives are taken with respect to these weights, at 1.
"""

from __future__ import annotations

from math import fsum
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.errors import InputTypeError, InputValueError
from docscore.core.tolerance import ROUNDING

Array = npt.NDArray[np.float64]


NO_CHANGE = "no document changed"


GapReason = Literal[
    "no rows",
    "one row",
    "same values",
    "no change",
    "same changes",
    "too few differ",
    "one side",
    "left out",
    "one kind",
    "out of reach",
]


class IntervalGap(NamedTuple):
    """Why an estimate has no interval.

    Attributes:
        reason: a code for programs; a row is a document or a cluster of documents.
        note: the reason as text, with numbers.
    """

    reason: GapReason
    note: str


class Ratios:
    """Ratios of sums over n documents: k columns of numerators and denominators.

    The sums over all documents are exact (`math.fsum`), so that the ratios do not depend on the order of the documents.

    Args:
        earned: the numerators, shape (n, k).
        weight: the denominators, at least 0; a document without the field has 0 in both.
        unit: what a row is, for messages: "document" or "cluster".
        sums: the sums of both over all rows, shape (2, k), if computed before.

    Attributes:
        count: n.
        totals: the k sums of the denominators.
        values: the k ratios; 1 where the denominators are 0.
    """

    def __init__(self, earned: Array, weight: Array, *, unit: str = "document", sums: Array | None = None) -> None:
        self.table = np.hstack([earned, weight])  # one matrix product gives both sums of a resample
        k = earned.shape[1]
        self.earned, self.weight, self.unit = self.table[:, :k], self.table[:, k:], unit
        self.count = len(earned)
        exact = [fsum(column.tolist()) for column in self.table.T] if sums is None else sums
        self.sums: Array = np.array(exact, dtype=np.float64).reshape(2, k)
        self.totals: Array = self.sums[1]
        self.values = _quotients(self.sums[0], self.totals, np.ones(k))

    def columns(self, chosen: list[int]) -> Ratios:
        """Select columns."""
        return Ratios(self.earned[:, chosen], self.weight[:, chosen], unit=self.unit, sums=self.sums[:, chosen])

    def by_cluster(self, clusters: npt.ArrayLike) -> Ratios:
        """The same ratios with one row for each cluster: the sums over its documents.

        Args:
            clusters: the number of each document's cluster, shape (n,).
        """
        earned, weight = np.hsplit(sums_by_cluster(self.table, clusters), 2)
        return Ratios(earned, weight, unit="cluster", sums=self.sums)

    def of(self, counts: Array) -> Array:
        """The ratios of resamples, given how often each document is drawn: shape (b, n) to (k, b).

        A resample without a document that has the field gets the ratio of all documents.
        """
        numerators, denominators = np.hsplit(counts @ self.table, 2)
        found: Array = _quotients(numerators, denominators, self.values).T
        return found

    def left_out(self) -> Array:
        """The ratios with one document left out, shape (n, k): (E - e) / (W - w), or E / W where W = w."""
        return _quotients(self.sums[0] - self.earned, self.totals - self.weight, self.values)

    def influence(self) -> Array:
        """The derivative of each ratio with respect to each document's weight, shape (n, k): (e - value w) / W."""
        pulls: Array = (self.earned - self.values * self.weight) / self._divisors
        return pulls

    def bias(self) -> Array:
        """The k biases of the ratios to second order: half the sum of their second derivatives."""
        found: Array = -(self.influence() * self.weight).sum(axis=0) / self._divisors
        return found

    def curvature(self, direction: Array) -> Array:
        """Half the k second derivatives along a direction of the weights, shape (n, k)."""
        numerators, denominators = self._moved(direction)
        found: Array = -(numerators - self.values * denominators) * denominators / self._divisors**2
        return found

    def along(self, direction: Array, steps: Array) -> Array:
        """The ratios for the weights 1 + step x direction, for each of k steps; NaN for a denominator of at most 0."""
        numerators, denominators = (
            total + steps * moved for total, moved in zip(self.sums, self._moved(direction), strict=True)
        )
        return _quotients(numerators, denominators, np.where(self.totals > 0, np.nan, self.values))

    def ends(self) -> tuple[Array, Array]:
        """The smallest and the largest value that each of the k ratios can have, whatever the weights."""
        having = self.weight > 0
        each = np.divide(self.earned, self.weight, out=np.zeros_like(self.earned), where=having)
        lows = np.where(having, each, np.inf).min(axis=0, initial=np.inf)
        highs = np.where(having, each, -np.inf).max(axis=0, initial=-np.inf)
        return np.where(self.totals > 0, lows, self.values), np.where(self.totals > 0, highs, self.values)

    def gaps(self) -> list[IntervalGap | None]:
        """Why a ratio has no interval; None where it can have one."""
        having = (self.weight > 0).sum(axis=0)
        return [self._gap(*each) for each in zip(having.tolist(), are_alike(self), self.values, strict=True)]

    def _gap(self, having: int, alike: bool, value: float) -> IntervalGap | None:
        if not having:
            return IntervalGap("no rows", f"no {self.unit} has it")
        if having == 1:
            return IntervalGap("one row", f"one {self.unit}: an interval needs two")
        if alike:
            return IntervalGap("same values", f"all {having:,} {self.unit}s have the same value, {value:.4g}")
        return None

    @property
    def _divisors(self) -> Array:
        """The sums of the denominators, 1 where they are 0."""
        found: Array = np.where(self.totals > 0, self.totals, 1.0)
        return found

    def _moved(self, direction: Array) -> tuple[Array, Array]:
        """The changes of both sums for one step of the weights along a direction."""
        return (direction * self.earned).sum(axis=0), (direction * self.weight).sum(axis=0)


class Differences:
    """Differences of ratios of two systems on the same n documents.

    Attributes:
        count: n.
        values: the k differences, new minus base.
        moved: for each difference whether any document changed by more than `ROUNDING`.
    """

    def __init__(self, new: Ratios, base: Ratios, *, moved: list[bool] | None = None) -> None:
        self.new, self.base = new, base
        self.count, self.unit = new.count, new.unit
        self.values: Array = new.values - base.values
        self.moved = _moved(new, base) if moved is None else moved

    def columns(self, chosen: list[int]) -> Differences:
        """Select columns."""
        moved = [self.moved[column] for column in chosen]
        return Differences(self.new.columns(chosen), self.base.columns(chosen), moved=moved)

    def by_cluster(self, clusters: npt.ArrayLike) -> Differences:
        """The same differences with one row for each cluster; see `Ratios.by_cluster`."""
        return Differences(self.new.by_cluster(clusters), self.base.by_cluster(clusters), moved=self.moved)

    def of(self, counts: Array) -> Array:
        """The differences of resamples, given how often each document is drawn: shape (b, n) to (k, b)."""
        return self.new.of(counts) - self.base.of(counts)

    def left_out(self) -> Array:
        """The differences with one document left out, shape (n, k)."""
        return self.new.left_out() - self.base.left_out()

    def influence(self) -> Array:
        """The derivative of each difference with respect to each document's weight, shape (n, k)."""
        return self.new.influence() - self.base.influence()

    def bias(self) -> Array:
        """The k biases of the differences to second order."""
        return self.new.bias() - self.base.bias()

    def curvature(self, direction: Array) -> Array:
        """Half the k second derivatives along a direction of the weights, shape (n, k)."""
        return self.new.curvature(direction) - self.base.curvature(direction)

    def along(self, direction: Array, steps: Array) -> Array:
        """The differences for the weights 1 + step x direction, for each of k steps."""
        return self.new.along(direction, steps) - self.base.along(direction, steps)

    def ends(self) -> tuple[Array, Array]:
        """The smallest and the largest value that each of the k differences can have, whatever the weights."""
        (new_lows, new_highs), (base_lows, base_highs) = self.new.ends(), self.base.ends()
        return new_lows - base_highs, new_highs - base_lows

    def gaps(self) -> list[IntervalGap | None]:
        """Why a difference has no interval; None where it can have one."""
        return [self._gap(*each) for each in zip(self.moved, are_alike(self), strict=True)]

    def _gap(self, moved: bool, alike: bool) -> IntervalGap | None:
        if self.count == 1:
            return IntervalGap("one row", f"one {self.unit}: an interval needs two")
        if not moved:
            return IntervalGap("no change", NO_CHANGE)
        if alike:
            return IntervalGap("same changes", f"all {self.count:,} {self.unit}s changed alike")
        return None


def are_alike(estimates: Ratios | Differences) -> list[bool]:
    """For each estimate whether no document has influence on it, so that resampling cannot change it."""
    pulls = np.abs(estimates.influence()).max(axis=0, initial=0.0) * estimates.count
    return [bool(pull <= ROUNDING) for pull in pulls]


def side_by_side(*parts: Ratios) -> Ratios:
    """Join the columns of ratios over the same documents."""
    earned, weight = np.hstack([part.earned for part in parts]), np.hstack([part.weight for part in parts])
    return Ratios(earned, weight, unit=parts[0].unit, sums=np.hstack([part.sums for part in parts]))


def sums_by_cluster(rows: Array, clusters: npt.ArrayLike) -> Array:
    """Sum the rows of each cluster, in increasing order of the cluster numbers: shape (n, ...) to (m, ...).

    Raises:
        TypeError, ValueError: unless there is one integer for each row.

    >>> sums_by_cluster(np.array([[1.0], [2.0], [4.0]]), [7, 3, 7]).tolist()
    [[2.0], [5.0]]
    """
    labels = np.asarray(clusters)
    if labels.shape != (len(rows),):
        expected = f"one number for each of {len(rows):,} documents"
        raise InputValueError(place="clusters", expected=expected, got=f"shape {labels.shape}")
    if labels.size and not np.issubdtype(labels.dtype, np.integer):
        raise InputTypeError(place="clusters", expected="whole numbers", got=str(labels.dtype))
    order = np.argsort(labels, kind="stable")
    _, starts = np.unique(labels[order], return_index=True)
    found: Array = np.add.reduceat(rows[order], starts, axis=0) if labels.size else rows
    return found


def _moved(new: Ratios, base: Ratios) -> list[bool]:
    """For each column whether a numerator or denominator of any document differs by more than `ROUNDING`."""
    earned, weight = np.abs(new.earned - base.earned), np.abs(new.weight - base.weight)
    largest = np.maximum(earned, weight).max(axis=0, initial=0.0)
    return [bool(change > ROUNDING) for change in largest]


def _quotients(numerators: Array, denominators: Array, default: Array) -> Array:
    """Divide element by element; a default where the denominator is not positive."""
    found: Array = np.broadcast_to(default, numerators.shape).copy()
    return np.divide(numerators, denominators, out=found, where=denominators > 0)
