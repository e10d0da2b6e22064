"""The report as a reader opens it: a file in a real browser, without a server, and without a script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import browser
from tests.browser import HOSTILE, NARROW, VISIBLE, WIDE, XSS, Window, axe, close_all
from tests.commands import NEW, PREDICTIONS, RECEIPTS, REFERENCES, pred, ref, run, written
from tests.conftest import ROOT, needs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Request

chromium = browser.chromium

FIRST_SCREEN = (1300, 900)
PAPER = (718, 1000)  # the width of an A4 page between margins of a centimetre
BEYOND = """all => all.filter(each => each.checkVisibility() && !each.closest(".anls-folded") &&
    each.getBoundingClientRect().right > document.documentElement.clientWidth).map(each => each.outerHTML)"""


class Reader(Window):
    """A browser window with a report: nothing may be said on its console, and nothing asked for but the file."""

    def __init__(self, browser: Browser, path: Path, size: tuple[int, int] = WIDE, **options: Any) -> None:
        self.address = path.as_uri()
        super().__init__(browser, size, **options)
        self.page.goto(self.address)

    def check_request(self, request: Request) -> None:
        if request.url != self.address:
            self.errors.append(f"request: {request.url}")

    def check_console(self, message: ConsoleMessage) -> None:
        self.errors.append(f"console: {message.text}")


Read = Callable[..., Reader]


@pytest.fixture
def read(chromium: Browser) -> Iterator[Read]:
    """A function that opens a report; after the test nothing forbidden may have happened."""
    readers: list[Reader] = []

    def opened(path: Path, size: tuple[int, int] = WIDE, **options: Any) -> Reader:
        readers.append(Reader(chromium, path, size, **options))
        return readers[-1]

    yield opened
    close_all(readers)


def written_report(folder: Path, references: Path, predictions: Path, *options: str) -> Path:
    path = folder / "report.html"
    done = run("report", references, predictions, "-o", path, *options)
    assert (done.code, done.out) == (0, ""), done.err
    return path


@pytest.fixture(scope="module", params=["example", "real"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on the example receipts, and the one on 60 real receipts."""
    folder: Path = RECEIPTS if request.param == "example" else request.getfixturevalue("real_receipts")
    return written_report(tmp_path_factory.mktemp("report"), folder / "references.jsonl", folder / "predictions.jsonl")


def test_without_a_script_only_chosen_rows_are_shown(read: Read, report: Path) -> None:
    """In the document some of whose parts of the bar are chosen, and in no other."""
    documents = read(report, java_script_enabled=False).page.locator(".anls-document")
    for summary in documents.locator("> summary").all():
        summary.click()
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


@pytest.fixture(scope="module", params=["report", "comparison"])
def either(request: pytest.FixtureRequest, report: Path) -> Path:
    """A report, or the report on a comparison whose gate fails."""
    path = report.with_name("compared.html")
    done = run("compare", NEW, PREDICTIONS, "--references", REFERENCES, "--max-loss", "0.05", "-o", path)
    assert done.code == 1, done.err
    return path if request.param == "comparison" else report


@pytest.mark.parametrize(
    ("size", "scheme"), [(FIRST_SCREEN, "light"), (FIRST_SCREEN, "dark"), (NARROW, "light"), (NARROW, "dark")]
)
def test_axe_finds_nothing_on_the_whole_page(read: Read, either: Path, size: tuple[int, int], scheme: str) -> None:
    """With the worst document open, and all fields."""
    reader = read(either, size, color_scheme=scheme)
    for control in reader.page.locator(".anls-document:first-of-type > summary, .anls-more > label").all():
        control.click()
    errors = axe(reader.page, "html")
    assert errors == [], f"{len(errors)} errors, the first: {errors[0]}"
    assert reader.sideways() == 0


def test_on_paper_nothing_is_cut_off(read: Read, either: Path) -> None:
    """Short trees of the worst documents are open, without what is exact; others are as the reader left them."""
    page = read(either, PAPER).page
    page.emulate_media(media="print")
    assert page.locator("main *").evaluate_all(BEYOND) == []
    opened = page.locator(".anls-document").evaluate_all(
        "all => all.map(each => each.querySelector('.anls-grid').checkVisibility({contentVisibilityAuto: true}))"
    )
    assert opened == [] or True in opened[:3]
    assert True not in opened[3:]
    assert "exact" not in page.locator(".anls-document [data-path]").evaluate_all(VISIBLE)


