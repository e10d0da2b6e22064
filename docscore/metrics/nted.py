"""nTED: the normalised tree edit distance, as Donut's evaluation uses it: 1 - TED / TED(empty, ground truth).

Kim et al. 2022, OCR-free Document Understanding Transformer, arXiv 2111.15664. A document is a tree of keys, list
elements and texts; deleting or inserting a text costs its length, a key 1; changing a text costs its edit distance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from docscore.core.formatting import clipped
from docscore.core.limits import check_memory
from docscore.core.options import NUMBERS, ScoringOptions, check_choice
from docscore.core.runtime import with_room_to_recurse
from docscore.core.similarity import ScalarText, text_rule
from docscore.core.values import Value, convert_ground_truth, convert_prediction, scalar_text, step_text
from docscore.metrics.anls_star.tree import Kind, Status, Whole, status_of
from docscore.metrics.base import (
    FigureName,
    MeanOfRows,
    MetricRow,
    MetricTree,
    NodeSide,
    metric_node,
)
from docscore.metrics.entities import donut_value, json_text, length_first, readings

_ROOT, _ELEMENT = "<root>", "<subtree>"  # as in the published implementation, where a key may have the same name


_BYTES_A_PAIR = 28  # of nodes: the costs of changes, the distances of subtrees, and the work for them


_LEAF = "<leaf>"  # its mark of texts


def nted_score(gt: object, pred: object, *, donut: bool = False, numbers: str = "text") -> float:
    """Compute the normalised tree edit distance as an accuracy: max(0, 1 - TED / TED(empty, ground truth)).

    Keys are sorted by length, then by name; null, "", [] and {} are left out; texts are stripped. Lists are compared in
    their order. Of several alternatives the best one counts.

    Args:
        gt: the ground truth, as for `anls_score`.
        pred: the prediction.
        donut: reproduce the published implementation exactly: 0 and False are left out too, as are booleans, lists and
            objects in a list that does not only hold objects, and an empty ground truth scores 0 even with an
            empty prediction. Otherwise these values count, and two empty documents score 1.
        numbers: "text" to compare JSON numbers as they print, "value" to compare them by value, as for `anls_score`.

    Returns:
        The accuracy in [0, 1]; 1 is best.

    Raises:
        TypeError, ValueError: as `anls_score`; also for a ground truth with over 1,000 combinations of alternatives,
            or over 40,000 values in all combinations (100 characters count as a value).

    >>> nted_score({"menu": [{"nm": "tea"}]}, {"menu": [{"nm": "tee"}]})
    0.8333333333333334
    """
    values = convert_ground_truth(gt), convert_prediction(pred)
    return with_room_to_recurse(_best_accuracy, *values, donut, numbers)[0]


_Compared = tuple[float, tuple[Value, Value], int, "TreeDistances"]  # score, values, points, distances of subtrees


def _best_accuracy(gt: Value, plain: Value, donut: bool, numbers: str) -> _Compared:
    """The best of the ground truth's readings: its score, the plain values, what inserting it costs, and distances."""
    check_choice("numbers", numbers, NUMBERS)
    text = text_rule(numbers)
    right = FlatTree(document_tree(plain, text, donut=donut))
    compared: list[_Compared] = []
    for truth in readings(gt, scalars=True):
        left = FlatTree(document_tree(truth, text, donut=donut))
        sizes = len(left.nodes), len(right.nodes)
        check_memory(*sizes, things="nodes", bytes_a_pair=_BYTES_A_PAIR, place="$")
        distances = TreeDistances(left, right)
        whole = int(left.costs.sum()) - 1  # the root is never inserted
        empty = 0.0 if donut or sizes[1] > 1 else 1.0
        score = max(0.0, 1 - int(distances.trees[-1, -1]) / whole) if whole else empty
        compared = [max([*compared, (score, (truth, plain), whole, distances)], key=lambda each: each[0])]
    return compared[0]


def nted_tree(gt: object, pred: object, *, donut: bool = False, numbers: str = "text") -> MetricTree:
    """The score tree of nTED: which keys and texts have to be inserted, deleted and changed, and what each costs.

    The points of a document are the cost of inserting its ground truth. Arguments and errors are those of `nted_score`.

    >>> print(nted_tree({"menu": [{"nm": "tea"}]}, {"menu": [{"nm": "tee"}]}))
    ≈ $         0.833  -0.167  (5 of 6 points)
    └─ ≈ menu   0.833  -0.167
       └─ ≈ nm  0.750  -0.167  "tea" → "tee"  (relabel the text: 1)
    """
    values = convert_ground_truth(gt), convert_prediction(pred)
    return with_room_to_recurse(_tree_of_best, *values, donut, numbers)


