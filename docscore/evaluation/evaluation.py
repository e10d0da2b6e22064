"""The result of `docscore.evaluate`: one system on one test set, and its rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import docscore
from docscore.core.displayed import Displayed
from docscore.core.errors import (
    DataWarning,
    InputValueError,
    row_place,
    short_repr,
)
from docscore.core.formatting import FOUR_DIGITS, counted, shown_name, three_digits
from docscore.core.options import (
    BY_VALUE,
    DEFAULT_OPTIONS,
    DEFAULT_READING,
    CompareOptions,
    ReadOptions,
    check_confidence,
    check_integer,
    check_price,
    check_schema_by,
)
from docscore.core.output import write_report
from docscore.core.runtime import Progress, ignore, no_progress, warn, watched
from docscore.core.values import differs_by_value
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
from docscore.evaluation.checks import Measure, warnings_about_points, warnings_about_typed
from docscore.evaluation.confusions import confusions_table
from docscore.evaluation.fields import (
    Field,
    FieldTable,
    causes_table,
    counted_fields,
    cut_off_text,
    fields_table,
    lists_table,
    summed_fields,
)
from docscore.evaluation.figures import (
    Cost,
    Figure,
    Rate,
    RateCounts,
    Runs,
    Slice,
    costs_of,
    ends_by_name,
    figures_of,
    filled_table,
    rates_of,
    rates_table,
    regions_table,
    rows_table,
    runs_of,
    samples_of,
    slices_of,
    slices_table,
    support_tables,
)
from docscore.evaluation.registry import (
    ANLS_STAR,
    METRICS,
    TYPED,
    checked_metrics,
    defines_tree,
    is_own,
    metrics_with_schema,
    signature_of,
    tree_note,
    tree_of_row,
    values_metric,
)
from docscore.evaluation.scoring import (
    MetricScores,
    anls_star_scores,
    error_of_metric,
    intervals_of_counts,
    points_lost,
    rate_counts_of,
)
from docscore.evaluation.tables import (
    LISTED,
    Table,
    TableCell,
    TableColumn,
    interval_column,
    table_of,
    text_column,
    value_column,
)
from docscore.evaluation.thresholds import thresholds_table
from docscore.grounding.checks import warnings_about_regions
from docscore.grounding.document_folder import DocumentFolder
from docscore.grounding.interpretation import with_regions
from docscore.grounding.nodes import RowAnnotator
from docscore.grounding.regions import RowRegions
from docscore.grounding.support import WHERE, DocumentSupport, support_in
from docscore.inputs.model_text import Parsed
from docscore.inputs.reading import as_scored
from docscore.inputs.rows import columns_of
from docscore.inputs.test_set import TestSet
from docscore.metrics.anls_star.causes import Cause
from docscore.metrics.anls_star.matching import has_long_list
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.annotations import Annotation, annotations_of
from docscore.metrics.base import FigureName, MetricRow, MetricTree
from docscore.metrics.typed.schema_warnings import (
    keys_of_schemas,
    places_by_schema,
)
from docscore.stats.calibration import Calibration
from docscore.stats.intervals import (
    CONFIDENCE,
    RESAMPLES,
    SEED,
    Interval,
    Ratios,
    intervals_of,
    side_by_side,
)

OF_ANLS = (ANLS_STAR, "anls", "anlsl")  # results of these metrics have the key "anls_score"


class Row(Displayed):
    """One row of an evaluation: a ground truth, its prediction and the score.

    Attributes:
        id: the id of the row; its number as text if rows have no ids.
        number: the position in the order of the references, counted from 0.
        ground_truth: the expected value; a tuple holds acceptable answers.
        prediction: the predicted value, as it was scored: with `parse`, the value read from the text; None without a
            prediction.
    """

    def __init__(self, evaluation: "Evaluation", number: int) -> None:
        self._evaluation = evaluation
        self.number = number
        self.id: str = evaluation.ids[number]
        self.ground_truth: Any = evaluation.test_set.truths[number]
        self.prediction: Any = evaluation.test_set.predictions[number]

    @property
    def score(self) -> float:
        """The score of the row by the primary metric, in [0, 1]."""
        return self._evaluation.scores[self.number]

    @property
    def columns(self) -> dict[str, Any]:
        """The full row of the references, by column; empty if rows have no ids."""
        rows = self._evaluation.test_set.reference_rows
        return {name: rows[self.number][name] for name in columns_of(rows[self.number])} if rows else {}

    @property
    def parse_note(self) -> str:
        """What parsing changed or could not read in the prediction; "" for nothing, and without `parse`."""
        return self._evaluation.test_set.readings.get(self.number, Parsed(None)).note

    @property
    def is_absent(self) -> bool:
        """Whether the row has no prediction."""
        return self.number in self._evaluation.test_set.absent

    @property
    def regions(self) -> RowRegions | None:
        """The evidence and the citations of the values; None if they were not interpreted."""
        places = self._evaluation.test_set.places
        return places[self.number] if places else None

    @property
    def for_metrics(self) -> MetricRow:
        """The row in the form that metrics accept."""
        confidences, options = self._evaluation.test_set.confidences, self._evaluation.options
        sure, regions = confidences[self.number] if confidences else None, self.regions
        annotator = None
        if regions is not None or sure is not None:
            annotator = RowAnnotator(regions, sure, options.iou, chooses=self._evaluation.evaluates_regions)
        reading = self._evaluation.test_set.readings.get(self.number)
        cause: Cause | None = "unparsable" if reading is not None and reading.failed else None
        if self.number in (self._evaluation.test_set.absent_as_null or ()):
            cause = "missing prediction"
        return MetricRow(
            self.ground_truth,
            self.prediction,
            sure,
            lambda: self._evaluation.anls_star[self.number],
            self.id,
            cause,
            annotator,
            self._evaluation.values_by,
        )

    def _tree_by(self, metric: str) -> ScoreTree:
        try:
            return tree_of_row(metric, self.for_metrics, self._evaluation.options)
        except Exception as error:
            if not is_own(METRICS[metric]):
                raise
            raise error_of_metric(metric, self.id, error) from error

    @cached_property
    def tree(self) -> ScoreTree:
        """The score tree by the primary metric; `tree.metric` names the metric of the tree.

        KIEval, Entity F1 and nTED have no tree, and your own metric may have none. `tree` is then the tree of the typed
        score if there is a schema, and otherwise the tree of ANLS*.
        """
        return self._tree_by(self._evaluation.metric)

    @property
    def tree_note(self) -> str:
        """A sentence that names the metric of `tree`; "" if the primary metric is a docscore metric with a tree."""
        return tree_note(self._evaluation.metric, self.tree)

    @property
    def other_trees(self) -> list[MetricTree]:
        """The score trees of your own metrics, other than the primary one, that return a `MetricTree`.

        Raises:
            TypeError, ValueError: if a metric cannot score a value.
        """
        own = (name for name in self._evaluation.metrics[1:] if METRICS[name].field_source != "tree")
        trees = (self._tree_by(name) for name in own if defines_tree(METRICS[name]))
        return [tree for tree in trees if isinstance(tree, MetricTree)]

    @property
    def text_options(self) -> CompareOptions | None:
        """The options that compared the texts of the tree; None if a schema says how values are compared."""
        return None if self.tree.metric == TYPED else self._evaluation.options

    @cached_property
    def annotations(self) -> list[Annotation]:
        """The annotations of the tree, such as exchanged values, most points first."""
        return annotations_of(self.tree, self.text_options)

    @property
    def sample(self) -> dict[str, Any]:
        """The id and the score in plain types; None for a row without evidence if the metric evaluates regions."""
        score = self.score if self.number in self._evaluation.primary.counted else None
        return {"question_id": self.id, self._evaluation.row_key: score}

    def to_dict(self) -> dict[str, Any]:
        """Return the id, the score, the tree and its annotations in plain types."""
        annotations = [annotation.to_dict() for annotation in self.annotations]
        return {**self.sample, "tree": self.tree.to_dict(), "annotations": annotations}

    def __repr__(self) -> str:
        return f"<Row {short_repr(self.id)} {self._evaluation.metric} {self.score:.4f}>"


class Rows(Displayed, list[Row]):
    """Rows of one evaluation, such as the rows with the lowest scores; in all other respects a list.

    >>> import docscore
    >>> worst = docscore.evaluate(predictions=["x", "y"], references=["x", "z"]).worst(2)
    >>> worst, worst[0]
    (<Rows 2 rows, anls_star 0.0000 to 1.0000>, <Row '1' anls_star 0.0000>)
    """

    def __init__(self, evaluation: "Evaluation", numbers: Iterable[int]) -> None:
        super().__init__(Row(evaluation, number) for number in numbers)
        self._evaluation = evaluation

    def __repr__(self) -> str:
        scores = [row.score for row in self]
        between = f", {self._evaluation.metric} {min(scores):.4f} to {max(scores):.4f}" if scores else ""
        return f"<Rows {counted(len(self), 'row')}{between}>"

    @property
    def table(self) -> Table:
        """The ids and the scores of the rows."""

        def score_cell(row: Row) -> TableCell:
            score = row.score
            return TableCell(score, three_digits(score), suffix=" (missing)" if row.is_absent else "")

        def id_cell(row: Row) -> TableCell:
            return TableCell(row.id, f"{numbered * row.id.isdigit()}{shown_name(row.id)}")

        numbered = "row " if self._evaluation.test_set.reference_rows is None else ""  # an id that counts rows from 0
        return table_of(
            "Lowest scores",
            self,
            (TableColumn("question_id", "document", "code"), id_cell),
            (TableColumn(self._evaluation.row_key, "score"), score_cell),
            unit="documents",
        )

    def to_pandas(self) -> Any:
        """Return the ids and the scores as a `pandas.DataFrame`; raises the same errors as `Table.to_pandas`."""
        return self.table.to_pandas()


class Automation:
    """The gain from reviewing values with low confidence: `result.automation` of an `Evaluation`.

    Its attributes raise `ValueError` if the primary metric does not score single values, or if no value has a
    confidence. Values without a confidence are always reviewed.

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

    def __init__(self, evaluation: "Evaluation") -> None:
        self._evaluation = evaluation

    @property
    def is_available(self) -> bool:
        """Whether there are confidences, and the primary metric evaluates single values."""
        return self._evaluation.test_set.options.with_confidences and self._evaluation.metric in REVIEWED

    @cached_property
    def curve(self) -> Curve:
        """The trade-off of automation and accuracy by the primary metric; iterating yields one point per threshold.

        The method `lowest` finds the lowest threshold that reaches an accuracy, with intervals.
        """
        result, is_kieval = self._evaluation, self._evaluation.metric == "kieval"
        figure = ALIGNED if is_kieval else result.figure_names[0].label
        return automation_curve(self._reviews, clusters=result.clusters, figure=figure, is_mean=not is_kieval)

    @cached_property
    def calibration(self) -> Calibration:
        """How far the confidences of predictions can be trusted: AUROC, expected calibration error and Brier score."""
        result = self._evaluation
        settings: dict[str, Any] = {"seed": result.seed, "progress": result.progress}
        return calibration_of_reviews(
            self._reviews, result.clusters, confidence=result.confidence or CONFIDENCE, **settings
        )

    def by_field(self, target: float = 0.95) -> Table:
        """Return, for each field, the lowest threshold whose accepted values have a wanted accuracy.

        One half of the documents chooses each threshold. The other half gives the accuracy of the values that it
        accepts, and the one-sided 95 % lower bound of this accuracy. The halves do not depend on the order of the rows.
        All rows of a cluster, and all runs of a document, are in the same half.

        Args:
            target: the wanted accuracy, in [0, 1].

        Returns:
            One row per field. Without a threshold, `needed` estimates how many more values the field needs.
        """
        result = self._evaluation
        units = result.test_set.clusters or result.ids
        return thresholds_table(self._reviews, units, target, seed=result.seed, progress=result.progress)

    @cached_property
    def _reviews(self) -> list[DocumentReview]:
        """The changes that a review of the predicted values makes to the score of each row by the primary metric."""
        if self._evaluation.metric == "kieval":
            return list(map(review_of_entities, self._evaluation.metric_scores["kieval"].points))
        if self._evaluation.metric not in REVIEWED:
            raise InputValueError(
                place="metrics",
                expected=f"{', '.join(REVIEWED)} as the primary metric, for automation and calibration",
                got=self._evaluation.metric,
            )
        confidences = self._evaluation.test_set.confidences or [None] * len(self._evaluation)
        trees = (self._evaluation.row(number).tree for number in range(len(self._evaluation)))
        return list(map(review_of_tree, trees, confidences))


