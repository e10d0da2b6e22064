"""Rows from files: JSONL, JSON, CSV, Parquet and registered logs, each row with its place, each fault with its line."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import Diagnostic, FilePlace, InputValueError, PlacePart, closer, in_file
from docscore.core.limits import MAX_UNPACKED
from docscore.data.delimiters import DELIMITERS, delimiter_of
from docscore.data.faults import Faults
from docscore.data.json_codec import JsonError, loads, loads_at
from docscore.data.parquet_files import parquet_rows
from docscore.data.rows import ANLS, BY_ID, ID

TEXT_EXTENSIONS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")  # each may also be compressed, with .gz appended
EXTENSIONS = (*TEXT_EXTENSIONS, ".parquet")
_JSON_COLUMNS = (BY_ID.references, ANLS.references)  # in CSV these hold a JSON list; other cells are text


_LONGEST_SHOWN = 80  # characters of a cell in a message


_UTF16 = (b"\xff\xfe", b"\xfe\xff")


_CHUNK = 1 << 24  # bytes unpacked at a time


FAULTY = object()  # placeholder for a row that could not be read


class Table(NamedTuple):
    """The rows of a file, or of one side in memory.

    Attributes:
        path: the file; for rows in memory the name of their side.
        rows: the value of each row, `FAULTY` for a row that could not be read.
        where: a function from the index of a row to its place: "refs.jsonl, line 3".
    """

    path: Path
    rows: list[Any]
    where: Callable[[int], PlacePart]

    def good(self) -> dict[int, Any]:
        """The rows that could be read, by their index."""
        return {index: row for index, row in enumerate(self.rows) if row is not FAULTY}


class LogFormat(NamedTuple):
    """A format of logs whose rows hold references and predictions; the library that writes it reads it.

    Attributes:
        extension: of its files.
        is_log: whether the value of a `.json` file is such a log.
        read: the rows of a file, and what each is called.
    """

    extension: str
    is_log: Callable[[Any], bool]
    read: Callable[[Path], tuple[list[Any], list[str]]]


_LOG_FORMATS: dict[str, LogFormat] = {}


def register_logs(form: LogFormat) -> None:
    """Have files of a format of logs read as tables too."""
    _LOG_FORMATS[form.extension] = form


def read_table(
    path: Path, faults: Faults | None = None, max_bytes: int | None = None, delimiter: str | None = None
) -> Table:
    """Read the rows of a file; its extension determines the format.

    JSONL: one JSON value a line, blank lines passed over. JSON: a list of rows. CSV: a header and rows; cells are text,
    but `references` and `answers` hold a JSON list; commas, semicolons, tabs or bars between columns are told by the
    header. TSV: the same with tabs. Parquet: columns (needs pyarrow). Each but the last may be
    compressed by gzip and end in `.gz` too. Logs: what was registered with `register_logs`.

    Args:
        path: the file.
        faults: collects faults of single rows; without it they raise an error.
        max_bytes: the largest size of a compressed file when unpacked; by default `MAX_UNPACKED` for gzip, and none for
            Parquet.
        delimiter: the sign between the columns of a CSV or TSV file; None to tell it by the header, or the extension.

    Raises:
        ValueError: naming file, line and fault; `DataError` for faults of single rows.
        OSError: if the file cannot be read.
    """
    faults = faults or Faults()
    of_csv, of_tsv = (partial(_read_csv, delimiter=sign) for sign in (delimiter, delimiter or "\t"))
    readers: dict[str, Callable[[Path, bytes, Faults], Table]] = {
        ".jsonl": _read_jsonl,
        ".ndjson": _read_jsonl,
        ".json": _read_json,
        ".csv": of_csv,
        ".tsv": of_tsv,
    }
    suffix = suffix_of(path)
    if suffix == ".parquet" or suffix in _LOG_FORMATS:
        path.open("rb").close()  # whatever the format, what cannot be opened is said in the same words
        return _read_parquet(path, max_bytes) if suffix == ".parquet" else _read_log(path, _LOG_FORMATS[suffix])
    reader = readers.get(suffix)
    if reader is None:
        known = ", ".join([*EXTENSIONS, *_LOG_FORMATS])
        expected = f"a file name that ends in {known} (or one of the first five and .gz)"
        raise InputValueError(place=in_file(path), expected=expected, got=path.suffix or "none")
    table = reader(path, _read_bytes(path, max_bytes), faults)
    faults.stop_if_any()
    return table


def read_value(path: Path) -> Any:
    """Read the single JSON value of a file.

    Raises:
        ValueError: naming file, line and column of the fault.
    """
    return loads_at(_decoded(path, _read_bytes(path, None)), in_file(path))


def name_without_extension(path: Path) -> str:
    """The name of a file without its format extensions.

    >>> name_without_extension(Path("runs/donut.v2.jsonl.gz"))
    'donut.v2'
    """
    name = path.name
    if path.suffix.lower() == ".gz":
        name = path.stem
    known = suffix_of(path)
    return name[: -len(known)] or path.name if known in (*EXTENSIONS, *_LOG_FORMATS) else path.name


def suffix_of(path: Path) -> str:
    """The extension that determines the format, in lower case and without `.gz`."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix == ".gz" and Path(path.stem).suffix != ".parquet" else suffix


