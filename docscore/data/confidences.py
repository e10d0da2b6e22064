"""Predictions that carry a confidence a value: `{"$value": "12.50", "$confidence": 0.93}`."""

from __future__ import annotations

from typing import Any

from docscore.core.errors import InputValueError, at_place, row_place, short_repr
from docscore.data.pairing import Pairs

VALUE, SURE = "$value", "$confidence"


def unwrapped(prediction: Any) -> tuple[Any, Any]:
    """The values of a prediction and their confidences, in the same shape; None where a value has none.

    Raises:
        ValueError: for an object with `$value` and other keys than `$confidence`.

    >>> unwrapped({"total": {"$value": "12.50", "$confidence": 0.93}, "date": "1 May"})
    ({'total': '12.50', 'date': '1 May'}, {'total': 0.93, 'date': None})
    """
    if isinstance(prediction, dict):
        if VALUE in prediction:
            return _opened(prediction)
        parts = {key: unwrapped(item) for key, item in prediction.items()}
        return {key: value for key, (value, _) in parts.items()}, {key: sure for key, (_, sure) in parts.items()}
    if isinstance(prediction, list):
        pairs = [unwrapped(item) for item in prediction]
        return [value for value, _ in pairs], [sure for _, sure in pairs]
    return prediction, None


def with_confidences(pairs: Pairs) -> Pairs:
    """The rows with the confidences out of their predictions; those beside a prediction, under "confidence", stay.

    Raises:
        ValueError: naming the row.
    """
    predictions, found = [], []
    beside = pairs.confidences or [None] * len(pairs.ids)
    for name, prediction, given in zip(pairs.ids, pairs.predictions, beside, strict=True):
        try:
            value, sure = unwrapped(prediction)
        except ValueError as error:
            raise at_place(row_place(name), error) from None
        predictions.append(value)
        found.append(sure if given is None else given)
    return pairs._replace(predictions=predictions, confidences=found)


def _opened(wrapped: dict[str, Any]) -> tuple[Any, Any]:
    others = wrapped.keys() - {VALUE, SURE}
    if others:
        got = f"{short_repr(min(others, key=str))} beside them"
        raise InputValueError(expected=f"{VALUE!r} and {SURE!r} alone in their object", got=got)
    return wrapped[VALUE], wrapped.get(SURE)
