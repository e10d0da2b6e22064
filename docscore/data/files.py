"""Rows from files, folders and tables in memory. Errors name the file and the line."""

import csv
import gzip
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np

from docscore.core.errors import (
    Diagnostic,
    Faults,
    Faulty,
    InputTypeError,
    InputValueError,
    PlacePart,
    closer,
    in_file,
    in_line,
    not_utf8,
    row_place,
    some_of,
)
from docscore.core.runtime import READING, Advance, Progress, gc_pause, library, no_progress, warn
from docscore.core.values import convert_prediction
from docscore.data.json_text import JsonError, loads, loads_at
from docscore.data.rows import (
    ANLS,
    BY_ID,
    COSTS,
    ID,
    PREDICTION,
    REFERENCES,
    Absent,
    ColumnAlias,
    NoCell,
    Side,
    Source,
    cells_of,
    described,
    known_columns,
    table_in_memory,
    warn_of_filled_keys,
)

MAX_UNPACKED = 1_000_000_000  # bytes of a compressed file when unpacked; gzip packs a gigabyte of equal lines into 1 MB
_LARGEST_REREAD = 100_000_000  # bytes of a file that is read again to check whether it is a single JSON value


def read_jsonl(path: Path, file: Iterable[bytes], faults: Faults, *_others: str | None) -> Source:
    """Read a JSON value from each line that is not blank.

    Args:
        path: the file, for messages.
        file: its lines, unpacked.
        faults: collects the faults of lines.

    Raises:
        ValueError: for a file that is a list of rows, or one value over many lines.
    """
    rows: list[Any] = []
    numbers: list[int] = []
    for number, line in enumerate(file, 1):
        if line.strip():
            row: Any = Faulty
            try:
                row = loads(line.removesuffix(b"\n").decode(), unique_keys=True)
            except UnicodeDecodeError as error:
                faults.add("not UTF-8", not_utf8(in_line(path, number), error, _ENCODING_REMEDY))
            except JsonError as error:
                faults.add("not JSON", error.in_place(in_line(path, number), one_line=True))
            numbers.append(number)
            rows.append(row)
    _check_jsonl(path, rows)
    return Source(path, rows, lambda index: in_line(path, numbers[index]))


def _check_jsonl(path: Path, rows: Sequence[Any]) -> None:
    """Raise `ValueError` if the file is a JSON list of rows or one JSON value over many lines instead of JSONL."""
    got = ""
    if len(rows) > 1 and rows[0] is Faulty and path.is_file() and path.stat().st_size <= _LARGEST_REREAD:
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


def _read_json(path: Path, file: io.BufferedReader, _faults: Faults, _delimiter: str | None, side: Side) -> Source:
    content = b"".join(file)  # unlike `file.read`, this reports progress
    source = _decoded(path, content)
    if not source.strip():
        raise InputValueError(place=in_file(path), expected="a JSON list of rows", got="an empty file")
    rows = loads_at(source, in_file(path))
    if reader := reader_of_log(rows):
        return resolve_name(reader)(path)  # type: ignore[no-any-return]
    if isinstance(rows, dict):
        names = list(map(str, rows))
        return Source(
            path, _rows_by_id(rows, side, in_file(path)), lambda index: in_file(path, row_place(names[index]))
        )
    if not isinstance(rows, list):
        raise InputValueError(
            place=in_file(path), expected="a JSON list of rows, or an object {id: document}", got=type(rows).__name__
        )
    return Source(path, rows, lambda index: in_file(path, f"row {index + 1}"))


DELIMITERS = (",", ";", "\t", "|")
_JSON_COLUMNS = (REFERENCES, str(ANLS.references))  # their cells hold a JSON list; those of other columns are text
_LONGEST_SHOWN = 80  # characters of a cell in a message
HEADER_LINES = 100  # the header is searched in these


