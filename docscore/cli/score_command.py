"""The command `docscore score`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    console,
    json_option,
    measured_of,
    metric_options,
    pairs_from_files,
    rules,
    say,
    scored_pairs,
    summary_of,
    test_set,
    two_files,
    worst_option,
)
from docscore.data.confidences import SURE, VALUE
from docscore.data.pairing import Pairs
from docscore.report.console import print_measured, print_summary

_ANLS_STAR = ["anls_star"]


@click.command(short_help="Score a file of predictions.")
@two_files
@rules
@test_set
@metric_options
@click.option("--fields", is_flag=True, help="Also show what became of each field, and why points were lost.")
@worst_option
@json_option
def score_command(
    references: Path, predictions: Path, *, fields: bool, worst: int, as_json: bool, **options: Any
) -> None:
    """Score PREDICTIONS against REFERENCES, both JSONL, JSON, CSV or Parquet.

    Rows are {"question_id", "prediction"} and {"question_id", "references": [acceptable answers]}, in any order; or
    {"question_id", "prediction_text"} and {"question_id", "answers"}; or plain values in the same order. Files may be
    compressed (.jsonl.gz).
    """
    pairs = pairs_from_files(references, predictions, options)
    scores = scored_pairs(pairs, options)
    found = summary_of(scores, options, fields=fields)
    measured = None if options["metrics"] == _ANLS_STAR else measured_of(scores, options)
    if as_json:
        parts = found.to_dict(per_sample=True, signature=True)
        parts |= {} if measured is None else {"metrics": {**measured.to_dict(), "signature": measured.signature}}
        click.echo(json.dumps({**parts, "rows": len(pairs.ids), "worst": scores.worst(worst)}))
        return
    if "anls_star" in options["metrics"] or fields:
        print_summary(console(), found, worst)
    if measured is not None:
        print_measured(console(), measured, len(pairs.ids), options["confidence"])
    if not options["confidences"] and any(map(_is_wrapped, pairs.predictions)):
        say("predictions hold $value and $confidence; --confidences takes the values out of them")
    if options["parse"] is None and _are_unread_texts(pairs):
        say("all predictions are text; --parse json or --parse repair reads them as JSON")


def _is_wrapped(prediction: Any) -> bool:
    """Whether a value at the first two levels carries a confidence."""
    inside = prediction.values() if isinstance(prediction, dict) else ()
    return any(isinstance(each, dict) and VALUE in each and SURE in each for each in (prediction, *inside))


def _are_unread_texts(pairs: Pairs) -> bool:
    """Whether all predictions are text where objects are expected."""
    answers = [truth[0] if isinstance(truth, tuple) else truth for truth in pairs.truths]
    if not all(isinstance(each, str) for each in pairs.predictions):
        return False
    return all(isinstance(each, dict) for each in answers)
