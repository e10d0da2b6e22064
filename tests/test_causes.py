"""Every lost point has one cause, and the causes add up to what was lost."""

from __future__ import annotations

import json
import random
from collections import Counter
from math import fsum
from typing import Any

import pytest
from hypothesis import given

from docscore import ScoreTree, score_tree
from docscore.data.pairing import pairs_of
from docscore.evaluation.scores import score_corpus
from docscore.evaluation.summary import Analysis, analyse
from docscore.metrics.anls_star.causes import CAUSES, MEANINGS, places
from tests.conftest import examples
from tests.structures import damaged, predictions, random_truth, truths

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
Points = dict[tuple[str, str], float]

# why, truth, prediction, points lost by (place, cause)
GOLDEN: list[tuple[str, Any, Any, Points]] = [
    ("nothing lost", {"a": "x"}, {"a": "x"}, {}),
    ("null expected, an empty value given", {"a": None}, {"a": []}, {}),
    ("an empty key that nobody asked for", {"a": "x"}, {"a": "x", "b": "", "c": {}}, {}),
    ("1 of 10 letters", "abcdefghij", "abcdefghiX", {("$", "near miss"): 0.1}),
    ("a number printed with a fraction: 2 of 6 letters", {"a": 1000}, {"a": 1000.0}, {("a", "same value"): 1 / 3}),
    ("a text that spells the number", {"a": "12.50", "b": "x"}, {"a": 12.5, "b": "x"}, {("a", "same value"): 0.1}),
    ("another form of a date", {"a": "2024-03-12"}, {"a": "12 March 2024"}, {("a", "same value"): 1}),
    ("1 of 6 letters, a sign between groups", "56,000", "56000", {("$", "punctuation"): 1 / 6}),
    ("the same, of a number: the decimal sign is in doubt", {"a": 1500}, {"a": "1,500"}, {("a", "punctuation"): 1 / 5}),
    ("3 of 5 letters: below 1/2, and still punctuation", "ab", "a - b", {("$", "punctuation"): 1}),
    ("a minus sign is a part of a number: 1 of 3 letters", "-60", "60", {("$", "near miss"): 1 / 3}),
    ("a decimal sign that is lost: 1 of 4 letters", "1.50", "150", {("$", "punctuation"): 1 / 4}),
    ("a date that may be another one: 8 of 10 letters", "2024-03-04", "03/04/2024", {("$", "wrong value"): 1}),
    ("1 of 3 letters is right: below 1/2", "abc", "axy", {("$", "wrong value"): 1}),
    ("an empty text is a value", {"a": "x"}, {"a": " "}, {("a", "wrong value"): 1}),
    ("text against object", {"a": "x", "b": "y"}, "z", {("$", "wrong type"): 1}),
    ("the mismatch is lost at its own place", {"a": "x", "b": {"c": "y"}}, {"a": "x", "b": ["y"]},
     {("b", "wrong type"): 0.5}),
    ("a scalar expected, a list given: 2 of 2", "x", ["x", "y"], {("$", "wrong type"): 1}),
    ("a key that is absent", {"a": "x", "b": "y"}, {"a": "x"}, {("b", "missing field"): 0.5}),
    ("a key that is null", {"a": "x", "b": "y"}, {"a": "x", "b": None}, {("b", "missing field"): 0.5}),
    ("an object that is absent", {"a": {"b": "x", "c": "y"}}, {},
     {("a.b", "missing field"): 0.5, ("a.c", "missing field"): 0.5}),
    ("a list under an absent key", {"a": ["x", "y"]}, {}, {("a[]", "missing field"): 1}),
    ("null for everything", {"a": "x"}, None, {("a", "missing field"): 1}),
    ("an empty object for everything", {"a": ["x"]}, {}, {("a[]", "missing field"): 1}),
    ("an element without a partner", ["tea", "rum"], ["rum"], {("[]", "missing row"): 0.5}),
    ("an empty list has no rows", {"a": ["x", "y"]}, {"a": []}, {("a[]", "missing row"): 1}),
    ("null in an element without a partner counts", ["x", None], ["x"], {("[]", "missing row"): 0.5}),
    ("nested missing rows: the outer row", {"a": [{"b": [{"c": "x"}, {"c": "y"}]}]}, {"a": []},
     {("a[].b[].c", "missing row"): 1}),
    ("a row within an absent key: the key", {"a": {"b": [{"c": "x"}]}, "d": "y"}, {"d": "y"},
     {("a.b[].c", "missing field"): 0.5}),
    ("a key absent from a row that has a partner", [{"a": "x", "b": "y"}, {"a": "z"}], [{"a": "x"}, {"a": "z"}],
     {("[].b", "missing field"): 1 / 3}),
    ("one row of the inner list", [{"a": ["x", "y"]}], [{"a": ["y"]}], {("[].a[]", "missing row"): 0.5}),
    ("paired elements, one predicted null", ["a", "b"], ["a", None], {("[]", "missing field"): 0.5}),
    ("paired elements, one expected null", ["a", None], ["a", "b"], {("[]", "invented field"): 0.5}),
    ("null expected, a value given", {"a": None}, {"a": "x"}, {("a", "invented field"): 1}),
    ("null expected, a list given", None, ["x", "y"], {("[]", "invented field"): 1}),
    ("a key only predicted", {"a": "x"}, {"a": "x", "b": "y"}, {("b", "invented field"): 0.5}),
    ("an object only predicted", {}, {"a": {"b": "x"}}, {("a.b", "invented field"): 1}),
    ("rows under a key only predicted: the key", {"a": "x"}, {"a": "x", "b": [{"c": "y"}]},
     {("b[].c", "invented field"): 0.5}),
    ("an element too many", ["x"], ["x", "y"], {("[]", "invented row"): 0.5}),
    ("an element too many, null", ["x"], ["x", None], {("[]", "invented row"): 0.5}),
    ("an element once more", ["x", "z"], ["z", "x", "x"], {("[]", "repeated row"): 1 / 3}),
    ("an element once more, which is near", ["xxxx"], ["xxxy", "xxxx"], {("[]", "invented row"): 0.5}),
    ("a row once more, with its keys in another order", [{"a": "x", "b": "y"}],
     [{"a": "x", "b": "y"}, {"b": "y", "a": "x"}], {("[].a", "repeated row"): 0.25, ("[].b", "repeated row"): 0.25}),
    ("a row that nobody asked for, twice", [], ["x", "x"], {("[]", "invented row"): 0.5, ("[]", "repeated row"): 0.5}),
    ("a number once more, as a text", [1], [1, "1"], {("[]", "invented row"): 0.5}),
    ("rows once more in a part that is invented: the part", {"a": "x"}, {"a": "x", "b": ["y", "y"]},
     {("b[]", "invented field"): 2 / 3}),
    ("an element where none is expected", {"a": []}, {"a": ["x"]}, {("a[]", "invented row"): 1}),
    ("nested invented rows: the outer row", {"a": []}, {"a": [{"b": ["x", "y"]}]}, {("a[].b[]", "invented row"): 1}),
    ("an empty list against null costs 1", [], None, {("$", "missing field"): 1}),
    ("an empty object against null costs 1", {"a": {}}, {"a": None}, {("a", "missing field"): 1}),
    ("an empty list against an empty object costs nothing", [], {}, {}),
    ("an empty list against a text", [], "x", {("$", "wrong type"): 1}),
    ("one-of: right", ("tea", "rum"), "rum", {}),
    ("one-of: the nearest option, 1 of 4 letters", ("rum", "milk"), "milt", {("$", "near miss"): 0.25}),
    ("one-of of a text and an object: neither", {"a": ("x", "yy")}, {"a": {"b": "z"}}, {("a", "wrong type"): 1}),
    ("one-of, null predicted", {"a": ("x", ["y"])}, {}, {("a", "missing field"): 1}),
    ("one-of in a row without a partner", ["x", ("y", "z")], ["x"], {("[]", "missing row"): 0.5}),
    (
        "several causes, 1 of 7 each",
        {"a": "abcdefghij", "b": "x", "c": "y", "d": None, "e": ["p", "q"]},
        {"a": "abcdefghij", "b": "z", "d": "w", "e": ["q"], "f": "v"},
        {
            ("b", "wrong value"): 1 / 7,
            ("c", "missing field"): 1 / 7,
            ("d", "invented field"): 1 / 7,
            ("e[]", "missing row"): 1 / 7,
            ("f", "invented field"): 1 / 7,
        },
    ),
]  # fmt: skip
# the same where the prediction is a text that could not be parsed
UNPARSED: list[tuple[str, Any, Any, Points]] = [
    ("an object expected", {"a": "x"}, '{"a": "x', {("$", "unparsable"): 1}),
    ("a list expected", [{"a": "x"}], "Sorry.", {("$", "unparsable"): 1}),
    ("an empty list expected", [], "[", {("$", "unparsable"): 1}),
    ("a text expected: 1 of 6 letters", "totals", "total", {("$", "near miss"): 1 / 6}),
    ("a text expected, another given", "tea", "{", {("$", "wrong value"): 1}),
    ("a text expected and given", "tea", "tea", {}),
    ("one option is a text", ("tea", {"a": "x"}), "{", {("$", "wrong value"): 1}),
    ("nothing expected", None, "{", {("$", "invented field"): 1}),
]
# the same where there is no prediction
ABSENT: list[tuple[str, Any, Points]] = [
    ("a text", "tea", {("$", "missing prediction"): 1}),
    ("an empty list", [], {("$", "missing prediction"): 1}),
    (
        "its fields and rows too",
        {"a": "x", "b": [{"c": "y"}]},
        {("a", "missing prediction"): 0.5, ("b[].c", "missing prediction"): 0.5},
    ),
    ("null: nothing is missing", None, {}),
]


