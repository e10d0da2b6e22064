"""Each control that is seen receives a click at its middle, at every width and in each state of the drawings."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests import browser
from tests.browser import Visit, Visitor
from tests.commands import RECEIPTS, REFERENCES

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

SIZES = [(1920, 1080), (1440, 900), (1280, 900), (1024, 768), (390, 844)]
# What does not get a click at its middle after it is scrolled into view; regions on a document may lie on each other.
# A dialog, a sheet or a menu covers what is behind it.
COVERED = """() => {
  const CONTROLS = "a[href], button, input:not([type=file]), select, textarea, summary, [role=option], [data-open]";
  const cover = document.querySelector("dialog[open], .sheet, details.pop[open]") ?? document;
  const found = new Set();
  for (const control of cover.querySelectorAll(CONTROLS)) {
    if (!control.checkVisibility({ visibilityProperty: true }) || control.closest("[inert], .ev-sheet")) continue;
    control.scrollIntoView({ block: "center", inline: "center" });
    const [box] = control.getClientRects();
    const at = box && document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const isHit = control.contains(at) || [...(control.labels ?? [])].some(label => label.contains(at));
    const name = control.getAttribute("aria-label") || control.textContent.trim() || control.id || control.className;
    if (!isHit) found.add(`${name.slice(0, 40)}: ${at ? `${at.tagName} ${at.className}` : "nothing"}`);
  }
  return [...found];
}"""
Step = Callable[[Visitor], object]


def click(selector: str) -> Step:
    return lambda visitor: visitor.page.locator(selector).click()


def press(key: str) -> Step:
    return lambda visitor: visitor.press(key)


def wait(selector: str) -> Step:
    return lambda visitor: visitor.page.locator(selector).first.wait_for()


def try_example(button: str, shown: str) -> Step:
    def step(visitor: Visitor) -> None:
        visitor.page.get_by_role("button", name=re.compile(button)).click()
        visitor.page.locator(shown).first.wait_for()

    return step


def choose_receipts(visitor: Visitor) -> None:
    visitor.choose_files(REFERENCES, RECEIPTS / "predictions_confident.jsonl")


def type_an_error(visitor: Visitor) -> None:
    visitor["pair-prediction"].locator("textarea").focus()
    visitor.press("x")
    visitor.page.locator("#pair-notice:not([hidden])").wait_for()


RESULT = ".testset[data-ready]:not([data-stale], [aria-busy]) #testset-tree .anls-row"
STATES: dict[str, list[tuple[str, list[Step]]]] = {  # by the tab, each from the one before
    "One pair": [
        ("example", []),
        ("options", [click("#pair-options > summary")]),
        ("own", [press("Escape"), click("#pair-own")]),
        ("error", [click("#pair .pop.left > summary"), click("[data-example='0']"), type_an_error]),
    ],
    "Test set": [
        ("empty", []),
        ("files", [choose_receipts]),
        ("receipts", [try_example("^Score$", RESULT)]),
        ("options", [click("#testset-options > summary"), click("#testset-options .more-options > summary")]),
        ("keys", [press("Escape"), press("?")]),
        ("files again", [press("?"), click("#testset-change"), wait(".drop[data-state=chosen]")]),
    ],
    "Test set, with documents": [
        ("invoices", [try_example("Try 12 invoices", ".testset.doc-open .ev-sheet .ev-page")]),
        ("share", [click(".quad button >> nth=1"), wait(".rest")]),
        ("closed", [press("d"), wait(".testset:not(.doc-open)")]),
        ("F1", [click(".stairs summary")]),
    ],
    "Compare": [
        ("empty", []),
        ("systems", [try_example("Compare three systems", ".cmp-verdict a")]),
        ("document", [click(".cmp-verdict a"), wait(".cmp-places td")]),
        ("paper", [press("d"), wait(".cmp-paper.ev-doc")]),
    ],
}


@pytest.mark.parametrize("tab", STATES)
def test_every_control_gets_the_click_at_its_middle(visit: Visit, tab: str) -> None:
    visitor = visit(size=SIZES[0])
    visitor.open_tab(tab.partition(",")[0])
    found: list[str] = []
    for state, steps in STATES[tab]:
        visitor.page.set_viewport_size({"width": 1280, "height": 900})
        for step in steps:
            step(visitor)
        for width, height in SIZES:
            visitor.page.set_viewport_size({"width": width, "height": height})
            visitor.page.wait_for_timeout(100)  # what depends on the width changes
            segments = visitor.page.locator("html:not(:has(dialog[open])) [data-to-seg] >> visible=true").all()
            for number in range(max(1, len(segments))):
                if segments:
                    segments[number].click()
                found += [f"{state}, {width} px: {each}" for each in visitor.page.evaluate(COVERED)]
            if visitor.sideways():
                found.append(f"{state}, {width} px: wider than the window")
    assert found == []
