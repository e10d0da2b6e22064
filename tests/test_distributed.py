"""Several real processes: with torch.distributed and accelerate, in torchmetrics, and in evaluate's own mode."""

from __future__ import annotations

import json
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from docscore.data.pairing import pairs_of
from docscore.evaluation.state import ScoreState
from tests.commands import environment
from tests.conftest import HUNG, needs
from tests.structures import damaged, evaluation_of, random_truth, taken

pytestmark = pytest.mark.full

METRICS = ["anls_star", "kieval", "entity_f1", "nted"]
Rows = list[list[Any]]  # prediction and reference


def random_rows(seed: int, count: int) -> Rows:
    """Documents with small faults, some of them as text; JSON values, as they are sent to the processes."""
    rng = random.Random(seed)
    truths = [
        {"a": taken(random_truth(rng, 2)), "t": "word " * rng.randint(1, 9), "l": ["x", "ab"]} for _ in range(count)
    ]
    found = [damaged(rng, truth) | {"t": "word " * rng.randint(1, 9)} for truth in truths]
    texts = [json.dumps(each)[: rng.choice([9999, 9999, -1, 0])] for each in found]
    return [[text, truth] for text, truth in zip(texts, truths, strict=True)]


def splits(rows: Rows, parts: int) -> list[list[Rows]]:
    """The rows dealt out at random, unevenly, and with all of them in one part and none in the others."""
    rng = random.Random(0)
    found: list[list[Rows]] = [[*([[]] * (parts - 1)), rows], [rows, *([[]] * (parts - 1))]]
    for _ in range(6):
        ends = sorted(rng.randint(0, len(rows)) for _ in range(parts - 1))
        mixed = rng.sample(rows, len(rows))
        found.append([mixed[start:end] for start, end in zip([0, *ends], [*ends, len(rows)], strict=True)])
    return found


def run_all(script: str, tasks: Any, folder: Path, count: int, killed: Sequence[int] = ()) -> list[Any]:
    """What each of so many processes, started as torchrun starts them, says of the tasks; None of those killed."""
    (folder / "tasks.json").write_text(json.dumps(tasks), "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    group = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(count), "OMP_NUM_THREADS": "1"}
    group |= {"GLOO_SOCKET_IFNAME": "lo"} if sys.platform == "linux" else {}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(folder / "tasks.json"), str(rank)],
            env=environment(**group, RANK=str(rank), LOCAL_RANK=str(rank)),  # they import torch
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(count)
    ]
    try:
        outputs = [process.communicate(timeout=HUNG) for process in processes]
    finally:
        for process in processes:
            process.kill()
    codes = [-signal.SIGKILL if rank in killed else 0 for rank in range(count)]
    assert [process.returncode for process in processes] == codes, "\n".join(error for _, error in outputs)
    return [json.loads(output.rpartition("result:")[2] or "null") for output, _ in outputs]


GLOO = """
import torch.distributed as dist
dist.init_process_group("gloo")
rank, end = dist.get_rank(), dist.destroy_process_group
"""
ACCELERATE = """
from accelerate import Accelerator
accelerator = Accelerator(cpu=True)
rank, end = accelerator.process_index, accelerator.end_training
assert accelerator.num_processes == 2
"""
MERGE = """
import json, sys
from docscore.integrations.distributed import merged
from docscore.evaluation.state import ScoreState

found = []
for split in json.load(open(sys.argv[1])):
    state = ScoreState(metrics=["anls_star", "kieval", "entity_f1", "nted"], parse="repair")
    if split[rank]:
        state.update(*zip(*split[rank]))
    whole = merged(state)
    assert state.rows == len(split[rank])  # it stays as it is
    found.append([whole.rows, whole.compute()])
end()
print("result:", json.dumps(found))
"""


def single(rows: Rows, **rules: Any) -> dict[str, float]:
    """The figures in one process."""
    state = ScoreState(**rules)
    state.update([found for found, _ in rows], [truth for _, truth in rows])
    return state.compute()


