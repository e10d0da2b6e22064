"""Logs of Inspect as files of references and predictions, and the table of the paper made of them."""

from __future__ import annotations

import json
from math import fsum
from pathlib import Path
from typing import Any

import pytest

import docscore
from tests.benchmark import files as bench_data
from tests.commands import run, succeed, written
from tests.conftest import needs_tool
from tests.loopback import Reply, Request, prompt_text
from tests.test_json_output import validated
from tests.tools import inspect_runs
from tests.tools.inspect_runs import figures, loopback, right, run_tasks, their_task, values

needs_tool("inspect_ai")

from docscore_benchmark import inspect as tasks  # noqa: E402
from docscore_benchmark.data_sets import DATA_SETS  # noqa: E402

pytestmark = inspect_runs.IGNORED
METHODS = dict.fromkeys(("docvqa", "mp_docvqa", "sroie"), ("simple", "latin", "vision"))
ROWS = 10
Logs = tuple[Path, Path]
data = bench_data.data


def json_of(*arguments: str | Path) -> Any:
    return json.loads(succeed(*arguments, "--json"))


def model(name: str) -> str:
    return f"openai-api/loop/{name}"


@pytest.fixture(scope="module")
def two_logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
    """A model that gets the rows of a contract right, and one that gets three of ten wrong."""
    folder = tmp_path_factory.mktemp("logs")
    contracts = str(bench_data.write_kleister_charity(folder / "data", ROWS))
    with loopback() as server:
        (good,) = run_tasks(tasks.kleister_charity(contracts), folder / "good", model("good"), log_format="json")
        server.answer = three_of_ten_invalid
        (bad,) = run_tasks(tasks.kleister_charity(contracts), folder / "bad", model("bad"))
    logs = Path(good.location), Path(bad.location)
    assert [path.suffix for path in logs] == [".json", ".eval"]
    return logs


def three_of_ten_invalid(request: Request) -> Reply:
    text = prompt_text(request)
    if "No. 2\n" in text:
        return Reply("down", status=500)
    if "No. 5\n" in text:
        return Reply("I cannot read this contract.")
    if "No. 7\n" in text:
        return Reply("slow down", status=429)
    return right(request)


def test_all_tasks_with_all_methods_make_the_table(data: Path, tmp_path: Path) -> None:
    """The acceptance of the benchmark: seven data sets, each with every method that its data allows."""
    asked = [
        getattr(tasks, name)(str(data), method=method, sample=1, **({} if method != "vision" else {"dpi": 40}))
        for name in DATA_SETS
        for method in METHODS.get(name, ("simple", "latin", "vision", "pdf"))
    ]
    with loopback() as server:
        logs = run_tasks(asked, tmp_path, max_tasks=2)
        assert len(server.requests) == len(asked) == 3 * 3 + 4 * 4
    assert {log.status for log in logs} == {"success"}
    cells = validated("bench_table", succeed("bench", "table", *(log.location for log in logs), "--json"))["runs"]
    actual = {(cell["data_set"], cell["method"]): cell["anls_score"] for cell in cells}
    assert len(actual) == len(asked)
    assert {name for name, _ in actual} == {each.title for each in DATA_SETS.values()}
    assert {name for (name, _), score in actual.items() if score < 1} == {"Kleister NDA"}  # a contract of others
    assert all((cell["documents"], cell["errors"], cell["input_tokens"]) == (1, 0, 100) for cell in cells)


