"""Values as text that gives the same values back, decimals too."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore.core.values import MAX_DEPTH, convert_prediction
from docscore.data.json_text import may_be_marked, restore_all, restored, store

MARK = "$decimal"
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.just(MARK), st.decimals()
)
KEYS = st.one_of(st.text(max_size=3), st.just(MARK))
VALUES = st.recursive(LEAVES, lambda inner: st.one_of(st.lists(inner), st.dictionaries(KEYS, inner)), max_leaves=12)


@given(st.lists(VALUES, max_size=4))
def test_whatever_is_stored_comes_back(values: list[Any]) -> None:
    """`repr` tells 1, 1.0, True and Decimal("1") apart; surrogate pairs are no part of `st.text()`."""
    found = restore_all([store(convert_prediction(value)) for value in values])
    assert repr(found) == repr(values)


@given(VALUES)
def test_a_text_with_a_mark_is_known_by_its_look(value: Any) -> None:
    """However its keys are spelled; texts of others are only looked at closely if they look like that."""
    source = store(convert_prediction(value))
    spelled = source.replace(MARK, "\\u0024decim\\u0061l")
    assert repr(restored(json.loads(source))) == repr(value) or "E" in repr(value) or "Infinity" in source
    assert may_be_marked(source) >= (f'"{MARK}"' in source)
    assert may_be_marked(spelled) == may_be_marked(source)


def test_lists_as_deep_as_they_may_be() -> None:
    value: Any = Decimal("1.50")
    for level in range(MAX_DEPTH - 1):
        value = [value] if level % 2 else {MARK: value}
    assert restore_all([store(convert_prediction(value))]) == [value]


@pytest.mark.parametrize("value", ["$12.50", {"price": "$d"}, "a $decimal"])
def test_texts_are_no_marks(value: Any) -> None:
    assert restore_all([store(value)]) == [value]
