"""The command `docscore automation`."""

from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    SHARE,
    Command,
    comparing_options,
    ending,
    evaluations_of_files,
    json_option,
    metrics_option,
    scoring_options,
    stdout_console,
    test_set_options,
    together,
    two_files,
)
from docscore.cli.terminal import print_json
from docscore.evaluation.automation import calibration_table, curve_table
from docscore.evaluation.rows import scored_rows
from docscore.report.console import print_automation, print_table


@click.command(
    name="automation",
    cls=Command,
    epilog=ending("docscore automation references.jsonl predictions_confident.jsonl", "--target 0.9"),
)
@two_files
@click.option(
    "--target",
    type=SHARE,
    default=0.95,
    show_default=True,
    metavar="ACCURACY",
    help="Accuracy to reach on the first metric. The lowest threshold that reaches it is shown.",
)
@together(
    metrics_option("kieval"),
    scoring_options("schema", "schema_by", "strict", "normalise"),
    comparing_options,
    test_set_options,
)
@json_option
def automation_command(
    references: Path | None, predictions: Path, *, target: float, as_json: bool, **shared: Any
) -> None:
    """Show the accuracy that a review of low-confidence values reaches.

    Predictions have the form {"$value": ..., "$confidence": 0.93}, or their rows have numbers of the same shape in the
    column "confidence". For thresholds from 0 to 1, a reviewer corrects or deletes the wrong values whose confidence
    is below the threshold, and of values without one. A review does not find missing values.
    """
    shared["with_confidences"] = True
    (evaluation,) = evaluations_of_files(references, [predictions], shared, first_metric="kieval")
    automation, progress = evaluation.automation, scored_rows(evaluation).progress
    choice = automation.curve.lowest(target, confidence=shared["confidence"], progress=progress)
    if as_json:
        print_json(
            "automation",
            {
                "metric": evaluation.metric,
                "figure": automation.curve.figure,
                "confidence_share": automation.curve.known,
                **choice.to_dict(),
                "curve": list(curve_table(automation.curve.points())),
                "calibration": automation.calibration.to_dict(),
            },
        )
    else:
        print_automation(stdout_console(), automation.curve, choice, shared["confidence"])
        print_table(stdout_console(), calibration_table(evaluation.automation.calibration))
