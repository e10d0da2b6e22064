"""KIEval and its entities: the paper's examples, figures on real receipts, a brute force, what changes no count."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import islice, permutations
from pathlib import Path
from typing import Any, get_args

import pytest

from docscore.core.values import convert_ground_truth
from docscore.inputs.confidences import unwrapped
from docscore.metrics.entities import (
    MOST_READINGS,
    Edit,
    Entity,
    Group,
    as_one_group,
    document_of,
    matched_groups,
    readings,
    steps_between,
    text_of_entities,
)
from docscore.metrics.kieval import Counts, GroupCounts, KieScore, entity_counts, kieval_score, total_kieval
from tests.commands import column_of
from tests.conftest import golden
from tests.structures import damaged, random_prediction, random_truth, shuffled, taken

Totals = tuple[Counts, GroupCounts]


def totals(truth: Any, prediction: Any, **options: Any) -> Totals:
    score = kieval_score(truth, prediction, **options)
    return score.entities, score.groups


def test_sixty_real_receipts(real_receipts: Path) -> None:
    """The counts and figures published with the official code for these documents."""
    truths = column_of(real_receipts / "references.jsonl", "references")
    guesses = column_of(real_receipts / "predictions.jsonl", "prediction")
    score = total_kieval(kieval_score(tuple(answers), guesses[key]) for key, answers in truths.items())
    assert (score.entities, score.groups) == ((610, 83, 70, 98), (160, 91, 1, 28))
    e = score.entities
    assert (e.f1, e.precision, e.recall) == pytest.approx((0.785070785070785, 0.7711757269279393, 0.799475753604244))
    assert (score.groups.f1, e.aligned) == pytest.approx((0.6026365348399245, 0.7084785133565621), abs=1e-12)


@golden("kieval", "scenarios")
def test_each_scenario_needs_one_correction(prediction: Any, counts: list[int], f1: float, aligned: float) -> None:
    """Those of the paper's figure 3; F1 counts a wrong value twice, once on either side."""
    score = kieval_score({"company": "A", "date": "1", "total": "9"}, prediction)
    assert (score.entities, score.entities.corrections, len(score.corrections())) == (tuple(counts), 1, 1)
    assert (score.entities.f1, score.entities.aligned) == pytest.approx((f1, aligned))


@golden("kieval", "counts")
def test_counts(truth: Any, prediction: Any, entities: list[int], groups: list[int]) -> None:
    assert totals(truth, prediction) == (tuple(entities), tuple(groups))


def test_figures_are_1_where_there_is_nothing_to_count() -> None:
    score = KieScore()
    e = score.entities
    assert (e.precision, e.recall, e.f1, e.aligned, score.groups.f1) == (1.0,) * 5
    assert total_kieval([]) == score


def test_normalise_ignores_case_and_white_space() -> None:
    truth, prediction = {"a": "1  May", "m": [{"b": ("X", "Y")}]}, {"a": "1 MAY ", "m": [{"b": "y"}]}
    assert totals(truth, prediction) == (Counts(0, 2, 0, 0), GroupCounts(0, 1, 0, 0))
    assert totals(truth, prediction, normalise=True) == (Counts(2), GroupCounts(1))
    actual = [entity_counts({"a": "May"}, {"a": " MAY"}, normalise=each, donut=True).f1 for each in (False, True)]
    assert actual == [0.0, 1.0]


def random_groups(rng: random.Random, *, truth: bool) -> list[dict[str, Any]]:
    """Up to five groups of few values, some empty, some with several values of a type or alternatives."""

    def value() -> Any:
        if truth and rng.random() < 0.25:
            return tuple(rng.choices("xyz", k=2))
        return rng.choices("xyz", k=rng.randint(0, 2)) if rng.random() < 0.3 else rng.choice("xyz")

    return [{key: value() for key in rng.sample("abc", rng.randint(0, 3))} for _ in range(rng.randint(0, 5))]


def groups_of(value: Any) -> list[Group]:
    return document_of({"m": value})[1:]


def common(truth: list[Entity], prediction: list[Entity]) -> int:
    """How many entities can be paired with an identical one: the larger of taking the first or leaving it."""
    if not truth:
        return 0
    first, rest = truth[0], truth[1:]
    best = common(rest, prediction)
    for i, each in enumerate(prediction):
        if each.kind == first.kind and each.texts[0] in first.texts:
            best = max(best, 1 + common(rest, prediction[:i] + prediction[i + 1 :]))
    return best


