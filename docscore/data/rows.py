"""Read the rows of a side in the row formats (by id, as the Space anls, plain), with their values in plain types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from docscore.core.errors import (
    NAMED,
    Faults,
    Faulty,
    InputTypeError,
    InputValueError,
    PlacePart,
    at_place,
    diagnostic_of,
    short_repr,
)
from docscore.core.values import Value, convert_ground_truth, convert_prediction, scalar_text

Side = Literal["predictions", "references"]
Where = Callable[[int], PlacePart]  # the place of a row in a message
Check = Callable[[Value, bool], object]  # gets a value and whether it is a ground truth; raises if it is not accepted


class RowFormat(NamedTuple):
    """A row format.

    Attributes:
        name: its name in messages.
        predictions: the key of the predicted value in a prediction row; None where the row is the value.
        references: the key of the acceptable answers in a reference row; None where the row is the ground truth.
    """

    name: str
    predictions: str | None
    references: str | None


BY_ID = RowFormat("by id", "prediction", "references")


ANLS = RowFormat("as the Space anls", "prediction_text", "answers")


PLAIN = RowFormat("plain", None, None)


ID = "question_id"


COSTS = ("cost", "seconds", "tokens")  # columns of predictions, which are summed beside scores


VALUE_KEYS = frozenset({"prediction", "prediction_text", "references", "answers"})


class Absent:
    """In place of a prediction that a row does not have, or of the ground truth of a sample that did not run."""


class Lacking:
    """In place of the cell of a row that does not have a column."""


def cells_of(rows: Sequence[Any], column: str) -> list[Any]:
    """The cell of each row in a column: under its name, or where no row has that name, at the path that it spells.

    A path has the keys and the numbers of list items on the way into a row, with dots between them. A cell is `Lacking`
    where a row has none, and `Absent` where null stands on the way to it, as in the row of a request that failed.

    >>> cells_of([{"response": {"choices": [{"text": "tea"}]}}], "response.choices.0.text")
    ['tea']
    """
    if any(isinstance(row, dict) and column in row for row in rows):
        return [row.get(column, Lacking) if isinstance(row, dict) else Lacking for row in rows]
    steps = column.split(".")
    ends = [_followed(row, steps) for row in rows]
    return [value if not left else Absent if value is None else Lacking for value, left in ends]


def _followed(value: Any, steps: Sequence[str]) -> tuple[Any, Sequence[str]]:
    """The value as far along a path as there is one, and the steps that are left."""
    for number, step in enumerate(steps):
        value = value.tolist() if isinstance(value, np.ndarray) else value
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return value, steps[number:]
    return value, []


def known_columns(row: Any, column: str) -> str:
    """What a row has in place of a column: its own columns, or what stands where a path into it ends."""
    steps = column.split(".")
    value, left = _followed(row, steps)
    if len(left) < len(steps):
        return f"{described(value)} at {'.'.join(steps[: -len(left)])!r}"
    return ", ".join(map(repr, row)) if isinstance(row, dict) else type(row).__name__


_TEXT_REMEDY = (
    'of files and frames --parse-references json (parse_references="json") reads text that is JSON, and with '
    '--references-column references (references_column="references") a text is the one acceptable answer'
)


class Rows(NamedTuple):
    """The rows of one side that can be scored, in their order.

    Attributes:
        ids: the id of each; in the plain format its number as text.
        values: the predictions or the ground truths, in plain types; acceptable answers are a one-of.
        sources: the whole rows, for what they have beside the value.
        faulty: the ids of the other rows, as far as they are known.
    """

    ids: list[str]
    values: list[Value]
    sources: list[Any]
    faulty: set[str]


def as_rows(rows: Any, side: str) -> list[Any]:
    """Convert rows to a list, from a list, an array, a dataset, a column or a series.

    Raises:
        TypeError: for a single value instead of a list of rows, and for a data frame.
    """
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable) or hasattr(rows, "columns"):
        raise InputTypeError(place=side, expected="a list of rows", got=type(rows).__name__)
    if isinstance(rows, np.ndarray) and not rows.ndim:
        raise InputTypeError(place=side, expected="a list of rows", got="an array without a dimension")
    return list(rows)


def row_format(predictions: Sequence[Any], references: Sequence[Any]) -> RowFormat:
    """Determine the format of the rows from the first row of each side.

    Raises:
        ValueError: if there are no references, or the two sides have different formats.
    """
    if not len(references):
        raise InputValueError(place="references", expected="at least one row", got="none")
    reference = side_format(references[0], "references")
    if not len(predictions):
        return reference
    prediction = side_format(predictions[0], "predictions")
    if reference != prediction:
        raise InputValueError(
            expected="predictions and references in one row format",
            got=f"{described(predictions[0])} ({prediction.name}) as the first prediction and "
            f"{described(references[0])} ({reference.name}) as the first reference",
        )
    return reference


def format_of(row: Any, side: Side) -> RowFormat | None:
    """The format of a row of one side; None if it has no known format."""
    try:
        return side_format(row, side)
    except ValueError:
        return None


def side_format(row: Any, side: Side) -> RowFormat:
    """The format of a row of one side.

    Raises:
        ValueError: for a row that has an id and no value, or a value and no id.
    """
    if isinstance(row, dict) and ID not in row and "id" in row and not VALUE_KEYS.isdisjoint(row):
        raise InputValueError(place=side, expected=f"the id under {ID!r}", got=described(row))
    if not isinstance(row, dict) or ID not in row:
        return PLAIN
    for form in (BY_ID, ANLS):
        if getattr(form, side) in row:
            return form
    expected = " or ".join(repr(getattr(form, side)) for form in (BY_ID, ANLS))
    swapped = " (are predictions and references swapped?)" if not VALUE_KEYS.isdisjoint(row) else ""
    raise InputValueError(place=side, expected=f"{expected} beside {ID!r}", got=described(row) + swapped)


def read_rows(
    rows: Sequence[Any],
    form: RowFormat,
    side: Side,
    where: Where,
    faults: Faults | None = None,
    check: Check | None = None,
) -> Rows:
    """Read the rows of one side, and convert each value to plain types: the only place where that is done for rows.

    Args:
        rows: the rows, `Faulty` for one that could not be read; one whose value is `Absent` is passed over.
        form: their format.
        side: predictions or references.
        where: the place of the row with an index.
        faults: collects what is wrong with rows, which are left out then; None to raise it.
        check: called with each value in plain types, raises an error for one that is not accepted.

    Raises:
        TypeError, ValueError: naming the first row that has another format, or a value that cannot be scored.
    """
    read = Rows([], [], [], set())
    is_truth = side == "references"
    convert = convert_ground_truth if is_truth else convert_prediction
    for index, row in enumerate(rows):
        if isinstance(row, dict) and row.get(getattr(BY_ID, side)) is Absent:
            continue
        if row is not Faulty:
            kind = "of another shape"
            try:
                name, value = _id_and_value(row, index, form, side)
                kind = "with a value that cannot be scored"
                value = convert(value)
                if check is not None:
                    check(value, is_truth)
            except (TypeError, ValueError) as error:
                if faults is None:
                    raise at_place(where(index), error) from None
                faults.add(kind, diagnostic_of(error).within(where(index)))
            else:
                read.ids.append(name)
                read.values.append(value)
                read.sources.append(row)
                continue
        if form is PLAIN:
            read.faulty.add(str(index))
        elif isinstance(row, dict) and isinstance(row.get(ID), str | int | np.integer):
            read.faulty.add(scalar_text(row[ID]))
    return read


def _id_and_value(row: Any, index: int, form: RowFormat, side: Side) -> tuple[str, Any]:
    """The id of a row, and its value as it stands; raises `TypeError` or `ValueError` for a row of another format."""
    key = getattr(form, side)
    if key is None:
        is_row = isinstance(row, dict) and ID in row and not {"references", "answers"}.isdisjoint(row)
        if is_row and side == "references":  # a plain prediction is what a model said, and may have any keys
            raise InputValueError(expected="a plain ground truth as in the first row", got=described(row))
        return str(index), row
    if not isinstance(row, dict) or row.get(ID, Lacking) is Lacking or row.get(key, Lacking) is Lacking:
        raise InputValueError(expected=f"an object with {ID!r} and {key!r}", got=described(row))
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
    """The id as text; integers are accepted, since many datasets have them."""
    if type(value) is str and value and value.isascii():
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return scalar_text(int(value))
    if not isinstance(value, str):
        raise InputTypeError(expected=f"a string as {ID}", got=f"{type(value).__name__} {short_repr(value)}")
    if not value or value.encode(errors="ignore").decode() != value:  # which lacks its lone surrogates
        raise InputValueError(expected=f"a {ID} of at least one valid Unicode character", got=short_repr(value))
    return str.__str__(value)


def _answers(value: Any, key: str) -> tuple[Any, ...]:
    """The acceptable answers of a reference."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple) or not value:
        got = "an empty list" if isinstance(value, list | tuple) else type(value).__name__
        expected, remedy = f"{key!r} to be a list of at least one acceptable answer", _TEXT_REMEDY
        raise InputValueError(expected=expected, got=got, remedy=remedy if isinstance(value, str) else "")
    return tuple(value)


def described(row: Any) -> str:
    """A short description of a row for messages."""
    if isinstance(row, dict):
        names = [short_repr(key) for key, value in row.items() if value is not Lacking]
        return "an object with " + (", ".join(names[:NAMED]) or "no keys")
    return type(row).__name__
