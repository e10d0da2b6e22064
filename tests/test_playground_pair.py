"""The tabs "One pair" and "API" in a real browser: scores, messages, keys, links, text that tries to be code, looks."""

from __future__ import annotations

import base64
import contextlib
import functools
import json
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from docscore import evaluate, score_tree
from playground.server.limits import read_text
from tests import browser
from tests.browser import HOSTILE, LOOKS, NARROW, SERVER, VISIBLE, WIDE, Visit, Visitor, axe, heard, payload
from tests.commands import environment
from tests.conftest import HUNG
from tests.test_playground_api import of_an_agent

if TYPE_CHECKING:
    from playwright.sync_api import Browser

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

TRUTH = {"vendor": "Ball & Bearing", "total": "41.40", "items": [{"n": "Tea"}, {"n": "Cake"}], "date": "2024"}
GUESS = {"vendor": "Ball & Bearinq", "total": "1", "items": [{"n": "Cake"}, {"n": "Tea"}], "tip": "5"}
STATUSES = "all => all.map(row => [row.dataset.path, row.dataset.status])"


def packed(value: Any) -> str:
    """The hash of a link that holds a value, or bytes that may be none, as the page packs it."""
    packer = zlib.compressobj(wbits=-15)
    data = packer.compress(value if isinstance(value, bytes) else json.dumps(value).encode()) + packer.flush()
    return "#pair=" + base64.urlsafe_b64encode(data).decode().rstrip("=")


def focused(visitor: Visitor) -> Any:
    return visitor.page.evaluate("document.activeElement.dataset?.path ?? null")


def statuses(visitor: Visitor) -> dict[str, str]:
    """The status of every row of the newest tree, by its path."""
    return dict(visitor.tree().locator(".anls-row[data-path]").evaluate_all(STATUSES))


def marked(visitor: Visitor) -> list[str | None]:
    """The lines that are marked in both editors."""
    return [visitor[f"pair-{side}"].get_attribute("data-lines") or None for side in ("truth", "prediction")]


def put_caret(visitor: Visitor, editor: str, text: str) -> None:
    """Put the caret behind the first character of a text, as a visitor does who moves with keys."""
    area = visitor[editor].locator("textarea")
    area.evaluate(
        "(area, text) => { area.focus(); const at = area.value.indexOf(text); area.setSelectionRange(at, at); }", text
    )
    visitor.page.keyboard.press("ArrowRight")


@pytest.mark.ci
def test_a_pair_is_scored_as_the_library_scores_it(visit: Visit) -> None:
    visitor = visit()
    visitor.score(json.dumps(TRUTH), json.dumps(GUESS))
    expected = score_tree(TRUTH, GUESS)
    assert statuses(visitor) == {node.path: node.status for node in list(expected.nodes())[1:]}
    assert visitor.total() == pytest.approx(expected.score, abs=5e-4)
    said = heard(visitor.page)
    rows = {name for role, name in said if role == "group"}
    assert {"$.vendor: partial, score 0.929", "$.total: wrong, score 0.000"} <= rows
    conclusion = visitor.page.locator(".anls-conclusion").inner_text()
    assert ("StaticText", f"Score {expected.score:.3f}. {conclusion}") in said
    for status in ("partial", "wrong", "missing", "extra"):
        visitor.tree().locator(f".anls-show-{status}").check()
    left = set(visitor.tree().locator(".anls-row[data-path]").evaluate_all(VISIBLE))
    assert left - {"wrong_type"} == {"partial", "wrong", "missing", "extra"}


def test_what_is_typed_before_gradio_is_there_is_scored_and_stays(
    playground: browser.Playground, chromium: Browser
) -> None:
    visitor = Visitor(chromium, playground, WIDE, dark=False)
    visitor.page.route("**/assets/*.js", lambda _: None)  # they wait until there is no route
    visitor.page.goto(playground.url, wait_until="commit")
    visitor.page.locator("#first #pair-prediction-text").fill("{}")
    visitor.page.locator("#first .anls-score").get_by_text("0.000", exact=True).wait_for()
    visitor.page.unroute("**/assets/*.js")
    visitor.page.locator("#pair .screen[data-ready]").wait_for(state="attached")
    assert visitor.typed("pair-prediction") == "{}"
    assert visitor.page.evaluate("document.activeElement.id") == "pair-prediction-text"
    browser.close_all([visitor])