def _tree_of_best(gt: Value, pred: Value, donut: bool, numbers: str) -> MetricTree:
    score, values, whole, distances = _best_accuracy(gt, pred, donut, numbers)
    shared = Whole(float(max(whole, 1)))
    builder = _Builder(distances, shared)
    children = [builder.node(part, "$", "$") for part in builder.below[builder.root]]
    return metric_node(
        (values[0], "$", None),
        (values[1], "$", None),
        path="$",
        kind=_kind_of(children),
        status=status_of(score, 1),
        points=(score * shared.weight, shared.weight),
        whole=shared,
        children=children,
        headline=f"nTED: edits cost {builder.cost:,} of {whole:,}",
        facts=[
            f"1 - {builder.cost:,} / {whole:,}, at least 0; to insert or delete a key costs 1, a text its characters"
        ],
    )


def document_tree(value: Value, text: ScalarText = scalar_text, *, donut: bool = False) -> Node:
    """Convert a plain value without alternatives to a tree; the function gives the text of a scalar."""
    if donut:
        return Node(_ROOT, _donut_nodes(donut_value(value, text)))
    return Node(_ROOT, _fields(value, text) if isinstance(value, dict) else _branches(value, text))


def _fields(items: dict[str, Value], text: ScalarText) -> list[Node]:
    """The nodes of the keys with non-empty values, shorter keys first."""
    found = ((key, _branches(items[key], text)) for key in sorted(items, key=length_first))
    return [Node(key, below) for key, below in found if below]


def _branches(value: Value, text: ScalarText) -> list[Node]:
    """The nodes of a value: one element node for an object, the nodes of all elements for a list."""
    if isinstance(value, dict):
        below = _fields(value, text)
        return [Node(_ELEMENT, below)] if below else []
    if isinstance(value, list):
        nodes: list[Node] = []
        for item in value:
            below = _branches(item, text)
            nodes += [Node(_ELEMENT, below)] if isinstance(item, list) and below else below
        return nodes
    label = "" if value is None else json_text(value, text).strip()  # type: ignore[arg-type]
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
    options: ClassVar[frozenset[str]] = frozenset({"donut", "numbers"})

    def row_points(self, row: MetricRow, options: ScoringOptions) -> float:
        return with_room_to_recurse(_best_accuracy, *row[:2], options.donut, options.numbers)[0]

    def score_tree(self, row: MetricRow, options: ScoringOptions) -> MetricTree:
        return with_room_to_recurse(_tree_of_best, *row[:2], options.donut, options.numbers)


Costs = npt.NDArray[np.signedinteger[Any]]


class Node(NamedTuple):
    """A node of a document's tree.

    Attributes:
        label: a key, the name of a list element, or a text.
        children: the nodes below, in order.
        is_text: whether it is a text.
    """

    label: str
    children: list[Node]
    is_text: bool = False


def forests(root: Node) -> int:
    """The number of forests of a tree in the algorithm; the time is proportional to the product for both trees."""
    flat = FlatTree(root)
    return sum(number + 1 - int(flat.first[number]) for number in flat.roots)


class FlatTree:
    """A tree in postorder.

    Attributes:
        nodes: n nodes, children before their parents.
        first: for each node the number of the leftmost leaf below it, shape (n,).
        costs: the cost of deleting or inserting each node, shape (n,).
        roots: the key roots: the nodes that have a left sibling, and the root; in order.
    """

    def __init__(self, root: Node) -> None:
        self.nodes: list[Node] = []
        first: list[int] = []
        waiting: list[tuple[Node, bool, int]] = [(root, False, 0)]
        while waiting:
            node, done, start = waiting.pop()
            if done:
                first.append(start)
                self.nodes.append(node)
                continue
            # the next number is given to the leftmost leaf below this node
            waiting.append((node, True, len(self.nodes)))
            waiting.extend((child, False, 0) for child in reversed(node.children))
        self.first = np.array(first)
        self.costs = np.array([len(node.label) if node.is_text else 1 for node in self.nodes], dtype=np.int64)
        self.roots = sorted({start: number for number, start in enumerate(first)}.values())


