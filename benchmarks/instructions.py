"""Processor instructions in place of seconds, where `valgrind` is installed: load of the machine does not change them.

One program under valgrind does everything: it prepares a workload, runs each work once, and then forks for each. What a
fork counts beyond one that does nothing is the work.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.lower_bound import lower_bound
from benchmarks.measure import Work, one_by_one, views
from benchmarks.official_kieval import SETTINGS, official_work, our_work
from benchmarks.workloads import WORKLOADS, Pair, invoices, typed_invoices
from docscore import score_pairs, typed_score

SIZES = {  # valgrind takes about fifty times as long
    "questions": 2_000,
    "questions, mostly right": 2_000,
    "invoices": 100,
    "flat objects": 100,
    "60 real receipts": 60,
    "statement of 200 rows": 200,
    "statement of 500 rows": 500,
    "30 orders with lists of items": 30,
    "text of 5,000 characters": 5_000,
    "nested, 3 levels of 8": 8,
    "typed score of invoices": 40,  # against text ANLS* of the same pairs
    "typed score of invoices with money and dates": 40,
}
VIEWED = ("invoices", "flat objects", "60 real receipts")  # whose score trees and fields are counted against scores
_KIEVAL_SIZE = 30
_CHECKOUT = "--kieval="
_COUNTED = re.compile(r"I\s+refs:\s+([\d,]+)")


class Instructions(NamedTuple):
    """How many instructions a workload takes.

    Attributes:
        name: the workload, and "batched" where it is one call.
        size: its size, smaller than where seconds are measured.
        docscore: the instructions of docscore.
        lower_bound: those of the lower bound, or of what the name compares with.
    """

    name: str
    size: int
    docscore: int
    lower_bound: int

    def cells(self) -> list[str]:
        """The cells of a line of the table as text."""
        millions = (f"{count / 1e6:,.1f} M" for count in (self.docscore, self.lower_bound))
        return [self.name, f"{self.size:,}", *millions, f"{self.docscore / self.lower_bound:.2f}×"]


HEADER = ["workload", "size", "docscore", "lower bound", "docscore / lower bound"]


def counted_instructions(names: Sequence[str] = tuple(SIZES), kieval: Path | None = None) -> list[Instructions]:
    """Count the instructions of workloads; none where valgrind is not installed.

    Args:
        names: the names of the workloads.
        kieval: a checkout of the official code of KIEval, to count that too.

    Raises:
        subprocess.CalledProcessError: if the program under valgrind fails.
    """
    valgrind = shutil.which("valgrind")
    if valgrind is None or not (names or kieval):
        return []
    with tempfile.TemporaryDirectory() as folder:
        tool = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        command = [valgrind, *tool, f"--log-file={folder}/%p", sys.executable, "-m", "benchmarks.instructions", *names]
        if kieval is not None:
            command.append(f"{_CHECKOUT}{kieval.resolve()}")
        fixed = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        here = Path(__file__).parent.parent
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=here, env=os.environ | fixed)
        lines = []
        for name, size, *processes in map(json.loads, done.stdout.splitlines()):
            idle, work, least = (_counted(Path(folder) / str(process)) for process in processes)
            lines.append(Instructions(name, size, work - idle, least - idle))
        return lines


def _counted(log: Path) -> int:
    """The instructions of a process by its log."""
    match = _COUNTED.search(log.read_text(encoding="utf-8"))
    if match is None:
        msg = f"valgrind counted nothing: {log.read_text(encoding='utf-8')}"
        raise RuntimeError(msg)
    return int(match[1].replace(",", ""))


def _run(arguments: Sequence[str]) -> None:
    """Count the workloads that are named, and KIEval if its checkout is named."""
    for workload in WORKLOADS:
        if workload.name in arguments:
            pairs = workload.make(SIZES[workload.name])
            works = {workload.name: one_by_one(pairs)}
            if len(pairs) > 1:
                works[f"{workload.name}, batched"] = _batched(pairs)
            _count(works, lower_bound(pairs), SIZES[workload.name])
            if workload.name in VIEWED:
                names = {f"{view} of {workload.name}, against scores": work for view, work in views(pairs).items()}
                _count(names, one_by_one(pairs), SIZES[workload.name])
    for name in ("typed score of invoices", "typed score of invoices with money and dates"):
        if name in arguments:
            pairs, schema = typed_invoices(SIZES[name], money="money" in name)
            others, _ = typed_invoices(SIZES[name], money="money" in name, seed=6)  # the values counted are new to it
            first = (one_by_one(others), _typed(others, schema))
            _count({name: _typed(pairs, schema)}, one_by_one(pairs), SIZES[name], first)
    for each in arguments:
        if each.startswith(_CHECKOUT):
            pairs = invoices(_KIEVAL_SIZE)
            for name, several in SETTINGS.items():
                official = official_work(Path(each.removeprefix(_CHECKOUT)), pairs, several=several)
                _count({name: our_work(pairs)}, official, _KIEVAL_SIZE)


def _count(works: Mapping[str, Work], least: Work, size: int, first: Sequence[Work] = ()) -> None:
    """Print name, size, and the processes that did nothing, a work, and the lower bound, for each work.

    Args:
        works: what is counted, by name.
        least: the lower bound.
        size: of the works.
        first: what is done before, so that imports and the like are not counted; by default the works themselves.
    """
    for each in first or (least, *works.values()):
        each()
    for name, work in works.items():
        pids = [_forked(each) for each in (_nothing, work, least)]
        print(json.dumps([name, size, *pids]), flush=True)


def _typed(pairs: list[Pair], schema: dict[str, Any]) -> Work:
    def score() -> None:
        for pair in pairs:
            typed_score(*pair, schema)

    return score


def _batched(pairs: list[Pair]) -> Work:
    return lambda: score_pairs(pairs)


def _nothing() -> None:
    """Do no work."""


def _forked(work: Work) -> int:
    """Run a work in a fork, and return its process id."""
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)  # without what Python does at its end
    os.waitpid(pid, 0)
    return pid


if __name__ == "__main__":
    _run(sys.argv[1:])
