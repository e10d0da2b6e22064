"""The command `docscore suggest-schema`."""

import json
from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    Command,
    a_file,
    ending,
    json_option,
    options_named,
    row_options,
    stdout_console,
    together,
)
from docscore.cli.terminal import print_json, say
from docscore.core.output import check_output, write_whole
from docscore.core.schema_source import schema_name
from docscore.inputs.formats import read_value
from docscore.report.console import print_table
from docscore.schemas.suggestion import Suggestion, suggest_schema


@click.command(
    name="suggest-schema",
    cls=Command,
    epilog=ending("docscore suggest-schema references.jsonl predictions.jsonl -o suggested.json"),
)
@click.argument("references", type=a_file)
@click.argument("predictions", type=a_file, required=False)
@click.option("--schema", type=a_file, metavar="FILE", help="JSON Schema to add comparators to. Its settings are kept.")
@click.option("--by", metavar="COLUMN", help="Column of the ground truths. Suggest a schema for each of its values.")
@click.option(
    "-o",
    "--output",
    type=a_file,
    metavar="FILE",
    help="Write the schema to FILE, for use with --schema. With --by, write one for each value to the folder FILE, for "
    "use with --schema and --schema-by.",
)
@together(options_named("parse", "parse_references"), row_options)
@json_option
def suggest_schema_command(
    references: Path,
    predictions: Path | None,
    *,
    schema: Path | None,
    by: str | None,
    output: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Suggest a JSON Schema with a comparator for each field, from the ground truths in REFERENCES.

    A field gets a comparator if that comparator reads nearly all its values, and they cannot mean anything else. Fields
    that could be read in several ways stay text, with a note. With PREDICTIONS, each field shows how many predicted
    values are right but in a different notation, the points that they lose as text, and examples.
    """
    if output is not None and by is None:
        check_output(output)
    own = None if schema is None else read_value(schema)
    suggestion = suggest_schema(references, predictions, schema=own, by=by, **options)
    parts = {"": suggestion} if by is None else suggestion.slices
    if output is not None:
        if by is not None:
            output.mkdir(exist_ok=True)
        for value, part in parts.items():
            path = output if by is None else output / f"{schema_name(value)}.json"
            write_whole(path, json.dumps(part.schema, indent=2, ensure_ascii=False) + "\n")
        say(f"wrote {output}; use it with --schema {output}{'' if by is None else f' --schema-by {by}'}")
    if as_json:
        slices = {} if by is None else {"slices": {value: _as_json(part) for value, part in parts.items()}}
        print_json("suggest_schema", {**_as_json(suggestion), **slices})
    else:
        for value, part in parts.items():
            print_table(stdout_console(), part.table() if by is None else part.table(f"{by} {value}"))


def _as_json(suggestion: Suggestion) -> dict[str, Any]:
    return {"schema": suggestion.schema, "fields": [field._asdict() for field in suggestion.fields]}
