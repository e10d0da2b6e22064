"""Options that several commands share, the help of commands, and the evaluations for these options."""

import gc
import math
import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from docscore.cli.terminal import say
from docscore.core.errors import (
    NAMED,
    DataError,
    InputError,
    InputValueError,
    as_flag,
    errors_summary,
    row_place,
)
from docscore.core.options import OPTIONS, CompareOptions, ReadOptions, check_pattern, read_and_compare_options
from docscore.core.runtime import gc_pause, grouped, progress_from
from docscore.evaluation.comparison import Gate, UndecidedError
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.registry import ANLS_STAR, METRICS, checked_metrics, loaded_metrics
from docscore.evaluation.sources import evaluations_of, metrics_for
from docscore.evaluation.tables import LISTED
from docscore.inputs.reading import read_systems
from docscore.report.console import UNBOUNDED
from docscore.stats.intervals import CONFIDENCE

F = TypeVar("F", bound=Callable[..., Any])

a_file = click.Path(path_type=Path)


class Number(click.FloatRange):
    """A finite number in a range. `click.FloatRange` accepts NaN, which a gate must reject.

    Args:
        integer: whether the number must be an integer.
        bounds: the range, as for `click.FloatRange`.
    """

    def __init__(self, *, integer: bool = False, **bounds: Any) -> None:
        super().__init__(**bounds)
        self.name = "integer" if integer else "number"
        self.integer = integer

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        with suppress(click.BadParameter):
            number = super().convert(value, param, ctx)
            if math.isfinite(number) and not (self.integer and number % 1):
                return int(number) if self.integer else number
        kind = "an integer" if self.integer else "a number"
        return self.fail(f"expected {kind} in the range {self._describe_range()}, got {value}", param, ctx)


# `--help` lists the options that are in none of these sections; `--help-all` also lists the sections.
_SECTIONS = {
    "Reading rows": (
        "names",
        "parse_references",
        "references_id_column",
        "predictions_id_column",
        "cost_column",
        "seconds_column",
        "tokens_column",
        "fields_in_columns",
        "field_column",
        "value_column",
        "references_query",
        "predictions_query",
        "single_document",
        "answer_is_list",
        "ignore_keys",
        "absent_words",
        "id_pattern",
        "delimiter",
        "encoding",
        "references_encoding",
        "predictions_encoding",
        "num_proc",
        "on_error",
        "with_confidences",
        "citations_from",
        "documents",
    ),
    "Comparing values": (
        *("schema_by", "threshold", "ignore_case", "rules", "numbers", "strict", "normalise", "donut", "iou"),
    ),
    "Intervals and gates": ("min_documents", "every_slice", "confidence", "cluster", "cluster_of_id"),
    "Groups of rows": ("by", "slice_value"),
    "Output": ("with_rows", "worst", "changes", "figures", "ranks", "pareto", "columns", "caption", "percent", "debug"),
}
_SECTION_OF = {name: section for section, names in _SECTIONS.items() for name in names}
_FULL_HELP, _ARGUMENTS = f"{__name__}.full_help", f"{__name__}.arguments"


