"""Intervals against scipy called plainly, against the textbook's formulas, of clusters, and where there is none."""

from __future__ import annotations

from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from docscore.stats.intervals import (
    MOST_RESAMPLED,
    RESAMPLES,
    SEED,
    Array,
    Differences,
    Interval,
    Ratios,
    abc,
    bca,
    intervals_of,
    normal_quantiles,
    sampled_values,
    side_by_side,
    wilson_interval,
)
from docscore.stats.intervals import WILSON as BY_WILSON
from tests.conftest import golden

NORMAL = NormalDist()


def ratio_intervals(earned: Any, weight: Any, confidence: float = 0.95, **options: Any) -> list[Interval]:
    return intervals_of(Ratios(np.asarray(earned), np.asarray(weight)), confidence, **options)


def mean_interval(values: Any, confidence: float = 0.95, **options: Any) -> Interval:
    column = np.asarray(values, dtype=np.float64)[:, np.newaxis]
    return ratio_intervals(column, np.ones_like(column), confidence, **options)[0]


def skewed(count: int, seed: int = 1) -> Array:
    """Scores as of documents: some exact, most good, a few bad."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(count) < 0.3, 1.0, rng.beta(6, 1.5, count))


def some_ratios(count: int, seed: int = 2) -> tuple[Array, Array]:
    """Numerators and denominators of three ratios, of which documents have 1 to 6 values, or some none."""
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 7, (count, 3)) * (rng.random((count, 3)) < [1.0, 0.8, 0.4])
    return weight * rng.beta(4, 1, (count, 3)), weight.astype(np.float64)


def expanded(level: float, count: int) -> float:
    """The level of the plain interval that Hesterberg's expansion has: alpha' = cdf(-sqrt(n / (n - 1)) t)."""
    reach = (count / (count - 1)) ** 0.5 * stats.t.ppf((1 + level) / 2, count - 1)
    return 2 * float(stats.norm.cdf(reach)) - 1


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.ends is not None, interval.note
    return interval.ends


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


def is_that_of_scipy(found: Interval, sample: Any, statistic: Any, level: float, draws: int) -> None:
    """The same draws in the same order, so the same ends to the last bits, at the level of the expansion."""
    options: dict[str, Any] = {"confidence_level": level, "n_resamples": draws, "method": "BCa"}
    plain = stats.bootstrap((sample,), statistic, random_state=np.random.default_rng(SEED), **options)
    assert ends(found) == pytest.approx(tuple(plain.confidence_interval), abs=1e-11)
    assert found.standard_error == pytest.approx(plain.standard_error, abs=1e-13)


@pytest.mark.parametrize("count", [5, 30, 60, 700])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_interval_of_a_mean_is_that_of_scipy(count: int, confidence: float) -> None:
    """Values of 1/16 have exact sums, and ties."""
    values = np.round(16 * skewed(count)) / 16
    is_that_of_scipy(
        mean_interval(values, confidence=confidence), values, np.mean, expanded(confidence, count), RESAMPLES
    )


@pytest.mark.parametrize("confidence", [0.6, 0.8, 0.95])
def test_the_intervals_of_differences_of_ratios_are_those_of_scipy(confidence: float) -> None:
    """A statistic of the numbers of the documents; means by scipy, leave-one-out by scipy's n x n table."""
    count = 50
    sides = [Ratios(*some_ratios(count, seed)) for seed in (2, 9)]

    def statistic(numbers: Array, axis: int = -1) -> Array:
        drawn = [(side.earned[numbers].sum(axis=axis - 1), side.weight[numbers].sum(axis=axis - 1)) for side in sides]
        values: Array = drawn[0][0] / drawn[0][1] - drawn[1][0] / drawn[1][1]
        return np.moveaxis(values, -1, 0)

    intervals = intervals_of(Differences(*sides), confidence, n_resamples=2000)
    for column, interval in enumerate(intervals):
        one = partial(lambda column, numbers, axis: statistic(numbers, axis)[column], column)
        having = int(np.count_nonzero((sides[0].weight + sides[1].weight)[:, column]))
        is_that_of_scipy(interval, np.arange(count), one, expanded(confidence, having), 2000)


@pytest.mark.parametrize("count", [15, 40])
def test_the_interval_of_a_ratio_is_that_of_the_textbook(count: int) -> None:
    earned, weight = some_ratios(count)
    intervals = ratio_intervals(earned, weight, n_resamples=3000, confidence=0.9)
    wanted = bca_of_a_ratio(earned[:, 0], weight[:, 0], expanded(0.9, count), 3000)
    assert ends(intervals[0]) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("count", "hits"), [(20, 6), (20, 7), (60, 14)])
