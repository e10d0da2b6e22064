"""Parquet files: what Python and JSON do not have is an error with its place, or becomes what they have."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from docscore.data.files import read_table
from tests.commands import Write, pred, ref, run

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def table_file(folder: Path, table: Any) -> Path:
    path = folder / "t.parquet"
    parquet.write_table(table, path)
    return path


def test_two_columns_of_one_name_are_an_error(tmp_path: Path) -> None:
    """As in CSV: the first was lost without a word."""
    path = table_file(tmp_path, pa.table([pa.array(["a"]), pa.array(["b"])], names=["prediction", "prediction"]))
    with pytest.raises(ValueError, match=r"t\.parquet: column 'prediction' occurs twice$"):
        read_table(path)


def test_maps_are_objects(tmp_path: Path) -> None:
    """As lists of pairs, which pyarrow gives, their pairs were alternatives."""
    kind = pa.map_(pa.string(), pa.map_(pa.string(), pa.string()))
    column = pa.array([[("a", [("b", "x")])], [], None], type=kind)
    listed = pa.array(
        [[{"m": [("k", 1)]}], None, [None]], type=pa.list_(pa.struct([("m", pa.map_("string", "int64"))]))
    )
    rows = read_table(table_file(tmp_path, pa.table({"p": column, "q": listed}))).rows
    assert rows == [
        {"p": {"a": {"b": "x"}}, "q": [{"m": {"k": 1}}]},
        {"p": {}, "q": None},
        {"p": None, "q": [None]},
    ]


@pytest.mark.parametrize("nested", [False, True])
def test_a_date_that_python_does_not_have_is_named_with_row_and_column(tmp_path: Path, nested: bool) -> None:
    days = pa.array([0, 4_000_000], type=pa.int32()).cast(pa.date32())
    column = pa.StructArray.from_arrays([days], names=["day"]) if nested else days
    path = table_file(tmp_path, pa.table({"prediction": column}))
    with pytest.raises(
        ValueError, match=r"t\.parquet, row 2, column 'prediction': expected a value that Python has, got "
    ):
        read_table(path)


def test_the_command_says_it_in_one_sentence(tmp_path: Path, write: Write) -> None:
    days = pa.array([0, 4_000_000], type=pa.int32()).cast(pa.date32())
    path = table_file(tmp_path, pa.table({"question_id": ["a", "b"], "prediction": days}))
    done = run("score", write("r.jsonl", [ref("a", "x"), ref("b", "x")]), path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"docscore: {path}, row 2, column 'prediction': expected")


STRUCTS: list[tuple[str, list[Any], bool]] = [
    ("a key that one row lacks", [{"total": "1"}, {"total": "2", "tax": "3"}], True),
    ("in a list", [{"items": [{"n": "1"}, {"n": "2", "p": "3"}]}], True),
    ("in an object", [{"sum": {"net": "1"}}, {"sum": {"net": "2", "tax": "3"}}], True),
    ("all rows have all keys", [{"total": "1", "tax": "3"}, {"total": "2", "tax": "3"}], False),
    ("a row that is null", [{"total": "1"}, None], False),
    ("null in every row", [{"total": "1", "tax": None}, {"total": "2", "tax": None}], False),
    ("texts", ["x", None], False),
    ("lists of texts", [["x", None], None], False),
]


@pytest.mark.parametrize(("column", "warned"), [row[1:] for row in STRUCTS], ids=[row[0] for row in STRUCTS])
def test_keys_that_structs_were_filled_with_are_warned_of(tmp_path: Path, column: list[Any], warned: bool) -> None:
    path = table_file(tmp_path, pa.table({"references": column}))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_table(path)
    sentence = f"{path}, column 'references': its rows are structs, in which a key that a row lacks is null"
    assert [str(each.message).startswith(sentence) for each in caught] == [True] * warned


def test_the_command_prints_the_warning(tmp_path: Path, write: Write) -> None:
    found = [{"total": "1"}, {"total": "2", "tax": "3"}]
    path = table_file(tmp_path, pa.table({"question_id": ["a", "b"], "prediction": found}))
    rows = [ref("a", found[0]), ref("b", found[1])]
    done = run("score", write("r.jsonl", rows), path)
    assert done.code == 0
    assert done.err.count("its rows are structs") == 1
    assert run("score", write("r.jsonl", rows), write("p.jsonl", [pred("a", found[0]), pred("b", found[1])])).err == ""
