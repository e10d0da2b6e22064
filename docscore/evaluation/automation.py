"""The trade-off of automation and accuracy: accuracy after reviewing the values with low confidence.

Khang et al. 2025, arXiv 2503.05488, appendix C. Predicted values with a confidence below a threshold are reviewed, and
corrected or deleted if they are wrong. Reviewing low-confidence values cannot find missing ones. The accuracy after
the review is the figure of the primary metric. KIEval Aligned, for which the trade-off was defined, counts the
corrections of its entities. For a metric with a tree of the document, such as ANLS* and the typed score, a corrected
leaf earns all its points, and a deleted leaf no longer counts.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.errors import InputValueError
from docscore.core.formatting import FOUR_DIGITS, counted, percent_text, share_text, threshold_text
from docscore.core.numbers import ROUNDING
from docscore.core.options import check_number
from docscore.core.runtime import Progress, no_progress
from docscore.core.values import is_empty, step_text
from docscore.evaluation.registry import METRICS
from docscore.evaluation.tables import (
    NO_VALUE,
    Content,
    Table,
    TableCell,
    TableColumn,
    interval_column,
    table_of,
    text_column,
    value_column,
)
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.entities import checked_confidence, part_of_confidences
from docscore.metrics.kieval import KieScore
from docscore.stats.calibration import BINNING, Calibration, calibration_of
from docscore.stats.intervals import (
    BATCH_CELLS,
    CONFIDENCE,
    FEWEST,
    RESAMPLES,
    SEED,
    Array,
    Interval,
    Ratios,
    intervals_of,
    normal_quantiles,
)

ALIGNED = "KIEval Aligned"  # the accuracy for which the trade-off was defined
REVIEWED = [name for name, metric in METRICS.items() if name == "kieval" or metric.field_source == "tree"]
GRID = tuple(step / 100 for step in range(101))
WITHOUT = -1.0  # in place of the confidence of a value without one; such a value is always reviewed


class DocumentReview(NamedTuple):
    """A document, and the changes that a review of its predicted values makes to its score.

    Attributes:
        earned: the numerator of its score without a review.
        weight: the denominator of its score without a review.
        values: for each predicted value a tuple: its confidence (`WITHOUT` if it has none), whether it is right, and
            the amounts that its correction adds to the numerator and to the denominator.
        fields: the field of each predicted value.
    """

    earned: float
    weight: float
    values: list[tuple[float, bool, float, float]]
    fields: list[str]


def review_of_entities(score: KieScore) -> DocumentReview:
    """Return the review of a document by KIEval: wrong values are corrected or deleted."""
    values = [
        (
            WITHOUT if step.prediction.confidence is None else step.prediction.confidence,
            step.edit == "right",
            float(step.edit == "change"),
            -float(step.edit == "delete"),
        )
        for step in score.steps
        if step.prediction is not None
    ]
    counts, fields = score.entities, [step.prediction.kind for step in score.steps if step.prediction is not None]
    return DocumentReview(counts.right, counts.right + counts.corrections, values, fields)


def review_of_tree(tree: ScoreTree, confidences: Any) -> DocumentReview:
    """Return the review of a document by the leaves of its score tree; a leaf with several values is reviewed as one.

    A text in place of the whole document has no values to review.

    Args:
        tree: the root of the tree.
        confidences: numbers in the structure of the prediction; a number for a container applies to all its values.

    Raises:
        ValueError: if a confidence is not a number from 0 to 1; the message names its place.
    """
    values, fields = [], []
    is_text = isinstance(tree.ground_truth, dict | list) and not isinstance(tree.prediction, dict | list)
    waiting = [] if is_text else [(tree, "$", confidences)]
    while waiting:
        node, place, sure = waiting.pop()
        if not node.children and node.weight and node.status != "missing" and not is_empty(node.prediction):
            gain = (-node.earned, -node.weight) if node.status == "extra" else (node.weight - node.earned, 0.0)
            lowest = sorted(_confidences_in(node.prediction, sure, place))[:1]
            values += [(each, node.earned == node.weight, *gain) for each in lowest]
            fields += [node.field_path] * len(lowest)
        for child in reversed(node.children):
            key = child.key if child.prediction_index is None else child.prediction_index
            if key is not None:  # a value that is missing from a predicted list has neither
                waiting.append((child, place + step_text(key), part_of_confidences(sure, key)))
    return DocumentReview(tree.earned, tree.weight, values, fields)


def _confidences_in(value: Any, sure: Any, place: str) -> list[float]:
    """Return the confidences of the values in a value; empty values may have none."""
    if not isinstance(value, dict | list):
        confidence = checked_confidence(sure, place)
        return [WITHOUT if confidence is None else confidence]
    found: list[float] = []
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if not is_empty(item):
            found += _confidences_in(item, part_of_confidences(sure, key), place + step_text(key))
    return found


class Point(NamedTuple):
    """The result of a review at one threshold.

    Attributes:
        threshold: values with a confidence below it are reviewed; infinity for all. The others are accepted.
        automation_rate: the share of the predicted values that are accepted, in [0, 1].
        accepted_accuracy: the share of the accepted values that are right, in [0, 1]; None if none is accepted.
        accepted_documents: the number of documents with predicted values that need no review.
        accuracy: the figure after the review, in [0, 1].
    """

    threshold: float
    automation_rate: float
    accepted_accuracy: float | None
    accepted_documents: int
    accuracy: float


def curve_table(points: Iterable[Point], caption: str = "") -> Table:
    """Return a table with one row per point; at the threshold None all values are reviewed."""
    return table_of(
        caption,
        points,
        (
            TableColumn("threshold", "review below"),
            lambda point: TableCell(_finite(point.threshold), threshold_text(point.threshold)),
        ),
        value_column("automation_rate", "accepted", share_text),
        value_column("accepted_accuracy", "their accuracy", share_text),
        value_column("accepted_documents", "documents"),
        value_column("accuracy", "accuracy after review", FOUR_DIGITS),
        unit="thresholds",
    )


_COLUMNS = (
    "accepted: the share of the predicted values that nobody reviews; their accuracy: the share of these values that "
    "are right; documents: how many of {} need no review."
)


class Choice(NamedTuple):
    """The lowest threshold that reaches a wanted accuracy.

    Attributes:
        target: the wanted accuracy.
        point: the point at that threshold; None if even a review of all values does not reach the target.
        threshold: the confidence interval of the threshold.
        automation_rate: the confidence interval of the automation rate at that threshold.
        accepted_accuracy: the confidence interval of the accuracy of the accepted values at that threshold.
    """

    target: float
    point: Point | None
    threshold: Interval
    automation_rate: Interval
    accepted_accuracy: Interval

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes in plain types."""
        ends = self.threshold.ends
        return {
            "target": self.target,
            "lowest": self.point and curve_table([self.point])[0],
            "threshold_interval": ends and (_finite(ends[0]), _finite(ends[1])),
            "automation_rate_interval": self.automation_rate.ends,
            "accepted_accuracy_interval": self.accepted_accuracy.ends,
        }


