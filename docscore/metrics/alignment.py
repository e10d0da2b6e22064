"""Align entities and groups, and determine the edit that each entity needs (KIEval, equations 1, 2 and 8 to 10)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import fsum
from typing import Any, Literal, NamedTuple

import numpy as np

from docscore.core.assignment import lexicographic_assignment
from docscore.core.memory import check_memory
from docscore.core.values import Matrix, to_json
from docscore.metrics.entities import Entity, Group

_BYTES_A_PAIR = 128  # of groups: five criteria, masks, and the work of the assignment


_MANY = 100  # pairs of groups from which arrays are faster than loops


Edit = Literal["right", "change", "add", "delete"]


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


def matched_groups(truths: Sequence[Group], predictions: Sequence[Group]) -> list[tuple[Group | None, Group | None]]:
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
        identical, corrections = _compared_groups(truths, predictions)
        sizes = np.add.outer([len(group.entities) for group in truths], [len(group.entities) for group in predictions])
        confidences = np.broadcast_to([_confidence(group) for group in predictions], identical.shape)
        # without a partner, all entities of both groups would be added or deleted: `sizes` corrections
        partner = _partners([identical, sizes - corrections, (corrections == 0).astype(np.float64), confidences])
    taken = set(partner.values())
    pairs: list[tuple[Group | None, Group | None]] = [
        (truth, predictions[partner[i]] if i in partner else None) for i, truth in enumerate(truths)
    ]
    return pairs + [(None, prediction) for j, prediction in enumerate(predictions) if j not in taken]


def _confidence(group: Group) -> float:
    """The sum of the confidences of a group's entities; 0 for those without one."""
    return fsum(entity.confidence or 0.0 for entity in group.entities)


def _partners(criteria: list[Matrix]) -> dict[int, int]:
    """The column matched with each row; the criteria are maximised lexicographically."""
    rows, columns = criteria[0].shape
    if rows <= columns:
        return dict(enumerate(lexicographic_assignment(criteria).tolist()))
    return {i: j for j, i in enumerate(lexicographic_assignment([each.T for each in criteria]).tolist())}


def _compared_groups(rows: Sequence[Group], columns: Sequence[Group]) -> tuple[Matrix, Matrix]:
    """The numbers of identical entities and of corrections of each pair of groups, each of shape (n, m)."""
    table = [[0] * len(columns) for _ in rows]
    owners, others = _owners(rows), _owners(columns)
    common: Matrix = np.zeros((len(rows), len(columns)))
    for each in owners.keys() & others.keys():
        here, there = owners[each], others[each]
        if len(here) * len(there) > _MANY:
            common[np.ix_(here, there)] += 1
            continue
        for i in here:
            for j in there:
                table[i][j] += 1
    identical = common + np.array(table)
    for i, row in enumerate(rows):
        if any(len(entity.texts) > 1 for entity in row.entities):  # alternatives, which are more than one text
            for j, column in enumerate(columns):
                steps = steps_between(row.entities, column.entities)
                identical[i, j] = len([step for step in steps if step.edit == "right"])
    counts, other_counts = _kind_counts(rows), _kind_counts(columns)
    larger = np.zeros(identical.shape)
    none = np.zeros(len(rows)), np.zeros(len(columns))
    for kind in counts.keys() | other_counts.keys():
        larger += np.maximum.outer(counts.get(kind, none[0]), other_counts.get(kind, none[1]))
    return identical, larger - identical


def _owners(groups: Sequence[Group]) -> dict[tuple[str, str, int], list[int]]:
    """For each entity, by type, text and occurrence, the groups that hold it."""
    found: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for i, group in enumerate(groups):
        for each in _occurrences(group):
            found[each].append(i)
    return found


def _occurrences(group: Group) -> Iterator[tuple[str, str, int]]:
    """Yield type, text and occurrence of each entity, so that identical entities of a group are distinct."""
    seen: Counter[tuple[str, str]] = Counter()
    for entity in group.entities:
        key = entity.kind, entity.texts[0]
        yield (*key, seen[key])
        seen[key] += 1


def _kind_counts(groups: Sequence[Group]) -> dict[str, Matrix]:
    """For each type the number of its entities in each group."""
    found: dict[str, Matrix] = {}
    for i, group in enumerate(groups):
        for entity in group.entities:
            if entity.kind not in found:
                found[entity.kind] = np.zeros(len(groups))
            found[entity.kind][i] += 1
    return found


def steps_between(truths: Sequence[Entity], predictions: Sequence[Entity]) -> Iterator[Step]:
    """Yield the edit of each entity of a pair of groups, type by type (equations 2 and 8 to 10)."""
    truths_of: dict[str, list[Entity]] = defaultdict(list)
    predictions_of: dict[str, list[Entity]] = defaultdict(list)
    for truth in truths:
        truths_of[truth.kind].append(truth)
    for prediction in predictions:
        predictions_of[prediction.kind].append(prediction)
    for kind in dict.fromkeys([*truths_of, *predictions_of]):
        yield from _steps_of_kind(truths_of[kind], predictions_of[kind])


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
