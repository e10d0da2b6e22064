"""AUROC, ECE and Brier score by hand, against plain loops over pairs and documents, and where there is none."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from docscore.stats.calibration import RocArea, calibration_of
from docscore.stats.intervals import Array
from tests.conftest import golden
from tests.test_intervals import mean_interval

FEW = 200  # resamples, where the ends do not matter


def some_values(count: int, seed: int = 1, digits: int = 1) -> tuple[Array, Array, npt.NDArray[np.intp]]:
    """Confidences with ties, right or wrong accordingly, and documents of 1 to 5 values."""
    rng = np.random.default_rng(seed)
    documents = np.repeat(np.arange(count), rng.integers(1, 6, count))
    sure = np.round(rng.beta(4, 2, len(documents)), digits)
    return sure, (rng.random(len(documents)) < sure).astype(np.float64), documents


def area_of_pairs(sure: Array, right: Array) -> float:
    """The definition, pair by pair."""
    pairs = [(one, other) for one in sure[right > 0] for other in sure[right == 0]]
    return sum(1.0 if one > other else 0.5 if one == other else 0.0 for one, other in pairs) / len(pairs)


@golden("calibration", "by hand")
def test_figures_by_hand(sure: list[float], right: list[int], area: float, error: float, brier: float) -> None:
    found = calibration_of(sure, right, range(len(sure)), n_resamples=FEW)
    assert found.auroc.value == pytest.approx(area, abs=1e-15)
    assert found.ece.value == pytest.approx(error, abs=1e-15)
    assert found.brier.value == pytest.approx(brier, abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_auroc_is_that_of_all_pairs_and_of_the_rank_test(seed: int) -> None:
    sure, right, documents = some_values(20, seed)
    found = calibration_of(sure, right, documents, n_resamples=FEW).auroc.value
    rank = stats.mannwhitneyu(sure[right > 0], sure[right == 0]).statistic / (right.sum() * (1 - right).sum())
    assert found == pytest.approx(area_of_pairs(sure, right), abs=1e-14)
    assert found == pytest.approx(rank, abs=1e-14)


# bins


def test_bins_of_equal_width_hold_their_upper_end() -> None:
    """And the first its lower end too; bins without values are left out."""
    found = calibration_of([0.0, 1 / 15, 0.1, 2 / 15, 1.0], [0, 0, 1, 1, 1], range(5), n_resamples=FEW)
    assert [(point.low, point.high, point.values, point.accuracy) for point in found.points] == [
        (0.0, 1 / 15, 2, 0.0),
        (1 / 15, 2 / 15, 2, 1.0),
        (14 / 15, 1.0, 1, 1.0),
    ]
    assert [point.confidence for point in found.points] == pytest.approx([1 / 30, 7 / 60, 1.0])


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_every_value_is_in_one_bin_and_ece_is_at_most_the_gap(values: list[tuple[float, bool]]) -> None:
    """In [0, 1], and no smaller than the gap between mean confidence and accuracy."""
    sure, right = (list(column) for column in zip(*values, strict=True))
    found = calibration_of(sure, right, [0] * len(values))
    assert sum(point.values for point in found.points) == len(values)
    for point in found.points:
        assert point.low - 1e-12 <= point.confidence <= point.high + 1e-12
    gaps = sum(abs(point.accuracy - point.confidence) * point.values for point in found.points) / len(values)
    assert found.ece.value == pytest.approx(gaps, abs=1e-12)
    assert found.ece.value is not None
    assert abs(np.mean(right) - np.mean(sure)) - 1e-12 <= found.ece.value <= 1


# resamples of documents


@pytest.mark.parametrize("digits", [1, 9])
def test_auroc_of_a_resample_is_that_of_repeated_documents(digits: int) -> None:
    sure, right, documents = some_values(12, 3, digits)
    area = RocArea(sure, right > 0, documents, 12)
    counts = np.random.default_rng(2).multinomial(12, np.full(12, 1 / 12), 30).astype(np.float64)
    for found, times in zip(area.of(counts), counts.astype(int), strict=True):
        taken = np.repeat(np.arange(len(sure)), times[documents])
        assert found == pytest.approx(area_of_pairs(sure[taken], right[taken]), abs=1e-14)


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


def test_intervals_hold_their_figures_and_count_the_documents() -> None:
    sure, right, documents = some_values(150)
    found = calibration_of(sure, right, documents)
    for figure in (found.auroc, found.brier):
        assert figure.interval.ends is not None
        assert figure.interval.ends[0] < (figure.value or 0.0) < figure.interval.ends[1]
        assert figure.interval.method == "BCa bootstrap, 10,000 resamples of documents"
    assert found.ece.interval.method == "basic bootstrap, 10,000 resamples of documents"
    assert (found.values, found.documents, found.right) == (len(sure), 150, right.sum())
    together = calibration_of(sure, right, documents // 10)
    for one, other in ((found.auroc, together.auroc), (found.brier, together.brier)):
        assert one.value == other.value
        assert one.interval != other.interval


def test_the_interval_of_the_brier_score_is_that_of_a_mean_where_documents_have_one_value() -> None:
    sure, right, _ = some_values(60)
    found = calibration_of(sure, right, range(len(sure)))
    assert found.brier.interval.ends == pytest.approx(mean_interval((sure - right) ** 2).ends, abs=1e-12)


def test_the_interval_of_an_error_that_chance_explains_starts_at_0() -> None:
    """And that of confidences that are far too high does not."""
    rng = np.random.default_rng(5)
    sure = rng.beta(4, 1, 400)
    chance = rng.random(400)
    fair, boastful = (calibration_of(sure, chance < share, range(400)) for share in (sure, sure - 0.3))
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


# where there is nothing to say


@golden("calibration", "nothing to say")
def test_where_there_is_nothing_to_say_a_note_says_why(
    sure: list[float], right: list[int], documents: list[int], figures: list[float | None], notes: list[str]
) -> None:
    """The figures are there without their intervals, unless there is nothing to count."""
    found = calibration_of(sure, right, documents, n_resamples=FEW)
    shown = found.auroc, found.ece, found.brier
    assert [figure.value for figure in shown] == pytest.approx(figures)
    assert [figure.interval.note[: len(note)] for figure, note in zip(shown, notes, strict=True)] == notes
    assert [figure.interval.ends is None for figure in shown] == list(map(bool, notes))
    assert (found.values, found.documents) == (len(sure), len(set(documents)))
    if found.documents < 2:
        assert all(point.interval.note == notes[1] for point in found.points)
