"""The function `docscore.evaluate`, and the `Evaluation` that it returns: one system on one test set.

The command prints it, the report draws it, and the page shows it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.display import Displayed
from docscore.core.errors import (
    NAMED,
    InputTypeError,
    InputValueError,
    at_place,
    row_place,
    short_repr,
)
from docscore.core.options import (
    BY_VALUE,
    DEFAULT_OPTIONS,
    PAPER,
    SKIP,
    THRESHOLD,
    ScoringOptions,
    check_whole,
)
from docscore.core.output import write_report
from docscore.core.runtime import READING, Advance, Progress, ignore, no_progress
from docscore.core.values import differs_by_value
from docscore.data.checks import read_texts, warn_of_copies
from docscore.data.files import ColumnNames
from docscore.data.groups import Grouping, groups_of_rows, joined_runs
from docscore.data.json_text import COUNTED_OUTCOMES, PARSE_COUNTS, Parsed
from docscore.data.pairing import Pairs, rows_of_sides
from docscore.evaluation.automation import (
    ALIGNED,
    REVIEWED,
    Curve,
    Review,
    automation_curve,
    calibration_of_reviews,
    review_of_entities,
    review_of_tree,
)
from docscore.evaluation.comparison import Comparison
from docscore.evaluation.contents import causes_table, fields_table, rates_table, samples_table, slices_table
from docscore.evaluation.costs import Cost, costs_of
from docscore.evaluation.fields import MOST_FIELDS_TESTED, Field, FieldTable, as_float, fields_as_ratios
from docscore.evaluation.runs import Runs, runs_of
from docscore.evaluation.tables import LISTED, Table
from docscore.metrics.anls_star.api import score_all
from docscore.metrics.anls_star.causes import CAUSES, Cause
from docscore.metrics.anls_star.field_counts import FieldCounts
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.annotations import Annotation, annotations_of
from docscore.metrics.base import Breakdown, FigureName, MetricRow, MetricTree
from docscore.metrics.registry import ANLS_STAR, METRICS, TYPED, WITH_TREES, AnlsStar, checked_metrics
from docscore.metrics.signature import signature_of
from docscore.stats.calibration import Calibration
from docscore.stats.intervals import (
    CONFIDENCE,
    MOST_RESAMPLED,
    RESAMPLES,
    SEED,
    Interval,
    Ratios,
    check_confidence,
    intervals_of,
    side_by_side,
    wilson_interval,
)

_DELAY = 0.5  # seconds before a bar is shown that nobody asked for
_OF_ANLS = (ANLS_STAR, "anls", "anlsl")  # their results have the key "anls_score"
_LEFT_OUT = Interval(note=f"only the {MOST_FIELDS_TESTED} fields of most weight have an interval")


def metrics_with_schema(metrics: Sequence[str] | None, schema: object) -> tuple[str, ...]:
    """The metrics, and the typed score too where there is a schema: the first where no metrics were asked for."""
    if metrics is None:
        return (ANLS_STAR,) if schema is None else (TYPED, ANLS_STAR)
    return tuple(metrics) if schema is None else tuple(dict.fromkeys([*metrics, TYPED]))


class Row(Displayed):
    """One row of an evaluation, a document.

    Attributes:
        id: its id; where rows have none, its number as text.
        number: its place in the order of the references, counted from 0.
        score: its score by the first metric, in [0, 1].
        ground_truth: what was expected; a tuple holds acceptable answers.
        prediction: what was predicted, as it was scored: with `parse` the value that was read; None where there was
            none.
    """

    def __init__(self, evaluation: Evaluation, number: int) -> None:
        self._evaluation = evaluation
        self.number = number
        self.id: str = evaluation.ids[number]
        self.score: float = evaluation.scores[number]
        self.ground_truth: Any = evaluation.pairs.truths[number]
        self.prediction: Any = evaluation.pairs.predictions[number]

    @cached_property
    def tree(self) -> ScoreTree:
        """How the score comes about: one node for every pair of places."""
        return self._evaluation.tree(self.number)

    @cached_property
    def annotations(self) -> list[Annotation]:
        """The remarks on the tree, such as values that are exchanged, most points first."""
        return annotations_of(self.tree, self._evaluation.text_options)

    def explain(self, metric: str) -> ScoreTree:
        """How the score of the document by a metric comes about, as a tree.

        Args:
            metric: a name among `METRICS`: "kieval" (entities and the corrections that they need), "entity_f1"
                (entities that are right, wrong, missed and invented), "nted" (edits of keys and texts with what they
                cost), "typed" (with a schema) or another, whose tree is that of ANLS*.

        Raises:
            TypeError, ValueError: for another metric, and values that the metric refuses.
        """
        if metric not in METRICS:
            raise InputValueError(place="metric", expected=f"one of {', '.join(METRICS)}", got=short_repr(metric))
        if metric == self._evaluation.metric:
            return self.tree
        METRICS[metric].check_options(self._evaluation.options)
        return METRICS[metric].score_tree(self._evaluation.row(self.number), self._evaluation.options)

    def to_dict(self) -> dict[str, Any]:
        """The id, the score, the tree and the remarks on it in plain types."""
        remarks = [remark.to_dict() for remark in self.annotations]
        return {**self._evaluation.sample(self.number), "tree": self.tree.to_dict(), "annotations": remarks}

    def __repr__(self) -> str:
        return f"<Row {short_repr(self.id)} {self._evaluation.metric} {self.score:.4f}>"

    @property
    def other_trees(self) -> list[MetricTree]:
        """Its score trees by the other metrics that have trees of their own."""
        return self._evaluation.other_trees(self.number)


class Rows(Displayed, list[Row]):
    """Documents of one result, such as those with the lowest scores; a list in every other respect.

    >>> import docscore
    >>> worst = docscore.evaluate(predictions=["x", "y"], references=["x", "z"]).worst(2)
    >>> worst, worst[0]
    (<Rows 2 documents, anls_star 0.0000 to 1.0000>, <Row '1' anls_star 0.0000>)
    """

    def __init__(self, evaluation: Evaluation, numbers: Sequence[int]) -> None:
        super().__init__(Row(evaluation, number) for number in numbers)
        self.evaluation = evaluation

    def __repr__(self) -> str:
        count = f"{len(self):,} document{'' if len(self) == 1 else 's'}"
        if not self:
            return f"<Rows {count}>"
        scores = [document.score for document in self]
        return f"<Rows {count}, {self.evaluation.metric} {min(scores):.4f} to {max(scores):.4f}>"


class Figure(NamedTuple):
    """A figure of a metric over a test set.

    Attributes:
        name: the key of results, such as "kieval_entity_f1".
        label: its name in tables, such as "KIEval Entity F1".
        value: in [0, 1]; 1 is best.
        interval: the confidence interval from resampled documents; None if not requested.
    """

    name: str
    label: str
    value: float
    interval: Interval | None = None


def ends_by_name(figures: Sequence[Figure]) -> dict[str, Any]:
    """The ends of the intervals by the name of the figure, under "confidence_intervals"; nothing without intervals."""
    ends = {figure.name: figure.interval.ends for figure in figures if figure.interval is not None}
    return {"confidence_intervals": ends} if ends else {}


class Slice(NamedTuple):
    """The rows of a test set that share a value.

    Attributes:
        value: the value, as text; None for all rows.
        documents: how many documents there are; one of several runs counts once.
        figures: the figures over these rows, with their intervals.
    """

    value: str | None
    documents: int
    figures: list[Figure]

    def to_dict(self) -> dict[str, Any]:
        """The row of a table, in plain types."""
        values: dict[str, Any] = {figure.name: figure.value for figure in self.figures}
        return {"value": self.value, "documents": self.documents, **values, **ends_by_name(self.figures)}


class Rate(NamedTuple):
    """A share of documents or of values.

    Attributes:
        name: what is counted.
        hits: the number of documents or values that are counted.
        total: the number of all documents or values.
        interval: Wilson's for independent documents; for values, which come in documents, and for documents that come
            in clusters, the one from resampled documents or clusters; None if not requested.
    """

    name: str
    hits: int
    total: int
    interval: Interval | None

    @property
    def value(self) -> float | None:
        """Hits / total, in [0, 1]; None where there is nothing to count."""
        return self.hits / self.total if self.total else None

    def to_dict(self) -> dict[str, Any]:
        """The row of a table, in plain types."""
        ends = {} if self.interval is None else {"low": self.interval.low, "high": self.interval.high}
        return {"rate": self.name, "value": self.value, **ends, "hits": self.hits, "total": self.total}


class Evaluation(Displayed):
    """What `docscore.evaluate` returns: one system on one test set.

    Numbers, tables and documents are computed when they are first looked at, and kept. `result["receipt-018"]` is the
    document of an id, iterating gives the ids, and `len` is the number of documents. `print(result)` prints what
    `docscore score` does, and a notebook draws it.

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

    Attributes:
        source: the rows as they came.
        pairs: the rows as they are scored: with `parse`, texts are replaced by the JSON values read from them.
        readings: how the text of each row was read that was read as JSON, by its number; empty without `parse`.
        doubts: what is doubtful of the rows, in sentences; each was also a warning.
        ids: the id of each row.
        metric: the first of the metrics, which is the metric of everything.
        slice_name: what the values of slices are called in tables: the column, or "value" where they do not come from
            one.
        slice: the value that all rows have, of the evaluation of one slice; else None.

    Raises:
        TypeError, ValueError: for unknown metrics, options that a metric cannot take, a level that is not between 0 and
            1, and texts that are not read as the options say.

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

    def __init__(
        self,
        pairs: Pairs,
        options: ScoringOptions = DEFAULT_OPTIONS,
        *,
        metrics: Sequence[str] | None = None,
        cluster: Grouping | None = None,
        by: Grouping | None = None,
        confidence: float | None = CONFIDENCE,
        seed: int = SEED,
        progress: Progress = no_progress,
        faults: Sequence[str] = (),
    ) -> None:
        metrics = metrics_with_schema(None, options.schema) if metrics is None else metrics
        self.metrics = checked_metrics(metrics, options)
        self.metric = self.metrics[0]
        self.options, self.by, self.progress, self.faults = options, by, progress, list(faults)
        self.confidence = None if confidence is None else check_confidence(confidence)
        self.seed = check_whole("seed", seed, 0)
        clusters = pairs.clusters if cluster is None else groups_of_rows(pairs, cluster, "cluster")
        self.source = pairs._replace(clusters=clusters)
        self.pairs, self.readings, self.doubts = read_texts(self.source, options)
        self.ids = self.pairs.ids
        self.slice_name = by if isinstance(by, str) else "value"
        self.slice: str | None = None
        self._rows_by_slice: dict[str, list[int]] = {}  # by each value of `by` the numbers of its rows
        for number, name in enumerate([] if by is None else groups_of_rows(self.pairs, by, "by")):
            self._rows_by_slice.setdefault(name, []).append(number)
        self._points: dict[str, list[Any]] = {}
        self._ratios: dict[str, Ratios] = {}

    @cached_property
    def signatures(self) -> dict[str, str]:
        """What makes the figures of each metric comparable, by its name: metric, options and version."""
        return {name: signature_of(name, self.options, skipped=self.pairs.skipped) for name in self.metrics}

    @property
    def signature(self) -> str:
        """The same of the first metric."""
        return self.signatures[self.metric]

    # The rows, scored

    @cached_property
    def anls_star(self) -> list[float]:
        """The ANLS* score of each row, in [0, 1]."""
        values = zip(self.pairs.truths, self.pairs.predictions, strict=True)
        scored = self.progress("Scoring", len(self.ids))
        scores: list[float] = score_all(values, self.options, self._place, scored).tolist()
        return scores

    def points(self, metric: str) -> list[Any]:
        """The points of each row by a metric, from which it computes its figures.

        Raises:
            TypeError, ValueError: for a value that the metric cannot score, naming its row.
        """
        if metric == ANLS_STAR:
            return self.anls_star
        if metric not in self._points:
            scorer, points = METRICS[metric], []
            if isinstance(scorer, AnlsStar):
                _ = self.anls_star  # its phase comes first
            measured = self.progress("Measuring", len(self.ids))
            for number in range(len(self.ids)):
                try:
                    of_row = scorer.row_points(self.row(number), self.options)
                except (TypeError, ValueError) as error:
                    raise at_place(self._place(number), error) from None
                # with confidences the automation curve reads the details
                points.append(scorer.without_details(of_row) if self.pairs.confidences is None else of_row)
                measured(1)
            self._points[metric] = points
        return self._points[metric]

    def ratios_of(self, metric: str) -> Ratios:
        """The figures of a metric as ratios of sums over the n rows, a column for each of its k figures."""
        if metric not in self._ratios:
            scorer = METRICS[metric]
            sums = np.array([scorer.figure_sums(points) for points in self.points(metric)], dtype=np.float64)
            earned, weight = np.moveaxis(sums.reshape(-1, len(scorer.figures), 2), 2, 0)
            self._ratios[metric] = Ratios(earned, weight)
        return self._ratios[metric]

    @cached_property
    def ratio(self) -> Ratios:
        """The first figure of the first metric as a ratio of sums over rows."""
        ratios = self.ratios_of(self.metric)
        return ratios if len(ratios.values) == 1 else ratios.columns([0])

    @cached_property
    def ratios(self) -> Ratios:
        """The figures of the metrics as ratios of sums over the rows, a column for each."""
        return side_by_side(*map(self.ratios_of, self.metrics))

    @property
    def score(self) -> float:
        """The value of the first figure of the first metric, in [0, 1], 1 is best; by default the mean ANLS* score."""
        return float(self.ratios_of(self.metric).values[0])

    @cached_property
    def scores(self) -> list[float]:
        """The score of each row by the first metric: its part of the figure, 1 where nothing counts in it."""
        sums = zip(self.ratio.earned[:, 0].tolist(), self.ratio.weight[:, 0].tolist(), strict=True)
        return [earned / weight if weight else 1.0 for earned, weight in sums]

    @cached_property
    def runs(self) -> Runs | None:
        """What several runs say of the system; None where there is one run, or one document."""
        documents = self.pairs.documents
        if documents is None or len(documents) == 1:
            return None
        n = len(documents)
        figures = [float(self.ratio.rows(range(first, first + n)).values[0]) for first in range(0, len(self), n)]
        variances = runs_of(np.reshape(self.scores, (-1, n)), documents)
        return variances._replace(scores=figures, deviation=float(np.std(figures, ddof=1)))

    @cached_property
    def costs(self) -> dict[str, Cost]:
        """The sums of the columns cost, seconds and tokens of the predictions, as far as they have them."""
        return costs_of(self.pairs)

    @property
    def document_cost(self) -> float | None:
        """The mean cost of a document; None where it is not known."""
        total = self.costs["cost"].total if "cost" in self.costs else None
        return None if total is None else total / len(self.document_ids)

    @property
    def document_ids(self) -> list[str]:
        """The id of each document; where there are several runs, each document stands once."""
        return self.pairs.documents or self.ids

    @cached_property
    def document_ratios(self) -> Ratios:
        """The figures of the metrics as ratios of sums over documents, whose parts are the means over the runs."""
        if self.pairs.documents is None:
            return self.ratios
        sides = (
            np.reshape(side, (self.pairs.runs, len(self.document_ids), -1)).mean(axis=0)
            for side in (self.ratios.earned, self.ratios.weight)
        )
        return Ratios(*sides)

    @property
    def document_clusters(self) -> npt.NDArray[np.intp] | None:
        """The number of the cluster of each document; None where all documents are independent."""
        clusters, n = self.clusters, len(self.document_ids)
        alone = self.pairs.documents is not None and clusters is not None and len(set(clusters[:n].tolist())) == n
        return None if clusters is None or alone else clusters[:n]

    @property
    def whole(self) -> float:
        """The denominator of the score: the number of rows; of a metric that counts entities, theirs."""
        return float(self.ratio.totals[0]) or 1.0

    @property
    def is_mean(self) -> bool:
        """Whether the score is the mean of the scores of the rows; that of entities is a ratio of sums."""
        return bool((self.ratio.weight == 1).all())

    @property
    def text_options(self) -> ScoringOptions | None:
        """How the texts of its trees were compared; None where a schema says how values are."""
        return None if self.metric == TYPED else self.options

    @cached_property
    def clusters(self) -> npt.NDArray[np.intp] | None:
        """The number of each row's cluster, shape (n,); None where all rows are independent."""
        if self.pairs.clusters is None:
            return None
        numbers = {name: number for number, name in enumerate(dict.fromkeys(self.pairs.clusters))}
        return np.array([numbers[name] for name in self.pairs.clusters], dtype=np.intp)

    @cached_property
    def score_by_value(self) -> float | None:
        """The score if numbers were compared by value.

        None where they are, where no number prints otherwise than by value, and for a metric without this option. Only
        the rows with such numbers are scored again.
        """
        pairs = zip(self.pairs.truths, self.pairs.predictions, strict=True)
        rows = [number for number, pair in enumerate(pairs) if differs_by_value(pair)]
        if "numbers" not in METRICS[self.metric].options or self.options.numbers == BY_VALUE or not rows:
            return None
        options = replace(self.options, numbers=BY_VALUE, parse="text", parse_references=None)
        chosen = self.pairs.only(rows)._replace(documents=None)
        again = _without_warnings(chosen, options, metrics=self.metrics, confidence=None).ratio
        sums = self.ratio.table.copy()
        sums[rows] = again.table
        return float(Ratios(sums[:, :1], sums[:, 1:]).values[0])

    # One row

    def row(self, number: int) -> MetricRow:
        """A row as input for metrics."""
        pairs = self.pairs
        confidences = pairs.confidences[number] if pairs.confidences else None
        values = pairs.truths[number], pairs.predictions[number]
        reading = self.readings.get(number)
        cause: Cause | None = "unparsable" if reading is not None and reading.failed else None
        if number in (self.absent or ()):
            cause = "missing prediction"
        return MetricRow(*values, confidences, lambda: self.anls_star[number], pairs.ids[number], cause)

    def tree(self, number: int) -> ScoreTree:
        """The score tree of a row by the first metric; that of ANLS* for a metric that has none."""
        return METRICS[self.metric].score_tree(self.row(number), self.options)

    def other_trees(self, number: int) -> list[MetricTree]:
        """The score trees of a row by the other metrics that have trees of their own, unlike ANLS* and the typed score.

        Raises:
            TypeError, ValueError: for a value that a metric cannot score.
        """
        others = [name for name in self.metrics[1:] if name in WITH_TREES]
        trees = (METRICS[name].score_tree(self.row(number), self.options) for name in others)
        return [tree for tree in trees if isinstance(tree, MetricTree)]

    def sample(self, number: int) -> dict[str, Any]:
        """The id and the score of a row in plain types."""
        return {"question_id": self.ids[number], self.row_key: self.scores[number]}

    @property
    def row_key(self) -> str:
        """The key of the score of a row in results: "anls_score", or the name of another metric."""
        return "anls_score" if self.metric in _OF_ANLS else self.metric

    def samples(self) -> list[dict[str, Any]]:
        """One `{"question_id": ..., "anls_score": ...}` for each row, in the order of the references.

        The score of a metric other than ANLS* has the metric's name as key.

        With `parse`, each also has the key "parsed": "exact" for what is read as it is, "extracted", "mended",
        "ambiguous", "failed", or None where there was no prediction; and, if there is anything to say of any, the key
        "parse_note": which of several values was taken, or why mending was given up. With missing "zero" it has the key
        "missing": whether there was no prediction.
        """
        samples = [self.sample(number) for number in range(len(self.ids))]
        with_notes = any(parsed.note for parsed in self.readings.values())
        for number, sample in enumerate(samples):
            if self.options.parse_mode is not None:
                parsed = self.readings.get(number, Parsed(None))
                sample["parsed"] = None if number in self.pairs.absent else parsed.outcome
                if with_notes:
                    sample["parse_note"] = parsed.note
            if self.absent is not None:
                sample["missing"] = number in self.absent
        return samples

    def numbers_of_worst(self, count: int) -> list[int]:
        """The numbers of the rows with the lowest scores, lowest first."""
        return sorted(range(len(self.scores)), key=self.scores.__getitem__)[:count]

    def _place(self, number: int) -> str:
        return row_place(self.ids[number])

    # What became of the predictions

    @property
    def absent(self) -> frozenset[int] | None:
        """The numbers of the rows whose missing predictions were scored as null; None unless `missing` is "zero"."""
        return self.pairs.absent if self.options.missing == "zero" else None

    @property
    def failed(self) -> frozenset[int] | None:
        """The numbers of the rows whose text could not be parsed and was scored as text; None without `parse`."""
        if self.options.parse_mode is None:
            return None
        return frozenset(number for number, parsed in self.readings.items() if parsed.failed)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows are skipped, missing, repeated, and of which reading, as far as the options ask for it."""
        counts = {"skipped": self.pairs.skipped, "missing": None if self.absent is None else len(self.absent)}
        counts["repeated"] = self.pairs.repeated
        read = {PARSE_COUNTS[outcome]: len(ids) for outcome, ids in self.parsed_ids().items()}
        return {name: count for name, count in counts.items() if count is not None} | read

    def parsed_ids(self) -> dict[str, list[str]]:
        """The ids of the texts that are "failed", and with `parse="repair"` "extracted", "mended" and "ambiguous"."""
        return {
            outcome: [self.ids[number] for number, parsed in self.readings.items() if parsed.outcome == outcome]
            for outcome in COUNTED_OUTCOMES[self.options.parse_mode]
        }

    @property
    def why_left_out(self) -> str:
        """Why the rows that `counts` calls skipped were left out, in words after "left out"."""
        return "without a prediction or because of faults" if self.options.missing == SKIP else "because of faults"

    # The figures

    @property
    def figure_names(self) -> list[FigureName]:
        """The names of the figures of the metrics; the first is that of the score."""
        return [name for metric in self.metrics for name in METRICS[metric].figures]

    @property
    def figures(self) -> dict[str, float]:
        """The value of each figure of the metrics by its name, in [0, 1]."""
        return {name.key: float(value) for name, value in zip(self.figure_names, self.ratios.values, strict=True)}

    @cached_property
    def measured(self) -> list[Figure]:
        """The figures of the metrics, with their intervals."""
        resampled = ignore if self.confidence is None else self.progress("Resampling", RESAMPLES)
        return self._figures_of(self.ratios, resampled, self.clusters)

    def _figures_of(self, ratios: Ratios, resampled: Advance, clusters: npt.NDArray[np.intp] | None) -> list[Figure]:
        """The ratios as figures with their intervals; without a confidence level there are no intervals."""
        intervals: Sequence[Interval | None] = [None] * len(self.figure_names)
        if self.confidence is not None:
            intervals = intervals_of(ratios, self.confidence, seed=self.seed, resampled=resampled, clusters=clusters)
        figures = zip(self.figure_names, ratios.values.tolist(), intervals, strict=True)
        return [Figure(*name, value, interval) for name, value, interval in figures]

    @property
    def other_figures(self) -> list[Figure]:
        """The figures of the metrics; none if ANLS* is the only one."""
        return [] if self.metrics == [ANLS_STAR] else self.measured

    @cached_property
    def breakdowns(self) -> dict[str, Any]:
        """Further counts of a metric by its name, such as the corrections of KIEval."""
        breakdowns: dict[str, Breakdown | None] = {
            name: METRICS[name].breakdown(self.points(name)) for name in self.metrics if name != TYPED
        }
        if TYPED in self.metrics:
            breakdowns[TYPED] = typed = FieldTable()
            for number, (_, leaves) in enumerate(self.points(TYPED)):
                typed.add(number, leaves)
        return {name: breakdown for name, breakdown in breakdowns.items() if breakdown is not None}

    def interval_of(self, metric: str) -> Interval | None:
        """The interval of the first figure of a metric, drawn by itself; None if not requested."""
        if self.confidence is None:
            return None
        return intervals_of(
            self.ratios_of(metric).columns([0]),
            self.confidence,
            seed=self.seed,
            resampled=self.progress("Resampling", RESAMPLES),
            clusters=self.clusters,
        )[0]

    @cached_property
    def _interval(self) -> Interval | None:
        return self.interval_of(self.metric)

    def headline_interval(self, *, with_fields: bool = False) -> Interval | None:
        """The interval of the score: drawn by itself, or with those of the fields, which may change the last bit."""
        return self._drawn[0] if with_fields and self._drawn else self._interval

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval of the score; None where there are too few documents, or no level was asked for."""
        return self._interval and self._interval.ends

    @property
    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """The confidence interval of each figure by its name; None where there is none."""
        ends = {figure.name: figure.interval and figure.interval.ends for figure in self.other_figures}
        # the one that `docscore score` prints; drawn together with other figures it differs in the last bit
        return {**ends, self.figure_names[0].key: self.interval}

    @cached_property
    def slice_figures(self) -> list[Slice]:
        """The figures of each slice, largest slice first, of equal size in the order of their first rows."""
        if self.by is None:
            return []
        rows = self._rows_by_slice
        resampled = ignore if self.confidence is None else self.progress("Resampling", RESAMPLES * len(rows))
        slices = []
        for value, numbers in sorted(rows.items(), key=lambda item: -len(item[1])):
            clusters = None if self.clusters is None else self.clusters[numbers]
            figures = self._figures_of(self.ratios.rows(numbers), resampled, clusters)
            slices.append(Slice(value, len(numbers) // self.pairs.runs, figures))
        return slices

    def of_slice(self, value: str) -> Evaluation:
        """The rows of one slice as an evaluation of their own, with its fields, causes, documents and comparisons.

        Args:
            value: of the column or function `by`, as text.

        Raises:
            ValueError: for a value that no row has, and without `by`.
        """
        if value not in self._rows_by_slice:
            some = ", ".join(map(short_repr, list(self._rows_by_slice)[:NAMED]))
            raise InputValueError(
                place="slice",
                expected="by, the column of its values" if self.by is None else f"a value such as {some}",
                got=short_repr(value),
            )
        numbers, documents = self._rows_by_slice[value], self.source.documents
        if documents is not None:  # the rows of a document have the same value in all runs
            documents = [documents[number] for number in numbers if number < len(documents)]
        rows = self.source.only(numbers)._replace(skipped=self.source.skipped, documents=documents)
        part = _without_warnings(
            rows,
            self.options,
            metrics=self.metrics,
            confidence=self.confidence,
            seed=self.seed,
            progress=self.progress,
        )
        part.slice, part.slice_name = value, self.slice_name
        return part

    @cached_property
    def curve(self) -> Curve:
        """The trade-off of automation and accuracy by the first metric; predictions must carry confidences.

        Raises:
            ValueError: for a first metric whose score is not of single values, and a value without a confidence.
        """
        figure = ALIGNED if self.metric == "kieval" else self.figure_names[0].label
        return automation_curve(self._reviews, clusters=self.clusters, figure=figure, is_mean=self.metric != "kieval")

    @property
    def has_reviews(self) -> bool:
        """Whether there are confidences, and the first metric says of single values whether they are right."""
        return self.options.with_confidences and self.metric in REVIEWED

    @cached_property
    def _reviews(self) -> list[Review]:
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
        trees = map(self.tree, range(len(self)))
        return list(map(review_of_tree, trees, confidences, self.ids))

    @cached_property
    def calibration(self) -> Calibration:
        """How far the confidences of predictions can be trusted; errors as for `curve`."""
        return calibration_of_reviews(
            self._reviews,
            self.clusters,
            confidence=self.confidence or CONFIDENCE,
            seed=self.seed,
            progress=self.progress,
        )

    # Fields, causes of lost points and rates

    @cached_property
    def field_table(self) -> FieldTable:
        """The fields of the first metric, and the causes of lost points.

        They come from its score trees, or are its types of entities.
        """
        table, counts, metric = FieldTable(), FieldCounts(), METRICS[self.metric]
        if metric.field_source != "tree":
            for number, points in enumerate(self.points(self.metric)):
                table.add_sums(number, metric.field_sums(points))
            return table
        _ = self.points(self.metric)  # their phases come first, and their errors name rows
        explained = self.progress("Explaining", len(self.ids))
        for number in range(len(self.ids)):
            metric.count_fields(counts, self.row(number), self.options)
            table.add(number, counts.leaves, counts.elements, counts.weight)
            explained(1)
        return table

    @cached_property
    def lost(self) -> dict[Cause, float]:
        """For each cause the points lost by it, as a share of the whole; the shares add up to 1 - score."""
        return {
            cause: as_float(sum(field.lost_units[cause] for field in self.field_table.fields.values())) / self.whole
            for cause in CAUSES
        }

    @cached_property
    def _heaviest(self) -> list[Field]:
        return sorted(self.field_table.fields.values(), key=lambda field: -field.weight)

    @cached_property
    def rate_counts(self) -> dict[str, tuple[list[int], list[int]]]:
        """By the name of a rate: its numerators and denominators, row by row; the last two are rates of values."""
        values, ones = self.field_table.values, [1] * len(self.ids)
        events = {"documents without a fault": [score == 1 for score in self.scores]}
        if values:
            events |= {
                "documents that lack a value": [missing > 0 for _, missing, _, _ in values],
                "documents with an invented value": [extra > 0 for _, _, _, extra in values],
            }
        for name, rows in (("texts that could not be parsed", self.failed), ("missing predictions", self.absent)):
            if rows is not None:
                events[name] = [number in rows for number in range(len(self.ids))]
        counted = {name: (list(map(int, happened)), ones) for name, happened in events.items()}
        if values:
            expected, missing, predicted, extra = map(list, zip(*values, strict=True))
            counted |= {
                "omission: expected values that are missing": (missing, expected),
                "hallucination: values predicted, not expected": (extra, predicted),
            }
        return counted

    @cached_property
    def _drawn(self) -> list[Interval]:
        """The intervals of the score, of the rates and of the heaviest fields, from the same resamples."""
        if self.confidence is None:
            return []
        _ = self.rate_counts  # its phase comes first
        drawn: dict[str, Any] = {"seed": self.seed, "resampled": self.progress("Resampling", RESAMPLES)}
        units = len(self.ids) if self.clusters is None else int(self.clusters.max()) + 1
        parts = [side_by_side(*self._parts())] if units <= MOST_RESAMPLED else self._parts()
        intervals = (intervals_of(part, self.confidence, clusters=self.clusters, **drawn) for part in parts)
        return [interval for part in intervals for interval in part]

    def _parts(self) -> Iterator[Ratios]:
        """The ratios of these intervals, each made when it is asked for.

        Many rows are not resampled (`docscore.stats.intervals`), so that there is nothing to share, and all ratios of a
        million rows would take gigabytes.
        """
        yield self.ratio
        hits, totals = np.array(list(self.rate_counts.values()), dtype=np.float64).transpose(1, 2, 0)
        yield Ratios(hits, totals)
        for field in self._heaviest[:MOST_FIELDS_TESTED]:
            yield fields_as_ratios([field], len(self.ids))

    @cached_property
    def field_intervals(self) -> dict[str, Interval]:
        """The interval of the score of each field, by path; empty if not requested."""
        if self.confidence is None:
            return {}
        intervals = self._drawn[1 + len(self.rate_counts) :]
        left_out = [_LEFT_OUT] * (len(self._heaviest) - len(intervals))
        return dict(zip((field.path for field in self._heaviest), intervals + left_out, strict=True))

    @cached_property
    def rate_list(self) -> list[Rate]:
        """Shares of documents and of values; of independent documents with Wilson's interval."""
        rates = []
        for column, (name, counts) in enumerate(self.rate_counts.items()):
            hits, total = map(sum, counts)
            interval = self._drawn[1 + column] if self._drawn else None
            of_values = self.field_table.values and column >= len(self.rate_counts) - 2
            if self.confidence is not None and self.clusters is None and not of_values:
                interval = wilson_interval(hits, total, confidence=self.confidence)
            rates.append(Rate(name, hits, total, interval))
        return rates

    # Tables, reports and plain types

    @cached_property
    def fields(self) -> Table:
        """The score of each field with its interval and the counts of its outcomes, most points lost first."""
        return Table(fields_table(self))

    @cached_property
    def causes(self) -> Table:
        """Why points were lost: each cause with its part of 1 - score, largest first; no rows where there are none."""
        return Table(causes_table(self))

    @cached_property
    def rates(self) -> Table:
        """Shares of documents and of values: without a fault, missing, invented."""
        return Table(rates_table(self.rate_list))

    @cached_property
    def documents(self) -> Table:
        """The id and the score of each document, in the order of the references, and how its prediction was read."""
        return Table(samples_table(self))

    @cached_property
    def slices(self) -> Table:
        """The figures of each value of `by` with their intervals, most documents first; without `by` no rows."""
        return Table(slices_table(self.slice_figures, self.slice_name))

    def worst(self, count: int = LISTED) -> Rows:
        """The documents with the lowest scores, lowest first; a list, which a notebook draws as a table."""
        return Rows(self, self.numbers_of_worst(count))

    def compare(self, other: Evaluation) -> Comparison:
        """Compare another system on the same documents with this one as the base.

        Raises:
            TypeError: for something else than an evaluation.
            ValueError: if an id is on one side only, or the two have other ground truths, options or metrics.
        """
        if not isinstance(other, Evaluation):
            raise InputTypeError(place="compare", expected="a result of docscore.evaluate", got=type(other).__name__)
        return Comparison(self, other)

    def as_html(self, title: str = "docscore", *, worst: int = LISTED) -> str:
        """The report as one HTML document, without scripts and network access."""
        return self._renderers(title=title, worst=worst)[".html"]()

    def report(self, path: str | Path, *, title: str | None = None, worst: int = LISTED) -> Path:
        """Write a report on the test set.

        Args:
            path: the file to write: `.html`, or `.md` without score trees.
            title: the heading; None for the name of the file.
            worst: how many of the documents with the lowest scores it shows.

        Returns:
            The path of the file.

        Raises:
            ValueError: for another extension, and a folder that does not exist.
        """
        heading = Path(path).stem if title is None else title
        return write_report(path, self._renderers(title=heading, worst=worst))

    def summary_to_dict(
        self, *, fields: bool = False, per_sample: bool = False, signature: bool = False
    ) -> dict[str, Any]:
        """The score with its interval, and counts, in plain types.

        Args:
            fields: whether fields, causes of lost points and rates are in it.
            per_sample: whether the score of each row is.
            signature: whether the signature is.
        """
        result: dict[str, Any] = {"anls_score" if self.metric in _OF_ANLS else "score": self.score}
        interval = self.headline_interval(with_fields=fields)
        if interval is not None:
            result |= {"confidence_interval": interval.ends, "standard_error": interval.standard_error}
            if interval.note:
                result["confidence_note"] = interval.note
        if self.pairs.clusters is not None:
            result["clusters"] = len(set(self.pairs.clusters))
        result |= self.counts
        if fields:
            table = self.field_table
            result |= {
                "points_lost": {str(cause): lost for cause, lost in self.lost.items()},
                "key_scores": [
                    field.to_dict(self.whole, self.field_intervals.get(field.path)) for field in table.fields.values()
                ],
                "lists": [{"field": path, **counts} for path, counts in table.lists.items()],
                "rates": [rate.to_dict() for rate in self.rate_list],
            }
        if per_sample:
            result["per_sample"] = self.samples()
            if self.options.parse_mode is not None:
                result["parsed_ids"] = self.parsed_ids()
        return {**result, "signature": self.signature} if signature else result

    def figures_to_dict(self) -> dict[str, Any]:
        """The figures by name, the numbers behind them and their intervals, in plain types."""
        result: dict[str, Any] = {figure.name: figure.value for figure in self.measured}
        for breakdown in self.breakdowns.values():
            result |= breakdown.counts()
        return result | ends_by_name(self.measured)

    def to_dict(self, *, fields: bool = True, worst: int = LISTED) -> dict[str, Any]:
        """The result in plain types, as `docscore score --json` prints it.

        Args:
            fields: whether fields, causes of lost points and rates are in it.
            worst: how many of the documents with the lowest scores are listed.
        """
        parts = self.summary_to_dict(fields=fields, per_sample=True, signature=True)
        if self.other_figures:
            parts["metrics"] = {
                **self.figures_to_dict(),
                "signature": self.signature,
                "signatures": self.signatures,
            }
        parts |= self.views_to_dict(worst)
        if self.slice is not None:
            parts["slice"] = {"by": self.slice_name, "value": self.slice}
        lowest = [self.sample(number) for number in self.numbers_of_worst(worst)]
        return {"metric": self.metric, "score": self.score, **parts, "rows": len(self), "worst": lowest}

    def views_to_dict(self, worst: int = LISTED) -> dict[str, Any]:
        """The slices, what several runs say and the score by value in plain types, each where there is one."""
        views = {
            "slices": None if self.by is None else [each.to_dict() for each in self.slice_figures],
            "runs": None if self.runs is None else self.runs.to_dict(worst),
            "score_by_value": self.score_by_value,
        }
        return {name: view for name, view in views.items() if view is not None}

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __contains__(self, question_id: object) -> bool:
        return question_id in self._numbers

    def __getitem__(self, question_id: str) -> Row:
        if question_id not in self._numbers:
            some = short_repr(self.ids[0])
            msg = f"{row_place(question_id)}: expected one of the {len(self):,} ids, such as {some}"
            raise KeyError(msg)
        return Row(self, self._numbers[question_id])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.ids)}

    def __repr__(self) -> str:
        return f"<Evaluation {self.metric} {self.score:.4f}, {len(self.document_ids):,} documents>"


