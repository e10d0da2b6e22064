"""The score tree: what each node says, for pairs worked out by hand, and the annotations of it."""

from __future__ import annotations

import copy
import json
import pickle
import random
from dataclasses import FrozenInstanceError, asdict
from math import fsum
from typing import Any

import pytest
from hypothesis import given

from docscore import ScoreNode, ScoreTree, anls_score, score_tree, typed_tree
from docscore.core.formatting import printable
from docscore.core.options import DEFAULT_READING, CompareOptions
from docscore.core.schema_source import SchemaSource
from docscore.core.values import convert_ground_truth, value_excerpt
from docscore.evaluation.evaluation import evaluate_rows
from docscore.evaluation.sentences import annotation_text
from docscore.inputs.pairing import pairs_of
from docscore.metrics.anls_star.tree import GLYPHS, outline
from docscore.metrics.annotations import FEWEST, annotations_of, folded_tree, groups_of
from tests.conftest import DATA, golden
from tests.structures import damaged, predictions, random_truth, truths

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")

# truth, prediction, and for each leaf (path, kind, status, earned, weight)


@golden("tree", "leaves")
def test_leaves(truth: Any, prediction: Any, expected: list[list[Any]]) -> None:
    found = [[n.path, n.kind, n.status, n.earned, n.weight] for n in score_tree(truth, prediction).leaves()]
    if expected[-1][0] == "$[3]":  # which of two wrong rows is matched is not decided
        assert [row[1:] for row in found] == [row[1:] for row in expected]
    else:
        assert found == expected


@golden("tree", "reasons")
def test_reasons_say_what_surprises(truth: Any, prediction: Any, reason: str) -> None:
    assert next(score_tree(truth, prediction).leaves()).reason == reason


def test_places_on_both_sides_and_the_option_taken() -> None:
    tree = score_tree([("x", "tea"), "milk"], ["milk", "tea"])
    tea, milk = tree.children
    assert (tea.truth_index, tea.prediction_index, tea.option, tea.ground_truth) == (0, 1, 1, "tea")
    assert (milk.truth_index, milk.prediction_index, milk.option) == (1, 0, None)
    assert tree.truth_index is None
    assert tree.key is None


@golden("tree", "closest")
def test_closest_ground_truth(truth: Any, prediction: Any, closest: Any) -> None:
    found = score_tree(truth, prediction).closest_gt()
    assert found == convert_ground_truth(closest)
    if isinstance(closest, dict):
        assert list(found) == list(closest)


@golden("key_scores", "pooled")
def test_key_scores_pool_the_values_of_all_lists(source: str, truth: Any, prediction: Any, expected: Any) -> None:
    """As the package does; none of these pairs has another matching of the same score."""
    scores = anls_score(truth, prediction, return_key_scores=True)[1]
    assert source == "anls_star 1.0.1"
    assert {key: asdict(node) for key, node in scores.items()} == expected


def test_key_scores_are_means_over_matched_pairs_and_blind_to_missing_rows() -> None:
    """1 of 3 rows found: items 1/3, items.id 1."""
    _, scores = anls_score(
        {"items": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}, {"items": [{"id": "b"}]}, return_key_scores=True
    )
    assert scores == {"items": ScoreNode(1 / 3, {"id": ScoreNode(1.0)})}


def test_a_tree_is_frozen_equal_by_value_and_can_be_pickled_and_copied() -> None:
    tree = score_tree({"a": ["x", "y"]}, {"a": ["y"]})
    assert tree == score_tree({"a": ["x", "y"]}, {"a": ["y"]})
    assert tree != score_tree({"a": ["x", "y"]}, {"a": ["x"]})
    assert pickle.loads(pickle.dumps(tree)) == copy.deepcopy(tree) == tree
    assert pickle.loads(pickle.dumps(tree)).children[0].points_lost == 0.5
    with pytest.raises(FrozenInstanceError):
        tree.earned = 1.0  # type: ignore[misc]


# S of L: shop 1 of 1, date 0.8 of 1 (2 of 10 characters), items 1.75 of 4 (Tea is missing, of Cake's price 1 of 4
# characters differs), note 1 of 1, tip 1 of 1, payment 2 of 2, table 0 of 1, memo 0 of 0: together 7.55 of 11 = 0.686.
# Lost are shares of 11: the date 0.2, items 2.25, Tea 2, name and price of Tea 1 each, Cake 0.25, table 1; in all 3.45.
OUTLINE = json.loads((DATA / "outline.json").read_text("utf-8"))
TREE = score_tree(OUTLINE["ground_truth"], OUTLINE["prediction"])


def test_a_tree_as_text() -> None:
    assert str(TREE).split("\n") == OUTLINE["lines"]


