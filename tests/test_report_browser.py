"""The report as a reader opens it: a file in a real browser, without a server, and without a script."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import browser
from tests.browser import HOSTILE, MILLISECONDS, XSS, axe
from tests.commands import PREDICTIONS, REFERENCES, pred, ref, run, written

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog

chromium = browser.chromium

SIZES = {"wide": (1280, 900), "narrow": (390, 844)}
VISIBLE = "all => all.filter(each => each.checkVisibility()).map(each => each.dataset.status)"
BACKGROUND = "element => getComputedStyle(element).backgroundColor"
INK = "element => getComputedStyle(element).color"
LIGHT, DARK = b".1216 .1373 .1569 rg", b".902 .9294 .9529 rg"  # the ink of light and of dark pages, as in a PDF


class Reader:
    """A browser window with a report, and a record of what must not happen.

    Attributes:
        page: the report.
        faults: what was said on the console, every request but that for the file, every dialog and page error.
    """

    def __init__(self, chromium: Browser, path: Path, size: str, options: dict[str, Any]) -> None:
        width, height = SIZES[size]
        self.faults: list[str] = []
        self.context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        self.context.set_default_timeout(MILLISECONDS)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.faults.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.faults.append(f"page error: {error}"))
        self.page.on("dialog", self._dialog)
        self.page.on("request", lambda request: self.faults.append(f"request: {request.url}"))
        self.page.goto(path.as_uri())
        self.faults.remove(f"request: {path.as_uri()}")

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def sideways(self) -> int:
        """By how many pixels the page is wider than the window."""
        found: int = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        return found


Read = Callable[..., Reader]


@pytest.fixture
def read(chromium: Browser) -> Iterator[Read]:
    """A function that opens a report; after the test nothing forbidden may have happened."""
    readers: list[Reader] = []

    def opened(path: Path, size: str = "wide", **options: Any) -> Reader:
        readers.append(Reader(chromium, path, size, options))
        return readers[-1]

    yield opened
    scripts = [reader.page.evaluate(f"typeof {XSS}") for reader in readers]
    faults = [fault for reader in readers for fault in reader.faults]
    for reader in readers:
        reader.context.close()
    assert scripts == ["undefined"] * len(readers)
    assert faults == []


def written_report(folder: Path, references: Path, predictions: Path, *options: str) -> Path:
    path = folder / "report.html"
    done = run("report", references, predictions, "-o", path, *options)
    assert (done.code, done.out) == (0, ""), done.err
    return path


@pytest.fixture(scope="module")
def receipts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on the example receipts."""
    return written_report(tmp_path_factory.mktemp("receipts"), REFERENCES, PREDICTIONS)


