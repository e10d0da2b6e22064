"""The command `docscore automation`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from docscore.cli.options import (
    SHARE,
    CommandSettings,
    comparing_flags,
    evaluations_of_files,
    json_option,
    progress_bars,
    stdout_console,
    test_set_flags,
    two_files,
    with_ending,
    with_settings,
)
from docscore.cli.terminal import print_json, with_format
from docscore.corpus.evaluation import ANLS_STAR
from docscore.report.console import print_automation, print_calibration

_TARGET = 0.95


@with_ending(
    "docscore automation references.jsonl predictions_confident.jsonl",
    "--target 0.9",
    json_format="automation",
)
@click.command(name="automation")
@two_files
@with_settings(
    comparing_flags, test_set_flags, click.option("--normalise", is_flag=True, help="Ignore case and white space.")
)
@click.option(
    "--target",
    type=SHARE,
    default=_TARGET,
    show_default=True,
    help="The wanted accuracy (KIEval Aligned).",
)
@json_option
def automation_command(
    references: Path | None, predictions: Path, *, settings: CommandSettings, target: float, as_json: bool
) -> None:
    """Show accuracy after reviewing low-confidence values, for thresholds of confidence from 0 to 1.

    Predictions hold {"$value": ..., "$confidence": 0.93}, or rows have numbers of the same shape under "confidence".
    Values with a confidence below the threshold are reviewed, and changed or deleted if they are wrong. A review does
    not find missing values.
    """
    options = replace(settings.options, with_confidences=True)
    settings = replace(settings, options=options, metrics=(ANLS_STAR, "kieval"))
    with progress_bars() as progress:
        (found,) = evaluations_of_files(references, [predictions], settings, progress)
        choice = found.curve.lowest(target, confidence=settings.confidence, progress=progress)
        calibration = found.calibration
    if as_json:
        curve = [point.to_dict() for point in found.curve.points()]
        parts = {**choice.to_dict(), "curve": curve, "calibration": calibration.to_dict()}
        print_json(with_format("automation", parts))
    else:
        print_automation(stdout_console(), found.curve, choice, settings.confidence)
        print_calibration(stdout_console(), calibration)
