"""The score tree as HTML that works without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.formatting import clipped, text_excerpts, three_digits, with_minus_signs, with_sign
from docscore.core.options import ScoringOptions
from docscore.core.values import step_text, value_text
from docscore.metrics.anls_star.sizes import Side
from docscore.metrics.anls_star.tree import GLYPHS, ScoreTree
from docscore.metrics.base import MetricTree
from docscore.report.annotations import WHOLES, Annotation, SiblingGroup, annotations_of, folded_nodes, groups_of
from docscore.report.html_templates import macro_as_html
from docscore.report.wording import (
    STATUS_WORDS,
    Span,
    annotation_text,
    annotations_shown,
    counted,
    facts_of_tree,
    points_text,
    text_differences,
)

MAX_ROWS = 3000  # with more nodes, exact ones are left out; a browser takes seconds for 20,000 rows


LOSSES = 10  # shown above the tree


REMARKS = 5  # shown above the tree


_LONGEST_TEXT = 2000  # characters of a value that are shown


_LONGEST_LABEL, _LONGEST_LINK = 200, 80  # characters of a key or path, and of a path in the list of losses


_BEFORE_DIFFERENCE = 200  # characters shown before the first difference of long texts


_LONGEST_NAMES = 60  # characters of the keys of exact parts that are folded


_DEEPEST_INDENT = 12  # levels; deeper rows have the same indent


_LEGEND = tuple((status, word, GLYPHS[status]) for status, word in STATUS_WORDS.items())


# Where a node stands in the texts of the ground truth and of the prediction. A position lists, from the root, which
# child of its parent a value is, counted from 0: "0/2" is the third child of the first child; "" is the root. It needs
# no key, which may hold any character. None where a side has no such value.
Positions = tuple[str | None, str | None]


class TreeRow(NamedTuple):
    """A row of a drawn tree: one node, or a group of nodes that are folded into one line.

    Attributes:
        node: the node.
        row_id: its id in the page.
        label: the key, the indices of a list element on both sides, or what a group says of its nodes.
        short_path: its path, shortened.
        indent: the indent in levels.
        score, lost: the score, and the points lost at the node; "" where it does not count, or nothing is lost.
        parts, predicted_parts: kind and size of a container on each side, the keys of a group that is exact, or "".
        truth, prediction: the values as marked spans; empty if there is no value to show.
        truth_look, prediction_look: "absent", "null" or "empty" where there is no value to show, or "".
        is_open: whether its `<details>` element, which a row with children begins, is open.
        closes: how many `<details>` elements end after the row.
        positions: where the node stands in both texts, or None.
    """

    node: ScoreTree
    row_id: str
    label: str
    short_path: str
    indent: int
    score: str
    lost: str
    parts: str
    predicted_parts: str
    truth: list[Span]
    prediction: list[Span]
    truth_look: str
    prediction_look: str
    is_open: bool
    closes: int
    positions: Positions | None


class TreeDrawing(NamedTuple):
    """The data for drawing a tree with its template.

    Attributes:
        score, points: the score, and the points as text.
        facts: further lines below the score.
        losses: the largest losses: points, the id of the row, its path, and a word.
        remarks: what stands out beyond single places: a text, and the id of the row of its first place.
        note: how many rows are left out, or "".
        rows: one row for each node, parents before children.
        row_numbers: the number in the id of its row of each node that is drawn, by the `id` of the node.
        legend: each status with its word and glyph.
    """

    score: str
    points: str
    facts: Sequence[str]
    losses: list[tuple[str, str, str, str]]
    remarks: list[tuple[str, str]]
    note: str
    rows: list[TreeRow]
    row_numbers: dict[int, int]
    legend: tuple[tuple[str, str, str], ...] = _LEGEND


@cache
def stylesheet() -> str:
    """The CSS for the markup, with support for light, dark and narrow pages."""
    return Path(__file__).with_name("tree.css").read_text(encoding="utf-8")


def tree_as_html(tree: ScoreTree, *, prefix: str = "anls") -> str:
    """Render the score, the largest losses, and the tree with one row for each node.

    Args:
        tree: the root.
        prefix: the beginning of the ids of the rows; unique for each tree of a page.

    Returns:
        A `<div class="anls-tree">`; its page needs `stylesheet()`.
    """
    return macro_as_html("tree.html.jinja", "draw_tree", tree_drawing(tree, prefix), "h2")


def explained_drawing(
    tree: ScoreTree, prefix: str, options: ScoringOptions | None, *, with_positions: bool = False
) -> TreeDrawing:
    """Build the data for the template with the remarks on the tree; its groups are found once for both.

    Args:
        tree: the root.
        prefix: the beginning of the ids of the rows; unique for each tree of a page.
        options: how its texts were compared; None for a tree of the typed score.
        with_positions: whether rows say where their values stand in the JSON texts of both sides.
    """
    groups = groups_of(tree)
    remarks = annotations_of(tree, options, groups)
    return tree_drawing(tree, prefix, remarks, groups=groups, with_positions=with_positions)


def tree_drawing(
    tree: ScoreTree,
    prefix: str,
    remarks: Sequence[Annotation] = (),
    *,
    groups: Sequence[SiblingGroup] | None = None,
    with_positions: bool = False,
) -> TreeDrawing:
    """Build the data for the template `tree.html.jinja`.

    Args:
        tree: the root.
        prefix: the beginning of the ids of the rows; unique for each tree of a page.
        remarks: what stands out in the tree, the most points first.
        groups: the groups of its siblings, if they are known: `groups_of(tree)`.
        with_positions: whether rows say where their values stand in the JSON texts of both sides.
    """
    nodes = folded_nodes(tree, groups, only=WHOLES)
    folded = nodes[id(tree)]
    places = drawn_places(folded)
    total = sum(1 for _ in tree.nodes())
    numbers = {id(node): number for number, (node, _) in enumerate(places)}
    ids = {node: f"{prefix}-{number}" for node, number in numbers.items()}
    lost = sorted((node for node in _losses(folded) if id(node) in ids), key=lambda node: -node.points_lost)
    losses = [
        (
            lost_text(node),
            ids[id(node)],
            clipped(node.path, _LONGEST_LINK),
            str(node.key) if node.kind == "group" else STATUS_WORDS[node.status],
        )
        for node in lost[:LOSSES]
    ]
    drawn = sum(1 for node, _ in places if node.kind != "group")
    note = f"{total:,} places; {drawn:,} are drawn. Exact ones are left out first." if drawn < total else ""
    depths = [depth for _, depth in places] + [0]
    above, positions = _parents(folded), positions_of(folded) if with_positions else {}
    rows = [
        _row(node, ids[id(node)], depth, following, above.get(id(node)), positions.get(id(node)))
        for (node, _), (depth, following) in zip(places, pairwise(depths), strict=True)
    ]
    row_of = {node.path: ids[id(node)] for node, _ in reversed(places) if node.kind != "group"}
    shown = [each for each in annotations_shown(remarks) if each.paths[0] in row_of][:REMARKS]
    remarked = [
        (
            annotation_text(each)
            + (f" ({with_minus_signs(with_sign(-each.points_lost, 3))})" if each.points_lost else ""),
            row_of[each.paths[0]],
        )
        for each in shown
    ]
    row_numbers = {of: numbers[id(node)] for of, node in nodes.items() if id(node) in numbers}
    head = f"{tree.score:.4f}", points_text(tree), facts_of_tree(tree)
    return TreeDrawing(*head, losses, remarked, note, rows, row_numbers)


def _parents(tree: ScoreTree) -> dict[int, ScoreTree]:
    """The node above each node by its `id`; that of the nodes of a group is the one above the group."""
    found: dict[int, ScoreTree] = {}
    for node in tree.nodes():
        parent = found[id(node)] if node.kind == "group" else node
        found.update({id(child): parent for child in node.children})
    return found


def drawn_places(tree: ScoreTree) -> list[tuple[ScoreTree, int]]:
    """The nodes of a tree that are shown, each with its depth, parents before children.

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
    return found


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


