"""The function `docscore.evaluate`, and the `Evaluation` that it returns: one system on one test set."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from docscore.core.displayed import Displayed, Hooks
from docscore.core.errors import InputTypeError, InputValueError, row_place, short_repr
from docscore.core.formatting import three_digits
from docscore.core.options import (
    BY_VALUE,
    DEFAULT_OPTIONS,
    PAPER,
    THRESHOLD,
    ScoringOptions,
)
from docscore.core.output import write_report
from docscore.core.runtime import Progress, progress_from
from docscore.data.checks import warn_of_copies
from docscore.data.files import ColumnNames
from docscore.data.groups import Grouping, joined_runs
from docscore.data.pairing import Pairs, rows_of_sides
from docscore.evaluation.automation import (
    ALIGNED,
    REVIEWED,
    Curve,
    DocumentReview,
    automation_curve,
    calibration_of_reviews,
    review_of_entities,
    review_of_tree,
)
from docscore.evaluation.comparison import Comparison
from docscore.evaluation.fields import (
    Field,
    causes_table,
    fields_table,
    lists_table,
)
from docscore.evaluation.figures import (
    Cost,
    Figure,
    Runs,
    ends_by_name,
    figures_table,
    rates_table,
    slices_table,
)
from docscore.evaluation.rows import OF_ANLS, Row, Rows, Scored, ScoredRows, scored_rows
from docscore.evaluation.tables import (
    LISTED,
    NO_VALUE,
    Content,
    Table,
    TableCell,
    TableColumn,
    table_of,
    text_column,
    value_column,
)
from docscore.metrics.registry import (
    checked_metrics,
    loaded_metrics,
    metrics_with_schema,
)
from docscore.stats.calibration import Calibration
from docscore.stats.intervals import (
    CONFIDENCE,
    SEED,
    Interval,
)


class Automation:
    """What a review of values with low confidence gains; predictions must carry confidences.

    Its attributes raise `ValueError` for a first metric whose score is not of single values, and for a value without a
    confidence.
    """

    def __init__(self, rows: ScoredRows) -> None:
        self._rows = rows

    @cached_property
    def curve(self) -> Curve:
        """The trade-off of automation and accuracy by the first metric; predictions must carry confidences.

        Raises:
            ValueError: for a first metric whose score is not of single values, and a value without a confidence.
        """
        figure = ALIGNED if self._rows.metric == "kieval" else self._rows.figure_names[0].label
        return automation_curve(
            self._reviews, clusters=self._rows.clusters, figure=figure, is_mean=self._rows.metric != "kieval"
        )

    @cached_property
    def calibration(self) -> Calibration:
        """How far the confidences of predictions can be trusted; errors as for `curve`."""
        confidence = self._rows.confidence or CONFIDENCE
        settings: dict[str, Any] = {"confidence": confidence, "seed": self._rows.seed, "progress": self._rows.progress}
        return calibration_of_reviews(self._reviews, self._rows.clusters, **settings)

    @cached_property
    def _reviews(self) -> list[DocumentReview]:
        """What a review of the predicted values of each row changes in its score by the first metric."""
        if self._rows.metric == "kieval":
            return list(map(review_of_entities, self._rows.points(self._rows.metric), self._rows.ids))
        if self._rows.metric not in REVIEWED:
            raise InputValueError(
                place="metrics",
                expected=f"for automation and calibration {', '.join(REVIEWED)} as the first",
                got=self._rows.metric,
            )
        confidences = self._rows.pairs.confidences or [None] * len(self._rows)
        trees = (self._rows.row(number).tree for number in range(len(self._rows)))
        return list(map(review_of_tree, trees, confidences, self._rows.ids))


class Evaluation(Displayed, Scored):
    """What `docscore.evaluate` returns: one system on one test set.

    Numbers, tables and trees are computed when they are first looked at, and kept. `result["receipt-018"]` is the row
    with an id, iterating gives the ids, and `len` is the number of rows. `print(result)` prints what `docscore score`
    does, and a notebook draws it.

    Args:
        pairs: the rows.
        options: how predictions are read and compared.
        metrics: the metrics to compute, names among `METRICS`; None for "anls_star", and with a schema for "typed",
            beside which "anls_star" stands.
        cluster: a column of the references, a function of the id, or a label for each reference, that names the cluster
            of each row: rows of one cluster, such as the questions of one document, are not independent. Intervals and
            tests resample and swap whole clusters. None where all rows are independent.
        by: a column of the references, a function of the id, or a label for each reference, whose values make slices;
            None for no slices.
        confidence: the level of the intervals, between 0 and 1; None for none.
        seed: the seed of the random numbers of the intervals.
        progress: called when each phase of the work begins.
        faults: a sentence for each fault of rows that were left out.
        whole: whether these are all rows of a test set. If a schema names fields, and no ground truth of a whole test
            set has any of them, that is an error.
        token_price: the price of a million tokens; None where the costs of predictions are in their rows.

    Attributes:
        pairs: the rows as they are scored: with `parse`, texts are replaced by the JSON values read from them.
        ids: the id of each row.
        options: how predictions are read and compared.
        metrics: the names of the metrics.
        metric: the first of them, which is the metric of everything.
        signatures: what makes the figures of each metric comparable, by its name: metric, options and version.
        doubts: what is doubtful of the rows, in sentences; each was also a warning.
        rows_by_slice: the numbers of the rows with each value of `by`.
        files: the names of the files that were read, references first; empty where there were none.
        recipe: the call of `docscore.evaluate` that made it, as Python code; "" where there was none.

    Raises:
        TypeError, ValueError: for unknown metrics, options that a metric cannot take, a level that is not between 0 and
            1, texts that are not read as the options say, and a schema that names none of the fields.

    >>> import docscore
    >>> result = docscore.evaluate(
    ...     predictions={"a": {"total": "6.40"}, "b": {"total": "9.00"}},
    ...     references={"a": {"total": "6.40"}, "b": {"total": "8.10"}},
    ... )
    >>> result.score, result.worst(1)[0], len(result)
    (0.75, <Row 'b' anls_star 0.5000>, 2)
    >>> print(result["b"].tree)
    ≈ $         0.500  -0.500  (0.5 of 1 points)
    └─ ≈ total  0.500  -0.500  "8.10" → "9.00"
    """

    files: Sequence[str] = ()
    recipe = ""

    def __init__(self, pairs: Pairs | ScoredRows, options: ScoringOptions = DEFAULT_OPTIONS, **settings: Any) -> None:
        self._rows = rows = pairs if isinstance(pairs, ScoredRows) else ScoredRows(pairs, options, **settings)
        self.pairs, self.ids, self.options = rows.pairs, rows.ids, rows.options
        self.metrics, self.metric, self.doubts = rows.metrics, rows.metric, rows.doubts
        self.rows_by_slice = rows.rows_by_slice

    # Figures with their intervals

    @property
    def score(self) -> float:
        """The value of the first figure of the first metric, in [0, 1], 1 is best; by default the mean ANLS* score."""
        return self._rows.score

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval of the score; None where there are too few documents, or no level was asked for."""
        return self.intervals[self._rows.figure_names[0].key]

    @property
    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """The confidence interval of each figure by its name; None where there is none."""
        return {figure.name: figure.interval and figure.interval.ends for figure in self.measured}

    @property
    def figures(self) -> dict[str, float]:
        """The value of each figure of the metrics by its name, in [0, 1]."""
        return {
            name.key: float(value)
            for name, value in zip(self._rows.figure_names, self._rows.ratios.values, strict=True)
        }

    @property
    def measured(self) -> list[Figure]:
        """The figures of the metrics, with their intervals; the first is the score."""
        return self._rows.measured

    @property
    def field_intervals(self) -> dict[str, Interval]:
        """The interval of the score of each field, by path; empty if not requested."""
        return self._rows.field_intervals

    @property
    def breakdowns(self) -> dict[str, Any]:
        """Further counts of a metric by its name, such as the corrections of KIEval."""
        return self._rows.breakdowns

    @property
    def counts(self) -> dict[str, int]:
        """How many rows are skipped, missing, repeated, and of which reading, as far as the options ask for it."""
        return self._rows.counts

    @property
    def costs(self) -> dict[str, Cost]:
        """The sums of the columns cost, seconds and tokens of the predictions, as far as they have them.

        With a price of tokens, the cost is that of the tokens.
        """
        return self._rows.costs

    @property
    def runs(self) -> Runs | None:
        """How the scores of several runs of the system vary; None where there is one run, or one document."""
        return self._rows.runs

    @property
    def signatures(self) -> dict[str, str]:
        """What makes the figures of each metric comparable, by its name: metric, options and version."""
        return self._rows.signatures

    @property
    def signature(self) -> str:
        """What makes the figures of the first metric comparable."""
        return self._rows.signature

    # Tables

    @cached_property
    def fields(self) -> Table:
        """The score of each field with its interval and the counts of its outcomes, most points lost first."""
        return self._field_table(self._rows.field_table.by_loss())

    def _field_table(self, fields: Sequence[Field]) -> Table:
        with_outcomes = self._rows.scorer.field_source == "tree"
        return fields_table(fields, self._rows.whole, self.field_intervals, with_outcomes=with_outcomes)

    @cached_property
    def lists(self) -> Table:
        """For each list the number of its elements with and without a partner on the other side."""
        return lists_table(self._rows.field_table.lists)

    @cached_property
    def causes(self) -> Table:
        """Why points were lost: each cause with its part of 1 - score, largest first; no rows where there are none."""
        return causes_table(self._rows.lost, self._rows.scorer.meanings, self._rows.scorer.fields_note)

    @cached_property
    def rates(self) -> Table:
        """Shares of documents and of values: without a fault, missing, invented."""
        return rates_table(self._rows.rate_list)

    @cached_property
    def slices(self) -> Table:
        """The figures of each value of `by` with their intervals, most documents first; without `by` no rows."""
        return slices_table(self._rows.slice_figures, self._rows.slice_name)

    @cached_property
    def automation(self) -> Automation:
        """What a review of values with low confidence gains, and how far confidences can be trusted."""
        return Automation(self._rows)

    # Rows

    def worst(self, count: int = 10) -> Rows:
        """Return the rows with the lowest scores, lowest first; a list, which a notebook draws as a table."""
        return Rows(self._rows, sorted(range(len(self)), key=self._rows.scores.__getitem__)[:count])

    @cached_property
    def documents(self) -> Table:
        """The id and the score of each row, in the order of the references, and how its prediction was read."""
        samples = self._rows.samples()
        heads = {"parsed": "parsed", "parse_note": "note", "missing": "missing"}
        return table_of(
            "Documents",
            samples,
            text_column("question_id", "document"),
            value_column(self._rows.row_key, "score", three_digits),
            *(_words_column(name, head) for name, head in heads.items() if name in samples[0]),
            unit="documents",
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __contains__(self, question_id: object) -> bool:
        return question_id in self._numbers

    def __getitem__(self, question_id: str) -> Row:
        if question_id not in self._numbers:
            example = short_repr(self.ids[0])
            msg = f"{row_place(question_id)}: expected one of the {len(self):,} ids, such as {example}"
            raise KeyError(msg)
        return Row(self._rows, self._numbers[question_id])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.ids)}

    # Parts, comparisons, reports

    def of_slice(self, value: str) -> "Evaluation":
        """Return the rows of one slice as an evaluation of their own, with its fields, causes and comparisons.

        Args:
            value: of the column or function `by`, as text.

        Raises:
            ValueError: for a value that no row has, and without `by`.
        """
        return Evaluation(self._rows.of_slice(value))

    def compare(self, other: "Evaluation") -> Comparison:
        """Compare another system on the same documents with this one as the base.

        Raises:
            TypeError: for something else than an evaluation.
            ValueError: if an id is on one side only, or the two have other ground truths, options or metrics.
        """
        if not isinstance(other, Evaluation):
            raise InputTypeError(place="compare", expected="a result of docscore.evaluate", got=type(other).__name__)
        return Comparison(self, other)

    def review(self, name: str = "predictions", **settings: Any) -> Any:
        """Return a `docscore.Review` of the places where the system loses points, likely errors of ground truths first.

        Args:
            name: the name of the system.
            settings: `texts` and others, as for `docscore.review`.

        Raises:
            ValueError: as `docscore.review`.
        """
        return Hooks.reviews().review_of({name: self}, **settings)

    def report(self, path: str | Path, *, title: str | None = None, worst: int = LISTED) -> Path:
        """Write a report on the test set.

        Args:
            path: the file to write: `.html`, or `.md` without score trees.
            title: the heading; None for the names of the files that were evaluated, or else of this file.
            worst: how many of the rows with the lowest scores it shows.

        Returns:
            The path of the file.

        Raises:
            ValueError: for another extension, and a folder that does not exist.
        """
        heading = (" × ".join(self.files) or Path(path).stem) if title is None else title
        recipe = self.recipe and f"{self.recipe}.report({Path(path).name!r})"
        return write_report(path, self._renderers(title=heading, worst=worst, recipe=recipe))

    # Plain types

    def summary_to_dict(
        self, *, fields: bool = False, per_sample: bool = False, signature: bool = False
    ) -> dict[str, Any]:
        """Return the score with its interval, and counts, in plain types.

        Args:
            fields: whether fields, causes of lost points and rates are in it.
            per_sample: whether the score of each row is.
            signature: whether the signature is.
        """
        result: dict[str, Any] = {"anls_score" if self.metric in OF_ANLS else "score": self.score}
        if self._rows.confidence is not None:
            interval = self.measured[0].interval or Interval()
            result |= {"confidence_interval": interval.ends, "standard_error": interval.standard_error}
            if interval.note:
                result["confidence_note"] = interval.note
        if self.pairs.clusters is not None:
            result["clusters"] = len(set(self.pairs.clusters))
        result |= self.counts
        if fields:
            hidden = ("interval",) if self._rows.confidence is None else ()
            result |= {
                "points_lost": {str(cause): lost for cause, lost in self._rows.lost.items()},
                "key_scores": list(self._field_table(list(self._rows.field_table.fields.values())).without(*hidden)),
                "lists": list(self.lists),
                "rates": list(self.rates.without(*hidden)),
            }
        if per_sample:
            result["per_sample"] = self._rows.samples()
            if self.options.parse_mode is not None:
                result["parsed_ids"] = self._rows.parsed_ids()
        return {**result, "signature": self.signature} if signature else result

    def to_dict(self, *, fields: bool = True, worst: int = LISTED, rows: bool = True) -> dict[str, Any]:
        """Return the result in plain types, as `docscore score --json` prints it.

        Args:
            fields: whether fields, causes of lost points and rates are in it.
            worst: how many of the rows with the lowest scores are listed.
            rows: whether all rows are in it, as "per_sample".
        """
        parts = self.summary_to_dict(fields=fields, per_sample=rows, signature=True)
        if self._rows.other_figures:
            figures, signatures = figures_to_dict(self), {"signature": self.signature, "signatures": self.signatures}
            parts["metrics"] = {**figures, **signatures}
        parts |= views_to_dict(self, worst)
        if self._rows.slice is not None:
            parts["slice"] = {"by": self._rows.slice_name, "value": self._rows.slice}
        lowest = [row.sample for row in self.worst(worst)]
        return {"metric": self.metric, "score": self.score, **parts, "rows": len(self), "worst": lowest}

    def __repr__(self) -> str:
        return f"<Evaluation {self.metric} {self.score:.4f}, {len(self._rows.document_ids):,} documents>"


