"""The fields, lists, rates and causes of a test set, against naive recounts; what is lost adds up."""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import fsum
from typing import Any

import pytest
from hypothesis import example, given

import docscore
from docscore import ScoreTree
from docscore.core.options import DEFAULT_OPTIONS, read_and_compare_options
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.evaluation.evaluation import Evaluation, evaluate_rows
from docscore.evaluation.fields import MOST_FIELDS_TESTED
from docscore.evaluation.figures import FILLED
from docscore.evaluation.registry import METRICS
from docscore.inputs.pairing import pairs_of
from docscore.inputs.test_set import TestSet
from docscore.metrics.anls_star.api import FieldCounts, Outcome, build_tree
from docscore.metrics.anls_star.causes import CAUSES, Cause
from docscore.metrics.anls_star.sizes import SchemaNode
from docscore.metrics.typed.schema import compiled_schema
from tests.commands import pred, ref
from tests.conftest import examples, golden, table
from tests.structures import damaged, evaluation_of, predictions, random_prediction, random_truth, truths
from tests.test_lists import assert_same_lists
from tests.test_typed_score import schemas

pytestmark = [
    pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning"),
    pytest.mark.filterwarnings("ignore::docscore.core.errors.DataWarning"),  # random documents are this odd
]


def scored(truths: list[Any], predictions: list[Any], confidence: float | None = None, **options: Any) -> Evaluation:
    return evaluate_rows(pairs_of(predictions, truths), *read_and_compare_options(options), confidence=confidence)


def place(leaf: ScoreTree) -> str:
    """The path without list indices; the keys of these documents are plain."""
    return re.sub(r"\[\d+\]", "[]", leaf.path).removeprefix("$").removeprefix(".") or "$"


def outcome(leaf: ScoreTree) -> str:
    return "wrong_type" if leaf.kind == "mismatch" and leaf.status == "wrong" else leaf.status


def is_divided(leaf: ScoreTree) -> bool:
    return outcome(leaf) == "wrong_type" and isinstance(leaf.ground_truth, dict | list)


def share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def counted_leaves(node: ScoreTree, schema: SchemaNode | None = None) -> Iterator[tuple[ScoreTree, Cause | None]]:
    """Yield the leaves with points and their causes.

    Before a leaf of the wrong type come the parts of its ground truth: missing, without a cause.
    """
    for child in node.children:
        below = None if schema is None else schema.items if child.key is None else schema.at_key(child.key)
        yield from counted_leaves(child, below)
    if is_divided(node):
        in_row = schema and SchemaNode(1.0, weighted=schema.weighted, items=schema)
        for part in build_tree([node.ground_truth], [], DEFAULT_OPTIONS, in_row).leaves():
            if part.weight:
                yield replace(part, path=node.path + part.path.removeprefix("$[0]")), None
    if not node.children and node.weight:
        yield node, node.cause


def omitted_and_invented(leaves: list[ScoreTree]) -> list[tuple[int, int]]:
    """Missing of expected values, and extra of predicted ones; a null where nothing is, is neither.

    Of a list or an object that is expected, its values count.
    """
    statuses = [leaf.status for leaf in leaves if leaf.kind != "null"]
    divided = sum(map(is_divided, leaves))
    missing, extra = statuses.count("missing"), statuses.count("extra")
    return [(missing, len(statuses) - extra - divided), (extra, len(statuses) - missing)]


