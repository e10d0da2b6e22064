"""The tab for several systems: the drop box, and the screen of a result, which the page's scripts fill."""

import json

import gradio as gr

from docscore.metrics.registry import METRICS, TYPED
from playground.fragments import fragment
from playground.limits import MAX_FILE_BYTES
from playground.pair_tab import WORDS
from playground.requests import MAX_FILES, RECEIPTS, WHAT_IFS, option_fields
from playground.server_functions import FUNCTIONS

_EXAMPLE = "references.jsonl", "predictions.jsonl", "predictions_new.jsonl", "predictions_text.jsonl"
READ = [  # an option of reading: its name and label, its values in words, a note
    ("parse", "Predictions", [("", "as detected"), ("json", "JSON"), ("repair", "repaired JSON")], ""),
    (
        "missing",
        "Missing rows",
        [("error", "error"), ("zero", "score 0"), ("skip", "leave out")],
        "rows without a prediction",
    ),
    ("skip", "Faulty rows", [(False, "error"), (True, "leave out")], "rows that are left out are counted"),
]


def compare_tab() -> None:
    """Build the tab."""
    metrics = [(name, metric.label) for name, metric in METRICS.items() if name != TYPED]
    fields = [(field, *WORDS[field.name]) for field in option_fields(WHAT_IFS)]
    examples = json.dumps([{"name": name, "path": str(RECEIPTS / name)} for name in _EXAMPLE])
    gr.HTML(
        fragment(
            "compare",
            *("Compare three systems on 40 receipts", MAX_FILE_BYTES, MAX_FILES),
            *(metrics, fields, READ, examples),
            template="compare.html.jinja",
        ),
        elem_id="compare",
        js_on_load="docscoreCompare(element, server)",
        server_functions=FUNCTIONS,
        apply_default_css=False,
    )
