"""Tables of several systems: by system or figure, by field or document, and the runs of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from docscore.core.errors import InputValueError
from docscore.core.formatting import three_digits, with_minus_signs, with_sign
from docscore.core.numbers import ROUNDING
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.metric_values import Figure
from docscore.evaluation.systems import (
    BEST,
    GridCell,
    SystemChange,
    SystemFigures,
    Systems,
    document_scores_by_system,
    field_scores_by_system,
)
from docscore.report.content import number_column, table_of, text_column
from docscore.report.table_model import ReportTable, TableCell, TableColumn
from docscore.report.wording import level_of_tests, percent_text, shown_name

DOCUMENTS = "documents"
CHANCE_MARK = "†"  # of a difference beyond chance
_NONE = "–"
_SHADES = (0.0, 0.02, 0.05, 0.15)  # differences from which a cell has the next shade


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
    known = list(dict.fromkeys([DOCUMENTS, *(name for row in found.rows for name in row.counts)]))
    unknown = [name for name in columns if name not in known]
    if unknown:
        raise InputValueError(place="columns", expected=f"columns among {', '.join(known)}", got=repr(unknown[0]))
    sliced = bool(found.by)
    counted = [*([DOCUMENTS] if sliced and DOCUMENTS not in columns else []), *columns]
    heads = (
        *([TableColumn("value", shown_name(found.by), "code")] if sliced else []),
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
        *([TableColumn("value", shown_name(found.by), "code"), TableColumn(DOCUMENTS, DOCUMENTS)] if sliced else []),
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


class MatrixCell(NamedTuple):
    """The score of a system in a field or document.

    Attributes:
        score: the score, in [0, 1]; None where there is none.
        text: the score as text.
        difference: the score minus that of the base; None for the base, and where there is none.
        change: the difference as text with its sign; "" for none.
        shade: from -4 for a large loss against the base to 4 for a large gain; 0 for no difference.
        marked: whether the difference is beyond chance.
    """

    score: float | None
    text: str
    difference: float | None
    change: str
    shade: int
    marked: bool = False


class MatrixRow(NamedTuple):
    """A field or document with a cell for each system.

    Attributes:
        name: the path of the field, or the id of the document.
        cells: one for each system.
    """

    name: str
    cells: tuple[MatrixCell, ...]

    @property
    def worst(self) -> float:
        """The largest loss of a system against the base, as a negative number; the smallest gain if none lost."""
        return min((cell.difference for cell in self.cells if cell.difference is not None), default=0.0)

    @property
    def changed(self) -> bool:
        """Whether any system differs from the base."""
        return any(cell.shade or cell.text == _NONE for cell in self.cells)


def field_matrix(evaluations: Mapping[str, Evaluation], changes: Sequence[SystemChange]) -> list[MatrixRow]:
    """The fields, largest loss against the base first; marked where the q-value of the field is below the level.

    Args:
        evaluations: of each system by its name.
        changes: how all but one of them differ from that one, the base.
    """
    marked = {
        (change.system, field.name)
        for change in changes
        for field in change.comparison.fields
        if field.q_value is not None and field.q_value < level_of_tests(change.comparison.confidence)
    }
    return _matrix(field_scores_by_system(evaluations), evaluations, changes, marked)


def document_matrix(evaluations: Mapping[str, Evaluation], changes: Sequence[SystemChange]) -> list[MatrixRow]:
    """The documents, largest loss against the base first; arguments as for `field_matrix`."""
    return _matrix(document_scores_by_system(evaluations), evaluations, changes, set())


def _matrix(
    scores: Mapping[str, Sequence[float | None]],
    evaluations: Mapping[str, Evaluation],
    changes: Sequence[SystemChange],
    marked: set[tuple[str, str]],
) -> list[MatrixRow]:
    """A row for each name, with the scores of all systems; marked are pairs of a system and a name."""
    others = {change.system for change in changes}
    base = next(index for index, system in enumerate(evaluations) if system not in others)
    rows = [
        MatrixRow(
            name,
            tuple(
                _cell(score, None if index == base else of_systems[base], marked=(system, name) in marked)
                for index, (system, score) in enumerate(zip(evaluations, of_systems, strict=True))
            ),
        )
        for name, of_systems in scores.items()
    ]
    return sorted(rows, key=lambda row: row.worst)


def matrix_table(
    caption: str,
    name: str,
    rows: Sequence[MatrixRow],
    evaluations: Mapping[str, Evaluation],
    *,
    remarks: Sequence[str] = (),
) -> ReportTable:
    """The rows as a table with a column for each system, the best score of each row marked.

    Args:
        caption: the heading of the table.
        name: what a row is, such as "field".
        rows: the fields or documents.
        evaluations: of each system by its name, in the order of the cells.
        remarks: sentences below the table.
    """
    columns = TableColumn(name, name, "code"), *(TableColumn(each, shown_name(each)) for each in evaluations)
    cells = tuple((TableCell(row.name, shown_name(row.name)), *_table_cells(row)) for row in rows)
    signatures = tuple(sorted({each.scores.signature for each in evaluations.values()}))
    return ReportTable(caption, columns, cells, unit=f"{name}s", signatures=signatures, remarks=tuple(remarks))


def mark_remark(base: str, changes: Sequence[SystemChange]) -> str:
    """What the mark of fields means, as a sentence."""
    level = percent_text(level_of_tests(changes[0].comparison.confidence))
    return (
        f"{CHANCE_MARK} differs from {shown_name(base)} beyond chance: paired permutation test, false discoveries "
        f"among the fields of a system held at {level}."
    )


def _table_cells(row: MatrixRow) -> list[TableCell]:
    top = max((cell.score for cell in row.cells if cell.score is not None), default=0.0)
    return [
        TableCell(
            cell.score,
            cell.text,
            best=cell.score is not None and cell.score >= top - ROUNDING,
            suffix=CHANCE_MARK if cell.marked else "",
        )
        for cell in row.cells
    ]


def _cell(score: float | None, base: float | None, *, marked: bool) -> MatrixCell:
    if score is None or base is None:
        return MatrixCell(score, _NONE if score is None else three_digits(score), None, "", 0, marked)
    difference = score - base if abs(score - base) > ROUNDING else 0.0
    shade = sum(abs(difference) > least for least in _SHADES)
    change = with_minus_signs(with_sign(difference, 3)) if shade else ""
    return MatrixCell(score, three_digits(score), difference, change, shade if difference > 0 else -shade, marked)


_LEVEL = 0.05  # of the false discovery rate at which a run is marked as worse than the best
GRID_NOTE = (
    f"{CHANCE_MARK} lower than the best of its data set, beyond chance (paired permutation tests, "
    "false discovery rate 0.05)."
)


def table_of_scores(cells: Sequence[GridCell]) -> ReportTable:
    """A row a data set and method, a column a model: the mean, its interval, and a mark as `GRID_NOTE` says."""
    models = list(dict.fromkeys(cell.run.model for cell in cells))
    lines = dict.fromkeys((cell.run.data_set, cell.run.method) for cell in cells)
    found = {(cell.run.data_set, cell.run.method, cell.run.model): _score(cell) for cell in cells}
    nothing = TableCell(None, "")
    rows = tuple(
        (
            *(TableCell(name, shown_name(name)) for name in line),
            *(found.get((*line, model), nothing) for model in models),
        )
        for line in lines
    )
    columns = (
        TableColumn("data_set", "data set", "text"),
        TableColumn("method", "method", "text"),
        *(TableColumn(model, shown_name(model)) for model in models),
    )
    signatures = tuple(sorted({cell.summary.scores.signature for cell in cells}))
    remarks = (GRID_NOTE,) if any(cell.q_value is not None for cell in cells) else ()
    return ReportTable("ANLS* by data set, method and model", columns, rows, signatures=signatures, remarks=remarks)


def table_of_costs(cells: Sequence[GridCell]) -> ReportTable:
    """A row a run: its documents, failed calls, tokens in and out, dollars and seconds, as far as its log says."""
    return table_of(
        "What the runs cost",
        [cell.run for cell in cells],
        *(
            text_column(name, name.replace("_", " "), attrgetter(name), "text")
            for name in ("data_set", "method", "model")
        ),
        *(number_column(name, head, "{:,}".format, none="") for name, head in _COUNTS.items()),
        number_column("cost", "$", "{:.4f}".format, none=""),
        number_column("seconds", "s", "{:.0f}".format, none=""),
        unit="runs",
    )


_COUNTS = {"documents": "docs", "errors": "failed", "input_tokens": "in", "output_tokens": "out"}


def _score(cell: GridCell) -> TableCell:
    """The mean with its interval and mark."""
    interval = cell.summary.interval
    ends = "" if interval is None or interval.ends is None else " [{:.3f}, {:.3f}]".format(*interval.ends)
    mean = cell.summary.scores.mean
    mark = CHANCE_MARK if cell.q_value is not None and cell.q_value < _LEVEL else ""
    return TableCell(mean, three_digits(mean), best=cell.is_best, suffix=f"{ends}{mark}")
