"""1,262 recorded cases: the right score from an exact brute force, and what `anls_star` 1.0.1 answers."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

from docscore import anls_score, score_pairs, score_tree
from docscore.core.options import PACKAGE
from docscore.core.values import convert_ground_truth, to_json
from tests.commands import rows
from tests.conftest import DATA
from tests.oracle import Oracle, oracle

CASES = list(rows(DATA / "reference_cases.jsonl"))
# Its published key scores give 0.41666 for `b`; S/L of that key is (0.5 + 0 + 1 + 1) / 4, and 1.0.1 answers so.
COMPARABLE = [case for case in CASES if "differs" not in case]

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")


def test_there_are_as_many_as_were_recorded() -> None:
    assert len(CASES) == 1262
    assert len(CASES) - len(COMPARABLE) == 51


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_score(case: dict[str, Any]) -> None:
    truth, prediction = case["ground_truth"], case["prediction"]
    assert anls_score(truth, prediction) == pytest.approx(case["expected"], abs=1e-12)
    assert score_tree(truth, prediction).score == pytest.approx(case["expected"], abs=1e-12)


def test_the_oracle_agrees_with_what_was_recorded() -> None:
    for case in CASES:
        truth = convert_ground_truth(case["ground_truth"])
        assert float(oracle(truth, case["prediction"]).score) == pytest.approx(case["expected"], abs=1e-12), case


def test_closest_ground_truth_and_key_scores_are_the_recorded_ones_where_they_are_unique() -> None:
    """Unique: no other matching or option has the same sum of S/L, the only thing that 1.0.1 maximises."""
    compared = 0
    for case in COMPARABLE:
        truth, prediction, recorded = case["ground_truth"], case["prediction"], case["anls_star_1_0_1"]
        if not oracle(convert_ground_truth(truth), prediction).unique:
            continue
        _, closest, key_scores = anls_score(truth, prediction, return_gt=True, return_key_scores=True)
        assert typed(to_json(closest)) == typed(recorded["closest_gt"]), case
        assert flat(key_scores) == pytest.approx(flat_recorded(recorded["key_scores"]), abs=1e-12), case
        compared += 1
    assert compared > 800


def settled_by_the_package(case: dict[str, Any]) -> bool:
    """Whether 1.0.1 settles a case by its rules alone: no other choice has the same sum of S/L."""
    return Oracle(package=True).score(convert_ground_truth(case["ground_truth"]), case["prediction"]).unique


def test_the_rules_of_the_package_give_its_scores() -> None:
    """All but six that it refuses, and fifteen ties that it leaves to the order of the input."""
    cases = [case for case in CASES if "error" not in case["anls_star_1_0_1"]]
    pairs = [(case["ground_truth"], case["prediction"]) for case in cases]
    scores = score_pairs(pairs, rules=PACKAGE)
    others = [
        case
        for case, score in zip(cases, scores, strict=True)
        if score != pytest.approx(case["anls_star_1_0_1"]["score"], abs=1e-12)
    ]
    assert len(cases) == 1256
    assert len(others) == 15
    assert not any(map(settled_by_the_package, others))


def test_the_rules_of_the_package_give_its_closest_ground_truth_and_key_scores() -> None:
    for case in CASES:
        recorded = case["anls_star_1_0_1"]
        if "error" in recorded or not settled_by_the_package(case):
            continue
        tree = score_tree(case["ground_truth"], case["prediction"], rules=PACKAGE)
        assert tree.score == pytest.approx(recorded["score"], abs=1e-12), case
        assert typed(to_json(tree.closest_gt())) == typed(recorded["closest_gt"]), case
        assert flat(tree.key_scores()) == pytest.approx(flat_recorded(recorded["key_scores"]), abs=1e-12), case


def test_readme_examples_of_the_published_package() -> None:
    """The closest match to the last digit; the key scores as S/L defines them (see above for `b`)."""
    match, keys = (case for case in CASES if case["why"].startswith("package README"))
    score, closest = anls_score(match["ground_truth"], match["prediction"], return_gt=True)
    assert score == pytest.approx(0.7666666666666667, abs=1e-16)
    assert closest == {"a": "hello", "b": ["a", "test", "this", "is"]}
    _, scores = anls_score(keys["ground_truth"], keys["prediction"], return_key_scores=True)
    nested = {key: asdict(node) for key, node in scores.items()}
    assert nested["a"]["anls_score"] == 0.8333333333333334
    assert nested["b"] == {"anls_score": 0.625, "children": {"l1": leaf(0.75), "l2": leaf(0.5)}}
    assert nested["c"] == leaf(0.0)
    items = {"anls_score": 0.6875, "children": {"id": leaf(0.5), "value": leaf(0.875)}}
    assert nested["second_order"] == {
        "anls_score": 0.7083333333333334,
        "children": {"name": leaf(1.0), "age": leaf(0.5), "items": items},
    }


def leaf(score: float) -> dict[str, Any]:
    return {"anls_score": score, "children": {}}


def typed(value: Any) -> str:
    """JSON text, which keeps 1, 1.0 and true apart."""
    return json.dumps(value, sort_keys=True)


def flat(scores: dict[str, Any], prefix: str = "") -> dict[str, float]:
    return flat_recorded({key: asdict(node) for key, node in scores.items()}, prefix)


def flat_recorded(scores: dict[str, Any], prefix: str = "") -> dict[str, float]:
    found = {}
    for key, node in scores.items():
        found[f"{prefix}/{key}"] = node["anls_score"]
        found |= flat_recorded(node["children"], f"{prefix}/{key}")
    return found
