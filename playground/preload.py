"""What child processes need, imported and used once, so that the process that they are forked from has it ready."""

from __future__ import annotations

from playground import kept_results, pair, systems_work, testset
from playground.requests import PAIR_METRICS, PairRequest

WORKS = (kept_results, pair, systems_work, testset)


def warm_up() -> None:
    """Score a pair by each metric: modules that are imported when needed and templates are then loaded."""
    for metric in PAIR_METRICS:
        pair.answer(PairRequest(truth='{"a": ["b", "c"]}', prediction='```{"a": ["d"]}```', metric=metric))


warm_up()
