"""Numbers and dates that texts spell without doubt, and texts that differ only in punctuation."""

import re
import unicodedata
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache
from typing import Literal

from docscore.core.dates import read_date
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
