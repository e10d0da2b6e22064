"""nTED, the normalised tree edit distance of Donut's evaluation: 1 - TED / TED(empty, ground truth).

Kim et al. 2022, OCR-free Document Understanding Transformer, arXiv 2111.15664. A document is a tree of keys, list
elements and texts. Deleting or inserting a text costs its length, a key 1; changing a text costs its edit distance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from docscore.core.options import NUMBERS, CompareOptions, check_choice
from docscore.core.runtime import call_with_fresh_stack, check_memory
from docscore.core.similarity import TEXT_RULES, ScalarText
from docscore.core.values import Value, plain_pair, scalar_text
from docscore.metrics.base import FigureName, MeanOfRows, MetricRow
from docscore.metrics.entities import donut_value, json_text, length_first, readings

_ROOT, _ELEMENT = "<root>", "<subtree>"  # the names in the published implementation, which keys may have too
_LEAF = "<leaf>"  # the mark of texts in the published implementation
_BYTES_A_PAIR = 28  # bytes per pair of nodes: costs of changes, distances of subtrees, and temporary arrays


def nted_score(gt: object, pred: object, *, donut: bool = False, numbers: str = "text") -> float:
    """Compute the accuracy by normalised tree edit distance: max(0, 1 - TED / TED(empty, ground truth)).

    Keys are sorted by length, then by name; null, "", [] and {} are left out; texts are stripped. Lists keep their
    order. The best of several alternatives counts.

    Args:
        gt: the ground truth, as for `anls_score`.
        pred: the prediction.
        donut: reproduce the published implementation exactly. It also leaves out 0 and False, and, in lists that do not
            hold only objects, all booleans, lists and objects; an empty ground truth scores 0 even with an empty
            prediction. Otherwise these values count, and two empty documents score 1.
        numbers: "text" to compare JSON numbers as printed, "value" to compare them by value, as for `anls_score`.

    Returns:
        The accuracy in [0, 1]; 1 is best.

    Raises:
        TypeError, ValueError: as `anls_score`; also for a ground truth with more than 1,000 combinations of
            alternatives, or more than 40,000 values in all combinations (100 characters count as a value).

    >>> nted_score({"menu": [{"nm": "tea"}]}, {"menu": [{"nm": "tee"}]})
    0.8333333333333334
    """
    values = plain_pair(gt, pred)
    return call_with_fresh_stack(_best_score, *values, donut, numbers)


def _best_score(gt: Value, pred: Value, donut: bool, numbers: str) -> float:
    """Compare each reading of the ground truth with the prediction, and return the best score."""
    check_choice("numbers", numbers, NUMBERS)
    text = TEXT_RULES[numbers]
    right = document_tree(pred, text, donut=donut)

    def score_of(truth: Value) -> float:
        left = document_tree(truth, text, donut=donut)
        sizes = len(left.labels), len(right.labels)
        check_memory(*sizes, things="nodes", bytes_a_pair=_BYTES_A_PAIR, place="$")
        whole = int(left.costs.sum()) - 1  # the root is never inserted
        empty = 0.0 if donut or sizes[1] > 1 else 1.0
        return max(0.0, 1 - int(TreeDistances(left, right).trees[-1, -1]) / whole) if whole else empty

    return max(map(score_of, readings(gt, scalars=True)))


def document_tree(value: Value, text: ScalarText = scalar_text, *, donut: bool = False) -> FlatTree:
    """Convert a plain value without alternatives to a tree; `text` returns the text of a scalar."""
    nodes: list[Node] = []
    if donut:
        _add_donut(nodes, donut_value(value, text))
    elif isinstance(value, dict):
        _add_fields(nodes, value, text)
    else:
        _add_value(nodes, value, text)
    return FlatTree([*nodes, (_ROOT, False, 0)])


def _add_fields(nodes: list[Node], items: dict[str, Value], text: ScalarText) -> None:
    """Add the nodes of the keys with non-empty values, shorter keys first."""
    for key in sorted(items, key=length_first):
        start = len(nodes)
        _add_value(nodes, items[key], text)
        _add_parent(nodes, key, start)


def _add_value(nodes: list[Node], value: Value, text: ScalarText) -> None:
    """Add the nodes of a value: one element node for an object, the nodes of all elements for a list."""
    start = len(nodes)
    if isinstance(value, dict):
        _add_fields(nodes, value, text)
        _add_parent(nodes, _ELEMENT, start)
    elif isinstance(value, list):
        for item in value:
            start = len(nodes)
            _add_value(nodes, item, text)
            if isinstance(item, list):
                _add_parent(nodes, _ELEMENT, start)
    elif value is not None and (label := json_text(value, text).strip()):  # type: ignore[arg-type]
        nodes.append((label, True, start))


def _add_parent(nodes: list[Node], label: str, start: int) -> None:
    """Add the parent of all nodes that were added since `start`, if there are any."""
    if len(nodes) > start:
        nodes.append((label, False, start))


def _add_donut(nodes: list[Node], value: Any) -> None:
    """Add the nodes of a value from `donut_value`; a node with a mark is a text, as in the published implementation."""
    if isinstance(value, dict):
        parts = [*value.items()]
    else:
        parts = [(_ELEMENT, item) if isinstance(item, dict) else (_LEAF + item, ()) for item in value]
    for label, below in parts:
        start = len(nodes)
        _add_donut(nodes, below)
        nodes.append((label.replace(_LEAF, ""), _LEAF in label, start))


class Nted(MeanOfRows):
    """nTED as a metric of a test set: the mean over rows."""

    name = "nted"
    label = "nTED"
    figures = (FigureName("nted", "nTED"),)
    figure_meanings: ClassVar[Mapping[str, str]] = {
        "nted": "1 - cost of the edits / cost of inserting the ground truth; a key costs 1, a text its characters.",
    }
    options = frozenset({"donut", "numbers"})

    def row_points(self, row: MetricRow, options: CompareOptions) -> float:
        return call_with_fresh_stack(_best_score, *row[:2], options.donut, options.numbers)


Costs = npt.NDArray[np.signedinteger[Any]]
Node = tuple[str, bool, int]  # the label, whether it is a text, and the number of the leftmost leaf below the node


class FlatTree:
    """A tree in postorder.

    Args:
        nodes: n nodes, children before their parents.

    Attributes:
        labels: a key, the name of a list element, or a text for each node.
        is_text: whether each node is a text, shape (n,).
        first: the number of the leftmost leaf below each node, shape (n,).
        costs: the cost of deleting or inserting each node, shape (n,).
        roots: the key roots in order: the nodes with a left sibling, and the root.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.labels = [label for label, _, _ in nodes]
        self.is_text, self.first = (np.array([node[i] for node in nodes]) for i in (1, 2))
        self.costs = np.array([len(label) if is_text else 1 for label, is_text, _ in nodes], dtype=np.int64)
        self.roots = sorted({first: number for number, (_, _, first) in enumerate(nodes)}.values())

    @property
    def forests(self) -> int:
        """The number of forests; comparing two trees takes time in proportion to the product of both numbers."""
        return sum(number + 1 - int(self.first[number]) for number in self.roots)


