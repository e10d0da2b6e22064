"""Every option of every command: that it exists, what it changes, and the keys of what `--json` prints."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from docscore.cli.entry_point import commands
from tests.commands import PREDICTIONS, RECEIPTS, REFERENCES, Write, command_of, pred, ref, run, succeed

NEW = RECEIPTS / "predictions_new.jsonl"
BOTH = REFERENCES, PREDICTIONS


def one_row(write: Write, truth: Any, prediction: Any) -> tuple[Path, Path]:
    return write("r.jsonl", [ref("a", truth)]), write("p.jsonl", [pred("a", prediction)])


def numeric_options(group: click.Group = commands, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every option of every command that takes a number, from click's own lists: the words before its value."""
    for name in group.list_commands(click.Context(group)):
        command = command_of(name, group)
        if isinstance(command, click.Group):
            yield from numeric_options(command, (*path, name))
        for parameter in command.params:
            if isinstance(parameter.type, click.types.FloatParamType | click.types.IntParamType):
                yield (*path, name, parameter.opts[-1])


NUMERIC = list(numeric_options())


def test_numeric_options_are_enumerated() -> None:
    gates = {("score", "--fail-under"), ("score", "--fail-under-mean"), ("compare", "--fail-below")}
    assert gates | {("score", "--worst"), ("bench", "table", "--threshold")} <= {*NUMERIC}


@pytest.mark.parametrize("words", NUMERIC, ids=" ".join)
@pytest.mark.parametrize("value", ["nan", "-NaN", "inf", "-inf", "1e999", "ten", ""])
def test_a_number_is_a_finite_one(words: tuple[str, ...], value: str) -> None:
    """A gate on NaN would pass whatever the score is."""
    done = run(*words, value)
    assert (done.code, done.out) == (2, "")
    assert re.search(rf"'{words[-1]}': expected a (whole )?number in the range .*, got {value} \(", done.err), done.err
    assert len(done.err.splitlines()) == 1


# the command, the options, and what of the JSON changes: a path into it, without the options and with them
CHANGES: list[tuple[str, Any, Any, list[str], str, Any, Any]] = [
    ("score", "abcd", "abcx", ["--threshold", "0.8"], "anls_score", 0.75, 0.0),
    ("score", "Abc", "abc", ["--case-sensitive"], "anls_score", 1.0, pytest.approx(2 / 3)),
    ("score", {"a": "x"}, '{"a": "x"}', ["--parse", "json"], "anls_score", 0.0, 1.0),
    ("score", {"a": "x"}, "{'a': 'x'}", ["--parse", "repair"], "anls_score", 0.0, 1.0),
    ("score", '{"a": "x"}', {"a": "x"}, ["--parse-references", "json"], "anls_score", 0.0, 1.0),
    ("score", {"a": "x"}, {"a": {"$value": "x", "$confidence": 1}}, ["--with-confidences"], "anls_score", 0.0, 1.0),
    ("score", {"a": "B"}, {"a": "b"}, ["--metrics", "entity_f1"], "metrics", None, {"entity_f1": 0.0}),
    ("score", {"a": "B"}, {"a": "b"}, ["--metrics", "entity_f1", "--normalise"], "metrics", None, {"entity_f1": 1.0}),
    ("score", "ab", "ax", ["--metrics", "anls"], "metrics", None, {"anls": 0.5}),
    ("score", "ab", "ax", ["--metrics", "anls", "--strict"], "metrics", None, {"anls": 0.0}),
    ("score", {"a": "x"}, {"a": "x", "b": None}, ["--rules", "anls_star-1.0.1"], "anls_score", 1.0, 0.5),
    ("score", 1000.0, 1000, ["--numbers", "value"], "anls_score", pytest.approx(2 / 3), 1.0),
    ("explain", {"a": "x"}, {"a": "x", "b": None}, ["--rules", "anls_star-1.0.1"], "score", 1.0, 0.5),
    ("explain", 1000.0, 1000, ["--numbers", "value"], "score", pytest.approx(2 / 3), 1.0),
    ("explain", "abcd", "abcx", ["--threshold", "0.8"], "score", 0.75, 0.0),
    ("explain", "Abc", "abc", ["--case-sensitive"], "score", 1.0, pytest.approx(2 / 3)),
    ("explain", {"a": "x"}, '{"a": "x"}', ["--parse", "json"], "score", 0.0, 1.0),
    ("explain", "x", {"$value": "x", "$confidence": 1}, ["--with-confidences"], "score", 0.0, 1.0),
    ("explain", {"a": "B"}, {"a": "b"}, ["--metric", "kieval"], "kieval_entity_f1", None, 0.0),
    ("explain", {"a": "B"}, {"a": "b"}, ["--metric", "kieval", "--normalise"], "kieval_entity_f1", None, 1.0),
]


