"""The tab for several systems, as gradio sees it: uploads, names, the base, the result and its downloads."""

from __future__ import annotations

import asyncio
import tempfile
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Literal

import gradio as gr

from docscore.core.printing import printable
from playground.children import Children, Limits, Refused
from playground.gallery import RECEIPTS
from playground.kept import GONE
from playground.systems_work import (
    FILES,
    MOST_SYSTEMS,
    SystemsAnswer,
    SystemsRequest,
    compare_systems,
    document_side_by_side,
    names_of_files,
)
from playground.tabs import CHILDREN, PROGRESS
from playground.uploads import KINDS, new_folder, sentence

EXAMPLES = (
    RECEIPTS / "references.jsonl",
    [RECEIPTS / name for name in ("predictions.jsonl", "predictions_new.jsonl", "predictions_text.jsonl")],
    "repair",
)
_CLEANED_AT_EXIT = tempfile.TemporaryDirectory(prefix="docscore-")
_FOLDER = Path(_CLEANED_AT_EXIT.name)
_OPENING = Children(Limits(places=2, waiting=16, seconds=20))
_MOST_SHOWN = 500  # results whose documents can be opened; the oldest goes first
_SHOWN: OrderedDict[str, SystemsAnswer] = OrderedDict()
_HINT = (
    f"From 2 to {MOST_SYSTEMS} files of predictions, one a system, against one file of ground truths: rows "
    "`{question_id, prediction}` and `{question_id, references}` as JSONL, JSON, CSV or Parquet. Without a file of "
    "ground truths, rows of the predictions hold them."
)


async def compare(
    references: str | None,
    predictions: list[str] | None,
    parse: str,
    skip: bool,
    base: int | None,
    request: gr.Request,
    progress: gr.Progress = PROGRESS,
    *names: Any,
) -> tuple[Any, ...]:
    """The outputs of the tab."""
    try:
        asked = SystemsRequest(
            Path(references) if references else None,
            list(map(Path, predictions or [])),
            [name if isinstance(name, str) else "" for name in names],
            base or 0,
            None if parse == "none" else parse,
            skip,
            token_urlsafe(24),
        )
        folder = await asyncio.to_thread(new_folder, _FOLDER)
        work = partial(compare_systems, asked, folder=folder)
        found: SystemsAnswer = await CHILDREN.run(str(request.session_hash), work, report=partial(_report, progress))
    except Refused as error:
        return sentence(str(error)), *[gr.DownloadButton(visible=False)] * len(FILES)
    buttons = [gr.DownloadButton(value=path, visible=True) for path in found.downloads]
    _keep(asked.token, found)
    return found.html, *buttons


def _report(progress: gr.Progress, share: float, text: str) -> None:
    progress(share, text)


def _keep(token: str, found: SystemsAnswer) -> None:
    _SHOWN[token] = found._replace(html="")
    while len(_SHOWN) > _MOST_SHOWN:
        _SHOWN.popitem(last=False)


async def open_document(asked: Any) -> dict[str, str]:
    """The trees of a document side by side, `{"html": ...}`, or `{"refused": sentence}`.

    Args:
        asked: {"token": the name of the result, "document": a displayed id, "system": the number of a system, which is
            shown beside the base, or -1 for all}.
    """
    token, document, system = (asked.get(name) if isinstance(asked, dict) else None for name in _ASKED)
    found = _SHOWN.get(token) if isinstance(token, str) else None
    if found is None or not isinstance(document, str) or type(system) is not int:
        return {"refused": GONE}
    others = [number for number in range(len(found.names)) if number != found.base and system in (number, -1)]
    work = partial(document_side_by_side, found.kept, found.names, [found.base, *others], document)
    try:
        drawn: str = await _OPENING.run(str(token), work)
    except Refused as error:
        return {"refused": printable(str(error)) if found.kept.folder.exists() else GONE}
    return {"html": drawn} if drawn else {"refused": "There is no such document."}


_ASKED = "token", "document", "system"