def choices_table(choices: Sequence[Choice], confidence: float) -> Table:
    """Return a table with the lowest threshold for each target, its interval, and what it accepts.

    Args:
        choices: one per target.
        confidence: the confidence level of their intervals.
    """

    def of_point(name: str, head: str, text: Callable[[Any], str]) -> Content:
        return value_column(name, head, text, lambda choice: choice.point and getattr(choice.point, name))

    def threshold(choice: Choice) -> TableCell:
        if choice.point is None:
            return TableCell(None, NO_VALUE)
        ends = choice.threshold.ends
        suffix = f" [{', '.join(map(threshold_text, ends))}]" if ends else ""
        return TableCell(_finite(choice.point.threshold), threshold_text(choice.point.threshold), suffix=suffix)

    table = table_of(
        "The lowest threshold that reaches the target",
        choices,
        value_column("target", "target", "{:g}".format),
        (TableColumn("threshold", "review below"), threshold),
        of_point("automation_rate", "accepted", share_text),
        of_point("accepted_accuracy", "their accuracy", share_text),
        interval_column(share_text, attrgetter("accepted_accuracy")),
        of_point("accepted_documents", "documents", "{:,}".format),
        of_point("accuracy", "accuracy after review", FOUR_DIGITS),
        unit="targets",
    )
    notes = [f"No threshold reaches {each.target:g}: {each.threshold.note}." for each in choices if each.point is None]
    intervals = f"Intervals: {percent_text(confidence)} confidence."
    return replace(table, footnotes=(*notes, *([intervals] if len(notes) < len(choices) else [])))


