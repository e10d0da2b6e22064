"""The metric as `evaluate` loads it: rows in, one number out, and nothing lost on the way."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from itertools import permutations
from pathlib import Path
from typing import Any

import datasets
import evaluate
import numpy as np
import pandas as pd
import pytest

from docscore import anls_score
from docscore.data.rows import PLAIN
from docscore.integrations.evaluate.metric import declaration, decode_rows, encode_rows
from tests.commands import PREDICTIONS, REFERENCES, TEXTS, pred, ref, rows

Row = dict[str, Any]
Load = Callable[..., Any]

ANLS = [  # the example of the Space `anls`: id, prediction, answers
    (18601, "Denver Broncos", ["Denver Broncos", "Denver R. Broncos"]),
    (18602, "12/15/89", ["12/15/88"]),  # 1 of 8 characters differs
    (18603, "Dear dr. Lobo", ["Dear Dr. Lobo", "Dr. Lobo"]),
]
ANLS_PREDICTIONS = [{"question_id": name, "prediction_text": text} for name, text, _ in ANLS]
ANLS_REFERENCES = [{"question_id": name, "answers": answers} for name, _, answers in ANLS]
ANLS_MEAN = (1 + 0.875 + 1) / 3


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where the metric stores rows until they are scored."""
    return tmp_path / "cache"


@pytest.fixture
def load(root: Path, cache: Path) -> Load:
    """`evaluate.load` of our module, with options."""
    return lambda **options: evaluate.load(str(root / "anls_star.py"), **{"cache_dir": str(cache), **options})


@pytest.fixture
def metric(load: Load) -> Any:
    """The metric, fresh."""
    return load()


def predicted(**values: Any) -> list[Row]:
    """Prediction rows by id."""
    return [{"question_id": name, "prediction": value} for name, value in values.items()]


def expected(**answers: list[Any]) -> list[Row]:
    """Reference rows by id."""
    return [{"question_id": name, "references": values} for name, values in answers.items()]


def stored(cache: Path) -> list[str]:
    """The names of the files of rows in the cache."""
    return [path.name for path in cache.rglob("*.arrow")]


FORMATS: dict[str, tuple[list[Any], list[Any]]] = {
    "by id": (
        [{"question_id": name, "prediction": text} for name, text, _ in ANLS],
        [{"question_id": name, "references": answers} for name, _, answers in ANLS],
    ),
    "anls": (ANLS_PREDICTIONS, ANLS_REFERENCES),
    "plain": ([text for _, text, _ in ANLS], [tuple(answers) for _, _, answers in ANLS]),
}
two_formats = pytest.mark.parametrize(("first", "second"), list(permutations(FORMATS, 2)))


@two_formats
def test_one_format_for_all_rows(first: str, second: str, metric: Any) -> None:
    """On both sides, in a batch and across batches; a refused batch changes nothing."""
    (predictions, references), (others, other_references) = FORMATS[first], FORMATS[second]
    with pytest.raises(ValueError, match="expected predictions and references in one row format"):
        metric.compute(predictions=predictions, references=other_references)
    with pytest.raises(ValueError, match=r"\[1\]: expected .*question_id|one row format"):
        metric.compute(predictions=[predictions[0], others[1]], references=[references[0], other_references[1]])
    metric.add_batch(predictions=predictions, references=references)
    with pytest.raises(ValueError, match=r"\[0\]: expected .*question_id|one row format"):
        metric.add_batch(predictions=others, references=other_references)
    assert metric.compute() == {"anls_score": ANLS_MEAN}


@two_formats
def test_a_new_format_after_compute_and_after_a_refused_first_batch(first: str, second: str, metric: Any) -> None:
    (predictions, references), (others, other_references) = FORMATS[first], FORMATS[second]
    metric.compute(predictions=predictions, references=references)
    assert metric.compute(predictions=others, references=other_references) == {"anls_score": ANLS_MEAN}
    unscorable = {1: 2} if first == "plain" else {**dict.fromkeys(predictions[0], b""), "question_id": "a"}
    with pytest.raises(TypeError, match="expected a"):
        metric.add_batch(predictions=[unscorable], references=references[:1])
    metric.add_batch(predictions=others, references=other_references)
    assert metric.compute() == {"anls_score": ANLS_MEAN}


def column(rows: list[Row]) -> Any:
    """The rows as one column of a dataset."""
    return datasets.Dataset.from_list([{"row": row} for row in rows])


CONTAINERS: dict[str, Callable[[list[Row]], Any]] = {
    "object array": lambda rows: np.array(rows, dtype=object),
    "Dataset": datasets.Dataset.from_list,
    "column of a Dataset": lambda rows: column(rows)["row"],
    "pandas Series from label 1, as filters leave it": lambda rows: column([rows[0], *rows]).to_pandas()["row"][1:],
}


@pytest.mark.parametrize("wrap", CONTAINERS.values(), ids=CONTAINERS)
def test_rows_come_in_what_training_code_holds(wrap: Callable[[list[Row]], Any], metric: Any) -> None:
    result = metric.compute(predictions=wrap(ANLS_PREDICTIONS), references=wrap(ANLS_REFERENCES))
    assert result == {"anls_score": ANLS_MEAN}


