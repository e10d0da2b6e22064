"""Simulate the coverage of intervals, and the errors and power of tests: `python -m dev.benchmarks.coverage`.

Documents come from synthetic populations (`dev.benchmarks.populations`) whose means, rates and differences are known.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import lru_cache, partial
from statistics import fmean
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track
from scipy import stats

from dev.benchmarks.populations import (
    FIELDS,
    changed,
    confident,
    population,
    questions,
    scores_of_both,
    share_of_right_answers,
    some_documents,
    system,
)
from docscore.core.numbers import ROUNDING
from docscore.core.runtime import ignore
from docscore.evaluation.comparison import LEAST_DOCUMENT_SCORE
from docscore.stats.calibration import calibration_of
from docscore.stats.intervals import (
    CONFIDENCE,
    Array,
    Differences,
    Interval,
    Ratios,
    abc,
    bca,
    drawn_values,
    intervals_of,
    normal_quantiles,
    side_by_side,
    wilson_interval,
)
from docscore.stats.significance import permutation_p_values, ranks_of

TRIALS = 600
RESAMPLES = 2000  # docscore takes 10,000; the difference is far below the standard error of the simulation
MANY = 20_000  # documents, too many for resampling
_LEVEL = 1 - CONFIDENCE
_PROCESSES = 2

Outcome = tuple[bool | None, ...]  # None: there is nothing to count


class Figure(NamedTuple):
    """A row of a table.

    Attributes:
        name: the outcome whose share the row shows.
        nominal: the least share of an interval, or the largest of a test; None for power, which has no such bound.
    """

    name: str
    nominal: float | None


class Table(NamedTuple):
    """A table with one column for each size of the simulated test sets.

    Attributes:
        title: the title.
        unit: the unit of the sizes.
        sizes: the sizes.
        figures: the rows.
        trial: a function that simulates one test set from a size and a seed.
        times: the factor by which it takes more trials than other tables.
    """

    title: str
    unit: str
    sizes: tuple[int, ...]
    figures: tuple[Figure, ...]
    trial: Callable[[int, int], Outcome]
    times: int = 1


def holds(interval: Interval, truth: float) -> bool:
    """Return whether the interval contains the true value; False if there is no interval."""
    return interval.low is not None and interval.high is not None and interval.low <= truth <= interval.high


# few documents

MEANS = {"uniform in [0, 1]": 0.5, "0 with probability 0.12, else 1": 0.88, "beta(8, 2)": 0.8}


FEW = (2, 3, 5, 8, 10, 20, 40, 100)
_IN_A_BLOCK = 500  # test sets; of few documents there are more blocks


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
    """Yield the lines of a table: how often intervals hold the means, from few documents on."""
    yield f"| the interval holds the mean of scores, by documents | {' | '.join(map(str, FEW))} |"
    yield "|---|" + "---|" * len(FEW)
    blocks = [pool.map(partial(of_few, count), range(max(20, 400 // count))) for count in FEW]
    shares = [map(fmean, zip(*of_size, strict=True)) for of_size in blocks]
    for name, *row in zip(MEANS, *shares, strict=True):
        yield f"| {name} | {' | '.join(f'{share:.1%}' for share in row)} |"


# documents


def of_documents(count: int, seed: int) -> Outcome:
    """Simulate intervals of a mean, a ratio and a rate, and tests of two equal systems."""
    rng = np.random.default_rng((count, seed))
    everything, drawn = population(), some_documents(rng, count)
    scores, earned, weight = (side[drawn] for side in (everything.scores, everything.earned, everything.weight))
    mean = Ratios(scores[:, np.newaxis], np.ones((count, 1)))
    intervals = intervals_of(
        side_by_side(mean, Ratios(earned[:, np.newaxis], weight[:, np.newaxis])), n_resamples=RESAMPLES, seed=seed
    )
    intervals.append(wilson_interval(int((scores == 1).sum()), count))
    exact = (everything.scores == 1).mean()
    truths = everything.scores.mean(), everything.earned.sum() / everything.weight.sum(), exact
    base, new = (system(rng, drawn) for _ in range(2))
    of_mean, *of_fields = permutation_p_values(base, new, n_resamples=RESAMPLES - 1, seed=seed)
    q_values = stats.false_discovery_control(of_fields)
    return *map(holds, intervals, truths), of_mean <= _LEVEL, bool((q_values <= _LEVEL).any())


DOCUMENTS = Table(
    "intervals and tests",
    "documents",
    (20, 100, 500),
    (
        Figure("BCa holds the mean", CONFIDENCE),
        Figure("BCa holds a field's ratio", CONFIDENCE),
        Figure("Wilson holds a rate", CONFIDENCE),
        Figure("p ≤ 0.05, no difference", _LEVEL),
        Figure(f"any q ≤ 0.05 of {FIELDS} fields, no difference", _LEVEL),
    ),
    of_documents,
)


# the gate

# by the name of a row the share of right values that are lost, and that of documents that score 0
LOSSES = {
    "equal systems": (0.0, 0.0),
    "worse by 0.02": (0.024, 0.0),
    "worse by 0.05": (0.06, 0.0),
    "worse by 0.10": (0.12, 0.0),
    "one document in 25 lost": (0.0, 0.04),
}
MAX_LOSS, MAX_DOCUMENT_LOSS = 0.01, 0.9


def of_gate(count: int, seed: int) -> Outcome:
    """Simulate the gates of both modes, and that of single documents."""
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
    "documents",
    (20, 40, 100, 500),
    tuple(
        Figure(f"{name}, {mode}", _LEVEL if mode == "beyond chance" and not any(shares) else None)
        for mode in ("the figures", "beyond chance", "any document")
        for name, shares in LOSSES.items()
    ),
    of_gate,
)


# clusters


def of_clusters(count: int, seed: int) -> Outcome:
    """Simulate intervals and tests of questions in documents, and an interval that ignores the documents."""
    rng = np.random.default_rng((count, seed))
    base, new, clusters = questions(rng, count)
    alone, together = (
        intervals_of(base, n_resamples=RESAMPLES, seed=seed, clusters=labels)[0] for labels in (None, clusters)
    )
    [p_value] = permutation_p_values(base, new, n_resamples=RESAMPLES - 1, seed=seed, clusters=clusters)
    truth = share_of_right_answers()
    return holds(together, truth), holds(alone, truth), p_value <= _LEVEL


CLUSTERS = Table(
    "questions in documents of 1 to 20",
    "documents",
    (20, 100, 500),
    (
        Figure("BCa of clusters holds the mean", CONFIDENCE),
        Figure("BCa that ignores the documents", CONFIDENCE),
        Figure("p ≤ 0.05, no difference", _LEVEL),
    ),
    of_clusters,
)


# calibration

_STRETCHES = (1.0, 1.3, 2.0)


@lru_cache(maxsize=1)
def true_calibration() -> list[tuple[float, float, float]]:
    """Return AUROC, ECE and Brier score of the whole population, for each stretch."""
    samples = []
    for stretch in _STRETCHES:
        whole = confident(np.random.default_rng(0), 100_000, stretch)
        figures = calibration_of(*whole, n_resamples=2)
        samples.append((figures.auroc.value or 0.0, figures.ece.value or 0.0, figures.brier.value or 0.0))
    return samples


def of_calibration(count: int, seed: int) -> Outcome:
    """Simulate intervals of AUROC, the Brier score, and ECE of calibrated and of stretched confidences."""
    covered: list[bool | None] = []
    for stretch, (area, error, brier) in zip(_STRETCHES, true_calibration(), strict=True):
        values = confident(np.random.default_rng((count, seed)), count, stretch)
        figures = calibration_of(*values, n_resamples=RESAMPLES // 2, seed=seed)
        if stretch == 1.0:
            covered += [holds(figures.auroc.interval, area), holds(figures.brier.interval, brier)]
        covered.append(holds(figures.ece.interval, error))
    return tuple(covered)


CALIBRATION = Table(
    "confidences of values in documents of 1 to 15",
    "documents",
    (20, 100, 500),
    (
        Figure("BCa holds AUROC", CONFIDENCE),
        Figure("BCa holds the Brier score", CONFIDENCE),
        *(Figure(f"the interval holds ECE, confidences stretched by {stretch}", CONFIDENCE) for stretch in _STRETCHES),
    ),
    of_calibration,
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
        scores = np.hstack([system(rng, drawn, loss).earned[:, :1] for loss in losses])
        one, together, apart = (
            intervals_of(Ratios(each, np.ones_like(each)), n_resamples=RESAMPLES, seed=seed)[0]
            for each in (scores[:, :1], scores.mean(axis=1, keepdims=True), scores.reshape(-1, 1))
        )
        expected = truth * (1 - largest / 2)
        outcomes += [holds(one, expected), holds(together, expected), holds(apart, expected)]
    return tuple(outcomes)


RUNS = Table(
    f"{_RUNS} runs of one system; runs that differ lose 0 to {_LARGEST_LOSS} of their scores",
    "documents",
    (20, 100, 500),
    (
        Figure("BCa of one run holds the mean", CONFIDENCE),
        Figure("BCa of means over runs", CONFIDENCE),
        Figure("BCa that takes each run for a document", CONFIDENCE),
        Figure("BCa of one run, runs differ", CONFIDENCE),
        Figure("BCa of means over runs, runs differ", CONFIDENCE),
        Figure("BCa that takes each run for a document, runs differ", CONFIDENCE),
    ),
    of_runs,
)


# ranks

_LOSSES = {"8 equal systems": (0.1,) * 8, "8 systems, some equal": (0.0, 0.0, 0.02, 0.05, 0.1, 0.1, 0.2, 0.3)}


def of_ranks(count: int, seed: int) -> Outcome:
    """Simulate whether the ranks of all systems hold, and whether the worst system cannot be the best."""
    rng = np.random.default_rng((count, seed))
    drawn = some_documents(rng, count)
    outcomes = []
    for shares in _LOSSES.values():
        systems = side_by_side(*(system(rng, drawn, share).columns([0]) for share in shares))
        ranks = ranks_of(systems, n_resamples=RESAMPLES, seed=seed)
        better = [sum(other < share for other in shares) for share in shares]
        worse = [sum(other > share for other in shares) for share in shares]
        bounds = zip(ranks, better, worse, strict=True)
        outcomes.append(
            all(rank.low <= 1 + above and rank.high >= len(shares) - below for rank, above, below in bounds)
        )
    return *outcomes, ranks[-1].low > 1


RANKS = Table(
    "ranks",
    "documents",
    (10, 30, 100),
    (
        *(Figure(f"all ranks hold, {name}", CONFIDENCE) for name in _LOSSES),
        Figure("the system that loses 0.3 cannot be the best", None),
    ),
    of_ranks,
)


# many documents


def of_rare_failures(expected: int, seed: int) -> Outcome:
    """Simulate intervals of a mean where few of many documents fail, by ABC and by the normal approximation."""
    failures = int(np.random.default_rng((expected, seed)).binomial(MANY, expected / MANY))
    if not failures:
        return None, None
    scores = np.ones(MANY)
    scores[:failures] = 0.0
    truth, reach = 1 - expected / MANY, 1.96 * scores.std() / MANY**0.5
    [interval] = intervals_of(Ratios(scores[:, np.newaxis], np.ones((MANY, 1))))
    return holds(interval, truth), bool(abs(scores.mean() - truth) <= reach)


RARE = Table(
    f"{MANY:,} documents with few failures",
    "failures",
    (3, 10, 30),
    (Figure("ABC holds the mean", CONFIDENCE), Figure("the normal approximation holds it", CONFIDENCE)),
    of_rare_failures,
    4,
)


def many_documents() -> tuple[list[str], Ratios, Differences]:
    """Return names, ratios and a difference of ratios, over the fewest documents that are not resampled."""
    count, rng = 10_001, np.random.default_rng(1)
    drawn, ones = some_documents(rng, count), np.ones((count, 1))
    everything = population()
    of_field = Ratios(everything.earned[drawn, np.newaxis], everything.weight[drawn, np.newaxis])
    names, parts = ["mean, skewed", "ratio of a field"], [Ratios(everything.scores[drawn, np.newaxis], ones), of_field]
    for failures in (1, 5, 30):
        names.append(f"mean, {failures} wrong")
        parts.append(Ratios((np.arange(count) >= failures).astype(float)[:, np.newaxis], ones))
    for having in (5, 30):
        names.append(f"field of {having} documents")
        values = rng.integers(1, 7, (count, 1)) * (np.arange(count) < having)[:, np.newaxis]
        parts.append(Ratios(rng.binomial(values, 0.8).astype(float), values.astype(float)))
    base, new = (system(rng, drawn).columns([FIELDS]) for _ in range(2))
    return [*names, "difference of ratios"], side_by_side(*parts), Differences(new, base)


def distances() -> Iterable[str]:
    """Yield the lines of a table: the distances of ends of intervals from those of BCa, as shares of the width."""
    yield "| distance from the ends of BCa | BCa, another seed | ABC | normal approximation |"
    yield "|---|---|---|---|"
    names, ratios, difference = many_documents()
    shares: list[list[float]] = []
    both: tuple[Ratios | Differences, ...] = ratios, difference
    for estimates in both:
        pulls, of_resample = -estimates.left_out(), (estimates.of, len(estimates.values), estimates.count)
        reach = normal_quantiles(CONFIDENCE, estimates.having)
        full, other = (
            bca(drawn_values(*of_resample, 10_000, seed, ignore), estimates.values, pulls, reach) for seed in (0, 1)
        )
        closed = abc(estimates, reach)
        normal = estimates.values - reach * closed[2], estimates.values + reach * closed[2]
        apart = [np.maximum(abs(full[0] - end[0]), abs(full[1] - end[1])) for end in (other, closed, normal)]
        shares += (np.array(apart) / (full[1] - full[0])).T.tolist()
    for name, row in zip(names, shares, strict=True):
        yield f"| {name} | {' | '.join(f'{share:.1%}' for share in row)} |"


# printing

TABLES = (DOCUMENTS, GATE, CLUSTERS, CALIBRATION, RUNS, RANKS, RARE)


def cell(outcomes: Iterable[bool | None]) -> str:
    """Format the share of outcomes that are true."""
    counted = [each for each in outcomes if each is not None]
    return f"{sum(counted) / max(len(counted), 1):.1%}"


def simulate(table: Table, trials: int, pool: Executor) -> None:
    """Simulate and print one table."""
    columns = []
    for size in table.sizes:
        trials_run = pool.map(partial(table.trial, size), range(trials * table.times), chunksize=8)
        title = f"{table.title}, {size} {table.unit}"
        outcomes = track(trials_run, title, total=trials * table.times, console=Console(stderr=True), transient=True)
        columns.append(list(map(cell, zip(*outcomes, strict=True))))
    print(f"\n| {table.title}, by {table.unit} | nominal |", *(f"{size} |" for size in table.sizes))
    print("|---|---|" + "---|" * len(table.sizes))
    for figure, *cells in zip(table.figures, *columns, strict=True):
        nominal = "" if figure.nominal is None else f"{figure.nominal:.0%}"
        print(f"| {figure.name} | {nominal} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(prog="python -m dev.benchmarks.coverage", description=__doc__)
    parser.add_argument(
        "--trials",
        type=int,
        default=TRIALS,
        help="the number of simulated test sets of each size; some tables take four times as many",
    )
    trials = parser.parse_args().trials
    print(f"Standard errors are at most {0.5 / trials**0.5:.1%}, those of failures half of that.")
    with ProcessPoolExecutor(_PROCESSES) as pool:
        for table in TABLES:
            simulate(table, trials, pool)
        for lines in (few_documents(pool), distances()):
            print()
            for line in lines:
                print(line, flush=True)


if __name__ == "__main__":
    main()
