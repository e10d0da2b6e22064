"""Suggest a JSON Schema from ground truths."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError, short_repr
from docscore.core.formatting import FOUR_DIGITS
from docscore.core.options import read_and_compare_options
from docscore.core.runtime import Progress, no_progress, progress_from, watched
from docscore.core.same_value import ORDERS
from docscore.core.schema_source import KEYWORD, SchemaSource
from docscore.core.values import Value, field_path, number_text, scalar_text, step_text
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.registry import TYPED
from docscore.evaluation.sources import evaluate
from docscore.evaluation.tables import Table, field_column, table_of, text_column, value_column
from docscore.inputs.content import content_of
from docscore.inputs.groups import grouped_rows
from docscore.inputs.pairing import read_ground_truths
from docscore.inputs.raw_regions import AT_TRUTHS, without_regions
from docscore.inputs.rows import PLAIN
from docscore.inputs.test_set import TestSet
from docscore.metrics.anls_star.api import anls_score
from docscore.metrics.anls_star.sizes import SchemaNode
from docscore.metrics.typed.comparators import COMPARATORS, comparator
from docscore.metrics.typed.readers import LOCALES, Reading, ascii_form, date_order
from docscore.metrics.typed.schema import ELEMENTS, SubSchema, implied_comparison, schema_root, schemas_of_place

SPECIMENS = 3
READ_SHARE = 0.95  # the share of the texts of a field that a comparator must read
_MONTHS, _DAYS = 12, 31
_KINDS = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}

Settings = dict[str, Any]


@dataclass
class FieldValues:
    """The values of one field in all ground truths.

    Attributes:
        kinds: the number of values of each JSON Schema type, except null.
        texts: the number of occurrences of each text, except empty texts.
        numbers: the JSON numbers, in their shortest spelling.
        keys: the values of the fields of objects, by key.
        present: the number of objects that have the key of the field.
        elements: the values of the elements of lists.
        documents: for each text, the id of one document that has it.
        holders: for each type, the ids of some documents that have such values.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    texts: Counter[str] = field(default_factory=Counter)
    numbers: set[str] = field(default_factory=set)
    keys: "dict[str, FieldValues]" = field(default_factory=dict)
    present: int = 0
    elements: "FieldValues | None" = None
    documents: dict[str, str] = field(default_factory=dict)
    holders: dict[str, dict[str, None]] = field(default_factory=dict)

    def add(self, value: Value, document: str) -> None:
        """Count a value of a document, or all of several acceptable answers."""
        if isinstance(value, tuple):
            for answer in value:
                self.add(answer, document)
            return
        kind = _KINDS.get(type(value), "number")
        holders = self.holders.setdefault(kind, {})
        if len(holders) < SPECIMENS:
            holders[document] = None
        if value is not None:
            self.kinds[kind] += 1
            self._add_parts(value, document)

    def _add_parts(self, value: Value, document: str) -> None:
        if isinstance(value, dict):
            for key, part in value.items():
                below = self.keys.setdefault(key, FieldValues())
                below.present += 1
                below.add(part, document)
        elif isinstance(value, list):
            self.elements = self.elements or FieldValues()
            for part in value:
                self.elements.add(part, document)
        elif isinstance(value, str):
            if value.strip():
                self.texts[value] += 1
                self.documents.setdefault(value, document)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.numbers.add(number_text(value))

    def walk(
        self, path: str = "", node: SchemaNode | None = None
    ) -> "Iterator[tuple[str, FieldValues, SchemaNode | None]]":
        """Yield all fields with their paths, such as `items[].price` or `$`, and their nodes of a schema."""
        yield field_path(path), self, node
        for key, part in self.keys.items():
            yield from part.walk(path + step_text(key), node and node.at_key(key))
        if self.elements is not None:
            yield from self.elements.walk(f"{path}[]", node and node.items)


