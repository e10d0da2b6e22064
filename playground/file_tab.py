"""The tab that scores a file of predictions."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import gradio as gr

from docscore.core.errors import InputError
from docscore.data.json_text import loads
from playground import testset
from playground.file_reading import drawn
from playground.fragments import fragment, sentence
from playground.kept_results import KeptList
from playground.limits import MAX_FILE_BYTES
from playground.requests import (
    GONE,
    WHAT_IFS,
    FileRequest,
    option_fields,
)
from playground.runs import (
    METRICS_OF_FILES,
    PROGRESS,
    connect_run,
    download,
    metric_choice,
    no_downloads,
    run_buttons,
    run_in_child,
    shown_downloads,
    skip_option,
    upload,
    watch_inputs,
)
from playground.server_functions import FUNCTIONS
from playground.storage import results_folder, uploads_folder
from playground.worker_pool import Refused

_DOWNLOADS = dict(zip(("csv", "json", "report", "fields", "causes"), testset.DOWNLOADS.values(), strict=True))
_ROWS = (
    "Upload references and predictions, or one file with both, as JSONL, JSON, CSV or Parquet, also compressed "
    f"(.jsonl.gz), of up to {MAX_FILE_BYTES // 1_000_000} MB each. Rows are `{{question_id, prediction}}` and "
    "`{question_id, references: [answers]}` in any order. Columns of other names are guessed and shown before anything "
    "is scored."
)


async def score_testset(request: gr.Request, progress: gr.Progress = PROGRESS, *inputs: Any) -> tuple[Any, ...]:
    """The outputs of the tab for a file; the first input is a `FileRequest` as JSON text, made by the page's script."""
    try:
        wanted = FileRequest.of(loads(inputs[0]), uploads_folder())
        found = await run_in_child(partial(testset.score_files, wanted), request, progress)
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
        kept = await asyncio.to_thread(KeptList, results_folder(), getattr(event, "run", None))
        parts = kept.outputs
    except OSError:
        return _nothing(Refused(GONE))
    return _outputs(testset.TestSet(**parts, scored=drawn("without_files")))


def file_tab() -> None:
    """Build the tab for a file."""
    gr.Markdown(_ROWS)
    with gr.Row():
        files = [upload("References", "file-references"), upload("Predictions", "file-predictions")]
    column_wizard(files)
    asked = gr.Textbox(visible=False)
    with gr.Row(elem_classes="file-options"):
        metric = metric_choice("file")
        metrics = gr.CheckboxGroup(METRICS_OF_FILES, value=[], label="Metrics beside it", elem_id="file-metrics")
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
    documents = documents_view()
    with gr.Row():
        downloads = [download("file", name, label) for name, label in _DOWNLOADS.items()]
    picture = gr.HTML(elem_id="file-picture")
    fields = gr.HTML(elem_id="file-fields")
    run: dict[str, Any] = {
        "fn": score_testset,
        "inputs": [asked, *files, metric, metrics, by, skip, confidences],
        "outputs": [summary, documents, picture, fields, *downloads, scored],
        "js": "(...inputs) => docscoreRuns.begin('file', docscoreWizard.inputs(...inputs))",
    }
    connect_run("file", buttons, run, lambda: tuple(map(str, testset.EXAMPLE_FILES)), files)
    watch_inputs("file", files, [skip, metric, metrics, confidences])
    documents.restore(open_result, None, run["outputs"], api_visibility="private")


def column_wizard(files: list[Any]) -> None:
    """Build the wizard below the uploads of references and predictions."""
    gr.HTML(
        drawn("wizard_frame"),
        elem_id="file-wizard",
        js_on_load="docscoreWizard.begin(element, server)",
        server_functions=FUNCTIONS,
        apply_default_css=False,
    )
    for file in files:
        file.change(None, files, None, js="(...files) => docscoreWizard.files(...files)", api_visibility="private")


def what_if_strip() -> Any:
    """Build the strip; the component that is returned takes what `scored_request` gives."""
    gr.HTML(
        drawn("strip_frame", option_fields(WHAT_IFS)),
        elem_id="file-what-ifs",
        js_on_load="docscoreWhatIfs.begin(element, server)",
        server_functions=FUNCTIONS,
        apply_default_css=False,
    )
    return gr.HTML(
        elem_id="file-scored",
        js_on_load="watch('value', () => docscoreWhatIfs.scored(element)); docscoreWhatIfs.scored(element)",
        apply_default_css=False,
    )


_SCRIPT = "docscoreDocuments({element, server, props, watch, restore: (run) => trigger('restore', {run})})"


def documents_view() -> Any:
    """Build the component; its value is what `keep_list` returns, and its event "restore" asks for an older result."""
    return gr.HTML(
        html_template=fragment("documents"),
        elem_id="file-documents",
        js_on_load=_SCRIPT,
        server_functions=FUNCTIONS,
        apply_default_css=False,
    )
