"""The tab "Test set" in a real browser: how files are read, scores, documents, what-ifs, and one sentence a fault."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import docscore
from docscore.data.files import read_table
from tests import browser
from tests.browser import (
    HOSTILE,
    LOOKS,
    MILLISECONDS,
    NARROW,
    SERVER,
    WIDE,
    XSS,
    Visit,
    Visitor,
    axe,
    download,
    payload,
)
from tests.commands import PREDICTIONS, REFERENCES, pred, ref, run, succeed, written

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Page, Route

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

CELLS = "all => all.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
SEEN = """() => {
  const text = part => document.querySelector(part)?.innerText;
  return {
    count: text(".dw-count"), chips: text(".dw-chips"), title: text(".dw-tree h2"),
    rows: [...document.querySelectorAll(".dw-row .dw-id")].slice(0, 5).map(each => each.innerText),
    hits: [...document.querySelectorAll(".dw-hit")].map(each => each.dataset.path),
    here: document.querySelector(".dw-here")?.dataset.path,
    pressed: [...document.querySelectorAll(".dw-pick[aria-pressed=true] .dw-name")].map(each => each.innerText),
  };
}"""


def come(visit: Visit, size: tuple[int, int] = WIDE, *, dark: bool = False, files: Any = None) -> Visitor:
    """A visitor who scored two files, or the example."""
    visitor = visit(size=size, dark=dark)
    visitor.open_tab("Test set")
    if files is None:
        visitor["file-example"].click()
    else:
        visitor.upload(*files)
        visitor.press_score("file")
    visitor.page.locator(".dw[data-ready]").wait_for()
    return visitor


def title(page: Page, name: str) -> None:
    """Wait for the tree of a document."""
    page.locator(".dw-tree:not([data-stale]) h2").get_by_text(name, exact=True).wait_for()


def count(visitor: Visitor, text: str) -> None:
    """Wait until so many documents are listed."""
    visitor.page.locator(".dw:not([aria-busy]) .dw-count").get_by_text(text, exact=True).wait_for()


def ids(visitor: Visitor) -> list[str]:
    return visitor.page.locator(".dw-row .dw-id").all_inner_texts()


def clear(visitor: Visitor) -> None:
    """Take both uploads back."""
    for element in ("file-references", "file-predictions"):
        visitor[element].get_by_role("button", name=re.compile("clear|remove", re.IGNORECASE)).first.click()


@pytest.mark.ci
def test_the_example_scores_as_the_command_does(visit: Visit, chromium: Browser, tmp_path: Path) -> None:
    """In its headline, documents, causes, rates and fields, and in what can be downloaded."""
    printed = json.loads(succeed("score", REFERENCES, PREDICTIONS, "--json", "--fields"))
    visitor = come(visit)
    changed = visitor["file-changed"].get_by_text("press Score")
    assert visitor.total("file-summary") == pytest.approx(printed["anls_score"], abs=5e-5)
    assert "40 rows" in visitor["file-summary"].inner_text()
    worst = {sample["question_id"]: sample["anls_score"] for sample in printed["per_sample"]}
    shown = dict(
        zip(ids(visitor), map(float, visitor.page.locator(".dw-row .dw-score").all_inner_texts()), strict=True)
    )
    assert len(shown) >= 5
    assert list(shown.values()) == sorted(shown.values())
    assert shown == {name: pytest.approx(worst[name], abs=5e-4) for name in shown}
    lost = {cause: points for cause, points in printed["points_lost"].items() if points}
    causes = zip(
        *(visitor.page.locator(f".dw-causes .dw-{part}").all_inner_texts() for part in ("name", "points")), strict=True
    )
    assert list(causes) == [(cause, f"−{lost[cause]:.3f}") for cause in sorted(lost, key=lambda cause: -lost[cause])]
    bins = visitor["file-picture"].locator("rect title").all_text_contents()
    assert sum(int(each.split(": ")[1]) for each in bins) == 40
    rates = (
        visitor["file-picture"]
        .get_by_role("region", name="Shares of documents")
        .locator("tbody tr")
        .evaluate_all(CELLS)
    )
    assert [row[0] for row in rates] == [rate["rate"] for rate in printed["rates"]]
    fields = {name: float(score) for name, score, *_ in visitor["file-fields"].locator("tbody tr").evaluate_all(CELLS)}
    known = {row["field"]: row["score"] for row in printed["key_scores"]}
    assert fields == {name: pytest.approx(known[name], abs=5e-4) for name in fields}
    table = csv.DictReader(download(visitor, "#file-csv").splitlines())
    assert {row["question_id"]: float(row["anls_score"]) for row in table} == worst
    document = json.loads(download(visitor, "#file-json"))
    for name in ("anls_score", "per_sample", "signature"):
        assert document[name] == printed[name]
    report = written(tmp_path, "report.html", download(visitor, "#file-report"))
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(report.as_uri())
        assert page.title() == f"predictions.jsonl: ANLS* {printed['anls_score']:.4f}"
        assert page.locator(".anls-document").count() == 10
    assert not changed.is_visible()
    clear(visitor)
    changed.wait_for()
    assert visitor["file-summary"].get_attribute("data-stale") == ""
    visitor.press_score("file")
    visitor["file-summary"].get_by_text("Choose a file.").wait_for()
    visitor["file-documents"].locator(".dw").wait_for(state="hidden")


def test_rows_with_faults_are_left_out_and_counted(visit: Visit, tmp_path: Path) -> None:
    references = written(tmp_path, "r.jsonl", [ref(i, {"k": i * 4}) for i in "abc"])
    predictions = written(tmp_path, "p.jsonl", [pred("a", {"k": "aaaa"}), pred("b", {"k": "bbbz"})])
    predictions.write_text(predictions.read_text() + '{"question_id": "c",\n')
    visitor = visit()
    visitor.open_tab("Test set")
    visitor.upload(references, predictions)
    visitor.press_score("file")
    visitor["file-summary"].get_by_text("p.jsonl, line 3").wait_for()
    visitor["file-skip"].get_by_role("checkbox").check()
    visitor.press_score("file")
    expected = json.loads(run("score", references, predictions, "--on-error", "skip", "--json").out)
    assert visitor.total("file-summary") == expected["anls_score"] == 0.875
    said = visitor["file-summary"].inner_text()
    assert "1 of 3 rows are left out" in said
    assert "/" not in said, "the folder of the uploads is nobody's business"


def test_sixty_real_receipts(visit: Visit, real_receipts: Path) -> None:
    visitor = come(visit, files=(real_receipts / "references.jsonl", real_receipts / "predictions.jsonl"))
    assert visitor.total("file-summary") == 0.7955
    assert "60 rows" in visitor["file-summary"].inner_text()


def test_the_first_metric_is_that_of_everything(visit: Visit) -> None:
    visitor = visit()
    visitor.open_tab("Test set")
    visitor["file-metric"].get_by_role("combobox").click()
    visitor.page.get_by_role("option", name="nTED").click()
    visitor["file-metrics"].get_by_label("KIEval", exact=True).check()
    visitor["file-example"].click()
    visitor.page.locator(".dw[data-ready]").wait_for()
    result = docscore.evaluate(references=REFERENCES, predictions=PREDICTIONS, metrics=["nted", "kieval"])
    assert visitor.total("file-summary") == pytest.approx(result.score, abs=5e-5)
    assert "nTED" in visitor["file-summary"].inner_text()
    rows = visitor["file-picture"].get_by_role("table", name="Metrics").locator("tbody tr").evaluate_all(CELLS)
    assert [float(value) for _, value, *_ in rows] == pytest.approx(list(result.figures.values()), abs=5e-5)


@pytest.mark.parametrize(
    ("files", "size", "dark"), [*(("example", *look) for look in LOOKS), ("own", WIDE, False)], ids=str
)
def test_from_a_cause_to_a_row_and_by_a_link_to_a_new_tab(
    visit: Visit, files: str, size: tuple[int, int], *, dark: bool
) -> None:
    """With the example, and with files of the visitor as long as the server keeps them."""
    lines = b"".join(reversed(PREDICTIONS.read_bytes().splitlines(keepends=True)))
    own = (REFERENCES, payload("p.jsonl", lines)) if files == "own" else None
    visitor = come(visit, size, dark=dark, files=own)
    page = visitor.page
    assert re.search(r"#documents=[\w-]{22}" if own else "#documents=example", page.url)
    page.locator(".dw-causes button").filter(has_text="same value").click()
    count(visitor, "15 of 40 documents")
    page.locator(".dw-fields button").filter(has_text="items[].amount").click()
    count(visitor, "10 of 40 documents")
    page.locator(".dw-row").nth(1).click()
    title(page, "receipt-036")
    page.locator(".dw-hit").last.click()
    seen = page.evaluate(SEEN)
    assert seen["here"] == seen["hits"][-1]
    assert all(re.fullmatch(r"\$\.items\[\d+\]\.amount", path) for path in seen["hits"])
    assert visitor.sideways() == 0
    other = visitor.new_tab()
    other.goto(page.url)
    other.locator(".dw[data-ready]").wait_for()
    title(other, seen["title"])
    other.locator(".dw-here").wait_for(timeout=MILLISECONDS)
    assert (other.evaluate(SEEN), other.url) == (seen, page.url)
    if own:  # a what-if needs the files
        other.get_by_text("What-ifs are not offered here").wait_for()
        assert not other.locator(".wi").is_visible()
    other.close()
    for drawn in ("summary", "what-ifs", "documents", "picture", "fields"):
        assert axe(page, f"#file-{drawn}") == [], drawn


def test_back_and_escape_undo_and_filters_keep_the_place(visit: Visit) -> None:
    """One step each, as the browser's own button does; the other list of filters begins at its top."""
    visitor = come(visit, (1280, 700))
    page, chips = visitor.page, visitor.page.locator(".dw-chip")
    page.locator(".dw-fields").evaluate("list => list.scrollTop = 60")
    page.locator(".dw-causes button").nth(1).click()
    chips.nth(0).wait_for()
    page.locator(".dw-row[aria-selected=true][aria-posinset='1']").wait_for()
    assert page.locator(".dw-fields").evaluate("list => list.scrollTop") == 0
    page.locator(".dw-fields button").nth(0).click()
    chips.nth(1).wait_for()
    page.go_back()
    chips.nth(1).wait_for(state="detached")
    page.go_forward()
    chips.nth(1).wait_for()
    for left in (1, 0):
        page.locator(".dw-list").focus()
        page.keyboard.press("Escape")
        chips.nth(left).wait_for(state="detached")
    count(visitor, "40 documents")
    page.locator(".dw-causes button").nth(1).click()
    chips.wait_for()
    page.locator(".dw:not([aria-busy])").wait_for()
    chosen = ids(visitor)[2]
    page.locator(".dw-row").nth(2).click()
    title(page, chosen)
    chips.click()
    count(visitor, "40 documents")
    title(page, chosen)
    row = page.locator(".dw-row").nth(6)
    row.evaluate("row => { window.pressed = row; }")
    drawn = page.locator(".dw-row").count()
    page.locator(".dw-list").evaluate("list => { list.scrollTop += 70; }")
    page.locator(f".dw-row[aria-posinset='{drawn + 1}']").wait_for(state="attached")
    assert page.evaluate("window.pressed.isConnected"), "what is being pressed is not replaced"


