"""Workloads: pairs of ground truth and prediction that fixed seeds generate."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

Pair = tuple[Any, Any]
LETTERS = string.ascii_lowercase + string.digits + "     "
RECEIPTS = Path(__file__).parents[3] / "shared" / "data" / "cord_qwen2vl_72b"


class Workload(NamedTuple):
    """A workload.

    Attributes:
        name: its name in the table.
        make: a function that makes the pairs of a size.
        size: the size at which docscore is measured.
        small: the size at which the published package is measured too. It takes seconds there; at the full size it
            often takes minutes.
    """

    name: str
    make: Callable[[int], list[Pair]]
    size: int
    small: int


def words(rng: random.Random, low: int, high: int) -> str:
    """Sample a text of `low` to `high` characters."""
    return "".join(rng.choices(LETTERS, k=rng.randint(low, high))).strip() or "x"


def typo(rng: random.Random, text: str, rate: float) -> str:
    """Return the text with a share `rate` of its characters replaced, deleted or doubled."""
    out = []
    for c in text:
        draw = rng.random() / rate
        if draw < 1 / 3:
            out.append(rng.choice(LETTERS))
        elif draw >= 1:
            out.append(c)
        elif draw >= 2 / 3:
            out.append(c + c)
    return "".join(out)


def questions(count: int) -> list[Pair]:
    """Short questions with one to five acceptable answers."""
    rng = random.Random(1)
    pairs = []
    for _ in range(count):
        answer = words(rng, 2, 30)
        options = [answer, *(typo(rng, answer, 0.2) or "x" for _ in range(rng.randint(0, 4)))]
        pairs.append((tuple(options), typo(rng, answer, 0.1) if rng.random() < 0.7 else words(rng, 2, 30)))
    return pairs


def invoice(rng: random.Random) -> Pair:
    """Ten fields and 1 to 30 items of 4 to 6 keys; typos, drops, inventions and shuffles in the prediction."""
    truth: dict[str, Any] = {f"field_{k}": words(rng, 4, 24) for k in range(10)}
    truth["items"] = [
        {f"key_{k}": words(rng, 2, 20) for k in range(rng.randint(4, 6))} for _ in range(rng.randint(1, 30))
    ]
    fields = {k: typo(rng, v, 0.05) for k, v in truth.items() if k != "items" and rng.random() > 0.05}
    items = []
    for item in truth["items"]:
        if rng.random() > 0.07:
            items.append({k: typo(rng, v, 0.05) for k, v in item.items() if rng.random() > 0.04})
    if rng.random() < 0.3:
        items.append({f"key_{k}": words(rng, 2, 20) for k in range(4)})
    if rng.random() < 0.2:
        fields["invented"] = words(rng, 4, 24)
    if rng.random() < 0.3:
        rng.shuffle(items)
    return truth, {**fields, "items": items}


def invoices(count: int) -> list[Pair]:
    """Invoices, see `invoice`."""
    rng = random.Random(2)
    return [invoice(rng) for _ in range(count)]


_NUMBER: dict[str, Any] = {"type": "number"}
_DATE: dict[str, Any] = {"type": "string", "format": "date"}
_ROWS = dict.fromkeys(("quantity", "price", "amount"), _NUMBER)
TYPED_SCHEMA: dict[str, Any] = {
    "properties": {"total": _NUMBER, "tax": _NUMBER, "date": _DATE, "items": {"items": {"properties": _ROWS}}}
}


def typed_invoices(count: int) -> list[Pair]:
    """Make invoices with numbers and dates that have a different notation on each side, for `TYPED_SCHEMA`."""
    rng, pairs = random.Random(5), []
    for _ in range(count):
        truth: dict[str, Any] = {f"field_{k}": words(rng, 4, 24) for k in range(5)}
        prediction = {key: typo(rng, text, 0.05) for key, text in truth.items()}
        rows = []
        for _ in range(rng.randint(1, 30)):
            row = {"name": words(rng, 2, 20), "quantity": rng.randint(1, 20)}
            rows.append(row | {key: round(rng.uniform(1, 5000), 2) for key in ("price", "amount")})
        truth |= {"total": rows[0]["amount"], "tax": 19.0, "date": "2024-03-12", "items": rows}
        others = [dict(row) for row in rows]
        rng.shuffle(others)
        pairs.append((truth, {**prediction, "total": 1.5, "tax": "19.00", "date": "12 March 2024", "items": others}))
    return pairs


def flat_objects(count: int, keys: int = 12) -> list[Pair]:
    """Objects of texts; one key in twenty is missing from the prediction."""
    rng = random.Random(13)
    truths = [{f"field_{k}": words(rng, 4, 24) for k in range(keys)} for _ in range(count)]
    return [(truth, {k: typo(rng, v, 0.05) for k, v in truth.items() if rng.random() > 0.05}) for truth in truths]


def statement(rows: int) -> list[Pair]:
    """One bank statement: shuffled rows of five keys, with typos."""
    rng = random.Random(3)
    truth = [
        {
            "date": f"{rng.randint(1, 28):02}.{rng.randint(1, 12):02}.2024",
            "text": words(rng, 10, 40),
            "amount": f"{rng.uniform(1, 9999):.2f}",
            "balance": f"{rng.uniform(1, 99999):.2f}",
            "reference": "".join(rng.choices(string.digits, k=12)),
        }
        for _ in range(rows)
    ]
    prediction = [{k: typo(rng, v, 0.03) for k, v in row.items()} for row in truth]
    rng.shuffle(prediction)
    return [(truth, prediction)]


def orders(count: int) -> list[Pair]:
    """Shuffled orders, each with a list of one to six items of three keys; one character in twenty is wrong."""
    rng = random.Random(12)
    truth: list[dict[str, Any]] = []
    for _ in range(count):
        items = [{key: words(rng, 2, 20) for key in ("name", "size", "price")} for _ in range(rng.randint(1, 6))]
        truth.append({"number": words(rng, 8, 8), "customer": words(rng, 6, 20), "items": items})
    prediction = []
    for order in truth:
        items = [{key: typo(rng, cell, 0.05) for key, cell in item.items()} for item in order["items"]]
        prediction.append({**order, "customer": typo(rng, order["customer"], 0.05), "items": items})
    rng.shuffle(prediction)
    return [(truth, prediction)]


def text(length: int) -> list[Pair]:
    """One text with 3 % errors."""
    rng = random.Random(4)
    truth = "".join(rng.choices(LETTERS, k=length))
    return [(truth, typo(rng, truth, 0.03))]


def _damaged(rng: random.Random, value: Any) -> Any:
    """Return a value with typos in its texts, and with shuffled lists."""
    if isinstance(value, str):
        return typo(rng, value, 0.05)
    if isinstance(value, dict):
        return {key: _damaged(rng, part) for key, part in value.items()}
    kept = [_damaged(rng, each) for each in value]
    rng.shuffle(kept)
    return kept


def nested(width: int, levels: int = 3) -> list[Pair]:
    """Levels of lists with `width` elements each."""
    rng = random.Random(6)

    def build(level: int) -> Any:
        return [build(level - 1) for _ in range(width)] if level else words(rng, 3, 12)

    truth = build(levels)
    return [(truth, _damaged(rng, truth))]


def nested_rows(rows: int, levels: int, texts: int) -> list[Pair]:
    """Rows of some texts and of rows of the level below."""
    rng = random.Random(14)

    def build(level: int) -> Any:
        below = [{"rows": build(level - 1)} if level > 1 else {} for _ in range(rows)]
        return [{f"key_{k}": words(rng, 3, 12) for k in range(texts)} | each for each in below]

    truth = build(levels)
    return [(truth, _damaged(rng, truth))]


def strings(count: int) -> list[Pair]:
    """Two lists of plain strings."""
    rng = random.Random(7)
    truth = [words(rng, 5, 25) for _ in range(count)]
    prediction = [typo(rng, each, 0.05) for each in truth]
    rng.shuffle(prediction)
    return [(truth, prediction)]


def repeated(count: int) -> list[Pair]:
    """Two lists of objects, twelve of them distinct, so that many matchings tie."""
    rng = random.Random(8)
    kinds = [{"name": words(rng, 5, 20), "price": f"{rng.uniform(1, 99):.2f}"} for _ in range(12)]
    truth = [dict(rng.choice(kinds)) for _ in range(count)]
    prediction = [dict(rng.choice(kinds)) for _ in range(count)]
    return [(truth, prediction)]


def own_keys(count: int) -> list[Pair]:
    """Two lists of objects, each with a key that no other object has."""
    rng = random.Random(9)
    sides = ([{"name": words(rng, 5, 9), f"key {i}": words(rng, 5, 9)} for i in range(count)] for _ in range(2))
    return [(next(sides), next(sides))]


def chained(count: int) -> list[Pair]:
    """Rows that each fit two neighbours equally well, so that ties form a chain; every second row has one more key."""
    numbers = [f"{i:06}" for i in range(count + 1)]
    truth = [{"a": n, "b": n, "c": "x"} if i % 2 else {"a": n, "b": n} for i, n in enumerate(numbers[:-1])]
    return [(truth, [{"a": here, "b": there} for here, there in pairwise(numbers)])]


def alike(count: int) -> list[Pair]:
    """Equal rows against equal rows, so that all matchings tie."""
    return [([{"a": "one", "b": "two"}] * count, [{"a": "one", "b": "tow"}] * count)]


def long_list(count: int) -> list[Pair]:
    """Shuffled rows of six fields; two cells in a hundred are wrong, and one row in a hundred is missing."""
    rng = random.Random(16)

    def row(number: int) -> dict[str, Any]:
        return {
            "number": f"{number:08}",
            "date": f"{rng.randint(2019, 2024)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
            "text": words(rng, 10, 40),
            "quantity": str(rng.randint(1, 50)),
            "amount": f"{rng.uniform(1, 9999):.2f}",
            "currency": rng.choice(["EUR", "GBP", "USD"]),
        }

    truth = [row(rng.randrange(10**8)) for _ in range(count)]
    others = [row(rng.randrange(10**8)) for _ in range(count)]
    prediction = [
        {key: cell if rng.random() >= 0.02 else other[key] for key, cell in each.items()}
        for each, other in zip(truth, others, strict=True)
        if rng.random() >= 0.01
    ]
    rng.shuffle(prediction)
    return [(truth, prediction)]


def lists_of_cells(count: int, columns: int = 10) -> list[Pair]:
    """A table as a list of lists; one cell in twenty is wrong."""
    rng = random.Random(10)
    truth = [[words(rng, 3, 9) for _ in range(columns)] for _ in range(count)]
    return [(truth, [[cell if rng.random() > 0.05 else words(rng, 3, 9) for cell in row] for row in truth])]


def receipts(_: int) -> list[Pair]:
    """The 60 real receipts."""
    rows = {
        name: map(json.loads, (RECEIPTS / f"{name}.jsonl").open(encoding="utf-8"))
        for name in ("predictions", "references")
    }
    predictions = {row["question_id"]: row["prediction"] for row in rows["predictions"]}
    return [(tuple(row["references"]), predictions[row["question_id"]]) for row in rows["references"]]


WORKLOADS = [
    Workload("questions", questions, 10_000, 10_000),
    Workload("invoices", invoices, 1_000, 100),
    Workload("flat objects", flat_objects, 1_000, 1_000),
    Workload("statement of 200 rows", statement, 200, 60),
    Workload("statement of 1,000 rows", statement, 1_000, 60),
    Workload("300 rows of 10 cells, lists", lists_of_cells, 300, 20),
    Workload("30 orders with lists of items", orders, 30, 8),
    Workload("nested, 3 levels of 8", nested, 8, 4),
    Workload("text of 5,000 characters", text, 5_000, 2_000),
    Workload("text of 50,000 characters", text, 50_000, 2_000),
    Workload("1,000 plain strings", strings, 1_000, 100),
    Workload("1,000 items, 12 distinct", repeated, 1_000, 100),
    Workload("1,000 rows with keys of their own", own_keys, 1_000, 60),
    Workload("1,000 rows that tie in chains", chained, 1_000, 60),
    Workload("1,000 rows that are all alike", alike, 1_000, 60),
]
if RECEIPTS.is_dir():
    WORKLOADS.append(Workload("60 real receipts", receipts, 60, 60))
