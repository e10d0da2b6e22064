"""The document next to the values: boxes on page images, the shares as filters, keys, the phone, texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests import browser
from tests.browser import LOOKS, NARROW, SERVER, WIDE, Visit, Visitor, axe, heard, payload
from tests.commands import pred, ref
from tests.conftest import ROOT, data_rows
from tests.test_documents import PAGE
from tests.test_playground_file import come, open_document, opened, ready, recover, title

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Request, Route

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

INVOICES = ROOT / "examples" / "invoices"
IMAGES = sorted((INVOICES / "documents").glob("*.png"))
PDFS = sorted((INVOICES / "documents").glob("*.pdf"))
FILES = [INVOICES / "references.jsonl", INVOICES / "quill.jsonl"]
BOX = """box => { const [page, own] = [box.parentElement, box].map(each => each.getBoundingClientRect());
  return [(own.left + own.right) / 2 - page.left, (own.top + own.bottom) / 2 - page.top]
    .map((at, side) => at / (side ? page.height : page.width)); }"""
COUNT_DRAWS = """() => { window.draws = 0; new MutationObserver(changes => { window.draws += changes.length; })
  .observe(document.querySelector("#testset-beside .ev-sheet"), { childList: true }); }"""
HAS_IMAGES = """() => [...document.querySelectorAll("#testset-beside .ev-page img")]
  .every(image => image.complete && image.naturalWidth)"""
RECT = "each => { const box = each.getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; }"
IS_LARGE = "tab => document.querySelector(`#${tab} .ev-sheet .ev-page img`)?.naturalWidth > 500"  # not the example
LINES = """boxes => boxes.map(box => box.parentElement.offsetHeight *
  parseFloat(getComputedStyle(box).getPropertyValue("--h")) / 100)"""


def named(name: str, data: bytes) -> FilePayload:
    return {**payload(name, data), "mimeType": "image/png" if name.endswith(".png") else ""}


def invoices(visit: Visit, size: tuple[int, int] = WIDE, *, dark: bool = False) -> Visitor:
    """A visitor who scored the invoices, with the images of their pages."""
    images: list[Any] = [named(path.name, path.read_bytes()) for path in IMAGES]
    return come(visit, size, dark=dark, files=[*FILES, *images])


def hold(part: str, held: list[Route]) -> Callable[[Route], None]:
    """Let all questions to the server pass but those with this in them."""

    def handle(route: Route) -> None:
        if asks(part, route.request):
            held.append(route)
        else:
            route.continue_()

    return handle


def asks(part: str, request: Request) -> bool:
    return part in (request.post_data or "")


def share(visitor: Visitor, name: str) -> None:
    visitor["testset-grounding"].get_by_role("button", name=name).click()
    visitor["testset-share"].get_by_text(name).wait_for()
    ready(visitor)


def said(visitor: Visitor) -> list[str]:
    """What is said of the chosen row."""
    visitor.drawn()
    return visitor.page.locator(".ev-say p:visible").all_inner_texts()


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=str)
def test_a_value_that_is_cited_elsewhere(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """A share leaves its documents and rows; both boxes lie where the files say; no image leaves the browser."""
    sent: list[bytes] = []
    visitor = visit("/#test-set", size=size, dark=dark)
    visitor.page.on("request", lambda request: sent.append(request.post_data_buffer or b""))
    images: list[Any] = [named(path.name, path.read_bytes()) for path in IMAGES]
    visitor.page.locator(".testset[data-loaded]").wait_for()
    visitor.choose_files(*FILES, *images)
    visitor.page.get_by_text("Added: 18 page images.").wait_for()
    visitor.page.get_by_role("button", name="Score", exact=True).click()
    ready(visitor)
    assert visitor["testset-grounding"].locator(".num").all_text_contents() == ["0.973", "0.970", "0.964"]
    visitor.page.locator("#testset-document:not([data-stale]) h2:not(:empty)").first.wait_for(state="attached")
    assert axe(visitor.page, "#testset") == []
    share(visitor, "right value, other region")
    assert visitor.page.locator(".doc bdi").all_inner_texts() == ["invoice-04", "invoice-07", "invoice-09"]
    assert visitor.page.locator(".doc small").first.inner_text() == "1 right, other region"
    if size == NARROW:
        visitor.page.locator(".doc").first.click()
    title(visitor.page, "invoice-04")
    rows = visitor["testset-tree"].locator("div.anls-row[id]:visible")
    assert rows.evaluate_all("all => all.map(each => each.dataset.path)") == ["$.total"]
    if size == NARROW:
        assert not visitor["testset-beside"].is_visible()
        rows.first.click()
    assert said(visitor) == ["Right value, other region: page 1, expected page 2.", "Only page 2 is accepted."]
    cited = visitor.page.locator("#testset-beside .ev-sheet .ev-box.cited")
    assert cited.evaluate(BOX) == pytest.approx([(0.8381 + 0.9238) / 2, (0.3361 + 0.3546) / 2], abs=0.002)
    assert visitor.page.locator("#testset-beside .ev-crop figcaption").all_inner_texts() == [
        "cited, page 1",
        "expected, page 2",
    ]
    assert ("button", "total, cited, page 1") in heard(visitor.page)
    assert axe(visitor.page, "#testset") == []
    assert visitor.sideways() == 0
    if size == NARROW:
        visitor.page.keyboard.press("Escape")
        assert not visitor["testset-beside"].is_visible()
        assert rows.first.evaluate("row => row === document.activeElement")
    assert len(sent) > 5
    assert not any(IMAGES[0].read_bytes()[:64] in body for body in sent)


def test_keys_turn_and_close_the_document(visit: Visit) -> None:
    visitor = invoices(visit)
    page = visitor.page
    title(page, "invoice-12")
    heading = visitor["testset-beside"].locator("h2")
    heading.get_by_text("Page 3").wait_for()
    assert heading.inner_text() == "Page 3 of 4"
    visitor.press("[")
    assert heading.inner_text() == "Page 2 of 4"
    visitor.press("[")
    page.locator("#testset-beside .ev-sheet .ev-box").first.focus()
    visitor.press("ArrowRight")
    visitor.press("Enter")
    assert visitor["testset-tree"].locator(".here").get_attribute("data-path") == "$.vendor.name"
    assert said(visitor)[0] == "Right value, right region."
    visitor.press("z")
    assert page.locator("#testset-beside .ev-sheet.zoomed").is_visible()
    assert page.locator("#testset-beside .ev-crop").count() == 0
    visitor.press("z")
    visitor.press("d")
    assert not visitor["testset-beside"].is_visible()
    assert "image=1" not in page.url
    visitor.press("d")
    assert visitor["testset-beside"].is_visible()
    visitor.press("l")
    assert visitor["testset-beside"].locator(".ev-losses").inner_text().startswith("Hide the losses")
    visitor["testset-grounding"].locator("summary").click()
    visitor["testset-grounding"].get_by_role("button", name="page F1").click()
    assert visitor["testset-grounding"].get_by_role("button", name="right value, other region").inner_text() == "0.3 %"
    assert "level=page" in page.url


def test_a_document_has_the_size_that_a_visitor_gives_it(visit: Visit) -> None:
    """The width stays for the next visit; the wheel zooms around its place; the document may have the whole screen."""
    visitor = invoices(visit)
    page, pane = visitor.page, visitor["testset-beside"]
    title(page, "invoice-12")
    left, top, right, _ = pane.evaluate(RECT)
    page.mouse.move(left + 3, top + 300)
    page.mouse.down()
    page.mouse.move(left - 97, top + 300, steps=3)
    page.mouse.up()
    pane.get_by_role("separator").press("ArrowLeft")
    wide = right - left + 97 + 24
    assert pane.evaluate("pane => pane.offsetWidth") == pytest.approx(wide, abs=4)
    page.reload()
    ready(visitor)
    pane.locator(".ev-sheet .ev-page img").wait_for()
    assert pane.evaluate("pane => pane.offsetWidth") == pytest.approx(wide, abs=4)
    box = pane.locator(".ev-sheet .ev-box.expected")
    before = box.evaluate(RECT)
    page.mouse.move(before[0], before[1])
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    pane.locator(".ev-sheet.zoomed").wait_for()
    after = box.evaluate(RECT)
    assert after[2] - after[0] > 2 * (before[2] - before[0])
    assert after[:2] == pytest.approx(before[:2], abs=12)  # frames keep their width
    visitor.press("z")
    visitor.press("w")
    page.wait_for_function("document.fullscreenElement?.id === 'testset-beside'")
    assert axe(page, "#testset-beside") == []
    pane.get_by_role("button", name="Close the document").click()
    page.wait_for_function("document.fullscreenElement === null")
    assert pane.is_visible()


def test_a_document_opens_at_its_largest_loss(visit: Visit) -> None:
    """The row of a link stays; with a share it is the first row of the share; without a loss none is chosen."""
    visitor = invoices(visit)
    here = visitor["testset-tree"].locator(".here")
    title(visitor.page, "invoice-12")
    assert here.locator(".anls-label").inner_text() == "18 missing rows"
    assert said(visitor) == ["Missing: 72 values are expected."]
    visitor.page.locator(".doc").nth(1).click()
    title(visitor.page, "invoice-03")
    lost = here.locator(".anls-lost").inner_text()
    shown = visitor["testset-tree"].locator("div.anls-row .anls-lost").all_text_contents()
    assert lost == min(shown, key=lambda text: float(text.replace("−", "-")))
    visitor.page.locator("#testset-beside .ev-sheet .ev-box.other").first.press("Enter")
    other = here.get_attribute("data-path")
    linked = visit(visitor.page.url.removeprefix(visitor.app.url))
    title(linked.page, "invoice-03")
    assert linked["testset-tree"].locator(".here").get_attribute("data-path") == other
    visitor.page.locator(".doc").last.click()
    title(visitor.page, "invoice-11")
    assert here.count() == 0
    assert said(visitor) == ["Choose a value to see its region."]


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=str)
def test_a_list_that_was_cut_off(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """The list says after which row, and leaves the documents with errors in its rows; a bar leads to its row."""
    visitor = come(visit, size, dark=dark, files=FILES)
    assert " ".join(visitor["testset-lists"].inner_text().split()).endswith("148 of 166 cut off in 1 of 12 89 % right")
    visitor["testset-lists"].get_by_role("button", name="lines[]").click()
    visitor.page.locator(".testset:not([aria-busy]) #testset-count").get_by_text("1 of 12 documents").wait_for()
    assert "within=lines" in visitor.page.url
    if size == NARROW:
        visitor.page.get_by_role("button", name="Documents", exact=True).click()
        visitor.page.locator(".doc").first.click()
    title(visitor.page, "invoice-12")
    lists = visitor["testset-tree"].locator(".lists")
    assert lists.locator("p").first.inner_text() == "Cut off after row 42 of 60."
    assert visitor["testset-tree"].locator(".cut-here").is_visible()
    lists.locator(".gone").nth(3).click()
    assert visitor["testset-tree"].locator(".here").get_attribute("data-path") == "$.lines[45]"
    assert axe(visitor.page, "#testset") == []
    assert visitor.sideways() == 0


WORDS_OF_HOCR = """source => {
  const { text, words } = docscore["parts/hocr.js"].readHocr(source);
  return [...text.matchAll(/\\S+/g)].map(({ index: at, 0: word }) => [
    word,
    text.slice(0, at).split("\\f").length,
    words.find(({ start, end }) => start <= at && at < end)?.box ?? null,
  ]);
}"""


def test_hocr_is_read_as_by_the_library(visit: Visit) -> None:
    """`test_documents.py` has the same table; a page without words or lines has no text in both."""
    page = visit("/").page
    page.wait_for_function("docscore['parts/hocr.js']")
    for row in data_rows("documents", "hocr"):
        found = page.evaluate(WORDS_OF_HOCR, "".join(map(PAGE.format, row["pages"])))
        expected = [[word, number, box and pytest.approx(box)] for word, number, box in row["words"]]
        assert found == expected, row["why"]


def test_a_pdf_from_drop_to_box(visit: Visit) -> None:
    """A PDF gives pages and text: what is not in the document is known, and a line of the text is marked."""
    visitor = come(visit, files=[*FILES, *PDFS])
    visitor.page.locator(".doc", has_text="invoice-02").click()
    title(visitor.page, "invoice-02")
    visitor["testset-tree"].locator('[data-path="$.total"]').click()
    assert said(visitor)[0] == "Wrong value, right region: misread."
    assert said(visitor)[1].startswith("The document says 10,038.38 there. The boxes overlap by ")
    page = visitor.page.locator("#testset-beside .ev-sheet .ev-page img")
    page.wait_for()
    assert page.evaluate("image => image.decode().then(() => image.naturalWidth)") > 1000
    damaged: Any = named("invoice-10.pdf", b"%PDF-1.7 nothing")
    visitor.page.locator(".doc", has_text="invoice-12").click()
    title(visitor.page, "invoice-12")
    visitor["testset-beside"].get_by_role("button", name="Text", exact=True).click()
    visitor["testset-beside"].locator(".said-text").get_by_text("Ring binder 932").wait_for()
    other = come(visit, files=[*FILES, damaged])
    other.page.locator(".doc", has_text="invoice-10").click()
    other["testset-beside"].get_by_text("invoice-10.pdf cannot be read").wait_for()
    assert axe(other.page, "#testset") == []


def test_a_choice_draws_the_document_once(visit: Visit) -> None:
    """Each page of a PDF fills its own place when its image arrives."""
    visitor = opened(visit)
    visitor.page.evaluate(COUNT_DRAWS)
    visitor.choose_files(*FILES, *PDFS)
    visitor.page.get_by_role("button", name="Score", exact=True).click()
    ready(visitor)
    row = visitor["testset-tree"].locator(".anls-row[id]:visible")
    draws = []
    for number, name in enumerate(visitor.page.locator(".doc bdi").all_inner_texts()):
        for choose in (partial(open_document, visitor, number, name), row.first.click, row.last.click):
            choose()
            visitor.page.locator("#testset-beside .ev-page img").first.wait_for()
            visitor.page.wait_for_function(HAS_IMAGES)
            visitor.drawn()
            draws.append(visitor.page.evaluate("() => { const { draws } = window; window.draws = 0; return draws; }"))
    assert max(draws) <= 2, draws


def test_a_page_that_does_not_come_says_so(visit: Visit) -> None:
    """The page also says that it is loading, and asks again when the visitor presses the button."""
    visitor = opened(visit)
    held: list[Route] = []
    visitor.page.route(SERVER, hold('"page"', held))
    visitor.choose_files(*FILES, *PDFS)
    visitor.page.get_by_role("button", name="Score", exact=True).click()
    page = visitor["testset-beside"].locator(".ev-sheet .ev-page")
    page.get_by_text("Loading page 3 of 4 …").wait_for()
    held.pop().abort()
    page.get_by_text("Page 3 of 4 could not be loaded. The server does not respond. Try again").wait_for()
    assert axe(visitor.page, "#testset") == []
    recover(visitor)
    page.get_by_role("button", name="Try again").click()
    visitor.page.wait_for_function(HAS_IMAGES)
    page.get_by_text("Page 3").wait_for(state="hidden")


@pytest.mark.parametrize(("tab", "verb"), [("compare", "Compare"), ("review", "Review")])
def test_after_a_restart_other_tabs_load_documents_again(visit: Visit, tab: str, verb: str) -> None:
    """Also one that could not be loaded meanwhile."""
    visitor = visit(f"/#{tab}")
    part, systems = visitor[tab], FILES[1:] if tab == "review" else [FILES[1], INVOICES / "fern.jsonl"]
    part.locator(".drop-input").set_input_files([FILES[0], *systems, *PDFS])
    part.locator(".drop[data-state=chosen]:not([aria-busy])").wait_for()
    part.locator(".drop").get_by_role("button", name=verb, exact=True).click()
    if tab == "compare":
        part.get_by_role("link", name="invoice-04", exact=True).click()
    page = part.locator(".ev-sheet .ev-page img")
    page.wait_for()
    visitor.app.forget_files()
    if tab == "compare":
        part.get_by_role("button", name="Previous").click()
    else:
        visitor.press("1")
    part.get_by_role("button", name=f"{verb} again").click()
    part.get_by_role("button", name=f"{verb} again").wait_for(state="hidden")
    page.wait_for()
    assert page.evaluate("image => image.decode().then(() => image.naturalWidth)") > 1000
    recover(visitor)


def test_citations_alone(visit: Visit) -> None:
    """Without evidence the page says how many values are cited, and evaluates none."""
    rows = [
        payload("references.jsonl", [ref("a", {"total": "12.50", "no": "A7"})]),
        payload("predictions.jsonl", [{**pred("a", {"total": "12.50"}), "citations": {"total": [{"page": 2}]}}]),
    ]
    visitor = come(visit, files=rows)
    assert visitor["testset-grounding"].inner_text().startswith("1 of 1 values are cited. No region is annotated")
    assert not visitor["testset-beside"].is_visible()
    visitor.page.keyboard.press("d")
    visitor["testset-tree"].locator('[data-path="$.total"]').click()
    assert said(visitor)[0] == "Cited on page 2. No region is annotated."
    assert visitor["testset-beside"].get_by_text("No document is added").is_visible()
    assert axe(visitor.page, "#testset") == []


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=str)
def test_the_places_of_several_systems(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """A sentence and a sign for each system; its letter stands where it cites a value, else where that is found."""
    visitor = visit("/#compare", size=size, dark=dark)
    page, compare = visitor.page, visitor["compare"]
    files = [*FILES, INVOICES / "fern.jsonl", INVOICES / "documents" / "invoice-04.pdf"]
    compare.locator(".drop-input").set_input_files(files)
    compare.locator(".drop[data-state=chosen]:not([aria-busy])").wait_for()
    compare.locator(".drop").get_by_role("button", name="Compare", exact=True).click()
    compare.locator(".screen[data-state=shown]").wait_for()
    if size == NARROW:
        compare.get_by_role("button", name="Documents", exact=True).click()
    compare.get_by_role("link", name="invoice-04", exact=True).click()
    row = compare.locator("tr[data-row]:visible", has_text="total")
    row.locator("td").first.click()
    assert not compare.locator(".cmp-nothing").inner_text()
    assert row.locator(".cmp-where:visible").first.inner_text() == "cites page 1, expected page 2"
    lines = [" ".join(line.split()) for line in compare.locator(".ev-who").all_inner_texts()]
    elsewhere = "Right value, other region: page 1, expected page 2."
    assert lines == [f"A fern {elsewhere}", f"B quill {elsewhere}"]
    assert compare.locator(".ev-sheet .ev-box.cited").inner_text() == "B"
    assert [text.split() for text in compare.locator(".ev-strip button").all_inner_texts()] == [["1", "B"], ["2", "A"]]
    assert ("image", "with another region, page 1") in heard(page)
    assert axe(page, "#compare") == []
    assert visitor.sideways() == 0
    page.keyboard.press("Escape")
    if size == NARROW:
        assert not compare.locator(".ev-doc").is_visible()
        assert row.locator("th").evaluate("cell => cell === document.activeElement")


@pytest.mark.parametrize("tab", ["pair", "testset", "compare", "review"])
def test_documents_survive_a_reload(visit: Visit, tab: str) -> None:
    """They are with the result, and no image is sent for that."""
    visitor = visit({"testset": "/#test-set", "pair": "/"}.get(tab, f"/#{tab}"))
    images: list[Any] = [named(path.name, path.read_bytes()) for path in IMAGES]
    verb = {"testset": "Score", "compare": "Compare", "review": "Review"}.get(tab)
    if verb is None:
        visitor.score('{"total": "12.50"}', '{"total": "12.5"}')
        visitor.has_score("0.800")
        visitor.page.locator("#pair-beside input[type=file]").first.set_input_files(images[:1])
    else:
        names = ("references", "quill", *(["fern"] if tab == "compare" else []))
        files = [payload(f"{name}.jsonl", (INVOICES / f"{name}.jsonl").read_bytes()) for name in names]
        visitor[tab].locator(".drop-input").set_input_files([*files, *images])
        visitor[tab].locator(".drop[data-state=chosen]:not([aria-busy])").wait_for()
        visitor[tab].locator(".drop").get_by_role("button", name=verb, exact=True).click()
    if tab == "compare":
        visitor[tab].get_by_role("link", name="invoice-04", exact=True).click()
    visitor.page.wait_for_function(IS_LARGE, arg=tab)
    sent: list[str] = []
    visitor.page.on("request", lambda request: sent.append(request.url) if "upload" in request.url else None)
    visitor.page.reload()
    visitor.page.wait_for_function(IS_LARGE, arg=tab)
    assert sent == []
