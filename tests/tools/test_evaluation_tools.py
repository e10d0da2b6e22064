"""What the hooks of MLflow and Pydantic Evals give beside the score, in the real tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import run_python
from tests.conftest import needs_tool

for tool in ("mlflow", "pydantic_evals"):
    needs_tool(tool)

MLFLOW = """
import json
import mlflow
from docscore import ScoreState
from docscore.integrations.mlflow import anls_star_scorer

mlflow.set_tracking_uri("sqlite:///mlflow.db")
truth = {"items": [{"price": "1"}, {"price": "2"}]}
rows = [
    {"inputs": {"q": "a"}, "outputs": '{"items": [{"price": "1"}]}', "expectations": {"bill": json.dumps(truth)}},
    {"inputs": {"q": "b"}, "outputs": truth, "expectations": {"bill": truth}},
]
found = mlflow.genai.evaluate(data=rows, scorers=[anls_star_scorer(expectation="bill")])
assert found.metrics == {"anls_star/mean": 0.75, "anls_star/items.price/mean": 0.75}, found.metrics
state = ScoreState()
state.update([row["outputs"] for row in rows[1:]], [truth])
with mlflow.start_run():
    mlflow.log_metrics(state.compute(names="safe"))
"""

PYDANTIC_EVALS = """
from pydantic import BaseModel
from pydantic_evals import Case, Dataset
from docscore.integrations.pydantic_evals import AnlsStarEvaluator

class Bill(BaseModel):
    total: str
    items: list[str]

cases = [
    Case(name="model", inputs="bill", expected_output=Bill(total="1", items=["Tea", "Cake"])),
    Case(name="text", inputs="word", expected_output=("yes", "yep")),
]
outputs = {"bill": 'Here: {"total": "1", "items": ["Tea"]}', "word": "Yep"}

async def task(name):
    return outputs[name]

report = Dataset(name="d", cases=cases, evaluators=[AnlsStarEvaluator()]).evaluate_sync(task, progress=False)
found = {case.name: {name: result.value for name, result in case.scores.items()} for case in report.cases}
assert found == {
    "model": {"anls_star": 2 / 3, "anls_star/total": 1.0, "anls_star/items[]": 0.5},
    "text": {"anls_star": 1.0},
}, found
assert report.cases[0].scores["anls_star"].reason.startswith("≈ $")
"""


@pytest.mark.parametrize("script", [MLFLOW, PYDANTIC_EVALS], ids=["mlflow", "pydantic_evals"])
def test_the_tool_takes_the_scores(tmp_path: Path, script: str) -> None:
    """In a process of its own: each of the tools changes what it imports."""
    (tmp_path / "script.py").write_text(script, "utf-8")
    run_python("script.py", cwd=tmp_path, HF_DATASETS_OFFLINE="1")
