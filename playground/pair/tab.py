"""The tab for one pair; its screen is shown, with the first example scored, before gradio's scripts have loaded."""

import asyncio
import json
from functools import partial
from typing import Any

from docscore.evaluation.registry import METRICS
from playground.pair.examples import as_texts
from playground.pair.pair import answer, is_scored_at_once, what_ifs_of_pair
from playground.parts.tab import Tab, fields_with_words
from playground.server import answers
from playground.server.functions import PAIRS, READERS, answer_of_child, in_child, in_thread, server_function, stops
from playground.server.limits import MAX_BYTES
from playground.server.requests import PAIR_METRICS, LinkRequest, PairRequest


async def _score(request: PairRequest) -> answers.PairAnswer:
    """Score a pair; a newer request of the same window stops the previous one."""
    if await asyncio.to_thread(is_scored_at_once, request):
        return await asyncio.to_thread(answer, request)
    return await answer_of_child(PAIRS, "window", request, lambda _: partial(answer, request))


# Not from the metadata of the installed docscore: a Space holds docscore as a folder and does not install it.
_DOCUMENTATION = "https://github.com/OWNER/docscore#readme"
DOCUMENT = "pair/document.js"  # loads after the first screen
TAB = Tab(
    "one-pair",
    "pair",
    "One pair",
    "docscore['pair/first.js'].adopt(element, server)",
    "",
    [DOCUMENT],
    {
        "score_workspace": server_function(PairRequest, answers.PairAnswer, _score),
        # options that raise the score; scoring does not wait for them
        "try_options": in_child(
            PairRequest, answers.WhatIfs, READERS, "what-ifs", lambda asked: partial(what_ifs_of_pair, asked)
        ),
        "stop_workspace": stops(PAIRS, "window"),
        # the request in a link, for the editors and options
        "open_link": in_thread(
            LinkRequest, PairRequest, lambda asked: PairRequest.of_link(asked.link).model_dump(exclude={"window"})
        ),
    },
)


def first_workspace() -> tuple[Any, ...]:
    """Return the values with which the template renders the screen for one pair, with the first example scored."""
    examples = as_texts()
    sides = {side: examples[0][side] for side in ("truth", "prediction")}
    first = PairRequest(**sides, reading="json", text="\n".join(examples[0]["document"]), is_example=True)
    settings = {
        "examples": examples,
        "longest": MAX_BYTES,
        "first": {**answer(first), **what_ifs_of_pair(first)},
    }
    metrics = "metric", "Metric", [(name, METRICS[name].label) for name in PAIR_METRICS]
    choices = [metrics, ("reading", "Prediction", _READINGS)]
    return examples, choices, fields_with_words(), json.dumps(settings), _DOCUMENTATION


# As visitors see them: while visitors type, text that is not JSON is repaired only on request.
_READINGS = [("json", "JSON"), ("repair", "repaired JSON"), ("text", "plain text")]
