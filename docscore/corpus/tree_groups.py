"""Siblings of a score tree that lose points for the same cause, or that are exact, as groups that can be folded."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Literal, get_args

from docscore.corpus.fields import Cause, places
from docscore.metrics.anls_star.tree import ScoreTree

FEWEST = 3  # siblings that make a group


GroupCause = Cause | Literal["exact"]
# Groups whose line says enough.
WHOLES: tuple[GroupCause, ...] = ("exact", "missing row", "invented row", "repeated row")


_NOUNS: dict[GroupCause, tuple[str, str]] = {
    "wrong value": ("wrong value", "wrong values"),
    "near miss": ("near miss", "near misses"),
    "same value": ("value written differently", "values written differently"),
    "punctuation": ("value with other punctuation", "values with other punctuation"),
    "wrong type": ("value of a wrong type", "values of a wrong type"),
    "missing field": ("missing field", "missing fields"),
    "missing row": ("missing row", "missing rows"),
    "missing prediction": ("value without a prediction", "values without a prediction"),
    "invented field": ("invented field", "invented fields"),
    "invented row": ("invented row", "invented rows"),
    "repeated row": ("repeated row", "repeated rows"),
    "unparsable": ("value that could not be read", "values that could not be read"),
    "exact": ("exact value", "exact values"),
}
_ALL: tuple[GroupCause, ...] = (*get_args(Cause), "exact")


@dataclass(frozen=True)
class SiblingGroup:
    """Children of one node of a score tree that share a cause of lost points, or that are exact.

    Attributes:
        cause: why they lost points, or "exact".
        parent: the path of the node above them.
        nodes: the children, at least `FEWEST`, in order.
    """

    cause: GroupCause
    parent: str
    nodes: tuple[ScoreTree, ...]

    @property
    def count(self) -> int:
        """How many there are; of exact ones, the values in them."""
        if self.cause != "exact":
            return len(self.nodes)
        return sum(1 for node in self.nodes for leaf in node.leaves() if leaf.weight)

    @property
    def points_lost(self) -> float:
        """What they lose of the score of the whole tree, in [0, 1]."""
        return fsum(node.points_lost for node in self.nodes)

    @property
    def name(self) -> str:
        """Number and cause in words, such as "10 invented rows"."""
        return f"{self.count:,} {_NOUNS[self.cause][self.count != 1]}"


def groups_of(tree: ScoreTree) -> list[SiblingGroup]:
    """The groups of all nodes of a tree, parents before children; none inside parts that are wholly exact or missing.

    Such a part is one line already; only the root, which is always open, has groups if all of it is exact.

    >>> from docscore import score_tree
    >>> [(group.name, group.parent) for group in groups_of(score_tree({"rows": []}, {"rows": ["a", "b", "c"]}))]
    [('3 invented rows', '$.rows')]
    """
    causes = {id(place.node): place.cause for place in places(tree)}
    whole = "missing", "extra", "exact"
    open_nodes = (
        node for node in tree.nodes() if node.status not in whole or (node is tree and node.status == "exact")
    )
    groups = []
    for node in open_nodes:
        alike: dict[tuple[GroupCause, str], list[ScoreTree]] = {}
        for child in node.children:
            cause = causes[id(child)]
            if child.status == "exact" and child.weight:
                alike.setdefault(("exact", child.status), []).append(child)
            elif cause is not None:
                alike.setdefault((cause, child.status), []).append(child)
        for (of_group, _), nodes in alike.items():
            if len(nodes) >= FEWEST:
                groups.append(SiblingGroup(of_group, node.path, tuple(nodes)))
    return groups


def folded_tree(
    tree: ScoreTree, groups: Sequence[SiblingGroup] | None = None, *, only: Collection[GroupCause] = _ALL
) -> ScoreTree:
    """The tree with each group of siblings below one node, of the kind "group", at the place of the first of them.

    It is for drawing. Points earned, lost and possible are those of the tree; a group has the sums of its nodes.

    Args:
        tree: the root.
        groups: its groups, if they are known: `groups_of(tree)`.
        only: the causes whose groups are folded; by default all.
    """
    return folded_nodes(tree, groups, only=only)[id(tree)]


def folded_nodes(
    tree: ScoreTree, groups: Sequence[SiblingGroup] | None = None, *, only: Collection[GroupCause] = _ALL
) -> dict[int, ScoreTree]:
    """The node of the folded tree for each node of the tree, by its `id`; arguments as for `folded_tree`."""
    chosen = [group for group in (groups_of(tree) if groups is None else groups) if group.cause in only]
    if not chosen:
        return {id(node): node for node in tree.nodes()}
    group_of = {id(member): group for group in chosen for member in group.nodes}
    done: dict[int, ScoreTree] = {}
    for node in reversed(list(tree.nodes())):  # children before parents
        children: list[ScoreTree] = []
        for child in node.children:
            group = group_of.get(id(child))
            if group is None:
                children.append(done[id(child)])
            elif child is group.nodes[0]:
                children.append(_as_node(group, tuple(done[id(member)] for member in group.nodes)))
        done[id(node)] = replace(node, children=tuple(children)) if node.children else node
    return done


def _as_node(group: SiblingGroup, children: tuple[ScoreTree, ...]) -> ScoreTree:
    return replace(
        group.nodes[0],
        path=group.parent,
        key=group.name,
        kind="group",
        earned=fsum(node.earned for node in children),
        weight=fsum(node.weight for node in children),
        ground_truth=None,
        prediction=None,
        truth_index=None,
        prediction_index=None,
        option=None,
        reason="",
        children=children,
        compared="",
        unreadable=(),
    )