class Evaluation(Displayed):
    """The result of `docscore.evaluate`: one system on one test set.

    Numbers, tables and trees are computed on first access, and kept. `result["receipt-018"]` is the row with an id,
    iterating yields the ids, and `len` is the number of rows. `print(result)` prints what `docscore score` prints, and
    a notebook renders it.

    Args:
        test_set: the rows, as they are scored. If they are a full test set, a schema must name one of their fields.
        options: how predictions are read and compared.
        metrics, confidence, seed, documents, token_price: as for `docscore.evaluate`.
        progress: called when each phase of the work begins.
        num_proc: the number of processes that compute scores.

    Attributes:
        test_set: the rows as they are scored: with `parse`, texts are replaced by the JSON values read from them.
        ids: the id of each row.
        options: how predictions are read and compared.
        metrics: the names of the metrics.
        metric: the primary metric, which is the first of them.
        files: the names of the files that were read, references first; empty if no files were read.
        recipe: the call of `docscore.evaluate` that made the result, as Python code; "" if there was no such call.

    Raises:
        TypeError, ValueError: if a metric is unknown, a metric does not support an option, a level is not between 0 and
            1, a text cannot be read as the options say, or a schema names none of the fields.

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

    def __init__(
        self,
        test_set: TestSet,
        options: CompareOptions = DEFAULT_OPTIONS,
        *,
        metrics: Sequence[str] | None = None,
        confidence: float | None = CONFIDENCE,
        seed: int = SEED,
        progress: Progress = no_progress,
        token_price: float | None = None,
        documents: Any = None,
        num_proc: int = 1,
    ) -> None:
        check_schema_by(test_set.options, options)
        if options.schema is not None and options.schema.folder:
            options = replace(options, schema=replace(options.schema, names=test_set.schema_of_row))
        metrics = metrics_with_schema(None, options.schema) if metrics is None else metrics
        self.metrics = checked_metrics(metrics, options)
        self.metric = self.metrics[0]
        self.scorer = METRICS[self.metric]
        self.options, self.progress = options, progress
        self.token_price = None if token_price is None else check_price("token_price", token_price)
        self.num_proc = num_proc
        self.confidence = None if confidence is None else check_confidence(confidence)
        self.seed = check_integer("seed", seed, 0)
        self.test_set, self.ids, self._warnings = test_set, test_set.ids, list[DataWarning]()
        self.document_ids = test_set.document_ids or test_set.ids
        read = documents is None or isinstance(documents, DocumentFolder)
        self.document_folder = documents if read else DocumentFolder(documents, self.document_ids)
        self.evaluates_regions = any(METRICS[name].evaluates_regions for name in self.metrics)
        if documents is not None or self.evaluates_regions:
            page_count_of = None if self.document_folder is None else self.document_folder.page_count_of
            self.test_set, found = with_regions(test_set, page_count_of)
            self._warn(found)
            if test_set.is_full and len(self) > 1:
                self._warn(warnings_about_regions(self.test_set.places or ()))
        self.places: dict[str, set[str]] = {}
        if TYPED in self.metrics:
            self.places = places_by_schema(zip(self.ids, self.test_set.truths, strict=True), options.schema)
            if test_set.is_full:
                self._warn(warnings_about_typed(self.test_set, self.places, options.schema))
        by = test_set.options.by
        self.slice_name = by if isinstance(by, str) else "value"
        given = self.test_set, options, self.metric_rows, lambda: self.anls_star, progress, self._warn
        self.metric_scores = {name: MetricScores(name, *given, is_primary=name == self.metric) for name in self.metrics}
        self.primary = self.metric_scores[self.metric]
        if test_set.is_full:
            self.check_points()

    def check_points(self) -> None:
        """Warn about keys, wrapped values, names and notations that change the score."""
        settings: dict[str, Any] = {"metrics": self.metrics, "confidence": None}
        measure = Measure(self.test_set, lambda rows: Evaluation(rows, self.options, **settings).score)
        found = warnings_about_points(measure, lambda: keys_of_schemas(self.options.schema))
        self._warn(settled_without(found, self.options))

    def _warn(self, warnings: Iterable[DataWarning]) -> None:
        """Issue and keep warnings that depend on the metrics or on the options of comparison."""
        for warning in warnings:
            self._warnings.append(warning)
            warn(warning)

    @property
    def warnings(self) -> list[DataWarning]:
        """The warnings about the rows, and one warning for each error of a row that was left out."""
        left_out = (DataWarning(error.kind, error.diagnostic) for error in self.test_set.row_errors)
        return [*self.row_warnings, *left_out]

    @property
    def row_warnings(self) -> list[DataWarning]:
        """The warnings about the rows that are scored."""
        return [*settled_without(self.test_set.warnings, self.options), *self._warnings]

    @cached_property
    def values_by(self) -> str:
        """The metric that decides which values are right, for a metric that evaluates regions."""
        return values_metric(self.metrics, self.options)

    @cached_property
    def rows_by_slice(self) -> dict[str, list[int]]:
        """The numbers of the rows with each value of `by`."""
        return self.test_set.rows_by_slice

    @cached_property
    def clusters(self) -> npt.NDArray[np.intp] | None:
        """The number of the cluster of each row; None if all rows are independent."""
        return self.test_set.cluster_numbers

    # Scores

    @cached_property
    def anls_star(self) -> list[float]:
        """The ANLS* score of each row, in [0, 1]."""
        return anls_star_scores(self.test_set, self.options, self.num_proc, self.progress)

    @property
    def ratio(self) -> Ratios:
        """The first figure of the primary metric as a ratio of sums over rows."""
        return self.primary.first

    @cached_property
    def ratios(self) -> Ratios:
        """The figures of the metrics as ratios of sums over the rows, one column per figure."""
        return side_by_side(*(scores.ratios for scores in self.metric_scores.values()))

    @property
    def score(self) -> float:
        """The first figure of the primary metric, in [0, 1], 1 is best; by default the mean ANLS* score."""
        return float(self.ratio.values[0])

    @cached_property
    def scores(self) -> list[float]:
        """The score of each row by the primary metric: its part of the figure, or 1 if nothing in the row counts."""
        figure = self.ratio
        sums = zip(figure.earned[:, 0].tolist(), figure.weight[:, 0].tolist(), strict=True)
        return [earned / weight if weight else 1.0 for earned, weight in sums]

    @property
    def figure_names(self) -> list[FigureName]:
        """The names of the figures of the metrics; the first is the name of the score."""
        return [name for scores in self.metric_scores.values() for name in scores.names]

    @property
    def denominator(self) -> float:
        """The denominator of the score: the number of rows, or of entities for a metric that counts entities."""
        return float(self.ratio.totals[0]) or 1.0

    @cached_property
    def score_by_value(self) -> float | None:
        """The score with numbers compared by value.

        None if numbers are already compared by value, if no number prints differently from its value, or if the metric
        does not have this option. Only the rows with such numbers are scored again.
        """
        if "numbers" not in self.scorer.options or self.options.numbers == BY_VALUE:
            return None
        pairs = watched(self.test_set.pairs, self.progress, "Checking", len(self))
        rows = [number for number, pair in enumerate(pairs) if differs_by_value(pair)]
        if not rows:
            return None
        options = replace(self.options, numbers=BY_VALUE)
        again = Evaluation(self.test_set.part(rows), options, metrics=self.metrics, confidence=None)
        sums = self.ratio.table.copy()
        sums[rows] = again.ratio.table
        return float(Ratios(sums[:, :1], sums[:, 1:]).values[0])

    @cached_property
    def breakdowns(self) -> dict[str, Any]:
        """Further counts of a metric by its name, such as the corrections of KIEval."""
        parts: dict[str, Any] = {name: scores.breakdown for name, scores in self.metric_scores.items()}
        parts["found_in_documents"] = self._support()
        return {name: breakdown for name, breakdown in parts.items() if breakdown is not None}

    def _support(self) -> DocumentSupport | None:
        """Return the predicted values that are found in the documents; None without documents."""
        if self.document_folder is None:
            return None
        found, warnings = support_in(self.document_folder, self.test_set, self.progress)
        self._warn(warnings)
        if self.confidence is not None:
            intervals = intervals_of(found.ratios, self.confidence, **self._drawing())
            found.intervals = dict(zip(WHERE, intervals, strict=True))
        return found

    # Figures with their intervals

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval of the score; None if there are too few documents, or no level was requested."""
        return self.intervals[self.figure_names[0].key]

    @property
    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """The confidence interval of each figure by its name; None if there is no interval."""
        return {figure.name: figure.interval and figure.interval.ends for figure in self.measured}

    @property
    def figures(self) -> dict[str, float]:
        """The value of each figure of the metrics by its name, in [0, 1]."""
        return {name.key: float(value) for name, value in zip(self.figure_names, self.ratios.values, strict=True)}

    @cached_property
    def measured(self) -> list[Figure]:
        """The figures of the metrics, with their intervals; the first is the score."""
        return figures_of(self.figure_names, self.ratios, self.confidence, **self._drawing())

    @property
    def other_figures(self) -> list[Figure]:
        """The figures of the metrics; empty if ANLS* is the only metric."""
        return [] if self.metrics == [ANLS_STAR] else self.measured

    @cached_property
    def slice_figures(self) -> list[Slice]:
        """The figures of each slice, largest slice first; slices of equal size keep the order of their first rows."""
        if not self.rows_by_slice:
            return []
        of_regions = [scores.names for name, scores in self.metric_scores.items() if METRICS[name].evaluates_regions]
        optional = {name.key for names in of_regions for name in names}
        settings = {"runs": self.test_set.runs, "optional": optional, **self._drawing(len(self.rows_by_slice))}
        return slices_of(self.rows_by_slice, self.figure_names, self.ratios, self.confidence, **settings)

    def _drawing(self, times: int = 1) -> dict[str, Any]:
        """Begin the phase "Resampling", and return the keywords that all intervals are computed with."""
        resampled = ignore if self.confidence is None else self.progress("Resampling", RESAMPLES * times)
        return {"clusters": self.clusters, "seed": self.seed, "resampled": resampled}

    @cached_property
    def part_intervals(self) -> dict[str, dict[str, Interval]]:
        """The intervals of rates, of fields filled although empty, and of fields, by name; empty if not requested."""
        counts = self.rate_counts  # this phase comes first
        return intervals_of_counts(counts, self.field_table, self.confidence, **self._drawing())

    @cached_property
    def field_intervals(self) -> dict[str, Interval]:
        """The interval of the score of each field, by path; empty if not requested."""
        return self.part_intervals["fields"]

    @cached_property
    def rate_list(self) -> list[Rate]:
        """Shares of documents and of values; shares of independent documents have Wilson's interval."""
        wilson = self.confidence if self.clusters is None else None
        return rates_of(self.rate_counts, self.part_intervals["rates"], wilson)

    @cached_property
    def signatures(self) -> dict[str, str]:
        """The signature that makes the figures of each metric comparable, by its name: metric, options and version."""
        given: dict[str, Any] = {"skipped": self.test_set.skipped, "values_by": self.values_by}
        return {name: signature_of(name, self.options, self.test_set.options, **given) for name in self.metrics}

    @property
    def signature(self) -> str:
        """The signature that makes the figures of the primary metric comparable."""
        return self.signatures[self.metric]

    @cached_property
    def runs(self) -> Runs | None:
        """The variation of the scores between several runs; None for a single run, or for a single document."""
        documents = self.test_set.document_ids
        return None if documents is None else runs_of(self.ratio, self.scores, documents)

    @cached_property
    def costs(self) -> dict[str, Cost]:
        """The sums of the columns cost, seconds and tokens of the predictions, if the predictions have these columns.

        With a price of tokens, the cost is computed from the tokens.
        """
        return costs_of(self.test_set, self.token_price)

    @property
    def counts(self) -> dict[str, int]:
        """The number of skipped, missing and repeated rows, and of each outcome of parsing, if options ask for them."""
        return self.test_set.counts

    # Fields, causes of lost points, and what rates count

    @cached_property
    def field_table(self) -> FieldTable:
        """The fields of the primary metric, and the causes of lost points.

        They come from the score trees of the metric, or they are its types of entities.
        """
        points = self.primary.points  # this phase comes first, and its errors name rows
        if self.scorer.field_source != "tree":
            return summed_fields(self.scorer, points, self.ratio)
        rows = watched(enumerate(self.metric_rows()), self.progress, "Explaining", len(self))
        by_schema = METRICS[TYPED] if self.metric != TYPED and TYPED in self.metrics else None
        return counted_fields(self.scorer, rows, self.options, by_schema)

    def metric_rows(self) -> Iterator[MetricRow]:
        """Yield the rows in the form that metrics accept."""
        return (self.row(number).for_metrics for number in range(len(self)))

    @cached_property
    def cut_off(self) -> str:
        """A sentence on lists that were cut off; "" if they cost little. Only long lists are checked."""
        truths = self.test_set.truths
        if self.scorer.field_source != "tree" or not has_long_list(truths):
            return ""
        table: FieldTable | None = vars(self).get("field_table")  # a complete table has all lists
        if table is None:
            rows = ((n, self.row(n).for_metrics) for n, truth in enumerate(truths) if has_long_list([truth]))
            table = counted_fields(self.scorer, rows, self.options)
        return cut_off_text(table, len(self) - fsum(self.scores))

    @cached_property
    def lost(self) -> dict[Cause, float]:
        """The points lost by each cause, as a share of the denominator; the shares add up to 1 - score."""
        return points_lost(self.field_table, self.denominator)

    @cached_property
    def rate_counts(self) -> dict[str, RateCounts]:
        """The counts of each rate, by the name of the rate."""
        return rate_counts_of(self.field_table, self.scores, self.primary.counted, self.test_set)

    # Tables

    @cached_property
    def fields(self) -> Table:
        """The score of each field with its interval and the counts of its outcomes, most points lost first."""
        return self.table_of_fields(self.field_table.by_loss())

    def table_of_fields(self, fields: Sequence[Field]) -> Table:
        """Return the table of some fields, in the given order."""
        with_outcomes = self.scorer.field_source == "tree"
        return fields_table(fields, self.denominator, self.field_intervals, with_outcomes=with_outcomes)

    @cached_property
    def lists(self) -> Table:
        """The rows of each list: expected, predicted, paired and fully correct; and how many lists were cut off."""
        return lists_table(self.field_table, self.denominator)

    @cached_property
    def causes(self) -> Table:
        """The causes of lost points, each with its part of 1 - score, largest first; without rows if none were lost."""
        return causes_table(self.lost, self.scorer.meanings, self.scorer.fields_note)

    @cached_property
    def rates(self) -> Table:
        """Shares of documents and of values: fully correct, with missing and with invented values."""
        return rates_table(self.rate_list)

    @cached_property
    def filled_although_empty(self) -> Table:
        """How often each field is filled if the ground truth is empty; without rows if no ground truth is empty."""
        return filled_table(self.field_table.by_blanks(), self.part_intervals["filled"])

    @cached_property
    def confusions(self) -> Table:
        """The characters that differ in near misses, most documents first; without rows if there are no near misses."""
        return confusions_table(self.field_table.unequal, self.document_ids, self.options)

    @cached_property
    def slices(self) -> Table:
        """The figures of each value of `by` with their intervals, most documents first; without `by`, no rows."""
        return slices_table(self.slice_figures, self.slice_name)

    @cached_property
    def automation(self) -> Automation:
        """The gain from reviewing values with low confidence, and how far confidences can be trusted."""
        return Automation(self)

    # Rows

    def worst(self, count: int = 10) -> Rows:
        """Return the rows with the lowest scores, lowest first; a list that a notebook renders as a table.

        The method `to_pandas` of the list returns ids and scores.
        """
        return Rows(self, sorted(self.primary.counted, key=self.scores.__getitem__)[:count])

    @cached_property
    def row_scores(self) -> Table:
        """The id and the score of each row, in the order of the references, and how its prediction was read."""
        return rows_table(self.samples(), self.row_key)

    def row(self, number: int) -> Row:
        """Return the row with a number."""
        return Row(self, number)

    @property
    def row_key(self) -> str:
        """The key of the score of a row in results: "anls_score", or the name of the primary metric."""
        return "anls_score" if self.metric in OF_ANLS else self.metric

    def samples(self) -> list[dict[str, Any]]:
        """Return the id and the score of each row, and how its prediction was read, in the order of the references."""
        return samples_of(self.test_set, [self.row(number).sample for number in range(len(self))])

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __contains__(self, question_id: object) -> bool:
        return question_id in self.test_set.numbers

    def __getitem__(self, question_id: str) -> Row:
        if question_id not in self.test_set.numbers:
            example = short_repr(self.ids[0])
            msg = f"{row_place(question_id)}: expected one of the {len(self):,} ids, such as {example}"
            raise KeyError(msg)
        return Row(self, self.test_set.numbers[question_id])

    # Parts, comparisons, reports

    def of_slice(self, value: str) -> "Evaluation":
        """Return the rows of one slice as a separate evaluation, with its own fields, causes and comparisons.

        Args:
            value: a value of the column or function `by`, as text.

        Raises:
            ValueError: if no row has the value, or if there is no `by`.
        """
        settings: dict[str, Any] = {"confidence": self.confidence, "seed": self.seed, "progress": self.progress}
        settings |= {"token_price": self.token_price, "documents": self.document_folder}
        return Evaluation(self.test_set.of_slice(value), self.options, metrics=self.metrics, **settings)

    def compare(self, other: "Evaluation") -> Any:
        """Return `docscore.compare(self, other)`: another system on the same documents, with this one as the base."""
        return docscore.compare(self, other)

    def report(self, path: str | Path, *, title: str | None = None, worst: int = LISTED) -> Path:
        """Write a report on the test set.

        Args:
            path: the file to write: `.html`, or `.md` without score trees.
            title: the heading; None for the names of the evaluated files, or without files for the name of this file.
            worst: how many of the rows with the lowest scores the report shows.

        Returns:
            The path of the file.

        Raises:
            ValueError: if the extension is another one, or the folder does not exist.
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
            fields: whether to include fields, causes of lost points and rates.
            per_sample: whether to include the score of each row.
            signature: whether to include the signature.
        """
        result: dict[str, Any] = {"anls_score" if self.metric in OF_ANLS else "score": self.score}
        if self.confidence is not None:
            interval = self.measured[0].interval or Interval()
            result |= {"confidence_interval": interval.ends, "standard_error": interval.standard_error}
            if interval.note:
                result["confidence_note"] = interval.note
        if self.test_set.clusters is not None:
            result["clusters"] = len(set(self.test_set.clusters))
        result |= self.counts | ({"confidences_from": form} if (form := self.test_set.confidence_form) else {})
        if fields:
            result |= fields_to_dict(self)
        if per_sample:
            result["per_sample"] = self.samples()
            if self.test_set.options.parse_mode is not None:
                result["parsed_ids"] = self.test_set.parsed_ids()
        return {**result, "signature": self.signature} if signature else result

    def to_dict(self, *, fields: bool = True, worst: int = LISTED, rows: bool = True) -> dict[str, Any]:
        """Return the result in plain types, as `docscore score --json` prints it.

        Args:
            fields: whether to include fields, causes of lost points and rates.
            worst: how many of the rows with the lowest scores to list.
            rows: whether to include all rows, as "per_sample".
        """
        parts = self.summary_to_dict(fields=fields, per_sample=rows, signature=True)
        if self.other_figures:
            figures, signatures = figures_to_dict(self), {"signature": self.signature, "signatures": self.signatures}
            parts["metrics"] = {**figures, **signatures}
        parts |= views_to_dict(self, worst)
        if self.test_set.slice is not None:
            parts["slice"] = {"by": self.slice_name, "value": self.test_set.slice}
        lowest = [row.sample for row in self.worst(worst)]
        return {"metric": self.metric, "score": self.score, **parts, "rows": len(self), "worst": lowest}

    def __repr__(self) -> str:
        return f"<Evaluation {self.metric} {self.score:.4f}, {len(self.document_ids):,} documents>"


