"""The command: in this process, as a process in pipes or on a pseudo-terminal; and files for it."""

from __future__ import annotations

import contextlib
import ctypes
import gzip
import importlib.util
import inspect
import json
import os
import random
import re
import select
import shutil
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import click
import pytest
from click.testing import CliRunner

import docscore.cli
from docscore.inputs.json_text import loads
from tests.conftest import HUNG, ROOT, skip_or_fail

RECEIPTS = ROOT / "examples" / "receipts"
REFERENCES, PREDICTIONS = RECEIPTS / "references.jsonl", RECEIPTS / "predictions.jsonl"
NEW, TEXTS = RECEIPTS / "predictions_new.jsonl", RECEIPTS / "predictions_text.jsonl"
OF_A_TERMINAL = ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "LINES", "PYTHONIOENCODING", "PYTHONWARNINGS", "TTY_COMPATIBLE")
# what could steer a terminal, and the characters that must never reach one
HOSTILE = "\x1b]0;owned\x07\x1b[31m\u202eab\x9b32m\nc\rd\x7f\u2066\u200b\x00"
RAW = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066]")
Write = Callable[[str, Any], Path]
PIPES: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}  # of a process


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in OF_A_TERMINAL}
    return {**kept, "TERM": "xterm-256color", "PYTHONUTF8": "1", **changes}


def free_port() -> int:
    """A port on which nothing listens, below those that systems give to the next who connects or asks for any."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.SystemRandom().randrange(10_000, 32_000)))
            return int(probe.getsockname()[1])


class Done(NamedTuple):
    code: int
    out: str
    err: str


class _EntryPoint(click.Command):
    """The function that the console script calls, in the form that click's runner takes."""

    def main(self, args: Any = None, *_arguments: Any, **_options: Any) -> Any:
        with mock.patch.object(sys, "argv", ["docscore", *args]):
            docscore.cli.main()


# click 8.2 and later keep the two streams apart always
_APART: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
_RUNNER = CliRunner(env=dict.fromkeys(OF_A_TERMINAL), **_APART)


def run(*arguments: str | Path) -> Done:
    """Run in this process, as in pipes."""
    done = _RUNNER.invoke(_EntryPoint("docscore"), list(map(str, arguments)), catch_exceptions=False)
    out, err = (stream.decode("utf-8").replace(os.linesep, "\n") for stream in (done.stdout_bytes, done.stderr_bytes))
    return Done(done.exit_code, out, err)


def run_process(
    *arguments: str | Path, encoding: str = "utf-8", before: Sequence[str] = (), first: Any = None, **changes: str
) -> Done:
    """Run in a process and pipes, as the last words of a command, where `first` is called before the program starts.

    Decoded by hand, because text mode would hide a raw carriage return.
    """
    command = [*before, sys.executable, "-m", "docscore", *map(str, arguments)]
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True, "preexec_fn": first}
    done = subprocess.run(command, cwd=ROOT, env=environment(**changes), check=False, **streams)
    out, err = (stream.decode(encoding).replace(os.linesep, "\n") for stream in (done.stdout, done.stderr))
    return Done(done.returncode, out, err)


def bash(script: str, *arguments: str | Path) -> Done:
    """Run a script of bash in which `"$@"` is the command with its arguments."""
    program = shutil.which("bash")
    if program is None:
        skip_or_fail("needs bash")
    return run_process(*arguments, before=(program, "-c", script, "bash"))


def succeed(*arguments: str | Path) -> str:
    """What it prints, run in this process; nothing on the error stream."""
    done = run(*arguments)
    assert (done.code, done.err) == (0, "")
    return done.out


def without_format(name: str, printed: str) -> dict[str, Any]:
    """The JSON that a command printed, without the format that it begins with."""
    output: dict[str, Any] = json.loads(printed)
    assert re.fullmatch(rf"docscore\.{name}/\d", output.pop("format"))
    return output


