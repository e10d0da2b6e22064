"""Entity F1: F1 of identical entities in any group, the usual metric of extraction papers."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from docscore.core.options import ScoringOptions
from docscore.core.similarity import fold, text_rule
from docscore.core.values import Value, plain_pair
from docscore.metrics.base import FigureName, MetricRow, MetricTree
from docscore.metrics.entities import (
    Entity,
    Group,
    as_one_group,
    document_of,
    donut_value,
    text_of_entities,
    tree_of_groups,
)
from docscore.metrics.kieval import KieScore, Kieval, best_reading


class EntityCounts(NamedTuple):
    """The numbers of right entities, of those only in the prediction, and of those only in the ground truth."""

    right: int = 0
    invented: int = 0
    missed: int = 0

    @property
    def f1(self) -> float:
        """2 TP / (2 TP + FP + FN), in [0, 1]; 1 if there are no entities."""
        whole = 2 * self.right + self.invented + self.missed
        return 2 * self.right / whole if whole else 1.0


def entity_counts(
    gt: object, pred: object, *, normalise: bool = False, donut: bool = False, numbers: str = "text"
) -> EntityCounts:
    """Count the right entities, which have the same path of keys and an identical value, in any group.

    Args:
        gt: the ground truth, as for `anls_score`. A prediction equal to one of several alternative scalars is right.
            Of other alternatives, those with the best F1 count.
        pred: the prediction.
        normalise: whether to compare texts in lower case with white space folded; otherwise they must be identical.
        donut: read values as the published implementation of Donut does: it strips texts, leaves out 0 and False, and
            keeps only texts and numbers in lists that do not hold only objects.
        numbers: "text" to compare JSON numbers as printed, "value" to compare them by value, as for `anls_score`.

    Raises:
        TypeError, ValueError: as `anls_score`; also for a ground truth with more than 1,000 combinations of
            alternatives, or more than 40,000 values in all combinations (100 characters count as a value).

    Source:
        Micro-averaged over rows as in Kim et al. 2022, arXiv 2111.15664, and Khang et al. 2025, arXiv 2503.05488.

    >>> entity_counts({"date": "1 May", "menu": [{"nm": "tea"}]}, {"menu": [{"nm": "tea"}, {"nm": "rum"}]})
    EntityCounts(right=1, invented=1, missed=1)
    """
    return _totals(_score(*plain_pair(gt, pred), normalise, donut, numbers))


def entity_f1_tree(
    gt: object, pred: object, *, normalise: bool = False, donut: bool = False, numbers: str = "text"
) -> MetricTree:
    """Return the score tree of Entity F1: the right, wrong, missed and invented entities of each type.

    A type is a path of keys without list indices. A right entity counts twice, as in F1. A missed and an invented
    entity of one type are one wrong leaf, which also counts twice. Arguments and errors are those of `entity_counts`.

    >>> print(entity_f1_tree({"date": "1 May", "menu": [{"nm": "tea"}]}, {"menu": [{"nm": "tea"}, {"nm": "rum"}]}))
    ≈ $              0.500  -0.500  (2 of 4 points)
    ├─ − date        0.000  -0.250  "1 May" → nothing
    └─ ≈ menu.nm     0.667  -0.250
       ├─ = [0 ↔ 0]  1.000          "tea"
       └─ + [− ↔ 1]  0.000  -0.250  nothing → "rum"
    """
    return _tree(_score(*plain_pair(gt, pred), normalise, donut, numbers))


def _score(gt: Value, pred: Value, normalise: bool, donut: bool, numbers: str) -> KieScore:
    """Return the KIEval result of the best reading, with all entities in one group."""
    text = text_of_entities(normalise=normalise, numbers=numbers)

    def read(value: Value, _: None) -> list[Group]:
        if not donut:
            return [as_one_group(document_of(value, text))]
        group = Group("", "$")
        for path, entity_text in _donut_entities(donut_value(value, text_rule(numbers)), normalise):
            group.of_kind[path].append(Entity(path, (entity_text,), entity_text, f"$.{path}"))
        return [group]

    return best_reading(gt, pred, read, _preference, scalars=donut)


def _preference(score: KieScore) -> tuple[float, ...]:
    """Return the sort key of a result; it does not depend on the order of the alternatives."""
    right, invented, missed = counts = _totals(score)
    return counts.f1, right, -invented - missed, invented


def _totals(score: KieScore) -> EntityCounts:
    """Return the totals, in which a wrong value is an invented and a missed one."""
    right, changed, added, deleted = score.entities
    return EntityCounts(right, changed + deleted, changed + added)


def _tree(score: KieScore) -> MetricTree:
    counts = _totals(score)
    figures = f"{counts.right:,} right, {counts.invented:,} invented, {counts.missed:,} missed values"
    return tree_of_groups(
        score.pairs,
        score.values,
        points={"right": 2, "change": 2, "add": 1, "delete": 1},
        headline=f"Entity F1: {figures}",
        facts=["2 right / (2 right + invented + missed); a wrong value is a missed and an invented one"],
    )


def _donut_entities(value: Any, normalise: bool, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path of keys, without list indices, and the text of each entity in order."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _donut_entities(below, normalise, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for item in value:
            yield from _donut_entities(item, normalise, path)
    else:
        yield path, fold(value, ignore_case=True) if normalise else value


class EntityF1(Kieval):
    """Entity F1 as a metric of a test set, micro-averaged over rows; KIEval with all entities in one group."""

    name = "entity_f1"
    label = "Entity F1"
    figures = (FigureName("entity_f1", "Entity F1"),)
    options = frozenset({"normalise", "donut", "numbers"})

    def row_points(self, row: MetricRow, options: ScoringOptions) -> KieScore:
        return _score(row.ground_truth, row.prediction, options.normalise, options.donut, options.numbers)

    def score_tree(self, row: MetricRow, options: ScoringOptions) -> MetricTree:
        return _tree(self.row_points(row, options))

    def figure_sums(self, points: KieScore) -> Sequence[tuple[float, float]]:
        return super().figure_sums(points)[:1]

    def breakdown(self, points: Sequence[KieScore]) -> None:
        """Return None, since the counts are those of KIEval."""