@pytest.mark.parametrize(
    ("command", "truth", "prediction", "options", "key", "plain", "changed"),
    CHANGES,
    ids=[f"{row[0]} {' '.join(row[3])}" for row in CHANGES],
)
def test_an_option_changes_the_figure(
    write: Write, command: str, truth: Any, prediction: Any, options: list[str], key: str, plain: Any, changed: Any
) -> None:
    files = one_row(write, truth, prediction)
    assert json.loads(run(command, *files, "--json").out).get(key) == plain
    found = json.loads(run(command, *files, "--json", *options).out)[key]
    assert (found if not isinstance(changed, dict) else {name: found[name] for name in changed}) == changed


def sure_of(write: Write, documents: int) -> tuple[Path, Path]:
    """Documents of one value: the surer a prediction, the more often it is right."""
    right = [number % (2 + number // 4) != 1 for number in range(documents)]
    guesses = [{"$value": "x", "$confidence": number / documents} for number in range(documents)]
    return (
        write("r.jsonl", [ref(str(number), "x" if each else "y") for number, each in enumerate(right)]),
        write("p.jsonl", [pred(str(number), guess) for number, guess in enumerate(guesses)]),
    )


@pytest.mark.parametrize("command", ["score", "compare", "automation"])
def test_the_level_of_intervals(write: Write, command: str) -> None:
    """A higher level is a wider interval; no level is 1, and words are none."""
    arguments: dict[str, tuple[tuple[Any, ...], str]] = {
        "score": (BOTH, "confidence_interval"),
        "compare": ((PREDICTIONS, NEW, "--references", REFERENCES), "confidence_interval"),
        "automation": ((*sure_of(write, 20), "--target", "0.9"), "automation_rate_interval"),
    }
    files, key = arguments[command]
    found = [succeed(command, *files, "--json", "--confidence-level", level) for level in ("0.5", "0.99")]
    narrow, wide = (high - low for low, high in (json.loads(each)[key] for each in found))
    assert 0 < narrow < wide
    for level in ("1", "0"):
        assert run(command, *files, "--confidence-level", level).code == 2


@pytest.mark.parametrize(
    ("predictions", "options", "hint"),
    [
        ([{"a": {"$value": "x", "$confidence": 0.5}}], [], "--with-confidences"),
        ([{"a": {"$value": "x", "$confidence": 0.5}}], ["--with-confidences"], None),
        ([{"$value": {"a": "x"}, "$confidence": 0.5}], [], "--with-confidences"),
        (['{"a": "x"}'], [], "--parse"),
        (['{"a": "x"}'], ["--parse", "json"], None),
        (['{"a": "x"}', {"a": "x"}], [], None),
    ],
)
def test_what_was_perhaps_forgotten_is_hinted_at(
    write: Write, predictions: list[Any], options: list[str], hint: str | None
) -> None:
    """Where all predictions are texts of documents, or hold confidences; the score is printed all the same."""
    ids = [str(number) for number in range(len(predictions))]
    files = (
        write("r.jsonl", [ref(name, {"a": "x"}) for name in ids]),
        write("p.jsonl", [pred(name, each) for name, each in zip(ids, predictions, strict=True)]),
    )
    done = run("score", *files, *options)
    assert done.code == 0
    assert done.out.startswith("ANLS*")
    assert (done.err == "") if hint is None else re.fullmatch(rf"docscore: [^\n]*{hint}[^\n]*\n", done.err)


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
