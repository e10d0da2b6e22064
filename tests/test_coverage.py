"""The simulation of coverage runs and prints its tables; what the numbers are is for its readers."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.coverage import DOCUMENTS, TABLES, of_gate, student_bound
from benchmarks.populations import confident, questions, rare_gain, share_of_right_answers
from tests.conftest import ROOT

pytestmark = pytest.mark.long

CELL = re.compile(r"\d+\.\d% ± \d+\.\d%")
DISTANCE = re.compile(r"\d+\.\d%")


def test_it_prints_a_row_for_each_size() -> None:
    """A share and its Monte Carlo error for each figure of each table; and how far the closed form is from BCa."""
    command = [sys.executable, "-m", "benchmarks.coverage", "--trials", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    printed = re.findall(r"(?:^\|.*\|\n)+", done.stdout, re.MULTILINE)
    assert len(printed) == len(TABLES) + 1
    for table, lines in zip(TABLES, printed, strict=False):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines()]
        assert rows[0] == [table.rows, *(figure.name for figure in table.figures)]
        assert [row[0] for row in rows[1:]] == ["---", "nominal", *map(str, table.sizes)]
        assert {len(row) for row in rows} == {1 + len(table.figures)}
        assert all(CELL.fullmatch(cell) for row in rows[3:] for cell in row[1:])
    assert all(DISTANCE.search(line) for line in printed[-1].splitlines()[2:])


def test_the_made_populations_have_the_means_that_are_said() -> None:
    """Rare gains leave the mean; right answers and confidences are as often right as they should be."""
    rng = np.random.default_rng(1)
    assert rare_gain(rng, 1_000_000, 0.05).mean() == pytest.approx(0.0, abs=0.001)
    base, new, clusters = questions(rng, 50_000)
    assert [side.values[0] for side in (base, new)] == pytest.approx([share_of_right_answers()] * 2, abs=0.005)
    assert np.bincount(clusters).min() == 1
    assert np.bincount(clusters).max() == 20
    sure, right, _ = confident(rng, 50_000, 1.0)
    assert right.mean() == pytest.approx(sure.mean(), abs=0.003)


def test_a_trial_is_the_same_twice() -> None:
    assert DOCUMENTS.trial(20, 3) == DOCUMENTS.trial(20, 3)
    assert of_gate(student_bound, 20, 3) == of_gate(student_bound, 20, 3)
