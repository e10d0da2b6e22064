"""The largest inputs that are read, in one place for the library, the command and programs that serve others."""

from __future__ import annotations

import os

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


VARIABLE = "DOCSCORE_MAX_MEMORY"
"""The environment variable that sets the bound, in gigabytes."""

DEFAULT_GIGABYTES = 2.0

_BYTES_A_PAIR = 100  # of list elements, measured where they tie in chains; 25 where they do not tie


class TooManyPairsError(InputValueError):
    """Two lists have more pairs of elements than the bound on memory allows."""


def check_memory(
    rows: int, columns: int, *, things: str = "list elements", bytes_a_pair: int = _BYTES_A_PAIR, place: str = ""
) -> None:
    """Refuse a table of all pairs that would not fit into the bound.

    Args:
        rows: how many there are in the ground truth.
        columns: how many in the prediction.
        things: what they are.
        bytes_a_pair: what each pair takes at most.
        place: where they are, if that is known.

    Raises:
        ValueError: naming the sizes and what helps.
    """
    gigabytes = rows * columns * bytes_a_pair / 1e9
    if gigabytes <= 0.1 or gigabytes <= most_gigabytes():  # noqa: PLR2004  the least that can be set
        return
    raise TooManyPairsError(
        place=place or (),
        expected=f"{things} whose comparison takes at most {most_gigabytes():g} GB",
        got=f"{rows:,} against {columns:,}, which may take {gigabytes:,.1f} GB",
        remedy=f"split them into several documents, or set the environment variable {VARIABLE} (in GB)",
    )


def most_gigabytes() -> float:
    """The bound on memory in gigabytes, 0.1 or more.

    Raises:
        ValueError: if the environment variable holds no such number.
    """
    text = os.environ.get(VARIABLE, "")
    try:
        found = float(text) if text else DEFAULT_GIGABYTES
    except ValueError:
        found = 0.0
    if not found >= 0.1:  # noqa: PLR2004  NaN too
        raise InputValueError(place=VARIABLE, expected="gigabytes, 0.1 or more", got=repr(text))
    return found
