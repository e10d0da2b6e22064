"""Errors about values: the place comes first, and values are shown short."""

from __future__ import annotations

_LONGEST_REPR = 80  # characters of a value that a message shows


def at_place(place: str, error: Exception) -> TypeError | ValueError:
    """The same fault, with the name of its place in front."""
    kind = TypeError if isinstance(error, TypeError) else ValueError
    return kind(f"{place}: {error}")


def short_repr(value: object) -> str:
    """The value's `repr`, shortened; nothing where Python refuses to print it."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more than 4,300 digits
        return ""
    return text if len(text) <= _LONGEST_REPR else f"{text[:_LONGEST_REPR]}..."
