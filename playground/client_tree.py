"""The score tree in the form that clients of the endpoints can read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from docscore.core.options import ScoringOptions
from docscore.data.json_codec import dumps
from docscore.metrics.anls_star.api import explained
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.report.html_tree import drawn_places
from playground.limits import check_value, check_work


def tree_of_values(
    ground_truth: Any, prediction: Any, threshold: float, ignore_case: bool, rules: str, numbers: str
) -> ScoreTree:
    """The score tree of a pair; arguments as those of the endpoint.

    Raises:
        TypeError, ValueError: for values and options that are not accepted.
    """
    check_value(ground_truth, is_truth=True)
    check_value(prediction, is_truth=False)
    check_work(ground_truth, prediction)
    options = ScoringOptions(threshold=threshold, ignore_case=ignore_case, rules=rules, numbers=numbers)
    return explained(ground_truth, prediction, options)


def tree_for_clients(*arguments: Any) -> dict[str, Any]:
    """The score tree as JSON values, at most `MAX_ROWS` nodes of it; arguments as for `tree_of_values`.

    Where nodes are left out, the node above has the key "left_out" with the number of its children that are. gradio
    needs seconds for an answer of 40,000 objects, in which nobody else is answered.
    """
    tree = tree_of_values(*arguments)
    return _renamed(tree, tree.to_dict(), {id(node) for node, _ in drawn_places(tree)})


def tree_as_text(
    ground_truth: Any,
    prediction: Any,
    threshold: float,
    ignore_case: bool,
    rules: str,
    numbers: str,
    notes: Sequence[str] = (),
) -> str:
    """The whole score tree as JSON text, with notes on how the values were read; else as for `tree_of_values`."""
    tree = tree_of_values(ground_truth, prediction, threshold, ignore_case, rules, numbers)
    found = _renamed(tree, tree.to_dict(), {id(node) for node in tree.nodes()})
    return json.dumps({"notes": list(notes), **found} if notes else found)


def _renamed(tree: ScoreTree, node: dict[str, Any], shown: set[int]) -> dict[str, Any]:
    """Rename `path` of a node to `place`, and convert values that are objects or lists to JSON text.

    gradio's Python client treats every object with the key "path" as a file, and tries to download it.
    """
    found = {"place": node.pop("path"), **node}
    for side in ("ground_truth", "prediction"):
        if isinstance(found[side], dict | list):
            found[side] = dumps(found[side]) if not node["children"] else None
    below = [pair for pair in zip(tree.children, node["children"], strict=True) if id(pair[0]) in shown]
    found["children"] = [_renamed(*pair, shown) for pair in below]
    if len(below) < len(tree.children):
        found["left_out"] = len(tree.children) - len(below)
    return found
