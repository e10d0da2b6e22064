"""The fast scorer against an exact brute force over all matchings, 1,262 recorded cases, and what always holds."""

from __future__ import annotations

import json
import math
import random
from dataclasses import asdict
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from dev.benchmarks.exactness import failure, random_pair
from docscore import ScoreNode, ScoreTree, anls_score, score_pairs, score_tree
from docscore.core.assignment import halves, sum_of_ties
from docscore.core.options import PACKAGE, CompareOptions
from docscore.core.values import convert_ground_truth, convert_prediction, to_json
from docscore.metrics.anls_star import scorer as pairwise
from docscore.metrics.anls_star.scorer import Scorer, portions
from tests.commands import rows
from tests.conftest import DATA, examples
from tests.oracle import Oracle
from tests.structures import SCALARS, damaged, predictions, random_prediction, random_truth, taken, truths

pytestmark = [pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning"), pytest.mark.no_cover]


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.25, 1 / 3, 0.6, 0.7, 0.9, 1.0])
def test_thresholds(threshold: float) -> None:
    """A similarity exactly at the threshold counts, whatever the threshold."""
    rng = random.Random(7)
    exact = Fraction(threshold).limit_denominator(1000)
    for _ in range(200):
        truth = random_truth(rng, depth=2)
        prediction = random_prediction(rng, depth=2)
        expected = float(Oracle(exact).score(truth, prediction).score)
        assert anls_score(truth, prediction, threshold=threshold) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_the_score_of_the_oracle_with_the_same_bits_in_any_order(seed: int) -> None:
    """By each function, of unrelated and damaged predictions, with ties everywhere."""
    rng = random.Random(seed)
    for number in range(800):
        truth, prediction = random_pair(rng)
        assert failure(rng, truth, prediction) == "", (number, truth, prediction)


@pytest.mark.parametrize("count", [3, 6, 12, 40])
def test_matchings_that_tie_as_fractions_give_the_same_bits(count: int) -> None:
    """Texts of 2 to 7 letters, all of one letter or another: many matchings tie, with other summands."""
    rng = random.Random(count)
    for _ in range(60):
        truth = ["a" * rng.randint(2, 7) + "b" * rng.randint(0, 3) for _ in range(count)]
        prediction = ["a" * rng.randint(2, 7) + "c" * rng.randint(0, 3) for _ in range(count)]
        actual = {anls_score(truth, prediction)}
        for _ in range(4):
            rng.shuffle(truth)
            rng.shuffle(prediction)
            actual.add(anls_score(truth, prediction))
            actual.add(anls_score([{"k": each} for each in truth], [{"k": each} for each in prediction]))
        assert len(actual) == 1, (truth, prediction)


def test_sums_of_rounded_fractions_are_those_of_the_fractions() -> None:
    rng = random.Random(1)
    for _ in range(300):
        parts = [
            Fraction(rng.randint(0, size), size) for size in (rng.randint(1, 30) for _ in range(rng.randint(1, 9)))
        ]
        assert sum_of_ties(list(map(float, parts))) == float(sum(parts))


def test_halves_add_without_rounding() -> None:
    rng = np.random.default_rng(1)
    numbers = rng.random(1000) * 100
    high, rest = halves(numbers)
    assert float(high.sum()) + float(rest.sum()) == fsum(numbers.tolist())


def compare(truths: list[Any], predictions: list[Any], options: CompareOptions = CompareOptions()) -> None:  # noqa: B008  immutable
    left = [convert_ground_truth(truth) for truth in truths]
    right = [convert_prediction(prediction) for prediction in predictions]
    scorer = Scorer(options)
    earned, weight = scorer.pairwise(left, right)
    expected = np.array([[scorer.pair(truth, prediction) for prediction in right] for truth in left])
    np.testing.assert_allclose(earned, expected[:, :, 0], atol=1e-12)
    np.testing.assert_array_equal(np.broadcast_to(weight, earned.shape), expected[:, :, 1])


