"""`docscore report`: one file that needs nothing else, safe whatever a model wrote, and small."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from docscore.core.formatting import printable
from docscore.data.pairing import Pairs
from docscore.evaluation.scores import score_corpus
from docscore.evaluation.summary import summarise
from docscore.report.html_report import report_as_html
from tests.commands import PREDICTIONS, REFERENCES, Write, on_terminal, pred, ref, run, screen, written

VOID = frozenset({"meta", "input", "br", "hr", "img", "link", "base", "embed", "source", "wbr", "col", "area"})
ACTIVE = frozenset(
    {"script", "img", "iframe", "object", "embed", "link", "base", "form", "video", "audio", "foreignobject"}
)
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "${1+1}",
    "`",
    "{{value}}",
    "</details>",
    '"><script>alert(1)</script>',
    "' onclick='alert(1)",
    "</style></title><!--",
    "]]><![CDATA[&amp;&lt;",
    "javascript:alert(1) https://example.org/",
    "a\u202eb\x00\x1b[31m",
    "__proto__",
    "k" * 10_000,
]


class Page(HTMLParser):
    """A page whose elements must all be closed in order.

    Attributes:
        found: the elements and their attributes.
        texts: the text of each kind of element.
    """

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.whole = ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), "an attribute twice"
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.whole += data
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def values(self, name: str) -> list[str]:
        """The values of an attribute, wherever it stands."""
        return [attributes[name] or "" for _, attributes in self.found if name in attributes]


def checked(source: str) -> Page:
    """The page, which runs nothing, loads nothing, and whose links lead to places in it."""
    page = Page(source)
    assert ACTIVE.isdisjoint(tag for tag, _ in page.found)
    assert [name for _, attributes in page.found for name in attributes if name.startswith("on")] == []
    ids = page.values("id")
    assert len(set(ids)) == len(ids)
    assert set(page.values("href")) <= {f"#{name}" for name in ids}
    assert page.values("src") == page.values("xlink:href") == []
    styles = "".join(page.texts["style"] + page.values("style"))
    assert not re.search(r"url\(|@import|expression|https?:", styles)
    [policy] = [values["content"] for _, values in page.found if values.get("http-equiv") == "Content-Security-Policy"]
    assert "default-src 'none'" in str(policy)
    return page


def report(output: Path, *arguments: str | Path) -> Page:
    """The page that the command writes."""
    done = run("report", *arguments, "-o", output)
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines()[-1] == f"docscore: wrote {output} ({output.stat().st_size:,} bytes)"
    return checked(output.read_bytes().decode())


def drawn(*documents: tuple[str, Any, Any]) -> Page:
    """The page on documents: id, ground truth, prediction."""
    ids, truths, predictions = map(list, zip(*documents, strict=True))
    scores = score_corpus(Pairs(ids, truths, predictions))
    return checked(report_as_html(summarise(scores, fields=True, confidence=0.95), "title", 10))


def documents(page: Page) -> list[str]:
    """The ids of the documents that are drawn."""
    return page.texts.get("h3", [])


def test_the_report_on_the_examples_is_one_small_file(tmp_path: Path) -> None:
    page = report(tmp_path / "out.html", REFERENCES, PREDICTIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["out.html"]
    assert (tmp_path / "out.html").stat().st_size < 2_000_000
    assert page.texts["h1"] == ["predictions.jsonl"]
    assert page.texts["title"][0] == "predictions.jsonl: ANLS* 0.8043"
    assert re.search(r"0\.8043 mean ANLS\* of 40 documents, 95% interval 0\.7\d+ to 0\.8\d+", page.whole)
    assert page.texts["h2"][1:3] == ["Scores", "Rates"]
    assert len(documents(page)) == 10
    assert documents(page)[:2] == ["receipt-004", "receipt-040"]


def test_the_report_on_sixty_real_receipts_is_small(real_receipts: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.html"
    page = report(output, real_receipts / "references.jsonl", real_receipts / "predictions.jsonl")
    assert "of 60 documents" in page.whole
    assert output.stat().st_size < 2_000_000


def test_nothing_that_a_model_wrote_is_markup(write: Write, tmp_path: Path) -> None:
    """In ids, keys and values: it appears as text, or not at all where it is long."""
    truths = [{**dict.fromkeys(HOSTILE, text), "list": [text], "one": {"$one_of": [text, "b"]}} for text in HOSTILE]
    guesses: list[Any] = [
        {**dict.fromkeys(HOSTILE, text + "x"), "list": [text, {text: text}], "one": 7} for text in HOSTILE
    ]
    files = (
        write("r.jsonl", [ref(name, truth) for name, truth in zip(HOSTILE, truths, strict=True)]),
        write("p.jsonl", [pred(name, guess) for name, guess in zip(HOSTILE, guesses, strict=True)]),
    )
    page = report(tmp_path / "out.html", *files, "--worst", "99")
    wanted = [printable(text) for text in HOSTILE]
    assert sorted(documents(page)) == sorted(name if len(name) < 200 else name[:199] + "…" for name in wanted)
    assert [name for name in wanted[:-1] if name not in page.texts["code"]] == []
    values = "".join(page.texts["span"])
    assert [name for name in wanted[:-1] if json.dumps(name)[1:-1] not in values and name not in values] == []
    assert not re.search("[\x00\x1b\u202e]", (tmp_path / "out.html").read_text("utf-8"))


def test_lone_surrogates_are_written_as_escapes(write: Write, tmp_path: Path) -> None:
    """UTF-8 has none; the file is UTF-8."""
    truth = {"\ud800": "a\udfff", "k": ["\udc00" * 3]}
    files = write("r.jsonl", [ref("a", truth)]), write("p.jsonl", [pred("a", {"\ud800": "a\ud800", "k": ["\udc00"]})])
    page = report(tmp_path / "out.html", *files)
    assert "\\ud800" in "".join(page.texts["code"])
    assert "\\udfff" in page.whole


@pytest.mark.parametrize("output", ["none/out.html", "folder"])
def test_an_output_that_cannot_be_written_is_one_line(tmp_path: Path, output: str) -> None:
    (tmp_path / "folder").mkdir()
    written(tmp_path / "folder", "r.jsonl", [ref("a", "x")])
    written(tmp_path / "folder", "p.jsonl", [pred("a", "x")])
    done = run("report", *(tmp_path / "folder" / name for name in ("r.jsonl", "p.jsonl")), "-o", tmp_path / output)
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
    assert documents(report(output, *files)) == ["a"]


def test_progress_on_a_terminal_leaves_one_line(tmp_path: Path) -> None:
    output = tmp_path / "out.html"
    shown = on_terminal("report", REFERENCES, PREDICTIONS, "-o", output, stream="stderr", columns=250)
    assert (shown.code, shown.pipe) == (0, "")
    lines = [line.rstrip() for line in screen(shown.terminal) if line.strip()]
    assert lines == [f"docscore: wrote {output} ({output.stat().st_size:,} bytes)"]
