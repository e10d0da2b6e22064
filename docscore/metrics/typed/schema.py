"""From a JSON Schema, with `x-docscore`, to the places that the scorer descends through."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from docscore.core.dates import ORDERS
from docscore.core.errors import InputValueError, at_place, short_repr
from docscore.core.options import KEYWORD
from docscore.core.values import step_text
from docscore.metrics.anls_star.sizes import Comparator, SchemaNode
from docscore.metrics.typed.comparators import COMPARATORS, FunctionComparator, comparator, settings_of

# The types of which a place may be to be compared so; a text may be compared in every way.
_TYPES = {name: {"string", "number", "integer", "boolean"} for name in COMPARATORS} | {
    "number": {"string", "number", "integer"},
    "money": {"string", "number", "integer"},
    "unit": {"string", "number", "integer"},
    "date": {"string"},
    "datetime": {"string"},
    "time": {"string"},
    "boolean": {"boolean", "string"},
}

# The comparison that a type implies; a text is a date where its format says so.
_IMPLIED = {"number": "number", "integer": "number", "boolean": "boolean"}
_FORMATS = {"date": "date", "date-time": "datetime", "time": "time"}

PlaceSettings = dict[str, Any]


def checked_settings(settings: Any, pointer: str) -> PlaceSettings:
    """Return the settings under `x-docscore` of a schema, checked.

    Raises:
        ValueError: naming the pointer, what was expected and what came.
    """
    if not isinstance(settings, dict):
        raise InputValueError(place=pointer, expected="an object", got=short_repr(settings))
    for name, value in settings.items():
        if name not in _SETTINGS:
            raise InputValueError(place=pointer, expected=f"some of {', '.join(_SETTINGS)}", got=short_repr(name))
        if not _validator(name).is_valid(value):
            raise InputValueError(place=f"{pointer}/{name}", expected=_SETTINGS[name][0], got=short_repr(value))
    return settings


@cache
def _validator(name: str) -> Any:
    """What checks the values of a setting."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  as below

    return Draft202012Validator(_SETTINGS[name][1])


def _one_of(*names: str) -> tuple[str, dict[str, Any]]:
    return f"one of {', '.join(names)}", {"enum": names}


def _text(expected: str, pattern: str = ".+") -> tuple[str, dict[str, Any]]:
    return expected, {"type": "string", "pattern": rf"\A(?:{pattern})\Z"}


# Day, month and year, and no directive twice: `strptime` reads none that is repeated.
_PATTERN = r"(?=.{1,60}\Z)(?=.*%d)(?=.*%[mbB])(?=.*%[yY])(?!.*(%[a-zA-Z]).*\1)(?:[^%]|%[aAbBdHIjmMpSfyYzZ%])+"
_NUMBER = {"type": "number", "minimum": 0, "maximum": sys.float_info.max}
_TEXTS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
_VERDICT = {"anyOf": [{"type": "boolean"}, {"type": "number", "minimum": 0, "maximum": 1}]}
_JUDGEMENT = {
    "type": "array",
    "prefixItems": [{"type": "string"}, {"type": "string"}, _VERDICT],
    "minItems": 3,
    "maxItems": 3,
}
_SEPARATOR = _text("one character that is no letter, digit or sign", r"_|[^\w+-]")
_SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {  # what each is, in words and as a JSON Schema
    "compare": _one_of(*COMPARATORS, "function"),
    "tolerance": (
        'a number of at least 0, or a share of the ground truth such as "1%"',
        {"anyOf": [_NUMBER, {"type": "string", "pattern": r"\A[0-9]+(\.[0-9]+)? ?%\Z"}]},
    ),
    "weight": ("a number of at least 0", _NUMBER),
    "decimal": _SEPARATOR,
    "group": _SEPARATOR,
    "date_order": _one_of(*ORDERS),
    "locale": _text('a locale such as "de" or "fr_CA"', "[A-Za-z]{2,3}([-_][A-Za-z0-9]+)*"),
    "format": _text('a pattern as for strptime with day, month and year, such as "%d%m%y"', _PATTERN),
    "percent": _one_of("share", "points"),
    "currency": _text("any, required, ignored, or the code of a currency such as EUR", "any|required|ignored|[A-Z]{3}"),
    "unit": _text("a unit such as kg"),
    "region": _text("the code of a country such as DE", "[A-Z]{2}"),
    "true": ("a list of texts", _TEXTS),
    "false": ("a list of texts", _TEXTS),
    "values": (
        "a list of texts, or an object of values and lists of their other names",
        {"anyOf": [_TEXTS, {"type": "object", "minProperties": 1, "additionalProperties": _TEXTS}]},
    ),
    "unicode": _one_of("nfkc"),
    "case": _one_of("ignored", "kept"),
    "space": _one_of("folded", "ignored", "kept"),
    "punctuation": _one_of("ignored", "kept"),
    "judgements": (
        "rows of ground truth, prediction, and true, false or a number from 0 to 1",
        {"type": "array", "items": _JUDGEMENT},
    ),
    "unequal": _one_of("text", "wrong"),
    "unread": _one_of("text", "wrong"),
    "list_order": _one_of("any", "kept"),
    "key": _text("the name of a key"),
    "function": _text("the name of a function that was given in Python"),
    "types": ("settings of types: string, number, integer or boolean", {"type": "object"}),
}
_OF_EVERY_PLACE = ("compare", "weight", "list_order", "key", "types")


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """The types that a schema names, null left out."""
    named = schema.get("type", [])
    return [name for name in ([named] if isinstance(named, str) else named) if name != "null"]


