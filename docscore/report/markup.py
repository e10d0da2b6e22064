"""Tables as Markdown and LaTeX; comparisons and reports as Markdown."""

import re
from collections.abc import Iterable

from docscore.core.formatting import clipped, printable, with_sign
from docscore.evaluation.comparison import Comparison, Gate, document_changes_table
from docscore.evaluation.evaluation import Evaluation, breakdown_tables, figure_table
from docscore.evaluation.sentences import (
    NOTHING_LOST,
    count_lines,
    count_lines_of_both,
    difference_interval,
    sample_text,
    verdict_text,
)
from docscore.evaluation.tables import Table, TableCell, TableColumn
from docscore.report.console import MOST_CHANGES_LISTED

FORMATS = ("text", "markdown", "latex")


_LATEX = {
    "†": r"\textsuperscript{\textdagger}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


_LONGEST_NAME = 80  # characters of a name in Markdown


# Patterns that Markdown and GitHub read as markup, with their replacements. No pattern matches an earlier replacement.
_MARKUP = (
    (r"^\s+", ""),
    (r"\\(?=[!-/:-@\[-`{-~]|$)", r"\\\\"),
    (r"&(?=#?\w+;)", "&amp;"),
    (r"[`*~]", r"\\\g<0>"),
    (r"(?<![^\W_])_|_(?![^\W_])", r"\\_"),  # not within a word
    (r"\](?=[(\[:])|\[(?=[ xX]\]\s)", r"\\\g<0>"),  # links, definitions of links, and check boxes
    (r"<(?=[A-Za-z/!?])", r"\\<"),
    (r"^(?=[-+](\s|$)|>|#{1,6}(\s|$)|=+\s*$|-[-\s]*$)|(?<=\s)(?=#+\s*$)", r"\\"),  # begins a block, or ends a heading
    (r"^(\d{1,9})(?=[.)](\s|$))", r"\1\\"),
    (r"#(?=\d)", "&#35;"),  # an issue; the following patterns would be a mention, an address or a link
    (r"@(?=\w)", "&#64;"),
    (r":(?=//)", "&#58;"),
    (r"(?i)(?<=\bwww)\.", "&#46;"),
)


def in_markdown(text: str) -> str:
    r"""Return one line of text as Markdown that displays exactly this text, without markup or mentions.

    >>> print(in_markdown("ANLS* of <b>anls_star</b>, p < 0.05 [0.1, 0.2]"))
    ANLS\* of \<b>anls_star\</b>, p < 0.05 [0.1, 0.2]
    """
    text = printable(text)
    for pattern, escaped in _MARKUP:
        text = re.sub(pattern, escaped, text)
    return text


def markdown_escaped(text: str) -> str:
    r"""Return a shortened name as Markdown for a heading or the cell of a table.

    >>> print(markdown_escaped("a|b"))
    a\|b
    """
    return in_markdown(clipped(printable(text), _LONGEST_NAME)).replace("|", r"\|")


def signature_as_markdown(signature: str) -> str:
    """Return the full signature in small print: a shortened one could not show whether two figures are comparable."""
    return f"<sub><code>{in_markdown(signature)}</code></sub>"


def markdown_list(lines: Iterable[str]) -> str:
    """Return the lines as a list; names from the data in them never become markup or mentions."""
    return "\n".join(f"* {in_markdown(line)}" for line in lines)


def table_as_markdown(table: Table) -> str:
    """Return the table as Markdown, without caption and bars, best values in bold, followed by note and signatures."""
    shown = table.shown(bars=False)
    lines = [
        _markdown_row([markdown_escaped(column.head) for column in shown.heads]),
        f"|{''.join('---|' if _is_text(column) else '---:|' for column in shown.heads)}",
        *(_markdown_row(map(_markdown_cell, shown.heads, row)) for row in shown.cells),
    ]
    below = [
        *filter(None, [shown.note]),
        *map(in_markdown, shown.footnotes),
        *(f"`{printable(signature)}`" for signature in shown.signatures),
    ]
    return "\n".join([*lines, "", *below] if below else lines)


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(column: TableColumn, cell: TableCell) -> str:
    if column.kind == "code":
        return f"<code>{markdown_escaped(cell.text)}</code>"
    text = markdown_escaped(cell.text) if column.kind == "text" else cell.text
    return (f"**{text}**" if cell.best else text) + cell.suffix


def _is_text(column: TableColumn) -> bool:
    return column.kind in ("text", "code")


def table_as_latex(table: Table, caption: str = "") -> str:
    """Return the table as a LaTeX `table` with rules of the package booktabs, best values in bold.

    Signatures and footnotes precede it as comments; each signature is also given as text to paste.

    Args:
        table: the table; bars are left out.
        caption: the first sentences of the caption, by default the table's; the meaning of the marks is added.
    """
    shown = table.shown(bars=False)
    bold = ["Best values in bold."] if any(cell.best for row in shown.cells for cell in row) else []
    parts = [caption or f"{shown.caption}.", *bold, *shown.legend, *filter(None, [shown.note])]
    footnotes = [footnote for footnote in shown.footnotes if footnote not in shown.legend]
    return "\n".join(
        [
            *(f"% {printable(line)}" for line in [r"needs \usepackage{booktabs}", *shown.signatures, *footnotes]),
            *(rf"% as text: \texttt{{{_in_latex(signature)}}}" for signature in shown.signatures),
            r"\begin{table}[t]",
            r"  \centering",
            rf"  \caption{{{_in_latex(' '.join(parts))}}}",
            rf"  \begin{{tabular}}{{{''.join('l' if _is_text(column) else 'r' for column in shown.heads)}}}",
            r"    \toprule",
            f"    {_latex_row(_in_latex(column.head) for column in shown.heads)}",
            r"    \midrule",
            *(f"    {_latex_row(map(_latex_cell, shown.heads, row))}" for row in shown.cells),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
        ]
    )


def _latex_row(cells: Iterable[str]) -> str:
    row = " & ".join(cells)
    return f"{{}}{row}" + r" \\" if row.startswith(("[", "*")) else row + r" \\"  # these would be arguments of the \\


def _latex_cell(column: TableColumn, cell: TableCell) -> str:
    text = _in_latex(cell.text)
    if column.kind == "code":
        return rf"\texttt{{{text}}}"
    return (rf"\textbf{{{text}}}" if cell.best else text) + _in_latex(cell.suffix)


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in printable(text))


