"""The typed score: golden rows, the oracle, what must hold for every value, and schemas that are wrong."""

from __future__ import annotations

import json
import math
import random
import re
import sys
from datetime import date
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

import docscore
from docscore import ScoreState, anls_score, evaluate, typed_score, typed_tree
from docscore.core.options import DEFAULT_READING, NUMBERS, PACKAGE, RULES, CompareOptions
from docscore.core.schema_source import SchemaSource
from docscore.evaluation.evaluation import Evaluation, evaluate_rows, figures_to_dict
from docscore.evaluation.registry import METRICS, signature_of
from docscore.inputs.pairing import pairs_of
from docscore.integrations.datasets import score_batch
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.scorer import Scorer
from docscore.metrics.base import MetricRow
from docscore.metrics.typed import readers
from docscore.metrics.typed.comparators import by_columns
from docscore.metrics.typed.schema import compiled_schema
from tests.commands import column_of, rows
from tests.conftest import DATA, examples, golden
from tests.oracle import Oracle
from tests.structures import (
    KEYS,
    damaged,
    evaluation_of,
    filled,
    predictions,
    random_prediction,
    random_truth,
    respelled,
    shuffled,
    truths,
)

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")


@pytest.mark.parametrize("case", list(rows(DATA / "typed_cases.jsonl")), ids=lambda case: case["why"])
def test_golden_rows(case: dict[str, Any]) -> None:
    tree = typed_tree(case["ground_truth"], case["prediction"], case["schema"])
    actual = typed_score(case["ground_truth"], case["prediction"], case["schema"])
    assert actual == tree.score == pytest.approx(case["expected"], abs=1e-12)
    assert case.get("reason", tree.reason) == tree.reason


