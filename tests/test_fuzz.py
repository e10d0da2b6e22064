"""The targets of `fuzz`, without the fuzzer: each on its seeds and on inputs made of them, always the same."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.commands import run_python
from tests.conftest import REQUIRE_ALL, needs_tool

needs_tool("atheris", REQUIRE_ALL)

from dev.fuzz.engine import Recorder, import_target, once  # noqa: E402
from dev.fuzz.findings import FoundError, errors_name_their_place  # noqa: E402
from dev.fuzz.targets import TARGETS  # noqa: E402

pytestmark = pytest.mark.full


def changed_inputs(seeds: list[bytes], count: int) -> Iterator[bytes]:
    """Inputs made of seeds: bytes changed, left out, repeated, and two of them put together."""
    rng = random.Random(2)
    for _ in range(count):
        data = bytearray(rng.choice(seeds)[:4000])
        for _ in range(rng.randint(1, 8)):
            at = rng.randrange(len(data) + 1)
            kind = rng.randrange(4)
            if kind == 0 and at < len(data):
                data[at] = rng.randrange(256)
            elif kind == 1:
                del data[at : at + rng.randint(1, 30)]
            elif kind == 2:
                data[at:at] = data[at : at + rng.randint(1, 30)] * rng.randint(1, 3)
            else:
                data[at:] = rng.choice(seeds)[at:4000]
        yield bytes(data)


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_finds_nothing(name: str) -> None:
    target = import_target(name)
    seeds = target.seeds()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        findings = [once(target.run, data) for data in (b"", *seeds, *changed_inputs(seeds, 100))]
    assert [each.report for each in findings if each is not None] == []


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (KeyError("x"), "KeyError"),
        (RecursionError(), "RecursionError"),
        (MemoryError(), "MemoryError"),
        (ValueError("operands could not be broadcast"), "ValueError"),
        (FoundError("the score is 2"), "the score is 2"),
    ],
)
def test_errors_that_are_not_about_the_input_are_findings(error: Exception, name: str) -> None:
    findings = once(_raising(error), b"")
    assert findings is not None
    assert findings.name.startswith(name)


def _raising(error: Exception) -> Callable[[bytes], None]:
    def run(_data: bytes) -> None:
        with errors_name_their_place():
            raise error

    return run


def test_a_finding_is_written_once_with_its_input(tmp_path: Path) -> None:
    record = Recorder(_raising(KeyError("x")), tmp_path / "findings")
    for data in (b"first", b"second"):
        record(data)
    (traceback,) = (tmp_path / "findings").glob("*.txt")
    assert "KeyError: 'x'" in traceback.read_text(encoding="utf-8")
    assert traceback.with_suffix(".bin").read_bytes() == b"first"


def test_the_command_fuzzes_a_target_and_keeps_what_reaches_new_branches(tmp_path: Path) -> None:
    ended = run_python("-m", "dev.fuzz", "documents", "--runs", "200", "--seed", "1", "--folder", tmp_path)
    head, line = (each.split() for each in ended.splitlines())
    assert head == ["target", "inputs", "minutes", "branches", "kept", "findings"]
    assert (line[0], line[-1]) == ("documents", "0")
    assert 200 <= int(line[1]) < 220  # the fuzzer ends when it has changed an input a few times
    assert int(line[3].replace(",", "")) > 100
    assert len(list((tmp_path / "documents" / "corpus").iterdir())) > 0
