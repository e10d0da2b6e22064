"""The document beside a place of a review: page images with positions of words, texts, what is not there, the phone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests import browser
from tests.browser import LOOKS, NARROW, Visit, Visitor, axe, payload
from tests.commands import pred, ref
from tests.conftest import PIXEL

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

LINES = ["Quay Lighting 1.850,00", "Lamp - oak 12 1.850,00", "Date 14 May 2024", "<img src=x onerror=alert(1)>"]
WIDTH, HEIGHT, STEP = 800, 1000, 100  # of the page, and from a word to the next in both directions
CENTRES = """drawn => {
  const [page, box] = [drawn, drawn.querySelector(".ev-box")].map(each => each.getBoundingClientRect());
  return [(box.left + box.right) / 2 - page.left, (box.top + box.bottom) / 2 - page.top]
    .map((at, side) => at / (side ? page.height : page.width)); }"""
BELOW = "(all, box) => all.every(one => one.getBoundingClientRect().top > box.getBoundingClientRect().bottom)"
STANDS = "The prediction was found in the document’s text, the ground truth was not."
TRUTH = {"lines": [{"item": "Lamp-oak", "price": "1850.00"}], "date": "2024-05-15", "gone": "brass"}
OTHER = {"lines": [{"item": "Lamp - oak", "price": "1850"}], "date": "2024-05-14", "gone": "copper"}


def hocr(lines: list[str]) -> str:
    """Lines as Tesseract writes them, each word a box of 80 by 40."""

    def word(line: int, at: int, text: str) -> str:
        left, top = STEP * at, STEP * line
        text = text.replace("<", "&lt;")
        return f"<span class='ocrx_word' title='bbox {left} {top} {left + 80} {top + 40}; x_wconf 91'>{text}</span>"

    rows = [
        " ".join(word(number, at, text) for at, text in enumerate(line.split())) for number, line in enumerate(lines)
    ]
    said = "".join(f"<span class='ocr_line' title='bbox 0 0 9 9'>{row}</span>\n" for row in rows)
    page = f"<div class='ocr_page' title='image \"scans/quay.png\"; bbox 0 0 {WIDTH} {HEIGHT}; ppageno 0'>{said}</div>"
    return f"<?xml version='1.0'?><html><body>{page}</body></html>"


def named(name: str, data: bytes) -> FilePayload:
    return {**payload(name, data), "mimeType": "image/png" if name.endswith(".png") else ""}


IMAGE, HOCR = named("quay.png", PIXEL), named("quay.hocr", hocr(LINES).encode())
TEXT = named("quay.txt", "\n".join(LINES).encode())
FILES = [
    payload("references.jsonl", [ref("quay", TRUTH)]),
    *(payload(f"{name}.jsonl", [pred("quay", OTHER)]) for name in ("one", "two")),
]


def review(visitor: Visitor, *files: FilePayload) -> None:
    """Have the files of the test reviewed, with pages and texts among them."""
    visitor["review"].locator(".drop-input").set_input_files([*FILES, *files])
    visitor["review"].locator(".drop[data-state=chosen]:not([aria-busy])").wait_for()
    visitor["review"].locator(".drop").get_by_role("button", name="Review", exact=True).click()


def open_place(visitor: Visitor, name: str) -> Any:
    """Go to a place; its document, once it is drawn."""
    visitor["review"].locator(".rv[data-state=shown]").wait_for()
    if (listed := visitor["review"].get_by_role("button", name="List", exact=True)).is_visible():
        listed.click()
    visitor["review"].locator(".rv-it").get_by_text(name, exact=True).click()
    visitor["review"].locator(".rv-path").get_by_text(name, exact=True).wait_for()
    visitor["review"].locator(".review-document:not([aria-busy])").wait_for(state="attached")
    visitor.drawn()
    return visitor["review"].locator(".review-document")


def evidence(visitor: Visitor) -> str:
    return visitor["review"].locator(".rv-evidence").inner_text()


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=str)
def test_the_place_on_the_page(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """The box lies where the file says that the words are; the image leaves the browser in no request."""
    sent: list[bytes] = []
    visitor = visit("/#review", size=size, dark=dark)
    visitor.page.on("request", lambda request: sent.append(request.post_data_buffer or b""))
    review(visitor, IMAGE, HOCR)
    document = open_place(visitor, "lines[0].item")
    assert evidence(visitor) == "Both were found in the document’s text."
    crop = visitor["review"].locator(".rv-crop .ev-box")
    crop.wait_for()
    values = visitor["review"].locator(".rv-value")
    assert values.evaluate_all(BELOW, crop.element_handle()), "the place on the page stands above the values"
    if size == NARROW:
        assert visitor.sideways() == 0
        assert not document.is_visible()
        assert axe(visitor.page, "#review") == []
        choices = visitor["review"].locator(".rv-choice:visible")
        assert choices.evaluate_all("all => all.map(each => each.offsetHeight)") == [48] * 5
        crop.click()
        visitor.drawn()
    page = document.locator(".ev-sheet .ev-page")
    assert page.evaluate(CENTRES) == pytest.approx(
        [140 / WIDTH, 120 / HEIGHT], abs=0.004
    )  # cut at the edge of the page
    assert axe(visitor.page, "#review") == []
    document.get_by_role("button", name="Text", exact=True).click()
    visitor.drawn()
    assert document.locator("mark").all_text_contents() == ["Lamp - oak"]
    document.get_by_role("button", name="Image", exact=True).click()
    if size == NARROW:
        visitor.page.keyboard.press("Escape")
        assert not document.is_visible()
        assert visitor.page.evaluate("document.activeElement.className") == "rv-crop"
    open_place(visitor, "gone")
    document.get_by_text("No value of this item was found in the text").wait_for(state="attached")
    assert document.locator(".ev-box").count() == 0
    assert len(sent) > 5
    assert not any(PIXEL in body or b"quay.png" in body or b"ocr_page" in body for body in sent)


def test_matches_in_a_text(visit: Visit) -> None:
    """A value in any notation is marked, that of the row of the place first; arrows lead to the others."""
    visitor = visit("/#review")
    review(visitor, TEXT)
    document = open_place(visitor, "date")
    assert document.locator("mark").all_text_contents() == ["14 May 2024"]
    assert document.locator(".ev-say b").inner_text() == "1 match, on line 3"
    assert "No image belongs to this document." in document.inner_text()
    assert "onerror" in document.locator(".said-text").inner_text()
    document = open_place(visitor, "lines[0].price")
    assert document.locator(".ev-say b").inner_text() == "2 of 2, on line 2"
    document.get_by_role("button", name="Next match").click()
    visitor.drawn()
    assert document.locator(".ev-say b").inner_text() == "1 of 2, on line 1"
    assert document.locator("mark").all_text_contents() == ["1.850,00"]


def test_what_is_missing_can_be_added_in_the_pane(visit: Visit) -> None:
    """Without texts there is no mark; texts that come later are evidence too, and the place stays."""
    visitor = visit("/#review")
    review(visitor)
    document = open_place(visitor, "date")
    assert document.get_by_role("button", name="Add page images").is_visible()
    document.locator("input[type=file]").set_input_files([IMAGE])
    document.locator(".ev-sheet .ev-page").wait_for()
    assert document.locator(".ev-box").count() == 0
    assert "There is no text of this document" in document.inner_text()
    document.locator("input[type=file]").set_input_files([TEXT])
    document.locator("mark").wait_for()
    assert visitor["review"].locator(".rv-path").inner_text() == "date"
    assert evidence(visitor) == STANDS
    document.locator("input[type=file]").set_input_files([HOCR])
    document.locator(".ev-sheet .ev-box").wait_for()


def test_texts_of_other_documents(visit: Visit) -> None:
    visitor = visit("/#review")
    review(visitor, named("other.txt", b"x"))
    error = visitor["review"].locator(".drop-fault")
    error.get_by_text("files named like the documents").wait_for()
    assert error.inner_text() == (
        'Not reviewed: Texts: expected files named like the documents, such as "quay.txt", got "other.txt".'
    )
