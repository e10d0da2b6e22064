"""What the command takes from files of few rows and of many: `python -m benchmarks.startup`.

Each run is a new process. Seconds are of the CPU, imports included; bytes a row are what the largest memory of the
process is above that of a run on 100 questions. Rows stay in memory:
at most 2 KB for a question, and four times its JSON for a document.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from benchmarks.workloads import Pair, invoices, questions

SIZES = (10_000, 100_000, 1_000_000)
_FEWEST = 1_000  # rows of which a share of the memory says something
_AT_ONCE = 100_000  # questions that are made at a time
_EXAMPLES = Path(__file__).parent.parent / "examples" / "receipts"
_RECEIPTS = _EXAMPLES / "references.jsonl", _EXAMPLES / "predictions.jsonl"
_LIBRARIES = ("click", "numpy", "pyarrow", "rapidfuzz", "rich", "scipy")
_COMMAND = [sys.executable, "-c", "from docscore.cli import main; main()"]
_LOADED = f"print(*sorted(set({_LIBRARIES}) & set(sys.modules)), len(sys.modules))"


class Taken(NamedTuple):
    """What a run took.

    Attributes:
        seconds: of the CPU, in the process and in the system.
        memory: the largest resident size, in bytes.
    """

    seconds: float
    memory: int


def taken_by(*arguments: str | Path) -> Taken:
    """What the command takes with these arguments, in a process of its own.

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
    return Taken(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit)


def written(folder: Path, make: Callable[[int], Iterable[Pair]], count: int, order: str = "same") -> tuple[Path, Path]:
    """Write rows by id in a process of its own, and return the files of references and predictions.

    The largest memory of a process includes that of the one that starts it, which must stay small.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(_write, folder, make, count, order).result()


def _write(folder: Path, make: Callable[[int], Iterable[Pair]], count: int, order: str) -> tuple[Path, Path]:
    name = f"rows{len(list(folder.iterdir()))}"
    paths = folder / f"{name}-references.jsonl", folder / f"{name}-predictions.jsonl"
    lines: list[str] = []
    with paths[0].open("w") as references:
        for number, (truth, prediction) in enumerate(make(count)):
            answers = list(truth) if isinstance(truth, tuple) else [truth]
            references.write(json.dumps({"question_id": f"row-{number:07}", "references": answers}) + "\n")
            lines.append(json.dumps({"question_id": f"row-{number:07}", "prediction": prediction}) + "\n")
    if order == "shuffled":
        random.Random(1).shuffle(lines)
    with paths[1].open("w") as predictions:
        predictions.writelines(lines)
    return paths


def many_questions(count: int) -> Iterable[Pair]:
    """Questions, made some at a time; after 100,000 they repeat."""
    for start in range(0, count, _AT_ONCE):
        yield from questions(min(_AT_ONCE, count - start))


def measured(folder: Path, sizes: Sequence[int]) -> list[list[str]]:
    """The lines of the table."""
    works: list[tuple[str, int, tuple[Path, Path], list[str]]] = [("40 receipts", 40, _RECEIPTS, [])]
    for size in sizes:
        works.append((f"{size:,} questions", size, written(folder, many_questions, size), []))
    size = sizes[-1]
    in_disorder = written(folder, many_questions, size, "shuffled")
    works.append((f"{size:,} questions, predictions shuffled", size, in_disorder, []))
    few = max(1, sizes[-1] // 100)
    documents = written(folder, invoices, few)
    works += [(f"{few:,} invoices{' --fields' * bool(each)}", few, documents, each) for each in ([], ["--fields"])]
    lines: list[list[str]] = []
    base = taken_by("score", *written(folder, questions, 100)).memory
    for name, rows, files, options in works:
        found = taken_by("score", *files, *options)
        a_row = f"{(found.memory - base) / rows:,.0f}" if rows >= _FEWEST else ""
        text = sum(path.stat().st_size for path in files) / rows
        cells = [f"{found.seconds:.2f} s", f"{rows / found.seconds:,.0f}", f"{found.memory / 1e6:,.0f} MB"]
        lines.append([name, f"{text:,.0f}", *cells, a_row])
    return lines


def loaded_by(statement: str) -> str:
    """The libraries that a statement loads, and the number of all modules."""
    code = f"import sys\n{statement}\n{_LOADED}"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *libraries, modules = found.stdout.splitlines()[-1].split()
    return f"{', '.join(libraries) or 'none of them'}; {modules} modules in all"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="how many questions")
    options = parser.parse_args(arguments)
    print(f"On {dt.datetime.now(tz=dt.timezone.utc).date()}; {platform.system()}, {platform.machine()}, ", end="")
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}.\n")
    heads = ["docscore score on", "bytes of text a row", "CPU", "rows a second", "largest memory", "bytes a row"]
    with tempfile.TemporaryDirectory() as folder:
        table = measured(Path(folder), options.sizes)
    for cells in [heads, ["---"] * len(heads), *table]:
        print(f"| {' | '.join(cells)} |")
    print(f"\n| what is run | loads of {', '.join(_LIBRARIES)} |\n| --- | --- |")
    help_of = "import docscore.cli.entry_point as e; e.commands.main(['--help'], standalone_mode=False)"
    for name, statement in (("`import docscore`", "import docscore"), ("`docscore --help`", help_of)):
        print(f"| {name} | {loaded_by(statement)} |")


if __name__ == "__main__":
    main()
