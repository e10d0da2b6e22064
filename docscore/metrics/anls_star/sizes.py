"""What counts in values: their sizes, the weights of a schema, and what is empty, by either set of rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import fsum
from typing import Literal, cast, get_args

from docscore.core.options import PAPER, ScoringOptions
from docscore.core.values import LEAF_TYPES, Matrix, Scalar, Value, hold_leaves, is_empty

Side = Literal["ground_truth", "prediction"]
SIDES: tuple[Side, ...] = get_args(Side)


class Comparator(ABC):
    """How the scalars of a place compare, where it is not as ANLS* compares texts.

    Attributes:
        label: what they are read as, with the settings: "number, tolerance 1%".
        libraries: the modules of `docscore[values]` whose data decide what is read.
    """

    label: str
    libraries: tuple[str, ...] = ()

    def pair(self, truth: Scalar, prediction: Scalar, options: ScoringOptions) -> float:
        """S of a pair where L is 1, in [0, 1]."""
        return float(self.table([truth], [prediction], options)[0, 0])

    @abstractmethod
    def table(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], options: ScoringOptions) -> Matrix:
        """S of every pair where L is 1: shape (len(truths), len(predictions)), values in [0, 1]."""

    def unreadable(self, truth: Scalar | None, prediction: Scalar | None) -> tuple[Side, ...]:  # noqa: ARG002
        """The sides whose value cannot be read."""
        return ()

    @abstractmethod
    def remark(self, truth: Scalar, prediction: Scalar, *, right: bool) -> str:
        """Why two scalars scored what they did where that may surprise, else ""; `right` if they earned all."""


@dataclass(eq=False, slots=True)
class SchemaNode:
    """A place in a schema; not changed once the schema is compiled.

    Attributes:
        unit: what a scalar here counts: the product of the weights of this place and all above it.
        weighted: whether there are weights in the schema.
        libraries: at the root the modules of `docscore[values]` whose data decide what is read anywhere below.
        comparator: how scalars compare here; None for as texts.
        properties: the places of the keys that the schema names.
        others: the place of all other keys.
        items: the place of the elements of a list.
        keeps_order: whether the elements of a list are aligned in their order, and not matched in any.
        key: the key by which the rows of a list are paired first; "" for none.
    """

    unit: float
    weighted: bool
    comparator: Comparator | None = None
    properties: dict[str, SchemaNode] = field(default_factory=dict)
    others: SchemaNode | None = None
    items: SchemaNode | None = None
    keeps_order: bool = False
    key: str = ""
    libraries: tuple[str, ...] = ()

    def at_key(self, key: str) -> SchemaNode | None:
        """The place below at a key; None where the schema says nothing."""
        return self.properties.get(key, self.others)


def unit_at(node: SchemaNode | None) -> float:
    """What a scalar counts at the place: 1 where there is no schema."""
    return 1.0 if node is None else node.unit


class Counting:
    """The sizes of ground truths and predictions, and what is empty, by one set of rules.

    By the rules of the paper the keys of a prediction whose values are empty do not count: its equation 4 sums over
    keys(x), which leaves them out. By those of the package `anls_star` 1.0.1 every key counts.

    Where a place of a schema has a weight, sizes are multiplied by it, so that what is missing costs as much as what is
    wrong.

    Of values that hold containers the answers are kept by identity, so that deep nesting costs no more than its size:
    the values must live as long as the object.
    """

    def __init__(self, rules: str) -> None:
        self.all_keys = rules != PAPER
        self._sizes: dict[tuple[int, int, bool], float] = {}

    def is_empty(self, prediction: Value) -> bool:
        """Whether a prediction is null, `""` or `[]`, or an object without a value that is not empty; or only `{}`."""
        if type(prediction) is not dict or self.all_keys:
            return is_empty(prediction)
        return all(map(self.is_empty, prediction.values()))

    def ignores(self, prediction: Value) -> bool:
        """Whether a key of a prediction does not count, having this value."""
        return not self.all_keys and self.is_empty(prediction)

    def size(self, value: Value, schema: SchemaNode | None = None, *, of_truth: bool) -> float:
        """The size of a ground truth or of a prediction at a place, keys of predictions that do not count left out."""
        kind = type(value)
        place = schema if schema is not None and schema.weighted else None
        if kind in LEAF_TYPES:
            return unit_at(place)
        items = cast("dict[str, Value]", value).values() if kind is dict else cast("list[Value]", value)
        if place is None and kind is not tuple and LEAF_TYPES.issuperset(map(type, items)):
            every = of_truth or self.all_keys or kind is list or all(items)
            return len(items) if every else sum([item is not None and item != "" for item in items])
        name = id(value), id(place), of_truth
        if name not in self._sizes:
            if isinstance(value, dict):
                counted = [(key, item) for key, item in value.items() if of_truth or not self.ignores(item)]
                parts = [self.size(item, place and place.at_key(key), of_truth=of_truth) for key, item in counted]
            else:
                below = place if kind is tuple else place and place.items
                parts = [self.size(item, below, of_truth=of_truth) for item in items]
            self._sizes[name] = max(parts) if kind is tuple else fsum(parts)
        return self._sizes[name]

    def sizes(self, column: Sequence[Value], schema: SchemaNode | None = None, *, of_truth: bool) -> list[float]:
        """The size of each value of a column; of records, as rows of a table are, all at once."""
        if schema is None or not schema.weighted:
            kinds = {*map(type, column)}
            if kinds <= LEAF_TYPES:
                return [1.0] * len(column)
            if kinds == {dict} and hold_leaves(column):  # type: ignore[arg-type]
                values = chain.from_iterable(map(dict.values, column))  # type: ignore[arg-type]
                if of_truth or self.all_keys or all(values):
                    return list(map(len, column))  # type: ignore[arg-type]
        return [self.size(value, schema, of_truth=of_truth) for value in column]

    def surpluses(
        self, predictions: Sequence[dict[str, Value]], key: str, schema: SchemaNode | None = None
    ) -> Sequence[float]:
        """What a key that the ground truth lacks adds to L of each prediction: its size; by the package at least 1."""
        values = [prediction.get(key) for prediction in predictions]
        if schema is None and not self.all_keys and LEAF_TYPES.issuperset(map(type, values)):
            return [value is not None and value != "" for value in values]
        least = unit_at(schema) if self.all_keys else 0.0
        counts = (key in prediction and not self.ignores(prediction[key]) for prediction in predictions)
        return [
            max(least, self.size(value, schema, of_truth=False)) if is_counted else 0.0
            for value, is_counted in zip(values, counts, strict=True)
        ]
