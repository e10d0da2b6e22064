"""What the tabs for files have in common: uploads, buttons, runs, and the mark of a result with changed inputs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import gradio as gr

from docscore.metrics.registry import ANLS_STAR, METRICS, TYPED
from playground.file_reading import KINDS
from playground.fragments import fragment
from playground.storage import new_folder
from playground.worker_pool import Limits, WorkerPool

PROGRESS = gr.Progress()
WORKERS = WorkerPool(Limits(places=2, waiting=16, seconds=120))


async def run_in_child(work: Callable[..., Any], request: gr.Request, progress: gr.Progress) -> Any:
    """What `work(folder=..., progress=...)` returns; a newer run of the same visitor stops it."""
    folder = await asyncio.to_thread(new_folder)
    task = partial(work, folder=folder)
    return await WORKERS.run(str(request.session_hash), task, report=progress)


class RunButtons(NamedTuple):
    """The buttons of a tab: the example, the run, and Cancel, which is there while something runs."""

    example: Any
    score: Any
    stop: Any


def run_buttons(tab: str, verb: str) -> RunButtons:
    """Build the buttons, and the line that says when the result is no longer that of the inputs."""
    with gr.Row():
        found = RunButtons(
            gr.Button("Use the example receipts", elem_id=f"{tab}-example"),
            gr.Button(verb, variant="primary", elem_id=f"{tab}-score"),
            gr.Button("Cancel", elem_id=f"{tab}-stop", elem_classes="run-stop"),
        )
    gr.HTML(fragment("changed", verb), elem_id=f"{tab}-changed", apply_default_css=False)
    return found


def connect_run(
    tab: str,
    buttons: RunButtons,
    run: dict[str, Any],
    fill: Callable[[], Any],
    filled: list[Any],
) -> None:
    """Connect the buttons with a run.

    Args:
        tab: the name of the tab, with which the ids of its elements begin.
        buttons: its buttons.
        run: the keywords of the event: function, inputs, outputs and script.
        fill: gives what the example button fills in before the run.
        filled: the components that it fills in.
    """
    begin = f"(...inputs) => docscoreRuns.begin('{tab}', inputs)"
    run = {"js": begin, "show_progress_on": run["outputs"][0], "api_visibility": "private", **run}
    runs = [
        buttons.score.click(**run, concurrency_limit=None),
        buttons.example.click(fill, None, filled, api_visibility="private").then(**run),
    ]
    for each in runs:
        each.success(None, js=f"() => docscoreRuns.arrived('{tab}')", api_visibility="private")
        each.then(None, js=f"() => docscoreRuns.ended('{tab}')", api_visibility="private")
    buttons.stop.click(None, cancels=runs, js=f"() => docscoreRuns.ended('{tab}')", api_visibility="private")


def watch_inputs(tab: str, files: Sequence[Any], options: Sequence[Any]) -> None:
    """Say so where a visitor changes uploads or options after a result; a text has the class "run-text" for that."""
    events = [event for file in files for event in (file.upload, file.clear, file.delete)]
    for event in [*events, *(option.input for option in options)]:
        event(None, js=f"() => docscoreRuns.changed('{tab}')", api_visibility="private", show_progress="hidden")


def upload(label: str, name: str, count: Literal["single", "multiple"] = "single") -> Any:
    """Build an upload."""
    return gr.File(label=label, file_types=KINDS, file_count=count, type="filepath", elem_id=name, min_width=220)


METRICS_OF_FILES = [(metric.label, name) for name, metric in METRICS.items() if name != TYPED]


def metric_choice(tab: str) -> Any:
    """Build the choice of the metric of everything that is shown."""
    label = "Metric of everything shown"
    return gr.Dropdown(METRICS_OF_FILES, value=ANLS_STAR, label=label, elem_id=f"{tab}-metric", min_width=120)


def skip_option(tab: str) -> Any:
    """Build the option for faulty rows."""
    return gr.Checkbox(value=False, label="Leave out rows with faults, and count them", elem_id=f"{tab}-skip")


def download(tab: str, name: str, label: str) -> Any:
    """Build a download, which is there while there is a result."""
    element = f"{tab}-{name.replace('.', '-')}"
    return gr.DownloadButton(label, visible=False, elem_id=element, size="sm", min_width=120)


def shown_downloads(paths: Sequence[str]) -> list[Any]:
    """The downloads of a result."""
    return [gr.DownloadButton(value=path, visible=True) for path in paths]


def no_downloads(count: int) -> list[Any]:
    """Downloads where there is no result."""
    return [gr.DownloadButton(value=None, visible=False)] * count
