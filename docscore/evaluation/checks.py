"""Checks that need scores or schemas: keys or layouts that change the score, and schemas that do not fit."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import ceil
from typing import Any

import numpy as np

from docscore.core.errors import NAMED, DataWarning, Diagnostic, Remedy, short_repr, some_of
from docscore.core.formatting import counted, printable
from docscore.core.schema_source import SchemaSource
from docscore.core.values import VALUE, holds_value
from docscore.inputs.checks import FEWEST_WITH_KEYS, NEARLY_ALL, are_alike, first_truths, keys_of_one_side
from docscore.inputs.confidences import NAMES, PLAIN
from docscore.inputs.content import without_keys
from docscore.inputs.test_set import TestSet
from docscore.metrics.typed.schema_warnings import check_compared, warnings_about_notations, warnings_about_schemas

_EXAMINED = 100  # rows whose values are compared
_MOST_SCORED = 1_000  # rows whose score is measured
_LEAST_CHANGE = 0.001  # smallest change of a score that gives a warning
# warnings about objects around values
_EXPLAINED = ("confidences as values", "form of a provider", "other keys next to confidences")


@dataclass
class Measure:
    """The first rows of a test set, with their score as they are and with changed values.

    Args:
        test_set: the rows.
        score_of: a function that returns the score of rows.
    """

    test_set: TestSet
    score_of: Callable[[TestSet], float]

    @cached_property
    def rows(self) -> TestSet:
        """The rows that are scored."""
        return self.test_set.part(range(min(len(self.test_set.ids), _MOST_SCORED)))

    @cached_property
    def score(self) -> float:
        """The score of the rows as they are."""
        return self.score_of(self.rows)

    def change(self, changed: TestSet, how: str) -> tuple[float, str]:
        """Return the gain in score that changed rows bring, and the part of a sentence that states both scores."""
        score = self.score_of(changed)
        some = "" if len(self.rows.ids) == len(self.test_set.ids) else f"of the first {_MOST_SCORED:,} rows "
        return score - self.score, f"{how} the score {some}is {score:.3f}, not {self.score:.3f}"

    def with_values(self, changed: Callable[[Any], Any], sides: Collection[str]) -> TestSet:
        """Return the rows with changed values on some sides, without confidences, evidence and citations."""
        columns = {"references": "truths", "predictions": "predictions"}
        values: dict[str, Any] = {
            columns[side]: [
                tuple(map(changed, value)) if isinstance(value, tuple) else changed(value)
                for value in getattr(self.rows, columns[side])
            ]
            for side in sides
        }
        return replace(self.rows, **values, confidences=None, evidence=None, citations=None, places=None)

    @cached_property
    def pairs(self) -> list[tuple[Any, Any]]:
        """The first acceptable answer and the prediction of each of these rows."""
        return list(islice(zip(first_truths(self.test_set), self.test_set.predictions, strict=True), _MOST_SCORED))

    @cached_property
    def differing(self) -> "list[_Facing]":
        """The parts that `facing_parts` yields for the first rows, without equal parts."""
        return [part for pair in self.pairs[:_EXAMINED] for part in facing_parts(*pair, only_differing=True)]


_Path = tuple[str | None, ...]  # the keys that lead to a value; None for the elements of a list
_Facing = tuple[_Path, Any, Any]


def facing_parts(value: Any, other: Any, path: _Path = (), *, only_differing: bool = False) -> Iterator[_Facing]:
    """Yield the parts in which two values are not both objects or both lists, if both parts hold values."""
    if only_differing and value == other:
        return
    if isinstance(value, dict) and isinstance(other, dict) and not value.keys().isdisjoint(other):
        for key, part in value.items():
            yield from facing_parts(part, other.get(key), (*path, key), only_differing=only_differing)
    elif isinstance(value, list) and isinstance(other, list):
        for part, faced in zip(value, other, strict=False):
            yield from facing_parts(part, faced, (*path, None), only_differing=only_differing)
    elif holds_value(value) and holds_value(other):
        yield path, value, other


def warnings_about_points(measure: Measure, asked: Callable[[], Collection[str]]) -> Iterator[DataWarning]:
    """Yield warnings about keys, wrapped values, names and notations that change the score.

    Args:
        measure: the rows. Keys and names are checked only if the rows are a full test set.
        asked: a function that returns the keys that a schema names.
    """
    if measure.test_set.is_full and len(measure.test_set.ids) >= FEWEST_WITH_KEYS:
        yield from _warnings_about_keys(measure, asked)
        yield from _warnings_about_names(measure)
    yield from _warnings_about_notations(measure)
    if not any(warning.kind in _EXPLAINED for warning in measure.test_set.warnings):
        yield from _warnings_about_wrapped(measure)


# Keys on one side only


def _warnings_about_keys(measure: Measure, asked: Callable[[], Collection[str]]) -> Iterator[DataWarning]:
    """Yield warnings about keys that only one side has, and about keys that have other names on the two sides."""
    predicted, expected = keys_of_one_side(measure.test_set)
    if expected:
        named = asked()
        expected = [key for key in expected if key not in named]
    renamed = {key: other for other in expected if (key := _renamed(measure.pairs, other, predicted)) is not None}
    if renamed:
        rows = measure.with_values(lambda value: _with_names(value, renamed), ["predictions"])
        gain, scores = measure.change(rows, "with the same keys")
        if gain >= _LEAST_CHANGE:
            pairs = [f"{short_repr(key)} for {short_repr(other)}" for key, other in renamed.items()]
            problem = f"nearly all have equal values under different keys, {', '.join(pairs[:NAMED])}; {scores}"
            diagnostic = Diagnostic(("predictions",), problem=problem, remedy="rename the keys on one side")
            yield DataWarning("renamed keys", diagnostic)
    sides = {"predictions": (predicted, "ground truth"), "references": (expected, "prediction")}
    for side, (found, other) in sides.items():
        keys = [key for key in found if key not in renamed and key not in renamed.values()]
        gain, scores = measure.change(without_keys(measure.rows, keys), "without them") if keys else (0, "")
        if gain >= _LEAST_CHANGE:
            problem = f"nearly all have keys that no {other} has, {some_of(keys)}; {scores}"
            remedy = _remedy_for_keys(keys) if side == "predictions" else "check that the model was asked for them"
            yield DataWarning(f"keys of {side} alone", Diagnostic((side,), problem=problem, remedy=remedy))


def _remedy_for_keys(keys: Sequence[str]) -> Remedy:
    """Return the options that ignore keys that only predictions have, or that read them as confidences."""
    options: list[tuple[str, Any]] = [("ignore_keys", printable(",".join(keys)))]
    text = "if these keys are not answers, leave them out with {}"
    if beside := next((key for key in NAMES if key in keys), ""):
        text += f"; {{}} reads {beside!r} as confidences"
        options.append(("with_confidences", True))
    return Remedy(text, tuple(options))


_FEWEST_EQUAL = 3  # different values; it is less likely that two fields share three by chance than one


def _renamed(pairs: Sequence[tuple[Any, Any]], key: str, others: Sequence[str]) -> str | None:
    """Return the prediction key whose values match those of a ground truth key in at least half of the rows."""
    both = [pair for pair in pairs if all(isinstance(value, dict) for value in pair) and holds_value(pair[0].get(key))]
    for other in others:
        equal = [truth[key] for truth, value in both if _as_text(truth[key]) == _as_text(value.get(other))]
        if len({*map(_as_text, equal)}) >= _FEWEST_EQUAL and 2 * len(equal) >= len(both):
            return other
    return None


def _as_text(value: Any) -> str:
    return str(value).casefold()


def _with_names(value: Any, names: dict[str, str]) -> Any:
    return {names.get(key, key): part for key, part in value.items()} if isinstance(value, dict) else value


# Values inside objects or lists

_SCORE_VALUES = Remedy("add {} to score the values alone", (("with_confidences", True),))
_FEWEST_WRAPPED = 3  # fields with the same key around their values, if other fields do not have it
_LEAST_WRAPPED = 1 / 3  # of the rows
_FIRST = 0  # the key of the value in a list of one element, or of two if the second is a confidence
_OF_THINGS = "name"  # the key of one part among several, such as a part of an address
_NO_PAIR = object()  # the key of a value in any other list


def _warnings_about_wrapped(measure: Measure) -> Iterator[DataWarning]:
    """Yield a warning about objects or lists on one side that wrap values that are unwrapped on the other side."""
    if not any(isinstance(part, dict | list) for _, *both in measure.differing for part in both):
        return
    for side, other in (("predictions", "ground truths"), ("references", "predictions")):
        pairs = [pair[:: -1 if side == "predictions" else 1] for pair in measure.pairs if not are_alike(*pair)]
        key, paths, examples = _wrapper(pairs)
        given = sum(prediction is not None for _, prediction in measure.pairs)
        if key in (None, _OF_THINGS) or len(examples) < _LEAST_WRAPPED * given:
            continue
        inner = "their first elements" if key == _FIRST else f"the values under {short_repr(key)}"
        rows = measure.with_values(lambda value: _unwrapped(value, key, paths), [side])  # noqa: B023  called here
        gain, scores = measure.change(rows, f"with {inner}")
        if gain >= _LEAST_CHANGE:
            problem = (
                f"{len(examples):,} of {given:,} wrap values in objects or lists, such as {short_repr(examples[0])}, "
                f"unlike the {other}; {scores}"
            )
            is_read = side == "references" or measure.test_set.options.with_confidences
            are_pairs = all(isinstance(each, dict) and each.keys() == PLAIN for each in examples)
            unwrap = Remedy("unwrap the values; for JSON, {} can do this", ((f"{side}_query", ...),))
            remedy = _SCORE_VALUES if are_pairs and not is_read else unwrap
            yield DataWarning("wrapped values", Diagnostic((side,), problem=problem, remedy=remedy))
            break


def _wrapper(pairs: Sequence[tuple[Any, Any]]) -> tuple[Any, set[_Path], list[Any]]:
    """Find the key that wraps at least three fields of a side, or all of them.

    Args:
        pairs: the value on the side to check and the value on the other side, for each row.

    Returns:
        The key, or None if there is none; the paths of its fields; one object or list with the key from each row.
    """
    paths: dict[Any, set[_Path]] = {}
    examples: dict[Any, dict[int, Any]] = {}
    equal: Counter[Any] = Counter()
    everywhere: set[_Path] = set()
    for number, (value, other) in enumerate(pairs):
        for path, part, faced in facing_parts(value, other):
            everywhere.add(path)
            for key in _keys_around(part, faced, is_root=not path):
                paths.setdefault(key, set()).add(path)
                examples.setdefault(key, {}).setdefault(number, part)
                equal[key] += key is not _NO_PAIR and _as_text(part[key]) == _as_text(faced)
    if _NO_PAIR in paths:
        paths.pop(_FIRST, None)
    found = [
        key
        for key, fields in paths.items()
        if key is not _NO_PAIR and (len(fields) >= _FEWEST_WRAPPED or fields == everywhere)
    ]
    if not found:
        return None, set(), []
    key = max(found, key=lambda each: (equal[each], len(paths[each])))
    return key, paths[key], [*examples[key].values()]


def _keys_around(value: Any, other: Any, *, is_root: bool) -> list[Any]:
    """Return the keys under which an object or a list may hold the value that is unwrapped on the other side."""
    if isinstance(value, dict):
        is_document = is_root and (len(value) == 1 or isinstance(other, dict | list))  # other checks are about these
        return [] if is_document or VALUE in value else [key for key, part in value.items() if _fits(part, other)]
    if isinstance(value, list) and value and not isinstance(other, dict | list) and not is_root:
        is_single = len(value) == 1 and not isinstance(value[0], dict | list)
        return [_FIRST if is_single or _has_confidence(value) else _NO_PAIR]
    return []


def _fits(part: Any, other: Any) -> bool:
    """Return whether a part of an object has the same kind as a value on the other side."""
    if part is None:
        return False
    if isinstance(part, dict) and isinstance(other, dict):
        return not part.keys().isdisjoint(other)
    return [isinstance(part, kind) for kind in (dict, list)] == [isinstance(other, kind) for kind in (dict, list)]


def _has_confidence(value: list[Any]) -> bool:
    """Return whether a list is a value and a number from 0 to 1. Two such numbers may be coordinates instead."""
    are_shares = [type(part) in (int, float) and 0 <= part <= 1 for part in value]
    return are_shares == [False, True] and not isinstance(value[0], dict | list)


def _unwrapped(value: Any, key: Any, paths: Collection[_Path], path: _Path = ()) -> Any:
    """Return a value whose objects or lists at some paths are replaced by the value under a key."""
    if path in paths and isinstance(value, list if key == _FIRST else dict):
        return value[key] if value and (key == _FIRST or key in value) else value
    if isinstance(value, dict):
        return {name: _unwrapped(part, key, paths, (*path, name)) for name, part in value.items()}
    return [_unwrapped(part, key, paths, (*path, None)) for part in value] if isinstance(value, list) else value


# Names and values


def _warnings_about_names(measure: Measure) -> Iterator[DataWarning]:
    """Yield a warning about lists whose items have the same names in nearly all documents."""
    for path, key, names in _named_lists(measure.pairs):
        lists = [(_at(truth, path), _at(prediction, path)) for truth, prediction in measure.pairs]
        parts = _parts_beside([pair for pair in lists if all(_names(items, key) == names for items in pair)], key)
        rows = measure.with_values(
            lambda value: _as_object(value, path, key, parts),  # noqa: B023  called here
            ["references", "predictions"],
        )
        gain, scores = measure.change(rows, "with these names as keys") if parts else (0, "")
        if abs(gain) >= _LEAST_CHANGE:
            where = short_repr("".join(f"{step}." for step in path)[:-1] + "[]." * bool(path) + key)
            problem = (
                f"the names under {where} are the same on both sides in nearly all documents, and are scored; {scores}"
            )
            remedy = "write each list as one object, {name: value}"
            yield DataWarning("names and values", Diagnostic(problem=problem, remedy=remedy))


def _named_lists(pairs: Sequence[tuple[Any, Any]]) -> Iterator[tuple[_Path, str, frozenset[str]]]:
    """Yield the path, the key and the names of lists whose items have the same names in nearly all documents.

    The function tries the names in the first and in the last ground truth.
    """
    allowed = len(pairs) - ceil(NEARLY_ALL * len(pairs))
    found: set[_Path] = set()
    for path, items in (each for truth in (pairs[0][0], pairs[-1][0]) for each in _lists_in(truth)):
        for key in items[0] if path not in found else ():
            names = _names(items, key)
            others = (pair for pair in pairs if any(_names(_at(value, path), key) != names for value in pair))
            if len(names) > 1 and next(islice(others, allowed, None), None) is None:
                found.add(path)
                yield path, key, names
                break


def _lists_in(value: Any, path: _Path = ()) -> Iterator[tuple[_Path, list[Any]]]:
    """Yield the lists of objects in a value, without lists inside other lists."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _lists_in(part, (*path, key))
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        yield path, value


