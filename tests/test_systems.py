"""Several systems side by side: chosen figures, slices, tests against one of them; and `docscore table` with these."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore import pairs_of
from docscore.evaluation.evaluation import Evaluation, rows_of_files
from docscore.evaluation.systems import BEST, systems_of
from docscore.stats.significance import holm
from tests.commands import RECEIPTS, Write, pred, succeed

COUNT = 12
REFERENCES = [
    {"question_id": f"d{n // 2}-{n}", "lang": ("de", "en", "en")[n % 3], "references": [{"a": "tea", "b": "rum"}]}
    for n in range(COUNT)
]


def answers(right: int) -> list[dict[str, Any]]:
    """Predictions of which the first are right, and the others half right."""
    return [
        pred(str(row["question_id"]), {"a": "tea", "b": "rum" if number < right else "xxx"})
        for number, row in enumerate(REFERENCES)
    ]


def evaluations(*right: int, **options: Any) -> dict[str, Evaluation]:
    """Systems called by how many of their answers are right."""
    return {f"s{each}": Evaluation(pairs_of(answers(each), REFERENCES), **options) for each in right}


@pytest.fixture
def files(write: Write) -> list[str | Path]:
    """The options for the references and three systems."""
    paths = [write(f"s{right}.jsonl", answers(right)) for right in (12, 11, 0)]
    return ["--references", write("r.jsonl", REFERENCES), *paths]


def test_holm_by_hand() -> None:
    """The example of Holm 1979 in the form of R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")."""
    assert holm([0.05, 0.01, 0.02, 0.04, 0.03]) == pytest.approx([0.09, 0.05, 0.08, 0.09, 0.09])
    assert holm([]) == []
    assert holm([0.7, 0.6]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 1))
def test_holm_rejects_as_its_step_down_procedure(p_values: list[float], level: float) -> None:
    """Smallest first, each is rejected while it is at most level / (number of those left)."""
    adjusted = holm(p_values)
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    going = True
    for place, number in enumerate(order):
        product_ = (len(p_values) - place) * p_values[number]
        going = going and min(1.0, product_) <= level
        assert (adjusted[number] <= level) == going
        assert adjusted[number] >= p_values[number]


def test_each_is_tested_against_the_best_and_corrected_for_their_number() -> None:
    """Of 2^12 swaps the two that keep twelve changes together are as extreme; one change alone proves nothing."""
    found = systems_of(evaluations(11, 12, 0), against=BEST)
    tests = {row.system: row.tests.get("anls_star") for row in found.rows}
    assert tests["s12"] is None
    small, large = tests["s11"], tests["s0"]
    assert small is not None
    assert large is not None
    assert (small.against, small.p_value, small.adjusted) == ("s12", 1.0, 1.0)
    assert [large.p_value, large.adjusted] == pytest.approx([2 / 2**12, 4 / 2**12])
    assert large.difference == pytest.approx(-0.5)


def test_p_values_are_those_of_a_comparison_whatever_else_is_compared() -> None:
    """Of `docscore compare` and of `docscore table`, alone, among other metrics and in the other direction."""
    files = [RECEIPTS / name for name in ("predictions.jsonl", "predictions_new.jsonl")]
    found = set()
    for metrics in (["anls_star"], ["kieval", "anls_star"]):
        rows = rows_of_files(references=RECEIPTS / "references.jsonl", predictions=files).systems
        base, new = (Evaluation(pairs, metrics=metrics) for pairs in rows)
        compared = base.compare(new)
        test = systems_of({"base": base, "new": new}, against="base").rows[1].tests
        assert [change.p_value for change in compared.figures] in ([], [each.p_value for each in test.values()])
        found |= {compared.p_value, new.compare(base).p_value, test["anls_star"].p_value}
    assert len(found) == 1


def test_a_named_system_and_clusters() -> None:
    named = systems_of(evaluations(12, 0), against="s0").rows[0].tests["anls_star"]
    assert named.against == "s0"
    assert named.difference == pytest.approx(0.5)
    clustered = systems_of(evaluations(12, 0, cluster=lambda name: name.split("-")[0]), against="s0").rows[0]
    assert clustered.tests["anls_star"].p_value == pytest.approx(2 / 2**6)  # six clusters of two rows


def test_figures_are_chosen_and_unknown_ones_named() -> None:
    systems = evaluations(12, 0, metrics=["anls_star", "kieval"])
    found = systems_of(systems, figures=["kieval_aligned", "anls_star"])
    assert [[each.name for each in row.figures] for row in found.rows] == [["kieval_aligned", "anls_star"]] * 2
    with pytest.raises(ValueError, match=r"^figures: expected figures among anls_star, kieval_entity_f1, .*got 'nted'"):
        systems_of(systems, figures=["nted"])


@pytest.mark.parametrize(
    ("names", "against", "message"),
    [
        ([12, 0], "s3", r"^against: expected 'best' or one of the systems 's12', 's0', got 's3'$"),
        ([12], BEST, r"^against: expected at least two systems, got one$"),
    ],
)
def test_what_cannot_be_tested(names: list[int], against: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        systems_of(evaluations(*names), against=against)


def test_slices_are_those_of_each_system() -> None:
    systems = evaluations(11, 0, by="lang")
    found = systems_of(systems).groups()
    assert list(found) == [None, "en", "de"]
    for expected in systems["s11"].slices:
        row = found[expected.value][0]
        assert (row.system, row.documents, row.figures) == ("s11", expected.documents, expected.figures)


def test_intervals_marks_columns_and_a_caption(files: list[str | Path]) -> None:
    options = ["--intervals", "--against", "best", "--percent", "--columns", "documents,missing", "--missing", "zero"]
    latex = succeed("table", *files, *options, "--format", "latex", "--caption", "Ours & theirs, 50%.")
    assert r"\caption{Ours \& theirs, 50\%. Best values in bold. In brackets: 95\% confidence intervals." in latex
    assert r"System & documents & missing & ANLS* \\" in latex
    assert r"s12 & 12 & 0 & \textbf{100.00} \\" in latex  # all documents alike: no interval
    assert r"s0 & 12 & 0 & 50.00\textsuperscript{\textdagger} \\" in latex
    low, high = json.loads(succeed("table", *files, "--json"))["systems"][1]["confidence_intervals"]["anls_star"]
    assert rf"s11 & 12 & 0 & 95.83 [{low * 100:.2f}, {high * 100:.2f}] \\" in latex
    text = succeed("table", *files, *options[:4])
    assert "50.00+" in text
    assert "+ differs from the best system: paired permutation test, Holm-corrected" in text
    assert "No system differs from s11: paired" in succeed("table", *files[:4], "--against", "s11")


def test_nothing_prints_a_path(files: list[str | Path]) -> None:
    for form in ("text", "markdown", "latex"):
        assert "/" not in succeed("table", *files, "--format", form).replace(r"\textbackslash", "")
    named = succeed("table", *files[:-1], "--name", f"A + B={files[-1]}", "--format", "latex")
    assert r"A + B & \textbf" not in named
    assert "A + B & 0.5000" in named
