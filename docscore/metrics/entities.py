"""Convert documents to entities in groups, as KIEval defines them.

An object in a list is a group, and so is an object at the top level; other values are entities outside groups. Objects
inside a group are flattened by path, and a list of scalars is several entities of one type. Null and "" are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain, islice, product
from typing import Any, NamedTuple

import numpy as np

from docscore.core.errors import InputValueError
from docscore.core.similarity import fold
from docscore.core.values import LEAF_TYPES, Scalar, Value, is_empty, scalar_text, size, step_text

MOST_READINGS = 1000  # combinations of the alternatives of a ground truth


MOST_READ_VALUES = 40_000  # of all combinations together: each is compared as a document of its own, which takes time


_CHARACTERS_A_VALUE = 100  # that take as long to compare as a value


_FEW_READINGS = 10  # however many values a ground truth has


class Entity(NamedTuple):
    """A value with its type.

    Attributes:
        kind: its type, the path of keys: `menu.price`.
        texts: the texts that are compared: one, or several where the ground truth has alternatives.
        value: the original value, or all alternatives.
        place: its path: `$.menu[0].price`.
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
        kind: its type, the path of keys: `menu`; "" for the entities outside groups.
        place: its path.
        of_kind: its entities by their types; may be empty.
        has_alternatives: whether some of them have alternatives.
    """

    kind: str
    place: str
    of_kind: dict[str, list[Entity]] = field(default_factory=dict)
    has_alternatives: bool = False

    @property
    def count(self) -> int:
        """The number of its entities."""
        return sum(map(len, self.of_kind.values()))

    @property
    def entities(self) -> list[Entity]:
        """Its entities, type by type."""
        return list(chain.from_iterable(self.of_kind.values()))


@dataclass
class Document:
    """The entities of a document.

    Attributes:
        alone: the entities outside groups.
        groups: the groups.
    """

    alone: Group
    groups: list[Group]

    def entities(self) -> Iterator[Entity]:
        """All entities, inside and outside groups."""
        yield from self.alone.entities
        for group in self.groups:
            yield from group.entities

    def as_one_group(self) -> Group:
        """All entities as one group."""
        found = Group(self.alone.kind, self.alone.place)
        for group in (self.alone, *self.groups):
            found.has_alternatives |= group.has_alternatives
            for kind, entities in group.of_kind.items():
                found.of_kind.setdefault(kind, []).extend(entities)
        return found


def document_of(value: Value, *, normalise: bool = False, confidences: Any = None) -> Document:
    """Convert a value to entities in groups.

    Args:
        value: a value in plain types; alternatives are allowed among scalars only.
        normalise: whether texts are compared in lower case, with white space folded.
        confidences: numbers in the same shape, or None.

    >>> document = document_of({"menu": [{"nm": "tea", "price": "2"}], "date": "1 May", "total": {"sum": "2"}})
    >>> [group.kind for group in document.groups], [entity.kind for entity in document.entities()]
    (['menu', 'total'], ['date', 'menu.nm', 'menu.price', 'total.sum'])
    """
    return _Reader(normalise=normalise).document(value, confidences)


class _Reader:
    """Collects the groups of one document."""

    def __init__(self, *, normalise: bool) -> None:
        self.text: Callable[[Any], str] = partial(fold, ignore_case=True) if normalise else json_text
        self.alone = Group("", "$")
        self.groups: list[Group] = []

    def document(self, value: Value, confidences: Any) -> Document:
        if isinstance(value, dict):
            for key, item in value.items():
                kind, step = _below("", key)
                below = _part(confidences, key)
                if isinstance(item, dict):
                    self.group(item, kind, "$" + step, below)
                else:
                    self.visit(item, kind, "$" + step, self.alone, below)
        else:
            self.visit(value, "$", "$", self.alone, confidences)
        return Document(self.alone, self.groups)

    def group(self, items: dict[str, Value], kind: str, place: str, confidences: Any) -> None:
        group = Group(kind, place)
        self.groups.append(group)
        self.entries(items, kind, place, group, confidences)

    def entries(self, items: dict[str, Value], kind: str, place: str, group: Group, confidences: Any) -> None:
        for key, item in items.items():
            below, step = _below(kind, key)
            self.visit(item, below, place + step, group, None if confidences is None else _part(confidences, key))

    def visit(self, value: Value, kind: str, place: str, group: Group, confidences: Any) -> None:
        if type(value) in LEAF_TYPES:
            if value is not None and value != "":
                confidence = None if confidences is None else _number(confidences, place)
                # as `Entity(...)` does, which takes three times as long
                entity = tuple.__new__(Entity, (kind, (self.text(value),), value, place, confidence))
                group.of_kind.setdefault(kind, []).append(entity)
        elif isinstance(value, dict):
            self.entries(value, kind, place, group, confidences)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                at, below = f"{place}[{index}]", _part(confidences, index)
                if isinstance(item, dict):
                    self.group(item, kind, at, below)
                else:
                    self.visit(item, kind, at, group, below)
        elif isinstance(value, tuple):
            texts = tuple(dict.fromkeys(map(self.text, value)))
            group.of_kind.setdefault(kind, []).append(Entity(kind, texts, value, place))
            group.has_alternatives = True


@lru_cache(maxsize=4096)
def _below(kind: str, key: str) -> tuple[str, str]:
    """The type below another one, and the step of the path from one to the other."""
    step = step_text(key)
    return (kind + step).removeprefix("."), step


def readings(truth: Value, *, scalars: bool = False) -> Iterator[Value]:
    """Yield the ground truth with every combination of its alternatives ("readings").

    Args:
        truth: a ground truth in plain types.
        scalars: whether alternative scalars are expanded too; otherwise they stay together as one value.

    Raises:
        ValueError: if there are more than 1,000 combinations, or more than 10 and over 40,000 values in all of them;
            100 characters count as a value.
    """
    if not _has_alternatives(truth):
        yield truth
        return
    values, characters = size(truth), _characters(truth)
    most = MOST_READ_VALUES // max(1, values + characters // _CHARACTERS_A_VALUE)
    most = min(MOST_READINGS, max(_FEW_READINGS, most))
    found = list(islice(_readings(truth, scalars), most + 1))
    if len(found) > most:
        of_size = "" if most == MOST_READINGS else f", {values:,} values and {characters:,} characters"
        expected = f"at most {most:,} readings of a ground truth with alternatives{of_size}"
        raise InputValueError(place="$", expected=expected, got="more")
    yield from found


def _has_alternatives(truth: Value) -> bool:
    waiting = [truth]
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            return True
        below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if not LEAF_TYPES.issuperset(map(type, below)):
            waiting.extend(below)
    return False


def _characters(value: Value) -> int:
    """The number of characters of all texts in a value, alternatives included."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return sum(map(_characters, value))
    return len(value) if isinstance(value, str) else 0


