"""Numbers and dates that texts spell without doubt, and texts that differ only in punctuation."""

import re
import unicodedata
from datetime import date, datetime, time
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, Literal

from docscore.core.numbers import DecimalText, decimal_of, decimal_value
from docscore.core.values import Scalar, scalar_text

_LONGEST = 64  # characters; no number of a document is longer


_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")


_DIGITS_AND_SIGNS = re.compile(r"\s*[+-]?[.,]?\d[\d.,eE+-]*\s*\Z")  # as in all numbers and ISO dates


_MINUS = re.compile(r"(?<!\w)[-\u2212](?=[^\w\s]*\d)")


# Numbers whose separators can be read in only one way, each with its separator of groups. A single separator before
# three digits is in doubt ("1,500"), unless only 0 or more than three digits stand before it.
_SEPARATED = (
    (re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+,\d+\Z", re.ASCII), "."),
    (re.compile(r"[+-]?\d+,(?:\d{1,2}|\d{4,})\Z|[+-]?(?:0|[1-9]\d{3,}),\d+\Z", re.ASCII), ""),
    (re.compile(r"[+-]?\d{1,3}(?:,\d{3})+\.\d+\Z", re.ASCII), ","),
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
    grouped = rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+|" if group else ""
    return re.compile(
        rf"[+-]?(?:(?:{grouped}\d+)(?:{re.escape(decimal)}\d*)?|{re.escape(decimal)}\d+)(?:[eE][+-]?\d+)?\Z"
    )


Spelling = Literal["decimal comma", "number", "date"]


def spelling_of_same_value(truth: Scalar, prediction: Scalar) -> Spelling | None:
    """Return how two spellings of the same number or date differ; None if they do not spell the same value.

    Of two dates, one must be in ISO form.

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
    left = number_without_doubt(truth)
    right = None if left is None else number_without_doubt(prediction)
    if left is not None and right is not None:
        if left[0] != right[0]:
            return None
        return "decimal comma" if left[1] != right[1] else "number"
    if not texts or not any(_ISO_DATE.match(value.strip()) for value in (truth, prediction)):  # type: ignore[union-attr]
        return None
    day = read_date(truth)
    return "date" if type(day) is date and day == read_date(prediction) else None


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


def number_without_doubt(value: Scalar) -> tuple[Decimal, bool] | None:
    """Return the number that a scalar is or spells without doubt, and whether it has a decimal comma."""
    number = number_of(value)
    if number is not None:
        return number, False
    return separated_number(value.strip()) if isinstance(value, str) else None


ORDERS = ("dmy", "mdy", "ymd")


_LONGEST_DATE = 60  # characters


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
