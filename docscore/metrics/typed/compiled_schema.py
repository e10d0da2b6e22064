"""From a JSON Schema to the places that the scorer descends through."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError, short_repr
from docscore.metrics.anls_star.schema_node import SchemaNode
from docscore.metrics.typed.schema_settings import KEYWORD, PlaceSettings, checked_settings, comparator_of

_ALTERNATIVES = ("allOf", "anyOf", "oneOf")
_MOST_STEPS = 100_000  # a schema of a thousand properties takes some thousand


class SubSchema(NamedTuple):
    """A schema inside a schema.

    Attributes:
        content: the schema.
        pointer: where it is: `#/properties/total`.
        resolver: finds what its references refer to.
    """

    content: Mapping[str, Any]
    pointer: str
    resolver: Any

    def below(self, *steps: str | int) -> SubSchema | None:
        """The schema at some steps; None where there is none, or one that says nothing (`true`)."""
        content: Any = self.content
        for step in steps:
            content = content[step]
        pointer = "/".join([self.pointer, *(str(step).replace("~", "~0").replace("/", "~1") for step in steps)])
        return SubSchema(content, pointer, self.resolver) if isinstance(content, dict) else None


class _Steps:
    """Counts the schemas that are looked at: alternatives that refer to each other lead to ever more of them."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self, pointer: str) -> None:
        """Count one, at a place of the schema."""
        self.taken += 1
        if self.taken > _MOST_STEPS:
            expected = f"references and alternatives that lead to at most {_MOST_STEPS:,} schemas"
            raise InputValueError(place=pointer, expected=expected, got="more")


@lru_cache(maxsize=1024)
def compiled_schema(text: str) -> SchemaNode:
    """The root of a JSON Schema.

    Read are `type`, `format`, `properties`, `additionalProperties`, `items`, `prefixItems`, `$ref` within the schema,
    `allOf`, `anyOf` and `oneOf` (all that apply to a place are taken together), and `x-docscore`. Elements of lists are
    matched whatever their order, so that those of `prefixItems` share one place with those of `items`.

    Args:
        text: the schema as JSON.

    Raises:
        ValueError: for what is no JSON Schema, a reference to nothing, and settings that are wrong or contradict each
            other; the message names the place: `#/properties/total/x-docscore`.
    """
    from jsonschema import SchemaError  # noqa: PLC0415  importing jsonschema takes 0.1 s: who has no schema does not pay
    from jsonschema.validators import Draft202012Validator, validator_for  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415

    document = json.loads(text)
    try:
        validator_for(document, default=Draft202012Validator).check_schema(document)
    except SchemaError as error:
        pointer = "/".join(["#", *map(str, error.absolute_path)])
        raise InputValueError(place=pointer, problem=f"no JSON Schema: {error.message}") from None
    resource = DRAFT202012.create_resource(document)
    resolver = Registry().with_resource(resource.id() or "", resource).resolver(resource.id() or "")
    return _Compiler().root(SubSchema(document if isinstance(document, dict) else {}, "#", resolver))