@pytest.mark.filterwarnings("ignore:references. nearly all have keys that no prediction has")
def test_the_mean_is_the_same_to_the_last_bit_everywhere(tmp_path: Path) -> None:
    # similarities whose sum depends on the order in which it is rounded
    texts = {f"No. {number}": "THE_MILL_TRUST"[: 7 + number] for number in range(7)}
    folder = bench_data.write_kleister_charity(tmp_path / "data", len(texts))

    def answer(request: Request) -> Reply:
        name = next(text for sign, text in texts.items() if sign in prompt_text(request))
        return Reply(json.dumps({"charity_name": name}))

    with loopback(answer):
        (log,) = run_tasks(tasks.kleister_charity(str(folder)), tmp_path)
    scores = list(values(log).values())
    assert len(set(scores)) == len(texts)
    output = json.loads(run("score", log.location, "--rows", "--json").out)
    assert figures(log)["mean"] == output["anls_score"] == fsum(scores) / len(scores)
    result = docscore.evaluate(predictions=log.location)
    assert {name: result[name].score for name in result} == values(log)
    assert {"format": "docscore.score/3", **json.loads(json.dumps(result.to_dict(fields=False)))} == output


def printed(*arguments: Any) -> str:
    """What a command prints; on the error stream nothing but the samples that ended with an error."""
    done = run(*arguments, *(() if arguments[0] == "explain" else ("--missing", "zero")))
    assert done.code == 0
    assert all("samples ended with an error" in line for line in done.err.splitlines())
    return done.out


@pytest.mark.ci
@pytest.mark.parametrize(("number", "mean"), [(0, 1.0), (1, 0.7)], ids=["json", "eval"])
def test_the_commands_take_a_log(two_logs: Logs, tmp_path: Path, number: int, mean: float) -> None:
    path = two_logs[number]
    assert json.loads(printed("score", path, "--json"))["anls_score"] == mean
    assert "charity_name" in printed("score", path, "--fields")
    assert printed("explain", path, "--id", f"{2:032x}.pdf").startswith(("= $", "− $"))
    done = run("report", path, "-o", tmp_path / "report.html", "--missing", "zero")
    assert (done.code, done.out) == (0, "")
    assert "charity_name" in (tmp_path / "report.html").read_text("utf-8")


def test_samples_without_a_prediction_are_an_error_unless_an_option_says_otherwise(two_logs: Logs) -> None:
    """No figure, and no gate that passes or fails, of samples that no model answered; errors are counted aloud."""
    good, bad = two_logs
    for command in (("score",), ("compare", good, "--max-loss", "0.1"), ("bench", "table", good)):
        done = run(*command, bad)
        assert (done.code, done.out) == (2, "")
        assert f"{bad}: ids of references that no prediction has (2): '{2:032x}.pdf', " in done.err
    done = run("score", bad, "--missing", "zero", "--json", "--rows")
    assert f"{bad}: 2 of 10 samples ended with an error before they had an output, so they have no" in done.err
    assert f"the first, {2:032x}.pdf: " in done.err
    output = json.loads(done.out)
    assert (
        [row["anls_score"] for row in output["per_sample"] if row["missing"]] == [0.0] * output["missing"] == [0.0] * 2
    )
    assert json.loads(run("score", bad, "--on-error", "skip", "--json").out)["skipped"] == 2
    refused = run("compare", good, bad, "--on-error", "skip", "--max-loss", "0.1")
    assert refused.code == 2
    assert "left out" in refused.err


PARTIAL = {  # status, samples in the log, of ten
    "cancelled": ("cancelled", 4),
    "still running": ("started", 4),
    "ended by an error": ("error", 10),
    "samples lost": ("success", 8),
}


