"""Rows as people hold them: a file, a list, a dict by id, or a table of pandas, polars, Arrow or `datasets`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from docscore.core.errors import InputTypeError, InputValueError, in_file
from docscore.data.faults import FAULTY, Faults
from docscore.data.files import CELL_EXTENSIONS, Table, read_table, suffix_of
from docscore.data.json_codec import JsonError, loads
from docscore.data.rows import BY_ID, ID, as_rows

SourceSide = Literal["predictions", "references"]


class ColumnNames(NamedTuple):
    """The columns or keys of rows that do not have the names of the row formats; None where they do.

    Attributes:
        id: the column of the ids, instead of "question_id".
        prediction: the column of the predictions, instead of "prediction".
        references: the column of the ground truths, instead of "references". A list in it holds acceptable answers;
            anything else is the one acceptable answer.
        json_references: whether ground truths are JSON text: text in a column of another name is then one answer, even
            if it is that of a list; and in "references" of CSV and Parquet, what is no list is one answer.
    """

    id: str | None = None
    prediction: str | None = None
    references: str | None = None
    json_references: bool = False

    def of_side(self, side: SourceSide, *, both: bool) -> dict[str, tuple[str, str]]:
        """The option and the given name of each column that a side has, by its name in the row format.

        Args:
            side: predictions or references.
            both: whether the rows of the side hold predictions and references.
        """
        wanted = {ID: ("id_column", self.id)}
        if both or side == "predictions":
            wanted[str(BY_ID.prediction)] = "prediction_column", self.prediction
        if both or side == "references":
            wanted[str(BY_ID.references)] = "references_column", self.references
        return {name: (option, given) for name, (option, given) in wanted.items() if given is not None}


SAME_NAMES = ColumnNames()


def table_of_source(
    source: Any, side: SourceSide, names: ColumnNames, faults: Faults | None = None, *, both: bool = False
) -> Table:
    """The rows of a side, whatever holds them.

    Args:
        source: a path; rows as `pairs_of` takes them; a dict of values by id; a pandas or polars data frame, an Arrow
            table, or a `datasets.Dataset`.
        side: predictions or references; it names the place of rows in messages where there is no file.
        names: the columns that have other names.
        faults: collects faults of single rows of files; without it they raise an error.
        both: whether the rows hold predictions and references. Rows of a data frame without ids are then numbered.

    Raises:
        TypeError: for anything else.
        ValueError: as `read_table`, and for a column that does not exist.
        OSError: if a file cannot be read.
    """
    if isinstance(source, str | os.PathLike):
        return with_names(read_table(Path(source), faults), side, names, both=both)
    if isinstance(source, Mapping):
        return _in_memory(_rows_by_id(source, side), side)
    rows = _rows_of_frame(source, names.id or ID)
    if rows is None:
        return with_names(_in_memory(as_rows(source, side), side), side, names, both=both)
    if both and rows and ID not in rows[0] and names.id is None:
        rows = [{ID: str(number), **row} for number, row in enumerate(rows)]
    return with_names(_in_memory(rows, side)._replace(is_frame=True), side, names, both=both)


def _in_memory(rows: list[Any], side: SourceSide) -> Table:
    return Table(Path(side), rows, lambda index: f"{side}[{index}]")


def _rows_by_id(values: Mapping[Any, Any], side: SourceSide) -> list[dict[str, Any]]:
    """The rows of a dict id -> value; a tuple in the ground truths holds acceptable answers."""
    splits = [name for name, value in values.items() if hasattr(value, "column_names")]
    if splits:
        got = f"several ({', '.join(map(str, splits))})"
        raise InputTypeError(place=side, expected="one split of a dataset", got=got)
    if side == "predictions":
        return [{ID: name, "prediction": value} for name, value in values.items()]
    return [{ID: name, "references": value if isinstance(value, tuple) else (value,)} for name, value in values.items()]


def _rows_of_frame(source: Any, id_column: str) -> list[dict[str, Any]] | None:
    """The rows of a data frame, an Arrow table or a dataset as dicts; None for anything else.

    The libraries are not imported: what is one of their tables is told by its methods.
    """
    found: list[dict[str, Any]]
    if hasattr(source, "iloc") and hasattr(source, "columns"):  # pandas
        if id_column in source.index.names:
            source = source.reset_index(level=id_column)
        # pandas has NaN for what is missing
        found = source.astype(object).where(source.notna(), None).to_dict("records")
    elif hasattr(source, "to_dicts"):  # polars
        found = source.to_dicts()
    elif hasattr(source, "to_pylist") and hasattr(source, "column_names"):  # Arrow
        found = source.to_pylist()
    elif hasattr(source, "column_names"):  # datasets
        found = [dict(row) for row in source]
    else:
        return None
    return found


def with_names(table: Table, side: SourceSide, names: ColumnNames, *, both: bool) -> Table:
    """Put the columns of a table under the names of the row format; the columns that they come from stay.

    Args:
        table: the rows.
        side: predictions or references.
        names: the columns that have other names.
        both: whether the rows hold predictions and references.

    Raises:
        ValueError: for a column that does not exist.
    """
    wanted = names.of_side(side, both=both)
    first = table.first()
    if first is None:
        return table
    known = first if isinstance(first, dict) else {}
    for option, given in wanted.values():
        if given not in known:
            got = ", ".join(map(repr, known)) or type(first).__name__
            raise InputValueError(place=in_file(table.path), expected=f"a column {given!r} ({option})", got=got)
    of_cells = suffix_of(table.path) in CELL_EXTENSIONS
    if not wanted and not of_cells:
        return table
    renamed = partial(_renamed, wanted=wanted, of_cells=of_cells, is_json=names.json_references)
    return table._replace(rows=list(map(renamed, table.rows)))


def _renamed(row: Any, wanted: Mapping[str, tuple[str, str]], *, of_cells: bool, is_json: bool) -> Any:
    if row is FAULTY or not isinstance(row, dict):
        return row
    found = {name: row[given] for name, (_, given) in wanted.items() if given in row}
    key = str(BY_ID.references)
    if key in found:
        found[key] = _answers(found[key], of_cells=of_cells and not is_json)
    elif of_cells and key in row and (is_json or _is_list_text(row[key])):
        found[key] = _answers(row[key], of_cells=True)
    return {**row, **found}


def _answers(value: Any, *, of_cells: bool) -> Any:
    """A list of acceptable answers; in a cell of a table such a list may be JSON text."""
    if of_cells and _is_list_text(value):
        try:
            value = loads(value, unique_keys=True)
        except JsonError:
            return [value]
    return value if isinstance(value, list | tuple) or hasattr(value, "tolist") else [value]


def _is_list_text(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("[")