def test_the_keyboard_alone(visit: Visit) -> None:
    """From the cause over the list into the tree and back; the page itself does not scroll."""
    visitor = come(visit)
    page, press = visitor.page, visitor.page.keyboard.press
    page.locator(".dw").evaluate("part => part.scrollIntoView()")
    page.locator(".dw-causes button").first.focus()
    press("Enter")
    page.locator(".dw-chip").wait_for()
    page.locator(".dw:not([aria-busy])").wait_for()
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    press("Escape")
    page.locator(".dw-chip").wait_for(state="detached")
    count(visitor, "40 documents")
    assert page.evaluate("document.activeElement.className") == "dw-list"
    top = page.evaluate("scrollY")
    press("Home")
    for key in ("j", "j", "k", "ArrowDown"):
        press(key)
    title(page, ids(visitor)[2])
    assert page.locator("[aria-selected=true] .dw-id").inner_text() == ids(visitor)[2]
    press("End")
    page.locator(".dw-row[aria-posinset='40'][aria-selected=true]").wait_for()
    for key in ("Home", "j", "j"):
        press(key)
    title(page, "receipt-018")
    press("Enter")
    press("n")
    assert page.evaluate("document.activeElement.closest('.dw-tree') !== null")
    assert "row=" in page.url
    press("j")
    title(page, "receipt-009")
    assert "row=" not in page.url
    press("Escape")
    assert page.evaluate("document.activeElement.className") == "dw-list"
    assert page.evaluate("scrollY") == top
    press("/")
    page.keyboard.type("receipt-00")
    count(visitor, "9 of 40 documents")
    press("ArrowDown")
    press("Home")
    press("j")
    page.locator(".dw-row[aria-posinset='2'][aria-selected=true]").wait_for()


