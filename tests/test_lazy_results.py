"""Results do nothing before they are looked at, and then say how far they are."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import docscore
from docscore.core.runtime import no_progress
from docscore.evaluation import evaluation
from docscore.evaluation.evaluation import progress_from
from docscore.evaluation.scores import CorpusScore
from tests.test_front_door import FOUND, TRUTHS

Counts = Counter[str]


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counts:
    """Counts what an evaluation computes, and lets it go on."""
    counted: Counts = Counter()

    def counting(owner: Any, name: str) -> None:
        wrapped = getattr(owner, name)

        def counted_call(*arguments: Any, **options: Any) -> Any:
            counted[name] += 1
            return wrapped(*arguments, **options)

        monkeypatch.setattr(owner, name, counted_call)

    for name in ("score_corpus", "analyse", "summarise", "measure", "figure_columns", "slices_of"):
        counting(evaluation, name)
    counting(CorpusScore, "tree")
    return counted


LOOKS: list[tuple[Callable[[docscore.Evaluation], Any], Counts]] = [
    (lambda result: (len(result), list(result), "a" in result, result.signature), Counter()),
    (
        lambda result: (result["a"], result.score, result.documents, result.worst(2), result.counts),
        Counter(score_corpus=1),
    ),
    (repr, Counter(score_corpus=1)),
    (lambda result: (result["b"].tree, result["b"].score), Counter(score_corpus=1, tree=1)),
    (lambda result: result.interval, Counter(score_corpus=1, summarise=1)),
    (lambda result: result.figures, Counter(score_corpus=1, figure_columns=1)),
    (lambda result: result.causes, Counter(score_corpus=1, analyse=1)),
    (
        lambda result: (result.fields, result.causes, result.rates, result.fields),
        Counter(score_corpus=1, analyse=1, summarise=1),
    ),
    (lambda result: result.slices, Counter(score_corpus=1, figure_columns=1, slices_of=1)),
]


@pytest.mark.parametrize(("look", "done"), LOOKS)
def test_work_that_is_not_looked_at_is_not_done(
    work: Counts, look: Callable[[docscore.Evaluation], Any], done: Counts
) -> None:
    result = docscore.evaluate(
        predictions=FOUND, references=TRUTHS, metrics=("anls_star", "nted"), by=lambda name: name, progress=False
    )
    assert work == Counter()
    look(result)
    assert work == done


def test_phases_are_reported() -> None:
    phases: dict[str, list[int]] = {}

    def begin(phase: str, total: int) -> Callable[[int], object]:
        phases[phase] = [total, 0]

        def advance(increment: int) -> None:
            phases[phase][1] += increment

        return advance

    result = docscore.evaluate(predictions=FOUND, references=TRUTHS, progress=begin)
    assert phases == {}
    assert result.fields
    assert phases.keys() == {"Scoring", "Explaining", "Resampling"}
    assert all(total == done for total, done in phases.values())


def test_bars_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    assert progress_from(None) is no_progress
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert progress_from(None) is not no_progress
    assert progress_from(progress=False) is no_progress
    assert progress_from(progress=True) is not no_progress