@pytest.mark.ci
@pytest.mark.parametrize(("start", "modules"), [(GLOO, ["torch"]), (ACCELERATE, ["torch", "accelerate"])])
def test_any_split_gives_the_bits_of_one_process(start: str, modules: list[str], tmp_path: Path) -> None:
    """Every process has the whole result; JSON keeps all digits."""
    needs(*modules)
    rows = random_rows(1, 40)
    tasks = splits(rows, 2)
    expected = single(rows, metrics=METRICS, parse="repair")
    scores = evaluation_of(pairs_of([found for found, _ in rows], [truth for _, truth in rows]), parse="repair")
    assert expected["anls_star"] == scores.score
    assert 0 < expected["parse_failure_rate"] < 0.5
    assert run_all(start + MERGE, tasks, tmp_path, 2) == [[[40, expected]] * len(tasks)] * 2


SAMPLED = """
import json, sys
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from docscore.integrations.distributed import merged
from docscore.evaluation.state import ScoreState

task = json.load(open(sys.argv[1]))
state = ScoreState(metrics=["anls_star", "kieval"], parse="repair")
for batch in DataLoader(task["rows"], batch_size=3, sampler=DistributedSampler(task["rows"]), collate_fn=list):
    state.update(*zip(*batch))
if rank == 2 and task["other"]:
    state.update([{"question_id": "0", "prediction": "other"}], [{"question_id": "0", "references": ["x"]}])
try:
    whole = merged(state)
    found = [whole.rows, whole.counts["repeated"], whole.compute()]
except ValueError as error:
    found = str(error)
end()
print("result:", json.dumps(found))
"""


@pytest.mark.ci
@pytest.mark.parametrize("other", [False, True])
def test_rows_that_a_sampler_repeats_count_once(other: bool, tmp_path: Path) -> None:
    """Ten rows in three processes of four each; with another value for an id, every process says so."""
    needs("torch")
    rows = by_id(random_rows(4, 10))
    found = run_all(GLOO + SAMPLED, {"rows": rows, "other": other}, tmp_path, 3)
    message = "row '0': expected the values with which it was counted before, got others"
    assert found == [message if other else [10, 2, single(rows, metrics=["anls_star", "kieval"], parse="repair")]] * 3


def test_without_a_group_it_is_a_copy() -> None:
    needs("torch")
    from docscore.integrations.distributed import merged  # noqa: PLC0415

    state = ScoreState()
    state.update(["x"], ["y"])
    copy = merged(state)
    copy.update(["x"], ["x"])
    assert (state.compute()["anls_star"], copy.compute()["anls_star"]) == (0.0, 0.5)


COLLECTION = """
import json, sys, warnings
import torchmetrics
from docscore.integrations.torchmetrics import DocumentScore

warnings.filterwarnings("ignore", message="The ``compute`` method")  # of a process without rows
both = torchmetrics.MetricCollection(
    {"all": DocumentScore(metrics=["anls_star", "nted"], parse="repair"), "plain": DocumentScore(fields=False)}
)
found = []
for split in json.load(open(sys.argv[1])):
    for row in split[rank]:
        both.update(*zip(row))
    found.append({name: value.item() for name, value in both.compute().items()})
    both.reset()
end()
print("result:", json.dumps(found))
"""


@pytest.mark.filterwarnings("ignore:predictions. .* are text:UserWarning")
def test_a_collection_of_torchmetrics_in_two_processes(tmp_path: Path) -> None:
    """Keys that two of its metrics share get the metric's name in front."""
    needs("torch", "torchmetrics")
    rows = random_rows(2, 12)
    tasks = splits(rows, 2)
    figures = single(rows, metrics=["anls_star", "nted"], parse="repair")
    plain = single(rows, fields=False)
    first, second = run_all(GLOO + COLLECTION, tasks, tmp_path, 2)
    assert first == second == [first[0]] * len(tasks)
    assert {
        name.removeprefix("all_"): value for name, value in first[0].items() if name != "plain_anls_star"
    } == figures
    assert first[0]["plain_anls_star"] == plain["anls_star"]


@pytest.fixture
def metric() -> Any:
    needs("torch", "torchmetrics")
    from docscore.integrations.torchmetrics import DocumentScore  # noqa: PLC0415

    return DocumentScore()


