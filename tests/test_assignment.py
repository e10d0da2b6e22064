"""The lexicographic matching against a brute force, on integers, where nothing is rounded."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from docscore.core.assignment import lexicographic_assignment, match, score_ratios
from docscore.core.values import Matrix


def best_totals(criteria: list[Matrix]) -> tuple[float, ...]:
    """The lexicographically largest sums over all matchings of the rows, n <= m."""
    rows, columns = criteria[0].shape
    chosen = (list(each) for each in permutations(range(columns), rows))
    return max(tuple(float(c[range(rows), columns_of].sum()) for c in criteria) for columns_of in chosen)


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (2, 2), (2, 4), (3, 3), (3, 5), (4, 4), (4, 6), (5, 5)])
def test_sums_are_lexicographically_largest(shape: tuple[int, int]) -> None:
    """Small integers tie in every way; a column that must be covered by the first criterion stays covered."""
    rng = np.random.default_rng(sum(shape))
    for _ in range(150):
        criteria = [rng.integers(0, 4, shape).astype(float) for _ in range(3)]
        columns = lexicographic_assignment(criteria)
        assert len(set(columns.tolist())) == shape[0]
        found = tuple(float(c[range(shape[0]), columns].sum()) for c in criteria)
        assert found == best_totals(criteria), criteria


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