def _read_csv(path: Path, file: io.BufferedReader, faults: Faults, delimiter: str | None, _side: Side) -> Source:
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
    number, remedy = 1, ""
    try:
        for cells in reader:
            if cells and not header:
                _check_columns(cells, in_line(path, number))
                header = cells
                remedy = _SPLIT_REMEDY[given] if {*"".join(header)} & {*DELIMITERS} else ""
            elif cells:
                numbers.append(number)
                rows.append(_csv_row(header, cells, in_line(path, number), faults, remedy))
            number = reader.line_num + 1
    except csv.Error as error:
        if not header or next(source, None) is not None:
            raise InputValueError(place=in_line(path, number), problem=str(error)) from None
        problem = f"the last row, which begins here, cannot be read: {error}"
        faults.add("cut off", Diagnostic((in_line(path, number),), problem=problem))
        numbers.append(number)
        rows.append(Faulty)
    return Source(path, rows, lambda index: in_line(path, numbers[index]), has_columns=True, remedy=remedy)


_SPLIT_REMEDY = {
    given: f"if the columns are split at the wrong character, {verb} --delimiter"
    for given, verb in ((False, "add"), (True, "give another"))
}


def _lines(path: Path, file: io.BufferedReader) -> Iterator[str]:
    """Yield lines with their ends, which may be those of Windows, Unix and old Macintosh computers."""
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
    """Raise `ValueError` for a column that occurs twice, since one of the two would be lost."""
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise InputValueError(place=place, problem=f"column {name!r} occurs twice")


def _csv_row(header: list[str], cells: list[str], place: PlacePart, faults: Faults, remedy: str) -> Any:
    if len(cells) != len(header):
        fault = Diagnostic(
            (place,),
            f"{len(header)} cells as in the header",
            str(len(cells)),
            remedy=remedy,
        )
        faults.add("unlike the header", fault)
        return Faulty
    row: dict[str, Any] = dict(zip(header, cells, strict=True))
    for name in filter(row.__contains__, _JSON_COLUMNS):
        cell = row[name]
        try:
            row[name] = loads(cell, unique_keys=True)
        except JsonError:
            got = repr(f"{cell[:_LONGEST_SHOWN]}..." if len(cell) > _LONGEST_SHOWN else cell)
            fault = Diagnostic((closer(place, f"column {name!r}"),), 'a JSON list such as ["Paris"]', got)
            faults.add("not JSON", fault)
            return Faulty
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
    """Return the lines of a CSV file with an empty one in place of the first if that names the delimiter."""
    return [_DECLARATION.sub(r"\2", line) for line in lines[:1]] + list(lines[1:])


def delimiter_of(text: str) -> str:
    r"""Guess the delimiter of a CSV file from its header.

    This is the only delimiter that gives a column of ids, or otherwise the only one that gives several columns, or
    otherwise the comma.

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
    """Return the cells of the first line that is not empty; none if it cannot be read with this delimiter."""
    try:
        return next(filter(None, csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)), [])
    except csv.Error:
        return []


_BATCH = 1000  # rows of a Parquet file that are read at a time

# what pyarrow raises besides its own errors for values that Python lacks, such as dates after the year 9999
_UNREADABLE = (ArithmeticError, ImportError, LookupError, NotImplementedError, TypeError, ValueError)


def _read_parquet(path: Path, max_bytes: int | None, progress: Progress) -> Source:
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
        return Source(path, arrow_rows(batches(), file.schema_arrow, in_file(path), where), where, has_columns=True)


@contextmanager
def parquet_file(path: Path) -> Iterator[Any]:
    """Open a Parquet file.

    Raises:
        ValueError: if pyarrow is missing, or the file is damaged, here or while it is read.
    """
    problem = "reading Parquet needs pyarrow"
    arrow, parquet = (library(name, problem, "parquet", in_file(path)) for name in ("pyarrow", "pyarrow.parquet"))
    try:
        with parquet.ParquetFile(path) as file:
            yield file
    except InputValueError:
        raise
    except (arrow.ArrowException, OSError, *_UNREADABLE) as error:
        problem = f"not a Parquet file, or one that is damaged or cannot be read: {error}"
        raise InputValueError(place=in_file(path), problem=problem) from None


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
    """Give the numbers of 16 and 32 bits in rows their shortest spelling, 0.1 and not 0.10000000149.

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
    """Return a value of a type of Arrow or polars, its numbers of 16 and 32 bits with their shortest spelling."""
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
    """Return the values of a column in a batch that follows a number of rows."""
    try:
        return column.to_pylist(maps_as_pydicts="strict")  # type: ignore[no-any-return]
    except _UNREADABLE:
        return [_value(item, closer(where(before + number), f"column {name!r}")) for number, item in enumerate(column)]


