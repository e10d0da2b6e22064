"""Rows of one side as an id and the JSON text of its value, the form in which they travel between workers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from docscore.core.errors import InputValueError, at_place
from docscore.core.values import MAX_DEPTH, Value, convert_ground_truth, convert_prediction
from docscore.data.json_codec import JsonError, json_members, json_value_at, loads
from docscore.data.rows import BY_ID, ID, Row, Where, read_prediction, read_reference
from docscore.data.stored_json import may_be_marked, store
from docscore.data.text_files import not_utf8

_READERS: dict[str, tuple[Callable[..., Row], Callable[[object], Value]]] = {
    "prediction": (read_prediction, convert_prediction),
    "references": (read_reference, convert_ground_truth),
}
# how most lines begin: with the id, a text without escapes or a whole number, and then the value
_BEGINNINGS = {
    key: re.compile(rf'\{{ ?"{ID}": ?(?:"([^"\\\x00-\x1f]+)"|(0|[1-9][0-9]{{0,17}})), ?"{key}": ?') for key in _READERS
}


def row_of_line(line: bytes, key: str, where: Where, index: int) -> tuple[str, str]:
    """The id of a row, and the JSON text of its value as it stands in the line.

    Args:
        line: a line of a JSONL file.
        key: "prediction" or "references".
        where: gives the place of a row of a number, for messages.
        index: the number of this row.

    Raises:
        TypeError, ValueError: naming the place, for a line that is no row of this side, or a value that cannot be
            scored.
    """
    try:
        source = line.decode()
    except UnicodeDecodeError as error:
        raise InputValueError(not_utf8(where(index), error)) from None
    usual = _usual_row(source, key)
    if usual is not None:
        return usual
    try:
        row = loads(source, unique_keys=True)
    except JsonError as error:
        raise InputValueError(error.in_place(where(index), one_line=True)) from None
    name, text = row_of_values(row, key, where, index)
    members = {} if may_be_marked(source) else json_members(source)
    return name, members[key][1] if members else text


def row_of_values(row: Any, key: str, where: Where, index: int) -> tuple[str, str]:
    """The id of a row that is an object in memory, and the JSON text of its value; errors as for `row_of_line`."""
    read, convert = _READERS[key]
    found = read(row, BY_ID, where, index)
    try:
        value = convert(found.value)
        return str(found.id), store(list(value) if isinstance(value, tuple) else value)
    except (TypeError, ValueError) as error:
        raise at_place(where(index), error) from None


def _usual_row(source: str, key: str) -> tuple[str, str] | None:
    """The same for a line as most are, a fraction of the work; None for any other, and for one with a fault."""
    beginning = _BEGINNINGS[key].match(source)
    if beginning is None:
        return None
    start = beginning.end()
    try:
        value, end = json_value_at(source, start)
    except (ValueError, RecursionError):
        return None
    text = source[start:end]
    if source[end:].rstrip("\r") != "}" or not _surely_scorable(value, text, key):
        return None
    return beginning[1] or beginning[2], text


def _surely_scorable(value: Any, text: str, key: str) -> bool:
    """Whether a value can be scored, as far as its text tells: its depth, and that no key is "$one_of" or a mark."""
    if text.count("[") + text.count("{") > MAX_DEPTH or may_be_marked(text):
        return False
    return key == "prediction" or (isinstance(value, list) and value != [] and "$" not in text and "\\" not in text)
