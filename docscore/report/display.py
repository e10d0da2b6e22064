"""How each type of result is displayed: as text, as HTML in notebooks, and as a report in a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch

from docscore.evaluation.comparison import Comparison
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.rows import Row, Rows
from docscore.evaluation.tables import LISTED, Table
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.report.console import (
    print_annotations,
    print_comparison,
    print_evaluation,
    print_table,
    print_tree,
    printed,
)
from docscore.report.html_report import (
    comparison_in_notebook,
    evaluation_in_notebook,
    report_as_html,
    table_in_notebook,
    tree_in_notebook,
)
from docscore.report.markup import comparison_as_markdown, report_as_markdown

_MOST_PRINTED = 100  # rows of a table


@singledispatch
def text_of(result: object) -> str:
    """Return what `print` shows of a result."""
    return repr(result)


@text_of.register
def _(result: Evaluation) -> str:
    return printed(print_evaluation, result, fields=False, worst=LISTED).strip("\n")


@text_of.register
def _(result: Comparison) -> str:
    return printed(print_comparison, result, None, LISTED).strip("\n")


@text_of.register
def _(result: Row) -> str:
    tree, remarks = printed(print_tree, result.tree, fold=True), printed(print_annotations, result.annotations)
    return f"{tree}{remarks}".strip("\n")


@text_of.register
def _(result: Table) -> str:
    return printed(print_table, result.first(_MOST_PRINTED)).strip("\n")


@singledispatch
def html_of(result: object) -> str:
    """Return what a notebook shows of a result."""
    raise NotImplementedError(type(result).__name__)


@html_of.register
def _(result: Evaluation) -> str:
    return evaluation_in_notebook(result, LISTED)


@html_of.register
def _(result: Comparison) -> str:
    return comparison_in_notebook(result, LISTED)


@html_of.register
def _(result: Row) -> str:
    tree = tree_in_notebook(result.tree, result.id, result.annotations)
    return "\n".join([tree, *map(tree_in_notebook, result.other_trees)])


@html_of.register
def _(result: Rows) -> str:
    return table_in_notebook(result.table)


@html_of.register
def _(result: Table) -> str:
    return table_in_notebook(result)


@html_of.register
def _(result: ScoreTree) -> str:
    return tree_in_notebook(result)


@singledispatch
def renderers_of(result: object, **settings: object) -> dict[str, Callable[[], str]]:
    """Return what renders the report on a result, by the extension of the file to write."""
    raise NotImplementedError(type(result).__name__)


@renderers_of.register
def _(result: Evaluation, *, title: str, worst: int) -> dict[str, Callable[[], str]]:
    return {
        ".html": lambda: report_as_html(result, title, worst),
        ".md": lambda: report_as_markdown(result, title, worst),
    }


@renderers_of.register
def _(result: Comparison, *, changes: int) -> dict[str, Callable[[], str]]:
    return {".md": lambda: comparison_as_markdown(result, None, changes)}
