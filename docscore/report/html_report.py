"""A report on a test set as one HTML file: no script, no network, safe whatever a model wrote."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from docscore.corpus.automation import Curve
from docscore.corpus.measure import Measured
from docscore.corpus.summary import Summary
from docscore.report.html_figures import (
    curve_as_html,
    fields_as_html,
    histogram_as_html,
    lists_as_html,
    losses_as_html,
    measured_as_html,
    rates_as_html,
    safe_name,
)
from docscore.report.html_tree import stylesheet, tree_as_html
from docscore.report.wording import count_lines, interval_text

# The page may use the styles in it and nothing else, whatever an id or a value says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@cache
def _styles() -> str:
    return stylesheet() + Path(__file__).with_name("report.css").read_text(encoding="utf-8")


def report_as_html(
    summary: Summary, title: str, worst: int, *, measured: Measured | None = None, curve: Curve | None = None
) -> str:
    """The report.

    Args:
        summary: a scored test set with its fields.
        title: the heading.
        worst: how many of the lowest documents are drawn as score trees.
        measured: other metrics, if they are to be in it.
        curve: the trade-off of automation and accuracy, if it is to be in it.

    Returns:
        An HTML document.

    Raises:
        ValueError: if the summary was made without fields.
    """
    if summary.analysis is None:
        msg = "expected a summary with fields, got one without; summarise(..., fields=True)"
        raise ValueError(msg)
    parts = [
        _head(summary, title),
        _section("Where the points went", losses_as_html(summary.analysis)),
        _section("Scores", histogram_as_html(summary.scores.scores)),
        _section("Rates", rates_as_html(summary.rates)),
        _section("Fields", fields_as_html(summary, summary.analysis) + lists_as_html(summary.analysis)),
        _section("Metrics", measured_as_html(measured)) if measured else "",
        _section("Automation", curve_as_html(curve)) if curve else "",
        _section("Lowest documents", _documents(summary, worst)) if worst else "",
        f'<p class="anls-note"><code>{safe_name(str(summary.scores.signature))}</code></p>',
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{safe_name(title)}: ANLS* {summary.scores.mean:.4f}</title><style>{_styles()}</style></head>"
        f'<body><main class="anls-tree anls-report">{"".join(parts)}</main></body></html>\n'
    )


def _head(summary: Summary, title: str) -> str:
    rows = len(summary.scores.ids)
    interval = "" if summary.interval is None else f", {interval_text(summary.interval, summary.confidence or 0)}"
    counts = "".join(f"<li>{safe_name(line)}</li>" for line in count_lines(summary.scores))
    return (
        f'<h1>{safe_name(title)}</h1><p class="anls-head">'
        f'<strong class="anls-score">{summary.scores.mean:.4f}</strong> '
        f"mean ANLS* of {rows:,} document{'s' * (rows != 1)}{safe_name(interval)}</p>"
        + (f"<ul>{counts}</ul>" if counts else "")
    )


def _section(title: str, content: str) -> str:
    return f"<section><h2>{title}</h2>{content}</section>"


def _documents(summary: Summary, worst: int) -> str:
    scores = summary.scores
    return "".join(
        f'<section class="anls-document"><h3>{safe_name(scores.ids[number])}</h3>'
        f"{tree_as_html(scores.tree(number), prefix=f'd{number}', heading='h4')}</section>"
        for number in scores.numbers_of_worst(worst)
    )
