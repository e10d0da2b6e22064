"""Typed scores on the command line, in the report and in `evaluate`: with a schema for all, and with one a document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docscore import evaluate_module, typed_score
from tests.commands import Write, pred, ref, run, succeed

PRICES = {"additionalProperties": {"type": "number", "x-docscore": {"tolerance": "1%"}}}


@pytest.fixture
def prices(write: Write, tmp_path: Path) -> tuple[Path, Path, Path]:
    """References, predictions and a schema: one number is within the tolerance, one cannot be read."""
    (tmp_path / "schema.json").write_text(json.dumps(PRICES))
    return (
        write("r.jsonl", [ref("a", {"total": 100.0, "tip": 2})]),
        write("p.jsonl", [pred("a", {"total": 100.5, "tip": "two"})]),
        tmp_path / "schema.json",
    )


def test_explain_shows_why(prices: tuple[Path, Path, Path]) -> None:
    *files, schema = prices
    text = succeed("explain", *files, "--metric", "typed", "--schema", schema)
    assert "within the tolerance" in text
    assert "the prediction cannot be read as a number: compared as text" in text
    leaves = json.loads(succeed("explain", *files, "--metric", "typed", "--schema", schema, "--json"))["children"]
    assert [leaf["compared"] for leaf in leaves] == ["number, tolerance 1%"] * 2


@pytest.mark.parametrize("command", ["score", "explain"])
def test_a_wrong_schema_is_one_line(prices: tuple[Path, Path, Path], command: str) -> None:
    *files, path = prices
    path.write_text('{"items": {"x-docscore": {"compare": "fuzzy"}}}')
    done = run(command, *files, "--schema", path)
    assert (done.code, done.out) == (2, "")
    assert "#/items/x-docscore/compare: expected" in done.err
    assert done.err.count("\n") == 1


def test_evaluate_adds_the_typed_score() -> None:
    evaluate = pytest.importorskip("evaluate")
    metric = evaluate.load(evaluate_module("anls_star"))
    rows: dict[str, Any] = {
        "predictions": [{"question_id": "a", "prediction": {"total": 100.5}}],
        "references": [{"question_id": "a", "references": [{"total": 100.0}]}],
    }
    found = metric.compute(**rows, schema=PRICES, key_scores=True, confidence=0.95, signature=True)
    assert found["anls_score"] == pytest.approx(0.8)
    assert found["typed_score"] == typed_score({"total": 100.0}, {"total": 100.5}, PRICES) == 1.0
    assert found["typed_fields"][0]["compared"] == "number, tolerance 1%"
    assert found["typed_confidence_interval"] is None
    assert found["typed_signature"].startswith("typed|tau:0.5|case:i|empty:ignored|schema:")
    assert set(metric.compute(**rows)) == {"anls_score"}
    with pytest.raises(ValueError, match="x-docscore/compare"):
        metric.compute(**rows, schema={"x-docscore": {"compare": "fuzzy"}})


def test_compare_by_the_typed_score(prices: tuple[Path, Path, Path], write: Write) -> None:
    _, _, schema = prices
    truths = [ref(f"d{number}", {"total": 100.0}) for number in range(8)]
    base, new = ([pred(f"d{number}", {"total": value}) for number in range(8)] for value in (110.0, 100.5))
    files = write("base.jsonl", base), write("new.jsonl", new), "--references", write("refs.jsonl", truths)
    found = json.loads(succeed("compare", *files, "--schema", schema, "--json"))
    change = next(each for each in found["metrics"] if each["figure"] == "typed_score")
    assert (change["base"], change["new"], change["difference"]) == (pytest.approx(2 / 3), 1.0, pytest.approx(1 / 3))
    assert change["p_value"] == pytest.approx(2 / 2**8)  # all eight keep together in two of the swaps
    plain = next(each for each in found["metrics"] if each["figure"] == "anls_star")
    assert plain["difference"] == pytest.approx(0.0, abs=1e-9)  # one character each, by text
    assert found["difference"] == change["difference"]
    assert "|schema:" in found["signatures"]["typed"]
    assert "metrics" not in json.loads(succeed("compare", *files, "--json"))
    text = succeed("compare", *files, "--schema", schema)
    assert "Typed score" in text
    markdown = succeed("compare", *files, "--schema", schema, "--metrics", "entity_f1", "--markdown")
    assert "| Typed score | 0.6667 | 1.0000 | +0.3333 |" in markdown
    assert "| Entity F1 |" in markdown
