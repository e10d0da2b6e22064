"""The field table: what became of every field of a schema over many documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from docscore.tree import ScoreTree, Status
from docscore.values import step_text


@dataclass
class Field:
    """A place of a schema, over all documents.

    Attributes:
        path: the place with list indices left out: `items[].price`.
        earned: the sum of S over its values.
        weight: the sum of L over its values.
        counts: how many values are exact, partial, wrong, missing, and only in the prediction.
    """

    path: str
    earned: float = 0.0
    weight: float = 0.0
    counts: dict[Status, int] = field(
        default_factory=lambda: dict.fromkeys(("exact", "partial", "wrong", "missing", "extra"), 0)
    )

    @property
    def score(self) -> float:
        """S / L over all documents, in [0, 1]; 1 where L is 0."""
        return self.earned / self.weight if self.weight else 1.0


def field_table(trees: Iterable[ScoreTree]) -> list[Field]:
    """The fields of many score trees, in the order in which they first occur.

    What does not count, such as an empty key that only the prediction has, is left out; S and L add up to those of the
    documents.

    >>> from docscore import score_tree
    >>> trees = [score_tree([{"n": "tea"}, {"n": "cake"}], [{"n": "tea"}])]
    >>> [(each.path, each.score, each.counts["missing"]) for each in field_table(trees)]
    [('[].n', 0.5, 1)]
    """
    fields: dict[str, Field] = {}
    for tree in trees:
        for path, leaf in _leaves(tree):
            if leaf.weight:
                found = fields.setdefault(path, Field(path))
                found.earned += leaf.earned
                found.weight += leaf.weight
                found.counts[leaf.status] += 1
    return list(fields.values())


def _leaves(tree: ScoreTree) -> Iterator[tuple[str, ScoreTree]]:
    """The leaves with their field paths, in order."""
    waiting = [("", tree)]
    while waiting:
        path, node = waiting.pop()
        if not node.children:
            yield path.removeprefix(".") or "$", node
        below = [(path + ("[]" if child.key is None else step_text(child.key)), child) for child in node.children]
        waiting.extend(reversed(below))
