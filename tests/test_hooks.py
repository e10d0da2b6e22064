"""Every hook takes a schema: in the real tool it gives the typed scores that `docscore.evaluate` gives."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import docscore
from tests.commands import run_python
from tests.conftest import REQUIRE_ALL, REQUIRE_TOOLS

# Money and dates as people write them, a percentage, a weight, rows in their order; none of it needs an extra.
SCHEMA: dict[str, Any] = {
    "properties": {
        "total": {"type": "number", "x-docscore": {"decimal": ".", "group": ",", "weight": 3}},
        "rate": {"type": "number"},
        "day": {"type": "string", "format": "date"},
        "lines": {"type": "array", "x-docscore": {"list_order": "kept"}, "items": {"x-docscore": {"case": "kept"}}},
    }
}
TRUTHS = [
    {"total": 1200.77, "rate": 0.21, "day": "2024-03-12", "lines": ["Tea", "Cake"]},
    {"total": 5816, "rate": 0.07, "day": "2024-04-01", "lines": ["Rum"]},
    {"total": 8.5, "rate": 0.19, "day": "2024-12-24", "lines": ["Milk", "Eggs", "Salt"]},
]
ANSWERS = [
    {"total": "1,200.77", "rate": "21%", "day": "12 March 2024", "lines": ["Cake", "Tea"]},
    {"total": "5,816.0", "rate": 0.7, "day": "2024-01-04", "lines": ["RUM"]},
    {"total": "8.50", "rate": "19 %", "day": "24.12.2024", "lines": ["Milk", "Salt"]},
]

# Scripts set `found`: the score of each row, or the mean under "mean", as far as the tool gives them.
START = """
import json
from pathlib import Path
test_set = json.loads(Path("test_set.json").read_text("utf-8"))
SCHEMA, TRUTHS, ANSWERS = test_set["schema"], test_set["truths"], test_set["answers"]
TEXTS = list(map(json.dumps, ANSWERS))
IDS = [f"q{number}" for number in range(len(TRUTHS))]
REFERENCES = [{"question_id": name, "references": [truth]} for name, truth in zip(IDS, TRUTHS)]
PREDICTIONS = [{"question_id": name, "prediction": answer} for name, answer in zip(IDS, ANSWERS)]
"""
END = """
print("\\n" + json.dumps(found))
"""
HOOKS: dict[str, tuple[list[str], str]] = {  # the modules that it needs, and the script
    "evaluate": (
        ["evaluate"],
        """
import docscore, evaluate
metric = evaluate.load(docscore.evaluate_module("anls_star"))
found = {"mean": metric.compute(predictions=PREDICTIONS, references=REFERENCES, schema=SCHEMA)["typed_score"]}
""",
    ),
    "datasets": (
        ["datasets"],
        """
from datasets import Dataset
from docscore.integrations.datasets import score_batch
rows = Dataset.from_dict({"prediction": TEXTS, "references": [[json.dumps(truth)] for truth in TRUTHS]})
options = {"schema": SCHEMA, "parse": "json", "parse_references": "json"}
found = rows.map(score_batch, batched=True, fn_kwargs=options)["typed_score"][:]
""",
    ),
    "torchmetrics": (
        ["torchmetrics"],
        """
from docscore.integrations.torchmetrics import DocumentScore
metric = DocumentScore(schema=SCHEMA)
found = [float(metric([prediction], [reference])["typed_score"]) for prediction, reference in zip(ANSWERS, TRUTHS)]
assert float(metric.compute()["typed_score"]) == sum(found) / len(found)
""",
    ),
    "Trainer": (
        ["transformers", "accelerate"],
        """
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Trainer, TrainingArguments
from docscore.integrations.transformers import compute_metrics

signs = ["<pad>", *sorted(set("".join(TEXTS)))]
core = Tokenizer(models.WordLevel({sign: number for number, sign in enumerate(signs)}))
core.pre_tokenizer, core.decoder = pre_tokenizers.Split("", "isolated"), decoders.Fuse()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>")

