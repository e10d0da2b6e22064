"""Long lists, and lists with a key: what needs no table of all pairs against the table, with the same bits."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dev.benchmarks.workloads import long_list
from docscore import anls_score, score_tree, typed_score, typed_tree
from docscore.core import assignment
from docscore.core.options import DEFAULT_OPTIONS
from docscore.core.values import Value
from docscore.metrics.anls_star import scorer
from docscore.metrics.anls_star.api import FieldCounts
from docscore.metrics.anls_star.scorer import Scorer
from tests.conftest import golden
from tests.oracle import Oracle
from tests.structures import damaged, random_prediction, random_truth, shuffled

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")

CELLS: list[Any] = ["ab", "abc", "aba", " AB", "", " ", None, 1, True, "1", "1.0", 1.0, 2, "-", "true"]
COMPARISONS: list[dict[str, Any]] = [
    {"compare": "exact"},
    {"compare": "number"},
    {"compare": "number", "tolerance": 1},
    {"compare": "boolean"},
    {},
]


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> Callable[[random.Random | None], None]:
    """Match lists of any length as long ones, some pairs at a time; with None, all by the table."""

    def choose(rng: random.Random | None) -> None:
        monkeypatch.setattr(scorer, "MAX_CELLS", 0 if rng else 1 << 60)
        if rng:
            monkeypatch.setattr(assignment, "BLOCK", rng.choice([1, 6, 1 << 20]))
            monkeypatch.setattr(assignment, "SHARE", rng.choice([1, 2, 16]))

    return choose


def rows_of(rng: random.Random, cells: list[Any], most: int) -> tuple[list[Any], list[Any]]:
    """Rows of the same two or three keys but for a few, and those of a damaged copy in another order."""
    keys = rng.sample("abc", rng.randint(1, 3))

    def row() -> Any:
        return {key: rng.choice(cells) for key in keys} if rng.random() < 0.97 else rng.choice([None, "ab", {"a": 1}])

    truth = [row() for _ in range(rng.randint(2, most))]
    kept = rng.sample(truth, rng.randint(1, len(truth)))
    prediction = [row() if rng.random() < 0.3 else each for each in kept] + [row() for _ in range(rng.randint(0, 2))]
    if rng.random() < 0.5:
        prediction = [damaged(rng, each) for each in prediction]
    return truth, prediction


def equal_pairs(tree: Any) -> int:
    """How many elements are matched with an equal one."""
    return sum(node.status == "exact" and repr(node.ground_truth) == repr(node.prediction) for node in tree.children)


def pairs(rng: random.Random) -> Iterator[tuple[Any, Any]]:
    """Any values, and lists of few similar rows in which many matchings tie."""
    for number in range(40):
        truth = random_truth(rng, depth=3)
        yield truth, damaged(rng, truth) if number % 2 else random_prediction(rng, depth=3)
        yield rows_of(rng, rng.sample(CELLS, rng.randint(2, 6)), 5 if number % 2 else 30)


@pytest.mark.parametrize("seed", range(12))
def test_parts_have_the_bits_of_the_table(seed: int, in_parts: Callable[[random.Random | None], None]) -> None:
    """The score, that of the tree, and the number of equal elements that it pairs."""
    rng = random.Random(seed)
    for truth, prediction in pairs(rng):
        for threshold in (0.5, 1.0):
            found = []
            for each in (None, rng):
                in_parts(each)
                tree = score_tree(truth, prediction, threshold=threshold)
                found.append((anls_score(truth, prediction, threshold=threshold), tree.score, equal_pairs(tree)))
            assert found[0] == found[1], (truth, prediction, threshold)


def crowded(rng: random.Random, truth: list[Any], prediction: list[Any]) -> tuple[list[Any], list[Any]]:
    """With rows that come several times, rows without a counterpart on both sides, and rows that equal nothing."""
    repeated = [dict(each) for each in rng.sample(truth, 40)]
    invented = [{key: f"zz {rng.randrange(10**6)}" for key in truth[0]} for _ in range(40)]
    others = long_list(2_050)[0][0][-50:]
    return [*truth, *repeated], shuffled(rng, [*prediction[30:], *repeated[:30], *invented, *others])


@pytest.mark.parametrize("make", [None, crowded])
@pytest.mark.parametrize("flipped", [False, True])
def test_2000_rows_have_the_bits_of_the_table(
    make: Callable[..., Any] | None, flipped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The score, and the sums, causes and fields."""
    truth, prediction = long_list(2_000)[0]
    if make:
        truth, prediction = make(random.Random(4), truth, prediction)
    if flipped:
        truth, prediction = prediction, truth
    found = []
    for most in (0, 1 << 60):
        monkeypatch.setattr(scorer, "MAX_CELLS", most)
        counts = FieldCounts()
        counts.of_pair(truth, prediction, DEFAULT_OPTIONS)
        leaves = sorted((leaf.field, leaf.outcome, str(leaf.cause), leaf.earned) for leaf in counts.leaves)
        found.append((anls_score(truth, prediction), counts.earned, counts.weight, leaves if not make else len(leaves)))
    assert found[0] == found[1]
    assert typed_score(truth, prediction, {}) == found[0][0]


