"""The tab "Test set" in a real browser: files, the result in its panes, links, keys, remedies, errors."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

import pytest

import docscore
from tests import browser
from tests.browser import HOSTILE, LOOKS, NARROW, SERVER, WIDE, Visit, Visitor, axe, heard, payload
from tests.commands import PREDICTIONS, REFERENCES, pred, ref, succeed
from tests.conftest import PIXEL, golden

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Locator, Page, Route

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

CELLS = "all => all.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
SEEN = """() => {
  const text = part => document.querySelector(part)?.innerText, all = part => [...document.querySelectorAll(part)];
  return {
    count: text("#testset-count"), title: text("#testset-name"), score: text("#testset-score"),
    rows: all(".doc bdi").slice(0, 5).map(each => each.innerText), find: document.querySelector("#testset-find").value,
    hits: all(".hit").map(each => each.dataset.path), here: document.querySelector("#testset .here")?.dataset.path,
    pressed: all(".facet[aria-pressed=true]").map(each => each.dataset.name),
    range: all(".histogram .handle").map(each => each.getAttribute("aria-valuetext")),
  };
}"""


def opened(visit: Visit, size: tuple[int, int] = WIDE, *, dark: bool = False) -> Visitor:
    visitor = visit(size=size, dark=dark)
    visitor.open_tab("Test set")
    visitor.page.locator(".testset[data-loaded]").wait_for()
    return visitor


def come(visit: Visit, size: tuple[int, int] = WIDE, *, dark: bool = False, files: Any = None) -> Visitor:
    """A visitor who scored files, or the example."""
    visitor = opened(visit, size, dark=dark)
    if files is None:
        visitor.page.get_by_role("button", name="Try 40 receipts").click()
    else:
        visitor.choose_files(*files)
        visitor.page.get_by_role("button", name="Score", exact=True).click()
    ready(visitor)
    return visitor


def open_options(visitor: Visitor) -> None:
    """Open the options with those behind "More"."""
    parts = "pop => [pop, ...pop.querySelectorAll('details')].forEach(part => { part.open = true; })"
    visitor["testset-options"].evaluate(parts)


def ready(visitor: Visitor) -> None:
    visitor.page.locator(".testset[data-ready]:not([data-stale], [aria-busy])").wait_for()


def scored(visitor: Visitor, score: float) -> None:
    """Wait for a score, of a result that is not old."""
    shown = visitor.page.locator(".testset:not([data-stale]) #testset-score")
    shown.get_by_text(f"{score:.3f}", exact=True).wait_for()


def title(page: Page, name: str) -> None:
    """Wait until the tree of a document is drawn: until then the pane is marked as stale."""
    shown = page.locator("#testset-document:not([data-stale]) #testset-name")
    shown.get_by_text(name, exact=True).wait_for()


def count(visitor: Visitor, text: str) -> None:
    """Wait until so many documents are listed."""
    visitor.page.locator(".testset:not([aria-busy]) #testset-count").get_by_text(text, exact=True).wait_for()


def texts(visitor: Visitor, selector: str) -> list[str]:
    return visitor.page.locator(selector).all_inner_texts()


def facet(visitor: Visitor, name: str, listed: str) -> None:
    """Press a cause or a field, and wait until so many documents are listed."""
    visitor.page.locator(f'.facet[data-name="{name}"]').click()
    count(visitor, listed)


def open_document(visitor: Visitor, number: int, name: str) -> None:
    """Press a document of the list, and wait for its tree."""
    visitor.page.locator(".doc").nth(number).click()
    title(visitor.page, name)


def exported(visitor: Visitor, button: str) -> str:
    """The text of the file that a line of the menu gives."""
    visitor["testset-export"].locator("summary").click()
    with visitor.page.expect_download() as actual:
        visitor["testset-export"].locator(button).click()
    return Path(actual.value.path()).read_text(encoding="utf-8")


def closed(visitor: Visitor, popover: str) -> bool:
    """Whether a popover is closed, and the focus is on its button."""
    return bool(visitor[popover].evaluate("pop => !pop.open && document.activeElement.parentElement === pop"))


@pytest.mark.ci
def test_the_example_scores_as_the_command_does(visit: Visit) -> None:
    """In its headline and documents, and in what can be downloaded; test_document_list.py has the causes and fields."""
    printed = json.loads(succeed("score", REFERENCES, PREDICTIONS, "--json", "--rows", "--fields"))
    visitor = come(visit)
    scored(visitor, printed["anls_score"])
    visitor["testset-paired"].get_by_text("40 paired by question_id").wait_for()
    worst = {sample["question_id"]: sample["anls_score"] for sample in printed["per_sample"]}
    shown = dict(zip(texts(visitor, ".doc bdi"), map(float, texts(visitor, ".doc > .num:nth-child(3)")), strict=True))
    assert list(shown.values()) == sorted(shown.values())
    assert shown == {name: pytest.approx(worst[name], abs=5e-4) for name in shown}
    said = heard(visitor.page)
    name, score = next(iter(shown.items()))
    assert ("option", f"{name} {score:.3f} missing field −{1 - score:.3f}") in said
    assert ("StaticText", f"ANLS* {printed['anls_score']:.3f}.") in said
    ids = visitor.page.locator("[id]").evaluate_all("all => all.map(each => each.id)")
    assert len(ids) == len(set(ids))
    visitor["testset-export"].locator("summary").click()
    links = texts(visitor, "#testset-export a")
    assert links == ["Scores as CSV", "Everything as JSON", "Report as HTML", "Fields as CSV", "Causes as CSV"]
    assert closed(visitor, "testset-export") is False
    visitor.page.keyboard.press("Escape")
    assert closed(visitor, "testset-export")
    table = csv.DictReader(exported(visitor, "a >> nth=0").splitlines())
    assert {row["question_id"]: float(row["anls_score"]) for row in table} == worst
    assert closed(visitor, "testset-export")
    visitor["testset-figures"].click()
    assert printed["signature"] in visitor["testset-figures-shown"].inner_text()
    assert len(texts(visitor, "#testset-rates li")) == len(printed["rates"])


TRUTHS = [{"total": "12.50", "items": [{"n": "Tea"}]}, {"total": "3.00", "items": []}, {"total": "7", "items": []}]
GUESSES = [{"total": "12.50", "items": [{"n": "Tee"}]}, {"total": "3", "items": []}, {"total": "7", "items": []}]
RIGHT = docscore.evaluate(predictions=GUESSES, references=TRUTHS).score


def table(name: str, header: list[str], cells: list[list[str]], sign: str = ",") -> FilePayload:
    """A CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=sign).writerows([header, *cells])
    return payload(name, text.getvalue().encode())


