"""Compare the instructions of docscore with those of an earlier commit, and fail if a workload takes more.

    python -m dev.benchmarks.regression

Both states run here, one after the other, with the same versions of Python and of all libraries. `regression.json`
names the earlier commit and the permitted ratios above the limit, each with its reason.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from dev.benchmarks import valgrind, workloads
from dev.benchmarks.workloads import Pair
from docscore import anls_score, score_pairs, score_tree, typed_score
from docscore.metrics.kieval import kieval_score

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_suffix(".json")
LIMIT = 1.10
WORKLOADS: dict[str, tuple[Callable[[int], list[Pair]], int]] = {  # sizes of a few seconds under valgrind
    "questions": (workloads.questions, 1_000),
    "invoices": (workloads.invoices, 30),
    "flat objects": (workloads.flat_objects, 100),
    "statement": (workloads.statement, 200),
    "orders with lists of items": (workloads.orders, 30),
    "nested, 3 levels": (workloads.nested(3), 8),
    "plain strings": (workloads.strings, 300),
    "items, 12 distinct": (workloads.repeated, 300),
    "rows that tie in chains": (workloads.chained, 300),
    "rows that are all alike": (workloads.alike, 300),
    "rows with keys of their own": (workloads.own_keys, 300),
    "rows of cells, lists": (workloads.lists_of_cells, 200),
}


def _each(score: Callable[..., object], pairs: Sequence[Pair], *arguments: Any) -> None:
    for pair in pairs:
        score(*pair, *arguments)


def count() -> None:
    """Count all works. Runs under valgrind."""
    for name, (make, size) in WORKLOADS.items():
        pairs = make(size)
        _count(name, size, partial(_each, anls_score, pairs))
        if len(pairs) > 1:
            _count(f"{name}, batched", size, partial(score_pairs, pairs))
    documents = workloads.invoices(30)
    _count("score trees of invoices", 30, partial(_each, score_tree, documents))
    _count("KIEval of invoices", 30, partial(_each, kieval_score, documents))
    typed, schema = workloads.typed_invoices(20, money=False)
    others, _ = workloads.typed_invoices(20, money=False, seed=6)  # so that no value of `typed` is in a cache
    warm_up = partial(_each, typed_score, others, schema)
    _count("typed score of invoices", 20, partial(_each, typed_score, typed, schema), warm_up)


def _count(name: str, size: int, work: Callable[[], object], warm_up: Callable[[], object] | None = None) -> None:
    (warm_up or work)()  # so that imports do not count
    valgrind.count(name, size, work)


def compared(base: str) -> list[tuple[str, int, int]]:
    """Count the instructions of every work before and now.

    Args:
        base: the earlier commit.

    Returns:
        The name, the instructions at the earlier commit and those of the working tree.

    Raises:
        subprocess.CalledProcessError: if a program under valgrind fails.
    """
    archive = _git("archive", base, "docscore", check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder)  # noqa: S202  our own archive
        (Path(folder) / "dev").symlink_to(ROOT / "dev")
        before, now = (valgrind.counted("dev.benchmarks.regression", ["count"], tree) for tree in (Path(folder), ROOT))
    return [(old.name, old.instructions[0], new.instructions[0]) for old, new in zip(before, now, strict=True)]


def main() -> int:
    """Print the ratio of every workload, and return 1 if a ratio is larger than permitted."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    base, permitted = table["base"], table["permitted"]
    if not valgrind.is_installed() or _git("cat-file", "-e", f"{base}^{{commit}}").returncode:
        print(f"instructions were not compared: this needs valgrind, and commit {base} in the history")
        return 0
    print(f"instructions at {base[:7]} and now")
    failures = 0
    for name, before, now in compared(base):
        most, reason = permitted.get(name, {"ratio": LIMIT, "reason": ""}).values()
        failures += now > most * before
        note = f"FAILED: expected at most {most:.2f}" if now > most * before else reason
        print(f"{name:28} {before / 1e6:8.2f} M {now / 1e6:8.2f} M  {now / before:.3f}  {note}".rstrip())
    return min(failures, 1)


def _git(*arguments: str, check: bool = False) -> subprocess.CompletedProcess[bytes]:
    command = ["git", *arguments]
    return subprocess.run(command, check=check, cwd=ROOT, capture_output=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["count"]:
        count()
    else:
        sys.exit(main())
