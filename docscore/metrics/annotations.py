"""Annotations of a score tree: exchanged values, notations, groups of similar nodes, chosen options."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import fsum
from typing import Any, Literal

from docscore.core.numbers import ROUNDING
from docscore.core.options import BY_VALUE, CompareOptions
from docscore.core.runtime import grouped
from docscore.core.same_value import spelling_of_same_value
from docscore.core.similarity import TEXT_RULES, fold, similarity
from docscore.core.values import SCALAR_TYPES, Scalar, differs_by_value
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.causes import NAMES, Cause
from docscore.metrics.anls_star.tree import ScoreTree, Status, indices_text
from docscore.metrics.base import MetricTree

FEWEST = 3  # the fewest siblings in a group

GroupCause = Cause | Literal["exact", "alike"]
# The causes of groups that a rendered tree folds to one line.
FOLDED_CAUSES: tuple[GroupCause, ...] = ("exact", "alike", "missing row", "invented row", "repeated row")

_NAMES = {**NAMES, "exact": ("exact", "exact value", "exact values")}


def cause_in_words(cause: Cause, count: int | None = None) -> str:
    """Return a cause as a noun, with its count if given: "one missing row", "3 wrong values", "wrong values"."""
    noun = _NAMES[cause][1 + (count != 1)]
    return noun if count is None else f"{'one' if count == 1 else f'{count:,}'} {noun}"


@dataclass(frozen=True)
class SiblingGroup:
    """Children of one node of a score tree that share a cause of lost points, are exact, or have the same losses.

    Attributes:
        cause: the cause, "exact", or "alike" for list elements whose leaves have the same status and cause as the
            leaves of an earlier element.
        parent: the path of the node above them.
        nodes: the children in order: at least `FEWEST`, or for "alike" one less, without the earlier element; fewer
            for "exact" if some are null where nothing is expected.
        like: for "alike", the indices of the earlier element on both sides; otherwise "".
    """

    cause: GroupCause
    parent: str
    nodes: tuple[ScoreTree, ...]
    like: str = ""

    @property
    def count(self) -> int:
        """The number of nodes; for "exact" the number of values in them."""
        if self.cause != "exact":
            return len(self.nodes)
        return sum(1 for node in self.nodes for leaf in node.leaves() if leaf.weight)

    @property
    def points_lost(self) -> float:
        """The part of the score of the whole tree that the nodes lose, in [0, 1]."""
        return fsum(node.points_lost for node in self.nodes)

    @property
    def name(self) -> str:
        """The count and the cause in words, such as "10 invented rows"."""
        if self.like:
            return f"{self.count:,} rows like {self.like}"
        return f"{self.count:,} {_NAMES[self.cause][1 + (self.count != 1)]}"


def groups_of(tree: ScoreTree) -> list[SiblingGroup]:
    """Return the groups of all nodes of a tree, parents before children.

    Exact, missing and extra nodes, which are rendered as one line, have no groups, except an exact root.

    >>> from docscore import score_tree
    >>> [(group.name, group.parent) for group in groups_of(score_tree({"rows": []}, {"rows": ["a", "b", "c"]}))]
    [('3 invented rows', '$.rows')]
    """
    groups = []
    for node in tree.nodes():
        if node.status in ("missing", "extra") or (node.status == "exact" and node is not tree):
            continue
        alike = grouped((_cause_and_status(child), child) for child in node.children)
        for (cause, _), nodes in alike.items():
            has_weight = [bool(child.weight) for child in nodes]
            if cause is not None and (len(nodes) >= FEWEST or len({*has_weight}) > 1):
                groups.append(SiblingGroup(cause, node.path, tuple(nodes)))
        if node.kind == "list":
            groups.extend(_alike_elements(node))
    return groups


def _cause_and_status(child: ScoreTree) -> tuple[GroupCause | None, Status]:
    """Return the cause and status that the nodes of a group share; null for an absent value counts as exact."""
    is_null = child.status == "extra" and not child.weight
    if is_null or (child.status == "exact" and child.weight):
        return "exact", "exact"
    return child.cause, child.status


def _alike_elements(node: ScoreTree) -> Iterator[SiblingGroup]:
    """Yield groups of list elements that have the same losses as an earlier element."""
    alike = grouped(
        (tuple((leaf.path.removeprefix(row.path), leaf.status, leaf.cause) for leaf in row.leaves()), row)
        for row in node.children
        if row.children and row.cause is None and row.status != "exact"
    )
    for first, *others in alike.values():
        if len(others) >= FEWEST - 1:
            yield SiblingGroup("alike", node.path, tuple(others), indices_text(first))


def folded_tree(tree: ScoreTree) -> ScoreTree:
    """Return the tree to render, in which each group of siblings is below one node of the kind "group".

    The node takes the position of the first sibling and has the sums of the siblings' points. Groups with the cause
    "alike" are not folded.
    """
    return folded_nodes(tree, [group for group in groups_of(tree) if group.cause != "alike"])[id(tree)]


def folded_nodes(tree: ScoreTree, groups: Sequence[SiblingGroup]) -> dict[int, ScoreTree]:
    """Fold groups of a tree, and return the new node for each node by the `id` of the old one."""
    if not groups:
        return {id(node): node for node in tree.nodes()}
    group_of = {id(member): group for group in groups for member in group.nodes}
    folded: dict[int, ScoreTree] = {}
    for node in reversed(list(tree.nodes())):  # children before parents
        children: list[ScoreTree] = []
        for child in node.children:
            group = group_of.get(id(child))
            if group is None:
                children.append(folded[id(child)])
            elif child is group.nodes[0]:
                members = tuple(folded[id(member)] for member in group.nodes)
                children.append(
                    replace(
                        child,
                        path=group.parent,
                        key=group.name,
                        kind="group",
                        status="exact" if group.cause == "exact" else child.status,
                        earned=fsum(member.earned for member in members),
                        weight=fsum(member.weight for member in members),
                        ground_truth=None,
                        prediction=None,
                        truth_index=None,
                        prediction_index=None,
                        option=None,
                        note="",
                        children=members,
                        compared="",
                        unreadable=(),
                        ambiguous=(),
                    )
                )
        folded[id(node)] = replace(node, children=tuple(children)) if node.children else node
    return folded


NEAR = 0.9  # the least similarity at which an exchanged value matches the other place
_MOST_EXCHANGED = 200  # the values of one record that are compared in pairs, largest losses first
_SHORTEST = 3  # the fewest characters of a value predicted elsewhere; shorter values coincide by chance


@dataclass(frozen=True)
class Annotation:
    """An annotation of a score tree.

    Attributes:
        kind: "exchanged" for two values of one record that are in each other's place, "elsewhere" for a text that is
            expected only at the first place and predicted only at the second, "different notation" for the same values
            in another notation, "group" for siblings that lose points for the same cause, "option" for the chosen
            option of a one-of.
        subject: the `Spelling` for "different notation", the name of the group for "group", a text such as "option 2 of
            3" for "option"; otherwise "".
        cause: the cause of lost points for "group" and "different notation"; otherwise None.
        paths: the paths of the places.
        parent: the path of the object or list that holds the places; "$" if they have different parents.
        points_lost: the part of the row's score that the places lose, in [0, 1]; for "exchanged", the part that they
            would not lose in the other order.
        gain: how much the score would gain if numbers were compared by value; None if nothing, or if they already are.
    """

    kind: Literal["exchanged", "elsewhere", "different notation", "group", "option"]
    subject: str
    cause: Cause | None
    paths: tuple[str, ...]
    parent: str
    points_lost: float
    gain: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes in plain types."""
        return {**vars(self), "paths": list(self.paths)}


