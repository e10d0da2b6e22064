"""Rows that are grouped: clusters that are resampled together, slices with figures of their own, and several runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docscore
from docscore import compare, evaluate, evaluate_module
from docscore.core.errors import in_file
from docscore.core.options import DEFAULT_READING, ReadOptions
from docscore.evaluation.evaluation import Evaluation, evaluate_rows
from docscore.evaluation.figures import Runs, runs_of
from docscore.evaluation.systems import systems_of
from docscore.inputs.columns import with_names
from docscore.inputs.groups import grouped_rows, groups_of_rows
from docscore.inputs.pairing import joined_runs, paired_systems, pairs_of
from docscore.inputs.rows import Absent, RawTable
from docscore.inputs.test_set import TestSet
from docscore.stats.calibration import calibration_of
from docscore.stats.intervals import Ratios, wilson_interval
from tests.conftest import golden
from tests.test_intervals import mean_interval

ROWS: list[tuple[str, str, Any, str, str]] = [  # id, document, vendor, reference, prediction
    (f"d{document}-q{question}", f"d{document}", ("Acme", None, 7)[document % 3], "tea", "tea" if right else "xyz")
    for document, right in enumerate([1, 1, 0, 1, 0, 1, 1, 0])
    for question in range(1 + document % 4)
]
REFERENCES = [{"question_id": i, "document": d, "vendor": v, "references": [r]} for i, d, v, r, _ in ROWS]
PREDICTIONS = [{"question_id": i, "prediction": p} for i, _, _, _, p in ROWS]


WRONG, RIGHT = ([{**row, "prediction": text} for row in PREDICTIONS] for text in ("xyz", "tea"))
DOCUMENTS = [row[1] for row in ROWS]
PAIRS = pairs_of(PREDICTIONS[::-1], REFERENCES)
CLUSTERED = grouped_rows(PAIRS, ReadOptions(cluster="document"))


def test_a_group_is_a_text_or_a_number() -> None:
    with pytest.raises(TypeError, match=r"^by: row 'd0-q0': expected a text or a number, got list$"):
        groups_of_rows(PAIRS, "references", "by")


def test_rows_that_are_left_out_take_their_columns_with_them() -> None:
    chosen = PAIRS.only([3, 1])
    assert groups_of_rows(chosen, "document", "cluster") == [ROWS[3][1], ROWS[1][1]]
    assert chosen.skipped == len(ROWS) - 2
    assert TestSet(list("abc"), [1, 1, 1], [1, None, 1], frozenset({1})).only([2, 1]).absent == {1}


def test_clusters_are_resampled_as_wholes() -> None:
    """The rows of a document are all alike, so the interval is that of 8 documents, not of 19 rows."""
    together = Evaluation(CLUSTERED)
    found = together.to_dict()
    few = "only 8 clusters: it may be too short"
    assert (found["score"], found["clusters"], found["confidence_note"]) == (Evaluation(PAIRS).score, 8, few)
    numbers = [sorted(set(DOCUMENTS)).index(name) for name in DOCUMENTS]
    assert together.measured[0].interval == mean_interval(together.scores, clusters=np.array(numbers))


def test_every_interval_and_test_knows_the_clusters() -> None:
    found = Evaluation(CLUSTERED, metrics=["anls_star", "kieval"])
    plain = Evaluation(PAIRS, metrics=["anls_star", "kieval"])
    for here, there in zip(found.measured, plain.measured, strict=True):
        assert (here.value, here.interval) != (there.value, there.interval)
    rate, without = (each.rate_list[0].interval for each in (found, plain))
    assert without == wilson_interval(plain.rate_list[0].hits, len(plain))
    assert rate != without
    worse = pairs_of(WRONG[:9] + PREDICTIONS[9:], REFERENCES)
    rows = worse, grouped_rows(worse, ReadOptions(cluster="document"))
    others = [Evaluation(each, metrics=["anls_star", "kieval"]) for each in rows]
    free, bound = plain.compare(others[0]), found.compare(others[1])
    assert free.difference == bound.difference
    assert free.p_value < bound.p_value


def test_the_gate_knows_the_clusters() -> None:
    """All rows fall, but in eight documents: the upper end of the interval is further away."""
    free, bound, few = (
        compare(*(evaluate_rows(pairs_of(rows, REFERENCES), ReadOptions(cluster=cluster)) for rows in (RIGHT, WRONG)))
        for cluster in (None, "document", lambda name: name[:2] > "d3")
    )
    assert free.decide(0.1, beyond_chance=True).failed
    assert free.figure.upper <= bound.figure.upper
    with pytest.raises(
        ValueError, match=r"^the gate cannot decide: at least 6 clusters are needed to show a loss.*, got 2 clusters$"
    ):
        few.decide(0.1, beyond_chance=True)


def test_calibration_is_that_of_the_values_and_resamples_clusters() -> None:
    """The confidences are not related to what is right."""
    confidences = [number * 37 % 100 / 100 for number in range(len(ROWS))]
    predictions = [
        {**row, "prediction": {"$value": row["prediction"], "$confidence": each}}
        for row, each in zip(PREDICTIONS, confidences, strict=True)
    ]
    options = ReadOptions(with_confidences=True, cluster="document")
    found = evaluate_rows(pairs_of(predictions, REFERENCES), options).automation.calibration
    right = [row[3] == row[4] for row in ROWS]
    assert found == calibration_of(confidences, right, [int(name[1:]) for name in DOCUMENTS])


def test_labels_are_clusters_too() -> None:
    assert groups_of_rows(PAIRS, np.arange(len(ROWS)), "by") == list(map(str, range(len(ROWS))))
    with pytest.raises(ValueError, match=rf"^cluster: expected a label for each of {len(ROWS)} references, got 3$"):
        grouped_rows(PAIRS, ReadOptions(cluster=DOCUMENTS[:3]))


def test_a_slice_is_an_evaluation_of_its_rows_with_its_fields() -> None:
    """The same as if only they had been given; and so is the comparison of two systems within it."""
    metrics = ["anls_star", "entity_f1"]
    base, new = (
        evaluate_rows(pairs_of(rows, REFERENCES), ReadOptions(by="vendor"), metrics=metrics)
        for rows in (PREDICTIONS, WRONG)
    )
    slices = base.slice_figures
    assert sum(each.documents for each in slices) == len(ROWS)
    assert slices == sorted(slices, key=lambda each: each.documents, reverse=True)
    for each in slices:
        rows = [number for number, row in enumerate(ROWS) if str(row[2] or "null") == each.value]
        value = str(each.value)
        part, alone = base.of_slice(value), Evaluation(PAIRS.only(rows), metrics=metrics)
        assert each.figures == alone.measured
        assert (part.ids, part.score, list(part.fields)) == (alone.ids, alone.score, list(alone.fields))
        assert part.to_dict()["slice"] == {"by": "vendor", "value": value}
        assert (part.signature, part.counts) == (base.signature, base.counts)
        found, wanted = part.compare(new.of_slice(value)), base.compare(new).slice_changes
        assert found.difference == pytest.approx(next(c.difference for c in wanted if c.name == value))
        assert found.to_dict()["slice"]["value"] == value
    with pytest.raises(ValueError, match=r"^slice: expected a value such as .*, got 'none'$"):
        base.of_slice("none")
    with pytest.raises(ValueError, match=r"^slice needs by$"):
        Evaluation(PAIRS).of_slice("x")


def test_a_slice_of_several_runs_has_the_runs() -> None:
    found = evaluate(predictions=[RIGHT, WRONG], references=REFERENCES, runs=True, by="vendor")
    part = found.of_slice("Acme")
    assert part.runs is not None
    assert (part.runs.runs, part.runs.scores, len(part.document_ids)) == (2, [1.0, 0.0], len(part) / 2)


@pytest.mark.parametrize("name", ["anls_star", "kieval", "entity_f1", "nted"])
def test_compute_takes_clusters_as_a_column_labels_or_a_function_of_the_id(name: str) -> None:
    evaluate = pytest.importorskip("evaluate")
    module = evaluate.load(evaluate_module(name))
    rows: dict[str, Any] = {"predictions": PREDICTIONS[::-1], "references": REFERENCES, "confidence": 0.95}
    plain = module.compute(**rows)
    doors = [module.compute(**rows, cluster=each) for each in ("document", DOCUMENTS, lambda i: i.split("-")[0])]
    assert doors[0] == doors[1] == doors[2]
    assert doors[0]["clusters"] == 8
    expected = Evaluation(CLUSTERED, metrics=[name]).measured
    assert all(doors[0][figure.name if name != "anls_star" else "anls_score"] == figure.value for figure in expected)
    key = "confidence_interval" if name == "anls_star" else "confidence_intervals"
    assert doors[0][key] != plain[key]
    assert "clusters" not in plain


def test_compute_refuses_clusters_that_change_nothing_or_are_not_there() -> None:
    module = pytest.importorskip("evaluate").load(evaluate_module("anls_star"))
    rows: dict[str, Any] = {"predictions": PREDICTIONS, "references": REFERENCES}
    with pytest.raises(ValueError, match=r"^cluster: expected a confidence level in addition"):
        module.compute(**rows, cluster="document")
    with pytest.raises(ValueError, match=r"^cluster: expected a column 'page' of the references, got 'document', "):
        module.compute(**rows, cluster="page", confidence=0.9)
    pages = [{**row, "page": "word " * 100, "boxes": [1]} for row in REFERENCES]
    for name in ("page", "boxes"):  # a whole text or a list is no label, and is not stored
        with pytest.raises(ValueError, match=rf"^cluster: expected a column '{name}'"):
            module.compute(predictions=PREDICTIONS, references=pages, cluster=name, confidence=0.9)
    with pytest.raises(ValueError, match=r"rows without columns$"):
        module.compute(predictions=["a", "b"], references=["a", "c"], cluster="page", confidence=0.9)


IDS = [f"d{number}" for number in range(8)]
TRUTHS = {name: {"a": "tea", "b": "rum"} for name in IDS}


def answers(*right: int) -> dict[str, Any]:
    """A run that gets these documents right, and half of the others."""
    return {name: {"a": "tea", "b": "rum" if number in right else "xxx"} for number, name in enumerate(IDS)}


RUNS = [answers(0, 1, 2), answers(0, 1, 3), answers(0, 1, 2, 3)]


def evaluated(*runs: Any, **options: Any) -> docscore.Evaluation:
    several = len(runs) > 1
    return docscore.evaluate(predictions=list(runs) if several else runs[0], references=TRUTHS, runs=several, **options)


def runs_of_table(scores: Any, documents: list[str]) -> Runs:
    """The runs of scores by run and document, which are means."""
    table = np.array(scores)
    found = runs_of(Ratios(table.reshape(-1, 1), np.ones((table.size, 1))), table.ravel().tolist(), documents)
    assert found is not None
    return found


def test_variances_by_hand() -> None:
    """Sums of squares of two runs on three documents: 1.0833 (2), 0.0150 (1) and 0.0300 (2) for what is left."""
    found = runs_of_table([[1.0, 0.5, 0.0], [1.0, 0.5, 0.3]], ["a", "b", "c"])
    rest = 0.03 / 2
    documents = (2 * ((1 - 0.55) ** 2 + (0.5 - 0.55) ** 2 + (0.15 - 0.55) ** 2) / 2 - rest) / 2
    assert (found.of_documents, found.of_runs, found.of_both) == pytest.approx((documents, 0.0, rest))
    assert found.deviation == pytest.approx(np.std([0.5, 0.6], ddof=1))
    assert found.unstable == {"c": [0.0, 0.3]}


def test_what_would_halve_the_interval() -> None:
    """Its variance is that of documents over n, and of both over n and r; where documents decide, runs do not help."""
    noisy = runs_of_table(np.random.default_rng(1).random((2, 500)), [str(number) for number in range(500)])
    documents, runs = noisy.wanted
    assert documents == 2000
    assert runs is not None
    errors = [noisy.of_documents / 500 + noisy.of_both / (500 * r) for r in (2, runs - 1, runs)]
    assert errors[2] <= errors[0] / 4 < errors[1]
    assert runs_of_table([[1.0, 0.5, 0.0], [1.0, 0.5, 0.3]], ["a", "b", "c"]).wanted == (12, None)


def test_a_document_counts_its_mean_over_the_runs() -> None:
    """Score, interval and figures are those of the means, whatever metric comes first."""
    for metrics in (["anls_star"], ["kieval", "anls_star"]):
        together = evaluated(*RUNS, metrics=metrics)
        assert together.score == pytest.approx(np.mean([evaluated(one, metrics=metrics).score for one in RUNS]))
    scores = np.mean([evaluated(one).scores for one in RUNS], axis=0)
    assert evaluated(*RUNS).interval == pytest.approx(mean_interval(scores).ends, abs=1e-12)


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
    """Two equal runs are one, in tests and ranks; of one document they are no reason for a warning."""
    docscore.evaluate(predictions=[{"a": "tea"}] * 2, references={"a": "tea"}, runs=True)
    one, other = evaluated(RUNS[0]), evaluated(answers())
    with pytest.warns(UserWarning, match="run 1 and run 2 have the same predictions"):
        twice = evaluated(RUNS[0], RUNS[0])
    single, several = (systems_of({"a": a, "b": other}, against="a", ranked=True) for a in (one, twice))
    assert several.tests["b", "anls_star"] == single.tests["b", "anls_star"]
    assert several.ranks == single.ranks
    with pytest.raises(ValueError, match="the same number of runs in both systems, got 2 and 1"):
        twice.compare(other)
    change = evaluated(*RUNS).compare(evaluated(*RUNS[::-1]))
    assert change.difference == pytest.approx(0)
    assert "of 24 predictions, worse on" in str(change)
    assert repr(evaluated(*RUNS)).endswith(" 8 documents>")


def test_clusters_and_slices_are_those_of_the_documents() -> None:
    """A function takes the id of the document; two documents of one cluster stay together with all their runs."""
    found = evaluated(*RUNS, cluster=lambda name: str(int(name[1:]) // 2), by=lambda name: name)
    clusters = found.clusters
    assert clusters is not None
    assert clusters.tolist() == [0, 0, 1, 1, 2, 2, 3, 3] * 3
    assert [(part.value, part.documents) for part in found.slice_figures][:2] == [("d0", 1), ("d1", 1)]


@golden("systems", "no runs")
def test_what_is_no_list_of_runs(predictions: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        docscore.evaluate(predictions=predictions, references=TRUTHS, runs=True)


def test_runs_on_other_documents_are_refused() -> None:
    """As logs may be whose samples were not all run in each epoch."""
    runs = [TestSet(list(ids), [1, 2], [1, 2]) for ids in ("ab", "ac")]
    message = r"^one and two: expected the same documents in all runs, got 2 that only one of them has, such as 'b'$"
    with pytest.raises(ValueError, match=message):
        joined_runs(runs, ["one", "two"])


def log_of(*epochs: str) -> RawTable:
    """The table of a log; each epoch has documents and predictions, such as "ax by"."""
    runs = {f"epoch {number}": table_of(f"{len(epochs)}.eval", epoch.split()) for number, epoch in enumerate(epochs, 1)}
    first, *others = runs.values()
    return first._replace(runs=runs) if others else first


def table_of(path: str, cells: list[str]) -> RawTable:
    rows = [{"question_id": cell[0], "references": ["x"], "prediction": cell[1]} for cell in cells]
    return RawTable(Path(path), rows, lambda index: in_file(path, f"sample {cells[index]}"))


def test_epochs_of_a_log_are_runs() -> None:
    """Also beside a log of another number of epochs; a document that lacks one is an error or left out in all."""
    whole, single = log_of("ax by cx", "ay by cx"), log_of("ax bx cx")
    first, second = paired_systems(None, [whole, single], DEFAULT_READING)
    assert (first.document_ids, first.runs, first.predictions) == (["a", "b", "c"], 2, list("xyxyyx"))
    assert first.ids == [f"{name}, epoch {epoch}" for epoch in (1, 2) for name in "abc"]
    assert (second.document_ids, second.predictions) == (None, list("xxx"))
    lacking = log_of("ax by cx", "ay by")
    with pytest.raises(ValueError, match=r"2.eval: ids of references that no prediction has \(1\): 'c'"):
        paired_systems(None, [lacking], DEFAULT_READING)
    first, second = paired_systems(None, [lacking, single], ReadOptions(missing="skip"))
    assert (first.document_ids, first.predictions, first.skipped) == (["a", "b"], list("xyyy"), 1)
    assert (second.ids, second.skipped) == (["a", "b"], 1)


def test_columns_of_other_names_are_renamed_in_each_run() -> None:
    """Here the column of the predictions holds the ids too."""
    log = with_names(log_of("ax by", "ax by"), "predictions", ReadOptions(id_column="prediction"), both=True)
    (pairs,) = paired_systems(None, [log], DEFAULT_READING)
    assert (pairs.document_ids, pairs.ids[2:]) == (["x", "y"], ["x, epoch 2", "y, epoch 2"])


def test_an_incomplete_source_is_an_error_unless_an_option_says_how_missing_predictions_count() -> None:
    """A ground truth that it lacks comes from another source, and is its stand-in if none has it."""
    whole, part = log_of("ax bx"), log_of("ax bx")._replace(incomplete="cut off", stand_in=("?",))
    part = part._replace(rows=[part.rows[0], {"question_id": "b", "references": Absent, "prediction": Absent}])
    with pytest.raises(ValueError, match=r"^1\.eval: cut off; missing=.zero."):
        paired_systems(None, [whole, part], DEFAULT_READING)
    (alone,) = paired_systems(None, [part], ReadOptions(missing="zero"))
    assert (alone.truths, list(alone.absent)) == ([("x",), ("?",)], [1])
    assert paired_systems(None, [part, whole], ReadOptions(missing="zero"))[0].truths == [("x",), ("x",)]
