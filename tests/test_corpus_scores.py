"""The score of a test set: what is said besides the mean."""

from __future__ import annotations

from typing import Any

import pytest

from docscore.core.options import ScoringOptions
from docscore.core.progress import Advance
from docscore.corpus.scores import score_corpus
from docscore.data.pairing import Pairs
from docscore.metrics.signature import Signature


def test_references_that_were_left_as_text_are_suspected() -> None:
    """Labels decoded by a tokenizer are text; only predictions are parsed."""
    labels = Pairs(["a"], [('{"total": "1"}',)], ['{"total": "1"}'])
    with pytest.warns(UserWarning, match="references: all are text that is JSON"):
        assert score_corpus(labels, parse="json").mean == 0.0
    assert score_corpus(labels, parse="text").mean == 1.0  # text against text
    values = Pairs(["a"], [({"total": "1"},)], ['{"total": "1"}'])
    assert score_corpus(values, parse="json").mean == 1.0


def test_references_that_are_json_text() -> None:
    """As other evaluation tools hold them; alternatives and values that are no text are taken as they are."""
    truths: list[Any] = ['{"total": "1"}', ('["a", "b"]', {"total": "2"}), {"total": "3"}]
    pairs = Pairs(list("abc"), truths, [{"total": "1"}, ["b", "a"], {"total": "3"}])
    assert score_corpus(pairs).mean < 1
    scored = score_corpus(pairs, parse_references="json")
    assert scored.scores == [1.0, 1.0, 1.0]
    assert "|references:json|" in str(scored.signature)
    with pytest.raises(ValueError, match=r"^row 'b', an answer: line 1, column 1: expecting value"):
        score_corpus(Pairs(list("ab"), ["1", "tea"], [1, 2]), parse_references="json")
    with pytest.raises(ValueError, match=r"^parse_references: expected None or 'json', got 'repair'$"):
        score_corpus(pairs, parse_references="repair")


def test_progress_is_told_of_every_row() -> None:
    told: list[int] = []

    def begin(phase: str, total: int) -> Advance:
        assert (phase, total) == ("Scoring", 120)
        return told.append

    truths: list[Any] = ["x", {"a": "x"}, ("x", "y"), ["x"]] * 30
    score_corpus(Pairs([str(i) for i in range(120)], truths, truths_as_predictions(truths)), progress=begin)
    assert sum(told) == 120


def truths_as_predictions(truths: list[Any]) -> list[Any]:
    return [truth[0] if isinstance(truth, tuple) else truth for truth in truths]


def test_signatures_differ_wherever_scores_may() -> None:
    variants = [
        ScoringOptions(),
        ScoringOptions(threshold=0.1234567),
        ScoringOptions(threshold=0.1234568),
        ScoringOptions(ignore_case=False),
        ScoringOptions(parse="json"),
        ScoringOptions(parse="repair"),
        ScoringOptions(missing="zero"),
    ]
    signatures = [str(Signature.of(["anls_star"], options)) for options in variants]
    assert len(set(signatures)) == len(signatures)
    assert "json-repair:" in signatures[5]


def test_the_lowest_come_first_and_ties_in_order() -> None:
    scored = score_corpus(Pairs(list("abc"), ["x", "xy", "x"], ["x", "x", "y"]))
    assert [sample["question_id"] for sample in scored.worst(2)] == ["c", "b"]
