"""The command: exit status, options, what stands on which stream; and a report, written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import docscore
from docscore.cli.entry_point import commands
from docscore.core.errors import InputTypeError, InputValueError
from docscore.core.output import OutputError
from tests.commands import PREDICTIONS, RECEIPTS, REFERENCES, Write, environment, pred, ref, run, run_process, succeed
from tests.conftest import GONE, ROOT, data_rows, golden
from tests.report_samples import Markup
from tests.test_json_output import SCHEMAS, members, validated

NEW = RECEIPTS / "predictions_new.jsonl"
# the arguments, the exit status, and what the first line of the error stream says
CALLS: list[tuple[list[Any], int, str]] = [
    (["--version"], 0, ""),
    (["score", REFERENCES, PREDICTIONS], 0, ""),
    (["compare", PREDICTIONS, NEW, "--references", REFERENCES, "--max-loss", "0"], 0, ""),
    (["score", REFERENCES, "none.jsonl"], 2, "docscore: none.jsonl: No such file or directory"),
    (["compare", PREDICTIONS], 2, "docscore: .*NEW.* .'docscore compare -h' for help"),
    (["score", REFERENCES, PREDICTIONS, "--nope"], 2, "docscore: .*--nope.* .'docscore score -h' for help"),
    ([], 2, "Usage: docscore "),
]


@pytest.mark.full
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


DEBUG = "(--debug shows the traceback)"
OURS = f"this is a bug in docscore {DEBUG}"
# what a command may be stopped by, the exit status, and what is said
ENDS: list[tuple[BaseException, int, str]] = [
    (KeyboardInterrupt(), 130, "docscore: stopped\n"),
    (click.Abort(), 130, "docscore: stopped\n"),
    (BrokenPipeError(), 141, ""),
    (SystemExit(1), 141, ""),
    (SystemExit(0), 0, ""),
    (PermissionError(13, "Permission denied", "p.jsonl"), 2, "docscore: p.jsonl: Permission denied\n"),
    (OSError(28, "No space left on device"), 74, "docscore: cannot write the output: No space left on device\n"),
    (OutputError(13, "Permission denied", "o.html"), 74, "docscore: cannot write o.html: Permission denied\n"),
    (click.ClickException("two\nlines \x1b[31m"), 2, "docscore: two\\u000alines \\u001b[31m\n"),
    (InputValueError(problem="wrong"), 2, "docscore: wrong\n"),
    (InputTypeError(problem="of another type"), 2, "docscore: of another type\n"),
    (MemoryError(), 70, f"docscore: out of memory {DEBUG}\n"),
    (MemoryError("8 GB"), 70, f"docscore: out of memory (8 GB) {DEBUG}\n"),
    (OverflowError("too\nlarge"), 70, f"docscore: unexpected OverflowError: too large; {OURS}\n"),
    (ValueError("wrong"), 70, f"docscore: unexpected ValueError: wrong; {OURS}\n"),
    (EOFError(), 70, f"docscore: unexpected EOFError; {OURS}\n"),
]


@pytest.mark.parametrize(("error", "status", "said"), ENDS, ids=[repr(row[0]) for row in ENDS])
def test_whatever_stops_a_command_is_an_exit_status(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, said: str
) -> None:
    def stopped() -> None:
        click.echo("half a result", nl=False)
        raise error

    monkeypatch.setitem(commands.commands, "stop", click.Command("stop", callback=stopped))
    done = run("stop")
    assert done.code == status
    assert done.err.lstrip("\n") == said


def test_the_traceback_of_an_error_of_our_own_is_there_on_request(
    monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    """Whoever repairs it needs it; the exit status is the same."""

    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("docscore.cli.score_command.evaluations_of_files", broken)
    files = write("r.jsonl", [ref("a", "x")]), write("p.jsonl", [pred("a", "x")])
    done = run("score", *files, "--debug")
    assert (done.code, done.out) == (70, "")
    lines = done.err.splitlines()
    assert lines[0] == "docscore: Traceback (most recent call last):"
    said = "docscore: unexpected ZeroDivisionError; this is a bug in docscore"
    assert lines[-2:] == ["docscore: ZeroDivisionError", said]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_while_libraries_are_imported(tmp_path: Path) -> None:
    """A library that is slow to import stands for all."""
    (tmp_path / "click.py").write_text("import sys, time\nprint(1, flush=True)\ntime.sleep(600)\n", encoding="utf-8")
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    env = environment(PYTHONPATH=os.pathsep.join((str(tmp_path), str(ROOT))))
    with subprocess.Popen([sys.executable, "-m", "docscore", "--help"], cwd=ROOT, env=env, **streams) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "1\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err.strip()) == (130, "", "docscore: stopped")


def test_warnings_of_the_library_are_lines_of_their_own(write: Write) -> None:
    """Each is said once, however many rows it is about, and without a line of our code."""
    files = write("r.json", [["x", "y"]] * 3), write("p.json", ["y"] * 3)
    here, there = run("score", *files), run_process("score", *files)
    assert here == there
    assert here.code == 0
    assert re.fullmatch(r"docscore: compatibility mode: [^\n]+\n", here.err)
    assert ".py" not in here.err


def numeric_options(group: click.Group = commands, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every option of every command that takes a number, from click's own lists: the words before its value."""
    for name in group.list_commands(click.Context(group)):
        command = group.resolve_command(click.Context(group), [name])[1]
        assert command is not None
        if isinstance(command, click.Group):
            yield from numeric_options(command, (*path, name))
        for parameter in command.params:
            if isinstance(parameter.type, click.types.FloatParamType | click.types.IntParamType):
                yield (*path, name, parameter.opts[-1])


