"""Render results for the page: HTML fragments from templates, and rows of tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from docscore.core.formatting import clipped
from docscore.report.html_templates import macro_as_html
from docscore.report.table_model import ReportTable, TableCell, TableColumn

_TEMPLATES = Path(__file__).with_name("templates")
_LONGEST_NAME = 120  # characters of the name of a field
_DIGITS = 4


def fragment(macro: str, *arguments: Any, template: str = "fragments.html.jinja") -> str:
    """Render a macro of one of the page's templates as HTML."""
    return macro_as_html(template, macro, *arguments, folders=(_TEMPLATES,))


def frame_headers(columns: Iterable[TableColumn]) -> list[str]:
    """The headings of a sortable table; an interval has two columns."""
    shown = (column for column in columns if not column.extra)
    return [head for column in shown for head in (("from", "to") if column.kind == "interval" else (column.head,))]


def frame_rows(table: ReportTable, *, digits: int = _DIGITS, names: Mapping[str, str] | None = None) -> list[list[Any]]:
    """The rows of a sortable table: rounded numbers, None where there is no value.

    Args:
        table: the table.
        digits: to how many digits numbers are rounded.
        names: the displayed names of the values of the first column; by default their text, shortened.
    """
    shown = table.shown()
    rows = []
    for first, *others in shown.rows:
        name = clipped(first.text, _LONGEST_NAME) if names is None else names[first.value]
        numbers = (
            number for column, cell in zip(shown.columns[1:], others, strict=True) for number in _numbers(column, cell)
        )
        rows.append([name, *(number if number is None else round(number, digits) for number in numbers)])
    return rows


def _numbers(column: TableColumn, cell: TableCell) -> tuple[float | None, ...]:
    if column.kind == "interval":
        return cell.value or (None, None)
    return (cell.value,)
