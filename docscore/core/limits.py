"""The largest inputs that are read, in one place for the library, the command and programs that serve others."""

from __future__ import annotations

import math
import os
from pathlib import Path

from docscore.core.errors import InputValueError, in_file

MAX_DIGITS = 4_300  # of a number in JSON text: of an integer Python reads no more, since that takes quadratic time


MAX_UNPACKED = 1_000_000_000  # bytes of a compressed file when unpacked: gzip makes 1 MB of a gigabyte of equal lines


MAX_STEPS = 3_000_000  # of mending JSON: one or two a character of a text that is cut off, a second or two in all


MAX_MENDED = 500_000  # characters of JSON that is mended: more than a model answers, 128,000 tokens


def check_digits(length: int) -> None:
    """Raise `ValueError` for a number that is written in more characters than are read."""
    if length > MAX_DIGITS:
        raise InputValueError(problem=f"a number of more than {MAX_DIGITS:,} digits")


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
        gigabytes = float(text) if text else DEFAULT_GIGABYTES
    except ValueError:
        gigabytes = 0.0
    if not 0.1 <= gigabytes < math.inf:  # noqa: PLR2004  NaN too
        raise InputValueError(place=VARIABLE, expected="gigabytes, 0.1 or more", got=repr(text))
    return gigabytes


_ROOM = 200_000_000  # bytes that are left for pairing and scoring, beside as many as the text of the rows has
_CGROUP = Path("/sys/fs/cgroup")


def check_room(path: Path, size: int) -> None:
    """Refuse rows that leave too little memory to score them; called while they are read.

    Args:
        path: the file.
        size: the bytes of text that were read so far.

    Raises:
        ValueError: naming the file, and what scores more rows than fit into memory.
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
    """The bytes that this process may still take before the machine swaps; infinite where the system does not say.

    The least of what the system has left, what the container may still take and what the limit of addresses leaves.
    """
    kilobytes = _numbers_in(Path("/proc/meminfo")).get("MemAvailable:", math.inf)
    most, used = (_numbers_in(_CGROUP / name) for name in ("memory.max", "memory.current"))
    cache = _numbers_in(_CGROUP / "memory.stat").get("inactive_file", 0.0)  # the system drops it for others
    of_container = most.get("", math.inf) - used.get("", 0.0) + cache
    return min(kilobytes * 1024, of_container, _addresses_left())


def _numbers_in(path: Path) -> dict[str, float]:
    """The numbers in a file of the system by the word before them; nothing where there is no such file."""
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
    """The bytes of addresses that the limit of the process leaves."""
    try:
        import resource  # noqa: PLC0415  Unix alone has it

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        return math.inf
    return math.inf if limit == resource.RLIM_INFINITY else limit - pages * resource.getpagesize()
