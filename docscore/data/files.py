"""Rows from files: JSONL, JSON, CSV and Parquet, each row with its place, each fault with its line."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from docscore.data.faults import Faults
from docscore.data.json_codec import loads
from docscore.data.rows import ANLS, BY_ID, ID

TEXT_EXTENSIONS = (".jsonl", ".ndjson", ".json", ".csv")  # which may be compressed, and end in .gz too
EXTENSIONS = (*TEXT_EXTENSIONS, ".parquet")
_JSON_COLUMNS = (BY_ID.references, ANLS.references)  # in CSV these hold a JSON list; all else is text as it stands


_LONGEST_SHOWN = 80  # characters of a cell that a message shows


_UTF16 = (b"\xff\xfe", b"\xfe\xff")


_PARQUET_ROWS = 1000  # that are read at a time


FAULTY = object()  # stands where a row could not be read


class Table(NamedTuple):
    """The rows of a file.

    Attributes:
        path: the file.
        rows: one value a row; rows that could not be read are not in `good()`.
        where: the place of a row: "refs.jsonl, line 3".
    """

    path: Path
    rows: list[Any]
    where: Callable[[int], str]

    def good(self) -> dict[int, Any]:
        """The rows that could be read, by their number."""
        return {index: row for index, row in enumerate(self.rows) if row is not FAULTY}


def read_table(path: Path, faults: Faults | None = None, max_bytes: int | None = None) -> Table:
    """The rows of a file, read by its extension.

    JSONL: one JSON value a line, blank lines passed over. JSON: a list of rows. CSV: a header and rows; cells are text,
    but `references` and `answers` hold a JSON list. Parquet: columns (needs pyarrow). Each of the first three may be
    compressed by gzip and end in `.gz` too.

    Args:
        path: the file.
        faults: where faults of single rows are noted; without it they raise.
        max_bytes: the most that a compressed file may hold when unpacked.

    Raises:
        ValueError: naming file, line and fault; `DataError` for faults of single rows.
        OSError: if the file cannot be read.
    """
    faults = faults or Faults()
    readers = {".jsonl": _read_jsonl, ".ndjson": _read_jsonl, ".json": _read_json, ".csv": _read_csv}
    suffix = suffix_of(path)
    if suffix == ".parquet":
        path.open("rb").close()  # whatever the format, what cannot be opened is said in the same words
        return _read_parquet(path, max_bytes)
    reader = readers.get(suffix)
    if reader is None:
        known = ", ".join(EXTENSIONS)
        msg = f"{path}: expected a file name that ends in {known} (or one of the first four and .gz), "
        msg += f"got {path.suffix or 'none'}"
        raise ValueError(msg)
    table = reader(path, _read_bytes(path, max_bytes), faults)
    faults.stop_if_any()
    return table


def read_value(path: Path) -> Any:
    """The one JSON value that a file holds.

    Raises:
        ValueError: naming file, line and column of the fault.
    """
    return _loads(_decoded(path, _read_bytes(path, None)), str(path))


def name_without_extension(path: Path) -> str:
    """The name of a file without the extensions that tell its format.

    >>> name_without_extension(Path("runs/donut.v2.jsonl.gz"))
    'donut.v2'
    """
    name = path.name
    if path.suffix.lower() == ".gz":
        name = path.stem
    known = suffix_of(path)
    return name[: -len(known)] or path.name if known in EXTENSIONS else path.name


def suffix_of(path: Path) -> str:
    """The extension that tells the format, in lower case."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix == ".gz" and Path(path.stem).suffix != ".parquet" else suffix


def _read_bytes(path: Path, max_bytes: int | None) -> bytes:
    """What the file holds, unpacked.

    Raises:
        ValueError: if it is not what gzip wrote as a whole, or unpacked larger than it may be, or UTF-16.
    """
    content = _unpacked(path, max_bytes) if path.suffix.lower() == ".gz" else path.read_bytes()
    if content.startswith(_UTF16):
        msg = f"{path}: expected UTF-8 text, got UTF-16"
        raise ValueError(msg)
    return content