@pytest.mark.parametrize(("status", "count"), PARTIAL.values(), ids=PARTIAL)
def test_an_incomplete_run_is_no_figure_unless_an_option_says_what_the_others_count(
    two_logs: Logs, tmp_path: Path, status: str, count: int
) -> None:
    """The best samples of a run that was cancelled are no test set, and no gate decides on them."""
    path, gate = partial_log(two_logs[0], tmp_path, status, count), ["--fail-under", "0.9"]
    sentence = f"the run is incomplete: status {status!r}, {count} of {ROWS} samples"
    commands: list[list[Any]] = [
        *(["score", *flags] for flags in ([], gate, ["--on-error", "skip"])),
        ["compare", two_logs[0]],
        ["report", "-o", tmp_path / "report.html"],
        ["bench", "table"],
    ]
    for command in commands:
        done = run(*command, path)
        assert (done.code, done.out) == (2, "")
        assert f"{path}: {sentence}; --missing zero" in done.err
    with pytest.raises(ValueError, match=sentence):
        docscore.evaluate(predictions=path)
    zero = json_of("score", path, "--missing", "zero")
    assert (zero["anls_score"], zero["missing"]) == (count / ROWS, ROWS - count)
    assert "missing:zero" in zero["signature"]
    left = json.loads(run("score", path, "--missing", "skip", "--json").out)
    assert (left["anls_score"], left["skipped"]) == (1.0, ROWS - count)
    assert (f"skipped:{ROWS - count}" in left["signature"]) == (count < ROWS)
    assert run("score", path, "--missing", "zero", *gate).code == (0 if count == ROWS else 1)
    assert run("score", path, "--missing", "skip", *gate).code == (0 if count == ROWS else 2)
    assert sentence in succeed("bench", "table", path, "--missing", "zero")
    (cell,) = json_of("bench", "table", path, "--missing", "zero")["runs"]
    assert (cell["anls_score"], cell["documents"], cell["shortfall"]) == (count / ROWS, count, sentence)


def partial_log(log: Path, folder: Path, status: str, count: int) -> Path:
    """The log with another status and its first samples alone."""
    content = json.loads(log.read_text("utf-8"))
    return written(folder, "part.json", {**content, "status": status, "samples": content["samples"][:count]})


def test_ground_truths_that_an_incomplete_log_lacks_come_from_the_others(two_logs: Logs, tmp_path: Path) -> None:
    part = partial_log(two_logs[0], tmp_path, "cancelled", 4)
    for logs, difference in (((two_logs[0], part), -0.6), ((part, two_logs[0]), 0.6)):
        output = json_of("compare", *logs, "--missing", "zero")
        assert output["difference"] == pytest.approx(difference)
        assert {field["field"] for field in output["fields"]} & {"charity_name", "$"} == {"charity_name"}
    alone = json_of("score", part, "--missing", "zero", "--fields")
    assert "$" in {field["field"] for field in alone["key_scores"]}  # what did not run has no fields


def test_a_limit_makes_no_run_incomplete(tmp_path: Path) -> None:
    task = tasks.kleister_charity(str(bench_data.write_kleister_charity(tmp_path / "data", ROWS)))
    with loopback():
        (log,) = run_tasks(task, tmp_path, limit=3, epochs=2)
    output = json_of("score", log.location, "--rows")
    assert (len(output["per_sample"]), output["runs"]["documents"], output["runs"]["runs"]) == (6, 3, 2)
    part = partial_log(written(tmp_path, "log.json", log.model_dump_json()), tmp_path, "success", 4)
    assert "status 'success', 4 of 6 samples" in run("score", part).err


def test_the_table_has_intervals_marks_and_costs(two_logs: Logs) -> None:
    good, bad = two_logs
    out = printed("bench", "table", good, bad)
    scores, _signature, costs = out.split("\n\n")[:3]
    intervals = ["1.000*", "[0.722,", "1.000]", "(Wilson)", "0.700", "[0.300,", "1.000]"]
    assert scores.split("\n")[3].split() == ["Kleister", "Charity", "simple", *intervals]
    assert costs.split("\n")[3].split()[:8] == ["Kleister", "Charity", "simple", model("bad"), "10", "2", "800", "160"]
    cells = json.loads(printed("bench", "table", good, bad, "--json"))["runs"]
    assert [(cell["best"], cell["p_value_adjusted"]) for cell in cells] == [(True, None), (False, 0.25)]
    markdown = printed("bench", "table", good, bad, "--format", "markdown")
    assert "| Kleister Charity | simple | **1.000** [0.722, 1.000] (Wilson) | 0.700 [0.300, 1.000] |" in markdown
    took, others = (each["costs"] for each in json.loads(printed("table", good, bad, "--json"))["systems"])
    assert (took["tokens"]["total"], "cost" in took) == (1200, False)
    assert took["seconds"]["total"] > 0
    # tokens of a sample without an answer are not known, and those of the others are no sum
    assert others["tokens"]["note"].startswith("2 of 10 predictions have no tokens of at least 0, such as")