TITLE = f"</title></style><script>{XSS}=1</script><img src=x onerror={XSS}=1>a\u202eb"


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_text_that_tries_to_be_code_is_text(read: Read, tmp_path: Path, size: tuple[int, int]) -> None:
    """In title, ids, keys and values; escaping alone keeps it from running: the page's policy is switched off here."""
    texts = [*HOSTILE, "</style>", "<!--", "]]>", "&lt;img src=x>", "</main></body></html>"]
    truths = [ref(text, {text: text, "list": texts, "lost": {text: 1}}) for text in texts]
    guesses = [pred(text, {text: f"{text[:-1]}#", "list": texts[::-2], f"{text}+": text}) for text in texts]
    files = written(tmp_path, "r.jsonl", truths), written(tmp_path, "p.jsonl", guesses)
    reader = read(written_report(tmp_path, *files, "--title", TITLE, "--worst", "99"), size, bypass_csp=True)
    page = reader.page
    assert page.locator("script, img, iframe, [onerror], [onfocus], [autofocus]").count() == 0
    assert page.locator(".anls-document").count() == len(texts)
    assert page.locator("body > *").count() == 1
    drawn = page.locator("html").text_content() or ""
    assert all(text in drawn for text in HOSTILE if len(text) < 200 and text.isascii())
    assert TITLE[:20] in page.locator("h1").inner_text()
    assert page.title().startswith(TITLE[:20])
    assert not set(page.content()) & set("\u202e\u2066")
    page.locator(".anls-document > summary").first.click()
    page.locator(".anls-row[data-path]").first.click()
    assert page.url.split("#", maxsplit=1)[0] == reader.address
    assert reader.sideways() == 0


def test_the_policy_alone_stops_a_script(chromium: Browser, tmp_path: Path) -> None:
    """If a text were not escaped, it still would not run, and ask for nothing."""
    added = f"<body><script>{XSS}=1</script><img src='http://127.0.0.1:9/' onerror='{XSS}=1'>"
    added += f"<svg onload='{XSS}=1'></svg><iframe srcdoc='<script>parent.{XSS[7:]}=1</script>'></iframe>"
    page = written_report(tmp_path, REFERENCES, PREDICTIONS).read_text(encoding="utf-8").replace("<body>", added)
    reader = Reader(chromium, written(tmp_path, "page.html", page))
    reader.page.locator("h1").wait_for()
    assert reader.page.locator("script, img").count() == 2
    assert reader.page.evaluate(f"typeof {XSS}") == "undefined"
    refused = [error for error in reader.errors if "Content Security Policy" in error]
    assert len(refused) >= 3
    assert [error for error in reader.errors if error.startswith("dialog")] == []
    reader.context.close()


@pytest.fixture(scope="module")
def with_places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on the example of invoices with the images of their pages."""
    needs("PIL", "pypdfium2")
    invoices = ROOT / "examples" / "invoices"
    options = ("--metrics", "anls_star,grounding", "--documents", str(invoices / "documents"))
    files = invoices / "references.jsonl", invoices / "quill.jsonl"
    return written_report(tmp_path_factory.mktemp("places"), *files, *options)


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (NARROW, "dark")])
def test_places_are_seen_on_crops(read: Read, with_places: Path, size: tuple[int, int], scheme: str) -> None:
    """Each box lies within its crop, which is drawn; the rest of the values is a press away."""
    reader = read(with_places, size, color_scheme=scheme)
    page = reader.page
    for number in (0, 2):
        page.locator(".anls-document > summary").nth(number).click()
    crops = page.locator(".anls-crop > div")
    seen = crops.evaluate_all(
        "all => all.filter(each => each.checkVisibility()).map(each => [each.querySelector('img').naturalWidth > 100,"
        " each.clientHeight > 30, ...[...each.querySelectorAll('.anls-box')].map(box => {"
        " const [inner, outer] = [box, each].map(e => e.getBoundingClientRect());"
        " return inner.top > outer.top && inner.bottom < outer.bottom && inner.left > outer.left &&"
        " inner.right < outer.right; })])"
    )
    assert len(seen) == 14
    assert all(all(each) for each in seen), seen
    assert axe(page, ".anls-documents") == []
    assert reader.sideways() == 0
    rest = page.locator(".anls-document[open] .anls-rest").last
    rest.locator("summary").first.click()
    assert rest.locator("[data-path]").evaluate_all(VISIBLE) != []


def test_on_paper_no_row_with_a_place_is_broken(read: Read, with_places: Path) -> None:
    """Of the first three documents, which are open: each sentence is on the page of its crops."""
    import pypdfium2  # noqa: PLC0415  not everywhere
    from pypdfium2 import raw  # noqa: PLC0415

    with pypdfium2.PdfDocument(read(with_places, color_scheme="dark").page.pdf(format="A4")) as pdf:
        texts = [page.get_textpage().get_text_bounded() for page in pdf]
        kinds = [[each.type for each in page.get_objects()].count(raw.FPDF_PAGEOBJ_IMAGE) for page in pdf]
    said = [
        len(re.findall(r"Missing: it is|Missing\.", text)) + 2 * text.count("Wrong value, other region")
        for text in texts
    ]
    assert sum(said) == 15
    assert len([count for count in said if count]) > 1
    assert kinds == [count * sum(kinds) / 15 for count in said]  # a crop is an image, and one of its faded edges
    assert sum(kinds) >= 15
    assert "175 more values are right." in " ".join(" ".join(texts).split())
