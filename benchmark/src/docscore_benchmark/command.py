"""The commands `docscore bench …` for the benchmark of the ANLS* paper."""

from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    Command,
    a_file,
    check_priced,
    comparing_options,
    ending,
    evaluations_of_files,
    json_option,
    price_option,
    stdout_console,
    test_set_options,
    together,
)
from docscore.cli.terminal import print_json
from docscore.core.errors import InputValueError, in_file
from docscore.core.formatting import printable
from docscore.core.runtime import progress_from
from docscore.evaluation.tables import LISTED
from docscore.inputs.pairing import MISSING_REMEDY
from docscore.report.console import print_table
from docscore.report.markup import FORMATS, table_as_latex, table_as_markdown
from docscore_benchmark.data_sets import DATA_SETS, NEEDS, checked_data
from docscore_benchmark.grids import (
    differing_settings,
    grid_of_runs,
    joined_logs,
    logs_of_cells,
    run_of_log,
    table_of_costs,
    table_of_scores,
)


@click.group(name="bench")
def bench_command() -> None:
    """Find the data of the ANLS* paper's benchmark and tabulate runs.

    `inspect eval docscore_benchmark/NAME` runs a model on a data set.
    """


@bench_command.command(
    name="check",
    cls=Command,
    short_help="Show which data sets are available.",
    epilog=ending("docscore bench check data", where="next to the folder data with the data sets"),
)
@click.argument("data", type=a_file)
@click.option(
    "--dataset",
    "name",
    type=click.Choice([*DATA_SETS, "documents"]),
    help="Look only for this data set. 'documents' means your own files, with references and a schema.",
)
@json_option
def check_command(data: Path, *, name: str | None, as_json: bool) -> None:
    """Show which data sets are in the folder DATA, how many documents they have, and what is missing.

    Each data set is in its own folder, in the form in which it is distributed; the name of the folder does not matter.
    No model is run. The exit status is 2 if DATA has no data set, or does not have the one that --dataset names.
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
    cls=Command,
    short_help="Tabulate runs by data set, method and model.",
    epilog=ending("docscore bench table logs/*.eval", where="after `inspect eval docscore_benchmark/...`"),
)
@click.argument("logs", type=a_file, nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="Format of the tables.",
)
@price_option(
    "MODEL=INPUT,OUTPUT",
    "Prices of a million tokens that MODEL reads and writes, to compute the cost of its runs. Can be repeated.",
)
@together(comparing_options, test_set_options)
@json_option
def grid_command(
    logs: tuple[Path, ...], *, form: str, prices: dict[str, list[float]], as_json: bool, **shared: Any
) -> None:
    """Print the paper's table for the Inspect logs LOGS: a row per data set and method, a column per model.

    Each score has its interval, and a mark if it is the best of its data set or lower than the best beyond chance. A
    second table has documents, failed calls, tokens, cost and time, as far as the logs hold them. If a run was resumed,
    its newest complete log counts. Other logs of the same data set, method and model are repeated runs, and the table
    shows their mean. Incomplete logs are left out and named, unless --missing says how to score their missing rows.
    """
    logged = {path: run_of_log(path) for path in logs}
    cells, left_out = logs_of_cells(logged, only_complete=shared["missing"] == "error")
    if not cells:
        raise InputValueError(
            problem="; ".join(f"{path}: {why}" for path, why in left_out.items()),
            remedy=MISSING_REMEDY,
        )
    check_priced(prices, [model for _, _, model in cells])
    runs = []
    for paths in cells.values():
        [evaluation] = evaluations_of_files(None, paths, shared, [""] * len(paths))
        run = joined_logs([logged[path] for path in paths], evaluation.test_set.runs)
        runs.append((run.priced(*prices[run.model]) if run.model in prices else run, evaluation))
    changes = grid_of_runs(runs, progress_from(None))
    if as_json:
        results = [
            {
                **vars(run),
                "differing_settings": differing_settings([logged[path] for path in paths]),
                **evaluation.summary_to_dict(),
                **({"runs": evaluation.runs.to_dict(LISTED)} if evaluation.runs is not None else {}),
                "logs": list(map(str, paths)),
                "best": change.difference == 0,
                "p_value": change.p_value,
                "p_value_adjusted": change.adjusted,
            }
            for (run, evaluation), change, paths in zip(runs, changes, cells.values(), strict=True)
        ]
        print_json(
            "bench_table",
            {"runs": results, "left_out": [{"log": str(path), "why": why} for path, why in left_out.items()]},
        )
        return
    lines = [f"{', '.join(filter(None, logged[path].cell))}: {why}; left out: {path}" for path, why in left_out.items()]
    lines += [
        f"{', '.join(filter(None, cell))}: its runs differ in {name} ({', '.join(map(str, values))})"
        for cell, paths in cells.items()
        for name, values in differing_settings([logged[path] for path in paths]).items()
    ]
    for table in (table_of_scores(runs, changes), table_of_costs([run for run, _ in runs], lines)):
        if form == "text":
            print_table(stdout_console(), table)
        else:
            click.echo((table_as_markdown(table) if form == "markdown" else table_as_latex(table)) + "\n")


def _lines_about(data_set: dict[str, Any]) -> list[str]:
    """Describe the data set that was found, or say why it was not found and where to get it."""
    split = f", split {data_set['split']}" if data_set["split"] else ""
    head, documents = f"{data_set['title']} ({data_set['name']}{split}): ", data_set["documents"]
    if documents is None:
        source = [f"  source: {data_set['source']}; {data_set['licence']}"] if data_set["source"] else []
        return [f"{head}not found", f"  {data_set['error']}", *source]
    lacking = {method: documents - count for method, count in data_set["methods"].items()}
    able = ", ".join(method for method, count in lacking.items() if not count) or "no method"
    lines = [
        f"  {method}: {count:,} documents do not have {NEEDS[method]}" for method, count in lacking.items() if count
    ]
    return [f"{head}{documents:,} documents, for {able}", *lines]
