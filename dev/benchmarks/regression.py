"""Compare the instructions of docscore with an earlier commit, and fail if a workload takes more.

    python -m dev.benchmarks.regression --seed 1

Both states run here, one after the other, with the same versions of Python and of all libraries. The seed selects three
sizes for each workload. `regression.json` names the earlier commit and the permitted ratios above the limit, each with
its reason.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import scipy.optimize  # noqa: F401  here, so that the import does not count

from dev.benchmarks import valgrind, workloads
from dev.benchmarks.workloads import Pair
from docscore import anls_score, score_pairs, score_tree, typed_score
from docscore.metrics.kieval import kieval_score

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_suffix(".json")
LIMIT = 1.06
DRAWS = 3


class Workload(NamedTuple):
    """A workload.

    Attributes:
        work: scores the pairs.
        make: makes the pairs of a size, which is one number or several.
        ranges: the least and the largest of each number; the largest takes a few seconds under valgrind.
    """

    work: Callable[[list[Pair]], object]
    make: Callable[..., list[Pair]]
    ranges: Sequence[tuple[int, int]]


def _each(score: Callable[[Any, Any], object], pairs: Iterable[Pair]) -> None:
    for pair in pairs:
        score(*pair)


_scores = partial(_each, anls_score)
_typed_scores = partial(_each, partial(typed_score, schema=workloads.TYPED_SCHEMA))
WORKLOADS = {
    "questions": Workload(_scores, workloads.questions, [(200, 1_500)]),
    "questions, batched": Workload(score_pairs, workloads.questions, [(200, 1_500)]),
    "invoices": Workload(_scores, workloads.invoices, [(5, 60)]),
    "invoices, batched": Workload(score_pairs, workloads.invoices, [(5, 60)]),
    "flat objects": Workload(_scores, workloads.flat_objects, [(40, 150), (1, 24)]),
    "flat objects, batched": Workload(score_pairs, workloads.flat_objects, [(40, 150), (1, 24)]),
    "statement": Workload(_scores, workloads.statement, [(20, 250)]),
    "orders with lists of items": Workload(_scores, workloads.orders, [(5, 40)]),
    "nested lists": Workload(_scores, workloads.nested, [(2, 8), (2, 3)]),
    "nested rows": Workload(_scores, workloads.nested_rows, [(2, 5), (2, 3), (1, 4)]),
    "plain strings": Workload(_scores, workloads.strings, [(20, 400)]),
    "items, 12 distinct": Workload(_scores, workloads.repeated, [(20, 400)]),
    "rows that tie in chains": Workload(_scores, workloads.chained, [(20, 350)]),
    "rows that are all alike": Workload(_scores, workloads.alike, [(20, 400)]),
    "rows with keys of their own": Workload(_scores, workloads.own_keys, [(20, 200)]),
    "rows of cells, lists": Workload(_scores, workloads.lists_of_cells, [(20, 200), (2, 12)]),
    "score trees of invoices": Workload(partial(_each, score_tree), workloads.invoices, [(5, 30)]),
    "KIEval of invoices": Workload(partial(_each, kieval_score), workloads.invoices, [(5, 30)]),
    "typed score of invoices": Workload(_typed_scores, workloads.typed_invoices, [(5, 30)]),
}


def count(seed: str, part: str) -> None:
    """Count the workloads whose names contain `part`. Runs under valgrind."""
    for name, (work, make, ranges) in WORKLOADS.items():
        if part in name:
            work(make(*[least for least, _ in ranges]))  # so that imports do not count
            rng, drawn = random.Random(f"{seed} {name}"), set[tuple[int, ...]]()
            while len(drawn) < DRAWS:
                drawn.add(tuple(rng.randint(*each) for each in ranges))
            for sizes in sorted(drawn):
                valgrind.count(f"{name}: {' × '.join(map(str, sizes))}", partial(work, make(*sizes)))


def compared(base: str, seed: str, part: str) -> list[tuple[str, int, int]]:
    """Count the instructions of workloads before and now.

    Args:
        base: the earlier commit.
        seed: selects the sizes.
        part: a part of the names of the workloads.

    Returns:
        For each workload and size, its name, its instructions at the earlier commit and in the working tree.

    Raises:
        subprocess.CalledProcessError: if a program under valgrind fails.
    """
    archive = _git("archive", base, "docscore", check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder)  # noqa: S202  our own archive
        (Path(folder) / "dev").symlink_to(ROOT / "dev")
        trees, arguments = (Path(folder), ROOT), ["count", seed, part]
        before, now = (valgrind.counted("dev.benchmarks.regression", arguments, tree) for tree in trees)
    return [(name, before[name], instructions) for name, instructions in now.items()]


def main() -> int:
    """Print the ratio of every workload, and return 1 if a ratio is larger than permitted."""
    parser = argparse.ArgumentParser(prog="python -m dev.benchmarks.regression", description=__doc__)
    parser.add_argument(
        "--seed", default=str(random.randrange(1_000)), help="draws the sizes; by default another each time"
    )
    parser.add_argument("--only", default="", metavar="PART", help="compare the workloads whose names contain this")
    options = parser.parse_args()
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    base, permitted = table["base"], table["permitted"]
    if not valgrind.is_installed() or _git("cat-file", "-e", f"{base}^{{commit}}").returncode:
        print(f"instructions were not compared: this needs valgrind, and commit {base} in the history")
        return 0
    print(f"instructions at {base[:7]} and now, sizes of seed {options.seed}")
    failures = 0
    for name, before, now in compared(base, options.seed, options.only):
        most, reason = permitted.get(name.partition(":")[0], {"ratio": LIMIT, "reason": ""}).values()
        failures += now > most * before
        note = f"FAILED: expected at most {most:.2f}" if now > most * before else reason
        print(f"{name:36} {before / 1e6:8.2f} M {now / 1e6:8.2f} M  {now / before:.3f}  {note}".rstrip())
    return min(failures, 1)


def _git(*arguments: str, check: bool = False) -> subprocess.CompletedProcess[bytes]:
    command = ["git", *arguments]
    return subprocess.run(command, check=check, cwd=ROOT, capture_output=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["count"]:
        count(*sys.argv[2:])
    else:
        sys.exit(main())
