"""The trade-off of automation and accuracy, against a review that is really done; calibration; the command."""

from __future__ import annotations

import copy
import json
import math
import random
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import docscore
from docscore.evaluation.automation import (
    GRID,
    Curve,
    automation_curve,
    calibration_table,
    review_of_entities,
    review_of_tree,
)
from docscore.metrics.entities import Step
from docscore.metrics.kieval import KieScore, kieval_score, total_kieval
from docscore.stats.calibration import RocArea, calibration_of
from docscore.stats.intervals import Array, Interval, Ratios, intervals_of
from tests.commands import RECEIPTS, Write, pred, ref, run
from tests.conftest import golden
from tests.test_intervals import mean_interval


class Sample(NamedTuple):
    """A ground truth, a prediction, and its confidences in the same shape."""

    truth: Any
    prediction: Any
    sure: Any

    def score(self) -> KieScore:
        return kieval_score(self.truth, self.prediction, confidences=self.sure)


def random_value(rng: random.Random) -> Any:
    return rng.choices("xyz", k=rng.randint(0, 3)) if rng.random() < 0.3 else rng.choice("xyz")


def random_document(rng: random.Random) -> dict[str, Any]:

    def group() -> dict[str, Any]:
        return {key: random_value(rng) for key in rng.sample("abc", rng.randint(1, 3))}

    return {**group(), "t": group(), "m": [group() for _ in range(rng.randint(0, 4))]}


def random_confidences(rng: random.Random, value: Any) -> Any:
    """Some of them exactly thresholds, 0 and 1 among them."""
    if isinstance(value, dict):
        return {key: random_confidences(rng, item) for key, item in value.items()}
    if isinstance(value, list):
        return [random_confidences(rng, item) for item in value]
    return rng.choice([0, 1, 0.5, round(rng.random(), 2), rng.random()])


def random_corpus(seed: int, size: int = 8) -> list[Sample]:
    rng, samples = random.Random(seed), []
    for _ in range(size):
        truth, prediction = random_document(rng), random_document(rng)
        samples.append(Sample(truth, prediction, random_confidences(rng, prediction)))
    return samples


def curve_of(samples: list[Sample], thresholds: Any = GRID) -> Curve:
    reviews = [review_of_entities(sample.score()) for sample in samples]
    return automation_curve(reviews, thresholds)


