"""The simulation of coverage runs and prints its tables; what the numbers are is for its readers."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

SHARE_AND_ERROR = re.compile(r"\d+\.\d% ± \d+\.\d%")
SIZES = {
    "Intervals and tests": ["20", "100", "500"],
    "The gate at margin 0 fails": ["10", "20", "40", "100", "200", "500"],
    "For comparison: a gate by Student's t fails": ["10", "20", "40", "100", "200", "500"],
    "Questions in documents of 1 to 20": ["20", "100", "500"],
    "Confidences of values in documents of 1 to 15": ["20", "100", "500"],
    "20,000 documents of which few fail": ["3", "10", "30"],
}


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.fixture(scope="module")
def tables() -> dict[str, list[list[str]]]:
    """The rows of every printed table below its header and its rule, by the first words of the line above it."""
    command = [sys.executable, "-m", "benchmarks.coverage", "--trials", "4"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    first, *sections = done.stdout.strip().split("\n\n")
    assert first.startswith("4 trials of each size")
    captions, grids = sections[::2], [section.splitlines() for section in sections[1::2]]
    for header, rule, *lines in grids:
        assert set(rule) == set("-| ")
        assert {len(_cells(line)) for line in lines} == {len(_cells(header))}
    return {
        caption.split(";")[0].rstrip(":"): [_cells(line) for line in grid[2:]]
        for caption, grid in zip(captions, grids, strict=True)
    }


@pytest.mark.parametrize("caption", SIZES)
def test_it_prints_a_row_for_each_size(tables: dict[str, list[list[str]]], caption: str) -> None:
    """A share and its Monte Carlo error in each cell, below the nominal values."""
    nominal, *rows = tables[caption]
    assert nominal[0] == "nominal"
    assert [row[0] for row in rows] == SIZES[caption]
    assert all(SHARE_AND_ERROR.fullmatch(cell) for row in rows for cell in row[1:])


def test_it_prints_the_distances_of_the_ends(tables: dict[str, list[list[str]]]) -> None:
    """The last table has shares without an error: it compares methods on given data, nothing is drawn."""
    (caption,) = set(tables) - set(SIZES)
    assert caption.startswith("The ends of an interval")
    assert all(cell.endswith("%") for row in tables[caption] for cell in row[1:])
