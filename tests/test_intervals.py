"""Intervals against scipy called plainly, against the textbook's formulas, and where there is none."""

from __future__ import annotations

import re
import subprocess
import sys
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy import stats

from docscore.stats.intervals import (
    MOST_RESAMPLED,
    RESAMPLES,
    SEED,
    Alternative,
    Interval,
    check_confidence,
    intervals_of,
    mean_interval,
    ratio_intervals,
    wilson_interval,
)
from docscore.stats.ratios import Array, Differences, Ratios
from tests.conftest import ROOT

NORMAL = NormalDist()


def skewed(count: int, seed: int = 1) -> Array:
    """Scores as of documents: some exact, most good, a few bad."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(count) < 0.3, 1.0, rng.beta(6, 1.5, count))


def some_ratios(count: int, seed: int = 2) -> tuple[Array, Array]:
    """Numerators and denominators of three ratios, of which documents have 1 to 6 values, or some none."""
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 7, (count, 3)) * (rng.random((count, 3)) < [1.0, 0.8, 0.4])
    return weight * rng.beta(4, 1, (count, 3)), weight.astype(np.float64)


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.ends is not None, interval.note
    return interval.ends


def width(interval: Interval) -> float:
    low, high = ends(interval)
    return high - low


def bca_of_a_ratio(earned: Array, weight: Array, level: float, draws: int) -> tuple[float, float]:
    """Efron and Tibshirani 1993, equations 14.10, 14.14 and 14.15, step by step."""
    n, whole = len(earned), earned.sum() / weight.sum()
    drawn = np.random.default_rng(SEED).integers(0, n, (draws, n))
    resampled = earned[drawn].sum(axis=1) / weight[drawn].sum(axis=1)
    below = (np.sum(resampled < whole) + np.sum(resampled <= whole)) / (2 * draws)
    bias = NORMAL.inv_cdf(float(below))
    left_out = np.array([np.delete(earned, i).sum() / np.delete(weight, i).sum() for i in range(n)])
    pulls = left_out.mean() - left_out
    acceleration = (pulls**3).sum() / (6 * (pulls**2).sum() ** 1.5)

    def end(share: float) -> float:
        z = bias + NORMAL.inv_cdf(share)
        return float(np.quantile(resampled, NORMAL.cdf(bias + z / (1 - acceleration * z))))

    return end((1 - level) / 2), end((1 + level) / 2)


@pytest.mark.parametrize("count", [3, 30, 60, 700])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_interval_of_a_mean_is_that_of_scipy(count: int, confidence: float) -> None:
    """The same draws in the same order, so the same ends to the last bits; values of 1/16 have exact sums, and ties."""
    values = np.round(16 * skewed(count)) / 16
    plain = stats.bootstrap(
        (values,),
        np.mean,
        confidence_level=confidence,
        n_resamples=RESAMPLES,
        method="BCa",
        random_state=np.random.default_rng(SEED),
    )
    found = mean_interval(values, confidence=confidence)
    assert ends(found) == pytest.approx(tuple(plain.confidence_interval), abs=1e-13)
    assert found.standard_error == pytest.approx(plain.standard_error, abs=1e-13)
    assert found.method == "BCa bootstrap, 10,000 resamples of documents"


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_intervals_of_differences_of_ratios_are_those_of_scipy(confidence: float, alternative: Alternative) -> None:
    """A statistic of the numbers of the documents; means by scipy, leave-one-out by scipy's n x n table."""
    count = 50
    sides = [Ratios(*some_ratios(count, seed)) for seed in (2, 9)]

    def statistic(numbers: Array, axis: int = -1) -> Array:
        drawn = [(side.earned[numbers].sum(axis=axis - 1), side.weight[numbers].sum(axis=axis - 1)) for side in sides]
        values: Array = drawn[0][0] / drawn[0][1] - drawn[1][0] / drawn[1][1]
        return np.moveaxis(values, -1, 0)

    found = intervals_of(Differences(*sides), confidence, alternative, n_resamples=2000)
    for column, interval in enumerate(found):
        plain = stats.bootstrap(
            (np.arange(count),),
            lambda numbers, axis, column=column: statistic(numbers, axis)[column],
            confidence_level=confidence,
            alternative=alternative,
            n_resamples=2000,
            method="BCa",
            random_state=np.random.default_rng(SEED),
        )
        assert ends(interval) == pytest.approx(tuple(plain.confidence_interval), abs=1e-13)
        assert interval.standard_error == pytest.approx(plain.standard_error, abs=1e-13)


@pytest.mark.parametrize("count", [15, 40])
def test_the_interval_of_a_ratio_is_that_of_the_textbook(count: int) -> None:
    earned, weight = some_ratios(count)
    found = ratio_intervals(earned, weight, n_resamples=3000, confidence=0.9)
    wanted = bca_of_a_ratio(earned[:, 0], weight[:, 0], 0.9, 3000)
    assert ends(found[0]) == pytest.approx(wanted, abs=1e-9)


