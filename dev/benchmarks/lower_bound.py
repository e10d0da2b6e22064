"""A lower bound on the time of any scorer that uses these libraries.

It runs rapidfuzz's `cdist` over the distinct strings of each leaf path of each pair, and scipy's assignments on ready
matrices. For questions, it runs one `cpdist` over all acceptable answers. It measures nothing else: no conversion of
values, no white space, no sums, no choice among alternatives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist, cpdist
from scipy.optimize import linear_sum_assignment

from dev.benchmarks.workloads import Pair

Strings = dict[str, list[str]]
Matrix = np.ndarray[Any, np.dtype[np.float64]]
_WORD = 64  # characters; a distance of shorter texts takes one machine word


def lower_bound(pairs: list[Pair]) -> Callable[[], None]:
    """Return a function that does only the unavoidable work for these pairs; all preparation comes before."""
    if all(isinstance(prediction, str) for _, prediction in pairs) and len(pairs) > 1:
        return _questions(pairs)
    jobs = [job for truth, prediction in pairs for job in _string_jobs(truth, prediction)]
    tables = [table for truth, prediction in pairs for table in _tables(truth, prediction)[1]]

    def work() -> None:
        for left, right in jobs:
            if len(left) == len(right) == 1:
                _compare_two(left[0], right[0])
            else:
                cdist(left, right, scorer=Levenshtein.distance, dtype=np.int32)
        for table in tables:
            linear_sum_assignment(table, maximize=True)

    return work


def _compare_two(left: str, right: str) -> None:
    longest = max(len(left), len(right))
    if longest > _WORD:
        Levenshtein.distance(left, right, score_cutoff=longest // 2, score_hint=max(_WORD, longest // 50))
    else:
        Levenshtein.distance(left, right)


def _questions(pairs: list[Pair]) -> Callable[[], None]:
    accepted = [truth if isinstance(truth, tuple) else (truth,) for truth, _ in pairs]
    options = [option for each in accepted for option in each]
    answers = [answer for each, (_, answer) in zip(accepted, pairs, strict=True) for _ in each]
    long = max(map(len, options)) > _WORD

    def work() -> None:
        if long:
            for option, answer in zip(options, answers, strict=True):
                _compare_two(option, answer)
        else:
            cpdist(options, answers, scorer=Levenshtein.distance, dtype=np.int32)

    return work


def _string_jobs(truth: Any, prediction: Any) -> list[tuple[list[str], list[str]]]:
    """Return the distinct strings on both sides of each leaf path."""
    sides: tuple[Strings, Strings] = (defaultdict(list), defaultdict(list))
    for value, strings in zip((truth, prediction), sides, strict=True):
        _collect(value, "$", strings)
    left, right = sides
    return [(list(dict.fromkeys(left[p])), list(dict.fromkeys(right[p]))) for p in left if p in right]


def _collect(value: Any, path: str, found: Strings) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _collect(item, f"{path}.{key}", found)
    elif isinstance(value, list | tuple):
        for item in value:
            _collect(item, f"{path}[]" if isinstance(value, list) else path, found)
    elif value is not None:
        found[path].append(str(value).lower())


def _tables(truth: Any, prediction: Any) -> tuple[float, list[Matrix]]:
    """Return the approximate score of two values of the same types, and the matrices of all their assignments."""
    if isinstance(truth, tuple):
        results = [_tables(option, prediction) for option in truth]
        return max(score for score, _ in results), [table for _, tables in results for table in tables]
    if isinstance(truth, dict) and isinstance(prediction, dict):
        parts = [_tables(item, prediction.get(key)) for key, item in truth.items()]
        count = max(1, len(truth.keys() | prediction.keys()))
        return sum(score for score, _ in parts) / count, [table for _, tables in parts for table in tables]
    if isinstance(truth, list) and isinstance(prediction, list):
        return _list_tables(truth, prediction)
    if isinstance(truth, str) and isinstance(prediction, str):
        return Levenshtein.normalized_similarity(truth, prediction, score_cutoff=0.5), []
    return 0.0, []


def _list_tables(truth: list[Any], prediction: list[Any]) -> tuple[float, list[Matrix]]:
    if not truth or not prediction:
        return 0.0, []
    if all(isinstance(item, str) for item in truth + prediction):
        table = cdist(truth, prediction, scorer=Levenshtein.normalized_similarity, dtype=np.float64, score_cutoff=0.5)
        below: list[Matrix] = []
    elif all(_is_record(item) for item in truth + prediction):
        table, below = _record_table(truth, prediction), []
    else:
        cells = [[_tables(g, p) for p in prediction] for g in truth]
        table = np.array([[score for score, _ in row] for row in cells])
        below = [each for row in cells for _, tables in row for each in tables]
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum()) / max(table.shape), [*below, table]


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def _record_table(truth: list[dict[str, str]], prediction: list[dict[str, str]]) -> Matrix:
    table = np.zeros((len(truth), len(prediction)))
    for key in dict.fromkeys(key for item in truth for key in item):
        left = [item.get(key, "") for item in truth]
        right = [item.get(key, "") for item in prediction]
        table += cdist(left, right, scorer=Levenshtein.normalized_similarity, dtype=np.float64, score_cutoff=0.5)
    return table / max(len(item) for item in truth)
