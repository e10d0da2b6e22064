"""Which values are accepted, how they are read, what is said of others; numbers and dates that texts spell."""

from __future__ import annotations

import copy
import json
import math
import re
import sys
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic import BaseModel, RootModel

import docscore
from docscore import anls_score, score_pairs, score_tree
from docscore.core.errors import InputError
from docscore.core.same_value import date_of, differ_in_punctuation, number_of, spelling_of_same_value
from docscore.core.values import convert_ground_truth, convert_prediction, is_empty, size, to_json
from tests.conftest import golden


class Colour(Enum):
    RED = "red"
    MIXED = ["red", 2]  # noqa: RUF012  an enumeration's value


class Level(IntEnum):
    HIGH = 3


class Unit(str, Enum):
    KG = "kg"


@dataclass
class Item:
    name: str
    tags: list[Any]


@dataclass
class Unset:
    total: int = field(init=False)


class Invoice(BaseModel):
    total: Decimal
    day: date
    note: str | None = None


class Page(BaseModel):
    box: tuple[int, int]
    items: list[Item]


class Box(RootModel[tuple[int, int]]):
    pass


class Line(BaseModel):
    amounts: set[int]


class Shown:
    __slots__ = ()

    def __str__(self) -> str:
        return "not what it holds"


class Text(Shown, str):
    __slots__ = ()


class Whole(Shown, int):
    pass


class Real(Shown, float):
    pass


class Items(list[Any]):
    pass


class Fields(dict[str, Any]):
    pass


Named = namedtuple("Named", "a b")  # noqa: PYI024  the kind without annotations


def object_array(*items: Any) -> Any:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


