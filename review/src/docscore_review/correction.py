"""Write files of references with corrected ground truths, and keep everything else byte for byte."""

import csv
import gzip
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, islice, product
from os import PathLike
from pathlib import Path
from typing import Any

from docscore.core.errors import FilePlace, InputValueError, RowErrors, in_file
from docscore.core.options import ReadOptions
from docscore.core.output import check_other_file, check_output, write_whole
from docscore.core.values import Value, to_json, value_excerpt
from docscore.inputs.columns import table_of_source, with_names
from docscore.inputs.formats import (
    HEADER_LINES,
    TEXT_EXTENSIONS,
    UTF8_MARK,
    suffix_of,
    text_of_file,
    usual_delimiter,
    without_declaration,
)
from docscore.inputs.json_text import dumps, dumps_in_style, loads
from docscore.inputs.logs import is_log
from docscore.inputs.pairing import read_ground_truths
from docscore.inputs.rows import ID, REFERENCES, NoCell, RawTable, SideRows, cells_of, columns_of, side_format

_JSON_LINES = (".jsonl", ".ndjson")


def corrected_rows(
    source: Any, rows: SideRows, changed: Mapping[str, Value], output: str | Path | None, options: ReadOptions
) -> list[Any]:
    """Return the rows of the references with the corrected ground truths, and write them.

    Args:
        source: the references: a path or rows in memory.
        rows: the rows of the source, as `read_ground_truths` reads them.
        changed: the new ground truths by id.
        output: the file to write, in the format of the source or as JSONL; None for none.
        options: as for `read_ground_truths`.

    Raises:
        ValueError: if the output has another format, or if its format cannot hold a value.
        OutputError: if the file cannot be written.
    """
    path = Path(source) if isinstance(source, str | PathLike) else None
    suffix = "" if path is None or path.is_dir() else suffix_of(path)
    wanted = ".jsonl" if output is None else suffix_of(Path(output))
    encoding = options.encoding_of("references")
    as_it_is = ReadOptions(delimiter=options.delimiter, encoding=encoding)
    table = table_of_source(source, "references", as_it_is, RowErrors())
    has_records = _has_records(table, options)
    keeps = has_records and suffix in TEXT_EXTENSIONS
    keeps &= output is None or wanted == suffix or {wanted, suffix} <= {*_JSON_LINES}
    if output is not None:
        check_output(Path(output))
        if not keeps and wanted not in _JSON_LINES:
            known = dict.fromkeys([".jsonl", *([suffix] if has_records and suffix in TEXT_EXTENSIONS else [])])
            raise InputValueError(
                place=in_file(output), expected=f"a file name that ends in {' or '.join(known)}", got=wanted or "none"
            )
        check_other_file(Path(output), [] if path is None else [path], "the file of the references")
    table = table._replace(has_columns=table.has_columns and keeps)
    new = {
        index: _corrected_row(table, index, changed.get(name, rows.values[index]), options)
        for index, name in enumerate(rows.ids if has_records else ())
        if name in changed or not keeps
    }
    if not has_records:
        table = table._replace(rows=list(_rows_by_id(rows, changed, options)))
    written = [new.get(index, row) for index, row in enumerate(table.rows)]
    if output is not None:
        if keeps and path is not None:
            text = text_with_rows(path, new, _column_of(table, options), options.delimiter, encoding)
        else:
            text = "".join(f"{dumps_in_style(row, ensure_ascii=False)}\n" for row in written)
        packed = Path(output).suffix.lower() == ".gz"
        write_whole(Path(output), gzip.compress(text.encode(errors="backslashreplace"), mtime=0) if packed else text)
    return written


def _has_records(table: RawTable, options: ReadOptions) -> bool:
    """Return whether each ground truth is a record or a cell of the source, not the result of a query or a layout."""
    first, place = table.first(), table.where(0)
    is_file = isinstance(place, FilePlace) and not place.inside and suffix_of(table.path) == ".json"
    if options.references_query is not None or options.field_column is not None or (is_file and len(table.rows) == 1):
        return False
    column = _column_of(table, options)
    return not column or cells_of([first], column) != [NoCell]


def _rows_by_id(rows: SideRows, changed: Mapping[str, Value], options: ReadOptions) -> Iterator[dict[str, Any]]:
    """Yield one row per id with its ground truth and the columns that are not fields of the ground truth."""
    are_fields = options.references_query is None and options.field_column is None
    for row, name, value in zip(rows.sources, rows.ids, rows.values, strict=True):
        others = {} if are_fields or not isinstance(row, dict) else {key: row[key] for key in columns_of(row)}
        answers = changed.get(name, value)
        yield {**others, ID: name, REFERENCES: to_json(list(answers) if isinstance(answers, tuple) else [answers])}


def _column_of(table: RawTable, options: ReadOptions) -> str:
    """Return the column of the ground truths; "" if each row is itself a ground truth."""
    if options.references_column:
        return options.references_column
    named = with_names(table._replace(rows=table.rows[:1]), "references", options, both=False)
    return side_format(named.first(), "references").references or ""


