"""What a browser asks about uploaded files is data from a stranger: other files, types and settings are refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from playground.file_reading import look
from playground.requests import FileRequest
from playground.testset import rescored
from tests.commands import pred, ref, written


@pytest.fixture
def uploads(tmp_path: Path) -> Path:
    """A folder of uploads beside a file that nobody uploaded."""
    (tmp_path / "uploads").mkdir()
    written(tmp_path / "uploads", "r.jsonl", [ref("a", {"n": 1.0})])
    written(tmp_path / "uploads", "p.jsonl", [pred("a", {"n": 1})])
    written(tmp_path, "secret.jsonl", [pred("a", 1)])
    return tmp_path / "uploads"


def test_only_uploaded_files_are_read(uploads: Path) -> None:
    for name in (
        uploads / "../secret.jsonl",
        "/etc/passwd",
        "secret.jsonl",
        uploads,
        uploads / "gone.jsonl",
        7,
        "a\0b",
    ):
        with pytest.raises(ValueError, match=r"^This file is not here any more; choose it again\.$"):
            FileRequest.of({"predictions": str(name) if isinstance(name, Path) else name}, uploads)
    link = uploads / "link.jsonl"
    link.symlink_to(uploads.parent / "secret.jsonl")
    with pytest.raises(ValueError, match="not here any more"):
        FileRequest.of({"predictions": str(link)}, uploads)
    with pytest.raises(ValueError, match=r"^Choose a file\.$"):
        FileRequest.of({}, uploads)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"reading": []}, "reading: expected a valid dictionary, got []"),
    ({"reading": {"what": "x"}}, "request: expected an object with some of the keys references_id,"),
    ({"reading": {"prediction": 5}}, "reading.prediction: expected a valid string, got 5"),
    ({"reading": {"parse": "eval"}}, "parse: expected None, 'text', 'json' or 'repair', got 'eval'"),
    ({"reading": {"predictions_delimiter": "xx"}}, "predictions_delimiter: expected None, ',',"),
    ({"reading": {"missing": "null"}}, "missing: expected 'error', 'zero' or 'skip', got 'null'"),
    ({"what_if": {"threshold": "0.5"}}, "threshold: expected a number from 0 to 1, got str"),
    ({"what_if": {"ignore_case": 1}}, "ignore_case: expected True or False, got 1"),
    ({"what_if": {"numbers": []}}, "numbers: expected 'text' or 'value'"),
    ({"what_if": {"parse": "json"}}, "request: expected an object with some of the keys threshold,"),
    ({"what_if": {"schema": {}}}, "schema: expected text"),
    ({"what_if": {"schema": "[]"}}, "schema: expected a JSON object, got list"),
    ({"what_if": {"schema": "{"}}, "schema, line 1, column 2"),
    ({"metrics": ["bleu"]}, "metrics: expected some of anls_star"),
    ({"metrics": []}, "metrics: expected some of anls_star"),
    ({"skip": "no"}, "skip: expected a valid boolean, got 'no'"),
    ({"before": ["ANLS*", "1"]}, "before.1: expected a valid number"),
]


@pytest.mark.parametrize(("asked", "message"), REFUSED)
def test_other_requests_are_one_sentence(asked: dict[str, Any], message: str, uploads: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        FileRequest.of({"predictions": str(uploads / "p.jsonl"), **asked}, uploads)
    assert "\n" not in str(error.value)


def test_a_request_comes_back_as_it_went(uploads: Path) -> None:
    asked = FileRequest(
        references=uploads / "r.jsonl",
        predictions=uploads / "p.jsonl",
        reading={"prediction": "x", "missing": "zero"},
        what_if={"threshold": 0.7, "ignore_case": False},
        skip=True,
    )
    assert FileRequest.of(json.loads(asked.model_dump_json()), uploads) == asked
    alone = FileRequest.of({"references": str(uploads / "p.jsonl"), "predictions": None}, uploads)
    assert alone == FileRequest(predictions=uploads / "p.jsonl")


WHAT_IFS: list[tuple[tuple[str, float], dict[str, Any], str]] = [
    (("ANLS*", 0.25), {}, "0.2500 → 0.0000, −0.2500 with the settings of the result"),
    (
        ("ANLS*", 0.0),
        {"numbers": "value", "threshold": 0.9},
        "0.0000 → 1.0000, +1.0000 with threshold 0.9 and numbers value",
    ),
    (
        ("ANLS*", 1.0),
        {"numbers": "value"},
        "1.0000 → 1.0000, no change with numbers value. Numbers in quotes stay texts; a schema can read them.",
    ),
    (("ANLS*", 0.0), {"ignore_case": False}, "0.0000 → 0.0000, no change with ignore case off"),
    (
        ("ANLS*", 0.0),
        {"schema": '{"properties": {"nowhere": {}}}'},
        "ANLS* 0.0000 → Typed score 0.0000, no change with the schema. All values are compared as text: the schema",
    ),
    (("KIEval Entity F1", 0.0), {"normalise": True}, "0.0000 → 0.0000, no change with normalise on"),
]


@pytest.mark.parametrize(("before", "what_if", "text"), WHAT_IFS)
def test_rescoring_says_what_is_different(
    before: tuple[str, float], what_if: dict[str, Any], text: str, uploads: Path
) -> None:
    asked = {
        "references": str(uploads / "r.jsonl"),
        "predictions": str(uploads / "p.jsonl"),
        "metrics": ["kieval" if "KIEval" in before[0] else "anls_star"],
        "before": before,
        "what_if": what_if,
    }
    assert rescored(FileRequest.of(asked, uploads)).startswith(text)


def test_a_file_that_cannot_be_read_still_has_its_delimiter_to_choose(tmp_path: Path) -> None:
    path = written(tmp_path, "twice.csv", "a,a\n1,2\n")
    drawn = look(FileRequest(predictions=path))
    assert "twice.csv, line 1: column &#39;a&#39; occurs twice" in drawn
    assert 'id="read-predictions_delimiter"' in drawn
    semicolon = FileRequest(predictions=path, reading={"predictions_delimiter": ";"})
    assert "occurs twice" not in look(semicolon)
