"""Reports on several systems: tables, also on the runs of a benchmark; pictures of ranks and costs; and a page."""

import io
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from docscore.core.errors import InputValueError
from docscore.core.formatting import amount_text, clipped, p_text, percent_text, shown_name, three_digits, with_sign
from docscore.core.numbers import ROUNDING
from docscore.core.runtime import library
from docscore.evaluation.comparison import level_of_tests
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.figures import Cost, Figure, Slice
from docscore.evaluation.sentences import HALF_THE_WIDTH, between_systems, by_value_text, runs_lines
from docscore.evaluation.systems import BEST, Systems, document_cost
from docscore.evaluation.tables import (
    NO_VALUE,
    Content,
    Table,
    TableCell,
    TableColumn,
    number_cell,
    table_of,
    text_column,
    value_column,
)
from docscore.inputs.rows import COSTS
from docscore.report.html_report import PICTURE_WIDTH, Picture, page_as_html
from docscore.stats.intervals import CONFIDENCE

DOCUMENTS = "documents"
CHANCE_MARK = "†"  # marks a significant difference
_SMALLEST_SHARE = 0.0005  # of resamples; the smallest that three decimals show


def systems_table(
    systems: Systems,
    *,
    by_metric: bool = False,
    percent: bool = False,
    intervals: bool = False,
    columns: Sequence[str] = (),
) -> Table:
    """Return the figures of several systems; the best value of each figure is marked, and all values that tie with it.

    Args:
        systems: the systems.
        by_metric: whether figures are rows and systems are columns; otherwise, and if systems have ranks or costs,
            systems are rows.
        percent: whether figures are multiplied by 100 and have two decimals; otherwise they have four.
        intervals: whether an interval follows each figure.
        columns: further columns for tables whose rows are systems: "documents", or a count of rows such as "missing".

    Raises:
        ValueError: if a column does not exist.
    """
    _check_columns(systems, columns)
    before, after = _contents_around(systems)
    first = systems.first
    by = first.slice_name if first.test_set.slices is not None else ""
    cells = partial(_figure_cells, systems, percent=percent, intervals=intervals)
    if by_metric and not after:
        heads, rows = _rows_of_metrics(systems, cells, by)
    else:
        heads, rows = _rows_of_systems(systems, cells, by, columns, before, after)
    if by:
        heads = [TableColumn("value", shown_name(by), "code"), *heads]
    signatures = dict.fromkeys(each for system in systems.evaluations.values() for each in system.signatures.values())
    legend = tuple(_legend(systems, by, intervals=intervals))
    return Table(
        f"Metrics by system and {shown_name(by)}" if by else "Metrics by system",
        tuple(heads),
        tuple(rows),
        unit="systems",
        signatures=tuple(signatures),
        footnotes=(*legend, *_remarks(systems)),
        legend=legend,
        systems_from=len(heads) - len(systems.evaluations) if by_metric and not after else 0,
    )


def _check_columns(systems: Systems, columns: Sequence[str]) -> None:
    """Raise `ValueError` if a column does not exist."""
    counts = (name for system in systems.evaluations.values() for name in system.counts)
    known = dict.fromkeys([DOCUMENTS, *counts])
    unknown = [name for name in columns if name not in known]
    if unknown:
        raise InputValueError(place="columns", expected=f"columns among {', '.join(known)}", got=repr(unknown[0]))


Part = Mapping[str, Slice]  # by system: all rows, or the rows with one value of `by`
FigureCells = Callable[[Part], list[list[TableCell]]]  # cells by figure and system
Row = tuple[TableCell, ...]


def _rows_of_metrics(systems: Systems, cells: FigureCells, by: str) -> tuple[list[TableColumn], list[Row]]:
    """Return the heads and rows of a table whose columns are systems, without the head of the value of `by`."""
    rows = [
        (
            *_value_cell(part, by),
            *([number_cell(_first(part).documents)] if by else []),
            TableCell(figure.name, figure.label),
            *of_figure,
        )
        for part in systems.parts()
        for figure, of_figure in zip(_first(part).figures, cells(part), strict=True)
    ]
    documents = [TableColumn(DOCUMENTS, DOCUMENTS)] if by else []
    names = [TableColumn(name, shown_name(name)) for name in systems.evaluations]
    return [*documents, TableColumn("metric", "metric", "text"), *names], rows


