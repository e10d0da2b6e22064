"""The command `docscore automation`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    console,
    json_option,
    pairs_from_files,
    progress_bars,
    rules,
    scored_pairs,
    test_set,
    two_files,
)
from docscore.cli.report_command import curve_of_scores
from docscore.report.console import print_automation
from docscore.stats.intervals import RESAMPLES

_TARGET = 0.95


@click.command(short_help="How much review an accuracy needs.")
@two_files
@rules
@test_set
@click.option("--normalise", is_flag=True, help="Ignore case and white space.")
@click.option(
    "--target",
    type=click.FloatRange(0, 1),
    default=_TARGET,
    show_default=True,
    help="The accuracy (KIEval Aligned) that is wanted.",
)
@json_option
def automation_command(references: Path, predictions: Path, *, target: float, as_json: bool, **options: Any) -> None:
    """What a review of the values that the model was least sure of would bring.

    Predictions hold {"$value": ..., "$confidence": 0.93}, or rows have numbers of the same shape under "confidence".
    For thresholds from 0 to 1, values with a confidence below it are reviewed, and changed or deleted where they are
    wrong; nobody looks for what is missing.
    """
    options["confidences"] = True
    curve = curve_of_scores(scored_pairs(pairs_from_files(references, predictions, options), options), options)
    with progress_bars(("Resampling", RESAMPLES)) as (resampled,):
        choice = curve.lowest(target, confidence=options["confidence"], resampled=resampled)
    if as_json:
        click.echo(json.dumps({**choice.to_dict(), "curve": [point.to_dict() for point in curve.points()]}))
    else:
        print_automation(console(), curve, choice, options["confidence"])
