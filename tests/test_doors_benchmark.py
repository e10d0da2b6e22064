"""The benchmark of the command, run as a process on a few rows."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.conftest import HUNG, ROOT

pytestmark = pytest.mark.long


def test_it_prints_a_line_for_each_file_and_what_is_loaded() -> None:
    command = [sys.executable, "-m", "benchmarks.doors", "--sizes", "200", "300"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=HUNG)
    lines = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    names = ["40 receipts", "200 questions", "300 questions", "300 questions, predictions shuffled", "3 invoices"]
    assert [cells[0] for cells in lines[2:8]] == [*names, "3 invoices --fields"]
    for cells in lines[2:8]:
        assert re.fullmatch(r"[\d,]+ \| \d+\.\d\d s \| [\d,]+ \| \d+ MB", " | ".join(cells[1:]))
    assert lines[-2][1].startswith("none of them; ")
    assert lines[-1][1].startswith("click; ")
