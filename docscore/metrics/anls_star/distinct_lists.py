"""Lists of one side that occur several times, and are compared once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from docscore.core.decimals import LongFloat
from docscore.core.values import LEAF_TYPES, Value

_FLOATS = frozenset({float, LongFloat})


class DistinctLists:
    """The distinct lists of one side; a list that holds containers is taken for unlike all others.

    Attributes:
        lists: each of them once, in the order in which they come first.
        number: for each list of the side which of them it is, shape (n,).
    """

    __slots__ = ("lists", "number")

    def __init__(self, lists: Sequence[list[Value]]) -> None:
        found: dict[Hashable, int] = {}
        self.number = np.array([found.setdefault(_key(each), len(found)) for each in lists])
        self.lists = [lists[i] for i in np.unique(self.number, return_index=True)[1].tolist()]


def _key(values: list[Value]) -> Hashable:
    """What is the same for two lists whose elements print the same: 0.0 is not -0.0, and 1 is not True."""
    kinds = tuple(map(type, values))
    if not LEAF_TYPES.issuperset(kinds):
        return id(values)
    if _FLOATS.isdisjoint(kinds):
        return kinds, *values
    return kinds, *(_spelled(value) if isinstance(value, float) else value for value in values)


def _spelled(number: float) -> str:
    return number.digits if isinstance(number, LongFloat) else repr(number)
