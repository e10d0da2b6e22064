"""Numbers by their exact decimal value, the shortest spelling of a number, and tolerances for comparing floats."""

from __future__ import annotations

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, InvalidOperation
from math import isinf

from docscore.core.limits import check_digits

MOST_ZEROS = 400  # at the end or the beginning of a spelling; every float has fewer


UNROUNDED = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX)  # rounds no number


class DecimalText(str):
    """The digits of a number: of a `decimal.Decimal`, or of a JSON number beyond every float, such as 1e400.

    It is compared as the text that it is, and by its exact value where numbers are compared by value.
    """

    __slots__ = ()


def float_or_digits(digits: str) -> float | DecimalText:
    """The float of a JSON number; its digits where it is larger than every float.

    Raises:
        ValueError: for more than `MAX_DIGITS` digits.
    """
    check_digits(len(digits))
    value = float(digits)
    return DecimalText(digits) if isinf(value) else value


def decimal_of(text: str) -> Decimal | None:
    """The number that a text spells in digits; None where it spells none, or one that is not finite."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def shortest_spelling(number: Decimal) -> str:
    """The digits of a finite number without an exponent and without zeros that change nothing.

    Beyond 400 zeros at either end it is spelled with an exponent, so that a text cannot grow without bounds. Numbers
    are equal if and only if their spellings are.

    >>> [shortest_spelling(Decimal(text)) for text in ("1000.0", "1e3", "12.50", "-0.0", "5E+500")]
    ['1000', '1000', '12.5', '0', '5e500']
    """
    plain = number.normalize(UNROUNDED)  # without zeros at the end
    negative, figures, exponent = plain.as_tuple()
    if not plain:
        return "0"
    if int(exponent) > MOST_ZEROS or int(exponent) < -MOST_ZEROS - len(figures):
        return f"{'-' if negative else ''}{''.join(map(str, figures))}e{exponent}"
    return f"{plain:f}"


def decimal_value(value: float | DecimalText) -> Decimal | None:
    """The exact value of a number; of a float that of its shortest digits. None for NaN and infinities."""
    return Decimal(value) if isinstance(value, int) else decimal_of(str(value))


DECIMALS = 12
"""Figures are compared after rounding to so many decimals where equal ones must be found equal."""

ROUNDING = 1e-12
"""Differences of scores, sums and shares up to this are rounding.

Far above the rounding of a float near 1 (2e-16), which grows with the length of a sum, and far below a difference that
occurs: the similarities of texts of 100,000 characters differ by 1e-10 at least.
"""

TIE = 1e-10
"""Sums of a matching that differ by up to this count as equal.

Wider than `ROUNDING`, since they are added over up to 10,000 rows, in an order that depends on the input's: far above
the rounding of a sum of 10,000 similarities, far below a difference that occurs.
"""
