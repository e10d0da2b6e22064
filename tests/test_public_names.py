"""The names that users import, frozen: what is listed here may be added to, never taken away without a word."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

import docscore
from docscore.core import options
from docscore.core.options import ScoringOptions
from tests.commands import PREDICTIONS, REFERENCES
from tests.conftest import DATA, ROOT

NAMES = json.loads((DATA / "public_names.json").read_text("utf-8"))
PATHS: list[str] = NAMES["paths"]
EXTRAS: list[tuple[str, str]] = NAMES["paths that need a library"]


@pytest.mark.parametrize("name", [*NAMES["at once"], *NAMES["when used"]])
def test_a_name_of_the_package_root(name: str) -> None:
    assert getattr(docscore, name) is not None
    assert name in docscore.__all__
    assert name in dir(docscore)


RENAMED = [
    ("ComparisonResult", "Comparison"),
    ("DocumentResult", "Row"),
    ("EvaluationResult", "Evaluation"),
    ("ResultTable", "Table"),
]


def test_functions_that_an_evaluation_replaces_warn() -> None:
    pairs = docscore.pairs_of(["tea", "rum"], ["tea", "run"])
    with pytest.warns(DeprecationWarning, match=r"use docscore\.Evaluation"):
        scores = importlib.import_module("docscore.evaluation").score_corpus(pairs, threshold=0.7)
    with pytest.warns(DeprecationWarning, match=r"use docscore\.Evaluation"):
        summary = docscore.summarise(scores, confidence=0.9)
    assert (scores.interval, summary.interval, summary.signature) == (
        None,
        docscore.Evaluation(pairs, ScoringOptions(threshold=0.7), confidence=0.9).interval,
        scores.signature,
    )


@pytest.mark.parametrize(("old", "new"), RENAMED)
def test_a_renamed_name_warns(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"docscore.{old} is called docscore.{new}"):
        assert getattr(docscore, old) is getattr(docscore, new)


def test_no_other_name_is_public() -> None:
    assert sorted(docscore.__all__) == sorted([*NAMES["at once"], *NAMES["when used"]])


@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_stays(path: str) -> None:
    module, name = path.split(":")
    assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.ci
@pytest.mark.parametrize(("library", "path"), EXTRAS)
def test_a_path_that_needs_another_library(library: str, path: str) -> None:
    pytest.importorskip(library)
    test_a_path_that_stays(path)


def loaded_by(code: str) -> set[str]:
    """The modules that a new process has when it has run the code."""
    code = f"import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); {code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


HEAVY = {"evaluate", "datasets", "gradio", "torch", "ray", "rich", "click", "pandas", "pyarrow", "scipy"}


def test_importing_the_package_imports_no_other_library() -> None:
    loaded = loaded_by("import docscore")
    assert not loaded & (HEAVY | {"numpy", "rapidfuzz"})
    ours = {name for name in loaded if name.startswith("docscore.")}
    assert ours == {"docscore.version"}


def test_a_score_needs_neither_faces_nor_what_is_used_later() -> None:
    loaded = loaded_by("import docscore; docscore.anls_score('x', 'y')")
    assert "docscore.metrics.anls_star.api" in loaded
    assert not loaded & (HEAVY | {"docscore.evaluation", "docscore.report", "docscore.cli"})


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_the_help_of_the_command_needs_no_numpy(option: str) -> None:
    code = f"import contextlib, docscore.cli; sys.argv = ['docscore', '{option}']"
    loaded = loaded_by(f"{code}\nwith contextlib.suppress(SystemExit): docscore.cli.main()")
    assert "click" in loaded
    assert not loaded & {"numpy", "scipy", "rapidfuzz", "rich"}


def test_scoring_with_an_interval_does_not_import_scipy_stats() -> None:
    """Which takes longer than most test sets."""
    code = (
        f"import contextlib, docscore.cli; sys.argv = ['docscore', 'score', {str(REFERENCES)!r}, {str(PREDICTIONS)!r}]"
    )
    loaded = loaded_by(f"{code}\nwith contextlib.suppress(SystemExit): docscore.cli.main()")
    assert "docscore.stats.intervals" in loaded
    assert "scipy.stats" not in loaded


FIELDS = {field.name: field.default for field in fields(ScoringOptions)}
OTHER_DEFAULTS = {"parse": {"auto", "repair"}}  # of tools that judge single outputs, and of the Trainer


def spelled_defaults() -> Iterator[tuple[str, str, Any]]:
    """Every parameter with a default that is called as an option of scoring: function, option, default."""
    folders = [path for name in ("docscore", "evaluate_modules", "playground") for path in (ROOT / name).rglob("*.py")]
    for path in [ROOT / "anls_star.py", *folders]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                named = [*node.args.posonlyargs, *node.args.args]
                defaults = [*zip(reversed(named), reversed(node.args.defaults), strict=False)]
                for argument, default in [*defaults, *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]:
                    if argument.arg in FIELDS and default is not None:
                        value = eval(ast.unparse(default), vars(options))  # noqa: S307  our own source
                        yield f"{path.name}:{node.name}", argument.arg, value


def test_signatures_agree_with_the_options_of_scoring() -> None:
    """They are spelled out for completion and types; `evaluate` takes every option."""
    assert inspect.signature(docscore.evaluate).parameters.keys() >= FIELDS.keys()
    spelled = [row for row in spelled_defaults() if row[2] is not ...]  # of an overload
    assert len({function for function, _, _ in spelled}) > 15
    for function, name, default in spelled:
        assert default == FIELDS[name] or default in OTHER_DEFAULTS.get(name, ()), (function, name)
