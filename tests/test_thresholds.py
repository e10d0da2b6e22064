"""Thresholds by field: chosen on one half of the documents, measured on the other."""

import json
import random
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import docscore
from docscore.evaluation.automation import GRID, DocumentReview
from docscore.evaluation.thresholds import halves_of, lower_bound, thresholds_table
from tests.commands import RECEIPTS, run
from tests.conftest import ROOT

NAMES = [f"d{number}" for number in range(2_000)]
OF_HALVES = [[name for name, half in zip(NAMES, halves_of(NAMES), strict=True) if half == side] for side in (0, 1)]


def reviews_of(*rights: list[bool]) -> tuple[list[DocumentReview], list[str]]:
    """Documents with one value of the confidence 0.5: some of the half that chooses, and some of the other."""
    halves = zip(OF_HALVES, rights, strict=True)
    values = [(name, right) for names, side in halves for name, right in zip(names, side, strict=False)]
    reviews = [DocumentReview(1.0, 1.0, [(0.5, right, 0.0, 0.0)], ["a"]) for _, right in values]
    return reviews, [name for name, _ in values]


@pytest.mark.parametrize(("target", "fewest"), [(0.95, 59), (0.99, 299)])
def test_an_accuracy_takes_so_many_faultless_values(target: float, fewest: int) -> None:
    measured = [True] * 30 + [False]
    [found] = thresholds_table(*reviews_of([True] * fewest, measured), target)
    assert (found["threshold"], found["needed"], found["accepted"]) == (0.0, None, 31)
    assert found["accepted_accuracy"] == 30 / 31
    assert found["bound"] is not None
    assert found["bound"] <= lower_bound([30], [31])[0]
    [lacking] = thresholds_table(*reviews_of([True] * (fewest - 1), measured), target)
    assert (lacking["threshold"], lacking["accepted"], lacking["bound"]) == (None, 0, None)
    assert 1 <= (lacking["needed"] or 0) <= fewest // 4  # twice as many as the half lacks, about


@pytest.mark.parametrize(
    ("choosing", "measured", "target", "needed"),
    [
        ([True] * 10, [True] * 10, 0.95, pytest.approx(98, rel=0.05)),  # 59 in each half
        ([], [True], 0.95, 118),
        ([False], [True], 0.95, 2 * 92),  # 93 values take one error
        ([*[True] * 35, *[False] * 5], [True], 0.98, None),  # at most 95.0% are right, by the upper bound
        ([True, False] * 40, [True] * 40, 0.95, None),
        ([True] * 40, [True] * 40, 1.0, None),
    ],
)
def test_a_field_with_too_few_values_says_how_many_more(
    choosing: list[bool], measured: list[bool], target: float, needed: Any
) -> None:
    [found] = thresholds_table(*reviews_of(choosing, measured), target)
    assert (found["threshold"], found["needed"]) == (None, needed)


def thirty_documents() -> tuple[dict[str, Any], dict[str, Any]]:
    """Ground truths and predictions, whose confidences say something about the field that is often wrong."""
    rng = random.Random(5)
    truths, predictions = {}, {}
    for name in NAMES[:30]:
        rows = [{"n": f"row {number}", "p": f"{rng.randrange(1_000)}"} for number in range(rng.randint(1, 4))]
        truths[name] = {"shop": f"shop {name}", "rows": rows}
        predicted = []
        for row in rows:
            sure = rng.choice([0.3, 0.6, 0.9])
            price = row["p"] if rng.random() < sure**0.3 else "x"
            predicted.append({"n": row["n"], "p": {"$value": price, "$confidence": sure}})
        predictions[name] = {"shop": {"$value": f"shop {name}", "$confidence": 0.8}, "rows": predicted}
    return truths, predictions


@pytest.mark.parametrize("clusters", [None, {name: f"c{number // 2}" for number, name in enumerate(NAMES[:30])}])
def test_thresholds_of_thirty_documents_equal_a_naive_recount(clusters: dict[str, str] | None) -> None:
    """Also in another order, and with clusters, which are in one half as a whole."""
    truths, predictions = thirty_documents()
    sides: dict[str, Any] = {"references": truths, "predictions": predictions, "with_confidences": True}
    if clusters is not None:
        sides["cluster"] = clusters.__getitem__
    table = docscore.evaluate(**sides).automation.by_field(0.7)
    found = {row["field"]: row for row in table}
    units = list(truths) if clusters is None else [clusters[name] for name in truths]
    measured = dict(zip(truths, halves_of(units), strict=True))
    values = {
        "shop": [(name, 0.8, True) for name in truths],
        "rows[].p": [
            (name, row["p"]["$confidence"], row["p"]["$value"] == truth["p"])
            for name in truths
            for row, truth in zip(predictions[name]["rows"], truths[name]["rows"], strict=True)
        ],
    }
    for field, rows in values.items():
        for threshold in GRID:
            right = [right for name, sure, right in rows if not measured[name] and sure >= threshold]
            if right and lower_bound([sum(right)], [len(right)])[0] >= 0.7:
                break
        accepted = [right for name, sure, right in rows if measured[name] and sure >= threshold]
        row = found[field]
        assert (row["threshold"], row["values"], row["accepted"]) == (threshold, len(rows), len(accepted))
        assert row["accepted_accuracy"] == sum(accepted) / len(accepted)
        assert row["bound"] < row["accepted_accuracy"]
    assert found["rows[].n"]["threshold"] is None  # its values have no confidences
    mixed = {**sides, "references": dict(reversed(truths.items()))}
    again = docscore.evaluate(**mixed).automation.by_field(0.7)
    assert [row["threshold"] for row in again] == [row["threshold"] for row in table]


@pytest.mark.full
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_the_bound_is_below_the_true_accuracy(correlation: float) -> None:
    """At least as often as the bar says: for 930 of 1,000 seeds, each of a field with values of its own."""
    accuracies = {0.3: 0.6, 0.6: 0.85, 0.9: 0.97, 1.0: 0.995}  # by confidence
    wrong, stated = 0, 0
    for group in range(20):
        rngs = [random.Random(f"{correlation} {group} {field}") for field in range(50)]
        reviews = []
        for _ in range(120):
            values, fields = [], []
            for field, rng in enumerate(rngs):
                shared = rng.random()
                for _ in range(rng.randint(1, 3)):
                    sure = rng.choice([*accuracies])
                    luck = shared if rng.random() < correlation else rng.random()
                    values.append((sure, luck < accuracies[sure], 0.0, 0.0))
                    fields.append(f"{field}")
            reviews.append(DocumentReview(1.0, 1.0, values, fields))
        for found in thresholds_table(reviews, [f"{group} {number}" for number in range(120)], 0.9):
            if found["bound"] is not None and found["threshold"] is not None:
                true = fmean([share for sure, share in accuracies.items() if sure >= found["threshold"]])
                stated += 1
                wrong += found["bound"] > true
    assert stated > 800
    assert wrong <= 0.07 * stated


def test_the_command_prints_what_its_schema_says() -> None:
    options: list[str | Path] = ["automation", RECEIPTS / "references.jsonl", RECEIPTS / "predictions_confident.jsonl"]
    options += ["--by-field", "--target", "0.9", "--target", "0.5"]
    printed = json.loads(run(*options, "--json").out)
    Draft202012Validator(json.loads((ROOT / "docs/schemas/automation.json").read_text("utf-8"))).validate(printed)
    assert [part["target"] for part in printed["by_field"]] == [0.9, 0.5]
    text = run(*options).out
    assert "Thresholds by field for an accuracy of 0.5" in text
    assert "none; needs about" in text
