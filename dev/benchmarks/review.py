"""Measure reviews: `python -m dev.benchmarks.review` plants errors, gives verdicts, and simulates the estimate."""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from docscore_review.verdicts import Review, review, steps_of
from docscore_review.worklist import BOTH, GROUND_TRUTH, OTHER, PREDICTION, Item

from dev.benchmarks.workloads import RECEIPTS, typo
from docscore import Evaluation, anls_score, evaluate
from docscore.core.errors import DataError
from docscore.core.values import json_path
from docscore.inputs.rows import NoCell

DOCUBENCH = RECEIPTS.parent / "docubench"
SYSTEMS = ("claude", "gemini", "gpt")
ERRORS = 40  # of one kind at a time
SEEDS = (1, 2, 3)
LENGTHENED = 1.5  # decisions per planted error within which an error counts as settled

Truths = dict[str, Any]


class Planted(NamedTuple):
    """An error in a ground truth.

    Attributes:
        document: the id.
        paths: the paths of the wrong values; if a row is gone or doubled, the path of its list.
        values: the right value at each path, or the row.
        kind: how it was made.
    """

    document: str
    paths: tuple[str, ...]
    values: tuple[Any, ...]
    kind: str

    def is_shown_by(self, item: Item) -> bool:
        """Return whether an item is about this error."""
        if item.question_id != self.document:
            return False
        if self.kind == "a row gone":
            return item.row is not None and item.path == self.paths[0] and _alike(self.values[0], item.proposal)
        if self.kind == "a row twice":
            at_row = item.path.rpartition("[")[0] == self.paths[0]
            return at_row and item.proposal is NoCell and item.ground_truth == self.values[0]
        if self.kind == "two rows exchanged":  # another value of the two rows may show it
            return any(item.path.startswith(path.rpartition("]")[0] + "]") for path in self.paths)
        return item.path in self.paths


def _alike(truth: Any, row: Any) -> bool:
    return anls_score(truth, row, numbers="value") > 0.5


# Errors


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(part, (path, key))
    else:
        yield path, value


def _set(value: Any, path: tuple[Any, ...], new: Any) -> None:
    steps = []
    while path:
        path, step = path
        steps.append(step)
    for step in reversed(steps[1:]):
        value = value[step]
    value[steps[0]] = new


