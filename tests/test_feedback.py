"""`docscore.feedback`: a score with sentences about its losses, largest first."""

import re
from typing import Any

import pytest

from dev.benchmarks import workloads
from docscore import anls_score, feedback, typed_score
from docscore.core.values import convert_ground_truth
from tests.conftest import golden


@golden("feedback", "sentences")
def test_sentences(truth: Any, prediction: Any, sentences: list[str]) -> None:
    assert feedback(convert_ground_truth(truth), prediction)[1].split("\n") == sentences


@pytest.mark.parametrize("pair", [*workloads.invoices(6), *workloads.orders(4), *workloads.nested_rows(3, 3, 2)])
def test_the_losses_add_up(pair: tuple[Any, Any]) -> None:
    """In at most ten sentences, to 1 - the score, the largest first."""
    score, text = feedback(*pair)
    lost = [float(part) for part in re.findall(r"(?:loses?|add up to) (\d\.\d{3})\b", text)]
    assert score == anls_score(*pair)
    assert len(lost) == len(text.split("\n")) <= 10
    assert sum(lost) == pytest.approx(1 - score, abs=0.005)
    assert lost[:9] == sorted(lost[:9], reverse=True)


def test_options() -> None:
    schema = {"properties": {"total": {"type": "number"}}}
    pair = {"total": 1500}, {"total": "1,600.00"}
    assert feedback(*pair, schema=schema)[0] == typed_score(*pair, schema)
    assert "(wrong value; " in feedback(*pair, schema=schema)[1]
    with pytest.raises(TypeError, match=r"expected the options parse, threshold, .*, got 'fields'"):
        feedback("a", "b", fields=True)
