"""The tab for one pair, whose screen is there, with the first example scored, before gradio's scripts are."""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

from docscore.metrics.registry import METRICS
from playground.pair.pair import PairAnswer, answer, is_scored_at_once, what_ifs_of_pair
from playground.parts.tab import Tab, fields_with_words
from playground.server.functions import PAIRS, READERS, Answer, answers, in_child
from playground.server.limits import MAX_BYTES
from playground.server.requests import PAIR_METRICS, RECEIPTS, LinkRequest, PairRequest, Request


@answers(PairRequest)
async def score_workspace(request: PairRequest) -> Answer:
    """The answer to a `PairRequest`: a `PairAnswer`; a newer request of the same window stops the one before."""
    if await asyncio.to_thread(is_scored_at_once, request):
        return (await asyncio.to_thread(answer, request))._asdict()
    found: PairAnswer = await in_child(PAIRS, "window", request, partial(answer, request))
    return found._asdict()


@answers(PairRequest)
async def try_options(request: PairRequest) -> Answer:
    """What scores the pair of a `PairRequest` higher: `{"what_ifs": ...}`; no score waits for it."""
    return {"what_ifs": await in_child(READERS, "what-ifs", request, partial(what_ifs_of_pair, request))}


@answers(Request)
async def stop_workspace(request: Request) -> Answer:
    """Cancel the request that this window made."""
    name, number = request.window
    PAIRS.stop(f"window {name}", number)
    return {}


@answers(LinkRequest)
async def open_link(request: LinkRequest) -> Answer:
    """The request that a link holds, for the editors and options."""
    return PairRequest.of_link(request.link).model_dump(exclude={"window"})


TAB = Tab(
    "one-pair",
    "pair",
    "One pair",
    "docscoreAdopt(element)",
    "<div></div>",
    functions=[score_workspace, try_options, stop_workspace, open_link],
)


def first_workspace() -> tuple[Any, ...]:
    """What the template draws of the screen for one pair, with the first example scored."""
    first = PairRequest(truth=EXAMPLES[0]["truth"], prediction=EXAMPLES[0]["prediction"], reading="json")
    settings = {
        "examples": EXAMPLES,
        "longest": MAX_BYTES,
        "first": {**answer(first)._asdict(), "what_ifs": what_ifs_of_pair(first)},
    }
    metrics = [(name, METRICS[name].label) for name in PAIR_METRICS]
    choices = [("metric", "Metric", metrics), ("reading", "Prediction", _READINGS)]
    return EXAMPLES, choices, fields_with_words(), json.dumps(settings)


# As visitors see them: while they type, a text that is not JSON is not mended unasked.
_READINGS = [("json", "JSON"), ("repair", "repaired JSON"), ("text", "plain text")]


def _examples() -> list[dict[str, str]]:
    """Each demonstrates one rule of ANLS*; the last is a whole receipt with typical mistakes of a model."""
    found = json.loads((Path(__file__).parent / "examples.json").read_text(encoding="utf-8"))
    truth, prediction = (
        json.loads((RECEIPTS / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")[0])
        for name in ("references", "predictions")
    )
    values = {"truth": truth["references"][0], "prediction": prediction["prediction"]}
    found.append({"title": "A receipt with typical model errors", **values})
    return [
        {
            name: part if name == "title" else json.dumps(part, indent=2, ensure_ascii=False)
            for name, part in each.items()
        }
        for each in found
    ]


EXAMPLES = _examples()