def evaluate_rows(
    rows: TestSet,
    reading: ReadOptions = DEFAULT_READING,
    options: CompareOptions = DEFAULT_OPTIONS,
    *,
    is_full: bool = True,
    progress: Progress = no_progress,
    **settings: Any,
) -> Evaluation:
    """Parse paired rows, warn about likely mistakes, and evaluate them; raises the same errors as `docscore.evaluate`.

    Args:
        rows: the paired rows.
        reading: how rows are read.
        options: how values are compared.
        is_full: whether the rows are a full test set.
        progress: as for `Evaluation`.
        settings: other keywords of `Evaluation`.
    """
    return evaluated(as_scored(rows, reading, progress, is_full=is_full), options, progress=progress, **settings)


def evaluated(test_set: TestSet, options: CompareOptions = DEFAULT_OPTIONS, **settings: Any) -> Evaluation:
    """Issue the warnings of a test set that was just read, and evaluate it; takes the arguments of `Evaluation`."""
    for warning in settled_without(test_set.warnings, options):
        warn(warning)
    evaluation = Evaluation(test_set, options, **settings)
    if not test_set.is_full:
        evaluation.check_points()
    return evaluation


def settled_without(warnings: Iterable[DataWarning], options: CompareOptions) -> list[DataWarning]:
    """Return the warnings whose remedy the options do not already contain."""
    return [
        each
        for each in warnings
        if not each.remedy or not all(_is_given(options, name, value) for name, value in each.remedy.items())
    ]