def points(tree: ScoreTree, **how: bool) -> Points:
    """The points lost, by place and cause; no leaf that lost some lacks a cause."""
    found: Counter[tuple[str, str]] = Counter()
    for place in places(tree, **how):
        if not place.node.children and place.cause is not None:
            found[place.name, place.cause] += place.node.points_lost  # type: ignore[assignment]
    return dict(found)


@pytest.mark.parametrize(("truth", "prediction", "lost"), [r[1:] for r in GOLDEN], ids=[r[0] for r in GOLDEN])
def test_golden_rows(truth: Any, prediction: Any, lost: Points) -> None:
    tree = score_tree(truth, prediction)
    assert points(tree) == pytest.approx(lost)
    assert fsum(lost.values()) == pytest.approx(1 - tree.score)


@pytest.mark.parametrize(("truth", "prediction", "lost"), [r[1:] for r in UNPARSED], ids=[r[0] for r in UNPARSED])
def test_golden_rows_of_texts_that_could_not_be_parsed(truth: Any, prediction: Any, lost: Points) -> None:
    assert points(score_tree(truth, prediction), parsed=False) == pytest.approx(lost)


@pytest.mark.parametrize(("truth", "lost"), [r[1:] for r in ABSENT], ids=[r[0] for r in ABSENT])
def test_golden_rows_without_a_prediction(truth: Any, lost: Points) -> None:
    assert points(score_tree(truth, None), absent=True) == pytest.approx(lost)


