"""The command `docscore table`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from docscore.cli.flags import (
    CommandSettings,
    a_file,
    comparing_flags,
    evaluations_of_files,
    json_option,
    metric_flags,
    progress_bars,
    references_option,
    stdout_console,
    test_set_flags,
    with_settings,
)
from docscore.core.errors import InputValueError, in_file
from docscore.data.files import name_without_extension
from docscore.integrations.log_files import run_of_file
from docscore.report.console import print_systems
from docscore.report.tables import FORMATS, table_of_systems


@click.command(name="table", short_help="Print the metrics of several systems as a table.")
@click.argument("systems", type=a_file, nargs=-1, required=True)
@references_option
@with_settings(comparing_flags, test_set_flags, metric_flags)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="The format of the table.",
)
@click.option("--percent", is_flag=True, help="Print figures multiplied by 100, with two decimals.")
@json_option
def table_command(
    systems: tuple[Path, ...],
    *,
    references: Path | None,
    settings: CommandSettings,
    form: str,
    percent: bool,
    as_json: bool,
) -> None:
    """Print the metrics of several files of predictions as a table, the best of each metric in bold.

    SYSTEMS are files as the predictions of `score`; each is called by the name of its file without extension, logs by
    their model and method. Without --references they are files whose rows hold references too, as logs do.
    """
    with progress_bars() as progress:
        evaluations = evaluations_of_files(references, list(systems), settings, progress)
        names = _names(systems) if references else _names_of_runs(systems)
        found = {name: each.measured for name, each in zip(names, evaluations, strict=True)}
    if as_json:
        parts = {name: {**each.to_dict(), "signature": str(each.signature)} for name, each in found.items()}
        click.echo(json.dumps(parts))
    elif form == "text":
        print_systems(stdout_console(), found, percent=percent)
    else:
        click.echo(table_of_systems(found, form, percent=percent))


def _names_of_runs(systems: tuple[Path, ...]) -> list[str]:
    """The names of systems whose files hold references too: model and method, if these tell all of them apart."""
    try:
        runs = [run_of_file(path) for path in systems]
    except ValueError:
        return _names(systems)
    names = [", ".join(filter(None, (run.model, run.method))) for run in runs]
    return names if len(set(names)) == len(names) else _names(systems)


def _names(systems: tuple[Path, ...]) -> list[str]:
    """The names of the systems: file names without extensions, or paths if two names are the same.

    Raises:
        ValueError: if a file is given twice.
    """
    twice = next((path for number, path in enumerate(systems) if path in systems[:number]), None)
    if twice is not None:
        raise InputValueError(place=in_file(twice), expected="each system once", got="it twice")
    names = list(map(name_without_extension, systems))
    return names if len(set(names)) == len(names) else [str(path) for path in systems]