def annotations_of(
    tree: ScoreTree, options: CompareOptions | None, groups: Sequence[SiblingGroup] | None = None
) -> list[Annotation]:
    """Return the annotations of a tree of ANLS* or the typed score, largest losses first.

    A `MetricTree` has no annotations. A record is the root or an element of a list, with the objects in it. A value is
    in at most one pair of exchanged values.

    Args:
        tree: the root.
        options: how texts were compared; None for a tree of the typed score, where exchanged values must be equal.
        groups: the result of `groups_of(tree)`, if it was computed before.

    >>> from docscore import score_tree
    >>> tree = score_tree({"vat": "DE811", "number": "A-77"}, {"vat": "A-77", "number": "DE811"})
    >>> [(each.kind, each.paths, each.points_lost) for each in annotations_of(tree, CompareOptions())]
    [('exchanged', ('$.vat', '$.number'), 1.0)]
    """
    if isinstance(tree, MetricTree):
        return []
    groups = groups_of(tree) if groups is None else groups
    exchanged = list(_exchanges(tree, options))
    in_exchanges = {path for exchange in exchanged for path in exchange.paths}
    annotations = [
        *exchanged,
        *_elsewhere(tree, in_exchanges),
        *_spellings(tree, options),
        *(
            Annotation("group", group.name, group.cause, _paths(group.nodes), group.parent, group.points_lost)
            for group in groups
            if group.cause != "exact" and group.cause != "alike" and group.cause != "different notation"  # noqa: PLR1714  for mypy
        ),
    ]
    reasons = ((node, node.reason.partition(";")[0]) for node in tree.nodes() if node.option is not None)
    chosen = [
        Annotation("option", words, None, (node.path,), node.path, 0.0)
        for node, words in reasons
        if words.startswith("option ")  # not for one-ofs with a single option
    ]
    return [*chosen, *sorted(annotations, key=lambda annotation: -annotation.points_lost)]


