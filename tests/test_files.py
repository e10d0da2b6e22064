"""Rows from files: each format, columns of other names, large files; errors named with file, line and column."""

from __future__ import annotations

import contextlib
import csv
import datetime as dt
import gzip
import io
import itertools
import json
import os
import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import docscore
from docscore.core.errors import as_flag, written
from docscore.core.options import DEFAULT_READING, ReadOptions
from docscore.core.runtime import READING
from docscore.inputs.columns import table_of_source
from docscore.inputs.formats import DELIMITERS, delimiter_of, read_table, read_value
from docscore.inputs.pairing import paired_systems
from playground.server.limits import check_value
from playground.server.storage import csv_cell, write_csv
from tests.commands import REFERENCES, Write, run, run_process, succeed
from tests.conftest import golden


@golden("files", "tables")
def test_tables(write: Write, name: str, content: str, encoding: str, rows: list[Any], places: list[str]) -> None:
    path = write(name, content.encode(encoding))
    table = read_table(path)
    assert table.rows == rows
    assert [str(table.where(i)) for i in range(len(rows))] == [f"{path}, {place}" for place in places]


@golden("files", "errors")
def test_errors_name_the_file_and_the_place(write: Write, name: str, content: str, encoding: str, message: str) -> None:
    path = write(name, content.encode(encoding))
    with pytest.raises(ValueError, match=r".") as caught:
        read_table(path)
    assert str(caught.value).startswith(f"{path}{message}")


@golden("files", "encodings")
def test_encodings(write: Write, name: str, content: str, encoding: str, rows: list[Any], places: list[str]) -> None:
    """Of the path, and of the folder or the compressed file that a path may be."""
    path = write(name, content.encode(encoding))
    table = read_table(path, options=ReadOptions(encoding=encoding))
    assert table.rows == rows
    assert [str(table.where(i)) for i in range(len(rows))] == [f"{path}, {place}" for place in places]
    packed = write(f"{name}.gz", gzip.compress(content.encode(encoding)))
    assert read_table(packed, options=ReadOptions(encoding=encoding)).rows == rows


@golden("files", "wrong encodings")
def test_wrong_encodings_are_named(write: Write, content: str, written: str, given: str, message: str) -> None:
    path = write("t.csv", content.encode(written))
    with pytest.raises(ValueError, match=r".") as caught:
        read_table(path, options=ReadOptions(encoding=given))
    assert str(caught.value) == f"{path}{message}"


def test_an_encoding_is_given_to_the_command_and_in_python(write: Write) -> None:
    """For both sides or for one, and for the files of folders; UTF-8 is not guessed to be another one."""
    references = write("r.csv", 'question_id;references\na;["Müller"]\n'.encode("cp1252"))
    predictions = write("p/a.txt", "Müller\r\n".encode("cp1252")).parent
    in_utf8 = write("u.jsonl", '{"question_id": "a", "prediction": "Müller"}\n'.encode())
    given: list[tuple[Path, dict[str, Any]]] = [
        (predictions, {"encoding": "cp1252"}),
        (in_utf8, {"references_encoding": "cp1252"}),
        (predictions, {"encoding": "utf-8", "references_encoding": "cp1252", "predictions_encoding": "cp1252"}),
    ]
    for found, options in given:
        flags = (word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value))
        assert json.loads(run("score", references, found, *flags, "--json").out)["anls_score"] == 1.0
        result = docscore.evaluate(references=references, predictions=found, **options)
        assert (result.score, result["a"].prediction) == (1.0, "Müller")
    known = "expected an encoding that Python knows, such as cp1252 or utf-16, got"
    for words, sentence in (
        (
            [references, predictions],
            (
                f"{references}, line 2: expected UTF-8 text, got the byte 0xfc; add --references-encoding or "
                "--predictions-encoding, such as cp1252"
            ),
        ),
        ([references, in_utf8, "--encoding", "cp9"], f"--encoding: {known} 'cp9'"),
        ([references, in_utf8, "--references-encoding", "hex"], f"--references-encoding: {known} 'hex'"),
        (
            [in_utf8, "--references-encoding", "cp1252"],
            "--references-encoding: expected separate references, got rows that hold both sides",
        ),
    ):
        done = run("score", *words)
        assert (done.code, sentence in done.err) == (2, True), done.err


