"""The score tree: what each node says, for pairs worked out by hand."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from docscore import ScoreNode, ScoreTree, anls_score, score_tree

# truth, prediction, and for each leaf (path, kind, status, earned, weight)
LEAVES: list[tuple[str, Any, Any, list[tuple[str, str, str, float, float]]]] = [
    ("equal scalars", "a", "a", [("$", "scalar", "exact", 1, 1)]),
    ("one of ten letters differs", "abcdefghij", "abcdefghiJK", [("$", "scalar", "partial", 10 / 11, 1)]),
    ("below the threshold", "abc", "a", [("$", "scalar", "wrong", 0, 1)]),
    ("null expected, null given", None, None, [("$", "null", "exact", 1, 1)]),
    ("null expected, empty given", None, [], [("$", "null", "exact", 1, 1)]),
    ("null expected, something given: invented", None, "x", [("$", "scalar", "extra", 0, 1)]),
    (
        "null expected, two values given",
        None,
        ["x", "y"],
        [("$[0]", "scalar", "extra", 0, 1), ("$[1]", "scalar", "extra", 0, 1)],
    ),
    ("scalar expected, null given", "x", None, [("$", "scalar", "missing", 0, 1)]),
    ("object against string: the larger size", {"a": "x", "b": "y"}, "x", [("$", "mismatch", "wrong", 0, 2)]),
    ("empty list against empty object: nothing counts", [], {}, [("$", "mismatch", "exact", 0, 0)]),
    ("empty list against null", [], None, [("$", "mismatch", "missing", 0, 1)]),
    (
        "a key that is absent, one that is extra, one that is extra and empty",
        {"a": "x", "b": ["y", "z"]},
        {"a": "x", "c": "q", "d": None},
        [
            ("$.a", "scalar", "exact", 1, 1),
            ("$.b[0]", "scalar", "missing", 0, 1),
            ("$.b[1]", "scalar", "missing", 0, 1),
            ("$.c", "scalar", "extra", 0, 1),
            ("$.d", "null", "extra", 0, 0),
        ],
    ),
    ("an extra key with nothing countable in it", {}, {"b": [[]]}, [("$.b", "list", "extra", 0, 0)]),
    (
        "an extra object that holds nothing but nulls is empty",
        {"a": "x"},
        {"a": "x", "b": {"c": None}},
        [("$.a", "scalar", "exact", 1, 1), ("$.b", "object", "extra", 0, 0)],
    ),
    (
        "an extra list of null counts its size: an element was produced",
        {"a": "x"},
        {"a": "x", "b": [None]},
        [("$.a", "scalar", "exact", 1, 1), ("$.b[0]", "null", "extra", 0, 1)],
    ),
    (
        "the empty keys of an invented row do not count",
        ["x"],
        ["x", {"a": "y", "b": None, "c": {"d": ""}}],
        [
            ("$[0]", "scalar", "exact", 1, 1),
            ("$[1].a", "scalar", "extra", 0, 1),
            ("$[1].b", "null", "extra", 0, 0),
            ("$[1].c", "object", "extra", 0, 0),
        ],
    ),
    ("nor those of the wrong type", "x", {"a": "y", "b": None}, [("$", "mismatch", "wrong", 0, 1)]),
    (
        "a list moved, one row missing, one invented",
        ["aaaa", "bbbb", "cccc"],
        ["bbbb", "dddd", "aaaa", "eeee"],
        [
            ("$[0]", "scalar", "exact", 1, 1),
            ("$[1]", "scalar", "exact", 1, 1),
            ("$[2]", "scalar", "wrong", 0, 1),
            ("$[3]", "scalar", "extra", 0, 1),
        ],
    ),
    (
        "an unmatched empty list weighs nothing",
        [["a"], []],
        [["a"]],
        [("$[0][0]", "scalar", "exact", 1, 1), ("$[1]", "list", "missing", 0, 0)],
    ),
]


@pytest.mark.parametrize(
    ("truth", "prediction", "expected"), [row[1:] for row in LEAVES], ids=[row[0] for row in LEAVES]
)
def test_leaves(truth: Any, prediction: Any, expected: list[tuple[str, str, str, float, float]]) -> None:
    found = [(n.path, n.kind, n.status, n.earned, n.weight) for n in score_tree(truth, prediction).leaves()]
    if expected[-1][0] == "$[3]":  # which of two wrong rows is matched is not decided
        assert [row[1:] for row in found] == [row[1:] for row in expected]
    else:
        assert found == expected


REASONS = [
    ("abc", "a", "similarity 0.33 < 0.5"),
    ("0" * 200 + "1" * 201, "0" * 200, "similarity 0.49 < 0.5"),  # 0.4987: not rounded up to the threshold
    ("New  York", "new york", "equal but for case or white space"),
    ("1", 1, "numbers and booleans compare as text"),
    (1, 1.0, "numbers and booleans compare as text; the same value, written differently; similarity 0.33 < 0.5"),
    ({"a": 1}, "x", "object against string"),
    ([], 1, "list against number"),
    (True, [], "boolean against list"),
    ({"a": None}, {}, "null and absent agree"),
    ({"a": None}, {"a": ""}, "null and an empty string agree"),
    ({"a": None}, {"a": None}, ""),
    ({"a": None}, {"a": "x"}, "nothing expected"),
    ({}, {"a": "x"}, "key only in the prediction"),
    ({}, {"a": {}}, "only in the prediction, but an empty object: not counted"),
    ({"a": "x"}, {}, "absent from the prediction"),
    ("a", "a", ""),
]


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
