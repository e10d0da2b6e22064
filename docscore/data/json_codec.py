"""JSON text in and out, without the gaps of the standard module: integers of any length, nesting, line and column."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from docscore.core.errors import short_repr
from docscore.core.stack import with_room_to_recurse
from docscore.core.values import MAX_DEPTH, Value, scalar_text, to_json

_encode = json.JSONEncoder().encode


Hook = Callable[[list[tuple[str, Any]]], dict[str, Any]]


def loads(source: str, *, unique_keys: bool = False) -> Any:
    """The value of a JSON text; `NaN` and `Infinity` are read, as the standard module does.

    Args:
        source: the text.
        unique_keys: whether an object that has a key twice is an error; otherwise the last one counts.

    Raises:
        ValueError: "line 1, column 9: expecting ..." where the text is not JSON.

    >>> loads('{"total": "12.50"}')
    {'total': '12.50'}
    """
    hook = _unique if unique_keys else None
    try:
        return with_room_to_recurse(_parsed, source, hook)
    except json.JSONDecodeError as error:
        fault = error.msg.removesuffix(" at")  # "Unterminated string starting at" line and column
        msg = f"line {error.lineno}, column {error.colno}: {fault[0].lower()}{fault[1:]}"
    except RecursionError:
        msg = f"nested deeper than {MAX_DEPTH} levels"
    raise ValueError(msg)


def loads_all(sources: Sequence[str]) -> list[Any]:
    """The values of JSON texts that `dumps` wrote; one call of the parser for all."""
    try:
        values: list[Any] = json.loads(f"[{','.join(sources)}]")
    except (ValueError, RecursionError):
        return list(map(loads, sources))
    return values


def dumps(value: Value) -> str:
    r"""The value as ASCII JSON that `loads` turns into the same value; one-ofs as `{"$one_of": [...]}`.

    JSON cannot tell two surrogates that form a pair from the character that they stand for.

    >>> dumps({"a": ("x", "\ud800"), "n": float("nan")})
    '{"a": {"$one_of": ["x", "\\ud800"]}, "n": NaN}'
    """
    return with_room_to_recurse(_dumped, value)


def _dumped(value: Value) -> str:
    plain = to_json(value)
    try:
        return _encode(plain)
    except ValueError:  # an integer of more digits than Python prints
        return _dumps_long_integers(plain)


def _parsed(source: str, hook: Hook | None) -> Any:
    try:
        return json.loads(source, object_pairs_hook=hook)
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer of more digits than Python reads, or what the hook found
        return json.loads(source, object_pairs_hook=hook, parse_int=_integer)


def _integer(digits: str) -> int:
    return int(Decimal(digits))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    items = dict(pairs)
    if len(items) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        msg = f"key {short_repr(twice)} occurs twice in one object"
        raise ValueError(msg)
    return items


def _dumps_long_integers(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {_dumps_long_integers(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_dumps_long_integers, value)) + "]"
    if isinstance(value, int) and not isinstance(value, bool):
        return scalar_text(value)
    return json.dumps(value)
