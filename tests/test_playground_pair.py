"""The tab "One pair" in a real browser: scores, messages, the keyboard, links, and text that tries to be code."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from docscore import score_tree
from tests import browser
from tests.browser import LOOKS, NARROW, Visit, Visitor, axe

if TYPE_CHECKING:
    from playwright.sync_api import Locator

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

TRUTH = {"vendor": "Ball & Bearing", "total": "41.40", "items": [{"n": "Tea"}, {"n": "Cake"}], "date": "2024"}
GUESS = {"vendor": "Ball & Bearinq", "total": "1", "items": [{"n": "Cake"}, {"n": "Tea"}], "tip": "5"}


def wait_for_message(visitor: Visitor, editor: str, message: str) -> None:
    visitor.fault(editor).get_by_text(re.compile(message)).wait_for()


def statuses(tree: Locator) -> dict[str, str]:
    """The status of every row, by its path."""
    found = tree.locator(".anls-row[data-path]").evaluate_all("all => all.map(e => [e.dataset.path, e.dataset.status])")
    return dict(found)


def focused(visitor: Visitor) -> str | None:
    path: str | None = visitor.page.evaluate("document.activeElement.dataset?.path ?? null")
    return path


@pytest.mark.ci
def test_a_pair_is_scored_as_the_library_scores_it(visit: Visit) -> None:
    visitor = visit()
    visitor.score(json.dumps(TRUTH), json.dumps(GUESS))
    expected = score_tree(TRUTH, GUESS)
    tree = visitor.tree()
    assert visitor.total() == pytest.approx(expected.score, abs=5e-5)
    assert statuses(tree) == {node.path: node.status for node in expected.nodes()}
    assert visitor.row("$.vendor").locator("del, ins").all_inner_texts() == ["g", "q"]
    assert "41.40" in visitor.row("$.total").locator(".anls-truth").inner_text()
    assert visitor.row("$.items[0]").get_by_text("moved 0 → 1").count() == 1
    names = set(tree.locator(".anls-grid span[role=img]").evaluate_all("all => all.map(e => e.ariaLabel)"))
    assert len(names) == len({node.status for node in expected.nodes()})


def test_text_that_was_typed_and_not_pasted_is_scored(visit: Visit) -> None:
    visitor = visit()
    for editor, text in (("pair-truth", '{"a": ["x", "y"]}'), ("pair-prediction", '["x"]')):
        visitor[editor].locator("textarea").click()
        visitor.page.keyboard.press("ControlOrMeta+a")
        visitor.page.keyboard.type(text)
        assert json.loads(visitor.typed(editor)) == json.loads(text)
    visitor.press_score()
    assert visitor.total() == 0
    assert "object" in visitor.row("$").inner_text()


def test_keyboard_alone_gives_the_first_score(visit: Visit) -> None:
    """Ctrl+Enter in an editor; and the button, which Tab reaches from the page's first control on."""
    visitor = visit()
    keyboard = visitor.page.keyboard
    visitor["pair-result"].locator(".anls-tree").evaluate("tree => tree.dataset.old = 1")
    visitor["pair-prediction"].locator("textarea").focus()
    keyboard.press("ControlOrMeta+a")
    keyboard.type("{}")
    keyboard.press("ControlOrMeta+Enter")
    assert visitor.total() == 0
    visitor["pair-metric"].focus()
    for _ in range(12):
        keyboard.press("Tab")
        if visitor.page.evaluate("document.activeElement.id") == "pair-score":
            break
    assert visitor.page.evaluate("document.activeElement.id") == "pair-score"
    visitor["pair-result"].locator(".anls-tree").evaluate("tree => tree.dataset.old = 1")
    keyboard.press("Enter")
    assert visitor.total() == 0


def test_each_example_scores_and_draws_its_tree(visit: Visit) -> None:
    visitor = visit()
    menu = visitor["pair-example"]
    names = menu.locator("option").all_inner_texts()[1:]
    assert len(names) == len(set(names)) >= 7
    for number, name in reversed(list(enumerate(names))):
        visitor["pair-result"].locator(".anls-tree").evaluate("tree => tree.dataset.old = 1")
        menu.select_option(str(number))
        assert visitor.tree().locator(".anls-row[data-path]").count() >= 3, name
        truth, prediction = visitor.typed("pair-truth"), visitor.typed("pair-prediction")
        expected = score_tree(json.loads(truth), json.loads(prediction)).score
        assert visitor.total() == pytest.approx(expected, abs=5e-5), name
    assert visitor["pair-ignore_case"].is_checked()


