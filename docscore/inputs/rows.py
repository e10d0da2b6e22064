"""The rows of one side: tables of rows, the three row formats (by id, as in the Space anls, plain), and values."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from docscore.core.errors import (
    NAMED,
    DataWarning,
    Diagnostic,
    FilePlace,
    InputTypeError,
    InputValueError,
    InvalidRow,
    PlacePart,
    Remedy,
    RowErrors,
    at_place,
    diagnostic_of,
    short_repr,
    some_of,
)
from docscore.core.numbers import is_printable_integer, too_long_integer
from docscore.core.runtime import Progress, no_progress, watched
from docscore.core.values import Value, convert_ground_truth, convert_prediction, scalar_text
from docscore.inputs.json_text import loads
from docscore.inputs.model_text import read_reference

Side = Literal["predictions", "references"]
SIDES: tuple[Side, Side] = ("references", "predictions")
Check = Callable[[Value, bool], object]  # called with a value and whether it is a ground truth; raises to refuse it


class RowFormat(NamedTuple):
    """A row format.

    Attributes:
        name: its name in messages.
        predictions: the key of the predicted value in a prediction row; None if the row is the value.
        references: the key of the acceptable answers in a reference row; None if the row is the ground truth.
    """

    name: str
    predictions: str | None
    references: str | None


ID, PREDICTION, REFERENCES = "question_id", "prediction", "references"  # the keys of rows by id
BY_ID = RowFormat("by id", PREDICTION, REFERENCES)
ANLS = RowFormat("as the Space anls", "prediction_text", "answers")
PLAIN = RowFormat("plain", None, None)
VALUE_KEYS = frozenset({*BY_ID[1:], *ANLS[1:]})
COSTS = ("cost", "seconds", "tokens")  # columns of predictions; their sums are shown next to the scores


class Absent:
    """Marker for a missing prediction, and for a ground truth that another source may have."""


class NoCell:
    """Marker for the cell of a column that a row does not have."""


class ColumnAlias(str):  # noqa: SLOT000
    """The name in the row format of a column that an option names; the row also keeps the name in its file.

    Attributes:
        given: the column or the path that the option names; "" for columns of fields.
    """

    given = ""


def columns_of(row: Mapping[str, Any]) -> list[str]:
    """Return the keys of a row under their names in its file."""
    return [key for key in row if type(key) is not ColumnAlias]


def name_in_file(row: Any, name: str) -> str:
    """Return the column in the file of a row that provides a name of the row format."""
    return next((key.given for key in row if type(key) is ColumnAlias and key == name), "") or name


class RawTable(NamedTuple):
    """The rows of a file, or of one side in memory.

    Attributes:
        path: the file; for rows in memory the name of their side.
        rows: the value of each row, `InvalidRow` for a row that could not be read.
        where: a function from the index of a row to its place: "refs.jsonl, line 3".
        has_columns: whether each row holds the cells of a table under the names of its columns, as in CSV, Parquet and
            data frames. Such a row is never a document.
        remedy: advice on how to give the rows their columns, for errors about the columns; "" if there is none.
        incomplete: why predictions are missing; an error unless an option says how they count; "" if none is missing.
        stand_in: the acceptable answers of a row whose ground truth is `Absent` in all sources.
        runs: the rows of each of several runs on the same documents, by the name of the run; None for a single run.
        warnings: warnings about the rows.
        beginning: the first part of a query for the rows: "[]." for a JSON list, "*." for the values of an object.
        lacking: the option of the query and a key in it that no row has, for the error about rows without a value.
        dropped: the positions of rows that the query dropped because they gave nothing; None if they are unknown.
    """

    path: Path
    rows: Sequence[Any]
    where: Callable[[int], PlacePart]
    has_columns: bool = False
    remedy: str | Remedy = ""
    incomplete: str = ""
    stand_in: Sequence[Any] = ()
    runs: "Mapping[str, RawTable] | None" = None
    warnings: tuple[DataWarning, ...] = ()
    beginning: str = ""
    lacking: str = ""
    dropped: frozenset[int] | None = frozenset()

    def good(self) -> Iterator[tuple[int, Any]]:
        """Yield the rows that could be read, with their indices."""
        return ((index, row) for index, row in enumerate(self.rows) if row is not InvalidRow)

    def first(self) -> Any:
        """Return the first row that could be read; None if there is none."""
        return next((row for row in self.rows if row is not InvalidRow), None)


def table_in_memory(rows: Any, side: Side) -> RawTable:
    """Return the table of rows in memory; errors as for `as_rows`.

    For tables of a library, it has warnings about null for missing keys, and about empty cells among predictions.
    """
    if isinstance(rows, RawTable):
        return rows
    values = rows if type(rows) is list else as_rows(rows, side)
    found: list[DataWarning] = []
    if any(hasattr(rows, name) for name in ("to_pylist", "to_list", "features")):  # of Arrow, a series, datasets
        key = BY_ID.references if side == "references" else BY_ID.predictions
        cells = [row.get(key, row) if isinstance(row, dict) else row for row in values]
        if side == "predictions":
            found += warnings_about_empty_cells(cells, side)
        found += warnings_about_structs(cells, side)
    return RawTable(Path(side), values, lambda index: f"{side}[{index}]", warnings=tuple(found))


def table_by_id(values: Mapping[Any, Any], side: Side, place: PlacePart) -> RawTable:
    """Return the table of a dict from id to value; a tuple in the ground truths holds acceptable answers.

    The table has a warning if the ground truths look like the fields of one document.

    Raises:
        TypeError: for the splits of a dataset.
        ValueError: for a single row.
    """
    splits = [str(name) for name, value in values.items() if hasattr(value, "column_names")]
    if splits:
        raise InputTypeError(place=side, expected="one split of a dataset", got=f"several ({', '.join(splits)})")
    if ID in values:
        raise InputValueError(place=place, expected="a list of rows, or values by their ids", got="a single row")
    table = table_in_memory([], side)
    if side == "predictions":
        return table._replace(rows=[{ID: name, PREDICTION: value} for name, value in values.items()])
    found: list[DataWarning] = []
    if values and all(isinstance(value, dict) and value.keys() == {REFERENCES} for value in values.values()):
        problem = f"each value is an object with only the key {REFERENCES!r}, which is interpreted as a field"
        advice = f"give {{id: ground truth}}, or rows with {ID!r} and {REFERENCES!r}"
        found.append(DataWarning("references as a field", Diagnostic((place,), problem=problem, remedy=advice)))
    keys = [key for value in values.values() if isinstance(value, dict) for key in value]
    are_parts = len(values) > 1 and 0 < len(keys) == len({*keys})  # several documents would have a key in common
    if all(map(is_word, values)) and (are_parts or not all(isinstance(value, dict) for value in values.values())):
        names = some_of(list(values))
        problem = f"{names} are interpreted as ids, although they look like the fields of one document"
        remedy = Remedy("if they are one document, add {}", (("single_document", True),))
        found.append(DataWarning("fields as ids", Diagnostic((place,), problem=problem, remedy=remedy)))
    rows = [{ID: name, REFERENCES: value if isinstance(value, tuple) else (value,)} for name, value in values.items()]
    return table._replace(rows=rows, warnings=tuple(found))


def is_document(value: Any) -> bool:
    """Return whether a JSON value is one document: not a row, but an object with a word as key and a plain value."""
    if not isinstance(value, dict) or ID in value:
        return False
    return any(map(is_word, value)) and not all(isinstance(each, dict | None) for each in value.values())


def is_word(name: Any) -> bool:
    """Return whether a key consists of at least two letters, like most names of fields and few ids."""
    return isinstance(name, str) and len(name) > 1 and name.replace("_", "").replace(" ", "").isalpha()


def place_of(*tables: RawTable) -> FilePlace:
    """Return the place of one table or several in a message: `r.jsonl and p.jsonl`."""
    return FilePlace(tuple(dict.fromkeys(str(table.path) for table in tables)))


def cells_of(rows: Sequence[Any], column: str) -> list[Any]:
    """Return the cell of each row in a column, or at a path if no row has a column with that name.

    A path consists of keys and list indices with dots between them. Negative indices count from the end, and a path may
    lead into a text that is JSON. A missing cell is `NoCell`, or `Absent` if a request failed: the path then leads to
    null or through an object that reports the failure.

    >>> cells_of([{"response": {"choices": [{"text": "tea"}]}}], "response.choices.0.text")
    ['tea']
    >>> cells_of([{"messages": '[{"content": "coffee"}, {"content": "tea"}]'}], "messages.-1.content")
    ['tea']
    """
    is_name = any(isinstance(row, dict) and column in row for row in rows)
    steps = [column] if is_name else column.split(".")
    ends = [_follow(row, steps) for row in rows]
    return [
        value if not left else Absent if value is None or _has_failed(row, steps, len(left)) else NoCell
        for row, (value, left) in zip(rows, ends, strict=True)
    ]


_LEAST_FAILURE = 400  # the lowest HTTP status code of a failure
_ENVELOPE = ("response", "result", "body")  # keys around the answer in the results of batch APIs


def _has_failed(row: Any, steps: Sequence[str], left: int) -> bool:
    """Return whether an object on the path to a cell reports a failure, as in the results of batch APIs.

    OpenAI and Gemini have `error` or a `status_code`, Anthropic has the `type` "errored", "canceled" or "expired".
    """
    envelope = sum(1 for _ in takewhile(_ENVELOPE.__contains__, steps[: len(steps) - left]))
    passed = (_follow(row, steps[:number])[0] for number in range(envelope + 1))
    return any(
        bool(part.get("error"))
        or part.get("type") in ("errored", "canceled", "expired")
        or (isinstance(code := part.get("status_code"), int) and code >= _LEAST_FAILURE)
        for part in passed
        if isinstance(part, dict)
    )


_INDEX = re.compile(r"-?\d{1,18}", re.ASCII)


def _follow(value: Any, steps: Sequence[str]) -> tuple[Any, Sequence[str]]:
    """Follow a path into a value as far as possible; return the value there, and the remaining steps."""
    for number, step in enumerate(steps):
        value = value.tolist() if isinstance(value, np.ndarray) else value
        inside = value
        if isinstance(value, str):
            with suppress(ValueError):
                inside = loads(value)
        index = int(step) if _INDEX.fullmatch(str(step)) else None  # a data frame may have numbers as names
        if isinstance(inside, dict) and step in inside:
            value = inside[step]
        elif isinstance(inside, list) and index is not None and -len(inside) <= index < len(inside):
            value = inside[index]
        else:
            return inside, steps[number:]
    return value, []


def known_columns(row: Any, column: str) -> str:
    """Describe what a row has instead of a column: its columns, or the value at which the path ends."""
    steps = column.split(".")
    value, left = _follow(row, steps)
    if len(left) < len(steps):
        return f"{described(value)} at {'.'.join(steps[: -len(left)])!r}"
    return ", ".join(map(repr, columns_of(row))) if isinstance(row, dict) else type(row).__name__


_TEXT_REMEDY = Remedy(
    "in files and data frames, {} reads texts that are JSON, and {} makes a text the one acceptable answer",
    (("parse_references", "json"), ("references_column", REFERENCES)),
)


class SideRows(NamedTuple):
    """The rows of a table that can be scored, in their order.

    Attributes:
        table: the table.
        form: the format of its rows.
        ids: the id of each row; in the plain format its number as text.
        values: the predictions or the ground truths, in plain types; acceptable answers are a one-of.
        sources: the complete rows, for their other columns.
        invalid: the ids of the rows that cannot be scored, as far as they are known.
        repairs: the changes in repaired ground truths, by id; None if no text was read as JSON.
    """

    table: RawTable
    form: RowFormat
    ids: list[str]
    values: list[Value]
    sources: list[Any]
    invalid: set[str]
    repairs: dict[str, str] | None = None


def as_rows(rows: Any, side: str) -> list[Any]:
    """Convert rows to a list, from a list, an array, a dataset, a column or a series.

    Raises:
        TypeError: for a single value instead of a list of rows, and for a data frame.
    """
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable) or hasattr(rows, "columns"):
        raise InputTypeError(place=side, expected="a list of rows", got=type(rows).__name__)
    if isinstance(rows, np.ndarray) and not rows.ndim:
        raise InputTypeError(place=side, expected="a list of rows", got="an array with 0 dimensions")
    values = rows.to_pylist(maps_as_pydicts="strict") if hasattr(rows, "to_pylist") else list(rows)
    if hasattr(rows, "isna"):  # a series of pandas
        values = [None if missing else value for value, missing in zip(values, rows.isna(), strict=True)]
    return values


def warnings_about_empty_cells(cells: Sequence[Any], place: PlacePart) -> Iterator[DataWarning]:
    """Yield a warning about empty cells in a column of predictions, such as from a left join."""
    if empty := sum(cell is None for cell in cells):
        problem = (
            f"{empty:,} of {len(cells):,} cells are empty (null, NaN or NA), as after a left join, and are "
            "scored as the answer null"
        )
        remedy = Remedy("if these rows have no prediction, leave them out and add {}", (("missing", "zero"),))
        yield DataWarning("empty cells", Diagnostic((place,), problem=problem, remedy=remedy))


def warnings_about_structs(values: Sequence[Any], place: PlacePart) -> Iterator[DataWarning]:
    """Yield a warning if the objects at a path of the values all have the same keys, and a key is null in only some.

    Tables store objects as structs, in which a key that a row does not have is null.
    """
    if _has_filled_keys(values):
        problem = (
            "its rows are structs, in which keys that a row does not have are null; null in a ground truth counts as "
            "an answer"
        )
        options = ("parse", "json"), ("parse_references", "json")
        remedy = Remedy("write the values as JSON text, which {} and {} read", options)
        yield DataWarning("structs", Diagnostic((place,), problem=problem, remedy=remedy))


def _has_filled_keys(values: Sequence[Any]) -> bool:
    items = [item for value in values if isinstance(value, list | tuple | np.ndarray) for item in value]
    objects = [value for value in values if isinstance(value, dict)]
    columns = [[each[key] for each in objects] for key in objects[0]] if len({*map(frozenset, objects)}) == 1 else []
    nulls = [sum(cell is None for cell in cells) for cells in columns]
    is_filled = any(0 < count < len(objects) for count in nulls)
    return is_filled or any(map(_has_filled_keys, [*columns, *([items] if items else [])]))


def row_format(references: RawTable, predictions: RawTable | None = None) -> RowFormat:
    """Determine the format of the rows from the first row of each side.

    Raises:
        ValueError: if there are no references, or the two sides have different formats.
    """
    if not references.rows:
        raise InputValueError(place=place_of(references), expected="at least one row", got="none")
    reference = side_format(references.rows[0], "references", references)
    if predictions is None or not predictions.rows:
        return reference
    prediction = side_format(predictions.rows[0], "predictions", predictions)
    if reference != prediction:
        raise InputValueError(
            place=place_of(references, predictions),
            expected="the same row format on both sides",
            got=f"{described(references.rows[0])} ({reference.name}) as the first reference and "
            f"{described(predictions.rows[0])} ({prediction.name}) as the first prediction",
        )
    return reference


def format_of(row: Any, side: Side) -> RowFormat | None:
    """Return the format of a row of one side; None for an id without a value or a value without an id."""
    if not isinstance(row, dict) or (ID not in row and ("id" not in row or VALUE_KEYS.isdisjoint(row))):
        return PLAIN
    return next((form for form in (BY_ID, ANLS) if ID in row and getattr(form, side) in row), None)


def side_format(row: Any, side: Side, *tables: RawTable) -> RowFormat:
    """Return the format of a row of one side.

    Raises:
        ValueError: for a row with only an id or only a value; the message names the tables.
    """
    if (form := format_of(row, side)) is not None:
        return form
    place = place_of(*tables) if tables else ()
    if ID not in row:
        raise InputValueError(place=place, expected=f"the id under {ID!r}", got=described(row))
    expected = " or ".join(repr(getattr(form, side)) for form in (BY_ID, ANLS))
    swapped = " (are predictions and references swapped?)" if not VALUE_KEYS.isdisjoint(row) else ""
    beside = name_in_file(row, ID)
    raise InputValueError(place=place, expected=f"{expected} in addition to {beside!r}", got=described(row) + swapped)


def read_rows(  # noqa: C901  one loop, since each row is read once
    table: RawTable,
    form: RowFormat,
    side: Side,
    errors: RowErrors | None = None,
    check: Check | None = None,
    progress: Progress = no_progress,
    parse: str | None = None,
) -> SideRows:
    """Read the rows of one side and convert their values to plain types; values are converted only here.

    Rows whose value is `Absent` are skipped.

    Args:
        table: the rows.
        form: their format.
        side: predictions or references.
        errors: collects the errors of rows, which are then left out; None to raise the first one.
        check: called with each value in plain types, and raises an error to refuse it.
        progress: called with the phase "Pairing" and the number of rows.
        parse: how ground truths that are text are read as JSON, "json" or "repair"; None to keep them.

    Raises:
        TypeError, ValueError: naming the first row that has another format or a value that cannot be scored.
    """
    read = SideRows(table, form, [], [], [], set(), {} if parse else None)
    is_truth = side == "references"
    convert = convert_ground_truth if is_truth else convert_prediction
    repairs: list[str] = []
    for index, row in enumerate(watched(table.rows, progress, "Pairing", len(table.rows))):
        if isinstance(row, dict) and row.get(getattr(BY_ID, side)) is Absent:
            continue
        if row is not InvalidRow:
            kind = "not in the row format"
            try:
                name, value = _id_and_value(row, index, form, side)
                kind = "with a value that cannot be scored"
                value = convert(value)
                if parse is not None:
                    value, repairs = read_reference(value, parse)
                if check is not None:
                    check(value, is_truth)
            except (TypeError, ValueError) as error:
                place = table.where(index)
                if errors is None:
                    raise at_place(place, error) from None
                errors.add(kind, diagnostic_of(error).within(place))
            else:
                read.ids.append(name)
                read.values.append(value)
                read.sources.append(row)
                if repairs and read.repairs is not None:
                    read.repairs[name] = repairs[0]
                continue
        if form is PLAIN:
            read.invalid.add(str(index))
        elif isinstance(row, dict):
            with suppress(TypeError, ValueError):  # the id itself may be invalid
                read.invalid.add(_id(row.get(ID)))
    return read


def _id_and_value(row: Any, index: int, form: RowFormat, side: Side) -> tuple[str, Any]:
    """Return the id and the unconverted value of a row; raise `TypeError` or `ValueError` if its format differs."""
    key = getattr(form, side)
    if key is None:
        is_row = isinstance(row, dict) and ID in row and not {BY_ID.references, ANLS.references}.isdisjoint(row)
        if is_row and side == "references":  # a plain prediction is the output of a model, and may have any keys
            raise InputValueError(expected="a ground truth without an id, like the first row", got=described(row))
        return str(index), row
    if not isinstance(row, dict) or row.get(ID, NoCell) is NoCell or row.get(key, NoCell) is NoCell:
        names = [name_in_file(row, name) if isinstance(row, dict) else name for name in (ID, key)]
        raise InputValueError(expected=f"an object with {names[0]!r} and {names[1]!r}", got=described(row))
    name, value = _id(row[ID]), row[key]
    if side == "references":
        value = _answers(value, key)
    if form is ANLS:
        for text in value if side == "references" else [value]:
            if isinstance(text, dict | list | tuple):
                what = "an answer" if side == "references" else key
                raise InputTypeError(expected=f"{what} to be text", got=type(text).__name__)
    return name, value


def _id(value: Any) -> str:
    """Return the id as text; integers are accepted, since many data sets have them."""
    if type(value) is str and value and value.isascii():
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        if not is_printable_integer(int(value)):
            raise too_long_integer(ID)
        return scalar_text(int(value))
    if not isinstance(value, str):
        raise InputTypeError(expected=f"a string as {ID}", got=f"{type(value).__name__} {short_repr(value)}")
    if not value or value.encode(errors="ignore").decode() != value:  # the encoding drops lone surrogates
        raise InputValueError(expected=f"a {ID} of at least one valid Unicode character", got=short_repr(value))
    return str.__str__(value)


def _answers(value: Any, key: str) -> tuple[Any, ...]:
    """Return the acceptable answers of a reference."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple) or not value:
        raise InputValueError(
            expected=f"{key!r} to be a list of at least one acceptable answer",
            got="an empty list" if isinstance(value, list | tuple) else type(value).__name__,
            remedy=_TEXT_REMEDY if isinstance(value, str) else "",
        )
    return tuple(value)


def described(row: Any) -> str:
    """Describe a row in a few words for a message."""
    if isinstance(row, dict):
        names = list(map(short_repr, columns_of(row)))
        return "an object with " + (", ".join(names[:NAMED]) or "no keys")
    return type(row).__name__
