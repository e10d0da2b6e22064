"""Which documents of a set are used: all, the first few, or those that the paper drew."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from docscore.core.errors import InputValueError

_T = TypeVar("_T")
PAPER_SEED = 42  # of the paper's code, set before the rows in file order were shuffled


def chosen(rows: Sequence[_T], sample: str | int, paper_size: int | None) -> list[_T]:
    """The rows to use.

    Args:
        rows: all rows of the split, in file order.
        sample: "all", a number (that many from the start), or "paper": the first of the rows shuffled with the seed 42.
        paper_size: how many the paper used; None where it used none of these rows.

    Raises:
        ValueError: for anything else.

    >>> chosen(range(1000), "paper", 5)
    [776, 507, 895, 922, 33]
    """
    if sample == "all":
        return list(rows)
    if sample == "paper" and paper_size is not None:
        order = list(range(len(rows)))
        Random(PAPER_SEED).shuffle(order)  # noqa: S311  not a secret
        return [rows[number] for number in order[:paper_size]]
    if str(sample).isdecimal() and int(sample) > 0:
        return list(rows[: int(sample)])
    known = "'all'" if paper_size is None else "'paper', 'all'"
    raise InputValueError(place="sample", expected=f"{known} or a number above 0", got=f"{sample!r}")
