"""The command `docscore`: score a test set, explain one document."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import Progress

from docscore.corpus import CorpusScore, score_corpus
from docscore.files import named, read_sides, read_table, read_value
from docscore.jsontext import dumps
from docscore.outline import printable
from docscore.parsing import parse_text
from docscore.rows import ID, Pairs, pair_rows
from docscore.score import score_tree
from docscore.terminal import print_tree
from docscore.values import at_place, convert_ground_truth, convert_prediction
from docscore.version import VERSION

F = TypeVar("F", bound=Callable[..., Any])
_WORST = 10
_SOME = 3  # ids that a message names

_file = click.Path(path_type=Path)


def main() -> None:
    """The command; bad input is one line on the error stream and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows another
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        fault = _run()
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        click.echo(f"docscore: {printable(message)}", err=True)
    if fault:
        click.echo(f"docscore: {fault}", err=True)
        sys.exit(2)


def _run() -> str:
    """Run the command; what was wrong, in one line, or nothing."""
    try:
        commands.main(standalone_mode=False)
    except click.UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help; older versions print it themselves
            click.echo(error.format_message(), err=True)
            sys.exit(2)
        path = error.ctx.command_path if error.ctx else "docscore"
        return f"{printable(error.format_message())} ('{path} -h' for help)"
    except click.ClickException as error:
        return printable(error.format_message())
    except click.Abort:
        return "stopped"
    except OSError as error:
        return printable(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (TypeError, ValueError) as error:
        return printable(str(error))
    return ""


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


@click.group(name="docscore", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message="docscore %(version)s")
def commands() -> None:
    """ANLS* scores for document extraction, and where every point went."""


@commands.command()
@_shared
@click.option(
    "--missing",
    type=click.Choice(["error", "zero"]),
    default="error",
    show_default=True,
    help="A reference without a prediction: stop with an error, or score it as null.",
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
    files = _Files(references, predictions)
    pairs = files.pairs(missing)
    with _progress(len(pairs.ids)) as advance, files.faults_named():
        scored = score_corpus(
            pairs,
            threshold=threshold,
            ignore_case=not case_sensitive,
            parse=parse,
            missing=missing,
            scored=advance,
        )
    if as_json:
        click.echo(json.dumps(_as_json(scored, worst)))
        return
    _print_scores(scored, worst)
    if parse is None and _are_unread_texts(pairs):
        click.echo("docscore: all predictions are text; --parse json or --parse repair reads them as JSON", err=True)


@commands.command()
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
        click.echo(dumps(tree.to_dict()))
    else:
        print_tree(Console(highlight=False, markup=False, emoji=False), tree, fold=not everything)


class _Files:
    """A file of references and one of predictions."""

    def __init__(self, references: Path, predictions: Path) -> None:
        self.paths = references, predictions
        self.references, self.predictions = read_table(references), read_table(predictions)

    def pairs(self, missing: str) -> Pairs:
        """The rows in pairs."""
        with named(*self.paths):
            return pair_rows(*read_sides(*self.paths, self.references, self.predictions), missing)

    @contextmanager
    def faults_named(self) -> Iterator[None]:
        """Say in which file and line a value is that cannot be scored."""
        try:
            yield
        except (TypeError, ValueError) as error:
            sides = ((self.references, convert_ground_truth, "references"), (self.predictions, convert_prediction, ""))
            for table, convert, key in sides:
                for index, row in enumerate(table.rows):
                    answers = row.get(key, row.get("prediction", row)) if isinstance(row, dict) else row
                    try:
                        convert(tuple(answers) if key and isinstance(answers, list) else answers, {})
                    except (TypeError, ValueError) as fault:
                        raise at_place(table.where(index), fault) from None
            raise error from None


def _one_pair(references: Path, predictions: Path, question_id: str | None) -> tuple[Any, Any]:
    """The ground truth and the prediction to explain."""
    if question_id is None and references.suffix.lower() == predictions.suffix.lower() == ".json":
        values = read_value(references), read_value(predictions)
        if not any(_is_row(value) for value in values):
            return values
    pairs = _Files(references, predictions).pairs("zero")
    if question_id is None and len(pairs.ids) == 1:
        question_id = pairs.ids[0]
    if question_id not in pairs.ids:
        some = ", ".join(pairs.ids[:_SOME]) + (", ..." if len(pairs.ids) > _SOME else "")
        got = "no --id" if question_id is None else f"--id {question_id}"
        msg = f"{references}: expected --id with one of the {len(pairs.ids)} ids ({some}), got {got}"
        raise ValueError(msg)
    index = pairs.ids.index(question_id)
    return pairs.truths[index], pairs.predictions[index]


def _is_row(value: Any) -> bool:
    """Whether it is a list of rows with ids."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and ID in value[0]


def _are_unread_texts(pairs: Pairs) -> bool:
    """Whether all predictions are text where objects are expected."""
    answers = [truth[0] if isinstance(truth, tuple) else truth for truth in pairs.truths]
    if not all(isinstance(each, str) for each in pairs.predictions):
        return False
    return all(isinstance(each, dict) for each in answers)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], object]]:
    """A progress bar on the terminal's error stream, gone when done."""
    console = Console(stderr=True)
    if not sys.stderr.isatty():
        yield bool
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("Scoring", total=total)
        yield partial(bar.advance, task)


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
    click.echo(f"ANLS*  {scored.mean:.6f}  mean of {len(scored.ids):,} row{'s' * (len(scored.ids) != 1)}")
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
