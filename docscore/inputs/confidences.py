"""Move the confidences of predictions out of values: given with each value, next to the fields, or in a column."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from docscore.core.errors import InputValueError, PlacePart, at_place, row_place, short_repr
from docscore.core.values import CONFIDENCE, VALUE, containers_in, step_text, values_by_path
from docscore.inputs.field_paths import dotted
from docscore.inputs.raw_regions import cells_of_column, plain_cell
from docscore.inputs.test_set import TestSet
from docscore.metrics.entities import checked_confidence

NAMES = ("confidence", "confidences")  # of keys next to the fields, and of columns
PLAIN = frozenset(("value", "confidence"))  # the keys of an object around a value and its confidence, without `$`
_PERCENT = 100
_MOST_BELOW = 1 / 20  # of confidences in percent, the share between 0 and 1; if more are, some are not in percent

Forms = dict[str, None]  # where confidences were found, in words


def with_confidences_apart(pairs: TestSet) -> TestSet:
    """Return rows whose confidences are moved out of the predictions; a column takes precedence over other forms.

    If a confidence exceeds 1 and none exceeds 100, all confidences of the test set are in percent. The result has them
    from 0 to 1.

    Raises:
        TypeError, ValueError: naming the row and the path, for confidences that are no such numbers or do not fit the
            fields, and if only some are in percent.
    """
    places, forms = places_of_values(pairs.truths, pairs.predictions), Forms()
    predictions, confidences = [], []
    for name, truth, prediction, cell in zip(
        pairs.ids, pairs.truths, pairs.predictions, cells_of_column(pairs, pairs.confidences), strict=True
    ):
        try:
            given = plain_cell(cell)
            value, sure = apart(prediction, truth, places, forms if given is None else Forms())
            if given is not None:
                sure, forms["a column"] = _in_structure(given, value), None
            confidences.append(mapped(sure, _number))
        except (TypeError, ValueError) as error:
            raise at_place(row_place(name), error) from None
        predictions.append(value)
    form = " and ".join(forms)
    numbers = [number for sure in confidences for _, number in values_by_path(sure) if isinstance(number, float)]
    if max(numbers, default=0) > 1:
        form += ", in percent"
        below = sum(0 < number < 1 for number in numbers)
        if below > _MOST_BELOW * len(numbers):
            raise _mixed(pairs.ids, confidences, f"{below:,} of {len(numbers):,} between 0 and 1")
        confidences = [mapped(sure, lambda number, _: number and number / _PERCENT) for sure in confidences]
    return replace(pairs, predictions=predictions, confidences=confidences, confidence_form=form)


def _mixed(ids: Iterable[str], confidences: Iterable[Any], others: str) -> InputValueError:
    """Return the error for the first confidence in percent among others from 0 to 1."""
    parts = ((name, *each) for name, sure in zip(ids, confidences, strict=True) for each in values_by_path(sure))
    name, path, first = next(part for part in parts if isinstance(part[-1], float) and part[-1] > 1)
    return InputValueError(
        place=f"{row_place(name)}: {path}",
        expected="all confidences from 0 to 1, or all in percent",
        got=f"{first:g}, and {others}",
    )


def _number(sure: Any, path: str) -> float | None:
    return checked_confidence(plain_cell(sure) if isinstance(sure, str) else sure, path, _PERCENT)


def mapped(sure: Any, number_of: Callable[[Any, str], Any], path: str = "$") -> Any:
    """Return a structure with each leaf replaced by the result of a function of the leaf and its path.

    >>> mapped({"a": [1, None]}, lambda leaf, path: f"{leaf} at {path}")
    {'a': ['1 at $.a[0]', 'None at $.a[1]']}
    """
    if isinstance(sure, dict):
        return {key: mapped(part, number_of, path + step_text(key)) for key, part in sure.items()}
    if isinstance(sure, list):
        return [mapped(part, number_of, path + step_text(index)) for index, part in enumerate(sure)]
    return number_of(sure, path)


def has_number(sure: Any) -> bool:
    """Return whether a structure contains a confidence."""
    return any(part is not None and not isinstance(part, dict | list) for _, part in values_by_path(sure))


def places_of_values(truths: Iterable[Any], predictions: Iterable[Any]) -> set[str] | None:
    """Return the paths, without indices, at which an object of a ground truth has the key "value".

    A prediction is not unwrapped there. The result is None if no object of a prediction is a value with its confidence.
    """
    if not any(part.keys() == PLAIN for part in objects_around(predictions)):
        return None
    parts = (each for truth in truths for each in values_by_path(truth, indices=False))
    return {path for path, part in parts if isinstance(part, dict) and "value" in part}


def objects_around(values: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects among and inside values that have the keys of a value and its confidence, without `$`."""
    return (part for part in containers_in(values) if type(part) is dict and part.keys() >= PLAIN)


