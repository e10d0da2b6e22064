"""All four metrics as `evaluate` loads them, and the configurations of `anls_star`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest

from docscore import evaluate_module
from docscore.integrations.evaluate import MODULES
from docscore.version import VERSION
from tests.test_loading import PREDICTIONS, REFERENCES, RESULTS, each_module

Load = Callable[..., Any]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """`evaluate.load` of one of our modules, with a cache of the test."""
    return lambda name, *args, **options: evaluate.load(
        evaluate_module(name), *args, **{"cache_dir": str(tmp_path / "cache"), **options}
    )


@each_module
def test_it_declares_what_a_metric_declares(name: str, load: Load) -> None:
    metric = load(name)
    assert (metric.name, metric.module_type) == (name, "metric")
    assert set(metric.features["predictions"]) == {"question_id", "prediction"}
    assert set(metric.features["references"]) == {"question_id", "references"}
    assert "Examples:" in metric.inputs_description
    assert metric.citation.startswith("@misc{")


@each_module
def test_every_option_is_named_and_described(name: str, load: Load) -> None:
    """No `**kwargs`: a misspelt option is an error, and help() knows each one."""
    metric = load(name)
    parameters = inspect.signature(metric._compute).parameters  # noqa: SLF001  what evaluate's own tests look at
    assert all(each.kind is not each.VAR_KEYWORD for each in parameters.values())
    assert all(f"\n    {option}: " in metric.compute.__doc__ for option in parameters)
    with pytest.raises(TypeError, match="normalize"):
        metric.compute(predictions=["x"], references=["x"], normalize=True)


def plain_types(value: Any) -> bool:
    """Whether it is made of Python's own types only."""
    if type(value) is dict:
        return all(type(key) is str and plain_types(item) for key, item in value.items())
    if type(value) in (list, tuple):
        return all(map(plain_types, value))
    return type(value) in (str, int, float, bool, type(None))


@each_module
def test_everything_asked_for_comes_in_plain_types(name: str, load: Load) -> None:
    options: dict[str, Any] = {"parse": "repair", "missing": "zero", "confidence": np.float64(0.9), "signature": True}
    own = {"kieval": {"by_type": True}, "anls_star": {"per_sample": True, "key_scores": True}}
    options |= own.get(name, {"donut": False})
    predictions = [*PREDICTIONS, {"question_id": "c", "prediction": "{'k': 1,"}]
    references = [*REFERENCES, *({"question_id": each, "references": [{"k": np.int64(1)}]} for each in "cd")]
    found = load(name).compute(predictions=predictions, references=references, **options)
    assert plain_types(found)
    assert (found["missing"], found["parse_failures"], found["parse_mended"]) == (1, 0, 1)
    assert found["signature"].startswith(name)
    assert found["signature"].endswith(f"docscore:{VERSION}")
    assert "confidence_interval" in found or found["confidence_intervals"].keys() <= RESULTS[name].keys()
    if name == "kieval":
        assert [row["entity"] for row in found["entities"]] == ["$", "m.n", "m.p", "k"]
        assert [row["group"] for row in found["groups"]] == ["m"]


def test_all_four_combined(load: Load) -> None:
    """Keys are as they are where no two modules have the same; options reach all."""
    metrics = [load(name) for name in MODULES]
    together = evaluate.combine(metrics)
    wanted = {name: value for result in RESULTS.values() for name, value in result.items()}
    found = together.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert {key: found[key] for key in wanted} == wanted
    assert set(found) == set(wanted)
    together.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    together.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
    assert together.compute() == found
    missing = together.compute(predictions=PREDICTIONS[:1], references=REFERENCES, missing="zero")
    assert [missing[f"{metric.name}_missing"] for metric in metrics] == [1] * 4


@each_module
def test_what_cannot_be_scored_is_named_with_its_row(name: str, load: Load) -> None:
    metric = load(name)
    with pytest.raises(TypeError, match=r"^references\[0\]: \$\.k: expected a JSON value, got set"):
        metric.compute(predictions=["x"], references=[{"k": {1}}])
    if name != "anls_star":
        many = [{"$one_of": [["x"], ["y"]]}] * 10
        with pytest.raises(ValueError, match=r"^row '1': \$: expected at most 1,000 readings"):
            metric.compute(predictions=["x", []], references=["x", many])
    assert metric.compute(predictions=PREDICTIONS, references=REFERENCES) == RESULTS[name]


TEXTS = {"predictions": ["ab", "tea"], "references": ["ax", ("rum", "Tea")]}
LISTS = {"predictions": [["tea"]], "references": [["Tea", "rum"]]}


def test_configurations_anls_and_anlsl(load: Load) -> None:
    """The same scores, under their own names; other values are refused."""
    anls, anlsl = load("anls_star", "anls"), load("anls_star", "anlsl")
    assert anls.compute(**TEXTS) == load("anls_star").compute(**TEXTS) == {"anls_score": 0.75}
    assert anls.compute(**TEXTS, strict=True, signature=True) == {
        "anls_score": 0.5,
        "signature": f"anls|tau:0.5|boundary:0|case:i|empty:ignored|docscore:{VERSION}",
    }
    assert anlsl.compute(**LISTS) == load("anls_star").compute(**LISTS) == {"anls_score": 0.5}
    assert anlsl.compute(**LISTS, signature=True)["signature"].startswith("anlsl|tau:0.5|case:i")
    with pytest.raises(ValueError, match=r"^row '0': expected acceptable answers that are texts, got list"):
        anls.compute(**LISTS)
    with pytest.raises(ValueError, match=r"^row '0': expected acceptable answers that are lists of texts, got str"):
        anlsl.compute(**TEXTS)


def test_an_unknown_configuration(load: Load) -> None:
    with pytest.raises(ValueError, match="expected a configuration among default, anls, anlsl, got 'ANLS'"):
        load("anls_star", "ANLS")


@pytest.mark.parametrize("configuration", [None, "anlsl"])
def test_strict_where_it_has_no_meaning_uses_no_rows_up(configuration: str | None, load: Load) -> None:
    metric = load("anls_star", configuration)
    metric.add_batch(**LISTS)
    with pytest.raises(ValueError, match=r"expected (strict=)?False"):
        metric.compute(strict=True)
    assert metric.compute() == {"anls_score": 0.5}
