"""Move the evidence of ground truths and the citations of predictions out of values, without changing them.

`docscore.grounding.interpretation` interprets them as regions.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError, at_place, row_place, short_repr
from docscore.core.runtime import call_with_fresh_stack
from docscore.core.values import CONFIDENCE, VALUE, Value, containers_in, convert_prediction, step_text, values_by_path
from docscore.inputs.json_text import JsonError, loads
from docscore.inputs.test_set import TestSet

EVIDENCE, CITATIONS = "$evidence", "$citations"  # the keys of the regions of a value, in an object with `VALUE`
_MARKS = frozenset((EVIDENCE, CITATIONS, VALUE))

Raw = dict[str, Any]  # uninterpreted regions, by path
Form = Callable[[Any], tuple[Any, Raw]]  # returns the values of a prediction, and its citations


class Wrapper(NamedTuple):
    """The keys of an object around a value and its regions.

    Attributes:
        value: the key of the value.
        regions: the key of the regions.
        others: other keys that the object may have.
        kept: the key that stays with the value; "" if none does.
    """

    value: str
    regions: str
    others: frozenset[str]
    kept: str = ""


AT_TRUTHS = Wrapper(VALUE, EVIDENCE, frozenset())
AT_PREDICTIONS = Wrapper(VALUE, CITATIONS, frozenset({CONFIDENCE}), CONFIDENCE)


def with_raw_regions(pairs: TestSet, form: Form | None) -> TestSet:
    """Return rows with the evidence and citations moved out of the values of both sides, by path in each row.

    Args:
        pairs: the rows, after texts were read.
        form: removes the citations from predictions in the form of a provider; None for the format of docscore.

    Raises:
        ValueError: for invalid wrappers around values; if no prediction has citations in the form.
    """
    if pairs.places is not None or (form is None and not has_key(chain(pairs.truths, pairs.predictions), _MARKS)):
        return pairs
    truths, evidence = _split_regions(pairs, "truths", pairs.evidence, AT_TRUTHS)
    if form is not None:
        answers = [form(prediction) for prediction in pairs.predictions]
        beside = [own or cell for (_, own), cell in zip(answers, cells_of_column(pairs, pairs.citations), strict=True)]
        if not any(own for _, own in answers):
            raise InputValueError(
                place="citations_from", expected="predictions with citations in this format", got="none"
            )
        pairs = replace(pairs, predictions=[value for value, _ in answers], citations=beside)
    predictions, citations = _split_regions(pairs, "predictions", pairs.citations, AT_PREDICTIONS)
    return replace(pairs, truths=truths, predictions=predictions, evidence=evidence, citations=citations)


def without_ignored(pairs: TestSet, given: TestSet) -> TestSet:
    """Return rows without the raw regions of parts that were removed from their values.

    Args:
        pairs: the rows ready to be scored.
        given: the rows before parts of their values were removed.
    """
    evidence, citations = (
        cells and [_at_scored_parts(*row) for row in zip(pairs.ids, cells, before, after, strict=True)]
        for cells, before, after in (
            (pairs.evidence, given.truths, pairs.truths),
            (pairs.citations, given.predictions, pairs.predictions),
        )
    )
    return replace(pairs, evidence=evidence, citations=citations)


def _at_scored_parts(name: str, cell: Any, before: Value, after: Value) -> Any:
    """Return the raw regions of a row, without regions at paths that only the value `before` has."""
    try:
        plain = plain_cell(cell)
    except (TypeError, ValueError) as error:
        raise at_place(row_place(name), error) from None
    if isinstance(plain, list):
        return [_at_scored_parts(name, each, before, after) for each in plain]
    if not isinstance(plain, dict):
        return plain
    known, kept = ({path for path, _ in values_by_path(value)} for value in (before, after))
    return {path: raw for path, raw in full_paths(plain).items() if path in kept or path not in known}


def has_regions(pairs: TestSet) -> bool:
    """Return whether rows have evidence or citations, in columns or with each value."""
    if pairs.evidence is not None or pairs.citations is not None:
        return True
    marks = frozenset((EVIDENCE, CITATIONS))
    return has_key(pairs.truths, marks) or has_key(pairs.predictions, marks)


# Regions given with each value


def cells_of_column(pairs: TestSet, column: Sequence[Any] | None) -> Sequence[Any]:
    """Return a column of raw regions; if there is no column, an empty cell for each row."""
    return column or [None] * len(pairs.ids)


def _split_regions(
    pairs: TestSet, side: str, beside: Sequence[Any] | None, wrapper: Wrapper
) -> tuple[Sequence[Any], Sequence[Any] | None]:
    """Return the values of a side without the regions in them, and all regions of each row."""
    values = getattr(pairs, side)
    if not has_key(values, _MARKS):
        return values, beside
    plain, cells = [], []
    for name, value, cell in zip(pairs.ids, values, cells_of_column(pairs, beside), strict=True):
        try:
            parts = answers_with_regions(value, cell, wrapper)
        except ValueError as error:
            raise at_place(row_place(name), error) from None
        answers, merged = [answer for answer, *_ in parts], [own | other for _, own, other in parts]
        plain.append(tuple(answers) if isinstance(value, tuple) else answers[0])
        cells.append(merged if wrapper is AT_TRUTHS else merged[0])
    return plain, cells


def answers_with_regions(value: Any, cell: Any, wrapper: Wrapper) -> list[tuple[Any, Raw, Raw]]:
    """Return each acceptable answer of a value, the regions in it, and its regions in the column, by full paths.

    Args:
        value: the value; a tuple holds acceptable answers.
        cell: the regions in the column of its row.
        wrapper: the keys around values with regions.

    Raises:
        ValueError: for invalid wrappers.
    """
    parts = [without_regions(each, wrapper) for each in (value if isinstance(value, tuple) else (value,))]
    given = plain_cell(cell)
    others = given if isinstance(given, list) and len(given) == len(parts) else [given] * len(parts)
    return [
        (*part, full_paths(other) if isinstance(other, dict) else {}) for part, other in zip(parts, others, strict=True)
    ]


def has_key(values: Iterable[Any], keys: AbstractSet[str]) -> bool:
    """Return whether any object among or inside values has at least one of the keys."""
    return any(type(part) is dict and not keys.isdisjoint(part) for part in containers_in(values))


def without_regions(value: Any, wrapper: Wrapper) -> tuple[Any, Raw]:
    """Return a value without the regions in it, and these regions by path; raise `ValueError` for invalid wrappers.

    >>> without_regions({"total": {"$value": "9", "$citations": [{"page": 2}]}}, AT_PREDICTIONS)
    ({'total': '9'}, {'$.total': [{'page': 2}]})
    """
    found: Raw = {}
    marks = _MARKS if wrapper.value == VALUE else frozenset((wrapper.regions,))
    if not has_key([value], marks):
        return value, found

    def plain(value: Any, path: str) -> Any:
        if isinstance(value, list):
            return [plain(item, f"{path}[{index}]") for index, item in enumerate(value)]
        if isinstance(value, tuple):
            return tuple([plain(option, path) for option in value])
        if not isinstance(value, dict):
            return value
        if {wrapper.value, wrapper.regions} <= value.keys() <= {wrapper.value, wrapper.regions, *wrapper.others}:
            found[path] = [*found.get(path, []), *listed(value[wrapper.regions])]
            inner = plain(value[wrapper.value], path)
            return {VALUE: inner, wrapper.kept: value[wrapper.kept]} if wrapper.kept in value else inner
        is_confidence = wrapper.kept and value.keys() <= {VALUE, wrapper.kept}
        if marks is _MARKS and not marks.isdisjoint(value) and not is_confidence:
            expected = f"an object with exactly the keys {VALUE!r} and {wrapper.regions!r}"
            raise InputValueError(place=path, expected=expected, got=short_repr(list(value)))
        return {key: plain(part, path + step_text(key)) for key, part in value.items()}

    return call_with_fresh_stack(plain, value, "$"), found


# Regions by path


def plain_cell(cell: Any) -> Any:
    """Return the cell of a column of regions in plain types, None if it is empty; text, as in CSV, is read as JSON."""
    if (isinstance(cell, str | list | tuple | None) and not cell) or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, str):
        with suppress(JsonError):
            return loads(cell)
    return convert_prediction(list(cell) if isinstance(cell, tuple) else cell)


def listed(given: Any) -> list[Any]:
    """Return the regions of one path as a list without nulls."""
    return [item for item in (given if isinstance(given, list) else [given]) if item is not None]


def full_paths(raw: Raw) -> Raw:
    """Return regions by paths that begin with `$`, as docscore prints them."""
    begins = {"$": "", "[": "$"}
    return {begins.get(path[:1], "$.") + path: given for path, given in raw.items()}