def test_torchmetrics_in_one_process(metric: Any) -> None:
    """Update, compute, reset, and the call that gives the figures of a batch alone."""
    import torch  # noqa: PLC0415

    metric.update([{"a": "x"}], [{"a": "x"}])
    assert {key: value.item() for key, value in metric(["y"], ["z"]).items()} == {"anls_star": 0.0, "anls_star/$": 0.0}
    figures = metric.compute()
    assert {key: value.item() for key, value in figures.items()} == {
        "anls_star": 0.5,
        "anls_star/$": 0,
        "anls_star/a": 1,
    }
    assert {value.dtype for value in figures.values()} == {torch.float64}
    metric.update(["y"], ["y"])
    assert metric.compute()["anls_star"] == 2 / 3  # not the one before
    metric.reset()
    metric.update(["y"], ["y"])
    assert metric.compute()["anls_star"] == 1.0


def test_torchmetrics_of_parts_are_merged(metric: Any) -> None:
    other = metric.clone()
    metric.update(["x"], ["x"])
    other.update(["x"], ["y"])
    assert metric.compute()["anls_star"] == 1.0
    metric.merge_state(other)
    assert metric.compute()["anls_star"] == 0.5
    with pytest.raises(TypeError, match="expected a DocumentScore, got dict"):
        metric.merge_state({})


EVALUATE = """
import json, sys
import docscore, evaluate

task, rank = json.load(open(sys.argv[1])), int(sys.argv[2])
metric = evaluate.load(
    docscore.evaluate_module("anls_star"),
    cache_dir=task["cache"], experiment_id="whole", num_process=len(task["parts"]), process_id=rank,
)
for row in task["parts"][rank]:
    metric.add(**dict(zip(("prediction", "reference"), row)))
try:
    found = metric.compute(parse="repair", per_sample=True, threshold=task["thresholds"][rank])
except ValueError as error:
    found = str(error)
print("result:", json.dumps(found))
"""


def by_id(rows: Rows) -> Rows:
    """The rows with ids."""
    return [
        [{"question_id": str(k), "prediction": found}, {"question_id": str(k), "references": [truth]}]
        for k, (found, truth) in enumerate(rows)
    ]


@pytest.mark.parametrize("count", [2, 4])
def test_evaluates_own_mode_gives_the_first_process_the_result(count: int, tmp_path: Path) -> None:
    """Through files that all processes see; the parts are uneven, and the rows have ids."""
    needs("evaluate")
    rows = by_id(random_rows(3, 20))
    parts = [rows[k : k + 1] for k in range(count - 1)] + [rows[count - 1 :]]
    task = {"cache": str(tmp_path / "cache"), "parts": parts, "thresholds": [0.5] * count}
    first, *others = run_all(EVALUATE, task, tmp_path, count)
    assert others == [None] * (count - 1)
    scores = evaluation_of(pairs_of([found for found, _ in rows], [truth for _, truth in rows]), parse="repair")
    assert first["anls_score"] == scores.score
    assert {row["question_id"]: row["anls_score"] for row in first["per_sample"]} == dict(
        zip(scores.ids, scores.scores, strict=True)
    )


@pytest.mark.parametrize(
    ("more", "thresholds", "outcome"),
    [
        ([0, 1], [0.5, 0.5], 2),
        ([0], [0.5, 0.8], "threshold: expected the same in all processes, got 0.5 in process 0 and 0.8 in process 1"),
        ([{"prediction": "other"}], [0.5, 0.5], "ids that occur more than once in the predictions (1): '0'"),
    ],
)
def test_evaluates_own_mode_with_repeated_rows_and_other_options(
    more: list[Any], thresholds: list[float], outcome: Any, tmp_path: Path
) -> None:
    """Process 1 has some rows of process 0 again, or one with another prediction; other options are no silent ones."""
    needs("evaluate")
    rows = by_id(random_rows(3, 6))
    again = [rows[k] if isinstance(k, int) else [rows[0][0] | k, rows[0][1]] for k in more]
    task = {"cache": str(tmp_path / "cache"), "parts": [rows[:4], rows[4:] + again], "thresholds": thresholds}
    found, _ = run_all(EVALUATE, task, tmp_path, 2)
    if isinstance(outcome, str):
        assert outcome in found
    else:
        scores = evaluation_of(pairs_of([each[0] for each in rows], [each[1] for each in rows]), parse="repair")
        assert (found["anls_score"], found["repeated"]) == (scores.score, outcome)


