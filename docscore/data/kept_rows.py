"""Rows that are read again: in memory while they are small, and beyond a bound in a temporary file, one at a time.

What is kept in memory of a row in the file is its place, 8 bytes. The file has no name where the system allows it, so
that nothing is left of it, however the process ends. An index of `sqlite3` was measured beside it: to write a row and
read it again takes 3 to 6 microseconds there, and 1 here.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from threading import Lock
from typing import Any
from weakref import finalize

from docscore.core.output import OutputError
from docscore.core.runtime import gc_pause

KEPT_IN_MEMORY = 16_000_000  # bytes of a side as text; as Python objects they take about six times as much

_PORTION = 1024  # rows that are looked up at a time
_MOST_AT_ONCE = 4096  # rows in memory
_SPAN = 1 << 20  # bytes that are read at a time

_CAN_READ_AT_A_PLACE = hasattr(os, "pread")  # which Windows has not

ABSENT = -1  # in place of the number of a row that does not exist; its value is None

Read = Callable[[Any], Any]  # from a kept row to the value of a column


class _Faulty:
    """A row that could not be read; there is one such object."""

    def __reduce__(self) -> str:
        return "FAULTY"

    def __repr__(self) -> str:
        return "FAULTY"


FAULTY = _Faulty()


class _RowFile:
    """A temporary file of rows, which can be read in any order."""

    def __init__(self) -> None:
        with _naming_the_file():
            self._file = tempfile.TemporaryFile(prefix="docscore-")  # noqa: SIM115  lives as long as its rows
        finalize(self, self._file.close)
        self._ends = array("Q", [0])
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def size(self) -> int:
        """The bytes of all rows."""
        return self._ends[-1]

    def extend(self, rows: Iterable[Any]) -> None:
        """Add rows at the end.

        Raises:
            OutputError: if there is no room for them.
        """
        with _naming_the_file():
            self._file.seek(self._ends[-1])
            for row in rows:
                written = self._file.write(pickle.dumps(row, pickle.HIGHEST_PROTOCOL))
                self._ends.append(self._ends[-1] + written)
            self._file.flush()

    def row(self, number: int) -> Any:
        """The row of a number."""
        return pickle.loads(self._bytes(number, number + 1))  # noqa: S301  written by this object

    def between(self, start: int, stop: int) -> Iterator[Any]:
        """The rows of consecutive numbers; about a megabyte of the file is read at a time."""
        ends = self._ends
        while start < stop:
            reached = bisect_right(ends, ends[start] + _SPAN, start, stop + 1) - 1
            end = min(stop, max(start + 1, reached))
            found, first = memoryview(self._bytes(start, end)), ends[start]
            places = [end - first for end in ends[start : end + 1]]
            with gc_pause():
                rows = [pickle.loads(found[a:b]) for a, b in pairwise(places)]  # noqa: S301  as above
            yield from rows
            start = end

    def _bytes(self, start: int, stop: int) -> bytes:
        place, size = self._ends[start], self._ends[stop] - self._ends[start]
        if _CAN_READ_AT_A_PLACE:
            return os.pread(self._file.fileno(), size, place)
        with self._lock:
            self._file.seek(place)
            return self._file.read(size)


class KeptColumn(Sequence[Any]):
    """A value of each of some rows of a file, read and made each time that it is looked at.

    A copy and a pickle of it is a list.
    """

    def __init__(self, file: _RowFile, numbers: Sequence[int], reads: tuple[Read, ...] = ()) -> None:
        self._file, self._numbers, self._reads = file, numbers, reads

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return KeptColumn(self._file, self._numbers[index], self._reads)
        number = self._numbers[index]
        return None if number == ABSENT else self._made(self._file.row(number))

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self._numbers), _PORTION):
            numbers = self._numbers[start : start + _PORTION]
            first = numbers[0]
            if ABSENT in numbers:
                yield from (None if n == ABSENT else self._made(self._file.row(n)) for n in numbers)
                continue
            stop = first + len(numbers)
            in_order = list(numbers) == list(range(first, stop))
            rows = self._file.between(first, stop) if in_order else map(self._file.row, numbers)
            for read in self._reads:
                rows = map(read, rows)
            yield from rows

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    def __repr__(self) -> str:
        return f"<KeptColumn {len(self):,} rows>"

    def only(self, numbers: Iterable[int] | None, read: Read | None) -> KeptColumn:
        """Another column of the rows at these places, or of all; `ABSENT` stays."""
        chosen = self._numbers
        if numbers is not None and chosen == range(len(self._file)):
            chosen = array("q", numbers)
        elif numbers is not None:
            chosen = array("q", (n if n == ABSENT else chosen[n] for n in numbers))
        return KeptColumn(self._file, chosen, self._reads if read is None else (*self._reads, read))

    @property
    def at_once(self) -> int:
        """How many rows of the file take about a megabyte."""
        return max(1, min(_MOST_AT_ONCE, _SPAN * len(self._file) // max(1, self._file.size)))

    def _made(self, row: Any) -> Any:
        for read in self._reads:
            row = read(row)
        return row


class RowKeeper:
    """Collects rows: in a list, and when their texts are larger than `KEPT_IN_MEMORY` in a file."""

    def __init__(self) -> None:
        self._rows: list[Any] = []
        self._size = 0
        self._file: _RowFile | None = None

    def add(self, rows: Sequence[Any], size: int) -> None:
        """Add rows at the end.

        Args:
            rows: the rows.
            size: the bytes of their texts.
        """
        self._rows += rows
        self._size += size
        if self._size > (KEPT_IN_MEMORY if self._file is None else _SPAN):
            self._write()

    def kept(self) -> Sequence[Any]:
        """All rows: a list, or a column that reads them."""
        if self._file is None:
            return self._rows
        self._write()
        return KeptColumn(self._file, range(len(self._file)))

    def _write(self) -> None:
        """Move the rows in memory into the file."""
        if self._file is None:
            self._file = _RowFile()
        self._file.extend(self._rows)
        self._rows, self._size = [], 0


def column_of(rows: Sequence[Any], numbers: Iterable[int] | None = None, read: Read | None = None) -> Sequence[Any]:
    """A value of each of some rows: a list, or for rows in a file a column that reads them when it is looked at.

    Args:
        rows: the rows.
        numbers: which of them, in this order, None for all; `ABSENT` gives None.
        read: makes the value of a row; None for the row as it is.

    >>> list(column_of(["a", "b"], [1, ABSENT, 0], str.upper))
    ['B', None, 'A']
    """
    if isinstance(rows, KeptColumn):
        return rows.only(numbers, read)
    if numbers is not None:
        made = read or _same
        return [None if n == ABSENT else made(rows[n]) for n in numbers]
    return list(rows if read is None else map(read, rows))


def kept_like(rows: Sequence[Any], values: Iterable[Any]) -> Sequence[Any]:
    """Values that were made of rows, kept where the rows are: in a list, or in another file."""
    if not isinstance(rows, KeptColumn):
        return list(values)
    file = _RowFile()
    file.extend(values)
    return KeptColumn(file, range(len(file)))


def rows_at_once(rows: Sequence[Any]) -> int:
    """How many rows to have in memory at a time: of a list thousands, of a file what takes a few megabytes."""
    return rows.at_once if isinstance(rows, KeptColumn) else _MOST_AT_ONCE


def _same(row: Any) -> Any:
    return row


@contextmanager
def _naming_the_file() -> Iterator[None]:
    """Say of an error of the system that it is about the temporary file of rows, and where that is."""
    try:
        yield
    except OSError as error:
        name = f"the temporary file of rows in {tempfile.tempdir or 'a folder for such files'}"
        raise OutputError(error.errno, error.strerror, name) from None
