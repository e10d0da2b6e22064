"""Rows in the three formats, with any Python objects: the evaluate module, `docscore.evaluate`, pairing."""

from __future__ import annotations

import datetime as dt
import json
import warnings
from collections.abc import Callable
from dataclasses import make_dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np

from anls_star import AnlsStar
from dev.fuzz.draws import Draws, raw, read
from dev.fuzz.findings import check, check_share, errors_name_their_place
from dev.fuzz.seeds import cases, sampled_seeds
from docscore.core.options import read_and_compare_options
from docscore.evaluation.evaluation import evaluate_rows
from docscore.evaluation.sources import evaluate
from docscore.inputs.pairing import pairs_of

_SAME = 1e-9
_MOST_ROWS = 5
_MOST_CHARACTERS = 300_000  # of all rows: long texts take seconds, and each of three interfaces compares them
Colour = Enum("Colour", {"RED": "red", "DEEP": [1, ["x"]]})
Point = make_dataclass("Point", ["x", "y"])
FOREIGN: tuple[Any, ...] = (
    np.float32(1.5), np.int64(3), np.bool_(1), np.str_("x"), np.array(["a", "b"]), np.array([[1.0, np.nan]]),
    np.array(5), np.array([], dtype=object), np.array([None, "a"], dtype=object), np.datetime64("2024-01-01"),
    np.datetime64("NaT"), np.timedelta64(1, "s"), np.longdouble("0.1"), np.complex128(1),
    np.array([(1, "a")], dtype=[("n", "i4"), ("s", "U1")]), Decimal("12.50"), Decimal("NaN"), Decimal("sNaN"),
    Decimal("1E+1000000"), dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc), dt.time(1),
    dt.timedelta(1), Colour.RED, Colour.DEEP, Point, Point(1, Point("a", None)), b"bytes", {1, 2}, frozenset("a"),
    range(3), 1j, object(), (), ("a",), ("a", ("b", {"$one_of": ["c"]})), {1: "a"}, {None: "a"}, {"$one_of": []},
    {"$one_of": "x"}, {"$one_of": ["a"], "b": 1}, type, len, float("nan"), 10**5000,
)  # fmt: skip
IDS: tuple[Any, ...] = ("a", "b", "0", 1, np.int64(2), "", "\ud800", None, True, 1.0, "größe", "a\nb", (), 10**5000)
FORMATS = (("prediction", "references"), ("prediction_text", "answers"))
METRIC = AnlsStar()


def run(data: bytes) -> None:
    """Score rows through all interfaces, which must give the same mean or refuse the rows."""
    draws, parts = read(data)
    if draws is None:
        try:
            predictions, references = json.loads(parts[0]), json.loads(parts[-1])
        except (ValueError, RecursionError):
            return
        draws = Draws(b"")
    else:
        draws.left = _MOST_CHARACTERS
        predictions, references = _rows(draws)
    keywords: dict[str, Any] = {
        "parse": draws.pick((None, "json", "repair")),
        "missing": draws.pick(("error", "zero")),
        "rules": draws.pick(("paper", "anls_star-1.0.1")),
        "numbers": draws.pick(("text", "value")),
    }
    extra = {"key_scores": draws.is_so(), "confidence": draws.pick((None, 0.95)), "signature": draws.is_so()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        means = [
            _mean(lambda: _paired(predictions, references, keywords)),
            _mean(lambda: evaluate(predictions=predictions, references=references, **keywords).score),
            _mean(lambda: _computed(predictions, references, {**keywords, **extra})),
        ]
    known = [mean for mean in means if mean is not None]
    check(not known or max(known) - min(known) < _SAME, f"the entrances differ: {means}")


def _mean(entrance: Callable[[], float]) -> float | None:
    """Return the mean by one interface; None if it refuses the rows."""
    with errors_name_their_place():
        mean = entrance()
        check_share(mean, "the mean")
        return mean
    return None


def _paired(predictions: Any, references: Any, keywords: dict[str, Any]) -> float:
    pairs = pairs_of(predictions, references, keywords["missing"])
    return evaluate_rows(pairs, *read_and_compare_options(keywords)).score


def _computed(predictions: Any, references: Any, keywords: dict[str, Any]) -> float:
    figures = METRIC.compute(predictions=predictions, references=references, per_sample=True, **keywords)
    assert figures is not None  # noqa: S101  there is one process
    json.dumps({**figures, "per_sample": None}, allow_nan=False)
    return float(figures["anls_score"])


def _rows(draws: Draws) -> tuple[Any, Any]:
    """Return rows of predictions and of references, most of them valid."""
    form = draws.number(2)
    predictions, references = [], []
    for number in range(0 if draws.rarely() else 1 + draws.number(_MOST_ROWS - 1)):
        truth = _value(draws, options=True)
        prediction = draws.changed(truth) if draws.is_so() else _value(draws)
        if form == 2:
            predictions.append(prediction)
            references.append(truth)
            continue
        name = draws.pick(IDS) if draws.rarely() else f"r{number}"
        keys = FORMATS[form]
        text = form == 1 and not draws.rarely()
        predictions.append({"question_id": name, keys[0]: draws.answer() if text else prediction})
        answers: Any = [draws.text()] if text else [truth, *[_value(draws) for _ in range(draws.number(1))]]
        references.append({"question_id": name, keys[1]: draws.pick(FOREIGN) if draws.rarely() else answers})
    return _damaged(predictions, draws), _damaged(references, draws)


def _value(draws: Draws, *, options: bool = False) -> Any:
    leaf = (lambda: draws.pick(FOREIGN)) if draws.rarely() else None
    return draws.value(leaf, depth=2, options=options)


def _damaged(rows: list[Any], draws: Draws) -> Any:
    """Return the rows, rarely with something missing, doubled, or of another kind."""
    if not draws.rarely():
        return rows
    kind = draws.number(7)
    if kind == 0 and rows:
        return rows[1:]
    if kind == 1 and rows:
        return [*rows, rows[0]]
    if kind == 2 and rows and isinstance(rows[0], dict):
        return [{key: item for key, item in rows[0].items() if key != draws.pick(list(rows[0]))}, *rows[1:]]
    if kind == 3:
        return [*rows, draws.pick(FOREIGN)]
    if kind == 4:
        return {str(number): row for number, row in enumerate(rows)}
    return rows[::-1] if kind == 5 else draws.pick(FOREIGN) if kind == 6 else rows


def seeds() -> list[bytes]:
    """Return cases of the tests as rows in each format, and random bytes."""
    some = cases("reference_cases")[::60]
    by_id = [
        raw(
            json.dumps([{"question_id": "a", "prediction": case["prediction"]}]),
            json.dumps([{"question_id": "a", "references": [case["ground_truth"]]}]),
        )
        for case in some
    ]
    plain = [raw(json.dumps([case["prediction"]]), json.dumps([case["ground_truth"]])) for case in some]
    texts = raw(
        '[{"question_id": "a", "prediction_text": "Paris"}]', '[{"question_id": "a", "answers": ["paris", "Lyon"]}]'
    )
    return [*by_id, *plain, texts, *sampled_seeds()]
