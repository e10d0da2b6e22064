"""Count processor instructions with valgrind. Unlike seconds, they do not depend on the load of the machine.

One program under valgrind prepares works, runs each once, and then forks for each. The work took the instructions
of its fork minus the instructions of an idle fork.
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

_TOTAL = re.compile(r"I\s+refs:\s+([\d,]+)")


def is_installed() -> bool:
    """Return whether valgrind is installed."""
    return shutil.which("valgrind") is not None


def counted(module: str, arguments: Sequence[str], folder: Path) -> dict[str, int]:
    """Run a module under valgrind, and return the instructions of the works that it passes to `count`, by name.

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
        counts = {}
        for name, *processes in map(json.loads, done.stdout.splitlines()):
            idle, total = (_total(Path(logs) / str(process)) for process in processes)
            counts[name] = total - idle
        return counts


def _total(log: Path) -> int:
    """Return the instructions of a process from its log."""
    text = log.read_text(encoding="utf-8")
    match = _TOTAL.search(text)
    if match is None:
        msg = f"valgrind counted nothing: {text}"
        raise RuntimeError(msg)
    return int(match[1].replace(",", ""))


def count(name: str, work: Callable[[], object]) -> None:
    """Run an idle fork and one that does a work, and print their process ids for `counted`."""
    print(json.dumps([name, _forked(_idle), _forked(work)]), flush=True)


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
