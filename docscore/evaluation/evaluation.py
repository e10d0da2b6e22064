"""The function `docscore.evaluate`, and the `Evaluation` that it returns: one system on one test set.

The command prints it, the report draws it, and the page shows it.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import cached_property
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docscore.core.errors import Faults, InputTypeError, InputValueError, row_place, short_repr
from docscore.core.options import AS_TEXT, BY_VALUE, DEFAULT_OPTIONS, PAPER, THRESHOLD, ScoringOptions
from docscore.core.output import write_report
from docscore.core.runtime import READING, Advance, Progress, ignore, no_progress
from docscore.core.values import holds_number
from docscore.data.files import ColumnNames, table_of_source
from docscore.data.pairing import (
    Grouping,
    Pairs,
    groups_of_rows,
    read_systems,
    refuse_json_text,
    warn_of_documents,
    with_clusters,
)
from docscore.evaluation.automation import Curve, automation_curve, calibration_of_scores
from docscore.evaluation.comparison import Comparison
from docscore.evaluation.metric_values import (
    Figure,
    Slice,
    breakdown_of,
    ends_by_name,
    figure_names,
    figure_ratios,
    figures_of,
    slices_of,
)
from docscore.evaluation.scores import CorpusScore, score_corpus
from docscore.evaluation.summary import Analysis, Summary, analyse, summarise
from docscore.evaluation.tables import LISTED, Table
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import FigureName
from docscore.metrics.registry import ANLS_STAR, METRICS, TYPED, check_options_of, checked_metrics
from docscore.metrics.signature import signature_of
from docscore.stats.calibration import Calibration
from docscore.stats.intervals import CONFIDENCE, RESAMPLES, SEED, Ratios, check_confidence, check_whole

if TYPE_CHECKING:
    from docscore.report.annotations import Annotation

_DELAY = 0.5  # seconds before a bar is shown that nobody asked for


def metrics_with_schema(metrics: Sequence[str] | None, schema: object) -> tuple[str, ...]:
    """The metrics, and the typed score too where there is a schema: the first where no metrics were asked for."""
    if metrics is None:
        return (ANLS_STAR,) if schema is None else (TYPED, ANLS_STAR)
    return tuple(metrics) if schema is None else tuple(dict.fromkeys([*metrics, TYPED]))


class Row:
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
        scores = evaluation.scores
        self.id: str = scores.pairs.ids[number]
        self.score: float = scores.scores[number]
        self.ground_truth: Any = scores.pairs.truths[number]
        self.prediction: Any = scores.pairs.predictions[number]

    @cached_property
    def tree(self) -> ScoreTree:
        """How the score comes about: one node for every pair of places."""
        return self._evaluation.scores.tree(self.number)

    @cached_property
    def annotations(self) -> list[Annotation]:
        """The remarks on the tree, such as values that are exchanged, most points first."""
        from docscore.report.annotations import annotations_of  # noqa: PLC0415  what reports are made of waits for one

        return annotations_of(self.tree, self._evaluation.scores.text_options)

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
        scores = self._evaluation.scores
        if metric == scores.metric:
            return self.tree
        METRICS[metric].check_options(scores.options)
        tree = METRICS[metric].score_tree(scores.row(self.number), scores.options)
        if tree is None:
            raise InputValueError(place="metric", expected="one that has score trees", got=short_repr(metric))
        return tree

    def to_dict(self) -> dict[str, Any]:
        """The id, the score, the tree and the remarks on it in plain types."""
        remarks = [remark.to_dict() for remark in self.annotations]
        tree = self.tree.to_dict()
        return {**self._evaluation.scores.sample(self.number), "tree": tree, "annotations": remarks}

    def __repr__(self) -> str:
        return f"<Row {short_repr(self.id)} {self._evaluation.metrics[0]} {self.score:.4f}>"

    def __str__(self) -> str:
        from docscore.report.console import print_annotations, print_tree, printed  # noqa: PLC0415

        tree, remarks = printed(print_tree, self.tree, fold=True), printed(print_annotations, self.annotations)
        return f"{tree}{remarks}".strip("\n")

    def _repr_html_(self) -> str:
        from docscore.report.notebook import tree_in_notebook  # noqa: PLC0415

        others = self._evaluation.scores.metric_trees(self.number, self._evaluation.metrics[1:])
        return "\n".join([tree_in_notebook(self.tree, self.id, self.annotations), *map(tree_in_notebook, others)])


class Rows(list[Row]):
    """Documents of one result, such as those with the lowest scores; a list in every other respect.

    >>> import docscore
    >>> worst = docscore.evaluate(predictions=["x", "y"], references=["x", "z"]).worst(2)
    >>> worst, worst[0]
    (<Rows 2 documents, anls_star 0.0000 to 1.0000>, <Row '1' anls_star 0.0000>)
    """

    def __init__(self, evaluation: Evaluation, numbers: Sequence[int]) -> None:
        super().__init__(Row(evaluation, number) for number in numbers)
        self._evaluation = evaluation

    def __repr__(self) -> str:
        count = f"{len(self):,} document{'' if len(self) == 1 else 's'}"
        if not self:
            return f"<Rows {count}>"
        scores = [document.score for document in self]
        return f"<Rows {count}, {self._evaluation.metrics[0]} {min(scores):.4f} to {max(scores):.4f}>"

    def _repr_html_(self) -> str:
        from docscore.report.content import documents_table  # noqa: PLC0415
        from docscore.report.notebook import table_in_notebook  # noqa: PLC0415

        return table_in_notebook(documents_table(self._evaluation.scores, [document.number for document in self]))


class Evaluation:
    """What `docscore.evaluate` returns: one system on one test set.

    Numbers, tables and documents are computed when they are first looked at, and kept. `result["receipt-018"]` is the
    document of an id, iterating gives the ids, and `len` is the number of documents. `print(result)` prints what
    `docscore score` does, and a notebook draws it.

    Args:
        pairs: the rows.
        options: how predictions are read and compared.
        metrics: the metrics to compute, names among `METRICS`.
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
        signature: what makes the figures of the first metric comparable: metric, options and version.
        signatures: the same of each metric by its name.
        slice_name: what the values of slices are called in tables: the column, or "value" where they do not come from
            one.

    Raises:
        TypeError, ValueError: for unknown metrics, a level that is not between 0 and 1, options that a metric
            cannot take, and options that none of them uses.

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
        metrics: Sequence[str] = (ANLS_STAR,),
        cluster: Grouping | None = None,
        by: Grouping | None = None,
        confidence: float | None = CONFIDENCE,
        seed: int = SEED,
        progress: Progress = no_progress,
        faults: Sequence[str] = (),
    ) -> None:
        self.pairs = with_clusters(pairs, cluster)
        self.by = by
        self.options = options
        self.metrics = checked_metrics(metrics)
        check_options_of(self.metrics, options)
        refuse_json_text(pairs.truths, pairs.predictions, options)
        self.confidence = None if confidence is None else check_confidence(confidence)
        self.seed = check_whole("seed", seed, 0)
        self.progress = progress
        self.signatures = {name: signature_of(name, options, skipped=pairs.skipped) for name in self.metrics}
        self.signature = self.signatures[self.metrics[0]]
        self.slice_name = by if isinstance(by, str) else "value"
        self.faults = list(faults)
        self._scored: dict[str, CorpusScore] = {}

    @property
    def scores(self) -> CorpusScore:
        """The rows scored with the first metric, which is the metric of everything."""
        return self.scored(self.metrics[0])

    def scored(self, metric: str) -> CorpusScore:
        """The rows scored with a metric."""
        if metric not in self._scored:
            self._scored[metric] = self._rows.by(metric, self.progress)
        return self._scored[metric]

    @cached_property
    def _rows(self) -> CorpusScore:
        return score_corpus(self.pairs, self.options, progress=self.progress)

    @cached_property
    def analysis(self) -> Analysis:
        """The scores of the fields, and the causes of lost points."""
        return analyse(self.scores, self.progress)

    @cached_property
    def mean(self) -> Summary:
        """The mean with its interval, without fields and causes."""
        return summarise(self.scores, confidence=self.confidence, seed=self.seed, progress=self.progress)

    @cached_property
    def summary(self) -> Summary:
        """The mean, fields, causes of lost points and rates, with their intervals."""
        return summarise(
            self.scores,
            fields=True,
            analysis=self.analysis,
            confidence=self.confidence,
            seed=self.seed,
            progress=self.progress,
        )

    @cached_property
    def mean_by_value(self) -> float | None:
        """The score if numbers were compared by value.

        None where they are, where no row has a JSON number, and for a metric that compares them otherwise. Only the
        rows with numbers are scored again.
        """
        scores = self.scores
        if scores.metric != ANLS_STAR:
            return None
        values = zip(scores.pairs.truths, scores.pairs.predictions, strict=True)
        rows = [number for number, pair in enumerate(values) if holds_number(pair)]
        if self.options.numbers == BY_VALUE or not rows:
            return None
        options = replace(self.options, numbers=BY_VALUE, parse=AS_TEXT, parse_references=None, with_confidences=False)
        again = score_corpus(scores.pairs.only(rows), options)
        changed = dict(zip(rows, again.scores, strict=True))
        return fsum(changed.get(number, score) for number, score in enumerate(scores.scores)) / len(scores.scores)

    @property
    def figures(self) -> dict[str, float]:
        """The value of each figure of the metrics by its name, in [0, 1]."""
        return {name.key: float(value) for name, value in zip(self.figure_names, self.ratios.values, strict=True)}

    @property
    def figure_names(self) -> list[FigureName]:
        """The names of the figures of the metrics."""
        return figure_names(self.metrics)

    @cached_property
    def ratios(self) -> Ratios:
        """The figures of the metrics as ratios of sums over the rows, a column for each."""
        return figure_ratios([self.scored(name) for name in self.metrics])

    @cached_property
    def breakdowns(self) -> dict[str, Any]:
        """Further counts of a metric by its name, such as the corrections of KIEval."""
        found = {name: breakdown_of(self.scored(name)) for name in self.metrics}
        return {name: breakdown for name, breakdown in found.items() if breakdown is not None}

    @cached_property
    def measured(self) -> list[Figure]:
        """The figures of the metrics, with their intervals."""
        ratios = self.ratios
        return figures_of(
            self.figure_names,
            ratios,
            confidence=self.confidence,
            seed=self.seed,
            resampled=ignore if self.confidence is None else self.progress("Resampling", RESAMPLES),
            clusters=self.scores.clusters,
        )

    @property
    def other_figures(self) -> list[Figure]:
        """The figures of the metrics; none if ANLS* is the only one."""
        return [] if self.metrics == [ANLS_STAR] else self.measured

    def figures_to_dict(self) -> dict[str, Any]:
        """The figures by name, the numbers behind them and their intervals, in plain types."""
        result: dict[str, Any] = {figure.name: figure.value for figure in self.measured}
        for breakdown in self.breakdowns.values():
            result |= breakdown.counts()
        return result | ends_by_name(self.measured)

    @cached_property
    def curve(self) -> Curve:
        """The trade-off of automation and accuracy; predictions must carry confidences."""
        return automation_curve(self.scored("kieval").points, names=self.scores.ids, clusters=self.scores.clusters)

    @cached_property
    def calibration(self) -> Calibration:
        """How far the confidences of predictions can be trusted; predictions must carry confidences."""
        return calibration_of_scores(
            self.scored("kieval").points,
            self.scores.ids,
            self.scores.clusters,
            confidence=self.confidence or CONFIDENCE,
            seed=self.seed,
            progress=self.progress,
        )

    @cached_property
    def slice_figures(self) -> list[Slice]:
        """The figures of each slice, largest slice first; empty if `by` is None."""
        if self.by is None:
            return []
        values = groups_of_rows(self.scores.pairs, self.by, "by")
        return slices_of(
            self.figure_names,
            self.ratios,
            values,
            clusters=self.scores.clusters,
            confidence=self.confidence,
            seed=self.seed,
            progress=self.progress,
        )

    def compare(self, other: Evaluation) -> Comparison:
        """Compare another system on the same documents with this one as the base.

        Raises:
            TypeError: for something else than an evaluation.
            ValueError: if an id is on one side only, or the two have other ground truths, options or metrics.
        """
        if not isinstance(other, Evaluation):
            raise InputTypeError(place="compare", expected="a result of docscore.evaluate", got=type(other).__name__)
        return Comparison(self, other)

    @property
    def score(self) -> float:
        """The value of the first figure of the first metric, in [0, 1], 1 is best; by default the mean ANLS* score."""
        return self.scores.mean

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval of the score; None where there are too few documents, or no level was asked for."""
        interval = self.mean.interval
        return interval and interval.ends

    @property
    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """The confidence interval of each figure by its name; None where there is none."""
        found = {figure.name: figure.interval and figure.interval.ends for figure in self.other_figures}
        # the one that `docscore score` prints; drawn together with other figures it differs in the last bit
        return {**found, self.scores.figure.key: self.interval}

    @property
    def counts(self) -> dict[str, int]:
        """The counts skipped, missing, parse_failures, parse_extracted and parse_mended that the options ask for."""
        return self.scores.counts()

    @cached_property
    def fields(self) -> Table:
        """The score of each field with its interval and the counts of its outcomes, most points lost first."""
        from docscore.report.content import fields_table  # noqa: PLC0415

        return Table(fields_table(self.summary, self.analysis))

    @cached_property
    def causes(self) -> Table:
        """Why points were lost: each cause with its part of 1 - score, largest first; no rows where there are none."""
        from docscore.report.content import causes_table  # noqa: PLC0415

        return Table(causes_table(self.analysis))

    @cached_property
    def rates(self) -> Table:
        """Shares of documents and of values: without a fault, missing, invented."""
        from docscore.report.content import rates_table  # noqa: PLC0415

        return Table(rates_table(self.summary.rates))

    @cached_property
    def documents(self) -> Table:
        """The id and the score of each document, in the order of the references, and how its prediction was read."""
        from docscore.report.content import samples_table  # noqa: PLC0415

        return Table(samples_table(self.scores))

    @cached_property
    def slices(self) -> Table:
        """The figures of each value of `by` with their intervals, most documents first; without `by` no rows."""
        from docscore.report.content import slices_table  # noqa: PLC0415

        return Table(slices_table(self.slice_figures, self.slice_name))

    def worst(self, count: int = LISTED) -> Rows:
        """The documents with the lowest scores, lowest first; a list, which a notebook draws as a table."""
        return Rows(self, self.scores.numbers_of_worst(count))

    def as_html(self, title: str = "docscore", *, worst: int = LISTED) -> str:
        """The report as one HTML document, without scripts and network access."""
        from docscore.report.html_report import report_as_html  # noqa: PLC0415

        return report_as_html(self, title, worst)

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
        from docscore.report.markup import report_as_markdown  # noqa: PLC0415

        heading = Path(path).stem if title is None else title
        formats = {
            ".html": lambda: self.as_html(heading, worst=worst),
            ".md": lambda: report_as_markdown(self, heading, worst),
        }
        return write_report(path, formats)

    def to_dict(self, *, fields: bool = True, worst: int = LISTED) -> dict[str, Any]:
        """The result in plain types, as `docscore score --json` prints it.

        Args:
            fields: whether fields, causes of lost points and rates are in it.
            worst: how many of the documents with the lowest scores are listed.
        """
        parts = (self.summary if fields else self.mean).to_dict(per_sample=True, signature=True)
        if self.other_figures:
            signatures = {"signature": self.signature, "signatures": self.signatures}
            parts["metrics"] = {**self.figures_to_dict(), **signatures}
        if self.by is not None:
            parts["slices"] = [each.to_dict() for each in self.slice_figures]
        headline = {"metric": self.scores.metric, "score": self.scores.mean}
        return {**headline, **parts, "rows": len(self.pairs.ids), "worst": self.scores.worst(worst)}

    def __len__(self) -> int:
        return len(self.pairs.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.pairs.ids)

    def __contains__(self, question_id: object) -> bool:
        return question_id in self._numbers

    def __getitem__(self, question_id: str) -> Row:
        if question_id not in self._numbers:
            some = short_repr(self.pairs.ids[0])
            msg = f"{row_place(question_id)}: expected one of the {len(self):,} ids, such as {some}"
            raise KeyError(msg)
        return Row(self, self._numbers[question_id])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.pairs.ids)}

    def __repr__(self) -> str:
        return f"<Evaluation {self.metrics[0]} {self.score:.4f}, {len(self):,} documents>"

    def __str__(self) -> str:
        from docscore.report.console import print_evaluation, printed  # noqa: PLC0415

        return printed(print_evaluation, self, fields=False, worst=LISTED).strip("\n")

    def _repr_html_(self) -> str:
        from docscore.report.notebook import evaluation_in_notebook  # noqa: PLC0415

        return evaluation_in_notebook(self, LISTED)


def evaluate(
    *,
    predictions: Any,
    references: Any = None,
    metrics: str | Sequence[str] | None = None,
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
    references_id_column: str | None = None,
    predictions_id_column: str | None = None,
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
        id_column: the column or key of the ids, if it is not "question_id"; as of all columns, a path into the rows
            such as "response.id" where no column has that name.
        prediction_column: the column or key of the predictions, if it is not "prediction".
        references_column: the column or key of the ground truths, if it is not "references". A list in it holds
            acceptable answers; anything else is the one acceptable answer.
        references_id_column: the column of the ids of the references, where that of the predictions has another name.
        predictions_id_column: the column of the ids of the predictions.
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
    options = ScoringOptions(**{field.name: given[field.name] for field in fields(ScoringOptions)})
    settings = {name: given[name] for name in ("by", "cluster", "confidence", "seed")}
    bars = progress_from(progress)
    chosen = metrics_with_schema((metrics,) if isinstance(metrics, str) else metrics, schema)
    names = ColumnNames(
        id_column,
        prediction_column,
        references_column,
        parse_references is not None,
        references_id_column,
        predictions_id_column,
    )
    faults = Faults(on_error)
    if any(isinstance(side, str | os.PathLike) for side in (references, predictions)):
        importlib.import_module("docscore.integrations.log_files").read_logs_of_inspect()
    truths = None if references is None else table_of_source(references, "references", names, faults)
    system = table_of_source(predictions, "predictions", names, faults, both=truths is None)
    if truths is not None and isinstance(references, str | os.PathLike):
        warn_of_documents(truths)
    pairs = read_systems(truths, [system], missing, faults)[0]
    sentences = [fault.sentence for fault in faults.found]
    return Evaluation(pairs, options, metrics=chosen, progress=bars, faults=sentences, **settings)


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