class _Compiler:
    """Makes a node for every place; a place that occurs several times with the same weight is one node."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[tuple[int, ...], float], SchemaNode] = {}
        self.above: list[tuple[int, ...]] = []  # the places that are being made
        self.steps = _Steps()

    def root(self, schema: SubSchema) -> SchemaNode:
        try:
            found = self.node([schema], 1.0)
        except RecursionError:
            raise InputValueError(place="#", problem="nested too deep") from None
        weighted = any(node.unit != 1 for node in self.nodes.values())
        for node in self.nodes.values():
            node.weighted = weighted
        return found

    def node(self, schemas: Sequence[SubSchema], unit: float) -> SchemaNode:
        """The node of a place.

        Args:
            schemas: all that is said of it.
            unit: the product of the weights of the places above.
        """
        name = tuple(id(schema.content) for schema in schemas)
        if (name, unit) in self.nodes:
            return self.nodes[name, unit]
        pointer = f"{schemas[0].pointer}/{KEYWORD}" if schemas else "#"
        if name and name in self.above:
            raise InputValueError(place=pointer, problem="a weight in a part of the schema that contains itself")
        settings = _common_settings(schemas, self.steps)
        views = [view for schema in schemas for view in _views(schema, self.steps)]
        comparator = comparator_of(settings, [view.content for view in views], pointer)
        found = SchemaNode(unit * settings.get("weight", 1), weighted=False, comparator=comparator)
        self.nodes[name, unit] = found
        self.above.append(name)
        self._fill(found, views)
        self.above.pop()
        return found

    def _fill(self, node: SchemaNode, views: Sequence[SubSchema]) -> None:
        """Make the places below a node."""
        named: dict[str, list[SubSchema]] = {}
        others: list[SubSchema] = []
        items: list[SubSchema] = []
        for view in views:
            for key in view.content.get("properties", {}):
                named.setdefault(key, []).extend(_present(view.below("properties", key)))
            if "additionalProperties" in view.content:
                others += _present(view.below("additionalProperties"))
            items += _elements(view)
        node.properties = {key: self.node(schemas, node.unit) for key, schemas in named.items()}
        node.others = self.node(others, node.unit)
        node.items = self.node(items, node.unit)


def _present(schema: SubSchema | None) -> list[SubSchema]:
    return [] if schema is None else [schema]


def _elements(view: SubSchema) -> Iterator[SubSchema]:
    """What a schema says of the elements of a list."""
    for keyword in ("items", "prefixItems"):
        content = view.content.get(keyword)
        steps = [(keyword, i) for i in range(len(content))] if isinstance(content, list) else [(keyword,)]
        for each in steps if content is not None else ():
            yield from _present(view.below(*each))


def _referred(schema: SubSchema) -> Iterator[SubSchema]:
    """The schemas that apply to the same place as a schema: what it refers to, and its alternatives."""
    from referencing.exceptions import Unresolvable  # noqa: PLC0415  as above

    if "$ref" in schema.content:
        reference = schema.content["$ref"]
        try:
            found = schema.resolver.lookup(reference)
        except Unresolvable:
            place = f"{schema.pointer}/$ref"
            raise InputValueError(
                place=place, expected="a reference within the schema", got=short_repr(reference)
            ) from None
        if isinstance(found.contents, dict):
            yield SubSchema(found.contents, reference, found.resolver)
    for keyword in _ALTERNATIVES:
        for number in range(len(schema.content.get(keyword, []))):
            yield from _present(schema.below(keyword, number))


def _views(schema: SubSchema, steps: _Steps, seen: frozenset[int] = frozenset()) -> Iterator[SubSchema]:
    """A schema and all that apply to the same place."""
    if id(schema.content) in seen:
        return
    steps.take(schema.pointer)
    yield schema
    for other in _referred(schema):
        yield from _views(other, steps, seen | {id(schema.content)})


def _common_settings(schemas: Sequence[SubSchema], steps: _Steps, seen: frozenset[int] = frozenset()) -> PlaceSettings:
    """The `x-docscore` of a place; what stands beside a reference or around alternatives overrides what is inside.

    Raises:
        ValueError: for alternatives that say different things.
    """
    common: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for schema in schemas:
        if id(schema.content) in seen:
            continue
        steps.take(schema.pointer)
        inside = _common_settings(list(_referred(schema)), steps, seen | {id(schema.content)})
        pointer = f"{schema.pointer}/{KEYWORD}"
        own = checked_settings(schema.content[KEYWORD], pointer) if KEYWORD in schema.content else {}
        for name, value in {**inside, **own}.items():
            if common.get(name, value) != value:
                problem = f"{name} is {value!r} here and {common[name]!r} in {origin[name]}"
                raise InputValueError(place=pointer, problem=problem)
            common[name] = value
            origin[name] = pointer
    return common
