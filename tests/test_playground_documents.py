"""The documents of a scored test set on the page: from a cause over fields and documents to a row, and by a link."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from docscore.data.files import read_table
from tests import browser
from tests.browser import LOOKS, MILLISECONDS, NARROW, WIDE, XSS, Visit, Visitor, axe
from tests.commands import PREDICTIONS, REFERENCES, pred, ref, succeed, written
from tests.test_playground_file import HOSTILE, payload

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Locator, Page

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

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


def ready(page: Page) -> Locator:
    """The documents, once they are there."""
    found = page.locator(".dw[data-ready]")
    found.wait_for()
    return found


def come(visit: Visit, size: tuple[int, int] = WIDE, *, dark: bool = False) -> Visitor:
    """A visitor who scored the example."""
    visitor = visit(size=size, dark=dark)
    visitor.open_tab("A file")
    visitor["file-example"].click()
    ready(visitor.page)
    return visitor


def score(visitor: Visitor, references: Any, predictions: Any) -> None:
    """Score two files on the tab."""
    visitor.open_tab("A file")
    visitor.upload(references, predictions)
    visitor.press_score("file")
    ready(visitor.page)


def title(page: Page, name: str) -> None:
    """Wait for the tree of a document."""
    page.locator(".dw-tree:not([data-stale]) h2").get_by_text(name, exact=True).wait_for()


def ids(visitor: Visitor) -> list[str]:
    return visitor.page.locator(".dw-row .dw-id").all_inner_texts()


def same_view_in_a_new_tab(visitor: Visitor, *, with_files: bool) -> None:
    """Its what-ifs need the files, which a link to those of a visitor does not bring."""
    seen = visitor.page.evaluate(SEEN)
    other = visitor.new_tab()
    other.goto(visitor.page.url)
    ready(other)
    title(other, seen["title"])
    other.locator(".dw-here").wait_for(timeout=MILLISECONDS)
    assert other.evaluate(SEEN) == seen
    assert other.url == visitor.page.url
    if with_files:
        other.locator("#what-numbers").check()
        other.locator("#what-answer").get_by_text("with numbers by value").wait_for()
    else:
        other.get_by_text("What-ifs are not offered here").wait_for()
        assert not other.locator(".wi").is_visible()
    other.close()


@pytest.mark.parametrize(
    ("files", "size", "dark"), [*(("example", *look) for look in LOOKS), ("own", WIDE, False)], ids=str
)
def test_from_a_cause_to_a_row_and_by_a_link_to_a_new_tab(
    visit: Visit, files: str, size: tuple[int, int], *, dark: bool
) -> None:
    """With the example, and with files of the visitor as long as the server keeps them."""
    if files == "example":
        visitor = come(visit, size, dark=dark)
    else:
        visitor = visit(size=size, dark=dark)
        lines = PREDICTIONS.read_text().splitlines(keepends=True)
        score(visitor, REFERENCES, payload("p.jsonl", "".join(reversed(lines)).encode()))
    page = visitor.page
    assert re.search("#documents=example" if files == "example" else r"#documents=[\w-]{22}", page.url)
    page.locator(".dw-causes button").filter(has_text="same value").click()
    assert page.locator(".dw-count").inner_text() == "15 of 40 documents"
    page.locator(".dw-fields button").filter(has_text="items[].amount").click()
    assert page.locator(".dw-count").inner_text() == "10 of 40 documents"
    page.locator(".dw-row").nth(1).click()
    title(page, "receipt-036")
    hits = page.locator(".dw-hit").evaluate_all("all => all.map(each => each.dataset.path)")
    assert hits
    assert all(re.fullmatch(r"\$\.items\[\d+\]\.amount", path) for path in hits)
    page.locator(".dw-hit").last.click()
    assert page.evaluate(SEEN)["here"] == hits[-1]
    assert visitor.sideways() == 0
    same_view_in_a_new_tab(visitor, with_files=files == "example")
    assert axe(page, "#file-documents") == []


def test_back_and_escape_undo(visit: Visit) -> None:
    """One step each, as the browser's own button does; the view is the address."""
    visitor = come(visit)
    page = visitor.page
    cause, field = page.locator(".dw-causes button").nth(1), page.locator(".dw-fields button").nth(0)
    cause.click()
    field.click()
    assert page.locator(".dw-chip").count() == 2
    page.go_back()
    page.locator(".dw-chip").nth(1).wait_for(state="detached")
    page.go_forward()
    page.locator(".dw-chip").nth(1).wait_for()
    for left in (1, 0):
        page.locator(".dw-list").focus()
        page.keyboard.press("Escape")
        page.locator(".dw-chip").nth(left).wait_for(state="detached")
    assert page.locator(".dw-count").inner_text() == "40 documents"
    cause.click()
    page.locator(".dw-chip").click()
    assert page.locator(".dw-count").inner_text() == "40 documents"


