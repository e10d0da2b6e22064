"""Test the tests with mutants of the code that scores, pairs and decides.

    python -m dev.benchmarks.mutants --sample 300 --seed 1

Each mutant changes one comparison, boolean operator, arithmetic operator or constant. Its tests run until one fails. A
mutant that passes all its tests survives and is printed with its line. Mutants are written to a copy of the project;
each runs in a fork of one process that has imported the libraries.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import math
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
IMPORTED = ("numpy", "pytest", "scipy.optimize", "scipy.stats", "rapidfuzz", "click", "rich.table")
ENDED_BY_THE_CLOCK = -1
LOG = "log.txt"
WAIT = 10  # seconds by the clock for one of processor time, on a busy machine


class Group(NamedTuple):
    """Patterns of code, and of the tests that must notice a change in it, the quickest first."""

    code: tuple[str, ...]
    tests: tuple[str, ...]


def _tests(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/test_{name}.py" for name in names)


GROUPS = {
    "scoring": Group(
        ("docscore/metrics/anls_star/*.py",),
        _tests(
            "tree",
            "limits",
            "work",
            "summary",
            "report_html",
            "public_names",
            "depth",
            "rules_and_numbers",
            "matching",
            "oracle",
        ),
    ),
    "other metrics": Group(
        tuple(f"docscore/metrics/{name}.py" for name in ("kieval", "entities", "nted")),
        _tests("kieval", "nted", "measure", "report_html", "work", "depth", "faces"),
    ),
    "typed score": Group(("docscore/metrics/typed/*.py",), _tests("comparators", "suggestion", "typed_score", "state")),
    "pairing": Group(
        tuple(f"docscore/data/{name}.py" for name in ("pairing", "checks", "groups", "rows")),
        _tests("rows", "faults", "document_list", "front_door", "groups", "errors"),
    ),
    "gates": Group(
        ("docscore/stats/significance.py", "docscore/evaluation/comparison.py"),
        _tests("comparison", "systems", "significance", "groups"),
    ),
}

_OTHERS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}


class Mutant(NamedTuple):
    """A change of one place of one file.

    Attributes:
        group: the name of the group.
        path: the file, relative to the project's folder.
        number: the number of the node in `ast.walk`.
        part: the number of the operator in a comparison.
        line: the line of the node.
    """

    group: str
    path: str
    number: int
    part: int
    line: int


def mutants_of(group: str, path: str, tree: ast.Module) -> Iterator[Mutant]:
    """Yield all mutants of a file; annotations, decorators and texts stay as they are."""
    skipped = {id(node) for part in _unused_parts(tree) for node in ast.walk(part)}
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Compare):
            yield from (Mutant(group, path, number, part, node.lineno) for part in range(len(node.ops)))
        elif (isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign) and type(node.op) in _OTHERS) or (
            isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float)
        ):
            yield Mutant(group, path, number, 0, node.lineno)


def _unused_parts(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from node.decorator_list
        for name in ("annotation", "returns"):
            if isinstance(part := getattr(node, name, None), ast.AST):
                yield part


def mutated(tree: ast.Module, mutant: Mutant) -> tuple[str, str]:
    """Return the source of the mutant, and a description of the change with its line."""
    other = copy.deepcopy(tree)
    node = list(ast.walk(other))[mutant.number]
    before = ast.unparse(node)
    if isinstance(node, ast.Compare):
        node.ops[mutant.part] = _OTHERS[type(node.ops[mutant.part])]()  # type: ignore[call-overload]
    elif isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign):
        node.op = _OTHERS[type(node.op)]()  # type: ignore[assignment]
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1  # type: ignore[operator]
    return ast.unparse(other), f"{mutant.path}:{mutant.line}: {before}  →  {ast.unparse(node)}"


def run_tests(folder: Path, tests: list[str], seconds: int) -> tuple[int, float]:
    """Run pytest in a fork; return its exit status, or `ENDED_BY_THE_CLOCK`, and its seconds of processor time."""
    process = os.fork()
    if process == 0:
        _become_pytest(folder, tests, seconds)
    end = time.monotonic() + WAIT * seconds
    while True:
        ended, status, usage = os.wait4(process, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > end:
            os.killpg(process, signal.SIGKILL)
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)  # processes that its tests left
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else ENDED_BY_THE_CLOCK, usage.ru_utime + usage.ru_stime


def _become_pytest(folder: Path, tests: list[str], seconds: int) -> None:
    status = 99
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        for name in [name for name in sys.modules if name.split(".")[0] == __package__]:
            del sys.modules[name]  # modules of the checkout, not of the copy
        os.environ.update(PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1", DOCSCORE_TESTS="ci")
        sys.dont_write_bytecode = True
        log = os.open(folder.parent / LOG, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        for stream in (0, 1, 2):
            os.dup2(log, stream)
        import pytest  # noqa: PLC0415  imported before the fork

        flags = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0", "--no-header"]
        status = int(pytest.main([*flags, *tests]))
    except BaseException:  # noqa: BLE001  of the child, which must not go on as its parent
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(status)


def _existing(folder: Path, patterns: tuple[str, ...]) -> list[str]:
    matches = [sorted(path.relative_to(folder).as_posix() for path in folder.glob(pattern)) for pattern in patterns]
    missing = [pattern for pattern, paths in zip(patterns, matches, strict=True) if not paths]
    if missing:
        sys.exit(f"the groups name files that are not there: {', '.join(missing)}")
    return [path for paths in matches for path in paths]


def main() -> None:
    """Print the mutants that survive, and the numbers of each group."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout [default: this one]")
    parser.add_argument("--begin", type=int, default=0, help="the number of mutants of the sample to skip")
    parser.add_argument(
        "--at", nargs="+", metavar="PATH:LINE", help="take all mutants of these lines, instead of a sample"
    )
    asked = parser.parse_args()
    for name in IMPORTED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="docscore-mutants-") as temporary:
        folder = Path(temporary) / "copy"
        shutil.copytree(
            asked.root, folder, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache", ".hypothesis", "site")
        )
        _sample(folder, asked)


