"""Rows per second with 1, 2 and 4 workers, measured in one run: `python -m benchmarks.workers`.

Each engine does all of its work: Ray reads files, joins, scores and writes; `score_pairs` has the pairs in memory; the
map of `datasets` reads and writes Arrow files. The numbers of workers take turns, so that other load affects all
of them. An engine that is not installed is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measure import seconds
from benchmarks.workloads import Pair, invoices, questions
from docscore import score_pairs

WORKERS = (1, 2, 4)
ROWS = {"questions": 200_000, "invoices": 20_000}
REPEATS = 3
_MAKERS = {"questions": questions, "invoices": invoices}
Run = Callable[[], object]
Runs = Iterator[Callable[[Any, int], Run]]  # functions of rows and number of workers


class Work(NamedTuple):
    """Rows of one kind.

    Attributes:
        name: their name in the table.
        pairs: ground truths and predictions.
        folder: the folder of their files and of results.
    """

    name: str
    pairs: list[Pair]
    folder: Path

    def file(self, side: str) -> str:
        """The JSONL file of a side."""
        return str(self.folder / f"{self.name}-{side}.jsonl")

    def answers(self) -> Iterator[list[Any]]:
        """The acceptable answers of each row."""
        return (list(truth) if isinstance(truth, tuple) else [truth] for truth, _ in self.pairs)


def made(name: str, rows: int, folder: Path) -> Work:
    """Create the rows, in memory and as files."""
    work = Work(name, _MAKERS[name](rows), folder)
    sides = {"prediction": [prediction for _, prediction in work.pairs], "references": list(work.answers())}
    for side, values in sides.items():
        with Path(work.file(side)).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps({"question_id": str(i), side: value}) + "\n" for i, value in enumerate(values))
    return work


@contextmanager
def in_processes() -> Runs:
    """Run `score_pairs` in several processes."""
    yield lambda work, workers: partial(score_pairs, work.pairs, num_proc=workers)


@contextmanager
def in_map() -> Runs:
    """Run `Dataset.map` on values as JSON text."""
    from datasets import Dataset, disable_progress_bars  # noqa: PLC0415  slow to import

    from docscore.integrations.datasets import score_batch  # noqa: PLC0415  beside what it is used with

    disable_progress_bars()
    options = {"parse_references": "json", "parse": "json"}

    def prepared(work: Work, workers: int) -> Run:
        predictions = [json.dumps(prediction) for _, prediction in work.pairs]
        references = [list(map(json.dumps, answers)) for answers in work.answers()]
        table = Dataset.from_dict({"prediction": predictions, "references": references})
        how = {"batched": True, "num_proc": workers, "load_from_cache_file": False}
        return partial(table.map, score_batch, fn_kwargs=options, **how)

    yield prepared


@contextmanager
def in_ray() -> Runs:
    """Run Ray Data; its workers are started before, and the number that may work at a time is limited."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # the future default; avoids a warning
    os.environ.setdefault("RAY_DATA_PARQUET_FOOTER_NUM_ACTORS", "1")  # of 32 processes for each file of Parquet
    import ray  # noqa: PLC0415  slow to import

    kept = {"idle_worker_killing_time_threshold_ms": 600_000}
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init(address="local", num_cpus=max(WORKERS), _system_config=kept, **quiet)
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield lambda work, workers: partial(_with_ray, work, workers)
    finally:
        ray.shutdown()


def _with_ray(work: Work, workers: int) -> None:
    from ray.data import DataContext  # noqa: PLC0415  slow to import

    from docscore.integrations.ray import joined, score  # noqa: PLC0415  an extra

    execution = DataContext.get_current().execution_options
    execution.resource_limits = execution.resource_limits.copy(cpu=workers)
    pairs = joined(work.file("prediction"), work.file("references"), num_partitions=8)
    score(pairs, output=tempfile.mkdtemp(dir=work.folder), fields=False)


ENGINES = {
    "score_pairs(num_proc=…)": ("docscore", in_processes),
    "datasets, map(num_proc=…)": ("datasets", in_map),
    "Ray Data": ("ray", in_ray),
}


def line(name: str, prepared: Callable[[Work, int], Run], work: Work, repeats: int) -> list[str]:
    """Rows per second for each number of workers, and the ratios to one worker; after one warm-up run."""
    runs = [prepared(work, workers) for workers in WORKERS]
    runs[-1]()
    speeds = [len(work.pairs) / taken for taken in seconds(runs, repeats, time.perf_counter)]
    ratios = [f"{speed / speeds[0]:.2f}×" for speed in speeds[1:]]
    return [name, f"{len(work.pairs):,} {work.name}", *(f"{speed:,.0f}" for speed in speeds), *ratios]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workers", description=__doc__)
    parser.add_argument("--rows", type=int, help="the number of rows of each kind")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="the number of runs; the median is shown")
    arguments = parser.parse_args()
    print(f"Rows per second; {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}.\n")
    header = ["engine", "rows", *(f"{n} worker{'s' * (n > 1)}" for n in WORKERS), *(f"{n} / 1" for n in WORKERS[1:])]
    print("| " + " | ".join(header) + " |\n|" + " --- |" * len(header))
    with tempfile.TemporaryDirectory() as folder:
        works = [made(name, arguments.rows or rows, Path(folder)) for name, rows in ROWS.items()]
        for name, (module, engine) in ENGINES.items():
            if find_spec(module) is None:
                print(f"| {name} | left out: {module} is not installed |" + " |" * (len(header) - 2))
                continue
            with engine() as prepared:
                for work in works:
                    print("| " + " | ".join(line(name, prepared, work, arguments.repeats)) + " |", flush=True)


if __name__ == "__main__":
    main()