def _lists(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        yield path, value
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _lists(part, (path, key))


def _digits(rng: random.Random, value: Any, _others: Sequence[Any]) -> Any:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    places = [i for i, sign in enumerate(text) if sign in "123456789"]
    if not places:
        return value
    i = rng.choice(places)
    new = text[:i] + rng.choice([digit for digit in "123456789" if digit != text[i]]) + text[i + 1 :]
    return new if isinstance(value, str) else json.loads(new)


def _of_another_field(rng: random.Random, value: Any, others: Sequence[Any]) -> Any:
    different = [other for other in others if type(other) is type(value) and other != value]
    return rng.choice(different) if different else value


def _cut_off(_rng: random.Random, value: Any, _others: Sequence[Any]) -> Any:
    return value[: max(1, len(value) * 2 // 3)].rstrip() if isinstance(value, str) and len(value) > 3 else value


VALUE_KINDS: dict[str, Callable[[random.Random, Any, Sequence[Any]], Any]] = {
    "a digit": _digits,
    "of another field": _of_another_field,
    "null": lambda _rng, _value, _others: None,
    "cut off": _cut_off,
}
KINDS = (*VALUE_KINDS, "a row gone", "a row twice", "two rows exchanged")


def right_places(result: Evaluation) -> dict[str, dict[str, bool]]:
    """Return for each document the path of each value and row, and whether the system has it right."""
    return {
        name: {
            node.path: node.earned == node.weight > 0 for node in result[name].tree.nodes() if node.status != "extra"
        }
        for name in result
    }


def plant(
    truths: Truths, kind: str, rng: random.Random, is_right: Callable[[str, str], bool], count: int = ERRORS
) -> tuple[Truths, list[Planted]]:
    """Plant errors of one kind at places for which `is_right` is true, and list them."""
    wrong = copy.deepcopy(truths)
    candidates: list[Planted] = []
    for name, truth in truths.items():
        if kind in VALUE_KINDS:
            leaves = list(_leaves(truth))
            for path, value in leaves:
                new = VALUE_KINDS[kind](rng, value, [other for _, other in leaves if other is not None])
                if value is not None and path and new != value and is_right(name, json_path(path)):
                    candidates.append(Planted(name, (json_path(path),), (value, path, new), kind))
        else:
            for path, rows in _lists(truth):
                right = [i for i in range(len(rows)) if is_right(name, json_path((path, i)))]
                candidates += _of_rows(name, path, rows, right, kind, rng)
    rng.shuffle(candidates)
    planted: list[Planted] = []
    taken: set[tuple[str, str]] = set()
    for error in candidates:
        places = {(error.document, path) for path in error.paths}
        if len(planted) < count and not places & taken:
            taken |= places
            planted.append(error)
            _make(wrong[error.document], error)
    return wrong, planted


def _of_rows(
    name: str, path: tuple[Any, ...], rows: list[Any], right: list[int], kind: str, rng: random.Random
) -> Iterator[Planted]:
    if kind != "two rows exchanged":
        for i in right[:: max(1, len(right) // 4)]:
            if rows.count(rows[i]) == 1:
                yield Planted(name, (json_path(path),), (rows[i], path, i), kind)
                return  # one of a list, so that indices stay
        return
    for first, second in zip(right[::2], right[1::2], strict=False):
        shared = [
            key
            for key, value in rows[first].items()
            if key in rows[second] and not isinstance(value, dict | list) and value != rows[second][key]
        ]
        if len(shared) > 2:
            key = rng.choice(shared)
            ends = ((path, first), key), ((path, second), key)
            values = rows[first][key], rows[second][key]
            yield Planted(name, tuple(map(json_path, ends)), (*values, *ends), kind)


def _make(truth: Any, error: Planted) -> None:
    if error.kind == "two rows exchanged":
        first, second, *ends = error.values
        _set(truth, ends[0], second)
        _set(truth, ends[1], first)
    elif error.kind in VALUE_KINDS:
        _, path, new = error.values
        _set(truth, path, new)
    else:
        _, path, i = error.values
        rows = {json_path(at): rows for at, rows in _lists(truth)}[json_path(path)]
        if error.kind == "a row gone":
            del rows[i]
        else:
            rows.insert(i + 1, copy.deepcopy(rows[i]))


def settled(items: Sequence[Item], planted: Sequence[Planted], decisions: int | None = None) -> int:
    """Count the errors that the first decisions settle; each decision applies to its group within the document."""
    first = items[: round(LENGTHENED * len(planted)) if decisions is None else decisions]  # representatives come first
    groups = {(item.question_id, item.group) for item in first}
    reached = [item for item in items if (item.question_id, item.group) in groups]
    return sum(any(map(error.is_shown_by, reached)) for error in planted)


def decide(items: Sequence[Item], planted: Sequence[Planted]) -> None:
    """Give the verdicts of someone who knows the truth on the items of planted errors."""
    for item in items:
        for error in planted:
            if not error.is_shown_by(item):
                continue
            if error.kind in ("a row gone", "a row twice"):
                item.verdict = PREDICTION
            elif item.path in error.paths:
                item.verdict, item.value = OTHER, error.values[error.paths.index(item.path)]


def rows_of(path: Path, key: str) -> dict[str, Any]:
    """Return the values of a JSONL file by id."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {row["question_id"]: row[key] for row in rows}


# The estimate


def simulated_sample(rng: np.random.Generator, documents: int, draws: int = 60) -> Review:
    """Simulate a decided sample of documents with 10 to 60 places each.

    The share of places per document that are not the model's error follows beta(0.5, 1), so a third of the loss comes
    back. Two thirds of these places have the verdict `prediction`, the others `both`.

    """
    places, shares = rng.integers(10, 61, size=documents), rng.beta(0.5, 1, size=documents)
    wrong = rng.binomial(places, shares)
    drawn = rng.choice(documents, size=draws, p=places / places.sum())
    verdicts = [
        GROUND_TRUTH if rng.random() >= wrong[number] / places[number] else PREDICTION if rng.random() < 2 / 3 else BOTH
        for number in drawn
    ]
    sample = {"system": "gpt", "score": 0.848, "loss": 0.152, "draws": draws}
    rest: dict[str, Any] = dict.fromkeys(("path", "judged", "group", "kind"), "")
    rest |= {"points": {}, "systems": ["gpt"], "agree": 1, "of": 1, "others": [], "drawn": 1, "sample": sample}
    return Review(
        [Item(**rest, question_id=str(n), verdict=verdict) for n, verdict in zip(drawn, verdicts, strict=True)]
    )


def coverage(documents: int, trials: int = 1000) -> tuple[float, float, float]:
    """Return how often intervals hold the lenient share, the strict share and the corrected score of the population."""
    held = np.zeros(3)
    truth = 1 / 3, 2 / 9, 0.848 + 0.152 / 3
    rng = np.random.default_rng(1)
    for _ in range(trials):
        estimate = simulated_sample(rng, documents).estimate()
        for number, ((_, low, high), right) in enumerate(
            zip((estimate.lenient, estimate.strict, estimate.corrected), truth, strict=True)
        ):
            held[number] += low is not None and high is not None and low <= right <= high
    return tuple((held / trials).tolist())


# Synthetic systems


def invoices(rng: random.Random, documents: int, rows: int) -> Truths:
    """Make documents with ten fields, and rows with six."""

    def number(top: int) -> str:
        return f"{rng.randint(100, top * 100) / 100:.2f}"

    return {
        f"d{document}": {
            **{f"field{i}": typo(rng, f"Adler {rng.randint(1000, 9999)} Mitte", 0.3) for i in range(10)},
            "items": [
                {"name": typo(rng, f"tea {rng.randint(100, 999)} green", 0.3), "sku": str(rng.randint(10**6, 10**7)),
                 "qty": str(rng.randint(1, 99)), "price": number(90), "tax": number(20), "total": number(900)}
                for _ in range(rows)
            ],
        }
        for document in range(documents)
    }  # fmt: skip


def answered(rng: random.Random, truths: Truths, quality: float) -> Truths:
    """Return predictions with this share of right values; systems have three in ten errors in common."""
    predictions = copy.deepcopy(truths)
    for name, truth in predictions.items():
        for path, value in list(_leaves(truth)):
            if rng.random() >= quality:
                place = f"{name} {json_path(path)}"
                common = rng.random() < 0.3
                source = random.Random(place) if common else rng
                draw = source.random()
                new = (
                    None if draw < 0.2 else _digits(source, typo(source, value, 0.2), []) if draw < 0.8 else value[::-1]
                )
                _set(truth, path, new)
    return predictions


def order_bar(seed: int) -> tuple[int, int]:
    """Plant sixty errors among 4,000 right values, and count the errors that the first 150 decisions settle."""
    rng = random.Random(seed)
    truths = invoices(rng, 40, 15)
    systems = {f"s{i}": answered(rng, truths, 0.85 + 0.024 * i) for i in range(6)}
    wrong: Truths = truths
    planted: list[Planted] = []
    for kind in VALUE_KINDS:
        wrong, more = plant(wrong, kind, rng, lambda *_: True, 15)
        known = {(error.document, path) for error in planted for path in error.paths}
        planted += [error for error in more if (error.document, error.paths[0]) not in known]
    return settled(review(wrong, systems).lines, planted, 150), len(planted)


# Random verdicts


def sampled_value(rng: random.Random, depth: int = 3, *, options: bool = True) -> Any:
    """Sample a small value with many equal parts; with `options` a ground truth, which may have one-ofs."""
    kind = rng.random()
    if depth == 0 or kind < 0.35:
        return rng.choice(["a", "ab", "abc", "b c", "", "12.50", None, 1, 2, 1.5, True, "é", "a long text"])
    parts = [sampled_value(rng, depth - 1, options=options) for _ in range(rng.randint(0, 4))]
    if kind < 0.42 and options and parts:
        return {"$one_of": parts}
    if kind < 0.7:
        return parts
    return dict(zip(rng.sample(["a", "b", "c", "unit price", "a.b", "[0]"], len(parts)), parts, strict=True))


def sampled_document(rng: random.Random) -> Any:
    """Sample a ground truth: most often an object with a list of rows."""
    if rng.random() < 0.2:
        return sampled_value(rng)
    rows = [
        {key: sampled_value(rng, 2) for key in rng.sample(["a", "b", "unit price", "n"], rng.randint(1, 4))}
        for _ in range(rng.randint(0, 5))
    ]
    return {
        "total": sampled_value(rng, 1),
        "rows": [*rows, *rng.sample(rows, rng.randint(0, len(rows)))],
        "x": sampled_value(rng),
    }


def changed(rng: random.Random, value: Any) -> Any:
    """Sample a prediction near a ground truth."""
    if isinstance(value, dict) and "$one_of" in value:
        return changed(rng, rng.choice(value["$one_of"]))
    if rng.random() < 0.12:
        return sampled_value(rng, 2, options=False)
    if isinstance(value, list):
        rows = [changed(rng, row) for row in value if rng.random() < 0.85]
        return rng.sample(rows, len(rows))
    if isinstance(value, dict):
        return {key: changed(rng, part) for key, part in value.items() if rng.random() < 0.9}
    return value


_GONE: Any = object()
Steps = tuple[str | int, ...]
Changes = dict[Steps, tuple[str, Any]]  # for each place a verdict and the value that it names
NewRows = dict[Steps, list[tuple[int, int, Any]]]  # for each list the row before, the own number and the row


def applied_by_hand(answers: list[Any], lines: Sequence[Item]) -> list[Any] | None:
    """Return the acceptable answers with the verdicts, built from the root; None if verdicts contradict each other."""
    of_groups: dict[str, set[str]] = {}
    for item in lines:
        if item.scope:
            of_groups.setdefault(item.group, set()).add(str(item.verdict))
    verdicts = [item.verdict or min(of_groups.get(item.group, {""})) for item in lines]
    optional = list(
        dict.fromkeys(i.group for i, verdict in zip(lines, verdicts, strict=True) if _is_optional(i, verdict))
    )
    if len(optional) > 3 or any(len(group) > 1 for group in of_groups.values()):
        return None
    found: dict[str, Any] = {}
    for chosen in product((None, PREDICTION), repeat=len(optional)):
        sides = dict(zip(optional, chosen, strict=True))
        sided = [sides[i.group] if _is_optional(i, v) else v for i, v in zip(lines, verdicts, strict=True)]
        changes, rows = _changes_by_hand(lines, sided)
        if any(place[: len(outer)] == outer and place != outer for place in (*changes, *rows) for outer in changes):
            return None
        if changes.keys() & rows:
            return None
        root = _rebuilt({"$one_of": answers}, (), changes, rows)
        new = root["$one_of"] if isinstance(root, dict) and list(root) == ["$one_of"] else [root]
        if not optional:
            return new
        found |= {json.dumps(value): value for value in new}
    return list(found.values())


def _is_optional(item: Item, verdict: str | None) -> bool:
    """Return whether a verdict makes a row optional that only one side has."""
    is_of_one_side = (item.ground_truth is NoCell) != (item.proposal is NoCell)
    return verdict == BOTH and (
        item.row is not None or (is_of_one_side and re.search(r"\[\d+\]$", item.path) is not None)
    )


def _changes_by_hand(lines: Sequence[Item], verdicts: Sequence[str | None]) -> tuple[Changes, NewRows]:
    """Return the changes by place, and the new rows by list."""
    changes: Changes = {}
    rows: NewRows = {}
    for item, verdict in zip(lines, verdicts, strict=True):
        if verdict in (PREDICTION, BOTH, OTHER):
            steps = steps_of(item.path)
            place: Steps = ("$one_of", item.reference or 0, *steps) if steps or item.row is not None else ()
            value = item.value if verdict == OTHER else item.proposal
            if item.row is None:
                changes[place] = verdict, value
            else:
                rows.setdefault(place, []).append((-1 if item.after is None else item.after, item.row, value))
    return changes, rows


def _rebuilt(value: Any, place: Steps, changes: Changes, rows: NewRows) -> Any:
    """Return a part of a ground truth with the changes applied; `_GONE` if it is removed."""
    if place in changes:
        verdict, new = changes[place]
        if verdict != BOTH:
            return _GONE if new is NoCell else new
        options = value["$one_of"] if isinstance(value, dict) and "$one_of" in value else [value]
        options, new = [None if option is _GONE else option for option in options], None if new is NoCell else new
        return {"$one_of": [*options, *([] if json.dumps(new) in map(json.dumps, options) else [new])]}
    if isinstance(value, list):
        new_rows = sorted(rows.get(place, []), key=lambda row: row[:2])
        parts = [row for after, _, row in new_rows if after == -1]
        for index, part in enumerate(value):
            parts.append(_rebuilt(part, (*place, index), changes, rows))
            parts += [row for after, _, row in new_rows if after == index]
        return [part for part in parts if part is not _GONE]
    if isinstance(value, dict):
        keys = dict.fromkeys([*value, *(each[-1] for each in changes if each and each[:-1] == place)])
        fields = {key: _rebuilt(value.get(key, _GONE), (*place, key), changes, rows) for key in keys}
        return {key: part for key, part in fields.items() if part is not _GONE}
    return value


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise AssertionError(what)


def check_verdicts(seed: int) -> str:
    """Review a random document with random verdicts, and check the corrected document.

    Returns:
        "applied", or "contradiction" if the verdicts contradict each other.

    Raises:
        AssertionError: if the corrected ground truth is impossible.
    """
    rng = random.Random(seed)
    answers = [sampled_document(rng) for _ in range(rng.choice([1, 1, 1, 2]))]
    references = [{"question_id": "d", "references": answers, "page": 3}]
    systems = {f"s{i}": [{"question_id": "d", "prediction": changed(rng, rng.choice(answers))}] for i in range(3)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        one = review(references, {"s0": systems["s0"]})
        everything = review(references, systems)
        lost = sum(sum(item.points.values()) for item in one.lines)
        before = evaluate(predictions=systems["s0"], references=references, confidence=None).score
        _check(abs(lost - (1 - before)) < 1e-9, "points do not add up")
        _check(one.apply(references) == references, "no verdict changes a ground truth")
        for item in one.lines:
            item.verdict = PREDICTION
        corrected = one.apply(references)
        after = evaluate(predictions=systems["s0"], references=corrected, confidence=None).score
        _check(after == 1, "the prediction was right everywhere, and scores below 1")
        for item in everything.lines:
            item.verdict = rng.choice([PREDICTION, GROUND_TRUTH, "unclear", None, None, BOTH, OTHER])
            if item.verdict == OTHER:
                item.value = {"n": "another"} if item.row is not None else "another"
            elif item.verdict is not None and rng.random() < 0.1:
                item.scope = "group"
        expected = applied_by_hand(answers, everything.lines)
        try:
            corrected = everything.apply(references)
        except ValueError:
            _check(expected is None, "verdicts are refused that do not contradict each other")
            return "contradiction"
    _check(expected is not None, "verdicts that contradict each other are applied")
    _check(json.dumps(corrected[0]["references"]) == json.dumps(expected), "another ground truth than by hand")
    _check(list(corrected[0]) == list(references[0]), "a column is lost, or the order of columns")
    _check(corrected == everything.apply(references), "the same call gives another result")
    if corrected != references:
        with suppress(DataError):
            everything.apply(corrected)
            _check(not corrected, "its own output is not refused")
    return "applied"


def planted_in_docubench(seeds: Sequence[int], kinds: Sequence[str] = KINDS) -> tuple[int, int, int]:
    """Plant errors in DocuBench, one kind and seed at a time, at places where all three systems are right.

    Returns:
        The number of errors that the first decisions settle, the number of all errors, and how often the verdicts
        restore the order of the systems.
    """
    truths = {name: answers[0] for name, answers in rows_of(DOCUBENCH / "references.jsonl", "references").items()}
    systems = {name: rows_of(DOCUBENCH / f"predictions_{name}.jsonl", "prediction") for name in SYSTEMS}
    options: dict[str, Any] = {"schema": DOCUBENCH / "schemas"}
    results = {name: evaluate(predictions=side, references=truths, **options) for name, side in systems.items()}
    right = [right_places(result) for result in results.values()]
    order = sorted(results, key=lambda name: results[name].score)

    def is_chosen(document: str, path: str) -> bool:
        return all(of_system[document].get(path, False) for of_system in right)

    found = total = back = 0
    for kind, seed in product(kinds, seeds):
        wrong, planted = plant(truths, kind, random.Random(seed), is_chosen)
        judged = review(wrong, systems, **options)
        found, total = found + settled(judged.lines, planted), total + len(planted)
        decide(judged.lines, planted)
        corrected = judged.apply(wrong)
        scores = {
            name: evaluate(predictions=side, references=corrected, **options).score for name, side in systems.items()
        }
        back += sorted(scores, key=scores.__getitem__) == order
    return found, total, back


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["planted", "order", "verdicts", "estimate"])
    parser.add_argument("--pairs", type=int, default=100_000)
    arguments = parser.parse_args()
    only = arguments.only
    if only in (None, "planted") and DOCUBENCH.is_dir():
        print(f"errors settled by {LENGTHENED} × as many decisions, and how often the order of systems comes back")
        for kind in KINDS:
            found, total, back = planted_in_docubench(SEEDS, [kind])
            print(f"  {kind:<20} {found:>4} of {total:<4} {found / total:>6.1%}  {back} of {len(SEEDS)}")
    if only in (None, "order"):
        for seed in SEEDS:
            print("order: {} of {} errors within the first 150 decisions".format(*order_bar(seed)))
    if only in (None, "verdicts"):
        print(f"random verdicts: {dict(Counter(map(check_verdicts, range(arguments.pairs))))}")
    if only in (None, "estimate"):
        for documents in (15, 50):
            print(f"estimate, {documents} documents: " + ", ".join(f"{share:.1%}" for share in coverage(documents)))


if __name__ == "__main__":
    main()
