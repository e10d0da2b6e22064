"""The text of a model as JSON: what is read, what is repaired, what is neither, and that each is counted as it is."""

from __future__ import annotations

import sys
from random import Random
from types import FrameType
from typing import Any

import pytest

from docscore.core.values import convert_ground_truth
from docscore.data import json_text
from docscore.data.json_text import Parsed, dumps, loads, parse_text
from docscore.data.pairing import Pairs
from tests.conftest import golden
from tests.structures import evaluation_of

TOO_DEEP = "[" * 201 + "]" * 201
DEEPEST = "[" * 200 + "]" * 200

# Texts that are JSON as a whole: both modes read them as `loads` does, and nothing is repaired.
JSON = ['{"a": 1}', ' \n{"a": 1}\r\n\t', "{}", "[]", "null", "true", '"12.50"', "12.50", "9" * 25, "-Infinity", "NaN"]
JSON += [r'"{\"a\": 1}"', '{"a": "007", "b": "null"}', '{"a": 1, "a": 2}', DEEPEST, '{"$one_of": []}', r'"\ud800"']


@pytest.mark.parametrize("text", JSON)
def test_json_is_read_in_both_modes(text: str) -> None:
    for mode in ("json", "repair"):
        parsed = parse_text(text, mode)
        assert (dumps(parsed.value), parsed.outcome) == (dumps(loads(text)), "exact")


@golden("model_answers", "answers")
def test_answers_as_chat_models_write_them(text: str, value: Any, outcome: str) -> None:
    parsed = parse_text(text, "repair")
    assert (dumps(parsed.value), parsed.outcome) == (dumps(value), outcome)
    assert parse_text(text, "json").failed is (outcome != "exact")


@golden("model_answers", "ambiguous")
def test_which_of_several_values_is_taken(text: str, truth: Any, value: Any, rule: str) -> None:
    parsed = parse_text(text, "repair", convert_ground_truth(truth))
    assert (parsed.value, parsed.outcome) == (value, "ambiguous")
    assert f"complete values, of which the {rule}" in parsed.note


def test_what_stands_in_an_open_bracket_is_no_value_of_its_own() -> None:
    text = 'Here: {"items": [{"n": "tea"}, {"n": "cake"}], "total": "12.50'
    parsed = parse_text(text, "repair", {"n": "tea"})
    assert parsed == Parsed({"items": [{"n": "tea"}, {"n": "cake"}], "total": "12.50"}, "mended")


# Texts that hold nothing that can be scored: they stay as they are.
FAILED: list[tuple[str, str]] = [
    ("nested deeper than can be scored", TOO_DEEP),
    ("nested deeper than can be scored, in a fence", f"```json\n{TOO_DEEP}\n```"),
    ("a bomb of lists", "[" * 100_000),
    ("a bomb of objects", '{"a":' * 100_000),
]


@pytest.mark.parametrize("text", [row[1] for row in FAILED], ids=[row[0] for row in FAILED])
@pytest.mark.parametrize("mode", ["json", "repair"])
def test_what_is_neither_stays_text_and_counts_as_failed(text: str, mode: Any) -> None:
    assert parse_text(text, mode)[:2] == (text, "failed")


def work(text: str) -> int:
    """How many lines of Python reading the text runs."""
    lines = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        parse_text(text, "repair")
    finally:
        sys.settrace(before)
    return lines


SIGNS = ["[", "]", "{", "}", '"', "'", "“", "`", "```", "```json\n", "\\", "x", "x ", " ", ":", ",", "\n", "1", "null"]
RANDOM = Random(24)
UNITS = [
    """["]"[x[x '""",
    """["[a""",
    """{"a": ["b" """,
    """("a\n""",
    *("".join(RANDOM.choices(SIGNS, k=RANDOM.randint(1, 9))) for _ in range(150)),
]


