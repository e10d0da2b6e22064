"""A metric from outside: the module and the line of docs/adding_a_metric.md, seen in every face."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docscore import ScoreState
from docscore.metrics.registry import METRICS
from tests.commands import PREDICTIONS, REFERENCES, run, succeed
from tests.conftest import ROOT
from tests.page_runner import blocks_of

pytestmark = pytest.mark.ci

GUIDE = ROOT / "docs" / "adding_a_metric.md"
NAMES = "anls_star,exact_match"


@pytest.fixture
def registered() -> Iterator[dict[str, Any]]:
    """What the blocks of the guide define; the registry is as it was afterwards."""
    before = dict(METRICS)
    defined: dict[str, Any] = {"__name__": "exact_match"}
    try:
        found = [block.text for block in blocks_of(GUIDE.read_text("utf-8")) if block.language == "python"]
        exec("\n".join(found), defined)  # noqa: S102  it is what a reader is told to do
        yield defined
    finally:
        METRICS.clear()
        METRICS.update(before)


def printed(command: str, *options: str) -> str:
    sides = [PREDICTIONS, "--references", REFERENCES] if command == "table" else [REFERENCES, PREDICTIONS]
    return succeed(command, *sides, *options)


def test_every_face_shows_it(registered: dict[str, Any], tmp_path: Path) -> None:
    """The share of example receipts that are right as a whole, counted from the scores that a command prints."""
    assert registered["result"].measured[1].label == "Exact match"
    scores = [row["anls_score"] for row in json.loads(printed("score", "--json"))["per_sample"]]
    share = scores.count(1.0) / len(scores)
    found = json.loads(printed("score", "--metrics", NAMES, "--json"))["metrics"]
    assert found["exact_match"] == pytest.approx(share)
    low, high = found["confidence_intervals"]["exact_match"]
    assert low < share < high
    assert re.search(rf"^Exact match +{share:.6f} ", printed("score", "--metrics", NAMES), re.MULTILINE)
    assert re.search(rf"^Exact match +{share:.4f}\*", printed("table", "--metrics", NAMES), re.MULTILINE)
    assert f"**{share:.4f}**" in printed("table", "--metrics", NAMES, "--format", "markdown")
    assert run("report", REFERENCES, PREDICTIONS, "-o", tmp_path / "report.html", "--metrics", NAMES).code == 0
    page = (tmp_path / "report.html").read_text("utf-8")
    assert re.search(rf"Exact match</td>\s*<td[^>]*>{share:.4f}<", page)


@pytest.mark.usefixtures("registered")
def test_in_a_mergeable_state() -> None:
    here, there = (ScoreState(metrics=["exact_match"], fields=False) for _ in range(2))
    here.update(["tea"], ["tea"])
    there.update(["tea", "rum", "x"], ["rum", "tea", "y"])
    assert here.merge(there).compute() == {"exact_match": 0.25}
