"""Measure reviews: `python -m dev.benchmarks.review` plants errors, gives verdicts, and simulates the estimate."""

from __future__ import annotations

import argparse
import copy
import json
import random
import resource
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dev.benchmarks.workloads import RECEIPTS, typo
from docscore import Evaluation, Review, anls_score, evaluate
from docscore.core.errors import DataError
from docscore.core.values import json_path
from docscore.data.rows import NoCell
from docscore.ground_truths.verdicts import BOTH, GROUND_TRUTH, OTHER, PREDICTION, review
from docscore.ground_truths.worklist import Item

DOCUBENCH = RECEIPTS.parent / "docubench"
SYSTEMS = ("claude", "gemini", "gpt")
ERRORS = 40  # of one kind at a time
SEEDS = (1, 2, 3)
LENGTHENED = 3  # an error counts as shown if it stands among so many times as many items as errors

Truths = dict[str, Any]


class Planted(NamedTuple):
    """An error in a ground truth.

    Attributes:
        document: the id.
        paths: the paths of the values that are wrong; of a row that is gone or twice that of its list.
        values: the right value at each path; the row.
        kind: how it was made.
    """

    document: str
    paths: tuple[str, ...]
    values: tuple[Any, ...]
    kind: str

    def is_shown_by(self, item: Item) -> bool:
        """Whether an item is about this error."""
        if item.question_id != self.document:
            return False
        if self.kind == "a row gone":
            return item.row is not None and item.path == self.paths[0] and _alike(self.values[0], item.proposal)
        if self.kind == "a row twice":
            at_row = item.path.rpartition("[")[0] == self.paths[0]
            return at_row and item.proposal is NoCell and item.ground_truth == self.values[0]
        if self.kind == "two rows exchanged":  # another value of the two rows may tell it
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
    """By document the path of each value and row, and whether the system has it right."""
    return {
        name: {
            node.path: node.earned == node.weight > 0 for node in result[name].tree.nodes() if node.status != "extra"
        }
        for name in result
    }


def plant(
    truths: Truths, kind: str, rng: random.Random, is_right: Callable[[str, str], bool], count: int = ERRORS
) -> tuple[Truths, list[Planted]]:
    """Plant errors of one kind at places that are right by a function of document and path, and list them."""
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


