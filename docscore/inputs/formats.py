"""Records from files, folders and data frames: a reader for each format. Errors name the file and the line."""

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from docscore.core.errors import (
    DataWarning,
    Diagnostic,
    InputValueError,
    InvalidRow,
    PlacePart,
    Remedy,
    RowErrors,
    closer,
    in_file,
    in_line,
    not_utf8,
    row_place,
    some_of,
)
from docscore.core.formatting import counted
from docscore.core.options import DEFAULT_READING, ReadOptions
from docscore.core.processes import in_processes, numbered_portions
from docscore.core.runtime import READING, Advance, Progress, gc_pause, library, no_progress
from docscore.core.values import convert_prediction
from docscore.inputs.json_text import JsonError, loads, loads_at
from docscore.inputs.logs import is_log, table_of_log
from docscore.inputs.queries import Query, query_of
from docscore.inputs.rows import ANLS, ID, PREDICTION, REFERENCES, RawTable, Side, is_document, table_by_id

MAX_UNPACKED = 1_000_000_000  # bytes of a compressed file when unpacked; gzip packs a gigabyte of equal lines into 1 MB
_LARGEST_REREAD = 100_000_000  # bytes; larger files are not read again to check whether they are one JSON value


def read_jsonl(path: Path, file: Iterable[bytes], errors: RowErrors, num_proc: int = 1) -> RawTable:
    """Read a JSON value from each line that is not blank.

    Args:
        path: the file, for messages.
        file: its lines, unpacked.
        errors: collects the errors of lines.
        num_proc: the number of processes that read lines.

    Raises:
        ValueError: for a file that is a list of rows, or one value over many lines.
        RuntimeError: if one of several processes dies.
    """
    lines = list(file)
    numbers = [number for number, line in enumerate(lines, 1) if line.strip()]
    portions = [portion for _, portion in numbered_portions(lines, num_proc)] if num_proc > 1 else [lines]
    rows = [*chain.from_iterable(in_processes(_values_or_errors, portions, num_proc))]
    for index, error in enumerate(rows):
        if isinstance(error, JsonError | UnicodeDecodeError):
            place, rows[index] = in_line(path, numbers[index]), InvalidRow
            if isinstance(error, JsonError):
                errors.add("not JSON", error.in_place(place, one_line=True))
            else:
                errors.add("not UTF-8", not_utf8(place, error, _ENCODING_REMEDY))
    if rows and not isinstance(rows[0], dict):
        _check_jsonl(path, rows)
    return RawTable(path, rows, lambda index: in_line(path, numbers[index]))


def _values_or_errors(lines: Sequence[bytes]) -> list[Any]:
    """Return the JSON value of each line that is not blank, or the error if the line is not JSON."""
    rows: list[Any] = []
    for line in lines:
        if line.strip():
            try:
                rows.append(loads(line.removesuffix(b"\n").decode(), unique_keys=True))
            except (JsonError, UnicodeDecodeError) as error:
                rows.append(error)
    return rows


def _check_jsonl(path: Path, rows: Sequence[Any]) -> None:
    """Raise `ValueError` if the file is a JSON list of rows or one JSON value over many lines instead of JSONL."""
    got = ""
    if len(rows) > 1 and rows[0] is InvalidRow and path.is_file() and path.stat().st_size <= _LARGEST_REREAD:
        with suppress(ValueError, OSError):
            read_value(path)
            got = f"one value over {len(rows):,} lines"
    if len(rows) == 1 and isinstance(rows[0], list) and any(isinstance(row, dict) and ID in row for row in rows[0]):
        got = f"a list of {len(rows[0]):,} rows"
    if got:
        raise InputValueError(
            place=in_file(path),
            expected="a JSON value on each line",
            got=got,
            problem=f"expected a JSON value on each line, got {got}; name it .json",
        )


def _read_json(path: Path, file: io.BufferedReader, side: Side, options: ReadOptions, query: Query | None) -> RawTable:
    content = b"".join(file)  # unlike `file.read`, this reports progress
    source = _decoded(path, content)
    if not source.strip():
        raise InputValueError(place=in_file(path), expected="a JSON list of rows", got="an empty file")
    value = loads_at(source, in_file(path))
    if is_log(value) and query is None:
        return table_of_log(path)
    return rows_of_value(value, path, side, options, query)


