"""Files as people have them: columns of other names, and JSON text in the columns of CSV and Parquet, on both sides."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import docscore
from tests.commands import Write, run, succeed
from tests.conftest import golden


def cells(*rows: dict[str, Any], sign: str = ";") -> str:
    """CSV with quoted cells; what is no text becomes JSON text."""
    texts = [[value if isinstance(value, str) else json.dumps(value) for value in row.values()] for row in rows]
    lines = [list(rows[0]), *texts]
    return "".join(sign.join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in line) + "\n" for line in lines)


@golden("foreign_columns", "cells of references")
def test_what_a_cell_of_references_holds(
    write: Write, column: str, cell: Any, options: list[str], score: float
) -> None:
    row = {"question_id": "a", column: json.dumps(cell)}
    predictions = write("p.jsonl", [{"question_id": "a", "prediction": ["Tea", "Rum"]}])
    named = [] if column == "references" else ["--references-column", column]
    for references in (
        write("r.csv", cells(row)),
        write("r.tsv", cells(row, sign="\t")),
        write("r.parquet", [row]),
    ):
        found = succeed("score", references, predictions, *named, *options, "--json")
        assert json.loads(found)["anls_score"] == score
    frame = pytest.importorskip("pandas").DataFrame([row])
    how: dict[str, Any] = {"references_column": column if named else None, "parse_references": options[-1:] and "json"}
    result = docscore.evaluate(references=frame, predictions=predictions, **{k: v for k, v in how.items() if v})
    assert result.score == score


@pytest.mark.parametrize("end", ["jsonl", "parquet", "frame", "list"])
def test_a_text_in_place_of_a_list_of_answers(end: str, write: Write) -> None:
    """With parsing it is one answer, wherever it is; without, the error names the options."""
    rows = [{"question_id": "a", "references": '{"total": "1"}'}]
    references: Any = rows
    if end == "frame":
        references = pytest.importorskip("pandas").DataFrame(rows)
    elif end != "list":
        references = write(f"r.{end}", rows)
    sides: dict[str, Any] = {"references": references, "predictions": {"a": {"total": "1"}}}
    assert docscore.evaluate(**sides, parse_references="json").score == 1.0
    with pytest.raises(
        ValueError, match=r'got str; of files and frames --parse-references json \(parse_references="json"\) reads text'
    ):
        docscore.evaluate(**sides)


OPTIONS = (
    "--id-column, --prediction-column and --references-column (id_column= and so on in Python) name other columns, or "
    "paths into the rows, such as response.text"
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


BY_ID = [{"question_id": name, "references": [name]} for name in "ab"]


@golden("foreign_columns", "ids and values")
def test_ids_and_values_where_people_have_them(
    write: Write, files: dict[str, Any], predictions: str, options: list[str], outcome: float | str
) -> None:
    """In the command and in Python, whose keywords are the options."""
    references = write("r.jsonl", BY_ID)
    for name, content in files.items():
        (references.parent / name).parent.mkdir(exist_ok=True)
        is_text = name.endswith("jsonl") or content == '"b'
        write(name, content if is_text else json.dumps(content))
    system = references.parent / predictions
    keywords: dict[str, Any] = {
        name[2:].replace("-", "_"): value for name, value in zip(options[::2], options[1::2], strict=True)
    }
    done = run("score", references, system, *options, "--json")
    if isinstance(outcome, str):
        assert (done.code, outcome in done.err) == (2, True), done.err
        with pytest.raises(ValueError, match=r"^") as caught:
            docscore.evaluate(references=references, predictions=system, **keywords)
        assert outcome in str(caught.value)
    else:
        assert json.loads(done.out)["anls_score"] == outcome
        assert docscore.evaluate(references=references, predictions=system, **keywords).score == outcome


def test_folders_and_columns_of_one_side(write: Write, tmp_path: Path) -> None:
    """A folder of ground truths; two names of ids; a path that names a column of slices; and no folder for both."""
    (tmp_path / "r").mkdir()
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
    with pytest.raises(ValueError, match="references_id_column: expected a side of references, whose ids it names"):
        docscore.evaluate(predictions=rows, references_id_column="doc")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs pipes as files")
def test_a_pipe_is_read_as_jsonl(write: Write) -> None:
    reading, writing = os.pipe()
    os.write(writing, b'{"question_id": "a", "prediction": "a"}\n{"question_id": "b", "prediction": "x"}\n')
    os.close(writing)
    found = docscore.evaluate(references=write("r.jsonl", BY_ID), predictions=f"/dev/fd/{reading}")
    os.close(reading)
    assert found.score == 0.5


def test_a_file_of_documents_is_no_prediction_of_itself(write: Write) -> None:
    """Documents by their position would all be right."""
    path = write("x.jsonl", [{"a": 1}])
    with (
        pytest.warns(UserWarning, match="paired by their position"),
        pytest.raises(ValueError, match=r"x\.jsonl: it is given as"),
    ):
        docscore.evaluate(predictions=path, references=path)