def random_schema(rng: random.Random, depth: int, *, ordered: bool = False) -> dict[str, Any]:
    """A schema over the keys of the random values, with weights, types and tolerances, keys and order of lists."""
    weight = rng.choice([1, 1, 1, 2, 3, 0.5, 0.1, 0])
    settings: dict[str, Any] = {} if weight == 1 else {"weight": weight}
    schema: dict[str, Any] = {}
    if depth and rng.random() < 0.8:
        chosen = rng.sample(KEYS, rng.randint(0, len(KEYS)))
        schema["properties"] = {key: random_schema(rng, depth - 1, ordered=ordered) for key in chosen}
        schema["items"] = random_schema(rng, depth - 1, ordered=ordered)
        if rng.random() < 0.3:
            schema["additionalProperties"] = random_schema(rng, depth - 1, ordered=ordered)
        lists: list[dict[str, Any]] = [{"list_order": "kept"}] if ordered else [{}, {}, {"key": rng.choice(KEYS)}]
        settings |= rng.choice(lists)
    else:
        settings |= rng.choice([{}, {}, {"compare": "exact"}, {"compare": "text"}, {"compare": "boolean"}])
        if not settings.get("compare") and rng.random() < 0.5:
            schema["type"] = "number"
            settings |= rng.choice([{}, {}, {"tolerance": 1}, {"tolerance": "10%"}, {"tolerance": 0.5}])
    return {**schema, "x-docscore": settings} if settings else schema


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random schemas are valid, and to make sure of it takes longer than to use them."""
    monkeypatch.setattr(Draft202012Validator, "check_schema", lambda _: None)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(4))
def test_the_oracle_agrees_and_order_does_not_matter(seed: int, rules: str, numbers: str) -> None:
    """Weights, comparisons and tolerances in every place; the scorer, for one pair and by columns, and the tree."""
    rng = random.Random(seed)
    slow = Oracle(package=rules == PACKAGE, by_value=numbers == "value")
    for _ in range(200):
        schema, truth = random_schema(rng, 3), random_truth(rng, depth=3)
        prediction = damaged(rng, truth) if rng.random() < 0.7 else random_prediction(rng, depth=3)
        prediction = filled(rng, prediction) if rng.random() < 0.3 else prediction
        if rng.random() < 0.5:
            truth, prediction = respelled(rng, truth), respelled(rng, prediction)
        expected = slow.score(truth, prediction, schema)
        tree = typed_tree(truth, prediction, schema, rules=rules, numbers=numbers)
        where = (schema, truth, prediction)
        assert tree.score == pytest.approx(float(expected.score), abs=1e-9), where
        assert (tree.earned, tree.weight) == pytest.approx((float(expected.earned), float(expected.weight))), where
        other = typed_score(shuffled(rng, truth), shuffled(rng, prediction), schema, rules=rules, numbers=numbers)
        assert other == pytest.approx(tree.score, abs=1e-9), where


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("seed", range(3))
def test_the_oracle_agrees_on_lists_that_keep_their_order(seed: int) -> None:
    """It tries every alignment."""
    rng = random.Random(50 + seed)
    for _ in range(150):
        schema, truth = random_schema(rng, 3, ordered=True), random_truth(rng, depth=3)
        prediction = damaged(rng, truth) if rng.random() < 0.8 else random_prediction(rng, depth=3)
        expected, tree = Oracle().score(truth, prediction, schema), typed_tree(truth, prediction, schema)
        where = (schema, truth, prediction)
        assert (tree.earned, tree.weight) == pytest.approx((float(expected.earned), float(expected.weight))), where
        assert typed_score(truth, prediction, schema) == pytest.approx(tree.score, abs=1e-12), where


@pytest.mark.parametrize("seed", range(4))
def test_columns_agree_with_single_pairs(seed: int) -> None:
    """The two writings of the rules, with a schema."""
    rng = random.Random(100 + seed)
    for number in range(40):
        root = compiled_schema(json.dumps(random_schema(rng, 3, ordered=number % 3 == 0)))
        truths = [random_truth(rng, depth=3) for _ in range(rng.randint(1, 5))]
        answers = [damaged(rng, rng.choice(truths)) for _ in range(3)] + [random_prediction(rng, depth=3)]
        scorer = Scorer(CompareOptions())
        single = [[scorer.pair(truth, prediction, root) for prediction in answers] for truth in truths]
        earned, weight = scorer.pairwise(truths, answers, root)
        for i, row in enumerate(single):
            for j, (points, counted) in enumerate(row):
                assert (earned[i, j], weight[i, j]) == pytest.approx((points, counted), abs=1e-9)


THOROUGH = examples(150)
WEIGHTS = {"a": 0.1, "b": 0.7, "c": 0.3}
FRACTIONS = {"items": {"properties": {key: {"x-docscore": {"weight": weight}} for key, weight in WEIGHTS.items()}}}
schemas = st.integers(0, 2**32).map(lambda seed: random_schema(random.Random(seed), 3))


@THOROUGH
@given(truths, predictions)
def test_a_schema_that_says_nothing_gives_anls_star(truth: Any, prediction: Any) -> None:
    for schema in ({}, {"type": "object", "title": "anything"}, {"items": True, "properties": {"a": {}}}):
        assert typed_score(truth, prediction, schema) == pytest.approx(anls_score(truth, prediction), abs=1e-12)


@THOROUGH
@given(predictions, schemas)
@example([{"a": "x", "b": "x", "c": "x"}, {"c": "x", "a": "x"}, {"a": "x"}], FRACTIONS)
def test_a_value_scores_1_against_itself(value: Any, schema: Any) -> None:
    assert typed_score(value, value, schema) == 1.0


def test_real_documents_by_their_schemas(docubench: Path) -> None:
    """With "unequal": "text" as with numbers by value, but for one date that a system printed in another form."""
    truths_of = column_of(docubench / "references.jsonl", "references")
    as_text = {"unequal": "text"}
    options = CompareOptions(schema=docubench / "schemas", comparators={float: as_text, int: as_text})
    for system in ("claude", "gemini", "gpt"):
        actual = column_of(docubench / f"predictions_{system}.jsonl", "prediction")
        others = []
        for name, answers in truths_of.items():
            row = MetricRow(tuple(answers), actual[name], None, float, name)
            typed = METRICS["typed"].row_points(row, options)[0]
            by_value = build_tree(tuple(answers), actual[name], CompareOptions(numbers="value")).score
            if typed != pytest.approx(by_value, abs=1e-12):
                others.append((name, typed - by_value > 0.03))
        assert others == [("GW7i2xbM", True)]


# Schemas that are wrong.


@golden("wrong_schemas", "wrong schemas")
def test_a_wrong_schema_is_an_error_that_names_the_place(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  its message is compared
        typed_score("x", "x", schema)
    assert str(caught.value).startswith(f"schema: {message}")


def test_what_is_no_schema(tmp_path: Path) -> None:
    for source in (None, 3, [], object()):
        with pytest.raises(TypeError, match=r"^schema: expected a JSON Schema: a dict, a path, or a pydantic model"):
            typed_score("x", "x", source)
    for option in ("tolerance", "weight"):  # a number that no float holds
        with pytest.raises(ValueError, match=rf"^schema: #/x-docscore/{option}: expected a number of at least 0"):
            typed_score(1, 1, {"type": "number", "x-docscore": {option: 10**400}})
    (tmp_path / "s.json").write_text("{'a'}")
    with pytest.raises(ValueError, match=r"s.json, line 1, column 2: expected double quotes"):
        typed_score("x", "x", tmp_path / "s.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty: expected one JSON Schema per document, ID.json, got none"):
        typed_score("x", "x", tmp_path / "empty")
    with pytest.raises(FileNotFoundError):
        typed_score("x", "x", tmp_path / "none.json")
    with pytest.raises(ValueError, match=r"^schema: expected a JSON Schema for the metric typed, got none"):
        evaluate_rows(pairs_of(["a"], ["a"]), metrics=["typed"])


# Where schemas come from.


class Item(BaseModel):
    name: str
    price: Decimal | None = None


class Receipt(BaseModel):
    total: Annotated[float, Field(json_schema_extra={"x-docscore": {"tolerance": "1%", "weight": 3}})]
    day: date
    paid: bool = True
    items: list[Item] = []


def test_a_pydantic_model_is_a_schema() -> None:
    truth = {"total": 100, "day": "2024-03-12", "paid": True, "items": [{"name": "tea", "price": "2.50"}]}
    prediction = {"total": "100.5", "day": "12 March 2024", "paid": "yes", "items": [{"name": "tea", "price": 2.5}]}
    tree = typed_tree(truth, prediction, Receipt)
    assert (tree.earned, tree.weight) == (7.0, 7.0)
    compared = {leaf.path: leaf.compared for leaf in tree.leaves()}
    assert compared == {
        "$.total": "number, tolerance 1%",
        "$.day": "date",
        "$.paid": "boolean",
        "$.items[0].name": "",
        "$.items[0].price": "number",
    }


def test_one_schema_a_document(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"type": "number"}')
    (tmp_path / "b.json").write_text('{"type": "string"}')
    pairs = pairs_of(
        [{"question_id": name, "prediction": 1} for name in "ab"],
        [{"question_id": name, "references": [1.0]} for name in "ab"],
    )
    options = CompareOptions(schema=tmp_path)
    assert list(evaluate_rows(pairs, DEFAULT_READING, options, metrics=["anls_star", "typed"]).figures.values()) == [
        0.0,
        0.5,
    ]
    (tmp_path / "b.json").unlink()
    with pytest.raises(ValueError, match=r"^row 'b': schema: expected a file b.json in .*, got none"):
        _ = evaluate_rows(pairs, DEFAULT_READING, CompareOptions(schema=tmp_path), metrics=["typed"]).figures


def test_the_signature_holds_the_hash_of_the_schema() -> None:
    """The first eight digits of the SHA-256 of `{"type":"number"}`, whatever the order and the white space."""
    options = CompareOptions(schema={"type": "number"})
    digest = SchemaSource.of({"type": "number"}).digest
    assert signature_of("typed", options).startswith(f"typed|tau:0.5|case:i|empty:ignored|schema:{digest}|")
    assert SchemaSource.of({"a": 1, "b": 2}).digest == SchemaSource.of({"b": 2, "a": 1}).digest
    assert "schema" not in signature_of("anls_star", options)


@golden("schemas", "libraries")
def test_the_signature_holds_the_versions_of_libraries_that_the_schema_uses(
    settings: dict[str, Any], libraries: list[str]
) -> None:
    schema = {"items": {"properties": {"a": {"x-docscore": settings}}}}
    _, _, named = signature_of("typed", CompareOptions(schema=schema)).partition("|schema:")
    assert named.split("|")[1:-1] == [f"{name}:{import_module(name).__version__}" for name in libraries]


# Comparators in Python, and files of judgements.


def same_sku(truth: Any, prediction: Any) -> float:
    """Whether what is before the hyphen is the same."""
    return float(str(truth).split("-")[0] == str(prediction).split("-")[0])


@by_columns
def same_initial(truths_: list[Any], found: list[Any]) -> list[list[float]]:
    return [[float(truth[:1] == other[:1]) for other in found] for truth in truths_]


def too_much(truth: Any, prediction: Any) -> float:
    return 1.5 if truth == prediction else math.nan


def fails(truth: Any, prediction: Any) -> float:
    return truth / prediction  # type: ignore[no-any-return]


def as_text(_truth: Any, _prediction: Any) -> Any:
    return "0.5"


@by_columns
def as_texts(truths: list[Any], predictions: list[Any]) -> Any:
    return [["0.5", *(1 for _ in predictions[1:])] for _ in truths]


ORDERS: dict[str, Any] = {"items": [{"sku": "a-1", "name": "tea"}, {"sku": "b-1", "name": "milk"}], "total": "$5"}
ANSWER: dict[str, Any] = {"items": [{"sku": "b-9", "name": "milk"}, {"sku": "a-7", "name": "tea"}], "total": 5}


@pytest.mark.parametrize(
    ("comparators", "score"),
    [
        ({"items[].sku": same_sku, "total": "money"}, 1.0),
        ({"$.items[].sku": same_sku, "$.total": "money"}, 1.0),
        ({"items[].sku": same_initial, "total": {"compare": "money", "currency": "USD"}}, 1.0),
        ({'["items"][].sku': same_sku}, 0.9),
        ({"total": {"compare": "money", "currency": "required"}}, (2 * 2 / 3 + 2) / 5),
    ],
)
def test_comparators_of_fields_in_python(comparators: dict[Any, Any], score: float) -> None:
    assert typed_score(ORDERS, ANSWER, {}, comparators=comparators) == pytest.approx(score)
    evaluation = evaluate(references={"a": ORDERS}, predictions={"a": ANSWER}, comparators=comparators)
    assert evaluation.score == pytest.approx(score)
    assert ("|comparators:same_sku|" in evaluation.signature) == (same_sku in comparators.values())


@pytest.mark.parametrize(
    ("truths", "such"),
    [([["a", "b"]], "tags[]"), ([[], None], "tags[]"), ([[{"name": "a"}], [{"name": "b"}]], "tags[].name")],
)
def test_a_comparator_for_a_list_names_the_field_of_its_elements(truths: list[Any], such: str) -> None:
    """Unless some ground truth has a single value there: of one or several values, a list is one notation."""
    rows = [{"tags": truth, "total": 1} for truth in truths]
    message = re.escape(f"comparators['tags']: expected a field of single values, such as {such}, got a list")
    with pytest.raises(ValueError, match=message):
        evaluate(references=rows, predictions=rows, comparators={"tags": "exact"})
    with pytest.raises(ValueError, match=message):
        typed_score(rows[0], rows[0], {}, comparators={"tags": "exact"})
    mixed = [*rows, {"tags": "c", "total": 1}]
    assert evaluate(references=mixed, predictions=mixed, comparators={"tags": "exact"}).score == 1


def test_comparators_of_types() -> None:
    """Where the schema says the type and nothing else of how values compare."""
    schema = {"properties": {"total": {"type": "string"}, "items": {"x-docscore": {"weight": 0}}}}
    assert typed_score(ORDERS, ANSWER, schema, comparators={str: "money"}) == 1.0


@pytest.mark.parametrize(
    ("comparators", "message"),
    [
        ({"total": too_much}, "row 'a': total: expected numbers from 0 to 1 from too_much, got nan for '$5' and 5"),
        ({"total": as_text}, "row 'a': total: expected numbers from 0 to 1 from as_text, got '0.5' for '$5' and 5"),
        (
            {"items[].sku": as_texts},
            "row 'a': items[].sku: expected numbers from 0 to 1 from as_texts, got [['0.5']] for 'a-1'",
        ),
        (
            {"items": same_sku},
            "comparators['items']: expected a field of single values, such as items[].sku, got a list",
        ),
        (
            {"$.items[]": "exact"},
            "comparators['$.items[]']: expected a field of single values, such as items[].sku, got an object",
        ),
        ({"items[].sku": fails}, "row 'a': items[].sku: fails raised TypeError for 'a-1' and 'b-9': unsupported"),
        ({"items[].sku": lambda *_: 1}, "comparators['items[].sku']: expected a function with a name, got <function"),
        ({"total": 3}, "comparators['total']: expected a function, the name of a comparator, or its settings, got 3"),
        ({str: "money"}, "comparators[<class 'str'>]: expected a schema with fields of this type, got none"),
        ({3: "money"}, "comparators: expected the path of a field, or str, int, float or bool, got 3"),
        ({"a[3]": "money"}, "comparators['a[3]']: expected the path of a field, such as items[].sku, got 'a[3]'"),
        ({"total": "cash"}, "schema: #/allOf/0/properties/total/x-docscore/compare: expected one of text, exact"),
    ],
)
def test_comparators_that_are_wrong_name_the_place(comparators: dict[Any, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        _ = evaluate(references={"a": ORDERS}, predictions={"a": ANSWER}, comparators=comparators).score
    assert str(caught.value).startswith(message)


BILL = {"total": 12.5, "date": "2024-05-01", "items": [{"name": "tea", "price": 2.5}]}


@golden("warnings", "schemas that reach nothing")
def test_a_schema_that_reaches_nothing_is_an_error(schema: dict[str, Any], sentence: str) -> None:
    """Of a test set as a whole, however it is scored; functions and hooks of one row, or of a batch, say nothing."""
    sides: dict[str, Any] = {"references": [BILL, None], "predictions": [BILL, None]}
    with pytest.raises(ValueError, match=sentence):
        evaluate(**sides, schema=schema)
    with pytest.raises(ValueError, match=sentence):
        docscore.lint([BILL], schema=schema)
    parts = [ScoreState(schema=schema), ScoreState(schema=schema)]
    for part in parts:
        part.update([BILL], [BILL])
        assert part.compute(whole=False)["typed_score"] == 1.0
    with pytest.raises(ValueError, match=sentence):
        parts[0].merge(parts[1]).compute()
    assert (
        typed_score(BILL, BILL, schema)
        == score_batch({"prediction": [BILL], "references": [[BILL]]}, schema=schema)["typed_score"][0]
    )


def test_states_find_the_fields_of_a_schema_together() -> None:
    schema = {"properties": {"total": {"type": "number"}, "tip": {"type": "number"}, "Vat": {"type": "number"}}}
    rows_ = [{"total": 1}, {"tip": 1}, {"vat": 1}]
    states = [ScoreState(schema=schema) for _ in rows_]
    for state, row in zip(states, rows_, strict=True):
        state.update([row], [row])
    with pytest.warns(UserWarning, match=r"^schema: it names fields that no ground truth has: 'Vat' may be 'vat'$"):
        states[0].merge(*states[1:]).compute()


def test_two_rules_for_a_place_are_refused() -> None:
    schema = {"properties": {"total": {"x-docscore": {"compare": "exact"}}}}
    with pytest.raises(ValueError, match=r"compare is 'money' here and 'exact' in #/properties/total/x-docscore"):
        typed_score(ORDERS, ANSWER, schema, comparators={"total": "money"})
    with pytest.raises(ValueError, match="#/x-docscore: expected one comparator per field, got two"):
        typed_score(1, 1, {"x-docscore": {"compare": "exact"}}, comparators={"$": "money"})


def test_a_file_of_judgements(tmp_path: Path) -> None:
    """Its rows are a part of the hash of the schema; a pair without a verdict is counted."""
    judged = tmp_path / "judged.jsonl"
    verdicts = [("Tea", "Thé", True), ("tea", "milk", False), ("tea", "chai", 0.5)]
    texts = [{"ground_truth": a, "prediction": b, "verdict": c, "both": b == "chai"} for a, b, c in verdicts]
    judged.write_text("\n".join(map(json.dumps, texts)))
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"x-docscore": {"compare": "judgements", "judgements": "judged.jsonl"}}))
    scores = [typed_score("tea", answer, schema) for answer in ("thé", "Milk", "CHAI", "TEA", "tee")]
    assert scores == pytest.approx([1.0, 0.0, 0.5, 1.0, 2 / 3])
    assert [typed_score(text, "tea", schema) for text in ("thé", "chai")] == [0.0, 0.5]  # "both" for chai alone
    unreadable = [typed_tree("tea", answer, schema).unreadable for answer in ("tee", "thé", None)]
    assert unreadable == [("prediction",), (), ()]
    digest = SchemaSource.of(schema).digest
    judged.write_text(judged.read_text().replace("true", "false"))
    assert SchemaSource.of(schema).digest != digest
    judged.write_text('{"ground_truth": "a"}')
    with pytest.raises(ValueError, match=r"judged.jsonl, line 1: expected"):
        typed_score("a", "b", schema)


def test_a_package_that_is_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pint", None)
    monkeypatch.setitem(sys.modules, "phonenumbers", None)
    for comparison, region in (("phone", "JP"), ("unit", "")):
        settings = {"compare": comparison, **({"region": region} if region else {"unread": "wrong", "tolerance": "7%"})}
        readers.unit_registry.cache_clear()
        with pytest.raises(ValueError, match=r"without the package \w+; pip install 'docscore\[values\]'"):
            typed_score("1", "2", {"x-docscore": settings})
    readers.unit_registry.cache_clear()


@pytest.mark.parametrize(
    ("field", "meant"), [("items[].skuu", "; did you mean 'items[].sku'?"), ("sku", ""), ('["items"][].nope', "")]
)
def test_a_comparator_for_a_field_that_nothing_has_gives_a_warning(field: str, meant: str) -> None:
    sides: Any = {"gt": {"items": [{"sku": "A7"}]}, "pred": {"items": [{"sku": "A-7"}]}}
    sentence = f"{field!r}]: neither the values nor the schema has this field{meant}"
    with pytest.warns(UserWarning, match=re.escape(sentence)):
        typed_score(**sides, schema={}, comparators={field: "identifier", "items[].sku": "exact"})
    known: dict[Any, Any] = {"no": "exact", "$.items[].sku": "identifier"}
    assert typed_score(**sides, schema={"properties": {"no": {}}}, comparators=known) == 1


def test_a_share_of_a_temperature_is_refused() -> None:
    """Of a ground truth, whatever is predicted; a temperature that is predicted for another quantity is only wrong."""
    schema = {"x-docscore": {"compare": "unit", "tolerance": "5%"}}
    with pytest.raises(ValueError, match=r"^tolerance: a share of a temperature depends on its scale"):
        typed_score("20 °C", "21 °C", schema)
    with pytest.raises(ValueError, match=r"tolerance: a share of a temperature depends on its scale"):
        typed_score(["20 °C", "5 kg"], ["5 kg"], {"items": schema})
    assert typed_score("5 kg", "21 °C", schema) == 0


# What is said of values.


def test_values_that_cannot_be_read_are_counted_by_field() -> None:
    schema = {"additionalProperties": {"type": "number"}}
    truths_, actual = [{"a": 1, "b": "two"}, {"a": 3}], [{"a": "one", "b": "zwei"}, {"a": "3"}]
    evaluation = Evaluation(
        pairs_of(actual, truths_), CompareOptions(schema=schema), metrics=["typed"], confidence=None
    )
    fields = evaluation.breakdowns["typed"].tables()["typed_fields"]
    kept = [(row["field"], row["compared"], row["values"]) for row in fields]
    assert kept == [("a", "number", 2), ("b", "number", 1)]
    unread = [(row["unreadable_ground_truths"], row["unreadable_predictions"]) for row in fields]
    assert unread == [(0, 1), (1, 1)]
    assert figures_to_dict(evaluation) == {
        "typed_score": 0.5,
        "unreadable_ground_truths": 1,
        "unreadable_predictions": 2,
        "ambiguous_values": 0,
    }


def test_weights_that_are_no_whole_numbers_are_summed_exactly() -> None:
    """Two hundred values of weight 0.3 added one by one as floats make 59.99999999999979, and a score above 1."""
    schema = {"items": {"type": "number", "x-docscore": {"weight": 0.3}}}
    numbers = list(range(200))
    (field,) = evaluation_of(pairs_of([numbers], [numbers]), "typed", schema=schema).field_table.fields.values()
    assert (field.score, field.weight) == (1.0, 60.0)


def test_alternatives_that_all_refer_to_each_other_are_refused() -> None:
    """Each way through them would be looked at, which are millions."""
    layers = [{"anyOf": [{"$ref": f"#/$defs/{layer}{i}"} for i in range(10)]} for layer in range(1, 7)] + [{}]
    names = {f"{layer}{i}": {**layers[layer], "title": str(i)} for layer in range(1, 7) for i in range(10)}
    schema = {"$defs": names, **layers[0]}
    with pytest.raises(ValueError, match="alternatives that lead to at most 100,000 schemas, got more"):
        typed_score({"x": "1"}, {"x": "2"}, schema)
