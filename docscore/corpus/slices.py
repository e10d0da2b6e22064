"""Slices of a test set: the figures of the rows that share a value, such as a language or a vendor."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.progress import Progress, ignore, no_progress
from docscore.corpus.measure import Figure, FigureColumns, figures_of
from docscore.stats.intervals import RESAMPLES, SEED


class Slice(NamedTuple):
    """The rows of a test set that share a value.

    Attributes:
        value: the value, as text.
        documents: how many rows there are.
        figures: the figures over these rows, with their intervals.
    """

    value: str
    documents: int
    figures: list[Figure]

    def to_dict(self) -> dict[str, Any]:
        """The row of a table, in plain types."""
        values: dict[str, Any] = {figure.name: figure.value for figure in self.figures}
        ends = {figure.name: figure.interval.ends for figure in self.figures if figure.interval is not None}
        intervals = {"confidence_intervals": ends} if ends else {}
        return {"value": self.value, "documents": self.documents, **values, **intervals}


def slices_of(
    columns: FigureColumns,
    values: Sequence[Hashable],
    *,
    clusters: npt.NDArray[np.intp] | None = None,
    confidence: float | None = None,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> list[Slice]:
    """Compute the figures of each slice, largest slice first, slices of equal size in the order of their first rows.

    Args:
        columns: the figures of n rows, from `docscore.corpus.measure.figure_columns`.
        values: the value of each row, n of them.
        clusters: the number of each row's cluster, shape (n,), where rows are not independent.
        confidence: the level of the intervals, between 0 and 1; None for none.
        seed: the seed of the random numbers of the intervals.
        progress: called when the phase "Resampling" begins.
    """
    rows: dict[Hashable, list[int]] = {}
    for number, value in enumerate(values):
        rows.setdefault(value, []).append(number)
    resampled = ignore if confidence is None else progress("Resampling", RESAMPLES * len(rows))
    found = []
    for value, numbers in sorted(rows.items(), key=lambda item: -len(item[1])):
        of_slice = None if clusters is None else clusters[numbers]
        ratios = columns.rows(numbers).ratios
        figures = figures_of(
            columns.names, ratios, confidence=confidence, seed=seed, resampled=resampled, clusters=of_slice
        )
        found.append(Slice("null" if value is None else str(value), len(numbers), figures))
    return found