NUMERIC = list(numeric_options())


def test_numeric_options_are_enumerated() -> None:
    gates = {("score", "--fail-under"), ("compare", "--max-loss")}
    assert gates | {("score", "--worst"), ("bench", "table", "--threshold")} <= {*NUMERIC}


@pytest.mark.parametrize("words", NUMERIC, ids=" ".join)
@pytest.mark.parametrize("value", ["nan", "-NaN", "inf", "-inf", "1e999", "ten", ""])
def test_a_number_is_a_finite_one(words: tuple[str, ...], value: str) -> None:
    """A gate on NaN would pass whatever the score is."""
    done = run(*words, value)
    assert (done.code, done.out) == (2, "")
    assert re.search(rf"'{words[-1]}': expected an? (integer|number) in the range .*, got {value} \(", done.err), (
        done.err
    )
    assert len(done.err.splitlines()) == 1


@golden("commands", "commands")
def test_what_a_command_says(
    write: Write, folder: Path, files: dict[str, Any], arguments: str, code: int, out: list[str], err: str
) -> None:
    """With the files beside the example receipts: parts of what it prints, and of stderr, which is empty otherwise.

    JSON is what the schema of its format says. Where something is wrong, nothing is printed, and no file is written;
    only a gate that cannot decide follows the results.
    """
    for name, content in files.items():
        write(name, content)
    before = set(folder.iterdir())
    done = run(*shlex.split(arguments))
    if GONE and "is not installed" in done.err:
        pytest.skip(done.err)
    words = " ".join(done.out.split())
    assert (done.code, [part for part in out if part not in done.out and part not in words]) == (code, []), done
    assert err in done.err if err else done.err == ""
    assert code != 2 or out or (done.out, set(folder.iterdir())) == ("", before)
    assert "Traceback" not in done.err
    if form := re.match(r'{"format": "docscore\.(\w+)/', done.out):
        validated(form[1], done.out)


RUNS: dict[str, Any] = {"predictions": [["x", "y"], ["x", "z"]], "references": ["x", "y"]}