def _value(item: Any, place: PlacePart) -> Any:
    try:
        return item.as_py(maps_as_pydicts="strict")
    except _UNREADABLE as error:
        raise InputValueError(
            place=place, expected="a value that Python has", got=f"{item.type} ({error.args[0]})"
        ) from None


# The file formats by extension. To add one, write its reader above and enter it here: a text format, whose files this
# module opens and which may also be compressed (.gz), in the first table; a format whose library opens the files itself
# in the second. The third has logs of other tools: the keys by which one in a `.json` file is known, and the function
# that reads it, which lives above this package.
_TEXT_READERS: dict[str, Callable[[Path, io.BufferedReader, Faults, str | None, Side], Source]] = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".json": _read_json,
    ".csv": _read_csv,
    ".tsv": _read_csv,
}
_BINARY_READERS: dict[str, Callable[[Path, int | None, Progress], Source]] = {".parquet": _read_parquet}
LOG_FORMATS = {".eval": ({"version", "status", "eval"}, "docscore.integrations.log_files:table_of_file")}
TEXT_EXTENSIONS = tuple(_TEXT_READERS)


def reader_of_log(value: Any) -> str:
    """Return the name of the reader of a log; "" for a value that is none."""
    known = value.keys() if isinstance(value, dict) else ()
    return next((reader for keys, reader in LOG_FORMATS.values() if keys.issubset(known)), "")


def read_table(
    path: Path,
    faults: Faults | None = None,
    max_bytes: int | None = None,
    delimiter: str | None = None,
    progress: Progress = no_progress,
    side: Side = "predictions",
    encoding: str | None = None,
) -> Source:
    """Read the rows of a file; its extension determines the format.

    Rows stay in memory.

    * JSONL, and the content of a pipe: a JSON value on each line; blank lines are ignored.
    * JSON: a list of rows, or an object from id to document.
    * CSV: a header and rows. Cells are text, but those of `references` and `answers` hold a JSON list. The header
      determines whether commas, semicolons, tabs or bars separate the columns. TSV: the same with tabs.
    * Parquet: columns (needs pyarrow).
    * Logs of Inspect (`.eval`, and `.json` files that hold one).

    A JSONL, JSON, CSV or TSV file may be compressed by gzip, with `.gz` appended to its name.

    Args:
        path: the file.
        faults: collects faults of single rows; None to raise an error for them.
        max_bytes: the largest size of a compressed file when unpacked; by default `MAX_UNPACKED` for gzip, and none for
            Parquet.
        delimiter: the delimiter of a CSV or TSV file; None to guess it from the header or the extension.
        progress: called with the phase "Reading" and the size in bytes when the reading of a file begins; not for logs.
        side: the side on which the documents of an object stand.
        encoding: the encoding of a text format, a name that Python knows; None for UTF-8.

    Raises:
        ValueError: naming file, line and fault; `DataError` for faults of single rows.
        OSError: if the file cannot be read.
    """
    faults = faults or Faults()
    suffix = suffix_of(path)
    read_text = _TEXT_READERS.get(suffix, read_jsonl if path.is_fifo() else None)  # `<(...)` has no extension
    if read_text is not None:
        with _opened(path, max_bytes, progress, encoding) as file, gc_pause():
            table = read_text(path, file, faults, delimiter, side)
        faults.stop_if_any()
        return table
    if suffix not in (*_BINARY_READERS, *LOG_FORMATS):
        texts, others = ", ".join(_TEXT_READERS), ", ".join([*_BINARY_READERS, *LOG_FORMATS])
        raise InputValueError(
            place=in_file(path),
            expected=f"a file name that ends in {texts} (each also with .gz), {others}",
            got=path.suffix or "none",
        )
    path.open("rb").close()  # a file that cannot be opened gives the same error in all formats
    with gc_pause():
        if suffix in _BINARY_READERS:
            return _BINARY_READERS[suffix](path, max_bytes, progress)
        return resolve_name(LOG_FORMATS[suffix][1])(path)  # type: ignore[no-any-return]


