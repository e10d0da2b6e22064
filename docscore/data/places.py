"""Read the evidence of ground truths and the citations of predictions, beside values or at them.

Faults of evidence are errors. Citations were written by a model: faulty ones are counted, stand for places that nothing
accepts, and are an error only if they are more than a twentieth of all.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from docscore.core.errors import Diagnostic, InputValueError, at_place, row_place, short_repr
from docscore.core.numbers import is_finite
from docscore.core.places import Box, Place, Places, PlacesByPath, values_by_path
from docscore.core.runtime import with_room_to_recurse
from docscore.core.similarity import nearest
from docscore.core.values import Value, convert_prediction, step_text
from docscore.data.content import CONFIDENCE, VALUE
from docscore.data.json_text import JsonError, loads
from docscore.data.test_set import TestSet

EVIDENCE, CITATIONS = "$evidence", "$citations"  # the keys of the places of a value, in an object with `VALUE`
_MARKS = frozenset((EVIDENCE, CITATIONS, VALUE))
_MOST_FAULTY = 0.05  # of all citations; with more of them, they are in another format
_BEYOND = 0.01  # of a page, by which a box may lie outside of it
_PARTS = ("page", "box", "boxes", "quote")
_NO_BOX = (0.0, 0.0, 0.0, 0.0)  # of a faulty citation
_CONTAINERS = frozenset((dict, list, tuple))
_EXPECTED = "an object with a list of places for each path"

Raw = dict[str, Any]  # what is given as places, by path
Form = Callable[[Any], tuple[Any, Raw]]  # returns the values of a prediction, and its citations


class Wrapper(NamedTuple):
    """The keys of an object around a value and its places.

    Attributes:
        value: the key of the value.
        places: the key of the places.
        others: the keys that it may have too.
        kept: the key that stays beside the value; "" if none does.
    """

    value: str
    places: str
    others: frozenset[str]
    kept: str = ""


AT_TRUTHS = Wrapper(VALUE, EVIDENCE, frozenset())
_AT_PREDICTIONS = Wrapper(VALUE, CITATIONS, frozenset({CONFIDENCE}), CONFIDENCE)


def with_places(
    pairs: TestSet, failed: Collection[int], form: Form | None, *, wanted: bool
) -> tuple[TestSet, list[Diagnostic]]:
    """Take the places out of the values of both sides, and read them with those beside the values.

    Args:
        pairs: the rows, after texts were read.
        failed: the numbers of the rows whose predictions could not be parsed.
        form: takes the citations out of predictions in the form of a provider; None for the format of docscore.
        wanted: whether a metric judges the places; otherwise they are not read.

    Returns:
        The rows, with `places` if they are wanted, and a remark if citations are faulty.

    Raises:
        ValueError: for faulty evidence, naming row, path and value; if more than a twentieth of citations are faulty.
    """
    if pairs.places is not None:
        return pairs, []
    truths, evidence = _taken_out(pairs, "truths", pairs.evidence, AT_TRUTHS)
    if form is not None:
        answers = [form(prediction) for prediction in pairs.predictions]
        beside = [own or cell for (_, own), cell in zip(answers, _cells(pairs, pairs.citations), strict=True)]
        if not any(own for _, own in answers):
            raise InputValueError(place="citations_from", expected="citations in predictions of this form", got="none")
        pairs = replace(pairs, predictions=[value for value, _ in answers], citations=beside)
    predictions, citations = _taken_out(pairs, "predictions", pairs.citations, _AT_PREDICTIONS)
    pairs = replace(pairs, truths=truths, predictions=predictions, evidence=evidence, citations=citations)
    return _read(pairs, failed) if wanted else (pairs, [])


def has_places(pairs: TestSet) -> bool:
    """Return whether rows have evidence or citations, beside their values or at them."""
    if pairs.evidence is not None or pairs.citations is not None:
        return True
    marks = frozenset((EVIDENCE, CITATIONS))
    return any(has_key(value, marks) for values in (pairs.truths, pairs.predictions) for value in values)


def _read(pairs: TestSet, failed: Collection[int]) -> tuple[TestSet, list[Diagnostic]]:
    """Read the places of all rows; arguments, result and errors are those of `with_places`."""
    places, faults, total, unused = [], list[Diagnostic](), 0, list[str]()
    cells = _cells(pairs, pairs.evidence), _cells(pairs, pairs.citations)
    for number, (name, *values, accepted, cell) in enumerate(
        zip(pairs.ids, pairs.truths, pairs.predictions, *cells, strict=True)
    ):
        try:
            evidence, several = evidence_of(values[0], _plain(accepted))
            cited = _plain(cell)
        except (TypeError, ValueError) as error:
            raise at_place(row_place(name), error) from None
        by_path = dict(values_by_path(values[0])) if any(evidence) else {}
        unused += [f"row {name!r}: {path}" for path in evidence[0] if type(by_path.get(path)) in (dict, list)]
        count = sum(map(len, map(_listed, cited.values()))) if isinstance(cited, dict) else cited is not None
        if values[1] is None or number in failed:
            places.append(Places(evidence, {}, left_out=count))
            continue
        total += count
        citations, wrong = _by_path("citations", cited, [values[1]], several or _has_several_pages([cited]))
        faults += [error.diagnostic.within(row_place(name)) for error in wrong]
        places.append(Places(evidence, citations, len(wrong)))
    remarks = []
    if faults:
        problem = f"{len(faults):,} of {total:,} citations are faulty and never accepted, such as that of {faults[0]}"
        remarks.append(Diagnostic(("predictions",), problem=problem))
    if unused:
        problem = f"places of objects and lists are not judged ({len(unused):,}), such as that of {unused[0]}"
        remarks.append(Diagnostic(("evidence",), problem=problem))
    if len(faults) > _MOST_FAULTY * total:
        remedy = "if they are in another format, --citations-from (citations_from=) reads those of providers"
        raise InputValueError(place="predictions", problem=problem, remedy=remedy)
    return replace(pairs, places=places, evidence=None, citations=None), remarks


# Places at values


def _cells(pairs: TestSet, column: Sequence[Any] | None) -> Sequence[Any]:
    return column or [None] * len(pairs.ids)


def _taken_out(
    pairs: TestSet, side: str, beside: Sequence[Any] | None, wrapper: Wrapper
) -> tuple[Sequence[Any], Sequence[Any] | None]:
    """Return the values of a side without the places in them, and the places of each row with those beside it."""
    values = getattr(pairs, side)
    if not any(has_key(value, _MARKS) for value in values):
        return values, beside
    plain, cells = [], []
    for name, value, cell in zip(pairs.ids, values, _cells(pairs, beside), strict=True):
        try:
            parts = answers_with_places(value, cell, wrapper)
        except ValueError as error:
            raise at_place(row_place(name), error) from None
        answers, merged = [answer for answer, *_ in parts], [own | other for _, own, other in parts]
        plain.append(tuple(answers) if isinstance(value, tuple) else answers[0])
        cells.append(merged if wrapper is AT_TRUTHS else merged[0])
    return plain, cells


def answers_with_places(value: Any, cell: Any, wrapper: Wrapper) -> list[tuple[Any, Raw, Raw]]:
    """Return each acceptable answer of a value with the places in it, and those beside it, by full paths.

    Args:
        value: the value; a tuple holds acceptable answers.
        cell: the places beside it.
        wrapper: the keys around values with places.

    Raises:
        ValueError: for wrong wrappers.
    """
    parts = [without_places(each, wrapper) for each in (value if isinstance(value, tuple) else (value,))]
    given = _plain(cell)
    others = given if isinstance(given, list) and len(given) == len(parts) else [given] * len(parts)
    return [
        (*part, _with_full_paths(other) if isinstance(other, dict) else {})
        for part, other in zip(parts, others, strict=True)
    ]


def has_key(value: Any, keys: AbstractSet[str]) -> bool:
    """Return whether an object in a value has one of some keys."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if type(part) is dict and not keys.isdisjoint(part):
            return True
        if type(part) in _CONTAINERS:
            waiting += part.values() if type(part) is dict else part
    return False


