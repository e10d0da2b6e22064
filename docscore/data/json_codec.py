"""Read and write JSON text, beyond the standard module: integers of any length, deep nesting, unique keys."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from docscore.core.decimals import LongFloat
from docscore.core.errors import Diagnostic, InputValueError, PlacePart, closer, short_repr
from docscore.core.limits import check_digits
from docscore.core.runtime import with_room_to_recurse
from docscore.core.values import MAX_DEPTH, Value, scalar_text, to_json

_encode = json.JSONEncoder().encode
_encode_strictly = json.JSONEncoder(allow_nan=False).encode


_CONTAINERS = frozenset({dict, list})
_NAME = re.compile(r'[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*')  # without escapes
_BEGINNING = re.compile(r"[ \t\n\r]*(\{)")
_AFTER_VALUE = re.compile(r"[ \t\n\r]*([,}])[ \t\n\r]*")


class JsonError(InputValueError):
    """A text that is not JSON, is nested too deep, has an object with a key twice, or a number that is too long.

    Attributes:
        line: the line of the fault, counted from 1; None if unknown.
        column: the column of the fault, counted from 1; None if unknown.
    """

    def __init__(self, diagnostic: Diagnostic, line: int | None = None, column: int | None = None) -> None:
        super().__init__(diagnostic)
        self.line = line
        self.column = column

    def in_place(self, place: PlacePart, *, one_line: bool = False) -> Diagnostic:
        """The diagnostic of the error for a text that is part of something larger, such as a file.

        Args:
            place: the place of the text.
            one_line: whether texts at this place have one line; line 1 is then not named, only the column.
        """
        if self.line is None:
            return Diagnostic((place,), problem=self.problem, joint=", ")
        line = "" if one_line and self.line == 1 else f"line {self.line}, "
        detail = f"{line}column {self.column}"
        return Diagnostic((closer(place, detail),), problem=self.problem)


def loads(source: str, *, unique_keys: bool = False) -> Any:
    """Parse a JSON text; `NaN` and `Infinity` are accepted, as by the standard module.

    Args:
        source: the text.
        unique_keys: whether a repeated key in an object is an error; otherwise the last one counts.

    Raises:
        JsonError: a ValueError "line 1, column 9: expecting ..." where the text is not JSON, or one for a number
            of more than `MAX_DIGITS` digits.

    >>> loads('{"total": "12.50"}')
    {'total': '12.50'}
    """
    try:
        return with_room_to_recurse(_parsed, source, _UNIQUE_KEYS if unique_keys else _ANY_KEYS)
    except json.JSONDecodeError as error:
        fault = error.msg.removesuffix(" at")  # some messages end in "at", before line and column
        place = f"line {error.lineno}, column {error.colno}"
        diagnostic = Diagnostic((place,), problem=f"{fault[0].lower()}{fault[1:]}")
        raise JsonError(diagnostic, error.lineno, error.colno) from None
    except RecursionError:
        raise JsonError(Diagnostic(problem=f"nested deeper than {MAX_DEPTH} levels")) from None
    except JsonError:
        raise
    except InputValueError as error:
        raise JsonError(error.diagnostic) from None


def quick_loads(line: str) -> tuple[Any, bool]:
    """The value of a line of JSON without repeated keys, and whether that was all of it; for what is usual, quickly.

    Raises:
        ValueError, RecursionError: for anything else, of which `loads` says what it is.
    """
    value, end = _UNIQUE_KEYS[0].raw_decode(line)
    return value, end == len(line) or line[end:] == "\n"


def loads_at(source: str, place: PlacePart, *, one_line: bool = False) -> Any:
    """Parse a JSON text without repeated keys; errors name the place of the text.

    Args:
        source: the text.
        place: the place of the text, such as a file.
        one_line: whether texts at this place have one line; line 1 is then not named, only the column.

    Raises:
        InputValueError: "refs.json, line 2, column 9: expecting ..." where the text is not JSON.
    """
    try:
        return loads(source, unique_keys=True)
    except JsonError as error:
        raise InputValueError(error.in_place(place, one_line=one_line)) from None


def json_value_at(source: str, position: int) -> tuple[Any, int]:
    """Parse the JSON value that begins at a position of a text; return it, and the position after it.

    Raises:
        ValueError, RecursionError: where none begins there, or it has faults or repeated keys; `loads` says which.
    """
    return _UNIQUE_KEYS[0].raw_decode(source, position)


def json_members(source: str) -> dict[str, tuple[Any, str]]:
    """The value of each key of a JSON object, and the text that spells it, with all its digits.

    Empty for what is no object, has faults or repeated keys, or has escapes in a key. `loads` says what is wrong, if
    anything is.

    >>> json_members('{"a": 1.50, "b": ["x"]}')
    {'a': (1.5, '1.50'), 'b': (['x'], '["x"]')}
    """
    found: dict[str, tuple[Any, str]] = {}
    after = _BEGINNING.match(source)
    position = after.end() if after else 0
    try:
        while after and after[1] != "}":
            name = _NAME.match(source, position)
            if name is None or name[1] in found:
                return {}
            value, end = json_value_at(source, name.end())
            found[name[1]] = value, source[name.end() : end]
            after = _AFTER_VALUE.match(source, end)
            position = after.end() if after else 0
    except (ValueError, RecursionError):
        return {}
    return found if position == len(source) else {}


def loads_all(sources: Sequence[str]) -> list[Any]:
    """Parse JSON texts written by `dumps`, all in one call of the parser."""
    try:
        values: list[Any] = _ANY_KEYS[0].decode(f"[{','.join(sources)}]")
    except (ValueError, RecursionError):
        return list(map(loads, sources))
    return values


def dumps(value: Value) -> str:
    r"""Write the value as ASCII JSON that `loads` reads as the same value; one-ofs as `{"$one_of": [...]}`.

    Exception: a surrogate pair in a text is read as the character that it encodes.

    Raises:
        ValueError: for a number of more digits than `loads` reads.

    >>> dumps({"a": ("x", "\ud800"), "n": float("nan")})
    '{"a": {"$one_of": ["x", "\\ud800"]}, "n": NaN}'
    """
    return _encode(value) if type(value) is str else with_room_to_recurse(_dumped, value)


def dumps_strictly(value: Any) -> str:
    """Write a result as ASCII JSON that any parser reads: NaN and infinite numbers as null, tuples as lists.

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
    """The value with null in place of each number that JSON lacks."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_finite, value))
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _dumped(value: Value) -> str:
    plain = to_json(value)
    if _has_digits_beside(plain):
        return _dumps_long_numbers(plain)
    try:
        return _encode(plain)
    except ValueError:  # an integer of more digits than Python prints
        return _dumps_long_numbers(plain)


def _has_digits_beside(value: Any) -> bool:
    """Whether a value is, or holds, a number that the encoder would print as its float."""
    kind = type(value)
    if kind is not dict and kind is not list:
        return kind is LongFloat
    items = value.values() if kind is dict else value
    kinds = {*map(type, items)}
    return LongFloat in kinds or (not kinds.isdisjoint(_CONTAINERS) and any(map(_has_digits_beside, items)))


def _parsed(source: str, decoders: tuple[json.JSONDecoder, ...]) -> Any:
    usual, of_long_integers = decoders
    if source.startswith("\ufeff"):
        return json.loads(source)  # raises an error that names the byte order mark
    try:
        return _whole(source, usual)
    except (json.JSONDecodeError, InputValueError):
        raise
    except ValueError:  # an integer of more digits than Python reads
        return of_long_integers.decode(source)


def _integer(digits: str) -> int:
    check_digits(len(digits))
    return int(Decimal(digits))


def _whole(source: str, decoder: json.JSONDecoder) -> Any:
    """The value of a text, at once where nothing is around it."""
    try:
        value, end = decoder.raw_decode(source)
    except json.JSONDecodeError:
        end = -1
    return value if end == len(source) else decoder.decode(source)


def _decoders(hook: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None) -> tuple[json.JSONDecoder, ...]:
    """A decoder, and one for texts with integers of more digits than Python reads; each is made once, which is slow."""
    return tuple(
        json.JSONDecoder(object_pairs_hook=hook, parse_float=LongFloat.reading, parse_int=read)
        for read in (None, _integer)
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    items = dict(pairs)
    if len(items) < len(pairs):
        _refuse_repeated_key(pairs)
    return items


def _refuse_repeated_key(pairs: list[tuple[str, Any]]) -> None:
    """Raise `JsonError` for the first key that occurs again."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise JsonError(Diagnostic(problem=f"key {short_repr(key)} occurs twice in one object"))
        seen.add(key)


def _dumps_long_numbers(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {_dumps_long_numbers(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_dumps_long_numbers, value)) + "]"
    if isinstance(value, LongFloat):
        return value.digits
    if isinstance(value, int) and not isinstance(value, bool):
        digits = scalar_text(value)
        check_digits(len(digits))
        return digits
    return json.dumps(value)


_ANY_KEYS, _UNIQUE_KEYS = _decoders(None), _decoders(_unique)