def choose_example(visitor: Visitor, number: int) -> None:
    """Choose an example; the tree that stood there before is no longer interpreted as the result."""
    visitor["pair-result"].locator(".anls-tree").evaluate("tree => tree.dataset.old = 1")
    visitor["pair"].locator(".menu summary").click()
    visitor.page.locator(f"[data-example='{number}']").click()


def test_an_example_scores_and_can_be_undone(visit: Visit) -> None:
    """test_pair.py scores all of them."""
    visitor = visit()
    names = visitor["pair"].locator("[data-example]").all_text_contents()
    assert len(names) == len(set(names)) >= 7
    visitor.paste("pair-truth", '{"mine": 1}')
    choose_example(visitor, 3)
    truth, prediction = visitor.typed("pair-truth"), visitor.typed("pair-prediction")
    assert visitor.total() == pytest.approx(score_tree(json.loads(truth), json.loads(prediction)).score, abs=5e-4)
    assert visitor["pair-example"].inner_text() == names[3]
    visitor["pair-truth"].locator("textarea").focus()
    visitor.page.keyboard.press("ControlOrMeta+z")
    assert visitor.typed("pair-truth") == '{"mine": 1}'


def test_an_error_underlines_its_line_and_can_be_repaired(visit: Visit) -> None:
    """By one button in the text, which can be undone, or by reading it as repaired; both show what is changed.

    The result of the pair before stays, marked as old.
    """
    visitor = visit()
    visitor.score('{"a": "tea",\n "b": "milk"}', '{"a": "tea"\n "b": "milk"}')
    visitor["pair-title"].get_by_text("Not scored: the prediction is not JSON.").wait_for()
    assert visitor["pair-result"].get_attribute("data-stale") == ""
    assert visitor["pair-tree"].evaluate("tree => tree.inert")
    assert str(visitor["pair-python"].text_content()).startswith("Not scored: the prediction")
    assert visitor.fault("pair-truth").inner_text() == ""
    assert visitor["pair-prediction"].locator(".ln.bad s").all_inner_texts() == ["2"]
    assert visitor["pair-prediction"].locator(".squiggle").all_inner_texts() == ['"b"']
    assert "1 error" in visitor["pair-prediction"].inner_text()
    assert visitor["pair-detail"].inner_text().startswith("Correct line 2, or have it repaired. The score below")
    visitor.fault("pair-prediction").get_by_role("button", name="Insert it").click()
    visitor.has_score("1.000")
    assert visitor.typed("pair-prediction") == '{"a": "tea",\n "b": "milk"}'
    change = visitor["pair-change"]
    changed = ["1", '{"a": "tea"', '{"a": "tea",']
    assert change.locator("s, code").all_inner_texts() == changed
    visitor.page.keyboard.press("ControlOrMeta+z")
    visitor["pair-title"].get_by_text("Not scored").wait_for()
    assert not change.is_visible()
    visitor["pair-act"].click()
    visitor.has_score("1.000")
    assert change.locator("s, code").all_inner_texts() == changed
    assert change.locator("ins").all_inner_texts() == [","]
    assert axe(visitor.page, "#pair") == []
    assert visitor.page.locator(".chip").all_text_contents() == ["repaired JSON×"]
    assert visitor["pair-prediction"].locator(".ln.bad").count() == 0


def test_what_is_too_long_or_no_text_is_named_at_its_editor(visit: Visit) -> None:
    visitor = visit()
    error = visitor.fault("pair-truth")
    text = json.dumps("x" * 4_999_998)  # the page sends no text of this length
    visitor["pair-truth"].locator("textarea").evaluate(FILL, text)
    with pytest.raises(ValueError, match="5,000,000 bytes") as refused:
        read_text(text)
    error.get_by_text(str(refused.value), exact=True).wait_for()
    with visitor.page.expect_file_chooser() as chooser:
        visitor["pair-truth"].get_by_role("button", name="Open a file as ground truth").click()
    chooser.value.set_files(payload("a.pdf", b"%PDF-1.7"))
    error.get_by_text("a.pdf is a PDF: open the JSON that a model read from it").wait_for()
    assert error.get_by_role("button").all_inner_texts() == ["Choose another file"]


