"""The first visit, and the document beside one pair."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import browser
from tests.browser import LOOKS, NARROW, Visit, Visitor, axe
from tests.conftest import ROOT, needs
from tests.test_playground_pair import FILL, marked
from tests.test_playground_places import BOX, named, said

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

INVOICES = ROOT / "examples" / "invoices"
LEAD = "$.items[3]"


def here(visitor: Visitor) -> str | None:
    return visitor["pair-tree"].locator(".here").get_attribute("data-path")


def type_into(visitor: Visitor, side: str, text: str) -> None:
    visitor[f"pair-{side}"].locator("textarea").evaluate(FILL, text)
    visitor.page.locator("#pair-result:not([data-stale])").wait_for()


def invoice(visitor: Visitor, number: int) -> None:
    """Type a pair of an invoice."""
    for side, name in (("truth", "references"), ("prediction", "quill")):
        row = json.loads((INVOICES / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")[number - 1])
        value = row["references"][0] if side == "truth" else row["prediction"]
        visitor[f"pair-{side}"].locator("textarea").evaluate(FILL, json.dumps(value, indent=1))
    visitor.page.locator("#pair-result:not([data-stale]) .anls-row[data-path='$.lines']").wait_for(state="attached")


def add(visitor: Visitor, files: Any) -> None:
    with visitor.page.expect_file_chooser() as chooser:
        visitor["pair-beside"].get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(files)


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=str)
def test_the_first_visit(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """One sentence, one link, and a headline that leads to its row, whose lines and place are marked."""
    visitor = visit("/?__theme=dark" if dark else "/", size=size, dark=dark)
    assert visitor.page.title() == "Score an extraction · docscore"
    assert visitor["pair-hello"].get_by_role("link").all_inner_texts() == ["Documentation"]
    visitor["pair-tree"].get_by_role("link", name="2 missing rows").click()
    assert here(visitor) == LEAD
    assert visitor.page.evaluate("document.activeElement.dataset.path") == LEAD
    assert marked(visitor) == ["26-30", None]
    if size == NARROW:
        assert not visitor["pair-beside"].is_visible()
        visitor["pair-tree"].locator(".here").click()
    assert said(visitor) == ["Missing: 3 values are expected."]
    assert visitor.page.locator(".ev-sheet .ev-box.expected").evaluate(BOX) == pytest.approx(
        [0.5, (10 + 2 + 0.5) / 27], abs=0.01
    )
    visitor.page.locator(".ev-crop .win").evaluate("crop => { if (crop.clientHeight < 30) throw crop; }")
    assert axe(visitor.page, "html") == []
    assert visitor.sideways() == 0
    if size == NARROW:
        visitor.page.keyboard.press("Escape")
        assert not visitor["pair-beside"].is_visible()
        assert here(visitor) == visitor.page.evaluate("document.activeElement.dataset.path")


def test_the_headline_leads_without_a_press_where_the_document_is_open(visit: Visit) -> None:
    """From 1200 pixels on; the focus stays, and keys and buttons walk by the points that are lost."""
    visitor = visit()
    assert here(visitor) == LEAD
    assert visitor.page.evaluate("document.activeElement === document.body")
    visitor.page.keyboard.press("n")
    assert here(visitor) == "$.items[6]"
    visitor["pair-tree"].get_by_role("button", name="Next loss").click()
    assert here(visitor) == "$.merchant.vat_id"
    assert said(visitor) == [
        "Wrong value, other region.",
        "The document says T-20418 there.",
    ]
    visitor.page.keyboard.press("p")
    assert here(visitor) == "$.items[6]"
    grid = visitor["pair-tree"].locator(".anls-grid")
    assert grid.evaluate("grid => grid.scrollHeight >= grid.clientHeight - 40"), "exact rows unfold until it is full"
    assert not visit(size=(1100, 800))["pair-beside"].is_visible()


def test_nothing_scrolls_while_one_types(visit: Visit) -> None:
    """The row that is chosen stays so, wherever it is."""
    visitor = visit()
    assert here(visitor) == LEAD
    area = visitor["pair-truth"].locator("textarea")
    area.evaluate("area => { area.focus(); area.setSelectionRange(5, 5); area.scrollTop = 0; }")
    visitor.page.keyboard.type(" ")
    visitor.page.locator("#pair-result:not([data-stale])").wait_for()
    visitor["pair-tree"].locator(".here").wait_for()
    assert here(visitor) == LEAD
    assert area.evaluate("area => area.scrollTop") == 0


def test_another_pair_has_not_the_document_of_the_example(visit: Visit) -> None:
    """Nor its places; an undone link and the menu bring both back."""
    visitor = visit()
    invoice(visitor, 3)
    visitor["pair-beside"].wait_for(state="hidden")
    assert visitor["pair-tree"].locator(".anls-cited").count() == 0
    visitor["pair"].locator(".menu summary").click()
    visitor.page.locator("[data-example='0']").click()
    visitor["pair-beside"].wait_for()
    visitor["pair-tree"].locator(".here").wait_for()
    assert here(visitor) == LEAD


def test_a_pdf_from_drop_to_box(visit: Visit) -> None:
    """Its values are marked where they stand; only the text has numbers of lines; a closed one stays closed."""
    needs("pypdfium2")
    visitor = visit()
    invoice(visitor, 3)
    visitor["pair-tree"].get_by_role("button", name="Document").click()
    add(visitor, INVOICES / "documents" / "invoice-03.pdf")
    row = visitor["pair-tree"].locator("div.anls-row[data-path='$.date']")
    visitor.page.locator(".ev-sheet .ev-box.other").first.wait_for()
    row.click()
    assert row.locator(".anls-cited").count() == 0
    assert said(visitor) == ["Ground truth found in the document.", "Prediction found in the document."]
    box = visitor.page.locator(".ev-sheet .ev-box.found")
    visitor.page.locator(".ev-sheet .ev-page > img").wait_for()
    date = json.loads((INVOICES / "references.jsonl").read_text(encoding="utf-8").split("\n")[2])["evidence"]["date"]
    left, top, right, bottom = date[0]["box"]
    assert box.evaluate(BOX) == pytest.approx([(left + right) / 2, (top + bottom) / 2], abs=0.01)
    visitor["pair-beside"].get_by_role("button", name="Text", exact=True).click()
    visitor.drawn()
    assert said(visitor) == ["Ground truth found on line 5.", "Prediction found on line 5."]
    line = visitor.page.locator(".said-text .on > :last-child")
    assert line.all_inner_texts() == [f"Date {row.locator('.anls-truth').inner_text()[1:-1]}"]
    visitor.page.keyboard.press("d")
    type_into(visitor, "prediction", visitor.typed("pair-prediction").replace("2026", "2027", 1))
    assert not visitor["pair-beside"].is_visible()
    assert "invoice" not in visitor.page.url, "no document is in a link"


def test_images_and_a_text_of_any_name_are_one_document(visit: Visit) -> None:
    visitor = visit()
    visitor["pair-truth"].locator("textarea").evaluate(FILL, '{"total": "12.50", "name": "Quay"}')
    visitor["pair-prediction"].locator("textarea").evaluate(FILL, '{"total": "12.40", "name": "Quay"}')
    visitor.page.locator("#pair-result:not([data-stale]) .anls-row[data-path='$.name']").wait_for(state="attached")
    visitor.page.keyboard.press("Escape")
    visitor["pair-tree"].get_by_role("button", name="Document").click()
    word = "<span class='ocrx_word' title='bbox 100 200 300 240'>12.50</span>"
    hocr = f"<div class='ocr_page' title='bbox 0 0 1000 2000'><span class='ocr_line'>{word}</span></div>"
    image = (INVOICES / "documents" / "invoice-01-1.png").read_bytes()
    add(visitor, [named("words.hocr", hocr.encode()), named("scan 7.png", image)])
    visitor["pair-tree"].locator("div.anls-row[data-path='$.total'] .sg-nowhere").wait_for()
    visitor["pair-tree"].locator("div.anls-row[data-path='$.total']").click()
    assert said(visitor) == ["Ground truth found in the document.", "Prediction not found in the document."]
    assert visitor.page.locator(".ev-sheet .ev-box.truth").evaluate(BOX) == pytest.approx([0.2, 0.11], abs=0.01)
    assert visitor.page.locator(".ev-sheet img").evaluate("image => image.naturalWidth") > 0