def compared(truth: Group | None, prediction: Group | None) -> tuple[int, int, int]:
    """Identical entities, corrections, and 1 where the pair is right."""
    here, there = truth.entities if truth else [], prediction.entities if prediction else []
    identical = common(here, there)
    counts = [Counter(entity.kind for entity in side) for side in (here, there)]
    corrections = (counts[0] | counts[1]).total() - identical
    return identical, corrections, int(corrections == 0 and truth is not None and prediction is not None)


def best_of_all_matchings(truths: list[Group], predictions: list[Group]) -> tuple[int, int, int]:
    """Most identical entities, then the fewest corrections in all, then most right groups; as many pairs as can be."""
    longest = max(len(truths), len(predictions))
    here: list[Group | None] = [*truths, *[None] * (longest - len(truths))]
    there: list[Group | None] = [*predictions, *[None] * (longest - len(predictions))]
    table = [[compared(truth, prediction) for prediction in there] for truth in here]
    sums = (
        [sum(table[i][j][k] for i, j in enumerate(order)) for k in range(3)] for order in permutations(range(longest))
    )
    identical, corrections, right = max((a, -b, c) for a, b, c in sums)
    return identical, -corrections, right


@pytest.mark.parametrize("seed", range(6))
def test_groups_are_matched_as_by_a_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        truth, prediction = random_groups(rng, truth=True), random_groups(rng, truth=False)
        groups = groups_of(truth), groups_of(prediction)
        score = kieval_score({"m": truth}, {"m": prediction})
        actual = score.entities.right, score.entities.corrections, score.groups.right
        assert actual == best_of_all_matchings(*groups), (truth, prediction)
        pairs = matched_groups(*groups)
        assert sum(None not in pair for pair in pairs) == min(map(len, groups))


def structures(rng: random.Random) -> tuple[Any, Any]:
    truth = random_truth(rng, 4)
    return truth, rng.choice([random_prediction(rng, 4), damaged(rng, truth)])


def structures_of_groups(rng: random.Random) -> tuple[Any, Any]:
    return {"m": random_groups(rng, truth=True)}, {"m": random_groups(rng, truth=False)}


COUNTING: list[Callable[[Any, Any], Any]] = [totals, partial(totals, normalise=True), entity_counts]


@pytest.mark.parametrize("count", COUNTING, ids=["kieval", "normalised", "entity_f1"])
@pytest.mark.parametrize("draw", [structures, structures_of_groups])
@pytest.mark.parametrize("seed", range(5))
def test_order_changes_no_count(seed: int, draw: Callable[[random.Random], tuple[Any, Any]], count: Any) -> None:
    """Neither that of lists, nor of keys, nor of alternatives."""
    rng = random.Random(seed)
    for _ in range(40):
        truth, prediction = draw(rng)
        wanted = count(truth, prediction)
        for _ in range(3):
            mixed = shuffled(rng, truth), shuffled(rng, prediction)
            assert count(*mixed) == wanted, (truth, prediction, mixed)


@pytest.mark.parametrize("seed", range(50))
def test_entity_f1_is_the_same_where_nothing_is_grouped(seed: int) -> None:
    """Table 1 of the paper: the two part only over groups."""
    rng = random.Random(seed)
    truth = {key: rng.choices("xyz", k=rng.randint(0, 3)) for key in "abcd"} | {"e": ("x", "y")}
    prediction = {key: rng.choices("xyz", k=rng.randint(0, 3)) for key in "bcde"}
    score, plain = kieval_score(truth, prediction).entities, entity_counts(truth, prediction)
    assert score.f1 == plain.f1
    assert plain == (score.right, score.substitutions + score.deletions, score.substitutions + score.additions)


@pytest.mark.parametrize("seed", range(100))
def test_bounds_and_totals(seed: int) -> None:
    """Every figure is in [0, 1]; each entity of either side is in one step; counts by type add up."""
    rng = random.Random(seed)
    truth, prediction = random_truth(rng, 4), random_prediction(rng, 4)
    score = kieval_score(truth, prediction)
    e, g = score.entities, score.groups
    assert all(0 <= figure <= 1 for figure in (e.precision, e.recall, e.f1, e.aligned, g.f1))
    document = document_of(prediction)
    assert e.right + e.substitutions + e.deletions == sum(1 for _ in as_one_group(document).entities)
    assert g.right + g.wrong + g.invented == len(document) - 1
    assert Counter(step.edit for step in score.steps) == +Counter(dict(zip(get_args(Edit), e, strict=True)))
    assert len(score.corrections()) == e.corrections
    assert total_kieval([KieScore(entities=each) for each in score.by_entity.values()]).entities == e
    assert total_kieval([KieScore(groups=each) for each in score.by_group.values()]).groups == g


