"""The workspace of the page: follows what is typed, never jumps, connects rows of the tree with lines of the texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests import browser
from tests.browser import NARROW, WIDE, Visit
from tests.test_playground_pair import focused, wait_for_message

if TYPE_CHECKING:
    from playwright.sync_api import Route

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

SERVER = "**/component_server/**"  # where the page asks
SLOPPY = [
    ('Sure! Here it is:\n```json\n{"a": "b"}\n```\nAnything else?', "line 1, column 1"),
    ("{'a': 'b',}", "line 1, column 2"),
    ('{"a": "b"', "line 1, column 10"),
]


def test_a_sloppy_prediction_is_read_as_a_file_would_be_and_says_so(visit: Visit) -> None:
    visitor = visit()
    for text, place in SLOPPY:
        visitor.score('{"a": "b"}', text)
        assert visitor.total() == 1, text
        assert f"not JSON ({place}" in visitor["pair-status"].inner_text(), text
        assert "read with repair" in visitor["pair-status"].inner_text(), text
    visitor.row("$.a").click()
    assert visitor["pair-prediction"].locator(".ws-mark").get_attribute("data-lines") == "1-1"
    visitor.paste("pair-prediction", "I cannot read this")
    wait_for_message(visitor, "pair-prediction", "plain text")
    visitor.score('{"a": "b"}', '{"a": "b"}')
    visitor.tree()
    assert visitor["pair-status"].inner_text() == ""


def test_the_score_follows_what_is_typed(visit: Visit) -> None:
    """Without the button; undo brings back the text and its score."""
    visitor = visit()
    visitor.score('{"a": "tea"}', '{"a": "tea"}')
    visitor.tree()
    area = visitor["pair-prediction"].locator("textarea")
    area.evaluate("area => { area.focus(); area.setSelectionRange(9, 9); }")
    visitor.page.keyboard.press("Backspace")
    visitor.page.keyboard.type("z")
    assert visitor["pair-result"].get_attribute("data-stale") == ""
    visitor.has_score("0.6667")
    assert visitor["pair-result"].get_attribute("data-stale") is None
    visitor.page.keyboard.press("ControlOrMeta+z")  # chromium takes keys without a pause as one change
    visitor.has_score("1.0000")
    assert visitor.typed("pair-prediction") == '{"a": "tea"}'


def test_an_example_can_be_undone(visit: Visit) -> None:
    visitor = visit()
    visitor.paste("pair-truth", '{"mine": 1}')
    visitor["pair-example"].select_option("3")
    visitor["pair-truth"].locator("textarea").focus()
    visitor.page.keyboard.press("ControlOrMeta+z")
    assert visitor.typed("pair-truth") == '{"mine": 1}'


def test_an_older_answer_never_replaces_a_newer_one(visit: Visit) -> None:
    """The answer to the first request is held back until after that to the second."""
    visitor = visit()
    held: list[Route] = []
    visitor.page.route(SERVER, lambda route: route.fallback() if held else held.append(route))
    visitor.paste("pair-prediction", '{"first": 1}')
    visitor["pair-status"].get_by_text("Cancel stops it").wait_for()
    visitor.score('"abcd"', '"abce"')
    visitor.has_score("0.7500")
    with visitor.page.expect_response(SERVER) as late:
        held[0].continue_()
    assert late.value.json()["result"] != ""
    visitor.has_score("0.7500")
    assert visitor["pair-stop"].is_disabled()


# Cancel is pressed as soon as it can be: the request may be over before a test sees that.
STOP = """() => {
  const stop = document.getElementById("pair-stop");
  if (stop.disabled) return false;
  stop.click();
  return true;
}"""


def test_a_long_request_is_cancelled(visit: Visit) -> None:
    """Twenty texts of 45,000 characters on each side take longer than the page gives."""
    visitor = visit()
    lists = [
        json.dumps([letter * 20_000 + str(n) + other * 25_000 for n in range(20)]) for letter, other in ("ab", "ca")
    ]
    visitor.score(*lists)
    visitor.page.wait_for_function(STOP)
    visitor["pair-status"].get_by_text("Not scored: stopped.").wait_for()
    assert visitor["pair-result"].get_attribute("data-stale") == ""
    visitor.score("[1]", "[1]")
    assert visitor.total() == 1


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_score_and_tree_stand_in_the_first_screen_and_nothing_jumps(visit: Visit, size: tuple[int, int]) -> None:
    visitor = visit(size=size)
    visitor.page.evaluate(SHIFTS)
    visitor.page.reload()
    visitor.page.locator(".ws[data-ready]").wait_for()
    visitor.page.evaluate(SHIFTS)
    for number in ("8", "2", "5"):
        visitor["pair-result"].locator(".anls-tree").evaluate("tree => { tree.dataset.old = 1; }")
        visitor["pair-example"].select_option(number)
        visitor.tree()
        for part in (".anls-score", ".anls-row[data-path] >> nth=1"):
            box = visitor["pair-result"].locator(part).bounding_box()
            assert box is not None
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= size[1], (number, part)
    visitor.paste("pair-prediction", "{")
    wait_for_message(visitor, "pair-prediction", "line 1")
    assert visitor.page.evaluate("window.shift") < 0.05


# the sum of the layout shifts since the page was loaded that no click or key explains
SHIFTS = """() => {
  if (window.shift !== undefined) return;
  window.shift = 0;
  new PerformanceObserver(list => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) window.shift += each.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""


def test_a_row_selects_its_lines_and_lines_their_row(visit: Visit) -> None:
    """Matched elements have other numbers on the two sides; a one-of leads to the option taken."""
    visitor = visit()
    truth = {"items": [{"n": "Tea"}, {"n": "Cake"}], "c": {"$one_of": ["Euro", "EUR"]}, "gone": "x"}
    guess = {"c": "EUR", "items": [{"n": "Cake"}, {"n": "Tee"}]}
    visitor.score(json.dumps(truth, indent=1), json.dumps(guess, indent=1))
    visitor.tree()
    marks = {side: visitor[f"pair-{side}"].locator(".ws-mark") for side in ("truth", "prediction")}

    def marked() -> list[str | None]:
        return [mark.get_attribute("data-lines") if mark.is_visible() else None for mark in marks.values()]

    visitor.row("$.items[0].n").click()
    assert marked() == ["4-4", "8-8"]
    visitor.row("$.c").click()
    assert marked() == ["13-13", "2-2"]
    visitor.row("$.gone").click()
    assert marked() == ["16-16", None]
    area = visitor["pair-prediction"].locator("textarea")
    area.evaluate("area => area.setSelectionRange(area.value.indexOf('Cake'), area.value.indexOf('Cake'))")
    visitor.page.keyboard.press("Escape")
    assert marked() == [None, None]
    area.focus()
    visitor.page.keyboard.press("ArrowRight")
    assert visitor["pair-result"].locator(".ws-here").get_attribute("data-path") == "$.items[1].n"
    assert marked() == ["7-7", "5-5"]


def test_the_next_loss_is_one_key_away(visit: Visit) -> None:
    visitor = visit()
    truth = {"a": "x", "b": ["y", {"c": "z", "d": "z"}], "e": "same", "f": "w"}
    visitor.score(json.dumps(truth), json.dumps({"b": ["y"], "e": "same", "f": "v"}))
    visitor.tree()
    visitor.row("$").focus()
    found = []
    for key in "nnnnp":
        visitor.page.keyboard.press(key)
        found.append(focused(visitor))
    assert found == ["$.a", "$.b[1]", "$.f", "$.f", "$.b[1]"]


def test_editors_fold_away(visit: Visit) -> None:
    visitor = visit()
    visitor["pair-fold"].click()
    assert not visitor["pair-truth"].is_visible()
    assert visitor["pair-fold"].get_attribute("aria-expanded") == "false"
    visitor["pair-fold"].click()
    assert visitor["pair-truth"].is_visible()


def test_options_that_a_metric_does_not_use_are_hidden(visit: Visit) -> None:
    visitor = visit()
    names = ("threshold", "ignore_case", "numbers", "rules")
    seen = {}
    for metric in ("ANLS*", "KIEval", "nTED"):
        visitor.choose("metric", metric)
        seen[metric] = [name for name in names if visitor[f"pair-{name}"].is_visible()]
    assert seen == {"ANLS*": list(names), "KIEval": ["ignore_case"], "nTED": []}


def test_rows_that_say_the_same_fold_and_remarks_lead_to_their_rows(visit: Visit) -> None:
    """A fold is one stop of the keys; the lines of an editor open it."""
    visitor = visit()
    rows = [{"n": f"{n}{n}"} for n in range(5)]
    truth = {"rows": rows, "vat": "DE811", "no": "0042"}
    visitor.score(json.dumps(truth, indent=1), json.dumps({"rows": [], "vat": "0042", "no": "DE811"}, indent=1))
    tree = visitor.tree()
    fold = tree.locator(".anls-folded")
    assert fold.inner_text().split("\n")[0].strip() == "− 5 missing rows ▸".removesuffix(" ▸")
    assert not visitor.row("$.rows[3]").is_visible()
    visitor.row("$").focus()
    visitor.page.keyboard.press("n")
    assert visitor.page.evaluate("document.activeElement.className").split() == ["anls-row", "anls-folded", "ws-here"]
    visitor.page.keyboard.press("n")
    assert focused(visitor) == "$.vat"
    tree.locator(".anls-remarks a").get_by_text("vat and no are exchanged").click()
    assert focused(visitor) == "$.vat"
    area = visitor["pair-truth"].locator("textarea")
    area.evaluate(
        "area => { area.focus(); area.setSelectionRange(area.value.indexOf('33'), area.value.indexOf('33')); }"
    )
    visitor.page.keyboard.press("ArrowRight")
    assert visitor["pair-result"].locator(".ws-here").get_attribute("data-path") == "$.rows[3].n"
    assert visitor.row("$.rows[3].n").is_visible()
