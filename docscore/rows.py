"""Rows of a test set: their three formats, and the pairing of predictions with references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from docscore.similarity import text
from docscore.values import shown

MissingMode = Literal["error", "zero"]
Where = Callable[[int], str]  # the name of a row in a message
_NAMED = 5  # ids that a message names at most


class RowFormat(NamedTuple):
    """A row format.

    Attributes:
        name: what messages call it.
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
_VALUE_KEYS = frozenset({"prediction", "prediction_text", "references", "answers"})


class Row(NamedTuple):
    """A value with its id; the id is None in the plain format."""

    id: str | None
    value: Any


class Pairs(NamedTuple):
    """Ground truths and predictions, paired in the order of the references.

    Attributes:
        ids: the ids; in the plain format the row numbers as text.
        truths: the ground truths.
        predictions: the predictions, None where one is missing.
        missing: how many are missing.
    """

    ids: list[str]
    truths: list[Any]
    predictions: list[Any]
    missing: int


def as_rows(rows: Any, side: str) -> list[Any]:
    """The rows as a list, from a list, an array, a dataset, a column or a series.

    Raises:
        TypeError: for a single value, which is no list of rows, and for a table of columns.
    """
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable) or hasattr(rows, "columns"):
        msg = f"{side}: expected a list of rows, got {type(rows).__name__}"
        raise TypeError(msg)
    return list(rows)


def row_format(predictions: Sequence[Any], references: Sequence[Any]) -> RowFormat:
    """The format of the rows, told by the first row of each side.

    Raises:
        ValueError: if there are no references, or the two sides have different formats.
    """
    if not len(references):
        msg = "references: expected at least one row, got none"
        raise ValueError(msg)
    reference = _side_format(references[0], "references")
    if not len(predictions):
        return reference
    prediction = _side_format(predictions[0], "prediction")
    if reference != prediction:
        msg = (
            "expected predictions and references in one row format, got "
            f"{_described(predictions[0])} ({prediction.name}) as the first prediction and "
            f"{_described(references[0])} ({reference.name}) as the first reference"
        )
        raise ValueError(msg)
    return reference


def read_predictions(rows: Iterable[Any], form: RowFormat, where: Where) -> list[Row]:
    """The predictions with their ids.

    Raises:
        TypeError, ValueError: naming the first row that has another format.
    """
    found = [_read(row, form.prediction, where, index) for index, row in enumerate(rows)]
    if form is ANLS:
        for index, row in enumerate(found):
            _check_text(row.value, "prediction_text", where, index)
    return found


def read_references(rows: Iterable[Any], form: RowFormat, where: Where) -> list[Row]:
    """The ground truths with their ids; a list of acceptable answers becomes a one-of.

    Raises:
        TypeError, ValueError: naming the first row that has another format, or no acceptable answer.
    """
    found = [_read(row, form.references, where, index) for index, row in enumerate(rows)]
    if form.references is None:
        _refuse_ids(found, where)
        return found
    answers = [Row(row.id, _answers(row.value, form.references, where, index)) for index, row in enumerate(found)]
    if form is ANLS:
        for index, row in enumerate(answers):
            for answer in row.value:
                _check_text(answer, "an answer", where, index)
    return answers


def pair_rows(predictions: Sequence[Row], references: Sequence[Row], missing: str = "error") -> Pairs:
    """Each ground truth with its prediction: by id, or by position where there are no ids.

    Args:
        predictions: rows of unique ids.
        references: rows of unique ids.
        missing: what happens to a reference without a prediction: "error", or "zero", which scores null and counts it.

    Raises:
        ValueError: for ids that occur twice, are unknown or missing; it names up to five.
    """
    check_missing(missing)
    if references[0].id is None:
        return _by_position(predictions, references)
    found = {row.id: row.value for row in predictions}
    wanted = [str(row.id) for row in references]
    _refuse("ids that occur more than once in the predictions", _repeated([str(row.id) for row in predictions]))
    _refuse("ids that occur more than once in the references", _repeated(wanted))
    _refuse("ids of predictions that no reference has", [str(i) for i in found.keys() - set(wanted)])
    absent = [i for i in wanted if i not in found]
    if missing == "error":
        _refuse("ids of references that no prediction has", absent, '; with missing "zero" they are scored as null')
    return Pairs(wanted, [row.value for row in references], [found.get(i) for i in wanted], len(absent))