def sides(truths: Any, guesses: Any, name: str = "") -> tuple[FilePayload, FilePayload]:
    """The two files of a test set."""
    return payload(f"{name}r.jsonl", truths), payload(f"{name}p.jsonl", guesses)


def fenced(value: Any) -> str:
    return f"Here it is:\n```json\n{json.dumps(value, indent=1)}\n```"


GOLD = table("gold.csv", ["Beleg", "GroundTruth"], [[f"b{n}", json.dumps(t)] for n, t in enumerate(TRUTHS)], ";")
ANSWERS = table("run 1.csv", ["doc", "secs", "answer"], [[f"b{n}", "2", fenced(GUESSES[n])] for n in (2, 0, 1)], ";")
PLAIN = [payload(f"{name}.jsonl", rows) for name, rows in (("a", GUESSES), ("b", TRUTHS))]


def slots(visitor: Visitor) -> list[str]:
    """The files of the drop box with what each is."""
    return [" ".join(text.split("\n")[:2]) for text in texts(visitor, "#testset .slot")]


def reading(visitor: Visitor, field: str) -> Locator:
    """A choice of how the files are read."""
    return visitor["testset"].locator(f'[data-choice="{field}"]')


def read_as(visitor: Visitor, field: str, value: Any) -> None:
    reading(visitor, field).select_option(json.dumps(value))
    visitor.page.locator("#testset .drop:not([aria-busy])").wait_for()


@pytest.mark.parametrize(("size", "dark"), [LOOKS[0], pytest.param(*LOOKS[1], marks=pytest.mark.ci)], ids=str)
def test_a_foreign_table_gets_the_right_score(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """Semicolons, other names, another order, and JSON between fences: which is which is found, nothing is chosen."""
    visitor = opened(visit, size, dark=dark)
    assert axe(visitor.page, "#testset") == []
    visitor.choose_files(ANSWERS)
    visitor.page.locator(".wz-doubts").get_by_text("This is one file").wait_for()
    visitor.choose_files(GOLD)
    assert slots(visitor) == ["ground truth gold.csv", "predictions run 1.csv"]
    visitor.page.locator(".wz-details > summary").evaluate("summary => { summary.parentElement.open = true; }")
    fields = ("references_id", "predictions_id", "references", "prediction", "parse", "parse_references", "missing")
    assert [json.loads(reading(visitor, name).input_value()) for name in fields] == [
        "Beleg", "doc", "GroundTruth", "answer", "repair", "json", "error",
    ]  # fmt: skip
    assert reading(visitor, "predictions_delimiter").locator("option:checked").inner_text() == "semicolon (detected)"
    assert visitor.page.locator(".wz-rows tbody tr").count() == 6
    assert axe(visitor.page, "#testset") == []
    reading(visitor, "prediction").focus()
    visitor.page.keyboard.press("ArrowUp")
    visitor.page.locator(".wz-doubts").get_by_text("column 'secs'").wait_for()
    assert visitor.page.evaluate("document.activeElement.dataset.choice") == "prediction"
    read_as(visitor, "prediction", "answer")
    visitor.page.get_by_role("button", name="Score", exact=True).click()
    scored(visitor, RIGHT)
    assert visitor.sideways() == 0


def test_files_that_do_not_say_what_they_are(visit: Visit) -> None:
    """It is asked which is the ground truth; they can be swapped.

    Options chosen beside files are for the next score: who returns to the result finds its own options.
    """
    visitor = opened(visit)
    visitor.choose_files(*PLAIN)
    visitor.page.get_by_text("Which file is the ground truth?").wait_for()
    visitor.page.get_by_role("button", name="Use as ground truth").nth(0).click()
    swap = visitor.page.get_by_role("button", name="Swap")
    swap.wait_for()
    assert slots(visitor) == ["ground truth a.jsonl", "predictions b.jsonl"]
    swap.click()
    visitor.page.locator("#testset .slot").nth(0).get_by_text("b.jsonl").wait_for()
    visitor.page.get_by_role("button", name="Score", exact=True).click()
    scored(visitor, RIGHT)
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.post_data or ""))
    visitor["testset-change"].click()
    visitor.page.locator("#testset .drop[data-state=chosen]:not([aria-busy])").wait_for()  # the focus closes options
    open_options(visitor)
    visitor["testset-skip"].check()
    visitor.page.wait_for_timeout(600)  # twice what the page waits for further changes
    assert not any("score_files" in body for body in asked)
    visitor.page.keyboard.press("Escape")
    visitor.page.get_by_role("button", name="Back to the result").click()
    assert not visitor["testset-skip"].is_checked()
    assert visitor.page.locator(".chip").count() == 0
    scored(visitor, RIGHT)


