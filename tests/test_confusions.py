"""`result.confusions`: the edits in near misses, counted by documents."""

from collections import Counter
from typing import Any

import pytest

import docscore

# What thirty documents have in a field: expected, predicted, and the edits that count, which are at most two.
FIELDS: list[tuple[int, str, Any, Any, list[tuple[str, str]]]] = [
    (12, "number", "INV-1058", "INV-1O58", [("0", "O")]),
    (9, "total", "1250,00", "1250.00", [(",", ".")]),
    (7, "shop", "Café Corner", "cafe comer", [("é", "e"), ("rn", "m")]),
    (5, "street", "Long Road  5", "Longroad 5", [(" ", "")]),
    (4, "tax", 12.5, 125, [(".", "")]),
    (3, "note", "one two three four five", "ona twa thrae four five", []),
    (2, "code", "0AB0", "OABO", [("0", "O")]),
    (8, "right", "Tea House", "tea house", []),
    (9, "price", "12.50", 12.5, []),
    (6, "wrong", "12", "95", []),
    (6, "absent", "12", None, []),
]


def thirty_documents() -> tuple[dict[str, Any], dict[str, Any]]:
    names = [f"d{number}" for number in range(30)]
    truths: dict[str, Any] = {name: {} for name in names}
    predictions: dict[str, Any] = {name: {} for name in names}
    for count, field, expected, predicted, _ in FIELDS:
        for name in names[-count:]:
            truths[name][field] = expected
            predictions[name][field] = predicted
    return truths, predictions


def test_edits_of_thirty_documents() -> None:
    truths, predictions = thirty_documents()
    result = docscore.evaluate(predictions=predictions, references=truths, confidence=None)
    values: Counter[tuple[str, str]] = Counter()
    documents: Counter[tuple[str, str]] = Counter()
    for count, *_, edits in FIELDS:
        for edit in edits:
            values[edit] += count
            documents[edit] = max(documents[edit], count)
    found = {(row["expected"], row["predicted"]): (row["documents"], row["values"]) for row in result.confusions}
    assert found == {edit: (documents[edit], values[edit]) for edit in values}
    assert [row["documents"] for row in result.confusions] == sorted(documents.values(), reverse=True)
    assert result.confusions[0]["question_id"] == "d18"
    assert result.confusions.footnotes == ("Near misses with more than 2 edits are left out: 3 of 42.",)


@pytest.mark.filterwarnings("ignore:run 1 and run 2 have the same predictions")
def test_runs_of_a_document_are_one_document() -> None:
    truths, predictions = thirty_documents()
    once = docscore.evaluate(predictions=predictions, references=truths, confidence=None)
    twice = docscore.evaluate(predictions=[predictions] * 2, references=truths, runs=True, confidence=None)
    expected = [{**row, "values": 2 * row["values"]} for row in once.confusions]
    assert list(twice.confusions) == expected


def test_capital_letters_are_edits_only_if_they_count() -> None:
    sides: dict[str, Any] = {"predictions": [{"shop": "Tea house"}], "references": [{"shop": "Tea House"}]}
    assert list(docscore.evaluate(**sides).confusions) == []
    kept = docscore.evaluate(**sides, ignore_case=False).confusions
    assert [(row["expected"], row["predicted"]) for row in kept] == [("H", "h")]


@pytest.mark.filterwarnings("ignore:total. 1 of 1 predictions cannot be read")
def test_a_value_that_a_schema_counts_as_wrong_is_a_near_miss_by_its_text() -> None:
    schema = {"properties": {"total": {"type": "number"}}}
    result = docscore.evaluate(predictions=[{"total": "1O6.50"}], references=[{"total": 106.5}], schema=schema)
    assert result.score == 0
    assert [(row["expected"], row["predicted"]) for row in result.confusions] == [("", "0"), ("0", "O")]
