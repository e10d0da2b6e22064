"""Score trees of KIEval, Entity F1 and nTED: golden trees, and that a tree adds up to the score of its metric."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from math import fsum
from typing import Any

import pytest
from rapidfuzz.distance import Levenshtein

import docscore
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import MetricTree
from docscore.metrics.entity_f1 import entity_counts, entity_f1_tree
from docscore.metrics.kieval import kieval_score, kieval_tree
from docscore.metrics.nted import FlatTree, TreeDistances, document_tree, nted_score, nted_tree
from docscore.metrics.registry import WITH_TREES
from docscore.report.annotations import folded_tree
from docscore.report.html_tree import positions_of, tree_drawing
from tests.commands import PREDICTIONS, REFERENCES
from tests.conftest import DATA, golden
from tests.structures import damaged, random_prediction, random_truth

# Of KIEval 3 of 9 entities need a change, or are too many or too few; groups are matched wherever they stand. Of Entity
# F1 a right entity counts 2 of 15, a wrong one 2, one that is only on one side 1.
GOLDEN = json.loads((DATA / "metric_trees.json").read_text("utf-8"))
TRUTH, GUESS = GOLDEN["ground_truth"], GOLDEN["prediction"]


def test_golden_trees() -> None:
    assert str(kieval_tree(TRUTH, GUESS)).split("\n") == GOLDEN["kieval"]
    assert str(entity_f1_tree(TRUTH, GUESS)).split("\n") == GOLDEN["entity_f1"]


@golden("nted", "edits")
def test_edits_are_named_with_their_costs(truth: Any, prediction: Any, headline: str, nodes: list[list[str]]) -> None:
    tree = nted_tree(truth, prediction)
    assert [[node.path, node.status, node.reason] for node in tree.nodes()] == nodes
    assert tree.headline == headline


FACES: dict[str, tuple[Callable[..., MetricTree], Callable[[Any, Any], float]]] = {
    "kieval": (kieval_tree, lambda truth, guess: kieval_score(truth, guess).entities.aligned),
    "entity_f1": (entity_f1_tree, lambda truth, guess: entity_counts(truth, guess).f1),
    "entity_f1 of donut": (
        lambda truth, guess: entity_f1_tree(truth, guess, donut=True),
        lambda truth, guess: entity_counts(truth, guess, donut=True).f1,
    ),
    "nted": (nted_tree, nted_score),
    "nted of donut": (
        lambda truth, guess: nted_tree(truth, guess, donut=True),
        lambda truth, guess: nted_score(truth, guess, donut=True),
    ),
}


@pytest.mark.parametrize("name", FACES)
@pytest.mark.parametrize("seed", range(5))
def test_a_tree_adds_up_to_the_score_of_its_metric(name: str, seed: int) -> None:
    draw, score = FACES[name]
    rng = random.Random(seed)
    for _ in range(60):
        truth = random_truth(rng, 4)
        guess = damaged(rng, truth) if rng.random() < 0.7 else random_prediction(rng, 4)
        tree = draw(truth, guess)
        assert tree.score == pytest.approx(score(truth, guess), abs=1e-12), (truth, guess)
        lost = fsum(_losses(tree))
        if tree.score > 0 or name.startswith(("kieval", "entity")):
            assert lost == pytest.approx(1 - tree.score, abs=1e-9), (truth, guess)
        assert all(0 <= node.earned <= node.weight + 1e-9 for node in tree.nodes())
        assert folded_tree(tree).score == tree.score
        tree_drawing(tree, "t", with_positions=True)
        positions_of(tree)


def _losses(tree: ScoreTree) -> Iterator[float]:
    """What is lost at each place, without what is lost below it."""
    for node in tree.nodes():
        if node is not tree or not node.children:
            yield node.points_lost - fsum(child.points_lost for child in node.children)


@pytest.mark.parametrize("seed", range(5))
def test_the_cheapest_pairs_cost_the_distance(seed: int) -> None:
    """Deletions, insertions and changes together; the order of nodes is kept."""
    rng = random.Random(seed)
    for _ in range(60):
        value = random_prediction(rng, 4, 4)
        left, right = document_tree(value), document_tree(damaged(rng, value))
        distances = TreeDistances(FlatTree(left), FlatTree(right))
        pairs = distances.cheapest_pairs()
        assert sorted(pairs.values()) == [pairs[i] for i in sorted(pairs)]
        assert _cost(left, right, pairs) == distances.trees[-1, -1]


def _cost(left: Any, right: Any, pairs: dict[int, int]) -> int:
    truth, guess = FlatTree(left).nodes, FlatTree(right).nodes
    kept = set(pairs.values())
    changed = sum(
        Levenshtein.distance(truth[i].label, guess[j].label) if truth[i].is_text else truth[i].label != guess[j].label
        for i, j in pairs.items()
    )
    rest = [node for i, node in enumerate(truth) if i not in pairs]
    rest += [node for j, node in enumerate(guess) if j not in kept]
    return changed + sum(len(node.label) if node.is_text else 1 for node in rest)


def test_absent_null_and_empty_look_different() -> None:
    def looks(truth: Any, prediction: Any) -> dict[str, str]:
        rows = [row for row in tree_drawing(kieval_tree(truth, prediction), "t").rows if not row.node.children]
        return {row.label: row.prediction.absent + "".join(each.text for each in row.prediction.pieces) for row in rows}

    assert looks(TRUTH, GUESS)["date"] == "null"
    assert looks({"m": {"a": "x", "b": "y"}}, {"m": {"a": ""}}) == {"a": '""', "b": "absent"}


def test_a_list_of_one_row_is_a_list_and_an_object_is_none() -> None:
    rows, group = {"m": [{"a": "x"}]}, {"m": {"a": "x"}}
    assert [node.path for node in kieval_tree(rows, rows).nodes()] == ["$", "$.m", "$.m[0]", "$.m[0].a"]
    assert [node.path for node in kieval_tree(group, group).nodes()] == ["$", "$.m", "$.m.a"]


def test_positions_lead_to_the_values() -> None:
    tree = kieval_tree(TRUTH, GUESS)
    found = {node.path: positions_of(tree)[id(node)] for node in tree.leaves()}
    assert found["$.menu[0].price"] == ("1/0/1", "2/1/1")
    assert found["$.x"] == (None, "1")
    assert found["$.date"] == ("0", "0")  # null in the prediction


def test_a_document_of_a_result_explains_itself() -> None:
    result = docscore.evaluate(predictions=PREDICTIONS, references=REFERENCES, metrics=["anls_star", "nted"])
    document = result["receipt-018"]
    for metric in WITH_TREES:
        assert isinstance(document.explain(metric), MetricTree)
        assert "anls-tree" in document.explain(metric)._repr_html_()
    assert document.explain("anls_star") is document.tree
    assert document._repr_html_().count("nTED: edits cost ") == 1
    with pytest.raises(ValueError, match=r"metric: expected one of anls_star, .*, got 'bleu'"):
        document.explain("bleu")
    assert "nTED: edits cost " in result.as_html()
