"""Take the pictures of the page that the README shows: `python -m tests.pictures`, with Debian's chromium."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import FLAGS, WIDE, Visitor, started

DOCS = Path(__file__).parent.parent / "docs"
RECEIPT = "A receipt with the mistakes of a model"


def main() -> None:
    """Start the page, and take pictures of a pair by two metrics, of a scored file, its documents, several systems."""
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        visitor = Visitor(browser, app, WIDE, dark=False)
        visitor.arrive()
        visitor["pair-example"].select_option(label=RECEIPT)
        visitor.has_score("0.6711")
        visitor.row("$.date").click()
        visitor.page.screenshot(path=DOCS / "pair.png")
        visitor.choose("metric", "kieval")
        visitor.has_score("0.6429")
        visitor.row("$.table").click()
        visitor.page.screenshot(path=DOCS / "kieval.png")
        visitor.open_tab("Test set")
        visitor["file-example"].click()
        visitor.tree("file-summary")
        visitor["file-summary"].scroll_into_view_if_needed()
        visitor.page.locator(".dw[data-ready]").wait_for()
        visitor.page.screenshot(path=DOCS / "file.png", full_page=True)
        visitor.page.locator(".dw-row .dw-id").nth(2).click()
        visitor.page.locator(".dw-tree h2").get_by_text("receipt-018").wait_for()
        visitor["file-documents"].evaluate("list => list.scrollIntoView()")
        visitor.page.screenshot(path=DOCS / "documents.png")
        visitor.open_tab("Compare")
        visitor["systems-example"].click()
        visitor.tree("systems-result")
        visitor.page.screenshot(path=DOCS / "compare.png", full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
