"""JSON Schemas: those of the data sets for extraction, and the strict form that providers' structured output wants."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docscore.core.errors import InputValueError
from docscore.core.values import MAX_DEPTH

# The schemas of the data sets, by name; and what the paper's code asked for where that differs: one party, and numbers
# for the sums of charities. Kleister writes a blank in a value as "_", and so must the answer: the ground truth is
# taken as it is distributed.
_OF_DATA_SETS = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
SCHEMAS: dict[str, dict[str, Any]] = _OF_DATA_SETS["plain"]
PAPER_SCHEMAS: dict[str, dict[str, Any]] = {**SCHEMAS, **_OF_DATA_SETS["paper"]}

_KEPT = ("description", "enum", "format", "pattern", "minimum", "maximum", "minLength", "maxLength")


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in the form that strict structured output takes.

    Objects require all their keys and allow no others; what was optional may be null. References are put in place,
    `const` becomes `enum`, `oneOf` becomes `anyOf`, a single `allOf` is merged; annotations that providers refuse are
    left out.

    Raises:
        ValueError: naming the place, for an object with free keys, a reference that is not there or leads in a circle,
            and for what has no strict form.

    >>> strict_schema({"type": "object", "properties": {"total": {"type": "string"}}})["properties"]
    {'total': {'type': ['string', 'null']}}
    """
    return _strict(schema, schema, "$", 0)


def _strict(schema: Any, root: Mapping[str, Any], place: str, depth: int) -> dict[str, Any]:
    if not isinstance(schema, Mapping):
        raise InputValueError(place=f"schema, {place}", expected="an object", got=f"{type(schema).__name__}")
    if depth > MAX_DEPTH:
        raise InputValueError(place=f"schema, {place}", expected="no circle of references", got="one")
    schema = _resolved(schema, root, place, depth)
    result = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        result["enum"] = [schema["const"]]
    choices = schema.get("anyOf", schema.get("oneOf"))
    if choices is not None:
        result["anyOf"] = [_strict(each, root, f"{place}|{number}", depth + 1) for number, each in enumerate(choices)]
        return result
    kinds = _kinds(schema)
    if kinds:
        result["type"] = kinds[0] if len(kinds) == 1 else kinds
    if "object" in kinds:
        result |= _strict_object(schema, root, place, depth)
    if "array" in kinds:
        if "items" not in schema:
            raise InputValueError(place=f"schema, {place}", expected="'items' beside the type 'array'", got="none")
        result["items"] = _strict(schema["items"], root, f"{place}[]", depth + 1)
    return result


def _strict_object(schema: Mapping[str, Any], root: Mapping[str, Any], place: str, depth: int) -> dict[str, Any]:
    properties = schema.get("properties")
    if not properties or schema.get("additionalProperties", False) not in (False, True):
        raise InputValueError(
            place=f"schema, {place}", expected="an object with 'properties'", got="one with free keys"
        )
    required = set(schema.get("required", ()))
    strict = {key: _strict(each, root, f"{place}.{key}", depth + 1) for key, each in properties.items()}
    return {
        "properties": {key: each if key in required else _or_null(each) for key, each in strict.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema, and null."""
    if "anyOf" in schema:
        known = any(each.get("type") == "null" for each in schema["anyOf"])
        return schema if known else {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    result = dict(schema)
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        result["type"] = kinds if "null" in kinds else [*kinds, "null"]
    if "enum" in schema and None not in schema["enum"]:
        result["enum"] = [*schema["enum"], None]
    return result


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    """The types, told from the keys where they are not named."""
    given = schema.get("type")
    if given is None:
        return ["object"] if "properties" in schema else ["array"] if "items" in schema else []
    return list(given) if isinstance(given, list) else [given]


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any], place: str, depth: int) -> Mapping[str, Any]:
    """The schema with its reference, or its one `allOf`, put in place; what stands beside them counts more."""
    for _ in range(MAX_DEPTH - depth):
        if "$ref" in schema:
            target = _target(schema["$ref"], root, place)
            schema = {**target, **{key: each for key, each in schema.items() if key != "$ref"}}
        elif "allOf" in schema:
            parts = schema["allOf"]
            if len(parts) != 1:
                raise InputValueError(place=f"schema, {place}", expected="one schema in 'allOf'", got=f"{len(parts)}")
            schema = {**parts[0], **{key: each for key, each in schema.items() if key != "allOf"}}
        else:
            return schema
    raise InputValueError(place=f"schema, {place}", expected="no circle of references", got="one")


def _target(reference: Any, root: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    found: Any = root
    for step in str(reference).removeprefix("#").strip("/").split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        found = found.get(key) if isinstance(found, Mapping) else None
    if not str(reference).startswith("#/") or not isinstance(found, Mapping):
        raise InputValueError(
            place=f"schema, {place}", expected="a reference to a place in the schema", got=f"{reference!r}"
        )
    return found
