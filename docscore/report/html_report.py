"""Reports on test sets and comparisons as single HTML files without scripts or network access, with their pictures."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import floor
from types import MappingProxyType
from typing import Any, NamedTuple

from docscore.core.formatting import clipped, counted, printable, shown_name, three_digits, with_minus_signs, with_sign
from docscore.core.numbers import ROUNDING
from docscore.core.runtime import warn
from docscore.core.values import value_text
from docscore.evaluation.automation import Curve, Point, calibration_table, reliability_table
from docscore.evaluation.comparison import Comparison, Gate, document_changes_table
from docscore.evaluation.evaluation import Evaluation, Row, breakdown_tables, figure_table
from docscore.evaluation.figures import kieval_tables
from docscore.evaluation.registry import METRICS, has_tree
from docscore.evaluation.sentences import (
    capital,
    conclusion_of,
    count_lines,
    count_lines_of_both,
    difference_interval,
    headline_text,
    spread_lines,
    verdict_text,
)
from docscore.metrics.base import MetricTree
from docscore.report.document_places import cut_crops, places_of_document
from docscore.report.html_tree import explained_drawing, lost_text, template_environment, tree_drawing
from docscore.stats.calibration import Calibration


def _documents(rows: Evaluation, worst: Sequence[Row]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rendered documents, each with name, tree, regions and other trees; and sentences on missing crops."""
    files, found = rows.document_folder, list[dict[str, Any]]()
    names = [rows.document_ids[row.number % len(rows.document_ids)] for row in worst]
    texts = files.read_all(names) if files else [None] * len(names)
    for row, name, text in zip(worst, names, texts, strict=True):
        tree, pages = row.tree, max(len(files.images_of(name)) if files else 0, text.page_count if text else 0)
        drawing = explained_drawing(tree, f"d{row.number}", row.text_options, most=MOST_FIELDS_DRAWN)
        others = enumerate(row.other_trees)
        is_own = isinstance(tree, MetricTree) or (has_tree(rows.scorer) and tree.score == row.score)
        found.append(
            {
                "name": shown_name(row.id),
                "score": three_digits(row.score),
                "by_values": "" if is_own else f"{METRICS[tree.metric].label} {drawing.score}. ",
                "tree": drawing,
                "places": places_of_document(tree, drawing, row.regions, text, pages),
                "others": [tree_drawing(other, f"d{row.number}-{at}", most=MOST_FIELDS_DRAWN) for at, other in others],
            }
        )
    shown = zip(names, found, strict=True)
    crops = [(name, crop) for name, each in shown for row in each["places"].get("rows", ()) for crop in row["crops"]]
    return found, cut_crops(files, crops) if files else []


def report_as_html(evaluation: Evaluation, title: str, worst: int, recipe: str = "") -> str:
    """Render the report on a test set as HTML.

    Args:
        evaluation: the evaluation.
        title: the heading.
        worst: how many of the documents with the lowest scores to render as score trees.
        recipe: the command or the Python code that reproduces the report; "" for none.

    Returns:
        An HTML document.
    """
    documents, not_rendered = _documents(evaluation, evaluation.worst(worst))
    for warning in not_rendered:
        warn(f"documents: {warning}")
    return page_as_html(
        "report.html.jinja",
        title,
        recipe,
        "" if evaluation.other_figures else evaluation.signature,  # the table of several metrics has the signatures
        head=head_of(evaluation),
        counts=count_lines(evaluation),
        causes=causes_of(evaluation),
        figures=figures_of_evaluation(evaluation),
        documents=documents,
        not_rendered=not_rendered,
        count=len(evaluation),
    )


def comparison_as_html(comparison: Comparison, gate: Gate | None, changes: int, title: str, recipe: str = "") -> str:
    """Render a comparison as HTML.

    Args:
        comparison: the comparison.
        gate: the result of the gate, optional.
        changes: how many improved documents and how many worse documents to list.
        title: the heading.
        recipe: the command or the Python code that reproduces the report; "" for none.

    Returns:
        An HTML document.
    """
    return page_as_html(
        "comparison.html.jinja",
        title,
        recipe,
        "" if comparison.figures else comparison.signature,
        head=head_of_comparison(comparison),
        gate=gate,
        counts=count_lines_of_both(comparison),
        causes=comparison.causes.without("p_value"),
        fields=comparison.fields.without("p_value").first(MOST_FIELDS_DRAWN),
        slices=comparison.slices.without("p_value"),
        metrics=comparison.figures,
        documents=document_changes_table([*comparison.worse[:changes], *comparison.better[:changes]]),
    )


