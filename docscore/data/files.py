"""Rows from files (JSONL, JSON, CSV, Parquet, registered logs), each row with its place, each fault with its line."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

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
)
from docscore.core.limits import MAX_UNPACKED, check_room
from docscore.core.runtime import READING, Advance, Progress, gc_pause, level_of_caller, library, no_progress
from docscore.data import LOG_FORMATS
from docscore.data.json_text import JsonError, loads, loads_at
from docscore.data.rows import (
    ANLS,
    BY_ID,
    COSTS,
    ID,
    PREDICTION,
    REFERENCES,
    Absent,
    NoCell,
    Side,
    Table,
    cells_of,
    described,
    known_columns,
    table_in_memory,
)

TEXT_EXTENSIONS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")  # each may also be compressed, with .gz appended
EXTENSIONS = (*TEXT_EXTENSIONS, ".parquet")

_PORTION = 1 << 18  # bytes of lines that are read at a time

_SIZE_OF_VALUES = 6  # times the JSON of documents: what their values take in memory, measured

_LARGEST_VALUE = 100_000_000  # bytes of a file that is read again, to see whether it is one value over many lines


def read_table(
    path: Path,
    faults: Faults | None = None,
    max_bytes: int | None = None,
    delimiter: str | None = None,
    progress: Progress = no_progress,
) -> Table:
    """Read the rows of a file; its extension determines the format.

    Rows stay in memory. A file whose rows do not fit is an error before the machine swaps (`docscore.core.limits`).

    JSONL, and what comes through a pipe: one JSON value a line, blank lines passed over. JSON: a list of rows. CSV: a
    header and rows; cells are text, but `references` and `answers` hold a JSON list; commas, semicolons, tabs or bars
    between columns are told by the header. TSV: the same with tabs. Parquet: columns (needs pyarrow). Each but the last
    may be compressed by gzip and end in `.gz` too. Logs: as
    `docscore.data.LOG_FORMATS` says.

    Args:
        path: the file.
        faults: collects faults of single rows; without it they raise an error.
        max_bytes: the largest size of a compressed file when unpacked; by default `MAX_UNPACKED` for gzip, and none for
            Parquet.
        delimiter: the sign between the columns of a CSV or TSV file; None to tell it by the header, or the extension.
        progress: called when the phase "Reading" of a file begins, with its bytes; not for logs.

    Raises:
        ValueError: naming file, line and fault; `DataError` for faults of single rows.
        OSError: if the file cannot be read.
    """
    faults = faults or Faults()
    suffix = suffix_of(path)
    if suffix == ".parquet" or suffix in LOG_FORMATS:
        path.open("rb").close()  # whatever the format, what cannot be opened is said in the same words
        with gc_pause():
            if suffix == ".parquet":
                return _read_parquet(path, max_bytes, progress)
            table: Table = LOG_FORMATS[suffix][1](path)
            return table
    of_csv, of_tsv = (partial(_read_csv, delimiter=sign) for sign in (delimiter, delimiter or "\t"))
    readers: dict[str, Callable[[Path, io.BufferedReader, Faults], Table]] = {
        ".jsonl": read_jsonl,
        ".ndjson": read_jsonl,
        ".json": _read_json,
        ".csv": of_csv,
        ".tsv": of_tsv,
    }
    reader = readers.get(suffix)
    if reader is None and path.is_fifo():
        reader = read_jsonl  # `<(...)` of a shell, whose name says nothing
    if reader is None:
        known = ", ".join([*EXTENSIONS, *LOG_FORMATS])
        raise InputValueError(
            place=in_file(path),
            expected=f"a file name that ends in {known} (or one of the first five and .gz)",
            got=path.suffix or "none",
        )
    with _opened(path, max_bytes, progress) as file, gc_pause():
        table = reader(path, file, faults)
    faults.stop_if_any()
    return table


def delimiter_of_file(path: Path, max_bytes: int | None = None) -> str:
    """Which sign `read_table` takes for that between the columns of a CSV or TSV file, where none is given.

    Raises:
        ValueError: for a header that is not UTF-8, and a file that cannot be unpacked.
        OSError: if the file cannot be read.
    """
    if suffix_of(path) == ".tsv":
        return "\t"
    with _opened(path, max_bytes) as file:
        return delimiter_of("".join(islice(_lines(path, file), _HEADER_LINES)), [ID])


def read_value(path: Path) -> Any:
    """Read the single JSON value of a file.

    Raises:
        ValueError: naming file, line and column of the fault.
    """
    with _opened(path, None) as file:
        return loads_at(_decoded(path, file.read()), in_file(path))


def name_without_extension(path: Path) -> str:
    """The name of a file without its format extensions.

    >>> name_without_extension(Path("runs/donut.v2.jsonl.gz"))
    'donut.v2'
    """
    name = path.stem if path.suffix.lower() == ".gz" else path.name
    known = suffix_of(path)
    return name[: -len(known)] or path.name if known in (*EXTENSIONS, *LOG_FORMATS) else path.name


def suffix_of(path: Path) -> str:
    """The extension that determines the format, in lower case and without `.gz`."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix == ".gz" and Path(path.stem).suffix != ".parquet" else suffix


