"""Read the rows of a test set in the three row formats: by id, as the Space anls, and plain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any, Literal, NamedTuple

import numpy as np

from docscore.core.errors import NAMED, InputTypeError, InputValueError, PlacePart, short_repr
from docscore.core.values import LEAF_TYPES, scalar_text

Where = Callable[[int], PlacePart]  # the place of a row in a message


class RowFormat(NamedTuple):
    """A row format.

    Attributes:
        name: its name in messages.
        prediction: the key of the predicted value in a prediction row; None where the row is the value.
        references: the key of the acceptable answers in a reference row; None where the row is the ground truth.
    """

    name: str
    prediction: str | None
    references: str | None


BY_ID = RowFormat("by id", "prediction", "references")


ANLS = RowFormat("as the Space anls", "prediction_text", "answers")


PLAIN = RowFormat("plain", None, None)


ID = "question_id"


VALUE_KEYS = frozenset({"prediction", "prediction_text", "references", "answers"})


class Absent:
    """In place of a prediction that a log does not have, or of the ground truth of a sample that did not run."""


class Row(NamedTuple):
    """A value with its id; the id is None in the plain format.

    Attributes:
        id: the id.
        value: the prediction or the ground truth.
        confidence: the value under "confidence" in a prediction row: numbers in the shape of the prediction.
        source: the whole row of a reference with an id, for its other columns.
    """

    id: str | None
    value: Any
    confidence: Any = None
    source: Mapping[str, Any] | None = None


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
    prediction = side_format(predictions[0], "prediction")
    if reference != prediction:
        got = (
            f"{described(predictions[0])} ({prediction.name}) as the first prediction and "
            f"{described(references[0])} ({reference.name}) as the first reference"
        )
        raise InputValueError(expected="predictions and references in one row format", got=got)
    return reference


def format_of(row: Any, side: Literal["prediction", "references"]) -> RowFormat | None:
    """The format of a row of one side; None if it has no known format."""
    try:
        return side_format(row, side)
    except ValueError:
        return None


def read_predictions(rows: Iterable[Any], form: RowFormat, where: Where) -> list[Row]:
    """Read the predictions with their ids.

    Raises:
        TypeError, ValueError: naming the first row that has another format.
    """
    return [read_prediction(row, form, where, index) for index, row in enumerate(rows)]


def read_prediction(row: Any, form: RowFormat, where: Where, index: int) -> Row:
    """Read one prediction with its id; errors as for `read_predictions`."""
    name, value = _read(row, form.prediction, where, index)
    if form is ANLS:
        _check_text(value, "prediction_text", where, index)
    return Row(name, value, confidence_in(row) if form is BY_ID else None)


def confidence_in(row: Mapping[str, Any]) -> Any:
    """The value under "confidence" in a prediction row by id; None if there is none."""
    return row.get("confidence")


def prediction_reader(form: RowFormat) -> Callable[[Any], Any]:
    """What gives the predicted value of a valid row."""
    return _row_itself if form.prediction is None else itemgetter(form.prediction)


def truth_reader(form: RowFormat) -> Callable[[Any], Any]:
    """What gives the ground truth of a valid row."""
    return _row_itself if form.references is None else partial(_answers_under, form.references)


def _row_itself(row: Any) -> Any:
    return row


def read_references(rows: Iterable[Any], form: RowFormat, where: Where) -> list[Row]:
    """Read the ground truths with their ids; a list of acceptable answers becomes a one-of.

    Raises:
        TypeError, ValueError: naming the first row that has another format, or no acceptable answer.
    """
    return [read_reference(row, form, where, index) for index, row in enumerate(rows)]


def read_reference(row: Any, form: RowFormat, where: Where, index: int) -> Row:
    """Read one ground truth with its id; errors as for `read_references`."""
    name, value = _read(row, form.references, where, index)
    if form.references is None:
        _refuse_id(value, where, index)
        return Row(None, value)
    answers = _answers(value, form.references, where, index)
    if form is ANLS:
        for answer in answers:
            _check_text(answer, "an answer", where, index)
    return Row(name, answers, source=row)


def side_format(row: Any, side: Literal["prediction", "references"]) -> RowFormat:
    """The format of a row of one side."""
    if isinstance(row, dict) and ID not in row and "id" in row and not VALUE_KEYS.isdisjoint(row):
        raise InputValueError(place=_plural(side), expected=f"the id under {ID!r}", got=described(row))
    if not isinstance(row, dict) or ID not in row:
        return PLAIN
    for form in (BY_ID, ANLS):
        if getattr(form, side) in row:
            return form
    expected = " or ".join(repr(getattr(form, side)) for form in (BY_ID, ANLS))
    swapped = " (are predictions and references swapped?)" if not VALUE_KEYS.isdisjoint(row) else ""
    raise InputValueError(place=_plural(side), expected=f"{expected} beside {ID!r}", got=described(row) + swapped)


def _plural(side: str) -> str:
    return "predictions" if side == "prediction" else side


def _read(row: Any, key: str | None, where: Where, index: int) -> tuple[str | None, Any]:
    if key is None:
        return None, row
    if not isinstance(row, dict) or ID not in row or key not in row:
        raise InputValueError(place=where(index), expected=f"an object with {ID!r} and {key!r}", got=described(row))
    return _id(row[ID], where, index), row[key]


def _check_text(value: Any, what: str, where: Where, index: int) -> None:
    if isinstance(value, dict | list | tuple):
        raise InputTypeError(place=where(index), expected=f"{what} to be text", got=type(value).__name__)


def _refuse_id(value: Any, where: Where, index: int) -> None:
    """Raise `ValueError` for a plain ground truth that looks like a row with an id.

    Predictions are not checked: a plain one is model output and may have any keys.
    """
    if isinstance(value, dict) and ID in value and not {"references", "answers"}.isdisjoint(value):
        expected = "a plain ground truth as in the first row"
        raise InputValueError(place=where(index), expected=expected, got=described(value))


def _id(value: Any, where: Where, index: int) -> str:
    """The id as text; integers are accepted, since many datasets have them."""
    if type(value) is str and value and value.isascii():
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return scalar_text(int(value))
    if not isinstance(value, str):
        got = f"{type(value).__name__} {short_repr(value)}"
        raise InputTypeError(place=where(index), expected=f"a string as {ID}", got=got)
    if not value or not _is_unicode(value):
        expected = f"a {ID} of at least one valid Unicode character"
        raise InputValueError(place=where(index), expected=expected, got=short_repr(value))
    return str.__str__(value)


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _answers(value: Any, key: str, where: Where, index: int) -> tuple[Any, ...]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple) or not value:
        got = "an empty list" if isinstance(value, list | tuple) else type(value).__name__
        expected = f"{key!r} to be a list of at least one acceptable answer"
        raise InputValueError(place=where(index), expected=expected, got=got)
    return tuple(value)


def _answers_under(key: str, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """The acceptable answers of a valid reference row."""
    answers = row[key]
    return tuple(answers.tolist() if isinstance(answers, np.ndarray) else answers)


def ids_of_plain_rows(
    rows: Sequence[Any], form: RowFormat, side: Literal["prediction", "references"]
) -> list[str] | None:
    """The ids of rows in which nothing can be wrong, told for all of them at once; None where each is to be checked.

    Their ids are ASCII text, and their values texts, numbers, booleans and nulls, as those of questions are.
    """
    key = getattr(form, side)
    if key is None or {*map(type, rows)} != {dict} or any("confidence" in row for row in rows):
        return None
    try:
        ids, values = list(map(itemgetter(ID), rows)), list(map(itemgetter(key), rows))
    except KeyError:
        return None
    if {*map(type, ids)} != {str} or not all(ids) or not all(map(str.isascii, ids)):
        return None
    if side == "prediction":
        return ids if LEAF_TYPES.issuperset(map(type, values)) else None
    are_lists = {*map(type, values)} == {list} and all(values)
    return ids if are_lists and LEAF_TYPES.issuperset(map(type, chain.from_iterable(values))) else None


def described(row: Any) -> str:
    """A short description of a row for messages."""
    if isinstance(row, dict):
        return "an object with " + (", ".join(short_repr(key) for key in list(row)[:NAMED]) or "no keys")
    return type(row).__name__
