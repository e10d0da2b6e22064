"""Numbers and dates that texts spell: the value behind the spelling, where there is no doubt about it."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Literal

from docscore.core.values import Scalar, scalar_text

DateOrder = Literal["dmy", "mdy", "ymd"]

_LONGEST = 64  # characters; no number or date of a document is longer
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_WORDS = re.compile(r"[^\W\d_]+")
_NUMBERS = re.compile(r"\d+")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
_DEFAULTS = datetime(2000, 1, 1), datetime(2001, 2, 2)  # noqa: DTZ001  a date has no time zone


def number_of(value: Scalar, *, decimal: str = ".", group: str = "") -> Decimal | None:
    """The number that a JSON number is, or that a text spells; None for booleans, NaN, infinities and other texts.

    Args:
        value: a scalar.
        decimal: the decimal separator of texts.
        group: the separator between groups of three digits in texts; "" for none.

    >>> number_of("1,000.50", group=","), number_of(12.50), number_of("1,000.50")
    (Decimal('1000.50'), Decimal('12.5'), None)
    """
    if isinstance(value, bool):
        return None
    text = scalar_text(value).strip()
    if isinstance(value, str):
        if len(text) > _LONGEST or not _number_pattern(decimal, group).match(text):
            return None
        text = (text.replace(group, "") if group else text).replace(decimal, ".")
    try:
        found = Decimal(text)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _number_pattern(decimal: str, group: str) -> re.Pattern[str]:
    grouped = rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+|" if group else ""
    return re.compile(
        rf"[+-]?(?:(?:{grouped}\d+)(?:{re.escape(decimal)}\d*)?|{re.escape(decimal)}\d+)(?:[eE][+-]?\d+)?\Z"
    )


def date_of(value: Scalar, *, order: DateOrder | None = None) -> date | None:
    """The date that a text spells; None for anything else, and for a text that may be read as several dates.

    Args:
        value: a scalar.
        order: how dates of three numbers are read; None accepts them only where one reading is possible, such as
            2024-03-12 and 25.03.2024.

    >>> date_of("12 March 2024"), date_of("25.03.2024"), date_of("03/04/2024")
    (datetime.date(2024, 3, 12), datetime.date(2024, 3, 25), None)
    """
    text = value.strip() if isinstance(value, str) else ""
    if not text or len(text) > _LONGEST:
        return None
    if _ISO_DATE.match(text):
        return _parsed(text, day_first=False, year_first=True)
    if not _looks_like_a_date(_ORDINAL.sub("", text)):
        return None
    if order is not None:
        return _parsed(text, day_first=order == "dmy", year_first=order == "ymd")
    readings = {_parsed(text, day_first=day_first, year_first=False) for day_first in (True, False)}
    return readings.pop() if len(readings) == 1 else None


def _looks_like_a_date(text: str) -> bool:
    """Whether it is a year of four digits with two more numbers, or with one and the name of a month or a day."""
    numbers, words = _NUMBERS.findall(text), _WORDS.findall(text)
    if sum(len(number) == 4 for number in numbers) != 1 or any(len(number) > 4 for number in numbers):  # noqa: PLR2004
        return False
    return len(numbers) == 3 - bool(words) and len(words) <= 2  # noqa: PLR2004


def _parsed(text: str, *, day_first: bool, year_first: bool) -> date | None:
    """The date, if the text holds all of year, month and day."""
    from dateutil import parser  # noqa: PLC0415  only who looks for dates pays for the import

    try:  # what the text lacks is taken from the default, so that two defaults give two dates
        found = {
            parser.parse(text, default=default, dayfirst=day_first, yearfirst=year_first).date()
            for default in _DEFAULTS
        }
    except (ValueError, OverflowError):
        return None
    return found.pop() if len(found) == 1 else None


def are_same_value(truth: Scalar, prediction: Scalar) -> bool:
    """Whether two scalars are the same number, or the same date of which one is in ISO form, however they are written.

    >>> are_same_value("12.50", 12.5), are_same_value("2024-03-12", "March 12, 2024"), are_same_value("1", True)
    (True, True, False)
    """
    numbers = number_of(truth), number_of(prediction)
    if None not in numbers:
        return numbers[0] == numbers[1]
    texts = [value.strip() for value in (truth, prediction) if isinstance(value, str)]
    if len(texts) < 2 or not any(map(_ISO_DATE.match, texts)):  # noqa: PLR2004
        return False
    dates = date_of(truth), date_of(prediction)
    return None not in dates and dates[0] == dates[1]
