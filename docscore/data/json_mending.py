"""Mend JSON that is damaged with `json-repair`, in a bounded number of steps."""

from __future__ import annotations

from typing import Any

from docscore.core.limits import MAX_STEPS
from docscore.data.json_codec import loads

_DOUBLE = str.maketrans("“”„‟", '""""')
_SINGLE = str.maketrans("‘’‚‛", "''''")


class TooManyStepsError(Exception):
    """Mending a text takes too many steps."""


class _CountedText(str):
    """A text that counts how often its characters are read."""

    __slots__ = ("left",)
    left: int

    def __getitem__(self, key: Any) -> str:
        self.left -= 1
        if self.left < 0:
            raise TooManyStepsError
        return str.__getitem__(self, key)


def mended_json(source: str) -> Any:
    """The value of JSON text that is damaged; None if there is none, or if it is empty.

    The time that `json-repair` takes grows with the square of the length of some texts; its steps are counted, so that
    the same text is mended or given up on every machine.

    Raises:
        TooManyStepsError: if it takes more than `MAX_STEPS` steps.

    >>> mended_json('{"total": "12.50", "items": [{"name": "tea"')
    {'total': '12.50', 'items': [{'name': 'tea'}]}
    """
    from json_repair import repair_json  # noqa: PLC0415  imported only when needed

    straight = _with_straight_quotes(source)
    try:
        return loads(straight)
    except ValueError:
        counted = _CountedText(straight)
    counted.left = MAX_STEPS
    try:
        return repair_json(counted, return_objects=True, skip_json_loads=True) or None
    except (ValueError, RecursionError):
        return None


def _with_straight_quotes(source: str) -> str:
    """The text with typographic quotes replaced where it has no others; beside others they belong to texts."""
    if '"' in source:
        return source
    double = source.translate(_DOUBLE)
    return double if '"' in double or "'" in double else double.translate(_SINGLE)