def test_what_is_exact_can_be_folded() -> None:
    """The two lines below payment go, and it says how many values it stands for; all else stays."""
    folded = [line for line in OUTLINE["lines"] if "method" not in line and "given" not in line]
    folded[folded.index("├─ = payment      1.000")] += "          (all 2 exact)"
    assert [line.text() for line in outline(TREE, fold=True)] == folded


def test_the_count_of_folded_values_is_that_of_exact_ones() -> None:
    """A key that only the prediction has, with null, is not counted in the score, nor here."""
    (line,) = outline(score_tree({"a": "x"}, {"a": "x", "b": None, "c": ""}), fold=True)
    assert line.detail.startswith("(all 1 exact")


@golden("tree", "lines")
def test_every_status_has_its_glyph_and_its_line(truth: Any, prediction: Any, line: str) -> None:
    """True against false: the e alone stays, 3 substitutions + 1 insertion of 5."""
    assert str(score_tree(truth, prediction)) == line
    assert line[0] in GLYPHS.values()


@pytest.mark.parametrize("same", [7, 20, 28, 29, 35, 45, 49])
def test_the_similarity_in_a_reason_is_not_rounded_to_another(same: int) -> None:
    """So many of 100 characters are the same; 0.29 * 100 is a little less than 29 in floats, and is still 0.29."""
    tree = score_tree("a" * 100, "a" * same + "b" * (100 - same))
    assert tree.reason == f"similarity 0.{same:02} < 0.5"


def test_a_one_of_that_found_no_partner_shows_its_options() -> None:
    assert str(score_tree([("a", "b")], [])).split("\n")[1] == '└─ − [0 ↔ −]  0.000  -1.000  "a" | "b" → nothing'


@golden("tree", "values in one line")
def test_values_in_one_line(value: Any, text: str) -> None:
    shown = value_excerpt(convert_ground_truth(value))
    assert shown == text
    assert shown.isprintable()


@pytest.mark.parametrize(
    "value",
    ["x" * 10_000, ["x" * 10_000], {"k" * 10_000: 1}, tuple(f"{'x' * 50}{i}" for i in range(200))],
    ids=["text", "list", "key", "one-of of many options"],
)
def test_long_values_and_keys_are_shortened(value: Any) -> None:
    assert len(value_excerpt(value)) < 200
    for tree in (score_tree({"a": value}, {}), score_tree(value, None)):
        assert max(map(len, str(tree).split("\n"))) < 300


@pytest.mark.parametrize("place", [10, 80, 190])
def test_a_line_shows_where_two_long_texts_differ(place: int) -> None:
    """Both shortened to the same beginning, they would look equal beside a score below 1."""
    truth = "abcdefghij" * 20
    prediction = truth[:place] + "X" + truth[place + 1 :]
    before, after = outline(score_tree(truth, prediction))[0].values.split(" → ")
    assert before != after


@pytest.mark.parametrize(
    "character", ["\x00", "\x1b", "\n", "\r", "\x7f", "\x9b", "\u200b", "\u202e", "\u2066", "\ud800"]
)
def test_characters_that_could_steer_a_terminal_are_escaped(character: str) -> None:
    assert printable(f"a{character}b") == f"a\\u{ord(character):04x}b"
    lines = str(score_tree({character: character}, {character + "x": [character]})).split("\n")
    assert len(lines) == 4
    assert all(line.isprintable() for line in lines)


def test_the_escape_of_a_character_beyond_16_bits_reads_as_one() -> None:
    """U+E0001, a tag, and U+E000 with a 1 behind are not the same."""
    assert printable("\U000e0001") != printable("\ue0001")


def test_lines_keep_to_one_column_however_deep() -> None:
    """The score stands in one column, at most 34 characters in, wherever the labels leave room."""
    tree = score_tree({"a": {"long_key_of_sixteen": ["x"]}, "b": "y"}, {"a": {"long_key_of_sixteen": ["z"]}, "b": "y"})
    lines = outline(tree)
    assert len({line.text().index(f"{line.node.score:.3f}") for line in lines}) == 1
    deep: Any = "x"
    for _ in range(30):
        deep = {"key": deep}
    assert max(len(line.head) for line in outline(score_tree(deep, deep))[:10]) == 34


OPTIONS = CompareOptions()


def annotations_in(tree: ScoreTree, options: CompareOptions | None = OPTIONS) -> list[tuple[str, float]]:
    return [(annotation_text(each), each.points_lost) for each in annotations_of(tree, options)]


@golden("annotations", "annotations")
def test_annotations(truth: Any, prediction: Any, expected: list[list[Any]]) -> None:
    found = annotations_in(score_tree(truth, prediction))
    assert [text for text, _ in found] == [text for text, _ in expected]
    assert [lost for _, lost in found] == pytest.approx([lost for _, lost in expected])


