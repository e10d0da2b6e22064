"""Print score trees, test sets and comparisons. On a terminal, tables fit its width, and no text is cut off."""

import io
import textwrap
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from docscore.core.formatting import counted, percent_text, shown_name, three_digits, with_sign
from docscore.core.values import paired_excerpts
from docscore.evaluation.comparison import Change, Comparison, Gate, document_changes_table
from docscore.evaluation.evaluation import Evaluation, breakdown_tables, figure_table
from docscore.evaluation.sentences import (
    HALF_THE_WIDTH,
    annotation_text,
    count_lines,
    count_lines_of_both,
    difference_interval,
    explained_figures,
    facts_of_tree,
    points_text,
    runs_lines,
    sample_text,
    text_differences,
    verdict_text,
)
from docscore.evaluation.tables import Table, TableCell, TableColumn
from docscore.metrics.anls_star.tree import Line, ScoreTree, outline
from docscore.metrics.annotations import Annotation
from docscore.metrics.kieval import kieval_lines

MOST_CHANGES_LISTED = 20  # in each table of a comparison
_WIDTH = 80  # columns of a line of sentences
UNBOUNDED = 1_000_000  # columns; used for files and pipes, where nothing is folded
_NARROWEST_NAME = 14  # columns; names are folded to no less than this


_BAR = 24  # columns


_MOST_ANNOTATIONS = 10  # below a tree


_MOST_ROWS = 500  # of a table or a tree; rich takes most of a millisecond per row, and JSON has all rows
_PLAIN_SIGNS = str.maketrans("–·†", "-.+")  # in numbers, for encodings without these characters


def printed(print_on: Callable[..., None], *arguments: object, **options: object) -> str:
    """Return the text that a function of this module prints with these arguments, without colour."""
    text = io.StringIO()
    console = Console(
        file=text,
        width=UNBOUNDED,
        color_system=None,
        force_jupyter=False,  # in a notebook, it would display each line, and the text would be empty
        highlight=False,
        markup=False,
        emoji=False,
    )
    print_on(console, *arguments, **options)
    return text.getvalue()


def print_evaluation(console: Console, evaluation: Evaluation, *, fields: bool, worst: int) -> None:
    """Print the requested results: ANLS* and its fields, the figures of other metrics, and slices.

    Args:
        console: the console to print to.
        evaluation: the evaluation.
        fields: whether to print fields, causes of lost points and rates.
        worst: how many of the rows with the lowest scores to print.
    """
    print_summary(console, evaluation, fields=fields, worst=worst)
    has_others = bool(evaluation.other_figures)
    if has_others:
        print_measured(console, evaluation)
    elif evaluation.document_folder is not None:
        _print_breakdowns(console, evaluation)
    if evaluation.rows_by_slice:
        print_table(console, evaluation.slices)
    if not has_others:  # the table of other metrics has the signatures
        _print_lines(console, [f"\n{evaluation.signature}"])


def print_summary(console: Console, evaluation: Evaluation, *, fields: bool, worst: int) -> None:
    """Print the mean with its interval, counts, fields if requested, and the rows with the lowest scores."""
    of = "mean of " if evaluation.primary.is_mean else ""
    head = f"{evaluation.figure_names[0].label}  {evaluation.score:.6f}  {of}{sample_text(evaluation, 'row')}"
    lines = [head] if len(head) <= _WIDTH else head.split(", ", 1)
    lines += count_lines(evaluation, warnings=False)
    if not fields and evaluation.cut_off:  # the table of lists says this too
        lines.append(f"{evaluation.cut_off}.")
    if evaluation.runs is not None:
        most = islice(evaluation.runs.unstable.items(), worst)
        unstable = [f"  {' '.join(map(three_digits, scores))}  {shown_name(name)}" for name, scores in most]
        lines += ["", *runs_lines(evaluation.runs), HALF_THE_WIDTH, *unstable]
    if fields and evaluation.scorer.fields_note:
        lines.append(f"\n{evaluation.scorer.fields_note}")
    _print_lines(console, lines)
    if fields:
        _print_causes(console, evaluation)
        _print_rates(console, evaluation.rates)
        for table in (evaluation.filled_although_empty, evaluation.fields, evaluation.lists):
            if table:
                print_table(console, table)
    lowest = evaluation.worst(worst).table
    _print_list(console, lowest.caption, [f"  {score.text}  {name.text}{score.suffix}" for name, score in lowest.cells])


