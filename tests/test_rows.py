"""Rows of a test set: three formats, told by the first row, pairing, and warnings about how they are read."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import evaluate
import numpy as np
import pandas as pd
import pytest

import docscore
from docscore.core.options import ReadOptions, read_and_compare_options
from docscore.evaluation.evaluation import evaluate_rows
from docscore.evaluation.registry import METRICS
from docscore.evaluation.sentences import count_lines
from docscore.inputs.pairing import pairs_of
from docscore.inputs.rows import ANLS, BY_ID, PLAIN, RowFormat, as_rows, row_format, table_in_memory
from docscore.inputs.test_set import TestSet
from tests.commands import pred, ref
from tests.conftest import data_rows, golden

Rows = list[Any]


@pytest.mark.parametrize("rows", [["x"], ("x",), np.array(["x"]), iter(["x"]), {"x": 1}.keys()])
def test_rows_come_in_anything_that_lists_them(rows: Any) -> None:
    assert as_rows(rows, "predictions") == ["x"]


@pytest.mark.parametrize("rows", ["x", b"x", 5, None, {"prediction": ["x"]}])
def test_a_single_value_is_no_list_of_rows(rows: Any) -> None:
    """A text would be taken letter by letter, an object key by key."""
    with pytest.raises(TypeError, match=rf"^references: expected a list of rows, got {type(rows).__name__}$"):
        as_rows(rows, "references")
    with pytest.raises(TypeError, match=r"^references: expected a list of rows, got an array with 0 dimensions$"):
        as_rows(np.array(5), "references")


FORMATS: list[tuple[str, Any, Any, RowFormat]] = [
    ("by id", [pred("a", "x")], [ref("a", "x")], BY_ID),
    ("by id, with more beside", [pred("a", "x") | {"page": 1}], [ref("a", "x") | {"lang": "de"}], BY_ID),
    ("by id, with both keys: the documented one", [pred("a", "x") | {"prediction_text": "y"}], [ref("a", "x")], BY_ID),
    (
        "as the Space anls",
        [{"question_id": "a", "prediction_text": "x"}],
        [{"question_id": "a", "answers": ["x"]}],
        ANLS,
    ),
    ("plain texts", ["x"], ["x"], PLAIN),
    ("plain objects", [{"total": 1}], [{"total": 1}], PLAIN),
    ("plain null", [None], [None], PLAIN),
    ("plain one-of", ["x"], [("x", "y")], PLAIN),
    ("plain, in a NumPy array", np.array(["x"]), np.array(["x"]), PLAIN),
    ("an object without question_id is a plain value", [{"prediction": 1}], [{"references": [1]}], PLAIN),
    ("no predictions: told by the references", [], [ref("a", "x")], BY_ID),
]


@pytest.mark.parametrize(("predictions", "references", "form"), [r[1:] for r in FORMATS], ids=[r[0] for r in FORMATS])
def test_the_first_row_of_each_side_tells_the_format(predictions: Any, references: Any, form: RowFormat) -> None:
    sides = table_in_memory(references, "references"), table_in_memory(predictions, "predictions")
    assert row_format(*sides) == form


def test_values_come_through_as_they_are() -> None:
    """Also those that look like something else; acceptable answers become a one-of."""
    values: Rows = ["12.50", "007", "null", "true", None, 1.0, True, 2**70, [], {"$one": []}, float("inf"), "\ud800"]
    pairs = pairs_of([pred(f"q{i}", v) for i, v in enumerate(values)], [ref(f"q{i}", v) for i, v in enumerate(values)])
    assert repr(pairs.predictions) == repr(values)
    assert repr(pairs.truths) == repr([(value,) for value in values])
    plain = pairs_of(values, values)
    assert repr((plain.truths, plain.predictions)) == repr((values, values))


def test_rows_are_paired_by_id_in_the_order_of_the_references() -> None:
    predictions = [pred("c", 3), pred("a", 1), pred("b", 2)]
    references: Rows = [ref("a", "x"), ref("b", "y", "z"), ref("c", None)]
    assert pairs_of(predictions, references) == TestSet(
        ids=["a", "b", "c"], truths=[("x",), ("y", "z"), (None,)], predictions=[1, 2, 3], reference_rows=references
    )


def test_plain_rows_are_paired_by_position_and_named_by_number() -> None:
    assert pairs_of([1, 2], ["x", ("y", "z")]) == TestSet(["0", "1"], ["x", ("y", "z")], [1, 2])


@pytest.mark.parametrize("answers", [["x", "y"], ("x", "y"), np.array(["x", "y"])], ids=["list", "tuple", "array"])
def test_acceptable_answers_in_any_sequence(answers: Any) -> None:
    assert pairs_of([pred("a", "x")], [{"question_id": "a", "references": answers}]).truths == [("x", "y")]


@pytest.mark.parametrize(("given", "name"), [("x y", "x y"), (7, "7"), (np.int64(7), "7"), (np.str_("x"), "x")])
def test_ids_are_text_and_whole_numbers_are_taken_as_such(given: Any, name: str) -> None:
    pairs = pairs_of([pred(given, 1)], [ref(name, "x")])
    assert (pairs.ids, pairs.predictions) == ([name], [1])
    assert type(pairs.ids[0]) is str


def test_structured_arrays_beside_rows_with_other_keys() -> None:
    cells = [np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")])]
    with pytest.raises(
        ValueError, match=r"^references: expected 'references' or 'answers' in addition to 'question_id'"
    ):
        docscore.evaluate(predictions=cells, references=[{"question_id": "q", "a": 1}])


@golden("rows", "bad ids")
def test_other_ids_are_refused(given: Any, raises: type[Exception], message: str) -> None:
    with pytest.raises(raises) as caught:
        pairs_of([pred("a", "x")], [ref("a", "x"), ref(given, "x")])
    assert str(caught.value).startswith(message)


@golden("rows", "formats")
def test_the_format_is_enforced(predictions: Rows, references: Rows, message: str) -> None:
    with pytest.raises(ValueError, match=r"expected") as caught:
        pairs_of(predictions, references)
    assert str(caught.value).startswith(message)


def test_a_plain_prediction_may_hold_any_keys() -> None:
    """It is what a model wrote; the references tell the format."""
    assert pairs_of(["x", pred("b", "x")], ["x", "y"]).predictions == ["x", pred("b", "x")]
    assert pairs_of(["x", "y"], ["x", {"question_id": "b"}]).truths == ["x", {"question_id": "b"}]


@pytest.mark.parametrize("answers", [[], (), np.array([]), "x", None, {"$one_of": ["x"]}, {"x"}], ids=str)
def test_references_without_an_acceptable_answer(answers: Any) -> None:
    """A text in place of the list would be read letter by letter."""
    rows = [ref("a", "x"), {"question_id": "b", "references": answers}]
    got = "an empty list" if isinstance(answers, list | tuple | np.ndarray) else type(answers).__name__
    sentence = "expected 'references' to be a list of at least one acceptable answer"
    with pytest.raises(ValueError, match=rf"^references\[1\]: {sentence}, got {got}"):
        pairs_of([pred("a", "x"), pred("b", "x")], rows)


@golden("rows", "ids")
def test_ids_that_do_not_pair(predictions: Rows, references: Rows, message: str) -> None:
    with pytest.raises(ValueError, match=": ids ") as caught:
        pairs_of(predictions, references)
    actual = str(caught.value).split("\n")[0]  # of several errors the first
    assert message in actual
    assert actual.isprintable()
    assert actual.count("'q") <= 10  # five ids, and the rows of each


def test_missing_predictions_score_as_null_where_that_is_asked_for() -> None:
    references: Rows = [ref("a", "x"), ref("b", "x"), ref("c", "x")]
    pairs = pairs_of([pred("b", 5)], references, missing="zero")
    absent = frozenset({0, 2})
    assert pairs == TestSet(["a", "b", "c"], [("x",)] * 3, [None, 5, None], absent, reference_rows=references)
    assert pairs_of([], [ref("a", "x")], missing="zero").absent == {0}
    left = pairs_of([pred("b", 5)], references, missing="skip")
    assert (left.ids, left.predictions, left.absent, left.skipped) == (["b"], [5], frozenset(), len(references) - 1)
    with pytest.raises(
        ValueError, match=r"none of the 3 rows can be scored; 3 errors: reference without a prediction$"
    ):
        pairs_of([], references, missing="skip")
    assert pairs_of([pred("a", None)], [ref("a", "x")], missing="zero").absent == set()


def test_nothing_else_is_forgiven_where_missing_ones_are() -> None:
    with pytest.raises(ValueError, match=r"no reference has \(1\): 'z'"):
        pairs_of([pred("z", "x")], [ref("a", "x")], missing="zero")
    with pytest.raises(ValueError, match=r"more than once"):
        pairs_of([pred("a", "x"), pred("a", "x")], [ref("a", "x"), ref("b", "x")], missing="zero")
    with pytest.raises(ValueError, match=r"as many predictions as references, got 1 and 2"):
        pairs_of([1], [1, 2], missing="zero")


@pytest.mark.parametrize("missing", ["", "null", "Zero", None, True])
def test_other_ways_with_missing_ones_are_refused(missing: Any) -> None:
    with pytest.raises(ValueError, match=r"^missing: expected 'error', 'zero' or 'skip', got "):
        pairs_of([pred("a", "x")], [ref("a", "x")], missing)


def test_the_format_of_the_space_anls_is_text() -> None:
    with pytest.raises(TypeError, match=r"^predictions\[0\]: expected prediction_text to be text, got dict$"):
        pairs_of([{"question_id": "a", "prediction_text": {}}], [{"question_id": "a", "answers": ["x"]}])
    with pytest.raises(TypeError, match=r"^references\[0\]: expected an answer to be text, got list$"):
        pairs_of([{"question_id": "a", "prediction_text": "x"}], [{"question_id": "a", "answers": ["x", ["y"]]}])


BILL = {"total": "12.50"}


def scored(predictions: list[Any], references: list[Any], options: dict[str, Any]) -> None:
    """Pair the rows and read their values, which is done when a figure is first asked for."""
    evaluation = evaluate_rows(pairs_of(predictions, references), *read_and_compare_options(options))
    assert evaluation.score <= 1
    assert not [warning for warning in evaluation.warnings if count_lines(evaluation).count(warning.sentence) != 1]


@golden("warnings", "suspected")
def test_a_warning_names_the_remedy(
    predictions: list[Any], references: list[Any], options: dict[str, Any], sentence: str
) -> None:
    with pytest.warns(UserWarning, match=sentence):
        scored(predictions, references, options)


@golden("warnings", "fine")
def test_no_warning_where_nothing_is_wrong(
    predictions: list[Any], references: list[Any], options: dict[str, Any]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scored(predictions, references, options)


# Documents as text: the edit distance of the raw texts looks like a score of documents and is none.


@golden("warnings", "documents as text")
def test_documents_as_text_are_an_error(
    predictions: list[Any], references: list[Any], options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        evaluate_rows(pairs_of(predictions, references), *read_and_compare_options(options))
    reads = "parse" in options or "parse_references" in options  # or else a state scores texts as they are
    with pytest.raises(ValueError, match=sentence) if reads else pytest.warns(UserWarning, match=sentence):
        docscore.ScoreState(**options).update(predictions, references)
    with pytest.raises(ValueError, match=sentence):
        docscore.evaluate(predictions=predictions, references=references, **options)


_BILLS = [
    {"seller": f"Kontor {name}", "total": f"{number}.50"} for number, name in enumerate(("Nord", "Ost", "West"), 1)
]
_NOTATIONS: dict[str, Callable[[dict[str, str]], str]] = {
    "JSON": json.dumps,
    "JSON in a list": lambda bill: json.dumps([bill]),
    "JSON behind a byte order mark": lambda bill: f"\ufeff{json.dumps(bill)}",
    "JSON in a JSON string": lambda bill: json.dumps(json.dumps(bill)),
    "a Python literal": repr,
    "JSON that is cut off": lambda bill: json.dumps(bill)[:-4],
    "JSON in a fence": lambda bill: f"```json\n{json.dumps(bill, indent=1)}\n```",
    "a trailing comma": lambda bill: f"{json.dumps(bill)[:-1]},}}",
    "keys without quotes": lambda bill: f"{{{', '.join(f'{key}: {json.dumps(text)}' for key, text in bill.items())}}}",
    "YAML": lambda bill: "---\n# a bill\n" + "".join(f"{key}: {text}\n" for key, text in bill.items()),
    "YAML in a list": lambda bill: f"items:\n- seller: {bill['seller']}\n  total: {bill['total']}",
    "XML": lambda bill: f"<bill><seller>{bill['seller']}</seller><total>{bill['total']}</total></bill>",
    "tags of Donut": lambda bill: "".join(f"<s_{key}>{text}</s_{key}>" for key, text in bill.items()),
}
_WORDS: dict[str, list[str]] = {row["kind"]: row["texts"] for row in data_rows("rows", "words")} | {
    "a page with blanks before it": [" " * 100_000 + "x", "\n" * 50_000 + "x", "```" * 30_000]
}


@pytest.mark.parametrize("given", [*_NOTATIONS, "objects", "prose"])
@pytest.mark.parametrize("notation", _NOTATIONS)
def test_documents_in_any_notation_are_known_by_the_ground_truths(notation: str, given: str) -> None:
    """Whatever the predictions are: a model learns to write JSON only while it is trained."""
    others: dict[str, list[Any]] = {"objects": [*_BILLS], "prose": _WORDS["prose"]}
    predictions: list[Any] = others[given] if given in others else list(map(_NOTATIONS[given], _BILLS))
    for references in (list(map(_NOTATIONS[notation], _BILLS)), [tuple(map(_NOTATIONS[notation], _BILLS))] * 3):
        pairs = TestSet(["a", "b", "c"], references, predictions)
        with pytest.raises(ValueError, match=r"^references: \d of \d texts are documents written as .*parse=.text."):
            evaluate_rows(pairs)
        evaluate_rows(pairs, ReadOptions(parse="text"))


@pytest.mark.parametrize("given", [*_WORDS, *_NOTATIONS])
@pytest.mark.parametrize("words", _WORDS)
def test_answers_and_prose_are_no_documents(words: str, given: str) -> None:
    predictions = _WORDS[given] if given in _WORDS else list(map(_NOTATIONS[given], _BILLS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate_rows(TestSet(["a", "b", "c"], _WORDS[words], predictions))


def test_a_broken_ground_truth_is_named_and_does_not_hide_the_others() -> None:
    texts = [*map(json.dumps, _BILLS * 4), '{"total": }']
    pairs = TestSet([f"r{number}" for number in range(13)], texts, [*_BILLS * 4, {}])
    with pytest.raises(ValueError, match=r"^references: 1[23] of 13 .* add parse_references=.json. to read"):
        evaluate_rows(pairs)
    with pytest.raises(ValueError, match=r"^row 'r12': an answer: line 1, column 11: expected a value"):
        evaluate_rows(pairs, ReadOptions(parse_references="json"))
    several = replace(pairs, truths=[*texts[:-1], '{"total": 1} or {"total": 2}'])
    with pytest.raises(ValueError, match=r"^row 'r12': an answer: expected a text that can be read in one way, got 2 "):
        evaluate_rows(several, ReadOptions(parse_references="repair"))


@golden("warnings", "options without use")
def test_an_option_that_no_metric_uses_is_refused(metrics: list[str], option: str, value: Any) -> None:
    """By what reads rows and by what takes read ones."""
    sides: dict[str, Any] = {"predictions": [BILL], "references": [BILL], "metrics": metrics}
    having = ", ".join(name for name, metric in METRICS.items() if option in metric.options)
    sentence = (
        rf"^{option}: none of the metrics \({', '.join(metrics)}\) uses this option; it is an option of {having}$"
    )
    with pytest.raises(ValueError, match=sentence):
        docscore.evaluate(**sides, **{option: value})
    with pytest.raises(ValueError, match=sentence):
        docscore.ScoreState(metrics=metrics, **{option: value})
    with pytest.raises(ValueError, match=sentence):
        evaluate_rows(pairs_of([BILL], [BILL]), *read_and_compare_options({option: value}), metrics=metrics)
    assert docscore.evaluate(**sides).score == 1.0


LABELS: list[tuple[Any, Any, str]] = [  # of the references and of the predictions, and the error
    ([0, 1, 2], [2, 0, 1], "the label 0 at position 0, as in the references, got 2"),
    (["x", "y", "z"], ["x", "z", "y"], "the label 'y' at position 1, as in the references, got 'z'"),
    ([3, 5, 6], [3, 5, 7], "the label 6 at position 2, as in the references, got 7"),
    ([3, 5, 6], [0, 1, 2], ""),  # a filtered column
    ([0, 1, 2], [3, 5, 6], ""),
    ([3, 5, 6], [3, 5, 6], ""),
    ([1, 1, 2], [1, 1, 2], ""),
    (["x", math.nan, "z"], ["x", float("nan"), "z"], ""),
    ([3.0, math.nan, 5.0], [3.0, math.nan, 5.0], ""),
]


@pytest.mark.parametrize(("wanted", "given", "error"), LABELS)
def test_two_columns_whose_labels_contradict_their_order_are_an_error(wanted: Any, given: Any, error: str) -> None:
    """Only where they pair by position, whichever interface reads them; rows with ids pair by these."""
    references, predictions = pd.Series(["a", "b", "c"], wanted), pd.Series(["a", "b", "c"], given)
    metric = evaluate.load(docscore.evaluate_module("anls_star"))
    sides: dict[str, Any] = {"references": references, "predictions": predictions}
    calls = (lambda: docscore.evaluate(**sides).score, lambda: metric.compute(**sides)["anls_score"])
    for call in calls:
        if error:
            with pytest.raises(ValueError, match=f"^predictions: expected {re.escape(error)}; values without ids"):
                call()
        else:
            assert call() == 1.0
    assert docscore.evaluate(references=list(references), predictions=predictions).score == 1.0
    rows = [pd.Series([row(name, name) for name in "abc"], labels) for row, labels in ((ref, wanted), (pred, given))]
    assert docscore.evaluate(references=rows[0], predictions=rows[1]).score == 1.0