def as_bound_by_permissions() -> None:
    """Give up, for the program that starts next, the two capabilities by which root passes over permissions."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


class OnTerminal(NamedTuple):
    code: int
    terminal: str
    pipe: str


def on_terminal(
    *arguments: str | Path,
    stream: str = "stdout",
    columns: int = 80,
    rows: int = 24,
    program: Sequence[str] = ("-m", "docscore"),
    **changes: str,
) -> OnTerminal:
    """Run with one stream on a pseudo-terminal and the other in a pipe."""
    pty, fcntl, termios = map(pytest.importorskip, ("pty", "fcntl", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: theirs}
    command = [sys.executable, *program, *map(str, arguments)]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(**changes), stdin=subprocess.DEVNULL, **streams
    ) as process:
        os.close(theirs)
        other = process.stderr if stream == "stdout" else process.stdout
        assert other is not None
        open_ends, read = [ours, other.fileno()], {ours: b"", other.fileno(): b""}
        while open_ends:
            for end in select.select(open_ends, [], [])[0]:
                try:
                    piece = os.read(end, 65536)
                except OSError:  # what Linux says when the other side of a terminal is closed
                    piece = b""
                read[end] += piece
                if not piece:
                    open_ends.remove(end)
        os.close(ours)
        texts = [read[end].decode().replace("\r\n", "\n") for end in (ours, other.fileno())]
    return OnTerminal(process.returncode, *texts)


COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def screen(output: str) -> list[str]:
    """The lines that a terminal shows in the end; wide enough that none wraps."""
    lines, row, column = [""], 0, 0
    for piece in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|[\r\n]|[^\x1b\r\n]+", output):
        if piece == "\n":
            row, column = row + 1, 0
            lines.extend([""] * (row + 1 - len(lines)))
        elif piece == "\r":
            column = 0
        elif piece.endswith("A") and piece[0] == "\x1b":
            row -= int(piece[2:-1] or 1)
        elif piece == "\x1b[2K":
            lines[row] = ""
        elif piece[0] != "\x1b":
            lines[row] = lines[row].ljust(column)[:column] + piece + lines[row][column + len(piece) :]
            column += len(piece)
    return lines


def written(folder: Path, name: str, content: Any) -> Path:
    """A file and its folders: rows as JSONL or Parquet, else a value as JSON, by the extension; texts as they are."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_text(content, encoding="utf-8", newline="")
    elif ".jsonl" in path.suffixes:
        lines = "".join(json.dumps(row) + "\n" for row in content).encode()
        path.write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    elif name.endswith(".parquet"):
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet  # noqa: PLC0415  an extra

        parquet.write_table(pa.Table.from_pylist(content), path)
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def ref(question: Any, *answers: Any) -> dict[str, Any]:
    return {"question_id": question, "references": list(answers)}


def pred(question: Any, value: Any) -> dict[str, Any]:
    return {"question_id": question, "prediction": value}


def run_python(*arguments: str | Path, cwd: Path = ROOT, **changes: str) -> str:
    """What Python prints in a process of its own, which must end well."""
    command, env = [sys.executable, *map(str, arguments)], environment(PYTHONPATH=str(ROOT), **changes)
    done = subprocess.run(command, cwd=cwd, env=env, check=False, timeout=HUNG, **PIPES)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return str(done.stdout)


def column_of(path: Path, column: str) -> dict[str, Any]:
    """A column of a file of rows by id, numbers as docscore reads them."""
    read = map(loads, path.read_text(encoding="utf-8").splitlines())
    return {row["question_id"]: row[column] for row in read}


def receipt_pairs(name: str) -> list[tuple[tuple[Any, ...], Any]]:
    """The acceptable answers of each example receipt, and its prediction in a file."""
    actual = column_of(RECEIPTS / name, "prediction")
    return [(tuple(answers), actual[key]) for key, answers in column_of(REFERENCES, "references").items()]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


@contextlib.contextmanager
def killing(chosen: Callable[[Any], bool]) -> Iterator[list[int]]:
    """The first process below this one that is chosen is killed; the list then has its number."""
    psutil = pytest.importorskip("psutil", reason="comes with ray")
    killed: list[int] = []
    over = threading.Event()

    def watch() -> None:
        while not killed and not over.wait(0.005):
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error, AttributeError, IndexError):  # it has ended meanwhile
                    if not killed and chosen(process):
                        process.kill()
                        killed.append(process.pid)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield killed
    finally:
        over.set()
        watcher.join()


def script_at(path: Path) -> Any:
    """The module that a script is."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
