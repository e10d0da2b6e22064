"""The score tree of a metric other than ANLS*: the same nodes, with the headline and the figures of that metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, NamedTuple

from docscore.metrics.anls_star.tree import Kind, ScoreTree, Status, Whole


@dataclass(frozen=True, slots=True, repr=False)
class MetricTree(ScoreTree):
    """How a metric other than ANLS* scored one place of a ground truth against one place of a prediction.

    The score of the root is that of the metric; `earned` and `weight` are in its own units, such as entities.

    Attributes:
        truth_path: the path in the ground truth; None for what only the prediction has, and for what is no place.
        prediction_path: the path in the prediction; None for what it lacks, and for what is no place.
        headline: at the root what the score is, such as "KIEval Aligned, 3 corrections"; else "".
        facts: at the root the other figures and counts of the metric, a line each.
    """

    truth_path: str | None = None
    prediction_path: str | None = None
    headline: str = ""
    facts: tuple[str, ...] = ()


class NodeSide(NamedTuple):
    """What one of two documents has at a node.

    Attributes:
        value: its value in plain types; None if it has none.
        path: the path of the value; None for what it lacks, and for what is no place.
        number: the index of the value in its list; None for what is no list element.
    """

    value: Any = None
    path: str | None = None
    number: int | None = None


def metric_node(
    truth: NodeSide,
    prediction: NodeSide,
    *,
    path: str,
    kind: Kind,
    status: Status,
    points: tuple[float, float],
    whole: Whole,
    key: str | None = None,
    children: Sequence[MetricTree] = (),
    reason: str = "",
    headline: str = "",
    facts: Sequence[str] = (),
) -> MetricTree:
    """A node of what both documents have there; `points` are those earned and those possible."""
    earned, weight = points
    return MetricTree(
        path=path,
        key=key,
        kind=kind,
        status=status,
        earned=float(earned),
        weight=float(weight),
        ground_truth=truth.value,
        prediction=prediction.value,
        truth_index=truth.number,
        prediction_index=prediction.number,
        option=None,
        reason=reason,
        children=tuple(children),
        _whole=whole,
        truth_path=truth.path,
        prediction_path=prediction.path,
        headline=headline,
        facts=tuple(facts),
    )


def status_of_parts(parts: Sequence[ScoreTree]) -> Status:
    """The status of a node that holds these nodes."""
    found = {part.status for part in parts}
    if len(found) == 1:
        return parts[0].status
    return "partial" if any(part.earned for part in parts) else "wrong"


def sums_of_parts(parts: Sequence[ScoreTree]) -> tuple[float, float]:
    """Earned and possible points of a node that holds these nodes."""
    return fsum(part.earned for part in parts), fsum(part.weight for part in parts)
