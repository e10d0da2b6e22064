"""Measure docscore, the lower bound and the published package, and print two tables: `python -m dev.benchmarks`."""

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

from dev.benchmarks.instructions import HEADER as COUNTED_HEADER
from dev.benchmarks.instructions import SIZES, VIEWED, counted_instructions
from dev.benchmarks.lower_bound import lower_bound
from dev.benchmarks.measure import one_by_one, peak_megabytes, published_seconds, seconds, with_both_flags
from dev.benchmarks.official_kieval import check_same_counts
from dev.benchmarks.workloads import WORKLOADS, Pair, Workload, invoices, questions
from docscore import evaluate_module, score_pairs
from docscore.metrics.kieval import kieval_score

_REPEATS = 5


class Line(NamedTuple):
    """One line of the table of seconds.

    Attributes:
        name: the workload.
        docscore: the seconds of docscore.
        lower_bound: the seconds of the lower bound, or of what the name compares with.
        published: the seconds of the published package over those of docscore, at the same size.
        size: that size.
        memory: the peak memory in megabytes.
    """

    name: str
    docscore: float
    lower_bound: float | None
    published: float | None = None
    size: str = ""
    memory: float | None = None

    def cells(self) -> list[str]:
        """Return the cells of the line as text."""
        return [
            self.name,
            f"{self.docscore * 1e3:,.3g} ms",
            f"{self.docscore / self.lower_bound:.2f}×" if self.lower_bound else "",
            f"{self.published:,.0f}×" if self.published else "",
            self.size,
            "" if self.memory is None else f"{self.memory:,.0f} MB",
        ]


HEADER = ["workload", "docscore", "docscore / lower bound", "anls_star 1.0.1 / docscore", "at size", "peak memory"]


def measure(workload: Workload, *, full: bool, repeats: int) -> Line:
    """Measure a workload."""
    pairs = workload.make(workload.size)
    size = workload.size if full else workload.small
    small = workload.make(size)
    published = published_seconds(small)
    ours, bound, ours_at_size = seconds([one_by_one(pairs), lower_bound(pairs), one_by_one(small)], repeats)
    memory = peak_megabytes(workload.name, workload.size)
    return Line(workload.name, ours, bound, published / ours_at_size, f"{size:,}", memory)


def flag_line(workload: Workload, repeats: int) -> Line:
    """Measure `anls_score` with both flags against the published package, on the ten smallest pairs."""
    small = sorted(workload.make(100), key=lambda pair: len(str(pair)))[:10] * 10
    both = seconds([with_both_flags(small)], repeats)[0]
    published = published_seconds(small, "return_gt", "return_key_scores")
    return Line(f"10 small {workload.name}, both flags", both, None, published / both, "100")


def other_lines(repeats: int) -> list[Line]:
    """Measure KIEval against ANLS*, two processes against one, and `evaluate` against scoring and json."""
    documents = invoices(1_000)
    many = documents * 20
    two, one = seconds([lambda: score_pairs(many, num_proc=2), lambda: score_pairs(many)], 3, time.perf_counter)
    some = documents[:300]
    kieval, anls = seconds([lambda: [kieval_score(*pair) for pair in some], one_by_one(some)], repeats)
    return [
        Line("KIEval of 300 invoices, against ANLS*", kieval, anls),
        Line("20,000 invoices on two processes, against one", two, one),
        through_evaluate("10,000 questions", questions(10_000), repeats),
        through_evaluate("1,000 invoices", documents, repeats),
    ]


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
    return Line(f"{name} through evaluate, against scoring and json", compute_time, bound_time)


def markdown(header: list[str], lines: Iterable[list[str]]) -> str:
    """Format a table as Markdown."""
    head, *rows = (f"| {' | '.join(cells)} |" for cells in [header, *lines])
    return "\n".join([head, "|---" * len(header) + "|", *rows])


def main() -> None:
    """Measure, print, and write the table of seconds into the README if asked."""
    parser = argparse.ArgumentParser(prog="python -m dev.benchmarks", description=__doc__)
    parser.add_argument("--full", action="store_true", help="run anls_star at full size too, which takes an hour")
    parser.add_argument("--only", default="", help="measure only the workloads whose names contain this")
    parser.add_argument(
        "--kieval",
        type=Path,
        metavar="FOLDER",
        help="count KIEval against this checkout of github.com/UpstageAI/KIEval",
    )
    parser.add_argument("--repeats", type=int, default=_REPEATS, help="the number of runs; the table shows the median")
    parser.add_argument("--write", action="store_true", help="write the table of seconds to dev/benchmarks/README.md")
    arguments = parser.parse_args()
    chosen = [each for each in WORKLOADS if arguments.only in each.name]
    lines = [
        measure(workload, full=arguments.full, repeats=arguments.repeats)
        for workload in track(chosen, "Measuring", console=Console(stderr=True), transient=True)
    ]
    lines += [flag_line(workload, arguments.repeats) for workload in chosen if workload.name in VIEWED]
    if not arguments.only:
        lines += other_lines(arguments.repeats)
    if arguments.kieval:
        check_same_counts(arguments.kieval, invoices(300))
    now = f"{dt.datetime.now(tz=dt.timezone.utc):%Y-%m-%d}"
    machine = f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    table = f"Measured on {now}; {machine}.\n\n{markdown(HEADER, (line.cells() for line in lines))}"
    print(table)
    counted = counted_instructions([name for name in SIZES if arguments.only in name], arguments.kieval)
    if counted:
        print(f"\nInstructions, at smaller sizes:\n\n{markdown(COUNTED_HEADER, (line.cells() for line in counted))}")
    if arguments.write:
        readme = Path(__file__).with_name("README.md")
        head = readme.read_text(encoding="utf-8").split("<!-- table -->")[0]
        readme.write_text(f"{head}<!-- table -->\n{table}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
