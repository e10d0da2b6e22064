"""The score tree as HTML: plain markup that reads without a script. Everything is escaped here, once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

from docscore.core.formatting import clipped, printable, value_text
from docscore.metrics.anls_star.tree import GLYPHS, ScoreTree
from docscore.report.text_diff import Span, text_differences

MAX_ROWS = 3000  # beyond, only what is not exact is drawn; a browser takes seconds for 20,000 rows


LOSSES = 10


_LONGEST_TEXT = 2000  # characters of a value that are drawn


_BEFORE_DIFFERENCE = 200


_WORDS = {
    "exact": "exact",
    "partial": "partial",
    "wrong": "wrong",
    "missing": "missing in the prediction",
    "extra": "only in the prediction",
}


@cache
def stylesheet() -> str:
    """The CSS that the markup needs, for light and dark pages and narrow ones."""
    return Path(__file__).with_name("tree.css").read_text(encoding="utf-8")


def tree_as_html(tree: ScoreTree, *, prefix: str = "anls", heading: str = "h2") -> str:
    """The score, the largest losses, and the tree with a row a place.

    Args:
        tree: the root.
        prefix: what the ids of the rows begin with; unlike for each tree of a page.
        heading: the element of the heading of the losses.

    Returns:
        A `<div class="anls-tree">`; it wants `stylesheet()` in its page.
    """
    drawing = _Drawing(tree, prefix)
    rows = "".join(drawing.rows(tree, 0))
    return (
        f'<div class="anls-tree">{_head(tree)}{drawing.losses(heading)}'
        f'<label class="anls-option"><input type="checkbox" class="anls-only"> differences only</label>'
        f"{drawing.note()}"
        f'<div class="anls-grid"><div class="anls-row anls-header" aria-hidden="true"><span>place</span>'
        f"<span>score</span><span>ground truth</span><span>prediction</span></div>{rows}</div></div>"
    )


def _head(tree: ScoreTree) -> str:
    legend = "".join(f"<li>{_glyph(status)} {word}</li>" for status, word in _WORDS.items())
    points = f"{tree.earned:.4g} of {tree.weight:g} points" if tree.weight else "nothing counts"
    return (
        f'<p class="anls-head"><strong class="anls-score">{tree.score:.4f}</strong> {points}</p>'
        f'<ul class="anls-legend">{legend}</ul>'
    )


class _Drawing:
    """One tree on its way to markup: which nodes are drawn, and the id of each."""

    def __init__(self, tree: ScoreTree, prefix: str) -> None:
        nodes = list(tree.nodes())
        self.count = len(nodes)
        if self.count > MAX_ROWS:
            nodes = [tree, *(node for node in nodes[1:] if node.status != "exact")][:MAX_ROWS]
        self.ids = {id(node): f"{prefix}-{number}" for number, node in enumerate(nodes)}
        self.nodes = nodes

    def note(self) -> str:
        """A line that says what is not drawn."""
        left = self.count - len(self.nodes)
        if not left:
            return ""
        return (
            f'<p class="anls-note">{self.count:,} places; {len(self.nodes):,} are drawn, and of the other {left:,} '
            "the exact ones first left out.</p>"
        )

    def losses(self, heading: str) -> str:
        """The places that cost most, each with a link to its row."""
        lost = sorted(_losses(self.nodes[0]), key=lambda node: -node.points_lost)
        if not lost:
            return ""
        items = []
        for node in [node for node in lost if id(node) in self.ids][:LOSSES]:
            where = f'<a href="#{self.ids[id(node)]}">{_text(clipped(node.path, 80))}</a>'
            items.append(f"<li><b>−{node.points_lost:.3f}</b> {where} {_WORDS[node.status]}</li>")
        title = f'<{heading} class="anls-title">Where the points went</{heading}>'
        return f'{title}<ol class="anls-losses">{"".join(items)}</ol>'

    def rows(self, node: ScoreTree, depth: int) -> Iterator[str]:
        """The markup of a node and of all below it."""
        if id(node) not in self.ids:
            return
        cells = _cells(node, depth)
        attributes = (
            f'id="{self.ids[id(node)]}" class="anls-row" data-path="{_text(node.path)}" data-status="{node.status}" '
        )
        if not node.children:
            label = _text(clipped(node.path, 200))
            yield f'<div {attributes}tabindex="0" role="group" aria-label="{label}">{cells}</div>'
            return
        opened = "" if node.status == "exact" else " open"
        yield f'<details data-status="{node.status}"{opened}><summary {attributes}>{cells}</summary>'
        for child in node.children:
            yield from self.rows(child, depth + 1)
        yield "</details>"


def _losses(tree: ScoreTree) -> Iterator[ScoreTree]:
    """The places where points were lost: leaves, but what only one side has as a whole."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node.points_lost > 0 and (not node.children or node.status in ("missing", "extra")):
            yield node
        else:
            waiting.extend(reversed(node.children))