class SuggestedField(NamedTuple):
    """A suggestion for how to compare the values of a field.

    Attributes:
        field: its path, such as `items[].price`.
        compare: the comparator; "text" if no other fits.
        settings: its settings.
        note: the possible meanings of the values, with the settings for each; "" if there is only one meaning.
        values: the number of predicted values that the comparator accepts although they have a different notation.
        points: the points that these values lose as text, as a part of the mean score.
        specimens: some of these values, as pairs of ground truth and prediction.
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
        schema: the JSON Schema, with `x-docscore` for fields whose types do not determine the comparator.
        fields: the fields that have values, sorted by the points that the suggestion recovers.
        slices: the suggestion for the rows with each value of `by`.
    """

    schema: dict[str, Any]
    fields: list[SuggestedField]
    slices: "Mapping[str, Suggestion]" = MappingProxyType({})

    def table(self, title: str = "Suggested comparators") -> Table:
        """Return the fields, their comparators, and the values in another notation that the comparators accept."""
        accepted = (
            value_column("values", "values"),
            value_column("points", "points", FOUR_DIGITS),
            text_column("specimens", "such as", lambda field: ", ".join(f"{a} ↔ {b}" for a, b in field.specimens)),
        )
        return table_of(
            title,
            self.fields,
            field_column(),
            text_column(
                "compare",
                "compare as",
                lambda field: ", ".join(
                    [field.compare, *(f"{name} {value}" for name, value in field.settings.items())]
                ),
                "text",
            ),
            *(accepted if any(field.values for field in self.fields) else ()),
            text_column("note", "note", kind="text"),
            unit="fields",
        )


def ground_truths_of(references: Any, options: Mapping[str, Any]) -> TestSet:
    """Return the rows of references as `docscore.evaluate` reads them with its options, without predictions."""
    reading, _ = read_and_compare_options(options)
    rows = read_ground_truths(references, reading, progress_from(options.get("progress")))
    truths = [content_of(without_regions(value, AT_TRUTHS)[0], None, reading)[0] for value in rows.values]
    pairs = TestSet(rows.ids, truths, truths, reference_rows=None if rows.form is PLAIN else rows.sources)
    return grouped_rows(pairs, reading)


def values_of(pairs: TestSet, progress: Progress = no_progress, *, predicted: bool = False) -> FieldValues:
    """Return the values of all fields of the ground truths, or of the predictions."""
    fields = FieldValues()
    rows = zip(pairs.predictions if predicted else pairs.truths, pairs.ids, strict=True)
    for value, name in watched(rows, progress, "Collecting", len(pairs.ids)):
        fields.add(value, name)
    return fields


def suggest_schema(references: Any, predictions: Any = None, *, schema: Any = None, **options: Any) -> Suggestion:
    """Suggest a JSON Schema from ground truths, with a comparator for each field whose values all fit it.

    A comparator is suggested if it reads at least 95% of the texts of a field in one way, and the values can mean
    nothing else. Otherwise, as for 03/04/2024 or for 1.10 together with 1.9, the field stays text, and a note lists the
    meanings and what to add to the schema for each. Predictions show how many points a comparator would recover, and
    decide two questions: numbers that are predicted as amounts with a currency compare as money, and percentages that
    are predicted as 19 and not as 0.19 compare in points.

    Args:
        references: the ground truths, as for `docscore.evaluate`.
        predictions: predictions, whose losses due to other notations are counted for each field; None for none.
        schema: a JSON Schema to add comparators to: a dict, a path or a pydantic model class; its own settings are
            kept. None to create a schema.
        options: options of `docscore.evaluate`; without predictions, only options of references. With `by`, such as a
            column of vendors, `slices` has a suggestion for each of its values.

    Raises:
        TypeError, ValueError: as `docscore.evaluate`.

    >>> truths = {"a": {"date": "12.03.2024", "sum": "1.200,50 €"}, "b": {"date": "25.03.2024", "sum": "7 €"}}
    >>> suggested = suggest_schema(truths, {"a": {"date": "2024-03-12", "sum": 7}, "b": {"date": "25 Mar 2024"}})
    >>> [(one.field, one.compare, one.values) for one in suggested.fields]
    [('date', 'date', 2), ('sum', 'money', 0)]
    """
    if predictions is not None:
        result = evaluate(predictions=predictions, references=references, **options)
        slices = {value: suggestion_of(result.of_slice(value), schema) for value in result.rows_by_slice}
        return suggestion_of(result, schema)._replace(slices=slices)
    pairs = ground_truths_of(references, options)
    parts = {value: pairs.only(rows) for value, rows in pairs.rows_by_slice.items()}
    slices = {value: _suggestion(values_of(part), schema, None) for value, part in parts.items()}
    values = values_of(pairs, progress_from(options.get("progress")))
    return _suggestion(values, schema, None)._replace(slices=slices)


