"""The two writings of the five rules, for one pair and for columns, agree in every cell."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from docscore.core.options import ScoringOptions
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.metrics.anls_star import scorer as pairwise
from docscore.metrics.anls_star.scorer import Scorer
from tests.structures import SCALARS, damaged, random_prediction, random_truth


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
