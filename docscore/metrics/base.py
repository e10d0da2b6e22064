"""What a metric is: it scores one row at a time, and says how the points of rows become figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from docscore.core.options import ScoringOptions

P = TypeVar("P")


class MetricRow(NamedTuple):
    """What a metric sees of a test set: one row.

    Attributes:
        ground_truth: what was to be extracted; a tuple holds alternatives of which any is right.
        prediction: what the model extracted; None where it gave nothing.
        confidences: numbers from 0 to 1 in the shape of the prediction, or None.
        anls_star: the ANLS* score of the row, in [0, 1]; it is computed for all rows at once.
        question_id: the id of the row.
    """

    ground_truth: Any
    prediction: Any
    confidences: Any
    anls_star: float
    question_id: str = ""


class FigureName(NamedTuple):
    """What a figure is called.

    Attributes:
        key: in results, such as "kieval_entity_f1".
        label: in tables, such as "KIEval Entity F1".
    """

    key: str
    label: str


class Breakdown(Protocol):
    """What a metric counts beyond its figures, over all rows."""

    def counts(self) -> dict[str, int]:
        """Numbers that stand beside the figures in results, by name."""

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Tables by name, a dict a row, in plain types."""


class Metric(ABC, Generic[P]):
    """A metric; an instance of each stands in `docscore.metrics.registry`.

    Every figure is a ratio of sums over rows, so that one set of resampled documents gives the intervals of all.

    Attributes:
        name: what users type: "kieval".
        label: what tables call the metric: "KIEval".
        figures: the names of its figures.
        options: the fields of `ScoringOptions` that change its figures; they stand in the signature.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    figures: ClassVar[tuple[FigureName, ...]]
    options: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def row_points(self, row: MetricRow, options: ScoringOptions) -> P:
        """The points of one row: whatever the metric needs to make its figures.

        Raises:
            TypeError, ValueError: for a value that the metric cannot score; the caller adds the name of the row.
        """

    @abstractmethod
    def figure_sums(self, points: P) -> Sequence[tuple[float, float]]:
        """What a row adds to the numerator and the denominator of each figure, in the order of `figures`."""

    def check_options(self, options: ScoringOptions) -> None:
        """Raise `ValueError` for options that this metric cannot take together."""

    def breakdown(self, points: Sequence[P]) -> Breakdown | None:  # noqa: ARG002  most metrics have none
        """What the points of all rows add up to, where the metric has more to say than its figures."""
        return None


class MeanOfRows(Metric[float]):
    """A metric whose points of a row are its score, and whose figure is their mean."""

    def figure_sums(self, points: float) -> Sequence[tuple[float, float]]:
        return [(points, 1.0)]
