"""What a model printed: the values that are read in it, and repaired where they are damaged."""

from __future__ import annotations

import json
import sys
from collections import Counter
from random import Random
from types import FrameType
from typing import Any

import pytest

from docscore import anls_score
from docscore.core.values import MAX_DEPTH, convert_ground_truth, convert_prediction
from docscore.inputs.json_text import dumps, loads
from docscore.inputs.model_text import Parsed, parse_text
from docscore.inputs.test_set import TestSet
from tests.conftest import LEVEL, golden
from tests.damages import KINDS, document, parts, printed
from tests.structures import evaluation_of

DEEPEST = "[" * MAX_DEPTH + "]" * MAX_DEPTH

JSON = [' \n{"a": 1}\r\n\t', "{}", "true", "12.50", "9" * 25, "-Infinity", "NaN", '"{x}"']
JSON += ['{"a": "007", "b": "null"}', DEEPEST, '{"$one_of": []}', r'"\ud800"']


@pytest.mark.parametrize("text", JSON)
def test_json_is_read_in_both_modes(text: str) -> None:
    """As `loads` reads it where it is the whole text, and nothing is repaired."""
    for mode in ("json", "repair"):
        parsed = parse_text(text, mode)
        assert (dumps(parsed.value), parsed.outcome) == (dumps(loads(text)), "exact")


@golden("model_answers", "answers")
def test_answers_as_chat_models_write_them(text: str, value: Any, outcome: str) -> None:
    parsed = parse_text(text, "repair")
    assert (dumps(parsed.value), parsed.outcome) == (dumps(value), outcome)
    assert parse_text(text, "json").failed is (outcome != "exact" and not (outcome == "extracted" and text[0] == '"'))


@golden("model_answers", "notes")
def test_what_was_done_is_said_in_words(text: str, note: str) -> None:
    assert parse_text(text, "repair").note == note


@golden("model_answers", "ambiguous")
def test_which_of_several_values_is_taken(text: str, truth: Any, value: Any, rule: str) -> None:
    parsed = parse_text(text, "repair", convert_ground_truth(truth))
    assert (parsed.value, parsed.outcome) == (value, "ambiguous")
    assert f"complete values; the {rule}" in parsed.note


def test_what_stands_in_an_open_bracket_is_no_value_of_its_own() -> None:
    text = 'Here: {"items": [{"n": "tea"}, {"n": "cake"}], "total": "12.50'
    parsed = parse_text(text, "repair", {"n": "tea"})
    assert parsed[:2] == ({"items": [{"n": "tea"}, {"n": "cake"}], "total": "12.50"}, "repaired")


TOO_DEEP = [f"[{DEEPEST}]", "[" * 20_000, '{"a":' * 20_000, "[" * 20_000 + "]" * 20_000, '[{"a":' * 10_000]


@pytest.mark.parametrize("text", TOO_DEEP, ids=["one level", "lists", "objects", "closed lists", "both"])
def test_what_is_nested_too_deep_is_refused_and_stays_text(text: str) -> None:
    with pytest.raises(ValueError, match=f"nested deeper than {MAX_DEPTH} levels$"):
        convert_prediction(loads(text))
    for mode in ("json", "repair"):
        for answer in (text, f"```json\n{text}\n```"):
            assert parse_text(answer, mode)[:2] == (answer, "failed")


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
    *("".join(RANDOM.choices(SIGNS, k=RANDOM.randint(1, 9))) for _ in range(30 if LEVEL == "quick" else 150)),
]


def test_twice_the_text_is_at_most_twice_the_work() -> None:
    for unit in UNITS:
        short, long = (work((unit * length)[:length]) for length in (2_000, 4_000))
        assert long <= 2.2 * short + 3_000, unit


MANY, SOME = 300_000, 30_000


@pytest.mark.ci
@pytest.mark.no_cover
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
        ('{"x"} ' * 10_000, False),
        ('{"' * SOME, True),
        ("<think>" * MANY, True),
        ("</think>" * MANY + '{"a": 1}', False),
        ('{"a": [{"b": ["x"' * 2_000, True),
        ('[("a" (' * 40_000, True),
        ('{"a": "x" // ' * SOME, False),
        ('{"a": \'x, ' * SOME, False),
        ('{"a": "b", ' + "”name”: ”a cup of tea”, ”price”: ”2.50”, " * 3_000, False),
    ],
)
def test_looking_for_an_object_in_a_very_long_text_comes_to_an_end(text: str, failed: bool) -> None:
    """A search that goes back over what it has seen would take hours."""
    assert parse_text(text, "repair").failed is failed


def test_rows_say_what_was_done() -> None:
    pairs = TestSet(["x", "y"], [{"a": "b"}] * 2, ['{"a": "b"', '{"a": "b"}'])
    samples = evaluation_of(pairs, parse="repair").samples()
    assert [sample["parse_note"] for sample in samples] == ["closed a bracket", ""]


AMOUNTS = ["12.55 USD", "$12.55", "-€12.55", "1 234.55", "1'234", "50%", "<5", "00123", 45, -7, 1.25]
TEXTS_WITH_SIGNS = ["A, B", "[X]", "{Y} Z", '"Q" R']


