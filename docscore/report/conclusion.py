"""One sentence on where the points of a document went."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import get_args

from docscore.metrics.anls_star.causes import Cause, places
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import MetricTree
from docscore.report.annotations import Annotation, cause_in_words

LEADS, FOLLOWS = 0.3, 0.2  # shares of the loss from which a cause is named first, and second
_NAMED_SHARES = (  # up to a share
    (0.22, "a fifth"),
    (0.28, "a quarter"),
    (0.3, ""),
    (0.37, "a third"),
    (0.45, ""),
    (0.55, "half"),
    (0.63, ""),
    (0.7, "two thirds"),
    (0.78, "three quarters"),
    (0.84, "four fifths"),
    (0.9, ""),
    (0.995, "nearly all"),
    (1.01, "all"),
)


def share_in_words(share: float) -> str:
    """A share as one says it; as a percentage where no simple fraction is near.

    >>> share_in_words(0.34), share_in_words(0.6)
    ('a third', '60%')
    """
    word = next(word for end, word in _NAMED_SHARES if share < end)
    return word if word and share >= FOLLOWS else f"{share:.0%}"


def conclusion_of_tree(tree: ScoreTree, remarks: Sequence[Annotation]) -> tuple[str, str]:
    """What most of the loss of a document is, as a sentence, and what comes second, or "".

    Another metric than ANLS* has no causes, and no conclusion.

    >>> from docscore import score_tree
    >>> conclusion_of_tree(score_tree({"a": "x", "b": "y"}, {"a": "x"}), [])
    ('All of the loss is one missing field.', '')
    """
    if isinstance(tree, MetricTree):
        return "", ""
    lost, total = _losses(tree, remarks), tree.weight - tree.earned
    if not total:
        return "Every value is right.", ""
    (share, first), *others = sorted(
        ((points / total, words) for words, points in lost.items()), key=lambda each: -each[0]
    )
    if share < LEADS:
        return "No single cause dominates.", f"the largest, {first}, is {share_in_words(share)} of the loss"
    said = f"{share_in_words(share)} of the loss is {first}."
    second = f"{share_in_words(others[0][0])} is {others[0][1]}" if others and others[0][0] >= FOLLOWS else ""
    return said[0].upper() + said[1:], second


def _losses(tree: ScoreTree, remarks: Sequence[Annotation]) -> dict[str, float]:
    """The points of the tree lost for each cause, in words; a part that is missing as a whole is one loss."""
    exchanged = {path for each in remarks if each.kind == "exchanged" for path in each.paths}
    causes = {id(node): cause for _, node, cause in places(tree)}
    found: dict[Cause | None, list[float]] = {cause: [] for cause in (None, *get_args(Cause))}
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        cause = causes[id(node)]
        if cause is None:
            waiting.extend(node.children)
        else:
            found[None if node.path in exchanged else cause].append(node.weight - node.earned)
    swapped = found.pop(None)
    lost = {cause_in_words(cause, len(points)): fsum(points) for cause, points in found.items() if cause and points}
    if swapped:
        words = "two values that are exchanged" if len(swapped) == 2 else f"{len(swapped):,} values that are exchanged"  # noqa: PLR2004
        lost[words] = fsum(swapped)
    return lost