def type_in(visitor: Visitor, field: str, text: str) -> None:
    reading(visitor, field).fill(text)
    reading(visitor, field).press("Enter")
    visitor.page.locator("#testset .drop:not([aria-busy])").wait_for()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=str)
def test_rows_under_a_key_are_read_by_a_query(visit: Visit, size: tuple[int, int]) -> None:
    """A button has it, the first rows are shown as it selects them, and one that selects nothing can be typed again."""
    rows = [[{"id": name, "n": text} for name, text in zip("abc", each, strict=True)] for each in ("xyz", "xyq")]
    contents = {"truths.json": {"results": rows[0]}, "predictions.json": {"mean": 1, "results": rows[1][::-1]}}
    visitor = opened(visit, size)
    visitor.choose_files(*(payload(name, json.dumps(content).encode()) for name, content in contents.items()))
    warnings = visitor.page.locator(".wz-doubts")
    for name, side in (("truths.json", "references"), ("predictions.json", "predictions")):
        warnings.get_by_text(f"{name} is read as one document; it may hold rows at results[].").wait_for()
        visitor.page.locator(f'[data-allow="{side}_query"]').click()
        warnings.get_by_text(f"{name} is read as one document").wait_for(state="detached")
    warnings.get_by_text("id has the same values on both sides in a different order.").wait_for()
    visitor.page.get_by_role("button", name="Pair by id").click()
    visitor.page.locator(".wz-details > summary").get_by_text("paired by id").wait_for()
    assert visitor.page.locator(".wz-rows tbody tr").count() == 6
    visitor.page.locator(".wz-details").evaluate("details => { details.open = true; }")
    assert axe(visitor.page, "#testset") == []
    type_in(visitor, "predictions_query", "reslts[]")
    visitor.page.get_by_text("expected rows at 'reslts[]' (“Rows, as a JMESPath expression”), got none").wait_for()
    type_in(visitor, "predictions_query", "results[]")
    visitor.page.get_by_role("button", name="Score", exact=True).click()
    visitor["testset-paired"].get_by_text("3 paired by id").wait_for(state="attached")  # a phone does not show it
    scored(visitor, 2 / 3)
    assert visitor.sideways() == 0


def test_what_scoring_refuses_has_buttons_that_allow_it(visit: Visit) -> None:
    """It is reported before scoring, which it blocks; test_file_requests.py has all sentences and their buttons."""
    visitor = opened(visit)
    broken = b'{"question_id": "a", "prediction": 1}\n{"question_id": "b",\n'
    visitor.choose_files(*sides([ref("a", 1), ref("b", 2)], broken))
    visitor.page.get_by_text("This cannot be scored as it is").wait_for()
    main, said = visitor.page.locator("#testset .drop .main"), visitor.page.locator("#testset .drop-fault")
    assert main.count() == 0
    assert axe(visitor.page, "#testset") == []
    visitor.page.get_by_role("button", name="Score", exact=True).click()
    said.get_by_text("p.jsonl, line 2").wait_for()
    assert not re.search(r"[/\\]", said.inner_text()), "the folder of the uploads is nobody's business"
    visitor.page.locator(".wz-doubts").get_by_role("button", name="Leave these rows out").click()
    main.get_by_text("Score").click()
    visitor["testset-left-out"].get_by_text("1 of 2 rows are left out").wait_for()
    scored(visitor, 1)
    assert visitor.page.locator(".chip").all_text_contents() == ["invalid rows left out×"]