def _row(
    node: ScoreTree,
    row_id: str,
    depth: int,
    following: int,
    parent: ScoreTree | None,
    positions: Positions | None,
) -> TreeRow:
    """The row of a node at a depth; `following` is the depth of the next row."""
    opens, is_group = bool(node.children), node.kind == "group"
    counts = node.status != "extra" or bool(node.weight)
    truth, prediction = ([], []) if opens else value_spans(node)
    looks = ("", "") if opens else (_look(node, parent, "ground_truth"), _look(node, parent, "prediction"))
    parts = _parts(node, value_taken(node), "extra") if opens else ""
    if is_group:  # the keys of nodes that are exact, which nothing else says
        keys = ", ".join(child.key for child in node.children if child.key is not None)
        parts = clipped(keys, _LONGEST_NAMES) if node.status == "exact" else ""
    return TreeRow(
        node=node,
        row_id=row_id,
        label=str(node.key) if is_group else _label(node),
        short_path=clipped(node.path, _LONGEST_LABEL),
        indent=min(depth, _DEEPEST_INDENT),
        score=three_digits(node.score) if counts else "",
        lost=lost_text(node),
        parts=parts,
        predicted_parts=_parts(node, node.prediction, "missing") if opens and not is_group else "",
        truth=truth,
        prediction=prediction,
        truth_look=looks[0],
        prediction_look=looks[1],
        is_open=opens and not is_group and (parent is None or node.status != "exact"),
        closes=(depth + 1 if opens else depth) - following,
        positions=positions,
    )


