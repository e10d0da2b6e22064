"""How foreign rows are read without being told: columns, texts that are JSON, and sentences on what cannot be meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore.core.options import DEFAULT_READING
from docscore.core.values import convert_ground_truth
from docscore.inputs.pairing import paired_systems
from docscore.inputs.rows import RawTable
from docscore.inputs.test_set import TestSet
from playground.parts.column_guesses import (
    ReadingPlan,
    columns_of,
    guessed_plan,
    planned_tables,
    warnings_about_columns,
    warnings_about_ids,
)
from tests.commands import pred, ref
from tests.conftest import examples, golden
from tests.structures import predictions as values

BILL = {"total": "12.50"}


def table(rows: list[Any], name: str = "rows.jsonl") -> RawTable:
    return RawTable(Path(name), rows, lambda index: f"line {index + 1}", not name.endswith(".jsonl"))


def tables_of(references: list[Any] | None, predictions: list[Any], name: str = "rows.jsonl") -> tuple[Any, RawTable]:
    return None if references is None else table(references, name), table(predictions, name)


# why, references, predictions, and the plan: ids, ground truth, prediction, parse, parse_references, certain
@golden("column_guesses", "guesses")
def test_guesses(references: list[Any] | None, predictions: list[Any], expected: list[Any]) -> None:
    ids, *others = expected
    assert guessed_plan(*tables_of(references, predictions)) == ReadingPlan(tuple(ids), *others)


@golden("column_guesses", "tables")
def test_guesses_of_tables(references: list[Any], predictions: list[Any], expected: list[Any]) -> None:
    """The same of CSV."""
    ids, *others = expected
    assert guessed_plan(*tables_of(references, predictions, "rows.csv")) == ReadingPlan(tuple(ids), *others)


def planned(tables: tuple[Any, RawTable], plan: ReadingPlan) -> tuple[Any, Any, Any]:
    """The ids and both sides of what is read by a plan."""
    truths, guesses = planned_tables(*tables, plan)
    pairs = paired_systems(truths or guesses, [guesses], DEFAULT_READING)[0]
    return pairs.ids, pairs.truths, pairs.predictions


def test_tables_whose_columns_are_the_document() -> None:
    """A row of CSV without its id is compared as a whole."""
    rows = [{"doc": "a", "total": "1", "date": "3"}, {"doc": "b", "total": "2", "date": "4"}]
    tables = tables_of(rows, rows[::-1], "rows.csv")
    plan = guessed_plan(*tables)
    assert plan == ReadingPlan(("doc", "doc"), None, None)
    documents = [{"total": "1", "date": "3"}, {"total": "2", "date": "4"}]
    assert planned(tables, plan) == (["a", "b"], [(each,) for each in documents], documents)


def test_rows_that_pair_by_number() -> None:
    plan = ReadingPlan((None, None), "gt", None, certain=False)
    assert planned(tables_of([{"gt": BILL}, {"gt": 2}], [BILL, 2]), plan) == (["0", "1"], [(BILL,), (2,)], [BILL, 2])


OF_ROWS = ReadingPlan(("question_id", None), "references", "prediction")


@pytest.mark.parametrize(
    ("references", "plan", "message"),
    [
        ([ref("a", 1)], OF_ROWS, "expected an id column, as in rows.jsonl, got an object with 'prediction'$"),
        ([ref("a", 1)], OF_ROWS._replace(ids=("question_id", "nr")), "expected a column 'nr'"),
        (None, OF_ROWS._replace(references=None), "expected a column with the ground truths"),
    ],
)
def test_plans_that_do_not_fit(references: list[Any] | None, plan: ReadingPlan, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^rows\.jsonl: {message}"):
        planned_tables(*tables_of(references, [{"prediction": 1}]), plan)


@pytest.mark.filterwarnings("ignore:.*its rows are structs")
@pytest.mark.filterwarnings("ignore:.*cells are empty")
@examples(200)
@given(st.none() | st.lists(values, max_size=5), st.lists(values, max_size=5), st.sampled_from(["r.jsonl", "r.csv"]))
def test_any_rows_give_a_plan_or_a_sentence(references: list[Any] | None, predictions: list[Any], name: str) -> None:
    """Whatever the rows are, a guess is made, its columns exist, and rows that cannot be read are a ValueError."""
    truths, guesses = tables_of(references, predictions, name)
    plan = guessed_plan(truths, guesses)
    first = columns_of(truths or guesses)
    assert {plan.ids[0], plan.references} <= {None, *first}
    assert {plan.ids[1], plan.prediction} <= {None, *columns_of(guesses)}
    try:
        tables = planned_tables(truths, guesses, plan)
        pairs = paired_systems(tables[0] or tables[1], [tables[1]], DEFAULT_READING)[0]
    except (TypeError, ValueError):
        return
    assert all(str(each) for each in warnings_about_columns(pairs, plan))


def test_places_are_no_values() -> None:
    """Ground truths with evidence do not hold both sides."""
    rows = [{**ref("a", BILL), "evidence": {"total": [{"page": 1}]}}]
    assert guessed_plan(None, table(rows)).prediction is None


PLAN = ReadingPlan(("id", "id"), "truth", "guess")


def said_of(truths: list[Any], guesses: list[Any], plan: dict[str, Any]) -> list[str]:
    """Warnings about rows that are read by the plan above, but for some parts."""
    absent = frozenset(number for number, guess in enumerate(guesses) if guess is None)
    pairs = TestSet([str(n) for n in range(len(truths))], list(map(convert_ground_truth, truths)), guesses, absent)
    return list(map(str, warnings_about_columns(pairs, PLAN._replace(**plan))))


@golden("column_guesses", "warnings")
def test_warnings(truths: list[Any], guesses: list[Any], plan: dict[str, Any], sentence: str) -> None:
    (actual,) = said_of(truths, guesses, plan)
    assert sentence in actual


@golden("column_guesses", "fine")
def test_no_warnings(truths: list[Any], guesses: list[Any], plan: dict[str, Any]) -> None:
    assert said_of(truths, guesses, plan) == []


def test_ids_that_all_differ() -> None:
    references = table([ref(str(n), 1) for n in range(7)], "/home/r.jsonl")
    (actual,) = warnings_about_ids(references, table([pred("x", 1)], "/home/p.jsonl"))
    assert str(actual.for_remote_users()) == (
        "r.jsonl and p.jsonl: no id is in both files: expected the same ids, got '0', '1', '2', '3', '4' and 2 "
        "more in the references and 'x' in the predictions"
    )
    assert list(warnings_about_ids(references, table([pred("3", 1), pred("x", 1)], "p.jsonl"))) == []
