"""Exact sums of floats: the result does not depend on the order or grouping of the numbers.

Every float is an integer multiple of a unit, the smallest positive float 2**-1074, and integers add exactly.
"""

from __future__ import annotations

from collections.abc import Iterable

_UNIT = 1 << 1074


def units(number: float) -> int:
    """Convert a float to an integer number of units.

    Raises:
        ValueError, OverflowError: for NaN and infinities.
    """
    numerator, denominator = number.as_integer_ratio()
    return numerator * (_UNIT // denominator)


def total_units(numbers: Iterable[float]) -> int:
    """The exact sum of floats, in units."""
    return sum(map(units, numbers))


def as_float(count: int) -> float:
    """Convert a number of units to the nearest float, with the rounding of `math.fsum`.

    >>> as_float(total_units([0.1] * 10)), sum([0.1] * 10)
    (1.0, 0.9999999999999999)
    """
    return count / _UNIT
