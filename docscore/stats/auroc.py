"""The area under the ROC curve of values in documents, with its resamples and derivatives for intervals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from docscore.stats.ratios import Array


class RocArea:
    """The probability that a right value has a higher confidence than a wrong one; a tie counts half (AUROC).

    Args:
        confidences: of v values.
        right: whether each value is right; at least one is, and at least one is not.
        documents: the document of each value, a number from 0.
        count: how many documents there are.

    Attributes:
        value: AUROC, in [0, 1].

    Source:
        Hanley and McNeil 1982, The meaning and use of the area under a receiver operating characteristic (ROC) curve.
    """

    def __init__(
        self, confidences: Array, right: npt.NDArray[np.bool_], documents: npt.NDArray[np.intp], count: int
    ) -> None:
        order = np.argsort(confidences[~right], kind="stable")
        of_wrong, of_right = confidences[~right][order], confidences[right]
        self.count = count
        self.right_documents, self.wrong_documents = documents[right], documents[~right][order]
        self.below = np.searchsorted(of_wrong, of_right, side="left")  # wrong values below each right one
        self.up_to = np.searchsorted(of_wrong, of_right, side="right")  # wrong values below or equal to it
        self.value = float((self.below + self.up_to).sum()) / (2 * len(of_right) * len(of_wrong))

    def of(self, counts: Array) -> Array:
        """AUROC of resamples, given how often each document is drawn: shape (b, n) to (b,).

        A resample without right or without wrong values gets the AUROC of all documents.
        """
        wrong = np.zeros((len(counts), len(self.wrong_documents) + 1))
        np.cumsum(counts.take(self.wrong_documents, axis=1), axis=1, out=wrong[:, 1:])
        right = counts.take(self.right_documents, axis=1)
        pairs: Array = np.einsum("bv,bv->b", right, wrong.take(self.below, axis=1))
        if (self.below < self.up_to).any():
            pairs = (pairs + np.einsum("bv,bv->b", right, wrong.take(self.up_to, axis=1))) / 2
        both = right.sum(axis=1) * wrong[:, -1]
        found: Array = np.divide(pairs, both, out=np.full(len(counts), self.value), where=both > 0)
        return found

    def influence(self) -> Array:
        """The derivative of AUROC with respect to each document's weight, shape (n,)."""
        rights, wrongs = len(self.right_documents), len(self.wrong_documents)
        of_right = (self.below + self.up_to) / (2 * wrongs)  # the share of wrong values below each right one
        ends = [np.cumsum(np.bincount(each, minlength=wrongs + 1))[:wrongs] for each in (self.below, self.up_to)]
        of_wrong = 1 - (ends[0] + ends[1]) / (2 * rights)  # the share of right values above each wrong one
        sums = [
            np.bincount(documents, weights=each - self.value, minlength=self.count) / len(each)
            for documents, each in ((self.right_documents, of_right), (self.wrong_documents, of_wrong))
        ]
        found: Array = sums[0] + sums[1]
        return found
