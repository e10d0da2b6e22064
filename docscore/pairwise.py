"""The recursive scorer: (S, L) of every ground truth of one column with every prediction of another.

S is what a pair earns, L what it weighs; its score is S / L (paper, equations 1 to 5). Every pair of nodes is visited
once: a column of objects becomes one pair of columns per key, a column of lists becomes one pair of columns that holds
all their elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import fsum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.assignment import best_options, match
from docscore.similarity import THRESHOLD, Matrix, normalise, similarity_matrix
from docscore.values import Sizes, Value, is_empty, size

_MAX_CELLS = 1 << 22  # pairs of list elements that are held at a time

Column = Sequence[Value]
Places = list[int]
Rule = Callable[[Any, Any], tuple[Matrix, Matrix | float]]


class Options(NamedTuple):
    """What changes a score: the threshold tau in [0, 1], and whether case is ignored."""

    threshold: float = THRESHOLD
    ignore_case: bool = True


class Kinds(NamedTuple):
    """Where in a column the values of each kind are."""

    null: Places
    scalar: Places
    list: Places
    object: Places
    one_of: Places


class Scorer:
    """Scores columns of plain values whose container sizes are known."""

    __slots__ = ("options", "sizes")

    def __init__(self, sizes: Sizes, options: Options) -> None:
        self.sizes = sizes
        self.options = options

    def pairwise(self, truths: Column, predictions: Column) -> tuple[Matrix, Matrix]:
        """S and L of every pair, each of shape (len(truths), len(predictions)).

        Args:
            truths: ground truths; tuples are one-ofs.
            predictions: predictions, without tuples.

        Returns:
            earned: S, in [0, L].
            weight: L, whole numbers.
        """
        truth, prediction = kinds(truths), kinds(predictions)
        weight = np.maximum.outer(self.size_of(truths), self.size_of(predictions))  # any other combination: (0, max)
        earned = np.zeros(weight.shape)
        if truth.null:
            earned[truth.null] = [float(is_empty(each)) for each in predictions]
        rules: tuple[tuple[Places, Sequence[int], Rule], ...] = (
            (truth.scalar, prediction.scalar, self._scalars),
            (truth.list, prediction.list, self._lists),
            (truth.object, prediction.object, self._objects),
            (truth.one_of, range(len(predictions)), self._one_ofs),
        )
        for places, others, rule in rules:
            if places and others:
                block = _block(places, others, weight.shape)
                earned[block], weight[block] = rule([truths[i] for i in places], [predictions[j] for j in others])
        return earned, weight

    def _scalars(self, truths: Column, predictions: Column) -> tuple[Matrix, float]:
        """Scalar, scalar: L = 1; S is the similarity of the texts, 0 below the threshold."""
        left = normalise(truths, ignore_case=self.options.ignore_case)  # type: ignore[arg-type]
        right = normalise(predictions, ignore_case=self.options.ignore_case)  # type: ignore[arg-type]
        return similarity_matrix(left, right, self.options.threshold), 1.0

    def _objects(
        self, truths: Sequence[dict[str, Value]], predictions: Sequence[dict[str, Value]]
    ) -> tuple[Matrix, Matrix]:
        """Object, object: the sum over the keys of the ground truth, an absent key being null; other keys add to L."""
        earned = np.zeros((len(truths), len(predictions)))
        weight = np.zeros(earned.shape)
        for key in sorted(set().union(*truths, *predictions)):  # sorted: float sums do not depend on the order of keys
            values = [prediction.get(key) for prediction in predictions]
            having = [i for i, truth in enumerate(truths) if key in truth]
            if having:
                rows = _all_or(having, len(truths))
                earned_each, weight_each = self.pairwise([truths[i][key] for i in having], values)
                earned[rows] += earned_each
                weight[rows] += weight_each
            if len(having) < len(truths):
                lacking = np.array([key not in truth for truth in truths])
                weight[lacking] += [self.surplus(value) for value in values]
        return earned, weight

    def _lists(self, truths: Sequence[list[Value]], predictions: Sequence[list[Value]]) -> tuple[Matrix, Matrix]:
        """List, list: the sum over the best matching of the elements; what stays unmatched adds its size to L."""
        weight = np.add.outer(self.size_of(truths), self.size_of(predictions))
        earned = np.zeros(weight.shape)
        elements, columns = _concatenated(predictions)
        for start, stop in _portions(truths, len(elements)):
            items, rows = _concatenated(truths[start:stop])
            if not items or not elements:
                continue
            earned_each, weight_each = self.pairwise(items, elements)
            surplus = weight_each - np.add.outer(self.size_of(items), self.size_of(elements))
            for i, row in enumerate(rows, start):
                for j, column in enumerate(columns):
                    block = row, column
                    pairs = match(earned_each[block], weight_each[block], surplus[block])
                    earned[i, j] = fsum(earned_each[block][pairs])
                    weight[i, j] += surplus[block][pairs].sum()
        return earned, weight

    def _one_ofs(self, truths: Sequence[tuple[Value, ...]], predictions: Column) -> tuple[Matrix, Matrix]:
        """One-of, anything: the option with the largest (S/L, S, -L)."""
        options, rows = _concatenated(truths)
        earned_each, weight_each = self.pairwise(options, predictions)
        earned = np.empty((len(truths), len(predictions)))
        weight = np.empty(earned.shape)
        everyone = np.arange(len(predictions))
        for i, row in enumerate(rows):
            chosen = best_options(earned_each[row], weight_each[row])
            earned[i] = earned_each[row][chosen, everyone]
            weight[i] = weight_each[row][chosen, everyone]
        return earned, weight

    def size_of(self, column: Column) -> npt.NDArray[np.float64]:
        """The size of each value, shape (len(column),)."""
        return np.fromiter((size(value, self.sizes) for value in column), dtype=np.float64, count=len(column))

    def surplus(self, value: Value) -> float:
        """What a key that only the prediction has adds to L: nothing when empty, else at least 1."""
        return 0.0 if is_empty(value) else float(max(1, size(value, self.sizes)))


def kinds(column: Column) -> Kinds:
    """Where the values of each kind are."""
    places = Kinds([], [], [], [], [])
    for i, value in enumerate(column):
        if value is None:
            places.null.append(i)
        elif isinstance(value, list):
            places.list.append(i)
        elif isinstance(value, dict):
            places.object.append(i)
        elif isinstance(value, tuple):
            places.one_of.append(i)
        else:
            places.scalar.append(i)
    return places


def _all_or(places: Sequence[int], count: int) -> slice | Sequence[int]:
    """The places as an index; a slice, which copies nothing, where they are all."""
    return slice(None) if len(places) == count else places


def _block(rows: Sequence[int], columns: Sequence[int], shape: tuple[int, ...]) -> Any:
    """The index of the block at these rows and columns."""
    if len(rows) == shape[0] or len(columns) == shape[1]:
        return _all_or(rows, shape[0]), _all_or(columns, shape[1])
    return np.ix_(rows, columns)


def _concatenated(containers: Sequence[Sequence[Value]]) -> tuple[list[Value], list[slice]]:
    """All elements one after the other, and where each container's are."""
    elements: list[Value] = []
    slices = []
    for container in containers:
        slices.append(slice(len(elements), len(elements) + len(container)))
        elements.extend(container)
    return elements, slices


def _portions(lists: Sequence[list[Value]], columns: int) -> Iterator[tuple[int, int]]:
    """Ranges of lists whose elements make at most `_MAX_CELLS` pairs with that many columns, or of one list."""
    start = cells = 0
    for stop, elements in enumerate(lists):
        cells += len(elements) * columns
        if cells > _MAX_CELLS and stop > start:
            yield start, stop
            start, cells = stop, len(elements) * columns
    yield start, len(lists)
