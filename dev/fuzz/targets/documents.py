"""Two documents: KIEval, nTED and entity F1, with alternatives, confidences, and as Donut reads them."""

from __future__ import annotations

import json
from typing import Any

from dev.fuzz.draws import Draws, raw, read
from dev.fuzz.findings import check, check_share, errors_name_their_place
from dev.fuzz.seeds import pairs, sampled_seeds
from docscore.evaluation.automation import WITHOUT, automation_curve, curve_table, review_of_entities
from docscore.inputs.json_text import dumps, loads
from docscore.metrics.kieval import entity_counts, kieval_score
from docscore.metrics.nted import nted_score

_MOST_CHARACTERS = 200_000  # of a side: a dozen long texts take seconds, and each pair is compared several times
_MOST_PAIRS = 4_000_000  # of values of two documents: for more, nTED, which runs three times, takes seconds

CONFIDENCES: tuple[Any, ...] = (0.0, 0.5, 1.0, None, 0.93, -0.1, 2, "high", True, float("nan"), [0.5], {})


def run(data: bytes) -> None:
    """Compute the figures of a pair of documents."""
    draws, parts = read(data)
    if draws is None:
        try:
            truth, prediction = loads(parts[0]), loads(parts[-1])
        except ValueError:
            return
        draws = Draws(b"")
    else:
        truth, prediction = draws.pair()
        if max(len(repr(truth)), len(repr(prediction))) > _MOST_CHARACTERS:
            return
    normalise = draws.is_so()
    confidences = _like(prediction, draws) if draws.is_so() else None
    with errors_name_their_place():
        _kieval(truth, prediction, confidences, normalise=normalise)
    for donut in (False, True):
        with errors_name_their_place():
            check_share(entity_counts(truth, prediction, normalise=normalise, donut=donut).f1, "entity F1")
        readings = 2 ** min(10, repr(truth).count("$one_of"))  # about as many, and each is compared
        if _values(truth) * _values(prediction) * readings <= _MOST_PAIRS:
            with errors_name_their_place():
                check_share(nted_score(truth, prediction, donut=donut), "nTED")
    if "$one_of" in repr(prediction):  # they are alternatives if it is the ground truth
        return
    with errors_name_their_place():
        if _values(prediction) ** 2 <= _MOST_PAIRS:
            check(nted_score(prediction, prediction) == 1, "nTED of a document with itself is not 1")
        check(entity_counts(prediction, prediction).f1 == 1, "entity F1 of a document with itself is not 1")


def _kieval(truth: Any, prediction: Any, confidences: Any, *, normalise: bool) -> None:
    score = kieval_score(truth, prediction, normalise=normalise, confidences=confidences)
    for value in (score.entities.f1, score.entities.aligned, score.groups.f1):
        check_share(value, "a figure of KIEval")
    again = kieval_score(truth, _reversed(prediction), normalise=normalise)
    check((again.entities, again.groups) == (score.entities, score.groups), "KIEval depends on the order of keys")
    dumps(score.to_dict())
    score.tables()
    review = review_of_entities(score)
    if any(value[0] != WITHOUT for value in review.values):
        json.dumps(curve_table(automation_curve([review]).points()), allow_nan=False)


def _values(value: Any) -> int:
    """Return about how many values and keys a document has, for any types."""
    text = repr(value)
    return 1 + text.count(",") + text.count(":")


def _like(value: Any, draws: Draws) -> Any:
    """Return confidences in the structure of a value, some of them odd, or in another structure."""
    if draws.rarely():
        return draws.pick(CONFIDENCES)
    if isinstance(value, dict):
        return {key: _like(item, draws) for key, item in value.items()}
    if isinstance(value, list):
        return [_like(item, draws) for item in value[:8]] + [0.5] * (len(value) - 8)
    return draws.pick(CONFIDENCES)


def _reversed(value: Any) -> Any:
    """Return the value with the keys of its objects in reverse order; unchanged if it is too deep for recursion."""
    try:
        return _turned(value)
    except RecursionError:
        return value


def _turned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    return [_turned(item) for item in value] if isinstance(value, list) else value


def seeds() -> list[bytes]:
    """Return pairs of the tests, and random bytes."""
    known = [
        raw(*texts) for name, every in (("donut_cases", 4), ("reference_cases", 20)) for texts in pairs(name, every)
    ]
    return [*known, *sampled_seeds()]
