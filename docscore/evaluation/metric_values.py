"""The figures of several metrics over the same scored rows, all of them or slices, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from docscore.stats.intervals import Interval


class Figure(NamedTuple):
    """A figure of a metric over a test set.

    Attributes:
        name: the key of results, such as "kieval_entity_f1".
        label: its name in tables, such as "KIEval Entity F1".
        value: in [0, 1]; 1 is best.
        interval: the confidence interval from resampled documents; None if not requested.
    """

    name: str
    label: str
    value: float
    interval: Interval | None = None


def ends_by_name(figures: Sequence[Figure]) -> dict[str, Any]:
    """The ends of the intervals by the name of the figure, under "confidence_intervals"; nothing without intervals."""
    ends = {figure.name: figure.interval.ends for figure in figures if figure.interval is not None}
    return {"confidence_intervals": ends} if ends else {}


class Slice(NamedTuple):
    """The rows of a test set that share a value.

    Attributes:
        value: the value, as text; None for all rows.
        documents: how many rows there are.
        figures: the figures over these rows, with their intervals.
    """

    value: str | None
    documents: int
    figures: list[Figure]

    def to_dict(self) -> dict[str, Any]:
        """The row of a table, in plain types."""
        values: dict[str, Any] = {figure.name: figure.value for figure in self.figures}
        return {"value": self.value, "documents": self.documents, **values, **ends_by_name(self.figures)}
