"""The command `docscore suggest-schema`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from docscore.cli.options import Command, a_file, ending, json_option, stdout_console
from docscore.cli.terminal import print_json, say
from docscore.core.output import check_output, write_whole
from docscore.data.files import read_value
from docscore.evaluation.ground_truths import suggest_schema
from docscore.report.console import print_table


@click.command(
    name="suggest-schema",
    cls=Command,
    epilog=ending(
        "docscore suggest-schema references.jsonl predictions.jsonl -o suggested.json", json_format="suggest_schema"
    ),
)
@click.argument("references", type=a_file)
@click.argument("predictions", type=a_file, required=False)
@click.option("--schema", type=a_file, metavar="FILE", help="JSON Schema to add comparators to. Its settings stay.")
@click.option("-o", "--output", type=a_file, metavar="FILE", help="Write the schema to FILE, for use with --schema.")
@json_option
def suggest_schema_command(
    references: Path, predictions: Path | None, *, schema: Path | None, output: Path | None, as_json: bool
) -> None:
    """Suggest a JSON Schema with a comparator for each field, from the ground truths in REFERENCES.

    A field gets a comparator if that comparator reads nearly all its values, in one way. Fields that could be read in
    several ways stay text, with a note. With PREDICTIONS, each field shows how many predicted values are right but
    written differently, the points that they lose as text, and examples.
    """
    if output is not None:
        check_output(output)
    own = None if schema is None else read_value(schema)
    suggestion = suggest_schema(references, predictions, schema=own)
    if output is not None:
        write_whole(output, json.dumps(suggestion.schema, indent=2, ensure_ascii=False) + "\n")
        say(f"wrote {output}; use it with --schema {output}")
    if as_json:
        print_json(
            "suggest_schema", {"schema": suggestion.schema, "fields": [field._asdict() for field in suggestion.fields]}
        )
    else:
        print_table(stdout_console(), suggestion.table())