def rows_of_value(value: Any, path: Path, side: Side, options: ReadOptions, query: Query | None) -> RawTable:
    """Return the rows of a JSON value: a list of rows, an object `{id: document}` or one document.

    An object is one document if at least one key is a word and at least one value is neither an object nor null.

    Args:
        value: the value.
        path: its file, or the name of its side.
        side: predictions or references.
        options: how the rows are read.
        query: selects the rows in the value; None if it is the rows.

    Raises:
        ValueError: for any other value, and for a query that selects no rows.
    """
    dropped: frozenset[int] | None = frozenset()
    if query is not None:
        value, dropped = query.selected(value, in_file(path))
    if not options.single_document:
        refuse_parts_of_frame(value, in_file(path))
    if options.single_document or is_document(value):
        table = RawTable(path, [value], lambda _index: in_file(path))
    elif isinstance(value, dict):
        names = list(map(str, value))
        by_id = table_by_id(value, side, in_file(path))
        table = by_id._replace(path=path, where=lambda index: in_file(path, row_place(names[index])), beginning="*.")
    elif isinstance(value, list):
        table = RawTable(path, value, lambda index: in_file(path, f"row {index + 1}"), beginning="[].", dropped=dropped)
    else:
        raise InputValueError(
            place=in_file(path), expected="a JSON list of rows, or an object {id: document}", got=type(value).__name__
        )
    return table if query is None else query.check_keys(table)


RECORDS = 'write it as rows (in pandas: to_json(orient="records"))'


def refuse_parts_of_frame(value: Any, place: PlacePart) -> None:
    """Raise `ValueError` for a data frame that pandas wrote as its columns and its cells, not as rows."""
    parts = value if isinstance(value, dict) else {}
    are_lists = all(isinstance(part, list) for part in parts.values())
    is_split = parts.keys() == {"columns", "index", "data"} and are_lists
    if is_split or (parts.keys() == {"schema", "data"} and "pandas_version" in str(parts["schema"])):
        got = f"a data frame under the keys {', '.join(map(repr, parts))}"
        raise InputValueError(place=place, expected="rows or documents", got=got, remedy=RECORDS)


DELIMITERS = (",", ";", "\t", "|")
_JSON_COLUMNS = (REFERENCES, str(ANLS.references))  # their cells hold a JSON list; cells of other columns are text
_LONGEST_SHOWN = 80  # characters of a cell in a message
HEADER_LINES = 100  # the number of lines in which the header is searched


def _read_csv(path: Path, file: io.BufferedReader, errors: RowErrors, delimiter: str | None) -> RawTable:
    """Read a CSV file; raise `ValueError` with file and line if the file as a whole is not CSV."""
    csv.field_size_limit(1 << 30)  # a reference of a long document is one cell
    lines = _lines(path, file)
    head = list(islice(lines, HEADER_LINES))
    given, delimiter = delimiter is not None, delimiter or usual_delimiter(path, head)
    source = chain(without_declaration(head), lines)
    reader = csv.reader(source, strict=True, delimiter=delimiter)
    header: list[str] = []
    rows: list[Any] = []
    numbers: list[int] = []
    remedy: str | Remedy = ""
    number = 1
    try:
        for cells in reader:
            if cells and not header:
                _check_columns(cells, in_line(path, number))
                header = cells
                remedy = _SPLIT_REMEDY[given] if {*"".join(header)} & {*DELIMITERS} else ""
            elif cells:
                numbers.append(number)
                rows.append(_csv_row(header, cells, in_line(path, number), errors, remedy))
            number = reader.line_num + 1
    except csv.Error as error:
        if not header or next(source, None) is not None:
            raise InputValueError(place=in_line(path, number), problem=str(error)) from None
        row_error = Diagnostic(
            (in_line(path, number),), problem=f"the last row, which begins here, cannot be read: {error}"
        )
        errors.add("cut off", row_error)
        numbers.append(number)
        rows.append(InvalidRow)
    return RawTable(path, rows, lambda index: in_line(path, numbers[index]), has_columns=True, remedy=remedy)


_SPLIT_REMEDY = {
    given: Remedy(f"if the columns are split at the wrong character, {verb} {{}}", (("delimiter", ...),))
    for given, verb in ((False, "add"), (True, "give another"))
}


