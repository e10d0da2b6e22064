"""Deep nesting, values that contain themselves, calls from deep in the stack, lists that do not fit into memory."""

from __future__ import annotations

import inspect
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pytest

from docscore import anls_score, score_pairs, score_tree, typed_score
from docscore.core.options import RULES
from docscore.core.runtime import VARIABLE
from docscore.core.values import MAX_DEPTH
from docscore.inputs.json_text import dumps
from docscore.inputs.model_text import parse_text
from docscore.metrics.kieval import entity_counts, kieval_score
from docscore.metrics.nted import nted_score
from docscore.report.html_tree import tree_as_html
from tests.conftest import golden

T = TypeVar("T")
Wrap = Callable[[Any], Any]


@dataclass
class Item:
    name: str
    tags: list[Any]


class Endless:
    """Its dump is itself."""

    def model_dump(self) -> Endless:
        return self


def object_array(item: Any, shape: tuple[int, ...] = (1,)) -> Any:
    array = np.empty(shape, dtype=object)
    array[(0,) * len(shape)] = item
    return array


WRAPS: dict[str, Wrap] = {
    "list": lambda item: [item],
    "object": lambda item: {"k": item},
    "one-of": lambda item: (item,),
    "marker": lambda item: {"$one_of": [item]},
    "array": object_array,
    "dataclass": lambda item: Item("", [item]),  # of two levels
}


def wrapped(leaf: Any, wraps: list[Wrap]) -> Any:
    """The first wrapper is the outermost."""
    for wrap in reversed(wraps):
        leaf = wrap(leaf)
    return leaf


def nested(rounds: int, names: str, leaf: Any) -> Any:
    """The leaf in so many rounds of wrappers."""
    return wrapped(leaf, [WRAPS[name] for name in names.split()] * rounds)


