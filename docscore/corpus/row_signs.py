"""What is noticed of rows while they are scored, so that large files are not read again for it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from docscore.core.options import BY_VALUE, ScoringOptions
from docscore.core.values import holds_number
from docscore.data.confidences import is_wrapped


class RowSigns:
    """What else is to be known of the rows of a test set.

    Args:
        options: how they are scored.

    Attributes:
        with_numbers: the numbers of the rows with a JSON number on either side; none where numbers are compared by
            value.
        wrapped: whether a prediction has values with confidences that are not taken out of it.
    """

    def __init__(self, options: ScoringOptions) -> None:
        self.options = options
        self.with_numbers: list[int] = []
        self.wrapped = False

    def see(self, start: int, values: Sequence[tuple[Any, Any]]) -> None:
        """Look at some rows, the first of which has the number `start`."""
        if _are_texts(values):
            return
        if self.options.numbers != BY_VALUE:
            self.with_numbers += [number for number, pair in enumerate(values, start) if holds_number(pair)]
        if not self.options.with_confidences:
            self.wrapped = self.wrapped or any(is_wrapped(prediction) for _, prediction in values)


def _are_texts(values: Sequence[tuple[Any, Any]]) -> bool:
    """Whether all are acceptable texts and a text, as those of questions are: nothing is to be noticed then."""
    truths, predictions = zip(*values, strict=True)
    are_options = {*map(type, truths)} == {tuple}
    return are_options and {str}.issuperset(map(type, chain(predictions, chain.from_iterable(truths))))
