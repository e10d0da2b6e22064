"""The tabs that ask the server: what their templates draw at first; the page's scripts fill them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import gradio as gr

from docscore.metrics.registry import METRICS, TYPED
from playground.fragments import fragment
from playground.limits import MAX_BYTES, MAX_FILE_BYTES
from playground.pair import answer, what_ifs_of_pair
from playground.requests import MAX_FILES, NOTES, PAIR_METRICS, RECEIPTS, WHAT_IFS, PairRequest, option_fields
from playground.server_functions import FUNCTIONS
from playground.testset import EXAMPLE_FILES


def pair_tab() -> None:
    """Build the place of the screen for one pair, which is there before gradio's scripts are."""
    _place("pair", "docscoreAdopt(element)", "<div></div>")


def testset_tab() -> None:
    """Build the tab for a test set: the drop box, and the screen of a result."""
    arguments = _FILE_METRICS, _fields(), MAX_FILE_BYTES, _offered(EXAMPLE_FILES)
    _place("testset", "docscoreTestset(element, server)", _drawn("testset", *arguments))


def compare_tab() -> None:
    """Build the tab for several systems: the drop box, and the screen of a result."""
    names = "references.jsonl", "predictions.jsonl", "predictions_new.jsonl", "predictions_text.jsonl"
    example = "Compare three systems on 40 receipts"
    arguments = example, MAX_FILE_BYTES, MAX_FILES, _FILE_METRICS, _fields(), _READ
    drawn = _drawn("compare", *arguments, _offered(RECEIPTS / name for name in names))
    _place("compare", "docscoreCompare(element, server)", drawn)


def review_tab() -> None:
    """Build the tab for reviews: the drop box, and the screen of a worklist."""
    files = NOTES / "references.jsonl", *sorted((NOTES / "systems").glob("*.jsonl"))
    fields = [field for field in _fields() if "anls_star" in field[0].metrics]
    drawn = _drawn("review", MAX_FILE_BYTES, MAX_FILES, fields, _READ, _offered(files))
    _place("review", "docscoreReview(element, server)", drawn)


def _place(name: str, script: str, drawn: str) -> None:
    gr.HTML(drawn, elem_id=name, js_on_load=script, server_functions=FUNCTIONS, apply_default_css=False)


def _drawn(name: str, *arguments: Any) -> str:
    return fragment(name, *arguments, template=f"{name}.html.jinja")


def _fields() -> list[tuple[Any, ...]]:
    """The options that every tab offers, with their words."""
    return [(field, *_WORDS[field.name]) for field in option_fields(WHAT_IFS)]


def _offered(files: Iterable[Path]) -> str:
    """The files of an example for the page's scripts."""
    return json.dumps([{"name": path.name, "path": str(path)} for path in files])


_FILE_METRICS = [(name, metric.label) for name, metric in METRICS.items() if name != TYPED]
_READ = [  # an option of reading: its name and label, its values in words, a note
    ("parse", "Predictions", [("", "as detected"), ("json", "JSON"), ("repair", "repaired JSON")], ""),
    (
        "missing",
        "Missing rows",
        [("error", "error"), ("zero", "score 0"), ("skip", "leave out")],
        "rows without a prediction",
    ),
    ("skip", "Faulty rows", [(False, "error"), (True, "leave out")], "rows that are left out are counted"),
]


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
    return EXAMPLES, choices, _fields(), json.dumps(settings)


# As visitors see them: while they type, a text that is not JSON is not mended unasked.
_READINGS = [("json", "JSON"), ("repair", "repaired JSON"), ("text", "plain text")]
_WORDS: dict[str, tuple[str, list[tuple[Any, str]], str]] = {  # of an option: its label, its values in words, a note
    "numbers": (
        "Numbers",
        [("text", "as printed"), ("value", "by value")],
        'by value, 1000.0 equals 1000; "1000" in quotes stays text unless a schema says number',
    ),
    "ignore_case": ("Letters", [(True, "ignore case"), (False, "case counts")], ""),
    "threshold": ("Threshold", [], "texts less similar than this score 0"),
    "rules": (
        "Rules",
        [("paper", "the paper’s"), ("anls_star-1.0.1", "the package’s")],
        "the package’s: as the package anls_star 1.0.1 counts",
    ),
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
