"""Several processes: the same scores in the same order, and a clear end whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docscore
from docscore import score_pairs
from tests.commands import PIPES, run_process
from tests.conftest import HUNG

PAIRS: list[tuple[Any, Any]] = [
    ({"a": f"text {i}", "b": [str(j) for j in range(i % 7)]}, {"a": f"test {i}", "b": [str(j) for j in range(i % 5)]})
    for i in range(300)
] + [(("yes", "yeah"), "yea")] * 20


@pytest.mark.parametrize("num_proc", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 320])
def test_scores_are_the_same_and_in_order(num_proc: int, count: int) -> None:
    pairs = PAIRS[-count:] if count else []
    assert np.array_equal(score_pairs(iter(pairs), num_proc=num_proc), score_pairs(pairs))


def test_the_error_of_the_first_invalid_pair_is_raised_with_its_number() -> None:
    pairs = [*PAIRS[:150], ("x", b"y"), *PAIRS, ("x", ("y",))]
    with pytest.raises(TypeError, match=r"^pair 150: \$: expected a JSON value, got bytes$"):
        score_pairs(pairs, num_proc=2)


@pytest.mark.parametrize(("num_proc", "kind"), [(0, ValueError), (-1, ValueError), (True, TypeError), ("2", TypeError)])
def test_the_number_of_processes_is_checked(num_proc: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"^num_proc: expected an integer of at least 1, got "):
        score_pairs(PAIRS, num_proc=num_proc)


DIED = "one of 2 scoring processes died before it was done; it may have run out of memory"
IMPORTS = """
import multiprocessing
import os
import signal
from pathlib import Path
import docscore
from docscore import score_pairs
"""


def run(tmp_path: Path, code: str, *, interrupt_at: int = 0) -> tuple[int, str, str]:
    """Run a script in a process group of its own, and press Ctrl-C when so many different lines have come, if any."""
    script = tmp_path / "script.py"
    script.write_text(IMPORTS + textwrap.dedent(code), encoding="utf-8")
    with subprocess.Popen([sys.executable, script], start_new_session=True, **PIPES) as process:
        if interrupt_at:
            assert process.stdout is not None
            seen: set[str] = set()
            while len(seen) < interrupt_at:
                seen.add(line := process.stdout.readline())
                assert line, "it ended before it was interrupted"
            os.killpg(process.pid, signal.SIGINT)
        try:
            out, err = process.communicate(timeout=HUNG)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, out, err


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_start_methods(tmp_path: Path, method: str) -> None:
    code = f"""
        if __name__ == "__main__":
            multiprocessing.set_start_method("{method}")
            print(score_pairs([({{"a": "x"}}, {{"a": "x"}}), ({{"a": "x"}}, {{}})], num_proc=2).tolist())
    """
    assert run(tmp_path, code) == (0, "[1.0, 0.0]\n", "")


def test_a_handler_of_the_caller_does_not_keep_workers_alive(tmp_path: Path) -> None:
    """Training scripts handle SIGTERM, and a forked process inherits the handler."""
    code = """
        signal.signal(signal.SIGTERM, lambda *_: None)
        multiprocessing.set_start_method("fork")
        print(score_pairs([({"a": "x"}, {"a": "x"})] * 40, num_proc=2).sum())
    """
    assert run(tmp_path, code) == (0, "40.0\n", "")


@pytest.mark.parametrize("end", ["os._exit(9)", "os.kill(os.getpid(), signal.SIGKILL)"], ids=["exit", "kill"])
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_worker_that_dies_gives_an_error(tmp_path: Path, method: str, end: str) -> None:
    """A value that ends the process that reads it; killed it is as by the system where memory runs out."""
    code = f"""
        class Deadly:
            def model_dump(self):
                {end}
        if __name__ == "__main__":
            multiprocessing.set_start_method("{method}")
            try:
                score_pairs([({{"a": "x"}}, {{"a": "x"}})] * 50 + [("x", Deadly())], num_proc=2)
            except RuntimeError as error:
                print(error)
    """
    returned, out, _ = run(tmp_path, code)  # Python may print how the other process ended
    assert (returned, out) == (0, f"{DIED}\n")


@pytest.mark.ci
@pytest.mark.parametrize("dies", [1, 2])
def test_a_worker_that_dies_while_it_starts_gives_the_same_error(tmp_path: Path, dies: int) -> None:
    """It ends before, while or after the parent has handed out the work, which is done several times to meet each.

    Where the other process has done all the work before the end of this one is seen, the scores are right.
    """
    first, python = tmp_path / "first", tmp_path / "python"
    python.write_text(
        f"""#!/bin/sh
        case "$*" in *resource_tracker*) exec {sys.executable} "$@" ;; esac
        mkdir {first} 2> /dev/null && number=1 || number=2
        [ $number = {dies} ] && exit 9
        exec {sys.executable} "$@"
        """,
        encoding="utf-8",
    )
    python.chmod(0o755)
    code = f"""
        if __name__ == "__main__":
            multiprocessing.set_start_method("spawn")
            multiprocessing.set_executable("{python}")
            for _ in range(5):
                try:
                    scores = score_pairs([("x", "x")] * 50, num_proc=2)
                    print("scored" if list(scores) == [1.0] * 50 else scores)
                except RuntimeError as error:
                    print(error)
                Path("{first}").rmdir()
    """
    returned, out, err = run(tmp_path, code)
    assert (returned, err) == (0, "")
    assert len(out.splitlines()) == 5
    assert DIED in out
    assert set(out.splitlines()) <= {DIED, "scored"}


@pytest.mark.ci
def test_ctrl_c_ends_all_processes(tmp_path: Path) -> None:
    """One traceback, the parent's; no process of the group is left. It comes when both processes are at work."""
    code = """
        signal.signal(signal.SIGINT, signal.default_int_handler)  # where it was started with the signal ignored
        rows = [{"a": f"{i} {i * i}", "b": f"{i * 7919 % 104729}"} for i in range(400)]
        class Telling:
            def model_dump(self):
                os.write(1, f"{os.getpid()}\\n".encode())
                return rows
        if __name__ == "__main__":
            score_pairs([(Telling(), rows[::-1])] * 800, num_proc=2)
    """
    returned, _, err = run(tmp_path, code, interrupt_at=2)
    assert returned in (-signal.SIGINT, 130)
    assert err.count("Traceback") == 1
    assert err.rstrip().endswith("KeyboardInterrupt")


def test_processes_share_the_work_of_the_command(tmp_path: Path) -> None:
    """They read lines and score rows. The score is that of one process, and an error names the line."""
    truths, predictions = tmp_path / "truths.jsonl", tmp_path / "predictions.jsonl"

    def written(path: Path, key: str, last: str) -> None:
        answers = [{"total": f"t{i % 9}"} for i in range(3_000)]
        column = answers if key == "prediction" else [[answer] for answer in answers]
        rows = [json.dumps({"question_id": str(i), key: value}) for i, value in enumerate(column)]
        path.write_text("\n".join([*rows, last]), encoding="utf-8")

    written(truths, "references", '{"question_id": "x", "references": [{"total": "tea"}]}')
    written(predictions, "prediction", '{"question_id": "x", "prediction": {"total": "te"}}')
    done = run_process("score", truths, predictions, "--json", "--num-proc", "2")
    score = json.loads(done.out)["score"]
    assert score == docscore.evaluate(references=truths, predictions=predictions).score
    written(predictions, "prediction", '{"question_id": "x", "prediction": {"total": "te}}')
    done = run_process("score", truths, predictions, "--num-proc", "2")
    assert (done.code, "predictions.jsonl, line 3001" in done.err) == (2, True)