def apart(prediction: Any, truth: Any, places: set[str] | None, forms: Forms) -> tuple[Any, Any]:
    """Split a prediction into its values and their confidences, given with each value or next to the fields.

    Raises:
        ValueError: for confidences next to the fields that do not have the structure of the fields.
    """
    values, sure = unwrapped(prediction, places, forms)
    answers = truth if isinstance(truth, tuple) else (truth,)
    expected = {key for answer in answers if isinstance(answer, dict) for key in answer}
    names = NAMES if isinstance(values, dict) else ()
    key = the_name([key for key in names if key in values and key not in expected], "$")
    if key is None:
        return values, sure
    fields = {name: value for name, value in values.items() if name != key}
    given = _in_structure(plain_cell(values[key]), fields)
    if has_number(values[key]) and not _fits(given, fields):
        raise InputValueError(
            place=f"$.{key}",
            expected="numbers in the structure of the fields",
            got=short_repr(values[key]),
        )
    forms["a key next to the fields"] = None
    return fields, given


def the_name(names: Sequence[str], place: PlacePart) -> str | None:
    """Return the one name of confidences, or None if there is none; raise `ValueError` if there are several."""
    if len(names) > 1:
        raise InputValueError(place=place, expected="confidences under one name", got=" and ".join(map(repr, names)))
    return names[0] if names else None


def _in_structure(sure: Any, value: Any) -> Any:
    """Return confidences whose keys may be paths, such as `items[0].price`, in the structure of a value."""
    if not isinstance(sure, dict) or not isinstance(value, dict) or sure.keys() <= value.keys():
        return sure
    by_path = {dotted(path): part for path, part in sure.items()}
    found = mapped(value, lambda _, path: by_path.get(dotted(path)))
    return {key: sure.get(key, part) for key, part in found.items()}


def _fits(sure: Any, value: Any) -> bool:
    """Return whether some confidences are for parts of a value, and lists have as many confidences as elements."""
    parts, at = dict[str, Any](values_by_path(sure)), dict[str, Any](values_by_path(value))
    lists = {path: part for path, part in parts.items() if isinstance(part, list)}
    have_length = all(isinstance(at.get(path), list) and len(at[path]) == len(part) for path, part in lists.items())
    leaves = (path for path, part in parts.items() if part is not None and not isinstance(part, dict | list))
    return have_length and not at.keys().isdisjoint(leaves)


def unwrapped(
    prediction: Any, places: set[str] | None = None, forms: Forms | None = None, path: str = "$"
) -> tuple[Any, Any]:
    """Split a prediction into its values and their confidences, in the same structure; None if a value has none.

    The confidence of an object or a list applies to the values in it that have none.

    Args:
        prediction: the prediction.
        places: as from `places_of_values`.
        forms: collects the forms in which confidences were found.
        path: the path of the prediction, without indices.

    Raises:
        ValueError: for an object with `$value` and keys other than `$confidence`.

    >>> unwrapped({"total": {"$value": "12.50", "$confidence": 0.93}, "date": "1 May"})
    ({'total': '12.50', 'date': '1 May'}, {'total': 0.93, 'date': None})
    """
    if isinstance(prediction, list):
        pairs = [unwrapped(item, places, forms, f"{path}[]") for item in prediction]
        return [value for value, _ in pairs], [sure for _, sure in pairs]
    if not isinstance(prediction, dict):
        return prediction, None
    if VALUE in prediction and (others := prediction.keys() - {VALUE, CONFIDENCE}):
        raise InputValueError(
            expected=f"an object with only {VALUE!r} and {CONFIDENCE!r}",
            got=short_repr(min(others, key=str)),
        )
    is_plain = "value" in prediction and prediction.keys() <= PLAIN and places is not None and path not in places
    if VALUE in prediction or is_plain:
        key, own = ("value", "confidence") if is_plain else (VALUE, CONFIDENCE)
        value, parts = unwrapped(prediction[key], places, forms, path)
        sure = prediction.get(own)
        if forms is not None and sure is not None:
            forms[f"{{{key}, {own}}}"] = None
        return value, mapped(parts, lambda part, _: sure if part is None else part) if has_number(parts) else sure
    parts = {name: unwrapped(item, places, forms, path + step_text(name)) for name, item in prediction.items()}
    return {name: value for name, (value, _) in parts.items()}, {name: sure for name, (_, sure) in parts.items()}
