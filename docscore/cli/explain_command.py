"""The command `docscore explain`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from docscore.cli.options import console, json_option, rules, two_files
from docscore.data.confidences import unwrapped
from docscore.data.faults import Faults
from docscore.data.files import read_table, read_value, suffix_of
from docscore.data.json_codec import dumps
from docscore.data.model_output import parse_text
from docscore.data.pairing import read_pairs
from docscore.data.rows import ID
from docscore.metrics.anls_star.api import score_tree
from docscore.metrics.kieval import kieval_score
from docscore.report.console import print_corrections, print_tree

_SOME = 3  # ids that a message names


@click.command()
@two_files
@rules
@click.option("--id", "question_id", help="The document; not needed where each file holds one JSON value.")
@click.option("--all", "everything", is_flag=True, help="Also show what is inside exact parts.")
@click.option(
    "--metric",
    type=click.Choice(["anls_star", "kieval"]),
    default="anls_star",
    show_default=True,
    help="The score tree of ANLS*, or the corrections that KIEval counts.",
)
@click.option("--normalise", is_flag=True, help="KIEval: ignore case and white space.")
@click.option("--confidences", is_flag=True, help='The prediction holds {"$value": ..., "$confidence": ...}.')
@click.option("--on-error", type=click.Choice(["error", "skip"]), default="error", help="As for `score`.")
@json_option
def explain_command(
    references: Path,
    predictions: Path,
    *,
    threshold: float,
    case_sensitive: bool,
    parse: str | None,
    question_id: str | None,
    everything: bool,
    metric: str,
    normalise: bool,
    confidences: bool,
    on_error: str,
    as_json: bool,
) -> None:
    """Show how the score of one document comes about.

    REFERENCES and PREDICTIONS are files as for `score`, with --id; or two .json files that hold one JSON value each.

    A line is a place: = exact, ≈ partial, ≠ wrong, − missing, + only in the prediction; its score; the points it costs
    of the 1.000 of the whole; what was expected → what was predicted.
    """
    truth, prediction = _one_pair(references, predictions, question_id, on_error)
    if parse and isinstance(prediction, str):
        parsed = parse_text(prediction, "json" if parse == "json" else "repair")
        prediction = parsed.value
        if parsed.failed or parsed.repaired:
            click.echo(
                f"The prediction was {'repaired' if parsed.repaired else 'no JSON and is scored as text'}.", err=True
            )
    if confidences:
        prediction, _ = unwrapped(prediction)
    if metric == "kieval":
        corrected = kieval_score(truth, prediction, normalise=normalise)
        if as_json:
            click.echo(dumps(corrected.to_dict()))
        else:
            print_corrections(console(), corrected)
        return
    tree = score_tree(truth, prediction, threshold=threshold, ignore_case=not case_sensitive)
    if as_json:
        click.echo(dumps(tree.to_dict()))
    else:
        print_tree(console(), tree, fold=not everything)


def _one_pair(references: Path, predictions: Path, question_id: str | None, on_error: str) -> tuple[Any, Any]:
    """The ground truth and the prediction to explain."""
    if question_id is None and suffix_of(references) == suffix_of(predictions) == ".json":
        values = read_value(references), read_value(predictions)
        if not any(_is_row(value) for value in values):
            return values
    faults = Faults(on_error)
    pairs = read_pairs(read_table(references, faults), read_table(predictions, faults), "zero", faults)
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
