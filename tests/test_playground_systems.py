"""The tab "Compare" in a real browser: several systems, their verdicts, the heat map, trees side by side, faults."""

from __future__ import annotations

import asyncio
import csv
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from docscore import score_tree
from docscore.core.formatting import three_digits
from playground import server_functions
from tests import browser
from tests.browser import HOSTILE, LOOKS, Visit, Visitor, axe, download, payload
from tests.commands import PREDICTIONS, RECEIPTS, REFERENCES, TEXTS, pred, ref, rows, run, succeed, written
from tests.conftest import golden

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Locator

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

NEW = RECEIPTS / "predictions_new.jsonl"
FILES = PREDICTIONS, NEW, TEXTS
NAMES = ["predictions", "predictions_new", "predictions_text"]
TRUTHS = [ref(i, {"k": i * 4, "l": "same"}) for i in "abc"]
BASE = [pred("a", {"k": "aaaa", "l": "same"}), pred("b", {"k": "zzzz", "l": "same"}), pred("c", {"k": "cccx"})]
BETTER = [pred("a", {"k": "aaax", "l": "same"}), pred("b", {"k": "bbbb", "l": "same"}), pred("c", {"k": "cccx"})]
RESULT = "#systems-result .sys:not([data-old]), #systems-result .anls-fault:not([data-old])"
OLD = "all => all.forEach(each => each.dataset.old = 1)"


@pytest.fixture
def visitor(visit: Visit) -> Visitor:
    """A visitor on the tab."""
    return on_the_tab(visit())


def on_the_tab(visitor: Visitor) -> Visitor:
    visitor.open_tab("Compare")
    return visitor


def press(visitor: Visitor, button: str = "systems-score") -> str:
    """What is said when the button was pressed; what stood there before is not taken for it."""
    visitor.page.locator(RESULT).evaluate_all(OLD)
    visitor[button].click()
    found = visitor.page.locator(RESULT).first
    found.wait_for()
    return found.inner_text().strip()


def upload(visitor: Visitor, references: Path | FilePayload | None, *predictions: Path | FilePayload) -> None:
    """Give the files, in place of those given before, and wait for the names of the systems."""
    for element, files in (
        ("systems-references", [references] if references else []),
        ("systems-predictions", predictions),
    ):
        if visitor[element].locator(".file-preview").count():
            visitor[element].get_by_role("button", name="Clear").first.click()
            visitor[element].locator(".file-preview").wait_for(state="detached")
        given: Any = list(files)
        if given:
            visitor[element].locator("input[type=file]").set_input_files(given)
            visitor[element].locator(".file-preview").wait_for()
    visitor[f"systems-name-{len(predictions)}"].wait_for()


