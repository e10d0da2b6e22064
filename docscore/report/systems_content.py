"""What the tables of several systems hold: a system a row for papers, a figure a row for terminals."""

from __future__ import annotations

from collections.abc import Sequence

from docscore.core.errors import InputValueError
from docscore.core.tolerance import ROUNDING
from docscore.corpus.metric_values import Figure
from docscore.corpus.systems import BEST, SystemFigures, Systems
from docscore.report.system_matrix import CHANCE_MARK
from docscore.report.table_model import ReportTable, TableCell, TableColumn
from docscore.report.wording import level_of_tests, percent_text, shown_name

DOCUMENTS = "documents"
_NONE = "–"


def systems_table(
    found: Systems, *, percent: bool = False, intervals: bool = False, columns: Sequence[str] = ()
) -> ReportTable:
    """The figures of several systems, one row each; the best value of each figure is marked, also when tied.

    Args:
        found: the systems.
        percent: whether figures are multiplied by 100 and have two decimals; otherwise they have four.
        intervals: whether figures have their intervals behind them.
        columns: further columns: "documents", or a count of rows such as "missing".

    Raises:
        ValueError: for a column that there is not.
    """
    _check_columns(found, columns)
    sliced = bool(found.by)
    counted = [*([DOCUMENTS] if sliced and DOCUMENTS not in columns else []), *columns]
    heads = (
        *([_by_column(found)] if sliced else []),
        TableColumn("system", "System", "text"),
        *(TableColumn(name, name.replace("_", " ")) for name in counted),
        *(TableColumn(figure.name, figure.label) for figure in found.rows[0].figures),
    )
    rows = []
    for group in found.groups().values():
        marked = [_cells(group, number, found, percent, intervals) for number in range(len(group[0].figures))]
        for number, row in enumerate(group):
            rows.append(
                (
                    *([_value_cell(row)] if sliced else []),
                    TableCell(row.system, shown_name(row.system)),
                    *(_count_cell(row, name) for name in counted),
                    *(cells[number] for cells in marked),
                )
            )
    return _table(found, heads, rows, intervals=intervals)


def systems_by_metric(found: Systems, *, percent: bool = False, intervals: bool = False) -> ReportTable:
    """The same figures, one row each, and a column for each system: narrow enough for a terminal."""
    sliced = bool(found.by)
    heads = (
        *([_by_column(found), TableColumn(DOCUMENTS, DOCUMENTS)] if sliced else []),
        TableColumn("metric", "metric", "text"),
        *(TableColumn(row.system, shown_name(row.system)) for row in found.groups()[None]),
    )
    rows = []
    for group in found.groups().values():
        for number, figure in enumerate(group[0].figures):
            rows.append(
                (
                    *([_value_cell(group[0]), _count_cell(group[0], DOCUMENTS)] if sliced else []),
                    TableCell(figure.name, figure.label),
                    *_cells(group, number, found, percent, intervals),
                )
            )
    return _table(found, heads, rows, intervals=intervals)


def _table(
    found: Systems, heads: tuple[TableColumn, ...], rows: list[tuple[TableCell, ...]], *, intervals: bool
) -> ReportTable:
    caption = f"Metrics by system and {shown_name(found.by)}" if found.by else "Metrics by system"
    remarks = tuple(_remarks(found, intervals=intervals))
    return ReportTable(caption, heads, tuple(rows), unit="systems", signatures=found.signatures, remarks=remarks)


def _by_column(found: Systems) -> TableColumn:
    return TableColumn("value", shown_name(found.by), "code")


def _value_cell(row: SystemFigures) -> TableCell:
    return TableCell(row.value, "all rows" if row.value is None else shown_name(row.value))


def _count_cell(row: SystemFigures, name: str) -> TableCell:
    count = row.documents if name == DOCUMENTS else row.counts.get(name)
    return TableCell(count, _NONE if count is None else f"{count:,}")


def _cells(
    group: Sequence[SystemFigures], number: int, found: Systems, percent: bool, intervals: bool
) -> list[TableCell]:
    """The cells of one figure of all systems."""
    figures = [row.figures[number] for row in group]
    top = max(figure.value for figure in figures)
    return [
        TableCell(
            figure.value,
            _figure_text(figure.value, percent=percent),
            best=figure.value >= top - ROUNDING,
            suffix=(_interval_text(figure, percent=percent) if intervals else "") + _mark(row, figure, found),
        )
        for row, figure in zip(group, figures, strict=True)
    ]


def _figure_text(value: float, *, percent: bool) -> str:
    return f"{value * 100:.2f}" if percent else f"{value:.4f}"


def _interval_text(figure: Figure, *, percent: bool) -> str:
    ends = None if figure.interval is None else figure.interval.ends
    return "" if ends is None else f" [{', '.join(_figure_text(end, percent=percent) for end in ends)}]"


def _mark(row: SystemFigures, figure: Figure, found: Systems) -> str:
    test = row.tests.get(figure.name)
    return CHANCE_MARK if test is not None and test.adjusted < level_of_tests(found.confidence) else ""


def _remarks(found: Systems, *, intervals: bool) -> list[str]:
    """What brackets and marks mean."""
    remarks = []
    if intervals:
        remarks.append(f"In brackets: {percent_text(found.confidence)} confidence intervals.")
    if found.against:
        base = "the best system" if found.against == BEST else shown_name(found.against)
        level = level_of_tests(found.confidence)
        test = f"paired permutation test, Holm-corrected for the number of systems, p < {level:g}"
        where = " (all rows)" if found.by else ""
        any_marked = any(_mark(row, figure, found) for row in found.rows for figure in row.figures)
        differs = f"{CHANCE_MARK} differs" if any_marked else "No system differs"
        remarks.append(f"{differs} from {base}{where}: {test}.")
    return remarks


def _check_columns(found: Systems, columns: Sequence[str]) -> None:
    known = list(dict.fromkeys([DOCUMENTS, *(name for row in found.rows for name in row.counts)]))
    for name in columns:
        if name not in known:
            raise InputValueError(place="columns", expected=f"columns among {', '.join(known)}", got=repr(name))
