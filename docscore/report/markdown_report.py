"""A report on a test set as Markdown, for pull requests, wikis and papers."""

from __future__ import annotations

from docscore.corpus.evaluation import Evaluation
from docscore.report.content import (
    causes_table,
    documents_table,
    fields_table,
    figures_table,
    lists_table,
    rates_table,
    slices_table,
)
from docscore.report.tables import (
    MOST_FIELDS_LISTED,
    markdown_escaped,
    markdown_list,
    signature_as_markdown,
    table_as_markdown,
)
from docscore.report.wording import NOTHING_LOST, count_lines, sample_text


def report_as_markdown(found: Evaluation, title: str, worst: int) -> str:
    """Render the report on a test set as Markdown, without score trees.

    Args:
        found: the evaluation.
        title: the heading.
        worst: how many of the documents with the lowest scores are listed.
    """
    summary, scores, analysis = found.summary, found.scores, found.analysis
    causes = causes_table(analysis)
    tables = [] if found.other_figures is None else [figures_table(found.other_figures)]
    tables += [causes, fields_table(summary, analysis), lists_table(analysis), rates_table(summary.rates)]
    tables += [slices_table(found.slices, found.slice_name)] if found.slices else []
    tables.append(documents_table(scores, scores.numbers_of_worst(worst)))
    parts = [
        f"# {markdown_escaped(title)}",
        f"**ANLS\\* {scores.mean:.4f}**, mean of {sample_text(summary, 'document')}",
        markdown_list(count_lines(scores)),
        "" if causes.rows else NOTHING_LOST,
    ]
    for table in tables:
        if table.rows:
            parts.append(f"## {markdown_escaped(table.caption)}")
            parts.append(table_as_markdown(table.first(max(MOST_FIELDS_LISTED, worst))))
    parts.append(signature_as_markdown(str(scores.signature)))
    return "\n\n".join(filter(None, parts)) + "\n"
