"""Lines of JSONL as an id and the JSON text of a value: the text as it stands, and what is wrong in the usual words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore.data.json_text import loads
from docscore.integrations.row_texts import stored_lines
from tests.conftest import golden, table
from tests.structures import predictions


def text_of(line: str, key: str = "prediction") -> tuple[str, str]:
    side: Any = "references" if key == "references" else "predictions"
    (row,) = stored_lines(line.encode(), "p.jsonl", side)
    return row["question_id"], row[key]


@golden("row_texts", "lines")
def test_the_text_of_a_value_is_passed_on(line: str, name: str, text: str) -> None:
    assert text_of(line) == (name, text)


BOMB = (f'{{"question_id": "a", "prediction": {"[" * 100_000}', r"^p\.jsonl, line 1")


@pytest.mark.parametrize(("line", "sentence"), [*table("row_texts", "faults"), BOMB])
def test_a_fault_of_a_line_is_named(line: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        text_of(line)


def test_references_are_checked_too() -> None:
    line = '{"question_id": "a", "references": %s}'
    assert text_of(line % '["x", {"a": {"$one_of": ["y"]}}]', "references")[1] == '["x", {"a": {"$one_of": ["y"]}}]'
    for answers in ('{"a": {"$one_of": "y"}}', '{"a": {"\\u0024one_of": "y"}}'):
        with pytest.raises(ValueError, match=r"^p\.jsonl, line 1: .*expected a list of options, got str$"):
            text_of(line % f"[{answers}]", "references")
    for answers in ("[]", '"x"', "null"):
        with pytest.raises(ValueError, match="expected 'references' to be a list of at least one acceptable answer"):
            text_of(line % answers, "references")


@given(predictions, st.booleans())
def test_the_text_spells_the_value(value: Any, ascii_alone: bool) -> None:
    line = json.dumps({"question_id": "a", "prediction": value}, ensure_ascii=ascii_alone)
    name, text = text_of(line)
    assert (name, loads(text)) == ("a", loads(line)["prediction"])


def test_no_decoder_is_made_for_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making one takes longer than reading a short text with it."""
    loads("1"), loads("1", unique_keys=True)
    monkeypatch.setattr(json.JSONDecoder, "__init__", pytest.fail)
    for text in ('{"a": 1.5}', " [1]\n", '"x"'):
        assert loads(text) == loads(text, unique_keys=True)
    with pytest.raises(ValueError, match="expecting value"):
        loads("x")
