"""Ids that cannot be paired: those that occur twice, that only one side has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from docscore.core.errors import Diagnostic
from docscore.data.faults import some_of

MISSING_REMEDY = 'with missing "zero" they are scored as null, with "skip" left out'
WITHOUT_PREDICTION = "reference without a prediction"


class IdFault(NamedTuple):
    """Ids that cannot be paired.

    Attributes:
        kind: "duplicate id", "unknown id" or "reference without a prediction".
        diagnostic: what is wrong, naming up to five of the ids.
        ids: all ids with the fault.
        sides: whether the fault concerns the predictions, and whether the references.
    """

    kind: str
    diagnostic: Diagnostic
    ids: list[str]
    sides: tuple[bool, bool]


def id_faults(given: Sequence[str], wanted: Sequence[str], missing: str) -> list[IdFault]:
    """The faults that prevent pairing by id, at most one of each kind and side.

    Args:
        given: the ids of the predictions.
        wanted: the ids of the references.
        missing: a reference without a prediction: "zero" where it is no fault, "error" or "skip" where it is one.
    """
    known = set(given)
    twice = "ids that occur more than once in the"
    if len(known) == len(given) and given == wanted:
        return []
    expected, both = set(wanted), (True, True)
    kinds = [
        (
            "duplicate id",
            f"{twice} predictions",
            _repeated(given, known),
            "",
            (True, False),
        ),
        (
            "duplicate id",
            f"{twice} references",
            _repeated(wanted, expected),
            "",
            (False, True),
        ),
        ("unknown id", "ids of predictions that no reference has", list(known - expected), "", both),
    ]
    if missing != "zero":
        absent, what = [i for i in wanted if i not in known], "ids of references that no prediction has"
        kinds.append((WITHOUT_PREDICTION, what, absent, MISSING_REMEDY if missing == "error" else "", both))
    return [
        IdFault(kind, Diagnostic(problem=f"{what} ({len(ids):,}): {some_of(ids)}", remedy=remedy), ids, sides)
        for kind, what, ids, remedy, sides in kinds
        if ids
    ]


def _repeated(ids: Sequence[str], distinct: set[str]) -> list[str]:
    return [i for i, times in Counter(ids).items() if times > 1] if len(distinct) < len(ids) else []
