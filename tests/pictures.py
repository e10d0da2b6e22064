"""Take the pictures of the page that the README shows: `python -m tests.pictures`, with Debian's chromium."""

from __future__ import annotations

import html
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from dev.scripts.pictures import cut
from tests.browser import FLAGS, NARROW, Playground, Visitor, payload, started
from tests.commands import PREDICTIONS, REFERENCES
from tests.conftest import ROOT

DOCS = ROOT / "docs"
DRAWN = 1440, 900  # pixels, as the drawings of the page


def main() -> None:
    """Start the page, and take pictures of a pair by two metrics, of a scored file, its documents, several systems."""
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, size, dark in (("pair_dark", DRAWN, True), ("pair_phone", NARROW, False), ("pair", DRAWN, False)):
            visitor = Visitor(browser, app, size, dark=dark)
            visitor.arrive()
            visitor["pair"].locator("[data-example]").last.evaluate("example => example.click()")
            visitor.has_score("0.671") if size == DRAWN else visitor["pair-short"].get_by_text("0.671").wait_for()
            visitor.row("$.date").click()
            visitor.page.screenshot(path=DOCS / f"{name}.png")
        visitor["pair-options"].locator("summary").click()
        visitor.page.screenshot(path=DOCS / "pair_options.png")
        visitor.choose("metric", "kieval")
        visitor.has_score("0.643")
        visitor.row("$.table").click()
        visitor.page.screenshot(path=DOCS / "kieval.png")
        visitor.choose("metric", "anls_star")
        visitor.has_score("0.671")
        visitor.paste("pair-prediction", visitor.typed("pair-prediction").replace('",\n', '"\n', 1))
        visitor["pair-title"].get_by_text("Not scored").wait_for()
        visitor["pair-prediction"].locator("textarea").evaluate("area => area.scrollTop = 0")
        visitor.page.screenshot(path=DOCS / "pair_error.png")
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


def _drawable(*paths: Path) -> list[list[Any]]:
    """The rows of files but those of receipts in Japanese, for which this machine may lack a font."""
    files = [[json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] for path in paths]
    rows = [(row["question_id"], json.dumps(row, ensure_ascii=False)) for file in files for row in file]
    left_out = {name for name, text in rows if max(text) > "\u3000"}
    return [[row for row in file if row["question_id"] not in left_out] for file in files]


def _page_of(browser: Browser, name: str) -> bytes:
    """A page image of a receipt: its texts in lines."""
    [receipt] = [row["references"][0] for row in _drawable(REFERENCES)[0] if row["question_id"] == name]
    head = [*receipt["merchant"].values(), "", f"{receipt['date']}  {receipt['time']}", receipt["receipt_number"], ""]
    items = [f"{item['quantity']} x {item['name'][:30]:<30} {item['amount']:>9}" for item in receipt["items"]]
    lines = [*head, *items, "", f"{'TOTAL':<34} {receipt['totals']['total']:>9}"]
    page = browser.new_page(viewport={"width": 480, "height": 560})
    text = html.escape("\n".join(str(line) for line in lines))
    page.set_content(f'<pre style="font-size: 15px; line-height: 1.6; margin: 32px">{text}</pre>')
    image = page.screenshot()
    page.close()
    return image


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
        references, predictions = _drawable(REFERENCES, PREDICTIONS)
        visitor.choose_files(payload(REFERENCES.name, references), payload(PREDICTIONS.name, predictions))
        visitor.page.get_by_role("button", name="Score", exact=True).click()
        visitor.page.locator(".testset[data-ready]").wait_for()
        if size == NARROW:
            visitor.page.screenshot(path=DOCS / "testset_phone.png")
            visitor.page.get_by_role("button", name="Documents", exact=True).click()
            visitor.page.screenshot(path=DOCS / "testset_phone_documents.png")
        visitor.page.locator(".doc bdi").nth(2).click()
        visitor["testset-points"].get_by_text("33.43 of 90 points").wait_for(state="attached")
        visitor.page.screenshot(path=DOCS / f"{name}{'_document' if size == NARROW else ''}.png")
        if name == "testset":
            visitor.page.get_by_role("button", name="Page image").click()
            image: Any = payload("receipt-018.png", _page_of(browser, "receipt-018"))
            image["mimeType"] = "image/png"
            visitor.page.locator(".image input").set_input_files(image)
            visitor.page.locator(".image img").wait_for()
            visitor.page.screenshot(path=DOCS / "testset_image.png")
        visitor.context.close()


if __name__ == "__main__":
    main()