def _read_bytes(path: Path, max_bytes: int | None) -> bytes:
    """The content of the file, unpacked.

    Raises:
        ValueError: if it is not a complete gzip file, larger than `max_bytes` when unpacked, or UTF-16.
    """
    content = _unpacked(path, max_bytes or MAX_UNPACKED) if path.suffix.lower() == ".gz" else path.read_bytes()
    if content.startswith(_UTF16):
        raise InputValueError(place=in_file(path), expected="UTF-8 text", got="UTF-16")
    return content


def _unpacked(path: Path, max_bytes: int) -> bytes:
    content = io.BytesIO()
    try:
        with gzip.open(path) as file:
            while chunk := file.read(_CHUNK):
                content.write(chunk)
                _check_unpacked(path, content.tell(), max_bytes)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        got = f"something else or a part of it ({error})"
        raise InputValueError(place=in_file(path), expected="what gzip writes", got=got) from None
    return content.getvalue()


def _check_unpacked(path: Path, length: int, max_bytes: int | None) -> None:
    if max_bytes is not None and length > max_bytes:
        problem = f"more than {max_bytes:,} bytes when unpacked, the limit for compressed files"
        raise InputValueError(place=in_file(path), problem=problem, remedy="a file that is not compressed has none")


def _read_jsonl(path: Path, content: bytes, faults: Faults) -> Table:
    rows, lines = [], []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        lines.append(number)
        rows.append(_row_of_line(line, path, number, faults))
    _suspect_other_format(path, content, rows)
    return Table(path, rows, lambda index: _in_line(path, lines[index]))


def _in_line(path: Path, number: int) -> FilePlace:
    return in_file(path, f"line {number}")


def _row_of_line(line: bytes, path: Path, number: int, faults: Faults) -> Any:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        faults.add("not UTF-8", not_utf8(_in_line(path, number), error))
        return FAULTY
    try:
        return loads(text, unique_keys=True)
    except JsonError as error:
        faults.add("not JSON", error.in_place(_in_line(path, number), one_line=True))
        return FAULTY


def _suspect_other_format(path: Path, content: bytes, rows: list[Any]) -> None:
    """Raise `ValueError` if the file is a JSON list of rows or one JSON value over many lines instead of JSONL."""
    got = ""
    if len(rows) > 1 and rows[0] is FAULTY and _is_json(path, content):
        got = f"one value over {len(rows):,} lines"
    if len(rows) == 1 and isinstance(rows[0], list) and any(isinstance(row, dict) and ID in row for row in rows[0]):
        got = f"a list of {len(rows[0]):,} rows"
    if got:
        expected = "a JSON value on each line"
        problem = f"expected {expected}, got {got}; name it .json"
        raise InputValueError(place=in_file(path), expected=expected, got=got, problem=problem)


