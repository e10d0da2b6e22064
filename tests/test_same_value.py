"""Numbers and dates that texts spell: golden tables."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from docscore.core.dates import date_of
from docscore.core.same_value import are_same_value, differ_in_punctuation, number_of, spelling_of_same_value

NUMBERS: list[tuple[Any, dict[str, str], str | None, str]] = [  # value, separators, number, why
    (1, {}, "1", "a JSON number"),
    (1000.0, {}, "1000", "the spelling of a JSON number does not count"),
    (-0.0, {}, "0", "minus zero is zero"),
    (10**400, {}, str(10**400), "integers of any length"),
    (True, {}, None, "a boolean is no number"),
    (float("nan"), {}, None, "NaN stays text"),
    (float("inf"), {}, None, "an infinity stays text"),
    ("12.50", {}, "12.5", "a text that spells a number"),
    (" 12.50 ", {}, "12.5", "white space around it"),
    (".5", {}, "0.5", "no digit before the separator"),
    ("5.", {}, "5", "none behind it"),
    ("1e3", {}, "1000", "an exponent"),
    ("+7", {}, "7", "a sign"),
    ("12,50", {}, None, "a comma that nobody declared"),
    ("12,50", {"decimal": ","}, "12.5", "a declared decimal comma"),
    ("1.234,5", {"decimal": ",", "group": "."}, "1234.5", "declared groups"),
    ("1,234,567", {"group": ","}, "1234567", "several groups"),
    ("12,34", {"group": ","}, None, "a group of two digits is none"),
    ("1 234", {"group": " "}, "1234", "a blank between groups"),
    ("$5", {}, None, "a sign of currency"),
    ("1_000", {}, None, "what Python reads, but no document"),
    ("٣", {}, "3", "digits of other scripts have a value"),
    ("NaN", {}, None, "a text"),
    ("", {}, None, "nothing"),
    ("1" * 100, {}, None, "longer than any number of a document"),
]
DATES: list[tuple[Any, str | None, str | None, str]] = [  # value, order, date, why
    ("2024-03-12", None, "2024-03-12", "ISO 8601"),
    ("2024-03-12", "dmy", "2024-03-12", "which is never read in another order"),
    ("12 March 2024", None, "2024-03-12", "the name of the month"),
    ("March 12, 2024", None, "2024-03-12", "the month first"),
    ("12th Mar 2024", None, "2024-03-12", "an ordinal"),
    ("Tue, 12 March 2024", None, "2024-03-12", "the day of the week"),
    ("25.03.2024", None, "2024-03-25", "there is no month 25"),
    ("03/25/2024", None, "2024-03-25", "likewise"),
    ("2024/03/25", None, "2024-03-25", "the year first"),
    ("03/03/2024", None, "2024-03-03", "day and month are equal"),
    ("03/04/2024", None, None, "may be two dates"),
    ("03/04/2024", "dmy", "2024-04-03", "a declared order"),
    ("03/04/2024", "mdy", "2024-03-04", "a declared order"),
    ("12.03.24", None, None, "a year of two digits"),
    ("March 2024", None, None, "no day"),
    ("2024", None, None, "a year alone"),
    ("12 March 2024 10:30", None, None, "a time is more than a date"),
    ("Invoice 12 of 2024", None, None, "words that are no date"),
    ("31 February 2024", None, None, "no such day"),
    (20240312, None, None, "a number is no date"),
    ("12 Mar " + "x" * 100 + " 2024", None, None, "longer than any date"),
]
PAIRS: list[tuple[Any, Any, bool]] = [
    (1000.0, 1000, True),
    ("12.50", "12.5", True),
    (0.1, "0.10", True),
    ("1", True, False),
    (12.5, 12.6, False),
    ("2024-03-12", "12 March 2024", True),
    ("25.03.2024", "2024-03-25", True),
    ("2024-03-12", "2024-03-13", False),
    ("25.03.2024", "March 25, 2024", False),  # neither is in ISO form
    ("tea", "tee", False),
]


@pytest.mark.parametrize(("value", "separators", "number", "why"), NUMBERS)
def test_numbers(value: Any, separators: dict[str, str], number: str | None, why: str) -> None:
    assert number_of(value, **separators) == (None if number is None else Decimal(number)), why


@pytest.mark.parametrize(("value", "order", "day", "why"), DATES)
def test_dates(value: Any, order: Any, day: str | None, why: str) -> None:
    assert date_of(value, order=order) == (None if day is None else date.fromisoformat(day)), why


@pytest.mark.parametrize(("truth", "prediction", "same"), PAIRS)
def test_the_same_value(truth: Any, prediction: Any, same: bool) -> None:
    assert are_same_value(truth, prediction) == are_same_value(prediction, truth) == same


SPELLINGS: list[tuple[Any, Any, str | None, str]] = [  # values, what differs, why
    ("12,50", "12.50", "decimal comma", "two digits behind a comma"),
    ("12,50", 12.5, "decimal comma", "a JSON number"),
    ("1.234,50", "1234.50", "decimal comma", "groups too"),
    ("0,500", "0.5", "decimal comma", "nothing but 0 before it"),
    ("1,500", "1500", None, "may be 1.5"),
    ("1,500", "1.5", None, "may be 1500"),
    ("1,234.50", "1234.5", "number", "groups"),
    ("1,234,567", 1234567, "number", "several groups"),
    ("12,50", "12,5", "number", "both have a comma"),
    (1000, 1000.0, "number", "JSON numbers"),
    ("12,50", "13.50", None, "other numbers"),
    ("2024-03-12", "12 March 2024", "date", "a date"),
    ("x", "x", None, "no number and no date"),
]


@pytest.mark.parametrize(("left", "right", "expected", "why"), SPELLINGS)
def test_what_differs_in_the_spelling(left: Any, right: Any, expected: str | None, why: str) -> None:
    assert spelling_of_same_value(left, right) == spelling_of_same_value(right, left) == expected, why


@pytest.mark.parametrize(
    ("left", "right", "expected", "why"),
    [
        ("56,000", "56000", True, "a sign between groups"),
        ("30.000", "30,000", True, "another sign"),
        ("@54,000", "54.000", True, "a symbol before it"),
        ("Rp 5.000", "rp5000", True, "a space, and case"),
        ("$ -5.00", "$5.00", False, "a minus sign after a symbol"),
        ("-$5", "$5", False, "a minus sign before a symbol"),
        ("\u22125", "-5", True, "two minus signs"),
        ("2024-03-12", "2024/03/12", True, "a hyphen is no minus sign"),
        ("Coca-Cola", "Coca Cola", True, "nor is this"),
        ("TEA", "tea", False, "case alone"),
        ("tea", "tea", False, "nothing"),
        ("é", "e", False, "another letter"),
        ("\u0915\u093f", "\u0915\u0940", False, "another vowel sign"),
        ("...", "---", False, "no letter at all"),
        (True, "true!", False, "a boolean"),
        (1500, "1,500", True, "a number and a text"),
    ],
)
def test_texts_that_differ_in_punctuation(left: Any, right: Any, expected: bool, why: str) -> None:
    assert differ_in_punctuation(left, right) == differ_in_punctuation(right, left) == expected, why