def test_every_cause_has_a_meaning_and_a_golden_row() -> None:
    shown = {cause for _, _, _, lost in GOLDEN + UNPARSED for _, cause in lost}
    assert shown | {cause for _, _, lost in ABSENT for _, cause in lost} == set(CAUSES) == set(MEANINGS)


def check_tree(tree: ScoreTree, *, parsed: bool = True, absent: bool = False) -> None:
    """A leaf has a cause exactly if it lost points; the points of all causes add up to 1 - score."""
    found = list(places(tree, parsed=parsed, absent=absent))
    for place in found:
        if not place.node.children:
            assert (place.cause is not None) == (place.node.earned < place.node.weight)
        assert place.cause in {None, *CAUSES}
        assert place.node.status != "exact" or place.cause is None
    by_cause = [fsum(p.node.points_lost for p in found if p.counts and p.cause == cause) for cause in CAUSES]
    assert fsum(by_cause) == pytest.approx(1 - tree.score, abs=1e-12)


@examples(300)
@given(truths, predictions)
def test_points_of_causes_add_up_for_any_values(truth: Any, prediction: Any) -> None:
    tree = score_tree(truth, prediction)
    check_tree(tree)
    check_tree(tree, parsed=False)
    check_tree(score_tree(truth, None), absent=True)


@examples(200)
@given(truths, predictions)
def test_what_is_below_a_missing_or_invented_part_has_its_cause(truth: Any, prediction: Any) -> None:
    """The outermost decides."""
    tree = score_tree(truth, prediction)
    causes = {id(place.node): place.cause for place in places(tree)}
    for node in tree.nodes():
        if (cause := causes[id(node)]) is not None:
            assert all(causes[id(child)] in {None, cause} for child in node.children)


def check_sums(analysis: Analysis) -> None:
    """Causes and fields both add up to 1 - mean, and no share is negative."""
    lost = 1 - analysis.scores.mean
    assert fsum(analysis.lost.values()) == pytest.approx(lost, abs=1e-12)
    assert fsum(map(analysis.points_lost, analysis.fields)) == pytest.approx(lost, abs=1e-12)
    assert all(share >= 0 for field in analysis.fields for share in field.lost_units.values())
    assert list(analysis.lost) == list(CAUSES)
    ranked = [field.points_lost for field in analysis.by_loss()]
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
    scores = score_corpus(pairs_of(ours, theirs, "zero"), parse="json", missing="zero")
    assert scores.failed
    assert scores.absent
    analysis = analyse(scores)
    check_sums(analysis)
    of_absent = fsum(1 - scores.scores[number] for number in scores.absent)
    assert analysis.lost["missing prediction"] == pytest.approx(of_absent / 80, abs=1e-12)
    assert analysis.lost["unparsable"] > 0


def test_a_null_that_was_predicted_is_no_missing_prediction() -> None:
    """Only a row that is not there is one; its points are told apart from a null that is."""
    theirs = [{"question_id": name, "references": ["tea"]} for name in "ab"]
    scores = score_corpus(pairs_of([{"question_id": "a", "prediction": None}], theirs, "zero"), missing="zero")
    lost = {cause: share for cause, share in analyse(scores).lost.items() if share}
    assert lost == {"missing field": 0.5, "missing prediction": 0.5}
