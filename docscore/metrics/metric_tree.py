"""The score tree of a metric other than ANLS*: the same nodes, with the headline and the figures of that metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from docscore.metrics.anls_star.tree import ScoreTree, Status


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


def status_of_parts(parts: Sequence[ScoreTree]) -> Status:
    """The status of a node that holds these nodes."""
    found = {part.status for part in parts}
    if len(found) == 1:
        return parts[0].status
    return "partial" if any(part.earned for part in parts) else "wrong"


def sums_of_parts(parts: Sequence[ScoreTree]) -> tuple[float, float]:
    """Earned and possible points of a node that holds these nodes."""
    return fsum(part.earned for part in parts), fsum(part.weight for part in parts)
