"""Every hook of a tool takes a schema and gives the typed scores of `docscore.evaluate`; the guides to tools run."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import docscore
from tests.commands import run_python
from tests.conftest import REQUIRE_TOOLS, ROOT

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
"""
END = """
print("\\n" + json.dumps(found))
"""
HOOKS = {  # the script by the tool
    "promptfoo": """
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
    "lm_eval": """
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
}


def expected_scores() -> list[float]:
    evaluation = docscore.evaluate(references=TRUTHS, predictions=ANSWERS, schema=SCHEMA)
    assert evaluation.metric == "typed"
    assert len({*evaluation.scores, 0.0, 1.0}) == len(TRUTHS) + 2, "each row has another score, and none is 0 or 1"
    return evaluation.scores


@pytest.mark.full
@pytest.mark.parametrize("tool", HOOKS)
def test_a_hook_gives_the_typed_score(tool: str, tmp_path: Path) -> None:
    program = os.environ.get("DOCSCORE_PROMPTFOO") or shutil.which("promptfoo")  # from npm
    if not (program if tool == "promptfoo" else importlib.util.find_spec(tool)):
        assert tool == "promptfoo" or not os.environ.get(REQUIRE_TOOLS), f"needs {tool}"  # npm may have no network
        pytest.skip(f"needs {tool}")
    test_set = {"schema": SCHEMA, "truths": TRUTHS, "answers": ANSWERS}
    (tmp_path / "test_set.json").write_text(json.dumps(test_set), "utf-8")
    (tmp_path / "script.py").write_text(START + HOOKS[tool] + END, "utf-8")
    actual = json.loads(run_python("script.py", cwd=tmp_path, HF_DATASETS_OFFLINE="1").strip().splitlines()[-1])
    actual = actual if isinstance(actual, dict) else {"scores": actual}
    scores = expected_scores()
    expected = {"mean": sum(scores) / len(scores), "scores": scores}
    assert actual == {name: pytest.approx(expected[name], abs=1e-15) for name in actual}


GUIDES = ("docs/benchmark.md", "docs/evaluation_tools.md")
REQUIRED = {"inspect_ai", "mlflow", "pydantic", "pydantic_evals"}  # in the environment of these tests
OPTIONAL = {"braintrust", "deepeval", "langfuse", "weave"}


def sections() -> dict[str, str]:
    """The headings of guides with Python below them, and that Python."""
    text = "\n".join((ROOT / guide).read_text("utf-8") for guide in GUIDES)
    parts = re.split(r"^#{2,3} (.+)$", text, flags=re.MULTILINE)
    blocks = [re.findall(r"```python\n(.*?)```", body, flags=re.DOTALL) for body in parts[2::2]]
    return {heading: "\n".join(actual) for heading, actual in zip(parts[1::2], blocks, strict=True) if actual}


@pytest.mark.full
@pytest.mark.parametrize("code", sections().values(), ids=sections())
def test_a_section_of_a_guide_runs(code: str, tmp_path: Path) -> None:
    tools = set(re.findall(r"^(?:import|from) (\w+)", code, flags=re.MULTILINE)) & (REQUIRED | OPTIONAL)
    missing = {tool for tool in tools if importlib.util.find_spec(tool) is None}
    if missing:
        assert not (os.environ.get(REQUIRE_TOOLS) and missing & REQUIRED), f"needs {', '.join(missing)}"
        pytest.skip(f"needs {', '.join(missing)}")
    (tmp_path / "guide.py").write_text(code, "utf-8")
    run_python("guide.py", cwd=tmp_path, DEEPEVAL_TELEMETRY_OPT_OUT="1")