@pytest.mark.parametrize(
    ("files", "size", "dark"), [*(("example", *look) for look in LOOKS), ("own", WIDE, False)], ids=str
)
def test_every_choice_filters_all_panes_and_stands_in_the_address(
    visit: Visit, files: str, size: tuple[int, int], *, dark: bool
) -> None:
    """With the example, and with files of the visitor as long as the server keeps them."""
    lines = b"".join(reversed(PREDICTIONS.read_bytes().splitlines(keepends=True)))
    own = (REFERENCES, payload("p.jsonl", lines)) if files == "own" else None
    visitor = come(visit, size, dark=dark, files=own)
    page, is_phone = visitor.page, size == NARROW

    assert re.search(r"#documents=[\w-]{22}" if own else "#documents=example", page.url)
    assert axe(page, "#testset") == []
    facet(visitor, "different notation", "15 of 40 documents")
    if is_phone:
        page.get_by_role("button", name="Causes", exact=True).click()
    facet(visitor, "items[].amount", "10 of 40 documents")
    if not is_phone:
        page.locator(".histogram .handle").nth(0).focus()
        for _ in range(9):
            page.keyboard.press("ArrowRight")
        page.wait_for_url("**low=0.45**")
    open_document(visitor, 1, "receipt-036")
    page.locator(".hit").last.click()
    seen = page.evaluate(SEEN)
    assert seen["range"] == ["0.00" if is_phone else "0.45", "1.00"]
    assert seen["here"] == seen["hits"][-1]
    assert seen["pressed"] == ["different notation", "items[].amount"]
    assert all(re.fullmatch(r"\$\.items\[\d+\]\.amount", path) for path in seen["hits"])
    assert axe(page, "#testset") == []
    assert visitor.sideways() == 0
    other = visitor.new_tab()
    other.goto(page.url)
    other.locator(".testset[data-ready]").wait_for()
    other.locator("#testset .here").wait_for(timeout=browser.MILLISECONDS, state="attached")
    assert (other.evaluate(SEEN), other.url) == (seen, page.url)
    other.close()


def test_back_and_escape_undo_filters_and_rows_stay_as_they_are_drawn(visit: Visit) -> None:
    visitor = come(visit, (1280, 700))
    page = visitor.page
    pressed = page.locator(".facet[aria-pressed=true]")
    page.locator("#testset-causes .facet").nth(1).click()
    count(visitor, "11 of 40 documents")
    page.locator(".doc[aria-selected=true][aria-posinset='1']").wait_for()
    page.locator("#testset-fields .facet").nth(0).click()
    pressed.nth(1).wait_for()
    page.go_back()
    pressed.nth(1).wait_for(state="detached")
    page.go_forward()
    pressed.nth(1).wait_for()
    for left in (1, 0):
        page.locator("#testset-list").focus()
        page.keyboard.press("Escape")
        pressed.nth(left).wait_for(state="detached")
    count(visitor, "40 documents")
    row = page.locator(".doc").nth(6)
    row.evaluate("row => { window.pressed = row; }")
    drawn = page.locator(".doc").count()
    page.locator("#testset-list").evaluate("list => { list.scrollTop += 70; }")
    page.locator(f".doc[aria-posinset='{drawn + 1}']").wait_for(state="attached")
    assert page.evaluate("window.pressed.isConnected"), "what is being pressed is not replaced"


def test_the_keyboard_alone(visit: Visit) -> None:
    """Each pane is one stop of the Tab key, and arrows move within it; the page itself does not scroll."""
    visitor = come(visit)
    page = visitor.page

    def press(*keys: str) -> None:
        for key in keys:
            page.keyboard.press(key)

    page.locator(".doc-tree .anls-row").first.wait_for()
    stops = ["button.facet", "[role=option]", ".doc-tree .anls-row"]
    assert [page.locator(f"{part}[tabindex='0']").count() for part in stops] == [1, 0, 1]
    page.locator("#testset-causes .facet").first.focus()
    press("ArrowDown", "End", "Home", "Enter")
    count(visitor, "8 of 40 documents")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    press("Escape")
    count(visitor, "40 documents")
    page.locator("#testset-list").focus()
    press("Home", "j", "j", "k", "ArrowDown")
    title(page, "receipt-018")
    press("End")
    page.locator(".doc[aria-posinset='40'][aria-selected=true]").wait_for()
    press("Home", "j", "j")
    title(page, "receipt-018")
    page.locator("#testset-document:not([data-stale]) .anls-row").first.wait_for()
    press("Enter", "n")
    assert page.evaluate("document.activeElement.closest('.doc-tree') !== null")
    assert page.locator(".doc-tree .anls-row[tabindex='0']").count() == 1
    assert "row=" in page.url
    press("j")
    title(page, "receipt-009")
    assert "row=" not in page.url
    press("Escape")
    assert page.evaluate("document.activeElement.id") == "testset-list"
    press("/")
    page.keyboard.type("receipt-00")
    count(visitor, "9 of 40 documents")
    press("ArrowDown", "Home", "j")
    page.locator(".doc[aria-posinset='2'][aria-selected=true]").wait_for()
    assert page.evaluate("scrollY") == 0


