"""Every page of the documentation and every card: what it shows runs, and prints what the page says.

Each page runs in a process and a folder of its own, in which `examples` is that of the project.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from docscore.integrations.evaluate import MODULES
from tests.commands import run_python
from tests.conftest import ROOT, needs
from tests.page_runner import imports_of, in_a_clone

pytestmark = pytest.mark.full

IN_TOOLS = {"benchmark.md", "evaluation_tools.md"}  # tests/test_hooks.py runs these, where the tools are
PAGES = [
    "README.md",
    *(f"evaluate_modules/{name}/README.md" for name in MODULES if name != "anls_star"),
    *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in IN_TOOLS),
]
ALSO_NEEDED = {"ray": {"polars"}, "transformers": {"torch"}}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_and_prints_what_it_says(page: str, tmp_path: Path) -> None:
    needed = imports_of((ROOT / page).read_text("utf-8"))
    needs(*sorted(needed.union(*(ALSO_NEEDED.get(name, set()) for name in needed))))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    run_python("-m", "tests.page_runner", ROOT / page, cwd=tmp_path, OMP_NUM_THREADS="1")


# Guides as a reader runs them. Left out are the cards of the hub, those of people who work on docscore, and those whose
# install takes gigabytes.
FRESH = [
    "README.md",
    *(
        f"docs/{name}.md"
        for name in (
            *("adding_a_metric", "command", "datasets", "evaluate_modules", "gallery", "json_output", "metrics"),
            *("migrating", "my_files", "notebooks", "papers", "products", "quick_start", "review", "rules", "spaces"),
            *("evidence", "statistics", "suggesting", "systems", "typed_scores"),
        )
    ),
]
_INSTALL = re.compile(r"pip install (-e (?!.*\[(?:tests|docs)\])[^`&#)\n]+|jupyter[^`&#\n]*)")
Environment = tuple[Path, dict[str, str]]  # a clone, and the variables with which its Python is found


def installs_of(page: str) -> tuple[str, ...]:
    """What the lines of a page install, the repository in place of its address; of one without, the library alone."""
    names = _INSTALL.findall(in_a_clone((ROOT / page).read_text("utf-8")))
    return tuple(dict.fromkeys(["-e .", *map(str.strip, names)]))


def fresh_copy(folder: Path) -> None:
    """A copy of what git tracks, in place of what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")[:-1]:  # noqa: S607
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name, follow_symlinks=False)


@pytest.fixture(scope="module")
def environment_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[str, ...]], Environment]:
    """A function that gives a fresh environment with what was installed, made once."""

    @cache
    def made(installs: tuple[str, ...]) -> Environment:
        folder = tmp_path_factory.mktemp("fresh")
        clone, bin_folder = folder / "docscore", folder / "venv" / "bin"
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        env = {**kept, "PATH": os.pathsep.join([str(bin_folder), os.environ["PATH"]]), "PIP_QUIET": "1"}
        fresh_copy(clone)
        ended([sys.executable, "-m", "venv", str(folder / "venv")], clone, env)
        for line in installs:
            ended([str(bin_folder / "python"), "-m", "pip", "install", *shlex.split(line)], clone, env)
        return clone, env

    return made


def ended(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", FRESH)
def test_a_guide_holds_where_its_own_lines_were_installed(page: str, environment_of: Any) -> None:
    """As a reader runs it: in a fresh copy of the repository and a fresh environment."""
    clone, env = environment_of(installs_of(page))
    fresh_copy(clone)
    ended(["python", "tests/page_runner.py", page, "--installed"], clone, env)
