"""The command `docscore table`."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    Command,
    a_file,
    by_option,
    check_priced,
    command_line,
    comparing_options,
    cost_options,
    ending,
    evaluations_of_files,
    json_option,
    metric_options,
    price_option,
    references_option,
    refused,
    split_names,
    stdout_console,
    test_set_options,
    together,
)
from docscore.cli.terminal import print_json, say
from docscore.core.errors import InputValueError, RowErrors
from docscore.core.options import ReadOptions
from docscore.core.output import check_output, write_report
from docscore.evaluation.evaluation import figures_to_dict, views_to_dict
from docscore.evaluation.systems import Systems, systems_of
from docscore.inputs.formats import names_of_files, read_table
from docscore.inputs.logs import run_of_log
from docscore.inputs.rows import ANLS, BY_ID
from docscore.report.console import print_table
from docscore.report.markup import FORMATS, table_as_latex, table_as_markdown
from docscore.report.systems_report import systems_as_html, systems_as_png, systems_table, table_of_tests

_EXTENSIONS = (".md", ".tex", ".html", ".png")  # of --output


def named_files(context: click.Context, parameter: click.Parameter, value: Sequence[str]) -> list[tuple[str, Path]]:
    """Split each NAME=FILE into name and file. An argument may be only a FILE; its name is ""."""
    files = []
    for text in value:
        name, _, file = text.partition("=")
        if not (name.strip() and file) or (isinstance(parameter, click.Argument) and Path(text).exists()):
            name, file = "", text
        if not name and isinstance(parameter, click.Option):
            raise refused(expected="NAME=FILE", got=repr(text))
        files.append((name.strip(), Path(a_file.convert(file, parameter, context))))
    return files


@click.command(
    name="table",
    cls=Command,
    epilog=ending(
        "docscore table references.jsonl Base=predictions.jsonl Ours=predictions_new.jsonl",
        "--intervals --against best --format latex",
    ),
)
@click.argument("systems", nargs=-1, callback=named_files, metavar="[NAME=]FILE...")
@references_option
@click.option(
    "--name",
    "names",
    multiple=True,
    callback=named_files,
    metavar="NAME=FILE",
    help="Same as the argument NAME=FILE. Can be repeated.",
)
@click.option("--intervals", is_flag=True, help="Show the confidence interval of each figure.")
@click.option(
    "--against",
    metavar="NAME",
    help="Test each system against the system NAME, or against the best one on each figure (best), with paired "
    "permutation tests. A second table shows the p-values, also Holm-corrected for the number of systems.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="Format of the table.",
)
@click.option(
    "-o",
    "--output",
    type=a_file,
    metavar="FILE",
    help="Write the table to a file (.md, .tex, or .html with charts of ranks and costs), or a chart (.png) of the "
    "ranks with --ranks, otherwise of the costs.",
)
@click.option(
    "--figures",
    callback=split_names,
    metavar="NAMES",
    help="Figures to show, in this order, separated by commas, such as kieval_aligned.  [default: all]",
)
@click.option(
    "--ranks",
    is_flag=True,
    help="Order the systems by the first figure, and show the possible ranks of each system and the share of resamples "
    "in which it is the best. Other figures are shown only if --figures names them.",
)
@click.option(
    "--pareto",
    is_flag=True,
    help="Mark the systems that no other system beats in both the first figure and cost. Also show the first figure "
    "divided by the mean cost of a document.",
)
@click.option(
    "--columns",
    callback=split_names,
    metavar="NAMES",
    help="Further columns of Markdown and LaTeX, separated by commas: documents, or a count such as missing (with "
    "--missing zero) or parse_failures (with --parse).",
)
@click.option("--caption", default="", help="Caption of LaTeX. An explanation of the marks is appended.")
@click.option("--percent", is_flag=True, help="Multiply figures by 100 and print two decimals.")
@price_option(
    "NAME=DOLLARS",
    "Price of a million tokens of the system NAME, to compute its cost from its tokens. Can be repeated.",
)
@together(metric_options, comparing_options, test_set_options, cost_options, by_option)
@json_option
def table_command(
    systems: list[tuple[str, Path]],
    *,
    references: Path | None,
    names: list[tuple[str, Path]],
    figures: tuple[str, ...],
    intervals: bool,
    against: str | None,
    ranks: bool,
    pareto: bool,
    columns: tuple[str, ...],
    form: str,
    output: Path | None,
    caption: str,
    percent: bool,
    as_json: bool,
    **shared: Any,
) -> None:
    """Print the metrics of several systems as a table, with the best value of each in bold.

    Each FILE holds predictions in the form that `score` reads. Its system is called NAME; the default is the name of
    the file without extension, or the model and method of a log. Files of the same NAME are runs of one system: the
    score of a document is the mean over its runs. Without --references, the first FILE holds the ground truths if its
    rows have references and no predictions, or if it is the only FILE without a NAME and is not a log. Otherwise each
    FILE also holds the ground truths, as logs do.

    With --by, each value of a column has its own row; tests use all rows. If predictions have the columns cost, seconds
    and tokens, the table shows their sums; with several runs, the mean of the sums. LaTeX needs the package booktabs.
    """
    name_of = {path: name for name, path in names}
    files = [(name_of.get(path, name), path) for name, path in systems]
    files += [(name, path) for path, name in name_of.items() if all(path != known for _, known in files)]
    if output is not None and (as_json or form != "text"):
        click.get_current_context().fail("expected --output, --format or --json, got two")
    if output is not None:
        check_output(output, _EXTENSIONS)
    if not files:
        click.get_current_context().fail("Missing argument '[NAME=]FILE...'.")
    if references is None and files[1:] and not files[0][0]:
        (_, first), *others = files
        if (all(name for name, _ in others) and _names_of_runs([first]) is None) or _holds_references(first, shared):
            references, files = first, others
    known = names_of_systems(files, are_logs=references is None)
    check_priced(shared["prices"], known)
    evaluations = evaluations_of_files(references, [path for _, path in files], shared, known)
    compared = systems_of(
        dict(zip(dict.fromkeys(known), evaluations, strict=True)),
        figures=figures or None,
        against=against,
        ranked=ranks,
        pareto=pareto,
        progress=evaluations[0].progress,
    )
    figures_of = partial(systems_table, compared, percent=percent, intervals=intervals)
    tests = list(filter(None, [table_of_tests(compared, percent=percent)]))
    table = figures_of(columns=columns)
    formats: dict[str, Callable[[], str | bytes]] = {
        ".md": lambda: "\n\n".join(map(table_as_markdown, [table, *tests])),
        ".tex": lambda: "\n\n".join([table_as_latex(table, caption), *map(table_as_latex, tests)]),
        ".html": lambda: systems_as_html(compared, [table, *tests], command_line()),
        ".png": lambda: systems_as_png(compared),
    }
    if output is not None:
        say(f"wrote {write_report(output, formats)}")
    elif as_json:
        print_json("table", {"systems": [_as_dict(compared, name) for name in compared.evaluations]})
    elif form == "text":
        print_table(stdout_console(), figures_of(by_metric=True), with_caption=False)
        for each in tests:
            print_table(stdout_console(), each)
    else:
        click.echo(formats[".md" if form == "markdown" else ".tex"]())


def _holds_references(path: Path, shared: Mapping[str, Any]) -> bool:
    """Return whether the first row of a file has references but no prediction; a pipe is not read twice."""
    options = ReadOptions(delimiter=shared["delimiter"])
    row = read_table(path, RowErrors("skip"), options=options).first() if path.is_file() else None
    keys = set(row) if isinstance(row, dict) else set()
    has_references, has_predictions = (
        keys & {column, column.partition(".")[0], getattr(BY_ID, side), getattr(ANLS, side)}
        for side, option in (("references", "references_column"), ("predictions", "prediction_column"))
        for column in [shared[option] or ""]  # the column may be a path into the rows
    )
    return bool(has_references) and not has_predictions


def _as_dict(systems: Systems, name: str) -> dict[str, object]:
    """Return a system in the form that `--json` prints."""
    evaluation = systems.evaluations[name]
    parts = {
        **figures_to_dict(evaluation),
        **evaluation.counts,
        "signature": evaluation.signature,
        "signatures": evaluation.signatures,
        **views_to_dict(evaluation),
    }
    tests = {
        figure: {
            "against": systems.bases[figure],
            "difference": test.difference,
            "p_value": test.p_value,
            "adjusted": test.adjusted,
        }
        for (system, figure), test in systems.tests.items()
        if system == name
    }
    if evaluation.costs:
        parts["costs"] = {column: cost._asdict() for column, cost in evaluation.costs.items()}
    if systems.front is not None:
        parts |= {"pareto": name in systems.front, "score_per_cost": systems.score_per_cost(name)}
    if name in systems.ranks:
        parts["rank"] = {"figure": systems.figures[0], **systems.ranks[name]._asdict()}
    return {"system": name, "rows": len(evaluation), **parts, **({"tests": tests} if tests else {})}


def names_of_systems(files: Sequence[tuple[str, Path]], *, are_logs: bool) -> list[str]:
    """Return the name of each system: the given name, else the model and method of a log, else the name of the file.

    Raises:
        ValueError: if a default name is also the name of another system.
    """
    paths = [path for _, path in files]
    defaults = (_names_of_runs(paths) if are_logs else None) or names_of_files(paths)
    names = [name or default for (name, _), default in zip(files, defaults, strict=True)]
    for (name, _), default in zip(files, defaults, strict=True):
        if not name and names.count(default) > 1:
            raise InputValueError(
                problem=f"two systems are called {default!r}",
                remedy="name the system of a file with NAME=FILE",
            )
    return names


def _names_of_runs(systems: Sequence[Path]) -> list[str] | None:
    """Return the model and method of each log, or None if they do not distinguish the logs."""
    try:
        runs = [run_of_log(path) for path in systems]
    except ValueError:
        return None
    names = [", ".join(filter(None, (run.model, run.method))) for run in runs]
    return names if len(set(names)) == len(names) else None
