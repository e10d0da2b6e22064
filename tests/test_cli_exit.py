"""How the command ends: the exit status, what stands on which stream, and that a process of its own does the same."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest

from docscore.cli.entry_point import commands
from docscore.cli.flags import progress_bars
from tests.commands import (
    PREDICTIONS,
    RECEIPTS,
    REFERENCES,
    Write,
    environment,
    pred,
    run,
    run_process,
    succeed,
    written,
)
from tests.conftest import ROOT

NEW = RECEIPTS / "predictions_new.jsonl"
COMMANDS = ["score", "explain", "compare", "table", "report", "automation"]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a file of the test."""
    return partial(written, tmp_path)


# the arguments, the exit status, and what the first line of the error stream says
CALLS: list[tuple[list[Any], int, str]] = [
    (["--version"], 0, ""),
    (["--help"], 0, ""),
    (["score", REFERENCES, PREDICTIONS], 0, ""),
    (["score", REFERENCES, PREDICTIONS, "--fields", "--json"], 0, ""),
    (["explain", REFERENCES, PREDICTIONS, "--id", "receipt-018"], 0, ""),
    (["compare", PREDICTIONS, NEW, "--references", REFERENCES], 0, ""),
    (["compare", PREDICTIONS, NEW, "--references", REFERENCES, "--fail-below", "0"], 0, ""),
    (["table", PREDICTIONS, NEW, "--references", REFERENCES, "--format", "latex"], 0, ""),
    (["automation", REFERENCES, PREDICTIONS], 2, "docscore: .*expected a confidence"),
    (["explain", REFERENCES, PREDICTIONS], 2, "docscore: .*expected --id with one of the 40 ids"),
    (["score", REFERENCES, "none.jsonl"], 2, "docscore: none.jsonl: No such file or directory"),
    (["score", REFERENCES, PREDICTIONS, "--threshold", "2"], 2, "docscore: .*from 0 to 1"),
    (["score", REFERENCES], 2, "docscore: .*references.jsonl: expected rows with"),
    (["compare", PREDICTIONS], 2, "docscore: Missing argument 'NEW'. .'docscore compare -h' for help"),
    (["score", REFERENCES, PREDICTIONS, "--nope"], 2, "docscore: No such option.* .'docscore score -h' for help"),
    (["scoer"], 2, "docscore: No such command 'scoer'.* .'docscore -h' for help"),
    ([], 2, "Usage: docscore "),
]


@pytest.mark.parametrize(
    ("arguments", "status", "said"), CALLS, ids=[" ".join(Path(each).name for each in row[0]) for row in CALLS]
)
def test_a_process_ends_as_the_command_does_in_this_one(arguments: list[Any], status: int, said: str) -> None:
    """Only results go to the standard output; there are none where something is wrong."""
    here, there = run(*arguments), run_process(*arguments)
    assert here == there
    assert here.code == status
    assert re.match(said or "$", here.err, re.IGNORECASE), here.err
    assert bool(here.out) is (status != 2)
    assert "Traceback" not in here.err


@pytest.mark.parametrize("name", COMMANDS)
def test_without_arguments_each_command_says_what_it_wants(name: str) -> None:
    done = run(name)
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(rf"docscore: Missing argument '[^']+'\. \('docscore {name} (-h|--help)' for help\)\n", done.err)


def test_the_version_is_that_of_the_package() -> None:
    from docscore import __version__  # noqa: PLC0415  beside what it is compared with

    assert succeed("--version") == f"docscore {__version__}\n"


# what a command may be stopped by, the exit status, and what is said
ENDS: list[tuple[BaseException, int, str]] = [
    (KeyboardInterrupt(), 130, "docscore: stopped\n"),
    (click.Abort(), 130, "docscore: stopped\n"),
    (BrokenPipeError(), 141, ""),
    (SystemExit(1), 141, ""),
    (SystemExit(0), 0, ""),
    (PermissionError(13, "Permission denied", "p.jsonl"), 2, "docscore: p.jsonl: Permission denied\n"),
    (OSError("no space"), 2, "docscore: no space\n"),
    (click.ClickException("two\nlines \x1b[31m"), 2, "docscore: two\\u000alines \\u001b[31m\n"),
    (ValueError("wrong"), 2, "docscore: wrong\n"),
    (TypeError("of another type"), 2, "docscore: of another type\n"),
]


@pytest.mark.parametrize(("fault", "status", "said"), ENDS, ids=[repr(row[0]) for row in ENDS])
def test_whatever_stops_a_command_is_an_exit_status(
    monkeypatch: pytest.MonkeyPatch, fault: BaseException, status: int, said: str
) -> None:
    def stopped() -> None:
        click.echo("half a result", nl=False)
        raise fault

    monkeypatch.setitem(commands.commands, "stop", click.Command("stop", callback=stopped))
    done = run("stop")
    assert done.code == status
    assert done.err.lstrip("\n") == said


def test_a_fault_of_our_own_is_no_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its stack trace is what whoever mends it needs."""

    def broken() -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(commands.commands, "stop", click.Command("stop", callback=broken))
    with pytest.raises(ZeroDivisionError):
        run("stop")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_ctrl_c_is_exit_status_130(write: Write, tmp_path: Path) -> None:
    """It comes while the references are being read, from a pipe that never ends."""
    endless = tmp_path / "endless.jsonl"
    os.mkfifo(endless)
    start = "import signal, docscore.cli; signal.signal(signal.SIGINT, signal.default_int_handler); docscore.cli.main()"
    command = [sys.executable, "-c", start, "score", str(endless), str(write("p.jsonl", [pred("a", "x")]))]
    with (
        subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process,
        endless.open("w", encoding="utf-8") as writer,
    ):  # waits until the command has opened it too
        writer.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err.strip()) == (130, "", "docscore: stopped")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_bars_are_drawn_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere what moves them does nothing."""
    monkeypatch.setenv("TERM", "xterm")
    for stream, drawn in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with progress_bars() as begin:
            begin("Scoring", 2)(2)
            begin("Resampling", 4)(3)
        assert ("Scoring" in stream.getvalue(), "Resampling" in stream.getvalue()) == (drawn, drawn)


def test_warnings_of_the_library_are_lines_of_their_own(write: Write) -> None:
    """Each is said once, however many rows it is about, and without a line of our code."""
    files = write("r.json", [["x", "y"]] * 3), write("p.json", ["y"] * 3)
    here, there = run("score", *files), run_process("score", *files)
    assert here == there
    assert here.code == 0
    assert re.fullmatch(r"docscore: compatibility mode: [^\n]+\n", here.err)
    assert ".py" not in here.err
