"""The score tree as HTML: what it says, that nothing in it is run, and how much is drawn."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from docscore import score_tree
from docscore.core.options import ScoringOptions
from docscore.report.html_tree import MAX_ROWS, explained_drawing, tree_as_html
from tests.conftest import golden
from tests.report_samples import HOSTILE_TEXTS, Markup

TAGS = {
    "div", "p", "strong", "span", "h2", "label", "input", "code", "small", "del", "ins", "details", "summary",
}  # fmt: skip


ATTRIBUTES = {
    "id", "class", "data-path", "data-status", "style", "tabindex", "role", "aria-label", "aria-hidden", "type", "open",
    "checked",
}  # fmt: skip


def with_class(page: Markup, name: str) -> list[dict[str, Any]]:
    return [each.attributes for each in page.elements if name in each.attributes.get("class", "").split()]


def rows_of(page: Markup) -> list[dict[str, Any]]:
    return [found for found in with_class(page, "anls-row") if "data-path" in found]


@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=lambda text: repr(text[:20]))
def test_what_a_visitor_wrote_stays_text(text: str) -> None:
    """As key and as value, on either side: no tag, no attribute and no handler of its own."""
    truth, prediction = {text: text, "a": [text]}, {"a": text, "b": {text: text}, text: text + "x"}
    page = Markup(tree_as_html(score_tree(truth, prediction)))
    assert {each.tag for each in page.elements} <= TAGS
    assert {name for each in page.elements for name in each.attributes} <= ATTRIBUTES
    for hidden in ("\u202e", "\x00", "\x1b", "\ud800"):
        assert hidden not in tree_as_html(score_tree(truth, prediction))


def test_every_place_is_a_row_with_its_status() -> None:
    tree = score_tree({"a": ["x", "y"], "b": None, "c": "z"}, {"a": ["y"], "c": "q", "d": 1})
    page = Markup(tree_as_html(tree))
    nodes = list(tree.nodes())[1:]  # the root has parts, and no row
    assert [(row["data-path"], row["data-status"]) for row in rows_of(page)] == [(n.path, n.status) for n in nodes]
    assert [row.get("tabindex") for row in rows_of(page)] == [None if n.children else "0" for n in nodes]


@golden("folds", "scores of nothing")
def test_a_place_without_points_has_a_score_unless_it_does_not_count(
    truth: Any, prediction: Any, scores: list[str]
) -> None:
    bars = re.findall(
        r'class="anls-bar"><span [^>]*></span></span> ([\d.]*)', tree_as_html(score_tree(truth, prediction))
    )
    assert list(filter(None, bars)) == scores


def test_status_is_a_glyph_with_a_name_before_it_is_a_colour() -> None:
    page = Markup(tree_as_html(score_tree({"a": "b", "c": "d"}, {"a": "x", "e": "f"})))
    names = [found["aria-label"] for found in with_class(page, "anls-glyph") if "aria-label" in found]
    assert names == ["wrong", "missing in the prediction", "only in the prediction"]


def test_the_bar_counts_every_value_once_and_says_what_it_loses() -> None:
    """Only what occurs is in the legend."""
    truth = {"a": "tea", "b": "milk", "rows": [{"n": "x", "p": "1"}]}
    page = Markup(tree_as_html(score_tree(truth, {"a": "tea", "b": "mill", "c": "", "rows": []})))
    assert [" ".join(text.split()) for text in page.texts("label")] == [
        "=1 exact",
        "≈1 partial −0.062",
        "−2 missing −0.500",
    ]


@golden("folds", "conclusions")
def test_a_sentence_concludes_from_the_largest_cause(truth: Any, prediction: Any, sentences: list[str]) -> None:
    drawing = explained_drawing(score_tree(truth, prediction), "t", ScoringOptions())
    assert [drawing.conclusion, drawing.detail] == sentences


def test_a_value_that_stands_elsewhere_says_so_in_its_row() -> None:
    tree = score_tree({"vat": "DE811", "no": "0042"}, {"vat": "0042", "no": "DE811"})
    rows = explained_drawing(tree, "t", ScoringOptions()).rows
    assert [row.remarks for row in rows] == [
        ["the value of vat is predicted at no"],
        ["the value of no is predicted at vat"],
    ]


def test_exact_parts_are_closed_and_the_others_open() -> None:
    markup = tree_as_html(score_tree({"a": ["x"], "b": ["y"]}, {"a": ["x"], "b": ["z"]}))
    opened = ["open" in each.attributes for each in Markup(markup).of("details")]
    assert opened == [False, True]


def test_differences_are_marked_from_the_threshold_up_only() -> None:
    above = tree_as_html(score_tree("12.50", "12.5"))
    assert "12.5<del>0</del>" in above
    below = unescape(tree_as_html(score_tree("2024-03-11", "11.03.2024")))
    assert '<del class="anls-whole">2024-03-11</del>' in below
    assert '<ins class="anls-whole">11.03.2024</ins>' in below


def test_moved_rows_and_options_are_said() -> None:
    text = Markup(tree_as_html(score_tree(["tea", ("milk", "cream")], ["cream", "tea"]))).elements[0].text
    assert "0 ↔ 1" in text
    assert "option 2 of 2" in text


@pytest.mark.parametrize(("same", "wrong"), [(MAX_ROWS * 2, 5), (0, MAX_ROWS * 2)])
def test_large_trees_draw_what_is_not_exact_and_say_so(same: int, wrong: int) -> None:
    truth = {f"s{i}": "x" for i in range(same)} | {f"w{i}": "y" for i in range(wrong)}
    prediction = dict.fromkeys(truth, "x")
    page = Markup(tree_as_html(score_tree(truth, prediction)))
    assert len(rows_of(page)) == min(wrong, MAX_ROWS - 1)
    assert f"{same + wrong + 1:,} places; {len(rows_of(page)) + 1:,} are drawn" in page.elements[0].text


def test_long_values_are_cut_where_they_differ() -> None:
    truth = "a" * 50_000
    prediction = truth[:30_000] + "b" + truth[30_001:]
    markup = tree_as_html(score_tree(truth, prediction))
    assert len(markup) < 20_000
    assert "<del>a</del>" in markup
    assert "<ins>b</ins>" in markup