def _lines(path: Path, file: io.BufferedReader) -> Iterator[str]:
    """Yield lines with their line endings, which may be in the style of Windows, Unix or old Macintosh computers."""
    for number, line in enumerate(file, 1):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise InputValueError(not_utf8(in_line(path, number), error, _ENCODING_REMEDY)) from None
        if text.count("\r") > text.endswith("\r\n"):
            yield from io.StringIO(text, newline="")
        else:
            yield text


def _check_columns(names: Sequence[Any], place: PlacePart) -> None:
    """Raise `ValueError` for a column that occurs twice, since one of its values would be lost."""
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise InputValueError(place=place, problem=f"column {name!r} occurs twice")


def _csv_row(header: list[str], cells: list[str], place: PlacePart, errors: RowErrors, remedy: str | Remedy) -> Any:
    if len(cells) != len(header):
        expected = f"{len(header)} cells as in the header"
        errors.add("unlike the header", Diagnostic((place,), expected, str(len(cells)), remedy=remedy))
        return InvalidRow
    row: dict[str, Any] = dict(zip(header, cells, strict=True))
    for name in filter(row.__contains__, _JSON_COLUMNS):
        cell = row[name]
        try:
            row[name] = loads(cell, unique_keys=True)
        except JsonError:
            got = repr(f"{cell[:_LONGEST_SHOWN]}..." if len(cell) > _LONGEST_SHOWN else cell)
            error = Diagnostic((closer(place, f"column {name!r}"),), 'a JSON list such as ["Paris"]', got)
            errors.add("not JSON", error)
            return InvalidRow
    return row


def delimiter_of_file(path: Path, max_bytes: int | None = None) -> str:
    """Return the delimiter that `read_table` uses for a CSV or TSV file if none is given.

    Raises:
        ValueError: for a header that is not UTF-8, and a file that cannot be unpacked.
        OSError: if the file cannot be read.
    """
    with _opened(path, max_bytes) as file:
        return usual_delimiter(path, list(islice(_lines(path, file), HEADER_LINES)))


def usual_delimiter(path: Path, head: Sequence[str]) -> str:
    """Return the delimiter that the first lines of a CSV or TSV file declare or suggest."""
    if declared := _DECLARATION.match("".join(head[:1])):
        return declared[1]
    return "\t" if suffix_of(path) == ".tsv" else delimiter_of("".join(head))


_DECLARATION = re.compile(r'"?sep=([^"\r\n])"?(\r?\n?)\Z')  # the first line of a file for Excel


def without_declaration(lines: Sequence[str]) -> list[str]:
    """Return the lines of a CSV file, with the first line emptied if it declares the delimiter."""
    return [_DECLARATION.sub(r"\2", line) for line in lines[:1]] + list(lines[1:])


def delimiter_of(text: str) -> str:
    r"""Guess the delimiter of a CSV file from its header.

    It is the only delimiter that gives a column of ids, or else the only one that gives several columns, or else the
    comma.

    >>> delimiter_of("question_id;prediction\na;1,5\n")
    ';'
    >>> delimiter_of("id;first, second")
    ','
    """
    headers = {sign: _header(text, sign) for sign in DELIMITERS}
    several = [sign for sign, header in headers.items() if len(header) > 1]
    candidates = [sign for sign in several if ID in headers[sign]] or several
    return candidates[0] if len(candidates) == 1 else ","


def _header(text: str, delimiter: str) -> list[str]:
    """Return the cells of the first non-empty line; an empty list if it cannot be read with this delimiter."""
    try:
        return next(filter(None, csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)), [])
    except csv.Error:
        return []


_BATCH = 1000  # rows of a Parquet file that are read at a time

# other errors that pyarrow raises for values that Python cannot represent, such as dates after the year 9999
_UNREADABLE = (ArithmeticError, ImportError, LookupError, NotImplementedError, TypeError, ValueError)