def test_on_a_phone_the_list_leads_to_the_tree_and_back(visit: Visit) -> None:
    visitor = come(visit, NARROW)
    page = visitor.page
    assert not page.locator(".dw-tree").is_visible()
    page.locator(".dw-row").nth(2).click()
    title(page, "receipt-018")
    assert not page.locator(".dw-list").is_visible()
    assert page.locator(".dw-tree").evaluate("part => part.scrollHeight > part.clientHeight")
    page.get_by_role("button", name="All documents").click()
    page.locator(".dw-list").wait_for()
    page.locator(".dw-row").nth(3).click()
    title(page, "receipt-009")
    page.go_back()
    page.locator(".dw-list").wait_for()
    assert visitor.sideways() == 0


def test_documents_are_found_sorted_and_downloaded(visit: Visit, tmp_path: Path) -> None:
    """By ids and values; the rows that are left can be scored again, to the same scores."""
    visitor = come(visit)
    find = visitor.page.locator(".dw-find")
    for text, found in (("RECEIPT-01", "10"), ("frühstück „müßiggang“", "1"), ("nowhere to be found", "0")):
        find.fill(text)
        count(visitor, f"{found} of 40 documents")
    visitor.page.get_by_text("No document holds this text.").first.wait_for()
    find.fill("")
    count(visitor, "40 documents")
    visitor.page.locator(".dw-sort").select_option("id")
    visitor.page.locator(".dw-row[aria-posinset='1'] .dw-id").get_by_text("receipt-001").wait_for()
    assert "sort=id" in visitor.page.url
    visitor.page.locator(".dw-causes button").filter(has_text="same value").click()
    count(visitor, "15 of 40 documents")
    expected = dict.fromkeys(ids(visitor))
    path = written(tmp_path, "rows.jsonl", download(visitor, ".dw-rows"))
    visitor.page.get_by_text("15 rows with both sides").wait_for()
    rows = {row["question_id"]: None for row in read_table(path).rows}
    assert list(rows)[: len(expected)] == list(expected)[: len(rows)]
    again = {each["question_id"]: each for each in json.loads(succeed("score", path, path, "--json"))["per_sample"]}
    first = json.loads(succeed("score", REFERENCES, PREDICTIONS, "--json"))["per_sample"]
    assert again == {each["question_id"]: each for each in first if each["question_id"] in rows}
    clear(visitor)
    visitor["file-predictions"].locator("input[type=file]").set_input_files(path)
    visitor["file-predictions"].locator(".file-preview").wait_for()
    visitor.press_score("file")
    count(visitor, "15 documents")


