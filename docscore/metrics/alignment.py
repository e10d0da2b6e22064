"""The alignment of entities and groups, with the edit that each entity needs (KIEval, equations 1, 2 and 8 to 10)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from docscore.core.assignment import lexicographic_assignment
from docscore.core.values import Matrix, to_json
from docscore.metrics.entities import Entity, Group

Edit = Literal["right", "change", "add", "delete"]


class Step(NamedTuple):
    """One entity, and what is to be done with it.

    Attributes:
        edit: "right" for nothing, "change", "add" or "delete".
        truth: the entity as it should be; None where it should not be.
        prediction: the entity as it is; None where it is missing.
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
        """Where the entity is in the prediction, or in the ground truth if it is to be added."""
        found = self.prediction or self.truth
        return found.place if found else ""

    def to_dict(self) -> dict[str, Any]:
        """The same in plain types."""
        return {
            "edit": self.edit,
            "entity": self.kind,
            "place": self.place,
            "expected": None if self.truth is None else to_json(self.truth.value),
            "predicted": None if self.prediction is None else to_json(self.prediction.value),
        }


def matched_groups(truths: Sequence[Group], predictions: Sequence[Group]) -> list[tuple[Group | None, Group | None]]:
    """The pairs of groups of one type, and those without a partner (equation 1).

    As many pairs as there can be, with the largest number of identical entities; where several matchings have it, the
    fewest corrections of all groups decide, then the number of groups that are right, then how sure the model was of
    those that have a partner, so that no count depends on the order.
    """
    partner: dict[int, int] = {}
    if truths and predictions:
        identical, corrections = _compared_groups(truths, predictions)
        sizes = np.add.outer(*([len(group.entities) for group in side] for side in (truths, predictions)))
        sure = np.broadcast_to([_confidence(group) for group in predictions], identical.shape)
        # a pair saves its sizes: what stays without a partner is all added or deleted
        partner = _partners([identical, sizes - corrections, (corrections == 0).astype(np.float64), sure])
    taken = set(partner.values())
    pairs: list[tuple[Group | None, Group | None]] = [
        (truth, predictions[partner[i]] if i in partner else None) for i, truth in enumerate(truths)
    ]
    return pairs + [(None, prediction) for j, prediction in enumerate(predictions) if j not in taken]


def _confidence(group: Group) -> float:
    """How sure the model was of a group's entities together; 0 where that is not known."""
    return float(sum(entity.confidence or 0.0 for entity in group.entities))


def _partners(criteria: list[Matrix]) -> dict[int, int]:
    """The column of each row that has one, in the matching that is best by the criteria, one after the other."""
    rows, columns = criteria[0].shape
    if rows <= columns:
        return dict(enumerate(lexicographic_assignment(criteria).tolist()))
    return {i: j for j, i in enumerate(lexicographic_assignment([each.T for each in criteria]).tolist())}


def _compared_groups(rows: Sequence[Group], columns: Sequence[Group]) -> tuple[Matrix, Matrix]:
    """How many entities each pair of groups has in common, and how many corrections it needs, each of shape (n, m)."""
    names: dict[Any, int] = {}
    kinds: dict[str, int] = {}
    for group in (*rows, *columns):
        for each in _occurrences(group):
            names.setdefault(each, len(names))
        for entity in group.entities:
            kinds.setdefault(entity.kind, len(kinds))
    here, there = (_indicators(side, names) for side in (rows, columns))
    identical: Matrix = (here @ there.T).toarray()
    for i, row in enumerate(rows):
        if any(len(entity.texts) > 1 for entity in row.entities):  # alternatives, which indicators cannot compare
            for j, column in enumerate(columns):
                identical[i, j] = sum(step.edit == "right" for step in steps_between(row.entities, column.entities))
    ours, theirs = (_kind_counts(side, kinds) for side in (rows, columns))
    larger = np.array([np.maximum(row, theirs).sum(axis=1) for row in ours])
    return identical, larger - identical


def _occurrences(group: Group) -> Iterator[tuple[str, str, int]]:
    """The entities of a group, the second of two that are identical told apart from the first."""
    seen: Counter[tuple[str, str]] = Counter()
    for entity in group.entities:
        key = entity.kind, entity.texts[0]
        yield (*key, seen[key])
        seen[key] += 1


def _indicators(groups: Sequence[Group], names: dict[Any, int]) -> Any:
    """Which group holds which entity: a sparse matrix of ones."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to import

    columns = [[names[each] for each in _occurrences(group)] for group in groups]
    starts = np.cumsum([0, *map(len, columns)])
    flat = np.array([name for row in columns for name in row], dtype=np.int64)
    return csr_array((np.ones(len(flat)), flat, starts), shape=(len(groups), len(names)))


def _kind_counts(groups: Sequence[Group], kinds: dict[str, int]) -> Matrix:
    found = np.zeros((len(groups), len(kinds)))
    for row, group in enumerate(groups):
        for entity in group.entities:
            found[row, kinds[entity.kind]] += 1
    return found


def steps_between(truths: Sequence[Entity], predictions: Sequence[Entity]) -> Iterator[Step]:
    """What is to be done with each entity of a pair of groups, type by type (equations 2 and 8 to 10)."""
    ours: dict[str, list[Entity]] = defaultdict(list)
    theirs: dict[str, list[Entity]] = defaultdict(list)
    for side, entities in ((theirs, truths), (ours, predictions)):
        for entity in entities:
            side[entity.kind].append(entity)
    for kind in dict.fromkeys([*theirs, *ours]):
        yield from _steps_of_kind(theirs[kind], ours[kind])


def _steps_of_kind(truths: list[Entity], predictions: list[Entity]) -> Iterator[Step]:
    """Identical ones are right; of the rest as many as can be are changed, most confident first, in order."""
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
    """For each entity of the ground truth that has an identical one in the prediction, which it is."""
    if predictions and len(truths) > 1 and any(len(entity.texts) > 1 for entity in truths):
        same = np.array([[float(p.texts[0] in t.texts) for p in predictions] for t in truths])
        sure = np.broadcast_to([p.confidence or 0.0 for p in predictions], same.shape)
        return {i: j for i, j in _partners([same, same * sure]).items() if same[i, j]}
    places: dict[str, list[int]] = defaultdict(list)
    for j in sorted(range(len(predictions)), key=lambda j: (predictions[j].confidence or 0.0, -j)):
        places[predictions[j].texts[0]].append(j)  # the surest last: it is taken first
    found = {}
    for i, truth in enumerate(truths):
        fitting = next((places[each] for each in truth.texts if places.get(each)), None)
        if fitting:
            found[i] = fitting.pop()
    return found