def read_value(path: Path) -> Any:
    """Read the single JSON value of a file.

    Raises:
        ValueError: naming file, line and column of the fault.
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
    """Return the name of a file without its format extensions.

    >>> name_without_extension(Path("runs/donut.v2.jsonl.gz"))
    'donut.v2'
    """
    name = path.stem if path.suffix.lower() == ".gz" else path.name
    suffix = suffix_of(path)
    is_known = suffix in (*_TEXT_READERS, *_BINARY_READERS, *LOG_FORMATS, *_OF_FOLDERS)
    return name[: -len(suffix)] or path.name if is_known else path.name


_OF_FILES = re.compile(r"(predictions?|preds?|outputs?|results?|responses?|answers?)[-_. ]+(?=\w)", re.IGNORECASE)


def names_of_files(paths: Sequence[Path]) -> list[str]:
    """Return the names of files without format extensions, and without "predictions_" or the like before all of them.

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


class ColumnNames(NamedTuple):
    """The columns or keys of rows whose names differ from those of the row formats; None where they do not.

    Each may be a path into the rows, as `docscore.data.rows.cells_of` follows it.

    Attributes:
        id: the column of the ids, instead of "question_id".
        prediction: the column of the predictions, instead of "prediction".
        references: the column of the ground truths, instead of "references". A list in it holds acceptable answers;
            anything else is the one acceptable answer.
        json_references: whether ground truths are JSON text. In a column of another name, such a text is one answer,
            even if it is the JSON of a list. In "references", a text is one answer unless it is the JSON of a list.
        references_id: the column of the ids in the references, if the predictions have another one.
        predictions_id: the column of the ids in the predictions, if the references have another one.
        cost: the column with the cost of each prediction, instead of "cost".
        seconds: the column with the seconds each prediction took, instead of "seconds".
        tokens: the column with the number of tokens of each prediction, instead of "tokens".
        by_value: whether numbers are compared by value, so that whole floats are whole numbers.
        fields_in_columns: if each column of a table is a field of the documents, the columns that are none, such as
            those of slices; None if documents are in one column.
    """

    id: str | None = None
    prediction: str | None = None
    references: str | None = None
    json_references: bool = False
    references_id: str | None = None
    predictions_id: str | None = None
    cost: str | None = None
    seconds: str | None = None
    tokens: str | None = None
    by_value: bool = False
    fields_in_columns: tuple[str, ...] | None = None

    def of_side(self, side: Side, *, both: bool) -> dict[str, tuple[str, str]]:
        """Return the option and the given name of each renamed column of a side, by its name in the row format.

        Args:
            side: predictions or references.
            both: whether the rows of the side hold predictions and references.

        Raises:
            ValueError: for a column of ids of the references where rows hold both sides.
        """
        if both and self.references_id is not None:
            raise InputValueError(
                place="references_id_column",
                expected="a side of references, whose ids it names",
                got="rows that hold both sides",
            )
        own = self.references_id if side == "references" else self.predictions_id
        options = {ID: ("id_column", self.id) if own is None else (f"{side}_id_column", own)}
        if both or side == "predictions":
            options[PREDICTION] = "prediction_column", self.prediction
            options |= {name: (f"{name}_column", getattr(self, name)) for name in COSTS}
        if both or side == "references":
            options[REFERENCES] = "references_column", self.references
        return {name: (option, given) for name, (option, given) in options.items() if given is not None}

    def check_both(self, place: PlacePart) -> None:
        """Raise `ValueError` if the predictions and the ground truths of one table are the same columns."""
        column = self.prediction or PREDICTION
        if column == (self.references or REFERENCES) or self.fields_in_columns is not None:
            raise InputValueError(place=place, problem="the same columns are given for both sides")