@pytest.mark.parametrize("seed", range(100))
def test_a_document_against_itself_needs_no_correction(seed: int) -> None:
    """Nor does the choice of the first of all alternatives."""
    truth = random_truth(random.Random(seed), 4)
    score = kieval_score(truth, taken(truth))
    assert (score.entities.f1, score.entities.aligned, score.groups.f1) == (1.0, 1.0, 1.0)
    assert score.corrections() == []


def texts_of(group: Group | None) -> Counter[tuple[str, str]]:
    return Counter((entity.kind, entity.texts[0]) for entity in (group.entities if group else []))


def corrected(truth: Group | None, prediction: Group | None) -> Counter[tuple[str, str]]:
    """The prediction's entities after the corrections."""
    result = texts_of(prediction)
    for step in steps_between(truth, prediction):
        if step.edit in ("change", "delete"):
            assert step.prediction is not None
            result[step.prediction.kind, step.prediction.texts[0]] -= 1
        if step.edit in ("change", "add"):
            assert step.truth is not None
            result[step.truth.kind, step.truth.texts[0]] += 1
    return +result


@pytest.mark.parametrize("seed", range(100))
def test_the_corrections_lead_to_the_ground_truth(seed: int) -> None:
    """For each pair of groups, and for what stands alone; a group without a partner is made, or goes."""
    rng = random.Random(seed)
    truth, prediction = (document_of(random_prediction(rng, 4)) for _ in range(2))
    for kind in {group.kind for group in truth[1:] + prediction[1:]}:
        sides = ([group for group in each[1:] if group.kind == kind] for each in (truth, prediction))
        for here, there in [*matched_groups(*sides), (truth[0], prediction[0])]:
            assert corrected(here, there) == texts_of(here)


@pytest.mark.parametrize("seed", range(40))
def test_the_best_reading_counts(seed: int) -> None:
    """The largest Aligned of all readings, each scored by itself."""
    rng = random.Random(seed)
    truth = random_truth(rng, 4)
    prediction = damaged(rng, truth)
    plain = list(readings(convert_ground_truth(truth), scalars=True))
    best = max(kieval_score(each, prediction).entities.aligned for each in plain)
    assert kieval_score(truth, prediction).entities.aligned == best


def test_steps_in_plain_types() -> None:
    """Of alternatives all are said; what is to be added has its place in the ground truth."""
    truth = {"m": [{"a": ("x", "y"), "b": 1}], "c": None}
    score = kieval_score(truth, {"m": [{"a": "z"}], "c": True}).to_dict()
    assert json.loads(json.dumps(score)) == score
    assert score["corrections"] == [
        {"edit": "delete", "entity": "c", "place": "$.c", "expected": None, "predicted": True},
        {"edit": "change", "entity": "m.a", "place": "$.m[0].a", "expected": {"$one_of": ["x", "y"]}, "predicted": "z"},
        {"edit": "add", "entity": "m.b", "place": "$.m[0].b", "expected": 1, "predicted": None},
    ]
    assert score["entities"] == {"right": 0, "substitutions": 1, "additions": 1, "deletions": 1}
    assert score["groups"] == {"right": 0, "wrong": 1, "missed": 0, "invented": 0}


Pairs = list[list[str]]


def seen(value: Any, **options: Any) -> dict[str, Pairs]:
    """The entities of each group as (type, text), by the place of the group; "$" has those that stand alone."""
    document = document_of(value, text_of_entities(**{"normalise": False, "numbers": "text", **options}))
    return {
        f"{group.kind}@{group.place}": [[entity.kind, entity.texts[0]] for entity in group.entities]
        for group in document
    }


def places(value: Any) -> list[str]:
    return [entity.place for entity in as_one_group(document_of(value)).entities]


@golden("entities", "groups")
def test_groups_and_entities(value: Any, expected: dict[str, Pairs]) -> None:
    assert seen(value) == expected


def test_places_lead_to_the_values() -> None:
    value = {"m": [{"n": "x", "odd key": ["y", "z"]}], "t": {"u": {"v": "w"}}, "a": [["q"]]}
    actual = ["$.a[0][0]", "$.m[0].n", '$.m[0]["odd key"][0]', '$.m[0]["odd key"][1]', "$.t.u.v"]
    assert places(value) == actual
    assert places("x") == ["$"]
    assert places(["x", {"a": "y"}]) == ["$[0]", "$[1].a"]


