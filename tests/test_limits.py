"""What the page takes, and the sentence for more."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("gradio", reason="the playground wants gradio")

from docscore.core.options import ScoringOptions
from playground.limits import MAX_PAIRS, check_value, check_work, read_text, shortened
from playground.pair import faults, score

DEEP: Any = "x"
for _ in range(201):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "nothing here"),
        ("x" * 1_000_001, "1,000,001 bytes of text"),
        ("9" * 5_001, "a number of more than 5,000 digits"),
        ('{"a": 1, "a": 2}', "occurs twice"),
        ("[1, 2,]", "line 1, column"),
        ("[" * 100_000, "nested deeper than 200 levels"),
    ],
)
def test_texts(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_text(text)


def test_values() -> None:
    with pytest.raises(ValueError, match=r"^20,001 values; this page takes 20,000 a side$"):
        check_value(list(range(20_001)), is_truth=True)
    check_value(list(range(20_000)), is_truth=True)


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
    with pytest.raises(ValueError, match=f"pairs to compare; this page compares {MAX_PAIRS:,}$"):
        check_work(truth, prediction)


def test_the_end_of_a_long_sentence_is_kept() -> None:
    truth, _ = faults(str(DEEP).replace("'", '"'), "1", as_text=False)
    assert len(truth) < 600
    assert truth.endswith("nested deeper than 200 levels")
    assert shortened("short") == "short"


def test_the_python_line_gives_the_same_score(capsys: pytest.CaptureFixture[str]) -> None:
    truth, prediction = '{"a": {"$one_of": ["X\'", "\\"y\\""]}, "n": NaN}', '{"a": "x\'"}'
    _, raw, python = score(truth, prediction, ScoringOptions(threshold=0.25, ignore_case=False), as_text=False)
    exec(compile(python, "snippet", "exec"), {})  # noqa: S102  what the page tells visitors to run
    printed = capsys.readouterr().out
    assert '"score": 0.25' in raw
    assert printed.startswith("≈ $") is True
    assert "0.250" in printed.split("\n")[0]
