"""Why a score tree loses points, and what became of each value: causes of lost points, outcomes of leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal, get_args

from docscore.core.options import ScoringOptions
from docscore.core.runtime import with_room_to_recurse
from docscore.core.same_value import differ_in_punctuation, spelling_of_same_value
from docscore.core.values import Value, step_text
from docscore.metrics.anls_star.api import tell
from docscore.metrics.anls_star.matching import Identities
from docscore.metrics.anls_star.sizes import SchemaNode, Side
from docscore.metrics.anls_star.tree import Kind, ScoreTree, Status

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


# A node of a score tree in its schema: its path without list indices such as `items[].price`, `$` for the root; the
# node; and why points are lost at and below it, None if none are lost, or if its children have their own causes.
FieldPlace = tuple[str, ScoreTree, Cause | None]


def places(tree: ScoreTree, *, parsed: bool = True, absent: bool = False) -> Iterator[FieldPlace]:
    """Yield the nodes of a tree with their field paths and the causes of lost points, parents before children.

    Points lost inside a missing or invented part have the cause of the outermost such part.

    Args:
        tree: the root.
        parsed: False for a text that could not be parsed as JSON.
        absent: whether there was no prediction.

    >>> from docscore import score_tree
    >>> tree = score_tree({"n": "tea", "rows": [{"p": "1"}]}, {"n": "teh", "rows": [], "x": "y"})
    >>> [(name, cause) for name, node, cause in places(tree) if not node.children]
    [('n', 'near miss'), ('rows[].p', 'missing row'), ('x', 'invented field')]
    """
    above: Cause | None = "missing prediction" if absent else None
    if not parsed and tree.kind == "mismatch":
        above = "unparsable"
    identities = Identities()
    waiting = [("", tree, above)]
    while waiting:
        path, node, above = waiting.pop()
        cause = (above or _cause(node)) if node.earned != node.weight else None
        yield shown_path(path), node, cause
        repeated: Collection[int] = ()
        if cause is None and isinstance(node.prediction, list):
            alone = [child.prediction_index for child in node.children if child.truth_index is None]
            repeated = _repeated(node.prediction, [index for index in alone if index is not None], identities)
        below = []
        for child in node.children:
            step = "[]" if child.key is None else step_text(child.key)
            again: Cause | None = "repeated row" if child.prediction_index in repeated else None
            below.append((path + step, child, cause or again))
        waiting.extend(reversed(below))


def shown_path(path: str) -> str:
    """The path of a field from its steps, without the first dot; `$` for the whole value."""
    return path.removeprefix(".") or "$"


def _repeated(prediction: Sequence[Value], alone: Sequence[int], identities: Identities) -> set[int]:
    """The elements without a partner that equal an element that has one, or one before them that has none."""
    if not alone:
        return set()
    numbers = [identities.of(element) for element in prediction]
    without_partner = set(alone)
    known = {number for index, number in enumerate(numbers) if index not in without_partner}
    repeated = set()
    for index in sorted(alone):
        if numbers[index] in known:
            repeated.add(index)
        known.add(numbers[index])
    return repeated


def _cause(node: ScoreTree) -> Cause | None:
    """Why points were lost at a node; None for a container that has parts on both sides."""
    if node.status in ("missing", "extra"):
        return _ALONE[node.status, (node.truth_index is None) != (node.prediction_index is None)]
    return None if node.children else _cause_of_values(node.kind, node.status, node.ground_truth, node.prediction)


# By what became of a value that only one side has, and whether it is a list element without a partner.
_ALONE: dict[tuple[Status, bool], Cause] = {
    ("missing", False): "missing field",
    ("missing", True): "missing row",
    ("extra", False): "invented field",
    ("extra", True): "invented row",
}


def _cause_of_values(kind: Kind, status: Status, truth: Any, prediction: Any) -> Cause:
    """Why points were lost where both sides have a value without parts."""
    if kind == "mismatch":
        return "wrong type"
    if kind == "scalar" and spelling_of_same_value(truth, prediction):
        return "same value"
    if kind == "scalar" and differ_in_punctuation(truth, prediction):
        return "punctuation"
    return "near miss" if status == "partial" else "wrong value"


# A leaf of a score tree with points: its path without list indices, `$` for the root; its kind of node; what became of
# its value; S; L; why points are lost, None if none are; how a schema compared it, "" for as text; and the sides whose
# value could not be read so.
Leaf = tuple[str, Kind, Outcome, float, float, Cause | None, str, tuple[Side, ...]]

Partner = Literal["matched", "missing", "extra"]  # of a list element, or what it is without one


class FieldCounts:
    """What fields and lists count of one document at a time: its leaves with points and its list elements.

    Attributes:
        leaves: the leaves.
        elements: the list elements, by their paths, and whether they have a partner.
        earned: S of the document.
        weight: L of the document.
    """

    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self.elements: list[tuple[str, Partner]] = []
        self.earned = self.weight = 0.0
        self._root, self._absent = FieldPath(self, "", None), FieldPath(self, "", "missing prediction")

    def of_pair(
        self,
        gt: Value,
        pred: Value,
        options: ScoringOptions,
        schema: SchemaNode | None = None,
        *,
        parsed: bool = True,
        absent: bool = False,
    ) -> FieldCounts:
        """The counts of a ground truth and a prediction, which are scored without a tree.

        Args:
            gt: the ground truth, a plain value.
            pred: the prediction, a plain value.
            options: how values compare.
            schema: the root of a schema, or None.
            parsed: False for a text that could not be parsed as JSON.
            absent: whether there was no prediction.
        """
        root = self._absent if absent else self._root

        def start() -> FieldPath:
            self.leaves, self.elements = [], []
            return root

        self.earned, self.weight = with_room_to_recurse(tell, gt, pred, options, start, schema)
        if not parsed and self.leaves and self.leaves[0][:2] == ("$", "mismatch"):
            self.leaves[0] = *self.leaves[0][:5], "unparsable", *self.leaves[0][6:]
        return self


class FieldPath:
    """A place of a schema in all documents, the `Place` of the scorer that fills counts of fields.

    Args:
        counts: what is filled.
        path: the path without list indices; "" for the root.
        cause: why all points here are lost; None where each value has its own cause.
    """

    __slots__ = ("below", "cause", "counts", "name", "path")

    def __init__(self, counts: FieldCounts, path: str, cause: Cause | None) -> None:
        self.counts, self.path, self.cause = counts, path, cause
        self.name = shown_path(path)
        self.below: dict[str | tuple[str, Cause | None], FieldPath] = {}

    def at_key(self, key: str, *, absent: bool = False) -> FieldPath:  # noqa: ARG002  a cause has no use for it
        return self.below.get(key) or self._at(key, step_text(key), self.cause)

    def at_index(self, _: int, prediction: int | None) -> FieldPath:
        if prediction is None:
            return self._element("missing", self.cause or "missing row")
        return self._element("matched", self.cause)

    def at_surplus(self, prediction: list[Value], indices: Sequence[int]) -> list[FieldPath]:
        repeated = _repeated(prediction, indices, Identities()) if self.cause is None else ()
        causes = (self.cause or ("repeated row" if i in repeated else "invented row") for i in indices)
        return [self._element("extra", cause) for cause in causes]

    def at_option(self, option: int, count: int = 1) -> FieldPath:  # noqa: ARG002  a field holds the values of all
        return self

    def alone(self, status: Literal["missing", "extra"], note: str = "") -> FieldPath:  # noqa: ARG002  it is for trees
        return self if self.cause else self._at(("", _ALONE[status, False]), "", _ALONE[status, False])

    def make(
        self,
        kind: Kind,
        status: Status,
        earned: float,
        weight: float,
        truth: Value,
        prediction: Value,
        schema: SchemaNode | None,
    ) -> None:
        if weight and kind not in ("list", "object"):
            cause = self.cause
            if earned == weight:
                cause = None
            elif cause is None:
                cause = _cause_of_values(kind, status, truth, prediction)
            compared = ""
            unreadable: tuple[Side, ...] = ()
            if schema is not None and schema.comparator is not None and kind == "scalar":
                compared = schema.comparator.label
                unreadable = schema.comparator.unreadable(truth, prediction)  # type: ignore[arg-type]
            outcome: Outcome = "wrong_type" if kind == "mismatch" and status == "wrong" else status
            self.counts.leaves.append((self.name, kind, outcome, earned, weight, cause, compared, unreadable))

    def _element(self, partner: Partner, cause: Cause | None) -> FieldPath:
        element = self._at(("[]", cause), "[]", cause)
        self.counts.elements.append((element.name, partner))
        return element

    def _at(self, name: str | tuple[str, Cause | None], step: str, cause: Cause | None) -> FieldPath:
        place = self.below.get(name)
        if place is None:
            place = self.below[name] = FieldPath(self.counts, self.path + step, cause)
        return place
