"""The page: the values that a link holds, read, scored and drawn as the tab for one pair does."""

from __future__ import annotations

import json
import warnings
from typing import Any

from fuzz.draws import Draws, raw, read
from fuzz.findings import check, check_html, check_printable, errors_name_their_place
from fuzz.seeds import drawn_seeds, pairs
from playground import pair


def run(data: bytes) -> None:
    """Check the texts in the editors, and score them if there is no fault."""
    draws, parts = read(data)
    if draws is None:
        truth, prediction = parts[0], parts[-1]
        draws = Draws(b"")
    else:
        truth, prediction = _editor(draws), _editor(draws)
        if draws.is_so():
            truth, prediction = map(json.dumps, draws.pair())
    asked = {"truth": truth, "prediction": prediction, **_options(draws)}
    with errors_name_their_place(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = pair.answer(pair.PairRequest.of(asked))
        check(len(found.faults) == 2, "a sentence for each editor")
        for sentence in (*found.faults, found.note):
            check_printable(sentence)
        if any(found.faults):
            return
        check_html(found.result)
        found.raw.encode()
        compile(found.python, "shown", "exec")


def _editor(draws: Draws) -> Any:
    """What stands in an editor; the page gives None where there is nothing."""
    return None if draws.rarely() else draws.answer() if draws.is_so() else json.dumps(draws.value(options=True))


def _options(draws: Draws) -> dict[str, Any]:
    """The options of a link, any of which may be wrong."""
    known = {
        "threshold": (0.5, 0, 1, 0.999),
        "ignore_case": (True, False),
        "reading": tuple(pair.READINGS),
        "metric": pair.METRICS,
        "rules": tuple(pair.RULES),
        "numbers": tuple(pair.NUMBERS),
    }
    return {name: draws.value() if draws.rarely() else draws.pick(values) for name, values in known.items()}


def seeds() -> list[bytes]:
    """Pairs of the tests, and random bytes."""
    return [*(raw(*texts) for texts in pairs("reference_cases", 15)), *drawn_seeds()]