def test_on_a_phone_one_pane_leads_to_the_next_and_back(visit: Visit) -> None:
    visitor = come(visit, NARROW)
    page = visitor.page
    seen = "all => all.filter(each => each.checkVisibility()).map(each => each.ariaLabel)"
    assert page.locator(".pane").evaluate_all(seen) == ["Causes and fields"]
    facet(visitor, "repeated row", "2 of 40 documents")
    open_document(visitor, 1, "receipt-018")
    assert page.locator(".pane").evaluate_all(seen) == ["Document"]
    page.go_back()
    page.locator("#testset-list").wait_for()
    assert page.locator(".pane").evaluate_all(seen) == ["Documents"]
    page.locator("#testset-more").click()
    page.get_by_role("button", name="Change").wait_for()
    assert visitor.sideways() == 0


def test_documents_are_found_sorted_and_downloaded(visit: Visit) -> None:
    """By ids, keys and values; what is downloaded are the rows that are left."""
    visitor = come(visit)
    find = visitor["testset-find"]
    for text, actual in (("RECEIPT-01", "10"), ("frühstück „müßiggang“", "1"), ("nowhere to be found", "0")):
        find.fill(text)
        count(visitor, f"{actual} of 40 documents")
    visitor.page.get_by_text("No document contains this text.").first.wait_for()
    find.fill("")
    count(visitor, "40 documents")
    visitor["testset-sort"].locator("summary").click()
    visitor.page.get_by_role("button", name="By id").click()
    visitor.page.locator(".doc[aria-posinset='1'] bdi").get_by_text("receipt-001").wait_for()
    assert "sort=id" in visitor.page.url
    facet(visitor, "different notation", "15 of 40 documents")
    expected = texts(visitor, ".doc bdi")
    rows = exported(visitor, "li button >> nth=-1").splitlines()
    visitor["testset-status"].get_by_text("15 rows downloaded").wait_for()
    assert len(rows) == 15
    assert [json.loads(row)["question_id"] for row in rows][: len(expected)] == expected
    visitor["testset-sort"].locator("summary").click()
    visitor["testset-all"].click()
    count(visitor, "40 documents")


@pytest.mark.parametrize("number", range(0, len(HOSTILE), 5))
def test_text_of_others_is_text(visit: Visit, number: int) -> None:
    """In ids, keys, values, names of files and of columns, and in a link."""
    bad = HOSTILE[number : number + 5]
    truths = [
        {"question_id": f"{text}{n}", "references": [{text: text, "k": n}], text: text} for n, text in enumerate(bad)
    ]
    guesses = [pred(f"{text}{n}", {text: "x", "k": text}) for n, text in enumerate(bad)]
    name = re.sub(r"[/\0]", "", bad[0])[:60]
    visitor = come(visit, files=sides(truths, guesses, f"{name} "))
    for _ in bad:
        visitor.page.locator("#testset-document:not([data-stale]) .anls-row").first.wait_for()
        visitor["testset-next"].click()
    visitor["testset-find"].fill(bad[0][:150])
    open_options(visitor)
    visitor["testset-by"].fill(bad[1][:100])
    visitor["testset-title"].get_by_text("Not scored").or_(visitor["testset-chips"].locator(".chip")).first.wait_for()
    assert visitor["testset"].locator("img, script, [onerror], [onfocus]").count() == 0
    assert not set(visitor["testset"].text_content() or "") & {"\u202e"}
    assert visitor.sideways() == 0
    other = visitor.new_tab()
    other.goto(f"{visitor.app.url}/#documents=example&find={quote(bad[0][:150])}")
    other.locator(".testset[data-ready]").wait_for()
    assert other.evaluate(f"typeof {browser.XSS}") == "undefined"


@golden("playground_file", "links")
def test_a_link_that_means_nothing_is_one_sentence(visit: Visit, link: str, sentence: str) -> None:
    page = visit(f"/#{link}").page
    page.locator("#testset-status, #testset .drop-fault").get_by_text(sentence).first.wait_for()


