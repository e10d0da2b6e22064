"""Compare the scores of random pairs with an exact oracle: `python -m dev.benchmarks.exactness`.

A pair passes if its score differs from the score of the oracle by at most 1e-12, and if `anls_score`, `score_pairs` and
`score_tree` give the same bits for every order of its lists, alternatives and keys.
"""

from __future__ import annotations

import argparse
import random
import warnings
from collections.abc import Iterator
from typing import Any

from docscore import anls_score, score_pairs, score_tree
from tests.oracle import Oracle
from tests.structures import damaged, random_prediction, random_truth, shuffled

_CLOSE = 1e-12
_SHOWN = 5  # failures that are printed


def random_pair(rng: random.Random) -> tuple[Any, Any]:
    """Sample a ground truth and a damaged copy or an unrelated value; few scalars, so that many matchings tie."""
    depth = rng.choice((1, 2, 2, 3))
    truth = random_truth(rng, depth)
    return truth, damaged(rng, truth) if rng.random() < 0.5 else random_prediction(rng, depth)


def scores(rng: random.Random, truth: Any, prediction: Any) -> Iterator[float]:
    """Yield the score by every function, in two orders."""
    other = shuffled(rng, truth), shuffled(rng, prediction)
    yield anls_score(truth, prediction)
    yield anls_score(*other)
    yield score_tree(truth, prediction).score
    yield score_tree(*other).score
    yield from score_pairs([(truth, prediction), other]).tolist()


def failure(rng: random.Random, truth: Any, prediction: Any) -> str:
    """Return which check the scores of a pair fail, or ""."""
    variants = list(scores(rng, truth, prediction))
    if len(set(variants)) > 1:
        return "bits"
    expected = float(Oracle().score(truth, prediction).score)
    return "" if abs(variants[0] - expected) <= _CLOSE else "oracle"


def main() -> None:
    """Read the command line, compare, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.filterwarnings("ignore", "compatibility mode", UserWarning)
    rng = random.Random(options.seed)
    failures = {"bits": 0, "oracle": 0}
    for number in range(options.pairs):
        truth, prediction = random_pair(rng)
        kind = failure(rng, truth, prediction)
        if kind:
            failures[kind] += 1
            if sum(failures.values()) <= _SHOWN:
                print(f"{kind}: pair {number}: {truth!r} against {prediction!r}", flush=True)
    print(
        f"{options.pairs:,} pairs, seed {options.seed}: {failures['oracle']} differ from the exact score by more than "
        f"{_CLOSE:g}, {failures['bits']} change bits with the order or the path"
    )


if __name__ == "__main__":
    main()
