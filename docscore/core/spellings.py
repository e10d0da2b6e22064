"""Numbers and dates that texts spell: the value behind the spelling, where there is no doubt about it."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache

from docscore.core.dates import date_of
from docscore.core.decimals import decimal_of, decimal_value
from docscore.core.values import Scalar

_LONGEST = 64  # characters; no number of a document is longer


_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")


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
    if not isinstance(value, str):
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
