"""The largest inputs that are read, in one place for the library, the command and programs that serve others."""

from __future__ import annotations

from docscore.core.errors import InputValueError

MAX_DIGITS = 10_000  # of a number in JSON text: reading one takes quadratic time, of a million digits minutes


MAX_TEXT = 100_000  # characters of a text where others wait: to compare two that differ takes quadratic time, about 1 s


MAX_UNPACKED = 1_000_000_000  # bytes of a compressed file when unpacked: gzip makes 1 MB of a gigabyte of equal lines


MAX_STEPS = 3_000_000  # of mending JSON: one or two a character of a text that is cut off, a second or two in all


MAX_MENDED = 500_000  # characters of JSON that is mended: more than a model answers, 128,000 tokens


def check_digits(length: int) -> None:
    """Raise `ValueError` for a number that is written in more characters than are read."""
    if length > MAX_DIGITS:
        raise InputValueError(problem=f"a number of {length:,} digits, longer than the limit of {MAX_DIGITS:,}")