SAME_NAMES = ColumnNames()


def table_of_source(
    source: Any,
    side: Side,
    names: ColumnNames,
    faults: Faults | None = None,
    *,
    both: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    repair: bool = False,
    progress: Progress = no_progress,
) -> Source:
    """Read the rows of a side from any source.

    Args:
        source: the path of a file, or of a folder with one file per document, `ID.json` or `ID.txt`; rows as `pairs_of`
            takes them; a dict of values by id; a pandas or polars data frame, an Arrow table, or a `datasets.Dataset`;
            a `Table`.
        side: predictions or references; the place in messages if there is no file.
        names: the columns that have other names.
        faults: collects faults of single rows of files; None to raise an error for them.
        both: whether the rows hold predictions and references. Rows of a data frame without ids are then numbered.
        delimiter: as for `read_table`.
        encoding: as for `read_table`.
        repair: whether files of a folder that are not JSON are text, which will be repaired.
        progress: as for `read_table`.

    Raises:
        TypeError: for anything else.
        ValueError: as for `read_table`, and for a column that does not exist.
        OSError: if a file cannot be read.
    """
    renamed = {} if names == SAME_NAMES else names.of_side(side, both=both)
    if isinstance(source, Mapping):
        return table_in_memory(_rows_by_id(source, side, side), side)
    if isinstance(source, Source):
        table = source
    elif isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_dir():
            in_columns = str(getattr(BY_ID, side)) in renamed
            table = _read_folder(path, side, faults or Faults(), encoding, in_columns=in_columns, repair=repair)
        else:
            table = read_table(path, faults, None, delimiter, progress, side, encoding)
    else:
        rows = _rows_of_frame(source, side, renamed[ID][1] if ID in renamed else ID)
        if rows is None and names == SAME_NAMES:
            return table_in_memory(source, side)
        if rows and both and ID not in rows[0] and ID not in renamed:
            rows = [{ID: str(number), **row} for number, row in enumerate(rows)]
        is_plain = rows is None or type(getattr(source, "index", None)).__name__ in ("NoneType", "RangeIndex")
        table = table_in_memory(source if rows is None else rows, side)._replace(
            has_columns=rows is not None, remedy="" if is_plain else _INDEX_REMEDY
        )
    return with_names(table, side, names, both=both)


def _rows_by_id(values: Mapping[Any, Any], side: Side, place: PlacePart) -> list[dict[str, Any]]:
    """Return the rows of a dict from id to value; a tuple in the ground truths holds acceptable answers.

    Warns of ground truths that look like the fields of one document; in a file they are an error.

    Raises:
        TypeError: for the splits of a dataset.
        ValueError: for a single row.
    """
    splits = [str(name) for name, value in values.items() if hasattr(value, "column_names")]
    if splits:
        raise InputTypeError(place=side, expected="one split of a dataset", got=f"several ({', '.join(splits)})")
    if ID in values:
        raise InputValueError(place=place, expected="a list of rows, or values by their ids", got="a single row")
    if side == "predictions":
        return [{ID: name, PREDICTION: value} for name, value in values.items()]
    if values and all(isinstance(value, dict) and value.keys() == {REFERENCES} for value in values.values()):
        problem = f"each value is an object with the key {REFERENCES!r} alone, which is taken for a field"
        warn(f"{place}: {problem}; give {{id: ground truth}}, or rows with {ID!r} and {REFERENCES!r}")
    if all(map(_is_word, values)) and not all(isinstance(value, dict) for value in values.values()):
        problem = f"{some_of(list(values))} look like the fields of one document, not like the ids of several"
        remedy = 'to give one document, write {"its id": {...}}'
        if place != side:
            raise InputValueError(place=place, problem=problem, remedy=remedy)
        warn(f"{place}: {problem}; {remedy}")
    return [{ID: name, REFERENCES: value if isinstance(value, tuple) else (value,)} for name, value in values.items()]


