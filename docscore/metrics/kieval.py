"""KIEval and Entity F1: the numbers of exactly right entities and groups, and of the corrections that others need.

Khang et al. 2025, KIEval: Evaluation Metric for Document Key Information Extraction, arXiv 2503.05488.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, NamedTuple, TypeVar, get_args

from docscore.core.options import CompareOptions
from docscore.core.runtime import call_with_fresh_stack, grouped
from docscore.core.similarity import TEXT_RULES, fold
from docscore.core.values import Value, plain_pair
from docscore.metrics.anls_star.matching import CanonicalTexts
from docscore.metrics.base import FigureName, Metric, MetricRow
from docscore.metrics.entities import (
    Edit,
    Entity,
    Group,
    GroupPair,
    Step,
    as_one_group,
    document_of,
    donut_value,
    matched_groups,
    readings,
    steps_between,
    text_of_entities,
)


class Counts(NamedTuple):
    """Counts of entities by their edit (equations 3 to 5 and 8 to 11).

    Attributes:
        right: identical entities (TP).
        substitutions: entities with a different value.
        additions: entities that only the ground truth has.
        deletions: entities that only the prediction has.
    """

    right: int = 0
    substitutions: int = 0
    additions: int = 0
    deletions: int = 0

    @property
    def corrections(self) -> int:
        """The number of corrections: substitutions, additions and deletions."""
        return self.substitutions + self.additions + self.deletions

    @property
    def predicted(self) -> int:
        """The number of entities in the prediction."""
        return self.right + self.substitutions + self.deletions

    @property
    def expected(self) -> int:
        """The number of entities in the ground truth."""
        return self.right + self.substitutions + self.additions

    @property
    def precision(self) -> float:
        """The share of the predicted entities that are right, in [0, 1]; 1 if none is predicted."""
        return _share(self.right, self.predicted)

    @property
    def recall(self) -> float:
        """The share of the expected entities that are right, in [0, 1]; 1 if none is expected."""
        return _share(self.right, self.expected)

    @property
    def f1(self) -> float:
        """KIEval Entity F1: 2 TP / (2 TP + FP + FN), in [0, 1]; 1 if there are no entities."""
        return _share(2 * self.right, self.predicted + self.expected)

    @property
    def aligned(self) -> float:
        """KIEval Aligned: TP / (TP + corrections) (equation 12), in [0, 1]; 1 if there are no entities."""
        return _share(self.right, self.right + self.corrections)


class GroupCounts(NamedTuple):
    """Counts of groups by outcome (equation 7).

    Attributes:
        right: groups whose entities are all right.
        wrong: other groups with a partner.
        missed: groups of the ground truth without a partner.
        invented: groups of the prediction without a partner.
    """

    right: int = 0
    wrong: int = 0
    missed: int = 0
    invented: int = 0

    @property
    def f1(self) -> float:
        """KIEval Group F1, in [0, 1]; 1 if there are no groups."""
        return _share(2 * self.right, 2 * self.right + 2 * self.wrong + self.missed + self.invented)


_C = TypeVar("_C", Counts, GroupCounts)
_COUNTS = ("true_positives", "substitutions", "additions", "deletions")  # the names of `Counts` in results


@dataclass
class KieScore:
    """The KIEval result of one row, or of many.

    Attributes:
        entities: the counts of all entities.
        groups: the counts of all groups.
        by_entity: the counts for each type of entity.
        by_group: the counts for each type of group.
        pairs: the matched groups of one row; empty for the sum of many rows.
    """

    entities: Counts = field(default_factory=Counts)
    groups: GroupCounts = field(default_factory=GroupCounts)
    by_entity: dict[str, Counts] = field(default_factory=dict)
    by_group: dict[str, GroupCounts] = field(default_factory=dict)
    pairs: list[GroupPair] = field(default_factory=list)

    @cached_property
    def steps(self) -> list[Step]:
        """Each entity of one row with its edit; empty for the sum of many rows."""
        return [step for pair in self.pairs for step in steps_between(*pair)]

    def corrections(self) -> list[Step]:
        """Return the entities to change, add or delete."""
        return [step for step in self.steps if step.edit != "right"]

    def counts(self) -> dict[str, int]:
        """Return the counts behind the figures, by name."""
        of_groups = {f"groups_{outcome}": count for outcome, count in self.groups._asdict().items()}
        return dict(zip(_COUNTS, self.entities, strict=True)) | of_groups

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return tables of the counts and figures by type of entity and by type of group, in plain types."""
        figures = ("f1", "precision", "recall", "aligned")
        entities = [
            {
                "entity": kind,
                **{figure: getattr(counts, figure) for figure in figures},
                **dict(zip(_COUNTS, counts, strict=True)),
            }
            for kind, counts in self.by_entity.items()
        ]
        groups = [{"group": kind, "f1": counts.f1, **counts._asdict()} for kind, counts in self.by_group.items()]
        return {"entities": entities, "groups": groups}

    def to_dict(self) -> dict[str, Any]:
        """Return the figures, the counts and the corrections in plain types."""
        return {
            "kieval_entity_f1": self.entities.f1,
            "kieval_group_f1": self.groups.f1,
            "kieval_aligned": self.entities.aligned,
            "entities": self.entities._asdict(),
            "groups": self.groups._asdict(),
            "corrections": [step.to_dict() for step in self.corrections()],
        }