def _readings(truth: Value, scalars: bool) -> Iterator[Value]:
    if isinstance(truth, tuple):
        if not scalars and not any(isinstance(each, list | dict | tuple) or is_empty(each) for each in truth):
            yield truth
            return
        for option in truth:
            yield from _readings(option, scalars)
    elif isinstance(truth, list):
        for items in _products([_readings(item, scalars) for item in truth]):
            yield list(items)
    elif isinstance(truth, dict):
        for items in _products([_readings(item, scalars) for item in truth.values()]):
            yield dict(zip(truth, items, strict=True))
    else:
        yield truth


def json_text(value: Scalar) -> str:
    """The scalar as text: strings unchanged, numbers and booleans as in JSON."""
    if type(value) is str:
        return value
    return str(value).lower() if isinstance(value, bool) else scalar_text(value)


def _products(parts: list[Iterator[Value]]) -> Iterator[tuple[Value, ...]]:
    """All combinations of one reading of each part; of each part only as many as the limit are read."""
    return product(*(list(islice(part, MOST_READINGS + 1)) for part in parts))


def _part(confidences: Any, step: str | int) -> Any:
    """The confidences below a key or an index; a number for a whole object or list applies to all values in it."""
    if isinstance(confidences, dict):
        return confidences.get(step)
    if isinstance(confidences, list):
        return confidences[step] if isinstance(step, int) and step < len(confidences) else None
    return confidences


def _number(confidence: Any, place: str) -> float | None:
    if confidence is None:
        return None
    known = isinstance(confidence, int | float | np.floating) and not isinstance(confidence, bool)
    if not known or not 0 <= confidence <= 1:
        raise InputValueError(place=place, expected="a confidence from 0 to 1", got=repr(confidence))
    return float(confidence)


def length_first(key: str) -> tuple[int, str]:
    """The sort key of Donut's order of keys: by length, then by name."""
    return len(key), key


def donut_value(value: Value) -> Any:
    """Convert a value as Donut's evaluation does: to an object of lists, a list of objects, or a list of texts.

    Values that are false in Python, including 0 and False, are left out. In a list that does not only hold objects,
    everything except texts and numbers is left out.
    """
    if not value:
        return {}
    if isinstance(value, dict):
        fields = ((key, donut_value(value[key])) for key in sorted(value, key=length_first))
        return {key: each if isinstance(each, list) else [each] for key, each in fields if each}
    if not isinstance(value, list):
        return [scalar_text(value).strip()]  # type: ignore[arg-type]
    if all(isinstance(item, dict) for item in value):
        return [each for each in map(donut_value, value) if each]
    kept = (item for item in value if isinstance(item, str | int | float) and not isinstance(item, bool))
    texts = (scalar_text(item).strip() for item in kept)
    return [each for each in texts if each]
