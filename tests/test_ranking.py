"""Ranks of systems on the same documents, and `docscore table --ranks`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore.stats.intervals import Ratios
from docscore.stats.ranking import Rank, ranks_of

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
