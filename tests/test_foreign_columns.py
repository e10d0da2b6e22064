"""Rows by id whose columns have other names are an error that names the options; documents without ids are scored."""

from __future__ import annotations

import json
from typing import Any

import pytest

import docscore
from tests.commands import Write, run

OPTIONS = "--id-column, --prediction-column and --references-column (id_column= and so on in Python) name other columns"
BY_ID = [{"question_id": "a", "references": [{"total": "1"}]}, {"question_id": "b", "references": [{"total": "2"}]}]
PREDICTED = [{"question_id": "a", "prediction": {"total": "1"}}, {"question_id": "b", "prediction": {"total": "2"}}]
TRUTHS = [{"doc": "a", "truth": {"total": "1"}}, {"doc": "b", "truth": {"total": "2"}}]


def renamed(rows: list[dict[str, Any]], **names: str) -> list[dict[str, Any]]:
    return [{names.get(key, key): value for key, value in row.items()} for row in rows]


FOREIGN: list[tuple[str, list[Any], list[Any], str]] = [  # why, both sides, what is said
    (
        "the ids on both sides",
        renamed(BY_ID, question_id="doc"),
        renamed(PREDICTED, question_id="doc"),
        "expected rows with 'question_id', got an object with 'doc', 'references'",
    ),
    (
        "the predictions, whose values have their name",
        renamed(TRUTHS, doc="sheet"),
        renamed(PREDICTED, question_id="sheet"),
        "got an object with 'sheet', 'prediction'",
    ),
    (
        "the predictions, and the references have ids",
        BY_ID,
        renamed(PREDICTED, question_id="doc", prediction="output"),
        "got an object with 'doc', 'output' (plain) as the first prediction and an object with 'question_id'",
    ),
    (
        "the values of predictions",
        BY_ID,
        renamed(PREDICTED, prediction="output"),
        "expected 'prediction' or 'prediction_text' beside 'question_id', got an object with 'question_id', 'output'",
    ),
    (
        "the values of references",
        renamed(BY_ID, references="truth"),
        PREDICTED,
        "expected 'references' or 'answers' beside 'question_id', got an object with 'question_id', 'truth'",
    ),
    (
        "ids called id",
        renamed(BY_ID, question_id="id"),
        renamed(PREDICTED, question_id="id"),
        "under 'question_id'",
    ),
]


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


BILLS: list[Any] = [{"invoice": str(n), "total": str(5 * n)} for n in range(1, 4)]
SUMS: list[Any] = [{"invoice": row["invoice"], "sum": row["total"]} for row in BILLS]
SAME: list[Any] = [{"no": n, "total": "1"} for n in ("7", "8")]
DOCUMENTS: list[tuple[str, list[Any], list[Any], float]] = [
    ("other keys that look like columns of ids and values", BILLS, SUMS, 1 / 3),
    ("columns of ids and values, which are documents where no option names them", TRUTHS, TRUTHS[::-1], 0.0),
    ("texts", ["x", "y"], ["x", "z"], 0.5),
    ("texts for objects", [{"a": "x"}, {"a": "y"}], ["n/a", "n/a"], 0.0),
    ("a field in common beside unique ones", SAME, SAME, 1.0),
    ("a field that all lack", SAME, [{"no": "7"}, {"no": "8"}], 0.5),
    ("other fields, and none unique", [{"a": "1", "b": "2"}] * 2, [{"a": "1", "c": "2"}] * 2, 1 / 3),
    ("other fields in one row", [{"no": "7", "b": "2"}], [{"no": "7", "c": "2"}], 1 / 3),
    ("a field called prediction", [{"prediction": "rain"}] * 2, [{"prediction": "rain"}] * 2, 1.0),
]


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