@pytest.mark.skipif(bool(GONE), reason="it needs all commands")
def test_every_member_that_a_schema_describes_occurs(write: Write, folder: Path) -> None:
    """In the JSON of the commands above, or of several runs in Python; tests/tools has the logs of Inspect."""
    printed: dict[str, list[Any]] = {name: [] for name in SCHEMAS if name != "bench_table"}
    printed["score"].append(docscore.evaluate(**RUNS, runs=True).to_dict())
    printed["bench_check"].append(json.loads(run("bench", "check", folder, "--json").out))
    for row in data_rows("commands", "commands"):
        if "json" not in row["arguments"]:
            continue
        for name, content in row["files"].items():
            write(name, content)
        if form := re.match(r'{"format": "docscore\.(\w+)/', out := run(*shlex.split(row["arguments"])).out):
            printed[form[1]].append(json.loads(out))
    for name, outputs in printed.items():
        found = set(members(SCHEMAS[name], outputs))
        assert (name, {member for member, _ in found if (member, True) not in found}) == (name, set())


COMMANDS = ["score", "explain", "compare", "table", "report", "automation"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example receipts, in which commands run, and of the example with vendors in it."""
    shutil.copytree(ROOT / "examples/vendors", tmp_path / "vendors")
    for path in RECEIPTS.glob("*.json*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_runs_and_its_json_has_the_format(name: str) -> None:
    text = succeed(name, "-h").split("  Example, in examples/receipts:\n")[1]
    example = text.split("\n\n")[0].replace("\\\n", "")
    program, *arguments = shlex.split(example)
    assert (program, arguments[0]) == ("docscore", name)
    done = run(*arguments)
    assert done.code == 0
    if name == "report":
        assert Path("report.html").exists()
        return
    assert done.out
    output = json.loads(run(*arguments, "--json").out)
    assert output["format"].startswith("docscore.")


ACTIVE = {"script", "img", "iframe", "object", "embed", "link", "base", "form", "video", "audio", "foreignobject"}


def report(output: Path, *arguments: str | Path) -> Markup:
    """The page that the command writes, which runs nothing, loads nothing, and whose links lead to places in it."""
    done = run("report", *arguments, "-o", output)
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines()[-1] == f"docscore: wrote {output} ({output.stat().st_size:,} bytes)"
    assert output.stat().st_size < 2_000_000
    page = Markup(output.read_bytes().decode())
    assert {each.tag for each in page.elements} & ACTIVE == set()
    [policy] = [each.attributes["content"] for each in page.of("meta") if "http-equiv" in each.attributes]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline';")
    attributes = [pair for each in page.elements for pair in each.attributes.items()]
    assert [name for name, _ in attributes if name.startswith("on") or name in ("src", "xlink:href")] == []
    ids = [value for name, value in attributes if name == "id"]
    assert len(set(ids)) == len(ids)
    assert {value for name, value in attributes if name == "href"} <= {f"#{name}" for name in ids}
    styles = "".join(page.texts("style") + [value for name, value in attributes if name == "style"])
    assert not re.search(r"url\(|@import|expression|https?:", styles)
    return page


def test_the_report_on_the_examples_is_one_small_file(tmp_path: Path) -> None:
    page = report(tmp_path / "out.html", REFERENCES, PREDICTIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["out.html"]
    assert page.texts("title")[0] == "references.jsonl × predictions.jsonl: ANLS* 0.8043"
    assert page.texts("h3")[:2] == ["receipt-004", "receipt-040"]


@pytest.mark.parametrize("output", ["none/out.html", "folder", "folder/r.jsonl", "folder/p.jsonl"])
def test_an_output_that_cannot_be_written_is_one_line(write: Write, tmp_path: Path, output: str) -> None:
    """A slip of the hand behind -o costs no data: a report never takes the place of what it was made from."""
    (tmp_path / "folder").mkdir()
    files = write("folder/r.jsonl", [ref("a", 1)]), write("folder/p.jsonl", [pred("a", 1)])
    before = [path.read_bytes() for path in files]
    done = run("report", *files, "-o", tmp_path / output)
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(r"docscore: [^\n]+\n", done.err)
    assert str(tmp_path) in done.err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "p.jsonl", "r.jsonl"]
    assert [path.read_bytes() for path in files] == before
