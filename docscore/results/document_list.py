"""Some documents of a result: a list that a notebook draws as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docscore.report.content import documents_table
from docscore.report.notebook import table_in_notebook

if TYPE_CHECKING:
    from docscore.corpus.evaluation import Evaluation
    from docscore.results.result import DocumentResult


class DocumentList(list["DocumentResult"]):
    """Documents of one result, such as those with the lowest scores; a list in every other respect.

    >>> import docscore
    >>> worst = docscore.evaluate(predictions=["x", "y"], references=["x", "z"]).worst(2)
    >>> worst, worst[0]
    (<DocumentList 2 documents, anls_star 0.0000 to 1.0000>, <DocumentResult '1' anls_star 0.0000>)
    """

    def __init__(self, evaluation: Evaluation, documents: list[DocumentResult]) -> None:
        super().__init__(documents)
        self._evaluation = evaluation

    def __repr__(self) -> str:
        count = f"{len(self):,} document{'' if len(self) == 1 else 's'}"
        if not self:
            return f"<DocumentList {count}>"
        scores = [document.score for document in self]
        return f"<DocumentList {count}, anls_star {min(scores):.4f} to {max(scores):.4f}>"

    def _repr_html_(self) -> str:
        numbers = [self._evaluation.pairs.ids.index(document.id) for document in self]
        return table_in_notebook(documents_table(self._evaluation.scores, numbers))
