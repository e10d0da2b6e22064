"""Which values are the same: those that occur several times are compared once, and equal partners go together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from docscore.core.decimals import LongFloat
from docscore.core.values import Matrix, Value


class Identities:
    """Numbers for values: the same for values that are equal in type and content, whatever the order of keys.

    Numbers that print differently, such as 0.0 and -0.0, are different. Those of containers are kept, so that deep
    nesting costs no more than its size; the values must live as long.
    """

    __slots__ = ("_known", "_numbers")

    def __init__(self) -> None:
        self._known: dict[int, int] = {}
        self._numbers: dict[Hashable, int] = {}

    def of(self, value: Value) -> int:
        """The number of a value."""
        if isinstance(value, dict | list | tuple):
            if id(value) not in self._known:
                self._known[id(value)] = self._container(value)
            return self._known[id(value)]
        spelled = _spelled(value) if isinstance(value, float) else value
        return self._numbers.setdefault((type(value), spelled), len(self._numbers))

    def _container(self, value: dict[str, Value] | list[Value] | tuple[Value, ...]) -> int:
        items = value.values() if isinstance(value, dict) else value
        parts = [*map(self.of, items)]
        content: Hashable = frozenset(zip(value, parts, strict=True)) if isinstance(value, dict) else tuple(parts)
        return self._numbers.setdefault((type(value), content), len(self._numbers))

    def equality(self, truths: Sequence[Value], predictions: Sequence[Value]) -> Matrix:
        """1 for the pairs that are equal as they stand; for a one-of, if an option is. Shape (n, m)."""
        wanted = np.array([self.of(prediction) for prediction in predictions])
        found: Matrix = np.equal.outer([self.of(truth) for truth in truths], wanted).astype(np.float64)
        for i, truth in enumerate(truths):
            if isinstance(truth, tuple):
                found[i] = np.isin(wanted, [self.of(option) for option in truth])
        return found


def _spelled(number: float) -> str:
    return number.digits if isinstance(number, LongFloat) else repr(number)


class DistinctValues:
    """The distinct values of a column.

    Attributes:
        values: each of them once, in the order in which they come first.
        number: for each value of the column which of them it is, shape (n,).
    """

    __slots__ = ("number", "values")

    def __init__(self, column: Sequence[Value], identities: Identities) -> None:
        found: dict[int, int] = {}
        self.number = np.array([found.setdefault(identities.of(each), len(found)) for each in column])
        self.values = [column[i] for i in np.unique(self.number, return_index=True)[1].tolist()]
