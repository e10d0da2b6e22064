"""The command `docscore table`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from docscore.cli.options import (
    Command,
    CommandSettings,
    a_file,
    by_option,
    comparing_options,
    ending,
    evaluations_of_files,
    json_option,
    metric_options,
    references_option,
    split_names,
    stdout_console,
    test_set_options,
    with_settings,
)
from docscore.cli.terminal import print_json
from docscore.core.errors import InputValueError
from docscore.data.files import name_without_extension
from docscore.evaluation.systems import Systems, systems_of
from docscore.integrations.log_files import run_of_file
from docscore.report.console import print_table
from docscore.report.markup import FORMATS, table_as_latex, table_as_markdown
from docscore.report.systems_tables import systems_table


def _named_file(_context: click.Context, _parameter: click.Parameter, value: Sequence[str]) -> dict[Path, str]:
    """The names that were given to files."""
    names = {}
    for text in value:
        name, sign, file = text.partition("=")
        if not (name.strip() and sign and file):
            msg = f"expected NAME=FILE, got {text!r}"
            raise click.BadParameter(msg)
        names[Path(file)] = name.strip()
    return names


@click.command(
    name="table",
    cls=Command,
    epilog=ending(
        "docscore table predictions.jsonl --name Ours=predictions_new.jsonl",
        "--references references.jsonl --intervals --against best --format latex",
        json_format="table",
    ),
)
@click.argument("systems", type=a_file, nargs=-1)
@references_option
@click.option(
    "--name",
    "names",
    multiple=True,
    callback=_named_file,
    metavar="NAME=FILE",
    help="Call the system of this file NAME. Can be repeated; the file need not be among SYSTEMS.",
)
@with_settings(comparing_options, test_set_options, metric_options, by_option)
@click.option(
    "--figures",
    callback=split_names,
    metavar="NAMES",
    help="The figures to show, in this order, separated by commas, such as kieval_aligned; by default all.",
)
@click.option("--intervals", is_flag=True, help="Show the confidence interval of each figure.")
@click.option(
    "--against",
    metavar="NAME",
    help="Test each system against the one of this name, or against the best of each figure (best): paired permutation "
    "tests, Holm-corrected for the number of systems, at the level 1 - confidence level.",
)
@click.option(
    "--ranks",
    is_flag=True,
    help="Put the systems in the order of the first figure, with the ranks that the documents allow, groups of systems "
    "that are not told apart, and the share of resamples in which each is the best. Only that figure is shown, unless "
    "--figures names others.",
)
@click.option(
    "--columns",
    callback=split_names,
    metavar="NAMES",
    help="Further columns of Markdown and LaTeX: documents, and counts such as missing (with --missing zero) or "
    "parse_failures (with --parse).",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="The format of the table.",
)
@click.option("--caption", default="", help="The caption of LaTeX; what the marks mean is added to it.")
@click.option("--percent", is_flag=True, help="Print figures multiplied by 100, with two decimals.")
@json_option
def table_command(
    systems: tuple[Path, ...],
    *,
    references: Path | None,
    names: dict[Path, str],
    settings: CommandSettings,
    figures: tuple[str, ...],
    intervals: bool,
    against: str | None,
    ranks: bool,
    columns: tuple[str, ...],
    form: str,
    caption: str,
    percent: bool,
    as_json: bool,
) -> None:
    """Print the metrics of several files of predictions as a table, the best of each metric in bold.

    SYSTEMS are files as the predictions of `score`; each is called by the name of its file without extension, logs by
    their model and method, or as --name says. Without --references they are files whose rows hold references too, as
    logs do. LaTeX needs the package booktabs. With --by there is a row for each value of a column too; tests are over
    all rows.
    """
    systems = (*systems, *(path for path in names if path not in systems))
    if not systems:
        raise click.UsageError("Missing argument 'SYSTEMS...'.", click.get_current_context())  # noqa: TRY003, EM101
    known = _names(systems, names, are_logs=references is None)
    evaluations = evaluations_of_files(references, list(systems), settings)
    by_name = dict(zip(known, evaluations, strict=True))
    progress = evaluations[0].progress
    compared = systems_of(by_name, figures=figures or None, against=against, ranked=ranks, progress=progress)
    if as_json:
        print_json("table", {"systems": [_as_dict(compared, name) for name in compared.evaluations]})
    elif form == "text":
        table = systems_table(compared, by_metric=True, percent=percent, intervals=intervals)
        print_table(stdout_console(), table, with_caption=False)
    else:
        table = systems_table(compared, percent=percent, intervals=intervals, columns=columns)
        click.echo(table_as_markdown(table) if form == "markdown" else table_as_latex(table, caption))


def _as_dict(found: Systems, name: str) -> dict[str, object]:
    """A system as `--json` prints it."""
    evaluation = found.evaluations[name]
    parts = {
        **evaluation.figures_to_dict(),
        **evaluation.counts,
        "signature": evaluation.signature,
        "signatures": evaluation.signatures,
    }
    if evaluation.by is not None:
        parts["slices"] = [each.to_dict() for each in evaluation.slice_figures]
    tests = {
        figure: {
            "against": found.bases[figure],
            "difference": test.difference,
            "p_value": test.p_value,
            "adjusted": test.adjusted,
        }
        for (system, figure), test in found.tests.items()
        if system == name
    }
    if name in found.ranks:
        parts["rank"] = {"figure": found.figures[0], **found.ranks[name]._asdict()}
    return {"system": name, "rows": len(evaluation), **parts, **({"tests": tests} if tests else {})}


def _names(systems: Sequence[Path], given: dict[Path, str], *, are_logs: bool) -> list[str]:
    """The names of the systems: as given; of logs model and method, if these differ; else of files without extension.

    Raises:
        ValueError: if two systems have the same name.
    """
    defaults = (_names_of_runs(systems) if are_logs else None) or list(map(name_without_extension, systems))
    names = [given.get(path, name) for path, name in zip(systems, defaults, strict=True)]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        problem = f"two systems are called {name!r}"
        raise InputValueError(problem=problem, remedy="--name NAME=FILE gives a name to the system of a file")
    return names


def _names_of_runs(systems: Sequence[Path]) -> list[str] | None:
    """Model and method of logs, if these tell all of them apart."""
    try:
        runs = [run_of_file(path) for path in systems]
    except ValueError:
        return None
    names = [", ".join(filter(None, (run.model, run.method))) for run in runs]
    return names if len(set(names)) == len(names) else None
