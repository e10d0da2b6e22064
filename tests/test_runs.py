"""Several runs of one system: means over runs, variances, and the files of runs of `docscore table`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docscore
from docscore.core.errors import in_file
from docscore.data.files import Table
from docscore.data.pairing import Pairs, joined_runs, read_systems
from docscore.evaluation.runs import runs_of
from docscore.evaluation.systems import systems_of
from docscore.stats.intervals import Ratios, intervals_of
from tests.conftest import golden

IDS = [f"d{number}" for number in range(8)]
REFERENCES = {name: {"a": "tea", "b": "rum"} for name in IDS}


def answers(*right: int) -> dict[str, Any]:
    """A run that gets these documents right, and half of the others."""
    return {name: {"a": "tea", "b": "rum" if number in right else "xxx"} for number, name in enumerate(IDS)}


RUNS = [answers(0, 1, 2), answers(0, 1, 3), answers(0, 1, 2, 3)]


def evaluated(*runs: Any, **options: Any) -> docscore.Evaluation:
    several = len(runs) > 1
    return docscore.evaluate(
        predictions=list(runs) if several else runs[0], references=REFERENCES, runs=several, **options
    )


def test_variances_by_hand() -> None:
    """Sums of squares of two runs on three documents: 1.0833 (2), 0.0150 (1) and 0.0300 (2) for what is left."""
    found = runs_of(np.array([[1.0, 0.5, 0.0], [1.0, 0.5, 0.3]]), ["a", "b", "c"])
    rest = 0.03 / 2
    documents = (2 * ((1 - 0.55) ** 2 + (0.5 - 0.55) ** 2 + (0.15 - 0.55) ** 2) / 2 - rest) / 2
    assert (found.of_documents, found.of_runs, found.of_both) == pytest.approx((documents, 0.0, rest))
    assert found.deviation == pytest.approx(np.std([0.5, 0.6], ddof=1))
    assert found.unstable == {"c": [0.0, 0.3]}


def test_what_would_halve_the_interval() -> None:
    """Its variance is that of documents over n, and of both over n and r; where documents decide, runs do not help."""
    noisy = runs_of(np.random.default_rng(1).random((2, 500)), [str(number) for number in range(500)])
    documents, runs = noisy.wanted
    assert documents == 2000
    assert runs is not None
    errors = [noisy.of_documents / 500 + noisy.of_both / (500 * r) for r in (2, runs - 1, runs)]
    assert errors[2] <= errors[0] / 4 < errors[1]
    assert runs_of(np.array([[1.0, 0.5, 0.0], [1.0, 0.5, 0.3]]), ["a", "b", "c"]).wanted == (12, None)


def test_a_document_counts_its_mean_over_the_runs() -> None:
    """Score, interval and figures are those of the means, whatever metric comes first."""
    for metrics in (["anls_star"], ["kieval", "anls_star"]):
        together = evaluated(*RUNS, metrics=metrics)
        assert together.score == pytest.approx(np.mean([evaluated(one, metrics=metrics).score for one in RUNS]))
    scores = np.mean([evaluated(one).scores for one in RUNS], axis=0)
    table = {name: [score] for name, score in zip(IDS, scores, strict=True)}
    as_numbers = Ratios(np.array(list(table.values())), np.ones((len(IDS), 1)))
    [interval] = intervals_of(as_numbers)
    assert evaluated(*RUNS).interval == pytest.approx(interval.ends, abs=1e-12)


@pytest.mark.parametrize("metric", ["anls_star", "kieval", "entity_f1"])
def test_the_score_of_a_run_is_its_figure(metric: str) -> None:
    """Also of a ratio of sums, in which the document of one wrong value weighs less than that of four right ones."""
    truths = {"a": {"k": "tea"}, "b": {"k": "tea", "l": "rum", "m": "ale", "n": "gin"}}
    first, second = {"a": {"k": "xxx"}, "b": truths["b"]}, {"a": truths["a"], "b": {"k": "tea", "l": "rum"}}
    single = [docscore.evaluate(predictions=one, references=truths, metrics=metric).score for one in (first, second)]
    runs = docscore.evaluate(predictions=[first, second], references=truths, metrics=metric, runs=True).runs
    assert runs is not None
    assert runs.scores == single
    assert runs.deviation == pytest.approx(np.std(single, ddof=1))


def test_systems_with_other_numbers_of_runs_are_compared_by_document() -> None:
    """Two equal runs are one, in tests and ranks."""
    one, other = evaluated(RUNS[0]), evaluated(answers())
    with pytest.warns(UserWarning, match="run 1 and run 2 have the same predictions"):
        twice = evaluated(RUNS[0], RUNS[0])
    single, several = (systems_of({"a": a, "b": other}, against="a", ranked=True) for a in (one, twice))
    assert several.tests["b", "anls_star"] == single.tests["b", "anls_star"]
    assert several.ranks == single.ranks
    with pytest.raises(ValueError, match="as many runs of the base as of the other, got 2 and 1"):
        twice.compare(other)
    change = evaluated(*RUNS).compare(evaluated(*RUNS[::-1]))
    assert change.difference == pytest.approx(0)
    assert "of 24 predictions, worse on" in str(change)
    assert repr(evaluated(*RUNS)).endswith(" 8 documents>")


def test_clusters_and_slices_are_those_of_the_documents() -> None:
    """A function takes the id of the document; two documents of one cluster stay together with all their runs."""
    found = evaluated(*RUNS, cluster=lambda name: str(int(name[1:]) // 2), by=lambda name: name)
    assert found.clusters is not None
    assert found.clusters.tolist() == [0, 0, 1, 1, 2, 2, 3, 3] * 3
    assert [(part.value, part.documents) for part in found.slice_figures][:2] == [("d0", 1), ("d1", 1)]


@golden("systems", "no runs")
def test_what_is_no_list_of_runs(predictions: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        docscore.evaluate(predictions=predictions, references=REFERENCES, runs=True)


def test_runs_on_other_documents_are_refused() -> None:
    """As logs may be whose samples were not all run in each epoch."""
    runs = [Pairs(list(ids), [1, 2], [1, 2]) for ids in ("ab", "ac")]
    message = r"^one and two: expected the same documents in all runs, got 2 in one of them only, such as 'b'$"
    with pytest.raises(ValueError, match=message):
        joined_runs(runs, ["one", "two"])


def log_of(epochs: int, rows: str) -> Table:
    """The table of a log: the id of a document, its epoch and its prediction, such as "a1x"."""
    cells = [(row[0], row[1], row[2]) for row in rows.split()]
    named = {f"{name}, epoch {epoch}" if epochs > 1 else name: (name, answer) for name, epoch, answer in cells}
    values = [{"question_id": row, "references": ["x"], "prediction": answer} for row, (_, answer) in named.items()]
    documents = {row: name for row, (name, _) in named.items()} if epochs > 1 else {}
    path = Path(f"{epochs}.eval")
    return Table(path, values, lambda index: in_file(path, f"sample {list(named)[index]}"), documents=documents)


def test_epochs_of_a_log_are_runs() -> None:
    """Also beside a log of another number of epochs; a document that lacks one is an error or left out in all."""
    whole, single = log_of(2, "a1x b1y c1x a2y b2y c2x"), log_of(1, "a1x b1x c1x")
    first, second = read_systems(None, [whole, single])
    assert (first.documents, first.runs, first.predictions) == (["a", "b", "c"], 2, list("xyxyyx"))
    assert first.ids == [f"{name}, epoch {epoch}" for epoch in (1, 2) for name in "abc"]
    assert (second.documents, second.predictions) == (None, list("xxx"))
    lacking = log_of(2, "a1x b1y c1x a2y b2y")
    with pytest.raises(ValueError, match=r"2.eval: ids of references that no prediction has \(1\): 'c'"):
        read_systems(None, [lacking])
    first, second = read_systems(None, [lacking, single], "skip")
    assert (first.documents, first.predictions, first.skipped) == (["a", "b"], list("xyyy"), 1)
    assert (second.ids, second.skipped) == (["a", "b"], 1)
