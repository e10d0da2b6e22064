"""The tab "Compare" in a real browser: who leads and whether it is proven, what was lost where, documents, states."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from docscore import evaluate
from docscore.core.formatting import three_digits, with_sign
from playground.compare.compare import FILES as FILES_OF_RESULT
from tests import browser
from tests.browser import HOSTILE, LOOKS, NARROW, SERVER, WIDE, Visit, Visitor, axe, heard, payload
from tests.commands import PREDICTIONS, RECEIPTS, REFERENCES, TEXTS, pred, ref

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Locator, Route

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

FILES = {"base": PREDICTIONS, "new": RECEIPTS / "predictions_new.jsonl", "text": TEXTS}
ORDER = ["new", "base", "text"]  # best first
TRUTHS = [ref(i, {"k": i * 4, "l": "same"}) for i in "abc"]
BASE = [pred("a", {"k": "aaaa", "l": "same"}), pred("b", {"k": "zzzz", "l": "same"}), pred("c", {"k": "cccx"})]
BETTER = [pred("a", {"k": "aaax", "l": "same"}), pred("b", {"k": "bbbb", "l": "same"}), pred("c", {"k": "cccx"})]
TEXTS_OF = "all => all.map(row => [...row.children].map(cell => cell.textContent.trim()))"


class Comparer(Visitor):
    """A visitor on the tab."""

    def part(self, name: str) -> Locator:
        return self.page.locator(f".cmp-{name}")

    def button(self, name: str) -> Locator:
        return self["compare"].get_by_role("button", name=name, exact=True).locator("visible=true")

    def drop(self, *files: Path | FilePayload) -> None:
        """Give files in place of those given before, and say that they are compared."""
        if self.button("Change").count():
            self.button("Change").click()
            self.button("Choose other files").click()
        given: Any = list(files)
        self["compare"].locator(".drop-input").set_input_files(given)
        self.button("Compare").click()

    def drop_rows(self, **rows: list[Any]) -> None:
        """The same with files of rows by their names."""
        self.drop(*(payload(f"{name}.jsonl", each) for name, each in rows.items()))

    def shown(self) -> str:
        """The verdict of a new result."""
        self["compare"].locator('.cmp[data-state="shown"]').wait_for()
        self["compare"].locator(".cmp-result:not([data-stale])").wait_for()
        return self.part("verdict").inner_text().replace("\n", " ")

    def example(self) -> str:
        self.button("Compare three systems on 40 receipts").click()
        return self.shown()

    def table(self, name: str) -> list[list[str]]:
        return list(self.part(name).locator("[data-row]").evaluate_all(TEXTS_OF))

    def places(self, document: str) -> list[list[str]]:
        """The rows of the document side by side that are seen."""
        self.part("name").get_by_text(document, exact=True).wait_for()
        self.part("side").locator(":scope:not([aria-busy]) table").wait_for()
        return list(self.part("places").locator("tbody tr:not([hidden])").evaluate_all(TEXTS_OF))


def on_the_tab(visit: Visit, address: str = "/#compare", **look: Any) -> Comparer:
    actual = visit(address, **look)
    actual.__class__ = Comparer
    assert isinstance(actual, Comparer)
    return actual


@pytest.fixture
def visitor(visit: Visit) -> Comparer:
    return on_the_tab(visit)


@pytest.mark.ci
def test_the_example_says_what_the_library_and_the_commands_say(visitor: Comparer) -> None:
    assert visitor.example() == "new leads base by 0.057; no difference is proven (p = 0.38)."
    actual = {name: evaluate(references=REFERENCES, predictions=path, parse="repair") for name, path in FILES.items()}
    scores = [three_digits(actual[name].score) for name in ORDER]
    assert visitor.part("forest").locator(".cmp-number").all_inner_texts() == scores
    pairs = visitor.table("pairs")
    changes = {f"{one}–{other}": actual[other].compare(actual[one]) for one, other in combinations(ORDER, 2)}
    differences = [[name, with_sign(change.difference, 3)] for name, change in changes.items()]
    assert [row[:1] + row[2:3] for row in pairs] == differences
    least = min(change.p_value or 0 for change in changes.values())
    assert min(row[3] for row in pairs) == f"p = {3 * least:.2f}"
    documents = visitor.table("documents")
    assert [documents[0][0], *documents[0][2:]] == ["receipt-004", "1.000", "0.000", "0.000"]
    assert len(documents) == 40
    visitor.part("find").fill("-02")
    assert {row[0][:10] for row in visitor.table("documents")} == {"receipt-02"}
    visitor.page.keyboard.press("Escape")
    visitor.part("find").fill("")
    visitor.part("pairs").locator("[data-pair]").last.click()
    assert visitor.part("documents").locator("[role=columnheader]").first.inner_text() == "base over text"
    assert [row[0] for row in visitor.table("documents")][:3] == ["receipt-022", "receipt-033", "receipt-024"]
    visitor.page.locator("summary", has_text="Export").locator("visible=true").click()
    assert visitor.part("export").get_by_role("link").all_inner_texts() == list(FILES_OF_RESULT.values())
    with visitor.page.expect_download() as sent:
        visitor.part("export").get_by_role("link").nth(1).click()
    assert sent.value.suggested_filename == "documents.csv"
    lines = Path(sent.value.path()).read_text(encoding="utf-8").splitlines()
    assert (lines[0], len(lines)) == ("document,new,base,text", 41)


def test_systems_are_sorted_by_what_they_cost(visit: Visit, visitor: Comparer) -> None:
    """The columns that files have, as sums, or a note why there is none; the link keeps the order."""
    base = [{**row, "cost": 0.5, "seconds": 2} for row in BASE]
    better = [{**row, "cost": 1.5, "seconds": 1} for row in BETTER]
    unknown = [{**row, "cost": None if row["question_id"] == "a" else 0.1} for row in BASE]
    visitor.drop_rows(references=TRUTHS, base=base, better=better, unknown=unknown)
    visitor.shown()
    forest = visitor.part("forest")
    assert forest.locator("b").all_inner_texts() == ["better", "base", "unknown"]
    assert forest.locator("button").all_inner_texts() == ["score", "cost", "seconds"]
    assert forest.locator("span.cmp-number").all_inner_texts()[3:] == ["4.5", "1.5", "–", "3", "6", "–"]
    assert "unknown: 1 of 3 predictions have no cost" in visitor.part("notes").inner_text()
    assert visitor.part("verdict").evaluate("each => getComputedStyle(each).outlineStyle") == "none"  # no key was used
    forest.get_by_role("button", name="Sort systems by cost").click()
    visitor.page.wait_for_url("**by=cost*")
    assert forest.locator("b").all_inner_texts() == ["base", "better", "unknown"]
    assert forest.get_by_role("button", name="Sort systems by cost").evaluate("each => each === document.activeElement")
    assert visitor.part("tie").count() == 0  # brackets stand around neighbours by score
    assert axe(visitor.page, "#compare") == []
    other = visit(visitor.page.url.removeprefix(visitor.app.url), size=NARROW)
    other.page.locator(".cmp-forest b").first.get_by_text("base").wait_for()
    assert other.sideways() == 0
    visitor.page.go_back()
    forest.locator("b").first.get_by_text("better").wait_for()


def test_a_document_side_by_side_and_its_link(visit: Visit) -> None:
    """A cell opens the document that lost most, with its rows in view; keys lead on; a link restores what is seen."""
    visitor = on_the_tab(visit)
    visitor.example()
    visitor.part("documents").get_by_role("link", name="receipt-027").click()
    shown = visitor.places("receipt-027")
    heads = visitor.part("places").locator("thead th").all_inner_texts()
    assert heads == ["field", "ground truth", "new 0.440", "base 1.000", "text 1.000"]
    names = {name for role, name in heard(visitor.page) if role in ("cell", "heading")}
    assert "new leads base by 0.057; no difference is proven (p = 0.38)." in names
    assert any(name.startswith("only in the prediction ") for name in names), names
    assert [row[0] for row in shown] == ["items", *["[+]"] * 7]
    assert shown[1][3:] == ["absent", "absent"]
    visitor.page.get_by_label("values on which all agree").check()
    assert len(visitor.places("receipt-027")) > len(shown)
    visitor.part("name").click()
    visitor.part("places").locator("[data-cell]").first.press("j")
    visitor.places("receipt-024")
    visitor.page.go_back()
    visitor.places("receipt-027")
    visitor.button("Close").click()
    visitor.part("side").wait_for(state="hidden")
    visitor.part("causes").locator("[data-row]", has_text="Near miss").locator("[data-open]").first.click()
    marked = visitor.part("places").locator(".here")
    marked.first.wait_for()  # until then the name is that of the document before
    visitor.places(visitor.part("name").inner_text())
    assert all("near miss" in str(row.get_attribute("data-causes")) for row in marked.all())
    visitor.part("find").fill("receipt-0")
    visitor.button("Share").click()
    visitor.page.locator(".told").get_by_text("copied").wait_for()
    link = visitor.copied("")
    other = on_the_tab(visit, link.removeprefix(visitor.app.url))
    other.shown()
    other.places(visitor.part("name").inner_text())
    assert other.part("find").input_value() == "receipt-0"
    assert other.part("verdict").inner_text() == visitor.part("verdict").inner_text()


SILENT: list[Any] = []  # requests that wait until the run is stopped


def cancelled(route: Route) -> None:
    """A run that goes on until it is stopped."""
    name = str(json.loads(route.request.post_data or "")["fn_name"])
    if name == "progress":
        SILENT.append(route)
        return
    route.fulfill(json={"running": True, "share": 0.5, "text": "Scoring"} if name == "compare_files" else {})
    if name == "stop":
        SILENT.pop().fulfill(json={"refused": "stopped", "kind": "stopped"})


UNPAIRED = "r.jsonl and b.jsonl: ids of references that no prediction has (1): 'c'"
REPEATED = "n.jsonl: ids that occur more than once in the predictions (1): 'a'"
STATES: list[tuple[Any, str, str]] = [  # predictions, or how the server fails; what is said; the way on
    ([BASE[:2], BETTER], UNPAIRED, "Score missing predictions 0"),
    ([BASE, [*BETTER, BETTER[0]]], REPEATED, "Leave out invalid rows"),
    (lambda route: route.abort(), "The server does not respond.", "Try again"),
    (cancelled, "Scoring", "Cancel"),
    ([BASE], "Expected from 2 to 8 files of predictions, got 1.", "Keep this result"),
]


def test_what_fails_is_one_sentence_with_a_way_on(visitor: Comparer) -> None:
    """The last good result stays below, marked as old, until there is another, or it is kept."""
    visitor.drop_rows(r=TRUTHS, pred_one=BASE, pred_two=BETTER)
    assert visitor.shown() == "two leads one by 0.125; no difference is proven (p = 1.00)."
    visitor.page.locator("summary", has_text="Options").locator("visible=true").click()
    for number, sentence in (
        (1, "Ours leads one by"),
        (0, "Two systems are called 'Ours'. The previous comparison is shown below."),
    ):
        visitor.part("names").locator("input").nth(number).fill("Ours")
        visitor.page.keyboard.press("Enter")
        visitor["compare"].get_by_text(sentence).wait_for()
    visitor.button("Keep this result").click()
    good = visitor.shown()
    for failure, sentence, act in STATES:
        if callable(failure):
            visitor.page.route(SERVER, failure)
            other = visitor.page.locator(".cmp-options input[name=compare-numbers]:not(:checked)")
            other.evaluate("option => option.click()")
        else:
            visitor.drop_rows(r=TRUTHS, **dict(zip("bn", failure, strict=False)))
        visitor.part("acts").get_by_role("button", name=act).wait_for()
        visitor.part("detail").get_by_text(sentence).wait_for()
        assert visitor.part("result").get_attribute("data-stale") == "", sentence
        assert visitor.part("verdict").inner_text().replace("\n", " ") == good
        if act != "Cancel":
            visitor.page.unroute(SERVER)
        visitor.button(act).click()
        good = visitor.shown()
        visitor.page.unroute(SERVER)
    visitor.errors.clear()  # what the browser says of requests that it could not send


def test_a_schema_is_offered_chosen_and_taken_back(visitor: Comparer) -> None:
    """The scores under the suggested schema are said before it is taken; options that a metric lacks go."""
    amounts = [(f"{number + 1}.200,50 €", f"€{number + 1},200.50") for number in range(4)]
    truths = [ref(str(n), {"sum": sum_, "t": "tea"}) for n, (sum_, _) in enumerate(amounts)]
    same = [pred(str(n), {"sum": sum_, "t": "tee"}) for n, (sum_, _) in enumerate(amounts)]
    other = [pred(str(n), {"sum": sum_, "t": "tea"}) for n, (_, sum_) in enumerate(amounts)]
    visitor.drop_rows(r=truths, same=same, other=other)
    by_text = visitor.shown()
    assert by_text.startswith("same leads other by")
    assert visitor.part("order").inner_text() == "With the suggested schema, the order is other 1.000, same 0.833."
    visitor.button("Compare amounts as money").click()
    visitor.part("verdict").get_by_text("other leads same by 0.167").wait_for()
    assert visitor.part("chips").all_inner_texts() == ["by schema\n×"]
    visitor.part("documents").get_by_role("link").first.click()
    visitor.places("0")
    visitor.part("pair").locator("summary").click()
    visitor.part("pair").get_by_role("button", name="same", exact=True).click()
    visitor.has_score("0.833")
    assert visitor["pair-chips"].locator(".chip").all_text_contents() == ["by schema×"]
    visitor.page.go_back()
    visitor.button("Close").click()
    visitor["compare-schema-file"].set_input_files(payload("s.json", b"{}"))
    visitor.part("verdict").get_by_text("same leads other by").wait_for()
    visitor.page.locator("summary", has_text="Options").locator("visible=true").click()
    visitor["compare"].get_by_text("s.json", exact=True).wait_for()
    visitor.page.locator("input[name=compare-ignore_case][value=false]").evaluate("option => option.click()")
    visitor.part("chips").get_by_text("case counts").wait_for()
    visitor["compare-metric"].select_option("kieval")
    visitor["compare"].get_by_text("KIEval counts entities", exact=False).first.wait_for()
    assert visitor.part("chips").all_inner_texts() == ["KIEval\n×"]
    visitor.page.get_by_label("Undo: KIEval").click()
    visitor.part("verdict").get_by_text(by_text.split(";")[0]).wait_for()
    assert visitor.part("chips").all_inner_texts() == [""]


def test_hostile_ids_keys_and_names_are_text(visitor: Comparer) -> None:
    name = f"a<img src=x onerror={browser.XSS}=1>${{{browser.XSS}=1}}{{{{value}}}}"
    truths = [ref(text, {text: text, "k": "same"}) for text in HOSTILE]
    base, new = ([pred(text, {text: text + more, "k": text}) for text in HOSTILE] for more in ("#", "#!"))
    visitor.drop_rows(**{f"r{name}": truths, f"b{name}": base, f"n{name}": new})
    visitor.shown()
    links = visitor.part("documents").get_by_role("link")
    for number in range(links.count()):
        links.nth(number).click()
        visitor.places(links.nth(number).inner_text())
    assert visitor["compare"].locator("img, script, [onerror], b b").count() == 0
    assert not set(visitor["compare"].text_content() or "") & {"\u202e"}
    assert visitor.sideways() == 0


@pytest.mark.parametrize(("size", "dark"), [*LOOKS, (WIDE, True)], ids=str)
def test_many_systems_and_one_that_fails_are_readable(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """Nothing is wider than the window, and axe finds nothing, with and without a document."""
    visitor = on_the_tab(visit, size=size, dark=dark)
    assert axe(visitor.page, "#compare") == []
    systems: dict[str, Any] = {
        f"a system with a rather long name, number {number}": [
            pred(f"d{i}", {"k": "x" * (10 - (i + number) % 5), "l": "same"}) for i in range(20)
        ]
        for number in range(7)
    }
    systems["broken"] = [pred(f"d{i}", "") for i in range(20)]
    visitor.drop_rows(r=[ref(f"d{i}", {"k": "x" * 10, "l": "same"}) for i in range(20)], **systems)
    assert visitor.shown().startswith("a system with a rather long name")
    assert visitor.part("order").inner_text() == "Predictions of broken are text where an object or a list is expected."
    assert len(visitor.table("pairs")) == 28
    assert visitor.part("forest").locator("b").last.inner_text() == "broken"
    for name in ("gone", "documents"):
        if name == "documents":
            if visitor.page.locator(".segments").last.is_visible():
                visitor.button("Documents").click()
            visitor.part("documents").get_by_role("link").first.click()
            visitor.part("places").wait_for()
            assert visitor.part("verdict").is_visible() == (size == WIDE)
        assert visitor.sideways() == 0
        assert axe(visitor.page, "#compare") == []


def test_by_keyboard_alone(visitor: Comparer) -> None:
    """Each pane is one stop of Tab, arrows move within, Enter opens, Escape comes back to where one was."""
    visitor.button("Compare three systems on 40 receipts").focus()
    visitor.page.keyboard.press("Enter")
    visitor.shown()
    stops = visitor.page.locator('.matrices [data-cell][tabindex="0"]').locator("visible=true")
    assert stops.count() == 3
    visitor.part("first").locator('[data-cell][tabindex="0"]').focus()
    for keys, text in (
        (["ArrowDown", "ArrowRight"], "−0.022"),
        (["End", "ArrowRight"], "+0.022"),
        (["Home", "ArrowLeft"], "−0.042"),
        (["Tab"], "items[].amount"),
        (["Tab", "Tab", "Tab"], "receipt-004"),
        (["ArrowDown", "ArrowDown"], "receipt-027"),
    ):
        for key in keys:
            visitor.page.keyboard.press(key)
        assert visitor.page.evaluate("document.activeElement.textContent") == text, keys
    visitor.page.keyboard.press("Enter")
    visitor.places("receipt-027")
    visitor.page.keyboard.press("ArrowDown")
    assert visitor.page.evaluate("document.activeElement.textContent") == "[+]"
    visitor.page.keyboard.press("Escape")
    visitor.part("side").wait_for(state="hidden")
    assert visitor.page.evaluate("document.activeElement.textContent") == "receipt-027"
