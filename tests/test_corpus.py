"""The score of a test set: what is said besides the mean."""

from __future__ import annotations

from typing import Any

import pytest

from docscore.corpus.scores import corpus_signature, score_corpus
from docscore.data.pairing import Pairs


def test_references_that_were_left_as_text_are_suspected() -> None:
    """Labels decoded by a tokenizer are text; only predictions are parsed."""
    labels = Pairs(["a"], [('{"total": "1"}',)], ['{"total": "1"}'])
    with pytest.warns(UserWarning, match="all references are text that looks like JSON"):
        assert score_corpus(labels, parse="json").mean == 0.0
    assert score_corpus(labels).mean == 1.0  # text against text
    values = Pairs(["a"], [({"total": "1"},)], ['{"total": "1"}'])
    assert score_corpus(values, parse="json").mean == 1.0


def test_progress_is_told_of_every_row() -> None:
    told: list[int] = []
    truths: list[Any] = ["x", {"a": "x"}, ("x", "y"), ["x"]] * 30
    score_corpus(Pairs([str(i) for i in range(120)], truths, truths_as_predictions(truths)), scored=told.append)
    assert sum(told) == 120


def truths_as_predictions(truths: list[Any]) -> list[Any]:
    return [truth[0] if isinstance(truth, tuple) else truth for truth in truths]


def test_signatures_differ_wherever_scores_may() -> None:
    variants = [
        corpus_signature(threshold=0.5, ignore_case=True),
        corpus_signature(threshold=0.1234567, ignore_case=True),
        corpus_signature(threshold=0.1234568, ignore_case=True),
        corpus_signature(threshold=0.5, ignore_case=False),
        corpus_signature(threshold=0.5, ignore_case=True, parse="json"),
        corpus_signature(threshold=0.5, ignore_case=True, parse="repair"),
        corpus_signature(threshold=0.5, ignore_case=True, missing="zero"),
    ]
    assert len(set(variants)) == len(variants)
    assert "json-repair:" in variants[5]


def test_the_lowest_come_first_and_ties_in_order() -> None:
    scored = score_corpus(Pairs(list("abc"), ["x", "xy", "x"], ["x", "x", "y"]))
    assert [sample["question_id"] for sample in scored.worst(2)] == ["c", "b"]