@pytest.mark.parametrize("present", [0, 1, 3])
@pytest.mark.parametrize("batches", [False, True])
def test_fewer_predictions_than_references(present: int, batches: bool, metric: Any) -> None:
    rows = {"predictions": predicted(b="x", c="x", a="x")[:present], "references": expected(a=["x"], b=["x"], c=["x"])}
    if batches:
        metric.add_batch(**rows)
    result = metric.compute(**({} if batches else rows), missing="zero")
    assert result == {"anls_score": present / 3, "missing": 3 - present}


def test_predictions_may_come_in_an_earlier_batch_than_their_references(metric: Any) -> None:
    metric.add_batch(predictions=predicted(b="x", a="x"), references=expected(a=["x"]))
    metric.add_batch(predictions=[], references=expected(c=["x"], b=["y"]))
    metric.add_batch(predictions=predicted(c="x"), references=[])
    assert metric.compute() == {"anls_score": 2 / 3}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("in_memory", [False, True])
def test_rows_come_one_by_one_in_batches_and_with_compute(form: str, in_memory: bool, load: Load, cache: Path) -> None:
    """Empty batches count for nothing; the rows of an earlier score are gone."""
    predictions, references = FORMATS[form]
    metric = load(keep_in_memory=in_memory)
    for _ in range(2):
        metric.add_batch(predictions=[], references=[])
        metric.add(prediction=predictions[0], reference=references[0])
        metric.add_batch(predictions=[], references=[])
        metric.add_batch(predictions=predictions[1:2], references=references[1:2])
        assert bool(stored(cache)) is not in_memory
        assert metric.compute(predictions=predictions[2:], references=references[2:]) == {"anls_score": ANLS_MEAN}
    metric.add_batch(predictions=predictions[:1], references=references[:1])
    metric.add_batch(predictions=predictions[1:], references=references[1:])
    assert metric.compute() == {"anls_score": ANLS_MEAN}
    assert stored(cache) == []


def test_no_rows_are_an_error_and_so_is_one_side_alone(metric: Any) -> None:
    with pytest.raises(ValueError, match="references: expected at least one row, got none"):
        metric.compute(predictions=[], references=[])
    metric.add_batch(predictions=[], references=[])
    with pytest.raises(ValueError, match="references: expected at least one row, got none"):
        metric.compute()
    with pytest.raises(ValueError, match="expected both predictions and references"):
        metric.compute(references=["x"])
    with pytest.raises(ValueError, match="expected as many predictions as references, got 1 and 2"):
        metric.compute(predictions=["x"], references=["x", "y"], missing="zero")  # plain rows have no ids


@pytest.mark.parametrize("option", [{"parse": "yaml"}, {"missing": "drop"}, {"threshold": 2}, {"ignore_case": "no"}])
def test_a_wrong_option_is_refused_before_the_rows_are_used_up(option: Row, metric: Any) -> None:
    metric.add_batch(predictions=["x", "y"], references=["x", "z"])
    with pytest.raises((TypeError, ValueError), match=rf"^{next(iter(option))}: expected "):
        metric.compute(**option)
    assert metric.compute() == {"anls_score": 0.5}


@pytest.mark.parametrize("in_memory", [False, True])
def test_after_an_error_the_metric_works_at_once(in_memory: bool, load: Load, cache: Path) -> None:
    """No file is left, nor a lock, for which the next file would wait a second and take another name."""
    metric = load(keep_in_memory=in_memory)
    with pytest.raises(ValueError, match="threshold"):
        metric.compute(predictions=["x", "y"], references=["x", "x"], threshold=2)
    assert stored(cache) == []
    metric.add_batch(predictions=["x"], references=["x"])
    assert stored(cache) == ([] if in_memory else ["default_experiment-1-0.arrow"])
    assert metric.compute() == {"anls_score": 1.0}


