"""The metric with `evaluate`, which keeps rows in a cache: one that may not be written, or that several use at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import as_bound_by_permissions
from tests.conftest import ROOT

pytest.importorskip("evaluate")
pytestmark = [pytest.mark.full, pytest.mark.skipif(sys.platform != "linux", reason="capabilities of Linux")]

# Loads the metric, says that it is ready, waits for a line, and scores as many rows as its argument says, all right
# but the first.
SCRIPT = """
import json, sys
import docscore
import evaluate

metric = evaluate.load(docscore.evaluate_module("anls_star"))
count = int(sys.argv[1])
for i in range(count):
    metric.add(prediction={"question_id": str(i), "prediction": "x" if i else "yyyy"},
               reference={"question_id": str(i), "references": ["x"]})
print("ready", flush=True)
sys.stdin.readline()
print(json.dumps(metric.compute()), flush=True)
"""


def started(count: int, folder: Path, **changes: str) -> subprocess.Popen[str]:
    """A process that has rows to score, in a folder of its own, bound by permissions."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "XDG_"))}
    environment = {**kept, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1", **changes}
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(count)],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=as_bound_by_permissions,  # noqa: PLW1509  it takes no lock
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, Any, str]:
    """The exit status, the result, and the last line of the error stream."""
    out, err = process.communicate("\n")
    lines = out.splitlines()
    return process.returncode, json.loads(lines[-1]) if process.returncode == 0 else None, err.strip()[-400:]


def test_two_processes_with_one_cache_do_not_mix_their_rows(tmp_path: Path) -> None:
    """Both have written their rows before one of them is asked for the result."""
    processes = [started(count, tmp_path, HF_HOME=str(tmp_path / "cache")) for count in (2, 4)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    assert [ended(process)[:2] for process in processes] == [(0, {"anls_score": 0.5}), (0, {"anls_score": 0.75})]


def test_without_a_home_a_stated_cache_is_enough(tmp_path: Path) -> None:
    process = started(2, tmp_path, HOME="/nonexistent", HF_HOME=str(tmp_path / "cache"))
    assert ended(process)[:2] == (0, {"anls_score": 0.5})


def test_a_cache_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    """No score, and the system's sentence with the path."""
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o555)
    code, _, said = ended(started(2, tmp_path, HF_HOME=str(cache)))
    assert code == 1
    assert "Permission denied: " in said
    assert str(cache) in said