def test_the_page_beside_the_tree(visit: Visit) -> None:
    """What a row holds itself is shown; an address is named and never asked for; what is added stays in the browser."""
    data = f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"
    images = {"a": data, "b": "https://example.com/scans/p7.png", "c": "/etc/passwd", "d": None}
    references = [{**ref(name, {"k": "x"}), "image": image} for name, image in images.items()]
    visitor = come(visit, files=sides(references, [pred(name, {"k": "y"}) for name in images]))
    page, shown = visitor.page, visitor["testset-beside"]
    image = shown.locator(".ev-sheet img")
    visitor["testset-image"].click()
    assert image.get_attribute("src") == data
    page.locator(".doc").nth(1).click()
    shown.get_by_text("https://example.com/scans/p7.png").wait_for()
    assert shown.locator("a, img").count() == 0
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or ""))
    files = [{**payload(name, PIXEL), "mimeType": "image/png"} for name in ("P7.png", "d.PNG")]
    shown.locator("input[type=file]").set_input_files(cast("Any", files))
    visitor["testset-status"].get_by_text("2 files added, for 2 documents").wait_for()
    assert str(image.get_attribute("src")).startswith("blob:")
    open_document(visitor, 3, "d")
    assert str(image.get_attribute("src")).startswith("blob:")
    assert not any("PNG" in body for body in sent)
    page.locator(".doc").nth(2).click()
    shown.get_by_text("/etc/passwd").wait_for()
    assert "image=1" in page.url
    assert axe(page, "#testset") == []


def test_two_thousand_documents(visit: Visit) -> None:
    """Few are drawn at a time; the list scrolls by itself; the last key wins."""
    truths = [ref(f"d{n:04}", {"a": f"tea {n}", "b": "same"}) for n in range(2000)]
    guesses = [pred(f"d{n:04}", {"a": f"tea {n}" if n % 2 else "", "b": "same"}) for n in range(2000)]
    visitor = come(visit, files=sides(truths, guesses))
    page = visitor.page
    page.locator("#testset-list").focus()
    page.keyboard.press("End")
    page.locator(".doc[aria-posinset='2000'][aria-selected=true]").wait_for()
    for _ in range(30):
        page.keyboard.press("k")
    title(page, "d1939")
    assert page.locator(".doc").count() < 60
    page.locator("#testset-causes .facet").first.click()
    count(visitor, "1,000 of 2,000 documents")
    visitor["testset-find"].fill("tea 1998")
    count(visitor, "1 of 2,000 documents")
    title(page, "d1998")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_remedy_is_taken_and_taken_back_and_the_view_stays(visit: Visit, size: tuple[int, int]) -> None:
    truths = [ref("a", {"n": 1000.0, "c": "abc"}), ref("b", {"n": 2.5, "c": "tea"})]
    guesses = [pred("a", {"n": 1000, "c": "ABC"}), pred("b", {"n": 2.5, "c": "teas"})]
    visitor = come(visit, size, files=sides(truths, guesses))
    tried: list[dict[str, Any]] = [{}, {"numbers": "value"}, {"ignore_case": False}]
    first, second, third = (docscore.evaluate(predictions=guesses, references=truths, **how).score for how in tried)
    scored(visitor, first)
    facet(visitor, "near miss", "1 of 2 documents")
    visitor["testset-act"].get_by_text(f"Compare by value → {second:.3f}").click()
    scored(visitor, second)
    assert visitor.page.locator(".chip").all_text_contents() == ["Near miss×", "by value×"]
    if size == WIDE:
        visitor.page.get_by_role("button", name="by value", exact=True).click()
        assert visitor.page.evaluate("document.activeElement.name") == "testset-numbers"
        visitor["testset-score"].click()
        assert closed(visitor, "testset-options")
    count(visitor, "1 of 2 documents")
    assert "cause=near+miss" in visitor.page.url
    if size == NARROW:
        visitor["testset-more"].click()
    visitor.page.get_by_label("Undo: by value").click()
    scored(visitor, first)
    visitor.choose("ignore_case", "false", tab="testset")
    scored(visitor, third)
    visitor.page.reload()
    ready(visitor)
    scored(visitor, third)
    assert visitor.page.locator(".chip").all_text_contents() == ["Near miss×", "case counts×"]
    assert visitor.sideways() == 0


