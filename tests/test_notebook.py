"""What notebooks and consoles show of results: short, escaped, with its own style; and the notebook of the docs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import docscore
from tests import browser
from tests.browser import MILLISECONDS, axe
from tests.commands import script_at
from tests.conftest import ROOT, golden, needs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

chromium = browser.chromium

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
SCRIPT = ROOT / "examples" / "notebook" / "execute.py"
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>&\x1b[31m"
SHOWN = "&lt;script&gt;alert(1)&lt;/script&gt;"


def evaluated(found: Any, **options: Any) -> docscore.Evaluation:
    truths = {MARKUP: {MARKUP: MARKUP, "n": "tea"}, "b": {MARKUP: "rum", "n": "ale"}}
    return docscore.evaluate(predictions=found, references=truths, **options)


@pytest.fixture(scope="module")
def drawn() -> dict[str, Any]:
    """One value of each kind, full of markup."""
    better = {MARKUP: {MARKUP: MARKUP, "n": "tea"}, "b": {MARKUP: "rum", "n": "xxx"}}
    base = evaluated({**better, MARKUP: {MARKUP: f"{MARKUP}!", "n": "tea"}}, by=str)
    return {
        "result": base,
        "result of another metric": evaluated(better, metrics="kieval"),
        "fields": base.fields,
        "causes": base.causes,
        "documents": base.row_scores,
        "slices": base.slices,
        "document": base[MARKUP],
        "tree": base[MARKUP].tree,
        "comparison": base.compare(evaluated(better)),
    }


@golden("notebook", "shown")
def test_what_is_shown_is_short_escaped_and_has_a_style_for_itself(
    drawn: dict[str, Any], kind: str, beginning: str, length: int
) -> None:
    """No text can steer a terminal, and the drawing has no markup of values."""
    shown, text, page = repr(drawn[kind]), str(drawn[kind]), drawn[kind]._repr_html_()
    assert shown.startswith(beginning)
    assert len(shown) < length
    assert shown.isprintable()
    assert len(text) > 20
    assert all(line.isprintable() for line in text.split("\n"))
    assert not re.search("<script|<img|\x1b", page)
    assert SHOWN in page or kind in ("causes", "slices", "result of another metric")
    (style,) = re.findall(r"<style>(.*?)</style>", page, flags=re.DOTALL)
    rules = re.sub(r"/\*.*?\*/|@(?:media|container)[^{]*\{", "", style, flags=re.DOTALL)
    selectors = [part for rule in re.findall(r"([^{}]+)\{", rules) for part in rule.split(",\n")]
    assert selectors
    assert [each for each in selectors if ".anls-" not in each] == []


def test_the_same_tree_is_drawn_alike_and_ids_of_others_differ(drawn: dict[str, Any]) -> None:
    first, again = (drawn["document"]._repr_html_() for _ in range(2))
    other = drawn["result"]["b"]._repr_html_()
    ids = [set(re.findall(r' id="([^"]+)"', page)) for page in (first, again, other)]
    assert ids[0] == ids[1]
    assert ids[0] & ids[2] == set()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    tab = chromium.new_page()
    tab.set_default_timeout(MILLISECONDS)
    yield tab
    tab.close()


@golden("notebook", "pages")
def test_light_and_dark(page: Page, drawn: dict[str, Any], around: str, system: Any, dark: bool) -> None:
    """As the page around it is, or else as the system wants."""
    page.emulate_media(color_scheme=system)
    content = "\n".join(drawn[kind]._repr_html_() for kind in ("result", "fields", "document"))
    page.set_content(
        f"<!doctype html><html lang=en><title>x</title><body {around}><main>{content}</main></body></html>"
    )
    colours = page.evaluate(
        "[...document.querySelectorAll('.anls-tree, td')].map(each => getComputedStyle(each))"
        ".map(each => [each.colorScheme, each.color])"
    )
    ink = "rgb(230, 237, 243)" if dark else "rgb(31, 35, 40)"
    assert {tuple(each) for each in colours} == {("dark" if dark else "light", ink)}
    assert axe(page, "main") == []


# what a reader sees of each element; others, such as whether text can be selected, are the page's affair
SEEN = [
    *("background-color", "border-bottom-width", "color", "display", "font-family", "font-size", "font-weight"),
    *("line-height", "list-style-type", "margin-bottom", "margin-left", "margin-top", "padding-bottom", "padding-left"),
    *("padding-right", "padding-top", "table-layout", "text-align", "text-decoration-line", "vertical-align"),
    "white-space",
]
STYLES = """names => [...document.querySelectorAll(".anls-notebook *")]
    .filter(each => !each.closest("style, input"))
    .map(each => [each, getComputedStyle(each)])
    .map(([each, style]) => [each.tagName + "." + each.className, ...names.map(name => style.getPropertyValue(name))])
"""


@pytest.mark.parametrize("template", ["lab", "classic"])
def test_the_style_of_an_exported_page_changes_nothing(page: Page, drawn: dict[str, Any], template: str) -> None:
    """Those of Jupyter put text to the right, stripes behind rows and bullets before lines."""
    needs("nbconvert", "nbformat")
    import nbconvert  # noqa: PLC0415  not in every environment
    import nbformat.v4  # noqa: PLC0415

    shown = [drawn[kind]._repr_html_() for kind in ("result", "fields", "causes", "document", "comparison")]
    outputs = [nbformat.v4.new_output("display_data", {"text/html": each}) for each in shown]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=outputs)])
    html, _ = nbconvert.HTMLExporter(template_name=template).from_notebook_node(book)
    page.route("**/*", lambda route: route.abort())  # what it would load from elsewhere
    styles: list[list[list[str]]] = []
    for content in (f"<!doctype html>{''.join(shown)}", html):
        page.set_content(content, wait_until="domcontentloaded")
        styles.append(page.evaluate(STYLES, SEEN))
    alone, exported = styles
    assert len(alone) > 100
    for ours, theirs in zip(alone, exported, strict=True):
        differing = [
            (name, *each) for name, *each in zip(SEEN, ours[1:], theirs[1:], strict=True) if each[0] != each[1]
        ]
        assert {each for each in differing if each != ("text-align", "start", "left")} == set(), ours[0]


def figures(notebook: Any) -> list[list[str]]:
    """The numbers that each cell shows, as text and as HTML without style; the last digits depend on the processor."""
    texts = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {"text/plain": output.get("text", "")})
            page = re.sub(r"<style.*?</style>|<[^>]+>", " ", data.get("text/html", ""), flags=re.DOTALL)
            numbers = (re.findall(r"\d+\.\d+", text) for text in (data["text/plain"], page))
            texts += [[f"{float(number):.12g}" for number in found] for found in numbers]
    return texts


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_notebook_of_the_docs_shows_the_figures_of_today() -> None:
    """After a change: python examples/notebook/execute.py."""
    needs("ipykernel", "nbclient", "nbformat", "pandas")
    script = script_at(SCRIPT)
    import nbformat  # noqa: PLC0415  an extra

    before = figures(nbformat.read(NOTEBOOK, as_version=4))
    assert sum(map(len, before)) > 100
    assert figures(script.executed()) == before
