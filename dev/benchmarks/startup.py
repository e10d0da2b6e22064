"""Measure time and memory of the command on small and large files: `python -m dev.benchmarks.startup`.

Each run is a new process. The seconds are CPU time and include imports. "bytes a row" is the peak memory above that of
a run on 100 questions, divided by the number of rows.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from dev.benchmarks.workloads import Pair, invoices, questions

SIZES = (100_000, 1_000_000)
_FEWEST = 1_000  # rows for which the memory of a row is computed
_AT_ONCE = 100_000  # questions that are generated at once
_EXAMPLES = Path(__file__).parents[2] / "examples" / "receipts"
_RECEIPTS = _EXAMPLES / "references.jsonl", _EXAMPLES / "predictions.jsonl"
_LIBRARIES = ("click", "numpy", "pyarrow", "rapidfuzz", "rich", "scipy")
_COMMAND = [sys.executable, "-c", "from docscore.cli import main; main()"]
_LOADED = f"print(*sorted(set({_LIBRARIES}) & set(sys.modules)), len(sys.modules))"


class Usage(NamedTuple):
    """The resources of a run: seconds of CPU time, in the process and in the system, and peak memory in bytes."""

    seconds: float
    memory: int


def usage_of(*arguments: str | Path) -> Usage:
    """Run the command in a new process and return its usage.

    Raises:
        RuntimeError: if it fails.
    """
    process = subprocess.Popen([*_COMMAND, *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        msg = f"docscore {arguments[0]} ended with {process.returncode}"
        raise RuntimeError(msg)
    unit = 1 if sys.platform == "darwin" else 1024
    return Usage(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit)


def written(folder: Path, make: Callable[[int], Iterable[Pair]], count: int) -> tuple[Path, Path]:
    """Write rows by id in another process, and return the files of references and predictions.

    The peak memory of a process includes that of its parent, which must therefore stay small.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(_write, folder, make, count).result()


def _write(folder: Path, make: Callable[[int], Iterable[Pair]], count: int) -> tuple[Path, Path]:
    name = f"rows{len(list(folder.iterdir()))}"
    paths = folder / f"{name}-references.jsonl", folder / f"{name}-predictions.jsonl"
    lines: list[str] = []
    with paths[0].open("w") as references:
        for number, (truth, prediction) in enumerate(make(count)):
            answers = list(truth) if isinstance(truth, tuple) else [truth]
            references.write(json.dumps({"question_id": f"row-{number:07}", "references": answers}) + "\n")
            lines.append(json.dumps({"question_id": f"row-{number:07}", "prediction": prediction}) + "\n")
    with paths[1].open("w") as predictions:
        predictions.writelines(lines)
    return paths


def many_questions(count: int) -> Iterable[Pair]:
    """Yield questions; after 100,000 they repeat."""
    for start in range(0, count, _AT_ONCE):
        yield from questions(min(_AT_ONCE, count - start))


def measured(folder: Path, sizes: Sequence[int]) -> list[list[str]]:
    """Return the lines of the table."""
    works: list[tuple[str, int, tuple[Path, Path], list[str]]] = [("40 receipts", 40, _RECEIPTS, [])]
    for size in sizes:
        works.append((f"{size:,} questions", size, written(folder, many_questions, size), []))
    few = max(1, sizes[-1] // 100)
    documents = written(folder, invoices, few)
    works += [(f"{few:,} invoices{' --fields' * bool(each)}", few, documents, each) for each in ([], ["--fields"])]
    lines: list[list[str]] = []
    base = usage_of("score", *written(folder, questions, 100)).memory
    for name, rows, files, options in works:
        usage = usage_of("score", *files, *options)
        a_row = f"{(usage.memory - base) / rows:,.0f}" if rows >= _FEWEST else ""
        text = sum(path.stat().st_size for path in files) / rows
        cells = [f"{usage.seconds:.2f} s", f"{rows / usage.seconds:,.0f}", f"{usage.memory / 1e6:,.0f} MB"]
        lines.append([name, f"{text:,.0f}", *cells, a_row])
    return lines


def loaded_by(statement: str) -> str:
    """Return the libraries that a statement loads, and the number of all modules."""
    code = f"import sys\n{statement}\n{_LOADED}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *libraries, modules = done.stdout.splitlines()[-1].split()
    return f"{', '.join(libraries) or 'none of them'}; {modules} modules in all"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="the numbers of questions")
    options = parser.parse_args(arguments)
    print(f"On {dt.datetime.now(tz=dt.timezone.utc).date()}; {platform.system()}, {platform.machine()}, ", end="")
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}.\n")
    heads = ["docscore score on", "bytes of text a row", "CPU", "rows a second", "peak memory", "bytes a row"]
    with tempfile.TemporaryDirectory() as folder:
        table = measured(Path(folder), options.sizes)
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for cells in table:
        print(f"| {' | '.join(cells)} |")
    print(f"\n| program | loads of {', '.join(_LIBRARIES)} |\n|---|---|")
    help_of = "import docscore.cli.entry_point as e; e.commands.main(['--help'], standalone_mode=False)"
    for name, statement in (("`import docscore`", "import docscore"), ("`docscore --help`", help_of)):
        print(f"| {name} | {loaded_by(statement)} |")


if __name__ == "__main__":
    main()
