"""Sums of scores with the same bits in any order, and whichever of several equally good matchings was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import fsum, lcm, ulp

import numpy as np

from docscore.core.values import Matrix

_LARGEST_DENOMINATOR = 1 << 20  # scores of several texts of up to 20 characters


_HALF = 2.0**26  # numbers below 2**27 are split into multiples of 1 / _HALF and a rest


def sum_of_ties(numbers: Sequence[float]) -> float:
    """The sum of scores that are rounded fractions, as if they were not rounded.

    Matchings tie as fractions, 1/2 + 1/3 = 1/6 + 2/3, but the sums of their floats differ in the last bits. What is
    near no fraction of a small denominator counts as the float that it is.

    >>> sum_of_ties([0.1, 0.2, 0.3]), sum_of_ties([0.1, 0.5]), 0.1 + 0.2 + 0.3
    (0.6, 0.6, 0.6000000000000001)
    """
    if not any(number % 1 for number in numbers):
        return fsum(numbers)
    counted = [(_fraction(float(number)), count) for number, count in Counter(numbers).items()]
    common = lcm(*(denominator for (_, denominator), _ in counted))
    return sum(count * top * (common // bottom) for (top, bottom), count in counted) / common


@lru_cache(maxsize=1 << 14)
def _fraction(number: float) -> tuple[int, int]:
    """The fraction of a small denominator that a number is, but for rounding; else the number itself.

    A fraction so near is one of the convergents of the number's continued fraction.
    """
    exact = number.as_integer_ratio()
    (left, right), (above, before), (below, under) = exact, (1, 0), (0, 1)
    while right:
        quotient, rest = divmod(left, right)
        above, before = quotient * above + before, above
        below, under = quotient * below + under, below
        if below > _LARGEST_DENOMINATOR:
            return exact
        if abs(above / below - number) <= 8 * ulp(number):
            return above, below
        left, right = right, rest
    return exact


def halves(numbers: Matrix) -> tuple[Matrix, Matrix]:
    """Numbers as sums of two, of each of which up to a million add without rounding."""
    high = np.rint(numbers * _HALF) / _HALF
    return high, numbers - high
