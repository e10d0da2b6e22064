"""The looks of the page: contrast and headings by axe, ours and the theme's, on every tab, light and dark."""

from __future__ import annotations

import pytest

from tests import browser
from tests.browser import WIDE, Visit, axe

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

TABS = ("One pair", "A file", "Compare", "API")


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (WIDE, True)])
def test_every_tab_passes_axe(visit: Visit, size: tuple[int, int], dark: bool) -> None:
    visitor = visit("/?__theme=dark" if dark else "/", size=size, dark=dark)
    found = {}
    for tab in TABS:
        visitor.open_tab(tab)
        visitor.page.get_by_role("tabpanel").first.wait_for()
        found[tab] = axe(visitor.page, "html")
    assert found == {tab: [] for tab in TABS}
