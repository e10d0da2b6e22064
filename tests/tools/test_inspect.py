"""The tasks and scorers of Inspect, run against a server on this machine that answers well, badly or not at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.benchmark import files as bench_data
from tests.commands import ref, written
from tests.conftest import HUNG, PIXEL, needs_tool
from tests.loopback import Loopback, Reply, Request, attachments, prompt_text
from tests.tools import inspect_runs
from tests.tools.inspect_runs import figures, loopback, right, run_tasks, their_task, values

needs_tool("inspect_ai")

from docscore_benchmark import inspect as tasks  # noqa: E402
from docscore_benchmark.documents import SCHEMAS, strict_schema  # noqa: E402

pytestmark = inspect_runs.IGNORED
data = bench_data.data


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as actual:
        yield actual


@pytest.mark.ci
def test_extraction_as_the_paper_asked_for_it(data: Path, server: Loopback, tmp_path: Path) -> None:
    (log,) = run_tasks(tasks.kleister_nda(str(data)), tmp_path)
    assert log.status == "success"
    (first,) = [request for request in server.requests if "Second" not in prompt_text(request)]
    assert first["temperature"] == 0
    assert "response_format" not in first
    assert prompt_text(first).startswith("You are a document information extraction system.\n")
    assert len(log.samples) == 2
    assert sorted(values(log).values()) == [0.0, 1.0]
    assert figures(log)["mean"] == 0.5
    (right_one,) = [sample for sample in log.samples if sample.scores["anls_star"].value == 1]
    score = right_one.scores["anls_star"]
    assert json.loads(score.answer) == {"jurisdiction": "New_York", "party": "Acme_Inc."}
    assert score.explanation.startswith("```text\n= $ ")
    assert score.metadata["fields"] == {"jurisdiction": [1.0, 1.0], "party": [1.0, 1.0]}
    assert score.metadata["parsed"] == "extracted"


def test_structured_output_has_a_strict_schema(data: Path, server: Loopback, tmp_path: Path) -> None:
    run_tasks(tasks.vrdu_ad_buy(str(data), prompt="plain", sample=1), tmp_path)
    (request,) = server.requests
    wanted = request["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert wanted["schema"] == strict_schema(SCHEMAS["vrdu_ad_buy"])
    assert "temperature" not in request


def test_questions_have_texts_as_answers_and_one_draw_a_document(data: Path, server: Loopback, tmp_path: Path) -> None:
    server.answer = lambda request: Reply("12.50" if "bill 0" in prompt_text(request) else "{} [1]")
    (log,) = run_tasks(tasks.docvqa(str(data)), tmp_path)
    assert values(log) == {"100": 1.0, "101": 0.0}
    assert figures(log) == {"mean": 0.5, "stderr": 0.0}  # both ask about one file
    assert {sample.scores["anls_star"].answer for sample in log.samples} == {"12.50", "{} [1]"}


@pytest.mark.ci
def test_kieval_is_counted_over_all_samples(data: Path, server: Loopback, tmp_path: Path) -> None:
    server.answer = lambda _: Reply('{"jurisdiction": "New_York", "party": ["Acme_Inc."]}')
    (log,) = run_tasks(tasks.kleister_nda(str(data), prompt="plain", kieval=True), tmp_path)
    actual = figures(log, "kieval_entities")
    # of 7 entities 3 are right: 2 of the second contract, the party of the first; its jurisdiction is another
    assert actual["entity_f1"] == 2 * 3 / (2 * 3 + 2 * 1 + 3)
    assert actual["mean"] == pytest.approx((1 + 2 / (2 + 2 + 3)) / 2)
    explanations = [sample.scores["kieval_entities"].explanation for sample in log.samples]
    assert any("add     $.effective_date: nothing" not in each and "change" in each for each in explanations)


def test_pictures_and_pdfs_are_sent(data: Path, server: Loopback, tmp_path: Path) -> None:
    run_tasks(
        [
            tasks.docvqa(str(data), method="vision", sample=1),
            tasks.mp_docvqa(str(data), method="vision", sample=1),
            tasks.mp_docvqa(str(data), method="vision", sample=1, pages="last"),
            tasks.kleister_charity(str(data), method="vision", sample=1, dpi=50),
            tasks.kleister_charity(str(data), method="pdf", sample=1),
        ],
        tmp_path,
        max_tasks=1,
    )
    assert [attachments(request) for request in server.requests] == [
        ["image_url"],
        ["image_url"] * 2,
        ["image_url"],
        ["image_url"] * 2,
        ["file"],
    ]
    (picture,) = (each for each in server.requests[0]["messages"][0]["content"] if each["type"] == "image_url")
    assert picture["image_url"]["url"].startswith("data:image/png;base64,iVBOR")


BAD: dict[str, tuple[Reply, str]] = {  # what is answered, what Inspect calls it
    "prose": (Reply("I cannot read this contract."), "invalid_response_format"),
    "nothing": (Reply(""), "no_response"),
    "an error of the server": (Reply("down", status=500), "no_response"),
    "too many requests": (Reply("slow down", status=429), "no_response"),
    "too long": (Reply("context_length_exceeded", status=400), "no_response"),
    "too slow": (Reply("{}", after=4), "no_response"),
}


@pytest.mark.parametrize(("reply", "reason"), BAD.values(), ids=BAD)
def test_a_bad_answer_is_a_zero_and_stays(
    data: Path, server: Loopback, tmp_path: Path, reply: Reply, reason: str
) -> None:
    server.answer = lambda _: reply
    timeout = 2 if reply.after else None
    (log,) = run_tasks(tasks.kleister_charity(str(data)), tmp_path, attempt_timeout=timeout)
    assert log.status == "success"
    assert list(values(log).values()) == [0.0, 0.0]
    assert figures(log)["mean"] == 0.0
    assert {sample.scores["anls_star"].reason for sample in log.samples} == {reason}


def test_own_documents_each_with_its_schema(server: Loopback, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    for name in ("a", "b"):
        written(folder, f"{name}.png", PIXEL)
        written(folder, f"schemas/{name}.json", {"type": "object", "properties": {name: {"type": "string"}}})
    written(folder, "references.json", [ref(name, {name: "1"}, {name: "one"}) for name in ("a", "b")])
    server.answer = lambda request: Reply(json.dumps(dict.fromkeys(_keys(request), "one")))
    (log,) = run_tasks(tasks.documents(str(folder), schema=str(folder / "schemas")), tmp_path / "logs")
    assert values(log) == {"a": 1.0, "b": 1.0}
    assert sorted(map(_keys, server.requests)) == [["a"], ["b"]]
    with pytest.raises(ValueError, match="document 'a': expected a PDF for the method 'pdf', got none"):
        tasks.documents(str(folder), schema=str(folder / "schemas"), method="pdf")


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("latin", "document 'b': expected text on every page for the method 'latin', got a page without text; "),
        ("pdf", "document 'a': expected a PDF for the method 'pdf', got none"),
        ("sft", "method: expected 'simple', 'latin', 'vision' or 'pdf', got 'sft'"),
    ],
)
def test_a_wrong_folder_ends_the_command_with_one_sentence(tmp_path: Path, method: str, said: str) -> None:
    written(tmp_path, "a.txt", "Tea")
    written(tmp_path, "b.png", PIXEL)
    written(tmp_path, "schema.json", {"type": "object", "properties": {"total": {"type": "string"}}})
    written(tmp_path, "references.json", [ref(name, {"total": "1"}) for name in ("a", "b")])
    command = [sys.executable, "-m", "inspect_ai", "eval", "docscore_benchmark/documents", "-T", f"data={tmp_path}"]
    options = ["-T", f"method={method}", "--model", "mockllm/model", "--log-dir", str(tmp_path / "logs")]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False, timeout=HUNG)
    assert done.returncode == 1
    assert f"Error: {said}" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stdout + done.stderr


def test_own_documents_by_their_types(server: Loopback, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    properties = {"total": {"type": "number"}, "shop": {"type": "string", "x-docscore": {"weight": 3}}}
    for name in ("a", "b"):
        written(folder, f"{name}.txt", "Tea")
        written(folder, f"schemas/{name}.json", {"type": "object", "properties": properties})
    written(folder, "references.json", [ref(name, {"total": 1000.0, "shop": "Tea"}) for name in ("a", "b")])
    server.answer = lambda _: Reply('{"total": "1000", "shop": "Rum"}')
    for schema in (folder / "schemas", folder / "schemas" / "a.json"):  # one each, and one for all
        (log,) = run_tasks(tasks.documents(str(folder), schema=str(schema), method="simple", typed=True), tmp_path)
        assert figures(log)["mean"] == pytest.approx(1 / 3)  # "1000" is four sixths of "1000.0"
        assert figures(log, "typed") == {"mean": 0.25, "stderr": 0.0, "total": 1.0, "shop": 0.0}


def _keys(request: Request) -> list[str]:
    return list(request["response_format"]["json_schema"]["schema"]["properties"])


def test_the_scorer_on_a_task_of_somebody_else(server: Loopback, tmp_path: Path) -> None:
    replies = {"name": "Ada", "object": '{"a": 1}', "list": "[1]", "number": "12.50"}
    targets: dict[str, Any] = {"name": ["ada", "bob"], "object": '{"a": "1"}', "list": "[1, 2]", "number": "12.50"}
    server.answer = lambda request: Reply(replies[prompt_text(request)])
    (log,) = run_tasks(their_task(targets, tasks.anls_star()), tmp_path)
    assert values(log) == {"name": 1.0, "object": 1.0, "list": 0.5, "number": 1.0}
    (log,) = run_tasks(their_task(targets, tasks.anls_star(target="text")), tmp_path)
    assert values(log)["list"] == 0.5  # three of six characters
    (lacking,) = run_tasks(their_task({"name": ""}, tasks.anls_star()), tmp_path)
    assert "sample name: expected a target, got none" in lacking.error.traceback
    (sample,) = [each for each in log.samples if each.id == "list"]
    assert (sample.scores["anls_star"].answer, sample.scores["anls_star"].metadata["parsed"]) == ("[1]", None)


def test_a_run_that_was_interrupted_goes_on(server: Loopback, tmp_path: Path) -> None:
    """Nothing is lost and nothing counted twice: every sample is in the log of the retry, once."""
    folder = bench_data.write_kleister_charity(tmp_path / "data", 6)
    stopped_by_now = threading.Event()

    def three_at_once(request: Request) -> Reply:
        if len(server.requests) > 3:
            stopped_by_now.wait(HUNG)  # the fourth hangs until the run was stopped
        return right(request)

    server.answer = three_at_once
    logs = tmp_path / "logs"
    command = [
        sys.executable,
        "-m",
        "inspect_ai",
        "eval",
        "docscore_benchmark/kleister_charity",
        "-T",
        f"data={folder}",
    ]
    options = ["--model", inspect_runs.MODEL, "--log-dir", str(logs), "--max-connections", "1", "--log-buffer", "1"]
    env = {**os.environ, "INSPECT_DISPLAY": "none"}
    process = subprocess.Popen([*command, *options], env=env, stdout=subprocess.DEVNULL)
    while len(server.requests) < 4 and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait(HUNG)
    stopped_by_now.set()
    from inspect_ai.log import read_eval_log  # noqa: PLC0415  the tool

    (first,) = logs.glob("*.eval")
    stopped = read_eval_log(str(first))
    assert stopped.status == "cancelled"
    done = {sample.id for sample in stopped.samples if sample.scores}
    assert 1 <= len(done) < 6
    assert len(server.requests) == 4
    retry = [sys.executable, "-m", "inspect_ai", "eval-retry", str(first), "--log-dir", str(logs)]
    subprocess.run(retry, env=env, stdout=subprocess.DEVNULL, check=True, timeout=HUNG)
    (second,) = set(logs.glob("*.eval")) - {first}
    whole = read_eval_log(str(second))
    assert sorted(sample.id for sample in whole.samples) == [f"{number:032x}.pdf" for number in range(6)]
    assert set(values(whole).values()) == {1.0}
    assert len(server.requests) == 4 + 6 - len(done)