EXAMPLE = "#documents=example"
STRANGE_LINKS = {
    "#documents=../../etc/passwd": "These results were deleted after an hour; score the files again.",
    f"{EXAMPLE}&document=-1": "This link was not opened as it is: its document is not in this test set.",
    f"{EXAMPLE}&document=40": "This link was not opened as it is: its document is not in this test set.",
    f"{EXAMPLE}&field=__proto__": "This link was not opened as it is: its field is not in this test set.",
    f"{EXAMPLE}&cause=<img src=x onerror={XSS}=1>": "This link was not opened as it is: its cause is not in",
    f"{EXAMPLE}&sort=__proto__": "This link was not opened as it is: sort: expected 'loss', 'score', 'id' or 'file'",
    f"{EXAMPLE}&find={'x' * 201}": "This link was not opened as it is: find: string should have at most 200 characters",
    f"{EXAMPLE}&sort=id&sort=id": "This link was not opened: it holds more than a view of documents.",
    f"{EXAMPLE}&toString=1": "This link was not opened: it holds more than a view of documents.",
    f"{EXAMPLE}&find={'x' * 3000}": "This link was not opened: it is longer than a link of this page.",
}


def test_a_stopped_server_leaves_no_tree_of_another_document(visit: Visit) -> None:
    """The sentence stands where the tree of the chosen document would; a filter says the same."""
    visitor = come(visit)
    title(visitor.page, "receipt-004")
    visitor.page.route(SERVER, lambda route: route.abort())
    visitor.page.locator(".dw-row[aria-posinset='2']").click()
    visitor.page.locator(".dw-tree:not([data-stale]) .anls-fault").get_by_text("The server does not answer.").wait_for()
    assert visitor.page.locator(".dw-tree h2").count() == 0
    visitor.page.locator(".dw-find").fill("tea")
    visitor.page.locator(".dw:not([aria-busy])").get_by_text("does not answer").first.wait_for()
    visitor.faults.clear()  # what the browser says of requests that it could not send


