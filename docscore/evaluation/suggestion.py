"""A JSON Schema that ground truths suggest: types, and how the values of each field compare."""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from itertools import islice
from typing import Any, NamedTuple

from docscore.core.errors import Faults, InputValueError
from docscore.core.options import KEYWORD, SchemaSource
from docscore.core.values import Value, scalar_text, step_text
from docscore.data.files import ColumnNames, table_of_source
from docscore.data.pairing import parsed_reference
from docscore.data.rows import read_rows, side_format
from docscore.evaluation.evaluation import Evaluation, evaluate
from docscore.metrics.anls_star.api import anls_score
from docscore.metrics.anls_star.causes import places, shown_path
from docscore.metrics.registry import TYPED
from docscore.metrics.typed.readers import (
    Separators,
    read_boolean,
    read_date,
    read_money,
    read_number,
    read_phone,
    read_quantity,
    read_time,
)
from docscore.metrics.typed.schema import ELEMENTS, SubSchema, implied_comparison, said_of_place, schema_root

SPECIMENS = 3
READ = 0.95  # the share of the texts of a field that a comparator must read
_LOOKED_AT = 2000  # distinct texts of a field
_LONGEST_NUMBER = 4  # digits alone: longer ones are often the names of things
_LOCALES = ("de", "fr", "es", "it", "nl", "pt", "sv", "da", "nb", "fi", "pl", "cs")
_MONTHS = 12
_KINDS = {dict: "object", list: "array", str: "string", bool: "boolean"}

Settings = dict[str, Any]