class TreeDistances:
    """The least costs of deletions, insertions and changes that turn subtrees of one ordered tree into another's.

    For each key root of the left tree, one row of all forests of the right tree is computed at a time: a few operations
    on arrays. A row has these forests side by side, one part for each key root: first the empty forest, then the nodes
    from the leftmost leaf to the key root. Parts are sorted by how deep other key roots are nested in them, so that the
    parts that a part depends on are computed before it.

    Source:
        Zhang and Shasha 1989, Simple fast algorithms for the editing distance between trees and related problems,
        SIAM J. Comput. 18(6).

    Attributes:
        left: one tree, of n nodes.
        right: the other tree, of m nodes.
        changes: the cost of changing each node of the left tree into each of the right one, shape (n, m).
        trees: the distance of each two subtrees, by the nodes at their roots, shape (n, m).
    """

    def __init__(self, left: FlatTree, right: FlatTree) -> None:
        self.left, self.right = left, right
        self.changes = _change_costs(left.nodes, right.nodes)
        self.trees = np.zeros(self.changes.shape, dtype=np.int32)  # half the memory; texts are shorter than 2**31
        parts = _parts(right)
        starts = np.cumsum([0, *(len(part) + 1 for _, part in parts)])[:-1]
        width = sum(len(part) + 1 for _, part in parts)
        self.empty = {int(part[0]): start for start, (_, part) in zip(starts.tolist(), parts, strict=True)}
        self.column = np.concatenate(
            [start + 1 + np.arange(len(part)) for start, (_, part) in zip(starts, parts, strict=True)]
        )
        self.node = np.concatenate([part for _, part in parts])
        first = np.concatenate([right.first[part] - part[0] for _, part in parts])
        self.is_tree = first == 0  # the forest up to here is one tree
        start_of = np.repeat(starts, [len(part) for _, part in parts])
        self.before = start_of + first  # the forest to the left of the tree that ends at this node
        self.levels = _slices([level for level, part in parts for _ in part])
        self.reaches = _slices(
            [level for level, part in parts for _ in range(len(part) + 1)]
        )  # including empty forests
        self.inserted = np.zeros(width, dtype=np.int64)
        for start, (_, part) in zip(starts, parts, strict=True):
            self.inserted[start + 1 : start + 1 + len(part)] = np.cumsum(right.costs[part])
        # an offset for each part, so that a running minimum does not carry over to the next one
        number = np.repeat(np.arange(len(parts)), [len(part) + 1 for _, part in parts])
        self.step = number * (int(left.costs.sum() + right.costs.sum()) * 2 + 2)
        for root in left.roots:
            self._forests(root)

    def cheapest_pairs(self) -> dict[int, int]:
        """The nodes that are kept or changed where the left tree is turned into the right one at the least cost.

        Returns:
            For the number of a node of the left tree in postorder that of its partner on the right. The other nodes of
            the left tree are deleted, the others of the right tree inserted.

        >>> left, right = Node("r", [Node("a", []), Node("b", [])]), Node("r", [Node("b", [])])
        >>> TreeDistances(FlatTree(left), FlatTree(right)).cheapest_pairs()
        {2: 1, 1: 0}
        """
        partners: dict[int, int] = {}
        waiting = [(len(self.left.nodes) - 1, len(self.right.nodes) - 1)]
        while waiting:
            partners |= dict(self._pairs_of_tree(*waiting.pop(), waiting))
        return partners

    def _pairs_of_tree(self, root: int, other: int, waiting: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The pairs of two trees; subtrees that are paired as wholes are left to be looked at."""
        start, begin = int(self.left.first[root]), int(self.right.first[other])
        empty = self.empty[begin]
        table = [row[empty : empty + other - begin + 2] for row in self._forests(root)]
        i, j = root, other
        while i >= start and j >= begin:
            row, column = i - start + 1, j - begin + 1
            before = int(self.left.first[i]) - start, int(self.right.first[j]) - begin
            cost = table[row][column]
            alike = self.left.nodes[i].is_text == self.right.nodes[j].is_text
            if before == (0, 0) and alike and cost == table[row - 1][column - 1] + self.changes[i, j]:
                yield i, j
                i, j = i - 1, j - 1
            elif before != (0, 0) and cost == table[before[0]][before[1]] + self.trees[i, j]:
                waiting.append((i, j))
                i, j = start + before[0] - 1, begin + before[1] - 1
            elif cost == table[row - 1][column] + self.left.costs[i]:
                i -= 1
            else:
                j -= 1

    def _forests(self, root: int) -> list[Costs]:
        """The distances of all forests that begin at the leftmost leaf below a node of the left tree, a row a node."""
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
        return rows

    def _tree_row(self, rows: list[Costs], row: Costs, node: int) -> None:
        """Compute the row of a forest that is a tree, and the distances of its pairs with trees on the right."""
        above, deleted = rows[-1], row.copy()
        for level, reach in zip(self.levels, self.reaches, strict=True):
            column, is_tree, inside = self.column[level], self.is_tree[level], self.node[level]
            kept = rows[0][self.before[level]] + self.trees[node, inside]
            changed = above[column - 1] + self.changes[node, inside]
            deleted[column] = np.minimum(deleted[column], np.where(is_tree, changed, kept))
            row[reach] = self._with_insertions(deleted, reach)
            self.trees[node, inside[is_tree]] = row[column[is_tree]]

    def _with_insertions(self, row: Costs, reach: slice) -> Costs:
        """The columns of the row with the option of inserting nodes after each forest; `reach` covers whole parts."""
        offset = self.inserted[reach] + self.step[reach]
        return np.minimum.accumulate(row[reach] - offset) + offset  # type: ignore[no-any-return]


def _parts(tree: FlatTree) -> list[tuple[int, npt.NDArray[np.intp]]]:
    """For each key root the nesting depth of key roots below it and the nodes of its tree, least nested first."""
    roots = set(tree.roots)
    level = [0] * len(tree.nodes)
    parts = []
    for root in tree.roots:
        start = int(tree.first[root])
        inner = [level[node] for node in range(start, root) if node in roots]
        level[root] = 1 + max(inner) if inner else 0
        parts.append((level[root], np.arange(start, root + 1)))
    return sorted(parts, key=lambda part: part[0])


def _slices(levels: Sequence[int]) -> list[slice]:
    """The slices of runs of equal numbers."""
    ends = [i for i in range(1, len(levels) + 1) if i == len(levels) or levels[i] != levels[i - 1]]
    return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]


def _change_costs(left: Sequence[Node], right: Sequence[Node]) -> Costs:
    """The cost of changing each left node into each right one: the edit distance of two texts, 1 for different keys."""
    left_is_text, right_is_text = (np.array([node.is_text for node in side]) for side in (left, right))
    left_labels, right_labels = [node.label for node in left], [node.label for node in right]
    lengths = (np.array([*map(len, labels)], dtype=np.int32) for labels in (left_labels, right_labels))
    left_lengths, right_lengths = lengths
    distances: Costs = cdist(left_labels, right_labels, scorer=Levenshtein.distance, dtype=np.int32)
    one_text = np.where(left_is_text[:, None], left_lengths[:, None], right_lengths[None, :]) + 1
    both = np.logical_and.outer(left_is_text, right_is_text)
    neither = ~np.logical_or.outer(left_is_text, right_is_text)
    return np.where(both, distances, np.where(neither, np.minimum(distances, 1), one_text))


_LONGEST_KEY = 40  # characters of a key that is named


# The numbers of a node in the trees of the ground truth and of the prediction; None where it is inserted or deleted.
_Part = tuple[int | None, int | None]


class _Builder:
    """Makes nodes of a score tree of two trees as one, and sums what their edits cost.

    Attributes:
        root: both roots.
        below: the parts below each part: those of the ground truth in its order, the others after their neighbours.
        whole: what the nodes share.
        cost: what the edits cost of the nodes made so far.
    """

    def __init__(self, distances: TreeDistances, whole: Whole) -> None:
        self.distances = distances
        self.trees = left, right = distances.left, distances.right
        self.root = len(left.nodes) - 1, len(right.nodes) - 1
        self.whole = whole
        self.cost = 0
        partner = {**distances.cheapest_pairs(), self.root[0]: self.root[1]}
        back = {j: i for i, j in partner.items()}
        parts: dict[int, _Part] = {id(node): (i, partner.get(i)) for i, node in enumerate(left.nodes)}
        parts |= {id(node): (back.get(j), j) for j, node in enumerate(right.nodes)}
        self.places = {
            id(child): place for tree in self.trees for node in tree.nodes for place, child in enumerate(node.children)
        }
        self.below = {parts[id(node)]: [parts[id(child)] for child in node.children] for node in left.nodes}
        for node in right.nodes:
            siblings = self.below.setdefault(parts[id(node)], [])
            position = 0
            for part in (parts[id(child)] for child in node.children):
                if part[0] is None:
                    siblings.insert(position, part)
                position = siblings.index(part) + 1 if part in siblings else 0

    def node(self, part: _Part, *paths: str | None) -> MetricTree:
        """The node of a part below these paths; a key and the only object or text below it are one."""
        is_key = self._kind(part) == "key"
        key = self._any(part).label if is_key else None
        sides: list[NodeSide] = []
        own = self._own(part)
        texts = self._nodes(own[-1]) if self._kind(own[-1]) == "text" else (None, None)
        for node, text, path in zip(self._nodes(part), texts, paths, strict=True):
            place = None if node is None or is_key else self.places[id(node)]
            step = None if node is None or path is None else path + step_text(node.label if is_key else place or 0)
            sides.append((text and text.label, step, place))
        below = sides[0][1], sides[1][1]
        children = [self.node(each, *below) for each in self.below[own[-1]]]
        costs = [self._cost(each) for each in own]
        self.cost += sum(costs)
        kept = [
            max(cost, 0 if i is None else int(self.trees[0].costs[i])) for cost, (i, _) in zip(costs, own, strict=True)
        ]
        weight = sum(kept) + fsum(child.weight for child in children)
        earned = sum(kept) - sum(costs) + fsum(child.earned for child in children)
        return metric_node(
            *sides,
            path=below[0] or below[1] or "$",
            key=key,
            kind=_kind_of(children) if children else "scalar",
            status=_status(own[-1], earned, weight, {child.status for child in children}),
            points=(earned, weight),
            whole=self.whole,
            reason="; ".join(self._said(each, cost) for each, cost in zip(own, costs, strict=True) if cost),
            children=children,
        )

    def _nodes(self, part: _Part) -> tuple[Node | None, Node | None]:
        """The node in the ground truth and in the prediction."""
        i, j = part
        return None if i is None else self.trees[0].nodes[i], None if j is None else self.trees[1].nodes[j]

    def _any(self, part: _Part) -> Node:
        """The node of the ground truth, or that of the prediction where it has none."""
        return next(filter(None, self._nodes(part)))

    def _kind(self, part: _Part) -> str:
        node = self._any(part)
        return "text" if node.is_text else "element" if node.label == _ELEMENT else "key"

    def _own(self, part: _Part) -> list[_Part]:
        """A part, and what stands with it as one node: the only object below a key, and the only text."""
        own = [part]
        while len(below := self.below[own[-1]]) == 1:
            is_object = (self._kind(own[-1]), self._kind(below[0])) == ("key", "element")
            on_same_sides = [side is None for side in part] == [side is None for side in below[0]]
            if self._kind(below[0]) != "text" and not (is_object and on_same_sides):
                break
            own += below
        return own

    def _cost(self, part: _Part) -> int:
        """What the edit of a part costs; 0 if it is kept."""
        i, j = part
        if i is None or j is None:
            return int(self.trees[i is None].costs[j if i is None else i])
        return int(self.distances.changes[i, j])

    def _said(self, part: _Part, cost: int) -> str:
        """The edit of a part and its cost, as words."""
        truth, prediction = self._nodes(part)
        edit = "delete" if truth is None else "insert" if prediction is None else "relabel"
        was = f" {clipped(prediction.label, _LONGEST_KEY)}" if truth and prediction and not truth.is_text else ""
        return f"{edit} the {self._kind(part)}{was}: {cost:,}"


def _kind_of(children: Sequence[MetricTree]) -> Kind:
    return "list" if children and all(child.key is None for child in children) else "object"


def _status(part: _Part, earned: float, weight: float, below: set[Status]) -> Status:
    """Exact if nothing is edited, missing or extra if all of it is on one side, else by what is earned."""
    if earned != weight and part[1] is None and below <= {"missing"}:
        return "missing"
    if earned != weight and part[0] is None and below <= {"extra"}:
        return "extra"
    return status_of(earned, weight)