def _is_json(path: Path, content: bytes) -> bool:
    try:
        loads(_decoded(path, content))
    except ValueError:
        return False
    return True


def _read_json(path: Path, content: bytes, _faults: Faults) -> Table:
    source = _decoded(path, content)
    if not source.strip():
        raise InputValueError(place=in_file(path), expected="a JSON list of rows", got="an empty file")
    rows = loads_at(source, in_file(path))
    log = next((form for form in _LOG_FORMATS.values() if form.is_log(rows)), None)
    if log is not None:
        return _read_log(path, log)
    if not isinstance(rows, list):
        raise InputValueError(place=in_file(path), expected="a JSON list of rows", got=type(rows).__name__)
    return Table(path, rows, lambda index: in_file(path, f"row {index + 1}"))


def _read_log(path: Path, form: LogFormat) -> Table:
    rows, names = form.read(path)
    return Table(path, rows, lambda index: in_file(path, names[index]))


def _read_csv(path: Path, content: bytes, faults: Faults, delimiter: str | None) -> Table:
    csv.field_size_limit(1 << 30)  # a reference of a long document is one cell
    text = _decoded(path, content)
    source = io.StringIO(text, newline="")
    reader = csv.reader(source, strict=True, delimiter=delimiter or delimiter_of(text, [ID]))
    rows: list[Any] = []
    lines: list[int] = []
    header: list[str] = []
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return Table(path, rows, lambda index: _in_line(path, lines[index]))
        except csv.Error as error:
            if header and not source.read(1):
                problem = f"the last row, which begins here, cannot be read: {error}"
                faults.add("cut off", Diagnostic((_in_line(path, line),), problem=problem))
                lines.append(line)
                rows.append(FAULTY)
                continue
            raise InputValueError(place=_in_line(path, line), problem=str(error)) from None
        if not cells:
            continue
        if not header:
            header = _checked_header(path, line, cells)
            continue
        lines.append(line)
        rows.append(_csv_row(header, cells, path, line, faults))


def _checked_header(path: Path, line: int, cells: list[str]) -> list[str]:
    """Return the header; raise `ValueError` for a column that occurs twice, since one of the two would be lost."""
    name, times = Counter(cells).most_common(1)[0]
    if times > 1:
        raise InputValueError(place=_in_line(path, line), problem=f"column {name!r} occurs twice")
    return cells


def _csv_row(header: list[str], cells: list[str], path: Path, line: int, faults: Faults) -> Any:
    if len(cells) != len(header):
        expected = f"{len(header)} cells as in the header"
        others = set("".join(header)) & set(DELIMITERS)
        remedy = "--delimiter names the sign between the columns" if others else ""
        diagnostic = Diagnostic((_in_line(path, line),), expected, str(len(cells)), remedy=remedy)
        faults.add("unlike the header", diagnostic)
        return FAULTY
    try:
        return {name: _cell(name, cell) for name, cell in zip(header, cells, strict=True)}
    except InputValueError as error:
        place = closer(_in_line(path, line), error.place)
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


def _read_parquet(path: Path, max_bytes: int | None) -> Table:
    rows = parquet_rows(path, lambda size: _check_unpacked(path, size, max_bytes))
    return Table(path, rows, lambda index: in_file(path, f"row {index + 1}"))


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputValueError(not_utf8(_in_line(path, line), error)) from None


def not_utf8(place: PlacePart, error: UnicodeDecodeError) -> Diagnostic:
    """The diagnostic for bytes that are not UTF-8."""
    return Diagnostic((place,), "UTF-8 text", f"the byte 0x{error.object[error.start]:02x}")