def suggestion_of(result: Evaluation, schema: Any = None) -> Suggestion:
    """Suggest a schema from an evaluation, as `suggest_schema` does."""
    return _suggestion(values_of(result.test_set, result.progress), schema, result)


def _suggestion(values: FieldValues, schema: Any, result: Evaluation | None) -> Suggestion:
    fields = suggested_fields(values, no_progress if result is None else result.progress)
    predicted = FieldValues() if result is None else values_of(result.test_set, predicted=True)
    fields |= _amounts(fields, predicted)
    fields |= _percentages(fields, values, predicted)
    suggested = _schema_of(values, fields, "")
    if schema is not None:
        suggested = _with_comparators(schema, suggested)
    if result is not None:
        fields |= _accepted_values(result, suggested, fields)
    return Suggestion(suggested, sorted(fields.values(), key=lambda one: -one.points))


def suggested_fields(values: FieldValues, progress: Progress = no_progress) -> dict[str, SuggestedField]:
    """Return a suggestion by path for each field that has texts, or only scalars."""
    fields = list(values.walk())
    return {
        path: _suggested(path, part)
        for path, part, _ in watched(fields, progress, "Suggesting", len(fields))
        if part.texts or (part.kinds and not part.kinds.keys() & {"object", "array"})
    }


def _amounts(fields: Mapping[str, SuggestedField], predicted: FieldValues) -> dict[str, SuggestedField]:
    """Return the fields of numbers whose predictions are amounts with a currency, to compare as money."""
    amounts = {}
    for path, values, _ in predicted.walk():
        texts = values.texts
        if path in fields and fields[path][1:3] == ("number", {}) and texts and not _read_count(texts, "number"):
            settings = _as_money(texts)
            if isinstance(settings, dict) and not other_meaning(values, **settings):
                amounts[path] = SuggestedField(path, settings.pop("compare"), settings)
    return amounts


def _percentages(
    fields: Mapping[str, SuggestedField], values: FieldValues, predicted: FieldValues
) -> dict[str, SuggestedField]:
    """Return the fields of numbers with percentages, in points if numbers without a percent sign indicate points.

    Without predictions, the meaning of 19 in a field with 19 % is unknown, and a note reports it.
    """
    changed = {}
    parts = [{path: part for path, part, _ in side.walk()} for side in (values, predicted)]
    for path, one in fields.items():
        sides = [side[path] for side in parts if path in side]
        texts = dict.fromkeys(text for side in sides for text in side.texts)
        percentages = [text for text in texts if text.rstrip().endswith("%")]
        if not percentages or one.compare != "number":
            continue
        ways = [one.settings, {**one.settings, "percent": "points"}]
        plain = {_spelled(text, "number", one.settings) for text in texts.keys() - percentages}
        plain = plain.union(*(side.numbers for side in sides)) - {"", "0"}
        shares, points = ({_spelled(text, "number", way) for text in percentages} & plain for way in ways)
        if points and not shares:
            changed[path] = one._replace(settings=ways[1])
        elif bool(points) == bool(shares) and (plain or not predicted.kinds):
            changed[path] = one._replace(note=_note_of_ways(percentages, "number", ways) or "")
    return changed


