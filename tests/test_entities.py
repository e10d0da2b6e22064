"""Documents as entities in groups; ground truths with alternatives as readings; confidences beside and inside."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from docscore.core.values import convert_ground_truth, is_empty
from docscore.data.pairing import unwrapped
from docscore.metrics.entities import MOST_READINGS, as_one_group, document_of, readings, text_of_entities
from tests.conftest import golden

Pairs = list[list[str]]


def seen(value: Any, **options: Any) -> dict[str, Pairs]:
    """The entities of each group as (type, text), by the place of the group; "$" has those that stand alone."""
    document = document_of(value, text_of_entities(**{"normalise": False, "numbers": "text", **options}))
    return {
        f"{group.kind}@{group.place}": [[entity.kind, entity.texts[0]] for entity in group.entities]
        for group in document
    }


def places(value: Any) -> list[str]:
    return [entity.place for entity in as_one_group(document_of(value)).entities]


ALONE = "@$"


@golden("entities", "groups")
def test_groups_and_entities(value: Any, expected: dict[str, Pairs]) -> None:
    assert seen(value) == expected


def test_places_lead_to_the_values() -> None:
    value = {"m": [{"n": "x", "odd key": ["y", "z"]}], "t": {"u": {"v": "w"}}, "a": [["q"]]}
    found = ["$.a[0][0]", "$.m[0].n", '$.m[0]["odd key"][0]', '$.m[0]["odd key"][1]', "$.t.u.v"]
    assert places(value) == found
    assert places("x") == ["$"]
    assert places(["x", {"a": "y"}]) == ["$[0]", "$[1].a"]


def test_the_value_is_kept_as_it_stands() -> None:
    assert [entity.value for entity in as_one_group(document_of({"a": [True, 1, " X "]})).entities] == [True, 1, " X "]


def test_an_integer_of_more_digits_than_python_prints() -> None:
    assert seen({"a": 10**5000}) == {ALONE: [["a", "1" + "0" * 5000]]}


def test_normalise_folds_case_and_white_space() -> None:
    value = {"a": [" New \n York ", True, 1.0]}
    assert seen(value, normalise=True) == {ALONE: [["a", "new york"], ["a", "true"], ["a", "1.0"]]}


def test_numbers_by_value() -> None:
    value = {"a": [1000.0, True, "1000.0", 1e3, 12.50]}
    texts = ["1000", "true", "1000.0", "1000", "12.5"]
    assert seen(value, numbers="value") == {ALONE: [["a", text] for text in texts]}
    with pytest.raises(ValueError, match=r"^numbers: expected 'text' or 'value', got 'number'$"):
        seen(value, numbers="number")


@pytest.mark.parametrize(
    ("normalise", "texts"), [(False, ("X", "x", "true", "1")), (True, ("x", "true", "1"))], ids=["exact", "folded"]
)
def test_alternatives_among_scalars_are_one_entity(normalise: bool, texts: tuple[str, ...]) -> None:
    [entity] = as_one_group(
        document_of({"a": ("X", "x", True, 1)}, text_of_entities(normalise=normalise, numbers="text"))
    ).entities
    assert (entity.texts, entity.value) == (texts, ("X", "x", True, 1))


@golden("entities", "readings")
def test_readings(truth: Any, found: list[Any], chosen: list[Any]) -> None:
    """Alternatives among scalars stay together unless asked; where one of them is empty, there is a choice."""
    plain = convert_ground_truth(truth)
    assert list(readings(plain)) == list(map(convert_ground_truth, found))
    assert list(readings(plain, scalars=True)) == list(map(convert_ground_truth, chosen))


def test_a_thousand_readings_are_the_most() -> None:
    """500 times 2; one more is an error that says so, and scalars that stay together do not count."""
    most: Any = {"a": tuple([str(each)] for each in range(500)), "b": (["x"], ["y"])}
    assert len(list(readings(most))) == MOST_READINGS == 1000
    message = r"^\$: expected at most 1,000 readings of a ground truth with alternatives, got more$"
    with pytest.raises(ValueError, match=message):
        list(readings({**most, "c": (["x"], ["y"])}))
    with pytest.raises(ValueError, match=message):
        list(readings(tuple([str(each)] for each in range(1001))))
    scalars: Any = [("x", "y")] * 40
    assert list(readings(scalars)) == [scalars]
    with pytest.raises(ValueError, match=message):
        list(readings(scalars, scalars=True))


def test_many_nested_alternatives_are_refused_at_once() -> None:
    """2 to the power of 2,000 readings: no more are made than are needed to know."""
    truth: Any = [{"a": [([["x"]], {"b": (["y"], ["z"])})] * 10}] * 100
    with pytest.raises(ValueError, match=r"expected at most 38 readings of .*, 1,000 values and 3,000 characters"):
        list(islice(readings(truth), 1))


def test_many_readings_of_a_large_ground_truth_are_refused() -> None:
    """Each of 512 readings of 200 values was compared: a minute."""
    truth: list[Any] = [([number], {"a": number}) for number in range(9)]
    with pytest.raises(ValueError, match=r"^\$: expected at most 189 readings of a .*, 209 values and 200 "):
        next(readings([*truth, *["x"] * 200]))
    assert len(list(readings([*truth[:5], *["x"] * 200]))) == 32
    with pytest.raises(ValueError, match=r"expected at most 181 readings .*, 10 values and 21,000 characters"):
        next(readings([*truth, "x" * 21_000]))


def sure(value: Any, confidences: Any) -> list[float | None]:
    return [entity.confidence for entity in as_one_group(document_of(value, confidences=confidences)).entities]


@golden("entities", "confidences beside")
def test_confidences_beside(value: Any, given: Any, found: list[float | None]) -> None:
    assert sure(value, given) == found


@pytest.mark.parametrize("wrong", [-0.01, 1.01, float("nan"), float("inf"), True, "0.5", {"x": 0.5}, [0.5]])
def test_what_is_no_confidence_is_named_with_its_place(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"^\$\.m\[0\]\.n: expected a confidence from 0 to 1, got "):
        document_of({"m": [{"n": "y"}]}, confidences={"m": [{"n": wrong}]})


@golden("entities", "confidences inside")
def test_confidences_inside(prediction: Any, value: Any, confidences: Any) -> None:
    assert unwrapped(prediction) == (value, confidences)


def test_both_forms_say_the_same() -> None:
    inside = {"t": {"$value": {"a": "x", "b": ["y"]}, "$confidence": 0.5}, "d": {"$value": "z", "$confidence": 0.9}}
    beside = {"t": 0.5, "d": 0.9}
    value, found = unwrapped(inside)
    assert sure(value, found) == sure({"t": {"a": "x", "b": ["y"]}, "d": "z"}, beside) == [0.9, 0.5, 0.5]


@pytest.mark.parametrize("others", [{"x": 1}, {"$confidence": 0.5, "y": 1}, {2: 1, "y": 1}])
def test_other_keys_beside_a_wrapped_value(others: dict[Any, Any]) -> None:
    with pytest.raises(ValueError, match=r"^expected '\$value' and '\$confidence' alone in their object, got "):
        unwrapped({"a": [{"$value": "x", **others}]})


def test_no_entity_is_empty() -> None:
    value: Any = {"a": [None, "", [], {}, "x"], "b": {"c": [[], ""]}}
    assert not any(is_empty(entity.value) for entity in as_one_group(document_of(value)).entities)
