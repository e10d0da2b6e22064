"""Numbers by their exact decimal value: what a float does not hold, and the shortest spelling of a number."""

from __future__ import annotations

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, InvalidOperation
from math import isfinite

from docscore.core.limits import check_digits

_MOST_ZEROS = 400  # at the end or the beginning of a spelling; every float has fewer


_CERTAIN = 16  # characters: a point and 15 digits, which every float holds


_EXACT = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX)  # rounds no number


class LongFloat(float):
    """A JSON number whose digits say more than its float, such as 1e400; in all other respects that float.

    Attributes:
        digits: the number as it was written.
    """

    __slots__ = ("digits",)
    digits: str

    @classmethod
    def reading(cls, digits: str) -> float:
        """The number as a float, or with its digits beside where a float does not hold its value.

        Raises:
            ValueError: for more than `MAX_DIGITS` digits.
        """
        if len(digits) <= _CERTAIN and "e" not in digits and "E" not in digits:
            return float(digits)
        check_digits(len(digits))
        found = float(digits)
        exact = decimal_of(digits)
        if exact is None or (isfinite(found) and Decimal(repr(found)) == exact):
            return found
        long = cls(found)
        long.digits = digits
        return long


class DecimalText(str):
    """A `decimal.Decimal` as its text."""

    __slots__ = ()


def decimal_of(text: str) -> Decimal | None:
    """The number that a text spells in digits; None where it spells none, or one that is not finite."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def shortest_spelling(number: Decimal) -> str:
    """The digits of a finite number without an exponent and without zeros that change nothing.

    Beyond 400 zeros at either end it is spelled with an exponent, so that a text cannot grow without bounds. Numbers
    are equal if and only if their spellings are.

    >>> [shortest_spelling(Decimal(text)) for text in ("1000.0", "1e3", "12.50", "-0.0", "5E+500")]
    ['1000', '1000', '12.5', '0', '5e500']
    """
    plain = number.normalize(_EXACT)  # without zeros at the end
    negative, figures, exponent = plain.as_tuple()
    if not plain:
        return "0"
    if int(exponent) > _MOST_ZEROS or int(exponent) < -_MOST_ZEROS - len(figures):
        return f"{'-' if negative else ''}{''.join(map(str, figures))}e{exponent}"
    return f"{plain:f}"


def number_spelling(value: float | DecimalText) -> str | None:
    """The shortest spelling of a number; None for NaN and infinities."""
    exact = decimal_value(value)
    return None if exact is None else shortest_spelling(exact)


def decimal_value(value: float | DecimalText) -> Decimal | None:
    """The exact value of a number; of a float that of its shortest digits. None for NaN and infinities."""
    if isinstance(value, int):
        return Decimal(value)
    return decimal_of(value.digits if isinstance(value, LongFloat) else str(value))
