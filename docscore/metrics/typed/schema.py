"""Compile a JSON Schema with `x-docscore` to the nodes that the scorer visits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError, at_place, short_repr
from docscore.core.schema_source import KEYWORD
from docscore.core.similarity import nearest, without_case
from docscore.core.values import field_path, step_text
from docscore.metrics.anls_star.sizes import Comparator, SchemaNode
from docscore.metrics.typed.comparators import COMPARATORS, REQUIRED, FunctionComparator, comparator, settings_of

# The settings under `x-docscore`, each with its JSON Schema, and the settings that are not for comparators.
_SETTINGS: dict[str, dict[str, Any]] = {
    "compare": {"enum": [*COMPARATORS, "function"]},
    **json.loads(Path(__file__).with_name("settings.json").read_text("utf-8")),
}
_OF_EVERY_PLACE = ("compare", "weight", "list_order", "key", "types")

PlaceSettings = dict[str, Any]
ELEMENTS = ("items", "prefixItems")  # the keywords with the schemas of list elements


def checked_settings(settings: Any, pointer: str) -> PlaceSettings:
    """Check the settings under `x-docscore` of a schema, and return them.

    Raises:
        ValueError: naming the pointer, what was expected and what was found.
    """
    if not isinstance(settings, dict):
        raise InputValueError(place=pointer, expected="an object", got=short_repr(settings))
    for name, value in settings.items():
        if name not in _SETTINGS:
            expected = "".join(map(repr, nearest([name], _SETTINGS).values())) or f"some of {', '.join(_SETTINGS)}"
            raise InputValueError(place=pointer, expected=expected, got=short_repr(name))
        if not _validator(name).is_valid(value):
            raise InputValueError(place=f"{pointer}/{name}", expected=_meaning(name), got=short_repr(value))
    return settings


@cache
def _validator(name: str) -> Any:
    """Return the validator of a setting."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  see `schema_root`

    return Draft202012Validator(_SETTINGS[name])


def _meaning(name: str) -> str:
    """Describe the valid values of a setting in words."""
    return _SETTINGS[name].get("description") or f"one of {', '.join(_SETTINGS[name]['enum'])}"


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """Return the types that a schema names, except null; a format that implies a comparator implies string."""
    named = schema.get("type", "string" if schema.get("format") in _FORMATS.values() else [])
    return [name for name in ([named] if isinstance(named, str) else named) if name != "null"]


def implied_comparison(schemas: Iterable[Mapping[str, Any]]) -> str:
    """Return the comparator that types and formats imply; "text" unless they imply exactly one other."""
    implied = {_implied_by(name, schema.get("format", "")) for schema in schemas for name in types_of(schema)} - {
        "text"
    }
    return implied.pop() if len(implied) == 1 else "text"


def _implied_by(name: str, text_format: str) -> str:
    """Return the comparator that a type implies; for texts, the format decides too."""
    for compare, declared in COMPARATORS.items():
        if name in declared.implied_by or (name == "string" and text_format and declared.format == text_format):
            return compare
    return "text"


def _check_settings(own: PlaceSettings, compare: str, pointer: str) -> None:
    """Raise `ValueError` for settings that a comparator does not have, and for missing required settings."""
    for name in sorted(own.keys() - settings_of(compare)):
        owners = " or ".join(owner for owner in COMPARATORS if name in settings_of(owner)) or name
        raise InputValueError(
            place=f"{pointer}/{name}",
            expected=f"a comparison as {owners} for this setting",
            got=compare,
        )
    if "group" in own and own["group"] == own.get("decimal"):
        raise InputValueError(
            place=f"{pointer}/group", expected="a character other than decimal", got=repr(own["group"])
        )
    tolerance, unit = own.get("tolerance"), COMPARATORS[compare].tolerance
    if tolerance is not None and unit and isinstance(tolerance, str) != (unit == "share"):
        raise InputValueError(
            place=f"{pointer}/tolerance",
            expected="a share of the ground truth" if unit == "share" else f"a number of {unit}",
            got=short_repr(tolerance),
        )
    for name, default in settings_of(compare).items():
        if default is REQUIRED and not own.get(name):
            raise InputValueError(place=f"{pointer}/{name}", expected=_meaning(name), got="none")