def _parts(node: ScoreTree, value: Any, lacking: str) -> str:
    """Kind and size of a container on one side; "" where that side has none.

    Args:
        node: the node.
        value: its value on this side; None for some nodes of other metrics, which know only what is below them.
        lacking: the status of a part that this side lacks.
    """
    if node.status == lacking:
        return ""
    if isinstance(value, dict | list):
        kind, size = "list" if isinstance(value, list) else "object", len(value)
    else:
        kind, size = node.kind, sum(child.status != lacking for child in unfolded_children(node))
    return f"{kind}, {counted(size, 'element' if kind == 'list' else 'key')}"


def _look(node: ScoreTree, parent: ScoreTree | None, side: Side) -> str:
    """How a side without a value looks: "absent", "null" or "empty"; "" for another value."""
    value = getattr(node, side)
    if value is None:
        if parent is not None and _is_absent(node, parent, side):
            # below a part that is on one side only, which says so
            return "" if parent.status in ("missing", "extra") and getattr(parent, side) is None else "absent"
        return "null"
    return "empty" if value in ("", [], {}) else ""


def _is_absent(node: ScoreTree, parent: ScoreTree, side: Side) -> bool:
    """Whether a side has no such key or element."""
    if node.key is None:
        return (node.truth_index if side == "ground_truth" else node.prediction_index) is None
    above = value_taken(parent) if side == "ground_truth" else parent.prediction
    return not isinstance(above, dict) or node.key not in above


def lost_text(node: ScoreTree) -> str:
    """The points lost at a node, with their sign; "" for none."""
    return with_minus_signs(with_sign(-node.points_lost, 3)) if node.points_lost else ""


def _label(node: ScoreTree) -> str:
    if node.key is not None:
        return clipped(node.key, _LONGEST_LABEL)
    if node.truth_index is None and node.prediction_index is None:
        return "$"
    truth, prediction = ("−" if index is None else index for index in (node.truth_index, node.prediction_index))
    return f"{truth} ↔ {prediction}"