def _suggested(path: str, values: FieldValues) -> SuggestedField:
    """Return the suggestion for a field by its values."""
    if not values.texts:
        kind, *others = values.kinds  # "string" if all texts are empty
        return SuggestedField(path, "text" if others or kind == "string" else kind, {})
    for propose in _PROPOSALS:
        settings = propose(values.texts)
        if isinstance(settings, dict) and (other := other_meaning(values, **settings)):
            settings = _note(*other)
        if isinstance(settings, str):
            return SuggestedField(path, "text", {}, settings)
        if settings is not None:
            return SuggestedField(path, settings.pop("compare"), settings)
    return SuggestedField(path, "text", {})


def _reader(name: str, settings: Settings) -> Callable[[Any], Reading | None]:
    return comparator(name, **settings).read  # type: ignore[attr-defined, no-any-return]


def _spelled(text: str, name: str, settings: Settings) -> str:
    """Return the spelling of the value that a comparator reads; "" if it reads none."""
    reading = _reader(name, settings)(text)
    return "" if reading is None else reading.spelling


def _read_count(texts: Mapping[str, int], name: str, settings: Settings | None = None) -> int:
    """Return the number of values that a comparator reads, given the count of each text; 0 if below 95%."""
    read, total = _reader(name, settings or {}), sum(texts.values())
    left = total
    for text, count in texts.items():
        left -= count if read(text) is None else 0
        if left < READ_SHARE * total:
            return 0
    return left


def _note(text: str, meanings: Mapping[str, Settings | None]) -> str:
    """Return a sentence on the possible meanings of a text, and what to add to the schema for each but text."""
    lines = [f'"{KEYWORD}": {json.dumps(how)} for {what}' for what, how in meanings.items() if how]
    return f"{short_repr(text)} may be {' or '.join(meanings)}: add {'; or '.join(lines)}"


def _note_of_ways(texts: Iterable[str], name: str, ways: Sequence[Settings]) -> str | None:
    """Return a note on the first text that the settings read differently; None if there is no such text."""
    for text in texts:
        ways_of = {_spelled(text, name, way): {"compare": name, **way} for way in reversed(ways)}  # the first of equals
        meanings = {meaning: way for meaning, way in reversed(ways_of.items()) if meaning}
        if len(meanings) > 1:
            return _note(text, meanings)
    return None


def _as_date(texts: Mapping[str, int]) -> Settings | str | None:
    if sum(count for text, count in texts.items() if re.search(r"\d", text)) < READ_SHARE * sum(texts.values()):
        return None
    orders = _possible_orders(texts)
    plain: list[Settings] = [{}]
    if _read_count(texts, "date") < sum(texts.values()):
        plain += [{"date_order": order} for order in ORDERS]
    of_locales: list[Settings] = [{"locale": locale} for locale in LOCALES if find_spec("babel")]
    for ways in (plain, of_locales):
        counts = [(_read_count(texts, "date", way), way) for way in ways]
        fitting = [way for count, way in sorted(counts, key=lambda counted: -counted[0]) if count]
        for way in fitting:
            order = way.get("date_order") or date_order(way.get("locale", ""))
            if not order or (order in orders and (len(orders) == 1 or "locale" in way)):
                has_clock = any(reading and reading.ignored for reading in map(_reader("date", way), texts))
                return {"compare": "datetime" if has_clock else "date", **way}
        if fitting:
            also = [{**fitting[0], "date_order": order} for order in ORDERS if order in orders or not orders]
            return _note_of_ways(texts, "date", also)
    contradicted = ({**way, "date_order": order} for way in of_locales for order in ORDERS if {order} == orders)
    for way in (way for way in contradicted if _read_count(texts, "date", way)):
        numbers, locale = short_repr(next(filter(_IN_NUMBERS.match, texts))), json.dumps({"locale": way["locale"]})
        line = f'"{KEYWORD}": {json.dumps({"compare": "date", **way})}'
        return f"{numbers} has a different order than {locale} says: add {line}"
    clocks = all(re.search(r":|[^\W\d_]", text) for text in texts)
    return {"compare": "time"} if clocks and _read_count(texts, "time") else None


