"""Measure all workloads and print one table: `python -m benchmarks`."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import track

from benchmarks.instructions import HEADER as COUNTED_HEADER
from benchmarks.instructions import SIZES, VIEWED, counted_instructions
from benchmarks.lower_bound import lower_bound
from benchmarks.measure import (
    exponent,
    one_by_one,
    peak_megabytes,
    published_seconds,
    seconds,
    views,
    with_both_flags,
)
from benchmarks.official_kieval import SETTINGS as KIEVAL_SETTINGS
from benchmarks.official_kieval import check_same, official_work, our_work
from benchmarks.workloads import WORKLOADS, Pair, Workload, invoices, questions
from docscore import evaluate_module, score_pairs
from docscore.metrics.kieval import kieval_score

_REPEATS = 5
_GROWS = (
    "statement of 1,000 rows",
    "text of 50,000 characters",
    "1,000 plain strings",
    "1,000 items, 12 distinct",
    "1,000 rows with keys of their own",
    "2,000 rows that tie in chains",
    "2,000 rows that are all alike",
    "300 rows of 10 cells, lists",
    "300 rows of 10 cells, objects",
    "statement of 300 rows, lists",
)


class Line(NamedTuple):
    """One line of the table; seconds of processor time (two processes: on the clock), or None if not measured."""

    name: str
    docscore: float
    lower_bound: float | None
    published: float | None
    docscore_at_size: float | None
    published_size: str
    memory: float | None = None
    growth: float | None = None

    def cells(self) -> list[str]:
        """The cells of the line as text."""
        against_bound = f"{self.docscore / self.lower_bound:.2f}×" if self.lower_bound else ""
        against = f"{self.published / self.docscore_at_size:,.0f}×" if self.published and self.docscore_at_size else ""
        return [
            self.name,
            milliseconds(self.docscore),
            milliseconds(self.lower_bound),
            against_bound,
            milliseconds(self.published),
            self.published_size,
            against,
            "" if self.memory is None else f"{self.memory:,.0f} MB",
            "" if self.growth is None else f"{self.growth:.2f}",
        ]


HEADER = [
    "workload",
    "docscore",
    "lower bound",
    "docscore / lower bound",
    "anls_star 1.0.1",
    "at size",
    "anls_star / docscore",
    "peak memory",
    "growth",
]


def milliseconds(value: float | None) -> str:
    """Seconds as milliseconds with three digits."""
    return "" if value is None else f"{value * 1e3:,.3g} ms" if value < 1 else f"{value * 1e3:,.0f} ms"


def measure(workload: Workload, *, full: bool, repeats: int) -> list[Line]:
    """Measure a workload; return its lines."""
    pairs = workload.make(workload.size)
    size = workload.size if full else workload.small
    works = [one_by_one(pairs), lower_bound(pairs)]
    batched = len(pairs) > 1
    if batched:
        works.append(lambda: score_pairs(pairs))
    times = seconds(works, repeats)
    one_by_one_time, bound_time = times[:2]
    small = workload.make(size)
    published = published_seconds(small)
    small_works = [one_by_one(small)] + ([lambda: score_pairs(small)] if batched else [])
    small_times = seconds(small_works, repeats)
    memory = peak_megabytes(workload.name, workload.size)
    growth = grows(workload, repeats) if workload.name in _GROWS else None
    label = f"{size:,}"
    lines = [Line(workload.name, one_by_one_time, bound_time, published, small_times[0], label, memory, growth)]
    if batched:
        lines.append(Line(f"{workload.name}, batched", times[2], bound_time, published, small_times[1], label))
    return lines


def grows(workload: Workload, repeats: int) -> float:
    """The growth exponent of the time, from a quarter, half and the whole size."""
    sizes = [workload.size // 4, workload.size // 2, workload.size]
    return exponent(sizes, seconds([one_by_one(workload.make(size)) for size in sizes], repeats))


def other_lines(repeats: int) -> list[Line]:
    """Measure KIEval, two processes, and `evaluate`; "lower bound" is here what their names compare with."""
    documents = invoices(1_000)
    many = documents * 20
    two, one = seconds([lambda: score_pairs(many, num_proc=2), lambda: score_pairs(many)], 3, time.perf_counter)
    some = documents[:300]
    kieval, anls = seconds([lambda: [kieval_score(*pair) for pair in some], one_by_one(some)], repeats)
    return [
        Line("KIEval of 300 invoices, against ANLS*", kieval, anls, None, None, ""),
        Line("20,000 invoices on two processes, against one", two, one, None, None, ""),
        *(
            through_evaluate(*each, repeats)
            for each in (("10,000 questions", questions(10_000)), ("1,000 invoices", documents))
        ),
    ]


def view_lines(workload: Workload, repeats: int) -> list[Line]:
    """Measure score trees and fields against scores, and the drop-in with both flags against the published package."""
    pairs = workload.make(100)
    works = views(pairs)
    plain, *times = seconds([one_by_one(pairs), *works.values()], repeats)
    lines = [
        Line(f"{name} of {workload.name}, against scores", time, plain, None, None, "")
        for name, time in zip(works, times, strict=True)
    ]
    small = sorted(pairs, key=lambda pair: len(str(pair)))[:10] * 10
    both = seconds([with_both_flags(small)], repeats)[0]
    published = published_seconds(small, "return_gt", "return_key_scores")
    return [*lines, Line(f"10 small {workload.name}, both flags", both, None, published, both, "100")]


def kieval_lines(checkout: Path, repeats: int) -> list[Line]:
    """Measure KIEval against its official code, once both have read the documents and count the same."""
    pairs = invoices(300)
    works = [
        our_work(pairs),
        *(official_work(checkout, pairs, several=several) for several in KIEVAL_SETTINGS.values()),
    ]
    counts = [work() for work in works]
    for each in counts:
        check_same(counts[0], each)
    ours, *official = seconds(works, repeats)
    return [Line(name, ours, least, None, None, "") for name, least in zip(KIEVAL_SETTINGS, official, strict=True)]


def through_evaluate(name: str, pairs: list[Pair], repeats: int) -> Line:
    """Measure `compute` of `evaluate` against scoring plus one round trip through the standard json."""
    import evaluate  # noqa: PLC0415  slow to import

    metric = evaluate.load(evaluate_module("anls_star"), keep_in_memory=True)
    predictions = [{"question_id": str(i), "prediction": prediction} for i, (_, prediction) in enumerate(pairs)]
    references = [
        {"question_id": str(i), "references": list(truth) if isinstance(truth, tuple) else [truth]}
        for i, (truth, _) in enumerate(pairs)
    ]

    def least() -> None:
        score_pairs(pairs)
        for row in (*predictions, *references):
            json.loads(json.dumps(row))

    compute = partial(metric.compute, predictions=predictions, references=references)
    compute_time, bound_time = seconds([compute, least], repeats)
    return Line(f"{name} through evaluate, against scoring and json", compute_time, bound_time, None, None, "")


def markdown(header: list[str], lines: Iterable[list[str]]) -> str:
    """A table as Markdown."""
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main() -> None:
    """Measure, print, and write the table into the README if asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--full", action="store_true", help="run anls_star at full size too: about an hour")
    parser.add_argument("--only", help="measure only workloads whose name contains this")
    parser.add_argument(
        "--kieval", type=Path, metavar="FOLDER", help="a checkout of github.com/UpstageAI/KIEval, to measure it too"
    )
    parser.add_argument("--repeats", type=int, default=_REPEATS, help="the number of runs; the median is shown")
    parser.add_argument("--write", action="store_true", help="write the table to benchmarks/README.md")
    arguments = parser.parse_args()
    chosen = [each for each in WORKLOADS if (arguments.only or "") in each.name]
    lines: list[Line] = []
    for workload in track(chosen, "Measuring", console=Console(stderr=True), transient=True):
        lines += measure(workload, full=arguments.full, repeats=arguments.repeats)
    for workload in chosen:
        if workload.name in VIEWED:
            lines += view_lines(workload, arguments.repeats)
    if not arguments.only:
        lines += other_lines(arguments.repeats)
    if arguments.kieval:
        lines += kieval_lines(arguments.kieval, arguments.repeats)
    today = f"{dt.datetime.now(tz=dt.timezone.utc):%Y-%m-%d}"
    table = markdown(HEADER, (line.cells() for line in lines))
    counted = counted_instructions([name for name in SIZES if (arguments.only or "") in name], arguments.kieval)
    if counted:
        lines_of_counts = markdown(COUNTED_HEADER, (line.cells() for line in counted))
        table += f"\n\nInstructions on {today}, counted by valgrind at smaller sizes:\n\n{lines_of_counts}"
    print(table)
    if arguments.write:
        readme = Path(__file__).with_name("README.md")
        head = readme.read_text(encoding="utf-8").split("<!-- table -->")[0]
        machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        stamp = f"Measured on {today}; {platform.system()}, {machine}."
        readme.write_text(f"{head}<!-- table -->\n{stamp}\n\n{table}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
