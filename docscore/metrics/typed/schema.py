"""From a JSON Schema, with `x-docscore`, to the places that the scorer descends through."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from docscore.core.dates import ORDERS
from docscore.core.errors import InputValueError, short_repr
from docscore.metrics.anls_star.sizes import Comparator, SchemaNode
from docscore.metrics.typed.comparators import (
    boolean_comparator,
    date_comparator,
    exact_comparator,
    number_comparator,
)

KEYWORD = "x-docscore"


COMPARISONS = ("text", "exact", "number", "date", "boolean")


# The types of which a place may be to be compared so.
_TYPES = {
    "number": {"number", "integer", "string"},
    "date": {"string"},
    "boolean": {"boolean", "string"},
    "exact": {"string", "number", "integer", "boolean"},
    "text": {"string", "number", "integer", "boolean"},
}


# The comparison that a type implies; a text is a date where its format says so.
_IMPLIED = {"number": "number", "integer": "number", "boolean": "boolean"}
_DATE_FORMATS = ("date", "date-time")


# The comparison that each option belongs to.
_BELONGS = {"tolerance": "number", "decimal": "number", "group": "number", "order": "date"}


_SHARE = re.compile(r"(\d+(?:\.\d+)?) ?%", re.ASCII)


PlaceSettings = Mapping[str, Any]


def checked_settings(settings: Any, pointer: str) -> PlaceSettings:
    """What stands under `x-docscore`, if it is right.

    Raises:
        ValueError: naming the pointer, what was expected and what came.
    """
    if not isinstance(settings, dict):
        raise InputValueError(place=pointer, expected="an object", got=short_repr(settings))
    for name, value in settings.items():
        if name not in _CHECKS:
            raise InputValueError(place=pointer, expected=f"some of {', '.join(_CHECKS)}", got=short_repr(name))
        expected, is_right = _CHECKS[name]
        if not is_right(value):
            raise InputValueError(place=f"{pointer}/{name}", expected=expected, got=short_repr(value))
    return settings


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= sys.float_info.max


def _is_tolerance(value: Any) -> bool:
    return _is_number(value) or (isinstance(value, str) and _SHARE.fullmatch(value) is not None)


def _is_separator(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 1 and not value.isalnum() and value not in "+-"


_CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "compare": (f"one of {', '.join(COMPARISONS)}", lambda value: value in COMPARISONS),
    "tolerance": ('a number of at least 0, or a share of the ground truth such as "1%"', _is_tolerance),
    "weight": ("a number of at least 0", _is_number),
    "decimal": ("one character that is no letter, digit or sign", _is_separator),
    "group": ("one character that is no letter, digit or sign", _is_separator),
    "order": (f"one of {', '.join(ORDERS)}", lambda value: value in ORDERS),
}


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """The types that a schema names, null left out."""
    named = schema.get("type", [])
    return [name for name in ([named] if isinstance(named, str) else named) if name != "null"]


def implied_comparison(schemas: Iterable[Mapping[str, Any]]) -> str:
    """The comparison that types and formats imply: the one beside texts, if it is only one."""
    implied = {
        "date" if name == "string" and schema.get("format") in _DATE_FORMATS else _IMPLIED.get(name, "text")
        for schema in schemas
        for name in types_of(schema)
    } - {"text"}
    return implied.pop() if len(implied) == 1 else "text"


def comparator_of(settings: PlaceSettings, schemas: list[Mapping[str, Any]], pointer: str) -> Comparator[Any] | None:
    """How a place compares; None for as texts.

    Args:
        settings: its `x-docscore`.
        schemas: all that the schema says of it.
        pointer: of its `x-docscore`, for messages.

    Raises:
        ValueError: for settings that contradict each other or the types of the place.
    """
    comparison = settings.get("compare", implied_comparison(schemas))
    types = {name for schema in schemas for name in types_of(schema)}
    if "compare" in settings and types and not types & _TYPES[comparison]:
        got = f"{comparison!r} where the type is {' or '.join(sorted(types))}"
        raise InputValueError(place=f"{pointer}/compare", expected="a comparison of values of the type", got=got)
    for name, owner in _BELONGS.items():
        if name in settings and comparison != owner:
            expected = f"{name} where values compare as {owner}"
            raise InputValueError(
                place=f"{pointer}/{name}", expected=expected, got=f"it where they compare as {comparison}"
            )
    if comparison == "number":
        decimal, group = settings.get("decimal", "."), settings.get("group", "")
        if decimal == group:
            raise InputValueError(place=f"{pointer}/group", expected="another character than decimal", got=repr(group))
        return number_comparator(settings.get("tolerance"), decimal=decimal, group=group)
    if comparison == "date":
        formats = {schema.get("format") for schema in schemas}
        part = next((name for name in _DATE_FORMATS if name in formats), "")
        return date_comparator(settings.get("order"), part=part)
    if comparison == "exact":
        return exact_comparator()
    return boolean_comparator() if comparison == "boolean" else None


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

    def below(self, *steps: str | int) -> Iterator[SubSchema]:
        """The schema at some steps; none where there is none, or one that says nothing (`true`)."""
        content: Any = self.content
        for step in steps:
            content = content[step]
        if isinstance(content, dict):
            pointer = "/".join([self.pointer, *(str(step).replace("~", "~0").replace("/", "~1") for step in steps)])
            yield SubSchema(content, pointer, self.resolver)

    def elements(self) -> Iterator[SubSchema]:
        """What it says of the elements of a list."""
        for keyword in ("items", "prefixItems"):
            content = self.content.get(keyword)
            if isinstance(content, list):
                for index in range(len(content)):
                    yield from self.below(keyword, index)
            elif content is not None:
                yield from self.below(keyword)

    def same_place(self) -> Iterator[SubSchema]:
        """The schemas that apply to the same place: what it refers to, and its alternatives."""
        from referencing.exceptions import Unresolvable  # noqa: PLC0415  as below

        if "$ref" in self.content:
            reference = self.content["$ref"]
            try:
                target = self.resolver.lookup(reference)
            except Unresolvable:
                place = f"{self.pointer}/$ref"
                raise InputValueError(
                    place=place, expected="a reference within the schema", got=short_repr(reference)
                ) from None
            if isinstance(target.contents, dict):
                yield SubSchema(target.contents, reference, target.resolver)
        for keyword in _ALTERNATIVES:
            for index in range(len(self.content.get(keyword, []))):
                yield from self.below(keyword, index)


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
        self.steps = 0  # schemas looked at: alternatives that refer to each other lead to ever more of them

    def root(self, schema: SubSchema) -> SchemaNode:
        try:
            root = self.node([schema], 1.0)
        except RecursionError:
            raise InputValueError(place="#", problem="nested too deep") from None
        weighted = any(node.unit != 1 for node in self.nodes.values())
        for node in self.nodes.values():
            node.weighted = weighted
        return root

    def node(self, schemas: Iterable[SubSchema], unit: float) -> SchemaNode:
        """The node of a place, and the nodes below it.

        Args:
            schemas: all that is said of it.
            unit: the product of the weights of the places above.
        """
        schemas = list(schemas)
        name = tuple(id(schema.content) for schema in schemas)
        if (name, unit) in self.nodes:
            return self.nodes[name, unit]
        pointer = f"{schemas[0].pointer}/{KEYWORD}" if schemas else "#"
        if name and name in self.above:
            raise InputValueError(place=pointer, problem="a weight in a part of the schema that contains itself")
        views, settings = self.views(schemas)
        comparator = comparator_of(settings, [view.content for view in views], pointer)
        node = SchemaNode(unit * settings.get("weight", 1), weighted=False, comparator=comparator)
        self.nodes[name, unit] = node
        self.above.append(name)
        named: dict[str, list[SubSchema]] = {}
        for view in views:
            for key in view.content.get("properties", {}):
                named.setdefault(key, []).extend(view.below("properties", key))
        node.properties = {key: self.node(below, node.unit) for key, below in named.items()}
        others = [view.below("additionalProperties") for view in views if "additionalProperties" in view.content]
        node.others = self.node(chain.from_iterable(others), node.unit)
        node.items = self.node(chain.from_iterable(view.elements() for view in views), node.unit)
        self.above.pop()
        return node

    def views(
        self, schemas: Iterable[SubSchema], seen: frozenset[int] = frozenset()
    ) -> tuple[list[SubSchema], PlaceSettings]:
        """All that applies to a place, and its `x-docscore`.

        What stands beside a reference or around alternatives overrides what is inside.

        Raises:
            ValueError: for alternatives that say different things.
        """
        views: list[SubSchema] = []
        common: dict[str, Any] = {}
        origin: dict[str, str] = {}
        for schema in schemas:
            if id(schema.content) in seen:
                continue
            self.steps += 1
            if self.steps > _MOST_STEPS:
                expected = f"references and alternatives that lead to at most {_MOST_STEPS:,} schemas"
                raise InputValueError(place=schema.pointer, expected=expected, got="more")
            inside, settings = self.views(schema.same_place(), seen | {id(schema.content)})
            views += [schema, *inside]
            pointer = f"{schema.pointer}/{KEYWORD}"
            own = checked_settings(schema.content[KEYWORD], pointer) if KEYWORD in schema.content else {}
            for name, value in {**settings, **own}.items():
                if common.get(name, value) != value:
                    problem = f"{name} is {value!r} here and {common[name]!r} in {origin[name]}"
                    raise InputValueError(place=pointer, problem=problem)
                common[name], origin[name] = value, pointer
        return views, common
