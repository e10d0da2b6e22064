"""JSON text: round trips, errors with line and column, values that are stored as text."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore.core.errors import in_file
from docscore.core.numbers import DecimalText
from docscore.core.values import MAX_DEPTH, convert_ground_truth, convert_prediction, to_json
from docscore.inputs.json_text import JsonError, dumps, loads, loads_at, restore, store
from docscore.inputs.model_text import parse_text
from tests.conftest import golden
from tests.structures import truths


@golden("json_codec", "round trips")
def test_round_trip(value: Any, source: str) -> None:
    """`repr` distinguishes 1, 1.0 and True."""
    assert dumps(value) == source
    assert repr(loads(source)) == repr(value)


@pytest.mark.parametrize("digits", ["1e400", "-1E+400", "9" * 400 + ".5", "1e99999999999999999999999"])
def test_a_number_beyond_every_float_is_its_digits(digits: str) -> None:
    assert loads(f'{{"a": [{digits}, "x", 1.5]}}') == {"a": [DecimalText(digits), "x", 1.5]}
    assert type(loads(digits)) is DecimalText
    assert type(loads("12345678901234567890.5")) is type(loads("1e-400")) is float


@given(truths)
def test_whatever_can_be_scored_survives(value: Any) -> None:
    assert repr(loads(dumps(value))) == repr(to_json(value))
    assert repr(convert_ground_truth(loads(dumps(value)))) == repr(value)


@pytest.mark.parametrize("digits", [4_300, 4_301, 1_000_000])
@pytest.mark.parametrize("source", ["{}", "-{}", "1.{}", "1e{}"])
@pytest.mark.parametrize("unique_keys", [False, True])
def test_a_number_of_too_many_digits_is_refused_at_once(source: str, digits: int, unique_keys: bool) -> None:
    """Reading a million digits took minutes."""
    text = source.format("7" * digits)
    if digits == 4_300 and not source.startswith("1"):
        assert dumps(loads(f'[{text}, "x"]', unique_keys=unique_keys)) == f'[{text}, "x"]'
        return
    with pytest.raises(JsonError, match=r"^a number of more than 4,300 digits$"):
        loads('{"n": [' + text + "]}", unique_keys=unique_keys)
    with pytest.raises(ValueError, match=r"^refs\.json, a number of more than 4,300 digits$"):
        loads_at(text, in_file("refs.json"))


def test_no_number_is_written_that_could_not_be_read() -> None:
    with pytest.raises(ValueError, match=r"^an integer of more than 4,300 digits$"):
        dumps([10**4_300])


# line and column where it shows, counted from 1; newer Pythons name the trailing comma
@golden("json_codec", "errors")
@pytest.mark.parametrize("unique_keys", [False, True])
def test_errors_are_named_with_line_and_column(source: str, start: str | list[str], unique_keys: bool) -> None:
    with pytest.raises(ValueError, match=r"^line \d+, column \d+: [^A-Z]") as caught:
        loads(source, unique_keys=unique_keys)
    assert str(caught.value).startswith((start,) if isinstance(start, str) else tuple(start))
    assert not str(caught.value).endswith(" at")  # the place stands before it
    assert not isinstance(caught.value, json.JSONDecodeError)  # its text repeats the place in other words


def test_keys_that_occur_twice() -> None:
    assert loads('{"a": 1, "a": 2}') == {"a": 2}
    assert parse_text('{"a": 1, "a": 2}', "json").note == "key 'a' occurs twice in one object"
    with pytest.raises(ValueError, match="key 'a' occurs twice in one object"):
        loads('[{"b": {"a": 1, "c": 3, "a": 2}}]', unique_keys=True)
    assert loads('[{"a": 1}, {"a": 2}, {"b": {"a": 3}, "a": 4}]', unique_keys=True)[2] == {"b": {"a": 3}, "a": 4}


MARK = "$decimal"
TEXTS = st.one_of(st.text(max_size=3), st.sampled_from([MARK, "a $decimal", "$12.50"]))
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS, st.decimals())
VALUES = st.recursive(LEAVES, lambda inner: st.one_of(st.lists(inner), st.dictionaries(TEXTS, inner)), max_leaves=12)


@given(st.lists(VALUES, max_size=4))
def test_whatever_is_stored_comes_back(values: list[Any]) -> None:
    """`repr` distinguishes 1, 1.0 and True; surrogate pairs are no part of `st.text()`."""
    plain = convert_prediction(values)
    restored = convert_prediction(restore(store(plain)))
    assert repr(restored) == repr(plain)
    assert type(restore(store(DecimalText("1e400")))) is DecimalText


def test_lists_as_deep_as_they_may_be() -> None:
    value: Any = Decimal("1.50")
    for level in range(MAX_DEPTH - 1):
        value = [value] if level % 2 else {MARK: value}
    assert restore(store(convert_prediction(value))) == value
