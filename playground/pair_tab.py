"""The workspace for one pair: two editors, options and the result, which follows what is typed."""

import json
from pathlib import Path
from typing import Any

import gradio as gr

from docscore.metrics.registry import METRICS
from playground.limits import MAX_BYTES
from playground.pair import answer, what_ifs_of_pair
from playground.requests import PAIR_METRICS, RECEIPTS, WHAT_IFS, PairRequest, option_fields
from playground.server_functions import FUNCTIONS


def workspace() -> None:
    """Build the place of the screen for one pair, which is there before gradio's scripts are."""
    gr.HTML(
        "<div></div>",
        elem_id="pair",
        js_on_load="docscoreAdopt(element)",
        server_functions=FUNCTIONS,
        apply_default_css=False,
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
    fields = [(field, *WORDS[field.name]) for field in option_fields(WHAT_IFS)]
    return EXAMPLES, choices, fields, json.dumps(settings)


# As visitors see them: while they type, a text that is not JSON is not mended unasked.
_READINGS = [("json", "JSON"), ("repair", "repaired JSON"), ("text", "plain text")]
WORDS: dict[str, tuple[str, list[tuple[Any, str]], str]] = {  # of an option: its label, its values in words, a note
    "numbers": (
        "Numbers",
        [("text", "as printed"), ("value", "by value")],
        "by value, 1000.0 is 1000; numbers in texts need a schema",
    ),
    "ignore_case": ("Letters", [(True, "ignore case"), (False, "case counts")], ""),
    "threshold": ("Threshold", [], "texts less similar than this score 0"),
    "rules": ("Rules", [("paper", "the paper’s"), ("anls_star-1.0.1", "package 1.0.1")], ""),
    "normalise": (
        "Texts",
        [(False, "as written"), (True, "normalised")],
        "normalised: case and white space are ignored",
    ),
    "donut": (
        "Shape",
        [(False, "as given"), (True, "as in Donut")],
        "as in Donut: keys are sorted, values are in lists",
    ),
}


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
