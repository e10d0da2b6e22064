"""Score a test set: from two uploads to scores, fields, rows and a report."""

import json
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from filecmp import cmp
from functools import partial
from math import fsum
from pathlib import Path
from typing import cast

from docscore.core.formatting import printable, three_digits
from docscore.core.options import AS_TEXT, CompareOptions, ReadOptions
from docscore.core.runtime import no_progress
from docscore.evaluation.automation import curve_table
from docscore.evaluation.evaluation import Evaluation, evaluated
from docscore.evaluation.registry import ANLS_STAR
from docscore.grounding.nodes import count_values
from docscore.inputs.groups import groups_of_rows
from docscore.report.html_report import bins, edges_of, figures_of_evaluation, report_as_html
from playground.parts.conclusions import WhatIf, figure_of, headline_of, what_ifs_of
from playground.parts.files import (
    check_metrics,
    check_test_set,
    paired_by,
    rows_of_request,
    skipped_lines,
    with_grounding,
)
from playground.parts.fragments import fragment
from playground.parts.kept_results import keep_list, keep_rows, kept_rows
from playground.parts.python_code import code_of_files
from playground.parts.remedies import lines_on_rows, remedies_of, taken_of
from playground.parts.row_counts import count_rows
from playground.server import answers
from playground.server.limits import check_slices
from playground.server.pool import PAIRING, READING, SCORING, Report, bar_of, beside
from playground.server.requests import INVOICES, RECEIPTS, FileRequest, metrics_of
from playground.server.storage import write_csv

EXAMPLE_FILES = RECEIPTS / "references.jsonl", RECEIPTS / "predictions.jsonl"
INVOICE_FILES = INVOICES / "references.jsonl", INVOICES / "quill.jsonl", *sorted(INVOICES.glob("documents/*.png"))


def score_files(asked: FileRequest, *, folder: Path, progress: Report) -> answers.TestSet:
    """Score two files, or one that holds both sides.

    Args:
        asked: the files, and how they are read and compared. If predictions have confidences, the result also shows the
            trade-off between automation and accuracy, and how reliable the confidences are.
        folder: an empty folder for the documents and the downloads.
        progress: the progress bar.

    Raises:
        TypeError, ValueError, OSError: with a message that names the file and the place in it.
    """
    metrics = metrics_of(asked.metrics, asked.what_if["schema"])
    measured = [("Measuring", 12.0) for name in metrics if name != ANLS_STAR]
    bar = bar_of(progress, [*READING, *READING, *PAIRING, *PAIRING, *measured, *SCORING])
    same = asked.model_dump(mode="json", include={"references", "predictions", "reading", "skip"})
    kept = kept_rows(folder, asked.before, same)
    uploaded, known = kept or (rows_of_request(asked, bar), [])
    [test_set] = uploaded.systems
    if asked.by:
        slices, by = groups_of_rows(test_set, asked.by, "by"), replace(test_set.options, by=asked.by)
        check_slices(slices)
        test_set = replace(test_set, slices=slices, options=by)
    metrics = with_grounding(metrics, [test_set])
    evaluation = evaluated(test_set, asked.options, metrics=metrics, progress=bar)
    pairs = evaluation.test_set
    check_metrics(metrics, pairs)
    known = [*count_rows(evaluation, known), *known][:_MOST_KNOWN]
    _ = evaluation.field_table  # both processes need it
    keeping = None if kept else beside(partial(keep_rows, folder, evaluation, uploaded))
    silent = copy(evaluation)
    silent.progress = no_progress
    intervals = beside(lambda: silent.part_intervals)
    what_ifs = what_ifs_of([evaluation], check_test_set, [known])
    _ = evaluation.measured  # its phase comes first
    written = bar("Writing", 3)
    evaluation.part_intervals = intervals()
    written(1)
    code = code_of_files(uploaded, asked, evaluation)
    write_downloads(folder, evaluation, " × ".join(path.name for path in asked.files.values()), code)
    written(1)
    result: answers.TestSet = {
        "run": folder.name,
        "example": _is_example(asked, evaluation),
        "asked": asked.model_dump(mode="json", exclude={"window", "before"}),
        "names": {
            "references": printable(asked.references.name) if asked.references else None,
            "predictions": printable(asked.predictions.name),
        },
        "paired": f"{len(pairs.ids):,} paired {paired_by(uploaded.plan)}",
        **(drawn := _result(evaluation, what_ifs)),
        "remedies": remedies_of({"": evaluation}, [drawn["headline"]["remedy"]]),
        "taken": taken_of(asked.reading),
        "left_out": skipped_lines(uploaded),
        "python": code,
        "figures": fragment(
            "test_set",
            figures_of_evaluation(evaluation),
            not any(evaluation.field_table.losses),  # if no document loses points, no pane lists the fields
            "" if evaluation.other_figures else evaluation.signature,  # the table of several metrics has it
            template="testset.html.jinja",
        ),
        "downloads": [{"label": label, "path": str(folder / name)} for name, label in DOWNLOADS.items()],
    }
    keep_list(folder, evaluation, result, known)
    if keeping:
        keeping()
    written(1)
    return result


