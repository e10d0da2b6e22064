"""Mend JSON that is damaged with `json-repair`, in a bounded number of steps."""

from __future__ import annotations

from typing import Any

from docscore.core.limits import MAX_MENDED, MAX_STEPS
from docscore.data.json_codec import loads

_DOUBLE = str.maketrans("“”„‟", '""""')
_SINGLE = str.maketrans("‘’‚‛", "''''")
_A_STEP = 32  # characters that are copied in the time of a step


class TooManyStepsError(Exception):
    """Mending a text takes too many steps."""


class Steps:
    """What may still be done to mend the parts of one text.

    Attributes:
        left: how often characters may still be read.
        characters: how many may still be mended: the strings of `json-repair` grow by copying, a character at a time.
    """

    def __init__(self) -> None:
        self.left = MAX_STEPS
        self.characters = MAX_MENDED


class _CountedText(str):
    """A text that counts how often its characters are read."""

    __slots__ = ("steps",)
    steps: Steps

    def __getitem__(self, key: Any) -> str:
        found = str.__getitem__(self, key)
        self.steps.left -= 1 + len(found) // _A_STEP
        if self.steps.left < 0:
            problem = f"it takes more than {MAX_STEPS:,} steps"
            raise TooManyStepsError(problem)
        return found


class _Counted:
    """The attribute in which the parser of `json-repair` has its text: where it changes the text, that counts too."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps

    def __set__(self, parser: Any, text: str) -> None:
        counted = _CountedText(text)
        counted.steps = self.steps
        vars(parser)["json_str"] = counted


def mended_json(source: str, steps: Steps | None = None) -> Any:
    """The value of JSON text that is damaged; None if there is none, or if it is empty.

    The time that `json-repair` takes grows with the square of the length of some texts; its steps are counted, so that
    the same text is mended or given up on every machine.

    Args:
        source: the text, or a part of one.
        steps: what may still be done for all parts of the text; by default this is the only one.

    Raises:
        TooManyStepsError: if it takes more than `MAX_STEPS` steps, or has more than `MAX_MENDED` characters.

    >>> mended_json('{"total": "12.50", "items": [{"name": "tea"')
    {'total': '12.50', 'items': [{'name': 'tea'}]}
    """
    from json_repair.json_parser import JSONParser  # noqa: PLC0415  imported only when needed

    straight = _with_straight_quotes(source)
    try:
        return loads(straight)
    except ValueError:
        steps = steps or Steps()
    steps.characters -= len(straight)
    if steps.characters < 0:
        problem = f"it has more than {MAX_MENDED:,} characters"
        raise TooManyStepsError(problem)
    counting = type("CountingParser", (JSONParser,), {"json_str": _Counted(steps)})
    try:
        return counting(straight, None, False, try_valid_json_suffix=True).parse() or None  # noqa: FBT003  logging
    except (ValueError, RecursionError):
        return None


def _with_straight_quotes(source: str) -> str:
    """The text with typographic quotes replaced where it has no others; beside others they belong to texts."""
    if '"' in source:
        return source
    double = source.translate(_DOUBLE)
    return double if '"' in double or "'" in double else double.translate(_SINGLE)
