"""The tables in which lists are matched: which there are, and those that the first pass keeps for the second."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from docscore.core.assignment import Weight
from docscore.core.values import Matrix, Value, step_text
from docscore.metrics.anls_star.schema_node import SchemaNode

_MOST_CELLS = 1 << 22  # pairs of elements that are kept at most, 64 MB; what is beyond is computed again


class _Table(NamedTuple):
    """S and L of all elements of several lists of either side, and where the elements of each list are."""

    earned: Matrix
    weight: Weight
    rows: dict[int, slice]
    columns: dict[int, slice]


class Tables:
    """The tables of pairs of lists, found by the identity of the lists, which must live as long as the object."""

    __slots__ = ("_cells", "_found")

    def __init__(self) -> None:
        self._cells = 0
        self._found: dict[tuple[int, int], list[_Table]] = {}

    def keep(
        self,
        truths: Sequence[list[Value]],
        predictions: Sequence[list[Value]],
        place: SchemaNode | None,
        earned: Matrix,
        weight: Weight,
    ) -> None:
        """Keep S and L of the elements of lists; there are as many rows and columns as elements on either side."""
        self._cells += earned.size
        if self._cells > _MOST_CELLS:
            return
        table = _Table(earned, weight, _slices(truths), _slices(predictions))
        for truth in table.rows:
            self._found.setdefault((truth, id(place)), []).append(table)

    def of(self, truth: list[Value], prediction: list[Value], place: SchemaNode | None) -> tuple[Matrix, Weight] | None:
        """S and L of every two elements of two lists at a place, or None if they were not kept."""
        for table in self._found.get((id(truth), id(place)), ()):
            if id(prediction) in table.columns:
                block = table.rows[id(truth)], table.columns[id(prediction)]
                return table.earned[block], table.weight if isinstance(table.weight, float) else table.weight[block]
        return None


def _slices(lists: Sequence[list[Value]]) -> dict[int, slice]:
    """Where the elements of each list are when all stand one after the other."""
    found, start = {}, 0
    for each in lists:
        found[id(each)] = slice(start, start + len(each))
        start += len(each)
    return found


class ListTable(NamedTuple):
    """All lists at one place, whose elements are compared, each of the ground truth with each of the prediction.

    Attributes:
        place: their path with indices left out: `$.items[].tags`.
        rows: the elements of the longest list of the ground truth there.
        columns: the elements of all lists of the prediction there.
        pairs: how many pairs of elements are compared.
    """

    place: str
    rows: int
    columns: int
    pairs: int


def list_tables(truth: Value, prediction: Value) -> Iterator[ListTable]:
    """The tables that the scorer makes for a pair, outer ones first; a list of lists counts all their elements."""
    waiting: list[tuple[list[Value], list[Value], str]] = [([truth], [prediction], "$")]
    while waiting:
        truths, predictions, place = waiting.pop(0)
        while tuple in map(type, truths):
            truths = list(chain.from_iterable(each if isinstance(each, tuple) else [each] for each in truths))
        lists, others = ([each for each in side if isinstance(each, list)] for side in (truths, predictions))
        if any(lists) and any(others):
            items, elements = list(chain.from_iterable(lists)), list(chain.from_iterable(others))
            yield ListTable(place, max(map(len, lists)), len(elements), len(items) * len(elements))
            waiting.append((items, elements, place + "[]"))
        known, given = _by_key(truths), _by_key(predictions)
        waiting += [(known[key], given[key], place + step_text(key)) for key in known if key in given]


def _by_key(column: Sequence[Value]) -> dict[str, list[Value]]:
    """The values of each key of the objects of a column; those that are, or may be, containers."""
    found: dict[str, list[Value]] = defaultdict(list)
    for each in column:
        if isinstance(each, dict):
            for key, value in each.items():
                if isinstance(value, list | dict | tuple):
                    found[key].append(value)
    return found