_IN_NUMBERS = re.compile(r"\s*(\d{1,2})([./ -]) ?(\d{1,2})\2 ?(\d{4}|\d{2})(?!\d)")
_DAY_AND_MONTH = {"dmy": (0, 1), "mdy": (1, 0), "ymd": (2, 1)}  # the positions of day and month in a date


def _possible_orders(texts: Iterable[str]) -> set[str]:
    """Return the orders of day, month and year that are possible for all dates in numbers.

    25/03/24 begins with the day or the year. Years vary less than days, so they are in the part of the dates that
    varies less.
    """
    dates = [tuple(map(int, match.group(1, 3, 4))) for match in filter(None, map(_IN_NUMBERS.match, texts))]
    fitting = [
        {name for name, (day, month) in _DAY_AND_MONTH.items() if 0 < each[day] <= _DAYS and 0 < each[month] <= _MONTHS}
        for each in dates
    ]
    orders = set(ORDERS).intersection(*filter(None, fitting))
    first, _, last = [max(part) - min(part) for part in zip(*dates, strict=True)] or (0, 0, 0)
    if "ymd" in orders and first != last:
        orders &= {"ymd"} if first < last else {"dmy", "mdy"}
    return orders


_IN_DOUBT = re.compile(r"\D*[1-9]\d{0,2}\.\d{3}\D*\Z")  # 1.200: 1.2 in JSON, but perhaps 1200 in a document
_ROUND = re.compile(r"\D*[1-9]\d{0,2}\.\d\d0\D*\Z")  # 18.450 in a field with 9210.75 and 3,300 may be thousands
_DECIMALS = re.compile(r"[.,](?:(?!\d{3}(?!\d))|(?<=\b0.)|(?<=\d{4}.))\d+\D*\Z")


def _by_separators(texts: Mapping[str, int], name: str) -> Settings | str | None:
    """Return the settings to read numbers, a note if their separators are ambiguous, or None if not numbers."""
    ways: list[Settings] = [{}, {"decimal": ".", "group": ","}, {"decimal": ",", "group": "."}]
    fitting = [way for way in ways if _read_count(texts, name, way)]
    if not fitting:
        return None
    read_texts = [text for text in texts if _spelled(text, name, {})]
    certain = [text for text in read_texts if not _IN_DOUBT.match(text)]
    proven = {match[0][0] for text in certain if (match := _DECIMALS.search(text))}
    if {} in fitting and (len(certain) == len(read_texts) or proven == {"."}):
        return {"compare": name}
    if proven == {"."} and any(map(_ROUND.match, texts)):
        return _note_of_ways(filter(_ROUND.match, texts), name, ways[1:])
    fitting = [way for way in fitting if way]
    chosen = [way for way in fitting if way["decimal"] in proven] if len(proven) == 1 else fitting
    return {"compare": name, **chosen[0]} if len(chosen) == 1 else _note_of_ways(texts, name, fitting)


def _as_money(texts: Mapping[str, int]) -> Settings | str | None:
    has_currency = any(re.search(r"[^\d\s.,'+()-]", text) for text in texts)
    return _by_separators(texts, "money") if has_currency and find_spec("babel") else None


def _as_declared(texts: Mapping[str, int], names: Iterable[str] = COMPARATORS) -> Settings | None:
    """Propose a comparator without settings that can read the texts, if all texts resemble its values."""
    for name in names:
        resembles = COMPARATORS[name].resembles
        if resembles is not None and all(map(resembles, texts)):
            with suppress(InputValueError):  # a library is missing
                if _read_count(texts, name):
                    return {"compare": name}
    return None


