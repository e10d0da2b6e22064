"""The work that is done, counted and not timed: no pair of places is visited twice."""

from __future__ import annotations

from typing import Any

import pytest
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist, cpdist

from dev.benchmarks.workloads import lists_of_cells
from docscore import anls_score, score_pairs, score_tree
from docscore.core import assignment, similarity
from docscore.core.options import ReadOptions
from docscore.evaluation.evaluation import evaluate_rows
from docscore.inputs.pairing import pairs_of
from docscore.metrics.anls_star import api, scorer
from docscore.metrics.anls_star.sizes import Counting
from docscore.metrics.kieval import Kieval


class Work:
    """Counts of the pairs of texts that were compared, the calls for them, and the assignments that were solved.

    `hints` are the similarities that rapidfuzz was told to expect, of each call that has one.
    """

    def __init__(self) -> None:
        self.cells = self.calls = self.assignments = 0
        self.hints: list[float] = []

    def called(self, cells: int, hint: float | None = None) -> None:
        self.cells += cells
        self.calls += 1
        self.hints += [] if hint is None else [hint]


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """Counts what goes into rapidfuzz and scipy, and lets it go on."""
    counted = Work()
    solve = assignment._assignment  # noqa: SLF001

    def counting_cdist(rows: Any, columns: Any, **options: Any) -> Any:
        counted.called(len(rows) * len(columns), options.get("score_hint"))
        return cdist(rows, columns, **options)

    def counting_cpdist(rows: Any, columns: Any, **options: Any) -> Any:
        counted.called(len(rows), options.get("score_hint"))
        return cpdist(rows, columns, **options)

    class Counting:
        @staticmethod
        def distance(truth: str, prediction: str) -> int:
            counted.called(1)
            return Levenshtein.distance(truth, prediction)

    def counting_assignment(value: Any) -> Any:
        counted.assignments += 1
        return solve(value)

    monkeypatch.setattr(similarity, "Levenshtein", Counting)
    monkeypatch.setattr(similarity, "cdist", counting_cdist)
    monkeypatch.setattr(similarity, "cpdist", counting_cpdist)
    monkeypatch.setattr(assignment, "_assignment", counting_assignment)
    return counted


