"""Lists whose comparison does not fit into memory are refused before anything is compared."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from docscore import anls_score, score_pairs, score_tree, typed_score
from docscore.core.limits import VARIABLE
from docscore.metrics.anls_star.matching import list_tables
from docscore.metrics.kieval import kieval_score
from docscore.metrics.nted import nted_score

MANY = [f"text {i}" for i in range(50_000)]
SENTENCE = (
    "expected list elements whose comparison takes at most 2 GB, got 50,000 against 50,000, which may take 250.0 GB; "
    "split them into several documents, or set the environment variable DOCSCORE_MAX_MEMORY (in GB)"
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


def test_many_pairs_name_the_row() -> None:
    with pytest.raises(ValueError, match=r"^pair 1: \$: expected list elements whose comparison takes at most 2 GB"):
        score_pairs([("a", "a"), (MANY, MANY)])


@pytest.mark.parametrize(("gigabytes", "fits"), [("0.1", False), ("1", True), ("none", None), ("inf", None)])
def test_the_bound_can_be_set(gigabytes: str, fits: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """1,500 against 1,500 elements may take 0.2 GB."""
    monkeypatch.setenv(VARIABLE, gigabytes)
    truth, prediction = ["x"] * 1500, ["x"] * 1500
    if fits:
        assert anls_score(truth, prediction) == 1.0
        return
    message = rf"^{VARIABLE}: expected gigabytes, 0.1 or more" if fits is None else r"takes at most 0.1 GB"
    with pytest.raises(ValueError, match=message):
        anls_score(truth, prediction)


def test_other_metrics_have_the_same_bound() -> None:
    rows = [{"a": f"{i}", "b": "x"} for i in range(6000)]
    with pytest.raises(ValueError, match=r"^\$: expected nodes whose comparison takes at most 2 GB"):
        nted_score(rows, rows)
    with pytest.raises(ValueError, match=r"^\$: expected groups whose comparison takes at most 2 GB"):
        kieval_score(rows, rows)


def test_pairs_are_counted_as_they_are_compared() -> None:
    """Lists at different keys are not compared with each other; those of all rows are."""
    keyed: Any = {f"k{i}": ["x"] * 60 for i in range(100)}
    assert sum(pairs for *_, pairs in list_tables(keyed, keyed)) == 100 * 60 * 60
    rows: Any = [{"tags": ["x"] * 5}] * 20
    assert [(place, pairs) for place, _, _, pairs in list_tables(rows, rows)] == [("$", 400), ("$[].tags", 10_000)]
    assert [pairs for *_, pairs in list_tables((["a", "b"], "x", ["c"]), ["d", "e"])] == [6]
