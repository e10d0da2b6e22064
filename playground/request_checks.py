"""What browsers ask: it may be anything, and is checked before it is used."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from docscore.core.errors import InputTypeError, InputValueError, short_repr
from docscore.core.options import ScoringOptions

_LONGEST_NAME = 64  # characters of the name that a window gives itself


class Window(NamedTuple):
    """The window of a browser that asks.

    Attributes:
        name: the name that it gives itself; "" for none.
        number: of its question; a newer one has a higher number.
    """

    name: str = ""
    number: int = 0


def take_window(asked: Any) -> Window:
    """Remove the key "window" from a question; return its name and number, or else a window without a name."""
    match asked.pop("window", None) if isinstance(asked, dict) else None:
        case [str(name), int(number)] if 0 < len(name) <= _LONGEST_NAME:
            return Window(name, number)
    return Window()


def known_keys(asked: object, known: Collection[str]) -> dict[str, Any]:
    """The object, if it has no other keys than these.

    Raises:
        ValueError: if it is no object, or has others.
    """
    if not isinstance(asked, dict) or not set(asked) <= set(known):
        raise InputValueError(place="request", expected=f"an object with the keys {', '.join(known)}")
    return asked


def check_parts(parts: Mapping[str, Any], checks: Mapping[str, tuple[bool, str]]) -> None:
    """Raise `ValueError` for the first part that is not as expected.

    Args:
        parts: the parts of a question by their names.
        checks: by the names whether each is as expected, and what is.
    """
    for name, (fits, expected) in checks.items():
        if not fits:
            raise InputValueError(place=name, expected=expected, got=short_repr(parts[name]))


def checked_options(**options: Any) -> ScoringOptions:
    """The options of scoring.

    Raises:
        ValueError: for a value of a wrong type too, as anything may be sent.
    """
    try:
        return ScoringOptions(**options)
    except InputTypeError as error:
        raise InputValueError(place=error.place, expected=error.expected, got=error.got) from None