ACCEPTED: list[tuple[str, Any, Any]] = [
    ("boolean, not a number", True, True),
    ("an integer beyond 64 bits", 2**70, 2**70),
    ("not a number, in JSON as Python writes it", math.nan, math.nan),
    ("object, keys in order", {"b": ["x", [1, 1.0]], "a": None}, {"b": ["x", [1, 1.0]], "a": None}),
    ("NumPy string", np.str_("x"), "x"),
    ("NumPy boolean", np.bool_(0), False),
    ("NumPy unsigned integer beyond the signed ones", np.uint64(2**64 - 1), 2**64 - 1),
    ("NumPy float of 64 bits", np.float64(0.1), 0.1),
    ("NumPy float of 32 bits by its shortest spelling; item() would widen it", np.float32(0.1), 0.1),
    ("NumPy array of such", np.array([[0.1, -2.5e20]], dtype=np.float32), [[0.1, -2.5e20]]),
    ("NumPy float of 16 bits", np.float16(0.1), 0.1),
    ("NumPy float beyond 64 bits, whose item() is one again", np.longdouble(0.5), 0.5),
    ("NumPy array of such", np.array([0.5], dtype=np.longdouble), [0.5]),
    ("NumPy array", np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    ("NumPy array without elements", np.zeros((2, 0)), [[], []]),
    ("NumPy array of objects", object_array({"a": np.int16(1)}, None, ["x"]), [{"a": 1}, None, ["x"]]),
    ("NumPy array of one object, without dimensions", np.array({"a": [1]}, dtype=object), {"a": [1]}),
    ("NumPy date", np.datetime64("2024-01-02"), "2024-01-02"),
    ("NumPy time in ns: item() would give a number", np.datetime64(1, "ns"), "1970-01-01T00:00:00.000000001"),
    ("NumPy array of dates", np.array(["2024-01-02", "NaT"], dtype="datetime64[D]"), ["2024-01-02", None]),
    ("NumPy: no date", np.datetime64("NaT"), None),
    ("pandas: no value, and no date", [pd.NA, {"day": pd.NaT}], [None, {"day": None}]),
    ("decimal: its digits, trailing zero included", Decimal("1.50"), "1.50"),
    ("date", date(2024, 1, 2), "2024-01-02"),
    ("date and time", datetime(2024, 1, 2, 3, 4, tzinfo=timezone.utc), "2024-01-02T03:04:00+00:00"),
    ("enumeration: its value", Colour.RED, "red"),
    ("enumeration with a list as value", Colour.MIXED, ["red", 2]),
    ("enumeration of integers", Level.HIGH, 3),
    ("enumeration of strings", Unit.KG, "kg"),
    ("dataclass", Item("x", [Item("y", [])]), {"name": "x", "tags": [{"name": "y", "tags": []}]}),
    ("pydantic", Invoice(total=Decimal("1.50"), day=date(2024, 1, 2)), {"total": "1.50", "day": "2024-01-02"}),
    (
        "dataclass: a tuple is a list, at any depth",
        Item("x", [("a", {"k": ((), ["b"])})]),
        {"name": "x", "tags": [["a", {"k": [[], ["b"]]}]]},
    ),
    (
        "dataclass in a dict in a dataclass",
        Item("x", [{"k": Item("y", [(1, (2,))])}]),
        {"name": "x", "tags": [{"k": {"name": "y", "tags": [[1, [2]]]}}]},
    ),
    ("dataclass: a named tuple is a list", Item("x", [Named("a", ("b",))]), {"name": "x", "tags": [["a", ["b"]]]}),
    ("dataclass: an array of tuples", Item("x", [object_array((1, 2), ())]), {"name": "x", "tags": [[[1, 2], []]]}),
    (
        "pydantic: a tuple is a list",
        Page(box=(1, 2), items=[Item("x", [("a",)])]),
        {"box": [1, 2], "items": [{"name": "x", "tags": [["a"]]}]},
    ),
    ("pydantic: a model that is a tuple", Box((1, 2)), [1, 2]),
    ("pydantic in a dataclass", Item("x", [(Box((1, 2)),)]), {"name": "x", "tags": [[[1, 2]]]}),
    ("subclass of str with its own __str__", Text("x"), "x"),
    ("subclass of int with its own __str__", Whole(5), 5),
    ("subclass of float with its own __str__", Real(1.5), 1.5),
    ("subclass of list", Items(["x", Items()]), ["x", []]),
    ("subclass of dict", Fields(a=Fields()), {"a": {}}),
    ("ordered and default dicts", [OrderedDict(a=1), defaultdict(int, b=2)], [{"a": 1}, {"b": 2}]),
    ("subclass of str as key", {Text("k"): 1, np.str_("l"): 2, Unit.KG: 3}, {"k": 1, "l": 2, "kg": 3}),
    ("lone surrogates in key and value", {"\ud800": "\udfff"}, {"\ud800": "\udfff"}),
]


@pytest.mark.parametrize(("value", "plain"), [row[1:] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_accepted_values_become_plain(value: Any, plain: Any) -> None:
    """`repr` tells 1 from 1.0, True and subclasses."""
    expected = {**plain, "note": None} if isinstance(value, Invoice) else plain
    for convert in (convert_ground_truth, convert_prediction):
        assert repr(convert({"k": [value]})) == repr({"k": [expected]})
    assert anls_score(value, plain) == anls_score(plain, value) == 1.0


def test_only_tuples_outside_records_are_reserved_for_one_ofs() -> None:
    """The JSON spelling of a one-of is one inside a record too, and its options are read as the record's values."""
    item = Item("x", [("a", "b")])
    assert convert_ground_truth({"k": (item, ("c",))}) == {"k": ({"name": "x", "tags": [["a", "b"]]}, ("c",))}
    assert convert_ground_truth(Item("x", [{"$one_of": ["a", ("b",)]}])) == {"name": "x", "tags": [("a", ["b"])]}
    assert convert_prediction(Item("x", [{"$one_of": [()]}])) == {"name": "x", "tags": [{"$one_of": [[]]}]}
    for beside in ([item, ("a",)], {"k": item, "l": ("a",)}):
        with pytest.raises(ValueError, match="Tuples are reserved for 1-of-n ground truths"):
            convert_prediction(beside)


def test_tuples_and_their_spelling_in_json_are_one_ofs() -> None:
    for one_of in (("a", ["b"]), {"$one_of": ["a", ["b"]]}, {"$one_of": ("a", ["b"])}):
        assert convert_ground_truth({"k": one_of}) == {"k": ("a", ["b"])}
        assert anls_score({"k": one_of}, {"k": ["b"]}) == 1.0
    nested = {"$one_of": ["a", {"$one_of": ["b"]}]}
    assert convert_ground_truth(nested) == ("a", ("b",))
    assert to_json(("a", ("b", {"k": ("c",)}))) == {"$one_of": ["a", {"$one_of": ["b", {"k": {"$one_of": ["c"]}}]}]}


REFUSED: list[tuple[Any, str]] = [
    (b"x", "bytes"),
    ({1}, "set"),
    (object(), "object"),
    (int, "type"),
    (Invoice, "ModelMetaclass"),
    (Item, "type"),
    ((n for n in [1]), "generator"),
    (timedelta(1), "timedelta"),
    (Fraction(1, 2), "Fraction"),
    (np.timedelta64(1, "D"), "timedelta64"),
    (np.array([1], dtype="timedelta64[s]"), "ndarray"),
    (np.array([(1, 2)], dtype=[("a", int), ("b", int)]), "ndarray"),
    (np.void(b"x"), "void"),
    (np.bytes_(b"x"), "bytes"),
    (np.complex64(1), "complex"),
    (np.clongdouble(1), "c"),  # clongdouble or complex256, by platform
]


@pytest.mark.parametrize(("value", "name"), REFUSED, ids=[name for _, name in REFUSED])
def test_other_types_are_refused_with_path_and_type(value: Any, name: str) -> None:
    for gt, pred in (({"items": [0, 1, {"price": value}]}, 1), (1, {"items": [0, 1, {"price": value}]})):
        with pytest.raises(TypeError) as caught:
            anls_score(gt, pred)
        assert str(caught.value).startswith(f"$.items[2].price: expected a JSON value, got {name}")


def test_a_named_tuple_is_no_one_of() -> None:
    """Its fields are not alternatives; in a prediction it is a tuple like others."""
    with pytest.raises(TypeError, match=r"^\$\.k: expected a JSON value, got Named \(a named tuple; .*_asdict"):
        anls_score({"k": Named(1, 2)}, 1)
    with pytest.raises(ValueError, match=r"^\$\.k: Tuples are reserved for 1-of-n ground truths"):
        anls_score(1, {"k": Named(1, 2)})


def test_errors_inside_objects_of_classes_are_named_too() -> None:
    with pytest.raises(TypeError, match=r"^\$\.tags\[0\]: expected a JSON value, got bytes$"):
        anls_score(Item("x", [b""]), 1)
    with pytest.raises(TypeError, match=r"^\$\.l\.amounts: expected a JSON value, got set$"):
        anls_score(1, {"l": Line(amounts={1})})
    with pytest.raises((TypeError, ValueError), match=r"^\$\.bill"):
        anls_score(1, {"bill": Unset()})


@golden("paths", "paths")
def test_odd_keys_in_paths_are_quoted_as_in_json(key: str, path: str) -> None:
    with pytest.raises(TypeError) as caught:
        anls_score({key: [b""]}, 1)
    assert str(caught.value) == f"{path}[0]: expected a JSON value, got bytes"
    assert next(score_tree({key: 1}, {key: 1}).leaves()).path == path


@pytest.mark.parametrize(
    ("key", "got"),
    [(1, "int 1"), (None, "NoneType None"), (True, "bool True"), (b"k", "bytes b'k'"), ((1, 2), r"tuple \(1, 2\)")],
)
def test_keys_that_are_no_strings(key: Any, got: str) -> None:
    for gt, pred in (({"a": [{key: 1}]}, 1), (1, {"a": [{key: 1}]})):
        with pytest.raises(TypeError, match=rf"^\$\.a\[0\]: expected a string as key, got {got}$"):
            anls_score(gt, pred)


@pytest.mark.parametrize(
    ("prediction", "path"), [((1,), "$"), ((), "$"), ({"a": [0, (1, 2)]}, r"$.a[1]"), (object_array((1, 2)), "$[0]")]
)
def test_tuples_in_predictions(prediction: Any, path: str) -> None:
    with pytest.raises(ValueError, match="Tuples are reserved for 1-of-n ground truths") as caught:
        anls_score(1, prediction)
    assert str(caught.value).startswith(f"{path}: ")


@golden("values", "bad one-ofs")
def test_one_ofs_without_options_or_with_something_beside(truth: Any, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}"):
        anls_score(truth, "x")
    with pytest.raises(ValueError, match=r"^\$: Expected at least 1 valid ground truth option"):
        anls_score((), "x")


@pytest.mark.parametrize("marker", [["a"], [], "a", None])
def test_in_a_prediction_the_marker_is_an_ordinary_key(marker: Any) -> None:
    """A model's output is never an instruction."""
    assert anls_score("a", {"$one_of": marker}) == 0.0
    assert anls_score({"k": ("a",)}, {"k": {"$one_of": marker, "other": "a"}}) == 0.0


@golden("values", "odd scalars")
def test_odd_scalars(truth: Any, prediction: Any, score: float) -> None:
    assert anls_score(truth, prediction) == score
    assert score_tree([truth], [prediction]).score == score


def test_inputs_are_never_changed() -> None:
    def pair() -> tuple[Any, Any]:
        truth = {"a": [("x", {"b": None}), "y"], "c": {"d": [], "e": np.array([1, 2])}, "f": Item("n", ["t"]), "g": []}
        return truth, {"a": ["y", {"b": ""}], "c": [1], "z": Fields(k=[1]), "f": {"name": "m"}, "g": None}

    truth, prediction = pair()
    _, closest, _ = anls_score(truth, prediction, return_gt=True, return_key_scores=True)
    score_pairs([(truth, prediction)])
    tree = score_tree(truth, prediction)
    assert tree.to_dict()["score"] == tree.score
    assert closest["a"] == ["y", {"b": ""}]
    assert repr((truth, prediction)) == repr(pair())
    assert copy.deepcopy(closest) == closest


@golden("values", "sizes")
def test_size(value: Any, expected: int) -> None:
    assert size(convert_ground_truth(value)) == expected
    assert score_tree([value], []).weight == expected


def test_empty_values() -> None:
    empty: list[Any] = [None, "", [], {}]
    others: list[Any] = [" ", "0", 0, 0.0, False, math.nan, [None], [[]], {"a": None}]
    assert [is_empty(value) for value in empty + others] == [True] * 4 + [False] * 9


@pytest.mark.parametrize("parse", [None, "json"])
def test_a_value_is_converted_once(tmp_path: Path, parse: str | None) -> None:
    """When rows are read; whatever metrics, trees and reports then do with it."""
    converted: list[object] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in (convert_ground_truth.__code__, convert_prediction.__code__):
            converted.append(frame.f_locals["value"])

    truths = [{"x": "1", "items": [{"n": "tea"}]}, {"x": "2", "items": []}]
    guesses: list[Any] = [{"x": "1", "items": [{"n": "te"}]}, {"x": "3", "items": [{"n": "rum"}]}]
    rows = [json.dumps(guess) for guess in guesses] if parse else guesses
    metrics = ["anls_star", "kieval", "entity_f1", "nted"]
    sides: dict[str, Any] = {"references": truths, "predictions": rows}
    sys.setprofile(note)
    try:
        docscore.evaluate(**sides, metrics=metrics, parse=parse).report(tmp_path / "report.html")
    finally:
        sys.setprofile(None)
    assert converted == [*rows, *truths]


@golden("same_value", "numbers")
def test_numbers(value: Any, separators: dict[str, str], number: str | None) -> None:
    assert number_of(value, **separators) == (None if number is None else Decimal(number))


@golden("same_value", "dates")
def test_dates(value: Any, order: Any, day: str | None) -> None:
    spelled = date_of(value, order) if isinstance(value, str) else None
    assert (spelled if type(spelled) is date else None) == (None if day is None else date.fromisoformat(day))


@golden("same_value", "pairs")
def test_the_same_value(truth: Any, prediction: Any, same: bool) -> None:
    assert spelling_of_same_value(truth, prediction) == spelling_of_same_value(prediction, truth)
    assert (spelling_of_same_value(truth, prediction) is not None) == same


@golden("same_value", "spellings")
def test_what_differs_in_the_spelling(left: Any, right: Any, expected: str | None) -> None:
    assert spelling_of_same_value(left, right) == spelling_of_same_value(right, left) == expected


@golden("same_value", "punctuation")
def test_texts_that_differ_in_punctuation(left: Any, right: Any, expected: bool) -> None:
    assert differ_in_punctuation(left, right) == differ_in_punctuation(right, left) == expected


LONG: int = 10**5_000
TOO_LONG = "expected an integer of at most 4,300 digits, got one with more digits"
LONG_VALUES: list[tuple[Any, str]] = [
    (LONG, "$"),
    ({"a": [1, -LONG]}, "$.a[1]"),
    ({"a": [{"b": 1}, {"b": LONG}]}, "$.a[1].b"),
    ({"a": {"b": {"c": LONG}, "d": ["x"]}}, "$.a.b.c"),
    (np.array([LONG], dtype=object), "$[0]"),
    (Item("x", [LONG]), "$.tags[0]"),
]


@pytest.mark.parametrize(("value", "path"), LONG_VALUES, ids=[path for _, path in LONG_VALUES])
def test_an_integer_that_python_does_not_print_is_named_by_its_path(value: Any, path: str) -> None:
    for pair in ((value, "x"), ("x", value)):
        with pytest.raises(ValueError, match=f"^{re.escape(f'{path}: {TOO_LONG}')}$"):
            anls_score(*pair)
        with pytest.raises(ValueError, match=f"^{re.escape(f'pair 1: {path}: {TOO_LONG}')}$"):
            score_pairs([("x", "y"), pair])
    with pytest.raises(ValueError, match=re.escape(f"predictions[0]: {path}: {TOO_LONG}")):
        docscore.evaluate(predictions=[value], references=["x"])


def test_integers_that_python_prints_are_values() -> None:
    """Even if they are longer than every number that a smaller limit would allow."""
    assert anls_score({"a": [10**4_000, 1]}, {"a": [1, 10**4_000]}) == 1.0


ROW = {"question_id": "a", "references": [{"x": 1}], "prediction": {"x": 1}}
HUGE_OPTIONS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"question_id": LONG}, {}, f"question_id: {TOO_LONG}"),
    ({"group": LONG}, {"by": "group"}, f"by: row 'a': {TOO_LONG}"),
    ({"group": LONG}, {"cluster": "group"}, f"cluster: row 'a': {TOO_LONG}"),
    ({"evidence": {"x": [{"page": LONG}]}}, {"metrics": "grounding"}, f"row 'a': $.x[0].page: {TOO_LONG}"),
    *(
        ({}, {name: value}, f"{name}: expected a")
        for name in ("threshold", "iou", "confidence", "seed", "token_price")
        for value in (10**320, LONG, math.nan, -1)
    ),
    *(({}, {"encoding": name}, "encoding: expected an encoding that Python knows") for name in ("a\0b", 5)),
]