def test_ratios_together_have_the_intervals_they_have_alone() -> None:
    earned, weight = some_ratios(50)
    for column, interval in enumerate(ratio_intervals(earned, weight)):
        [alone] = ratio_intervals(earned[:, [column]], weight[:, [column]])
        assert ends(interval) == pytest.approx(ends(alone), abs=1e-9)


@pytest.mark.parametrize(("count", "hits"), [(20, 6), (20, 7), (60, 14)])
def test_a_tie_is_a_tie_however_its_sum_was_rounded(count: int, hits: int) -> None:
    """A point lost by some documents, or a tenth or a seventh of one: the same interval in another unit."""
    lost = np.zeros(count)
    lost[:hits] = 1.0
    low, high = ends(mean_interval(1 - lost))
    for unit in (1 / 10, 1 / 7, 0.3):
        found = ends(mean_interval(1 - lost * unit))
        assert found == pytest.approx((1 - (1 - low) * unit, 1 - (1 - high) * unit), abs=1e-9)


def test_the_interval_of_a_difference_is_that_of_the_paired_differences() -> None:
    base, new = skewed(40, seed=3), skewed(40, seed=4)
    sides = [Ratios(each[:, np.newaxis], np.ones((40, 1))) for each in (new, base)]
    [found] = intervals_of(Differences(*sides))
    assert ends(found) == pytest.approx(ends(mean_interval(new - base)), abs=1e-9)


# (8/10, 95%): z = 1.959964, z² = 3.841459
# centre = (0.8 + z²/20) / (1 + z²/10) = 0.992073 / 1.384146 = 0.716740
# half = z √(0.8 · 0.2 / 10 + z²/400) / (1 + z²/10) = 1.959964 · 0.160012 / 1.384146 = 0.226578
# (0/20, 95%): high = z² / (20 + z²) = 3.841459 / 23.841459 = 0.161125
# (1/2, 80%): z = 1.281552, z² = 1.642374; half = z √(1/8 + z²/16) / (1 + z²/2) = 0.335748
@pytest.mark.parametrize(
    ("count", "of", "confidence", "low", "high"),
    [
        (8, 10, 0.95, 0.490162, 0.943318),
        (0, 20, 0.95, 0.0, 0.161125),
        (20, 20, 0.95, 0.838875, 1.0),
        (1, 2, 0.8, 0.164252, 0.835748),
    ],
)
def test_wilson_by_hand(count: int, of: int, confidence: float, low: float, high: float) -> None:
    found = wilson_interval(count, of, confidence=confidence)
    assert ends(found) == pytest.approx((low, high), abs=2e-6)
    assert found.standard_error == pytest.approx((count / of * (1 - count / of) / of) ** 0.5)


def test_wilson_of_no_documents() -> None:
    assert wilson_interval(0, 0) == (None, None, None, "none", "no documents", "no rows")


@pytest.mark.parametrize("count", [50, MOST_RESAMPLED + 1])
def test_a_bound_on_one_side_is_an_end_of_the_interval_with_twice_the_risk(count: int) -> None:
    values = skewed(count)
    low, high = ends(mean_interval(values, confidence=0.9))
    assert ends(mean_interval(values, confidence=0.95, alternative="less")) == pytest.approx((-np.inf, high))
    assert ends(mean_interval(values, confidence=0.95, alternative="greater")) == pytest.approx((low, np.inf))


def test_a_seed_gives_the_same_interval_twice_and_another_one_a_close_one() -> None:
    """Ends of 10,000 resamples differ by about 1% of the width from seed to seed."""
    values = skewed(80)
    one = mean_interval(values, seed=5)
    assert one == mean_interval(values, seed=5)
    other = mean_interval(values, seed=6)
    assert ends(one) != ends(other)
    assert ends(one) == pytest.approx(ends(other), abs=0.05 * width(one))


def test_the_order_of_the_documents_changes_no_more_than_a_seed_does() -> None:
    earned, weight = some_ratios(80)
    order = np.random.default_rng(7).permutation(80)
    for one, other in zip(ratio_intervals(earned, weight), ratio_intervals(earned[order], weight[order]), strict=True):
        assert ends(one) == pytest.approx(ends(other), abs=0.05 * width(one))


def test_beyond_10_000_documents_the_closed_form_takes_over_unnoticed() -> None:
    """One document more, and the ends move by a few hundredths of the width: of a mean, and of ratios."""
    earned, weight = some_ratios(MOST_RESAMPLED + 1)
    earned[:, 0], weight[:, 0] = skewed(MOST_RESAMPLED + 1), 1.0
    resampled = ratio_intervals(earned[1:], weight[1:], n_resamples=4000)
    closed = ratio_intervals(earned, weight)
    for one, other in zip(resampled, closed, strict=True):
        assert (one.method.split()[0], other.method) == ("BCa", "ABC (approximate bootstrap) over 10,001 documents")
        assert ends(one) == pytest.approx(ends(other), abs=0.05 * width(other))
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.05)


