"""Rows by id whose columns have other names are an error that names the options; documents without ids are scored."""

from __future__ import annotations

import json
from typing import Any

import pytest

import docscore
from tests.commands import Write, run
from tests.conftest import table

OPTIONS = "--id-column, --prediction-column and --references-column (id_column= and so on in Python) name other columns"


FOREIGN = table("foreign_columns", "columns of other names")  # why, references, predictions, message


@pytest.mark.parametrize(
    ("references", "predictions", "message"), [row[1:] for row in FOREIGN], ids=[row[0] for row in FOREIGN]
)
def test_rows_with_a_key_of_the_formats_are_no_documents(
    references: list[Any], predictions: list[Any], message: str, write: Write
) -> None:
    """The error lists the columns of both sides, and the options that name others."""
    done = run("score", write("r.jsonl", references), write("p.jsonl", predictions))
    assert (done.code, done.out) == (2, "")
    with pytest.raises(ValueError, match="column") as caught:
        docscore.evaluate(predictions=predictions, references=references)
    for told in (done.err, str(caught.value)):
        assert message in told
        assert told.count(" has '") == 2
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


def test_one_file_of_both_sides_names_them_too(write: Write) -> None:
    done = run("score", write("logs.jsonl", [{"sheet": "a", "truth": "x", "output": "x"}]))
    assert (done.code, done.out) == (2, "")
    assert "as no other file was given, got an object with 'sheet', 'truth', 'output'" in done.err
    assert OPTIONS in done.err


DOCUMENTS = table("foreign_columns", "documents")  # why, references, predictions, score


@pytest.mark.parametrize(
    ("references", "predictions", "score"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS]
)
def test_documents_without_ids_are_scored(
    references: list[Any], predictions: list[Any], score: float, write: Write
) -> None:
    files = write("r.jsonl", references), write("p.jsonl", predictions)
    done = run("score", *files, "--json")
    assert json.loads(done.out)["anls_score"] == pytest.approx(score)
    by_position = "are documents, paired by their position; --id-column"
    assert (by_position in done.err) == isinstance(references[0], dict)
    assert docscore.evaluate(predictions=predictions, references=references).score == pytest.approx(score)
