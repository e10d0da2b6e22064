"""The command `docscore lint`."""

from pathlib import Path
from typing import Any

import click

from docscore.cli.options import Command, a_file, ending, options_named, reference_options, stdout_console
from docscore.cli.terminal import print_json
from docscore.report.console import print_table
from docscore.report.markup import table_as_markdown
from docscore.schemas.lint import findings_table, lint


@click.command(
    name="lint",
    cls=Command,
    epilog=ending("docscore lint references.jsonl --schema schema.json", failing="there are findings"),
)
@click.argument("references", type=a_file)
@click.option("--schema", type=a_file, metavar="FILE", help="JSON Schema of the ground truths.")
@options_named("schema_by")
@reference_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="Format of the findings.",
)
def lint_command(references: Path, *, schema: Path | None, form: str, **options: Any) -> int:
    """Check the ground truths in REFERENCES against their schema and against each other.

    The worst findings come first: duplicate ids, wrong types, keys that are not in the schema, different values that a
    comparator makes equal, empty texts among acceptable answers. Next come rare cases: rare keys and spellings
    close to frequent ones, values that a comparator cannot read or that have another type, duplicate documents and
    rows. Values in several notations come last.
    """
    findings = lint(references, schema=schema, **options)
    if form == "json":
        print_json("lint", {"findings": list(findings_table(findings))})
    elif form == "markdown":
        click.echo(table_as_markdown(findings_table(findings)))
    elif findings:
        print_table(stdout_console(), findings_table(findings), with_caption=False)
    else:
        click.echo("No findings")
    return 1 if findings else 0
