"""Entity F1: entities that are exactly right, whatever their group; the figure of most papers on extraction."""

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
    """How many entities are right, only predicted, and only expected."""

    right: int = 0
    invented: int = 0
    missed: int = 0

    @property
    def f1(self) -> float:
        """2 TP / (2 TP + FP + FN), in [0, 1]; 1 where there are no entities."""
        whole = 2 * self.right + self.invented + self.missed
        return 2 * self.right / whole if whole else 1.0


def entity_counts(gt: object, pred: object, *, normalise: bool = False, donut: bool = False) -> EntityCounts:
    """The entities that are right, whatever their group: of the same path of keys and with identical values.

    Args:
        gt: the ground truth, as for `anls_score`. Of alternatives among scalars any is right; of others the reading
            with the best F1 counts.
        pred: the prediction.
        normalise: whether texts are compared in lower case, with white space folded; otherwise they must be identical.
        donut: read documents as the published implementation of Donut does: 0 and False are left out, texts are
            stripped; and booleans, lists and objects are left out of lists that hold other things than objects.

    Raises:
        TypeError, ValueError: as `anls_score`; and for more than 1,000 readings of a ground truth with alternatives.

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
    """The texts with the path of keys above them; elements of lists are no step of it."""
    found: Counter[tuple[str, str]] = Counter()
    waiting = [("", value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((f"{path}.{key}" if path else key, below) for key, below in value.items())
        elif isinstance(value, list):
            waiting.extend((path, item) for item in value)
        else:
            found[path, fold(value, ignore_case=True) if normalise else value] += 1
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
