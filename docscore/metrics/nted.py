"""nTED: the normalised tree edit distance, as Donut's evaluation uses it: 1 - TED / TED(empty, ground truth).

Kim et al. 2022, OCR-free Document Understanding Transformer, arXiv 2111.15664. A document is a tree of keys, list
elements and texts; deleting or inserting a text costs its length, a key 1; changing a text costs its edit distance.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from docscore.core.memory import check_memory
from docscore.core.options import ScoringOptions
from docscore.core.stack import with_room_to_recurse
from docscore.core.values import Value, convert_ground_truth, convert_prediction
from docscore.metrics.base import FigureName, MeanOfRows, MetricRow
from docscore.metrics.edit_trees import tree_of_edits
from docscore.metrics.entities import donut_value, json_text, length_first, readings
from docscore.metrics.metric_tree import MetricTree
from docscore.metrics.tree_edit import FlatTree, Node, TreeDistances

_ROOT, _ELEMENT = "<root>", "<subtree>"  # as in the published implementation, where a key may have the same name


_BYTES_A_PAIR = 28  # of nodes: the costs of changes, the distances of subtrees, and the work for them


_LEAF = "<leaf>"  # its mark of texts


def nted_score(gt: object, pred: object, *, donut: bool = False) -> float:
    """Compute the normalised tree edit distance as an accuracy: max(0, 1 - TED / TED(empty, ground truth)).

    Keys are sorted by length, then by name; null, "", [] and {} are left out; texts are stripped. Lists are compared in
    their order. Of several alternatives the best one counts.

    Args:
        gt: the ground truth, as for `anls_score`.
        pred: the prediction.
        donut: reproduce the published implementation exactly: 0 and False are left out too, as are booleans, lists and
            objects in a list that does not only hold objects, and an empty ground truth scores 0 even with an
            empty prediction. Otherwise these values count, and two empty documents score 1.

    Returns:
        The accuracy in [0, 1]; 1 is best.

    Raises:
        TypeError, ValueError: as `anls_score`; also for a ground truth with over 1,000 combinations of alternatives,
            or over 40,000 values in all combinations (100 characters count as a value).

    >>> nted_score({"menu": [{"nm": "tea"}]}, {"menu": [{"nm": "tee"}]})
    0.8333333333333334
    """
    return with_room_to_recurse(_best_accuracy, gt, pred, donut)


class _ComparedTrees(NamedTuple):
    """A ground truth, its alternatives chosen, compared with the prediction.

    Attributes:
        score: the accuracy.
        truth: the ground truth in plain types.
        whole: what inserting it costs.
        distances: the distances of the subtrees of both.
    """

    score: float
    truth: Value
    whole: int
    distances: TreeDistances


def _best_accuracy(gt: object, pred: object, donut: bool) -> float:
    prediction = FlatTree(document_tree(convert_prediction(pred), donut=donut))
    found = readings(convert_ground_truth(gt), scalars=True)
    return max(_compared(truth, prediction, donut=donut).score for truth in found)


def _compared(truth: Value, right: FlatTree, *, donut: bool) -> _ComparedTrees:
    left = FlatTree(document_tree(truth, donut=donut))
    sizes = len(left.nodes), len(right.nodes)
    check_memory(*sizes, things="nodes", bytes_a_pair=_BYTES_A_PAIR, place="$")
    distances = TreeDistances(left, right)
    whole = int(left.costs.sum()) - 1  # the root is never inserted
    empty = 0.0 if donut or sizes[1] > 1 else 1.0
    score = max(0.0, 1 - distances.of_roots / whole) if whole else empty
    return _ComparedTrees(score, truth, whole, distances)


def nted_tree(gt: object, pred: object, *, donut: bool = False) -> MetricTree:
    """The score tree of nTED: which keys and texts have to be inserted, deleted and changed, and what each costs.

    The points of a document are the cost of inserting its ground truth. Arguments and errors are those of `nted_score`.

    >>> print(nted_tree({"menu": [{"nm": "tea"}]}, {"menu": [{"nm": "tee"}]}))
    ≈ $         0.833  -0.167  (5 of 6 points)
    └─ ≈ menu   0.833  -0.167
       └─ ≈ nm  0.750  -0.167  "tea" → "tee"  (relabel the text: 1)
    """
    return with_room_to_recurse(_tree_of_best, gt, pred, donut)


def _tree_of_best(gt: object, pred: object, donut: bool) -> MetricTree:
    plain = convert_prediction(pred)
    prediction = FlatTree(document_tree(plain, donut=donut))
    found = (_compared(truth, prediction, donut=donut) for truth in readings(convert_ground_truth(gt), scalars=True))
    best = max(found, key=lambda each: each.score)
    values = best.truth, plain
    return tree_of_edits(best.distances, _ELEMENT, whole=best.whole, values=values, score=best.score)


def document_tree(value: Value, *, donut: bool = False) -> Node:
    """Convert a plain value without alternatives to a tree."""
    if donut:
        return Node(_ROOT, _donut_nodes(donut_value(value)))
    return Node(_ROOT, _fields(value) if isinstance(value, dict) else _branches(value))


def _fields(items: dict[str, Value]) -> list[Node]:
    """The nodes of the keys with non-empty values, shorter keys first."""
    found = ((key, _branches(items[key])) for key in sorted(items, key=length_first))
    return [Node(key, below) for key, below in found if below]


def _branches(value: Value) -> list[Node]:
    """The nodes of a value: one element node for an object, the nodes of all elements for a list."""
    if isinstance(value, dict):
        below = _fields(value)
        return [Node(_ELEMENT, below)] if below else []
    if isinstance(value, list):
        nodes: list[Node] = []
        for item in value:
            below = _branches(item)
            nodes += [Node(_ELEMENT, below)] if isinstance(item, list) and below else below
        return nodes
    label = "" if value is None else json_text(value).strip()  # type: ignore[arg-type]
    return [Node(label, [], is_text=True)] if label else []


def _donut_nodes(value: Any) -> list[Node]:
    """The child nodes for a value from `donut_value`."""
    if isinstance(value, dict):
        return [_marked(key, _donut_nodes(below)) for key, below in value.items()]
    if all(isinstance(item, dict) for item in value):
        return [_marked(_ELEMENT, _donut_nodes(item)) for item in value]
    return [_marked(_LEAF + item, []) for item in value]


def _marked(label: str, children: list[Node]) -> Node:
    """A node with the marks removed from its label; a text if there was one, as in the published implementation."""
    return Node(label.replace(_LEAF, ""), children, is_text=_LEAF in label)


class Nted(MeanOfRows):
    """nTED as a metric of a test set: the mean over documents."""

    name: ClassVar[str] = "nted"
    label: ClassVar[str] = "nTED"
    figures: ClassVar[tuple[FigureName, ...]] = (FigureName("nted", "nTED"),)
    options: ClassVar[frozenset[str]] = frozenset({"donut"})

    def row_points(self, row: MetricRow, options: ScoringOptions) -> float:
        return nted_score(row.ground_truth, row.prediction, donut=options.donut)

    def tree(self, row: MetricRow, options: ScoringOptions) -> MetricTree:
        return nted_tree(row.ground_truth, row.prediction, donut=options.donut)
