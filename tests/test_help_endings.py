"""What help texts end with: an example that runs, the exit statuses, and the format of the JSON."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.commands import RECEIPTS, command_of, run, succeed

COMMANDS = ["score", "explain", "compare", "table", "report", "automation"]


def ending(name: str) -> str:
    """The part of the help of a command after its options."""
    return succeed(name, "-h").split("  Example, in examples/receipts:\n")[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example receipts, in which commands run."""
    for path in RECEIPTS.glob("*.json*"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_runs_and_its_json_has_the_format(name: str) -> None:
    text = ending(name)
    example = text.split("\n\n")[0].replace("\\\n", "")
    program, *arguments = shlex.split(example)
    assert (program, arguments[0]) == ("docscore", name)
    done = run(*arguments)
    assert done.code == 0
    if name == "report":
        assert Path("report.html").exists()
        return
    assert done.out
    found = json.loads(run(*arguments, "--json").out)
    assert f"the format {found['format']} of docs/json_output.md" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_the_exit_statuses_are_named(name: str) -> None:
    statuses = re.findall(r"^    (\d)  ", ending(name), re.MULTILINE)
    options = {option for parameter in command_of(name).params for option in parameter.opts}
    has_gate = bool(options & {"--fail-below", "--fail-under"})
    assert statuses == (["0", "1", "2"] if has_gate else ["0", "2"])
