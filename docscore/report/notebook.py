"""What notebooks show of results: HTML with its own style, in which all values are escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from zlib import crc32

from docscore.core.formatting import with_sign
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.report.annotations import Annotation
from docscore.report.content import (
    document_changes_table,
    documents_table,
    field_changes_table,
    figure_changes_table,
    figures_table,
    slices_table,
)
from docscore.report.html_templates import macro_as_html
from docscore.report.html_tree import tree_drawing
from docscore.report.table_model import ReportTable
from docscore.report.wording import (
    count_lines,
    count_lines_of_both,
    difference_interval,
    headline_text,
    verdict_text,
)

if TYPE_CHECKING:
    from docscore.evaluation.comparison import Comparison
    from docscore.evaluation.evaluation import Evaluation

_TEMPLATE = "notebook.html.jinja"
_MOST_ROWS = 100  # of a table


def table_in_notebook(table: ReportTable) -> str:
    """A table, cut off after a hundred rows."""
    return macro_as_html(_TEMPLATE, "one_table", table.first(_MOST_ROWS))


def tree_in_notebook(tree: ScoreTree, title: str = "", remarks: Sequence[Annotation] = ()) -> str:
    """A score tree.

    Args:
        tree: the root.
        title: a line above it; "" for none.
        remarks: what stands out in it, the most points first.
    """
    # the same tree has the same ids each time that a notebook is run, and different trees have different ones
    content = "\n".join([title, str(tree)]).encode("utf-8", "backslashreplace")
    return macro_as_html(_TEMPLATE, "one_tree", tree_drawing(tree, f"anls-{crc32(content):08x}", remarks), title)


def evaluation_in_notebook(found: Evaluation, worst: int) -> str:
    """The figures of a test set with their intervals, its slices, and the documents with the lowest scores.

    Args:
        found: the evaluation.
        worst: how many documents to list.
    """
    tables = [figures_table(found)] if found.other_figures else []
    if found.slice_figures:
        tables.append(slices_table(found.slice_figures, found.slice_name).first(_MOST_ROWS))
    tables.append(documents_table(found, found.numbers_of_worst(worst)))
    head = f"{found.score:.4f}", headline_text(found, "document"), count_lines(found)
    return macro_as_html(_TEMPLATE, "overview", *head, tables, found.signature)


def comparison_in_notebook(found: Comparison, changes: int) -> str:
    """The difference of two systems with its interval and p-value, and the fields and documents that changed.

    Args:
        found: the comparison.
        changes: how many of the better and of the worse documents are listed.
    """
    facts = [verdict_text(found), difference_interval(found), *count_lines_of_both(found)]
    documents = document_changes_table([*found.worse[:changes], *found.better[:changes]])
    figures = [figure_changes_table(found)] if found.figure_changes else []
    tables = [*figures, field_changes_table(found).first(_MOST_ROWS), documents]
    mean = "mean " if found.new.is_mean else ""
    text = f"{mean}{found.figure.label} from {found.figure.base:.4f} to {found.figure.new:.4f}"
    shown = [table for table in tables if table.rows]
    return macro_as_html(_TEMPLATE, "overview", with_sign(found.difference), text, facts, shown, found.signature)
