"""The bound of the gate against exact and drawn quantiles, tests with clusters, and ranks of systems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from docscore.stats import significance
from docscore.stats.intervals import Array, Differences, Ratios
from docscore.stats.ranking import Rank, ranks_of
from docscore.stats.significance import (
    bound_of_mean,
    drawn_swaps,
    fewest_documents,
    permutation_p_values,
    upper_bound,
)


def of_scores(scores: Array) -> Ratios:
    """The mean of the scores of n documents, shape (n,)."""
    return Ratios(scores[:, np.newaxis], np.ones((len(scores), 1)))


def of_changes(changes: Array) -> Differences:
    """Two systems whose scores differ by so much."""
    return Differences(of_scores(np.maximum(changes, 0.0)), of_scores(np.maximum(-changes, 0.0)))


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize(("hits", "count"), [(0, 5), (0, 20), (3, 20), (19, 20), (0, 400), (7, 400), (200, 400)])
def test_the_bound_of_zeros_and_ones_is_that_of_clopper_and_pearson(hits: int, count: int, confidence: float) -> None:
    values = np.zeros(count)
    values[:hits] = 1.0
    exact = stats.binomtest(hits, count).proportion_ci(2 * confidence - 1, "exact").high
    assert bound_of_mean(values, 1.0, confidence) - exact == pytest.approx(0.0, abs=0.01 * (exact - hits / count))


@pytest.mark.parametrize("count", [3, 20, 90])
def test_the_bound_is_the_quantile_of_means_with_random_weights(count: int) -> None:
    """By definition, from 200,000 of them."""
    rng = np.random.default_rng(count)
    weights = np.random.default_rng(0).standard_exponential((200_000, count + 1))
    confidences = [0.1, 0.5, 0.9, 0.95, 0.99]
    for values in (rng.normal(-0.1, 0.2, count).clip(-1, 1), rng.choice([-0.3, 0.0, 0.0, 1.0], count)):
        wanted = np.quantile(weights @ np.append(values, 1.0) / weights.sum(axis=1), confidences).tolist()
        actual = [bound_of_mean(values, 1.0, confidence) for confidence in confidences]
        assert actual == pytest.approx(wanted, abs=0.02 * (wanted[2] - wanted[0]))


def test_the_bound_of_many_documents_is_that_of_the_normal_distribution() -> None:
    values = np.random.default_rng(1).normal(-0.05, 0.2, 100_000).clip(-1, 1)
    error = values.std() / len(values) ** 0.5
    assert bound_of_mean(values, 1.0, 0.95) == pytest.approx(values.mean() + 1.645 * error, abs=0.05 * error)


@pytest.mark.parametrize("seed", range(3))
def test_the_limit_at_the_mean_fits_what_lies_beside_it(seed: int) -> None:
    """Of skewed values, where the share below the mean is not a half."""
    values = np.random.default_rng(seed).beta(0.4, 2, 9)
    step = values.std() / 100
    below, at_mean, above = (
        significance._share_below(values, values.mean() + step * side)  # noqa: SLF001  no bound lies at the mean
        for side in (-1, 0, 1)
    )
    assert abs(at_mean - 0.5) > 0.02
    assert at_mean == pytest.approx((below + above) / 2, abs=3e-4)


changes = st.lists(st.floats(-1, 1), min_size=1, max_size=30)


@given(changes, st.sampled_from([0.5, 0.8, 0.95, 0.999]))
@example([0.99999], 0.5)
@example([1 - 1e-11, 1 - 1e-11], 0.5)
@example([-1.0, 1 - 1e-15], 0.95)
def test_the_bound_lies_between_the_mean_and_1_whatever_the_order(values: list[float], confidence: float) -> None:
    """And it rises with every value and with the confidence."""
    bound = bound_of_mean(np.array(values), 1.0, confidence)
    assert min(values) <= bound <= 1
    assert bound == pytest.approx(bound_of_mean(np.array(values[::-1]), 1.0, confidence), abs=1e-9)
    assert bound <= bound_of_mean(np.array([*values[1:], 1.0]), 1.0, confidence) + 1e-6
    assert bound <= bound_of_mean(np.array(values), 1.0, (1 + confidence) / 2) + 1e-6


@pytest.mark.parametrize("count", [20, 40])
def test_a_small_loss_everywhere_may_hide_a_rare_gain(count: int) -> None:
    """5% of all documents gain 1, the others lose 1/19, so that the mean stays; in 36% of samples of 20 no one gains.

    Student's t has no doubt about documents that changed alike.
    """
    alike = np.full(count, -1 / 19)
    bound = upper_bound(of_changes(alike), 0.95)
    assert bound > 0
    assert bound == pytest.approx(-1 / 19 + 20 / 19 * (1 - 0.05 ** (1 / count)), abs=0.001)


def test_the_bound_takes_the_first_of_several_differences() -> None:
    rng = np.random.default_rng(2)
    sides = [Ratios(rng.random((30, 3)), np.ones((30, 3))) for _ in range(2)]
    firsts = (side.columns([0]) for side in sides)
    assert upper_bound(Differences(*sides), 0.95) == upper_bound(Differences(*firsts), 0.95)


@pytest.mark.parametrize("count", [1, 4, 5])
def test_the_fewest_documents_are_those_whose_bound_can_be_below_0(count: int) -> None:
    """1 - 2 x 0.05^(1/n), where all documents fall from 1 to 0, is above 0 up to n = 4."""
    fallen = upper_bound(of_changes(np.full(count, -1.0)), 0.95)
    assert fallen == pytest.approx(1 - 2 * 0.05 ** (1 / count), abs=0.01)
    assert (fallen < 0) == (count >= fewest_documents(0.95, 1 / 2))


def test_the_bound_does_not_depend_on_the_unit_of_weights() -> None:
    rng = np.random.default_rng(3)
    weight = rng.integers(1, 5, (40, 1)).astype(np.float64)
    shares = rng.random((2, 40, 1))
    bounds = [
        upper_bound(Differences(*(Ratios(share * weight * unit, weight * unit) for share in shares)), 0.95)
        for unit in (1.0, 1e-3, 1e3)
    ]
    assert bounds == pytest.approx([bounds[0]] * 3, abs=1e-9)


# clusters


def questions(seed: int) -> tuple[Ratios, Ratios, Array]:
    """Two systems on 60 questions of 15 documents, and the document of each."""
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, (60, 2)).astype(np.float64)
    base, new = (Ratios(rng.binomial(weight.astype(int), 0.7).astype(np.float64), weight) for _ in range(2))
    return base, new, rng.permutation(np.repeat(np.arange(15), 4))


def test_clusters_are_tested_as_documents_with_their_sums() -> None:
    base, new, labels = questions(1)
    sums = [
        Ratios(*(np.array([side[labels == c].sum(axis=0) for c in range(15)]) for side in (each.earned, each.weight)))
        for each in (base, new)
    ]
    assert permutation_p_values(base, new, clusters=labels) == permutation_p_values(*sums)
    assert upper_bound(Differences(new, base), 0.95, labels) == pytest.approx(
        upper_bound(Differences(sums[1], sums[0]), 0.95)
    )


def test_questions_that_fall_together_prove_less_than_as_many_that_fall_alone() -> None:
    """Ten documents of ten questions each; in six of them all questions are lost."""
    lost = np.repeat([-1.0] * 6 + [0.0] * 4, 10)
    labels = np.repeat(np.arange(10), 10)
    alone, together = (upper_bound(of_changes(lost), 0.95, clusters) for clusters in (None, labels))
    assert alone is not None
    assert together is not None
    assert -0.6 < alone < -0.45
    assert together == pytest.approx(bound_of_mean(np.array([-1.0] * 6 + [0.0] * 4), 1.0, 0.95), abs=1e-9)
    sides = of_changes(lost)
    assert permutation_p_values(sides.base, sides.new, clusters=labels) == [2 / 2**6]


def test_a_heavy_cluster_that_is_not_in_the_sample_could_gain_more() -> None:
    """Twenty clusters of one question and one of twenty: one more like that could turn the mean."""
    labels = np.array([*range(20), *[20] * 20])
    lost = np.full(40, -0.1)
    one, other = (upper_bound(of_changes(lost), 0.95, clusters) for clusters in (None, labels))
    assert one is not None
    assert other is not None
    assert other > one


@pytest.mark.parametrize("m", [2, 31, 32, 33, 1000])
def test_swaps_are_drawn_with_even_chances_and_whatever_the_size_of_a_batch(
    m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five standard errors, for each document and each pair of neighbours."""
    whole = np.vstack(list(drawn_swaps(m, 2_000, 7)))
    monkeypatch.setattr(significance, "BATCH_CELLS", 300 * m)
    parts = list(drawn_swaps(m, 2_000, 7))
    assert len(parts) == 7
    assert np.array_equal(np.vstack(parts), whole)
    assert whole.shape == (2_000, m)
    assert set(np.unique(whole)) == {0.0, 1.0}
    assert np.abs(whole.mean(axis=0) - 0.5).max() < 5 * 0.5 / 2_000**0.5
    assert np.abs((whole[:, 1:] == whole[:, :-1]).mean(axis=0) - 0.5).max() < 5 * 0.5 / 2_000**0.5
    assert not np.array_equal(np.vstack(list(drawn_swaps(m, 2_000, 8))), whole)


