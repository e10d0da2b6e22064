"""How the scalars of a typed place compare: exactly, or by what they are read as.

What is read on both sides is spelled in one way and then compared as ANLS* compares texts, so that 1000.0 is 1000 and
1234 is still near 1235. What cannot be read is compared as the text that it is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from docscore.core.dates import read_moment
from docscore.core.decimals import shortest_spelling
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


class ReadingComparator(Comparator, Generic[ReadValue]):
    """Compares what scalars are read as.

    Attributes:
        name: what they are read as, in words: "a number".
    """

    name: str

    @abstractmethod
    def reading(self, value: Scalar) -> ReadValue | None:
        """What the scalar is read as; None where it cannot be read."""

    @abstractmethod
    def spelling(self, value: ReadValue) -> str:
        """The one text of what was read."""

    def near(self, truths: Sequence[ReadValue], predictions: Sequence[ReadValue]) -> npt.NDArray[np.bool_] | None:  # noqa: ARG002
        """Which pairs count as equal though their spellings differ; None for none."""
        return None

    def reads(self, value: Scalar) -> bool:
        return self.reading(value) is not None

    def compared(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], texts: TextSimilarities) -> Matrix:
        left, right = list(map(self.reading, truths)), list(map(self.reading, predictions))
        rows = [i for i, value in enumerate(left) if value is not None]
        columns = [j for j, value in enumerate(right) if value is not None]
        all_read = len(rows) == len(left) and len(columns) == len(right)
        earned = np.zeros((len(left), len(right))) if all_read else texts(truths, predictions)
        if rows and columns:
            here, there = [left[i] for i in rows], [right[j] for j in columns]
            earned[np.ix_(rows, columns)] = self._read(here, there, texts)  # type: ignore[arg-type]
        return earned

    def _read(self, truths: Sequence[ReadValue], predictions: Sequence[ReadValue], texts: TextSimilarities) -> Matrix:
        earned = texts(list(map(self.spelling, truths)), list(map(self.spelling, predictions)))
        near = self.near(truths, predictions)
        return earned if near is None else np.where(near, 1.0, earned)

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


class Tolerance(NamedTuple):
    """How far numbers may be apart to count as equal.

    Attributes:
        amount: at least 0.
        relative: whether it is a share of the ground truth, not a number.
        text: as the schema has it: "1%".
    """

    amount: Decimal
    relative: bool
    text: str

    def most(self, truth: Decimal) -> Decimal:
        """The largest difference from a ground truth that counts as none."""
        return self.amount * abs(truth) if self.relative else self.amount


class NumberComparator(ReadingComparator[Decimal]):
    """Compares numbers by their exact decimal value.

    Args:
        tolerance: how far they may be apart, or None.
        decimal: the character before the decimals in texts.
        group: the character between groups of three digits in texts, or "".
    """

    name = "a number"

    def __init__(self, tolerance: Tolerance | None = None, *, decimal: str = ".", group: str = "") -> None:
        self.tolerance = tolerance
        self.decimal, self.group = decimal, group
        self.label = "number" if tolerance is None else f"number, tolerance {tolerance.text}"

    def reading(self, value: Scalar) -> Decimal | None:
        return number_of(value, decimal=self.decimal, group=self.group)

    def spelling(self, value: Decimal) -> str:
        return shortest_spelling(value)

    def near(self, truths: Sequence[Decimal], predictions: Sequence[Decimal]) -> npt.NDArray[np.bool_] | None:
        if self.tolerance is None:
            return None
        with localcontext(_EXACT):
            most = [self.tolerance.most(truth) for truth in truths]
            apart = [[abs(truth - each) for each in predictions] for truth in truths]
            return np.array([[each <= limit for each in row] for row, limit in zip(apart, most, strict=True)])


class BooleanComparator(ReadingComparator[bool]):
    """Compares true with `true` and `yes`, false with `false` and `no`, whatever the case."""

    name = "a boolean"
    label = "boolean"
    _READINGS = {"true": True, "yes": True, "false": False, "no": False}  # noqa: RUF012  not changed

    def reading(self, value: Scalar) -> bool | None:
        return self._READINGS.get(scalar_text(value).strip().lower())

    def spelling(self, value: bool) -> str:
        return str(value)


@dataclass
class DateComparator(ReadingComparator[date]):
    """Compares dates, or points in time, whatever their form.

    Attributes:
        order: "dmy", "mdy" or "ymd" where a date can be read in several ways, or None.
        with_time: whether the time of day counts.
    """

    order: str | None = None
    with_time: bool = False

    def __post_init__(self) -> None:
        self.name = "a date and time" if self.with_time else "a date"
        self.label = self.name.removeprefix("a ") + (f", {self.order}" if self.order else "")

    def reading(self, value: Scalar) -> date | None:
        found = read_moment(scalar_text(value), self.order)
        return None if found is None else found.when if self.with_time else found.when.date()

    def spelling(self, value: date) -> str:
        return value.isoformat()
