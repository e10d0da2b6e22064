"""The public functions: arguments, warnings, and names in errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from docscore import ScoreNode, anls_score, score_pairs, score_tree
from tests.conftest import golden, table

Score = Callable[..., Any]

SCORES: list[Score] = [
    anls_score,
    lambda gt, pred, **options: score_tree(gt, pred, **options).score,
    lambda gt, pred, **options: score_pairs([(gt, pred)], **options).item(),
]
NAMES = ["anls_score", "score_tree", "score_pairs"]


@pytest.mark.parametrize("score", SCORES, ids=NAMES)
@pytest.mark.parametrize("flag", ["no", "False", None, 1, 0.0])
def test_a_flag_is_true_or_false(score: Score, flag: Any) -> None:
    """The text "False" would be taken as true."""
    with pytest.raises(TypeError, match=r"^ignore_case: expected True or False, got "):
        score("a", "a", ignore_case=flag)


@pytest.mark.parametrize("score", SCORES, ids=NAMES)
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, 0.6),  # 2 of 5 characters differ
        ({"threshold": 0.6}, 0.6),  # at the threshold it counts
        ({"threshold": 0.61}, 0.0),
        ({"threshold": 1}, 0.0),
        ({"threshold": 0}, 0.6),
        ({"threshold": np.float64(0.61)}, 0.0),
        ({"threshold": np.int64(1)}, 0.0),
        ({"ignore_case": False}, 0.0),  # 4 of 5 differ
        ({"ignore_case": np.bool_(0)}, 0.0),
        ({"ignore_case": False, "threshold": 0.2}, 0.2),
    ],
)
def test_options_reach_the_similarity(score: Score, options: dict[str, Any], expected: float) -> None:
    assert score({"k": "ABcde"}, {"k": "abcxy"}, **options) == pytest.approx(expected, rel=1e-12, abs=0)
    assert score("ABcde", "abcxy", **options) == pytest.approx(expected, rel=1e-12, abs=0)


def test_what_comes_back_follows_what_is_asked_for_by_position_or_name() -> None:
    """As in the published package: the score, the closest ground truth, the key scores."""
    gt, pred = {"a": ("hello", "world"), "b": ["x", "y"]}, {"a": "hellx", "b": ["y", "x"]}
    score, closest = pytest.approx(2.8 / 3), {"a": "hello", "b": ["y", "x"]}
    keys: dict[str, Any] = {"a": ScoreNode(1 - 1 / 5), "b": ScoreNode(1.0)}
    asked = anls_score(gt, pred, True, True)  # noqa: FBT003  the published package's callers do this
    assert type(asked) is tuple
    assert asked == (score, closest, keys)
    assert anls_score(gt, pred, return_gt=True, return_key_scores=True) == asked
    assert anls_score(gt, pred, True) == asked[:2]  # noqa: FBT003
    assert anls_score(gt, pred, False, True) == (asked[0], keys)  # noqa: FBT003
    assert anls_score(gt, pred, return_key_scores=True) == (asked[0], keys)
    assert anls_score(gt=gt, pred=pred) == asked[0]
    assert type(anls_score(gt, pred)) is float
    with pytest.raises(TypeError, match="positional"):
        anls_score(gt, pred, True, True, 0.7)  # type: ignore[call-overload]  # noqa: FBT003


@pytest.mark.parametrize("score", SCORES, ids=NAMES)
@pytest.mark.parametrize("pred", ["blue", np.str_("blue")], ids=["str", "NumPy str"])
def test_compatibility_mode_warns_at_the_line_of_the_caller(score: Score, pred: str) -> None:
    """A list of strings against a string is read as a one-of; the warning points at this file, not into docscore."""
    with pytest.warns(UserWarning, match="compatibility mode") as caught:
        assert score(["red", "blue"], pred) == 1.0
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("metric", SCORES, ids=NAMES)
@golden("api", "compared as they are")
def test_nothing_else_is_read_in_compatibility_mode(metric: Score, truth: Any, prediction: Any, score: float) -> None:
    """Warnings are errors here, so that each row also checks that none is given."""
    assert metric(truth, prediction) == score


def test_score_pairs_gives_one_score_a_pair_in_order() -> None:
    scores = score_pairs(iter([("yes", "yes"), (["a", "b"], ["b"]), (None, "x")]))
    assert scores.dtype == np.float64
    assert scores.tolist() == [1.0, 0.5, 0.0]
    assert score_pairs([]).shape == (0,)


def test_answers_score_the_same_one_by_one_and_together_in_any_order() -> None:
    """Scalars against scalars have a way of their own where there are many."""
    answers = table("api", "answers")
    for gt, pred, expected in answers:
        assert anls_score(gt, pred) == expected, (gt, pred)
    for rows in (answers, answers[::-1], answers * 700):  # more than are read at a time
        assert score_pairs([row[:2] for row in rows]).tolist() == [row[2] for row in rows]


@pytest.mark.parametrize(
    "pair",
    [("a",), ("a", "b", "c"), 5, "ab", {"gt": "a", "pred": "a"}, {"a", "b"}],
    ids=["one", "three", "a number", "a text of two letters", "an object of two keys", "a set"],
)
def test_what_is_no_pair_is_refused_and_named(pair: Any) -> None:
    """A text or an object of two must not be unpacked into a pair: its score would be a guess."""
    with pytest.raises((TypeError, ValueError), match=r"^pair 1\b"):
        score_pairs([("a", "a"), pair])