def counted_calls(monkeypatch: pytest.MonkeyPatch, holder: Any, name: str) -> list[tuple[Any, ...]]:
    """The arguments of each call of a function or method, which goes on."""
    calls: list[tuple[Any, ...]] = []
    called = getattr(holder, name)

    def counting(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return called(*arguments, **options)

    monkeypatch.setattr(holder, name, counting)
    return calls


def rows(count: int, shift: int = 0) -> list[dict[str, str]]:
    return [{f"k{k}": f"{(i + shift) * 7919 % 9973}-{k}" for k in range(5)} for i in range(count)]


def test_a_table_costs_one_matrix_a_key_and_one_assignment(work: Work) -> None:
    anls_score(rows(40), rows(30, 3))
    assert (work.cells, work.calls) == (5 * 40 * 30, 5)
    assert work.assignments <= 1


def nested(level: int, text: str) -> Any:
    return [nested(level - 1, f"{text}{i}") for i in range(3)] if level else f"text {text}"


def tagged(name: str, first: str, second: str) -> Any:
    return [{"name": f"{name}{i}", "tags": [f"{first}{i}", f"{second}{i}"]} for i in range(6)]


KEYED = [{"name": f"n{i}", f"key{i}": f"value {i}"} for i in range(60)]
CELLS = lists_of_cells(60)[0]
# two values, and how many pairs of texts are compared
COMPARED: dict[str, tuple[Any, Any, int]] = {
    **{
        f"{levels} levels of lists of 3": (nested(levels, "a"), nested(levels, "b"), 9**levels)
        for levels in (1, 2, 3, 4)
    },
    "6 rows with 2 tags and a name": (tagged(*"nab"), tagged(*"mcd"), 36 + 144),
    "the options of a one-of": ({"a": ("one", "two", "three")}, {"a": "four"}, 3),
    "a list of one-ofs": ([(f"x{i}", f"y{i}") for i in range(5)], [f"z{i}" for i in range(5)], 50),
    "100 rows of 4 distinct texts": ([f"kind {i % 4}" for i in range(100)], [f"sort {i % 4}" for i in range(100)], 16),
    "a key of its own and one that all rows have": (KEYED, KEYED[::-1], 2 * 60 * 60),
    "rows of 10 cells, of which bounds leave each its partner": (*CELLS, 60 * 100),
    "beside a row that is no list of cells": ([*CELLS[0], ["x", ["y"]]], [*CELLS[1], None], 60 * 100 + 600),
}


@pytest.mark.parametrize("why", COMPARED)
def test_no_pair_of_texts_is_compared_twice(why: str, work: Work) -> None:
    truth, prediction, cells = COMPARED[why]
    anls_score(truth, prediction)
    assert work.cells == cells
    assert work.assignments <= 60


def test_answers_go_in_one_call(work: Work) -> None:
    score_pairs([((f"a{i}", f"b{i}"), f"c{i}") for i in range(500)])
    assert (work.cells, work.calls, work.assignments) == (1000, 1, 0)


def test_equal_lists_of_clear_rows_need_no_assignment(work: Work) -> None:
    """Rows of unlike sizes, where S alone does not decide; each has one partner far better than the others."""
    truth = [{f"key{k}": f"{'abcdefgh'[i] * 9}{k}" for k in range(i + 1)} for i in range(8)]
    anls_score(truth, truth[::-1])
    assert work.assignments == 0


def test_equal_lists_that_hold_lists_are_compared_once(work: Work) -> None:
    """40 lists of two lists and an object on each side: 4 pairs of texts and one of numbers, not 1,600 times that."""

    def copies(text: str) -> Any:
        return [[["a", text], [text], {"total": len(text)}] for _ in range(40)]

    anls_score(copies("b"), copies("cd"))
    once = work.cells
    assert once <= 10
    score_tree(copies("b"), copies("cd"))
    assert work.cells <= 2 * once + 40 * 20  # each pair of the matching is explained


def test_alike_rows_of_cells_are_matched_once(work: Work) -> None:
    """200 rows, four of them distinct: 16 pairs of rows are matched, and bounds compare the cells of four rows."""
    truth = [[f"kind {i % 4}", "1.00", "x"] for i in range(200)]
    anls_score(truth, truth[50:])
    assert work.cells <= 2 * 16 * 9


def test_lists_that_occur_several_times_are_matched_once(work: Work) -> None:
    """Three of them, on each side, beside a row with a container in it."""
    truth = [["tea", "2", "3.50"], ["milk", "1"], ["cake", "4", "9.00"]] * 100 + [["x", ["y"]]]
    anls_score(truth, truth[::-1])
    assert work.cells < 1_000
    assert work.assignments < 20


def test_the_sizes_of_deep_values_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 150 levels holds two elements: some visits a level and side, not one a level for every level above."""
    visits = counted_calls(monkeypatch, Counting, "size")
    truth: Any = "x"
    for _ in range(150):
        truth = [truth, "y"]
    score_tree(truth, truth)
    assert len(visits) <= 30 * 150


def test_a_score_tree_matches_every_two_lists_once(work: Work) -> None:
    """20 levels of five elements: the tables of the first pass serve the second."""
    truth: Any = "x"
    for _ in range(20):
        truth = [truth, "a", "b", "c", "d"]
    score_tree(truth, truth)
    once = work.cells
    assert anls_score(truth, truth) == 1.0
    assert once <= 2 * (work.cells - once) + 200


def test_long_texts_that_are_unlike_are_given_up_at_the_threshold() -> None:
    """Beyond it the whole distance would be computed for one sentence: it names no number then."""
    assert score_tree("ab" * 5_000, "cd" * 5_000).reason == "similarity 0.00 < 0.5"
    assert score_tree("ab" * 15_000, "cd" * 15_000).reason == "similarity < 0.5"


def test_long_answers_are_expected_to_be_nearly_right(work: Work) -> None:
    """Where texts are compared pair by pair: in a table most pairs are unlike, and the expectation costs."""
    long = [("ab" * 60, "ab" * 59 + "cd")] * 20
    score_pairs(long)
    assert work.hints == [0.98]
    score_pairs([("ab", "cd")] * 20)
    truths, guesses = zip(*long, strict=True)
    anls_score(list(truths), list(guesses))
    assert (work.calls, work.hints) == (3, [0.98])


def test_answers_that_are_offered_letter_by_letter_are_not_folded(monkeypatch: pytest.MonkeyPatch, work: Work) -> None:
    """One of 500 answers is not: it and what is acceptable there are the only texts that are folded and compared."""
    folded = counted_calls(monkeypatch, scorer, "fold_all")
    columns = counted_calls(monkeypatch, api, "fold_all")
    pairs: list[tuple[Any, str]] = [((f"A {i}", f"B {i}"), f"B {i}") for i in range(500)]
    pairs[7] = pairs[7][0], "c"
    score_pairs(pairs)
    for pair in pairs:
        anls_score(*pair)
    assert [len(arguments[0]) for arguments in columns] == [2, 1]
    assert ([len(arguments[0]) for arguments in folded], work.cells) == ([3], 4)


def test_kieval_of_confidences_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures, the curve and the calibration are of the same points."""
    rows = counted_calls(monkeypatch, Kieval, "row_points")
    guesses = [{"a": {"$value": f"{i}", "$confidence": i / 9}} for i in range(9)]
    options = ReadOptions(with_confidences=True)
    evaluation = evaluate_rows(pairs_of(guesses, [{"a": f"{i % 4}"} for i in range(9)]), options, metrics=["kieval"])
    assert evaluation.figures["kieval_aligned"] == evaluation.automation.curve.points()[0].accuracy == 4 / 9
    assert evaluation.automation.calibration.values == 9
    assert len(rows) == 9
