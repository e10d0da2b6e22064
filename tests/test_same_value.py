"""Numbers and dates that texts spell: golden tables."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from docscore.core.dates import date_of
from docscore.core.same_value import differ_in_punctuation, number_of, spelling_of_same_value
from tests.conftest import golden


@golden("same_value", "numbers")
def test_numbers(value: Any, separators: dict[str, str], number: str | None) -> None:
    assert number_of(value, **separators) == (None if number is None else Decimal(number))


@golden("same_value", "dates")
def test_dates(value: Any, order: Any, day: str | None) -> None:
    assert date_of(value, order=order) == (None if day is None else date.fromisoformat(day))


@golden("same_value", "pairs")
def test_the_same_value(truth: Any, prediction: Any, same: bool) -> None:
    assert spelling_of_same_value(truth, prediction) == spelling_of_same_value(prediction, truth)
    assert (spelling_of_same_value(truth, prediction) is not None) == same


@golden("same_value", "spellings")
def test_what_differs_in_the_spelling(left: Any, right: Any, expected: str | None) -> None:
    assert spelling_of_same_value(left, right) == spelling_of_same_value(right, left) == expected


@golden("same_value", "punctuation")
def test_texts_that_differ_in_punctuation(left: Any, right: Any, expected: bool) -> None:
    assert differ_in_punctuation(left, right) == differ_in_punctuation(right, left) == expected