def _named(predictions: list[str] | None) -> list[Any]:
    """The base and the names for the files that were chosen."""
    names = names_of_files(list(map(Path, predictions or [])))[:MOST_SYSTEMS]
    labels = [printable(Path(path).name) for path in predictions or []]
    shown = [gr.Textbox(value=name, label=label, visible=True) for name, label in zip(names, labels, strict=False)]
    return [_bases(names), *shown, *[gr.Textbox(value="", visible=False)] * (MOST_SYSTEMS - len(shown))]


def _bases(names: Sequence[str], chosen: int = 0) -> Any:
    """The choice of the base."""
    choices = [(printable(name), number) for number, name in enumerate(names)] or [("the first file", 0)]
    return gr.Dropdown(choices=choices, value=chosen if chosen < len(choices) else 0)


def _relabelled(predictions: list[str] | None, base: int | None, *names: str) -> Any:
    """The choice of the base under the names that were typed."""
    defaults = names_of_files(list(map(Path, predictions or [])))[:MOST_SYSTEMS]
    return _bases([name.strip() or default for name, default in zip(names, defaults, strict=False)], base or 0)


def _examples() -> list[Any]:
    references, predictions, parse = EXAMPLES
    paths = list(map(str, predictions))
    return [str(references), paths, parse, *_named(paths)]


def _upload(label: str, name: str, count: Literal["single", "multiple"]) -> Any:
    return gr.File(label=label, file_types=KINDS, file_count=count, elem_id=name, min_width=220, height=150)


def systems_tab() -> None:
    """Build the tab."""
    gr.Markdown(_HINT)
    with gr.Row():
        references = _upload("Ground truth", "systems-references", "single")
        predictions = _upload("Predictions, a file a system", "systems-predictions", "multiple")
    with gr.Row(elem_classes="systems-names"):
        names = [_name(number) for number in range(1, MOST_SYSTEMS + 1)]
    base, parse, skip = _options()
    with gr.Row():
        example = gr.Button("Use the example receipts", elem_id="systems-example")
        button = gr.Button("Compare", variant="primary", elem_id="systems-score")
        stop = gr.Button("Cancel", elem_id="systems-stop")
    result = gr.HTML(
        elem_id="systems-result",
        js_on_load="docscoreSystems(element, server)",
        server_functions=[open_document],
        apply_default_css=False,
    )
    with gr.Row():
        downloads = [_download(name, label) for name, label in FILES.items()]
    work: dict[str, Any] = {
        "fn": compare,
        "inputs": [references, predictions, parse, skip, base, *names],
        "outputs": [result, *downloads],
        "show_progress_on": result,
        "api_visibility": "private",
    }
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    predictions.change(_named, predictions, [base, *names], **quiet)
    for name in names:
        name.blur(_relabelled, [predictions, base, *names], base, **quiet)
    running = button.click(**work, concurrency_limit=None)
    filled = [references, predictions, parse, base, *names]
    chosen = example.click(_examples, None, filled, api_visibility="private").then(**work)
    stop.click(None, cancels=[running, chosen], api_visibility="private")


def _name(number: int) -> Any:
    element = f"systems-name-{number}"
    return gr.Textbox(label=f"System {number}", visible=False, max_lines=1, min_width=150, elem_id=element)


def _options() -> tuple[Any, Any, Any]:
    """Build the choice of the base, and the options for parsing and faulty rows."""
    with gr.Row(elem_classes="file-options"):
        base = gr.Dropdown([("the first file", 0)], value=0, label="Compare with", elem_id="systems-base")
        parse = gr.Dropdown(
            ["none", "json", "repair"],
            value="none",
            label="Predictions that are text: read as JSON",
            elem_id="systems-parse",
        )
        skip = gr.Checkbox(value=False, label="Leave out rows with faults, and count them", elem_id="systems-skip")
    return base, parse, skip


def _download(name: str, label: str) -> Any:
    element = f"systems-{name.replace('.', '-')}"
    return gr.DownloadButton(label, visible=False, elem_id=element, size="sm", min_width=120)
