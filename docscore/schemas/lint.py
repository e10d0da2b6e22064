"""Checks of ground truths against their schema and against each other."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA, Levenshtein

from docscore.core.errors import short_repr
from docscore.core.formatting import shown_name
from docscore.core.numbers import DecimalText
from docscore.core.options import CompareOptions, check_options
from docscore.core.runtime import Progress, grouped, progress_from, warn_all, watched
from docscore.core.values import field_path, places_in, step_text, to_json, value_excerpt
from docscore.evaluation.tables import Table, table_of, text_column, value_column
from docscore.inputs.json_text import dumps_strictly
from docscore.inputs.model_text import is_json_container
from docscore.inputs.test_set import TestSet
from docscore.metrics.anls_star.sizes import SchemaNode
from docscore.metrics.typed.comparators import ReadingComparator, comparator
from docscore.metrics.typed.readers import ascii_form
from docscore.metrics.typed.schema import compiled_schema, named_places
from docscore.metrics.typed.schema_warnings import places_by_schema, warnings_about_schemas
from docscore.schemas.suggestion import (
    SPECIMENS,
    FieldValues,
    SuggestedField,
    ground_truths_of,
    other_meaning,
    suggested_fields,
    values_of,
)

_PLACEHOLDERS = {
    "null",
    "none",
    "n/a",
    "na",
    "nan",
    "nil",
    "-",
    "--",
    "?",
    "unknown",
    "not available",
    "not applicable",
}


_NAMES = 2000  # the most distinct texts of a field that are compared with each other


_SHORTEST_NAME = 6  # the fewest characters of a name


_ALIKE = 0.88  # the least similarity of two spellings of a name


_OFTEN = 3  # the other spelling occurs at least this many times as often


_COMMON = 20  # at least this many times as many objects have the other key


_SHORTEST_KEY = 4  # the fewest letters of a key


_Case = tuple[str, str, str, str]  # the kind, the place and the text of a finding, and the id of a document


class Finding(NamedTuple):
    """The result of a check in one field.

    Attributes:
        kind: the name of the check, such as "empty alternative".
        place: the path of the field; "" for whole documents.
        cases: the number of values or documents that are affected.
        text: a sentence that says what is wrong.
        ids: the ids of some of the documents.
    """

    kind: str
    place: str
    cases: int
    text: str
    ids: tuple[str, ...] = ()


def findings_table(findings: Iterable[Finding]) -> Table:
    """Return the table of findings about ground truths."""
    return table_of(
        "Findings",
        findings,
        text_column("kind", "finding", kind="text"),
        text_column("place", "field"),
        value_column("cases", "cases"),
        text_column("text", "what", kind="text"),
        value_column("ids", "documents", lambda ids: shown_name(", ".join(ids)), kind="code"),
        unit="findings",
    )


def lint(references: Any, *, schema: Any = None, **options: Any) -> list[Finding]:
    """Check ground truths: types and keys against a schema, alternatives, duplicates, notations, spellings of names.

    Args:
        references: the ground truths, as for `docscore.evaluate`.
        schema: their JSON Schema, as for `docscore.evaluate`: a dict, the path of a file or of a folder with one schema
            per document, or a pydantic model class; None for no schema.
        options: options of `docscore.evaluate` that say how the references are read, such as `id_column`, `ignore_keys`
            and `schema_by`.

    Returns:
        The findings, worst first: wrong values, rare values, then notations; within each, the most frequent first.

    Raises:
        TypeError, ValueError: for ground truths that cannot be read or whose ids occur twice, and for a schema that
            names none of their fields.

    >>> [finding.kind for finding in lint({"a": {"sum": ("", "5")}, "b": {"sum": "n/a"}})]
    ['empty alternative', 'placeholder']
    """
    check_options(options)
    pairs, progress = ground_truths_of(references, {"schema": schema, **options}), progress_from(None)
    source = CompareOptions(schema=schema).schema
    if source is not None and source.folder:
        source = replace(source, names=pairs.schema_of_row)
    twice = [name for name, count in Counter(pairs.ids).items() if count > 1]
    cases = [
        *(("duplicate id", "", "an id of several rows", name) for name in twice),
        *_document_cases(pairs, progress),
    ]
    findings = list(_field_findings(values_of(pairs, progress), progress, unread=schema is None))
    if source is not None:
        places = places_by_schema(zip(pairs.ids, pairs.truths, strict=True), source)
        warn_all(warnings_about_schemas(places, source))
        for text, rows in grouped((source.schema_of(name), row) for row, name in enumerate(pairs.ids)).items():
            part, root = pairs.only(rows), compiled_schema(text, source.functions)
            cases += [*_schema_cases(part, text), *_key_cases(part, root)]
            mistyped = {(place, name) for kind, place, _, name in cases if kind == "schema: type"}
            findings += _comparator_findings(values_of(part), root, mistyped)
            findings = [
                each
                for each in findings
                if each.kind != "several types" or not mistyped.issuperset((each.place, name) for name in each.ids)
            ]
    for (kind, place, sentence), names in grouped((case[:3], case[3]) for case in cases).items():
        findings.append(Finding(kind, place, len(names), sentence, tuple(dict.fromkeys(names))[:SPECIMENS]))
    return sorted(findings, key=lambda finding: (_RANKS.get(finding.kind, 0), -finding.cases))


_RANKS = {  # kinds about rare values, which may be wrong, and about notations; values of other kinds are wrong
    **dict.fromkeys(["unread", "rare key", "several types", "spelling", "duplicate row", "duplicate document"], 1),
    **dict.fromkeys(["placeholder", "white space", "JSON text", "several notations", "capital letters"], 2),
}


def _document_cases(pairs: TestSet, progress: Progress) -> Iterator[_Case]:
    """Yield empty acceptable answers, equal rows in one list, and equal ground truths of two documents."""
    nothing = "an empty text, null, list or object among the acceptable answers, so a missing value is right"
    first: dict[str, str] = {}
    rows = zip(pairs.ids, pairs.truths, strict=True)
    for name, truth in watched(rows, progress, "Checking", len(pairs.ids)):
        for path, value in places_in(truth):
            if isinstance(value, tuple) and len(value) > 1 and any(part in ("", None, [], {}) for part in value):
                yield "empty alternative", field_path(path), nothing, name
            if isinstance(value, list) and any(isinstance(part, dict) for part in value):
                surplus = len(value) - len(set(map(_json_text, value)))
                place = f"{field_path(path)}[]"
                yield from [("duplicate row", place, "equal to an earlier row of its list", name)] * surplus
        text = _json_text(truth)
        if first.setdefault(text, name) != name and text not in ("null", "[]", "{}"):
            yield "duplicate document", "", "the same ground truth as an earlier document", name


def _json_text(value: Any) -> str:
    return dumps_strictly(to_json(value))


def _field_findings(values: FieldValues, progress: Progress, *, unread: bool) -> Iterator[Finding]:
    """Yield findings about the values of each field, with `unread` including values that its comparator cannot read.

    Notations and unreadable values are checked only if a comparator is suggested for the field.
    """
    suggested = suggested_fields(values, progress)
    for path, part, _ in values.walk():
        if len(part.kinds) > 1:
            *_, (rare, count) = part.kinds.most_common()
            several = ", ".join(f"{number:,} {kind}" for kind, number in part.kinds.most_common())
            sentence = f"values of several types: {several}; {rare} is the rarest"
            yield Finding("several types", path, count, sentence, tuple(part.holders[rare]))
        yield from _rare_keys(path, part)
        for (kind, sentence), chosen in _DOUBTFUL_TEXTS.items():
            yield from _text_findings(kind, path, part, filter(chosen, part.texts), sentence)
        yield from _spellings(path, part)
        if path in suggested and suggested[path].compare != "text":
            yield from _notations(path, part, suggested[path], unread=unread)


_DOUBTFUL_TEXTS: dict[tuple[str, str], Callable[[str], bool]] = {
    ("placeholder", "texts that mean no value; use null instead"): lambda t: t.strip().casefold() in _PLACEHOLDERS,
    ("white space", "texts that begin or end with white space"): lambda t: t != t.strip(),
    ("JSON text", "texts that are JSON, which is compared as text"): is_json_container,
}


def _text_findings(kind: str, path: str, field: FieldValues, texts: Iterable[str], sentence: str) -> Iterator[Finding]:
    """Yield a finding about these texts of a field if there are any."""
    chosen = list(texts)
    if chosen:
        shown = ", ".join(map(short_repr, chosen[:SPECIMENS]))
        ids = tuple(dict.fromkeys(field.documents[text] for text in chosen))[:SPECIMENS]
        yield Finding(kind, path, sum(field.texts[text] for text in chosen), f"{sentence}: {shown}", ids)


def _rare_keys(path: str, field: FieldValues) -> Iterator[Finding]:
    """Yield keys of few objects that nearly equal a key of many others and never occur together with it."""
    present = {key: part.present for key, part in field.keys.items()}
    often = [key for key, count in present.items() if count >= _COMMON]
    for key, count in present.items():
        for other in often if count * _COMMON <= max(present.values()) else ():
            apart = count + present[other] <= field.kinds["object"]
            if count * _COMMON <= present[other] and apart and _are_near(key, other):
                sentence = f"{short_repr(key)} is nearly {short_repr(other)}, which {present[other]:,} objects have"
                ids = dict.fromkeys(chain.from_iterable(field.keys[key].holders.values()))
                yield Finding("rare key", path, count, sentence, tuple(ids)[:SPECIMENS])


def _are_near(key: str, other: str) -> bool:
    """Return whether two keys differ only in case, signs between words, or one letter."""
    left, right = (re.sub(r"[\W_]", "", each).casefold() for each in (key, other))
    same_digits = re.sub(r"\D", "", left) == re.sub(r"\D", "", right)
    return same_digits and OSA.distance(left, right) <= (min(len(left), len(right)) >= _SHORTEST_KEY)


def _spellings(path: str, field: FieldValues) -> Iterator[Finding]:
    """Yield rare texts that nearly equal a frequent one."""
    names = [text for text in field.texts if len(text) >= _SHORTEST_NAME and not re.search(r"\d", text)][:_NAMES]
    often = [name for name in names if field.texts[name] >= _OFTEN]
    rare = [name for name in names if field.texts[name] * _OFTEN <= max(field.texts.values())]
    if not (often and rare):
        return
    alike = process.cdist(rare, often, scorer=Levenshtein.normalized_similarity, score_cutoff=_ALIKE)
    for name, row in zip(rare, alike, strict=True):
        known = often[int(row.argmax())]
        if row.max() > 0 and name != known and field.texts[name] * _OFTEN <= field.texts[known]:
            sentence = f"{short_repr(name)} is nearly {short_repr(known)}, which occurs {field.texts[known]:,} times"
            yield Finding("spelling", path, field.texts[name], sentence, (field.documents[name],))


def _notations(path: str, field: FieldValues, suggested: SuggestedField, *, unread: bool) -> Iterator[Finding]:
    """Yield values in a rare notation and, with `unread`, values that the comparator cannot read."""
    compares: Any = comparator(suggested.compare, **suggested.settings)
    shapes: dict[str | None, Counter[str]] = {}
    for text, count in field.texts.items():
        shapes.setdefault(None if compares.read(text) is None else _shape(text), Counter())[text] += count
    unreadable = shapes.pop(None, Counter())
    if unread:
        yield from _text_findings("unread", path, field, unreadable, f"not {compares.name}, unlike the other values")
    if suggested.compare == "unit":
        units = {text: re.sub(r"\d[\d.,' ]*", "1 ", text) for text in field.texts}
        meant = Counter(letters for letters, _ in {(unit.casefold(), compares.read(unit)) for unit in units.values()})
        alike = (text for text, unit in units.items() if meant[unit.casefold()] > 1)
        yield from _text_findings("capital letters", path, field, alike, "units that differ only in capital letters")
    most, *others = sorted(shapes.values(), key=Counter.total, reverse=True) or [Counter()]
    usual = f"in a different notation than most, such as {short_repr(next(iter(most), ''))}"
    yield from _text_findings("several notations", path, field, chain.from_iterable(others), usual)


def _shape(text: str) -> str:
    """Return the notation of a text: one sign per run of digits or letters, without thousands separators."""
    without_groups = re.sub(r"(?<=\d)[.,' ](?=\d{3}(?!\d))", "", text.strip())
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", without_groups))


def _key_cases(pairs: TestSet, root: SchemaNode) -> Iterator[_Case]:
    """Yield rows without the key by which the schema pairs rows, or with the key of an earlier row."""
    key_of = {path: node.key for path, node in {"": root, **named_places(root)}.items() if node and node.key}
    places = ((name, *each) for name, truth in zip(pairs.ids, pairs.truths, strict=True) for each in places_in(truth))
    for name, path, rows in places:
        if path in key_of and isinstance(rows, list):
            keys = [row.get(key_of[path]) for row in rows if isinstance(row, dict)]
            given = [str(key) for key in keys if key not in (None, "")]
            place, lacking, surplus = f"{field_path(path)}[]", len(keys) - len(given), len(given) - len(set(given))
            yield from [("missing key", place, f"rows without their key {key_of[path]!r}", name)] * lacking
            yield from [
                ("repeated key", place, f"rows with the same {key_of[path]!r} as an earlier row", name)
            ] * surplus


def _comparator_findings(fields: FieldValues, root: SchemaNode, mistyped: set[tuple[str, str]]) -> Iterator[Finding]:
    """Yield values that the comparators of a schema cannot read, and different values that it treats as equal.

    Equal values are reported only if the comparator would not be suggested. Documents with a value of another type at
    this place are left out.
    """
    for place, values, node in fields.walk("", root):
        compares = node and node.comparator
        if not isinstance(compares, ReadingComparator):
            continue
        readings = ((compares.readings(text), text) for text in values.texts)
        identities = ((tuple(reading[:3:2] for reading in each), text) for each, text in readings)
        texts_of: Any = grouped((each if len(each) < 2 else None, text) for each, text in identities)  # noqa: PLR2004
        unread = f"cannot be read as {compares.name}, as the schema says"
        several = f"can be read in several ways as {compares.name}; a setting of the schema can choose one"
        for sentence, key in ((unread, ()), (several, None)):
            texts = [text for text in texts_of.pop(key, []) if (place, values.documents[text]) not in mistyped]
            yield from _text_findings("unread", place, values, texts, sentence)
        odd = sorted(number for number in values.numbers if compares.read(DecimalText(number)) is None)
        if odd:
            sentence = f"{unread}: {', '.join(odd[:SPECIMENS])}"
            yield Finding("unread", place, len(odd), sentence, tuple(values.holders["number"]))
        merged = [texts for texts in texts_of.values() if len(set(map(ascii_form, texts))) > 1]
        if merged and (other := other_meaning(values, compare=compares.label.partition(",")[0])):
            sentence = f"equal as {compares.name}, but each may be {[*other[1]][1]}"
            for texts in merged:
                yield from _text_findings("merged values", place, values, texts, sentence)


def _schema_cases(pairs: TestSet, schema: str) -> Iterator[_Case]:
    """Yield values that violate the schema, and keys that it does not name."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  as in `docscore.metrics.typed.schema`

    validator: Any = Draft202012Validator(_closed(json.loads(schema)))
    examples: dict[tuple[str, str], str] = {}
    for name, truth in zip(pairs.ids, pairs.truths, strict=True):
        for answer in truth if isinstance(truth, tuple) else (truth,):
            for error in validator.iter_errors(_first_answers(answer)):
                rule = "unknown key" if error.validator == "additionalProperties" else f"schema: {error.validator}"
                steps = ("[]" if isinstance(step, int) else step_text(step) for step in error.absolute_path)
                path = field_path("".join(steps))
                message = error.message
                for value in (error.instance, error.validator_value):
                    message = message.replace(repr(value), value_excerpt(value))
                yield rule, path, examples.setdefault((rule, path), f"such as: {message[:_LONGEST_MESSAGE]}"), name


def _first_answers(value: Any) -> Any:
    """Return a ground truth with the first acceptable answer in place of each one-of."""
    if isinstance(value, tuple):
        return _first_answers(value[0]) if value else None
    if isinstance(value, dict):
        return {key: _first_answers(part) for key, part in value.items()}
    return list(map(_first_answers, value)) if isinstance(value, list) else value


def _closed(schema: Any) -> Any:
    """Return the schema with `additionalProperties: false` on objects that leave it open."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: part if key in _VALUES else _closed(part) for key, part in schema.items()}
    if "properties" in schema and not schema.keys() & _OPEN:
        closed["additionalProperties"] = False
    return closed


_VALUES = ("enum", "const", "default", "examples", "required", "x-docscore")  # their contents are not schemas


_OPEN = {"additionalProperties", "unevaluatedProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref"}


_LONGEST_MESSAGE = 200