def print_comparison(console: Console, comparison: Comparison, gate: Gate | None, changes: int) -> None:
    """Print the verdict, the difference with its interval, the changes, and the gate."""
    figure = comparison.figure
    scores = f"base {figure.base:.6f}  new {figure.new:.6f}  difference {with_sign(comparison.difference, 6)}"
    _print_lines(
        console,
        [
            f"{figure.label}  {scores}",
            *textwrap.wrap(verdict_text(comparison), _WIDTH),
            difference_interval(comparison),
            *count_lines_of_both(comparison, warnings=False),
        ],
    )
    if comparison.figures:
        print_table(console, comparison.figures, "p: permutation tests, each metric by itself")
    _print_changes(console, "Largest losses", comparison.worse[:changes])
    _print_changes(console, "Largest gains", comparison.better[:changes])
    fields = comparison.fields.first(MOST_CHANGES_LISTED)
    if fields:
        print_table(console, fields, "p and q: permutation tests; decide by q, which allows for the number of fields")
    else:
        _print_lines(console, [f"\n{fields.caption}"])
    for table in (comparison.causes, comparison.slices):
        if table:
            print_table(console, table.first(MOST_CHANGES_LISTED))
    if gate is not None:
        print_gate(console, gate.sentence)
    if not comparison.figures:
        _print_lines(console, [f"\n{comparison.signature}"])


def print_gate(console: Console, sentence: str) -> None:
    """Print the result of a gate."""
    _print_lines(console, ["", *textwrap.wrap(f"Gate {sentence}", _WIDTH, subsequent_indent="  ")])


def _print_breakdowns(console: Console, evaluation: Evaluation) -> None:
    for table in breakdown_tables(evaluation):
        if table:
            print_table(console, table.first(MOST_CHANGES_LISTED))


def print_measured(console: Console, evaluation: Evaluation) -> None:
    """Print the figures of metrics with their intervals, the counts of KIEval, and how typed fields were compared."""
    table, level = figure_table(evaluation), evaluation.confidence
    intervals = "" if level is None else f", intervals of {percent_text(level)}"
    _print_lines(console, [f"\n{table.caption}  {counted(len(evaluation), 'row')}{intervals}"])
    _draw(console, table)
    if "kieval" in evaluation.breakdowns:
        _print_lines(console, kieval_lines(evaluation.breakdowns["kieval"]))
    _print_breakdowns(console, evaluation)

    _print_lines(console, [f"\n{signature}" for signature in table.signatures])


def print_table(console: Console, table: Table, explanation: str = "", *, with_caption: bool = True) -> None:
    """Print the first rows of a table, the number of rows, the meaning of its marks, and the signatures.

    Args:
        console: the console to print to.
        table: the table.
        explanation: a line between the caption and the table.
        with_caption: whether to print the caption above the table.
    """
    table = table.first(_MOST_ROWS)
    if with_caption:
        _print_lines(console, [f"\n{table.caption}", *filter(None, [explanation])])
    _draw(console, table)
    footnotes = [shown_name(footnote).translate(_PLAIN_SIGNS) for footnote in table.footnotes]
    if any(cell.best for row in table.cells for cell in row):
        footnotes.insert(0, "*: the best figure.")
    _print_lines(console, [*filter(None, [table.note]), *footnotes, *(f"\n{name}" for name in table.signatures)])


def _draw(console: Console, table: Table) -> None:
    """Print the table without lines and bars; an asterisk marks the best value.

    If the table is too wide, systems become rows, then names are folded, and then the terminal breaks the lines.
    Numbers are never folded.
    """
    shown = table.shown(bars=False)
    rows = [tuple(map(_cell_text, shown.heads, row)) for row in shown.cells]
    grid = RichTable(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="")
    narrowest = len(shown.heads) - 1  # the spaces between columns
    for number, column in enumerate(shown.heads):
        head = shown_name(column.terminal or column.head)
        if column.kind in ("text", "code"):
            grid.add_column(head, overflow="fold", min_width=_NARROWEST_NAME)
            narrowest += _NARROWEST_NAME
        else:
            grid.add_column(head, justify="right", no_wrap=True)
            narrowest += max(cell_len(text) for text in (head, *(row[number] for row in rows)))
    if narrowest > console.width and table.systems_from:
        _draw(console, table.stacked())
        return
    for row in rows:
        grid.add_row(*row)
    width, console.width = console.width, max(console.width, narrowest)
    console.print(grid)
    console.width = width


def _cell_text(column: TableColumn, cell: TableCell) -> str:
    if column.kind in ("text", "code"):
        return shown_name(cell.text)
    text = (cell.terminal or cell.text).translate(_PLAIN_SIGNS)
    return (f"{text}*" if cell.best else text) + cell.suffix.translate(_PLAIN_SIGNS)


