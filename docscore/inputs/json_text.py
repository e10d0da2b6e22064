"""JSON text: read it strictly with readable errors, write it exactly, and store values as text."""

import json
import math
import re
from collections import Counter
from sys import intern
from typing import Any

from docscore.core.errors import Diagnostic, InputValueError, PlacePart, closer, json_error, short_repr
from docscore.core.numbers import MAX_DIGITS, DecimalText, decimal_of, float_or_digits
from docscore.core.runtime import call_with_fresh_stack, in_new_thread
from docscore.core.values import LEAF_TYPES, MAX_DEPTH, Value, to_json

_encode = json.JSONEncoder().encode
_encode_strictly = json.JSONEncoder(allow_nan=False).encode


TOO_DEEP = Diagnostic(problem=f"nested deeper than {MAX_DEPTH} levels")


class JsonError(InputValueError):
    """Error for a text that is not JSON, is nested too deep, repeats a key in an object, or has too long a number.

    Attributes:
        line: the line of the error, counted from 1; None if unknown.
        column: the column of the error, counted from 1; None if unknown.
    """

    def __init__(self, diagnostic: Diagnostic, line: int | None = None, column: int | None = None) -> None:
        super().__init__(diagnostic)
        self.line = line
        self.column = column

    def in_place(self, place: PlacePart, *, one_line: bool = False) -> Diagnostic:
        """Return the diagnostic of the error for a text that is part of something larger, such as a file.

        Args:
            place: the place of the text.
            one_line: whether texts at this place are single lines, so that the message names only the column.
        """
        if self.line is None:
            return Diagnostic((place,), problem=self.problem, joint=", ")
        line = "" if one_line and self.line == 1 else f"line {self.line}, "
        return Diagnostic((closer(place, f"{line}column {self.column}"),), problem=self.problem)


def loads(source: str, *, unique_keys: bool = False) -> Any:
    """Parse a JSON text; accept `NaN` and `Infinity`, as the standard module does.

    A number too large for a float, such as 1e400, becomes a text of its digits (`docscore.core.numbers.DecimalText`).

    Args:
        source: the text.
        unique_keys: whether a repeated key in an object is an error; otherwise the last one counts.

    Raises:
        JsonError: a ValueError such as "line 1, column 9: expected ..." if the text is not JSON, or if it has a number
            of more than `MAX_DIGITS` digits.

    >>> loads('{"total": "12.50"}')
    {'total': '12.50'}
    """
    if source.startswith("\ufeff"):
        raise JsonError(Diagnostic(("line 1, column 1",), problem="an invisible byte order mark before the text"), 1, 1)
    decode = (_UNIQUE_KEYS if unique_keys else _ANY_KEYS).decode
    try:
        try:
            return decode(source)
        except RecursionError:
            return in_new_thread(decode, source)
    except json.JSONDecodeError as error:
        raise JsonError(*json_error(error)) from None
    except RecursionError:
        raise JsonError(TOO_DEEP) from None
    except JsonError:
        raise
    except ValueError:  # an integer of more digits than Python reads
        raise JsonError(Diagnostic(problem=f"a number of more than {MAX_DIGITS:,} digits")) from None


def read_json(source: str, start: int | None = None) -> tuple[Any, int, str]:
    """Read a JSON value in which a key may occur twice; the last one counts.

    Args:
        source: the text.
        start: where the value begins, if other text may follow it; None if the value is the whole text.

    Returns:
        The value, its end, and a sentence about a key that occurs twice; "" if none does.

    Raises:
        ValueError, RecursionError: as in the standard module, since a readable message needs a scan of the whole text.
    """

    def read(decoder: json.JSONDecoder) -> tuple[Any, int]:
        return (decoder.decode(source), len(source)) if start is None else decoder.raw_decode(source, start)

    try:
        return *call_with_fresh_stack(read, _UNIQUE_KEYS), ""
    except _RepeatedKeyError as error:
        return *call_with_fresh_stack(read, _ANY_KEYS), error.problem


def loads_at(source: str, place: PlacePart) -> Any:
    """Parse a JSON text without repeated keys; errors name the place of the text.

    Args:
        source: the text.
        place: the place of the text, such as a file.

    Raises:
        InputValueError: such as "refs.json, line 2, column 9: expected ..." if the text is not JSON.
    """
    try:
        return loads(source, unique_keys=True)
    except JsonError as error:
        raise InputValueError(error.in_place(place)) from None


