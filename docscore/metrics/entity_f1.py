"""Entity F1: F1 of exactly matching entities, without regard to groups; the usual metric in extraction papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from docscore.core.options import ScoringOptions
from docscore.core.runtime import with_room_to_recurse
from docscore.core.similarity import fold, text_rule
from docscore.core.values import Value, convert_ground_truth, convert_prediction
from docscore.metrics.base import FieldSource, FigureName, Metric, MetricRow, MetricTree
from docscore.metrics.entities import (
    Entity,
    Group,
    GroupPair,
    document_of,
    donut_value,
    edit_counts,
    readings,
    text_of_entities,
    tree_of_groups,
)


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


CountsByType = dict[str, EntityCounts]


def entity_counts(
    gt: object, pred: object, *, normalise: bool = False, donut: bool = False, numbers: str = "text"
) -> EntityCounts:
    """Count the entities that are right: same path of keys, identical value, in any group.

    Args:
        gt: the ground truth, as for `anls_score`. A prediction equal to one of several alternative scalars is
            right; of other alternatives those with the best F1 count.
        pred: the prediction.
        normalise: whether texts are compared in lower case, with white space folded; otherwise they must be identical.
        donut: read documents as the published implementation of Donut does: 0 and False are left out, texts are
            stripped; booleans, lists and objects are left out of lists that do not only hold objects.
        numbers: "text" to compare JSON numbers as they print, "value" to compare them by value, as for `anls_score`.

    Raises:
        TypeError, ValueError: as `anls_score`; also for a ground truth with over 1,000 combinations of alternatives,
            or over 40,000 values in all combinations (100 characters count as a value).

    Source:
        Micro-averaged over documents as in Kim et al. 2022, arXiv 2111.15664, and Khang et al. 2025, arXiv 2503.05488.

    >>> entity_counts({"date": "1 May", "menu": [{"nm": "tea"}]}, {"menu": [{"nm": "tea"}, {"nm": "rum"}]})
    EntityCounts(right=1, invented=1, missed=1)
    """
    return _total(with_room_to_recurse(_best, gt, pred, normalise, donut, numbers)[0])


def entity_f1_tree(
    gt: object, pred: object, *, normalise: bool = False, donut: bool = False, numbers: str = "text"
) -> MetricTree:
    """The score tree of Entity F1: for each type of entity, which are right, wrong, missed and invented.

    A type is a path of keys without list indices. A right entity counts twice, as it does in F1; so does a pair of a
    missed and an invented one, which stands as one leaf with another value. Arguments and errors are those of
    `entity_counts`.

    >>> print(entity_f1_tree({"date": "1 May", "menu": [{"nm": "tea"}]}, {"menu": [{"nm": "tea"}, {"nm": "rum"}]}))
    ≈ $              0.500  -0.500  (2 of 4 points)
    ├─ − date        0.000  -0.250  "1 May" → nothing
    └─ ≈ menu.nm     0.667  -0.250
       ├─ = [0 ↔ 0]  1.000          "tea"
       └─ + [− ↔ 1]  0.000  -0.250  nothing → "rum"
    """
    return with_room_to_recurse(_tree_of_best, gt, pred, normalise, donut, numbers)


def _best(
    gt: object, pred: object, normalise: bool, donut: bool, numbers: str
) -> tuple[CountsByType, tuple[Value, Value], GroupPair]:
    """The counts by type of the alternatives that count, with the values and the entities of both documents."""
    truth, prediction = convert_ground_truth(gt), convert_prediction(pred)
    predicted = _entities(prediction, normalise, donut, numbers)
    compared = []
    for reading in readings(truth, scalars=donut):
        expected = _entities(reading, normalise, donut, numbers)
        compared.append((_compared(expected, predicted), (reading, prediction), (expected, predicted)))
    return max(compared, key=lambda each: _preference(_total(each[0])))


def _tree_of_best(gt: object, pred: object, normalise: bool, donut: bool, numbers: str) -> MetricTree:
    by_type, values, pair = _best(gt, pred, normalise, donut, numbers)
    counts = _total(by_type)
    figures = f"{counts.right:,} right, {counts.invented:,} invented, {counts.missed:,} missed values"
    return tree_of_groups(
        [pair],
        values,
        points={"right": 2, "change": 2, "add": 1, "delete": 1},
        headline=f"Entity F1: {figures}",
        facts=["2 right / (2 right + invented + missed); a wrong value is a missed and an invented one"],
    )


def _entities(value: Value, normalise: bool, donut: bool, numbers: str) -> Group:
    """All entities of a document as one group."""
    if not donut:
        return document_of(value, text_of_entities(normalise=normalise, numbers=numbers)).as_one_group()
    found = Group("", "$")
    for path, text in _donut_entities(donut_value(value, text_rule(numbers)), normalise):
        found.of_kind.setdefault(path, []).append(Entity(path, (text,), text, f"$.{path}"))
    return found


def _compared(truth: Group, prediction: Group) -> CountsByType:
    """Count the entities of two documents, each as one group."""
    return {
        kind: EntityCounts(right, changed + deleted, changed + added)
        for kind, (right, changed, added, deleted) in edit_counts(truth, prediction)
    }


def _total(by_type: CountsByType) -> EntityCounts:
    return EntityCounts(*map(sum, zip(*by_type.values(), strict=True)))


def _preference(counts: EntityCounts) -> tuple[float, ...]:
    """The sort key of the counts for different alternatives: the best F1 counts, independent of their order."""
    return counts.f1, counts.right, -counts.invented - counts.missed, counts.invented


def _donut_entities(value: Any, normalise: bool) -> Iterator[tuple[str, str]]:
    """Yield key path and text of each entity in their order; the path has no list indices."""
    waiting = [("", value)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, dict):
            waiting.extend((f"{path}.{key}" if path else key, child) for key, child in reversed(node.items()))
        elif isinstance(node, list):
            waiting.extend((path, item) for item in reversed(node))
        else:
            yield path, fold(node, ignore_case=True) if normalise else node


def _sums(counts: EntityCounts) -> tuple[float, float]:
    """Numerator and denominator of the F1."""
    return 2.0 * counts.right, 2.0 * counts.right + counts.invented + counts.missed


class EntityF1(Metric[CountsByType]):
    """Entity F1 as a metric of a test set, micro-averaged over documents; the points of a row are counts by type."""

    name: ClassVar[str] = "entity_f1"
    label: ClassVar[str] = "Entity F1"
    figures: ClassVar[tuple[FigureName, ...]] = (FigureName("entity_f1", "Entity F1"),)
    options: ClassVar[frozenset[str]] = frozenset({"normalise", "donut", "numbers"})
    field_source: ClassVar[FieldSource] = "entities"

    def row_points(self, row: MetricRow, options: ScoringOptions) -> CountsByType:
        chosen = options.normalise, options.donut, options.numbers
        return with_room_to_recurse(_best, row.ground_truth, row.prediction, *chosen)[0]

    def score_tree(self, row: MetricRow, options: ScoringOptions) -> MetricTree:
        chosen = options.normalise, options.donut, options.numbers
        return with_room_to_recurse(_tree_of_best, row.ground_truth, row.prediction, *chosen)

    def figure_sums(self, points: CountsByType) -> Sequence[tuple[float, float]]:
        return [_sums(_total(points))]

    def field_sums(self, points: CountsByType) -> dict[str, tuple[float, float]]:
        return {kind: _sums(counts) for kind, counts in points.items()}
