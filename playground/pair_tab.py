"""The workspace for one pair: two editors, options and the result, which follows what is typed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal

import gradio as gr

from docscore.core.options import PAPER, THRESHOLD, ScoringOptions
from docscore.metrics.registry import METRICS
from playground.fragments import fragment
from playground.limits import MAX_BYTES, is_small, shortened
from playground.pair import (
    PairAnswer,
    answer,
    is_json_text,
    is_scored_at_once,
    tree_as_text,
    tree_for_clients,
)
from playground.requests import (
    PAIR_METRICS,
    PAIR_OPTIONS,
    READINGS,
    LinkRequest,
    PairRequest,
    Request,
    option_fields,
    refusing,
)
from playground.testset import RECEIPTS
from playground.worker_pool import Limits, WorkerPool


@refusing
async def score_workspace(asked: Any) -> dict[str, Any]:
    """The answer to a `PairRequest`: a `PairAnswer`; a newer request of the same window stops the one before."""
    request = PairRequest.of(asked)
    if await asyncio.to_thread(is_scored_at_once, request):
        return (await asyncio.to_thread(answer, request))._asdict()
    name, number = request.window
    found: PairAnswer = await WORKERS.run(name and f"window {name}", partial(answer, request), number=number)
    return found._asdict()


@refusing
async def stop_workspace(asked: Any) -> dict[str, Any]:
    """Stop a request: the window is that which it was asked with."""
    name, number = Request.of(asked).window
    WORKERS.stop(f"window {name}", number)
    return {}


@refusing
async def open_link(asked: Any) -> dict[str, Any]:
    """The request that a link holds, for the editors and options: `{"link": ...}`."""
    request = PairRequest.of_link(LinkRequest.of(asked).link)
    return {**request.model_dump(exclude={"options"}), "options": asdict(request.options)}


def workspace() -> None:
    """Build the workspace, with the first example scored."""
    first = PairRequest(truth=EXAMPLES[0]["truth"], prediction=EXAMPLES[0]["prediction"])
    metrics = {name: METRICS[name].label for name in PAIR_METRICS}
    settings = {
        "examples": EXAMPLES,
        "longest": MAX_BYTES,
        "first": answer(first)._asdict(),
    }
    gr.HTML(
        fragment("workspace", first, EXAMPLES, metrics, READINGS, option_fields(PAIR_OPTIONS), json.dumps(settings)),
        elem_id="pair",
        js_on_load="docscoreWorkspace(element, server)",
        server_functions=[score_workspace, stop_workspace, open_link],
        apply_default_css=False,
    )


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
    given = dict(locals())
    found: dict[str, Any] = await _called(tree_for_clients, **given)
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
    given = dict(locals())
    return str(await _called(tree_as_text, **given))


async def _called(work: Callable[..., Any], ground_truth: Any, prediction: Any, **options: Any) -> Any:
    """What the work returns; values that are not small are scored in a child process."""
    try:
        task = partial(work, ground_truth, prediction, ScoringOptions(**options))
        text = sum(len(value) for value in (ground_truth, prediction) if is_json_text(value))
        if is_small(ground_truth, prediction) and text <= LONGEST_READ_AT_ONCE:
            return await asyncio.to_thread(task)
        return await WORKERS.run("", task)
    except (TypeError, ValueError) as error:
        raise gr.Error(shortened(str(error)), print_exception=False) from None


def _examples() -> list[dict[str, str]]:
    """Each demonstrates one rule of ANLS*; the last is a whole receipt with typical mistakes of a model."""
    found = json.loads((Path(__file__).parent / "examples.json").read_text(encoding="utf-8"))
    truth, prediction = (
        json.loads((RECEIPTS / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")[0])
        for name in ("references", "predictions")
    )
    values = {"truth": truth["references"][0], "prediction": prediction["prediction"]}
    found.append({"title": "A receipt with the mistakes of a model", **values})
    return [
        {
            name: part if name == "title" else json.dumps(part, indent=2, ensure_ascii=False)
            for name, part in each.items()
        }
        for each in found
    ]


EXAMPLES = _examples()
