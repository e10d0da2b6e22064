"""Predictions with a confidence for each value: `{"$value": "12.50", "$confidence": 0.93}`."""

from __future__ import annotations

from itertools import repeat
from typing import Any

from docscore.core.errors import InputValueError, at_place, row_place, short_repr
from docscore.data.pairing import Pairs

VALUE, CONFIDENCE_KEY = "$value", "$confidence"


def unwrapped(prediction: Any) -> tuple[Any, Any]:
    """Split a prediction into its values and their confidences, in the same shape; None where a value has none.

    Raises:
        ValueError: for an object with `$value` and other keys than `$confidence`.

    >>> unwrapped({"total": {"$value": "12.50", "$confidence": 0.93}, "date": "1 May"})
    ({'total': '12.50', 'date': '1 May'}, {'total': 0.93, 'date': None})
    """
    if isinstance(prediction, dict):
        if VALUE in prediction:
            return _opened(prediction)
        parts = {key: unwrapped(item) for key, item in prediction.items()}
        values = {key: value for key, (value, _) in parts.items()}
        return values, {key: confidence for key, (_, confidence) in parts.items()}
    if isinstance(prediction, list):
        pairs = [unwrapped(item) for item in prediction]
        return [value for value, _ in pairs], [confidence for _, confidence in pairs]
    return prediction, None


def is_wrapped(prediction: Any) -> bool:
    """Whether a value at the first two levels has a confidence."""
    inside = prediction.values() if isinstance(prediction, dict) else ()
    return any(isinstance(each, dict) and VALUE in each and CONFIDENCE_KEY in each for each in (prediction, *inside))


def with_confidences(pairs: Pairs) -> Pairs:
    """Move the confidences out of the predictions; those that a row has under "confidence" take precedence.

    Raises:
        ValueError: naming the row.
    """
    of_rows = repeat(None, len(pairs.ids)) if pairs.confidences is None else pairs.confidences
    both = list(map(_unwrapped_row, pairs.ids, pairs.predictions, of_rows))
    return pairs._replace(predictions=[value for value, _ in both], confidences=[each for _, each in both])


def _unwrapped_row(name: str, prediction: Any, of_row: Any) -> tuple[Any, Any]:
    """The values of a prediction and their confidences; raises `ValueError` naming the row."""
    try:
        value, confidence = unwrapped(prediction)
    except ValueError as error:
        raise at_place(row_place(name), error) from None
    return value, confidence if of_row is None else of_row


def _opened(wrapped: dict[str, Any]) -> tuple[Any, Any]:
    """The value and the confidence of an object that holds both."""
    others = wrapped.keys() - {VALUE, CONFIDENCE_KEY}
    if others:
        got = f"{short_repr(min(others, key=str))} beside them"
        raise InputValueError(expected=f"{VALUE!r} and {CONFIDENCE_KEY!r} alone in their object", got=got)
    return wrapped[VALUE], wrapped.get(CONFIDENCE_KEY)
