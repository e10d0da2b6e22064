"""What notebooks draw for values of lower packages, whose drawings higher packages make."""

from __future__ import annotations

import importlib
from typing import Any

_DRAWN_BY: dict[str, str] = {}


def draw_with(kind: str, function: str) -> None:
    """Have values of a class drawn as HTML by a function, which is imported when the first one is drawn.

    Args:
        kind: the path of the class: "package.module:name"; its `_repr_html_` returns `drawing_of(self)`.
        function: the path of the function.
    """
    _DRAWN_BY[kind] = function


def drawing_of(value: Any) -> str | None:
    """The value as HTML; None where no function was named for its class, so that the text is shown."""
    path = _DRAWN_BY.get(f"{type(value).__module__}:{type(value).__qualname__}")
    if path is None:
        return None
    module, name = path.split(":")
    found: str = getattr(importlib.import_module(module), name)(value)
    return found