def _is_word(name: Any) -> bool:
    """Return whether a key consists of two letters or more, as names of fields do, and ids seldom."""
    return isinstance(name, str) and len(name) > 1 and name.replace("_", "").replace(" ", "").isalpha()


def _rows_of_frame(source: Any, side: Side, id_column: str) -> list[dict[str, Any]] | None:
    """Return the rows of a data frame, an Arrow table or a dataset as dicts; None for anything else.

    Their methods identify the tables of these libraries, so that none of the libraries is imported.
    """
    if hasattr(source, "iloc") and hasattr(source, "columns"):  # pandas
        _check_columns(list(source.columns), side)
        if id_column in source.index.names:
            source = source.reset_index(level=id_column)
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


_INDEX_REMEDY = "if the ids are in the index of the data frame, make it a column with reset_index()"


def _cells_of(column: Any) -> list[Any]:
    """Return the cells of a column of a pandas data frame; NaN stands for a missing value."""
    is_float = column.dtype.kind == "f"  # `astype` would widen 32 bits
    cells: Any = convert_prediction(column.to_numpy()) if is_float else column.astype(object)
    return [None if missing else cell for cell, missing in zip(cells, column.isna(), strict=True)]


def with_names(table: Source, side: Side, names: ColumnNames, *, both: bool) -> Source:
    """Copy the columns of a table to the names of the row format.

    Args:
        table: the rows.
        side: predictions or references.
        names: the columns that have other names.
        both: whether the rows hold predictions and references.

    Raises:
        ValueError: for a column that does not exist, and one that is given for both sides.
    """
    if both and names.fields_in_columns is None:
        names.check_both(in_file(table.path))
    renamed = names.of_side(side, both=both)
    if table.first() is None or not (renamed or table.has_columns or names.json_references):
        return table
    rows = [dict(row) if isinstance(row, dict) else row for row in table.rows]
    for name, (option, given) in renamed.items():
        if name in COSTS and ID not in renamed and not (isinstance(rows[0], dict) and ID in rows[0]):
            raise InputValueError(
                place=in_file(table.path),
                expected=f"rows with {ID!r} beside the column of {option}",
                got=described(table.first()),
            )
        key = ColumnAlias(name)
        key.given = given
        for row, cell in zip(rows, _column(table, names, option, given), strict=True):
            if isinstance(row, dict):  # overwrites a column that has the name of the format but was not asked for
                row[key] = NoCell if cell is Absent and name != PREDICTION else cell
    if table.has_columns:
        values = (PREDICTION, REFERENCES) if both else (str(getattr(BY_ID, side)),)
        columns = [renamed[name][1] if name in renamed else name for name in values]
        if names.fields_in_columns is not None and values[0] not in {*table.first(), *renamed}:
            no_fields = {ID, *names.fields_in_columns, *(given for _, given in renamed.values())}
            columns = [name for name in table.first() if name not in no_fields]
            _put_together(columns, table, rows, side)
        _warn_of_gaps(table, columns, by_value=names.by_value)
    if both or side == "references":
        _read_answers(rows, names, table, renamed)
    return table._replace(rows=rows)


def _read_answers(rows: Sequence[Any], names: ColumnNames, table: Source, renamed: Mapping[str, Any]) -> None:
    """Make the ground truths of rows lists of acceptable answers."""
    for row in rows:
        if isinstance(row, dict) and row.get(REFERENCES, NoCell) is not NoCell:
            value, is_json = row[REFERENCES], names.json_references
            if REFERENCES in renamed:
                row[REFERENCES] = _answers(value, in_cell=table.has_columns and not is_json)
            elif (is_json and isinstance(value, str)) or (table.has_columns and (is_json or _is_list_text(value))):
                row[REFERENCES] = _answers(value, in_cell=True)


