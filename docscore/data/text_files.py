"""Text files as streams of bytes or characters, unpacked, without a byte order mark; faults name the file and line."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docscore.core.errors import Diagnostic, FilePlace, InputValueError, PlacePart, in_file
from docscore.core.progress import Advance, ignore

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_CHUNK = 1 << 20  # bytes read at a time


def opened(path: Path, check_size: Callable[[int], object], was_read: Advance = ignore) -> io.BufferedReader:
    """Open a file for reading, unpacked if its name ends in `.gz`, behind its byte order mark.

    Args:
        path: the file.
        check_size: called with the bytes unpacked so far, to raise an error for too many.
        was_read: called with the number of bytes of the file that were just read.

    Raises:
        ValueError: if it is UTF-16, and here or while it is read, if it is not a complete gzip file.
        OSError: if it cannot be read.
    """
    content: Any = _Watched(path, was_read)
    if path.suffix.lower() == ".gz":
        content = _Unpacked(path, io.BufferedReader(content, _CHUNK), check_size)
    file = io.BufferedReader(content, _CHUNK)
    try:
        _pass_over_mark(path, file)
    except BaseException:
        file.close()
        raise
    return file


def _pass_over_mark(path: Path, file: io.BufferedReader) -> None:
    head = file.peek(len(_UTF8_MARK))
    if head.startswith(_UTF16):
        raise InputValueError(place=in_file(path), expected="UTF-8 text", got="UTF-16")
    if head.startswith(_UTF8_MARK):
        file.read(len(_UTF8_MARK))


class _Watched(io.FileIO):
    """A file that tells how much of it was read."""

    def __init__(self, path: Path, was_read: Advance) -> None:
        super().__init__(path)
        self._was_read = was_read

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer)
        self._was_read(count)
        return count


class _Unpacked(io.RawIOBase):
    """The content of a gzip file; what is wrong with it is said where it is read."""

    def __init__(self, path: Path, packed: Any, check_size: Callable[[int], object]) -> None:
        self._path, self._packed, self._check_size = path, packed, check_size
        self._file = gzip.GzipFile(fileobj=packed)
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            count = self._file.readinto(buffer)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            got = f"something else or a part of it ({error})"
            raise InputValueError(place=in_file(self._path), expected="what gzip writes", got=got) from None
        self._size += count
        self._check_size(self._size)
        return count

    def close(self) -> None:
        self._file.close()
        self._packed.close()
        super().close()


def decoded(path: Path, content: bytes) -> str:
    """The text of a file; raises `ValueError` naming the first line that is not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputValueError(not_utf8(in_line(path, line), error)) from None


def not_utf8(place: PlacePart, error: UnicodeDecodeError) -> Diagnostic:
    """The diagnostic for bytes that are not UTF-8."""
    return Diagnostic((place,), "UTF-8 text", f"the byte 0x{error.object[error.start]:02x}")


def in_line(path: Path, number: int) -> FilePlace:
    """The place of a line of a file."""
    return in_file(path, f"line {number}")