@dataclass
class FieldValues:
    """The values of one field in all ground truths.

    Attributes:
        kinds: how many of them are of each type of JSON Schema.
        texts: how often each text occurs; empty ones are left out.
        keys: the fields of objects.
        elements: those of the elements of lists.
        documents: the ids of the documents that have each text, one for each.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    texts: Counter[str] = field(default_factory=Counter)
    keys: dict[str, FieldValues] = field(default_factory=dict)
    elements: FieldValues | None = None
    documents: dict[str, str] = field(default_factory=dict)

    def add(self, value: Value, document: str) -> None:
        """Count a value of a document; of acceptable answers all, of null nothing."""
        if isinstance(value, tuple):
            for answer in value:
                self.add(answer, document)
            return
        if value is None:
            return
        self.kinds[_KINDS.get(type(value), "number")] += 1
        if isinstance(value, dict):
            for key, part in value.items():
                self.keys.setdefault(key, FieldValues()).add(part, document)
        elif isinstance(value, list):
            self.elements = self.elements or FieldValues()
            for part in value:
                self.elements.add(part, document)
        elif isinstance(value, str) and value.strip():
            self.texts[value] += 1
            self.documents.setdefault(value, document)

    def walk(self, path: str = "") -> Iterator[tuple[str, FieldValues]]:
        """All fields with their paths, such as `items[].price`; that of the document is `$`."""
        yield shown_path(path), self
        for key, part in self.keys.items():
            yield from part.walk(path + step_text(key))
        if self.elements is not None:
            yield from self.elements.walk(f"{path}[]")


class SuggestedField(NamedTuple):
    """How the values of a field may be compared.

    Attributes:
        field: its path, such as `items[].price`.
        compare: the comparator; "text" where none fits.
        settings: its settings.
        note: why the field is left as text; "" for none.
        values: how many predicted values it takes for right that are written otherwise.
        points: what they lose as text, as a part of the mean score.
        specimens: some of them: ground truth, prediction.
    """

    field: str
    compare: str
    settings: Settings
    note: str = ""
    values: int = 0
    points: float = 0.0
    specimens: Sequence[tuple[str, str]] = ()


class Suggestion(NamedTuple):
    """A suggested schema.

    Attributes:
        schema: the JSON Schema, with `x-docscore` where its types do not say how values compare.
        fields: the fields that have values, those first that settle most points.
    """

    schema: dict[str, Any]
    fields: list[SuggestedField]


def read_ground_truths(references: Any, options: Mapping[str, Any]) -> tuple[list[str], list[Value]]:
    """The ids and the ground truths of a side of `docscore.evaluate`, by its options of columns; errors as there."""
    names = ColumnNames(
        options.get("id_column"),
        references=options.get("references_column"),
        json_references=options.get("parse_references") is not None,
        references_id=options.get("references_id_column"),
    )
    table = table_of_source(references, "references", names, Faults())
    rows = read_rows(table.rows, side_format(table.first(), "references"), "references", table.where)
    return rows.ids, list(map(parsed_reference, rows.ids, rows.values)) if names.json_references else rows.values


def values_of(ids: Iterable[str], truths: Iterable[Value]) -> FieldValues:
    """The values of all fields of the ground truths."""
    found = FieldValues()
    for name, value in zip(ids, truths, strict=True):
        found.add(value, name)
    return found


def suggest_schema(references: Any, predictions: Any = None, *, schema: Any = None, **options: Any) -> Suggestion:
    """Suggest a JSON Schema from ground truths, with a comparator for each field whose values all fit it.

    A comparator is suggested where it reads at least 95% of the texts of a field in one way. What can be read in
    several ways, such as 03/04/2024, stays text, and a note says what is open. Predictions say what it would settle,
    and have a part in one choice: numbers that are predicted as amounts with a currency compare as money.

    Args:
        references: the ground truths, as for `docscore.evaluate`.
        predictions: predictions, whose losses by another notation are counted for each field; None for none.
        schema: a JSON Schema to add comparators to: a dict, a path or a pydantic model class; its own settings stay.
            None to make one.
        options: options of `docscore.evaluate`; without predictions, those of the references.

    Raises:
        TypeError, ValueError: as `docscore.evaluate`.

    >>> truths = {"a": {"date": "12.03.2024", "sum": "1.200,50 €"}, "b": {"date": "25.03.2024", "sum": "7 €"}}
    >>> suggested = suggest_schema(truths, {"a": {"date": "2024-03-12", "sum": 7}, "b": {"date": "25 Mar 2024"}})
    >>> [(one.field, one.compare, one.values) for one in suggested.fields]
    [('date', 'date', 2), ('sum', 'money', 0)]
    """
    if predictions is not None:
        return suggestion_of(evaluate(predictions=predictions, references=references, **options), schema)
    return _suggestion(values_of(*read_ground_truths(references, options)), schema, None)


def suggestion_of(result: Evaluation, schema: Any = None) -> Suggestion:
    """The same for predictions that are scored already."""
    return _suggestion(values_of(result.ids, result.pairs.truths), schema, result)


def _suggestion(values: FieldValues, schema: Any, result: Evaluation | None) -> Suggestion:
    fields = suggested_fields(values)
    if result is not None:
        fields |= _amounts(fields, values_of(result.ids, result.pairs.predictions))
    found = _schema_of(values, fields, "")
    if schema is not None:
        found = _added(schema, found)
    if result is not None:
        fields |= _settled(result, found, fields)
    return Suggestion(found, sorted(fields.values(), key=lambda one: -one.points))


def suggested_fields(values: FieldValues) -> dict[str, SuggestedField]:
    """How the values of each field may be compared, by its path."""
    return {path: _suggested(path, part) for path, part in values.walk() if part.texts or _is_scalar(part)}


def _amounts(fields: Mapping[str, SuggestedField], predicted: FieldValues) -> dict[str, SuggestedField]:
    """The fields of numbers whose predictions are amounts with a currency: they compare as money."""
    found = {}
    for path, values in predicted.walk():
        texts = dict(islice(values.texts.items(), _LOOKED_AT))
        if path in fields and fields[path][1:3] == ("number", {}) and texts and not _reads(texts, read_number):
            settings = _as_money(texts)
            if isinstance(settings, dict):
                found[path] = SuggestedField(path, settings.pop("compare"), settings)
    return found


def _is_scalar(values: FieldValues) -> bool:
    return bool(values.kinds) and not values.kinds.keys() & {"object", "array"}


def _suggested(path: str, values: FieldValues) -> SuggestedField:
    """The comparator of a field."""
    if not values.texts:
        name = "boolean" if set(values.kinds) == {"boolean"} else "number"
        return SuggestedField(path, name, {}) if len(values.kinds) == 1 else SuggestedField(path, "text", {})
    texts = dict(islice(values.texts.items(), _LOOKED_AT))
    for propose in (_as_date, _as_boolean, _as_number, _as_money, _as_quantity, _as_phone):
        settings = propose(texts)
        if isinstance(settings, str):
            return SuggestedField(path, "text", {}, settings)
        if settings is not None:
            return SuggestedField(path, settings.pop("compare"), settings)
    return SuggestedField(path, "text", {})


def _reads(texts: Mapping[str, int], read: Callable[[str], Any]) -> bool:
    return sum(count for text, count in texts.items() if read(text) is not None) >= READ * sum(texts.values())


def _as_date(texts: Mapping[str, int]) -> Settings | str | None:
    if not _reads(texts, lambda text: re.search(r"\d", text)):
        return None
    orders = {order for text in texts for order in _proven_order(text)}
    ways: list[Settings] = [{}, *({"date_order": order} for order in ("dmy", "mdy"))]
    if find_spec("babel"):
        ways += [{"locale": locale} for locale in _LOCALES]
    for way in ways:
        read = partial(read_date, order=way.get("date_order", ""), locale=way.get("locale", ""))
        if _reads(texts, read):
            if "date_order" in way and len(orders) != 1:
                return "dates whose order is open: x-docscore date_order (dmy or mdy) says it"
            if way.get("date_order") in (None, *orders):
                clock = any(isinstance(read(text), datetime) for text in texts)
                return {"compare": "datetime" if clock else "date", **way}
    clocks = all(re.search(r":|[^\W\d_]", text) for text in texts)
    return {"compare": "time"} if clocks and _reads(texts, read_time) else None


def _proven_order(text: str) -> list[str]:
    """The order of day and month in a date of numbers of which one can be no month; nothing of others."""
    match = re.match(r"\s*(\d{1,2})\D(\d{1,2})\D\d{2}", text)
    if match is None or read_date(text) is None:
        return []
    return ["dmy"] if int(match[1]) > _MONTHS else ["mdy"] if int(match[2]) > _MONTHS else []


def _as_boolean(texts: Mapping[str, int]) -> Settings | None:
    words = not any(text.strip().isdigit() for text in texts)
    return {"compare": "boolean"} if words and all(read_boolean(text) is not None for text in texts) else None


def _as_number(texts: Mapping[str, int]) -> Settings | str | None:
    way = _separators(texts, read_number)
    if way is None:
        return None
    if any(re.match(r"[+-]?0\d|.*\d[eE]", text.strip()) for text in texts):
        return "digits that begin with 0 or have an E among them, which are often no numbers"
    if all(text.strip().isdigit() and len(text.strip()) > _LONGEST_NUMBER for text in texts):
        return "digits alone, which may be numbers or the names of things"
    return way if isinstance(way, str) else {"compare": "number", **way}


_IN_DOUBT = re.compile(r"\D*[1-9]\d{0,2}\.\d{3}\D*\Z")  # 1.200: a number for JSON, in a document a thousand or more
_DECIMALS = re.compile(r"[.,](?:(?!\d{3}(?!\d))|(?<=\b0.)|(?<=\d{4}.))\d+\D*\Z")


def _separators(texts: Mapping[str, int], read: Callable[..., Any]) -> Settings | str | None:
    """The settings with which numbers can be read; a note where their separators are open, None for no numbers."""
    read_texts = [text for text in texts if read(text) is not None]
    certain = [text for text in read_texts if not _IN_DOUBT.match(text)]
    proven = {match[0][0] for text in certain if (match := _DECIMALS.search(text))}
    if _reads(texts, read) and (len(certain) == len(read_texts) or proven == {"."}):
        return {}
    ways = [Separators(".", ","), Separators(",", ".")]
    fitting = [way for way in ways if _reads(texts, partial(read, declared=way))]
    chosen = [way for way in fitting if way.decimal in proven] if len(proven) == 1 else fitting
    if len(chosen) == 1:
        return {"decimal": chosen[0].decimal, "group": chosen[0].group}
    return "numbers whose separators are open: x-docscore decimal and group say them" if fitting else None


def _as_money(texts: Mapping[str, int]) -> Settings | str | None:
    if not (find_spec("babel") and _reads(texts, lambda text: re.search(r"\d", text))):
        return None
    way = _separators(texts, read_money)
    if way is None or not any(re.search(r"[^\d\s.,'+()-]", text) for text in texts):
        return None
    return way if isinstance(way, str) else {"compare": "money", **way}


def _as_quantity(texts: Mapping[str, int]) -> Settings | None:
    units = all(re.search(r"\d.*[^\W\d_]|%", text) for text in texts)
    return {"compare": "unit"} if units and find_spec("pint") and _reads(texts, read_quantity) else None


def _as_phone(texts: Mapping[str, int]) -> Settings | None:
    international = all(text.strip().startswith("+") for text in texts)
    return {"compare": "phone"} if international and find_spec("phonenumbers") and _reads(texts, read_phone) else None


def _schema_of(values: FieldValues, fields: Mapping[str, SuggestedField], path: str) -> dict[str, Any]:
    kinds = sorted(values.kinds)
    found: dict[str, Any] = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
    if values.keys:
        parts = values.keys.items()
        found["properties"] = {key: _schema_of(part, fields, path + step_text(key)) for key, part in parts}
    if values.elements is not None:
        found["items"] = _schema_of(values.elements, fields, f"{path}[]")
    suggested = fields.get(shown_path(path))
    if suggested is not None:
        if suggested.compare != implied_comparison([found]):
            found["x-docscore"] = {"compare": suggested.compare, **suggested.settings}
        if suggested.note:
            found["$comment"] = suggested.note
    return found


def _added(schema: Any, found: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with the comparators that it lacks, which stand beside its references and alternatives."""
    source = SchemaSource.of(schema)
    if source.folder:
        raise InputValueError(place="schema", expected="one schema", got=f"a folder, {source.folder}")
    text = source.schema_of("")
    document = schema if isinstance(schema, dict) else json.loads(text)
    merged: dict[str, Any] = _merged(document, _lacking([schema_root(text)], found))
    return merged


