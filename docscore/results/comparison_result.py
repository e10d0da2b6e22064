"""The comparison of two results, for consoles, notebooks and files."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from docscore.corpus.comparison import Comparison, Gate, decide
from docscore.report.console import print_comparison, printed
from docscore.report.content import document_changes_table, field_changes_table, figure_changes_table
from docscore.report.notebook import comparison_in_notebook
from docscore.report.tables import comparison_as_markdown
from docscore.results.report_files import LISTED, write_report
from docscore.results.result_table import ResultTable


class ComparisonResult:
    """Two systems on the same documents: the difference of their means, and what changed.

    Attributes:
        comparison: all of it, as `docscore.compare` gives it.

    >>> import docscore
    >>> truths = {"a": "tea", "b": "rum", "c": "ale"}
    >>> base = docscore.evaluate(predictions={"a": "tea", "b": "xxx", "c": "yyy"}, references=truths)
    >>> new = docscore.evaluate(predictions={"a": "tea", "b": "rum", "c": "yyy"}, references=truths)
    >>> found = base.compare(new)
    >>> round(found.difference, 4), [row["question_id"] for row in found.documents]
    (0.3333, ['b'])
    """

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison

    @property
    def difference(self) -> float:
        """The mean ANLS* of the new system minus that of the base."""
        return self.comparison.difference

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval of the difference, paired by document; None where there are too few documents."""
        return self.comparison.interval.ends

    @property
    def p_value(self) -> float:
        """Of a two-sided permutation test, paired by document."""
        return self.comparison.p_value

    @property
    def signature(self) -> str:
        """What makes the figures comparable: metric, options and version."""
        return str(self.comparison.new.scores.signature)

    @cached_property
    def documents(self) -> ResultTable:
        """The documents whose score changed, largest change first; of equal changes, losses first."""
        changes = [*self.comparison.worse, *self.comparison.better]
        return ResultTable(document_changes_table(sorted(changes, key=lambda each: -abs(each.difference))))

    @cached_property
    def fields(self) -> ResultTable:
        """The fields whose score changed, largest change first, each with interval, p-value and q-value."""
        return ResultTable(field_changes_table(self.comparison))

    @cached_property
    def figures(self) -> ResultTable:
        """The change of each figure of the metrics, with interval and p-value; no rows if ANLS* is the only metric."""
        return ResultTable(figure_changes_table(self.comparison))

    def decide(self, margin: float) -> Gate:
        """Whether the new system is worse than the base by more than a margin, with the confidence of the intervals.

        Args:
            margin: by how much the mean of the new one may be lower, at least 0.

        Raises:
            ValueError: for an invalid margin, and where there are too few documents to decide.
        """
        return decide(self.comparison, margin)

    def report(self, path: str | Path, *, changes: int = LISTED) -> Path:
        """Write the comparison as Markdown, for a comment on a pull request.

        Args:
            path: the file to write, `.md`.
            changes: how many of the better and of the worse documents are listed.

        Returns:
            The path of the file.

        Raises:
            ValueError: for another extension, and a folder that does not exist.
        """
        return write_report(path, {".md": lambda: comparison_as_markdown(self.comparison, None, changes)})

    def to_dict(self) -> dict[str, Any]:
        """The comparison in plain types, as `docscore compare --json` prints it without a gate."""
        return self.comparison.to_dict()

    def __repr__(self) -> str:
        return repr(self.comparison).replace("Comparison", type(self).__name__, 1)

    def __str__(self) -> str:
        return printed(print_comparison, self.comparison, None, LISTED).strip("\n")

    def _repr_html_(self) -> str:
        return comparison_in_notebook(self.comparison, LISTED)
