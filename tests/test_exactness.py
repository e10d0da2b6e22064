"""Random pairs against the exact oracle, and the same bits in any order and from any face; sums that do not round."""

from __future__ import annotations

import random
from fractions import Fraction
from math import fsum

import numpy as np
import pytest

from benchmarks.exactness import failure, random_pair
from docscore import anls_score
from docscore.core.assignment import halves, sum_of_ties

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")


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