DEEPEST = nested(MAX_DEPTH // 2, "list object", "x")


@golden("depth", "levels")
def test_200_levels_are_scored_and_201_refused(
    truth: str, prediction: str, rounds: int, path: str, score: float
) -> None:
    """The leaf of the prediction differs in 1 letter of 4; an empty list as leaf is level 201."""
    assert anls_score(nested(rounds, truth, "abcd"), nested(rounds, prediction, "abce")) == pytest.approx(score)
    with pytest.raises(ValueError, match=r"nested deeper than 200 levels$") as caught:
        anls_score(nested(rounds, truth, []), "x")
    assert str(caught.value).startswith("$" + path * rounds + ": ")


@pytest.mark.parametrize("innermost", [[], {}, ["x"], {"k": "x"}, [{"k": "x"}]], ids=repr)
def test_level_201_is_refused_whatever_it_holds(innermost: Any) -> None:
    """A list of flat objects too, which is converted as a whole."""
    above = nested(MAX_DEPTH if innermost != [{"k": "x"}] else MAX_DEPTH - 1, "list", innermost)
    for gt, pred in ((above, "x"), ("x", above)):
        with pytest.raises(ValueError, match=r"^\$(\[0\]){200}: nested deeper than 200 levels$"):
            score_tree(gt, pred)
    assert score_tree(above[0], above[0]).score == 1.0


@pytest.mark.parametrize("around", ["one-of", "marker"])
def test_a_one_of_around_all_is_no_level(around: str) -> None:
    """Rows by id hold a list of acceptable answers, each of which may have 200 levels."""
    assert anls_score(WRAPS[around](DEEPEST), DEEPEST) == 1.0
    with pytest.raises(ValueError, match=r"nested deeper than 200 levels$"):
        anls_score(WRAPS[around]([DEEPEST]), "x")


def cyclic() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    mapping: dict[str, Any] = {}
    mapping["k"] = [mapping]
    choice: list[Any] = []
    choice.append((choice, "x"))
    wide: list[Any] = []
    wide.extend([wide] * 3)
    array = object_array(None)
    array[0] = array
    scalar_array = object_array(None, shape=())
    scalar_array[()] = scalar_array
    return [items, mapping, choice, wide, array, scalar_array, Endless()]


@pytest.mark.parametrize("value", cyclic(), ids=["list", "dict", "one-of", "wide", "array", "0-d array", "dump"])
def test_values_that_contain_themselves(value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^\$"):
        anls_score({"a": value}, "x")


def with_frames_left(count: int, function: Callable[[], T]) -> T:
    """The function's result, called where about that many frames of Python's stack are left."""
    depth, frame = 0, inspect.currentframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back

    def down(levels: int) -> T:
        return function() if levels <= 0 else down(levels - 1)

    return down(sys.getrecursionlimit() - depth - count)


@pytest.mark.parametrize("left", [100, 50])
def test_no_recursion_error_from_deep_in_the_callers_stack(left: int) -> None:
    assert with_frames_left(left, lambda: anls_score(DEEPEST, DEEPEST)) == 1.0
    assert not with_frames_left(left, lambda: parse_text("[" * 150 + "]" * 150, "json")).failed
    assert with_frames_left(left, lambda: dumps(DEEPEST)).count("[") == 100


# What each level of the ground truth and of the prediction holds beside the level below, from the outermost on.
SHAPES: dict[str, tuple[list[Wrap], list[Wrap]]] = {
    "two elements": ([lambda v: [v, "y"]], [lambda v: [v, "y"]]),
    "two elements, turned round": ([lambda v: [v, "y"]], [lambda v: ["y", v]]),
    "five elements, by columns": ([lambda v: [v, "y", "z", 1, None]], [lambda v: [None, v, "y", "z", 1]]),
    "objects and lists": ([lambda v: {"k": v, "m": 1}, lambda v: [v, "y"]],) * 2,
    "objects": ([lambda v: {"k": v, "m": 1}], [lambda v: {"m": 1, "k": v, "z": 1}]),
    "alternatives": ([lambda v: [v, "y"], lambda v: (v, "z")], [lambda v: [v, "y"], lambda v: v]),
    "a list against an object": ([lambda v: [v, "y"]], [lambda v: {"k": v}]),
    "a list of both against a list of both": (
        [lambda v: [v, {"k": 1} if isinstance(v, list) else 0]],
        [lambda v: [{"k": 1} if isinstance(v, list) else 0, v]],
    ),
}


def in_200_levels(shape: str, *leaves: str) -> list[Any]:
    return [wrapped(leaf, side * (MAX_DEPTH // len(side))) for side, leaf in zip(SHAPES[shape], leaves, strict=True)]


KINDS = {"items": {"x-docscore": {"weight": 2}}}


def views(gt: Any, pred: Any) -> list[float]:
    """The score from every interface of ANLS* and of the typed score."""
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
    truth, prediction = in_200_levels(shape, "abcd", "abce")
    scores = views(truth, prediction) if left is None else with_frames_left(left, lambda: views(truth, prediction))
    assert len(set(scores)) == 1
    assert 0 <= scores[0] < 1


@pytest.mark.parametrize("metric", [kieval_score, entity_counts, nted_score])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_metric(shape: str, metric: Callable[[Any, Any], Any]) -> None:
    """Called where few frames of the stack are left. Trees of 200 key roots on either side take seconds for nTED."""
    truth, prediction = in_200_levels(shape, "abcd", "abcd")
    if metric is not nted_score or shape not in ("two elements, turned round", "a list of both against a list of both"):
        with_frames_left(60, lambda: metric(truth, prediction))


MANY = [f"text {i}" for i in range(15_000)]
SENTENCE = (
    "expected list elements whose comparison takes at most 2 GB, got 15,000 against 15,000, which may take 2.9 GB; "
    "pair them by a key with unique values (`key` in a schema), or set more memory in the environment "
    "variable DOCSCORE_MAX_MEMORY (in GB)"
)


@pytest.mark.parametrize("score", [anls_score, score_tree, lambda gt, pred: typed_score(gt, pred, {})])
@pytest.mark.parametrize(
    ("place", "wrap"),
    [
        ("$", lambda x: x),
        ("$.a.items", lambda x: {"a": {"items": x}}),
        ('$[]["a b"]', lambda x: [{"a b": x}]),
        ("$.b", lambda x: {"a": ["x"] * 30, "b": x}),
    ],
)
def test_the_place_the_sizes_and_what_helps(score: Callable[[Any, Any], Any], place: str, wrap: Any) -> None:
    tracemalloc.start()
    with pytest.raises(ValueError, match="GB") as caught:
        score(wrap(MANY), wrap(MANY))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert str(caught.value) == f"{place}: {SENTENCE}"
    assert peak < 50e6


@pytest.mark.parametrize(("gigabytes", "fits"), [("0.1", False), ("1", True), ("none", None), ("inf", None)])
def test_the_bound_can_be_set(gigabytes: str, fits: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """1,500 against 1,500 elements may take 0.2 GB."""
    monkeypatch.setenv(VARIABLE, gigabytes)
    truth, prediction = ["x"] * 1500, ["x"] * 1500
    if fits:
        assert anls_score(truth, prediction) == 1.0
        return
    message = (
        rf"^{VARIABLE}: expected a number of gigabytes of at least 0.1" if fits is None else r"takes at most 0.1 GB"
    )
    with pytest.raises(ValueError, match=message):
        anls_score(truth, prediction)


def test_other_metrics_have_the_same_bound() -> None:
    rows = [{"a": f"{i}", "b": "x"} for i in range(6000)]
    with pytest.raises(ValueError, match=r"^\$: expected nodes whose comparison takes at most 2 GB"):
        nted_score(rows, rows)
    with pytest.raises(ValueError, match=r"^\$: expected groups whose comparison takes at most 2 GB"):
        kieval_score(rows, rows)
