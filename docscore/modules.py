"""Where the evaluate modules are that this package carries."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def evaluate_module(name: str) -> str:
    """The path of an evaluate module, for `evaluate.load(docscore.evaluate_module("anls_star"))`.

    Args:
        name: "anls_star".

    Raises:
        ValueError: for any other name.

    >>> Path(evaluate_module("anls_star")).name
    'anls_star.py'
    """
    packaged = _PACKAGE / "evaluate_modules" / name / f"{name}.py"  # in the wheel
    checkout = _PACKAGE.parent / f"{name}.py"  # in a checkout, or installed from one with pip install -e
    for path in (packaged, checkout):
        if name == "anls_star" and path.is_file():
            return str(path)
    msg = f"expected the name of an evaluate module of docscore ('anls_star'), got {name!r}"
    raise ValueError(msg)
