"""The metrics as `evaluate` loads them: rows in, figures out, nothing lost on the way; configurations and options."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from decimal import Decimal
from itertools import permutations
from pathlib import Path
from typing import Any

import datasets
import evaluate
import numpy as np
import pandas as pd
import pytest

from docscore import evaluate_module
from docscore.evaluation.citations import CITATIONS
from docscore.inputs.rows import PLAIN
from docscore.integrations.evaluate import MODULES
from docscore.integrations.evaluate.metric import declaration, decode_rows, encode_rows
from docscore.version import VERSION
from tests import test_loading
from tests.commands import PREDICTIONS, REFERENCES, TEXTS, pred, ref, rows
from tests.conftest import golden
from tests.test_loading import RESULTS, each_module

Row = dict[str, Any]
Load = Callable[..., Any]

ANLS: list[tuple[Any, str, list[str]]] = [  # the example of the Space `anls`: id, prediction, answers
    (18601, "Denver Broncos", ["Denver Broncos", "Denver R. Broncos"]),
    (18602, "12/15/89", ["12/15/88"]),  # 1 of 8 characters differs
    (18603, "Dear dr. Lobo", ["Dear Dr. Lobo", "Dr. Lobo"]),
]
ANLS_MEAN = (1 + 0.875 + 1) / 3
LISTS = {"predictions": [["tea"]], "references": [["Tea", "rum"]]}


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """`evaluate.load` of one of our modules, with a configuration and options."""

    def loaded(name: str = "anls_star", *configuration: str, **options: Any) -> Any:
        return evaluate.load(evaluate_module(name), *configuration, cache_dir=str(tmp_path), **options)

    return loaded


@pytest.fixture
def metric(load: Load) -> Any:
    return load()


def stored(cache: Path) -> list[str]:
    return [path.name for path in cache.rglob("*.arrow")]


FORMATS: dict[str, tuple[list[Any], list[Any]]] = {
    "by id": ([pred(name, text) for name, text, _ in ANLS], [ref(name, *answers) for name, _, answers in ANLS]),
    "anls": (
        [{"question_id": name, "prediction_text": text} for name, text, _ in ANLS],
        [{"question_id": name, "answers": answers} for name, _, answers in ANLS],
    ),
    "plain": ([text for _, text, _ in ANLS], [tuple(answers) for _, _, answers in ANLS]),
}


WARNED: dict[str, Callable[[Any, Row], Any]] = {
    "rows with the call": lambda metric, rows: metric.compute(**rows),
    "rows before the call": lambda metric, rows: (metric.add_batch(**rows), metric.compute()),
    "two metrics": lambda metric, rows: evaluate.combine([metric, metric]).compute(**rows),
}


@pytest.mark.parametrize("call", WARNED.values(), ids=WARNED)
@pytest.mark.parametrize(
    "values",
    [{"predictions": [{"n": 1.0}], "references": [{"n": 1}]}, {"predictions": ["x"], "references": [["x", "y"]]}],
    ids=["numbers", "texts"],
)
def test_a_warning_names_the_line_that_called_the_module(metric: Any, values: Row, call: Callable[..., Any]) -> None:
    """Not that of `evaluate`, of the module or of the standard library, whose properties lie between."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(metric, values)
    assert {each.filename for each in caught} == {__file__}


@pytest.mark.parametrize(("first", "second"), list(permutations(FORMATS, 2)))
def test_one_format_until_the_score_is_computed(first: str, second: str, metric: Any) -> None:
    """For all batches; one that is refused changes nothing, neither the first nor a later one."""
    (predictions, references), (others, other_references) = FORMATS[first], FORMATS[second]
    unscorable = {1: 2} if second == "plain" else {**dict.fromkeys(others[0], b""), "question_id": "a"}
    with pytest.raises(TypeError, match="expected a"):
        metric.add_batch(predictions=[unscorable], references=other_references[:1])
    metric.add_batch(predictions=predictions, references=references)
    with pytest.raises(ValueError, match=r"\[0\]: expected .*question_id|rows of one format"):
        metric.add_batch(predictions=others, references=other_references)
    assert metric.compute() == {"anls_score": ANLS_MEAN}
    assert metric.compute(predictions=others, references=other_references) == {"anls_score": ANLS_MEAN}


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
    predictions, references = map(wrap, FORMATS["anls"])
    assert metric.compute(predictions=predictions, references=references) == {"anls_score": ANLS_MEAN}


def test_predictions_may_come_in_an_earlier_batch_than_their_references(metric: Any) -> None:
    metric.add_batch(predictions=[pred("b", "x"), pred("a", "x")], references=[ref("a", "x")])
    metric.add_batch(predictions=[], references=[ref("c", "x"), ref("b", "y")])
    metric.add_batch(predictions=[pred("c", "x")], references=[])
    assert metric.compute() == {"anls_score": 2 / 3}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("in_memory", [False, True])
