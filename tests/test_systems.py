"""Several systems side by side: chosen figures, slices, tests against one of them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docscore import score_tree
from docscore.core.options import DEFAULT_READING, ReadOptions
from docscore.evaluation.evaluation import Evaluation, evaluate_rows
from docscore.evaluation.sentences import by_value_text, verdict_text
from docscore.evaluation.systems import BEST, changes_against, systems_of
from docscore.inputs.pairing import pairs_of, rows_of_sides
from docscore.report.html_tree import Cell
from docscore.stats.significance import holm
from playground.compare.compare import compare_systems, names_of_uploads
from playground.compare.tree_columns import places_side_by_side
from playground.parts.conclusions import ties_of
from playground.parts.files import sort_files
from playground.server.answers import Comparison
from playground.server.requests import CompareRequest, SortRequest
from tests.commands import RECEIPTS, pred, ref, run, written
from tests.conftest import golden
from tests.structures import predictions, truths

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


def evaluations(*right: int, reading: ReadOptions = DEFAULT_READING, **options: Any) -> dict[str, Evaluation]:
    """Systems called by how many of their answers are right."""
    return {f"s{each}": evaluate_rows(pairs_of(answers(each), REFERENCES), reading, **options) for each in right}


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
    assert found.bases == {"anls_star": "s12"}
    assert ("s12", "anls_star") not in found.tests
    small, large = (found.tests[name, "anls_star"] for name in ("s11", "s0"))
    assert (small.p_value, small.adjusted) == (1.0, 1.0)
    assert [large.p_value, large.adjusted] == pytest.approx([2 / 2**12, 4 / 2**12])
    assert large.difference == pytest.approx(-0.5)


def test_p_values_are_those_of_a_comparison_whatever_else_is_compared() -> None:
    """Of `docscore compare` and of `docscore table`, alone, among other metrics and in the other direction."""
    files = [RECEIPTS / name for name in ("predictions.jsonl", "predictions_new.jsonl")]
    found = set()
    for metrics in (["anls_star"], ["anls_star", "kieval"]):
        rows = rows_of_sides(RECEIPTS / "references.jsonl", files, DEFAULT_READING)
        base, new = (evaluate_rows(pairs, metrics=metrics) for pairs in rows)
        compared = base.compare(new)
        tests = systems_of({"base": base, "new": new}, against="base").tests
        figures = compared.figure_changes or [compared.figure]
        assert [change.p_value for change in figures] == [each.p_value for each in tests.values()]
        figures += new.compare(base).figure_changes or [new.compare(base).figure]
        found |= {each.p_value for each in figures if each.name == "anls_star"}
    assert len(found) == 1


def test_clusters_are_swapped_as_wholes() -> None:
    """Six clusters of two rows, against a system that is named."""
    found = systems_of(evaluations(12, 0, reading=ReadOptions(cluster=lambda name: name.split("-")[0])), against="s0")
    change = found.tests["s12", "anls_star"]
    assert (change.difference, change.p_value) == pytest.approx((0.5, 2 / 2**6))


def test_no_difference_is_proven_within_a_bracket() -> None:
    """The best is not proven to differ from the last, but the second is."""
    found = evaluations(12, 11, 0)
    proven: list[dict[str, Any]] = [{"first": "s11", "second": "s0", "proven": True}]
    assert ties_of(found, proven) == [(0, 1)]
    assert ties_of(found, []) == [(0, 2)]


def test_unknown_figures_are_named() -> None:
    with pytest.raises(ValueError, match=r"^figures: expected figures among anls_star, kieval_entity_f1, .*got 'nted'"):
        systems_of(evaluations(12, 0, metrics=["anls_star", "kieval"]), figures=["nted"])


@golden("systems", "not tested")
def test_what_cannot_be_tested(names: list[int], against: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        systems_of(evaluations(*names), against=against)


def places(truth: Any, *predictions: Any) -> tuple[str, list[dict[str, Any]]]:
    return places_side_by_side([score_tree(truth, prediction) for prediction in predictions])


def said(cell: Cell) -> str:
    return cell.absent or "".join(piece.text for piece in cell.pieces)


def words(row: dict[str, Any]) -> tuple[Any, ...]:
    """The label, the ground truth, and the glyph and value of each system."""
    return (
        row["label"],
        said(row["truth"]),
        *((place["glyph"], said(place["value"])) for place in row["systems"]),
    )


def test_what_stands_beside_what_by_hand() -> None:
    """Elements by what they were matched with in the ground truth, those that nothing expects by their value."""
    truth = {"k": "x", "l": ["one", "two"]}
    agreed, found = places(
        truth, {"k": "x", "l": ["two", "one", "six"]}, {"k": "x", "l": ["one", "six", "six"], "m": 1}
    )
    assert [words(row) for row in found] == [
        ("k", '"x"', ("=", '"x"'), ("=", '"x"')),
        ("l", "", ("≈", ""), ("≈", "")),
        ("[0]", '"one"', ("=", '"one"'), ("=", '"one"')),
        ("[1]", '"two"', ("=", '"two"'), ("≠", '"six"')),
        ("[+]", "absent", ("+", '"six"'), ("+", '"six"')),
        ("m", "absent", ("", "absent"), ("+", "1")),
    ]
    assert [row["same"] for row in found] == [True, False, True, False, True, False]
    assert agreed == "3 values on which all agree, 1 of them not exact"


def test_a_system_without_the_whole_says_so_once() -> None:
    """A text in place of an object is at the root; of an object that is missing the values are absent."""
    truth = {"a": {"b": "x", "c": None}, "long": [str(number) for number in range(100)]}
    agreed, found = places(truth, truth, "Sorry.", {"a": None, "long": truth["long"]})
    assert (agreed, found[0]["label"], said(found[0]["truth"]), words(found[0])[2:]) == (
        *("", "whole document", ""),
        (("=", ""), ("≠", '"Sorry."'), ("≈", "")),
    )
    assert [words(row)[2:] for row in found[1:3]] == [
        (("=", ""), ("", ""), ("−", "null")),
        (("=", '"x"'), ("", ""), ("−", "absent")),
    ]
    whole, [root] = places(truth, "Sorry.", "Sorry.")
    assert (whole, len(said(root["truth"]))) == ("1 value on which all agree, 1 of them not exact", 200)


def test_values_that_print_alike_and_differ_do_not_agree() -> None:
    """A number and its text score the same, and are not the same answer."""
    _, found = places({"a": "1", "b": "x"}, {"a": 1, "b": "x"}, {"a": "1", "b": "x"})
    assert [(row["label"], row["same"]) for row in found] == [("a", False), ("b", True)]


@pytest.mark.ci
def test_many_places_that_agree_are_only_counted() -> None:
    truth = {"l": [f"{n}" for n in range(4_000)], "k": "x"}
    agreed, found = places(truth, truth, truth | {"k": "y"})
    assert (agreed, [row["label"] for row in found]) == ("4,000 values on which all agree", ["k"])


def test_a_list_says_how_many_elements_each_system_predicted() -> None:
    _, rows = places({"l": ["one", "two", "three"]}, {"l": ["one"]}, {"l": ["one", "two", "three", "four"]})
    assert [place["note"] for place in rows[0]["systems"]] == ["1 element", "4 elements"]


@pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
@given(truths, predictions, predictions)
@example([[None]], None, [None])
@example({"a": None}, {}, {"a": None})
def test_every_leaf_of_every_tree_is_drawn_once(truth: Any, one: Any, other: Any) -> None:
    """Parts that only a prediction has are one value."""
    trees = [score_tree(truth, prediction) for prediction in (one, other)]
    _, rows = places_side_by_side(trees)
    for number, tree in enumerate(trees):
        shown = [row["systems"][number] for row in rows if row["systems"][number]["status"]]
        expected = []
        waiting = [tree] if rows and rows[0]["path"] == "$" else list(tree.children)
        while waiting:
            node = waiting.pop()
            expected.append(node.status)
            waiting.extend(() if node.status == "extra" else node.children)
        assert sorted(place["status"] for place in shown) == sorted(expected)
    for row in rows:
        cells = [(place, "" if place["value"].absent else said(place["value"])) for place in row["systems"]]
        seen = {(place["status"], place["score"], value) for place, value in cells}
        assert not row["same"] or len(seen) == 1


def test_changes_against_a_base() -> None:
    """The p-values are those of each comparison, adjusted together; the verdict says for how many."""
    systems = evaluations(6, 12, 5)
    systems["again"] = systems["s6"]
    changes = changes_against(systems, "s6")
    assert list(changes) == ["s12", "s5", "again"]
    alone = [systems["s6"].compare(systems[name]).p_value for name in changes]
    assert [found.figure.adjusted for found in changes.values()] == holm(alone)
    verdicts = [verdict_text(found) for found in changes.values()]
    of_three = "(adjusted for 3 comparisons)"
    excluded = "this may be chance: the interval excludes 0, but p is not small"
    assert verdicts == [
        f"better on 6 of 12 documents, worse on 0; {excluded}, p = {3 * alone[0]:.3f} {of_three}",
        f"better on 0 of 12 documents, worse on 1; this may be chance, p = 1.000 {of_three}",
        "the same on all 12 documents",
    ]


def compared(folder: Path, truths: list[Any], systems: dict[str, list[Any]]) -> Comparison:
    """What the page says of systems, from files of those names."""
    paths = [written(folder, f"{name}.jsonl", rows) for name, rows in systems.items()]
    request = CompareRequest(references=written(folder, "r.jsonl", truths), predictions=paths)
    return compare_systems(request, folder=folder, progress=lambda *_: None)


def test_fields_and_documents_by_system(tmp_path: Path) -> None:
    """Best system first, rows that are most apart first; a field that a system does not have has no score."""
    result = compared(tmp_path, REFERENCES, {f"pred_s{count}": answers(count) for count in (6, 12, 3)})
    assert [each["name"] for each in result["systems"]] == ["s12", "s6", "s3"]
    cells = {row["name"]: [cell["text"] for cell in row["cells"]] for row in result["fields"]}
    assert cells["b"] == ["·", "−0.250", "−0.375"]
    assert result["fields"][0]["cells"][2]["document"] == "d1-3"
    assert [row["id"] for row in result["documents"][:2]] == ["d1-3", "d2-4"]
    fields, documents, _, markdown, _ = (Path(each["path"]).read_text("utf-8") for each in result["downloads"])
    assert fields.splitlines()[:2] == ["field,s12,s6,s3", "b,1.0,0.5,0.25"]
    assert len(documents.splitlines()) == 13
    assert "0.500†" in markdown


def test_columns_of_other_names_are_those_of_the_first_system(tmp_path: Path) -> None:
    """Its texts that are JSON are read as such in all systems; a file without one of its columns is named."""
    truths = written(tmp_path, "gold.csv", 'doc;gold\na;"{""k"": 1}"\nb;"{""k"": 2}"\n')
    systems = [
        written(tmp_path, "x.csv", 'doc;said\nb;"{""k"": 2}"\na;"{""k"": 1}"\n'),
        written(tmp_path, "y.csv", 'doc;said\na;"{""k"": 1}"\nb;"{""k"": 3}"\n'),
        written(tmp_path, "z.csv", "doc;other\na;1\nb;2\n"),
    ]

    def scores(last: int, **reading: str | None) -> list[float]:
        request = CompareRequest(references=truths, predictions=systems[:last], reading=reading)
        result = compare_systems(request, folder=tmp_path, progress=lambda *_: None)
        return [each["score"] for each in result["systems"]]

    assert scores(2) == [1, 0.5]
    assert scores(2, prediction="doc") == [0, 0]
    with pytest.raises(ValueError, match=r"z.csv: expected a column 'said' .* got 'doc', 'other'"):
        scores(3)
    asked = SortRequest(files=[truths, *systems], truth=0, is_pair=False)
    errors = [each.get("fault", "") for each in sort_files(asked)["files"]]
    assert errors == ["", "", "", "It does not have the column 'said', which x.csv has."]


def test_fields_of_documents_without_a_common_schema_are_those_of_one_key(tmp_path: Path) -> None:
    truths = [ref(f"d{n}", {f"part {n}": {"price": "1", f"k{n}": "x"}}) for n in range(6)]
    wrong = [pred(f"d{n}", {f"part {n}": {"price": "2", f"k{n}": "x"}}) for n in range(6)]
    right = [pred(row["question_id"], row["references"][0]) for row in truths]
    result = compared(tmp_path, truths, {"a": wrong, "b": right})
    assert [(row["name"], row["documents"], len(row["paths"])) for row in result["fields"]] == [("price", 6, 5)]


def test_names_of_systems_by_their_files() -> None:
    for files, names in (
        (["predictions_gpt-5.jsonl", "predictions_gpt-4.jsonl"], ["gpt-5", "gpt-4"]),
        (["predictions.jsonl", "predictions_new.jsonl"], ["predictions", "predictions_new"]),
        (["a.jsonl", "a.csv"], ["a", "a (2)"]),
    ):
        assert names_of_uploads(list(map(Path, files))) == names


def test_the_order_of_a_systems_rows_does_not_matter() -> None:
    base = evaluate_rows(pairs_of(answers(12), REFERENCES))
    same, turned = (evaluate_rows(pairs_of(answers(5), rows)) for rows in (REFERENCES, REFERENCES[::-1]))
    tests = [systems_of({"base": base, "other": other}, against="base").tests for other in (same, turned)]
    assert tests[0] == tests[1]


def test_without_its_library_a_log_says_what_it_needs(tmp_path: Path) -> None:
    if find_spec("inspect_ai") is not None:
        pytest.skip("needs an environment without inspect_ai")
    log = {"version": 2, "status": "success", "eval": {}}
    for path in (written(tmp_path, "a.eval", b""), written(tmp_path, "a.json", log)):
        done = run("score", path)
        assert done.code == 2
        assert f"{path}: reading Inspect logs needs its library" in done.err
        assert "pip install 'docscore[inspect]'" in done.err


def test_a_small_gain_by_value_is_said_where_it_changes_the_order() -> None:
    truth = {"n": 1000.0, "t": "abcdefghij", **{f"k{number}": "x" for number in range(100)}}
    answers = {"floats": {**truth, "n": 1000}, "texts": {**truth, "t": "abcdefghiX"}}
    found = {name: evaluate_rows(pairs_of([each], [truth])) for name, each in answers.items()}
    assert by_value_text(found).endswith(
        "by value, the mean of floats is 1.0000, +0.0033; their order is then floats, texts"
    )
    assert by_value_text({"floats": found["floats"]}) == ""