def comparison_as_markdown(comparison: Comparison, gate: Gate | None, changes: int) -> str:
    """Return a comparison as Markdown: verdict, difference with interval, gate, changed fields and largest changes.

    Args:
        comparison: the comparison.
        gate: the result of the gate, optional.
        changes: how many improved documents and how many worse documents to list.
    """
    figure, label = comparison.figure, in_markdown(comparison.figure.label)
    tested = comparison.fields, comparison.causes, comparison.slices
    tables = [comparison.figures, *(each.without("p_value").first(MOST_CHANGES_LISTED) for each in tested)]
    documents = document_changes_table([*comparison.worse[:changes], *comparison.better[:changes]])
    details = f"<details><summary>{documents.caption}</summary>\n\n{table_as_markdown(documents)}\n\n</details>"
    parts = [
        f"### {label}: {figure.base:.4f} → {figure.new:.4f} ({with_sign(comparison.difference)})",
        f"{verdict_text(comparison).capitalize()}. {difference_interval(comparison)}.",
        markdown_list(count_lines_of_both(comparison)),
        "" if gate is None else f"**Gate {in_markdown(gate.sentence)}.**",
        *(table_as_markdown(table) for table in tables if table),
        details if documents else "",
        # if there are several figures, their table has the signatures
        "" if comparison.figures else signature_as_markdown(comparison.signature),
    ]
    return "\n\n".join(filter(None, parts))


def report_as_markdown(evaluation: Evaluation, title: str, worst: int) -> str:
    """Render the report on a test set as Markdown, without score trees.

    Args:
        evaluation: the evaluation.
        title: the heading.
        worst: how many of the documents with the lowest scores to list.
    """
    of = "mean of " if evaluation.primary.is_mean else ""
    label = in_markdown(evaluation.figure_names[0].label)
    tables = (
        figure_table(evaluation),
        *breakdown_tables(evaluation),
        evaluation.causes,
        evaluation.fields,
        evaluation.lists,
        evaluation.rates,
        evaluation.filled_although_empty,
        evaluation.confusions,
        evaluation.slices,
        evaluation.worst(worst).table,
    )
    listed = (table.first(max(MOST_CHANGES_LISTED, worst)) for table in tables if table)
    parts = [
        f"# {markdown_escaped(title)}",
        f"**{label} {evaluation.score:.4f}**, {of}{sample_text(evaluation, 'document')}",
        markdown_list(count_lines(evaluation)),
        "" if evaluation.causes else evaluation.scorer.fields_note or NOTHING_LOST,
        *(f"## {markdown_escaped(table.caption)}\n\n{table_as_markdown(table)}" for table in listed),
        "" if evaluation.other_figures else signature_as_markdown(evaluation.signature),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"
