"""A file: from two uploads to the scores of a test set, its fields, its rows, and a report."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import at_place, row_place
from docscore.core.formatting import printable
from docscore.core.options import ScoringOptions
from docscore.corpus.automation import Curve
from docscore.corpus.evaluation import ANLS_STAR, Evaluation
from docscore.corpus.fields import OUTCOMES
from docscore.corpus.measure import Measured
from docscore.corpus.scores import CorpusScore
from docscore.corpus.summary import Summary
from docscore.report.html_figures import (
    curve_as_html,
    histogram_as_html,
    losses_as_html,
    measured_as_html,
    rates_as_html,
)
from docscore.report.html_report import report_as_html
from docscore.report.html_tree import tree_as_html
from docscore.report.wording import count_lines, interval_text
from playground.gallery import RECEIPTS
from playground.limits import check_metric
from playground.uploads import (
    Bar,
    Progress,
    folder_for_downloads,
    rows_of_uploads,
    shown_ids,
    skipped_as_html,
)

EXAMPLE_FILES = RECEIPTS / "references.jsonl", RECEIPTS / "predictions.jsonl"
COMPARED_FILES = *EXAMPLE_FILES, RECEIPTS / "predictions_new.jsonl"
FIELD_HEADERS = ["field", "score", "from", "to", "points lost"]
FIELD_HEADERS += ["exact", "near", "wrong", "wrong type", "missing", "extra"]
ROW_HEADERS = ["id", "score"]
WORST = 10  # trees in the report
_LONGEST_FIELD = 120


class TestSet(NamedTuple):
    """A scored test set.

    Attributes:
        scores: its rows and their scores.
        summary: the mean and the counts, as HTML.
        picture: why points were lost, the rates and the distribution of the scores, as HTML.
        fields: a row a field, as `FIELD_HEADERS` says.
        rows: a row a document, as `ROW_HEADERS` says.
        downloads: a CSV file and a JSON file with the scores, and the report.
    """

    scores: CorpusScore
    summary: str
    picture: str
    fields: list[list[Any]]
    rows: list[list[Any]]
    downloads: tuple[str, str, str]


def score_files(
    references: Path,
    predictions: Path,
    parse: str | None,
    *,
    skip: bool,
    progress: Progress,
    metrics: Sequence[str] = (),
    confidences: bool = False,
) -> TestSet:
    """Score two files.

    Args:
        references: the ground truths.
        predictions: what the model answered.
        parse: how predictions that are text are read as JSON.
        skip: whether rows with faults are left out.
        progress: the bar.
        metrics: metrics beside ANLS*.
        confidences: whether predictions carry confidences: then the trade-off of automation and accuracy is drawn.

    Raises:
        TypeError, ValueError, OSError: one sentence, or a few, that name the file and the place.
    """
    options = ScoringOptions(parse=parse, with_confidences=confidences)
    uploaded = rows_of_uploads(references, [predictions], options, skip=skip)
    bar = Bar(progress, phases=3 + 2 * bool(metrics) + confidences)
    evaluation = Evaluation(uploaded.systems[0], options, metrics=metrics or [ANLS_STAR], progress=bar.phase)
    found, scores = evaluation.summary, evaluation.scores
    for metric in metrics:
        for name, truth, prediction in zip(scores.ids, scores.pairs.truths, scores.pairs.predictions, strict=True):
            _check(name, metric, truth, prediction)
    measured = evaluation.other_figures
    curve = evaluation.curve if confidences else None
    names = shown_ids(scores.ids)
    rows = [[names[number], round(scores.scores[number], 6)] for number in scores.numbers_of_worst(len(names))]
    head = skipped_as_html(uploaded) + _summary(found)
    picture = _picture(found, measured, curve)
    return TestSet(scores, head, picture, _fields(found), rows, _downloads(found, predictions.name, measured, curve))


def _check(question_id: str, metric: str, truth: Any, prediction: Any) -> None:
    try:
        check_metric("nTED" if metric == "nted" else metric, truth, prediction)
    except ValueError as error:
        raise at_place(row_place(question_id), error) from None


def tree_of(scores: CorpusScore, shown_id: str, *, prefix: str = "file") -> str:
    """The tree of a row, by its id as it is shown, as HTML."""
    names = shown_ids(scores.ids)
    if shown_id not in names:
        return ""
    title = f'<h2 class="anls-title">{escape(shown_id)}</h2>'
    return title + drawn(scores, names.index(shown_id), prefix=prefix)


def drawn(scores: CorpusScore, number: int, *, prefix: str) -> str:
    """The tree of the row of a number, as HTML."""
    return tree_as_html(scores.tree(number), prefix=prefix, heading="h3")


def _summary(found: Summary) -> str:
    scores, interval = found.scores, found.interval
    lines = "".join(f"<li>{escape(line)}</li>" for line in count_lines(scores))
    between = f", {escape(interval_text(interval, found.confidence or 0))}" if interval else ""
    return (
        f'<div class="anls-tree"><p class="anls-head"><strong class="anls-score">{scores.mean:.4f}</strong> '
        f"mean of {len(scores.ids):,} rows{between}</p><ul>{lines}</ul>"
        f"<small>{escape(str(scores.signature))}</small></div>"
    )


def _picture(found: Summary, measured: Measured | None, curve: Curve | None) -> str:
    if found.analysis is None:
        return ""
    below = histogram_as_html(found.scores.scores) + rates_as_html(found.rates)
    others = (measured_as_html(measured) if measured else "") + (curve_as_html(curve) if curve else "")
    return (
        f'<div class="anls-tree">{losses_as_html(found.analysis)}<div class="anls-columns">{below}</div>{others}</div>'
    )


def _fields(found: Summary) -> list[list[Any]]:
    if found.analysis is None:
        return []
    rows = []
    for field in found.analysis.by_loss():
        interval = found.field_intervals[field.path]
        numbers = [field.score, interval.low, interval.high, found.analysis.points_lost(field)]
        rounded = [None if number is None else round(number, 4) for number in numbers]
        rows.append([printable(field.path)[:_LONGEST_FIELD], *rounded, *(field.counts[each] for each in OUTCOMES)])
    return rows


def _downloads(found: Summary, name: str, measured: Measured | None, curve: Curve | None) -> tuple[str, str, str]:
    folder = folder_for_downloads()
    table, document, report = folder / "scores.csv", folder / "scores.json", folder / "report.html"
    samples = found.scores.samples()
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(samples[0]))
        writer.writeheader()
        writer.writerows(samples)
    parts = found.to_dict(per_sample=True, signature=True)
    parts |= {"metrics": measured.to_dict()} if measured else {}
    parts |= {"curve": [point.to_dict() for point in curve.points()]} if curve else {}
    document.write_text(json.dumps(parts, indent=1), encoding="utf-8")
    page = report_as_html(found, name, WORST, measured=measured, curve=curve)
    report.write_text(page, encoding="utf-8", errors="backslashreplace")
    return str(table), str(document), str(report)
