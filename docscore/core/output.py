"""Write files atomically: at any moment, a file has either its previous content or the complete new content."""

import contextlib
import glob
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import IO

from docscore.core.errors import InputValueError, in_file

if sys.platform != "win32":
    import fcntl

_LONGEST_NAME = 100  # characters of the file name in the name of the temporary file, which has at most 255 bytes


class OutputError(OSError):
    """A file could not be written; the attribute `filename` is its path."""


def write_whole(path: Path, text: str | bytes) -> int:
    """Write a file, text as UTF-8, and return its size in bytes.

    The content is written to a temporary file in the same folder, which then replaces the file. If writing fails or is
    interrupted, the previous file stays as it was. If the process is killed, the next write of the file deletes the
    temporary file (not on Windows). Symbolic links and the permissions of an existing file are kept. Pipes and other
    special files are written directly.

    Args:
        path: the file.
        text: its content; a lone surrogate is written as an escape.

    Raises:
        OutputError: if it cannot be written, naming the file.
    """
    content = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
    target = Path(os.path.realpath(path))
    begin = f".{target.name[:_LONGEST_NAME]}."
    temporary = target.with_name(f"{begin}{secrets.token_hex(8)}.tmp")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return len(content)
        for left in target.parent.glob(f"{glob.escape(begin)}{'[0-9a-f]' * 16}.tmp"):
            with contextlib.suppress(OSError), left.open("rb") as file:  # another process may be writing it
                _lock(file)
                left.unlink()
        try:
            with temporary.open("xb") as file:
                with contextlib.suppress(OSError):
                    _lock(file)
                file.write(content)
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(error.errno, error.strerror, str(path)) from None
    return len(content)


def _lock(file: IO[bytes]) -> None:
    """Lock a file until it is closed or its process ends.

    Raises:
        OSError: if another process has locked it, or the system has no locks.
    """
    if sys.platform == "win32":
        raise OSError
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def write_report(path: str | Path, formats: Mapping[str, Callable[[], str | bytes]]) -> Path:
    """Write a report in the format that the extension of the file determines, and return the path.

    Args:
        path: the file to write.
        formats: functions that render the report, by extension.

    Raises:
        ValueError: for another extension, and for a folder that does not exist, before anything is rendered.
        OutputError: an `OSError`, if the file cannot be written; its previous content stays.
    """
    path = Path(path)
    check_output(path, formats)
    write_whole(path, formats[path.suffix.lower()]())
    return path


def check_other_file(path: Path, inputs: Iterable[Path], what: str = "an input") -> None:
    """Raise `ValueError` if an output is one of the inputs; the message calls the file `what`."""
    if any(path.resolve() == each.resolve() for each in inputs):
        raise InputValueError(place=in_file(path), expected="another file", got=what)


def check_output(path: Path, extensions: Collection[str] = ()) -> None:
    """Raise `ValueError` for a path with another extension, a path in a missing folder, and the path of a folder."""
    if extensions and path.suffix.lower() not in extensions:
        raise InputValueError(
            place=in_file(path),
            expected=f"a file name that ends in {' or '.join(extensions)}",
            got=path.suffix or "none",
        )
    if not path.parent.is_dir():
        raise InputValueError(place=in_file(path), expected="a folder that exists", got=str(path.parent))
    if path.is_dir():
        raise InputValueError(place=in_file(path), expected="the name of a file", got="a folder")
