"""Parse JSON from the output text of a model, exactly or with repair, and from references that are JSON text."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from docscore.core.stack import with_room_to_recurse
from docscore.core.values import convert_prediction
from docscore.data.json_codec import loads


class Parsed(NamedTuple):
    """A prediction after parsing.

    Attributes:
        value: the JSON value, or the unchanged text if it could not be parsed.
        failed: whether the text could not be parsed.
        repaired: whether the text was not JSON, but could be repaired.
    """

    value: Any
    failed: bool = False
    repaired: bool = False


def parse_text(text: str, mode: str) -> Parsed:
    """Parse the JSON value in the output text of a model.

    "json" accepts only text that is JSON as a whole. "repair" also finds an object or a list in a fenced block or
    after prose, and repairs trailing commas, single quotes, and truncated text (with `json-repair`).

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
    """Parse a ground truth that is JSON text, or each text among acceptable answers.

    Raises:
        ValueError: for a text that is not JSON as a whole.

    >>> parse_reference(('{"total": 1}', {"total": 2}))
    ({'total': 1}, {'total': 2})
    """
    if isinstance(truth, tuple):
        return tuple(map(parse_reference, truth))
    return loads(truth) if isinstance(truth, str) else truth


def _repaired(text: str) -> Parsed:
    """The value in the first fenced block, or in the text, with `json-repair` if needed."""
    fenced = _fenced(text)
    source = text.lstrip(_BEFORE) if fenced is None else fenced
    for value in (_loaded(source), _mended(source)):
        if isinstance(value, dict | list) and can_be_scored(value):
            return Parsed(value, repaired=True)
    return Parsed(text, failed=True)


def _fenced(text: str) -> str | None:
    """The content of the first fenced block, up to its end or that of the text; None if there is no block."""
    _, fence, rest = text.partition("```")
    if not fence:
        return None
    block, _, _ = rest.partition("```")
    return _LANGUAGE.sub("", block, count=1).strip()


def _loaded(source: str) -> Any:
    """The value of a JSON text; None if it is not JSON."""
    try:
        return loads(source)
    except ValueError:
        return None


def _mended(source: str) -> Any:
    """The object or list that `json-repair` reads, None if empty; brackets in prose, as in "see [1]", are no list."""
    from json_repair import repair_json  # noqa: PLC0415  imported only when needed

    start = _START.search(source)
    if start is None:
        return None
    try:
        return repair_json(source[start.start() :], return_objects=True, skip_json_loads=True) or None
    except (ValueError, RecursionError):
        return None


def can_be_scored(value: Any) -> bool:
    """Whether a value can be scored: it is not nested too deeply."""
    try:
        with_room_to_recurse(convert_prediction, value)
    except ValueError:
        return False
    return True


_BEFORE = "\ufeff \t\r\n"  # a byte order mark, white space


_LANGUAGE = re.compile(r"\A[\w-]*")


# The beginning of an object or a list: a key or a value follows. Brackets in prose, as in "[sic]" or "see [1]", do not
# match. No two repeated parts match the same characters, so that the search takes linear time.
_START = re.compile(
    r"""
    \{ \s* (?: ["'] | \w+ \s* : )
    | \[ \s* (?: ["'\[{] | (?: null | true | false | None | True | False ) \b )
    | \A \[ [-\d.,\s]+ (?: \] \s* )? \Z
    """,
    re.VERBOSE,
)
