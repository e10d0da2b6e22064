"""Every page of the documentation and every card: what it shows runs, and prints what the page says.

Each page runs in a process and a folder of its own, in which `examples` is that of the project.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docscore.integrations.evaluate import MODULES
from tests.commands import run_python
from tests.conftest import ROOT, skip_or_fail
from tests.page_runner import imports_of

pytestmark = pytest.mark.full

IN_TOOLS = {"benchmark.md", "evaluation_tools.md"}  # tests/tools runs these, where the tools are
PAGES = [
    "README.md",
    *(f"evaluate_modules/{name}/README.md" for name in MODULES if name != "anls_star"),
    *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in IN_TOOLS),
]
ALSO_NEEDED = {"pyspark": {"pandas", "pyarrow"}, "ray": {"polars"}, "transformers": {"torch"}}


def missing_for(page: str) -> list[str]:
    """What a page needs and is not installed here."""
    needed = imports_of(page)
    needed = needed.union(*(ALSO_NEEDED.get(name, set()) for name in needed))
    missing = sorted(name for name in needed if importlib.util.find_spec(name) is None)
    if "pyspark" in needed and not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        missing.append("a Java runtime")
    return missing


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_and_prints_what_it_says(page: str, tmp_path: Path) -> None:
    missing = missing_for((ROOT / page).read_text("utf-8"))
    if missing:
        skip_or_fail(f"needs {', '.join(missing)}")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    run_python("-m", "tests.page_runner", ROOT / page, cwd=tmp_path, OMP_NUM_THREADS="1")


# guides that need nothing but what their own line installs
FRESH = ["quick_start.md", "my_files.md", "statistics.md"]
_INSTALL = re.compile(r"pip install (-e [^`&#\n]+)")


@pytest.mark.parametrize("page", FRESH)
def test_a_guide_holds_where_its_own_line_was_installed(page: str, tmp_path: Path) -> None:
    """As a reader runs it: in a fresh copy of the repository and a fresh environment."""
    clone, python = tmp_path / "docscore", tmp_path / "venv" / "bin" / "python"
    for name in subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")[:-1]:  # noqa: S607
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, clone / name, follow_symlinks=False)
    install = _INSTALL.search((ROOT / "docs" / page).read_text("utf-8"))
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    env = {**kept, "PATH": os.pathsep.join([str(python.parent), os.environ["PATH"]]), "PIP_QUIET": "1"}
    commands: list[list[str | Path]] = [
        [sys.executable, "-m", "venv", tmp_path / "venv"],
        [python, "-m", "pip", "install", *shlex.split(install[1] if install else "-e .")],
        [python, "tests/page_runner.py", f"docs/{page}", "--installed"],
    ]
    for command in commands:
        done = subprocess.run(command, cwd=clone, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
