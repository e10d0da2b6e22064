"""What programs call: one pair in, its score tree out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import gradio as gr

from docscore.core.options import PAPER, THRESHOLD
from playground.limits import is_small, shortened
from playground.pair import is_json_text, tree_as_text, tree_for_clients
from playground.worker_pool import Limits, WorkerPool

WORKERS = WorkerPool(Limits(places=2, waiting=16, seconds=20))
LONGEST_READ_AT_ONCE = 2_000  # characters of JSON text, whose lists may be many
JsonValue = dict[str, Any] | list[Any] | str | int | float | bool | None
RuleName = Literal["paper", "anls_star-1.0.1"]
NumberMode = Literal["text", "value"]


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
        The score tree; of more than 3,000 places exact ones are left out, and counted as left_out.
    """
    found: dict[str, Any] = await _called(
        tree_for_clients, ground_truth, prediction, threshold, ignore_case, rules, numbers
    )
    return found


# gradio hands objects to agents as Python text, so this is no tool of theirs; `score` is
score_as_tree._mcp_type = "endpoint"  # type: ignore[attr-defined]  # noqa: SLF001


async def score(
    ground_truth: JsonValue,
    prediction: JsonValue,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: RuleName = "paper",
    numbers: NumberMode = "text",
) -> str:
    """Score a predicted JSON value against a ground truth with ANLS*; return the score tree as JSON text.

    A side that is the text of a JSON object or list is read as that, and "notes" in the answer says so.

    Args:
        ground_truth: any JSON value, as itself and not as text; {"$one_of": [...]} holds alternatives.
        prediction: any JSON value, as itself and not as text.
        threshold: similarities of texts below it count as 0, from 0 to 1.
        ignore_case: whether texts are compared in lower case.
        rules: "paper", or "anls_star-1.0.1" to count keys without a value as that package does.
        numbers: "text" to compare numbers as they print, or "value".

    Returns:
        JSON text of the score tree: place, status, score from 0 to 1, points_lost, both values, children.
    """
    return str(await _called(tree_as_text, ground_truth, prediction, threshold, ignore_case, rules, numbers))


async def _called(work: Callable[..., Any], truth: Any, prediction: Any, *options: Any) -> Any:
    """What the work returns; values that are not small are scored in a child process."""
    task = partial(work, truth, prediction, *options)
    try:
        text = sum(len(value) for value in (truth, prediction) if is_json_text(value))
        if is_small(truth, prediction) and text <= LONGEST_READ_AT_ONCE:
            return await asyncio.to_thread(task)
        return await WORKERS.run("", task)
    except (TypeError, ValueError) as error:
        raise gr.Error(shortened(str(error)), print_exception=False) from None