def test_the_keyboard_alone(visit: Visit) -> None:
    """From the cause over the list into the tree and back; the page itself does not scroll."""
    visitor = come(visit)
    page, press = visitor.page, visitor.page.keyboard.press
    page.locator(".dw").evaluate("part => part.scrollIntoView()")
    page.locator(".dw-causes button").first.focus()
    press("Enter")
    page.locator(".dw-chip").wait_for()
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    press("Escape")
    page.locator(".dw-chip").wait_for(state="detached")
    assert page.evaluate("document.activeElement.className") == "dw-list"
    top = page.evaluate("scrollY")
    for key in "jjk":
        press(key)
    press("ArrowDown")
    title(page, ids(visitor)[2])
    assert page.locator("[aria-selected=true] .dw-id").inner_text() == ids(visitor)[2]
    press("End")
    page.locator(".dw-row[aria-posinset='40'][aria-selected=true]").wait_for()
    press("Home")
    press("j")
    press("j")
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
    page.locator(".dw-row").nth(9).wait_for(state="detached")
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


def test_documents_are_found_by_id_and_by_values(visit: Visit) -> None:
    visitor = come(visit)
    page, find = visitor.page, visitor.page.locator(".dw-find")
    find.fill("RECEIPT-01")
    page.locator(".dw-count").get_by_text("10 of 40 documents").wait_for()
    find.fill("frühstück „müßiggang“")
    page.locator(".dw-count").get_by_text("1 of 40 documents").wait_for()
    assert ids(visitor) == ["receipt-040"]
    find.fill("nowhere to be found")
    page.locator(".dw-count").get_by_text("0 of 40 documents").wait_for()
    assert ids(visitor) == []
    find.fill("")
    page.locator(".dw-sort").select_option("id")
    assert ids(visitor)[:2] == ["receipt-001", "receipt-002"]
    page.locator(".dw-sort").select_option("file")
    assert "sort=file" in page.url


EXAMPLE = "#documents=example"
STRANGE_LINKS = {
    "#documents=": "This link was not opened: its documents is not what this page takes.",
    "#documents=../../etc/passwd": "This link was not opened: its documents is not what this page takes.",
    f"{EXAMPLE}&document=-1": "This link was not opened: its document is not what this page takes.",
    f"{EXAMPLE}&row=1e3": "This link was not opened: its row is not what this page takes.",
    f"{EXAMPLE}&field=__proto__": "This link was not opened: its field is not what this page takes.",
    f"{EXAMPLE}&cause=<img src=x onerror={XSS}=1>": "This link was not opened: its cause is not what this page takes.",
    f"{EXAMPLE}&sort=__proto__": "This link was not opened: its sort is not what this page takes.",
    f"{EXAMPLE}&sort=constructor": "This link was not opened: its sort is not what this page takes.",
    f"{EXAMPLE}&find={'x' * 201}": "This link was not opened: its find is not what this page takes.",
    f"{EXAMPLE}&sort=id&sort=id": "This link was not opened: it holds more than a view of documents.",
    f"{EXAMPLE}&toString=1": "This link was not opened: it holds more than a view of documents.",
    f"{EXAMPLE}&find={'x' * 3000}": "This link was not opened: it is longer than a link of this page.",
    f"{EXAMPLE}&cause=bad luck": "This link was not opened as it is: its cause is not in this test set.",
    f"{EXAMPLE}&field=9999": "This link was not opened as it is: its field is not in this test set.",
    f"{EXAMPLE}&document=40": "This link was not opened as it is: its document is not in this test set.",
    f"#documents={'x' * 22}": "These results were deleted after an hour; score the files again.",
}


def test_a_link_that_is_no_view_is_refused_with_a_sentence(visit: Visit) -> None:
    """Before anything of it reaches the page, which works as ever; also where the server keeps nothing of that name."""
    first, *others = STRANGE_LINKS.items()
    visitor = visit()
    page = visitor.new_tab()
    page.goto(f"{visitor.app.url}/{first[0]}")
    page.get_by_text(first[1], exact=True).wait_for()
    said = page.locator(".dw-notice")
    for link, sentence in others:
        said.evaluate("notice => { notice.textContent = ''; }")
        page.evaluate("link => { location.hash = link; }", link)
        page.get_by_text(sentence, exact=True).wait_for()
    page.evaluate("link => { location.hash = link; }", f"{EXAMPLE}&find=<img src=x onerror={XSS}=1>")
    page.locator(".dw-count").get_by_text("0 of 40 documents").wait_for()
    assert page.locator("#file-documents :is(img, script)").count() == 0
    assert page.evaluate(f"typeof {XSS}") == "undefined"