def kieval_score(
    gt: object, pred: object, *, normalise: bool = False, confidences: Any = None, numbers: str = "text"
) -> KieScore:
    """Compute KIEval of one prediction.

    Args:
        gt: the ground truth, as for `anls_score`. A prediction equal to one of several alternative scalars is right.
            Among other alternatives, the ones with the smallest share of corrections count, then with the fewest.
        pred: the prediction, as for `anls_score`.
        normalise: whether to compare texts in lower case with white space folded; otherwise they must be identical.
        confidences: numbers from 0 to 1 in the shape of the prediction, or None.
        numbers: "text" to compare JSON numbers as printed, "value" to compare them by value, as for `anls_score`.

    Returns:
        Counts, figures and corrections. An object in a list or at the top level is a group. Groups of one type are
        matched for the most identical entities, then the fewest corrections, then the most right groups.

    Raises:
        TypeError, ValueError: as `anls_score`; also for a ground truth with more than 1,000 combinations of
            alternatives, or more than 40,000 values in all combinations (100 characters count as a value).

    Source:
        Khang et al. 2025, arXiv 2503.05488, equations 1 to 12.

    >>> score = kieval_score({"menu": [{"nm": "tea", "price": "2"}]}, {"menu": [{"nm": "tea", "price": "3"}]})
    >>> score.entities.f1, score.groups.f1, [(step.edit, step.kind) for step in score.corrections()]
    (0.5, 0.0, [('change', 'menu.price')])
    """
    return _score(*plain_pair(gt, pred), normalise, numbers, confidences)


def total_kieval(scores: Iterable[KieScore]) -> KieScore:
    """Sum the counts of many rows; figures are computed from the sums."""
    parts = list(scores)
    return KieScore(
        _sum(Counts, [score.entities for score in parts]),
        _sum(GroupCounts, [score.groups for score in parts]),
        _sums_by_kind(Counts, [score.by_entity for score in parts]),
        _sums_by_kind(GroupCounts, [score.by_group for score in parts]),
    )


def best_reading(
    truth: Value,
    prediction: Value,
    read: Callable[[Value, Any], list[Group]],
    preference: Callable[[KieScore], tuple[Any, ...]],
    *,
    scalars: bool = False,
    confidences: Any = None,
) -> KieScore:
    """Compare each reading of a ground truth with the prediction, and return the best result.

    Args:
        truth: the ground truth, a plain value.
        prediction: the prediction, a plain value.
        read: returns the groups of entities of a value with its confidences.
        preference: the sort key of results; the largest is the best.
        scalars: whether to compare alternative scalars one by one too; otherwise each of them is right.
        confidences: the confidences of the prediction, or None.
    """

    def best() -> KieScore:
        groups = read(prediction, confidences)
        of_readings = [*readings(truth, scalars=scalars)]
        if len(of_readings) > 1:  # if results tie, the first by content counts
            of_readings.sort(key=lambda one: CanonicalTexts().of(one, None))
        return max((_compared(read(one, None), groups) for one in of_readings), key=preference)

    return call_with_fresh_stack(best)