@golden("entities", "texts")
def test_texts_of_entities(values: list[Any], options: dict[str, Any], texts: list[str]) -> None:
    assert seen({"a": values}, **options) == {"@$": [["a", text] for text in texts]}
    with pytest.raises(ValueError, match=r"^numbers: expected 'text' or 'value', got 'number'$"):
        seen({"a": values}, **{**options, "numbers": "number"})


@pytest.mark.parametrize(
    ("normalise", "texts"), [(False, ("X", "x", "true", "1")), (True, ("x", "true", "1"))], ids=["exact", "folded"]
)
def test_alternatives_among_scalars_are_one_entity(normalise: bool, texts: tuple[str, ...]) -> None:
    [entity] = as_one_group(
        document_of({"a": ("X", "x", True, 1)}, text_of_entities(normalise=normalise, numbers="text"))
    ).entities
    assert (entity.texts, entity.value) == (texts, ("X", "x", True, 1))


@golden("entities", "readings")
def test_readings(truth: Any, found: list[Any], chosen: list[Any]) -> None:
    """Alternatives among scalars stay together unless asked; where one of them is empty, there is a choice."""
    plain = convert_ground_truth(truth)
    assert list(readings(plain)) == list(map(convert_ground_truth, found))
    assert list(readings(plain, scalars=True)) == list(map(convert_ground_truth, chosen))


def test_a_thousand_readings_are_the_most() -> None:
    """500 times 2; one more is an error that says so, and scalars that stay together do not count."""
    most: Any = {"a": tuple([str(each)] for each in range(500)), "b": (["x"], ["y"])}
    assert len(list(readings(most))) == MOST_READINGS == 1000
    message = r"^\$: expected at most 1,000 readings of a ground truth with alternatives, got more$"
    with pytest.raises(ValueError, match=message):
        list(readings({**most, "c": (["x"], ["y"])}))
    with pytest.raises(ValueError, match=message):
        list(readings(tuple([str(each)] for each in range(1001))))
    scalars: Any = [("x", "y")] * 40
    assert list(readings(scalars)) == [scalars]
    with pytest.raises(ValueError, match=message):
        list(readings(scalars, scalars=True))


def test_many_nested_alternatives_are_refused_at_once() -> None:
    """2 to the power of 2,000 readings: no more are made than are needed to know."""
    truth: Any = [{"a": [([["x"]], {"b": (["y"], ["z"])})] * 10}] * 100
    with pytest.raises(ValueError, match=r"expected at most 38 readings of .*, 1,000 values and 3,000 characters"):
        list(islice(readings(truth), 1))


def test_many_readings_of_a_large_ground_truth_are_refused() -> None:
    """Each of 512 readings of 200 values was compared: a minute."""
    truth: list[Any] = [([number], {"a": number}) for number in range(9)]
    with pytest.raises(ValueError, match=r"^\$: expected at most 189 readings of a .*, 209 values and 200 "):
        next(readings([*truth, *["x"] * 200]))
    assert len(list(readings([*truth[:5], *["x"] * 200]))) == 32
    with pytest.raises(ValueError, match=r"expected at most 181 readings .*, 10 values and 21,000 characters"):
        next(readings([*truth, "x" * 21_000]))


def sure(value: Any, confidences: Any) -> list[float | None]:
    return [entity.confidence for entity in as_one_group(document_of(value, confidences=confidences)).entities]


@golden("entities", "confidences beside")
def test_confidences_beside(value: Any, given: Any, found: list[float | None]) -> None:
    assert sure(value, given) == found


@pytest.mark.parametrize("wrong", [-0.01, 1.01, float("nan"), float("inf"), True, "0.5", {"x": 0.5}, [0.5]])
def test_what_is_no_confidence_is_named_with_its_place(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"^\$\.m\[0\]\.n: expected a confidence from 0 to 1, got "):
        document_of({"m": [{"n": "y"}]}, confidences={"m": [{"n": wrong}]})


@golden("entities", "confidences inside")
def test_confidences_inside(prediction: Any, value: Any, confidences: Any) -> None:
    assert unwrapped(prediction) == (value, confidences)


@pytest.mark.parametrize("others", [{"x": 1}, {"$confidence": 0.5, "y": 1}, {2: 1, "y": 1}])
def test_other_keys_beside_a_wrapped_value(others: dict[Any, Any]) -> None:
    with pytest.raises(ValueError, match=r"^expected an object with only '\$value' and '\$confidence', got "):
        unwrapped({"a": [{"$value": "x", **others}]})