def _at(value: Any, path: _Path) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _names(items: Any, key: str) -> frozenset[str]:
    """Return the texts under a key of the items of a list, if these texts are different words."""
    given = items if isinstance(items, list) else []
    found = [item[key] for item in given if isinstance(item, dict) and isinstance(item.get(key), str)]
    are_words = len({*found}) == len(given) and all(any(map(str.isalpha, name)) for name in found)
    return frozenset(found if are_words else ())


def _parts_beside(pairs: Sequence[tuple[Any, Any]], key: str) -> list[str]:
    """Return the keys of items, other than the key of their names, that hold values.

    The values of a key differ for at least one name. If a key has equal values on both sides, keys that have none, such
    as ids of items, hold no values.
    """
    values: dict[str, set[tuple[str, str]]] = {}
    equal: set[str] = set()
    for items, predicted in pairs:
        facing = {item[key]: item for item in predicted}
        for item in items:
            for other in item.keys() - {key}:
                values.setdefault(other, set()).add((item[key], _as_text(item[other])))
                if _as_text(facing.get(item[key], {}).get(other)) == _as_text(item[other]):
                    equal.add(other)
    names = {name for found in values.values() for name, _ in found}
    held = [other for other in pairs[0][0][0] if len(values.get(other, ())) > len(names)]
    return [other for other in held if other in equal] or held


