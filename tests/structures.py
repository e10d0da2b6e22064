"""Random values: seeded ones for the oracle, Hypothesis strategies for the properties."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from docscore import Evaluation
from docscore.core.options import read_and_compare_options
from docscore.evaluation.evaluation import evaluate_rows
from docscore.inputs.test_set import TestSet

# Few and similar scalars, so that matchings tie all the time.
SCALARS: list[Any] = ["a", "ab", "aba", "abab", "b", "ba", "abc", "xy", "A ", " ", "", 1, 10, 1.0, 0, True, False, "1"]
KEYS = ["a", "b", "c"]


def evaluation_of(pairs: TestSet, metric: str = "anls_star", **options: Any) -> Evaluation:
    """The evaluation of pairs by one metric, without intervals; options are those of `docscore.evaluate`."""
    return evaluate_rows(pairs, *read_and_compare_options(options), metrics=[metric], confidence=None)


def random_truth(rng: random.Random, depth: int, length: int = 3) -> Any:
    """A random ground truth of few scalars, with one-ofs."""
    if depth and rng.random() < 0.12:
        return tuple(random_truth(rng, depth - 1, length) for _ in range(rng.randint(1, 3)))
    return _random(rng, depth, length, random_truth)


def random_prediction(rng: random.Random, depth: int, length: int = 3) -> Any:
    """A random prediction of few scalars."""
    return _random(rng, depth, length, random_prediction)


def _random(rng: random.Random, depth: int, length: int, inner: Any) -> Any:
    draw = rng.random()
    if depth and draw < 0.4:
        return [inner(rng, depth - 1, length) for _ in range(rng.randint(0, length))]
    if depth and draw < 0.75:
        return {key: inner(rng, depth - 1, length) for key in rng.sample(KEYS, rng.randint(0, len(KEYS)))}
    return None if draw > 0.93 else rng.choice(SCALARS)


def damaged(rng: random.Random, truth: Any) -> Any:
    """A prediction that is the ground truth with things dropped, changed, added and moved."""
    if isinstance(truth, tuple):
        return damaged(rng, rng.choice(truth))
    if isinstance(truth, list):
        kept = [damaged(rng, item) for item in truth if rng.random() > 0.15]
        if rng.random() < 0.2:
            kept.append(rng.choice(SCALARS))
        rng.shuffle(kept)
        return kept
    if isinstance(truth, dict):
        kept_keys = {key: damaged(rng, item) for key, item in truth.items() if rng.random() > 0.15}
        return {**kept_keys, "z": rng.choice([None, "", [], {}, "q", [[]]])} if rng.random() < 0.2 else kept_keys
    return truth if rng.random() > 0.2 else rng.choice(SCALARS)


EMPTY: list[Any] = [None, "", [], {}, {"a": None}, {"b": {"c": "", "a": []}}]


def filled(rng: random.Random, prediction: Any) -> Any:
    """The prediction with keys that hold nothing, or next to nothing, added to its objects."""
    if isinstance(prediction, list):
        return [filled(rng, item) for item in prediction]
    if not isinstance(prediction, dict):
        return prediction
    more = {key: rng.choice([*EMPTY, *EMPTY, [None], [{}], " ", 0]) for key in "abcxyz" if rng.random() < 0.3}
    return {**more, **{key: filled(rng, item) for key, item in prediction.items()}}


def respelled(rng: random.Random, value: Any) -> Any:
    """The value with numbers as other code prints them."""
    if isinstance(value, list | tuple):
        return type(value)(respelled(rng, item) for item in value)
    if isinstance(value, dict):
        return {key: respelled(rng, item) for key, item in value.items()}
    if isinstance(value, str) and rng.random() < 0.3:
        return rng.choice([1, 1.0, 10, 1e1, 12.5, 1000.0, 1e3, 1e22, -0.0, 0])
    return float(value) if type(value) is int and rng.random() < 0.5 else value


scalars = st.one_of(
    st.sampled_from(SCALARS), st.text(max_size=6), st.integers(), st.floats(allow_nan=True), st.booleans()
)
keys = st.one_of(st.sampled_from(KEYS), st.text(max_size=3))
predictions = st.recursive(
    st.one_of(st.none(), scalars),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=14,
)
truths = st.recursive(
    st.one_of(st.none(), scalars),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(keys, inner, max_size=4),
        st.lists(inner, min_size=1, max_size=3).map(tuple),
    ),
    max_leaves=14,
)


def shuffled(rng: random.Random, value: Any) -> Any:
    """The same value with lists, options and keys in another order."""
    if isinstance(value, dict):
        items = [(key, shuffled(rng, item)) for key, item in value.items()]
        rng.shuffle(items)
        return dict(items)
    if isinstance(value, list | tuple):
        items = [shuffled(rng, item) for item in value]
        rng.shuffle(items)
        return type(value)(items)
    return value


def taken(truth: Any) -> Any:
    """The prediction that takes the first option of every one-of."""
    if isinstance(truth, tuple):
        return taken(truth[0])
    if isinstance(truth, list):
        return [taken(item) for item in truth]
    return {key: taken(item) for key, item in truth.items()} if isinstance(truth, dict) else truth
