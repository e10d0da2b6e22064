"""The long lists of a score tree: what became of their rows, in the order of the ground truth."""

from collections.abc import Iterator, Mapping
from typing import Any

from docscore.core.formatting import clipped, printable
from docscore.metrics.anls_star.matching import list_rows
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.report.html_tree import LONGEST_LABEL

LONG = 20  # rows of a list


def long_lists(tree: ScoreTree, numbers: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    """Yield the lists of objects of a tree, if one of them has many rows.

    Args:
        tree: the tree.
        numbers: the number of the row of each node that is drawn, by the `id` of the node.

    Yields:
        Of each list its "path", how many rows are "expected", "predicted", "paired" and "whole", after how many it was
        cut off as "cut", 0 if it was not; as "rows" a letter for each expected row, "w" for a whole one, "m" for a
        missing one and "d" where a value differs; as "numbers" those of the rows that are drawn.
    """
    lists = [
        (
            node,
            sorted((row for row in node.children if row.truth_index is not None), key=lambda row: row.truth_index or 0),
        )
        for node in tree.nodes()
        if node.kind == "list" and any(isinstance(row.ground_truth, dict) for row in node.children)
    ]
    if all(len(rows) < LONG for _, rows in lists):
        return
    for node, rows in lists:
        partner = {at: row.prediction_index for at, row in enumerate(rows) if row.prediction_index is not None}
        counts = len(rows), sum(row.prediction_index is not None for row in node.children)
        points = [(row.earned, row.weight) for row in rows]
        found, cut = list_rows(counts, partner, points, lambda *_: False)
        yield {
            "path": clipped(printable(node.path.removeprefix("$.")), LONGEST_LABEL),
            "expected": found.expected,
            "predicted": found.predicted,
            "paired": found.paired,
            "whole": found.right,
            "cut": cut,
            "rows": "".join("w" if row.earned == row.weight else "d" if row.earned else "m" for row in rows),
            "numbers": [numbers.get(id(row)) for row in rows],
        }
