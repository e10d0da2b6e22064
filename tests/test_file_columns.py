"""Files as people have them: columns of other names, and JSON text in the columns of CSV and Parquet, on both sides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import docscore
from tests.commands import Write, run, succeed
from tests.conftest import golden

NAMES = ["--id-column", "doc", "--prediction-column", "output", "--references-column", "truth"]


def cells(*rows: dict[str, Any], sign: str = ";") -> str:
    """CSV with quoted cells; what is no text becomes JSON text."""
    texts = [[value if isinstance(value, str) else json.dumps(value) for value in row.values()] for row in rows]
    lines = [list(rows[0]), *texts]
    return "".join(sign.join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in line) + "\n" for line in lines)


def parquet(path: Path, *rows: dict[str, Any]) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as files  # noqa: PLC0415  only where it is installed

    files.write_table(pyarrow.Table.from_pylist(list(rows)), path)
    return path


PARSE = ["--parse", "json", "--parse-references", "json"]


ANSWERS: list[tuple[str, str, Any, list[str], float]] = [  # why, column, cell, options, score of ["Tea", "Rum"]
    ("a list of acceptable answers", "references", ["Tea", ["Tea", "Rum"]], [], 1.0),
    ("the same in a column of another name", "truth", ["Tea", ["Tea", "Rum"]], [], 1.0),
    ("with parsing, a column of another name holds one answer", "truth", ["Tea", "Rum"], PARSE[2:], 1.0),
    ("without, its items are answers, and none of them a list", "truth", ["Tea", "Rum"], [], 0.0),
    ("with parsing, references without a list are one answer", "references", {"a": "x"}, PARSE[2:], 0.0),
]


@pytest.mark.parametrize(("why", "column", "cell", "options", "score"), ANSWERS)
def test_what_a_cell_of_references_holds(
    write: Write, tmp_path: Path, why: str, column: str, cell: Any, options: list[str], score: float
) -> None:
    row = {"question_id": "a", column: json.dumps(cell)}
    predictions = write("p.jsonl", [{"question_id": "a", "prediction": ["Tea", "Rum"]}])
    named = [] if column == "references" else ["--references-column", column]
    for references in (
        write("r.csv", cells(row)),
        write("r.tsv", cells(row, sign="\t")),
        parquet(tmp_path / "r.parquet", row),
    ):
        found = succeed("score", references, predictions, *named, *options, "--json")
        assert json.loads(found)["anls_score"] == score, why


def test_text_that_is_no_json_is_an_answer(write: Write) -> None:
    references = write("r.csv", cells({"doc": "a", "truth": "Tea"}, {"doc": "b", "truth": "[sic"}))
    predictions = write("p.csv", cells({"doc": "a", "output": "Tea"}, {"doc": "b", "output": "[sic"}))
    assert json.loads(succeed("score", references, predictions, *NAMES, "--json"))["anls_score"] == 1.0


def test_a_csv_that_is_cut_off_loses_its_last_row(write: Write) -> None:
    references = write("r.csv", cells(*({"doc": name, "truth": "Tea"} for name in "ab")))
    cut = write("p.csv", 'doc;output\n"a";"Tea"\n"b";"Te\n')
    options = [*NAMES, "--missing", "zero"]
    assert "p.csv, line 3: the last row, which begins" in run("score", references, cut, *options).err
    done = run("score", references, cut, *options, "--on-error", "skip")
    assert (done.code, "0.000  b (missing)" in done.out) == (0, True)
    assert "1 fault: 1 cut off" in done.err


OPTIONS = "--id-column, --prediction-column and --references-column (id_column= and so on in Python) name other columns"


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
    for told in (done.err, str(caught.value)):
        assert message in told
        assert all(told.count(f"{side};") + told.count(f"{side} (") == 1 for side in columns)
        assert OPTIONS in told


@pytest.mark.parametrize("end", ["csv", "frame"])
def test_tables_name_them_too(end: str, write: Write) -> None:
    sides: list[Any] = [[{"doc": n, name: n} for n in "ab"] for name in ("truth", "output")]
    if end == "frame":
        pandas = pytest.importorskip("pandas")
        sides = [pandas.DataFrame(rows) for rows in sides]
    else:
        sides = [write(f"{name}.csv", f"doc,{name}\na,a\nb,b\n") for name in ("truth", "output")]
    with pytest.raises(ValueError, match=r"expected a column 'question_id', got 'doc', 'truth'; \S+ has") as caught:
        docscore.evaluate(references=sides[0], predictions=sides[1])
    assert str(caught.value).endswith(OPTIONS)
    names: dict[str, Any] = {"id_column": "doc", "references_column": "truth", "prediction_column": "output"}
    assert docscore.evaluate(references=sides[0], predictions=sides[1], **names).score == 1.0


@golden("foreign_columns", "documents")
def test_documents_without_ids_are_scored(
    references: list[Any], predictions: list[Any], score: float, write: Write
) -> None:
    files = write("r.jsonl", references), write("p.jsonl", predictions)
    done = run("score", *files, "--json")
    assert json.loads(done.out)["anls_score"] == pytest.approx(score)
    by_position = "are documents, paired by their position; --id-column"
    assert (by_position in done.err) == isinstance(references[0], dict)
    assert docscore.evaluate(predictions=predictions, references=references).score == pytest.approx(score)
