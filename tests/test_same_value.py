"""Numbers and dates that texts spell: golden tables."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from docscore.core.dates import date_of
from docscore.core.same_value import are_same_value, differ_in_punctuation, number_of, spelling_of_same_value
from tests.conftest import table

NUMBERS = table("same_value", "numbers")  # value, separators, number, why
DATES = table("same_value", "dates")  # value, order, date, why
PAIRS = table("same_value", "pairs")  # ground_truth, prediction, same


@pytest.mark.parametrize(("value", "separators", "number", "why"), NUMBERS)
def test_numbers(value: Any, separators: dict[str, str], number: str | None, why: str) -> None:
    assert number_of(value, **separators) == (None if number is None else Decimal(number)), why


@pytest.mark.parametrize(("value", "order", "day", "why"), DATES)
def test_dates(value: Any, order: Any, day: str | None, why: str) -> None:
    assert date_of(value, order=order) == (None if day is None else date.fromisoformat(day)), why


@pytest.mark.parametrize(("truth", "prediction", "same"), PAIRS)
def test_the_same_value(truth: Any, prediction: Any, same: bool) -> None:
    assert are_same_value(truth, prediction) == are_same_value(prediction, truth) == same


SPELLINGS = table("same_value", "spellings")  # left, right, differs, why


@pytest.mark.parametrize(("left", "right", "expected", "why"), SPELLINGS)
def test_what_differs_in_the_spelling(left: Any, right: Any, expected: str | None, why: str) -> None:
    assert spelling_of_same_value(left, right) == spelling_of_same_value(right, left) == expected, why


PUNCTUATION = table("same_value", "punctuation")  # left, right, differs, why


@pytest.mark.parametrize(("left", "right", "expected", "why"), PUNCTUATION)
def test_texts_that_differ_in_punctuation(left: Any, right: Any, expected: bool, why: str) -> None:
    assert differ_in_punctuation(left, right) == differ_in_punctuation(right, left) == expected, why
