"""The options of scoring, one frozen object through all layers."""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from docscore.core.errors import InputTypeError, InputValueError, in_file, in_line, json_fault, not_utf8, short_repr

THRESHOLD = 0.5  # tau of ANLS, Biten et al. 2019

PAPER = "paper"  # Peer et al. 2024, arXiv 2402.03848
PACKAGE = "anls_star-1.0.1"  # the published package
RULES = (PAPER, PACKAGE)
BY_VALUE = "value"
NUMBERS = ("text", BY_VALUE)
AS_TEXT = "text"  # how predictions are read that are meant to be compared as text, even where they are JSON
SKIP = "skip"
MISSING_MODES = ("error", "zero", SKIP)


def _about(help_text: str, choices: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the metadata of a field of `ScoringOptions`: its help on the command line, and its choices."""
    return {"help": help_text, "choices": choices}


@dataclass(frozen=True)
class ScoringOptions:
    """How predictions are read and compared. The signature of a figure names the options that the figure depends on.

    Attributes:
        threshold: tau in [0, 1]; a similarity of texts below it counts as 0 (ANLS*, ANLS, ANLSL).
        ignore_case: whether texts are compared in lower case (ANLS*, ANLS, ANLSL).
        strict: whether a similarity of exactly the threshold counts as 0 (ANLS).
        normalise: whether texts are compared in lower case, with white space folded; otherwise they must be identical
            (KIEval, Entity F1).
        donut: whether documents are read as the published implementation of Donut reads them (Entity F1, nTED).
        parse: "json" or "repair" to read predictions that are text as JSON first; "text" to compare them as text. None
            means "text", but refuses test sets in which the texts of both sides are JSON.
        parse_references: "json" or "repair" to read references and acceptable answers that are text as JSON first;
            otherwise None. A text that can be repaired in several ways is an error.
        missing: what to do with a reference without a prediction: "error" to raise an error; "zero" to score it as
            null; "skip" to leave it out and count it.
        with_confidences: whether predictions have the form `{"$value": ..., "$confidence": ...}`; only the values are
            scored.
        rules: the rules of ANLS*: with "paper", keys without a value do not count in a prediction; with
            "anls_star-1.0.1", they count, as in the published package of that version.
        numbers: how JSON numbers are compared: "text", as they print, or "value", by their shortest decimal spelling,
            so that 1000.0 equals 1000.
        schema: a JSON Schema with the comparator and the weight of each place (typed score): a dict, the path of a file
            or of a folder with one schema per document (`ID.json`), or a pydantic model class; kept as `SchemaSource`.
        schema_by: a column of the references whose value names the schema of each row in the folder `schema`
            (`VALUE.json`); None if the id does.
        comparators: comparators of fields as Python values, in addition to the schema or instead of it, such as
            `{"items[].sku": same_sku}`. A key is the path of a field or a type (str, int, float, bool). A value is the
            name of a comparator, its settings as in `x-docscore`, or a function of two values that returns a number
            from 0 to 1. They become a part of `schema`, and this attribute None.

    Raises:
        TypeError: for a value of another type.
        ValueError: for a value outside its range; the message names the option, the expected and the given value.
    """

    threshold: float = field(default=THRESHOLD, metadata=_about("Count text similarities below this number as 0."))
    ignore_case: bool = field(default=True, metadata=_about("Ignore case when comparing texts."))
    strict: bool = field(default=False, metadata=_about("For ANLS: count a similarity equal to the threshold as 0."))
    normalise: bool = field(default=False, metadata=_about("For KIEval and Entity F1: ignore case and white space."))
    donut: bool = field(
        default=False, metadata=_about("For Entity F1 and nTED: read documents as Donut's evaluation code does.")
    )
    parse: str | None = field(
        default=None,
        metadata=_about(
            "Read predictions that are text as JSON; 'repair' also reads damaged JSON, 'text' compares the raw text.",
            (AS_TEXT, "json", "repair"),
        ),
    )
    parse_references: str | None = field(
        default=None,
        metadata=_about(
            "Read ground truths that are text as JSON. 'repair' also accepts malformed JSON.", ("json", "repair")
        ),
    )
    missing: str = field(
        default="error",
        metadata=_about(
            "Ground truths without a prediction: stop with an error, score them as null, or leave them out.",
            MISSING_MODES,
        ),
    )
    with_confidences: bool = field(
        default=False,
        metadata=_about('Predictions have the form {"$value": ..., "$confidence": ...}. Score the values.'),
    )
    rules: str = field(
        default=PAPER,
        metadata=_about(
            "Rules of ANLS*: keys without a value in a prediction count in the published package, but not in the "
            "paper.",
            RULES,
        ),
    )
    numbers: str = field(
        default="text",
        metadata=_about("Compare numbers as printed text, or by value, so that 1000.0 equals 1000.", NUMBERS),
    )
    schema: Any = field(
        default=None,
        metadata=_about(
            "JSON Schema with the comparator of each field, or a folder of schemas (ID.json). Adds the typed score."
        ),
    )
    schema_by: Any = field(
        default=None,
        metadata=_about("With a folder as --schema: column of the ground truths whose value names the schema."),
    )
    comparators: Any = field(default=None, metadata=_about("Comparators of fields, as Python functions."))

    def __post_init__(self) -> None:
        for option in fields(self):
            value, choices = getattr(self, option.name), option.metadata["choices"]
            if choices:
                check_choice(option.name, value, choices if option.default else (None, *choices))
            elif isinstance(option.default, bool):
                if not isinstance(value, bool | np.bool_):
                    raise InputTypeError(place=option.name, expected="True or False", got=repr(value))
                object.__setattr__(self, option.name, bool(value))
        threshold = check_number("threshold", self.threshold, "a number from 0 to 1", lambda number: 0 <= number <= 1)
        object.__setattr__(self, "threshold", threshold)
        if self.schema is not None or self.comparators:
            source = SchemaSource.of({} if self.schema is None else self.schema)
            object.__setattr__(self, "schema", source.with_comparators(self.comparators or {}))
            object.__setattr__(self, "comparators", None)
        if self.schema_by is not None and not (isinstance(self.schema_by, str) and self.schema and self.schema.folder):
            expected = "the name of a column, and a folder as schema"
            kind = "no schema" if self.schema is None else "a folder" if self.schema.folder else "one schema"
            raise InputValueError(place="schema_by", expected=expected, got=f"{short_repr(self.schema_by)} and {kind}")

    @property
    def parse_mode(self) -> str | None:
        """Return the mode in which predictions are read as JSON, "json" or "repair"; None to compare texts as text."""
        return None if self.parse == AS_TEXT else self.parse


def check_number(name: str, value: Any, expected: str, accepted: Callable[[float], bool]) -> float:
    """Check an option that is a number and return it as a float.

    Args:
        name: the name of the option, for messages.
        value: its value.
        expected: a description of the accepted values.
        accepted: returns whether a finite number is accepted.

    Raises:
        TypeError, ValueError: for anything else; NaN and infinities are never accepted.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputTypeError(place=name, expected=expected, got=type(value).__name__)
    if not math.isfinite(value) or not accepted(float(value)):
        raise InputValueError(place=name, expected=expected, got=str(value))
    return float(value)


def check_whole(name: str, value: int, least: int) -> int:
    """Check an option that is a whole number of at least `least` and return it; errors as for `check_number`."""
    expected = f"a whole number of at least {least}"
    return int(check_number(name, value, expected, lambda number: number >= least and number.is_integer()))


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise `ValueError` naming the option if its value is not among the choices."""
    if value not in choices:
        *first, last = map(repr, choices)
        raise InputValueError(place=name, expected=f"{', '.join(first)} or {last}", got=repr(value))


DEFAULT_OPTIONS = ScoringOptions()


def options_from(options: ScoringOptions | None, keywords: dict[str, Any]) -> ScoringOptions:
    """Return the given options, or options made of the given keywords.

    Raises:
        TypeError: for both at once, or for a keyword that is not an option.
        ValueError: as for `ScoringOptions`.
    """
    if options is None:
        return ScoringOptions(**keywords) if keywords else DEFAULT_OPTIONS
    if keywords:
        raise InputTypeError(expected="options or single keywords", got=f"both: {', '.join(keywords)}")
    return options


@dataclass(frozen=True)
class SchemaSource:
    """One JSON Schema for all documents, or one for each document.

    Attributes:
        schemas: the schema of each document as canonical JSON by its id, in order of the ids; one schema for all
            documents has the id "".
        folder: the folder with the schemas of the documents, for messages; "" if one schema is for all documents.
        functions: the functions of comparators with their names.
        names: the name of the schema of each row by its id, where it is not the id.
    """

    schemas: dict[str, str]
    folder: str = ""
    functions: tuple[tuple[str, Callable[..., Any]], ...] = ()
    names: Mapping[str, str] = field(default_factory=dict, compare=False)

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
            raise InputValueError(place=in_file(path), expected="a JSON Schema a document, ID.json", got="none")
        return cls(schemas, str(path))

    def with_comparators(self, comparators: Mapping[Any, Any]) -> "SchemaSource":
        """Return the schemas with added comparators of fields and types.

        Raises:
            TypeError: for a key that is neither a path nor a type, a value that is not a comparator, or a function
                without a name.
            ValueError: for a field that already has a comparator, two functions of one name, and a file that does not
                hold judgements.
        """
        if not comparators:
            return self
        functions, added = dict(self.functions), dict[str, Any]()
        for key, comparator in comparators.items():
            place = f"comparators[{short_repr(key)}]"
            settings = _settings_of(comparator, place, functions)
            if isinstance(key, type) and key in _TYPE_NAMES:
                if self.schemas == {"": "{}"}:
                    raise InputValueError(place=place, expected="a schema that says which places have it", got="none")
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
                    raise InputValueError(place=f"#/{KEYWORD}", expected="one rule for a place", got="two")
                schema = {**schema, "allOf": [*schema.get("allOf", ()), added]}
            schemas[question_id] = _canonical_json(schema)
        return replace(self, schemas=schemas, functions=tuple(sorted(functions.items(), key=itemgetter(0))))

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
        """Return the first eight digits of the SHA-256 of the canonical JSON, of one schema or an object of several."""
        members = ",".join(f"{json.dumps(name, ensure_ascii=False)}:{text}" for name, text in self.schemas.items())
        text = f"{{{members}}}" if self.folder else self.schemas[""]
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def schema_name(value: str) -> str:
    """Return the name of the schema of a value in a folder, which file systems accept.

    >>> schema_name("Müller/Söhne")
    'Müller%2FSöhne'
    """
    return re.sub(r'[%/\\:*?"<>|\x00-\x1f]', lambda match: f"%{ord(match[0]):02X}", value)


KEYWORD = "x-docscore"

_TYPE_NAMES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}

_STEP = re.compile(r"\[\]|\[(\"(?:[^\"\\]|\\.)*\")\]|\.?([^.\[\]]+)")


def _settings_of(comparator: Any, place: str, functions: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """Return the settings of a comparator as in `x-docscore`, after adding its function, if any, to the others."""
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
    """Return the schema with the rows of judgement files in place of their names, so that its hash covers them.

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
    for number, line in enumerate(path.read_text("utf-8-sig").splitlines(), 1):
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
    """Return the value as JSON with sorted keys and without white space.

    Raises:
        TypeError: for a value that is not JSON.
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputTypeError(place="schema", expected="JSON values", got=str(error)) from None


def _read(path: Path) -> str:
    try:
        return _canonical_json(with_judgements(json.loads(path.read_text("utf-8-sig")), path.parent))
    except UnicodeDecodeError as error:
        raise InputValueError(not_utf8(in_file(path), error)) from None
    except json.JSONDecodeError as error:
        fault, *_ = json_fault(error)
        raise InputValueError(place=in_file(path, fault.place), problem=fault.problem) from None
    except RecursionError:
        raise InputValueError(place=in_file(path), problem="nested too deep") from None