def test_a_tie_is_a_tie_however_its_sum_was_rounded(count: int, hits: int) -> None:
    """A point lost by some documents, or a tenth or a seventh of one: the same interval in another unit."""
    lost = np.zeros(count)
    lost[:hits] = 1.0
    low, high = ends(mean_interval(1 - lost))
    for unit in (1 / 10, 1 / 7, 0.3):
        actual = ends(mean_interval(1 - lost * unit))
        assert actual == pytest.approx((1 - (1 - low) * unit, 1 - (1 - high) * unit), abs=1e-9)


# (8/10, 95%): z = 1.959964, z² = 3.841459
# centre = (0.8 + z²/20) / (1 + z²/10) = 0.992073 / 1.384146 = 0.716740
# half = z √(0.8 · 0.2 / 10 + z²/400) / (1 + z²/10) = 1.959964 · 0.160012 / 1.384146 = 0.226578
# (0/20, 95%): high = z² / (20 + z²) = 3.841459 / 23.841459 = 0.161125
# (1/2, 80%): z = 1.281552, z² = 1.642374; half = z √(1/8 + z²/16) / (1 + z²/2) = 0.335748
@golden("intervals", "wilson")
def test_wilson_by_hand_and_by_scipy(count: int, of: int, confidence: float, low: float, high: float) -> None:
    interval = wilson_interval(count, of, confidence=confidence)
    assert ends(interval) == pytest.approx((low, high), abs=2e-6)
    assert ends(interval) == pytest.approx(stats.binomtest(count, of).proportion_ci(confidence, "wilson"), abs=1e-14)
    assert interval.standard_error == pytest.approx((count / of * (1 - count / of) / of) ** 0.5)


def test_beyond_10_000_documents_the_closed_form_takes_over() -> None:
    """Which does not depend on the seed."""
    for count in (MOST_RESAMPLED, MOST_RESAMPLED + 1):
        one, other = (mean_interval(skewed(count), n_resamples=99, seed=seed) for seed in (1, 2))
        assert (one == other) == (count > MOST_RESAMPLED)


MANY = MOST_RESAMPLED + 1
# why, new and base of each document, their clusters, the note; without a base a mean
WITHOUT: dict[str, tuple[list[float], list[float] | None, list[int] | None, str]] = {
    "one document": ([0.7], None, None, "it needs at least two documents"),
    "one pair": ([1.0], [0.5], None, "it needs at least five documents"),
    "four pairs": ([1.0, 0.2, 0.3, 0.4], [0.5] * 4, None, "it needs at least five documents"),
    "alike": ([0.3, 0.7, 0.95], [0.1, 0.5, 0.75], None, "it needs at least five documents"),
    "no change": ([0.3, 0.7], [0.3, 0.7], None, "no document changed"),
    "many without a change": ([0.3] * MANY, [0.3] * MANY, None, "no document changed"),
    "one cluster": ([0.5, 0.7], None, [4, 4], "it needs at least two clusters"),
    "cancels": ([0.8, 0.2, 0.6], [0.2, 0.8, 0.6], [0, 0, 1], "it needs at least five clusters"),
}
# z² = 3.841459; of v and n: (v + z²/2n ± z √(v (1 - v) / n + z²/4n²)) / (1 + z²/n)
WILSON: dict[str, tuple[list[float], list[int] | None, tuple[float, float], str]] = {
    "two": ([0.2, 0.8], None, (0.094531, 0.905469), ""),
    "four": ([0.5, 1.0, 1.0, 1.0], None, (0.395773, 0.986809), ""),
    "equal": ([1.0] * 40, None, (0.912378, 1.0), ""),
    "equal at any size": ([0.0] * MANY, None, (0.0, 0.000384), ""),
    "clusters": ([0.2, 0.8, 0.8, 0.2], [0, 0, 1, 1], (0.094531, 0.905469), "; only 2 clusters: it may be too short"),
}


@pytest.mark.parametrize(("new", "base", "clusters", "note"), WITHOUT.values(), ids=WITHOUT)
def test_where_there_is_no_interval_a_note_says_why(
    new: list[float], base: list[float] | None, clusters: list[int] | None, note: str
) -> None:
    sides = [Ratios(np.array([each]).T, np.ones((len(each), 1))) for each in (new, base) if each is not None]
    estimates = Differences(*sides) if len(sides) == 2 else sides[0]
    [actual] = intervals_of(estimates, clusters=clusters)
    assert actual == Interval(note=note)