def _cells(node: ScoreTree, depth: int) -> str:
    truth, prediction = _values(node)
    reason = f'<small class="anls-reason">{_text(node.reason)}</small>' if node.reason else ""
    lost = f'<span class="anls-lost">−{node.points_lost:.3f}</span>' if node.points_lost else ""
    return (
        f'<span class="anls-place" style="--depth:{min(depth, 12)}">{_glyph(node.status)} <code>{_label(node)}</code>'
        f"{_moved(node)}</span>"
        f'<span class="anls-number"><span class="anls-bar"><span style="width:{node.score:.1%}"></span></span> '
        f"{node.score:.3f} {lost}</span>"
        f'<span class="anls-truth">{truth}{reason}</span><span class="anls-prediction">{prediction}</span>'
    )


def _glyph(status: str) -> str:
    return f'<span class="anls-glyph anls-{status}" role="img" aria-label="{_WORDS[status]}">{GLYPHS[status]}</span>'


def _label(node: ScoreTree) -> str:
    if node.key is not None:
        return _text(clipped(node.key, 200))
    if node.truth_index is None and node.prediction_index is None:
        return "$"
    truth, prediction = ("−" if index is None else index for index in (node.truth_index, node.prediction_index))
    return f"{truth} ↔ {prediction}"


def _moved(node: ScoreTree) -> str:
    if node.truth_index is None or node.prediction_index is None or node.truth_index == node.prediction_index:
        return ""
    return f' <small class="anls-reason">moved {node.truth_index} → {node.prediction_index}</small>'


def _values(node: ScoreTree) -> tuple[str, str]:
    """The markup of the two value cells."""
    if node.children:
        unit = "element" if node.kind == "list" else "key"
        return f"<small>{node.kind}, {len(node.children)} {unit}{'s' * (len(node.children) != 1)}</small>", ""
    truth, prediction = value_text(node.ground_truth), value_text(node.prediction)
    if node.status == "missing":
        return _whole("del", truth), ""
    if node.status == "extra":
        return "", _whole("ins" if node.weight else "span", prediction)
    start = _first_difference(truth, prediction)
    truth, prediction = _from(truth, start), _from(prediction, start)
    if node.status == "exact":
        return _code(_text(truth)), _code(_text(prediction))
    if node.kind != "scalar" or node.status == "wrong":
        return _whole("del", truth), _whole("ins", prediction)
    left, right = text_differences(truth, prediction)
    return _code(_marked(left, "del")), _code(_marked(right, "ins"))


def _marked(spans: list[Span], tag: str) -> str:
    return "".join(f"<{tag}>{_text(span.text)}</{tag}>" if span.changed else _text(span.text) for span in spans)


def _whole(tag: str, text: str) -> str:
    return _code(f"<{tag}>{_text(clipped(text, _LONGEST_TEXT))}</{tag}>")


def _code(markup: str) -> str:
    return f"<code>{markup}</code>"


def _first_difference(left: str, right: str) -> int:
    """Where two texts that are too long to be drawn whole begin to differ, a little before."""
    if max(len(left), len(right)) <= _LONGEST_TEXT:
        return 0
    same = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), 0)
    return max(0, same - _BEFORE_DIFFERENCE)


def _from(text: str, start: int) -> str:
    return clipped(f"…{text[start:]}" if start else text, _LONGEST_TEXT)


def _text(text: str) -> str:
    """The text for markup and for attributes: nothing in it is run, and nothing hidden steers the page."""
    return escape(printable(text), quote=True)
