"""The workspace for one pair: two editors, options and the result, which follows what is typed."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from docscore.metrics.registry import METRICS
from playground.fragments import fragment
from playground.limits import MAX_BYTES
from playground.pair import (
    PairAnswer,
    answer,
    is_scored_at_once,
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