@pytest.mark.parametrize("seed", range(4))
def test_fields_and_rates_equal_a_naive_recount(seed: int) -> None:
    """Of damaged documents, and of ones that have little to do with what was expected."""
    rng = random.Random(seed)
    truths = [random_truth(rng, depth=3) for _ in range(60)]
    ours = [damaged(rng, truth) if rng.random() < 0.8 else random_prediction(rng, 3) for truth in truths]
    scores = scored(truths, ours)
    documents = [list(counted_leaves(scores.row(number).tree)) for number in range(60)]
    by_place = defaultdict(list)
    for number, leaves in enumerate(documents):
        for leaf, cause in leaves:
            by_place[place(leaf)].append((number, leaf, leaf.points_lost if cause else 0.0))
    fields = list(scores.field_table.fields.values())
    assert [field.path for field in fields] == list(by_place)
    for field in fields:
        there = [leaf for _, leaf, _ in by_place[field.path]]
        assert +Counter(field.counts) == Counter(map(outcome, there))
        assert field.earned == pytest.approx(fsum(leaf.earned for leaf in there))
        assert field.weight == sum(leaf.weight for leaf in there)
        assert field.points_lost == pytest.approx(fsum(lost for *_, lost in by_place[field.path]))
        rates = [share(*each) for each in omitted_and_invented(there)]
        assert [field.omission_rate, field.hallucination_rate] == rates
        assert list(field.numbers) == sorted({number for number, *_ in by_place[field.path]})
        parts = zip(field.document_earned, field.document_weight, strict=True)
        for number, part in zip(field.numbers, parts, strict=True):
            own = [leaf for n, leaf, _ in by_place[field.path] if n == number]
            assert part == pytest.approx((fsum(leaf.earned for leaf in own), sum(leaf.weight for leaf in own)))
    counts = [omitted_and_invented([leaf for leaf, _ in leaves]) for leaves in documents]
    wanted = [
        (scores.scores.count(1.0), len(documents)),
        *((sum(each[kind][0] > 0 for each in counts), len(documents)) for kind in (0, 1)),
        *omitted_and_invented([leaf for leaves in documents for leaf, _ in leaves]),
    ]
    found = [rate for rate in scores.rate_list if rate.name != FILLED]  # which tests/test_filled.py counts
    assert [(rate.hits, rate.total) for rate in found] == wanted
    assert [rate.value for rate in found] == [share(*each) for each in wanted]


@golden("summary", "nulls")
def test_a_null_in_a_missing_or_invented_row_is_no_omission_and_no_hallucination(
    truth: list[Any], guess: list[Any], rules: str, outcome: Outcome, rate: str
) -> None:
    """Its points are lost; but nothing was expected or said by a key that is null. By the paper it weighs nothing."""
    name, note = scored([{"r": truth}], [{"r": guess}], rules=rules).field_table.fields.values()
    assert (name.path, getattr(name, rate)) == ("r[].n", 1.0)
    assert (note.path, note.counts[outcome], getattr(note, rate)) == ("r[].note", 1, None)


def test_rows_of_lists_in_rows_and_under_missing_keys() -> None:
    """The elements of a missing row are missing too, and so are those of an absent key."""
    truth = {"r": [{"n": "tea", "s": ["x", "y"]}, {"n": "rum", "s": ["z"]}], "t": ["u"]}
    lists = scored([truth], [{"r": [{"n": "tea", "s": ["x", "y", "w"]}]}]).lists
    found = [(row["field"], row["expected"], row["predicted"], row["paired"]) for row in lists]
    assert found == [("r[]", 2, 1, 1), ("t[]", 1, 0, 0), ("r[].s[]", 3, 3, 2)]


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
    interval = summary.measured[0].interval
    assert interval is not None
    assert (interval.ends, interval.note) == (None, note)
    assert summary.field_intervals["$"].note == note
    result = summary.to_dict()
    assert (result["confidence_interval"], result["standard_error"], result["confidence_note"]) == (None, None, note)


def test_references_that_are_json_text() -> None:
    """As other evaluation tools hold them; alternatives and values that are no text are taken as they are."""
    truths: list[Any] = ['{"total": "1"}', ('["a", "b"]', {"total": "2"}), {"total": "3"}]
    pairs = TestSet(list("abc"), truths, [{"total": "1"}, ["b", "a"], {"total": "3"}])
    scored = evaluation_of(pairs, parse_references="json")
    assert scored.scores == [1.0, 1.0, 1.0]
    assert "|references:json|" in str(scored.signature)
    with pytest.raises(ValueError, match=r"^row 'b': an answer: line 1, column 1: the text begins with"):
        evaluation_of(TestSet(list("ab"), ["1", "tea"], [1, 2]), parse_references="json")
    with pytest.raises(ValueError, match=r"^parse_references: expected None, 'json' or 'repair', got 'text'$"):
        evaluation_of(pairs, parse_references="text")