@pytest.fixture(scope="module", params=["example", "real"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on the example receipts, and the one on 60 real receipts."""
    if request.param == "example":
        path: Path = request.getfixturevalue("receipts")
        return path
    real: Path = request.getfixturevalue("real_receipts")
    return written_report(tmp_path_factory.mktemp("real"), real / "references.jsonl", real / "predictions.jsonl")


def test_without_a_script_parts_open_and_close(read: Read, report: Path) -> None:
    page = read(report, java_script_enabled=False).page
    part = page.locator(".anls-document details").first
    before = part.evaluate("part => part.open")
    inside = part.locator(".anls-row[data-path]").nth(1)
    for opened in (not before, before):
        part.locator("summary").first.click()
        assert part.evaluate("part => part.open") is opened
        assert inside.is_visible() is opened


def test_without_a_script_only_chosen_rows_are_shown(read: Read, report: Path) -> None:
    """In the document some of whose parts of the bar are chosen, and in no other."""
    documents = read(report, java_script_enabled=False).page.locator(".anls-document")
    before = [documents.nth(n).locator("[data-path]").evaluate_all(VISIBLE) for n in range(10)]
    number = next(n for n, statuses in enumerate(before) if len({"exact", "wrong"} & set(statuses)) > 1)
    others = documents.nth(number).locator(".anls-legend input:not(.anls-show-exact)").all()
    for each in others:
        each.check()
    after = [documents.nth(n).locator("[data-path]").evaluate_all(VISIBLE) for n in range(10)]
    assert after[number] == [status for status in before[number] if status != "exact"]
    assert after[:number] + after[number + 1 :] == before[:number] + before[number + 1 :]
    for each in others:
        each.uncheck()
    assert documents.nth(number).locator("[data-path]").evaluate_all(VISIBLE) == before[number]


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("wide", "dark"), ("narrow", "dark")])
def test_axe_finds_nothing_on_the_whole_page(read: Read, report: Path, size: str, scheme: str) -> None:
    reader = read(report, size, color_scheme=scheme)
    faults = axe(reader.page, "html")
    assert faults == [], f"{len(faults)} faults, the first: {faults[0]}"
    assert reader.sideways() == 0


def test_it_prints_on_light_pages(read: Read, report: Path) -> None:
    """Whatever the screen has."""
    page = read(report, color_scheme="dark").page
    assert page.locator("body").evaluate(BACKGROUND) != "rgb(255, 255, 255)"
    pdf = page.pdf()
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 1
    drawn = b""
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        if stream.startswith(b"\x78"):  # deflated: what a page draws
            drawn += zlib.decompressobj().decompress(stream)
    assert LIGHT in drawn
    assert DARK not in drawn
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("body").evaluate(BACKGROUND) == "rgb(255, 255, 255)"
    assert set(page.locator(".anls-tree").evaluate_all(f"all => all.map({INK})")) == {"rgb(31, 35, 40)"}


TITLE = f"</title></style><script>{XSS}=1</script><img src=x onerror={XSS}=1>a\u202eb"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with code for text everywhere: title, ids, keys, values."""
    folder = tmp_path_factory.mktemp("hostile")
    extra = ["</style>", "<!--", "]]>", "&lt;img src=x>", "</main></body></html>"]
    texts = [*HOSTILE, *extra]
    truths = written(folder, "r.jsonl", [ref(text, {text: text, "list": texts, "lost": {text: 1}}) for text in texts])
    guesses = [pred(text, {text: f"{text[:-1]}#", "list": texts[::-2], f"{text}+": text}) for text in texts]
    return written_report(folder, truths, written(folder, "p.jsonl", guesses), "--title", TITLE, "--worst", "18")


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_text_that_tries_to_be_code_is_text(read: Read, hostile: Path, size: str) -> None:
    """Escaping alone keeps it from running: the page's policy is switched off here."""
    reader = read(hostile, size, bypass_csp=True)
    page = reader.page
    assert page.locator("script, img, iframe, [onerror], [onfocus], [autofocus]").count() == 0
    assert page.locator(".anls-document").count() == 18
    assert page.locator("body > *").count() == 1
    texts = page.locator("html").text_content() or ""
    assert all(text in texts for text in HOSTILE if len(text) < 200 and text.isascii())
    assert TITLE[:20] in page.locator("h1").inner_text()
    assert page.title().startswith(TITLE[:20])
    assert not set(page.content()) & set("\u202e\u2066")
    page.locator(".anls-row[data-path]").first.click()
    assert page.url.split("#", maxsplit=1)[0] == hostile.as_uri()
    assert reader.sideways() == 0


def test_the_policy_alone_stops_a_script(chromium: Browser, receipts: Path, tmp_path: Path) -> None:
    """If a text were not escaped, it still would not run, and ask for nothing."""
    added = f"<body><script>{XSS}=1</script><img src='http://127.0.0.1:9/' onerror='{XSS}=1'>"
    added += f"<svg onload='{XSS}=1'></svg><iframe srcdoc='<script>parent.{XSS[7:]}=1</script>'></iframe>"
    page = receipts.read_text(encoding="utf-8").replace("<body>", added)
    reader = Reader(chromium, written(tmp_path, "page.html", page), "wide", {})
    reader.page.locator("h1").wait_for()
    assert reader.page.locator("script, img").count() == 2
    assert reader.page.evaluate(f"typeof {XSS}") == "undefined"
    refused = [fault for fault in reader.faults if "Content Security Policy" in fault]
    assert len(refused) >= 3
    assert [fault for fault in reader.faults if fault.startswith("dialog")] == []
    reader.context.close()
