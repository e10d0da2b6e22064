"""The result of an evaluation: numbers, tables, documents and reports, each computed when it is first looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from docscore.core.errors import InputTypeError, row_place, short_repr
from docscore.corpus.evaluation import ANLS_STAR, Evaluation
from docscore.report.console import print_evaluation, printed
from docscore.report.content import causes_table, fields_table, rates_table, slices_table
from docscore.report.html_report import report_as_html
from docscore.report.markdown_report import report_as_markdown
from docscore.report.notebook import evaluation_in_notebook
from docscore.report.sample_content import samples_table
from docscore.results.comparison_result import ComparisonResult
from docscore.results.document_results import DocumentList, DocumentResult
from docscore.results.report_files import LISTED, write_report
from docscore.results.result_table import ResultTable


class EvaluationResult:
    """What `docscore.evaluate` returns: one system on one test set.

    Numbers, tables and documents are computed when they are first looked at, and kept. `result["receipt-018"]` is the
    document of an id, iterating gives the ids, and `len` is the number of documents. `print(result)` prints what
    `docscore score` does, and a notebook draws it.

    Attributes:
        evaluation: the object behind it, which the command and the report use too.
        faults: a sentence for each fault of rows that were left out; empty if faults are errors.

    >>> import docscore
    >>> result = docscore.evaluate(
    ...     predictions={"a": {"total": "6.40"}, "b": {"total": "9.00"}},
    ...     references={"a": {"total": "6.40"}, "b": {"total": "8.10"}},
    ... )
    >>> result.score, result.worst(1)[0], len(result)
    (0.75, <DocumentResult 'b' anls_star 0.5000>, 2)
    >>> print(result["b"].tree)
    ≈ $         0.500  -0.500  (0.5 of 1 points)
    └─ ≈ total  0.500  -0.500  "8.10" → "9.00"
    """

    def __init__(self, evaluation: Evaluation, faults: Sequence[str] = ()) -> None:
        self.evaluation = evaluation
        self.faults = list(faults)

    @property
    def score(self) -> float:
        """The value of the first figure of the first metric, in [0, 1], 1 is best; by default the mean ANLS* score."""
        if self.evaluation.metrics[0] == ANLS_STAR:  # known without the other metrics
            return self.evaluation.scores.mean
        return next(iter(self.figures.values()))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval of the score; None where there are too few documents, or no level was asked for."""
        return self._mean_ends if self.evaluation.metrics[0] == ANLS_STAR else next(iter(self.intervals.values()))

    @property
    def figures(self) -> dict[str, float]:
        """The value of each figure of the metrics by its name, in [0, 1]."""
        return self.evaluation.values

    @property
    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """The confidence interval of each figure by its name; None where there is none."""
        measured = self.evaluation.other_figures
        figures = [] if measured is None else measured.figures
        found = {figure.name: figure.interval and figure.interval.ends for figure in figures}
        # the one that `docscore score` prints; drawn together with other figures it differs in the last bit
        return found if ANLS_STAR not in self.evaluation.metrics else {**found, ANLS_STAR: self._mean_ends}

    @property
    def _mean_ends(self) -> tuple[float, float] | None:
        interval = self.evaluation.mean.interval
        return interval and interval.ends

    @property
    def signature(self) -> str:
        """What makes the figures comparable: metrics, options and version."""
        return self.evaluation.figures_signature

    @property
    def counts(self) -> dict[str, int]:
        """The counts skipped, missing, parse_failures, parse_extracted and parse_mended that the options ask for."""
        return self.evaluation.scores.counts()

    @cached_property
    def fields(self) -> ResultTable:
        """The score of each field with its interval and the counts of its outcomes, most points lost first."""
        return ResultTable(fields_table(self.evaluation.summary, self.evaluation.analysis))

    @cached_property
    def causes(self) -> ResultTable:
        """Why points were lost: each cause with its part of 1 - mean ANLS*, largest first."""
        return ResultTable(causes_table(self.evaluation.analysis))

    @cached_property
    def rates(self) -> ResultTable:
        """Shares of documents and of values: without a fault, missing, invented."""
        return ResultTable(rates_table(self.evaluation.summary.rates))

    @cached_property
    def documents(self) -> ResultTable:
        """The id and ANLS* score of each document, in the order of the references, and how its prediction was read."""
        return ResultTable(samples_table(self.evaluation.scores))

    @cached_property
    def slices(self) -> ResultTable:
        """The figures of each value of `by` with their intervals, most documents first; without `by` no rows."""
        return ResultTable(slices_table(self.evaluation.slices, self.evaluation.slice_name))

    def worst(self, count: int = LISTED) -> DocumentList:
        """The documents with the lowest ANLS* scores, lowest first; a list, which a notebook draws as a table."""
        return DocumentList(self.evaluation, self.evaluation.scores.numbers_of_worst(count))

    def compare(self, other: EvaluationResult) -> ComparisonResult:
        """Compare another system on the same documents with this one as the base.

        Raises:
            TypeError: for something else than a result.
            ValueError: if an id is on one side only, or the two have other ground truths, options or metrics.
        """
        if not isinstance(other, EvaluationResult):
            raise InputTypeError(place="compare", expected="a result of docscore.evaluate", got=type(other).__name__)
        return ComparisonResult(self.evaluation.compare(other.evaluation))

    def as_html(self, title: str = "docscore", *, worst: int = LISTED) -> str:
        """The report as one HTML document, without scripts and network access."""
        found = self.evaluation
        with_confidences = found.options.with_confidences
        return report_as_html(
            found.summary,
            title,
            worst,
            measured=found.other_figures,
            curve=found.curve if with_confidences else None,
            calibration=found.calibration if with_confidences else None,
            slices=found.slices,
            by=found.slice_name,
        )

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
        formats = {
            ".html": lambda: self.as_html(heading, worst=worst),
            ".md": lambda: report_as_markdown(self.evaluation, heading, worst),
        }
        return write_report(path, formats)

    def to_dict(self, *, fields: bool = True, worst: int = LISTED) -> dict[str, Any]:
        """The result in plain types, as `docscore score --json` prints it.

        Args:
            fields: whether fields, causes of lost points and rates are in it.
            worst: how many of the documents with the lowest scores are listed.
        """
        found = self.evaluation
        parts = (found.summary if fields else found.mean).to_dict(per_sample=True, signature=True)
        measured = found.other_figures
        if measured is not None:
            parts["metrics"] = {**measured.to_dict(), "signature": str(measured.signature)}
        if found.by is not None:
            parts["slices"] = [each.to_dict() for each in found.slices]
        return {**parts, "rows": len(found.pairs.ids), "worst": found.scores.worst(worst)}

    def __len__(self) -> int:
        return len(self.evaluation.pairs.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluation.pairs.ids)

    def __contains__(self, question_id: object) -> bool:
        return question_id in self._numbers

    def __getitem__(self, question_id: str) -> DocumentResult:
        if question_id not in self._numbers:
            msg = f"{row_place(question_id)}: expected one of the {len(self):,} ids, such as {self._some_id}"
            raise KeyError(msg)
        return DocumentResult(self.evaluation, self._numbers[question_id])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.evaluation.pairs.ids)}

    @property
    def _some_id(self) -> str:
        return short_repr(self.evaluation.pairs.ids[0])

    def __repr__(self) -> str:
        return f"<EvaluationResult {self.evaluation.metrics[0]} {self.score:.4f}, {len(self):,} documents>"

    def __str__(self) -> str:
        return printed(print_evaluation, self.evaluation, fields=False, worst=LISTED).strip("\n")

    def _repr_html_(self) -> str:
        return evaluation_in_notebook(self.evaluation, LISTED)
