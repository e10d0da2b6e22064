"""Measure median times, the time of the published package in an environment of its own, and peak memory."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

from dev.benchmarks.workloads import WORKLOADS, Pair
from docscore import anls_score
from docscore.core.values import to_json

HERE = Path(__file__).parent
PUBLISHED = HERE / ".anls_star"  # the environment of the published package; git ignores it
PACKAGE = "anls_star==1.0.1"
Work = Callable[[], object]


def seconds(works: Sequence[Work], repeats: int) -> list[float]:
    """Return the median seconds of processor time of each work, which leaves out other processes.

    The works take turns, so that other load on the machine affects all of them.

    Args:
        works: the works to measure.
        repeats: how often each work runs.
    """
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, taken in zip(works, times, strict=True):
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
    return [statistics.median(taken) for taken in times]


def one_by_one(pairs: list[Pair]) -> Work:
    """Return a function that scores the pairs with one call each."""

    def work() -> None:
        for truth, prediction in pairs:
            anls_score(truth, prediction)

    return work


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


def peak_megabytes(name: str, size: int) -> float:
    """Return the peak memory of scoring a workload in a new process, without its values and imports."""
    command = [sys.executable, "-m", "dev.benchmarks.measure", name, str(size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE.parents[1])
    return float(done.stdout)


def main() -> None:
    """Print the peak memory of the workload and size on the command line."""
    name, size = sys.argv[1:]
    work = one_by_one(next(each for each in WORKLOADS if each.name == name).make(int(size)))
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