def test_the_score_follows_what_is_typed(visit: Visit) -> None:
    """By itself or by Ctrl+Enter; undo brings back the text and its score."""
    visitor = visit()
    visitor.score('{"a": "tea"}', '{"a": "tea"}')
    visitor.tree()
    area, keyboard = visitor["pair-prediction"].locator("textarea"), visitor.page.keyboard
    area.evaluate("area => { area.focus(); area.setSelectionRange(9, 9); }")
    keyboard.press("Backspace")
    keyboard.type("z")
    assert visitor["pair-result"].get_attribute("data-stale") == ""
    visitor.has_score("0.667")
    assert visitor["pair-result"].get_attribute("data-stale") is None
    for _ in range(2):  # chromium may take keys without a pause as one change
        if visitor.typed("pair-prediction") != '{"a": "tea"}':
            keyboard.press("ControlOrMeta+z")
    visitor.has_score("1.000")
    assert visitor.typed("pair-prediction") == '{"a": "tea"}'
    keyboard.press("ControlOrMeta+a")
    keyboard.type("{}")
    keyboard.press("ControlOrMeta+Enter")
    visitor.has_score("0.000")


def test_keys_move_through_the_tree(visit: Visit) -> None:
    """Rows of a closed part are passed over; keys with Ctrl are the browser's; n and p lead to the largest losses.

    The tree is one stop of Tab.
    """
    visitor = visit()
    truth = {**TRUTH, "z": {"b": {"c": "right", "d": "x"}}}
    visitor.score(json.dumps(truth), json.dumps({**GUESS, "z": {"b": {"c": "zzz", "d": "x"}}}))
    visitor.tree()
    press = visitor.page.keyboard.press

    def moved(start: str, *keys: str) -> list[str | None]:
        """Where the focus is after each key."""
        visitor.row(start).focus()
        found = []
        for key in keys:
            press(key)
            found.append(focused(visitor))
        return found

    assert moved("$.vendor", "ArrowDown", "c", "ArrowUp") == ["$.total", "$.total", "$.vendor"]
    assert visitor.copied("") == "$.total"
    visitor.page.locator(".told").get_by_text("Copied: $.total").wait_for()
    visitor.copy("mine")
    press("ControlOrMeta+c")
    visitor.page.wait_for_timeout(500)
    assert not visitor.clipboard().startswith("$")
    part = visitor.row("$.items").locator("..")
    opened = part.evaluate("part => part.open")
    moved("$.items", "Enter")
    assert part.evaluate("part => part.open") is not opened
    assert moved("$.items", "ArrowLeft", "ArrowDown")[1] == "$.date"
    assert moved("$.items", "ArrowRight", "ArrowDown")[1] == "$.items[0]"
    assert moved("$.total", *"nnp") == ["$.date", "$.z.b.c", "$.date"]
    assert moved("$.items", *"npp") == ["$.total", "$.total", "$.total"], "the largest, before which there is none"
    press("Tab")
    assert focused(visitor) is None
    press("Shift+Tab")
    assert focused(visitor) == "$.total"


