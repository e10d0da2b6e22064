"""JSON text: read and write it exactly, parse and mend the output of a model, store values."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from sys import intern
from typing import Any, Literal, NamedTuple

from docscore.core.errors import (
    Diagnostic,
    InputValueError,
    PlacePart,
    at_place,
    closer,
    json_fault,
    row_place,
    short_repr,
)
from docscore.core.limits import MAX_DIGITS, MAX_MENDED, MAX_STEPS
from docscore.core.numbers import DecimalText, decimal_of, float_or_digits
from docscore.core.runtime import with_room_to_recurse
from docscore.core.values import LEAF_TYPES, MAX_DEPTH, Value, convert_ground_truth, convert_prediction, to_json

_encode = json.JSONEncoder().encode
_encode_strictly = json.JSONEncoder(allow_nan=False).encode


class JsonError(InputValueError):
    """A text is not JSON, is nested too deep, has an object with a key twice, or a number that is too long.

    Attributes:
        line: the line of the fault, counted from 1; None if unknown.
        column: the column of the fault, counted from 1; None if unknown.
    """

    def __init__(self, diagnostic: Diagnostic, line: int | None = None, column: int | None = None) -> None:
        super().__init__(diagnostic)
        self.line = line
        self.column = column

    def in_place(self, place: PlacePart, *, one_line: bool = False) -> Diagnostic:
        """Return the diagnostic of the error for a text that is part of something larger, such as a file.

        Args:
            place: the place of the text.
            one_line: whether texts at this place have one line, so that the message names only the column.
        """
        if self.line is None:
            return Diagnostic((place,), problem=self.problem, joint=", ")
        line = "" if one_line and self.line == 1 else f"line {self.line}, "
        return Diagnostic((closer(place, f"{line}column {self.column}"),), problem=self.problem)


def loads(source: str, *, unique_keys: bool = False) -> Any:
    """Parse a JSON text; accept `NaN` and `Infinity`, as the standard module does.

    A number beyond every float, such as 1e400, becomes a text of its digits (`docscore.core.numbers.DecimalText`).

    Args:
        source: the text.
        unique_keys: whether a repeated key in an object is an error; otherwise the last one counts.

    Raises:
        JsonError: a ValueError such as "line 1, column 9: expecting ..." if the text is not JSON, or if it has a number
            of more than `MAX_DIGITS` digits.

    >>> loads('{"total": "12.50"}')
    {'total': '12.50'}
    """
    if source.startswith("\ufeff"):
        raise JsonError(Diagnostic(("line 1, column 1",), problem="unexpected byte order mark"), 1, 1)
    try:
        return with_room_to_recurse((_UNIQUE_KEYS if unique_keys else _ANY_KEYS).decode, source)
    except json.JSONDecodeError as error:
        raise JsonError(json_fault(error), error.lineno, error.colno) from None
    except RecursionError:
        raise JsonError(Diagnostic(problem=f"nested deeper than {MAX_DEPTH} levels")) from None
    except JsonError:
        raise
    except ValueError:  # an integer of more digits than Python reads
        raise JsonError(Diagnostic(problem=f"a number of more than {MAX_DIGITS:,} digits")) from None


def loads_at(source: str, place: PlacePart) -> Any:
    """Parse a JSON text without repeated keys; errors name the place of the text.

    Args:
        source: the text.
        place: the place of the text, such as a file.

    Raises:
        InputValueError: such as "refs.json, line 2, column 9: expecting ..." if the text is not JSON.
    """
    try:
        return loads(source, unique_keys=True)
    except JsonError as error:
        raise InputValueError(error.in_place(place)) from None


def dumps(value: Value) -> str:
    r"""Write a value as ASCII JSON that `loads` reads as the same value, with one-ofs as `{"$one_of": [...]}`.

    There are two exceptions. A surrogate pair in a text is read as the character that it encodes. The digits of a
    decimal are read as text; `store` keeps the decimal.

    Raises:
        ValueError: for an integer of more digits than `loads` reads.

    >>> dumps({"a": ("x", "\ud800"), "n": float("nan")})
    '{"a": {"$one_of": ["x", "\\ud800"]}, "n": NaN}'
    """
    return _encode(value) if type(value) is str else with_room_to_recurse(_dumped, value)


def dumps_strictly(value: Any) -> str:
    """Write a result as ASCII JSON for any parser, with NaN and infinite numbers as null and tuples as lists.

    >>> dumps_strictly({"share": float("nan")})
    '{"share": null}'
    """
    return with_room_to_recurse(_dumped_strictly, value)


def _dumped_strictly(value: Any) -> str:
    try:
        return _encode_strictly(value)
    except ValueError:  # a number that is not finite, or an integer of more digits than Python prints
        return _dumped(_finite(value))


def _finite(value: Any) -> Any:
    """Return the value with null in place of each number that JSON lacks."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_finite, value))
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _dumped(value: Value) -> str:
    try:
        return _encode(to_json(value))
    except ValueError:
        raise InputValueError(problem=f"an integer of more than {MAX_DIGITS:,} digits") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    items = {intern(key): value for key, value in pairs}  # rows share their keys
    if len(items) < len(pairs):
        repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise JsonError(Diagnostic(problem=f"key {short_repr(repeated)} occurs twice in one object"))
    return items


