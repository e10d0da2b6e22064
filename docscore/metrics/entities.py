"""Entities and groups as in KIEval: how to read them from values, match them, and find their edits.

An object in a list or at the top level is a group; other values are entities outside groups. Objects inside a group are
flattened by path, and a list of scalars is several entities of one type. Null and "" are left out. Equations 1, 2 and 8
to 10 of KIEval define how groups are matched and which edit each entity needs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain, islice, product
from math import fsum
from typing import Any, Literal, NamedTuple

import numpy as np

from docscore.core.assignment import Ties, lexicographic_assignment
from docscore.core.errors import InputValueError, short_repr
from docscore.core.options import NUMBERS, check_choice
from docscore.core.runtime import check_memory
from docscore.core.similarity import TEXT_RULES, ScalarText, fold
from docscore.core.values import (
    LEAF_TYPES,
    Matrix,
    Scalar,
    Value,
    is_empty,
    parts_in,
    scalar_text,
    size,
    step_text,
    to_json,
)

MOST_READINGS = 1000  # combinations of the alternatives of a ground truth
MOST_READ_VALUES = 40_000  # values in all combinations; each combination is compared as a separate ground truth
_FEW_READINGS = 10  # combinations that are allowed for a ground truth of any size
_CHARACTERS_A_VALUE = 100  # characters that take as long to compare as a value
_BYTES_A_PAIR = 128  # bytes per pair of groups: five criteria, masks, and temporary arrays of the assignment


class Entity(NamedTuple):
    """A value with its type.

    Attributes:
        kind: the type, which is the path of keys: `menu.price`.
        texts: the text to compare, or one for each alternative of the ground truth.
        value: the original value, or all alternatives.
        place: the path: `$.menu[0].price`.
        confidence: the confidence of the model, or None.
    """

    kind: str
    texts: tuple[str, ...]
    value: Any
    place: str
    confidence: float | None = None


@dataclass
class Group:
    """Entities that belong together.

    Attributes:
        kind: the type, which is the path of keys: `menu`; "" for the entities outside groups.
        place: the path.
        of_kind: the entities by type; it may be empty.
        has_alternatives: whether any entity has alternatives.
    """

    kind: str
    place: str
    of_kind: dict[str, list[Entity]] = field(default_factory=lambda: defaultdict(list))
    has_alternatives: bool = False

    @property
    def count(self) -> int:
        """The number of entities."""
        return sum(map(len, self.of_kind.values()))

    @property
    def entities(self) -> list[Entity]:
        """The entities, type by type."""
        return list(chain.from_iterable(self.of_kind.values()))


def as_one_group(groups: Sequence[Group]) -> Group:
    """Merge all groups of a value into one."""
    merged = Group("", "$", has_alternatives=any(group.has_alternatives for group in groups))
    for group in groups:
        for kind, entities in group.of_kind.items():
            merged.of_kind[kind] += entities
    return merged


def json_text(value: Scalar, text: ScalarText = scalar_text) -> str:
    """Return the text of a scalar: strings unchanged, booleans as in JSON, numbers by the function `text`."""
    if type(value) is str:
        return value
    return str(value).lower() if isinstance(value, bool) else text(value)


def text_of_entities(*, normalise: bool, numbers: str) -> ScalarText:
    """Return the function that converts the value of an entity to the text to compare.

    Args:
        normalise: whether to convert texts to lower case and to fold white space.
        numbers: "text", or "value" for the shortest decimal spelling of JSON numbers, as for ANLS*.
    """
    check_choice("numbers", numbers, NUMBERS)
    if normalise:
        return partial(fold, ignore_case=True, text=TEXT_RULES[numbers])
    return json_text if numbers == "text" else partial(json_text, text=TEXT_RULES[numbers])


def document_of(value: Value, text: ScalarText = json_text, confidences: Any = None) -> list[Group]:
    """Convert a value to groups of entities; the first group holds the entities outside groups.

    Args:
        value: a value in plain types; only scalars may have alternatives.
        text: returns the text of a scalar to compare.
        confidences: numbers in the shape of the value, or None.

    >>> document = document_of({"menu": [{"nm": "tea", "price": "2"}], "date": "1 May", "total": {"sum": "2"}})
    >>> [(group.kind, [entity.kind for entity in group.entities]) for group in document]
    [('', ['date']), ('menu', ['menu.nm', 'menu.price']), ('total', ['total.sum'])]
    """
    groups = [Group("", "$")]
    _collect(groups, value, "" if isinstance(value, dict) else "$", "$", groups[0], text, confidences)
    return groups


def _collect(
    groups: list[Group], value: Any, kind: str, place: str, group: Group, text: ScalarText, confidences: Any
) -> None:
    """Add the entities of a value to its group, and the groups in it to `groups`."""
    if type(value) in LEAF_TYPES:
        if value is not None and value != "":
            sure = None if confidences is None else checked_confidence(confidences, place)
            # equals `Entity(...)`, which takes twice as long; the same applies to `Step` below
            group.of_kind[kind].append(tuple.__new__(Entity, (kind, (text(value),), value, place, sure)))
    elif type(value) is tuple:
        group.of_kind[kind].append(Entity(kind, tuple(dict.fromkeys(map(text, value))), value, place))
        group.has_alternatives = True
    else:
        is_list = type(value) is list
        makes_groups = is_list or place == "$"
        for key, item in enumerate(value) if is_list else value.items():
            below, step = (kind, f"[{key}]") if is_list else _below(kind, key)
            own = group
            if makes_groups and type(item) is dict:
                own = Group(below, place + step)
                groups.append(own)
            known = None if confidences is None else part_of_confidences(confidences, key)
            _collect(groups, item, below, place + step, own, text, known)


@lru_cache(maxsize=4096)
def _below(kind: str, key: str) -> tuple[str, str]:
    """Return the type at a key below another type, and the step of the path."""
    step = step_text(key)
    return (kind + step).removeprefix("."), step


def readings(truth: Value, *, scalars: bool = False) -> Iterator[Value]:
    """Yield the readings of a ground truth: one for every combination of its alternatives.

    Args:
        truth: a ground truth in plain types.
        scalars: whether to expand alternative scalars too; otherwise they stay together as one value.

    Raises:
        ValueError: if there are more than 1,000 readings, or more than 10 with more than 40,000 values in all; 100
            characters count as a value.
    """
    if not _has_alternatives(truth):
        yield truth
        return
    values = size(truth)
    characters = sum(len(part) for part in parts_in([truth]) if isinstance(part, str))
    most = MOST_READ_VALUES // max(1, values + characters // _CHARACTERS_A_VALUE)
    most = min(MOST_READINGS, max(_FEW_READINGS, most))
    combinations = list(islice(_readings(truth, scalars), most + 1))
    if len(combinations) > most:
        of_size = "" if most == MOST_READINGS else f", {values:,} values and {characters:,} characters"
        raise InputValueError(
            place="$", expected=f"at most {most:,} readings of a ground truth with alternatives{of_size}", got="more"
        )
    yield from combinations


def _has_alternatives(value: Value) -> bool:
    if isinstance(value, tuple):
        return True
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not LEAF_TYPES.issuperset(map(type, below)) and any(map(_has_alternatives, below))


def _readings(truth: Value, scalars: bool) -> Iterator[Value]:
    if isinstance(truth, tuple):
        if not scalars and not any(isinstance(each, list | dict | tuple) or is_empty(each) for each in truth):
            yield truth
            return
        for option in truth:
            yield from _readings(option, scalars)
    elif isinstance(truth, list | dict):
        parts = truth.values() if isinstance(truth, dict) else truth
        of_parts = (list(islice(_readings(part, scalars), MOST_READINGS + 1)) for part in parts)
        for items in product(*of_parts):
            yield dict(zip(truth, items, strict=True)) if isinstance(truth, dict) else list(items)
    else:
        yield truth


def part_of_confidences(confidences: Any, step: str | int) -> Any:
    """Return the confidences at a key or an index; a single number applies to all values of an object or list."""
    if isinstance(confidences, dict):
        return confidences.get(step)
    if isinstance(confidences, list):
        return confidences[step] if isinstance(step, int) and step < len(confidences) else None
    return confidences


def checked_confidence(confidence: Any, place: str, most: float = 1) -> float | None:
    """Return a confidence as a float, or None if it is None; raise `ValueError` for anything else, and above `most`."""
    if confidence is None:
        return None
    is_number = isinstance(confidence, int | float | np.floating) and not isinstance(confidence, bool)
    if not is_number or not 0 <= confidence <= most:
        percent = ", or in percent" if most > 1 else ""
        raise InputValueError(place=place, expected=f"a confidence from 0 to 1{percent}", got=short_repr(confidence))
    return float(confidence)


def length_first(key: str) -> tuple[int, str]:
    """Return the sort key of a key in Donut's order: by length, then by name."""
    return len(key), key


