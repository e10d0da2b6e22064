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


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
def test_every_level_of_lists_is_visited_once(levels: int, work: Work) -> None:
    """3 elements a list: 9 ** levels pairs of texts, however deep; a second visit would double them."""

    def nested(level: int, text: str) -> Any:
        return [nested(level - 1, f"{text}{i}") for i in range(3)] if level else f"text {text}"

    anls_score(nested(levels, "a"), nested(levels, "b"))
    assert work.cells == 9**levels


def test_lists_in_rows_are_compared_once(work: Work) -> None:
    """6 rows with 2 tags and a name, against 6: 36 pairs of names and 144 of tags."""
    truth = [{"name": f"n{i}", "tags": [f"a{i}", f"b{i}"]} for i in range(6)]
    prediction = [{"name": f"m{i}", "tags": [f"c{i}", f"d{i}"]} for i in range(6)]
    anls_score(truth, prediction)
    assert work.cells == 36 + 144


def test_one_of_options_are_compared_once(work: Work) -> None:
    anls_score({"a": ("one", "two", "three")}, {"a": "four"})
    assert work.cells == 3
    anls_score([(f"x{i}", f"y{i}") for i in range(5)], [f"z{i}" for i in range(5)])
    assert work.cells == 3 + 50


def test_repeated_texts_are_compared_once(work: Work) -> None:
    """100 rows of 4 distinct texts: 16 pairs instead of 10,000."""
    anls_score([f"kind {i % 4}" for i in range(100)], [f"sort {i % 4}" for i in range(100)])
    assert (work.cells, work.calls) == (16, 1)


def test_answers_go_in_one_call(work: Work) -> None:
    score_pairs([((f"a{i}", f"b{i}"), f"c{i}") for i in range(500)])
    assert (work.cells, work.calls, work.assignments) == (1000, 1, 0)


def test_equal_lists_of_clear_rows_need_no_assignment(work: Work) -> None:
    """Rows of unlike sizes, where S alone does not decide; each has one partner far better than the others."""
    truth = [{f"key{k}": f"{'abcdefgh'[i] * 9}{k}" for k in range(i + 1)} for i in range(8)]
    anls_score(truth, truth[::-1])
    assert work.assignments == 0


def test_a_key_is_compared_only_for_the_rows_whose_ground_truth_has_it(work: Work) -> None:
    """60 rows, each with a key of its own and one that all have: 2 times 3,600 pairs, not 61 times."""
    truth = [{"name": f"n{i}", f"key{i}": f"value {i}"} for i in range(60)]
    anls_score(truth, truth[::-1])
    assert work.cells == 2 * 60 * 60


def test_rows_of_cells_are_matched_with_few_others(work: Work) -> None:
    """60 rows of 10 cells against 60: bounds leave each row its partner, 100 pairs of cells, of 360,000 in all."""
    anls_score(*lists_of_cells(60)[0])
    assert work.cells == 60 * 100
    assert work.assignments <= 60


def test_a_row_that_is_no_list_of_cells_leaves_the_others_their_bounds(work: Work) -> None:
    """As above, and one cell of one more row is compared with 600; nothing with null."""
    truth, prediction = lists_of_cells(60)[0]
    anls_score([*truth, ["x", ["y"]]], [*prediction, None])
    assert work.cells == 60 * 100 + 600


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