class Command(click.Command):
    """A command with `--debug`, and with a short and a full help.

    Args:
        common: names of options that the short help lists although they belong to a section.
    """

    def __init__(self, *arguments: Any, common: Collection[str] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.params += [_DEBUG, _HELP_ALL]
        self.common = common

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments for `command_line`."""
        ctx.meta[_ARGUMENTS] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Errors name its options as they are typed: `--every-slice`, not `every_slice`."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            is_about_rows = isinstance(error, DataError)
            raise error if is_about_rows else type(error)(error.diagnostic.renamed(self._flags())) from error

    def _flags(self) -> dict[str, str]:
        """Return the options of this command by their names in Python."""
        return {
            name.replace("-", "_"): flag
            for option in self.params
            for flag in option.opts
            for name in (option.name or "", flag[2:])
            if isinstance(option, click.Option) and name != "references"  # a side has this name too
        }

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the common options and, in the full help, the options of the sections."""
        records: dict[str, list[tuple[str, str]]] = {section: [] for section in ("Options", *_SECTIONS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                name = parameter.name or ""
                records["Options" if name in self.common else _SECTION_OF.get(name, "Options")].append(record)
        for section, options in records.items():
            if options and (section == "Options" or _FULL_HELP in ctx.meta):
                with formatter.section(section):
                    formatter.write_dl(options)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """End the short help with the option for the full one."""
        super().format_epilog(ctx, formatter)
        if _FULL_HELP not in ctx.meta:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(f"{ctx.command_path} --help-all shows all options.")


def gate_of(decide: Callable[..., Gate], *arguments: Any, **options: Any) -> tuple[Gate, UndecidedError | None]:
    """Return a gate; if it cannot decide all limits, also the error to raise after its decided limits are printed."""
    try:
        return decide(*arguments, **options), None
    except UndecidedError as error:
        return error.gate, error


def command_line() -> str:
    """Return the running command as it is typed into a shell; paths are shortened to names."""
    context = click.get_current_context()

    def shown(argument: str) -> str:
        begin, sign, path = argument.rpartition("=")
        return begin + sign + (Path(path).name or path if Path(path).parent.is_dir() else path)

    return shlex.join([*context.command_path.split(), *map(shown, context.meta[_ARGUMENTS])])


def _print_full_help(context: click.Context, _parameter: click.Parameter, value: Any) -> None:
    """Print the help with all options, and exit."""
    if value:
        context.meta[_FULL_HELP] = True
        click.echo(context.get_help())
        context.exit()


_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_full_help,
    help="Show all options and exit.",
)
_DEBUG = click.Option(
    ["--debug"],
    is_flag=True,
    expose_value=False,  # `docscore.cli.entry_point` reads it
    help="Print the traceback of an unexpected error.",
)

SHARE = Number(min=0, max=1)
COUNT = Number(integer=True, min=0)


def together(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Combine options into one decorator. The help lists them in this order."""

    def decorated(command: F) -> F:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorated


def ending(*example: str, where: str = "in examples/receipts", failing: str = "", undecided: str = "") -> str:
    """Return the end of a command's help: an example and the exit statuses.

    Args:
        example: the lines of an example, without the backslashes that join them.
        where: where to run the example.
        failing: the meaning of exit status 1; "" if the command does not use it.
        undecided: another meaning of exit status 2; "" if there is none.
    """
    wrong = "2  an input file or an option is wrong" + (f", or {undecided}" if undecided else "")
    statuses = ["0  success", *([f"1  {failing}"] if failing else []), wrong]
    blocks = {
        f"Example, {where}:": [" \\\n    ".join(example)],
        "Exit status:": [*statuses, "above 2: the command could not finish"],
    }
    # \b keeps click from wrapping the lines
    return "\n\n".join("\n  ".join(["\b\n" + head, *lines]) for head, lines in blocks.items())


def split_names(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Split a comma-separated list of names; return no names without the option."""
    return () if value is None else tuple(name.strip() for name in value.split(","))


def refused(*, expected: str, got: str) -> click.BadParameter:
    """Return the error for an invalid value of an option."""
    return click.BadParameter(f"expected {expected}, got {got}")


def _only_file(context: click.Context, _parameter: click.Parameter, predictions: Path | None) -> Path | None:
    """Treat a single file as the file of predictions, which then also contains the ground truths."""
    if predictions is None:
        predictions, context.params["references"] = context.params.get("references"), None
    return predictions


def _part_of_id(
    _context: click.Context, _parameter: click.Parameter, pattern: str | None
) -> Callable[[str], str] | None:
    """Return a function that returns the part of an id that the group of a regular expression matches."""
    if pattern is None:
        return None
    compiled = check_pattern("--cluster-of-id", pattern)

    def part_of_id(question_id: str) -> str:
        match = compiled.search(question_id)
        if match is None or match[1] is None:
            raise InputValueError(place=row_place(question_id), expected=f"an id that matches {pattern!r}")
        return str(match[1])

    return part_of_id


def _checked_delimiter(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Check that a delimiter is one character; the word "tab" means a tab."""
    delimiter = "\t" if value in ("tab", r"\t") else value
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise refused(expected="one character, or tab", got=repr(value))
    return delimiter


# settings of the option for a field without choices, by the name or the type of the field's default
_SETTINGS: dict[str | type, dict[str, Any]] = {
    "iou": {"type": Number(min=0, max=1, min_open=True)},
    tuple: {"metavar": "NAMES", "callback": split_names, "default": None},
    bool: {"is_flag": True},
    float: {"type": SHARE},
    "schema": {"type": a_file, "metavar": "FILE"},
    "delimiter": {"callback": _checked_delimiter},
}


def options_named(*names: str) -> Callable[[F], F]:
    """Make options from fields of `ReadOptions` and `CompareOptions`, with their types, choices, defaults and help."""
    return together(*map(_option_named, names))


def _option_named(name: str) -> Callable[[F], F]:
    field = OPTIONS[name]
    help_text, choices = field.metadata["help"], field.metadata["choices"]
    if name == "ignore_case":
        return click.option(
            "--case-sensitive",
            name,
            is_flag=True,
            callback=lambda _context, _option, value: not value,
            help="Compare texts case-sensitively.",
        )
    own = {"type": click.Choice(choices)} if choices else _SETTINGS.get(name) or _SETTINGS.get(type(field.default), {})
    metavar = {"metavar": field.metadata["metavar"]} if "metavar" in field.metadata else {}
    settings = {"default": field.default, "show_default": True, "help": help_text, **metavar, **own}
    return click.option(f"--{name.replace('_', '-')}", name, **settings)


two_files = together(
    click.argument("references", type=a_file),
    click.argument("predictions", type=a_file, required=False, callback=_only_file),
)
references_option = click.option(
    "--references",
    type=a_file,
    metavar="FILE",
    help="File with the ground truths. Not needed if the files of predictions also contain them, as logs do.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, is_eager=True, help="Print one JSON object (docs/json_output.md)."
)
rows_option = click.option(
    "--rows",
    "with_rows",
    is_flag=True,
    callback=lambda context, _option, value: (
        value and (context.params["as_json"] or context.fail("--rows needs --json"))
    ),
    help="With --json: also print all rows.",
)
worst_option = click.option(
    "--worst",
    type=COUNT,
    default=LISTED,
    show_default=True,
    metavar="N",
    help="Number of rows with the lowest scores to show.",
)
comparing_options = options_named("parse", "parse_references", "threshold", "ignore_case", "rules", "numbers")
on_error_option = options_named("on_error")
_COLUMN_OPTIONS = (
    *("id_column", "references_id_column", "predictions_id_column", "id_pattern"),
    *("prediction_column", "references_column", "fields_in_columns", "field_column", "value_column"),
    *("references_query", "predictions_query", "single_document", "answer_is_list"),
    *("ignore_keys", "absent_words", "delimiter", "encoding", "references_encoding", "predictions_encoding"),
)
column_options = options_named(*_COLUMN_OPTIONS)
num_proc_option = click.option(
    "--num-proc",
    type=Number(integer=True, min=1),
    default=1,
    metavar="N",
    show_default=True,
    help="Read JSONL and compute scores in N processes.",
)
cost_options = options_named("cost_column", "seconds_column", "tokens_column")


def price_option(metavar: str, help_text: str) -> Callable[[F], F]:
    """Make the option `--price`; the metavar shows the form of its value."""

    def prices(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> dict[str, list[float]]:
        found = {}
        for text in values:
            name, _, amounts = text.rpartition("=")
            if not name or amounts.count(",") != metavar.count(","):
                raise refused(expected=metavar, got=repr(text))
            found[name] = [Number(min=0).convert(amount, parameter, context) for amount in amounts.split(",")]
        return found

    return click.option("--price", "prices", multiple=True, callback=prices, metavar=metavar, help=help_text)


def check_priced(prices: Mapping[str, Sequence[float]], names: Sequence[str]) -> None:
    """Raise `ValueError` if a price is for a name that does not exist."""
    for name in prices:
        if name not in names:
            raise InputValueError(place="price", expected=f"one of {', '.join(map(repr, names))}", got=repr(name))


row_options = together(
    options_named("missing"),
    column_options,
    num_proc_option,
    on_error_option,
    options_named("with_confidences", "citations_from"),
)
test_set_options = together(
    row_options,
    click.option(
        "--confidence-level",
        "confidence",
        type=Number(min=0, max=1, min_open=True, max_open=True),
        default=CONFIDENCE,
        show_default=True,
        metavar="LEVEL",
        help="Confidence level of intervals, tests and gates.",
    ),
    options_named("cluster"),
    click.option(
        "--cluster-of-id",
        metavar="REGEX",
        callback=_part_of_id,
        help=r"Like --cluster, but by the part of the id that the group of REGEX matches, such as '^(.*)-q\d+$'.",
    ),
)
slice_option = click.option(
    "--slice", "slice_value", metavar="VALUE", help="With --by: evaluate only the rows with this value."
)
reference_options = options_named(
    *(name for name in _COLUMN_OPTIONS if not name.startswith("prediction")), "parse_references"
)
documents_option = click.option(
    "--documents",
    type=a_file,
    metavar="FOLDER",
    help="Folder with the documents (ID.pdf, ID.hocr or ID.txt) in which values are looked up. Reports show where "
    "values are found, also on page images (ID.png or ID-1.png).",
)
by_option = options_named("by")


def _metrics(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Split and check the names of metrics. Your own metric may be in a module of the current folder."""
    sys.path += [str(Path.cwd())] if value and ":" in value else []
    return tuple(checked_metrics(loaded_metrics(split_names(context, parameter, value)))) if value else None


metrics_option = click.option(
    "--metrics",
    callback=_metrics,
    metavar="NAMES",
    help=f"Metrics, separated by commas: {', '.join(METRICS)}, or module:Class. Gates, fields and the order of "
    f"documents use the first one.  [default: {ANLS_STAR}; typed with --schema]",
)


metric_options = together(
    metrics_option,
    options_named("schema", "schema_by", "strict", "normalise", "donut", "iou"),
)


def stdout_console() -> Console:
    """Return a console without markup or highlighting: as wide as the terminal, or otherwise of unbounded width."""
    return Console(width=None if sys.stdout.isatty() else UNBOUNDED, highlight=False, markup=False, emoji=False)


def options_of(values: Mapping[str, Any]) -> tuple[ReadOptions, CompareOptions]:
    """Return how rows are read and how values are compared, from the values of shared options."""
    if values.get("cluster") is not None and values.get("cluster_of_id") is not None:
        raise InputValueError(expected="--cluster or --cluster-of-id", got="both")
    return read_and_compare_options({**values, "cluster": values.get("cluster_of_id") or values.get("cluster")})


def evaluations_of_files(
    references: Path | None,
    predictions: list[Path],
    values: Mapping[str, Any],
    systems: Sequence[str] = (),
) -> list[Evaluation]:
    """Evaluate each system, and report on stderr the rows that are left out.

    Args:
        references: the file with the ground truths; None if the files of predictions contain them.
        predictions: the files with predictions.
        values: the values of the shared options.
        systems: the name of the system of each file. Files of one system are its runs and make one evaluation. Without
            names, each file is a system. A warning that concerns only some systems begins with their names.
    """
    reading, options = options_of(values)
    metrics = metrics_for(values.get("metrics") or None, options)
    progress, num_proc = progress_from(None), values["num_proc"]
    files: dict[str, list[Path]] = {}
    for name, path in zip(systems or map(str, range(len(predictions))), predictions, strict=True):
        files.setdefault(name, []).append(path)
    with gc_pause():
        paths = list(map(str, predictions))
        sides = read_systems(references, files, reading, side_names=paths, num_proc=num_proc, progress=progress)
    gc.freeze()  # rows have no cycles, so collections do not have to scan them again
    first = next(iter(sides.values()))
    if first.row_errors:
        skipped = first.skipped or 0
        say(f"{errors_summary(first.row_errors)}; {skipped} of {len(first.ids) + skipped:,} rows are left out")
        for error in first.row_errors[:NAMED]:
            say(error.diagnostic.written(as_flag))
    found = evaluations_of(
        sides,
        options,
        metrics,
        prices=values.get("prices"),
        slice_value=values.get("slice_value"),
        documents=values.get("documents"),
        confidence=values["confidence"],
        num_proc=num_proc,
        progress=progress,
    )
    if systems:  # further warnings are given while the command runs
        click.get_current_context().call_on_close(partial(_name_systems, found))
    return list(found.values())


def _name_systems(evaluations: Mapping[str, Evaluation]) -> None:
    """Add to each warning the names of the systems that it concerns, unless it concerns all systems."""
    names = grouped((str(each), name) for name, found in evaluations.items() for each in found.warnings)
    for warning in (each for found in evaluations.values() for each in found.warnings):
        concerned = dict.fromkeys(names[str(warning)])
        warning.systems = tuple(concerned) if len(concerned) < len(evaluations) else ()