def test_drawn_p_values_are_those_of_scipy_but_for_the_draws() -> None:
    """Four standard errors of either; the two-sided p-value is twice the smaller share, which errs twice as much."""
    rng = np.random.default_rng(11)
    base, new = rng.random((200, 1)), rng.random((200, 1)) + 0.02
    weight = np.ones((200, 1))
    [actual] = permutation_p_values(Ratios(base, weight), Ratios(new, weight))
    wanted = stats.permutation_test(
        (new.ravel(), base.ravel()),
        lambda first, second, axis=-1: (first - second).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9_999,
        random_state=3,
    ).pvalue
    assert 0.05 < actual < 0.95
    assert actual == pytest.approx(wanted, abs=4 * 2 * (2 * 0.25 / 9_999) ** 0.5)


N = 40
SHIFTS = (0.0, 0.01, 0.4, 0.41)  # two good systems, two bad ones


def scores(documents: int, shifts: tuple[float, ...] = SHIFTS) -> Ratios:
    """Systems that lose so much of each document, with noise of their own."""
    noise = np.random.default_rng(5).random((documents, len(shifts))) / 3
    return Ratios(1 - np.array(shifts) - noise, np.ones((documents, len(shifts))))


def test_groups_of_systems_that_are_not_told_apart() -> None:
    """Each of a pair may be its first or its second; the bad pair cannot be above the good one."""
    ranks = ranks_of(scores(N))
    assert [(rank.low, rank.high, rank.group) for rank in ranks] == [(1, 2, 1), (1, 2, 1), (3, 4, 2), (3, 4, 2)]
    assert sorted(rank.value for rank in ranks) == [1, 2, 3, 4]
    assert sum(rank.best for rank in ranks) == pytest.approx(1)
    assert ranks[2].best == ranks[3].best == 0


