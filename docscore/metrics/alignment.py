"""Align entities and groups, and determine the edit that each entity needs (KIEval, equations 1, 2 and 8 to 10)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import fsum
from typing import Any, Literal, NamedTuple

import numpy as np

from docscore.core.assignment import lexicographic_assignment
from docscore.core.memory import check_memory
from docscore.core.values import Matrix, to_json
from docscore.metrics.entities import Entity, Group

_BYTES_A_PAIR = 128  # of groups: five criteria, masks, and the work of the assignment


_MANY = 100  # groups with the same entity, from which arrays are faster than loops


Edit = Literal["right", "change", "add", "delete"]
EditCounts = tuple[int, int, int, int]  # of entities that are right, to change, to add and to delete
_RIGHT, _CHANGED = (1, 0, 0, 0), (0, 1, 0, 0)


_Occurrence = tuple[str, str, int]  # type, text, and how many the same come before in a group


class Step(NamedTuple):
    """An entity and the edit that it needs.

    Attributes:
        edit: "right" if none is needed, "change", "add" or "delete".
        truth: the entity in the ground truth; None if it has none.
        prediction: the entity in the prediction; None if it is missing.
    """

    edit: Edit
    truth: Entity | None
    prediction: Entity | None

    @property
    def kind(self) -> str:
        """The entity type."""
        found = self.truth or self.prediction
        return found.kind if found else ""

    @property
    def place(self) -> str:
        """The path of the entity in the prediction, or in the ground truth if it is missing."""
        found = self.prediction or self.truth
        return found.place if found else ""

    def to_dict(self) -> dict[str, Any]:
        """The attributes in plain types."""
        return {
            "edit": self.edit,
            "entity": self.kind,
            "place": self.place,
            "expected": None if self.truth is None else to_json(self.truth.value),
            "predicted": None if self.prediction is None else to_json(self.prediction.value),
        }


GroupPair = tuple[Group | None, Group | None]  # the first of the ground truth, the second of the prediction


def matched_groups(truths: Sequence[Group], predictions: Sequence[Group]) -> list[GroupPair]:
    """Match the groups of one type; a group without a partner is paired with None (equation 1).

    As many pairs as possible, with the largest number of identical entities. Ties are broken by the fewest corrections
    of all groups, then the most groups that are right, then the highest confidences of the matched groups, so that no
    count depends on the order.
    """
    partner: dict[int, int] = {}
    if truths and predictions:
        kind = truths[0].kind
        place = kind if kind == "$" else f"${'' if kind.startswith('[') else '.'}{kind}"
        check_memory(len(truths), len(predictions), things="groups", bytes_a_pair=_BYTES_A_PAIR, place=place)
        partner = _partners(_criteria(truths, predictions))
    taken = set(partner.values())
    pairs: list[GroupPair] = [
        (truth, predictions[partner[i]] if i in partner else None) for i, truth in enumerate(truths)
    ]
    return pairs + [(None, prediction) for j, prediction in enumerate(predictions) if j not in taken]


def _criteria(truths: Sequence[Group], predictions: Sequence[Group]) -> Iterator[Matrix]:
    """Yield what is maximised, each only where those before leave several matchings; each of shape (n, m)."""
    identical = _identical_entities(truths, predictions)
    yield identical
    # Without a partner, all entities of both groups would be added or deleted. One with another of its type on the
    # other side takes one correction for both, and none if the two are identical.
    saved = identical + _common_kinds(truths, predictions)
    yield saved
    yield (saved == np.add.outer(*([group.count for group in side] for side in (truths, predictions)))).astype(float)
    yield np.broadcast_to([_confidence(group) for group in predictions], identical.shape)


def _confidence(group: Group) -> float:
    """The sum of the confidences of a group's entities; 0 for those without one."""
    return fsum([entity.confidence for entity in group.entities if entity.confidence])


def _partners(criteria: Iterable[Matrix]) -> dict[int, int]:
    """The column matched with each row; the criteria are maximised lexicographically."""
    left = iter(criteria)
    first = next(left)
    flipped = len(first) > first.shape[1]
    found = lexicographic_assignment(each.T if flipped else each for each in chain([first], left))
    return {j: i for i, j in enumerate(found.tolist())} if flipped else dict(enumerate(found.tolist()))


def _identical_entities(rows: Sequence[Group], columns: Sequence[Group]) -> Matrix:
    """The number of identical entities of each pair of groups, shape (n, m)."""
    table = [[0] * len(columns) for _ in rows]
    common: Matrix = np.zeros((len(rows), len(columns)))
    owners: dict[_Occurrence, Any] = defaultdict(list)
    for j, column in enumerate(columns):
        for each in _occurrences(column):
            owners[each].append(j)
    for i, row in enumerate(rows):
        for each in _occurrences(row):
            there = owners.get(each, ())
            if len(there) > _MANY:
                owners[each] = np.asarray(there)
                common[i, owners[each]] += 1
                continue
            for j in there:
                table[i][j] += 1
    identical: Matrix = common + np.array(table)
    for i, row in enumerate(rows):
        if row.has_alternatives:  # of which all count, not only the first
            for j, column in enumerate(columns):
                identical[i, j] = sum(counts[0] for _, counts in edit_counts(row, column))
    return identical


