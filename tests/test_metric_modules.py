"""KIEval, Entity F1 and nTED as `evaluate` loads them, and the configurations of `anls_star`."""

from __future__ import annotations

import doctest
import inspect
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest

from docscore import evaluate_module
from docscore.integrations.evaluate import MODULES
from docscore.version import VERSION
from tests.test_loading import LOAD_AND_SCORE, LOOPBACK_ONLY, Hub, last_line, online, run

NAMES = [name for name in MODULES if name != "anls_star"]
PREDICTIONS = [{"question_id": "a", "prediction": {"m": [{"n": "Tea", "p": 2}]}}, {"question_id": "b", "prediction": 1}]
REFERENCES = [
    {"question_id": "b", "references": [2, 1]},
    {"question_id": "a", "references": [{"m": [{"n": "Tea", "p": 3}]}]},
]
FIGURES = ("kieval_entity_f1", "kieval_entity_precision", "kieval_entity_recall", "kieval_group_f1", "kieval_aligned")
COUNTS = {"true_positives": 2, "substitutions": 1, "additions": 0, "deletions": 0}
GROUPS = {"groups_right": 0, "groups_wrong": 1, "groups_missed": 0, "groups_invented": 0}
RESULTS: dict[str, dict[str, Any]] = {
    "kieval": {**dict(zip(FIGURES, (2 / 3, 2 / 3, 2 / 3, 0.0, 2 / 3), strict=True)), **COUNTS, **GROUPS},
    "entity_f1": {"entity_f1": 2 / 3},
    "nted": {"nted": (1 + 7 / 8) / 2},  # one of m, an element, n, p, three letters and a figure
}
Load = Callable[..., Any]
each_module = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """`evaluate.load` of one of our modules, with a cache of the test."""
    return lambda name, *args, **options: evaluate.load(
        evaluate_module(name), *args, **{"cache_dir": str(tmp_path / "cache"), **options}
    )


ROWS = json.dumps({"predictions": PREDICTIONS, "references": REFERENCES})


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


@pytest.mark.parametrize(
    "path",
    ["evaluate_modules/{name}/{name}.py", "./evaluate_modules/{name}", "{root}/evaluate_modules/{name}/{name}.py"],
)
@each_module
def test_from_a_path(name: str, path: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    metric = evaluate.load(path.format(name=name, root=root), cache_dir=str(tmp_path))
    assert metric.compute(predictions=PREDICTIONS, references=REFERENCES) == RESULTS[name]


@pytest.mark.full
def test_from_a_package_that_carries_the_modules(root: Path, tmp_path: Path) -> None:
    """As installed from a wheel: the path is inside the package, though a checkout may be installed as well."""
    package = tmp_path / "site" / "docscore"
    shutil.copytree(root / "docscore", package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in NAMES:
        (package / "evaluate_modules" / name).mkdir(parents=True)
        shutil.copy(root / "evaluate_modules" / name / f"{name}.py", package / "evaluate_modules" / name)
    code = "import sys, docscore; sys.argv[1] = docscore.evaluate_module(sys.argv[1]); print(sys.argv[1])"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package.parent), os.environ.get("PYTHONPATH", "")])}
    for name in NAMES:
        output = run("-c", code + LOAD_AND_SCORE, name, ROWS, cwd=tmp_path, env=env)
        assert output.splitlines()[0] == str(package / "evaluate_modules" / name / f"{name}.py")
        assert last_line(output) == RESULTS[name]


@pytest.mark.full
@each_module
def test_from_a_hub(name: str, root: Path, tmp_path: Path) -> None:
    """The file alone is enough to score, and once loaded it is found offline."""
    with Hub(f"docscore-tests/{name}", root / "evaluate_modules" / name / f"{name}.py") as hub:
        thread = threading.Thread(target=hub.serve_forever)
        thread.start()
        env = online(hub, tmp_path / "home")
        command = ("-c", LOOPBACK_ONLY + LOAD_AND_SCORE, f"docscore-tests/{name}", ROWS)
        first = run(*command, cwd=tmp_path, env=env)
        asked = {path for _, path in hub.seen}
        second = run(*command, cwd=tmp_path, env={**env, "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"})
        hub.shutdown()
        thread.join()
    assert last_line(first) == last_line(second) == RESULTS[name]
    assert asked == {hub.path, hub.path.replace("/main/", f"/v{version('evaluate')}/")}


@pytest.mark.parametrize("name", ["bleu", "", "kieval.py", "../kieval"])
def test_other_modules_are_not_there(name: str) -> None:
    with pytest.raises(ValueError, match=r"expected the name of .* \(anls_star, kieval, entity_f1, nted\), got"):
        evaluate_module(name)


