"""CSV and TSV files: rows one at a time, the sign between columns told by the header, and tables written."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from docscore.core.errors import Diagnostic, Faults, Faulty, InputValueError, closer, in_line, not_utf8
from docscore.data.json_text import JsonError, loads
from docscore.data.rows import ANLS, BY_ID, ID

_JSON_COLUMNS = (str(BY_ID.references), str(ANLS.references))  # these hold a JSON list; other cells are text

_LONGEST_SHOWN = 80  # characters of a cell in a message

_LONGEST_HEADER = 1 << 20  # characters in which the header is looked for


def csv_rows(
    path: Path, file: io.BufferedReader, faults: Faults, delimiter: str | None
) -> Iterator[tuple[Any, int, int]]:
    """Yield each row of a CSV file, `Faulty` for one that cannot be read, its line and the characters of its cells.

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
            yield Faulty, line, 0
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
        return Faulty
    row: dict[str, Any] = dict(zip(header, cells, strict=True))
    name = ""
    try:
        for name in filter(row.__contains__, _JSON_COLUMNS):
            row[name] = loads(row[name], unique_keys=True)
    except JsonError:
        got = f"{row[name][:_LONGEST_SHOWN]}..." if len(row[name]) > _LONGEST_SHOWN else row[name]
        place = closer(in_line(path, line), f"column {name!r}")
        faults.add("not JSON", Diagnostic((place,), 'a JSON list such as ["Paris"]', repr(got)))
        return Faulty
    return row


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # spreadsheets take the wide signs too
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def csv_cell(value: Any) -> Any:
    r"""The value of a cell, with an apostrophe before a text that a spreadsheet would take for a formula.

    Such a text begins with `=`, `+`, `-` or `@`, also in their wide forms, a tab or a line break. Ids, fields and
    values come from models and strangers, and a formula can fetch an address. Numbers, and texts that are numbers as a
    whole, stay as they are.

    Source: OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection.

    >>> csv_cell('=HYPERLINK("http://example.com")'), csv_cell("-0.5"), csv_cell(-0.5), csv_cell("tea")
    ('\'=HYPERLINK("http://example.com")', '-0.5', -0.5, 'tea')
    """
    if isinstance(value, str) and value.startswith(_FORMULA) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def write_csv(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as a CSV file in UTF-8, every cell and heading through `csv_cell`.

    Args:
        path: the file.
        columns: the columns, in their order.
        rows: a value for each column; None, or a column that a row lacks, is an empty cell.
    """
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(map(csv_cell, columns))
        writer.writerows([csv_cell(row.get(column)) for column in columns] for row in rows)


DELIMITERS = (",", ";", "\t", "|")


def delimiter_of(text: str, names: Sequence[str]) -> str:
    r"""Tell by its header which sign stands between the columns of a CSV file.

    It is the only one that gives a column with one of the names; else the only one that gives several columns; and
    where the header does not tell, the comma.

    Args:
        text: the content of the file.
        names: columns that such a file has, such as that of the ids.

    >>> delimiter_of("question_id;prediction\na;1,5\n", ["question_id"])
    ';'
    >>> delimiter_of("id;first, second", ["question_id"])
    ','
    """
    headers = {sign: _header(text, sign) for sign in DELIMITERS}
    named = [sign for sign, header in headers.items() if len(header) > 1 and not set(names).isdisjoint(header)]
    several = [sign for sign, header in headers.items() if len(header) > 1]
    return next((found[0] for found in (named, several) if len(found) == 1), ",")


def _header(text: str, sign: str) -> list[str]:
    """The cells of the first line that is not empty; none if it cannot be read with this sign."""
    try:
        return next(filter(None, csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=sign)), [])
    except csv.Error:
        return []
