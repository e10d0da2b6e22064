"""The base class of metrics, which score one row at a time and define figures over all rows, and their score trees."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import fsum
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from docscore.core.errors import InputValueError
from docscore.core.options import CompareOptions
from docscore.core.values import Value
from docscore.metrics.anls_star.api import FieldCounts, build_tree
from docscore.metrics.anls_star.causes import MEANINGS, Cause
from docscore.metrics.anls_star.tree import Kind, ScoreTree, Status, TreeAnnotator, Whole

P = TypeVar("P")


class MetricRow(NamedTuple):
    """One row of a test set, the input of a metric.

    Attributes:
        ground_truth: the expected value in plain types; a tuple holds alternatives, each of them right.
        prediction: the predicted value in plain types; None if there is none.
        confidences: numbers from 0 to 1 in the shape of the prediction, or None.
        compute: returns the ANLS* score of the row; in a test set the first call computes the scores of all rows.
        question_id: the id of the row.
        cause: "missing prediction" if there is no prediction, "unparsable" for a text that could not be read as JSON,
            or None.
        annotator: annotates the values of its score tree with confidences or regions; or None.
        values_by: the metric that decides which values are right: "anls_star" or "typed".
    """

    ground_truth: Value
    prediction: Value
    confidences: Any
    compute: Callable[[], float]
    question_id: str = ""
    cause: Cause | None = None
    annotator: TreeAnnotator | None = None
    values_by: str = "anls_star"

    @property
    def anls_star(self) -> float:
        """The ANLS* score of the row, in [0, 1], computed on demand."""
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
    """Protocol of the counts over all rows that a metric adds to its figures."""

    def counts(self) -> dict[str, int]:
        """Return the counts by name; results list them with the figures."""

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return the tables by name, each a list of dicts in plain types."""


class Metric(ABC, Generic[P]):
    """The base class of metrics; one instance of each is listed in `docscore.evaluation.registry`.

    Every figure is a ratio of sums over rows, so one set of resampled rows gives the intervals of all figures.

    Attributes:
        name: the name in options and results: "kieval".
        label: the name in tables: "KIEval".
        figures: the names of the figures.
        figure_meanings: by the key of each figure, a sentence on what it counts; shown above a tree of another metric.
        options: the fields of `CompareOptions` that affect the figures; they are part of the signature.
        field_source: the source of the scores of fields: "tree" for the leaves of `score_tree`, which also have the
            causes of lost points; "entities" for `field_sums`; "" for a metric without scores of fields.
        meanings: the meanings of the causes of lost points, if `field_source` is "tree".
        evaluates_regions: whether it evaluates regions. If so, rows have regions, the signature names the metric of
            values, and figures whose denominator is 0 in every row are left out.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    figures: ClassVar[tuple[FigureName, ...]]
    figure_meanings: ClassVar[Mapping[str, str]] = {}
    options: ClassVar[frozenset[str]] = frozenset()
    field_source: ClassVar[Literal["tree", "entities", ""]] = ""
    meanings: ClassVar[dict[Cause, str]] = MEANINGS
    evaluates_regions: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        """Raise `ValueError` for options that do not exist."""
        if unknown := cls.options - {option.name for option in fields(CompareOptions)}:
            raise InputValueError(
                place=f"the options of {cls.__name__}",
                expected="names of fields of CompareOptions",
                got=", ".join(map(repr, sorted(unknown))),
            )

    @property
    def fields_note(self) -> str:
        """The sentence to show instead of causes of lost points; "" for a metric that has causes."""
        if self.field_source == "entities":
            return f"{self.label} counts entities: fields are types of entities, and lost points have no causes."
        return "" if self.field_source else f"{self.label} compares whole documents: it has no fields and no causes."

    @abstractmethod
    def row_points(self, row: MetricRow, options: CompareOptions) -> P:
        """Return the points of one row: any object from which the metric can compute its figures.

        Raises:
            TypeError, ValueError: for a value that the metric cannot score; the caller adds the id of the row.
        """

    @abstractmethod
    def figure_sums(self, points: P) -> Sequence[tuple[float, float]]:
        """Return a row's numerator and denominator of each figure, in the order of `figures`, to be summed."""

    def without_details(self, points: P) -> P:
        """Return the points without details that neither `figure_sums` nor `breakdown` reads; by default unchanged."""
        return points

    def score_tree(self, row: MetricRow, options: CompareOptions) -> ScoreTree:
        """Return the score tree of one row; by default the tree of ANLS*.

        A metric may return its own `MetricTree`, created by `metric_node`.

        Raises:
            TypeError, ValueError: as `row_points`.
        """
        return build_tree(row.ground_truth, row.prediction, options, cause=row.cause, annotator=row.annotator)

    def count_fields(self, counts: FieldCounts, row: MetricRow, options: CompareOptions) -> None:
        """Count the fields of one row, for a metric whose `field_source` is "tree"."""

    def field_sums(self, points: P) -> dict[str, tuple[float, float]]:  # noqa: ARG002
        """Return a row's numerator and denominator of the first figure by type of entity: `{"menu.price": (2.0, 4.0)}`.

        The pairs add up to the first pair of `figure_sums`. Metrics that do not count entities return an empty dict.
        """
        return {}

    def check_options(self, options: CompareOptions) -> None:
        """Raise `ValueError` for options that this metric does not support."""

    def versions(self, options: CompareOptions) -> dict[str, str]:  # noqa: ARG002  for overriding
        """Return by library the versions of the libraries whose data affect the figures with these options."""
        return {}

    def breakdown(self, points: Sequence[P]) -> Breakdown | None:  # noqa: ARG002  for overriding
        """Return counts over all rows in addition to the figures, or None."""
        return None


class MeanOfRows(Metric[float]):
    """A metric whose points are the score of a row and whose only figure is the mean."""

    def figure_sums(self, points: float) -> Sequence[tuple[float, float]]:
        return [(points, 1.0)]


@dataclass(frozen=True, slots=True, repr=False)
class MetricTree(ScoreTree):
    """A node of the score tree with which your own metric explains its score; create it with `metric_node`.

    The score of the root is the score of the metric; `earned` and `weight` are in its units, such as entities.

    Attributes:
        truth_path: the path in the ground truth, or None.
        prediction_path: the path in the prediction, or None.
        headline: at the root, the name of the score, such as "KIEval Aligned, 3 corrections"; otherwise "".
        facts: at the root, one line for each other figure or count of the metric.
    """

    truth_path: str | None = None
    prediction_path: str | None = None
    headline: str = ""
    facts: tuple[str, ...] = ()


# One side of a node: the value, its path, and its index in a list; each may be None.
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
    """Create a node from both of its sides.

    `points` are the points earned and possible; points and status come from the children by default.
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


# The cause of a part that is on only one side, by its status and whether it is a list element.
_CAUSES: dict[tuple[Status, bool], Cause] = {
    ("missing", False): "missing field",
    ("missing", True): "missing row",
    ("extra", False): "invented field",
    ("extra", True): "invented row",
}


def _status_of(parts: Sequence[ScoreTree]) -> Status:
    """Return the status of a node with these children."""
    statuses = {part.status for part in parts}
    if len(statuses) < 2:  # noqa: PLR2004
        return parts[0].status if parts else "exact"
    return "partial" if any(part.earned for part in parts) else "wrong"
