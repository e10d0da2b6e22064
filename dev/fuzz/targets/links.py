"""The page: the values in a link, checked, scored and rendered as in the workspace for one pair."""

from __future__ import annotations

import json
import warnings
from typing import Any

from dev.fuzz.draws import Draws, raw, read
from dev.fuzz.findings import check, check_html, check_printable
from dev.fuzz.seeds import pairs, sampled_seeds
from playground.pair.pair import answer, is_scored_at_once
from playground.server.requests import PAIR_METRICS, READINGS, WHAT_IFS, PairRequest, option_fields

CHOICES: dict[str, tuple[Any, ...]] = {"reading": tuple(READINGS), "metric": PAIR_METRICS}
OPTIONS: dict[str, tuple[Any, ...]] = {
    field["name"]: field["choices"] or ((True, False) if isinstance(field["default"], bool) else (0.5, 0, 1, 0.999))
    for field in option_fields(WHAT_IFS)
}


def run(data: bytes) -> None:
    """Read the request in a link, and score it if it is valid."""
    draws, parts = read(data)
    if draws is None:
        asked: Any = {"truth": parts[0], "prediction": parts[-1], **{name: each[0] for name, each in CHOICES.items()}}
    else:
        asked = _asked(draws)
    try:
        request = PairRequest.of_link(asked)
    except ValueError as error:
        check(bool(str(error)), "a link is refused without a sentence")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a list of strings against a string
        is_scored_at_once(request)
        shown = answer(request)
    check(any(shown["faults"]) != bool(shown["result"]), "either an error or a result")
    for sentence in (*(row_error["text"] for row_error in shown["faults"] if row_error), shown["note"]):
        check_printable(sentence)
    check_html(shown["result"])
    shown["raw"].encode()
    compile(shown["python"], "shown", "exec")


def _asked(draws: Draws) -> Any:
    """Return the content of a link: texts for both editors, and options; any of them may be wrong."""
    if draws.rarely():
        return draws.value()
    texts = map(json.dumps, draws.pair()) if draws.is_so() else (_text(draws), draws.answer())
    sides = dict(zip(("truth", "prediction"), texts, strict=True))
    chosen, options = (
        {name: draws.scalar() if draws.rarely() else draws.pick(known) for name, known in choices.items()}
        for choices in (CHOICES, OPTIONS)
    )
    return {**sides, **chosen, "options": options}


def _text(draws: Draws) -> Any:
    """Return the text in the editor of the ground truth."""
    return draws.value() if draws.rarely() else json.dumps(draws.value(options=True))


def seeds() -> list[bytes]:
    """Return pairs of the tests, and random bytes."""
    return [*(raw(*texts) for texts in pairs("reference_cases", 15)), *sampled_seeds()]
