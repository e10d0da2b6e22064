"""The function `docscore.evaluate`, and the `Evaluation` that it returns: one system on one test set."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from docscore.core.displayed import Displayed
from docscore.core.errors import InputTypeError, InputValueError, row_place, short_repr
from docscore.core.formatting import three_digits
from docscore.core.options import DEFAULT_OPTIONS, ScoringOptions
from docscore.core.output import write_report
from docscore.data.pairing import Pairs
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
from docscore.evaluation.fields import Field, causes_table, fields_table, lists_table
from docscore.evaluation.figures import (
    Cost,
    Figure,
    Runs,
    ends_by_name,
    figures_table,
    places_table,
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
from docscore.metrics.registry import METRICS
from docscore.stats.calibration import Calibration
from docscore.stats.intervals import CONFIDENCE, Interval


class Automation:
    """What a review of values with low confidence gains: `result.automation` of an `Evaluation`.

    Its attributes raise `ValueError` for a primary metric whose score is not of single values, and if no value has a
    confidence. A value without one is always reviewed.

    >>> import docscore
    >>> sure, unsure = {"$value": "6.40", "$confidence": 0.9}, {"$value": "9.00", "$confidence": 0.4}
    >>> result = docscore.evaluate(
    ...     predictions=[{"total": sure}, {"total": unsure}],
    ...     references=[{"total": "6.40"}, {"total": "8.10"}],
    ...     metrics=["kieval"],
    ...     with_confidences=True,
    ... )
    >>> result.automation.curve.lowest(1.0).point
    Point(threshold=0.41, automation_rate=0.5, accepted_accuracy=1.0, accepted_documents=1, accuracy=1.0)
    """

    def __init__(self, rows: ScoredRows) -> None:
        self._rows = rows

    @cached_property
    def curve(self) -> Curve:
        """The trade-off of automation and accuracy by the primary metric; iterating gives a point for each threshold.

        Its method `lowest` finds the lowest threshold that reaches an accuracy, with intervals.
        """
        figure = ALIGNED if self._rows.metric == "kieval" else self._rows.figure_names[0].label
        return automation_curve(
            self._reviews, clusters=self._rows.clusters, figure=figure, is_mean=self._rows.metric != "kieval"
        )

    @cached_property
    def calibration(self) -> Calibration:
        """How far the confidences of predictions can be trusted: AUROC, expected calibration error and Brier score."""
        confidence = self._rows.confidence or CONFIDENCE
        settings: dict[str, Any] = {"confidence": confidence, "seed": self._rows.seed, "progress": self._rows.progress}
        return calibration_of_reviews(self._reviews, self._rows.clusters, **settings)

    @cached_property
    def _reviews(self) -> list[DocumentReview]:
        """What a review of the predicted values of each row changes in its score by the first metric."""
        if self._rows.metric == "kieval":
            return list(map(review_of_entities, self._rows.points(self._rows.metric)))
        if self._rows.metric not in REVIEWED:
            raise InputValueError(
                place="metrics",
                expected=f"for automation and calibration {', '.join(REVIEWED)} as the primary metric",
                got=self._rows.metric,
            )
        confidences = self._rows.pairs.confidences or [None] * len(self._rows)
        trees = (self._rows.row(number).tree for number in range(len(self._rows)))
        return list(map(review_of_tree, trees, confidences))


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
        documents: the documents that values were read from, as for `docscore.evaluate`.
        token_price: the price of a million tokens; None where the costs of predictions are in their rows.
        num_proc: the number of processes that compute scores.

    Attributes:
        pairs: the rows as they are scored: with `parse`, texts are replaced by the JSON values read from them.
        ids: the id of each row.
        options: how predictions are read and compared.
        metrics: the names of the metrics.
        metric: the first of them, which is the metric of everything.
        rows_by_slice: the numbers of the rows with each value of `by`.

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

    def __init__(self, pairs: Pairs | ScoredRows, options: ScoringOptions = DEFAULT_OPTIONS, **settings: Any) -> None:
        self._rows = rows = pairs if isinstance(pairs, ScoredRows) else ScoredRows(pairs, options, **settings)
        self.pairs, self.ids, self.options = rows.pairs, rows.ids, rows.options
        self.metrics, self.metric = rows.metrics, rows.metric
        self.rows_by_slice = rows.rows_by_slice

    @property
    def files(self) -> Sequence[str]:
        """The names of the files that were read, references first; empty where there were none."""
        return self._rows.files

    @property
    def recipe(self) -> str:
        """The call of `docscore.evaluate` that made it, as Python code; "" where there was none."""
        return self._rows.recipe

    @property
    def doubts(self) -> list[str]:
        """What is doubtful of the rows, in sentences: the warnings, and the faults of rows that were left out."""
        return [*self._rows.doubts, *self._rows.faults]

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
        """For each list its rows: expected, predicted, paired and wholly right, and how many lists were cut off."""
        return lists_table(self._rows.field_table, self._rows.whole)

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
        """Return the rows with the lowest scores, lowest first; a list, which a notebook draws as a table.

        Its method `to_pandas` returns ids and scores.
        """
        return Rows(self._rows, sorted(self._rows.counted, key=self._rows.scores.__getitem__)[:count])

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


def breakdown_tables(evaluation: Evaluation) -> list[Table]:
    """Return the tables of the typed score, of places, and of what stands in the documents, as far as there are any."""
    found = evaluation.breakdowns
    return [
        *([found["typed"].typed()] if "typed" in found else []),
        *([places_table(found["grounding"].places())] if "grounding" in found else []),
        *([found["documents"].standing, found["documents"].nowhere] if "documents" in found else []),
    ]


def figures_to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return the figures by name, the numbers behind them and their intervals, in plain types."""
    result: dict[str, Any] = {figure.name: figure.value for figure in evaluation.measured}
    for name in evaluation.metrics:
        if breakdown := evaluation.breakdowns.get(name):
            result |= breakdown.counts()
            result |= breakdown.tables() if METRICS[name].judges_places else {}
    return result | ends_by_name(evaluation.measured)


def views_to_dict(evaluation: Evaluation, worst: int = LISTED) -> dict[str, Any]:
    """Return the slices, the variance of runs and the score by value in plain types, each where there is one."""
    rows = scored_rows(evaluation)
    views = {
        "slices": None if rows.by is None else [part.to_dict() for part in rows.slice_figures],
        "runs": None if evaluation.runs is None else evaluation.runs.to_dict(worst),
        "score_by_value": rows.score_by_value,
        "standing": None if rows.documents is None else evaluation.breakdowns["documents"].to_dict(),
    }
    return {name: view for name, view in views.items() if view is not None}
