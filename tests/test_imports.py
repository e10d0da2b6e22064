"""The contracts on imports hold, and each of them fails as soon as one import is turned round."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, skip_or_fail

CHECKED = ("docscore", "evaluate_modules", "playground")
LAYERS, CIRCLE, WORKS_WITH, TERMINAL, PLAYGROUND = (  # words of the names in pyproject.toml
    "only those below",
    "circle",
    "works with",
    "terminal",
    "the playground",
)

# why, the file, the lines that it gets, and the contract that they break
TURNED: list[tuple[str, str, str, str]] = [
    ("up from the bottom", "docscore/core/errors.py", "import docscore.data.rows", LAYERS),
    ("up from corpus", "docscore/corpus/scores.py", "from docscore.report import content", LAYERS),
    ("up from report", "docscore/report/wording.py", "from docscore.cli.flags import say", LAYERS),
    ("up from a function", "docscore/corpus/fields.py", "def f():\n    import docscore.cli", LAYERS),
    ("up by way of the root", "docscore/data/rows.py", "import docscore", LAYERS),
    ("to the neighbour", "docscore/metrics/nted.py", "import docscore.data.rows", LAYERS),
    ("to the neighbour on top", "docscore/report/markup.py", "import docscore.integrations.datasets", LAYERS),
    ("a package that nobody listed", "docscore/attic/__init__.py", "", LAYERS),
    ("a circle in a package", "docscore/core/errors.py", "import docscore.core.values", CIRCLE),
    ("evaluate in the library", "docscore/corpus/scores.py", "import evaluate", WORKS_WITH),
    ("torch in a function", "docscore/core/parallel.py", "def f():\n    from torch import nn", WORKS_WITH),
    ("a terminal below the command", "docscore/corpus/summary.py", "from rich.console import Console", TERMINAL),
    ("a command among the integrations", "docscore/integrations/ray.py", "import click", TERMINAL),
    ("the page in the library", "docscore/report/html_tree.py", "import playground.pair", PLAYGROUND),
]


def linted(folder: Path) -> subprocess.CompletedProcess[str]:
    """What the linter finds in the folder, which has a `pyproject.toml`."""
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    if command is None:
        skip_or_fail("needs import-linter")
    return subprocess.run(
        [command, "--no-cache", "--no-logo"], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_the_contracts_hold() -> None:
    done = linted(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("path", "lines", "contract"), [row[1:] for row in TURNED], ids=[row[0] for row in TURNED])
def test_one_import_that_is_turned_round_is_found(tmp_path: Path, path: str, lines: str, contract: str) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name in CHECKED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / path).parent.mkdir(exist_ok=True)
    with (tmp_path / path).open("a", encoding="utf-8") as file:
        file.write(f"\n{lines}\n")
    done = linted(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    broken = [line for line in done.stdout.splitlines() if " BROKEN" in line]
    assert [line for line in broken if contract in line] != [], done.stdout


def imported(path: Path) -> set[str]:
    """The first parts of the names of all modules that the file imports, in functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module.split(".")[0])
    return found


def test_only_app_py_imports_the_playground() -> None:
    """The linter reads packages, not `app.py`, `anls_star.py` and scripts."""
    scripts = [*ROOT.glob("*.py"), *ROOT.glob("benchmarks/**/*.py"), *ROOT.glob("examples/**/*.py")]
    assert [path.name for path in scripts if "playground" in imported(path)] == ["app.py"]
