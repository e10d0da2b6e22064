"""The command `docscore`: score a test set, explain one document."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import track

from docscore.corpus import CorpusScore, PairIterator, score_corpus
from docscore.files import Table, read_table, read_value
from docscore.outline import printable
from docscore.parsing import parse_text
from docscore.rows import Pairs, pair_rows, read_predictions, read_references, row_format
from docscore.score import score_tree
from docscore.terminal import print_tree
from docscore.version import VERSION

F = TypeVar("F", bound=Callable[..., Any])
_WORST = 10

_file = click.Path(exists=True, dir_okay=False, path_type=Path)


class _Group(click.Group):
    """Turns bad input into one line and exit status 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (TypeError, ValueError, OSError) as error:
            click.echo(f"docscore: {printable(str(error))}", err=True)
            ctx.exit(2)


def _shared(command: F) -> F:
    """What `score` and `explain` have in common."""
    for decorator in (
        click.option("--parse", type=click.Choice(["json", "repair"]), help="Read text predictions as JSON first."),
        click.option("--case-sensitive", is_flag=True, help="Compare texts as they are, not in lower case."),
        click.option(
            "--threshold", type=float, default=0.5, show_default=True, help="Similarities below it count as 0."
        ),
        click.argument("predictions", type=_file),
        click.argument("references", type=_file),
    ):
        command = decorator(command)
    return command


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message="docscore %(version)s")
def main() -> None:
    """ANLS* scores for document extraction, and where every point went."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows another


@main.command()
@_shared
@click.option(
    "--missing",
    type=click.Choice(["error", "zero"]),
    default="error",
    show_default=True,
    help="What a reference without a prediction is.",
)
@click.option("--worst", type=click.IntRange(min=0), default=_WORST, show_default=True, help="How many rows to list.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with the score of every row.")
def score(
    references: Path,
    predictions: Path,
    threshold: float,
    case_sensitive: bool,
    parse: str | None,
    missing: str,
    worst: int,
    as_json: bool,
) -> None:
    """Score PREDICTIONS against REFERENCES, both JSONL, JSON, CSV or Parquet.

    Rows are {"question_id", "prediction"} and {"question_id", "references": [acceptable answers]}, in any order; or
    {"question_id", "prediction_text"} and {"question_id", "answers"}; or plain values in the same order.
    """
    pairs = _read_pairs(references, predictions, missing)
    scored = score_corpus(
        pairs,
        threshold=threshold,
        ignore_case=not case_sensitive,
        parse=parse,
        missing=missing,
        watch=lambda iterator: _progress(iterator, len(pairs.ids)),
    )
    if as_json:
        click.echo(json.dumps(_as_json(scored, worst)))
    else:
        _print_scores(scored, worst)


@main.command()
@_shared
@click.option("--id", "question_id", help="The document; not needed where each file holds one JSON value.")
@click.option("--all", "everything", is_flag=True, help="Also show what is inside exact parts.")
@click.option("--json", "as_json", is_flag=True, help="Print the tree as one JSON object.")
def explain(
    references: Path,
    predictions: Path,
    threshold: float,
    case_sensitive: bool,
    parse: str | None,
    question_id: str | None,
    everything: bool,
    as_json: bool,
) -> None:
    """Show how the score of one document comes about.

    REFERENCES and PREDICTIONS are files as for `score`, with --id; or two .json files that hold one JSON value each.

    A line is a place: = exact, ≈ partial, ≠ wrong, − missing, + only in the prediction; its score; the points it costs
    of the 1.000 of the whole; what was expected → what was predicted.
    """
    truth, prediction = _one_pair(references, predictions, question_id)
    if parse and isinstance(prediction, str):
        parsed = parse_text(prediction, "json" if parse == "json" else "repair")
        prediction = parsed.value
        if parsed.failed or parsed.repaired:
            click.echo(
                f"The prediction was {'repaired' if parsed.repaired else 'no JSON and is scored as text'}.", err=True
            )
    tree = score_tree(truth, prediction, threshold=threshold, ignore_case=not case_sensitive)
    if as_json:
        click.echo(json.dumps(tree.to_dict()))
    else:
        print_tree(Console(highlight=False, markup=False, emoji=False), tree, fold=not everything)


def _read_pairs(references: Path, predictions: Path, missing: str = "error") -> Pairs:
    theirs, ours = read_table(references), read_table(predictions)
    return _paired(theirs, ours, missing, references, predictions)


def _paired(theirs: Table, ours: Table, missing: str, references: Path, predictions: Path) -> Pairs:
    try:
        form = row_format(ours.rows, theirs.rows)
        return pair_rows(
            read_predictions(ours.rows, form, ours.where), read_references(theirs.rows, form, theirs.where), missing
        )
    except ValueError as error:
        names = (str(references), str(predictions))
        known = any(name in str(error) for name in names)
        raise ValueError(str(error) if known else f"{' and '.join(names)}: {error}") from None


def _one_pair(references: Path, predictions: Path, question_id: str | None) -> tuple[Any, Any]:
    """The ground truth and the prediction to explain."""
    if question_id is None and references.suffix.lower() == predictions.suffix.lower() == ".json":
        return read_value(references), read_value(predictions)
    pairs = _read_pairs(references, predictions, "zero")
    if question_id is None and len(pairs.ids) == 1:
        question_id = pairs.ids[0]
    if question_id not in pairs.ids:
        some = ", ".join(pairs.ids[:3]) + (", ..." if len(pairs.ids) > 3 else "")  # noqa: PLR2004
        got = "no --id" if question_id is None else f"--id {question_id}"
        msg = f"{references}: expected --id with one of the {len(pairs.ids)} ids ({some}), got {got}"
        raise ValueError(msg)
    index = pairs.ids.index(question_id)
    return pairs.truths[index], pairs.predictions[index]


def _progress(pairs: PairIterator, total: int) -> PairIterator:
    """A progress bar on the terminal's error stream, gone when done."""
    console = Console(stderr=True)
    return track(pairs, "Scoring", total=total, console=console, transient=True, disable=not console.is_terminal)


def _as_json(scored: CorpusScore, worst: int) -> dict[str, Any]:
    return {
        "anls_score": scored.mean,
        "rows": len(scored.ids),
        **scored.counts(),
        "signature": scored.signature,
        "worst": scored.worst(worst),
        "per_sample": scored.samples(),
    }


def _print_scores(scored: CorpusScore, worst: int) -> None:
    click.echo(f"ANLS*  {scored.mean:.6f}  mean of {len(scored.ids):,} rows")
    names = {
        "missing": "predictions missing, scored as null",
        "parse_failures": "predictions that could not be parsed, scored as text",
        "parse_repaired": "predictions repaired",
    }
    for name, count in scored.counts().items():
        click.echo(f"{count:,} {names[name]}")
    lowest = scored.worst(worst)
    if lowest:
        click.echo("\nLowest scores")
        for sample in lowest:
            click.echo(f"  {sample['anls_score']:.3f}  {printable(sample['question_id'])}")
    click.echo(f"\n{scored.signature}")
