"""Tables of several systems and of a comparison, as Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docscore.core.formatting import clipped, printable, three_digits, with_sign
from docscore.core.tolerance import ROUNDING
from docscore.corpus.comparison import Change, Comparison, FieldChange, Gate
from docscore.corpus.measure import Measured
from docscore.report.wording import changes_text, count_lines_of_both, documents_text, interval_text, p_text

FORMATS = ("text", "markdown", "latex")


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


_LONGEST_NAME = 80  # characters of a name


def markdown_code(text: str) -> str:
    """The text as code in which nothing is Markdown, HTML or a mention: all signs are written as entities.

    >>> markdown_code("a|b")
    '<code>a&#124;b</code>'
    """
    return f"<code>{markdown_escaped(text)}</code>"


def markdown_escaped(text: str) -> str:
    """The text with all signs written as entities, shortened."""
    return "".join(c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in clipped(printable(text), _LONGEST_NAME))


def cells_of_systems(systems: Mapping[str, Measured], *, percent: bool) -> list[tuple[list[str], list[bool]]]:
    """The figures of each system as text, and which of them are the best of their column."""
    written = [[figure_text(figure.value, percent=percent) for figure in each.figures] for each in systems.values()]
    values = [[figure.value for figure in each.figures] for each in systems.values()]
    best = [max(column) for column in zip(*values, strict=True)]
    return [
        (texts, [value >= top - ROUNDING for value, top in zip(row, best, strict=True)])
        for texts, row in zip(written, values, strict=True)
    ]


def figure_text(value: float, *, percent: bool) -> str:
    """A figure with four decimals, or times 100 with two."""
    return f"{value * 100:.2f}" if percent else f"{value:.4f}"


def table_of_systems(systems: Mapping[str, Measured], form: str, *, percent: bool = False) -> str:
    """The table.

    Args:
        systems: what was measured of each, by its name; the same metrics for all.
        form: "markdown" or "latex".
        percent: whether figures are written times 100.

    Raises:
        ValueError: for another form.
    """
    if form not in FORMATS[1:]:
        msg = f"form: expected 'markdown' or 'latex', got {form!r}"
        raise ValueError(msg)
    heads = [figure.label for figure in next(iter(systems.values())).figures]
    rows = list(zip(systems, cells_of_systems(systems, percent=percent), strict=True))
    signatures = sorted({str(each.signature) for each in systems.values()})
    return _markdown(heads, rows, signatures) if form == "markdown" else _latex(heads, rows, signatures)


_SystemRow = tuple[str, tuple[list[str], list[bool]]]


def _markdown(heads: list[str], rows: list[_SystemRow], signatures: list[str]) -> str:
    lines = ["| system | " + " | ".join(map(markdown_escaped, heads)) + " |", "|---|" + "---:|" * len(heads)]
    for name, (texts, best) in rows:
        cells = [f"**{text}**" if top else text for text, top in zip(texts, best, strict=True)]
        lines.append(f"| {markdown_escaped(name)} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *(f"`{signature}`" for signature in signatures)])


def _latex(heads: list[str], rows: list[_SystemRow], signatures: list[str]) -> str:
    lines = [f"% {printable(signature)}" for signature in signatures]
    lines += [r"\begin{tabular}{l" + "r" * len(heads) + "}", r"\hline"]
    lines += [" & ".join(["System", *map(_in_latex, heads)]) + r" \\", r"\hline"]
    for name, (texts, best) in rows:
        cells = [rf"\textbf{{{text}}}" if top else text for text, top in zip(texts, best, strict=True)]
        lines.append(" & ".join([_in_latex(name), *cells]) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}"])


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in printable(text))


_MOST_FIELDS = 20


def comparison_as_markdown(found: Comparison, gate: Gate | None, changes: int) -> str:
    """The difference with its interval and test, the gate, the fields that changed, and the largest changes.

    Args:
        found: the comparison.
        gate: what the gate decided, if there is one.
        changes: how many documents are listed on either side.
    """
    base, new = found.base.scores, found.new.scores
    parts = [
        f"### ANLS\\*: {base.mean:.4f} → {new.mean:.4f} ({with_sign(found.difference)})",
        (
            f"{interval_text(found.interval, found.confidence, signed=True)}; p = {p_text(found.p_value)}. "
            f"{documents_text(len(new.ids))}: {changes_text(found)}."
        ),
    ]
    counts = count_lines_of_both(found)
    if counts:
        parts.append("\n".join(f"* {line}" for line in counts))
    if gate is not None:
        parts.append(f"**Gate {gate.sentence}.**")
    changed = [field for field in found.fields if field.changed]
    if changed:
        parts.append(_field_changes_as_markdown(changed))
    listed = [*found.worse[:changes], *found.better[:changes]]
    if listed:
        parts.append(
            f"<details><summary>Documents, largest changes</summary>\n\n{_documents_as_markdown(listed)}\n\n</details>"
        )
    parts.append(f"<sub>{markdown_code(str(new.signature))}</sub>")
    return "\n\n".join(parts)


def _field_changes_as_markdown(fields: Sequence[FieldChange]) -> str:
    lines = ["| field | base | new | change | interval | q |", "|---|---:|---:|---:|---:|---:|"]
    for field in fields[:_MOST_FIELDS]:
        ends = field.interval.ends
        between = f"{with_sign(ends[0], 3)} to {with_sign(ends[1], 3)}" if ends else ""
        scores = " | ".join("" if score is None else three_digits(score) for score in (field.base, field.new))
        scores += " | " if field.difference is None else f" | {with_sign(field.difference)}"
        lines.append(f"| {markdown_code(field.path)} | {scores} | {between} | {p_text(field.q_value)} |")
    if len(fields) > _MOST_FIELDS:
        lines.append(f"\n{len(fields) - _MOST_FIELDS} more fields changed.")
    return "\n".join(lines)


def _documents_as_markdown(changes: Sequence[Change]) -> str:
    lines = ["| document | base | new | change |", "|---|---:|---:|---:|"]
    for each in changes:
        scores = f"{three_digits(each.base)} | {three_digits(each.new)} | {with_sign(each.difference)}"
        lines.append(f"| {markdown_code(each.question_id)} | {scores} |")
    return "\n".join(lines)
