"""Entity F1: F1 of exactly matching entities, without regard to groups; the usual metric in extraction papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from docscore.core.options import ScoringOptions
from docscore.core.similarity import fold
from docscore.core.stack import with_room_to_recurse
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.metrics.alignment import steps_between
from docscore.metrics.base import FigureName, Metric, MetricRow
from docscore.metrics.entities import document_of, donut_value, readings


class EntityCounts(NamedTuple):
    """The numbers of entities that are right, only in the prediction, and only in the ground truth."""

    right: int = 0
    invented: int = 0
    missed: int = 0

    @property
    def f1(self) -> float:
        """2 TP / (2 TP + FP + FN), in [0, 1]; 1 where there are no entities."""
        whole = 2 * self.right + self.invented + self.missed
        return 2 * self.right / whole if whole else 1.0


def entity_counts(gt: object, pred: object, *, normalise: bool = False, donut: bool = False) -> EntityCounts:
    """Count the entities that are right: same path of keys, identical value, in any group.

    Args:
        gt: the ground truth, as for `anls_score`. A prediction equal to one of several alternative scalars is
            right; of other alternatives those with the best F1 count.
        pred: the prediction.
        normalise: whether texts are compared in lower case, with white space folded; otherwise they must be identical.
        donut: read documents as the published implementation of Donut does: 0 and False are left out, texts are
            stripped; booleans, lists and objects are left out of lists that do not only hold objects.

    Raises:
        TypeError, ValueError: as `anls_score`; also for a ground truth with over 1,000 combinations of alternatives,
            or over 40,000 values in all combinations (100 characters count as a value).

    Source:
        Micro-averaged over documents as in Kim et al. 2022, arXiv 2111.15664, and Khang et al. 2025, arXiv 2503.05488.

    >>> entity_counts({"date": "1 May", "menu": [{"nm": "tea"}]}, {"menu": [{"nm": "tea"}, {"nm": "rum"}]})
    EntityCounts(right=1, invented=1, missed=1)
    """
    return with_room_to_recurse(_counts, gt, pred, normalise, donut)


def _counts(gt: object, pred: object, normalise: bool, donut: bool) -> EntityCounts:
    truth, prediction = convert_ground_truth(gt), convert_prediction(pred)
    if donut:
        given = _donut_entities(donut_value(prediction), normalise)
        found = [
            _compared(_donut_entities(donut_value(reading), normalise), given)
            for reading in readings(truth, scalars=True)
        ]
    else:
        entities = list(document_of(prediction, normalise=normalise).entities())
        found = []
        for reading in readings(truth):
            steps = steps_between(list(document_of(reading, normalise=normalise).entities()), entities)
            edits = Counter(step.edit for step in steps)
            found.append(
                EntityCounts(edits["right"], edits["change"] + edits["delete"], edits["change"] + edits["add"])
            )
    return max(found, key=lambda counts: (counts.f1, counts.right, -counts.invented - counts.missed, counts.invented))


def _compared(truth: Counter[tuple[str, str]], prediction: Counter[tuple[str, str]]) -> EntityCounts:
    right = (truth & prediction).total()
    return EntityCounts(right, prediction.total() - right, truth.total() - right)


def _donut_entities(value: Any, normalise: bool) -> Counter[tuple[str, str]]:
    """The number of each pair of key path and text; the path has no list indices."""
    found: Counter[tuple[str, str]] = Counter()
    waiting = [("", value)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, dict):
            waiting.extend((f"{path}.{key}" if path else key, child) for key, child in node.items())
        elif isinstance(node, list):
            waiting.extend((path, item) for item in node)
        else:
            found[path, fold(node, ignore_case=True) if normalise else node] += 1
    return found


class EntityF1(Metric[EntityCounts]):
    """Entity F1 as a metric of a test set, micro-averaged over documents."""

    name: ClassVar[str] = "entity_f1"
    label: ClassVar[str] = "Entity F1"
    figures: ClassVar[tuple[FigureName, ...]] = (FigureName("entity_f1", "Entity F1"),)
    options: ClassVar[frozenset[str]] = frozenset({"normalise", "donut"})

    def row_points(self, row: MetricRow, options: ScoringOptions) -> EntityCounts:
        return entity_counts(row.ground_truth, row.prediction, normalise=options.normalise, donut=options.donut)

    def figure_sums(self, points: EntityCounts) -> Sequence[tuple[float, float]]:
        return [(2.0 * points.right, 2.0 * points.right + points.invented + points.missed)]