def test_sixty_real_receipts(real_receipts: Path, metric: Any) -> None:
    """The mean is 0.0055 above that of anls_star 1.0.1, for one reason.

    In three documents the prediction alone has `sub_total: {}`; 1.0.1 counts an extra key with an empty object as one
    wrong value, we as nothing. With a text in its place both give the same figure.
    """
    files = [real_receipts / "predictions.jsonl", real_receipts / "references.jsonl"]
    predictions, references = ([json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files)
    random.Random(0).shuffle(predictions)
    result = metric.compute(predictions=predictions, references=references)
    assert result["anls_score"] == pytest.approx(0.7955427981219589, abs=1e-12)
    truths = {row["question_id"]: row["references"][0] for row in references}
    pairs = [(row["prediction"], truths[row["question_id"]]) for row in predictions]
    extra = [(ours, key) for ours, truth in pairs for key in ours.keys() - truth if ours[key] == {}]
    assert len(extra) == 3
    for ours, key in extra:
        ours[key] = "x"
    result = metric.compute(predictions=predictions, references=references)
    assert result["anls_score"] == pytest.approx(0.7900380483, abs=1e-10)


def test_a_row_of_one_side_is_refused(metric: Any) -> None:
    """None is a value, so nothing given must not become None."""
    for given in ({"prediction": "x"}, {"reference": "x"}, {}):
        with pytest.raises(ValueError, match="expected both prediction and reference"):
            metric.add(**given)
    metric.add(prediction=None, reference=None)
    assert metric.compute() == {"anls_score": 1.0}


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ([(2, 0, 3, {})], "^processes 1, 2 of 3 ended before all rows were written"),
        ([(2, 0, 2, {})], "^process 1 of 2 ended before all rows were written; there is no score of the others alone$"),
        ([(2, 0, 2, {}), (1, 1, 2, {})], "^expected 3 rows, as 2 processes declared, got 2$"),
        (
            [(2, 0, 2, {"threshold": "0.5"}), (0, 1, 2, {"threshold": "0.8"})],
            "^threshold: expected the same in all processes, got 0.5 in process 0 and 0.8 in process 1$",
        ),
    ],
)
def test_rows_that_processes_did_not_write_are_missed(declared: list[Any], message: str) -> None:
    stored = [
        encode_rows(["x", ""], ["x", "y"], PLAIN),
        *(declaration(*each, *[{}][len(each) - 3 :]) for each in declared),
    ]
    predictions, references = ([row for part in stored for row in part[side]] for side in (0, 1))
    with pytest.raises(ValueError, match=message):
        decode_rows(predictions, references, "zero")


def test_rows_of_all_processes_are_paired() -> None:
    stored = [encode_rows(["x", ""], ["x", "y"], PLAIN), declaration(2, 0, 2, {}), declaration(0, 1, 2, {})]
    predictions, references = ([row for part in stored for row in part[side]] for side in (0, 1))
    assert decode_rows(predictions, references, "error").predictions == ["x", ""]


VALUES: list[tuple[Any, Any, float]] = [  # ground truth, prediction, score; test_values.py has all types
    (True, "true", 1.0),  # compared as str(True), in lower case
    ({"a": 1}, '{"a": 1}', 0.0),  # text is no object
    ({"k": [("a", "b"), "c"]}, {"k": ["c", "b"]}, 1.0),
    ({"k": ["a", "b"]}, {"k": ["b"]}, 0.5),  # a list is no one-of
    (math.inf, -math.inf, 0.75),  # "inf", "-inf"
    ({"\ud800": "a"}, {"\udfff": "a"}, 0.0),
    ("a\x00b", "a\x00c", 2 / 3),
    (np.array([["1", "2"], ["3", "4"]]), [["3", "4"], ["1", "2"]], 1.0),
    (np.datetime64("2024-03-12"), date(2024, 3, 12), 1.0),
    ("12.50", Decimal("12.50"), 1.0),
]


@pytest.mark.filterwarnings("ignore:predictions. 1 of 1 are text")
@pytest.mark.parametrize("case", VALUES)
def test_what_goes_in_is_what_is_scored(case: tuple[Any, Any, float], metric: Any) -> None:
    """Neither Arrow nor JSON changes a value: the score is the function's, alone and as an acceptable answer."""
    truth, prediction, score = case
    assert anls_score(truth, prediction) == pytest.approx(score, abs=1e-15)
    assert metric.compute(predictions=[prediction], references=[truth])["anls_score"] == anls_score(truth, prediction)
    by_id = metric.compute(predictions=[pred("a", prediction)], references=[ref("a", truth)])
    assert by_id["anls_score"] == anls_score(truth, prediction)


def test_a_decimal_is_no_text_to_parse(metric: Any) -> None:
    found = metric.compute(predictions=[Decimal("12.50")], references=["12.50"], parse="json")
    assert found == {"anls_score": 1.0, "parse_failures": 0}  # parsed, it would be 12.5


ALL: Row = {"per_sample": True, "key_scores": True, "confidence": 0.95}
EXAMPLE = {"predictions": list(rows(PREDICTIONS)), "references": list(rows(REFERENCES))}
OF_TEXTS = {"predictions": list(rows(TEXTS)), "references": EXAMPLE["references"], "parse": "json"}


TABLES = ("key_scores", "lists", "rates", "per_sample")
KINDS = {"string": str, "int64": int, "double": float, "float64": float, "bool": bool}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("given", [EXAMPLE, OF_TEXTS], ids=["values", "texts"])
def test_tables_become_data_frames_and_datasets(given: Row, table: str, metric: Any) -> None:
    """A column has one type: text, whole numbers, or numbers; none is a column of objects."""
    found = metric.compute(**given, **ALL)[table]
    frame, dataset = pd.DataFrame(found), datasets.Dataset.from_list(found)
    assert list(frame.columns) == dataset.column_names == list(found[0])
    assert dataset.to_list() == found
    for name in found[0]:
        types = {type(row[name]) for row in found} - {type(None)}
        assert types == {KINDS[dataset.features[name].dtype]}
        assert pd.api.types.is_numeric_dtype(frame[name]) == (types != {str})
        assert (types == {str}) == (name in ("field", "rate", "question_id", "parsed"))