# Phone numbers come before numbers, because they look like numbers without spaces: +4930901820.
_PROPOSALS: tuple[Callable[[Mapping[str, int]], Settings | str | None], ...] = (
    _as_date,
    partial(_as_declared, names=["phone"]),
    partial(_by_separators, name="number"),
    _as_money,
    _as_declared,
)


def _finder(every: str, some: str = "") -> Callable[[Collection[str]], str]:
    """Return a function that finds the first text with the pattern `some` if all texts match the pattern `every`."""
    all_match, one_has = re.compile(every), re.compile(some)
    return lambda texts: next(filter(one_has.search, texts), "") if all(map(all_match.fullmatch, texts)) else ""


_VERSIONS = _finder(r"(?!\d{1,3}(?:\.\d{3}){2,}\Z)\d+(?:\.\d+)*\.?", r"\..*\.|\.(?:\d*0)?\Z")
_CLAUSES = _finder(r"[1-9]\d?\.\d")


def _version(texts: Collection[str]) -> str:
    """Return the first text that indicates versions or clauses; "" if texts can only be numbers.

    Texts such as 1.10 or 1.1.2 indicate versions if the numbers of decimals differ; if they are equal, as in 12.50 and
    8.00, trailing zeros have no meaning. Consecutive texts such as 1.1, 1.2, 2.1 indicate clauses.
    """
    if len({len(text.partition(".")[2]) for text in texts}) > 1:
        return _VERSIONS(texts)
    clauses = {tuple(map(int, text.split("."))) for text in texts} if _CLAUSES(texts) else set()
    counted = all(part == 1 or (clause, part - 1) in clauses for clause, part in clauses)
    return next(iter(texts)) if counted and len(clauses) > len({clause for clause, _ in clauses}) else ""


# Currency codes that are also words or abbreviations: `top 5`, `PHP 8`, `CAD 2024`, `2 cup`.
_WORDS = "(?i:all|amd|bob|cad|cop|cup|gel|mad|mop|pen|php|sos|top|try)"
_HOURS = _finder(r"(?:[01]?\d|2[0-3])(?:\.[0-5]\d)? ?[hH]")
_FEET = _finder(r".*\d\s*(?:ft|pounds?)")

# Other meanings of texts that a comparator can read: the comparator, the other meaning in words, its comparator or "",
# and a function that finds a text that indicates it, if this meaning fits all texts. A comparator is
# suggested only without such a text: otherwise, it could treat different values as equal, or read a wrong value.
_OTHER_MEANINGS: tuple[tuple[str, str, str, Callable[[Collection[str]], str]], ...] = (
    ("number", "a code", "", _finder(r"(?s:.*)", r"^[+-]?0\d|\d[eE]")),
    ("number", "a code", "", _finder(r"\d{5,}|\+\d{7,}")),
    ("number", "a label", "", _finder(r"\(?\d{1,2}\)?|\(\d{1,3}\)|\d{1,3}\.", r"\(|\.\Z")),
    ("number", "a version", "", _version),
    ("number", "a month", "", _finder(r"(?:19|20)\d\d\.(?:0[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d")),
    ("number", "a time of day", "", _finder(r"(?:[1-9]|1\d|2[0-3])\.(?:00|15|30|45)", r"\.(?:15|30|45)")),
    ("number", "an IP address", "", _finder(r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!\Z)|\Z)){4}")),
    ("money", "a word with a number", "", _finder(rf"{_WORDS}\W*\d+(?:\.\d)?|\d+(?:\.\d)?\W*(?![A-Z]{{3}}){_WORDS}")),
    ("money", "a length or a weight", "unit", _FEET),
    ("unit", "an amount", "money", _FEET),
    ("unit", "a time of day", "time", _HOURS),
    ("time", "a number of hours", "unit", _HOURS),
    ("boolean", "a code", "", _finder("NO")),
)