@pytest.mark.parametrize("seed", range(12))
def test_lists_with_a_key_or_of_right_and_wrong_values_are_those_of_the_oracle(
    seed: int, in_parts: Callable[[random.Random | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs that are certain change neither S nor L; without them the tree has as many equal elements."""
    rng = random.Random(seed)
    for number in range(60):
        truth, prediction = rows_of(rng, rng.sample(CELLS, rng.randint(2, 6)), 5)
        places = {key: {"x-docscore": rng.choice(COMPARISONS)} for key in "abc"}
        for place in places.values():
            place["x-docscore"] = place["x-docscore"] | {"weight": rng.choice([1, 1, 2, 0.5])}
        schema: dict[str, Any] = {"items": {"properties": places}}
        if number % 2:
            schema["x-docscore"] = {"key": rng.choice("abc")}
        in_parts(rng)
        tree, expected = typed_tree(truth, prediction, schema), Oracle().score(truth, prediction, schema)
        where = (schema, truth, prediction)
        assert (tree.earned, tree.weight) == pytest.approx((float(expected.earned), float(expected.weight))), where
        assert typed_score(truth, prediction, schema) == pytest.approx(tree.score, abs=1e-12), where
        with monkeypatch.context() as patched:
            patched.setattr(Scorer, "_namings", lambda *_: ())
            assert equal_pairs(typed_tree(truth, prediction, schema)) == equal_pairs(tree), where


@golden("lists", "certain")
def test_what_is_certain_needs_no_table(schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the rows without a partner of the same key, or without an equal one, are compared with each other."""
    monkeypatch.setattr(scorer, "MAX_CELLS", 0)
    compared = [0]
    table = Scorer.pairwise

    def counted(self: Scorer, truths: list[Value], predictions: list[Value], *place: Any) -> Any:
        compared.append(max(len(truths), len(predictions)))
        return table(self, truths, predictions, *place)

    monkeypatch.setattr(Scorer, "pairwise", counted)
    truth, prediction = long_list(2_000)[0]
    assert 0.9 < typed_score(truth, prediction, schema) < 1
    assert 0 < max(compared) < 500


def test_lists_of_which_all_rows_are_certain() -> None:
    rows = [{"id": i, "a": "x"} for i in range(3_000)]
    exact = {"items": {"additionalProperties": {"x-docscore": {"compare": "exact"}}}}
    assert typed_score(rows, rows[::-1], exact) == 1.0
    assert typed_score(rows, rows[:2_500], exact) == 2_500 / 3_000
    assert typed_score(rows, rows[::-1], {"x-docscore": {"key": "id"}}) == 1.0


@pytest.mark.parametrize("most", [0, 1 << 22])
def test_predictions_that_lose_nothing_may_have_different_sizes(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blank is right beside both, and the prediction of size 1 should stay without a partner."""
    monkeypatch.setattr(scorer, "MAX_CELLS", most)
    truth, prediction = [{"a": "\t", "b": "x"}], [{"a": "", "b": "x"}, {"a": " ", "b": "x"}]
    for each in (prediction, prediction[::-1]):
        assert anls_score(truth, each, threshold=1.0) == pytest.approx(2 / 3)


def test_keys_that_cannot_be_read_leave_the_others_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    """1,500 is 1.5 or 1500, so that neither is certain; of the others, no table is made."""
    schema = {"x-docscore": {"key": "id"}, "items": {"properties": {"id": {"type": "number"}}}}
    truth = [{"id": number, "a": f"{number}"} for number in (1.5, 1500, *range(2, 80))]
    prediction = [*truth[2:], {"id": "1,500", "a": "1.5"}, {"id": "unknown", "a": "1500"}]
    shapes = []
    table = Scorer.pairwise

    def noted(self: Scorer, truths: list[Value], predictions: list[Value], *place: Any) -> Any:
        shapes.append((len(truths), len(predictions)))
        return table(self, truths, predictions, *place)

    monkeypatch.setattr(Scorer, "pairwise", noted)
    assert typed_score(truth, prediction, schema) == (2 * 79 + 1) / 160
    assert shapes[0] == (2, 2)
