"""Several real processes: with torch.distributed and accelerate, and in evaluate's own mode."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from docscore.evaluation.state import ScoreState
from docscore.inputs.pairing import pairs_of
from tests.commands import PIPES, environment, free_port, pred, ref
from tests.conftest import HUNG, needs
from tests.structures import damaged, evaluation_of, random_truth, taken

pytestmark = pytest.mark.full

Rows = list[list[Any]]  # prediction and reference


def random_rows(seed: int, count: int) -> Rows:
    """Documents with small errors, some of them as text; JSON values, as they are sent to the processes."""
    rng = random.Random(seed)
    truths = [
        {"a": taken(random_truth(rng, 2)), "t": "word " * rng.randint(1, 9), "l": ["x", "ab"]} for _ in range(count)
    ]
    answers = [damaged(rng, truth) | {"t": "word " * rng.randint(1, 9)} for truth in truths]
    texts = [json.dumps(each)[: rng.choice([9999, 9999, -1, 0])] for each in answers]
    return [[text, truth] for text, truth in zip(texts, truths, strict=True)]


def by_id(rows: Rows) -> Rows:
    return [[pred(str(k), actual), ref(str(k), truth)] for k, (actual, truth) in enumerate(rows)]


def splits(rows: Rows, parts: int) -> list[list[Rows]]:
    """The rows dealt out at random, unevenly, and with all of them in one part and none in the others."""
    rng = random.Random(0)
    actual: list[list[Rows]] = [[*([[]] * (parts - 1)), rows], [rows, *([[]] * (parts - 1))]]
    for _ in range(6):
        ends = sorted(rng.randint(0, len(rows)) for _ in range(parts - 1))
        mixed = rng.sample(rows, len(rows))
        actual.append([mixed[start:end] for start, end in zip([0, *ends], [*ends, len(rows)], strict=True)])
    return actual


def run_all(script: str, tasks: Any, folder: Path, count: int, killed: Sequence[int] = ()) -> list[Any]:
    """What each of so many processes, started as torchrun starts them, says of the tasks; None of those killed."""
    (folder / "tasks.json").write_text(json.dumps(tasks), "utf-8")
    group = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(count)}
    group["OMP_NUM_THREADS"] = "1"
    group |= {"GLOO_SOCKET_IFNAME": "lo"} if sys.platform == "linux" else {}
    command = [sys.executable, "-c", script, str(folder / "tasks.json")]
    processes = [
        subprocess.Popen([*command, str(rank)], env=environment(**group, RANK=str(rank), LOCAL_RANK=str(rank)), **PIPES)
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
import json, sys, warnings
import torchmetrics
from docscore.integrations.distributed import merged
from docscore.integrations.torchmetrics import DocumentScore
from docscore.evaluation.state import ScoreState

warnings.filterwarnings("ignore", message="The ``compute`` method")  # of a process without rows
task, found = json.load(open(sys.argv[1])), []
both = torchmetrics.MetricCollection({"all": DocumentScore(**task["rules"]), "plain": DocumentScore(fields=False)})
for split in task["splits"]:
    state = ScoreState(**task["rules"])
    if split[rank]:
        state.update(*zip(*split[rank]))
    for row in split[rank]:
        both.update(*zip(row))
    whole = merged(state)
    assert state.rows == len(split[rank])  # it stays as it is
    found.append([whole.rows, whole.compute(), {name: value.item() for name, value in both.compute().items()}])
    both.reset()
end()
print("result:", json.dumps(found))
"""


def single(rows: Rows, **rules: Any) -> dict[str, float]:
    state = ScoreState(**rules)
    state.update(*zip(*rows, strict=True))
    return state.compute()


@pytest.mark.filterwarnings("ignore:predictions. .* (are|have) :UserWarning")
@pytest.mark.parametrize(
    ("start", "modules"),
    [
        pytest.param(GLOO, ["torch"], marks=pytest.mark.ci, id="gloo"),
        pytest.param(ACCELERATE, ["torch", "accelerate"], id="accelerate"),
    ],
)
def test_any_split_gives_the_bits_of_one_process(start: str, modules: list[str], tmp_path: Path) -> None:
    """Every process has the whole result, of a state and of a collection of torchmetrics; JSON keeps all digits.

    Keys that two metrics of a collection share get the metric's name in front.
    """
    needs(*modules, "torchmetrics")
    rows = random_rows(1, 40)
    rules = {"metrics": ["anls_star", "kieval", "entity_f1", "nted"], "parse": "repair"}
    tasks = splits(rows, 2)
    expected = single(rows, **rules)
    predictions, references = zip(*rows, strict=True)
    assert expected["anls_star"] == evaluation_of(pairs_of(predictions, references), parse="repair").score
    assert 0 < expected["parse_failure_rate"] < 0.5
    first, second = run_all(start + MERGE, {"splits": tasks, "rules": rules}, tmp_path, 2)
    assert first == second == [first[0]] * len(tasks)
    count, figures, collected = first[0]
    assert (count, figures) == (40, expected)
    assert collected.pop("plain_anls_star") == single(rows, fields=False)["anls_star"]
    assert {name.removeprefix("all_"): value for name, value in collected.items()} == expected


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


