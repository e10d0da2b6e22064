"""A test set: its scores, fields, causes of lost points, comparisons and mergeable state."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Functions that scripts import from here; both are deprecated."""
    if name not in ("score_corpus", "summarise"):
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from docscore.evaluation import evaluation  # noqa: PLC0415  it imports modules of this package

    return getattr(evaluation, name)