def test_a_row_selects_its_lines_and_lines_their_row(visit: Visit) -> None:
    """Matched elements have other numbers on the two sides; a one-of leads to the option taken; no unit is missed.

    Rows that say the same are folded: a fold is one stop of the keys, and the lines of an editor open it.
    """
    visitor = visit()
    truth: Any = {"😀": "😀", "items": [{"n": "Tea"}, {"n": "Cake"}], "c": {"$one_of": ["Euro", "EUR"]}}
    truth |= {"rows": [{"n": f"{n}{n}"} for n in range(5)], "gone": "x"}
    guess = {"c": "EUR", "items": [{"n": "Cake"}, {"n": "Tee"}], "rows": []}
    visitor.score(json.dumps(truth, indent=1, ensure_ascii=False), json.dumps(guess, indent=1))
    visitor.tree()
    for path, lines in (("$.items[0].n", ["5-5", "8-8"]), ("$.c", ["14-14", "2-2"]), ("$.gone", ["34-34", None])):
        visitor.row(path).click()
        assert marked(visitor) == lines
    visitor.page.keyboard.press("Escape")
    assert marked(visitor) == [None, None]
    here = visitor["pair-result"].locator(".here")
    put_caret(visitor, "pair-prediction", "Cake")
    assert here.get_attribute("data-path") == "$.items[1].n"
    assert marked(visitor) == ["8-8", "5-5"]
    assert not visitor.row("$.rows[3]").is_visible()
    visitor.row("$.rows").focus()
    visitor.page.keyboard.press("n")
    assert "anls-folded" in visitor.page.evaluate("document.activeElement.className").split()
    visitor.page.keyboard.press("n")
    assert focused(visitor) == '$["😀"]'
    put_caret(visitor, "pair-truth", "33")
    assert here.get_attribute("data-path") == "$.rows[3].n"
    assert visitor.row("$.rows[3].n").is_visible()
    visitor.score('{"vat": "DE811",\n"no": "0042"}', '{"vat": "0042",\n"no": "DE811"}')
    visitor.row("$.vat").click()
    assert marked(visitor) == ["1-1", "1-1 2-2"]  # where the value is predicted too
    assert visitor["pair-result"].locator(".there").get_attribute("data-path") == "$.no"


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_score_and_tree_stand_in_the_first_screen_and_nothing_jumps(visit: Visit, size: tuple[int, int]) -> None:
    visitor = visit(size=size)
    visitor.page.evaluate(SHIFTS)
    assert visitor.page.evaluate("window.shift") == 0
    if size == NARROW:
        visitor["pair-more"].click()
    choose_example(visitor, 7)  # the line of welcome and the document of the first example are gone
    visitor.tree()
    visitor.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    visitor.page.evaluate("() => { window.shifts.takeRecords(); window.shift = 0; }")
    for number in ("8", "2", "5"):
        choose_example(visitor, int(number))
        visitor.tree()
        for part in (".t32 >> visible=true" if size == NARROW else ".anls-score", ".anls-row[data-path] >> nth=1"):
            box = visitor.page.locator(part).first.bounding_box()
            assert box is not None
            assert 0 <= box["y"] <= size[1] - box["height"], (number, part)
    top = "row => row.getBoundingClientRect().top + scrollY"
    place = visitor["pair-tree"].locator(".anls-row[data-path]").first.evaluate(top)
    if size == NARROW:
        visitor.page.get_by_role("button", name="Prediction", exact=True).click()
    visitor.paste("pair-prediction", "{")
    if size == NARROW:
        visitor.page.get_by_role("button", name="Score", exact=True).click()
    visitor["pair-title"].get_by_text("Not scored").wait_for()
    assert visitor["pair-tree"].locator(".anls-row[data-path]").first.evaluate(top) == place
    assert visitor.page.evaluate("window.shift") < 0.05


# the sum of the layout shifts since the page was loaded that no click or key explains
SHIFTS = """() => {
  window.shift = 0;
  window.shifts = new PerformanceObserver(list => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) window.shift += each.value;
  });
  window.shifts.observe({ type: "layout-shift", buffered: true });
}"""


def test_a_long_request_says_so_and_can_be_cancelled(visit: Visit) -> None:
    visitor = visit()
    lists = [[one * 20_000 + str(n) + other * 25_000 for n in range(20)] for one, other in ("ab", "ca")]
    visitor.score(*map(json.dumps, lists))
    visitor.page.wait_for_function(STOP)
    visitor["pair-detail"].get_by_text("Stopped.").wait_for()
    assert visitor["pair-result"].get_attribute("data-stale") == ""


# Cancel is pressed as soon as it can be: the request may be over before a test sees that.
STOP = """() => {
  const [act, detail] = ["pair-act", "pair-detail"].map(id => document.getElementById(id));
  if (act.hidden || act.textContent !== "Cancel" || !/taking longer than usual/.test(detail.textContent)) return false;
  act.click();
  return true;
}"""

