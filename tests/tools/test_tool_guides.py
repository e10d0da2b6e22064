"""The Python of the guides to the benchmark and to evaluation tools runs, where its tool is there."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

import pytest

from tests.commands import run_python
from tests.conftest import REQUIRE_TOOLS, ROOT

GUIDES = ("docs/benchmark.md", "docs/evaluation_tools.md")
REQUIRED = {"inspect_ai", "mlflow", "pydantic", "pydantic_evals"}  # in the environment of these tests
OPTIONAL = {"braintrust", "deepeval", "langfuse", "weave"}


def sections() -> list[tuple[str, str]]:
    """The headings with Python below them, and that Python."""
    found = []
    for guide in GUIDES:
        parts = re.split(r"^#{2,3} (.+)$", (ROOT / guide).read_text("utf-8"), flags=re.MULTILINE)
        for heading, body in zip(parts[1::2], parts[2::2], strict=True):
            blocks = re.findall(r"```python\n(.*?)```", body, flags=re.DOTALL)
            if blocks:
                found.append((heading, "\n".join(blocks)))
    return found


@pytest.mark.parametrize(("heading", "code"), sections(), ids=[heading for heading, _ in sections()])
def test_a_section_of_a_guide_runs(heading: str, code: str, tmp_path: Path) -> None:
    tools = set(re.findall(r"^(?:import|from) (\w+)", code, flags=re.MULTILINE)) & (REQUIRED | OPTIONAL)
    missing = {tool for tool in tools if importlib.util.find_spec(tool) is None}
    if missing:
        assert not (os.environ.get(REQUIRE_TOOLS) and missing & REQUIRED), f"{heading} needs {', '.join(missing)}"
        pytest.skip(f"needs {', '.join(missing)}")
    (tmp_path / "guide.py").write_text(code, "utf-8")
    run_python("guide.py", cwd=tmp_path, DEEPEVAL_TELEMETRY_OPT_OUT="1")
