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
    options_named,
    stdout_console,
    test_set_options,
    together,
    two_files,
)
from docscore.cli.terminal import print_json
from docscore.evaluation.automation import calibration_table, choices_table, curve_table
from docscore.report.console import print_table


@click.command(
    name="automation",
    cls=Command,
    epilog=ending("docscore automation references.jsonl predictions_confident.jsonl", "--target 0.9"),
)
@two_files
@click.option(
    "--target",
    "targets",
    type=SHARE,
    multiple=True,
    default=(0.95,),
    show_default=True,
    metavar="ACCURACY",
    help="Score that the primary metric should reach after the review. The lowest threshold that reaches it is shown. "
    "Can be repeated.",
)
@click.option(
    "--by-field",
    is_flag=True,
    help="For each field, show the lowest threshold at which the share ACCURACY of the accepted values is right. The "
    "threshold is chosen on one half of the documents and measured on the other half.",
)
@together(
    metrics_option,
    options_named("schema", "schema_by", "strict", "normalise"),
    comparing_options,
    test_set_options,
)
@json_option
def automation_command(
    references: Path | None,
    predictions: Path,
    *,
    targets: tuple[float, ...],
    by_field: bool,
    as_json: bool,
    **shared: Any,
) -> None:
    """Show the accuracy that a review of low-confidence values reaches.

    The accuracy is the score of the primary metric after the review (for KIEval, the figure KIEval Aligned). For each
    target, a table shows the lowest threshold that reaches it, the share of the values that are then accepted without
    a review, the share of these values that are right, and the number of documents that need no review.

    Predictions contain values as {"value": ..., "confidence": 0.93}, or their rows have a column "confidence" with a
    number, or with numbers in the structure of the prediction. Confidences are in percent if one exceeds 1. For each
    threshold from 0 to 1, a reviewer corrects or deletes the wrong values that have a confidence below the threshold or
    no confidence. Reviewing low-confidence values cannot find values that are
    missing, so accuracy can stay below the target.
    """
    shared["with_confidences"] = True
    (evaluation,) = evaluations_of_files(references, [predictions], shared)
    automation, progress, confidence = evaluation.automation, evaluation.progress, shared["confidence"]
    curve, targets = automation.curve, tuple(dict.fromkeys(targets))
    choices = [curve.lowest(each, confidence=confidence, progress=progress) for each in targets]
    fields = {each: automation.by_field(each) for each in targets if by_field}
    if as_json:
        print_json(
            "automation",
            {
                "metric": evaluation.metric,
                "figure": curve.figure,
                "confidences_from": evaluation.test_set.confidence_form,
                "confidence_share": curve.known,
                "documents": curve.documents,
                "targets": [choice.to_dict() for choice in choices],
                "curve": list(curve_table(curve)),
                "calibration": automation.calibration.to_dict(),
                **({"by_field": [{"target": each, "fields": list(fields[each])} for each in fields]} if fields else {}),
            },
        )
    else:
        print_table(stdout_console(), curve.table(), f"Confidences from {evaluation.test_set.confidence_form}.")
        chosen = choices_table(choices, confidence), *fields.values()
        for table in (*chosen, calibration_table(automation.calibration)):
            print_table(stdout_console(), table)
