"""Reading the text that a model wrote as JSON, exactly or repaired, and saying which it was."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

from docscore.jsontext import loads
from docscore.values import convert_prediction

ParseMode = Literal["json", "repair"]


class Parsed(NamedTuple):
    """A prediction after parsing.

    Attributes:
        value: the JSON value, or the text as it is where none could be read.
        failed: whether none could be read.
        repaired: whether the text was not JSON, but could be repaired.
    """

    value: Any
    failed: bool = False
    repaired: bool = False


def check_mode(mode: str | None) -> ParseMode | None:
    """The mode if it is one.

    Raises:
        ValueError: for anything but None, "json" and "repair".
    """
    if mode is not None and mode not in get_args(ParseMode):
        msg = f"parse: expected None, 'json' or 'repair', got {mode!r}"
        raise ValueError(msg)
    return mode  # type: ignore[return-value]


def parse_text(text: str, mode: ParseMode) -> Parsed:
    """The JSON value in a model's text.

    "json" takes the text only if it is JSON as a whole. "repair" also finds an object or a list in a fenced block or
    behind prose, and mends trailing commas, single quotes, and text that breaks off (with `json-repair`).

    >>> parse_text('{"total": 1}', "json")
    Parsed(value={'total': 1}, failed=False, repaired=False)
    >>> parse_text('Here it is: {"total": 1,', "json").failed
    True
    >>> parse_text('Here it is: {"total": 1,', "repair")
    Parsed(value={'total': 1}, failed=False, repaired=True)
    """
    try:
        value = loads(text)
    except ValueError:
        return _repaired(text) if mode == "repair" else Parsed(text, failed=True)
    return Parsed(value) if _can_be_scored(value) else Parsed(text, failed=True)


def _repaired(text: str) -> Parsed:
    """An object or list with something in it, if `json-repair` finds one; scalars found in prose are guesses."""
    from json_repair import repair_json  # noqa: PLC0415  only who repairs pays for the import

    try:
        value = repair_json(text, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        return Parsed(text, failed=True)
    if isinstance(value, dict | list) and value and _can_be_scored(value):
        return Parsed(value, repaired=True)
    return Parsed(text, failed=True)


def _can_be_scored(value: Any) -> bool:
    """Whether it is nested no deeper than can be scored."""
    try:
        convert_prediction(value, {})
    except (ValueError, RecursionError):
        return False
    return True
