"""The command `docscore explain`."""

import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    Command,
    column_options,
    comparing_options,
    ending,
    json_option,
    on_error_option,
    options_named,
    options_of,
    stdout_console,
    together,
    two_files,
)
from docscore.cli.terminal import print_json
from docscore.core.errors import InputError, InputValueError, in_file, some_of
from docscore.core.options import ReadOptions
from docscore.core.values import convert_ground_truth, convert_prediction, to_json
from docscore.evaluation.evaluation import evaluate_rows
from docscore.evaluation.registry import (
    ANLS_STAR,
    METRICS,
    TYPED,
    has_tree,
    loaded_metrics,
    metrics_with_schema,
)
from docscore.evaluation.sentences import READING_WORDS
from docscore.inputs.formats import read_value, suffix_of
from docscore.inputs.pairing import rows_of_sides
from docscore.inputs.rows import ID
from docscore.inputs.test_set import TestSet
from docscore.metrics.annotations import folded_tree
from docscore.report.console import print_annotations, print_explained_figures, print_tree


class _Metric(click.Choice[str]):
    """The metrics, or your own metric by its module and class; the module may be in the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if ":" not in value:
            return super().convert(value, param, ctx)
        sys.path += [str(Path.cwd())]
        return loaded_metrics([value])[0]


@click.command(
    name="explain",
    cls=Command,
    epilog=ending("docscore explain references.jsonl predictions.jsonl --id receipt-018"),
)
@two_files
@click.option(
    "--id", "question_id", metavar="ID", help="Id of the row. Not needed if each file holds one JSON value or row."
)
@click.option("--all", "everything", is_flag=True, help="Show all lines, also in exact objects and lists.")
@click.option(
    "--fold", is_flag=True, help="Fold siblings into one line if they lose points for the same cause or are all exact."
)
@click.option(
    "--metric",
    type=_Metric([ANLS_STAR, TYPED, "kieval", "entity_f1", "nted", "grounding"]),
    help="Metric to explain, or module:Class. The tree of grounding shows where values are cited. Metrics without a "
    "tree, such as kieval, entity_f1 and nted, show their figures above the tree of the default metric.  "
    f"[default: {ANLS_STAR}; typed with --schema]",
)
@together(
    options_named("schema", "schema_by", "normalise", "iou"),
    comparing_options,
    column_options,
    on_error_option,
    options_named("with_confidences", "citations_from"),
)
@json_option
def explain_command(
    references: Path | None,
    predictions: Path,
    *,
    question_id: str | None,
    everything: bool,
    fold: bool,
    metric: str | None,
    as_json: bool,
    **shared: Any,
) -> None:
    """Show how the score of one row is computed.

    REFERENCES and PREDICTIONS are files as for `score`, from which --id chooses a row, or .json files that hold one
    value each.

    Each line shows a value, an object or a list: its status (= exact, ≈ partial, ≠ wrong, − missing, + only in the
    prediction), its score, the points it loses of the row's 1.000, and the expected → predicted value. Annotations
    below the tree point out swapped values, values that differ only in notation, and groups of equal losses.
    """
    reading, options = options_of(shared)
    metric = metric or (ANLS_STAR if options.schema is None else TYPED)
    pairs = _one_row(references, predictions, question_id, reading)
    needs_tree = not has_tree(METRICS[metric])
    metrics = metrics_with_schema([metric], options.schema) if needs_tree else [metric]
    rows = evaluate_rows(pairs, reading, options, metrics=metrics, confidence=None, is_full=False)
    for parsed in rows.test_set.readings.values():
        if parsed.outcome != "exact":
            note = f" ({parsed.note})" if parsed.note else ""
            click.echo(f"The prediction was {READING_WORDS[parsed.outcome]}{note}.", err=True)
    row = rows.row(0)
    if metric == "kieval" and as_json:
        print_json("corrections", to_json(rows.scorer.row_points(row.for_metrics, options).to_dict()))
        return
    if as_json:
        parts = row.to_dict()
        figures = (
            {"figures": {name.key: rows.figures[name.key] for name in rows.metric_scores[metric].names}}
            if needs_tree
            else {}
        )
        print_json("explain", {**to_json(parts["tree"]), "annotations": parts["annotations"], **figures})
    else:
        console = stdout_console()
        print_explained_figures(console, rows)
        if row.tree_note:
            click.echo(row.tree_note, err=True)
        print_tree(console, folded_tree(row.tree) if fold else row.tree, fold=not everything)
        print_annotations(console, row.annotations)


def _one_row(references: Path | None, predictions: Path, question_id: str | None, reading: ReadOptions) -> TestSet:
    """Return the row to explain. Its id is "" if the files hold one value each."""
    is_queried = reading.references_query is not None or reading.predictions_query is not None
    are_json = references is not None and suffix_of(references) == suffix_of(predictions) == ".json"
    if question_id is None and references and are_json and not is_queried:
        values = read_value(references), read_value(predictions)
        firsts = [value[0] for value in values if isinstance(value, list) and value]
        if not any(isinstance(first, dict) and ID in first for first in firsts):
            return TestSet([""], [convert_ground_truth(values[0])], [convert_prediction(values[1])])
    pairs = _pairs(references, predictions, question_id, reading)
    if question_id is None and len(pairs.ids) == 1:
        question_id = pairs.ids[0]
    if question_id not in pairs.ids:
        raise InputValueError(
            place=in_file(references or predictions),
            expected=f"--id with one of {some_of(pairs.ids)}",
            got="no --id" if question_id is None else f"--id {question_id}",
        )
    return pairs.only([pairs.ids.index(question_id)])


def _pairs(references: Path | None, predictions: Path, question_id: str | None, reading: ReadOptions) -> TestSet:
    """Read the rows. Errors of rows other than the one to explain are ignored."""
    with_absent = replace(reading, missing="zero")
    if question_id is not None:
        with suppress(InputError):
            [pairs] = rows_of_sides(references, [predictions], replace(with_absent, on_error="skip"))
            if question_id in pairs.ids and pairs.ids.index(question_id) not in pairs.absent:
                return pairs
    [pairs] = rows_of_sides(references, [predictions], with_absent)
    return pairs
