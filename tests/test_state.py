"""The mergeable state: however rows are split, sent and merged, the figures are the same to the last bit."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore.core.options import CompareOptions
from docscore.evaluation.state import ScoreState
from docscore.inputs.test_set import TestSet
from tests.conftest import examples
from tests.structures import damaged, evaluation_of, predictions, random_truth, truths

ALL = ("anls_star", "kieval", "entity_f1", "nted")
TEXTS = ['{"a": "x"}', '{"a": "x",', "n/a", "", "[1, 2", '{"a": {"b": ["ab", 1]}}']  # some JSON, some nearly, some not
RULES: list[dict[str, Any]] = [
    {},
    {"metrics": ALL},
    {"parse": "repair"},
    {"metrics": ALL, "parse": "repair", "threshold": 0.8, "ignore_case": False},
    {"metrics": ALL, "fields": False, "options": CompareOptions(normalise=True, donut=True)},
]
Rows = list[tuple[Any, Any]]  # ground truth and prediction
rows_of_documents = st.lists(st.tuples(truths, predictions | st.sampled_from(TEXTS)), min_size=1, max_size=8)


def pairs(rows: Rows) -> TestSet:
    return TestSet([str(k) for k in range(len(rows))], [truth for truth, _ in rows], [actual for _, actual in rows])


def state_of(rows: Rows, rules: dict[str, Any]) -> ScoreState:
    """One that saw the rows, in one update."""
    state = ScoreState(**rules)
    if rows:
        state.update_pairs(pairs(rows))
    return state


def split(rng: random.Random, rows: Rows) -> list[Rows]:
    """Up to five parts, some of them empty, in random order."""
    parts: list[Rows] = [[] for _ in range(rng.randint(1, 5))]
    for row in rng.sample(rows, len(rows)):
        rng.choice(parts).append(row)
    return parts


def check(rows: Rows, rules: dict[str, Any], rng: random.Random) -> None:
    """One state against the merged states of parts, some of them sent, some merged before others."""
    whole = state_of(rows, rules).compute()
    states = [state_of(part, rules) for part in split(rng, rows)]
    while len(states) > 1:
        first, second = (states.pop(rng.randrange(len(states))) for _ in range(2))
        states.append(first.merge(pickle.loads(pickle.dumps(second))))
    assert states[0].compute() == whole
    assert states[0].rows == len(rows)
    one_by_one = ScoreState(**rules)
    for row in rng.sample(rows, len(rows)):
        one_by_one.update_pairs(pairs([row]))
    assert one_by_one.compute() == whole
    options = {name: rules[name] for name in ("threshold", "ignore_case", "parse") if name in rules}
    assert whole["anls_star"] == evaluation_of(pairs(rows), **options).score


@pytest.mark.filterwarnings("ignore::UserWarning")  # of documents this odd
@examples(100)
@given(rows=rows_of_documents, rules=st.sampled_from(RULES), seed=st.integers(0, 999))
def test_any_split_and_order_gives_the_same_bits(rows: Rows, rules: dict[str, Any], seed: int) -> None:
    """With every metric, read and repaired or as it is, also through pickle."""
    check(rows, rules, random.Random(seed))


@pytest.mark.filterwarnings("ignore:references. .* accept a missing value")  # random ground truths may
@pytest.mark.ci
@pytest.mark.parametrize("rules", RULES)
def test_many_documents_with_small_errors(rules: dict[str, Any]) -> None:
    """Their scores are no round numbers, so that plain sums of floats would depend on their order."""
    rng = random.Random(5)
    documents = [{"a": random_truth(rng, 2), "t": "word " * rng.randint(1, 9), "l": ["x", "ab"]} for _ in range(60)]
    rows = [(truth, damaged(rng, truth) | {"t": "word " * rng.randint(1, 9)}) for truth in documents]
    means = {sum(evaluation_of(pairs(rng.sample(rows, len(rows)))).scores) for _ in range(20)}
    assert len(means) > 1
    for _ in range(2):
        check(rows, rules, rng)


def test_the_state_of_no_rows() -> None:
    """It has no figures, and adds nothing."""
    state = ScoreState()
    with pytest.raises(ValueError, match="expected at least one row, got none"):
        state.compute()
    with pytest.raises(ValueError, match="expected at least one row, got none"):
        state.merge(ScoreState(), ScoreState()).compute()
    state.update(["x"], ["x"])
    assert (
        ScoreState().merge(state).compute() == state.merge(ScoreState()).compute() == {"anls_star": 1, "anls_star/$": 1}
    )


def test_reset_and_empty() -> None:
    """Both keep the rules; an empty one shares nothing with its model."""
    rules: dict[str, Any] = {"metrics": ALL, "parse": "json", "missing": "zero", "fields": False}
    state = ScoreState(**rules)
    by_id: list[Any] = [{"question_id": "a", "references": [{"a": "x"}]}, {"question_id": "b", "references": ["y"]}]
    state.update([{"question_id": "a", "prediction": "n/a"}], by_id)
    figures = state.compute()
    assert (figures["missing_rate"], figures["parse_failure_rate"]) == (0.5, 0.5)
    other = state.empty()
    assert (other.rows, other.identity) == (0, state.identity)
    state.reset()
    assert vars(state) == vars(other)
    other.update([{"question_id": "a", "prediction": "n/a"}], by_id)
    assert (other.compute(), state.rows) == (figures, 0)


OTHERS: list[dict[str, Any]] = [
    {"metrics": ("nted",)},
    {"fields": False},
    {"threshold": 0.6},
    {"ignore_case": False},
    {"parse": "json"},
    {"missing": "zero"},
    {"options": CompareOptions(numbers="value")},
]


@pytest.mark.parametrize("rules", OTHERS)
def test_other_rules_are_not_merged(rules: dict[str, Any]) -> None:
    state = state_of([("x", "x")], {})
    with pytest.raises(ValueError, match="expected states with the same rules"):
        state.merge(state_of([("x", "y")], rules))
    assert state.compute() == {"anls_star": 1.0, "anls_star/$": 1.0}


def row(name: str, value: Any, found: Any = "same") -> tuple[list[Any], list[Any]]:
    """A row by id as the arguments of an update."""
    truth = {"t": value, name: "x"}
    prediction = truth if found == "same" else found
    return [{"question_id": name, "prediction": prediction}], [{"question_id": name, "references": [truth]}]


def state_by_id(*rows: tuple[list[Any], list[Any]]) -> ScoreState:
    state = ScoreState(metrics=ALL)
    for each in rows:
        state.update(*each)
    return state


A, B, C = row("a", "abc", {"t": "abd"}), row("b", "x"), row("c", "y", {"t": 1})
A_B_A = [*A[0], *B[0], *A[0]], [*A[1], *B[1], *A[1]]  # in one batch, as accelerate fills a batch of a small test set
TWICE: list[tuple[str, list[ScoreState], Any]] = [  # why, states, how many rows were repeated or what is wrong
    ("in one state", [state_by_id(A, B, A)], 1),
    ("in one update", [state_by_id(A_B_A)], 1),
    ("in one update, and before it", [state_by_id(A, A_B_A)], 2),
    ("in one update, and in another state", [state_by_id(B, C), state_by_id(A_B_A)], 2),
    ("in two states", [state_by_id(A, B), state_by_id(C, A)], 1),
    ("in three, and all but one at the end", [state_by_id(A), state_by_id(B, A), state_by_id(C, A)], 2),
    ("with another value", [state_by_id(A, B, C), state_by_id(row("a", "abc"))], "row 'a': expected the values with"),
    ("not at the end", [state_by_id(A, B), state_by_id(A, C)], "ids that are counted in several states: 1; merge"),
    ("after it was sent", [state_by_id(A, B), pickle.loads(pickle.dumps(state_by_id(C, A)))], "in several states: 1"),
    ("the state itself", [state_by_id(A, B, C)] * 2, "expected states of different rows, got one that was merged"),
]


@pytest.mark.parametrize(("why", "states", "outcome"), TWICE, ids=[each[0] for each in TWICE])
def test_no_row_counts_twice(why: str, states: list[ScoreState], outcome: Any) -> None:
    assert why
    whole = ScoreState(metrics=ALL)
    if isinstance(outcome, str):
        with pytest.raises(ValueError, match=outcome):
            whole.merge(*states)
        assert vars(whole) == vars(whole.empty())
        return
    whole.merge(*states)
    names = "abc" if len(states) > 1 else "ab"
    expected = state_by_id(*(each for name, each in zip("abc", (A, B, C), strict=True) if name in names))
    assert (whole.compute(), whole.rows) == (expected.compute(), len(names))
    assert (whole.fields, whole.counts) == (expected.fields, {"repeated": outcome})
    with pytest.raises(ValueError, match="got one that was merged before"):
        whole.merge(states[-1])
    without_ids = state_of([("x", "x")], {})
    for merge in (without_ids.merge, ScoreState().merge(without_ids).merge):
        with pytest.raises(ValueError, match="got one that was merged before"):
            merge(without_ids)


def test_rows_repeated_in_one_update_have_the_same_values() -> None:
    """Rows without ids all count; of repeated rows, those without a prediction are left out once."""
    for given_rows, wanted in ((row("a", "other")[0], A[1]), (A[0], row("a", "other")[1])):
        with pytest.raises(ValueError, match="ids that occur more than once"):
            ScoreState().update([*A[0], *given_rows], [*A[1], *wanted])
    state = ScoreState(missing="skip")
    state.update(A[0] * 2, A_B_A[1])
    assert (state.rows, state.counts) == (1, {"repeated": 1, "skipped": 1})
    plain = ScoreState()
    plain.update(["x", "x", "y"], ["x", "x", "z"])
    assert (plain.rows, plain.counts) == (3, {})


def test_a_state_holds_no_rows() -> None:
    """Its size does not depend on the number of documents."""
    row = ({"name": "a secret", "items": ["x", "y"]}, {"name": "a secret", "items": ["x"]})
    few, many = (pickle.dumps(state_of([row] * count, {"metrics": ALL})) for count in (10, 300))
    assert b"secret" not in many
    assert len(many) - len(few) < 100


def test_a_batch_that_is_refused_counts_nothing() -> None:
    """Neither its rows nor what was parsed before the error was found; nor a good state beside one of other rules."""
    state = ScoreState(metrics=("anls_star", "anls"), parse="json")
    state.update(["x"], ["x"])
    before = pickle.dumps(state)
    with pytest.raises(ValueError, match="row '0'"):
        state.update([{"a": 1}, "{"], ["x", "y"])
    with pytest.raises(ValueError, match="same rules"):
        state.merge(state.empty(), ScoreState())
    assert pickle.dumps(state) == before


def test_rows_that_are_all_left_out_are_counted() -> None:
    """As in a batch of Ray in which no row has a prediction."""
    state = ScoreState(missing="skip")
    state.update_scores(
        evaluation_of(TestSet(["a"], [("x",)], [None], frozenset([0])).with_predictions(), missing="skip")
    )
    assert (state.rows, state.counts) == (0, {"skipped": 1})
