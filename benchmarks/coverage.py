"""How often intervals hold the true value and tests find what is not there: `python -m benchmarks.coverage`.

Documents are drawn from a made population, whose means and rates are known: three in ten documents are exact, one in
twenty got nothing right, the others lost some points, few of them many.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track
from scipy import stats

from docscore.core.tolerance import ROUNDING
from docscore.stats.intervals import CONFIDENCE, Interval, ratio_intervals, wilson_interval
from docscore.stats.ratios import Array, Differences, Ratios
from docscore.stats.significance import permutation_p_values, upper_bound

SIZES = (20, 100, 500)
TRIALS = 600
RESAMPLES = 2000  # the library takes 10,000; the difference is far below the error of the simulation
FIELDS = 10
_LEVEL = 1 - CONFIDENCE
_POPULATION = 100_000
_PROCESSES = 2


Outcome = tuple[bool, ...]


class Figure(NamedTuple):
    """A column of the table.

    Attributes:
        name: what is counted.
        nominal: the share that is promised: at least, of intervals; at most, of tests.
    """

    name: str
    nominal: float


FIGURES = (
    Figure("BCa holds the mean", CONFIDENCE),
    Figure("BCa holds a field's ratio", CONFIDENCE),
    Figure("Wilson holds a rate", CONFIDENCE),
    Figure("p ≤ 0.05, no difference", _LEVEL),
    Figure(f"any q ≤ 0.05 of {FIELDS} fields, no difference", _LEVEL),
    Figure("gate at margin 0 fails, no difference", _LEVEL),
)


class Population(NamedTuple):
    """Documents.

    Attributes:
        scores: of each document.
        earned: S of a field whose values come in rows: a document of 0 to 12 rows.
        weight: L of the field, 0 where there are no rows.
    """

    scores: Array
    earned: Array
    weight: Array


@lru_cache(maxsize=1)
def population() -> Population:
    """The documents from which all are drawn; rows of a bad document are bad."""
    rng = np.random.default_rng(0)
    kinds = rng.random(_POPULATION)
    scores = np.where(kinds < 0.3, 1.0, np.where(kinds < 0.35, 0.0, rng.beta(6, 1.2, _POPULATION)))
    rows = np.minimum(rng.geometric(0.3, _POPULATION) - 1, 12)
    return Population(scores, rng.binomial(rows, scores).astype(np.float64), rows.astype(np.float64))


def holds(interval: Interval, truth: float) -> bool:
    """Whether the interval has the true value in it; where all documents are alike there is none, and it has not."""
    return interval.low is not None and interval.high is not None and interval.low <= truth <= interval.high


def intervals_hold(rng: np.random.Generator, count: int, seed: int) -> Outcome:
    """Whether the intervals of a mean, a ratio and a rate hold the true ones."""
    everything = population()
    drawn = rng.integers(0, _POPULATION, count)
    scores, earned, weight = (column[drawn] for column in everything)
    numerators, denominators = np.column_stack([scores, earned]), np.column_stack([np.ones(count), weight])
    found = ratio_intervals(numerators, denominators, n_resamples=RESAMPLES, seed=seed)
    found.append(wilson_interval(int((scores == 1).sum()), count))
    exact = (everything.scores == 1).mean()
    truths = everything.scores.mean(), everything.earned.sum() / everything.weight.sum(), exact
    return tuple(holds(*each) for each in zip(found, truths, strict=True))


def system(rng: np.random.Generator, quality: Array, rows: npt.NDArray[np.int64]) -> Ratios:
    """The documents and fields of a system that gets each value right as often as the document is easy."""
    weight = np.column_stack([np.ones_like(rows)] * (FIELDS // 2) + [rows] * (FIELDS // 2))
    earned = rng.binomial(weight, quality[:, np.newaxis])
    scores = earned.sum(axis=1) / weight.sum(axis=1)
    return Ratios(np.column_stack([scores, earned]), np.column_stack([np.ones(len(rows)), weight]).astype(np.float64))


def found_by_chance(rng: np.random.Generator, count: int, seed: int) -> Outcome:
    """Whether a difference of means, of any field, or one that fails the gate is found between systems without one."""
    everything = population()
    drawn = rng.integers(0, _POPULATION, count)
    quality, rows = everything.scores[drawn], everything.weight[drawn].astype(np.int64)
    base, new = (system(rng, quality, rows) for _ in range(2))
    of_mean, *of_fields = permutation_p_values(base, new, n_resamples=RESAMPLES - 1, seed=seed)
    q_values = stats.false_discovery_control(of_fields)
    means = Differences(new.columns([0]), base.columns([0]))
    bound = upper_bound(means, 1 - _LEVEL)
    return of_mean <= _LEVEL, bool((q_values <= _LEVEL).any()), bound is not None and bound < -ROUNDING


def trial(count: int, seed: int) -> Outcome:
    """One simulated test set of so many documents: what is counted, figure by figure."""
    rng = np.random.default_rng((count, seed))
    return (*intervals_hold(rng, count, seed), *found_by_chance(rng, count, seed))


def cell(hits: int, trials: int) -> str:
    """A share and its Monte Carlo standard error, in per cent."""
    share = hits / trials
    return f"{share:.1%} ± {(share * (1 - share) / trials) ** 0.5:.1%}"


def line(count: int, trials: int, outcomes: Iterable[Outcome]) -> str:
    """A row of the table."""
    hits = [sum(each) for each in zip(*outcomes, strict=True)]
    return f"| {count} | " + " | ".join(cell(each, trials) for each in hits) + " |"


def head() -> str:
    """The first lines of the table: what is counted, and what share of the trials it should be."""
    names, shares = (" | ".join(each) for each in zip(*((f.name, f"{f.nominal:.0%}") for f in FIGURES), strict=True))
    return f"| documents | {names} |\n| --- |{' --- |' * len(FIGURES)}\n| nominal | {shares} |"


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, help="simulated test sets of each size")
    trials = parser.parse_args().trials
    print(f"{trials:,} trials of each size, {RESAMPLES:,} resamples each; ± Monte Carlo standard error.\n")
    print(head())
    with ProcessPoolExecutor(_PROCESSES) as pool:
        for count in SIZES:
            found = pool.map(partial(trial, count), range(trials), chunksize=8)
            title = f"{count} documents"
            outcomes = track(found, title, total=trials, console=Console(stderr=True), transient=True)
            print(line(count, trials, outcomes), flush=True)


if __name__ == "__main__":
    main()
