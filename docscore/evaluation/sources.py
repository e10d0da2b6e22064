"""The shared path from files, lists and data frames to evaluations, for Python, the command and the page."""

from collections.abc import Mapping, Sequence
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

from docscore.core.errors import InputTypeError, InputValueError
from docscore.core.options import IOU, PAPER, THRESHOLD, CompareOptions, check_integer, read_and_compare_options
from docscore.core.runtime import Progress, progress_from
from docscore.evaluation.evaluation import Evaluation, evaluated
from docscore.evaluation.registry import checked_metrics, loaded_metrics, metrics_with_schema
from docscore.inputs.groups import Grouping
from docscore.inputs.reading import read_systems
from docscore.inputs.test_set import TestSet
from docscore.stats.intervals import CONFIDENCE, SEED


def metrics_for(metrics: Sequence[str] | None, options: CompareOptions) -> list[str]:
    """Return the names of the metrics to compute; raises the same errors as `docscore.evaluate`."""
    return checked_metrics(metrics_with_schema(metrics and loaded_metrics(metrics), options.schema), options)


def evaluations_of(
    systems: Mapping[str, TestSet],
    options: CompareOptions,
    metrics: Sequence[str],
    *,
    prices: Mapping[str, Sequence[float]] | None = None,
    slice_value: str | None = None,
    **settings: Any,
) -> dict[str, Evaluation]:
    """Issue the warnings of test sets that were just read, and return the evaluation of each system by its name.

    Args:
        systems: the test set of each system, by its name.
        options: how values are compared.
        metrics: the names of the metrics, as `metrics_for` returns them.
        prices: the price of a million tokens, by the name of a system.
        slice_value: the value of `by` that the rows must have; None for all rows.
        settings: other keywords of `Evaluation`.

    Raises:
        TypeError, ValueError: as for `docscore.evaluate`, and if no row has the value of `by`.
    """
    evaluations = {}
    for name, test_set in systems.items():
        price, *_ = (prices or {}).get(name, [None])
        evaluation = evaluated(test_set, options, metrics=metrics, token_price=price, **settings)
        evaluations[name] = evaluation if slice_value is None else evaluation.of_slice(slice_value)
    return evaluations


