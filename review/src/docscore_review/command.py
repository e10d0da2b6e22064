"""The commands `docscore review …`, which decide whether ground truth or prediction is wrong."""

from pathlib import Path
from textwrap import fill
from typing import Any

import click

from docscore.cli.options import (
    COUNT,
    Command,
    a_file,
    comparing_options,
    documents_option,
    ending,
    evaluations_of_files,
    json_option,
    metric_options,
    split_names,
    stdout_console,
    test_set_options,
    together,
)
from docscore.cli.table_command import named_files, names_of_systems
from docscore.cli.terminal import print_json, say
from docscore.core.errors import InputValueError, in_file
from docscore.core.formatting import counted
from docscore.core.output import check_other_file, check_output
from docscore.evaluation.evaluation import Evaluation
from docscore.inputs.rows import NoCell
from docscore.report.console import print_table
from docscore_review.verdicts import Review, corrections_table, review_of

Files = list[tuple[str, Path]]

_OF_REVIEWS = (
    "documents",
    "text_column",
    "verdicts",
    "hold_out",
    "same",
    "sample",
    "agreements",
    "of",
    "seed",
)  # options of the review, not of scoring
_scoring = together(metric_options, comparing_options, test_set_options)


@click.group(name="review")
def review_command() -> None:
    """Find errors in ground truths with the predictions of systems, correct them, and estimate their cost in points."""


