"""What is doubtful of ground truths: against their schema, and against each other."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from docscore.core.errors import short_repr
from docscore.core.options import SchemaSource
from docscore.core.values import step_text, to_json
from docscore.data.json_text import dumps_strictly, is_json_container
from docscore.evaluation.suggestion import FieldValues, SuggestedField, read_ground_truths, suggested_fields, values_of
from docscore.metrics.anls_star.causes import places, shown_path
from docscore.metrics.typed.comparators import comparator
from docscore.metrics.typed.score import typed_tree

SPECIMENS = 3
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
_NAMES = 2000  # distinct texts of a field that are compared with each other
_SHORTEST_NAME = 6  # characters
_ALIKE = 0.88  # the least similarity of two spellings of a name
_OFTEN = 3  # how many times more often the other spelling occurs


_Documents = Sequence[tuple[str, Any]]  # ids and ground truths
_Case = tuple[str, str, str, str]  # the kind, the place and the text of a finding, and the id of a document


class Finding(NamedTuple):
    """One kind of doubt at one place.

    Attributes:
        kind: its name, such as "empty alternative".
        place: the path of the field; "" for whole documents.
        cases: how many values or documents it is about.
        text: a sentence.
        ids: some of the documents.
    """

    kind: str
    place: str
    cases: int
    text: str
    ids: tuple[str, ...] = ()


def lint(references: Any, *, schema: Any = None) -> list[Finding]:
    """Check ground truths: types and keys against a schema, alternatives, duplicates, notations, spellings of names.

    Args:
        references: the ground truths, as for `docscore.evaluate`.
        schema: their JSON Schema, as for `docscore.evaluate`: a dict, the path of a file or of a folder with one schema
            a document, or a pydantic model class; None for none.

    Returns:
        What was found, that of most values first.

    Raises:
        TypeError, ValueError: for ground truths that cannot be read, among them ids that occur twice.

    >>> [finding.kind for finding in lint({"a": {"sum": ("", "5")}, "b": {"sum": "n/a"}})]
    ['empty alternative', 'placeholder']
    """
    ids, truths = read_ground_truths(references, {})
    rows = list(zip(ids, truths, strict=True))
    cases = [("duplicate id", "", "an id of several rows", name) for name, count in Counter(ids).items() if count > 1]
    cases += _of_documents(rows)
    if schema is not None:
        cases += _against_schema(rows, SchemaSource.of(schema))
    found = [*_gathered(cases), *_of_fields(values_of(ids, truths), unread=schema is None)]
    return sorted(found, key=lambda finding: -finding.cases)


def _places(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All values of a ground truth with their paths; alternatives stand at the place of their one-of."""
    yield shown_path(path), value
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _places(part, path + step_text(key))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _places(part, f"{path}[]" if isinstance(value, list) else path)


def _gathered(cases: Iterable[_Case]) -> Iterator[Finding]:
    """A finding for all cases of one kind, place and sentence."""
    ids: dict[tuple[str, str, str], list[str]] = {}
    for kind, place, sentence, name in cases:
        ids.setdefault((kind, place, sentence), []).append(name)
    for (kind, place, sentence), names in ids.items():
        yield Finding(kind, place, len(names), sentence, tuple(dict.fromkeys(names))[:SPECIMENS])


def _of_documents(rows: _Documents) -> Iterator[_Case]:
    """Empty answers among the acceptable ones, equal rows in one list, and ground truths that are those of others."""
    nothing = "an empty text, null, list or object among acceptable answers: a missing value is right"
    first: dict[str, str] = {}
    for name, truth in rows:
        for path, value in _places(truth):
            if isinstance(value, tuple) and len(value) > 1 and any(part in ("", None, [], {}) for part in value):
                yield "empty alternative", path, nothing, name
            if isinstance(value, list) and any(isinstance(part, dict) for part in value):
                surplus = len(value) - len(set(map(_text_of, value)))
                yield from [("duplicate row", f"{path}[]", "equal to a row before it in its list", name)] * surplus
        text = _text_of(truth)
        if first.setdefault(text, name) != name and text not in ("null", "[]", "{}"):
            yield "duplicate document", "", "the same ground truth as a document before", name


def _text_of(value: Any) -> str:
    return dumps_strictly(to_json(value))