def evaluate(
    *positional: Any,
    predictions: Any = None,
    references: Any = None,
    metrics: str | Sequence[str] | None = None,
    parse: str | None = None,
    parse_references: str | None = None,
    missing: str = "error",
    on_error: str = "error",
    confidence: float | None = CONFIDENCE,
    seed: int = SEED,
    runs: bool = False,
    cluster: Grouping | None = None,
    by: Grouping | None = None,
    schema: Any = None,
    schema_by: str | None = None,
    comparators: Mapping[Any, Any] | None = None,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
    strict: bool = False,
    normalise: bool = False,
    donut: bool = False,
    with_confidences: bool = False,
    citations_from: str | None = None,
    iou: float = IOU,
    documents: Any = None,
    ignore_keys: str | Sequence[str] = (),
    absent_words: str | Sequence[str] = (),
    id_column: str | Sequence[str] | None = None,
    id_pattern: str | None = None,
    prediction_column: str | None = None,
    references_column: str | None = None,
    references_id_column: str | Sequence[str] | None = None,
    predictions_id_column: str | Sequence[str] | None = None,
    cost_column: str | None = None,
    seconds_column: str | None = None,
    tokens_column: str | None = None,
    token_price: float | None = None,
    fields_in_columns: bool = False,
    field_column: str | None = None,
    value_column: str | None = None,
    references_query: str | None = None,
    predictions_query: str | None = None,
    single_document: bool = False,
    answer_is_list: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    references_encoding: str | None = None,
    predictions_encoding: str | None = None,
    num_proc: int = 1,
    progress: bool | Progress | None = None,
) -> Evaluation:
    """Evaluate predictions against references: figures with intervals, fields, causes of lost points, score trees.

    Rows are read and paired at once, and stay in memory as long as the result exists. Scores, intervals and tables are
    computed on first access.

    Each side is one of these kinds of input:

    * a path: JSONL, JSON, CSV or Parquet, as for `docscore score`; a log of Inspect (`.eval`, `.json`); a folder with
      one file per document, `ID.json` or `ID.txt`;
    * a list of rows: `{"question_id", "prediction"}` and `{"question_id", "references": [acceptable answers]}`, or
      plain values in the same order on both sides;
    * a dict of values by id; a tuple in the references holds acceptable answers;
    * a pandas or polars data frame, an Arrow table or a `datasets.Dataset` with the columns of such rows.

    Args:
        positional: not allowed; each side is passed by name, so that the two cannot be exchanged.
        predictions: the predicted values.
        references: the ground truths; None if the rows of the predictions also have them, as in logs, or in one data
            frame with a column for each side.
        metrics: names among `docscore.METRICS`, or "module:Class" for your own metric. The first one is the primary
            metric, which the result explains. None for "anls_star", or with a schema for "typed" followed by
            "anls_star".
        parse: None, or "json" or "repair" to parse predictions that are text as JSON first.
        parse_references: None, or "json" or "repair" to parse references that are text as JSON first. A reference that
            can be repaired in several ways is an error.
        missing: what to do with a reference without a prediction: "error"; "zero" to score it as null (usually 0) and
            count it; or "skip" to leave it out and count it.
        on_error: what to do with invalid rows: "error", or "skip" to leave them out and count them.
        confidence: the confidence level of the intervals, between 0 and 1; None for no intervals.
        seed: the seed of the random numbers of the intervals.
        runs: whether `predictions` is a list of several sides, the runs of one system on the same documents. The score
            of a document is then its mean over the runs, and intervals resample documents with all their runs. Counts,
            such as the number of values or of documents with a field, include each run.
        cluster: a column of the references, or a function of the id, that names the cluster of each row. Use it if rows
            are not independent, such as several questions on one document.
        by: a column of the references, or a function of the id, whose values make slices.
        schema: a JSON Schema that says how each field compares: a dict, a path or a pydantic model class. The typed
            score is then computed too.
        schema_by: a column of the references whose value names the schema of each row in the folder `schema`
            (`VALUE.json`), as `docscore suggest-schema --by` writes it; None if the id names it.
        comparators: how fields or types compare, in addition to the schema or without a schema: `{"items[].sku":
            same_sku, float: "money"}`; the name of a comparator, its settings, or a function of two values that
            returns a number from 0 to 1.
        threshold: tau in [0, 1]; a text similarity below it counts as 0.
        ignore_case: whether texts are compared in lower case.
        rules: which values of a prediction count: "paper", or "anls_star-1.0.1" as in that version of anls_star.
        numbers: how numbers are compared: "text", as they print, or "value", so that 1000.0 equals 1000.
        strict: whether a similarity of exactly the threshold counts as 0 (ANLS).
        normalise: whether to ignore case and white space (KIEval, Entity F1).
        donut: whether to read documents as the evaluation of Donut reads them (Entity F1, nTED).
        with_confidences: whether predictions have confidences, from 0 to 1 or in percent: as
            `{"value": ..., "confidence": ...}`, or as a number or numbers in the structure of the prediction under
            "confidence", next to the fields or in the row. Only the values are scored.
        citations_from: the provider in whose form predictions have values and citations, such as "reducto", or the path
            of a JSON file that describes a form.
        iou: the lowest intersection over union at which a cited box is accepted (grounding).
        documents: the documents that values were read from: a folder with `ID.pdf`, `ID.hocr` or `ID.txt`, or a dict of
            texts by id. `result.breakdowns["found_in_documents"]` then shows which predicted values they contain. The
            report also takes page images from the folder, `ID.png` or `ID-1.png`.
        ignore_keys: keys to leave out of both sides, from the top level: `["model", "meta.tokens"]`.
        absent_words: texts that mean null on both sides, whatever their case: `["NOT_FOUND", "N/A"]`.
        id_column: the column or key of the ids, if it is not "question_id". Any column can be a path into the rows,
            such as "response.id", if no column has that name. The cells of several columns are joined: `["file",
            "page"]`. In JSON rows for which no other column is named, the rest of the row is the document.
        id_pattern: a regular expression with one group, the part of an id by which rows are paired, such as
            `"^scan_(.+)$"`. An id that does not match it stays unchanged.
        prediction_column: the column or key of the predictions, if it is not "prediction".
        references_column: the column or key of the ground truths, if it is not "references". A list in it holds
            acceptable answers; anything else is the one acceptable answer.
        references_id_column: the column of the ids of the references, if it differs from the column of the predictions.
        predictions_id_column: the column of the ids of the predictions.
        cost_column: the column or key of what each prediction cost, if it is not "cost"; `result.costs` has the sum.
        seconds_column: the column or key of the seconds each prediction took, if it is not "seconds".
        tokens_column: the column or key of the tokens each prediction took, if it is not "tokens".
        token_price: the price of a million tokens, for the cost of the predictions.
        fields_in_columns: whether rows without a column of predictions or ground truths have one column for each
            field. A name such as "items.0.price" is a path, and an empty cell of a table is null. Columns that other
            arguments name are not fields, except those of `by` and `cluster` that both sides have.
        field_column: the column of the paths, if each row is one field of a document.
        value_column: the column of the values of these fields. Rows of both sides have `references_column` and
            `prediction_column` instead.
        references_query: a JMESPath expression, applied to a JSON file or a dict, or to each row of JSONL or of a list.
            Its result is one row or a list of rows: `"results[].{question_id: id, references: [truth]}"`.
        predictions_query: the JMESPath expression for the predictions.
        single_document: whether a JSON file or a dict is one document, even if it looks like `{id: document}`.
        answer_is_list: whether a list in the column of the ground truths is a single acceptable answer.
        delimiter: the delimiter of CSV files; None to detect it from the header.
        encoding: the encoding of text files, a name that Python knows, such as "cp1252"; None for UTF-8.
        references_encoding: the encoding of the references, if the predictions have another one.
        predictions_encoding: the encoding of the predictions, if the references have another one.
        num_proc: the number of processes that read and score rows; several are faster for 10,000 rows or more.
            With the start method "spawn" the caller needs `if __name__ == "__main__":`.
        progress: True for progress bars, False for no bars, None for bars on a terminal; or a callback. It receives the
            name of a phase and its total, and returns a callback that receives the number of further units done.

    Returns:
        The result; `result.score` is the first figure, in [0, 1].

    Raises:
        TypeError: if an option or a side has a wrong type.
        ValueError: if an option is outside its range, or if rows cannot be read or paired; the message names the first
            five rows.
        OSError: if a file cannot be read.
        RuntimeError: if one of several processes dies, for example because memory is exhausted.

    >>> result = evaluate(
    ...     predictions=[{"question_id": "a", "prediction": {"date": "1 May", "total": "6.40"}}],
    ...     references=[{"question_id": "a", "references": [{"date": "1 May", "total": "6.40", "tip": "1.00"}]}],
    ... )
    >>> result.score
    0.6666666666666666
    >>> [(row["cause"], row["points_lost"]) for row in result.causes]
    [('missing field', 0.3333333333333333)]
    """
    given = dict(locals())
    if positional or predictions is None:
        raise InputTypeError(
            expected="docscore.evaluate(predictions=..., references=...), each side by its name",
            got=f"{len(positional)} by position" if positional else "no predictions",
        )
    reading, options = read_and_compare_options(given)
    chosen = metrics_for([metrics] if isinstance(metrics, str) else metrics, options)
    sides = _runs(predictions) if runs else [predictions]
    bars = progress_from(progress)
    systems = read_systems(
        references,
        {"": sides},
        reading,
        side_names=[f"run {number}" for number in range(1, len(sides) + 1)],
        num_proc=check_integer("num_proc", num_proc, 1),
        progress=bars,
    )
    [result] = evaluations_of(
        systems,
        options,
        chosen,
        prices={} if token_price is None else {"": [token_price]},
        confidence=confidence,
        seed=seed,
        documents=documents,
        num_proc=num_proc,
        progress=bars,
    ).values()
    result.recipe = _call(given)
    result.files = [Path(side).name for side in (references, *sides) if isinstance(side, str | PathLike)]
    return result


def _runs(predictions: Any) -> Sequence[Any]:
    """Return the runs of a system; raise `ValueError` if they are not a list of several runs."""
    if isinstance(predictions, list | tuple) and len(predictions) > 1:
        return predictions
    got = str(len(predictions)) if isinstance(predictions, list | tuple) else type(predictions).__name__
    raise InputValueError(place="predictions", expected="with runs=True a list of at least two runs", got=got)


def _call(given: Mapping[str, Any]) -> str:
    """Return the call of `evaluate` with these arguments; values other than numbers and texts appear as variables."""
    _, *parameters = signature(evaluate).parameters.values()
    texts = []
    for name, value in ((each.name, given[each.name]) for each in parameters if given[each.name] is not each.default):
        if isinstance(value, PathLike) or (name in _PATHS and isinstance(value, str)):
            texts.append(f"{name}={Path(value).name!r}")
        else:
            texts.append(f"{name}={value!r}" if isinstance(value, str | int | float) else f"{name}={name}")
    return f"docscore.evaluate({', '.join(texts)})"


_PATHS = ("predictions", "references", "schema", "documents")