def without_places(value: Any, wrapper: Wrapper) -> tuple[Any, Raw]:
    """Return a value without the places at its parts, and these places by path; raise `ValueError` for wrong wrappers.

    >>> without_places({"total": {"$value": "9", "$citations": [{"page": 2}]}}, _AT_PREDICTIONS)
    ({'total': '9'}, {'$.total': [{'page': 2}]})
    """
    found: Raw = {}
    marks = _MARKS if wrapper.value == VALUE else frozenset((wrapper.places,))
    if not has_key(value, marks):
        return value, found

    def plain(value: Any, path: str) -> Any:
        if isinstance(value, list):
            return [plain(item, f"{path}[{index}]") for index, item in enumerate(value)]
        if isinstance(value, tuple):
            return tuple([plain(option, path) for option in value])
        if not isinstance(value, dict):
            return value
        if {wrapper.value, wrapper.places} <= value.keys() <= {wrapper.value, wrapper.places, *wrapper.others}:
            found[path] = [*found.get(path, []), *_listed(value[wrapper.places])]
            inner = plain(value[wrapper.value], path)
            return {VALUE: inner, wrapper.kept: value[wrapper.kept]} if wrapper.kept in value else inner
        is_confidence = wrapper.kept and value.keys() <= {VALUE, wrapper.kept}
        if marks is _MARKS and not marks.isdisjoint(value) and not is_confidence:
            expected = f"{VALUE!r} and {wrapper.places!r} as the keys of their object"
            raise InputValueError(place=path, expected=expected, got=short_repr(list(value)))
        return {key: plain(part, path + step_text(key)) for key, part in value.items()}

    return with_room_to_recurse(plain, value, "$"), found


