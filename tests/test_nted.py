"""nTED: the tree edit distance against a brute force, Donut's recorded answers, and the cases that are decided."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from docscore.metrics.kieval import entity_counts, kieval_score
from docscore.metrics.nted import FlatTree, Node, TreeDistances, document_tree, nted_score
from tests.commands import rows
from tests.conftest import DATA, golden
from tests.oracle import distance
from tests.structures import random_prediction, random_truth, taken
from tests.test_depth import nested

CASES = list(rows(DATA / "donut_cases.jsonl"))
Tree = tuple[str, bool, tuple[Any, ...]]  # label, whether it is a text, children
Forest = tuple[Tree, ...]


def weight(node: Tree) -> int:
    """What it costs to delete or insert a node: the length of a text, 1 for a key."""
    return len(node[0]) if node[1] else 1


def change(left: Tree, right: Tree) -> int:
    """What it costs to turn one node into the other."""
    if left[1] and right[1]:
        return distance(left[0], right[0])
    if left[1] or right[1]:
        return len(left[0] if left[1] else right[0]) + 1
    return int(left[0] != right[0])


@cache
def brute_force(left: Forest, right: Forest) -> int:
    """The distance of two forests: the last tree's root is deleted, inserted or changed."""
    if not left and not right:
        return 0
    collected = []
    if left:
        collected.append(brute_force(left[:-1] + left[-1][2], right) + weight(left[-1]))
    if right:
        collected.append(brute_force(left, right[:-1] + right[-1][2]) + weight(right[-1]))
    if left and right:
        below = brute_force(left[-1][2], right[-1][2])
        collected.append(brute_force(left[:-1], right[:-1]) + below + change(left[-1], right[-1]))
    return min(collected)


def random_tree(rng: random.Random, size: int) -> Tree:
    """A tree of so many nodes: keys with anything below them, and texts as leaves."""
    if size == 1 and rng.random() < 0.7:
        return rng.choice(["a", "ab", "ba", "abc", "xyz", ""]), True, ()
    children: list[Tree] = []
    while left := size - 1 - sum(map(count, children)):
        children.append(random_tree(rng, rng.randint(1, left)))
    return rng.choice(["a", "b", "<subtree>"]), False, tuple(children)


def count(node: Tree) -> int:
    return 1 + sum(map(count, node[2]))


def postorder(node: Tree, first: int = 0) -> list[Node]:
    nodes: list[Node] = []
    for child in node[2]:
        nodes += postorder(child, first + len(nodes))
    return [*nodes, (node[0], node[1], first)]


def tree_distance(left: Tree, right: Tree) -> int:
    return int(TreeDistances(FlatTree(postorder(left)), FlatTree(postorder(right))).trees[-1, -1])


@pytest.mark.parametrize("seed", range(10))
def test_the_distance_is_that_of_a_brute_force(seed: int) -> None:
    """3,000 pairs of up to 9 nodes; the distance is the same the other way round."""
    rng = random.Random(seed)
    for _ in range(300):
        left, right = random_tree(rng, rng.randint(1, 9)), random_tree(rng, rng.randint(1, 9))
        actual = tree_distance(left, right)
        assert actual == brute_force((left,), (right,)), (left, right)
        assert actual == tree_distance(right, left)


@pytest.mark.parametrize("case", CASES, ids=map(str, range(len(CASES))))
def test_donut_answers_as_the_published_implementation(case: dict[str, Any]) -> None:
    """Where its F1 divided by zero, there are no entities."""
    truth, prediction = case["ground_truth"], case["prediction"]
    assert nted_score(truth, prediction, donut=True) == pytest.approx(case["nted"], abs=1e-12)
    counts = entity_counts(truth, prediction, donut=True)
    if case["f1"] is None:
        assert sum(counts) == 0
        assert counts.f1 == 1.0
    else:
        assert counts.f1 == pytest.approx(case["f1"], abs=1e-12)


@golden("nted", "decided")
def test_decided_cases(truth: Any, prediction: Any, score: str, donut: str) -> None:
    assert nted_score(truth, prediction) == pytest.approx(float(Fraction(score)), abs=1e-12)
    assert nted_score(truth, prediction, donut=True) == pytest.approx(float(Fraction(donut)), abs=1e-12)


def whole(value: Any, *, donut: bool = False) -> int:
    """The cost of inserting all but the root."""
    return int(document_tree(value, donut=donut).costs[:-1].sum())


@pytest.mark.parametrize("donut", [False, True])
def test_bounds_and_a_document_against_itself(donut: bool) -> None:
    """1 whatever it holds; with donut 0 where nothing is left of it."""
    rng = random.Random(2)
    for _ in range(200):
        truth = random_truth(rng, 4)
        assert 0 <= nted_score(truth, random_prediction(rng, 4), donut=donut) <= 1
        own = taken(truth)
        has_any = whole(own, donut=donut) > 0
        assert nted_score(own, own, donut=donut) == (1.0 if has_any or not donut else 0.0), own
        assert nted_score(truth, own, donut=donut) == 1.0 or not has_any


def test_two_thousand_nodes() -> None:
    """Rows of a receipt, and a list of texts."""
    menu = {"menu": [{"nm": f"item {each}", "cnt": "1"} for each in range(400)]}
    assert nted_score(menu, {"menu": menu["menu"][:-1]}) == pytest.approx(1 - 12 / whole(menu))
    texts = [f"{each:04}" for each in range(2000)]
    assert nted_score(texts, texts[1:]) == 1 - 1 / 2000


def test_what_cannot_be_scored_is_named_with_its_place() -> None:
    for score in (nted_score, entity_counts, kieval_score):
        with pytest.raises(ValueError, match=r"^\$\.a: Tuples are reserved"):
            score({"a": "x"}, {"a": ("x", "y")})
        with pytest.raises(TypeError, match=r"^\$\.a\[0\]: expected a JSON value, got set"):
            score({"a": [{1}]}, {})
        with pytest.raises(ValueError, match=r"^\$: expected at most 1,000 readings"):
            score([(["x"], ["y"])] * 10, "x")
        with pytest.raises(ValueError, match=r"^\$(\[0\]){200}: nested deeper than 200 levels$"):
            score(nested(201, "list", "x"), "x")