def test_rows_come_one_by_one_in_batches_and_with_compute(
    form: str, in_memory: bool, load: Load, tmp_path: Path
) -> None:
    """Empty batches count for nothing; the rows of an earlier score are gone."""
    predictions, references = FORMATS[form]
    metric = load(keep_in_memory=in_memory)
    for _ in range(2):
        metric.add_batch(predictions=[], references=[])
        metric.add(prediction=predictions[0], reference=references[0])
        metric.add_batch(predictions=[], references=[])
        metric.add_batch(predictions=predictions[1:2], references=references[1:2])
        assert bool(stored(tmp_path)) is not in_memory
        assert metric.compute(predictions=predictions[2:], references=references[2:]) == {"anls_score": ANLS_MEAN}
    metric.add_batch(predictions=predictions[:1], references=references[:1])
    metric.add_batch(predictions=predictions[1:], references=references[1:])
    assert metric.compute() == {"anls_score": ANLS_MEAN}
    assert stored(tmp_path) == []


def test_no_rows_are_an_error_and_so_is_one_side_alone(metric: Any) -> None:
    """None is a value, so nothing given must not become None."""
    metric.add_batch(predictions=[], references=[])
    with pytest.raises(ValueError, match="references: expected at least one row, got none"):
        metric.compute()
    with pytest.raises(ValueError, match="expected both predictions and references"):
        metric.compute(references=["x"])
    with pytest.raises(ValueError, match="expected as many predictions as references, got 1 and 2"):
        metric.compute(predictions=["x"], references=["x", "y"], missing="zero")  # plain rows have no ids
    for given in ({"prediction": "x"}, {"reference": "x"}, {}):
        with pytest.raises(ValueError, match="expected both prediction and reference"):
            metric.add(**given)
    metric.add(prediction=None, reference=None)
    assert metric.compute() == {"anls_score": 1.0}


@golden("evaluate_module", "wrong options")
def test_a_wrong_option_is_refused_before_the_rows_are_used_up(configuration: str, option: Row, load: Load) -> None:
    metric = load("anls_star", configuration)
    metric.add_batch(**LISTS)
    with pytest.raises((TypeError, ValueError), match=rf"^{next(iter(option))}: expected "):
        metric.compute(**option)
    assert metric.compute() == {"anls_score": 0.5}


@pytest.mark.parametrize("in_memory", [False, True])
def test_after_an_error_the_metric_works_at_once(in_memory: bool, load: Load, tmp_path: Path) -> None:
    """No file is left, nor a lock, for which the next file would wait a second and take another name."""
    metric = load(keep_in_memory=in_memory)
    with pytest.raises(ValueError, match="ids of references that no prediction has"):
        metric.compute(predictions=[pred("a", "x")], references=[ref("b", "x")])
    assert stored(tmp_path) == []
    metric.add_batch(predictions=["x"], references=["x"])
    assert stored(tmp_path) == ([] if in_memory else ["default_experiment-1-0.arrow"])
    assert metric.compute() == {"anls_score": 1.0}


@golden("evaluate_module", "missed rows")
def test_rows_that_processes_did_not_write_are_missed(declared: list[tuple[int, int, int]], message: str) -> None:
    stored = [encode_rows(["x", ""], ["x", "y"], PLAIN), *(declaration(*each, {}) for each in declared)]
    predictions, references = ([row for part in stored for row in part[side]] for side in (0, 1))
    with pytest.raises(ValueError, match=message):
        decode_rows(predictions, references, "zero")


def test_values_that_neither_arrow_nor_json_has(metric: Any) -> None:
    """test_interfaces.py has all others."""
    assert metric.compute(predictions=["\ud800b"], references=["\ud800c"]) == {"anls_score": 0.5}
    result = metric.compute(predictions=[Decimal("12.50")], references=["12.50"], parse="json")
    assert result == {"anls_score": 1.0, "parse_failures": 0}  # a decimal is no text to parse: that would be 12.5


ALL: Row = {"per_sample": True, "key_scores": True, "confidence": 0.95}
EXAMPLE = {"predictions": list(rows(PREDICTIONS)), "references": list(rows(REFERENCES))}
OF_TEXTS = {"predictions": list(rows(TEXTS)), "references": EXAMPLE["references"], "parse": "json"}
KINDS = {"string": str, "int64": int, "double": float, "float64": float, "bool": bool}


