"""What reaches a terminal: colour, progress, encodings, and nothing that a hostile file could steer it with."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from docscore import score_tree
from docscore.evaluation.sentences import verdict_text
from docscore.report.console import print_comparison, print_measured, print_summary, print_table, print_tree
from docscore.report.systems_report import systems_table
from docscore.stats.intervals import Interval
from tests.commands import COLOUR, HOSTILE, RAW, Write, on_terminal, pred, ref, run, run_process, screen
from tests.conftest import golden
from tests.report_samples import drinks, hostile, systems


@golden("console", "hostile")
def test_hostile_ids_never_reach_a_pipe_or_a_terminal(
    write: Write, command: str, options: list[str], lines: int | None
) -> None:
    truth = {HOSTILE: HOSTILE, "k": [HOSTILE], "o": {"$one_of": [HOSTILE, "b"]}, "s": "hello " + HOSTILE}
    guess = {HOSTILE: HOSTILE + "x", "k": [HOSTILE, {HOSTILE: 1}], "o": 7, "s": "hallo " + HOSTILE, "z" + HOSTILE: [1]}
    files = (
        write("r.jsonl", [ref(HOSTILE, truth), ref("b" + HOSTILE, 1)]),
        write("p.jsonl", [pred(HOSTILE, guess), pred("b" + HOSTILE, 2)]),
    )
    done = run(command, *files, *options)
    stream = "stdout" if command == "score" else "stderr"
    shown = on_terminal(command, *files, *options, stream=stream)
    assert shown.code == done.code == (0 if command == "score" else 2)
    for text in (done.out + done.err, COLOUR.sub("", shown.terminal)):
        assert not RAW.search(text)
        assert lines is None or text.count("\n") == lines


def test_colour_on_a_terminal_and_the_same_text_as_in_a_pipe(write: Write) -> None:
    """Long lines are neither cut nor broken at 80 columns: that is the terminal's affair."""
    files = (
        write("t.json", {"a": "12.50", "b": "y" * 90, "c": "q"}),
        write("g.json", {"a": "12.5", "b": "z" * 90, "c": "q"}),
    )
    shown = on_terminal("explain", *files)
    assert (shown.code, shown.pipe) == (0, "")
    assert "\x1b[" in shown.terminal
    assert COLOUR.sub("", shown.terminal) == run("explain", *files).out
    changed = re.search(r"12\.5\x1b\[([0-9;]*)m0\x1b", shown.terminal)
    assert changed is not None, "the digit that the prediction lacks is marked"
    assert "\x1b[" not in on_terminal("explain", *files, NO_COLOR="1", TERM="dumb").terminal


@pytest.mark.ci
def test_a_progress_bar_on_a_terminal_only(write: Write) -> None:
    """On the error stream, so that what is printed can go elsewhere; it moves, and is gone when done.

    200 documents of about a hundredth of a second: it is drawn at places between nothing and all.
    """
    lists = [[f"{i * j % 97} {i + j}" for j in range(600)] for i in range(200)]
    files = (
        write("r.jsonl", [ref(str(i), items) for i, items in enumerate(lists)]),
        write("p.jsonl", [pred(str(i), [f"{text}x" for text in items]) for i, items in enumerate(lists)]),
    )
    shown = on_terminal("score", *files, stream="stderr")
    assert shown.code == 0
    assert "Scoring" in shown.terminal
    assert {int(number) for number in re.findall(r"(\d+)%", shown.terminal)} - {0, 100} != set()
    assert "".join(screen(shown.terminal)).strip() == ""
    assert shown.pipe == run("score", *files).out
    assert "\x1b" not in shown.pipe
    longest = max(len(COLOUR.sub("", frame)) for frame in re.split(r"\r|\n|\x1b\[2K", shown.terminal))
    assert longest <= 80


_AT_ONCE = "import docscore.cli, docscore.core.runtime as runtime; runtime._DELAY = 0; docscore.cli.main()"


@golden("console", "phases")
def test_each_long_phase_says_so_on_a_terminal_without_a_size(write: Write, command: str, phases: str) -> None:
    """Bars are drawn at once here; else short work shows none."""
    rows = [(str(number), {"total": f"{number}.50"}) for number in range(30)]
    names: dict[str, str | Path] = {
        "R": write("r.jsonl", [ref(*row) for row in rows]),
        "P": write("p.jsonl", [pred(name, {"total": "1.5"}) for name, _ in rows]),
        "Q": write("q.jsonl", [pred(name, {"total": "1.5"}) for name, _ in rows]),
        "OUT": "-",
    }
    arguments = [names.get(word, word) for word in command.split()]
    shown = on_terminal(*arguments, stream="stderr", rows=0, columns=0, program=("-c", _AT_ONCE))
    drawn = iter(re.findall(r"\r(\w+): +0%", shown.terminal))
    assert all(phase in drawn for phase in phases.split()), shown.terminal  # in this order
    assert shown.pipe


def test_a_document_of_4000_rows_takes_hundreds_of_lines(write: Write) -> None:
    """Of both outputs; the rows that lost points come first, and the rest is counted."""
    truth = {"lines": [{"sku": f"s{number}", "price": f"{number}.50"} for number in range(4000)]}
    guess = {
        "lines": [{**line, "price": "9"} if not number % 9 else line for number, line in enumerate(truth["lines"])]
    }
    files = write("r.jsonl", [ref("a", truth)]), write("p.jsonl", [pred("a", guess)])
    lines = run("explain", *files).out.splitlines()
    assert 500 < len(lines) < 600
    (rest,) = (line for line in lines if line.endswith("more lines; exact ones are left out first"))
    assert len(run("explain", *files, "--all").out.splitlines()) > 12_000
    assert int(rest.split()[1].replace(",", "")) == 4000 + 2 * 445 + 2 - 500
    page = run("report", *files, "-o", "-").out
    assert len(page.splitlines()) < 1500
    assert re.search(r"12,002 places; \d{3} are rendered. Exact ones are left out first.", page)