def comparator_of(
    settings: PlaceSettings, schemas: list[Mapping[str, Any]], types: set[str], pointer: str, functions: Functions
) -> Comparator | None:
    """Return the comparator of a place; None if its values compare as texts.

    Args:
        settings: the `x-docscore` of the place.
        schemas: all schemas that apply to the place.
        types: the types that these schemas name.
        pointer: the pointer of the `x-docscore`, for messages.
        functions: the functions passed in Python, by name.

    Raises:
        ValueError: for settings that contradict each other or the types of the place.
    """
    compare = settings.get("compare", implied_comparison(schemas))
    if compare == "function":
        name = settings.get("function", "")
        if name not in functions:
            raise InputValueError(
                place=f"{pointer}/function", expected="the name of a function given in Python", got=repr(name)
            )
        by_columns = getattr(functions[name], "by_columns", False)
        return FunctionComparator(name, functions[name], _field_of(pointer), by_columns)
    if "compare" in settings and types and not types.intersection(COMPARATORS[compare].types):
        raise InputValueError(
            place=f"{pointer}/compare",
            expected=f"a comparator for the type {' or '.join(sorted(types))}",
            got=repr(compare),
        )
    own = {name: value for name, value in settings.items() if name not in _OF_EVERY_PLACE}
    if compare == "enum" and "values" not in own:
        own["values"] = [value for schema in schemas for value in schema.get("enum", []) if isinstance(value, str)]
    _check_settings(own, compare, pointer)
    formats = {declared.format for declared in COMPARATORS.values()} - {""}
    if compare == "date" and not any(schema.get("format") in formats for schema in schemas):
        own["part"] = ""  # the time counts too if both sides have one
    own = {name: value for name, value in own.items() if value != settings_of(compare).get(name)}
    if compare == "text" and not own:
        return None
    try:
        return comparator(compare, **own)
    except ValueError as error:
        raise at_place(pointer, error) from None


def _list_settings(settings: PlaceSettings, types: set[str], pointer: str) -> tuple[bool, str]:
    """Return whether the elements of a list stay in order, and the key of its rows."""
    named = [name for name in ("list_order", "key") if name in settings]
    if named and types and "array" not in types:
        raise InputValueError(
            place=f"{pointer}/{named[0]}",
            expected="the type array for this setting",
            got=" or ".join(sorted(types)),
        )
    keeps_order = settings.get("list_order") == "kept"
    if keeps_order and "key" in settings:
        raise InputValueError(place=f"{pointer}/key", problem="rows are paired by a key or in their order, not both")
    return keeps_order, settings.get("key", "")


TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
_COMPARISONS = (*TYPES, *COMPARATORS)  # a keyword with one of these values is a misplaced field
_FORMATS = {without_case(declared.format): declared.format for declared in COMPARATORS.values() if declared.format}
_KEYWORDS = {"type", "format", "properties", *ELEMENTS, "additionalProperties", "allOf", "anyOf", "oneOf", KEYWORD}
_UNSUPPORTED = {  # keywords about fields that are not read
    "patternProperties", "if", "then", "else", "not", "contains", "required", "unevaluatedProperties",
    "unevaluatedItems", "propertyNames", "dependentSchemas", "dependentRequired", "$dynamicRef",
}  # fmt: skip
_WORDS = ("title", "description")  # keywords for readers
_INTENDED = {"property": "properties", **{name: name for name in _KEYWORDS}}
# Settings whose names are not keywords of JSON Schema
_BESIDE = ("compare", "weight", "tolerance", "list_order", "date_order", "unequal", "unread")


def _check_keywords(schema: SubSchema) -> None:
    """Raise `ValueError` for misspelt keywords and formats, and for settings next to `x-docscore` instead of inside.

    Other keywords and formats are allowed, and so are keywords whose value does not fit the keyword that they resemble.
    """
    from jsonschema import Draft202012Validator  # noqa: PLC0415  see `schema_root`

    content = schema.content
    for key in _BESIDE:
        if key in content and _validator(key).is_valid(content[key]):
            raise InputValueError(
                place=f"{schema.pointer}/{key}", expected=f"this setting inside {KEYWORD}", got="it outside"
            )
    for key, name in nearest(sorted(content.keys() - _KEYWORDS), _INTENDED).items():
        if Draft202012Validator(Draft202012Validator.META_SCHEMA).is_valid({_INTENDED[name]: content[key]}):
            raise InputValueError(place=f"{schema.pointer}/{key}", expected=_INTENDED[name], got=key)
    text_format = content.get("format", "")
    meant = _FORMATS.get(without_case(text_format)) or nearest([text_format], _FORMATS.values()).get(text_format)
    if meant and meant != text_format:
        raise InputValueError(place=f"{schema.pointer}/format", expected=repr(meant), got=repr(text_format))


Functions = Mapping[str, Callable[..., Any]]


