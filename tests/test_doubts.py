"""Rows that are read in another way than they are meant: a warning that names the remedy, and options without use."""

from __future__ import annotations

import warnings
from typing import Any

import evaluate
import pytest

import docscore
from docscore.core.options import ScoringOptions
from docscore.data.pairing import pairs_of
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.scores import score_corpus
from docscore.metrics.registry import METRICS
from tests.commands import Write, run

BILL = {"total": "12.50"}
TEXT = '{"total": "12.50"}'
UNREAD = "predictions: all are text that holds JSON, which never matches ground truths that are objects.*; parse="
UNREAD_TRUTHS = "references: all are text that is JSON, and is compared as text; parse_references="
ONE_ELEMENT = "references: all are lists of one object.*rows by id"


def by_id(references: list[Any]) -> list[dict[str, Any]]:
    return [{"question_id": str(number), "references": [each]} for number, each in enumerate(references)]


def with_id(predictions: list[Any]) -> list[dict[str, Any]]:
    return [{"question_id": str(number), "prediction": each} for number, each in enumerate(predictions)]


SUSPECTED: list[tuple[str, list[Any], list[Any], dict[str, Any], str]] = [
    ("texts where objects are expected", [TEXT, "n/a"], [BILL, BILL], {}, UNREAD),
    ("texts by id", with_id([TEXT]), by_id([BILL]), {}, UNREAD),
    ("lists of one answer in plain rows", [BILL, {}], [[BILL], [BILL]], {}, ONE_ELEMENT),
    ("one list too many by id", with_id([BILL]), by_id([[BILL]]), {}, ONE_ELEMENT),
    ("references that are JSON text", [BILL], [TEXT], {}, UNREAD_TRUTHS),
    ("references that are JSON text, by id", with_id([BILL]), by_id([TEXT]), {}, UNREAD_TRUTHS),
    ("texts of which the references alone are read", [TEXT], [TEXT], {"parse_references": "json"}, UNREAD),
    ("JSON text, in predictions also within prose", [f"Here: {TEXT}"], [TEXT], {}, UNREAD_TRUTHS),
    ("texts of which the predictions alone are read", [TEXT], [TEXT], {"parse": "json"}, UNREAD_TRUTHS),
]


@pytest.mark.parametrize(
    ("predictions", "references", "options", "sentence"),
    [row[1:] for row in SUSPECTED],
    ids=[row[0] for row in SUSPECTED],
)
def test_a_warning_names_the_remedy(
    predictions: list[Any], references: list[Any], options: dict[str, Any], sentence: str
) -> None:
    with pytest.warns(UserWarning, match=sentence):
        score_corpus(pairs_of(predictions, references), **options)


FINE: list[tuple[str, list[Any], list[Any], dict[str, Any]]] = [
    ("texts that are read", [TEXT], [BILL], {"parse": "json"}),
    ("prose, which no option reads", ["I cannot read this."], [BILL], {}),
    ("some texts", [TEXT, BILL], [BILL, BILL], {}),
    ("texts on both sides that are meant as such", [TEXT], [TEXT], {"parse": "text"}),
    ("texts on both sides that are read", [TEXT], [TEXT], {"parse": "json", "parse_references": "json"}),
    ("answers, one of which looks like a list", [TEXT, "[1]", "x"], [TEXT, "[1]", "x"], {}),
    ("101 texts, of which the last are JSON", ["x"] * 100 + [TEXT], ["x"] * 100 + [TEXT], {}),
    ("a list in brackets on one side alone", ["[sic]"], ["[1]"], {}),
    ("references that are read", [BILL], [TEXT], {"parse_references": "json"}),
    ("references that only begin so", [["x"]], ["[sic]"], {}),
    ("lists of one object on both sides", [[BILL]], [[BILL]], {}),
    ("lists of texts", [BILL], [["x"]], {}),
]


@pytest.mark.parametrize(
    ("predictions", "references", "options"), [row[1:] for row in FINE], ids=[row[0] for row in FINE]
)
def test_no_warning_where_nothing_is_wrong(
    predictions: list[Any], references: list[Any], options: dict[str, Any]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score_corpus(pairs_of(predictions, references), **options)


# JSON text on both sides: the edit distance of the raw text looks like a score of documents and is none.
SIDES_OF_TEXT: list[tuple[str, list[Any], list[Any]]] = [
    ("an object", [TEXT], [TEXT]),
    ("lists", [" [1]", "[2, 3]"], ["[1]\n", "[2]"]),
    ("by id, among several answers", with_id([TEXT]), [{"question_id": "0", "references": [TEXT, TEXT]}]),
    ("empty texts and nulls say nothing", [TEXT, "", " ", None], [TEXT, TEXT, "", None]),
    ("the first 100 of 101", [TEXT] * 100 + ["x"], [TEXT] * 100 + ["x"]),
]


@pytest.mark.parametrize(
    ("predictions", "references"), [row[1:] for row in SIDES_OF_TEXT], ids=[row[0] for row in SIDES_OF_TEXT]
)
def test_json_text_on_both_sides_is_an_error(predictions: list[Any], references: list[Any]) -> None:
    sentence = "^references and predictions: their texts are JSON.*--parse json --parse-references json"
    for score in (score_corpus, Evaluation):
        with pytest.raises(ValueError, match=sentence):
            score(pairs_of(predictions, references))
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


@pytest.mark.parametrize(
    ("metrics", "option", "value"),
    [
        (["anls_star"], "normalise", True),
        (["anls_star"], "strict", True),
        (["anls_star"], "donut", True),
        (["kieval"], "donut", True),
        (["kieval"], "threshold", 0.7),
        (["nted", "kieval"], "ignore_case", False),
        (["entity_f1"], "rules", "anls_star-1.0.1"),
        (["entity_f1"], "numbers", "value"),
        (["anls_star"], "schema", {"type": "object"}),
    ],
)
def test_an_option_that_no_metric_uses_is_refused(metrics: list[str], option: str, value: Any) -> None:
    pairs = pairs_of([BILL], [BILL])
    having = ", ".join(name for name, metric in METRICS.items() if option in metric.options)
    sentence = (
        rf"^{option}: no metric that was asked for uses it \({', '.join(metrics)}\); it is an option of {having}$"
    )
    with pytest.raises(ValueError, match=sentence):
        Evaluation(pairs, ScoringOptions(**{option: value}), metrics=metrics)
    assert Evaluation(pairs, metrics=metrics).scores.mean == 1.0