MENU = {"menu": [{"nm": "Tea", "price": "2"}, {"nm": "Cake", "price": "4"}], "total": "6", "date": "1 May"}
ORDER = {"menu": [{"nm": "Cake", "price": "5"}, {"nm": "Tea", "price": "2"}], "total": "6", "tip": "1"}
EXPLAINED = {  # the options that change its score
    "anls_star": ["threshold", "ignore_case", "rules", "numbers"],
    "kieval": ["normalise"],
    "entity_f1": ["normalise", "donut"],
    "nted": ["donut"],
}


def test_every_metric_shows_its_figure_and_the_tree(visit: Visit) -> None:
    """Without a tree of its own, it says whose it is; only the options that it uses are offered."""
    visitor = visit()
    for metric, options in EXPLAINED.items():
        score = evaluate(predictions=[ORDER], references=[MENU], metrics=metric).score
        visitor.choose("metric", metric)
        visitor.score(json.dumps(MENU, indent=1), json.dumps(ORDER, indent=1))
        assert {"missing", "wrong", "partial"} & set(statuses(visitor).values())
        assert visitor.total() == pytest.approx(score, abs=5e-4), metric
        assert ("This is the tree of ANLS*. Its score is " in visitor.tree().inner_text()) == (metric != "anls_star")
        shown = visitor["pair-options"].locator("[data-option]")
        shown = shown.evaluate_all("all => all.filter(e => !e.closest('[hidden]')).map(e => e.dataset.option)")
        assert set(options) <= set(shown), metric
        visitor.row("$.date").click()
        assert marked(visitor)[0] == "13-13"
        visitor.tree().locator(".anls-row[data-path]").first.focus()
        visitor.page.keyboard.press("n")
        assert visitor.page.evaluate("document.activeElement.dataset.status") != "exact"


def test_text_that_tries_to_be_code_is_text(visit: Visit) -> None:
    """In keys and in values, by each metric."""
    visitor = visit()
    keys: Any = {**dict.fromkeys(HOSTILE, "x"), "k" * 10_000: {text: ["x", {text: 1}] for text in HOSTILE}}
    other_keys = {**dict.fromkeys(HOSTILE[::2], "y"), **{text + "!": "x" for text in HOSTILE}}
    other_values = [text[:-1] + "#" for text in HOSTILE] + [text * 3 for text in HOSTILE]
    shown = [text for text in HOSTILE if text.isascii() and len(text) < 100]  # others are shortened or escaped
    for metric in EXPLAINED:
        visitor.choose("metric", metric)
        for truth, guess, drawn in ((keys, other_keys, shown), (HOSTILE, other_values, map(json.dumps, shown))):
            visitor.score(json.dumps(truth), json.dumps(guess))
            tree = visitor.tree()
            texts = tree.text_content() or ""
            assert not set(texts) & set("\u202e\u2066"), metric
            assert tree.locator("script, img, [onfocus], [onerror], [autofocus]").count() == 0, metric
            assert metric != "anls_star" or all(text in texts for text in drawn)
    assert visitor.sideways() == 0


@pytest.mark.parametrize(
    ("size", "dark"),
    [
        *(pytest.param(*look, marks=pytest.mark.ci) for look in LOOKS),
        *((WIDE, True), (NARROW, False), (browser.ZOOMED, False)),
    ],
)
def test_every_tab_passes_axe(visit: Visit, size: tuple[int, int], dark: bool) -> None:
    visitor = visit("/?__theme=dark" if dark else "/", size=size, dark=dark)
    for tab in ("One pair", "Test set", "Compare", "API"):
        visitor.open_tab(tab)
        found = axe(visitor.page, "html")
        for _ in range(20 if found else 0):  # gradio may still be drawing the page
            visitor.page.wait_for_timeout(250)
            found = axe(visitor.page, "html")
            if not found:
                break
        assert found == [], tab
        assert visitor.sideways() == 0, tab
    assert visitor.page.locator("table:visible").count() == 0


FILL = "(input, text) => { input.value = text; input.dispatchEvent(new Event('input', { bubbles: true })); }"


