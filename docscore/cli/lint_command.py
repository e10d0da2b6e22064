"""The command `docscore lint`."""

from __future__ import annotations

from pathlib import Path

import click

from docscore.cli.options import Command, a_file, ending, stdout_console
from docscore.cli.terminal import print_json
from docscore.evaluation.contents import findings_table
from docscore.evaluation.ground_truths import lint
from docscore.report.console import print_table
from docscore.report.markup import table_as_markdown


@click.command(
    name="lint",
    cls=Command,
    epilog=ending(
        "docscore lint references.jsonl --schema schema.json", json_format="lint", failing="something was found"
    ),
)
@click.argument("references", type=a_file)
@click.option("--schema", type=a_file, metavar="FILE", help="The JSON Schema of the ground truths.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="The format of the findings.",
)
def lint_command(references: Path, *, schema: Path | None, form: str) -> int:
    """Check the ground truths of REFERENCES against their schema and against each other.

    Found are wrong types, keys that the schema lacks, values that its comparators cannot read, empty texts among
    acceptable answers, ids, documents and rows that occur twice, values of one field in several types or notations,
    and spellings of names that are nearly those of others.
    """
    found = lint(references, schema=schema)
    if form == "json":
        print_json("lint", {"findings": [finding._asdict() for finding in found]})
    elif form == "markdown":
        click.echo(table_as_markdown(findings_table(found)))
    elif found:
        print_table(stdout_console(), findings_table(found), with_caption=False)
    else:
        click.echo("Nothing was found")
    return 1 if found else 0
