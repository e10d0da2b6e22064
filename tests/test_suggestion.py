"""Schemas that ground truths suggest, and checks of ground truths: each planted mistake is found, nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore import lint, suggest_schema
from docscore.core.values import convert_ground_truth
from tests.commands import Write, pred, ref, run
from tests.conftest import golden
from tests.structures import taken
from tests.test_json_output import validated


@golden("suggestion", "fields")
def test_the_comparator_of_a_field(values: list[Any], compare: str, settings: dict[str, Any], note: str) -> None:
    """Only what reads nearly all values in one way; the ground truths are right by it."""
    if compare in ("money", "unit", "phone") or "locale" in settings:
        pytest.importorskip({"unit": "pint", "phone": "phonenumbers"}.get(compare, "babel"))
    references = [{"x": value} for value in values]
    suggestion = suggest_schema(references)
    [field] = suggestion.fields
    assert (field.field, field.compare, field.settings) == ("x", compare, settings)
    assert field.note.startswith(note)
    assert bool(field.note) == bool(note)
    firsts = [{"x": taken(convert_ground_truth(value))} for value in values]
    assert docscore.evaluate(predictions=firsts, references=references, schema=suggestion.schema).score == 1


def test_all_values_are_looked_at() -> None:
    """The last of 2,601 shows that a zero matters, and an order that 4 of 100 dates need."""
    numbers = [f"{number / 10}" for number in range(10, 2610) if number % 10]
    [field] = suggest_schema([{"x": value} for value in [*numbers, "7.50"]]).fields
    assert (field.compare, field.note[:12]) == ("text", "'7.50' may b")
    [field] = suggest_schema([{"x": value} for value in ["2024-03-12"] * 96 + ["03/04/24"] * 3 + ["25/04/2024"]]).fields
    assert (field.compare, field.settings) == ("date", {"date_order": "dmy"})


def test_a_suggested_schema_accepts_its_ground_truths() -> None:
    references = [{"total": None, "lines": [{"sum": 1}, {"sum": None}]}, {"total": "7 €", "lines": None}]
    assert lint(references, schema=suggest_schema(references).schema) == []


@golden("suggestion", "percentages")
def test_predictions_show_what_a_percentage_is(
    truths: list[Any], predictions: list[Any], settings: dict[str, Any], note: str, right: bool
) -> None:
    references, answers = ([{"x": value} for value in side] for side in (truths, predictions))
    suggestion = suggest_schema(references, answers)
    [field] = suggestion.fields
    assert (field.compare, field.settings, bool(field.note)) == ("number", settings, bool(note))
    result = docscore.evaluate(predictions=answers, references=references, schema=suggestion.schema)
    assert (result.score == 1) is right


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
    suggestion = suggest_schema([truth], schema=own).schema
    assert suggestion["properties"]["date"] == {"$ref": "#/$defs/day", "x-docscore": date}
    assert suggestion["properties"]["due"] == own["properties"]["due"]  # type: ignore[index]
    assert suggestion["properties"]["sum"] == {"type": "number"}
    assert suggestion["properties"]["items"]["items"]["properties"]["when"] == {"type": "string", "x-docscore": date}
    assert (
        docscore.evaluate(predictions=[{**truth, "date": "12 March 2024"}], references=[truth], schema=suggestion).score
        == 1
    )


def test_a_nested_pydantic_model_gets_what_it_lacks() -> None:
    """Beside the references to the models inside, and at fields that may be null."""
    pydantic = pytest.importorskip("pydantic")
    line = pydantic.create_model("Line", when=(str, ...), sku=(str, ...))
    model = pydantic.create_model("Invoice", lines=(list[line], ...), due=(str | None, None), total=(float, ...))  # type: ignore[valid-type]
    truth = {"lines": [{"when": "2024-03-12", "sku": "x1"}], "due": "2024-03-12", "total": 5}
    suggestion = suggest_schema([truth], schema=model).schema
    assert suggestion["properties"]["lines"]["items"]["properties"] == {"when": {"x-docscore": {"compare": "date"}}}
    other = {"lines": [{"when": "12 March 2024", "sku": "x1"}], "due": "March 12, 2024", "total": "5.0"}
    assert docscore.evaluate(predictions=[other], references=[truth], schema=suggestion).score == 1


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
    predictions = write("preds.jsonl", [pred("a", {"sums": ["1,000.50", "20.0", "47"], "shop": "Tea"})])
    output = tmp_path / "schema.json"
    done = run("suggest-schema", references, predictions, "--json", "-o", output)
    assert done.code == 0
    suggestion = validated("suggest_schema", done.out)
    first = suggestion["fields"][0]
    assert (first["field"], first["compare"], first["values"]) == ("sums[]", "number", 2)
    assert first["specimens"] == [["1000.5", "1,000.50"], ["20", "20.0"]]
    text = docscore.evaluate(predictions=predictions, references=references).score
    typed = docscore.evaluate(predictions=predictions, references=references, schema=str(output)).score
    assert typed - text == pytest.approx(first["points"], abs=0.01)
    assert json.loads(output.read_text("utf-8")) == suggestion["schema"]


def test_numbers_that_are_predicted_with_a_currency_are_money() -> None:
    pytest.importorskip("babel")
    references = [{"sum": 1234.5, "count": 3}, {"sum": 43.8, "count": 5}]
    predictions = [{"sum": "1.234,50 €", "count": "3"}, {"sum": "43,80 €", "count": "5.0"}]
    suggestion = suggest_schema(references, predictions)
    assert {one[:2]: one.values for one in suggestion.fields} == {("sum", "money"): 2, ("count", "number"): 1}
    assert docscore.evaluate(predictions=predictions, references=references, schema=suggestion.schema).score == 1


@pytest.mark.filterwarnings("ignore:.* cannot be read as :UserWarning")
@pytest.mark.parametrize("system", ["claude", "gemini", "gpt"])
def test_real_systems_lose_nothing_by_notation(docubench: Path, system: str) -> None:
    """Of DocuBench, by a schema from the ground truths alone."""
    references, predictions = (str(docubench / f"{name}.jsonl") for name in ("references", f"predictions_{system}"))
    schema = suggest_schema(references).schema
    evaluation = docscore.evaluate(predictions=predictions, references=references, schema=schema)
    assert all(row["points_lost"] <= 0.002 for row in evaluation.causes if row["cause"] == "different notation")


SCHEMA = {
    "type": "object",
    "properties": {
        "shop": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "total": {"type": ["number", "string"], "x-docscore": {"compare": "number"}},
        "items": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
}
CLEAN = {
    f"d{number}": {
        "shop": "Kontor Nord",
        "date": f"2024-03-{10 + number}",
        "total": 10.5 + number,
        "items": [{"name": f"tea {number}"}],
    }
    for number in range(6)
}


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    assert lint(CLEAN, schema=SCHEMA) == []


@golden("lint", "errors")
def test_a_planted_error_is_found(kind: str, place: str, content: dict[str, Any], cases: int) -> None:
    """With its place, how often it occurs, and the document."""
    findings = lint({**CLEAN, "odd": {**CLEAN["d5"], "items": [{"name": "rum"}], **content}}, schema=SCHEMA)
    [finding] = [finding for finding in findings if (finding.kind, finding.place) == (kind, place)]
    assert finding.cases == cases
    assert "odd" in finding.ids or kind == "several types"


def test_without_a_schema_values_are_compared_with_the_others() -> None:
    truths = {f"d{number}": {"date": f"2024-{1 + number % 12:02}-{10 + number // 12}"} for number in range(25)}
    [finding] = lint({**truths, "odd": {"date": "soon 2024"}})
    assert (finding.kind, finding.place, finding.ids) == ("unread", "date", ("odd",))


@golden("lint", "merged")
def test_values_that_a_comparator_makes_equal(values: list[str], settings: dict[str, Any], merged: list[str]) -> None:
    """They are named where the comparator would not be suggested, with their documents."""
    pytest.importorskip({"unit": "pint", "money": "babel"}.get(settings["compare"], "json"))
    truths = {f"d{number}": {"x": value} for number, value in enumerate(values)}
    findings = lint(truths, schema={"properties": {"x": {"x-docscore": settings}}})
    found = [finding for finding in findings if finding.kind == "merged values"]
    assert [finding.ids for finding in found] == (
        [tuple(f"d{values.index(text)}" for text in merged)] if merged else []
    )
    assert all(str(merged)[1:-1] in finding.text for finding in found)


@golden("lint", "keys")
def test_a_rare_key_that_is_near_another(common: dict[str, Any], rare: dict[str, Any], found: list[str]) -> None:
    """One document of eighty has it, and none has both."""
    findings = lint({**{f"d{number}": common for number in range(79)}, "odd": rare})
    named = [(finding.place, finding.ids) for finding in findings if finding.kind == "rare key"]
    assert named == [(place, ("odd",)) for place in found]


def test_a_value_is_named_once_and_rows_by_their_key() -> None:
    """A text where the schema says number is of a wrong type, and not also unread and of a rare type."""
    row = {"properties": {"no": {"type": "integer"}, "sum": {"type": "number"}}}
    schema = {"properties": {"items": {"x-docscore": {"key": "no"}, "items": row}, "day": {"format": "date"}}}
    lists = [[{"no": 1, "sum": 2}, {"no": 1, "sum": "two"}, {"sum": 3}], [{"no": 1, "sum": 2}, {"no": 2, "sum": 4}]]
    truths = {
        name: {"items": rows, "day": day} for name, rows, day in zip("ab", lists, ("soon", "3/4/2024"), strict=True)
    }
    found = {(finding.kind, finding.place): finding for finding in lint(truths, schema=schema)}
    assert list(found) == [
        ("schema: type", "items[].sum"),
        ("missing key", "items[]"),
        ("repeated key", "items[]"),
        ("unread", "day"),
    ]
    assert all(finding.cases == 1 for finding in found.values())


def test_the_worst_findings_come_first() -> None:
    """In words of JSON, each with its documents."""
    rows = [
        ref("a", {"sum": None, "shop": "Kontor Nord"}),
        ref("a", {"sum": 5, "shop": "Kontor Nord "}),
        *(ref(f"n{number}", {"sum": number, "shop": "Kontor Nord"}) for number in range(4)),
        ref("b", {"sum": "5", "shop": "Kontor Nort", "paid": 3}),
    ]
    paid = {"x-docscore": {"compare": "boolean"}}
    schema = {"properties": {"sum": {"type": ["string", "number"]}, "shop": {"type": "string"}, "paid": paid}}
    findings = lint(rows, schema=schema)
    kinds = ["duplicate id", "schema: type", "several types", "spelling", "unread", "white space"]
    assert list(dict.fromkeys(finding.kind for finding in findings)) == kinds
    assert findings[1].text == "such as: null is not of type 'string', 'number'"
    assert all(finding.ids for finding in findings)


@pytest.mark.filterwarnings("ignore:.* cannot be read as :UserWarning")
def test_a_schema_for_each_value_of_a_column(write: Write, tmp_path: Path) -> None:
    """Written by one command and taken by others; the signature tells the folder and the column."""
    dates = {"Ship/Co": ("25.03.2024", "03.04.2024"), "Acme": ("03/25/2024", "03/04/2024")}
    truths = [
        {**ref(f"{shop} {number}", {"date": value}), "shop": shop}
        for shop, values in dates.items()
        for number, value in enumerate(values)
    ]
    days = ("2024-03-25", "2024-04-03", "2024-03-25", "2024-03-04")
    rows = [pred(row["question_id"], {"date": day}) for row, day in zip(truths, days, strict=True)]
    references, predictions = write("refs.jsonl", truths), write("preds.jsonl", rows)
    folder = tmp_path / "schemas"
    done = run("suggest-schema", references, predictions, "--by", "shop", "-o", folder, "--json")
    slices = validated("suggest_schema", done.out)["slices"]
    assert [part["fields"][0]["settings"]["date_order"] for part in slices.values()] == ["dmy", "mdy"]
    written = [json.loads((folder / f"{name}.json").read_text("utf-8")) for name in ("Ship%2FCo", "Acme")]
    assert written == [part.schema for part in suggest_schema(references, by="shop").slices.values()]
    by_shop: dict[str, Any] = {"references": references, "schema": str(folder), "schema_by": "shop"}
    result = docscore.evaluate(predictions=predictions, by="shop", **by_shop)
    assert result.score == result.of_slice("Acme").score == 1
    other = {row["question_id"]: {"date": "?"} for row in truths}
    assert docscore.evaluate(predictions=[predictions, other], runs=True, **by_shop).score == 0.5
    flags = ("--schema", folder, "--schema-by", "shop")
    assert "|schema-by:shop|" in run("score", references, predictions, *flags).out
    assert "1.000" in run("explain", references, predictions, "--id", "Acme 1", *flags).out
    assert run("lint", references, *flags).out == "No findings\n"
    (folder / "Acme.json").unlink()
    refused = run("compare", predictions, write("others.jsonl", rows), "--references", references, *flags)
    assert refused.code == 2
    assert "row 'Acme 0': schema: expected a file Acme.json in" in refused.err
    for wrong in ({**by_shop, "schema": {}}, {**by_shop, "schema_by": 3}, {**by_shop, "schema": None}):
        with pytest.raises(
            ValueError, match=r"^schema_by: expected the name of a column, and a folder of schemas, got"
        ):
            docscore.evaluate(predictions=predictions, **wrong)
