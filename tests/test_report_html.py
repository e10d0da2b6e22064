"""HTML of reports in this process: what the environment escapes, the parts of a report, its pictures and its trees."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from math import fsum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from jinja2 import UndefinedError

import docscore
from docscore import score_tree
from docscore.core.formatting import printable
from docscore.core.options import CompareOptions, ReadOptions
from docscore.core.values import value_text
from docscore.report import html_report
from docscore.report.html_tree import (
    MAX_ROWS,
    explained_drawing,
    macro_as_html,
    positions_of,
    template_environment,
    tree_as_html,
    tree_drawing,
)
from tests.conftest import ROOT, examples, golden
from tests.report_samples import CALIBRATION, HOSTILE_TEXTS, Markup, drinks, drinks_evaluation, evaluated, hostile
from tests.structures import predictions, truths

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
TEMPLATES = [*ROOT.glob("docscore/report/templates/*"), *ROOT.glob("playground/*/*.jinja")]
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066\ud800-\udfff]")


def rendered(source: str, **values: Any) -> str:
    return template_environment().from_string(source).render(**values)


def test_what_is_no_text_is_escaped_too() -> None:
    class Named:
        def __str__(self) -> str:
            return "<b>\u202e"

    values = {"path": Path("<a>"), "name": Named(), "number": 7, "words": ["<"]}
    source = rendered("{{ path }} {{ name }} {{ number }} {{ words }}", **values)
    assert source == "&lt;a&gt; &lt;b&gt;\\u202e 7 [&#39;&lt;&#39;]"


@pytest.mark.parametrize("source", ["{{ nothing }}", "{{ table.captoin }}"])
def test_a_name_that_a_template_does_not_get_is_an_error(source: str) -> None:
    with pytest.raises(UndefinedError):
        rendered(source, table=drinks())


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_turns_escaping_off(path: Path) -> None:
    assert not re.search(r"\|\s*(safe|forceescape)|autoescape|Markup|__html__", path.read_text(encoding="utf-8"))


def test_text_of_others_is_text_everywhere() -> None:
    """Title, ids, keys and values: no element and no attribute is theirs, and what they wrote is there to read."""
    options, breakdowns = ReadOptions(with_confidences=True), drinks().evaluation.breakdowns
    quiet, evaluation = drinks_evaluation(breakdowns=breakdowns), hostile().evaluation
    for each in (quiet, evaluation):
        vars(each)["test_set"] = replace(each.test_set, options=options)
        vars(each.automation).update(curve=drinks().curve, calibration=CALIBRATION)
    harmless = html_report.report_as_html(quiet, "drinks", 2)
    source = html_report.report_as_html(evaluation, "title", 99)
    page = Markup(source)
    more = set(page.allowed()) - set(Markup(harmless).allowed())
    assert more <= {("small", "class"), ("small", "title"), ("abbr", "title"), ("details", "open")}
    assert not STEERING.search(source)
    codes = set(page.texts("code"))
    assert [text for text in HOSTILE_TEXTS if len(text) < 200 and printable(text) not in codes] == []
    assert len(page.texts("h3")) == len(HOSTILE_TEXTS)


def test_many_fields_are_cut_off_with_a_line() -> None:
    count = html_report.MOST_FIELDS_DRAWN + 7
    truth = {f"k{number}": ["x"] for number in range(count)}
    figures = html_report.figures_of_evaluation(evaluated(("a", truth, {})))
    assert figures["fields"].note == f"500 of {count} fields are shown."
    assert figures["lists"].note == f"500 of {count} lists are shown."


def test_a_histogram_counts_every_document_once() -> None:
    """Its bars begin at the tenth below the lowest score."""
    edges = html_report.edges_of([0.31, 0.9])
    assert edges == pytest.approx([0.3 + 0.035 * number for number in range(21)])
    counts = html_report.bins(edges, [0.3, 0.334, 0.335, 0.96, 0.999, 1.0, 1.0])
    assert (counts[:2], counts[-2:], sum(counts)) == ([2, 1], [1, 3], 7)


def test_each_cause_has_an_example_of_the_document_that_lost_most_by_it_and_the_number_of_documents() -> None:
    """A whole field that is missing loses half of c, a missing row half of e; "cakes" a tenth of b."""
    causes = html_report.causes_of(drinks_evaluation())
    found = {each["name"]: (each["documents"], each["example"]) for each in causes}
    assert found == {
        "Missing field": ("1 document", ('"0.90"', None)),
        "Missing row": ("1 document", ('"x"', None)),
        "Invented field": ("1 document", (None, '"2"')),
        "Near miss": ("1 document", ('"cake"', '"cakes"')),
    }
    assert next(each["share"] for each in causes) == 1


def test_a_curve_is_a_line_of_steps() -> None:
    """Of two values one is right, and the other is reviewed below 0.5: half of them, and then all is right."""
    automated, aligned = html_report.picture_of_curve(drinks().curve).lines.values()
    assert automated == "0.0,14.0 320.0,14.0 320.0,94.0 640.0,94.0"
    assert aligned == "0.0,94.0 320.0,94.0 320.0,14.0 640.0,14.0"


def test_documents_have_the_score_by_which_they_are_ordered() -> None:
    """Of a metric that does not evaluate the values alone, the tree has another, which is named."""
    place, other = [{"page": 1}], [{"page": 2}]
    evaluation = docscore.evaluate(
        references=[{"question_id": name, "references": [{"t": "x"}], "evidence": {"t": place}} for name in "ab"],
        predictions=[
            {"question_id": "a", "prediction": {"t": "x"}, "citations": {"t": place}},
            {"question_id": "b", "prediction": {"t": "x"}, "citations": {"t": other}},
        ],
        metrics=["grounding"],
        confidence=None,
    )
    page = Markup(html_report.report_as_html(evaluation, "t", 2))
    shown = [text for text in page.texts("summary", "") if text.startswith(("a", "b"))]
    assert shown == ["b0.000ANLS* 1.000. Every value is right.", "a1.000Every value is right."]


TAGS = {"a", "div", "p", "strong", "span", "h2", "label", "input", "code", "small", "del", "ins", "details", "summary"}
ATTRIBUTES = {"id", "class", "style", "tabindex", "role", "type", "open", "checked"}
ATTRIBUTES |= {"href", "data-path", "data-status", "data-there", "title", "aria-label", "aria-hidden"}


def rows_of(page: Markup) -> list[dict[str, Any]]:
    return [each.attributes for each in page.elements if "data-path" in each.attributes]


@golden("folds", "scores of nothing")
def test_a_place_without_points_has_a_score_unless_it_does_not_count(truth: Any, prediction: Any, scores: Any) -> None:
    page = Markup(tree_as_html(score_tree(truth, prediction)))
    assert " ".join(page.texts("span", "anls-number")).split() == scores


def test_status_is_a_glyph_with_a_name_before_it_is_a_colour() -> None:
    page = Markup(tree_as_html(score_tree({"a": "b", "c": "d"}, {"a": "x", "e": "f"})))
    glyphs = [each.attributes for each in page.elements if "anls-glyph" in each.attributes.get("class", "").split()]
    names = [glyph["aria-label"] for glyph in glyphs if "aria-label" in glyph]
    assert names == ["wrong", "missing in the prediction", "only in the prediction"]


@golden("folds", "conclusions")
def test_a_sentence_concludes_from_the_largest_cause(
    truth: Any, prediction: Any, sentences: list[str], lead: list[str]
) -> None:
    """And leads to the row that loses most by it."""
    drawing = explained_drawing(score_tree(truth, prediction), "t", CompareOptions())
    assert [drawing.conclusion, drawing.detail] == sentences
    page = Markup(macro_as_html("tree.html.jinja", "draw_tree", drawing, "h2"))
    rows = {f"#{each['id']}": each["data-path"] for each in rows_of(page)}
    assert [rows[each.attributes["href"]] for each in page.elements if each.tag == "a"] == lead
    assert "".join(page.texts("h2", "anls-conclusion")) == sentences[0]


def test_a_value_that_stands_elsewhere_says_so_in_its_row() -> None:
    tree = score_tree({"vat": "DE811", "no": "0042"}, {"vat": "0042", "no": "DE811"})
    first, second = explained_drawing(tree, "t", CompareOptions()).rows
    assert [first["annotations"], second["annotations"]] == [
        [("predicted at no", "$.no")],
        [("predicted at vat", "$.vat")],
    ]


@pytest.mark.parametrize(
    ("rows", "moved"),
    [
        pytest.param("bcdea", ["0 ↔ 4"], id="of rows behind each other the one that came from before them"),
        pytest.param("xbcde", [], id="a row that is missing moves none"),
        pytest.param("cabed", ["2 ↔ 0", "4 ↔ 3"], id="two rows"),
    ],
)
def test_a_row_in_another_order_says_moved(rows: str, moved: list[str]) -> None:
    truth, prediction = ([{"n": letter * 5} for letter in letters] for letters in ("abcde", rows))
    drawing = explained_drawing(score_tree(truth, prediction), "t", CompareOptions())
    assert [row["label"] for row in drawing.rows if row["moved"]] == moved


def test_exact_parts_are_closed_and_the_others_open() -> None:
    markup = tree_as_html(score_tree({"a": ["x"], "b": ["y"]}, {"a": ["x"], "b": ["z"]}))
    assert ["open" in each.attributes for each in Markup(markup).of("details")] == [False, True]


def test_differences_are_marked_from_the_threshold_up_only() -> None:
    assert "12.5<del>0</del>" in tree_as_html(score_tree("12.50", "12.5"))
    below = tree_as_html(score_tree("2024-03-11", "11.03.2024"))
    assert '<del class="anls-whole">' in below
    assert '<ins class="anls-whole">' in below


@pytest.mark.parametrize(
    ("truth", "prediction", "facts", "reasons"),
    [
        (["1.50", "2.50", "7.50"], ["1.5", "2.5", "7.5"], ["3 values: same number, compared as text"], []),
        ([1000.0] * 3, [1000] * 3, ["3 values are the same numbers in a different notation: +0.333 with"], []),
        (["1.50", "2.50"], ["1.5", "2.5"], [], ["same number, compared as text"] * 2),
        (["abcd"] * 3, ["efgh"] * 3, [], ["similarity 0.00 < 0.5"] * 3),
    ],
)
def test_a_reason_of_many_values_stands_once_above(
    truth: Any, prediction: Any, facts: list[str], reasons: list[str]
) -> None:
    """An annotation may say it already; one with a figure stays at its value."""
    actual = explained_drawing(score_tree(truth, prediction), "a", CompareOptions())
    assert [fact[: len(start)] for fact, start in zip(actual.facts, facts, strict=True)] == facts
    assert [row["reason"] for row in actual.rows if row["reason"]] == reasons


@pytest.mark.parametrize(("same", "wrong"), [(MAX_ROWS * 2, 5), (0, MAX_ROWS + 5)])
def test_large_trees_draw_what_is_not_exact_and_say_so(same: int, wrong: int) -> None:
    truth = {f"s{i}": "x" for i in range(same)} | {f"w{i}": "y" for i in range(wrong)}
    prediction = dict.fromkeys(truth, "x")
    page = Markup(tree_as_html(score_tree(truth, prediction)))
    assert len(rows_of(page)) == min(wrong, MAX_ROWS - 1)
    assert f"{same + wrong + 1:,} places; {len(rows_of(page)) + 1:,} are rendered" in page.elements[0].text


def test_long_values_are_cut_where_they_differ() -> None:
    truth = "a" * 50_000
    prediction = truth[:30_000] + "b" + truth[30_001:]
    markup = tree_as_html(score_tree(truth, prediction))
    assert len(markup) < 20_000
    assert "<del>a</del>" in markup
    assert "<ins>b</ins>" in markup


def children_of(markup: str) -> dict[str, list[str]]:
    """The paths of the rows in each part, by the path of its row, from how the elements stand in each other."""
    collected: dict[str, list[str]] = {}
    parts: list[str] = []
    for tag, name, path in re.findall(r'<(/?)(details|summary|div)\b(?:[^>]*?data-path="([^"]*)")?', markup):
        if path:
            collected.setdefault(parts[-1] if parts else "", []).append(path)
        if name == "summary" and not tag:
            parts.append(path or (parts[-1] if parts else ""))  # a fold is no part of its own
        if name == "details" and tag:
            parts.pop()
    assert parts == []
    return collected


@examples(60)
@example(["a", None, None, None], [None])
@given(truths, predictions)
def test_every_place_is_a_row_with_its_status_in_the_row_above_it(truth: Any, prediction: Any) -> None:
    tree = score_tree(truth, prediction)
    markup = tree_as_html(tree)
    rows = [(row["data-path"], row["data-status"], row.get("tabindex")) for row in rows_of(Markup(markup))]
    nodes = list(tree.nodes())[1:] or [tree]  # a root with parts has no row
    places = [(printable(each.path), each.status, None if each.children else "0") for each in nodes]
    assert Counter(rows) == Counter(places)
    assert rows == places or "anls-folded" in markup  # what is folded stands together
    expected = Counter(node.path for node in tree.nodes() for _ in node.children)
    assert sorted(map(len, children_of(markup).values())) == (sorted(expected.values()) or [1])


@pytest.mark.parametrize("text", ["  two  spaces ", " ", "\t", "a  b", "\u00a0", "<b> x </b>", *HOSTILE_TEXTS])
def test_white_space_and_signs_of_values_are_kept(text: str) -> None:
    """Inside <code> white space is shown as it is, and no text is a tag, an attribute or a handler."""
    values, keys = ({"k": text, "m": [text]}, {"k": text, "m": [text + "!"]}), ({text: text}, {text: [text], "b": 1})
    for truth, prediction in (keys, values):
        source = tree_as_html(score_tree(truth, prediction))
        page = Markup(source)
        assert {each.tag for each in page.elements} <= TAGS
        assert {name for each in page.elements for name in each.attributes} <= ATTRIBUTES
        assert not STEERING.search(source)
    cells = {name: page.texts("span", name)[1:] for name in ("anls-truth", "anls-prediction")}
    codes = [each.text for each in page.of("code") if "span" in each.parents]
    shown = [value_text(text), value_text(text), value_text(text), value_text(text + "!")]
    assert [code for code in codes if code.startswith('"')] == shown
    assert len(cells["anls-truth"]) == len(cells["anls-prediction"])


def test_what_is_not_0_or_1_is_not_rounded_to_it() -> None:
    """As on a terminal."""
    truth = ["x" * 5000, *map(str, range(999))]
    page = Markup(tree_as_html(score_tree(truth, ["x" * 4999 + "y", *truth[1:]])))
    assert page.texts("span", "anls-number")[0].split() == ["0.999"]
    assert page.texts("span", "anls-points")[0] == "−0.0000002"


@golden("folds", "folds")
def test_what_folds(truth: Any, prediction: Any, expected: list[Any]) -> None:
    """Each line has the points of its rows."""
    lines = [row for row in tree_drawing(score_tree(truth, prediction), "t").rows if row["node"].kind == "group"]
    shown = [[row["label"], "".join(piece.text for piece in row["truth"].pieces), row["is_open"]] for row in lines]
    assert shown == expected
    for row in lines:
        points = fsum(node.points_lost for node in row["node"].children)
        assert float(row["lost"].replace("−", "-") or 0) == pytest.approx(-points, abs=5e-4)


def value_at(value: Any, position: str) -> Any:
    """What stands at a position of a JSON value."""
    for step in filter(None, position.split("/")):
        value = list(value.values())[int(step)] if isinstance(value, dict) else value[int(step)]
    return value


@golden("report_tables", "positions")
def test_a_position_leads_to_the_value(truth: Any, prediction: Any) -> None:
    tree = score_tree(truth, prediction)
    positions = positions_of(tree)
    for node in tree.nodes():
        at, there = positions[id(node)]
        if at is not None and not isinstance(node.ground_truth, tuple):
            assert json.dumps(value_at(truth, at)) == json.dumps(node.to_dict()["ground_truth"])
        if there is not None:
            assert value_at(prediction, there) == node.prediction
        assert (at is None) == (node.status == "extra" and node.ground_truth is None and node.path != "$")
