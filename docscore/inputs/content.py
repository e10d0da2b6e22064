"""The scored content of values: no confidences, no ignored keys, and null for words that mean no value."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from typing import Any

from docscore.core.options import ReadOptions
from docscore.core.runtime import call_with_fresh_stack
from docscore.inputs.confidences import apart, places_of_values, with_confidences_apart
from docscore.inputs.test_set import TestSet


def scored_content(pairs: TestSet, options: ReadOptions) -> TestSet:
    """Return the rows with the scored content of their values, and their confidences if the options ask for them.

    Raises:
        TypeError, ValueError: as for `with_confidences_apart`.
    """
    pairs = with_confidences_apart(pairs) if options.with_confidences else pairs
    others = replace(options, with_confidences=False)
    rows = [content_of(*row, others) for row in pairs.pairs]
    return replace(pairs, truths=[truth for truth, _ in rows], predictions=[prediction for _, prediction in rows])


def without_keys(rows: TestSet, keys: Sequence[str]) -> TestSet:
    """Return the rows without some keys of their values."""
    tree = _tree_of_keys(tuple(keys))
    truths, predictions = (
        [call_with_fresh_stack(_scored, value, tree, frozenset()) for value in column]
        for column in (rows.truths, rows.predictions)
    )
    return replace(rows, truths=truths, predictions=predictions)


def content_of(truth: Any, prediction: Any, options: ReadOptions) -> tuple[Any, Any]:
    """Return the scored content of a ground truth and of a prediction.

    Args:
        truth: the ground truth; a tuple holds acceptable answers.
        prediction: the prediction.
        options: whether the prediction has confidences, which keys are ignored, and which texts mean null.

    Raises:
        ValueError: for confidences that do not fit the values.

    >>> options = ReadOptions(ignore_keys=("model",), absent_words=("n/a",))
    >>> content_of({"total": "9"}, {"total": "N/A", "model": "x"}, options)
    ({'total': '9'}, {'total': None})
    """
    if options.with_confidences:
        prediction, _ = apart(prediction, truth, places_of_values([truth], [prediction]), {})
    words = frozenset(word.casefold() for word in options.absent_words)
    if options.ignore_keys or words:
        tree = _tree_of_keys(options.ignore_keys)
        truth, prediction = (call_with_fresh_stack(_scored, value, tree, words) for value in (truth, prediction))
    return truth, prediction


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
