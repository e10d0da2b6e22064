"""What the commands share: options, rows of files in pairs, scores, bars of progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import Progress

from docscore.core.formatting import printable
from docscore.corpus.measure import METRICS, Measured, MetricOptions, checked_metrics, measure
from docscore.corpus.scores import CorpusScore, score_corpus
from docscore.corpus.summary import Summary, summarise
from docscore.data.faults import NAMED, Faults, summary
from docscore.data.files import read_table
from docscore.data.pairing import Pairs, read_pairs
from docscore.stats.intervals import CONFIDENCE, RESAMPLES, check_confidence

F = TypeVar("F", bound=Callable[..., Any])


CommandOptions = dict[str, Any]


WORST = 10


_NARROWEST = 80


a_file = click.Path(path_type=Path)


def say(line: str) -> None:
    """Print a line on the error stream, made safe for a terminal."""
    click.echo(f"docscore: {printable(line)}", err=True)


def together(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, shown in this order."""

    def decorated(command: F) -> F:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorated


def _level(_context: click.Context, _parameter: click.Parameter, value: float) -> float:
    """A level of confidence, refused before there is work to lose."""
    return check_confidence(value)


def _names(_context: click.Context, _parameter: click.Parameter, value: str) -> list[str]:
    """The metrics in a list with commas."""
    return checked_metrics([name.strip() for name in value.split(",")])


two_files = together(click.argument("references", type=a_file), click.argument("predictions", type=a_file))


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


worst_option = click.option(
    "--worst", type=click.IntRange(min=0), default=WORST, show_default=True, help="How many of the lowest rows to show."
)


rules = together(
    click.option("--threshold", type=float, default=0.5, show_default=True, help="Similarities below it count as 0."),
    click.option("--case-sensitive", is_flag=True, help="Compare texts as they are, not in lower case."),
    click.option("--parse", type=click.Choice(["json", "repair"]), help="Read text predictions as JSON first."),
)


test_set = together(
    click.option(
        "--missing",
        type=click.Choice(["error", "zero"]),
        default="error",
        show_default=True,
        help="A reference without a prediction: stop with an error, or score it as null.",
    ),
    click.option(
        "--on-error",
        type=click.Choice(["error", "skip"]),
        default="error",
        show_default=True,
        help="Rows that cannot be read or paired: stop with an error, or leave them out and count them.",
    ),
    click.option(
        "--confidence",
        type=float,
        default=CONFIDENCE,
        show_default=True,
        callback=_level,
        help="The level of the intervals, between 0 and 1.",
    ),
    click.option(
        "--confidences", is_flag=True, help='Predictions hold {"$value": ..., "$confidence": ...}: take the values.'
    ),
)


metric_options = together(
    click.option(
        "--metrics",
        default="anls_star",
        show_default=True,
        callback=_names,
        metavar="NAMES",
        help=f"With commas between them, some of {', '.join(METRICS)}.",
    ),
    click.option("--normalise", is_flag=True, help="KIEval, Entity F1: ignore case and white space."),
    click.option("--donut", is_flag=True, help="Entity F1, nTED: read documents as Donut's evaluation does."),
    click.option("--strict", is_flag=True, help="ANLS: a similarity of exactly the threshold counts as 0."),
)


def console() -> Console:
    """The terminal, which prints what it is given as it is; tables are never laid out for less than 80 columns."""
    found = Console(highlight=False, markup=False, emoji=False)
    found.width = max(found.width, _NARROWEST)
    return found


def pairs_from_files(references: Path, predictions: Path, options: CommandOptions) -> Pairs:
    """The rows of two files in pairs; what was left out is said."""
    faults = Faults(options["on_error"])
    pairs = read_pairs(read_table(references, faults), read_table(predictions, faults), options["missing"], faults)
    say_skipped(pairs, faults)
    return pairs


def say_skipped(pairs: Pairs, faults: Faults) -> None:
    """Say what was left out, if anything was."""
    if faults.found:
        total = len(pairs.ids) + (pairs.skipped or 0)
        say(f"{summary(faults.found)}; {pairs.skipped} of {total:,} rows are left out")
        for fault in faults.found[:NAMED]:
            say(fault.sentence)


def scored_pairs(pairs: Pairs, options: CommandOptions) -> CorpusScore:
    """The ANLS* scores of the rows."""
    with progress_bars(("Scoring", len(pairs.ids))) as (scored,):
        return score_corpus(
            pairs,
            threshold=options["threshold"],
            ignore_case=not options["case_sensitive"],
            parse=options["parse"],
            missing=options["missing"],
            confidences=options["confidences"],
            scored=scored,
        )


def summary_of(scores: CorpusScore, options: CommandOptions, *, fields: bool) -> Summary:
    """Mean, interval, and if asked for fields and causes."""
    phases = [("Explaining", len(scores.ids))] if fields else []
    with progress_bars(*phases, ("Resampling", RESAMPLES)) as told:
        explained = told[0] if fields else bool
        return summarise(
            scores, fields=fields, confidence=options["confidence"], explained=explained, resampled=told[-1]
        )


def measured_of(scores: CorpusScore, options: CommandOptions) -> Measured:
    """The figures of the metrics that were asked for."""
    names = options["metrics"]
    with progress_bars(("Measuring", len(names) * len(scores.ids)), ("Resampling", RESAMPLES)) as (measured, resampled):
        return measure(
            scores,
            names,
            options=MetricOptions(options["normalise"], options["donut"], options["strict"]),
            confidence=options["confidence"],
            measured=measured,
            resampled=resampled,
        )


@contextmanager
def progress_bars(*phases: tuple[str, int]) -> Iterator[tuple[Callable[[int], object], ...]]:
    """Progress bars on the terminal's error stream, gone when done; a function that moves each."""
    if not sys.stderr.isatty():
        yield (bool,) * len(phases)
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield tuple(partial(bar.advance, bar.add_task(name, total=total)) for name, total in phases)
