"""The command `docscore report`."""

from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    Command,
    a_file,
    by_option,
    command_line,
    comparing_options,
    documents_option,
    ending,
    evaluations_of_files,
    metric_options,
    slice_option,
    test_set_options,
    together,
    two_files,
    worst_option,
)
from docscore.cli.terminal import say
from docscore.core.errors import InputValueError, in_file
from docscore.core.output import check_output, write_whole
from docscore.report.html_report import report_as_html


@click.command(
    name="report", cls=Command, epilog=ending("docscore report references.jsonl predictions.jsonl -o report.html")
)
@two_files
@click.option(
    "-o", "--output", type=a_file, required=True, metavar="FILE", help="HTML file to write; - writes to stdout."
)
@click.option("--title", help="Heading of the report.  [default: the names of the files]")
@worst_option
@together(metric_options, comparing_options, test_set_options, by_option, slice_option, documents_option)
def report_command(
    references: Path | None,
    predictions: Path,
    *,
    output: Path,
    worst: int,
    title: str | None,
    **shared: Any,
) -> None:
    """Write a report on PREDICTIONS as one HTML file that needs no script and no network.

    It shows the mean with its interval, the causes of lost points, the fields, the distribution of the scores, and the
    score trees of the lowest rows. --metrics adds other metrics, --by the figures of groups of rows, and
    --with-confidences the trade-off of automation and accuracy and a reliability diagram. The files have the form that
    `score` reads.
    """
    to_stdout = str(output) == "-"
    if not to_stdout:
        check_output(output, (".html",) if output.suffix else ())
        for path in filter(None, (references, predictions)):
            if output.exists() and path.exists() and output.samefile(path):
                raise InputValueError(place=in_file(output), expected=f"a file other than {path}, which is an input")
    (evaluation,) = evaluations_of_files(references, [predictions], shared)
    names = " × ".join(path.name for path in (references, predictions) if path)
    page = report_as_html(evaluation, title or names, worst, command_line())
    if to_stdout:
        click.echo(page.encode("utf-8", "backslashreplace"), nl=False)
    else:
        say(f"wrote {output} ({write_whole(output, page):,} bytes)")