_ANY_KEYS = json.JSONDecoder(parse_float=float_or_digits)
_UNIQUE_KEYS = json.JSONDecoder(parse_float=float_or_digits, object_pairs_hook=_unique)


_DOUBLE = str.maketrans("“”„‟", '""""')
_SINGLE = str.maketrans("‘’‚‛", "''''")
_A_STEP = 32  # characters that Python copies in the time of a step


class TooManyStepsError(Exception):
    """To mend a text would take too many steps."""


class Steps:
    """The budget that is left to mend the parts of one text.

    An instance replaces the attribute in which the parser of `json-repair` holds its text, so that it also counts the
    steps in texts that the parser changes.

    Attributes:
        left: the number of times that the parser may still read a character.
        characters: the number of characters that may still be mended. Strings of `json-repair` grow by copying, one
            character at a time.
    """

    def __init__(self) -> None:
        self.left = MAX_STEPS
        self.characters = MAX_MENDED

    def __set__(self, parser: Any, text: str) -> None:
        counted = _CountedText(text)
        counted.steps = self
        vars(parser)["json_str"] = counted


class _CountedText(str):
    """A text that counts how often its characters are read."""

    __slots__ = ("steps",)
    steps: Any  # a `Steps`; with that annotation, it would be taken for a descriptor

    def __getitem__(self, key: Any) -> str:
        part = str.__getitem__(self, key)
        self.steps.left -= 1 + len(part) // _A_STEP
        if self.steps.left < 0:
            problem = f"it takes more than {MAX_STEPS:,} steps"
            raise TooManyStepsError(problem)
        return part


def mended_json(source: str, steps: Steps) -> Any:
    """Return the value of a damaged JSON text; None if it has none, or an empty one.

    `json-repair` takes a time that grows with the square of the length of some texts. Its steps are counted and not
    timed, so that all machines mend or give up the same texts.

    Args:
        source: the text, or a part of one.
        steps: the budget that is left for all parts of the text.

    Raises:
        TooManyStepsError: if it takes more than `MAX_STEPS` steps, or has more than `MAX_MENDED` characters.

    >>> mended_json('{"total": "12.50", "items": [{"name": "tea"', Steps())
    {'total': '12.50', 'items': [{'name': 'tea'}]}
    """
    from json_repair.json_parser import JSONParser  # noqa: PLC0415  imported only when needed

    straight = _with_straight_quotes(source)
    try:
        return loads(straight)
    except ValueError:
        steps.characters -= len(straight)
    if steps.characters < 0:
        problem = f"it has more than {MAX_MENDED:,} characters"
        raise TooManyStepsError(problem)
    counting = type("CountingParser", (JSONParser,), {"json_str": steps})
    try:
        return counting(straight, None, False, try_valid_json_suffix=True).parse() or None  # noqa: FBT003  logging
    except (ValueError, RecursionError):
        return None


def _with_straight_quotes(source: str) -> str:
    """Replace typographic quotes in a text that has no others; if it has others, they are part of its strings."""
    if '"' in source:
        return source
    double = source.translate(_DOUBLE)
    return double if '"' in double or "'" in double else double.translate(_SINGLE)


_MARK = "$decimal"
_PLAIN = LEAF_TYPES - {DecimalText}


def store(value: Value) -> str:
    r"""Write a value as JSON text, as `dumps` does, but a decimal as `{"$decimal": "12.50"}`.

    An object that has the key `$decimal` itself is wrapped once more, so that `restore` does not take it for a decimal.

    >>> from docscore.core.values import convert_prediction
    >>> from decimal import Decimal
    >>> store(convert_prediction({"total": Decimal("12.50"), "tax": "12.50"}))
    '{"total": {"$decimal": "12.50"}, "tax": "12.50"}'
    >>> store({"$decimal": "1"})
    '{"$decimal": {"$decimal": "1"}}'
    """
    return dumps(value if type(value) in _PLAIN else with_room_to_recurse(_marked, value))


