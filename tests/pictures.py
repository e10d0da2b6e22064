"""Take the pictures of the page that the README shows: `python -m tests.pictures`.

It needs Debian's packages chromium and, for receipts in Japanese, fonts-noto-cjk.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from dev.scripts.pictures import check_fonts, cut
from tests.browser import FLAGS, NARROW, Playground, Visitor, started
from tests.conftest import ROOT

DOCS = ROOT / "docs"
DRAWN = 1440, 900  # pixels, as the drawings of the page


def main() -> None:
    """Start the page, and take pictures of a pair by two metrics, of a scored file, its documents, several systems."""
    check_fonts()
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        _pair(browser, app)
        _test_set(browser, app)
        _compare(browser, app)
        visitor = Visitor(browser, app, DRAWN, dark=False)
        visitor.arrive("/#review")
        visitor["review"].get_by_role("button", name="Try 16 delivery notes").click()
        visitor.page.locator(".rv-kind").first.wait_for()
        visitor.page.screenshot(path=DOCS / "review.png")
        browser.close()
    for path in DOCS.glob("*.png"):
        cut(path)


def _pair(browser: Browser, app: Playground) -> None:
    """The tab for one pair: the first visit, dark and on a phone, its options, and an error."""
    for name, size, dark in (("pair_dark", DRAWN, True), ("pair_phone", NARROW, False), ("pair", DRAWN, False)):
        visitor = Visitor(browser, app, size, dark=dark)
        visitor.arrive()
        visitor.row("$.receipt_number").wait_for()
        visitor.page.screenshot(path=DOCS / f"{name}.png")
    visitor["pair-options"].locator("summary").click()
    visitor.page.screenshot(path=DOCS / "pair_options.png")
    visitor.paste("pair-prediction", visitor.typed("pair-prediction").replace('",\n', '"\n', 1))
    visitor["pair-title"].get_by_text("Not scored").wait_for()
    visitor["pair-prediction"].locator("textarea").evaluate("area => area.scrollTop = 0")
    visitor.page.screenshot(path=DOCS / "pair_error.png")


def _compare(browser: Browser, app: Playground) -> None:
    """The tab for several systems: a comparison, light, dark, on a phone, and a document in all systems."""
    for name, size, dark in (("", DRAWN, False), ("_dark", DRAWN, True), ("_phone", NARROW, False)):
        visitor = Visitor(browser, app, size, dark=dark)
        visitor.arrive("/#compare")
        visitor["compare"].get_by_role("button", name="Compare three systems").click()
        visitor.page.locator(".cmp-verdict").get_by_text("new leads").wait_for()
        visitor.page.screenshot(path=DOCS / f"compare{name}.png")
        if not name:
            visitor.page.locator(".cmp-documents").get_by_role("link", name="receipt-027").click()
            visitor.page.locator(".cmp-places").wait_for()
            visitor.page.screenshot(path=DOCS / "compare_document.png")


def _test_set(browser: Browser, app: Playground) -> None:
    """The tab for a test set: empty, and a result with a cause chosen, light, dark, with the page, on a phone."""
    for name, size, dark in (("testset", DRAWN, False), ("testset_dark", DRAWN, True), ("testset_phone", NARROW, True)):
        visitor = Visitor(browser, app, size, dark=dark)
        visitor.arrive("/#test-set")
        if name == "testset":
            visitor.page.screenshot(path=DOCS / "testset_empty.png")
        visitor.page.get_by_role("button", name="Try 40 receipts").click()
        visitor.page.locator(".testset[data-ready]").wait_for()
        if size == NARROW:
            visitor.page.screenshot(path=DOCS / "testset_phone.png")
            visitor.page.get_by_role("button", name="Documents", exact=True).click()
            visitor.page.screenshot(path=DOCS / "testset_phone_documents.png")
        visitor.page.locator(".doc bdi").nth(2).click()
        visitor["testset-points"].get_by_text("33.43 of 90 points").wait_for(state="attached")
        visitor.page.screenshot(path=DOCS / f"{name}{'_document' if size == NARROW else ''}.png")
        visitor.context.close()
    visitor = Visitor(browser, app, DRAWN, dark=False)
    visitor.arrive("/#test-set")
    visitor.page.get_by_role("button", name="Try 12 invoices with their pages").click()
    visitor.page.locator(".testset[data-ready] .ev-sheet .ev-box").first.wait_for()
    visitor["testset-grounding"].get_by_role("button", name="right value, other region").click()
    visitor.page.locator(".ev-say").get_by_text("expected page 2").wait_for()
    visitor.page.locator(".ev-sheet .ev-box.cited").wait_for()
    visitor.page.screenshot(path=DOCS / "testset_image.png")


if __name__ == "__main__":
    main()
