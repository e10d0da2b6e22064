"""The score tree as lines of text, for `str(tree)` and the terminal."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docscore.values import Value, to_json

if TYPE_CHECKING:
    from docscore.tree import ScoreTree

GLYPHS = {"exact": "=", "partial": "≈", "wrong": "≠", "missing": "−", "extra": "+"}
_HEAD_WIDTH = 34
_LONGEST_VALUE = 60  # characters of a value that are shown


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the outline: a node, or the count of exact nodes that were folded away.

    Attributes:
        branch: the box-drawing characters before it.
        label: the key, or the index on either side: `[0 ↔ 1]`, `[− ↔ 2]`.
        values: what was expected and predicted, in one line.
        node: the node.
        width: the column where the score starts.
        folded: how many leaves below were folded away, all exact.
    """

    branch: str
    label: str
    values: str
    node: ScoreTree
    width: int
    folded: int

    @property
    def head(self) -> str:
        """Branch, glyph and label, padded to the column of the score."""
        return f"{self.branch}{GLYPHS[self.node.status]} {self.label}".ljust(self.width)

    @property
    def numbers(self) -> str:
        """The score and the points lost here."""
        lost = self.node.points_lost
        return f"{self.node.score:.3f}  {f'-{lost:.3f}' if lost else '':>6}"

    def text(self) -> str:
        """The whole line without colour."""
        return f"{self.head}  {self.numbers}  {self.detail}".rstrip()

    @property
    def detail(self) -> str:
        """The values, and the reason in parentheses."""
        reason = f"all {self.folded} exact" if self.folded else self.node.reason
        return "  ".join(filter(None, (self.values, f"({reason})" if reason else "")))


def outline(tree: ScoreTree, *, fold: bool = False) -> list[Line]:
    """The lines of a tree, parents before children.

    Args:
        tree: the root.
        fold: whether containers that are exact stand as one line.
    """
    rows: list[tuple[str, ScoreTree, int]] = []
    waiting = [("", "", tree)]
    while waiting:
        branch, below, node = waiting.pop()
        folded = sum(1 for _ in node.leaves()) if fold and node.children and node.status == "exact" else 0
        rows.append((branch, node, folded))
        if not folded:
            last = len(node.children) - 1
            branches = [("└─ ", "   ") if i == last else ("├─ ", "│  ") for i in range(last + 1)]
            children = [
                (below + mark, below + rest, child) for (mark, rest), child in zip(branches, node.children, strict=True)
            ]
            waiting.extend(reversed(children))
    width = min(max(len(branch) + len(_label(node)) + 2 for branch, node, _ in rows), _HEAD_WIDTH)
    return [Line(branch, _label(node), _values(node), node, width, folded) for branch, node, folded in rows]


def printable(text: str) -> str:
    r"""The text with everything that could steer a terminal or cannot be encoded as an escape.

    >>> print(printable("a\x1b[31mb"))
    a\u001b[31mb
    """
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def shown(value: Value) -> str:
    """The value as JSON in one line, shortened, one-ofs as `a | b`."""
    if isinstance(value, tuple):
        return " | ".join(map(shown, value))
    text = printable(_as_json(value))
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _as_json(value: Value) -> str:
    try:
        return json.dumps(to_json(value), ensure_ascii=False)
    except ValueError:  # an integer that Python refuses to print
        return f"<{type(value).__name__} of more digits than can be shown>"


def _label(node: ScoreTree) -> str:
    if node.key is not None:
        return printable(node.key)
    if node.truth_index is None and node.prediction_index is None:
        return "$"
    truth, prediction = ("−" if i is None else i for i in (node.truth_index, node.prediction_index))
    return f"[{truth} ↔ {prediction}]"


def _values(node: ScoreTree) -> str:
    if node.children:
        return ""
    if node.status == "missing":
        return f"{shown(node.ground_truth)} → nothing"
    if node.status == "extra":
        return f"nothing → {shown(node.prediction)}"
    if node.status == "exact" and not node.reason:
        return shown(node.ground_truth)
    return f"{shown(node.ground_truth)} → {shown(node.prediction)}"
