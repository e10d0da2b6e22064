"""Rows by id whose columns have other names: an error that names the options, in place of a score of nonsense."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

from docscore.core.errors import FilePlace, InputValueError, in_file
from docscore.data.files import Table, suffix_of
from docscore.data.rows import ANLS, BY_ID, ID, PLAIN, VALUE_KEYS, RowFormat, described, side_format

COLUMN_OPTIONS = (
    "--id-column, --prediction-column and --references-column (id_column= and so on in Python) name other columns"
)
_EXPECTED = "rows with 'question_id', and 'references' or 'prediction'"
_FEWEST = 2  # rows; the values of a single one say nothing


def check_id_column(table: Table, form: RowFormat) -> None:
    """Raise `ValueError` for a CSV or Parquet table without ids: CSV may have been split at the wrong character."""
    if form is PLAIN and suffix_of(table.path) in (".csv", ".tsv", ".parquet"):
        columns: dict[str, Any] = next(iter(table.good().values()), {})
        got = ", ".join(map(repr, columns))
        remedy = "--id-column names another, --delimiter the sign between the columns of CSV"
        raise InputValueError(place=in_file(table.path), expected=f"a column {ID!r}", got=got, remedy=remedy)


def check_not_by_id(references: Table, predictions: Table) -> None:
    """Raise `ValueError` for plain rows that can only be rows by id whose columns have other names.

    They may also be the documents themselves, so that these must speak against it: a column is called as in the row
    formats and is on its own side alone, or a column of each side holds the same unique values, in any order, and no
    other column is on both sides, so that no other field of a document could be right.
    """
    tables = (references, ANLS.references, BY_ID.references), (predictions, ANLS.prediction, BY_ID.prediction)
    columns = [_columns(table.good().values()) for table, *_ in tables]
    if not all(columns):
        return
    for (table, *names), own, others in zip(tables, columns, reversed(columns), strict=True):
        if any(name in own and name not in others for name in names):
            row = next(iter(table.good().values()))
            raise InputValueError(
                place=in_file(table.path), expected=_EXPECTED, got=described(row), remedy=COLUMN_OPTIONS
            )
    ids = _columns_of_ids(*columns)
    if ids is not None:
        first, second = (next(iter(table.good().values())) for table in (references, predictions))
        places = FilePlace((str(references.path), str(predictions.path)))
        got = f"{described(first)} and {described(second)}, where {ids[0]!r} and {ids[1]!r} hold the same ids"
        raise InputValueError(place=places, expected=_EXPECTED, got=got, remedy=COLUMN_OPTIONS)


def check_value_column(table: Table, side: Literal["prediction", "references"]) -> None:
    """Raise `ValueError` if the first row has an id and no key of any row format: its column has another name."""
    row = next(iter(table.good().values()), None)
    if not isinstance(row, dict) or not VALUE_KEYS.isdisjoint(row):
        return
    try:
        side_format(row, side)
    except InputValueError as error:
        found = replace(error.diagnostic, parts=(in_file(table.path),), remedy=COLUMN_OPTIONS)
        raise InputValueError(found) from None


def _columns(of_rows: Iterable[Any]) -> dict[str, list[Any]]:
    """The values of each key, if all rows are objects with the same keys; otherwise none."""
    rows = list(of_rows)
    if not rows or not all(isinstance(row, dict) and row.keys() == rows[0].keys() for row in rows):
        return {}
    return {name: [row[name] for row in rows] for name in rows[0]}


def _columns_of_ids(first: dict[str, list[Any]], second: dict[str, list[Any]]) -> tuple[str, str] | None:
    """The names of a column of each side with the same unique values, if no other name is on both sides."""
    ids_of_second = {ids: name for name, values in second.items() if (ids := _unique(values))}
    for name, values in first.items():
        other = ids_of_second.get(_unique(values))
        if other is not None:
            rest, rest_of_second = first.keys() - {name}, second.keys() - {other}
            return (name, other) if rest and rest_of_second and rest.isdisjoint(rest_of_second) else None
    return None


def _unique(values: list[Any]) -> frozenset[str]:
    """The values if all are text or whole numbers and none occurs twice; otherwise none."""
    if len(values) < _FEWEST or not all(type(value) in (str, int) for value in values):
        return frozenset()
    found = frozenset(map(str, values))
    return found if len(found) == len(values) else frozenset()
