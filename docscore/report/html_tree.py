"""The score tree as HTML that works without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from docscore.core.formatting import clipped, three_digits, value_text, with_sign
from docscore.corpus.annotations import Annotation
from docscore.metrics.anls_star.tree import GLYPHS, ScoreTree
from docscore.report.html_templates import macro_as_html
from docscore.report.positions import Positions, positions_of
from docscore.report.text_diff import Span, text_differences
from docscore.report.tree_folding import Fold, folds_of
from docscore.report.wording import STATUS_WORDS, annotation_text, annotations_shown, counted, points_text

MAX_ROWS = 3000  # with more nodes, exact ones are left out; a browser takes seconds for 20,000 rows


LOSSES = 10  # shown above the tree


REMARKS = 5  # shown above the tree


_LONGEST_TEXT = 2000  # characters of a value that are shown


_LONGEST_LABEL, _LONGEST_LINK = 200, 80  # characters of a key or path, and of a path in the list of losses


_BEFORE_DIFFERENCE = 200  # characters shown before the first difference of long texts


_DEEPEST_INDENT = 12  # levels; deeper rows have the same indent


_LEGEND = tuple((status, word, GLYPHS[status]) for status, word in STATUS_WORDS.items())


class TreeRow(NamedTuple):
    """A row of a drawn tree: one node.

    Attributes:
        row_id: its id in the page.
        path, short_path: the path of the node, and a shortened one.
        label: the key, or the indices of a list element on both sides.
        status: the status of the node.
        indent: the indent in levels.
        moved: the old and new index of a list element that moved, as text, or "".
        score, width, lost: the score, the width of its bar, and the points lost at the node.
        parts: kind and size of a container, as text, or "".
        truth, prediction: the values as marked spans; empty if there is no value to show.
        reason: an explanation of a score that is not obvious, or "".
        opens: whether a `<details>` element begins that contains the rows of the children.
        closes: how many `<details>` elements end after the row.
        positions: where the node stands in both texts, or None.
        truth_look, prediction_look: "absent", "null" or "empty" where there is no value to show, or "".
        folded: the line into which this row and those after it are folded, or None.
    """

    row_id: str
    path: str
    short_path: str
    label: str
    status: str
    indent: int
    moved: str
    score: str
    width: str
    lost: str
    parts: str
    truth: list[Span]
    prediction: list[Span]
    reason: str
    opens: bool
    closes: int
    positions: Positions | None
    truth_look: str
    prediction_look: str
    folded: FoldedRows | None


class FoldedRows(NamedTuple):
    """The line of a `<details>` that folds several rows."""

    text: str
    status: str
    indent: int
    score: str
    width: str
    lost: str


class Remarked(NamedTuple):
    """A remark on several places, with the id of the row of the first."""

    text: str
    row_id: str


class Loss(NamedTuple):
    """A node where points were lost, with the id of its row."""

    points: str
    row_id: str
    path: str
    word: str


class TreeDrawing(NamedTuple):
    """The data for drawing a tree with its template.

    Attributes:
        score, points: the score, and the points as text.
        losses: the largest losses.
        remarks: what stands out beyond single places.
        note: how many rows are left out, or "".
        rows: one row for each node, parents before children.
        legend: each status with its word and glyph.
    """

    score: str
    points: str
    losses: list[Loss]
    remarks: list[Remarked]
    note: str
    rows: list[TreeRow]
    legend: tuple[tuple[str, str, str], ...] = _LEGEND


@cache
def stylesheet() -> str:
    """The CSS for the markup, with support for light, dark and narrow pages."""
    return Path(__file__).with_name("tree.css").read_text(encoding="utf-8")


def tree_as_html(
    tree: ScoreTree, *, prefix: str = "anls", heading: str = "h2", remarks: Sequence[Annotation] = ()
) -> str:
    """Render the score, the largest losses, the remarks, and the tree with one row for each node.

    Args:
        tree: the root.
        prefix: the beginning of the ids of the rows; unique for each tree of a page.
        heading: the HTML element of the heading of the losses.
        remarks: what stands out in the tree, the most points first, as from `corpus.annotations.annotations_of`.

    Returns:
        A `<div class="anls-tree">`; its page needs `stylesheet()`.
    """
    return macro_as_html("tree.html.jinja", "draw_tree", tree_drawing(tree, prefix, remarks), heading)


def tree_drawing(
    tree: ScoreTree, prefix: str, remarks: Sequence[Annotation] = (), *, with_positions: bool = False
) -> TreeDrawing:
    """Build the data for the template `tree.html.jinja`.

    Args:
        tree: the root.
        prefix: the beginning of the ids of the rows; unique for each tree of a page.
        remarks: what stands out in the tree, the most points first.
        with_positions: whether rows say where their values stand in the JSON texts of both sides.
    """
    positions = positions_of(tree)
    places, total = drawn_places(tree)
    ids = {id(node): f"{prefix}-{number}" for number, (node, _) in enumerate(places)}
    lost = sorted((node for node in _losses(tree) if id(node) in ids), key=lambda node: -node.points_lost)
    losses = [
        Loss(_lost(node), ids[id(node)], clipped(node.path, _LONGEST_LINK), STATUS_WORDS[node.status])
        for node in lost[:LOSSES]
    ]
    left_out = f"{total:,} places; {len(places):,} are drawn. Exact ones are left out first."
    note = left_out if len(places) < total else ""
    depths = [depth for _, depth in places] + [0]
    inside = {id(child) for node, _ in places if node.status in ("missing", "extra") for child in node.children}
    rows = [
        _row(node, ids[id(node)], depth, following, _Side(positions[id(node)], id(node) in inside, with_positions))
        for (node, _), (depth, following) in zip(places, pairwise(depths), strict=True)
    ]
    _fold(rows, folds_of(places))
    row_of = {node.path: ids[id(node)] for node, _ in reversed(places)}
    shown = [each for each in annotations_shown(remarks) if each.paths[0] in row_of][:REMARKS]
    remarked = [Remarked(_remark_text(each), row_of[each.paths[0]]) for each in shown]
    return TreeDrawing(f"{tree.score:.4f}", points_text(tree), losses, remarked, note, rows)


def _remark_text(remark: Annotation) -> str:
    points = f" ({_signed(remark.points_lost)})" if remark.points_lost else ""
    return f"{annotation_text(remark)}{points}"


def _fold(rows: list[TreeRow], folds: list[Fold]) -> None:
    """Put a `<details>` around the rows of each fold."""
    for fold in folds:
        first = rows[fold.begin]
        exact = fold.status == "exact"
        line = FoldedRows(
            text=fold.text,
            status=fold.status,
            indent=first.indent,
            score=three_digits(1.0 if exact else 0.0),
            width=f"{1 if exact else 0:.1%}",
            lost=_signed(fold.points_lost) if fold.points_lost else "",
        )
        rows[fold.begin] = first._replace(folded=line)
        last = rows[fold.end]
        rows[fold.end] = last._replace(closes=last.closes + 1)


def drawn_places(tree: ScoreTree) -> tuple[list[tuple[ScoreTree, int]], int]:
    """The nodes of a tree that are shown, each with its depth, parents before children; and the number of all nodes.

    At most `MAX_ROWS` nodes are shown; exact ones are left out first.
    """
    total = sum(1 for _ in tree.nodes())
    found: list[tuple[ScoreTree, int]] = []
    waiting = [(tree, 0)]
    while waiting and len(found) < MAX_ROWS:
        node, depth = waiting.pop()
        found.append((node, depth))
        below = (child for child in node.children if total <= MAX_ROWS or child.status != "exact")
        waiting.extend(reversed([(child, depth + 1) for child in below]))
    return found, total


def _losses(tree: ScoreTree) -> list[ScoreTree]:
    """The nodes where points were lost: leaves, and the roots of missing and extra parts."""
    found = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node.points_lost > 0 and (not node.children or node.status in ("missing", "extra")):
            found.append(node)
        else:
            waiting.extend(reversed(node.children))
    return found


class _Side(NamedTuple):
    """Where the values of a row stand, and how much of that is shown.

    Attributes:
        positions: where the node stands in both texts.
        inside: whether the part that holds the node is on one side only, and says so.
        shown: whether the row has its positions.
    """

    positions: Positions
    inside: bool
    shown: bool

    def look(self, value: object, position: str | None) -> str:
        """How a side without a value looks."""
        if position is None:
            return "" if self.inside else "absent"
        if value is None:
            return "null"
        return "empty" if value in ("", [], {}) else ""


def _row(node: ScoreTree, row_id: str, depth: int, following: int, side: _Side) -> TreeRow:
    """The row of a node at a depth; `following` is the depth of the next row."""
    opens = bool(node.children)
    truth, prediction = ([], []) if opens else _values(node)
    unit = "element" if node.kind == "list" else "key"
    return TreeRow(
        row_id=row_id,
        path=node.path,
        short_path=clipped(node.path, _LONGEST_LABEL),
        label=_label(node),
        status=node.status,
        indent=min(depth, _DEEPEST_INDENT),
        moved=_moved(node),
        score=three_digits(node.score),
        width=f"{node.score:.1%}",
        lost=_lost(node) if node.points_lost else "",
        parts=f"{node.kind}, {counted(len(node.children), unit)}" if opens else "",
        truth=truth,
        prediction=prediction,
        reason=node.reason,
        opens=opens,
        closes=(depth + 1 if opens else depth) - following,
        positions=side.positions if side.shown else None,
        truth_look="" if opens else side.look(node.ground_truth, side.positions.truth),
        prediction_look="" if opens else side.look(node.prediction, side.positions.prediction),
        folded=None,
    )


def _lost(node: ScoreTree) -> str:
    return _signed(node.points_lost)


def _signed(points_lost: float) -> str:
    return with_sign(-points_lost, 3).replace("-", "−")


def _label(node: ScoreTree) -> str:
    if node.key is not None:
        return clipped(node.key, _LONGEST_LABEL)
    if node.truth_index is None and node.prediction_index is None:
        return "$"
    truth, prediction = ("−" if index is None else index for index in (node.truth_index, node.prediction_index))
    return f"{truth} ↔ {prediction}"


def _moved(node: ScoreTree) -> str:
    if node.truth_index is None or node.prediction_index is None or node.truth_index == node.prediction_index:
        return ""
    return f"moved {node.truth_index} → {node.prediction_index}"


def _values(node: ScoreTree) -> tuple[list[Span], list[Span]]:
    """Both values of a leaf as spans, with differences marked."""
    truth, prediction = value_text(node.ground_truth), value_text(node.prediction)
    if node.status == "missing":
        return _whole(truth, changed=True), []
    if node.status == "extra":
        return [], _whole(prediction, changed=bool(node.weight))
    start = _first_difference(truth, prediction)
    truth, prediction = _from(truth, start), _from(prediction, start)
    if node.kind == "scalar" and node.status == "partial":
        return text_differences(truth, prediction)
    changed = node.status != "exact"
    return _whole(truth, changed=changed), _whole(prediction, changed=changed)


def _whole(text: str, *, changed: bool) -> list[Span]:
    return [Span(clipped(text, _LONGEST_TEXT), changed)]


def _first_difference(left: str, right: str) -> int:
    """The position some characters before the first difference of two long texts; 0 for short ones."""
    if max(len(left), len(right)) <= _LONGEST_TEXT:
        return 0
    same = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), 0)
    return max(0, same - _BEFORE_DIFFERENCE)


def _from(text: str, start: int) -> str:
    return clipped(f"…{text[start:]}" if start else text, _LONGEST_TEXT)