def leaves_of_tree(tree: ScoreTree, schema: SchemaNode | None) -> list[Any]:
    """The leaves of a tree in their order."""
    leaves = []
    for node, cause in counted_leaves(tree, schema):
        values = (node.ground_truth, node.prediction) if node.unreadable or node.ambiguous else ()
        points, compared = (node.earned, node.weight), (node.compared, node.unreadable, node.ambiguous, values)
        leaves.append((node.field_path, node.kind, outcome(node), *points, cause, *compared, is_divided(node)))
    return leaves


@golden("causes", "golden")
def test_golden_rows(truth: Any, prediction: Any, lost: list[Any], known: Cause | None) -> None:
    """No leaf that lost points lacks a cause; what is lost are places, causes and points."""
    tree = build_tree(convert_ground_truth(truth), convert_prediction(prediction), DEFAULT_OPTIONS, cause=known)
    found: dict[tuple[str, str], float] = defaultdict(float)
    for leaf in tree.leaves():
        if leaf.cause is not None:
            found[leaf.field_path, leaf.cause] += leaf.points_lost
    assert dict(found) == pytest.approx({(name, cause): points for name, cause, points in lost})
    assert fsum(points for *_, points in lost) == pytest.approx(1 - tree.score)


def test_every_cause_has_a_meaning_and_a_golden_row() -> None:
    shown = {cause for *_, lost, _ in table("causes", "golden") for _, cause, _ in lost}
    assert shown == set(CAUSES)
    assert all(set(metric.meanings) == shown for metric in METRICS.values())


@pytest.mark.parametrize("schema", [None, {"properties": {"x": {"type": "number"}}}])
def test_a_wrong_number_of_a_schema_is_no_text_below_the_threshold(schema: Any) -> None:
    result = docscore.evaluate(predictions=[{"x": "7"}], references=[{"x": "12"}], schema=schema)
    (row,) = result.causes.cells
    assert row[-1].value == "wrong value"
    assert row[-1].note.startswith("another number" if schema else "a text whose similarity")


def check(truth: Any, prediction: Any, schema: Any = None, known: Cause | None = None) -> None:
    """What is counted of a pair is what is counted of its tree, bit for bit, and leaves in the same order.

    A node has a cause exactly if it lost points, and the points of all causes add up to 1 - score. All that is below a
    missing or invented part has its cause: the outermost decides.
    """
    root = None if schema is None else compiled_schema(json.dumps(schema))
    values = convert_ground_truth(truth), convert_prediction(prediction)
    tree = build_tree(*values, DEFAULT_OPTIONS, root, known)
    counts = FieldCounts().of_pair(*values, DEFAULT_OPTIONS, root, known)
    assert (counts.leaves, counts.weight) == (leaves_of_tree(tree, root), tree.weight)
    assert_same_lists(counts, tree, root)
    for node in tree.nodes():
        assert node.cause in {None, *CAUSES}
        assert node.children or (node.cause is not None) == (node.earned < node.weight)
        if node.cause is not None:
            assert node.status != "exact"
            assert all(child.cause in {None, node.cause} for child in node.children)
    lost = [leaf.points_lost for leaf in tree.leaves() if leaf.cause is not None]
    assert fsum(lost) == pytest.approx(1 - tree.score, abs=1e-12)


@examples(300)
@example([(None, [None])], "x")  # alternatives of one size in a part of the wrong type
@given(truths, predictions)
def test_points_of_causes_add_up_for_any_values(truth: Any, prediction: Any) -> None:
    check(truth, prediction)
    check(truth, "{", known="unparsable")
    check(truth, None, known="missing prediction")


@examples(100)
@given(truths, predictions, schemas)
def test_what_is_counted_by_a_schema_is_what_its_tree_says(truth: Any, prediction: Any, schema: Any) -> None:
    """How values are compared too, and which could not be read."""
    check(truth, prediction, schema)


def test_a_null_that_was_predicted_is_no_missing_prediction() -> None:
    """Only a row that is not there is one; its points are distinguished from a null that is."""
    pairs = pairs_of([pred("a", None)], [ref("a", "tea"), ref("b", "tea")], "zero")
    lost = {cause: part for cause, part in evaluation_of(pairs, missing="zero").lost.items() if part}
    assert lost == {"missing field": 0.5, "missing prediction": 0.5}
