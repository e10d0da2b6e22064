"""The JSON of commands names its format, and is what the schema of that name in docs/schemas says; see test_cli.py."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.commands import NEW, PREDICTIONS, REFERENCES, run, succeed
from tests.conftest import ROOT

SCHEMAS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((ROOT / "docs/schemas").glob("*.json"))}


def closed(schema: Any) -> Any:
    """The schema without members that it does not name; what an array or an object holds is closed too."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: part if name == "$defs" else closed(part) for name, part in schema.items()}
    return {"unevaluatedProperties": False, **parts} if isinstance(schema.get("properties"), dict) else parts


def members(schema: Any, values: list[Any], place: str = "", root: Any = None) -> Iterator[tuple[str, bool]]:
    """Each member that a schema describes, by its path, and whether one of the values at its place has it.

    What another part of the schema describes has the path of that part, so a path can occur several times.
    """
    if not isinstance(schema, dict):
        return
    root = schema if root is None else root
    if values and "$ref" in schema:
        _, *steps = schema["$ref"].split("/")
        path = re.sub(
            r"/properties/(\w+)|/items|[#$/\w]", lambda step: f"{step[1]}." if step[1] else "", schema["$ref"]
        )
        yield from members(reduce(getitem, steps, root), values, path, root)
    objects = [value for value in values if isinstance(value, dict)]
    named = schema.get("properties", {})
    for name, part in named.items():
        held = [value[name] for value in objects if name in value]
        yield f"{place}{name}", bool(held)
        yield from members(part, held, f"{place}{name}.", root)
    others = [part for value in objects for name, part in value.items() if name not in named]
    yield from members(schema.get("additionalProperties"), others, f"{place}*.", root)
    items = [item for value in values if isinstance(value, list) for item in value]
    yield from members(schema.get("items"), items, place, root)
    for part in (*schema.get("oneOf", []), *schema.get("anyOf", [])):
        yield from members(part, values, place, root)


def validated(name: str, printed: str) -> dict[str, Any]:
    """What a command printed, JSON for every parser, held against its schema, which names every member."""
    output: dict[str, Any] = json.loads(printed, parse_constant=pytest.fail)
    assert next(iter(output)) == "format"
    Draft202012Validator(closed(SCHEMAS[name])).validate(output)
    return output


def test_every_format_has_a_schema_and_a_line_on_the_page() -> None:
    versions = {"automation": 3, "bench_table": 3, "compare": 3, "score": 3}
    formats = {name: f"docscore.{name}/{versions.get(name, 1)}" for name in SCHEMAS}
    assert {name: schema["properties"]["format"]["const"] for name, schema in SCHEMAS.items()} == formats
    page = (ROOT / "docs/json_output.md").read_text("utf-8")
    for name, schema in SCHEMAS.items():
        Draft202012Validator.check_schema(schema)
        assert f"| `{schema['title']}` | `{formats[name]}` | [{name}.json](schemas/{name}.json) |" in page


def test_bench_check(tmp_path: Path) -> None:
    output = validated("bench_check", run("bench", "check", tmp_path, "--json").out)
    assert all(each["documents"] is None for each in output["data_sets"])


def test_rows_are_printed_only_if_asked_for() -> None:
    files = PREDICTIONS, NEW, "--references", REFERENCES
    for name, arguments, rows in (("score", (REFERENCES, PREDICTIONS), "per_sample"), ("compare", files, "better")):
        command = [name, *arguments, "--json", *(["--changes", "2"] if name == "compare" else [])]
        short, full = validated(name, succeed(*command)), validated(name, succeed(*command, "--rows"))
        assert len(short.pop(rows, [])) == (2 if name == "compare" else 0)
        assert len(full.pop(rows)) == full.get("better_count", full["rows"])
        assert {**short, "worse": None} == {**full, "worse": None}
    assert run("score", REFERENCES, PREDICTIONS, "--rows").err.startswith("docscore: --rows needs --json")


def test_a_member_that_is_required_is_missed() -> None:
    """The schemas say something: without any one of its members an output is wrong."""
    output = validated("score", run("score", REFERENCES, PREDICTIONS, "--json").out)
    schema = SCHEMAS["score"]
    for name in schema["required"]:
        assert not Draft202012Validator(schema).is_valid({key: value for key, value in output.items() if key != name})
