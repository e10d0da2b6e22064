"""The JSON Schemas of a user, read into canonical JSON: one for all documents, or one per document."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

from docscore.core.errors import (
    InputError,
    InputTypeError,
    InputValueError,
    in_file,
    in_line,
    json_error,
    not_utf8,
    short_repr,
)
from docscore.core.numbers import too_long_integer

KEYWORD = "x-docscore"

_TYPE_NAMES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}

_STEP = re.compile(r"\[\]|\[(\"(?:[^\"\\]|\\.)*\")\]|\.?([^.\[\]]+)")


@dataclass(frozen=True)
class SchemaSource:
    """One JSON Schema for all documents, or one per document.

    Attributes:
        schemas: the schema of each document as canonical JSON by its id, in order of the ids; one schema for all
            documents has the id "".
        folder: the folder with the schemas of the documents, for messages; "" if all documents share one schema.
        functions: the functions of comparators, by name.
        names: the name of the schema of each row by its id, if the name is not the id.
        compared: the fields whose comparators were passed in Python, exactly as passed.
    """

    schemas: dict[str, str]
    folder: str = ""
    functions: tuple[tuple[str, Callable[..., Any]], ...] = ()
    names: Mapping[str, str] = field(default_factory=dict, compare=False)
    compared: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, source: Any) -> "SchemaSource":
        """Read the schemas that a user gave.

        Args:
            source: a JSON Schema as a dict; the path of a file with one, or of a folder with one schema per document,
                named by its id (`r1.json`); a pydantic model class.

        Raises:
            TypeError: for anything else.
            ValueError: naming the file, if it is not JSON, or the folder, if it has no schemas.
            OSError: if a file cannot be read.
        """
        if isinstance(source, cls):
            return source
        if isinstance(source, type) and hasattr(source, "model_json_schema"):
            source = source.model_json_schema()
        if isinstance(source, dict):
            return cls({"": _canonical_json(source)})
        if not isinstance(source, str | Path):
            raise InputTypeError(
                place="schema",
                expected="a JSON Schema: a dict, a path, or a pydantic model class",
                got=f"{type(source).__name__} {short_repr(source)}",
            )
        path = Path(source)
        if not path.is_dir():
            return cls({"": _read(path)})
        files = sorted(path.glob("*.json"), key=attrgetter("stem"))
        schemas = {file.name.removesuffix(".json"): _read(file) for file in files}
        if not schemas:
            raise InputValueError(place=in_file(path), expected="one JSON Schema per document, ID.json", got="none")
        return cls(schemas, str(path))

    def with_comparators(self, comparators: Mapping[Any, Any]) -> "SchemaSource":
        """Return the schemas with added comparators of fields and types.

        Raises:
            TypeError: for a key that is neither a path nor a type, a value that is not a comparator, or a function
                without a name.
            ValueError: for a field that already has a comparator, two functions with the same name, and a file that
                does not contain judgements.
        """
        if not comparators:
            return self
        functions, added = dict(self.functions), dict[str, Any]()
        for key, comparator in comparators.items():
            place = f"comparators[{short_repr(key)}]"
            settings = _settings_of(comparator, place, functions)
            if isinstance(key, type) and key in _TYPE_NAMES:
                if self.schemas == {"": "{}"}:
                    raise InputValueError(place=place, expected="a schema with fields of this type", got="none")
                added.setdefault(KEYWORD, {}).setdefault("types", {})[_TYPE_NAMES[key]] = settings
            elif isinstance(key, str):
                _schema_at(added, key, place)[KEYWORD] = settings
            else:
                raise InputTypeError(
                    place="comparators", expected="the path of a field, or str, int, float or bool", got=short_repr(key)
                )
        schemas = {}
        for question_id, text in self.schemas.items():
            schema = json.loads(text)
            if isinstance(schema, dict):
                if KEYWORD in schema and KEYWORD in added:
                    raise InputValueError(place=f"#/{KEYWORD}", expected="one comparator per field", got="two")
                schema = {**schema, "allOf": [*schema.get("allOf", ()), added]}
            schemas[question_id] = _canonical_json(schema)
        named = tuple(sorted(functions.items(), key=itemgetter(0)))
        compared = (*self.compared, *(key for key in comparators if isinstance(key, str)))
        return replace(self, schemas=schemas, functions=named, compared=compared)

    def schema_of(self, question_id: str) -> str:
        """Return the schema of a document as canonical JSON.

        Raises:
            ValueError: if the document has no schema.
        """
        name = self.names.get(question_id, question_id) if self.folder else ""
        schema = self.schemas.get(name)
        if schema is None:
            raise InputValueError(place="schema", expected=f"a file {name}.json in {self.folder}", got="none")
        return schema

    @property
    def digest(self) -> str:
        """Return the first eight digits of the SHA-256 of the canonical JSON of one schema or an object of several."""
        members = ",".join(f"{json.dumps(name, ensure_ascii=False)}:{text}" for name, text in self.schemas.items())
        text = f"{{{members}}}" if self.folder else self.schemas[""]
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def schema_name(value: str) -> str:
    """Return the file name, without extension, of the schema for a value in a folder, safe for file systems.

    >>> schema_name("Müller/Söhne")
    'Müller%2FSöhne'
    """
    return re.sub(r'[%/\\:*?"<>|\x00-\x1f]', lambda match: f"%{ord(match[0]):02X}", value)


def _settings_of(comparator: Any, place: str, functions: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """Return the settings of a comparator as in `x-docscore`; add its function, if any, to `functions`."""
    settings = {"compare": comparator} if isinstance(comparator, str) else comparator
    if callable(comparator):
        name = getattr(comparator, "__name__", "<lambda>")
        if name == "<lambda>":
            raise InputTypeError(place=place, expected="a function with a name", got=short_repr(comparator))
        if functions.setdefault(name, comparator) is not comparator:
            raise InputValueError(place=place, problem=f"two functions are called {name}")
        settings = {"compare": "function", "function": name}
    if not isinstance(settings, dict):
        raise InputTypeError(
            place=place, expected="a function, the name of a comparator, or its settings", got=short_repr(comparator)
        )
    return with_judgements({KEYWORD: settings}, Path())[KEYWORD]  # type: ignore[no-any-return]


def _schema_at(schema: dict[str, Any], path: str, place: str) -> dict[str, Any]:
    """Return the part of a schema at the path of a field, such as `items[].sku`, `$.items[].sku` or `$`; create it."""
    position = 1 if re.match(r"\$(?:[.\[]|\Z)", path) else 0
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            raise InputValueError(place=place, expected="the path of a field, such as items[].sku", got=repr(path))
        position = step.end()
        key = json.loads(step[1]) if step[1] else step[2]
        below, name = (schema, "items") if key is None else (schema.setdefault("properties", {}), key)
        schema = below.setdefault(name, {})
    return schema


def with_judgements(schema: Any, folder: Path) -> Any:
    """Return the schema with the names of judgement files replaced by their rows, so that its hash covers them.

    Raises:
        ValueError: for a line that is not a judgement, naming file and line.
        OSError: if a file cannot be read.
    """
    if isinstance(schema, list):
        return [with_judgements(part, folder) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {name: with_judgements(part, folder) for name, part in schema.items()}
    settings = schema.get(KEYWORD)
    if isinstance(settings, dict) and isinstance(settings.get("judgements"), str):
        settings["judgements"] = _judgements(folder / settings["judgements"])
    return schema


def _judgements(path: Path) -> list[list[Any]]:
    rows = []
    for number, line in enumerate(_text_of(path).splitlines(), 1):
        try:
            row = json.loads(line)
            rows.append([row["ground_truth"], row["prediction"], row["verdict"], row.get("both", False)])
        except (ValueError, KeyError, TypeError):  # noqa: PERF203  the error names the line
            raise InputValueError(
                place=in_line(path, number),
                expected='{"ground_truth": text, "prediction": text, "verdict": true, false or a number from 0 to 1}',
                got=short_repr(line),
            ) from None
    return rows


def _canonical_json(value: Any) -> str:
    """Return the value as JSON with sorted keys and no white space.

    Raises:
        TypeError: for a value that is not JSON.
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputTypeError(place="schema", expected="JSON values", got=str(error)) from None


def _read(path: Path) -> str:
    try:
        return _canonical_json(with_judgements(json.loads(_text_of(path)), path.parent))
    except InputError:
        raise
    except json.JSONDecodeError as error:
        diagnostic, *_ = json_error(error)
        raise InputValueError(place=in_file(path, diagnostic.place), problem=diagnostic.problem) from None
    except RecursionError:
        raise InputValueError(place=in_file(path), problem="nested too deeply") from None
    except ValueError:  # an integer of more digits than Python reads
        raise too_long_integer(in_file(path)) from None


def _text_of(path: Path) -> str:
    """Return the text of a UTF-8 file; raise `ValueError` naming the file for another one."""
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputValueError(not_utf8(in_file(path), error)) from None
