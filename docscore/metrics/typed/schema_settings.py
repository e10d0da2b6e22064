"""What a place of a schema says about comparing: `x-docscore`, checked, and types and formats."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from docscore.core.dates import ORDERS
from docscore.core.decimals import decimal_of
from docscore.core.errors import InputValueError, short_repr
from docscore.metrics.anls_star.schema_node import Comparator
from docscore.metrics.typed.comparators import (
    BooleanComparator,
    DateComparator,
    ExactComparator,
    NumberComparator,
    Tolerance,
)

KEYWORD = "x-docscore"


COMPARISONS = ("text", "exact", "number", "date", "boolean")


# The types of which a place may be to be compared so.
_TYPES = {
    "number": {"number", "integer", "string"},
    "date": {"string"},
    "boolean": {"boolean", "string"},
    "exact": {"string", "number", "integer", "boolean"},
    "text": {"string", "number", "integer", "boolean"},
}


# The comparison that each option belongs to.
_BELONGS = {"tolerance": "number", "decimal": "number", "group": "number", "order": "date"}


_SHARE = re.compile(r"(\d+(?:\.\d+)?) ?%", re.ASCII)


PlaceSettings = Mapping[str, Any]


def checked_settings(settings: Any, pointer: str) -> PlaceSettings:
    """What stands under `x-docscore`, if it is right.

    Raises:
        ValueError: naming the pointer, what was expected and what came.
    """
    if not isinstance(settings, dict):
        raise InputValueError(place=pointer, expected="an object", got=short_repr(settings))
    for name, value in settings.items():
        if name not in _CHECKS:
            raise InputValueError(place=pointer, expected=f"some of {', '.join(_CHECKS)}", got=short_repr(name))
        expected, is_right = _CHECKS[name]
        if not is_right(value):
            raise InputValueError(place=f"{pointer}/{name}", expected=expected, got=short_repr(value))
    return settings


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= sys.float_info.max


def _is_tolerance(value: Any) -> bool:
    return _is_number(value) or (isinstance(value, str) and _SHARE.fullmatch(value) is not None)


def _is_separator(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 1 and not value.isalnum() and value not in "+-"


_CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "compare": (f"one of {', '.join(COMPARISONS)}", lambda value: value in COMPARISONS),
    "tolerance": ('a number of at least 0, or a share of the ground truth such as "1%"', _is_tolerance),
    "weight": ("a number of at least 0", _is_number),
    "decimal": ("one character that is no letter, digit or sign", _is_separator),
    "group": ("one character that is no letter, digit or sign", _is_separator),
    "order": (f"one of {', '.join(ORDERS)}", lambda value: value in ORDERS),
}


def implied_comparison(schemas: Iterable[Mapping[str, Any]]) -> str:
    """The comparison that types and formats imply: the one beside texts, if it is only one."""
    found = {each for schema in schemas for each in _implied(schema)} - {"text"}
    return found.pop() if len(found) == 1 else "text"


def _implied(schema: Mapping[str, Any]) -> Iterable[str]:
    for name in types_of(schema):
        if name in ("number", "integer"):
            yield "number"
        elif name == "boolean":
            yield "boolean"
        elif name == "string" and schema.get("format") in ("date", "date-time"):
            yield "date"


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """The types that a schema names, null left out."""
    named = schema.get("type", [])
    return [name for name in ([named] if isinstance(named, str) else named) if name != "null"]


def comparator_of(settings: PlaceSettings, schemas: list[Mapping[str, Any]], pointer: str) -> Comparator | None:
    """How a place compares; None for as texts.

    Args:
        settings: its `x-docscore`.
        schemas: all that the schema says of it.
        pointer: of its `x-docscore`, for messages.

    Raises:
        ValueError: for settings that contradict each other or the types of the place.
    """
    comparison = settings.get("compare", implied_comparison(schemas))
    types = {name for schema in schemas for name in types_of(schema)}
    if "compare" in settings and types and not types & _TYPES[comparison]:
        got = f"{comparison!r} where the type is {' or '.join(sorted(types))}"
        raise InputValueError(place=f"{pointer}/compare", expected="a comparison of values of the type", got=got)
    for name, owner in _BELONGS.items():
        if name in settings and comparison != owner:
            expected = f"{name} where values compare as {owner}"
            raise InputValueError(
                place=f"{pointer}/{name}", expected=expected, got=f"it where they compare as {comparison}"
            )
    if comparison == "number":
        return _number(settings, pointer)
    if comparison == "date":
        formats = {schema.get("format") for schema in schemas}
        return DateComparator(settings.get("order"), with_time="date-time" in formats and "date" not in formats)
    return {"exact": ExactComparator(), "boolean": BooleanComparator()}.get(comparison)


def _number(settings: PlaceSettings, pointer: str) -> Comparator:
    decimal, group = settings.get("decimal", "."), settings.get("group", "")
    if decimal == group:
        raise InputValueError(place=f"{pointer}/group", expected="another character than decimal", got=repr(group))
    return NumberComparator(_tolerance(settings.get("tolerance")), decimal=decimal, group=group)


def _tolerance(value: Any) -> Tolerance | None:
    if value is None:
        return None
    if isinstance(value, str):
        return Tolerance(Decimal(value.rstrip("% ")) / 100, relative=True, text=value.replace(" ", ""))
    return Tolerance(decimal_of(str(value)) or Decimal(0), relative=False, text=str(value))
