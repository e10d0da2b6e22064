"""Shared parts of the commands: flags and settings, error output, console and progress bars."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBars
from rich.text import Text

from docscore.cli.terminal import VERSIONS, say
from docscore.core.errors import InputValueError, row_place
from docscore.core.options import (
    MISSING_MODES,
    NUMBERS,
    PAPER,
    PARSE_MODES,
    PARSE_REFERENCES_MODES,
    RULES,
    THRESHOLD,
    ScoringOptions,
)
from docscore.core.progress import READING, Advance, Progress, no_progress
from docscore.corpus.evaluation import ANLS_STAR, Evaluation, metrics_with_schema, rows_of_files
from docscore.data.columns import Grouping
from docscore.data.faults import NAMED, Faults, faults_summary
from docscore.data.pairing import Pairs
from docscore.data.sources import ColumnNames
from docscore.integrations.log_files import read_logs_of_inspect
from docscore.metrics.registry import METRICS, checked_metrics
from docscore.stats.intervals import CONFIDENCE

F = TypeVar("F", bound=Callable[..., Any])

WORST = 10
_NARROWEST = 80

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


SHARE = Number(min=0, max=1)
LEVEL = Number(min=0, max=1, min_open=True)  # of a gate
COUNT = Number(whole=True, min=0)


def split_names(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Split a comma-separated list of names; no names if the option was not given."""
    return () if value is None else tuple(name.strip() for name in value.split(","))