@golden("files", "fields in columns")
def test_a_table_with_a_column_for_each_field(
    write: Write,
    references: list[str],
    predictions: list[str],
    options: dict[str, str],
    truths: dict[str, Any],
    answers: dict[str, Any],
) -> None:
    sides = {"references": write(*references), "predictions": write(*predictions)}
    result = docscore.evaluate(**sides, fields_in_columns=True, **options)  # type: ignore[arg-type]
    assert {name: (result[name].ground_truth, result[name].prediction) for name in result} == {
        name: ((truths[name],), answers[name]) for name in truths
    }


@golden("files", "no fields in columns")
def test_tables_that_have_no_column_for_each_field(write: Write, content: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        docscore.evaluate(
            references=write("t.csv", content), predictions=write("p.csv", content), fields_in_columns=True
        )


def test_one_column_for_both_sides_is_an_error(write: Write) -> None:
    """Of one file, of a file given twice, and of one frame; and all columns where each is a field."""
    path = write("t.csv", "question_id,out,gold\na,1,2\n")
    for references in (path, path.parent / "." / path.name, None):
        for column, code in (("out", 2), ("gold", 0)):
            named = ["--prediction-column", "out", "--references-column", column]
            done = run("score", *filter(None, [references]), path, *named)
            assert (done.code, "t.csv: the same columns are given for both sides" in done.err) == (code, code == 2)
    assert "t.csv: the same columns are given for both sides" in run("score", path, path, "--fields-in-columns").err
    frame = pd.read_csv(path)
    with pytest.raises(ValueError, match="the same columns are given for both sides"):
        docscore.evaluate(references=frame, predictions=frame, prediction_column="out", references_column="out")


def test_one_value_of_a_file(write: Write) -> None:
    assert read_value(write("v.json", b'\xef\xbb\xbf{"a": ["x"]}\r\n')) == {"a": ["x"]}
    with pytest.raises(ValueError, match=r"twice\.json, key 'a' occurs twice in one object$"):
        read_value(write("twice.json", '{"a": 1, "a": 1}'))


def test_a_long_document_fits_in_a_cell(write: Write) -> None:
    """The standard module stops at 131,072 characters a cell."""
    assert read_table(write("t.csv", "id,n\na," + "x" * 200_000 + "\n")).rows[0]["n"] == "x" * 200_000


def parquet_file(folder: Path, table: pa.Table) -> Path:
    parquet.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


@pytest.mark.filterwarnings("ignore:.*its rows are structs")
def test_parquet_that_is_damaged(write: Write) -> None:
    """Whatever is overwritten: the rows, or an error that the command turns into one line; nothing else."""
    path = write("t.parquet", [{"a": "x", "b": {"c": 1}}, {"a": "y", "b": {"c": None}}])
    whole, refused = path.read_bytes(), 0
    for start in range(0, len(whole), 61):
        path.write_bytes(whole[:start] + b"\xff" * 16 + whole[start + 16 :])
        try:
            read_table(path)
        except ValueError as error:
            assert str(error).startswith(str(path))  # noqa: PT017  there may be no error
            refused += 1
    assert refused > 1


def test_parquet_without_pyarrow_says_what_to_install(write: Write, tmp_path: Path) -> None:
    """A module of the same name that cannot be imported stands before the installed one."""
    write("pyarrow.py", "raise ImportError('not here')\n")
    path = write("t.parquet", b"PAR1")
    done = run_process("score", REFERENCES, path, PYTHONPATH=str(tmp_path))
    said = f"docscore: {path}: reading Parquet needs pyarrow; pip install 'docscore[parquet]'\n"
    assert done == (2, "", said)


def test_two_columns_of_one_name_are_an_error(tmp_path: Path) -> None:
    """As in CSV: the first was lost without a word."""
    path = parquet_file(tmp_path, pa.table([pa.array(["a"]), pa.array(["b"])], names=["prediction"] * 2))
    with pytest.raises(ValueError, match=r"t\.parquet: column 'prediction' occurs twice$"):
        read_table(path)


DAY, NOON = dt.date(2024, 5, 1), dt.datetime(2024, 5, 1, 12, 30, tzinfo=dt.timezone.utc)
SHORT = {"a": [0.1, None], "b": 0.7}  # numbers of 32 bits by their shortest spelling
OBJECTS = pa.map_("string", pa.map_("string", "int64"))
ARROW_TYPES: list[tuple[list[Any], Any, Any]] = [  # types, a value, and the JSON value or what is wrong with it
    ([pa.null()], None, None),
    ([pa.bool_()], True, True),
    ([getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)], 7, 7),
    ([pa.float16(), pa.float32(), pa.float64(), pa.dictionary(pa.int8(), pa.float32())], 0.1, 0.1),
    ([pa.struct([("a", pa.list_(pa.float32())), ("b", pa.float64())])], {"a": [0.1, None], "b": 0.7}, SHORT),
    ([pa.map_("string", pa.float32())], [("a", 0.1)], {"a": 0.1}),
    ([pa.decimal32(4, 2), pa.decimal64(4, 2), pa.decimal128(4, 2), pa.decimal256(4, 2)], Decimal("12.50"), "12.50"),
    ([pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), "string")], "x", "x"),
    ([pa.run_end_encoded(pa.int32(), pa.string())], "x", "x"),
    ([pa.date32(), pa.date64()], DAY, "2024-05-01"),
    ([pa.timestamp("s"), pa.timestamp("us")], NOON.replace(tzinfo=None), "2024-05-01T12:30:00"),
    ([pa.timestamp("ms", "UTC")], NOON, "2024-05-01T12:30:00+00:00"),
    ([pa.list_(pa.int8()), pa.large_list(pa.int8()), pa.list_(pa.int8(), 2), pa.list_view(pa.int8())], [1, 2], [1, 2]),
    ([pa.large_list_view(pa.int8())], [1, 2], [1, 2]),
    ([pa.struct([("a", pa.date32()), ("b", "string")])], {"a": DAY, "b": "x"}, {"a": "2024-05-01", "b": "x"}),
    ([OBJECTS], [("a", [("b", 1)])], {"a": {"b": 1}}),
    ([pa.list_(pa.struct([("m", OBJECTS)]))], [{"m": [("a", None)]}, None], [{"m": {"a": None}}, None]),
    ([OBJECTS], [("a", []), ("a", [])], "column 'prediction': expected a value with a type that Python has, got map<"),
    ([pa.binary(), pa.large_binary(), pa.binary(1), pa.binary_view()], b"x", "expected a JSON value, got bytes"),
    ([pa.time32("s"), pa.time64("us")], NOON.time(), "expected a JSON value, got time"),
    ([pa.duration("s")], dt.timedelta(1), "expected a JSON value, got timedelta"),
    ([pa.month_day_nano_interval()], (1, 2, 3), "Tuples are reserved"),
]
NEVER_MADE = {"DENSE_UNION", "SPARSE_UNION", "INTERVAL_DAY_TIME", "INTERVAL_MONTHS"}  # pa.array makes none of these


