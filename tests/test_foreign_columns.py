"""Rows by id whose columns have other names are an error that names the options; documents without ids are scored."""

from __future__ import annotations

import json
import shlex
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import docscore
from tests.commands import Write, run, succeed, written

OPTIONS = "--id-column, --prediction-column and --references-column (id_column= and so on in Python) name other columns"
APART = "look like the ids, which need one name on both sides; 'truth' looks like the ground truth, 'output'"
ID, TRUTH, OUTPUT = "--id-column doc", "--references-column truth", "--prediction-column output"
BY_ID = [{"question_id": "a", "references": [{"total": "1"}]}, {"question_id": "b", "references": [{"total": "2"}]}]
PREDICTED = [{"question_id": "a", "prediction": {"total": "1"}}, {"question_id": "b", "prediction": {"total": "2"}}]
TRUTHS = [{"doc": "a", "truth": {"total": "1"}}, {"doc": "b", "truth": {"total": "2"}}]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a file of the test."""
    return partial(written, tmp_path)


def renamed(rows: list[dict[str, Any]], **names: str) -> list[dict[str, Any]]:
    return [{names.get(key, key): value for key, value in row.items()} for row in rows]


LINES = [{"id": n, "split": "test", "lang": "de", "my label": {"total": str(n)}} for n in range(5)]
FOREIGN: list[tuple[str, list[Any], list[Any], str, str]] = [  # why, both sides, message, what it says to do
    (
        "both sides",
        TRUTHS,
        renamed(PREDICTED, question_id="doc", prediction="output")[::-1],
        "an object with 'doc', 'truth' and an object with 'doc', 'output', where 'doc' and 'doc' hold the same ids",
        f"'output' looks like the prediction: {ID} {TRUTH} {OUTPUT} (id_column='doc', references_column='truth', ",
    ),
    (
        "other ids on each side",
        TRUTHS,
        renamed(PREDICTED, question_id="file", prediction="output"),
        "where 'doc' and 'file' hold the same ids",
        f"'doc' and 'file' {APART} looks like the prediction: {TRUTH} {OUTPUT} (",
    ),
    (
        "the ids on both sides",
        renamed(BY_ID, question_id="doc"),
        renamed(PREDICTED, question_id="doc"),
        "got an object with 'doc', 'references'",
        f"; 'doc' looks like the id: {ID} (id_column='doc' in Python)",
    ),
    (
        "the predictions, whose values have their name",
        renamed(TRUTHS, doc="sheet")[:1],
        renamed(PREDICTED, question_id="sheet")[:1],
        "got an object with 'sheet', 'prediction'",
        f"; 'truth' looks like the ground truth: {TRUTH} (references_column='truth' in Python); {OPTIONS}",
    ),
    (
        "the predictions, with ids in a column that is named like one",
        TRUTHS[:1],
        renamed(PREDICTED, question_id="doc")[:1],
        "got an object with 'doc', 'prediction'",
        f"'doc' looks like the id, 'truth' looks like the ground truth: {ID} {TRUTH} (id_column='doc', ",
    ),
    (
        "the predictions, and the references have ids",
        BY_ID,
        renamed(PREDICTED, question_id="doc", prediction="output"),
        "got an object with 'doc', 'output' (plain) as the first prediction and an object with 'question_id'",
        f"; 'question_id' and 'doc' {APART[:48]}",
    ),
    (
        "the values of predictions",
        BY_ID,
        renamed(PREDICTED, prediction="output"),
        "expected 'prediction' or 'prediction_text' beside 'question_id', got an object with 'question_id', 'output'",
        f"; 'output' looks like the prediction: {OUTPUT} (prediction_column='output' in Python)",
    ),
    (
        "the values of references",
        renamed(BY_ID, references="truth"),
        PREDICTED,
        "expected 'references' or 'answers' beside 'question_id', got an object with 'question_id', 'truth'",
        f"; 'truth' looks like the ground truth: {TRUTH} (references_column='truth' in Python)",
    ),
    (
        "ids called id",
        renamed(BY_ID, question_id="id"),
        renamed(PREDICTED, question_id="id"),
        "under 'question_id'",
        "; 'id' looks like the id: --id-column id (id_column='id' in Python)",
    ),
    (
        "other columns on both sides, and one id on one side only",
        LINES,
        renamed([{**row, "id": row["id"] or 9} for row in LINES], **{"my label": "model_output"}),
        "where 'id' and 'id' hold common ids",
        "--id-column id --references-column 'my label' --prediction-column model_output (",
    ),
]


@pytest.mark.parametrize(
    ("references", "predictions", "message", "remedy"), [row[1:] for row in FOREIGN], ids=[row[0] for row in FOREIGN]
)
def test_no_score_of_rows_whose_columns_have_other_names(
    references: list[Any], predictions: list[Any], message: str, remedy: str, write: Write
) -> None:
    lines = write("r.jsonl", references), write("p.jsonl", predictions)
    lists = write("r.json", json.dumps(references)), write("p.json", json.dumps(predictions))
    for pair in (lines, lists):
        done = run("score", *pair)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
        assert remedy in done.err
        assert any(str(path) in done.err for path in pair)
    with pytest.raises(ValueError, match="column") as caught:
        docscore.evaluate(predictions=predictions, references=references)
    assert message in str(caught.value)
    assert remedy in str(caught.value)


@pytest.mark.parametrize(("references", "predictions"), [FOREIGN[number][1:3] for number in (0, 2, 6, 7, 8)])
def test_the_options_that_are_named_read_them(references: list[Any], predictions: list[Any], write: Write) -> None:
    files = write("r.jsonl", references), write("p.jsonl", predictions)
    named = run("score", *files).err.partition("looks like")[2].partition(": --")[2].partition(" (")[0]
    assert json.loads(succeed("score", *files, *shlex.split(f"--{named}"), "--json"))["anls_score"] == 1.0


@pytest.mark.parametrize("end", ["csv", "frame"])
def test_tables_name_them_too(end: str, write: Write) -> None:
    sides: list[Any] = [[{"doc": n, name: n} for n in "ab"] for name in ("truth", "output")]
    if end == "frame":
        pandas = pytest.importorskip("pandas")
        sides = [pandas.DataFrame(rows) for rows in sides]
    else:
        sides = [write(f"{name}.csv", f"doc,{name}\na,a\nb,b\n") for name in ("truth", "output")]
    with pytest.raises(ValueError, match=r"expected a column 'question_id', got 'doc', 'truth'; 'doc' looks") as caught:
        docscore.evaluate(references=sides[0], predictions=sides[1])
    assert f"{ID} {TRUTH} {OUTPUT} (" in str(caught.value)


def test_one_file_of_both_sides_names_them_too(write: Write) -> None:
    for name, remedy in (("sheet", OPTIONS), ("doc", f"{ID} {TRUTH} {OUTPUT} (id_column='doc'")):
        done = run("score", write("logs.jsonl", [{name: "a", "truth": "x", "output": "x"}]))
        assert (done.code, done.out) == (2, "")
        assert f"as no other file was given, got an object with '{name}', 'truth', 'output'" in done.err
        assert remedy in done.err


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
