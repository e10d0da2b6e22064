"""Limits on the size of inputs, and the bound on memory."""

from __future__ import annotations

import math
import os
from pathlib import Path

from docscore.core.errors import InputValueError, in_file

MAX_DIGITS = 4_300  # digits of a number in JSON text; Python reads no longer integer, since that takes quadratic time


MAX_UNPACKED = 1_000_000_000  # bytes of a compressed file when unpacked; gzip packs a gigabyte of equal lines into 1 MB


MAX_STEPS = 3_000_000  # steps to mend JSON, a second or two; a text that is cut off takes one or two per character


MAX_MENDED = 500_000  # characters of JSON to mend; a model answers with less, at most 128,000 tokens


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


_ROOM = 200_000_000  # bytes that must be left for pairing and scoring, in addition to the size of the text of the rows
_CGROUP = Path("/sys/fs/cgroup")


def check_room(path: Path, size: int) -> None:
    """Refuse rows that leave too little memory to score them; called while they are read.

    Args:
        path: the file.
        size: the number of bytes that were read so far.

    Raises:
        ValueError: naming the file, and ways to score more rows than fit into memory.
    """
    left = available_memory()
    if left >= _ROOM + size:
        return
    raise InputValueError(
        place=in_file(path),
        expected="rows that fit into memory",
        got=f"more than {size / 1e6:,.0f} MB of them, with {max(left, 0) / 1e6:,.0f} MB left",
        remedy="a loop of `ScoreState.update` over batches of rows scores any number (its sums are exact), and so does "
        "docscore.integrations.ray",
    )


def available_memory() -> float:
    """Return the bytes that this process can take before the machine swaps; infinity if the system does not tell.

    This is the minimum of the memory of the system, of the container, and of the address space.
    """
    kilobytes = _numbers_in(Path("/proc/meminfo")).get("MemAvailable:", math.inf)
    most, used = (_numbers_in(_CGROUP / name) for name in ("memory.max", "memory.current"))
    cache = _numbers_in(_CGROUP / "memory.stat").get("inactive_file", 0.0)  # the system drops it for others
    of_container = most.get("", math.inf) - used.get("", 0.0) + cache
    return min(kilobytes * 1024, of_container, _addresses_left())


def _numbers_in(path: Path) -> dict[str, float]:
    """Return the numbers in a file of the system by the word before them; nothing if there is no such file."""
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    numbers = {}
    for line in lines:
        *words, number = line.removesuffix(" kB").split()
        if number.isdigit():
            numbers[" ".join(words)] = float(number)
    return numbers


def _addresses_left() -> float:
    """Return the bytes of address space that the limit of the process leaves."""
    try:
        import resource  # noqa: PLC0415  exists on Unix only

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        return math.inf
    return math.inf if limit == resource.RLIM_INFINITY else limit - pages * resource.getpagesize()
