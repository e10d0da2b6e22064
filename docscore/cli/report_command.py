"""The command `docscore report`."""

from __future__ import annotations

from pathlib import Path

import click

from docscore.cli.options import (
    Command,
    CommandSettings,
    a_file,
    by_option,
    comparing_options,
    ending,
    evaluations_of_files,
    metric_options,
    slice_option,
    test_set_options,
    two_files,
    with_settings,
    worst_option,
)
from docscore.cli.terminal import say
from docscore.core.errors import InputValueError, in_file
from docscore.core.output import check_output, write_whole


@click.command(
    name="report", cls=Command, epilog=ending("docscore report references.jsonl predictions.jsonl -o report.html")
)
@two_files
@click.option("-o", "--output", type=a_file, required=True, help="The HTML file to write; - writes to stdout.")
@with_settings(comparing_options, test_set_options, metric_options, by_option, slice_option)
@worst_option
@click.option("--title", help="The heading; by default the name of the file of predictions.")
def report_command(
    references: Path | None,
    predictions: Path,
    *,
    output: Path,
    settings: CommandSettings,
    worst: int,
    title: str | None,
) -> None:
    """Write a report on PREDICTIONS as one HTML file that needs no script and no network.

    It has the mean with its interval, the causes of lost points, the fields, the distribution of the scores, and the
    score trees of the lowest documents; with --metrics the other metrics, and with --with-confidences the trade-off of
    automation and accuracy and the reliability diagram; with --by the figures of each value of a column. Files
    and rows are as for `score`.
    """
    to_stdout = str(output) == "-"
    if not to_stdout:
        _check_files(output, *filter(None, (references, predictions)))
    (evaluation,) = evaluations_of_files(references, [predictions], settings)
    page = evaluation.as_html(title or predictions.name, worst=worst)
    if to_stdout:
        click.echo(page.encode("utf-8", "backslashreplace"), nl=False)
    else:
        size = write_whole(output, page)
        say(f"wrote {output} ({size:,} bytes)")


def _check_files(output: Path, *inputs: Path) -> None:
    """Raise `ValueError` if the report cannot be written or would overwrite an input, before any work is done."""
    check_output(output)
    for path in inputs:
        if output.exists() and path.exists() and output.samefile(path):
            raise InputValueError(
                place=in_file(output),
                expected=f"another file than {path}, which the report is made from",
            )
