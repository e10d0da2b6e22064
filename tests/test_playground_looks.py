"""The looks of the page: contrast and headings of every tab by axe, light, dark and narrow; no empty tables."""

from __future__ import annotations

import pytest

from tests import browser
from tests.browser import NARROW, WIDE, Visit, axe

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

TABS = ("One pair", "A file", "Compare", "API")


@pytest.mark.ci
@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (WIDE, True), (NARROW, False), (NARROW, True)])
def test_every_tab_passes_axe(visit: Visit, size: tuple[int, int], dark: bool) -> None:
    visitor = visit("/?__theme=dark" if dark else "/", size=size, dark=dark)
    found = {}
    for tab in TABS:
        visitor.open_tab(tab)
        visitor.page.get_by_role("tabpanel").first.wait_for()
        found[tab] = axe(visitor.page, "html")
    assert found == {tab: [] for tab in TABS}


@pytest.mark.parametrize("dark", [False, True])
def test_the_main_button_can_be_read_under_the_pointer(visit: Visit, dark: bool) -> None:
    visitor = visit("/?__theme=dark" if dark else "/", dark=dark)
    colour = "button => getComputedStyle(button).backgroundColor"
    before = visitor["pair-score"].evaluate(colour)
    visitor["pair-score"].hover()
    assert visitor["pair-score"].evaluate(colour) != before
    assert axe(visitor.page, "#pair-score") == []


def test_no_table_before_there_is_a_result(visit: Visit) -> None:
    visitor = visit()
    visitor.open_tab("A file")
    assert visitor.page.locator("table:visible").count() == 0
    visitor["file-example"].click()
    visitor.tree("file-summary")
    visitor["file-fields"].get_by_text("items[].amount").first.wait_for()


def test_buttons_are_as_wide_as_their_words(visit: Visit) -> None:
    visitor = visit()
    for tab, button in (("A file", "file-score"), ("Compare", "systems-score")):
        visitor.open_tab(tab)
        box = visitor[button].bounding_box()
        assert box is not None
        assert box["width"] < 160