class TreeDistances:
    """The least costs of turning subtrees of one ordered tree into subtrees of another, by Zhang and Shasha.

    For each key root of the left tree, array operations compute one row of all forests of the right tree at a time. A
    row has one part for each key root of the right tree: first the empty forest, then the nodes from the leftmost leaf
    to the key root. Parts are sorted by how deep other key roots are nested in them, so a part comes after the parts
    that it depends on.

    Source:
        Zhang and Shasha 1989, Simple fast algorithms for the editing distance between trees and related problems,
        SIAM J. Comput. 18(6).

    Attributes:
        left: one tree, of n nodes.
        right: the other tree, of m nodes.
        changes: the cost of changing each node of the left tree into each node of the right one, shape (n, m).
        trees: the distance of every pair of subtrees, by the nodes at their roots, shape (n, m).
    """

    def __init__(self, left: FlatTree, right: FlatTree) -> None:
        self.left, self.right = left, right
        self.changes = _change_costs(left, right)
        self.trees = np.zeros(self.changes.shape, dtype=np.int32)  # half the memory; texts are shorter than 2**31
        parts = _parts(right)
        starts = np.cumsum([0, *(len(part) + 1 for _, part in parts)])[:-1]
        width = sum(len(part) + 1 for _, part in parts)
        self.column = np.concatenate(
            [start + 1 + np.arange(len(part)) for start, (_, part) in zip(starts, parts, strict=True)]
        )
        self.node = np.concatenate([part for _, part in parts])
        first = np.concatenate([right.first[part] - part[0] for _, part in parts])
        self.is_tree = first == 0  # whether the forest up to this node is one tree
        start_of = np.repeat(starts, [len(part) for _, part in parts])
        self.before = start_of + first  # the forest to the left of the tree that ends at this node
        self.levels = _slices([level for level, part in parts for _ in part])
        self.reaches = _slices([level for level, part in parts for _ in range(len(part) + 1)])  # with empty forests
        self.inserted = np.zeros(width, dtype=np.int64)
        for start, (_, part) in zip(starts, parts, strict=True):
            self.inserted[start + 1 : start + 1 + len(part)] = np.cumsum(right.costs[part])
        # an offset for each part, so that a running minimum does not carry over to the next one
        number = np.repeat(np.arange(len(parts)), [len(part) + 1 for _, part in parts])
        self.step = number * (int(left.costs.sum() + right.costs.sum()) * 2 + 2)
        for root in left.roots:
            self._compare_forests(root)

    def _compare_forests(self, root: int) -> None:
        """Compute the distances of all forests that begin at the leftmost leaf below a left node, one row per node."""
        start = self.left.first[root]
        rows = [self.inserted]
        for node in range(start, root + 1):
            row = rows[-1] + self.left.costs[node]  # the node deleted
            if self.left.first[node] == start:
                self._tree_row(rows, row, node)
            else:
                kept = rows[self.left.first[node] - start][self.before] + self.trees[node, self.node]
                row[self.column] = np.minimum(row[self.column], kept)
                row = self._with_insertions(row, slice(None))
            rows.append(row)

    def _tree_row(self, rows: list[Costs], row: Costs, node: int) -> None:
        """Fill the row of a forest that is a tree, and store its distances to the trees of the right side."""
        above, deleted = rows[-1], row.copy()
        for level, reach in zip(self.levels, self.reaches, strict=True):
            column, is_tree, inside = self.column[level], self.is_tree[level], self.node[level]
            kept = rows[0][self.before[level]] + self.trees[node, inside]
            changed = above[column - 1] + self.changes[node, inside]
            deleted[column] = np.minimum(deleted[column], np.where(is_tree, changed, kept))
            row[reach] = self._with_insertions(deleted, reach)
            self.trees[node, inside[is_tree]] = row[column[is_tree]]

    def _with_insertions(self, row: Costs, reach: slice) -> Costs:
        """Return columns of the row after insertions at the end of each forest; `reach` covers entire parts."""
        offset = self.inserted[reach] + self.step[reach]
        return np.minimum.accumulate(row[reach] - offset) + offset  # type: ignore[no-any-return]