def _of_fields(values: FieldValues, *, unread: bool) -> Iterator[Finding]:
    """Doubts about the values of one field by themselves, and with `unread` about those that do not read as the others.

    Several notations, and values that do not read, are those of a field for which a comparator is suggested.
    """
    suggested = suggested_fields(values)
    for path, field in values.walk():
        kinds = {"number" if kind == "integer" else kind: count for kind, count in field.kinds.items()}
        if len(kinds) > 1:
            *_, (rare, count) = Counter(kinds).most_common()
            several = ", ".join(f"{number:,} {kind}" for kind, number in Counter(kinds).most_common())
            yield Finding("several types", path, count, f"values of several types: {several}; {rare} is the rarest")
        for (kind, sentence), chosen in _DOUBTFUL_TEXTS.items():
            yield from _of_texts(kind, path, field, filter(chosen, field.texts), sentence)
        yield from _spellings(path, field)
        if path in suggested and suggested[path].compare != "text":
            yield from _notations(path, field, suggested[path], unread=unread)


_DOUBTFUL_TEXTS: dict[tuple[str, str], Callable[[str], bool]] = {
    ("placeholder", "texts that stand for no value; null says so"): lambda t: t.strip().casefold() in _PLACEHOLDERS,
    ("white space", "texts that begin or end with white space"): lambda t: t != t.strip(),
    ("JSON text", "texts that are JSON, which is compared as text"): is_json_container,
}


def _of_texts(kind: str, path: str, field: FieldValues, texts: Iterable[str], sentence: str) -> Iterator[Finding]:
    """A finding about some texts of a field; none about no texts."""
    chosen = list(texts)
    if chosen:
        shown = ", ".join(map(short_repr, chosen[:SPECIMENS]))
        ids = tuple(dict.fromkeys(field.documents[text] for text in chosen))[:SPECIMENS]
        yield Finding(kind, path, sum(field.texts[text] for text in chosen), f"{sentence}: {shown}", ids)


def _spellings(path: str, field: FieldValues) -> Iterator[Finding]:
    """Rare spellings that are nearly those of a name that occurs often."""
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
    """Whether values of one comparator are written in several ways, and with `unread` what it cannot read."""
    compares: Any = comparator(suggested.compare, **suggested.settings)
    shapes: dict[str | None, Counter[str]] = {}
    for text, count in field.texts.items():
        shapes.setdefault(None if compares.read(text) is None else _shape(text), Counter())[text] += count
    unreadable = shapes.pop(None, Counter())
    if unread:
        yield from _of_texts("unread", path, field, unreadable, f"not {compares.name}, as the others are")
    most, *others = sorted(shapes.values(), key=Counter.total, reverse=True) or [Counter()]
    usual = f"written otherwise than most, such as {short_repr(next(iter(most), ''))}"
    yield from _of_texts("several notations", path, field, chain.from_iterable(others), usual)


def _shape(text: str) -> str:
    """How a text is written: a sign for each run of digits and of letters, without separators of thousands."""
    without_groups = re.sub(r"(?<=\d)[.,' ](?=\d{3}(?!\d))", "", text.strip())
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", without_groups))


def _against_schema(rows: _Documents, source: SchemaSource) -> Iterator[_Case]:
    """What the schema does not allow, keys that it does not have, and values that its comparators cannot read."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  as in `docscore.metrics.typed.schema`

    validators: dict[str, Any] = {}
    examples: dict[tuple[str, str], str] = {}
    for name, truth in rows:
        text = source.schema_of(name)
        if text not in validators:
            validators[text] = Draft202012Validator(_closed(json.loads(text)))
        for answer in truth if isinstance(truth, tuple) else (truth,):
            for error in validators[text].iter_errors(_first_answers(answer)):
                rule = "unknown key" if error.validator == "additionalProperties" else f"schema: {error.validator}"
                steps = ("[]" if isinstance(step, int) else step_text(step) for step in error.absolute_path)
                path = shown_path("".join(steps))
                sentence = examples.setdefault((rule, path), f"such as: {error.message[:_LONGEST_MESSAGE]}")
                yield rule, path, sentence, name
        first = _first_answers(truth)
        for path, node, _ in places(typed_tree(first, first, SchemaSource({"": text}))):
            if node.unreadable and not node.children:
                yield "unread", path, f"cannot be read as the schema says: {node.compared}", name


def _first_answers(value: Any) -> Any:
    """A ground truth with the first of the acceptable answers everywhere."""
    if isinstance(value, tuple):
        return _first_answers(value[0]) if value else None
    if isinstance(value, dict):
        return {key: _first_answers(part) for key, part in value.items()}
    return [_first_answers(part) for part in value] if isinstance(value, list) else to_json(value)


def _closed(schema: Any) -> Any:
    """The schema, whose objects may have no other keys than those that it names, unless it says so."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: part if key in _VALUES else _closed(part) for key, part in schema.items()}
    if "properties" in schema and not schema.keys() & _OPEN:
        found["additionalProperties"] = False
    return found


_VALUES = ("enum", "const", "default", "examples", "required", "x-docscore")  # what they hold is no schema
_OPEN = {"additionalProperties", "unevaluatedProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref"}
_LONGEST_MESSAGE = 200
