"""The displays of each type of result: as text, as HTML in notebooks, and as a report in a file."""

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any
from zlib import crc32

from docscore.evaluation.comparison import Comparison, Gate, document_changes_table
from docscore.evaluation.evaluation import Evaluation, Row, Rows, figure_table
from docscore.evaluation.sentences import count_lines, count_lines_of_both
from docscore.evaluation.tables import LISTED, Table
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.annotations import Annotation
from docscore.report.console import (
    print_annotations,
    print_comparison,
    print_evaluation,
    print_table,
    print_tree,
    printed,
)
from docscore.report.html_report import causes_of, comparison_as_html, head_of, head_of_comparison, report_as_html
from docscore.report.html_tree import macro_as_html, tree_drawing
from docscore.report.markup import comparison_as_markdown, report_as_markdown

_MOST_ROWS = 100  # of a table
_NOTEBOOK = "notebook.html.jinja"


@singledispatch
def text_of(result: object) -> str:
    """Return the text that `print` shows for a result."""
    return repr(result)


@text_of.register
def _(result: Evaluation) -> str:
    return printed(print_evaluation, result, fields=False, worst=LISTED).strip("\n")


@text_of.register
def _(result: Comparison) -> str:
    return printed(print_comparison, result, None, LISTED).strip("\n")


@text_of.register
def _(result: Row) -> str:
    tree, annotations = printed(print_tree, result.tree, fold=True), printed(print_annotations, result.annotations)
    return f"{result.tree_note}\n{tree}{annotations}".strip("\n")


@text_of.register
def _(result: Table) -> str:
    return printed(print_table, result.first(_MOST_ROWS)).strip("\n")


@singledispatch
def html_of(result: object) -> str:
    """Return the HTML that a notebook shows for a result."""
    raise NotImplementedError(type(result).__name__)


@html_of.register
def _(result: Evaluation) -> str:
    """Return the score of a test set with its interval, causes, slices, and the documents with the lowest scores."""
    tables = result.worst(LISTED).table, figure_table(result), result.slices.first(_MOST_ROWS)
    return _overview(head_of(result), count_lines(result), causes_of(result), tables, result.signature)


@html_of.register
def _(result: Comparison) -> str:
    """Return the difference of two systems with its interval and p-value, and the changed fields and documents."""
    documents = document_changes_table([*result.worse[:LISTED], *result.better[:LISTED]])
    tables = result.fields.first(_MOST_ROWS), documents, result.figures
    return _overview(head_of_comparison(result), count_lines_of_both(result), [], tables, result.signature)


def _overview(
    head: dict[str, Any],
    facts: Sequence[str],
    causes: Sequence[dict[str, Any]],
    tables: Sequence[Table],
    signature: str,
) -> str:
    """Return a headline, sentences, the causes of lost points, and the tables that have rows."""
    return macro_as_html(_NOTEBOOK, "overview", head, facts, causes, list(filter(None, tables)), signature)


@html_of.register
def _(result: Row) -> str:
    title = " ".join(filter(None, [result.id, result.tree_note]))
    return "\n".join([_tree(result.tree, title, result.annotations), *map(_tree, result.other_trees)])


@html_of.register
def _tree(tree: ScoreTree, title: str = "", annotations: Sequence[Annotation] = ()) -> str:
    """Return a score tree with a title above it and with its annotations."""
    # The same tree has the same ids each time that a notebook runs, and different trees have different ids.
    content = "\n".join([title, str(tree)]).encode("utf-8", "backslashreplace")
    return macro_as_html(_NOTEBOOK, "one_tree", tree_drawing(tree, f"anls-{crc32(content):08x}", annotations), title)


@html_of.register
def _(result: Rows) -> str:
    return html_of(result.table)


@html_of.register
def _(result: Table) -> str:
    return macro_as_html(_NOTEBOOK, "one_table", result.first(_MOST_ROWS))


@singledispatch
def renderers_of(result: object, **settings: object) -> dict[str, Callable[[], str]]:
    """Return functions that render the report on a result, by the extension of the file to write."""
    raise NotImplementedError(type(result).__name__)


@renderers_of.register
def _(result: Evaluation, *, title: str, worst: int, recipe: str) -> dict[str, Callable[[], str]]:
    return {
        ".html": lambda: report_as_html(result, title, worst, recipe),
        ".md": lambda: report_as_markdown(result, title, worst),
    }


@renderers_of.register
def _(result: Comparison, *, changes: int, gate: Gate | None, title: str, recipe: str) -> dict[str, Callable[[], str]]:
    return {
        ".html": lambda: comparison_as_html(result, gate, changes, title, recipe),
        ".md": lambda: comparison_as_markdown(result, gate, changes),
    }