def _score(gt: Value, pred: Value, normalise: bool, numbers: str, confidences: Any) -> KieScore:
    text = text_of_entities(normalise=normalise, numbers=numbers)
    return best_reading(
        gt, pred, lambda value, sure: document_of(value, text, sure), _preference, confidences=confidences
    )


def kieval_lines(score: KieScore) -> list[str]:
    """Return one line with the counts of entities and one line with the counts of groups."""
    entities, groups = score.entities, score.groups
    edits = f"{entities.substitutions:,} to change, {entities.additions:,} to add, {entities.deletions:,} to delete"
    outcomes = f"{groups.wrong:,} wrong, {groups.missed:,} missed, {groups.invented:,} invented"
    return [f"Entities: {entities.right:,} right, {edits}", f"Groups: {groups.right:,} right, {outcomes}"]


def _preference(score: KieScore) -> tuple[Any, ...]:
    """Return the sort key of a result; it does not depend on the order of the alternatives."""
    return (
        score.entities.aligned,
        score.entities.right,
        -score.entities.corrections,
        score.groups.f1,
        score.entities,
        score.groups,
    )


_EDITS: tuple[Edit, ...] = get_args(Edit)  # in the order of `Counts`


def _compared(truth: Sequence[Group], prediction: Sequence[Group]) -> KieScore:
    """Compare the groups of one reading of a ground truth with the groups of the prediction."""
    pairs: list[GroupPair] = [(truth[0], prediction[0])]
    by_kind: dict[str, tuple[list[Group], list[Group]]] = defaultdict(lambda: ([], []))
    for side, groups in enumerate((truth[1:], prediction[1:])):
        for group in groups:
            by_kind[group.kind][side].append(group)
    for of_kind in by_kind.values():
        pairs += matched_groups(*of_kind)
    edits: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])  # by type, in the order of `Counts`
    outcomes: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])  # likewise, of `GroupCounts`
    for pair in pairs:
        wrong = False
        for edit, expected, predicted in steps_between(*pair):
            kind = (expected or predicted).kind  # type: ignore[union-attr]
            edits[kind][_EDITS.index(edit)] += 1
            wrong |= edit != "right"
        either = pair[0] or pair[1]
        if either and pair is not pairs[0]:
            outcomes[either.kind][3 if pair[0] is None else 2 if pair[1] is None else wrong] += 1
    by_entity = {kind: Counts(*counts) for kind, counts in edits.items()}
    by_group = {kind: GroupCounts(*counts) for kind, counts in outcomes.items()}
    totals = _sum(Counts, by_entity.values()), _sum(GroupCounts, by_group.values())
    return KieScore(*totals, by_entity, by_group, pairs)


def _sum(counts: type[_C], parts: Collection[_C]) -> _C:
    """Return the sum of each count."""
    return counts(*map(sum, zip(*parts, strict=True)))


def _sums_by_kind(counts: type[_C], parts: Iterable[dict[str, _C]]) -> dict[str, _C]:
    """Return the sum of each count for each type."""
    by_kind = grouped(chain.from_iterable(map(dict.items, parts)))
    return {kind: _sum(counts, of_kind) for kind, of_kind in by_kind.items()}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


