"""A test set: its scores, fields, causes of lost points, comparisons and mergeable state."""

from docscore.corpus.scores import CorpusScore, score_corpus

__all__ = ["CorpusScore", "score_corpus"]
