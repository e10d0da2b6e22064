"""Several systems as a page and as pictures: `docscore table --output`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Write, pred, ref, run, succeed
from tests.conftest import golden
from tests.test_costs import REFERENCES, rows

DEAR, CHEAP = rows(3, 2.0), rows(2, 0.05)


@pytest.fixture
def files(write: Write) -> list[str | Path]:
    """References, and systems with names that are markup and mathematics elsewhere; the last one costs nothing."""
    systems = {"<b>dear$_2$": DEAR, "cheap": CHEAP, "free": rows(0, 0)}
    named = [f"{name}={write(f'{number}.jsonl', rows)}" for number, (name, rows) in enumerate(systems.items())]
    return [write("refs.jsonl", REFERENCES), *named]


def written(files: list[str | Path], path: Path, *options: str) -> str:
    """What is in the file; said on the error stream, with nothing printed."""
    done = run("table", *files, *options, "-o", path)
    assert (done.code, done.out, done.err) == (0, "", f"docscore: wrote {path}\n")
    return path.read_text("utf-8")


def test_a_page_with_pictures(files: list[str | Path], tmp_path: Path) -> None:
    """A dot and a line a system in each; what a name spells is text; the one for nothing has no place on the axis."""
    page = written(files, tmp_path / "t.html", "--ranks", "--pareto")
    ranks, costs = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
    assert (ranks.count("<circle"), costs.count("<circle")) == (3, 2)
    assert (ranks.count("<rect"), costs.count("<rect")) == (3, 2)
    assert "&lt;b&gt;dear" in ranks
    assert not re.search(r"<b>|<script|https?://(?!www\.w3\.org)", page)
    assert "on a logarithmic scale. The line joins the systems that no other one beats in both. " in page
    assert "Without a cost above 0, and not drawn: free." in page
    assert re.findall(r">(0\.01|0\.1|1|10)</text>", costs) == ["0.01", "0.1", "1", "10"]
    alone = written(files, tmp_path / "costs.html")
    assert alone.count("<svg") == 1
    assert "The line joins" not in alone


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


@golden("systems", "no output")
def test_what_cannot_be_written(write: Write, tmp_path: Path, options: list[str], name: str, said: str) -> None:
    answers: list[Any] = [pred("a", 1)]
    files: list[str | Path] = [write("refs.jsonl", [ref("a", 1)]), f"a={write('a.jsonl', answers)}"]
    done = run("table", *files, *options, "-o", tmp_path / name)
    assert (done.code, done.out, said in done.err) == (2, "", True)
    assert not (tmp_path / name).exists()