@pytest.mark.parametrize(("values", "clusters", "wanted", "few"), WILSON.values(), ids=WILSON)
def test_means_of_few_or_equal_documents_have_the_interval_of_wilsons_formula(
    values: list[float], clusters: list[int] | None, wanted: tuple[float, float], few: str
) -> None:
    actual = mean_interval(values, clusters=clusters)
    assert ends(actual) == pytest.approx(wanted, abs=2e-6)
    assert actual.note == f"Wilson's formula on the mean{few}"


@pytest.mark.parametrize("change", [-1.0, -0.1, 0.0, 1.0])
def test_documents_that_all_changed_alike_may_have_exceptions(change: float) -> None:
    """At most z² / (n + z²) of all documents, by Wilson's formula; these may change by -1 or by 1."""
    base, ones = np.linspace(max(0.0, -change), min(1.0, 1 - change), 60)[:, np.newaxis], np.ones((60, 1))
    swapped = base[::-1] if change == 0 else base + change
    clusters = np.r_[np.arange(30), np.arange(30)[::-1]] if change == 0 else None  # a document and its opposite
    [actual] = intervals_of(Differences(Ratios(swapped, ones), Ratios(base, ones)), clusters=clusters)
    rest = 3.841459 / ((60 if clusters is None else 30) + 3.841459)
    assert ends(actual) == pytest.approx((change - rest * (1 + change), change + rest * (1 - change)), abs=1e-6)
    assert actual.note.startswith("Wilson's formula, as all ")


@given(st.integers(5, 60), st.floats(0.5, 0.999), st.integers(0, 99))
def test_the_expansion_widens_and_more_documents_need_less_of_it(count: int, level: float, seed: int) -> None:
    reaches = normal_quantiles(level, [count, count + 1, 10**7])
    assert reaches[0] > reaches[1] > reaches[2] == pytest.approx(NORMAL.inv_cdf((1 + level) / 2), rel=1e-5)
    values = np.random.default_rng(seed).random(count)
    low, high = ends(mean_interval(values, level, n_resamples=200))
    assert values.min() - 1e-12 <= low <= values.mean() <= high <= values.max() + 1e-12


@pytest.mark.parametrize(("count", "few"), [(20, "only 20 clusters: it may be too short"), (21, "")])
def test_few_clusters_have_a_note(count: int, few: str) -> None:
    labels = np.arange(4 * count) % count
    assert mean_interval(skewed(4 * count), clusters=labels, n_resamples=99).note == few


def test_ratios_without_an_interval_stand_beside_those_with_one() -> None:
    """Nobody has the first; one and four documents have the next; the fourth is 1/2 anywhere; the fifth differs."""
    weight = np.array(
        [[0, 0, 1, 2, 1], [0, 3, 2, 4, 2], [0, 0, 0, 6, 1], [0, 0, 3, 1, 2], [0, 0, 3, 1, 2]], dtype=float
    )
    earned = weight * np.array([[0, 0, 0, 0.5, 1], [0, 0.2, 1, 0.5, 0], *[[0, 0, 0.5, 0.5, 0.5]] * 3])
    intervals = ratio_intervals(earned, weight)
    needed = "it needs at least five documents"
    assert [each.note for each in intervals] == [
        "no document contributes to it",
        needed,
        needed,
        f"{BY_WILSON} on the mean",
        "",
    ]
    assert [each.ends for each in intervals[:3]] == [None] * 3
    assert ends(intervals[3]) == ends(wilson_interval(2.5, 5))
    assert 0 <= ends(intervals[4])[0] < 0.4375 < ends(intervals[4])[1] <= 1  # of 1 + 0 + 1/2 + 1 + 1 in 8


def test_a_field_that_few_documents_have() -> None:
    """Resamples of 300 documents without it tell nothing and are no score of 1; its own documents count, not all."""
    weight = np.zeros((300, 1))
    weight[[5, 100, 150, 200, 250]] = [[1.0], [3.0], [1.0], [1.0], [1.0]]
    earned = weight * 0.5
    earned[5] = 0.0
    [actual] = ratio_intervals(earned, weight)
    assert ends(actual) == pytest.approx((0.0, 0.5), abs=1e-3)
    assert ratio_intervals(earned[:201], weight[:201])[0].note == "it needs at least five documents"


def test_progress_adds_up_to_the_resamples() -> None:
    """What is told is 10,000 in all, however many documents there are."""
    for count in (5, 300):
        told: list[int] = []
        ratio_intervals(*some_ratios(count), resampled=told.append)
        assert sum(told) == RESAMPLES


