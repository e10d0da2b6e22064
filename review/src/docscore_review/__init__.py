"""docscore-review: find errors of ground truths from predictions, decide whose they are, and correct the file."""

from docscore_review.verdicts import Review, review, review_of

__all__ = ["Review", "review", "review_of"]