def _as_object(value: Any, path: _Path, key: str, parts: Sequence[str]) -> Any:
    """Return a value in which one object of names and values replaces the list at a path."""
    if path and isinstance(value, dict):
        step, *steps = path
        return {
            name: _as_object(part, tuple(steps), key, parts) if name == step else part for name, part in value.items()
        }
    if path or not _names(value, key):
        return value
    if len(parts) == 1:
        return {item[key]: item.get(parts[0]) for item in value}
    return {item[key]: {part: item[part] for part in parts if part in item} for item in value}


# Notations from libraries for tables

_BY_VALUE = (
    re.compile(r"(-?\d+)\.0"),
    re.compile(r"(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)?"),
)
_DAY = 86_400_000  # milliseconds
_OFTEN = 1 / 3  # share of the values of a field, and at least two values


def _warnings_about_notations(measure: Measure) -> Iterator[DataWarning]:
    """Yield a warning about fields whose texts have ".0" or midnight if the other side has only the number or date.

    Libraries for tables write integers and dates like this, and dates also as milliseconds since 1970. Other JSON
    numbers are not checked here: `score_by_value` reports their effect.
    """
    for side, other, turn in (("references", "predictions", 1), ("predictions", "ground truths", -1)):
        found: dict[_Path, list[tuple[str, str]]] = {}
        for path, *both in measure.differing:
            part, faced = both[::turn]
            if alone := _alone(part, faced):
                found.setdefault(path, []).append((part, alone))
        if not found:
            continue
        counts = Counter(path for pair in measure.pairs[:_EXAMINED] for path, *_ in facing_parts(*pair))
        often = [path for path, texts in found.items() if len(texts) > 1 and len(texts) >= _OFTEN * counts[path]]
        if often:
            text, alone = found[often[0]][0]
            name = next((step for step in reversed(often[0]) if step is not None), "")
            problem = (
                f"{counted(len(often), 'field')} {'has' if len(often) == 1 else 'have'} the values of the {other} in "
                f"a different notation, such as {text!r} for {alone!r}{f' at {short_repr(name)}' if name else ''}, and "
                "texts are compared as they are"
            )
            remedy = Remedy("use one notation on both sides, or compare values with {}", (("schema", ...),))
            yield DataWarning("notations of tables", Diagnostic((side,), problem=problem, remedy=remedy))


def _alone(text: Any, other: Any) -> str:
    """Return the number or date in a text that a table library wrote, if it equals the other value; otherwise ""."""
    if type(text) is int and isinstance(other, str) and not text % _DAY:
        day = str(np.datetime64(text // _DAY, "D"))
        return day if other.startswith(day) else ""
    if not isinstance(text, str) or text[-1:] not in "0Z":
        return ""
    alone = next((match[1] for form in _BY_VALUE if (match := form.fullmatch(text))), "")
    return alone if alone == str(other) else ""


# Schemas


def warnings_about_typed(
    test_set: TestSet, places: Mapping[str, set[str]], schema: SchemaSource
) -> Iterator[DataWarning]:
    """Yield warnings about schemas that do not fit the ground truths, and about the notation of dates and numbers.

    Args:
        test_set: the rows.
        places: the places in the ground truths, by schema.
        schema: the schema or schemas.

    Raises:
        ValueError: if a schema names none of the fields, or if a comparator is for a list or an object.
    """
    check_compared(test_set.truths, schema)
    yield from warnings_about_schemas(places, schema)
    yield from warnings_about_notations(zip(test_set.ids, test_set.pairs, strict=True), schema)
