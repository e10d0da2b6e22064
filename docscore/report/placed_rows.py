"""The places of the rows of a drawn tree: where values are expected, cited and found in the text of their document."""

from collections.abc import Mapping
from typing import Any

from docscore.core.formatting import clipped, printable
from docscore.core.places import Places, overlap
from docscore.data.documents import Document
from docscore.metrics.anls_star.cells import placed_leaves
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import MetricTree
from docscore.report.html_tree import LONGEST_LABEL, value_taken


def placed_rows(
    tree: ScoreTree, numbers: Mapping[int, int], places: Places | None, text: str = ""
) -> list[dict[str, Any]]:
    """Return where the values of the rows of a tree are expected and cited, and where they stand in a text.

    Args:
        tree: the tree.
        numbers: the number of the row of each node that is drawn, by the `id` of the node.
        places: those that it was built with; None if there are none.
        text: what the document says; "" if that is not known.

    Returns:
        Of each "row" its number and its "path"; of a single value that has evidence whether it is "right" and
        "predicted", and as "levels" how many of its cited places are accepted, of how many, else null; "expected" and
        "cited" places with page, boxes and quote; the IoU of their boxes as "overlap"; whether nothing is expected, as
        "extra"; where the ground truth and the prediction stand in the text as "found", null for what no text can show.
    """
    if isinstance(tree, MetricTree):  # whose paths are its own
        return []
    document, found = Document(text), list[dict[str, Any]]()
    values = (value_taken(tree), tree.prediction) if text else ()
    sides = [
        {
            path: None if spots is None else [document.given(spot) for spot in spots]
            for path, _, spots in document.looked_up(value)
        }
        for value in values
    ]
    for leaf, predicted, cell, evidence, cited in placed_leaves(tree, places or Places([{}], {})):
        if (row := numbers.get(id(leaf))) is not None and (text or cell or evidence or cited):
            found.append(
                {
                    "row": row,
                    "path": clipped(printable(leaf.path.removeprefix("$.")), LONGEST_LABEL),
                    "right": bool(cell and cell.right),
                    "predicted": bool(cell and cell.predicted),
                    "levels": cell and cell.levels,
                    "expected": evidence,
                    "cited": cited,
                    "overlap": overlap(cited, evidence),
                    "extra": leaf.status == "extra",
                    "found": [
                        side.get(at) for side, at in zip(sides, (leaf.path, predicted or leaf.path), strict=False)
                    ],
                }
            )
    return found
