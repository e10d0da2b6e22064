"""The JSON of every command: it names its format, and is what the schema of that name in docs/schemas says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.commands import PREDICTIONS, RECEIPTS, REFERENCES, Write, pred, ref, run
from tests.conftest import ROOT

NEW = RECEIPTS / "predictions_new.jsonl"
SCHEMA = ["--schema", RECEIPTS / "schema.json"]
SCHEMAS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((ROOT / "docs/schemas").glob("*.json"))}


def closed(schema: Any) -> Any:
    """The schema without members that it does not name; what an array or an object holds is closed too."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: part if name == "$defs" else closed(part) for name, part in schema.items()}
    return {"unevaluatedProperties": False, **parts} if isinstance(schema.get("properties"), dict) else parts


def validated(name: str, printed: str) -> dict[str, Any]:
    """What a command printed, held against its schema, which names every member."""
    output: dict[str, Any] = json.loads(printed)
    assert next(iter(output)) == "format"
    Draft202012Validator(closed(SCHEMAS[name])).validate(output)
    return output


def checked(name: str, *arguments: Any) -> dict[str, Any]:
    """What a command prints with `--json`, held against its schema."""
    return validated(name, run(*arguments, "--json").out)


def test_every_format_has_a_schema_and_a_line_on_the_page() -> None:
    second = ("automation", "bench_table", "compare", "score")
    formats = {name: f"docscore.{name}/{2 if name in second else 1}" for name in SCHEMAS}
    assert {name: schema["properties"]["format"]["const"] for name, schema in SCHEMAS.items()} == formats
    page = (ROOT / "docs/json_output.md").read_text("utf-8")
    for name, schema in SCHEMAS.items():
        Draft202012Validator.check_schema(schema)
        assert f"| `{schema['title']}` | `{formats[name]}` | [{name}.json](schemas/{name}.json) |" in page


BOTH = REFERENCES, PREDICTIONS
COMMANDS: list[tuple[str, list[Any]]] = [
    ("score", ["score", *BOTH]),
    ("score", ["score", *BOTH, "--fields", "--metrics", "anls_star,kieval", *SCHEMA, "--fail-under", "0.5"]),
    ("score", ["score", *BOTH, "--missing", "zero", "--parse", "repair", "--on-error", "skip", "--fields"]),
    ("score", ["score", *BOTH, "--by", "question_id", "--cluster-of-id", "^receipt-(0.)"]),
    ("compare", ["compare", PREDICTIONS, NEW, "--references", REFERENCES]),
    ("compare", ["compare", PREDICTIONS, NEW, "--references", REFERENCES, "--max-loss", "0.5", *SCHEMA]),
    ("compare", ["compare", NEW, NEW, "--references", REFERENCES, "--by", "question_id"]),
    ("table", ["table", PREDICTIONS, NEW, "--references", REFERENCES, "--against", "best", "--metrics", "kieval"]),
    ("table", ["table", f"a={PREDICTIONS}", f"a={NEW}", f"b={NEW}", "--references", REFERENCES]),
    ("explain", ["explain", *BOTH, "--id", "receipt-018"]),
    ("explain", ["explain", *BOTH, "--id", "receipt-018", *SCHEMA]),
    ("corrections", ["explain", *BOTH, "--id", "receipt-018", "--metric", "kieval"]),
]


@pytest.mark.parametrize(("name", "arguments"), COMMANDS, ids=[" ".join(map(str, row[1][:1])) for row in COMMANDS])
def test_the_output_is_what_the_schema_says(name: str, arguments: list[Any]) -> None:
    checked(name, *arguments)


def test_automation(write: Write) -> None:
    guesses = [pred(f"d{n}", {"a": {"$value": "x" if n % 3 else "y", "$confidence": n / 12}}) for n in range(12)]
    files = write("r.jsonl", [ref(f"d{n}", {"a": "x"}) for n in range(12)]), write("p.jsonl", guesses)
    assert checked("automation", "automation", *files)["curve"][-1]["threshold"] is None
    checked("automation", "automation", *files, "--target", "1")


def test_lint() -> None:
    assert validated("lint", run("lint", REFERENCES, "--format", "json").out)["findings"]


def test_bench_check(tmp_path: Path) -> None:
    assert all(each["documents"] is None for each in checked("bench_check", "bench", "check", tmp_path)["data_sets"])


def test_one_row_has_no_interval(write: Write) -> None:
    files = write("r.jsonl", [ref("a", "x")]), write("p.jsonl", [pred("a", "x")])
    found = checked("score", "score", *files, "--fields")
    assert (found["confidence_interval"], found["standard_error"]) == (None, None)
    assert found["confidence_note"]


def test_a_member_that_is_required_is_missed() -> None:
    """The schemas say something: without any one of its members an output is wrong."""
    found = checked("score", "score", *BOTH)
    schema = SCHEMAS["score"]
    for name in schema["required"]:
        assert not Draft202012Validator(schema).is_valid({key: value for key, value in found.items() if key != name})