def donut_value(value: Value, text: ScalarText) -> Any:
    """Convert a value as Donut's evaluation does: to an object of lists, a list of objects, or a list of texts.

    Values that are false in Python, including 0 and False, are left out. Lists that do not hold only objects keep only
    texts and numbers. `text` returns the text of a scalar.
    """
    if not value:
        return {}
    if isinstance(value, dict):
        fields = ((key, donut_value(value[key], text)) for key in sorted(value, key=length_first))
        return {key: each if isinstance(each, list) else [each] for key, each in fields if each}
    if not isinstance(value, list):
        return [text(value).strip()]  # type: ignore[arg-type]
    if all(isinstance(item, dict) for item in value):
        return [each for each in (donut_value(item, text) for item in value) if each]
    kept = (item for item in value if isinstance(item, str | int | float) and not isinstance(item, bool))
    texts = (text(item).strip() for item in kept)
    return [each for each in texts if each]


Edit = Literal["right", "change", "add", "delete"]
_Occurrence = tuple[str, str, int]  # type, text, and the number of identical entities before it in the group


class Step(NamedTuple):
    """An entity and the edit that it needs.

    Attributes:
        edit: "right" if no edit is needed, "change", "add" or "delete".
        truth: the entity in the ground truth, or None.
        prediction: the entity in the prediction, or None.
    """

    edit: Edit
    truth: Entity | None
    prediction: Entity | None

    @property
    def kind(self) -> str:
        """The entity type."""
        return (self.truth or self.prediction).kind  # type: ignore[union-attr]  # at least one is not None

    @property
    def place(self) -> str:
        """The path of the entity in the prediction, or in the ground truth if it is missing."""
        return (self.prediction or self.truth).place  # type: ignore[union-attr]

    def to_dict(self) -> dict[str, Any]:
        """The attributes in plain types."""
        return {
            "edit": self.edit,
            "entity": self.kind,
            "place": self.place,
            "expected": None if self.truth is None else to_json(self.truth.value),
            "predicted": None if self.prediction is None else to_json(self.prediction.value),
        }


