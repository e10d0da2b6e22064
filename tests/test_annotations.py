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
from docscore.data.pairing import pairs_of
from docscore.evaluation.evaluation import Evaluation
from docscore.metrics.anls_star.causes import places
from docscore.metrics.anls_star.tree import outline
from docscore.report.annotations import FEWEST, annotations_of, folded_tree, groups_of
from docscore.report.wording import annotation_text
from tests.conftest import golden
from tests.structures import damaged, predictions, random_truth, truths

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
OPTIONS = ScoringOptions()


def remarks(tree: ScoreTree, options: ScoringOptions | None = OPTIONS) -> list[tuple[str, float]]:
    return [(annotation_text(each), each.points_lost) for each in annotations_of(tree, options)]


@golden("annotations", "remarks")
def test_remarks(truth: Any, prediction: Any, expected: list[list[Any]]) -> None:
    found = remarks(score_tree(truth, prediction))
    assert [text for text, _ in found] == [text for text, _ in expected]
    assert [lost for _, lost in found] == pytest.approx([lost for _, lost in expected])


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


def test_values_that_a_schema_compares_exactly_are_exchanged_only_where_they_are_equal() -> None:
    """As texts of ANLS* they would be, whatever their case."""
    schema = {"additionalProperties": {"x-docscore": {"compare": "exact"}}}
    rows = [{"a": "DE8111", "b": "A-77xx"}], [{"a": "A-77XX", "b": "de8111"}]
    found = Evaluation(pairs_of(rows[1], rows[0]), ScoringOptions(schema=schema), metrics=["typed"])
    assert [row.annotations for row in found.worst(1)] == [[]]


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
    causes = {id(node): cause for _, node, cause in places(tree)}
    for group in groups_of(tree):
        assert {causes[id(node)] or "exact" for node in group.nodes} == {group.cause}