@each_module
def test_the_examples_run(name: str, load: Load) -> None:
    """Those of the description of the inputs."""
    module = sys.modules[type(load(name)).__module__]
    failed, attempted = doctest.testmod(module, raise_on_error=True)
    assert failed == 0
    assert attempted > 5


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
    options |= {"by_type": True} if name == "kieval" else {"donut": False}
    predictions = [*PREDICTIONS, {"question_id": "c", "prediction": "{'k': 1,"}]
    references = [*REFERENCES, *({"question_id": each, "references": [{"k": np.int64(1)}]} for each in "cd")]
    found = load(name).compute(predictions=predictions, references=references, **options)
    assert plain_types(found)
    assert (found["missing"], found["parse_failures"], found["parse_mended"]) == (1, 0, 1)
    assert found["signature"].startswith(name)
    assert found["signature"].endswith(f"docscore:{VERSION}")
    figures = [each for each in RESULTS[name] if each in found["confidence_intervals"]]
    assert set(found["confidence_intervals"]) == set(figures)
    if name == "kieval":
        assert [row["entity"] for row in found["entities"]] == ["$", "m.n", "m.p", "k"]
        assert [row["group"] for row in found["groups"]] == ["m"]


@each_module
@pytest.mark.parametrize("in_memory", [False, True])
def test_rows_come_one_by_one_in_batches_and_with_compute(name: str, in_memory: bool, load: Load) -> None:
    """Predictions and references of a batch need not be of the same documents."""
    metric = load(name, keep_in_memory=in_memory)
    for _ in range(2):
        metric.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
        assert metric.compute(predictions=PREDICTIONS[1:], references=REFERENCES[1:]) == RESULTS[name]
        metric.add_batch(predictions=PREDICTIONS, references=REFERENCES[:1])
        metric.add_batch(predictions=[], references=REFERENCES[1:])
        assert metric.compute() == RESULTS[name]


def test_all_four_combined(load: Load) -> None:
    """Keys are as they are where no two modules have the same; options reach all."""
    metrics = [load(name) for name in MODULES]
    together = evaluate.combine(metrics)
    wanted = {name: value for result in RESULTS.values() for name, value in result.items()}
    found = together.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert {key: found[key] for key in wanted} == wanted
    assert set(found) - set(wanted) == {"anls_score"}
    together.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    together.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
    assert together.compute() == found
    missing = together.compute(predictions=PREDICTIONS[:1], references=REFERENCES, missing="zero")
    assert [missing[f"{metric.name}_missing"] for metric in metrics] == [1] * 4


OPTIONS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"parse": "yaml"}, ValueError, "parse: expected None, 'text', 'json' or 'repair', got 'yaml'"),
    ({"missing": "drop"}, ValueError, "missing: expected 'error', 'zero' or 'skip', got 'drop'"),
    ({"confidence": 1.5}, ValueError, "confidence: expected a number between 0 and 1, got 1.5"),
    ({"confidence": "0.9"}, TypeError, "confidence: expected a number between 0 and 1, got str"),
    ({"normalize": True}, TypeError, "normalize"),
]


@each_module
@pytest.mark.parametrize(("options", "error", "message"), OPTIONS)
def test_options_are_checked_before_the_rows_are_used_up(
    name: str, options: dict[str, Any], error: type[Exception], message: str, load: Load
) -> None:
    metric = load(name)
    metric.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    with pytest.raises(error, match=message):
        metric.compute(**options)
    assert metric.compute() == RESULTS[name]


def test_options_change_the_figures(load: Load) -> None:
    plain = {"predictions": [{"a": "1 MAY", "n": 0}], "references": [{"a": "1 May", "n": 0}]}
    assert load("kieval").compute(**plain)["kieval_aligned"] == 0.5
    assert load("kieval").compute(**plain, normalise=True)["kieval_aligned"] == 1.0
    assert load("entity_f1").compute(**plain) == {"entity_f1": 0.5}
    assert load("entity_f1").compute(**plain, normalise=True) == {"entity_f1": 1.0}
    assert load("entity_f1").compute(**plain, donut=True) == {"entity_f1": 0.0}
    assert load("nted").compute(**plain) == {"nted": 1 - 2 / 8}
    assert load("nted").compute(**plain, donut=True) == {"nted": pytest.approx(1 - 2 / 6)}


@each_module
def test_what_cannot_be_scored_is_named_with_its_row(name: str, load: Load) -> None:
    metric = load(name)
    with pytest.raises(TypeError, match=r"^references\[0\]: \$\.k: expected a JSON value, got set"):
        metric.compute(predictions=["x"], references=[{"k": {1}}])
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
