"""The tab that scores a file of predictions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder

from docscore.core.errors import InputError
from docscore.core.formatting import printable
from playground import testset
from playground.file_reading import drawn, look
from playground.fragments import fragment, sentence
from playground.kept_results import GONE, KeptList
from playground.limits import MAX_FILE_BYTES, is_small
from playground.pair_tab import WORKERS
from playground.requests import FileRequest, WhatIf, take_window
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
from playground.testset import rescored
from playground.worker_pool import Limits, Refused, WorkerPool

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


READERS = WorkerPool(Limits(places=2, waiting=16, seconds=60))


async def look_at_files(asked: Any) -> dict[str, Any]:
    """How the files that a browser names are read: `{"html": ...}`, or `{"refused": sentence}`."""
    return await in_reader("look", look, "html", asked)


async def in_reader(kind: str, work: Any, name: str, asked: Any) -> dict[str, Any]:
    """The answer of a child process to a request from a browser, or one sentence.

    Args:
        kind: a newer request of this kind of the same window stops the one before.
        work: a function of a `FileRequest`.
        name: under which its answer is given.
        asked: the fields of a `FileRequest`, and the window that asks.
    """
    try:
        window = take_window(asked)
        request = FileRequest.of(asked, Path(get_upload_folder()))
        visitor = f"{kind} {window.name}" if window.name else ""
        return {name: await READERS.run(visitor, partial(work, request), number=window.number)}
    except InputError as error:
        return {"refused": printable(str(error.for_remote_users()))}
    except Refused as error:
        return {"refused": printable(str(error))}


def column_wizard(files: list[Any]) -> None:
    """Build the wizard below the uploads of references and predictions."""
    gr.HTML(
        drawn("wizard_frame"),
        elem_id="file-wizard",
        js_on_load="docscoreWizard.begin(element, server)",
        server_functions=[look_at_files],
        apply_default_css=False,
    )
    for file in files:
        file.change(None, files, None, js="(...files) => docscoreWizard.files(...files)", api_visibility="private")


async def score_what_if(asked: Any) -> dict[str, Any]:
    """The score of files under a what-if: `{"found": ...}` as `rescored` gives it, or `{"refused": sentence}`."""
    return await in_reader("what if", rescored, "found", asked)


def what_if_strip() -> Any:
    """Build the strip; the component that is returned takes what `scored_request` gives."""
    gr.HTML(
        drawn("strip_frame", WhatIf()),
        elem_id="file-what-ifs",
        js_on_load="docscoreWhatIfs.begin(element, server)",
        server_functions=[score_what_if],
        apply_default_css=False,
    )
    return gr.HTML(
        elem_id="file-scored",
        js_on_load="watch('value', () => docscoreWhatIfs.scored(element)); docscoreWhatIfs.scored(element)",
        apply_default_css=False,
    )


_SCRIPT = "docscoreDocuments({element, server, props, watch, restore: (run) => trigger('restore', {run})})"


def documents_view(within: Path) -> Any:
    """Build the component; its value is what `keep_list` returns, and its event "restore" asks for an older result.

    Args:
        within: the folder of all results.
    """

    async def read_documents(asked: Any) -> dict[str, Any]:
        return await _answer(lambda: {"text": _kept(within, asked).listing()})

    async def read_document(asked: Any) -> dict[str, Any]:
        try:
            if await asyncio.to_thread(_is_drawn_at_once, within, asked):
                return await _answer(partial(_document, within, asked))
            found: dict[str, Any] = await WORKERS.run("", partial(_document, within, asked))
        except (Refused, ValueError, OSError) as error:
            return _refusal(error)
        return found

    async def find_documents(asked: Any) -> dict[str, Any]:
        return await _answer(lambda: {"numbers": _kept(within, asked).found(asked.get("text"))})

    async def read_rows(asked: Any) -> dict[str, Any]:
        return await _answer(lambda: {"text": _kept(within, asked).rows(asked.get("numbers"))})

    return gr.HTML(
        html_template=fragment("documents"),
        elem_id="file-documents",
        js_on_load=_SCRIPT,
        server_functions=[read_documents, read_document, find_documents, read_rows],
        apply_default_css=False,
    )


def kept_outputs(within: Path, run: object) -> dict[str, Any]:
    """The parts of a result that is still kept.

    Raises:
        Refused: if it is not kept any more.
    """
    try:
        return KeptList(within, run).outputs
    except OSError:
        raise Refused(GONE) from None


def _kept(within: Path, asked: Any) -> KeptList:
    return KeptList(within, asked.get("run") if isinstance(asked, dict) else None)


def _document(within: Path, asked: Any) -> dict[str, Any]:
    return _kept(within, asked).document(asked.get("number"))


def _is_drawn_at_once(within: Path, asked: Any) -> bool:
    return is_small(*_kept(within, asked).values(asked.get("number")))


async def _answer(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return await asyncio.to_thread(work)
    except (ValueError, OSError) as error:
        return _refusal(error)


def _refusal(error: Exception) -> dict[str, Any]:
    return {"refused": GONE if isinstance(error, OSError) else printable(str(error))}