def test_an_error_while_the_bar_is_shown_stands_on_a_line_of_its_own(write: Write) -> None:
    files = write("r.jsonl", [ref("a", 1), ref("b", {"$one_of": []})]), write("p.jsonl", [pred("a", 1), pred("b", 1)])
    shown = on_terminal("score", *files, stream="stderr", columns=250)
    assert shown.code == 2
    assert [line for line in screen(shown.terminal) if line.startswith("docscore: ")] != []


def test_long_keys_are_folded_and_whole(write: Write) -> None:
    """On a terminal. Wide characters take two columns; the numbers stand beside the first line."""
    keys = ["long_" * 20, "two words " * 9, "発行日付" * 12, "a.b[0]" * 15]
    row = dict.fromkeys([*keys, "n"], "x")
    files = write("r.jsonl", [ref("a", row)]), write("p.jsonl", [pred("a", row)])
    piped = run("score", *files, "--fields").out
    text = COLOUR.sub("", on_terminal("score", *files, "--fields").terminal)
    lines = text[text.index("\nFields") :].strip("\n").split("\n\n")[0].splitlines()[1:]
    widths = [sum(2 if character > "\u2e80" else 1 for character in line) for line in lines]
    assert max(widths) <= 80
    folded = "".join(re.split(r" [01]\.\d{3} ", line)[0] for line in lines[1:]).replace(" ", "")
    for key in keys:
        assert re.search(rf"^.*{re.escape(key.strip())}.* +1\.000 ", piped, re.MULTILINE)
        assert key.replace(" ", "") in folded


def test_no_column_is_lost_however_narrow_the_output_is(write: Write) -> None:
    """In a pipe each row is a line, also where the environment names a width or asks for colour."""
    references = write("r.jsonl", [ref(name, {"a": name, "b": "tea"}) for name in "abcdefgh"])
    systems = [
        write(f"right_{some}.jsonl", [pred(name, {"a": name if name in some else "x"}) for name in "abcdefgh"])
        for some in ("a", "bcd", "cdefgh")
    ]
    options = "--metrics", "anls_star,kieval", "--intervals"
    command: list[str | Path] = ["table", *systems, "--references", references, *options]

    def cells(text: str) -> list[str]:
        return sorted(re.findall(r"\d\.\d{4}(?: \[\d\.\d{4}, \d\.\d{4}\])?", text.replace("*", "")))

    expected = cells(run(*command, "--format", "markdown").out)
    assert len(expected) == 3 * 6
    piped = run_process(*command, COLUMNS="40", FORCE_COLOR="1").out.splitlines()
    assert piped[0].split() == ["metric", *(path.stem for path in systems)]
    assert piped[1].startswith("ANLS*  ")
    assert cells("\n".join(piped)) == expected
    for columns in (20, 60, 200):
        lines = COLOUR.sub("", on_terminal(*command, columns=columns).terminal).splitlines()
        table = lines[: lines.index("In brackets: 95% confidence intervals.")]
        assert cells("\n".join(table)) == expected
        assert max(map(len, table)) <= max(columns, 60), "numbers are whole in any case"
        assert (table[0].split()[1] == "system") == (columns < 200)


def printed(function: Callable[..., None], *arguments: Any, encoding: str = "utf-8", **options: Any) -> str:
    """What a function prints on a console of 80 columns that is no terminal."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    function(Console(file=file, width=80, highlight=False, markup=False, emoji=False), *arguments, **options)
    file.seek(0)
    return "".join(f"{line.rstrip()}\n" for line in file.read().splitlines())


def test_the_verdict_says_whether_it_may_be_chance() -> None:
    comparison = copy(drinks().comparison)
    for p_value, high, sentence in (
        (0.0499, -0.1, "this is unlikely to be chance, p = 0.050"),
        (0.0499, None, "this may be chance: p is small, but there is no interval, p = 0.050"),
        (0.0499, 0.1, "this may be chance: p is small, but the interval contains 0, p = 0.050"),
        (0.05, 0.1, "this may be chance, p = 0.050"),
        (0.05, -0.1, "this may be chance: the interval excludes 0, but p is not small, p = 0.050"),
    ):
        interval = Interval() if high is None else Interval(-0.3, high)
        comparison.figure = comparison.figure._replace(p_value=p_value, interval=interval)
        assert verdict_text(comparison).endswith(f"; {sentence}")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_encodings_without_our_signs(encoding: str) -> None:
    """Numbers and bars have others; a tree has lines of ASCII."""
    whole, text = (
        printed(print_summary, drinks().evaluation, fields=True, worst=2, encoding=each) for each in ("utf-8", encoding)
    )
    assert whole.count("█") > 20
    assert text == whole.replace("█", "#")
    tree = score_tree({"a": "x", "b": ["y", "z"]}, {"a": "y", "b": ["y"]})
    assert printed(print_tree, tree, fold=False, encoding=encoding).isascii()


def test_text_of_others_steers_nothing() -> None:
    """And of what is no name, every line fits."""
    sample = hostile()
    named = [
        printed(print_summary, sample.evaluation, fields=True, worst=99),
        printed(print_comparison, sample.comparison, None, 99),
    ]
    table = systems_table(systems(sample), by_metric=True)
    others = [printed(print_measured, sample.evaluation), printed(print_table, table, with_caption=False)]
    assert not RAW.search("".join([*named, *others]))
    assert all("<img src=x" in text for text in named)
