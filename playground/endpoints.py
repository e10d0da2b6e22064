"""What programs call: one pair in, its score tree out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import gradio as gr

from docscore.core.options import PAPER, THRESHOLD
from playground.children import Children, Limits
from playground.client_tree import tree_as_text, tree_for_clients
from playground.limits import is_small, shortened

CHILDREN = Children(Limits(places=2, waiting=16, seconds=20))


async def score_as_tree(
    ground_truth: Any,
    prediction: Any,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
) -> dict[str, Any]:
    """Score a predicted JSON value against a ground truth with ANLS*, and show where points were lost.

    Args:
        ground_truth: any JSON value; {"$one_of": [...]} holds alternatives.
        prediction: any JSON value.
        threshold: similarities of texts below it count as 0, from 0 to 1.
        ignore_case: whether texts are compared in lower case.
        rules: "paper", or "anls_star-1.0.1" to count keys without a value as that package does.
        numbers: "text" to compare numbers as they print, or "value".

    Returns:
        The score tree: place, kind, status, score from 0 to 1, earned, weight, points_lost, both values, children. Of
        more than 3,000 places exact ones are left out, and counted as left_out.
    """
    found: dict[str, Any] = await _called(
        tree_for_clients, ground_truth, prediction, threshold, ignore_case, rules, numbers
    )
    return found


async def score(
    ground_truth: Any,
    prediction: Any,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
) -> str:
    """Score a predicted JSON value against a ground truth with ANLS*; return the score tree as JSON text.

    Args:
        ground_truth: any JSON value; {"$one_of": [...]} holds alternatives.
        prediction: any JSON value.
        threshold: similarities of texts below it count as 0, from 0 to 1.
        ignore_case: whether texts are compared in lower case.
        rules: "paper", or "anls_star-1.0.1" to count keys without a value as that package does.
        numbers: "text" to compare numbers as they print, or "value".

    Returns:
        JSON text of the score tree.
    """
    return str(await _called(tree_as_text, ground_truth, prediction, threshold, ignore_case, rules, numbers))


async def _called(work: Callable[..., Any], truth: Any, prediction: Any, *options: Any) -> Any:
    """What the work returns; values that are not small are scored in a child process."""
    task = partial(work, truth, prediction, *options)
    try:
        if is_small(truth, prediction):
            return await asyncio.to_thread(task)
        return await CHILDREN.run("", task)
    except (TypeError, ValueError) as error:
        raise gr.Error(shortened(str(error)), print_exception=False) from None