def _read_parquet(path: Path, max_bytes: int | None, progress: Progress) -> RawTable:
    def batches() -> Iterator[Any]:
        size = before = 0
        for batch in file.iter_batches(batch_size=_BATCH):
            size += batch.nbytes
            _check_unpacked(path, size, max_bytes)
            yield batch
            was_read(whole * (before + len(batch)) // total - whole * before // total)
            before += len(batch)

    def where(index: int) -> PlacePart:
        return in_file(path, f"row {index + 1}")

    whole = path.stat().st_size
    was_read = progress(READING, whole)
    with parquet_file(path) as file:
        total = file.metadata.num_rows
        return RawTable(path, arrow_rows(batches(), file.schema_arrow, in_file(path), where), where, has_columns=True)


@contextmanager
def parquet_file(path: Path) -> Iterator[Any]:
    """Open a Parquet file.

    Raises:
        ValueError: if pyarrow is missing or the file is damaged, now or during reading.
    """
    problem = "reading Parquet needs pyarrow"
    arrow, parquet = (library(name, problem, "parquet", in_file(path)) for name in ("pyarrow", "pyarrow.parquet"))
    try:
        with parquet.ParquetFile(path) as file:
            yield file
    except InputValueError:
        raise
    except (arrow.ArrowException, OSError, *_UNREADABLE) as error:
        raise InputValueError(place=in_file(path), problem=f"not a Parquet file, or a damaged one: {error}") from None


def arrow_rows(
    batches: Iterable[Any], schema: Any, place: PlacePart, where: Callable[[int], PlacePart]
) -> list[dict[str, Any]]:
    """Return the rows of an Arrow table as plain Python values, with maps as objects.

    Args:
        batches: the parts of the table.
        schema: its schema.
        place: its place in messages.
        where: returns the place of a row, given its index.

    Raises:
        ValueError: for a column that occurs twice, and a value that cannot be read, naming the row and the column.
    """
    _check_columns(schema.names, place)
    rows: list[dict[str, Any]] = []
    for batch in batches:
        columns = [_values(batch.column(name), name, where, len(rows)) for name in schema.names]
        rows += [dict(zip(schema.names, values, strict=True)) for values in zip(*columns, strict=True)]
    return _with_short_floats(rows, {column.name: column.type for column in schema})


def _with_short_floats(rows: list[dict[str, Any]], types: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the numbers of 16 and 32 bits in rows their shortest spelling, such as 0.1 instead of 0.10000000149.

    Args:
        rows: the rows, which are changed.
        types: the type of each column, of Arrow or polars.
    """
    narrow = {name: kind for name, kind in types.items() if any(each in str(kind) for each in _NARROW)}
    for row in rows if narrow else ():
        row |= {name: _with_short_spelling(row[name], kind) for name, kind in narrow.items() if name in row}
    return rows


_NARROW: dict[str, Callable[[float], Any]] = {"halffloat": np.float16, "float": np.float32, "Float32": np.float32}


def _with_short_spelling(value: Any, kind: Any) -> Any:
    """Return a value of an Arrow or polars type, with its numbers of 16 and 32 bits in their shortest spelling."""
    inner = next((getattr(kind, name) for name in ("value_type", "item_type", "inner") if hasattr(kind, name)), kind)
    if isinstance(value, float) and str(inner) in _NARROW:
        return float(str(_NARROW[str(inner)](value)))
    if isinstance(value, list):
        return [_with_short_spelling(item, inner) for item in value]
    if isinstance(value, dict):
        kinds = {field.name: getattr(field, "dtype", None) or field.type for field in getattr(kind, "fields", ())}
        return {key: _with_short_spelling(item, kinds.get(key, inner)) for key, item in value.items()}
    return value


def _values(column: Any, name: str, where: Callable[[int], PlacePart], before: int) -> list[Any]:
    """Return the values of a column in a batch; `before` is the number of rows before the batch."""
    try:
        return column.to_pylist(maps_as_pydicts="strict")  # type: ignore[no-any-return]
    except _UNREADABLE:
        return [_value(item, closer(where(before + number), f"column {name!r}")) for number, item in enumerate(column)]


def _value(item: Any, place: PlacePart) -> Any:
    try:
        return item.as_py(maps_as_pydicts="strict")
    except _UNREADABLE as error:
        raise InputValueError(
            place=place, expected="a value with a type that Python has", got=f"{item.type} ({error.args[0]})"
        ) from None


# The file formats by extension. To add a format, write its reader above and call it in `read_table`. This module opens
# the files of text formats, which may also be compressed (.gz). Other formats have libraries that open their files.
TEXT_EXTENSIONS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
_BINARY_EXTENSIONS = (".parquet", ".eval")


def read_table(
    path: Path,
    errors: RowErrors | None = None,
    *,
    side: Side = "predictions",
    options: ReadOptions = DEFAULT_READING,
    max_bytes: int | None = None,
    num_proc: int = 1,
    progress: Progress = no_progress,
) -> RawTable:
    """Read the rows of a file; its extension determines the format.

    Rows stay in memory.

    * JSONL, and the content of a pipe: a JSON value on each line; blank lines are ignored.
    * JSON: a list of rows, an object from id to document, or one document.
    * CSV: a header and rows. Cells are text, but cells of `references` and `answers` hold a JSON list. The header
      determines whether commas, semicolons, tabs or bars separate the columns. TSV: the same with tabs.
    * Parquet: columns (needs pyarrow).
    * Logs of Inspect (`.eval`, and `.json` files that hold one).

    A JSONL, JSON, CSV or TSV file may be compressed by gzip, with `.gz` appended to its name.

    Args:
        path: the file.
        errors: collects errors of single rows; None to raise an error for them.
        side: the side to which the rows belong.
        options: how they are read: the query that selects them, the delimiter, and the encoding.
        max_bytes: the largest size of a compressed file when unpacked; by default `MAX_UNPACKED` for gzip, and none for
            Parquet.
        num_proc: the number of processes that read the lines of JSONL.
        progress: called with the phase "Reading" and the size in bytes when the reading of a file begins; not for logs.

    Raises:
        ValueError: naming file, line and error; `DataError` for errors of single rows.
        OSError: if the file cannot be read.
    """
    errors, suffix, query = errors or RowErrors(), suffix_of(path), query_of(options, side)
    if suffix not in TEXT_EXTENSIONS and path.is_fifo():  # `<(...)` has no extension
        suffix = ".jsonl"
    if query is not None and "json" not in suffix:
        raise InputValueError(place=in_file(path), expected=f"JSON or JSONL with {query.option}", got=suffix)
    if suffix in TEXT_EXTENSIONS:
        with _opened(path, max_bytes, progress, options.encoding_of(side)) as file, gc_pause():
            if suffix == ".json":
                table = _read_json(path, file, side, options, query)
            elif suffix in (".csv", ".tsv"):
                table = _read_csv(path, file, errors, options.delimiter)
            else:
                table = read_jsonl(path, file, errors, num_proc)
                table = table if query is None else query.rows_in(table, errors)
        errors.stop_if_any()
        return table
    if suffix not in _BINARY_EXTENSIONS:
        texts, others = ", ".join(TEXT_EXTENSIONS), ", ".join(_BINARY_EXTENSIONS)
        raise InputValueError(
            place=in_file(path),
            expected=f"a file name that ends in {texts} (each also with .gz), {others}",
            got=path.suffix or "none",
        )
    path.open("rb").close()  # a file that cannot be opened gives the same error in all formats
    with gc_pause():
        return _read_parquet(path, max_bytes, progress) if suffix == ".parquet" else table_of_log(path)


def read_value(path: Path) -> Any:
    """Read the single JSON value of a file.

    Raises:
        ValueError: naming file, line and column of the error.
    """
    return loads_at(text_of_file(path), in_file(path))


def text_of_file(path: Path, encoding: str | None = None) -> str:
    """Return the text of a file without its byte order mark, unpacked; None stands for UTF-8.

    Raises:
        ValueError: naming the first line that does not have the encoding.
    """
    with _opened(path, None, encoding=encoding) as file:
        return _decoded(path, file.read())


def name_without_extension(path: Path) -> str:
    """Return the name of a file without the extensions of its format.

    >>> name_without_extension(Path("runs/donut.v2.jsonl.gz"))
    'donut.v2'
    """
    name = path.stem if path.suffix.lower() == ".gz" else path.name
    suffix = suffix_of(path)
    is_known = suffix in (*TEXT_EXTENSIONS, *_BINARY_EXTENSIONS, *_OF_FOLDERS)
    return name[: -len(suffix)] or path.name if is_known else path.name


_OF_FILES = re.compile(r"(predictions?|preds?|outputs?|results?|responses?|answers?)[-_. ]+(?=\w)", re.IGNORECASE)


def names_of_files(paths: Sequence[Path]) -> list[str]:
    """Return the names of files without format extensions, and without a common prefix such as "predictions_".

    >>> names_of_files([Path("predictions_base.jsonl"), Path("preds-new.csv")])
    ['base', 'new']
    """
    names = list(map(name_without_extension, paths))
    beginnings = [beginning.end() for beginning in map(_OF_FILES.match, names) if beginning is not None]
    return [name[end:] for name, end in zip(names, beginnings, strict=True)] if len(beginnings) == len(names) else names


def suffix_of(path: Path) -> str:
    """Return the extension that determines the format, in lower case and without `.gz`."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix == ".gz" and Path(path.stem).suffix != ".parquet" else suffix


def rows_of_frame(source: Any, side: Side, id_column: str) -> list[dict[str, Any]] | None:
    """Return the rows of a data frame, an Arrow table or a dataset as dicts; None for anything else.

    The tables of these libraries are identified by their methods, so that none of the libraries is imported.
    """
    if hasattr(source, "iloc") and hasattr(source, "columns"):  # pandas
        _check_columns(list(source.columns), side)
        if levels := [name for name in (id_column, *id_column.split(",")) if name in source.index.names]:
            source = source.reset_index(level=levels)
        columns = [_cells_of(source.iloc[:, number]) for number in range(source.shape[1])]
        return [dict(zip(source.columns, cells, strict=True)) for cells in zip(*columns, strict=True)]
    if hasattr(source, "to_dicts"):  # polars
        return _with_short_floats(source.to_dicts(), source.schema)
    if hasattr(source, "to_batches"):  # Arrow
        return arrow_rows(source.to_batches(), source.schema, side, lambda index: f"{side}[{index}]")
    if not hasattr(source, "column_names"):
        return None
    schema = source.features.arrow_schema if source.features else ()  # datasets
    return _with_short_floats([dict(row) for row in source], {column.name: column.type for column in schema})


def _cells_of(column: Any) -> list[Any]:
    """Return the cells of a column of a pandas data frame, with None for missing values."""
    is_float = column.dtype.kind == "f"  # `astype` would widen 32 bits
    cells: Any = convert_prediction(column.to_numpy()) if is_float else column.astype(object)
    return [None if missing else cell for cell, missing in zip(cells, column.isna(), strict=True)]


def read_folder(path: Path, errors: RowErrors, side: Side, options: ReadOptions) -> RawTable:
    """Read a folder with one file per document: `ID.json`, or `ID.txt` if the folder has no `.json` files.

    If an option names the column of the values, it is a column of the documents; otherwise each document is the value.

    Args:
        path: the folder.
        errors: collects the errors of files.
        side: predictions or references.
        options: how the documents are read.
    """
    query, is_truth = query_of(options, side), side == "references"
    column = options.references_column if is_truth else options.prediction_column
    present = sorted(file for file in path.iterdir() if not file.name.startswith("."))
    files = next(filter(None, ([file for file in present if suffix_of(file) == suffix] for suffix in _OF_FOLDERS)), [])
    if not files:
        raise InputValueError(
            problem=f"no .json or .txt files in {path}/", remedy="name each document ID.json or ID.txt"
        )
    rows: list[Any] = []
    for file in files:
        try:
            value = _document_of_file(file, side, options)
            value = value if query is None else query.selected(value, in_file(file))[0]
        except InputValueError as error:
            errors.add("not JSON", error.diagnostic)
            rows.append(InvalidRow)
            continue
        cell = {REFERENCES: [value]} if is_truth else {PREDICTION: value}
        row = cell if column is None or not isinstance(value, dict) else value
        rows.append({**row, ID: name_without_extension(file)})
    errors.stop_if_any()
    found = tuple(_warnings_about_subfolders(path, suffix_of(files[0])))
    table = RawTable(path, rows, lambda index: in_file(files[index]), warnings=found)
    return table if query is None else query.check_keys(table)


def _warnings_about_subfolders(path: Path, suffix: str) -> Iterator[DataWarning]:
    """Yield a warning about the files with an extension in the subfolders of a folder, which are not read."""
    inside = [file.relative_to(path) for file in path.glob("*/**/*") if suffix_of(file) == suffix]
    names = [file.as_posix() for file in inside if not any(part.startswith(".") for part in file.parts)]
    if names:
        problem = f"it has {counted(len(names), f'{suffix} file')} in subfolders, which are not read: {some_of(names)}"
        advice = "if they are documents too, put all in one folder"
        yield DataWarning("subfolders", Diagnostic((in_file(path),), problem=problem, remedy=advice))


_OF_FOLDERS = (".json", ".txt")  # text files are read only if there are no JSON files


def _document_of_file(file: Path, side: Side, options: ReadOptions) -> Any:
    """Return the value of a file, or its text if it is no JSON file or will be repaired later."""
    text = text_of_file(file, options.encoding_of(side))
    if suffix_of(file) == ".txt":
        return text.rstrip("\r\n")
    try:
        return loads_at(text, in_file(file))
    except InputValueError:
        if side == "predictions" and options.parse == "repair":
            return text
        raise


_ENCODING_REMEDY = Remedy(
    "add {} or {}, such as cp1252 (Windows) or utf-16", (("references_encoding", ...), ("predictions_encoding", ...))
)
UTF8_MARK = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_HEAD = 64  # a zero byte among this many bytes shows that a file is not text
_CHUNK = 1 << 20  # bytes read at a time


def _opened(
    path: Path, max_bytes: int | None, progress: Progress = no_progress, encoding: str | None = None
) -> io.BufferedReader:
    """Open a text file for reading as UTF-8 after its byte order mark; unpack it if its name ends in `.gz`.

    Raises:
        ValueError: if it does not have the given encoding; if none is given and it is UTF-16 or a PDF file, or begins
            with binary data; if it is too large when unpacked or not a complete gzip file, now or during reading.
        OSError: if it cannot be read.
    """
    content: Any
    if progress is no_progress:
        content = path.open("rb", buffering=0)
    else:
        content = _Watched(path, progress(READING, path.stat().st_size))
    if path.suffix.lower() == ".gz":
        content = _Unpacked(path, io.BufferedReader(content, _CHUNK), max_bytes or MAX_UNPACKED)
    file = io.BufferedReader(content, _CHUNK)
    try:
        if encoding is not None:
            with file:
                text = _decoded(path, b"".join(file), encoding).removeprefix("\ufeff")
            return io.BufferedReader(io.BytesIO(text.encode("utf-8", "surrogatepass")))
        _begin_text(path, file)
    except BaseException:
        file.close()
        raise
    return file


def _begin_text(path: Path, file: io.BufferedReader) -> None:
    """Refuse a file that does not begin like UTF-8 text, and skip its byte order mark."""
    head = file.peek(_HEAD)
    is_binary = b"\0" in head[:_HEAD]
    got = "UTF-16" if head.startswith(_UTF16) else "a PDF file" if head.startswith(b"%PDF") else "binary data"
    if got != "binary data" or is_binary:
        raise InputValueError(
            place=in_file(path), expected="UTF-8 text", got=got, remedy=_ENCODING_REMEDY if got == "UTF-16" else ""
        )
    file.read(len(UTF8_MARK) if head.startswith(UTF8_MARK) else 0)


class _Watched(io.FileIO):
    """A file that reports how many bytes were read."""

    def __init__(self, path: Path, was_read: Advance) -> None:
        super().__init__(path)
        self._was_read = was_read

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer)
        self._was_read(count)
        return count


class _Unpacked(gzip.GzipFile):
    """The content of a gzip file; reading it raises an error if the file is damaged or too large."""

    def __init__(self, path: Path, packed: Any, max_bytes: int) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self.myfileobj = packed  # is closed together with this file
        self._path, self._max_bytes, self._unpacked = path, max_bytes, 0

    def readinto(self, buffer: Any) -> int:
        try:
            count = super().readinto(buffer)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputValueError(
                place=in_file(self._path),
                expected="a complete gzip file",
                got=f"another or an incomplete file ({error})",
            ) from None
        self._unpacked += count
        _check_unpacked(self._path, self._unpacked, self._max_bytes)
        return count


def _check_unpacked(path: Path, length: int, max_bytes: int | None) -> None:
    if max_bytes is not None and length > max_bytes:
        raise InputValueError(
            place=in_file(path),
            problem=f"more than {max_bytes:,} bytes when unpacked, the limit for compressed files",
            remedy="a file that is not compressed has no limit",
        )


def _decoded(path: Path, content: bytes, encoding: str | None = None) -> str:
    """Return the text of a file; raise `ValueError` with the first line that does not have the encoding."""
    try:
        return content.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        row_error = not_utf8(in_line(path, error.object.count(b"\n", 0, error.start) + 1), error, _ENCODING_REMEDY)
        raise InputValueError(
            row_error if encoding is None else replace(row_error, expected=f"{encoding} text", remedy="")
        ) from None
