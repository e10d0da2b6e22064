"""Render results and messages for the page as HTML fragments, from templates."""

from pathlib import Path
from typing import Any

from docscore.core.formatting import printable
from docscore.report.html_tree import macro_as_html
from playground.limits import shortened

_TEMPLATES = Path(__file__).with_name("templates")


def fragment(macro: str, *arguments: Any, template: str = "fragments.html.jinja") -> str:
    """Render a macro of one of the page's templates as HTML."""
    return macro_as_html(template, macro, *arguments, folders=(_TEMPLATES,))


def lines_of(text: str) -> list[str]:
    """The lines of a message, each shortened and without characters that cannot be seen."""
    return [shortened(printable(line)) for line in text.split("\n")]
