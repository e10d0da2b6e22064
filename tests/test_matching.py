"""Matching, against a brute force on integers, where nothing is rounded; bounds of rows of cells that change no bit."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from docscore import anls_score, score_tree
from docscore.core.assignment import best_options, lexicographic_assignment, match, score_ratios
from docscore.core.options import DEFAULT_OPTIONS
from docscore.core.similarity import fold_all, similarity_matrix
from docscore.core.values import Matrix
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


def best_totals(criteria: list[Matrix]) -> tuple[float, ...]:
    """The lexicographically largest sums over all matchings of the rows, n <= m."""
    rows, columns = criteria[0].shape
    chosen = (list(each) for each in permutations(range(columns), rows))
    return max(tuple(float(c[range(rows), columns_of].sum()) for c in criteria) for columns_of in chosen)


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (2, 2), (2, 4), (4, 2), (3, 3), (3, 5), (4, 4), (6, 4), (5, 5)])
def test_sums_are_lexicographically_largest(shape: tuple[int, int]) -> None:
    """Small integers tie in every way; a column that must be covered by the first criterion stays covered."""
    rng = np.random.default_rng(sum(shape))
    for _ in range(150):
        criteria = [rng.integers(0, 4, shape).astype(float) for _ in range(3)]
        rows, columns = lexicographic_assignment(criteria)
        assert len(set(rows.tolist())) == len(set(columns.tolist())) == len(rows) == min(shape)
        found = tuple(float(c[rows, columns].sum()) for c in criteria)
        assert found == best_totals([c if shape[0] <= shape[1] else c.T for c in criteria]), criteria


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (2, 5), (5, 2), (4, 3), (4, 5)])
def test_match_maximises_score_then_s_then_minus_w(shape: tuple[int, int]) -> None:
    """S in tenths of L, so that the ratios are not exact in binary and their sums differ in the last bits."""
    rng = np.random.default_rng(sum(shape) + 7)
    for _ in range(200):
        weight = rng.integers(1, 4, shape).astype(float)
        tenths = rng.integers(0, 11, shape)
        earned = tenths * weight / 10
        sizes = [rng.integers(0, 4, length).tolist() for length in shape]
        surplus = weight - np.add.outer(*sizes)
        rows, columns, _ = match(earned, weight, *sizes)
        assert len(rows) == len(columns) == min(shape)
        exact = [tenths.astype(float), np.round(tenths * weight), -surplus]
        wanted = best_totals([c if shape[0] <= shape[1] else c.T for c in exact])
        assert tuple(float(c[rows, columns].sum()) for c in exact) == wanted


def test_equality_decides_last_and_only_among_ties() -> None:
    score = np.ones((2, 2))
    equality = np.array([[0.0, 1.0], [1.0, 0.0]])
    rows, columns, _ = match(score, np.ones((2, 2)), [1, 1], [1, 1], lambda: equality)
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [(0, 1), (1, 0)]
    better = np.array([[1.0, 0.5], [0.5, 1.0]])
    rows, columns, _ = match(better, np.ones((2, 2)), [1, 1], [1, 1], lambda: equality)
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [(0, 0), (1, 1)]


def test_a_plain_assignment_would_give_another_s() -> None:
    """Both matchings have the sum of ratios 1, but S 1 and 2: the second criterion decides, whatever the order."""
    weight = np.array([[1.0, 2.0], [2.0, 4.0]])
    earned = np.array([[0.5, 1.0], [1.0, 2.0]])  # ratios are all 1/2
    for order in ([0, 1], [1, 0]):
        rows, columns, _ = match(earned[:, order], weight[:, order], [1, 1], [1, 1])
        assert earned[:, order][rows, columns].sum() == 2.5


@pytest.mark.parametrize("size", [30, 120])
def test_large_tied_matrices_do_not_depend_on_order(size: int) -> None:
    """Twelve distinct elements, hundreds of ties: the totals are those of any other order."""
    rng = np.random.default_rng(size)
    kinds = rng.integers(0, 12, size), rng.integers(0, 12, size + 9)
    base_weight = rng.integers(1, 9, (12, 12)).astype(float)
    base_earned = base_weight * rng.integers(0, 4, (12, 12)) / 4
    totals = set()
    for _ in range(4):
        left, right = rng.permutation(kinds[0]), rng.permutation(kinds[1])
        earned, weight = base_earned[np.ix_(left, right)], base_weight[np.ix_(left, right)]
        rows, columns, _ = match(earned, weight, [2] * len(left), [3] * len(right))
        sums = (score_ratios(earned, weight), earned, weight)
        totals.add(tuple(round(float(each[rows, columns].sum()), 9) for each in sums))
    assert len(totals) == 1


def test_best_options_by_ratio_then_s_then_minus_l() -> None:
    earned = np.array([[1.0, 0.0], [2.0, 0.0], [1.9, 0.0]])
    weight = np.array([[2.0, 3.0], [4.0, 1.0], [4.0, 1.0]])
    assert best_options(earned, weight).tolist() == [1, 1]
    assert best_options(earned[[0, 2, 1]], weight[[0, 2, 1]]).tolist() == [2, 1]
    assert score_ratios(np.zeros((1, 2)), np.array([[0.0, 2.0]])).tolist() == [[1.0, 0.0]]


def test_rows_that_tie_in_a_chain() -> None:
    """A price rises once for each row before it."""
    rows = np.arange(40)
    first, second = np.zeros((40, 40)), np.zeros((40, 40))
    first[rows, rows] = first[rows[:-1], rows[1:]] = 1.0
    second[rows[:-1], rows[1:]] = 0.5
    assert lexicographic_assignment([first, second])[1].tolist() == rows.tolist()