def dumps(value: Value) -> str:
    r"""Write a value as ASCII JSON that `loads` reads as the same value, with one-ofs as `{"$one_of": [...]}`.

    There are two exceptions. `loads` reads a surrogate pair in a text as the character that it encodes, and the digits
    of a decimal as text; `store` keeps the decimal.

    Raises:
        ValueError: for an integer of more digits than `loads` reads.

    >>> dumps({"a": ("x", "\ud800"), "n": float("nan")})
    '{"a": {"$one_of": ["x", "\\ud800"]}, "n": NaN}'
    """
    return _encode(value) if type(value) is str else call_with_fresh_stack(_dumped, value)


def dumps_strictly(value: Any) -> str:
    """Write a result as ASCII JSON that any parser reads, with NaN and infinite numbers as null and tuples as lists.

    >>> dumps_strictly({"share": float("nan")})
    '{"share": null}'
    """
    return call_with_fresh_stack(_dumped_strictly, value)


_DIGITS = "\x91"  # a control character around the digits of a decimal, while a text is written
_QUOTED_DIGITS = re.compile(r'"(?:\x91|\\u0091)([-+.eE0-9]+)(?:\x91|\\u0091)"')


def dumps_in_style(value: Any, **style: Any) -> str:
    """Write a value as JSON with keywords of `json.dumps`, one-ofs as `{"$one_of": [...]}`, decimals as numbers.

    >>> dumps_in_style(loads('{"a": [1e400, "é"]}'), ensure_ascii=False)
    '{"a": [1e400, "é"]}'
    """

    def leaf(part: Any) -> Any:
        return f"{_DIGITS}{part}{_DIGITS}" if type(part) is DecimalText else part

    text = call_with_fresh_stack(lambda: json.dumps(to_json(value, leaf), default=str, **style))
    return _QUOTED_DIGITS.sub(r"\1", text)


def _dumped_strictly(value: Any) -> str:
    try:
        return _encode_strictly(value)
    except ValueError:  # a number that is not finite, or an integer of more digits than Python prints
        return _dumped(_finite(value))


def _finite(value: Any) -> Any:
    """Return the value with null in place of each number that JSON does not allow."""
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


class _RepeatedKeyError(JsonError):
    """Error for an object that has a key twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    items = {intern(key): value for key, value in pairs}  # rows share their keys
    if len(items) < len(pairs):
        repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise _RepeatedKeyError(Diagnostic(problem=repeated_key(repeated)))
    return items


def repeated_key(key: str) -> str:
    """Return a sentence which says that an object has a key twice."""
    return f"key {short_repr(key)} occurs twice in one object"


_ANY_KEYS = json.JSONDecoder(parse_float=float_or_digits)
_UNIQUE_KEYS = json.JSONDecoder(parse_float=float_or_digits, object_pairs_hook=_unique)


_MARK = "$decimal"
_PLAIN = LEAF_TYPES - {DecimalText}


def store(value: Value) -> str:
    r"""Write a value as JSON text, as `dumps` does, but a decimal as `{"$decimal": "12.50"}`.

    An object with a key `$decimal` is wrapped once more, so that `restore` does not interpret it as a decimal.

    >>> from docscore.core.values import convert_prediction
    >>> from decimal import Decimal
    >>> store(convert_prediction({"total": Decimal("12.50"), "tax": "12.50"}))
    '{"total": {"$decimal": "12.50"}, "tax": "12.50"}'
    >>> store({"$decimal": "1"})
    '{"$decimal": {"$decimal": "1"}}'
    """
    return _encode(value) if type(value) is str else call_with_fresh_stack(_stored, value)


def restore(source: str, *, unique_keys: bool = False) -> Any:
    """Read a text that `store` wrote; one-ofs stay `{"$one_of": [...]}`; errors as for `loads`."""
    value = loads(source, unique_keys=unique_keys)
    return call_with_fresh_stack(_unmarked, value) if _MARK in source else value


def _stored(value: Value) -> str:
    return _dumped(_marked(value))


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
        exact = decimal_of(inner)  # a decimal must not become a text, which could be parsed
        return DecimalText(inner) if exact is None or str(exact) != inner else exact
    return {key: _unmarked(item) for key, item in inner.items()}
