"""What the metric of `evaluate` takes as a value: all that can be scored, unchanged, and a sentence for the rest."""

from __future__ import annotations

import math
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest

from docscore import anls_score
from tests.commands import pred, ref


@pytest.fixture
def metric(root: Path, tmp_path: Path) -> Any:
    """The metric, fresh."""
    return evaluate.load(str(root / "anls_star.py"), cache_dir=str(tmp_path))


LONG = 10**5000  # 5,001 digits, more than Python prints
VALUES: list[tuple[Any, Any, float]] = [  # ground truth, prediction, score
    ("12.5", "12.50", 0.8),  # 1 insertion in 5 characters; as numbers they would be equal
    ("7", "007", 0.0),  # similarity 1/3
    (7, "007", 0.0),
    (None, "null", 0.0),
    ("null", None, 0.0),
    (None, "", 1.0),  # null and the empty string agree
    (True, "true", 1.0),  # compared as str(True), in lower case
    ({"a": 1}, '{"a": 1}', 0.0),  # text is no object
    ([], "[]", 0.0),
    (("a", "b"), "b", 1.0),
    ({"k": [("a", "b"), "c"]}, {"k": ["c", "b"]}, 1.0),
    ({"k": {"$one_of": ["a", "b"]}}, {"k": "b"}, 1.0),
    ({"k": ["a", "b"]}, {"k": ["b"]}, 0.5),  # a list is no one-of
    (math.nan, math.nan, 1.0),
    (math.nan, None, 0.0),
    (math.inf, -math.inf, 0.75),  # "inf", "-inf"
    (LONG, LONG, 1.0),
    (LONG, LONG + 1, 5000 / 5001),
    ("\ud800", "\ud800", 1.0),
    ({"\ud800": "a"}, {"\udfff": "a"}, 0.0),
    ("a\x00b", "a\x00c", 2 / 3),
    (np.float64(12.5), "12.5", 1.0),
    (np.array([["1", "2"], ["3", "4"]]), [["3", "4"], ["1", "2"]], 1.0),
    (np.datetime64("2024-03-12"), "2024-03-12", 1.0),
    (date(2024, 3, 12), "2024-03-12", 1.0),
    ("2024-03-12T09:30:00+00:00", datetime(2024, 3, 12, 9, 30, tzinfo=timezone.utc), 1.0),
    ("12.50", Decimal("12.50"), 1.0),
    ({"k": np.bool_(1)}, {np.str_("k"): True}, 1.0),
]


@pytest.mark.filterwarnings("ignore:predictions. all are text")
@pytest.mark.parametrize("case", VALUES)
def test_what_goes_in_is_what_is_scored(case: tuple[Any, Any, float], metric: Any) -> None:
    """Neither Arrow nor JSON changes a value: the score is the function's, alone and as an acceptable answer."""
    truth, prediction, score = case
    assert anls_score(truth, prediction) == pytest.approx(score, abs=1e-15)
    assert metric.compute(predictions=[prediction], references=[truth])["anls_score"] == anls_score(truth, prediction)
    by_id = metric.compute(predictions=[pred("a", prediction)], references=[ref("a", truth)])
    assert by_id["anls_score"] == anls_score(truth, prediction)


KEY = "expected a string as key, got int 2"
FAULTS: list[tuple[list[Any], list[Any], type[Exception], str]] = [
    (["x", {"a": [{2: "y"}]}], ["x", "y"], TypeError, rf"predictions\[1\]: \$\.a\[0\]: {KEY}"),
    ([pred("a", {2: "y"})], [ref("a", "x")], TypeError, rf"predictions\[0\] \(question_id 'a'\): \$: {KEY}"),
    ([pred("a", 1)], [ref("a", 1, {2: 3})], TypeError, rf"references\[0\] \(question_id 'a'\): \$\[1\]: {KEY}"),
    (["x"], [{"k": {1, 2}}], TypeError, r"references\[0\]: \$\.k: expected a JSON value, got set"),
    ([{"k": ("a",)}], ["x"], ValueError, r"predictions\[0\]: \$\.k: Tuples are reserved for 1-of-n ground truths"),
    (["x"], [()], ValueError, r"references\[0\]: \$: Expected at least 1 valid ground truth option"),
    ([pred("a", 1)], [ref("a")], ValueError, r"references\[0\]: .* at least one acceptable answer, got an empty"),
    ([pred("a", 1)], [{"question_id": "a", "references": "x"}], ValueError, r"references\[0\]: expected .* got str"),
    ([pred("a", 1)], [{"question_id": "a", "reference": "x"}], ValueError, "references: expected 'references' or"),
]


@pytest.mark.parametrize(("predictions", "references", "error", "message"), FAULTS)
def test_what_cannot_be_scored_is_named_with_row_and_place(
    predictions: Any, references: Any, error: type[Exception], message: str, metric: Any
) -> None:
    with pytest.raises(error, match="^" + message):
        metric.compute(predictions=predictions, references=references)


TEXTS = ['{"n": "12.50"}', "{'n': '12.50',", "n/a"]  # JSON; JSON with faults; no JSON
PARSING: list[tuple[str | None, list[Any], dict[str, float]]] = [
    (None, TEXTS, {"anls_score": 0.0}),
    ("json", TEXTS, {"anls_score": 1 / 3, "parse_failures": 2}),
    ("repair", TEXTS, {"anls_score": 2 / 3, "parse_failures": 1, "parse_extracted": 0, "parse_mended": 1}),
    ("json", [{"n": "12.50"}] * 3, {"anls_score": 1.0, "parse_failures": 0}),
    ("json", [{"n": Decimal("12.50")}] * 3, {"anls_score": 1.0, "parse_failures": 0}),
    ("repair", [{"n": "12.50"}] * 3, {"anls_score": 1.0, "parse_failures": 0, "parse_extracted": 0, "parse_mended": 0}),
]


@pytest.mark.filterwarnings("ignore:predictions. all are text")
@pytest.mark.parametrize(("parse", "predictions", "result"), PARSING)
def test_nothing_is_parsed_or_repaired_silently(parse: Any, predictions: Any, result: Any, metric: Any) -> None:
    assert metric.compute(predictions=predictions, references=[{"n": "12.50"}] * 3, parse=parse) == result


def test_a_decimal_is_no_text_to_parse(metric: Any) -> None:
    found = metric.compute(predictions=[Decimal("12.50")], references=["12.50"], parse="json")
    assert found == {"anls_score": 1.0, "parse_failures": 0}  # parsed, it would be 12.5


def test_options_change_the_score(metric: Any) -> None:
    rows = {"predictions": ["ABCD"], "references": ["abcx"]}
    assert metric.compute(**rows) == {"anls_score": 0.75}
    assert metric.compute(**rows, threshold=0.8) == {"anls_score": 0.0}
    assert metric.compute(**rows, ignore_case=False) == {"anls_score": 0.0}