def _unpacked(path: Path, max_bytes: int | None) -> bytes:
    try:
        with gzip.open(path) as file:
            content = file.read(-1 if max_bytes is None else max_bytes + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        msg = f"{path}: expected what gzip writes, got something else or a part of it ({error})"
        raise ValueError(msg) from None
    _check_unpacked(path, len(content), max_bytes)
    return content


def _check_unpacked(path: Path, length: int, max_bytes: int | None) -> None:
    if max_bytes is not None and length > max_bytes:
        msg = f"{path}: more than {max_bytes:,} bytes when unpacked"
        raise ValueError(msg)


def _read_jsonl(path: Path, content: bytes, faults: Faults) -> Table:
    rows, lines = [], []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        lines.append(number)
        rows.append(_row_of_line(line, place, faults))
    _suspect_other_format(path, content, rows)
    return Table(path, rows, lambda index: f"{path}, line {lines[index]}")


def _row_of_line(line: bytes, place: str, faults: Faults) -> Any:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        faults.add("not UTF-8", str(_not_utf8(place, error)))
        return FAULTY
    try:
        return _loads(text, place, one_line=True)
    except ValueError as error:
        faults.add("not JSON", str(error))
        return FAULTY


def _suspect_other_format(path: Path, content: bytes, rows: list[Any]) -> None:
    """Raise `ValueError` for a JSON list of rows, or one value over many lines: as many faults, or one odd document."""
    got = ""
    if len(rows) > 1 and rows[0] is FAULTY and _is_json(path, content):
        got = f"one value over {len(rows):,} lines"
    if len(rows) == 1 and isinstance(rows[0], list) and any(isinstance(row, dict) and ID in row for row in rows[0]):
        got = f"a list of {len(rows[0]):,} rows"
    if got:
        msg = f"{path}: expected a JSON value on each line, got {got}; name it .json"
        raise ValueError(msg)


def _is_json(path: Path, content: bytes) -> bool:
    try:
        loads(_decoded(path, content))
    except ValueError:
        return False
    return True


def _read_json(path: Path, content: bytes, _faults: Faults) -> Table:
    source = _decoded(path, content)
    if not source.strip():
        msg = f"{path}: expected a JSON list of rows, got an empty file"
        raise ValueError(msg)
    rows = _loads(source, str(path))
    if not isinstance(rows, list):
        msg = f"{path}: expected a JSON list of rows, got {type(rows).__name__}"
        raise ValueError(msg)  # noqa: TRY004  the file's content is wrong
    return Table(path, rows, lambda index: f"{path}, row {index + 1}")


def _read_csv(path: Path, content: bytes, faults: Faults) -> Table:
    csv.field_size_limit(1 << 30)  # a reference of a long document is one cell
    reader = csv.reader(io.StringIO(_decoded(path, content), newline=""), strict=True)
    rows: list[Any] = []
    lines: list[int] = []
    header: list[str] = []
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return Table(path, rows, lambda index: f"{path}, line {lines[index]}")
        except csv.Error as error:
            msg = f"{path}, line {line}: {error}"
            raise ValueError(msg) from None
        if not cells:
            continue
        if not header:
            header = _checked_header(path, line, cells)
            continue
        lines.append(line)
        rows.append(_csv_row(header, cells, f"{path}, line {line}", faults))


def _checked_header(path: Path, line: int, cells: list[str]) -> list[str]:
    """Raise `ValueError` for a column that occurs twice: one of the two would be lost."""
    twice = next((name for name in cells if cells.count(name) > 1), None)
    if twice is not None:
        msg = f"{path}, line {line}: column {twice!r} occurs twice"
        raise ValueError(msg)
    return cells


def _csv_row(header: list[str], cells: list[str], place: str, faults: Faults) -> Any:
    if len(cells) != len(header):
        faults.add("unlike the header", f"{place}: expected {len(header)} cells as in the header, got {len(cells)}")
        return FAULTY
    try:
        return {name: _cell(name, cell, place) for name, cell in zip(header, cells, strict=True)}
    except ValueError as error:
        faults.add("not JSON", str(error))
        return FAULTY


def _cell(name: str, cell: str, place: str) -> Any:
    if name not in _JSON_COLUMNS:
        return cell
    try:
        return loads(cell, unique_keys=True)
    except ValueError:
        got = f"{cell[:_LONGEST_SHOWN]}..." if len(cell) > _LONGEST_SHOWN else cell
        msg = f'{place}, column {name!r}: expected a JSON list such as ["Paris"], got {got!r}'
        raise ValueError(msg) from None


def _read_parquet(path: Path, max_bytes: int | None) -> Table:
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        msg = f"{path}: reading Parquet needs pyarrow; pip install 'docscore[parquet]'"
        raise ValueError(msg) from None
    rows: list[Any] = []
    unpacked = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_PARQUET_ROWS):
                unpacked += batch.nbytes
                _check_unpacked(path, unpacked, max_bytes)
                rows += batch.to_pylist()
    except pa.ArrowInvalid as error:
        msg = f"{path}: not a Parquet file: {error}"
        raise ValueError(msg) from None
    return Table(path, rows, lambda index: f"{path}, row {index + 1}")


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = f"{path}, line {error.object.count(bytes([10]), 0, error.start) + 1}"
        raise _not_utf8(place, error) from None


def _not_utf8(place: str, error: UnicodeDecodeError) -> ValueError:
    return ValueError(f"{place}: expected UTF-8 text, got the byte 0x{error.object[error.start]:02x}")


def _loads(source: str, place: str, *, one_line: bool = False) -> Any:
    try:
        return loads(source, unique_keys=True)
    except ValueError as error:
        fault = str(error)
        msg = f"{place}, {fault.removeprefix('line 1, ') if one_line else fault}"
        raise ValueError(msg) from None