def shown(items: Sequence[Item], planted: Sequence[Planted], most: int | None = None) -> int:
    """How many of the errors stand among the first items."""
    first = items[: LENGTHENED * len(planted) if most is None else most]
    return sum(any(map(error.is_shown_by, first)) for error in planted)


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
    """The values of a JSONL file by id."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {row["question_id"]: row[key] for row in rows}


# The estimate


def simulated_sample(rng: np.random.Generator, draws: int) -> Review:
    """A sample of known verdicts: 31 % of the loss comes back, at 40 % of it the ground truth is wrong."""
    verdicts = rng.choice([PREDICTION, BOTH, OTHER, GROUND_TRUTH], size=draws, p=[0.2, 0.11, 0.09, 0.6]).tolist()
    sample = {"system": "gpt", "score": 0.848, "loss": 0.152, "draws": draws}
    rest: dict[str, Any] = dict.fromkeys(("question_id", "path", "judged", "group", "kind"), "")
    rest |= {"points": {}, "systems": ["gpt"], "agree": 1, "of": 1, "others": [], "drawn": 1, "sample": sample}
    return Review([Item(**rest, verdict=verdict) for verdict in verdicts])


def coverage(draws: int, trials: int = 1000) -> tuple[float, float, float]:
    """How often the intervals hold the share that comes back, the share of wrong ground truths, the corrected score."""
    held = np.zeros(3)
    truth = 0.31, 0.40, 0.848 + 0.31 * 0.152
    rng = np.random.default_rng(1)
    for _ in range(trials):
        estimate = simulated_sample(rng, draws).estimate()
        for number, (shares, right) in enumerate(
            zip((estimate.returning, estimate.wrong, estimate.corrected), truth, strict=True)
        ):
            held[number] += shares[0][1] <= right <= shares[0][2]
    return tuple((held / trials).tolist())


# Synthetic systems


def invoices(rng: random.Random, documents: int, rows: int) -> Truths:
    """Documents of ten fields and rows of six."""

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
    """The predictions of a system that has this share of the values right; three in ten errors are those of others."""
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
    """Sixty errors among 4,000 right values, six systems of 85 to 97 %: how many are among the first 150 items."""
    rng = random.Random(seed)
    truths = invoices(rng, 40, 15)
    systems = {f"s{i}": answered(rng, truths, 0.85 + 0.024 * i) for i in range(6)}
    wrong: Truths = truths
    planted: list[Planted] = []
    for kind in VALUE_KINDS:
        wrong, more = plant(wrong, kind, rng, lambda *_: True, 15)
        known = {(error.document, path) for error in planted for path in error.paths}
        planted += [error for error in more if (error.document, error.paths[0]) not in known]
    return shown(review_of(systems, wrong).lines, planted, 150), len(planted)


def review_of(systems: Mapping[str, Any], truths: Any, **settings: Any) -> Review:
    """The review of systems on ground truths by id."""
    return review(truths, systems, **settings)


def sizes() -> Iterator[tuple[str, float, float]]:
    """The seconds of processor time of the two sizes of a review, and the peak of memory in megabytes so far."""
    for name, documents, rows, systems in (
        ("50 documents × 6 systems × 100 values", 50, 15, 6),
        ("10,000 receipts × 3 systems", 10_000, 3, 3),
    ):
        rng = random.Random(1)
        truths = invoices(rng, documents, rows)
        with tempfile.TemporaryDirectory() as folder:
            references = Path(folder) / "references.jsonl"
            _write(references, "references", {key: [value] for key, value in truths.items()})
            paths = {}
            for i in range(systems):
                paths[f"s{i}"] = Path(folder) / f"s{i}.jsonl"
                _write(paths[f"s{i}"], "prediction", answered(rng, truths, 0.9 + 0.01 * i))
            del truths
            start = time.process_time()
            review_of(paths, references).write(Path(folder) / "review.jsonl")
            yield name, time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _write(path: Path, key: str, values: Mapping[str, Any]) -> None:
    rows = (json.dumps({"question_id": name, key: value}) for name, value in values.items())
    path.write_text("\n".join(rows) + "\n", "utf-8")


# Random verdicts


def drawn_value(rng: random.Random, depth: int = 3, *, options: bool = True) -> Any:
    """A small value, in which equal parts are frequent; with `options` a ground truth, which may have one-ofs."""
    kind = rng.random()
    if depth == 0 or kind < 0.35:
        return rng.choice(["a", "ab", "abc", "b c", "", "12.50", None, 1, 2, 1.5, True, "é", "a long text"])
    parts = [drawn_value(rng, depth - 1, options=options) for _ in range(rng.randint(0, 4))]
    if kind < 0.42 and options and parts:
        return {"$one_of": parts}
    if kind < 0.7:
        return parts
    return dict(zip(rng.sample(["a", "b", "c", "unit price", "a.b", "[0]"], len(parts)), parts, strict=True))


def drawn_document(rng: random.Random) -> Any:
    """A ground truth: most often an object with a list of rows."""
    if rng.random() < 0.2:
        return drawn_value(rng)
    rows = [
        {key: drawn_value(rng, 2) for key in rng.sample(["a", "b", "unit price", "n"], rng.randint(1, 4))}
        for _ in range(rng.randint(0, 5))
    ]
    return {
        "total": drawn_value(rng, 1),
        "rows": [*rows, *rng.sample(rows, rng.randint(0, len(rows)))],
        "x": drawn_value(rng),
    }


def changed(rng: random.Random, value: Any) -> Any:
    """A prediction near a ground truth."""
    if isinstance(value, dict) and "$one_of" in value:
        return changed(rng, rng.choice(value["$one_of"]))
    if rng.random() < 0.12:
        return drawn_value(rng, 2, options=False)
    if isinstance(value, list):
        rows = [changed(rng, row) for row in value if rng.random() < 0.85]
        return rng.sample(rows, len(rows))
    if isinstance(value, dict):
        return {key: changed(rng, part) for key, part in value.items() if rng.random() < 0.9}
    return value


def parts_of(value: Any, path: str = "$") -> Iterator[tuple[str, str]]:
    """All leaves and keys of a JSON value, with paths without indices."""
    yield path, json.dumps(value) if not isinstance(value, dict | list) else ""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from parts_of(part, f"{path}.{key}" if isinstance(value, dict) else f"{path}[]")


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise AssertionError(what)


def check_verdicts(seed: int) -> str:
    """Review a random document with random verdicts, and check the corrected one.

    Returns:
        "applied", or "contradiction" where the verdicts contradict each other.

    Raises:
        AssertionError: for a corrected ground truth that cannot be.
    """
    rng = random.Random(seed)
    answers = [drawn_document(rng) for _ in range(rng.choice([1, 1, 1, 2]))]
    references = [{"question_id": "d", "references": answers, "page": 3}]
    systems = {f"s{i}": [{"question_id": "d", "prediction": changed(rng, rng.choice(answers))}] for i in range(3)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        one = review_of({"s0": systems["s0"]}, references)
        everything = review_of(systems, references)
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
            is_row = item.row is not None or (item.ground_truth is NoCell) != (item.proposal is NoCell)
            item.verdict = rng.choice([PREDICTION, GROUND_TRUTH, "unclear", None, *([] if is_row else [BOTH, OTHER])])
            if item.verdict == OTHER:
                item.value = "another"
        try:
            corrected = everything.apply(references)
        except ValueError:
            return "contradiction"
    decided = [item for item in everything.lines if item.verdict in (PREDICTION, BOTH, OTHER)]
    gone: Counter[str] = Counter()
    for item in decided:
        if item.verdict != BOTH and item.ground_truth is not NoCell:
            gone.update(value for _, value in parts_of(item.ground_truth))
    kept = Counter(value for _, value in parts_of(answers))
    found = Counter(value for _, value in parts_of(corrected[0]["references"]))
    missing = kept - found - gone
    _check(not +Counter({value: count for value, count in missing.items() if value}), f"lost: {missing}")
    _check(list(corrected[0]) == list(references[0]), "a column is lost, or the order of columns")
    _check(corrected == everything.apply(references), "the same call gives another result")
    if corrected != references:
        with suppress(DataError):
            everything.apply(corrected)
            _check(not corrected, "its own output is not refused")
    return "applied"


def planted_in_docubench(
    *, schemas: bool, agreeing: int, seeds: Sequence[int] = SEEDS, kinds: Sequence[str] = KINDS
) -> tuple[int, int, int]:
    """Plant errors in DocuBench, one kind and seed at a time.

    Returns:
        How many are shown, how many there are, and how often their verdicts bring the order of systems back.
    """
    truths = {name: answers[0] for name, answers in rows_of(DOCUBENCH / "references.jsonl", "references").items()}
    systems = {name: rows_of(DOCUBENCH / f"predictions_{name}.jsonl", "prediction") for name in SYSTEMS}
    options: dict[str, Any] = {"schema": DOCUBENCH / "schemas"} if schemas else {}
    results = {name: evaluate(predictions=side, references=truths, **options) for name, side in systems.items()}
    right = [right_places(result) for result in results.values()]
    order = sorted(results, key=lambda name: results[name].score)

    def is_chosen(document: str, path: str) -> bool:
        return sum(of_system[document].get(path, False) for of_system in right) == agreeing

    found = total = back = 0
    for kind, seed in product(kinds, seeds):
        wrong, planted = plant(truths, kind, random.Random(seed), is_chosen)
        review = review_of(systems, wrong, **options)
        found, total = found + shown(review.lines, planted), total + len(planted)
        decide(review.lines, planted)
        corrected = review.apply(wrong)
        scores = {
            name: evaluate(predictions=side, references=corrected, **options).score for name, side in systems.items()
        }
        back += sorted(scores, key=scores.__getitem__) == order
    return found, total, back


def planted_shares(*, schemas: bool) -> None:
    """Print how many of the errors planted in DocuBench are shown, and whether their verdicts bring the order back."""
    print(f"errors shown within {LENGTHENED} × as many items, {'with' if schemas else 'without'} schemas, order back")
    for agreeing, kind in product((3, 2), KINDS):
        found, total, back = planted_in_docubench(schemas=schemas, agreeing=agreeing, kinds=[kind])
        share = f"{found / total:.1%}" if total else "-"
        print(f"  {agreeing} of 3 right  {kind:<20} {found:>4} of {total:<4} {share:>6}  {back} of {len(SEEDS)}")


def planted_in_receipts() -> None:
    """Print how many of the errors planted in the real receipts one system shows."""
    truths = {name: answers[0] for name, answers in rows_of(RECEIPTS / "references.jsonl", "references").items()}
    system = rows_of(RECEIPTS / "predictions.jsonl", "prediction")
    right = right_places(evaluate(predictions=system, references=truths))
    print(f"errors shown within {LENGTHENED} × as many items, receipts, one system")
    for kind in KINDS:
        found = total = 0
        for seed in SEEDS:
            rng = random.Random(seed)
            wrong, planted = plant(truths, kind, rng, lambda name, path: right[name].get(path, False))
            lines = review_of({"qwen": system}, wrong).lines
            found, total = found + shown(lines, planted), total + len(planted)
        print(f"  {kind:<20} {found:>4} of {total:<4} {found / max(total, 1):>6.1%}")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["planted", "order", "verdicts", "estimate", "sizes"])
    parser.add_argument("--pairs", type=int, default=100_000)
    arguments = parser.parse_args()
    only = arguments.only
    if only in (None, "planted") and DOCUBENCH.is_dir():
        planted_shares(schemas=True)
        planted_shares(schemas=False)
        planted_in_receipts()
    if only in (None, "order"):
        for seed in SEEDS:
            print("order: {} of {} errors among the first 150 items".format(*order_bar(seed)))
    if only in (None, "verdicts"):
        print(f"random verdicts: {dict(Counter(map(check_verdicts, range(arguments.pairs))))}")
    if only in (None, "estimate"):
        for draws in (30, 60, 200):
            print(f"estimate, {draws} draws: " + ", ".join(f"{share:.1%}" for share in coverage(draws)))
    if only in (None, "sizes"):
        for name, seconds, megabytes in sizes():
            print(f"{name}: {seconds:.1f} s, {megabytes:,.0f} MB")


if __name__ == "__main__":
    main()
