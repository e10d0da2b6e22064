"""The command `docscore report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    a_file,
    measured_of,
    metric_options,
    pairs_from_files,
    progress_bars,
    rules,
    say,
    scored_pairs,
    summary_of,
    test_set,
    two_files,
    worst_option,
)
from docscore.corpus.automation import Curve, automation_curve
from docscore.corpus.measure import MetricOptions, kieval_scores
from docscore.corpus.scores import CorpusScore
from docscore.report.html_report import report_as_html


@click.command(short_help="Write a report as one HTML file.")
@two_files
@click.option("-o", "--output", type=a_file, required=True, help="The HTML file to write.")
@rules
@test_set
@metric_options
@worst_option
@click.option("--title", help="The heading; by default the name of the file of predictions.")
def report_command(
    references: Path, predictions: Path, *, output: Path, worst: int, title: str | None, **options: Any
) -> None:
    """Write a report on PREDICTIONS as one HTML file that needs no script and no network.

    It has the mean with its interval, the causes of lost points, the fields, the distribution of the scores, and the
    score trees of the lowest documents; with --metrics the other metrics, and with --confidences the trade-off of
    automation and accuracy. Files and rows are as for `score`.
    """
    _check_output(output, references, predictions)
    scores = scored_pairs(pairs_from_files(references, predictions, options), options)
    found = summary_of(scores, options, fields=True)
    measured = None if options["metrics"] == ["anls_star"] else measured_of(scores, options)
    curve = curve_of_scores(scores, options) if options["confidences"] else None
    page = report_as_html(found, title or predictions.name, worst, measured=measured, curve=curve)
    output.write_text(page, encoding="utf-8", errors="backslashreplace")
    say(f"wrote {output} ({len(page.encode('utf-8', 'backslashreplace')):,} bytes)")


def _check_output(output: Path, *inputs: Path) -> None:
    """Raise `ValueError` where the report cannot be written or would replace an input, before there is work to lose."""
    if not output.parent.is_dir():
        msg = f"{output}: expected a folder that exists, got {output.parent}"
        raise ValueError(msg)
    if output.is_dir():
        msg = f"{output}: expected the name of a file, got a folder"
        raise ValueError(msg)
    for path in inputs:
        if output.exists() and path.exists() and output.samefile(path):
            msg = f"{output}: expected another file than {path}, which the report is made from"
            raise ValueError(msg)


def curve_of_scores(scores: CorpusScore, options: dict[str, Any]) -> Curve:
    """The trade-off of automation and accuracy over scored rows."""
    with progress_bars(("Reviewing", len(scores.ids))) as (measured,):
        found = kieval_scores(scores, MetricOptions(normalise=options["normalise"]), measured)
    return automation_curve(found, names=scores.ids)
