"""HTML of reports in this process: what the environment escapes, the parts of a report, its pictures and its trees."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jinja2 import UndefinedError

from docscore import ScoreTree, score_tree
from docscore.core.formatting import printable
from docscore.core.options import ScoringOptions
from docscore.core.values import value_text
from docscore.evaluation.automation import automation_curve, review_of_entities
from docscore.metrics.kieval import kieval_score
from docscore.report.html_report import (
    HISTOGRAM_BINS,
    MOST_FIELDS_DRAWN,
    figures_of_evaluation,
    histogram_of_scores,
    picture_of_curve,
    report_as_html,
)
from docscore.report.html_tree import (
    MAX_ROWS,
    explained_drawing,
    positions_of,
    template_environment,
    tree_as_html,
    tree_drawing,
)
from tests.conftest import ROOT, examples, golden
from tests.report_samples import CALIBRATION, HOSTILE_TEXTS, Markup, drinks, drinks_evaluation, evaluated, hostile
from tests.structures import predictions, truths

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
TEMPLATES = [*ROOT.glob("docscore/report/templates/*"), *ROOT.glob("playground/templates/*")]
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066\ud800-\udfff]")


# the environment


def rendered(source: str, **values: Any) -> str:
    return template_environment().from_string(source).render(**values)


@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=lambda text: repr(text[:20]))
def test_what_is_put_into_a_template_is_text(text: str) -> None:
    """In an element and in an attribute of either kind of quotes: escaped, and nothing in it steers anything."""
    source = rendered("<b title=\"{{ text }}\" class='{{ text }}'>{{ text }}</b>", text=text)
    [element] = Markup(source).elements
    assert element.attributes == {"title": printable(text), "class": printable(text)}
    assert element.text == printable(text)
    assert not STEERING.search(source)


def test_what_is_no_text_is_escaped_too() -> None:
    class Named:
        def __str__(self) -> str:
            return "<b>\u202e"

    source = rendered(
        "{{ path }} {{ name }} {{ number }} {{ words }}", path=Path("<a>"), name=Named(), number=7, words=["<"]
    )
    assert source == "&lt;a&gt; &lt;b&gt;\\u202e 7 [&#39;&lt;&#39;]"


def test_a_name_that_a_template_does_not_get_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        rendered("{{ nothing }}")
    with pytest.raises(UndefinedError):
        rendered("{{ table.captoin }}", table=drinks())


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_turns_escaping_off(path: Path) -> None:
    assert not re.search(r"\|\s*(safe|forceescape)|autoescape|Markup|__html__", path.read_text(encoding="utf-8"))


# the report


CONFIDENT: dict[str, Any] = {
    "options": ScoringOptions(with_confidences=True),
    "curve": drinks().curve,
    "calibration": CALIBRATION,
}


def report(worst: int = 2, **parts: Any) -> Markup:
    """The report on the drinks, with some parts put in by hand."""
    return Markup(report_as_html(drinks_evaluation(**parts), "drinks", worst))


def test_text_of_others_is_text_everywhere() -> None:
    """Title, ids, keys and values: no element and no attribute is theirs, and what they wrote is there to read."""
    sample = hostile()
    harmless = set(report(breakdowns=drinks().evaluation.breakdowns, **CONFIDENT).allowed())
    vars(sample.evaluation).update(CONFIDENT)
    source = report_as_html(sample.evaluation, "title", 99)
    page = Markup(source)
    assert set(page.allowed()) - harmless <= {("small", "class"), ("abbr", "title"), ("details", "open")}
    assert not STEERING.search(source)
    codes = set(page.texts("code"))
    assert [text for text in HOSTILE_TEXTS if len(text) < 200 and printable(text) not in codes] == []
    assert len(page.texts("h3")) == len(HOSTILE_TEXTS)


def test_many_fields_are_cut_off_with_a_line() -> None:
    count = MOST_FIELDS_DRAWN + 7
    truth = {f"k{number}": ["x"] for number in range(count)}
    figures = figures_of_evaluation(evaluated(("a", truth, {})))
    assert figures["fields"].note == f"500 of {count} fields are shown."
    assert figures["lists"].note == f"500 of {count} lists are shown."


# pictures


def test_a_histogram_counts_every_document_once() -> None:
    scores = [0.0, 0.04, 0.05, 0.5, 0.95, 0.999, 1.0, 1.0]
    picture = histogram_of_scores(scores)
    assert len(picture.bars) == HISTOGRAM_BINS
    assert [title for *_, number, title in picture.bars if number] == [
        "0.00 to 0.05: 2",
        "0.05 to 0.10: 1",
        "0.50 to 0.55: 1",
        "0.95 to 1.00: 4",
    ]
    assert picture.caption == "2 of 8 documents have the score 1, 1 the score 0."
    _, top, _, height, number, _ = max(picture.bars, key=lambda bar: bar[3])
    assert (number, top + height) == ("4", picture.base)
    assert all(left + width < after for (left, _, width, *_), (after, *_) in pairwise(picture.bars))


def test_a_curve_is_a_line_of_steps() -> None:
    """Of two values one is right, and the other is reviewed below 0.5: half of them, and then all is right."""
    score = kieval_score({"a": "1", "b": "2"}, {"a": "1", "b": "3"}, confidences={"a": 0.9, "b": 0.4})
    automated, aligned = picture_of_curve(automation_curve([review_of_entities(score, "a")], [0.0, 0.5])).lines.values()
    assert automated == "0.0,14.0 320.0,14.0 320.0,94.0 640.0,94.0"
    assert aligned == "0.0,94.0 320.0,94.0 320.0,14.0 640.0,14.0"


# trees


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


def children_of(markup: str) -> dict[str, list[str]]:
    """The paths of the rows in each part, by the path of its row, from how the elements stand in each other."""
    found: dict[str, list[str]] = {}
    parts: list[str] = []
    for tag, name, path in re.findall(r'<(/?)(details|summary|div)\b(?:[^>]*?data-path="([^"]*)")?', markup):
        if path:
            found.setdefault(parts[-1] if parts else "", []).append(path)
        if name == "summary" and not tag:
            parts.append(path or (parts[-1] if parts else ""))  # a fold is no part of its own
        if name == "details" and tag:
            parts.pop()
    assert parts == []
    return found


def nodes_by_parent(tree: ScoreTree) -> Iterator[tuple[str, str]]:
    yield "", tree.path
    for node in tree.nodes():
        for child in node.children:
            yield node.path, child.path


@examples(60)
@given(truths, predictions)
def test_rows_stand_in_each_other_as_the_nodes_do(truth: Any, prediction: Any) -> None:
    tree = score_tree(truth, prediction)
    markup = tree_as_html(tree)
    Markup(markup)
    expected: dict[str, int] = {}
    for parent, path in nodes_by_parent(tree):
        if path != "$" or not tree.children:
            expected[parent] = expected.get(parent, 0) + 1
    assert sorted(map(len, children_of(markup).values())) == sorted(expected.values())


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


def test_a_cell_without_a_value_is_empty_or_says_what_it_lacks() -> None:
    """On a narrow page a label stands before each cell that is not empty, and white space would be something."""
    page = Markup(tree_as_html(score_tree({"a": "x", "b": ["y"], "c": None}, {"b": ["y"], "c": "z"})))
    cells = page.texts("span", "anls-truth"), page.texts("span", "anls-prediction")
    assert list(zip(*cells, strict=True)) == [
        ('"x"', "absent"),
        ("1 value", "1 value"),
        ('"y"', '"y"'),
        ("null", '"z"nothing expected'),
    ]


def test_what_is_not_0_or_1_is_not_rounded_to_it() -> None:
    """As on a terminal."""
    truth = ["x" * 5000, *map(str, range(999))]
    page = Markup(tree_as_html(score_tree(truth, ["x" * 4999 + "y", *truth[1:]])))
    assert page.texts("span", "anls-number")[0].split() == ["0.999"]
    assert page.texts("span", "anls-points")[0] == "−0.0000002"


ROWS = [{"n": f"{n}{n}"} for n in range(5)]


def texts(truth: Any, prediction: Any) -> list[list[Any]]:
    rows = tree_drawing(score_tree(truth, prediction), "t").rows
    return [
        [row.label, "".join(piece.text for piece in row.truth.pieces), row.is_open]
        for row in rows
        if row.node.kind == "group"
    ]


@golden("folds", "folds")
def test_what_folds(truth: Any, prediction: Any, expected: list[Any]) -> None:
    assert texts(truth, prediction) == expected


def test_the_line_has_the_points_of_its_rows() -> None:
    tree = score_tree({"rows": ROWS, "a": "x"}, {"rows": [], "a": "x"})
    [line] = [row for row in tree_drawing(tree, "t").rows if row.node.kind == "group"]
    assert float(line.lost.replace("−", "-")) == pytest.approx(tree.score - 1, abs=5e-4)


def value_at(value: Any, position: str) -> Any:
    """What stands at a position of a JSON value."""
    for step in filter(None, position.split("/")):
        value = list(value.values())[int(step)] if isinstance(value, dict) else value[int(step)]
    return value


@golden("report_tables", "positions")
def test_a_position_leads_to_the_value(truth: Any, prediction: Any) -> None:
    tree = score_tree(truth, prediction)
    found = positions_of(tree)
    for node in tree.nodes():
        at, there = found[id(node)]
        if at is not None and not isinstance(node.ground_truth, tuple):
            assert json.dumps(value_at(truth, at)) == json.dumps(node.to_dict()["ground_truth"])
        if there is not None:
            assert value_at(prediction, there) == node.prediction
        assert (at is None) == (node.status == "extra" and node.ground_truth is None and node.path != "$")