def _field_of(pointer: str) -> str:
    """Return the field whose settings are at a pointer, such as `items[].sku`."""
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
    return field_path(path)


_MOST_STEPS = 100_000  # a schema of a thousand properties takes a few thousand


class SubSchema(NamedTuple):
    """A schema inside a schema.

    Attributes:
        content: the schema.
        pointer: the pointer to it, such as `#/properties/total`.
        resolver: looks up references.
    """

    content: Mapping[str, Any]
    pointer: str
    resolver: Any

    def below(self, *steps: str | int) -> Iterator[SubSchema]:
        """Yield the schema below these steps, unless it is a boolean."""
        content: Any = self.content
        for step in steps:
            content = content[step]
        if isinstance(content, dict):
            pointer = "/".join([self.pointer, *(str(step).replace("~", "~0").replace("/", "~1") for step in steps)])
            yield SubSchema(content, pointer, self.resolver)

    def under(self, *keywords: str) -> Iterator[SubSchema]:
        """Yield the schema, or each schema of a list, under each of the keywords."""
        for keyword in keywords:
            content = self.content.get(keyword)
            if isinstance(content, list):
                for index in range(len(content)):
                    yield from self.below(keyword, index)
            elif content is not None:
                yield from self.below(keyword)

    def same_place(self) -> Iterator[SubSchema]:
        """Yield the other schemas for the same place: the target of a reference, and alternatives."""
        from referencing.exceptions import Unresolvable  # noqa: PLC0415  see `schema_root`

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
    """Compile a JSON Schema, and return its root.

    These keywords are read: `type`, `format`, `properties`, `additionalProperties`, `items`, `prefixItems`, `$ref`
    within the schema, `allOf`, `anyOf`, `oneOf` and `x-docscore`. All schemas that apply to a place are merged. List
    elements are matched in any order, so `prefixItems` and `items` describe the same place.

    Args:
        text: the schema as JSON.
        functions: the names and functions that the schema may refer to.

    Raises:
        ValueError: for an invalid JSON Schema, an unresolvable reference, and settings that are invalid, contradict
            each other or compare nothing; the message names the place, such as `#/properties/total/x-docscore`.
    """
    schema = schema_root(text)
    root = _Compiler(dict(functions)).root(schema)
    unread = sorted(schema.content.keys() & _UNSUPPORTED)
    if unread and KEYWORD not in schema.content and not any(named_places(root).values()):
        problem = f"names no fields except under {', '.join(unread)}, which docscore does not read"
        raise InputValueError(place="#", problem=f"{problem}: add properties or items, or give {{}} to compare texts")
    return root


# The paths of schemas in requests to models.
_WRAPPERS = {
    "schema": "#/schema",
    "json_schema": "#/json_schema/schema",
    "response_format": "#/response_format/json_schema/schema",
    "response_schema": "#/response_schema",
    "input_schema": "#/input_schema",
    "parameters": "#/parameters",
    "function": "#/function/parameters",
}


def schema_root(text: str) -> SubSchema:
    """Parse and check a JSON Schema.

    Raises:
        ValueError: for an invalid JSON Schema.
    """
    from jsonschema import SchemaError  # noqa: PLC0415  importing jsonschema takes 0.1 s, which most users save
    from jsonschema.validators import Draft202012Validator, validator_for  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415

    document = json.loads(text)
    steps = [name for name in _WRAPPERS if isinstance(document, dict) and isinstance(document.get(name), dict)]
    if steps and "properties" not in document:
        raise InputValueError(
            place="#", expected="a JSON Schema", got=f"a part of a request; use the schema at {_WRAPPERS[steps[0]]}"
        )
    try:
        validator_for(document, default=Draft202012Validator).check_schema(document)
    except SchemaError as error:
        pointer = "/".join(["#", *map(str, error.absolute_path)])
        named: list[Any] = error.instance if isinstance(error.instance, list) else [error.instance]
        for name in (name for name in named if name not in TYPES and str(name).lower() in TYPES):
            raise InputValueError(place=pointer, expected=repr(name.lower()), got=repr(name)) from None
        raise InputValueError(place=pointer, problem=f"not a JSON Schema: {error.message}") from None
    resource = DRAFT202012.create_resource(document)
    resolver = Registry().with_resource(resource.id() or "", resource).resolver(resource.id() or "")
    return SubSchema(document if isinstance(document, dict) else {}, "#", resolver)


ANY_KEY = ".*"  # the place of the keys that `additionalProperties` describes
_MOST_PLACES = 5_000  # references between parts of a schema multiply places


