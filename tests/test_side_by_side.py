"""Trees side by side: what stands beside what, where systems agree, and that nothing is lost; matrices and verdicts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from docscore import pairs_of, score_tree
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.systems import changes_against
from docscore.report.systems_tables import document_matrix, field_matrix, matrix_table
from docscore.report.tree_columns import PlaceRow, PlaceRun, places_side_by_side
from docscore.report.wording import verdict_text
from docscore.stats.significance import holm
from tests.commands import pred, ref
from tests.structures import predictions, truths

TRUTHS = [ref(f"d{n}", {"a": "tea", "b": "rum", "c": f"{n}"}) for n in range(12)]


def runs(truth: Any, *predictions: Any) -> list[PlaceRun]:
    return places_side_by_side([score_tree(truth, prediction) for prediction in predictions])


def drawn(found: list[PlaceRun]) -> list[PlaceRow]:
    return [row for run in found for row in run.rows]


def words(row: PlaceRow) -> tuple[Any, ...]:
    """The label, the ground truth, and the glyph and value of each system."""
    return row.label, row.truth, *((place.glyph, "".join(s.text for s in place.value)) for place in row.systems)


def answers(right: int) -> list[dict[str, Any]]:
    """Predictions of which the first are right, and the others half right."""
    return [
        pred(f"d{n}", {"a": "tea", "b": "rum" if n < right else "xxxx", "c": f"{n}"} | ({"d": 1} if n == 11 else {}))
        for n in range(12)
    ]


def evaluations(*right: int) -> dict[str, Evaluation]:
    return {f"s{each}": Evaluation(pairs_of(answers(each), TRUTHS)) for each in right}


def test_what_stands_beside_what_by_hand() -> None:
    """Elements by what they were matched with in the ground truth, those that nothing expects by their value."""
    truth = {"k": "x", "l": ["one", "two"]}
    found = runs(truth, {"k": "x", "l": ["two", "one", "six"]}, {"k": "x", "l": ["one", "six", "six"], "m": 1})
    assert [words(row) for row in drawn(found)] == [
        ("$", "", ("≈", ""), ("≈", "")),
        ("k", '"x"', ("=", '"x"'), ("=", '"x"')),
        ("l", "", ("≈", ""), ("≈", "")),
        ("[0]", '"one"', ("=", '"one"'), ("=", '"one"')),
        ("[1]", '"two"', ("=", '"two"'), ("≠", '"six"')),
        ("[+]", "", ("+", '"six"'), ("+", '"six"')),
        ("m", "", ("", ""), ("+", "1")),
    ]
    assert [row.same for row in drawn(found)] == [False, True, False, True, False, True, False]


def test_where_systems_agree_it_folds() -> None:
    truth = {"a": "x", "b": {"c": "y", "d": "zzzz"}, "e": "v", "f": "w"}
    guess = {"a": "x", "b": {"c": "y", "d": "zzzx"}, "e": "v"}
    found = runs(truth, guess | {"f": "w"}, guess | {"f": "wrong"})
    assert [run.text for run in found] == ["", "4 values agree, 1 of them not exact", ""]
    assert [len(run.rows) for run in found] == [1, 5, 1]
    [one_row] = runs("x", "x", "x")
    assert (one_row.text, len(one_row.rows)) == ("", 1)


def test_values_that_print_alike_and_differ_do_not_agree() -> None:
    """A number and its text score the same, and are not the same answer."""
    found = drawn(runs({"a": "1", "b": "x"}, {"a": 1, "b": "x"}, {"a": "1", "b": "x"}))
    assert [(row.label, row.same) for row in found] == [("$", False), ("a", False), ("b", True)]


@pytest.mark.ci
def test_many_places_that_agree_are_only_counted() -> None:
    truth = {"l": [f"{n}" for n in range(4_000)], "k": "x"}
    found = runs(truth, truth, truth | {"k": "y"})
    assert "4,000 values agree" in [run.text for run in found]
    assert len(drawn(found)) < 10


@pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
@given(truths, predictions, predictions)
def test_every_leaf_of_every_tree_is_drawn_once(truth: Any, one: Any, other: Any) -> None:
    """Parts that only a prediction has are one value."""
    trees = [score_tree(truth, prediction) for prediction in (one, other)]
    rows = drawn(places_side_by_side(trees))
    for number, tree in enumerate(trees):
        shown = [row.systems[number] for row in rows if row.systems[number].status]
        expected = []
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            expected.append(node.status)
            waiting.extend(() if node.status == "extra" else node.children)
        assert sorted(place.status for place in shown) == sorted(expected)
    for row in rows:
        seen = {(place.status, place.score, place.value) for place in row.systems}
        assert not row.same or len(seen) == 1


def test_changes_against_a_base() -> None:
    """The p-values are those of each comparison, adjusted together; the verdict says for how many."""
    systems = evaluations(6, 12, 5)
    systems["again"] = systems["s6"]
    changes = changes_against(systems, "s6")
    assert [change.system for change in changes] == ["s12", "s5", "again"]
    alone = [systems["s6"].compare(systems[change.system]).p_value for change in changes]
    assert [change.adjusted for change in changes] == holm(alone)
    said = [verdict_text(change.comparison, change.adjusted, change.tests) for change in changes]
    of_three = "(adjusted for 3 comparisons)"
    assert said == [
        f"better on 6 of 12 documents, worse on 0; this may be chance, p = {3 * alone[0]:.3f} {of_three}",
        f"better on 0 of 12 documents, worse on 1; this may be chance, p = 1.000 {of_three}",
        "the same on all 12 documents",
    ]
    with pytest.raises(ValueError, match="base: expected one of the systems 's6', 's12'"):
        changes_against(evaluations(6, 12), "s7")
    with pytest.raises(ValueError, match="expected at least two systems, got one"):
        changes_against(evaluations(6), "s6")


def test_fields_and_documents_by_system() -> None:
    """Largest loss against the base first; a field that a system does not have has no score."""
    systems = evaluations(6, 12, 3)
    changes = changes_against(systems, "s6")
    fields = {row.name: row for row in field_matrix(systems, changes)}
    assert next(iter(fields)) == "b"
    assert [cell.score for cell in fields["b"].cells] == pytest.approx([0.5, 1.0, 0.25])
    assert [cell.change for cell in fields["b"].cells] == ["", "+0.500", "−0.250"]
    assert [cell.shade for cell in fields["b"].cells] == [0, 4, -4]
    assert [cell.marked for cell in fields["b"].cells] == [False, True, False]
    assert not fields["a"].changed
    documents = document_matrix(systems, changes)
    assert [row.name for row in documents[:3]] == ["d3", "d4", "d5"]
    assert documents[0].worst == pytest.approx(-1 / 3)
    table = matrix_table("Fields", "field", list(fields.values()), systems)
    assert table.records()[0] == {"field": "b", "s6": 0.5, "s12": 1.0, "s3": 0.25}
    assert [cell.best for cell in table.rows[0]] == [False, False, True, False]
    assert table.rows[0][2].suffix == "†"
