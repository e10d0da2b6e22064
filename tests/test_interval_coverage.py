"""The simulation of coverage runs and prints its table; what the numbers are is for its readers."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.conftest import ROOT

CELL = re.compile(r"\d+\.\d% ± \d+\.\d%")


def test_it_prints_a_row_for_each_size() -> None:
    """A share and its Monte Carlo error for each of the figures, for 20, 100 and 500 documents."""
    command = [sys.executable, "-m", "benchmarks.coverage", "--trials", "4"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    first, _, header, *lines = done.stdout.splitlines()
    assert first.startswith("4 trials of each size")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [row[0] for row in rows] == ["---", "nominal", "20", "100", "500"]
    assert {len(row) for row in rows} == {len(header.strip("|").split("|"))}
    assert all(CELL.fullmatch(cell) for row in rows[2:] for cell in row[1:])