def test_numbers_by_value_are_no_gain_where_they_are_compared_so() -> None:
    options = CompareOptions(numbers="value")
    assert annotations_in(score_tree({"a": 1000}, {"a": 1000.0}, numbers="value"), options) == []


def test_values_of_a_typed_tree_are_exchanged_where_they_are_equal() -> None:
    """With the weights of the schema: 3 and 1 of 4 points."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "x-docscore": {"weight": 3}}, "b": {"type": "string"}},
    }
    tree = typed_tree({"a": "tea", "b": "rum"}, {"a": "rum", "b": "tea"}, schema)
    (found,) = annotations_of(tree, None)
    assert (found.kind, found.paths) == ("exchanged", ("$.a", "$.b"))
    assert found.points_lost == pytest.approx(1)


def test_alternatives_without_a_partner_are_not_read_by_a_comparator() -> None:
    numbers = {"items": {"type": "number"}}
    truth: Any = [("one", ["two"])]
    (leaf,) = typed_tree(truth, [], numbers).leaves()
    assert (leaf.status, leaf.unreadable) == ("missing", ())
    assert (
        evaluate_rows(pairs_of([[]], [truth]), DEFAULT_READING, CompareOptions(schema=SchemaSource.of(numbers))).score
        == 0
    )


def test_values_that_a_schema_compares_exactly_are_exchanged_only_where_they_are_equal() -> None:
    """As texts of ANLS* they would be, whatever their case."""
    schema = {"additionalProperties": {"x-docscore": {"compare": "exact"}}}
    rows = [{"a": "DE8111", "b": "A-77xx"}], [{"a": "A-77XX", "b": "de8111"}]
    found = evaluate_rows(pairs_of(rows[1], rows[0]), DEFAULT_READING, CompareOptions(schema=schema), metrics=["typed"])
    assert [row.annotations for row in found.worst(1)] == [[]]


@given(truths, predictions)
def test_annotations_lose_no_more_than_is_lost(truth: Any, prediction: Any) -> None:
    """The points of each; those of all groups together; and every path is one of the tree."""
    tree = score_tree(truth, prediction)
    found = annotations_of(tree, OPTIONS)
    paths = {node.path for node in tree.nodes()}
    assert {path for each in found for path in each.paths} <= paths
    for kind in ("exchanged", "different notation", "group"):
        assert fsum(each.points_lost for each in found if each.kind == kind) <= 1 - tree.score + 1e-9
    assert all(each.gain is None or 0 < each.gain <= 1 - tree.score + 1e-9 for each in found)


@given(truths, predictions)
def test_an_exchange_gains_what_it_says(truth: Any, prediction: Any) -> None:
    """Where two values of a flat object are exchanged, the score rises by it."""
    flat = [{key: value for key, value in side.items() if not isinstance(value, dict | list | tuple)}
            for side in (truth, prediction) if isinstance(side, dict)]  # fmt: skip
    if len(flat) < 2:
        return
    tree = score_tree(*flat)
    for each in annotations_of(tree, OPTIONS):
        if each.kind == "exchanged":
            first, second = (path.removeprefix("$.") for path in each.paths)
            repaired = {**flat[1], first: flat[1].get(second), second: flat[1].get(first)}
            assert score_tree(flat[0], repaired).score == pytest.approx(tree.score + each.points_lost)


@pytest.mark.parametrize("seed", range(60))
def test_folding_loses_no_points(seed: int) -> None:
    """The folded tree has the same leaves, score and causes; its groups add up to what their parts lose."""
    rng = random.Random(seed)
    truth = {"a": [random_truth(rng, 2, 6) for _ in range(5)], **{f"k{i}": random_truth(rng, 1) for i in range(8)}}
    tree = score_tree(truth, damaged(rng, truth))
    folded = folded_tree(tree)
    assert sorted(leaf.path for leaf in folded.leaves()) == sorted(leaf.path for leaf in tree.leaves())
    assert (folded.score, folded.weight) == (tree.score, tree.weight)
    groups = [node for node in folded.nodes() if node.kind == "group"]
    assert len(groups) == len(groups_of(tree))
    for node in groups:
        counted = [child for child in node.children if child.weight]  # others are null where nothing is expected
        assert len(node.children) >= FEWEST or 0 < len(counted) < len(node.children)
        assert node.points_lost == pytest.approx(fsum(child.points_lost for child in node.children))
        assert {child.status for child in counted} <= {node.status}
    shown = [line.node for line in outline(folded, fold=True)]
    inner = {id(node) for node in shown for child in node.children if any(child is each for each in shown)}
    lost = fsum(node.points_lost for node in shown if id(node) not in inner)
    assert lost == pytest.approx(1 - tree.score, abs=1e-9)
