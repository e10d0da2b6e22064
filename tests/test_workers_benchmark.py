"""The benchmark of workers, run as a process on a few rows."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.commands import environment, without_coverage
from tests.conftest import HUNG, ROOT

pytestmark = pytest.mark.long


def test_it_prints_a_line_for_each_engine_and_kind_of_rows() -> None:
    """An engine that is not installed has one line that says so."""
    given = without_coverage(environment())
    command = [sys.executable, "-m", "benchmarks.workers", "--rows", "40", "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=given, timeout=HUNG)
    lines = done.stdout.splitlines()
    for name, module in (
        ("score_pairs(num_proc=…)", "docscore"),
        ("datasets, map(num_proc=…)", "datasets"),
        ("Ray Data", "ray"),
    ):
        found = [line for line in lines if line.startswith(f"| {name} |")]
        if find_spec(module) is None:
            assert [f"{module} is not installed" in line for line in found] == [True]
            continue
        assert [line.split(" | ")[1] for line in found] == ["40 questions", "40 invoices"]
        for line in found:
            assert re.search(r"( \| [\d,]+){3}( \| \d+\.\d\d×){2} \|$", line)
