"""ANLS* by brute force: every matching is tried, every number is an exact fraction.

It shares no code with the library, not even the edit distance, and is as slow as it looks. With a schema, as JSON, it
gives the typed score.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import lcm
from typing import Any, NamedTuple

Place = dict[str, Any]


class Result(NamedTuple):
    """S, L, and whether the closest ground truth is unique: no other choice has the same sum of S/L."""

    earned: Fraction
    weight: Fraction
    unique: bool = True

    @property
    def score(self) -> Fraction:
        return self.earned / self.weight if self.weight else Fraction(1)


@dataclass(frozen=True)
class Oracle:
    """The rules by which values are scored; without others those of the paper, texts as they stand."""

    threshold: Fraction = Fraction(1, 2)
    package: bool = False  # every key of a prediction counts
    by_value: bool = False  # numbers are compared by their shortest decimal spelling

    def score(self, truth: Any, prediction: Any, schema: Place | None = None) -> Result:
        """The score at the top level, where a list of strings against a string is a one-of."""
        if isinstance(truth, list) and truth and isinstance(prediction, str) and all(isinstance(x, str) for x in truth):
            truth = tuple(truth)
        return self.pair(truth, prediction, schema or {})

    def pair(self, truth: Any, prediction: Any, place: Place) -> Result:
        """The value of a pair at a place, times the weight of the place."""
        earned, weight, unique = self.unweighted(truth, prediction, place)
        return Result(earned * weight_of(place), weight * weight_of(place), unique)

    def unweighted(self, truth: Any, prediction: Any, place: Place) -> Result:
        """The value of a pair by the five rules."""
        if isinstance(truth, tuple):
            return one_of([self.unweighted(option, prediction, place) for option in truth])
        if truth is None:
            return Result(Fraction(int(self.is_empty(prediction))), max(Fraction(1), self.inside(prediction, place)))
        if isinstance(truth, list) and isinstance(prediction, list):
            return self.lists(truth, prediction, place.get("items", {}), settings(place))
        if isinstance(truth, dict) and isinstance(prediction, dict):
            return self.objects(truth, prediction, place)
        if is_scalar(truth) and is_scalar(prediction):
            return Result(self.scalars(truth, prediction, place), Fraction(1))
        least = Fraction(int(any(is_scalar(x) or x is None for x in (truth, prediction))))
        return Result(Fraction(0), max(self.inside(truth, place, known=True), self.inside(prediction, place), least))

    def objects(self, truth: dict[str, Any], prediction: dict[str, Any], place: Place) -> Result:
        parts = [self.pair(value, prediction.get(key), below(place, key)) for key, value in truth.items()]
        weight = sum((part.weight for part in parts), Fraction(0))
        for key, value in prediction.items():
            if key not in truth and not self.ignores(value):
                least = weight_of(below(place, key)) if self.package else 0
                weight += max(least, self.size(value, below(place, key)))
        return Result(sum((part.earned for part in parts), Fraction(0)), weight, all(part.unique for part in parts))

    def lists(self, truth: list[Any], prediction: list[Any], place: Place, rules: dict[str, Any]) -> Result:
        table, left, right, tried = self.tried(truth, prediction, place, rules)
        best, chosen = max(tried)
        unique = all(table[i][j].unique for i, j in chosen) and sum(each[:2] == best[:2] for each, _ in tried) == 1
        return Result(best[2], sum(left) + sum(right) - best[3], unique)

    def tried(
        self, truth: list[Any], prediction: list[Any], place: Place, rules: dict[str, Any]
    ) -> tuple[list[list[Result]], list[Fraction], list[Fraction], list[tuple[list[Fraction], list[tuple[int, int]]]]]:
        """The table of pairs, the sizes of both sides, and the sums of every matching that the rules permit."""
        table = [[self.pair(g, p, place) for p in prediction] for g in truth]
        left = [self.size(item, place, known=True) for item in truth]
        right = [self.size(item, place) for item in prediction]

        def gained(i: int, j: int) -> list[Fraction]:
            """By a pair: rows of the same key, S/L, S, and what is no longer counted twice."""
            pair = table[i][j]
            same = "key" in rules and self.same_key(truth[i], prediction[j], place, rules["key"])
            return [Fraction(same), pair.score, pair.earned, left[i] + right[j] - pair.weight]

        gains = [[gained(i, j) for j in range(len(right))] for i in range(len(left))]
        unit = lcm(*(part.denominator for row in gains for parts in row for part in parts))  # integers add quickly
        units = [[[int(part * unit) for part in parts] for parts in row] for row in gains]
        every = (alignments if rules.get("list_order") == "kept" else matchings)(len(truth), len(prediction))
        sums = [[sum(units[i][j][k] for i, j in chosen) for k in range(4)] for chosen in every]
        return (
            table,
            left,
            right,
            [([Fraction(part, unit) for part in parts], chosen) for parts, chosen in zip(sums, every, strict=True)],
        )

    def matching(self, truth: list[Any], prediction: list[Any]) -> list[tuple[int, int]]:
        """Return the best matching of two lists without a schema by rules 4 and 5 too.

        Rule 5: the shorter side, sorted by its texts, takes the elements of the other side with the smallest texts.
        """
        tried = self.tried(truth, prediction, {}, {})[-1]
        most = max(sums for sums, _ in tried)
        texts = [canonical(item) for item in truth], [canonical(item) for item in prediction]
        shorter = int(len(prediction) < len(truth))

        def explained(chosen: list[tuple[int, int]]) -> tuple[int, list[tuple[str, str]]]:
            equal = sum(self.chosen_text(truth[i], prediction[j]) == texts[1][j] for i, j in chosen)
            both = [(texts[0][i], texts[1][j]) for i, j in chosen]
            return -equal, sorted(both[k][::-1] if shorter else both[k] for k in range(len(both)))

        return min((chosen for sums, chosen in tried if sums == most), key=explained)

    def taken(self, options: tuple[Any, ...], prediction: Any) -> Any:
        """The option that is taken: of those that tie, the one equal to the prediction, or the smallest text."""
        results = [self.unweighted(option, prediction, {}) for option in options]
        most = max((each.score, each.earned, -each.weight) for each in results)
        ties = [o for o, each in zip(options, results, strict=True) if (each.score, each.earned, -each.weight) == most]
        return min(ties, key=lambda o: (self.chosen_text(o, prediction) != canonical(prediction), canonical(o)))

    def chosen_text(self, truth: Any, prediction: Any) -> str:
        """The canonical text of a ground truth in which each one-of that is compared is the option that is taken."""
        if isinstance(truth, tuple):
            return self.chosen_text(self.taken(truth, prediction), prediction)
        if isinstance(truth, dict) and isinstance(prediction, dict):
            return canonical({key: Text(self.chosen_text(item, prediction.get(key))) for key, item in truth.items()})
        if isinstance(truth, list) and isinstance(prediction, list):
            partner = dict(self.matching(truth, prediction))
            return canonical(
                [
                    Text(self.chosen_text(item, prediction[partner[i]])) if i in partner else item
                    for i, item in enumerate(truth)
                ]
            )
        return canonical(truth)

    def explained(self, truth: Any, prediction: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
        """The pairs of elements and the options that explain a score, as texts, with the path of their keys."""
        if isinstance(truth, tuple):
            while isinstance(truth, tuple):
                truth = self.taken(truth, prediction)
            yield path, "taken", canonical(truth)
        if isinstance(truth, dict) and isinstance(prediction, dict):
            for key, item in truth.items():
                yield from self.explained(item, prediction.get(key), f"{path}.{key}")
        elif isinstance(truth, list) and isinstance(prediction, list):
            for i, j in self.matching(truth, prediction):
                yield f"{path}[]", canonical(truth[i]), canonical(prediction[j])
                yield from self.explained(truth[i], prediction[j], f"{path}[]")

    def same_key(self, truth: Any, prediction: Any, place: Place, key: str) -> bool:
        """Whether two rows have the same key, which is no empty text."""
        keys = [row.get(key) if isinstance(row, dict) else None for row in (truth, prediction)]
        return all(is_scalar(k) and k != "" for k in keys) and self.scalars(keys[0], keys[1], below(place, key)) == 1

    def size(self, value: Any, place: Place, *, known: bool = False) -> Fraction:
        """The size of a value at a place, of a ground truth (`known`) or of a prediction."""
        return weight_of(place) * self.inside(value, place, known=known)

    def inside(self, value: Any, place: Place, *, known: bool = False) -> Fraction:
        if isinstance(value, tuple):
            return max(self.inside(option, place, known=known) for option in value)
        if isinstance(value, list):
            return sum((self.size(item, place.get("items", {}), known=known) for item in value), Fraction(0))
        if isinstance(value, dict):
            counted = {key: item for key, item in value.items() if known or not self.ignores(item)}
            return sum((self.size(item, below(place, key), known=known) for key, item in counted.items()), Fraction(0))
        return Fraction(1)

    def ignores(self, prediction: Any) -> bool:
        return not self.package and self.is_empty(prediction)

    def is_empty(self, prediction: Any) -> bool:
        if isinstance(prediction, dict) and not self.package:
            return all(self.is_empty(item) for item in prediction.values())
        return prediction is None or (isinstance(prediction, str | list | dict) and not prediction)

    def scalars(self, truth: Any, prediction: Any, place: Place) -> Fraction:
        compare = comparison(place)
        if compare == "exact":
            return Fraction(int(str(truth) == str(prediction)))
        if compare == "number":
            numbers = number(truth), number(prediction)
            if None not in numbers:
                return self.numbers(*numbers, str(settings(place).get("tolerance", 0)))  # type: ignore[arg-type]
        if compare == "boolean" and None not in (boolean(truth), boolean(prediction)):
            return self.similarity(str(boolean(truth)), str(boolean(prediction)))
        return self.similarity(self.text(truth), self.text(prediction))

    def text(self, value: Any) -> str:
        plain = number(value) if self.by_value and not isinstance(value, str) else None
        return str(value) if plain is None else spelled(plain)

    def numbers(self, truth: Fraction, prediction: Fraction, tolerance: str) -> Fraction:
        share = Fraction(tolerance.rstrip("%"))
        most = share / 100 * abs(truth) if tolerance.endswith("%") else share
        return Fraction(int(abs(truth - prediction) <= most))

    def similarity(self, truth: str, prediction: str) -> Fraction:
        left, right = " ".join(truth.lower().split()), " ".join(prediction.lower().split())
        longest = max(len(left), len(right))
        share = 1 - Fraction(distance(left, right), longest) if longest else Fraction(1)
        return share if share >= self.threshold else Fraction(0)


class Text(str):
    """A canonical text that stands for its value."""

    __slots__ = ()


def canonical(value: Any) -> str:
    """JSON with sorted keys, in which the elements of lists and the options of one-ofs are sorted by their texts."""
    if isinstance(value, Text):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        items = f"[{', '.join(sorted(map(canonical, value)))}]"
        return items if isinstance(value, list) else f'{{"$one_of": {items}}}'
    return json.dumps(value, ensure_ascii=False)


def one_of(results: list[Result]) -> Result:
    best = max(results, key=lambda r: (r.score, r.earned, -r.weight))
    return best._replace(unique=best.unique and sum(r.score == best.score for r in results) == 1)


def matchings(rows: int, columns: int) -> list[list[tuple[int, int]]]:
    """All one-to-one matchings of min(rows, columns) pairs."""
    if rows <= columns:
        return [list(enumerate(chosen)) for chosen in permutations(range(columns), rows)]
    return [[(i, j) for j, i in enumerate(chosen)] for chosen in permutations(range(rows), columns)]


def alignments(rows: int, columns: int) -> list[list[tuple[int, int]]]:
    """All pairs of as many rows and columns, both in their order."""
    return [
        list(zip(chosen, partners, strict=True))
        for count in range(min(rows, columns) + 1)
        for chosen in combinations(range(rows), count)
        for partners in combinations(range(columns), count)
    ]


@cache
def distance(left: str, right: str) -> int:
    """Levenshtein's distance by the textbook recurrence."""
    above = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        row = [i]
        for j, b in enumerate(right, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
        above = row
    return above[-1]


def is_scalar(value: Any) -> bool:
    return isinstance(value, str | bool | int | float)


def settings(place: Place) -> dict[str, Any]:
    setting: dict[str, Any] = place.get("x-docscore", {})
    return setting


def weight_of(place: Place) -> Fraction:
    return Fraction(str(settings(place).get("weight", 1)))


def comparison(place: Place) -> str:
    by_type = {"number": "number", "integer": "number", "boolean": "boolean"}
    setting: str = settings(place).get("compare", by_type.get(place.get("type", ""), "text"))
    return setting


def below(place: Place, key: str) -> Place:
    setting: Place = place.get("properties", {}).get(key, place.get("additionalProperties", {}))
    return setting


def number(value: Any) -> Fraction | None:
    """A JSON number, or a text that spells one with a decimal point; not a boolean."""
    if isinstance(value, bool):
        return None
    try:
        return Fraction(Decimal(str(value).strip()))
    except (InvalidOperation, ValueError, OverflowError):
        return None


def boolean(value: Any) -> bool | None:
    return {"true": True, "false": False}.get(str(value).strip().lower())


def spelled(value: Fraction) -> str:
    """The shortest decimal spelling of a fraction that has one."""
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = str(abs(value.numerator * 10**digits // value.denominator)).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole)
