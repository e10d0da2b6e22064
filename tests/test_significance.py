"""Permutation tests, also with clusters, and ranks of systems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from docscore.stats import significance
from docscore.stats.intervals import Array, Ratios
from docscore.stats.significance import (
    Rank,
    permutation_p_values,
    ranks_of,
    sampled_swaps,
)


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


@pytest.mark.parametrize("m", [2, 31, 32, 33, 1000])
def test_swaps_are_drawn_with_even_chances_and_whatever_the_size_of_a_batch(
    m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five standard errors, for each document and each pair of neighbours."""
    whole = np.vstack(list(sampled_swaps(m, 2_000, 7)))
    monkeypatch.setattr(significance, "BATCH_CELLS", 300 * m)
    parts = list(sampled_swaps(m, 2_000, 7))
    assert len(parts) == 7
    assert np.array_equal(np.vstack(parts), whole)
    assert whole.shape == (2_000, m)
    assert set(np.unique(whole)) == {0.0, 1.0}
    assert np.abs(whole.mean(axis=0) - 0.5).max() < 5 * 0.5 / 2_000**0.5
    assert np.abs((whole[:, 1:] == whole[:, :-1]).mean(axis=0) - 0.5).max() < 5 * 0.5 / 2_000**0.5
    assert not np.array_equal(np.vstack(list(sampled_swaps(m, 2_000, 8))), whole)


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


def test_possible_ranks() -> None:
    """Each of a pair may be its first or its second; the bad pair cannot be above the good one."""
    ranks = ranks_of(scores(N))
    assert [(rank.low, rank.high) for rank in ranks] == [(1, 2), (1, 2), (3, 4), (3, 4)]
    assert sorted(rank.value for rank in ranks) == [1, 2, 3, 4]
    assert sum(rank.best for rank in ranks) == pytest.approx(1)
    assert ranks[2].best == ranks[3].best == 0


@given(st.permutations(range(4)))
def test_the_order_of_systems_does_not_matter(order: list[int]) -> None:
    """Ranks belong to the systems."""
    ratios, ranks = scores(N), ranks_of(scores(N), n_resamples=200)
    assert ranks_of(ratios.columns(order), n_resamples=200) == [ranks[number] for number in order]


def test_copies_of_a_document_prove_nothing_as_a_cluster() -> None:
    """Ten copies of each document narrow the ranks, unless they belong to one cluster."""
    ratios = scores(6, (0.0, 0.08))
    copies = Ratios(np.repeat(ratios.earned, 10, axis=0), np.repeat(ratios.weight, 10, axis=0))
    assert [rank.low for rank in ranks_of(ratios)] == [1, 1]
    assert [rank.low for rank in ranks_of(copies)] == [1, 2]
    together = ranks_of(copies, clusters=np.repeat(np.arange(6), 10))
    assert [rank.low for rank in together] == [1, 1]


def test_equal_systems_share_rank_and_chance() -> None:
    """The best of two that answer alike is each of them half the time."""
    one = scores(N, (0.0,)).earned
    assert ranks_of(Ratios(np.hstack([one, one]), np.ones((N, 2)))) == [Rank(1, 1, 2, 0.5)] * 2


def test_many_documents_are_not_resampled() -> None:
    """Beyond 10,000 documents the normal distribution gives the same ranks, and nearly the same chances."""
    shifts = (0.0, 0.0005, 0.1)
    resampled, normal = ranks_of(scores(10_000, shifts), n_resamples=2000), ranks_of(scores(10_001, shifts))
    assert [rank[:3] for rank in resampled] == [rank[:3] for rank in normal]
    assert [rank.best for rank in resampled] == pytest.approx([rank.best for rank in normal], abs=0.05)