def test_metrics_slices_and_a_schema(visit: Visit) -> None:
    """The primary metric scores everything; others and slices are among all figures; a schema gives a typed score."""
    visitor = come(visit)
    result = docscore.evaluate(references=REFERENCES, predictions=PREDICTIONS, metrics=["nted", "kieval"])
    open_options(visitor)
    visitor["testset-metric"].select_option("nted")
    visitor["testset-options"].get_by_label("KIEval", exact=True).check()
    scored(visitor, result.score)
    assert visitor.page.locator(".chip").all_text_contents() == ["nTED×"]
    visitor["testset-figures"].click()
    shown = visitor["testset-figures-shown"].get_by_role("table", name="Metrics").locator("tbody tr")
    rows = shown.evaluate_all(CELLS)
    assert [float(value) for _, value, *_ in rows] == pytest.approx(list(result.figures.values()), abs=5e-5)
    assert axe(visitor.page, "#testset-figures-shown") == []
    visitor.page.keyboard.press("Escape")
    schema = {"properties": {"totals": {"properties": {"total": {"type": "number"}}}}}
    visitor["testset-metric"].evaluate("metric => { document.querySelector('#testset-options').open = true; }")
    visitor["testset-metric"].select_option("anls_star")
    with visitor.page.expect_file_chooser() as chooser:  # what the note on numbers by value says is needed
        visitor["testset-options"].get_by_role("button", name="Choose a schema").click()
    chooser.value.set_files(payload("s.json", json.dumps(schema).encode()))
    typed = docscore.evaluate(references=REFERENCES, predictions=PREDICTIONS, metrics=["typed"], schema=schema).score
    scored(visitor, typed)
    ready(visitor)
    of_document = visitor["testset-of"].inner_text()
    visitor["testset-pair"].click()
    visitor.has_score(of_document)
    assert visitor["pair-chips"].locator(".chip").all_text_contents() == ["by schema×"]
    visitor.page.go_back()
    visitor["testset-schema-file"].set_input_files(payload("s.json", b"{"))
    visitor["testset-detail"].get_by_text("line 1, column 2").wait_for()
    visitor["testset-act"].get_by_text("Undo").click()
    scored(visitor, typed)
    open_options(visitor)
    visitor["testset-by"].fill("true")  # a name as any other
    visitor["testset-detail"].get_by_text("'true'").wait_for()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_slices_are_a_table_that_filters(visit: Visit, size: tuple[int, int]) -> None:
    """What lost most is first; a press leaves the documents of a slice, also for whom a link is sent."""
    rows = [json.loads(line) for line in REFERENCES.read_text(encoding="utf-8").splitlines()]
    languages = ["de", "en", "ja"]
    sliced = [{**row, "language": languages[number % 3]} for number, row in enumerate(rows)]
    visitor = opened(visit, size)
    visitor.choose_files(payload(REFERENCES.name, sliced), PREDICTIONS)
    open_options(visitor)
    visitor["testset-by"].fill("language")
    visitor.page.get_by_role("button", name="Score", exact=True).click()
    ready(visitor)
    if size == NARROW:
        visitor["testset-more"].click()
    visitor["testset-slices"].get_by_text("3 slices by language").click()
    result = docscore.evaluate(references=sliced, predictions=PREDICTIONS, by="language")
    lost = {row["value"]: row["documents"] * (1 - row["figure"]) for row in result.slices}
    worst = max(result.slices, key=lambda row: lost[row["value"]])
    [first, *_] = visitor["testset-slices-shown"].locator("tbody tr").evaluate_all(CELLS)
    assert first == [
        worst["value"],
        str(worst["documents"]),
        f"{worst['figure']:.3f}",
        f"{worst['low']:.3f}–{worst['high']:.3f}",
        f"{100 * lost[worst['value']] / sum(lost.values()):.1f} %",
    ]
    assert axe(visitor.page, "#testset-slices-shown") == []
    assert visitor.sideways() == 0
    visitor["testset-slices-shown"].get_by_role("button", name="en", exact=True).click()
    count(visitor, "13 of 40 documents")
    assert visitor["testset-share"].locator(".chip").all_text_contents() == ["language: en×"]
    names = {row["question_id"] for row in sliced if row["language"] == "en"}
    assert set(texts(visitor, ".doc bdi")) <= names
    other = visit(visitor.page.url.removeprefix(visitor.app.url), size=size)
    other["testset-count"].get_by_text("13 of 40 documents").wait_for(state="attached")
    visitor["testset-share"].get_by_role("button", name="Undo: language: en").click()
    count(visitor, "40 documents")


def fail(visitor: Visitor, kind: str, sentence: str) -> None:
    """From now on the server does not answer, or only with that."""
    answer = {"refused": sentence, "kind": kind}
    visitor.context.set_offline(kind == "offline")
    if kind != "offline":
        visitor.page.route(SERVER, lambda route: route.abort() if kind == "silent" else route.fulfill(json=answer))


def recover(visitor: Visitor) -> None:
    visitor.page.unroute_all()
    visitor.context.set_offline(False)
    visitor.errors.clear()  # the console tells of requests that failed


