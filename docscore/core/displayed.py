"""The base class of results that print as text and render in notebooks, and the hook to the renderer."""

from typing import Any, ClassVar


class LazyRenderer:
    """The hook that results call to render themselves; `docscore/__init__.py` sets it.

    Attributes:
        display: returns the module that displays results, `docscore.report.display`.
    """

    display: ClassVar[Any]


class Displayed:
    """Base class of results that print as text and that notebooks render as HTML."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(LazyRenderer.display().text_of(self))

    def _repr_html_(self) -> str:
        return str(LazyRenderer.display().html_of(self))

    def _renderers(self, **settings: Any) -> Any:
        """Return the functions that render the report on the result, by extension."""
        return LazyRenderer.display().renderers_of(self, **settings)