@pytest.mark.parametrize("other", [pytest.param(False, marks=pytest.mark.ci), True])
def test_rows_that_a_sampler_repeats_count_once(other: bool, tmp_path: Path) -> None:
    """Ten rows in three processes of four each; with another value for an id, every process says so."""
    needs("torch")
    rows = by_id(random_rows(4, 10))
    result = run_all(GLOO + SAMPLED, {"rows": rows, "other": other}, tmp_path, 3)
    message = "row '0': expected the values with which it was counted before, got different values"
    assert result == [message if other else [10, 2, single(rows, metrics=["anls_star", "kieval"], parse="repair")]] * 3


def test_torchmetrics_in_one_process() -> None:
    """Update, compute, reset, the call that gives the figures of a batch alone, and parts that are merged."""
    needs("torch", "torchmetrics")
    import torch  # noqa: PLC0415

    from docscore.integrations.torchmetrics import DocumentScore  # noqa: PLC0415

    metric = DocumentScore()
    other = metric.clone()
    metric.update([{"a": "x"}], [{"a": "x"}])
    assert metric(["y"], ["z"]) == {"anls_star": 0.0, "anls_star/$": 0.0}
    figures = metric.compute()
    assert figures == {"anls_star": 0.5, "anls_star/$": 0, "anls_star/a": 1}
    assert {value.dtype for value in figures.values()} == {torch.float64}
    metric.update(["y"], ["y"])
    assert metric.compute()["anls_star"] == 2 / 3  # not the one before
    metric.reset()
    metric.update(["y"], ["y"])
    assert metric.compute()["anls_star"] == 1.0
    other.update(["x"], ["y"])
    metric.merge_state(other)
    assert metric.compute()["anls_star"] == 0.5
    with pytest.raises(TypeError, match="expected a DocumentScore, got dict"):
        metric.merge_state({})


EVALUATE = """
import json, os, signal, sys
import docscore, evaluate

task, rank = json.load(open(sys.argv[1])), int(sys.argv[2])
rows = task["parts"][rank]
metric = evaluate.load(
    docscore.evaluate_module(task["metric"]),
    cache_dir=task["cache"], experiment_id="whole", num_process=len(task["parts"]), process_id=rank,
)
if rows:
    metric.add_batch(predictions=[found for found, _ in rows], references=[truth for _, truth in rows])
if rank == 1 and "left" in task:
    os.truncate(metric.cache_file_name, int(os.path.getsize(metric.cache_file_name) * task["left"]))
    os.kill(os.getpid(), signal.SIGKILL)
try:
    found = metric.compute(**task["options"][rank])
except ValueError as error:
    found = str(error)
print("result:", json.dumps(found))
"""
DOCUMENTS = by_id(random_rows(3, 20))
OTHER = [pred("0", "other"), DOCUMENTS[0][1]]
PARTS: dict[str, tuple[list[Rows], float, Any]] = {  # rows, threshold of the last process, repeated rows or the error
    "four": ([*([row] for row in DOCUMENTS[:3]), DOCUMENTS[3:]], 0.5, None),
    "rows of the other process again": ([DOCUMENTS[:4], [*DOCUMENTS[4:], *DOCUMENTS[:2]]], 0.5, 2),
    "another prediction": ([DOCUMENTS, [OTHER]], 0.5, "ids that occur more than once in the predictions (1): '0'"),
    "another option": (
        [DOCUMENTS[:4], DOCUMENTS[4:]],
        0.8,
        "threshold: expected the same in all processes, got 0.5 in process 0 and 0.8 in process 1",
    ),
}


@pytest.mark.parametrize(("parts", "last", "outcome"), PARTS.values(), ids=PARTS)
def test_evaluates_own_mode_gives_the_first_process_the_result(
    parts: list[Rows], last: float, outcome: Any, tmp_path: Path
) -> None:
    """Through files that all processes see; the parts are uneven, and other options are no silent ones."""
    needs("evaluate")
    options = [{"parse": "repair", "per_sample": True, "threshold": 0.5} for _ in parts]
    options[-1]["threshold"] = last
    task = {"cache": str(tmp_path / "cache"), "metric": "anls_star", "parts": parts, "options": options}
    first, *others = run_all(EVALUATE, task, tmp_path, len(parts))
    assert others == [None] * (len(parts) - 1)
    if isinstance(outcome, str):
        assert outcome in first
        return
    predictions, references = zip(*DOCUMENTS, strict=True)
    scores = evaluation_of(pairs_of(predictions, references), parse="repair")
    assert (first["anls_score"], first.get("repeated")) == (scores.score, outcome)
    actual = {row["question_id"]: row["anls_score"] for row in first["per_sample"]}
    assert actual == dict(zip(scores.ids, scores.scores, strict=True))