def read_jsonl(path: Path, file: IO[bytes], faults: Faults) -> Table:
    """The rows of a JSONL file, of which a fault names the line.

    Args:
        path: the file, for messages.
        file: its content, unpacked.
        faults: collects the faults of lines.

    Raises:
        ValueError: for a file that is a list of rows, or one value over many lines.
    """
    rows: list[Any] = []
    lines: list[int] = []
    number = size = 0
    while portion := file.readlines(_PORTION):
        for number, line in enumerate(portion, number + 1):  # noqa: B020  goes on counting
            if line.strip():
                lines.append(number)
                rows.append(_row_of_line(line, path, number, faults))
        size += sum(map(len, portion))
        check_room(path, size)
    _suspect_other_format(path, rows[0] if rows else None, len(lines))
    return Table(path, rows, lambda index: in_line(path, lines[index]))


def _row_of_line(line: bytes, path: Path, number: int, faults: Faults) -> Any:
    try:
        return loads(line.removesuffix(b"\n").decode(), unique_keys=True)
    except UnicodeDecodeError as error:
        faults.add("not UTF-8", not_utf8(in_line(path, number), error))
    except JsonError as error:
        faults.add("not JSON", error.in_place(in_line(path, number), one_line=True))
    return Faulty


def _suspect_other_format(path: Path, first: Any, count: int) -> None:
    """Raise `ValueError` if the file is a JSON list of rows or one JSON value over many lines instead of JSONL."""
    got = ""
    if count > 1 and first is Faulty and _is_json(path):
        got = f"one value over {count:,} lines"
    if count == 1 and isinstance(first, list) and any(isinstance(row, dict) and ID in row for row in first):
        got = f"a list of {len(first):,} rows"
    if got:
        expected = "a JSON value on each line"
        raise InputValueError(
            place=in_file(path),
            expected=expected,
            got=got,
            problem=f"expected {expected}, got {got}; name it .json",
        )


def _is_json(path: Path) -> bool:
    """Whether a file that was read is one JSON value; not known of a large one, or one that cannot be read again."""
    if path.is_fifo():
        return False
    try:
        with _opened(path, None) as again:
            content = again.read(_LARGEST_VALUE + 1)
        loads(_decoded(path, content))
    except (ValueError, OSError):
        return False
    return len(content) <= _LARGEST_VALUE


def _read_json(path: Path, file: io.BufferedReader, _faults: Faults) -> Table:
    content = file.read()
    check_room(path, _SIZE_OF_VALUES * len(content))
    source = _decoded(path, content)
    if not source.strip():
        raise InputValueError(place=in_file(path), expected="a JSON list of rows", got="an empty file")
    rows = loads_at(source, in_file(path))
    for is_log, read in LOG_FORMATS.values():
        if is_log(rows):
            logged: Table = read(path)
            return logged
    if not isinstance(rows, list):
        raise InputValueError(place=in_file(path), expected="a JSON list of rows", got=type(rows).__name__)
    return Table(path, rows, lambda index: in_file(path, f"row {index + 1}"))


_JSON_COLUMNS = (REFERENCES, str(ANLS.references))  # these hold a JSON list; other cells are text
_LONGEST_SHOWN = 80  # characters of a cell in a message
_HEADER_LINES = 100  # in which the header is looked for