def metric_names(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    """Split and check a comma-separated list of metrics."""
    return tuple(checked_metrics(split_names(context, parameter, value)))


def id_pattern(_context: click.Context, _parameter: click.Parameter, value: str | None) -> re.Pattern[str] | None:
    """Compile a regular expression, and check that it has one group."""
    if value is None:
        return None
    try:
        found = re.compile(value)
    except re.error as error:
        msg = f"expected a regular expression, got {value!r} ({error})"
        raise click.BadParameter(msg) from None
    if found.groups != 1:
        msg = f"expected a regular expression with one group in parentheses, got {value!r}"
        raise click.BadParameter(msg)
    return found


def column_sign(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Check that a sign between columns is one character; the tab can be written as "tab"."""
    found = "\t" if value in ("tab", r"\t") else value
    if found is not None and (len(found) != 1 or found in '"\r\n'):
        msg = f"expected one character, or tab, got {value!r}"
        raise click.BadParameter(msg)
    return found


def part_of_id(pattern: re.Pattern[str], question_id: str) -> str:
    """The part of an id that the group of the pattern matches."""
    found = pattern.search(question_id)
    if found is None:
        raise InputValueError(place=row_place(question_id), expected=f"an id that matches {pattern.pattern!r}")
    return str(found[1])


def with_ending(
    *example: str, where: str = "in examples/receipts", json_format: str = "", failing: str = ""
) -> Callable[[click.Command], click.Command]:
    """End the help of a command, as a decorator above `@click.command`.

    Args:
        example: a command, as lines that the shell joins.
        where: where it runs.
        json_format: the name of what `--json` prints, among `VERSIONS`; "" where there is none.
        failing: what the exit status 1 means; "" where the command does not end with it.
    """
    statuses = ["0  done", *([f"1  {failing}"] if failing else []), "2  the input, an option or a file is at fault"]
    parts = [
        _block(f"Example, {where}:", [" \\\n    ".join(example)]),
        _block("Exit status:", [*statuses, "above 2: stopped before the end"]),
    ]
    if json_format:
        name = f"docscore.{json_format}/{VERSIONS[json_format]}"
        parts.append(_block("JSON:", [f"the format {name} of docs/json_output.md"]))

    def ended(command: click.Command) -> click.Command:
        command.epilog = "\n\n".join(parts)
        return command

    return ended


def _block(head: str, lines: list[str]) -> str:
    """Lines that click does not wrap."""
    return "\b\n" + "\n".join([head, *(f"  {line}" for line in lines)])


@dataclass(frozen=True)
class CommandSettings:
    """The settings from the flags of a command.

    Attributes:
        options: how predictions are read and compared.
        metrics: the metrics to compute.
        confidence: the level of the intervals.
        on_error: rows with faults: "error" or "skip".
        cluster: a column of the references, or a function of the id, that names the cluster of each row.
        by: a column of the references whose values make slices.
        delimiter: the sign between the columns of CSV files; None to tell it by their headers.
        id_column: the column of the ids; None for "question_id".
        prediction_column: the column of the predictions; None for "prediction".
        references_column: the column of the ground truths; None for "references".
    """

    options: ScoringOptions
    metrics: tuple[str, ...] = (ANLS_STAR,)
    confidence: float = CONFIDENCE
    on_error: str = "error"
    cluster: Grouping | None = None
    by: str | None = None
    delimiter: str | None = None
    id_column: str | None = None
    prediction_column: str | None = None
    references_column: str | None = None

    @property
    def names(self) -> ColumnNames:
        """The columns that have other names than in the row formats."""
        is_json = self.options.parse_references is not None
        return ColumnNames(self.id_column, self.prediction_column, self.references_column, is_json)


_OPTIONS = {field.name for field in fields(ScoringOptions)} - {"ignore_case"}  # flags of these names
_OTHERS = {field.name for field in fields(CommandSettings)} - {"options"}  # the same


def settings_from(flags: Mapping[str, Any]) -> CommandSettings:
    """Build the settings from flags; flags that a command does not have keep their defaults.

    Raises:
        TypeError, ValueError: for a value outside its range, naming the option.
    """
    options = {name: flags[name] for name in _OPTIONS & flags.keys()}
    if "case_sensitive" in flags:
        options["ignore_case"] = not flags["case_sensitive"]
    others = {name: flags[name] for name in _OTHERS & flags.keys()}
    if "metrics" in others:
        others["metrics"] = metrics_with_schema(others["metrics"], options.get("schema"))
    if flags.get("cluster_of_id") is not None:
        if others.get("cluster") is not None:
            raise InputValueError(expected="--cluster or --cluster-of-id", got="both")
        others["cluster"] = partial(part_of_id, flags["cluster_of_id"])
    return CommandSettings(ScoringOptions(**options), **others)


def with_settings(*decorators: Callable[[Any], Any]) -> Callable[[Callable[..., Any]], Any]:
    """Add groups of flags to a command, which receives them as one argument, `settings`."""
    flags = {*_OPTIONS, *_OTHERS, "case_sensitive", "cluster_of_id"}

    def decorated(command: Callable[..., Any]) -> Any:
        @wraps(command)
        def run(**given: Any) -> Any:
            read_logs_of_inspect()
            settings = settings_from({name: given.pop(name) for name in flags & given.keys()})
            return command(settings=settings, **given)

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
    def run(*, references: Path, predictions: Path | None, **given: Any) -> Any:
        both = {"references": references, "predictions": predictions}
        return command(**(both if predictions else {"references": None, "predictions": references}), **given)

    arguments = (
        click.argument("references", type=a_file),
        click.argument("predictions", type=a_file, required=False),
    )
    return together(*arguments)(run)


references_option = click.option(
    "--references", type=a_file, help="The file of ground truths; not needed where the files hold them, as logs do."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
worst_option = click.option(
    "--worst",
    type=COUNT,
    default=WORST,
    show_default=True,
    help="How many rows with the lowest scores to show.",
)
comparing_flags = together(
    click.option(
        "--threshold", type=SHARE, default=THRESHOLD, show_default=True, help="Text similarities below this count as 0."
    ),
    click.option("--case-sensitive", is_flag=True, help="Do not ignore case in comparisons."),
    click.option(
        "--parse",
        type=click.Choice(PARSE_MODES),
        help="Read predictions that are text as JSON; repair also accepts malformed JSON, text compares them as they "
        "are even where both sides are JSON.",
    ),
    click.option(
        "--parse-references", type=click.Choice(PARSE_REFERENCES_MODES), help="Read references that are text as JSON."
    ),
    click.option(
        "--rules",
        type=click.Choice(RULES),
        default=PAPER,
        show_default=True,
        help="What counts: by the paper, keys of predictions without a value do not; by the package, they do.",
    ),
    click.option(
        "--numbers",
        type=click.Choice(NUMBERS),
        default="text",
        show_default=True,
        help="Compare numbers as they print, or by value, so that 1000.0 is 1000.",
    ),
)
on_error_option = click.option(
    "--on-error",
    type=click.Choice(["error", "skip"]),
    default="error",
    show_default=True,
    help="If rows cannot be read or paired: stop with an error, or leave them out and count them.",
)
confidences_option = click.option(
    "--with-confidences",
    is_flag=True,
    help='Predictions hold {"$value": ..., "$confidence": ...}; score the values.',
)
normalise_option = click.option(
    "--normalise", is_flag=True, help="For KIEval and Entity F1: ignore case and white space."
)
columns_flags = together(
    click.option("--id-column", metavar="COLUMN", help="The column or key of the ids, if it is not question_id."),
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
        callback=column_sign,
        help="The sign between the columns of CSV files, such as ; or tab; by default told by their headers.",
    ),
)
test_set_flags = together(
    columns_flags,
    click.option(
        "--missing",
        type=click.Choice(MISSING_MODES),
        default="error",
        show_default=True,
        help="If a reference has no prediction: stop with an error, score it as null, or leave it out and count it.",
    ),
    on_error_option,
    click.option(
        "--confidence-level",
        "confidence",
        type=Number(min=0, max=1, min_open=True, max_open=True),
        default=CONFIDENCE,
        show_default=True,
        help="The confidence level of the intervals.",
    ),
    confidences_option,
    click.option(
        "--cluster",
        metavar="COLUMN",
        help="A column of the references. Rows with the same value, such as the questions of one document, are not "
        "independent; intervals and tests resample them together.",
    ),
    click.option(
        "--cluster-of-id",
        metavar="PATTERN",
        callback=id_pattern,
        help=r"Like --cluster, by a part of the id: a regular expression with one group, such as '^(.*)-q\d+$'.",
    ),
)
by_option = click.option(
    "--by",
    metavar="COLUMN",
    help="A column of the references. Also compute the metrics for the rows of each value.",
)
schema_option = click.option(
    "--schema",
    type=a_file,
    metavar="FILE",
    help="A JSON Schema, or a folder with one a document (ID.json): also show the typed score, for which it says how "
    "each place compares.",
)
metric_flags = together(
    click.option(
        "--metrics",
        default=ANLS_STAR,
        show_default=True,
        callback=metric_names,
        metavar="NAMES",
        help=f"Metrics to compute, separated by commas: {', '.join(METRICS)}.",
    ),
    normalise_option,
    click.option("--donut", is_flag=True, help="For Entity F1 and nTED: read documents as Donut's evaluation does."),
    schema_option,
    click.option("--strict", is_flag=True, help="For ANLS: a similarity equal to the threshold counts as 0."),
)


def stdout_console() -> Console:
    """A console for stdout without markup or highlighting, at least 80 columns wide."""
    found = Console(highlight=False, markup=False, emoji=False)
    found.width = max(found.width, _NARROWEST)
    return found


def evaluations_of_files(
    references: Path | None, predictions: list[Path], settings: CommandSettings, progress: Progress
) -> list[Evaluation]:
    """Build an evaluation of each file of predictions; rows that are left out are reported on stderr."""
    rows = rows_of_files(
        references=references,
        predictions=predictions,
        missing=settings.options.missing,
        on_error=settings.on_error,
        delimiter=settings.delimiter,
        names=settings.names,
        progress=progress,
    )
    say_skipped(rows.systems[0], rows.faults)
    return [
        Evaluation(
            pairs,
            settings.options,
            metrics=settings.metrics,
            cluster=settings.cluster,
            by=settings.by,
            confidence=settings.confidence,
            progress=progress,
        )
        for pairs in rows.systems
    ]


def say_skipped(pairs: Pairs, faults: Faults) -> None:
    """Report on stderr how many rows were left out, and the first of their faults."""
    if faults.found:
        total = len(pairs.ids) + (pairs.skipped or 0)
        say(f"{faults_summary(faults.found)}; {pairs.skipped} of {total:,} rows are left out")
        for fault in faults.found[:NAMED]:
            say(fault.sentence)


class _Speed(ProgressColumn):
    """What is done in a second: megabytes of a file that is read, rows of any other phase."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if speed is None:
            return Text("")
        return Text(f"{speed / 1e6:,.1f} MB/s" if task.description == READING else f"{speed:,.0f}/s")


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """Show a progress bar for each phase on stderr, with what is done in a second and the time that remains.

    They are removed at the end. Nothing is shown if stderr is not a terminal.
    """
    if not sys.stderr.isatty():
        yield no_progress
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), _Speed(), TimeRemainingColumn())
    with ProgressBars(*columns, console=Console(stderr=True), transient=True) as bars:

        def begin(phase: str, total: int) -> Advance:
            return partial(bars.advance, bars.add_task(phase, total=total))

        yield begin