def _without_warnings(rows: Pairs, options: ScoringOptions, **settings: Any) -> Evaluation:
    """An evaluation of some rows of another one, which said what is doubtful of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return Evaluation(rows, options, **settings)


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
    progress: bool | Progress | None = None,
) -> Evaluation:
    """Evaluate predictions against references: figures with intervals, fields, causes of lost points, score trees.

    Rows are read and paired at once, and stay in memory for as long as the result lives. Scores, intervals and tables
    are computed when they are first looked at.

    Each side is one of these:

    * a path: JSONL, JSON, CSV or Parquet, as for `docscore score`; a log of Inspect (`.eval`, `.json`); a folder with
      one document a file, `ID.json`;
    * a list of rows: `{"question_id", "prediction"}` and `{"question_id", "references": [acceptable answers]}`, or
      plain values in the same order on both sides;
    * a dict of values by id; a tuple in the references holds acceptable answers;
    * a pandas or polars data frame, an Arrow table or a `datasets.Dataset` with the columns of such rows.

    Args:
        positional: none; each side is given by its name, so that the two cannot be exchanged.
        predictions: what was predicted.
        references: the ground truths; None where the rows of the predictions hold them too, as those of logs and of one
            data frame with a column of each.
        metrics: names among `docscore.METRICS`. The first is the metric of everything that the result shows; None for
            "anls_star", and with a schema for "typed", beside which "anls_star" stands.
        parse: None, or "json" or "repair" to read predictions that are text as JSON first.
        parse_references: None, or "json" to read references that are text as JSON first.
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
        id_column: the column or key of the ids, if it is not "question_id"; as of all columns, a path into the rows
            such as "response.id" where no column has that name.
        prediction_column: the column or key of the predictions, if it is not "prediction".
        references_column: the column or key of the ground truths, if it is not "references". A list in it holds
            acceptable answers; anything else is the one acceptable answer.
        references_id_column: the column of the ids of the references, where that of the predictions has another name.
        predictions_id_column: the column of the ids of the predictions.
        cost_column: the column or key of what each prediction cost, if it is not "cost"; `result.costs` has the sum.
        seconds_column: the same of how long it took, if it is not "seconds".
        tokens_column: the same of its tokens, if it is not "tokens".
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
    metrics = [metrics] if isinstance(metrics, str) else metrics
    chosen = checked_metrics(metrics_with_schema(metrics, options.schema), options)
    columns = {name: given[f"{name}_column"] for name in ColumnNames._fields if name != "json_references"}
    names = ColumnNames(**columns, json_references=parse_references is not None)
    sides = predictions if runs else [predictions]
    if runs and not (isinstance(predictions, list | tuple) and len(predictions) > 1):
        raise InputValueError(
            place="predictions",
            expected="with runs=True a list of at least two runs",
            got=f"{len(predictions)}" if isinstance(predictions, list | tuple) else type(predictions).__name__,
        )
    systems, faults = rows_of_sides(
        references=references, predictions=sides, missing=missing, on_error=on_error, names=names
    )
    pairs = systems[0]
    if runs:
        of_runs = [f"run {number + 1}" for number in range(len(sides))]
        warn_of_copies(systems, of_runs)
        pairs = joined_runs(systems, of_runs)
    return Evaluation(
        pairs,
        options,
        metrics=chosen,
        cluster=cluster,
        by=by,
        confidence=confidence,
        seed=seed,
        progress=bars,
        faults=list(map(str, faults.collected)),
    )


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
            miniters=1,  # by time alone: else a slow end is not drawn
            delay=self.delay,
        )

        def advance(increment: int) -> None:
            bar.update(increment)
            if bar.n >= bar.total:
                bar.close()

        return advance