@pytest.mark.parametrize(("cells", "options", "message"), HUGE_OPTIONS)
def test_numbers_beyond_every_float_and_every_text_are_refused_where_they_stand(
    cells: dict[Any, Any], options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    rows: Any = [{**ROW, **cells}]
    if "encoding" in options:
        rows = tmp_path / "rows.jsonl"
        rows.write_text(json.dumps(ROW))
    with pytest.raises(InputError) as caught:
        docscore.evaluate(predictions=rows, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("confidence", [10**320, math.nan, -0.1])
def test_a_confidence_out_of_range_names_its_value(confidence: Any) -> None:
    predictions = [{"x": {"$value": 1, "$confidence": confidence}}]
    with pytest.raises(ValueError, match=r"row '0': \$\.x: expected a confidence from 0 to 1, or in percent, got "):
        docscore.evaluate(predictions=predictions, references=[{"x": 1}], with_confidences=True)


@pytest.mark.parametrize(
    ("costs", "note"), [([10**320, 1], "(1000"), ([LONG, 1], "digits"), ([1e308, 1e308], "too large")]
)
def test_costs_beyond_every_float_have_no_sum(costs: list[Any], note: str) -> None:
    rows = [{**ROW, "question_id": number, "cost": cost} for number, cost in enumerate(costs)]
    assert note in docscore.evaluate(predictions=rows).costs["cost"].note


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"minimum": ' + b"1" * 5_000 + b"}", TOO_LONG),
        (b'{"x-docscore": {"weight": ' + b"1" * 320 + b"}}", "#/x-docscore/weight: expected a number of at least 0"),
        (b"\xff{}", "s.json: expected UTF-8 text, got the byte 0xff"),
    ],
)
def test_a_schema_with_a_number_or_a_byte_that_cannot_be_read(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        docscore.typed_score(1, 1, path)
    assert message in str(caught.value)


def test_files_that_options_name_say_that_they_are_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(b"\xff")
    settings = {"compare": "judgements", "judgements": str(path)}
    for options in ({"citations_from": str(path)}, {"comparators": {"x": settings}}):
        with pytest.raises(InputError, match=r"other\.json.*expected UTF-8 text, got the byte 0xff"):
            docscore.evaluate(predictions=[{"x": "a"}], references=[{"x": "b"}], **options)
