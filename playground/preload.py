"""What child processes need, imported and used once, so that the process that they are forked from has it ready."""

from __future__ import annotations

from playground import kept_results, pair, systems_work, testset

WORKS = (kept_results, pair, systems_work, testset)


def warm_up() -> None:
    """Score a pair by each metric: modules that are imported when needed and templates are then loaded."""
    for metric in pair.METRICS:
        pair.answer(pair.PairRequest('{"a": ["b", "c"]}', '```{"a": ["d"]}```', metric=metric))


warm_up()