def test_a_link_that_is_no_view_is_refused_with_a_sentence(visit: Visit) -> None:
    """The page works as ever; also where the server keeps nothing of that name."""
    visitor = visit()
    page = visitor.page
    said = page.locator(".dw-notice")
    for number, (link, sentence) in enumerate(STRANGE_LINKS.items()):
        if number:
            said.or_(visitor["file-summary"].locator(".anls-fault")).evaluate_all(
                "all => all.forEach(e => e.textContent = '')"
            )
        page.evaluate("link => { location.hash = link; }", link)
        page.get_by_text(sentence).wait_for()
    page.evaluate("link => { location.hash = link; }", f"{EXAMPLE}&find=<img src=x onerror={XSS}=1>")
    count(visitor, "0 of 40 documents")
    page.evaluate("link => { location.hash = link; }", f"{EXAMPLE}&row=1e3")
    count(visitor, "40 documents")
    assert page.locator("#file-documents :is(img, script)").count() == 0


def test_markup_in_names_ids_fields_and_values_is_text(visit: Visit) -> None:
    """In the wizard, the list of documents, their trees, messages, and the names of files and images."""
    name = f"a<img src=x onerror={XSS}=1>${{{XSS}=1}}{{{{value}}}}.jsonl"
    references = [{**ref(text, {text: text, "k": "x"}), "image": text} for text in HOSTILE]
    predictions = [pred(text, {text: f"{text}#", "z": text}) for text in HOSTILE]
    visitor = come(visit, files=(payload(name, references), payload(f"p{name}", predictions)))
    page = visitor.page
    page.locator(".dw-sort").select_option("file")
    page.locator(".dw-row#dw-option-0[aria-posinset='1']").wait_for()
    for number in range(len(HOSTILE)):
        page.keyboard.press("Escape")
        page.locator(".dw-list").press("Home" if number == 0 else "j")
        page.locator(f".dw-row[aria-selected=true]#dw-option-{number}").wait_for()
        page.locator(".dw-tree:not([data-stale]) .anls-tree").wait_for()
    for number in range(4):
        page.locator(".dw-fields button").nth(number).click()
        page.locator(".dw-chip").click()
        page.locator(".dw-chip").wait_for(state="detached")
    page.locator(".dw-page").get_by_text("Nothing is loaded from an address in a file").wait_for()
    clear(visitor)
    bad = [pred(HOSTILE[0], 1), pred(HOSTILE[0], 2), pred(HOSTILE[-1], 1)]
    visitor.upload(payload(name, [ref("a", 1)]), payload(f"p{name}", bad))
    visitor.press_score("file")
    visitor["file-summary"].locator(".anls-fault:not([data-old])").wait_for()
    assert HOSTILE[0] in visitor["file-summary"].inner_text()
    header, cells = ["id", *HOSTILE], [[str(n), *HOSTILE] for n in range(2)]
    clear(visitor)
    read(visitor, table(f"a{HOSTILE[0]}.csv".replace("/", ""), header, cells), table("p.csv", header, cells))
    choose(visitor, "prediction", HOSTILE[0])
    assert HOSTILE[0] in visitor["file-wizard"].inner_text()
    for part in ("wizard", "summary", "documents", "picture", "fields"):
        assert visitor[f"file-{part}"].locator("img, script, [onerror]").count() == 0, part
        assert not set(visitor[f"file-{part}"].text_content() or "") & {"\u202e"}, part
    assert visitor.sideways() == 0


