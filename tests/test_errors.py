"""Errors in parts: place, expected, got, problem and remedy as attributes, whatever raises them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore import anls_score, kieval_score, score_pairs
from docscore.core.errors import (
    DataError,
    Diagnostic,
    FilePlace,
    InputError,
    InputTypeError,
    InputValueError,
    PlacePart,
    RowError,
    RowErrors,
    at_place,
    in_file,
)
from docscore.core.options import DEFAULT_READING
from docscore.evaluation.automation import automation_curve, review_of_entities
from docscore.inputs.formats import read_table
from docscore.inputs.json_text import JsonError, loads, loads_at
from docscore.inputs.pairing import paired_systems, pairs_of
from docscore.inputs.rows import BY_ID
from docscore.integrations.datasets import score_batch
from docscore.integrations.evaluate.metric import encode_rows
from tests.commands import pred, ref, written
from tests.structures import evaluation_of

DEEP: Any = "x"
for _ in range(201):
    DEEP = [DEEP]
R, P = [ref("a", "x"), ref("b", "y")], [pred("a", "x"), pred("b", "y")]
LEVELS = "nested deeper than 200 levels"
MISSING = 'missing="zero" scores them as null, missing="skip" leaves them out'
ANSWERS = "'references' to be a list of at least one acceptable answer"
MIXED = (
    "str (plain) as the first reference and an object with 'question_id', 'prediction' (by id) as the first prediction"
)


BOTH_SIDES: Any = (FilePlace(("references", "predictions")),)


def corpus(truth: Any, prediction: Any) -> Any:
    return evaluation_of(pairs_of([pred("a", prediction)], [ref("a", truth)]))


JSON = "a JSON value"
UNSURE = kieval_score({"k": "x"}, {"k": "x"})


# what raises, type, parts of the place, expected, got: one of each way in which places are put together
EXPECTED_AND_GOT: list[tuple[Callable[[], object], type[Exception], tuple[str, ...], str, str]] = [
    (lambda: anls_score({"k": [b""]}, 1), TypeError, ("$.k[0]",), JSON, "bytes"),
    (lambda: anls_score(1, 1, threshold=2), ValueError, ("threshold",), "a number from 0 to 1", "2"),
    (lambda: score_pairs([("x", [b""])]), TypeError, ("pair 0", "$[0]"), JSON, "bytes"),
    (lambda: pairs_of(P, [ref("a")]), ValueError, ("references[0]",), ANSWERS, "an empty list"),
    (lambda: pairs_of(P, ["x"]), ValueError, BOTH_SIDES, "the same row format on both sides", MIXED),
    (lambda: corpus({"k": 1}, {"k": b""}), TypeError, ("predictions[0]", "$.k"), JSON, "bytes"),
    (
        lambda: automation_curve([review_of_entities(UNSURE)]),
        ValueError,
        ("predictions",),
        "values with a confidence",
        "none",
    ),
    (lambda: RowErrors("ignore"), ValueError, ("on_error",), "'error' or 'skip'", "'ignore'"),
    (lambda: encode_rows(P, [R[0], ref("b", b"")], BY_ID), TypeError, ("references[1]", "$[0]"), JSON, "bytes"),
    (lambda: score_batch({"prediction": [""], "references": [[]]}), ValueError, ("row '0'",), ANSWERS, "an empty list"),
]


@pytest.mark.parametrize(
    "row", EXPECTED_AND_GOT, ids=[" ".join(map(str, [*row[2], row[3]])) for row in EXPECTED_AND_GOT]
)
def test_what_was_expected_and_what_came(row: tuple[Any, ...]) -> None:
    call, kind, parts, expected, got = row
    with pytest.raises(InputError) as caught:
        call()
    error = caught.value
    assert isinstance(error, kind)
    assert (error.parts, error.expected, error.got, error.remedy) == (parts, expected, got, "")
    assert str(error) == f"{''.join(f'{part}: ' for part in parts)}{error.problem or f'expected {expected}, got {got}'}"


BOTH = "references and predictions"
TWICE = "ids that occur more than once in the predictions (1): 'a'; 'a': predictions[0], predictions[1]"
ABSENT = "ids of references that no prediction has (1): 'b'"

# why, what raises, parts of the place, the sentence without place and remedy, remedy
PROBLEMS: list[tuple[str, Callable[[], object], tuple[str, ...], str, str]] = [
    ("too deep", lambda: score_pairs([(DEEP, 1)]), ("pair 0", "$" + "[0]" * 200), LEVELS, ""),
    ("ids twice", lambda: pairs_of([P[0], P[0]], R[:1]), (), f"predictions: {TWICE}", ""),
    ("missing ids", lambda: pairs_of(P[:1], R), (), f"{BOTH}: {ABSENT}; {MISSING}", ""),
    ("a key twice", lambda: loads('{"a": 1, "a": 2}', unique_keys=True), (), "key 'a' occurs twice in one object", ""),
    ("not JSON", lambda: loads("[1,\n oops]"), ("line 2, column 2",), "expected a value, got 'oops'", ""),
    (
        "not JSON, in a row",
        lambda: loads_at("[oops", "row 'a'"),
        ("row 'a', line 1, column 2",),
        "expected a value, got 'oops'",
        "",
    ),
]


@pytest.mark.parametrize("row", PROBLEMS, ids=[row[0] for row in PROBLEMS])
def test_what_is_no_matter_of_expected_and_got(row: tuple[Any, ...]) -> None:
    _, call, parts, problem, remedy = row
    with pytest.raises(InputValueError) as caught:
        call()
    error = caught.value
    assert (error.parts, error.problem, error.remedy, error.expected, error.got) == (parts, problem, remedy, "", "")
    assert str(error) == ": ".join([*parts, problem]) + (f"; {remedy}" if remedy else "")


def test_errors_of_rows_keep_kind_place_and_value(tmp_path: Path) -> None:
    """The place in the file, and then the place in the value."""
    files = written(tmp_path, "r.jsonl", R), written(tmp_path, "p.jsonl", [P[0], pred("b", {"k": ("x", DEEP)})])
    with pytest.raises(DataError) as caught:
        paired_systems(read_table(files[0]), [read_table(files[1])], DEFAULT_READING)
    [error] = caught.value.errors
    assert error.kind == "with a value that cannot be scored"
    assert error.diagnostic.parts == (in_file(files[1], "line 2"), "$.k[1]" + "[0]" * 198)
    assert str(error) == f"{files[1]}, line 2: $.k[1]{'[0]' * 198}: {LEVELS}"


places = st.text(max_size=5) | st.builds(FilePlace, st.tuples(st.text(min_size=1, max_size=5)), st.text(max_size=5))
diagnostics = st.builds(
    Diagnostic, st.lists(places, max_size=3).map(tuple), *[st.text(max_size=5)] * 4, st.sampled_from([": ", ", "])
)


@given(found=diagnostics, outer=places, kind=st.sampled_from([InputTypeError, InputValueError]))
def test_an_outer_place_keeps_the_inner_ones(found: Diagnostic, outer: PlacePart, kind: type[InputError]) -> None:
    error = kind(found)
    placed = at_place(outer, error)
    assert type(placed) is kind
    assert placed.parts == (outer, *found.parts)
    parts = placed.expected, placed.got, placed.problem, placed.remedy
    assert parts == (found.expected, found.got, found.problem, found.remedy)
    joint = found.joint if not found.parts else ": "
    assert str(placed) == f"{outer}{joint}{error}"


@pytest.mark.parametrize(
    "error", [ValueError("it is broken"), TypeError("it is broken"), RecursionError("it is broken")]
)
def test_an_error_of_another_library_is_a_problem_at_a_place(error: Exception) -> None:
    placed = at_place(in_file("r.jsonl", "line 3"), error)
    assert type(placed) is (InputTypeError if isinstance(error, TypeError) else InputValueError)
    assert (placed.place, placed.problem) == ("r.jsonl, line 3", "it is broken")
    assert str(placed) == "r.jsonl, line 3: it is broken"


@given(found=diagnostics)
def test_errors_survive_pickling_and_copying(found: Diagnostic) -> None:
    """As they must to come from another process."""
    errors = InputTypeError(found), InputValueError(found), JsonError(found, 3, 9), DataError([RowError("x", found)])
    for error in errors:
        copies = [pickle.loads(pickle.dumps(error, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
        for each in [*copies, copy.copy(error), copy.deepcopy(error)]:
            assert type(each) is type(error)
            assert (str(each), each.diagnostic) == (str(error), error.diagnostic)
            for name in ("line", "column", "errors"):
                assert getattr(each, name, None) == getattr(error, name, None)


def test_what_remote_users_see(tmp_path: Path) -> None:
    """No folder and no remedy, in every part of an error; texts that look like a folder stay."""
    place = in_file(tmp_path / "p.jsonl", "line 2")
    diagnostic = Diagnostic((place, f"row '{tmp_path}'"), "more", str(tmp_path), remedy=MISSING)
    shown = f"p.jsonl, line 2: row '{tmp_path}': expected more, got {tmp_path}"
    error = InputTypeError(diagnostic).for_remote_users()
    assert (type(error), str(error)) == (InputTypeError, shown)
    both = DataError([RowError("not JSON", diagnostic), RowError("not JSON", diagnostic)]).for_remote_users()
    assert str(both).splitlines() == [shown, shown, "2 errors: not JSON"]
    assert str(FilePlace(("/x/a.csv", "/y/b.csv")).without_folders()) == "a.csv and b.csv"
