"""Write reports to files; the extension says the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from docscore.core.errors import InputValueError, in_file
from docscore.core.output import write_whole

LISTED = 10  # documents that a report shows, where nothing else is asked for


def write_report(path: str | Path, formats: Mapping[str, Callable[[], str]]) -> Path:
    """Write a report in the format that the extension of the file says, and return the path.

    Args:
        path: the file to write.
        formats: what renders the report, by extension.

    Raises:
        ValueError: for another extension, and for a folder that does not exist, before anything is rendered.
        OutputError: an `OSError`, if the file cannot be written; what it held before stays.
    """
    path = Path(path)
    render = formats.get(path.suffix.lower())
    if render is None:
        expected = f"a file name that ends in {' or '.join(formats)}"
        raise InputValueError(place=in_file(path), expected=expected, got=path.suffix or "none")
    check_output(path)
    write_whole(path, render())
    return path


def check_output(path: Path) -> None:
    """Raise `ValueError` for a file that cannot be written: in a folder that does not exist, or a folder itself."""
    if not path.parent.is_dir():
        raise InputValueError(place=in_file(path), expected="a folder that exists", got=str(path.parent))
    if path.is_dir():
        raise InputValueError(place=in_file(path), expected="the name of a file", got="a folder")