def test_markup_in_ids_fields_values_and_names_of_images_is_text(visit: Visit) -> None:
    visitor = visit()
    references = [{**ref(text, {text: text, "k": "x"}), "image": text} for text in HOSTILE]
    predictions = [pred(text, {text: f"{text}#", "z": text}) for text in HOSTILE]
    score(visitor, payload("r.jsonl", references), payload("p.jsonl", predictions))
    page = visitor.page
    page.locator(".dw-sort").select_option("file")
    for number in range(len(HOSTILE)):
        page.locator(".dw-row").nth(number).click()
        page.locator(f".dw-row[aria-selected=true]#dw-option-{number}").wait_for()
        page.locator(".dw-tree:not([data-stale]) .anls-tree").wait_for()
    fields = page.locator(".dw-fields button")
    for number in range(min(4, fields.count())):
        fields.nth(number).click()
        page.locator(".dw-chip").wait_for()
        page.locator(".dw-chip").click()
    assert page.locator("#file-documents :is(img, script, [onerror])").count() == 0
    assert "\u202e" not in (page.locator("#file-documents").text_content() or "")
    page.locator(".dw-page").get_by_text("Nothing is loaded from an address in a file").wait_for()
    assert visitor.sideways() == 0


def download(visitor: Visitor, button: str) -> str:
    with visitor.page.expect_download() as found:
        visitor.page.locator(button).click()
    return Path(found.value.path()).read_text(encoding="utf-8")


def test_the_filtered_rows_can_be_loaded_again(visit: Visit, tmp_path: Path) -> None:
    visitor = come(visit)
    visitor.page.locator(".dw-causes button").filter(has_text="same value").click()
    expected = dict.fromkeys(ids(visitor))
    path = written(tmp_path, "rows.jsonl", download(visitor, ".dw-rows"))
    assert "15 rows with both sides" in visitor.page.locator(".dw-status").inner_text()
    assert {row["question_id"]: None for row in read_table(path).rows} == expected
    again = json.loads(succeed("score", path, path, "--json"))
    first = {
        each["question_id"]: each
        for each in json.loads(succeed("score", REFERENCES, PREDICTIONS, "--json"))["per_sample"]
    }
    assert again["per_sample"] == [first[name] for name in expected]
    other = visit()
    other.open_tab("A file")
    other["file-predictions"].locator("input[type=file]").set_input_files(path)
    other["file-predictions"].locator(".file-preview").wait_for()
    other.press_score("file")
    ready(other.page)
    assert other.page.locator(".dw-count").inner_text() == "15 documents"
    assert other.total("file-summary") == pytest.approx(again["anls_score"], abs=5e-5)


def png(width: int) -> bytes:
    """A white picture, one pixel high."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return len(content).to_bytes(4, "big") + kind + content + zlib.crc32(kind + content).to_bytes(4, "big")

    head = width.to_bytes(4, "big") + (1).to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    data = zlib.compress(b"\0" + b"\xff" * width)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def image_file(name: str, width: int) -> FilePayload:
    return {"name": name, "mimeType": "image/png", "buffer": png(width)}


def test_pages_beside_the_tree(visit: Visit) -> None:
    """What a row holds itself is shown; an address is named and never asked for; what is added stays in the browser."""
    visitor = visit()
    page, width = visitor.page, "image => image.decode().then(() => image.naturalWidth)"
    data = f"data:image/png;base64,{base64.b64encode(png(3)).decode()}"
    images = {"a": data, "b": "https://example.com/scans/p7.png", "c": "/etc/passwd", "d": None}
    references = [{**ref(name, {"k": "x"}), "image": image} for name, image in images.items()]
    score(visitor, payload("r.jsonl", references), payload("p.jsonl", [pred(name, {"k": "y"}) for name in images]))
    image = page.locator(".dw-page img")
    assert image.evaluate(width) == 3
    page.keyboard.press("Escape")
    page.locator(".dw-row").nth(1).click()
    page.locator(".dw-page").get_by_text("https://example.com/scans/p7.png").wait_for()
    assert page.locator(".dw-page a").count() == image.count() == 0
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    files: list[FilePayload] = [image_file("P7.png", 5), image_file("d.PNG", 7)]
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
