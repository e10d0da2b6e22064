"""The tab for a file: from two uploads to scores, fields, rows and a report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from filecmp import cmp
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from docscore.core.errors import at_place, row_place
from docscore.core.formatting import with_minus_signs, with_sign
from docscore.core.numbers import ROUNDING
from docscore.core.options import AS_TEXT, BY_VALUE, ScoringOptions
from docscore.data.csv_files import write_csv
from docscore.data.pairing import groups_of_rows
from docscore.evaluation.evaluation import Evaluation
from docscore.metrics.registry import ANLS_STAR, TYPED, check_options_of
from docscore.report.content import fields_table, typed_values_text
from docscore.report.html_report import MOST_FIELDS_DRAWN, figures_of_evaluation
from docscore.report.wording import count_lines, headline_text, interval_text
from playground.conclusions import headline_of, what_ifs_of
from playground.file_reading import check_pairs, rows_of_request, skipped_lines
from playground.fragments import fragment
from playground.kept_results import keep_list
from playground.limits import check_metric, check_slices
from playground.requests import RECEIPTS, WHAT_IFS, FileRequest, option_fields
from playground.worker_pool import Report, bar_of

EXAMPLE_FILES = RECEIPTS / "references.jsonl", RECEIPTS / "predictions.jsonl"


class TestSet(NamedTuple):
    """The outputs for a scored test set.

    Attributes:
        summary: the mean and the counts, as HTML.
        documents: the value of the list of documents.
        picture: the rates and the distribution of the scores, as HTML.
        fields: the table of the fields that lost most, as HTML.
        downloads: the paths of a CSV file, a JSON file and the report.
        result: what the page's script draws, as JSON values.
        scored: what the strip of what-ifs needs to know, as HTML; "" where a link brought the result.
    """

    summary: str
    documents: str
    picture: str
    fields: str
    downloads: list[str]
    result: dict[str, Any]
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
    outputs: dict[str, Any] = {
        "summary": _summary(evaluation, skipped_lines(uploaded)),
        "picture": fragment("test_set", figures_of_evaluation(evaluation)),
        "fields": _fields(evaluation),
        "downloads": [str(folder / name) for name in DOWNLOADS],
    }
    write_downloads(folder, evaluation, asked.files["predictions"].name)
    is_example = _is_example(asked, evaluation)
    outputs["result"] = {
        "run": folder.name,
        "example": is_example,
        **_result(evaluation),
        "left_out": skipped_lines(uploaded),
        "figures": outputs["picture"],
        "downloads": [{"label": label, "name": name, "path": str(folder / name)} for name, label in DOWNLOADS.items()],
    }
    documents = keep_list(folder, evaluation, outputs, is_example=is_example)
    parts = {"asked": asked.model_dump(mode="json", exclude={"window"}), "before": headline(evaluation)}
    scored = fragment("scored", json.dumps(parts), template="wizard.html.jinja")
    return TestSet(**outputs, documents=documents, scored=scored)


def _result(found: Evaluation) -> dict[str, Any]:
    """The score, where points went and what would help, the spread of the documents and the rates, as JSON values."""
    what_ifs = what_ifs_of(found, lambda again: check_pairs(again.source, again.options))
    interval = found.headline_interval()
    low, high = (interval and interval.ends) or (None, None)
    counts = [0] * _BINS
    for score in found.scores:
        counts[min(int(score * _BINS + ROUNDING), _BINS - 1)] += 1
    return {
        "score": found.score,
        "label": found.figure_names[0].label,
        "low": low,
        "high": high,
        "interval": "" if interval is None else interval_text(interval, found.confidence or 0),
        "headline": headline_of(found, what_ifs),
        "what_ifs": [each.to_dict(found.score) for each in what_ifs],
        "counts": count_lines(found),
        "signature": found.signature,
        "histogram": {"edges": [number / _BINS for number in range(_BINS + 1)], "counts": counts},
        "median": median(found.scores),
        "faultless": sum(score == 1 for score in found.scores),
        "rates": [
            {
                "label": rate.name,
                "value": rate.value,
                "interval": "" if rate.interval is None else interval_text(rate.interval, found.confidence or 0),
                "count": f"{rate.hits:,} of {rate.total:,}",
            }
            for rate in found.rate_list
        ],
    }


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
_BINS = 20  # of the histogram
DOWNLOADS = {
    "scores.csv": "Scores as CSV",
    "scores.json": "Everything as JSON",
    "report.html": "Report as HTML",
    "fields.csv": "Fields as CSV",
    "causes.csv": "Causes as CSV",
}


def write_downloads(folder: Path, evaluation: Evaluation, name: str) -> None:
    """Write the files of `DOWNLOADS` to the folder.

    Args:
        folder: the folder.
        evaluation: the scored test set.
        name: the heading of the report.
    """
    samples = evaluation.samples()
    write_csv(folder / "scores.csv", list(samples[0]), samples)
    for table, rows in (("fields.csv", evaluation.fields), ("causes.csv", evaluation.causes)):
        write_csv(folder / table, rows.columns, rows)
    parts = evaluation.to_dict(worst=WORST)
    if evaluation.options.with_confidences:
        parts["curve"] = [point.to_dict() for point in evaluation.curve.points()]
        parts["calibration"] = evaluation.calibration.to_dict()
    (folder / "scores.json").write_text(json.dumps(parts, indent=1), encoding="utf-8")
    report = evaluation.as_html(name, worst=WORST)
    (folder / "report.html").write_text(report, encoding="utf-8", errors="backslashreplace")


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
