"""Rows from records: columns of other names, fields in columns, answers in cells; one way in for a side."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import Faults, InputValueError, PlacePart, closer, in_file, some_of
from docscore.core.runtime import Progress, no_progress, warn
from docscore.data.formats import read_folder, read_table, rows_of_frame
from docscore.data.json_text import JsonError, loads
from docscore.data.rows import (
    BY_ID,
    COSTS,
    ID,
    PREDICTION,
    REFERENCES,
    Absent,
    ColumnAlias,
    NoCell,
    Side,
    Source,
    cells_of,
    described,
    known_columns,
    rows_by_id,
    table_in_memory,
    warn_of_filled_keys,
)


class ColumnNames(NamedTuple):
    """The columns or keys of rows whose names differ from those of the row formats; None where they do not.

    Each may be a path into the rows, as `docscore.data.rows.cells_of` follows it.

    Attributes:
        id: the column of the ids, instead of "question_id".
        prediction: the column of the predictions, instead of "prediction".
        references: the column of the ground truths, instead of "references". A list in it holds acceptable answers;
            anything else is the one acceptable answer.
        json_references: whether ground truths are JSON text. In a column of another name, such a text is one answer,
            even if it is the JSON of a list. In "references", a text is one answer unless it is the JSON of a list.
        references_id: the column of the ids in the references, if the predictions have another one.
        predictions_id: the column of the ids in the predictions, if the references have another one.
        cost: the column with the cost of each prediction, instead of "cost".
        seconds: the column with the seconds each prediction took, instead of "seconds".
        tokens: the column with the number of tokens of each prediction, instead of "tokens".
        by_value: whether numbers are compared by value, so that whole floats are whole numbers.
        fields_in_columns: if each column of a table is a field of the documents, the columns that are none, such as
            those of slices; None if documents are in one column.
    """

    id: str | None = None
    prediction: str | None = None
    references: str | None = None
    json_references: bool = False
    references_id: str | None = None
    predictions_id: str | None = None
    cost: str | None = None
    seconds: str | None = None
    tokens: str | None = None
    by_value: bool = False
    fields_in_columns: tuple[str, ...] | None = None

    def of_side(self, side: Side, *, both: bool) -> dict[str, tuple[str, str]]:
        """Return the option and the given name of each renamed column of a side, by its name in the row format.

        Args:
            side: predictions or references.
            both: whether the rows of the side hold predictions and references.

        Raises:
            ValueError: for a column of ids of the references where rows hold both sides.
        """
        if both and self.references_id is not None:
            raise InputValueError(
                place="references_id_column",
                expected="a side of references, whose ids it names",
                got="rows that hold both sides",
            )
        own = self.references_id if side == "references" else self.predictions_id
        options = {ID: ("id_column", self.id) if own is None else (f"{side}_id_column", own)}
        if both or side == "predictions":
            options[PREDICTION] = "prediction_column", self.prediction
            options |= {name: (f"{name}_column", getattr(self, name)) for name in COSTS}
        if both or side == "references":
            options[REFERENCES] = "references_column", self.references
        return {name: (option, given) for name, (option, given) in options.items() if given is not None}

    def check_both(self, place: PlacePart) -> None:
        """Raise `ValueError` if the predictions and the ground truths of one table are the same columns."""
        column = self.prediction or PREDICTION
        if column == (self.references or REFERENCES) or self.fields_in_columns is not None:
            raise InputValueError(place=place, problem="the same columns are given for both sides")


SAME_NAMES = ColumnNames()


def table_of_source(
    source: Any,
    side: Side,
    names: ColumnNames,
    faults: Faults | None = None,
    *,
    both: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    repair: bool = False,
    progress: Progress = no_progress,
) -> Source:
    """Read the rows of a side from any source.

    Args:
        source: the path of a file, or of a folder with one file per document, `ID.json` or `ID.txt`; rows as `pairs_of`
            takes them; a dict of values by id; a pandas or polars data frame, an Arrow table, or a `datasets.Dataset`;
            a `Source`.
        side: predictions or references; the place in messages if there is no file.
        names: the columns that have other names.
        faults: collects faults of single rows of files; None to raise an error for them.
        both: whether the rows hold predictions and references. Rows of a data frame without ids are then numbered.
        delimiter: as for `read_table`.
        encoding: as for `read_table`.
        repair: whether files of a folder that are not JSON are text, which will be repaired.
        progress: as for `read_table`.

    Raises:
        TypeError: for anything else.
        ValueError: as for `read_table`, and for a column that does not exist.
        OSError: if a file cannot be read.
    """
    renamed = {} if names == SAME_NAMES else names.of_side(side, both=both)
    if isinstance(source, Mapping):
        return table_in_memory(rows_by_id(source, side, side), side)
    if isinstance(source, Source):
        table = source
    elif isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_dir():
            in_columns = str(getattr(BY_ID, side)) in renamed
            table = read_folder(path, side, faults or Faults(), encoding, in_columns=in_columns, repair=repair)
        else:
            table = read_table(path, faults, None, delimiter, progress, side, encoding)
    else:
        id_column = renamed[ID][1] if ID in renamed else ID
        rows = None if isinstance(source, list) else rows_of_frame(source, side, id_column)
        if rows is None and names == SAME_NAMES:
            return table_in_memory(source, side)
        if rows and both and ID not in rows[0] and ID not in renamed:
            rows = [{ID: str(number), **row} for number, row in enumerate(rows)]
        is_plain = rows is None or type(getattr(source, "index", None)).__name__ in ("NoneType", "RangeIndex")
        table = table_in_memory(source if rows is None else rows, side)._replace(
            has_columns=rows is not None, remedy="" if is_plain else _INDEX_REMEDY
        )
    return with_names(table, side, names, both=both)


_INDEX_REMEDY = "if the ids are in the index of the data frame, make it a column with reset_index()"


def with_names(table: Source, side: Side, names: ColumnNames, *, both: bool) -> Source:
    """Copy the columns of a table to the names of the row format.

    Args:
        table: the rows.
        side: predictions or references.
        names: the columns that have other names.
        both: whether the rows hold predictions and references.

    Raises:
        ValueError: for a column that does not exist, and one that is given for both sides.
    """
    if both and names.fields_in_columns is None:
        names.check_both(in_file(table.path))
    renamed = names.of_side(side, both=both)
    if table.first() is None or not (renamed or table.has_columns or names.json_references):
        return table
    rows = [dict(row) if isinstance(row, dict) else row for row in table.rows]
    for name, (option, given) in renamed.items():
        if name in COSTS and ID not in renamed and not (isinstance(rows[0], dict) and ID in rows[0]):
            raise InputValueError(
                place=in_file(table.path),
                expected=f"rows with {ID!r} beside the column of {option}",
                got=described(table.first()),
            )
        _copy_column(rows, name, given, _column(table, names, option, given))
    if table.has_columns:
        values = (PREDICTION, REFERENCES) if both else (str(getattr(BY_ID, side)),)
        columns = [renamed[name][1] if name in renamed else name for name in values]
        if names.fields_in_columns is not None and values[0] not in {*table.first(), *renamed}:
            no_fields = {ID, *names.fields_in_columns, *(given for _, given in renamed.values())}
            columns = [name for name in table.first() if name not in no_fields]
            _put_together(columns, table, rows, side)
        _warn_of_gaps(table, columns, by_value=names.by_value)
    if both or side == "references":
        _read_answers(rows, names, table, renamed)
    runs = table.runs and {name: with_names(run, side, names, both=both) for name, run in table.runs.items()}
    return table._replace(rows=rows, runs=runs)


def _copy_column(rows: Sequence[Any], name: str, given: str, cells: Sequence[Any]) -> None:
    """Put cells into rows under a name of the row format, in place of a column that happens to have it."""
    key = ColumnAlias(name)
    key.given = given
    for row, cell in zip(rows, cells, strict=True):
        if isinstance(row, dict):
            row[key] = NoCell if cell is Absent and name != PREDICTION else cell


def _read_answers(rows: Sequence[Any], names: ColumnNames, table: Source, renamed: Mapping[str, Any]) -> None:
    """Make the ground truths of rows lists of acceptable answers."""
    for row in rows:
        if isinstance(row, dict) and row.get(REFERENCES, NoCell) is not NoCell:
            value, is_json = row[REFERENCES], names.json_references
            if REFERENCES in renamed:
                row[REFERENCES] = _answers(value, in_cell=table.has_columns and not is_json)
            elif (is_json and isinstance(value, str)) or (table.has_columns and (is_json or _is_list_text(value))):
                row[REFERENCES] = _answers(value, in_cell=True)


def _put_together(columns: Sequence[str], table: Source, rows: Sequence[Any], side: Side) -> None:
    """Add the document of each row, whose fields are in columns."""
    key = ColumnAlias(getattr(BY_ID, side))
    for row, cells in zip(rows, table.rows, strict=True):
        if isinstance(row, dict):
            document = _document({name: cells[name] for name in columns}, in_file(table.path))
            row[key] = document if side == "predictions" else [document]


def _document(cells: Mapping[str, Any], place: PlacePart) -> Any:
    """Return the document of a row whose columns are its fields, with dotted paths as names.

    An empty cell is null. Numbers as steps make a list, without the elements whose cells are all empty.

    Raises:
        ValueError: if there are no columns, or the path of a column leads through another.
    """
    parts: dict[str, dict[str, Any]] = {}
    for name, cell in cells.items():
        step, _, rest = name.partition(".")
        parts.setdefault(step, {})[rest] = None if isinstance(cell, str) and not cell else cell
    if not parts or any("" in part and len(part) > 1 for part in parts.values()):
        raise InputValueError(
            place=place,
            expected="columns of fields, none of them a part of another",
            got=some_of(list(cells)) or "none",
        )
    values = {step: part[""] if "" in part else _document(part, place) for step, part in parts.items()}
    if not all(map(str.isdecimal, parts)):
        return values
    return [values[step] for step in sorted(parts, key=int) if any(cell is not None for cell in parts[step].values())]


def _warn_of_gaps(table: Source, columns: Iterable[str], *, by_value: bool) -> None:
    """Warn of columns in which a table stands between a value and what is compared.

    Tables of structs give a row all keys. Where some cells are empty, pandas makes floats of whole numbers; it can also
    write "NaN" in place of an empty cell.
    """
    for column in columns:
        cells, place = cells_of(table.rows, column), closer(in_file(table.path), f"column {column!r}")
        warn_of_filled_keys(cells, place)
        texts = [cell for cell in cells if isinstance(cell, str) and cell in _NAN]
        if 0 < len(texts) < len(cells) and not any(cell is None or (type(cell) is str and not cell) for cell in cells):
            warn(
                f"{place}: {len(texts):,} of {len(cells):,} cells are the text {texts[0]!r}, and none is empty; if "
                "they are missing values, leave them empty"
            )
        numbers = [cell for cell in cells if cell is not None]
        is_gap = not by_value and 0 < len(numbers) < len(cells)
        if is_gap and all(isinstance(cell, float) and cell.is_integer() for cell in numbers):
            warn(
                f"{place}: some cells are empty, and all others are whole "
                f"floats such as {numbers[0]!r}, which pandas makes of whole numbers then and which print otherwise; "
                'make it a column of whole numbers such as Int64, or add --numbers value (numbers="value")'
            )


_NAN = ("NaN", "nan")


def _column(table: Source, names: ColumnNames, option: str, given: str) -> list[Any]:
    """Return the cells of a column; raise `ValueError` with the option if no row has any."""
    cells = cells_of(table.rows, given)
    if all(cell is NoCell or cell is Absent for cell in cells):
        own = [f"{side}_id" for side in ("references", "predictions") if getattr(names, f"{side}_id") is None]
        flags, keywords = (
            " or ".join(pattern.format(name) for name in own) for pattern in ("--{}_column", "{}_column=")
        )
        remedy = f"to name the ids of one side only, use {flags.replace('_', '-')} (in Python {keywords})"
        raise InputValueError(
            place=in_file(table.path),
            expected=f"a column {given!r} ({option})",
            got=known_columns(table.first(), given),
            remedy="; ".join(filter(None, [table.remedy, remedy if option == "id_column" else ""])),
        )
    return cells


def _answers(value: Any, *, in_cell: bool) -> Any:
    """Return a list of acceptable answers; in a cell of a table the list may be JSON text."""
    if in_cell and _is_list_text(value):
        with suppress(JsonError):
            value = loads(value, unique_keys=True)
    return value if isinstance(value, list | tuple) or hasattr(value, "tolist") else [value]


def _is_list_text(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("[")
