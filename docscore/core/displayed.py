"""Base classes of results that print as text, that notebooks draw, and that can be reviewed.

Both call functions of packages above this one through a hook, which `docscore/__init__.py` sets. A hook imports what it
calls when a result is shown.
"""

from typing import Any, ClassVar


class Displayed:
    """Base class of results that print as text and that notebooks draw as HTML.

    Attributes:
        display: returns the module that displays results, `docscore.report.display`.
    """

    __slots__ = ()
    display: ClassVar[Any]

    def __str__(self) -> str:
        text: str = self.display().text_of(self)
        return text

    def _repr_html_(self) -> str:
        html: str = self.display().html_of(self)
        return html

    def _renderers(self, **settings: Any) -> Any:
        """Return the functions that render the report on the result, by extension."""
        return self.display().renderers_of(self, **settings)


class Reviewed:
    """Base class of results whose differences from ground truths can be reviewed.

    Attributes:
        reviews: returns the module that reviews results, `docscore.ground_truths.verdicts`.
    """

    __slots__ = ()
    reviews: ClassVar[Any]