def _occurrences(group: Group) -> Iterator[_Occurrence]:
    """Yield type, text and occurrence of each entity, so that identical entities of a group are distinct."""
    for kind, entities in group.of_kind.items():
        if len(entities) == 1:
            yield kind, entities[0].texts[0], 0
            continue
        seen: Counter[str] = Counter()
        for entity in entities:
            text = entity.texts[0]
            yield kind, text, seen[text]
            seen[text] += 1


def _common_kinds(rows: Sequence[Group], columns: Sequence[Group]) -> Matrix:
    """How many entities of each pair of groups have one of the same type on the other side, shape (n, m)."""
    counts, others = _kind_counts(rows), _kind_counts(columns)
    common = np.zeros((len(rows), len(columns)))
    for kind in counts.keys() & others.keys():
        common += np.minimum.outer(counts[kind], others[kind])
    return common


def _kind_counts(groups: Sequence[Group]) -> dict[str, Matrix]:
    """For each type the number of its entities in each group, shape (n,)."""
    found: dict[str, Matrix] = {}
    for i, group in enumerate(groups):
        for kind, entities in group.of_kind.items():
            if kind not in found:
                found[kind] = np.zeros(len(groups))
            found[kind][i] = len(entities)
    return found


def edit_counts(truth: Group | None, prediction: Group | None) -> Iterator[tuple[str, EditCounts]]:
    """Yield for each type how many entities of a pair of groups need which edit (equations 2 and 8 to 10)."""
    for kind, truths, predictions in _by_kind(truth, prediction):
        if len(truths) == len(predictions) == 1:
            yield kind, _RIGHT if predictions[0].texts[0] in truths[0].texts else _CHANGED
            continue
        right = _identical_count(truths, predictions) if truths and predictions else 0
        missing, surplus = len(truths) - right, len(predictions) - right
        changed = min(missing, surplus)
        yield kind, (right, changed, missing - changed, surplus - changed)


def steps_between(truth: Group | None, prediction: Group | None) -> Iterator[Step]:
    """Yield the edit of each entity of a pair of groups, type by type: as many of each as `edit_counts` counts."""
    for _, truths, predictions in _by_kind(truth, prediction):
        yield from _steps_of_kind(truths, predictions)


def _by_kind(truth: Group | None, prediction: Group | None) -> Iterator[tuple[str, list[Entity], list[Entity]]]:
    """Yield the entities of each type on both sides."""
    left = truth.of_kind if truth else {}
    right = prediction.of_kind if prediction else {}
    for kind, truths in left.items():
        yield kind, truths, right.get(kind, [])
    for kind, predictions in right.items():
        if kind not in left:
            yield kind, [], predictions


def _steps_of_kind(truths: list[Entity], predictions: list[Entity]) -> Iterator[Step]:
    """Identical entities are right; as many others as possible are changed, most confident predictions first."""
    if len(truths) == len(predictions) == 1:
        yield Step("right" if predictions[0].texts[0] in truths[0].texts else "change", truths[0], predictions[0])
        return
    partners = _identical(truths, predictions)
    taken = set(partners.values())
    missing = [truth for i, truth in enumerate(truths) if i not in partners]
    surplus = [prediction for j, prediction in enumerate(predictions) if j not in taken]
    surplus.sort(key=lambda entity: -(entity.confidence or 0.0))
    yield from (Step("right", truths[i], predictions[j]) for i, j in partners.items())
    yield from (Step("change", *pair) for pair in zip(missing, surplus, strict=False))
    yield from (Step("add", truth, None) for truth in missing[len(surplus) :])
    yield from (Step("delete", None, prediction) for prediction in surplus[len(missing) :])


def _identical_count(truths: list[Entity], predictions: list[Entity]) -> int:
    """How many entities of the ground truth have an identical one of their own in the prediction."""
    if any(len(entity.texts) > 1 for entity in truths):
        return len(_identical(truths, predictions))
    given, expected = (Counter([entity.texts for entity in side]) for side in (predictions, truths))
    return (given & expected).total()


def _identical(truths: list[Entity], predictions: list[Entity]) -> dict[int, int]:
    """The index of the identical predicted entity for each entity of the ground truth that has one."""
    if predictions and len(truths) > 1 and any(len(entity.texts) > 1 for entity in truths):
        same = np.array([[float(p.texts[0] in t.texts) for p in predictions] for t in truths])
        confidences = np.broadcast_to([p.confidence or 0.0 for p in predictions], same.shape)
        return {i: j for i, j in _partners([same, same * confidences]).items() if same[i, j]}
    places: dict[str, list[int]] = defaultdict(list)
    for j in sorted(range(len(predictions)), key=lambda j: (predictions[j].confidence or 0.0, -j)):
        places[predictions[j].texts[0]].append(j)  # the most confident is last, and taken first
    found = {}
    for i, truth in enumerate(truths):
        fitting = next((places[each] for each in truth.texts if places.get(each)), None)
        if fitting:
            found[i] = fitting.pop()
    return found
