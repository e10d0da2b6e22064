"""Remarks on score trees, and trees whose equal siblings are folded: golden tables and properties."""

from __future__ import annotations

import random
from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore import ScoreTree, score_tree, typed_tree
from docscore.core.options import ScoringOptions
from docscore.metrics.anls_star.causes import places
from docscore.metrics.anls_star.tree import outline
from docscore.report.annotations import FEWEST, annotations_of, folded_tree, groups_of
from docscore.report.wording import annotation_text
from tests.commands import PREDICTIONS, REFERENCES, succeed
from tests.structures import damaged, predictions, random_truth, truths

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
OPTIONS = ScoringOptions()

# why, truth, prediction, remarks
GOLDEN: list[tuple[str, Any, Any, list[tuple[str, float]]]] = [
    ("nothing lost", {"a": "x"}, {"a": "x"}, []),
    ("two values in each other's place: 2 of 3 points", {"vat": "DE811", "number": "A-77", "z": "q"},
     {"vat": "A-77", "number": "DE811", "z": "q"}, [("vat and number are exchanged", 2 / 3)]),
    ("of which one is in an object: the record is the whole", {"shop": {"vat": "DE811"}, "number": "A-77"},
     {"shop": {"vat": "A-77"}, "number": "DE811"}, [("shop.vat and number are exchanged", 1.0)]),
    ("a value under the key of an expected null; both would earn their point", {"a": "tea", "b": None},
     {"a": None, "b": "tea"}, [("a and b are exchanged", 1.0)]),
    ("nearly: 1 of 10 letters is wrong, so 0.1 of 2 points stays lost", {"a": "abcdefghij", "b": "12"},
     {"a": "12", "b": "abcdefghiX"}, [("a and b are exchanged", 0.95)]),
    ("one of them would not be right", {"a": "tea", "b": "rum"}, {"a": "gin", "b": "tea"},
     [("the value of $.a is predicted at $.b", 1.0)]),
    ("values of two rows are not exchanged, their rows would be matched otherwise",
     [{"a": "tea", "b": "x"}, {"a": "rum", "b": "y"}], [{"a": "rum", "b": "x"}, {"a": "tea", "b": "y"}], []),
    ("a text at another place, where another was expected", {"a": "ACME Ltd", "b": "old"}, {"a": "x", "b": "ACME Ltd"},
     [("the value of $.a is predicted at $.b", 1.0)]),
    ("too short to be more than chance", {"a": "12", "b": "old"}, {"a": "x", "b": "12"}, []),
    ("which of the two is not known", {"a": "ACME", "c": "ACME", "b": "old"}, {"a": "x", "c": "y", "b": "ACME"},
     [("3 wrong values", 1.0)]),
    ("in a row", [{"a": "tea", "b": "rum"}], [{"a": "rum", "b": "tea"}], [("a and b are exchanged in $[0]", 1.0)]),
    ("1 of 5 and 2 of 8 characters", {"a": "12,50", "b": "1.234,50"}, {"a": "12.50", "b": "1234.50"},
     [("2 values differ by a decimal comma", (0.2 + 0.25) / 2)]),
    ("a JSON number: 2 of 6 characters, gained by value", {"a": 1000}, {"a": 1000.0},
     [("1 value is the same number, written differently: +0.333 with numbers by value", 1 / 3)]),
    ("a text that spells a number: numbers by value do not help", {"a": "1,000.5"}, {"a": "1000.5"},
     [("1 value is the same number, written differently", 1 / 7)]),
    ("a date", {"a": "2024-03-12"}, {"a": "12 March 2024"}, [("1 value is the same date, written differently", 1.0)]),
    ("rows that nobody asked for", {"rows": ["x"]}, {"rows": ["x", "a", "b", "c"]},
     [("3 invented rows in $.rows", 0.75)]),
    ("two are no group", {"rows": ["x"]}, {"rows": ["x", "a", "b"]}, []),
    ("values that are missing", {"a": "1", "b": "2", "c": "3", "d": "4"}, {"d": "4"}, [("3 missing fields", 0.75)]),
    ("an option at the root", ({"a": "x"}, {"b": "y"}), {"b": "y"}, [("option 2 of 2 was taken", 0.0)]),
    ("an option below", {"a": ("x", "y")}, {"a": "y"}, [("option 2 of 2 was taken in $.a", 0.0)]),
]  # fmt: skip


def remarks(tree: ScoreTree, options: ScoringOptions | None = OPTIONS) -> list[tuple[str, float]]:
    return [(annotation_text(each), each.points_lost) for each in annotations_of(tree, options)]


@pytest.mark.parametrize(("why", "truth", "prediction", "expected"), GOLDEN, ids=[row[0] for row in GOLDEN])
def test_remarks(why: str, truth: Any, prediction: Any, expected: list[tuple[str, float]]) -> None:
    found = remarks(score_tree(truth, prediction))
    assert [text for text, _ in found] == [text for text, _ in expected], why
    assert [lost for _, lost in found] == pytest.approx([lost for _, lost in expected]), why


