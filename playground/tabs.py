"""The tab that scores a file of predictions."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder

from docscore.core.errors import InputError
from playground import testset
from playground.children import Refused
from playground.documents import documents_view, kept_outputs
from playground.file_reading import drawn
from playground.file_requests import FileRequest
from playground.limits import MAX_FILE_BYTES
from playground.runs import (
    PROGRESS,
    RESULTS,
    connect_run,
    download,
    no_downloads,
    run_buttons,
    run_in_child,
    shown_downloads,
    skip_option,
    upload,
    watch_inputs,
)
from playground.uploads import sentence
from playground.what_ifs import what_if_strip
from playground.wizard import column_wizard

OTHER_METRICS = [
    ("KIEval", "kieval"),
    ("Entity F1", "entity_f1"),
    ("nTED", "nted"),
    ("ANLS", "anls"),
    ("ANLSL", "anlsl"),
]
_DOWNLOADS = {"csv": "Scores as CSV", "json": "Everything as JSON", "report": "Report as HTML"}
_ROWS = (
    "Upload references and predictions, or one file with both, as JSONL, JSON, CSV or Parquet, also compressed "
    f"(.jsonl.gz), of up to {MAX_FILE_BYTES // 1_000_000} MB each. Rows are `{{question_id, prediction}}` and "
    "`{question_id, references: [answers]}` in any order. Columns of other names are guessed and shown before anything "
    "is scored."
)


async def score_testset(
    references: str | None,
    predictions: str | None,
    asked: str,
    skip: bool,
    metrics: list[str],
    confidences: bool,
    by: str,
    request: gr.Request,
    progress: gr.Progress = PROGRESS,
) -> tuple[Any, ...]:
    """The outputs of the tab for a file."""
    files = {"references": references, "predictions": predictions, "choices": asked}
    try:
        wanted = FileRequest.of({**files, "skip": skip, "confidences": confidences}, Path(get_upload_folder()))
        work = partial(testset.score_files, wanted, metrics=metrics, by=by.strip())
        found = await run_in_child(work, request, progress)
    except (Refused, InputError) as error:
        return _nothing(error)
    return _outputs(found)


def _outputs(found: testset.TestSet) -> tuple[Any, ...]:
    parts = found.summary, found.documents, found.picture, found.fields
    return *parts, *shown_downloads(found.downloads), found.scored


def _nothing(fault: Exception) -> tuple[Any, ...]:
    return sentence(str(fault)), "", "", "", *no_downloads(len(_DOWNLOADS)), ""


async def open_result(event: gr.EventData) -> tuple[Any, ...]:
    """The outputs of the tab for a file, where a link opens a result that is still kept."""
    try:
        parts = await asyncio.to_thread(kept_outputs, RESULTS, getattr(event, "run", None))
    except Refused as error:
        return _nothing(error)
    return _outputs(testset.TestSet(**parts, scored=drawn("without_files")))


def file_tab() -> None:
    """Build the tab for a file."""
    gr.Markdown(_ROWS)
    with gr.Row():
        files = [upload("References", "file-references"), upload("Predictions", "file-predictions")]
    column_wizard(files)
    asked = gr.Textbox(visible=False)
    with gr.Row(elem_classes="file-options"):
        metrics = gr.CheckboxGroup(OTHER_METRICS, value=[], label="Metrics beside ANLS*", elem_id="file-metrics")
        confidences = gr.Checkbox(
            value=False,
            label="Predictions carry confidences: draw the trade-off of automation and accuracy",
            elem_id="file-confidences",
        )
        by = gr.Textbox(
            label="Slices: a column of the references, such as language",
            elem_id="file-by",
            elem_classes="run-text",
            max_lines=1,
        )
        skip = skip_option("file")
    buttons = run_buttons("file", "Score")
    summary = gr.HTML(elem_id="file-summary")
    scored = what_if_strip()
    documents = documents_view(RESULTS)
    with gr.Row():
        downloads = [download("file", name, label) for name, label in _DOWNLOADS.items()]
    picture = gr.HTML(elem_id="file-picture")
    fields = gr.HTML(elem_id="file-fields")
    run: dict[str, Any] = {
        "fn": score_testset,
        "inputs": [*files, asked, skip, metrics, confidences, by],
        "outputs": [summary, documents, picture, fields, *downloads, scored],
        "js": "(...inputs) => docscoreRuns.begin('file', docscoreWizard.inputs(...inputs))",
    }
    connect_run("file", buttons, run, lambda: tuple(map(str, testset.EXAMPLE_FILES)), files)
    watch_inputs("file", files, [skip, metrics, confidences])
    documents.restore(open_result, None, run["outputs"], api_visibility="private")