def test_a_link_brings_the_pair_to_another_browser(visit: Visit) -> None:
    """All in the hash, which no server sees; and what was typed and not yet scored is in it too."""
    visitor = visit()
    visitor.choose("ignore_case", "false")
    visitor["pair-options"].locator("[name=pair-threshold]").evaluate(FILL, "0.1")
    visitor.paste("pair-truth", '"ABcde ü €"')
    visitor.paste("pair-prediction", '"abcde ü €"')
    visitor["pair-link"].click()
    link = visitor.copied('"abcde ü €"')
    visitor.page.wait_for_function("link => location.href === link", arg=link)
    assert "?" not in link
    other = visit(link.removeprefix(visitor.app.url))
    other.has_score("0.778")
    assert (other.typed("pair-truth"), other.typed("pair-prediction")) == ('"ABcde ü €"', '"abcde ü €"')
    assert other.page.locator(".chip").all_text_contents() == ["threshold 0.1×", "case counts×"]
    pasted = packed({"truth": '"abcde"', "prediction": '"abcdf"', "metric": "nted"})
    other.open_tab("API")
    other.page.evaluate("hash => { location.hash = hash; }", pasted)  # as one that is pasted into the address bar
    other.has_score("0.800")
    assert other.page.locator(".chip").all_text_contents()[0] == "nTED×"


def test_what_scores_higher_is_offered_and_its_schema_travels(visit: Visit) -> None:
    """With the score that it gives, beside other options; into the link and the Python code, which can be copied."""
    visitor = visit()
    visitor.choose("numbers", "value")
    visitor.score('{"a": 1234.5, "b": "tea"}', '{"a": "1.234,50", "b": "tea"}')
    visitor.has_score("0.812")
    visitor["pair-tree"].get_by_role("button", name="Compare numbers in any notation → 1.000").click()
    visitor.has_score("1.000")
    assert visitor.page.locator(".chip").all_text_contents() == ["by value×", "by schema×"]
    visitor["pair"].locator(".code-of summary").click()
    visitor["pair"].get_by_role("button", name="Copy", exact=True).first.click()
    visitor["pair"].get_by_role("button", name="Copied", exact=True).wait_for()
    assert "docscore" in visitor.copied("")
    with visitor.page.expect_download() as sent:
        visitor["pair-schemas"].get_by_role("button", name="Schema in use as JSON").click()
    assert json.loads(Path(sent.value.path()).read_text())["properties"]["a"] == {"type": "number"}
    other = visit(visitor.page.url.removeprefix(visitor.app.url))
    other.has_score("1.000")
    assert other.page.locator(".chip").all_text_contents() == ["by value×", "by schema×"]
    other["pair-schema-file"].set_input_files(payload("s.json", b'{"properties": {"c": {"type": "number"}}}'))
    other["pair-detail"].get_by_text("no ground truth has any of the fields").wait_for()
    other["pair-act"].get_by_text("Leave the schema out").click()
    other.has_score("0.812")


STRANGE_LINKS = {
    "#pair=AAAA": "it is damaged",
    packed({"truth": "1", "prediction": "2", "metric": "<img src=x onerror=alert(1)>"}): "metric: expected 'anls_star'",
}


def paste_another(visitor: Visitor) -> None:
    visitor.paste("pair-truth", '{"c": "oak"}')


def open_another(visitor: Visitor) -> None:
    visitor["pair-truth"].locator("input[type=file]").set_input_files(payload("c.json", b'{"c": "oak"}'))


def follow_a_link(visitor: Visitor) -> None:
    link = packed({"truth": '{"c": "oak"}', "prediction": '{"c": "elm"}', "reading": "json"})
    visitor.page.evaluate("hash => { location.hash = hash; }", link)


@pytest.mark.parametrize(
    "load", [functools.partial(choose_example, number=1), follow_a_link, paste_another, open_another]
)
def test_a_suggested_schema_belongs_to_its_pair(visit: Visit, load: Callable[[Visitor], None]) -> None:
    """It goes when another pair is loaded, also after a reload; a schema that the visitor chose stays."""
    visitor = visit()
    visitor.score('{"a": 1234.5}', '{"a": "1.234,50"}')
    visitor["pair-tree"].get_by_role("button", name=re.compile("→ 1.000")).click()
    visitor.has_score("1.000")
    chips = visitor["pair-chips"].locator(".chip")
    assert chips.all_text_contents() == ["by schema×"]
    visitor.page.wait_for_function("sessionStorage.getItem('docscore-pair').includes('1.234,50')")
    visitor.page.reload()
    visitor.has_score("1.000")
    visitor.page.locator("#pair .screen[data-ready]").wait_for(state="attached")
    load(visitor)
    chips.wait_for(state="detached")
    schema = b'{"properties": {"c": {"type": "string"}}}'
    visitor["pair-schema-file"].set_input_files(payload("own.json", schema))
    chips.get_by_text("by schema own.json").wait_for()
    load(visitor)
    visitor.page.wait_for_timeout(500)
    assert chips.all_text_contents() == ["by schema own.json×"]


