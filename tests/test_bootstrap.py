"""The closed form of BCa against BCa and exact intervals, and whole clusters of documents that are resampled."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from docscore.stats.intervals import (
    MOST_RESAMPLED,
    SEED,
    abc,
    bca,
    drawn_values,
    intervals_of,
    mean_interval,
    ratio_intervals,
)
from docscore.stats.ratios import Differences, Ratios, side_by_side
from tests.test_intervals import ends, skewed, some_ratios, width


def assert_alike(estimates: Ratios | Differences) -> None:
    """The closed form gives the ends of BCa but for 5% of the width, and the same standard error."""
    shares = (0.025, 0.975)
    drawn = drawn_values(estimates, 20_000, SEED, bool)
    closed, full = abc(estimates, shares), bca(drawn, estimates.values, -estimates.left_out(), shares)
    tolerance = 0.05 * float((full.highs - full.lows)[0])
    assert closed.lows == pytest.approx(full.lows, abs=tolerance)
    assert closed.highs == pytest.approx(full.highs, abs=tolerance)
    assert closed.errors == pytest.approx(full.errors, rel=0.05)


@pytest.mark.parametrize("count", [60, 200, 1000])
def test_the_closed_form_is_that_of_bca(count: int) -> None:
    """Of skewed means, of ratios of sums and of their differences, even with few documents."""
    weight = np.random.default_rng(1).integers(1, 7, (count, 1)).astype(np.float64)
    sides = [Ratios(weight * skewed(count, seed)[:, np.newaxis], weight) for seed in (3, 4)]
    assert_alike(Ratios(skewed(count)[:, np.newaxis], np.ones((count, 1))))
    assert_alike(sides[0])
    assert_alike(Differences(*sides))


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
    found = ends(mean_interval(values))
    assert found[1] <= 1.0
    assert [count * (1 - end) for end in found] == pytest.approx([high, low], abs=0.6)


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
        [found] = intervals_of(Differences(Ratios(values, weight), Ratios(1 - values, weight)), level)
        low, high = ends(found)
        assert -1 <= low <= high <= 1


def test_fields_that_few_of_many_documents_have() -> None:
    """Of 20,000 documents 2, 5 and 40: between the worst and the best of them, with the value among them."""
    weight = np.zeros((20_000, 3))
    earned = np.zeros((20_000, 3))
    for column, having in enumerate((2, 5, 40)):
        weight[:having, column] = np.arange(1, having + 1)
        earned[:having, column] = weight[:having, column] * (np.arange(having) % 2)
    for column, interval in enumerate(ratio_intervals(earned, weight)):
        low, high = ends(interval)
        assert 0 <= low < earned[:, column].sum() / weight[:, column].sum() < high <= 1


# clusters


def test_clusters_are_resampled_as_documents_with_their_sums() -> None:
    earned, weight = some_ratios(60)
    labels = np.random.default_rng(1).integers(-3, 9, 60)
    sums = [np.array([side[labels == each].sum(axis=0) for each in np.unique(labels)]) for side in (earned, weight)]
    clustered = ratio_intervals(earned, weight, clusters=labels)
    for one, other in zip(clustered, ratio_intervals(*sums), strict=True):
        assert ends(one) == pytest.approx(ends(other), abs=1e-12)
        assert one.method == "BCa bootstrap, 10,000 resamples of clusters"


def test_a_cluster_of_its_own_for_each_document_changes_nothing() -> None:
    values = skewed(40)
    assert ends(mean_interval(values, clusters=range(40))) == pytest.approx(ends(mean_interval(values)), abs=1e-12)


def test_questions_that_are_right_or_wrong_together_have_a_wider_interval() -> None:
    """Twenty documents of ten questions each with one score: as certain as twenty questions."""
    values = np.repeat(skewed(20), 10)
    labels = np.repeat(np.arange(20), 10)
    found = mean_interval(values, clusters=labels)
    assert ends(found) == pytest.approx(ends(mean_interval(skewed(20))), abs=1e-12)
    assert width(found) > 2.5 * width(mean_interval(values))


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
    found = mean_interval(skewed(count), clusters=np.arange(count) // 100, n_resamples=500)
    assert found.method == "BCa bootstrap, 500 resamples of clusters"


@pytest.mark.parametrize(
    ("values", "labels", "note", "reason"),
    [
        ([0.5, 0.7], [4, 4], "one cluster: an interval needs two", "one row"),
        ([0.2, 0.8, 0.8, 0.2], [0, 0, 1, 1], "all 2 clusters have the same value, 0.5", "same values"),
    ],
)
def test_where_clusters_have_no_interval_a_note_says_why(
    values: list[float], labels: list[int], note: str, reason: str
) -> None:
    assert mean_interval(values, clusters=labels) == (None, None, None, "none", note, reason)


def test_changes_that_cancel_in_every_cluster_are_changes() -> None:
    base = np.array([[0.2], [0.8], [0.4], [0.6]])
    sides = [Ratios(each, np.ones((4, 1))) for each in (1 - base, base)]
    [found] = intervals_of(Differences(*sides), clusters=[0, 0, 1, 1])
    assert (found.ends, found.note) == (None, "all 2 clusters changed alike")


@pytest.mark.parametrize(
    ("labels", "error", "words"),
    [
        ([0, 1], ValueError, "expected one number for each of 3 documents, got shape (2,)"),
        ([[0], [1], [2]], ValueError, "expected one number for each of 3 documents, got shape (3, 1)"),
        ([0.0, 1.0, 1.0], TypeError, "expected whole numbers, got float64"),
        (["a", "b", "b"], TypeError, "expected whole numbers, got <U1"),
    ],
)
def test_labels_that_are_none_are_refused(labels: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=rf"^clusters: {re.escape(words)}$"):
        mean_interval([0.1, 0.2, 0.3], clusters=labels)
