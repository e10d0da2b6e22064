"""The edit distance of ordered trees (Zhang and Shasha 1989), computed with arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

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

    @property
    def of_roots(self) -> int:
        """The distance of the two whole trees."""
        return int(self.trees[-1, -1])

    def cheapest_pairs(self) -> dict[int, int]:
        """The nodes that are kept or changed where the left tree is turned into the right one at the least cost.

        Returns:
            For the number of a node of the left tree in postorder that of its partner on the right. The other nodes of
            the left tree are deleted, the others of the right tree inserted.

        >>> left, right = Node("r", [Node("a", []), Node("b", [])]), Node("r", [Node("b", [])])
        >>> TreeDistances(FlatTree(left), FlatTree(right)).cheapest_pairs()
        {2: 1, 1: 0}
        """
        found: dict[int, int] = {}
        waiting = [(len(self.left.nodes) - 1, len(self.right.nodes) - 1)]
        while waiting:
            pair = waiting.pop()
            for one in self._pairs_of_tree(*pair, waiting):
                found[one[0]] = one[1]
        return found

    def _pairs_of_tree(self, root: int, other: int, waiting: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The pairs of two trees; subtrees that are paired as wholes are left to be looked at."""
        table = self._table_of_trees(root, other)
        start, begin = int(self.left.first[root]), int(self.right.first[other])
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

    def _table_of_trees(self, root: int, other: int) -> list[Costs]:
        """The distances of all forests that begin at the leftmost leaves of two trees, a row a node of the left one."""
        start, begin = int(self.left.first[root]), int(self.right.first[other])
        inside = np.arange(begin, other + 1)
        before = self.right.first[inside] - begin
        inserted = np.concatenate([[0], np.cumsum(self.right.costs[inside])]).astype(np.int32)
        rows: list[Costs] = [inserted]
        for node in range(start, root + 1):
            row = (rows[-1] + self.left.costs[node]).astype(np.int32)  # the node deleted
            kept = rows[self.left.first[node] - start][before] + self.trees[node, inside]
            row[1:] = np.minimum(row[1:], kept)
            rows.append(np.minimum.accumulate(row - inserted) + inserted)
        return rows

    def _forests(self, root: int) -> None:
        """Compute the distances of all forests that begin at the leftmost leaf of a key root of the left tree."""
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
        lowest: Costs = np.minimum.accumulate(row[reach] - offset) + offset
        return lowest


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
    costs: Costs = np.where(both, distances, np.where(neither, np.minimum(distances, 1), one_text))
    return costs
