"""`rules=` and `numbers=` through every interface: golden rows, real outputs, the oracle, the signature."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from math import fsum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore import anls_score, entity_counts, evaluate, kieval_score, nted_score, score_tree
from docscore.core.numbers import shortest_spelling
from docscore.core.options import NUMBERS, PACKAGE, RULES, CompareOptions
from docscore.core.values import number_text
from docscore.evaluation.systems import systems_of
from docscore.inputs.json_text import loads
from docscore.metrics.anls_star.api import build_tree, score_all
from tests.commands import column_of
from tests.conftest import golden
from tests.oracle import Oracle
from tests.structures import damaged, filled, random_prediction, random_truth, respelled, shuffled

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")


@golden("numbers", "options")
def test_what_the_options_change(truth: Any, prediction: Any, options: dict[str, Any], expected: float) -> None:
    """Every interface passes them on: test_interfaces.py and test_judging.py."""
    assert anls_score(truth, prediction, **options) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("option", [{"rules": "paper-2"}, {"numbers": "words"}, {"rules": None}])
def test_others_are_refused(option: dict[str, Any]) -> None:
    (name,) = option
    with pytest.raises(ValueError, match=f"^{name}: expected "):
        anls_score("a", "a", **option)


@golden("numbers", "spellings")
def test_the_shortest_spelling_of_a_json_number(text: str, expected: str) -> None:
    assert number_text(loads(text)) == expected


@given(st.decimals(allow_nan=False, allow_infinity=False), st.integers(-3, 3))
def test_numbers_are_equal_if_their_spellings_are(number: Decimal, shift: int) -> None:
    spelled = shortest_spelling(number)
    assert Decimal(spelled) == number
    other = number.scaleb(shift)
    assert (shortest_spelling(other) == spelled) == (other == number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_value_of_its_shortest_digits(number: float) -> None:
    assert number_text(number) == shortest_spelling(Decimal(repr(number)))


def test_numbers_beyond_every_float_are_compared_as_the_text_of_their_digits() -> None:
    one, other = loads("1e400"), loads("2e400")
    assert anls_score(one, other) == 0.8
    assert anls_score(one, other, numbers="value") == pytest.approx(400 / 401)
    assert anls_score(10**4000, 10**4000, numbers="value") == 1.0


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("seed", range(5))
def test_the_oracle_agrees_and_order_does_not_matter(seed: int, rules: str, numbers: str) -> None:
    """Numbers as other code prints them, and empty values in every place, as models print that fill in a schema."""
    rng = random.Random(seed)
    options = CompareOptions(rules=rules, numbers=numbers)
    slow = Oracle(package=rules == PACKAGE, by_value=numbers == "value")
    for number in range(250):
        truth = random_truth(rng, depth=3)
        prediction = damaged(rng, truth) if rng.random() < 0.7 else random_prediction(rng, depth=3)
        if number % 2:
            truth, prediction = respelled(rng, truth), respelled(rng, prediction)
        prediction = filled(rng, prediction) if rng.random() < 0.5 else prediction
        pairs = [(truth, prediction), (shuffled(rng, truth), shuffled(rng, prediction))]
        expected = float(slow.score(truth, prediction).score)
        assert score_all(pairs, options, str).tolist() == pytest.approx([expected] * 2, abs=1e-12), pairs[0]
        assert build_tree(truth, prediction, options).score == pytest.approx(expected, abs=1e-12), pairs[0]


def test_a_tree_says_what_is_equal_as_a_number() -> None:
    tree = score_tree({"n": 1000.0, "t": "1"}, {"n": 1000, "t": 1}, numbers="value")
    assert [leaf.reason for leaf in tree.leaves()] == ["equal as numbers", "numbers and booleans are compared as text"]


SAME_NUMBERS = [  # a value of the ground truth, one of the prediction, whether they are equal by value
    (1000, 1000.0, True),
    (1e3, 1000, True),
    (12.5, Decimal("12.50"), True),
    (1000.0, "1000", True),  # a number against the text of its shortest spelling
    (1000, "1000.0", False),  # a text stays the text that it is
    (1000, "1,000.00", False),
    (1, True, False),
    (0.1, 0.10000001, False),
]


@pytest.mark.parametrize(("truth", "prediction", "same"), SAME_NUMBERS)
def test_by_value_is_one_rule(truth: Any, prediction: Any, same: bool) -> None:
    """KIEval, Entity F1 and nTED call equal what ANLS* does."""
    pairs = [({"a": truth}, {"a": prediction}), ({"m": [{"a": truth}]}, {"m": [{"a": prediction}]})]
    for pair in pairs:
        assert (anls_score(*pair, numbers="value") == 1) == same
        assert (kieval_score(*pair, numbers="value").entities.f1 == 1) == same
        for donut in (False, True):
            assert (entity_counts(*pair, numbers="value", donut=donut).f1 == 1) == same
            assert (nted_score(*pair, numbers="value", donut=donut) == 1) == same


@golden("numbers", "means")
def test_means_of_three_systems_on_real_documents(
    docubench: Path, options: dict[str, Any], means: dict[str, float]
) -> None:
    """With numbers as text the order is gemini, claude, gpt; by value gemini, gpt, claude."""
    truths = column_of(docubench / "references.jsonl", "references")
    for system, mean in means.items():
        answers = column_of(docubench / f"predictions_{system}.jsonl", "prediction")
        pairs = [(tuple(truths[key]), answers[key]) for key in truths]
        scores = score_all(pairs, CompareOptions(**options), str)
        assert fsum(scores) / len(scores) == pytest.approx(mean, abs=1e-9)


ENTITY_F1 = {  # in percent, and whether the test against the best system, adjusted for two systems, finds a difference
    "text": ({"claude": 74.5, "gemini": 74.7, "gpt": 63.9}, {"claude": False, "gpt": True}),
    "value": ({"claude": 92.1, "gemini": 93.9, "gpt": 91.0}, {"claude": False, "gpt": False}),
}


@pytest.mark.parametrize("numbers", ENTITY_F1)
def test_kieval_of_three_systems_on_real_documents(docubench: Path, numbers: str) -> None:
    """One of them writes 1000 as 1000.0: by text it is the last, by value no system is proven to differ."""
    options: dict[str, Any] = {"metrics": ["kieval"], "numbers": numbers, "references": docubench / "references.jsonl"}
    paths = {system: docubench / f"predictions_{system}.jsonl" for system in ("claude", "gemini", "gpt")}
    systems = {name: evaluate(predictions=path, confidence=None, **options) for name, path in paths.items()}
    actual = systems_of(systems, figures=["kieval_entity_f1"], against="best")
    figures, differs = ENTITY_F1[numbers]
    assert {name: round(100 * row.figures[0].value, 1) for name, row in actual.parts()[0].items()} == figures
    assert {name: (test.adjusted or 0.0) < 0.05 for (name, _), test in actual.tests.items()} == differs


def test_the_rules_of_the_package_give_its_scores_of_real_receipts(real_receipts: Path) -> None:
    """All 60 single scores; in three the prediction alone has `sub_total: {}`, which only 1.0.1 counts as wrong."""
    truths = column_of(real_receipts / "references.jsonl", "references")
    answers = column_of(real_receipts / "predictions.jsonl", "prediction")
    recorded = json.loads((real_receipts / "anls_star_1_0_1.json").read_text("utf-8"))
    pairs = [(tuple(truths[key]), answers[key]) for key in truths]
    scores, by_paper = (score_all(pairs, CompareOptions(rules=rules), str) for rules in (PACKAGE, "paper"))
    assert scores.tolist() == pytest.approx(recorded, abs=1e-12)
    assert by_paper.mean() == pytest.approx(0.7955427981219589, abs=1e-12)
