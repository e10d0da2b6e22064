"""Convert the values of callers to plain types; errors name the place."""

import dataclasses
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from itertools import chain
from operator import is_, methodcaller
from typing import Any

import numpy as np
import numpy.typing as npt

from docscore.core.errors import DataWarning, Diagnostic, InputTypeError, InputValueError, Remedy, short_repr
from docscore.core.formatting import clipped, printable, text_excerpts
from docscore.core.numbers import (
    LONG_INTEGER,
    MOST_ZEROS,
    DecimalText,
    decimal_value,
    is_printable_integer,
    shortest_spelling,
    too_long_integer,
)
from docscore.core.runtime import call_with_fresh_stack, in_new_thread, warn

MAX_DEPTH = 200  # levels of lists, objects and inner one-ofs; this keeps all recursion far from Python's limit


ONE_OF = "$one_of"  # the JSON spelling of a one-of: an object with exactly this key

VALUE = "$value"  # the key of a value in an object that holds its confidence, citations or evidence too
CONFIDENCE = "$confidence"  # the key of its confidence


Scalar = str | bool | int | float


Value = None | Scalar | list["Value"] | dict[str, "Value"] | tuple["Value", ...]


Path = tuple[Any, ...]  # (path of the parent, key or index); () is the root


CONTAINERS = frozenset({dict, list, tuple})


SCALAR_TYPES = frozenset({str, bool, int, float, DecimalText})


LEAF_TYPES = SCALAR_TYPES | {type(None)}


_SURE_TYPES = LEAF_TYPES - {int}  # whose values are always plain; an integer may be too long to print


_KEY_TYPES = frozenset({str})


# Modes of reading a value. In a ground truth, tuples and {"$one_of": [...]} are options. In a record (a dataclass or
# a pydantic model), tuples are lists. In a value that is scored unread, the key `VALUE` is an error.
_PREDICTION, _TRUTH, _IN_RECORD, _UNREAD = 0, 1, 2, 4


class _WrappedError(Exception):
    """Signal that a value that is scored unread contains an object with the key `VALUE`."""


def is_empty(value: Value) -> bool:
    """Return whether the value is null, `""`, `[]` or `{}`."""
    return not value and not isinstance(value, (bool, int, float))


def holds_value(value: Any) -> bool:
    """Return whether a value is neither null or empty, nor a container of only such values.

    >>> holds_value({"total": None, "items": [{}]}), holds_value({"total": 0})
    (False, True)
    """
    if isinstance(value, dict | list | tuple):
        return any(map(holds_value, value.values() if isinstance(value, dict) else value))
    return value is not None and value != ""


def size(value: Value) -> int:
    """Return l_t(x), the number of scalars and nulls; a one-of counts as its largest option (paper, equation 6)."""
    if isinstance(value, tuple):
        return max(map(size, value))
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return 1
    return len(value) if LEAF_TYPES.issuperset(map(type, value)) else sum(map(size, value))


def hold_leaves(objects: Iterable[dict[str, Value]]) -> bool:
    """Return whether all values of all objects are scalars and nulls."""
    return LEAF_TYPES.issuperset(map(type, chain.from_iterable(map(dict.values, objects))))


def json_path(path: Path) -> str:
    """Return the path as text: `$.items[2]["unit price"]`.

    >>> json_path(((((), "items"), 2), "unit price"))
    '$.items[2]["unit price"]'
    """
    steps = []
    while path:
        path, step = path
        steps.append(step_text(step))
    return "$" + "".join(reversed(steps))


def step_text(step: str | int) -> str:
    """Return one step of a path as text: `.key`, `["odd key"]` or `[index]`."""
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isidentifier() else f"[{printable(json.dumps(step, ensure_ascii=False))}]"


def values_by_path(
    value: Value,
    path: str = "$",
    *,
    indices: bool = True,
    options_of: Callable[[tuple[Value, ...]], Sequence[Value]] = tuple,
) -> Iterator[tuple[str, Value]]:
    """Yield a value and all values in it with their paths, in their order; the options of a one-of share its path.

    Args:
        value: a plain value.
        path: its path.
        indices: whether paths have the indices of lists; otherwise all elements of a list have the step `[]`.
        options_of: returns the options of a one-of to visit.

    >>> [path for path, _ in values_by_path({"a": ("x", ["y"])})]
    ['$', '$.a', '$.a', '$.a', '$.a[0]']
    """
    waiting: list[tuple[str, Value]] = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        if type(value) in LEAF_TYPES:
            continue
        if isinstance(value, dict):
            waiting += [(path + step_text(key), part) for key, part in reversed(value.items())]
        elif isinstance(value, list):
            numbers = reversed(range(len(value)))
            waiting += [(f"{path}[{number if indices else ''}]", value[number]) for number in numbers]
        elif isinstance(value, tuple):
            waiting += [(path, option) for option in reversed(options_of(value))]