BAD_PASTES = [
    ('{"a": 1,\n "b" 2}', "line 2, column 6: "),
    ('{"a": "xxx', "line 1, column 7: "),
    ("{'a': 1}", "line 1, column 2: "),
    ('{"a": 1, "a": 2}', "key 'a' occurs twice"),
    ("[" * 250 + "]" * 250, "deeper than 200 levels"),
    (json.dumps(dict.fromkeys(map(str, range(20_001)))), "20,001 values"),
    (" ", "JSON"),
]


@pytest.mark.parametrize("editor", ["pair-truth", "pair-prediction"])
def test_a_bad_paste_is_named_at_its_editor(visit: Visit, editor: str) -> None:
    """The result of the pair before is marked as stale; and the next good pair is scored."""
    visitor = visit()
    visitor.choose("reading", "json")
    other = "pair-prediction" if editor == "pair-truth" else "pair-truth"
    for text, message in BAD_PASTES:
        visitor.score('{"a": "b"}', '{"a": "b"}')
        assert visitor.total() == 1, message
        assert visitor["pair-result"].get_attribute("data-stale") is None, message
        visitor.paste(editor, text)
        assert visitor["pair-result"].get_attribute("data-stale") == "", message
        wait_for_message(visitor, editor, message)
        assert visitor.fault(other).inner_text() == "", message
        assert visitor["pair-result"].get_attribute("data-stale") == "", message
        assert "Not scored." in visitor["pair-status"].inner_text(), message


def test_as_much_as_is_allowed_is_drawn_in_seconds(visit: Visit) -> None:
    """20,000 values: what is not exact is drawn, and a line says what is not."""
    visitor = visit()
    truth = {f"k{n}": f"v{n}" for n in range(20_000)}
    visitor.score(json.dumps(truth), json.dumps({**truth, "k7": "other"}))
    tree = visitor.tree()
    assert visitor.total() == pytest.approx(1, abs=1e-4)
    assert 2 <= tree.locator(".anls-row[data-path]").count() <= 3000
    assert tree.locator(".anls-note").count() == 1


def test_the_shown_python_gives_the_shown_score(visit: Visit, capsys: pytest.CaptureFixture[str]) -> None:
    visitor = visit()
    truth = {"a'\"\\": {"$one_of": ['x"""', "y\n"]}, "é\u202e": None, "n": 1.50}
    visitor.score(json.dumps(truth), json.dumps({"a'\"\\": "y\n", "n": "1.5"}))
    visitor.tree()
    visitor.page.get_by_text("The same in Python").click()
    visitor.page.get_by_text("The result as JSON").click()
    exec(visitor["pair-python"].inner_text(), {})  # noqa: S102  it is what a reader is told to do
    assert capsys.readouterr().out == f"{score_tree(truth, json.loads(json.dumps(GUESS_ODD)))}\n"
    assert '"score"' in visitor["pair-json"].inner_text()


GUESS_ODD: dict[str, Any] = {"a'\"\\": "y\n", "n": "1.5"}


def test_keys_move_through_the_tree(visit: Visit) -> None:
    visitor = visit()
    visitor.score(json.dumps(TRUTH), json.dumps(GUESS))
    visitor.tree()
    keyboard = visitor.page.keyboard
    visitor.row("$").focus()
    keyboard.press("ArrowDown")
    assert focused(visitor) == "$.vendor"
    visitor.copy("old")
    keyboard.press("c")
    assert visitor.copied("old") == "$.vendor"
    keyboard.press("ArrowUp")
    assert focused(visitor) == "$"
    items = visitor.row("$.items")
    items.focus()
    opened = items.evaluate("row => row.parentElement.open")
    keyboard.press("Enter")
    assert items.evaluate("row => row.parentElement.open") is not opened
    keyboard.press("ArrowLeft")
    assert items.evaluate("row => row.parentElement.open") is False
    keyboard.press("ArrowDown")
    assert focused(visitor) == "$.date"  # rows of a closed part are passed over
    items.focus()
    keyboard.press("ArrowRight")
    keyboard.press("ArrowDown")
    assert focused(visitor) == "$.items[0]"


def test_keys_with_a_modifier_are_the_browsers(visit: Visit) -> None:
    """Ctrl+C copies the selected text, not the path."""
    visitor = visit()
    visitor.copy("mine")
    visitor["pair-result"].locator(".anls-row[tabindex]").first.focus()
    visitor.page.keyboard.press("ControlOrMeta+c")
    assert not visitor.copied("mine").startswith("$")


def test_differences_only_hides_what_is_exact(visit: Visit) -> None:
    visitor = visit()
    visitor.score(json.dumps({**TRUTH, "same": "x"}), json.dumps({**GUESS, "same": "x"}))
    tree = visitor.tree()
    visible = "all => all.filter(e => e.checkVisibility()).map(e => e.dataset.status)"
    assert "exact" in tree.locator(".anls-row[data-path]").evaluate_all(visible)
    tree.locator(".anls-only").check()
    left = tree.locator(".anls-row[data-path]").evaluate_all(visible)
    assert "exact" not in left
    assert {"partial", "wrong", "missing", "extra"} <= set(left)
    tree.locator(".anls-only").uncheck()
    assert "exact" in tree.locator(".anls-row[data-path]").evaluate_all(visible)


