"""The tab for a test set: the drop box, and the screen of a result, which the page's scripts fill."""

import json

import gradio as gr

from docscore.metrics.registry import METRICS, TYPED
from playground.fragments import fragment
from playground.limits import MAX_FILE_BYTES
from playground.pair_tab import WORDS
from playground.requests import WHAT_IFS, option_fields
from playground.server_functions import FUNCTIONS
from playground.testset import EXAMPLE_FILES


def testset_tab() -> None:
    """Build the tab."""
    metrics = [(name, metric.label) for name, metric in METRICS.items() if name != TYPED]
    fields = [(field, *WORDS[field.name]) for field in option_fields(WHAT_IFS)]
    examples = [{"name": path.name, "path": str(path)} for path in EXAMPLE_FILES]
    gr.HTML(
        fragment("testset", metrics, fields, MAX_FILE_BYTES, json.dumps(examples), template="testset.html.jinja"),
        elem_id="testset",
        js_on_load="docscoreTestset(element, server)",
        server_functions=FUNCTIONS,
        apply_default_css=False,
    )
