"""An extension of griffe for the site: the doctests of docstrings are rendered as code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

_DOCTEST = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", flags=re.DOTALL | re.MULTILINE)


class FencedDoctests(Extension):
    """Puts a fence around each doctest, which would be read as Markdown otherwise."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of an object that was read."""
        if obj.docstring:
            obj.docstring.value = _DOCTEST.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
