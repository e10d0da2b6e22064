"""Differences of two texts, character by character."""

from __future__ import annotations

from typing import NamedTuple

import Levenshtein


class Span(NamedTuple):
    """A piece of a text, and whether the other text lacks it."""

    text: str
    changed: bool


def text_differences(truth: str, prediction: str) -> tuple[list[Span], list[Span]]:
    """Split both texts into shared spans and changed ones: deleted from the truth, or inserted in the prediction.

    >>> text_differences("12.50", "12.5")
    ([Span(text='12.5', changed=False), Span(text='0', changed=True)], [Span(text='12.5', changed=False)])
    """
    left, right = [], []
    for operation, start, stop, first, last in Levenshtein.opcodes(truth, prediction):
        changed = operation != "equal"
        if stop > start:
            left.append(Span(truth[start:stop], changed))
        if last > first:
            right.append(Span(prediction[first:last], changed))
    return left, right
