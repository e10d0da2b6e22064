"""KIEval: entities and groups that are exactly right, and the corrections that the others need.

Khang et al. 2025, KIEval: Evaluation Metric for Document Key Information Extraction, arXiv 2503.05488.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from docscore.core.options import ScoringOptions
from docscore.core.stack import with_room_to_recurse
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.metrics.alignment import Edit, Step, matched_groups, steps_between
from docscore.metrics.base import FigureName, Metric, MetricRow
from docscore.metrics.entities import Document, Group, document_of, readings
from docscore.metrics.entity_trees import ComparedGroups, tree_of_groups
from docscore.metrics.metric_tree import MetricTree


class Counts(NamedTuple):
    """Counts of outcomes of entities (equations 3 to 5 and 8 to 11).

    Attributes:
        right: entities that are identical (TP).
        substitutions: entities with a different value.
        additions: entities of the ground truth that the prediction lacks.
        deletions: entities of the prediction that the ground truth lacks.
    """

    right: int = 0
    substitutions: int = 0
    additions: int = 0
    deletions: int = 0

    @property
    def corrections(self) -> int:
        """How many corrections are needed: substitutions, additions and deletions."""
        return self.substitutions + self.additions + self.deletions

    @property
    def precision(self) -> float:
        """The share of the predicted entities that are right, in [0, 1]; 1 where none is predicted."""
        return _share(self.right, self.right + self.substitutions + self.deletions)

    @property
    def recall(self) -> float:
        """The share of the expected entities that are right, in [0, 1]; 1 where none is expected."""
        return _share(self.right, self.right + self.substitutions + self.additions)

    @property
    def f1(self) -> float:
        """KIEval Entity F1: 2 TP / (2 TP + FP + FN), in [0, 1]; 1 where there are no entities."""
        return _share(2 * self.right, 2 * self.right + 2 * self.substitutions + self.additions + self.deletions)

    @property
    def aligned(self) -> float:
        """KIEval Aligned: TP / (TP + corrections) (equation 12), in [0, 1]; 1 where there are no entities."""
        return _share(self.right, self.right + self.corrections)

    def plus(self, other: Counts) -> Counts:
        """The sum of two counts."""
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


class GroupCounts(NamedTuple):
    """Counts of outcomes of groups (equation 7).

    Attributes:
        right: groups whose entities are all right.
        wrong: groups that have a partner, but are not right.
        missed: groups of the ground truth without a partner.
        invented: groups of the prediction without a partner.
    """

    right: int = 0
    wrong: int = 0
    missed: int = 0
    invented: int = 0

    @property
    def f1(self) -> float:
        """KIEval Group F1, in [0, 1]; 1 where there are no groups."""
        return _share(2 * self.right, 2 * self.right + 2 * self.wrong + self.missed + self.invented)

    def plus(self, other: GroupCounts) -> GroupCounts:
        """The sum of two counts."""
        return GroupCounts(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass
class KieScore:
    """The KIEval result of one document, or of many.

    Attributes:
        entities: the counts of all entities.
        groups: the counts of all groups.
        by_entity: the counts for each entity type.
        by_group: the counts for each type of group.
        steps: each entity of a document with the edit that it needs; empty for many documents.
    """

    entities: Counts = field(default_factory=Counts)
    groups: GroupCounts = field(default_factory=GroupCounts)
    by_entity: dict[str, Counts] = field(default_factory=dict)
    by_group: dict[str, GroupCounts] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def corrections(self) -> list[Step]:
        """The entities to change, add or delete."""
        return [step for step in self.steps if step.edit != "right"]

    def counts(self) -> dict[str, int]:
        """The counts behind the figures, by name."""
        entities, groups = self.entities, self.groups
        return {
            "true_positives": entities.right,
            "substitutions": entities.substitutions,
            "additions": entities.additions,
            "deletions": entities.deletions,
            "groups_right": groups.right,
            "groups_wrong": groups.wrong,
            "groups_missed": groups.missed,
            "groups_invented": groups.invented,
        }

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """The counts and figures of each entity type and each type of group, as tables in plain types."""
        entities = [
            {
                "entity": kind,
                "f1": counts.f1,
                "precision": counts.precision,
                "recall": counts.recall,
                "aligned": counts.aligned,
                "true_positives": counts.right,
                "substitutions": counts.substitutions,
                "additions": counts.additions,
                "deletions": counts.deletions,
            }
            for kind, counts in self.by_entity.items()
        ]
        groups = [{"group": kind, "f1": counts.f1, **counts._asdict()} for kind, counts in self.by_group.items()]
        return {"entities": entities, "groups": groups}

    def to_dict(self) -> dict[str, Any]:
        """The figures, the counts and the corrections, in plain types."""
        return {
            "kieval_entity_f1": self.entities.f1,
            "kieval_group_f1": self.groups.f1,
            "kieval_aligned": self.entities.aligned,
            "entities": self.entities._asdict(),
            "groups": self.groups._asdict(),
            "corrections": [step.to_dict() for step in self.corrections()],
        }


def kieval_score(gt: object, pred: object, *, normalise: bool = False, confidences: Any = None) -> KieScore:
    """Compute KIEval of one prediction.

    Args:
        gt: the ground truth, as for `anls_score`. A prediction equal to one of several alternative scalars is
            right; of other alternatives those count that need the smallest share of corrections, then the fewest.
        pred: the prediction, as for `anls_score`.
        normalise: whether texts are compared in lower case, with white space folded; otherwise they must be identical.
        confidences: numbers from 0 to 1 in the shape of the prediction, or None.

    Returns:
        Counts, figures and the corrections. An object in a list, or at the top level, is a group; groups of one type
        are matched for the most identical entities, then the fewest corrections, then the most right groups.

    Raises:
        TypeError, ValueError: as `anls_score`; also for a ground truth with over 1,000 combinations of alternatives,
            or over 40,000 values in all combinations (100 characters count as a value).

    Source:
        Khang et al. 2025, arXiv 2503.05488, equations 1 to 12.

    >>> score = kieval_score({"menu": [{"nm": "tea", "price": "2"}]}, {"menu": [{"nm": "tea", "price": "3"}]})
    >>> score.entities.f1, score.groups.f1, [(step.edit, step.kind) for step in score.corrections()]
    (0.5, 0.0, [('change', 'menu.price')])
    """
    return with_room_to_recurse(_best_reading, gt, pred, normalise, confidences)


def total_kieval(scores: Iterable[KieScore]) -> KieScore:
    """Sum the counts of many documents; figures are then computed from the sums."""
    result = KieScore()
    for score in scores:
        result.entities = result.entities.plus(score.entities)
        result.groups = result.groups.plus(score.groups)
        for kind, counts in score.by_entity.items():
            result.by_entity[kind] = result.by_entity.get(kind, Counts()).plus(counts)
        for kind, groups in score.by_group.items():
            result.by_group[kind] = result.by_group.get(kind, GroupCounts()).plus(groups)
    return result


def kieval_tree(gt: object, pred: object, *, normalise: bool = False, confidences: Any = None) -> MetricTree:
    """The score tree of KIEval Aligned: each entity is right, to change, missing, or only in the prediction.

    Arguments and errors are those of `kieval_score`.

    >>> print(kieval_tree({"menu": [{"nm": "tea", "price": "2"}]}, {"menu": [{"nm": "tea", "price": "3"}]}))
    ≈ $               0.500  -0.500  (1 of 2 points)
    └─ ≈ menu         0.500  -0.500
       └─ ≈ [0 ↔ 0]   0.500  -0.500
          ├─ = nm     1.000          "tea"
          └─ ≠ price  0.000  -0.500  "2" → "3"
    """
    return with_room_to_recurse(_tree_of_best_reading, gt, pred, normalise, confidences)


def _best_reading(gt: object, pred: object, normalise: bool, confidences: Any) -> KieScore:
    truth, plain = convert_ground_truth(gt), convert_prediction(pred)
    prediction = document_of(plain, normalise=normalise, confidences=confidences)
    found = (_compared(document_of(reading, normalise=normalise), prediction) for reading in readings(truth))
    return max(found, key=_preference)


def _tree_of_best_reading(gt: object, pred: object, normalise: bool, confidences: Any) -> MetricTree:
    truth, plain = convert_ground_truth(gt), convert_prediction(pred)
    prediction = document_of(plain, normalise=normalise, confidences=confidences)
    documents = [(reading, document_of(reading, normalise=normalise)) for reading in readings(truth)]
    scored = [(_compared(document, prediction), reading, document) for reading, document in documents]
    score, reading, document = max(scored, key=lambda each: _preference(each[0]))
    entities, groups = score.entities, score.groups
    corrections = f"{entities.corrections:,} correction{'' if entities.corrections == 1 else 's'}"
    f1 = f"Entity F1 {entities.f1:.4f}, precision {entities.precision:.4f}, recall {entities.recall:.4f}"
    return tree_of_groups(
        list(_compared_groups(document, prediction)),
        (reading, plain),
        points=dict.fromkeys(_EDITS, 1),
        headline=f"KIEval Aligned: {corrections}",
        facts=(f"{f1}; Group F1 {groups.f1:.4f}", *kieval_lines(score)),
        groups=(document.groups, prediction.groups),
    )


def kieval_lines(score: KieScore) -> list[str]:
    """The counts of entities and of groups, one line each."""
    entities, groups = score.entities, score.groups
    edits = f"{entities.substitutions:,} to change, {entities.additions:,} to add, {entities.deletions:,} to delete"
    found = f"{groups.right:,} right, {groups.wrong:,} wrong, {groups.missed:,} missed, {groups.invented:,} invented"
    return [f"Entities: {entities.right:,} right, {edits}", f"Groups: {found}"]


def _preference(score: KieScore) -> tuple[Any, ...]:
    """The sort key of the results for different alternatives: the best one counts, independent of their order."""
    return (
        score.entities.aligned,
        score.entities.right,
        -score.entities.corrections,
        score.groups.f1,
        score.entities,
        score.groups,
    )


def _compared_groups(truth: Document, prediction: Document) -> Iterator[ComparedGroups]:
    """The groups of both sides with their edits; the first pair holds the entities outside groups."""
    pairs: list[tuple[Group | None, Group | None]] = [(truth.alone, prediction.alone)]
    truths, predictions = _by_kind(truth.groups), _by_kind(prediction.groups)
    for kind in dict.fromkeys([*truths, *predictions]):
        pairs += matched_groups(truths.get(kind, []), predictions.get(kind, []))
    for left, right in pairs:
        steps = list(steps_between(left.entities if left else [], right.entities if right else []))
        yield ComparedGroups(left, right, steps)


def _compared(truth: Document, prediction: Document) -> KieScore:
    """Compare a ground truth, its alternatives chosen, with the prediction."""
    score = KieScore()
    for number, (left, right, steps) in enumerate(_compared_groups(truth, prediction)):
        score.steps += steps
        if number > 0:  # the first pair holds the entities outside groups
            counts = _group_counts(left, right, steps)
            kind = (left or right or truth.alone).kind
            score.groups = score.groups.plus(counts)
            score.by_group[kind] = score.by_group.get(kind, GroupCounts()).plus(counts)
    _count(score)
    return score


def _by_kind(groups: Sequence[Group]) -> dict[str, list[Group]]:
    found: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        found[group.kind].append(group)
    return found


def _group_counts(truth: Group | None, prediction: Group | None, steps: Sequence[Step]) -> GroupCounts:
    if truth is None or prediction is None:
        return GroupCounts(missed=1) if prediction is None else GroupCounts(invented=1)
    right = all(step.edit == "right" for step in steps)
    return GroupCounts(right=1) if right else GroupCounts(wrong=1)


_EDITS: tuple[Edit, ...] = ("right", "change", "add", "delete")  # in the order of the attributes of `Counts`


def _count(score: KieScore) -> None:
    """Count the steps, in total and by entity type."""
    edits = Counter((step.kind, step.edit) for step in score.steps)
    for kind in dict.fromkeys(kind for kind, _ in edits):
        score.by_entity[kind] = Counts(*(edits[kind, edit] for edit in _EDITS))
    score.entities = Counts(*map(sum, zip(*score.by_entity.values(), strict=True))) if edits else Counts()


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


class Kieval(Metric[KieScore]):
    """KIEval as a metric of a test set; the points of a row are its counts and corrections."""

    name: ClassVar[str] = "kieval"
    label: ClassVar[str] = "KIEval"
    figures: ClassVar[tuple[FigureName, ...]] = (
        FigureName("kieval_entity_f1", "KIEval Entity F1"),
        FigureName("kieval_entity_precision", "KIEval Entity precision"),
        FigureName("kieval_entity_recall", "KIEval Entity recall"),
        FigureName("kieval_group_f1", "KIEval Group F1"),
        FigureName("kieval_aligned", "KIEval Aligned"),
    )
    options: ClassVar[frozenset[str]] = frozenset({"normalise"})

    def row_points(self, row: MetricRow, options: ScoringOptions) -> KieScore:
        return kieval_score(row.ground_truth, row.prediction, normalise=options.normalise, confidences=row.confidences)

    def tree(self, row: MetricRow, options: ScoringOptions) -> MetricTree:
        return kieval_tree(row.ground_truth, row.prediction, normalise=options.normalise, confidences=row.confidences)

    def figure_sums(self, points: KieScore) -> Sequence[tuple[float, float]]:
        """Numerators and denominators of equations 5 to 7 and 12."""
        entities, groups = points.entities, points.groups
        predicted = entities.right + entities.substitutions + entities.deletions
        expected = entities.right + entities.substitutions + entities.additions
        return [
            (2 * entities.right, predicted + expected),
            (entities.right, predicted),
            (entities.right, expected),
            (2 * groups.right, 2 * groups.right + 2 * groups.wrong + groups.missed + groups.invented),
            (entities.right, entities.right + entities.corrections),
        ]

    def breakdown(self, points: Sequence[KieScore]) -> KieScore:
        """The counts of all rows together, in total and by type."""
        return total_kieval(points)
