"""The score tree: what each node says, for pairs worked out by hand."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from docscore import ScoreNode, ScoreTree, anls_score, score_tree
from tests.conftest import table

# truth, prediction, and for each leaf (path, kind, status, earned, weight)
LEAVES = table("tree", "leaves")  # why, ground_truth, prediction, leaves


@pytest.mark.parametrize(
    ("truth", "prediction", "expected"), [row[1:] for row in LEAVES], ids=[row[0] for row in LEAVES]
)
def test_leaves(truth: Any, prediction: Any, expected: list[list[Any]]) -> None:
    found = [[n.path, n.kind, n.status, n.earned, n.weight] for n in score_tree(truth, prediction).leaves()]
    if expected[-1][0] == "$[3]":  # which of two wrong rows is matched is not decided
        assert [row[1:] for row in found] == [row[1:] for row in expected]
    else:
        assert found == expected


REASONS = table("tree", "reasons")  # ground_truth, prediction, reason


@pytest.mark.parametrize(("truth", "prediction", "reason"), REASONS)
def test_reasons_say_what_surprises(truth: Any, prediction: Any, reason: str) -> None:
    assert next(score_tree(truth, prediction).leaves()).reason == reason


def test_places_on_both_sides_and_the_option_taken() -> None:
    tree = score_tree([("x", "tea"), "milk"], ["milk", "tea"])
    tea, milk = tree.children
    assert (tea.truth_index, tea.prediction_index, tea.option, tea.ground_truth) == (0, 1, 1, "tea")
    assert (milk.truth_index, milk.prediction_index, milk.option) == (1, 0, None)
    assert tree.truth_index is None
    assert tree.key is None


def test_an_option_within_an_option_is_named_by_the_outer_one() -> None:
    assert score_tree((("a", "b"), ("c", "d")), "d").option == 1


def test_the_option_equal_to_the_prediction_is_preferred() -> None:
    assert anls_score(("A", "a"), "a", return_gt=True) == (1.0, "a")
    assert anls_score(("1", 1), 1, return_gt=True)[1] == 1
    assert anls_score(["A", "a"], ["a", "A"], return_gt=True) == (1.0, ["a", "A"])


CLOSEST = [
    ("null becomes the prediction's empty value", {"a": None}, {"a": {}}, {"a": {}}),
    ("an empty key that the prediction lacks is dropped", {"a": [], "b": "x"}, {}, {"b": "x"}),
    ("and kept where the prediction has it", {"a": []}, {"a": None}, {"a": []}),
    ("extra keys are None, empty ones left out", {"a": "x"}, {"c": "q", "a": "x", "d": ""}, {"a": "x", "c": None}),
    ("keys in the order of the ground truth", {"b": 1, "a": 2}, {"a": 2, "b": 1}, {"b": 1, "a": 2}),
    ("matched elements in the prediction's order, then the rest", ["a", "b", "c"], ["c", "a"], ["c", "a", "b"]),
    ("unmatched one-ofs stay", [("a", "b"), "c"], ["c"], ["c", ("a", "b")]),
    ("on a type mismatch the ground truth as it is", {"a": ("x", "y")}, "x", {"a": ("x", "y")}),
]


@pytest.mark.parametrize(("truth", "prediction", "closest"), [r[1:] for r in CLOSEST], ids=[r[0] for r in CLOSEST])
def test_closest_ground_truth(truth: Any, prediction: Any, closest: Any) -> None:
    found = score_tree(truth, prediction).closest_gt()
    assert found == closest
    if isinstance(closest, dict):
        assert list(found) == list(closest)


def test_key_scores_are_means_over_matched_pairs_and_blind_to_missing_rows() -> None:
    """1 of 3 rows found: items 1/3, items.id 1."""
    _, scores = anls_score(
        {"items": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}, {"items": [{"id": "b"}]}, return_key_scores=True
    )
    assert scores == {"items": ScoreNode(1 / 3, {"id": ScoreNode(1.0)})}


def test_key_scores_leave_out_what_is_ignored_and_stop_at_mismatches() -> None:
    _, scores = anls_score(
        {"a": {"b": "x"}, "e": {"f": "y"}}, {"a": "z", "c": {"d": "q"}, "n": None}, return_key_scores=True
    )
    assert scores == {"a": ScoreNode(0.0), "e": ScoreNode(0.0), "c": ScoreNode(0.0)}


def test_a_tree_is_frozen_equal_by_value_and_can_be_pickled_and_copied() -> None:
    tree = score_tree({"a": ["x", "y"]}, {"a": ["y"]})
    assert tree == score_tree({"a": ["x", "y"]}, {"a": ["y"]})
    assert tree != score_tree({"a": ["x", "y"]}, {"a": ["x"]})
    assert pickle.loads(pickle.dumps(tree)) == copy.deepcopy(tree) == tree
    assert pickle.loads(pickle.dumps(tree)).children[0].points_lost == 0.5
    with pytest.raises(FrozenInstanceError):
        tree.earned = 1.0  # type: ignore[misc]


def test_repr_is_short_however_deep() -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    assert repr(score_tree(deep, deep)) == "<ScoreTree $ exact 1/1, 1 children>"
    assert len(str(score_tree(deep, deep)).split("\n")) == 201


def test_a_thousand_objects_against_a_thousand_stay_under_100_mb() -> None:
    """Measured as Python and NumPy allocate: everything above what was there before."""
    rows = [{f"key{k}": f"value {k} of row {i}" for k in range(5)} for i in range(1000)]
    others = [{**row, "key1": "something else"} for row in reversed(rows)]
    anls_score(rows[:2], others[:2])
    tracemalloc.start()
    try:
        assert anls_score(rows, others) == pytest.approx(0.8)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6


def test_nodes_come_parents_first_and_leaves_in_order() -> None:
    tree = score_tree({"a": ["x"], "b": "y"}, {"a": ["x"], "b": "y"})
    assert [node.path for node in tree.nodes()] == ["$", "$.a", "$.a[0]", "$.b"]
    assert [node.path for node in tree.leaves()] == ["$.a[0]", "$.b"]
    assert isinstance(next(tree.nodes()), ScoreTree)
