"""A test set: its scores, fields, causes of lost points, comparisons and mergeable state."""

from docscore.evaluation.scores import CorpusScore, score_corpus

__all__ = ["CorpusScore", "score_corpus"]
