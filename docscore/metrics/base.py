"""The base class of metrics, which score one row at a time and define figures over all rows; and their score trees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from docscore.core.options import ScoringOptions
from docscore.core.values import Value
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.causes import MEANINGS, Cause
from docscore.metrics.anls_star.field_counts import FieldCounts
from docscore.metrics.anls_star.tree import Kind, ScoreTree, Status, Whole

P = TypeVar("P")

FieldSource = Literal["tree", "entities", ""]


class MetricRow(NamedTuple):
    """One row of a test set, the input of a metric.

    Attributes:
        ground_truth: the expected value in plain types; a tuple holds alternatives, any of which is right.
        prediction: the predicted value in plain types; None if there is none.
        confidences: numbers from 0 to 1 in the shape of the prediction, or None.
        compute: gives the ANLS* score of the row; of a test set it computes those of all rows at once, the first time.
        question_id: the id of the row.
        cause: "missing prediction" if there is none, "unparsable" for a text that could not be read as JSON, or None.
    """

    ground_truth: Value
    prediction: Value
    confidences: Any
    compute: Callable[[], float]
    question_id: str = ""
    cause: Cause | None = None

    @property
    def anls_star(self) -> float:
        """The ANLS* score of the row, in [0, 1], computed when a metric asks for it."""
        return self.compute()


class FigureName(NamedTuple):
    """The names of a figure.

    Attributes:
        key: its name in results, such as "kieval_entity_f1".
        label: its name in tables, such as "KIEval Entity F1".
    """

    key: str
    label: str


class Breakdown(Protocol):
    """Protocol of the counts of a metric in addition to its figures, over all rows."""

    def counts(self) -> dict[str, int]:
        """Counts by name, added to the figures in results."""

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Tables by name, each a list of dicts in plain types."""


class Metric(ABC, Generic[P]):
    """The base class of metrics; one instance of each is listed in `docscore.metrics.registry`.

    Every figure is a ratio of sums over rows, so that one set of resampled documents gives the intervals of all.

    Attributes:
        name: its name in options and results: "kieval".
        label: its name in tables: "KIEval".
        figures: the names of its figures.
        options: the fields of `ScoringOptions` that change its figures; they are part of the signature.
        field_source: where the scores of fields come from: "tree" for the leaves of `score_tree`, which also say why
            points were lost; "entities" for `field_sums`; "" for a metric without scores of fields.
        meanings: what its causes of lost points mean, where fields come from its score tree.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    figures: ClassVar[tuple[FigureName, ...]]
    options: ClassVar[frozenset[str]] = frozenset()
    field_source: ClassVar[FieldSource] = ""
    meanings: ClassVar[dict[Cause, str]] = MEANINGS

    @property
    def fields_note(self) -> str:
        """A sentence on what is shown in place of causes of lost points; "" for a metric that has causes."""
        if self.field_source == "entities":
            return f"{self.label} counts entities: fields are types of entities, and lost points have no causes."
        return "" if self.field_source else f"{self.label} compares whole documents: it has no fields and no causes."

    @abstractmethod
    def row_points(self, row: MetricRow, options: ScoringOptions) -> P:
        """Return the points of one row: any object from which the metric can compute its figures.

        Raises:
            TypeError, ValueError: for a value that the metric cannot score; the caller adds the name of the row.
        """

    @abstractmethod
    def figure_sums(self, points: P) -> Sequence[tuple[float, float]]:
        """Return numerator and denominator of a row for each figure, in the order of `figures`; rows are summed."""

    def without_details(self, points: P) -> P:
        """Return the points without what neither `figure_sums` nor `breakdown` reads; by default as they are."""
        return points

    def score_tree(self, row: MetricRow, options: ScoringOptions) -> ScoreTree:
        """Return how the score of one row comes about; by default the tree of ANLS*.

        Raises:
            TypeError, ValueError: as `row_points`.
        """
        return build_tree(row.ground_truth, row.prediction, options, cause=row.cause)

    def count_fields(self, counts: FieldCounts, row: MetricRow, options: ScoringOptions) -> None:
        """Fill the counts of the fields of one row, for a metric whose fields come from its score tree."""

    def field_sums(self, points: P) -> dict[str, tuple[float, float]]:  # noqa: ARG002
        """Return numerator and denominator of a row's first figure by type of entity: `{"menu.price": (2.0, 4.0)}`.

        They add up to the first pair of `figure_sums`; empty for a metric that does not count entities.
        """
        return {}

    def check_options(self, options: ScoringOptions) -> None:
        """Raise `ValueError` for options that this metric does not support."""

    def versions(self, options: ScoringOptions) -> dict[str, str]:  # noqa: ARG002  most metrics use none
        """Return the libraries whose data change its figures with these options, and their versions."""
        return {}

    def breakdown(self, points: Sequence[P]) -> Breakdown | None:  # noqa: ARG002  most metrics have none
        """Return counts over all rows in addition to the figures, or None."""
        return None


class MeanOfRows(Metric[float]):
    """A metric whose points are the score of the row, and whose only figure is the mean."""

    def figure_sums(self, points: float) -> Sequence[tuple[float, float]]:
        return [(points, 1.0)]


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


# What one of two documents has at a node: its value, the path, and the index in its list; each None where it has none.
NodeSide = tuple[Any, str | None, int | None]


def metric_node(
    truth: NodeSide,
    prediction: NodeSide,
    *,
    path: str,
    whole: Whole,
    kind: Kind = "object",
    status: Status | None = None,
    points: tuple[float, float] | None = None,
    key: str | None = None,
    children: Sequence[MetricTree] = (),
    reason: str = "",
    headline: str = "",
    facts: Sequence[str] = (),
) -> MetricTree:
    """A node of what both documents have there.

    `points` are those earned and those possible; they, and the status, are by default what the nodes below say.
    """
    status = status or _status_of(children)
    is_row = (truth[2] is None) != (prediction[2] is None)
    earned, weight = points or (fsum(part.earned for part in children), fsum(part.weight for part in children))
    return MetricTree(
        path=path,
        key=key,
        kind=kind,
        status=status,
        earned=float(earned),
        weight=float(weight),
        ground_truth=truth[0],
        prediction=prediction[0],
        truth_index=truth[2],
        prediction_index=prediction[2],
        option=None,
        note=reason,
        children=tuple(children),
        _whole=whole,
        _cause=_CAUSES.get((status, is_row)),
        truth_path=truth[1],
        prediction_path=prediction[1],
        headline=headline,
        facts=tuple(facts),
    )


# By the status of what only one side has, and whether it is a list element.
_CAUSES: dict[tuple[Status, bool], Cause] = {
    ("missing", False): "missing field",
    ("missing", True): "missing row",
    ("extra", False): "invented field",
    ("extra", True): "invented row",
}


def _status_of(parts: Sequence[ScoreTree]) -> Status:
    """The status of a node that holds these nodes."""
    statuses = {part.status for part in parts}
    if len(statuses) < 2:  # noqa: PLR2004
        return parts[0].status if parts else "exact"
    return "partial" if any(part.earned for part in parts) else "wrong"