def _read_csv(path: Path, file: io.BufferedReader, faults: Faults, delimiter: str | None) -> Table:
    """The rows of a CSV file; raises `ValueError` for what is no CSV as a whole, naming file and line."""
    csv.field_size_limit(1 << 30)  # a reference of a long document is one cell
    waiting = _lines(path, file)
    head = list(islice(waiting, _HEADER_LINES))
    source = chain(head, waiting)
    reader = csv.reader(source, strict=True, delimiter=delimiter or delimiter_of("".join(head), [ID]))
    header: list[str] = []
    rows: list[Any] = []
    lines: list[int] = []
    size = checked = 0
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            if not header or next(source, None) is not None:
                raise InputValueError(place=in_line(path, line), problem=str(error)) from None
            problem = f"the last row, which begins here, cannot be read: {error}"
            faults.add("cut off", Diagnostic((in_line(path, line),), problem=problem))
            lines.append(line)
            rows.append(Faulty)
            break
        if cells and not header:
            _check_columns(cells, in_line(path, line))
            header = cells
        elif cells:
            lines.append(line)
            rows.append(_csv_row(header, cells, path, line, faults))
            size += sum(map(len, cells))
        if size > checked + _PORTION:
            check_room(path, size)
            checked = size
    return Table(path, rows, lambda index: in_line(path, lines[index]), has_columns=True)


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


def _check_columns(names: Sequence[str], place: PlacePart) -> None:
    """Raise `ValueError` for a column that occurs twice, since one of the two would be lost."""
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise InputValueError(place=place, problem=f"column {name!r} occurs twice")


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


_BATCH = 1000  # rows of a Parquet file that are read at a time

_FILLED = (
    "its rows are structs, in which a key that a row lacks is null, and a null in a ground truth is an answer that "
    'counts; write the values as JSON text, which --parse json and --parse-references json (parse="json", '
    'parse_references="json") read'
)

# what pyarrow raises besides its own errors for values that Python does not have, such as dates after the year 9999
_UNREADABLE = (ArithmeticError, ImportError, LookupError, NotImplementedError, TypeError, ValueError)


