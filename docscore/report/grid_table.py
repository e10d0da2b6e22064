"""The runs of a benchmark as tables, as the paper prints them: data sets and methods by models, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence

from docscore.core.formatting import three_digits
from docscore.corpus.systems import GridCell, LoggedRun
from docscore.report.table_model import ReportTable, TableCell, TableColumn
from docscore.report.wording import shown_name

_LEVEL = 0.05  # of the false discovery rate at which a run is marked as worse than the best
_MARK = "†"
GRID_NOTE = (
    f"{_MARK} lower than the best of its data set, beyond chance (paired permutation tests, false discovery rate 0.05)."
)


def table_of_scores(cells: Sequence[GridCell]) -> ReportTable:
    """A row a data set and method, a column a model: the mean, its interval, and a mark as `GRID_NOTE` says."""
    models = list(dict.fromkeys(cell.run.model for cell in cells))
    lines = dict.fromkeys((cell.run.data_set, cell.run.method) for cell in cells)
    found = {(cell.run.data_set, cell.run.method, cell.run.model): _score(cell) for cell in cells}
    nothing = TableCell(None, "")
    rows = tuple((*map(_text, line), *(found.get((*line, model), nothing) for model in models)) for line in lines)
    columns = (*_text_columns("data set", "method"), *(TableColumn(model, shown_name(model)) for model in models))
    signatures = tuple(sorted({str(cell.summary.scores.signature) for cell in cells}))
    remarks = (GRID_NOTE,) if any(cell.q_value is not None for cell in cells) else ()
    return ReportTable("ANLS* by data set, method and model", columns, rows, signatures=signatures, remarks=remarks)


def table_of_costs(cells: Sequence[GridCell]) -> ReportTable:
    """A row a run: its documents, failed calls, tokens in and out, dollars and seconds, as far as its log says."""
    columns = (
        *_text_columns("data set", "method", "model"),
        TableColumn("documents", "docs"),
        TableColumn("errors", "failed"),
        TableColumn("input_tokens", "in"),
        TableColumn("output_tokens", "out"),
        TableColumn("cost", "$"),
        TableColumn("seconds", "s"),
    )
    return ReportTable("What the runs cost", columns, tuple(_costs(cell.run) for cell in cells), unit="runs")


def _text_columns(*names: str) -> tuple[TableColumn, ...]:
    return tuple(TableColumn(name.replace(" ", "_"), name, "text") for name in names)


def _text(text: str) -> TableCell:
    return TableCell(text, shown_name(text))


def _costs(run: LoggedRun) -> tuple[TableCell, ...]:
    numbers = run.documents, run.errors, run.input_tokens, run.output_tokens
    return (
        *map(_text, (run.data_set, run.method, run.model)),
        *(TableCell(number, "" if number is None else f"{number:,}") for number in numbers),
        TableCell(run.cost, "" if run.cost is None else f"{run.cost:.4f}"),
        TableCell(run.seconds, "" if run.seconds is None else f"{run.seconds:.0f}"),
    )


def _score(cell: GridCell) -> TableCell:
    """The mean with its interval and mark."""
    interval = cell.summary.interval
    ends = "" if interval is None or interval.ends is None else " [{:.3f}, {:.3f}]".format(*interval.ends)
    mean = cell.summary.scores.mean
    mark = _MARK if cell.q_value is not None and cell.q_value < _LEVEL else ""
    return TableCell(mean, three_digits(mean), best=cell.is_best, suffix=f"{ends}{mark}")
