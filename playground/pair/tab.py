"""The tab for one pair, whose screen is there, with the first example scored, before gradio's scripts are."""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

from docscore.metrics.registry import METRICS
from playground.pair.pair import answer, is_scored_at_once, what_ifs_of_pair
from playground.parts.tab import Tab, fields_with_words
from playground.server.functions import PAIRS, READERS, Answer, answer_of_child, answers, in_child, in_thread, stops
from playground.server.limits import MAX_BYTES
from playground.server.requests import PAIR_METRICS, RECEIPTS, LinkRequest, PairRequest


async def _score(request: PairRequest) -> Answer:
    """The answer to a `PairRequest`: a `PairAnswer`; a newer request of the same window stops the one before."""
    if await asyncio.to_thread(is_scored_at_once, request):
        return await asyncio.to_thread(answer, request)
    return await answer_of_child(PAIRS, "window", request, lambda _: partial(answer, request))


TAB = Tab(
    "one-pair",
    "pair",
    "One pair",
    "docscore['pair/first.js'].adopt(element, server)",
    "",
    functions={
        "score_workspace": answers(PairRequest, _score),
        # what scores the pair higher; no score waits for it
        "try_options": in_child(PairRequest, READERS, "what-ifs", lambda asked: partial(what_ifs_of_pair, asked)),
        "stop_workspace": stops(PAIRS, "window"),
        # the request that a link holds, for the editors and options
        "open_link": in_thread(
            LinkRequest, lambda asked: PairRequest.of_link(asked.link).model_dump(exclude={"window"})
        ),
    },
)


def first_workspace() -> tuple[Any, ...]:
    """What the template draws of the screen for one pair, with the first example scored."""
    first = PairRequest(truth=EXAMPLES[0]["truth"], prediction=EXAMPLES[0]["prediction"], reading="json")
    settings = {
        "examples": EXAMPLES,
        "longest": MAX_BYTES,
        "first": {**answer(first), **what_ifs_of_pair(first)},
    }
    metrics = "metric", "Metric", [(name, METRICS[name].label) for name in PAIR_METRICS]
    return EXAMPLES, [metrics, ("reading", "Prediction", _READINGS)], fields_with_words(), json.dumps(settings)


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
