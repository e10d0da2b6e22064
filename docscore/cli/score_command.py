"""The command `docscore score`."""

from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    Command,
    Number,
    by_option,
    comparing_options,
    documents_option,
    ending,
    evaluations_of_files,
    gate_of,
    json_option,
    metric_options,
    rows_option,
    slice_option,
    stdout_console,
    test_set_options,
    together,
    two_files,
    worst_option,
)
from docscore.cli.terminal import print_json
from docscore.evaluation.comparison import decide_level
from docscore.report.console import print_evaluation, print_gate


@click.command(
    name="score",
    cls=Command,
    epilog=ending(
        "docscore score references.jsonl predictions.jsonl --fields",
        failing="--fail-under: the primary metric is below SCORE",
        undecided="--fail-under cannot be decided",
    ),
)
@two_files
@click.option("--fields", is_flag=True, help="Also show the score of each field and the causes of lost points.")
@click.option(
    "--fail-under",
    type=Number(min=0, max=1, min_open=True),
    metavar="SCORE",
    help="Exit with status 1 if the primary metric is below SCORE.",
)
@click.option(
    "--beyond-chance",
    is_flag=True,
    help="With --fail-under: exit with status 1 only if the upper end of the interval is below SCORE.",
)
@worst_option
@together(metric_options, comparing_options, test_set_options, by_option, slice_option, documents_option)
@json_option
@rows_option
def score_command(
    references: Path | None,
    predictions: Path,
    *,
    fields: bool,
    worst: int,
    fail_under: float | None,
    beyond_chance: bool,
    as_json: bool,
    with_rows: bool,
    **shared: Any,
) -> int:
    """Score PREDICTIONS against the ground truths in REFERENCES.

    Both are JSONL, JSON, CSV or Parquet files, also compressed (.jsonl.gz). REFERENCES has rows {"question_id",
    "references": [acceptable answers]}, PREDICTIONS has rows {"question_id", "prediction"}, in any order. Plain values
    are paired by position. If one file holds both sides, such as a log, pass only that file.
    """
    if beyond_chance and fail_under is None:
        click.get_current_context().fail("--beyond-chance needs --fail-under")
    (evaluation,) = evaluations_of_files(references, [predictions], shared)
    # compute the figures now, while progress is shown
    _ = evaluation.measured, evaluation.slice_figures, evaluation.score_by_value, fields and evaluation.rates
    interval = evaluation.measured[0].interval if beyond_chance else None
    gate = undecided = None
    if fail_under is not None:
        gate, undecided = gate_of(decide_level, evaluation, fail_under, interval)
    if as_json:
        decision = {} if gate is None else {"gate": gate.to_dict()}
        print_json("score", {**evaluation.to_dict(fields=fields, worst=worst, rows=with_rows), **decision})
    else:
        print_evaluation(stdout_console(), evaluation, fields=fields, worst=worst)
        if gate is not None:
            print_gate(stdout_console(), gate.sentence)
    if undecided is not None:
        raise undecided
    return 1 if gate and gate.failed else 0