def put(document: Any, place: str, value: Any) -> None:
    """Set the value at a place such as `$.m[0].a`."""
    steps = [key or int(index) for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", place)]
    for step in steps[:-1]:
        document = document[step]
    document[steps[-1]] = value


def is_reviewed(step: Step, threshold: float) -> bool:
    if step.prediction is None:
        return False
    assert step.prediction.confidence is not None
    return step.prediction.confidence < threshold


def after_review(sample: Sample, threshold: float) -> KieScore:
    """The score of the prediction in which every value below the threshold is as it should be, or gone."""
    reviewed = copy.deepcopy(sample.prediction)
    for step in sample.score().corrections():
        if is_reviewed(step, threshold):
            put(reviewed, step.place, None if step.truth is None else step.truth.value)
    return kieval_score(sample.truth, reviewed)


@pytest.mark.parametrize("seed", range(10))
def test_the_curve_is_that_of_a_review_that_is_done(seed: int) -> None:
    """Equations 13 and 14: the corrected documents are scored again, threshold by threshold."""
    samples = random_corpus(seed, 4)
    steps = [step for sample in samples for step in sample.score().steps if step.prediction is not None]
    for point in curve_of(samples, [0, 0.1, 0.5, 0.50001, 0.75, 1]).points():
        reviewed = sum(is_reviewed(step, point.threshold) for step in steps)
        assert point.automation_rate == pytest.approx(1 - reviewed / len(steps), abs=1e-15)
        accepted = [step.edit == "right" for step in steps if not is_reviewed(step, point.threshold)]
        assert point.accepted_accuracy == (pytest.approx(sum(accepted) / len(accepted)) if accepted else None)
        given = [[step for step in sample.score().steps if step.prediction] for sample in samples]
        untouched = [not any(is_reviewed(step, point.threshold) for step in each) for each in given]
        assert point.accepted_documents == sum(untouched)
        score = total_kieval(after_review(sample, point.threshold) for sample in samples).entities
        assert point.accuracy == pytest.approx(1 - score.corrections / (score.right + score.corrections), abs=1e-15)


def test_of_several_values_the_most_sure_are_kept_or_changed_and_the_others_deleted() -> None:
    """In whatever order they come: which one is to be deleted decides what a review finds."""
    curves = []
    for order in ([0.9, 0.1], [0.1, 0.9]):
        wrong, equal = (Sample({"a": ["x"]}, {"a": list(values)}, {"a": order}) for values in ("yz", "xx"))
        edits = {step.edit: step.prediction and step.prediction.confidence for step in wrong.score().corrections()}
        assert edits == {"change": 0.9, "delete": 0.1}
        curves.append(curve_of([equal]).points())
    assert curves[0] == curves[1]


def test_nothing_predicted() -> None:
    """Nothing to review or accept, and what is missing stays missing; where nothing is expected, all is right."""
    missing, nothing = Sample({"a": "x"}, {}, {}), Sample({}, {}, {})
    assert {point[1:] for point in curve_of([missing])} == {(1.0, None, 0, 0.0)}
    assert {point[1:] for point in curve_of([nothing])} == {(1.0, None, 0, 1.0)}
    refusal = review_of_tree(docscore.score_tree({"a": "x"}, "I cannot read it"), 0.9)  # no value to review
    assert {point[1:] for point in automation_curve([refusal], is_mean=True)} == {(1.0, None, 0, 0.0)}


@golden("calibration", "reviews")
def test_what_a_review_of_a_tree_changes(truth: Any, prediction: Any, sure: Any, values: Any) -> None:
    """A wrong value earns its points, an invented one has none; nothing is asked of what is empty or missing."""
    review = review_of_tree(docscore.score_tree(truth, prediction), sure)
    assert review.values == [pytest.approx(tuple(each)) for each in values]


def test_a_value_that_counts_nothing_is_not_reviewed() -> None:
    """It was interpreted as a right one."""
    schema = {"properties": {"b": {"x-docscore": {"weight": 0}}}}
    tree = docscore.typed_tree({"a": "x", "b": "y"}, {"a": "x", "b": "z"}, schema)
    assert review_of_tree(tree, {"a": 0.9, "b": 0.2}).values == [(0.9, True, 0.0, 0.0)]


@pytest.mark.parametrize("metric", ["kieval", "anls_star"])
def test_a_value_without_a_confidence_is_always_reviewed(metric: str, write: Write) -> None:
    """Of four values one has none and is wrong: at threshold 0 it alone is reviewed, and all that is known is right."""
    truths = [ref("a", {"x": "tea", "y": "cake"}), ref("b", {"x": "pie", "y": "jam"})]
    sure = [{"x": 0.9, "y": None}, {"x": 0.8, "y": 0.7}]
    guesses = [{"x": "tea", "y": "rum"}, {"x": "pie", "y": "jam"}]
    rows = [{**pred(name, guess), "confidence": each} for name, guess, each in zip("ab", guesses, sure, strict=True)]
    files = write("r.jsonl", truths), write("p.jsonl", rows)
    result = docscore.evaluate(references=files[0], predictions=files[1], metrics=metric, with_confidences=True)
    curve = result.automation.curve
    assert next(iter(curve)) == (0.0, 0.75, 1.0, 1, 1.0)
    assert (curve.known, result.automation.calibration.values) == (0.75, 3)
    done = run("automation", *files, "--metrics", metric)
    assert "\n75.0% of the predicted values have a confidence; the others are always reviewed.\n" in done.out
    printed = json.loads(run("automation", *files, "--metrics", metric, "--json").out)
    assert (printed["confidence_share"], printed["curve"][0]["automation_rate"]) == (0.75, 0.75)


def test_no_value_with_a_confidence_is_an_error() -> None:
    sides: dict[str, Any] = {"predictions": {"r1": {"a": [{"b": "y"}]}}, "references": {"r1": {"a": [{"b": "x"}]}}}
    with (
        pytest.warns(UserWarning, match=r"^predictions: expected confidences with the values, .*, got none"),
        pytest.raises(ValueError, match=r"^predictions: expected values with a confidence, got none$"),
    ):
        _ = docscore.evaluate(**sides, with_confidences=True).automation.curve


@pytest.mark.parametrize("seed", range(10))
def test_the_lowest_threshold_is_that_of_a_scan(seed: int) -> None:
    curve = curve_of(random_corpus(seed))
    points = curve.points()
    for target in (0.0, 0.3, 0.5, points[40].accuracy, points[-1].accuracy, 1.0):
        reached = [point for point in points if point.accuracy >= target]
        choice = curve.lowest(target, n_resamples=50)
        assert choice.target == target
        assert choice.point == (reached[0] if reached else None)


def test_what_no_threshold_reaches() -> None:
    """A value that is missing is found by no review; neither is there an interval, and JSON has no infinity."""
    choice = curve_of([Sample({"a": "x", "b": "y"}, {"a": "x"}, {"a": 1})] * 3).lowest(0.9)
    assert (choice.point, choice.threshold.ends, choice.automation_rate.ends) == (None, None, None)
    assert "missing values" in choice.threshold.note
    rates = "automation_rate_interval", "accepted_accuracy_interval"
    assert choice.to_dict() == {"target": 0.9, "lowest": None, "threshold_interval": None, **dict.fromkeys(rates)}


def test_the_accuracy_of_accepted_values_has_the_interval_of_their_share() -> None:
    """Of 12 documents with a sure and an unsure value each, the sure one is right in eight."""
    found = [
        Sample({"a": "x", "b": "y"}, {"a": "x" if n < 8 else "z", "b": "q"}, {"a": 0.9, "b": 0.2}) for n in range(12)
    ]
    choice = curve_of(found).lowest(0.8)
    assert choice.point is not None
    assert choice.point[1:4] == (0.5, 8 / 12, 0)
    [expected] = intervals_of(Ratios(np.array([[1.0]] * 8 + [[0.0]] * 4), np.ones((12, 1))), 0.95)
    assert choice.accepted_accuracy == expected
    everything = curve_of(found).lowest(1.0)
    assert everything.point is not None
    assert (everything.point.threshold, everything.accepted_accuracy.ends) == (0.91, None)


@pytest.mark.parametrize("metrics", [[], ["--metrics", "kieval"]], ids=str)
def test_report_and_command_state_one_figure(metrics: list[str], tmp_path: Path) -> None:
    """The curve of the primary metric begins at its figure, and ends at the same one everywhere."""
    files = RECEIPTS / "references.jsonl", RECEIPTS / "predictions_confident.jsonl"
    options: list[str | Path] = [*files, *metrics]
    printed = json.loads(run("automation", *options, "--target", "0.9", "--target", "0.93", "--json").out)
    score = json.loads(run("score", *options, "--with-confidences", "--json").out)
    assert (printed["metric"], printed["targets"][1]["target"]) == (score["metric"], 0.93)
    figure = score["metrics"]["kieval_aligned"] if metrics else score["score"]
    assert printed["curve"][0]["accuracy"] == pytest.approx(figure, abs=1e-12)
    last = f"{printed['curve'][-1]['accuracy']:.4f}"
    assert last in run("automation", *options).out
    assert run("report", *options, "--with-confidences", "-o", tmp_path / "report.html").code == 0
    page = (tmp_path / "report.html").read_text("utf-8")
    assert last in page
    assert f"Trade-off of automation and accuracy ({printed['figure']})" in page


def test_one_document_has_no_interval() -> None:
    choice = curve_of([Sample({"a": "x"}, {"a": "y"}, {"a": 0.5})]).lowest(0.9)
    assert choice.point is not None
    assert choice.point.threshold == 0.51
    assert choice.threshold == Interval(note="it needs at least five documents")
    assert choice.automation_rate == Interval(note="it needs at least two documents")


def test_resamples_that_do_not_reach_the_target_count_as_infinity() -> None:
    """Six documents, of which three have a missing value: resamples of these alone do not reach 0.6."""
    samples = [Sample({"a": "x"}, {"a": "y"}, {"a": 0.3}), Sample({"a": "x", "b": "y"}, {"a": "z"}, {"a": 0.6})] * 3
    curve = curve_of(samples)
    choice = curve.lowest(0.6, n_resamples=1000)
    assert choice.point is not None
    assert choice.point.threshold == 0.61
    assert choice.threshold.ends == (0.31, math.inf)
    assert choice.to_dict()["threshold_interval"] == (0.31, None)


def wrapped(value: Any, sure: Any) -> Any:
    if isinstance(value, dict):
        return {key: wrapped(item, sure[key]) for key, item in value.items()}
    if isinstance(value, list):
        return [wrapped(item, each) for item, each in zip(value, sure, strict=True)]
    return {"$value": value, "$confidence": sure}


@pytest.mark.filterwarnings("ignore:.* cannot be read as :UserWarning")
@pytest.mark.parametrize("seed", range(5))
def test_the_curve_of_a_score_with_trees_is_that_of_a_review_that_is_done(seed: int) -> None:
    """Values below the threshold are as they should be, or gone, and the documents are scored again."""
    rng = random.Random(seed)
    samples = []
    for _ in range(6):
        truth = {key: rng.choice(["tea", "coffee", "12.50", 7]) for key in rng.sample("abcdef", 4)}
        guess = {key: rng.choice(["tee", "tea", "12.5", 7.0]) for key in rng.sample("abcdef", 4)}
        samples.append(Sample(truth, guess, random_confidences(rng, guess)))
    schema = {"properties": {"a": {"type": "number", "x-docscore": {"weight": 3}}}}
    either: list[dict[str, Any]] = [{}, {"schema": schema}]
    truths = {str(number): each.truth for number, each in enumerate(samples)}
    guesses = {str(number): wrapped(each.prediction, each.sure) for number, each in enumerate(samples)}
    for options in either:
        result = docscore.evaluate(predictions=guesses, references=truths, with_confidences=True, **options)
        for point in result.automation.curve.points()[::10]:
            done = {}
            for number, (truth, guess, sure) in enumerate(samples):
                reviewed = {key: truth.get(key) for key in guess if sure[key] < point.threshold}
                done[str(number)] = {**guess, **reviewed}
            again = docscore.evaluate(predictions=done, references=truths, **options)
            assert point.accuracy == pytest.approx(again.score, abs=1e-12)
            values = [each.sure[key] < point.threshold for each in samples for key in each.prediction]
            assert point.automation_rate == pytest.approx(1 - sum(values) / len(values), abs=1e-12)
        leaves = [leaf for name in result for leaf in result[name].tree.leaves() if leaf.status != "missing"]
        right = sum(leaf.score == 1 for leaf in leaves)
        assert (result.automation.calibration.values, result.automation.calibration.right) == (len(values), right)


FEW = 200  # resamples, where the ends do not matter


def some_values(count: int, seed: int = 1, digits: int = 1) -> tuple[Array, Array, npt.NDArray[np.intp]]:
    """Confidences with ties, right or wrong accordingly, and documents of 1 to 5 values."""
    rng = np.random.default_rng(seed)
    documents = np.repeat(np.arange(count), rng.integers(1, 6, count))
    sure = np.round(rng.beta(4, 2, len(documents)), digits)
    return sure, (rng.random(len(documents)) < sure).astype(np.float64), documents


def rank_area(sure: Array, right: Array) -> float:
    """The area under the ROC curve by the statistic of the rank test."""
    return float(stats.mannwhitneyu(sure[right > 0], sure[right == 0]).statistic / (right.sum() * (1 - right).sum()))


@golden("calibration", "by hand")
def test_figures_by_hand(sure: list[float], right: list[int], area: float, error: float, brier: float) -> None:
    calibration = calibration_of(sure, right, range(len(sure)), n_resamples=FEW)
    shown = calibration.auroc, calibration.ece, calibration.brier
    assert [figure.value for figure in shown] == pytest.approx([area, error, brier], abs=1e-15)
    assert calibration_table(calibration).footnotes == calibration.warnings
    assert ["probabilities of errors" in warning for warning in calibration.warnings] == [True] * (area < 0.5)


def test_the_interval_of_a_large_error_ends_at_one() -> None:
    interval = calibration_of([1.0, 1.0, 1.0, 0.6, 0.9], [0] * 5, range(5), n_resamples=FEW).ece.interval
    assert interval.low == pytest.approx(0.82, abs=0.05)
    assert interval.high == 1.0


def test_bins_of_equal_width_hold_their_upper_end() -> None:
    """And the first its lower end too; bins without values are left out."""
    calibration = calibration_of([0.0, 1 / 15, 0.1, 2 / 15, 1.0], [0, 0, 1, 1, 1], range(5), n_resamples=FEW)
    assert [(point.low, point.high, point.values, point.accuracy) for point in calibration.points] == [
        (0.0, 1 / 15, 2, 0.0),
        (1 / 15, 2 / 15, 2, 1.0),
        (14 / 15, 1.0, 1, 1.0),
    ]
    assert [point.confidence for point in calibration.points] == pytest.approx([1 / 30, 7 / 60, 1.0])


@pytest.mark.parametrize("digits", [1, 9])
def test_auroc_is_that_of_the_rank_test_and_of_a_resample_that_of_repeated_documents(digits: int) -> None:
    sure, right, documents = some_values(12, 3, digits)
    area = RocArea(sure, right > 0, documents, 12)
    counts = np.random.default_rng(2).multinomial(12, np.full(12, 1 / 12), 30).astype(np.float64)
    for actual, times in zip(area.of(counts), counts.astype(int), strict=True):
        taken = np.repeat(np.arange(len(sure)), times[documents])
        assert actual == pytest.approx(rank_area(sure[taken], right[taken]), abs=1e-14)
    whole = calibration_of(sure, right, documents, n_resamples=FEW).auroc.value
    assert whole == pytest.approx(rank_area(sure, right), abs=1e-14)


@pytest.mark.parametrize("digits", [1, 9])
def test_the_influence_of_a_document_on_auroc_is_the_derivative_by_its_weight(digits: int) -> None:
    sure, right, documents = some_values(12, 4, digits)
    area = RocArea(sure, right > 0, documents, 12)
    step = 1e-6
    moved = (area.of(np.ones(12) + step * np.eye(12)) - area.of(np.ones(12) - step * np.eye(12))) / (2 * step)
    assert area.influence() == pytest.approx(moved, abs=1e-8)
    assert area.influence().sum() == pytest.approx(0.0, abs=1e-12)


def test_a_resample_with_one_kind_of_values_has_the_area_of_the_whole() -> None:
    area = RocArea(np.array([0.9, 0.1]), np.array([True, False]), np.array([0, 1]), 2)
    assert area.of(np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])).tolist() == [1.0, 1.0, 1.0]