def containers_in(values: Iterable[object]) -> Iterator[Any]:
    """Yield the objects, lists and one-ofs among values and in them, in no particular order."""
    waiting = [*values]
    while waiting:
        part: Any = waiting.pop()
        if type(part) in CONTAINERS:
            yield part
            waiting += part.values() if type(part) is dict else part


def parts_in(values: Collection[object]) -> Iterator[Any]:
    """Return an iterator over values and all values in them, level by level, which is faster than row by row."""
    return chain.from_iterable(_levels_of(values))


def _levels_of(level: Collection[Any]) -> Iterator[Collection[Any]]:
    while level:
        yield level
        containers = (part for part in level if type(part) in CONTAINERS)
        level = [*chain.from_iterable(part.values() if type(part) is dict else part for part in containers)]


def field_path(steps: str) -> str:
    """Return the path of a field from its steps: `items[].price` for `.items[].price`, `$` for the whole value."""
    return steps.removeprefix(".") or "$"


_INDEX = re.compile(r'\[\d+\]|(\["(?:[^"\\]|\\.)*"\])')  # an index, or a quoted key, which is kept


def field_of(path: str) -> str:
    """Return a path that begins with `$` as the path of a field, without list indices."""
    return field_path(_INDEX.sub(lambda step: step[1] or "[]", path.removeprefix("$")))


def places_in(value: Value, path: str = "") -> Iterator[tuple[str, Value]]:
    """Yield all values in a ground truth with paths such as `.items[].price`; one-ofs add no step to a path."""
    return values_by_path(value, path, indices=False)


def convert_ground_truth(value: object, reading: int = _TRUTH) -> Value:
    """Convert a ground truth to plain types, with one-ofs as tuples.

    Raises:
        TypeError, ValueError: for a value that cannot be scored, naming the path.
    """
    try:
        return _plain(value, (), 1, reading)
    except RecursionError:
        return in_new_thread(_plain, value, (), 1, reading)


def convert_prediction(value: object, reading: int = _PREDICTION) -> Value:
    """Convert a prediction to plain types; errors as for `convert_ground_truth`."""
    try:
        return _plain(value, (), 1, reading)
    except RecursionError:
        return in_new_thread(_plain, value, (), 1, reading)


def plain_pair(gt: object, pred: object) -> tuple[Value, Value]:
    """Convert a ground truth and a prediction to plain types, and warn about unread content; errors as above."""
    truth, prediction, found = plain_pair_with_warnings(gt, pred)
    if type(prediction) is str:
        warn_of_json_text([(truth, prediction)])
    for warning in found:
        warn(warning)
    return truth, prediction


def plain_pair_with_warnings(gt: object, pred: object) -> tuple[Value, Value, Iterable[DataWarning]]:
    """Convert a pair that is scored without further reading, and return warnings about its unread content.

    Most pairs are two objects or two lists. They need a further check only if a conversion finds the key `VALUE`.
    """
    try:
        truth, prediction = convert_ground_truth(gt, _TRUTH | _UNREAD), convert_prediction(pred, _UNREAD)
        is_sure = type(truth) is type(prediction) is not str
    except _WrappedError:
        truth, prediction, is_sure = convert_ground_truth(gt), convert_prediction(pred), False
    return truth, prediction, () if is_sure else [*warnings_about_unread(truth, prediction)]


def warn_of_json_text(pairs: Sequence[Any]) -> None:
    """Warn if all ground truths of pairs are JSON text, and a prediction is text that may contain JSON."""
    if any(may_hold_json(pred) for _, pred in pairs) and all(_is_json_text(gt) for gt, _ in pairs):
        problem = "the texts of both sides are JSON, which is compared character by character"
        advice = "to compare the values in it, read both with json.loads, or use docscore.evaluate with {} and {}"
        options = ("parse", "json"), ("parse_references", "json")
        warn(DataWarning("JSON as text", Diagnostic(problem=problem, remedy=Remedy(advice, options))))


