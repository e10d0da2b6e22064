"""Render results and messages for the page as HTML fragments, from the templates of the page and its tabs."""

from pathlib import Path
from typing import Any

from docscore.report.html_tree import macro_as_html

PAGE = Path(__file__).parent.parent
_FOLDERS = tuple(PAGE / name for name in ("parts", "pair", "testset", "compare", "review"))


def fragment(macro: str, *arguments: Any, template: str = "fragments.html.jinja") -> str:
    """Render a macro of one of the page's templates as HTML."""
    return macro_as_html(template, macro, *arguments, folders=_FOLDERS)