def _lacking(schemas: Sequence[SubSchema], found: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a suggested schema that says how values compare where the schemas of a place do not."""
    views, settings = said_of_place(schemas)
    lacking: dict[str, Any] = {}
    if KEYWORD in found and "compare" not in settings and implied_comparison(view.content for view in views) == "text":
        lacking[KEYWORD] = found[KEYWORD]
    for key, part in found.get("properties", {}).items():
        named = [view for view in views if key in view.content.get("properties", {})]
        below = [each for view in named for each in view.below("properties", key)]
        if below and (own := _lacking(below, part)):
            lacking.setdefault("properties", {})[key] = own
    elements = [each for view in views for each in view.under(*ELEMENTS)]
    if elements and (own := _lacking(elements, found.get("items", {}))):
        lacking["items"] = own
    return lacking


def _merged(schema: Any, lacking: Mapping[str, Any]) -> Any:
    """The schema with what it lacks."""
    if not isinstance(schema, dict):
        return lacking or schema
    return {**schema, **{name: _merged(schema.get(name), part) for name, part in lacking.items()}}


def _settled(result: Evaluation, schema: Any, fields: Mapping[str, SuggestedField]) -> dict[str, SuggestedField]:
    """The fields with the values that the schema takes for right though they are written otherwise."""
    with warnings.catch_warnings():  # what is doubtful of the rows was said
        warnings.simplefilter("ignore", UserWarning)
        typed = Evaluation(result.source, replace(result.options, schema=schema), metrics=[TYPED], confidence=None)
    lost: dict[str, float] = {}
    pairs: dict[str, Counter[tuple[str, str]]] = {}
    for number in range(len(typed)):
        tree = typed.tree(number)
        for path, node, _ in places(tree):
            if path in fields and not node.children and node.status == "exact" and node.compared:
                texts = scalar_text(node.ground_truth), scalar_text(node.prediction)
                similarity = anls_score(*texts)
                if similarity < 1:
                    points = node.weight * (1 - similarity) / tree.weight / len(typed)
                    lost[path] = lost.get(path, 0.0) + points
                    pairs.setdefault(path, Counter())[texts] += 1
    return {
        path: fields[path]._replace(
            values=of_field.total(), points=lost[path], specimens=[pair for pair, _ in of_field.most_common(SPECIMENS)]
        )
        for path, of_field in pairs.items()
    }