def _sample(folder: Path, asked: argparse.Namespace) -> None:
    trees: dict[str, ast.Module] = {}
    everything: list[Mutant] = []
    seconds: dict[str, float] = {}
    tests = {name: _existing(folder, group.tests) for name, group in GROUPS.items()}
    for name, group in GROUPS.items():
        for path in _existing(folder, group.code):
            trees[path] = ast.parse((folder / path).read_text("utf-8"))
            everything += mutants_of(name, path, trees[path])
    chosen = random.Random(asked.seed).sample(everything, min(asked.sample, len(everything)))
    if asked.at:
        chosen = [mutant for mutant in everything if f"{mutant.path}:{mutant.line}" in asked.at]
    print(f"{len(chosen)} of {len(everything):,} mutants of {len(trees)} files", flush=True)
    for name in sorted({mutant.group for mutant in chosen}):
        status, seconds[name] = run_tests(folder, tests[name], 600)
        if status:
            print((folder.parent / LOG).read_text("utf-8"))
            sys.exit(f"{name}: the tests of the unchanged code end with {status}")
        print(f"{name}: {len(tests[name])} test files, {seconds[name]:.0f} s of processor time", flush=True)
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in GROUPS}
    with contextlib.suppress(KeyboardInterrupt):  # the table then has those before
        for number, mutant in enumerate(chosen[asked.begin :], asked.begin):
            source, change = mutated(trees[mutant.path], mutant)
            before = (folder / mutant.path).read_text("utf-8")
            (folder / mutant.path).write_text(source, "utf-8")
            status, _ = run_tests(folder, tests[mutant.group], 10 + 3 * math.ceil(seconds[mutant.group]))
            (folder / mutant.path).write_text(before, "utf-8")
            outcome = "survived" if status == 0 else "timed out" if status == ENDED_BY_THE_CLOCK else "killed"
            outcomes[mutant.group][outcome] += 1
            print(f"{number + 1}: {outcome}" + (f": {change}" if outcome == "survived" else ""), flush=True)
    print("\n| code | mutants | killed | timed out | survived |\n|---|---:|---:|---:|---:|")
    for name, counts in [*outcomes.items(), ("all", sum(outcomes.values(), Counter()))]:
        cells = sum(counts.values()), counts["killed"], counts["timed out"], counts["survived"]
        print(f"| {name} | {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
