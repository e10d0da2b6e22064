"""What the command prints: score trees, test sets and comparisons, for 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from docscore.core.formatting import paired_excerpts, three_digits, with_sign
from docscore.corpus.automation import Choice, Curve
from docscore.corpus.comparison import Change, Comparison, Gate
from docscore.corpus.fields import OUTCOMES
from docscore.corpus.measure import Measured
from docscore.corpus.summary import Analysis, Rate, Summary
from docscore.metrics.anls_star.tree import Line, ScoreTree, outline
from docscore.metrics.kieval import KieScore
from docscore.report.tables import cells_of_systems
from docscore.report.text_diff import Span, text_differences
from docscore.report.wording import (
    changes_text,
    choice_text,
    correction_text,
    count_lines,
    count_lines_of_both,
    documents_text,
    entities_text,
    groups_text,
    interval_text,
    p_text,
    percent_text,
    shown_name,
    threshold_text,
)

_BAR = 24  # columns


_WIDTH = 80


_HEADS = ("exact", "near", "wrong", "type", "miss", "extra")  # of OUTCOMES


def print_summary(console: Console, summary: Summary, worst: int) -> None:
    """Print the mean with its interval, counts, fields if there are any, and the rows with the lowest scores."""
    scores, rows = summary.scores, len(summary.scores.ids)
    interval = "" if summary.interval is None else f", {interval_text(summary.interval, summary.confidence or 0)}"
    head = f"ANLS*  {scores.mean:.6f}  mean of {rows:,} row{'s' * (rows != 1)}"
    _print(console, f"{head}{interval}" if len(head + interval) <= _WIDTH else f"{head}\n{interval[2:]}")
    for line in count_lines(scores):
        _print(console, line)
    if summary.analysis is not None:
        _print_losses(console, summary.analysis)
        _print_rates(console, summary.rates)
        _print_fields(console, summary, summary.analysis)
        _print_lists(console, summary.analysis)
    lowest = scores.worst(worst)
    if lowest:
        _print(console, "\nLowest scores")
        for sample in lowest:
            _print(console, f"  {three_digits(sample['anls_score'])}  {shown_name(sample['question_id'])}")
    _print(console, f"\n{scores.signature}")


def print_comparison(console: Console, found: Comparison, gate: Gate | None, changes: int) -> None:
    """Print the difference with its interval and test, what changed, the fields, and whether the gate let it pass."""
    base, new = found.base.scores, found.new.scores
    _print(console, f"ANLS*  base {base.mean:.6f}  new {new.mean:.6f}  difference {with_sign(found.difference, 6)}")
    _print(console, f"{interval_text(found.interval, found.confidence, signed=True)}; p = {p_text(found.p_value)}")
    _print(console, f"{documents_text(len(new.ids))}: {changes_text(found)}")
    for line in count_lines_of_both(found):
        _print(console, line)
    _print_changes(console, "Largest losses", found.worse[:changes])
    _print_changes(console, "Largest gains", found.better[:changes])
    _print_field_changes(console, found)
    if gate is not None:
        _print(console, "\n" + textwrap.fill(f"Gate {gate.sentence}", _WIDTH, subsequent_indent="  "))
    _print(console, f"\n{new.signature}")


def print_measured(console: Console, measured: Measured, rows: int, confidence: float) -> None:
    """Print the figures of metrics with their intervals, and what KIEval counted."""
    _print(console, f"\nMetrics  {rows:,} row{'s' * (rows != 1)}, intervals of {percent_text(confidence)}")
    table = _table(["metric", "value", "interval"])
    for figure in measured.figures:
        ends = figure.interval.ends if figure.interval else None
        table.add_row(figure.label, f"{figure.value:.6f}", f"{ends[0]:.4f} to {ends[1]:.4f}" if ends else "-")
    console.print(table)
    if measured.kieval is not None:
        _print_kieval(console, measured.kieval)
    _print(console, f"\n{measured.signature}")


def _print_kieval(console: Console, score: KieScore) -> None:
    _print(console, f"Entities: {entities_text(score.entities)}")
    _print(console, f"Groups: {groups_text(score.groups)}")


def print_corrections(console: Console, score: KieScore) -> None:
    """Print what is to be changed, added and deleted in one document."""
    entities, steps = score.entities, score.corrections()
    _print(
        console, f"KIEval  entity F1 {entities.f1:.3f}  group F1 {score.groups.f1:.3f}  aligned {entities.aligned:.3f}"
    )
    _print_kieval(console, score)
    if steps:
        _print(console, f"\n{len(steps):,} correction{'s' * (len(steps) != 1)}")
    for step in steps:
        _print(console, "  " + correction_text(step))


def print_systems(console: Console, systems: Mapping[str, Measured], *, percent: bool) -> None:
    """Print the figures of several systems, the best of each marked."""
    table = _table(["metric", *map(shown_name, systems)])
    labels = [figure.label for figure in next(iter(systems.values())).figures]
    cells = cells_of_systems(systems, percent=percent)
    for row, label in enumerate(labels):
        table.add_row(label, *(f"{texts[row]}{'*' if best[row] else ' '}" for texts, best in cells))
    console.print(table)
    for signature in sorted({str(each.signature) for each in systems.values()}):
        _print(console, f"\n{signature}")


def print_automation(console: Console, curve: Curve, choice: Choice, confidence: float) -> None:
    """Print the trade-off at some thresholds, and the lowest one that reaches what is wanted."""
    table = _table(["review below", "automated", "accuracy after review"])
    for point in curve.some_points():
        table.add_row(threshold_text(point.threshold), f"{point.automation_rate:.1%}", f"{point.aligned:.4f}")
    console.print(table)
    _print(console, "\n" + textwrap.fill(choice_text(choice, confidence), _WIDTH))


def _print(console: Console, line: str) -> None:
    console.print(line, soft_wrap=True)


def _table(heads: Sequence[str], *, texts: int = 1) -> Table:
    """A table without lines; the first columns are texts, the others numbers."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="")
    for column, head in enumerate(heads):
        if column < texts:
            table.add_column(head, overflow="fold", ratio=1, min_width=14)
        else:
            table.add_column(head, justify="right", no_wrap=True)
    return table


