"""The tabs for files: one scores a file of predictions, the other compares two files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import gradio as gr

from playground import testset, versus
from playground.limits import MAX_FILE_BYTES
from playground.uploads import KINDS, sentence, sentence_of

PROGRESS = gr.Progress()
OTHER_METRICS = [
    ("KIEval", "kieval"),
    ("Entity F1", "entity_f1"),
    ("nTED", "nted"),
    ("ANLS", "anls"),
    ("ANLSL", "anlsl"),
]
_ROWS = (
    "JSONL, JSON, CSV or Parquet, also compressed (.jsonl.gz). Rows are `{question_id, prediction}` and "
    f"`{{question_id, references: [answers]}}`, in any order. Files of up to {MAX_FILE_BYTES // 1_000_000} MB."
)


def score_testset(
    references: str | None,
    predictions: str | None,
    parse: str,
    skip: bool,
    metrics: list[str],
    confidences: bool,
    by: str,
    progress: gr.Progress = PROGRESS,
) -> tuple[Any, ...]:
    """The outputs of the tab for a file."""

    def scored(references: Path, predictions: Path) -> tuple[Any, ...]:
        found = testset.score_files(
            references,
            predictions,
            _mode(parse),
            skip=skip,
            progress=progress,
            metrics=metrics,
            confidences=confidences,
            by=by.strip(),
        )
        return found.summary, found.picture, found.fields, found.rows, "", *found.downloads, found.scores

    nothing = "", gr.DataFrame(value=[]), gr.DataFrame(value=[]), "", None, None, None, None
    return _tried(scored, [references, predictions], "a file of references and one of predictions", nothing)


def compare_systems(
    references: str | None,
    base: str | None,
    new: str | None,
    parse: str,
    skip: bool,
    progress: gr.Progress = PROGRESS,
) -> tuple[Any, ...]:
    """The outputs of the tab for two files of predictions."""

    def compared(references: Path, base: Path, new: Path) -> tuple[Any, ...]:
        found = versus.compare_files(references, base, new, _mode(parse), skip=skip, progress=progress)
        return found.summary, found.fields, found.documents, "", found.scores

    nothing = gr.DataFrame(value=[]), gr.DataFrame(value=[]), "", None
    return _tried(compared, [references, base, new], "a file of references and two of predictions", nothing)


def show_row(scores: Any, event: gr.SelectData) -> str:
    """The tree of the selected row."""
    return "" if scores is None or not event.row_value else testset.tree_of(scores, str(event.row_value[0]))


def show_change(scores: Any, event: gr.SelectData) -> str:
    """The trees of the selected document."""
    return "" if scores is None or not event.row_value else versus.trees_of(scores, str(event.row_value[0]))


def _mode(parse: str) -> str | None:
    return None if parse == "none" else parse


def _tried(
    work: Callable[..., tuple[Any, ...]], files: list[str | None], wanted: str, nothing: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The outputs of `work`, or an error message and empty outputs."""
    paths = [Path(file) for file in files if file]
    if len(paths) < len(files):
        return sentence(f"Choose {wanted}."), *nothing
    try:
        return work(*paths)
    except OSError as error:
        return sentence(f"{Path(error.filename or '').name}: {error.strerror or error}"), *nothing
    except (TypeError, ValueError, RecursionError) as error:
        return sentence_of(error), *nothing


