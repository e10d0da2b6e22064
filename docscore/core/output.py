"""Write files whole: at any moment a file has its previous content or all of the new one."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

_LONGEST_NAME = 100  # of the file's name in that of the temporary file, which may not be longer than 255 bytes


class OutputError(OSError):
    """A file that could not be written; the attribute `filename` is its path."""


def write_whole(path: Path, text: str) -> int:
    """Write a text file as UTF-8, and return its size in bytes.

    It is written under a temporary name beside it and then moved. If writing fails or is interrupted, the previous file
    stays as it was. A symbolic link stays one, and the permissions of an existing file are kept. What is no regular
    file, such as a pipe, is written directly.

    Args:
        path: the file.
        text: its content; a lone surrogate is written as an escape.

    Raises:
        OutputError: if it cannot be written, naming the file.
    """
    content = text.encode("utf-8", "backslashreplace")
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)
        else:
            _replace(target, content)
    except OSError as error:
        raise OutputError(error.errno, error.strerror, str(path)) from None
    return len(content)


def _replace(target: Path, content: bytes) -> None:
    """Write a temporary file, and move it over the target."""
    temporary = target.with_name(f".{target.name[:_LONGEST_NAME]}.{secrets.token_hex(4)}.tmp")
    with temporary.open("xb") as file:  # outside the block below: a file that another process made is not removed
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o7777)
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                file.close()
            with suppress(OSError):
                temporary.unlink()
            raise