def _rows_of_systems(
    systems: Systems,
    cells: FigureCells,
    by: str,
    columns: Sequence[str],
    before: Sequence[Content],
    after: Sequence[Content],
) -> tuple[list[TableColumn], list[Row]]:
    """Return the heads and rows of a table whose columns are figures, without the head of the value of `by`."""
    counts = [*([DOCUMENTS] if by and DOCUMENTS not in columns else []), *columns]
    parts, rows = systems.parts(), list[Row]()
    for part in parts:
        at = dict(zip((figure.name for figure in _first(part).figures), cells(part), strict=True))
        absent = [TableCell(None, NO_VALUE)] * len(part)  # figures of regions that a slice does not have
        in_order = [at.get(figure.name, absent) for figure in _first(parts[0]).figures]
        for (name, of_system), *figures in zip(part.items(), *in_order, strict=True):
            is_whole = of_system.value is None
            numbers = {DOCUMENTS: of_system.documents, **(systems.evaluations[name].counts if is_whole else {})}
            left, right = (
                [cell_of(name) if is_whole else TableCell(None, "") for _, cell_of in contents]
                for contents in (before, after)
            )
            counted = (number_cell(numbers.get(column)) for column in counts)
            system = TableCell(name, shown_name(name))
            rows.append((*_value_cell(part, by), *left, system, *counted, *figures, *right))
    heads = [
        *(column for column, _ in before),
        TableColumn("system", "System", "text"),
        *(TableColumn(name, name.replace("_", " ")) for name in counts),
        *(TableColumn(figure.name, figure.label) for figure in _first(parts[0]).figures),
        *(column for column, _ in after),
    ]
    return heads, rows


def _first(part: Part) -> Slice:
    """Return the slice of the first system."""
    return next(iter(part.values()))


def _value_cell(part: Part, by: str) -> list[TableCell]:
    """Return the cell of the value of `by`; empty without `by`."""
    value = _first(part).value
    return [TableCell(value, "all rows" if value is None else shown_name(value))] if by else []


def _contents_around(systems: Systems) -> tuple[list[Content], list[Content]]:
    """Return the columns before the names of the systems (ranks), and those after their figures (ranks, costs)."""
    ranks, front, evaluations = systems.ranks, systems.front, systems.evaluations
    before: list[Content] = []
    after: list[Content] = []
    if ranks:
        before = [value_column("rank", "rank", _ends_text, lambda name: (ranks[name].low, ranks[name].high))]
        after = [value_column("best", "best", _share_text, lambda name: ranks[name].best)]
    known = {column for system in evaluations.values() for column in system.costs}
    after += [
        (TableColumn(column, column), partial(_cost_cell, evaluations, column)) for column in COSTS if column in known
    ]
    if front is not None:
        after += [
            value_column("score_per_cost", "score/cost", amount_text, systems.score_per_cost),
            value_column("pareto", "Pareto", lambda is_best: "yes" if is_best else "", front.__contains__, kind="text"),
        ]
    return before, after


def _ends_text(ends: tuple[int, int]) -> str:
    return " to ".join(map(str, dict.fromkeys(ends)))


def _share_text(share: float) -> str:
    return "<0.001" if 0 < share < _SMALLEST_SHARE else three_digits(share)


def _cost_cell(evaluations: Mapping[str, Evaluation], column: str, name: str) -> TableCell:
    cost = evaluations[name].costs.get(column, Cost(None))
    return number_cell(cost.total, amount_text)._replace(note=cost.note)


def _figure_cells(systems: Systems, part: Part, *, percent: bool, intervals: bool) -> list[list[TableCell]]:
    """Return the cells of all systems, by figure."""

    def text(value: float) -> str:
        return f"{value * 100:.2f}" if percent else f"{value:.4f}"

    def suffix(name: str, figure: Figure) -> str:
        interval = figure.interval if intervals else None
        ends = f" [{', '.join(map(text, interval.ends))}]{interval.mark}" if interval and interval.ends else ""
        return ends + (CHANCE_MARK if part[name].value is None and _is_marked(systems, name, figure.name) else "")

    rows = []
    for figures in zip(*(of_system.figures for of_system in part.values()), strict=True):
        best = max(figure.value for figure in figures) - ROUNDING
        rows.append(
            [
                TableCell(figure.value, text(figure.value), best=figure.value >= best, suffix=suffix(name, figure))
                for name, figure in zip(part, figures, strict=True)
            ]
        )
    return rows


def _is_marked(systems: Systems, name: str, figure: str) -> bool:
    """Return whether a system differs significantly from the base by a figure."""
    test = systems.tests.get((name, figure))
    return test is not None and test.is_significant(systems.first.confidence or 0.0)