def file_tab() -> None:
    """Build the tab for a file."""
    gr.Markdown(_ROWS)
    with gr.Row():
        files = [_upload("References", "file-references"), _upload("Predictions", "file-predictions")]
    with gr.Row(elem_classes="file-options"):
        metrics = gr.CheckboxGroup(OTHER_METRICS, value=[], label="Metrics beside ANLS*", elem_id="file-metrics")
        confidences = gr.Checkbox(
            value=False,
            label="Predictions carry confidences: draw the trade-off of automation and accuracy",
            elem_id="file-confidences",
        )
        by = gr.Textbox(label="Slices: a column of the references, such as language", elem_id="file-by", max_lines=1)
    parse, skip, example, button = _controls("file", "Score")
    summary = gr.HTML(elem_id="file-summary")
    picture = gr.HTML(elem_id="file-picture")
    fields = _table(testset.FIELD_HEADERS, "Fields, most points lost first", "file-fields")
    rows = _table(testset.ROW_HEADERS, "Rows, lowest first: choose one to see its tree", "file-rows")
    with gr.Row():
        downloads = [
            gr.DownloadButton(label, elem_id=f"file-{name}")
            for name, label in (("csv", "Scores as CSV"), ("json", "Everything as JSON"), ("report", "Report as HTML"))
        ]
    tree = gr.HTML(elem_id="file-tree")
    scores = gr.State(time_to_live=3600)
    outputs = [summary, picture, fields, rows, tree, *downloads, scores]
    _wire(
        button, example, score_testset, files, [parse, skip, metrics, confidences, by], outputs, testset.EXAMPLE_FILES
    )
    rows.select(show_row, scores, tree, api_visibility="private")


def compare_tab() -> None:
    """Build the tab for two files of predictions."""
    gr.Markdown(_ROWS)
    with gr.Row():
        files = [
            _upload("References", "compare-references"),
            _upload("Predictions: base", "compare-base"),
            _upload("Predictions: new", "compare-new"),
        ]
    parse, skip, example, button = _controls("compare", "Compare")
    summary = gr.HTML(elem_id="compare-summary")
    fields = _table(versus.FIELD_HEADERS, "Fields that changed, largest change first", "compare-fields")
    rows = _table(versus.DOCUMENT_HEADERS, "Documents that changed: choose one to see its trees", "compare-documents")
    trees = gr.HTML(elem_id="compare-trees")
    scores = gr.State(time_to_live=3600)
    outputs = [summary, fields, rows, trees, scores]
    _wire(button, example, compare_systems, files, [parse, skip], outputs, testset.COMPARED_FILES)
    rows.select(show_change, scores, trees, api_visibility="private")


def _upload(label: str, name: str) -> Any:
    return gr.File(label=label, file_types=KINDS, type="filepath", elem_id=name, min_width=220)


def _table(headers: list[str], label: str, name: str) -> Any:
    types: list[Literal["str", "number"]] = ["str" if column == 0 else "number" for column in range(len(headers))]
    return gr.Dataframe(
        headers=headers,
        datatype=types,
        interactive=False,
        label=label,
        min_width=320,
        elem_id=name,
    )


def _controls(tab: str, verb: str) -> tuple[Any, Any, Any, Any]:
    """Build the options for parsing and faulty rows, and two buttons."""
    with gr.Row(elem_classes="file-options"):
        parse = gr.Dropdown(
            ["none", "json", "repair"],
            value="none",
            label="Predictions that are text: read as JSON",
            elem_id=f"{tab}-parse",
        )
        skip = gr.Checkbox(value=False, label="Leave out rows with faults, and count them", elem_id=f"{tab}-skip")
    with gr.Row():
        example = gr.Button("Use the example receipts", elem_id=f"{tab}-example")
        button = gr.Button(verb, variant="primary", elem_id=f"{tab}-score")
    return parse, skip, example, button


def _wire(
    button: Any,
    example: Any,
    work: Callable[..., tuple[Any, ...]],
    files: list[Any],
    options: list[Any],
    outputs: list[Any],
    examples: tuple[Path, ...],
) -> None:
    """Connect the buttons; the example button fills in its files before scoring."""
    run: dict[str, Any] = {
        "fn": work,
        "inputs": [*files, *options],
        "outputs": outputs,
        "api_visibility": "private",
    }
    button.click(**run, concurrency_limit=2)
    example.click(lambda: tuple(map(str, examples)), None, files, api_visibility="private").then(**run)