def test_numbers_by_value_are_no_gain_where_they_are_compared_so() -> None:
    options = ScoringOptions(numbers="value")
    assert remarks(score_tree({"a": 1000}, {"a": 1000.0}, numbers="value"), options) == []


def test_values_of_a_typed_tree_are_exchanged_where_they_are_equal() -> None:
    """With the weights of the schema: 3 and 1 of 4 points."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "x-docscore": {"weight": 3}}, "b": {"type": "string"}},
    }
    tree = typed_tree({"a": "tea", "b": "rum"}, {"a": "rum", "b": "tea"}, schema)
    (found,) = annotations_of(tree, None)
    assert (found.kind, found.paths) == ("exchanged", ("$.a", "$.b"))
    assert found.points_lost == pytest.approx(1)


def test_a_receipt_of_the_examples() -> None:
    out = succeed("explain", REFERENCES, PREDICTIONS, "--id", "receipt-018", "--fold")
    assert out.splitlines()[-4:] == [
        "Remarks",
        "  -0.556  10 repeated rows in $.items",
        "  -0.040  17 values differ by a decimal comma",
        "  -0.022  merchant.vat_id and receipt_number are exchanged",
    ]
    assert "└─ + 10 repeated rows" in out


@given(st.permutations(["a", "b", "c", "d"]), st.permutations(["a", "b", "c", "d"]))
def test_exchanged_values_are_found_whatever_the_order_of_keys(truth_keys: list[str], guess_keys: list[str]) -> None:
    truth = {"a": "tea", "b": "12.50", "c": "rum", "d": "beer"}
    guess = {"a": "12.50", "b": "tea", "c": "beer", "d": "rum"}
    tree = score_tree({key: truth[key] for key in truth_keys}, {key: guess[key] for key in guess_keys})
    found = annotations_of(tree, OPTIONS)
    assert {frozenset(each.paths) for each in found if each.kind == "exchanged"} == {
        frozenset({"$.a", "$.b"}),
        frozenset({"$.c", "$.d"}),
    }


@given(truths, predictions)
def test_remarks_lose_no_more_than_is_lost(truth: Any, prediction: Any) -> None:
    """The points of each; those of all groups together; and every path is one of the tree."""
    tree = score_tree(truth, prediction)
    found = annotations_of(tree, OPTIONS)
    paths = {node.path for node in tree.nodes()}
    assert {path for each in found for path in each.paths} <= paths
    for kind in ("exchanged", "same value", "group"):
        assert fsum(each.points_lost for each in found if each.kind == kind) <= 1 - tree.score + 1e-9
    assert all(each.gain is None or 0 < each.gain <= 1 - tree.score + 1e-9 for each in found)


@given(truths, predictions)
def test_an_exchange_gains_what_it_says(truth: Any, prediction: Any) -> None:
    """Where two values of a flat object are exchanged, the score rises by it."""
    flat = [{key: value for key, value in side.items() if not isinstance(value, dict | list | tuple)}
            for side in (truth, prediction) if isinstance(side, dict)]  # fmt: skip
    if len(flat) < 2:
        return
    tree = score_tree(*flat)
    for each in annotations_of(tree, OPTIONS):
        if each.kind == "exchanged":
            first, second = (path.removeprefix("$.") for path in each.paths)
            mended = {**flat[1], first: flat[1].get(second), second: flat[1].get(first)}
            assert score_tree(flat[0], mended).score == pytest.approx(tree.score + each.points_lost)


@pytest.mark.parametrize("seed", range(60))
def test_folding_loses_no_points(seed: int) -> None:
    """The folded tree has the same leaves, score and causes; its groups add up to what their parts lose."""
    rng = random.Random(seed)
    truth = {"a": [random_truth(rng, 2, 6) for _ in range(5)], **{f"k{i}": random_truth(rng, 1) for i in range(8)}}
    tree = score_tree(truth, damaged(rng, truth))
    folded = folded_tree(tree)
    assert sorted(leaf.path for leaf in folded.leaves()) == sorted(leaf.path for leaf in tree.leaves())
    assert (folded.score, folded.weight) == (tree.score, tree.weight)
    groups = [node for node in folded.nodes() if node.kind == "group"]
    assert len(groups) == len(groups_of(tree))
    for node in groups:
        assert len(node.children) >= FEWEST
        assert node.points_lost == pytest.approx(fsum(child.points_lost for child in node.children))
        assert {child.status for child in node.children} == {node.status}
    shown = [line.node for line in outline(folded, fold=True)]
    inner = {id(node) for node in shown for child in node.children if any(child is each for each in shown)}
    lost = fsum(node.points_lost for node in shown if id(node) not in inner)
    assert lost == pytest.approx(1 - tree.score, abs=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_the_nodes_of_a_group_have_its_cause(seed: int) -> None:
    rng = random.Random(seed)
    truth = [random_truth(rng, 2, 6) for _ in range(8)]
    tree = score_tree(truth, damaged(rng, truth))
    causes = {id(place.node): place.cause for place in places(tree)}
    for group in groups_of(tree):
        assert {causes[id(node)] or "exact" for node in group.nodes} == {group.cause}
