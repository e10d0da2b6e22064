"""Limits on the size of inputs, and the bound on memory."""

import math
import os

from docscore.core.errors import InputValueError

MAX_DIGITS = 4_300  # digits of a number in JSON text; Python reads no longer integer, since that takes quadratic time

MAX_UNPACKED = 1_000_000_000  # bytes of a compressed file when unpacked; gzip packs a gigabyte of equal lines into 1 MB

VARIABLE = "DOCSCORE_MAX_MEMORY"
"""The environment variable that sets the bound, in gigabytes."""

DEFAULT_GIGABYTES = 2.0

_BYTES_A_PAIR = 100  # per pair of list elements, measured where they tie in chains; 25 where they do not tie


class TooManyPairsError(InputValueError):
    """Two lists have more pairs of elements than the bound on memory allows."""


def check_memory(
    rows: int, columns: int, *, things: str = "list elements", bytes_a_pair: int = _BYTES_A_PAIR, place: str = ""
) -> None:
    """Refuse a table of all pairs that would not fit into the bound.

    Args:
        rows: the number of elements in the ground truth.
        columns: the number of elements in the prediction.
        things: a noun for the elements.
        bytes_a_pair: the memory of a pair.
        place: the place of the elements, if it is known.

    Raises:
        ValueError: naming the sizes and a remedy.
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
    """Return the bound on memory in gigabytes, 0.1 or more.

    Raises:
        ValueError: if the environment variable does not hold such a number.
    """
    text = os.environ.get(VARIABLE, "")
    try:
        gigabytes = float(text) if text else DEFAULT_GIGABYTES
    except ValueError:
        gigabytes = 0.0
    if not 0.1 <= gigabytes < math.inf:  # noqa: PLR2004  NaN too
        raise InputValueError(place=VARIABLE, expected="gigabytes, 0.1 or more", got=repr(text))
    return gigabytes
