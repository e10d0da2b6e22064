"""The documents of a result: one with its score trees, and some in a list that a notebook draws as a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from docscore.core.errors import InputValueError, short_repr
from docscore.corpus.annotations import Annotation, annotations_of
from docscore.corpus.evaluation import ANLS_STAR, Evaluation
from docscore.corpus.measure import metric_trees
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.registry import WITH_TREES
from docscore.report.console import print_annotations, print_tree, printed
from docscore.report.content import documents_table
from docscore.report.notebook import table_in_notebook, tree_in_notebook


class DocumentResult:
    """One document of a result.

    Attributes:
        id: its id; where rows have none, its number as text.
        number: its place in the order of the references, counted from 0.
    """

    def __init__(self, evaluation: Evaluation, number: int) -> None:
        self._evaluation = evaluation
        self.number = number
        self.id = evaluation.pairs.ids[number]

    @property
    def score(self) -> float:
        """The ANLS* score of the document, in [0, 1]."""
        return self._evaluation.scores.scores[self.number]

    @property
    def ground_truth(self) -> Any:
        """What was expected; a tuple holds acceptable answers."""
        return self._evaluation.scores.pairs.truths[self.number]

    @property
    def prediction(self) -> Any:
        """What was predicted, as it was scored: with `parse` the value that was read; None where there was none."""
        return self._evaluation.scores.pairs.predictions[self.number]

    @cached_property
    def tree(self) -> ScoreTree:
        """How the ANLS* score comes about: one node for every pair of places."""
        return self._evaluation.scores.tree(self.number)

    @cached_property
    def annotations(self) -> list[Annotation]:
        """The remarks on the tree, such as values that are exchanged, most points first."""
        return annotations_of(self.tree, self._evaluation.scores.options)

    def explain(self, metric: str) -> ScoreTree:
        """How the score of the document by a metric comes about, as a tree.

        Args:
            metric: "anls_star", "kieval" (entities and the corrections that they need), "entity_f1" (entities that are
                right, wrong, missed and invented) or "nted" (edits of keys and texts with what they cost).

        Raises:
            TypeError, ValueError: for another metric, and values that the metric refuses.
        """
        if metric == ANLS_STAR:
            return self.tree
        if metric not in WITH_TREES:
            expected = f"one of {', '.join((ANLS_STAR, *WITH_TREES))}"
            raise InputValueError(place="metric", expected=expected, got=short_repr(metric))
        return metric_trees(self._evaluation.scores, self.number, [metric])[0]

    def to_dict(self) -> dict[str, Any]:
        """The id, the score, the tree and the remarks on it in plain types."""
        remarks = [each.to_dict() for each in self.annotations]
        return {
            "question_id": self.id,
            "anls_score": self.score,
            "tree": self.tree.to_dict(),
            "annotations": remarks,
        }

    def __repr__(self) -> str:
        return f"<DocumentResult {short_repr(self.id)} anls_star {self.score:.4f}>"

    def __str__(self) -> str:
        tree, remarks = printed(print_tree, self.tree, fold=True), printed(print_annotations, self.annotations)
        return f"{tree}{remarks}".strip("\n")

    def _repr_html_(self) -> str:
        others = metric_trees(self._evaluation.scores, self.number, self._evaluation.metrics)
        return "\n".join([tree_in_notebook(self.tree, self.id, self.annotations), *map(tree_in_notebook, others)])


class DocumentList(list[DocumentResult]):
    """Documents of one result, such as those with the lowest scores; a list in every other respect.

    >>> import docscore
    >>> worst = docscore.evaluate(predictions=["x", "y"], references=["x", "z"]).worst(2)
    >>> worst, worst[0]
    (<DocumentList 2 documents, anls_star 0.0000 to 1.0000>, <DocumentResult '1' anls_star 0.0000>)
    """

    def __init__(self, evaluation: Evaluation, numbers: Sequence[int]) -> None:
        super().__init__(DocumentResult(evaluation, number) for number in numbers)
        self._evaluation = evaluation

    def __repr__(self) -> str:
        count = f"{len(self):,} document{'' if len(self) == 1 else 's'}"
        if not self:
            return f"<DocumentList {count}>"
        scores = [document.score for document in self]
        return f"<DocumentList {count}, anls_star {min(scores):.4f} to {max(scores):.4f}>"

    def _repr_html_(self) -> str:
        return table_in_notebook(documents_table(self._evaluation.scores, [document.number for document in self]))
