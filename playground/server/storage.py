"""Keep results and uploads on disk in one folder per process, which is deleted when the process ends.

A process that is killed cannot delete its folder; the next process does. When a process ends, the system releases its
lock; a folder whose lock is free belongs to no process.
"""

import csv
import io
import os
import re
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

from playground.server.limits import FOLDER_PREFIX
from playground.server.pool import end_children
from playground.server.requests import GONE

if sys.platform != "win32":
    import fcntl

KEPT_SECONDS = 3600
_LOCK = "lock"
_RUN = re.compile(r"[\w-]{22}", re.ASCII)


def results_folder() -> Path:
    """Return the folder that holds one folder per result."""
    return Path(_own_folder()[0].name) / "results"


def uploads_folder() -> Path:
    """Return the folder of uploaded files; gradio deletes them after an hour."""
    return Path(_own_folder()[0].name) / "uploads"


@cache
def _own_folder() -> tuple[tempfile.TemporaryDirectory[str], IO[str] | None]:
    """Return the folder of this process, created on first use, and its lock."""
    within = Path(os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir())
    within.mkdir(parents=True, exist_ok=True)
    sweep(within)
    made = tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX, dir=within, ignore_cleanup_errors=True)
    for name in ("results", "uploads"):
        (Path(made.name) / name).mkdir()
    os.environ["GRADIO_TEMP_DIR"] = str(Path(made.name) / "uploads")  # gradio puts uploads there
    return made, locked(Path(made.name))


def locked(folder: Path) -> IO[str] | None:
    """Lock a new folder until the returned file is closed; the lock file gets its name only after it is locked."""
    if sys.platform == "win32":
        return None
    unnamed = folder / f"{_LOCK}.new"
    file = unnamed.open("w")
    fcntl.flock(file, fcntl.LOCK_EX)
    unnamed.rename(folder / _LOCK)
    return file


def sweep(within: Path) -> None:
    """Delete the folders of processes that have ended."""
    if sys.platform == "win32":
        return
    for folder in within.glob(f"{FOLDER_PREFIX}*"):
        try:
            with (folder / _LOCK).open() as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # in use, or owned by another user
            continue


def delete_when_ended() -> None:
    """Let signals that end this process also end its children and delete its folder."""

    def end(_number: int, _frame: object) -> None:
        end_children()
        sys.exit(0)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)


def new_folder() -> Path:
    """Create a folder with an unguessable name for a result, and delete folders older than an hour."""
    within = results_folder()
    for old in within.iterdir():
        if old.stat().st_mtime < time.time() - KEPT_SECONDS:
            shutil.rmtree(old, ignore_errors=True)
    folder = within / secrets.token_urlsafe(16)
    folder.mkdir(mode=0o700)
    return folder


def kept_file(within: Path, run: object, name: str) -> Path:
    """Return the path of a file of a result.

    Args:
        within: the folder of all results.
        run: the name of the result's folder as a browser sends it, which may be any value.
        name: the name of the file.

    Raises:
        FileNotFoundError: if no result has this name, or it is older than an hour.
    """
    path = within / (run if isinstance(run, str) and _RUN.fullmatch(run) else "none") / name
    if path.stat().st_mtime < time.time() - KEPT_SECONDS:
        raise FileNotFoundError(GONE)
    return path


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # spreadsheets accept the wide signs too
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def csv_cell(value: Any) -> Any:
    r"""Return the value of a cell, with an apostrophe before text that a spreadsheet would interpret as a formula.

    Such text begins with `=`, `+`, `-` or `@`, including their wide forms, a tab or a line break. Ids, fields and
    values come from models and strangers, and a formula can fetch a URL. Numbers, and texts that are entirely numbers,
    stay unchanged.

    Source: OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection.

    >>> csv_cell('=HYPERLINK("http://example.com")'), csv_cell("-0.5"), csv_cell(-0.5), csv_cell("tea")
    ('\'=HYPERLINK("http://example.com")', '-0.5', -0.5, 'tea')
    """
    if isinstance(value, str) and value.startswith(_FORMULA) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def write_csv(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as a CSV file in UTF-8.

    Args:
        path: the file.
        columns: the columns, in their order.
        rows: a value for each column; None or a missing column makes an empty cell.
    """
    text = as_csv(columns, ([row.get(column) for column in columns] for row in rows))
    path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")


def as_csv(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return rows of cells as CSV, with every cell and heading made safe by `csv_cell`; column names may repeat."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(map(csv_cell, row) for row in (columns, *rows))
    return text.getvalue()
