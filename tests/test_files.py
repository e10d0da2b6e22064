"""Rows from files: what each format holds, and faults named with file, line and column."""

from __future__ import annotations

import contextlib
import csv
import datetime as dt
import gzip
import io
import itertools
import os
import re
import subprocess
import sys
import warnings
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from docscore.core.runtime import READING
from docscore.data.files import (
    DELIMITERS,
    SAME_NAMES,
    _checked_header,
    csv_cell,
    delimiter_of,
    read_table,
    read_value,
    table_of_source,
    write_csv,
)
from docscore.data.pairing import read_systems
from playground.file_reading import check_uploaded_value
from tests.commands import Write
from tests.conftest import ROOT, golden, skip_or_fail
from tests.structures import Counted


@golden("files", "tables")
def test_tables(write: Write, name: str, content: str, encoding: str, rows: list[Any], places: list[str]) -> None:
    path = write(name, content.encode(encoding))
    table = read_table(path)
    assert table.rows == rows
    assert [str(table.where(i)) for i in range(len(rows))] == [f"{path}, {place}" for place in places]


@golden("files", "faults")
def test_faults_name_the_file_and_the_place(write: Write, name: str, content: str, encoding: str, message: str) -> None:
    path = write(name, content.encode(encoding))
    with pytest.raises(ValueError, match=r".") as caught:
        read_table(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.jsonl"):
        read_table(tmp_path / "none.jsonl")
    folder = tmp_path / "folder.jsonl"
    folder.mkdir()
    with pytest.raises(OSError, match=r"folder\.jsonl"):
        read_table(folder)


def test_one_value_of_a_file(write: Write) -> None:
    assert read_value(write("v.json", b'\xef\xbb\xbf{"a": ["x"]}\r\n')) == {"a": ["x"]}
    with pytest.raises(ValueError, match=r"bad\.json, line 2, column 1: "):
        read_value(write("bad.json", '{"a":\n}'))
    with pytest.raises(ValueError, match=r"twice\.json, key 'a' occurs twice in one object$"):
        read_value(write("twice.json", '{"a": 1, "a": 1}'))


def test_a_long_document_fits_in_a_cell(write: Write) -> None:
    """The standard module stops at 131,072 characters a cell."""
    assert read_table(write("t.csv", "id,n\na," + "x" * 200_000 + "\n")).rows[0]["n"] == "x" * 200_000


def parquet_file(path: Path, columns: Any) -> Path:
    """A Parquet file of columns, or of a table of pyarrow."""
    parquet.write_table(pa.table(columns) if isinstance(columns, dict) else columns, path)
    return path


def test_rows_and_places_of_parquet(tmp_path: Path) -> None:
    """A struct has all keys in every row, of which a warning says so."""
    rows = [
        {"question_id": "a", "prediction": {"total": "1.50", "items": [{"n": 1}]}, "day": date(2024, 1, 2)},
        {"question_id": "b", "prediction": {"total": None, "items": None}, "day": None},
    ]
    path = parquet_file(tmp_path / "t.parquet", pa.Table.from_pylist(rows))
    with pytest.warns(UserWarning, match="column 'prediction': its rows are structs"):
        table = read_table(path)
    assert table.rows == rows
    assert [str(table.where(i)) for i in range(2)] == [f"{path}, row 1", f"{path}, row 2"]


@pytest.mark.parametrize("rows", [0, 1, 999, 1000, 3333])
def test_progress_of_reading_ends_with_all_bytes(rows: int, tmp_path: Path) -> None:
    """Of texts, compressed or not, and of a Parquet file, whatever is left of its last portion."""
    ids = [str(number) for number in range(rows)]
    text = tmp_path / "t.jsonl"
    text.write_text("".join(f'{{"question_id": "{each}"}}\n' for each in ids), encoding="utf-8")
    table, packed = tmp_path / "t.csv", tmp_path / "t.jsonl.gz"
    table.write_text("\n".join(["question_id", *ids]), encoding="utf-8")
    packed.write_bytes(gzip.compress(text.read_bytes()))
    for path in (text, table, packed, parquet_file(tmp_path / "t.parquet", {"question_id": ids})):
        begun: list[tuple[str, int]] = []
        steps: list[int] = []

        def progress(phase: str, total: int, begun: Any = begun, steps: Any = steps) -> Any:
            begun.append((phase, total))
            return steps.append

        assert len(read_table(path, progress=progress).rows) == rows
        assert begun == [(READING, path.stat().st_size)]
        assert sum(steps) == (path.stat().st_size if rows or path in (table, packed) else 0)
        assert len(steps) >= rows // 1000 if path.suffix == ".parquet" else True


@pytest.mark.filterwarnings("ignore:.*its rows are structs")
def test_parquet_that_is_damaged(tmp_path: Path) -> None:
    """Whatever is overwritten: the rows, or an error that the command turns into one line; nothing else."""
    path = parquet_file(tmp_path / "t.parquet", {"a": ["x", "y"], "b": [{"c": 1}, {"c": None}]})
    whole, refused = path.read_bytes(), 0
    for start in range(0, len(whole), 61):
        path.write_bytes(whole[:start] + b"\xff" * 16 + whole[start + 16 :])
        try:
            read_table(path)
        except ValueError as error:
            assert str(error).startswith(str(path))  # noqa: PT017  there may be no error
            refused += 1
    assert refused > 1


def test_parquet_without_pyarrow_says_what_to_install(tmp_path: Path) -> None:
    """A module of the same name that cannot be imported stands before the installed one."""
    (tmp_path / "pyarrow.py").write_text("raise ImportError('not here')\n")
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    code = "from pathlib import Path; from docscore.data.files import read_table; read_table(Path('t.parquet'))"
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if "not here" in done.stderr and "docscore[parquet]" not in done.stderr:
        skip_or_fail("pyarrow is imported by something else first")
    assert "ValueError: t.parquet: reading Parquet needs pyarrow; pip install 'docscore[parquet]'" in done.stderr
    assert "During handling" not in done.stderr


def test_two_columns_of_one_name_are_an_error(tmp_path: Path) -> None:
    """As in CSV: the first was lost without a word."""
    path = parquet_file(
        tmp_path / "t.parquet", pa.table([pa.array(["a"]), pa.array(["b"])], names=["prediction", "prediction"])
    )
    with pytest.raises(ValueError, match=r"t\.parquet: column 'prediction' occurs twice$"):
        read_table(path)


DAY, NOON = dt.date(2024, 5, 1), dt.datetime(2024, 5, 1, 12, 30, tzinfo=dt.timezone.utc)
OBJECTS = pa.map_("string", pa.map_("string", "int64"))
ARROW_TYPES: list[tuple[list[Any], Any, Any]] = [  # types, a value, and the JSON value or what is wrong with it
    ([pa.null()], None, None),
    ([pa.bool_()], True, True),
    ([getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)], 7, 7),
    ([pa.float16(), pa.float32(), pa.float64()], 0.5, 0.5),
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
    (
        [OBJECTS],
        [("a", []), ("a", [])],
        "column 'prediction': expected a value that Python has, got map<",
    ),
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
def test_arrow_values_are_json_values_or_named(tmp_path: Path, kind: Any, value: Any, expected: Any) -> None:
    """The same in a Parquet file, where Parquet has the type, in a table in memory, and on the page."""
    table = pa.table({"question_id": ["a"], "prediction": pa.array([value], type=kind)})
    sides: list[Any] = [table]
    with contextlib.suppress(pa.ArrowNotImplementedError):
        sides.append(parquet_file(tmp_path / "t.parquet", table))
    references = table_of_source({"a": "x"}, "references", SAME_NAMES)
    for side, check in itertools.product(sides, (None, check_uploaded_value)):
        systems = partial(read_systems, references, check=check)
        if isinstance(expected, str) and " " in expected:
            with pytest.raises((TypeError, ValueError), match=re.escape(expected)):
                systems([table_of_source(side, "predictions", SAME_NAMES)])
        else:
            assert systems([table_of_source(side, "predictions", SAME_NAMES)])[0].predictions == [expected]


@pytest.mark.parametrize("nested", [False, True])
def test_a_date_that_python_does_not_have_is_named_with_row_and_column(tmp_path: Path, nested: bool) -> None:
    days = pa.array([0, 4_000_000], type=pa.int32()).cast(pa.date32())
    column = pa.StructArray.from_arrays([days], names=["day"]) if nested else days
    path = parquet_file(tmp_path / "t.parquet", pa.table({"prediction": column}))
    with pytest.raises(
        ValueError, match=r"t\.parquet, row 2, column 'prediction': expected a value that Python has, got "
    ):
        read_table(path)


@golden("files", "structs")
def test_keys_that_structs_were_filled_with_are_warned_of(tmp_path: Path, column: list[Any], warned: bool) -> None:
    path = parquet_file(tmp_path / "t.parquet", pa.table({"references": column}))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_table(path)
    sentence = f"{path}, column 'references': its rows are structs, in which a key that a row lacks is null"
    assert [str(each.message).startswith(sentence) for each in caught] == [True] * warned


@golden("delimiters", "headers")
def test_the_header_tells(text: str, sign: str) -> None:
    assert delimiter_of(text, ["question_id"]) == sign


@given(st.sampled_from(DELIMITERS), st.lists(st.text('ab,;|\t" \n', min_size=1), min_size=1, max_size=4, unique=True))
def test_any_file_that_has_ids_is_read_as_it_was_written(sign: str, columns: list[str]) -> None:
    """Whatever stands in the other columns: only the right sign gives a column of that name."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=sign, quoting=csv.QUOTE_ALL).writerow(["question_id", *columns])
    assert delimiter_of(file.getvalue(), ["question_id"]) == sign


def test_a_sign_that_is_given_counts(write: Write) -> None:
    path = write("t.csv", "id;n, m\na;1\n")
    assert read_table(path, delimiter=";").rows == [{"id": "a", "n, m": "1"}]
    assert read_table(write("t.tsv", "id:n\na:1\n"), delimiter=":").rows == [{"id": "a", "n": "1"}]


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


def test_many_columns_are_checked_in_one_pass() -> None:
    """40,000 columns took 15 seconds, each being compared with all others."""
    before = Counted.uses
    names: list[str] = [Counted(f"column {number}") for number in range(2000)]
    assert _checked_header(Path("p.csv"), 1, names) == names
    assert Counted.uses - before <= 4 * len(names)