@pytest.mark.parametrize("seed", range(12))
def test_columns_of_all_kinds(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(30):
        truths = [random_truth(rng, depth=3) for _ in range(rng.randint(1, 6))]
        predictions = [damaged(rng, rng.choice(truths)) for _ in range(3)]
        predictions += [random_prediction(rng, depth=3) for _ in range(rng.randint(0, 4))]
        compare(truths, predictions, CompareOptions(rng.choice([0.0, 0.3, 0.5, 1.0]), rng.random() < 0.5))


@pytest.mark.parametrize("seed", range(6))
def test_tables_with_holes(seed: int) -> None:
    """Objects of leaves: absent keys, nulls, blanks and empty texts on both sides."""
    rng = random.Random(100 + seed)
    leaves = [*SCALARS, None, None, None, "", " ", "\t"]

    def row() -> dict[str, Any]:
        return {key: rng.choice(leaves) for key in rng.sample("abcd", rng.randint(0, 4))}

    for _ in range(40):
        compare([row() for _ in range(rng.randint(1, 6))], [row() for _ in range(rng.randint(1, 6))])


@pytest.mark.parametrize("cells", [1, 7, 50])
def test_portions_of_long_columns_of_lists(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The elements are compared in portions that fit into memory, as large as may be; the border falls anywhere."""
    monkeypatch.setattr(pairwise, "MAX_CELLS", cells)
    rng = random.Random(cells)
    truths = [[rng.choice(SCALARS) for _ in range(rng.randint(0, 4))] for _ in range(9)]
    predictions = [[rng.choice(SCALARS) for _ in range(rng.randint(0, 4))] for _ in range(5)]
    compare(truths, predictions)
    parts = list(portions(truths, columns=4))
    assert [row for part in parts for row in range(*part)] == list(range(9))
    for start, stop in parts:
        assert stop == start + 1 or 4 * sum(map(len, truths[start:stop])) <= cells
        assert stop == 9 or 4 * sum(map(len, truths[start : stop + 1])) > cells


THOROUGH = examples(400)


@THOROUGH
@given(truths)
def test_a_prediction_that_takes_an_option_everywhere_scores_1(truth: Any) -> None:
    assert anls_score(truth, taken(truth)) == 1.0


@THOROUGH
@given(truths, predictions)
def test_bounds_and_the_tree_agree(truth: Any, prediction: Any) -> None:
    score = anls_score(truth, prediction)
    tree = score_tree(truth, prediction)
    assert 0.0 <= score <= 1.0
    assert tree.score == pytest.approx(score, abs=1e-12)
    assert math.fsum(leaf.points_lost for leaf in tree.leaves()) == pytest.approx(1 - score, abs=1e-12)
    for node in tree.nodes():
        check_node(node)
    assert score_pairs([(truth, prediction)]).tolist() == [score]


def check_node(node: ScoreTree) -> None:
    """Bounds, sums and statuses of one node."""
    assert 0.0 <= node.earned <= node.weight + 1e-12
    assert node.weight == int(node.weight)
    if node.children:
        assert node.kind in ("list", "object")
        assert node.earned == pytest.approx(math.fsum(child.earned for child in node.children), abs=1e-12)
        assert node.weight == sum(child.weight for child in node.children)
    if node.status == "exact":
        assert node.earned == node.weight
    if node.status in ("wrong", "missing", "extra"):
        assert node.earned == 0


@THOROUGH
@given(truths, predictions)
def test_the_closest_ground_truth_is_a_perfect_prediction_where_nothing_is_missing(truth: Any, prediction: Any) -> None:
    """It is what the prediction would be if it were right; unmatched elements keep their one-ofs."""
    closest = taken(anls_score(truth, prediction, return_gt=True)[1])
    assert anls_score(truth, closest) >= anls_score(truth, prediction) - 1e-12


@THOROUGH
@given(truths, predictions)
def test_the_json_spelling_of_a_one_of_scores_the_same(truth: Any, prediction: Any) -> None:
    spelled = to_json(truth)
    assert anls_score(spelled, prediction) == anls_score(truth, prediction)
    assert repr(convert_ground_truth(spelled)) == repr(convert_ground_truth(truth))


@given(truths, predictions)
def test_a_tree_is_json_and_text(truth: Any, prediction: Any) -> None:
    tree = score_tree(truth, prediction)
    read = json.loads(json.dumps(tree.to_dict()))
    assert read["score"] == tree.score
    lines = str(tree).split("\n")
    assert len(lines) == sum(1 for _ in tree.nodes())
    assert all(line.isprintable() for line in lines)


CASES = list(rows(DATA / "reference_cases.jsonl"))
# Its published key scores give 0.41666 for `b`; S/L of that key is (0.5 + 0 + 1 + 1) / 4, and 1.0.1 answers so.
COMPARABLE = [case for case in CASES if "differs" not in case]


def test_the_recorded_scores_and_those_of_the_oracle() -> None:
    assert (len(CASES), len(CASES) - len(COMPARABLE)) == (1262, 51)
    for case in CASES:
        truth, prediction = case["ground_truth"], case["prediction"]
        exact = float(Oracle().score(convert_ground_truth(truth), prediction).score)
        actual = [exact, anls_score(truth, prediction), score_tree(truth, prediction).score]
        assert actual == pytest.approx([case["expected"]] * 3, abs=1e-12), case


def test_closest_ground_truth_and_key_scores_are_the_recorded_ones_where_they_are_unique() -> None:
    """Unique: no other matching or option has the same sum of S/L, the only thing that 1.0.1 maximises."""
    compared = 0
    for case in COMPARABLE:
        truth, prediction, recorded = case["ground_truth"], case["prediction"], case["anls_star_1_0_1"]
        if not Oracle().score(convert_ground_truth(truth), prediction).unique:
            continue
        _, closest, key_scores = anls_score(truth, prediction, return_gt=True, return_key_scores=True)
        assert typed(to_json(closest)) == typed(recorded["closest_gt"]), case
        assert flat(key_scores) == pytest.approx(flat(recorded["key_scores"]), abs=1e-12), case
        compared += 1
    assert compared > 800


def test_the_rules_of_the_package_give_its_scores_closest_ground_truth_and_key_scores() -> None:
    """Of all but six cases that it refuses, and fifteen of the ties that it leaves to the order of the input."""
    cases = [case for case in CASES if "error" not in case["anls_star_1_0_1"]]
    scores = score_pairs([(case["ground_truth"], case["prediction"]) for case in cases], rules=PACKAGE)
    others = 0
    for case, score in zip(cases, scores, strict=True):
        truth, prediction, recorded = case["ground_truth"], case["prediction"], case["anls_star_1_0_1"]
        if not Oracle(package=True).score(convert_ground_truth(truth), prediction).unique:
            others += score != pytest.approx(recorded["score"], abs=1e-12)
            continue
        tree = score_tree(truth, prediction, rules=PACKAGE)
        assert [score, tree.score] == pytest.approx([recorded["score"]] * 2, abs=1e-12), case
        assert typed(to_json(tree.closest_gt())) == typed(recorded["closest_gt"]), case
        assert flat(tree.key_scores()) == pytest.approx(flat(recorded["key_scores"]), abs=1e-12), case
    assert (len(cases), others) == (1256, 15)


def typed(value: Any) -> str:
    """JSON text, which distinguishes 1, 1.0 and true."""
    return json.dumps(value, sort_keys=True)


def flat(scores: dict[str, Any], prefix: str = "") -> dict[str, float]:
    collected = {}
    for key, node in scores.items():
        recorded = asdict(node) if isinstance(node, ScoreNode) else node
        collected[f"{prefix}/{key}"] = recorded["anls_score"]
        collected |= flat(recorded["children"], f"{prefix}/{key}")
    return collected