@lru_cache(maxsize=1024)
def named_places(root: SchemaNode) -> dict[str, SchemaNode | None]:
    """Return the nodes of the places that a schema names, spelled as by `places_in`; None for names without a node.

    "" is a scalar that is the whole value, and `ANY_KEY` any key of the root without its own place.
    """
    places: dict[str, SchemaNode | None] = {"": root} if root.comparator else {}
    waiting = [("", root, frozenset((id(root),)))]
    for path, node, above in waiting:  # the loop extends it
        places |= dict.fromkeys(path + step_text(key) for key in node.misplaced)
        if node.key and node.items:
            places |= {f"{path}[]": node.items, key_place(path, node): node.items.at_key(node.key)}
        below = {path + step_text(key): part for key, part in node.properties.items()}
        others = {f"{path}[]": node.items, **({} if path else {ANY_KEY: node.others})}
        # a place that the schema does not describe contains itself
        below |= {place: part for place, part in others.items() if part is not None and part.items is not part}
        places |= below
        if len(places) < _MOST_PLACES:
            waiting += [(place, part, above | {id(part)}) for place, part in below.items() if id(part) not in above]
    return places


def key_place(path: str, node: SchemaNode) -> str:
    """Return the place of the key by which the rows of a list are paired."""
    return f"{path}[]{step_text(node.key)}"


def schemas_of_place(schemas: Iterable[SubSchema]) -> tuple[list[SubSchema], PlaceSettings]:
    """Return all schemas that apply to a place, including references and alternatives, and its `x-docscore`.

    Raises:
        ValueError: for circular references, and for schemas that contradict each other.
    """
    return _Compiler({}).views(schemas)


class _Compiler:
    """A compiler of one node per place; equal schemas at several places with the same weight share one node."""

    def __init__(self, functions: Functions) -> None:
        self.functions = functions
        self.by_type: dict[str, PlaceSettings] = {}  # by type, the settings for places without their own
        self.nodes: dict[tuple[tuple[int, ...], float], SchemaNode] = {}
        self.above: list[tuple[int, ...]] = []  # the schemas of the nodes that are being created
        self.steps = 0  # schemas visited; alternatives that refer to each other multiply them

    def root(self, schema: SubSchema) -> SchemaNode:
        try:
            root = self.node([schema], 1.0)
        except RecursionError:
            raise InputValueError(place="#", problem="nested too deeply") from None
        weighted = any(node.unit != 1 for node in self.nodes.values())
        for node in self.nodes.values():
            node.weighted = weighted
        compared = [node.comparator for node in self.nodes.values() if node.comparator]
        root.libraries = tuple(sorted({library for comparator in compared for library in comparator.libraries}))
        return root

    def node(self, schemas: Iterable[SubSchema], unit: float) -> SchemaNode:
        """Return the node of a place with the nodes below it.

        Args:
            schemas: the schemas that apply to the place.
            unit: the product of the weights of the places above.
        """
        schemas = list(schemas)
        name = tuple(id(schema.content) for schema in schemas)
        if (name, unit) in self.nodes:
            return self.nodes[name, unit]
        pointer = f"{schemas[0].pointer}/{KEYWORD}" if schemas else "#"
        if name and name in self.above:
            raise InputValueError(
                place=pointer, problem="a part of the schema that contains itself cannot have a weight"
            )
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
        words = (next((view.content[key] for view in views if key in view.content), "") for key in _WORDS)
        node.about = ": ".join(filter(None, words))
        keywords = ((key, part) for view in views for key, part in view.content.items() if key not in _KEYWORDS)
        node.misplaced = tuple(key for key, part in keywords if isinstance(part, dict) or part in _COMPARISONS)
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
        """Return all schemas that apply to a place, and its `x-docscore`.

        Settings next to a reference or to alternatives override the settings inside.

        Raises:
            ValueError: for alternatives that contradict each other.
        """
        views: list[SubSchema] = []
        common: dict[str, Any] = {}
        origin: dict[str, str] = {}
        for schema in schemas:
            if id(schema.content) in seen:
                raise InputValueError(place=schema.pointer, problem="the reference leads back to itself")
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
            _check_keywords(schema)
            own = checked_settings(schema.content[KEYWORD], pointer) if KEYWORD in schema.content else {}
            for name, value in {**settings, **own}.items():
                if common.get(name, value) != value:
                    raise InputValueError(
                        place=pointer, problem=f"{name} is {value!r} here and {common[name]!r} in {origin[name]}"
                    )
                common[name], origin[name] = value, pointer
        return views, common
