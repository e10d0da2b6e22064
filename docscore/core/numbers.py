"""Exact decimal values of numbers, their shortest spellings, and tolerances for comparing floats."""

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, InvalidOperation
from math import isfinite, isinf
from typing import SupportsFloat

from docscore.core.errors import InputValueError, PlacePart

MAX_DIGITS = 4_300  # of a number in JSON text; Python refuses longer integers, since reading takes quadratic time
MILLION = 1_000_000  # tokens; providers state prices per million
MOST_ZEROS = 400  # zeros at the end or the beginning of a spelling; every float has fewer


UNROUNDED = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX)  # does not round


class DecimalText(str):
    """The digits of a `decimal.Decimal`, or of a JSON number beyond every float, such as 1e400.

    They are compared as text, or by their exact value if numbers are compared by value.
    """

    __slots__ = ()


def float_or_digits(digits: str) -> float | DecimalText:
    """Return the float of a JSON number, or its digits if it is larger than every float.

    Raises:
        ValueError: for more than `MAX_DIGITS` digits.
    """
    if len(digits) > MAX_DIGITS:
        raise InputValueError(problem=f"a number of more than {MAX_DIGITS:,} digits")
    value = float(digits)
    return DecimalText(digits) if isinf(value) else value


LONG_INTEGER = 10**640  # Python prints all integers below it, whatever `sys.set_int_max_str_digits` says


def is_printable_integer(value: int) -> bool:
    """Return whether Python prints an integer; it refuses integers of more than 4,300 digits.

    >>> is_printable_integer(10**4000), is_printable_integer(10**5000)
    (True, False)
    """
    if -LONG_INTEGER < value < LONG_INTEGER:
        return True
    try:
        str(value)
    except ValueError:
        return False
    return True


def too_long_integer(place: PlacePart | tuple[PlacePart, ...] = ()) -> InputValueError:
    """Return the error for an integer that Python does not print."""
    return InputValueError(
        place=place, expected=f"an integer of at most {MAX_DIGITS:,} digits", got="one with more digits"
    )


def is_finite(value: SupportsFloat) -> bool:
    """Return whether a number is finite as a float; 10**400 is not.

    >>> is_finite(1e300), is_finite(10**400)
    (True, False)
    """
    try:
        return isfinite(value)
    except OverflowError:
        return False


def decimal_of(text: str) -> Decimal | None:
    """Return the finite number that a text spells in digits; None for other texts."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def shortest_spelling(number: Decimal) -> str:
    """Return the digits of a finite number without an exponent and without redundant zeros.

    A number with more than 400 zeros at either end gets an exponent, so that the text cannot grow without bounds. Two
    numbers are equal if and only if their spellings are equal.

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
    """Return the exact value of a number, or of the shortest digits of a float; None for NaN and infinities."""
    return Decimal(value) if isinstance(value, int) else decimal_of(str(value))


DECIMALS = 12
"""Number of decimals to which figures are rounded before a comparison in which equal figures must tie."""

ROUNDING = 1e-12
"""Differences of scores, sums and shares up to this are rounding errors.

This is far above the rounding error of a float near 1 (2e-16), which grows with the length of a sum, and far below any
real difference: similarities of texts of 100,000 characters differ by at least 1e-10.
"""

TIE = 1e-10
"""Sums of a matching that differ by up to this count as equal.

This is wider than `ROUNDING`, since a sum has up to 10,000 terms in an order that depends on the input. It is far above
the rounding error of a sum of 10,000 similarities, and far below any real difference.
"""
