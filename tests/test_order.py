"""The order of lists and alternatives, at any depth, changes nothing that is derived from a matching.

Of matchings with the same score, one by canonical content explains the score: trees (up to indices), fields, lists,
causes, key scores, figures of regions and of confidences, comparisons.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import docscore
from docscore import ScoreTree, score_tree
from docscore.core.options import DEFAULT_OPTIONS
from docscore.core.values import step_text
from docscore.metrics.anls_star import matching, scorer
from docscore.metrics.anls_star.api import FieldCounts, build_tree
from docscore.metrics.typed.schema import compiled_schema
from tests.conftest import examples
from tests.oracle import Oracle, canonical
from tests.structures import damaged, predictions, random_prediction, random_truth, shuffled, truths
from tests.test_matching import tables

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")

SEEDS = st.integers(0, 1 << 16)


def without_indices(node: ScoreTree) -> tuple[Any, ...]:
    """A node without indices, with canonical values, and its children in an order that depends on them alone."""
    about = node.key, node.kind, node.status, node.earned, node.weight, node.cause, node.compared, node.region
    values = [canonical(plain(value)) for value in (node.ground_truth, node.prediction)]
    return (*map(repr, about), *values, *sorted(map(without_indices, node.children)))


def plain(value: Any) -> Any:
    """The value with its floats as text, since NaN does not equal itself."""
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return repr(value) if isinstance(value, float) else value


def explained(tree: ScoreTree) -> Iterator[tuple[str, str, str]]:
    """What `Oracle.explained` yields, of a score tree."""
    waiting = [(tree, "")]
    while waiting:
        node, path = waiting.pop()
        if node.option is not None and not isinstance(node.ground_truth, tuple):  # of a missing part, all options
            yield path, "taken", canonical(node.ground_truth)
        for child in node.children:
            if None not in (child.truth_index, child.prediction_index):
                pair = node.ground_truth[child.truth_index], node.prediction[child.prediction_index]
                yield f"{path}[]", canonical(pair[0]), canonical(pair[1])
            if child.key is not None and (child.status != "extra" or child.option is not None):
                waiting.append((child, f"{path}.{child.key}"))
            elif None not in (child.truth_index, child.prediction_index):
                waiting.append((child, f"{path}[]"))


@pytest.mark.parametrize("seed", range(4))
def test_matchings_and_options_are_those_of_a_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    for number in range(300):
        truth = random_truth(rng, depth=2 + number % 2)
        prediction = damaged(rng, truth) if number % 2 else random_prediction(rng, depth=2)
        wanted = Counter(Oracle().explained(truth, prediction))
        assert Counter(explained(score_tree(truth, prediction))) == wanted, (truth, prediction)


def derived(truth: Any, prediction: Any, schema: Any = None) -> list[Any]:
    """Derive the tree, the fields, the lists and the key scores from the matching of a pair."""
    root = None if schema is None else compiled_schema(json.dumps(schema))
    tree = build_tree(truth, prediction, DEFAULT_OPTIONS, root)
    counts = FieldCounts().of_pair(truth, prediction, DEFAULT_OPTIONS, root)
    return [without_indices(tree), Counter(counts.leaves), Counter(counts.lists), tree.key_scores()]


@examples(400)
@given(truths, predictions, SEEDS)
def test_nothing_derived_from_a_matching_depends_on_order(truth: Any, prediction: Any, seed: int) -> None:
    rng = random.Random(seed)
    assert derived(shuffled(rng, truth), shuffled(rng, prediction)) == derived(truth, prediction)


@pytest.mark.parametrize("seed", range(6))
def test_nothing_depends_on_order_where_most_matchings_tie(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few scalars, nested lists and one-ofs; matched by a table, in parts, and by the bounds of rows of cells."""
    rng = random.Random(seed)
    if seed % 3 == 1:
        monkeypatch.setattr(scorer, "MAX_CELLS", 0)
    if seed % 3 == 2:
        monkeypatch.setattr(matching, "LEAST_PAIRS", 1)
    for number in range(60):
        if number % 3:
            truth = [random_truth(rng, depth=3) for _ in range(4)]
            prediction = damaged(rng, truth) if number % 2 else [random_prediction(rng, depth=3) for _ in range(4)]
        else:
            truth, prediction = tables(rng, 7)
        before = derived(truth, prediction)
        for _ in range(3):
            assert derived(shuffled(rng, truth), shuffled(rng, prediction)) == before, (truth, prediction)


ROWS = {
    "items": {
        "properties": {
            "a": {"x-docscore": {"compare": "exact"}},
            "b": {"type": "number", "x-docscore": {"weight": 0.3}},
            "kept": {"x-docscore": {"list_order": "kept"}, "items": {"items": {"type": "string"}}},
        }
    }
}


