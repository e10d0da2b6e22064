"""Write files whole: at any moment a file has its previous content or all of the new one."""

from __future__ import annotations

import os
import secrets
import shutil
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
    temporary = target.with_name(f".{target.name[:_LONGEST_NAME]}.{secrets.token_hex(8)}.tmp")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return len(content)
        try:
            temporary.write_bytes(content)
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(error.errno, error.strerror, str(path)) from None
    return len(content)
