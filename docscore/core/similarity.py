"""From scalars to text, and from texts to normalised Levenshtein similarities."""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import OSA, Levenshtein
from rapidfuzz.process import cdist, cpdist, extractOne

from docscore.core.numbers import ROUNDING
from docscore.core.options import BY_VALUE, THRESHOLD
from docscore.core.values import Matrix, Scalar, number_text, scalar_text

_LONG = 64  # characters in one machine word of the bit-parallel distance


_FEW_ERRORS = 50  # characters per error in the first attempt at a long text; later attempts allow more errors


_MANY = 4096  # a search for repeated texts saves time only for more pairs than this


_FEW_DISTINCT = 4  # compare only the distinct texts if their pairs are at most 1 in 4 of all pairs


_SCORER = Levenshtein.normalized_similarity


_T = TypeVar("_T")
ScalarText = Callable[[Scalar], str]


TEXT_RULES: dict[str, ScalarText] = {"text": scalar_text, BY_VALUE: number_text}  # by the option `numbers`


def fold(value: Scalar, ignore_case: bool, text: ScalarText = scalar_text) -> str:
    """Return the text of one value for comparison, as in `fold_all`.

    >>> fold(" New  York", True), fold(12.5, True)
    ('new york', '12.5')
    """
    return fold_all([value], ignore_case, text)[0]


def fold_all(values: Sequence[Scalar | None], ignore_case: bool, text: ScalarText = scalar_text) -> list[str]:
    """Return texts for comparison: in lower case if `ignore_case`, trimmed, each run of white space as one space.

    The text of null is empty.
    """
    texts = []
    for value in values:  # for few values, a comprehension takes longer
        folded = value if type(value) is str else "" if value is None else text(value)
        if ignore_case:
            folded = folded.lower()
        texts.append(" ".join(folded.split()))
    return texts


def similarity(truth: str, prediction: str, threshold: float = THRESHOLD) -> float:
    """Return 1 - LD(truth, prediction) / max(length), and 0 if that is below the threshold (paper, equation 2).

    >>> similarity("hello world", "hello world!")
    0.9166666666666666
    >>> similarity("yes", "no")
    0.0
    """
    if truth == prediction:
        return 1.0
    longest = len(truth) if len(truth) > len(prediction) else len(prediction)  # noqa: FURB136  faster than `max`
    if longest <= _LONG:
        score = 1 - Levenshtein.distance(truth, prediction) / longest
    else:
        cutoff = int((1 - threshold) * longest) + 1  # one above the exact limit, so that float rounding has no effect
        hint = min(max(_LONG, longest // _FEW_ERRORS), cutoff)
        score = 1 - Levenshtein.distance(truth, prediction, score_cutoff=cutoff, score_hint=hint) / longest
    return score if score >= threshold - ROUNDING else 0.0  # 1 - 9/10 is a little less than 0.1


def similarity_matrix(truths: Sequence[str], predictions: Sequence[str], threshold: float) -> Matrix:
    """Return the `similarity` of every truth with every prediction, shape (n, m), 0 or in [threshold, 1]."""
    cells = len(truths) * len(predictions)
    if cells > _MANY and len(set(truths)) * len(set(predictions)) * _FEW_DISTINCT <= cells:
        rows, row_of = distinct(truths, truths)
        columns, column_of = distinct(predictions, predictions)
        return _compared(cdist, rows, columns, threshold).take(column_of, axis=1).take(row_of, axis=0)
    return _compared(cdist, truths, predictions, threshold)


def similarities(truths: Sequence[str], predictions: Sequence[str], threshold: float) -> Matrix:
    """Return the `similarity` of each truth with the prediction at the same index, shape (n,)."""
    hint = 1 - 1 / _FEW_ERRORS if max(map(len, truths), default=0) > _LONG else None
    return _compared(partial(cpdist, score_hint=hint), truths, predictions, threshold)


def _compared(
    compare: Callable[..., Matrix], truths: Sequence[str], predictions: Sequence[str], threshold: float
) -> Matrix:
    """Return the similarities, 0 below the threshold.

    rapidfuzz rounds its cutoff to single precision. A threshold that survives this, as 0.5 does, is the cutoff itself.
    For other thresholds, the cutoff is a little lower, and the scores are compared with the threshold here.
    """
    cutoff = threshold if float(np.float32(threshold)) == threshold else max(0.0, threshold - 0.01)
    scores = compare(truths, predictions, scorer=_SCORER, score_cutoff=cutoff, dtype=np.float64)
    if cutoff < threshold:
        scores[scores < threshold - ROUNDING] = 0.0
    return scores


def distinct(values: Sequence[_T], keys: Sequence[Hashable]) -> tuple[list[_T], npt.NDArray[np.intp]]:
    """Return one value per distinct key, in the order of the keys, and the index into them for each key."""
    known = dict(zip(keys, values, strict=True))
    places = dict(zip(known, range(len(known)), strict=True))
    return list(known.values()), np.array([places[key] for key in keys])


def without_case(name: str) -> str:
    """Return a name without case and separators; a name of separators alone stays unchanged."""
    return re.sub(r"[\W_]+", "", name).casefold() or name


def nearest(names: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """Return the known name that each name may mean: equal except for case and separators, or one edit apart.

    Names without such a known name are left out. Names of one or two letters are never interpreted as a mistake.

    >>> nearest(["Total_amount", "totl", "net", "no"], ["totalAmount", "total", "vat", "n"])
    {'Total_amount': 'totalAmount', 'totl': 'total'}
    """
    spelt = {without_case(name): name for name in reversed([*known])}  # the first one wins
    matches = {name: extractOne(without_case(name), list(spelt), scorer=OSA.distance, score_cutoff=1) for name in names}
    return {name: spelt[match[0]] for name, match in matches.items() if match and len(match[0]) > 2 * match[1]}
