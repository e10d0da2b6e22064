"""The field table against a naive recount."""

from __future__ import annotations

import math
import random
import re
from collections import Counter

import pytest

from docscore import score_tree
from docscore.corpus.fields import field_table
from tests.structures import damaged, random_truth

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")


@pytest.mark.parametrize("seed", range(5))
def test_counts_and_sums_equal_a_naive_recount(seed: int) -> None:
    rng = random.Random(seed)
    trees = []
    for _ in range(60):
        truth = random_truth(rng, depth=3)
        trees.append(score_tree(truth, damaged(rng, truth)))
    leaves = [leaf for tree in trees for leaf in tree.leaves() if leaf.weight]
    table = field_table(trees)
    found = {(each.path, outcome): count for each in table for outcome, count in each.counts.items() if count}
    paths = [re.sub(r"\[\d+\]", "[]", leaf.path).removeprefix("$").removeprefix(".") or "$" for leaf in leaves]
    outcomes = ["wrong_type" if leaf.kind == "mismatch" and leaf.status == "wrong" else leaf.status for leaf in leaves]
    assert found == Counter(zip(paths, outcomes, strict=True))
    assert math.fsum(each.earned for each in table) == pytest.approx(math.fsum(tree.earned for tree in trees))
    assert sum(each.weight for each in table) == sum(tree.weight for tree in trees)


def test_missing_and_extra_rows_are_counted() -> None:
    """Key scores are blind to them."""
    (name,) = field_table([score_tree([{"n": "tea"}, {"n": "milk"}, {"n": "rum"}], [{"n": "milk"}])])
    assert name.path == "[].n"
    assert name.score == pytest.approx(1 / 3)
    assert name.counts == {"exact": 1, "partial": 0, "wrong": 0, "wrong_type": 0, "missing": 2, "extra": 0}


def test_what_does_not_count_is_left_out() -> None:
    assert [each.path for each in field_table([score_tree({"a": "x"}, {"a": "x", "b": None})])] == ["a"]
    assert field_table([]) == []
    assert field_table([score_tree("x", "y")])[0].path == "$"