@dataclass(frozen=True)
class Curve:
    """The trade-off of automation and accuracy over n documents or clusters of them.

    Attributes:
        figure: the name of the accuracy, such as "KIEval Aligned".
        thresholds: t thresholds in increasing order; the last one is infinity.
        automated: the automation rates as ratios of sums (equation 13), one column per threshold.
        right: the accuracies of the accepted values as ratios of sums, one column per threshold.
        accurate: the accuracies as ratios of sums (equation 14), one column per threshold.
        accepted_documents: for each threshold, the number of documents with predicted values that need no review.
        documents: the number of documents.
        known: the share of the predicted values that have a confidence, in [0, 1]; others are always reviewed.

    Iterating yields the points.
    """

    figure: str
    thresholds: tuple[float, ...]
    automated: Ratios
    right: Ratios
    accurate: Ratios
    accepted_documents: tuple[int, ...]
    documents: int
    known: float = 1.0

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points())

    def points(self) -> list[Point]:
        """Return one point per threshold."""
        counts, shares = self.right.totals.tolist(), self.right.values.tolist()
        right = [share if count else None for count, share in zip(counts, shares, strict=True)]
        rates, accuracies = self.automated.values.tolist(), self.accurate.values.tolist()
        return list(map(Point, self.thresholds, rates, right, self.accepted_documents, accuracies))

    def table(self) -> Table:
        """Return every tenth point and the last point, at which all values are reviewed."""
        points = self.points()
        table = curve_table([*points[:-1:10], points[-1]], f"Trade-off of automation and accuracy ({self.figure})")
        footnotes = [_COLUMNS.format(counted(self.documents, "document"))]
        if self.known < 1:
            known = share_text(self.known)
            footnotes.append(f"{known} of the predicted values have a confidence; the others are always reviewed.")
        return replace(table, footnotes=tuple(footnotes))

    def lowest(
        self,
        target: float,
        *,
        confidence: float = CONFIDENCE,
        n_resamples: int = RESAMPLES,
        seed: int = SEED,
        progress: Progress = no_progress,
    ) -> Choice:
        """Find the lowest threshold whose accuracy after the review is at least the target.

        Args:
            target: the wanted accuracy, in [0, 1].
            confidence: the confidence level of the intervals.
            n_resamples: the number of resamples of the documents.
            seed: the seed of the random numbers.
            progress: called when the phase "Resampling" begins.

        Returns:
            The threshold and its percentile interval over resampled documents, with Hesterberg's expansion. Fewer than
            five documents have no interval. In a resample that does not reach the target, the threshold is infinity.
        """
        target = check_number("target", target, "a number from 0 to 1", lambda number: 0 <= number <= 1)
        points = self.points()
        number = next((i for i, point in enumerate(points) if point.accuracy >= target - ROUNDING), None)
        if number is None:
            none = Interval(note="a review of predicted values cannot find missing values")
            return Choice(target, None, none, none, none)
        [rate], [right] = (
            intervals_of(each.columns([number]), confidence, n_resamples=n_resamples, seed=seed)
            for each in (self.automated, self.right)
        )
        if points[number].accepted_accuracy is None:
            right = Interval(note="no value is accepted")
        resampled, n = progress("Resampling", n_resamples), self.accurate.count
        if n < FEWEST:
            return Choice(
                target, points[number], Interval(note=f"it needs at least five {self.accurate.unit}s"), rate, right
            )
        rng = np.random.default_rng(seed)
        thresholds = np.empty(n_resamples)
        at_once = max(1, BATCH_CELLS // n)
        for start in range(0, n_resamples, at_once):
            rows = min(at_once, n_resamples - start)
            counts = rng.multinomial(n, np.full(n, 1 / n), size=rows).astype(np.float64)
            reached = target - ROUNDING <= self.accurate.of(counts).T
            first = np.where(reached.any(axis=1), reached.argmax(axis=1), len(self.thresholds) - 1)
            thresholds[start : start + rows] = np.array(self.thresholds)[first]
            resampled(rows)
        reach = NormalDist().cdf(float(normal_quantiles(confidence, n)))
        low, high = np.quantile(thresholds, (1 - reach, reach), method="inverted_cdf").tolist()
        return Choice(target, points[number], Interval(low, high), rate, right)


def _finite(threshold: float) -> float | None:
    return threshold if math.isfinite(threshold) else None


def automation_curve(
    reviews: Sequence[DocumentReview],
    thresholds: Sequence[float] = GRID,
    clusters: npt.ArrayLike | None = None,
    *,
    figure: str = ALIGNED,
    is_mean: bool = False,
) -> Curve:
    """Compute the automation rate and the accuracy after review for each threshold of confidence.

    Args:
        reviews: the reviews of n documents.
        thresholds: at least one, from 0 to 1; the function adds infinity, at which all values are reviewed.
        clusters: the number of each document's cluster, shape (n,), if documents are not independent. The sums
            are then over clusters.
        figure: the name of the accuracy.
        is_mean: whether the accuracy is the mean of the documents' ratios; otherwise it is the ratio of their sums.

    Raises:
        ValueError: if no predicted value has a confidence.

    >>> from docscore.metrics.kieval import kieval_score
    >>> score = kieval_score({"a": "1", "b": "2"}, {"a": "1", "b": "3"}, confidences={"a": 0.9, "b": 0.4})
    >>> automation_curve([review_of_entities(score)], [0.0, 0.5]).points()[1]
    Point(threshold=0.5, automation_rate=0.5, accepted_accuracy=1.0, accepted_documents=0, accuracy=1.0)
    """
    sure = [value[0] != WITHOUT for review in reviews for value in review.values]
    if sure and not any(sure):
        raise InputValueError(place="predictions", expected="values with a confidence", got="none")
    grid = (*sorted(set(thresholds)), math.inf)
    table = np.array([_after_review(review, np.array(grid)) for review in reviews]).transpose(1, 0, 2)
    predicted = np.repeat(table[0][:, -1:], len(grid), axis=1)  # at infinity all values are reviewed
    accepted, accurate = predicted - table[0], Ratios(table[1], table[2])
    automated, right = Ratios(accepted, predicted), Ratios(table[3], accepted)
    if is_mean:
        shares = np.divide(table[1], table[2], out=np.ones_like(table[1]), where=table[2] > ROUNDING)
        accurate = Ratios(np.minimum(shares, 1.0), np.ones_like(shares))
    known = sum(sure) / len(sure) if sure else 1.0
    untouched = tuple(((table[0] == 0) & (predicted > 0)).sum(axis=0).tolist())
    automated, right, accurate = (each.by_cluster(clusters) for each in (automated, right, accurate))
    return Curve(figure, grid, automated, right, accurate, untouched, len(reviews), known)


def _after_review(review: DocumentReview, grid: Array) -> Array:
    """Return the number of reviewed values, the numerator, the denominator, and the number of right accepted values.

    The shape is (4, t), for t thresholds.
    """
    values = np.array(sorted(review.values), dtype=np.float64).reshape(-1, 4)
    below = np.searchsorted(values[:, 0], grid, side="left")
    gains = np.vstack([np.zeros(2), np.cumsum(values[:, 2:], axis=0)])[below].T
    right = values[:, 1].sum() - np.append(0, np.cumsum(values[:, 1]))[below]
    return np.array([below, review.earned + gains[0], review.weight + gains[1], right], dtype=np.float64)


def calibration_of_reviews(
    reviews: Sequence[DocumentReview],
    clusters: npt.NDArray[np.intp] | None = None,
    *,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> Calibration:
    """Measure how far the confidences of predicted values can be trusted.

    A value is right if the metric does not correct it.

    Args:
        reviews: the reviews of n documents.
        clusters: the number of each document's cluster, shape (n,), if documents are not independent.
        confidence: the confidence level of the intervals.
        seed: the seed of the random numbers.
        progress: called when the phase "Resampling" begins.
    """
    groups = range(len(reviews)) if clusters is None else clusters.tolist()
    pairs = [(value, group) for review, group in zip(reviews, groups, strict=True) for value in review.values]
    values = [(*value[:2], group) for value, group in pairs if value[0] != WITHOUT]
    columns = np.array(values, dtype=np.float64).reshape(-1, 3).T
    return calibration_of(
        columns[0],
        columns[1],
        columns[2].astype(np.intp),
        confidence=confidence,
        seed=seed,
        resampled=progress("Resampling", RESAMPLES),
    )


def calibration_table(calibration: Calibration) -> Table:
    """Return a table of the calibration figures with their intervals."""
    figures = {
        "AUROC (1 is best, 0.5 is chance)": calibration.auroc,
        "expected calibration error (0 is best)": calibration.ece,
        "Brier score (0 is best)": calibration.brier,
    }
    table = table_of(
        f"Calibration of {calibration.values:,} values in {counted(calibration.documents, 'document')}, {BINNING}",
        figures.items(),
        text_column("figure", "calibration", lambda item: item[0], "text"),
        value_column("value", "value", FOUR_DIGITS, lambda item: item[1].value),
        interval_column(FOUR_DIGITS, lambda item: item[1].interval),
        unit="figures",
    )
    return replace(table, footnotes=calibration.warnings)


def reliability_table(calibration: Calibration) -> Table:
    """Return a table with the share of right values in each bin of confidences."""
    return table_of(
        "Reliability: how often values of a confidence are right",
        calibration.points,
        value_column("above", "above", "{:.2f}".format, attrgetter("low")),
        value_column("up_to", "up to", "{:.2f}".format, attrgetter("high")),
        value_column("values", "values"),
        value_column("confidence", "mean confidence", "{:.3f}".format),
        value_column("accuracy", "right", share_text),
        interval_column(share_text),
        unit="bins",
    )
