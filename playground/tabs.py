"""The tab that scores a file of predictions."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder

from docscore.core.errors import InputError
from playground import testset
from playground.children import Children, Limits, Refused
from playground.documents import EXAMPLE, documents_view, kept_outputs
from playground.file_requests import FileRequest
from playground.limits import MAX_FILE_BYTES
from playground.uploads import KINDS, new_folder, sentence
from playground.what_ifs import what_if_strip
from playground.wizard import column_wizard

PROGRESS = gr.Progress()
CHILDREN = Children(Limits(places=2, waiting=16, seconds=120))
_CLEANED_AT_EXIT = tempfile.TemporaryDirectory(prefix="docscore-")
_FOLDER = Path(_CLEANED_AT_EXIT.name)
OTHER_METRICS = [
    ("KIEval", "kieval"),
    ("Entity F1", "entity_f1"),
    ("nTED", "nted"),
    ("ANLS", "anls"),
    ("ANLSL", "anlsl"),
]
_ROWS = (
    "JSONL, JSON, CSV or Parquet, also compressed (.jsonl.gz). Rows are `{question_id, prediction}` and "
    "`{question_id, references: [answers]}`, in any order; or have other columns, or both sides in one file: how they "
    f"are read is shown before they are scored. Files of up to {MAX_FILE_BYTES // 1_000_000} MB."
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
    work = partial(testset.score_files, metrics=metrics, by=by.strip())
    files = {"references": references, "predictions": predictions, "choices": asked}
    try:
        wanted = FileRequest.of({**files, "skip": skip, "confidences": confidences}, Path(get_upload_folder()))
        found = await _in_child(work, [wanted], request, progress)
    except (Refused, InputError) as error:
        return sentence(str(error)), *_NOTHING
    return _outputs(found)


def _outputs(found: testset.TestSet) -> tuple[Any, ...]:
    return found.summary, found.documents, found.picture, found.fields, *found.downloads, found.scored


_NOTHING = "", "", "", None, None, None, ""


async def open_result(event: gr.EventData, request: gr.Request, progress: gr.Progress = PROGRESS) -> tuple[Any, ...]:
    """The outputs of the tab for a file, where a link opens the example or a result that is still kept."""
    run = getattr(event, "run", None)
    try:
        if run != EXAMPLE:
            parts = await asyncio.to_thread(kept_outputs, _FOLDER, run)
            return _outputs(testset.TestSet(**parts))
        return _outputs(await _in_child(testset.score_files, [FileRequest(*testset.EXAMPLE_FILES)], request, progress))
    except Refused as error:
        return sentence(str(error)), *_NOTHING


async def _in_child(work: Callable[..., Any], arguments: list[Any], request: gr.Request, progress: gr.Progress) -> Any:
    folder = await asyncio.to_thread(new_folder, _FOLDER)

    def report(share: float, text: str) -> None:
        progress(share, text)

    return await CHILDREN.run(str(request.session_hash), partial(work, folder=folder), *arguments, report=report)


def file_tab() -> None:
    """Build the tab for a file."""
    gr.Markdown(_ROWS)
    with gr.Row():
        files = [_upload("References", "file-references"), _upload("Predictions", "file-predictions")]
    column_wizard(files)
    asked = gr.Textbox(visible=False)
    with gr.Row(elem_classes="file-options"):
        metrics = gr.CheckboxGroup(OTHER_METRICS, value=[], label="Metrics beside ANLS*", elem_id="file-metrics")
        confidences = gr.Checkbox(
            value=False,
            label="Predictions carry confidences: draw the trade-off of automation and accuracy",
            elem_id="file-confidences",
        )
        by = gr.Textbox(label="Slices: a column of the references, such as language", elem_id="file-by", max_lines=1)
    skip, *buttons = _controls("file", "Score")
    summary = gr.HTML(elem_id="file-summary")
    scored = what_if_strip()
    documents = documents_view(_FOLDER)
    with gr.Row():
        downloads = [
            gr.DownloadButton(label, elem_id=f"file-{name}")
            for name, label in (("csv", "Scores as CSV"), ("json", "Everything as JSON"), ("report", "Report as HTML"))
        ]
    picture = gr.HTML(elem_id="file-picture")
    fields = gr.HTML(elem_id="file-fields")
    outputs = [summary, documents, picture, fields, *downloads, scored]
    options = [asked, skip, metrics, confidences, by]
    script = "(...inputs) => docscoreWizard.inputs(...inputs)"
    _wire(buttons, score_testset, files, options, outputs, testset.EXAMPLE_FILES, script)
    documents.restore(open_result, None, outputs, api_visibility="private")


def _upload(label: str, name: str) -> Any:
    return gr.File(label=label, file_types=KINDS, type="filepath", elem_id=name, min_width=220)


def _controls(tab: str, verb: str) -> tuple[Any, ...]:
    """Build the option for faulty rows, and three buttons."""
    skip = gr.Checkbox(value=False, label="Leave out rows with faults, and count them", elem_id=f"{tab}-skip")
    with gr.Row():
        example = gr.Button("Use the example receipts", elem_id=f"{tab}-example")
        button = gr.Button(verb, variant="primary", elem_id=f"{tab}-score")
        stop = gr.Button("Cancel", elem_id=f"{tab}-stop")
    return skip, example, button, stop


def _wire(
    buttons: list[Any],
    work: Callable[..., Any],
    files: list[Any],
    options: list[Any],
    outputs: list[Any],
    examples: tuple[Path, ...],
    script: str | None = None,
) -> None:
    """Connect the buttons; the example button fills in its files before scoring; a script may change the inputs."""
    example, button, stop = buttons
    run: dict[str, Any] = {
        "fn": work,
        "inputs": [*files, *options],
        "outputs": outputs,
        "js": script,
        "show_progress_on": outputs[0],  # one line, not one over each part
        "api_visibility": "private",
    }
    running = button.click(**run, concurrency_limit=None)
    chosen = example.click(lambda: tuple(map(str, examples)), None, files, api_visibility="private").then(**run)
    stop.click(None, cancels=[running, chosen], api_visibility="private")
