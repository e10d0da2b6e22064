"""A place in a schema, as the scorer descends: what a value there weighs, how it compares, and the places below."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from docscore.core.values import Matrix, Scalar

TextSimilarities = Callable[[Sequence[Scalar], Sequence[Scalar]], Matrix]  # of every two scalars as texts, by ANLS*


class Comparator(ABC):
    """How the scalars of a place compare, where it is not as texts.

    Attributes:
        label: in words, "number, tolerance 1%".
    """

    label: str

    @abstractmethod
    def compared(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], texts: TextSimilarities) -> Matrix:
        """S of every pair where L is 1: shape (len(truths), len(predictions)), values in [0, 1]."""

    @abstractmethod
    def reads(self, value: Scalar) -> bool:
        """Whether the value can be read as what the place holds; otherwise it compares as the text that it is."""

    @abstractmethod
    def remark(self, truth: Scalar, prediction: Scalar, *, right: bool) -> str:
        """Why two scalars scored what they did where that may surprise, else ""; `right` if they earned all."""


@dataclass(eq=False, slots=True)
class SchemaNode:
    """A place in a schema; not changed once the schema is compiled.

    Attributes:
        unit: what a scalar here counts: the product of the weights of this place and all above it.
        weighted: whether there are weights in the schema.
        comparator: how scalars compare here; None for as texts.
        properties: the places of the keys that the schema names.
        others: the place of all other keys.
        items: the place of the elements of a list.
    """

    unit: float
    weighted: bool
    comparator: Comparator | None = None
    properties: dict[str, SchemaNode] = field(default_factory=dict)
    others: SchemaNode | None = None
    items: SchemaNode | None = None

    def at_key(self, key: str) -> SchemaNode | None:
        """The place below at a key; None where the schema says nothing."""
        return self.properties.get(key, self.others)


def unit_at(node: SchemaNode | None) -> float:
    """What a scalar counts at the place: 1 where there is no schema."""
    return 1.0 if node is None else node.unit
