"""The tab for a file: from two uploads to scores, fields, rows and a report."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import at_place, row_place
from docscore.corpus.evaluation import ANLS_STAR, Evaluation
from docscore.corpus.summary import Summary
from docscore.data.columns import groups_of_rows
from docscore.report.content import DOCUMENT_COLUMNS, FIELD_COLUMNS, documents_table, fields_table
from docscore.report.html_figures import figures_of_evaluation
from docscore.report.html_tree import explained_drawing
from docscore.report.wording import NOTHING_LOST, count_lines, sample_text
from docscore.results.result import EvaluationResult
from playground.children import Report
from playground.file_reading import measured_metrics, rows_of_request, scored_request
from playground.file_requests import FileRequest
from playground.fragments import fragment, frame_headers, frame_rows
from playground.gallery import RECEIPTS
from playground.kept import KeptDocuments, keep_documents
from playground.limits import check_metric, check_slices
from playground.uploads import Bar, shown_ids, skipped_lines

EXAMPLE_FILES = RECEIPTS / "references.jsonl", RECEIPTS / "predictions.jsonl"
FIELD_HEADERS = frame_headers(FIELD_COLUMNS)
ROW_HEADERS = frame_headers(DOCUMENT_COLUMNS)
WORST = 10  # trees in the report
_DIGITS_OF_SCORES = 6


class TestSet(NamedTuple):
    """The outputs for a scored test set.

    Attributes:
        kept: its documents.
        summary: the mean and the counts, as HTML.
        picture: why points were lost, the rates and the distribution of the scores, as HTML.
        fields: one row for each field, with the columns `FIELD_HEADERS`.
        rows: one row for each document, with the columns `ROW_HEADERS`.
        downloads: a CSV file and a JSON file with the scores, and the report.
        scored: what the strip of what-ifs needs to know, as HTML.
    """

    kept: KeptDocuments
    summary: str
    picture: str
    fields: list[list[Any]]
    rows: list[list[Any]]
    downloads: tuple[str, str, str]
    scored: str


def score_files(
    asked: FileRequest,
    *,
    folder: Path,
    progress: Report,
    metrics: Sequence[str] = (),
    by: str = "",
) -> TestSet:
    """Score two files, or one that holds both sides.

    Args:
        asked: the files, and how they are read and compared. Where predictions have confidences, the trade-off of
            automation and accuracy, and how far confidences can be trusted, are drawn too.
        folder: an empty folder for the documents and the downloads.
        progress: the progress bar.
        metrics: metrics in addition to ANLS*.
        by: a column of the references whose values make slices; "" for none.

    Raises:
        TypeError, ValueError, OSError: with a message that names the file and the place.
    """
    uploaded, options = rows_of_request(asked)
    measured = measured_metrics(options, metrics)
    confidences = asked.confidences
    phases = 3
    if measured != (ANLS_STAR,):
        phases += 2
    if confidences:
        phases += 2
    if by:
        phases += 1 if measured != (ANLS_STAR,) else 2
        check_slices(groups_of_rows(uploaded.systems[0], by, "slices"))
    bar = Bar(progress, phases)
    settings: dict[str, Any] = {"metrics": measured, "by": by or None, "progress": bar.phase}
    evaluation = Evaluation(uploaded.systems[0], options, **settings)
    found, scores = evaluation.summary, evaluation.scores
    for metric in metrics:
        for name, truth, prediction in zip(scores.ids, scores.pairs.truths, scores.pairs.predictions, strict=True):
            _check(name, metric, truth, prediction)
    names = dict(zip(scores.ids, shown_ids(scores.ids), strict=True))
    table = documents_table(scores, scores.numbers_of_worst(len(names)))
    rows = frame_rows(table, digits=_DIGITS_OF_SCORES, names=names)
    head = _summary(found, skipped_lines(uploaded))
    picture = fragment("test_set", figures_of_evaluation(evaluation), NOTHING_LOST)
    downloads = _downloads(folder, evaluation, asked.predictions.name)
    kept = keep_documents(folder, [scores])
    return TestSet(kept, head, picture, _fields(found), rows, downloads, scored_request(asked, scores.mean))


def _check(question_id: str, metric: str, truth: Any, prediction: Any) -> None:
    try:
        check_metric("nTED" if metric == "nted" else metric, truth, prediction)
    except ValueError as error:
        raise at_place(row_place(question_id), error) from None


def tree_of(kept: KeptDocuments, shown_id: str) -> str:
    """The tree of a row as HTML, by its displayed id; "" if there is no such row."""
    return "".join(
        fragment("document", shown_id, [("", explained_drawing(tree, "file", kept.options))])
        for tree in kept.trees(shown_id)
    )


def _summary(found: Summary, left_out: Sequence[str]) -> str:
    scores = found.scores
    text = f"mean of {sample_text(found, 'row')}"
    return fragment("summary", f"{scores.mean:.4f}", text, count_lines(scores), str(scores.signature), left_out)


def _fields(found: Summary) -> list[list[Any]]:
    return [] if found.analysis is None else frame_rows(fields_table(found, found.analysis))


def _downloads(folder: Path, evaluation: Evaluation, name: str) -> tuple[str, str, str]:
    table, document, report = folder / "scores.csv", folder / "scores.json", folder / "report.html"
    samples = evaluation.scores.samples()
    result = EvaluationResult(evaluation)
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(samples[0]))
        writer.writeheader()
        writer.writerows(samples)
    parts = result.to_dict(worst=WORST)
    if evaluation.options.with_confidences:
        parts["curve"] = [point.to_dict() for point in evaluation.curve.points()]
        parts["calibration"] = evaluation.calibration.to_dict()
    document.write_text(json.dumps(parts, indent=1), encoding="utf-8")
    report.write_text(result.as_html(name, worst=WORST), encoding="utf-8", errors="backslashreplace")
    return str(table), str(document), str(report)
