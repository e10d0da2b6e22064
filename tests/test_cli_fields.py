"""`docscore score --fields`: tables that fit in 80 columns and say what the JSON says."""

from __future__ import annotations

import json
import re
from functools import cache
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
    succeed,
)

COUNTS = ("exact", "partial", "wrong", "wrong_type", "missing", "extra")


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
