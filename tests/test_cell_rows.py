"""Rows that are lists of cells: bounds take work away and change no bit, however alike the rows are."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from docscore import anls_score, score_tree
from docscore.core.options import DEFAULT_OPTIONS
from docscore.core.similarity import fold_all, similarity_matrix
from docscore.data.json_text import loads
from docscore.metrics.anls_star import matching, scorer
from docscore.metrics.anls_star.scorer import Scorer
from tests.oracle import oracle

CELLS: list[Any] = ["ab", "abc", "aba", "ba", "b a", "AB", "", " ", None, 1, True, "1", "abcde", "abcdf", "xyz", "aaa"]
CELLS += [0.0, -0.0, 0, 1.0]  # equal in Python, some of them, and not as texts
OTHER_ROWS: list[Any] = [None, "ab", [], {"a": "ab"}, ["ab", ["abc"]], [["ab"]], 1, "", {}, [[], {}]]


def tables(rng: random.Random, most: int) -> tuple[list[Any], list[Any]]:
    """Two tables of few and similar cells; the rows of the second are mostly those of the first, in another order."""
    cells, width = rng.sample(CELLS, rng.randint(2, 9)), rng.randint(1, 4)

    def row() -> list[Any]:
        return [rng.choice(cells) for _ in range(rng.randint(1, width))]

    truth = [row() for _ in range(rng.randint(1, most))]
    kept = [[cell if rng.random() < 0.8 else rng.choice(cells) for cell in each] for each in truth]
    prediction = kept[: rng.randint(1, most)] + [row() for _ in range(rng.randint(0, 2))]
    rng.shuffle(prediction)
    return truth, prediction


def shuffled(rng: random.Random, table: list[Any]) -> list[Any]:
    rows = [rng.sample(row, len(row)) if isinstance(row, list) else row for row in table]
    return rng.sample(rows, len(rows))


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Bounds are used for the smallest tables, a few rows at a time."""
    monkeypatch.setattr(matching, "_LEAST_PAIRS", 1)
    monkeypatch.setattr(matching, "_CELLS", 40)
    return monkeypatch


def with_other_rows(rng: random.Random, truth: list[Any], prediction: list[Any]) -> tuple[list[Any], list[Any]]:
    """Tables of which some rows are no lists of cells; few enough that the bounds are used for the others."""
    sides = []
    for table in (truth, prediction):
        most = len(table) // 8 + (len(table) > 3)
        others = [rng.choice(OTHER_ROWS) for _ in range(rng.randint(0, most))]
        sides.append([*table, *others])
    if rng.random() < 0.2:
        sides[0].append((["ab", "x"], ["abc"]))
    return rng.sample(sides[0], len(sides[0])), rng.sample(sides[1], len(sides[1]))


@pytest.mark.parametrize("seed", range(120))
def test_scores_are_those_of_the_oracle(seed: int, always: pytest.MonkeyPatch) -> None:
    """The score, that of another order, and that of the tree have the bits of a table that is matched whole."""
    rng = random.Random(seed)
    truth, prediction = tables(rng, 5)
    if seed % 2:
        truth, prediction = with_other_rows(rng, truth, prediction)
    found = [anls_score(truth, prediction), anls_score(shuffled(rng, truth), shuffled(rng, prediction))]
    found += [score_tree(truth, prediction).score, score_tree({"a": truth}, {"a": prediction}).score]
    always.setattr(matching, "_LEAST_PAIRS", 1 << 60)
    found += [anls_score(truth, prediction), score_tree(truth, prediction).score]
    assert len(set(found)) == 1
    assert found[0] == pytest.approx(float(oracle(truth, prediction).score), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_larger_tables_have_the_same_bits(seed: int, always: pytest.MonkeyPatch) -> None:
    rng = random.Random(1_000 + seed)
    truth, prediction = tables(rng, 40)
    if seed % 2:
        truth, prediction = with_other_rows(rng, truth, prediction)
    found = [anls_score(truth, prediction), anls_score(shuffled(rng, truth), shuffled(rng, prediction))]
    always.setattr(matching, "_LEAST_PAIRS", 1 << 60)
    found.append(anls_score(truth, prediction))
    assert len(set(found)) == 1


@pytest.mark.parametrize("seed", range(40))
def test_lists_that_occur_several_times_are_compared_once_and_change_no_bit(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a row with containers in it, in which they come again, and where each side has many tables."""
    rng = random.Random(2_000 + seed)
    pairs = []
    for most in (4, 30):
        truth, prediction = (side * rng.randint(1, 4) for side in tables(rng, most))
        odd = rng.choice([["x", ["y"]], [[]], [{"a": 1}]])
        pairs.append(([*truth, odd], [*prediction, odd]))
    truth, prediction = tables(rng, 5)
    pairs.append(([shuffled(rng, truth) for _ in range(4)], [shuffled(rng, prediction) for _ in range(4)]))
    for truth, prediction in pairs:
        found = []
        for many in (1, 1 << 60):
            monkeypatch.setattr(scorer, "_MANY", many)
            found += [anls_score(truth, prediction), anls_score(shuffled(rng, truth), shuffled(rng, prediction))]
            found += [score_tree(truth, prediction).score, anls_score(truth, prediction, numbers="value")]
        assert found[:4] == found[4:]
        assert len({found[0], *found[1:3]}) == 1
    monkeypatch.setattr(scorer, "_MANY", 1)
    truth, prediction = (side[-5:] for side in pairs[0])
    assert anls_score(truth, prediction) == pytest.approx(float(oracle(truth, prediction).score), abs=1e-12)


def test_numbers_that_print_differently_are_different_rows() -> None:
    """0.0 and -0.0 are equal in Python, and so are the floats of 1e400 and 1e401."""
    others = [[f"r{number}", f"c{number}"] for number in range(60)]
    for one, other, numbers, lost in ((0.0, -0.0, "text", 0.25), (loads("1e400"), loads("1e401"), "value", 1.0)):
        truth, prediction = [[one, "x"], [other, "x"], *others], [[other, "x"], [other, "x"], *others]
        assert anls_score(truth, prediction, numbers=numbers) == pytest.approx(1 - lost / 124, abs=1e-12)
        odd = [["x", ["y"]]]
        assert anls_score(truth + odd, prediction + odd, numbers=numbers) == pytest.approx(1 - lost / 126, abs=1e-12)


@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.7])
def test_bounds_are_never_less_than_s(threshold: float) -> None:
    rng = random.Random(int(threshold * 10))
    options = replace(DEFAULT_OPTIONS, threshold=threshold)
    rules = Scorer(options)
    for _ in range(40):
        truth, prediction = tables(rng, 6)
        fold = partial(fold_all, ignore_case=True)
        compare = partial(similarity_matrix, threshold=threshold)
        sides = (
            matching.CellRows(truth, fold, by_column=False),
            matching.CellRows(prediction, fold, by_column=True),
        )
        earned, _ = rules.pairwise(truth, prediction)
        cheap, closer = matching._bounds(*sides, compare, threshold)  # noqa: SLF001
        assert (cheap >= earned).all()
        assert (closer >= earned).all()
        assert np.mean(closer - earned) < 1
