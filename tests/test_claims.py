"""Sentences of the pages about limits, errors, order, intervals and processes, each with the tests that hold it.

A sentence that is changed on its page fails here until it is changed in data/claims.yaml too, and with it, where need
be, its tests.
"""

from __future__ import annotations

import ast
import re
from functools import cache, partial
from math import nan
from pathlib import Path
from typing import Any

import pytest
import yaml

from docscore import anls_score, score_pairs, score_tree
from docscore.core.values import MAX_DEPTH
from tests.commands import PREDICTIONS, REFERENCES, Write, pred, ref, run, succeed, written
from tests.conftest import ROOT

HERE = Path(__file__)
PAGES = yaml.safe_load(HERE.with_name("data").joinpath("claims.yaml").read_text(encoding="utf-8"))
CLAIMS = [(page, claim["says"], claim["held_by"]) for page, claims in PAGES.items() for claim in claims]


@cache
def text_of(page: str) -> str:
    """A page with its white space folded."""
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


@cache
def names_of_tests(name: str) -> frozenset[str]:
    """The names of the tests in a file."""
    tree = ast.parse((ROOT / "tests" / name).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize(("page", "sentence", "held_by"), CLAIMS, ids=[f"{c[0]}: {c[1][:60]}" for c in CLAIMS])
def test_the_sentence_stands_and_has_its_tests(page: str, sentence: str, held_by: list[str]) -> None:
    assert sentence in text_of(page)
    for name in held_by:
        file, _, test = name.rpartition("::")
        assert test in names_of_tests(file or HERE.name), f"{name} is no test"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a file of the test."""
    return partial(written, tmp_path)


def test_weights_and_the_jump() -> None:
    assert anls_score("1,234.00", "1,284.00") == 0.875
    truth = {"tax": "DE123", "greeting": "hello"}
    assert anls_score(truth, {"tax": "DE123"}) == anls_score(truth, {"greeting": "hello"}) == 0.5
    assert (anls_score("abcd", "abxy"), anls_score("abcd", "axyz")) == (0.5, 0.0)


def test_text() -> None:
    assert anls_score(1, 1.0) == 0.0
    assert anls_score("12.03.2024", "2024-03-12", threshold=0) < 0.5


def test_the_limit_of_levels() -> None:
    """The place is that of the value that is too deep."""
    value: Any = "x"
    for _ in range(MAX_DEPTH):
        value = [value]
    assert MAX_DEPTH == 200
    assert anls_score(value, value) == score_tree(value, value).score == score_pairs([(value, value)])[0] == 1.0
    place = re.escape("$" + "[0]" * 200)
    with pytest.raises(ValueError, match=rf"^{place}: nested deeper than 200 levels$"):
        anls_score([value], [value])


def test_the_place_of_a_fault() -> None:
    for function in (anls_score, score_tree):
        with pytest.raises(TypeError, match=r"^\$\.a\[1\]: expected a JSON value, got bytes$"):
            function({"a": ["x", b"y"]}, {})
        with pytest.raises(TypeError, match=r"^\$\.a: expected a string as key, got int 1$"):
            function({"a": {1: "x"}}, {})


def test_nan_is_a_number() -> None:
    assert anls_score(None, nan) == 0.0
    assert anls_score(nan, nan) == anls_score("nan", nan) == 1.0


def test_what_cannot_be_parsed(write: Write) -> None:
    files = write("r.jsonl", [ref("a", "tea")]), write("p.jsonl", [pred("a", "tee")])
    done = run("score", *files, "--parse", "json")
    assert done.code == 0
    assert "0.666667" in done.out


def test_a_line_that_cannot_be_read_scores_as_null(write: Write) -> None:
    """Its id is unknown, so that its reference has no prediction."""
    references = write("r.jsonl", [ref("a", "x"), ref("b", "x")])
    predictions = write("p.jsonl", '{"question_id": "a", "prediction": "x"}\n{"question_id": "b", "predic\n')
    done = run("score", references, predictions, "--missing", "zero", "--on-error", "skip")
    assert done.code == 0
    assert "0.500000" in done.out
    assert "mean of 2 rows" in done.out
    assert run("score", references, predictions, "--missing", "zero").code == 2


def test_a_csv_that_is_cut_off_within_a_cell(write: Write) -> None:
    references = write("r.jsonl", [ref("a", "x"), ref("b", "x")])
    predictions = write("p.csv", 'question_id,prediction\na,x\nb,"x')
    done = run("score", references, predictions)
    assert (done.code, done.out) == (2, "")
    assert f"{predictions}, line 3: " in done.err
    skipped = run("score", references, predictions, "--missing", "zero", "--on-error", "skip")
    assert skipped.code == 0
    assert "0.500000" in skipped.out


def rows_of_table(heading: str) -> dict[str, list[str]]:
    """The cells of a table of benchmarks/README.md by its first column, without what stands behind ±."""
    lines = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(heading))
    cells = ([cell.split("±")[0].strip() for cell in line.strip("|").split("|")] for line in lines[start + 2 :])
    return {first: rest for first, *rest in iter(cells.__next__, [""])}


def test_simulated_figures_are_those_of_the_table() -> None:
    """Of benchmarks/README.md, which `python -m benchmarks.coverage` prints."""
    means = rows_of_table("| documents | BCa holds the mean |")
    assert [means[count][0] for count in ("20", "100", "500")] == ["88.2%", "93.3%", "94.0%"]
    gate = rows_of_table("| documents | no difference | 5% gain 1")
    equal = [float(cell.rstrip("%")) for count, row in gate.items() if count != "nominal" for cell in row[:3]]
    assert max(equal) == 4.2
    assert [gate[count][4] for count in ("20", "40", "100")] == ["2.0%", "68.2%", "100.0%"]
    assert [gate[count][3] for count in ("100", "200")] == ["76.7%", "99.5%"]


def test_the_command_says_the_same_twice() -> None:
    """Intervals resample in the same way each time."""
    assert succeed("score", REFERENCES, PREDICTIONS) == succeed("score", REFERENCES, PREDICTIONS)
