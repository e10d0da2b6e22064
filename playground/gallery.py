"""The examples of the page; each demonstrates one rule of ANLS*."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

RECEIPTS = Path(__file__).parent.parent / "examples" / "receipts"


class Example(NamedTuple):
    """An example: its title, and the texts for the two editors."""

    title: str
    truth: str
    prediction: str


def _example(title: str, truth: Any, prediction: Any) -> Example:
    return Example(title, _pretty(truth), _pretty(prediction))


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _receipt() -> Example:
    """A whole receipt with typical mistakes of a model."""
    rows = {}
    for name in ("references", "predictions"):
        lines = (RECEIPTS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        rows[name] = {row["question_id"]: row for row in map(json.loads, lines)}
    wanted = "receipt-001"
    truth, prediction = rows["references"][wanted]["references"][0], rows["predictions"][wanted]["prediction"]
    return _example("A receipt with the mistakes of a model", truth, prediction)


EXAMPLES = [
    _example(
        "A first look: one wrong letter, one missing field",
        {"vendor": "Ball & Bearing Ltd", "date": "2024-03-11", "total": "41.40"},
        {"vendor": "Ball & Bearinq Ltd", "date": "2024-03-11"},
    ),
    _example(
        "Moved rows cost nothing, a missing one its size",
        {
            "items": [
                {"name": "Tea", "price": "2.50"},
                {"name": "Cake", "price": "4.00"},
                {"name": "Milk", "price": "1.10"},
            ]
        },
        {"items": [{"name": "Cake", "price": "4.00"}, {"name": "Tea", "price": "2.50"}]},
    ),
    _example(
        "One of several answers: $one_of",
        {"currency": {"$one_of": ["€", "EUR", "Euro"]}, "total": {"$one_of": ["41.40", "41,40"]}},
        {"currency": "Eur", "total": "41,40"},
    ),
    _example(
        "Null and absent agree; null and a value do not",
        {"vat_id": None, "discount": None, "table": "7"},
        {"discount": "0.00", "table": "7"},
    ),
    _example(
        "Keys that nobody asked for: empty ones are free",
        {"total": "41.40"},
        {"total": "41.40", "tip": None, "memo": "", "cashier": "Maria"},
    ),
    _example(
        "Just below the threshold all is lost",
        {"name": "Müller", "date": "11.03.2024"},
        {"name": "Miller", "date": "2024-03-11"},
    ),
    _example(
        "The wrong type",
        {"address": {"street": "Main 1", "city": "Ulm"}, "tags": ["a"]},
        {"address": "Main 1, Ulm", "tags": "a"},
    ),
    _example(
        "Numbers compare as text",
        {"price": 12.5, "count": 1, "code": "007"},
        {"price": "12.50", "count": 1.0, "code": 7},
    ),
    _receipt(),
]
