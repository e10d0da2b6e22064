"""Tolerances for comparing floats, for the whole library."""

from __future__ import annotations

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
