"""The sizes of values with the weights of a schema, and which values are empty, by either set of rules."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import fsum
from typing import Literal, cast, get_args

from docscore.core.options import PAPER, CompareOptions
from docscore.core.values import LEAF_TYPES, Matrix, Scalar, Value, hold_leaves, is_empty

Side = Literal["ground_truth", "prediction"]
SIDES: tuple[Side, ...] = get_args(Side)

UnclearSides = tuple[
    tuple[Side, ...], tuple[Side, ...]
]  # the sides that a comparator cannot read, and the ambiguous sides
ALL_CLEAR: UnclearSides = (), ()


class Comparator(ABC):
    """A comparison of the scalars of a place other than as the texts of ANLS*.

    Attributes:
        label: the type and the settings: "number, tolerance 1%".
        libraries: the modules of `docscore[values]` whose data it uses.
    """

    label: str
    libraries: tuple[str, ...] = ()

    def pair(self, truth: Scalar, prediction: Scalar, options: CompareOptions) -> float:
        """Return S of a pair, in [0, 1]; L is 1."""
        return float(self.table([truth], [prediction], options)[0, 0])

    @abstractmethod
    def table(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], options: CompareOptions) -> Matrix:
        """Return S of every pair, in [0, 1], shape (len(truths), len(predictions)); L is 1."""

    def names(self, values: Sequence[Scalar], *, or_wrong: bool) -> Sequence[Hashable]:  # noqa: ARG002
        """Return names of scalars such that a pair is right (S = 1) if and only if both have the same name.

        Args:
            values: scalars of both sides.
            or_wrong: whether S of two values with different names must be 0.

        Returns:
            The name of each value, or None for a value without a name, such as one with several readings; every value
            has a name with `or_wrong`. An empty list if no such names exist, as with a tolerance.
        """
        return ()

    def unclear_sides(self, truth: Scalar | None, prediction: Scalar | None) -> UnclearSides:  # noqa: ARG002
        """Return the sides whose value cannot be read, and the sides of a pair whose value has several readings."""
        return ALL_CLEAR

    @abstractmethod
    def comment(self, truth: Scalar, prediction: Scalar, *, right: bool) -> str:
        """Return an explanation of a score that may surprise, or ""; `right` if the pair earned all points."""


@dataclass(eq=False, slots=True)
class SchemaNode:
    """A place in a schema; not modified after the schema is compiled.

    Attributes:
        unit: the weight of a scalar here: the product of the weights of this place and of all places above it.
        weighted: whether there are weights in the schema.
        libraries: at the root, the modules of `docscore[values]` whose data its comparators use.
        comparator: compares the scalars here; None to compare texts.
        properties: the places of the keys that the schema names.
        others: the place of all other keys.
        items: the place of the elements of a list.
        keeps_order: whether the elements of a list are aligned in their order; otherwise they match in any order.
        key: the key by which the rows of a list are paired first; "" for none.
        about: the title and the description of the place; "" if it has none.
        misplaced: the names of fields that are among the keywords of the schema instead of inside `properties`.
    """

    unit: float
    weighted: bool
    comparator: Comparator | None = None
    properties: "dict[str, SchemaNode]" = field(default_factory=dict)
    others: "SchemaNode | None" = None
    items: "SchemaNode | None" = None
    keeps_order: bool = False
    key: str = ""
    libraries: tuple[str, ...] = ()
    about: str = ""
    misplaced: tuple[str, ...] = ()

    def at_key(self, key: str) -> "SchemaNode | None":
        """Return the place at a key; None if the schema does not describe it."""
        return self.properties.get(key, self.others)


def unit_at(node: SchemaNode | None) -> float:
    """Return the weight of a scalar at a place: 1 without a schema."""
    return 1.0 if node is None else node.unit


class Counting:
    """The sizes of ground truths and predictions, and which values are empty, by one set of rules.

    By the rules of the paper, keys of a prediction with empty values do not count: its equation 4 sums over keys(x),
    which leaves them out. By the rules of the package `anls_star` 1.0.1, every key counts.

    If a place of a schema has a weight, sizes are multiplied by it, so that a missing value costs as much as a wrong
    one.

    Results for values that contain containers are cached by identity, so that deep nesting costs no more than its size:
    the values must live as long as this object.
    """

    def __init__(self, rules: str) -> None:
        self.all_keys = rules != PAPER
        self._sizes: dict[tuple[int, int, bool], float] = {}

    def is_empty(self, prediction: Value) -> bool:
        """Return whether a prediction is null, `""`, `[]`, or an object of empty values (by the package, only `{}`)."""
        if type(prediction) is not dict or self.all_keys:
            return is_empty(prediction)
        return all(map(self.is_empty, prediction.values()))

    def ignores(self, prediction: Value) -> bool:
        """Return whether a key of a prediction with this value does not count."""
        return not self.all_keys and self.is_empty(prediction)

    def size(self, value: Value, schema: SchemaNode | None = None, *, of_truth: bool) -> float:
        """Return the size of a ground truth or prediction at a place, without keys of predictions that do not count."""
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
                parts = [
                    self.size(item, place and place.at_key(key), of_truth=of_truth)
                    for key, item in value.items()
                    if of_truth or not self.ignores(item)
                ]
            else:
                below = place if kind is tuple else place and place.items
                parts = [self.size(item, below, of_truth=of_truth) for item in items]
            self._sizes[name] = max(parts) if kind is tuple else fsum(parts)
        return self._sizes[name]

    def sizes(self, column: Sequence[Value], schema: SchemaNode | None = None, *, of_truth: bool) -> list[float]:
        """Return the size of each value of a column; for objects of scalars, all at once."""
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
        """Return what a key that the ground truth does not have adds to L: its size (by the package, at least 1)."""
        values = [prediction.get(key) for prediction in predictions]
        if schema is None and not self.all_keys and LEAF_TYPES.issuperset(map(type, values)):
            return [value is not None and value != "" for value in values]
        least = unit_at(schema) if self.all_keys else 0.0
        counts = (key in prediction and not self.ignores(prediction[key]) for prediction in predictions)
        return [
            max(least, self.size(value, schema, of_truth=False)) if is_counted else 0.0
            for value, is_counted in zip(values, counts, strict=True)
        ]
