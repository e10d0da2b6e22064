"""The tab for reviews: the drop box, and the screen of a worklist, which the page's scripts fill."""

import json

import gradio as gr

from playground.compare_tab import READ
from playground.fragments import fragment
from playground.limits import MAX_FILE_BYTES
from playground.pair_tab import WORDS
from playground.requests import MAX_FILES, NOTES, WHAT_IFS, option_fields
from playground.server_functions import FUNCTIONS

_EXAMPLE = NOTES / "references.jsonl", *sorted((NOTES / "systems").glob("*.jsonl"))


def review_tab() -> None:
    """Build the tab."""
    fields = [(field, *WORDS[field.name]) for field in option_fields(WHAT_IFS) if "anls_star" in field.metrics]
    examples = json.dumps([{"name": path.name, "path": str(path)} for path in _EXAMPLE])
    gr.HTML(
        fragment("review", MAX_FILE_BYTES, MAX_FILES, fields, READ, examples, template="review.html.jinja"),
        elem_id="review",
        js_on_load="docscoreReview(element, server)",
        server_functions=FUNCTIONS,
        apply_default_css=False,
    )
