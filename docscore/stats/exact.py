"""Sums of floats without rounding: whatever the order and the grouping, the sum is the same to the last bit.

Every float is a whole number of units of 2 to the power of -1074, the smallest there is; whole numbers add exactly.
"""

from __future__ import annotations

from collections.abc import Iterable

_UNIT = 1 << 1074


def units(number: float) -> int:
    """The float as a whole number of units.

    Raises:
        ValueError, OverflowError: for NaN and infinities.
    """
    top, bottom = number.as_integer_ratio()
    return top * (_UNIT // bottom)


def total_units(numbers: Iterable[float]) -> int:
    """The exact sum of floats, in units."""
    return sum(map(units, numbers))


def as_float(count: int) -> float:
    """So many units as the nearest float, as `math.fsum` rounds.

    >>> as_float(total_units([0.1] * 10)), sum([0.1] * 10)
    (1.0, 0.9999999999999999)
    """
    return count / _UNIT