def warnings_about_unread(truth: Value, prediction: Value) -> Iterator[DataWarning]:
    """Yield warnings about a text that contains JSON and about objects with the key `VALUE`, which are scored unread.

    >>> print(*warnings_about_unread({"total": "9"}, '{"total": "9"}'))
    prediction: a text that holds JSON never matches an object or a list; read it with json.loads, or use \
docscore.evaluate with parse="repair"
    """
    sides = ("prediction", "parse", prediction, truth), ("ground truth", "parse_references", truth, prediction)
    for place, option, value, other in sides if type(truth) is not type(prediction) else ():
        if _faces_container(value, other):
            problem = "a text that holds JSON never matches an object or a list"
            remedy = Remedy("read it with json.loads, or use docscore.evaluate with {}", ((option, "repair"),))
            yield DataWarning("text for objects", Diagnostic((place,), problem=problem, remedy=remedy))
    yield from warnings_about_wrapped([truth, prediction])


def warnings_about_wrapped(values: Iterable[Value]) -> Iterator[DataWarning]:
    """Yield a warning if one of the values is or contains an object with the key `VALUE`, which is scored unread."""
    if any(type(part) is dict and VALUE in part for part in containers_in(values)):
        problem = f"objects with the key {VALUE!r} are scored as objects, instead of the values in them"
        advice = "use docscore.evaluate to score the values; add {} if they have confidences"
        remedy = Remedy(advice, (("with_confidences", True),))
        yield DataWarning("wrapped values", Diagnostic(problem=problem, remedy=remedy))


def may_hold_json(value: object) -> bool:
    """Return whether a value is a text with a bracket."""
    return isinstance(value, str) and ("{" in value or "[" in value)


def _is_json_text(value: object) -> bool:
    """Return whether a text, or each of several acceptable texts, looks like JSON with brackets and quotes."""
    if isinstance(value, tuple):
        return bool(value) and all(map(_is_json_text, value))
    text = value.strip() if isinstance(value, str) else ""
    return '"' in text and text[0] + text[-1] in ("{}", "[]")


# The beginning of an object or a list: a key or a value follows. Brackets in prose, as in "[sic]" or "see [1]", do not
# match. A search takes linear time, since no two repeated parts match the same characters.
JSON_BEGINS = re.compile(
    r"""
    \{ \s* (?: /[/*][^{}]{0,200}?(?:\n|\*/) \s* )? (?: :? \s* \\?["'“”‘’] | \w+ ["']? \s* (?: [:：] | => ) )
    | \[ \s* (?: \\?["'“”‘’\[{] | (?: null | true | false | None | True | False ) \b )
    """,
    re.VERBOSE,
)
_NUMBERS = re.compile(r"\s*\[[-+\s\d.,eE]*\]?\s*\Z")


def _faces_container(value: Any, other: Any) -> bool:
    """Return whether a text, or one of several, seems to contain JSON and faces an object or a list without it."""
    if type(value) is tuple:
        return any(_faces_container(option, other) for option in value)
    options = other if type(other) is tuple else (other,)
    return (
        type(value) is str
        and any(type(option) in (dict, list) and value not in option for option in options)
        and value not in options
        and bool(JSON_BEGINS.search(value) or _NUMBERS.match(value))
    )


def to_json(value: Value, leaf: Callable[[Any], Any] | None = None, known: dict[int, Any] | None = None) -> Any:
    """Return the plain value with every one-of as `{"$one_of": [...]}`.

    Args:
        value: a plain value.
        leaf: converts each leaf; None to keep the leaves.
        known: a cache of converted containers by `id`, for values that share containers.
    """
    if not isinstance(value, tuple | list | dict):
        return value if leaf is None else leaf(value)
    if known is not None and id(value) in known:
        return known[id(value)]
    plain: Any
    if isinstance(value, tuple):
        plain = {ONE_OF: [to_json(option, leaf, known) for option in value]}
    elif isinstance(value, list):
        plain = [to_json(item, leaf, known) for item in value]
    else:
        plain = {key: to_json(item, leaf, known) for key, item in value.items()}
    if known is not None:
        known[id(value)] = plain
    return plain


