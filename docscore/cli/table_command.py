"""The command `docscore table`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from docscore.cli.options import (
    Command,
    CommandSettings,
    a_file,
    by_option,
    comparing_options,
    cost_options,
    ending,
    evaluations_of_files,
    json_option,
    metric_options,
    references_option,
    refused,
    split_names,
    stdout_console,
    test_set_options,
    with_settings,
)
from docscore.cli.terminal import print_json, say
from docscore.core.errors import InputValueError
from docscore.core.output import check_output, write_report
from docscore.data.files import name_without_extension
from docscore.evaluation.systems import Systems, systems_of
from docscore.integrations.log_files import run_of_file
from docscore.report.console import print_table
from docscore.report.markup import FORMATS, table_as_latex, table_as_markdown
from docscore.report.systems_report import systems_as_html, systems_as_png, systems_table

_WRITTEN = (".md", ".tex", ".html", ".png")  # extensions of the files that it writes


def _named(context: click.Context, parameter: click.Parameter, value: Sequence[str]) -> list[tuple[str, Path]]:
    """The name and the file of each FILE or NAME=FILE; the name of an argument that is a file alone is empty."""
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
        json_format="table",
    ),
)
@click.argument("systems", nargs=-1, callback=_named, metavar="[NAME=]FILE...")
@references_option
@click.option(
    "--name",
    "names",
    multiple=True,
    callback=_named,
    metavar="NAME=FILE",
    help="The same as the argument NAME=FILE. Can be repeated.",
)
@with_settings(comparing_options, test_set_options, cost_options, metric_options, by_option)
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
    "--pareto",
    is_flag=True,
    help="Mark the systems that no other one beats in both the first figure and cost, and show the figure divided by "
    "the mean cost of a document.",
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
@click.option(
    "-o",
    "--output",
    type=a_file,
    metavar="FILE",
    help="Write the table to a file in place of printing it: .md, .tex, or .html with pictures of ranks and costs; or "
    "the picture as .png, of ranks with --ranks, else of costs.",
)
@click.option("--caption", default="", help="The caption of LaTeX; what the marks mean is added to it.")
@click.option("--percent", is_flag=True, help="Print figures multiplied by 100, with two decimals.")
@json_option
def table_command(
    systems: list[tuple[str, Path]],
    *,
    references: Path | None,
    names: list[tuple[str, Path]],
    settings: CommandSettings,
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
) -> None:
    """Print the metrics of several files of predictions as a table, the best of each metric in bold.

    Each FILE is one as the predictions of `score`. Its system is called NAME, else by the name of the file without
    extension, a log by its model and method. Files of the same NAME are runs of one system: a document's score is the
    mean over its runs. Where the first FILE alone has no NAME and is no log, it is the references. Without references,
    rows of all files hold them too, as logs do. LaTeX needs the package booktabs. With --by there is a row for each
    value of a column too; tests are over all rows. What predictions have in columns cost, seconds and tokens is
    summed beside the figures; of several runs that of one on average.
    """
    name_of = {path: name for name, path in names}
    files = [(name_of.get(path, name), path) for name, path in systems]
    files += [(name, path) for path, name in name_of.items() if all(path != known for _, known in files)]
    if output is not None and (as_json or form != "text"):
        raise click.UsageError("expected --output, --format or --json, got two", click.get_current_context())  # noqa: TRY003, EM101
    if output is not None:
        check_output(output, _WRITTEN)
    if not files:
        raise click.UsageError("Missing argument '[NAME=]FILE...'.", click.get_current_context())  # noqa: TRY003, EM101
    if references is None and [not name for name, _ in files] == [True, *[False] * (len(files) - 1)] and files[1:]:
        first = files[0][1]
        if _names_of_runs([first]) is None:
            references, files = first, files[1:]
    known = _names(files, are_logs=references is None)
    evaluations = evaluations_of_files(references, [path for _, path in files], settings, known)
    by_name = dict(zip(dict.fromkeys(known), evaluations, strict=True))
    compared = systems_of(
        by_name, figures=figures or None, against=against, ranked=ranks, pareto=pareto, progress=evaluations[0].progress
    )
    table = systems_table(compared, percent=percent, intervals=intervals, columns=columns)
    renderers: tuple[Callable[[], str | bytes], ...] = (
        lambda: table_as_markdown(table),
        lambda: table_as_latex(table, caption),
        lambda: systems_as_html(compared, table),
        lambda: systems_as_png(compared),
    )
    formats = dict(zip(_WRITTEN, renderers, strict=True))
    if output is not None:
        say(f"wrote {write_report(output, formats)}")
    elif as_json:
        print_json("table", {"systems": [_as_dict(compared, name) for name in compared.evaluations]})
    elif form == "text":
        table = systems_table(compared, by_metric=True, percent=percent, intervals=intervals)
        print_table(stdout_console(), table, with_caption=False)
    else:
        click.echo(formats[".md" if form == "markdown" else ".tex"]())


def _as_dict(found: Systems, name: str) -> dict[str, object]:
    """A system as `--json` prints it."""
    evaluation = found.evaluations[name]
    parts = {
        **evaluation.figures_to_dict(),
        **evaluation.counts,
        "signature": evaluation.signature,
        "signatures": evaluation.signatures,
        **evaluation.views_to_dict(),
    }
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
    if evaluation.costs:
        parts["costs"] = {column: cost._asdict() for column, cost in evaluation.costs.items()}
    if found.front is not None:
        parts |= {"pareto": name in found.front, "score_per_cost": found.score_per_cost(name)}
    if name in found.ranks:
        parts["rank"] = {"figure": found.figures[0], **found.ranks[name]._asdict()}
    return {"system": name, "rows": len(evaluation), **parts, **({"tests": tests} if tests else {})}


def _names(files: Sequence[tuple[str, Path]], *, are_logs: bool) -> list[str]:
    """The names of the systems: as given; of logs model and method, if these differ; else of files without extension.

    Raises:
        ValueError: if two systems have the same name that was not given to both.
    """
    paths = [path for _, path in files]
    defaults = (_names_of_runs(paths) if are_logs else None) or list(map(name_without_extension, paths))
    names = [name or default for (name, _), default in zip(files, defaults, strict=True)]
    for (name, _), default in zip(files, defaults, strict=True):
        if not name and names.count(default) > 1:
            raise InputValueError(
                problem=f"two systems are called {default!r}",
                remedy="NAME=FILE gives a name to the system of a file",
            )
    return names


def _names_of_runs(systems: Sequence[Path]) -> list[str] | None:
    """Model and method of logs, if these tell all of them apart."""
    try:
        runs = [run_of_file(path) for path in systems]
    except ValueError:
        return None
    names = [", ".join(filter(None, (run.model, run.method))) for run in runs]
    return names if len(set(names)) == len(names) else None
