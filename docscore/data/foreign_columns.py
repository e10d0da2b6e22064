"""Rows by id whose columns have other names: an error that names the options, in place of a score of nonsense."""

from __future__ import annotations

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
_MOST_SHARED = 2  # names on both sides: those of the columns of ids


def check_id_column(table: Table, form: RowFormat) -> None:
    """Raise `ValueError` for a CSV or Parquet table without ids: CSV may have been split at the wrong character."""
    if form is PLAIN and suffix_of(table.path) in (".csv", ".tsv", ".parquet"):
        columns: dict[str, Any] = table.first() or {}
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
    firsts = [table.first() for table, *_ in tables]
    if not all(isinstance(row, dict) and row for row in firsts):
        return
    for (table, *names), own, others in zip(tables, firsts, reversed(firsts), strict=True):
        if any(name in own and name not in others for name in names) and _have_same_keys(references, predictions):
            raise InputValueError(
                place=in_file(table.path), expected=_EXPECTED, got=described(own), remedy=COLUMN_OPTIONS
            )
    if len(firsts[0].keys() & firsts[1].keys()) > _MOST_SHARED or not _have_same_keys(references, predictions):
        return
    ids = _columns_of_ids(_unique_columns(references), _unique_columns(predictions), *firsts)
    if ids is not None:
        first, second = firsts
        places = FilePlace((str(references.path), str(predictions.path)))
        got = f"{described(first)} and {described(second)}, where {ids[0]!r} and {ids[1]!r} hold the same ids"
        raise InputValueError(place=places, expected=_EXPECTED, got=got, remedy=COLUMN_OPTIONS)


def check_value_column(table: Table, side: Literal["prediction", "references"]) -> None:
    """Raise `ValueError` if the first row has an id and no key of any row format: its column has another name."""
    row = table.first()
    if not isinstance(row, dict) or not VALUE_KEYS.isdisjoint(row):
        return
    try:
        side_format(row, side)
    except InputValueError as error:
        found = replace(error.diagnostic, parts=(in_file(table.path),), remedy=COLUMN_OPTIONS)
        raise InputValueError(found) from None


def _have_same_keys(*tables: Table) -> bool:
    """Whether all rows of each table are objects with the keys of its first."""
    for table in tables:
        keys = table.first().keys()
        if not all(isinstance(row, dict) and row.keys() == keys for _, row in table.good()):
            return False
    return True


def _unique_columns(table: Table) -> dict[str, frozenset[str]]:
    """The columns of which all values are texts or whole numbers, and none occurs twice, as sets of texts."""
    found: dict[str, set[str]] = {name: set() for name in table.first()}
    count = 0
    for _, row in table.good():
        count += 1
        for name in list(found):
            if type(row[name]) in (str, int):
                found[name].add(str(row[name]))
            if len(found[name]) < count:
                del found[name]
    return {name: frozenset(values) for name, values in found.items() if count >= _FEWEST}


def _columns_of_ids(
    first: dict[str, frozenset[str]], second: dict[str, frozenset[str]], *rows: dict[str, Any]
) -> tuple[str, str] | None:
    """The names of a column of each side with the same unique values, if no other name is on both sides."""
    by_ids = {ids: name for name, ids in second.items()}
    for name, ids in first.items():
        other = by_ids.get(ids)
        if other is not None:
            rest, rest_of_second = rows[0].keys() - {name}, rows[1].keys() - {other}
            return (name, other) if rest and rest_of_second and rest.isdisjoint(rest_of_second) else None
    return None
