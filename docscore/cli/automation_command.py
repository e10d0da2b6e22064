"""The command `docscore automation`."""

from __future__ import annotations

from pathlib import Path

import click

from docscore.cli.options import (
    SHARE,
    Command,
    CommandSettings,
    comparing_options,
    ending,
    evaluations_of_files,
    json_option,
    metrics_option,
    scoring_options,
    stdout_console,
    test_set_options,
    two_files,
    with_settings,
)
from docscore.cli.terminal import print_json
from docscore.evaluation.contents import calibration_table
from docscore.report.console import print_automation, print_table


@click.command(
    name="automation",
    cls=Command,
    epilog=ending(
        "docscore automation references.jsonl predictions_confident.jsonl", "--target 0.9", json_format="automation"
    ),
)
@two_files
@with_settings(
    comparing_options,
    test_set_options,
    metrics_option("kieval, for which the trade-off was defined"),
    scoring_options("normalise", "schema", "strict"),
    with_confidences=True,
    first_metric="kieval",
)
@click.option(
    "--target",
    type=SHARE,
    default=0.95,
    show_default=True,
    help="The wanted accuracy, by the first of the metrics.",
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
    (evaluation,) = evaluations_of_files(references, [predictions], settings)
    choice = evaluation.curve.lowest(target, confidence=settings.evaluation["confidence"], progress=evaluation.progress)
    calibration = evaluation.calibration
    if as_json:
        curve = [point.to_dict() for point in evaluation.curve.points()]
        parts = {"metric": evaluation.metric, "figure": evaluation.curve.figure, **choice.to_dict(), "curve": curve}
        print_json("automation", {**parts, "calibration": calibration.to_dict()})
    else:
        print_automation(stdout_console(), evaluation.curve, choice, settings.evaluation["confidence"])
        print_table(stdout_console(), calibration_table(calibration))
