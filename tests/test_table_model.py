"""The model of tables: frozen, cut off, with columns left out, transposed, and its raw values by name."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from tests.report_samples import BY_HAND, TABLES, drinks


def test_a_table_is_frozen_and_equal_by_value() -> None:
    with pytest.raises(FrozenInstanceError):
        BY_HAND.caption = "other"  # type: ignore[misc]
    assert BY_HAND.without() == BY_HAND
    assert TABLES["fields"](drinks()) == TABLES["fields"](drinks())


def test_a_table_is_cut_off_and_says_so() -> None:
    assert BY_HAND.note == "2 of 5 fields are shown."
    one = BY_HAND.first(1)
    assert (len(one.rows), one.left_out, one.note) == (1, 4, "1 of 5 fields are shown.")
    assert BY_HAND.first(2) == BY_HAND
    assert TABLES["fields"](drinks()).first(99).note == ""


def test_columns_are_left_out() -> None:
    assert [column.name for column in BY_HAND.shown().columns] == ["bar", "field", "name", "score", "interval"]
    assert [column.name for column in BY_HAND.shown(bars=False).columns] == ["field", "name", "score", "interval"]
    assert [cell.text for cell in BY_HAND.without("bar", "hidden", "name").rows[0]] == ["a_b", "0.500", "25% to 75%"]


def test_raw_values_by_name() -> None:
    """Extra columns are among them, bars are not, and an interval is two numbers."""
    assert BY_HAND.records() == [
        {"field": "a_b", "name": "x", "score": 0.5, "hidden": 1, "low": 0.25, "high": 0.75},
        {"field": "c", "name": "y", "score": 0.25, "hidden": 2, "low": None, "high": None},
    ]