# the closed form of BCa


@pytest.mark.parametrize("count", [60, 200, 1000])
def test_the_closed_form_is_that_of_bca(count: int) -> None:
    """Of skewed means, of ratios of sums and of their differences, even with few documents.

    It gives the ends of BCa but for 5% of the width, and the same standard error.
    """
    weight = np.random.default_rng(1).integers(1, 7, (count, 1)).astype(np.float64)
    sides = [Ratios(weight * skewed(count, seed)[:, np.newaxis], weight) for seed in (3, 4)]
    for estimates in (Ratios(skewed(count)[:, np.newaxis], np.ones((count, 1))), sides[0], Differences(*sides)):
        drawn = sampled_values(estimates.of, len(estimates.values), estimates.count, 20_000, SEED, bool)
        reach = normal_quantiles(0.95, estimates.having)
        lows, highs, errors = bca(drawn, estimates.values, -estimates.left_out(), reach)
        closed = abc(estimates, reach)
        tolerance = 0.05 * float((highs - lows)[0])
        assert closed[0] == pytest.approx(lows, abs=tolerance)
        assert closed[1] == pytest.approx(highs, abs=tolerance)
        assert closed[2] == pytest.approx(errors, rel=0.05)


# Exact intervals of a Poisson mean (Garwood 1936): 0.0253 to 5.572 for 1, 0.2422 to 7.225 for 2, 1.623 to 11.668 for 5;
# the normal approximation gives -0.96 to 2.96, -0.77 to 4.77 and 0.62 to 9.38.
@pytest.mark.parametrize(("wrong", "low", "high"), [(1, 0.025, 5.572), (2, 0.242, 7.225), (5, 1.623, 11.668)])
def test_rare_failures_among_many_documents_have_the_interval_of_a_poisson_mean(
    wrong: int, low: float, high: float
) -> None:
    """Counted in documents, within six tenths of one; a share of successes never exceeds 1."""
    count = 50_000
    values = np.ones(count)
    values[:wrong] = 0.0
    actual = ends(mean_interval(values))
    assert actual[1] <= 1.0
    assert [count * (1 - end) for end in actual] == pytest.approx([high, low], abs=0.6)


@pytest.mark.parametrize("count", [50, MOST_RESAMPLED + 1])
def test_intervals_stay_among_what_documents_can_score(count: int) -> None:
    """Shares in [0, 1] and differences in [-1, 1], where nearly all documents are at an end, and at any level."""
    values = np.ones((count, 1))
    values[0] = 0.0
    weight = np.ones((count, 1))
    for level in (0.5, 0.95, 0.999999, 1 - 1e-12):
        for scores in (values, 1 - values):
            low, high = ends(ratio_intervals(scores, weight, confidence=level)[0])
            assert 0 <= low <= scores.mean() <= high <= 1
        [actual] = intervals_of(Differences(Ratios(values, weight), Ratios(1 - values, weight)), level)
        low, high = ends(actual)
        assert -1 <= low <= high <= 1


# clusters


def test_clusters_are_resampled_as_documents_with_their_sums() -> None:
    earned, weight = some_ratios(60)
    labels = np.random.default_rng(1).integers(-3, 9, 60)
    sums = [np.array([side[labels == each].sum(axis=0) for each in np.unique(labels)]) for side in (earned, weight)]
    clustered = ratio_intervals(earned, weight, clusters=labels)
    for one, other in zip(clustered, ratio_intervals(sums[0], sums[1]), strict=True):
        assert ends(one) == pytest.approx(ends(other), abs=1e-12)


def test_the_score_of_the_whole_is_the_same_to_the_last_bit_with_clusters_and_in_any_order() -> None:
    earned, weight = some_ratios(500)
    whole = Ratios(earned, weight)
    order = np.random.default_rng(3).permutation(500)
    assert whole.by_cluster(np.arange(500) % 7).values.tolist() == whole.values.tolist()
    assert Ratios(earned[order], weight[order]).values.tolist() == whole.values.tolist()
    assert side_by_side(whole, whole).columns([0, 3]).values.tolist() == [whole.values[0]] * 2


def test_many_documents_in_few_clusters_are_resampled() -> None:
    """The limit is for what is resampled."""
    count = MOST_RESAMPLED + 200
    clustered: dict[str, Any] = {"clusters": np.arange(count) // 100, "n_resamples": 500}
    assert mean_interval(skewed(count), **clustered) != mean_interval(skewed(count), **clustered, seed=1)
