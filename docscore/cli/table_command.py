"""The command `docscore table`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click

from docscore.cli.compare_command import references_option, sides_of_systems
from docscore.cli.options import (
    a_file,
    console,
    json_option,
    measured_of,
    metric_options,
    rules,
    scored_pairs,
    test_set,
)
from docscore.report.console import print_systems
from docscore.report.tables import FORMATS, table_of_systems

_EXTENSIONS = re.compile(r"\.(jsonl|ndjson|json|csv|parquet)(\.gz)?$", re.IGNORECASE)


@click.command(short_help="The metrics of several systems as a table.")
@click.argument("systems", type=a_file, nargs=-1, required=True)
@references_option
@rules
@test_set
@metric_options
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="How the table is written.",
)
@click.option("--percent", is_flag=True, help="Write figures times 100 with two decimals.")
@json_option
def table_command(
    systems: tuple[Path, ...], *, references: Path, form: str, percent: bool, as_json: bool, **options: Any
) -> None:
    """Print the table that a paper needs: the metrics of several files of predictions, the best of each in bold.

    SYSTEMS are files as the predictions of `score`; each is called by the name of its file without extension.
    """
    sides = sides_of_systems(references, list(systems), options)
    names = _names(systems)
    found = {name: measured_of(scored_pairs(side, options), options) for name, side in zip(names, sides, strict=True)}
    if as_json:
        click.echo(json.dumps({name: {**each.to_dict(), "signature": each.signature} for name, each in found.items()}))
    elif form == "text":
        print_systems(console(), found, percent=percent)
    else:
        click.echo(table_of_systems(found, form, percent=percent))


def _names(systems: tuple[Path, ...]) -> list[str]:
    """What the systems are called: their file names without extensions, or their paths where two are the same.

    Raises:
        ValueError: if one is given twice.
    """
    twice = next((path for number, path in enumerate(systems) if path in systems[:number]), None)
    if twice is not None:
        msg = f"{twice}: expected each system once, got it twice"
        raise ValueError(msg)
    names = [_EXTENSIONS.sub("", path.name) or path.name for path in systems]
    return names if len(set(names)) == len(names) else [str(path) for path in systems]
