"""From scalars to text, and from texts to normalised Levenshtein similarities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from docscore.values import Scalar

THRESHOLD = 0.5  # tau of ANLS, Biten et al. 2019
_LONG = 64  # characters in one machine word of the bit-parallel distance
_FEW_DISTINCT = 4  # compare the distinct texts alone when they leave this fraction of the pairs or less

Matrix = npt.NDArray[np.float64]


def text(value: Scalar) -> str:
    """The scalar as the text that is compared: `str(value)`, for an integer of any length.

    >>> text(1.0), text(True), text("007")
    ('1.0', 'True', '007')
    """
    if isinstance(value, str):
        return value
    try:
        return str(value)
    except ValueError:  # Python refuses to print an integer of more than 4,300 digits, decimal does not
        return str(Decimal(value))


def normalise(values: Iterable[Scalar], *, ignore_case: bool) -> list[str]:
    """The texts in lower case (if asked), every run of white space one space, trimmed.

    >>> normalise([" New  York", 12.5], ignore_case=True)
    ['new york', '12.5']
    """
    texts = map(text, values)
    if ignore_case:
        texts = map(str.lower, texts)
    return [" ".join(each.split()) for each in texts]


def similarity(truth: str, prediction: str, threshold: float = THRESHOLD) -> float:
    """1 - LD(truth, prediction) / max(length), and 0 where that is below the threshold (paper, equation 2).

    >>> similarity("hello world", "hello wolrd")
    0.8181818181818182
    >>> similarity("yes", "no")
    0.0
    """
    longest = max(len(truth), len(prediction), 1)
    if longest <= _LONG:
        distance = Levenshtein.distance(truth, prediction)
    else:
        cutoff = int((1 - threshold) * longest) + 1  # one more than can count: float rounding decides nothing here
        hint = max(_LONG, longest // 50)
        distance = Levenshtein.distance(truth, prediction, score_cutoff=cutoff, score_hint=min(hint, cutoff))
    found = (longest - distance) / longest
    return found if found >= threshold else 0.0


def similarity_matrix(truths: Sequence[str], predictions: Sequence[str], threshold: float) -> Matrix:
    """`similarity` of every truth with every prediction, shape (n, m), values in {0} or [threshold, 1]."""
    if len(truths) == 1 and len(predictions) == 1:
        return np.array([[similarity(truths[0], predictions[0], threshold)]])
    rows, row_of = _distinct(truths)
    columns, column_of = _distinct(predictions)
    if len(rows) * len(columns) * _FEW_DISTINCT <= len(truths) * len(predictions):
        found = _similarities(rows, columns, threshold)
        return found[np.ix_(row_of, column_of)]
    return _similarities(truths, predictions, threshold)


def _distinct(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """The distinct texts in order of appearance, and for each text its place among them."""
    places: dict[str, int] = {}
    place_of = [places.setdefault(each, len(places)) for each in texts]
    return list(places), place_of


def _similarities(truths: Sequence[str], predictions: Sequence[str], threshold: float) -> Matrix:
    longest = np.maximum.outer(_lengths(truths), _lengths(predictions))
    distance = cdist(truths, predictions, scorer=Levenshtein.distance, dtype=np.int32)
    found: Matrix = (longest - distance) / longest
    found[found < threshold] = 0.0
    return found


def _lengths(texts: Sequence[str]) -> npt.NDArray[np.int32]:
    """The length of each text, at least 1, so that two empty texts have similarity 1."""
    return np.fromiter((max(len(each), 1) for each in texts), dtype=np.int32, count=len(texts))
