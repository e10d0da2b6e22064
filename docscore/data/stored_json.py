"""Values as JSON text that gives exactly the same values back: a `Decimal`, which JSON lacks, is marked as one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from docscore.core.decimals import DecimalText
from docscore.core.runtime import with_room_to_recurse
from docscore.core.values import LEAF_TYPES, Value
from docscore.data.json_codec import dumps, loads_all

_MARK = "$decimal"
_PLAIN = LEAF_TYPES - {DecimalText}
_MAY_BE_MARKED = re.compile(r'"(?:\$|\\u0024)(?:d|\\u0064)')  # a key can be spelled with escapes too


def store(value: Value) -> str:
    r"""Write a value as JSON text, as `dumps` does; a decimal as `{"$decimal": "12.50"}`.

    An object that has such a key itself is wrapped once more, so that nothing is taken for a mark that is none.

    >>> from docscore.core.values import convert_prediction
    >>> store(convert_prediction({"total": Decimal("12.50"), "tax": "12.50"}))
    '{"total": {"$decimal": "12.50"}, "tax": "12.50"}'
    >>> store({"$decimal": "1"})
    '{"$decimal": {"$decimal": "1"}}'
    """
    return dumps(value if type(value) in _PLAIN else with_room_to_recurse(_marked, value))


def restore_all(sources: Sequence[str]) -> list[Any]:
    """Read texts that `store` wrote, all in one call of the parser; one-ofs stay `{"$one_of": [...]}`."""
    values = loads_all(sources)
    return [restored(value) if _MARK in source else value for value, source in zip(values, sources, strict=True)]


def restored(value: Any) -> Any:
    """The value that was stored, of one that was parsed from its text."""
    return with_room_to_recurse(_unmarked, value)


def may_be_marked(source: str) -> bool:
    """Whether a JSON text that somebody else wrote may have a key that looks like a mark."""
    return _MAY_BE_MARKED.search(source) is not None


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
        return Decimal(inner)
    return {key: _unmarked(item) for key, item in inner.items()}
