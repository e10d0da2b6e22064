"""ANLS* by brute force: every matching is tried, every number is an exact fraction.

It shares no code with the library, not even the edit distance, and is as slow as it looks.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any, NamedTuple

HALF = Fraction(1, 2)


class Result(NamedTuple):
    """S, L, and whether the closest ground truth is unique: no other choice has the same sum of S/L."""

    earned: Fraction
    weight: int
    unique: bool = True

    @property
    def score(self) -> Fraction:
        return self.earned / self.weight if self.weight else Fraction(1)


def oracle(truth: Any, prediction: Any, threshold: Fraction = HALF) -> Result:
    """The score at the top level, where a list of strings against a string is a one-of."""
    if isinstance(truth, list) and truth and isinstance(prediction, str) and all(isinstance(x, str) for x in truth):
        truth = tuple(truth)
    return pair(truth, prediction, threshold)


def pair(truth: Any, prediction: Any, threshold: Fraction) -> Result:
    """The value of a pair by the five rules."""
    if isinstance(truth, tuple):
        return one_of([pair(option, prediction, threshold) for option in truth])
    if truth is None:
        return Result(Fraction(int(is_empty(prediction))), max(1, size(prediction)))
    if isinstance(truth, list) and isinstance(prediction, list):
        return lists(truth, prediction, threshold)
    if isinstance(truth, dict) and isinstance(prediction, dict):
        return objects(truth, prediction, threshold)
    if is_scalar(truth) and is_scalar(prediction):
        return Result(similarity(str(truth), str(prediction), threshold), 1)
    least = int(any(is_scalar(x) or x is None for x in (truth, prediction)))
    return Result(Fraction(0), max(size(truth), size(prediction), least))


def one_of(results: list[Result]) -> Result:
    best = max(results, key=lambda r: (r.score, r.earned, -r.weight))
    return best._replace(unique=best.unique and sum(r.score == best.score for r in results) == 1)


def objects(truth: dict[str, Any], prediction: dict[str, Any], threshold: Fraction) -> Result:
    parts = [pair(value, prediction.get(key), threshold) for key, value in truth.items()]
    surplus = [value for key, value in prediction.items() if key not in truth and not is_empty(value)]
    weight = sum(part.weight for part in parts) + sum(max(1, size(value)) for value in surplus)
    return Result(sum((part.earned for part in parts), Fraction(0)), weight, all(part.unique for part in parts))


def lists(truth: list[Any], prediction: list[Any], threshold: Fraction) -> Result:
    table = [[pair(g, p, threshold) for p in prediction] for g in truth]
    everything = size(truth) + size(prediction)
    results = []
    for chosen in matchings(len(truth), len(prediction)):
        pairs = [table[i][j] for i, j in chosen]
        matched = sum(size(truth[i]) + size(prediction[j]) for i, j in chosen)
        weight = everything - matched + sum(p.weight for p in pairs)
        total = sum((p.score for p in pairs), Fraction(0))
        earned = sum((p.earned for p in pairs), Fraction(0))
        results.append((total, earned, -weight, all(p.unique for p in pairs)))
    best = max(results)
    ties = sum(result[0] == best[0] for result in results)
    return Result(best[1], -best[2], best[3] and ties == 1)


def matchings(rows: int, columns: int) -> list[list[tuple[int, int]]]:
    """All one-to-one matchings of min(rows, columns) pairs."""
    if rows <= columns:
        return [list(enumerate(chosen)) for chosen in permutations(range(columns), rows)]
    return [[(i, j) for j, i in enumerate(chosen)] for chosen in permutations(range(rows), columns)]


def similarity(truth: str, prediction: str, threshold: Fraction) -> Fraction:
    left, right = " ".join(truth.lower().split()), " ".join(prediction.lower().split())
    longest = max(len(left), len(right))
    found = 1 - Fraction(distance(left, right), longest) if longest else Fraction(1)
    return found if found >= threshold else Fraction(0)


def distance(left: str, right: str) -> int:
    """Levenshtein's distance by the textbook recurrence."""
    above = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        row = [i]
        for j, b in enumerate(right, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
        above = row
    return above[-1]


def size(value: Any) -> int:
    if isinstance(value, tuple):
        return max(size(option) for option in value)
    if isinstance(value, list | dict):
        return sum(size(item) for item in (value.values() if isinstance(value, dict) else value))
    return 1


def is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def is_scalar(value: Any) -> bool:
    return isinstance(value, str | bool | int | float)
