"""The function `evaluate`: predictions against references, wherever they are, with progress bars."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from docscore.core.errors import InputTypeError
from docscore.core.options import PAPER, THRESHOLD, ScoringOptions
from docscore.core.progress import READING, Advance, Progress, no_progress
from docscore.corpus.evaluation import ANLS_STAR, Evaluation, FileRows, metrics_with_schema, rows_of_tables
from docscore.data.columns import Grouping
from docscore.data.faults import Faults
from docscore.data.files import ColumnNames, table_of_source
from docscore.data.pairing import warn_of_documents
from docscore.integrations.log_files import read_logs_of_inspect
from docscore.results.result import EvaluationResult
from docscore.stats.intervals import CONFIDENCE, SEED

_OPTIONS = [field.name for field in fields(ScoringOptions)]  # each is a keyword of `evaluate`


_DELAY = 0.5  # seconds before a bar is shown that nobody asked for


def evaluate(
    *,
    predictions: Any,
    references: Any = None,
    metrics: str | Sequence[str] = (ANLS_STAR,),
    parse: str | None = None,
    parse_references: str | None = None,
    missing: str = "error",
    on_error: str = "error",
    confidence: float | None = CONFIDENCE,
    seed: int = SEED,
    cluster: Grouping | None = None,
    by: Grouping | None = None,
    schema: Any = None,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
    strict: bool = False,
    normalise: bool = False,
    donut: bool = False,
    with_confidences: bool = False,
    id_column: str | None = None,
    prediction_column: str | None = None,
    references_column: str | None = None,
    progress: bool | Progress | None = None,
) -> EvaluationResult:
    """Evaluate predictions against references: figures with intervals, fields, causes of lost points, score trees.

    Rows are read and paired at once, and stay in memory for as long as the result lives. Scores, intervals and tables
    are computed when they are first looked at.

    Each side is one of these:

    * a path: JSONL, JSON, CSV or Parquet, as for `docscore score`; a log of Inspect (`.eval`, `.json`);
    * a list of rows: `{"question_id", "prediction"}` and `{"question_id", "references": [acceptable answers]}`, or
      plain values in the same order on both sides;
    * a dict of values by id; a tuple in the references holds acceptable answers;
    * a pandas or polars data frame, an Arrow table or a `datasets.Dataset` with the columns of such rows.

    Args:
        predictions: what was predicted.
        references: the ground truths; None where the rows of the predictions hold them too, as those of logs and of one
            data frame with a column of each.
        metrics: names among `docscore.METRICS`; `score` and `interval` are those of the first.
        parse: None, or "json" or "repair" to read predictions that are text as JSON first.
        parse_references: None, or "json" to read references that are text as JSON first.
        missing: a reference without a prediction: "error"; "zero" to score it as null and count it; or "skip" to leave
            it out and count it.
        on_error: rows with faults: "error", or "skip" to leave them out and count them.
        confidence: the level of the intervals, between 0 and 1; None for none.
        seed: the seed of the random numbers of the intervals.
        cluster: a column of the references, or a function of the id, that names the cluster of each row, where rows are
            not independent, as the questions of one document.
        by: a column of the references, or a function of the id, whose values make slices.
        schema: a JSON Schema that says how each place compares: a dict, a path or a pydantic model class. The typed
            score is then computed too.
        threshold: tau in [0, 1]; a similarity of texts below it counts as 0.
        ignore_case: whether texts are compared in lower case.
        rules: what counts in a prediction: "paper", or "anls_star-1.0.1" as in the published package of that version.
        numbers: how numbers are compared: "text", as they print, or "value", so that 1000.0 is 1000.
        strict: whether a similarity of exactly the threshold counts as 0 (ANLS).
        normalise: whether case and white space are ignored (KIEval, Entity F1).
        donut: whether documents are read as the evaluation of Donut reads them (Entity F1, nTED).
        with_confidences: whether predictions hold `{"$value": ..., "$confidence": ...}`, of which the values are
            scored.
        id_column: the column or key of the ids, if it is not "question_id".
        prediction_column: the column or key of the predictions, if it is not "prediction".
        references_column: the column or key of the ground truths, if it is not "references". A list in it holds
            acceptable answers; anything else is the one acceptable answer.
        progress: True for progress bars, False for none, None for bars on a terminal; or a callback, called with the
            name of a phase and its total, that returns one, called with the number of further units that are done.

    Returns:
        The result; `result.score` is the first figure, in [0, 1].

    Raises:
        TypeError: for an option or a side of a wrong type.
        ValueError: for options outside their ranges, and for rows that cannot be read or paired; the message names the
            first five.
        OSError: if a file cannot be read.

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
    options = ScoringOptions(**{name: given[name] for name in _OPTIONS})
    settings = {name: given[name] for name in ("by", "cluster", "confidence", "seed")}
    bars = progress_from(progress)
    chosen = metrics_with_schema((metrics,) if isinstance(metrics, str) else metrics, schema)
    names = ColumnNames(id_column, prediction_column, references_column, parse_references is not None)
    rows = _rows_of_sides(references, predictions, names, missing, on_error)
    evaluation = Evaluation(rows.systems[0], options, metrics=chosen, progress=bars, **settings)
    return EvaluationResult(evaluation, [fault.sentence for fault in rows.faults.found])


def _rows_of_sides(references: Any, predictions: Any, names: ColumnNames, missing: str, on_error: str) -> FileRows:
    """Read and pair the rows of both sides."""
    faults = Faults(on_error)
    read_logs_of_inspect()
    alone = references is None
    truths = None if alone else table_of_source(references, "references", names, faults)
    system = table_of_source(predictions, "predictions", names, faults, both=alone)
    if truths is not None:
        warn_of_documents(truths)
    return rows_of_tables(truths, [system], faults, missing=missing)


def progress_from(progress: bool | Progress | None) -> Progress:
    """The callback for a `progress` option.

    Args:
        progress: True for bars of `tqdm.auto`; None for bars where stderr is a terminal, and the work is not done at
            once; False for none; or a callback, called with the name of a phase and its total, that returns one, called
            with the number of further units that are done.

    Raises:
        TypeError: for anything else.
    """
    if progress is None:
        return _Bars(_DELAY).begin if sys.stderr is not None and sys.stderr.isatty() else no_progress
    if isinstance(progress, bool):
        return _Bars(0).begin if progress else no_progress
    if not callable(progress):
        raise InputTypeError(place="progress", expected="None, True, False or a callback", got=type(progress).__name__)
    return progress


class _Bars:
    """One bar at a time, removed when its phase is done."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.bar: Any = None

    def begin(self, phase: str, total: int) -> Advance:
        from tqdm.auto import tqdm  # noqa: PLC0415  not needed without a terminal

        if self.bar is not None:
            self.bar.close()
        bar = self.bar = tqdm(
            total=total,
            desc=phase,
            unit="B" if phase == READING else "it",
            unit_scale=True,
            leave=False,
            delay=self.delay,
        )

        def advance(increment: int) -> None:
            bar.update(increment)
            if bar.n >= bar.total:
                bar.close()

        return advance
