"""Similarity of texts; matching against a brute force on integers, where nothing is rounded; bounds of rows."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from docscore import anls_score, score_pairs, score_tree
from docscore.core.assignment import Ties, align, lexicographic_assignment, match
from docscore.core.options import DEFAULT_OPTIONS
from docscore.core.similarity import fold, fold_all, similarities, similarity, similarity_matrix
from docscore.core.values import Matrix, scalar_text
from docscore.inputs.json_text import loads
from docscore.metrics.anls_star import matching, scorer
from docscore.metrics.anls_star.scorer import Scorer
from tests.conftest import golden
from tests.oracle import Oracle, distance
from tests.structures import shuffled

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


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Bounds are used for the smallest tables, a few rows at a time."""
    monkeypatch.setattr(matching, "LEAST_PAIRS", 1)
    monkeypatch.setattr(matching, "CELLS", 40)
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


@pytest.mark.parametrize(
    ("seed", "rows"), [*((seed, 5) for seed in range(120)), *((seed, 40) for seed in range(1_000, 1_020))]
)
def test_scores_are_those_of_the_oracle(seed: int, rows: int, always: pytest.MonkeyPatch) -> None:
    """The score, that of another order, and that of the tree have the bits of a table that is matched whole."""
    rng = random.Random(seed)
    truth, prediction = tables(rng, rows)
    if seed % 2:
        truth, prediction = with_other_rows(rng, truth, prediction)
    scores = [anls_score(truth, prediction), anls_score(shuffled(rng, truth), shuffled(rng, prediction))]
    scores += [score_tree(truth, prediction).score, score_tree({"a": truth}, {"a": prediction}).score]
    always.setattr(matching, "LEAST_PAIRS", 1 << 60)
    scores += [anls_score(truth, prediction), score_tree(truth, prediction).score]
    assert len(set(scores)) == 1
    if rows == 5:  # the oracle tries every matching
        assert scores[0] == pytest.approx(float(Oracle().score(truth, prediction).score), abs=1e-12)


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
        collected = []
        for many in (1, 1 << 60):
            monkeypatch.setattr(scorer, "MANY", many)
            collected += [anls_score(truth, prediction), anls_score(shuffled(rng, truth), shuffled(rng, prediction))]
            collected += [score_tree(truth, prediction).score, anls_score(truth, prediction, numbers="value")]
        assert collected[:4] == collected[4:]
        assert len({collected[0], *collected[1:3]}) == 1
    monkeypatch.setattr(scorer, "MANY", 1)
    truth, prediction = (side[-5:] for side in pairs[0])
    assert anls_score(truth, prediction) == pytest.approx(float(Oracle().score(truth, prediction).score), abs=1e-12)


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
        sides = (
            matching.CellRows(truth, options, by_column=False),
            matching.CellRows(prediction, options, by_column=True),
        )
        earned, _ = rules.pairwise(truth, prediction)
        cheap, closer = matching.bounds(*sides, threshold)
        assert (cheap >= earned).all()
        assert (closer >= earned).all()
        assert np.mean(closer - earned) < 1


def best_totals(criteria: list[Matrix]) -> tuple[float, ...]:
    """The lexicographically largest sums over all matchings of the rows, n <= m."""
    rows, columns = criteria[0].shape
    chosen = np.array(list(permutations(range(columns), rows)))
    return max(zip(*(c[range(rows), chosen].sum(axis=1).tolist() for c in criteria), strict=True))


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (2, 2), (2, 4), (4, 2), (3, 3), (3, 5), (4, 4), (6, 4), (5, 5)])
def test_sums_are_lexicographically_largest(shape: tuple[int, int]) -> None:
    """Small integers tie in every way; a column that must be covered by the first criterion stays covered."""
    rng = np.random.default_rng(sum(shape))
    for _ in range(150):
        criteria = [rng.integers(0, 4, shape).astype(float) for _ in range(3)]
        rows, columns = lexicographic_assignment(criteria)
        assert len(set(rows.tolist())) == len(set(columns.tolist())) == len(rows) == min(shape)
        actual = tuple(float(c[rows, columns].sum()) for c in criteria)
        assert actual == best_totals([c if shape[0] <= shape[1] else c.T for c in criteria]), criteria


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


def pairs_of(found: tuple[Any, ...]) -> list[tuple[int, int]]:
    """The pairs of a matching, by rows."""
    return sorted(zip(found[0].tolist(), found[1].tolist(), strict=True))


def matchings(shape: tuple[int, int], *, kept: bool = False) -> list[list[tuple[int, int]]]:
    """All matchings of as many rows and columns as possible; if they are kept in order, of any number of them."""
    rows, columns = shape
    return [
        list(zip(left, right, strict=True))
        for count in range(0 if kept else min(shape), min(shape) + 1)
        for left in permutations(range(rows), count)
        for right in permutations(range(columns), count)
        if list(left) == sorted(left) and (not kept or list(right) == sorted(right))
    ]


def summed(pairs: list[tuple[int, int]], *criteria: Matrix) -> tuple[float, ...]:
    return tuple(sum(float(criterion[pair]) for pair in pairs) for criterion in criteria)


