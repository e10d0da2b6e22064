"""The function `docscore.evaluate`, and the `Evaluation` that it returns: one system on one test set."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from docscore.core.displayed import Displayed, Reviewed
from docscore.core.errors import InputTypeError, InputValueError
from docscore.core.options import BY_VALUE, PAPER, THRESHOLD, ScoringOptions
from docscore.core.output import write_report
from docscore.core.runtime import Progress, ignore, progress_from
from docscore.data.checks import warn_of_copies
from docscore.data.columns import ColumnNames
from docscore.data.groups import Grouping, joined_runs
from docscore.data.pairing import rows_of_sides
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
    MOST_FIELDS_TESTED,
    Field,
    causes_table,
    fields_as_ratios,
    fields_table,
    lists_table,
)
from docscore.evaluation.figures import (
    Figure,
    Rate,
    Slice,
    ends_by_name,
    figures_of,
    figures_table,
    rates_of,
    rates_table,
    slices_table,
)
from docscore.evaluation.rows import OF_ANLS, ScoredRows
from docscore.evaluation.tables import LISTED, Table
from docscore.metrics.registry import ANLS_STAR, checked_metrics, loaded_metrics, metrics_with_schema
from docscore.stats.calibration import Calibration
from docscore.stats.intervals import (
    CONFIDENCE,
    MOST_RESAMPLED,
    RESAMPLES,
    SEED,
    Interval,
    Ratios,
    intervals_of,
    side_by_side,
)

_LEFT_OUT = Interval(note=f"only the {MOST_FIELDS_TESTED} fields of most weight have an interval")


class Evaluation(Displayed, Reviewed, ScoredRows):
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
        source: the rows as they came.
        pairs: the rows as they are scored: with `parse`, texts are replaced by the JSON values read from them.
        readings: how the text of each row was read that was read as JSON, by its number; empty without `parse`.
        doubts: what is doubtful of the rows, in sentences; each was also a warning.
        ids: the id of each row.
        places: what `places_by_schema` finds in the ground truths; empty without the typed score.
        metric: the first of the metrics, which is the metric of everything.
        scorer: its `Metric`.
        slice_name: what the values of slices are called in tables: the column, or "value" where they do not come from
            one.
        slice: the value that all rows have, of the evaluation of one slice; else None.
        rows_by_slice: the numbers of the rows with each value of `by`.
        files: the names of the files that `evaluate` read, references first; empty where there were none.
        recipe: the call of `evaluate` that made it, as Python code; "" where there was none.

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

    # Figures with their intervals

    def _drawing(self, times: int = 1) -> dict[str, Any]:
        """Begin the phase "Resampling", and return the keywords with which all intervals are drawn."""
        resampled = ignore if self.confidence is None else self.progress("Resampling", RESAMPLES * times)
        return {"seed": self.seed, "resampled": resampled}

    @cached_property
    def measured(self) -> list[Figure]:
        """The figures of the metrics, with their intervals; the first is the score."""
        return figures_of(self.figure_names, self.ratios, self.confidence, clusters=self.clusters, **self._drawing())

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval of the score; None where there are too few documents, or no level was asked for."""
        return self.intervals[self.figure_names[0].key]

    @property
    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """The confidence interval of each figure by its name; None where there is none."""
        return {figure.name: figure.interval and figure.interval.ends for figure in self.measured}

    @property
    def other_figures(self) -> list[Figure]:
        """The figures of the metrics; none if ANLS* is the only one."""
        return [] if self.metrics == [ANLS_STAR] else self.measured

    @property
    def figure_table(self) -> Table:
        """The figures of the metrics; without rows if ANLS* is the only one."""
        return figures_table(self.other_figures, self.signatures.values())

    @cached_property
    def slice_figures(self) -> list[Slice]:
        """The figures of each slice, largest slice first, of equal size in the order of their first rows."""
        names, slices = self.figure_names, []
        drawing = self._drawing(len(self.rows_by_slice)) if self.rows_by_slice else {}
        for value, numbers in sorted(self.rows_by_slice.items(), key=lambda item: -len(item[1])):
            clusters = None if self.clusters is None else self.clusters[numbers]
            figures = figures_of(names, self.ratios.rows(numbers), self.confidence, clusters=clusters, **drawing)
            slices.append(Slice(value, len(numbers) // self.pairs.runs, figures))
        return slices

    @cached_property
    def _part_intervals(self) -> list[Interval]:
        """The intervals of the rates and of the heaviest fields, from the same resamples."""
        if self.confidence is None:
            return []
        _ = self.rate_counts  # its phase comes first
        units = len(self) if self.clusters is None else int(self.clusters.max()) + 1
        parts = [side_by_side(*self._parts())] if units <= MOST_RESAMPLED else self._parts()
        drawing = {"clusters": self.clusters, **self._drawing()}
        return [interval for part in parts for interval in intervals_of(part, self.confidence, **drawing)]

    def _parts(self) -> Iterator[Ratios]:
        """The ratios of these intervals, each made when it is asked for.

        Many rows are not resampled (`docscore.stats.intervals`), so that there is nothing to share, and all ratios of a
        million rows would take gigabytes.
        """
        hits, totals = np.array([counts[1:] for counts in self.rate_counts.values()], dtype=np.float64).transpose(
            1, 2, 0
        )
        yield Ratios(hits, totals)
        for field in self._heaviest[:MOST_FIELDS_TESTED]:
            yield fields_as_ratios([field], len(self))

    @cached_property
    def _heaviest(self) -> list[Field]:
        return sorted(self.field_table.fields.values(), key=lambda field: -field.weight)

    @cached_property
    def field_intervals(self) -> dict[str, Interval]:
        """The interval of the score of each field, by path; empty if not requested."""
        if self.confidence is None:
            return {}
        intervals = self._part_intervals[len(self.rate_counts) :]
        left_out = [_LEFT_OUT] * (len(self._heaviest) - len(intervals))
        return dict(zip((field.path for field in self._heaviest), intervals + left_out, strict=True))

    @cached_property
    def rate_list(self) -> list[Rate]:
        """Shares of documents and of values; of independent documents with Wilson's interval."""
        resampled = self._part_intervals[: len(self.rate_counts)]
        return rates_of(self.rate_counts, resampled, self.confidence if self.clusters is None else None)

    # Tables

    @cached_property
    def fields(self) -> Table:
        """The score of each field with its interval and the counts of its outcomes, most points lost first."""
        return self._field_table(self.field_table.by_loss())

    def _field_table(self, fields: Sequence[Field]) -> Table:
        with_outcomes = self.scorer.field_source == "tree"
        return fields_table(fields, self.whole, self.field_intervals, with_outcomes=with_outcomes)

    @cached_property
    def lists(self) -> Table:
        """For each list the number of its elements with and without a partner on the other side."""
        return lists_table(self.field_table.lists)

    @cached_property
    def causes(self) -> Table:
        """Why points were lost: each cause with its part of 1 - score, largest first; no rows where there are none."""
        return causes_table(self.lost, self.scorer.meanings, self.scorer.fields_note)

    @cached_property
    def rates(self) -> Table:
        """Shares of documents and of values: without a fault, missing, invented."""
        return rates_table(self.rate_list)

    @cached_property
    def slices(self) -> Table:
        """The figures of each value of `by` with their intervals, most documents first; without `by` no rows."""
        return slices_table(self.slice_figures, self.slice_name)

    # Automation

    @cached_property
    def curve(self) -> Curve:
        """The trade-off of automation and accuracy by the first metric; predictions must carry confidences.

        Raises:
            ValueError: for a first metric whose score is not of single values, and a value without a confidence.
        """
        figure = ALIGNED if self.metric == "kieval" else self.figure_names[0].label
        return automation_curve(self._reviews, clusters=self.clusters, figure=figure, is_mean=self.metric != "kieval")

    @cached_property
    def calibration(self) -> Calibration:
        """How far the confidences of predictions can be trusted; errors as for `curve`."""
        confidence = self.confidence or CONFIDENCE
        settings: dict[str, Any] = {"confidence": confidence, "seed": self.seed, "progress": self.progress}
        return calibration_of_reviews(self._reviews, self.clusters, **settings)

    @cached_property
    def _reviews(self) -> list[DocumentReview]:
        """What a review of the predicted values of each row changes in its score by the first metric."""
        if self.metric == "kieval":
            return list(map(review_of_entities, self.points(self.metric), self.ids))
        if self.metric not in REVIEWED:
            raise InputValueError(
                place="metrics",
                expected=f"for automation and calibration {', '.join(REVIEWED)} as the first",
                got=self.metric,
            )
        confidences = self.pairs.confidences or [None] * len(self)
        trees = (self.row(number).tree for number in range(len(self)))
        return list(map(review_of_tree, trees, confidences, self.ids))

    # Parts, comparisons, reports

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
        return self.reviews().review_of({name: self}, **settings)

    def as_html(self, title: str = "docscore", *, worst: int = LISTED, recipe: str = "") -> str:
        """Return the report as one HTML document, without scripts and network access.

        Args:
            title: the heading.
            worst: how many of the rows with the lowest scores it shows.
            recipe: how to make it again, at its foot.
        """
        return str(self._renderers(title=title, worst=worst, recipe=recipe)[".html"]())

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
        if self.confidence is not None:
            interval = self.measured[0].interval or Interval()
            result |= {"confidence_interval": interval.ends, "standard_error": interval.standard_error}
            if interval.note:
                result["confidence_note"] = interval.note
        if self.pairs.clusters is not None:
            result["clusters"] = len(set(self.pairs.clusters))
        result |= self.counts
        if fields:
            hidden = ("interval",) if self.confidence is None else ()
            result |= {
                "points_lost": {str(cause): lost for cause, lost in self.lost.items()},
                "key_scores": list(self._field_table(list(self.field_table.fields.values())).without(*hidden)),
                "lists": list(self.lists),
                "rates": list(self.rates.without(*hidden)),
            }
        if per_sample:
            result["per_sample"] = self.samples()
            if self.options.parse_mode is not None:
                result["parsed_ids"] = self.parsed_ids()
        return {**result, "signature": self.signature} if signature else result

    def figures_to_dict(self) -> dict[str, Any]:
        """Return the figures by name, the numbers behind them and their intervals, in plain types."""
        result: dict[str, Any] = {figure.name: figure.value for figure in self.measured}
        for breakdown in self.breakdowns.values():
            result |= breakdown.counts()
        return result | ends_by_name(self.measured)

    def views_to_dict(self, worst: int = LISTED) -> dict[str, Any]:
        """Return the slices, the variance of runs and the score by value in plain types, each where there is one."""
        views = {
            "slices": None if self.by is None else [part.to_dict() for part in self.slice_figures],
            "runs": None if self.runs is None else self.runs.to_dict(worst),
            "score_by_value": self.score_by_value,
        }
        return {name: view for name, view in views.items() if view is not None}

    def to_dict(self, *, fields: bool = True, worst: int = LISTED, rows: bool = True) -> dict[str, Any]:
        """Return the result in plain types, as `docscore score --json` prints it.

        Args:
            fields: whether fields, causes of lost points and rates are in it.
            worst: how many of the rows with the lowest scores are listed.
            rows: whether all rows are in it, as "per_sample".
        """
        parts = self.summary_to_dict(fields=fields, per_sample=rows, signature=True)
        if self.other_figures:
            figures, signatures = self.figures_to_dict(), {"signature": self.signature, "signatures": self.signatures}
            parts["metrics"] = {**figures, **signatures}
        parts |= self.views_to_dict(worst)
        if self.slice is not None:
            parts["slice"] = {"by": self.slice_name, "value": self.slice}
        lowest = [row.sample for row in self.worst(worst)]
        return {"metric": self.metric, "score": self.score, **parts, "rows": len(self), "worst": lowest}

    def __repr__(self) -> str:
        return f"<Evaluation {self.metric} {self.score:.4f}, {len(self.document_ids):,} documents>"


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
