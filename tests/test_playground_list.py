"""The list of documents beside the tree: it moves by itself, keeps its place, and follows the filters."""

from __future__ import annotations

import re

from tests import browser
from tests.browser import Visit
from tests.commands import pred, ref
from tests.test_playground_documents import SEEN, come, ready, score, title
from tests.test_playground_file import payload

playground, chromium, visit = browser.playground, browser.chromium, browser.visit


def test_a_filter_shows_its_first_document_and_leaves_the_page_in_place(visit: Visit) -> None:
    """The other list of filters begins at its top; without the filter the document and the page stay."""
    visitor = come(visit)
    page = visitor.page
    page.locator(".dw-row").nth(7).click()
    fields = page.locator(".dw-fields")
    fields.evaluate("list => list.scrollTop = 60")
    page.locator(".dw-causes button").nth(1).click()
    page.locator(".dw-row[aria-selected=true][aria-posinset='1']").wait_for()
    assert fields.evaluate("list => list.scrollTop") == 0
    assert re.fullmatch(r"\d+ of \d+", page.locator(".dw-fields .dw-of").first.inner_text())
    chosen = page.locator(".dw-row .dw-id").nth(2).inner_text()
    page.locator(".dw-row").nth(2).click()
    title(page, chosen)
    page.locator(".dw-chip").evaluate("chip => chip.scrollIntoView({ block: 'end' })")
    top = page.evaluate("scrollY")
    page.locator(".dw-chip").click()
    page.locator(".dw-chip").wait_for(state="detached")
    assert (page.evaluate(SEEN)["title"], page.evaluate("scrollY")) == (chosen, top)


def test_rows_that_are_seen_stay_while_the_list_moves(visit: Visit) -> None:
    """One that is being pressed is not replaced by another element, which would take no click."""
    page = come(visit, (1280, 700)).page
    row = page.locator(".dw-row").nth(6)
    row.evaluate("row => { window.pressed = row; }")
    drawn = page.locator(".dw-row").count()
    page.locator(".dw-list").evaluate("list => { list.scrollTop = 70; }")
    page.locator(f".dw-row[aria-posinset='{drawn + 1}']").wait_for(state="attached")
    assert page.evaluate("window.pressed.isConnected")
    order = page.locator(".dw-row").evaluate_all("rows => rows.map(row => Number(row.getAttribute('aria-posinset')))")
    assert order == list(range(order[0], order[0] + len(order)))


# Cancel is pressed as soon as it is there: the run may be over before a test sees it.
CANCEL = """() => new Promise(resolve => {
  const stop = document.getElementById("file-stop");
  const press = () => {
    if (!("running" in stop.dataset)) { requestAnimationFrame(press); return; }
    stop.click();
    resolve();
  };
  document.getElementById("file-score").click();
  press();
})"""


def test_two_thousand_documents(visit: Visit) -> None:
    """Few are drawn at a time; the list scrolls by itself; the last key wins; Cancel is there while they are scored."""
    visitor = visit()
    truths = [ref(f"d{n:04}", {"a": f"tea {n}", "b": [{"c": str(n)}]}) for n in range(2000)]
    guesses = [pred(f"d{n:04}", {"a": f"tea {n}" if n % 2 else "", "b": [{"c": str(n)}]}) for n in range(2000)]
    visitor.open_tab("A file")
    assert not visitor["file-stop"].is_visible()
    visitor.upload(payload("r.jsonl", truths), payload("p.jsonl", guesses))
    visitor.press_score("file")
    visitor["file-stop"].wait_for()
    page = visitor.page
    ready(page)
    visitor["file-stop"].wait_for(state="hidden")
    page.locator(".dw").evaluate("part => part.scrollIntoView()")
    top = page.evaluate("scrollY")
    page.locator(".dw-list").focus()
    assert page.locator(".dw-row").count() < 60
    page.keyboard.press("End")
    page.locator(".dw-row[aria-posinset='2000'][aria-selected=true]").wait_for()
    for _ in range(30):
        page.keyboard.press("k")
    title(page, "d1939")
    assert page.locator(".dw-row").count() < 60
    assert page.evaluate("scrollY") == top
    page.locator(".dw-causes button").first.click()
    assert page.locator(".dw-count").inner_text() == "1,000 of 2,000 documents"
    page.locator(".dw-find").fill("tea 1998")
    page.locator(".dw-count").get_by_text("1 of 2,000 documents").wait_for()
    title(page, "d1998")
    page.evaluate(CANCEL)
    visitor["file-stop"].wait_for(state="hidden")


def test_nothing_lost(visit: Visit) -> None:
    visitor = visit()
    score(visitor, payload("r.jsonl", [ref("a", "x")]), payload("p.jsonl", [pred("a", "x")]))
    assert "No points were lost." in visitor.page.locator(".dw-causes").inner_text()
    title(visitor.page, "a")
