"""The points of rows, and the sums that figures, rates and causes are made of."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from math import inf
from typing import Any

import numpy as np

from docscore.core.errors import InputError, InputValueError, at_place, row_place, short_repr
from docscore.core.formatting import counted
from docscore.core.numbers import ROUNDING
from docscore.core.options import CompareOptions
from docscore.core.processes import in_processes, numbered_portions
from docscore.core.runtime import Advance, ignore
from docscore.evaluation.fields import FieldTable, as_float
from docscore.evaluation.figures import RateCounts
from docscore.evaluation.registry import METRICS, is_own, line_of_metric
from docscore.metrics.anls_star.api import score_all
from docscore.metrics.anls_star.causes import CAUSES, Cause
from docscore.metrics.base import MetricRow
from docscore.stats.intervals import Ratios

_IdsAndPairs = tuple[Sequence[str], Sequence[tuple[Any, Any]]]


def anls_star_scores(
    ids: Sequence[str],
    pairs: Sequence[tuple[Any, Any]],
    options: CompareOptions,
    num_proc: int = 1,
    scored: Advance = ignore,
) -> list[float]:
    """Return the ANLS* score of each row, in [0, 1].

    Args:
        ids: the id of each row, for errors.
        pairs: the ground truth and the prediction of each row.
        options: how values are compared.
        num_proc: the number of processes that score.
        scored: called with the number of rows just scored.
    """
    # a text may give a warning, which another process would keep for itself
    if num_proc == 1 or any(type(prediction) is str for _, prediction in pairs):
        return _scores((ids, pairs), options, scored)
    portions = [(ids[start : start + len(part)], part) for start, part in numbered_portions(pairs, num_proc)]
    scores: list[float] = []
    for found in in_processes(partial(_scores, options=options), portions, num_proc):
        scores += found
        scored(len(found))
    return scores


def _scores(rows: _IdsAndPairs, options: CompareOptions, scored: Advance = ignore) -> list[float]:
    ids, pairs = rows
    scores: list[float] = score_all(pairs, options, lambda number: row_place(ids[number]), scored).tolist()
    return scores


def points_of_rows(metric: str, rows: Iterable[MetricRow], options: CompareOptions, *, details: bool) -> list[Any]:
    """Return the points of each row by a metric.

    Args:
        metric: its name.
        rows: the rows.
        options: how values are compared.
        details: whether the points keep what only the automation curve reads.

    Raises:
        TypeError, ValueError: for a value that the metric cannot score, naming its row.
    """
    scorer, points = METRICS[metric], []
    for row in rows:
        try:
            of_row = scorer.row_points(row, options)
        except Exception as error:  # noqa: BLE001  whatever a metric of a user raises
            raise error_of_metric(metric, row.question_id, error) from error.__cause__
        points.append(of_row if details else scorer.without_details(of_row))
    return points


def ratios_of_points(metric: str, rows: Iterable[tuple[str, Any]]) -> Ratios:
    """Return the figures of a metric as ratios of sums over rows, a column for each.

    Args:
        metric: its name.
        rows: the id and the points of each row.

    Raises:
        ValueError: for sums that are no numerators and denominators, naming the row.
    """
    sums = np.array([_figure_sums(metric, *row) for row in rows], dtype=np.float64)
    earned, weight = np.moveaxis(sums.reshape(-1, len(METRICS[metric].figures), 2), 2, 0)
    return Ratios(earned, weight)


def _figure_sums(metric: str, question_id: str, points: Any) -> Sequence[tuple[float, float]]:
    scorer = METRICS[metric]
    try:
        sums = scorer.figure_sums(points)
    except Exception as error:  # noqa: BLE001  whatever a metric of a user raises
        raise error_of_metric(metric, question_id, error) from error.__cause__
    try:
        if len(sums) == len(scorer.figures) and all(0 <= part <= whole + ROUNDING < inf for part, whole in sums):
            return sums
        got = short_repr(sums)
    except (TypeError, ValueError) as error:
        got = str(error)
    expected = f"{counted(len(scorer.figures), 'pair')} of a numerator and a denominator, 0 <= numerator <= denominator"
    raise InputValueError(place=(row_place(question_id), f"metric {metric}"), expected=expected, got=got)


def error_of_metric(metric: str, question_id: str, error: Exception) -> Exception:
    """Return the error of a metric with its row, and with the line of the code if a user wrote the metric."""
    place = row_place(question_id)
    if is_own(METRICS[metric]) and not isinstance(error, InputError | MemoryError):
        line = line_of_metric(METRICS[metric], error)
        problem = f"{type(error).__name__}: {error} ({line})" if str(error) else f"{type(error).__name__} ({line})"
        return InputValueError(place=(place, f"metric {metric}"), problem=problem)
    if isinstance(error, TypeError | ValueError):
        return at_place(place, error)
    if isinstance(error, ArithmeticError):
        return InputValueError(place=(place, f"metric {metric}"), problem=str(error))
    return error


def may_lack_figures(metric: str) -> bool:
    """Return whether a metric has no figure where nothing counts: one of regions, or one that a user wrote."""
    return METRICS[metric].evaluates_regions or is_own(METRICS[metric])


def points_lost(table: FieldTable, denominator: float) -> dict[Cause, float]:
    """Return the points lost by each cause as a share of the denominator; the shares add up to 1 - score."""
    return {
        cause: as_float(sum(field.lost_units[cause] for field in table.fields.values())) / denominator
        for cause in CAUSES
    }


def rate_counts_of(
    table: FieldTable,
    scores: Sequence[float],
    evaluated: Collection[int],
    failed: Collection[int] | None,
    absent: Collection[int] | None,
) -> dict[str, RateCounts]:
    """Return what each rate counts, by its name.

    Args:
        table: the fields, with the counts of values of each row.
        scores: the score of each row.
        evaluated: the numbers of the rows that the score is about.
        failed: the numbers of the rows whose text could not be parsed; None if no text is parsed.
        absent: the numbers of the rows without a prediction; None if they are errors.
    """
    values, ones = table.values, [1] * len(scores)
    events = {}
    if values:
        events = {
            "documents with a missing value": [missing > 0 for _, missing, _, _ in values],
            "documents with an invented value": [extra > 0 for _, _, _, extra in values],
        }
    for name, numbers in (("texts that could not be parsed", failed), ("missing predictions", absent)):
        if numbers is not None:
            events[name] = [number in numbers for number in range(len(scores))]
    totals = [int(number in evaluated) for number in range(len(scores))]
    right = [int(score == 1) * total for score, total in zip(scores, totals, strict=True)]
    counts = {"fully correct documents": RateCounts("documents", right, totals)}
    counts |= {name: RateCounts("documents", list(map(int, happened)), ones) for name, happened in events.items()}
    if values:
        expected, missing, predicted, extra = map(list, zip(*values, strict=True))
        counts |= {
            "omission: expected values that are missing": RateCounts("values", missing, expected),
            "hallucination: values predicted, not expected": RateCounts("values", extra, predicted),
        }
    return counts
