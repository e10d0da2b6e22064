"""What is seen while large files are read and scored, and what is left when that is stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from docscore.evaluation.evaluation import rows_of_files
from docscore.evaluation.scores import score_corpus
from docscore.results.result import progress_from
from tests.conftest import HUNG, ROOT
from tests.test_cli_exit import Terminal
from tests.test_streams import ROWS, WRITERS, as_jsonl, documents


@pytest.mark.parametrize("form", ["jsonl", "gzip", "csv"])
def test_progress_is_told_of_every_byte_that_is_read(tmp_path: Path, form: str) -> None:
    """And of every row that is scored; a compressed file counts as it is on disk."""
    references, predictions = documents()
    paths = [WRITERS[form][0](tmp_path, name, rows) for name, rows in (("r", references), ("p", predictions))]
    told: list[tuple[str, int, list[int]]] = []

    def begin(phase: str, total: int) -> Callable[[int], object]:
        told.append((phase, total, []))
        return told[-1][2].append

    pairs = rows_of_files(references=paths[0], predictions=[paths[1]], progress=begin).systems[0]
    score_corpus(pairs, parse="text", progress=begin)
    assert [(phase, total) for phase, total, _ in told] == [
        *(("Reading", path.stat().st_size) for path in paths),
        ("Scoring", ROWS),
    ]
    assert all(sum(increments) == total for _, total, increments in told)


def test_bars_say_what_is_done_in_a_second_and_what_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    begin = progress_from(progress=True)
    for phase, total in (("Reading", 10_000_000), ("Scoring", 10_000)):
        advance = begin(phase, total)
        for _ in range(9):
            time.sleep(0.02)
            advance(total // 10)
        time.sleep(0.2)  # drawn ten times a second
        advance(total // 20)
    assert re.search(r"Reading: +\d+%.*[\d.]+M/10.0M .*\dMB/s\]", shown.getvalue())
    assert re.search(r"Scoring: +\d+%.*[\d.]+k/10.0k .*it/s\]", shown.getvalue())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_ctrl_c_leaves_the_previous_report_and_no_other_file(tmp_path: Path) -> None:
    """While rows are read."""
    references, predictions = documents()
    folder, output = tmp_path / "tmp", tmp_path / "out.html"
    folder.mkdir()
    output.write_text("before")
    r, p = as_jsonl(tmp_path, "r", references), tmp_path / "p.jsonl"
    os.mkfifo(p)
    process = subprocess.Popen(
        [sys.executable, "-c", "from docscore.cli import main; main()", "report", r, p, "-o", output],
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    with p.open("w") as pipe:  # opened when the command reads it, the references having been read
        pipe.write(json.dumps(predictions[0]) + "\n")
        pipe.flush()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HUNG)
    assert (process.returncode, err.strip()) == (130, "docscore: stopped")
    assert output.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.html", "p.jsonl", "r.jsonl", "tmp"]
    assert list(folder.iterdir()) == []
