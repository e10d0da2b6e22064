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
from docscore.evaluation.comparison import Gate, compare
from docscore.report.console import print_comparison, print_measured, print_summary, print_table, print_tree
from docscore.report.markup import comparison_as_markdown
from docscore.report.systems_tables import systems_table
from docscore.report.wording import verdict_text
from tests.commands import RAW
from tests.report_samples import drinks, evaluated, hostile, systems


def printed(function: Callable[..., None], *arguments: Any, encoding: str = "utf-8", **options: Any) -> str:
    """What a function prints on a console of 80 columns that is no terminal."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    function(Console(file=file, width=80, highlight=False, markup=False, emoji=False), *arguments, **options)
    file.seek(0)
    return "".join(f"{line.rstrip()}\n" for line in file.read().splitlines())


GATE = Gate(0.9, 0.1, failed=False, sentence=" ".join(["word"] * 20))


def test_the_verdict_says_whether_it_may_be_chance() -> None:
    found = copy(drinks().comparison)
    found.figure = found.figure._replace(p_value=0.0499)
    assert verdict_text(found).endswith("; this is hardly chance, p = 0.050")
    found.figure = found.figure._replace(p_value=0.05)
    assert verdict_text(found).endswith("; this may be chance, p = 0.050")
    assert verdict_text(compare(found.base, found.base)) == "the same on all 5 documents"


def test_a_comparison_as_markdown() -> None:
    """What the text says: both lines at the top, the gate, and two tables."""
    found = drinks().comparison
    parts = comparison_as_markdown(found, GATE, 1).split("\n\n")
    assert parts[0] == "### ANLS\\*: 0.7133 → 0.6000 (-0.1133)"
    assert parts[1].startswith("Better on 1 of 5 documents, worse on 3; this may be chance, p = 0.")
    assert parts[2] == f"**Gate {GATE.sentence}.**"
    assert parts[3].splitlines()[0] == "| field | base | new | change | interval | q |"
    assert len(parts[3].splitlines()) == 2 + 4
    assert parts[4].splitlines()[0] == "| cause | base | new | change | interval | q |"
    assert parts[5] == "<details><summary>Documents, largest changes</summary>"
    assert parts[6].splitlines()[2:] == [
        "| <code>a</code> | 1.000 | 0.500 | -0.5000 |",
        "| <code>e</code> | 0.500 | 1.000 | +0.5000 |",
    ]
    assert parts[7] == "</details>"
    assert parts[8].startswith("<sub><code>anls&#95;star&#124;")


def test_a_comparison_as_markdown_lists_twenty_fields_and_counts_each_side() -> None:
    truth = {f"k{number}": "x" for number in range(25)}
    base = evaluated(("a", truth, truth), ("b", truth, truth), parse="json")
    new = evaluated(("a", truth, {}), ("b", truth, "no JSON"), parse="json")
    markdown = comparison_as_markdown(compare(base, new, n_resamples=9), None, 0)
    assert "\n* new: 1 prediction that could not be parsed, scored as text: b\n" in markdown
    assert "\n\n20 of 26 fields that changed are shown.\n\n" in markdown  # and the document as a whole
    assert "<details>" not in markdown


TREE = """\
≈ $          0.633  -0.367  (1.9 of 3 points)
├─ ≈ a       0.900  -0.033  "abcdefghij" → "abcdefghiX"
├─ ≠ b       0.000  -0.333  "2" → "5"  (similarity 0.00 < 0.5)
└─ = c       1.000          (all 1 exact)
"""


def test_a_tree_and_what_differs_in_it() -> None:
    tree = score_tree({"a": "abcdefghij", "b": "2", "c": ["x"]}, {"a": "abcdefghiX", "b": "5", "c": ["x"]})
    lines = [line.split() for line in printed(print_tree, tree, fold=True).splitlines()]
    assert lines == [line.split() for line in TREE.splitlines()]
    assert len(printed(print_tree, tree, fold=False).splitlines()) == 5
    file = io.StringIO()
    print_tree(Console(file=file, width=80, force_terminal=True, color_system="truecolor"), tree, fold=True)
    assert "\x1b[1;9;" in file.getvalue(), "what only the ground truth has is struck through"
    assert "\x1b[1;4;" in file.getvalue(), "what only the prediction has is underlined"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_encodings_without_our_signs(encoding: str) -> None:
    """Numbers and bars have others; a tree has lines of ASCII."""
    whole, text = (printed(print_summary, drinks().summary, 2, encoding=each) for each in ("utf-8", encoding))
    assert whole.count("█") > 20
    assert text == whole.replace("█", "#")
    tree = score_tree({"a": "x", "b": ["y", "z"]}, {"a": "y", "b": ["y"]})
    assert printed(print_tree, tree, fold=False, encoding=encoding).isascii()


@pytest.mark.parametrize("part", ["summary", "comparison", "measured", "systems"])
def test_text_of_others_steers_nothing(part: str) -> None:
    """And of what is no name, every line fits."""
    sample = hostile()
    printers: dict[str, Callable[[], str]] = {
        "summary": partial(printed, print_summary, sample.summary, 99),
        "comparison": partial(printed, print_comparison, sample.comparison, None, 99),
        "measured": partial(printed, print_measured, sample.evaluation),
        "systems": partial(printed, print_table, systems_table(systems(sample), by_metric=True), with_caption=False),
    }
    text = printers[part]()
    assert not RAW.search(text)
    assert "<img src=x" in text or part in ("measured", "systems")