def test_every_type_of_arrow_is_known() -> None:
    names = {getattr(pa.lib, name): name.removeprefix("Type_") for name in dir(pa.lib) if name.startswith("Type_")}
    assert set(names.values()) - {names[kind.id] for kinds, *_ in ARROW_TYPES for kind in kinds} == NEVER_MADE


@pytest.mark.parametrize(
    ("kind", "value", "expected"), [(kind, *row) for kinds, *row in ARROW_TYPES for kind in kinds], ids=str
)
@pytest.mark.filterwarnings("ignore:.*cells are empty:UserWarning")
def test_arrow_values_are_json_values_or_named(tmp_path: Path, kind: Any, value: Any, expected: Any) -> None:
    """The same in a Parquet file, where Parquet has the type, in a table in memory, and on the page."""
    table = pa.table({"question_id": ["a"], "prediction": pa.array([value], type=kind)})
    sides: list[Any] = [table]
    with contextlib.suppress(pa.ArrowNotImplementedError):
        sides.append(parquet_file(tmp_path, table))
    references = table_of_source({"a": "x"}, "references", DEFAULT_READING)
    for side, check in itertools.product(sides, (None, check_value)):
        systems = partial(paired_systems, references, options=DEFAULT_READING, check=check)
        if isinstance(expected, str) and " " in expected:
            with pytest.raises((TypeError, ValueError), match=re.escape(expected)):
                systems([table_of_source(side, "predictions", DEFAULT_READING)])
        else:
            assert systems([table_of_source(side, "predictions", DEFAULT_READING)])[0].predictions == [expected]


