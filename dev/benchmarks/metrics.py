"""Measure the cost of each metric relative to ANLS*, on 1,000 documents: `python -m dev.benchmarks.metrics`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from dev.benchmarks.measure import Work, seconds
from dev.benchmarks.workloads import TYPED_SCHEMA, Pair, questions, typed_invoices
from docscore import CompareOptions, Evaluation, TestSet
from docscore.core.values import LEAF_TYPES, values_by_path

_DOCUMENTS = 1_000
_OF_TEXTS = ("anls", "anlsl")  # metrics that refuse objects


def test_set(pairs: Sequence[Pair], metric: str) -> TestSet:
    """Return the pairs as rows that the metric accepts; the regions of all values are one box for each value."""
    truths, predictions = (
        [side if metric != "anlsl" else [side] for side in sides] for sides in zip(*pairs, strict=True)
    )
    ids = [str(number) for number in range(len(pairs))]
    regions: dict[str, Any] = {}
    if metric == "grounding":
        regions = {"evidence": list(map(_boxes, truths)), "citations": list(map(_boxes, predictions))}
    return TestSet(ids, truths, predictions, **regions)


def _boxes(value: Any) -> dict[str, Any]:
    paths = [path for path, part in values_by_path(value) if type(part) in LEAF_TYPES]
    return {path: [{"page": 1, "box": [0, number / 1e3, 1, (number + 1) / 1e3]}] for number, path in enumerate(paths)}


def scored(rows: TestSet, metric: str) -> Work:
    """Return a function that scores rows by a metric."""
    options = CompareOptions(schema=TYPED_SCHEMA) if metric == "typed" else CompareOptions()
    return lambda: Evaluation(rows, options, metrics=[metric], confidence=None).score


def main() -> None:
    """Measure, and print the seconds of each metric divided by the seconds of ANLS* on the same documents."""
    parser = argparse.ArgumentParser(prog="python -m dev.benchmarks.metrics", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="the number of runs; the median counts")
    repeats = parser.parse_args().repeats
    texts = [(truth[0], prediction) for truth, prediction in questions(_DOCUMENTS)]
    for pairs, metrics in (
        (texts, ("anls_star", *_OF_TEXTS)),
        (typed_invoices(_DOCUMENTS), ("anls_star", "typed", "kieval", "entity_f1", "nted", "grounding")),
    ):
        works = [scored(test_set(pairs, metric), metric) for metric in metrics]
        first, *others = seconds(works, repeats)
        print(f"{metrics[0]:10} {first:8.3f} s")
        for metric, taken in zip(metrics[1:], others, strict=True):
            print(f"{metric:10} {taken / first:8.2f}")


if __name__ == "__main__":
    main()