def test_a_loss_leads_to_its_row(visit: Visit) -> None:
    """Even where the part that holds it is closed; and the address keeps its hash."""
    visitor = visit()
    truth = {"a": {"b": {"c": "right", "d": "x"}}, **{f"k{n}": "v" for n in range(60)}}
    visitor.score(json.dumps(truth), json.dumps({**truth, "a": {"b": {"c": "zzz", "d": "x"}}}))
    tree = visitor.tree()
    tree.locator("details").evaluate_all("all => all.forEach(each => each.open = false)")
    links = tree.locator("ol.anls-losses a[href^='#']")
    assert links.locator(".anls-where").all_inner_texts() == ["$.a.b.c"]
    links.first.click()
    assert focused(visitor) == "$.a.b.c"
    assert visitor.row("$.a.b.c").is_visible()


def test_the_ten_largest_losses_in_order(visit: Visit) -> None:
    visitor = visit()
    truth = {"many": ["x"] * 5, **{f"k{n}": "v" for n in range(20)}}
    visitor.score(json.dumps(truth), "{}")
    links = visitor.tree().locator("ol.anls-losses .anls-where").all_inner_texts()
    assert len(links) == 10
    assert links[0] == "$.many"


HOSTILE = [
    f'<img src=x onerror="{browser.XSS}=1">',
    f"${{{browser.XSS}=1}}",
    f"`{browser.XSS}=1`",
    "{{value}}",
    f"{{{{{browser.XSS}=1}}}}",
    "</details></div></code>",
    f'"><script>{browser.XSS}=1</script>',
    f"' onfocus='{browser.XSS}=1' autofocus tabindex='0",
    f"javascript:{browser.XSS}=1",
    "a\u202eb\u2066c",
    "__proto__",
    "constructor",
]


@pytest.mark.parametrize("side", ["keys", "values"])
def test_text_that_tries_to_be_code_is_text(visit: Visit, side: str) -> None:
    visitor = visit()
    if side == "keys":
        truth: Any = {**dict.fromkeys(HOSTILE, "x"), "k" * 10_000: {text: ["x", {text: 1}] for text in HOSTILE}}
        guess: Any = {**dict.fromkeys(HOSTILE[::2], "y"), **{text + "!": "x" for text in HOSTILE}}
    else:
        truth, guess = HOSTILE, [text[:-1] + "#" for text in HOSTILE] + [text * 3 for text in HOSTILE]
    visitor.score(json.dumps(truth), json.dumps(guess))
    tree = visitor.tree()
    assert statuses(tree).keys() == {
        node.path.replace("\u202e", "\\u202e") for node in score_tree(truth, guess).nodes()
    }
    texts = tree.text_content() or ""
    for text in HOSTILE:
        if text.isascii():  # others are shown escaped
            assert (text if side == "keys" else json.dumps(text)) in texts
        assert not set(texts) & set("\u202e\u2066")
    assert tree.locator("script, img, [onfocus], [onerror], [autofocus]").count() == 0
    assert tree.evaluate("tree => tree.parentElement.querySelectorAll('.anls-grid > details').length") == 1
    for link in tree.locator(".anls-losses a").all()[:3]:
        link.click()
    assert visitor.page.evaluate(f"typeof {browser.XSS}") == "undefined"
    assert visitor.sideways() == 0


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=str)
def test_axe_finds_nothing_in_what_we_draw(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    visitor = visit(size=size, dark=dark)
    assert visitor.page.evaluate("document.body.classList.contains('dark')") is dark
    visitor.score(
        json.dumps({**TRUTH, "o": {"$one_of": ["x", "y"]}, "deep": [[[["word"]]]]}),
        json.dumps({**GUESS, "o": "z", "deep": [[[["ward"]]]]}),
    )
    tree = visitor.tree()
    tree.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
    assert axe(visitor.page, "#pair") == []
    assert visitor.sideways() == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_narrow_page_does_not_scroll_sideways(visit: Visit, *, dark: bool) -> None:
    """Not with words of any length, and on no tab."""
    visitor = visit(size=NARROW, dark=dark)
    assert visitor.sideways() == 0
    visitor.score(json.dumps({"k" * 500: "v" * 500, "a": "b " * 300}), json.dumps({"k" * 500: "v" * 499 + "w"}))
    visitor.tree()
    assert visitor.sideways() == 0
    for tab, last in (("A file", "file-score"), ("API", "api")):
        visitor.open_tab(tab)
        visitor[last].wait_for()
        assert visitor.sideways() == 0, tab
