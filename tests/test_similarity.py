"""Similarity of texts: hand counts, Unicode, and a naive Levenshtein distance for all that is not counted by hand."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from docscore import anls_score, score_pairs
from docscore.core.similarity import fold, fold_all, similarities, similarity, similarity_matrix
from docscore.core.values import scalar_text
from tests.conftest import golden
from tests.oracle import distance


def close(expected: Any) -> Any:
    """Equal but for the last bits of a float; 0 is exactly 0."""
    return pytest.approx(expected, rel=1e-12, abs=0)


@golden("similarity", "hand counts")
def test_hand_counts(truth: str, prediction: str, expected: str) -> None:
    counted = float(Fraction(expected))
    for one, other in ((truth, prediction), (prediction, truth)):
        assert similarity(one, other, 0.0) == close(counted)
        assert similarity(one, other) == close(counted if counted >= 0.5 else 0.0)


@golden("similarity", "folded")
def test_folded(value: Any, expected: str) -> None:
    assert fold(value, True) == expected  # noqa: FBT003  as the engine calls it
    assert fold_all([value], True) == [expected]  # noqa: FBT003
    assert fold_all(["X  y", value, None], True) == ["x y", expected, ""]  # noqa: FBT003
    assert anls_score(value, expected) == 1.0


def test_case_stays_where_it_counts_and_white_space_never_does() -> None:
    assert fold("  New\n York ", False) == "New York"  # noqa: FBT003
    assert fold_all(["  New\n York ", True], False) == ["New York", "True"]  # noqa: FBT003
    assert anls_score(" New  York", "new york", ignore_case=False) == close(6 / 8)
    assert anls_score("A  b", "A b", ignore_case=False) == 1.0
    assert scalar_text("  A  ") == "  A  "


@golden("similarity", "scalars")
def test_scores_of_scalars(truth: Any, prediction: Any, expected: float) -> None:
    assert anls_score(truth, prediction) == close(expected)
    assert anls_score([truth, "far from it"], [prediction]) == close(expected / 2)  # one of two found: by the matrix
    assert score_pairs([(truth, prediction), ("x", "x")]).tolist() == [close(expected), 1.0]


@pytest.mark.parametrize("length", [10, 64, 65, 100, 128, 1000])
def test_the_threshold_itself_counts_and_what_is_above_does_not(length: int) -> None:
    """Every percentage below 100 that the length can have exactly, by each of the functions."""
    for percent in range(1, 100):
        if length * percent % 100:
            continue
        same = length * percent // 100
        truth, prediction, threshold = "a" * length, "a" * same + "b" * (length - same), percent / 100
        above = threshold + 1e-9
        assert similarity(truth, prediction, threshold) == close(threshold)
        assert similarity(truth, prediction, above) == 0.0
        for compared, limit in ((threshold, threshold), (0.0, above)):
            assert similarity_matrix([truth, "c"], [prediction, "d"], limit)[0, 0] == close(compared)
            assert similarities([truth, "c"], [prediction, "d"], limit)[0] == close(compared)


def naive(a: str, b: str, threshold: float) -> float:
    longest = max(len(a), len(b))
    found = Fraction(longest - distance(a, b), longest) if longest else Fraction(1)
    return float(found) if found >= Fraction(str(threshold)) else 0.0


def edited(rng: random.Random, source: str, edits: int) -> str:
    """The text after that many random substitutions, deletions and insertions."""
    letters = list(source)
    for _ in range(edits):
        place = rng.randrange(len(letters) + 1)
        letters[place : place + rng.randint(0, 1)] = rng.choice(["", "a", "b", "é", "\U0001f600", "\ud800"])
    return "".join(letters)


def texts(rng: random.Random, lengths: list[int]) -> list[str]:
    return ["".join(rng.choices("abcdé ", k=length)) for length in lengths]


THRESHOLDS = [0.0, 0.3, 0.5, 0.75, 0.9, 1.0]


def test_long_texts_equal_the_naive_distance() -> None:
    """From near-equal to unrelated, around and beyond 64 characters, where the distance is cut off."""
    rng = random.Random(20_2402)
    counted = dict.fromkeys(THRESHOLDS, 0)
    for length in (60, 63, 64, 65, 66, 90, 129, 200):
        for edits in (0, 1, 5, length // 3, length // 2, length, 3 * length):
            truth = texts(rng, [length])[0]
            prediction = edited(rng, truth, edits)
            for threshold in THRESHOLDS:
                expected = naive(truth, prediction, threshold)
                assert similarity(truth, prediction, threshold) == close(expected), (truth, prediction, threshold)
                assert similarity(prediction, truth, threshold) == close(expected)
                assert similarities([truth, ""], [prediction, ""], threshold).tolist() == [close(expected), 1.0]
                counted[threshold] += bool(expected)
    assert counted[0.0] > counted[0.5] > counted[0.9] > counted[1.0] > 0  # the draws fall on both sides of each


def test_texts_of_thousands_of_characters() -> None:
    """Counted by construction: every tenth of 5,000 letters is replaced by one that occurs nowhere else."""
    truth = "ab" * 2500
    prediction = "".join("x" if i % 10 == 0 else letter for i, letter in enumerate(truth))
    assert similarity(truth, prediction, 0.5) == close(0.9)
    assert similarity(truth, "x" * 5000, 0.5) == 0.0
    assert similarity(truth, "x" * 5000, 0.0) == 0.0
    assert similarity(truth, truth + "x" * 5000, 0.5) == 0.5
    assert similarity(truth, truth + "x" * 5001, 0.5) == 0.0


@golden("similarity", "shapes")
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_the_matrix_equals_the_scalar_function(
    rows: list[int], columns: list[int], times: int, threshold: float
) -> None:
    rng = random.Random(len(rows) + 7 * len(columns))
    truths = texts(rng, rows)
    predictions = [edited(rng, rng.choice(truths), length // 4) for length in columns]
    truths, predictions = truths * times, predictions * times
    rng.shuffle(truths)
    rng.shuffle(predictions)
    found = similarity_matrix(truths, predictions, threshold)
    assert found.shape == (len(truths), len(predictions))
    naively = {(t, p): naive(t, p, threshold) for t in set(truths) for p in set(predictions)}
    assert found.tolist() == [close([naively[t, p] for p in predictions]) for t in truths]
    assert found.tolist() == [close([similarity(t, p, threshold) for p in predictions]) for t in truths]


def test_the_matrix_of_empty_texts() -> None:
    assert similarity_matrix(["", "", "a"], ["", "b"], 0.5).tolist() == [[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]
