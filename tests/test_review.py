"""Reviews of ground truths: which places are listed in which order, what verdicts change, and what a sample says."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import docscore
from benchmarks import review as measured
from docscore import Review
from docscore.core.values import convert_ground_truth
from docscore.data.pairing import read_ground_truths
from docscore.evaluation.worklist import hash_of
from tests.commands import Write, run
from tests.conftest import golden
from tests.test_json_output import validated


def reviewed(references: list[Any], systems: dict[str, Any], **options: Any) -> Review:
    rows = [{"question_id": "d", "references": references}]
    sides = {name: [{"question_id": "d", "prediction": prediction}] for name, prediction in systems.items()}
    return docscore.review(rows, sides, **options)


@golden("review", "items")
def test_the_places_of_a_document(
    references: list[Any], systems: dict[str, Any], options: dict[str, Any], items: list[dict[str, Any]]
) -> None:
    """All of them, in their order; of each what is said. What a system loses adds up to 1 - score."""
    lines = reviewed(references, systems, **options).lines
    assert [{name: line[name] for name in item} for line, item in zip(lines, items, strict=True)] == items
    scoring = {name: options[name] for name in options if name in ("numbers", "schema", "with_confidences")}
    for name, prediction in systems.items():
        result = docscore.evaluate(
            predictions=[{"question_id": "d", "prediction": prediction}],
            references=[{"question_id": "d", "references": references}],
            **scoring,
        )
        lost = sum(line["points"].get(name, 0.0) for line in lines)
        assert lost == pytest.approx(0 if name in options.get("hold_out", ()) else 1 - result.score)


def verdicts_of(truth: list[Any], verdicts: list[dict[str, Any]]) -> Review:
    judged = hash_of(convert_ground_truth(tuple(truth)))
    common = {"question_id": "d", "judged": judged, "systems": ["s"], "of": 1, "kind": "", "group": "", "points": {}}
    return Review([{**common, **line} for line in verdicts])


@golden("review", "applied")
def test_a_verdict(truth: list[Any], verdicts: list[dict[str, Any]], expected: list[Any]) -> None:
    rows = [{"question_id": "d", "page": 3, "references": truth}]
    [corrected] = verdicts_of(truth, verdicts).apply(rows)
    assert json.dumps(corrected) == json.dumps({"question_id": "d", "page": 3, "references": expected})


@golden("review", "refused")
def test_verdicts_that_are_refused(truth: list[Any], verdicts: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(ValueError, match="expected|ground truth|verdict") as caught:
        verdicts_of(truth, verdicts).apply([{"question_id": "d", "references": truth}])
    assert problem in str(caught.value)


@golden("review", "files")
def test_a_file_that_is_corrected(
    tmp_path: Path, name: str, source: str, expected: str, value: Any, output: str, options: dict[str, Any]
) -> None:
    """All other columns, rows and their order stay, and lines that do not change byte for byte; twice the same."""
    path, corrected = tmp_path / name, tmp_path / f"new_{output}"
    path.write_bytes(source.encode())
    rows = read_ground_truths(path, options)
    place = {"path": "$", "judged": hash_of(rows.values[-1]), "verdict": "other", "value": value, "others": []}
    review = Review([{"question_id": rows.ids[-1], **place}])
    for _ in range(2):
        review.apply(path, corrected, **options)
        assert corrected.read_bytes() == expected.encode()
    assert path.read_bytes() == source.encode()
    with pytest.raises(ValueError, match="already applied, or changed since"):
        review.apply(corrected, **options)


def test_verdicts_of_random_documents() -> None:
    """`python -m benchmarks.review --only verdicts` gives 100,000."""
    assert {*map(measured.check_verdicts, range(250))} == {"applied", "contradiction"}
