"""Display of results: `docscore.report` draws them, and is imported when a result is displayed."""

from collections.abc import Callable
from typing import Any


class Displayed:
    """Base class of results that print as text and that notebooks draw as HTML."""

    __slots__ = ()

    def __str__(self) -> str:
        from docscore.report.display import text_of  # noqa: PLC0415  needs rich

        return text_of(self)

    def _repr_html_(self) -> str:
        from docscore.report.display import html_of  # noqa: PLC0415  needs jinja2

        return html_of(self)

    def _renderers(self, **settings: Any) -> dict[str, Callable[[], str]]:
        """Return the functions that render the report on the result, by extension."""
        from docscore.report.display import renderers_of  # noqa: PLC0415

        return renderers_of(self, **settings)
