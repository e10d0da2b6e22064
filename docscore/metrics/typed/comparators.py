"""How the scalars of a typed place compare: exactly, or by what they are read as.

What is read on both sides is spelled in one way and then compared as ANLS* compares texts, so that 1000.0 is 1000 and
1234 is still near 1235. What cannot be read is compared as the text that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Generic, TypeVar

import numpy as np

from docscore.core.dates import read_moment
from docscore.core.decimals import decimal_of, shortest_spelling
from docscore.core.same_value import number_of
from docscore.core.values import Matrix, Scalar, scalar_text
from docscore.metrics.anls_star.sizes import Comparator, TextSimilarities

ReadValue = TypeVar("ReadValue")


_EXACT = Context(prec=4000, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])  # differences are exact to so many digits


class ExactComparator(Comparator):
    """Right where both are the same text, letter by letter; otherwise wrong."""

    label = "exact"

    def compared(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], texts: TextSimilarities) -> Matrix:  # noqa: ARG002
        right = list(map(scalar_text, predictions))
        return np.array([[float(left == each) for each in right] for left in map(scalar_text, truths)])

    def reads(self, value: Scalar) -> bool:  # noqa: ARG002
        return True

    def remark(self, truth: Scalar, prediction: Scalar, *, right: bool) -> str:  # noqa: ARG002
        return "" if right else "must be the same letter by letter"


@dataclass(frozen=True)
class ReadingComparator(Comparator, Generic[ReadValue]):
    """Compares what scalars are read as.

    Attributes:
        name: what they are read as, in words: "a number".
        label: the same with its settings: "number, tolerance 1%".
        reading: what a scalar is read as; None where it cannot be read.
        spelling: the one text of what was read.
        are_near: whether two readings count as equal though their spellings differ; None where none do.
    """

    name: str
    label: str
    reading: Callable[[Scalar], ReadValue | None]
    spelling: Callable[[ReadValue], str]
    are_near: Callable[[ReadValue, ReadValue], bool] | None = None

    def reads(self, value: Scalar) -> bool:
        return self.reading(value) is not None

    def compared(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], texts: TextSimilarities) -> Matrix:
        left, right = ([(i, self.reading(value)) for i, value in enumerate(side)] for side in (truths, predictions))
        here = {i: value for i, value in left if value is not None}
        there = {j: value for j, value in right if value is not None}
        all_read = len(here) == len(truths) and len(there) == len(predictions)
        earned = np.zeros((len(truths), len(predictions))) if all_read else texts(truths, predictions)
        if here and there:
            read = texts(*(list(map(self.spelling, side.values())) for side in (here, there)))
            if self.are_near is not None:
                near = [[self.are_near(truth, value) for value in there.values()] for truth in here.values()]
                read = np.where(near, 1.0, read)
            earned[np.ix_(list(here), list(there))] = read
        return earned

    def remark(self, truth: Scalar, prediction: Scalar, *, right: bool) -> str:
        left, there = self.reading(truth), self.reading(prediction)
        if left is None or there is None:
            side = "neither" if left is there else "the ground truth" if left is None else "the prediction"
            return f"{side} {'can' if left is there else 'cannot'} be read as {self.name}: compared as text"
        if scalar_text(truth) == scalar_text(prediction):
            return ""
        if self.spelling(left) == self.spelling(there):
            return f"equal as {self.name}"
        return "within the tolerance" if right else f"compared as {self.name}"


def number_comparator(
    tolerance: float | str | None = None, *, decimal: str = ".", group: str = ""
) -> ReadingComparator[Decimal]:
    """Compares numbers by their exact decimal value.

    Args:
        tolerance: how far they may be apart, a number or a share of the ground truth such as "1%"; None for equal.
        decimal: the character before the decimals in texts.
        group: the character between groups of three digits in texts, or "".
    """
    is_share = isinstance(tolerance, str)
    amount = Decimal(str(tolerance).rstrip("% ")) / 100 if is_share else decimal_of(str(tolerance)) or Decimal(0)

    def are_near(truth: Decimal, prediction: Decimal) -> bool:
        most = _EXACT.multiply(amount, _EXACT.abs(truth)) if is_share else amount
        return _EXACT.abs(_EXACT.subtract(truth, prediction)) <= most

    return ReadingComparator(
        "a number",
        "number" if tolerance is None else f"number, tolerance {str(tolerance).replace(' ', '')}",
        lambda value: number_of(value, decimal=decimal, group=group),
        shortest_spelling,
        None if tolerance is None else are_near,
    )


def boolean_comparator() -> ReadingComparator[bool]:
    """Compares true with `true` and `yes`, false with `false` and `no`, whatever the case."""
    readings = {"true": True, "yes": True, "false": False, "no": False}
    return ReadingComparator(
        "a boolean", "boolean", lambda value: readings.get(scalar_text(value).strip().lower()), str
    )


def date_comparator(order: str | None = None, *, with_time: bool = False) -> ReadingComparator[date]:
    """Compares dates, or points in time, whatever their form.

    Args:
        order: "dmy", "mdy" or "ymd" where a date can be read in several ways, or None.
        with_time: whether the time of day counts.
    """

    def reading(value: Scalar) -> date | None:
        moment = read_moment(scalar_text(value), order)
        return None if moment is None else moment.when if with_time else moment.when.date()

    label = ("date and time" if with_time else "date") + (f", {order}" if order else "")
    return ReadingComparator(f"a {label.split(',', maxsplit=1)[0]}", label, reading, date.isoformat)
