"""What predictions cost, the systems that no other one beats in both, and several systems as a page and as pictures."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore.evaluation.figures import Cost, costs_of
from docscore.evaluation.systems import systems_of
from tests.commands import Write, pred, ref, run, succeed
from tests.conftest import golden

IDS = ["a", "b", "c"]
REFERENCES = [ref(name, {"t": "1", "u": "tea"}) for name in IDS]


def rows(right: int, cost: Any, **others: Any) -> list[dict[str, Any]]:
    """Predictions that get so many documents right and half of each other one."""
    return [
        {**pred(name, {"t": "1", "u": "tea" if number < right else f"x{cost}"}), "cost": cost, **others}
        for number, name in enumerate(IDS)
    ]


@golden("systems", "costs")
def test_a_sum_or_the_reason_why_there_is_none(cells: list[Any], total: float | None, said: str) -> None:
    predictions = [{**pred(name, 1), "cost": cell} for name, cell in zip(IDS, cells, strict=True)]
    result = docscore.evaluate(predictions=predictions, references=[ref(name, 1) for name in IDS])
    assert result.costs["cost"].note == said
    assert result.costs["cost"].total == pytest.approx(total)


def test_columns_of_other_names_and_rows_without_ids() -> None:
    """A path into the rows; where rows are values, a key "cost" is a field, and no column can be named."""
    answers = [{**pred(name, 1), "usage": {"out": 5}, "tokens": 7} for name in IDS]
    references = [ref(name, 1) for name in IDS]
    evaluation = docscore.evaluate(predictions=answers, references=references, cost_column="usage.out")
    assert evaluation.costs == {"cost": Cost(15.0), "tokens": Cost(21.0)}
    amounts = [{**pred(name, 1), "cost": Decimal("0.25")} for name in IDS]
    assert docscore.evaluate(predictions=amounts, references=references).costs == {"cost": Cost(0.75)}
    values = [{"cost": 3}] * 2
    assert docscore.evaluate(predictions=values, references=values).costs == {}
    with pytest.raises(ValueError, match="a column 'question_id', which cost_column needs"):
        docscore.evaluate(predictions=values, references=values, cost_column="cost")


def test_a_system_costs_what_its_documents_do() -> None:
    """Of two runs the mean; a run without costs is a gap; a slice has its own; what is left out does not count."""
    answers = [rows(2, 0.5), rows(3, 1.0)]
    both: dict[str, Any] = {"references": REFERENCES, "runs": True}
    evaluation = docscore.evaluate(predictions=answers, by=lambda name: name, **both)
    assert evaluation.costs["cost"].total == pytest.approx(2.25)
    assert evaluation.of_slice("a").costs["cost"].total == pytest.approx(0.75)
    for row in answers[1]:
        del row["cost"]
    lacking = docscore.evaluate(predictions=answers, **both).costs["cost"]
    assert lacking == Cost(None, "3 of 6 predictions have no cost of at least 0, such as 'a, run 2' (nothing)")
    skipped = docscore.evaluate(predictions=answers[0][:2], references=REFERENCES, missing="skip")
    assert skipped.costs["cost"].total == pytest.approx(1.0)
    absent = docscore.evaluate(predictions=answers[0][:2], references=REFERENCES, missing="zero")
    assert "such as 'c' (nothing)" in absent.costs["cost"].note
    assert costs_of(replace(evaluation.test_set, costs=None)) == {}


def test_the_price_of_tokens(write: Write) -> None:
    """It takes the place of the column of costs; names of files lack what all of them begin with."""
    tokens = [{**row, "tokens": 500_000} for row in rows(2, 9.0)]
    both: dict[str, Any] = {"predictions": tokens, "references": REFERENCES}
    result = docscore.evaluate(**both, token_price=2, by=lambda name: name)
    assert result.costs == {"cost": Cost(3.0), "tokens": Cost(1_500_000.0)}
    assert result.of_slice("a").costs["cost"] == Cost(1.0)
    unknown = Cost(None, "no prediction has tokens to compute its cost from")
    assert docscore.evaluate(predictions=rows(3, 1), references=REFERENCES, token_price=2).costs["cost"] == unknown
    with pytest.raises(ValueError, match="token_price: expected a number of at least 0, got -1"):
        _ = docscore.evaluate(**both, token_price=-1).costs
    files: list[str | Path] = ["--references", write("refs.jsonl", REFERENCES)]
    files += [write(f"predictions_{name}.jsonl", tokens) for name in ("x", "y")]
    output = json.loads(run("table", *files, "--json", "--price", "y=2").out)["systems"]
    assert {each["system"]: each["costs"]["cost"]["total"] for each in output} == {"x": 27.0, "y": 3.0}
    assert "cost, seconds, tokens: sums over the documents; with several runs" in run("table", *files).out
    for wrong, said in (("z=2", "price: expected one of 'x', 'y', got 'z'"), ("y=1,2", "expected NAME=DOLLARS")):
        done = run("table", *files, "--price", wrong)
        assert (done.code, said in done.err) == (2, True)


@pytest.fixture
def files(write: Write) -> list[str | Path]:
    """A dear system, a cheap one, one that both beat, and one for nothing; the first file is that of the references."""
    systems = {"dear": (3, 2.0), "cheap": (2, 0.05), "beaten": (2, 1.0), "free": (0, 0)}
    named = [f"{name}={write(f'{name}.jsonl', rows(*what, seconds=1.5))}" for name, what in systems.items()]
    return [write("refs.jsonl", REFERENCES), *named]


def test_equal_systems_at_one_cost_are_both_unbeaten() -> None:
    one = docscore.evaluate(predictions=rows(3, 1.0), references=REFERENCES)
    assert systems_of({"x": one, "y": one}, pareto=True).front == ["x", "y"]


def written(files: list[str | Path], path: Path, *options: str) -> str:
    """What is in the file; said on the error stream, with nothing printed."""
    done = run("table", *files, *options, "-o", path)
    assert (done.code, done.out, done.err) == (0, "", f"docscore: wrote {path}\n")
    return path.read_text("utf-8")


def test_a_page_with_pictures(files: list[str | Path], tmp_path: Path) -> None:
    """A dot and a line a system in each; what a name spells is text; the one for nothing has no place on the axis."""
    files[1] = str(files[1]).replace("dear=", "<b>dear$_2$=")
    page = written(files, tmp_path / "t.html", "--ranks", "--pareto")
    ranks, costs = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
    assert (ranks.count("<circle"), costs.count("<circle")) == (4, 3)
    assert (ranks.count("<rect"), costs.count("<rect")) == (4, 3)
    assert "&lt;b&gt;dear" in ranks
    assert not re.search(r"<b>|<script|https?://(?!www\.w3\.org)", page)
    assert "on a logarithmic scale. The line joins the systems that no other one beats in both score and cost. " in page
    assert "Not shown, because they have no cost above 0: free." in page
    assert re.findall(r">(0\.01|0\.1|1|10)</text>", costs) == ["0.01", "0.1", "1", "10"]
    alone = written(files, tmp_path / "costs.html")
    assert alone.count("<svg") == 1
    assert "The line joins" not in alone


def test_a_caption_holds_what_marks_mean_and_comments_the_rest(write: Write) -> None:
    """What decides the front is in it; what runs say is not, and how to halve the width is said once."""
    runs = {"a": (3, 2), "b": (1, 0)}
    files = [
        f"{name}={write(f'{name}{number}.jsonl', rows(right, 1.0))}"
        for name, each in runs.items()
        for number, right in enumerate(each)
    ]
    options = ("--ranks", "--pareto", "--format", "latex", "--caption", "Mine.")
    latex = succeed("table", write("refs.jsonl", REFERENCES), *files, *options)
    [caption] = re.findall(r"\\caption\{(.*)\}", latex)
    assert caption.startswith("Mine. Best values in bold. rank: the possible ranks by ANLS*, simultaneously")
    assert "Pareto depends on the cost, not on seconds or tokens." in caption
    comments = [line for line in latex.splitlines() if line.startswith("% ")]
    found = [len(re.findall("standard deviation between runs", "\n".join(text))) for text in (comments, [caption])]
    assert found == [2, 0]
    assert latex.count("halve the width") == 1


def test_files_of_the_formats_that_are_printed(files: list[str | Path], tmp_path: Path) -> None:
    for extension, form in (("md", "markdown"), ("tex", "latex")):
        printed = succeed("table", *files, "--ranks", "--format", form)
        assert written(files, tmp_path / f"t.{extension}", "--ranks") == printed.removesuffix("\n")


def test_a_picture_as_png(files: list[str | Path], tmp_path: Path) -> None:
    """Of the ranks, else of the costs."""
    pytest.importorskip("matplotlib")
    pictures = []
    for options in (["--ranks"], []):
        assert run("table", *files, *options, "-o", tmp_path / "t.png").code == 0
        pictures.append((tmp_path / "t.png").read_bytes())
    assert all(picture.startswith(b"\x89PNG\r\n") for picture in pictures)
    assert pictures[0] != pictures[1]