def _legend(systems: Systems, by: str, *, intervals: bool) -> list[str]:
    """Return what brackets, marks and columns mean."""
    footnotes = []
    confidence = systems.first.confidence or 0.0
    if systems.ranks:
        head = next(figure.label for figure in systems.first.measured if figure.name == systems.figures[0])
        level = percent_text(confidence or CONFIDENCE)
        footnotes += [
            f"rank: the possible ranks by {head}, simultaneously at {level} confidence.",
            "best: the share of resamples of the documents in which the system is the best.",
        ]
    if any(system.costs for system in systems.evaluations.values()):
        footnotes.append("cost, seconds, tokens: sums over the documents; with several runs, the average per run.")
    if systems.front is not None:
        footnotes += [
            "score/cost: the first figure, divided by the mean cost of a document.",
            "Pareto: no other system has at least this figure at a lower cost, or a higher one at no higher cost.",
            "Pareto depends on the cost, not on seconds or tokens.",
        ]
    if intervals:
        footnotes.append(f"In brackets: {percent_text(confidence)} confidence intervals.")
    if systems.against:
        base = "the best" if systems.against == BEST else shown_name(systems.against)
        where = " (all rows)" if by else ""
        if any(_is_marked(systems, *key) for key in systems.tests):
            footnotes.append(f"{CHANCE_MARK} differs significantly from {base}{where}: {between_systems(confidence)}.")
        else:
            level = f"adjusted p ≥ {level_of_tests(confidence):g}"
            footnotes.append(f"No system differs significantly from {base}{where} ({level}).")
    return footnotes


def table_of_tests(systems: Systems, *, percent: bool = False) -> Table:
    """Return a table of the tests of systems against another one, by figure; without rows if there are no tests.

    Args:
        systems: the systems.
        percent: whether differences are multiplied by 100 and have two decimals; otherwise they have four.
    """
    labels = {figure.name: figure.label for figure in systems.first.measured}

    def difference(value: float) -> str:
        return with_sign(100 * value, 2) if percent else with_sign(value)

    return table_of(
        "Tests against the best system" if systems.against == BEST else f"Tests against {shown_name(systems.against)}",
        systems.tests.items(),
        text_column("system", "System", lambda test: test[0][0], "text"),
        text_column("figure", "metric", lambda test: labels[test[0][1]], "text"),
        text_column("against", "against", lambda test: systems.bases[test[0][1]], "text"),
        value_column("difference", "difference", difference, lambda test: test[1].difference),
        value_column("p_value", "p", p_text, lambda test: test[1].p_value),
        value_column("adjusted", "adjusted p", p_text, lambda test: test[1].adjusted),
        unit="tests",
    )


def _remarks(systems: Systems) -> list[str]:
    """Return the footnotes on runs, costs and numbers."""
    runs = {name: system.runs for name, system in systems.evaluations.items() if system.runs is not None}
    footnotes = [f"{shown_name(name)}: {line}." for name, each in runs.items() for line in runs_lines(each)]
    footnotes += [f"{HALF_THE_WIDTH}."] if runs else []
    for name, system in systems.evaluations.items():
        footnotes += [f"{shown_name(name)}: {cost.note}." for cost in system.costs.values() if cost.note]
    by_value = by_value_text(systems.evaluations)
    return [*footnotes, f"{by_value}."] if by_value else footnotes


_ROW, _TOP, _FOOT = 22, 20, 24  # heights: of a system, above the picture, of the marks of the axis
_HEIGHT = 300  # of the picture of scores against costs
_NAMES, _LONGEST_NAME = 200, 20  # the width of names, and the characters of a name
_MARGIN = 40
_THICK = 4  # of the line of an interval
_MOST_MARKS = 10
_BLUE, _PALE = "#3f7fcd", "#a9c8ec"  # --blue-bar and --blue-pale of tokens.css


def systems_as_html(systems: Systems, tables: Sequence[Table], recipe: str = "") -> str:
    """Return an HTML document with the tables and pictures of several systems, without scripts and network access.

    Args:
        systems: the systems.
        tables: the tables of the systems; the caption of the first table is the title.
        recipe: the command that reproduces the document.
    """
    pictures = pictures_of(systems)
    return page_as_html("systems.html.jinja", tables[0].caption, recipe, "", tables=tables, pictures=pictures)


def pictures_of(systems: Systems) -> list[Picture]:
    """Return the picture of ranks if there are ranks, and the picture of scores against costs if any cost is known."""
    ranks = [picture_of_ranks(systems)] if systems.ranks else []
    return [*ranks, picture_of_costs(systems)] if _costs(systems) else ranks