def png(width: int) -> bytes:
    """A white picture, one pixel high."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return len(content).to_bytes(4, "big") + kind + content + zlib.crc32(kind + content).to_bytes(4, "big")

    head = width.to_bytes(4, "big") + (1).to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    data = zlib.compress(b"\0" + b"\xff" * width)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_pages_beside_the_tree(visit: Visit) -> None:
    """What a row holds itself is shown; an address is named and never asked for; what is added stays in the browser."""
    width = "image => image.decode().then(() => image.naturalWidth)"
    data = f"data:image/png;base64,{base64.b64encode(png(3)).decode()}"
    images = {"a": data, "b": "https://example.com/scans/p7.png", "c": "/etc/passwd", "d": None}
    references = [{**ref(name, {"k": "x"}), "image": image} for name, image in images.items()]
    predictions = [pred(name, {"k": "y"}) for name in images]
    visitor = come(visit, files=(payload("r.jsonl", references), payload("p.jsonl", predictions)))
    page, image = visitor.page, visitor.page.locator(".dw-page img")
    title(page, "a")
    assert image.evaluate(width) == 3
    page.locator(".dw-row").nth(1).click()
    page.locator(".dw-page").get_by_text("https://example.com/scans/p7.png").wait_for()
    assert page.locator(".dw-page a").count() == image.count() == 0
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    files: list[FilePayload] = [
        {"name": name, "mimeType": "image/png", "buffer": png(wide)} for name, wide in (("P7.png", 5), ("d.PNG", 7))
    ]
    page.locator(".dw-images input").set_input_files(files)
    page.get_by_text("2 images added, for 2 documents").wait_for()
    assert image.evaluate(width) == 5
    assert all(url.startswith("blob:") for url in sent)
    page.locator(".dw-row").nth(3).click()
    title(page, "d")
    assert image.evaluate(width) == 7
    page.locator(".dw-row").nth(2).click()
    page.locator(".dw-page").get_by_text("/etc/passwd").wait_for()
    assert axe(page, "#file-documents") == []


# Cancel is pressed as soon as it is there: the run may be over before a test sees it.
CANCEL = """() => new Promise(resolve => {
  const stop = document.getElementById("file-stop");
  const press = () => {
    if (!("running" in stop.dataset)) { requestAnimationFrame(press); return; }
    stop.click();
    resolve();
  };
  document.getElementById("file-score").click();
  press();
})"""


def test_two_thousand_documents(visit: Visit) -> None:
    """Few are drawn at a time; the list scrolls by itself; the last key wins; Cancel is there while they are scored."""
    truths = [ref(f"d{n:04}", {"a": f"tea {n}", "b": [{"c": str(n)}]}) for n in range(2000)]
    guesses = [pred(f"d{n:04}", {"a": f"tea {n}" if n % 2 else "", "b": [{"c": str(n)}]}) for n in range(2000)]
    visitor = come(visit, files=(payload("r.jsonl", truths), payload("p.jsonl", guesses)))
    page = visitor.page
    visitor["file-stop"].wait_for(state="hidden")
    page.locator(".dw").evaluate("part => part.scrollIntoView()")
    top = page.evaluate("scrollY")
    page.locator(".dw-list").focus()
    page.keyboard.press("End")
    page.locator(".dw-row[aria-posinset='2000'][aria-selected=true]").wait_for()
    for _ in range(30):
        page.keyboard.press("k")
    title(page, "d1939")
    assert page.locator(".dw-row").count() < 60
    assert page.evaluate("scrollY") == top
    page.locator(".dw-causes button").first.click()
    count(visitor, "1,000 of 2,000 documents")
    page.locator(".dw-find").fill("tea 1998")
    count(visitor, "1 of 2,000 documents")
    title(page, "d1998")
    page.evaluate(CANCEL)
    visitor["file-stop"].wait_for(state="hidden")


TRUTHS = [{"total": "12.50", "items": [{"n": "Tea"}]}, {"total": "3.00", "items": []}, {"total": "7", "items": []}]
GUESSES = [{"total": "12.50", "items": [{"n": "Tee"}]}, {"total": "3", "items": []}, {"total": "7", "items": []}]
RIGHT = docscore.evaluate(predictions=GUESSES, references=TRUTHS).score


def table(name: str, header: list[str], cells: list[list[str]], sign: str = ",") -> FilePayload:
    """A CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=sign).writerows([header, *cells])
    return {"name": name, "mimeType": "text/csv", "buffer": text.getvalue().encode()}


def fenced(value: Any) -> str:
    return f"Here it is:\n```json\n{json.dumps(value, indent=1)}\n```"


GOLD = table("gold.csv", ["Beleg", "GroundTruth"], [[f"b{n}", json.dumps(t)] for n, t in enumerate(TRUTHS)], ";")
ANSWERS = table("run 1.csv", ["doc", "secs", "answer"], [[f"b{n}", "2", fenced(GUESSES[n])] for n in (2, 0, 1)], ";")


def opened(visit: Visit, size: tuple[int, int] = WIDE, *, dark: bool = False) -> Visitor:
    visitor = visit(size=size, dark=dark)
    visitor.open_tab("Test set")
    visitor.page.locator(".wz[data-ready]").wait_for(state="attached")
    return visitor


def give(visitor: Visitor, element: str, file: Any) -> None:
    visitor[element].locator("input[type=file]").set_input_files(file)
    visitor[element].locator(".file-preview").wait_for()


def read(visitor: Visitor, references: Any, predictions: Any) -> None:
    """Choose files, and wait until the wizard has read both."""
    give(visitor, "file-references", references)
    give(visitor, "file-predictions", predictions)
    visitor["file-wizard"].locator(".wz-details > summary").get_by_text("paired").wait_for()


def choose(visitor: Visitor, field: str, value: Any) -> None:
    visitor[f"read-{field}"].select_option(json.dumps(value))
    visitor.page.locator(".wz:not([aria-busy])").wait_for()