def _is_given(options: CompareOptions, name: str, value: Any) -> bool:
    """Return whether an option has a value; the value `...` matches any setting."""
    given = getattr(options, name, None)
    return given is not None if value is ... else bool(given == value)


def figure_table(evaluation: Evaluation) -> Table:
    """Return a table of the figures of the metrics with their intervals; without rows if ANLS* is the only metric."""
    return table_of(
        "Metrics",
        evaluation.other_figures,
        value_column("name", "name", str, kind="code", extra=True),
        text_column("label", "metric", kind="text"),
        (
            TableColumn("value", "value"),
            lambda figure: TableCell(figure.value, f"{figure.value:.4f}", terminal=f"{figure.value:.6f}"),
        ),
        interval_column(FOUR_DIGITS),
        unit="figures",
        signatures=evaluation.signatures.values(),
    )


def breakdown_tables(evaluation: Evaluation) -> list[Table]:
    """Return the tables of the typed score, of regions and of values found in documents, if there are any."""
    found = evaluation.breakdowns
    return [
        *([found["typed"].typed()] if "typed" in found else []),
        *([regions_table(found["grounding"].regions())] if "grounding" in found else []),
        *(support_tables(found["found_in_documents"]) if "found_in_documents" in found else []),
    ]


def figures_to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return the figures by name, the numbers behind them and their intervals, in plain types."""
    result: dict[str, Any] = {figure.name: figure.value for figure in evaluation.measured}
    for name in evaluation.metrics:
        if breakdown := evaluation.breakdowns.get(name):
            result |= breakdown.counts()
            result |= breakdown.tables() if METRICS[name].evaluates_regions else {}
    return result | ends_by_name(evaluation.measured)


def fields_to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return causes of lost points, fields, lists and rates in plain types."""
    hidden = ("interval",) if evaluation.confidence is None else ()
    fields = evaluation.table_of_fields(list(evaluation.field_table.fields.values()))
    return {
        "points_lost": {str(cause): lost for cause, lost in evaluation.lost.items()},
        "key_scores": list(fields.without(*hidden)),
        "lists": list(evaluation.lists),
        "rates": list(evaluation.rates.without(*hidden)),
        "filled_although_empty": list(evaluation.filled_although_empty.without(*hidden)),
    }


def views_to_dict(evaluation: Evaluation, worst: int = LISTED) -> dict[str, Any]:
    """Return the slices, the variance of runs and the score by value in plain types, if they exist."""
    has_documents = evaluation.document_folder is not None
    views = {
        "slices": None if evaluation.test_set.slices is None else [part.to_dict() for part in evaluation.slice_figures],
        "runs": None if evaluation.runs is None else evaluation.runs.to_dict(worst),
        "score_by_value": evaluation.score_by_value,
        "found_in_documents": evaluation.breakdowns["found_in_documents"].to_dict() if has_documents else None,
    }
    return {name: view for name, view in views.items() if view is not None}
