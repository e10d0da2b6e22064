"""What a score tree says beyond its numbers: exchanged values, spellings, groups of equal losses, options taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import fsum
from typing import Any, Literal

from docscore.core.numbers import ROUNDING
from docscore.core.options import BY_VALUE, ScoringOptions
from docscore.core.same_value import Spelling, spelling_of_same_value
from docscore.core.similarity import fold, similarity, text_rule
from docscore.core.values import SCALAR_TYPES, Scalar, differs_by_value
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.causes import Cause
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import MetricTree

FEWEST = 3  # siblings that make a group


GroupCause = Cause | Literal["exact", "alike"]
# Groups whose line says enough.
WHOLES: tuple[GroupCause, ...] = ("exact", "alike", "missing row", "invented row", "repeated row")


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


def cause_in_words(cause: Cause, count: int | None = None) -> str:
    """What became of values, and how often: "one missing row", "3 wrong values", "wrong values"."""
    noun = _NOUNS[cause][count != 1]
    return noun if count is None else f"{'one' if count == 1 else f'{count:,}'} {noun}"


@dataclass(frozen=True)
class SiblingGroup:
    """Children of one node of a score tree that share a cause of lost points, or that are exact.

    Attributes:
        cause: why they lost points, "exact", or "alike" for rows of a list of which the same became as of one before
            them, in each of their places.
        parent: the path of the node above them.
        nodes: the children in order, at least `FEWEST`, or one less beside the row that they are like.
        like: the indices of that row on both sides, or "".
    """

    cause: GroupCause
    parent: str
    nodes: tuple[ScoreTree, ...]
    like: str = ""

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
        if self.like:
            return f"{self.count:,} rows like {self.like}"
        return f"{self.count:,} {_NOUNS[self.cause][self.count != 1]}"


def groups_of(tree: ScoreTree) -> list[SiblingGroup]:
    """The groups of all nodes of a tree, parents before children; none inside parts that are wholly exact or missing.

    Such a part is one line already; only the root, which is always open, has groups if all of it is exact.

    >>> from docscore import score_tree
    >>> [(group.name, group.parent) for group in groups_of(score_tree({"rows": []}, {"rows": ["a", "b", "c"]}))]
    [('3 invented rows', '$.rows')]
    """
    whole = "missing", "extra", "exact"
    open_nodes = (
        node for node in tree.nodes() if node.status not in whole or (node is tree and node.status == "exact")
    )
    groups = []
    for node in open_nodes:
        alike: dict[tuple[GroupCause, str], list[ScoreTree]] = {}
        for child in node.children:
            cause = "exact" if child.status == "exact" and child.weight else child.cause
            if cause is not None:
                alike.setdefault((cause, child.status), []).append(child)
        for (of_group, _), nodes in alike.items():
            if len(nodes) >= FEWEST:
                groups.append(SiblingGroup(of_group, node.path, tuple(nodes)))
        if node.kind == "list":
            groups.extend(_groups_of_rows(node))
    return groups


def _groups_of_rows(node: ScoreTree) -> Iterator[SiblingGroup]:
    """The rows of a list that are like one before them: the same became of each of their places."""
    alike: dict[tuple[tuple[str, str, Cause | None], ...], list[ScoreTree]] = {}
    for row in node.children:
        if row.children and row.cause is None and row.status != "exact":
            leaves = ((leaf.path.removeprefix(row.path), leaf.status, leaf.cause) for leaf in row.leaves())
            alike.setdefault(tuple(leaves), []).append(row)
    for first, *others in alike.values():
        if len(others) >= FEWEST - 1:
            yield SiblingGroup("alike", node.path, tuple(others), f"{first.truth_index} ↔ {first.prediction_index}")


def folded_tree(tree: ScoreTree) -> ScoreTree:
    """The tree with each group of siblings below one node, of the kind "group", at the place of the first of them.

    It is for drawing. Points earned, lost and possible are those of the tree; a group has the sums of its nodes. Rows
    that are like one before them are no such group.
    """
    return folded_nodes(tree, [group for group in groups_of(tree) if group.cause != "alike"])[id(tree)]


def folded_nodes(tree: ScoreTree, groups: Sequence[SiblingGroup]) -> dict[int, ScoreTree]:
    """The node of the folded tree for each node of the tree, by its `id`, where these groups are folded."""
    if not groups:
        return {id(node): node for node in tree.nodes()}
    group_of = {id(member): group for group in groups for member in group.nodes}
    done: dict[int, ScoreTree] = {}
    for node in reversed(list(tree.nodes())):  # children before parents
        children: list[ScoreTree] = []
        for child in node.children:
            group = group_of.get(id(child))
            if group is None:
                children.append(done[id(child)])
            elif child is group.nodes[0]:
                members = tuple(done[id(member)] for member in group.nodes)
                children.append(
                    replace(
                        child,
                        path=group.parent,
                        key=group.name,
                        kind="group",
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
                    )
                )
        done[id(node)] = replace(node, children=tuple(children)) if node.children else node
    return done


NEAR = 0.9  # a similarity from which an exchanged value counts as found


_MOST_EXCHANGED = 200  # values of one record, those that lost most first; each is compared with each


_SHORTEST = 3  # characters of a value that is found elsewhere; shorter ones are there by chance


AnnotationKind = Literal["exchanged", "elsewhere", "same value", "group", "option"]


@dataclass(frozen=True)
class Annotation:
    """A remark on a score tree.

    Attributes:
        kind: "exchanged" for two values of one record that stand in each other's place, "elsewhere" for a text that is
            expected at the first place only and predicted at the second only, "same value" for values that are only
            written differently, "group" for siblings that lose points for the same cause, "option" for the
            option of a one-of that was taken.
        subject: what it is about: for "same value" a spelling (`Spelling`), for "group" its name, for "option" the
            words "option 2 of 3", else "".
        cause: the cause of the points lost at a group and at values written differently, else None.
        paths: the places.
        parent: the path of the object or list that holds them; "$" where they have no parent in common.
        points_lost: what the places lose of the score of the document, in [0, 1]; of exchanged values, what they would
            not lose in the other order.
        gain: how much higher the score is with numbers compared by value; None where this does not help, or is done.
    """

    kind: AnnotationKind
    subject: str
    cause: Cause | None
    paths: tuple[str, ...]
    parent: str
    points_lost: float
    gain: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The attributes in plain types."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "cause": self.cause,
            "paths": list(self.paths),
            "parent": self.parent,
            "points_lost": self.points_lost,
            "gain": self.gain,
        }


def annotations_of(
    tree: ScoreTree, options: ScoringOptions | None, groups: Sequence[SiblingGroup] | None = None
) -> list[Annotation]:
    """The remarks on a score tree, most points first; a value is at most in one pair of exchanged ones.

    The tree of another metric than ANLS* and the typed score has none. A record is the root or an element of a list,
    with the objects in it.

    Args:
        tree: the root.
        options: how its texts were compared; None for a tree of the typed score, in which exchanged values are found
            where they are equal.
        groups: the groups of its siblings, if they are known: `groups_of(tree)`.

    >>> from docscore import score_tree
    >>> tree = score_tree({"vat": "DE811", "number": "A-77"}, {"vat": "A-77", "number": "DE811"})
    >>> [(each.kind, each.paths, each.points_lost) for each in annotations_of(tree, ScoringOptions())]
    [('exchanged', ('$.vat', '$.number'), 1.0)]
    """
    if isinstance(tree, MetricTree):
        return []
    groups = groups_of(tree) if groups is None else groups
    exchanged = list(_exchanges(tree, options))
    known = {path for each in exchanged for path in each.paths}
    found = [
        *exchanged,
        *_elsewhere(tree, known),
        *_spellings(tree, options),
        *(
            Annotation("group", group.name, group.cause, _paths(group.nodes), group.parent, group.points_lost)
            for group in groups
            if group.cause != "exact" and group.cause != "alike" and group.cause != "same value"  # noqa: PLR1714  for mypy
        ),
    ]
    reasons = ((node, node.reason.partition(";")[0]) for node in tree.nodes() if node.option is not None)
    options_taken = [
        Annotation("option", words, None, (node.path,), node.path, 0.0)
        for node, words in reasons
        if words.startswith("option ")  # of one-ofs that had several
    ]
    return [*options_taken, *sorted(found, key=lambda each: -each.points_lost)]


def _exchanges(tree: ScoreTree, options: ScoringOptions | None) -> Iterator[Annotation]:
    """The pairs of values of one record that would be right, or nearly, in each other's place."""
    for node in tree.nodes():
        if node.key is not None or node.kind != "object" or not _has_both(node) or node.status == "exact":
            continue
        found = []
        for pair in combinations(_leaves_that_lose(node), 2):
            gain = _gain_of_exchange(*pair, options)
            if gain > ROUNDING:
                found.append((gain, pair))
        taken: set[int] = set()
        for gain, pair in sorted(found, key=lambda each: (-each[0], sorted(leaf.path for leaf in each[1]))):
            if taken.isdisjoint(map(id, pair)):
                taken.update(map(id, pair))
                whole = node.points_lost / (node.weight - node.earned)  # of one point
                yield Annotation("exchanged", "", None, _paths(pair), node.path, gain * whole)