def table(visitor: Visitor, kind: str) -> list[list[str]]:
    """The rows of a table of the result that are seen, without the heading."""
    found: list[list[str]] = visitor.page.locator(f".sys:not([data-old]) .sys-{kind} tbody tr").evaluate_all(
        "all => all.filter(row => !row.hidden).map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )
    return found


def cell(visitor: Visitor, document: str, system: int) -> Locator:
    return visitor.page.locator(f'.sys tr[data-document="{document}"] button[data-system="{system}"]')


def places(visitor: Visitor) -> list[list[str]]:
    """The rows of the trees side by side that are seen."""
    visitor.page.locator(".sys-places").wait_for()
    found: list[list[str]] = visitor.page.locator(".sys-places tbody:not([hidden]) tr").evaluate_all(
        "all => all.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )
    return found


def opened(visitor: Visitor, document: str, system: int) -> list[list[str]]:
    cell(visitor, document, system).click()
    visitor.page.locator(".sys-opened h2").get_by_text(document, exact=True).wait_for()
    return places(visitor)


@pytest.mark.ci
def test_the_example_says_what_the_command_says(visitor: Visitor) -> None:
    """Means and intervals of `table`, differences of `compare`, p-values adjusted for two comparisons."""
    press(visitor, "systems-example")
    shared = "--references", REFERENCES, "--parse", "repair", "--json"
    systems = json.loads(succeed("table", *FILES, *shared))["systems"]
    lines = visitor.page.locator(".sys-list > li")
    assert lines.locator(".sys-name").all_inner_texts() == NAMES
    assert lines.locator(".sys-mean").all_inner_texts() == [f"{each['anls_star']:.4f}" for each in systems]
    for line, each in zip(lines.all(), systems, strict=True):
        low, high = each["confidence_intervals"]["anls_star"]
        assert f"95% interval {low:.4f} to {high:.4f}" in line.inner_text()
    found = [json.loads(succeed("compare", PREDICTIONS, other, *shared)) for other in (NEW, TEXTS)]
    first, second = sorted(each["p_value"] for each in found)
    adjusted = {first: 2 * first, second: max(2 * first, second)}
    for line, each in zip(lines.all()[1:], found, strict=True):
        better, worse = len(each["better"]), len(each["worse"])
        assert line.locator(".sys-words").inner_text() == (
            f"better on {better} of 40 documents, worse on {worse}; this may be chance, "
            f"p = {adjusted[each['p_value']]:.3f} (adjusted for 2 comparisons)"
        )
        assert line.locator(".sys-difference").inner_text() == f"{each['difference']:+.4f}".replace("-", "−")


def test_fields_and_documents_are_those_of_the_library(visitor: Visitor) -> None:
    """Regressions first; what is the same everywhere is counted; the CSV files hold every row."""
    press(visitor, "systems-example")
    fields = {row[0]: row[1:] for row in table(visitor, "heat")}
    options = "--parse", "repair", "--fields", "--json"
    for number, path in enumerate(FILES):
        found = json.loads(succeed("score", REFERENCES, path, *options))["key_scores"]
        known = {each["field"]: each for each in found}
        assert known.keys() <= fields.keys()
        for name, cells in fields.items():
            if name in known and cells[number] != "–":
                assert cells[number].split()[0] == three_digits(known[name]["score"]), name
    assert fields["date"] == ["0.768", "0.861 +0.093", "0.788 +0.020"]
    documents = table(visitor, "documents")
    assert documents[0] == ["receipt-027", "1.000", "0.440 −0.560", "1.000"]
    assert "20 documents have the same score in all systems." in visitor["systems-result"].inner_text()
    assert len(documents) == 20
    visitor.page.locator(".sys-order").select_option("predictions_text")
    assert [row[0] for row in table(visitor, "documents")[:3]] == ["receipt-022", "receipt-033", "receipt-024"]
    visitor.page.locator(".sys-filter").fill("-02")
    assert {row[0][:10] for row in table(visitor, "documents")} == {"receipt-02"}
    lines = list(csv.reader(download(visitor, "#systems-documents-csv").splitlines()))
    assert lines[0] == ["document", *NAMES]
    assert len(lines) == 41
    assert len(list(csv.reader(download(visitor, "#systems-fields-csv").splitlines()))) == len(fields) + 1
    whole = json.loads(download(visitor, "#systems-systems-json"))
    assert [each["system"] for each in whole["systems"]] == NAMES
    assert len(whole["documents"]) == 40
    assert "\\toprule" in download(visitor, "#systems-systems-tex")
    assert "| predictions&#95;new | **0.8616**" in download(visitor, "#systems-systems-md")


def test_trees_side_by_side_fold_where_they_agree(visitor: Visitor) -> None:
    """A cell opens its system beside the base, a name all systems; keys lead to the next document and back."""
    press(visitor, "systems-example")
    shown = opened(visitor, "receipt-027", 1)
    assert visitor.page.locator(".sys-places thead th").all_inner_texts() == ["place", "ground truth", *NAMES[:2]]
    assert shown[1] == ["7 values agree"]
    assert sum(row[0] == "[+]" for row in shown) == 7
    truths = {row["question_id"]: row["references"][0] for row in rows(REFERENCES)}
    guesses = {row["question_id"]: row["prediction"] for row in rows(NEW)}
    score = score_tree(truths["receipt-027"], guesses["receipt-027"]).score
    assert three_digits(score) in shown[0][3]
    visitor.page.locator(".sys-unfold").check()
    assert len(places(visitor)) > len(shown)
    visitor.page.keyboard.press("j")
    visitor.page.locator(".sys-opened h2").get_by_text("receipt-022", exact=True).wait_for()
    visitor.page.locator(".sys-close").press("k")
    visitor.page.locator(".sys-opened h2").get_by_text("receipt-027", exact=True).wait_for()
    visitor.page.keyboard.press("Escape")
    opened(visitor, "receipt-022", -1)
    assert visitor.page.locator(".sys-places thead th").all_inner_texts() == ["place", "ground truth", *NAMES]


def test_names_and_base_are_chosen(visitor: Visitor) -> None:
    files = payload("one.jsonl", BASE), payload("two.csv.jsonl", BETTER)
    upload(visitor, payload("r.jsonl", TRUTHS), *files)
    assert visitor["systems-name-2"].locator("input").input_value() == "two.csv"
    visitor["systems-name-2"].locator("input").fill("Ours")
    visitor["systems-name-2"].locator("input").press("Tab")
    visitor["systems-base"].get_by_role("combobox").click()
    visitor.page.get_by_role("option", name="Ours").click()
    press(visitor)
    assert visitor.page.locator(".sys-name").all_inner_texts() == ["one", "Ours"]
    words = visitor.page.locator(".sys-words").all_inner_texts()
    assert words == ["better on 1 of 3 documents, worse on 1; this may be chance, p = 1.000"]
    assert "Fields against Ours" in visitor["systems-result"].inner_text()
    changed = visitor["systems-changed"].get_by_text("press Compare")
    assert not changed.is_visible()
    visitor["systems-base"].get_by_role("combobox").click()
    visitor["systems-base"].get_by_role("option", name="one").click()
    changed.wait_for()
    assert "Fields against one" in press(visitor)
    assert opened(visitor, "a", 1)[0][0] == "$"
    assert visitor.page.locator(".sys-places thead th").all_inner_texts() == ["place", "ground truth", "one", "Ours"]
    visitor.page.keyboard.press("Escape")
    assert not changed.is_visible()
    visitor["systems-name-1"].locator("input").fill("Ours")
    changed.wait_for()
    assert visitor["systems-result"].get_attribute("data-stale") == ""
    assert press(visitor) == "two systems are called 'Ours'"
    changed.wait_for(state="hidden")


def test_ids_on_one_side_only_are_the_sentence_of_the_library(visitor: Visitor, tmp_path: Path) -> None:
    references = written(tmp_path, "r.jsonl", TRUTHS)
    for base, new in (
        (BASE[:2], BETTER),
        (BASE, BETTER[1:]),
        (BASE, [*BETTER, pred("z", 1)]),
        (BASE, [*BETTER, BETTER[0]]),
    ):
        files = [written(tmp_path, name, side) for name, side in (("b.jsonl", base), ("n.jsonl", new))]
        upload(visitor, references, *files)
        said = press(visitor)
        command = run("table", *files, "--references", references)
        assert command.code == 2
        expected = command.err.replace(f"{tmp_path}/", "").replace("\n", " ")
        assert said.split("; ")[0] in " ".join(expected.split()), (said, expected)
        assert str(tmp_path) not in said
    visitor["systems-skip"].get_by_role("checkbox").check()
    assert "1 of 3 rows are left out" in press(visitor).replace("0 of 3", "1 of 3")


def test_hostile_ids_keys_names_and_file_names_are_text(visitor: Visitor) -> None:
    name = f"a<img src=x onerror={browser.XSS}=1>${{{browser.XSS}=1}}{{{{value}}}}.jsonl"
    truths = [ref(text, {text: text, "k": "same"}) for text in HOSTILE]
    base, new = ([pred(text, {text: text + more, "k": text}) for text in HOSTILE] for more in ("#", "#!"))
    upload(visitor, payload(f"r{name}", truths), payload(f"b{name}", base), payload(f"n{name}", new))
    visitor["systems-name-1"].locator("input").fill("=1<b>${1+1}{{value}}")
    visitor["systems-name-1"].locator("input").press("Tab")
    assert "=1<b>${1+1}{{value}}" in press(visitor)
    count = visitor.page.locator(".sys-documents tbody tr").count()
    assert count >= 5
    for number in range(count):
        row = visitor.page.locator(".sys-documents tbody tr").nth(number)
        shown = row.get_attribute("data-document") or ""
        row.locator("button").last.click()
        visitor.page.locator(".sys-opened h2").get_by_text(shown[:40]).wait_for()
        visitor.page.keyboard.press("Escape")
    assert visitor["systems-result"].locator("img, script, [onerror], b b").count() == 0
    assert not set(visitor["systems-result"].text_content() or "") & {"\u202e"}
    heads = next(csv.reader(download(visitor, "#systems-fields-csv").splitlines()))
    assert heads[1] == "'=1<b>${1+1}{{value}}"
    assert visitor.sideways() == 0


@golden("systems", "no questions")
def test_a_request_for_a_document_is_checked(asked: Any) -> None:
    """It comes from a stranger; nobody finds the documents of another without the name of the result."""
    with ThreadPoolExecutor(1) as pool:  # Playwright may hold the event loop of this thread
        answer = pool.submit(lambda: asyncio.run(server_functions.open_document(asked))).result()
    assert list(answer) == ["refused", "kind"]


def focus_text(visitor: Visitor) -> str:
    return str(
        visitor.page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.innerText")
    )


def walk_to(visitor: Visitor, text: str) -> None:
    """Press Tab until something with that text has the focus."""
    for _ in range(150):
        if text in focus_text(visitor):
            return
        visitor.page.keyboard.press("Tab")
    pytest.fail(f"no way to {text!r} by the keyboard")


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=str)
def test_three_systems_by_keyboard_alone(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """Nothing is wider than the window, and axe finds nothing in what we draw."""
    visitor = on_the_tab(visit(size=size, dark=dark))
    assert visitor.sideways() == 0
    press(visitor)
    assert axe(visitor.page, "#systems-result") == []
    visitor["systems-references"].locator("button").first.focus()
    walk_to(visitor, "Use the example receipts")
    visitor.page.keyboard.press("Enter")
    visitor.page.locator(".sys").wait_for()
    assert visitor.sideways() == 0
    assert axe(visitor.page, "#systems-result") == []
    walk_to(visitor, "receipt-027: 0.440 −0.560 in predictions_new")
    visitor.page.keyboard.press("Enter")
    assert places(visitor)[1] == ["7 values agree"]
    assert axe(visitor.page, ".sys-dialog") == []
    walk_to(visitor, "7 values agree")
    visitor.page.keyboard.press("Enter")
    assert visitor.page.locator(".sys-same:not([hidden])").count() == 1
    visitor.page.keyboard.press("Escape")
    assert "receipt-027: 0.440" in focus_text(visitor), "back where one came from"
    assert visitor.sideways() == 0
