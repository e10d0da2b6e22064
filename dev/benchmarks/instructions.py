"""Processor instructions of docscore and of the lower bound, if valgrind is installed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dev.benchmarks import valgrind
from dev.benchmarks.lower_bound import lower_bound
from dev.benchmarks.measure import Work, one_by_one, views
from dev.benchmarks.official_kieval import SETTINGS, official_work, our_work
from dev.benchmarks.workloads import WORKLOADS, Pair, invoices, typed_invoices
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
    "typed score of invoices": 40,  # compared with the text ANLS* of the same pairs
    "typed score of invoices with money and dates": 40,
}
VIEWED = ("invoices", "flat objects", "60 real receipts")  # their score trees and fields are compared with scores
_KIEVAL_SIZE = 30
_CHECKOUT = "--kieval="


class Instructions(NamedTuple):
    """The instructions that a workload takes.

    Attributes:
        name: the workload, with "batched" if it is one call.
        size: its size, smaller than where seconds are measured.
        docscore: the instructions of docscore.
        lower_bound: the instructions of the lower bound, or of the work that the name compares with.
    """

    name: str
    size: int
    docscore: int
    lower_bound: int

    def cells(self) -> list[str]:
        """Return the cells of a line of the table as text."""
        millions = (f"{count / 1e6:,.1f} M" for count in (self.docscore, self.lower_bound))
        return [self.name, f"{self.size:,}", *millions, f"{self.docscore / self.lower_bound:.2f}×"]


HEADER = ["workload", "size", "docscore", "lower bound", "docscore / lower bound"]


def counted_instructions(names: Sequence[str] = tuple(SIZES), kieval: Path | None = None) -> list[Instructions]:
    """Count the instructions of workloads; return nothing if valgrind is not installed.

    Args:
        names: the names of the workloads.
        kieval: a checkout of the official code of KIEval, to count it too.

    Raises:
        subprocess.CalledProcessError: if the program under valgrind fails.
    """
    arguments = [*names, *([f"{_CHECKOUT}{kieval.resolve()}"] if kieval else [])]
    if not arguments or not valgrind.is_installed():
        return []
    counts = valgrind.counted("dev.benchmarks.instructions", arguments, Path(__file__).parents[2])
    return [Instructions(name, size, *instructions) for name, size, instructions in counts]


def main(arguments: Sequence[str]) -> None:
    """Count the named workloads, and KIEval if its checkout is named. Runs under valgrind."""
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
            others, _ = typed_invoices(SIZES[name], money="money" in name, seed=6)  # so that no value is in a cache
            warm_up = (one_by_one(others), _typed(others, schema))
            _count({name: _typed(pairs, schema)}, one_by_one(pairs), SIZES[name], warm_up)
    for argument in arguments:
        if argument.startswith(_CHECKOUT):
            pairs = invoices(_KIEVAL_SIZE)
            for name, several in SETTINGS.items():
                official = official_work(Path(argument.removeprefix(_CHECKOUT)), pairs, several=several)
                _count({name: our_work(pairs)}, official, _KIEVAL_SIZE)


def _count(works: Mapping[str, Work], base: Work, size: int, warm_up: Sequence[Work] = ()) -> None:
    """Count each work and the one that it compares with.

    Args:
        works: the works, by name.
        base: the lower bound, or another work to compare with.
        size: the size of the works.
        warm_up: works to run first, so that imports do not count; by default the works themselves.
    """
    for work in warm_up or (base, *works.values()):
        work()
    for name, work in works.items():
        valgrind.count(name, size, work, base)


def _typed(pairs: list[Pair], schema: dict[str, Any]) -> Work:
    def score() -> None:
        for pair in pairs:
            typed_score(*pair, schema)

    return score


def _batched(pairs: list[Pair]) -> Work:
    return lambda: score_pairs(pairs)


if __name__ == "__main__":
    main(sys.argv[1:])
