"""The tab for two files of predictions: the differences, and their confidence intervals and p-values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.formatting import with_sign
from docscore.core.options import ScoringOptions
from docscore.corpus.comparison import Comparison
from docscore.corpus.evaluation import Evaluation
from docscore.report.content import (
    DOCUMENT_CHANGE_COLUMNS,
    FIELD_CHANGE_COLUMNS,
    document_changes_table,
    field_changes_table,
)
from docscore.report.html_tree import explained_drawing
from docscore.report.wording import changes_text, count_lines_of_both, difference_facts
from playground.children import Report
from playground.fragments import fragment, frame_headers, frame_rows
from playground.kept import KeptDocuments, keep_documents
from playground.uploads import Bar, rows_of_uploads, shown_ids, skipped_lines

FIELD_HEADERS = frame_headers(FIELD_CHANGE_COLUMNS)
DOCUMENT_HEADERS = frame_headers(DOCUMENT_CHANGE_COLUMNS)


class Versus(NamedTuple):
    """The outputs for two compared systems.

    Attributes:
        kept: the documents of the base and of the new system.
        summary: the difference, its interval and p-value, as HTML.
        fields: one row for each field that changed, with the columns `FIELD_HEADERS`.
        documents: one row for each document that changed, with the columns `DOCUMENT_HEADERS`.
    """

    kept: KeptDocuments
    summary: str
    fields: list[list[Any]]
    documents: list[list[Any]]


def compare_files(
    references: Path, base: Path, new: Path, parse: str | None, *, skip: bool, folder: Path, progress: Report
) -> Versus:
    """Compare two files of predictions.

    Raises:
        TypeError, ValueError, OSError: with a message that names the file and the place.
    """
    options = ScoringOptions(parse=parse)
    uploaded = rows_of_uploads(references, [base, new], options, skip=skip)
    bar = Bar(progress, phases=5)
    before, after = (Evaluation(pairs, options, progress=bar.phase) for pairs in uploaded.systems)
    found = before.compare(after)
    kept = keep_documents(folder, [before.scores, after.scores])
    head = _summary(found, skipped_lines(uploaded))
    return Versus(kept, head, frame_rows(field_changes_table(found)), _documents(found))


def trees_of(kept: KeptDocuments, shown_id: str) -> str:
    """The trees of a document in the base and in the new system, as HTML."""
    drawn = [
        (which, explained_drawing(tree, which, kept.options))
        for which, tree in zip(("base", "new"), kept.trees(shown_id), strict=False)
    ]
    return fragment("document", shown_id, drawn) if drawn else ""


def _summary(found: Comparison, left_out: Sequence[str]) -> str:
    base, new = found.base.scores, found.new.scores
    text = f"from {base.mean:.4f} to {new.mean:.4f}"
    interval, p_value = difference_facts(found)
    facts = [interval, f"{p_value} (paired permutation test)", changes_text(found), *count_lines_of_both(found)]
    return fragment("summary", with_sign(found.difference), text, facts, str(new.signature), left_out)


def _documents(found: Comparison) -> list[list[Any]]:
    """The documents that changed, largest change first; of equal changes, losses first."""
    ids = found.base.scores.ids
    names = dict(zip(ids, shown_ids(ids), strict=True))
    changes = sorted([*found.worse, *found.better], key=lambda each: -abs(each.difference))
    return frame_rows(document_changes_table(changes), names=names)