@pytest.mark.parametrize(
    ("values", "note", "reason"),
    [
        ([0.7], "one document: an interval needs two", "one row"),
        ([0.0, 0.0], "all 2 documents have the same value, 0", "same values"),
        ([1 / 3] * 5000, "all 5,000 documents have the same value, 0.3333", "same values"),
        ([0.1] * (MOST_RESAMPLED + 1), "all 10,001 documents have the same value, 0.1", "same values"),
    ],
)
def test_where_a_mean_has_no_interval_a_note_and_a_code_say_why(values: list[float], note: str, reason: str) -> None:
    assert mean_interval(values) == (None, None, None, "none", note, reason)


def test_ratios_without_an_interval_stand_beside_those_with_one() -> None:
    """Nobody has the first; one document has the second; the third is 1/2 whatever the weight; the fourth differs."""
    weight = np.array([[0, 0, 2, 1], [0, 3, 4, 2], [0, 0, 6, 1]], dtype=np.float64)
    earned = weight * [[0, 0, 0.5, 1], [0, 0.2, 0.5, 0], [0, 0, 0.5, 0.5]]
    found = ratio_intervals(earned, weight)
    notes = ["no document has it", "one document: an interval needs two", "all 3 documents have the same value, 0.5"]
    assert [each.note for each in found] == [*notes, ""]
    assert [each.reason for each in found] == ["no rows", "one row", "same values", None]
    assert [each.ends for each in found[:3]] == [None] * 3
    assert 0 <= ends(found[3])[0] < 0.375 < ends(found[3])[1] <= 1  # of 1 + 0 + 1/2 in 1 + 2 + 1


def test_no_ratios_at_all() -> None:
    assert ratio_intervals(np.zeros((3, 0)), np.zeros((3, 0))) == []


@pytest.mark.parametrize(
    ("low", "high", "note"),
    [
        (0.0, 0.0, "one document: an interval needs two"),
        (0.5, 0.5, "one document: an interval needs two"),
    ],
)
def test_differences_of_one_document(low: float, high: float, note: str) -> None:
    one = Ratios(np.array([[1 - high]]), np.ones((1, 1)))
    other = Ratios(np.array([[1.0 if low else 1 - high]]), np.ones((1, 1)))
    [found] = intervals_of(Differences(one, other))
    assert (found.ends, found.note, found.reason) == (None, note, "one row")


def test_differences_of_documents_that_changed_alike() -> None:
    base = np.array([[0.1], [0.5], [0.75]])
    [found] = intervals_of(Differences(Ratios(base + 0.2, np.ones((3, 1))), Ratios(base, np.ones((3, 1)))))
    assert (found.ends, found.note, found.reason) == (None, "all 3 documents changed alike", "same changes")


@pytest.mark.parametrize("values", [[0.2, 0.9], [0.0, 1.0], [1.0] * 59 + [0.0], [0.0] * 199 + [0.4], [1.0, 1.0, 0.5]])
def test_few_documents_that_differ_are_enough(values: list[float]) -> None:
    """The interval has the mean in it and stays among the values."""
    low, high = ends(mean_interval(values))
    assert min(values) <= low + 1e-12
    assert low <= np.mean(values) <= high
    assert high <= max(values) + 1e-12


def test_a_field_that_few_documents_have() -> None:
    """Most resamples of 300 documents have it 0 to 4 times; those without it tell nothing and are no score of 1."""
    weight = np.zeros((300, 1))
    weight[[5, 100]] = [[1.0], [3.0]]
    earned = weight * 0.5
    earned[5] = 0.0
    [found] = ratio_intervals(earned, weight)
    assert ends(found) == pytest.approx((0.0, 0.5))


def test_progress_adds_up_to_the_resamples() -> None:
    """What is told is 10,000 in all, however many documents there are."""
    for count in (5, 300):
        told: list[int] = []
        ratio_intervals(*some_ratios(count), resampled=told.append)
        assert sum(told) == RESAMPLES


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, float("nan"), float("inf")])
def test_a_confidence_outside_0_and_1_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match=rf"^confidence: .* between 0 and 1, got {re.escape(str(confidence))}$"):
        check_confidence(confidence)
    with pytest.raises(ValueError, match=r"^confidence: "):
        mean_interval([0.5], confidence=confidence)
    with pytest.raises(ValueError, match=r"^confidence: "):
        wilson_interval(0, 0, confidence=confidence)


@pytest.mark.parametrize("confidence", ["0.95", None, True, [0.95]])
def test_a_confidence_that_is_no_number_is_refused(confidence: Any) -> None:
    with pytest.raises(TypeError, match=rf"^confidence: .*, got {type(confidence).__name__}$"):
        check_confidence(confidence)


def test_a_confidence_of_numpy_is_taken() -> None:
    level = check_confidence(np.float32(0.5))
    assert (level, type(level)) == (0.5, float)


def test_scoring_with_an_interval_does_not_import_scipy_stats() -> None:
    """Which takes longer than most test sets."""
    folder = ROOT / "examples" / "receipts"
    command = ["docscore", "score", *(str(folder / name) for name in ("references.jsonl", "predictions.jsonl"))]
    code = f"""
import sys
from docscore.cli import main
sys.argv = {command!r}
try:
    main()
finally:
    print(*(name for name in sys.modules if name.startswith("scipy.stats")), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "95% interval" in done.stdout
    assert done.stderr.strip() == ""
