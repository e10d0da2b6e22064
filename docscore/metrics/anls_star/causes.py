"""Why a score tree loses points, and what became of each value: causes of lost points, outcomes of leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple, get_args

from docscore.core.same_value import are_same_value, differ_in_punctuation
from docscore.core.values import step_text
from docscore.metrics.anls_star.matching import Identities
from docscore.metrics.anls_star.tree import ScoreTree

Cause = Literal[
    "wrong value",
    "near miss",
    "same value",
    "punctuation",
    "wrong type",
    "missing field",
    "missing row",
    "missing prediction",
    "invented field",
    "invented row",
    "repeated row",
    "unparsable",
]

CAUSES: tuple[Cause, ...] = get_args(Cause)

MEANINGS: dict[Cause, str] = {
    "wrong value": "a text whose similarity is below the threshold",
    "near miss": "a text that is similar, but not the same",
    "same value": "the same number or date, written differently",
    "punctuation": "a text with the same letters and digits, but other punctuation or spaces",
    "wrong type": "an object, a list or a text where another of them is expected",
    "missing field": "a key of the ground truth without a value in the prediction",
    "missing row": "an element of a list of the ground truth without a partner",
    "missing prediction": "a document without a prediction",
    "invented field": "a value where nothing is expected",
    "invented row": "an element of a list of the prediction without a partner",
    "repeated row": "an element of a list of the prediction without a partner, equal to another element of it",
    "unparsable": "a text that could not be read as JSON, where an object or a list is expected",
}


Outcome = Literal["exact", "partial", "wrong", "wrong_type", "missing", "extra"]

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class FieldPlace(NamedTuple):
    """A node of a score tree in its schema.

    Attributes:
        path: the path without list indices, such as `items[].price`; "" for the root.
        node: the node.
        cause: why points are lost at and below it; None if none are lost, or if its children have their own causes.
    """

    path: str
    node: ScoreTree
    cause: Cause | None

    @property
    def name(self) -> str:
        """The path as shown in tables: without the first dot, `$` for the root."""
        return self.path.removeprefix(".") or "$"

    @property
    def counts(self) -> bool:
        """Whether it is a leaf with points."""
        return not self.node.children and self.node.weight > 0


def places(tree: ScoreTree, *, parsed: bool = True, absent: bool = False) -> Iterator[FieldPlace]:
    """Yield the nodes of a tree with their field paths and the causes of lost points, parents before children.

    Points lost inside a missing or invented part have the cause of the outermost such part.

    Args:
        tree: the root.
        parsed: False for a text that could not be parsed as JSON.
        absent: whether there was no prediction.

    >>> from docscore import score_tree
    >>> tree = score_tree({"n": "tea", "rows": [{"p": "1"}]}, {"n": "teh", "rows": [], "x": "y"})
    >>> [(place.name, place.cause) for place in places(tree) if place.counts]
    [('n', 'near miss'), ('rows[].p', 'missing row'), ('x', 'invented field')]
    """
    above: Cause | None = "missing prediction" if absent else None
    if not parsed and tree.kind == "mismatch":
        above = "unparsable"
    identities = Identities()
    waiting = [FieldPlace("", tree, above)]
    while waiting:
        path, node, above = waiting.pop()
        cause = (above or _cause(node)) if node.earned != node.weight else None
        yield FieldPlace(path, node, cause)
        steps = ("[]" if child.key is None else step_text(child.key) for child in node.children)
        repeated = _repeated(node, identities) if cause is None else ()
        causes = (cause or ("repeated row" if id(child) in repeated else None) for child in node.children)
        below = [
            FieldPlace(path + step, child, each) for step, child, each in zip(steps, node.children, causes, strict=True)
        ]
        waiting.extend(reversed(below))


def _repeated(node: ScoreTree, identities: Identities) -> Collection[int]:
    """By `id`, the children without a partner that equal an element that has one, or one before them that has none."""
    alone = [child for child in node.children if child.status == "extra" and child.prediction_index is not None]
    if not alone or not isinstance(node.prediction, list):
        return ()
    numbers = [identities.of(element) for element in node.prediction]
    places_alone = {child.prediction_index for child in alone}
    known = {number for index, number in enumerate(numbers) if index not in places_alone}
    found = set()
    for child in sorted(alone, key=lambda child: child.prediction_index or 0):
        number = numbers[child.prediction_index or 0]
        if number in known:
            found.add(id(child))
        known.add(number)
    return found


def _cause(node: ScoreTree) -> Cause | None:
    """Why points were lost at a node; None for a container that has parts on both sides."""
    if node.status in ("missing", "extra"):
        unmatched = (node.truth_index is None) != (node.prediction_index is None)
        if node.status == "missing":
            return "missing row" if unmatched else "missing field"
        return "invented row" if unmatched else "invented field"
    if node.children or node.kind == "mismatch":
        return None if node.children else "wrong type"
    if node.kind == "scalar" and are_same_value(node.ground_truth, node.prediction):
        return "same value"
    if node.kind == "scalar" and differ_in_punctuation(node.ground_truth, node.prediction):
        return "punctuation"
    return "near miss" if node.status == "partial" else "wrong value"


def outcome_of(leaf: ScoreTree) -> Outcome:
    """What became of the value of a leaf."""
    return "wrong_type" if leaf.kind == "mismatch" and leaf.status == "wrong" else leaf.status
