"""The change of every figure between two systems on the same rows, with paired intervals and tests."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.progress import Progress, no_progress
from docscore.corpus.measure import FigureColumns
from docscore.stats.intervals import CONFIDENCE, RESAMPLES, SEED, Interval, intervals_of
from docscore.stats.ratios import Differences, Ratios
from docscore.stats.significance import permutation_p_values


class FigureChange(NamedTuple):
    """The change of a figure between two systems.

    Attributes:
        name: the key of results, such as "typed_score".
        label: its name in tables, such as "Typed score".
        base: its value before, in [0, 1].
        new: its value after, in [0, 1].
        interval: the confidence interval of the difference, paired by row.
        p_value: of the paired permutation test, two-sided; for this figure alone.
    """

    name: str
    label: str
    base: float
    new: float
    interval: Interval
    p_value: float

    @property
    def difference(self) -> float:
        """New minus base."""
        return self.new - self.base

    def to_dict(self) -> dict[str, Any]:
        """The row of a table, in plain types."""
        return {
            "figure": self.name,
            "base": self.base,
            "new": self.new,
            "difference": self.difference,
            "low": self.interval.low,
            "high": self.interval.high,
            "p_value": self.p_value,
        }


def figure_changes(
    base: FigureColumns,
    new: FigureColumns,
    *,
    clusters: npt.NDArray[np.intp] | None = None,
    confidence: float = CONFIDENCE,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> list[FigureChange]:
    """Compare the figures of two systems on the same n rows, in the same order.

    Args:
        base: the figures of the system to compare with.
        new: the same figures of the system to compare.
        clusters: the number of each row's cluster, shape (n,), where rows are not independent.
        confidence: the level of the intervals, between 0 and 1.
        n_resamples: how many resamples and permutations are drawn.
        seed: the seed of the random numbers.
        progress: called when the phase "Resampling" begins.
    """
    resampled = progress("Resampling", (1 + len(new.names)) * n_resamples)
    drawn: dict[str, Any] = {"seed": seed, "clusters": clusters}
    differences = Differences(new.ratios, base.ratios)
    intervals = intervals_of(differences, confidence, n_resamples=n_resamples, resampled=resampled, **drawn)
    p_values = p_values_of_each(base.ratios, new.ratios, n_resamples=n_resamples - 1, permuted=resampled, **drawn)
    return [
        FigureChange(*name, float(before), float(after), interval, p_value)
        for name, before, after, interval, p_value in zip(
            new.names, base.ratios.values, new.ratios.values, intervals, p_values, strict=True
        )
    ]


def p_values_of_each(base: Ratios, new: Ratios, **drawn: Any) -> list[float]:
    """The p-value of each difference, tested alone: it does not depend on what else is compared.

    Args:
        base: k ratios over n documents.
        new: the same k ratios of the other system.
        drawn: as for `docscore.stats.significance.permutation_p_values`.
    """
    each = ([column] for column in range(len(base.values)))
    return [permutation_p_values(base.columns(one), new.columns(one), **drawn)[0] for one in each]
