"""The fast scorer against a brute force over all matchings, with exact fractions; its two writings of the rules."""

from __future__ import annotations

import random
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np
import pytest

from benchmarks.exactness import failure, random_pair
from docscore import anls_score, score_tree
from docscore.core.assignment import halves, sum_of_ties
from docscore.core.options import RULES, ScoringOptions
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.metrics.anls_star import scorer as pairwise
from docscore.metrics.anls_star.api import build_tree, score_all
from docscore.metrics.anls_star.scorer import Scorer
from tests.oracle import Oracle, oracle
from tests.structures import SCALARS, damaged, filled, random_prediction, random_truth

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")


@pytest.mark.parametrize("seed", range(8))
def test_random_structures(seed: int) -> None:
    """Unrelated and damaged predictions, ties everywhere."""
    rng = random.Random(seed)
    for number in range(600):
        truth = random_truth(rng, depth=3)
        prediction = damaged(rng, truth) if number % 2 else random_prediction(rng, depth=3)
        expected = float(oracle(truth, prediction).score)
        assert anls_score(truth, prediction) == pytest.approx(expected, abs=1e-12), (truth, prediction)
        assert score_tree(truth, prediction).score == pytest.approx(expected, abs=1e-12), (truth, prediction)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(5))
def test_schemas_filled_with_empty_values(seed: int, rules: str) -> None:
    """Empty values in every place, as models print them that fill in a whole schema."""
    rng = random.Random(2000 + seed)
    options, slow = ScoringOptions(rules=rules), Oracle(package=rules != "paper")
    for _ in range(400):
        truth = random_truth(rng, depth=3)
        prediction = filled(rng, damaged(rng, truth) if rng.random() < 0.7 else random_prediction(rng, depth=3))
        expected = float(slow.score(truth, prediction).score)
        (score,) = score_all([(truth, prediction)], options, str)
        assert score == pytest.approx(expected, abs=1e-12), (truth, prediction)
        assert build_tree(truth, prediction, options).score == pytest.approx(expected, abs=1e-12), (truth, prediction)


@pytest.mark.parametrize("seed", range(4))
def test_lists_of_up_to_five(seed: int) -> None:
    """Lists of unlike elements, in which S/L, S and L tie in every combination."""
    rng = random.Random(1000 + seed)
    for _ in range(150):
        truth = [random_truth(rng, depth=1, length=3) for _ in range(rng.randint(3, 5))]
        prediction = [random_prediction(rng, depth=1, length=3) for _ in range(rng.randint(2, 5))]
        expected = float(oracle(truth, prediction).score)
        assert anls_score(truth, prediction) == pytest.approx(expected, abs=1e-12), (truth, prediction)


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.25, 1 / 3, 0.6, 0.7, 0.9, 1.0])
def test_thresholds(threshold: float) -> None:
    """A similarity exactly at the threshold counts, whatever the threshold."""
    rng = random.Random(7)
    exact = Fraction(threshold).limit_denominator(1000)
    for _ in range(200):
        truth = random_truth(rng, depth=2)
        prediction = random_prediction(rng, depth=2)
        expected = float(oracle(truth, prediction, exact).score)
        assert anls_score(truth, prediction, threshold=threshold) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("tenths", range(1, 10))
def test_exactly_at_a_threshold_of_tenths(tenths: int) -> None:
    prediction = "a" * tenths + "b" * (10 - tenths)
    assert anls_score("a" * 10, prediction, threshold=tenths / 10) == pytest.approx(tenths / 10, abs=1e-15)
    assert anls_score("a" * 10, prediction, threshold=tenths / 10 + 1e-9) == 0.0
    many = [prediction] + ["x"] * 16  # by columns
    assert anls_score(["a" * 10], many, threshold=tenths / 10) == pytest.approx(tenths / 170, abs=1e-15)
    assert anls_score("a" * 1000, prediction * 100, threshold=tenths / 10) == pytest.approx(
        tenths / 10
    )  # beyond one machine word


@pytest.mark.parametrize("seed", range(4))
def test_the_score_of_the_oracle_with_the_same_bits_in_any_order(seed: int) -> None:
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
        found = {anls_score(truth, prediction)}
        for _ in range(4):
            rng.shuffle(truth)
            rng.shuffle(prediction)
            found.add(anls_score(truth, prediction))
            found.add(anls_score([{"k": each} for each in truth], [{"k": each} for each in prediction]))
        assert len(found) == 1, (truth, prediction)


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


def compare(truths: list[Any], predictions: list[Any], options: ScoringOptions = ScoringOptions()) -> None:  # noqa: B008  immutable
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
        compare(truths, predictions, ScoringOptions(rng.choice([0.0, 0.3, 0.5, 1.0]), rng.random() < 0.5))


@pytest.mark.parametrize("seed", range(6))
def test_tables_with_holes(seed: int) -> None:
    """Objects of leaves: absent keys, nulls, blanks and empty texts on both sides."""
    rng = random.Random(100 + seed)
    leaves = [*SCALARS, None, None, None, "", " ", "\t"]

    def row() -> dict[str, Any]:
        return {key: rng.choice(leaves) for key in rng.sample("abcd", rng.randint(0, 4))}

    for _ in range(40):
        compare([row() for _ in range(rng.randint(1, 6))], [row() for _ in range(rng.randint(1, 6))])


def test_null_blank_and_empty_text_are_three_things() -> None:
    values = [None, "", " ", "x", 0, False]
    compare(values, values)
    compare([None, ""], [None, " "])
    compare([" "], [None])


@pytest.mark.parametrize("cells", [1, 7, 50])
def test_portions_of_long_columns_of_lists(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The elements are compared in portions that fit into memory; the border falls anywhere."""
    monkeypatch.setattr(pairwise, "_MAX_CELLS", cells)
    rng = random.Random(cells)
    truths = [[rng.choice(SCALARS) for _ in range(rng.randint(0, 4))] for _ in range(9)]
    predictions = [[rng.choice(SCALARS) for _ in range(rng.randint(0, 4))] for _ in range(5)]
    compare(truths, predictions)


def test_an_empty_column() -> None:
    earned, _ = Scorer(ScoringOptions()).pairwise([], ["x"])
    assert earned.shape == (0, 1)
