"""The options that commands share, those of scoring made from `ScoringOptions`, and the rows and progress they need."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from docscore.cli.terminal import say
from docscore.core.errors import NAMED, InputValueError, faults_summary, row_place
from docscore.core.options import ScoringOptions
from docscore.data.checks import warn_of_copies
from docscore.data.files import ColumnNames
from docscore.data.groups import joined_runs
from docscore.data.pairing import rows_of_sides
from docscore.evaluation.evaluation import Evaluation, metrics_with_schema, progress_from
from docscore.evaluation.tables import LISTED
from docscore.metrics.registry import METRICS, checked_metrics
from docscore.report.console import UNBOUNDED
from docscore.stats.intervals import CONFIDENCE

F = TypeVar("F", bound=Callable[..., Any])

a_file = click.Path(path_type=Path)


class Number(click.FloatRange):
    """A finite number of a range; NaN is none, which no comparison with the ends of the range would find.

    Args:
        whole: whether it must be a whole number.
        bounds: the range, as for `click.FloatRange`.
    """

    def __init__(self, *, whole: bool = False, **bounds: Any) -> None:
        super().__init__(**bounds)
        self.name = "integer" if whole else "number"
        self.whole = whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        with suppress(click.BadParameter):
            number = super().convert(value, param, ctx)
            if math.isfinite(number) and not (self.whole and number % 1):
                return int(number) if self.whole else number
        kind = "a whole number" if self.whole else "a number"
        return self.fail(f"expected {kind} in the range {self._describe_range()}, got {value}", param, ctx)


# The titles under which help lists the options that several commands share, and those of gates.
TITLES = {
    "Gate": ("fail_under", "beyond_chance", "max_loss"),
    "Reading rows": (
        "id_column",
        "references_id_column",
        "predictions_id_column",
        "prediction_column",
        "references_column",
        "cost_column",
        "seconds_column",
        "tokens_column",
        "delimiter",
        "missing",
        "on_error",
        "with_confidences",
    ),
    "Comparing values": ("threshold", "ignore_case", "parse", "parse_references", "rules", "numbers"),
    "Metrics": ("metrics", "normalise", "donut", "schema", "strict"),
    "Intervals and groups": ("confidence", "cluster", "cluster_of_id", "by", "slice_value"),
}


class Command(click.Command):
    """A command whose help lists its options under titles: first its own, then those of `TITLES`."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        title_of = {name: title for title, names in TITLES.items() for name in names}
        records: dict[str, list[tuple[str, str]]] = {title: [] for title in ("Options", *TITLES)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                records[title_of.get(parameter.name or "", "Options")].append(record)
        for title, options in records.items():
            if options:
                with formatter.section(title):
                    formatter.write_dl(options)


SHARE = Number(min=0, max=1)
COUNT = Number(whole=True, min=0)


@dataclass(frozen=True)
class CommandSettings:
    """What the options of a command say.

    Attributes:
        options: how predictions are read and compared.
        reading: keywords of `rows_of_sides`.
        evaluation: keywords of `Evaluation`.
        slice_value: the value of the column `by` that the rows have which are kept; None for all rows.
    """

    options: ScoringOptions
    reading: dict[str, Any]
    evaluation: dict[str, Any]
    slice_value: str | None = None


def with_settings(
    *decorators: Callable[[Any], Any], first_metric: str | None = None, **fixed: Any
) -> Callable[[Callable[..., Any]], Any]:
    """Add options to a command, which receives what they say as one argument, `settings`.

    Args:
        decorators: the options.
        first_metric: the metric where neither metrics nor a schema are given; None for ANLS*.
        fixed: values of options in place of those that are given.
    """

    def decorated(command: Callable[..., Any]) -> Any:
        @wraps(command)
        def run(**values: Any) -> Any:
            values.update(fixed)

            def taken(*names: str) -> dict[str, Any]:
                return {name: values.pop(name) for name in names if name in values}

            options = ScoringOptions(**taken(*_FIELDS))
            reading = {"missing": options.missing, **taken("on_error", "delimiter")}
            names = {name.removesuffix("_column"): column for name, column in taken(*_COLUMNS).items()}
            reading["names"] = ColumnNames(**names, json_references=options.parse_references is not None)
            evaluation = taken("metrics", "cluster", "by", "confidence")
            default = None if first_metric is None or options.schema is not None else (first_metric,)
            evaluation["metrics"] = metrics_with_schema(evaluation.get("metrics") or default, options.schema)
            cluster_of_id = values.pop("cluster_of_id", None)
            if cluster_of_id is not None:
                if evaluation["cluster"] is not None:
                    raise InputValueError(expected="--cluster or --cluster-of-id", got="both")
                evaluation["cluster"] = cluster_of_id
            settings = CommandSettings(options, reading, evaluation, **taken("slice_value"))
            return command(settings=settings, **values)

        return together(*decorators)(run)

    return decorated


def together(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Combine several options into one decorator; the help lists them in this order."""

    def decorated(command: F) -> F:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorated


def two_files(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments REFERENCES and PREDICTIONS; a command gets None as references where one file holds both."""

    @wraps(command)
    def run(*, references: Path, predictions: Path | None, **values: Any) -> Any:
        if predictions is None:
            return command(references=None, predictions=references, **values)
        return command(references=references, predictions=predictions, **values)

    arguments = click.argument("references", type=a_file), click.argument("predictions", type=a_file, required=False)
    return together(*arguments)(run)


def ending(*example: str, where: str = "in examples/receipts", json_format: str = "", failing: str = "") -> str:
    """What the help of a command ends with: an example, the exit statuses, and where its JSON is described.

    Args:
        example: a command, as lines that the shell joins.
        where: where it runs.
        json_format: the name of what `--json` prints; "" where there is none.
        failing: what the exit status 1 means; "" where the command does not end with it.
    """
    statuses = ["0  done", *([f"1  {failing}"] if failing else []), "2  the input, an option or a file is at fault"]
    blocks = {
        f"Example, {where}:": [" \\\n    ".join(example)],
        "Exit status:": [*statuses, "above 2: stopped before the end"],
    }
    if json_format:
        blocks["JSON:"] = [f"the format docscore.{json_format} of docs/json_output.md"]
    # \b keeps click from wrapping the lines
    return "\n\n".join("\n  ".join(["\b\n" + head, *lines]) for head, lines in blocks.items())


def split_names(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Split a comma-separated list of names; no names if the option was not given."""
    return () if value is None else tuple(name.strip() for name in value.split(","))


def refused(*, expected: str, got: str) -> click.BadParameter:
    """The error about the value of an option."""
    return click.BadParameter(f"expected {expected}, got {got}")


def _part_of_id(
    _context: click.Context, _parameter: click.Parameter, pattern: str | None
) -> Callable[[str], str] | None:
    """A function that gives the part of an id that the one group of a regular expression matches."""
    if pattern is None:
        return None
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise refused(expected="a regular expression", got=f"{pattern!r} ({error})") from None
    if compiled.groups != 1:
        raise refused(expected="a regular expression with one group in parentheses", got=repr(pattern))

    def part_of_id(question_id: str) -> str:
        match = compiled.search(question_id)
        if match is None or match[1] is None:
            raise InputValueError(place=row_place(question_id), expected=f"an id that matches {pattern!r}")
        return str(match[1])

    return part_of_id


def _column_sign(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Check that a sign between columns is one character; the tab can be written as "tab"."""
    sign = "\t" if value in ("tab", r"\t") else value
    if sign is not None and (len(sign) != 1 or sign in '"\r\n'):
        raise refused(expected="one character, or tab", got=repr(value))
    return sign


_COLUMNS = tuple(f"{name}_column" for name in ColumnNames._fields if name != "json_references")
_FIELDS = {field.name: field for field in fields(ScoringOptions)}


def scoring_options(*names: str) -> Callable[[F], F]:
    """The options of fields of `ScoringOptions`, whose types, choices, defaults and help they have."""
    return together(*map(_scoring_option, names))


def _scoring_option(name: str) -> Callable[[F], F]:
    field = _FIELDS[name]
    help_text, choices = field.metadata["help"], field.metadata["choices"]
    settings: dict[str, Any]
    if name == "ignore_case":
        return click.option(
            "--case-sensitive",
            name,
            is_flag=True,
            callback=lambda _context, _option, value: not value,
            help="Do not ignore case in comparisons.",
        )
    if isinstance(field.default, bool):
        settings = {"is_flag": True}
    elif choices:
        settings = {"type": click.Choice(choices), "default": field.default, "show_default": True}
    elif isinstance(field.default, float):
        settings = {"type": SHARE, "default": field.default, "show_default": True}
    else:
        settings = {"type": a_file, "metavar": "FILE"}
    return click.option(f"--{name.replace('_', '-')}", name, help=help_text, **settings)


references_option = click.option(
    "--references", type=a_file, help="The file of ground truths; not needed where the files hold them, as logs do."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
worst_option = click.option(
    "--worst",
    type=COUNT,
    default=LISTED,
    show_default=True,
    help="How many rows with the lowest scores to show.",
)
comparing_options = scoring_options("threshold", "ignore_case", "parse", "parse_references", "rules", "numbers")
on_error_option = click.option(
    "--on-error",
    type=click.Choice(["error", "skip"]),
    default="error",
    show_default=True,
    help="If rows cannot be read or paired: stop with an error, or leave them out and count them.",
)
column_options = together(
    click.option(
        "--id-column",
        metavar="COLUMN",
        help="The column or key of the ids, if it is not question_id. Each of these may be a path into the "
        "rows, such as response.choices.0.text.",
    ),
    click.option("--references-id-column", metavar="COLUMN", help="The same of the ground truths alone."),
    click.option("--predictions-id-column", metavar="COLUMN", help="The same of the predictions alone."),
    click.option(
        "--prediction-column", metavar="COLUMN", help="The column or key of the predictions, if it is not prediction."
    ),
    click.option(
        "--references-column",
        metavar="COLUMN",
        help="The column or key of the ground truths, if it is not references. A list in it holds acceptable answers; "
        "anything else is the only one.",
    ),
    click.option(
        "--delimiter",
        metavar="SIGN",
        callback=_column_sign,
        help="The sign between the columns of CSV files, such as ; or tab; by default told by their headers.",
    ),
)
cost_options = together(
    click.option(
        "--cost-column", metavar="COLUMN", help="The column or key of what each prediction cost, if it is not cost."
    ),
    click.option("--seconds-column", metavar="COLUMN", help="The same of how long it took, if it is not seconds."),
    click.option("--tokens-column", metavar="COLUMN", help="The same of its tokens, if it is not tokens."),
)
test_set_options = together(
    column_options,
    scoring_options("missing"),
    on_error_option,
    click.option(
        "--confidence-level",
        "confidence",
        type=Number(min=0, max=1, min_open=True, max_open=True),
        default=CONFIDENCE,
        show_default=True,
        help="The confidence level of the intervals.",
    ),
    scoring_options("with_confidences"),
    click.option(
        "--cluster",
        metavar="COLUMN",
        help="A column of the references. Rows with the same value, such as the questions of one document, are not "
        "independent; intervals and tests resample them together.",
    ),
    click.option(
        "--cluster-of-id",
        metavar="PATTERN",
        callback=_part_of_id,
        help=r"Like --cluster, by a part of the id: a regular expression with one group, such as '^(.*)-q\d+$'.",
    ),
)
slice_option = click.option(
    "--slice",
    "slice_value",
    metavar="VALUE",
    help="With --by: only the rows with this value, with their fields, causes and documents.",
)
by_option = click.option(
    "--by",
    metavar="COLUMN",
    help="A column of the references. Also compute the metrics for the rows of each value.",
)


def metrics_option(default: str) -> Callable[[F], F]:
    """The option of the metrics, with the default in words."""
    return click.option(
        "--metrics",
        callback=lambda *arguments: tuple(checked_metrics(split_names(*arguments))) if arguments[-1] else None,
        metavar="NAMES",
        help=f"Metrics to compute, separated by commas: {', '.join(METRICS)}. The first is the metric of all "
        f"that is shown and decided; by default {default}, with a schema typed.",
    )


metric_options = together(
    metrics_option("anls_star"),
    scoring_options("normalise", "donut", "schema", "strict"),
)


def stdout_console() -> Console:
    """A console for stdout without markup or highlighting, as wide as its terminal; elsewhere lines have no end."""
    width = None if sys.stdout.isatty() else UNBOUNDED
    return Console(width=width, highlight=False, markup=False, emoji=False)


def evaluations_of_files(
    references: Path | None, predictions: list[Path], settings: CommandSettings, systems: Sequence[str] = ()
) -> list[Evaluation]:
    """Build an evaluation of each file of predictions; rows that are left out are reported on stderr.

    Args:
        references: the file of ground truths; None where those of predictions hold them.
        predictions: the files of predictions.
        settings: the options of the command.
        systems: the system of each of them, where files of one system are its runs, which make one evaluation.
    """
    checked_metrics(settings.evaluation["metrics"], settings.options)
    progress = progress_from(None)
    rows = rows_of_sides(references=references, predictions=predictions, progress=progress, **settings.reading)
    faults = rows.faults.found
    if faults:
        skipped = rows.systems[0].skipped or 0
        say(f"{faults_summary(faults)}; {skipped} of {len(rows.systems[0].ids) + skipped:,} rows are left out")
        for fault in faults[:NAMED]:
            say(fault.sentence)
    if systems:
        warn_of_copies(rows.systems, list(map(str, predictions)))
    runs: dict[object, list[int]] = {}
    for index, system in enumerate(systems or range(len(predictions))):
        runs.setdefault(system, []).append(index)
    evaluations = []
    for indices in runs.values():
        pairs = joined_runs([rows.systems[index] for index in indices], [str(predictions[index]) for index in indices])
        evaluation = Evaluation(pairs, settings.options, progress=progress, **settings.evaluation)
        evaluations.append(evaluation if settings.slice_value is None else evaluation.of_slice(settings.slice_value))
    return evaluations
