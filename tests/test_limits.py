"""What the page takes, and the sentence for more."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from playground.pair.pair import answer, spans_of
from playground.parts.python_code import MAX_RAW
from playground.server.limits import MAX_PAIRS, check_value, check_work, read_text, shortened
from playground.server.requests import PairRequest
from tests.conftest import golden


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty: paste"),
        ("x" * 1_000_001, "too large: 1,000,001 bytes, 1,000,000 at most here; score it with `docscore score`"),
        ("9" * 4_301, "a number of more than 4,300 digits"),
        ('{"a": 1, "a": 2}', "occurs twice"),
        ("[1, 2,]", "line 1, column"),
        ("[" * 100_000, "nested deeper than 200 levels"),
    ],
)
def test_texts(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_text(text)


def test_values() -> None:
    with pytest.raises(
        ValueError, match=r"^too large: 20,001 values, 20,000 at most here; score it with `docscore score`$"
    ):
        check_value(list(range(20_001)), is_truth=True)
    check_value(list(range(20_000)), is_truth=True)


@pytest.mark.parametrize("value", ["x" * 50_001, ["a", {"k": "x" * 50_001}], {"x" * 50_001: "k"}])
def test_a_long_text_is_refused(value: Any) -> None:
    message = r"^a text of 50,001 characters, 50,000 at most here; score it with `docscore score`$"
    with pytest.raises(ValueError, match=message):
        check_value(value, is_truth=False)
    check_value("x" * 50_000, is_truth=False)


@pytest.mark.parametrize(
    ("truth", "prediction", "fits"),
    [
        ([0] * 2000, [0] * 2000, True),
        ([0] * 2001, [0] * 2000, False),
        ([[0] * 100] * 21, [[0] * 100] * 20, False),
        ({"a": [0] * 20_000}, {"a": [0] * 200}, True),
        ({"a": {"b": ([0] * 20_000, "x")}}, {"a": {"b": [0] * 201}}, False),
        ([0] * 20_000, "x", True),
        ({f"k{i}": [0] * 60 for i in range(100)}, {f"k{i}": [0] * 60 for i in range(100)}, True),  # 360,000 pairs
        ({"a": [0] * 1500, "b": [0] * 1500}, {"a": [0] * 1500, "b": [0] * 1500}, False),
    ],
)
def test_lists_that_take_too_long_are_refused_before_trying(truth: Any, prediction: Any, fits: bool) -> None:
    """A list of lists counts all its elements: each is compared with each of the other side."""
    if fits:
        check_work(truth, prediction)
        return
    message = f"pairs to compare, {MAX_PAIRS:,} at most here; score it with `docscore score`$"
    with pytest.raises(ValueError, match=message):
        check_work(truth, prediction)


SCHEMA = '{"properties": {"m": {"type": "number"}}}'


def test_the_end_of_a_long_sentence_is_kept() -> None:
    truth, _ = answer(PairRequest(truth="[" * 201 + "]" * 201, prediction="1"))["faults"]
    assert truth is not None
    assert len(truth["text"]) < 600
    assert truth["text"].endswith("nested deeper than 200 levels")
    assert shortened("short") == "short"


@pytest.mark.parametrize("options", [{"threshold": 0.25, "ignore_case": False}, {"schema": SCHEMA}], ids=str)
def test_the_python_line_gives_the_same_score(options: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    truth = '{"a": {"$one_of": ["X\'", "\\"y\\""]}, "n": NaN, "m": 1234.5}'
    prediction = '{"a": "x\'", "m": "1.234,50"}'
    actual = answer(PairRequest(truth=truth, prediction=prediction, options=options))
    exec(compile(actual["python"], "snippet", "exec"), {})  # noqa: S102  what the page tells visitors to run
    printed = capsys.readouterr().out
    score = json.loads(actual["raw"])["score"]
    assert score == pytest.approx(2 / 3 if "schema" in options else (0.5 + 0.625) / 3)
    assert printed.startswith("≈ $") is True
    assert f"{score:.3f}" in printed.split("\n")[0]


def test_long_raw_json_is_cut_and_what_is_cut_off_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each level of a tree repeats its values: all levels of this one are 30 times as much as is shown."""
    written = 0
    write = json.JSONEncoder.iterencode

    def counting(*arguments: Any, **options: Any) -> Iterator[str]:
        nonlocal written
        for part in write(*arguments, **options):
            written += len(part)
            yield part

    value: Any = ["x"] * 5
    for _ in range(150):
        value = [value, "a text"]
    monkeypatch.setattr(json.JSONEncoder, "iterencode", counting)
    actual = answer(PairRequest(truth=json.dumps(value), prediction=json.dumps(value)))
    assert actual["raw"].endswith(f"\n… cut off after {MAX_RAW:,} characters; the API returns all of it")
    assert MAX_RAW < written < 2 * MAX_RAW


@golden("limits", "no requests")
def test_a_request_that_is_none_is_refused(asked: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        PairRequest.of(asked)


@golden("limits", "links")
def test_links_of_the_page(link: Any, expected: Any) -> None:
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=f"^{re.escape(expected)}"):
            PairRequest.of_link(link)
    else:
        assert PairRequest.of_link(link) == PairRequest(**{"truth": "1", "prediction": "2", **expected})


@golden("limits", "spans")
def test_where_values_stand_in_a_text(text: str, spans: dict[str, Any]) -> None:
    """In characters of JavaScript, of which some take two."""
    actual = spans_of(text)
    units = text.encode("utf-16-le")
    for position, expected in spans.items():
        start, end = actual[position]
        assert expected in (end - start, units[2 * start : 2 * end].decode("utf-16-le"))
    assert bool(actual) == bool(spans)