def picture_of_ranks(systems: Systems) -> Picture:
    """Return a picture with one row per system, best one first: its rank as a dot, and its possible ranks as a line."""
    bars, dots, texts = [], [], []
    last, y = len(systems.ranks), 0
    step = (PICTURE_WIDTH - _NAMES - _MARGIN) / (last - 1)
    for number, (name, rank) in enumerate(systems.ranks.items()):
        y = _TOP + number * _ROW
        left, right, middle = (_NAMES + (place - 1) * step for place in (rank.low, rank.high, rank.value))
        title = f"{shown_name(name)}: {rank.low} to {rank.high}"
        bars.append((left, y - _THICK / 2, right - left, _THICK, "", title))
        dots.append((middle, y, title))
        texts.append((0.0, y + _THICK, "start", clipped(shown_name(name), _LONGEST_NAME)))
    base = y + _ROW
    marks = range(1, last + 1, math.ceil(last / _MOST_MARKS))
    texts += [(_NAMES + (mark - 1) * step, base + _FOOT - _THICK, "middle", f"{mark}") for mark in marks]
    return Picture(
        "Ranks of the systems",
        "Dots: ranks; lines: the possible ranks.",
        (),
        bars,
        dots=dots,
        texts=texts,
        height=base + _FOOT,
        base=base,
    )


def _costs(systems: Systems) -> dict[str, float]:
    """Return the mean cost of a document for each system with a known cost above 0."""
    costs = {name: document_cost(system) for name, system in systems.evaluations.items()}
    return {name: cost for name, cost in costs.items() if cost}


def picture_of_costs(systems: Systems) -> Picture:
    """Return a picture of the first figure of each system with its interval, against the logarithm of the mean cost."""
    costs = _costs(systems)
    figures = {name: part.figures[0] for name, part in systems.parts()[0].items()}
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
        title = f"{shown_name(name)}: {three_digits(figures[name].value)} at {amount_text(cost)} per document"
        bars.append((x - _THICK / 2, top, _THICK, down(min(ends[name])) - top, "", title))
        dots.append((x, y, title))
        beside = (x + 8, y + 14, "start") if x < PICTURE_WIDTH - _NAMES else (x - 8, y - 8, "end")
        texts.append((*beside, clipped(shown_name(name), _LONGEST_NAME)))
    front = sorted((costs[name], figures[name].value) for name in systems.front or () if name in costs)
    lines = {"anls-aligned": " ".join(f"{across(cost):.1f},{down(score):.1f}" for cost, score in front)}
    left_out = ", ".join(shown_name(name) for name in systems.evaluations if name not in costs)
    caption = "Score with its interval against the mean cost of a document, on a logarithmic scale."
    caption += " The line joins the systems that no other one beats in both score and cost." if front else ""
    caption += f" Not shown, because they have no cost above 0: {left_out}." if left_out else ""
    return Picture("Scores against costs", caption, (), bars, lines, dots, texts, height=_HEIGHT + _FOOT, base=_HEIGHT)


def systems_as_png(systems: Systems) -> bytes:
    """Return the first picture of several systems as PNG.

    Raises:
        ValueError: if there is no picture, or if matplotlib is not installed.
    """
    picture = next(iter(pictures_of(systems)), None)
    if picture is None:
        raise InputValueError(place="output", expected="--ranks or costs for a picture", got="neither")
    names = ("matplotlib.figure", "matplotlib.patches")
    figures, patches = (library(name, "PNG needs matplotlib ({})", "plots") for name in names)
    figure, content = figures.Figure(figsize=(picture.width / 100, picture.height / 100)), io.BytesIO()
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, picture.width), ylim=(picture.height, 0))
    axes.axis("off")
    for left, top, width, height, *_ in picture.bars:
        axes.add_patch(patches.Rectangle((left, top), width, height, color=_PALE))
    for line in (*picture.lines.values(), f"0,{picture.base} {picture.width},{picture.base}"):
        corners = [tuple(map(float, corner.split(","))) for corner in line.split()]
        axes.plot([x for x, _ in corners], [y for _, y in corners], color=_BLUE, linewidth=1)
    axes.plot([x for x, _, _ in picture.dots], [y for _, y, _ in picture.dots], "o", color=_BLUE)
    for x, y, anchor, text in picture.texts:
        align = {"start": "left", "middle": "center", "end": "right"}[anchor]
        axes.text(x, y, text, horizontalalignment=align, fontsize=9, parse_math=False)
    figure.savefig(content, format="png", dpi=200, bbox_inches="tight")
    return content.getvalue()