def test_a_link_that_is_no_pair_is_refused_with_a_sentence(visit: Visit) -> None:
    """Before anything of it reaches the page, which works as ever."""
    visitor = visit("/" + next(iter(STRANGE_LINKS)))
    for link, refusal in STRANGE_LINKS.items():
        visitor.page.evaluate("hash => { location.hash = ''; location.hash = hash; }", link)
        visitor["pair-status"].get_by_text(f"This link could not be opened: {refusal}").wait_for()
        assert visitor["pair-result"].locator(".anls-score").inner_text() == "0.652"
    visitor.score('"a"', '"a"')
    assert visitor.total() == 1


def test_a_link_works_from_inside_a_frame(visit: Visit, tmp_path: Path) -> None:
    """A page of another origin shows this one in a frame, as the hub does: the link is that of the framed page."""
    visitor = visit()
    (tmp_path / "outer.html").write_text(
        f"<iframe src='{visitor.app.url}' allow='clipboard-write' width=1200 height=800>"
    )
    (tmp_path / "favicon.ico").touch()
    serves = functools.partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), serves) as hub:
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        visitor.page.goto(f"http://localhost:{hub.server_port}/outer.html")
        frame = visitor.page.frame_locator("iframe")
        frame.locator("#pair .screen[data-ready]").wait_for()
        frame.locator("#pair-truth textarea").fill('"abcd"')
        frame.locator("#pair-prediction textarea").fill('"abce"')
        visitor.copy("old")
        frame.locator("#pair-link").click()
        frame.get_by_text("It opens this page outside the frame.").wait_for()
        frame.locator("#pair-result").get_by_text("0.750").first.wait_for()
        assert "outside the frame" in frame.locator(".told").inner_text()  # the score does not take its place
        visit(visitor.copied("old").removeprefix(visitor.app.url)).has_score("0.750")
        hub.shutdown()


def test_the_snippets_of_the_api_work_as_they_stand(visit: Visit) -> None:
    """At the address of the visitor, who may come by another name, and with the tool that agents find."""
    pytest.importorskip("gradio_client")
    visitor = visit()
    there = visitor.app.url.replace("127.0.0.1", "localhost")
    visitor.page.goto(f"{there}/?__theme=dark#x")
    visitor.page.locator("#pair .screen[data-ready]").wait_for()
    visitor.open_tab("API")
    visitor.page.locator(".api[data-ready]").wait_for()
    assert set(visitor.page.locator(".api-address").all_inner_texts()) == {there}
    assert "127.0.0.1" not in visitor["api"].inner_text()
    tools, _ = of_an_agent(visitor.app)
    assert visitor.page.locator(".api-tool").inner_text() == ", ".join(tool.name for tool in tools)
    blocks = visitor.page.locator(".api code[data-language]").all()
    found = [(block.get_attribute("data-language"), block.inner_text()) for block in blocks]
    assert [language for language, _ in found] == ["python", "bash", "json", "python"]
    for language, script in found:
        if language == "json":
            assert json.loads(script)["mcpServers"]["docscore"]["url"] == f"{there}/gradio_api/mcp/"
            continue
        command = [sys.executable, "-c", script] if language == "python" else ["bash", "-c", script]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=HUNG)
        assert done.returncode == 0, done.stderr
        assert f"{score_tree('12.50', '12.5').score}"[:6] in done.stdout, (done.stdout, done.stderr)
    visitor.page.get_by_role("button", name="Copy").first.click()
    assert visitor.copied("") == found[0][1]


