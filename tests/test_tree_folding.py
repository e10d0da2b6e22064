"""Rows of a drawn tree that say the same fold into one line; each side says what it lacks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from docscore import score_tree
from docscore.report.html_tree import positions_of, tree_as_html, tree_drawing
from tests.structures import predictions, truths

ROWS = [{"n": f"{n}{n}"} for n in range(5)]


def texts(truth: Any, prediction: Any) -> list[tuple[str, str, bool]]:
    rows = tree_drawing(score_tree(truth, prediction), "t").rows
    return [(row.label, row.parts, row.is_open) for row in rows if row.node.kind == "group"]


@pytest.mark.parametrize(
    ("truth", "prediction", "expected"),
    [
        ({"rows": ROWS}, {"rows": []}, [("5 missing rows", "", False)]),
        ({"rows": ROWS[:2]}, {"rows": ROWS[:4]}, []),  # two exact rows and two invented ones
        ({"rows": ROWS[:1]}, {"rows": ROWS}, [("4 invented rows", "", False)]),
        ({"rows": ROWS}, {"rows": ROWS}, []),  # one exact part, which is closed
        (dict.fromkeys("abc", 1), dict.fromkeys("abc", 1), [("3 exact values", "a, b, c", False)]),
        (dict.fromkeys("ab", 1), dict.fromkeys("ab", 1), []),
        (
            dict.fromkeys("abcde", 1),  # not only neighbours
            {**dict.fromkeys("abde", 1), "c": 2},
            [("4 exact values", "a, b, d, e", False)],
        ),
        (dict.fromkeys("abcd", 1), {"d": 1}, []),  # each missing value is shown
        (dict.fromkeys("abcd", "x"), dict.fromkeys("abcd", "y"), []),  # each wrong value is shown
        ("x", "y", []),
    ],
)
def test_what_folds(truth: Any, prediction: Any, expected: list[Any]) -> None:
    assert texts(truth, prediction) == expected


def test_the_line_has_the_points_of_its_rows() -> None:
    tree = score_tree({"rows": ROWS, "a": "x"}, {"rows": [], "a": "x"})
    [line] = [row for row in tree_drawing(tree, "t").rows if row.node.kind == "group"]
    assert float(line.lost.replace("−", "-")) == pytest.approx(tree.score - 1, abs=5e-4)


@given(truths, predictions)
def test_every_part_that_is_opened_is_closed(truth: Any, prediction: Any) -> None:
    markup = tree_as_html(score_tree({"v": truth}, {"v": prediction}))
    depth = 0
    for piece in markup.split("<")[1:]:
        depth += piece.startswith("details") - piece.startswith("/details")
        assert depth >= 0
    assert depth == 0


def value_at(value: Any, position: str) -> Any:
    """What stands at a position of a JSON value."""
    for step in filter(None, position.split("/")):
        value = list(value.values())[int(step)] if isinstance(value, dict) else value[int(step)]
    return value


@pytest.mark.parametrize(
    ("truth", "prediction"),
    [
        ({"b": {"$one_of": ["x", {"k": ["y", "z"]}]}, "a": ["p", "q"]}, {"a": ["q", "p"], "b": {"k": ["z"]}}),
        ({"rows": [{"n": {"$one_of": [1, 2]}}]}, {}),
        ({"$one_of": [["a"], ["b"]]}, ["b"]),
        ([[["a"]], "b"], ["b", [["c", "a"]]]),
    ],
)
def test_a_position_leads_to_the_value(truth: Any, prediction: Any) -> None:
    tree = score_tree(truth, prediction)
    found = positions_of(tree)
    for node in tree.nodes():
        at = found[id(node)]
        if at.truth is not None and not isinstance(node.ground_truth, tuple):
            assert json.dumps(value_at(truth, at.truth)) == json.dumps(node.to_dict()["ground_truth"])
        if at.prediction is not None:
            assert value_at(prediction, at.prediction) == node.prediction
        assert (at.truth is None) == (node.status == "extra" and node.ground_truth is None and node.path != "$")