def _read_parquet(path: Path, max_bytes: int | None, progress: Progress) -> Table:
    def batches() -> Iterator[Any]:
        size = before = 0
        for batch in file.iter_batches(batch_size=_BATCH):
            size += batch.nbytes
            _check_unpacked(path, size, max_bytes)
            check_room(path, size)
            yield batch
            was_read(whole * (before + len(batch)) // total - whole * before // total)
            before += len(batch)

    def where(index: int) -> PlacePart:
        return in_file(path, f"row {index + 1}")

    whole = path.stat().st_size
    was_read = progress(READING, whole)
    with parquet_file(path) as file:
        total = file.metadata.num_rows
        return Table(path, arrow_rows(batches(), file.schema_arrow, in_file(path), where), where, has_columns=True)


@contextmanager
def parquet_file(path: Path) -> Iterator[Any]:
    """A Parquet file that is open.

    Raises:
        ValueError: without pyarrow, and for a file that is damaged, here or while it is read.
    """
    problem = "reading Parquet needs pyarrow"
    arrow, parquet = (library(name, problem, "parquet", in_file(path)) for name in ("pyarrow", "pyarrow.parquet"))
    try:
        with parquet.ParquetFile(path) as file:
            yield file
    except InputValueError:
        raise
    except (arrow.ArrowException, OSError, *_UNREADABLE) as error:
        raise InputValueError(
            place=in_file(path),
            problem=f"not a Parquet file, or one that is damaged or cannot be read: {error}",
        ) from None


def arrow_rows(
    batches: Iterable[Any], schema: Any, place: PlacePart, where: Callable[[int], PlacePart]
) -> list[dict[str, Any]]:
    """The rows of an Arrow table as plain Python values, maps as objects.

    Warns where a column of structs gave rows keys that they do not have, which are null then.

    Args:
        batches: the parts of the table.
        schema: its schema.
        place: its place in messages.
        where: the place of the row with an index.

    Raises:
        ValueError: for a column that occurs twice, and a value that cannot be read, naming the row and the column.
    """
    _check_columns(schema.names, place)
    rows: list[dict[str, Any]] = []
    filled: dict[str, None] = {}
    for batch in batches:
        columns = [_values(batch.column(name), name, where, len(rows)) for name in schema.names]
        filled |= {name: None for name in schema.names if _has_filled_keys(batch.column(name))}
        rows += [dict(zip(schema.names, values, strict=True)) for values in zip(*columns, strict=True)]
    for name in filled:
        sentence = f"{closer(place, f'column {name!r}')}: {_FILLED}"
        warnings.warn(sentence, UserWarning, stacklevel=level_of_caller())
    return rows


def _values(column: Any, name: str, where: Callable[[int], PlacePart], before: int) -> list[Any]:
    """The values of a column of a batch, which has so many rows before it."""
    try:
        return column.to_pylist(maps_as_pydicts="strict")  # type: ignore[no-any-return]
    except _UNREADABLE:
        return [_value(item, closer(where(before + number), f"column {name!r}")) for number, item in enumerate(column)]


def _value(item: Any, place: PlacePart) -> Any:
    try:
        return item.as_py(maps_as_pydicts="strict")
    except _UNREADABLE as error:
        raise InputValueError(
            place=place,
            expected="a value that Python has",
            got=f"{item.type} ({error.args[0]})",
        ) from None


def _has_filled_keys(column: Any) -> bool:
    """Whether a key of a struct is null in some of its rows and not in others."""
    kind = column.type
    if not kind.num_fields or str(kind).startswith("map<"):
        return False
    if str(kind).startswith("struct<"):
        parts = column.flatten()
        return any(0 < part.null_count - column.null_count < len(part) - column.null_count for part in parts) or any(
            map(_has_filled_keys, parts)
        )
    return hasattr(column, "flatten") and _has_filled_keys(column.flatten())


class ColumnNames(NamedTuple):
    """The columns or keys of rows that do not have the names of the row formats; None where they do.

    Each may be a path into the rows, as `docscore.data.rows.cells_of` follows it.

    Attributes:
        id: the column of the ids, instead of "question_id".
        prediction: the column of the predictions, instead of "prediction".
        references: the column of the ground truths, instead of "references". A list in it holds acceptable answers;
            anything else is the one acceptable answer.
        json_references: whether ground truths are JSON text: text in a column of another name is then one answer, even
            if it is that of a list; and in "references", what is no list is one answer.
        references_id: the column of the ids of the references, where the predictions have another one.
        predictions_id: the same for the predictions.
        cost: the column of what a prediction cost, instead of "cost".
        seconds: the column of how long it took, instead of "seconds".
        tokens: the column of its tokens, instead of "tokens".
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

    def of_side(self, side: Side, *, both: bool) -> dict[str, tuple[str, str]]:
        """The option and the given name of each column that a side has, by its name in the row format.

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
        wanted = {ID: ("id_column", self.id) if own is None else (f"{side}_id_column", own)}
        if both or side == "predictions":
            wanted[PREDICTION] = "prediction_column", self.prediction
            wanted |= {name: (f"{name}_column", getattr(self, name)) for name in COSTS}
        if both or side == "references":
            wanted[REFERENCES] = "references_column", self.references
        return {name: (option, given) for name, (option, given) in wanted.items() if given is not None}


SAME_NAMES = ColumnNames()


def table_of_source(
    source: Any,
    side: Side,
    names: ColumnNames,
    faults: Faults | None = None,
    *,
    both: bool = False,
    delimiter: str | None = None,
    progress: Progress = no_progress,
) -> Table:
    """The rows of a side, whatever holds them.

    Args:
        source: the path of a file, or of a folder with one document a file, `ID.json`; rows as `pairs_of` takes them; a
            dict of values by id; a pandas or polars data frame, an Arrow table, or a `datasets.Dataset`.
        side: predictions or references; it names the place of rows in messages where there is no file.
        names: the columns that have other names.
        faults: collects faults of single rows of files; without it they raise an error.
        both: whether the rows hold predictions and references. Rows of a data frame without ids are then numbered.
        delimiter: as for `read_table`.
        progress: as for `read_table`.

    Raises:
        TypeError: for anything else.
        ValueError: as `read_table`, and for a column that does not exist.
        OSError: if a file cannot be read.
    """
    wanted = {} if names == SAME_NAMES else names.of_side(side, both=both)
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_dir():
            table = _read_folder(path, side, faults or Faults(), in_columns=str(getattr(BY_ID, side)) in wanted)
        else:
            table = read_table(path, faults, None, delimiter, progress)
    elif isinstance(source, Mapping):
        return table_in_memory(_rows_by_id(source, side), side)
    else:
        rows = _rows_of_frame(source, side, wanted[ID][1] if ID in wanted else ID)
        if rows is None and names == SAME_NAMES:
            return table_in_memory(source, side)
        if rows and both and ID not in rows[0] and ID not in wanted:
            rows = [{ID: str(number), **row} for number, row in enumerate(rows)]
        table = table_in_memory(source if rows is None else rows, side)._replace(has_columns=rows is not None)
    return with_names(table, side, names, both=both)


def _rows_by_id(values: Mapping[Any, Any], side: Side) -> list[dict[str, Any]]:
    """The rows of a dict id -> value; a tuple in the ground truths holds acceptable answers."""
    splits = [name for name, value in values.items() if hasattr(value, "column_names")]
    if splits:
        raise InputTypeError(
            place=side,
            expected="one split of a dataset",
            got=f"several ({', '.join(map(str, splits))})",
        )
    if side == "predictions":
        return [{ID: name, "prediction": value} for name, value in values.items()]
    return [{ID: name, "references": value if isinstance(value, tuple) else (value,)} for name, value in values.items()]


def _rows_of_frame(source: Any, side: Side, id_column: str) -> list[dict[str, Any]] | None:
    """The rows of a data frame, an Arrow table or a dataset as dicts; None for anything else.

    The libraries are not imported: what is one of their tables is told by its methods.
    """
    found: list[dict[str, Any]]
    if hasattr(source, "iloc") and hasattr(source, "columns"):  # pandas
        if id_column in source.index.names:
            source = source.reset_index(level=id_column)
        # pandas has NaN for what is missing
        found = source.astype(object).where(source.notna(), None).to_dict("records")
    elif hasattr(source, "to_dicts"):  # polars
        found = source.to_dicts()
    elif hasattr(source, "to_batches"):  # Arrow
        found = arrow_rows(source.to_batches(), source.schema, side, lambda index: f"{side}[{index}]")
    elif hasattr(source, "column_names"):  # datasets
        found = [dict(row) for row in source]
    else:
        return None
    return found


def with_names(table: Table, side: Side, names: ColumnNames, *, both: bool) -> Table:
    """Put the columns of a table under the names of the row format; the columns that they come from stay.

    Args:
        table: the rows.
        side: predictions or references.
        names: the columns that have other names.
        both: whether the rows hold predictions and references.

    Raises:
        ValueError: for a column that does not exist.
    """
    wanted = names.of_side(side, both=both)
    if table.first() is None or not (wanted or table.has_columns or names.json_references):
        return table
    rows = [dict(row) if isinstance(row, dict) else row for row in table.rows]
    for name, (option, given) in wanted.items():
        if name in COSTS and ID not in wanted and not (isinstance(rows[0], dict) and ID in rows[0]):
            raise InputValueError(
                place=in_file(table.path),
                expected=f"rows with {ID!r} beside the column of {option}",
                got=described(table.first()),
            )
        for row, cell in zip(rows, _column(table, option, given), strict=True):
            if isinstance(row, dict):  # a column of the name that the format has is not the one that was asked for
                row[name] = NoCell if cell is Absent and name != PREDICTION else cell
    key, is_json = REFERENCES, names.json_references
    for row in rows if both or side == "references" else ():
        if isinstance(row, dict) and key in row:
            is_text = is_json and isinstance(row[key], str)
            if key in wanted:
                row[key] = _answers(row[key], in_cell=table.has_columns and not is_json)
            elif is_text or (table.has_columns and (is_json or _is_list_text(row[key]))):
                row[key] = _answers(row[key], in_cell=True)
    return table._replace(rows=rows)


def _column(table: Table, option: str, given: str) -> list[Any]:
    """The cells of a column; raises `ValueError` naming the option where no row has any."""
    cells = cells_of(table.rows, given)
    if all(cell is NoCell or cell is Absent for cell in cells):
        remedy = "--references-id-column and --predictions-id-column (the same in Python with _) name that of one side"
        raise InputValueError(
            place=in_file(table.path),
            expected=f"a column {given!r} ({option})",
            got=known_columns(table.first(), given),
            remedy=remedy if option == "id_column" else "",
        )
    return cells


def _answers(value: Any, *, in_cell: bool) -> Any:
    """A list of acceptable answers; in a cell of a table such a list may be JSON text."""
    if in_cell and _is_list_text(value):
        with suppress(JsonError):
            value = loads(value, unique_keys=True)
    return value if isinstance(value, list | tuple) or hasattr(value, "tolist") else [value]


def _is_list_text(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("[")


def _read_folder(path: Path, side: Side, faults: Faults, *, in_columns: bool) -> Table:
    """The rows of a folder with one document a file, `ID.json`.

    Args:
        path: the folder.
        side: predictions or references.
        faults: collects the faults of files.
        in_columns: whether the value of the side is in a column of the documents; otherwise it is the document.
    """
    files = sorted(file for file in path.iterdir() if suffix_of(file) == ".json" and not file.name.startswith("."))
    if not files:
        raise InputValueError(place=in_file(path), expected="a folder with one document a file, ID.json", got="none")
    rows: list[Any] = []
    size = 0
    for file in files:
        size += file.stat().st_size
        check_room(path, _SIZE_OF_VALUES * size)
        try:
            value = read_value(file)
        except InputValueError as error:
            faults.add("not JSON", error.diagnostic)
            rows.append(Faulty)
            continue
        cell = {REFERENCES: [value]} if side == "references" else {PREDICTION: value}
        rows.append({**(value if in_columns and isinstance(value, dict) else cell), ID: name_without_extension(file)})
    faults.stop_if_any()
    return Table(path, rows, lambda index: in_file(files[index]))


_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PDF = b"%PDF"
_HEAD = 64  # bytes in which a zero says that a file is no text
_CHUNK = 1 << 20  # bytes read at a time


def _opened(path: Path, max_bytes: int | None, progress: Progress = no_progress) -> io.BufferedReader:
    """Open a file for reading, unpacked if its name ends in `.gz`, behind its byte order mark.

    Raises:
        ValueError: if it is UTF-16, a PDF file or begins with binary data, and here or while it is read, if it is too
            large when unpacked, or is not a complete gzip file.
        OSError: if it cannot be read.
    """
    content: Any = _Watched(path, progress(READING, path.stat().st_size))
    if path.suffix.lower() == ".gz":
        content = _Unpacked(path, io.BufferedReader(content, _CHUNK), max_bytes or MAX_UNPACKED)
    file = io.BufferedReader(content, _CHUNK)
    try:
        _begin_text(path, file)
    except BaseException:
        file.close()
        raise
    return file


def _begin_text(path: Path, file: io.BufferedReader) -> None:
    """Refuse a file that does not begin as UTF-8 text does, and pass over its byte order mark."""
    head = file.peek(_HEAD)
    got = "UTF-16" if head.startswith(_UTF16) else "a PDF file" if head.startswith(_PDF) else ""
    got = got or ("binary data" if b"\0" in head[:_HEAD] else "")
    if got:
        raise InputValueError(place=in_file(path), expected="UTF-8 text", got=got)
    if head.startswith(_UTF8_MARK):
        file.read(len(_UTF8_MARK))


class _Watched(io.FileIO):
    """A file that tells how much of it was read."""

    def __init__(self, path: Path, was_read: Advance) -> None:
        super().__init__(path)
        self._was_read = was_read

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer)
        self._was_read(count)
        return count


class _Unpacked(io.RawIOBase):
    """The content of a gzip file; what is wrong with it is said where it is read."""

    def __init__(self, path: Path, packed: Any, max_bytes: int) -> None:
        self._path, self._packed, self._max_bytes = path, packed, max_bytes
        self._file = gzip.GzipFile(fileobj=packed)
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            count = self._file.readinto(buffer)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputValueError(
                place=in_file(self._path),
                expected="what gzip writes",
                got=f"something else or a part of it ({error})",
            ) from None
        self._size += count
        _check_unpacked(self._path, self._size, self._max_bytes)
        return count

    def close(self) -> None:
        self._file.close()
        self._packed.close()
        super().close()


def _check_unpacked(path: Path, length: int, max_bytes: int | None) -> None:
    if max_bytes is not None and length > max_bytes:
        raise InputValueError(
            place=in_file(path),
            problem=f"more than {max_bytes:,} bytes when unpacked, the limit for compressed files",
            remedy="a file that is not compressed has none",
        )


def _decoded(path: Path, content: bytes) -> str:
    """The text of a file; raises `ValueError` naming the first line that is not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputValueError(not_utf8(in_line(path, line), error)) from None
