"""Score trees of metrics on entities: each entity is a leaf that is right, wrong, missing or only in the prediction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from docscore.core.values import Value, is_empty, step_text
from docscore.metrics.alignment import Edit, Step
from docscore.metrics.anls_star.tree import Kind, Status, Whole
from docscore.metrics.entities import Entity, Group
from docscore.metrics.metric_tree import MetricTree, NodeSide, metric_node, status_of_parts, sums_of_parts

_STATUS: dict[Edit, Status] = {"right": "exact", "change": "wrong", "add": "missing", "delete": "extra"}


class ComparedGroups(NamedTuple):
    """A pair of groups, or a group without a partner, and the edits of its entities."""

    truth: Group | None
    prediction: Group | None
    steps: Sequence[Step]

    @property
    def kind(self) -> str:
        """The type of both groups."""
        return (self.truth or self.prediction or Group("", "$")).kind

    @property
    def place(self) -> str:
        """The path of the group in the ground truth, or in the prediction if it is only there."""
        return (self.truth or self.prediction or Group("", "$")).place


class _Sides(NamedTuple):
    """What the entities of both documents do not say: the places that hold nothing, and numbers of entities and groups.

    Attributes:
        blanks: the values of the places of the ground truth and of the prediction that are null or empty.
        numbers: which entity of its type in its group an entity is, and which group of its type a group, by `id`.
        whole: what the nodes share.
        points: the points of an entity that is right, and of one with each edit.
    """

    blanks: tuple[Mapping[str, Value], Mapping[str, Value]]
    numbers: Mapping[int, int]
    whole: Whole
    points: Mapping[Edit, int]


def tree_of_groups(
    pairs: Sequence[ComparedGroups],
    values: tuple[Value, Value],
    *,
    points: Mapping[Edit, int],
    headline: str,
    facts: Sequence[str],
    groups: tuple[Sequence[Group], Sequence[Group]] = ((), ()),
) -> MetricTree:
    """Build the score tree of a document from its compared entities.

    Args:
        pairs: the compared groups; the first pair holds the entities outside groups.
        values: the ground truth and the prediction in plain types.
        points: what an entity counts, by its edit; one that is right earns it.
        headline: what the score is.
        facts: the other figures and counts.
        groups: the groups of both documents in their order.
    """
    total = sum(points[step.edit] for pair in pairs for step in pair.steps)
    sides = _Sides((_blanks(values[0]), _blanks(values[1])), _numbers(pairs, groups), Whole(float(total)), points)
    nodes = _entity_nodes(pairs[0], "", sides)
    of_kind: dict[str, list[ComparedGroups]] = defaultdict(list)
    for pair in pairs[1:]:
        if pair.steps:
            of_kind[pair.kind].append(pair)
    nodes += [_groups_node(kind, found, sides) for kind, found in of_kind.items()]
    both = NodeSide(values[0], "$"), NodeSide(values[1], "$")
    return _node(nodes, sides, path="$", both=both, headline=headline, facts=facts)


def _blanks(value: Value) -> dict[str, Value]:
    """The values that are null or empty, by their places."""
    found: dict[str, Value] = {}
    waiting: list[tuple[str, Value]] = [("$", value)]
    while waiting:
        place, part = waiting.pop()
        if not isinstance(part, tuple) and is_empty(part):
            found[place] = part
        elif isinstance(part, dict):
            waiting.extend((place + step_text(key), below) for key, below in part.items())
        elif isinstance(part, list):
            waiting.extend((place + step_text(index), below) for index, below in enumerate(part))
    return found


def _numbers(pairs: Sequence[ComparedGroups], groups: Iterable[Sequence[Group]]) -> dict[int, int]:
    """Which entity of its type in its group each entity is, and which group of its type each group, by `id`."""
    found: dict[int, int] = {}
    for of_side in groups:
        _number(of_side, found)
    for pair in pairs:
        for group in pair[:2]:
            _number(group.entities if group else [], found)
    return found


def _number(parts: Iterable[Group | Entity], found: dict[int, int]) -> None:
    seen: dict[str, int] = defaultdict(int)
    for part in parts:
        found[id(part)] = seen[part.kind]
        seen[part.kind] += 1


def _groups_node(kind: str, pairs: Sequence[ComparedGroups], sides: _Sides) -> MetricTree:
    """The node of the groups of one type: the group itself where it is an object, else a list of them."""
    if len(pairs) == 1 and not any(group and group.place.endswith("]") for group in pairs[0][:2]):
        return _group_node(pairs[0], sides, key=kind)
    return _list_node([_group_node(pair, sides, key=None) for pair in pairs], sides, kind, "$")


def _group_node(pair: ComparedGroups, sides: _Sides, key: str | None) -> MetricTree:
    both = _group_side(pair, 0, sides, key), _group_side(pair, 1, sides, key)
    path = both[0].path or both[1].path or "$"
    return _node(_entity_nodes(pair, pair.kind, sides), sides, path=path, key=key, both=both)


def _group_side(pair: ComparedGroups, side: int, sides: _Sides, key: str | None) -> NodeSide:
    """A group with its entities by their names, those of the other side that are null or empty here too."""
    group = pair[side]
    if not isinstance(group, Group):
        return NodeSide()
    found = {_name(entity, group.kind): entity.value for entity in group.entities}
    for step in pair.steps:
        blank = _blank(step, pair, side, sides)
        if blank:
            found[_name(step.truth or step.prediction, group.kind)] = sides.blanks[side][blank]
    return NodeSide(found, group.place, sides.numbers[id(group)] if key is None else None)


def _name(entity: Any, kind: str) -> str:
    """The name of an entity in its group: its type without that of the group."""
    return str(entity.kind).removeprefix(kind).removeprefix(".")


def _blank(step: Step, pair: ComparedGroups, side: int, sides: _Sides) -> str:
    """The place of a side that is null or empty where the other side has the entity; "" if there is no such place."""
    own, other = (pair[side], pair[1 - side])
    entity = (step.prediction, step.truth)[side]
    if (step.truth, step.prediction)[side] is not None or entity is None:
        return ""
    if not isinstance(own, Group) or not isinstance(other, Group):
        return ""
    place = own.place + entity.place.removeprefix(other.place)
    return place if place in sides.blanks[side] else ""


def _entity_nodes(pair: ComparedGroups, kind: str, sides: _Sides) -> list[MetricTree]:
    """The nodes of the entities of a pair: a leaf for each type, or a list of leaves where it has several."""
    of_name: dict[str, list[Step]] = defaultdict(list)
    for step in pair.steps:
        of_name[_name(step.truth or step.prediction, kind)].append(step)
    return [
        _leaf(steps[0], pair, sides, key=name)
        if len(steps) == 1
        else _list_node([_leaf(step, pair, sides, key=None) for step in steps], sides, name, pair.place)
        for name, steps in of_name.items()
    ]


def _leaf(step: Step, pair: ComparedGroups, sides: _Sides, key: str | None) -> MetricTree:
    points = sides.points[step.edit]
    return metric_node(
        _entity_side(step, pair, 0, sides, key),
        _entity_side(step, pair, 1, sides, key),
        path=(step.truth or step.prediction or Entity("", (), None, "$")).place,
        key=key,
        kind="scalar",
        status=_STATUS[step.edit],
        points=(points if step.edit == "right" else 0, points),
        whole=sides.whole,
    )


def _entity_side(step: Step, pair: ComparedGroups, side: int, sides: _Sides, key: str | None) -> NodeSide:
    """An entity of a side; where it has none, the place that is null or empty."""
    entity = (step.truth, step.prediction)[side]
    if entity is not None:
        return NodeSide(entity.value, entity.place, sides.numbers[id(entity)] if key is None else None)
    blank = _blank(step, pair, side, sides) if key else ""
    return NodeSide(sides.blanks[side].get(blank), blank or None)


def _list_node(elements: Sequence[MetricTree], sides: _Sides, name: str, above: str) -> MetricTree:
    """A list below a path, those of its elements that the ground truth has first."""
    ordered = sorted(elements, key=lambda node: (node.truth_index is None, node.truth_index, node.prediction_index))
    path = f"{above}{'' if name.startswith('[') else '.'}{name}"  # the name is itself a path of keys
    return _node(ordered, sides, path=path, key=name, kind="list")


def _node(
    children: Sequence[MetricTree],
    sides: _Sides,
    *,
    path: str,
    key: str | None = None,
    kind: Kind = "object",
    both: tuple[NodeSide, NodeSide] = (NodeSide(), NodeSide()),
    headline: str = "",
    facts: Sequence[str] = (),
) -> MetricTree:
    """A node with nodes below it."""
    return metric_node(
        *both,
        path=path,
        key=key,
        kind=kind,
        status=status_of_parts(children) if children else "exact",
        points=sums_of_parts(children),
        whole=sides.whole,
        children=children,
        headline=headline,
        facts=facts,
    )
