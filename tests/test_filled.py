"""Places that are empty in the ground truth, and how often predictions fill them; words for nothing."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import docscore
from docscore.core.values import convert_ground_truth
from tests.conftest import golden

pytestmark = pytest.mark.filterwarnings("ignore::docscore.core.errors.DataWarning")  # of documents this odd

EMPTY: tuple[Any, ...] = (None, "", [])


def counts_by_field(result: docscore.Evaluation) -> dict[str, list[int]]:
    return {row["field"]: [row["hits"], row["total"]] for row in result.filled_although_empty}


@golden("filled", "filled")
def test_each_topmost_empty_place_is_one_opportunity(
    truth: Any, prediction: Any, schema: Any, filled: dict[str, list[int]]
) -> None:
    """Also with ANLS* first, which does not read the schema, in two documents and with a missing prediction."""
    rows = {"a": convert_ground_truth(truth), "b": convert_ground_truth(truth), "c": None}
    for metrics in [None] if schema is None else [None, ["anls_star"]]:
        result = docscore.evaluate(
            predictions={"a": prediction, "b": prediction},
            references=rows,
            missing="zero",
            schema=schema,
            metrics=metrics,
            confidence=None,
        )
        assert counts_by_field(result) == {field: [2 * part for part in counts] for field, counts in filled.items()}
        total = [row for row in result.rates if row["rate"] == "filled although empty"]
        assert [(row["hits"], row["total"]) for row in total] == (
            [tuple(2 * sum(part) for part in zip(*filled.values(), strict=True))] if filled else []
        )


def test_in_options_nothing_counts_where_regions_choose_the_matching() -> None:
    """The metric grounding counts fields in the matching that it chooses."""
    truth = {"v": {"$one_of": [{"n": None, "m": "1"}, {"n": "x", "m": "2"}]}, "a": None}
    references = [{"question_id": "0", "references": [truth], "evidence": {"v.m": [{"page": 1}]}}]
    predictions = [{"question_id": "0", "prediction": {"v": {"n": "y", "m": "1"}, "a": "1"}}]
    metrics = ["anls_star", "grounding"]
    result = docscore.evaluate(predictions=predictions, references=references, metrics=metrics, confidence=None)
    assert counts_by_field(result) == {"a": [1, 1]}


def empty_places(truth: Any, prediction: Any, path: str = "") -> Iterator[tuple[str, bool]]:
    """Yield the field of each empty place of documents whose rows have an id, and whether it is filled."""
    if truth in EMPTY:
        yield path, prediction not in EMPTY
    elif isinstance(truth, dict):
        for key, part in truth.items():
            yield from empty_places(part, prediction.get(key), f"{path}.{key}".lstrip("."))
    elif isinstance(truth, list):
        partners = {row["id"]: row for row in prediction}
        for row in truth:
            if row["id"] in partners:
                yield from empty_places(row, partners[row["id"]], f"{path}[]")


def thirty_documents() -> tuple[list[Any], list[Any]]:
    """Documents of a head and rows with an id, some values of which are empty or filled although empty."""
    rng = random.Random(7)

    def value(empty: float) -> Any:
        return rng.choice(EMPTY) if rng.random() < empty else rng.choice(["tea", "12.50", 7])

    def row(name: str) -> dict[str, Any]:
        return {"id": name * 9, "price": value(0.4), "note": value(0.6)}

    def copied(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: copied(each) for key, each in part.items() if key == "id" or rng.random() > 0.1}
        if isinstance(part, list) and part:
            return [copied(each) for each in part if rng.random() > 0.2]
        return value(0.3) if part in EMPTY and rng.random() < 0.4 else part

    truths = [
        {"head": {"id": "h" * 9, "fax": value(0.8), "tip": value(0.5)}, "rows": [row(name) for name in "abc"]}
        for _ in range(30)
    ]
    return truths, [{"head": {}, "rows": [], **copied(truth)} for truth in truths]


def test_the_rate_of_thirty_documents_equals_a_naive_recount() -> None:
    truths, predictions = thirty_documents()
    places = [place for pair in zip(truths, predictions, strict=True) for place in empty_places(*pair)]
    totals, hits = Counter(field for field, _ in places), Counter(field for field, filled in places if filled)
    result = docscore.evaluate(predictions=predictions, references=truths)
    assert counts_by_field(result) == {field: [hits[field], total] for field, total in totals.items()}
    row = result.rates[-1]
    assert (row["rate"], row["hits"], row["total"]) == ("filled although empty", hits.total(), totals.total())
    assert row["low"] < row["value"] < row["high"]
    assert all(part["low"] < part["value"] < part["high"] for part in result.filled_although_empty if part["hits"] > 3)


def test_unparsed_predictions_fill_nothing() -> None:
    """A text that could not be read as JSON says nothing of a place."""
    truths = {name: {"a": None, "b": "x"} for name in "abc"} | {"d": None}
    predictions = {"a": '{"a": "1"}', "b": "no JSON", "c": '{"b": "x"}', "d": "no JSON"}
    result = docscore.evaluate(predictions=predictions, references=truths, parse="json")
    assert counts_by_field(result) == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("words", "fields", "expected"),
    [
        (["n/a"] * 3, {"fax": None}, "1 field of 3 documents, such as 'fax' of '0', but no ground truth of the field"),
        (["Keine Angabe"] * 3, {"fax": None}, "reading it as null changes the rate 'filled although empty'"),
        (["不明"] * 3, {"fax": "12"}, "reading it as null changes the rate 'omission'"),
        (["NOT_FOUND"] * 3, {}, "reading it as null changes the rate 'hallucination'"),
        (["n/a"] * 2, {"fax": None}, ""),
        (["n/a"] * 3, {"fax": "N/A"}, ""),
        (["12"] * 3, {"fax": None}, ""),
    ],
)
def test_a_word_for_nothing_in_three_documents_gets_a_warning(
    words: list[str], fields: dict[str, Any], expected: str
) -> None:
    """With the rate that it changes, unless a ground truth of the field has the word."""
    truths = [{"shop": f"shop {number}", **fields} for number in range(4)]
    predictions = [{**truth, "fax": word} for truth, word in zip(truths, [*words, ""], strict=False)]
    predictions += truths[len(predictions) :]
    found = [str(each) for each in docscore.read(truths, predictions).warnings if each.kind == "words for null"]
    assert [expected in sentence for sentence in found] == ([True] if expected else [])
    assert all(f'add absent_words="{words[0]}"' in sentence for sentence in found)