def score_of_files(asked: FileRequest) -> str:
    """Return the score of the files by the primary metric as text."""
    metrics, [rows] = metrics_of(asked.metrics, asked.what_if["schema"])[:1], rows_of_request(asked).systems
    return three_digits(Evaluation(rows, asked.options, metrics=metrics, confidence=None).score)


_MOST_KNOWN = 2  # earlier results whose counts are kept


def _result(found: Evaluation, what_ifs: Sequence[WhatIf]) -> answers.Measured:
    """Return the score, where points were lost, what helps, the score distribution and the rates."""
    rows, interval = found, found.measured[0].interval
    edges = edges_of(rows.scores)
    return {
        **figure_of(found),
        "label": rows.figure_names[0].label,
        "range": "–".join(map(three_digits, found.interval or ())) + (interval.mark if interval else ""),
        "headline": headline_of(found, what_ifs),
        "what_ifs": [each.remedy for each in what_ifs],
        "counts": lines_on_rows(found),
        "lists": cast("list[answers.ListSum]", list(found.lists)),
        "slices": [
            {
                "value": str(part.value),
                "documents": part.documents,
                "score": figure.value,
                "ends": figure.interval and figure.interval.ends,
                "lost": fsum(1 - rows.scores[number] for number in rows.rows_by_slice[str(part.value)]),
            }
            for part in rows.slice_figures
            for figure in part.figures[:1]
        ],
        "grounding": None
        if found.test_set.places is None
        else {
            "value": found.figures.get("grounding_value_f1"),
            "levels": cast("list[answers.GroundingLevel]", found.breakdowns["grounding"].regions()),
            "values": sum(map(count_values, found.test_set.predictions)),
            "cited": sum(len(each.citations) for each in found.test_set.places),
        },
        "histogram": {"edges": edges, "counts": bins(edges, rows.scores)},
        "intervals": [
            "interval {:.1f}–{:.1f}%".format(*(100 * end for end in rate.interval.ends))
            if rate.interval and rate.interval.ends
            else ""
            for rate in rows.rate_list
        ],
    }


def _is_example(asked: FileRequest, evaluation: Evaluation) -> bool:
    """Return whether the files are the unmodified example, scored without options; its link needs no kept result."""
    test_set = evaluation.test_set
    plain = evaluation.options == CompareOptions() and test_set.options == ReadOptions(parse=AS_TEXT)
    alone = list(evaluation.metrics) == [ANLS_STAR] and test_set.slices is None and test_set.skipped is None
    files = asked.references, asked.predictions
    return plain and alone and all(a and cmp(a, b, shallow=False) for a, b in zip(files, EXAMPLE_FILES, strict=True))


WORST = 10  # trees in the report
DOWNLOADS = {
    "scores.csv": "Scores as CSV",
    "scores.json": "Everything as JSON",
    "report.html": "Report as HTML",
    "fields.csv": "Fields as CSV",
    "causes.csv": "Causes as CSV",
}


def write_downloads(folder: Path, evaluation: Evaluation, name: str, code: str) -> None:
    """Write the files of `DOWNLOADS` to the folder.

    Args:
        folder: the folder.
        evaluation: the scored test set.
        name: the heading of the report.
        code: the code that reproduces its score, for the footer.
    """
    samples = evaluation.samples()
    write_csv(folder / "scores.csv", list(samples[0]), samples)
    for table, rows in (("fields.csv", evaluation.fields), ("causes.csv", evaluation.causes)):
        write_csv(folder / table, rows.columns, rows)
    parts = evaluation.to_dict(worst=WORST)
    if evaluation.test_set.options.with_confidences:
        parts["curve"] = list(curve_table(evaluation.automation.curve))
        parts["calibration"] = evaluation.automation.calibration.to_dict()
    (folder / "scores.json").write_text(json.dumps(parts, indent=1), encoding="utf-8")
    report = report_as_html(evaluation, name, WORST, code)
    (folder / "report.html").write_text(report, encoding="utf-8", errors="backslashreplace")