def _words_column(name: str, head: str) -> Content:
    words: dict[Any, str] = {True: "yes", False: "no", None: NO_VALUE, "": NO_VALUE}
    return TableColumn(name, head, "text"), lambda sample: TableCell(
        sample[name], words.get(sample[name], str(sample[name]))
    )


def figure_table(evaluation: Evaluation) -> Table:
    """Return the figures of the metrics; without rows if ANLS* is the only one."""
    return figures_table(scored_rows(evaluation).other_figures, evaluation.signatures.values())


def figures_to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return the figures by name, the numbers behind them and their intervals, in plain types."""
    result: dict[str, Any] = {figure.name: figure.value for figure in evaluation.measured}
    for breakdown in evaluation.breakdowns.values():
        result |= breakdown.counts()
    return result | ends_by_name(evaluation.measured)


def views_to_dict(evaluation: Evaluation, worst: int = LISTED) -> dict[str, Any]:
    """Return the slices, the variance of runs and the score by value in plain types, each where there is one."""
    rows = scored_rows(evaluation)
    views = {
        "slices": None if rows.by is None else [part.to_dict() for part in rows.slice_figures],
        "runs": None if evaluation.runs is None else evaluation.runs.to_dict(worst),
        "score_by_value": rows.score_by_value,
    }
    return {name: view for name, view in views.items() if view is not None}


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
    id_column: str | None = None,
    prediction_column: str | None = None,
    references_column: str | None = None,
    references_id_column: str | None = None,
    predictions_id_column: str | None = None,
    cost_column: str | None = None,
    seconds_column: str | None = None,
    tokens_column: str | None = None,
    token_price: float | None = None,
    fields_in_columns: bool = False,
    encoding: str | None = None,
    progress: bool | Progress | None = None,
) -> Evaluation:
    """Evaluate predictions against references: figures with intervals, fields, causes of lost points, score trees.

    Rows are read and paired at once, and stay in memory for as long as the result lives. Scores, intervals and tables
    are computed when they are first looked at.

    Each side is one of these:

    * a path: JSONL, JSON, CSV or Parquet, as for `docscore score`; a log of Inspect (`.eval`, `.json`); a folder with
      one document a file, `ID.json` or `ID.txt`;
    * a list of rows: `{"question_id", "prediction"}` and `{"question_id", "references": [acceptable answers]}`, or
      plain values in the same order on both sides;
    * a dict of values by id; a tuple in the references holds acceptable answers;
    * a pandas or polars data frame, an Arrow table or a `datasets.Dataset` with the columns of such rows.

    Args:
        positional: none; each side is given by its name, so that the two cannot be exchanged.
        predictions: what was predicted.
        references: the ground truths; None where the rows of the predictions hold them too, as those of logs and of one
            data frame with a column of each.
        metrics: names among `docscore.METRICS`, or "module:Class" for a metric of your own. The first is the metric of
            everything that the result shows; None for "anls_star", and with a schema for "typed", beside which
            "anls_star" stands.
        parse: None, or "json" or "repair" to read predictions that are text as JSON first.
        parse_references: None, or "json" or "repair" to read references that are text as JSON first. A reference that
            can be repaired in several ways is an error.
        missing: a reference without a prediction: "error"; "zero" to score it as null and count it; or "skip" to leave
            it out and count it.
        on_error: rows with faults: "error", or "skip" to leave them out and count them.
        confidence: the level of the intervals, between 0 and 1; None for none.
        seed: the seed of the random numbers of the intervals.
        runs: whether `predictions` is a list of several sides, the runs of one system on the same documents. A
            document's score is then its mean over the runs, and intervals resample documents with all their runs;
            what is counted, such as values and the documents of a field or a rate, is counted in each run.
        cluster: a column of the references, or a function of the id, that names the cluster of each row, where rows are
            not independent, as the questions of one document.
        by: a column of the references, or a function of the id, whose values make slices.
        schema: a JSON Schema that says how each place compares: a dict, a path or a pydantic model class. The typed
            score is then computed too.
        schema_by: a column of the references whose value names the schema of each row in the folder `schema`
            (`VALUE.json`), as `docscore suggest-schema --by` writes it; None if the id does.
        comparators: how fields or types compare, beside the schema or without one: `{"items[].sku": same_sku, float:
            "money"}`; the name of a comparator, its settings, or a function of two values that gives 0 to 1.
        threshold: tau in [0, 1]; a similarity of texts below it counts as 0.
        ignore_case: whether texts are compared in lower case.
        rules: what counts in a prediction: "paper", or "anls_star-1.0.1" as in the published package of that version.
        numbers: how numbers are compared: "text", as they print, or "value", so that 1000.0 is 1000.
        strict: whether a similarity of exactly the threshold counts as 0 (ANLS).
        normalise: whether case and white space are ignored (KIEval, Entity F1).
        donut: whether documents are read as the evaluation of Donut reads them (Entity F1, nTED).
        with_confidences: whether predictions hold `{"$value": ..., "$confidence": ...}`, of which the values are
            scored.
        id_column: the column or key of the ids, if it is not "question_id". Any column can be a path into the rows,
            such as "response.id", if no column has that name.
        prediction_column: the column or key of the predictions, if it is not "prediction".
        references_column: the column or key of the ground truths, if it is not "references". A list in it holds
            acceptable answers; anything else is the one acceptable answer.
        references_id_column: the column of the ids of the references, where that of the predictions has another name.
        predictions_id_column: the column of the ids of the predictions.
        cost_column: the column or key of what each prediction cost, if it is not "cost"; `result.costs` has the sum.
        seconds_column: the column or key of the seconds each prediction took, if it is not "seconds".
        tokens_column: the column or key of the tokens each prediction took, if it is not "tokens".
        token_price: the price of a million tokens, for the cost of the predictions.
        fields_in_columns: whether a table without a column of predictions or ground truths has one column for each
            field. A name such as "items.0.price" is a path, and an empty cell is null. Columns that other arguments
            name are not fields.
        encoding: the encoding of text files, a name that Python knows, such as "cp1252"; None for UTF-8.
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
    if positional or predictions is None:
        raise InputTypeError(
            expected="docscore.evaluate(predictions=..., references=...), each side by its name",
            got=f"{len(positional)} by position" if positional else "no predictions",
        )
    given = dict(locals())
    options = ScoringOptions(**{field.name: given[field.name] for field in fields(ScoringOptions)})
    bars = progress_from(progress)
    metrics = metrics and loaded_metrics([metrics] if isinstance(metrics, str) else metrics)
    chosen = checked_metrics(metrics_with_schema(metrics, options.schema), options)
    columns = {name: given[f"{name}_column"] for name in ColumnNames._fields if f"{name}_column" in given}
    groups = tuple(name for name in (by, cluster) if isinstance(name, str)) if fields_in_columns else None
    columns |= {"json_references": parse_references is not None, "by_value": numbers == BY_VALUE}
    names = ColumnNames(**columns, fields_in_columns=groups)
    sides = predictions if runs else [predictions]
    if runs and not (isinstance(predictions, list | tuple) and len(predictions) > 1):
        raise InputValueError(
            place="predictions",
            expected="with runs=True a list of at least two runs",
            got=f"{len(predictions)}" if isinstance(predictions, list | tuple) else type(predictions).__name__,
        )
    files: dict[str, Any] = {"missing": missing, "on_error": on_error, "encoding": encoding, "parse": parse}
    systems, faults = rows_of_sides(references=references, predictions=sides, names=names, progress=bars, **files)
    pairs = systems[0]
    if runs:
        of_runs = [f"run {number + 1}" for number in range(len(sides))]
        warn_of_copies(systems, of_runs)
        pairs = joined_runs(systems, of_runs)
    found = Evaluation(
        pairs,
        options,
        metrics=chosen,
        cluster=cluster,
        by=by,
        confidence=confidence,
        seed=seed,
        progress=bars,
        faults=list(map(str, faults.collected)),
        token_price=token_price,
    )
    found.files = [Path(side).name for side in (references, *sides) if isinstance(side, str | PathLike)]
    found.recipe = _call(given)
    return found


def _call(given: Mapping[str, Any]) -> str:
    """The call of `evaluate` with these arguments; what is no number and no text stands as a variable of its name."""

    def shown(name: str, value: object) -> str:
        if isinstance(value, PathLike) or (name in _PATHS and isinstance(value, str)):
            value = Path(value).name
        return f"{name}={value!r}" if isinstance(value, str | int | float) else f"{name}={name}"

    defaults = evaluate.__kwdefaults__ or {}
    chosen = (shown(name, given[name]) for name, default in defaults.items() if given[name] is not default)
    return f"docscore.evaluate({', '.join(chosen)})"


_PATHS = ("predictions", "references", "schema")