def value_spans(node: ScoreTree) -> tuple[list[Span], list[Span]]:
    """Both values of a leaf as spans, with differences marked."""
    truth, prediction = value_text(node.ground_truth), value_text(node.prediction)
    if node.status == "missing":
        return _whole(truth, changed=True), []
    if node.status == "extra":
        return [], _whole(prediction, changed=bool(node.weight))
    truth, prediction = text_excerpts(truth, prediction, _LONGEST_TEXT, _BEFORE_DIFFERENCE)
    if node.kind == "scalar" and node.status == "partial":
        return text_differences(truth, prediction)
    changed = node.status != "exact"
    return _whole(truth, changed=changed), _whole(prediction, changed=changed)


def _whole(text: str, *, changed: bool) -> list[Span]:
    return [Span(clipped(text, _LONGEST_TEXT), changed)]


def positions_of(tree: ScoreTree) -> dict[int, Positions]:
    """The positions of all nodes of a tree, by their `id`.

    A one-of is the object `{"$one_of": [...]}` in the text; the position of its node is that of the option taken, "0/k"
    below it.

    >>> from docscore import score_tree
    >>> tree = score_tree({"a": "x", "b": ["y"]}, {"b": ["z", "y"]})
    >>> [(node.path, *positions_of(tree)[id(node)]) for node in tree.leaves()]
    [('$.a', '0', None), ('$.b[0]', '1/0', '0/1'), ('$.b[0]', None, '0/0')]
    """
    if isinstance(tree, MetricTree):
        return _by_paths(tree)
    found: dict[int, Positions] = {id(tree): (_of_option(tree, ""), "")}
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        above = found[id(node)]
        truths, predictions = _numbers(value_taken(node)), _numbers(node.prediction)
        children = unfolded_children(node)
        for child in children:
            if child.key is not None:
                numbers = truths.get(child.key), predictions.get(child.key)
            else:
                numbers = child.truth_index, child.prediction_index
            truth, prediction = map(_below, above, numbers)
            found[id(child)] = _of_option(child, truth), prediction
        waiting.extend(children)
    return found


def _by_paths(tree: MetricTree) -> dict[int, Positions]:
    """The positions of the nodes of a tree whose parents need not be those of the JSON texts."""
    truth, prediction = _positions_below(tree.ground_truth), _positions_below(tree.prediction)
    nodes = [node for node in tree.nodes() if isinstance(node, MetricTree) and node.kind != "group"]
    return {id(node): (truth.get(node.truth_path or ""), prediction.get(node.prediction_path or "")) for node in nodes}


def _positions_below(value: Any) -> dict[str, str]:
    """The position of each place of a value, by its path; of a one-of, that of the first option with the place."""
    found: dict[str, str] = {}
    waiting = [("$", "", value)]
    while waiting:
        path, position, part = waiting.pop()
        found.setdefault(path, position)
        options = part if isinstance(part, tuple) else ()
        below = [(path, f"0/{number}", option) for number, option in enumerate(options)]
        if isinstance(part, dict):
            below = [(path + step_text(key), str(number), each) for number, (key, each) in enumerate(part.items())]
        elif isinstance(part, list):
            below = [(f"{path}[{number}]", str(number), each) for number, each in enumerate(part)]
        waiting.extend((step, f"{position}/{at}".lstrip("/"), each) for step, at, each in reversed(below))
    return found


def unfolded_children(node: ScoreTree) -> list[ScoreTree]:
    """The children of a node, in place of a group of them those in it."""
    return [each for child in node.children for each in (child.children if child.kind == "group" else [child])]


def value_taken(node: ScoreTree) -> Any:
    """The value that the children of a node are parts of: of a one-of, the option taken."""
    truth = node.ground_truth
    return truth[node.option or 0] if isinstance(truth, tuple) and truth else truth


def _of_option(node: ScoreTree, position: str | None) -> str | None:
    """The position of the option taken, if the node is a one-of."""
    return position if node.option is None else _below(_below(position, 0), node.option)


def _numbers(value: Any) -> dict[str, int]:
    """The number of each key of an object; none for another value."""
    return {key: number for number, key in enumerate(value)} if isinstance(value, dict) else {}


def _below(position: str | None, number: int | None) -> str | None:
    if position is None or number is None:
        return None
    return f"{position}/{number}" if position else str(number)