def _put_together(columns: Sequence[str], table: Source, rows: Sequence[Any], side: Side) -> None:
    """Add the document of each row, whose fields are in columns."""
    key = ColumnAlias(getattr(BY_ID, side))
    for row, cells in zip(rows, table.rows, strict=True):
        if isinstance(row, dict):
            document = _document({name: cells[name] for name in columns}, in_file(table.path))
            row[key] = document if side == "predictions" else [document]


def _document(cells: Mapping[str, Any], place: PlacePart) -> Any:
    """Return the document of a row whose columns are its fields, with dotted paths as names.

    An empty cell is null. Numbers as steps make a list, without the elements whose cells are all empty.

    Raises:
        ValueError: if there are no columns, or the path of a column leads through another.
    """
    parts: dict[str, dict[str, Any]] = {}
    for name, cell in cells.items():
        step, _, rest = name.partition(".")
        parts.setdefault(step, {})[rest] = None if isinstance(cell, str) and not cell else cell
    if not parts or any("" in part and len(part) > 1 for part in parts.values()):
        raise InputValueError(
            place=place,
            expected="columns of fields, none of them a part of another",
            got=some_of(list(cells)) or "none",
        )
    values = {step: part[""] if "" in part else _document(part, place) for step, part in parts.items()}
    if not all(map(str.isdecimal, parts)):
        return values
    return [values[step] for step in sorted(parts, key=int) if any(cell is not None for cell in parts[step].values())]


def _warn_of_gaps(table: Source, columns: Iterable[str], *, by_value: bool) -> None:
    """Warn of columns in which a table stands between a value and what is compared.

    Tables of structs give a row all keys. Where some cells are empty, pandas makes floats of whole numbers; it can also
    write "NaN" in place of an empty cell.
    """
    for column in columns:
        cells, place = cells_of(table.rows, column), closer(in_file(table.path), f"column {column!r}")
        warn_of_filled_keys(cells, place)
        texts = [cell for cell in cells if isinstance(cell, str) and cell in _NAN]
        if 0 < len(texts) < len(cells) and not any(cell is None or (type(cell) is str and not cell) for cell in cells):
            warn(
                f"{place}: {len(texts):,} of {len(cells):,} cells are the text {texts[0]!r}, and none is empty; if "
                "they are missing values, leave them empty"
            )
        numbers = [cell for cell in cells if cell is not None]
        is_gap = not by_value and 0 < len(numbers) < len(cells)
        if is_gap and all(isinstance(cell, float) and cell.is_integer() for cell in numbers):
            warn(
                f"{place}: some cells are empty, and all others are whole "
                f"floats such as {numbers[0]!r}, which pandas makes of whole numbers then and which print otherwise; "
                'make it a column of whole numbers such as Int64, or add --numbers value (numbers="value")'
            )


_NAN = ("NaN", "nan")


def _column(table: Source, names: ColumnNames, option: str, given: str) -> list[Any]:
    """Return the cells of a column; raise `ValueError` with the option if no row has any."""
    cells = cells_of(table.rows, given)
    if all(cell is NoCell or cell is Absent for cell in cells):
        own = [f"{side}_id" for side in ("references", "predictions") if getattr(names, f"{side}_id") is None]
        flags, keywords = (
            " or ".join(pattern.format(name) for name in own) for pattern in ("--{}_column", "{}_column=")
        )
        remedy = f"to name the ids of one side only, use {flags.replace('_', '-')} (in Python {keywords})"
        raise InputValueError(
            place=in_file(table.path),
            expected=f"a column {given!r} ({option})",
            got=known_columns(table.first(), given),
            remedy="; ".join(filter(None, [table.remedy, remedy if option == "id_column" else ""])),
        )
    return cells


def _answers(value: Any, *, in_cell: bool) -> Any:
    """Return a list of acceptable answers; in a cell of a table the list may be JSON text."""
    if in_cell and _is_list_text(value):
        with suppress(JsonError):
            value = loads(value, unique_keys=True)
    return value if isinstance(value, list | tuple) or hasattr(value, "tolist") else [value]


