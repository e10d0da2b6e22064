"""The score tree of a tree edit distance: each key and text is kept, changed, missing or only in the prediction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from docscore.core.formatting import clipped
from docscore.core.values import step_text
from docscore.metrics.anls_star.tree import Kind, Status, Whole
from docscore.metrics.metric_tree import MetricTree, NodeSide, metric_node, status_of_parts, sums_of_parts
from docscore.metrics.tree_edit import FlatTree, Node, TreeDistances

_LONGEST_KEY = 40  # characters of a key that is named


@dataclass
class _Part:
    """A node of either tree, or of both.

    Attributes:
        truth, prediction: the node in the ground truth and in the prediction; None where it is inserted or deleted.
        cost: what its edit costs; 0 if it is kept.
        places: which child of its parent it is, in either tree.
        children: the parts below, those of the ground truth in its order, the others after their neighbours.
    """

    truth: Node | None
    prediction: Node | None
    cost: int
    places: tuple[int | None, int | None]
    children: list[_Part] = field(default_factory=list)

    @property
    def node(self) -> Node:
        """The node of the ground truth, or that of the prediction."""
        found = self.truth or self.prediction
        return found if found is not None else Node("", [])

    @property
    def weight(self) -> int:
        """What inserting it would cost, or its edit if that costs more."""
        return max(self.cost, _own_cost(self.node))


def _own_cost(node: Node) -> int:
    return len(node.label) if node.is_text else 1


def tree_of_edits(
    distances: TreeDistances, element: str, *, whole: int, values: tuple[Any, Any], score: float
) -> MetricTree:
    """Build the score tree of two documents from a cheapest way to turn one into the other.

    Args:
        distances: the distances of the tree of the ground truth and that of the prediction.
        element: the label of the nodes that are list elements and objects, not keys.
        whole: what inserting the whole ground truth costs: the points of the document.
        values: the ground truth and the prediction in plain types.
        score: the score of the document.

    Returns:
        A tree whose points are costs. A leaf is a key with its text, or a text in a list; its reason says the edits.
    """
    root = _merged(distances)
    shared = Whole(float(max(whole, 1)))
    builder = _Builder(element, shared)
    children = [builder.node(part, "$", "$") for part in root.children]
    lost = builder.cost
    headline = f"nTED: edits cost {lost:,} of {whole:,}"
    facts = (f"1 - {lost:,} / {whole:,}, at least 0; to insert or delete a key costs 1, a text its characters",)
    return metric_node(
        NodeSide(values[0], "$"),
        NodeSide(values[1], "$"),
        path="$",
        kind=_kind_of(children),
        status="exact" if score == 1 else "partial" if score else "wrong",
        points=(score * shared.weight, shared.weight),
        whole=shared,
        children=children,
        headline=headline,
        facts=facts,
    )


def _merged(distances: TreeDistances) -> _Part:
    """Both trees as one: that of the ground truth, with what only the prediction has below the nearest common node."""
    left, right = distances.left, distances.right
    partner = {**distances.cheapest_pairs(), len(left.nodes) - 1: len(right.nodes) - 1}
    above, over = _parents(left), _parents(right)
    place, spot = _places(above), _places(over)
    parts = [
        _Part(node, right.nodes[partner[i]], int(distances.changes[i, partner[i]]), (place[i], spot[partner[i]]))
        if i in partner
        else _Part(node, None, _own_cost(node), (place[i], None))
        for i, node in enumerate(left.nodes)
    ]
    for i, part in enumerate(parts[:-1]):
        parts[above[i]].children.append(part)
    of_right = {j: parts[i] for i, j in partner.items()}
    before: dict[int, _Part] = {}
    for j, node in enumerate(right.nodes[:-1]):
        if j not in of_right:
            of_right[j] = _Part(None, node, _own_cost(node), (None, spot[j]))
    for j in range(len(right.nodes) - 1):
        part, parent = of_right[j], of_right[over[j]]
        if part.truth is None:
            _insert(parent.children, part, before.get(over[j]))
        before[over[j]] = part
    return parts[-1]


def _insert(children: list[_Part], part: _Part, before: _Part | None) -> None:
    """Put a part behind its neighbour, if that stands here, else first."""
    at = next((number + 1 for number, each in enumerate(children) if each is before), 0)
    children.insert(at, part)


def _parents(tree: FlatTree) -> list[int]:
    """The number of the parent of each node; that of the root is its own."""
    found = list(range(len(tree.nodes)))
    waiting: list[int] = []
    for number, first in enumerate(tree.first.tolist()):
        while waiting and waiting[-1] >= first:
            found[waiting.pop()] = number
        waiting.append(number)
    return found


def _places(parents: Sequence[int]) -> list[int]:
    """Which child of its parent each node is."""
    seen: dict[int, int] = defaultdict(int)
    found = []
    for parent in parents:
        found.append(seen[parent])
        seen[parent] += 1
    return found


class _Builder:
    """Makes nodes of a score tree of the parts of merged trees, and sums what their edits cost."""

    def __init__(self, element: str, whole: Whole) -> None:
        self.element = element
        self.whole = whole
        self.cost = 0

    def node(self, part: _Part, truth_path: str | None, prediction_path: str | None) -> MetricTree:
        """The node of a part; a key and the only object or text below it are one."""
        is_key = not part.node.is_text and not self._is_element(part)
        key = part.node.label if is_key else None
        paths = tuple(
            None if path is None or node is None else path + step_text(node.label if is_key else place or 0)
            for path, node, place in zip(
                (truth_path, prediction_path), (part.truth, part.prediction), part.places, strict=True
            )
        )
        own = self._own(part, is_key=is_key)
        text = own[-1] if own[-1].node.is_text else None
        self.cost += sum(each.cost for each in own)
        children = [self.node(each, *paths) for each in own[-1].children]
        earned, weight = sums_of_parts(children)
        weight += sum(each.weight for each in own)
        earned += sum(each.weight - each.cost for each in own)
        texts = (None, None) if text is None else (text.truth, text.prediction)
        both = [
            NodeSide(each.label if each else None, path, None if is_key else place)
            for each, path, place in zip(texts, paths, part.places, strict=True)
        ]
        return metric_node(
            *both,
            path=paths[0] or paths[1] or "$",
            key=key,
            kind=_kind_of(children) if children else "scalar",
            status=_status(own, earned, weight, children),
            points=(earned, weight),
            whole=self.whole,
            reason="; ".join(filter(None, map(self._said, own))),
            children=children,
        )

    def _own(self, part: _Part, *, is_key: bool) -> list[_Part]:
        """A part, and what stands with it as one node: the only object below a key, and the only text."""
        own = [part]
        if is_key and len(part.children) == 1 and self._is_element(part.children[0]):
            below = part.children[0]
            if (below.truth is None, below.prediction is None) == (part.truth is None, part.prediction is None):
                own.append(below)
        only = own[-1].children[0] if len(own[-1].children) == 1 else None
        return [*own, only] if only is not None and only.node.is_text else own

    def _is_element(self, part: _Part) -> bool:
        return not part.node.is_text and part.node.label == self.element

    def _said(self, part: _Part) -> str:
        """The edit of a part and its cost, as words; "" if it is kept."""
        if not part.cost:
            return ""
        what = "text" if part.node.is_text else "element" if self._is_element(part) else "key"
        if part.prediction is None:
            return f"insert the {what}: {part.cost:,}"
        if part.truth is None:
            return f"delete the {what}: {part.cost:,}"
        was = "" if part.node.is_text else f" {clipped(part.prediction.label, _LONGEST_KEY)}"
        return f"relabel the {what}{was}: {part.cost:,}"


def _kind_of(children: Sequence[MetricTree]) -> Kind:
    return "list" if children and all(child.key is None for child in children) else "object"


def _status(own: Sequence[_Part], earned: float, weight: float, children: Sequence[MetricTree]) -> Status:
    """Exact if nothing is edited, missing or extra if all of it is on one side, else by what is earned."""
    if earned == weight:
        return "exact"
    below = {status_of_parts(children)} if children else set()
    for status, side in (("missing", 1), ("extra", 0)):
        if below <= {status} and all((part.truth, part.prediction)[side] is None for part in own[-1:]):
            return "missing" if side else "extra"
    return "partial" if earned else "wrong"
