"""Measure docscore and the published package, and print a table: `python -m dev.benchmarks`."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.progress import track

from dev.benchmarks.measure import one_by_one, peak_megabytes, published_seconds, seconds, with_both_flags
from dev.benchmarks.workloads import WORKLOADS, Workload

_REPEATS = 5
_WITH_FLAGS = ("invoices", "flat objects", "60 real receipts")  # also measured with both flags of `anls_score`


HEADER = ["workload", "docscore", "anls_star 1.0.1 / docscore", "at size", "peak memory"]


def line(name: str, docscore: float, published: float, size: int, memory: str = "") -> list[str]:
    """Return a line of the table, from the seconds of docscore and the ratio of the published package at a size."""
    return [name, f"{docscore * 1e3:,.3g} ms", f"{published:,.0f}×", f"{size:,}", memory]


def measure(workload: Workload, *, full: bool, repeats: int) -> list[str]:
    """Measure a workload, and return its line."""
    size = workload.size if full else workload.small
    small = workload.make(size)
    ours, ours_at_size = seconds([one_by_one(workload.make(workload.size)), one_by_one(small)], repeats)
    memory = f"{peak_megabytes(workload.name, workload.size):,.0f} MB"
    return line(workload.name, ours, published_seconds(small) / ours_at_size, size, memory)


def flag_line(workload: Workload, repeats: int) -> list[str]:
    """Measure `anls_score` with both flags against the published package, on the ten smallest pairs."""
    small = sorted(workload.make(100), key=lambda pair: len(str(pair)))[:10] * 10
    both = seconds([with_both_flags(small)], repeats)[0]
    published = published_seconds(small, "return_gt", "return_key_scores")
    return line(f"10 small {workload.name}, both flags", both, published / both, len(small))


def markdown(header: list[str], lines: Iterable[list[str]]) -> str:
    """Format a table as Markdown."""
    head, *rows = (f"| {' | '.join(cells)} |" for cells in [header, *lines])
    return "\n".join([head, "|---" * len(header) + "|", *rows])


def main() -> None:
    """Measure, print, and write the table into the README if asked."""
    parser = argparse.ArgumentParser(prog="python -m dev.benchmarks", description=__doc__)
    parser.add_argument("--full", action="store_true", help="run anls_star at full size too, which takes an hour")
    parser.add_argument("--only", default="", help="measure only the workloads whose names contain this")
    parser.add_argument("--repeats", type=int, default=_REPEATS, help="the number of runs; the table shows the median")
    parser.add_argument("--write", action="store_true", help="write the table to dev/benchmarks/README.md")
    arguments = parser.parse_args()
    chosen = [each for each in WORKLOADS if arguments.only in each.name]
    lines = [
        measure(workload, full=arguments.full, repeats=arguments.repeats)
        for workload in track(chosen, "Measuring", console=Console(stderr=True), transient=True)
    ]
    lines += [flag_line(workload, arguments.repeats) for workload in chosen if workload.name in _WITH_FLAGS]
    now = f"{dt.datetime.now(tz=dt.timezone.utc):%Y-%m-%d}"
    machine = f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    table = f"Measured on {now}; {machine}.\n\n{markdown(HEADER, lines)}"
    print(table)
    if arguments.write:
        readme = Path(__file__).with_name("README.md")
        head = readme.read_text(encoding="utf-8").split("<!-- table -->")[0]
        readme.write_text(f"{head}<!-- table -->\n{table}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
