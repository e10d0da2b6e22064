"""Every page of the documentation and every card: what it shows runs, and prints what the page says.

Each page runs in a process and a folder of its own, in which `examples` is that of the project.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
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
