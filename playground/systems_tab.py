"""The tab for several systems, as gradio sees it: uploads, names, the base, the result and its downloads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from docscore.core.errors import InputError
from docscore.core.formatting import printable
from playground.file_reading import PARSINGS
from playground.fragments import sentence
from playground.requests import RECEIPTS, CompareRequest
from playground.runs import (
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
from playground.storage import uploads_folder
from playground.systems_work import (
    FILES,
    MOST_SYSTEMS,
    SystemsAnswer,
    compare_systems,
    names_of_files,
)
from playground.worker_pool import Refused

EXAMPLES = (
    RECEIPTS / "references.jsonl",
    [RECEIPTS / name for name in ("predictions.jsonl", "predictions_new.jsonl", "predictions_text.jsonl")],
    "repair",
)
_HINT = (
    f"From 2 to {MOST_SYSTEMS} files of predictions, one for each system, are scored against one file of references: "
    "rows `{question_id, prediction}` and `{question_id, references: [answers]}` as JSONL, JSON, CSV or Parquet. Where "
    "the rows of the predictions hold the references too, leave that file out. Eight systems of 2,000 receipts take "
    "about a minute."
)


async def compare(request: gr.Request, progress: gr.Progress = PROGRESS, *inputs: Any) -> tuple[Any, ...]:
    """The outputs of the tab."""
    try:
        found: SystemsAnswer = await run_in_child(partial(compare_systems, _request(*inputs)), request, progress)
    except (Refused, InputError) as error:
        return sentence(str(error)), *no_downloads(len(FILES))
    return found.html, *shown_downloads(found.downloads)


def _request(
    references: str | None,
    predictions: list[str] | None,
    parse: str,
    skip: bool,
    metric: str,
    base: int | None,
    *names: Any,
) -> CompareRequest:
    asked = {
        "references": references,
        "predictions": predictions or [],
        "names": [name if isinstance(name, str) else "" for name in names],
        "base": base or 0,
        "parse": None if parse == "none" else parse,
        "skip": skip,
        "metric": metric,
    }
    return CompareRequest.of(asked, uploads_folder())


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


def systems_tab() -> None:
    """Build the tab."""
    gr.Markdown(_HINT)
    with gr.Row():
        references = upload("References", "systems-references")
        predictions = upload("Predictions, one file for each system", "systems-predictions", "multiple")
    with gr.Row(elem_classes="systems-names"):
        names = [_name(number) for number in range(1, MOST_SYSTEMS + 1)]
    base, parse, skip, metric = _options()
    buttons = run_buttons("systems", "Compare")
    result = gr.HTML(
        elem_id="systems-result",
        js_on_load="docscoreSystems(element, server)",
        server_functions=FUNCTIONS,
        apply_default_css=False,
    )
    with gr.Row():
        downloads = [download("systems", name, label) for name, label in FILES.items()]
    inputs = [references, predictions, parse, skip, metric, base, *names]
    run: dict[str, Any] = {"fn": compare, "inputs": inputs, "outputs": [result, *downloads]}
    connect_run("systems", buttons, run, _examples, [references, predictions, parse, base, *names])
    watch_inputs("systems", [references, predictions], [parse, skip, metric, base])
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    predictions.change(_named, predictions, [base, *names], **quiet)
    for name in names:
        name.blur(_relabelled, [predictions, base, *names], base, **quiet)


def _name(number: int) -> Any:
    element = f"systems-name-{number}"
    return gr.Textbox(
        label=f"System {number}", visible=False, max_lines=1, min_width=150, elem_id=element, elem_classes="run-text"
    )


def _options() -> tuple[Any, Any, Any, Any]:
    """Build the choices of the base and the metric, and the options for parsing and faulty rows."""
    with gr.Row(elem_classes="file-options"):
        base = gr.Dropdown([("the first file", 0)], value=0, label="Compare the others with", elem_id="systems-base")
        parse = gr.Dropdown(
            [(words, name or "none") for name, words in PARSINGS.items()],
            value="none",
            label="Predictions that are text",
            elem_id="systems-parse",
        )
        metric = metric_choice("systems")
        skip = skip_option("systems")
    return base, parse, skip, metric
