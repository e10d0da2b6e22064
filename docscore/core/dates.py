"""Reading a date from a text, only where there is one way to read it."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from functools import cache, lru_cache
from typing import Any

ORDERS = ("dmy", "mdy", "ymd")


_LONGEST = 60  # characters of a date


_ISO = re.compile(r"(\d{4}-\d{2}-\d{2}|\d{8})([T ]\d{2}(:?\d{2}.*)?)?\Z", re.ASCII)


_TIME = r"(\d{2}:\d{2}(?::\d{2})?|\d:\d{2})"


_IN_NUMBERS = re.compile(rf"(\d{{1,4}})([./ -]) ?(\d{{1,2}})\2 ?(\d{{1,4}})(?:,? +{_TIME})?\Z", re.ASCII)


_MONTHS = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE)


# What may stand beside the numbers of a date with the name of a month; no time zones, whose names are ambiguous.
_WORDS = re.compile(
    """
    jan(uary)? | feb(ruary)? | mar(ch)? | apr(il)? | may | june? | july? | aug(ust)? | sept?(ember)? | oct(ober)?
    | nov(ember)? | dec(ember)?
    | mon(day)? | tue(s|sday)? | wed(nesday)? | thu(r|rs|rsday)? | fri(day)? | sat(urday)? | sun(day)?
    | st | nd | rd | th | of | am | pm
    """,
    re.VERBOSE,
)


_MIDNIGHT = datetime(2000, 1, 1)  # noqa: DTZ001  where a text has no time; it always has day, month and year


@lru_cache(maxsize=1 << 14)
def read_date(text: str, order: str | None = None) -> date | None:
    """The date that a text spells, a `datetime` where it has a time of day; None for none, or where it may be several.

    A time of day with an offset keeps it, so that the day is the one that stands there.

    Read are ISO 8601, numbers with a year of four digits whose order is certain (`31.12.2024`, `2024/3/1`), and English
    names of months (`1 March 2024`). What leaves day and month or the century open (`03/04/2024`, `1.2.24`) is read
    with an order only; years of two digits are then those from 1969 to 2068.

    Args:
        text: the text.
        order: "dmy", "mdy" or "ymd", or None.

    >>> str(read_date("31.12.2024")), str(read_date("2024-12-31T08:30+02:00")), read_date("03/04/2024")
    ('2024-12-31', '2024-12-31 08:30:00+02:00', None)
    >>> str(read_date("03/04/2024", "dmy"))
    '2024-04-03'
    """
    plain = text.strip()
    if len(plain) > _LONGEST:
        return None
    try:
        return _iso(plain) or _in_numbers(plain, order) or _with_month(plain, order)
    except (ValueError, OverflowError):  # 31 February
        return None


def _iso(text: str) -> date | None:
    match = _ISO.match(text)
    if match is None:
        return None
    when: datetime = _parsers()[0].isoparse(text)
    return when if match[2] else when.date()


def _in_numbers(text: str, order: str | None) -> date | None:
    """A date of three numbers, read in the order that was given, or else in the only one that makes a date."""
    found = _IN_NUMBERS.match(text)
    if found is None:
        return None
    parts = found[1], found[3], found[4]
    readings = {_in_order(parts, order, digits=(2, 4))} if order else set()
    if not readings - {None}:
        readings = {_in_order(parts, each, digits=(4,)) for each in ORDERS}
    dates = [each for each in readings if each is not None]
    if len(dates) != 1:
        return None
    return datetime.combine(dates[0], time.fromisoformat(found[5].rjust(5, "0"))) if found[5] else dates[0]


def _in_order(parts: tuple[str, str, str], order: str, digits: tuple[int, ...]) -> date | None:
    """The date of three numbers in an order; None where there is no such date or its year has other digits."""
    part = dict(zip(order, parts, strict=True))
    try:
        return date(_year(part["y"]), int(part["m"]), int(part["d"])) if len(part["y"]) in digits else None
    except ValueError:
        return None


def _year(digits: str) -> int:
    """The year; of two digits one from 1969 to 2068, as POSIX reads it."""
    number = int(digits)
    return number if len(digits) > 2 else number + (2000 if number <= 68 else 1900)  # noqa: PLR2004


def _with_month(text: str, order: str | None) -> date | None:
    """A date with the name of a month, a day, and a year of four digits, or of two where an order is given."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    plain, times = re.subn(_TIME, "", text)
    numbers = re.findall(r"\d+", plain)
    if not _MONTHS.search(text) or not all(map(_WORDS.fullmatch, words)) or len(numbers) != 2:  # noqa: PLR2004  day and year
        return None
    if order is None and not any(len(number) == 4 for number in numbers):  # noqa: PLR2004
        return None
    when: datetime = _parsers()[1 + (order == "ymd")].parse(text, default=_MIDNIGHT, ignoretz=True)
    return when if times else when.date()


@cache
def _parsers() -> tuple[Any, Any, Any]:
    """What reads ISO 8601, and what reads dates with the name of a month, the year last or first."""
    from dateutil import parser  # noqa: PLC0415  only who looks for dates pays for the import

    class FixedCentury(parser.parserinfo):
        """Years of two digits without a look at today's date."""

        def convertyear(self, year: int, century_specified: bool = False) -> int:  # noqa: FBT002  dateutil's signature
            return year if century_specified else _year(f"{year:02}")

    year_last, year_first = (parser.parser(FixedCentury(yearfirst=first)) for first in (False, True))
    return parser.isoparser(), year_last, year_first
