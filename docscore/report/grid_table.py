"""Runs of a benchmark as tables: scores by data set, method and model, and what the runs cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from docscore.core.formatting import printable, three_digits
from docscore.corpus.grid import GridCell
from docscore.report.tables import markdown_escaped

_LEVEL = 0.05  # of the false discovery rate at which a run is marked as worse than the best
GRID_NOTE = (
    "* best of its data set; - lower than the best, beyond chance (paired permutation tests, false discovery rate 0.05)"
)


class GridTable(NamedTuple):
    """A table of texts.

    Attributes:
        heads: the columns.
        rows: their cells.
        texts: how many of the first columns are texts; the others are numbers.
    """

    heads: list[str]
    rows: list[list[str]]
    texts: int


def table_of_scores(cells: Sequence[GridCell], *, markdown: bool = False) -> GridTable:
    """A row a data set and method, a column a model: the mean, its interval, and a mark as `GRID_NOTE` says."""
    models = list(dict.fromkeys(cell.run.model for cell in cells))
    lines = dict.fromkeys((cell.run.data_set, cell.run.method) for cell in cells)
    found = {(cell.run.data_set, cell.run.method, cell.run.model): _score(cell, markdown=markdown) for cell in cells}
    rows = [[*line, *(found.get((*line, model), "") for model in models)] for line in lines]
    return GridTable(["data set", "method", *models], rows, 2)


def table_of_costs(cells: Sequence[GridCell]) -> GridTable:
    """A row a run: its documents, failed calls, tokens in and out, dollars and seconds, as far as its log says."""
    heads = ["data set", "method", "model", "docs", "failed", "in", "out", "$", "s"]
    rows = []
    for run in (cell.run for cell in cells):
        numbers = [run.documents, run.errors, run.input_tokens, run.output_tokens]
        counts = ["" if number is None else f"{number:,}" for number in numbers]
        cost = "" if run.cost is None else f"{run.cost:.4f}"
        rows.append(
            [run.data_set, run.method, run.model, *counts, cost, "" if run.seconds is None else f"{run.seconds:.0f}"]
        )
    return GridTable(heads, rows, 3)


def print_grid(console: Console, cells: Sequence[GridCell]) -> None:
    """Print both tables, what the marks mean, and the signatures."""
    for found in (table_of_scores(cells), table_of_costs(cells)):
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="")
        for column, head in enumerate(found.heads):
            table.add_column(printable(head), justify="left" if column < found.texts else "right", overflow="fold")
        for row in found.rows:
            table.add_row(*map(printable, row))
        console.print(table)
        console.print()
    for line in (GRID_NOTE, *_signatures(cells)):
        console.print(line, soft_wrap=True)


def grid_as_markdown(cells: Sequence[GridCell]) -> str:
    """Both tables, what the marks mean, and the signatures, as Markdown."""
    parts = [_as_markdown(found) for found in (table_of_scores(cells, markdown=True), table_of_costs(cells))]
    return "\n\n".join(
        [*parts, GRID_NOTE.replace("*", "bold:", 1), *(f"`{signature}`" for signature in _signatures(cells))]
    )


def _score(cell: GridCell, *, markdown: bool) -> str:
    """The mean with its interval and mark."""
    interval = cell.summary.interval
    ends = "" if interval is None or interval.ends is None else " [{:.3f}, {:.3f}]".format(*interval.ends)
    mean = three_digits(cell.summary.scores.mean)
    if markdown and cell.is_best:
        return f"**{mean}**{ends}"
    mark = "*" if cell.is_best else "-" if cell.q_value is not None and cell.q_value < _LEVEL else ""
    return f"{mean}{ends}{f' {mark}' if mark else '' if markdown else '  '}"


def _signatures(cells: Sequence[GridCell]) -> list[str]:
    return sorted({str(cell.summary.scores.signature) for cell in cells})


def _as_markdown(found: GridTable) -> str:
    lines = ["| " + " | ".join(map(markdown_escaped, found.heads)) + " |"]
    lines.append("|" + "---|" * found.texts + "---:|" * (len(found.heads) - found.texts))
    for row in found.rows:  # numbers hold nothing that Markdown would read
        cells = [markdown_escaped(cell) if column < found.texts else cell for column, cell in enumerate(row)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
