"""A threshold of confidence for each field, chosen on one half of the documents and measured on the other half.

A threshold that is chosen and measured on the same values looks better than it is.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from docscore.core.formatting import percent_text, share_text, threshold_text
from docscore.core.options import check_number
from docscore.core.runtime import Progress, no_progress, numbered
from docscore.evaluation.automation import GRID, DocumentReview
from docscore.evaluation.tables import (
    Table,
    TableCell,
    TableColumn,
    field_column,
    table_of,
    value_column,
)
from docscore.stats.intervals import RESAMPLES, SEED, Array, Ratios, intervals_of

LEVEL = 0.95  # confidence level of one-sided bounds
_TIMES = np.geomspace(1, 1e4, 500)  # factors by which a field may need more values
_MORE = np.unique([*range(1, 500), *np.geomspace(500, 1e4, 200).astype(np.int64)])  # further values, all right
_FOOTNOTES = (
    "Thresholds are chosen on one half of the documents. The last three columns are measured on the other half.",
    f"at least: the one-sided lower bound of their accuracy ({percent_text(LEVEL)}).",
)


def lower_bound(right: npt.ArrayLike, count: npt.ArrayLike) -> Array:
    """Return the exact one-sided lower bound of the share of right values among independent values; 0 if none is right.

    Source:
        Clopper and Pearson 1934, The use of confidence or fiducial limits illustrated in the case of the binomial.

    >>> lower_bound([58, 59], [58, 59]).round(4).tolist()
    [0.9497, 0.9505]
    """
    from scipy.special import betaincinv  # noqa: PLC0415  slow to import

    hits, n = np.asarray(right, dtype=np.float64), np.asarray(count, dtype=np.float64)
    some = hits > 0
    bounds: Array = np.zeros(hits.shape)
    bounds[some] = betaincinv(hits[some], (n - hits)[some] + 1, 1 - LEVEL)
    return bounds


def halves_of(units: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return whether each row is in the half that measures, by the hash of its document or cluster."""
    return np.array([hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[0] % 2 == 1 for name in units])


def thresholds_table(
    reviews: Sequence[DocumentReview],
    units: Sequence[str],
    target: float,
    *,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> Table:
    """Return a table with a threshold for each field whose accepted values have a wanted accuracy.

    One half of the documents chooses the lowest threshold whose accepted values have at least the wanted accuracy by
    their one-sided bound. The bound on the other half is the lower of two bounds: the exact bound for independent
    values, and the bound from resampled documents.

    Args:
        reviews: the reviews of the documents, with the fields of their values.
        units: the name of the document or cluster of each review; all reviews of a unit are in the same half.
        target: the wanted accuracy, in [0, 1].
        seed: the seed of the random numbers.
        progress: called when the phase "Resampling" begins.

    Returns:
        One row per field, in the order of paths. "threshold": values with a confidence below it are reviewed; None if
        no threshold has the wanted accuracy. "needed": without a threshold, an estimate of how many more predicted
        values are needed; None if more do not help. "values": the number of predicted values. The other columns are
        about the half of the documents that did not choose the threshold. "accepted": the number of values that it
        accepts. "accepted_accuracy": the share of them that are right; None if none is accepted. "bound": the one-sided
        lower bound of this share; None for fewer than five documents with accepted values.
    """
    target = check_number("target", target, "a number from 0 to 1", lambda number: 0 <= number <= 1)
    values: dict[str, list[tuple[int, float, bool]]] = {}
    for number, review in enumerate(reviews):
        for field, value in zip(review.fields, review.values, strict=True):
            values.setdefault(field, []).append((number, *value[:2]))
    measured, names = halves_of(units), numbered(units)
    clusters = np.array([names[name] for name in units])
    sums = np.zeros((2, len(names), len(values)))  # the sums of right and of accepted values of each unit in each field
    found: list[dict[str, Any]] = []
    for column, (field, rows) in enumerate(sorted(values.items())):
        numbers, confidences, right = map(np.array, zip(*rows, strict=True))
        choosing = ~measured[numbers]
        threshold, needed = _chosen(confidences[choosing], right[choosing], len(rows), target)
        if threshold is not None:
            accepted = ~choosing & (confidences >= threshold)
            np.add.at(sums[1, :, column], clusters[numbers[accepted]], 1)
            np.add.at(sums[0, :, column], clusters[numbers[accepted & right]], 1)
        found.append({"field": field, "threshold": threshold, "needed": needed, "values": len(rows)})
    resampled = progress("Resampling", RESAMPLES)
    intervals = intervals_of(Ratios(*sums), 2 * LEVEL - 1, seed=seed, resampled=resampled)
    hits, counts = sums.sum(axis=1)
    bounds = zip(intervals, lower_bound(hits, counts).tolist(), strict=True)
    lows = [None if interval.low is None else min(interval.low, exact) for interval, exact in bounds]
    shares = [hit / count if count else None for hit, count in zip(hits.tolist(), counts.tolist(), strict=True)]
    for each, count, share, low in zip(found, counts.astype(int).tolist(), shares, lows, strict=True):
        each |= {"accepted": count, "accepted_accuracy": share, "bound": low}
    table = table_of(
        f"Thresholds by field for an accuracy of {target:g}",
        found,
        field_column(),
        (TableColumn("threshold", "review below"), _threshold_cell),
        value_column("needed", "needed", extra=True),
        value_column("values", "values"),
        value_column("accepted", "accepted"),
        value_column("accepted_accuracy", "their accuracy", share_text),
        value_column("bound", "at least", share_text),
        unit="fields",
    )
    return replace(table, footnotes=_FOOTNOTES if found else ())


def _threshold_cell(each: Mapping[str, Any]) -> TableCell:
    threshold, needed = each["threshold"], each["needed"]
    if threshold is not None:
        return TableCell(threshold, threshold_text(threshold))
    more = "no threshold reaches it" if needed is None else f"needs about {needed:,} more"
    return TableCell(None, f"none; {more}")


def _chosen(
    confidences: Array, right: npt.NDArray[np.bool_], count: int, target: float
) -> tuple[float | None, int | None]:
    """Return the lowest threshold whose bound has the wanted accuracy; without one, about how many values are needed.

    More values help if the accuracy above some threshold may be the wanted one, by its one-sided upper bound.

    Args:
        confidences: the confidences of the values of a field, in the half of the documents that chooses.
        right: whether they are right.
        count: the number of values of the field in both halves.
        target: the wanted accuracy.
    """
    accepted = confidences >= np.array(GRID)[:, np.newaxis]
    hits, counts = (accepted & right).sum(axis=1), accepted.sum(axis=1)
    reached = lower_bound(hits, counts) >= target
    if reached.any():
        return GRID[int(reached.argmax())], None
    pairs = np.unique([hits[counts > 0], counts[counts > 0]], axis=1) if counts.any() else np.zeros((2, 1))
    enough = (lower_bound(*np.multiply.outer(pairs, _TIMES)) >= target).any(axis=0)  # for each factor
    if enough.any():
        return None, math.ceil(count * (_TIMES[enough.argmax()] - 1))
    may_reach = pairs[:, 1 - lower_bound(pairs[1] - pairs[0], pairs[1]) >= target]  # by the upper bound
    enough = lower_bound(*np.add.outer(may_reach, _MORE)) >= target  # for each number of further accepted values
    shares = may_reach[1] / len(confidences) if counts.any() else np.ones(1)
    needed = 2 * _MORE[enough.argmax(axis=1)] / shares
    return None, math.ceil(needed[enough.any(axis=1)].min()) if enough.any() else None