def _print_lines(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.print(line, soft_wrap=True)


def _print_list(console: Console, head: str, lines: Sequence[str]) -> None:
    """Print lines below a heading; print nothing if there are no lines."""
    _print_lines(console, [f"\n{head}", *lines] if lines else [])


def _print_causes(console: Console, evaluation: Evaluation) -> None:
    sign = "█" if _can_print(console, "█") else "#"
    rows = evaluation.causes.cells
    _print_list(
        console,
        f"Points lost: {sum(points.value for _, points, *_ in rows):.6f}",
        [
            f"  {points.text}  {cause.text:<19} {sign * max(1, round(_BAR * bar.value))}"
            for bar, points, _, cause in rows
        ],
    )


def _print_rates(console: Console, rates: Table) -> None:
    lines = []
    for name, value, interval, _ in rates.shown().cells:
        ends = "({:>6} to {:>6})".format(*interval.text.split(" to ")) if interval.value else ""
        lines.append(f"  {value.text.translate(_PLAIN_SIGNS):>6} {ends:<18}  {name.text}{interval.suffix}")
    _print_list(console, rates.caption, lines)


def _print_changes(console: Console, head: str, changes: Iterable[Change]) -> None:
    rows = document_changes_table(changes).cells
    _print_list(
        console,
        head,
        [f"  {difference.text}  {base.text} to {new.text}  {name.text}" for name, base, new, difference in rows],
    )


# Blue and orange can be distinguished by colour-blind readers and in grey; every status also has a glyph.
_STATUS_STYLE = {"exact": "dim", "partial": "", "wrong": "bold", "missing": "bold", "extra": "bold"}


_TRUTH, _PREDICTION = "bold strike dark_orange3", "bold underline dodger_blue1"


_IN_ASCII = str.maketrans(
    {"≈": "~", "≠": "!", "−": "-", "↔": ":", "→": "->", "…": "...", **dict.fromkeys("├└│", "|"), "─": "-"}
)


def print_explained_figures(console: Console, evaluation: Evaluation) -> None:
    """Print the figures of the primary metric, with a sentence on what each counts, if the metric has sentences."""
    figures = explained_figures(evaluation)
    width = max((len(label) for label, *_ in figures), default=0)
    lines = [f"{label:<{width}}  {value}  {meaning}" for label, value, meaning in figures]
    _print_lines(console, [*lines, ""] if lines else [])


def print_tree(console: Console, tree: ScoreTree, *, fold: bool) -> None:
    """Print the tree, one line for each node.

    With `fold`, an exact container takes one line, and at most `_MOST_ROWS` lines are printed.
    """
    facts = facts_of_tree(tree)
    if facts:
        _print_lines(console, [f"{points_text(tree)}  {tree.score:.4f}", *facts, ""])
    plain = not _can_print(console, "≈≠−↔→…├└│─")
    lines = outline(tree, fold=fold)
    is_long = fold and len(lines) > _MOST_ROWS
    shown = [line for line in lines if line.node.status != "exact"][:_MOST_ROWS] if is_long else lines
    for line in shown:
        text = Text(line.text().translate(_IN_ASCII)) if plain else _styled(line)
        console.print(text, soft_wrap=True)
    more = f"and {len(lines) - len(shown):,} more lines; exact ones are left out first"
    _print_lines(console, [more] if is_long else [])


def print_annotations(console: Console, annotations: Sequence[Annotation]) -> None:
    """Print the annotations of a tree with the points that they are about, and the number of annotations left out."""
    shown = [each for each in annotations if each.kind != "option" or each.parent == "$"]  # options: only the root's
    lines = [
        f"  {with_sign(-each.points_lost, 3) if each.points_lost else '':>6}  {annotation_text(each)}" for each in shown
    ]
    more = [f"  and {len(lines) - _MOST_ANNOTATIONS:,} more"] if len(lines) > _MOST_ANNOTATIONS else []
    _print_list(console, "Annotations", [*lines[:_MOST_ANNOTATIONS], *more])


def _can_print(console: Console, characters: str) -> bool:
    try:
        characters.encode(console.encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def _styled(line: Line) -> Text:
    """Return the line in colour; for a partial match, the differences between both texts are marked."""
    node = line.node
    text = Text(line.head, style=_STATUS_STYLE[node.status]).append(f"  {line.numbers}  ")
    if node.kind == "scalar" and node.status == "partial":
        truth, prediction = text_differences(
            *paired_excerpts(node.ground_truth, node.prediction), ignore_case=node.ignores_case
        )
        for spans, style, behind in ((truth, _TRUTH, " → "), (prediction, _PREDICTION, f"  {line.comment}")):
            text.append_text(Text.assemble(*((piece, style * changed) for piece, changed in spans), behind))
    else:
        text.append(line.detail)
    text.rstrip()
    return text
