"""CSV that docscore writes: no cell is a formula to a spreadsheet, numbers stay numbers, the rest stays as it is."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore.data.csv_files import csv_cell, write_csv

if TYPE_CHECKING:
    from pathlib import Path

CELLS: list[tuple[Any, Any, str]] = [
    ("=1+1", "'=1+1", "a formula"),
    ("+1+1", "'+1+1", "a formula by its plus"),
    ("-1+1", "'-1+1", "a formula by its minus"),
    ("@SUM(A1)", "'@SUM(A1)", "a function of old spreadsheets"),
    ("\t=1", "'\t=1", "white space that is passed over"),
    ("\r=1", "'\r=1", "the same"),
    ("\n=1", "'\n=1", "the same"),
    ("＝1+1", "'＝1+1", "a wide sign"),
    ("-", "'-", "a sign alone"),
    ("-0.5", "-0.5", "a number as text is no formula"),
    ("+4.2e-3", "+4.2e-3", "the same"),
    ("-0.5\n", "'-0.5\n", "more than a number"),
    (-0.5, -0.5, "a number"),
    (-3, -3, "a number"),
    (None, None, "an empty cell"),
    (True, True, "no text"),
    ("a=b", "a=b", "the sign is not first"),
    ("", "", "nothing"),
]


@pytest.mark.parametrize(("value", "expected", "why"), CELLS, ids=lambda value: repr(value)[:20])
def test_a_cell(value: Any, expected: Any, why: str) -> None:
    assert csv_cell(value) == expected, why


@given(st.text())
def test_a_text_loses_nothing(text: str) -> None:
    assert csv_cell(text) in (text, f"'{text}")


def test_headings_and_cells_of_a_file(tmp_path: Path) -> None:
    """A surrogate, which UTF-8 lacks, is written as an escape."""
    path = tmp_path / "a.csv"
    write_csv(path, ["id", "=f"], [{"id": "=1", "=f": -0.5}, {"id": 'a,"b"\n\ud800'}])
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["id", "'=f"], ["'=1", "-0.5"], ['a,"b"\n\\ud800', ""]]