PLAIN = [["x", "x"]] * 1503


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize(
    ("metric", "rows", "left", "options", "again"),
    [
        ("anls_star", PLAIN, 1, {}, [3, 9]),
        ("nted", by_id(PLAIN), 1, {"missing": "zero"}, [3, 0]),
        ("anls_star", by_id(PLAIN), 0.7, {}, [0, 3]),
        ("nted", PLAIN, 0, {}, [3, 3]),
    ],
)
def test_a_killed_process_of_evaluates_own_mode_leaves_no_score(
    metric: str, rows: Rows, left: float, options: Any, again: list[int], tmp_path: Path
) -> None:
    """The rows before its end are written, or a part of them, or none; then the same folder can be used again."""
    needs("evaluate")
    task = {"cache": str(tmp_path / "cache"), "metric": metric, "options": [options] * 2}
    error, _ = run_all(EVALUATE, {**task, "parts": [rows[:3], rows[3:]], "left": left}, tmp_path, 2, killed=[1])
    assert "ended before it wrote all rows" in error
    whole = [rows[: again[0]], rows[9 : 9 + again[1]]]
    first, second = run_all(EVALUATE, {**task, "parts": whole}, tmp_path, 2)
    assert next(iter(first.values())) == 1.0
    assert second is None


TRAINER = """
import json, sys, tempfile
import transformers
from docscore.integrations.transformers import compute_metrics, preprocess_logits_for_metrics

class Digits:  # tokens as texts
    pad_token_id = 0
    def batch_decode(self, rows, **_):
        return ["".join(str(token) for token in row if token) for row in rows]

def figures_of(kind, rows, in_batches, given):
    transformers.set_seed(0)
    size = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2, "initializer_factor": 9.0}
    config = transformers.T5Config(vocab_size=10, decoder_start_token_id=0, pad_token_id=0, **size)
    generates = {"predict_with_generate": True, "generation_max_length": 5} if kind == "Seq2SeqTrainer" else {}
    trainer = getattr(transformers, kind)(
        model=transformers.T5ForConditionalGeneration(config),
        args=getattr(transformers, kind.replace("Trainer", "TrainingArguments") if generates else "TrainingArguments")(
            output_dir=tempfile.mkdtemp(), use_cpu=True, report_to=[], disable_tqdm=True, per_device_eval_batch_size=4,
            ddp_backend="gloo", batch_eval_metrics=in_batches, **generates
        ),
        eval_dataset=rows,
        compute_metrics=compute_metrics(Digits(), parse=None, threshold=0.1, **given),
        preprocess_logits_for_metrics=preprocess_logits_for_metrics,
    )
    trainer.remove_callback(transformers.PrinterCallback)
    try:
        found = trainer.evaluate()
    except ValueError as error:
        return str(error)
    return {name: value for name, value in found.items() if "anls" in name}

found = [figures_of(**task) for task in json.load(open(sys.argv[1]))]
accelerator = transformers.trainer.Accelerator()
print("result:", json.dumps([accelerator.num_processes, found]))
accelerator.end_training()
"""


@pytest.mark.ci
def test_trainers_in_two_processes_score_every_row_once(tmp_path: Path) -> None:
    """The rows that fill up the last batch are not scored: of 3 rows 3 and 2 again, of 9 the first 7.

    A Trainer that generates leaves them in; without the number of rows, this is an error. So is another number.
    """
    needs("torch", "transformers", "accelerate")
    rng = random.Random(0)
    rows = [{"input_ids": [rng.randint(1, 9)] * 3, "labels": [rng.randint(1, 9) for _ in range(6)]} for _ in range(9)]
    tasks: list[dict[str, Any]] = [
        {"kind": kind, "rows": rows[:count], "in_batches": in_batches, "given": given}
        for count in (3, 9)
        for kind in ("Trainer", "Seq2SeqTrainer")
        for in_batches in (False, True)
        for given in (
            {"references": ["".join(map(str, row["labels"])) for row in rows[:count]]},
            {"rows": count},
            {"rows": count - 1},
            {},
        )
    ]
    count, alone = run_all(TRAINER, tasks, tmp_path, 1)[0]
    first, second = run_all(TRAINER, tasks, tmp_path, 2)
    assert (count, first[0], first) == (1, 2, second)
    for task, one, two in zip(tasks, alone, first[1], strict=True):
        size, given = len(task["rows"]), task["given"]
        name = f"{task['kind']} of {size}, {task['in_batches']}, {given}"
        padded = {3: "5 of 8", 9: "7 of 16"}[size] if task["kind"] == "Seq2SeqTrainer" else ""
        if given.get("rows") == size - 1:
            expected = f"rows: expected {size - 1} rows in the evaluation set, got "
            assert one.startswith(expected), name
            assert two.startswith(expected), name
        elif given:
            assert one.keys() == {"eval_anls_star", "eval_anls_star/$"}, name
            assert one == two == alone[tasks.index({**task, "in_batches": False, "given": {"rows": size}})], name
            assert 0 < one["eval_anls_star"] < 1, name
        elif task["in_batches"] and size == 9:  # three rows are one batch
            assert one == two, name
            assert one.startswith("batch_eval_metrics: expected rows or references in compute_metrics, got neither; ")
        elif padded:
            assert two.startswith(f"the last {padded} rows have the labels of the first {padded[0]}, as if"), name
        else:
            assert one == two, name
