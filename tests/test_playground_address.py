"""The tab "API" in a real browser: its snippets hold the address of the visitor and the name of the tool, and work."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from docscore import score_tree
from tests import browser
from tests.browser import LOOKS, Visit, Visitor, axe
from tests.commands import environment
from tests.conftest import HUNG
from tests.test_playground_api import of_an_agent

playground, chromium, visit = browser.playground, browser.chromium, browser.visit


def on_the_tab(visitor: Visitor) -> Visitor:
    visitor.open_tab("API")
    visitor.page.locator(".api[data-ready]").wait_for()
    return visitor


def snippets(visitor: Visitor) -> list[tuple[str, str]]:
    """The language and the text of each block."""
    blocks = visitor.page.locator(".api code[data-language]")
    return [(block.get_attribute("data-language") or "", block.inner_text()) for block in blocks.all()]


def test_the_snippets_work_as_they_stand(visit: Visit) -> None:
    """At the address of this app, without a change."""
    pytest.importorskip("gradio_client")
    visitor = on_the_tab(visit())
    blocks = snippets(visitor)
    assert [language for language, _ in blocks] == ["python", "bash", "json", "python"]
    for language, script in blocks:
        if language == "json":
            assert json.loads(script)["mcpServers"]["docscore"]["url"] == f"{visitor.app.url}/gradio_api/mcp/"
            continue
        command = [sys.executable, "-c", script] if language == "python" else ["bash", "-c", script]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=HUNG)
        assert done.returncode == 0, done.stderr
        expected = score_tree("12.50", "12.5").score
        assert f"{expected}"[:6] in done.stdout, (done.stdout, done.stderr)


def test_the_address_is_that_of_the_visitor(visit: Visit) -> None:
    """Who comes by another name, as through a proxy, reads that name, without what else stands in the link."""
    visitor = visit()
    there = visitor.app.url.replace("127.0.0.1", "localhost")
    visitor.page.goto(f"{there}/?__theme=dark#x")
    visitor.page.locator(".ws[data-ready]").wait_for()
    on_the_tab(visitor)
    shown = visitor.page.locator(".api-address").all_inner_texts()
    assert set(shown) == {there}
    assert "127.0.0.1" not in visitor["api"].inner_text()


def test_the_tool_has_the_name_that_agents_find(visit: Visit) -> None:
    visitor = on_the_tab(visit())
    tools, _ = of_an_agent(visitor.app)
    assert visitor.page.locator(".api-tool").inner_text() == ", ".join(tool.name for tool in tools)


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=str)
def test_what_is_drawn(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """Nothing is wider than the window, axe finds nothing, and a snippet is copied whole."""
    visitor = on_the_tab(visit(size=size, dark=dark))
    assert visitor.sideways() == 0
    assert axe(visitor.page, "#api") == []
    visitor.page.get_by_role("button", name="Copy").first.click()
    assert visitor.copied("") == snippets(visitor)[0][1]
