"""What counts in values: their sizes, and which values are empty, by the rules of the paper or of the package."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import cast

from docscore.core.options import PAPER
from docscore.core.values import LEAF_TYPES, Value, is_empty, size


class Counting:
    """The sizes of ground truths and predictions, and what is empty, by one set of rules.

    By the rules of the paper the keys of a prediction whose values are empty do not count: its equation 4 sums over
    keys(x), which leaves them out. By those of the package `anls_star` 1.0.1 every key counts.
    """

    __slots__ = ("all_keys",)

    def __init__(self, rules: str) -> None:
        self.all_keys = rules != PAPER

    def is_empty(self, prediction: Value) -> bool:
        """Whether a prediction is null, `""` or `[]`, or an object without a value that is not empty; or only `{}`."""
        if type(prediction) is dict and not self.all_keys:
            return all(map(self.is_empty, prediction.values()))
        return is_empty(prediction)

    def ignores(self, prediction: Value) -> bool:
        """Whether a key of a prediction does not count, having this value."""
        return not self.all_keys and self.is_empty(prediction)

    def truth(self, value: Value) -> int:
        """The size of a ground truth."""
        return size(value)

    def prediction(self, value: Value) -> int:
        """The size of a prediction, keys that do not count left out."""
        if self.all_keys or type(value) in LEAF_TYPES:
            return size(value)
        if type(value) is list:
            return sum(self.predictions(value))
        values = cast("dict[str, Value]", value).values()
        if not LEAF_TYPES.issuperset(map(type, values)):
            return sum([self.prediction(each) for each in values if not self.ignores(each)])
        return len(values) if all(values) else sum([each is not None and each != "" for each in values])

    def truths(self, column: Sequence[Value]) -> list[int]:
        """The size of each ground truth."""
        kinds = {*map(type, column)}
        if kinds <= LEAF_TYPES:
            return [1] * len(column)
        return list(map(len, column)) if are_records(column, kinds) else list(map(self.truth, column))  # type: ignore[arg-type]

    def predictions(self, column: Sequence[Value]) -> list[int]:
        """The size of each prediction."""
        kinds = {*map(type, column)}
        if kinds <= LEAF_TYPES:
            return [1] * len(column)
        if are_records(column, kinds) and (self.all_keys or all(chain.from_iterable(map(dict.values, column)))):  # type: ignore[arg-type]
            return list(map(len, column))  # type: ignore[arg-type]
        return list(map(self.prediction, column))

    def surplus(self, prediction: dict[str, Value], key: str) -> float:
        """What a key that the ground truth lacks adds to L: its size; by the rules of the package at least 1."""
        if key not in prediction or self.ignores(prediction[key]):
            return 0.0
        return float(max(int(self.all_keys), self.prediction(prediction[key])))


def are_records(column: Sequence[Value], kinds: set[type]) -> bool:
    """Whether all values, of these types, are objects of scalars and nulls, as rows of a table are."""
    return kinds == {dict} and LEAF_TYPES.issuperset(map(type, chain.from_iterable(map(dict.values, column))))  # type: ignore[arg-type]
