"""Comparisons of two systems: tests against all swaps, lists of documents, fields, gates, the primary metric."""

from __future__ import annotations

import inspect
import pickle
import random
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import docscore
from docscore import anls_score, score_pairs, score_tree
from docscore.core.options import CompareOptions, ReadOptions, read_and_compare_options
from docscore.core.schema_source import SchemaSource
from docscore.evaluation.automation import Curve, DocumentReview, automation_curve
from docscore.evaluation.comparison import Change, UndecidedError, compare, decide, decide_level
from docscore.evaluation.evaluation import Evaluation, evaluate_rows
from docscore.evaluation.fields import MOST_FIELDS_TESTED
from docscore.inputs.pairing import pairs_of
from docscore.stats.intervals import NO_CHANGE, Interval, Ratios
from docscore.stats.significance import permutation_p_values
from tests.commands import pred, ref
from tests.conftest import golden

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
TEXT = "abcdefghij"
Sums = list[tuple[int, int]]  # numerator and denominator of each document


def worn(letters: int) -> str:
    """The text with some of its ten letters wrong."""
    return TEXT[: 10 - letters] + "#" * letters


def analysed(answers: dict[str, Any], truth: Any = TEXT, **options: Any) -> Evaluation:
    """Answers by id, all of one ground truth."""
    pairs = pairs_of([pred(*row) for row in answers.items()], [ref(name, truth) for name in answers])
    return evaluate_rows(pairs, *read_and_compare_options(options))


def of_letters(*wrong: int) -> Evaluation:
    """Documents "0", "1", ... with so many of ten letters wrong."""
    return analysed({str(number): worn(letters) for number, letters in enumerate(wrong)})


def documents(seed: int, count: int = 30) -> tuple[Evaluation, Evaluation]:
    """Two systems on the same objects; each answers about two thirds of the fields right."""
    rng = random.Random(seed)
    truth = {"a": TEXT, "b": TEXT, "c": [TEXT, "other"]}

    def answer() -> Any:
        keys = [key for key in "ab" if rng.random() < 0.9]
        rows = [TEXT if rng.random() < 0.6 else worn(2), *(["other"] if rng.random() < 0.7 else [])]
        return {**{key: worn(rng.choice([0, 0, 1, 3])) for key in keys}, "c": rows}

    first, second = ({f"id{n}": answer() for n in range(count)} for _ in range(2))
    return analysed(first, truth), analysed(second, truth)


def ratios(*columns: Sums) -> Ratios:
    both = np.array(columns, dtype=np.float64).transpose(2, 1, 0)
    return Ratios(both[0], both[1])


def quotient(sums: Sums) -> Fraction:
    tops, bottoms = (sum(each) for each in zip(*sums, strict=True))
    return Fraction(tops, bottoms) if bottoms else Fraction(1)


def exact_p(base: Sums, new: Sums) -> Fraction:
    """The share of all 2^n swaps whose difference is at least as large as the one found."""
    difference = abs(quotient(new) - quotient(base))
    swaps = list(product((False, True), repeat=len(base)))
    large = 0
    for swap in swaps:
        one = [b if s else a for a, b, s in zip(base, new, swap, strict=True)]
        other = [a if s else b for a, b, s in zip(base, new, swap, strict=True)]
        large += abs(quotient(other) - quotient(one)) >= difference
    return Fraction(large, len(swaps))


def draw(rng: random.Random, count: int, heaviest: int) -> Sums:
    weights = [rng.randint(1, heaviest) for _ in range(count)]
    return [(rng.randint(0, weight), weight) for weight in weights]


@pytest.mark.parametrize("count", range(1, 9))
@pytest.mark.parametrize("heaviest", [1, 4])
def test_p_values_equal_those_of_all_swaps(count: int, heaviest: int) -> None:
    """Means and ratios with weights that differ between the two, several at a time; small integers tie all the time."""
    rng = random.Random(count)
    for _ in range(6):
        base, new = ([draw(rng, count, heaviest) for _ in range(3)] for _ in range(2))
        wanted = [float(exact_p(*sides)) for sides in zip(base, new, strict=True)]
        assert permutation_p_values(ratios(*base), ratios(*new)) == pytest.approx(wanted, abs=1e-12)


