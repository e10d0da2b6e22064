"""Several runs of one system on the same documents: how much of its score is chance from run to run."""

import math
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from docscore.core.numbers import ROUNDING
from docscore.stats.intervals import Array


class Runs(NamedTuple):
    """What r runs on n documents say of a system; all variances are those of a document's score in one run.

    Attributes:
        runs: r, at least two.
        documents: n, at least two.
        scores: the figure of each run, by default the mean of its documents.
        deviation: the standard deviation of these figures.
        of_documents: the variance between documents, which is the same in all runs.
        of_runs: the variance between runs, which is the same for all documents.
        of_both: the variance of a document from run to run beside that.
        unstable: the scores, in each run, of the documents whose score differs between runs, the largest range first.
    """

    runs: int
    documents: int
    scores: list[float]
    deviation: float
    of_documents: float
    of_runs: float
    of_both: float
    unstable: dict[str, list[float]]

    @property
    def shares(self) -> tuple[float, float, float] | None:
        """The shares of documents, runs and both in the variance, which sum to 1; None where no score differs."""
        parts = (self.of_documents, self.of_runs, self.of_both)
        total = sum(parts)
        return (parts[0] / total, parts[1] / total, parts[2] / total) if total > 0 else None

    @property
    def wanted(self) -> tuple[int, int | None]:
        """How many documents, and how many runs, would halve the interval; None where no number of runs does."""
        error = self.of_documents / self.documents + self.of_both / (self.documents * self.runs)
        left = error / 4 * self.documents - self.of_documents
        return 4 * self.documents, math.ceil(self.of_both / left - ROUNDING) if left > 0 else None

    def to_dict(self, most: int) -> dict[str, Any]:
        """The figures in plain types, with at most so many of the documents that differ."""
        shares = dict(zip(("documents", "runs", "both"), self.shares or (None, None, None), strict=True))
        documents, runs = self.wanted
        return {
            "runs": self.runs,
            "documents": self.documents,
            "scores": self.scores,
            "standard_deviation": self.deviation,
            "variance": shares,
            "unstable": len(self.unstable),
            "most_unstable": [{"id": name, "scores": scores} for name, scores in islice(self.unstable.items(), most)],
            "to_halve_the_interval": {"documents": documents, "runs": runs},
        }


def runs_of(scores: Array, documents: Sequence[str]) -> Runs:
    """Split the variance of the scores of n documents in r runs into documents, runs, and both.

    Args:
        scores: of each document in each run, shape (r, n), both at least two.
        documents: the n ids.

    Source:
        Analysis of variance of two random factors with one value a cell: Scheffé 1959, The Analysis of Variance,
        section 7.4; estimates below 0 are 0.

    >>> runs = runs_of(np.array([[1.0, 0.5, 0.0], [1.0, 0.5, 0.3]]), ["a", "b", "c"])
    >>> [round(share, 3) for share in runs.shares], list(runs.unstable)
    ([0.921, 0.0, 0.079], ['c'])
    """
    r, n = scores.shape
    by_run, by_document = scores.mean(axis=1), scores.mean(axis=0)
    rest = scores - by_run[:, np.newaxis] - by_document + scores.mean()
    of_both = float((rest**2).sum() / ((r - 1) * (n - 1)))
    ranges = np.ptp(scores, axis=0)
    unstable = {
        documents[number]: scores[:, number].tolist()
        for number in np.argsort(-ranges, kind="stable").tolist()
        if ranges[number] > ROUNDING
    }
    return Runs(
        r,
        n,
        by_run.tolist(),
        float(by_run.std(ddof=1)),
        max(0.0, float(by_document.var(ddof=1)) - of_both / r),
        max(0.0, float(by_run.var(ddof=1)) - of_both / n),
        of_both,
        unstable,
    )
