"""Remarks on a score tree: what several places have in common, and what it costs."""

from __future__ import annotations

from typing import Any

import pytest

from docscore import anls_score, score_tree
from docscore.corpus.remarks import remarks
from docscore.report.wording import remark_text


def found(truth: Any, prediction: Any, **options: Any) -> list[tuple[str, list[str]]]:
    return [
        (each.kind, [node.path for node in each.nodes]) for each in remarks(score_tree(truth, prediction, **options))
    ]


@pytest.mark.parametrize(
    ("truth", "prediction", "expected"),
    [
        ({"a": "xxx", "b": "yyy"}, {"a": "yyy", "b": "xxx"}, [("exchanged", ["$.a", "$.b"])]),
        ({"a": "x", "b": "y", "c": "z"}, {"a": "y", "b": "z", "c": "x"}, []),  # a ring of three is no exchange
        ({"r": {"a": 1, "b": 2}}, {"r": {"a": 2, "b": 1}}, [("exchanged", ["$.r.a", "$.r.b"])]),
        ({"a": "same", "b": "same"}, {"a": "same", "b": "same"}, []),
        (["x", "y"], ["y", "x"], []),  # elements have no names
        ({"a": "ACME Ltd", "b": None}, {"b": "ACME Ltd"}, [("elsewhere", ["$.a", "$.b"])]),
        ({"a": "ACME Ltd", "b": "old"}, {"a": "x", "b": "ACME Ltd"}, [("elsewhere", ["$.a", "$.b"])]),
        ({"a": "12", "b": None}, {"b": "12"}, []),  # too short to be more than chance
        ({"a": "ACME", "c": "ACME", "b": None}, {"b": "ACME"}, []),  # which of the two is not known
        ({"a": "12.50", "b": "1,000.00"}, {"a": "12,50", "b": "1.000,00"}, [("decimal comma", ["$.a", "$.b"])]),
        ({"a": "12,50"}, {"a": 12.5}, [("decimal comma", ["$.a"])]),
        ({"a": "12,50"}, {"a": "12,51"}, []),
        ({"a": "tea, milk"}, {"a": "tea milk"}, []),
        ({"a": 1000.0, "b": "x"}, {"a": 1000, "b": "x"}, [("as printed", ["$.a"])]),
        ({"a": "x"}, {"a": "x"}, []),
        (None, None, []),
    ],
)
def test_what_places_have_in_common(truth: Any, prediction: Any, expected: list[Any]) -> None:
    assert found(truth, prediction) == expected


def test_the_points_are_those_lost_there_and_the_most_come_first() -> None:
    truth = {"a": "xxx", "b": "yyy", "c": "12.50", "d": 1000.0}
    prediction = {"a": "yyy", "b": "xxx", "c": "12,50", "d": 1000}
    tree = score_tree(truth, prediction)
    first, *others = remarks(tree)
    assert first.points == 0.5
    assert [each.points for each in others] == sorted((each.points for each in others), reverse=True)
    assert sum(each.points for each in [first, *others]) == pytest.approx(1 - tree.score)


def test_numbers_by_value_give_back_what_is_said() -> None:
    truth, prediction = {"a": 1000.0, "b": 7.50, "c": "x"}, {"a": 1000, "b": 7.5, "c": "y"}
    tree = score_tree(truth, prediction)
    [remark] = remarks(tree)
    assert tree.score + remark.points == pytest.approx(anls_score(truth, prediction, numbers="value"))
    assert found(truth, prediction, numbers="value") == []


@pytest.mark.parametrize(
    ("truth", "prediction", "text"),
    [
        ({"a": "xxx", "b": "yyy"}, {"a": "yyy", "b": "xxx"}, "$.a and $.b are exchanged: −1.000"),
        ({"a": "ACME", "b": None}, {"b": "ACME"}, "the value of $.a is predicted at $.b: −1.000"),
        ({"a": "12.5", "b": "13.5"}, {"a": "12,5", "b": "13,5"}, "2 values differ by a decimal comma: −0.250"),
        ({"a": 1.0}, {"a": 1}, "1 value differs only as printed: +1.000 with numbers by value"),
        ({"\x1b[31m": "xxx", "b": "yyy"}, {"\x1b[31m": "yyy", "b": "xxx"}, "\\u001b[31m"),
    ],
)
def test_sentences(truth: Any, prediction: Any, text: str) -> None:
    [remark] = remarks(score_tree(truth, prediction))
    assert text in remark_text(remark)