def without_evidence(truth: Value) -> Value:
    """Return a ground truth without the evidence at its values; raise `ValueError` for wrong wrappers."""
    plain: Value = without_places(truth, AT_TRUTHS)[0]
    return plain


# Places by path


def _plain(cell: Any) -> Any:
    """Return the cell of a column of places in plain types, None if it is empty; text, as in CSV, is read as JSON."""
    if (isinstance(cell, str | list | tuple | None) and not cell) or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, str):
        with suppress(JsonError):
            return loads(cell)
    return convert_prediction(list(cell) if isinstance(cell, tuple) else cell)


def _listed(given: Any) -> list[Any]:
    """Return the places of one path as a list without nulls."""
    return [item for item in (given if isinstance(given, list) else [given]) if item is not None]


def _with_full_paths(raw: Raw) -> Raw:
    """Return places by paths as docscore prints them, from `$` on."""
    begins = {"$": "", "[": "$"}
    return {begins.get(path[:1], "$.") + path: given for path, given in raw.items()}


def evidence_of(truth: Value, raw: Any) -> tuple[list[PlacesByPath], bool]:
    """Return the evidence of a ground truth, once or for each acceptable answer, and if it has several pages.

    Raises:
        ValueError: for faulty evidence.
    """
    answers = list(truth) if isinstance(truth, tuple) else [truth]
    each = raw if isinstance(raw, list) else [raw]
    if len(each) not in (1, len(answers)):
        expected = f"one object for all {len(answers)} references or one for each"
        raise InputValueError(place="evidence", expected=expected, got=str(len(each)))
    several = _has_several_pages(each)
    values = [answers] if len(each) == 1 else [[answer] for answer in answers]
    read = [_by_path("evidence", given, of, several) for given, of in zip(each, values, strict=True)]
    for error in (error for _, wrong in read for error in wrong):
        raise error
    return [places for places, _ in read], several


def _has_several_pages(raws: Iterable[Any]) -> bool:
    """Return whether a place names a page beyond the first, so that a box without a page may be on any."""
    lists = [_listed(given) for raw in raws if isinstance(raw, dict) for given in raw.values()]
    pages: list[Any] = [place.get("page") for places in lists for place in places if isinstance(place, dict)]
    return any(_is_number(page) and page > 1 for page in pages)


