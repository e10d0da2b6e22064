"""One output against its references, and the hook of promptfoo, which needs nothing but Python."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from docscore import ScoreState, anls_score
from docscore.core.formatting import safe_names
from docscore.integrations.judging import answer_in, judged_output
from docscore.integrations.lm_eval import process_results, results_from
from docscore.integrations.promptfoo import get_assert
from tests.conftest import golden

BILL = {"total": "1.20", "items": [{"name": "Tea"}, {"name": "Cake"}]}
SAID = 'Sure: ```json\n{"total": "1.20", "items": [{"name": "Tea"}]}\n```'


@golden("judging", "outputs")
def test_outputs(output: Any, answers: list[Any], parse: str, score: float, parsed: str | None) -> None:
    found = judged_output(output, answers, parse=parse)
    assert (found.score, found.parsed) == (score, parsed)
    assert found.score == anls_score(tuple(answers), found.prediction)


def test_values_of_python() -> None:
    assert judged_output({"on": "2024-01-31"}, [{"on": date(2024, 1, 31)}]).score == 1.0


def test_fields_and_explanation() -> None:
    found = judged_output(SAID, [BILL])
    assert found.fields == {"total": (1.0, 1.0), "items[].name": (1.0, 2.0)}
    assert found.field_scores == {"total": 1.0, "items[].name": 0.5}
    assert found.explanation.startswith("≈ $")
    assert json.loads(found.shown) == {"total": "1.20", "items": [{"name": "Tea"}]}
    assert judged_output("tea", ["Tea"]).field_scores == {}


def test_options_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match="parse: expected 'auto', 'none', 'json' or 'repair', got 'yaml'"):
        judged_output("x", ["x"], parse="yaml")
    with pytest.raises(ValueError, match="expected at least one acceptable answer, got none"):
        judged_output("x", [])
    with pytest.raises(ValueError, match="target: expected 'auto', 'text' or 'json', got 'x'"):
        answer_in("x", "x")
    with pytest.raises(ValueError, match="target: expected JSON text, got line 1, column 1"):
        answer_in("x", "json")


@golden("judging", "targets")
def test_targets_that_are_text(text: Any, reading: str, truth: Any) -> None:
    assert answer_in(text, reading) == truth


@golden("judging", "contexts")
def test_the_hook_of_promptfoo(context: dict[str, Any]) -> None:
    found = get_assert(SAID, context)
    assert found["score"] == 2 / 3
    assert found["pass"] is False
    assert found["namedScores"] == {"total": 1.0, "items[].name": 0.5}
    assert found["componentResults"] == [
        {"pass": True, "score": 1.0, "reason": "total"},
        {"pass": False, "score": 0.5, "reason": "items[].name"},
    ]
    assert json.loads(json.dumps(found)) == found


def test_what_passes_in_promptfoo() -> None:
    assert get_assert(SAID, {"config": {"pass_at": 0.6}, "vars": {"reference": BILL}})["pass"] is True
    reference, said = (
        {"a": "abcdefghij", "b": "abcde", "c": "abcdefghij"},
        {"a": "abcdefghi", "b": "abc", "c": "abcdefghi"},
    )
    near = get_assert(said, {"config": {"pass_at": 0.8}, "vars": {"reference": reference}})
    assert near["score"] == pytest.approx(0.8)  # 0.7999999999999999, as floats add up
    assert near["pass"] is True
    with pytest.raises(ValueError, match="expected 'reference' or 'references', got "):
        get_assert(SAID, {"vars": {}})


def test_the_hook_of_lm_eval() -> None:
    assert process_results({"reference": json.dumps(BILL)}, [SAID]) == {"anls_star": 2 / 3}
    assert process_results({"references": [json.dumps(BILL), {"total": "1.20"}]}, ['{"total": "1.20"}']) == {
        "anls_star": 1.0
    }
    assert process_results({"references": ["tea", "rum"]}, ["Rum"]) == {"anls_star": 1.0}
    assert results_from("answer", parse="none")({"answer": "x", "reference": "y"}, ["x"]) == {"anls_star": 1.0}
    with pytest.raises(ValueError, match="expected 'reference' or 'references', got 'text'"):
        process_results({"text": ""}, ["x"])


def test_names_that_trackers_take() -> None:
    assert safe_names(["a", "a/items[].price", "a/größe (cm)", "a/$"]) == {
        "a": "a",
        "a/items[].price": "a/items.price",
        "a/größe (cm)": "a/größe _cm_",
        "a/$": "a/_",
    }
    assert list(safe_names(["x[]", "x", "x[][]"]).values()) == ["x", "x_2", "x_3"]


def test_a_state_with_safe_names() -> None:
    state = ScoreState()
    state.update([{"items": [{"price": "1"}]}], [{"items": [{"price": "1"}]}])
    assert state.compute(names="safe") == {"anls_star": 1.0, "anls_star/items.price": 1.0}
    assert state.compute() == {"anls_star": 1.0, "anls_star/items[].price": 1.0}
    with pytest.raises(ValueError, match="names: expected 'plain' or 'safe', got 'flat'"):
        state.compute(names="flat")