def _plain(value: Any, path: Path, depth: int, reading: int) -> Value:  # noqa: C901, PLR0911  one branch per kind of value
    """Return the value in plain types; one that is plain already is not copied.

    Args:
        value: any value of the caller.
        path: its path, for messages.
        depth: its level; the root has level 1.
        reading: `_PREDICTION` or `_TRUTH`; plus `_IN_RECORD` in a record; plus `_UNREAD` for a value scored unread.
    """
    kind = type(value)
    if kind in LEAF_TYPES:
        return value if kind is not int else _printable(value, path)
    if depth > MAX_DEPTH:
        raise InputValueError(place=json_path(path), problem=f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, tuple) and not reading & _IN_RECORD:
        return _plain_options(value, path, depth, reading)
    if kind is list:
        if _are_plain(value) or (depth < MAX_DEPTH and _are_records(value, reading)):
            return value  # type: ignore[no-any-return]
        plain = [
            item if type(item) in _SURE_TYPES else _plain(item, (path, index), depth + 1, reading)
            for index, item in enumerate(value)
        ]
        return value if all(map(is_, plain, value)) else plain
    if kind is not dict:
        inside = reading | _IN_RECORD if _is_record(value) else reading
        return _plain(_as_json_type(value, path), path, depth, inside)
    if ONE_OF in value and reading & _TRUTH:
        return _plain_options(_marked_options(value, path), path, depth, reading)
    if reading & _UNREAD and VALUE in value:
        raise _WrappedError
    if not _KEY_TYPES.issuperset(map(type, value)):
        value = {_plain_key(key, path): item for key, item in value.items()}
    if _are_plain(value.values()):
        return value  # type: ignore[no-any-return]
    parts = {
        key: _plain(item, (path, key), depth + 1, reading)
        for key, item in value.items()
        if type(item) not in _SURE_TYPES
    }
    return value if all(value[key] is part for key, part in parts.items()) else {**value, **parts}


def _printable(value: int, path: Path) -> int:
    """Return an integer; raise `ValueError` if Python does not print it."""
    if not is_printable_integer(value):
        raise too_long_integer(json_path(path))
    return value


def _are_plain(values: Collection[Any]) -> bool:
    """Return whether all values are scalars and nulls, and no integer among them is long."""
    if _SURE_TYPES.issuperset(map(type, values)):
        return True
    if not LEAF_TYPES.issuperset(map(type, values)):
        return False
    integers = [value for value in values if type(value) is int]  # a generator takes several times as long
    return min(integers) > -LONG_INTEGER and max(integers) < LONG_INTEGER


def _are_records(items: list[Any], reading: int) -> bool:
    """Return whether all items are plain objects of scalars and nulls, as the rows of a table are."""
    if {*map(type, items)} != {dict} or not _are_plain([*chain.from_iterable(map(dict.values, items))]):
        return False
    are_texts = _KEY_TYPES.issuperset(map(type, chain.from_iterable(items)))
    is_wrapped = reading & _UNREAD and VALUE in chain.from_iterable(items)
    return are_texts and not is_wrapped and not (reading & _TRUTH and ONE_OF in set().union(*items))


def _plain_options(options: tuple[Any, ...], path: Path, depth: int, reading: int) -> tuple[Value, ...]:
    if not reading & _TRUTH:
        raise InputValueError(
            place=json_path(path),
            expected="a list",
            got="a tuple",
            problem="Tuples are reserved for 1-of-n ground truths; a prediction holds a list instead",
        )
    if hasattr(options, "_fields"):
        raise _unexpected(options, path, " (a named tuple; give its _asdict())")
    if not options:
        raise InputValueError(
            place=json_path(path),
            expected="at least 1 valid ground truth option",
            got="an empty one-of",
            problem="Expected at least 1 valid ground truth option, got an empty one-of",  # begins as in the package
        )
    below = depth + 1 if path else depth  # a one-of around the whole value does not count as a level
    return tuple([_plain(option, (path, index), below, reading) for index, option in enumerate(options)])


def _marked_options(items: dict[Any, Any], path: Path) -> tuple[Any, ...]:
    """Return the options of `{"$one_of": [...]}` in a ground truth."""
    if len(items) > 1:
        others = ", ".join(repr(key) for key in items if key != ONE_OF)
        raise InputValueError(
            place=json_path(path), expected=f"{ONE_OF!r} as the only key of its object", got=f"{others} as well"
        )
    options = items[ONE_OF]
    if not isinstance(options, list | tuple):
        raise InputValueError(place=json_path((path, ONE_OF)), expected="a list of options", got=type(options).__name__)
    return tuple(options)


def _plain_key(key: object, path: Path) -> str:
    if not isinstance(key, str):
        raise InputTypeError(
            place=json_path(path), expected="a string as key", got=f"{type(key).__name__} {short_repr(key)}"
        )
    return str.__str__(key)


_CONVERSIONS: tuple[tuple[type | tuple[type, ...], Callable[[Any], object]], ...] = (
    ((list, tuple), list),
    (dict, dict),
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (Decimal, DecimalText),
    (date, methodcaller("isoformat")),  # of date and of its subclass datetime
)


def _as_json_type(value: object, path: Path) -> object:
    """Convert a value of a type that is not in JSON, or of a subclass of a JSON type, to a JSON type."""
    if isinstance(value, Enum):
        return value.value
    if type(value).__name__ in ("NAType", "NaTType"):  # of pandas, an optional package
        return None
    if isinstance(value, np.generic | np.ndarray):
        return _from_numpy(value, path)
    if _is_record(value):
        return _from_record(value, path)
    for kind, convert in _CONVERSIONS:
        if isinstance(value, kind):
            return convert(value)
    raise _unexpected(value, path)


