"""What counts in values: their sizes, and which values are empty, by the rules of the paper or of the package."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import cast

from docscore.core.options import PAPER
from docscore.core.values import LEAF_TYPES, Value, is_empty, size
from docscore.metrics.anls_star.schema_node import SchemaNode, unit_at


class Counting:
    """The sizes of ground truths and predictions, and what is empty, by one set of rules.

    By the rules of the paper the keys of a prediction whose values are empty do not count: its equation 4 sums over
    keys(x), which leaves them out. By those of the package `anls_star` 1.0.1 every key counts.

    Where a place of a schema has a weight, sizes are multiplied by it, so that what is missing costs as much as what is
    wrong.
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

    def truth(self, value: Value, schema: SchemaNode | None = None) -> float:
        """The size of a ground truth at a place."""
        return size(value) if schema is None or not schema.weighted else self._weighed(value, schema, all_keys=True)

    def prediction(self, value: Value, schema: SchemaNode | None = None) -> float:
        """The size of a prediction at a place, keys that do not count left out."""
        if schema is not None and schema.weighted:
            return self._weighed(value, schema, all_keys=self.all_keys)
        if self.all_keys or type(value) in LEAF_TYPES:
            return size(value)
        if type(value) is list:
            return sum(self.predictions(value))
        values = cast("dict[str, Value]", value).values()
        if not LEAF_TYPES.issuperset(map(type, values)):
            return sum([self.prediction(each) for each in values if not self.ignores(each)])
        return len(values) if all(values) else sum([each is not None and each != "" for each in values])

    def truths(self, column: Sequence[Value], schema: SchemaNode | None = None) -> list[float]:
        """The size of each ground truth at a place."""
        if schema is not None and schema.weighted:
            return [self._weighed(value, schema, all_keys=True) for value in column]
        kinds = {*map(type, column)}
        if kinds <= LEAF_TYPES:
            return [1] * len(column)
        return list(map(len, column)) if are_records(column, kinds) else list(map(size, column))  # type: ignore[arg-type]

    def predictions(self, column: Sequence[Value], schema: SchemaNode | None = None) -> list[float]:
        """The size of each prediction at a place."""
        if schema is not None and schema.weighted:
            return [self._weighed(value, schema, all_keys=self.all_keys) for value in column]
        kinds = {*map(type, column)}
        if kinds <= LEAF_TYPES:
            return [1] * len(column)
        if are_records(column, kinds) and (self.all_keys or all(chain.from_iterable(map(dict.values, column)))):  # type: ignore[arg-type]
            return list(map(len, column))  # type: ignore[arg-type]
        return list(map(self.prediction, column))

    def surplus(self, prediction: dict[str, Value], key: str, schema: SchemaNode | None = None) -> float:
        """What a key that the ground truth lacks adds to L: its size at its place; by the package at least 1."""
        if key not in prediction or self.ignores(prediction[key]):
            return 0.0
        least = unit_at(schema) if self.all_keys else 0.0
        return float(max(least, self.prediction(prediction[key], schema)))

    def _weighed(self, value: Value, schema: SchemaNode | None, *, all_keys: bool) -> float:
        """The size of a value at a place with weights."""
        if isinstance(value, tuple):
            return max(self._weighed(option, schema, all_keys=all_keys) for option in value)
        if isinstance(value, list):
            below = schema and schema.items
            return sum([self._weighed(item, below, all_keys=all_keys) for item in value])
        if isinstance(value, dict):
            counted = [(key, item) for key, item in value.items() if all_keys or not self.ignores(item)]
            return sum([self._weighed(item, schema and schema.at_key(key), all_keys=all_keys) for key, item in counted])
        return unit_at(schema)


def are_records(column: Sequence[Value], kinds: set[type]) -> bool:
    """Whether all values, of these types, are objects of scalars and nulls, as rows of a table are."""
    return kinds == {dict} and LEAF_TYPES.issuperset(map(type, chain.from_iterable(map(dict.values, column))))  # type: ignore[arg-type]
