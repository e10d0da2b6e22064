"""Predictions with a confidence for each value: `{"$value": "12.50", "$confidence": 0.93}`."""

from __future__ import annotations

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


def with_confidences(pairs: Pairs) -> Pairs:
    """Move the confidences out of the predictions; those that a row has under "confidence" take precedence.

    Raises:
        ValueError: naming the row.
    """
    predictions, confidences = [], []
    of_rows = pairs.confidences or [None] * len(pairs.ids)
    for name, prediction, of_row in zip(pairs.ids, pairs.predictions, of_rows, strict=True):
        try:
            value, confidence = unwrapped(prediction)
        except ValueError as error:
            raise at_place(row_place(name), error) from None
        predictions.append(value)
        confidences.append(confidence if of_row is None else of_row)
    return pairs._replace(predictions=predictions, confidences=confidences)


def _opened(wrapped: dict[str, Any]) -> tuple[Any, Any]:
    """The value and the confidence of an object that holds both."""
    others = wrapped.keys() - {VALUE, CONFIDENCE_KEY}
    if others:
        got = f"{short_repr(min(others, key=str))} beside them"
        raise InputValueError(expected=f"{VALUE!r} and {CONFIDENCE_KEY!r} alone in their object", got=got)
    return wrapped[VALUE], wrapped.get(CONFIDENCE_KEY)