def _corrected_row(table: RawTable, index: int, value: Value, options: ReadOptions) -> Any:
    """Return a row with another ground truth, in the first notation that is read back as this ground truth.

    Raises:
        ValueError: if no notation is.
    """
    row, column = table.rows[index], _column_of(table, options)
    answers = to_json(list(value) if isinstance(value, tuple) else [value])
    old = cells_of([row], column)[0] if column else row
    alone = answers[:1] if len(answers) == 1 else []
    plain, texts = [*alone, answers], [*map(dumps, alone), dumps(answers), [*map(dumps, answers)]]
    if not column:
        plain, texts = [to_json(value)], [dumps(value)]
    is_text = isinstance(old[0] if isinstance(old, list) and old else old, str)
    forms = [*texts, *plain] if is_text and options.parse_references else [*plain, *texts]
    if table.has_columns and suffix_of(table.path) in (".csv", ".tsv") and not isinstance(old, list):
        forms = [form for form in forms if isinstance(form, str)]
    for form in sorted(forms, key=lambda form: type(form) is not type(old)):
        new = _with_cell(row, column.split(".") if column not in row else [column], form) if column else form
        with suppress(TypeError, ValueError):
            if dumps(read_ground_truths(table._replace(rows=[new]), options).values[0]) == dumps(value):
                return new
    raise InputValueError(
        place=table.where(index),
        problem=f"rows of this format cannot hold the ground truth {value_excerpt(value)}",
        remedy=f"write JSONL with rows by id ({ID!r}, {REFERENCES!r}) instead",
    )


def _with_cell(row: Any, steps: Sequence[str], cell: Any) -> Any:
    """Return a copy of a row in which the cell at a path is replaced."""
    if not steps:
        return cell
    if isinstance(row, str):
        return dumps_in_style(_with_cell(loads(row), steps, cell), ensure_ascii=False)
    if isinstance(row, list):
        place = int(steps[0]) % len(row)
        return [*row[:place], _with_cell(row[place], steps[1:], cell), *row[place + 1 :]]
    return {**row, steps[0]: _with_cell(row[steps[0]], steps[1:], cell)}


def text_with_rows(
    path: Path, rows: Mapping[int, Any], column: str, delimiter: str | None = None, encoding: str | None = None
) -> str:
    """Return the text of a JSONL, JSON, CSV or TSV file in which some rows are replaced; other records stay the same.

    Args:
        path: the file.
        rows: the new rows by index; if a file maps ids to documents, the rows that these are read as.
        column: the column to change in a CSV or TSV file.
        delimiter: as for `read_table`.
        encoding: as for `read_table`.

    Raises:
        ValueError: for a log.
    """
    text = text_of_file(path, encoding)
    is_table, is_object = suffix_of(path) in (".csv", ".tsv"), False
    if is_table:
        delimiter = delimiter or usual_delimiter(path, list(islice(io.StringIO(text, newline=""), HEADER_LINES)))
        header, *spans = _csv_spans(text, delimiter)
        number = _cells(text[slice(*header)], delimiter).index(column)
    else:
        value = loads(text) if suffix_of(path) == ".json" else None
        if is_log(value):
            raise InputValueError(place=in_file(path), expected="a file with rows or documents", got="a log")
        spans, is_object = _json_spans(text, 0 if value is None else 1), isinstance(value, dict)
    with path.open("rb") as file:
        parts, end = ["\ufeff" if file.read(len(UTF8_MARK)) == UTF8_MARK else ""], 0
    for index, row in sorted(rows.items()):
        start, stop = spans[index]
        record = text[start:stop]
        if is_table:
            new = _csv_record(record, number, row[column], delimiter or ",")
        else:
            answers = row[REFERENCES] if is_object else [row]
            document = answers[0] if len(answers) == 1 else tuple(answers)
            new = _json_record(record, document, text[text.rfind("\n", 0, start) + 1 : start])
        parts += [text[end:start], new]
        end = stop
    return "".join([*parts, text[end:]])


_BEFORE_ROW = re.compile(r'[\s,]*(?:"(?:[^"\\]|\\.)*"\s*:\s*)?(?=[^\s,\]}])')  # includes the key in an object


def _json_spans(text: str, brackets: int) -> list[tuple[int, int]]:
    """Return where each row begins and ends: a line of JSONL, an element of a list or a value of an object."""
    decoder, spans, position = json.JSONDecoder(), [], len(text) - len(text.lstrip()) + brackets
    while match := _BEFORE_ROW.match(text, position):
        _, position = decoder.raw_decode(text, match.end())
        spans.append((match.end(), position))
    return spans


def _csv_spans(text: str, delimiter: str) -> list[tuple[int, int]]:
    """Return where the header and each row of a CSV file begin and end."""
    lines = list(io.StringIO(text, newline=""))
    ends, before = [0, *accumulate(map(len, lines))], 0
    reader = csv.reader(without_declaration(lines), delimiter=delimiter)
    spans = []
    for cells in reader:
        if cells:
            spans.append((ends[before], ends[reader.line_num]))
        before = reader.line_num
    return spans


def _cells(record: str, delimiter: str) -> list[str]:
    return next(csv.reader(io.StringIO(record, newline=""), delimiter=delimiter))


def _csv_record(record: str, number: int, cell: Any, delimiter: str) -> str:
    """Return a row of a CSV file in which one cell is replaced."""
    cells = _cells(record, delimiter)
    cells[number] = cell if isinstance(cell, str) else dumps_in_style(cell, ensure_ascii=False)
    written = io.StringIO(newline="")
    ending = record[len(record.rstrip("\r\n")) :]
    csv.writer(written, delimiter=delimiter, lineterminator=ending).writerow(cells)
    return written.getvalue()


def _json_record(record: str, row: Any, before: str) -> str:
    """Return a row as JSON with the indentation, spaces and escapes of the record that it replaces."""
    margin = "\n" + before[: len(before) - len(before.lstrip())]
    old = loads(record)
    for indent, separators, ascii_only in product(
        (None, 2, 4, 1, "\t"), (None, (",", ":"), (",", ": ")), (False, True)
    ):
        style = {"indent": indent, "separators": separators, "ensure_ascii": ascii_only}
        if dumps_in_style(old, **style).replace("\n", margin) == record:
            return dumps_in_style(row, **style).replace("\n", margin)
    return dumps_in_style(row, ensure_ascii=False)
