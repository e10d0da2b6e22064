"""The guides: every Python block of a file runs, one after the other, in a process of its own."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import environment
from tests.conftest import HUNG, ROOT, skip_or_fail

GUIDES: tuple[tuple[str, tuple[str, ...]], ...] = (  # file, needed modules
    ("docs/rules.md", ()),
    ("docs/adding_a_metric.md", ()),
    ("docs/training.md", ("accelerate", "evaluate", "torch", "torchmetrics", "transformers")),
    ("docs/datasets.md", ("datasets",)),
    ("docs/ray.md", ("ray", "polars")),
    ("docs/spark.md", ("pandas", "pyarrow", "pyspark")),
)


def blocks(text: str) -> list[str]:
    """The Python blocks of a guide."""
    return re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("guide", "modules"), GUIDES)
def test_every_block_of_a_guide_runs(guide: str, modules: tuple[str, ...], tmp_path: Path) -> None:
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if "pyspark" in modules and not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        missing.append("a Java runtime")
    if not (ROOT / guide).exists():
        missing.append(guide)
    if missing:
        skip_or_fail(f"needs {', '.join(missing)}")
    found = blocks((ROOT / guide).read_text("utf-8"))
    assert found
    script = tmp_path / "guide.py"
    script.write_text("\n".join(found), "utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env=environment(OMP_NUM_THREADS="1"),
        capture_output=True,
        text=True,
        check=False,
        timeout=HUNG,
    )
    assert done.returncode == 0, done.stderr


def test_blocks_are_found() -> None:
    assert blocks("a\n```python\nx = 1\ny = 2\n```\n```bash\nls\n```\n```python\nz = 3\n```\n") == [
        "x = 1\ny = 2\n",
        "z = 3\n",
    ]