def _leaves_that_lose(record: ScoreTree) -> list[ScoreTree]:
    """The leaves of an object and of the objects in it that lose points and have a key on the side of the truth."""
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
    """Whether there is something on both sides."""
    return node.status not in ("missing", "extra")


def _gain_of_exchange(first: ScoreTree, second: ScoreTree, options: ScoringOptions | None) -> float:
    """The points that two leaves would earn more with each other's prediction; 0 unless both were right, or nearly."""
    gain = 0.0
    for leaf, other in ((first, second), (second, first)):
        share = _likeness(leaf.ground_truth, other.prediction, options)
        more = share - leaf.score
        if share < NEAR or more <= 0:
            return 0.0
        gain += more * leaf.weight
    return gain


def _likeness(truth: Scalar | None, prediction: Scalar | None, options: ScoringOptions | None) -> float:
    """The score of two values, in [0, 1]."""
    if truth is None or prediction is None:
        return float(truth is prediction)
    if options is None:
        return float(type(truth) is type(prediction) and truth == prediction)
    left, right = (fold(value, options.ignore_case, text_rule(options.numbers)) for value in (truth, prediction))
    return similarity(left, right, options.threshold)


def _elsewhere(tree: ScoreTree, known: set[str]) -> Iterator[Annotation]:
    """The texts of a record that are expected at one place only and predicted at another only, not yet known."""
    leaves = [leaf for leaf in tree.leaves() if leaf.points_lost > 0 and leaf.path not in known]
    expected = [leaf for leaf in leaves if isinstance(leaf.ground_truth, str) and len(leaf.ground_truth) >= _SHORTEST]
    predicted = [leaf for leaf in leaves if isinstance(leaf.prediction, str)]
    times = Counter(leaf.ground_truth for leaf in expected), Counter(leaf.prediction for leaf in predicted)
    places_of = {leaf.prediction: leaf for leaf in predicted}
    for leaf in expected:
        text = leaf.ground_truth
        if times[0][text] != 1 or times[1][text] != 1 or places_of[text] is leaf:
            continue
        both = leaf, places_of[text]
        if len({node.path.rpartition("]")[0] for node in both}) == 1:  # both in one element of the same lists
            yield Annotation("elsewhere", "", None, _paths(both), "$", fsum(node.points_lost for node in both))


def _spellings(tree: ScoreTree, options: ScoringOptions | None) -> Iterator[Annotation]:
    """The values that are only written differently, by what differs."""
    found: dict[Spelling, list[ScoreTree]] = {}
    for leaf in tree.leaves():
        if leaf.kind == "scalar" and leaf.points_lost > 0:
            spelling = spelling_of_same_value(leaf.ground_truth, leaf.prediction)
            if spelling is not None:
                found.setdefault(spelling, []).append(leaf)
    pair, gain = (tree.ground_truth, tree.prediction), 0.0
    if "number" in found and options is not None and options.numbers != BY_VALUE and differs_by_value(pair):
        gain = build_tree(*pair, replace(options, numbers=BY_VALUE)).score - tree.score
    for spelling, leaves in found.items():
        lost = fsum(leaf.points_lost for leaf in leaves)
        helps = gain if spelling == "number" and gain > ROUNDING else None
        yield Annotation("same value", spelling, "same value", _paths(leaves), "$", lost, helps)


def _paths(nodes: Sequence[ScoreTree]) -> tuple[str, ...]:
    return tuple(node.path for node in nodes)
