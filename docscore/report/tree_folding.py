"""Which rows of a drawn score tree fold into one line: those next to each other that say the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from docscore.core.formatting import clipped
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.report.wording import counted

_EXACT, _UNMATCHED = 4, 3  # how many parts next to each other fold
_LONGEST_NAMES = 60  # characters of the names of exact parts
_WORDS = {"missing": "missing", "extra": "invented"}


class Fold(NamedTuple):
    """Rows that are folded into one line.

    Attributes:
        begin: the number of the first row.
        end: the number of the last row.
        nodes: the folded nodes, without those below them.
        status: what they have in common.
        text: the line: "10 invented rows", "4 exact: name, date, total, vat_id".
    """

    begin: int
    end: int
    nodes: tuple[ScoreTree, ...]
    status: str
    text: str

    @property
    def points_lost(self) -> float:
        """The points lost in the rows."""
        return sum(node.points_lost for node in self.nodes)


def folds_of(places: Sequence[tuple[ScoreTree, int]]) -> list[Fold]:
    """The folds of drawn rows.

    Args:
        places: each node with its depth, parents before children.
    """
    ends = _ends([depth for _, depth in places])
    found = []
    for siblings in _siblings([depth for _, depth in places]):
        for status, run in groupby(siblings, lambda number: _common(places[number][0])):
            numbers = list(run)
            if status and len(numbers) >= (_EXACT if status == "exact" else _UNMATCHED):
                nodes = tuple(places[number][0] for number in numbers)
                found.append(Fold(numbers[0], ends[numbers[-1]], nodes, status, _text(nodes, status)))
    return found


def _common(node: ScoreTree) -> str:
    """What a row may have in common with its neighbours; "" for nothing that folds."""
    if node.status == "exact":
        return "exact"
    unmatched = (node.truth_index is None) != (node.prediction_index is None)
    return node.status if unmatched and node.status in _WORDS else ""


def _text(nodes: Sequence[ScoreTree], status: str) -> str:
    if status in _WORDS:
        return counted(len(nodes), f"{_WORDS[status]} row")
    names = clipped(", ".join(node.key for node in nodes if node.key is not None), _LONGEST_NAMES)
    return f"{len(nodes):,} exact: {names}" if names else f"{len(nodes):,} exact elements"


def _siblings(depths: Sequence[int]) -> list[list[int]]:
    """The numbers of the rows that have one parent, for each parent."""
    found: dict[int, list[int]] = {}
    above: dict[int, int] = {}
    for number, depth in enumerate(depths):
        found.setdefault(above.get(depth - 1, -1), []).append(number)
        above[depth] = number
    return list(found.values())


def _ends(depths: Sequence[int]) -> list[int]:
    """For each row the number of the last row below it, or its own."""
    ends = list(range(len(depths)))
    waiting: list[int] = []
    for number, depth in enumerate([*depths, -1]):
        while waiting and depths[waiting[-1]] >= depth:
            ends[waiting.pop()] = number - 1
        waiting.append(number)
    return ends
