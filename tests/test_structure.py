"""The shape of the code: sizes of files and functions, names that occur once, docstrings, and no clock in a test."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 40  # without its docstring
FOLDERS = ("benchmarks", "docscore", "evaluate_modules", "examples", "fuzz", "playground", "tests")
FILES = [*ROOT.glob("*.py"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))]
FILES = sorted(path for path in FILES if not any(part.startswith(".") for part in path.relative_to(ROOT).parts))
LIBRARY = [path for path in FILES if path.is_relative_to(ROOT / "docscore")]
TESTS = [path for path in FILES if path.is_relative_to(ROOT / "tests")]
# What reads a clock; `time.sleep` does not, and is how a test waits for a process.
CLOCKS = {"clock_gettime", "monotonic", "now", "perf_counter", "process_time", "thread_time", "timeit", "today"}
CLOCKS |= {f"{name}_ns" for name in CLOCKS} | {"time.time", "time.time_ns", "utcnow"}

# Faults that are still there, in the words of the test that finds them. One that is mended must be taken out here.
LONG_FILES: set[str] = set()
LONG_FUNCTIONS: set[str] = set()
NAMES_DEFINED_TWICE: set[str] = set()
NAMES_OF_OTHER_MODULES = {
    "docscore/integrations/inspect/scorers.py: anls_star",  # what tasks of Inspect call it
    "docscore/results/evaluating.py: evaluate",  # the call `docscore.evaluate`; the other one is named for the library
}
WITHOUT_DOCSTRING: set[str] = set()

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def place(path: Path) -> str:
    """The path from the project's folder, with slashes."""
    return path.relative_to(ROOT).as_posix()


def size(function: Function) -> int:
    """The lines of a function from its `def` on, without its docstring."""
    lines = range(function.lineno, (function.end_lineno or 0) + 1)
    first = function.body[0]
    docstring = range(first.lineno, (first.end_lineno or 0) + 1) if ast.get_docstring(function) is not None else ()
    return len(lines) - len(docstring)


def names_defined(module: ast.Module) -> set[str]:
    """The public names that functions, classes and assignments of the module define."""
    seen: set[str] = set()
    for node in module.body:
        if isinstance(node, ast.ClassDef | Function):
            seen.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            seen |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return {name for name in seen if not name.startswith("_")}


def twice(names: Iterable[tuple[str, str]]) -> set[str]:
    """The names that stand in several places, with these."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, where in names:
        places[name].append(where)
    return {f"{name}: {', '.join(found)}" for name, found in places.items() if len(found) > 1}


def lacks_docstring(node: ast.Module | ast.ClassDef | Function) -> bool:
    """Whether there is no first line of a docstring; that of an overloaded function stands where its body is."""
    decorators = [] if isinstance(node, ast.Module) else node.decorator_list
    if any(isinstance(each, ast.Name) and each.id == "overload" for each in decorators):
        return False
    return not (ast.get_docstring(node) or "").split("\n")[0].strip()


def test_no_file_is_too_long() -> None:
    sizes = {place(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name for name, lines in sizes.items() if lines > MOST_LINES_OF_A_FILE} == LONG_FILES


def test_no_function_is_too_long() -> None:
    functions = [(path, node) for path in FILES for node in ast.walk(tree(path)) if isinstance(node, Function)]
    long = {f"{place(path)}: {node.name}" for path, node in functions if size(node) > MOST_LINES_OF_A_FUNCTION}
    assert long == LONG_FUNCTIONS


def test_no_public_name_of_the_library_is_defined_twice() -> None:
    names = [(name, place(path)) for path in LIBRARY for name in names_defined(tree(path))]
    assert twice(names) == NAMES_DEFINED_TWICE


def test_no_two_modules_of_the_library_have_one_name() -> None:
    """Packages count as modules."""
    parts = [path.parent if path.name == "__init__.py" else path for path in LIBRARY]
    assert twice((part.stem, place(part)) for part in parts) == set()


def test_no_public_name_of_the_library_is_that_of_another_module() -> None:
    modules = {path.parent.name if path.name == "__init__.py" else path.stem for path in LIBRARY}
    found = {f"{place(path)}: {name}" for path in LIBRARY for name in names_defined(tree(path)) & modules - {path.stem}}
    assert found == NAMES_OF_OTHER_MODULES


def test_all_modules_have_a_docstring_and_all_public_functions_and_classes_of_the_library() -> None:
    found = {place(path) for path in FILES if path.stat().st_size and lacks_docstring(tree(path))}
    for path in LIBRARY:
        nodes = [node for node in tree(path).body if isinstance(node, ast.ClassDef | Function)]
        public = [node for node in nodes if not node.name.startswith("_")]
        found |= {f"{place(path)}: {node.name}" for node in public if lacks_docstring(node)}
    assert found == WITHOUT_DOCSTRING


@pytest.mark.parametrize("path", TESTS, ids=place)
def test_no_test_reads_a_clock(path: Path) -> None:
    """On a busy machine it would fail: count what is done instead."""
    imported = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ImportFrom)]
    names = {alias.name for node in imported for alias in node.names}
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute):
            names |= {node.attr, f"{ast.unparse(node.value)}.{node.attr}"}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    assert names & CLOCKS == set()