def answer(random: Random, depth: int = 3) -> Any:
    """A value whose keys are lower-case letters, and whose leaves have none of these."""
    if depth == 0 or random.random() < 0.4:
        return random.choice([*AMOUNTS, *TEXTS_WITH_SIGNS])
    parts = [answer(random, depth - 1) for _ in range(random.randint(1, 4))]
    return dict(zip("abcd", parts, strict=False)) if random.random() < 0.6 else parts


def damaged(random: Random, text: str) -> str:
    """The text with a bracket, quote or comma lost, doubled or moved, or cut off."""
    places = [at for at, sign in enumerate(text) if sign in '{}[]",' and text[at - 1] != "\\"] or [0]
    at, end = random.choice(places), random.randint(1, len(text) or 1)
    lost = text[:at] + text[at + 1 :]
    return random.choice([lost, text[: at + 1] + text[at:], lost[:end] + text[at : at + 1] + lost[end:], text[:end]])


def signs(text: str) -> str:
    """The letters, digits and signs of the values."""
    return "".join(sign for sign in text if sign.isdigit() or sign.isupper() or sign in "$€%<-.")


def test_nothing_is_lost_when_a_damaged_text_is_repaired() -> None:
    """Each letter, digit and sign is read, in order, unless the text failed, is ambiguous or ends with a name."""
    random = Random(38)
    outcomes: Counter[str] = Counter()
    for _ in range(1_000 if LEVEL == "quick" else 20_000):
        value = {"a": answer(random), "b": answer(random)}
        text = json.dumps(value, ensure_ascii=False, indent=random.choice([None, 1]))
        damages = random.choice([1, 1, 1, 3])
        for _ in range(damages):
            text = damaged(random, text)
        value, outcome, note = parse_text(text, "repair")
        outcomes[outcome] += 1
        if note.startswith("ends within the name"):
            continue
        if outcome == "repaired" or (damages == 1 and outcome in ("exact", "extracted")):  # else the rest may be prose
            assert signs(text) == signs(json.dumps(value, ensure_ascii=False)), text
    assert outcomes["repaired"] > 10 * outcomes["failed"] > outcomes["ambiguous"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_damage_changes_nothing_beside_it(kind: str) -> None:
    """What is lost or added is counted, and the score falls."""
    random = Random(46)
    for _ in range(40 if LEVEL == "quick" else 1_000):
        value = document(random)
        if found := printed(random, kind, value):
            text, left, outcome = found
            parsed = parse_text(text, "repair", value)
            assert parsed[:2] == (left, outcome), text
            assert parsed.note, text
            assert left == value or kind == "Decimal" or anls_score(value, left) < 1


def test_a_text_that_is_cut_off_says_where() -> None:
    """Each value is the beginning of the right one."""
    random = Random(46)
    for _ in range(200 if LEVEL == "quick" else 5_000):
        value = document(random)
        text = random.choice((json.dumps(value), json.dumps(value, indent=2), repr(value)))
        text = text[: random.randint(1, len(text) - 1)]
        read, outcome, note = parse_text(text, "repair", value)
        if outcome != "failed":
            assert (outcome, bool(note)) == ("repaired", True), text
            assert note.startswith("ends within") or not text[-1].isalnum(), text
            whole = dict(parts(value))
            for path, part in parts(read):
                assert isinstance(part, dict | list) or str(whole[path]).startswith(str(part)), text


def test_a_long_text_that_is_cut_off_is_repaired() -> None:
    """Length alone is no reason to give up: this is how answers end that exceed the tokens of a model."""
    items: list[Any] = [{"description": "a cup of tea", "price": "2.50"}] * 4_000
    parsed = parse_text(dumps({"items": items})[:-3], "repair")
    assert parsed == Parsed({"items": items}, "repaired", "closed 3 brackets")


@pytest.mark.filterwarnings("ignore:predictions. .* use parse=.repair.")
def test_counts_of_a_corpus_and_values_that_are_no_text() -> None:
    """Only texts are read; what is JSON already, null too, stays and is not counted."""
    predictions = ['{"a": "x"}', "Here: {'a': 'x'}", "no idea", {"a": "x"}, None, ["x"], 'Here: {"a": "x"}']
    truths = [{"a": "x"}] * 4 + [None, ["x"], {"a": "x"}]
    pairs = TestSet([str(i) for i in range(7)], truths, predictions)
    assert evaluation_of(pairs, parse="text").scores == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]
    assert evaluation_of(pairs, parse="text").counts == {}
    read = evaluation_of(pairs, parse="json")
    assert (read.scores, read.counts) == ([1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0], {"parse_failures": 3})
    assert read.test_set.parsed_ids() == {"failed": ["1", "2", "6"]}
    repaired = evaluation_of(pairs, parse="repair")
    assert repaired.scores == [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    assert repaired.counts == {"parse_failures": 1, "parse_extracted": 1, "parse_repaired": 1, "parse_ambiguous": 0}
    assert repaired.test_set.parsed_ids() == {"failed": ["2"], "extracted": ["6"], "repaired": ["1"], "ambiguous": []}
    assert len({read.signature, repaired.signature, evaluation_of(pairs, parse="text").signature}) == 3
    with pytest.raises(ValueError, match="parse: expected"):
        evaluation_of(pairs, parse="fix")
