"""The page: the values that a link holds, read, scored and drawn as the tab for one pair does."""

from __future__ import annotations

import json
import warnings
from typing import Any

from docscore.core.options import ScoringOptions
from fuzz.draws import Draws, raw, read
from fuzz.findings import check, check_html, check_printable, errors_name_their_place
from fuzz.seeds import drawn_seeds, pairs
from playground import pair

METRICS = (*pair.METRICS, "BLEU")


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
    as_text, metric = draws.rarely(), draws.pick(METRICS[:-1])
    with errors_name_their_place():
        options = _options(draws)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found = pair.faults(truth, prediction, as_text=as_text, metric=metric)
            check(len(found) == 2, "a sentence for each editor")
            for sentence in found:
                check_printable(sentence)
            if any(found):
                return
            html, raw_json, python = pair.score(truth, prediction, options, as_text=as_text, metric=metric)
        check_html(html)
        raw_json.encode()
        compile(python, "shown", "exec")


def _editor(draws: Draws) -> Any:
    """What stands in an editor; the page gives None where there is nothing."""
    return None if draws.rarely() else draws.answer() if draws.is_so() else json.dumps(draws.value(options=True))


def _options(draws: Draws) -> ScoringOptions:
    """The options of a link, any of which may be wrong."""
    return ScoringOptions(
        threshold=draws.scalar() if draws.rarely() else draws.pick((0.5, 0, 1, 0.999)),
        ignore_case=draws.scalar() if draws.rarely() else draws.is_so(),
        rules=draws.scalar() if draws.rarely() else draws.pick(("paper", "anls_star-1.0.1")),
        numbers=draws.value() if draws.rarely() else draws.pick(("text", "value")),
    )


def seeds() -> list[bytes]:
    """Pairs of the tests, and random bytes."""
    return [*(raw(*texts) for texts in pairs("reference_cases", 15)), *drawn_seeds()]