def _parts(tree: FlatTree) -> list[tuple[int, npt.NDArray[np.intp]]]:
    """Return the nesting depth of key roots and the nodes of the tree at each key root, least nested first."""
    roots = set(tree.roots)
    level = [0] * len(tree.labels)
    parts = []
    for root in tree.roots:
        start = int(tree.first[root])
        inner = [level[node] for node in range(start, root) if node in roots]
        level[root] = 1 + max(inner) if inner else 0
        parts.append((level[root], np.arange(start, root + 1)))
    return sorted(parts, key=lambda part: part[0])


def _slices(levels: Sequence[int]) -> list[slice]:
    """Return the slices of runs of equal numbers."""
    ends = [i for i in range(1, len(levels) + 1) if i == len(levels) or levels[i] != levels[i - 1]]
    return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]


def _change_costs(left: FlatTree, right: FlatTree) -> Costs:
    """Return the cost of changing each left node into each right one.

    It is the edit distance of two texts, 1 for different keys, and for a key and a text the length of the text + 1.
    """
    lengths, others = (np.array([*map(len, side.labels)], dtype=np.int32) for side in (left, right))
    distances: Costs = cdist(left.labels, right.labels, scorer=Levenshtein.distance, dtype=np.int32)
    one_text = np.where(left.is_text[:, None], lengths[:, None], others) + 1
    both = np.logical_and.outer(left.is_text, right.is_text)
    neither = ~np.logical_or.outer(left.is_text, right.is_text)
    return np.where(both, distances, np.where(neither, np.minimum(distances, 1), one_text))
