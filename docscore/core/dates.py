"""Read a date from a text that can be read in only one way."""

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


# The words that a date with the name of a month may have. Names of time zones are ambiguous and not among them.
_WORDS = re.compile(
    """
    jan(uary)? | feb(ruary)? | mar(ch)? | apr(il)? | may | june? | july? | aug(ust)? | sept?(ember)? | oct(ober)?
    | nov(ember)? | dec(ember)?
    | mon(day)? | tue(s|sday)? | wed(nesday)? | thu(r|rs|rsday)? | fri(day)? | sat(urday)? | sun(day)?
    | st | nd | rd | th | of | am | pm
    """,
    re.VERBOSE,
)


_MIDNIGHT = datetime(2000, 1, 1)  # noqa: DTZ001  gives the time to texts without one; all have day, month and year


@lru_cache(maxsize=1 << 14)
def read_date(text: str, order: str | None = None) -> date | None:
    """Return the date that a text spells, as a `datetime` if it has a time of day; None if it spells no or several.

    A time of day keeps its offset, so that the day stays as written.

    The formats are ISO 8601, numbers with a year of four digits whose order is certain (`31.12.2024`, `2024/3/1`), and
    English names of months (`1 March 2024`). A text that leaves day and month or the century open (`03/04/2024`,
    `1.2.24`) needs an order; years of two digits are then those from 1969 to 2068.

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
    """Read a date of three numbers in the given order, or otherwise in the only order that makes a date."""
    match = _IN_NUMBERS.match(text)
    if match is None:
        return None
    parts = match[1], match[3], match[4]
    readings = {_in_order(parts, order, digits=(2, 4))} if order else set()
    if not readings - {None}:
        readings = {_in_order(parts, name, digits=(4,)) for name in ORDERS}
    dates = [day for day in readings if day is not None]
    if len(dates) != 1:
        return None
    return datetime.combine(dates[0], time.fromisoformat(match[5].rjust(5, "0"))) if match[5] else dates[0]


def _in_order(parts: tuple[str, str, str], order: str, digits: tuple[int, ...]) -> date | None:
    """Return the date of three numbers in an order; None if there is none, or its year has another number of digits."""
    part = dict(zip(order, parts, strict=True))
    try:
        return date(_year(part["y"]), int(part["m"]), int(part["d"])) if len(part["y"]) in digits else None
    except ValueError:
        return None


def _year(digits: str) -> int:
    """Return the year; two digits stand for one from 1969 to 2068, as in POSIX."""
    number = int(digits)
    return number if len(digits) > 2 else number + (2000 if number <= 68 else 1900)  # noqa: PLR2004


def _with_month(text: str, order: str | None) -> date | None:
    """Read a date with the name of a month, a day, and a year of four digits, or of two if an order is given."""
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
    """Return the parser of ISO 8601, and those of dates with the name of a month and the year last or first."""
    from dateutil import parser  # noqa: PLC0415  slow to import

    class FixedCentury(parser.parserinfo):
        """Read years of two digits independently of today's date."""

        def convertyear(self, year: int, century_specified: bool = False) -> int:  # noqa: FBT002  dateutil's signature
            return year if century_specified else _year(f"{year:02}")

    year_last, year_first = (parser.parser(FixedCentury(yearfirst=first)) for first in (False, True))
    return parser.isoparser(), year_last, year_first