@given(st.permutations(range(4)))
def test_the_order_of_systems_does_not_matter(order: list[int]) -> None:
    """Ranks belong to the systems."""
    ratios, ranks = scores(N), ranks_of(scores(N), n_resamples=200)
    assert ranks_of(ratios.columns(order), n_resamples=200) == [ranks[number] for number in order]


def test_copies_of_a_document_prove_nothing_as_a_cluster() -> None:
    """Ten copies of each document tell more apart, unless they are said to belong together."""
    ratios = scores(6, (0.0, 0.08))
    copies = Ratios(np.repeat(ratios.earned, 10, axis=0), np.repeat(ratios.weight, 10, axis=0))
    assert [rank.group for rank in ranks_of(ratios)] == [1, 1]
    assert [rank.group for rank in ranks_of(copies)] == [1, 2]
    together = ranks_of(copies, clusters=np.repeat(np.arange(6), 10))
    assert [rank.group for rank in together] == [1, 1]


def test_equal_systems_share_rank_group_and_chance() -> None:
    """The best of two that answer alike is each of them half the time."""
    one = scores(N, (0.0,)).earned
    assert ranks_of(Ratios(np.hstack([one, one]), np.ones((N, 2)))) == [Rank(1, 1, 2, 1, 0.5)] * 2


def test_many_documents_are_not_resampled() -> None:
    """Beyond 10,000 documents the normal distribution gives the same groups, and nearly the same chances."""
    shifts = (0.0, 0.0005, 0.1)
    resampled, normal = ranks_of(scores(10_000, shifts), n_resamples=2000), ranks_of(scores(10_001, shifts))
    assert [rank[:4] for rank in resampled] == [rank[:4] for rank in normal]
    assert [rank.best for rank in resampled] == pytest.approx([rank.best for rank in normal], abs=0.05)