def page_as_html(template: str, title: str, recipe: str, signature: str, **parts: Any) -> str:
    """Render a separate page with a heading and a footer that has the recipe to reproduce it and a signature."""
    page = template_environment().get_template(template)
    return page.render(title=shown_name(title), recipe=recipe, signature=signature, **parts)


def head_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the header of a report or notebook: the score, the spread of documents, and where points were lost."""
    edges = edges_of(evaluation.scores)
    return {
        "score": f"{evaluation.score:.4f}",
        "value": evaluation.score,
        "ends": evaluation.interval,
        "label": evaluation.figure_names[0].label,
        "text": headline_text(evaluation, "document"),
        "bars": list(zip(edges, bins(edges, evaluation.scores), strict=False)),
        "spread": spread_lines(evaluation.scores),
        "conclusion": conclusion_of(evaluation),
    }


def head_of_comparison(comparison: Comparison) -> dict[str, Any]:
    """Return the header of a report or notebook on a comparison: the difference, and whether it may be chance."""
    verdict, _, chance = verdict_text(comparison).partition("; ")
    mean = "mean " if comparison.new.primary.is_mean else ""
    figure, interval = comparison.figure, difference_interval(comparison)
    return {
        "score": with_minus_signs(with_sign(comparison.difference)),
        "sides": (figure.base, figure.new),
        "text": f"{mean}{figure.label} from {figure.base:.4f} to {figure.new:.4f}, {with_minus_signs(interval)}",
        "conclusion": (f"{capital(verdict)}.", f"{capital(chance)}." if chance else ""),
    }


def causes_of(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the causes of lost points, largest first, each with an example and the number of its documents."""
    examples, losses = examples_of_causes(evaluation), evaluation.field_table.losses
    documents = Counter(cause for lost in losses for cause in {cause for _, cause in lost})
    return [
        {
            "name": capital(cause.text),
            "meaning": cause.note,
            "lost": lost_text(points.value),
            "share": bar.value,
            "documents": counted(documents[cause.value], "document"),
            "example": examples.get(cause.value),
        }
        for bar, points, _, cause in evaluation.causes.cells
    ]


_LONGEST_EXAMPLE = 60  # characters of a value


def examples_of_causes(evaluation: Evaluation) -> dict[str, tuple[str | None, str | None]]:
    """Return a pair of values per cause, from the document that lost most by it; None for an absent value."""
    most: dict[str, tuple[float, int]] = {}
    for number, losses in enumerate(evaluation.field_table.losses):
        for (_, cause), points in losses.items():
            if points > most.get(cause, (0.0, 0))[0]:
                most[cause] = points, number
    examples: dict[str, tuple[str | None, str | None]] = {}
    for wanted, (_, number) in most.items():
        nodes = evaluation.row(number).tree.nodes()
        lossy = [node for node in nodes if node.cause == wanted and node.points_lost]
        leaves = [node for node in lossy if not node.children] or lossy
        if leaves:
            node = max(leaves, key=lambda each: each.points_lost)
            truth, prediction = (
                clipped(printable(value_text(value)), _LONGEST_EXAMPLE)
                for value in (node.ground_truth, node.prediction)
            )
            examples[wanted] = (
                None if node.status == "extra" else truth,
                None if node.status == "missing" else prediction,
            )
    return examples


HISTOGRAM_BINS = 20


def edges_of(scores: Sequence[float]) -> list[float]:
    """Return the edges of the bars of a histogram of scores, from the tenth below the lowest score to 1."""
    lowest = min(floor(10 * min(scores) + ROUNDING), 9) / 10
    return [lowest + (1 - lowest) * number / HISTOGRAM_BINS for number in range(HISTOGRAM_BINS + 1)]


def bins(edges: Sequence[float], scores: Iterable[float]) -> list[int]:
    """Return the number of scores in each bar of a histogram; the highest edge belongs to the last bar."""
    counts = [0] * (len(edges) - 1)
    for score in scores:
        counts[max(bisect_right(edges, score + ROUNDING) - 1, 0) if score < 1 else -1] += 1
    return counts


MOST_FIELDS_DRAWN = 500  # rows of a table, nodes of a tree


