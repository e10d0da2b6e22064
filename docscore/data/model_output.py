"""Parse JSON from the output text of a model, exactly or with repair, and from references that are JSON text."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from docscore.core.runtime import with_room_to_recurse
from docscore.core.values import MAX_DEPTH, convert_prediction
from docscore.data.json_codec import loads
from docscore.data.json_mending import Steps, TooManyStepsError, mended_json

Reading = Literal["exact", "extracted", "mended", "failed"]


class Parsed(NamedTuple):
    """A prediction after parsing.

    Attributes:
        value: the JSON value, or the unchanged text if it could not be parsed.
        outcome: "exact" if the text is JSON; "extracted" if a part of it is, and prose or a fence around it was taken
            away; "mended" if that part was changed or cut off; "failed" if nothing could be parsed.
        note: why mending was given up; "" where it was not.
    """

    value: Any
    outcome: Reading = "exact"
    note: str = ""

    @property
    def failed(self) -> bool:
        """Whether the text could not be parsed."""
        return self.outcome == "failed"


def parse_text(text: str, mode: str) -> Parsed:
    """Parse the JSON value in the output text of a model.

    "json" accepts only text that is JSON as a whole. "repair" takes the first complete object or list that is JSON as
    it stands: in blocks fenced as json, in other fenced blocks, in the text; then a scalar that is all of a fenced
    block. Only where there is none, it mends the largest part that begins as an object or a list does (with
    `json-repair`): trailing commas, single quotes, text that is cut off. Thoughts before `</think>` are passed over.

    >>> parse_text('{"total": 1}', "json")
    Parsed(value={'total': 1}, outcome='exact', note='')
    >>> parse_text('Here it is: {"total": 1} (see [1])', "json").outcome
    'failed'
    >>> parse_text('Here it is: {"total": 1} (see [1])', "repair")
    Parsed(value={'total': 1}, outcome='extracted', note='')
    >>> parse_text('Here it is: {"total": 1,', "repair")
    Parsed(value={'total': 1}, outcome='mended', note='')
    """
    try:
        value = loads(text)
    except ValueError:
        return _found(text) if mode == "repair" else Parsed(text, "failed")
    shallow = text.count("[") + text.count("{") <= MAX_DEPTH  # told without a visit of the value
    return Parsed(value) if shallow or can_be_scored(value) else Parsed(text, "failed")


def parse_reference(truth: Any) -> Any:
    """Parse a ground truth that is JSON text, or each text among acceptable answers.

    Raises:
        ValueError: for a text that is not JSON as a whole.

    >>> parse_reference(('{"total": 1}', {"total": 2}))
    ({'total': 1}, {'total': 2})
    """
    if isinstance(truth, tuple):
        return tuple([loads(each) if isinstance(each, str) else parse_reference(each) for each in truth])
    return loads(truth) if isinstance(truth, str) else truth


def is_json_container(value: object) -> bool:
    """Whether a value is a text that is, as a whole, an object or a list in JSON."""
    return isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and _whole(value) is not None


def holds_json(value: object, *, mended: bool = False) -> bool:
    """Whether a value is a text in which an object or a list stands as it is, or, if `mended`, can be mended."""
    if not isinstance(value, str):
        return False
    found = parse_text(value, "repair")
    return isinstance(found.value, dict | list) and (mended or found.outcome != "mended")


def can_be_scored(value: Any) -> bool:
    """Whether a value can be scored: it is not nested too deeply."""
    try:
        with_room_to_recurse(convert_prediction, value)
    except ValueError:
        return False
    return True


def _found(text: str) -> Parsed:
    """The value in a text that is not JSON as a whole."""
    answer = _without_thoughts(text)
    blocks = _fenced_blocks(answer)
    damaged = []
    for source in (*blocks, answer):
        whole, largest = _first_whole(source)
        if whole is not None:
            return Parsed(whole, "extracted")
        damaged.append(largest)
    for block in blocks:
        scalar = parse_text(block, "json")
        if not (scalar.failed or isinstance(scalar.value, dict | list)):
            return scalar._replace(outcome="extracted")
    try:
        steps = Steps()
        mended = next(filter(_is_container, (mended_json(part, steps) for part in damaged if part)), None)
    except TooManyStepsError as error:
        return Parsed(text, "failed", f"not mended: {error}")
    return Parsed(text, "failed") if mended is None else Parsed(mended, "mended")


def _without_thoughts(text: str) -> str:
    """The text behind the thoughts of a model; nothing where they do not end."""
    ends = [found.end() for found in _END_OF_THOUGHTS.finditer(text)]
    if ends:
        return text[ends[-1] :]
    return "" if _THOUGHTS.match(text) else text


def _fenced_blocks(text: str) -> list[str]:
    """The content of the fenced blocks, up to their ends or that of the text: those marked json first."""
    marked: list[str] = []
    others: list[str] = []
    position = 0
    while fence := _FENCE.search(text, position):
        closing = _ANY_CLOSING.search(text, fence.end())
        if closing and "\n" in text[fence.end() : closing.start()]:
            closing = _CLOSING.search(text, fence.end())
        start, end = closing.span() if closing else (len(text), len(text))
        blocks = marked if fence[1].lower().startswith("json") else others
        block = text[fence.end() : start].strip(_BLANK)
        if block:
            blocks.append(block)
        position = end
    return marked + others


def _first_whole(source: str) -> tuple[Any, str]:
    """The first object or list that is JSON as it stands, or None; and the largest part that may be a damaged one."""
    position, left, largest = 0, _READ_AGAIN * len(source) + _READ_AGAIN, ""
    ends: dict[int, int] | None = None
    while left > 0 and (found := _BRACKET.search(source, position)):
        start = found.end() - 1
        likely = _LIKELY.match(source, start) or (start == 0 and _NUMBERS.match(source))
        position = found.end()
        if not likely and found[1] is None:
            continue
        ends = _ends_of_parts(source) if ends is None else ends
        end = ends.get(start, len(source))
        part = source[start:end]
        left -= end - start
        value = _whole(part)
        if value is not None and (likely or _REST_OF_LINE.match(source, end)):
            return value, ""
        if likely:
            position = end
            largest = max(largest, part, key=len)
    return None, largest


def _whole(part: str) -> Any:
    """The object or list that a text is; None if it is not JSON."""
    try:
        value = loads(part)
    except ValueError:
        return None
    return value if _is_container(value) else None


def _ends_of_parts(source: str) -> dict[int, int]:
    """Where each bracket that is closed is closed, told in one pass over the text.

    A bracket is closed outside of quoted texts, or, where it is not, anywhere. Whether a sign after it is quoted
    depends on the number of quotes since the bracket: there are brackets with an even number of quotes before them and
    such with an odd one, and each kind is closed among its own. A bracket behind a backslash opens nothing for others;
    it is closed where the one around it is.
    """
    quoted: dict[int, int] = {}
    plain: dict[int, int] = {}
    odd = False
    even_and_odd = _OpenBrackets(quoted), _OpenBrackets(quoted)
    regardless = _OpenBrackets(plain)
    for token in _TOKEN.finditer(source):
        sign = token[0]
        if sign == '"':
            odd = not odd
            continue
        for brackets in (even_and_odd[odd], regardless):
            if sign in ("}", "]"):
                brackets.close(token.end())
            elif sign[-1] in "{[":
                brackets.open(token.end() - 1, escaped=len(sign) > 1)
    return plain | quoted


class _OpenBrackets:
    """The brackets that are open at a place of a text.

    Args:
        ends: gets the end of each bracket that is closed, by its place.
    """

    def __init__(self, ends: dict[int, int]) -> None:
        self.ends = ends
        self.waiting: list[list[int]] = [[]]  # the places of brackets that are closed together, the outermost first

    def open(self, place: int, *, escaped: bool) -> None:
        """Open a bracket; one behind a backslash waits for the end of the one around it."""
        if escaped:
            self.waiting[-1].append(place)
        else:
            self.waiting.append([place])

    def close(self, end: int) -> None:
        """Close the brackets that were opened last."""
        self.ends.update(dict.fromkeys(self.waiting.pop(), end))
        self.waiting = self.waiting or [[]]


def _is_container(value: Any) -> bool:
    """Whether it is an object or a list that can be scored."""
    return isinstance(value, dict | list) and can_be_scored(value)


_BLANK = "\ufeff \t\r\n"  # a byte order mark, white space
_READ_AGAIN = 8  # times that the characters of a source are read before the search ends

_THOUGHTS = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)

_FENCE = re.compile(r"```[ \t]*([\w+.-]*)")
_CLOSING = re.compile(r"^[ \t]*```+", re.MULTILINE)
_ANY_CLOSING = re.compile(r"```+")

_BRACKET = re.compile(r"(^[ \t\ufeff]*)?[{\[]", re.MULTILINE)  # with what is before it, if it is the first of its line
_REST_OF_LINE = re.compile(r"[ \t\r]*(?:\n|\Z)")
_TOKEN = re.compile(r'\\.|["{}\[\]]', re.DOTALL)

# The beginning of an object or a list: a key or a value follows. Brackets in prose, as in "[sic]" or "see [1]", do not
# match. No two repeated parts match the same characters, so that a search takes linear time.
_LIKELY = re.compile(
    r"""
    \{ \s* (?: \\?["'“”‘’] | \w+ \s* : )
    | \[ \s* (?: \\?["'“”‘’\[{] | (?: null | true | false | None | True | False ) \b )
    """,
    re.VERBOSE,
)
_NUMBERS = re.compile(r"\[[-\d.,\s]+(?:\]\s*)?\Z")
