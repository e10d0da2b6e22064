"""The fields, lists, rates and causes of a test set, against naive recounts; what is lost adds up."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter, defaultdict
from math import fsum
from typing import Any

import pytest
from hypothesis import given

import docscore
from docscore import ScoreTree, score_tree, typed_tree
from docscore.core.options import DEFAULT_OPTIONS, ScoringOptions
from docscore.data.pairing import Pairs, pairs_of
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.fields import MOST_FIELDS_TESTED
from docscore.metrics.anls_star.causes import CAUSES, OUTCOMES, FieldCounts, Outcome, places
from docscore.metrics.registry import METRICS
from docscore.metrics.typed.schema import compiled_schema
from docscore.report.content import causes_table
from tests.conftest import examples, golden, table
from tests.structures import damaged, evaluation_of, predictions, random_prediction, random_truth, truths
from tests.test_typed_score import schemas

pytestmark = [
    pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning"),
    pytest.mark.filterwarnings("ignore:references. .* accept a missing value"),  # random ground truths may
]
FIELD_KEYS = ["field", "score", "low", "high", "points_lost", "documents", *OUTCOMES, "omission_rate"]
FIELD_KEYS.append("hallucination_rate")
RATES = [
    "documents without a fault",
    "documents that lack a value",
    "documents with an invented value",
    "omission: expected values that are missing",
    "hallucination: values predicted, not expected",
]


def scored(truths: list[Any], predictions: list[Any], confidence: float | None = None, **options: Any) -> Evaluation:
    return Evaluation(pairs_of(predictions, truths), ScoringOptions(**options), confidence=confidence)


def random_scores(seed: int, count: int = 60) -> Evaluation:
    """Documents of every kind: damaged ones, and ones that have little to do with what was expected."""
    rng = random.Random(seed)
    truths = [random_truth(rng, depth=3) for _ in range(count)]
    return scored(truths, [damaged(rng, t) if rng.random() < 0.8 else random_prediction(rng, 3) for t in truths])


def leaves_of(scores: Evaluation) -> list[list[ScoreTree]]:
    """The leaves that count, document by document."""
    return [[leaf for leaf in scores.tree(n).leaves() if leaf.weight] for n in range(len(scores.ids))]


def place(leaf: ScoreTree) -> str:
    """The path without list indices; the keys of these documents are plain."""
    return re.sub(r"\[\d+\]", "[]", leaf.path).removeprefix("$").removeprefix(".") or "$"


def outcome(leaf: ScoreTree) -> str:
    return "wrong_type" if leaf.kind == "mismatch" and leaf.status == "wrong" else leaf.status


def is_left_empty(leaf: ScoreTree) -> bool:
    """A null, expected or given where nothing is: no value."""
    return leaf.kind == "null"


def share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@pytest.mark.parametrize("seed", range(4))
def test_fields_equal_a_naive_recount(seed: int) -> None:
    scores = random_scores(seed)
    by_place = defaultdict(list)
    for number, leaves in enumerate(leaves_of(scores)):
        for leaf in leaves:
            by_place[place(leaf)].append((number, leaf))
    fields = list(scores.field_table.fields.values())
    assert [field.path for field in fields] == list(by_place)
    for field in fields:
        numbers, leaves = [n for n, _ in by_place[field.path]], [leaf for _, leaf in by_place[field.path]]
        assert +Counter(field.counts) == Counter(map(outcome, leaves))
        assert field.earned == pytest.approx(math.fsum(leaf.earned for leaf in leaves))
        assert field.weight == sum(leaf.weight for leaf in leaves)
        assert field.points_lost == pytest.approx(math.fsum(leaf.points_lost for leaf in leaves))
        assert list(field.numbers) == sorted(set(numbers))
        parts = zip(field.document_earned, field.document_weight, strict=True)
        for number, part in zip(field.numbers, parts, strict=True):
            own = [leaf for n, leaf in by_place[field.path] if n == number]
            expected = math.fsum(leaf.earned for leaf in own), sum(leaf.weight for leaf in own)
            assert part == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(4))
def test_rates_of_values_equal_a_naive_recount(seed: int) -> None:
    """Nulls that were left empty are neither expected nor predicted."""
    scores = random_scores(seed)
    by_place = defaultdict(list)
    for leaf in (leaf for leaves in leaves_of(scores) for leaf in leaves if not is_left_empty(leaf)):
        by_place[place(leaf)].append(leaf.status)
    for field in scores.field_table.fields.values():
        statuses = by_place[field.path]
        missing, extra = statuses.count("missing"), statuses.count("extra")
        assert field.omission_rate == share(missing, len(statuses) - extra)
        assert field.hallucination_rate == share(extra, len(statuses) - missing)


@pytest.mark.parametrize("seed", range(3))
def test_rates_of_the_test_set_equal_a_naive_recount(seed: int) -> None:
    scores = random_scores(seed)
    documents = [[leaf.status for leaf in leaves if not is_left_empty(leaf)] for leaves in leaves_of(scores)]
    values = [status for statuses in documents for status in statuses]
    missing, extra, rows = values.count("missing"), values.count("extra"), len(documents)
    wanted = [
        (scores.scores.count(1.0), rows),
        (sum("missing" in statuses for statuses in documents), rows),
        (sum("extra" in statuses for statuses in documents), rows),
        (missing, len(values) - extra),
        (extra, len(values) - missing),
    ]
    rates = scores.rate_list
    assert [rate.name for rate in rates] == RATES
    assert [(rate.hits, rate.total) for rate in rates] == wanted
    assert [rate.value for rate in rates] == [share(*each) for each in wanted]


@golden("summary", "nulls")
def test_a_null_in_a_missing_or_invented_row_is_no_omission_and_no_hallucination(
    truth: list[Any], guess: list[Any], rules: str, outcome: Outcome, rate: str
) -> None:
    """Its points are lost; but nothing was expected or said by a key that is null. By the paper it weighs nothing."""
    name, note = scored([{"r": truth}], [{"r": guess}], rules=rules).field_table.fields.values()
    assert (name.path, getattr(name, rate)) == ("r[].n", 1.0)
    assert (note.path, note.counts[outcome], getattr(note, rate)) == ("r[].note", 1, None)


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_flat_lists_equal_a_naive_count(seed: int) -> None:
    """As many elements as the shorter list has find a partner; the rest are missing or extra."""
    rng = random.Random(seed)
    truths = [{"a": rng.choices("uvwxyz", k=rng.randint(0, 6))} for _ in range(40)]
    ours = [{"a": rng.choices("uvwxyz", k=rng.randint(0, 6))} for _ in range(40)]
    lengths = [(len(t["a"]), len(p["a"])) for t, p in zip(truths, ours, strict=True)]
    assert scored(truths, ours).field_table.lists["a[]"] == {
        "matched": sum(min(each) for each in lengths),
        "missing": sum(max(0, expected - given) for expected, given in lengths),
        "extra": sum(max(0, given - expected) for expected, given in lengths),
    }


def test_rows_of_lists_in_rows_and_under_missing_keys() -> None:
    """The elements of a missing row are missing too, and so are those of an absent key."""
    truth = {"r": [{"n": "tea", "s": ["x", "y"]}, {"n": "rum", "s": ["z"]}], "t": ["u"]}
    lists = scored([truth], [{"r": [{"n": "tea", "s": ["x", "y", "w"]}]}]).field_table.lists
    assert [(path, *counts.values()) for path, counts in lists.items()] == [
        ("r[]", 1, 1, 0),
        ("r[].s[]", 2, 1, 1),
        ("t[]", 0, 1, 0),
    ]


def test_only_the_fields_of_most_weight_have_an_interval() -> None:
    """Of 205 fields those five of which only one document has a value are the lightest."""
    keys = [f"k{number}" for number in range(MOST_FIELDS_TESTED + 5)]
    rare = keys[10:15]
    truths = [dict.fromkeys(keys, "x"), *({key: "x" for key in keys if key not in rare} for _ in range(3))]
    ours = [{**truth, "k0": "y", "k50": "y", rare[0]: "y"} for truth in truths[:2]] + truths[2:]
    summary = scored(truths, ours, 0.9)
    without = [path for path, each in summary.field_intervals.items() if each.note.startswith("only the 200 fields")]
    assert sorted(without) == sorted(rare)
    assert summary.field_intervals["k50"].ends is not None
    rows = {row["field"]: row for row in summary.to_dict()["key_scores"]}
    assert list(rows) == keys
    assert [rows[key]["low"] for key in rare] == [None] * 5


@golden("summary", "no interval")
def test_where_there_is_no_interval_a_sentence_says_why(truths: list[str], ours: list[str], note: str) -> None:
    summary = scored(truths, ours, 0.95)
    interval = summary.headline_interval()
    assert interval is not None
    assert (interval.ends, interval.note) == (None, note)
    assert summary.field_intervals["$"].note == note
    result = summary.to_dict()
    assert (result["confidence_interval"], result["standard_error"], result["confidence_note"]) == (None, None, note)


def test_the_interval_of_the_mean_does_not_depend_on_what_else_is_asked_for() -> None:
    """A resample whose mean is that of the whole is a tie, however its sum was rounded: 7 of 20 lost 1/10."""
    truths = ["abcdefghij"] * 20
    scores = scored(truths, ["abcdefghiX"] * 7 + truths[7:], 0.95)
    alone, among = (scores.headline_interval(with_fields=fields) for fields in (False, True))
    assert alone is not None
    assert among is not None
    assert alone.ends == pytest.approx(among.ends, abs=1e-9)


def test_references_that_are_json_text() -> None:
    """As other evaluation tools hold them; alternatives and values that are no text are taken as they are."""
    truths: list[Any] = ['{"total": "1"}', ('["a", "b"]', {"total": "2"}), {"total": "3"}]
    pairs = Pairs(list("abc"), truths, [{"total": "1"}, ["b", "a"], {"total": "3"}])
    assert evaluation_of(pairs).score < 1
    scored = evaluation_of(pairs, parse_references="json")
    assert scored.scores == [1.0, 1.0, 1.0]
    assert "|references:json|" in str(scored.signature)
    with pytest.raises(ValueError, match=r"^row 'b', an answer: line 1, column 1: expecting value"):
        evaluation_of(Pairs(list("ab"), ["1", "tea"], [1, 2]), parse_references="json")
    with pytest.raises(ValueError, match=r"^parse_references: expected None or 'json', got 'repair'$"):
        evaluation_of(pairs, parse_references="repair")


def test_the_lowest_come_first_and_ties_in_order() -> None:
    scored = evaluation_of(Pairs(list("abc"), ["x", "xy", "x"], ["x", "x", "y"]))
    assert [row.id for row in scored.worst(2)] == ["c", "b"]


Points = dict[tuple[str, str], float]
Lost = list[tuple[str, str, float]]  # the same as rows of a table


def by_place(lost: Lost) -> Points:
    return {(place, cause): points for place, cause, points in lost}


def points(tree: ScoreTree, **how: bool) -> Points:
    """The points lost, by place and cause; no leaf that lost some lacks a cause."""
    found: Counter[tuple[str, str]] = Counter()
    for name, node, cause in places(tree, **how):
        if not node.children and cause is not None:
            found[name, cause] += node.points_lost  # type: ignore[assignment]
    return dict(found)


def counted(counts: FieldCounts) -> Any:
    """The leaves in their order; how many elements of each list there are, in the order of the lists."""
    paths = list(dict.fromkeys(path for path, _ in counts.elements))
    return list(counts.leaves), paths, Counter(counts.elements), counts.weight


def counts_of_tree(tree: ScoreTree, **how: bool) -> Any:
    """The same of the nodes of a tree."""
    leaves, elements = [], []
    for name, node, cause in places(tree, **how):
        if not node.children and node.weight > 0:
            outcome = "wrong_type" if (node.kind, node.status) == ("mismatch", "wrong") else node.status
            points, compared = (node.earned, node.weight), (node.compared, node.unreadable)
            leaves.append((name, node.kind, outcome, *points, cause, *compared))
        if node.key is None and node is not tree:
            alone = "missing" if node.prediction_index is None else "extra"
            elements.append((name, alone if None in (node.truth_index, node.prediction_index) else "matched"))
    return leaves, list(dict.fromkeys(path for path, _ in elements)), Counter(elements), tree.weight


def check_counts(truth: Any, prediction: Any, schema: Any = None, *, parsed: bool = True, absent: bool = False) -> None:
    """What is counted of a pair is what is counted of its tree, bit for bit and in the same order."""
    tree = score_tree(truth, prediction) if schema is None else typed_tree(truth, prediction, schema)
    root = None if schema is None else compiled_schema(json.dumps(schema))
    of_pair = FieldCounts().of_pair(truth, prediction, DEFAULT_OPTIONS, root, parsed=parsed, absent=absent)
    assert counted(of_pair) == counts_of_tree(tree, parsed=parsed, absent=absent)


@golden("causes", "golden")
def test_golden_rows(truth: Any, prediction: Any, lost: Lost) -> None:
    tree = score_tree(truth, prediction)
    assert points(tree) == pytest.approx(by_place(lost))
    assert fsum(share for *_, share in lost) == pytest.approx(1 - tree.score)


@golden("causes", "unparsed")
def test_golden_rows_of_texts_that_could_not_be_parsed(truth: Any, prediction: Any, lost: Lost) -> None:
    assert points(score_tree(truth, prediction), parsed=False) == pytest.approx(by_place(lost))


@golden("causes", "absent")
def test_golden_rows_without_a_prediction(truth: Any, lost: Lost) -> None:
    assert points(score_tree(truth, None), absent=True) == pytest.approx(by_place(lost))


def test_every_cause_has_a_meaning_and_a_golden_row() -> None:
    shown = {
        cause for part in ("golden", "unparsed", "absent") for *_, lost in table("causes", part) for _, cause, _ in lost
    }
    assert shown == set(CAUSES)
    assert all(set(metric.meanings) == shown for metric in METRICS.values())


@pytest.mark.parametrize("schema", [None, {"properties": {"x": {"type": "number"}}}])
def test_a_wrong_number_of_a_schema_is_no_text_below_the_threshold(schema: Any) -> None:
    result = docscore.evaluate(predictions=[{"x": "7"}], references=[{"x": "12"}], schema=schema)
    (row,) = causes_table(result).rows
    assert row[-1].value == "wrong value"
    assert row[-1].note.startswith("another number" if schema else "a text whose similarity")


def check_tree(tree: ScoreTree, *, parsed: bool = True, absent: bool = False) -> None:
    """A leaf has a cause exactly if it lost points; the points of all causes add up to 1 - score."""
    found = list(places(tree, parsed=parsed, absent=absent))
    for _, node, cause in found:
        if not node.children:
            assert (cause is not None) == (node.earned < node.weight)
        assert cause in {None, *CAUSES}
        assert node.status != "exact" or cause is None
    leaves = [(node.points_lost, cause) for _, node, cause in found if not node.children]
    by_cause = [fsum(points_lost for points_lost, of_leaf in leaves if of_leaf == cause) for cause in CAUSES]
    assert fsum(by_cause) == pytest.approx(1 - tree.score, abs=1e-12)


@examples(300)
@given(truths, predictions)
def test_points_of_causes_add_up_for_any_values(truth: Any, prediction: Any) -> None:
    tree = score_tree(truth, prediction)
    check_tree(tree)
    check_tree(tree, parsed=False)
    check_tree(score_tree(truth, None), absent=True)
    check_counts(truth, prediction)
    check_counts(truth, prediction, parsed=False)
    check_counts(truth, None, absent=True)


@examples(100)
@given(truths, predictions, schemas)
def test_what_is_counted_by_a_schema_is_what_its_tree_says(truth: Any, prediction: Any, schema: Any) -> None:
    """How values are compared too, and which could not be read."""
    check_counts(truth, prediction, schema)


@examples(200)
@given(truths, predictions)
def test_what_is_below_a_missing_or_invented_part_has_its_cause(truth: Any, prediction: Any) -> None:
    """The outermost decides."""
    tree = score_tree(truth, prediction)
    causes = {id(node): cause for _, node, cause in places(tree)}
    for node in tree.nodes():
        if (cause := causes[id(node)]) is not None:
            assert all(causes[id(child)] in {None, cause} for child in node.children)


def check_sums(evaluation: docscore.Evaluation) -> None:
    """Causes and fields both add up to 1 - mean, and no share is negative."""
    lost, fields = 1 - evaluation.score, evaluation.field_table.by_loss()
    assert fsum(evaluation.lost.values()) == pytest.approx(lost, abs=1e-12)
    assert fsum(field.points_lost / evaluation.whole for field in fields) == pytest.approx(lost, abs=1e-12)
    assert all(share >= 0 for field in fields for share in field.lost_units.values())
    assert list(evaluation.lost) == list(CAUSES)
    ranked = [field.points_lost for field in fields]
    assert ranked == sorted(ranked, reverse=True)


@pytest.mark.parametrize("seed", range(3))
def test_sums_of_texts_that_are_parsed_and_of_missing_predictions(seed: int) -> None:
    """A text cut short is unparsable where an object or a list is expected; what is not there lacks as a whole."""
    rng = random.Random(seed)
    theirs, ours = [], []
    for number in range(80):
        truth = random_truth(rng, depth=3)
        written = json.dumps(damaged(rng, truth))
        theirs.append({"question_id": str(number), "references": [truth]})
        if rng.random() < 0.8:
            text = written if rng.random() < 0.7 else written[: rng.randint(0, len(written))]
            ours.append({"question_id": str(number), "prediction": text})
    scores = evaluation_of(pairs_of(ours, theirs, "zero"), parse="json", missing="zero")
    assert scores.failed
    assert scores.absent
    check_sums(scores)
    of_absent = fsum(1 - scores.scores[number] for number in scores.absent)
    assert scores.lost["missing prediction"] == pytest.approx(of_absent / 80, abs=1e-12)
    assert scores.lost["unparsable"] > 0


def test_a_null_that_was_predicted_is_no_missing_prediction() -> None:
    """Only a row that is not there is one; its points are told apart from a null that is."""
    theirs = [{"question_id": name, "references": ["tea"]} for name in "ab"]
    scores = evaluation_of(pairs_of([{"question_id": "a", "prediction": None}], theirs, "zero"), missing="zero")
    lost = {cause: share for cause, share in scores.lost.items() if share}
    assert lost == {"missing field": 0.5, "missing prediction": 0.5}
