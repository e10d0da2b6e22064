"""Checks of ground truths: each planted fault is found, and nothing in what has none."""

from __future__ import annotations

from typing import Any

from docscore import lint
from tests.conftest import golden

SCHEMA = {
    "type": "object",
    "properties": {
        "shop": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "total": {"type": ["number", "string"], "x-docscore": {"compare": "number"}},
        "items": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
}
CLEAN = {
    f"d{number}": {
        "shop": "Kontor Nord",
        "date": f"2024-03-{10 + number}",
        "total": 10.5 + number,
        "items": [{"name": f"tea {number}"}],
    }
    for number in range(6)
}


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    assert lint(CLEAN, schema=SCHEMA) == []


@golden("lint", "faults")
def test_a_planted_fault_is_found(kind: str, place: str, content: dict[str, Any], cases: int) -> None:
    """With its place, how often it occurs, and the document."""
    found = lint({**CLEAN, "odd": {**CLEAN["d5"], "items": [{"name": "rum"}], **content}}, schema=SCHEMA)
    [finding] = [finding for finding in found if (finding.kind, finding.place) == (kind, place)]
    assert finding.cases == cases
    assert "odd" in finding.ids or kind == "several types"


def test_without_a_schema_values_are_compared_with_the_others() -> None:
    truths = {f"d{number}": {"date": f"2024-{1 + number % 12:02}-{10 + number // 12}"} for number in range(25)}
    [finding] = lint({**truths, "odd": {"date": "soon 2024"}})
    assert (finding.kind, finding.place, finding.ids) == ("unread", "date", ("odd",))
