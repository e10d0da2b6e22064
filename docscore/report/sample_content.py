"""The table of all documents of a test set: score, and how the prediction was read."""

from __future__ import annotations

from typing import Any

from docscore.core.formatting import three_digits
from docscore.corpus.scores import CorpusScore
from docscore.report.content import DOCUMENT_COLUMNS
from docscore.report.table_model import ReportTable, TableCell, TableColumn
from docscore.report.wording import shown_name

_MORE_COLUMNS = {
    "parsed": TableColumn("parsed", "parsed", "text"),
    "parse_note": TableColumn("parse_note", "note", "text"),
    "missing": TableColumn("missing", "missing", "text"),
}


def samples_table(scores: CorpusScore) -> ReportTable:
    """All documents in the order of the references, with what `CorpusScore.samples` gives of each."""
    samples = scores.samples()
    more = [column for name, column in _MORE_COLUMNS.items() if name in samples[0]]

    def row(sample: dict[str, Any]) -> tuple[TableCell, ...]:
        name, score = sample["question_id"], sample["anls_score"]
        others = (TableCell(sample[column.name], _text(sample[column.name])) for column in more)
        return TableCell(name, shown_name(name)), TableCell(score, three_digits(score)), *others

    return ReportTable("Documents", (*DOCUMENT_COLUMNS, *more), tuple(map(row, samples)), unit="documents")


def _text(value: str | bool | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value or "–"
