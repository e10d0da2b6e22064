"""The score trees of one document in several systems side by side."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from docscore.core.formatting import clipped, counted, field_text, three_digits
from docscore.core.numbers import ROUNDING
from docscore.core.values import value_text
from docscore.evaluation.sentences import STATUS_WORDS
from docscore.metrics.anls_star.tree import GLYPHS, ScoreTree
from docscore.report.html_tree import MAX_ROWS, Cell, Piece, lost_text, value_cell, value_spans

_LONGEST_LABEL = _LONGEST_OBJECT = 200  # characters
_LONGEST_VALUE = 1000
_DEEPEST = 12  # levels; deeper nodes have the same indent

_Place = tuple[ScoreTree | None, ...]


def places_side_by_side(trees: Sequence[ScoreTree]) -> tuple[str, list[dict[str, Any]]]:
    """Return the number of values on which all systems agree, and one row per node, parents before children.

    All trees have the same ground truth. A row joins equal keys, list elements that were matched with the same element
    of the ground truth, and equal elements that match nothing. The root has a row only if a system predicts a value
    there. If there are too many nodes, those on which all systems agree have no rows.

    Each row has "path"; "label", the key or the index of a list element; "indent" in levels; "truth", the expected
    value, "absent", or empty for a container; "systems", the node in each system; "field", the path without list
    indices; "causes", the causes by which systems lost points here; "same", whether all systems predict the same value
    here and below; and "nodes", the nodes of the trees.
    """
    places, depths, above, same = _joined(trees)
    outermost = 0 if any(map(_is_leaf, trees)) else 1
    shown = [number for number in range(outermost, len(places)) if len(places) <= MAX_ROWS or not same[number]]
    rows = [
        _row(places[number], above[number], depths[number] - outermost, same[number]) for number in shown[:MAX_ROWS]
    ]
    return _agreed([place for place, is_same in zip(places, same, strict=True) if is_same]), rows


def _joined(trees: Sequence[ScoreTree]) -> tuple[list[_Place], list[int], list[_Place], list[bool]]:
    """Join the nodes of the trees; return their depths and parents too, and whether systems agree on each and below."""
    places: list[_Place] = []
    depths: list[int] = []
    parents: list[int] = []
    waiting: list[tuple[_Place, int, int]] = [(tuple(trees), 0, -1)]
    while waiting:
        place, depth, parent = waiting.pop()
        below = [(child, depth + 1, len(places)) for child in _children(place)]
        places.append(place)
        depths.append(depth)
        parents.append(parent)
        waiting.extend(reversed(below))
    above = [places[parent] if parent >= 0 else (None,) * len(trees) for parent in parents]
    same = list(map(_agree, places, above))
    for number in range(len(places) - 1, 0, -1):
        same[parents[number]] &= same[number]
    return places, depths, above, same


def _is_leaf(node: ScoreTree) -> bool:
    """Return whether a node has no rows below it; an extra node is shown as one value."""
    return not node.children or node.status == "extra"


def _children(place: _Place) -> list[_Place]:
    """Return the children of a joined node: keys by their first occurrence, then elements, then extra elements."""
    found: dict[tuple[int, int, str, int], list[ScoreTree | None]] = {}
    for system, node in enumerate(place):
        seen: Counter[str] = Counter()
        for child in node.children if node is not None and not _is_leaf(node) else ():
            if child.key is not None:
                name = 0, 0, child.key, 0
            elif child.truth_index is not None:
                name = 1, child.truth_index, "", 0
            else:
                value = value_text(child.prediction)
                seen[value] += 1
                name = 2, 0, value, seen[value]
            found.setdefault(name, [None] * len(place))[system] = child
    return [tuple(found[name]) for name in sorted(found, key=lambda name: name[:2])]


def _agree(place: _Place, above: _Place) -> bool:
    """Return whether the nodes agree, ignoring the children of containers; an absent value differs from null."""
    nodes = [(node, parent) for node, parent in zip(place, above, strict=True) if node is not None]
    earned = [node.earned for node, _ in nodes]
    seen = {
        (node.kind, node.status, _is_leaf(node), tuple(_predicted(node, parent, marked=False).pieces))
        for node, parent in nodes
    }
    return len(nodes) == len(place) and len(seen) == 1 and max(earned) - min(earned) <= ROUNDING


def _predicted(node: ScoreTree, parent: ScoreTree | None, *, marked: bool) -> Cell:
    """Return the predicted value, its differences marked, or "absent"; empty for a container with rows below."""
    if not (_is_leaf(node) or node.status == "missing"):
        return Cell()
    found = value_cell(node, parent, "prediction", value_spans(node)[1] if marked else ())
    return Cell(absent="absent") if found == Cell() else found


def _agreed(places: Sequence[_Place]) -> str:
    leaves = [place[0] for place in places if place[0] is not None and _is_leaf(place[0])]
    lossy = sum(leaf.status != "exact" for leaf in leaves)
    more = f", {lossy:,} of them not exact" if lossy else ""
    return f"{counted(len(leaves), 'value')} on which all agree{more}" if leaves else ""


def _row(place: _Place, above: _Place, depth: int, same: bool) -> dict[str, Any]:
    nodes = [node for node in place if node is not None]
    known = next((node for node in nodes if node.status != "extra"), None)
    is_whole = not any(node.children for node in nodes)
    several_options = len({node.option for node in nodes}) > 1
    return {
        "path": clipped(nodes[0].path, _LONGEST_LABEL),
        "label": _label(nodes[0]),
        "indent": min(depth, _DEEPEST),
        "truth": _truth(known) if is_whole or known is None else Cell(),
        "systems": [_in_system(*each, several_options) for each in zip(place, above, strict=True)],
        "field": nodes[0].field_path,
        "causes": list(dict.fromkeys(node.cause for node in nodes if node.cause)),
        "same": same,
        "nodes": nodes,
    }


def _truth(known: ScoreTree | None) -> Cell:
    if known is None:
        return Cell(absent="absent")
    length = _LONGEST_OBJECT if isinstance(known.ground_truth, dict | list) else _LONGEST_VALUE
    return Cell([Piece(clipped(value_text(known.ground_truth), length))])


def _label(node: ScoreTree) -> str:
    if node.key is not None:
        return clipped(node.key, _LONGEST_LABEL)
    if node.truth_index is None and node.prediction_index is None:
        return field_text("$")
    return "[+]" if node.truth_index is None else f"[{node.truth_index}]"


def _in_system(node: ScoreTree | None, parent: ScoreTree | None, several_options: bool) -> dict[str, Any]:
    """Return a node as it is shown in the column of one system.

    Returns:
        "value": the predicted value with its differences from the ground truth marked, or "absent"; empty for a
        container. "status", "word" and "glyph" of the node, "score" and points "lost" as text. "note": the kind and
        size of a container, or the matched alternative if systems matched different ones; "" without such a node.
    """
    if node is None:  # if a whole container is missing, its own row says so
        value = Cell() if parent is None or _is_leaf(parent) else Cell(absent="absent")
        return {**dict.fromkeys(("status", "word", "glyph", "score", "lost", "note"), ""), "value": value}
    value = _predicted(node, parent, marked=True)
    predicted = node.prediction if isinstance(node.prediction, list | dict) else node.children
    notes = [] if value != Cell() else [counted(len(predicted), "element" if node.kind == "list" else "key")]
    if several_options and node.option is not None:
        notes.append(f"option {node.option + 1}")
    return {
        "status": node.status,
        "word": STATUS_WORDS[node.status],
        "glyph": GLYPHS[node.status],
        "score": three_digits(node.score),
        "lost": lost_text(node.points_lost) if node.points_lost > ROUNDING else "",
        "value": value,
        "note": ", ".join(notes),
    }