def restore(source: str, *, unique_keys: bool = False) -> Any:
    """Read a text that `store` wrote; one-ofs stay `{"$one_of": [...]}`; errors as for `loads`."""
    value = loads(source, unique_keys=unique_keys)
    return with_room_to_recurse(_unmarked, value) if _MARK in source else value


def _marked(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        if _MARK not in value and _PLAIN.issuperset(map(type, value.values())):
            return value
        items = {key: _marked(item) for key, item in value.items()}
        return {_MARK: items} if _MARK in value else items
    if kind is list or kind is tuple:
        return value if _PLAIN.issuperset(map(type, value)) else kind(map(_marked, value))
    return value if kind in _PLAIN else {_MARK: str(value)}


def _unmarked(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(_unmarked, value))
    if not isinstance(value, dict):
        return value
    if _MARK not in value:
        return {key: _unmarked(item) for key, item in value.items()}
    inner = value[_MARK]
    if isinstance(inner, str):
        exact = decimal_of(inner)  # a decimal is no text that could be parsed
        return DecimalText(inner) if exact is None or str(exact) != inner else exact
    return {key: _unmarked(item) for key, item in inner.items()}


PARSE_COUNTS = {
    "failed": "parse_failures",
    "extracted": "parse_extracted",
    "mended": "parse_mended",
    "ambiguous": "parse_ambiguous",
}
ParseOutcome = Literal["exact", "extracted", "mended", "ambiguous", "failed"]
COUNTED_OUTCOMES: dict[str | None, tuple[ParseOutcome, ...]] = {  # by `parse`
    None: (),
    "json": ("failed",),
    "repair": ("failed", "extracted", "mended", "ambiguous"),
}


class Parsed(NamedTuple):
    """A prediction after parsing.

    Attributes:
        value: the JSON value, or the unchanged text if it could not be parsed.
        outcome: "exact" if the text is JSON; "extracted" if a part of it is, within prose or a fence; "ambiguous" if
            several parts with different values are; "mended" if a part was changed or cut off; "failed" if nothing
            could be parsed.
        note: which of several values was taken, or why mending was given up; otherwise "".
    """

    value: Any
    outcome: ParseOutcome = "exact"
    note: str = ""

    @property
    def failed(self) -> bool:
        """Return whether the text could not be parsed."""
        return self.outcome == "failed"


def parse_text(text: str, mode: str, truth: Any = None) -> Parsed:
    """Parse the JSON value in the output text of a model.

    "json" accepts only a text that is JSON as a whole. "repair" ignores thoughts before `</think>`, and takes from the
    rest, in this order:

    1. An object or a list that is JSON as it stands. If there are several with different values, it prefers those of
       the type of the ground truth, and among these the last one in a fenced block, or otherwise the last one. A value
       inside a bracket that is not closed does not count.
    2. A scalar that is the whole content of a fenced block.
    3. The largest part that begins like an object or a list, mended with `json-repair`: trailing commas, single quotes,
       text that is cut off.

    Args:
        text: the output of the model.
        mode: "json" or "repair".
        truth: the ground truth; a tuple holds acceptable answers.

    >>> parse_text('{"total": 1}', "json")
    Parsed(value={'total': 1}, outcome='exact', note='')
    >>> parse_text('Here it is: {"total": 1} (see [1])', "json").outcome
    'failed'
    >>> parse_text('Here it is: {"total": 1} (see [1])', "repair")
    Parsed(value={'total': 1}, outcome='extracted', note='')
    >>> parse_text('Here it is: {"total": 1,', "repair")
    Parsed(value={'total': 1}, outcome='mended', note='')
    >>> parse_text('Fields: ["total"]. {"total": 1}', "repair", {"total": 1})
    Parsed(value={'total': 1}, outcome='ambiguous', note='2 complete values, of which the only object was taken')
    """
    try:
        value = loads(text)
    except ValueError:
        return _repaired(text, truth) if mode == "repair" else Parsed(text, "failed")
    is_shallow = text.count("[") + text.count("{") <= MAX_DEPTH  # known without a visit of the value
    return Parsed(value) if is_shallow or can_be_scored(value) else Parsed(text, "failed")


def parse_predictions(
    predictions: Sequence[Any], truths: Sequence[Any], mode: str
) -> tuple[list[Any], dict[int, Parsed]]:
    """Read text predictions as JSON; return all predictions, and how each text was read, by its row number."""
    readings: dict[int, Parsed] = {}
    values = list(predictions)
    for number, prediction in enumerate(values):
        if type(prediction) is str:  # and not the digits of a number
            parsed = parse_text(prediction, mode, truths[number])
            values[number], readings[number] = parsed.value, parsed._replace(value=None)
    return values, readings


def parsed_reference(name: str, truth: Any) -> Any:
    """Return the ground truth of a row with its texts read as JSON.

    Args:
        name: the id of the row.
        truth: the ground truth; a tuple holds acceptable answers.

    Raises:
        TypeError, ValueError: for a text that is not JSON as a whole or cannot be scored, naming the row.

    >>> parsed_reference("a", ('{"total": 1}', {"total": 2}))
    ({'total': 1}, {'total': 2})
    """
    try:
        return convert_ground_truth(_read_answers(truth))
    except ValueError as error:
        raise at_place(closer(row_place(name), "an answer"), error) from None


def _read_answers(truth: Any) -> Any:
    if isinstance(truth, tuple):
        return tuple(map(_read_answers, truth))
    return loads(truth) if type(truth) is str else truth


def is_json_container(value: object) -> bool:
    """Return whether a value is a text that is, as a whole, an object or a list in JSON."""
    return isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and _container_in(value) is not None


def holds_json(value: object, *, mended: bool = False) -> bool:
    """Return whether a value is a text that contains an object or a list, as it stands or, if `mended`, mended."""
    if not isinstance(value, str):
        return False
    parsed = parse_text(value, "repair")
    return isinstance(parsed.value, dict | list) and (mended or parsed.outcome != "mended")


def can_be_scored(value: Any) -> bool:
    """Return whether a value can be scored: it is not nested too deeply."""
    try:
        with_room_to_recurse(convert_prediction, value)
    except ValueError:
        return False
    return True


def _repaired(text: str, truth: Any) -> Parsed:
    """Parse a text that is not JSON as a whole."""
    *thoughts, answer = _END_OF_THOUGHTS.split(text)
    if not thoughts and _THOUGHTS.match(text):  # thoughts that do not end
        answer = ""
    blocks = _fenced_blocks(answer)
    values: list[tuple[int, bool, Any]] = []  # the start of each, whether it is in a block, and the value
    damaged = []
    for start, end, _ in blocks:
        whole, largest = _whole_values(answer[start:end])
        values += [(start + at, True, value) for at, value in whole]
        damaged.append(largest)
    whole, largest = _whole_values(answer)
    starts = [start for start, _, _ in blocks]
    for at, value in whole:
        block = bisect_right(starts, at) - 1
        if block < 0 or at >= blocks[block][1]:
            values.append((at, False, value))
    if not values:
        scalars = [(start, True, parse_text(answer[start:end], "json")) for start, end, _ in blocks]
        values = [(at, fenced, scalar.value) for at, fenced, scalar in scalars if not scalar.failed]
    if values:
        return _chosen(sorted(values, key=lambda value: value[0]), truth)
    marked_first = sorted(zip(blocks, damaged, strict=False), key=lambda block: not block[0][2])
    parts = [part for _, part in marked_first] + [largest]
    steps = Steps()
    try:
        mended = next(filter(_is_container, (mended_json(part, steps) for part in parts if part)), None)
    except TooManyStepsError as error:
        return Parsed(text, "failed", f"not mended: {error}")
    return Parsed(text, "failed") if mended is None else Parsed(mended, "mended")


def _chosen(values: list[tuple[int, bool, Any]], truth: Any) -> Parsed:
    """Choose one of the values that a text contains as JSON, by the rule of `parse_text`."""
    different: dict[str, tuple[bool, Any]] = {}  # in the order of their last occurrences
    for _, fenced, value in values:
        key = json.dumps(value, sort_keys=True)
        different[key] = fenced or different.pop(key, (False,))[0], value
    if len(different) == 1:
        return Parsed(values[0][2], "extracted")
    kinds = kinds_of(truth)
    of_kind = [entry for entry in different.values() if type(entry[1]) in kinds]
    candidates = of_kind or list(different.values())
    in_blocks = [value for fenced, value in candidates if fenced]
    value = in_blocks[-1] if in_blocks else candidates[-1][1]
    if len(of_kind) == 1:
        rule = f"only {'object' if isinstance(value, dict) else 'list'}"
    else:
        rule = "last one in a fenced block" if in_blocks else "last one"
    return Parsed(value, "ambiguous", f"{len(different):,} complete values, of which the {rule} was taken")


def kinds_of(truth: Any) -> set[type]:
    """Return the types of a ground truth and of its alternatives."""
    return set().union(*map(kinds_of, truth)) if isinstance(truth, tuple) else {type(truth)}


def _fenced_blocks(text: str) -> list[tuple[int, int, bool]]:
    """Return the start and end of each fenced block that is not empty, and whether the block is marked as json."""
    blocks = []
    position = 0
    while fence := _FENCE.search(text, position):
        closing = _ANY_CLOSING.search(text, fence.end())
        if closing and "\n" in text[fence.end() : closing.start()]:
            closing = _CLOSING.search(text, fence.end())
        start, position = closing.span() if closing else (len(text), len(text))
        if text[fence.end() : start].strip(_BLANK):
            blocks.append((fence.end(), start, fence[1].lower().startswith("json")))
    return blocks


def _whole_values(source: str) -> tuple[list[tuple[int, Any]], str]:
    """Return the objects and lists that are JSON as they stand, with their starts, and the largest damaged part."""
    source = source.rstrip(_BLANK)
    position, left, largest = 0, _READ_AGAIN * len(source) + _READ_AGAIN, ""
    first = len(source) - len(source.lstrip(_BLANK))
    ends: dict[int, int] | None = None
    values = []
    while left > 0 and (bracket := _BRACKET.search(source, position)):
        start = bracket.end() - 1
        likely = _LIKELY.match(source, start) or (start == first and _NUMBERS.match(source, start))
        position = bracket.end()
        if not likely and bracket[1] is None:
            continue
        ends = _ends_of_parts(source) if ends is None else ends
        end = ends.get(start, len(source))
        part = source[start:end]
        left -= end - start
        value = _container_in(part)
        if value is not None and (likely or _REST_OF_LINE.match(source, end)):
            values.append((start, value))
            position = end
        elif likely:
            position = end
            largest = max(largest, part, key=len)
    return values, largest


def _container_in(part: str) -> Any:
    """Return the object or list that a text is as a whole; None if it is not JSON."""
    try:
        value = loads(part)
    except ValueError:
        return None
    return value if _is_container(value) else None


def _ends_of_parts(source: str) -> dict[int, int]:
    """Return the end of each bracket that is closed, by its start, in one pass over the text.

    A bracket is closed outside of quoted texts, or otherwise anywhere. Whether a sign after it is quoted depends on the
    number of quotes since the bracket. So brackets after an even number of quotes close among themselves, and those
    after an odd number too. A bracket after a backslash closes together with the bracket around it.
    """
    quoted: dict[int, int] = {}
    plain: dict[int, int] = {}
    odd = False
    even_and_odd: tuple[list[list[int]], list[list[int]]] = [[]], [[]]
    regardless: list[list[int]] = [[]]  # the places of brackets that are closed together, the outermost first
    for token in _TOKEN.finditer(source):
        sign = token[0]
        if sign == '"':
            odd = not odd
            continue
        for waiting, ends in ((even_and_odd[odd], quoted), (regardless, plain)):
            if sign in ("}", "]"):
                ends.update(dict.fromkeys(waiting.pop(), token.end()))
                if not waiting:
                    waiting.append([])
            elif sign[-1] in "{[" and len(sign) > 1:
                waiting[-1].append(token.end() - 1)
            elif sign[-1] in "{[":
                waiting.append([token.end() - 1])
    return plain | quoted


def _is_container(value: Any) -> bool:
    """Return whether a value is an object or a list that can be scored."""
    return isinstance(value, dict | list) and can_be_scored(value)


_BLANK = "\ufeff \t\r\n"  # a byte order mark, white space
_READ_AGAIN = 8  # the search ends when the characters of a source were read this many times

_THOUGHTS = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)

_FENCE = re.compile(r"```[ \t]*([\w+.-]*)")
_CLOSING = re.compile(r"^[ \t]*```+", re.MULTILINE)
_ANY_CLOSING = re.compile(r"```+")

_BRACKET = re.compile(r"(^[ \t\ufeff]*)?[{\[]", re.MULTILINE)  # with the blanks before it at the start of a line
_REST_OF_LINE = re.compile(r"[ \t\r]*(?:\n|\Z)")
_TOKEN = re.compile(r'\\.|["{}\[\]]', re.DOTALL)

# The beginning of an object or a list: a key or a value follows. Brackets in prose, as in "[sic]" or "see [1]", do not
# match. A search takes linear time, since no two repeated parts match the same characters.
_LIKELY = re.compile(
    r"""
    \{ \s* (?: \\?["'“”‘’] | \w+ \s* : )
    | \[ \s* (?: \\?["'“”‘’\[{] | (?: null | true | false | None | True | False ) \b )
    """,
    re.VERBOSE,
)
_NUMBERS = re.compile(r"\[[-\d.,\s]+(?:\]\s*)?\Z")
