"""Measure median times, the time of the published package in an environment of its own, and peak memory.

`python -m dev.benchmarks.measure` prints the seconds and the peak memory of long lists: 10,000 rows of six fields
should take at most 30 times as long as 2,000, and 2 GB.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from dev.benchmarks.workloads import WORKLOADS, Pair, long_list
from docscore import anls_score, score_tree, typed_score
from docscore.core.options import DEFAULT_OPTIONS
from docscore.core.values import to_json
from docscore.evaluation.fields import FieldTable
from docscore.metrics.anls_star.api import FieldCounts

HERE = Path(__file__).parent
PUBLISHED = HERE / ".anls_star"  # the environment of the published package; git ignores it
PACKAGE = "anls_star==1.0.1"
Work = Callable[[], object]
LONG = "2,000 rows of six fields"
_EXACT = {key: {"x-docscore": {"compare": "exact"}} for key in long_list(1)[0][0][0]}
SCORES: dict[str, Callable[[Any, Any], object]] = {
    "ANLS*": anls_score,
    "typed score with a key": partial(typed_score, schema={"x-docscore": {"key": "number"}, "items": {}}),
    "typed score, all fields exact": partial(typed_score, schema={"items": {"properties": _EXACT}}),
}


def seconds(works: Sequence[Work], repeats: int, clock: Callable[[], float] = time.process_time) -> list[float]:
    """Return the median seconds of each work.

    The works take turns, so that other load on the machine affects all of them.

    Args:
        works: the works to measure.
        repeats: how often each work runs.
        clock: the clock; by default processor time, which leaves out other processes.
    """
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, taken in zip(works, times, strict=True):
            start = clock()
            work()
            taken.append(clock() - start)
    return [statistics.median(taken) for taken in times]


def one_by_one(pairs: list[Pair], score: Callable[[Any, Any], object] = anls_score) -> Work:
    """Return a function that scores the pairs with one call each."""

    def work() -> None:
        for truth, prediction in pairs:
            score(truth, prediction)

    return work


def views(pairs: list[Pair]) -> dict[str, Work]:
    """Return the works that cost more than scores, by name: score trees, and the counts of fields."""

    def trees() -> None:
        for pair in pairs:
            score_tree(*pair)

    def fields() -> None:
        table, counts = FieldTable(), FieldCounts()
        for number, pair in enumerate(pairs):
            table.add(number, counts.of_pair(*pair, DEFAULT_OPTIONS).leaves, counts.lists, counts.weight)

    return {"score trees": trees, "fields": fields}


def with_both_flags(pairs: list[Pair]) -> Work:
    """Return a function that also asks for closest ground truths and key scores, with one call each."""

    def work() -> None:
        for truth, prediction in pairs:
            anls_score(truth, prediction, return_gt=True, return_key_scores=True)

    return work


def published_seconds(pairs: list[Pair], *flags: str) -> float:
    """Return the seconds that the published package needs for the pairs.

    Args:
        pairs: ground truths and predictions.
        flags: the arguments of its function that are True.
    """
    python = PUBLISHED / "bin" / "python"
    if not python.exists():
        venv.create(PUBLISHED, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGE], check=True)
    rows = json.dumps([(to_json(truth), prediction) for truth, prediction in pairs])
    done = subprocess.run(
        [python, "-I", HERE / "published.py", *flags], input=rows, check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def peak_megabytes(name: str, size: int, score: str = "ANLS*") -> float:
    """Return the peak memory of scoring a workload in a new process, without its values and imports."""
    command = [sys.executable, "-m", "dev.benchmarks.measure", name, str(size), score]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE.parents[1])
    return float(done.stdout)


def long_lists() -> None:
    """Print the seconds of 2,000 and of 10,000 rows by each score, their ratio, and the peak memory of 10,000."""
    for name, score in SCORES.items():
        few, many = seconds([one_by_one(long_list(size), score) for size in (2_000, 10_000)], 3)
        memory = peak_megabytes(LONG, 10_000, name)
        print(f"{name:32} {few:6.2f} s {many:6.2f} s {many / few:5.1f}× {memory:6,.0f} MB")


def main() -> None:
    """Print the peak memory of the workload, size and score on the command line; without them, measure long lists."""
    if not sys.argv[1:]:
        long_lists()
        return
    name, size, score = sys.argv[1:]
    work = one_by_one(next(each for each in WORKLOADS if each.name == name).make(int(size)), SCORES[score])
    one_by_one([(["a", "b", "c"], ["c", "b", "d"])])()  # run the lazy imports
    before = _peak_kilobytes()
    work()
    print((_peak_kilobytes() - before) / 1024)


def _peak_kilobytes() -> int:
    """Return the peak memory of this process; getrusage would include memory from before exec."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0])


if __name__ == "__main__":
    main()
