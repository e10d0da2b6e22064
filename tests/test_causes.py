"""Every lost point has one cause, and the causes add up to what was lost."""

from __future__ import annotations

import json
import random
from collections import Counter
from math import fsum
from typing import Any

import pytest
from hypothesis import given

import docscore
from docscore import ScoreTree, score_tree
from docscore.core.options import DEFAULT_OPTIONS
from docscore.data.pairing import pairs_of
from docscore.metrics.anls_star.causes import CAUSES, FieldCounts, places
from docscore.metrics.registry import METRICS
from docscore.report.content import causes_table
from tests.conftest import examples, golden, table
from tests.structures import damaged, evaluation_of, predictions, random_truth, truths

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
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


def check_counts(truth: Any, prediction: Any, *, parsed: bool = True, absent: bool = False) -> None:
    """What is counted of a pair is what is counted of its tree, bit for bit and in the same order."""
    tree = score_tree(truth, prediction)
    of_tree = counted(FieldCounts().of_tree(tree, parsed=parsed, absent=absent))
    of_pair = FieldCounts().of_pair(truth, prediction, DEFAULT_OPTIONS, parsed=parsed, absent=absent)
    assert counted(of_pair) == of_tree


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
