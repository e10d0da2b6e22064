"""The details that the metric gives when asked: plain values, sums that agree, and no row lost to a wrong option."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import datasets
import evaluate
import pytest

from tests.commands import PREDICTIONS, REFERENCES, TEXTS, rows
from tests.structures import damaged, random_truth

pd = pytest.importorskip("pandas")

Row = dict[str, Any]
ALL: Row = {"per_sample": True, "key_scores": True, "confidence": 0.95}
PLAIN = (dict, list, tuple, str, float, int, bool, type(None))
EXAMPLE = {"predictions": list(rows(PREDICTIONS)), "references": list(rows(REFERENCES))}
OF_TEXTS = {"predictions": list(rows(TEXTS)), "references": EXAMPLE["references"], "parse": "json"}


@pytest.fixture
def metric(root: Path, tmp_path: Path) -> Any:
    """The metric as its users load it."""
    return evaluate.load(str(root / "anls_star.py"), cache_dir=str(tmp_path / "cache"))


def parts(value: Any) -> list[Any]:
    """The value, and all that is in it."""
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else []
    return [value, *(part for each in inner for part in parts(each))]


def random_rows(seed: int) -> dict[str, list[Row]]:
    """Documents of any shape, some predicted well."""
    rng = random.Random(seed)
    found: dict[str, list[Row]] = {"predictions": [], "references": []}
    for number in range(30):
        truth = random_truth(rng, depth=3)
        found["references"].append({"question_id": str(number), "references": [truth]})
        found["predictions"].append({"question_id": str(number), "prediction": damaged(rng, truth)})
    return found


@pytest.mark.parametrize(
    "given", [EXAMPLE, OF_TEXTS, {**EXAMPLE, "missing": "zero"}], ids=["values", "texts", "missing"]
)
def test_all_of_it_is_plain_python(given: Row, metric: Any) -> None:
    """No number, text or list of a library; JSON takes it, and gives it back."""
    result = metric.compute(**given, **ALL, signature=True)
    assert {type(part) for part in parts(result)} <= set(PLAIN)
    assert all(math.isfinite(part) for part in parts(result) if isinstance(part, float))
    again = json.loads(json.dumps(result, allow_nan=False))
    assert again == {**result, "confidence_interval": list(result["confidence_interval"])}


OPTIONS: list[Row] = [{"key_scores": True}, {"confidence": 0.5}, {"per_sample": True}, ALL]


@pytest.mark.parametrize("given", [EXAMPLE, OF_TEXTS, random_rows(0)], ids=["values", "texts", "random"])
def test_details_do_not_change_the_score(given: Row, metric: Any) -> None:
    """To the last bit."""
    alone = metric.compute(**given)
    for options in OPTIONS:
        result = metric.compute(**given, **options)
        assert {name: result[name] for name in alone} == alone


def test_counts_of_a_small_table_by_hand(metric: Any) -> None:
    """One right, one near (1 of 4 characters differs), one missing, one extra; the list lost its second row."""
    truth = {"name": "Anna", "day": "Mon", "rows": [{"n": "tea"}, {"n": "milk"}]}
    guess = {"name": "Anno", "rows": [{"n": "tea"}], "tip": "2"}
    result = metric.compute(predictions=[guess], references=[truth], key_scores=True)
    counts = {
        field["field"]: (field["exact"], field["partial"], field["missing"], field["extra"])
        for field in result["key_scores"]
    }
    assert counts == {"name": (0, 1, 0, 0), "day": (0, 0, 1, 0), "rows[].n": (1, 0, 1, 0), "tip": (0, 0, 0, 1)}
    assert result["lists"] == [{"field": "rows[]", "matched": 1, "missing": 1, "extra": 0}]
    assert result["anls_score"] == pytest.approx(1.75 / 5)
    wanted = {"near miss": 0.05, "missing field": 0.2, "missing row": 0.2, "invented field": 0.2}
    assert {cause: lost for cause, lost in result["points_lost"].items() if lost} == pytest.approx(wanted)


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
