"""Links that carry a pair: they open the same view elsewhere; one that is no pair is refused with a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests import browser
from tests.browser import MILLISECONDS, Visit, packed

playground, chromium, visit = browser.playground, browser.chromium, browser.visit


def test_a_link_brings_the_pair_to_another_browser(visit: Visit) -> None:
    """All in the hash, which no server sees; and what was typed and not yet scored is in it too."""
    visitor = visit()
    visitor["pair-ignore_case"].uncheck()
    visitor["pair-threshold"].fill("0.1")
    visitor.paste("pair-truth", '"ABcde ü €"')
    visitor.paste("pair-prediction", '"abcde ü €"')
    visitor["pair-link"].click()
    visitor.page.wait_for_url("**/#pair=*", timeout=MILLISECONDS)
    link = visitor.page.url
    assert visitor.copied('"abcde ü €"') == link
    assert "?" not in link
    other = visit(link.removeprefix(visitor.app.url))
    other.page.wait_for_function("document.querySelector('#pair-result .anls-score')?.textContent.startsWith('0.77')")
    assert (other.typed("pair-truth"), other.typed("pair-prediction")) == ('"ABcde ü €"', '"abcde ü €"')
    assert not other["pair-ignore_case"].is_checked()
    assert other["pair-threshold"].input_value() == "0.1"
    assert other["pair-result"].locator(".anls-tree").count() == 1


PAIR: list[Any] = ['"a"', '"b"', 0.5, True, "repair", "ANLS*", "paper", "text"]
STRANGE_LINKS = {
    "AAAA": "it is damaged",
    "%00": "it is damaged",
    "q1ZKVLJSMFKyMqrVUUqBsmMBnope": "it is damaged",
    "": "it is damaged",
    packed({"a": 1}): "it does not hold a pair",
    packed(PAIR[:4]): "it does not hold a pair",
    packed([*PAIR, 1]): "it does not hold a pair",
    packed([{"a": 1}, *PAIR[1:]]): "its truth is not what this page takes",
    packed([PAIR[0], None, *PAIR[2:]]): "its prediction is not what this page takes",
    packed(["x" * 1_000_001, *PAIR[1:]]): "its truth is not what this page takes",
    packed([*PAIR[:2], "0.5", *PAIR[3:]]): "its threshold is not what this page takes",
    packed([*PAIR[:2], 7, *PAIR[3:]]): "its threshold is not what this page takes",
    packed([*PAIR[:3], 1, *PAIR[4:]]): "its ignore case is not what this page takes",
    packed([*PAIR[:4], "guess", *PAIR[5:]]): "its reading is not what this page takes",
    packed([*PAIR[:5], "<img src=x onerror=alert(1)>", *PAIR[6:]]): "its metric is not what this page takes",
    packed([*PAIR[:6], ["paper"], PAIR[7]]): "its rules is not what this page takes",
    packed([*PAIR[:7], "__proto__"]): "its numbers is not what this page takes",
    packed("x" * 40_000_000): "it holds more text than this page takes",
}


@pytest.mark.parametrize(("link", "refusal"), STRANGE_LINKS.items(), ids=lambda text: text[:40])
def test_a_link_that_is_no_pair_is_refused_with_a_sentence(visit: Visit, link: str, refusal: str) -> None:
    """Before anything of it reaches the page, which works as ever."""
    visitor = visit("/" + (link if link.startswith("#") else f"#pair={link}"))
    assert visitor["pair-status"].inner_text() == f"This link was not opened: {refusal}."
    assert visitor.total() == pytest.approx(0.6481)
    visitor.score('"a"', '"a"')
    assert visitor.total() == 1


def test_a_link_works_from_inside_a_frame(visit: Visit) -> None:
    """As on a Space, whose page shows this one in a frame: the link is that of the framed page, and it says so."""
    visitor = visit()
    visitor.page.evaluate(
        "url => { document.body.innerHTML = `<iframe src='${url}' allow='clipboard-write' width=1200 height=800>`; }",
        visitor.app.url,
    )
    frame = visitor.page.frame_locator("iframe")
    frame.locator(".ws[data-ready]").wait_for()
    frame.locator("#pair-truth textarea").fill('"abcd"')
    frame.locator("#pair-prediction textarea").fill('"abce"')
    visitor.copy("old")
    frame.locator("#pair-link").click()
    frame.get_by_text("It opens this page outside of the frame.").wait_for()
    frame.locator("#pair-result").get_by_text("0.7500").first.wait_for()
    assert "outside of the frame" in frame.locator("#pair-status").inner_text()  # the score does not take its place
    link = visitor.copied("old")
    other = visit(link.removeprefix(visitor.app.url))
    other.has_score("0.7500")
