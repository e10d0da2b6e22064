"""Inputs that `fuzz` found: each ended in another error than one that names its place, or took far too long."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from docscore.data.pairing import pairs_of
from docscore.metrics.entities import readings
from docscore.metrics.kieval import kieval_score
from docscore.metrics.typed.score import typed_score


@pytest.mark.parametrize("option", ["tolerance", "weight"])
def test_a_number_of_a_schema_that_no_float_holds_is_refused(option: str) -> None:
    with pytest.raises(ValueError, match=rf"^schema: #/x-docscore/{option}: expected a number of at least 0"):
        typed_score(1, 1, {"type": "number", "x-docscore": {option: 10**400}})


def test_no_schema_is_no_schema_that_says_nothing() -> None:
    with pytest.raises(TypeError, match=r"^schema: expected a JSON Schema: .*, got NoneType None$"):
        typed_score(1, 1, None)


def test_many_readings_of_a_large_ground_truth_are_refused() -> None:
    """Each of 512 readings of 200 values was compared: a minute."""
    truth: list[Any] = [([number], {"a": number}) for number in range(9)]
    with pytest.raises(
        ValueError, match=r"^\$: expected at most 189 readings of a .* alternatives, 209 values and 200 "
    ):
        next(readings([*truth, *["x"] * 200]))
    assert len(list(readings([*truth[:5], *["x"] * 200]))) == 32
    with pytest.raises(ValueError, match=r"expected at most 181 readings .*, 10 values and 21,000 characters"):
        next(readings([*truth, "x" * 21_000]))


def test_a_single_group_of_a_type_has_the_single_other_as_partner() -> None:
    """Whatever they hold, and without matrices: a document nested 46 levels deep has 46 types."""
    found = kieval_score({"a": {"b": "1"}, "c": {"d": "2"}}, {"a": {"x": "3"}, "c": {"d": "2"}})
    assert (found.groups.right, found.groups.wrong, found.groups.missed) == (1, 1, 0)


def test_an_array_without_a_dimension_is_no_list_of_rows() -> None:
    with pytest.raises(TypeError, match=r"^references: expected a list of rows, got an array without a dimension$"):
        pairs_of(["a"], np.array(5))