def check_missing(missing: str) -> None:
    """Raise `ValueError` unless it is "error" or "zero"."""
    if missing not in get_args(MissingMode):
        msg = f"missing: expected 'error' or 'zero', got {missing!r}"
        raise ValueError(msg)


def _by_position(predictions: Sequence[Row], references: Sequence[Row]) -> Pairs:
    if len(predictions) != len(references):
        msg = f"expected as many predictions as references, got {len(predictions)} and {len(references)}"
        raise ValueError(msg)
    ids = [str(number) for number in range(len(references))]
    return Pairs(ids, [row.value for row in references], [row.value for row in predictions], 0)


def _side_format(row: Any, side: Literal["prediction", "references"]) -> RowFormat:
    """The format of a row of one side."""
    if isinstance(row, dict) and ID not in row and "id" in row and not _VALUE_KEYS.isdisjoint(row):
        msg = f"{_plural(side)}: expected the id under {ID!r}, got {_described(row)}"
        raise ValueError(msg)
    if not isinstance(row, dict) or ID not in row:
        return PLAIN
    for form in (BY_ID, ANLS):
        if getattr(form, side) in row:
            return form
    expected = " or ".join(repr(getattr(form, side)) for form in (BY_ID, ANLS))
    swapped = " (are predictions and references swapped?)" if not _VALUE_KEYS.isdisjoint(row) else ""
    msg = f"{_plural(side)}: expected {expected} beside {ID!r}, got {_described(row)}{swapped}"
    raise ValueError(msg)


def _plural(side: str) -> str:
    return "predictions" if side == "prediction" else side


def _read(row: Any, key: str | None, where: Where, index: int) -> Row:
    if key is None:
        return Row(None, row)
    if not isinstance(row, dict) or ID not in row or key not in row:
        msg = f"{where(index)}: expected an object with {ID!r} and {key!r}, got {_described(row)}"
        raise ValueError(msg)
    return Row(_id(row[ID], where, index), row[key])


def _check_text(value: Any, what: str, where: Where, index: int) -> None:
    if isinstance(value, dict | list | tuple):
        msg = f"{where(index)}: expected {what} to be text, got {type(value).__name__}"
        raise TypeError(msg)


def _refuse_ids(rows: list[Row], where: Where) -> None:
    """References alone tell: a plain prediction is what a model wrote, and may hold any keys."""
    for index, row in enumerate(rows):
        if isinstance(row.value, dict) and ID in row.value and not {"references", "answers"}.isdisjoint(row.value):
            msg = f"{where(index)}: expected a plain ground truth as in the first row, got {_described(row.value)}"
            raise ValueError(msg)


def _id(value: Any, where: Where, index: int) -> str:
    """The id as text; whole numbers are taken, as many datasets have them."""
    if type(value) is str and value and value.isascii():
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return text(int(value))
    if not isinstance(value, str):
        msg = f"{where(index)}: expected a string as {ID}, got {type(value).__name__} {shown(value)}"
        raise TypeError(msg)
    if not value or not _is_unicode(value):
        msg = f"{where(index)}: expected a {ID} of at least one valid Unicode character, got {shown(value)}"
        raise ValueError(msg)
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
        msg = f"{where(index)}: expected {key!r} to be a list of at least one acceptable answer, got {got}"
        raise ValueError(msg)
    return tuple(value)


def _repeated(ids: Sequence[str]) -> list[str]:
    seen: set[str] = set()
    return list(dict.fromkeys(i for i in ids if i in seen or seen.add(i)))  # type: ignore[func-returns-value]


def _refuse(fault: str, ids: Sequence[str], remedy: str = "") -> None:
    if ids:
        named = ", ".join(shown(i) for i in sorted(ids)[:_NAMED])
        more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
        msg = f"{fault} ({len(ids)}): {named}{more}{remedy}"
        raise ValueError(msg)


def _described(row: Any) -> str:
    """What a row is, in a few words."""
    if isinstance(row, dict):
        return "an object with " + (", ".join(shown(key) for key in list(row)[:_NAMED]) or "no keys")
    return type(row).__name__
