"""The base class of metrics: a metric scores one row at a time, and defines figures over the points of all rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from docscore.core.options import ScoringOptions
from docscore.metrics.metric_tree import MetricTree

P = TypeVar("P")


class MetricRow(NamedTuple):
    """One row of a test set, the input of a metric.

    Attributes:
        ground_truth: the expected value; a tuple holds alternatives, any of which is right.
        prediction: the predicted value; None if there is none.
        confidences: numbers from 0 to 1 in the shape of the prediction, or None.
        anls_star: the ANLS* score of the row, in [0, 1], computed before.
        question_id: the id of the row.
    """

    ground_truth: Any
    prediction: Any
    confidences: Any
    anls_star: float
    question_id: str = ""


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
    """

    name: ClassVar[str]
    label: ClassVar[str]
    figures: ClassVar[tuple[FigureName, ...]]
    options: ClassVar[frozenset[str]] = frozenset()

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

    def tree(self, row: MetricRow, options: ScoringOptions) -> MetricTree | None:  # noqa: ARG002  some have none
        """Return how the score of one row comes about; None where the metric has no tree of its own.

        Raises:
            TypeError, ValueError: as `row_points`.
        """
        return None

    def check_options(self, options: ScoringOptions) -> None:
        """Raise `ValueError` for options that this metric does not support."""

    def breakdown(self, points: Sequence[P]) -> Breakdown | None:  # noqa: ARG002  most metrics have none
        """Return counts over all rows in addition to the figures, or None."""
        return None


class MeanOfRows(Metric[float]):
    """A metric whose points are the score of the row, and whose only figure is the mean."""

    def figure_sums(self, points: float) -> Sequence[tuple[float, float]]:
        return [(points, 1.0)]
