"""Values of 200 levels in the shapes that take most of Python's stack, in every metric and every view of a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from docscore import anls_score, score_pairs, score_tree, typed_score
from docscore.core.options import RULES
from docscore.core.values import MAX_DEPTH
from docscore.metrics.entity_f1 import entity_counts
from docscore.metrics.kieval import kieval_score
from docscore.metrics.nted import nted_score
from docscore.report.html_tree import tree_as_html
from tests.test_depth import with_frames_left

Wrap = Callable[[Any, int], Any]


def nested(wrap: Wrap, leaf: str) -> Any:
    """The leaf in 200 levels."""
    value: Any = leaf
    for level in range(MAX_DEPTH):
        value = wrap(value, level)
    return value


def object_or_list(value: Any, level: int) -> Any:
    return {"k": value, "m": 1} if level % 2 else [value, "y"]


# What each level of the ground truth and of the prediction holds beside the level below.
SHAPES: dict[str, tuple[Wrap, Wrap]] = {
    "two elements": (lambda v, _: [v, "y"], lambda v, _: [v, "y"]),
    "two elements, turned round": (lambda v, _: [v, "y"], lambda v, _: ["y", v]),
    "five elements, by columns": (lambda v, _: [v, "y", "z", 1, None], lambda v, _: [None, v, "y", "z", 1]),
    "objects and lists": (object_or_list, object_or_list),
    "objects": (lambda v, _: {"k": v, "m": 1}, lambda v, _: {"m": 1, "k": v, "z": 1}),
    "alternatives": (lambda v, i: [v, "y"] if i % 2 else (v, "z"), lambda v, i: [v, "y"] if i % 2 else v),
    "a list against an object": (lambda v, _: [v, "y"], lambda v, _: {"k": v}),
    "a list of both against a list of both": (
        lambda v, i: [v, {"k": i} if i else i],
        lambda v, i: [{"k": i} if i else i, v],
    ),
}

KINDS = {"items": {"x-docscore": {"weight": 2}}}


def views(gt: Any, pred: Any) -> list[float]:
    """The score from every face of ANLS* and of the typed score."""
    score, closest, keys = anls_score(gt, pred, return_gt=True, return_key_scores=True)
    tree = score_tree(gt, pred)
    assert type(closest) is type(tree.closest_gt())
    assert list(keys) == list(tree.key_scores())
    assert str(tree)
    assert tree.to_dict()["score"] == tree.score
    assert tree_as_html(tree)
    typed = typed_score(gt, pred, {"properties": {"other": {"type": "number"}}})
    assert 0 <= typed_score(gt, pred, KINDS) <= 1
    package = [anls_score(gt, pred, rules=rule) for rule in RULES]
    assert package[0] == score
    return [score, tree.score, typed, anls_score(gt, pred), *score_pairs([(gt, pred)] * 2).tolist()]


@pytest.mark.ci
@pytest.mark.parametrize("left", [None, 60])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_view_of_anls_star(shape: str, left: int | None) -> None:
    """Called as usual, and where few frames of the stack are left."""
    truth, prediction = (nested(wrap, leaf) for wrap, leaf in zip(SHAPES[shape], ("abcd", "abce"), strict=True))
    found = views(truth, prediction) if left is None else with_frames_left(left, lambda: views(truth, prediction))
    assert len(set(found)) == 1
    assert 0 <= found[0] < 1


@pytest.mark.parametrize("metric", [kieval_score, entity_counts, nted_score])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_metric(shape: str, metric: Callable[[Any, Any], Any]) -> None:
    """Called where few frames of the stack are left. Trees of 200 key roots on either side take seconds for nTED."""
    truth, prediction = (nested(wrap, "abcd") for wrap in SHAPES[shape])
    if metric is not nted_score or shape not in ("two elements, turned round", "a list of both against a list of both"):
        with_frames_left(60, lambda: metric(truth, prediction))