def _from_numpy(value: np.generic | np.ndarray[Any, Any], path: Path) -> object:
    """Return the scalar or nested list.

    Date-times of any unit become ISO 8601 text. Floats of 16 and 32 bits get their shortest spelling, such as 0.1
    instead of 0.10000000149.
    """
    if value.dtype.kind == "M":
        return np.where(np.isnat(value), None, np.datetime_as_string(value)).tolist()  # type: ignore[call-overload]
    if value.dtype.name in ("float16", "float32"):
        value = value.astype(str).astype(np.float64)
    if value.dtype.names is not None or value.dtype.kind in "mV":
        raise _unexpected(value, path, f" of {value.dtype}")
    plain = value.tolist()
    if isinstance(plain, np.floating):  # a type more precise than Python's float
        return float(plain)
    if isinstance(plain, np.generic | np.ndarray):
        raise _unexpected(value, path, f" of {value.dtype}")
    return plain


def _is_record(value: object) -> bool:
    return not isinstance(value, type) and (dataclasses.is_dataclass(value) or hasattr(value, "model_dump"))


def _from_record(value: Any, path: Path) -> object:
    """Return the fields of a dataclass instance or of a pydantic model."""
    try:
        if dataclasses.is_dataclass(value):
            return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        dumped = value.model_dump()
    except Exception as error:  # the class may raise any error
        raise InputTypeError(
            place=json_path(path), problem=f"the fields of {type(value).__name__} cannot be read: {error}"
        ) from error
    if hasattr(dumped, "model_dump"):
        raise _unexpected(value, path)
    return dumped


def _unexpected(value: object, path: Path, more: str = "") -> InputTypeError:
    """Return the error for a value of a type that is not in JSON, with details of the type."""
    return InputTypeError(place=json_path(path), expected="a JSON value", got=type(value).__name__ + more)


Matrix = npt.NDArray[np.float64]


_WITHOUT_NUMBERS = frozenset({str, bool, type(None)})


def differs_by_value(value: Any) -> bool:
    """Return whether a value contains, at any depth, a number whose text is not its shortest spelling.

    >>> differs_by_value({"a": [1000.0]}), differs_by_value({"a": [1000, True, "1000.0"]})
    (True, False)
    """
    if type(value) in CONTAINERS:
        parts = value.values() if type(value) is dict else value
        return any(differs_by_value(part) for part in parts if type(part) not in _WITHOUT_NUMBERS)
    return type(value) is not str and scalar_text(value) != number_text(value)


def scalar_text(value: Scalar) -> str:
    """Return the text of a scalar for comparison: `str(value)`.

    >>> scalar_text(1.0), scalar_text(True), scalar_text("007")
    ('1.0', 'True', '007')
    """
    return value if isinstance(value, str) else str(value)


def number_text(value: Scalar) -> str:
    """Return the text of a scalar for comparison by value: a number in its shortest decimal spelling.

    >>> number_text(1000.0), number_text(True), number_text("1000.0")
    ('1000', 'True', '1000.0')
    """
    if isinstance(value, bool) or (isinstance(value, str) and not isinstance(value, DecimalText)):
        return scalar_text(value)
    text = scalar_text(value)
    if not isinstance(value, str) and len(text) <= MOST_ZEROS and not text.strip("-.0123456789"):
        return text.removesuffix(".0") if value else "0"  # most numbers print like this
    exact = decimal_value(value)
    return text if exact is None else shortest_spelling(exact)


_LONGEST_EXCERPT = 60  # characters of a value that are shown

_BEFORE_DIFFERENCE = 20  # characters to show before the first difference of two long texts


def value_excerpt(value: Value) -> str:
    """Return the value as JSON in one line, shortened, with one-ofs as `a | b`."""
    return clipped(value_text(value), _LONGEST_EXCERPT)


def paired_excerpts(truth: Value, prediction: Value) -> tuple[str, str]:
    """Return both values as JSON, shortened so that their first difference stays visible."""
    return text_excerpts(value_text(truth), value_text(prediction), _LONGEST_EXCERPT, _BEFORE_DIFFERENCE)


def value_text(value: Value) -> str:
    """Return the value as JSON in one line, with one-ofs as `a | b`."""
    if isinstance(value, tuple):
        return " | ".join(map(value_text, value))
    return printable(call_with_fresh_stack(lambda: json.dumps(to_json(value), ensure_ascii=False)))