SHAPES = [(1, 4), (4, 1), (2, 4), (3, 3), (4, 2), (4, 3)]


@pytest.mark.parametrize("shape", SHAPES)
def test_further_criteria_decide_among_matchings_that_tie_and_then_the_first_by_content(
    shape: tuple[int, int],
) -> None:
    """The shorter side in the order of its content takes the other, and of equal elements the first."""
    rng = np.random.default_rng(0)
    by_rows = shape[0] <= shape[1]
    for number in range(200):
        earned, weight = rng.integers(0, 2, shape).astype(float), np.ones(shape)
        preferred = rng.integers(0, 1 + number % 3, (2, *shape)).astype(float)
        contents = [rng.integers(0, 3, length).tolist() for length in shape]
        for side, axis in ((0, 0), (1, 1)):  # equal elements are equal in everything
            for i, content in enumerate(contents[side]):
                first = contents[side].index(content)
                for matrix in (earned, *preferred):
                    np.moveaxis(matrix, axis, 0)[i] = np.moveaxis(matrix, axis, 0)[first]
        ties = Ties(contents[0].__getitem__, contents[1].__getitem__, lambda i, j: preferred[:, i, j])  # noqa: B023
        found = pairs_of(match(earned, weight, [1.0] * shape[0], [1.0] * shape[1], ties))

        def partners(pairs: Any) -> list[tuple[tuple[int, int], ...]]:
            keys = [[(content, i) for i, content in enumerate(side)] for side in contents]  # noqa: B023
            left, right = (0, 1) if by_rows else (1, 0)
            return sorted((keys[left][pair[left]], keys[right][pair[right]]) for pair in pairs)

        most = max(summed(pairs, earned, weight, *preferred) for pairs in matchings(shape))
        best = [pairs for pairs in matchings(shape) if summed(pairs, earned, weight, *preferred) == most]
        assert found == sorted(min(best, key=partners))


@pytest.mark.parametrize("shape", SHAPES)
def test_further_criteria_decide_among_alignments_that_tie(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        earned, weight = rng.integers(0, 2, shape).astype(float), np.ones(shape)
        preferred = rng.integers(0, 3, (2, *shape)).astype(float)
        ties = Ties(int, int, lambda i, j: preferred[:, i, j])  # noqa: B023
        found = pairs_of(align(earned, weight, [1.0] * shape[0], [1.0] * shape[1], ties))
        every = [summed(pairs, earned, weight, *preferred) for pairs in matchings(shape, kept=True)]
        assert summed(found, earned, weight, *preferred) == max(every)


def test_only_elements_that_tie_are_asked_about() -> None:
    asked: list[Any] = []

    def criteria(rows: Any, columns: Any) -> list[list[float]]:
        asked.append([*zip(rows.tolist(), columns.tolist(), strict=True)])
        return [[0.0] * len(rows)]

    def content(index: int) -> int:
        asked.append(index)
        return -index

    earned = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = match(earned, np.ones((3, 3)), [1.0] * 3, [1.0] * 3, Ties(content, content, criteria))
    assert pairs_of(found) == [(0, 0), (1, 1), (2, 2)]
    assert asked == [[(0, 0), (0, 1), (1, 0), (1, 1)], 0, 1, 0, 1]


@pytest.mark.parametrize("size", [12, 60])
def test_the_first_matching_by_content_does_not_depend_on_order(size: int) -> None:
    """Sparse ties, with long exchanges and columns that must be covered, that stay free, or that come in place."""
    rng = np.random.default_rng(size)
    for _ in range(40):
        shape = size, size + int(rng.integers(0, 4))
        earned = (rng.random(shape) < 3 / size).astype(float)
        weight = 1.0 + (rng.random(shape) < 0.3).astype(float)
        earned *= weight
        known = set()
        for _ in range(4):
            rows, columns = rng.permutation(shape[0]), rng.permutation(shape[1])
            ties = Ties(rows.__getitem__, columns.__getitem__)
            found = match(
                earned[np.ix_(rows, columns)], weight[np.ix_(rows, columns)], [1.0] * shape[0], [1.0] * shape[1], ties
            )
            known.add(tuple(sorted(zip(rows[found[0]].tolist(), columns[found[1]].tolist(), strict=True))))
        assert len(known) == 1


def test_rows_that_tie_in_a_chain() -> None:
    """A price rises once for each row before it."""
    rows = np.arange(40)
    first, second = np.zeros((40, 40)), np.zeros((40, 40))
    first[rows, rows] = first[rows[:-1], rows[1:]] = 1.0
    second[rows[:-1], rows[1:]] = 0.5
    assert lexicographic_assignment([first, second])[1].tolist() == rows.tolist()


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
    share = Fraction(longest - distance(a, b), longest) if longest else Fraction(1)
    return float(share) if share >= Fraction(str(threshold)) else 0.0


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
    actual = similarity_matrix(truths, predictions, threshold)
    assert actual.shape == (len(truths), len(predictions))
    naively = {(t, p): naive(t, p, threshold) for t in set(truths) for p in set(predictions)}
    assert actual.tolist() == [close([naively[t, p] for p in predictions]) for t in truths]
    assert actual.tolist() == [close([similarity(t, p, threshold) for p in predictions]) for t in truths]
