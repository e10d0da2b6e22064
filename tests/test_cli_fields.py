"""`docscore score --fields`: tables that fit in 80 columns and say what the JSON says."""

from __future__ import annotations

import json
import re
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from docscore.core.formatting import three_digits
from tests.commands import (
    COLOUR,
    HOSTILE,
    PREDICTIONS,
    RAW,
    REFERENCES,
    TEXTS,
    Write,
    on_terminal,
    pred,
    ref,
    run,
    run_process,
    succeed,
    written,
)

COUNTS = ("exact", "partial", "wrong", "wrong_type", "missing", "extra")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a file of the test."""
    return partial(written, tmp_path)


@cache
def scored(*options: str) -> str:
    """What the command prints of the examples."""
    return succeed("score", REFERENCES, PREDICTIONS, *options)


def sections(text: str) -> dict[str, list[str]]:
    """The lines below each heading."""
    parts = [part.splitlines() for part in text.strip("\n").split("\n\n")]
    return {part[0].split(",")[0].split(":")[0]: part[1:] for part in parts}


def one_document(write: Write, truth: Any, guess: Any) -> tuple[Path, Path]:
    return write("r.jsonl", [ref("a", truth)]), write("p.jsonl", [pred("a", guess)])


def row_of(field: dict[str, Any]) -> list[str]:
    """The cells of a field in the table of the terminal."""
    ends = "-" if field["low"] is None else f"{field['low']:.2f}-{field['high']:.2f}"
    counts = [f"{field[name]:,}" if field[name] else "." for name in COUNTS]
    return [field["field"], three_digits(field["score"]), ends, f"{field['points_lost']:.4f}", *counts]


def test_the_numbers_of_the_field_table_are_those_of_the_json() -> None:
    """The fields that cost most come first, and every line fits in 80 columns."""
    text = scored("--fields")
    found = json.loads(scored("--fields", "--json"))
    assert max(map(len, text.splitlines())) <= 80
    table = [line.split() for line in sections(text)["Fields"]]
    assert table[0] == ["field", "score", "interval", "lost", "exact", "near", "wrong", "type", "miss", "extra"]
    fields = sorted(found["key_scores"], key=lambda field: -field["points_lost"])
    assert table[1:] == [row_of(field) for field in fields]


def test_causes_rates_and_lists_are_those_of_the_json() -> None:
    text = succeed("score", REFERENCES, TEXTS, "--fields", "--parse", "json")
    found, shown = (
        json.loads(succeed("score", REFERENCES, TEXTS, "--fields", "--parse", "json", "--json")),
        sections(text),
    )
    lost = {cause: points for cause, points in found["points_lost"].items() if points}
    printed = [re.fullmatch(r"  (\d\.\d{4})  (.+?) +█+", line) for line in shown["Points lost"]]
    assert {match[2]: match[1] for match in printed if match} == {name: f"{each:.4f}" for name, each in lost.items()}
    assert f"\nPoints lost: {sum(lost.values()):.6f}\n" in text
    rates = [re.fullmatch(r" +([\d.]+)% \( *([\d.]+)% to +([\d.]+)%\)  (.+)", line) for line in shown["Rates"]]
    assert [match.groups() for match in rates if match] == [
        (*(f"{100 * rate[name]:.1f}" for name in ("value", "low", "high")), rate["rate"]) for rate in found["rates"]
    ]
    lists = [line.split() for line in shown["Lists"][1:]]
    assert lists == [
        [each["field"], *(f"{each[name]:,}" for name in ("matched", "missing", "extra"))] for each in found["lists"]
    ]


def test_fields_add_to_the_json_and_change_nothing_in_it() -> None:
    plain, found = json.loads(scored("--json")), json.loads(scored("--fields", "--json"))
    for name, value in plain.items():
        of_intervals = name in ("confidence_interval", "standard_error")  # sums of more columns round differently
        assert found[name] == (pytest.approx(value, abs=1e-12) if of_intervals else value)
    assert found.keys() - plain == {"points_lost", "key_scores", "lists", "rates"}
    lost = 1 - found["anls_score"]
    assert sum(found["points_lost"].values()) == pytest.approx(lost, abs=1e-12)
    assert sum(field["points_lost"] for field in found["key_scores"]) == pytest.approx(lost, abs=1e-12)


def test_a_terminal_shows_what_a_pipe_gets() -> None:
    shown = on_terminal("score", REFERENCES, PREDICTIONS, "--fields")
    lines = [line.rstrip() for line in COLOUR.sub("", shown.terminal).splitlines()]
    assert (shown.code, shown.pipe) == (0, "")
    assert lines == [line.rstrip() for line in scored("--fields").splitlines()]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("key", ["long_" * 20, "two words " * 9, "発行日付" * 12, "a.b[0]" * 15])
def test_a_long_key_is_folded_and_whole(write: Write, key: str) -> None:
    """Wide characters take two columns; the numbers stand beside the first line."""
    text = succeed("score", *one_document(write, {key: "x", "n": "y"}, {key: "x", "n": "y"}), "--fields")
    lines = sections(text)["Fields"]
    widths = [sum(2 if character > "\u2e80" else 1 for character in line) for line in lines]
    assert max(widths) <= 80
    folded = "".join(re.split(r" [01]\.\d{3} ", line)[0] for line in lines[1:])
    assert key.replace(" ", "") in folded.replace(" ", "")


def test_hostile_keys_never_reach_a_pipe_or_a_terminal(write: Write) -> None:
    files = one_document(
        write, {HOSTILE: HOSTILE, "l": [{HOSTILE: "x"}]}, {HOSTILE: [HOSTILE], "z" + HOSTILE: 1, "l": []}
    )
    shown = on_terminal("score", *files, "--fields")
    assert shown.code == 0
    for text in (succeed("score", *files, "--fields"), COLOUR.sub("", shown.terminal)):
        assert not RAW.search(text)
    assert not RAW.search(succeed("score", *files, "--fields", "--json"))


def test_many_values_still_fit(write: Write) -> None:
    """Counts of five digits in most columns."""
    truth = {"items": [{"amount": "1"}] * 60, "a": ["x"] * 60, "b": ["y"] * 60}
    guess = {"items": [{"amount": "1"}] * 60, "a": [], "c": ["z"] * 60, "b": ["y"] * 30}
    names = [str(number) for number in range(200)]
    files = write("r.jsonl", [ref(n, truth) for n in names]), write("p.jsonl", [pred(n, guess) for n in names])
    text = succeed("score", *files, "--fields", "--worst", "0").split("\n", 1)[1]
    assert max(map(len, text.splitlines())) <= 80
    assert "12,000" in text


def test_where_all_is_right_every_line_still_fits(write: Write) -> None:
    """Also the one that says why there is no interval."""
    names = [f"doc{number}" for number in range(40)]
    files = write("r.jsonl", [ref(n, {"k": n}) for n in names]), write("p.jsonl", [pred(n, {"k": n}) for n in names])
    text = succeed("score", *files, "--fields")
    assert "Points lost" not in text
    assert [line for line in text.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_an_encoding_without_blocks_gets_other_bars(encoding: str) -> None:
    done = run_process("score", REFERENCES, PREDICTIONS, "--fields", encoding=encoding, PYTHONIOENCODING=encoding)
    assert (done.code, done.err) == (0, "")
    assert "  wrong type         ####" in done.out
    assert "?" not in done.out
    assert done.out.replace("#", "█") == scored("--fields")


def test_no_colour_where_none_is_wanted() -> None:
    shown = on_terminal("score", REFERENCES, PREDICTIONS, "--fields", NO_COLOR="1", TERM="dumb")
    assert "\x1b" not in shown.terminal


def test_score_and_compare_name_the_option_where_numbers_are_only_printed_differently(tmp_path: Path) -> None:
    """1000.0 against 1000: the same number, and 4 of 6 characters as text, on one of two fields."""
    truths = written(tmp_path, "r.jsonl", [ref(f"d{n}", {"total": 1000.0, "name": "tea"}) for n in range(6)])
    same, other = (
        written(tmp_path, f"{name}.jsonl", [pred(f"d{n}", {"total": total, "name": "tea"}) for n in range(6)])
        for name, total in (("same", 1000), ("other", 1000.0))
    )
    sentence = "numbers are compared as they print: by value (--numbers value) the mean is 1.0000, +0.1667"
    done = run("score", truths, same, "--fields")
    assert done.err == f"docscore: {sentence}\n"
    assert "same value" in done.out
    assert run("compare", same, other, "--references", truths).err == f"docscore: base: {sentence}\n"
    assert run("score", truths, same, "--numbers", "value").err == ""
    assert run("score", truths, other).err == ""
