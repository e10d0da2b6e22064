"""How each type of result is displayed: as text, as HTML in notebooks, and as a report in a file."""

from collections.abc import Callable, Sequence
from functools import singledispatch
from zlib import crc32

from docscore.core.formatting import with_sign
from docscore.evaluation.comparison import Comparison, document_changes_table
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.review import Review
from docscore.evaluation.rows import Row, Rows
from docscore.evaluation.sentences import (
    count_lines,
    count_lines_of_both,
    difference_interval,
    headline_text,
    verdict_text,
)
from docscore.evaluation.tables import LISTED, Table
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.annotations import Annotation
from docscore.report.console import (
    print_annotations,
    print_comparison,
    print_evaluation,
    print_review,
    print_table,
    print_tree,
    printed,
)
from docscore.report.html_report import report_as_html
from docscore.report.html_tree import macro_as_html, tree_drawing
from docscore.report.markup import comparison_as_markdown, report_as_markdown

_MOST_ROWS = 100  # of a table
_NOTEBOOK = "notebook.html.jinja"


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
def _(result: Review) -> str:
    return printed(print_review, result, LISTED).strip("\n")


@text_of.register
def _(result: Row) -> str:
    tree, remarks = printed(print_tree, result.tree, fold=True), printed(print_annotations, result.annotations)
    return f"{tree}{remarks}".strip("\n")


@text_of.register
def _(result: Table) -> str:
    return printed(print_table, result.first(_MOST_ROWS)).strip("\n")


@singledispatch
def html_of(result: object) -> str:
    """Return what a notebook shows of a result."""
    raise NotImplementedError(type(result).__name__)


@html_of.register
def _(result: Evaluation) -> str:
    """The figures of a test set with their intervals, its slices, and the documents with the lowest scores."""
    tables = result.figure_table, result.slices.first(_MOST_ROWS), result.worst(LISTED).table
    return _overview(
        f"{result.score:.4f}", headline_text(result, "document"), count_lines(result), tables, result.signature
    )


@html_of.register
def _(result: Comparison) -> str:
    """The difference of two systems with its interval and p-value, and the fields and documents that changed."""
    facts = [verdict_text(result), difference_interval(result), *count_lines_of_both(result)]
    documents = document_changes_table([*result.worse[:LISTED], *result.better[:LISTED]])
    tables = result.figures, result.fields.first(_MOST_ROWS), documents
    mean = "mean " if result.new.is_mean else ""
    return _overview(
        with_sign(result.difference),
        f"{mean}{result.figure.label} from {result.figure.base:.4f} to {result.figure.new:.4f}",
        facts,
        tables,
        result.signature,
    )


def _overview(score: str, text: str, facts: Sequence[str], tables: Sequence[Table], signature: str) -> str:
    """Return a headline, sentences, and those of the tables that have rows."""
    return macro_as_html(_NOTEBOOK, "overview", score, text, facts, list(filter(None, tables)), signature)


@html_of.register
def _(result: Review) -> str:
    return "\n".join(html_of(table.first(LISTED)) for table in (result.groups, result.items))


@html_of.register
def _(result: Row) -> str:
    return "\n".join([_tree(result.tree, result.id, result.annotations), *map(_tree, result.other_trees)])


@html_of.register
def _tree(tree: ScoreTree, title: str = "", remarks: Sequence[Annotation] = ()) -> str:
    """Return a score tree, with a title above it and the remarks on it."""
    # the same tree has the same ids each time that a notebook is run, and different trees have different ones
    content = "\n".join([title, str(tree)]).encode("utf-8", "backslashreplace")
    return macro_as_html(_NOTEBOOK, "one_tree", tree_drawing(tree, f"anls-{crc32(content):08x}", remarks), title)


@html_of.register
def _(result: Rows) -> str:
    return html_of(result.table)


@html_of.register
def _(result: Table) -> str:
    return macro_as_html(_NOTEBOOK, "one_table", result.first(_MOST_ROWS))


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