def implied_comparison(schemas: Iterable[Mapping[str, Any]]) -> str:
    """The comparison that types and formats imply: the one beside texts, if it is only one."""
    implied = {
        _FORMATS.get(schema.get("format", ""), "text") if name == "string" else _IMPLIED.get(name, "text")
        for schema in schemas
        for name in types_of(schema)
    } - {"text"}
    return implied.pop() if len(implied) == 1 else "text"


def _check_own(own: PlaceSettings, comparison: str, pointer: str) -> None:
    """Raise `ValueError` for settings that a comparison does not take, or lacks."""
    for name in sorted(own.keys() - settings_of(comparison)):
        owners = " or ".join(owner for owner in COMPARATORS if name in settings_of(owner))
        raise InputValueError(
            place=f"{pointer}/{name}",
            expected=f"{name} where values compare as {owners}",
            got=f"it where they compare as {comparison}",
        )
    if own.get("decimal", ".") == own.get("group"):
        raise InputValueError(
            place=f"{pointer}/group", expected="another character than decimal", got=repr(own["group"])
        )
    if (isinstance(own.get("tolerance"), str) and comparison in _ONLY_NUMBERS) or (
        comparison == "unit" and isinstance(own.get("tolerance"), int | float)
    ):
        expected = "a share of the ground truth" if comparison == "unit" else "a number of " + _ONLY_NUMBERS[comparison]
        raise InputValueError(place=f"{pointer}/tolerance", expected=expected, got=short_repr(own["tolerance"]))
    for owner, name in (("enum", "values"), ("judgements", "judgements")):
        if comparison == owner and not own.get(name):
            raise InputValueError(place=f"{pointer}/{name}", expected=_SETTINGS[name][0], got="none")


def comparator_of(
    settings: PlaceSettings, schemas: list[Mapping[str, Any]], types: set[str], pointer: str, functions: Functions
) -> Comparator | None:
    """How a place compares; None for as texts.

    Args:
        settings: its `x-docscore`.
        schemas: all that the schema says of it.
        types: the types that these name.
        pointer: of its `x-docscore`, for messages.
        functions: the functions that were given in Python, by their names.

    Raises:
        ValueError: for settings that contradict each other or the types of the place.
    """
    comparison = settings.get("compare", implied_comparison(schemas))
    if comparison == "function":
        name = settings.get("function", "")
        if name not in functions:
            raise InputValueError(
                place=f"{pointer}/function", expected="the name of a function given in Python", got=repr(name)
            )
        by_columns = getattr(functions[name], "by_columns", False)
        return FunctionComparator(name, functions[name], _field_of(pointer), by_columns)
    if "compare" in settings and types and not types & _TYPES[comparison]:
        raise InputValueError(
            place=f"{pointer}/compare",
            expected="a comparison of values of the type",
            got=f"{comparison!r} where the type is {' or '.join(sorted(types))}",
        )
    own = {name: value for name, value in settings.items() if name not in _OF_EVERY_PLACE}
    if comparison == "enum" and "values" not in own:
        own["values"] = [value for schema in schemas for value in schema.get("enum", []) if isinstance(value, str)]
    _check_own(own, comparison, pointer)
    if comparison == "date" and not any(schema.get("format") in _FORMATS for schema in schemas):
        own["part"] = ""  # the time counts too, where both sides have one
    if comparison == "text" and not own:
        return None
    try:
        return comparator(comparison, **own)
    except ValueError as error:
        raise at_place(pointer, error) from None


def _list_settings(settings: PlaceSettings, types: set[str], pointer: str) -> tuple[bool, str]:
    """Whether a list keeps its order, and the key of its rows."""
    named = [name for name in ("list_order", "key") if name in settings]
    if named and types and "array" not in types:
        raise InputValueError(
            place=f"{pointer}/{named[0]}",
            expected=f"{named[0]} of an array",
            got=f"it where the type is {' or '.join(sorted(types))}",
        )
    keeps_order = settings.get("list_order") == "kept"
    if keeps_order and "key" in settings:
        raise InputValueError(place=f"{pointer}/key", problem="rows are paired by a key or in their order, not both")
    return keeps_order, settings.get("key", "")


Functions = Mapping[str, Callable[..., Any]]
_ONLY_NUMBERS = {"date": "days", "datetime": "seconds", "time": "seconds"}