@review_command.command(
    name="list",
    cls=Command,
    common=["documents"],
    short_help="List where predictions differ from the ground truths.",
    epilog=ending(
        "docscore review list references.jsonl systems/*.jsonl -o review.jsonl",
        where="in examples/review",
    ),
)
@click.argument("references", type=a_file)
@click.argument("systems", nargs=-1, required=True, callback=named_files, metavar="[NAME=]PREDICTIONS...")
@documents_option
@click.option("--text-column", metavar="COLUMN", help="Column of the ground truths with the text of each document.")
@click.option(
    "--verdicts",
    type=a_file,
    multiple=True,
    metavar="FILE",
    help="Review with verdicts to carry over to places with the same path and values. Can be repeated.",
)
@click.option(
    "--hold-out",
    multiple=True,
    metavar="NAME",
    help="System whose predictions are not proposed as corrections. Can be repeated.",
)
@click.option("--same", callback=split_names, metavar="NAMES", help="Systems that count as one, separated by commas.")
@click.option(
    "--sample",
    type=COUNT,
    default=0,
    metavar="N",
    help="Sample N places of one system by the points that it loses there, for `docscore review estimate`.",
)
@click.option(
    "--agreements",
    type=COUNT,
    default=0,
    metavar="N",
    help="With --sample: also sample N places where the system earns all points. Only these show errors of both sides.",
)
@click.option("--of", metavar="NAME", help="With --sample: the system to sample.  [default: the first]")
@click.option("--seed", type=COUNT, default=0, show_default=True, help="Seed of the sample.")
@click.option(
    "-o", "--output", type=a_file, metavar="FILE", help="Write all places to FILE (.jsonl), to add verdicts to them."
)
@_scoring
@json_option
def list_command(
    references: Path,
    *,
    systems: Files,
    output: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """List the places where PREDICTIONS differ from REFERENCES, most likely errors of the ground truth first.

    Files of the same NAME are runs of one system, as for `docscore table`. Places where most systems agree on another
    value come first. If several places of a document are similar, all but the first of them come last.

    Add a verdict to each place of the output: ground_truth, prediction, both, other (with "value") or unclear. With
    "for": "group", the verdict applies to all similar places of the document that have no verdict. Without --output,
    the command prints the groups and the first places.
    """
    if output is not None:
        check_output(output, [".jsonl"])
        check_other_file(output, [references, *(path for _, path in systems), *options["verdicts"]])
        _check_no_verdicts(output)
    settings = {name: options.pop(name) for name in _OF_REVIEWS}
    review = review_of(_evaluated(references, systems, options), **settings)
    if output is not None:
        Review.read(review.write(output))  # raise now for a file that `check` and `apply` would refuse
        for line in (*review.left_out_lines, *review.notes):
            say(line)
        decisions = counted(review.decisions, "decision")
        say(f"wrote {output}: {counted(len(review.lines), 'place')}, {decisions} (one for each document and group)")
    if as_json:
        parts = {"items": [item.to_dict() for item in review.lines], "groups": list(review.groups)}
        left_out = [{"system": name, "predictions": n, "points": lost} for name, (n, lost) in review.left_out.items()]
        without_text, carried = (
            dict(zip(("count", "of"), each, strict=True)) for each in (review.without_text[:2], review.carried)
        )
        print_json("review", {**parts, "left_out": left_out, "without_text": without_text, "carried": carried})
    elif output is None:
        console = stdout_console()
        for table in review.tables:
            print_table(console, table)
        for footnote in review.footnotes:
            click.echo(f"\n{footnote}")


def _check_no_verdicts(path: Path, *, may_be_other: bool = False) -> None:
    """Raise `ValueError` if the file has verdicts or notes, which are somebody's work, or is not a review."""
    try:
        lines = Review.read(path).lines if path.exists() else []
        decided = sum(item.verdict is not None or bool(item.note) or item.value is not NoCell for item in lines)
        got = f"a review with {counted(decided, 'verdict')}" if decided else ""
    except ValueError:
        got = "" if may_be_other else "another file"
    if got:
        raise InputValueError(place=in_file(path), expected="a review without verdicts, or a new file", got=got)


@review_command.command(
    name="apply",
    cls=Command,
    short_help="Correct ground truths by the verdicts.",
    epilog=ending(
        "docscore review apply decided.jsonl references.jsonl systems/*.jsonl -o corrected.jsonl",
        where="in examples/review",
    ),
)
@click.argument("review", type=a_file)
@click.argument("references", type=a_file)
@click.argument("systems", nargs=-1, callback=named_files, metavar="[[NAME=]PREDICTIONS...]")
@click.option(
    "-o",
    "--output",
    type=a_file,
    metavar="FILE",
    required=True,
    help="Write the corrected ground truths to FILE, in the format of REFERENCES or as .jsonl.",
)
@_scoring
@json_option
def apply_command(
    review: Path, references: Path, *, systems: Files, output: Path, as_json: bool, **shared: Any
) -> None:
    """Correct REFERENCES by the verdicts in REVIEW: apply all of them, or none.

    The file of references is not changed. Nothing is written if a ground truth has changed since the review, for
    example because it is already corrected. With PREDICTIONS, the command prints the score of each system before and
    after the correction. Include systems that made no proposals: corrections should not favour only those that did.
    """
    check_other_file(output, [review, *(path for _, path in systems)])
    _check_no_verdicts(output, may_be_other=True)
    read = Review.read(review)
    before = _evaluated(references, systems, shared)
    read.apply(references, output, **shared)
    after = _evaluated(output, systems, shared)
    say(f"wrote {output}; {_verdict_counts(read)}")
    table = corrections_table(before, after)
    if as_json:
        print_json("review", {"verdicts": read.counts, "systems": list(table), "order": list(table.footnotes)})
    elif table:
        print_table(stdout_console(), table)


@review_command.command(
    name="check",
    cls=Command,
    short_help="Check that the verdicts can be applied.",
    epilog=ending("docscore review check decided.jsonl references.jsonl", where="in examples/review"),
)
@click.argument("review", type=a_file)
@click.argument("references", type=a_file)
@_scoring
def check_command(review: Path, references: Path, **shared: Any) -> None:
    """Check REVIEW, with or without verdicts, and list what `docscore review apply` would refuse for REFERENCES."""
    read = Review.read(review)
    read.check(references, **shared)
    documents = counted(len({item.question_id for item in read.lines}), "document")
    click.echo(f"Can be applied: {counted(len(read.lines), 'place')} in {documents}; {_verdict_counts(read)}")


@review_command.command(
    name="estimate",
    cls=Command,
    short_help="Estimate how much of a loss is due to wrong ground truths.",
    epilog=ending("docscore review estimate sample_decided.jsonl", where="in examples/review"),
)
@click.argument("review", type=a_file)
@json_option
def estimate_command(review: Path, *, as_json: bool) -> None:
    """Estimate from the verdicts in REVIEW how much of a system's loss correct ground truths would recover.

    REVIEW is a file that `docscore review list --sample` wrote, with a verdict for each place.
    """
    estimate = Review.read(review).estimate()
    if as_json:
        print_json("review", {"estimate": estimate._asdict()})
    else:
        click.echo("\n".join(fill(line, 80) for line in str(estimate).splitlines()))


@review_command.command(
    name="agreement",
    cls=Command,
    short_help="Compare the verdicts of two readers.",
    epilog=ending("docscore review agreement decided.jsonl second_reader.jsonl", where="in examples/review"),
)
@click.argument("first", type=a_file)
@click.argument("second", type=a_file)
@json_option
def agreement_command(first: Path, second: Path, *, as_json: bool) -> None:
    """Print Cohen's kappa of the verdicts in FIRST and SECOND, two copies of one list, and where the verdicts differ.

    The interval treats documents as clusters.
    """
    agreement = Review.read(first).agreement(Review.read(second))
    if as_json:
        low, high = agreement.interval.ends or (None, None)
        numbers = {name: getattr(agreement, name) for name in ("decided", "open", "same", "documents", "kappa")}
        differing = [[item.to_dict() for item in pair] for pair in agreement.differing]
        parts = {**numbers, "low": low, "high": high, "interval_note": agreement.interval.note, "differing": differing}
        print_json("review", {"agreement": parts})
        return
    click.echo(fill(str(agreement), 80))
    if agreement.differing:
        print_table(stdout_console(), agreement.table)


def _verdict_counts(review: Review) -> str:
    """Return how many places have each verdict, in words."""
    counts = [f"{count:,} {name}" for name, count in review.counts.items() if count]
    return ", ".join(counts) or "no verdicts"


def _evaluated(references: Path, systems: Files, shared: dict[str, Any]) -> dict[str, Evaluation]:
    """Evaluate the systems, by name."""
    if not systems:
        return {}
    names = names_of_systems(systems, are_logs=False)
    evaluations = evaluations_of_files(references, [path for _, path in systems], shared, names)
    return dict(zip(dict.fromkeys(names), evaluations, strict=True))
