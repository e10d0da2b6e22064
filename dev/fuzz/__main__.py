"""Fuzz a target: `python -m dev.fuzz model_texts --minutes 60`, or all in five minutes: `python -m dev.fuzz`."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from dev.fuzz.engine import MOST_SECONDS as MOST_INPUT_SECONDS
from dev.fuzz.engine import import_target, once, prepare
from dev.fuzz.findings import TooSlowError
from dev.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]
MOST_MEGABYTES = 2048  # of memory
MOST_IMPORT_SECONDS = 5  # of processor time, for the imports of an input that is run alone
MOST_SECONDS = 120  # on the clock, after which an input counts as hanging; long, because the processor may be busy
MOST_BYTES = 8192  # of an input; the values made from it may be a hundred times as long
_TOO_MUCH = ("oom-", "timeout-", TooSlowError.__name__)  # of memory, of the clock, of processor time
_STATUS = re.compile(r"^#(\d+)\s.*? cov: (\d+) ft: (\d+) corp: (\d+)", re.MULTILINE)


class Outcome(NamedTuple):
    """The result of fuzzing a target.

    Attributes:
        target: its name.
        inputs: how many inputs were run.
        minutes: how long.
        branches: how many counters of the instrumented code were reached.
        kept: how many inputs are kept because each reaches something that the others do not.
        findings: the names of the findings, including findings of earlier runs in the same folder.
    """

    target: str
    inputs: int
    minutes: float
    branches: int
    kept: int
    findings: list[str]


def fuzz(target: str, folder: Path, minutes: float, *, runs: int | None = None, seed: int = 0) -> Outcome:
    """Fuzz one target for some minutes, or a number of inputs.

    Args:
        target: its name.
        folder: where the inputs that reach something new are kept, and the findings.
        minutes: how long.
        runs: how many inputs in place of a time; None for no limit.
        seed: the seed of the random numbers; 0 for another one each time. With a seed, `runs` and a new folder, the
            inputs are always the same.
    """
    corpus, findings = folder / target / "corpus", folder / target / "findings"
    for each in (corpus, findings):
        each.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)} if seed else None
    began = time.monotonic()
    inputs, branches, kept = 0, 0, 0
    confirmed: set[Path] = set()
    while True:
        left = round(minutes * 60 - (time.monotonic() - began))
        limit = f"{left} seconds" if runs is None else f"{runs} runs"
        command = [sys.executable, "-m", "dev.fuzz.engine", target, str(findings), str(corpus), limit, f"-seed={seed}"]
        command += [f"-rss_limit_mb={MOST_MEGABYTES}", f"-timeout={MOST_SECONDS}", f"-max_len={MOST_BYTES}"]
        command += [f"-artifact_prefix={findings}/", "-report_slow_units=1000", "-len_control=0"]
        ended = subprocess.run(  # noqa: S603
            command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace", check=False
        )
        lines = _STATUS.findall(ended.stderr)
        if lines:
            inputs += int(lines[-1][0])
            branches, kept = max(branches, int(lines[-1][1])), int(lines[-1][3])
        else:
            sys.exit(f"{target} cannot be fuzzed:\n{ended.stderr[-4000:]}")
        for each in {*findings.iterdir()} - confirmed:
            if each.name.startswith(_TOO_MUCH) and each.suffix != ".txt" and not takes_too_much(target, each):
                each.unlink()
                each.with_suffix(".txt").unlink(missing_ok=True)
            confirmed.add(each)
        if ended.returncode == 0 or runs is not None or minutes * 60 <= time.monotonic() - began:
            break  # otherwise an input or the fuzzer took all the memory or hung: continue with other inputs
    names = sorted({each.stem for each in findings.iterdir() if not each.name.startswith("slow-unit")})
    return Outcome(target, inputs, (time.monotonic() - began) / 60, branches, kept, names)


def takes_too_much(target: str, path: Path) -> bool:
    """Return whether one input alone takes too long or too much memory, in a new process.

    The fuzzer makes it slower, because it follows every branch, and the fuzzer's own memory grows over hours.

    """
    most = MOST_IMPORT_SECONDS + MOST_INPUT_SECONDS
    command = ["prlimit", f"--cpu={most}", sys.executable, "-m", "dev.fuzz", target, "--input", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:  # noqa: S603
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_maxrss / 1024 > MOST_MEGABYTES or process.returncode != 0


def _run_again(target: str, path: Path) -> int:
    """Run a target on one input without the fuzzer, and print what it finds."""
    prepare()
    finding = once(import_target(target).run, path.read_bytes())
    print("no finding" if finding is None else finding.report)
    return int(finding is not None)


def main() -> int:
    """Fuzz the targets that were named, or all; the exit status is 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="python -m dev.fuzz", description=__doc__)
    known = ", ".join(TARGETS)
    parser.add_argument("target", nargs="*", choices=[*TARGETS, []], metavar="TARGET", help=f"{known}; all without one")
    parser.add_argument("--minutes", type=float, default=5.0, help="the time for all of them together")
    parser.add_argument("--runs", type=int, help="the number of inputs for each target in place of a time")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers; 0 is another one each time")
    parser.add_argument("--folder", type=Path, default=ROOT / ".fuzz", help="what is kept from run to run")
    parser.add_argument("--input", type=Path, metavar="FILE", help="run a target on this input, and show what it finds")
    given = parser.parse_args()
    targets = given.target or TARGETS
    if given.input is not None:
        return _run_again(targets[0], given.input)
    outcomes = [
        fuzz(each, given.folder, given.minutes / len(targets), runs=given.runs, seed=given.seed) for each in targets
    ]
    print(f"{'target':12}  {'inputs':>9}  {'minutes':>7}  {'branches':>8}  {'kept':>6}  findings")
    for each in outcomes:
        count = len(each.findings)
        print(f"{each.target:12}  {each.inputs:9,}  {each.minutes:7.1f}  {each.branches:8,}  {each.kept:6,}  {count}")
    for each in outcomes:
        for name in each.findings:
            print(f"{each.target}: {name}, in {given.folder / each.target / 'findings'}")
    return int(any(each.findings for each in outcomes))


if __name__ == "__main__":
    sys.exit(main())