def test_documents_on_which_both_agree_change_nothing() -> None:
    rng = random.Random(3)
    base, new, alike = (draw(rng, 7, 1) for _ in range(3))
    [alone] = permutation_p_values(ratios(base), ratios(new))
    assert permutation_p_values(ratios(base + alike * 20), ratios(new + alike * 20)) == pytest.approx([alone])


ONE = analysed({"a": TEXT})
IN_CLUSTERS = replace(ONE.test_set, clusters=ONE.ids)
BOTH_RULES = r"expected both scored by the same rules, got anls_star\|.* and anls_star\|.*"
REFUSED: list[tuple[Evaluation, Evaluation, str]] = [
    (
        analysed({"a": TEXT, "b": TEXT}),
        analysed({"a": TEXT, "c": TEXT}),
        "expected the same ids on both sides, got 2 on one side only, such as 'b'",
    ),
    (ONE, analysed({"a": TEXT}, threshold=0.4), BOTH_RULES),
    (ONE, analysed({"a": TEXT}, ignore_case=False), BOTH_RULES),
    # intervals and tests were those of the clusters of the second system, or of none
    (ONE, Evaluation(IN_CLUSTERS), "cluster: expected the same for both systems, got different clusters"),
    (Evaluation(IN_CLUSTERS), ONE, "cluster: expected the same for both systems, got different clusters"),
]


