"""Faults that must not cost the rows that were added before."""

from __future__ import annotations

from typing import Any

import evaluate
import pytest

from docscore import evaluate_module
from docscore.data.rows import PLAIN
from docscore.integrations.evaluate.metric import declaration, decode_rows, encode_rows


@pytest.fixture
def metric(tmp_path: Any) -> Any:
    return evaluate.load(evaluate_module("anls_star"), cache_dir=str(tmp_path))


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"parse": "yaml"}, ValueError, "^parse: expected None, 'text', 'json' or 'repair', got 'yaml'$"),
        ({"missing": "drop"}, ValueError, "^missing: expected 'error', 'zero' or 'skip', got 'drop'$"),
        ({"threshold": 2}, ValueError, "^threshold: expected a number from 0 to 1, got 2$"),
        ({"ignore_case": "no"}, TypeError, "^ignore_case: expected True or False, got 'no'$"),
        ({"tau": 0.5}, TypeError, "unexpected keyword argument 'tau'"),
    ],
)
def test_a_wrong_option_is_refused_before_the_rows_are_used_up(
    options: dict[str, Any], kind: type[Exception], message: str, metric: Any
) -> None:
    metric.add_batch(predictions=["x", "y"], references=["x", "z"])
    with pytest.raises(kind, match=message):
        metric.compute(**options)
    assert metric.compute() == {"anls_score": 0.5}


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
        ([(2, 0, 3)], "^processes 1, 2 of 3 ended before all rows were written"),
        ([(2, 0, 2)], "^process 1 of 2 ended before all rows were written; there is no score of the others alone$"),
        ([(2, 0, 2), (1, 1, 2)], "^expected 3 rows, as 2 processes declared, got 2$"),
    ],
)
def test_rows_that_processes_did_not_write_are_missed(declared: list[tuple[int, int, int]], message: str) -> None:
    stored = [encode_rows(["x", ""], ["x", "y"], PLAIN), *(declaration(*each) for each in declared)]
    predictions, references = ([row for part in stored for row in part[side]] for side in (0, 1))
    with pytest.raises(ValueError, match=message):
        decode_rows(predictions, references, "zero")


def test_rows_of_all_processes_are_paired() -> None:
    stored = [encode_rows(["x", ""], ["x", "y"], PLAIN), declaration(2, 0, 2), declaration(0, 1, 2)]
    predictions, references = ([row for part in stored for row in part[side]] for side in (0, 1))
    assert decode_rows(predictions, references, "error").predictions == ["x", ""]
