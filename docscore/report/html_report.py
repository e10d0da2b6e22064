"""A report on a test set as one HTML file, without scripts or network access; all values are escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from docscore.corpus.automation import Curve
from docscore.corpus.metric_values import Measured, Slice, metric_trees
from docscore.corpus.scores import CorpusScore
from docscore.corpus.summary import Summary
from docscore.metrics.registry import METRICS, WITH_TREES
from docscore.report.content import slices_table
from docscore.report.html_figures import report_figures
from docscore.report.html_templates import template_environment
from docscore.report.html_tree import TreeDrawing, explained_drawing, tree_drawing
from docscore.report.wording import NOTHING_LOST, count_lines, sample_text, shown_name
from docscore.stats.calibration import Calibration


class DocumentDrawing(NamedTuple):
    """A document of a report: its name, its tree by ANLS* with the remarks on it, and those by other metrics."""

    name: str
    tree: TreeDrawing
    others: list[TreeDrawing]


def _document(scores: CorpusScore, number: int, metrics: Sequence[str]) -> DocumentDrawing:
    tree = explained_drawing(scores.tree(number), f"d{number}", scores.options)
    trees = metric_trees(scores, number, metrics)
    others = [tree_drawing(other, f"d{number}-{count}") for count, other in enumerate(trees)]
    return DocumentDrawing(shown_name(scores.ids[number]), tree, others)


def _explained_metrics(measured: Measured | None) -> list[str]:
    """The measured metrics that have trees of their own."""
    figures = {figure.name for figure in measured.figures} if measured else set()
    return [name for name in WITH_TREES if METRICS[name].figures[0].key in figures]


def report_as_html(
    summary: Summary,
    title: str,
    worst: int,
    *,
    measured: Measured | None = None,
    curve: Curve | None = None,
    calibration: Calibration | None = None,
    slices: Sequence[Slice] = (),
    by: str = "value",
) -> str:
    """Render the report on a test set as HTML.

    Args:
        summary: a scored test set with its fields.
        title: the heading.
        worst: how many of the documents with the lowest scores are drawn as score trees.
        measured: other metrics, if they are to be in it.
        curve: the trade-off of automation and accuracy, if it is to be in it.
        calibration: how far confidences can be trusted, if it is to be in it.
        slices: the figures of the values of a column, if they are to be in it.
        by: the name of that column.

    Returns:
        An HTML document.

    Raises:
        ValueError: if the summary was made without fields.
    """
    scores = summary.scores
    return (
        template_environment()
        .get_template("report.html.jinja")
        .render(
            title=shown_name(title),
            mean=f"{scores.mean:.4f}",
            sample=sample_text(summary, "document"),
            counts=count_lines(scores),
            figures=report_figures(summary, measured, curve, calibration, slices_table(slices, by) if slices else None),
            nothing_lost=NOTHING_LOST,
            documents=[
                _document(scores, number, _explained_metrics(measured)) for number in scores.numbers_of_worst(worst)
            ],
            signature=str(scores.signature),
        )
    )
