"""`docscore report`: one small file that needs nothing else, written whole or not at all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.commands import PREDICTIONS, REFERENCES, Write, pred, ref, run, written
from tests.report_samples import Markup

ACTIVE = {"script", "img", "iframe", "object", "embed", "link", "base", "form", "video", "audio", "foreignobject"}


def report(output: Path, *arguments: str | Path) -> Markup:
    """The page that the command writes, which runs nothing, loads nothing, and whose links lead to places in it."""
    done = run("report", *arguments, "-o", output)
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines()[-1] == f"docscore: wrote {output} ({output.stat().st_size:,} bytes)"
    page = Markup(output.read_bytes().decode())
    assert {each.tag for each in page.elements} & ACTIVE == set()
    [policy] = [each.attributes["content"] for each in page.of("meta") if "http-equiv" in each.attributes]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline';")
    attributes = [pair for each in page.elements for pair in each.attributes.items()]
    assert [name for name, _ in attributes if name.startswith("on") or name in ("src", "xlink:href")] == []
    ids = [value for name, value in attributes if name == "id"]
    assert len(set(ids)) == len(ids)
    assert {value for name, value in attributes if name == "href"} <= {f"#{name}" for name in ids}
    styles = "".join(page.texts("style") + [value for name, value in attributes if name == "style"])
    assert not re.search(r"url\(|@import|expression|https?:", styles)
    return page


def test_the_report_on_the_examples_is_one_small_file(tmp_path: Path) -> None:
    page = report(tmp_path / "out.html", REFERENCES, PREDICTIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["out.html"]
    assert (tmp_path / "out.html").stat().st_size < 2_000_000
    assert page.texts("title")[0] == "predictions.jsonl: ANLS* 0.8043"
    assert page.texts("h3")[:2] == ["receipt-004", "receipt-040"]


def test_the_report_on_sixty_real_receipts_is_small(real_receipts: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.html"
    report(output, real_receipts / "references.jsonl", real_receipts / "predictions.jsonl")
    assert output.stat().st_size < 2_000_000


@pytest.mark.parametrize("output", ["none/out.html", "folder"])
def test_an_output_that_cannot_be_written_is_one_line(tmp_path: Path, output: str) -> None:
    (tmp_path / "folder").mkdir()
    files = [written(tmp_path / "folder", *row) for row in (("r.jsonl", [ref("a", 1)]), ("p.jsonl", [pred("a", 1)]))]
    done = run("report", *files, "-o", tmp_path / output)
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(r"docscore: [^\n]+\n", done.err)
    assert str(tmp_path) in done.err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "p.jsonl", "r.jsonl"]


@pytest.mark.parametrize("side", [0, 1])
def test_a_report_never_takes_the_place_of_what_it_was_made_from(write: Write, side: int) -> None:
    """A slip of the hand behind -o costs no data."""
    files = write("r.jsonl", [ref("a", "x")]), write("p.jsonl", [pred("a", "y")])
    before = files[side].read_bytes()
    done = run("report", *files, "-o", files[side])
    assert files[side].read_bytes() == before
    assert done.code == 2


def test_an_earlier_report_is_replaced_and_stays_where_there_is_an_error(write: Write, tmp_path: Path) -> None:
    output, files = tmp_path / "out.html", (write("r.jsonl", [ref("a", "x")]), write("p.jsonl", [pred("a", "y")]))
    output.write_text("earlier", encoding="utf-8")
    assert run("report", *files, "-o", output, "--threshold", "2").code == 2
    assert output.read_text("utf-8") == "earlier"
    assert report(output, *files).texts("h3") == ["a"]
