"""What notebooks draw for values of lower packages, whose drawings higher packages make."""

from __future__ import annotations

import importlib
from typing import Any

_DRAWN_BY: dict[type, str] = {}


def draw_with(kind: type, function: str) -> None:
    """Have values of a class drawn as HTML by a function, which is imported when the first one is drawn.

    Args:
        kind: the class; its `_repr_html_` returns `drawing_of(self)`.
        function: the path of the function: "package.module:name".
    """
    _DRAWN_BY[kind] = function


def drawing_of(value: Any) -> str | None:
    """The value as HTML; None where no function was named for its class, so that the text is shown."""
    if type(value) not in _DRAWN_BY:
        return None
    module, name = _DRAWN_BY[type(value)].split(":")
    found: str = getattr(importlib.import_module(module), name)(value)
    return found
