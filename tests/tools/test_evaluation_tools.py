"""The hooks of MLflow, Pydantic Evals and the LM Evaluation Harness, each in the real tool."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.commands import run_python
from tests.conftest import DATA, needs_tool

for tool in ("lm_eval", "mlflow", "pydantic_evals"):
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

LM_EVAL = """
import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

class Fixed(LM):
    def generate_until(self, requests, disable_tqdm=False):
        return ['{"items": ["Tea"], "total": "1.20"}' for _ in requests]
    def loglikelihood(self, requests, disable_tqdm=False):
        raise NotImplementedError
    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError

tasks = TaskManager(include_path=".", include_defaults=False)
found = lm_eval.simple_evaluate(model=Fixed(), tasks=["bills"], task_manager=tasks, bootstrap_iters=10)
assert found["results"]["bills"]["anls_star,none"] == 0.75, found["results"]
"""


def run_script(folder: Path, text: str) -> None:
    """Run a script in a process of its own: each of the tools changes what it imports."""
    (folder / "script.py").write_text(text, "utf-8")
    run_python("script.py", cwd=folder, HF_DATASETS_OFFLINE="1")


@pytest.mark.parametrize("script", [MLFLOW, PYDANTIC_EVALS], ids=["mlflow", "pydantic_evals"])
def test_the_tool_takes_the_scores(tmp_path: Path, script: str) -> None:
    run_script(tmp_path, script)


def test_a_task_of_the_harness(tmp_path: Path) -> None:
    rows = [{"items": ["Tea"], "total": "1.20"}, {"items": ["Cake"], "total": "1.20"}]
    lines = [json.dumps({"text": "Bill", "reference": json.dumps(row)}) + "\n" for row in rows]
    (tmp_path / "bills.jsonl").write_text("".join(lines), "utf-8")
    shutil.copy(DATA / "bills.yaml", tmp_path)
    (tmp_path / "score.py").write_text("from docscore.integrations.lm_eval import process_results\n", "utf-8")
    run_script(tmp_path, LM_EVAL)