def test_the_newest_complete_run_of_a_task_counts(two_logs: Logs, tmp_path: Path) -> None:
    """A failed run and a copy are named as left out."""
    good = two_logs[0]
    copy = written(tmp_path, "copy.json", good.read_bytes())
    part = partial_log(good, tmp_path, "error", 4)
    out = printed("bench", "table", part, good, copy, "--json")
    [cell], left_out = (json.loads(out)[name] for name in ("runs", "left_out"))
    assert (cell["anls_score"], cell["logs"]) == (1.0, [str(copy)])
    assert [one["log"] for one in left_out] == [str(part), str(good)]
    done = run("bench", "table", part, good)
    assert done.code == 0
    name = f"Kleister Charity, simple, {model('good')}"
    assert f"{name}: the run is incomplete: status 'error', 4 of 10 samples; left out: {part}.\n" in done.out
    assert "of the same" not in done.out


def test_other_runs_of_a_model_are_its_runs(two_logs: Logs, tmp_path: Path) -> None:
    """Epochs of one of them too; costs are sums."""
    good = two_logs[0]
    content = json.loads(good.read_text("utf-8").replace("LEEDS", "DEELS"))
    content["eval"]["task_id"] = "another"
    again = written(tmp_path, "again.json", content)
    folder = bench_data.write_kleister_charity(tmp_path / "data", ROWS)
    with loopback():
        (twice,) = run_tasks(tasks.kleister_charity(str(folder)), tmp_path, model("good"), epochs=2)
    cells = validated("bench_table", run("bench", "table", good, twice.location, "--json").out)["runs"]
    assert [(cell["runs"]["runs"], cell["documents"], cell["input_tokens"]) for cell in cells] == [(3, 30, 1000)]
    table = succeed("bench", "table", good, twice.location)
    assert f"Kleister Charity, simple, {model('good')}: 3 runs: 1.000, 1.000, 1.000; " in table
    for command in (("bench", "table"), ("compare",)):
        other = run(*command, good, again)
        assert other.code == 2
        assert f"expected the same references as in {good}, got different ones" in other.err


def test_a_log_without_our_scorer_is_scored_by_its_targets(tmp_path: Path) -> None:
    from inspect_ai.scorer import match  # noqa: PLC0415  the tool

    long = "x" * 2000
    replies = {"a": f'Here: {{"a": "{long}"}}', "7": "2"}
    with loopback(lambda request: Reply(replies[prompt_text(request)])):
        task = their_task({"a": json.dumps({"a": long}), 7: ["1", "2"]}, match())
        (log,) = run_tasks(task, tmp_path)
    output = json_of("score", log.location, "--rows")
    assert {row["question_id"]: row["anls_score"] for row in output["per_sample"]} == {"a": 1.0, "7": 1.0}


FILES: list[tuple[str, Any, str]] = [  # name, content, the sentence
    ("a.eval", b"no zip", "a.eval: expected a log of Inspect, got"),
    ("a.json", {"version": 2, "status": "success", "eval": {}}, "a.json: expected a log of Inspect, got"),
    ("a.json", {"version": 2}, "a.json: expected rows with 'question_id', 'references' and"),
]


@pytest.mark.parametrize(("name", "content", "sentence"), FILES)
def test_files_that_are_no_log(tmp_path: Path, name: str, content: Any, sentence: str) -> None:
    done = run("score", written(tmp_path, name, content))
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
