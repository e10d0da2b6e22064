"""Each state of the page: axe, rings of focus, the width, and a click at the middle of each control that is seen."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests import browser
from tests.browser import NARROW, WIDE, Visit, Visitor, axe, errors_of_focus
from tests.commands import RECEIPTS, REFERENCES
from tests.test_playground_pair import FILL

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

SIZES = [(1920, 1080), (1440, 900), WIDE, (1024, 768), NARROW]
# What does not get a click at its middle after it is scrolled into view; regions on a document may lie on each other.
# A dialog, a sheet or a menu covers what is behind it; the title of what has the focus covers what is beside it.
COVERED = """() => {
  const CONTROLS = "a[href], button, input:not([type=file]), select, textarea, summary, [role=option], [data-open]";
  const cover = document.querySelector("dialog[open], .sheet, details.pop[open]") ?? document;
  const found = new Set();
  for (const control of cover.querySelectorAll(CONTROLS)) {
    if (!control.checkVisibility({ visibilityProperty: true }) || control.closest("[inert], .ev-sheet")) continue;
    control.scrollIntoView({ block: "center", inline: "center" });
    const [box] = control.getClientRects();
    const at = box && document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const isHit = control.contains(at) || [...(control.labels ?? [])].some(label => label.contains(at))
      || at?.matches(".told[aria-hidden]");
    const name = control.getAttribute("aria-label") || control.textContent.trim() || control.id || control.className;
    if (!isHit) found.add(`${name.slice(0, 40)}: ${at ? `${at.tagName} ${at.className}` : "nothing"}`);
  }
  return [...found];
}"""
Step = Callable[[Visitor], object]


def click(selector: str) -> Step:
    return lambda visitor: visitor.page.locator(selector).first.click()


def key(name: str) -> Step:
    return lambda visitor: visitor.press(name)


def see(selector: str) -> Step:
    return lambda visitor: visitor.page.locator(selector).first.wait_for()


def button(name: str, shown: str = "") -> Step:
    """Press a button of the tab, and wait for what it shows."""

    def step(visitor: Visitor) -> None:
        visitor.page.get_by_role("button", name=re.compile(name)).locator("visible=true").first.click()
        if shown:
            visitor.page.locator(shown).first.wait_for()

    return step


def pop(selector: str) -> Step:
    """Open a box below its button with all that is folded in it, and no other one."""
    script = """pop => {
      for (const each of document.querySelectorAll(".pop")) each.open = each === pop || pop.contains(each);
      for (const part of pop.querySelectorAll("details")) part.open = true;
    }"""
    return lambda visitor: visitor.page.locator(selector).first.evaluate(script)


CLOSE = "() => { for (const each of document.querySelectorAll('.pop')) each.open = false; }"


def close(visitor: Visitor) -> None:
    visitor.page.evaluate(CLOSE)


def fill(side: str, text: str) -> Step:
    return lambda visitor: visitor[f"pair-{side}"].locator("textarea").evaluate(FILL, text)


def choose_receipts(visitor: Visitor) -> None:
    visitor.choose_files(REFERENCES, RECEIPTS / "predictions_confident.jsonl")


def choose_worse(visitor: Visitor) -> None:
    visitor.page.locator(".cmp-worse").select_option(label="base worse than new", force=True)


def settle(visitor: Visitor) -> None:
    """Wait until a choice among documents is drawn."""
    visitor.page.locator(".testset:not([aria-busy])").wait_for()
    visitor.page.locator(".pane[data-stale]").first.wait_for(state="detached")


EXCHANGED = '{"vat": "DE811", "no": "0042"}', '{"vat": "0042", "no": "DE811"}'
RESULT = ".testset[data-ready]:not([data-stale], [aria-busy]) #testset-tree .anls-row"
STATES: dict[str, list[tuple[str, list[Step]]]] = {  # by the tab, each from the one before
    "One pair": [
        ("example", [see("#pair-tree .anls-row")]),
        ("examples", [pop("#pair .menu")]),
        ("options", [pop("#pair-options")]),
        ("code", [pop("#pair .code-of")]),
        ("own", [close, click("#pair-own")]),
        (
            "exchanged values",
            [fill("truth", EXCHANGED[0]), fill("prediction", EXCHANGED[1]), click(".anls-row:has(.anls-remark)")],
        ),
        ("error", [fill("prediction", '{"a": 1'), see("#pair-notice:not([hidden])")]),
        ("keys", [fill("prediction", "{}"), see("#pair-result:not([data-stale])"), key("?")]),
    ],
    "Test set": [
        ("empty", []),
        ("files", [choose_receipts]),
        ("receipts", [button("^Score$", RESULT)]),
        ("options", [pop("#testset-options")]),
        ("orders", [pop("#testset-sort")]),
        ("cause", [close, click("#testset-causes .facet"), settle]),
        ("figures", [button("^All figures$")]),
        ("keys", [key("Escape"), key("?")]),
        ("files again", [key("?"), click("#testset-change"), see(".drop[data-state=chosen]")]),
    ],
    "Test set, with documents": [
        ("invoices", [button("Try 12 invoices", ".testset.doc-open .ev-sheet .ev-page")]),
        ("share", [click(".quad button >> nth=1"), see(".rest")]),
        ("closed", [key("d"), see(".testset:not(.doc-open)")]),
        ("F1", [click(".stairs summary")]),
    ],
    "Compare": [
        ("empty", []),
        ("systems", [button("Compare three systems", ".cmp-verdict a")]),
        ("options", [pop(".cmp-options")]),
        ("one worse", [close, choose_worse]),
        ("document", [click(".cmp-verdict a"), see(".cmp-places td")]),
        ("paper", [key("d"), see(".cmp-paper.ev-doc")]),
    ],
    "API": [("snippets", [see(".api[data-ready]")])],
}
SCROLLED = re.compile("over .*: DIV (scroll docs|anls-scroll) ")  # the texts move below the ring
FAINT = {"error": ":is(#pair-notice, #pair .editors)"}  # in place of the page, whose tree is faint then


def covered(visitor: Visitor) -> list[str]:
    """What gets no click at its middle, in each part of the page that a phone shows alone."""
    found: list[str] = []
    segments = visitor.page.locator("html:not(:has(dialog[open])) [data-to-seg] >> visible=true").all()
    for number in range(max(1, len(segments))):
        if segments:
            segments[number].click()
        found += visitor.page.evaluate(COVERED)
    return found


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("tab", STATES)
def test_every_state_is_usable(visit: Visit, tab: str, *, dark: bool) -> None:
    """What axe finds, rings of focus that cover something or are cut off, and what is wider than the window.

    Axe and the rings in the light at the width of a screen, and in the dark at that of a phone.
    """
    visitor = visit(size=WIDE, dark=dark)
    visitor.open_tab(tab.partition(",")[0])
    found: list[str] = []
    for state, steps in STATES[tab]:
        visitor.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
        for step in steps:
            step(visitor)
        for size in [NARROW] if dark else SIZES:
            visitor.page.set_viewport_size({"width": size[0], "height": size[1]})
            visitor.page.wait_for_timeout(100)  # what depends on the width changes
            errors = ["wider than the window"] * bool(visitor.sideways())
            if dark or size == WIDE:
                errors += axe(visitor.page, FAINT.get(state, "html"))
                rings = errors_of_focus(visitor.page, "body")
                errors += [each for each in rings if not SCROLLED.match(each)]
            if not dark:
                errors += covered(visitor)
            found += [f"{state}, {size[0]} px: {each}" for each in errors]
    assert found == []