def _field_of(pointer: str) -> str:
    """The field that the settings at a pointer are of: `items[].sku`."""
    steps = iter(pointer.split("/"))
    path = ""
    for step in steps:
        path += (
            step_text(next(steps).replace("~1", "/").replace("~0", "~"))
            if step == "properties"
            else "[]"
            if step == "items"
            else ""
        )
    return path.removeprefix(".") or "$"


_MOST_STEPS = 100_000  # a schema of a thousand properties takes some thousand


ELEMENTS = ("items", "prefixItems")  # the keywords of the schemas of the elements of a list


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

    def under(self, *keywords: str) -> Iterator[SubSchema]:
        """The schema, or the schemas in a list, under each of the keywords."""
        for keyword in keywords:
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
                raise InputValueError(
                    place=f"{self.pointer}/$ref", expected="a reference within the schema", got=short_repr(reference)
                ) from None
            if isinstance(target.contents, dict):
                yield SubSchema(target.contents, reference, target.resolver)
        yield from self.under("allOf", "anyOf", "oneOf")


@lru_cache(maxsize=1024)
def compiled_schema(text: str, functions: tuple[tuple[str, Callable[..., Any]], ...] = ()) -> SchemaNode:
    """The root of a JSON Schema.

    Read are `type`, `format`, `properties`, `additionalProperties`, `items`, `prefixItems`, `$ref` within the schema,
    `allOf`, `anyOf` and `oneOf` (all that apply to a place are taken together), and `x-docscore`. Elements of lists are
    matched whatever their order, so that those of `prefixItems` share one place with those of `items`.

    Args:
        text: the schema as JSON.
        functions: the functions that it names, by their names.

    Raises:
        ValueError: for what is no JSON Schema, a reference to nothing, and settings that are wrong or contradict each
            other; the message names the place: `#/properties/total/x-docscore`.
    """
    return _Compiler(dict(functions)).root(schema_root(text))


def schema_root(text: str) -> SubSchema:
    """The whole of a JSON Schema.

    Raises:
        ValueError: for what is no JSON Schema.
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
    return SubSchema(document if isinstance(document, dict) else {}, "#", resolver)


def said_of_place(schemas: Iterable[SubSchema]) -> tuple[list[SubSchema], PlaceSettings]:
    """All schemas that apply to a place, with what they refer to and their alternatives, and its `x-docscore`.

    Raises:
        ValueError: for references that lead back to themselves, and for schemas that say different things.
    """
    return _Compiler({}).views(schemas)


class _Compiler:
    """Makes a node for every place; a place that occurs several times with the same weight is one node."""

    def __init__(self, functions: Functions) -> None:
        self.functions = functions
        self.by_type: dict[str, PlaceSettings] = {}  # how types compare where a place does not say
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
        compared = [node.comparator for node in self.nodes.values() if node.comparator]
        root.libraries = tuple(sorted({library for comparator in compared for library in comparator.libraries}))
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
        if "types" in settings:
            self.by_type = {
                name: checked_settings(own, f"{pointer}/types/{name}") for name, own in settings["types"].items()
            }
        types = {each for view in views for each in types_of(view.content)}
        if len(types) == 1 and "compare" not in settings:
            settings = {**self.by_type.get(next(iter(types)), {}), **settings}
        compared = comparator_of(settings, [view.content for view in views], types, pointer, self.functions)
        node = SchemaNode(unit * settings.get("weight", 1), weighted=False, comparator=compared)
        node.keeps_order, node.key = _list_settings(settings, types, pointer)
        self.nodes[name, unit] = node
        self.above.append(name)
        named: dict[str, list[SubSchema]] = {}
        for view in views:
            for key in view.content.get("properties", {}):
                named.setdefault(key, []).extend(view.below("properties", key))
        node.properties = {key: self.node(below, node.unit) for key, below in named.items()}
        node.others = self.node((part for view in views for part in view.under("additionalProperties")), node.unit)
        node.items = self.node((part for view in views for part in view.under(*ELEMENTS)), node.unit)
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
                raise InputValueError(place=schema.pointer, problem="a reference that leads back to itself")
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise InputValueError(
                    place=schema.pointer,
                    expected=f"references and alternatives that lead to at most {_MOST_STEPS:,} schemas",
                    got="more",
                )
            inside, settings = self.views(schema.same_place(), seen | {id(schema.content)})
            views += [schema, *inside]
            pointer = f"{schema.pointer}/{KEYWORD}"
            for key in schema.content:
                if key.replace("_", "-").casefold() == KEYWORD != key:
                    raise InputValueError(place=f"{schema.pointer}/{key}", expected=KEYWORD, got=key)
            own = checked_settings(schema.content[KEYWORD], pointer) if KEYWORD in schema.content else {}
            for name, value in {**settings, **own}.items():
                if common.get(name, value) != value:
                    raise InputValueError(
                        place=pointer, problem=f"{name} is {value!r} here and {common[name]!r} in {origin[name]}"
                    )
                common[name], origin[name] = value, pointer
        return views, common
