"""What must hold for every value."""

from __future__ import annotations

import json
import math
import random
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore import ScoreTree, anls_score, score_pairs, score_tree
from docscore.core.values import convert_ground_truth, to_json
from tests.conftest import examples
from tests.structures import predictions, shuffled, taken, truths

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
THOROUGH = examples(400)


@THOROUGH
@given(truths, predictions, st.integers(0, 2**32))
def test_the_order_of_lists_options_and_keys_does_not_matter(truth: Any, prediction: Any, seed: int) -> None:
    rng = random.Random(seed)
    expected = anls_score(truth, prediction)
    assert anls_score(shuffled(rng, truth), shuffled(rng, prediction)) == pytest.approx(expected, abs=1e-12)


@THOROUGH
@given(predictions)
def test_a_value_scores_1_against_itself(value: Any) -> None:
    assert anls_score(value, value) == 1.0


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
    with warnings.catch_warnings():
        spelled = to_json(truth)
        if has_marker(truth):
            return
        assert anls_score(spelled, prediction) == anls_score(truth, prediction)
        assert convert_ground_truth(spelled) == convert_ground_truth(truth) or has_nan(truth)


@given(truths, predictions)
def test_a_tree_is_json_and_text(truth: Any, prediction: Any) -> None:
    tree = score_tree(truth, prediction)
    read = json.loads(json.dumps(tree.to_dict()))
    assert read["score"] == tree.score
    lines = str(tree).split("\n")
    assert len(lines) == sum(1 for _ in tree.nodes())
    assert all(line.isprintable() for line in lines)


@given(truths, predictions, st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_a_higher_threshold_never_raises_a_scalar_score(
    truth: Any, prediction: Any, one: float, other: float, ignore_case: bool
) -> None:
    if isinstance(truth, list | dict | tuple) or isinstance(prediction, list | dict):
        return
    low, high = sorted((one, other))
    scores = [anls_score(truth, prediction, threshold=t, ignore_case=ignore_case) for t in (low, high)]
    assert scores[0] >= scores[1]


def has_marker(value: Any) -> bool:
    if isinstance(value, dict):
        return "$one_of" in value or any(map(has_marker, value.values()))
    return isinstance(value, list | tuple) and any(map(has_marker, value))


def has_nan(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(has_nan, value.values()))
    if isinstance(value, list | tuple):
        return any(map(has_nan, value))
    return isinstance(value, float) and math.isnan(value)