def _is_list_text(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("[")


def _read_folder(
    path: Path, side: Side, faults: Faults, encoding: str | None, *, in_columns: bool, repair: bool
) -> Source:
    """Read a folder with one file per document, `ID.json`, or `ID.txt` where there is no `.json` file.

    Args:
        path: the folder.
        side: predictions or references.
        faults: collects the faults of files.
        encoding: the encoding of the files; None for UTF-8.
        in_columns: whether a column of the documents holds the value of the side; otherwise the document is the value.
        repair: whether a document that is not JSON is text.
    """
    found = sorted(file for file in path.iterdir() if not file.name.startswith("."))
    files = next(filter(None, ([file for file in found if suffix_of(file) == kind] for kind in _OF_FOLDERS)), [])
    if not files:
        problem = f"no .json or .txt files in {path}/"
        raise InputValueError(problem=problem, remedy="name each document ID.json or ID.txt")
    rows: list[Any] = []
    for file in files:
        try:
            value = _document_of_file(file, encoding, repair=repair)
        except InputValueError as error:
            faults.add("not JSON", error.diagnostic)
            rows.append(Faulty)
            continue
        cell = {REFERENCES: [value]} if side == "references" else {PREDICTION: value}
        rows.append({**(value if in_columns and isinstance(value, dict) else cell), ID: name_without_extension(file)})
    faults.stop_if_any()
    return Source(path, rows, lambda index: in_file(files[index]))


_OF_FOLDERS = (".json", ".txt")  # the second only where there is none of the first


def _document_of_file(file: Path, encoding: str | None, *, repair: bool) -> Any:
    text: Any = text_of_file(file, encoding)
    if suffix_of(file) == ".txt":
        return text.rstrip("\r\n")
    with suppress(*([InputValueError] if repair else [])):
        text = loads_at(text, in_file(file))
    return text


_ENCODING_REMEDY = "add --encoding (encoding=), such as cp1252 of Windows, or utf-16"
UTF8_MARK = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_HEAD = 64  # bytes among which a zero byte shows that a file is not text
_CHUNK = 1 << 20  # bytes read at a time


def _opened(
    path: Path, max_bytes: int | None, progress: Progress = no_progress, encoding: str | None = None
) -> io.BufferedReader:
    """Open a text file for reading as UTF-8 after its byte order mark; unpack it if its name ends in `.gz`.

    Raises:
        ValueError: if it does not have the encoding that is given; if none is given and it is UTF-16 or a PDF file, or
            begins with binary data; here or while it is read, if it is too large when unpacked, or is not a complete
            gzip file.
        OSError: if it cannot be read.
    """
    content: Any = _Watched(path, progress(READING, path.stat().st_size))
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
    """Refuse a file that does not begin as UTF-8 text does, and skip its byte order mark."""
    head = file.peek(_HEAD)
    is_binary = b"\0" in head[:_HEAD]
    got = "UTF-16" if head.startswith(_UTF16) else "a PDF file" if head.startswith(b"%PDF") else "binary data"
    if got != "binary data" or is_binary:
        raise InputValueError(
            place=in_file(path), expected="UTF-8 text", got=got, remedy=_ENCODING_REMEDY if got == "UTF-16" else ""
        )
    file.read(len(UTF8_MARK) if head.startswith(UTF8_MARK) else 0)


class _Watched(io.FileIO):
    """A file that reports how much of it was read."""

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
                expected="what gzip writes",
                got=f"something else or a part of it ({error})",
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


def _decoded(path: Path, content: bytes, encoding: str = "utf-8") -> str:
    """Return the text of a file; raise `ValueError` with the first line that does not have the encoding."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        fault = not_utf8(in_line(path, error.object.count(b"\n", 0, error.start) + 1), error, _ENCODING_REMEDY)
        other = replace(fault, expected=f"{encoding} text", remedy="")
        raise InputValueError(fault if encoding == "utf-8" else other) from None
    except (LookupError, UnicodeError):
        expected = "an encoding that Python knows, such as cp1252 or utf-16"
        raise InputValueError(place="encoding", expected=expected, got=repr(encoding)) from None
