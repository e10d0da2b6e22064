"""The evaluation of one system on one test set: pairs read from files, their scores, summary and figures.

The command, the report and the Space all use the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from math import fsum
from pathlib import Path
from typing import NamedTuple

from docscore.core.errors import Faults
from docscore.core.options import AS_TEXT, BY_VALUE, DEFAULT_OPTIONS, ScoringOptions
from docscore.core.runtime import Progress, no_progress
from docscore.core.values import holds_number
from docscore.data.files import SAME_NAMES, ColumnNames, SourceSide, Table, read_table, with_names
from docscore.data.pairing import (
    Check,
    Grouping,
    Pairs,
    common_rows,
    groups_of_rows,
    read_systems,
    refuse_json_text,
    table_with_both,
    warn_of_documents,
    with_clusters,
)
from docscore.evaluation.automation import Curve, automation_curve, calibration_of_scores
from docscore.evaluation.comparison import Comparison
from docscore.evaluation.metric_values import (
    FigureColumns,
    Measured,
    Slice,
    figure_columns,
    measure,
    slices_of,
)
from docscore.evaluation.scores import CorpusScore, score_corpus
from docscore.evaluation.summary import Analysis, Summary, analyse, summarise
from docscore.metrics.registry import ANLS_STAR, TYPED, check_options_of, checked_metrics
from docscore.metrics.signature import signature_of
from docscore.stats.calibration import Calibration
from docscore.stats.intervals import CONFIDENCE, RESAMPLES, SEED, check_confidence, check_whole


def metrics_with_schema(metrics: Sequence[str] | None, schema: object) -> tuple[str, ...]:
    """The metrics, and the typed score too where there is a schema: the first where no metrics were asked for."""
    if metrics is None:
        return (ANLS_STAR,) if schema is None else (TYPED, ANLS_STAR)
    return tuple(metrics) if schema is None else tuple(dict.fromkeys([*metrics, TYPED]))


class FileRows(NamedTuple):
    """The paired rows of files, and the faults of the rows that were left out.

    Attributes:
        systems: the pairs of each file of predictions.
        faults: the faults of rows that were left out.
    """

    systems: list[Pairs]
    faults: Faults


def rows_of_files(
    *,
    references: Path | None,
    predictions: Sequence[Path],
    missing: str = "error",
    on_error: str = "error",
    max_bytes: int | None = None,
    delimiter: str | None = None,
    names: ColumnNames = SAME_NAMES,
    check: Check | None = None,
    before_reading: Callable[[Path], object] = bool,
    progress: Progress = no_progress,
) -> FileRows:
    """Read a file of references and one or more files of predictions, and pair their rows.

    Args:
        references: the file of ground truths; None where the rows of the predictions hold them too, as those of logs.
        predictions: a file a system; where rows with faults are left out, all systems keep the rows that all have.
        missing: a reference without a prediction: "error"; "zero" to score it as null; or "skip" to leave it out.
        on_error: rows with faults: "error", or "skip" to leave them out and count them.
        max_bytes: the largest size of a compressed file when unpacked.
        delimiter: the sign between the columns of CSV files; None to tell it by their headers.
        names: the columns that have other names than in the row formats.
        check: called with each value, to raise an error for one that is not accepted; by default one that cannot be
            scored.
        before_reading: called with the path of each file before it is read, to raise an error for one that is not
            accepted.
        progress: called when the phase "Reading" of each text file begins, with its bytes.

    Raises:
        ValueError: naming file, line and fault; `DataError` for faults of single rows and ids.
        OSError: if a file cannot be read.
    """
    faults = Faults(on_error)

    def table_of(path: Path, side: SourceSide) -> Table:
        before_reading(path)
        table = read_table(path, faults, max_bytes, delimiter, progress)
        return with_names(table, side, names, both=references is None)

    truths = None if references is None else table_of(references, "references")
    systems = [table_of(path, "predictions") for path in predictions]
    if truths is not None and check is None:  # who checks values shows how rows are read too
        warn_of_documents(truths)
    return rows_of_tables(truths, systems, faults, missing=missing, check=check)


def rows_of_tables(
    references: Table | None,
    predictions: Sequence[Table],
    faults: Faults,
    *,
    missing: str = "error",
    check: Check | None = None,
) -> FileRows:
    """Pair the rows of the references with those of each system; arguments and errors as for `rows_of_files`."""
    systems = read_systems(references or table_with_both(predictions), predictions, missing, faults, check)
    if systems[0].skipped is None:
        return FileRows(systems, faults)
    first = systems[0]  # with the rows that all systems have, in its order
    for other in systems[1:]:
        first, _ = common_rows(first, other)
    return FileRows([first, *(common_rows(first, other)[1] for other in systems[1:])], faults)


class Evaluation:
    """The evaluation of one system on one test set; results are computed on first access and cached.

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

    Attributes:
        signatures: by the name of each metric what makes its figures comparable: version and options.
        slice_name: what the values of slices are called in tables: the column, or "value" where they do not come from
            one.

    Raises:
        TypeError, ValueError: for unknown metrics, a level that is not between 0 and 1, options that a metric
            cannot take, and options that none of them uses.
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
        self.slice_name = by if isinstance(by, str) else "value"
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
    def values(self) -> dict[str, float]:
        """The value of each figure of the metrics by its name, in [0, 1]; without intervals."""
        return {
            name: float(value) for (name, _), value in zip(self.columns.names, self.columns.ratios.values, strict=True)
        }

    @cached_property
    def measured(self) -> Measured:
        """The figures of the metrics, with their intervals."""
        return measure(
            self.scores,
            self.metrics,
            confidence=self.confidence,
            seed=self.seed,
            progress=self.progress,
            columns=self.columns,
        )

    @cached_property
    def columns(self) -> FigureColumns:
        """The figures of the metrics as ratios of sums over the rows."""
        return figure_columns([self.scored(name) for name in self.metrics])

    @property
    def other_figures(self) -> Measured | None:
        """The figures of the metrics; None if ANLS* is the only one."""
        return None if self.metrics == [ANLS_STAR] else self.measured

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
    def slices(self) -> list[Slice]:
        """The figures of each slice, largest slice first; empty if `by` is None."""
        if self.by is None:
            return []
        values = groups_of_rows(self.scores.pairs, self.by, "by")
        return slices_of(
            self.columns,
            values,
            clusters=self.scores.clusters,
            confidence=self.confidence,
            seed=self.seed,
            progress=self.progress,
        )

    def compare(self, new: Evaluation, *, n_resamples: int = RESAMPLES) -> Comparison:
        """Compare another system on the same rows with this one as the base.

        Raises:
            ValueError: if the two have other ids, ground truths, options or metrics.
        """
        return Comparison(self, new, n_resamples=n_resamples)
