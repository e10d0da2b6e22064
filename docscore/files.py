"""Rows from files: JSONL, JSON, CSV and Parquet, each row with its place for messages."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from docscore.jsontext import loads
from docscore.rows import ANLS, BY_ID, ID, PLAIN, Row, RowFormat, read_predictions, read_references, row_format
from docscore.values import at_place

_JSON_COLUMNS = (BY_ID.references, ANLS.references)  # in CSV these hold a JSON list; all else is text as it stands
_LONGEST_SHOWN = 80  # characters of a cell that a message shows


class Table(NamedTuple):
    """The rows of a file.

    Attributes:
        rows: one value a row.
        where: the place of a row: "refs.jsonl, line 3".
    """

    rows: list[Any]
    where: Callable[[int], str]


def read_table(path: Path) -> Table:
    """The rows of a file, read by its extension.

    JSONL: one JSON value a line, blank lines passed over. JSON: a list of rows. CSV: a header and rows; cells are text,
    but `references` and `answers` hold a JSON list. Parquet: columns (needs pyarrow).

    Raises:
        ValueError: naming file, line and fault.
        OSError: if the file cannot be read.
    """
    readers = {".jsonl": _read_jsonl, ".ndjson": _read_jsonl, ".json": _read_json, ".csv": _read_csv}
    readers[".parquet"] = _read_parquet
    reader = readers.get(path.suffix.lower())
    if reader is None:
        msg = f"{path}: expected a file name that ends in {', '.join(readers)}, got {path.suffix or 'none'}"
        raise ValueError(msg)
    path.open("rb").close()  # whatever the format, what cannot be opened is said in the same words
    return reader(path)


def read_sides(references: Path, predictions: Path, theirs: Table, ours: Table) -> tuple[list[Row], list[Row]]:
    """The predictions and the references in the tables of two files, in the one row format that both have.

    Raises:
        TypeError, ValueError: naming the first row that has another format.
    """
    form = row_format(ours.rows, theirs.rows)
    _check_columns(references, theirs, form)
    _check_columns(predictions, ours, form)
    return read_predictions(ours.rows, form, ours.where), read_references(theirs.rows, form, theirs.where)


def _check_columns(path: Path, table: Table, form: RowFormat) -> None:
    """Raise `ValueError` for a table without ids: its columns may have been cut at the wrong character."""
    if form is PLAIN and path.suffix.lower() in (".csv", ".parquet"):
        msg = f"{path}: expected a column {ID!r}, got {', '.join(map(repr, table.rows[0]))}"
        raise ValueError(msg)


@contextmanager
def named(*paths: Path) -> Iterator[None]:
    """Put the names of the files in front of a fault that names none of them."""
    try:
        yield
    except ValueError as error:
        names = list(map(str, paths))
        if any(name in str(error) for name in names):
            raise
        raise at_place(" and ".join(names), error) from None


def read_value(path: Path) -> Any:
    """The one JSON value that a file holds.

    Raises:
        ValueError: naming file, line and column of the fault.
    """
    return _loads(_read_text(path), str(path))


def _read_jsonl(path: Path) -> Table:
    lines = [(n, line) for n, line in enumerate(_read_text(path).split("\n"), 1) if line.strip()]
    rows = [_loads(line, f"{path}, line {n}", one_line=True) for n, line in lines]
    return Table(rows, lambda index: f"{path}, line {lines[index][0]}")


def _read_json(path: Path) -> Table:
    rows = read_value(path)
    if not isinstance(rows, list):
        msg = f"{path}: expected a JSON list of rows, got {type(rows).__name__}"
        raise ValueError(msg)  # noqa: TRY004  the file's content is wrong
    return Table(rows, lambda index: f"{path}, row {index + 1}")


def _read_csv(path: Path) -> Table:
    csv.field_size_limit(1 << 30)  # a reference of a long document is one cell
    reader = csv.reader(io.StringIO(_read_text(path), newline=""), strict=True)
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    header: list[str] = []
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return Table(rows, lambda index: f"{path}, line {lines[index]}")
        except csv.Error as error:
            msg = f"{path}, line {line}: {error}"
            raise ValueError(msg) from None
        if not cells:
            continue
        if not header:
            header = cells
            continue
        if len(cells) != len(header):
            msg = f"{path}, line {line}: expected {len(header)} cells as in the header, got {len(cells)}"
            raise ValueError(msg)
        rows.append({name: _cell(name, cell, f"{path}, line {line}") for name, cell in zip(header, cells, strict=True)})
        lines.append(line)


def _cell(name: str, cell: str, place: str) -> Any:
    if name not in _JSON_COLUMNS:
        return cell
    try:
        return loads(cell, unique_keys=True)
    except ValueError:
        got = f"{cell[:_LONGEST_SHOWN]}..." if len(cell) > _LONGEST_SHOWN else cell
        msg = f'{place}, column {name!r}: expected a JSON list such as ["Paris"], got {got!r}'
        raise ValueError(msg) from None


def _read_parquet(path: Path) -> Table:
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        msg = f"{path}: reading Parquet needs pyarrow; pip install 'docscore[parquet]'"
        raise ValueError(msg) from None
    try:
        rows = parquet.read_table(path).to_pylist()
    except pa.ArrowInvalid as error:
        msg = f"{path}: not a Parquet file: {error}"
        raise ValueError(msg) from None
    return Table(rows, lambda index: f"{path}, row {index + 1}")


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        msg = f"{path}, line {line}: expected UTF-8 text, got the byte 0x{error.object[error.start]:02x}"
        raise ValueError(msg) from None


def _loads(source: str, place: str, *, one_line: bool = False) -> Any:
    try:
        return loads(source, unique_keys=True)
    except ValueError as error:
        fault = str(error)
        msg = f"{place}, {fault.removeprefix('line 1, ') if one_line else fault}"
        raise ValueError(msg) from None
