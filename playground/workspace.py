"""The workspace for one pair: two editors, options and the result, which follows what is typed."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any

import gradio as gr

from docscore.core.formatting import printable
from playground.endpoints import WORKERS
from playground.fragments import fragment
from playground.gallery import EXAMPLES
from playground.limits import MAX_BYTES
from playground.pair import (
    METRICS,
    NUMBERS,
    READINGS,
    RULES,
    PairAnswer,
    PairRequest,
    answer,
    is_scored_at_once,
)
from playground.request_checks import Window, take_window
from playground.worker_pool import Refused


async def score_workspace(asked: Any) -> dict[str, Any]:
    """The answer to a request of the workspace: a `PairAnswer`, or `{"refused": sentence}`.

    Args:
        asked: the fields of a `PairRequest`, and the window that asks: a newer request of it stops the one before.
    """
    try:
        window = take_window(asked)
        request = PairRequest.of(asked)
        if await asyncio.to_thread(is_scored_at_once, request):
            return (await asyncio.to_thread(answer, request))._asdict()
        found: PairAnswer = await WORKERS.run(_visitor(window), partial(answer, request), number=window.number)
        return found._asdict()
    except (Refused, ValueError) as error:
        return {"refused": printable(str(error))}


async def stop_workspace(asked: Any) -> None:
    """Stop a request: `{"window": ...}` is what it was asked with."""
    window = take_window(asked)
    WORKERS.stop(_visitor(window), window.number)


def _visitor(window: Window) -> str:
    return f"window {window.name}" if window.name else ""


def workspace() -> None:
    """Build the workspace, with the first example scored."""
    first = PairRequest(EXAMPLES[0].truth, EXAMPLES[0].prediction)
    metrics = {name: name for name in METRICS}
    choices = {"metric": metrics, "rules": RULES, "numbers": NUMBERS, "reading": READINGS}
    settings = {
        "choices": {name: list(known) for name, known in choices.items()},
        "examples": [example._asdict() for example in EXAMPLES],
        "longest": MAX_BYTES,
        "first": answer(first)._asdict(),
    }
    gr.HTML(
        fragment("workspace", first, EXAMPLES, choices, json.dumps(settings)),
        elem_id="pair",
        js_on_load="docscoreWorkspace(element, server)",
        server_functions=[score_workspace, stop_workspace],
        apply_default_css=False,
    )
