"""What a browser asks about uploaded files is data from a stranger: other files, types and settings are refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from playground.file_reading import look
from playground.requests import FileChoices, FileRequest, WhatIf
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


REFUSED: list[tuple[Any, str]] = [
    ([], "request: expected an object"),
    ({"what": 1}, "request: expected an object with the keys reading, what_if"),
    ({"reading": {"prediction": 5}}, "prediction: expected the name of a column, got int"),
    ({"reading": {"parse": "eval"}}, "parse: expected one of None, json, repair, got 'eval'"),
    ({"reading": {"predictions_delimiter": "xx"}}, "predictions_delimiter: expected one of"),
    ({"reading": {"missing": {}}}, "missing: expected one of error, zero, skip, got {}"),
    ({"what_if": {"threshold": "0.5"}}, "threshold: expected a number from 0 to 1, got str"),
    ({"what_if": {"threshold": True}}, "threshold: expected a number from 0 to 1, got bool"),
    ({"what_if": {"ignore_case": 1}}, "ignore_case: expected True or False, got 1"),
    ({"what_if": {"numbers": []}}, "numbers: expected 'text' or 'value'"),
    ({"what_if": {"schema": {}}}, "schema: expected text"),
    ("{", "line 1, column 2"),
]


@pytest.mark.parametrize(("asked", "message"), REFUSED)
def test_other_choices_are_one_sentence(asked: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        FileChoices.of(asked)
    assert "\n" not in str(error.value)


def test_a_request_comes_back_as_it_went(uploads: Path) -> None:
    choices = FileChoices({"prediction": "x", "missing": "zero"}, WhatIf(0.7, ignore_case=False))
    asked = FileRequest(uploads / "r.jsonl", uploads / "p.jsonl", choices, skip=True)
    assert FileRequest.of(json.loads(asked.to_json()), uploads) == asked
    alone = FileRequest.of({"references": str(uploads / "p.jsonl"), "predictions": None}, uploads)
    assert alone == FileRequest(None, uploads / "p.jsonl")


def test_rescoring_says_what_is_different(uploads: Path) -> None:
    asked = FileRequest(uploads / "r.jsonl", uploads / "p.jsonl")
    assert rescored(asked) == {"score": 0.0, "name": "ANLS*", "words": "the settings of the result", "note": ""}
    by_value = FileChoices({}, WhatIf(numbers="value", threshold=0.9))
    found = rescored(asked._replace(choices=by_value))
    note = ". Numbers in quotes stay texts; a schema can read them."
    assert found == {"score": 1.0, "name": "ANLS*", "words": "threshold 0.9 and numbers by value", "note": note}
    typed = rescored(asked._replace(choices=FileChoices({}, WhatIf(schema='{"properties": {"nowhere": {}}}'))))
    assert typed["name"] == "typed score"
    assert typed["note"].startswith(". All values are compared as text: the schema says nothing else of the fields")
    with pytest.raises(ValueError, match="schema: expected a JSON object, got list"):
        rescored(asked._replace(choices=FileChoices({}, WhatIf(schema="[]"))))


def test_a_file_that_cannot_be_read_still_has_its_delimiter_to_choose(tmp_path: Path) -> None:
    path = written(tmp_path, "twice.csv", "a,a\n1,2\n")
    drawn = look(FileRequest(None, path))
    assert "twice.csv, line 1: column &#39;a&#39; occurs twice" in drawn
    assert 'id="read-predictions_delimiter"' in drawn
    semicolon = FileChoices({"predictions_delimiter": ";"})
    assert "occurs twice" not in look(FileRequest(None, path, semicolon))
