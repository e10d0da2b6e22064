"""The JSON of every command: it names its format, and is as docs/json_output.md says."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import docscore
from docscore.cli.json_format import VERSIONS
from tests.commands import PREDICTIONS, RECEIPTS, REFERENCES, Write, pred, ref, run, written
from tests.conftest import ROOT

NEW = RECEIPTS / "predictions_new.jsonl"
SCHEMA = ["--schema", RECEIPTS / "schema.json"]
PAGE = (ROOT / "docs/json_output.md").read_text("utf-8")
SCHEMAS = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)]
DOCUMENTED = {schema["properties"]["format"]["const"]: schema for schema in SCHEMAS}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a file of the test."""
    return partial(written, tmp_path)


def checked(name: str, *arguments: Any) -> dict[str, Any]:
    """What a command prints, held against its schema; all that is required is named in the schema too."""
    found: dict[str, Any] = json.loads(run(*arguments, "--json").out)
    assert next(iter(found)) == "format"
    schema = DOCUMENTED[found["format"]]
    assert found["format"].startswith(f"docscore.{name}/")
    Draft202012Validator(schema).validate(found)
    return found


def test_every_format_is_documented_once() -> None:
    assert DOCUMENTED.keys() == {f"docscore.{name}/{version}" for name, version in VERSIONS.items()}
    for schema in DOCUMENTED.values():
        Draft202012Validator.check_schema(schema)


BOTH = REFERENCES, PREDICTIONS
COMMANDS: list[tuple[str, list[Any]]] = [
    ("score", ["score", *BOTH]),
    ("score", ["score", *BOTH, "--fields", "--metrics", "anls_star,kieval", *SCHEMA, "--fail-under", "0.5"]),
    ("score", ["score", *BOTH, "--missing", "zero", "--parse", "repair", "--on-error", "skip", "--fields"]),
    ("score", ["score", *BOTH, "--by", "question_id", "--cluster-of-id", "^receipt-(0.)"]),
    ("compare", ["compare", PREDICTIONS, NEW, "--references", REFERENCES]),
    ("compare", ["compare", PREDICTIONS, NEW, "--references", REFERENCES, "--fail-below", "0.5", *SCHEMA]),
    ("compare", ["compare", NEW, NEW, "--references", REFERENCES]),
    ("table", ["table", PREDICTIONS, NEW, "--references", REFERENCES, "--against", "best", "--metrics", "kieval"]),
    ("explain", ["explain", *BOTH, "--id", "receipt-018"]),
    ("explain", ["explain", *BOTH, "--id", "receipt-018", *SCHEMA]),
    ("corrections", ["explain", *BOTH, "--id", "receipt-018", "--metric", "kieval"]),
]


@pytest.mark.parametrize(("name", "arguments"), COMMANDS, ids=[" ".join(map(str, row[1][:1])) for row in COMMANDS])
def test_the_output_is_as_documented(name: str, arguments: list[Any]) -> None:
    checked(name, *arguments)


def test_automation(write: Write) -> None:
    guesses = [pred(f"d{n}", {"a": {"$value": "x" if n % 3 else "y", "$confidence": n / 12}}) for n in range(12)]
    files = write("r.jsonl", [ref(f"d{n}", {"a": "x"}) for n in range(12)]), write("p.jsonl", guesses)
    assert checked("automation", "automation", *files)["curve"][-1]["threshold"] is None
    checked("automation", "automation", *files, "--target", "1")


def test_bench_check(tmp_path: Path) -> None:
    assert all(each["documents"] is None for each in checked("bench_check", "bench", "check", tmp_path)["data_sets"])


def test_one_row_has_no_interval(write: Write) -> None:
    files = write("r.jsonl", [ref("a", "x")]), write("p.jsonl", [pred("a", "x")])
    found = checked("score", "score", *files, "--fields")
    assert (found["confidence_interval"], found["standard_error"]) == (None, None)
    assert found["confidence_note"]


def test_the_result_in_python_has_the_same_members() -> None:
    found = checked("score", "score", *BOTH, "--fields")
    result = docscore.evaluate(references=REFERENCES, predictions=PREDICTIONS).to_dict()
    assert json.loads(json.dumps(result)) == {name: value for name, value in found.items() if name != "format"}


def test_a_member_that_is_required_is_missed() -> None:
    """The schemas say something: without any one of its members an output is wrong."""
    found = checked("score", "score", *BOTH)
    schema = DOCUMENTED[found["format"]]
    for name in schema["required"]:
        assert not Draft202012Validator(schema).is_valid({key: value for key, value in found.items() if key != name})