def _exchanges(tree: ScoreTree, options: CompareOptions | None) -> Iterator[Annotation]:
    """Yield the pairs of values of one record that would be right, or nearly right, in each other's place."""
    for node in tree.nodes():
        if node.key is not None or node.kind != "object" or not _has_both(node) or node.status == "exact":
            continue
        gains = ((_gain_of_exchange(*pair, options), pair) for pair in combinations(_lossy_leaves(node), 2))
        exchanges = sorted(
            ((gain, pair) for gain, pair in gains if gain > ROUNDING),
            key=lambda exchange: (-exchange[0], sorted(_paths(exchange[1]))),
        )
        taken: set[int] = set()
        for gain, pair in exchanges:
            if taken.isdisjoint(map(id, pair)):
                taken.update(map(id, pair))
                share_of_point = node.points_lost / (node.weight - node.earned)
                yield Annotation("exchanged", "", None, _paths(pair), node.path, gain * share_of_point)


def _lossy_leaves(record: ScoreTree) -> list[ScoreTree]:
    """Return the leaves of an object, and of objects in it, that lose points and whose keys the ground truth has."""
    leaves = []
    waiting = [record]
    while waiting:
        node = waiting.pop()
        sides = node.ground_truth, node.prediction
        if not node.children and all(side is None or type(side) in SCALAR_TYPES for side in sides):
            leaves.append(node)
        elif node.kind == "object" and _has_both(node):
            keyed = [child for child in node.children if child.points_lost > 0 and child.key in node.ground_truth]
            waiting.extend(reversed(keyed))
    largest = sorted(leaves, key=lambda leaf: (-leaf.points_lost, leaf.path))[:_MOST_EXCHANGED]
    kept = set(map(id, largest))
    return [leaf for leaf in leaves if id(leaf) in kept]


def _has_both(node: ScoreTree) -> bool:
    """Return whether both sides have a value."""
    return node.status not in ("missing", "extra")


def _gain_of_exchange(first: ScoreTree, second: ScoreTree, options: CompareOptions | None) -> float:
    """Return the points that two leaves gain with each other's prediction; 0 unless both are then nearly right."""
    gain = 0.0
    for leaf, other in ((first, second), (second, first)):
        score = _score_of(leaf.ground_truth, other.prediction, options)
        if score < NEAR or score <= leaf.score:
            return 0.0
        gain += (score - leaf.score) * leaf.weight
    return gain


def _score_of(truth: Scalar | None, prediction: Scalar | None, options: CompareOptions | None) -> float:
    """Return the score of two scalars or nulls, in [0, 1]."""
    if truth is None or prediction is None:
        return float(truth is prediction)
    if options is None:
        return float(type(truth) is type(prediction) and truth == prediction)
    left, right = (fold(value, options.ignore_case, TEXT_RULES[options.numbers]) for value in (truth, prediction))
    return similarity(left, right, options.threshold)


def _elsewhere(tree: ScoreTree, excluded: set[str]) -> Iterator[Annotation]:
    """Yield the texts of a record that are expected at only one place and predicted at only one other place."""
    leaves = [leaf for leaf in tree.leaves() if leaf.points_lost > 0 and leaf.path not in excluded]
    expected = [leaf for leaf in leaves if isinstance(leaf.ground_truth, str) and len(leaf.ground_truth) >= _SHORTEST]
    predicted = [leaf for leaf in leaves if isinstance(leaf.prediction, str)]
    times = Counter(leaf.ground_truth for leaf in expected), Counter(leaf.prediction for leaf in predicted)
    places_of = {leaf.prediction: leaf for leaf in predicted}
    for leaf in expected:
        text = leaf.ground_truth
        if times[0][text] != 1 or times[1][text] != 1 or places_of[text] is leaf:
            continue
        both = leaf, places_of[text]
        if len({node.path.rpartition("]")[0] for node in both}) == 1:  # both are in the same list element
            yield Annotation("elsewhere", "", None, _paths(both), "$", fsum(node.points_lost for node in both))


def _spellings(tree: ScoreTree, options: CompareOptions | None) -> Iterator[Annotation]:
    """Yield one annotation for each kind of different notation."""
    by_spelling = grouped(
        (spelling, leaf)
        for leaf in tree.leaves()
        if leaf.kind == "scalar" and leaf.points_lost > 0
        if (spelling := spelling_of_same_value(leaf.ground_truth, leaf.prediction)) is not None
    )
    pair, gain = (tree.ground_truth, tree.prediction), 0.0
    if "number" in by_spelling and options is not None and options.numbers != BY_VALUE and differs_by_value(pair):
        gain = build_tree(*pair, replace(options, numbers=BY_VALUE)).score - tree.score
    for spelling, leaves in by_spelling.items():
        lost = fsum(leaf.points_lost for leaf in leaves)
        by_value = gain if spelling == "number" and gain > ROUNDING else None
        yield Annotation("different notation", spelling, "different notation", _paths(leaves), "$", lost, by_value)


def _paths(nodes: Sequence[ScoreTree]) -> tuple[str, ...]:
    return tuple(node.path for node in nodes)
