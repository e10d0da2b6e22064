"""Measure median times, the time of the published package in its own environment, peak memory, and growth."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.workloads import WORKLOADS, Pair
from docscore import anls_score, score_tree
from docscore.core.options import DEFAULT_OPTIONS
from docscore.core.values import to_json
from docscore.evaluation.fields import FieldTable
from docscore.metrics.anls_star.causes import FieldCounts

HERE = Path(__file__).parent
PUBLISHED = HERE / ".anls_star"  # the environment of the published package; git ignores it
PACKAGE = "anls_star==1.0.1"
Work = Callable[[], object]


def seconds(works: Sequence[Work], repeats: int, clock: Callable[[], float] = time.process_time) -> list[float]:
    """The median seconds of each work, of processor time; works run in turns, so that other load affects all of them.

    Args:
        works: what is measured.
        repeats: how often each is run.
        clock: another clock, for works that are done in other processes.
    """
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, taken in zip(works, times, strict=True):
            start = clock()
            work()
            taken.append(clock() - start)
    return [statistics.median(taken) for taken in times]


def one_by_one(pairs: list[Pair]) -> Work:
    """Return a function that scores the pairs with one call each."""

    def work() -> None:
        for truth, prediction in pairs:
            anls_score(truth, prediction)

    return work


def views(pairs: list[Pair]) -> dict[str, Work]:
    """What costs more than a score, by name: the score trees of the pairs, and the counts of their fields."""

    def trees() -> None:
        for pair in pairs:
            score_tree(*pair)

    def fields() -> None:
        table, counts = FieldTable(), FieldCounts()
        for number, pair in enumerate(pairs):
            table.add(number, counts.of_pair(*pair, DEFAULT_OPTIONS).leaves, counts.elements, counts.weight)

    return {"score trees": trees, "fields": fields}


def with_both_flags(pairs: list[Pair]) -> Work:
    """Return a function that asks for closest ground truths and key scores too, with one call each."""

    def work() -> None:
        for truth, prediction in pairs:
            anls_score(truth, prediction, return_gt=True, return_key_scores=True)

    return work


def published_seconds(pairs: list[Pair], *flags: str) -> float:
    """The seconds that the published package needs for the pairs; the flags are arguments of it that are True."""
    python = PUBLISHED / "bin" / "python"
    if not python.exists():
        venv.create(PUBLISHED, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGE], check=True)
    rows = json.dumps([(to_json(truth), prediction) for truth, prediction in pairs])
    done = subprocess.run(
        [python, "-I", HERE / "published.py", *flags], input=rows, check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def peak_megabytes(name: str, size: int) -> float:
    """The peak memory of scoring a workload, without its values and imports; measured in a new process."""
    command = [sys.executable, "-m", "benchmarks.measure", name, str(size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE.parent)
    return float(done.stdout)


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The slope of log time over log size."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def main() -> None:
    """Print the peak memory of the workload and size on the command line."""
    name, size = sys.argv[1:]
    work = one_by_one(next(each for each in WORKLOADS if each.name == name).make(int(size)))
    one_by_one([(["a", "b", "c"], ["c", "b", "d"])])()  # runs the lazy imports
    before = _peak_kilobytes()
    work()
    print((_peak_kilobytes() - before) / 1024)


def _peak_kilobytes() -> int:
    """The peak memory of this program; getrusage would include memory from before exec."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0])


if __name__ == "__main__":
    main()
