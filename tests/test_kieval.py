"""KIEval: the paper's examples, published figures on real receipts, a brute force, and what may not change a count."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any, get_args

import pytest

from docscore.core.values import convert_ground_truth
from docscore.metrics.entities import (
    Edit,
    Entity,
    Group,
    as_one_group,
    document_of,
    matched_groups,
    readings,
    steps_between,
)
from docscore.metrics.entity_f1 import entity_counts
from docscore.metrics.kieval import Counts, GroupCounts, KieScore, kieval_score, total_kieval
from tests.conftest import golden
from tests.structures import damaged, random_prediction, random_truth, shuffled, taken

Totals = tuple[Counts, GroupCounts]


def totals(truth: Any, prediction: Any, **options: Any) -> Totals:
    score = kieval_score(truth, prediction, **options)
    return score.entities, score.groups


# Published with the official code for these 60 documents.
FIGURES = {
    "kieval_entity_f1": 0.7850707850707850,
    "kieval_entity_precision": 0.7711757269279393,
    "kieval_entity_recall": 0.7994757536042440,
    "kieval_group_f1": 0.6026365348399245,
    "kieval_aligned": 0.7084785133565621,
}
ENTITIES, GROUPS = Counts(610, 83, 70, 98), GroupCounts(160, 91, 1, 28)


def receipts(folder: Path, side: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{side}.jsonl").read_text("utf-8").splitlines()]


def test_sixty_real_receipts(real_receipts: Path) -> None:
    predictions = {row["question_id"]: row["prediction"] for row in receipts(real_receipts, "predictions")}
    references = receipts(real_receipts, "references")
    found = total_kieval(kieval_score(tuple(row["references"]), predictions[row["question_id"]]) for row in references)
    assert (found.entities, found.groups) == (ENTITIES, GROUPS)
    e = found.entities
    figures = (e.f1, e.precision, e.recall, found.groups.f1, e.aligned)
    assert figures == pytest.approx(tuple(FIGURES.values()), abs=1e-12)


@golden("kieval", "scenarios")
def test_each_scenario_needs_one_correction(prediction: Any, counts: list[int], f1: float, aligned: float) -> None:
    """Those of the paper's figure 3; F1 counts a wrong value twice, once on either side."""
    score = kieval_score({"company": "A", "date": "1", "total": "9"}, prediction)
    assert (score.entities, score.entities.corrections, len(score.corrections())) == (tuple(counts), 1, 1)
    assert (score.entities.f1, score.entities.aligned) == pytest.approx((f1, aligned))


def test_values_grouped_wrongly() -> None:
    """The paper's figure 5, top: every value is there, and no group has more than one of each row."""
    truth = {"menu": [{"nm": "Tea", "cnt": "1", "price": "10"}, {"nm": "Rum", "cnt": "2", "price": "20"}]}
    prediction = {"menu": [{"nm": "Tea", "cnt": "2"}, {"cnt": "1", "price": "20"}, {"nm": "Rum", "price": "10"}]}
    score = kieval_score(truth, prediction)
    assert entity_counts(truth, prediction).f1 == 1.0
    assert (score.entities.f1, score.groups.f1) == (1 / 3, 0.0)
    assert kieval_score(truth, truth).groups == GroupCounts(right=2)


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
    found = common(rest, prediction)
    for i, each in enumerate(prediction):
        if each.kind == first.kind and each.texts[0] in first.texts:
            found = max(found, 1 + common(rest, prediction[:i] + prediction[i + 1 :]))
    return found


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
        found = score.entities.right, score.entities.corrections, score.groups.right
        assert found == best_of_all_matchings(*groups), (truth, prediction)
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
    found = kieval_score(truth, {"m": [{"a": "z"}], "c": True}).to_dict()
    assert json.loads(json.dumps(found)) == found
    assert found["corrections"] == [
        {"edit": "delete", "entity": "c", "place": "$.c", "expected": None, "predicted": True},
        {"edit": "change", "entity": "m.a", "place": "$.m[0].a", "expected": {"$one_of": ["x", "y"]}, "predicted": "z"},
        {"edit": "add", "entity": "m.b", "place": "$.m[0].b", "expected": 1, "predicted": None},
    ]
    assert found["entities"] == {"right": 0, "substitutions": 1, "additions": 1, "deletions": 1}
    assert found["groups"] == {"right": 0, "wrong": 1, "missed": 0, "invented": 0}