GroupPair = tuple[Group | None, Group | None]  # in the ground truth and in the prediction


def matched_groups(truths: Sequence[Group], predictions: Sequence[Group]) -> list[GroupPair]:
    """Match the groups of one type; a group without a partner is paired with None (equation 1).

    The matching has as many pairs as possible and the largest number of identical entities. Ties are broken by the
    fewest corrections of all groups, then the most right groups, then the highest confidences of the matched groups,
    then the contents of the groups, so that the result does not depend on the order.
    """
    partner: dict[int, int] = {}
    if truths and predictions:
        kind = truths[0].kind
        place = kind if kind == "$" else f"${'' if kind.startswith('[') else '.'}{kind}"
        check_memory(len(truths), len(predictions), things="groups", bytes_a_pair=_BYTES_A_PAIR, place=place)
        contents = [lambda i, side=side: _content(side[i]) for side in (truths, predictions)]
        partner = _partners(_criteria(truths, predictions), Ties(*contents))
    taken = set(partner.values())
    pairs: list[GroupPair] = [
        (truth, predictions[partner[i]] if i in partner else None) for i, truth in enumerate(truths)
    ]
    return pairs + [(None, prediction) for j, prediction in enumerate(predictions) if j not in taken]


def _content(group: Group) -> list[tuple[Any, ...]]:
    """Return the sort key of a group: its entities and their confidences, sorted."""
    return sorted([(entity.kind, sorted(entity.texts), entity.confidence or 0.0) for entity in group.entities])


def _criteria(truths: Sequence[Group], predictions: Sequence[Group]) -> Iterator[Matrix]:
    """Yield the criteria to maximise, each of shape (n, m); a criterion breaks the ties of those before it."""
    identical = _identical_entities(truths, predictions)
    yield identical
    # Without a partner, all entities of both groups are added or deleted. Two entities of one type need one correction
    # together, and none if they are identical.
    saved = identical + _common_kinds(truths, predictions)
    yield saved
    yield (saved == np.add.outer(*([group.count for group in side] for side in (truths, predictions)))).astype(float)
    confidences = [fsum([entity.confidence or 0.0 for entity in group.entities]) for group in predictions]
    yield np.broadcast_to(confidences, identical.shape)


