"""The score of the same files under other settings: another threshold, case, numbers by value or a schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docscore.core.options import BY_VALUE, ScoringOptions
from docscore.evaluation.evaluation import ANLS_STAR, Evaluation, metrics_with_schema
from docscore.report.content import typed_values_text
from playground.file_reading import drawn, rows_of_request
from playground.file_requests import FileRequest, WhatIf


def measured_metrics(options: ScoringOptions, metrics: Sequence[str]) -> tuple[str, ...]:
    """The metrics of an evaluation: those asked for, the typed score with a schema, and ANLS* where there is no other.

    ANLS* is among them too where an option was changed that is one of its own.
    """
    plain = ScoringOptions()
    own = any(getattr(options, name) != getattr(plain, name) for name in ("threshold", "ignore_case", "numbers"))
    wanted = (ANLS_STAR, *metrics) if own or not metrics or options.schema is not None else tuple(metrics)
    return metrics_with_schema(wanted, options.schema)


def rescored(asked: FileRequest) -> dict[str, Any]:
    """The score of files as a what-if compares them.

    Returns:
        "score": the mean of ANLS*, or of the typed score with a schema; "name": which of them; "words": how it differs
        from the defaults; "note": what else is to be said of it.
    """
    rows, options = rows_of_request(asked)
    evaluation = Evaluation(rows.systems[0], options, metrics=measured_metrics(options, ()), confidence=None)
    words = _words(asked.choices.what_if)
    if options.schema is None:
        by_value = asked.choices.what_if.numbers == BY_VALUE
        note = ". Numbers in quotes stay texts; a schema can read them." if by_value else ""
        return {"score": evaluation.scores.mean, "name": "ANLS*", "words": words, "note": note}
    return {
        "score": evaluation.values["typed_score"],
        "name": "typed score",
        "words": words,
        "note": f". {typed_values_text(evaluation.measured.typed)}",
    }


def scored_request(asked: FileRequest, score: float) -> str:
    """What the strip needs to know of a result: how it was asked for, and its score."""
    return drawn("scored", asked.to_json(), repr(score))


def _words(what_if: WhatIf) -> str:
    plain = WhatIf()
    said = {
        f"threshold {what_if.threshold:g}": what_if.threshold != plain.threshold,
        "case counted": not what_if.ignore_case,
        "numbers by value": what_if.numbers != plain.numbers,
        "the schema": bool(what_if.schema),
    }
    return " and ".join(words for words, is_said in said.items() if is_said) or "the settings of the result"
