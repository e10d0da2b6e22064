"""Rows of CSV and TSV files, one at a time; cells are text, but those of the answers hold JSON."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from docscore.core.errors import Diagnostic, InputValueError, closer
from docscore.data.delimiters import DELIMITERS, delimiter_of
from docscore.data.faults import FAULTY, Faults
from docscore.data.json_codec import JsonError, loads
from docscore.data.rows import ANLS, BY_ID, ID
from docscore.data.text_files import in_line, not_utf8

_JSON_COLUMNS = (BY_ID.references, ANLS.references)  # these hold a JSON list; other cells are text

_LONGEST_SHOWN = 80  # characters of a cell in a message

_LONGEST_HEADER = 1 << 20  # characters in which the header is looked for


def csv_rows(
    path: Path, file: io.BufferedReader, faults: Faults, delimiter: str | None
) -> Iterator[tuple[Any, int, int]]:
    """Yield each row of a CSV file, `FAULTY` for one that cannot be read, its line and the characters of its cells.

    Args:
        path: the file.
        file: its content.
        faults: collects the faults of rows.
        delimiter: the sign between columns; None to tell it by the header.

    Raises:
        ValueError: for what is no CSV as a whole, naming file and line.
    """
    csv.field_size_limit(1 << 30)  # a reference of a long document is one cell
    waiting = _lines(path, file)
    head = list(_first(waiting))
    sign = delimiter or delimiter_of("".join(head), [ID])
    source = chain(head, waiting)
    reader = csv.reader(source, strict=True, delimiter=sign)
    header: list[str] = []
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if not header or next(source, None) is not None:
                raise InputValueError(place=in_line(path, line), problem=str(error)) from None
            problem = f"the last row, which begins here, cannot be read: {error}"
            faults.add("cut off", Diagnostic((in_line(path, line),), problem=problem))
            yield FAULTY, line, 0
            return
        if cells and not header:
            header = _checked_header(path, line, cells)
        elif cells:
            yield _csv_row(header, cells, path, line, faults), line, sum(map(len, cells))


def told_delimiter(path: Path, file: io.BufferedReader) -> str:
    """Which sign stands between the columns of a CSV file, as its header tells.

    Raises:
        ValueError: for a header that is not UTF-8, naming file and line.
    """
    return delimiter_of("".join(_first(_lines(path, file))), [ID])


def _lines(path: Path, file: io.BufferedReader) -> Iterator[str]:
    """The lines with their ends, which are any of those of Windows, Unix and old Macintosh computers."""
    for number, line in enumerate(file, 1):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise InputValueError(not_utf8(in_line(path, number), error)) from None
        if text.count("\r") > text.endswith("\r\n"):
            yield from io.StringIO(text, newline="")
        else:
            yield text


def _first(lines: Iterator[str]) -> Iterator[str]:
    """The lines in which the header is looked for."""
    size = 0
    for line in lines:
        yield line
        size += len(line)
        if size > _LONGEST_HEADER:
            return


def _checked_header(path: Path, line: int, cells: list[str]) -> list[str]:
    """Return the header; raise `ValueError` for a column that occurs twice, since one of the two would be lost."""
    name, times = Counter(cells).most_common(1)[0]
    if times > 1:
        raise InputValueError(place=in_line(path, line), problem=f"column {name!r} occurs twice")
    return cells


def _csv_row(header: list[str], cells: list[str], path: Path, line: int, faults: Faults) -> Any:
    if len(cells) != len(header):
        expected = f"{len(header)} cells as in the header"
        others = set("".join(header)) & set(DELIMITERS)
        remedy = "--delimiter names the sign between the columns" if others else ""
        diagnostic = Diagnostic((in_line(path, line),), expected, str(len(cells)), remedy=remedy)
        faults.add("unlike the header", diagnostic)
        return FAULTY
    try:
        return {name: _cell(name, cell) for name, cell in zip(header, cells, strict=True)}
    except InputValueError as error:
        place = closer(in_line(path, line), error.place)
        faults.add("not JSON", Diagnostic((place,), error.expected, error.got))
        return FAULTY


def _cell(name: str, cell: str) -> Any:
    if name not in _JSON_COLUMNS:
        return cell
    try:
        return loads(cell, unique_keys=True)
    except JsonError:
        got = f"{cell[:_LONGEST_SHOWN]}..." if len(cell) > _LONGEST_SHOWN else cell
        expected = 'a JSON list such as ["Paris"]'
        raise InputValueError(place=f"column {name!r}", expected=expected, got=repr(got)) from None
