"""Gates, on a level and on a loss: where they fail, what they cannot decide, and how a job stops at them."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import docscore
from docscore import pairs_of
from docscore.core.options import ScoringOptions
from docscore.evaluation.comparison import Comparison, compare, decide_level
from docscore.evaluation.evaluation import Evaluation
from docscore.stats.intervals import Differences, Ratios
from docscore.stats.significance import bound_of_mean, upper_bound
from tests.commands import Write, environment, pred, ref, run
from tests.conftest import ROOT


def corpus(right: int, wrong: int) -> Evaluation:
    return Evaluation(pairs_of(["x"] * (right + wrong), ["x"] * right + ["y"] * wrong))


def test_the_bound_of_zeros_and_ones_is_that_of_clopper_and_pearson() -> None:
    from scipy import stats  # noqa: PLC0415  slow to import

    exact = stats.binomtest(30, 40).proportion_ci(0.9).high  # two-sided 0.9 has the one-sided bound of 0.95
    found = decide_level(corpus(30, 10), 0.9, 0.95)
    assert found.bound == pytest.approx(exact, rel=0.01)
    unsure = decide_level(corpus(30, 10), float(exact) - 0.01, 0.95)
    assert (unsure.failed, "but may be so by chance" in unsure.sentence) == (False, True)
    assert decide_level(corpus(30, 10), float(exact) + 0.01, 0.95).failed


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.floats(0.5, 0.99))
def test_the_bound_of_a_mean_is_that_of_its_values(values: list[float], confidence: float) -> None:
    column = np.array(values)[:, np.newaxis]
    sides = (Ratios(earned, np.ones_like(column)) for earned in (column, np.zeros_like(column)))
    found = upper_bound(Differences(*sides), confidence)
    assert found == pytest.approx(bound_of_mean(np.array(values), 1.0, confidence), abs=1e-6)
    assert found >= min(1.0, sum(values) / len(values)) - 1e-9


def test_clusters_prove_less() -> None:
    rows = [ref(f"d{n // 5}-{n}", "x") for n in range(40)]
    found = pairs_of([pred(row["question_id"], "x" if n < 30 else "y") for n, row in enumerate(rows)], rows)
    free, bound = (Evaluation(found, cluster=each) for each in (None, lambda name: name.split("-")[0]))
    assert decide_level(free, 0.9, 0.95).bound < decide_level(bound, 0.9, 0.95).bound


def test_too_few_documents_decide_nothing() -> None:
    message = "5 documents are too few for a confidence of 0.95: it takes 29, even if all have the score 0"
    with pytest.raises(ValueError, match=rf"^the gate cannot decide: {message}$"):
        decide_level(corpus(0, 5), 0.1, 0.95)


@pytest.mark.parametrize("level", [0.9, 0.5, 0.1, 1.0])
def test_one_document_more_decides(level: float) -> None:
    needed = next(count for count in range(1, 100) if 1 - 0.05 ** (1 / count) < level)
    assert decide_level(corpus(0, needed), level, 0.95).failed
    if needed > 1:
        with pytest.raises(ValueError, match="cannot decide"):
            decide_level(corpus(0, needed - 1), level, 0.95)


SIDES: dict[str, Any] = {"predictions": ["x"] * 9, "references": ["x"] * 8 + ["y"]}


def compared(**options: Any) -> Comparison:
    found = corpus(8, 1)
    return compare(found, found, **options)


# by the name of each numeric option: the values that it refuses beside NaN, infinities, texts and booleans, and calls
NUMBERS: dict[str, tuple[list[float], list[Callable[[Any], object]]]] = {
    "threshold": (
        [-0.1, 1.1],
        [
            lambda value: docscore.evaluate(**SIDES, threshold=value),
            lambda value: docscore.anls_score("a", "a", threshold=value),
            lambda value: docscore.score_tree("a", "a", threshold=value),
            lambda value: docscore.score_pairs([("a", "a")], threshold=value),
        ],
    ),
    "confidence": (
        [0, 1, 95],
        [
            lambda value: docscore.evaluate(**SIDES, confidence=value),
            lambda value: docscore.Evaluation(corpus(8, 1).source, confidence=value),
            lambda value: compared(confidence=value),
            lambda value: decide_level(corpus(30, 10), 0.5, value),
        ],
    ),
    "seed": (
        [-1, 0.5],
        [
            lambda value: docscore.evaluate(**SIDES, seed=value),
            lambda value: docscore.Evaluation(corpus(8, 1).source, seed=value),
            lambda value: compared(seed=value),
        ],
    ),
    "n_resamples": ([-1, 0, 1, 0.5], [lambda value: compared(n_resamples=value)]),
    "max_loss": ([-0.1], [lambda value: docscore.decide(compared(), value)]),
    "level": (
        [0.0, -1.0, 1.1],
        [
            lambda value: decide_level(corpus(30, 10), value, 0.95),
            lambda value: decide_level(corpus(30, 10), value, None),
        ],
    ),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_outside_its_range_is_refused_by_its_name(name: str) -> None:
    """NaN above all: no comparison with it is true, so that a gate with it would never fail."""
    refused, calls = NUMBERS[name]
    for call in calls:
        for value in (*refused, float("nan"), float("inf"), -float("inf")):
            with pytest.raises(ValueError, match=rf"^{name}: expected a .*number.*, got {re.escape(str(value))}$"):
                call(value)
        for wrong in ("0.5", True, [0.5], 0.5j, np.array([0.5])):
            with pytest.raises(TypeError, match=rf"^{name}: expected a .*number.*, got {type(wrong).__name__}$"):
                call(wrong)


def test_every_numeric_option_of_the_public_functions_is_among_them() -> None:
    functions = [getattr(docscore, name) for name in docscore.__all__ if name.islower() and name != "__version__"]
    functions += [decide_level, Evaluation, Evaluation.compare, ScoringOptions]
    numeric = {
        parameter.name
        for function in functions
        for parameter in inspect.signature(function).parameters.values()
        if str(parameter.annotation).removesuffix(" | None") in {"int", "float"}
    }
    assert numeric - {"num_proc"} == NUMBERS.keys()  # of `evaluate.load`, which checks it


TRUTH = "abcdefghij"


@pytest.fixture
def worse(write: Write) -> list[str]:
    """The arguments for a base without a mistake and a new one that loses 0.1 to 0.4 in each of 40 documents."""
    names = [f"doc{n}" for n in range(40)]
    base = write("base.jsonl", [pred(name, TRUTH) for name in names])
    new = write("new.jsonl", [pred(name, TRUTH[: 9 - n % 4]) for n, name in enumerate(names)])
    return [str(base), str(new), "--references", str(write("refs.jsonl", [ref(name, TRUTH) for name in names]))]


GATE = 'set -eo pipefail; "$@" | cat; echo deployed'


@pytest.mark.ci
def test_a_job_stops_at_the_gate(worse: list[str]) -> None:
    """As in CI: bash stops at the first exit status that is not 0."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    for margin, deployed in (("0.01", False), ("0.5", True)):
        command = [sys.executable, "-m", "docscore", "compare", *worse, "--max-loss", margin]
        done = subprocess.run(
            [bash, "-c", GATE, "gate", *command],
            cwd=ROOT,
            env=environment(),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert (done.returncode, done.stdout.endswith("deployed\n")) == (0 if deployed else 1, deployed)


VENDORS = ROOT / "examples/vendors"


def test_broken_dates_of_one_vendor_fail_the_gate_by_the_typed_score() -> None:
    """The example of docs/products.md: ANLS* rises, since it compares the dates as text; the first metric decides."""
    sides: list[str | Path] = [VENDORS / name for name in ("predictions.jsonl", "predictions_new.jsonl")]
    files: list[str | Path] = [*sides, "--references", VENDORS / "references.jsonl", "--max-loss", "0.02"]
    schema: list[str | Path] = ["--schema", VENDORS / "schema.json", "--by", "vendor"]
    assert run("compare", *files).code == 0
    done = run("compare", *files, *schema, "--json")
    found = json.loads(done.out)
    assert (done.code, found["metric"], found["gate"]["passed"]) == (1, "typed", False)
    assert "the difference of Typed score is -0.0660, a loss of more than 0.02" in found["gate"]["sentence"]
    typed, anls_star = found["metrics"]
    assert typed["difference"] == found["difference"] < 0 < anls_star["difference"]
    for table, name in (("fields", "date"), ("causes", "wrong value"), ("slices", "Birch & Sons")):
        first = found[table][0]
        assert next(iter(first.values())) == name
        assert first["q_value"] < 0.01
