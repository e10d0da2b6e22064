"""JSON in texts: what a model wrote, read exactly or repaired, and references that are JSON text."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from docscore.core.stack import with_room_to_recurse
from docscore.core.values import convert_prediction
from docscore.data.json_codec import loads


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


def parse_text(text: str, mode: str) -> Parsed:
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
    return Parsed(value) if can_be_scored(value) else Parsed(text, failed=True)


def parse_reference(truth: Any) -> Any:
    """The ground truth where a text, or each text among acceptable answers, holds it as JSON.

    Raises:
        ValueError: for a text that is not JSON as a whole.

    >>> parse_reference(('{"total": 1}', {"total": 2}))
    ({'total': 1}, {'total': 2})
    """
    if isinstance(truth, tuple):
        return tuple(map(parse_reference, truth))
    return loads(truth) if isinstance(truth, str) else truth


def _repaired(text: str) -> Parsed:
    """What a fenced block holds, or what `json-repair` makes of the text from its first object or list on."""
    fenced = _fenced(text)
    source = text.lstrip(_BEFORE) if fenced is None else fenced
    for value in (_as_it_is(source), _mended(source)):
        if isinstance(value, dict | list) and can_be_scored(value):
            return Parsed(value, repaired=True)
    return Parsed(text, failed=True)


def _fenced(text: str) -> str | None:
    """What the first fenced block holds, up to its end or that of the text; None where there is no block."""
    _, fence, behind = text.partition("```")
    if not fence:
        return None
    block, _, _ = behind.partition("```")
    return _LANGUAGE.sub("", block, count=1).strip()


def _as_it_is(source: str) -> Any:
    try:
        return loads(source)
    except ValueError:
        return None


def _mended(source: str) -> Any:
    """An object or list with something in it; brackets in prose, such as "see [1]", are no list."""
    from json_repair import repair_json  # noqa: PLC0415  only who repairs pays for the import

    start = _START.search(source)
    if start is None:
        return None
    try:
        return repair_json(source[start.start() :], return_objects=True, skip_json_loads=True) or None
    except (ValueError, RecursionError):
        return None


def can_be_scored(value: Any) -> bool:
    """Whether it is nested no deeper than can be scored."""
    try:
        with_room_to_recurse(convert_prediction, value)
    except ValueError:
        return False
    return True


_BEFORE = "\ufeff \t\r\n"  # a byte order mark, white space


_LANGUAGE = re.compile(r"\A[\w-]*")


# Where an object or a list begins: a key or a value follows. Brackets in prose, as in "[sic]" or "see [1]", are none.
# No two parts that repeat can match the same characters, so that the search takes time in proportion to the text.
_START = re.compile(
    r"""
    \{ \s* (?: ["'] | \w+ \s* : )
    | \[ \s* (?: ["'\[{] | (?: null | true | false | None | True | False ) \b )
    | \A \[ [-\d.,\s]+ (?: \] \s* )? \Z
    """,
    re.VERBOSE,
)