@pytest.mark.parametrize("table", ["key_scores", "lists", "rates", "per_sample"])
@pytest.mark.parametrize("given", [EXAMPLE, OF_TEXTS], ids=["values", "texts"])
@pytest.mark.filterwarnings("ignore:predictions. .* use parse=.repair.")
def test_tables_become_data_frames_and_datasets(given: Row, table: str, metric: Any) -> None:
    """A column has one type: text, integers, or numbers; none is a column of objects."""
    result = metric.compute(**given, **ALL)[table]
    frame, dataset = pd.DataFrame(result), datasets.Dataset.from_list(result)
    assert list(frame.columns) == dataset.column_names == list(result[0])
    assert dataset.to_list() == result
    for name in result[0]:
        types = {type(row[name]) for row in result} - {type(None)}
        assert types == {KINDS[dataset.features[name].dtype]}
        assert pd.api.types.is_numeric_dtype(frame[name]) == (types != {str})
        assert (types == {str}) == (name in ("field", "rate", "question_id", "parsed", "interval_note"))


@each_module
def test_it_declares_its_features_and_every_option(name: str, load: Load) -> None:
    """No `**kwargs`: a misspelt option is an error, and help() knows each one."""
    metric = load(name)
    assert (metric.name, metric.module_type) == (name, "metric")
    assert set(metric.features["predictions"]) == {"question_id", "prediction"}
    assert set(metric.features["references"]) == {"question_id", "references"}
    assert metric.citation == CITATIONS[name]
    parameters = inspect.signature(metric._compute).parameters  # noqa: SLF001  what evaluate's own tests look at
    assert all(each.kind is not each.VAR_KEYWORD for each in parameters.values())
    assert all(f"\n    {option}: " in metric.compute.__doc__ for option in parameters)
    with pytest.raises(TypeError, match="normalize"):
        metric.compute(predictions=["x"], references=["x"], normalize=True)


def plain_types(value: Any) -> bool:
    """Whether it is made of Python's own types only."""
    if type(value) is dict:
        return all(type(key) is str and plain_types(item) for key, item in value.items())
    if type(value) in (list, tuple):
        return all(map(plain_types, value))
    return type(value) in (str, int, float, bool, type(None))


@each_module
def test_everything_asked_for_comes_in_plain_types(name: str, load: Load) -> None:
    options: dict[str, Any] = {"parse": "repair", "missing": "zero", "confidence": np.float64(0.9), "signature": True}
    own = {"kieval": {"by_type": True}, "anls_star": {"per_sample": True, "key_scores": True}}
    references = [*test_loading.REFERENCES, ref("c", {"k": np.int64(1)}), ref("d", "x")]
    predictions = [*test_loading.PREDICTIONS, pred("c", "{'k': 1,")]
    result = load(name).compute(predictions=predictions, references=references, **options, **own.get(name, {}))
    assert plain_types(result)
    assert result["missing"] == 1


def test_all_four_combined(load: Load) -> None:
    """Keys are as they are where no two modules have the same; options reach all."""
    metrics = [load(name) for name in MODULES]
    together = evaluate.combine(metrics)
    wanted = {name: value for result in RESULTS.values() for name, value in result.items()}
    assert together.compute(predictions=test_loading.PREDICTIONS, references=test_loading.REFERENCES) == wanted
    together.add(prediction=test_loading.PREDICTIONS[0], reference=test_loading.REFERENCES[0])
    together.add_batch(predictions=test_loading.PREDICTIONS[1:], references=test_loading.REFERENCES[1:])
    assert together.compute() == wanted
    some = test_loading.PREDICTIONS[:1]
    missing = together.compute(predictions=some, references=test_loading.REFERENCES, missing="zero")
    assert [missing[f"{metric.name}_missing"] for metric in metrics] == [1] * 4


PLAIN_TEXTS = {"predictions": ["ab", "tea"], "references": ["ax", ("rum", "Tea")]}


def test_configurations_anls_and_anlsl(load: Load) -> None:
    """The same scores, under their own names; other values are refused."""
    anls, anlsl = load("anls_star", "anls"), load("anls_star", "anlsl")
    assert anls.compute(**PLAIN_TEXTS) == {"anls_score": 0.75}
    assert anls.compute(**PLAIN_TEXTS, strict=True, signature=True) == {
        "anls_score": 0.5,
        "signature": f"anls|tau:0.5|boundary:0|case:i|empty:ignored|docscore:{VERSION}",
    }
    result = anlsl.compute(**LISTS, signature=True)
    assert result["anls_score"] == 0.5
    assert result["signature"].startswith("anlsl|tau:0.5|case:i")
    with pytest.raises(ValueError, match=r"^row '0': expected acceptable answers that are texts, got list"):
        anls.compute(**LISTS)
    with pytest.raises(ValueError, match=r"^row '0': expected acceptable answers that are lists of texts, got str"):
        anlsl.compute(**PLAIN_TEXTS)
    with pytest.raises(ValueError, match="expected a configuration among default, anls, anlsl, got 'ANLS'"):
        load("anls_star", "ANLS")