def other_meaning(
    values: FieldValues, *, compare: str, **settings: Any
) -> tuple[str, dict[str, Settings | None]] | None:
    """Return a text that may mean something other than a comparator reads, with its meanings as for `_note`, or None.

    JSON numbers with decimals count as texts, such as 2.5 in a field with the text 10.00.
    """
    texts = [*map(ascii_form, values.texts), *(number for number in values.numbers if "." in number)]
    for name, other, of_other, find in _OTHER_MEANINGS:
        if name == compare and (text := find(texts)):
            own = comparator(name, **settings).name  # type: ignore[attr-defined]
            return text, {own: {"compare": name, **settings}, other: {"compare": of_other} if of_other else None}
    return None


def _schema_of(values: FieldValues, fields: Mapping[str, SuggestedField], path: str) -> dict[str, Any]:
    kinds = [*sorted(values.kinds), *(["null"] if values.kinds and "null" in values.holders else [])]
    schema: dict[str, Any] = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
    if values.keys:
        parts = values.keys.items()
        schema["properties"] = {key: _schema_of(part, fields, path + step_text(key)) for key, part in parts}
    if values.elements is not None:
        schema["items"] = _schema_of(values.elements, fields, f"{path}[]")
    suggested = fields.get(field_path(path))
    if suggested is not None:
        if suggested.settings or suggested.compare != implied_comparison([schema]):
            schema["x-docscore"] = {"compare": suggested.compare, **suggested.settings}
        if suggested.note:
            schema["$comment"] = suggested.note
    return schema


def _with_comparators(schema: Any, suggested: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with suggested comparators for the places that have no comparator."""
    source = SchemaSource.of(schema)
    if source.folder:
        raise InputValueError(place="schema", expected="one schema", got=f"a folder, {source.folder}")
    text = source.schema_of("")
    document = schema if isinstance(schema, dict) else json.loads(text)
    merged: dict[str, Any] = _merged(document, _missing_comparators([schema_root(text)], suggested))
    return merged


def _missing_comparators(schemas: Sequence[SubSchema], suggested: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a suggested schema with comparators for places whose schemas have none."""
    views, settings = schemas_of_place(schemas)
    lacking: dict[str, Any] = {}
    if (
        KEYWORD in suggested
        and "compare" not in settings
        and implied_comparison(view.content for view in views) == "text"
    ):
        lacking[KEYWORD] = suggested[KEYWORD]
    for key, part in suggested.get("properties", {}).items():
        named = [view for view in views if key in view.content.get("properties", {})]
        below = [each for view in named for each in view.below("properties", key)]
        if below and (own := _missing_comparators(below, part)):
            lacking.setdefault("properties", {})[key] = own
    elements = [each for view in views for each in view.under(*ELEMENTS)]
    if elements and (own := _missing_comparators(elements, suggested.get("items", {}))):
        lacking["items"] = own
    return lacking


def _merged(schema: Any, lacking: Mapping[str, Any]) -> Any:
    """Return the schema with the missing parts added."""
    if not isinstance(schema, dict):
        return lacking or schema
    return {**schema, **{name: _merged(schema.get(name), part) for name, part in lacking.items()}}


def _accepted_values(
    result: Evaluation, schema: Any, fields: Mapping[str, SuggestedField]
) -> dict[str, SuggestedField]:
    """Return the fields with the predicted values that the schema accepts although they have a different notation."""
    metrics, options = (TYPED, *result.metrics), replace(result.options, schema=schema)
    typed = Evaluation(replace(result.test_set, is_full=False), options, metrics=metrics, confidence=None)
    lost: dict[str, float] = {}
    pairs: dict[str, Counter[tuple[str, str]]] = {}
    for number in watched(range(len(typed)), result.progress, "Explaining", len(typed)):
        tree = typed.row(number).tree
        for node in tree.leaves():
            path = node.field_path
            if path in fields and node.status == "exact" and node.compared:
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