class Says(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def forward(self, input_ids, labels):
        logits = torch.nn.functional.one_hot(input_ids, len(signs)) * self.weight
        return {"loss": logits.sum(), "logits": logits}

tokens = tokenizer(TEXTS, padding=True)["input_ids"]
trainer = Trainer(
    Says(),
    TrainingArguments("out", report_to=[], use_cpu=True, remove_unused_columns=False, disable_tqdm=True),
    eval_dataset=[{"input_ids": row, "labels": row} for row in tokens],
    compute_metrics=compute_metrics(tokenizer, references=TRUTHS, schema=SCHEMA),
    preprocess_logits_for_metrics=lambda logits, labels: logits.argmax(-1),
)
found = {"mean": trainer.evaluate()["eval_typed_score"]}
""",
    ),
    "Ray": (
        ["ray", "polars"],
        """
import os
os.environ |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_DATA_PARQUET_FOOTER_NUM_ACTORS": "1"}
import ray
ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
from docscore.integrations.ray import joined, score
for name, rows in (("p", PREDICTIONS), ("r", REFERENCES)):
    Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\\n" for row in rows))
state = score(joined("p.jsonl", "r.jsonl", num_partitions=2), output="out", schema=SCHEMA)
rows = sorted(ray.data.read_parquet("out").take_all(), key=lambda row: row["question_id"])
found = {"mean": state.compute()["typed_score"], "scores": [row["typed_score"] for row in rows]}
ray.shutdown()
""",
    ),
    "Spark": (
        ["pyspark"],
        """
import os, sys
os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
from pyspark.sql import SparkSession
from docscore.integrations.spark import score_udf
session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
rows = [(name, text, json.dumps([truth])) for name, text, truth in zip(IDS, TEXTS, TRUTHS)]
frame = session.createDataFrame(rows, "id string, prediction string, references string").repartition(2)
scored = frame.select("id", score_udf(schema=SCHEMA)("prediction", "references").alias("score")).collect()
found = [row["score"] for row in sorted(scored, key=lambda row: row["id"])]
session.stop()
""",
    ),
    "promptfoo": (
        ["promptfoo"],
        """
import os, shutil, subprocess, sys
Path("score.py").write_text("from docscore.integrations.promptfoo import get_assert\\n")
tests = [{"vars": {"answer": text, "reference": json.dumps(truth)}} for text, truth in zip(TEXTS, TRUTHS)]
check = {"type": "python", "value": "file://score.py", "config": {"pass_at": 0, "schema": SCHEMA}}
config = {"prompts": ["{{answer}}"], "providers": ["echo"], "defaultTest": {"assert": [check]}, "tests": tests}
Path("promptfooconfig.json").write_text(json.dumps(config))
tool = os.environ.get("DOCSCORE_PROMPTFOO") or shutil.which("promptfoo")
settings = {"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_PYTHON": sys.executable}
command = [tool, "eval", "-c", "promptfooconfig.json", "--no-cache", "-o", "out.json"]
subprocess.run(command, env={**os.environ, **settings, "PROMPTFOO_CONFIG_DIR": "home"}, capture_output=True)
rows = json.loads(Path("out.json").read_text("utf-8"))["results"]["results"]
found = [row["score"] for row in sorted(rows, key=lambda row: row["testIdx"])]
""",
    ),
    "Inspect": (
        ["inspect_ai"],
        """
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from docscore.integrations.inspect import typed_by_schema
samples = [Sample(id=name, input=name, target=json.dumps(truth)) for name, truth in zip(IDS, TRUTHS)]
outputs = [ModelOutput.from_content("mockllm", text) for text in TEXTS]
for output in outputs:
    output.usage = ModelUsage()  # else it loads a tokenizer to count
model = get_model("mockllm/model", custom_outputs=outputs)
task = Task(dataset=samples, scorer=typed_by_schema(schema=SCHEMA))
(log,) = eval(task, model=model, display="none", max_samples=1, log_dir="logs")
rows = sorted(log.samples, key=lambda sample: sample.id)
found = {
    "mean": log.results.scores[0].metrics["mean"].value,
    "scores": [sample.scores["typed"].value for sample in rows],
}
""",
    ),
    "MLflow": (
        ["mlflow"],
        """
import mlflow
from docscore.integrations.mlflow import anls_star_scorer
mlflow.set_tracking_uri("sqlite:///mlflow.db")
rows = [
    {"inputs": {"q": name}, "outputs": text, "expectations": {"expected_response": truth}}
    for name, text, truth in zip(IDS, TEXTS, TRUTHS)
]
result = mlflow.genai.evaluate(data=rows, scorers=[anls_star_scorer(schema=SCHEMA)])
found = {"mean": result.metrics["typed_score/mean"]}
""",
    ),
    "Pydantic Evals": (
        ["pydantic_evals"],
        """
from pydantic_evals import Case, Dataset
from docscore.integrations.pydantic_evals import AnlsStarEvaluator
cases = [Case(name=name, inputs=text, expected_output=truth) for name, text, truth in zip(IDS, TEXTS, TRUTHS)]

async def task(text):
    return text

report = Dataset(name="d", cases=cases, evaluators=[AnlsStarEvaluator(schema=SCHEMA)]).evaluate_sync(
    task, progress=False
)
found = [case.scores["typed_score"].value for case in sorted(report.cases, key=lambda case: case.name)]
""",
    ),
    "lm-eval": (
        ["lm_eval"],
        """
import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

class Fixed(LM):
    def generate_until(self, requests, disable_tqdm=False):
        return [TEXTS[IDS.index(request.args[0])] for request in requests]

    loglikelihood = loglikelihood_rolling = None

lines = [{"text": name, "reference": json.dumps(truth)} for name, truth in zip(IDS, TRUTHS)]
Path("rows.jsonl").write_text("".join(json.dumps(line) + "\\n" for line in lines))
Path("score.py").write_text(
    "from docscore.integrations.lm_eval import results_from\\n"
    f"process_results = results_from('reference', schema={SCHEMA!r})\\n"
)
Path("typed.yaml").write_text('''
task: typed
dataset_path: json
dataset_kwargs: {data_files: {test: rows.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{text}}"
doc_to_target: "{{reference}}"
process_results: !function score.process_results
metric_list: [{metric: typed_score, aggregation: mean, higher_is_better: true}]
generation_kwargs: {until: ["never"]}
''')
tasks = TaskManager(include_path=".", include_defaults=False)
result = lm_eval.simple_evaluate(model=Fixed(), tasks=["typed"], task_manager=tasks, bootstrap_iters=10)
found = {"mean": result["results"]["typed"]["typed_score,none"]}
""",
    ),
}
TOOLS = {"promptfoo", "inspect_ai", "mlflow", "pydantic_evals", "lm_eval"}  # have an environment of their own
QUICK = ("evaluate", "datasets")


def expected_scores() -> list[float]:
    found = docscore.evaluate(references=TRUTHS, predictions=ANSWERS, schema=SCHEMA)
    assert found.metric == "typed"
    assert len({*found.scores, 0.0, 1.0}) == len(TRUTHS) + 2, "each row has another score, and none is 0 or 1"
    return found.scores


def is_there(module: str) -> bool:
    if module == "promptfoo":  # a program from npm
        return bool(os.environ.get("DOCSCORE_PROMPTFOO") or shutil.which("promptfoo"))
    return importlib.util.find_spec(module) is not None


@pytest.mark.parametrize(
    "hook", [pytest.param(hook, marks=[] if hook in QUICK else pytest.mark.full) for hook in HOOKS]
)
def test_a_hook_gives_the_typed_score(hook: str, tmp_path: Path) -> None:
    modules, script = HOOKS[hook]
    missing = ", ".join(module for module in modules if not is_there(module))
    if missing:
        required = os.environ.get(REQUIRE_TOOLS if TOOLS.intersection(modules) else REQUIRE_ALL)
        assert not required or (hook == "promptfoo" and not shutil.which("npm")), f"needs {missing}"
        pytest.skip(f"needs {missing}")
    test_set = {"schema": SCHEMA, "truths": TRUTHS, "answers": ANSWERS}
    (tmp_path / "test_set.json").write_text(json.dumps(test_set), "utf-8")
    (tmp_path / "script.py").write_text(START + script + END, "utf-8")
    printed = run_python("script.py", cwd=tmp_path, HF_DATASETS_OFFLINE="1")
    found = json.loads(printed.strip().splitlines()[-1])
    found = found if isinstance(found, dict) else {"scores": found}
    scores = expected_scores()
    expected = {"mean": sum(scores) / len(scores), "scores": scores}
    assert found == {name: pytest.approx(expected[name], abs=1e-15) for name in found}
