"""`docscore compare` as a user and a CI job run it: texts, tables, exit status, and ids that are hostile."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Write, environment, pred, ref, run
from tests.conftest import ROOT

TRUTH = "abcdefghij"


@pytest.fixture
def worse(write: Write) -> list[str]:
    """The arguments for a base without a mistake and a new one that loses 0.1 to 0.4 in each of 40 documents."""
    return arguments(write, [f"doc{n}" for n in range(40)], [TRUTH[: 9 - n % 4] for n in range(40)])


def arguments(write: Write, names: list[str], guesses: list[Any], truth: Any = TRUTH) -> list[str]:
    """Base, new and references; the base predicts the truth everywhere."""
    base = write("base.jsonl", [pred(name, truth) for name in names])
    new = write("new.jsonl", [pred(name, guess) for name, guess in zip(names, guesses, strict=True)])
    return [str(base), str(new), "--references", str(write("refs.jsonl", [ref(name, truth) for name in names]))]


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
    printed = run("compare", *files, *schema).out
    guide = (ROOT / "docs/products.md").read_text("utf-8")
    for line in printed.splitlines():
        if line.startswith(("Typed score  base", "date ", "Birch", "Gate ")):
            assert line in guide