@pytest.mark.parametrize("nested", [False, True])
def test_a_date_that_python_does_not_have_is_named_with_row_and_column(tmp_path: Path, nested: bool) -> None:
    days = pa.array([0, 4_000_000], type=pa.int32()).cast(pa.date32())
    column = pa.StructArray.from_arrays([days], names=["day"]) if nested else days
    path = parquet_file(tmp_path, pa.table({"prediction": column}))
    with pytest.raises(ValueError, match=r"t\.parquet, row 2, column 'prediction': expected a value with a type that"):
        read_table(path)


_TABLES: dict[str, Callable[[pa.Table], Any]] = {
    "arrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "polars": lambda table: pytest.importorskip("polars").from_arrow(table),
    "datasets": datasets.Dataset,
}


@pytest.mark.parametrize("library", ["parquet", *_TABLES])
@golden("files", "structs")
def test_keys_that_structs_were_filled_with_are_warned_of(
    tmp_path: Path, library: str, column: list[Any], warned: bool
) -> None:
    """In files, tables and columns of every library; plain lists hold what their author wrote."""
    table = pa.table({"references": column})
    if library == "parquet":
        path = parquet_file(tmp_path, table)
        sources: list[tuple[str, Any]] = [(f"{path}, column 'references'", path)]
    else:
        held = _TABLES[library](table)
        sources = [("references, column 'references'", held), ("references", held["references"])]
    for place, source in [*sources, ("references", table["references"].to_pylist())]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = table_of_source(source, "references", DEFAULT_READING).warnings
        assert not caught
        said = [str(each).startswith(f"{place}: its rows are structs, in which keys") for each in found]
        assert said == [True] * (warned and not isinstance(source, list))


@golden("delimiters", "headers")
def test_the_header_tells(text: str, sign: str) -> None:
    assert delimiter_of(text) == sign


