"""The scored content of values: no confidences, no ignored keys, and null for words that mean no value."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np

from docscore.core.errors import InputValueError, at_place, row_place, short_repr
from docscore.core.options import ReadOptions
from docscore.core.runtime import call_with_fresh_stack
from docscore.core.values import VALUE
from docscore.inputs.test_set import TestSet

CONFIDENCE = "$confidence"  # the key of the confidence of the `VALUE` in the same object
BESIDE = ("confidence", "confidences")  # the keys that hold confidences next to the fields


def scored_content(pairs: TestSet, options: ReadOptions) -> TestSet:
    """Return the rows with the scored content of their values; confidences of the row itself take precedence.

    Raises:
        ValueError: naming the row, for confidences that do not fit the values.
    """
    truths, predictions, confidences = [], [], []
    of_rows = repeat(None, len(pairs.ids)) if pairs.confidences is None else pairs.confidences
    for name, truth, prediction, of_row in zip(pairs.ids, pairs.truths, pairs.predictions, of_rows, strict=True):
        try:
            expected, predicted, own = content_of(truth, prediction, options)
        except ValueError as error:
            raise at_place(row_place(name), error) from None
        truths.append(expected)
        predictions.append(predicted)
        confidences.append(own if of_row is None else of_row)
    has_any = options.with_confidences
    return replace(pairs, truths=truths, predictions=predictions, confidences=confidences if has_any else None)


def without_keys(rows: TestSet, keys: Sequence[str]) -> TestSet:
    """Return the rows without some keys of their values."""
    tree = _tree_of_keys(tuple(keys))
    truths, predictions = (
        [call_with_fresh_stack(_scored, value, tree, frozenset()) for value in column]
        for column in (rows.truths, rows.predictions)
    )
    return replace(rows, truths=truths, predictions=predictions)


def content_of(truth: Any, prediction: Any, options: ReadOptions) -> tuple[Any, Any, Any]:
    """Return the scored content of a ground truth and of a prediction, and the confidences of the predicted values.

    Args:
        truth: the ground truth; a tuple holds acceptable answers.
        prediction: the prediction.
        options: whether the prediction has confidences, which keys are ignored, and which texts mean null.

    Raises:
        ValueError: for confidences that do not fit the values.

    >>> options = ReadOptions(ignore_keys=("model",), absent_words=("n/a",))
    >>> content_of({"total": "9"}, {"total": "N/A", "model": "x"}, options)
    ({'total': '9'}, {'total': None}, None)
    """
    confidences = None
    if options.with_confidences:
        prediction, confidences = _without_confidences(prediction, truth)
    words = frozenset(word.casefold() for word in options.absent_words)
    if options.ignore_keys or words:
        tree = _tree_of_keys(options.ignore_keys)
        truth, prediction = (call_with_fresh_stack(_scored, value, tree, words) for value in (truth, prediction))
    return truth, prediction, confidences


_Keys = dict[str, Any]  # a tree of ignored keys: each key with the keys inside its value, or None to drop the value


@lru_cache(maxsize=1)  # all rows have the same keys
def _tree_of_keys(keys: tuple[str, ...]) -> _Keys:
    tree: _Keys = {}
    for key in keys:
        node: Any = tree
        *steps, last = path_of_key(key).split(".")
        for step in steps:
            node = {} if node is None else node.setdefault(step, {})
        tree[key] = None
        if node is not None:
            node[last] = None
    return tree


def path_of_key(key: str) -> str:
    """Return the path of an ignored key with only dots between its steps, without marks for lists."""
    return key.removeprefix("$.").removeprefix("[].").replace("[]", "")


def has_path(value: Any, path: str) -> bool:
    """Return whether a value has the last key of a path, which may lead through lists."""
    if isinstance(value, list | tuple):
        return any(has_path(item, path) for item in value)
    if not isinstance(value, dict) or path in value:
        return isinstance(value, dict)
    return "." in path and any(
        path.startswith(f"{key}.") and has_path(part, path[len(key) + 1 :]) for key, part in value.items()
    )


def _scored(value: Any, keys: _Keys, words: AbstractSet[str]) -> Any:
    """Return a value without ignored keys, and with null in place of some words."""
    if isinstance(value, str):
        return None if words and value.strip().casefold() in words else value
    if isinstance(value, list | tuple):
        return type(value)([_scored(item, keys, words) for item in value])
    if not isinstance(value, dict):
        return value
    kept = ((key, part, keys.get(key, _NO_KEYS)) for key, part in value.items())
    return {key: _scored(part, below, words) for key, part, below in kept if below is not None}


_NO_KEYS: _Keys = {}


def _without_confidences(prediction: Any, truth: Any) -> tuple[Any, Any]:
    """Split a prediction into its values and their confidences, given with each value or next to the fields.

    Raises:
        ValueError: for confidences next to the fields that are not numbers in the structure of the fields.
    """
    values, confidences = unwrapped(prediction)
    answers = truth if isinstance(truth, tuple) else (truth,)
    key = next((key for key in BESIDE if isinstance(values, dict) and key in values), None)
    if key is None or any(isinstance(answer, dict) and key in answer for answer in answers):
        return values, confidences
    beside, fields = values[key], {name: value for name, value in values.items() if name != key}
    if not _fits(beside, fields):
        raise InputValueError(
            place=f"$.{key}", expected="numbers from 0 to 1 in the same structure as the fields", got=short_repr(beside)
        )
    return fields, beside


def _fits(confidences: Any, value: Any) -> bool:
    """Return whether confidences are numbers in the structure of a value; one number applies to all its parts."""
    if isinstance(confidences, dict):
        is_object = isinstance(value, dict) and not value.keys().isdisjoint(confidences)
        return is_object and all(_fits(part, value.get(key)) for key, part in confidences.items())
    if isinstance(confidences, list):
        is_list = isinstance(value, list) and len(value) == len(confidences)
        return is_list and all(map(_fits, confidences, value))
    is_number = isinstance(confidences, int | float | np.floating) and not isinstance(confidences, bool)
    return confidences is None or (is_number and 0 <= confidences <= 1)


def unwrapped(prediction: Any) -> tuple[Any, Any]:
    """Split a prediction into its values and their confidences, in the same structure; None if a value has none.

    Raises:
        ValueError: for an object with `$value` and keys other than `$confidence`.

    >>> unwrapped({"total": {"$value": "12.50", "$confidence": 0.93}, "date": "1 May"})
    ({'total': '12.50', 'date': '1 May'}, {'total': 0.93, 'date': None})
    """
    if isinstance(prediction, dict):
        if VALUE in prediction:
            others = prediction.keys() - {VALUE, CONFIDENCE}
            if others:
                raise InputValueError(
                    expected=f"an object with only {VALUE!r} and {CONFIDENCE!r}",
                    got=short_repr(min(others, key=str)),
                )
            return prediction[VALUE], prediction.get(CONFIDENCE)
        parts = {key: unwrapped(item) for key, item in prediction.items()}
        values = {key: value for key, (value, _) in parts.items()}
        return values, {key: confidence for key, (_, confidence) in parts.items()}
    if isinstance(prediction, list):
        pairs = [unwrapped(item) for item in prediction]
        return [value for value, _ in pairs], [confidence for _, confidence in pairs]
    return prediction, None
