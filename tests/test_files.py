"""Rows from files: what each format holds, and faults named with file, line and column."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from docscore.core.runtime import READING
from docscore.data.files import read_table, read_value
from tests.conftest import ROOT, skip_or_fail

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


# why, file, content, rows, and the line or row number of each
TABLES: list[tuple[str, str, str | bytes, list[Any], list[str]]] = [
    ("one value a line", "t.jsonl", '{"a": 1}\n"x"\n', [{"a": 1}, "x"], ["line 1", "line 2"]),
    ("no line feed at the end", "t.jsonl", "1\n2", [1, 2], ["line 1", "line 2"]),
    ("blank lines are passed over and counted", "t.jsonl", "\n1\n\n \t\n2\n\n", [1, 2], ["line 2", "line 5"]),
    ("line ends of Windows", "t.jsonl", "1\r\n\r\n2\r\n", [1, 2], ["line 1", "line 3"]),
    ("a byte order mark", "t.jsonl", b'\xef\xbb\xbf"\xc3\xa9"\n', ["é"], ["line 1"]),
    (
        "separators of Unicode inside a text do not end a line",
        "t.jsonl",
        '"a\u2028b\u2029c\x85d"\n2\n',
        ["a\u2028b\u2029c\x85d", 2],
        ["line 1", "line 2"],
    ),
    ("what looks like something else stays text", "t.jsonl", '"007"\n"null"\n', ["007", "null"], ["line 1", "line 2"]),
    ("an integer of 4,300 digits", "t.jsonl", "9" * 4300, [10**4300 - 1], ["line 1"]),
    ("the other extension", "t.ndjson", "1\n", [1], ["line 1"]),
    ("an extension in capitals", "T.JSONL", "1\n", [1], ["line 1"]),
    ("a file without a row", "t.jsonl", "\n \n", [], []),
    ("a list of rows", "t.json", '[\n1,\n{"a": null}]', [1, {"a": None}], ["row 1", "row 2"]),
    ("an empty list", "t.json", "[]", [], []),
    (
        "cells are text",
        "t.csv",
        "id,n\na,007\nb,\n",
        [{"id": "a", "n": "007"}, {"id": "b", "n": ""}],
        ["line 2", "line 3"],
    ),
    ("a header alone", "t.csv", "id,n\n", [], []),
    ("nothing at all", "t.csv", "", [], []),
    ("blank lines between rows", "t.csv", "id\n\na\n\n", [{"id": "a"}], ["line 3"]),
    ("quotes doubled", "t.csv", 'id,n\na,"say ""hi"", he said"\n', [{"id": "a", "n": 'say "hi", he said'}], ["line 2"]),
    ("a line feed in quotes", "t.csv", 'id,n\na,"x\ny"\n', [{"id": "a", "n": "x\ny"}], ["line 2"]),
    ("a line end of Windows in quotes", "t.csv", 'id,n\r\na,"x\r\ny"\r\n', [{"id": "a", "n": "x\r\ny"}], ["line 2"]),
    ("a byte order mark, as Excel writes it", "t.csv", b"\xef\xbb\xbfid,n\na,1\n", [{"id": "a", "n": "1"}], ["line 2"]),
    ("a form feed, as between scanned pages", "t.csv", "id,n\na,x\fy\n", [{"id": "a", "n": "x\fy"}], ["line 2"]),
    (
        "separators of Unicode without quotes",
        "t.csv",
        "id,n\na,x\u2028y\x85z\n",
        [{"id": "a", "n": "x\u2028y\x85z"}],
        ["line 2"],
    ),
    (
        "references and answers hold JSON lists, the rest is text",
        "t.csv",
        'id,references,answers,prediction\na,"[""x"", {""y"": 1}]",[1],[1]\n',
        [{"id": "a", "references": ["x", {"y": 1}], "answers": [1], "prediction": "[1]"}],
        ["line 2"],
    ),
]


@pytest.mark.parametrize(
    ("name", "content", "rows", "places"), [row[1:] for row in TABLES], ids=[f"{row[1]}: {row[0]}" for row in TABLES]
)
def test_tables(write: Write, name: str, content: str | bytes, rows: list[Any], places: list[str]) -> None:
    path = write(name, content)
    table = read_table(path)
    assert table.rows == rows
    assert [str(table.where(i)) for i in range(len(rows))] == [f"{path}, {place}" for place in places]


# why, file, content, and the message behind the path
FAULTS: list[tuple[str, str, str | bytes, str]] = [
    ("not JSON, behind a blank line", "t.jsonl", "1\n\n{x}\n", ", line 3, column 2: "),
    ("cut off", "t.jsonl", '1\n{"a": "b\n', ", line 2, column 7: "),
    ("two values on a line", "t.jsonl", "1 2\n", ", line 1, column 3: "),
    ("one value on two lines", "t.jsonl", '{"a":\n1}\n', ": expected a JSON value on each line, got one value over 2"),
    ("half a value on a line", "t.jsonl", '{"a":\n1\n', ", line 1, column 6: "),
    ("a key twice", "t.jsonl", '1\n{"a": 1, "a": 2}\n', ", line 2, key 'a' occurs twice in one object"),
    ("nested too deep", "t.jsonl", "1\n" + "[" * 100_000, ", line 2, nested deeper than 200 levels"),
    ("not UTF-8", "t.jsonl", b'"a"\n"\xe9"\n', ", line 2: expected UTF-8 text, got the byte 0xe9"),
    ("UTF-16, as some editors save it", "t.jsonl", "1\n".encode("utf-16"), ": expected UTF-8 text, got UTF-16"),
    ("empty", "t.json", "", ": expected a JSON list of rows, got an empty file"),
    ("blank", "t.json", " \n", ": expected a JSON list of rows, got an empty file"),
    ("no list", "t.json", '{"a": 1}', ": expected a JSON list of rows, got dict"),
    ("not JSON, on the second line", "t.json", "[1,\n2,,]", ", line 2, column 3: "),
    ("a key twice, somewhere", "t.json", '[{"a": 1,\n"a": 2}]', ", key 'a' occurs twice in one object"),
    ("a cell too few", "t.csv", "id,n\na,1\nb\n", ", line 3: expected 2 cells as in the header"),
    ("a cell too many", "t.csv", "id,n\na,1,000\n", ", line 2: expected 2 cells as in the header"),
    ("a cell too many, in a separator", "t.csv", "id,n\na,x\u2028b,y\n", ", line 2: expected 2 cells as in the header"),
    (
        "references that are no JSON",
        "t.csv",
        "id,references\na,x\n",
        ", line 2, column 'references': expected a JSON list such as",
    ),
    ("empty answers", "t.csv", "id,answers\na,\n", ", line 2, column 'answers': expected a JSON list such as"),
    (
        "a quote that is not closed",
        "t.csv",
        'id,n\na,1\nb,"x\n\n',
        ", line 3: the last row, which begins here, cannot be read: unexpected end of data",
    ),
    ("the same in the header", "t.csv", 'id,"n\na,1\n', ", line 1: unexpected end of data"),
    ("text behind a closing quote", "t.csv", 'id,n\na,1\nb,"x"y\nc,2\n', ", line 3: "),
    (
        "not UTF-8, as Excel saves it",
        "t.csv",
        b"id,n\na,1\nb,\xe9\n",
        ", line 3: expected UTF-8 text, got the byte 0xe9",
    ),
    ("no Parquet", "t.parquet", "id,n\n", ": not a Parquet file"),
    (
        "an unknown extension",
        "t.txt",
        "1",
        ": expected a file name that ends in .jsonl, .ndjson, .json, .csv, .tsv, .p",
    ),
    ("no extension", "t", "1", ": expected a file name that ends in .jsonl, .ndjson, .json, .csv, .tsv"),
    ("a part of a compressed file", "t.jsonl.gz", b"\x1f\x8b", ": expected what gzip writes, got something else or"),
    ("compressed by name only", "t.jsonl.gz", "1\n", ": expected what gzip writes, got something else or a part"),
    (
        "compressed Parquet",
        "t.parquet.gz",
        b"",
        ": expected a file name that ends in .jsonl, .ndjson, .json, .csv, .tsv, ",
    ),
]


@pytest.mark.parametrize(
    ("name", "content", "message"), [row[1:] for row in FAULTS], ids=[f"{row[1]}: {row[0]}" for row in FAULTS]
)
def test_faults_name_the_file_and_the_place(write: Write, name: str, content: str | bytes, message: str) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = write(name, content)
    with pytest.raises(ValueError, match=r".") as caught:
        read_table(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_the_extension_that_is_none_is_not_quoted_as_one(write: Write) -> None:
    with pytest.raises(ValueError, match=r"got none$"):
        read_table(write("t", "1"))


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


def parquet(path: Path, columns: dict[str, Any]) -> Path:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), path)
    return path


def test_parquet_with_texts_structs_and_lists(tmp_path: Path) -> None:
    path = parquet(
        tmp_path / "t.parquet",
        {
            "question_id": ["a", "b"],
            "references": [["x", "12.50"], [None]],
            "prediction": [{"total": "1.50", "items": [{"n": 1}]}, {"total": None, "items": None}],
            "day": [date(2024, 1, 2), None],
            "price": [Decimal("1.50"), None],
        },
    )
    with pytest.warns(UserWarning, match="column 'prediction': its rows are structs"):
        table = read_table(path)
    assert table.rows == [
        {
            "question_id": "a",
            "references": ["x", "12.50"],
            "prediction": {"total": "1.50", "items": [{"n": 1}]},
            "day": date(2024, 1, 2),
            "price": Decimal("1.50"),
        },
        {
            "question_id": "b",
            "references": [None],
            "prediction": {"total": None, "items": None},
            "day": None,
            "price": None,
        },
    ]
    assert [str(table.where(i)) for i in range(2)] == [f"{path}, row 1", f"{path}, row 2"]


@pytest.mark.parametrize("rows", [0, 1, 999, 1000, 3333])
def test_progress_of_reading_ends_with_all_bytes(rows: int, tmp_path: Path) -> None:
    """Of a text and of a Parquet file, whatever is left of its last portion."""
    ids = [str(number) for number in range(rows)]
    text = tmp_path / "t.jsonl"
    text.write_text("".join(f'{{"question_id": "{each}"}}\n' for each in ids), encoding="utf-8")
    for path in (text, parquet(tmp_path / "t.parquet", {"question_id": ids})):
        begun: list[tuple[str, int]] = []
        steps: list[int] = []

        def progress(phase: str, total: int, begun: Any = begun, steps: Any = steps) -> Any:
            begun.append((phase, total))
            return steps.append

        assert len(read_table(path, progress=progress).rows) == rows
        assert begun == [(READING, path.stat().st_size)]
        assert sum(steps) == (path.stat().st_size if rows else 0)
        assert len(steps) >= rows // 1000 if path.suffix == ".parquet" else True


@pytest.mark.filterwarnings("ignore:.*its rows are structs")
def test_parquet_that_is_damaged(tmp_path: Path) -> None:
    """Whatever is overwritten: the rows, or an error that the command turns into one line; nothing else."""
    path = parquet(tmp_path / "t.parquet", {"a": ["x", "y"], "b": [{"c": 1}, {"c": None}]})
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
