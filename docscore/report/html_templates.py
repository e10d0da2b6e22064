"""Render HTML templates; the environment escapes all values and makes control characters visible."""

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
    """Return the jinja2 environment of the report's templates.

    Args:
        folders: folders to search first; their templates may import the macros of the report.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415  slow to import

    return Environment(
        loader=FileSystemLoader([*folders, _HERE / "templates", _HERE]),  # the style sheets are in the last folder
        autoescape=True,
        finalize=_printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def _printable(value: object) -> object:
    """The value of a template expression as text without control characters; markup of other templates is unchanged.

    The environment applies it to every expression, before it escapes.
    """
    if type(value) is not str:
        if hasattr(value, "__html__"):
            return value
        value = str(value)
    return printable(value)


def macro_as_html(template: str, macro: str, /, *arguments: Any, folders: tuple[Path, ...] = ()) -> str:
    """Render a macro of a template as HTML.

    Args:
        template: the name of the template.
        macro: the name of the macro.
        arguments: the arguments of the macro.
        folders: folders to search first.
    """
    module = template_environment(*folders).get_template(template).module
    return str(getattr(module, macro)(*arguments))