def with_rows_shuffled(rng: random.Random, table: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, the options of `b`, and the lists in `kept`, which itself keeps its order, in another order."""

    def row(each: dict[str, Any]) -> dict[str, Any]:
        return {**each, "b": shuffled(rng, each["b"]), "kept": [shuffled(rng, part) for part in each["kept"]]}

    return shuffled_list(rng, [row(each) for each in table])


def shuffled_list(rng: random.Random, elements: list[Any]) -> list[Any]:
    return rng.sample(elements, len(elements))


@pytest.mark.parametrize("rules", [{}, {"key": "a"}, {"key": "b"}])
def test_rows_with_a_schema_do_not_depend_on_order(rules: dict[str, Any]) -> None:
    """Lists with a key, and inner lists that keep their order; weights are fractions."""
    rng = random.Random(5)
    schema = {"x-docscore": rules, **ROWS} if rules else ROWS

    def row(*, options: bool) -> dict[str, Any]:
        kept = [[rng.choice("xy") for _ in range(rng.randint(0, 2))] for _ in range(rng.randint(0, 2))]
        amounts = tuple(rng.sample([1, 1.0, "2", 3, None], 2)) if options and rng.random() < 0.4 else rng.randint(1, 3)
        return {"a": rng.choice(["x", "X", "y", ""]), "b": amounts, "kept": kept}

    for _ in range(60):
        truth = [row(options=True) for _ in range(rng.randint(1, 5))]
        prediction = [row(options=False) for _ in range(rng.randint(1, 5))]
        moved = with_rows_shuffled(rng, truth), with_rows_shuffled(rng, prediction)
        assert derived(*moved, schema) == derived(truth, prediction, schema), (truth, prediction)


Marked = tuple[Any, list[dict[str, Any]], float | None]  # a value with its evidence or citations, and its confidence


def unmarked(value: Any, path: str = "$") -> tuple[Any, dict[str, Any], Any]:
    """A value, the regions of its parts by their paths, and their confidences in the shape of the value."""
    regions: dict[str, Any] = {}
    if isinstance(value, tuple):
        return value[0], {path: value[1]} if value[1] else {}, value[2]
    steps = value.items() if isinstance(value, dict) else enumerate(value)
    parts = {step: unmarked(part, path + step_text(step)) for step, part in steps}
    for _, inner, _ in parts.values():
        regions |= inner
    values, sure = ({step: part[k] for step, part in parts.items()} for k in (0, 2))
    return (values, regions, sure) if isinstance(value, dict) else ([*values.values()], regions, [*sure.values()])


def random_rows(rng: random.Random) -> list[Any]:
    """Rows of few values with regions and confidences, some in a list inside."""

    def mark(value: Any) -> Marked:
        regions = [{"page": rng.randint(1, 2), "box": [left, 0.1, left + 0.2, 0.2]} for left in (0.1, 0.15, 0.6)]
        return value, rng.sample(regions, rng.randint(0, 2)), rng.choice([None, 0.2, 0.9])

    def row() -> dict[str, Any]:
        return {"a": mark(rng.choice("xy")), "tags": [mark(rng.choice("xy")) for _ in range(rng.randint(0, 2))]}

    return [row() for _ in range(rng.randint(1, 4))]


def shuffled_lists(rng: random.Random, value: Any) -> Any:
    """The value with its lists in another order; tuples are marks."""
    if isinstance(value, dict):
        return {key: shuffled_lists(rng, item) for key, item in value.items()}
    return shuffled_list(rng, [shuffled_lists(rng, item) for item in value]) if isinstance(value, list) else value


def figures(truth: list[Any], prediction: list[Any]) -> list[Any]:
    """The result for one document, with its tables in any order, and the accuracy after review at each threshold."""
    sure = {"n": ("x", [{"page": 1}], 0.5)}  # a value with evidence and a confidence
    expected, evidence, _ = unmarked({"rows": truth, **sure})
    predicted, citations, confidences = unmarked({"rows": prediction, **sure})
    about = {"question_id": "a"}
    result = docscore.evaluate(
        references=[{**about, "references": [expected], "evidence": evidence}],
        predictions=[{**about, "prediction": predicted, "citations": citations, "confidence": confidences}],
        metrics=["anls_star", "grounding"],
        with_confidences=True,
        confidence=None,
    )
    tables = {name: sorted(map(json.dumps, result.to_dict()[name])) for name in ("key_scores", "lists")}
    regions = without_indices(result["a"].tree)
    return [result.to_dict() | tables, result.automation.curve.points(), regions]


def test_figures_of_regions_and_confidences_do_not_depend_on_order() -> None:
    rng = random.Random(3)
    for _ in range(60):
        truth, prediction = random_rows(rng), random_rows(rng)
        moved = shuffled_lists(rng, truth), shuffled_lists(rng, prediction)
        assert figures(*moved) == figures(truth, prediction), (truth, prediction)


def test_nested_one_ofs_are_compared_once() -> None:
    """Lists of one-ofs within one-ofs: each level asks for the same pairs again, and multiplied the work by eight."""
    truth: Any = "x"
    prediction: Any = "y"
    for _ in range(6):
        truth, prediction = ({"l": [truth, truth]}, {"l": [truth, "z"]}), {"l": [prediction, prediction]}
    assert docscore.score_tree(truth, prediction).score == 0


def test_right_regions_decide_before_accepted_ones() -> None:
    """The row whose right value is cited at its place is matched, whatever the order."""
    page = {"page": 1}
    truth = [{"a": ("x", [page], None), "b": ("y", [page], None)}]
    cited = [{"a": ("x", [page], 0.1), "b": ("q", [], 0.2)}, {"a": ("r", [page], 0.3), "b": ("y", [], 0.4)}]
    for prediction in (cited, cited[::-1]):
        assert figures(truth, prediction)[0]["metrics"]["grounding_page_f1"] == pytest.approx(
            0.8
        )  # P = 2 of 2, R = 2 of 3