@given(st.sampled_from(DELIMITERS), st.lists(st.text('ab,;|\t" \n', min_size=1), min_size=1, max_size=4, unique=True))
def test_any_file_that_has_ids_is_read_as_it_was_written(sign: str, columns: list[str]) -> None:
    """Whatever stands in the other columns: only the right sign gives a column of that name."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=sign, quoting=csv.QUOTE_ALL).writerow(["question_id", *columns])
    assert delimiter_of(file.getvalue()) == sign


@golden("csv_cells", "cells")
def test_a_cell(value: Any, expected: Any) -> None:
    assert csv_cell(value) == expected


@given(st.text())
def test_a_text_loses_nothing(text: str) -> None:
    assert csv_cell(text) in (text, f"'{text}")


def test_headings_and_cells_of_a_file(tmp_path: Path) -> None:
    """A surrogate, which UTF-8 lacks, is written as an escape."""
    path = tmp_path / "a.csv"
    write_csv(path, ["id", "=f"], [{"id": "=1", "=f": -0.5}, {"id": 'a,"b"\n\ud800'}])
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["id", "'=f"], ["'=1", "-0.5"], ['a,"b"\n\\ud800', ""]]


def cells(*rows: dict[str, Any], sign: str = ";") -> str:
    """CSV with quoted cells; what is no text becomes JSON text."""
    texts = [[value if isinstance(value, str) else json.dumps(value) for value in row.values()] for row in rows]
    lines = [list(rows[0]), *texts]
    return "".join(sign.join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in line) + "\n" for line in lines)


def keywords_of(flags: list[str]) -> dict[str, Any]:
    """The same options as keywords of `docscore.evaluate`."""
    return {name[2:].replace("-", "_"): value for name, value in zip(flags[::2], flags[1::2], strict=True)}


@pytest.mark.filterwarnings("ignore:references. all are lists of acceptable answers")
@golden("foreign_columns", "cells of references")
def test_what_a_cell_of_references_holds(
    write: Write, column: str, cell: Any, options: list[str], score: float
) -> None:
    row = {"question_id": "a", column: json.dumps(cell)}
    predictions = write("p.jsonl", [{"question_id": "a", "prediction": ["Tea", "Rum"]}])
    flags = options if column == "references" else ["--references-column", column, *options]
    files = {"r.csv": cells(row), "r.tsv": cells(row, sign="\t"), "r.parquet": [row]}
    for source in (*(write(name, content) for name, content in files.items()), pd.DataFrame([row])):
        assert docscore.evaluate(references=source, predictions=predictions, **keywords_of(flags)).score == score


@pytest.mark.parametrize("end", ["jsonl", "parquet", "frame", "list"])
def test_a_text_in_place_of_a_list_of_answers(end: str, write: Write) -> None:
    """With parsing it is one answer, wherever it is; without, the error names the options."""
    rows = [{"question_id": "a", "references": '{"total": "1"}'}]
    holders: dict[str, Any] = {"frame": pd.DataFrame, "list": list}
    references = holders.get(end, partial(write, f"r.{end}"))(rows)
    sides: dict[str, Any] = {"references": references, "predictions": {"a": {"total": "1"}}}
    assert docscore.evaluate(**sides, parse_references="json").score == 1.0
    said = r'got str; in files and data frames, parse_references="json" reads text'
    with pytest.raises(ValueError, match=said):
        docscore.evaluate(**sides)


OPTIONS = (
    "to use other columns, or paths into the rows such as response.text, add --id-column, --prediction-column and "
    "--references-column"
)


@golden("foreign_columns", "columns of other names")
def test_rows_with_a_key_of_the_formats_are_no_documents(
    references: list[Any], predictions: list[Any], message: str, write: Write
) -> None:
    """The error lists the columns of each side once, and the options that name others."""
    done = run("score", write("r.jsonl", references), write("p.jsonl", predictions))
    columns = {", ".join(map(repr, side[0])) for side in (references, predictions)}
    assert (done.code, done.out) == (2, "")
    with pytest.raises(ValueError, match="column") as caught:
        docscore.evaluate(predictions=predictions, references=references)
    for told in (done.err, written(caught.value, as_flag)):
        assert message in told
        assert all(told.count(f"{side};") + told.count(f"{side} (") == 1 for side in columns)
        assert OPTIONS in told


@golden("foreign_columns", "documents")
def test_documents_without_ids_are_scored(
    references: list[Any], predictions: list[Any], score: float, write: Write
) -> None:
    files = write("r.jsonl", references), write("p.jsonl", predictions)
    done = run("score", *files, "--json")
    assert json.loads(done.out)["anls_score"] == pytest.approx(score)
    by_position = "are interpreted as documents and paired by position; to use other columns"
    assert (by_position in done.err) == (isinstance(references[0], dict) and len(references) > 1)
    assert docscore.evaluate(predictions=predictions, references=references).score == pytest.approx(score)


BY_ID = [{"question_id": name, "references": [name]} for name in "ab"]


@golden("foreign_columns", "ids and values")
def test_ids_and_values_where_people_have_them(
    write: Write, files: dict[str, Any], predictions: str, options: list[str], outcome: float | str
) -> None:
    """In the command and in Python, whose keywords are the options: each names the option in its own way."""
    references = write("r.jsonl", BY_ID)
    for name, content in files.items():
        is_text = name.endswith(("jsonl", "txt")) or content == '"b'
        write(name, content if is_text else json.dumps(content))
    system = references.parent / predictions
    keywords = keywords_of(options)
    done = run("score", references, system, *options, "--json")
    if isinstance(outcome, str):
        folder = f"{references.parent}/"
        assert (done.code, outcome in done.err.replace(folder, "")) == (2, True), done.err
        with pytest.raises(ValueError, match=r"^") as caught:
            docscore.evaluate(references=references, predictions=system, **keywords)
        keyword = re.sub(r"\(--([a-z-]+)\)", lambda option: f"({option[1].replace('-', '_')})", outcome)
        assert keyword in written(caught.value, as_flag).replace(folder, "")
    else:
        assert json.loads(done.out)["anls_score"] == outcome
        assert docscore.evaluate(references=references, predictions=system, **keywords).score == outcome


@golden("foreign_columns", "advice")
def test_messages_name_columns_of_the_file_and_options_that_are_not_given(
    write: Write, files: dict[str, str], options: list[str], message: str
) -> None:
    paths = [write(name, content) for name, content in files.items()]
    done = run("score", *paths, *options)
    assert done.code == 2
    assert done.err.replace(f"{paths[0].parent}/", "").splitlines()[0] == f"docscore: {message}"


def test_ids_in_the_index_of_a_data_frame() -> None:
    """A named index is found; another one gets a hint, but not the numbers of rows."""
    sides = {
        "references": pd.DataFrame({"doc": ["a", "b"], "gold": ["x", "y"]}),
        "predictions": pd.DataFrame({"doc": ["b", "a"], "out": ["y", "x"]}),
    }
    columns: dict[str, Any] = {"references_column": "gold", "prediction_column": "out"}
    named = {name: frame.set_index("doc") for name, frame in sides.items()}
    assert docscore.evaluate(**named, **columns, id_column="doc").score == 1.0
    hint = r"; if the ids are in the index of the data frame, make it a column with reset_index\(\)"
    for name in (None, "dok"):
        with pytest.raises(ValueError, match=r"^references: expected a column .*, got 'gold'" + hint):
            docscore.evaluate(**named, **columns, id_column=name)
        with pytest.raises(ValueError, match=r"^references: expected a column") as caught:
            docscore.evaluate(**sides, **columns, id_column=name)
        assert "reset_index" not in str(caught.value)


@golden("files", "missing values as text")
def test_missing_values_that_were_written_as_text(write: Write, cells: list[str], warned: str) -> None:
    """In the column of a side, and in that of a field."""
    columns = {"question_id": [str(number) for number in range(len(cells))], "prediction": cells}
    truths = [{"question_id": name, "references": [{"x": "x"}]} for name in columns["question_id"]]
    path = write("p.csv", pd.DataFrame(columns).to_csv(index=False))
    fields = write("f.csv", pd.DataFrame({**columns, "x": cells}).drop(columns="prediction").to_csv(index=False))
    for file, column, in_columns in ((path, "prediction", False), (fields, "x", True)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            docscore.evaluate(references=truths, predictions=file, fields_in_columns=in_columns)
        sentences = [str(each.message) for each in caught if "missing values" in str(each.message)]
        expected = f"{file}, column {column!r}: {warned}; if they mean missing values, leave these cells empty"
        assert sentences == ([expected] if warned else [])


@pytest.mark.filterwarnings("ignore:.*cells are empty:UserWarning")
def test_whole_floats_are_no_gap_where_numbers_are_compared_by_value() -> None:
    frame = pd.DataFrame({"question_id": ["a", "b"], "prediction": [1.0, None], "references": [[1], [2]]})
    with pytest.warns(UserWarning, match="pandas makes such floats from integers"):
        docscore.evaluate(predictions=frame)
    assert docscore.evaluate(predictions=frame, numbers="value").score == 0.5


def test_folders_and_columns_of_one_side(write: Write, tmp_path: Path) -> None:
    """A folder of ground truths; two names of ids; a path that names a column of slices; and no folder for both."""
    for name in "ab":
        write(f"r/{name}.json", json.dumps({"text": name}))
    rows = [{"doc": name, "prediction": {"text": name}} for name in "ab"]
    assert docscore.evaluate(references=tmp_path / "r", predictions=rows, predictions_id_column="doc").score == 1.0
    truths = [{"meta": {"file": name, "page": 1}, "references": [{"text": name}]} for name in "ab"]
    sides: dict[str, Any] = {"references": truths, "predictions": rows}
    names: dict[str, Any] = {"references_id_column": "meta.file", "predictions_id_column": "doc"}
    assert docscore.evaluate(**sides, **names, by="meta.page").slices[0]["documents"] == 2
    with pytest.raises(ValueError, match="r: expected rows with 'question_id', 'references' and 'prediction'"):
        docscore.evaluate(predictions=tmp_path / "r")
    with pytest.raises(
        ValueError, match="references_id_column: expected separate references, whose id column it names"
    ):
        docscore.evaluate(predictions=rows, references_id_column="doc")


def test_subfolders_are_counted_and_not_read(write: Write, tmp_path: Path) -> None:
    """Hidden ones and other kinds of files are left out without a word."""
    for path in ("r/a", "r/b", "p/a", "p/b", "p/.git/c"):
        write(f"{path}.json", '{"text": "x", "n": 1}')
    write("p/notes/c.txt", "x")
    sides: dict[str, Any] = {"references": tmp_path / "r", "predictions": tmp_path / "p"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert docscore.evaluate(**sides).score == 1.0
    for path in ("p/old/a", "p/old/older/b"):
        write(f"{path}.json", '{"text": "y", "n": 2}')
    expected = (
        r"p: it has 2 \.json files in subfolders, which are not read: 'old/a\.json', 'old/older/b\.json'; if they"
    )
    with pytest.warns(UserWarning, match=expected):
        assert docscore.evaluate(**sides).score == 1.0


@pytest.mark.parametrize("end", ["frame", "objects", "both sides", "series", "parquet", "one file", "arrow"])
def test_empty_cells_of_predictions_are_counted_once(tmp_path: Path, end: str) -> None:
    """A left join leaves them; they are scored as null, also in a series, where NaN would be a text."""
    truths = pd.DataFrame({"question_id": [*"abcd"], "references": [["x"], ["y"], [None], ["z"]]})
    joined = truths.merge(pd.DataFrame({"question_id": [*"ab"], "prediction": ["x", "y"]}), how="left")
    given: Any = joined[["question_id", "prediction"]]
    parquet, whole = tmp_path / "p.parquet", tmp_path / "predictions.parquet"
    given.to_parquet(parquet)
    joined.to_parquet(whole)
    sides: dict[str, Any] = {
        "frame": {"references": truths, "predictions": given},
        "objects": {"references": truths, "predictions": given.astype(object)},
        "both sides": {"predictions": joined},
        "series": {"references": ["x", "y", None, "z"], "predictions": given["prediction"]},
        "parquet": {"references": truths, "predictions": parquet},
        "one file": {"references": whole, "predictions": whole},
        "arrow": {"references": truths, "predictions": pa.Table.from_pandas(given)},
    }[end]
    with pytest.warns(UserWarning, match=r"predictions?.*: 2 of 4 cells are empty \(null, NaN or NA\)") as warned:
        assert docscore.evaluate(**sides).score == 0.75
    assert len(warned) == 1


@pytest.mark.filterwarnings("error")
def test_a_null_of_json_is_an_answer(write: Write) -> None:
    rows = [{"question_id": "a", "prediction": None}, {"question_id": "b", "prediction": "x"}]
    truths = [{"question_id": "a", "references": [None]}, {"question_id": "b", "references": ["x"]}]
    for predictions in (write("p.jsonl", rows), write("p.json", json.dumps(rows)), rows):
        assert docscore.evaluate(references=truths, predictions=predictions).score == 1
    frame = pd.DataFrame({"question_id": ["a", "b"], "out": ['{"v": null}', '{"v": "x"}']})
    for holder in (frame, pa.Table.from_pandas(frame)):  # JSON in a cell of a table
        assert docscore.evaluate(references=truths, predictions=holder, prediction_column="out.v").score == 1


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs pipes as files")
def test_a_pipe_is_read_as_jsonl(write: Write) -> None:
    reading, writing = os.pipe()
    os.write(writing, b'{"question_id": "a", "prediction": "a"}\n{"question_id": "b", "prediction": "x"}\n')
    os.close(writing)
    evaluation = docscore.evaluate(references=write("r.jsonl", BY_ID), predictions=f"/dev/fd/{reading}")
    os.close(reading)
    assert evaluation.score == 0.5


@golden("files", "one file twice")
def test_a_file_is_no_prediction_of_itself(write: Write, name: str, content: Any, options: dict[str, Any]) -> None:
    """All would be right."""
    path = write(name, content)
    for other in (path, path.with_name(f"link{path.suffix}")):
        if other != path:
            other.symlink_to(path)
        with pytest.raises(
            ValueError, match=rf"{name}: the same file is given for both sides; give two files, or name"
        ):
            docscore.evaluate(references=other, predictions=path, **options)


BOTH_SIDES = [{"n": "a", "out": "x", "gold": ["x"]}, {"n": "b", "out": "y", "gold": ["z"]}]


@golden("files", "two sides of a file")
def test_two_queries_or_two_columns_distinguish_the_sides_of_a_file(write: Write, options: dict[str, Any]) -> None:
    """A file of another system changes nothing."""
    path = write("x.jsonl", BOTH_SIDES)
    assert docscore.evaluate(references=path, predictions=path, **options).score == 0.5
    if "id_column" in options:
        other = write("other.jsonl", [{**row, "out": "x"} for row in BOTH_SIDES])
        flags = [f"--{option.replace('_', '-')}={column}" for option, column in options.items()]
        assert "base 0.500000" in succeed("compare", path, other, "--references", path, *flags)


def in_texts(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with JSON text for every document."""
    texts: dict[str, Callable[[Any], Any]] = {
        "prediction": json.dumps,
        "references": lambda answers: list(map(json.dumps, answers)),
    }
    return [{key: texts.get(key, str)(value) for key, value in row.items()} for row in rows]


FORMS: dict[str, Callable[[list[Any]], Any]] = {
    "jsonl": list,
    "json": list,
    "jsonl.gz": list,
    "csv": lambda rows: cells(*in_texts(rows)),
    "parquet": in_texts,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [0, 1, 999, 1000, 3333])
def test_progress_of_reading_ends_with_all_bytes(write: Write, form: str, count: int) -> None:
    """Of texts, compressed or not, and of a Parquet file, whatever is left of its last portion."""
    rows = [{"question_id": str(number)} for number in range(count)]
    path = write(f"t.{form}", FORMS[form](rows) if rows or form != "csv" else "question_id")
    begun: list[tuple[str, int]] = []
    steps: list[int] = []

    def progress(phase: str, total: int) -> Any:
        begun.append((phase, total))
        return steps.append

    assert len(read_table(path, progress=progress).rows) == count
    assert begun == [(READING, path.stat().st_size)]
    assert sum(steps) == (path.stat().st_size if rows or form != "parquet" else 0)
    assert len(steps) >= count // 1000 or form != "parquet"
