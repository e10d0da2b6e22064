"""The command `docscore compare`."""

from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    COUNT,
    Command,
    Number,
    a_file,
    by_option,
    command_line,
    comparing_options,
    ending,
    evaluations_of_files,
    gate_of,
    json_option,
    metric_options,
    references_option,
    rows_option,
    slice_option,
    stdout_console,
    test_set_options,
    together,
)
from docscore.cli.terminal import print_json, say
from docscore.core.output import check_output
from docscore.evaluation.comparison import FEWEST_DOCUMENTS, LEAST_DOCUMENT_SCORE
from docscore.evaluation.tables import LISTED
from docscore.report.console import print_comparison
from docscore.report.markup import comparison_as_markdown


@click.command(
    name="compare",
    cls=Command,
    common=("by", "slice_value", "every_slice"),
    epilog=ending(
        "docscore compare predictions.jsonl predictions_new.jsonl",
        "--references references.jsonl --max-loss 0.05",
        failing="--max-loss, --max-field-loss, --max-document-loss: NEW loses more than allowed",
        undecided="a limit cannot be decided",
    ),
)
@click.argument("base", type=a_file)
@click.argument("new", type=a_file)
@references_option
@click.option(
    "--max-loss",
    type=Number(min=0, max=1, max_open=True),
    metavar="LOSS",
    help="Exit with status 1 if the primary metric falls by more than LOSS from BASE to NEW.",
)
@click.option(
    "--max-field-loss",
    type=Number(min=0, max=1, max_open=True),
    metavar="LOSS",
    help="Exit with status 1 if the score of any field falls by more than LOSS.",
)
@click.option(
    "--max-document-loss",
    type=Number(min=0, max=1, max_open=True),
    metavar="SHARE",
    help="Exit with status 1 if any document loses more than SHARE of its score in BASE, and name these documents. "
    f"Documents with a score below {LEAST_DOCUMENT_SCORE:g} in BASE are not evaluated.",
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME",
    help="With --max-field-loss: evaluate only this field, such as items[].price. Can be repeated.",
)
@click.option(
    "--min-documents",
    type=Number(integer=True, min=1),
    default=FEWEST_DOCUMENTS,
    show_default=True,
    metavar="N",
    help="The gate evaluates only fields and slices with at least N documents. With --beyond-chance, N is at least the "
    "number of documents that can show a loss: 6 at a confidence level of 0.95.",
)
@click.option("--every-slice", is_flag=True, help="With --by: evaluate all rows, and also the rows of each value.")
@click.option(
    "--beyond-chance",
    is_flag=True,
    help="With --max-loss and --max-field-loss: fail only if the interval and the p-value show the loss. A loss that "
    "may be chance passes.",
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown, for a comment on a pull request.")
@click.option("-o", "--output", type=a_file, metavar="FILE", help="Also write the comparison to FILE (.html or .md).")
@click.option(
    "--changes",
    type=COUNT,
    default=LISTED,
    show_default=True,
    metavar="N",
    help="List the N largest gains and the N largest losses.",
)
@together(metric_options, comparing_options, test_set_options, by_option, slice_option)
@json_option
@rows_option
def compare_command(
    base: Path,
    new: Path,
    *,
    references: Path | None,
    max_loss: float | None,
    max_field_loss: float | None,
    max_document_loss: float | None,
    fields: tuple[str, ...],
    min_documents: int,
    every_slice: bool,
    beyond_chance: bool,
    changes: int,
    as_markdown: bool,
    output: Path | None,
    as_json: bool,
    with_rows: bool,
    **shared: Any,
) -> int:
    """Compare BASE and NEW, the predictions of two systems for the same documents.

    The files have the form that `score` reads. Without --references, both also hold the ground truths, as logs do. The
    primary metric decides: its difference has a paired interval and a paired permutation test. Tables list the largest
    gains and losses, and the changes of fields, of causes of lost points and, with --by, of groups of rows. Their
    q-values account for the number of tests (Benjamini-Hochberg). Other metrics are listed too.
    """
    if as_markdown and as_json:
        click.get_current_context().fail("expected --markdown or --json, got both")
    if output is not None:
        check_output(output, (".html", ".md"))
    gated = max_loss is not None or max_field_loss is not None
    if every_slice and shared["by"] is None:
        click.get_current_context().fail("--every-slice needs --by")
    if not gated and (fields or every_slice or beyond_chance):
        click.get_current_context().fail(
            "--field, --every-slice and --beyond-chance need --max-loss or --max-field-loss"
        )
    before, after = evaluations_of_files(references, [base, new], shared)
    comparison = before.compare(after)
    gate = undecided = None
    if gated or max_document_loss is not None:
        gate, undecided = gate_of(
            comparison.decide,
            max_loss,
            max_field_loss=max_field_loss,
            max_document_loss=max_document_loss,
            fields=fields,
            beyond_chance=beyond_chance,
            min_documents=min_documents,
            every_slice=every_slice,
        )
    if output is not None:
        title = f"{base.name} → {new.name}"
        say(f"wrote {comparison.report(output, changes=changes, gate=gate, title=title, recipe=command_line())}")
    if as_json:
        parts = comparison.to_dict()
        listed = {name: parts[name][: None if with_rows else changes] for name in ("better", "worse")}
        print_json("compare", {**parts, **listed, "gate": gate and gate.to_dict()})
    elif as_markdown:
        click.echo(comparison_as_markdown(comparison, gate, changes))
    else:
        print_comparison(stdout_console(), comparison, gate, changes)
    if undecided is not None:
        raise undecided
    return 1 if gate and gate.failed else 0
