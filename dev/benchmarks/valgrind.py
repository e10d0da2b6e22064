"""Count processor instructions with valgrind. Unlike seconds, they do not depend on the load of the machine.

One program under valgrind prepares works, runs each once, and then forks for each. The instructions of a fork beyond
those of an idle fork belong to the work.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

_TOTAL = re.compile(r"I\s+refs:\s+([\d,]+)")


class Counts(NamedTuple):
    """The instructions of works on the same values.

    Attributes:
        name: the name of the workload.
        size: its size.
        instructions: the instructions of each work.
    """

    name: str
    size: int
    instructions: list[int]


def is_installed() -> bool:
    """Return whether valgrind is installed."""
    return shutil.which("valgrind") is not None


def counted(module: str, arguments: Sequence[str], folder: Path) -> list[Counts]:
    """Run a module under valgrind and count the works that it passes to `count`.

    Args:
        module: the name of the module.
        arguments: its arguments.
        folder: the folder to run in, whose packages are imported before installed ones.

    Raises:
        subprocess.CalledProcessError: if the module fails.
    """
    with tempfile.TemporaryDirectory() as logs:
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        command = [*tool, f"--log-file={logs}/%p", sys.executable, "-m", module, *arguments]
        fixed = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, cwd=folder, env=os.environ | fixed
        )
        counts = []
        for name, size, *processes in map(json.loads, done.stdout.splitlines()):
            idle, *totals = (_total(Path(logs) / str(process)) for process in processes)
            counts.append(Counts(name, size, [total - idle for total in totals]))
        return counts


def _total(log: Path) -> int:
    """Return the instructions of a process from its log."""
    text = log.read_text(encoding="utf-8")
    match = _TOTAL.search(text)
    if match is None:
        msg = f"valgrind counted nothing: {text}"
        raise RuntimeError(msg)
    return int(match[1].replace(",", ""))


def count(name: str, size: int, *works: Callable[[], object]) -> None:
    """Run an idle fork and a fork for each work, and print their process ids for `counted`."""
    print(json.dumps([name, size, *map(_forked, (_idle, *works))]), flush=True)


def _idle() -> None:
    """Do no work."""


def _forked(work: Callable[[], object]) -> int:
    """Run a work in a fork, and return its process id."""
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)  # without the finalisation of Python
    os.waitpid(pid, 0)
    return pid