PICTURE_WIDTH, _HEIGHT, _TOP, _FOOT = 640, 160, 14, 22  # of a picture: drawing area, space above it and space below it


class Picture(NamedTuple):
    """A picture with its text.

    Attributes:
        label: the description for screen readers.
        caption: the text below the picture.
        marks: the numbers on its axis, from 0 to 1.
        bars: the bars of a histogram: left, top, width, height, the number above it, and its title.
        lines: the corners of each line in the format of SVG, by its CSS class.
        dots: the dots: the coordinates of the middle, and the title.
        texts: further texts: coordinates, anchor (start, middle or end), and the text.
        width, height, base: the size of the picture, and the y coordinate of its axis.
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
    """Return the tables and pictures of an evaluation, by the names that templates use.

    The tables of rates, fields and lists always exist; the other parts are empty or None if there is nothing to show.
    The curve and the reliability diagram, for predictions with confidences, are a picture and a table each.
    """
    metrics = [figure_table(evaluation)] if evaluation.other_figures else []
    metrics += kieval_tables(evaluation.breakdowns["kieval"]) if "kieval" in evaluation.breakdowns else []
    metrics += filter(None, breakdown_tables(evaluation))
    curve, calibration = (
        (evaluation.automation.curve, evaluation.automation.calibration)
        if evaluation.automation.is_available
        else (None, None)
    )
    return {
        "rates": evaluation.rates,
        "fields": evaluation.fields.first(MOST_FIELDS_DRAWN),
        "lists": evaluation.lists.first(MOST_FIELDS_DRAWN),
        "filled": evaluation.filled_although_empty,
        "confusions": evaluation.confusions.first(MOST_FIELDS_DRAWN),
        "metrics": [table.first(MOST_FIELDS_DRAWN) for table in metrics],
        "curve": None if curve is None else (picture_of_curve(curve), curve.table()),
        "calibration": None if calibration is None else calibration_table(calibration),
        "reliability": (reliability_diagram(calibration), reliability_table(calibration))
        if calibration is not None and calibration.points
        else None,
        "slices": evaluation.slices or None,
    }


def picture_of_curve(curve: Curve) -> Picture:
    """Return a picture of the automation rate and the accuracy after review against the threshold."""
    points = curve.points()
    return Picture(
        "Automation rate and accuracy after review, by confidence threshold",
        f"Dashed: share of the values that are accepted without a review. Solid: accuracy ({curve.figure}) after the "
        "review of values with a confidence below the threshold.",
        (0, 0.5, 1),
        lines={
            "anls-automated": _corners(points, [point.automation_rate for point in points]),
            "anls-aligned": _corners(points, [point.accuracy for point in points]),
        },
        **_axes("confidence below which values are reviewed", "share of values, accuracy"),
    )


def reliability_diagram(calibration: Calibration) -> Picture:
    """Return a picture of the share of right values against their mean confidence, with the line of equality."""
    return Picture(
        "Reliability diagram",
        "Dashed: perfectly calibrated confidences. Solid: share of right values against their mean confidence.",
        (0, 0.5, 1),
        lines={
            "anls-automated": f"0,{_HEIGHT + _TOP} {PICTURE_WIDTH},{_TOP}",
            "anls-aligned": _line((point.confidence, point.accuracy) for point in calibration.points),
        },
        **_axes("mean confidence of the values in a bin", "share of right values"),
    )


def _axes(across: str, up: str) -> dict[str, Any]:
    """Return the labels of both axes as texts of a picture, the vertical axis from 0 to 1, and the height with them."""
    foot = _HEIGHT + _TOP + _FOOT
    return {
        "texts": [(0.0, _TOP - 4.0, "start", f"{up}, 0 to 1"), (PICTURE_WIDTH / 2, foot + 10.0, "middle", across)],
        "height": foot + 14,
    }


def _corners(points: Sequence[Point], values: Sequence[float]) -> str:
    """Return the corners of a step function: a value applies up to the next threshold; the last point is left out."""
    steps = zip(points, values, (*(point.threshold for point in points[1:-1]), 1.0), strict=False)
    return _line(corner for point, value, end in steps for corner in ((point.threshold, value), (end, value)))


def _line(points: Iterable[tuple[float, float]]) -> str:
    """Return the corners of a line through points whose coordinates are from 0 to 1."""
    return " ".join(f"{x * PICTURE_WIDTH:.1f},{_HEIGHT + _TOP - y * _HEIGHT:.1f}" for x, y in points)
