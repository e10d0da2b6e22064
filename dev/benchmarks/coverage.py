"""Simulate the coverage of intervals and the power of the gate: `python -m dev.benchmarks.coverage`.

Documents come from a synthetic population whose mean is known. Three in ten are exact, and one in twenty scores 0. The
others lose some points, and few of them lose many. docs/statistics.md, systems.md and products.md cite the figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import lru_cache, partial
from statistics import fmean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track

from docscore.core.numbers import ROUNDING
from docscore.evaluation.comparison import LEAST_DOCUMENT_SCORE
from docscore.stats.intervals import (
    CONFIDENCE,
    Array,
    Differences,
    Interval,
    Ratios,
    intervals_of,
)
from docscore.stats.significance import permutation_p_values

TRIALS = 600
RESAMPLES = 2000  # docscore takes 10,000; the difference is far below the standard error of the simulation
_LEVEL = 1 - CONFIDENCE
_PROCESSES = 2

Outcome = tuple[bool, ...]
Numbers = npt.NDArray[np.int64]


class Table(NamedTuple):
    """A table with one column for each size of the simulated test sets.

    Attributes:
        title: the title.
        sizes: the numbers of documents.
        figures: the rows, each with the outcome whose share it shows, and the least share of an interval or the largest
            of a test; None for power, which has no such bound.
        trial: a function that simulates one test set from a size and a seed.
    """

    title: str
    sizes: tuple[int, ...]
    figures: tuple[tuple[str, float | None], ...]
    trial: Callable[[int, int], Outcome]


def holds(interval: Interval, truth: float) -> bool:
    """Return whether the interval contains the true value; False if there is no interval."""
    return interval.low is not None and interval.high is not None and interval.low <= truth <= interval.high


# populations

_FIELDS = 10
_COUNT = 100_000


class Population(NamedTuple):
    """The score of each document, and how many rows each has."""

    scores: Array
    rows: Numbers


@lru_cache(maxsize=1)
def population() -> Population:
    """Return the documents that all test sets are samples of."""
    rng = np.random.default_rng(0)
    kinds = rng.random(_COUNT)
    scores = np.where(kinds < 0.3, 1.0, np.where(kinds < 0.35, 0.0, rng.beta(6, 1.2, _COUNT)))
    return Population(scores, np.minimum(rng.geometric(0.3, _COUNT) - 1, 12))


def some_documents(rng: np.random.Generator, count: int) -> Numbers:
    """Sample document numbers."""
    return rng.integers(0, _COUNT, count)


def system(rng: np.random.Generator, drawn: Numbers, loss: float = 0.0) -> Array:
    """Sample scores of a system that gets each value of a document right with a probability equal to its score.

    Args:
        rng: the random numbers.
        drawn: the numbers of the sampled documents.
        loss: the share of the right values that the system gets wrong instead.
    """
    quality, rows = population().scores[drawn] * (1 - loss), population().rows[drawn]
    weight = np.column_stack([np.ones_like(rows)] * (_FIELDS // 2) + [rows] * (_FIELDS // 2))
    scores: Array = rng.binomial(weight, quality[:, np.newaxis]).sum(axis=1) / weight.sum(axis=1)
    return scores


def changed(changes: Array) -> Differences:
    """Return two systems whose scores have these differences."""
    sides = (np.maximum(changes, 0.0), np.maximum(-changes, 0.0))
    new, base = (Ratios(side[:, np.newaxis], np.ones((len(side), 1))) for side in sides)
    return Differences(new, base)


def scores_of_both(rng: np.random.Generator, count: int, loss: float, collapsed: float = 0.0) -> tuple[Array, Array]:
    """Sample document scores of two systems; the new one gets a share of the right values wrong.

    Args:
        rng: the random numbers.
        count: the number of documents.
        loss: the share of the right values that the new system gets wrong.
        collapsed: the probability that a document scores 0.
    """
    drawn = some_documents(rng, count)
    base, new = (system(rng, drawn, share) for share in (0.0, loss))
    return base, np.where(rng.random(count) < collapsed, 0.0, new)


# few documents

MEANS = {"uniform in [0, 1]": 0.5, "0 with probability 0.12, else 1": 0.88, "beta(8, 2)": 0.8}


FEW = (2, 3, 5, 8, 10, 20, 40, 100)
_IN_A_BLOCK = 500  # test sets; small test sets have more blocks


def of_few(count: int, seed: int) -> list[float]:
    """Return how often the interval of a block of test sets holds the mean, for each kind of scores."""
    rng = np.random.default_rng((count, seed))
    size = count, _IN_A_BLOCK
    kinds = rng.random(size), (rng.random(size) >= 0.12).astype(np.float64), rng.beta(8, 2, size)
    return [
        fmean(holds(interval, mean) for interval in intervals_of(Ratios(scores, np.ones(size))))
        for scores, mean in zip(kinds, MEANS.values(), strict=True)
    ]


def few_documents(pool: Executor) -> Iterable[str]:
    """Yield the lines of the table that shows how often intervals hold the means, for 2 to 100 documents."""
    yield f"| the interval holds the mean of scores, by documents | {' | '.join(map(str, FEW))} |"
    yield "|---|" + "---|" * len(FEW)
    blocks = [pool.map(partial(of_few, count), range(max(20, 400 // count))) for count in FEW]
    shares = [map(fmean, zip(*of_size, strict=True)) for of_size in blocks]
    for name, *row in zip(MEANS, *shares, strict=True):
        yield f"| {name} | {' | '.join(f'{share:.1%}' for share in row)} |"


# the gate

# for each row: the share of right values that are lost, and the share of documents that score 0
LOSSES = {
    "equal systems": (0.0, 0.0),
    "worse by 0.02": (0.024, 0.0),
    "worse by 0.05": (0.06, 0.0),
    "worse by 0.10": (0.12, 0.0),
    "one document in 25 lost": (0.0, 0.04),
}
MAX_LOSS, MAX_DOCUMENT_LOSS = 0.01, 0.9


def of_gate(count: int, seed: int) -> Outcome:
    """Simulate the gate in both modes, and the gate on single documents."""
    rng = np.random.default_rng((count, seed))
    scores = [scores_of_both(rng, count, *shares) for shares in LOSSES.values()]
    differences = [changed(new - base) for base, new in scores]
    plain = [float(each.values[0]) < -MAX_LOSS - ROUNDING for each in differences]
    beyond = (fell and shows_loss(each, seed) for fell, each in zip(plain, differences, strict=True))
    return *plain, *beyond, *(loses_a_document(*each) for each in scores)


def loses_a_document(base: Array, new: Array) -> bool:
    """Return whether a document that is evaluated lost more than a share of its score."""
    lost = base - new > MAX_DOCUMENT_LOSS * base + ROUNDING
    return bool((lost & (base >= LEAST_DOCUMENT_SCORE - ROUNDING)).any())


def shows_loss(differences: Differences, seed: int) -> bool:
    """Return whether the interval and the p-value show a loss of more than `MAX_LOSS`."""
    [interval] = intervals_of(differences, n_resamples=RESAMPLES, seed=seed)
    [p_value] = permutation_p_values(differences.base, differences.new, n_resamples=RESAMPLES - 1, seed=seed)
    return interval.high is not None and interval.high < -MAX_LOSS - ROUNDING and p_value < _LEVEL


GATE = Table(
    f"the gate with a limit of {MAX_LOSS:g}, of a document {MAX_DOCUMENT_LOSS:.0%} of its score, fails",
    (20, 40, 100, 500),
    tuple(
        (f"{name}, {mode}", _LEVEL if mode == "beyond chance" and not any(shares) else None)
        for mode in ("the figures", "beyond chance", "any document")
        for name, shares in LOSSES.items()
    ),
    of_gate,
)


# runs

_RUNS = 3
_LARGEST_LOSS = 0.1


def of_runs(count: int, seed: int) -> Outcome:
    """Simulate intervals of means over runs, which resample documents with all their runs."""
    rng = np.random.default_rng((count, seed))
    drawn, truth = some_documents(rng, count), population().scores.mean()
    outcomes = []
    for largest in (0.0, _LARGEST_LOSS):
        losses = rng.uniform(0, largest, _RUNS)
        scores = np.column_stack([system(rng, drawn, loss) for loss in losses])
        one, together, apart = (
            intervals_of(Ratios(each, np.ones_like(each)), n_resamples=RESAMPLES, seed=seed)[0]
            for each in (scores[:, :1], scores.mean(axis=1, keepdims=True), scores.reshape(-1, 1))
        )
        expected = truth * (1 - largest / 2)
        outcomes += [holds(one, expected), holds(together, expected), holds(apart, expected)]
    return tuple(outcomes)


RUNS = Table(
    f"{_RUNS} runs of one system; runs that differ lose 0 to {_LARGEST_LOSS} of their scores",
    (20, 100, 500),
    (
        ("BCa of one run holds the mean", CONFIDENCE),
        ("BCa of means over runs", CONFIDENCE),
        ("BCa that takes each run for a document", CONFIDENCE),
        ("BCa of one run, runs differ", CONFIDENCE),
        ("BCa of means over runs, runs differ", CONFIDENCE),
        ("BCa that takes each run for a document, runs differ", CONFIDENCE),
    ),
    of_runs,
)


# printing

TABLES = (GATE, RUNS)


def cell(outcomes: Iterable[bool]) -> str:
    """Format the share of outcomes that are true."""
    return f"{fmean(outcomes):.1%}"


def simulate(table: Table, trials: int, pool: Executor) -> None:
    """Simulate and print one table."""
    columns = []
    for size in table.sizes:
        trials_run = pool.map(partial(table.trial, size), range(trials), chunksize=8)
        title = f"{table.title}, {size} documents"
        outcomes = track(trials_run, title, total=trials, console=Console(stderr=True), transient=True)
        columns.append(list(map(cell, zip(*outcomes, strict=True))))
    print(f"\n| {table.title}, by documents | nominal |", *(f"{size} |" for size in table.sizes))
    print("|---|---|" + "---|" * len(table.sizes))
    for (name, share), *cells in zip(table.figures, *columns, strict=True):
        nominal = "" if share is None else f"{share:.0%}"
        print(f"| {name} | {nominal} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(prog="python -m dev.benchmarks.coverage", description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, help="the number of simulated test sets of each size")
    trials = parser.parse_args().trials
    print(f"Standard errors are at most {0.5 / trials**0.5:.1%}.")
    with ProcessPoolExecutor(_PROCESSES) as pool:
        for table in TABLES:
            simulate(table, trials, pool)
        print()
        for line in few_documents(pool):
            print(line, flush=True)


if __name__ == "__main__":
    main()