def _print_losses(console: Console, analysis: Analysis) -> None:
    lost = {cause: points for cause, points in analysis.lost.items() if points}
    if not lost:
        return
    bar = "█" if "utf" in console.encoding.lower() else "#"
    _print(console, f"\nPoints lost: {sum(lost.values()):.6f}")
    most = max(lost.values())
    for cause, points in sorted(lost.items(), key=lambda item: -item[1]):
        _print(console, f"  {points:.4f}  {cause:<18} {bar * max(1, round(_BAR * points / most))}")


def _print_rates(console: Console, rates: Sequence[Rate]) -> None:
    _print(console, "\nRates")
    for rate in rates:
        if rate.value is None:
            _print(console, f"       -                    {rate.name}")
            continue
        ends = rate.interval.ends if rate.interval else None
        between = f"({ends[0]:6.1%} to {ends[1]:6.1%})" if ends else ""
        _print(console, f"  {rate.value:6.1%} {between:<18}  {rate.name}")


def _print_fields(console: Console, summary: Summary, analysis: Analysis) -> None:
    _print(console, "\nFields, most points lost first")
    table = _table(["field", "score", "interval", "lost", *_HEADS])
    for field in analysis.by_loss():
        ends = summary.field_intervals[field.path].ends if field.path in summary.field_intervals else None
        between = f"{ends[0]:.2f}-{ends[1]:.2f}" if ends else "-"
        counts = (f"{field.counts[outcome]:,}" if field.counts[outcome] else "." for outcome in OUTCOMES)
        lost = f"{analysis.points_lost(field):.4f}"
        table.add_row(shown_name(field.path), three_digits(field.score), between, lost, *counts)
    console.print(table)


def _print_lists(console: Console, analysis: Analysis) -> None:
    if not analysis.lists:
        return
    _print(console, "\nLists")
    table = _table(["elements", "matched", "missing", "extra"])
    for each in analysis.lists:
        table.add_row(shown_name(each.path), f"{each.matched:,}", f"{each.missing:,}", f"{each.extra:,}")
    console.print(table)


def _print_changes(console: Console, head: str, changes: Sequence[Change]) -> None:
    if changes:
        _print(console, f"\n{head}")
    for each in changes:
        scores = f"{three_digits(each.base)} to {three_digits(each.new)}"
        _print(console, f"  {with_sign(each.difference)}  {scores}  {shown_name(each.question_id)}")


def _print_field_changes(console: Console, found: Comparison) -> None:
    changed = [field for field in found.fields if field.changed]
    _print(console, f"\nFields, largest change first ({len(found.fields) - len(changed):,} did not change)")
    if not changed:
        return
    _print(console, "p and q: permutation tests; decide by q, which allows for the number of fields")
    table = _table(["field", "base", "new", "change", "interval", "p", "q"])
    for field in changed:
        ends = field.interval.ends
        table.add_row(
            shown_name(field.path),
            "-" if field.base is None else three_digits(field.base),
            "-" if field.new is None else three_digits(field.new),
            "" if field.difference is None else f"{with_sign(field.difference)}",
            f"{with_sign(ends[0], 3)} to {with_sign(ends[1], 3)}" if ends else "-",
            p_text(field.p_value),
            p_text(field.q_value),
        )
    console.print(table)


# Blue and orange stay apart for colour-blind readers and in grey; every status has a glyph as well.
_STATUS_STYLE = {"exact": "dim", "partial": "", "wrong": "bold", "missing": "bold", "extra": "bold"}


_TRUTH, _PREDICTION = "bold strike dark_orange3", "bold underline dodger_blue1"


_IN_ASCII = str.maketrans(
    {"≈": "~", "≠": "!", "−": "-", "↔": ":", "→": "->", "…": "...", **dict.fromkeys("├└│", "|"), "─": "-"}
)


def print_tree(console: Console, tree: ScoreTree, *, fold: bool) -> None:
    """Print the tree, a line a node; exact containers as one line if folded."""
    plain = not _can_print(console, "≈≠−↔→…├└│─")
    for line in outline(tree, fold=fold):
        text = Text(line.text().translate(_IN_ASCII)) if plain else _styled(line)
        console.print(text, soft_wrap=True)


def _can_print(console: Console, characters: str) -> bool:
    try:
        characters.encode(console.encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def _styled(line: Line) -> Text:
    text = Text(line.head, style=_STATUS_STYLE[line.node.status])
    text.append(f"  {line.numbers}  ")
    values = _with_differences(line.node)
    text.append_text(Text(line.detail) if values is None else values)
    if values is not None and line.remark:
        text.append(f"  {line.remark}")
    text.rstrip()
    return text


def _with_differences(node: ScoreTree) -> Text | None:
    """Both values with what differs marked, where the similarity counts."""
    if node.kind != "scalar" or node.status != "partial":
        return None
    left, right = text_differences(*paired_excerpts(node.ground_truth, node.prediction))
    return _marked(left, _TRUTH).append(" → ").append_text(_marked(right, _PREDICTION))


def _marked(spans: list[Span], style: str) -> Text:
    return Text.assemble(*((span.text, style if span.changed else "") for span in spans))