@pytest.mark.parametrize(("base", "new", "message"), REFUSED)
def test_what_cannot_be_compared(base: Evaluation, new: Evaluation, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^{message}$"):
        compare(base, new)


@pytest.mark.parametrize("seed", range(3))
def test_q_values_are_those_of_the_tested_fields(seed: int) -> None:
    base, new = documents(seed)
    fields = compare(base, new).field_changes
    tested = [field for field in fields if field.p_value is not None]
    wanted = stats.false_discovery_control([field.p_value for field in tested])
    assert [field.adjusted for field in tested] == pytest.approx(wanted.tolist())
    assert {field.name for field in fields} == {"a", "b", "c[]"}
    for field in fields:
        scores = [side.field_table.fields[field.name].score for side in (base, new)]
        assert [field.base, field.new] == pytest.approx(scores)
    changes = [abs(field.difference or 0.0) for field in fields]
    assert changes == sorted(changes, reverse=True)


def test_fields_are_tested_by_all_swaps_of_their_own_sums() -> None:
    base, new = documents(5, count=8)
    for field in compare(base, new).field_changes:
        if field.p_value is not None:
            assert field.p_value == pytest.approx(float(exact_p(*(sums(side, field.name) for side in (base, new)))))


def sums(system: Evaluation, path: str) -> Sums:
    """Numerators and denominators of a field in sixtieths; similarities of ten letters are integers of them."""
    field = system.field_table.fields[path]
    parts = dict(zip(field.numbers, zip(field.document_earned, field.document_weight, strict=True), strict=True))
    pairs = [parts.get(number, (0.0, 0.0)) for number in range(len(system))]
    return [(round(60 * earned), round(60 * weight)) for earned, weight in pairs]


def note(change: Change) -> str:
    assert change.interval is not None
    return change.interval.note


@pytest.mark.filterwarnings("ignore:predictions. nearly all have keys that no ground truth has")
def test_a_field_that_did_not_change_or_is_on_one_side_only_is_not_tested() -> None:
    answers = [{"a": TEXT, "b": worn(n)} for n in (1, 2, 3, 4, 5)]
    others = [{"a": TEXT, "b": TEXT, "new": "x"} for _ in answers]
    truth = {"a": TEXT, "b": TEXT}
    sides = [analysed({str(n): answer for n, answer in enumerate(side)}, truth) for side in (answers, others)]
    fields = {field.name: field for field in compare(*sides).field_changes}
    assert (fields["a"].p_value, fields["a"].adjusted, note(fields["a"])) == (None, None, NO_CHANGE)
    assert fields["b"].p_value == fields["b"].adjusted == 2 / 2**5  # the family is one field
    only = fields["new"]
    assert (only.base, only.new, only.difference, only.p_value, only.adjusted) == (None, 0.0, None, None, None)
    assert note(only) == "only one of the systems has it"
    assert [each.changed for each in (fields["a"], fields["b"], only)] == [False, True, True]


def test_the_gate_compares_the_figures_and_beyond_chance_their_interval() -> None:
    """All documents lost 1 to 3 of 10 letters, 0.2 on average."""
    comparison = compare(of_letters(*[0] * 120), of_letters(*[1, 2, 3] * 40))
    upper = comparison.figure.upper
    assert comparison.interval is not None
    assert -0.2 < upper == comparison.interval[1] < -0.15
    fell = "the difference of ANLS* is -0.2000,"
    plain = {"passed": False, "max_loss": 0.19, "beyond_chance": False}
    loss = {"slice": None, "field": None, "document": None, "base": 1.0, "new": pytest.approx(0.8)}
    sentence = f"failed: {fell} a loss of more than 0.19"
    assert decide(comparison, 0.19).to_dict() == {**plain, "sentence": sentence, "losses": [loss]}
    shown = f"(interval up to {upper:+.4f}, p = 0.0001)"
    assert decide(comparison, 0.05, beyond_chance=True).sentence == (
        f"failed: {fell} a loss of more than 0.05 beyond chance {shown}"
    )
    assert decide(comparison, 0.19, beyond_chance=True).sentence == (
        f"passed: {fell[:-1]}: there is a loss, but it may be smaller than 0.19 (at least {-upper:.4f})"
    )
    for margin, failed in ((0.2, False), (0.2 - 1e-6, True)):  # exactly at the limit
        assert decide(comparison, margin).failed == failed
    for margin, failed in ((-upper, False), (-upper - 1e-6, True)):
        assert decide(comparison, margin, beyond_chance=True).failed == failed


def test_documents_that_all_changed_alike_show_a_loss() -> None:
    """Up to 6% of all documents may have changed otherwise: the loss is at least 0.1 - 0.06 * 1.1."""
    comparison = compare(of_letters(*[0] * 60), of_letters(*[1] * 60))
    assert note(comparison.figure) == "Wilson's formula, as all 60 documents changed by the same amount"
    assert decide(comparison, 0.033, beyond_chance=True).failed
    assert not decide(comparison, 0.035, beyond_chance=True).failed


def test_without_an_interval_a_difference_may_be_chance() -> None:
    """Of eight documents that all have the metric, and of a ratio of sums that four of them have."""
    for having, ends in ((8, True), (4, False)):
        truths = [{"a": ["x", "y"]} if n < having else None for n in range(8)]
        sides = [
            evaluate_rows(pairs_of([truth and {"a": answer} for truth in truths], truths), metrics=["kieval"])
            for answer in (["x", "y"], ["u", "v"])
        ]
        comparison = compare(*sides)
        assert comparison.difference == -1
        assert (comparison.interval is not None) == ends
        chance = "; this is unlikely to be chance, p = 0.008" if ends else "; this may be chance, p = 0.125"
        assert str(comparison).replace("\n", " ").count(chance) == 1
        gate = decide(comparison, 0.1, beyond_chance=True)
        assert gate.failed == ends
        assert ("(no interval, p = 0.125)" in gate.sentence) != ends


def test_an_interval_without_a_p_value_below_the_level_proves_nothing() -> None:
    """Three of eighty documents fell: the interval is below 0, but one in four random swaps is as far from it."""
    comparison = compare(of_letters(*[0] * 80), of_letters(*[0] * 77, *[10] * 3))
    assert comparison.interval is not None
    assert comparison.interval[1] < 0
    assert comparison.p_value == 0.25
    assert decide(comparison, 0).failed
    assert not decide(comparison, 0, beyond_chance=True).failed
    assert "; this may be chance: the interval excludes 0, but p is not small, p = 0.250" in str(comparison).replace(
        "\n", " "
    )


@golden("comparison", "p-value and interval")
def test_this_is_unlikely_to_be_chance_only_if_p_value_and_interval_agree(
    interval: tuple[float, float], p_value: float, beyond: bool
) -> None:
    change = Change("x", "x", 0.5, 0.6, Interval(*interval), p_value)
    assert change.is_beyond_chance(0.95) == beyond


@pytest.mark.parametrize(("count", "fails"), [(1, False), (5, False), (6, True)])
def test_a_gate_that_can_show_nothing_decides_nothing(count: int, fails: bool) -> None:
    """Of five documents that all fell, 2 of 32 swaps are as large: p is above 0.05, whatever the loss."""
    comparison = compare(of_letters(*[0] * count), of_letters(*[10] * count))
    if fails:
        assert decide(comparison, 0, beyond_chance=True).failed
    else:
        words = (
            "^the gate cannot decide: at least 6 documents are needed to show a loss at a confidence of 0.95, "
            f"got {count} documents?$"
        )
        with pytest.raises(ValueError, match=words):
            decide(comparison, 0, beyond_chance=True)
    assert decide(comparison, 0).failed


def invoices(count: int, **changes: Callable[[int], Any]) -> Evaluation:
    """Answers for invoices of two vendors, right except for the fields that change with the number of a document."""
    truths = [
        {"total": f"{n}.50", "date": f"2024-01-{n % 28 + 1:02}", "city": "Ghent", "note": f"paid {n}"}
        for n in range(count)
    ]
    answers = [{**truth, **{key: of(n) for key, of in changes.items()}} for n, truth in enumerate(truths)]
    answers = [{key: value for key, value in answer.items() if value is not None} for answer in answers]
    return evaluate_rows(pairs_of(answers, truths), ReadOptions(by=["Ash" if n % 4 else "Birch" for n in range(count)]))


REGRESSIONS: dict[str, dict[str, Callable[[int], Any]]] = {
    "a field lost": {"city": lambda _: None},
    "dates of one vendor broken": {"date": lambda n: f"2024-01-{n % 28 + 1:02}" if n % 4 else "tomorrow, perhaps"},
    "a letter lost everywhere": {"note": lambda n: f"pai {n}"},
    "nothing changed": {},
    "three documents worse": {"city": lambda n: "" if n in {5, 40, 77} else "Ghent"},
    "three documents collapsed": {},
    "a quarter became texts": {},
}
COLLAPSED = (5, 40, 77)


def regression_of(name: str) -> tuple[Evaluation, Evaluation]:
    """The base and the new system; of the collapsed documents nothing is left, of the others everything."""
    base, new = invoices(80), invoices(80, **REGRESSIONS[name])
    whole: dict[str, tuple[Any, Callable[[int], bool]]] = {
        "three documents collapsed": ({}, COLLAPSED.__contains__),
        "a quarter became texts": ("I am sorry, but I cannot help with that.", lambda n: n % 4 == 0),
    }
    if name in whole:
        answer, is_lost = whole[name]
        predictions = [answer if is_lost(n) else right for n, right in enumerate(base.test_set.predictions)]
        new = Evaluation(replace(base.test_set, predictions=predictions))
    return base, new


@pytest.mark.filterwarnings("ignore:references. nearly all have keys that no prediction has")
@golden("comparison", "planted regressions")
def test_planted_regressions(regression: str, plain: list[str], beyond: list[str]) -> None:
    """Of 80 documents with four fields; None is the primary metric."""
    comparison = compare(*regression_of(regression))
    for is_beyond, expected in ((False, plain), (True, beyond)):
        gate = decide(comparison, 0.005, max_field_loss=0.01, beyond_chance=is_beyond)
        assert [loss["field"] for loss in gate.losses or ()] == expected
        assert gate.failed == bool(expected)


def test_a_gate_names_the_documents_that_fell() -> None:
    """The gate evaluates the means of several runs."""
    comparison = compare(*regression_of("three documents collapsed"))
    gate = decide(comparison, 0.05, max_document_loss=0.9)
    assert gate.sentence == (
        "failed: 3 of 80 documents lost more than 90% of their score: 5 (1.0000 to 0.0000), 40 (1.0000 to 0.0000), "
        "77 (1.0000 to 0.0000); the difference of ANLS* is -0.0375, no loss of more than 0.05"
    )
    assert [loss["document"] for loss in gate.losses or ()] == ["5", "40", "77"]
    assert not decide(compare(*regression_of("three documents worse")), max_document_loss=0.9).failed
    truths = ["tea", "rum"]
    base, new = (
        docscore.evaluate(predictions=[truths, other], references=truths, runs=True)
        for other in (["tea", "rom"], ["tea", "x"])
    )  # run 2 of "rum": 2/3 and 0
    assert not decide(compare(base, new), max_document_loss=0.41).failed
    assert decide(compare(base, new), max_document_loss=0.39).sentence == (
        "failed: 1 of 2 documents lost more than 39% of their score: 1 (0.8333 to 0.5000)"
    )


def test_a_document_loses_a_share_of_its_score() -> None:
    """Documents of ten letters with a score below 0.3 are counted, and not evaluated."""
    truths = [[TEXT] * 10] * 4
    sides = [pairs_of([[TEXT] * right or ["#"] for right in each], truths) for each in ((10, 6, 3, 2), (10, 1, 1, 0))]
    comparison = compare(*map(Evaluation, sides))
    for share, fallen in ((0.9, []), (0.83, ["1"]), (2 / 3, ["1"]), (0.66, ["1", "2"])):
        gate = decide(comparison, max_document_loss=share)
        assert [loss["document"] for loss in gate.losses or ()] == fallen
        assert gate.to_dict()["documents_not_evaluated"] == 1
        assert gate.sentence.endswith("; 1 document not evaluated, with a score below 0.3 in the base")
    assert "documents_not_evaluated" not in decide(comparison, 0.5).to_dict()
    low = compare(*(Evaluation(replace(side.only([3]), skipped=None)) for side in sides))
    too_low = "all documents have a score below 0.3 in the base"
    for limit, verdicts in ((None, "undecided: "), (0.1, "failed: the difference of ANLS* is -0.2000, a loss of more")):
        with pytest.raises(UndecidedError, match=f"^the gate cannot decide: {re.escape(too_low)}$") as raised:
            decide(low, limit, max_document_loss=0.9)
        assert (raised.value.gate.sentence.startswith(verdicts), raised.value.gate.undecided) == (True, [too_low])
    partial = compare(*(Evaluation(replace(side, skipped=1)) for side in sides))
    for share, fallen in ((0.9, []), (0.83, ["1"])):  # a document that was left out cannot undo the loss of another
        with pytest.raises(UndecidedError, match="1 document was left out") as raised:
            decide(partial, 0.9, max_document_loss=share)
        assert [loss["document"] for loss in raised.value.gate.losses or ()] == fallen
        assert raised.value.gate.failed == bool(fallen)


@pytest.mark.filterwarnings("ignore:references. nearly all have keys that no prediction has")
def test_a_gate_evaluates_chosen_fields_in_enough_documents() -> None:
    comparison = compare(invoices(80), invoices(80, **REGRESSIONS["a field lost"]))
    assert not decide(comparison, max_field_loss=0.01, fields=["total", "date"]).failed
    gate = decide(comparison, max_field_loss=0.01, fields=["city"])
    assert gate.sentence == "failed: 1 of 1 field lost more than 0.01: city -1.0000"
    few = compare(invoices(4), invoices(4, **REGRESSIONS["a field lost"]))
    with pytest.raises(
        ValueError, match=r"^the gate cannot decide: no field occurs in at least 5 documents; lower min_documents"
    ):
        decide(few, max_field_loss=0.01)
    trees = compare(*(Evaluation(each.test_set, metrics=["nted"]) for each in (few.base, few.new)))
    with pytest.raises(ValueError, match=r"^the gate cannot decide: nTED has no scores of fields$"):
        decide(trees, max_field_loss=0.01)
    assert decide(few, max_field_loss=0.01, min_documents=4).failed
    with pytest.raises(ValueError, match=r"^fields: expected some of 'city', 'date', 'note', 'total', got 'City'$"):
        decide(comparison, max_field_loss=0.01, fields=["City"])


def test_a_gate_evaluates_each_slice_with_enough_documents() -> None:
    broken = REGRESSIONS["dates of one vendor broken"]
    gate = decide(compare(invoices(80), invoices(80, **broken)), 0.15, max_field_loss=0.5, every_slice=True)
    assert [(loss["slice"], loss["field"]) for loss in gate.losses or ()] == [("Birch", None), ("Birch", "date")]
    assert gate.sentence.startswith("failed: value Birch: the difference of ANLS* is -0.2")
    assert "; the difference of ANLS* is -0.0625, no loss of more than 0.15;" in gate.sentence
    assert decide(compare(invoices(80), invoices(80, **broken)), 0.05, every_slice=True, min_documents=50).failed
    small = compare(invoices(16), invoices(16, **broken))  # four of Birch
    gate = decide(small, 0.15, every_slice=True)
    assert gate.sentence == (
        "passed: the difference of ANLS* is -0.0625, no loss of more than 0.15; none of 1 slice lost more than 0.15; "
        "not evaluated, without at least 5 documents: 'Birch'"
    )
    unproven = compare(*regression_of("three documents collapsed"))
    gate = decide(unproven, 0.02, max_field_loss=0.05, every_slice=True, beyond_chance=True)
    assert gate.sentence.endswith(
        "none of 2 slices lost more than 0.02 beyond chance; no field of 2 slices lost more than 0.05 beyond chance "
        "(2 lost as much, which may be chance)"
    )
    with pytest.raises(
        ValueError, match=r"^the gate cannot decide: no slice has at least 20 documents; lower min_documents"
    ):
        decide(small, 0.15, every_slice=True, min_documents=20)
    gate = decide(compare(invoices(20), invoices(20, **broken)), 0.15, every_slice=True, beyond_chance=True)
    needed = "at least 6 documents, which are needed to show a loss at a confidence of 0.95"
    assert gate.sentence.endswith(f"; not evaluated, without {needed}: 'Birch'")
    few = Evaluation(replace(invoices(8).test_set, slices=[*"abcdabcd"]))
    with pytest.raises(ValueError, match=rf"^the gate cannot decide: no slice has {needed}$"):
        decide(compare(few, few), 0.15, every_slice=True, beyond_chance=True)


@pytest.mark.filterwarnings("ignore:references. nearly all have keys that no prediction has")
@golden("comparison", "undecided limits")
def test_a_gate_that_cannot_decide_a_limit_keeps_what_it_decides(
    count: int, options: dict[str, Any], undecided: list[str], sentence: str
) -> None:
    """The fields of all documents lose a quarter."""
    comparison = compare(invoices(count), invoices(count, **REGRESSIONS["a field lost"]))
    with pytest.raises(UndecidedError) as raised:
        decide(comparison, **options)
    assert str(raised.value).startswith(f"the gate cannot decide: {'; '.join(undecided)}")
    gate = pickle.loads(pickle.dumps(raised.value)).gate
    assert (gate.undecided, gate.sentence) == (undecided, sentence)
    assert gate.to_dict().items() >= {"passed": False, **{k: v for k, v in options.items() if k in gate.limits}}.items()


def test_fields_of_less_weight_are_compared_but_not_tested() -> None:
    truth = {
        f"k{number}": ["x", "y"] if number < MOST_FIELDS_TESTED else "x" for number in range(MOST_FIELDS_TESTED + 9)
    }
    sides = [analysed({str(n): {**truth, **lost} for n in range(6)}, truth) for lost in ({}, {"k205": "y"})]
    comparison = compare(*sides)
    assert [row["field"] for row in comparison.fields] == ["k205"]
    assert comparison.fields.caption == f"Fields, largest change first ({MOST_FIELDS_TESTED + 8} did not change)"
    assert note(comparison.field_changes[0]) == "not tested: 200 fields have more weight"
    gate = decide(comparison, max_field_loss=0.5)
    assert gate.sentence == "failed: 1 of 209 fields lost more than 0.5: k205 -1.0000"
    assert not decide(comparison, max_field_loss=0.5, beyond_chance=True).failed


TYPED = {"type": "object", "properties": {"n": {"type": "number"}, "d": {"type": "string", "format": "date"}}}
ANSWERS = [
    {"n": "12.50", "d": "2024-03-05", "l": ["a", "b"]},
    {"n": "12.5", "d": "5 March 2024"},
    {"n": "7", "l": ["a"]},
]


def of_metric(metric: str, seed: int, by: Any = None) -> Evaluation:
    """Twenty documents, each with one of three answers."""
    rng = random.Random(seed)
    pairs = pairs_of([rng.choice(ANSWERS) for _ in range(20)], [ANSWERS[0]] * 20)
    schema = SchemaSource.of(TYPED) if metric == "typed" else None
    return evaluate_rows(pairs, ReadOptions(by=by), CompareOptions(schema=schema), metrics=[metric, "anls_star"])


@pytest.mark.parametrize("metric", ["anls_star", "kieval", "entity_f1", "nted", "typed"])
def test_the_first_metric_decides_everything(metric: str) -> None:
    """Difference, p-value, documents, fields, slices and causes."""
    base, new = of_metric(metric, 1), of_metric(metric, 2, [n % 2 for n in range(20)])
    comparison = compare(base, new)
    assert comparison.difference == new.score - base.score == comparison.figure.difference
    scores = zip(new.ids, base.scores, new.scores, strict=True)
    fell = {name for name, before, after in scores if after < before - 1e-12}
    assert {change.name for change in comparison.worse} == fell
    both = base.ratio, new.ratio
    assert comparison.p_value == permutation_p_values(*both)[0]
    for field in comparison.field_changes:
        side = {path: each.score for path, each in new.field_table.fields.items()}
        assert field.new == pytest.approx(side[field.name])
    for part in comparison.slice_changes:
        rows = [number for number in range(20) if str(number % 2) == part.name]
        inside = [Ratios(ratio.earned[rows], ratio.weight[rows]) for ratio in both]
        assert [part.base, part.new] == pytest.approx([float(ratio.values[0]) for ratio in inside])
        assert part.p_value == pytest.approx(permutation_p_values(*inside)[0], abs=0.03)
    lost = [1 - side.score if metric in ("anls_star", "typed") else 0.0 for side in (base, new)]
    of_base, of_new = ([getattr(cause, side) or 0.0 for cause in comparison.cause_changes] for side in ("base", "new"))
    assert [sum(of_base), sum(of_new)] == pytest.approx(lost)


def corpus(right: int, wrong: int) -> Evaluation:
    return evaluate_rows(pairs_of(["x"] * (right + wrong), ["x"] * right + ["y"] * wrong))


def test_a_level_is_compared_with_the_figure_or_with_its_interval() -> None:
    system = corpus(30, 10)
    (measured,) = system.measured
    assert measured.interval is not None
    assert measured.interval.high is not None
    for level, plain, beyond in (
        (0.75, False, False),
        (0.76, True, False),
        (measured.interval.high + 0.01, True, True),
    ):
        assert decide_level(system, level).failed == plain
        assert decide_level(system, level, measured.interval).failed == beyond
    none_right = corpus(0, 5)  # Wilson's formula: up to 0.4345
    assert not decide_level(none_right, 0.43, none_right.measured[0].interval).failed
    assert decide_level(none_right, 0.44, none_right.measured[0].interval).failed
    with pytest.raises(ValueError, match=r"^the gate cannot decide: no interval: it needs at least two documents$"):
        decide_level(corpus(0, 1), 0.5, corpus(0, 1).measured[0].interval)


FOUND = corpus(8, 1)
EVALUATED = partial(docscore.evaluate, predictions=["x"] * 9, references=["x"] * 8 + ["y"])
OF_PAIRS, COMPARED = partial(Evaluation, FOUND.test_set), partial(compare, FOUND, FOUND)
SCORES = partial(anls_score, "a", "a"), partial(score_tree, "a", "a"), partial(score_pairs, [("a", "a")])
CURVE = automation_curve([DocumentReview(1.0, 1.0, [(0.5, True, 0.0, 0.0)], ["a"])])
# by the name of each numeric option: the values that it refuses beside NaN, infinities, texts and booleans, and calls
NUMBERS: dict[str, tuple[list[float], list[Callable[..., object]]]] = {
    "threshold": ([-0.1, 1.1], [EVALUATED, *SCORES]),
    "iou": ([0, -0.1, 1.1], [EVALUATED]),
    "confidence": ([0, 1, 95], [EVALUATED, OF_PAIRS, COMPARED]),
    "seed": ([-1, 0.5], [EVALUATED, OF_PAIRS, COMPARED]),
    "n_resamples": ([-1, 0, 1, 0.5], [COMPARED]),
    "max_loss": ([-0.1, 1.0], [partial(docscore.decide, COMPARED())]),
    "target": ([-0.1, 1.1], [CURVE.lowest]),
    "max_field_loss": ([-0.1, 1.0], [partial(docscore.decide, COMPARED())]),
    "max_document_loss": ([-0.1, 1.0], [partial(docscore.decide, COMPARED())]),
    "min_documents": ([0, 0.5], [partial(docscore.decide, COMPARED(), 0.1)]),
    "level": ([0.0, -1.0, 1.1], [partial(decide_level, FOUND)]),
    "token_price": ([-1.0], [lambda **option: OF_PAIRS(**option).costs]),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_outside_its_range_is_refused_by_its_name(name: str) -> None:
    """NaN above all: no comparison with it is true, so that a gate with it would never fail."""
    refused, calls = NUMBERS[name]
    for call in calls:
        for value in (*refused, float("nan"), float("inf"), -float("inf")):
            with pytest.raises(
                ValueError, match=rf"^{name}: expected an? .*(number|integer).*, got {re.escape(str(value))}$"
            ):
                call(**{name: value})
        for wrong in ("0.5", True, [0.5], 0.5j, np.array([0.5])):
            with pytest.raises(
                TypeError, match=rf"^{name}: expected an? .*(number|integer).*, got {type(wrong).__name__}$"
            ):
                call(**{name: wrong})


def test_every_numeric_option_of_the_public_functions_is_among_them() -> None:
    functions = [getattr(docscore, name) for name in docscore.__all__ if name.islower() and name != "__version__"]
    functions += [decide_level, Evaluation, Evaluation.compare, CompareOptions, Curve.lowest]
    numeric = {
        parameter.name
        for function in functions
        for parameter in inspect.signature(function, eval_str=True).parameters.values()
        if parameter.annotation in (int, float, int | None, float | None)
    }
    assert numeric - {"num_proc"} == NUMBERS.keys()  # of `evaluate.load`, which checks it
