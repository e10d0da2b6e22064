"""The paths of the evaluate modules in this package."""

from __future__ import annotations

from pathlib import Path

from docscore.core.errors import InputValueError

MODULES = ("anls_star", "kieval", "entity_f1", "nted")


_PACKAGE = Path(__file__).parents[2]


def evaluate_module(name: str) -> str:
    """Return the path of an evaluate module, for `evaluate.load(docscore.evaluate_module("anls_star"))`.

    Args:
        name: "anls_star", "kieval", "entity_f1" or "nted".

    Raises:
        ValueError: for any other name.

    >>> Path(evaluate_module("anls_star")).name
    'anls_star.py'
    """
    packaged = _PACKAGE / "evaluate_modules" / name / f"{name}.py"  # in the wheel
    # in a checkout, or installed from one with pip install -e
    checkout = _PACKAGE.parent / (f"{name}.py" if name == "anls_star" else f"evaluate_modules/{name}/{name}.py")
    for path in (packaged, checkout):
        if name in MODULES and path.is_file():
            return str(path)
    raise InputValueError(
        expected=f"the name of an evaluate module of docscore ({', '.join(MODULES)})",
        got=repr(name),
    )