def test_what_is_on_the_screen_survives_a_reload_and_is_the_address(visit: Visit) -> None:
    """Text that was edited after a link was copied, options, and a text too long for an address."""
    visitor = visit()
    visitor.choose("numbers", "value")
    visitor.score('{"a": 1}', '{"a": 1.0}')
    visitor.has_score("1.000")
    visitor["pair-link"].click()
    visitor.page.locator(".told").get_by_text("copied").wait_for()  # what is pasted next is not the link
    copied = visitor.page.url
    visitor.score('{"a": 1}', '{"a": 2.0}')
    visitor.has_score("0.000")
    visitor.page.wait_for_function("copied => location.href !== copied", arg=copied)
    long = json.dumps({"a": 1, "b": [f"{n * n * 7919 % 99991}" for n in range(20_000)][:19_000]}, indent=2)
    for truth in ('{"a": 1}', long):
        visitor.score(truth, '{"a": 2.0}')
        visitor.tree()
        visitor.open_tab("API")
        visitor.page.reload()
        visitor.page.locator("#pair .screen[data-ready]").wait_for(state="attached")
        visitor.open_tab("One pair")
        assert (visitor.typed("pair-truth"), visitor.typed("pair-prediction")) == (truth, '{"a": 2.0}')
        assert visitor.page.locator(".chip").all_text_contents() == ["by value×"]


@contextlib.contextmanager
def proxy(address: str) -> Iterator[str]:
    """A proxy that serves what is at an address as `/demo`, with and without a slash behind it."""

    class Handler(BaseHTTPRequestHandler):
        def pass_on(self) -> None:
            _, demo, path = self.path.partition("/demo")
            if not demo:
                self.send_error(404)
                return
            body = self.rfile.read(int(self.headers["content-length"] or 0)) or None
            kind = {"Content-Type": self.headers["content-type"] or "", "Host": self.headers["host"]}
            request = urllib.request.Request(f"{address}/{path.lstrip('/')}", body, kind, method=self.command)  # noqa: S310
            try:
                answer = urllib.request.urlopen(request, timeout=HUNG)  # noqa: S310
            except urllib.error.HTTPError as error:
                answer = error
            with answer:
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.headers["content-type"] or "")
                self.end_headers()
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    while portion := answer.read1(65_536):
                        self.wfile.write(portion)

        do_GET = do_POST = do_HEAD = pass_on  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_page_works_behind_a_proxy_with_and_without_a_slash(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The scores of a pair and of files, the fonts, and what agents find."""
    with browser.started(tmp_path_factory.mktemp("proxy"), GRADIO_ROOT_PATH="/demo") as app, proxy(app.url) as address:
        for path in ("/demo", "/demo/"):
            visitor = browser.Visitor(chromium, app._replace(url=address), browser.WIDE, dark=False)
            visitor.page.route("**/favicon.ico", lambda route: route.fulfill(status=204))
            visitor.arrive(path)
            visitor.score('{"a": "tea"}', '{"a": "tee"}')
            assert visitor.total() == 0.667, path
            visitor.open_tab("API")
            visitor.page.locator(".api-tool", has_text="score").wait_for()
            assert visitor.page.url == f"{address}/demo/#api"
            visitor.open_tab("Test set")
            visitor.page.locator(".testset[data-loaded]").wait_for()
            visitor["testset"].get_by_role("button", name=re.compile("40")).click()
            visitor.page.locator("#testset .testset[data-ready]").wait_for(state="attached")
            fonts = visitor.page.evaluate("document.fonts.ready.then(all => [...all].map(font => font.status))")
            assert set(fonts) <= {"loaded", "unloaded"}
            browser.close_all([visitor])


def test_without_a_server_the_page_says_so_and_tries_again(visit: Visit) -> None:
    visitor = visit()
    visitor.page.route(SERVER, lambda route: route.abort())
    visitor.paste("pair-prediction", '{"a": 1}')
    visitor["pair-detail"].get_by_text("The server does not respond.").wait_for()
    visitor.page.unroute(SERVER)
    visitor["pair-act"].click()
    visitor["pair-title"].wait_for(state="hidden")
    visitor.errors.clear()  # what the browser says of requests that it could not send
