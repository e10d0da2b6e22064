"""The tab for a file: from two uploads to scores, fields, rows and a report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from filecmp import cmp
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import at_place, row_place
from docscore.core.formatting import with_minus_signs, with_sign
from docscore.core.options import AS_TEXT, BY_VALUE, ScoringOptions
from docscore.data.csv_files import write_csv
from docscore.data.pairing import groups_of_rows
from docscore.evaluation.evaluation import Evaluation
from docscore.metrics.registry import ANLS_STAR, TYPED, check_options_of
from docscore.report.content import fields_table, typed_values_text
from docscore.report.html_report import MOST_FIELDS_DRAWN, figures_of_evaluation
from docscore.report.wording import count_lines, headline_text
from playground.file_reading import rows_of_request, skipped_lines
from playground.fragments import fragment
from playground.kept_results import keep_documents, keep_list
from playground.limits import check_metric, check_slices
from playground.requests import WHAT_IFS, FileRequest, option_fields
from playground.worker_pool import Report, bar_of

RECEIPTS = Path(__file__).parent.parent / "examples" / "receipts"
EXAMPLE_FILES = RECEIPTS / "references.jsonl", RECEIPTS / "predictions.jsonl"


class TestSet(NamedTuple):
    """The outputs for a scored test set.

    Attributes:
        summary: the mean and the counts, as HTML.
        documents: the value of the list of documents.
        picture: the rates and the distribution of the scores, as HTML.
        fields: the table of the fields that lost most, as HTML.
        downloads: the paths of a CSV file, a JSON file and the report.
        scored: what the strip of what-ifs needs to know, as HTML; "" where a link brought the result.
    """

    summary: str
    documents: str
    picture: str
    fields: str
    downloads: list[str]
    scored: str = ""


def score_files(asked: FileRequest, *, folder: Path, progress: Report) -> TestSet:
    """Score two files, or one that holds both sides.

    Args:
        asked: the files, and how they are read and compared. Where predictions have confidences, the trade-off of
            automation and accuracy, and how far confidences can be trusted, are drawn too.
        folder: an empty folder for the documents and the downloads.
        progress: the progress bar.

    Raises:
        TypeError, ValueError, OSError: with a message that names the file and the place.
    """
    uploaded, options = rows_of_request(asked)
    metrics = metrics_of(asked)
    if asked.by:
        check_slices(groups_of_rows(uploaded.systems[0], asked.by, "slices"))
    check_options_of(metrics, options)
    settings: dict[str, Any] = {"metrics": metrics, "by": asked.by or None, "progress": bar_of(progress)}
    evaluation = Evaluation(uploaded.systems[0], options, **settings)
    pairs = evaluation.pairs
    for metric in metrics:
        for name, truth, prediction in zip(pairs.ids, pairs.truths, pairs.predictions, strict=True):
            _check(name, metric, truth, prediction)
    keep_documents(folder, [evaluation])
    outputs: dict[str, Any] = {
        "summary": _summary(evaluation, skipped_lines(uploaded)),
        "picture": fragment("test_set", figures_of_evaluation(evaluation)),
        "fields": _fields(evaluation),
        "downloads": [
            str(folder / name) for name in write_downloads(folder, evaluation, asked.files["predictions"].name)
        ],
    }
    documents = keep_list(folder, evaluation, outputs, is_example=_is_example(asked, evaluation))
    parts = {"asked": asked.model_dump(mode="json", exclude={"window"}), "before": headline(evaluation)}
    scored = fragment("scored", json.dumps(parts), template="wizard.html.jinja")
    return TestSet(**outputs, documents=documents, scored=scored)


def metrics_of(asked: FileRequest) -> tuple[str, ...]:
    """The metrics of an evaluation: those asked for, and with a schema the typed score, before ANLS* as the default."""
    if not asked.what_if["schema"]:
        return tuple(asked.metrics)
    return (TYPED, *asked.metrics) if asked.metrics[0] == ANLS_STAR else (*asked.metrics, TYPED)


def headline(evaluation: Evaluation) -> tuple[str, float]:
    """The name and the value of the first figure."""
    return evaluation.figure_names[0].label, evaluation.score


def _check(question_id: str, metric: str, truth: Any, prediction: Any) -> None:
    try:
        check_metric(metric, truth, prediction)
    except ValueError as error:
        raise at_place(row_place(question_id), error) from None


def _summary(found: Evaluation, left_out: Sequence[str]) -> str:
    headline = headline_text(found, "row", with_fields=True)
    return fragment("summary", f"{found.score:.4f}", headline, count_lines(found), found.signature, left_out)


def _fields(found: Evaluation) -> str:
    table = fields_table(found)
    return fragment("table", table.first(MOST_FIELDS_DRAWN)) if table.rows else ""


def _is_example(asked: FileRequest, evaluation: Evaluation) -> bool:
    """Whether the files are those of the example, scored without options: a link to it needs no kept result."""
    plain = evaluation.options == ScoringOptions(parse=AS_TEXT) and evaluation.pairs.skipped is None
    alone = list(evaluation.metrics) == [ANLS_STAR] and evaluation.by is None
    files = asked.references, asked.predictions
    return plain and alone and all(a and cmp(a, b, shallow=False) for a, b in zip(files, EXAMPLE_FILES, strict=True))


WORST = 10  # trees in the report
_TABLE, _DOCUMENT, _REPORT = "scores.csv", "scores.json", "report.html"


def write_downloads(folder: Path, evaluation: Evaluation, name: str) -> list[str]:
    """Write the files to the folder.

    Args:
        folder: the folder.
        evaluation: the scored test set.
        name: the heading of the report.

    Returns:
        The names of a CSV file, a JSON file and the report.
    """
    samples = evaluation.samples()
    write_csv(folder / _TABLE, list(samples[0]), samples)
    parts = evaluation.to_dict(worst=WORST)
    if evaluation.options.with_confidences:
        parts["curve"] = [point.to_dict() for point in evaluation.curve.points()]
        parts["calibration"] = evaluation.calibration.to_dict()
    (folder / _DOCUMENT).write_text(json.dumps(parts, indent=1), encoding="utf-8")
    report = evaluation.as_html(name, worst=WORST)
    (folder / _REPORT).write_text(report, encoding="utf-8", errors="backslashreplace")
    return [_TABLE, _DOCUMENT, _REPORT]


def rescored(asked: FileRequest) -> str:
    """The score of files as a what-if compares them, beside that before, in one line."""
    rows, options = rows_of_request(asked)
    check_options_of(metrics_of(asked), options)
    evaluation = Evaluation(rows.systems[0], options, metrics=metrics_of(asked), confidence=None)
    label, score = headline(evaluation)
    first_label, first = asked.before or (label, score)
    names = ("", "") if label == first_label else (f"{first_label} ", f"{label} ")
    difference = score - first
    changed = with_minus_signs(with_sign(difference)) if difference else "no change"
    note = ""
    if options.schema is not None:
        note = f". {typed_values_text(evaluation.breakdowns['typed'])}"
    elif difference == 0 and options.numbers == BY_VALUE:
        note = ". Numbers in quotes stay texts; a schema can read them."
    return f"{names[0]}{first:.4f} → {names[1]}{score:.4f}, {changed} with {_words(asked.what_if)}{note}"


def _words(what_if: Mapping[str, Any]) -> str:
    """The options of a what-if that are not the defaults."""
    said = []
    for field in option_fields(WHAT_IFS):
        value = what_if[field.name]
        if value != field.default:
            words = ("off", "on")[value] if isinstance(value, bool) else value
            said.append(f"{field.name.replace('_', ' ')} {words}")
    if what_if["schema"]:
        said.append("the schema")
    return " and ".join(said) or "the settings of the result"