def test_twice_the_text_is_at_most_twice_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for values takes linear time; mending them takes at most the steps that are allowed, here few."""
    monkeypatch.setattr(json_text, "MAX_STEPS", 300)
    for unit in UNITS:
        short, long = (work((unit * length)[:length]) for length in (2_000, 4_000))
        assert long <= 2.2 * short + 3_000, unit


def test_what_is_mended_has_a_largest_size() -> None:
    text = '{"a": "' + "x y " * 200_000
    assert parse_text(text, "repair") == Parsed(text, "failed", "not mended: it has more than 500,000 characters")


@pytest.mark.ci
def test_all_that_is_read_of_a_text_is_counted() -> None:
    """Where the parser copies its text or changes it, what it reads of the copy counts too."""
    for text in ('{"a": [{"b": ["x"' * 2_000, '[("a" (' * 40_000):
        assert parse_text(text, "repair").failed


MANY, SOME = 1_000_000, 100_000


@pytest.mark.ci
@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("```json\n" * MANY, True),
        ("```json x" + " " * MANY + "y", True),
        ("```json" + "\n" * MANY + '{"a": 1}' + "\n" * MANY + "```", False),
        ("[" + " " * MANY + "x", True),
        ("[" + "1 " * MANY + "x", True),
        ("{" + "a" * MANY + " " * MANY, True),
        ("{ " * MANY, True),
        ("```" + "\n" * 64_000 + "x", True),
        ("```\n" * MANY, True),
        ("```x```y" * SOME, True),
        ("[1,\n" * SOME, True),
        ("""["]"[x[x '""" * SOME, False),
        ("{}\n" * SOME, False),
        ("{a: }" * SOME, False),
        ('{"' * SOME, True),
        ("<think>" * MANY, True),
        ("</think>" * MANY + '{"a": 1}', False),
    ],
)
def test_looking_for_an_object_in_a_million_characters_comes_to_an_end(text: str, failed: bool) -> None:
    """A search that goes back over what it has seen would take hours."""
    assert parse_text(text, "repair").failed is failed


def test_mending_is_given_up_after_so_many_steps_and_the_row_says_so() -> None:
    """json-repair takes a time that grows with the square of such texts: 32,000 characters took 5.5 s."""
    endless = '{"a": "b", ' + "”name”: ”a cup of tea”, ”price”: ”2.50”, " * 500
    assert parse_text(endless, "repair") == Parsed(endless, "failed", "not mended: it takes more than 3,000,000 steps")
    pairs = Pairs(["x", "y"], [{"a": "b"}] * 2, [endless, '{"a": "b"}'])
    assert evaluation_of(pairs, parse="repair").samples() == [
        {
            "question_id": "x",
            "anls_score": 0.0,
            "parsed": "failed",
            "parse_note": "not mended: it takes more than 3,000,000 steps",
        },
        {"question_id": "y", "anls_score": 1.0, "parsed": "exact", "parse_note": ""},
    ]


def test_a_long_text_that_is_cut_off_is_mended() -> None:
    """Length alone is no reason to give up: this is how answers end that exceed the tokens of a model."""
    items: list[Any] = [{"description": "a cup of tea", "price": "2.50"}] * 4_000
    parsed = parse_text(dumps({"items": items})[:-3], "repair")
    assert (parsed.outcome, parsed.value) == ("mended", {"items": items})


def test_counts_of_a_corpus_and_values_that_are_no_text() -> None:
    """Only texts are read; what is JSON already, null too, stays and is not counted."""
    predictions = ['{"a": "x"}', "Here: {'a': 'x'}", "no idea", {"a": "x"}, None, ["x"], 'Here: {"a": "x"}']
    truths = [{"a": "x"}] * 4 + [None, ["x"], {"a": "x"}]
    pairs = Pairs([str(i) for i in range(7)], truths, predictions)
    assert evaluation_of(pairs, parse="text").scores == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]
    assert evaluation_of(pairs, parse="text").counts == {}
    read = evaluation_of(pairs, parse="json")
    assert (read.scores, read.counts) == ([1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0], {"parse_failures": 3})
    assert read.parsed_ids() == {"failed": ["1", "2", "6"]}
    mended = evaluation_of(pairs, parse="repair")
    assert mended.scores == [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    assert mended.counts == {"parse_failures": 1, "parse_extracted": 1, "parse_mended": 1, "parse_ambiguous": 0}
    assert mended.parsed_ids() == {"failed": ["2"], "extracted": ["6"], "mended": ["1"], "ambiguous": []}
    outcomes = ["exact", "mended", "failed", "exact", "exact", "exact", "extracted"]
    assert [sample["parsed"] for sample in mended.samples()] == outcomes
    assert mended.summary_to_dict(per_sample=True)["parsed_ids"] == mended.parsed_ids()
    assert len({read.signature, mended.signature, evaluation_of(pairs, parse="text").signature}) == 3
    with pytest.raises(ValueError, match="parse: expected"):
        evaluation_of(pairs, parse="fix")
