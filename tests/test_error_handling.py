"""Code that handles errors reads their attributes, never the words of their messages."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.conftest import ROOT


def searched_messages(source: str) -> Iterator[int]:
    """The lines on which code searches the text of an error that it caught, or compares the name of its type."""
    tree = ast.parse(source)
    handlers = [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name]
    for handler in handlers:
        texts = {f"str({handler.name})", f"repr({handler.name})", f"type({handler.name}).__name__"}
        for node in ast.walk(handler):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in texts:
                yield node.lineno
            if isinstance(node, ast.Compare) and texts & {ast.unparse(each) for each in ast.walk(node)}:
                yield node.lineno


def test_no_control_flow_reads_the_words_of_a_message() -> None:
    sources = [ROOT / "app.py", ROOT / "anls_star.py"]
    for folder in ("docscore", "playground", "evaluate_modules"):
        sources += (ROOT / folder).rglob("*.py")
    found = {str(path): list(searched_messages(path.read_text(encoding="utf-8"))) for path in sources}
    assert {path: lines for path, lines in found.items() if lines} == {}
