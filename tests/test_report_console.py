"""What the command prints, in this process: every part of it, in 80 columns and in encodings without our signs."""

from __future__ import annotations

import io
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import pytest
from rich.console import Console

from docscore import score_tree
from docscore.evaluation.comparison import compare
from docscore.report.console import print_comparison, print_measured, print_summary, print_table, print_tree
from docscore.report.systems_tables import systems_table
from docscore.report.wording import verdict_text
from tests.commands import RAW
from tests.report_samples import drinks, hostile, systems


def printed(function: Callable[..., None], *arguments: Any, encoding: str = "utf-8", **options: Any) -> str:
    """What a function prints on a console of 80 columns that is no terminal."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    function(Console(file=file, width=80, highlight=False, markup=False, emoji=False), *arguments, **options)
    file.seek(0)
    return "".join(f"{line.rstrip()}\n" for line in file.read().splitlines())


def test_the_verdict_says_whether_it_may_be_chance() -> None:
    found = copy(drinks().comparison)
    found.figure = found.figure._replace(p_value=0.0499)
    assert verdict_text(found).endswith("; this is hardly chance, p = 0.050")
    found.figure = found.figure._replace(p_value=0.05)
    assert verdict_text(found).endswith("; this may be chance, p = 0.050")
    assert verdict_text(compare(found.base, found.base)) == "the same on all 5 documents"


def test_what_differs_in_a_tree() -> None:
    tree = score_tree({"a": "abcdefghij", "b": "2", "c": ["x"]}, {"a": "abcdefghiX", "b": "5", "c": ["x"]})
    file = io.StringIO()
    print_tree(Console(file=file, width=80, force_terminal=True, color_system="truecolor"), tree, fold=True)
    assert "\x1b[1;9;" in file.getvalue(), "what only the ground truth has is struck through"
    assert "\x1b[1;4;" in file.getvalue(), "what only the prediction has is underlined"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_encodings_without_our_signs(encoding: str) -> None:
    """Numbers and bars have others; a tree has lines of ASCII."""
    whole, text = (
        printed(print_summary, drinks().evaluation, fields=True, worst=2, encoding=each) for each in ("utf-8", encoding)
    )
    assert whole.count("█") > 20
    assert text == whole.replace("█", "#")
    tree = score_tree({"a": "x", "b": ["y", "z"]}, {"a": "y", "b": ["y"]})
    assert printed(print_tree, tree, fold=False, encoding=encoding).isascii()


@pytest.mark.parametrize("part", ["summary", "comparison", "measured", "systems"])
def test_text_of_others_steers_nothing(part: str) -> None:
    """And of what is no name, every line fits."""
    sample = hostile()
    printers: dict[str, Callable[[], str]] = {
        "summary": partial(printed, print_summary, sample.evaluation, fields=True, worst=99),
        "comparison": partial(printed, print_comparison, sample.comparison, None, 99),
        "measured": partial(printed, print_measured, sample.evaluation),
        "systems": partial(printed, print_table, systems_table(systems(sample), by_metric=True), with_caption=False),
    }
    text = printers[part]()
    assert not RAW.search(text)
    assert "<img src=x" in text or part in ("measured", "systems")
