"""Insights at one glance: warnings with their remedies, rows behind a headline, rows with documents."""

from __future__ import annotations

import json
from typing import Any, cast

from tests import browser
from tests.browser import NARROW, Visit, Visitor
from tests.commands import PREDICTIONS, RECEIPTS, REFERENCES
from tests.conftest import PIXEL

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

CONFIDENT = RECEIPTS / "predictions_confident.jsonl"  # scores 0.018 with its confidences, and 0.862 without
ALONE = "Score the values alone"


def pressed(visitor: Visitor, place: str, score: str) -> None:
    """Wait until a warning's button says what it would score, and press it."""
    visitor.page.locator(f"{place} button").get_by_text(score).wait_for()
    visitor.page.locator(place).get_by_role("button", name=ALONE).click()


def test_a_warning_of_a_test_set_is_a_button(visit: Visit) -> None:
    """In the drop box without a figure, then with the score that it leads to; a chip takes it back."""
    visitor = visit(size=NARROW)
    visitor.open_tab("Test set")
    visitor.choose_files(REFERENCES, CONFIDENT)
    assert visitor.page.locator(".wz-doubts button").all_inner_texts() == [ALONE]
    visitor.page.get_by_role("button", name="Score", exact=True).click()
    visitor["testset-score"].get_by_text("0.018").wait_for()
    pressed(visitor, "#testset-remedies", "→ 0.862")
    visitor["testset-score"].get_by_text("0.862").wait_for()
    assert visitor.page.locator("#testset-remedies li").count() == 0
    visitor["testset-more"].click()
    visitor["testset-chips"].get_by_role("button", name="Undo: confidences apart").click()
    visitor["testset-score"].get_by_text("0.018").wait_for()


def test_a_warning_about_a_system_is_a_button(visit: Visit) -> None:
    visitor = visit()
    visitor.open_tab("Compare")
    box = visitor.page.locator("#compare .drop-input")
    box.set_input_files([REFERENCES, PREDICTIONS, CONFIDENT])
    visitor.page.get_by_role("button", name="Compare", exact=True).click()
    visitor.page.locator(".cmp-verdict").get_by_text("predictions leads predictions_confident by 0.786").wait_for()
    pressed(visitor, ".cmp-warnings", "→ predictions_confident 0.862, predictions 0.804")
    visitor.page.locator(".cmp-verdict").get_by_text("predictions_confident leads predictions by 0.057").wait_for()
    visitor.page.locator(".cmp-chips").get_by_role("button", name="Undo: confidences apart").click()
    visitor.page.locator(".cmp-warnings button").get_by_text(ALONE).wait_for()


def test_a_warning_about_a_pair_is_a_button_and_stays_after_a_reload(visit: Visit) -> None:
    visitor = visit()
    visitor.score('{"a": "x", "b": "2"}', json.dumps({"a": {"$value": "x", "$confidence": 0.9}, "b": "3"}))
    before = visitor.page.evaluate("location.hash")
    pressed(visitor, "#pair-tree .remedies", "→ 0.500")
    visitor.has_score("0.500")
    visitor.page.wait_for_function("before => location.hash !== before", arg=before)
    visitor.page.reload()
    visitor.has_score("0.500")
    visitor["pair-chips"].get_by_role("button", name="Undo: confidences apart").click()
    visitor.has_score("0.000")


def test_the_headline_of_a_test_set_leads_to_its_rows(visit: Visit) -> None:
    """The list says which documents have a file, and the first one is open."""
    visitor = visit()
    visitor.open_tab("Test set")
    visitor.choose_files(REFERENCES, CONFIDENT)
    page = {"name": "receipt-009.png", "mimeType": "image/png", "buffer": PIXEL}
    visitor.page.locator("#testset .drop-input").set_input_files([cast("Any", page)])
    visitor.page.get_by_role("button", name="Score", exact=True).click()
    visitor["testset-name"].get_by_text("receipt-009").wait_for()
    visitor["testset-matched"].get_by_text("files for 1 of 40 documents").wait_for()
    marked = visitor.page.locator(".doc", has=visitor.page.get_by_role("img", name="with its document"))
    assert marked.locator("bdi").all_inner_texts() == ["receipt-009"]
    visitor["testset-title"].get_by_role("button", name="Values of the wrong type").click()
    visitor.page.locator("#testset-share .chip").get_by_text("Wrong type").wait_for()
    visitor.page.locator("#testset-tree .hit").first.wait_for()


def test_the_verdict_leads_to_the_rows_that_decide(visit: Visit) -> None:
    """The rows by which the second system is worse; only the chosen row has scores and losses."""
    visitor = visit()
    visitor.open_tab("Compare")
    visitor.page.get_by_role("button", name="Compare three systems").click()
    visitor.page.locator(".cmp-verdict a").click()
    assert visitor.page.locator(".cmp-worse option:checked").inner_text() == "base worse than new"
    shown = visitor.page.locator(".cmp-places tr[data-row]:not([hidden])")
    shown.first.wait_for()
    losses = shown.evaluate_all("rows => rows.map(row => row.dataset.lost.split('|'))")
    assert all(new != base for new, base, *_ in losses)
    figures = visitor.page.locator(".cmp-figure >> visible=true")
    rows = figures.evaluate_all("all => [...new Set(all.map(each => each.closest('tr').rowIndex))]")
    assert len(rows) == 1


def test_keys_of_a_document_are_bound_and_listed(visit: Visit) -> None:
    """They do not need the focus; the list of keys has what is bound in the tab."""
    visitor = visit()
    pane = visitor["pair-beside"]
    assert pane.is_visible()
    visitor.press("d")
    assert not pane.is_visible()
    visitor.open_tab("Compare")
    visitor.page.get_by_role("button", name="Compare three systems").click()
    visitor.page.locator(".cmp-verdict a").click()
    visitor.page.locator(".cmp-places").wait_for()
    visitor.page.evaluate("document.activeElement.blur()")
    visitor.press("d")
    assert visitor.page.locator(".cmp-paper").is_visible()
    visitor.press("?")
    keys = visitor.page.locator("dialog.keys")
    assert keys.locator("h3").all_inner_texts() == ["Everywhere", "Document", "Compare"]
    assert keys.locator("dd", has_text="open or close it").is_visible()
    assert keys.locator("dd", has_text="mark all losses").is_visible()


def test_a_new_pair_begins_empty_and_long_json_is_spread(visit: Visit) -> None:
    """No tree of before, no error before a key is pressed; one step of undo takes a paste back."""
    visitor = visit()
    visitor["pair-own"].click()
    visitor["pair-status"].get_by_text("Paste a ground truth and a prediction").wait_for()
    assert visitor["pair-tree"].inner_text() == ""
    assert visitor["pair-notice"].is_hidden()
    assert visitor.fault("pair-truth").inner_text() == ""
    row = json.dumps({"name": "Tambour Street Bakery", "address": "41 Tambour Street", "total": 35.25})
    visitor.paste("pair-truth", row)
    assert visitor.typed("pair-truth") == json.dumps(json.loads(row), indent=2)
    visitor.page.keyboard.press("ControlOrMeta+z")
    assert visitor.typed("pair-truth") == ""