def test_the_interval_of_the_brier_score_is_that_of_a_mean_where_documents_have_one_value() -> None:
    sure, right, _ = some_values(60)
    calibration = calibration_of(sure, right, range(len(sure)))
    assert calibration.brier.interval.ends == pytest.approx(mean_interval((sure - right) ** 2).ends, abs=1e-12)


def test_the_interval_of_an_error_that_chance_explains_starts_at_0() -> None:
    """And that of confidences that are far too high does not."""
    rng = np.random.default_rng(5)
    sure = rng.beta(4, 1, 400)
    chance = rng.random(400)
    fair, boastful = (calibration_of(sure, chance < each, range(400), n_resamples=2_000) for each in (sure, sure - 0.3))
    assert fair.ece.interval.low == 0.0
    assert fair.ece.interval.high is not None
    assert 0.0 < fair.ece.interval.high < 0.1
    assert boastful.ece.interval.low is not None
    assert boastful.ece.interval.low > 0.2


def test_a_seed_gives_the_same_twice_and_progress_is_told() -> None:
    told: list[int] = []
    values = some_values(30)
    one, other = (calibration_of(*values, seed=3, n_resamples=3000, resampled=told.append) for _ in range(2))
    assert one == other
    assert sum(told) == 6000


@golden("calibration", "nothing to say")
def test_where_there_is_nothing_to_say_a_note_says_why(
    sure: list[float], right: list[int], documents: list[int], figures: list[float | None], notes: list[str]
) -> None:
    """The figures are there without their intervals, unless there is nothing to count."""
    calibration = calibration_of(sure, right, documents, n_resamples=FEW)
    shown = calibration.auroc, calibration.ece, calibration.brier
    assert [figure.value for figure in shown] == pytest.approx(figures)
    assert [figure.interval.note if figure.interval.ends is None else "" for figure in shown] == notes
    assert [figure.interval.ends is None for figure in shown] == list(map(bool, notes))
    assert (calibration.values, calibration.documents) == (len(sure), len(set(documents)))
    if calibration.documents < 2:
        assert not any(point.interval.ends for point in calibration.points)