def _partners(criteria: Iterable[Matrix], ties: Ties | None = None) -> dict[int, int]:
    """Return the column matched with each row, maximising the criteria lexicographically."""
    rows, columns = lexicographic_assignment(criteria, ties)
    return dict(zip(rows.tolist(), columns.tolist(), strict=True))


def _identical_entities(rows: Sequence[Group], columns: Sequence[Group]) -> Matrix:
    """Return the number of identical entities of each pair of groups, shape (n, m)."""
    table = [[0] * len(columns) for _ in rows]
    owners: dict[_Occurrence, list[int]] = defaultdict(list)
    for j, column in enumerate(columns):
        for occurrence in _occurrences(column):
            owners[occurrence].append(j)
    for of_row, row in zip(table, rows, strict=True):
        for occurrence in _occurrences(row):
            for j in owners.get(occurrence, ()):
                of_row[j] += 1
    identical: Matrix = np.array(table, dtype=np.float64)
    for i, row in enumerate(rows):
        if row.has_alternatives:  # the loops above compare the first alternative alone
            for j, column in enumerate(columns):
                identical[i, j] = sum(step.edit == "right" for step in steps_between(row, column))
    return identical


def _occurrences(group: Group) -> Iterator[_Occurrence]:
    """Yield type, text and occurrence of each entity, which distinguish identical entities of a group."""
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
    """Return for each pair of groups how many of their entities can be paired by type, shape (n, m)."""
    common = np.zeros((len(rows), len(columns)))
    kinds = ({kind for group in side for kind in group.of_kind} for side in (rows, columns))
    for kind in set.intersection(*kinds):
        counts = ([len(group.of_kind.get(kind, ())) for group in side] for side in (rows, columns))
        common += np.minimum.outer(*counts)
    return common


def steps_between(truth: Group | None, prediction: Group | None) -> Iterator[Step]:
    """Yield the edit of each entity of a pair of groups, type by type (equations 2 and 8 to 10)."""
    left = truth.of_kind if truth else {}
    right = prediction.of_kind if prediction else {}
    for kind in left | right:
        truths, predictions = left.get(kind, []), right.get(kind, [])
        if len(truths) == len(predictions) == 1:
            is_right = predictions[0].texts[0] in truths[0].texts
            yield tuple.__new__(Step, ("right" if is_right else "change", truths[0], predictions[0]))
        else:
            yield from _steps_of_kind(truths, predictions)


def _steps_of_kind(truths: list[Entity], predictions: list[Entity]) -> Iterator[Step]:
    """Yield the edits of one type: identical entities are right; the most confident of the others are changed first.

    Entities that are changed are paired by the order of their texts.
    """
    partners = _identical_partners(truths, predictions)
    taken = set(partners.values())
    missing = [truth for i, truth in enumerate(truths) if i not in partners]
    surplus = [prediction for j, prediction in enumerate(predictions) if j not in taken]
    if missing and surplus:
        missing.sort(key=lambda entity: sorted(entity.texts))
        surplus.sort(key=lambda entity: (-(entity.confidence or 0.0), entity.texts))
    yield from (Step("right", truths[i], predictions[j]) for i, j in partners.items())
    yield from (Step("change", *pair) for pair in zip(missing, surplus, strict=False))
    yield from (Step("add", truth, None) for truth in missing[len(surplus) :])
    yield from (Step("delete", None, prediction) for prediction in surplus[len(missing) :])


def _identical_partners(truths: list[Entity], predictions: list[Entity]) -> dict[int, int]:
    """Return the index of an identical predicted entity for each entity of the ground truth that has such a partner."""
    if predictions and len(truths) > 1 and any(len(entity.texts) > 1 for entity in truths):
        equal = np.array([[float(p.texts[0] in t.texts) for p in predictions] for t in truths])
        confidences = np.broadcast_to([p.confidence or 0.0 for p in predictions], equal.shape)
        return {i: j for i, j in _partners([equal, equal * confidences]).items() if equal[i, j]}
    places: dict[str, list[int]] = defaultdict(list)
    for j in sorted(range(len(predictions)), key=lambda j: (predictions[j].confidence or 0.0, -j)):
        places[predictions[j].texts[0]].append(j)  # the most confident one is last and is used first
    partners = {}
    for i, truth in enumerate(truths):
        identical = next((places[text] for text in sorted(truth.texts) if places.get(text)), None)
        if identical:
            partners[i] = identical.pop()
    return partners
