"""Pictures and tables of a test set as HTML, for the report and the page; everything is escaped here, once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from docscore.core.formatting import clipped, printable, three_digits, value_text
from docscore.corpus.automation import Curve, Point
from docscore.corpus.causes import MEANINGS
from docscore.corpus.fields import OUTCOMES
from docscore.corpus.measure import Measured
from docscore.corpus.summary import Analysis, Rate, Summary
from docscore.metrics.alignment import Step
from docscore.metrics.kieval import KieScore
from docscore.report.wording import entities_text, groups_text, threshold_text
from docscore.stats.intervals import Interval

BINS = 20


MOST_FIELDS_DRAWN = 500  # that are drawn


_LONGEST = 200  # characters of a name that are drawn


_WIDTH, _HEIGHT, _FOOT = 640, 160, 22  # of the histogram


_HEADS = ("exact", "near", "wrong", "wrong type", "missing", "extra")  # of OUTCOMES


def losses_as_html(analysis: Analysis) -> str:
    """The causes of lost points, largest first, with a bar each."""
    lost = {cause: points for cause, points in analysis.lost.items() if points}
    whole, most = sum(lost.values()), max(lost.values(), default=0)
    if not lost:
        return '<p class="anls-note">No point was lost.</p>'
    rows = [
        [
            f'<span class="anls-loss-bar"><span style="width:{points / most:.2%}"></span></span>',
            f"{points:.4f}",
            f"{points / whole:.1%}",
            f"{safe_name(cause)} <small>{safe_name(MEANINGS[cause])}</small>",
        ]
        for cause, points in sorted(lost.items(), key=lambda item: -item[1])
    ]
    heads = ["", "points", "share", "cause"]
    return table_as_html(f"Why {whole:.4f} of 1 was lost", heads, rows, texts=(0, 3))


def histogram_as_html(scores: Sequence[float]) -> str:
    """How many documents have which score, as a picture with its numbers as text."""
    counts = [0] * BINS
    for score in scores:
        counts[min(int(score * BINS + 1e-9), BINS - 1)] += 1
    most, wide = max(counts), _WIDTH / BINS
    bars = []
    for number, count in enumerate(counts):
        high = count / most * _HEIGHT
        said = f"{number / BINS:.2f} to {(number + 1) / BINS:.2f}: {count:,}"
        bars.append(
            f'<rect x="{number * wide + 1:.1f}" y="{_HEIGHT - high + 14:.1f}" width="{wide - 2:.1f}" '
            f'height="{high:.1f}"><title>{said}</title></rect>'
        )
        if count:
            middle, top = (number + 0.5) * wide, _HEIGHT - high + 10
            bars.append(f'<text x="{middle:.1f}" y="{top:.1f}" text-anchor="middle">{count:,}</text>')
    foot = "".join(
        f'<text x="{_WIDTH * at:.0f}" y="{_HEIGHT + 30}" text-anchor="{anchor}">{at:g}</text>'
        for at, anchor in ((0, "start"), (0.25, "middle"), (0.5, "middle"), (0.75, "middle"), (1, "end"))
    )
    perfect, zero = sum(score == 1 for score in scores), sum(score == 0 for score in scores)
    said = f"{perfect:,} of {len(scores):,} documents have the score 1, {zero:,} the score 0."
    return (
        f'<figure class="anls-figure"><svg class="anls-histogram" viewBox="0 0 {_WIDTH} {_HEIGHT + 14 + _FOOT}" '
        f'role="img" aria-label="Histogram of the scores of {len(scores):,} documents">{"".join(bars)}'
        f'<line x1="0" x2="{_WIDTH}" y1="{_HEIGHT + 14}" y2="{_HEIGHT + 14}"/>{foot}</svg>'
        f"<figcaption>{said}</figcaption></figure>"
    )


def rates_as_html(rates: Iterable[Rate]) -> str:
    """The rates with their intervals."""
    rows = [
        [
            safe_name(rate.name),
            "–" if rate.value is None else f"{rate.value:.1%}",
            interval_as_html(rate.interval, percent=True),
            f"{rate.hits:,} of {rate.total:,}",
        ]
        for rate in rates
    ]
    caption = "Shares of documents (Wilson intervals) and of values (resampled documents)"
    return table_as_html(caption, ["rate", "value", "interval", "count"], rows, texts=(0,))


def fields_as_html(summary: Summary, analysis: Analysis) -> str:
    """The fields, those that cost most first."""
    fields = analysis.by_loss()
    rows = [
        [
            f"<code>{safe_name(field.path)}</code>",
            three_digits(field.score),
            interval_as_html(summary.field_intervals.get(field.path)),
            f"{analysis.points_lost(field):.4f}",
            *(f"{field.counts[outcome]:,}" if field.counts[outcome] else "·" for outcome in OUTCOMES),
        ]
        for field in fields[:MOST_FIELDS_DRAWN]
    ]
    heads = ["field", "score", "interval", "points lost", *_HEADS]
    more = len(fields) - MOST_FIELDS_DRAWN
    note = f'<p class="anls-note">{more:,} more fields cost less.</p>' if more > 0 else ""
    return table_as_html("Fields, those that cost most first", heads, rows, texts=(0,)) + note


def lists_as_html(analysis: Analysis) -> str:
    """The elements of lists that have a partner, and those that have none."""
    if not analysis.lists:
        return ""
    rows = [
        [f"<code>{safe_name(each.path)}</code>", f"{each.matched:,}", f"{each.missing:,}", f"{each.extra:,}"]
        for each in analysis.lists[:MOST_FIELDS_DRAWN]
    ]
    return table_as_html(
        "Elements of lists", ["elements", "matched", "missing", "only in the prediction"], rows, texts=(0,)
    )


def measured_as_html(measured: Measured) -> str:
    """The figures of metrics with their intervals, and what KIEval counted by type."""
    rows = [
        [safe_name(figure.label), f"{figure.value:.4f}", interval_as_html(figure.interval)]
        for figure in measured.figures
    ]
    parts = [table_as_html("Metrics", ["metric", "value", "interval"], rows, texts=(0,))]
    if measured.kieval is not None:
        parts += [_entities(measured.kieval), _groups(measured.kieval)]
    return "".join(parts) + f'<p class="anls-note"><code>{safe_name(str(measured.signature))}</code></p>'


def _entities(score: KieScore) -> str:
    kinds = sorted(score.by_entity.items(), key=lambda item: -item[1].corrections)
    rows = [
        [f"<code>{safe_name(kind)}</code>", f"{counts.f1:.3f}", f"{counts.aligned:.3f}", *(f"{n:,}" for n in counts)]
        for kind, counts in [("all", score.entities), *kinds[:MOST_FIELDS_DRAWN]]
    ]
    heads = ["entity", "F1", "aligned", "right", "to change", "to add", "to delete"]
    return table_as_html("Entities by type, those with most corrections first", heads, rows, texts=(0,))


def _groups(score: KieScore) -> str:
    kinds = [("all", score.groups), *list(score.by_group.items())[:MOST_FIELDS_DRAWN]]
    rows = [
        [f"<code>{safe_name(kind)}</code>", f"{counts.f1:.3f}", *(f"{n:,}" for n in counts)] for kind, counts in kinds
    ]
    return table_as_html("Groups by type", ["group", "F1", "right", "wrong", "missed", "invented"], rows, texts=(0,))


def corrections_as_html(score: KieScore) -> str:
    """KIEval of one document: its figures, and what is to be changed, added and deleted, at a cost of 1 each."""
    entities, groups, steps = score.entities, score.groups, score.corrections()
    cost = f"{len(steps):,} correction{'s' * (len(steps) != 1)}"
    figures = [
        f"Entity F1 {entities.f1:.4f}, precision {entities.precision:.4f}, recall {entities.recall:.4f}",
        f"Group F1 {groups.f1:.4f}: {groups_text(groups)}",
        f"Entities: {entities_text(entities)}",
    ]
    rest = len(steps) - MOST_FIELDS_DRAWN
    more = f'<p class="anls-note">{rest:,} more corrections.</p>' if rest > 0 else ""
    return (
        f'<p class="anls-head"><strong class="anls-score">{entities.aligned:.4f}</strong> KIEval Aligned: {cost}</p>'
        f"<ul>{''.join(f'<li>{safe_name(line)}</li>' for line in figures)}</ul>"
        f'<ol class="anls-corrections">{"".join(map(_correction, steps[:MOST_FIELDS_DRAWN]))}</ol>{more}'
    )


def _correction(step: Step) -> str:
    """One correction: what to do where, what is there, and what should be."""
    place = f"<code>{safe_name(step.place)}</code>"
    expected = f"<ins>{safe_name(value_text(step.truth.value))}</ins>" if step.truth else ""
    predicted = f"<del>{safe_name(value_text(step.prediction.value))}</del>" if step.prediction else ""
    if step.edit == "change":
        return f"<li>change {place} from {predicted} to {expected}</li>"
    if step.edit == "add":
        return f"<li>add {place} {expected}</li>"
    return f"<li>delete {place} {predicted}</li>"


def curve_as_html(curve: Curve) -> str:
    """The automation rate and the accuracy after review against the threshold, as a picture and as numbers."""
    points = curve.points()
    lines = "".join(
        f'<polyline class="anls-{kind}" points="{_steps(points, values)}"/>'
        for kind, values in (
            ("automated", [point.automation_rate for point in points]),
            ("aligned", [point.aligned for point in points]),
        )
    )
    feet = "".join(
        f'<text x="{_WIDTH * at:.0f}" y="{_HEIGHT + 30}" text-anchor="{anchor}">{at:g}</text>'
        for at, anchor in ((0, "start"), (0.5, "middle"), (1, "end"))
    )
    rows = [
        [threshold_text(point.threshold), f"{point.automation_rate:.1%}", f"{point.aligned:.4f}"]
        for point in curve.some_points()
    ]
    return (
        f'<figure class="anls-figure"><svg class="anls-histogram" viewBox="0 0 {_WIDTH} {_HEIGHT + 14 + _FOOT}" '
        'role="img" aria-label="Automation rate and accuracy after review against the threshold of confidence">'
        f'<line x1="0" x2="{_WIDTH}" y1="{_HEIGHT + 14}" y2="{_HEIGHT + 14}"/>{lines}{feet}</svg>'
        "<figcaption>Dashed: share of the values that nobody reviews. Solid: accuracy (KIEval Aligned) after the "
        "review of values with a confidence below the threshold.</figcaption></figure>"
        + table_as_html("Trade-off", ["review below", "automated", "accuracy after review"], rows, texts=())
    )


def _steps(points: Sequence[Point], values: Sequence[float]) -> str:
    """The corners of a line of steps: a value holds from its threshold to the next; the last point is not drawn."""
    corners = []
    for point, value, following in zip(points, values, [*(p.threshold for p in points[1:-1]), 1.0], strict=False):
        high = _HEIGHT + 14 - value * _HEIGHT
        corners += [f"{point.threshold * _WIDTH:.1f},{high:.1f}", f"{following * _WIDTH:.1f},{high:.1f}"]
    return " ".join(corners)


def table_as_html(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[int]) -> str:
    """A table that scrolls in a narrow window.

    Args:
        caption: what it shows.
        heads: the name of each column.
        rows: the markup of each cell.
        texts: the columns that are text; the others are numbers, set to the right.
    """
    kinds = ['class="anls-words"' if column in texts else 'class="anls-digits"' for column in range(len(heads))]
    head = "".join(
        f'<th scope="col" {kind}>{safe_name(text)}</th>' if text else "<td></td>"
        for text, kind in zip(heads, kinds, strict=True)
    )
    body = "".join(
        "<tr>" + "".join(f"<td {kind}>{cell}</td>" for kind, cell in zip(kinds, row, strict=True)) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="anls-scroll" tabindex="0" role="region" aria-label="{safe_name(caption)}">'
        '<table class="anls-table">'
        f"<caption>{safe_name(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def interval_as_html(interval: Interval | None, *, percent: bool = False) -> str:
    """The ends of an interval, or a dash with the reason why there is none."""
    if interval is None:
        return ""
    if interval.ends is None:
        return f'<abbr title="{safe_name(interval.note)}">–</abbr>'
    low, high = interval.ends
    return f"{low:.1%} – {high:.1%}" if percent else f"{low:.3f} – {high:.3f}"


def safe_name(text: str) -> str:
    """A name for markup and attributes: nothing in it is run, and nothing hidden steers the page."""
    return escape(clipped(printable(text), _LONGEST), quote=True)