KILLED = """
import json, os, signal, sys
import docscore, evaluate

task, rank = json.load(open(sys.argv[1])), int(sys.argv[2])
metric = evaluate.load(
    docscore.evaluate_module(task["metric"]),
    cache_dir=task["cache"], experiment_id="killed", num_process=2, process_id=rank,
)
if task["parts"][rank]:
    metric.add_batch(**task["parts"][rank])
if rank == 1 and task["left"] is not None:
    os.truncate(metric.cache_file_name, int(os.path.getsize(metric.cache_file_name) * task["left"]))
    os.kill(os.getpid(), signal.SIGKILL)
try:
    found = metric.compute(**task["options"])
except ValueError as error:
    found = str(error)
print("result:", json.dumps(found))
"""


def plain_batch(numbers: range) -> dict[str, Any]:
    return {"predictions": ["x"] * len(numbers), "references": ["x"] * len(numbers)}


def batch_by_id(numbers: range) -> dict[str, Any]:
    return {
        "predictions": [{"question_id": number, "prediction": "x"} for number in numbers],
        "references": [{"question_id": number, "references": ["x"]} for number in numbers],
    }


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize(
    ("metric", "batch", "left", "options", "again"),
    [
        ("anls_star", plain_batch, 1, {}, [3, 9]),
        ("nted", batch_by_id, 1, {"missing": "zero"}, [3, 0]),
        ("anls_star", batch_by_id, 0.7, {}, [0, 3]),
        ("nted", plain_batch, 0, {}, [3, 3]),
    ],
)
def test_a_killed_process_of_evaluates_own_mode_leaves_no_score(
    metric: str, batch: Any, left: float, options: Any, again: list[int], tmp_path: Path
) -> None:
    """The rows before its end are written, or a part of them, or none; then the same folder can be used again."""
    needs("evaluate")
    task = {"cache": str(tmp_path / "cache"), "metric": metric, "options": options}
    parts = [batch(range(3)), batch(range(3, 1503))]
    whole = [batch(range(9, 9 + again[0])) if again[0] else {}, batch(range(again[1])) if again[1] else {}]
    error, _ = run_all(KILLED, {**task, "parts": parts, "left": left}, tmp_path, 2, killed=[1])
    assert "ended before all rows were written" in error
    first, second = run_all(KILLED, {**task, "parts": whole, "left": None}, tmp_path, 2)
    assert next(iter(first.values())) == 1.0
    assert second is None


TRAINER = """
import json, sys, tempfile
import numpy as np
import transformers
from docscore.integrations.transformers import compute_metrics, preprocess_logits_for_metrics

class Digits:  # tokens as texts
    pad_token_id = 0
    def batch_decode(self, rows, **_):
        return ["".join(map(str, row)) for row in rows]

task, found = json.load(open(sys.argv[1])), []
truths = ["".join(map(str, row["labels"])) for row in task]
for options in ({}, {"batch_eval_metrics": True}):
    transformers.set_seed(0)
    size = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    config = transformers.T5Config(vocab_size=10, decoder_start_token_id=0, **size)
    trainer = transformers.Trainer(
        model=transformers.T5ForConditionalGeneration(config),
        args=transformers.TrainingArguments(
            output_dir=tempfile.mkdtemp(), use_cpu=True, report_to=[], disable_tqdm=True, per_device_eval_batch_size=2,
            ddp_backend="gloo", **options
        ),
        eval_dataset=task,
        compute_metrics=compute_metrics(Digits(), references=truths, parse=None),
        preprocess_logits_for_metrics=preprocess_logits_for_metrics,
    )
    trainer.remove_callback(transformers.PrinterCallback)
    found.append({name: value for name, value in trainer.evaluate().items() if "anls" in name})
trainer.accelerator.end_training()
print("result:", json.dumps([trainer.args.world_size, found]))
"""


@pytest.mark.ci
def test_a_trainer_in_two_processes_scores_every_row_once(tmp_path: Path) -> None:
    """Seven rows in two processes and batches of two: the rows that fill up the last batch are not scored."""
    needs("torch", "transformers", "accelerate")
    rng = random.Random(0)
    rows = [{"input_ids": [rng.randint(1, 9)] * 3, "labels": [rng.randint(1, 9) for _ in range(4)]} for _ in range(7)]
    alone = run_all(TRAINER, rows, tmp_path, 1)[0]
    both = run_all(TRAINER, rows, tmp_path, 2)
    assert alone[1][0] == alone[1][1]
    assert both == [[2, alone[1]]] * 2
    assert alone[1][0].keys() == {"eval_anls_star", "eval_anls_star/$"}
