"""Ratios of sums over documents, and their differences between two systems."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from docscore.core.tolerance import ROUNDING

Array = npt.NDArray[np.float64]


NO_CHANGE = "no document changed"


class Ratios:
    """Ratios of sums over n documents: k columns of numerators and denominators, each of shape (n, k).

    Attributes:
        count: n.
        values: the k ratios; 1 where the denominators are 0.
    """

    def __init__(self, earned: Array, weight: Array) -> None:
        self.earned, self.weight = earned, weight
        self.count = len(earned)
        self.totals = weight.sum(axis=0)
        self.values = self.of(np.ones((1, self.count)), np.ones(earned.shape[1]))[:, 0]

    def columns(self, chosen: list[int]) -> Ratios:
        """Some of them."""
        return Ratios(self.earned[:, chosen], self.weight[:, chosen])

    def of(self, counts: Array, otherwise: Array | None = None) -> Array:
        """The ratios where each document is taken as often as the counts say: (b, n) to (k, b).

        A resample without a document that has the field tells nothing: it gets the value of the whole.
        """
        tops, bottoms = counts @ self.earned, counts @ self.weight
        start = np.tile(self.values if otherwise is None else otherwise, (len(counts), 1))
        values = np.divide(tops, bottoms, out=start, where=bottoms > 0)
        transposed: Array = values.T
        return transposed

    def influence(self) -> Array:
        """How far each document pulls each ratio from its value, shape (n, k); the columns add up to 0."""
        pulls: Array = (self.earned - self.values * self.weight) / np.where(self.totals > 0, self.totals, 1)
        return pulls

    def notes(self) -> list[str]:
        """Why a ratio has no interval, or ""."""
        having = (self.weight > 0).sum(axis=0)
        return [self._note(*each) for each in zip(having.tolist(), are_alike(self), self.values, strict=True)]

    @staticmethod
    def _note(having: int, alike: bool, value: float) -> str:
        if having <= 1:
            return "one document: an interval needs two" if having else "no document has it"
        return f"all {having:,} documents have the same value, {value:.4g}" if alike else ""


class Differences:
    """Differences of ratios of two systems on the same n documents.

    Attributes:
        count: n.
        values: the k differences, new minus base.
    """

    def __init__(self, new: Ratios, base: Ratios) -> None:
        self.new, self.base = new, base
        self.count = new.count
        self.values: Array = new.values - base.values

    def columns(self, chosen: list[int]) -> Differences:
        """Some of them."""
        return Differences(self.new.columns(chosen), self.base.columns(chosen))

    def of(self, counts: Array) -> Array:
        """The differences where each document is taken as often as the counts say: (b, n) to (k, b)."""
        return self.new.of(counts) - self.base.of(counts)

    def influence(self) -> Array:
        """How far each document pulls each difference from its value, shape (n, k)."""
        pulls: Array = self.new.influence() - self.base.influence()
        return pulls

    def notes(self) -> list[str]:
        """Why a difference has no interval, or ""."""
        return [self._note(*each) for each in zip(self.moved(), are_alike(self), strict=True)]

    def moved(self) -> list[bool]:
        """Whether any document changed, by more than rounding."""
        earned, weight = self.new.earned - self.base.earned, self.new.weight - self.base.weight
        largest = np.maximum(np.abs(earned), np.abs(weight)).max(axis=0, initial=0.0)
        return [bool(change > ROUNDING) for change in largest]

    def _note(self, moved: bool, alike: bool) -> str:
        if self.count == 1:
            return "one document: an interval needs two"
        if not moved:
            return NO_CHANGE
        return f"all {self.count:,} documents changed alike" if alike else ""


def are_alike(estimates: Ratios | Differences) -> list[bool]:
    """Whether no document pulls an estimate away from its value, so that resampling cannot change it."""
    pulls = np.abs(estimates.influence()).max(axis=0, initial=0.0) * estimates.count
    return [bool(pull <= ROUNDING) for pull in pulls]


def side_by_side(*parts: Ratios) -> Ratios:
    """Ratios over the same documents as columns of one."""
    return Ratios(np.hstack([part.earned for part in parts]), np.hstack([part.weight for part in parts]))
