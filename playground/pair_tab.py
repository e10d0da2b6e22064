"""The workspace for one pair: two editors, options and the result, which follows what is typed."""

from __future__ import annotations

import json
from pathlib import Path

import gradio as gr

from docscore.metrics.registry import METRICS
from playground.fragments import fragment
from playground.limits import MAX_BYTES
from playground.pair import (
    answer,
)
from playground.requests import (
    PAIR_METRICS,
    PAIR_OPTIONS,
    READINGS,
    PairRequest,
    option_fields,
)
from playground.server_functions import FUNCTIONS
from playground.testset import RECEIPTS


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
        server_functions=FUNCTIONS,
        apply_default_css=False,
    )


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
