"""Counts of one pair by field: its leaves with their outcomes and causes, and its list elements."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from docscore.core.options import ScoringOptions
from docscore.core.runtime import with_room_to_recurse
from docscore.core.values import Value, field_path, step_text
from docscore.metrics.anls_star.api import pair_sums
from docscore.metrics.anls_star.causes import Cause, cause_of_scalars
from docscore.metrics.anls_star.sizes import SchemaNode, Side
from docscore.metrics.anls_star.tree import Kind, Status

Outcome = Literal["exact", "partial", "wrong", "wrong_type", "missing", "extra"]

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

Partner = Literal["matched", "missing", "extra"]  # whether a list element has a partner, or which side lacks it


class Leaf(NamedTuple):
    """A leaf of a score tree with points.

    Attributes:
        field: the path without list indices; `$` for the root.
        kind: the kind of the node.
        outcome: the status of the node, or "wrong_type".
        earned: S.
        weight: L.
        cause: the cause of lost points, or None.
        compared: the label of the comparator; "" if texts were compared.
        unreadable: the sides whose value the comparator could not read.
    """

    field: str
    kind: Kind
    outcome: Outcome
    earned: float
    weight: float
    cause: Cause | None
    compared: str = ""
    unreadable: tuple[Side, ...] = ()


_leaf = lru_cache(maxsize=1 << 14)(Leaf)  # most leaves of a field are equal, and a look-up is faster than a new tuple


class FieldCounts:
    """The counts of one pair at a time.

    Attributes:
        leaves: the leaves with points.
        elements: the field of each list element, and whether it has a partner.
        earned: S of the pair.
        weight: L of the pair.
    """

    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self.elements: list[tuple[str, Partner]] = []
        self.earned = self.weight = 0.0
        self._root = FieldPlace(self, "", None)

    def of_pair(
        self,
        gt: Value,
        pred: Value,
        options: ScoringOptions,
        schema: SchemaNode | None = None,
        cause: Cause | None = None,
    ) -> FieldCounts:
        """Count a ground truth and a prediction without a tree; the arguments are those of `build_tree`."""
        self.earned, self.weight = with_room_to_recurse(pair_sums, gt, pred, options, schema, cause, self._restarted)
        return self

    def _restarted(self) -> FieldPlace:
        """Drop all counts, and return the place of the root."""
        self.leaves, self.elements = [], []
        return self._root


class FieldPlace:
    """The `Place` of the scorer that counts: one object for a field of all pairs.

    Args:
        counts: the counts to fill.
        path: the path without list indices; "" for the root.
        cause: the cause if the field is lost as a whole, else None.
    """

    __slots__ = ("below", "cause", "counts", "name", "path")

    def __init__(self, counts: FieldCounts, path: str, cause: Cause | None) -> None:
        self.counts, self.path, self.cause = counts, path, cause
        self.name = field_path(path)
        self.below: dict[str | tuple[Cause] | None, FieldPlace] = {}  # by key; by cause; None for list elements

    def at_key(self, key: str, *, absent: bool = False) -> FieldPlace:  # noqa: ARG002  only trees use it
        return self.below.get(key) or self._add(key, step_text(key), self.cause)

    def at_index(self, truth: int | None, prediction: int | None) -> FieldPlace:
        place = self.below.get(None) or self._add(None, "[]", self.cause)
        partner: Partner = "missing" if prediction is None else "extra" if truth is None else "matched"
        self.counts.elements.append((place.name, partner))
        return place

    def at_option(self, option: int, count: int = 1) -> FieldPlace:  # noqa: ARG002  options share a field
        return self

    def lost(self, cause: Cause, note: str = "") -> FieldPlace:  # noqa: ARG002  only trees use it
        return self if self.cause else self.below.get((cause,)) or self._add((cause,), "", cause)

    def _add(self, name: str | tuple[Cause] | None, step: str, cause: Cause | None) -> FieldPlace:
        place = self.below[name] = FieldPlace(self.counts, self.path + step, cause)
        return place

    def make(
        self,
        kind: Kind,
        status: Status,
        earned: float,
        weight: float,
        truth: Value,
        prediction: Value,
        schema: SchemaNode | None,
    ) -> None:
        if weight and kind != "list" and kind != "object":  # noqa: PLR1714  faster
            cause = None if earned == weight else self.cause or cause_of_scalars(truth, prediction, earned=earned)
            compared = ""
            unreadable: tuple[Side, ...] = ()
            if schema is not None and schema.comparator is not None and kind == "scalar":
                compared = schema.comparator.label
                unreadable = schema.comparator.unreadable(truth, prediction)  # type: ignore[arg-type]
            outcome: Outcome = "wrong_type" if kind == "mismatch" and status == "wrong" else status
            self.counts.leaves.append(_leaf(self.name, kind, outcome, earned, weight, cause, compared, unreadable))
