"""Numbers and dates that texts spell unambiguously, and texts that differ only in punctuation."""

import re
import unicodedata
from datetime import date, datetime, time
from decimal import Decimal
from functools import cache, lru_cache
from typing import Literal

from docscore.core.errors import InputValueError
from docscore.core.numbers import DecimalText, decimal_of, decimal_value
from docscore.core.values import Scalar, scalar_text

_LONGEST = 64  # characters; no number of a document is longer


_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")


_DIGITS_AND_SIGNS = re.compile(r"\s*[+-]?[.,]?\d[\d.,eE+-]*\s*\Z")  # as in all numbers and ISO dates


_MINUS = re.compile(r"(?<!\w)[-\u2212](?=[^\w\s]*\d)")


# Numbers whose separators can be read in only one way, each with its separator of groups. A single separator before
# three digits is ambiguous ("1,500"), unless it follows a single 0 or more than three digits.
_SEPARATED = (
    (re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+,\d+\Z", re.ASCII), "."),
    (re.compile(r"[+-]?\d+,(?:\d{1,2}|\d{4,})\Z|[+-]?(?:0|[1-9]\d{3,}),\d+\Z", re.ASCII), ""),
    (re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+\.\d+\Z", re.ASCII), ","),
    (re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3}){2,}\Z", re.ASCII), ","),
    (re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,}\Z", re.ASCII), "."),
    (re.compile(r"[+-]?[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?\Z", re.ASCII), ","),  # 12,34,567 as in India
    (re.compile(r"[+-]?[1-9]\d{0,2}(?:'\d{3})+(?:[.,]\d+)?\Z", re.ASCII), "'"),
    (re.compile(r"[+-]?[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d+)?\Z", re.ASCII), " "),
)


def number_of(value: Scalar, *, decimal: str = ".", group: str = "") -> Decimal | None:
    """Return the number that a value is or spells; None for booleans, NaN, infinities and other texts.

    Args:
        value: a scalar.
        decimal: the decimal separator of texts.
        group: the separator between groups of three digits in texts; "" for none.

    >>> number_of("1,000.50", group=","), number_of(12.50), number_of("1,000.50")
    (Decimal('1000.50'), Decimal('12.5'), None)
    """
    if isinstance(value, bool):
        return None
    if not isinstance(value, str) or isinstance(value, DecimalText):
        return decimal_value(value)
    text = value.strip()
    if len(text) > _LONGEST or not _number_pattern(decimal, group).match(text):
        return None
    return decimal_of((text.replace(group, "") if group else text).replace(decimal, "."))


@cache
def _number_pattern(decimal: str, group: str) -> re.Pattern[str]:
    grouped = rf"[1-9]\d{{0,2}}(?:{re.escape(group)}\d{{3}})+|" if group else ""
    return re.compile(
        rf"[+-]?(?:(?:{grouped}\d+)(?:{re.escape(decimal)}\d*)?|{re.escape(decimal)}\d+)(?:[eE][+-]?\d+)?\Z"
    )


Spelling = Literal["decimal comma", "number", "date"]


def spelling_of_same_value(truth: Scalar, prediction: Scalar) -> Spelling | None:
    """Return how two spellings of the same number or date differ; None if they do not spell the same value.

    Dates are compared only if one of them is in ISO form.

    Returns:
        "decimal comma" if one of two numbers has a decimal comma, "number" for other spellings of numbers, "date" for
        dates.

    >>> spelling_of_same_value("1.234,50", "1234.50"), spelling_of_same_value("1,000.5", 1000.5)
    ('decimal comma', 'number')
    >>> spelling_of_same_value("1,500", "1500") is None  # may be 1.5
    True
    """
    texts = isinstance(truth, str) and isinstance(prediction, str)
    if texts and not _DIGITS_AND_SIGNS.match(truth) and not _DIGITS_AND_SIGNS.match(prediction):  # type: ignore[arg-type]
        return None
    left = unambiguous_number(truth)
    right = None if left is None else unambiguous_number(prediction)
    if left is not None and right is not None:
        if left[0] != right[0]:
            return None
        return "decimal comma" if left[1] != right[1] else "number"
    if not texts or not any(_ISO_DATE.match(value.strip()) for value in (truth, prediction)):  # type: ignore[union-attr]
        return None
    day = date_of(truth)
    return "date" if type(day) is date and day == date_of(prediction) else None


def differ_in_punctuation(truth: Scalar, prediction: Scalar) -> bool:
    """Return whether two scalars differ in punctuation, symbols or spaces, but not in letters and digits.

    Case is ignored. A minus sign before a number is a part of the number.

    >>> differ_in_punctuation("56,000", 56000), differ_in_punctuation("@ 5.000", "5,000")
    (True, True)
    >>> differ_in_punctuation("-5", "5"), differ_in_punctuation("Tea", "tea"), differ_in_punctuation("!", "?")
    (False, False, False)
    """
    left, right = scalar_text(truth).casefold(), scalar_text(prediction).casefold()
    letters = letters_of(left)
    if not letters or letters != letters_of(right) or left == right or bool in (type(truth), type(prediction)):
        return False
    return len(_MINUS.findall(left)) == len(_MINUS.findall(right))


def letters_of(text: str) -> str:
    """Return the letters, their marks, and the digits of a text."""
    words = text.replace(" ", "")
    return words if words.isalnum() else "".join([character for character in words if _is_letter(character)])


@lru_cache(maxsize=4096)
def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def separated_number(text: str) -> tuple[Decimal, bool] | None:
    """Return the number of a text whose separators can be read in only one way, and whether it has a decimal comma.

    >>> separated_number("1.234,5"), separated_number("1 234.50"), separated_number("1,500")
    ((Decimal('1234.5'), True), (Decimal('1234.50'), False), None)
    """
    for pattern, group in _SEPARATED:
        if len(text) <= _LONGEST and pattern.match(text):
            digits = text.replace(group, "") if group else text
            return Decimal(digits.replace(",", ".")), "," in digits
    return None


def unambiguous_number(value: Scalar) -> tuple[Decimal, bool] | None:
    """Return the number that a scalar is or spells unambiguously, and whether it has a decimal comma."""
    number = number_of(value)
    if number is not None:
        return number, False
    return separated_number(value.strip()) if isinstance(value, str) else None


ORDERS = ("dmy", "mdy", "ymd")


_LONGEST_DATE = 60  # characters


# After a space, minutes need a colon, and a negative offset needs seconds: `2024-12-31 10:00-11:00` is a time range.
_ISO = re.compile(r"(\d{4}-\d{2}-\d{2}|\d{8})((?:T| (?=\d\d:\d\d(?!-)))\d{2}(:?\d{2}.*)?)?\Z", re.ASCII)


_CLOCK = (
    r"(?<![\d:.])(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2}))?|(?= ?[ap]\.?m))"
    r"(?: ?(?P<half>[ap])\.?m\b\.?)?(?! ?[-+]\d|[\d:])"
)


_CLOCKS = re.compile(_CLOCK, re.ASCII | re.IGNORECASE)


_IN_NUMBERS = re.compile(
    rf"(\d{{1,4}})([./ -]) ?(\d{{1,2}})\2 ?(\d{{1,4}})(?:,? +{_CLOCK})?\Z", re.ASCII | re.IGNORECASE
)


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


# The words that a date with the name of a month may contain. Names of time zones are ambiguous and not included.
_WORDS = re.compile(
    """
    (?P<month> jan(uary)? | feb(ruary)? | mar(ch)? | apr(il)? | may | june? | july? | aug(ust)? | sept?(ember)?
    | oct(ober)? | nov(ember)? | dec(ember)?)
    | mon(day)? | tue(s|sday)? | wed(nesday)? | thu(r|rs|rsday)? | fri(day)? | sat(urday)? | sun(day)?
    | st | nd | rd | th | of
    """,
    re.VERBOSE,
)


_NOT_IN_DATES = re.compile(r"[^\w\s.,;/'-]|_")


@lru_cache(maxsize=1 << 14)
def date_of(text: str, order: str | None = None) -> date | None:
    """Return the date that a text spells, a `datetime` if it has a time of day; None if it spells none or several.

    A time of day keeps its offset, so that the day does not change.

    The formats are ISO 8601, numbers with a year of four digits whose order is certain (`31.12.2024`, `2024/3/1`), and
    English names of months (`1 March 2024`). A text with an ambiguous century or order of day and month (`03/04/2024`,
    `1.2.24`) needs an order; years of two digits then mean 1969 to 2068.

    Args:
        text: the text.
        order: "dmy", "mdy" or "ymd", or None.

    >>> str(date_of("31.12.2024")), str(date_of("2024-12-31T08:30+02:00")), date_of("03/04/2024")
    ('2024-12-31', '2024-12-31 08:30:00+02:00', None)
    >>> str(date_of("03/04/2024", "dmy"))
    '2024-04-03'
    """
    plain = text.strip()
    if len(plain) > _LONGEST_DATE:
        return None
    try:
        return _iso(plain) or _in_numbers(plain, order) or _with_month(plain, order)
    except (ValueError, OverflowError):  # 31 February
        return None


def _iso(text: str) -> date | None:
    match = _ISO.match(text)
    if match is None:
        return None
    from dateutil import parser  # noqa: PLC0415  slow to import

    when: datetime = parser.isoparse(text)
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
    return _at(dates[0], match if match["hour"] else None)


def certain_order(text: str) -> str:
    """Return "dmy" or "mdy" if three numbers form a date in only one of these orders; "" otherwise.

    >>> certain_order("28.01.2025"), certain_order("01/28/25"), certain_order("03/04/2025"), certain_order("2025-01-28")
    ('dmy', 'mdy', '', '')
    """
    plain = text.strip()
    match = _IN_NUMBERS.match(plain) if len(plain) <= _LONGEST_DATE else None
    parts = match and (match[1], match[3], match[4])
    orders = [order for order in ("dmy", "mdy") if parts and _in_order(parts, order, digits=(2, 4))]
    return orders[0] if len(orders) == 1 else ""


def _in_order(parts: tuple[str, str, str], order: str, digits: tuple[int, ...]) -> date | None:
    """Return the date of three numbers in an order; None if there is no such date with a year of allowed length."""
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
    """Read a date with the name of a month, a day, and a year of four digits, or of two if an order is given.

    Each part of the text must belong to the date or to one time of day: nothing is left out or added.
    """
    clocks, plain = [*_CLOCKS.finditer(text)], _CLOCKS.sub(" ", text).lower()
    words = list(map(_WORDS.fullmatch, re.findall(r"[^\W\d_]+", plain)))
    months = [word["month"] for word in words if word and word["month"]]
    numbers = re.findall(r"\d+", plain)
    if len(numbers) != 2 or len(months) != 1 or None in words or len(clocks) > 1 or _NOT_IN_DATES.search(plain):  # noqa: PLR2004  day and year
        return None
    year_first = len(numbers[0]) > 2 or (len(numbers[1]) <= 2 and order == "ymd")  # noqa: PLR2004
    year, day = numbers if year_first else reversed(numbers)
    if len(day) > 2 or len(year) not in ((4,) if order is None else (2, 4)):  # noqa: PLR2004
        return None
    return _at(date(_year(year), MONTHS.index(months[0][:3]) + 1, int(day)), *clocks or (None,))


def _at(day: date, clock: re.Match[str] | None) -> date:
    """Return the day with the time of day, if there is one."""
    if clock is None:
        return day
    hour = hour_of_day(int(clock["hour"]), clock["half"])
    return datetime.combine(day, time(hour, int(clock["minute"] or 0), int(clock["second"] or 0)))


def hour_of_day(hour: int, half: str | None) -> int:
    """Return an hour from 0 to 23: 14 for 2 and "p", as in `2 pm`; without "a" or "p" the same hour.

    Raises:
        ValueError: for an hour outside 1 to 12 with "a" or "p".
    """
    if not half:
        return hour
    if not 1 <= hour <= 12:  # noqa: PLR2004  hours of half a day
        raise InputValueError(expected="an hour from 1 to 12", got=str(hour))
    return hour % 12 + 12 * (half.lower() == "p")