@pytest.mark.ci
@golden("playground_file", "failures")
def test_what_fails_is_one_sentence_and_the_last_result_stays_as_an_old_one(
    visit: Visit, kind: str, sentence: str, button: str
) -> None:
    """For options that are scored anew, and for another document; it can be tried again."""
    visitor = come(visit)
    fail(visitor, kind, sentence)
    visitor.choose("ignore_case", "false", tab="testset")
    visitor["testset-detail"].get_by_text(sentence).wait_for()
    assert texts(visitor, "#testset-title, #testset-act, #testset-score") == ["0.804", "Not scored.", button]
    assert visitor.page.locator(".testset").get_attribute("data-stale") == ""
    assert axe(visitor.page, "#testset .headline") == []
    recover(visitor)
    if button == "Try again":
        with visitor.page.expect_response(lambda response: "read_document" in (response.request.post_data or "")):
            visitor["testset-act"].click()
        ready(visitor)
        title(visitor.page, texts(visitor, ".doc[aria-selected=true] bdi")[0])
        assert visitor["testset-score"].inner_text() != "0.804"
    visitor.page.locator("#testset-document:not([data-stale]) .anls-row[data-path]").first.wait_for()
    opened_before = texts(visitor, "#testset-name, #testset-of, #testset-points, #testset-tree")
    fail(visitor, kind, sentence)
    visitor.page.locator(".doc").nth(4).click()
    visitor["testset-detail"].get_by_text(sentence).wait_for()
    chosen = texts(visitor, ".doc[aria-selected=true] bdi")[0]
    title_of_error = "This result is no longer available." if kind == "gone" else f"{chosen} could not be loaded."
    visitor.page.locator("#testset-title").get_by_text(title_of_error, exact=True).wait_for()
    assert chosen != opened_before[0]
    assert texts(visitor, "#testset-name, #testset-of, #testset-points, #testset-tree") == opened_before
    assert visitor["testset-document"].get_attribute("data-stale") == ""
    recover(visitor)
    visitor["testset-act"].click()
    ready(visitor)
    title(visitor.page, texts(visitor, ".doc[aria-selected=true] bdi")[0])
    recover(visitor)


def test_files_that_are_not_taken(visit: Visit) -> None:
    """Broken, too many, too large, an upload that is cancelled or fails, and a run that is cancelled."""
    visitor = opened(visit)
    page, said = visitor.page, visitor.page.locator("#testset .drop-fault")
    visitor.choose_files(PLAIN[0], payload("b.jsonl", b"nothing\n"))
    page.get_by_text("b.jsonl, line 1, column 1: ").wait_for()
    assert texts(visitor, "#testset .drop-acts .btn, #testset .slots .btn") == ["Choose another file", "Start over"]
    assert visitor["testset"].locator("[data-choice]").count() == 0
    visitor.choose_files(PLAIN[1])
    assert slots(visitor) == ["file 1 a.jsonl", "file 2 b.jsonl"]
    page.get_by_role("button", name="Start over").click()
    for files, sentence in (
        ([*PLAIN, GOLD], "A test set has two files"),
        (
            [payload("p.jsonl", b" " * 25_000_001)],
            "p.jsonl is larger than 25 MB, the limit of this page; use `docscore score`.",
        ),
    ):
        page.locator("#testset .drop-input").set_input_files(files)
        said.get_by_text(sentence).wait_for()
    held: list[Route] = []  # uploads that never end
    page.route("**/gradio_api/upload", lambda route: held.append(route))  # noqa: PLW0108  Playwright marks it
    page.locator("#testset .drop-input").set_input_files(list(PLAIN))
    page.locator("#testset .drop[data-state=uploading]").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.locator("#testset .drop[data-state=empty]").wait_for()
    for each in held:  # else a part of it may reach the server, which logs that the rest never comes
        each.abort()
    page.unroute_all()
    page.route("**/gradio_api/upload", lambda route: route.abort())
    page.locator("#testset .drop-input").set_input_files(list(PLAIN))
    page.locator(".slot-fault").get_by_text("The server does not respond.").first.wait_for()
    recover(visitor)
    page.get_by_role("button", name="Start over").click()
    visitor.choose_files(GOLD, ANSWERS)
    is_stopped: list[bool] = []

    def run(route: Route) -> None:
        is_stopped.extend([True] * ('"stop"' in (route.request.post_data or "")))
        running = {"running": True, "share": 0.5, "text": "2 of 3"}
        route.fulfill(json={"refused": "It ended.", "kind": "stopped"} if is_stopped else running)

    page.route(SERVER, run)
    page.get_by_role("button", name="Score", exact=True).click()
    page.get_by_text("2 of 3").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Score", exact=True).wait_for()
    assert said.inner_text() == ""


def test_after_a_restart_of_the_server_files_are_scored_again(visit: Visit) -> None:
    """The browser still has them, whichever tab asks; so too when the server deleted them after an hour."""
    files = [payload(path.name, path.read_bytes() + b"\n") for path in (REFERENCES, PREDICTIONS)]
    visitor = come(visit, files=files)
    shown = visitor["testset-score"].inner_text()
    visitor.app.forget_files()
    visitor["testset-next"].click()
    visitor["testset-title"].get_by_text("This result is no longer available.").wait_for()
    visitor["testset-act"].get_by_text("Score again").click()
    ready(visitor)
    assert visitor["testset-score"].inner_text() == shown
    visitor.app.forget_files()
    visitor["testset-review"].click()
    visitor.page.locator('.rv[data-state="shown"] .rv-kind').first.wait_for(state="attached")
    visitor.app.forget_files()
    visitor.open_tab("Test set")
    visitor["testset-change"].click()
    visitor.page.locator("#testset .drop[data-state=chosen]:not([aria-busy])").wait_for()
    visitor.page.get_by_role("button", name="Score", exact=True).click()
    ready(visitor)
