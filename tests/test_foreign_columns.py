"""Rows by id whose columns have other names are an error that names the options; documents without ids are scored."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import docscore
from tests.commands import Write, run, succeed, written

OPTIONS = "; --id-column, --prediction-column and --references-column (id_column= and so on in Python) name other"
BY_ID = [{"question_id": "a", "references": [{"total": "1"}]}, {"question_id": "b", "references": [{"total": "2"}]}]
PREDICTED = [{"question_id": "a", "prediction": {"total": "1"}}, {"question_id": "b", "prediction": {"total": "2"}}]
TRUTHS = [{"doc": "a", "truth": {"total": "1"}}, {"doc": "b", "truth": {"total": "2"}}]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a file of the test."""
    return partial(written, tmp_path)


def renamed(rows: list[dict[str, Any]], **names: str) -> list[dict[str, Any]]:
    return [{names.get(key, key): value for key, value in row.items()} for row in rows]


FOREIGN: list[tuple[str, list[Any], list[Any], str]] = [
    (
        "both sides",
        TRUTHS,
        renamed(PREDICTED, question_id="doc", prediction="output")[::-1],
        "an object with 'doc', 'truth' and an object with 'doc', 'output', where 'doc' and 'doc' hold the same ids",
    ),
    (
        "other ids on each side",
        TRUTHS,
        renamed(PREDICTED, question_id="file", prediction="output"),
        "where 'doc' and 'file' hold the same ids",
    ),
    (
        "the ids on both sides",
        renamed(BY_ID, question_id="doc"),
        renamed(PREDICTED, question_id="doc"),
        "got an object with 'doc', 'references'",
    ),
    (
        "the predictions, whose values have their name",
        TRUTHS[:1],
        renamed(PREDICTED, question_id="doc")[:1],
        "got an object with 'doc', 'prediction'",
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
    ("ids called id", renamed(BY_ID, question_id="id"), renamed(PREDICTED, question_id="id"), "under 'question_id'"),
]


@pytest.mark.parametrize(
    ("references", "predictions", "message"), [row[1:] for row in FOREIGN], ids=[row[0] for row in FOREIGN]
)
def test_no_score_of_rows_whose_columns_have_other_names(
    references: list[Any], predictions: list[Any], message: str, write: Write
) -> None:
    lines = write("r.jsonl", references), write("p.jsonl", predictions)
    lists = write("r.json", json.dumps(references)), write("p.json", json.dumps(predictions))
    for pair in (lines, lists):
        done = run("score", *pair)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
        assert OPTIONS in done.err
        assert any(str(path) in done.err for path in pair)
    with pytest.raises(ValueError, match="--id-column") as caught:
        docscore.evaluate(predictions=predictions, references=references)
    assert message in str(caught.value)


def test_the_options_read_them(write: Write) -> None:
    names = ["--id-column", "doc", "--prediction-column", "output", "--references-column", "truth"]
    files = write("r.jsonl", TRUTHS), write("p.jsonl", renamed(PREDICTED, question_id="doc", prediction="output"))
    assert json.loads(succeed("score", *files, *names, "--json"))["anls_score"] == 1.0


def test_one_file_of_both_sides_names_them_too(write: Write) -> None:
    both = write("logs.jsonl", [{"doc": "a", "truth": "x", "output": "x"}])
    done = run("score", both)
    assert (done.code, done.out) == (2, "")
    assert "as no other file was given, got an object with 'doc', 'truth', 'output'" in done.err
    assert OPTIONS in done.err


SAME: list[Any] = [{"no": n, "total": "1"} for n in ("7", "8")]
DOCUMENTS: list[tuple[str, list[Any], list[Any], float]] = [
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
    assert json.loads(succeed("score", *files, "--json"))["anls_score"] == pytest.approx(score)
    assert docscore.evaluate(predictions=predictions, references=references).score == pytest.approx(score)
