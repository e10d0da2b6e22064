"""Schemas that ground truths suggest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore import suggest_schema
from tests.commands import Write, pred, ref, run
from tests.test_json_output import validated

OPEN_ORDER = "dates whose order is open"
FIELDS: list[tuple[str, list[Any], str, dict[str, Any], str]] = [  # why, values, comparator, settings, note
    ("JSON numbers", [1, 2.5], "number", {}, ""),
    ("booleans", [True, False], "boolean", {}, ""),
    ("texts", ["tea", "rum"], "text", {}, ""),
    ("ISO dates", ["2024-03-12", "2024-04-01"], "date", {}, ""),
    ("one day beyond 12 proves the order", ["03.04.2024", "25.03.2024"], "date", {"date_order": "dmy"}, ""),
    ("the other order", ["03/04/2024", "03/25/2024"], "date", {"date_order": "mdy"}, ""),
    ("no day beyond 12", ["03/04/2024", "05/04/2024"], "text", {}, OPEN_ORDER),
    ("both orders", ["25/03/2024", "03/25/2024", "03/04/2024"], "text", {}, OPEN_ORDER),
    ("German months", ["12. März 2024", "1. Mai 2024"], "date", {"locale": "de"}, ""),
    ("with a time of day", ["2024-03-12 10:15", "2024-03-12 11:00"], "datetime", {}, ""),
    ("times", ["10:15", "3:40 PM"], "time", {}, ""),
    ("decimals", ["12.50", "1,200.75"], "number", {}, ""),
    ("a comma of decimals", ["12,50", "1.200,75"], "number", {}, ""),
    ("groups or decimals", ["1,200", "2,300"], "text", {}, "numbers whose separators are open"),
    ("one value shows the decimals", ["1,200", "2,300.50"], "number", {"decimal": ".", "group": ","}, ""),
    ("leading zeros", ["007", "123"], "text", {}, "digits that begin with 0"),
    ("long digits", ["4711000", "4711001"], "text", {}, "digits alone"),
    ("amounts", ["12,50 €", "€1,200.75"], "money", {}, ""),
    ("quantities", ["5 kg", "300 g"], "unit", {}, ""),
    ("phones", ["+49 30 901820", "+1 212-555-0100"], "phone", {}, ""),
    ("words of truth", ["yes", "no"], "boolean", {}, ""),
    ("one in three cannot be read", ["2024-03-12", "soon 2", "later 3"], "text", {}, ""),
    ("acceptable answers count", [("2024-03-12", "12 March 2024")], "date", {}, ""),
    ("text and number", ["12.50", 3], "number", {}, ""),
]


@pytest.mark.parametrize(
    ("values", "compare", "settings", "note"), [row[1:] for row in FIELDS], ids=[row[0] for row in FIELDS]
)
def test_the_comparator_of_a_field(values: list[Any], compare: str, settings: dict[str, Any], note: str) -> None:
    """Only what reads nearly all values in one way; the ground truths are right by it."""
    if compare in ("money", "unit", "phone") or "locale" in settings:
        pytest.importorskip({"unit": "pint", "phone": "phonenumbers"}.get(compare, "babel"))
    references = [{"x": value} for value in values]
    found = suggest_schema(references)
    [field] = found.fields
    assert (field.field, field.compare, field.settings) == ("x", compare, settings)
    assert field.note.startswith(note)
    assert bool(field.note) == bool(note)
    firsts = [{"x": value[0] if isinstance(value, tuple) else value} for value in values]
    assert docscore.evaluate(predictions=firsts, references=references, schema=found.schema).score == 1


def test_a_schema_gets_what_it_lacks() -> None:
    """Its own settings, types and references stay."""
    own = {
        "$defs": {"day": {"type": "string"}},
        "properties": {
            "date": {"$ref": "#/$defs/day"},
            "due": {"type": "string", "x-docscore": {"compare": "exact"}},
            "sum": {"type": "number"},
            "items": {"type": "array", "items": {"properties": {"when": {"type": "string"}}}},
        },
    }
    truth = {"date": "2024-03-12", "due": "2024-03-12", "sum": "12.50", "items": [{"when": "2024-03-12"}]}
    date = {"compare": "date"}
    found = suggest_schema([truth], schema=own).schema
    assert found["properties"]["date"] == {"$ref": "#/$defs/day", "x-docscore": date}
    assert found["properties"]["due"] == own["properties"]["due"]  # type: ignore[index]
    assert found["properties"]["sum"] == {"type": "number"}
    assert found["properties"]["items"]["items"]["properties"]["when"] == {"type": "string", "x-docscore": date}
    assert (
        docscore.evaluate(predictions=[{**truth, "date": "12 March 2024"}], references=[truth], schema=found).score == 1
    )


def test_a_nested_pydantic_model_gets_what_it_lacks() -> None:
    """Beside the references to the models inside, and at fields that may be null."""
    pydantic = pytest.importorskip("pydantic")
    line = pydantic.create_model("Line", when=(str, ...), sku=(str, ...))
    model = pydantic.create_model("Invoice", lines=(list[line], ...), due=(str | None, None), total=(float, ...))  # type: ignore[valid-type]
    truth = {"lines": [{"when": "2024-03-12", "sku": "x1"}], "due": "2024-03-12", "total": 5}
    found = suggest_schema([truth], schema=model).schema
    assert found["properties"]["lines"]["items"]["properties"] == {"when": {"x-docscore": {"compare": "date"}}}
    other = {"lines": [{"when": "12 March 2024", "sku": "x1"}], "due": "March 12, 2024", "total": "5.0"}
    assert docscore.evaluate(predictions=[other], references=[truth], schema=found).score == 1


def test_columns_and_json_text_of_references(write: Write) -> None:
    """The options say how the references are read, with predictions and without; files are read once."""
    rows = [{"doc": "a", "truth": '{"the date": "2024-03-12"}', "answer": '{"the date": "12 March 2024"}'}]
    columns = {"id_column": "doc", "references_column": "truth", "parse_references": "json"}
    path = write("rows.jsonl", rows)
    [alone] = suggest_schema(path, **columns).fields
    both = {**columns, "prediction_column": "answer", "parse": "json"}
    [with_losses] = suggest_schema(path, path, **both).fields
    assert alone[:2] == with_losses[:2] == ('["the date"]', "date")
    assert (alone.values, with_losses.values) == (0, 1)


def test_losses_that_a_comparator_settles(write: Write, tmp_path: Path) -> None:
    """The two values of a list of three that are written otherwise, with what they lose as text, and a wrong one."""
    references = write("refs.jsonl", [ref("a", {"sums": [1000.5, 20, 30], "shop": "Tea"})])
    predictions = write("preds.jsonl", [pred("a", {"sums": ["1,000.50", "20.0", "31"], "shop": "Tea"})])
    output = tmp_path / "schema.json"
    done = run("suggest-schema", references, predictions, "--json", "-o", output)
    assert done.code == 0
    found = validated("suggest_schema", done.out)
    first = found["fields"][0]
    assert (first["field"], first["compare"], first["values"]) == ("sums[]", "number", 2)
    assert first["specimens"] == [["1000.5", "1,000.50"], ["20", "20.0"]]
    text = docscore.evaluate(predictions=predictions, references=references).score
    typed = docscore.evaluate(predictions=predictions, references=references, schema=str(output)).score
    assert typed - text == pytest.approx(first["points"], abs=0.01)
    assert json.loads(output.read_text("utf-8")) == found["schema"]


@pytest.mark.parametrize("system", ["claude", "gemini", "gpt"])
def test_real_systems_lose_nothing_by_notation(docubench: Path, system: str) -> None:
    """Of DocuBench, by a schema from the ground truths alone."""
    references, predictions = (str(docubench / f"{name}.jsonl") for name in ("references", f"predictions_{system}"))
    schema = suggest_schema(references).schema
    found = docscore.evaluate(predictions=predictions, references=references, schema=schema)
    assert all(row["points_lost"] <= 0.002 for row in found.causes if row["cause"] == "same value")
