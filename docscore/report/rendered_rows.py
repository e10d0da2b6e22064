"""What stands beside the rows of a rendered tree: the places of values, and what became of the rows of long lists."""

from collections.abc import Iterator, Mapping
from typing import Any

from docscore.core.formatting import clipped, printable
from docscore.grounding.document_text import DocumentText
from docscore.grounding.nodes import grounded_leaves
from docscore.grounding.regions import NO_REGIONS, RowRegions, overlap
from docscore.metrics.anls_star.matching import SHORTEST_CUT
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import MetricTree
from docscore.report.html_tree import LONGEST_LABEL, chosen_value


def shown_path(node: ScoreTree) -> str:
    """Return the path of a node as it is shown beside a document."""
    return clipped(printable(node.path.removeprefix("$.")), LONGEST_LABEL)


def placed_rows(
    tree: ScoreTree, numbers: Mapping[int, int], places: RowRegions | None, document: DocumentText | None = None
) -> list[dict[str, Any]]:
    """Return where the values of the rows of a tree are expected and cited, and where they stand in a text.

    Args:
        tree: the tree.
        numbers: the number of the row of each node that is rendered, by the `id` of the node.
        places: those that it was built with; None if there are none.
        document: what the document says; None if that is not known.

    Returns:
        Of each "row" its number and its "path"; of a single value that has evidence whether it is "right" and
        "predicted", and as "levels" how many of its cited places are accepted, of how many, else null; "expected" and
        "cited" places with page, boxes and quote; the IoU of their boxes as "overlap"; whether nothing is expected, as
        "extra"; where the ground truth and the prediction stand in the text as "found", null for what no text can show.
    """
    if isinstance(tree, MetricTree):  # whose paths are its own
        return []
    found: list[dict[str, Any]] = []
    sides = (
        []
        if document is None
        else [
            {
                path: None if spots is None else [document.given(spot) for spot in spots]
                for path, _, spots in document.find_scalars(value)
            }
            for value in (chosen_value(tree), tree.prediction)
        ]
    )
    for leaf, predicted, cell, evidence, cited in grounded_leaves(tree, places or NO_REGIONS):
        is_extra = leaf.status == "extra"
        if (row := numbers.get(id(leaf))) is not None and (sides or cell or evidence or cited):
            found.append(
                {
                    "row": row,
                    "path": shown_path(leaf),
                    "right": bool(cell and cell.right),
                    "predicted": bool(cell and cell.predicted),
                    "levels": cell and cell.levels,
                    "expected": evidence,
                    "cited": cited,
                    "overlap": overlap(cited, evidence),
                    "extra": is_extra,
                    "found": [
                        side.get(at)  # a row that one side lacks has the number of another one there
                        for side, at in zip(sides, ("" if is_extra else leaf.path, predicted), strict=False)
                    ],
                }
            )
    return found


def long_lists(tree: ScoreTree, numbers: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    """Yield the lists of objects of a tree, if one of them has many rows.

    Args:
        tree: the tree.
        numbers: the number of the row of each node that is rendered, by the `id` of the node.

    Yields:
        Of each list its "path", how many rows are "expected", "predicted", "paired" and "whole", after how many it was
        cut off as "cut", 0 if it was not; as "rows" a letter for each expected row, "w" for a whole one, "m" for a
        missing one and "d" where a value differs; as "numbers" those of the rows that are rendered.
    """
    lists = [
        (
            node,
            node.rows,
            sorted((row for row in node.children if row.truth_index is not None), key=lambda row: row.truth_index or 0),
        )
        for node in tree.nodes()
        if node.rows and any(isinstance(row.ground_truth, dict) for row in node.children)
    ]
    if all(len(rows) < SHORTEST_CUT for *_, rows in lists):
        return
    for node, found, rows in lists:
        yield {
            "path": shown_path(node),
            "expected": found.expected,
            "predicted": found.predicted,
            "paired": found.paired,
            "whole": found.right,
            "cut": found.cut_after,
            "rows": "".join("w" if row.earned == row.weight else "d" if row.earned else "m" for row in rows),
            "numbers": [numbers.get(id(row)) for row in rows],
        }
