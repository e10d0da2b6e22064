"""Rows from records: renamed columns, fields in columns, answers in cells; one function reads one side."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from docscore.core.errors import (
    DataWarning,
    Diagnostic,
    InputValueError,
    Remedy,
    RowErrors,
    closer,
    in_file,
    needs,
)
from docscore.core.options import DEFAULT_READING, ReadOptions
from docscore.core.runtime import Progress, no_progress
from docscore.core.values import CONFIDENCE, VALUE
from docscore.inputs.confidences import NAMES, the_name, unwrapped
from docscore.inputs.field_paths import ListPaths, document_of, dotted, list_paths
from docscore.inputs.formats import (
    read_folder,
    read_table,
    refuse_parts_of_frame,
    rows_of_frame,
    rows_of_value,
)
from docscore.inputs.json_text import JsonError, loads
from docscore.inputs.model_text import parse_text
from docscore.inputs.queries import query_of, query_of_both
from docscore.inputs.rows import (
    ANLS,
    BY_ID,
    COSTS,
    ID,
    PREDICTION,
    REFERENCES,
    SIDES,
    VALUE_KEYS,
    Absent,
    ColumnAlias,
    NoCell,
    RawTable,
    Side,
    cells_of,
    described,
    known_columns,
    place_of,
    table_by_id,
    table_in_memory,
    warnings_about_empty_cells,
    warnings_about_structs,
)

_Given = tuple[str, str]  # an option and the column that it names


# The options that say where ids, values and fields are, if not in the columns or keys of the row formats.
_LAYOUT = (
    *("id_column", "references_id_column", "predictions_id_column", "prediction_column", "references_column"),
    *("cost_column", "seconds_column", "tokens_column", "fields_in_columns", "field_column", "value_column"),
    *("answer_is_list", "parse_references"),
)


def renamed_columns(
    options: ReadOptions, side: Side, keys: Collection[str] = (), *, both: bool = False
) -> dict[str, _Given]:
    """Return the option and the given name of each renamed column of a side, by its name in the row format.

    Args:
        options: how the rows are read.
        side: predictions or references.
        keys: the keys of the first row.
        both: whether the rows of the side hold predictions and references; `answers` is then the default column of the
            references.

    Raises:
        ValueError: for an id column of the references if rows hold both sides.
    """
    if both and options.references_id_column is not None:
        raise InputValueError(
            place="references_id_column",
            expected="separate references, whose id column it names",
            got="rows that hold both sides",
        )
    own = f"{side}_id_column"
    names = {ID: "id_column" if getattr(options, own) is None else own}
    if both or side == "predictions":
        names |= {PREDICTION: "prediction_column", **{name: f"{name}_column" for name in COSTS}}
    if both or side == "references":
        names[REFERENCES] = "references_column"
    given = {name: (option, getattr(options, option)) for name, option in names.items()}
    renamed = {name: (option, column) for name, (option, column) in given.items() if column is not None}
    known = {*renamed, *keys}
    if both and {PREDICTION, ANLS.references} <= known and REFERENCES not in known:
        renamed[REFERENCES] = "references_column", str(ANLS.references)
    return renamed


def check_both_sides(options: ReadOptions, table: RawTable) -> None:
    """Raise `ValueError` if both sides of a table are the same columns, naming the query if a row needs one."""
    column = options.prediction_column or PREDICTION
    if column == (options.references_column or REFERENCES) or options.fields_in_columns:
        query = query_of_both(table)
        remedy = Remedy("add {} instead", (("predictions_query", query),)) if query else ""
        raise InputValueError(place=place_of(table), problem="the same columns are given for both sides", remedy=remedy)


def table_of_source(
    source: Any,
    side: Side,
    options: ReadOptions,
    errors: RowErrors | None = None,
    progress: Progress = no_progress,
) -> RawTable:
    """Read the rows of a side from any source, under the names of the row format; arguments as for `raw_table`."""
    return with_names(raw_table(source, side, options, errors, progress=progress), side, options, both=False)


def raw_table(
    source: Any,
    side: Side,
    options: ReadOptions,
    errors: RowErrors | None = None,
    *,
    num_proc: int = 1,
    progress: Progress = no_progress,
) -> RawTable:
    """Read the rows of a side from any source, under the column names of the source.

    Args:
        source: the path of a file, or of a folder with one file per document, `ID.json` or `ID.txt`; rows as `pairs_of`
            takes them; a dict of values by id; a pandas or polars data frame, an Arrow table, or a `datasets.Dataset`;
            a `RawTable`.
        side: predictions or references; names the side in messages if there is no file.
        options: how the rows are read.
        errors: collects errors of single rows of files; None to raise an error for them.
        num_proc: as for `read_table`.
        progress: as for `read_table`.

    Raises:
        TypeError: for anything else.
        ValueError: as for `read_table`.
        OSError: if a file cannot be read.
    """
    if isinstance(source, RawTable):
        return source
    errors = errors or RowErrors()
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_dir():
            return read_folder(path, errors, side, options)
        return read_table(path, errors, side=side, options=options, num_proc=num_proc, progress=progress)
    query = query_of(options, side)
    if isinstance(source, Mapping):
        if query is not None or options.single_document:
            return rows_of_value(source, Path(side), side, options, query)
        refuse_parts_of_frame(source, side)
        return table_by_id(source, side, side)
    rows = None
    if not isinstance(source, list):
        _, id_column = renamed_columns(options, side).get(ID, ("", ID))
        rows = rows_of_frame(source, side, id_column)
    table = table_in_memory(source if rows is None else rows, side)
    if rows is not None:
        is_plain = type(getattr(source, "index", None)).__name__ in ("NoneType", "RangeIndex")
        table = table._replace(has_columns=True, remedy="" if is_plain else _INDEX_REMEDY)
    if query is not None:
        table = query.rows_in(table, errors)
        errors.stop_if_any()
    return table


_INDEX_REMEDY = "if the ids are in the index of the data frame, make it a column with reset_index()"


def with_names(
    table: RawTable, side: Side, options: ReadOptions, *, both: bool, lists: ListPaths | None = None
) -> RawTable:
    """Copy the columns of a table to the names of the row format.

    Args:
        table: the rows.
        side: predictions or references.
        options: how the rows are read.
        both: whether the rows hold predictions and references.
        lists: where the paths of fields lead through lists; None to find out from the table alone.

    Raises:
        ValueError: for a column that does not exist, and a column that is given for both sides.
    """
    has_own_layout = any(getattr(options, name) != getattr(DEFAULT_READING, name) for name in _LAYOUT)
    first = table.first() if has_own_layout or table.has_columns or both else None
    if first is None:
        return table
    if both and not options.fields_in_columns:
        check_both_sides(options, table)
    keys = first.keys() if isinstance(first, dict) else ()
    renamed = renamed_columns(options, side, keys, both=both)
    values = (PREDICTION, REFERENCES) if both else (str(getattr(BY_ID, side)),)
    known = {*renamed, *keys}
    lacks_ids = both and ID not in known and known.issuperset(values)
    if not (renamed or has_own_layout or table.has_columns or lacks_ids):
        return table
    lists = lists or list_paths([table], options)
    rows = [dict(row) if isinstance(row, dict) else row for row in table.rows]
    _copy_columns(rows, table, options, renamed)
    if options.answer_is_list and REFERENCES not in renamed and (both or side == "references"):
        raise needs(option="answer_is_list", other="references_column")
    if options.field_column is not None:
        return _documents_by_field(table._replace(rows=rows), options, values, known, lists.first)
    columns = [renamed[name][1] if name in renamed else name for name in values]
    if values[0] not in known and _are_fields(table, options, renamed, both=both):
        given = {part.strip() for _, column in renamed.values() for part in (column, *column.split(","))}
        no_fields = {ID, *lists.groups, *given}
        columns = [name for name in first if name not in no_fields]
        found = _put_together(no_fields, table, rows, side, lists.first, options)
        table = table._replace(warnings=(*table.warnings, *found))
    if table.has_columns:
        are_in_one = {PREDICTION, columns[0]} <= known  # neither in fields nor inside values
        predictions = columns[0] if side == "predictions" and are_in_one else None
        table = table._replace(warnings=(*table.warnings, *_warnings_about_cells(table, columns, predictions)))
    if lacks_ids:
        rows = [{**row, ID: str(index)} if isinstance(row, dict) else row for index, row in enumerate(rows)]
    if both or side == "references":
        _read_answers(rows, options, table, renamed)
    runs = table.runs and {
        name: with_names(run, side, options, both=both, lists=lists) for name, run in table.runs.items()
    }
    return table._replace(rows=rows, runs=runs)


def _are_fields(table: RawTable, options: ReadOptions, renamed: Mapping[str, Any], *, both: bool) -> bool:
    """Return whether the columns of rows without a value are the fields of their documents.

    In JSON this needs no option: if only the column of the ids is named, all other keys are the document.
    """
    first = table.first()
    if both or not isinstance(first, dict):
        return False
    ids = renamed[ID][1] if ID in renamed else ""
    are_keys = ids in first or all(part.strip() in first for part in ids.split(","))
    is_rest = not table.has_columns and ID in renamed and {*renamed} <= {ID, *COSTS} and are_keys
    return options.fields_in_columns or (is_rest and VALUE_KEYS.isdisjoint(first))


def _copy_columns(rows: Sequence[Any], table: RawTable, options: ReadOptions, renamed: Mapping[str, _Given]) -> None:
    """Copy the cells of renamed columns to their names in the row format, replacing existing cells."""
    first = table.first()
    for name, (option, given) in renamed.items():
        if name in COSTS and ID not in renamed and not (isinstance(first, dict) and ID in first):
            raise InputValueError(
                place=in_file(table.path),
                expected=f"a column {ID!r}, which {option} needs",
                got=described(first),
            )
        key = ColumnAlias(name)
        key.given = given
        for row, cell in zip(rows, column_of(table, options, option, given), strict=True):
            if isinstance(row, dict):
                row[key] = NoCell if cell is Absent and name != PREDICTION else cell


def _read_answers(rows: Sequence[Any], options: ReadOptions, table: RawTable, renamed: Mapping[str, Any]) -> None:
    """Replace the ground truths of rows with lists of acceptable answers."""
    for row in rows:
        if isinstance(row, dict) and row.get(REFERENCES, NoCell) is not NoCell:
            value, is_json = row[REFERENCES], options.parse_references is not None
            if REFERENCES in renamed:
                value = _cell_value(value) if table.has_columns and not is_json else value
                row[REFERENCES] = [value] if options.answer_is_list else _answers(value)
            elif (is_json and isinstance(value, str)) or (table.has_columns and (is_json or _is_list_text(value))):
                row[REFERENCES] = _answers(_cell_value(value))


_INDEX = re.compile(r"Unnamed: \d+|")  # the names of an index without a name, in files that pandas wrote and read again


def _is_index(column: str, rows: Sequence[Any]) -> bool:
    """Return whether a column is the index of a data frame that pandas wrote: its cells count the rows from 0."""
    is_named = _INDEX.fullmatch(str(column)) is not None
    return is_named and [*map(str, cells_of(rows, column))] == [*map(str, range(len(rows)))]


def _put_together(
    no_fields: AbstractSet[str],
    table: RawTable,
    rows: Sequence[Any],
    side: Side,
    lists: Mapping[str, int],
    options: ReadOptions,
) -> list[DataWarning]:
    """Add the document of each row, whose fields are its other columns; return warnings about these columns.

    Args:
        no_fields: the columns that are not fields.
        table: the rows as they were read.
        rows: their copies, which are changed.
        side: predictions or references.
        lists: as in `ListPaths.first`.
        options: how the rows are read.
    """
    key, outcomes, found = ColumnAlias(getattr(BY_ID, side)), _Outcomes(Counter), list[DataWarning]()
    numbered = [name for name in table.first() if name not in no_fields and _is_index(name, table.rows)]
    if numbered:
        problem = f"column {numbered[0]!r} numbers the rows from 0, as an index that pandas writes, and is left out"
        found.append(DataWarning("index column", Diagnostic((in_file(table.path),), problem=problem)))
    left_out = {*no_fields, *numbered}
    for row, cells in zip(rows, table.rows, strict=True):
        if isinstance(row, dict):
            document: Any = {name: cell for name, cell in cells.items() if name not in left_out}
            if options.fields_in_columns:
                parsed = _parsed_cells(document, side, options, outcomes)
                document = document_of(parsed, table, in_file(table.path), lists)
            row[key] = document if side == "predictions" else [document]
    return [*found, *_warnings_about_parsed(outcomes, table)]


_Outcomes = defaultdict[str, Counter[str]]


def _parsed_cells(
    cells: Mapping[str, Any], side: Side, options: ReadOptions, outcomes: dict[str, Counter[str]]
) -> dict[str, Any]:
    """Return the cells of fields with the JSON lists and objects in their texts, if an option reads this side.

    Args:
        cells: the cells by column.
        side: predictions or references.
        options: how the rows are read.
        outcomes: by column, counts how texts were read.
    """
    mode = options.parse_mode if side == "predictions" else options.parse_references
    values = dict(cells)
    for name, cell in cells.items() if mode else ():
        if isinstance(cell, str) and cell.lstrip()[:1] in ("[", "{"):
            parsed = parse_text(cell, str(mode))
            values[name] = parsed.value
            outcomes[name][parsed.outcome] += 1
    return values


def _warnings_about_parsed(outcomes: Mapping[str, Counter[str]], table: RawTable) -> Iterator[DataWarning]:
    """Yield warnings about columns in which some cells are JSON and others are damaged."""
    for name, counts in outcomes.items():
        if 0 < counts["exact"] < counts.total():
            problem = (
                f"{counts.total() - counts['exact']:,} of {counts.total():,} cells that begin like JSON are malformed, "
                f"and {counts['failed']:,} of these stay texts"
            )
            place = closer(in_file(table.path), f"column {name!r}")
            yield DataWarning("malformed cells", Diagnostic((place,), problem=problem))


def _documents_by_field(
    table: RawTable, options: ReadOptions, values: Sequence[str], known: AbstractSet[str], lists: Mapping[str, int]
) -> RawTable:
    """Return one row per document of a table in which each row has one field.

    Args:
        table: the rows, whose named columns are copied.
        options: how the rows are read.
        values: the names in the row format of the columns with the values.
        known: the columns of the rows.
        lists: as in `ListPaths.first`.

    Raises:
        ValueError: for a column that no option names or no row has; for a row that could not be read, has no id or no
            path, or repeats the path of another row. The latter errors name the row.
    """
    is_both = len(values) > 1
    columns = [name if name in known else None for name in values] if is_both else [options.value_column]
    if None in columns:
        needed = "references_column and prediction_column" if is_both else "value_column"
        raise InputValueError(place="field_column", expected=f"{needed} in addition", got="none")
    ids, *cells = (
        column_of(table, options, option, str(column))
        for option, column in (("id_column", ID), *(("value_column", column) for column in columns))
    )
    paths = column_of(table, options, "field_column", str(options.field_column))
    sure = _add_confidences(cells[0], table, known) if options.with_confidences and PREDICTION in values else None
    documents: dict[str, list[dict[str, Any]]] = {}
    rows_of: dict[str, list[int]] = {}
    for index, (name, path) in enumerate(zip(ids, paths, strict=True)):
        parts = [column[index] for column in cells]
        if (
            name in (NoCell, Absent, None, "")
            or not isinstance(path, str)
            or not path
            or (NoCell in parts and not is_both)
        ):
            row = table.rows[index]
            expected = f"an id, a path in the column {options.field_column!r} and a value"
            got = described(row) if isinstance(row, dict) else "a row that cannot be read"
            raise InputValueError(place=table.where(index), expected=expected, got=got)
        step = dotted(path)
        if any(step in document for document in documents.setdefault(str(name), [{} for _ in cells])):
            remedy = f"name the elements of a list {path}[0], {path}[1] and so on"
            raise InputValueError(
                place=table.where(index), problem=f"the field {path!r} of {str(name)!r} occurs twice", remedy=remedy
            )
        rows_of.setdefault(str(name), []).append(index)
        for document, cell in zip(documents[str(name)], parts, strict=True):
            document.update({} if cell is NoCell else {step: None if cell is Absent else cell})
    both_sides = options.references_column, options.prediction_column
    rows, indices, outcomes = [], [numbers[0] for numbers in rows_of.values()], _Outcomes(Counter)
    for name, numbers in rows_of.items():
        first = table.rows[numbers[0]]
        # a cell that differs between fields, such as a cost, does not describe the document
        row = {key: cell for key, cell in first.items() if all(table.rows[n].get(key) == cell for n in numbers[1:])}
        for spent in {options.field_column, options.value_column, *both_sides} & row.keys():
            del row[spent]
        for key, fields in zip(values, documents[name], strict=True):
            of_side: Side = "references" if key == REFERENCES else "predictions"
            parsed = _parsed_cells(fields, of_side, options, outcomes)
            value = document_of(parsed, table, table.where(numbers[0]), lists)
            if sure and key == PREDICTION:
                value, row[sure] = unwrapped(value)
            row[ColumnAlias(key)] = [value] if key == REFERENCES else value
        rows.append({**row, ColumnAlias(ID): name})
    found = tuple(_warnings_about_parsed(outcomes, table))
    return RawTable(table.path, rows, lambda number: table.where(indices[number]), warnings=found)


def _add_confidences(cells: list[Any], table: RawTable, known: AbstractSet[str]) -> str | None:
    """Put the cells that hold values into objects with their confidences, and return the column of confidences."""
    column = the_name([name for name in NAMES if name in known], in_file(table.path))
    sure = [] if column is None else cells_of(table.rows, column)
    cells[: len(sure)] = [
        cell
        if cell is None or cell is NoCell or cell is Absent or (isinstance(cell, str) and not cell)
        else {VALUE: cell, CONFIDENCE: None if each is NoCell else each}
        for cell, each in zip(cells, sure, strict=False)
    ]
    return column


def _warnings_about_cells(table: RawTable, columns: Iterable[str], predictions: str | None) -> Iterator[DataWarning]:
    """Yield warnings about columns whose values a table library may have changed.

    Tables of structs give every row all keys. If some cells are empty, pandas converts integers to floats; it can also
    write "NaN" into an empty cell. A left join leaves empty cells.

    Args:
        table: the rows.
        columns: the columns of values.
        predictions: the column of the predictions; None if there is none.
    """
    for column in columns:
        cells, place = cells_of(table.rows, column), closer(in_file(table.path), f"column {column!r}")
        yield from warnings_about_structs(cells, place)
        if column == predictions:
            yield from warnings_about_empty_cells(cells, place)
        texts = [cell for cell in cells if isinstance(cell, str) and cell in _NAN]
        if 0 < len(texts) < len(cells) and not any(cell is None or (type(cell) is str and not cell) for cell in cells):
            problem = f"{len(texts):,} of {len(cells):,} cells are the text {texts[0]!r}, and none is empty"
            advice = "if they mean missing values, leave these cells empty"
            yield DataWarning("NaN as text", Diagnostic((place,), problem=problem, remedy=advice))
        numbers = [cell for cell in cells if cell is not None]
        if 0 < len(numbers) < len(cells) and all(isinstance(cell, float) and cell.is_integer() for cell in numbers):
            problem = (
                f"some cells are empty, and all others are floats without a fraction, such as {numbers[0]!r}; pandas "
                "makes such floats from integers, and they print differently"
            )
            remedy = Remedy("convert the column to integers, such as Int64, or add {}", (("numbers", "value"),))
            yield DataWarning("integers as floats", Diagnostic((place,), problem=problem, remedy=remedy))


_NAN = ("NaN", "nan")


class MissingColumnError(InputValueError):
    """Error for an option that names a column that no row of a table has.

    Attributes:
        option: the name of the option.
        column: the column.
    """

    option = column = ""


def column_of(table: RawTable, options: ReadOptions, option: str, given: str) -> list[Any]:
    """Return the cells of a column, or of several joined to ids; raise `ValueError` if no row has the column."""
    cells = cells_of(table.rows, given)
    if not all(cell is NoCell or cell is Absent for cell in cells):
        return cells
    if option.endswith("id_column") and "," in given:
        columns = [column_of(table, options, option, name.strip()) for name in given.split(",")]
        return [_joined(parts) for parts in zip(*columns, strict=True)]
    own = [(name, ...) for side in SIDES if getattr(options, name := f"{side}_id_column") is None]
    of_one_side = Remedy(f"to name the ids of one side only, use {' or '.join(['{}'] * len(own))}", tuple(own))
    error = MissingColumnError(
        place=in_file(table.path),
        expected=f"a column {given!r} ({option})",
        got=known_columns(table.first(), given),
        remedy=Remedy.joined([table.remedy, of_one_side if option == "id_column" else ""]),
    )
    error.option, error.column = option, given
    raise error


def _joined(parts: Sequence[Any]) -> Any:
    """Join several cells to one id; return `NoCell` if a cell is missing."""
    is_whole = all(isinstance(part, str | int | np.integer) and str(part) for part in parts)
    return ",".join(map(str, parts)) if is_whole else NoCell


def _cell_value(value: Any) -> Any:
    """Return the list that a cell of a table contains as JSON text; any other value is returned unchanged."""
    if _is_list_text(value):
        with suppress(JsonError):
            return loads(value, unique_keys=True)
    return value


def _answers(value: Any) -> Any:
    """Return the value if it is a list of acceptable answers, otherwise a list with only this value."""
    return value if isinstance(value, list | tuple) or hasattr(value, "tolist") else [value]


def _is_list_text(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("[")
