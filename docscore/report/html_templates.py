"""HTML from templates: whatever is put into one is escaped, and made printable, by the environment itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docscore.core.formatting import printable

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent


@cache
def template_environment(*folders: Path) -> Environment:
    """The environment of the templates of the report.

    Args:
        folders: where templates are looked for first; they may import the macros of the report.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415  slow to import

    return Environment(
        loader=FileSystemLoader([*folders, _HERE / "templates", _HERE]),  # the style sheets are in the last
        autoescape=True,
        finalize=_printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def _printable(value: object) -> object:
    """What an expression of a template gives, as text without control characters; markup of other templates as it is.

    The environment applies it to every expression, before it escapes.
    """
    if type(value) is not str:
        if hasattr(value, "__html__"):
            return value
        value = str(value)
    return printable(value)


def macro_as_html(template: str, macro: str, /, *arguments: Any, folders: tuple[Path, ...] = ()) -> str:
    """The HTML that a macro gives.

    Args:
        template: the name of the template that holds it.
        macro: its name.
        arguments: what it is called with.
        folders: where templates are looked for first.
    """
    module = template_environment(*folders).get_template(template).module
    return str(getattr(module, macro)(*arguments))
