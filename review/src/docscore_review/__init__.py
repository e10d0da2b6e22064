"""docscore-review: find errors in ground truths with the help of predictions, decide each one, correct the file."""

from docscore_review.verdicts import Review, review, review_of

__all__ = ["Review", "review", "review_of"]
