"""The command `docscore compare`."""

from __future__ import annotations

from pathlib import Path

import click

from docscore.cli.options import (
    COUNT,
    Command,
    CommandSettings,
    Number,
    a_file,
    by_option,
    comparing_options,
    ending,
    evaluations_of_files,
    json_option,
    metric_options,
    references_option,
    slice_option,
    stdout_console,
    test_set_options,
    with_settings,
)
from docscore.cli.terminal import print_json
from docscore.evaluation.tables import LISTED
from docscore.report.console import print_comparison
from docscore.report.markup import comparison_as_markdown


@click.command(
    name="compare",
    cls=Command,
    epilog=ending(
        "docscore compare predictions.jsonl predictions_new.jsonl",
        "--references references.jsonl --max-loss 0.05",
        json_format="compare",
        failing="--max-loss: NEW is worse by more than that",
    ),
)
@click.argument("base", type=a_file)
@click.argument("new", type=a_file)
@references_option
@with_settings(comparing_options, test_set_options, metric_options, by_option, slice_option)
@click.option(
    "--max-loss",
    type=Number(min=0),
    metavar="LOSS",
    help="Exit with status 1 if NEW is worse than BASE by more than this beyond chance, by the first metric and with "
    "the confidence. A loss that may be chance passes.",
)
@click.option(
    "--changes",
    type=COUNT,
    default=LISTED,
    show_default=True,
    help="How many documents to list on each side.",
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown, for a comment on a pull request.")
@json_option
def compare_command(
    base: Path,
    new: Path,
    *,
    references: Path | None,
    settings: CommandSettings,
    max_loss: float | None,
    changes: int,
    as_markdown: bool,
    as_json: bool,
) -> int:
    """Compare the predictions BASE and NEW on the same documents.

    Files and rows are as for `score`; without --references, both hold them, as logs do. The first of the --metrics
    decides: the difference with an interval that is paired by document, whether it could be chance (a paired
    permutation test), the documents that became better and worse, the gate, and the same for each field, for the points
    lost by each cause and with --by for the rows of each value, with q-values that allow for their number
    (Benjamini-Hochberg). Figures of further metrics are printed beside it.
    """
    if as_markdown and as_json:
        raise click.UsageError("expected --markdown or --json, got both", click.get_current_context())  # noqa: TRY003, EM101
    before, after = evaluations_of_files(references, [base, new], settings)
    comparison = before.compare(after)
    gate = None if max_loss is None else comparison.decide(max_loss)
    if as_json:
        print_json("compare", {**comparison.to_dict(), "gate": gate and gate.to_dict()})
    elif as_markdown:
        click.echo(comparison_as_markdown(comparison, gate, changes))
    else:
        print_comparison(stdout_console(), comparison, gate, changes)
    return 1 if gate and gate.failed else 0