def score(visitor: Visitor) -> float:
    visitor.press_score("file")
    return visitor.total("file-summary")


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=str)
def test_a_foreign_table_gets_the_right_score(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """Semicolons, other names, another order, and JSON between fences: nothing needs to be chosen."""
    visitor = opened(visit, size, dark=dark)
    give(visitor, "file-references", GOLD)
    doubts = visitor["file-wizard"].locator(".wz-doubts")
    doubts.get_by_text("One file so far. Choose the other one too").wait_for()
    give(visitor, "file-predictions", ANSWERS)
    visitor["file-wizard"].locator(".wz-details > summary").get_by_text("paired").wait_for()
    fields = ("references_id", "predictions_id", "references", "prediction", "parse", "parse_references", "missing")
    assert [json.loads(visitor[f"read-{name}"].input_value()) for name in fields] == [
        "Beleg", "doc", "GroundTruth", "answer", "repair", "json", "error",
    ]  # fmt: skip
    assert visitor["read-predictions_delimiter"].locator("option:checked").inner_text() == "semicolon (guess)"
    assert visitor["file-wizard"].locator(".wz-rows tbody tr").count() == 6
    doubts.wait_for(state="detached")
    assert axe(visitor.page, "#file-wizard") == []
    assert visitor.sideways() == 0
    assert score(visitor) == pytest.approx(RIGHT, abs=5e-5)


def test_one_file_that_holds_both_sides(visit: Visit) -> None:
    """Columns that say nothing by their names are chosen by hand."""
    cells = [[str(n), json.dumps(TRUTHS[n]), "gpt", json.dumps(GUESSES[n])] for n in range(3)]
    visitor = opened(visit)
    give(visitor, "file-references", table("both.csv", ["nr", "wanted", "by", "came"], cells))
    visitor["read-prediction"].wait_for()
    for field, column in (("references", "wanted"), ("prediction", "came"), ("predictions_id", "nr")):
        choose(visitor, field, column)
    assert score(visitor) == pytest.approx(RIGHT, abs=5e-5)
    lines = csv.DictReader(download(visitor, "#file-csv").splitlines())
    assert [row["question_id"] for row in lines] == ["0", "1", "2"]


def test_references_without_a_prediction(visit: Visit) -> None:
    """An error that names them before and at scoring, nought, or left out and counted."""
    visitor = opened(visit)
    some = [[f"b{n}", json.dumps(GUESSES[n])] for n in range(2)]
    read(visitor, GOLD, table("p.csv", ["doc", "answer"], some))
    problem = "ids of references that no prediction has (1): 'b2'"
    visitor["file-wizard"].locator(".wz-doubts").get_by_text(problem).wait_for()
    visitor.press_score("file")
    visitor["file-summary"].get_by_text(problem).wait_for()
    mean = docscore.evaluate(predictions=GUESSES[:2], references=TRUTHS[:2]).score
    for value, expected in (("zero", mean * 2 / 3), ("skip", mean)):
        if not visitor["read-missing"].is_visible():  # the first result folds it away
            visitor["file-wizard"].locator("summary").click()
        choose(visitor, "missing", value)
        assert visitor["file-wizard"].locator(".wz-doubts").count() == 0
        assert score(visitor) == pytest.approx(expected, abs=5e-5)
    assert "1 reference without a prediction; 1 of 3 rows are left out" in visitor["file-summary"].inner_text()


def test_the_wizard_by_keyboard_alone(visit: Visit) -> None:
    """Every choice is reached with Tab and changed with arrows; the focus stays where it was when the answer comes."""
    visitor = opened(visit)
    press = visitor.page.keyboard.press
    read(visitor, GOLD, ANSWERS)
    visitor["file-wizard"].locator("summary").focus()
    reached = []
    for _ in range(9):
        press("Tab")
        reached.append(visitor.page.evaluate("document.activeElement.dataset.choice ?? null"))
    assert [name for name in reached if name] == [
        "references_id", "references", "parse_references", "references_delimiter",
        "predictions_id", "prediction", "parse", "predictions_delimiter",
    ]  # fmt: skip
    visitor["read-prediction"].focus()
    press("ArrowUp")
    visitor["file-wizard"].locator(".wz-doubts").get_by_text("column 'secs'").wait_for()
    assert visitor.page.evaluate("document.activeElement.id") == "read-prediction"
    press("ArrowDown")
    visitor["file-wizard"].locator(".wz-doubts").wait_for(state="detached")
    visitor["file-score"].focus()
    press("Enter")
    assert visitor.total("file-summary") == pytest.approx(RIGHT, abs=5e-5)
    visitor["what-threshold"].focus()
    press("Tab")
    press("Space")
    visitor["what-answer"].get_by_text("with ignore case off").wait_for()
    press("Escape")
    assert visitor["what-ignore_case"].is_checked()
    assert visitor["what-answer"].inner_text() == ""


PAIRS = [({"n": 1000.0, "c": "abc"}, {"n": 1000, "c": "ABC"}), ({"n": 2.5, "c": "tea"}, {"n": 2.5, "c": "teas"})]


def mean_of_pairs(**options: Any) -> float:
    truths, guesses = zip(*PAIRS, strict=True)
    return docscore.evaluate(predictions=list(guesses), references=list(truths), **options).score


def scored_pairs(visit: Visit, size: tuple[int, int] = WIDE) -> Visitor:
    rows = [[make(str(n), pair[side]) for n, pair in enumerate(PAIRS)] for side, make in enumerate((ref, pred))]
    return come(visit, size, files=(payload("r.jsonl", rows[0]), payload("p.jsonl", rows[1])))


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_what_ifs_are_scored_at_once_adopted_and_undone(visit: Visit, size: tuple[int, int]) -> None:
    """The view stays; a new file forgets what was adopted."""
    visitor = scored_pairs(visit, size)
    first, second = mean_of_pairs(), mean_of_pairs(numbers="value")
    third = mean_of_pairs(numbers="value", ignore_case=False)
    answer = visitor["what-answer"]
    visitor["what-numbers"].select_option("value")
    answer.get_by_text(f"{first:.4f} → {second:.4f}, +{second - first:.4f} with numbers value").wait_for()
    visitor.has_score(f"{first:.4f}", "file-summary")
    visitor["what-undo"].click()
    assert answer.inner_text() == ""
    visitor["what-numbers"].select_option("value")
    answer.get_by_text("with numbers value").wait_for()
    visitor.page.locator(".dw-causes button").filter(has_text="near miss").click()
    visitor.page.wait_for_url("**cause=near+miss")
    old = visitor.page.url.split("documents=")[1].split("&")[0]
    visitor["what-adopt"].click()
    visitor.has_score(f"{second:.4f}", "file-summary")
    answer.get_by_text("with numbers value; adopted").wait_for()
    visitor.page.wait_for_function(
        "old => !location.hash.includes(old) && location.hash.includes('near+miss')", arg=old
    )
    visitor["what-ignore_case"].uncheck()
    answer.get_by_text(f"{first:.4f} → {third:.4f}, ").wait_for()
    answer.get_by_text("with ignore case off and numbers value").wait_for()
    visitor["what-undo"].click()
    answer.get_by_text("with numbers value; adopted").wait_for()
    visitor["what-threshold"].fill("7")
    answer.get_by_text("Not scored: threshold: expected a number from 0 to 1").wait_for()
    assert visitor.sideways() == 0
    visitor["file-example"].click()
    visitor["file-summary"].get_by_text("40 rows").wait_for()
    visitor.page.locator(".wi").wait_for()
    assert visitor["what-numbers"].input_value() == "text"


def test_a_schema_gives_the_typed_score_and_an_older_answer_never_replaces_a_newer_one(visit: Visit) -> None:
    """The answer to the first what-if is held back until after that to the second."""
    visitor = scored_pairs(visit)
    held: list[Route] = []
    visitor.page.route(SERVER, lambda route: route.fallback() if held else held.append(route))
    with visitor.page.expect_request(SERVER):
        visitor["what-numbers"].select_option("value")
    visitor["what-numbers"].select_option("text")
    visitor["what-ignore_case"].uncheck()
    visitor["what-answer"].get_by_text("with ignore case off").wait_for()
    with visitor.page.expect_response(SERVER) as late:
        held[0].continue_()
    assert "text" in late.value.json()
    assert visitor["what-answer"].inner_text().endswith("with ignore case off")
    visitor["what-ignore_case"].check()
    schema = {"type": "object", "properties": {"n": {"type": "number"}, "c": {"type": "string"}}}
    visitor["what-schema"].set_input_files(payload("s.json", json.dumps(schema).encode()))
    typed = mean_of_pairs(metrics=["typed"], schema=schema)
    visitor["what-answer"].get_by_text(f"ANLS* {mean_of_pairs():.4f} → Typed score {typed:.4f}").wait_for()
    visitor["what-adopt"].click()
    visitor.has_score(f"{typed:.4f}", "file-summary")
    visitor["what-schema"].set_input_files(payload("s.json", b"{"))
    visitor["what-answer"].get_by_text("Not scored: ").wait_for()
    assert "line 1, column 2" in visitor["what-answer"].inner_text()
