"""The report on a test set as one HTML file, without scripts or network access, and its pictures."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from docscore.core.formatting import counted, shown_name
from docscore.evaluation.automation import Curve, Point, calibration_table, reliability_table
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.figures import kieval_tables
from docscore.evaluation.rows import Row
from docscore.evaluation.sentences import NOTHING_LOST, count_lines, headline_text
from docscore.report.html_tree import TreeDrawing, explained_drawing, template_environment, tree_drawing
from docscore.stats.calibration import Calibration


def _document(row: Row) -> tuple[str, TreeDrawing, list[TreeDrawing]]:
    """The name of a row, its tree by the first metric with the remarks on it, and those by other metrics."""
    return (
        shown_name(row.id),
        explained_drawing(row.tree, f"d{row.number}", row.text_options),
        [tree_drawing(other, f"d{row.number}-{count}") for count, other in enumerate(row.other_trees)],
    )


def report_as_html(evaluation: Evaluation, title: str, worst: int) -> str:
    """Render the report on a test set as HTML.

    Args:
        evaluation: the evaluation.
        title: the heading.
        worst: how many of the documents with the lowest scores are drawn as score trees.

    Returns:
        An HTML document.
    """
    return (
        template_environment()
        .get_template("report.html.jinja")
        .render(
            title=shown_name(title),
            mean=f"{evaluation.score:.4f}",
            label=evaluation.figure_names[0].label,
            headline=headline_text(evaluation, "document"),
            fields_note=evaluation.scorer.fields_note,
            counts=count_lines(evaluation),
            figures=figures_of_evaluation(evaluation),
            nothing_lost=NOTHING_LOST,
            documents=list(map(_document, evaluation.worst(worst))),
            signature="" if evaluation.other_figures else evaluation.signature,
        )
    )


HISTOGRAM_BINS = 20


MOST_FIELDS_DRAWN = 500  # rows of a table


PICTURE_WIDTH, _HEIGHT, _TOP, _FOOT = 640, 160, 14, 22  # of a picture: drawing area, space above it and space below it


class Picture(NamedTuple):
    """A drawing with its text.

    Attributes:
        label: a description for screen readers.
        caption: the text below it.
        marks: the numbers of its axis, from 0 to 1.
        bars: the bars of a histogram: left, top, width, height, the number above it, and its title.
        lines: the corners of each line in the format of SVG, by its CSS class.
        dots: the dots: their middle, and their title.
        texts: further texts: where they stand, which part of them stands there (start, middle or end), and the text.
        width, height, base: the size of the drawing, and the y coordinate of its axis.
    """

    label: str
    caption: str
    marks: tuple[float, ...]
    bars: Sequence[tuple[float, float, float, float, str, str]] = ()
    lines: Mapping[str, str] = MappingProxyType({})
    dots: Sequence[tuple[float, float, str]] = ()
    texts: Sequence[tuple[float, float, str, str]] = ()
    width: int = PICTURE_WIDTH
    height: int = _HEIGHT + _TOP + _FOOT
    base: int = _HEIGHT + _TOP


def figures_of_evaluation(evaluation: Evaluation) -> dict[str, Any]:
    """The tables and pictures of an evaluation, by the names that templates use.

    Those of causes, rates, fields, lists and the histogram of the scores are always there; the others are empty or None
    where they were not asked for. The curve and the diagram of reliability, of predictions with confidences, are each a
    picture and its table.
    """
    metrics = [evaluation.figure_table] if evaluation.other_figures else []
    metrics += kieval_tables(evaluation.breakdowns["kieval"]) if "kieval" in evaluation.breakdowns else []
    metrics += [evaluation.breakdowns["typed"].typed()] if "typed" in evaluation.breakdowns else []
    curve, calibration = (evaluation.curve, evaluation.calibration) if evaluation.has_reviews else (None, None)
    return {
        "causes": evaluation.causes,
        "rates": evaluation.rates,
        "fields": evaluation.fields.first(MOST_FIELDS_DRAWN),
        "lists": evaluation.lists.first(MOST_FIELDS_DRAWN),
        "histogram": histogram_of_scores(evaluation.scores),
        "metrics": [table.first(MOST_FIELDS_DRAWN) for table in metrics],
        "curve": None if curve is None else (picture_of_curve(curve), curve.table()),
        "calibration": None if calibration is None else calibration_table(calibration),
        "reliability": (reliability_diagram(calibration), reliability_table(calibration))
        if calibration is not None and calibration.points
        else None,
        "slices": evaluation.slices or None,
    }


def histogram_of_scores(scores: Sequence[float]) -> Picture:
    """A histogram of the scores of documents."""
    counts = [0] * HISTOGRAM_BINS
    for score in scores:
        counts[min(int(score * HISTOGRAM_BINS + 1e-9), HISTOGRAM_BINS - 1)] += 1
    wide = PICTURE_WIDTH / HISTOGRAM_BINS
    bars = []
    for number, count in enumerate(counts):
        high = count / max(counts) * _HEIGHT
        title = f"{number / HISTOGRAM_BINS:.2f} to {(number + 1) / HISTOGRAM_BINS:.2f}: {count:,}"
        bars.append((number * wide + 1, _HEIGHT - high + _TOP, wide - 2, high, f"{count:,}" if count else "", title))
    label = f"Histogram of the scores of {counted(len(scores), 'document')}"
    perfect, zero = sum(score == 1 for score in scores), sum(score == 0 for score in scores)
    return Picture(
        label,
        f"{perfect:,} of {len(scores):,} documents have the score 1, {zero:,} the score 0.",
        (0, 0.25, 0.5, 0.75, 1),
        bars=bars,
    )


def picture_of_curve(curve: Curve) -> Picture:
    """The automation rate and the accuracy after review against the threshold."""
    points = curve.points()
    return Picture(
        "Automation rate and accuracy after review against the threshold of confidence",
        f"Dashed: share of the values that nobody reviews. Solid: accuracy ({curve.figure}) after the review of values "
        "with a confidence below the threshold.",
        (0, 0.5, 1),
        lines={
            "anls-automated": _corners(points, [point.automation_rate for point in points]),
            "anls-aligned": _corners(points, [point.accuracy for point in points]),
        },
        **_axes("confidence below which values are reviewed", "share of values, accuracy"),
    )


def reliability_diagram(calibration: Calibration) -> Picture:
    """The share of right values against their mean confidence, beside the line on which both are equal."""
    return Picture(
        "Reliability diagram",
        "Dashed: confidences that mean what they say. Solid: share of right values against their mean confidence.",
        (0, 0.5, 1),
        lines={
            "anls-automated": f"0,{_HEIGHT + _TOP} {PICTURE_WIDTH},{_TOP}",
            "anls-aligned": _line((point.confidence, point.accuracy) for point in calibration.points),
        },
        **_axes("mean confidence of the values of a bin", "share of right values"),
    )


def _axes(across: str, up: str) -> dict[str, Any]:
    """Return the labels of both axes, the vertical one from 0 to 1, as texts of a picture, and its height with them."""
    foot = _HEIGHT + _TOP + _FOOT
    return {
        "texts": [(0.0, _TOP - 4.0, "start", f"{up}, 0 to 1"), (PICTURE_WIDTH / 2, foot + 10.0, "middle", across)],
        "height": foot + 14,
    }


def _corners(points: Sequence[Point], values: Sequence[float]) -> str:
    """The corners of a step function: a value holds up to the next threshold; the last point is not drawn."""
    steps = zip(points, values, (*(point.threshold for point in points[1:-1]), 1.0), strict=False)
    return _line(corner for point, value, end in steps for corner in ((point.threshold, value), (end, value)))


def _line(points: Iterable[tuple[float, float]]) -> str:
    """The corners of a line through points, whose coordinates are from 0 to 1."""
    return " ".join(f"{x * PICTURE_WIDTH:.1f},{_HEIGHT + _TOP - y * _HEIGHT:.1f}" for x, y in points)
