"""The text of a model as JSON: what is read, what is repaired, what is neither, and that each is counted as it is."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from docscore.core.options import ScoringOptions
from docscore.corpus.scores import score_corpus
from docscore.data.json_codec import dumps, loads
from docscore.data.model_output import Parsed, parse_text
from docscore.data.pairing import Pairs

TOO_DEEP = "[" * 201 + "]" * 201
DEEPEST = "[" * 200 + "]" * 200

# Texts that are JSON as a whole: both modes read them, and nothing is repaired.
JSON: list[tuple[str, str, Any]] = [
    ("an object", '{"a": 1}', {"a": 1}),
    ("with white space around", ' \n{"a": 1}\r\n\t', {"a": 1}),
    ("an empty object", "{}", {}),
    ("an empty list", "[]", []),
    ("null", "null", None),
    ("a boolean", "true", True),
    ("a string", '"12.50"', "12.50"),
    ("a number loses its trailing zero, as JSON says", "12.50", 12.5),
    ("an integer of 25 digits", "9" * 25, 10**25 - 1),
    ("an integer of more digits than Python reads", "9" * 5000, 10**5000 - 1),
    ("infinity, as Python writes it", "-Infinity", -math.inf),
    ("JSON in a JSON string stays a string", r'"{\"a\": 1}"', '{"a": 1}'),
    ("strings that look like values stay strings", '{"a": "007", "b": "null"}', {"a": "007", "b": "null"}),
    ("of two equal keys the last", '{"a": 1, "a": 2}', {"a": 2}),
    ("200 levels", DEEPEST, json.loads(DEEPEST)),
    ("the marker is an ordinary key", '{"$one_of": []}', {"$one_of": []}),
    ("a lone surrogate", r'"\ud800"', "\ud800"),
]


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in JSON], ids=[row[0] for row in JSON])
def test_json_is_read_in_both_modes(text: str, value: Any) -> None:
    for mode in ("json", "repair"):
        parsed = parse_text(text, mode)
        assert (dumps(parsed.value), parsed.failed, parsed.repaired) == (dumps(value), False, False)


def test_nan_is_read_in_both_modes() -> None:
    assert math.isnan(parse_text("NaN", "json").value)
    assert parse_text('{"a": NaN}', "repair")[1:] == (False, False)


# Texts that are not JSON, but hold an object or a list.
REPAIRED: list[tuple[str, str, Any]] = [
    ("a fenced block with a language", '```json\n{"a": 1}\n```', {"a": 1}),
    ("a fenced block without", '```\n{"a": 1}\n```', {"a": 1}),
    ("a fenced block behind prose", 'Here it is:\n```json\n{"a": [1]}\n```\nAnything else?', {"a": [1]}),
    ("a fenced block that is not closed", '```json\n{"a": 1}', {"a": 1}),
    ("an empty object in a fenced block", "```json\n{}\n```", {}),
    ("an empty list in a fenced block: nothing was found on the page", "```json\n[]\n```", []),
    ("a list of null in a fenced block", "```json\n[null]\n```", [None]),
    ("prose in front", 'Sure! Here is the JSON: {"a": "x"}', {"a": "x"}),
    ("prose behind", '{"a": "x"}\nI hope this helps.', {"a": "x"}),
    ("a trailing comma in an object", '{"a": "12.50",}', {"a": "12.50"}),
    ("a trailing comma in a list", '{"a": [1, 2,]}', {"a": [1, 2]}),
    ("single quotes", "{'a': 'x', 'b': \"it's\"}", {"a": "x", "b": "it's"}),
    ("None, True and False of Python", "{'a': None, 'b': True, 'c': False}", {"a": None, "b": True, "c": False}),
    ("keys without quotes", '{a: "x"}', {"a": "x"}),
    ("a line feed in a string", '{"a": "x\ny"}', {"a": "x\ny"}),
    ("cut off in the middle of a string: what is there", '{"a": "x", "b": "hel', {"a": "x", "b": "hel"}),
    ("cut off in the middle of a number", '{"a": "x", "b": 12', {"a": "x", "b": 12}),
    ("cut off in the middle of a key: the key is dropped", '{"a": "x", "b', {"a": "x"}),
    ("cut off behind a value", '{"a": [{"b": "x"}, {"b": "y"', {"a": [{"b": "x"}, {"b": "y"}]}),
    ("cut off behind a comma", '{"a": "x",', {"a": "x"}),
    ("a list cut off", '["x", "y', ["x", "y"]),
    ("numbers with a comma stay text", '{"a": "x", "b": 1,234.50}', {"a": "x", "b": "1,234.50"}),
    ("two objects with different keys: both", '{"a": 1}\n{"b": 2}', [{"a": 1}, {"b": 2}]),
    ("a comment", '{"a": 1} // done', {"a": 1}),
    ("a byte order mark in front", '\ufeff{"a": 1}', {"a": 1}),
]


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in REPAIRED], ids=[row[0] for row in REPAIRED])
def test_what_can_be_repaired_is_said_to_be(text: str, value: Any) -> None:
    assert parse_text(text, "json") == Parsed(text, failed=True)
    parsed = parse_text(text, "repair")
    assert (dumps(parsed.value), parsed.failed, parsed.repaired) == (dumps(value), False, True)


# Texts without an object or a list: the text stays as it is.
FAILED: list[tuple[str, str]] = [
    ("nothing", ""),
    ("white space", " \n "),
    ("a refusal", "I cannot read this document."),
    ("an amount with its currency", "12.50 EUR"),
    ("leading zeros", "007"),
    ("a date", "2024-01-02"),
    ("a name", 'O\'Brien, "Jo"'),
    ("one word", "None"),
    ("an open quote", '"abc'),
    ("prose with empty braces", "Use {} here."),
    ("prose with a footnote in brackets: not the list [1]", "See note [1] for details."),
    ("prose with a word in brackets", "I found [nothing]."),
    ("an answer with brackets: right as text, lost as a list", "Price (EUR) [approx] 5"),
    ("prose with a letter in braces", "The set {x} is empty."),
    ("nested deeper than can be scored", TOO_DEEP),
    ("nested deeper than can be scored, in a fence", f"```json\n{TOO_DEEP}\n```"),
    ("a bomb of lists", "[" * 100_000),
    ("a bomb of objects", '{"a":' * 100_000),
    ("a fence without anything in it", "```json\n```"),
]


@pytest.mark.parametrize("text", [row[1] for row in FAILED], ids=[row[0] for row in FAILED])
@pytest.mark.parametrize("mode", ["json", "repair"])
def test_what_is_neither_stays_text_and_counts_as_failed(text: str, mode: Any) -> None:
    assert parse_text(text, mode) == Parsed(text, failed=True)


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


@pytest.mark.parametrize("text", ['[{"a": "b', '{"a": "x" "', "{'a': '", "```json\n", '{"a":1}', "(", "'"])
def test_text_that_a_model_repeats_endlessly(text: str) -> None:
    """Twice the text is at most four times the work, and most often twice; all of it is that of `json-repair`."""
    short, long = ((text * length)[:length] for length in (800, 1600))
    assert work(long) <= 4.2 * work(short)


MANY = 1_000_000


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
    ],
    ids=["fences", "space in a fence", "space around an object", "space in a list", "numbers", "a word", "braces"],
)
def test_looking_for_an_object_in_a_million_characters_comes_to_an_end(text: str, failed: bool) -> None:
    """A search that goes back over what it has seen would take hours."""
    assert parse_text(text, "repair").failed is failed


@pytest.mark.parametrize("mode", [None, "json", "repair"])
def test_modes(mode: str | None) -> None:
    assert ScoringOptions(parse=mode).parse == mode


@pytest.mark.parametrize("mode", ["", "JSON", "yes", True, 1])
def test_other_modes_are_refused(mode: Any) -> None:
    with pytest.raises(ValueError, match=r"^parse: expected None, 'json' or 'repair', got "):
        ScoringOptions(parse=mode)


def test_counts_of_a_corpus_and_values_that_are_no_text() -> None:
    """Only texts are read; what is JSON already, null too, stays and is not counted."""
    predictions = ['{"a": "x"}', "Here: {'a': 'x'}", "no idea", {"a": "x"}, None, ["x"]]
    truths = [{"a": "x"}] * 4 + [None, ["x"]]
    pairs = Pairs([str(i) for i in range(6)], truths, predictions)
    assert score_corpus(pairs).scores == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    assert score_corpus(pairs).counts() == {}
    read = score_corpus(pairs, parse="json")
    assert (read.scores, read.counts()) == ([1.0, 0.0, 0.0, 1.0, 1.0, 1.0], {"parse_failures": 2})
    mended = score_corpus(pairs, parse="repair")
    assert mended.scores == [1.0, 1.0, 0.0, 1.0, 1.0, 1.0]
    assert mended.counts() == {"parse_failures": 1, "parse_repaired": 1}
    assert len({read.signature, mended.signature, score_corpus(pairs).signature}) == 3
    with pytest.raises(ValueError, match="parse: expected"):
        score_corpus(pairs, parse="fix")


def test_the_texts_of_the_examples_give_the_predictions_back_where_they_are_whole(root: Path) -> None:
    """21 texts are no JSON, as the README of the examples counts them; of these only an empty one and prose fail."""
    folder = root / "examples" / "receipts"
    values, texts = (
        [loads(line)["prediction"] for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        for name in ("predictions.jsonl", "predictions_text.jsonl")
    )
    strict = [parse_text(text, "json") for text in texts]
    mended = [parse_text(text, "repair") for text in texts]
    assert sum(each.failed for each in strict) == 21
    assert [each.value for each in strict if not each.failed] == [
        value for value, each in zip(values, strict, strict=True) if not each.failed
    ]
    assert (sum(each.failed for each in mended), sum(each.repaired for each in mended)) == (2, 19)
    different = sum(each.value != value for each, value in zip(mended, values, strict=True))
    assert different == 4  # 3 cut off and 1 empty; the prose is the prediction as it is
