"""Several systems as a page and as pictures: ranks that are possible, and scores against costs."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

from docscore.core.errors import InputValueError
from docscore.core.formatting import amount_text, clipped, three_digits
from docscore.core.numbers import ROUNDING
from docscore.report.html_report import PICTURE_WIDTH, Picture
from docscore.report.html_templates import template_environment
from docscore.report.wording import shown_name

if TYPE_CHECKING:
    from docscore.evaluation.systems import Systems
    from docscore.report.table_model import ReportTable

_ROW, _GAP, _TOP, _FOOT = 22, 12, 20, 24  # heights: of a system, between groups, above all, of the marks of the axis
_HEIGHT = 300  # of scores against costs
_NAMES, _LONGEST_NAME = 200, 20  # the width of names, and their characters
_MARGIN = 40
_THICK = 4  # of the line of an interval
_MOST_MARKS = 10


def systems_as_html(found: Systems, table: ReportTable) -> str:
    """The table of several systems with their pictures as one HTML document, without scripts and network access."""
    return template_environment().get_template("systems.html.jinja").render(table=table, pictures=pictures_of(found))


def pictures_of(found: Systems) -> list[Picture]:
    """The picture of ranks, where there are ranks, and that of scores against costs, where a system has a cost."""
    drawn = [picture_of_ranks(found)] if found.ranks else []
    return [*drawn, picture_of_costs(found)] if any(map(found.document_cost, found.evaluations)) else drawn


def picture_of_ranks(found: Systems) -> Picture:
    """A row a system, the best one first: its rank as a dot, and the ranks that are possible as a line."""
    bars, dots, texts = [], [], []
    last, y = len(found.ranks), 0
    step = (PICTURE_WIDTH - _NAMES - _MARGIN) / (last - 1)
    for number, (name, rank) in enumerate(found.ranks.items()):
        y = _TOP + number * _ROW + (rank.group - 1) * _GAP
        left, right, middle = (_NAMES + (place - 1) * step for place in (rank.low, rank.high, rank.value))
        title = f"{shown_name(name)}: {rank.low} to {rank.high}"
        bars.append((left, y - _THICK / 2, right - left, _THICK, "", title))
        dots.append((middle, y, title))
        texts.append((0.0, y + _THICK, "start", clipped(shown_name(name), _LONGEST_NAME)))
    base = y + _ROW
    marks = range(1, last + 1, math.ceil(last / _MOST_MARKS))
    texts += [(_NAMES + (mark - 1) * step, base + _FOOT - _THICK, "middle", f"{mark}") for mark in marks]
    caption = "Dots: ranks; lines: the ranks that are possible. Below a gap a new group begins."
    height = base + _FOOT
    return Picture("Ranks of the systems", caption, (), bars, dots=dots, texts=texts, height=height, base=base)


def picture_of_costs(found: Systems) -> Picture:
    """The first figure of each system with its interval, against the logarithm of the mean cost of a document."""
    costs = {name: cost for name in found.evaluations if (cost := found.document_cost(name))}
    figures = {name: part.figures[0] for name, part in found.parts()[0].items()}
    intervals = {name: figures[name].interval for name in costs}
    ends = {name: (interval and interval.ends) or (figures[name].value,) for name, interval in intervals.items()}
    first = math.floor(math.log10(min(costs.values())))
    last = max(math.ceil(math.log10(max(costs.values()))), first + 1)
    low, high = min(map(min, ends.values())), max(map(max, ends.values()))

    def across(cost: float) -> float:
        return _MARGIN + (math.log10(cost) - first) / (last - first) * (PICTURE_WIDTH - 2 * _MARGIN)

    def down(score: float) -> float:
        return _TOP + (high - score) / max(high - low, ROUNDING) * (_HEIGHT - _TOP - _FOOT)

    bars, dots = [], []
    marks = [10.0**mark for mark in range(first, last + 1)]
    foot = float(_HEIGHT + _FOOT - _THICK)
    texts = [(across(mark), foot, "middle", f"{mark:g}") for mark in marks]
    texts += [(0.0, down(score) + _THICK, "start", three_digits(score)) for score in (low, high)]
    for name, cost in costs.items():
        x, y, top = across(cost), down(figures[name].value), down(max(ends[name]))
        title = f"{shown_name(name)}: {three_digits(figures[name].value)} at {amount_text(cost)} a document"
        bars.append((x - _THICK / 2, top, _THICK, down(min(ends[name])) - top, "", title))
        dots.append((x, y, title))
        beside = (x + 8, y + 14, "start") if x < PICTURE_WIDTH - _NAMES else (x - 8, y - 8, "end")
        texts.append((*beside, clipped(shown_name(name), _LONGEST_NAME)))
    front = sorted((costs[name], figures[name].value) for name in found.front or () if name in costs)
    lines = {"anls-aligned": " ".join(f"{across(cost):.1f},{down(score):.1f}" for cost, score in front)}
    left_out = ", ".join(shown_name(name) for name in found.evaluations if name not in costs)
    caption = "Score with its interval against the mean cost of a document, on a logarithmic scale."
    caption += " The line joins the systems that no other one beats in both." if front else ""
    caption += f" Without a cost above 0, and not drawn: {left_out}." if left_out else ""
    height = _HEIGHT + _FOOT
    return Picture("Scores against costs", caption, (), bars, lines, dots, texts, height=height, base=_HEIGHT)


def systems_as_png(found: Systems) -> bytes:
    """The first of the pictures of several systems as PNG.

    Raises:
        ValueError: if there is none, or matplotlib is not installed.
    """
    pictures = pictures_of(found)
    if not pictures:
        raise InputValueError(place="output", expected="--ranks or costs for a picture", got="neither")
    picture = pictures[0]
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  slow to import
        from matplotlib.patches import Rectangle  # noqa: PLC0415
    except ImportError as error:
        problem, remedy = f"PNG needs matplotlib ({error})", "pip install 'docscore[plots]'"
        raise InputValueError(problem=problem, remedy=remedy) from None
    drawn, content = Figure(figsize=(picture.width / 100, picture.height / 100)), io.BytesIO()
    axes = drawn.add_axes((0, 0, 1, 1), xlim=(0, picture.width), ylim=(picture.height, 0))
    axes.axis("off")
    for left, top, width, height, *_ in picture.bars:
        axes.add_patch(Rectangle((left, top), width, height, color=_PALE))
    for line in (*picture.lines.values(), f"0,{picture.base} {picture.width},{picture.base}"):
        corners = [tuple(map(float, corner.split(","))) for corner in line.split()]
        axes.plot([x for x, _ in corners], [y for _, y in corners], color=_BLUE, linewidth=1)
    axes.plot([x for x, _, _ in picture.dots], [y for _, y, _ in picture.dots], "o", color=_BLUE)
    for x, y, anchor, text in picture.texts:
        align = {"start": "left", "middle": "center", "end": "right"}[anchor]
        axes.text(x, y, text, horizontalalignment=align, fontsize=9, parse_math=False)
    drawn.savefig(content, format="png", dpi=200, bbox_inches="tight")
    return content.getvalue()


_BLUE, _PALE = "#3f7fcd", "#a9c8ec"  # --blue-bar and --blue-pale of tokens.css
