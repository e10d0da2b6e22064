"""The process that fuzzes one target: `python -m dev.fuzz.engine TARGET FINDINGS CORPUS LIMIT [options of libFuzzer]`.

The limit is "300 seconds", imports included, or "1000 runs".
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import atheris

from dev.fuzz.findings import Finding, TooSlowError

MOST_SECONDS = 10  # of processor time for one input
INSTRUMENTED = ("docscore", "playground", "anls_star")
_UNUSED = ("docscore.integrations", "docscore.__main__")  # imported by targets that need them


def import_target(name: str) -> Any:
    """Import the module of a target."""
    return importlib.import_module(f"dev.fuzz.targets.{name}")


def prepare() -> None:
    """Give libraries fresh caches and no network, and raise arithmetic warnings; call this before importing them."""
    os.environ.update(HF_HOME=tempfile.mkdtemp(prefix="docscore-fuzz-"), HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1")
    warnings.simplefilter("error", RuntimeWarning)


def once(run: Callable[[bytes], None], data: bytes) -> Finding | None:
    """Run a target on one input and return its finding, if any. Warnings of docscore are not findings."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            run(data)
    except (Exception, TooSlowError) as error:  # noqa: BLE001  any error is a finding
        return Finding.of(error)
    return None


class Recorder:
    """Runs a target on inputs, and writes each finding once to a folder: the input and the traceback.

    Args:
        run: the target.
        folder: the folder of the findings.
    """

    def __init__(self, run: Callable[[bytes], None], folder: Path) -> None:
        self.run, self.folder = run, folder
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, data: bytes) -> None:
        signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
        try:
            finding = once(self.run, data)
        except TooSlowError:  # the timer fired just after the input had ended
            finding = None
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        if finding is not None:
            name = re.sub(r"[^\w.-]+", "-", finding.name)
            if not self.folder.joinpath(f"{name}.txt").exists():
                self.folder.joinpath(f"{name}.txt").write_text(finding.report, "utf-8", "backslashreplace")
                self.folder.joinpath(f"{name}.bin").write_bytes(data)


def stop_input(_number: int, _frame: object) -> None:
    """End an input that takes too long; this is the signal handler."""
    msg = f"more than {MOST_SECONDS} seconds of processor time"
    raise TooSlowError(msg)


def main() -> None:
    """Import the library with counters in its branches, and start fuzzing."""
    began = time.monotonic()
    name, folder, corpus, limit, *options = sys.argv[1:]
    prepare()
    with atheris.instrument_imports(include=list(INSTRUMENTED), enable_loader_override=False):
        package = importlib.import_module("docscore")
        for module in pkgutil.walk_packages(package.__path__, "docscore."):
            if not module.name.startswith(_UNUSED):
                importlib.import_module(module.name)
        target = import_target(name)
    for number, seed in enumerate(target.seeds()):
        Path(corpus, f"seed-{number}").write_bytes(seed)
    signal.signal(signal.SIGPROF, stop_input)
    count, unit = limit.split()
    left = max(1, int(count) - round(time.monotonic() - began))
    options.append(f"-runs={count}" if unit == "runs" else f"-max_total_time={left}")
    atheris.Setup([sys.argv[0], corpus, *options], Recorder(target.run, Path(folder)))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