def _by_path(kind: str, raw: Any, values: Sequence[Value], several: bool) -> tuple[PlacesByPath, list[InputValueError]]:
    """Return the places of each path, and the errors of faulty ones, for which places below page 1 stand.

    Args:
        kind: evidence or citations.
        raw: what is given.
        values: the value, or the acceptable answers, one of which must have the path.
        several: whether the document has several pages, as far as the row tells.
    """
    if not isinstance(raw, dict | None):
        return {}, [InputValueError(place=kind, expected=_EXPECTED, got=short_repr(raw))]
    given = {path: items for path, each in _with_full_paths(raw or {}).items() if (items := _listed(each))}
    known = {path for value in values for path, _ in values_by_path(value)} if given else set()
    places, errors = dict[str, list[Place]](), list[InputValueError]()
    for path, item in ((path, item) for path, items in given.items() for item in items):
        is_text = kind == "citations" and type(values[0]) is str
        meant = "; the prediction is text, which --parse json (parse=) reads" if is_text else _meant(path, known)
        expected = "" if path in known else f"a path of the value{meant}"
        expected = expected or next((name for name, holds in _RULES.items() if not holds(item)), "")
        if expected or (several and _boxes(item) and item.get("page") is None):
            expected = expected or "a page beside the box, as the document has several"
            errors.append(InputValueError(place=(kind, path), expected=expected, got=short_repr(item)))
            has_box = isinstance(item, dict) and (item.get("box") or item.get("boxes"))
            place = Place(-len(errors), (_NO_BOX,) if has_box else ())
        else:
            place = _place(item)
        places.setdefault(path, []).append(place)
    return places, errors


def _meant(path: str, known: Iterable[str]) -> str:
    return "".join(f", such as {name}" for name in nearest([path], known).values())


def _place(raw: Raw) -> Place:
    """Return a place that is given without a fault; its lines are sorted."""
    boxes, page = tuple(sorted({*_boxes(raw)})), raw.get("page")
    return Place(1 if boxes and page is None else page and int(page), boxes, raw.get("quote"))


def _boxes(raw: Raw) -> list[Box]:
    """Return the boxes of a place as fractions of the page."""
    width, height = raw.get("size") or (1.0, 1.0)
    return [
        (left / width, top / height, right / width, bottom / height) for left, top, right, bottom in _given_boxes(raw)
    ]


def _given_boxes(raw: Raw) -> Iterator[Any]:
    return (box for box in (raw.get("box"), *(raw.get("boxes") or ())) if box is not None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and is_finite(value)


def _are_numbers(value: Any, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(map(_is_number, value))


# What holds for a place, by what is expected of it; each rule may rely on those before.
_RULES: dict[str, Callable[[Any], bool]] = {
    f"an object with {', '.join(_PARTS[:-1])} or quote": lambda raw: (
        isinstance(raw, dict) and any(raw.get(part) is not None for part in _PARTS)
    ),
    "a box under the key 'box' (left, top, right, bottom) or 'boxes'": lambda raw: (
        not any("box" in name.lower() or "polygon" in name.lower() for name in raw.keys() - {*_PARTS})
    ),
    "a page counted from 1": lambda raw: (
        raw.get("page") is None or (_is_number(raw["page"]) and raw["page"] >= 1 and raw["page"] % 1 == 0)
    ),
    "a quote that is text": lambda raw: isinstance(raw.get("quote"), str | None),
    "a size of two numbers above 0, width and height": lambda raw: (
        raw.get("size") is None or (_are_numbers(raw["size"], 2) and min(raw["size"]) > 0)
    ),
    "a list of boxes": lambda raw: isinstance(raw.get("boxes"), list | None),
    "a box of four numbers: left, top, right, bottom": lambda raw: all(
        _are_numbers(box, 4) for box in _given_boxes(raw)
    ),
    "a box whose left and top are not beyond right and bottom": lambda raw: all(
        left <= right and top <= bottom for left, top, right, bottom in _boxes(raw)
    ),
    "a box on its page, as fractions of it or with the size of the page": lambda raw: all(
        -_BEYOND <= edge <= 1 + _BEYOND for box in _boxes(raw) for edge in box
    ),
}
