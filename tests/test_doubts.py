"""Rows that are read in another way than they are meant: a warning that names the remedy, and options without use."""

from __future__ import annotations

import re
import warnings
from typing import Any

import evaluate
import pytest

import docscore
from docscore.core.options import ScoringOptions
from docscore.data.pairing import pairs_of
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.systems import Systems
from docscore.metrics.registry import METRICS
from docscore.report.systems_report import systems_table
from tests.commands import Write, run
from tests.conftest import golden

BILL = {"total": "12.50"}
TEXT = '{"total": "12.50"}'


def by_id(references: list[Any]) -> list[dict[str, Any]]:
    return [{"question_id": str(number), "references": [each]} for number, each in enumerate(references)]


def with_id(predictions: list[Any]) -> list[dict[str, Any]]:
    return [{"question_id": str(number), "prediction": each} for number, each in enumerate(predictions)]


@golden("doubts", "suspected")
def test_a_warning_names_the_remedy(
    predictions: list[Any], references: list[Any], options: dict[str, Any], sentence: str
) -> None:
    with pytest.warns(UserWarning, match=sentence):
        Evaluation(pairs_of(predictions, references), ScoringOptions(**options))


@golden("doubts", "fine")
def test_no_warning_where_nothing_is_wrong(
    predictions: list[Any], references: list[Any], options: dict[str, Any]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Evaluation(pairs_of(predictions, references), ScoringOptions(**options))


# JSON text on both sides: the edit distance of the raw text looks like a score of documents and is none.


@golden("doubts", "JSON text on both sides")
def test_json_text_on_both_sides_is_an_error(predictions: list[Any], references: list[Any]) -> None:
    sentence = "^references and predictions: their texts are JSON.*--parse (json|repair) --parse-references json"
    with pytest.raises(ValueError, match=sentence):
        Evaluation(pairs_of(predictions, references))
    with pytest.raises(ValueError, match=sentence):
        docscore.ScoreState().update(predictions, references)
    with pytest.raises(ValueError, match=sentence):
        docscore.evaluate(predictions=predictions, references=references)


def test_json_text_in_the_command_and_in_an_evaluate_module(write: Write) -> None:
    """With `parse="text"` the text is compared, and the signature is that of no parsing."""
    truths, given = by_id([TEXT]), with_id(['{"total": "12.5"}'])
    files = write("r.jsonl", truths), write("p.jsonl", given)
    for command in ("score", "explain"):
        done = run(command, *files)
        assert (done.code, done.out) == (2, "")
        assert "--parse json --parse-references json" in done.err
    assert "0.94" in run("score", *files, "--parse", "text").out
    assert "0.800000" in run("score", *files, "--parse", "json", "--parse-references", "json").out
    module = evaluate.load(docscore.evaluate_module("anls_star"))
    with pytest.raises(ValueError, match="their texts are JSON"):
        module.compute(predictions=given, references=truths)
    as_text = module.compute(predictions=given, references=truths, parse="text", signature=True)
    assert as_text["anls_score"] == pytest.approx(17 / 18)
    assert "parse" not in as_text["signature"]


@golden("doubts", "options without use")
def test_an_option_that_no_metric_uses_is_refused(metrics: list[str], option: str, value: Any) -> None:
    sides: dict[str, Any] = {"predictions": [BILL], "references": [BILL], "metrics": metrics}
    having = ", ".join(name for name, metric in METRICS.items() if option in metric.options)
    sentence = (
        rf"^{option}: no metric that was asked for uses it \({', '.join(metrics)}\); it is an option of {having}$"
    )
    with pytest.raises(ValueError, match=sentence):
        docscore.evaluate(**sides, **{option: value})
    assert docscore.evaluate(**sides).score == 1.0


def test_a_table_says_that_numbers_by_value_order_its_systems_otherwise() -> None:
    truths = [{"a": "abcdefghij", "n": 1000.0}, {"a": "x", "n": 2000.0}]
    floats = docscore.evaluate(predictions=[{"a": "abcdefghij", "n": 1000}, {"a": "x", "n": 2000}], references=truths)
    texts = docscore.evaluate(
        predictions=[{"a": "abcdefghiX", "n": 1000.0}, {"a": "x", "n": 2000.0}], references=truths
    )
    (remark,) = systems_table(Systems({"floats": floats, "texts": texts}, ["anls_star"])).remarks
    assert re.fullmatch(
        r"Numbers are .* the mean of floats is 1\.0000, \+0\.1667; their order is then floats, texts\.", remark
    )
    assert systems_table(Systems({"texts": texts}, ["anls_star"])).remarks == ()
