"""The command `docscore compare`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    WORST,
    CommandOptions,
    a_file,
    console,
    json_option,
    progress_bars,
    rules,
    say_skipped,
    scored_pairs,
    test_set,
)
from docscore.corpus.comparison import compare, decide
from docscore.corpus.summary import analyse
from docscore.data.faults import Faults
from docscore.data.files import read_table
from docscore.data.pairing import Pairs, common_rows, read_pairs
from docscore.report.console import print_comparison
from docscore.report.tables import comparison_as_markdown
from docscore.stats.intervals import RESAMPLES

references_option = click.option("--references", type=a_file, required=True, help="The ground truths of all.")


def _margin(_context: click.Context, _parameter: click.Parameter, value: float | None) -> float | None:
    """A margin that is a number."""
    if value is not None and not math.isfinite(value):
        msg = f"expected a number of at least 0, got {value}"
        raise click.BadParameter(msg)
    return value


@click.command(short_help="Compare two systems on the same documents.")
@click.argument("base", type=a_file)
@click.argument("new", type=a_file)
@references_option
@rules
@test_set
@click.option(
    "--fail-below",
    type=click.FloatRange(min=0),
    callback=_margin,
    metavar="MARGIN",
    help="Exit with status 1 if NEW is worse than BASE by more than this, with the stated confidence.",
)
@click.option("--changes", type=click.IntRange(min=0), default=WORST, show_default=True, help="How many to list.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown, for a comment on a pull request.")
@json_option
def compare_command(
    base: Path,
    new: Path,
    *,
    references: Path,
    fail_below: float | None,
    changes: int,
    as_markdown: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Compare the predictions BASE and NEW on the same documents.

    Files and rows are as for `score`. Says by how much the mean differs, with an interval that is paired by document,
    whether that could be chance (a paired permutation test), which documents got better and worse, and the same for
    each field, with q-values that allow for the number of fields (Benjamini-Hochberg).
    """
    if as_markdown and as_json:
        raise click.UsageError("expected --markdown or --json, got both", click.get_current_context())  # noqa: TRY003, EM101
    scored = [scored_pairs(side, options) for side in sides_of_systems(references, [base, new], options)]
    total = len(scored[0].ids)
    with progress_bars(("Explaining", 2 * total), ("Resampling", 2 * RESAMPLES)) as (explained, resampled):
        analyses = [analyse(each, explained) for each in scored]
        found = compare(*analyses, confidence=options["confidence"], resampled=resampled)
    gate = None if fail_below is None else decide(found, fail_below)
    if as_json:
        click.echo(json.dumps({**found.to_dict(), "gate": gate and gate.to_dict()}))
    elif as_markdown:
        click.echo(comparison_as_markdown(found, gate, changes))
    else:
        print_comparison(console(), found, gate, changes)
    return 1 if gate and gate.failed else 0


def sides_of_systems(references: Path, predictions: list[Path], options: CommandOptions) -> list[Pairs]:
    """The rows of each file of predictions; where faults are skipped, those that all have."""
    truths = read_table(references, faults := Faults(options["on_error"]))
    sides = [read_pairs(truths, read_table(each, faults), options["missing"], faults) for each in predictions]
    if faults.skip:
        for number in range(1, len(sides)):
            sides[0], _ = common_rows(sides[0], sides[number])
        sides = [sides[0], *(common_rows(sides[0], side)[1] for side in sides[1:])]
    say_skipped(sides[0], faults)
    return sides
