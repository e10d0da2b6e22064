"""The commands `docscore bench …`: about the data of the benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from docscore.bench.data_sets import DATA_SETS, NEEDS, checked_data
from docscore.cli.options import (
    CommandSettings,
    a_file,
    comparing_options,
    ending,
    evaluations_of_files,
    json_option,
    stdout_console,
    test_set_options,
    with_settings,
)
from docscore.cli.terminal import print_json
from docscore.core.errors import InputValueError, in_file
from docscore.core.formatting import printable
from docscore.data.pairing import MISSING_REMEDY
from docscore.evaluation.evaluation import progress_from
from docscore.evaluation.systems import grid_of_runs, logs_of_cells, total_of_runs
from docscore.evaluation.tables import LISTED
from docscore.integrations.log_files import run_of_file
from docscore.report.console import print_table
from docscore.report.markup import FORMATS, table_as_latex, table_as_markdown
from docscore.report.systems_report import table_of_costs, table_of_scores


@click.group(name="bench")
def bench_command() -> None:
    """The benchmark of the ANLS* paper: what of its data is there. `inspect eval docscore/NAME` runs it."""


@bench_command.command(
    name="check",
    short_help="Which data is there, and what is missing.",
    epilog=ending(
        "docscore bench check data", where="where the folder data holds the data sets", json_format="bench_check"
    ),
)
@click.argument("data", type=a_file)
@click.option(
    "--dataset",
    "name",
    type=click.Choice([*DATA_SETS, "documents"]),
    help="Look for this one only; documents: your own files with references and a schema.",
)
@json_option
def check_command(data: Path, *, name: str | None, as_json: bool) -> None:
    """Say which of the data sets are in the folder DATA, how many documents they have and what is missing.

    The data sets lie in DATA as they are distributed, each in a folder of its own, whatever its name. No model is run.
    The exit status is 2 where nothing is there, or what was asked for with --dataset is not.
    """
    data_sets = checked_data(data, name)
    if as_json:
        print_json("bench_check", {"data_sets": data_sets})
    else:
        for data_set in data_sets:
            click.echo("\n".join(map(printable, _lines_about(data_set))))
    if not any(data_set["documents"] for data_set in data_sets):
        raise InputValueError(place=in_file(data), expected=f"the data of {name or 'a data set'}", got="none")


@bench_command.command(
    name="table",
    short_help="Runs as a table: data sets and methods by models.",
    epilog=ending(
        "docscore bench table logs/*.eval", where="after inspect eval docscore/...", json_format="bench_table"
    ),
)
@click.argument("logs", type=a_file, nargs=-1, required=True)
@with_settings(comparing_options, test_set_options)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="How the table is written.",
)
@json_option
def grid_command(logs: tuple[Path, ...], *, settings: CommandSettings, form: str, as_json: bool) -> None:
    """Print the table of the paper over the LOGS of Inspect: a row a data set and method, a column a model.

    Each score has its interval, and a mark where it is the best of its data set, or lower than that beyond chance. A
    second table has the documents, failed calls, tokens, cost and time, as far as the logs say. Of a run and those that
    went on with it the newest complete one counts; other runs of one data set, method and model are its runs, whose
    mean is shown. Incomplete runs are left out and named, unless --missing says what they count.
    """
    logged = {path: run_of_file(path) for path in logs}
    cells, left_out = logs_of_cells(logged, only_complete=settings.options.missing == "error")
    if not cells:
        raise InputValueError(
            problem="; ".join(f"{path}: {why}" for path, why in left_out.items()),
            remedy=MISSING_REMEDY,
        )
    runs = []
    for paths in cells.values():
        [evaluation] = evaluations_of_files(None, paths, settings, [""] * len(paths))
        runs.append((total_of_runs([logged[path] for path in paths]), evaluation))
    changes = grid_of_runs(runs, progress_from(None))
    if as_json:
        found = [
            {
                **vars(run),
                **evaluation.summary_to_dict(),
                **({"runs": evaluation.runs.to_dict(LISTED)} if evaluation.runs is not None else {}),
                "logs": list(map(str, paths)),
                "best": change.difference == 0,
                "p_value": change.p_value,
                "p_value_adjusted": change.adjusted,
            }
            for (run, evaluation), change, paths in zip(runs, changes, cells.values(), strict=True)
        ]
        missing = [{"log": str(path), "why": why} for path, why in left_out.items()]
        print_json("bench_table", {"runs": found, "left_out": missing})
        return
    lines = [f"{', '.join(filter(None, logged[path].cell))}: {why}; left out: {path}" for path, why in left_out.items()]
    for table in (table_of_scores(runs, changes), table_of_costs([run for run, _ in runs], lines)):
        if form == "text":
            print_table(stdout_console(), table)
        else:
            click.echo((table_as_markdown(table) if form == "markdown" else table_as_latex(table)) + "\n")


def _lines_about(data_set: dict[str, Any]) -> list[str]:
    """What is there of a data set, or why not and where it can be had."""
    split = f", split {data_set['split']}" if data_set["split"] else ""
    head, documents = f"{data_set['title']} ({data_set['name']}{split}): ", data_set["documents"]
    if documents is None:
        lines = [f"{head}not here", f"  {data_set['fault']}"]
        source = f"  to be had from {data_set['source']}; {data_set['licence']}"
        return [*lines, source] if data_set["source"] else lines
    lacking = {method: documents - count for method, count in data_set["methods"].items()}
    able = ", ".join(method for method, count in lacking.items() if not count) or "no method"
    lines = [f"  {method}: {count:,} documents lack {NEEDS[method]}" for method, count in lacking.items() if count]
    return [f"{head}{documents:,} documents, for {able}", *lines]