class Kieval(Metric[KieScore]):
    """KIEval as a metric of a test set; the points of a row are its counts and corrections."""

    name = "kieval"
    label = "KIEval"
    figures: ClassVar[tuple[FigureName, ...]] = (
        FigureName("kieval_entity_f1", "KIEval Entity F1"),
        FigureName("kieval_entity_precision", "KIEval Entity precision"),
        FigureName("kieval_entity_recall", "KIEval Entity recall"),
        FigureName("kieval_group_f1", "KIEval Group F1"),
        FigureName("kieval_aligned", "KIEval Aligned"),
    )
    figure_meanings: ClassVar[Mapping[str, str]] = {
        "kieval_entity_f1": "F1 of entities, which are values with their path of keys.",
        "kieval_entity_precision": "The share of the predicted entities that are right.",
        "kieval_entity_recall": "The share of the expected entities that are right.",
        "kieval_group_f1": "F1 of groups, which are objects; a group is right if all of its entities are right.",
        "kieval_aligned": "Right entities / (right entities + corrections); a correction changes, adds or deletes one.",
    }
    options = frozenset({"normalise", "numbers"})
    field_source = "entities"

    def row_points(self, row: MetricRow, options: CompareOptions) -> KieScore:
        return _score(*row[:2], options.normalise, options.numbers, row.confidences)

    def without_details(self, points: KieScore) -> KieScore:
        """Return the counts without the groups, which take most of the memory and are used only for corrections."""
        return replace(points, pairs=[])

    def figure_sums(self, points: KieScore) -> Sequence[tuple[float, float]]:
        """Return the numerators and denominators of equations 5 to 7 and 12."""
        entities, groups = points.entities, points.groups
        return [
            (2 * entities.right, entities.predicted + entities.expected),
            (entities.right, entities.predicted),
            (entities.right, entities.expected),
            (2 * groups.right, 2 * groups.right + 2 * groups.wrong + groups.missed + groups.invented),
            (entities.right, entities.right + entities.corrections),
        ]

    def field_sums(self, points: KieScore) -> dict[str, tuple[float, float]]:
        """Return the numerator and denominator of Entity F1 for each type."""
        return {kind: (2 * each.right, each.predicted + each.expected) for kind, each in points.by_entity.items()}

    def breakdown(self, points: Sequence[KieScore]) -> KieScore | None:
        """Return the counts over all rows, in total and by type."""
        return total_kieval(points)


class EntityCounts(NamedTuple):
    """The numbers of entities that are right, that only the prediction has, and that only the ground truth has."""

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
    """Count the right entities: those with the same path of keys and an identical value, in any group.

    Args:
        gt: the ground truth, as for `anls_score`. A prediction equal to one of several alternative scalars is right.
            Among other alternatives, the ones with the best F1 count.
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
    return _totals(_f1_score(*plain_pair(gt, pred), normalise, donut, numbers))


def _f1_score(gt: Value, pred: Value, normalise: bool, donut: bool, numbers: str) -> KieScore:
    """Return the KIEval result of the best reading, with all entities in one group."""
    text = text_of_entities(normalise=normalise, numbers=numbers)

    def read(value: Value, _: None) -> list[Group]:
        if not donut:
            return [as_one_group(document_of(value, text))]
        group = Group("", "$")
        for path, entity_text in _donut_entities(donut_value(value, TEXT_RULES[numbers]), normalise):
            group.of_kind[path].append(Entity(path, (entity_text,), entity_text, f"$.{path}"))
        return [group]

    return best_reading(gt, pred, read, _f1_preference, scalars=donut)


def _f1_preference(score: KieScore) -> tuple[float, ...]:
    """Return the sort key of a result; it does not depend on the order of the alternatives."""
    right, invented, missed = counts = _totals(score)
    return counts.f1, right, -invented - missed, invented


def _totals(score: KieScore) -> EntityCounts:
    """Return the totals, in which a wrong value counts as both invented and missed."""
    right, changed, added, deleted = score.entities
    return EntityCounts(right, changed + deleted, changed + added)


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
    figure_meanings: ClassVar[Mapping[str, str]] = {
        "entity_f1": "F1 of values with their path of keys; a value may be in another element of the list.",
    }
    options = frozenset({"normalise", "donut", "numbers"})

    def row_points(self, row: MetricRow, options: CompareOptions) -> KieScore:
        return _f1_score(row.ground_truth, row.prediction, options.normalise, options.donut, options.numbers)

    def figure_sums(self, points: KieScore) -> Sequence[tuple[float, float]]:
        return super().figure_sums(points)[:1]

    def breakdown(self, points: Sequence[KieScore]) -> None:
        """Return None, since the inherited counts belong to KIEval."""
