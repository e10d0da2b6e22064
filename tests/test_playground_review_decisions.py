"""Decisions of a review on the page: groups, rows, what is refused, a second reader, what the downloads will hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from docscore_review.verdicts import Review

from playground.server.requests import NOTES
from tests import browser
from tests.browser import LOOKS, NARROW, Visit, axe, payload
from tests.commands import pred, ref
from tests.conftest import ROOT
from tests.test_playground_review import SYSTEMS, TRUTHS, Reviewer, Rows, on_the_tab

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

INVOICES = ROOT / "examples" / "invoices"
IN_VIEW = """parts => parts.filter(part => part.checkVisibility()).every(part => {
  const { top, bottom, left, right } = part.getBoundingClientRect();
  const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return top >= 0 && bottom <= innerHeight && part.contains(at);
})"""
FILES = ("references.jsonl", "fern.jsonl", "quill.jsonl")
TABLES = 3  # documents of the test set below
LINES = 6


def tables() -> dict[str, Rows]:
    """Documents in which two systems leave the spaces out of each line, add a row, and read another total."""
    names = [f"d{number}" for number in range(TABLES)]
    lines = {name: [{"item": f"{name} - {at}", "qty": at} for at in range(LINES)] for name in names}
    truths = {name: {"lines": lines[name], "total": f"{name} 10"} for name in names}
    freight = {"item": "freight", "qty": 1}
    answers = {
        name: {
            "lines": [*({**line, "item": str(line["item"]).replace(" ", "")} for line in lines[name]), freight],
            "total": f"{name} 20",
        }
        for name in names
    }
    references = [ref(name, truths[name]) for name in names]
    return {"references": references} | {side: [pred(*each) for each in answers.items()] for side in ("one", "two")}


def contradicting() -> dict[str, Rows]:
    """A document in which two systems replace an object, and two others a part of it."""
    whole, part = [pred("x", {"a": "tea"})], [pred("x", {"a": {"b": "tee", "c": 1}})]
    truths = [ref("x", {"a": {"b": "tea", "c": 1}})]
    return {"references": truths, "one": whole, "two": whole, "three": part, "four": part}


def row(visitor: Reviewer, document: str, name: str) -> Any:
    """A row of the list by its document and place."""
    found = visitor.page.locator(".rv-it").filter(has_text=re.compile(rf"{document}( ·|$)"))
    return found.filter(has=visitor.page.locator(".mono", has_text=name)).first


def test_one_key_decides_a_group_of_a_document(visit: Visit, tmp_path: Path) -> None:
    """The list has it as one place; `worklist.test.js` has what is decided otherwise."""
    visitor = on_the_tab(visit)
    visitor.give(**tables())
    assert visitor.text("of") == f"of {3 * TABLES} decisions"
    assert set(visitor.page.locator(".rv-more").all_inner_texts()) == {f"and {LINES - 1} more like it"}
    row(visitor, "d0", "lines[0].item").click()
    reach = ["Only this", f"{LINES} in this document", f"All {3 * LINES}"]
    assert visitor.reach() == (reach, reach[1])
    visitor.page.locator(".rv-reach button").first.press("Enter")
    assert visitor.page.evaluate("document.activeElement.textContent") == visitor.reach()[1] == reach[0]
    visitor.press("g2")
    assert (visitor.decided(), visitor.text("toast-text")) == (1, f"{LINES} values: prediction is right.")
    visitor.page.reload()
    visitor.shown()
    assert visitor.decided() == 1
    lines = Review.read(visitor.export("verdicts", tmp_path)).lines
    assert [(line.verdict, line.scope) for line in lines if line.verdict] == [("prediction", "group")]
    corrected = visitor.export("references", tmp_path).read_text(encoding="utf-8").splitlines()
    first = json.loads(corrected[0])["references"][0]["lines"]
    assert [line["item"] for line in first] == [f"d0-{at}" for at in range(LINES)]


def test_a_row_can_be_optional_or_typed(visit: Visit, tmp_path: Path) -> None:
    rows = tables()
    visitor = on_the_tab(visit)
    visitor.give(**rows)
    row(visitor, "d0", "lines[+]").click()
    assert visitor.page.locator(".rv-choice:visible b").all_inner_texts()[2:4] == ["Optional", "Neither…"]
    visitor.press("3")
    row(visitor, "d1", "lines[+]").click()
    visitor.press("4")
    typed = visitor.page.locator(".rv-neither textarea")
    assert json.loads(typed.input_value()) == {"item": "freight", "qty": 1}
    typed.fill('{"item": "freight"')
    visitor.page.keyboard.press("Enter")
    assert typed.evaluate("field => field.validationMessage").startswith("This is not JSON: ")
    typed.fill('{"item": "freight", "qty": 2}')
    visitor.page.keyboard.press("Enter")
    assert visitor.decided() == 2
    corrected = visitor.export("references", tmp_path)
    answers = [json.loads(line)["references"] for line in corrected.read_text(encoding="utf-8").splitlines()]
    assert [len(answer["lines"]) for answer in answers[0]] == [LINES, LINES + 1]
    assert answers[1][0]["lines"][-1] == {"item": "freight", "qty": 2}
    assert len(answers[2]) == 1


@pytest.mark.parametrize(("size", "dark"), [*LOOKS, ((1440, 900), True)])
def test_what_would_be_refused_is_said_at_once(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """In the words of the command, above the place that is shown, at its own place, and before a download."""
    visitor = on_the_tab(visit, size=size, dark=dark)
    visitor.give(**contradicting())
    visitor.press("22")
    visitor.page.locator(".rv-files", has_text="1 verdict is refused; so nothing is written.").wait_for()
    visitor.page.locator(".rv-notice", has_text="1 verdict cannot be applied.").wait_for()
    error = "another verdict replaces or removes the object or list that contains this place"
    assert visitor.text("detail") == f"x, a.b: {error}."
    visitor.page.locator(".rv-notice").get_by_role("button", name="Show it").click()
    assert visitor.text("path") == "a.b"
    assert visitor.text("fault") == f"Cannot be applied: {error}."
    assert (axe(visitor.page, "#review"), visitor.sideways()) == ([], 0)
    if size == NARROW:
        visitor.page.get_by_role("button", name="Files, options, export").click()
    else:
        assert visitor.page.locator(".rv-it .refused").get_attribute("aria-label") == "cannot be applied"
    visitor.page.locator(".rv-export summary").click()
    visitor.page.locator(".rv-effects", has_text="1 verdict is refused").wait_for()
    assert visitor.page.locator('.rv-export [data-do="references"]').is_disabled()
    assert axe(visitor.page, "#review") == []
    visitor.page.locator(".rv-effects").get_by_role("button", name=f"x, a.b: {error}").click()
    visitor.press("1")
    visitor.page.locator(".rv-notice").wait_for(state="hidden")
    assert visitor.page.locator(".rv-it .refused").count() == 0


@pytest.mark.parametrize(("size", "dark"), LOOKS)
def test_a_second_reader(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """The sentences are those of the command; the places that differ are a list, which one decides once more."""
    visitor = on_the_tab(visit, size=size, dark=dark)
    visitor.give_files(TRUTHS, *SYSTEMS.values(), NOTES / "decided.jsonl", verdicts="decided.jsonl")
    visitor.shown()
    agreement = Review.read(NOTES / "decided.jsonl").agreement(Review.read(NOTES / "second_reader.jsonl"))
    visitor.page.locator(".rv-reader").set_input_files(NOTES / "second_reader.jsonl")
    notice = visitor.page.locator(".rv-notice", has_text="Cohen's kappa")
    notice.wait_for()
    assert f"{visitor.text('notice-title')} {visitor.text('detail')}" == str(agreement)
    assert axe(visitor.page, "#review") == []
    notice.get_by_role("button", name=f"Look at the {len(agreement.differing)} places").click()
    assert visitor.text("of") == f"of {len(agreement.differing)} decisions"
    assert visitor.text("count") == "0"
    assert re.match(r"Here: .*\. Second reader: .*\.$", visitor.text("both"))
    assert (axe(visitor.page, "#review"), visitor.sideways()) == ([], 0)
    visitor.press("1")
    assert visitor.decided() == 1


def test_a_file_that_is_dropped_on_verdicts_is_asked_about(visit: Visit) -> None:
    """It is taken over where places are open, or compared."""
    visitor = on_the_tab(visit)
    visitor.example()
    visitor.press("1")
    given = visitor.page.locator(".review-document input[type=file]")
    given.set_input_files([NOTES / "decided.jsonl"])
    notice = visitor.page.locator(".rv-notice", has_text="decided.jsonl holds verdicts.")
    notice.get_by_role("button", name="Compare them with mine").click()
    visitor.page.locator(".rv-notice-title", has_text="0 of 2 places have the same verdict.").wait_for()
    given.set_input_files([NOTES / "decided.jsonl"])
    notice.get_by_role("button", name="Take them over at open places").click()
    title = visitor.page.locator(".rv-notice-title", has_text="carried over")
    title.wait_for()
    assert title.inner_text() == "59 of 59 verdicts carried over. 2 places were decided here already."
    assert visitor.decided() == 15


def test_what_the_schema_says_of_a_field_stands_at_its_places(visit: Visit) -> None:
    visitor = on_the_tab(visit)
    total = {"type": "string", "title": "Total", "description": "With <b>tax</b>."}
    schema = {"properties": {"total": total}}
    visitor["review-schema-file"].set_input_files(payload("s.json", json.dumps(schema).encode()))
    visitor.give(**tables())
    row(visitor, "d0", "total").click()
    assert visitor.text("about") == "Total: With <b>tax</b>."
    assert axe(visitor.page, "#review") == []


def test_the_words_of_a_pdf_are_evidence(visit: Visit) -> None:
    """They are looked up, though the review was made without a text."""
    visitor = on_the_tab(visit)
    pdf: Any = {"name": "invoice-02.pdf", "mimeType": "application/pdf"}
    pdf["buffer"] = (INVOICES / "documents" / "invoice-02.pdf").read_bytes()
    visitor.give_files(*(payload(name, (INVOICES / name).read_bytes()) for name in FILES), pdf)
    visitor.page.locator(".rv-lists summary").click()
    visitor.page.locator(".rv-lists").get_by_role("button", name="Everything that is not exact").click()
    row(visitor, "invoice-02", "total").click()
    visitor.page.locator(".rv-evidence", has_text="was found in the document’s text").wait_for()


@pytest.mark.parametrize(("size", "dark"), [(NARROW, True), ((720, 450), False)])
def test_values_and_choices_are_on_one_screen(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """On a phone, and in a window of 1440 by 900 at 200 %."""
    visitor = on_the_tab(visit, size=size, dark=dark)
    visitor.give(**tables())
    seen = set()
    for _ in range(3 * TABLES):
        name = visitor.text("path")
        for part in (".rv-value", ".rv-choice", ".rv-reach button"):
            assert visitor.page.locator(part).evaluate_all(IN_VIEW), (name, part)
        if name not in seen:
            assert (axe(visitor.page, "#review"), visitor.sideways()) == ([], 0)
        seen.add(name)
        visitor.press("j")
    assert seen == {"lines[0].item", "lines[+]", "total"}
