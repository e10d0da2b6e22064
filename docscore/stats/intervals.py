"""Confidence intervals over documents: BCa bootstrap for means and ratios, Wilson for rates of documents."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.tolerance import DECIMALS
from docscore.stats.ratios import Array, Differences, Ratios

Alternative = Literal["two-sided", "less", "greater"]


CONFIDENCE = 0.95


RESAMPLES = 10_000


SEED = 0


MOST_RESAMPLED = 10_000  # documents; beyond, both kinds of interval agree to far less than their width


BATCH_CELLS = 1_000_000  # of resampled documents at a time: fits in a processor's cache


class Interval(NamedTuple):
    """A confidence interval.

    Attributes:
        low: its lower end; None where there is none.
        high: its upper end; None where there is none.
        standard_error: of the estimate; None where there is none.
        method: how it was computed.
        note: why there is none, else "".
    """

    low: float | None
    high: float | None
    standard_error: float | None
    method: str
    note: str = ""

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def check_confidence(confidence: float) -> float:
    """The confidence level, if it is one.

    Raises:
        TypeError, ValueError: unless it is a number between 0 and 1.
    """
    if isinstance(confidence, bool) or not isinstance(confidence, int | float | np.floating):
        msg = f"confidence: expected a number between 0 and 1, got {type(confidence).__name__}"
        raise TypeError(msg)
    if not 0 < confidence < 1:
        msg = f"confidence: expected a number between 0 and 1, got {confidence}"
        raise ValueError(msg)
    return float(confidence)


def ratio_intervals(
    earned: npt.ArrayLike,
    weight: npt.ArrayLike,
    *,
    confidence: float = CONFIDENCE,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    alternative: Alternative = "two-sided",
    resampled: Callable[[int], object] = bool,
) -> list[Interval]:
    """An interval for each ratio sum(earned) / sum(weight), by resampling documents.

    All ratios are computed from the same resamples. With more than 10,000 documents the interval is that of the normal
    approximation with the variance of a ratio of sums (delta method).

    Args:
        earned: a row a document, a column a ratio, shape (n, k).
        weight: the same for the denominators, at least 0; a document without the field has 0 in both.
        confidence: the nominal coverage, between 0 and 1.
        n_resamples: how many resamples are drawn.
        seed: where the random numbers start.
        alternative: "two-sided"; "less" or "greater" for a bound on one side: the upper or the lower one.
        resampled: is told how many resamples were drawn since it was told last.

    Returns:
        k intervals. There is none where fewer than two documents have the field, or all have the same ratio.

    Source:
        Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 14 (BCa), with `scipy.stats.bootstrap`.

    >>> scores = [[1.0], [0.5], [0.75], [0.25], [1.0], [0.0]]
    >>> [interval] = ratio_intervals(scores, [[1.0]] * 6)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.25, 0.88)
    """
    ratios = Ratios(np.asarray(earned, dtype=np.float64), np.asarray(weight, dtype=np.float64))
    return intervals_of(ratios, confidence, alternative, n_resamples, seed, resampled)


def mean_interval(values: npt.ArrayLike, **options: Any) -> Interval:
    """The interval of a mean over documents; options as for `ratio_intervals`."""
    column = np.asarray(values, dtype=np.float64).reshape(-1, 1)
    return ratio_intervals(column, np.ones_like(column), **options)[0]


def wilson_interval(count: int, of: int, *, confidence: float = CONFIDENCE) -> Interval:
    """The Wilson score interval of a rate of documents: `count` of `of` independent ones.

    Source:
        Wilson 1927, Probable inference, the law of succession, and statistical inference.

    >>> interval = wilson_interval(0, 20)
    >>> interval.low, round(interval.high, 3)
    (0.0, 0.161)
    """
    from scipy import stats  # noqa: PLC0415  slow to import

    confidence = check_confidence(confidence)
    if not of:
        return Interval(None, None, None, "none", "no documents")
    rate = count / of
    ends = stats.binomtest(count, of).proportion_ci(confidence, method="wilson")
    return Interval(float(ends.low), float(ends.high), (rate * (1 - rate) / of) ** 0.5, "Wilson")


def intervals_of(
    estimates: Ratios | Differences,
    confidence: float = CONFIDENCE,
    alternative: Alternative = "two-sided",
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    resampled: Callable[[int], object] = bool,
) -> list[Interval]:
    """An interval for each of the estimates; options as for `ratio_intervals`."""
    confidence = check_confidence(confidence)
    notes = estimates.notes()
    found = [Interval(None, None, None, "none", note) for note in notes]
    possible = [column for column, note in enumerate(notes) if not note]
    if possible:
        chosen = estimates.columns(possible)
        if estimates.count > MOST_RESAMPLED:
            intervals = _normal(chosen, confidence, alternative)
        else:
            intervals = _bca(chosen, confidence, alternative, n_resamples, seed, resampled)
        for column, interval in zip(possible, intervals, strict=True):
            found[column] = interval
    return found


def _bca(
    estimates: Ratios | Differences,
    confidence: float,
    alternative: Alternative,
    n_resamples: int,
    seed: int,
    resampled: Callable[[int], object],
) -> list[Interval]:
    """The intervals by the bias-corrected and accelerated bootstrap.

    scipy resamples the numbers of the documents, so that one set of resamples serves all ratios.
    """
    from scipy import stats  # noqa: PLC0415  slow to import

    n = estimates.count

    def statistic(numbers: npt.NDArray[np.int64], axis: int = -1) -> Array:  # noqa: ARG001  scipy's protocol
        drawn = np.atleast_2d(numbers)
        rows = len(drawn)
        offsets = n * np.arange(rows)[:, np.newaxis]
        counts = np.bincount((drawn + offsets).ravel(), minlength=rows * n).reshape(rows, n)
        found = np.round(estimates.of(counts.astype(np.float64)), DECIMALS)  # ties stay ties
        if numbers.shape[-1] == n and numbers.ndim > 1:  # not one of the jackknife
            resampled(rows)
        return found[:, 0] if numbers.ndim == 1 else found

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        found = stats.bootstrap(
            (np.arange(n),),
            statistic,
            vectorized=True,
            n_resamples=n_resamples,
            batch=max(1, BATCH_CELLS // n),
            confidence_level=confidence,
            alternative=alternative,
            method="BCa",
            random_state=np.random.default_rng(seed),
        )
    interval = found.confidence_interval
    lows, highs, errors = (np.atleast_1d(each) for each in (interval.low, interval.high, found.standard_error))
    method = f"BCa bootstrap, {n_resamples:,} resamples of documents"
    return [_interval(low, high, error, method) for low, high, error in zip(lows, highs, errors, strict=True)]


def _interval(low: float, high: float, error: float, method: str) -> Interval:
    if np.isnan(low) or np.isnan(high):
        return Interval(None, None, None, "none", "too few documents differ for an interval")
    return Interval(float(low), float(high), float(error), method)


def _normal(estimates: Ratios | Differences, confidence: float, alternative: Alternative) -> list[Interval]:
    """The intervals of the normal approximation, with the variance that the influence of each document gives."""
    from scipy import stats  # noqa: PLC0415  slow to import

    n = estimates.count
    errors = np.sqrt((estimates.influence() ** 2).sum(axis=0) * n / (n - 1))
    reach = float(stats.norm.ppf((1 + confidence) / 2 if alternative == "two-sided" else confidence)) * errors
    lows = estimates.values - reach if alternative != "less" else np.full_like(errors, -np.inf)
    highs = estimates.values + reach if alternative != "greater" else np.full_like(errors, np.inf)
    method = f"normal approximation over {n:,} documents"
    return [_interval(low, high, error, method) for low, high, error in zip(lows, highs, errors, strict=True)]
