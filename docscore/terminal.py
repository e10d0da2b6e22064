"""The score tree in the terminal: colour where there is one, and character differences."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from docscore.differences import Span, differences
from docscore.outline import Line, outline, shown
from docscore.tree import ScoreTree

# Blue and orange stay apart for colour-blind readers and in grey; every status has a glyph as well.
_STATUS_STYLE = {"exact": "dim", "partial": "", "wrong": "bold", "missing": "bold", "extra": "bold"}
_TRUTH, _PREDICTION = "bold strike dark_orange3", "bold underline dodger_blue1"


def print_tree(console: Console, tree: ScoreTree, *, fold: bool) -> None:
    """Print the tree, a line a node; exact containers as one line if folded."""
    for line in outline(tree, fold=fold):
        console.print(_styled(line), soft_wrap=True)


def _styled(line: Line) -> Text:
    text = Text(line.head, style=_STATUS_STYLE[line.node.status])
    text.append(f"  {line.numbers}  ")
    values = _with_differences(line.node)
    if values is None:
        return _stripped(text.append(line.detail))
    text.append_text(values)
    return _stripped(text.append(f"  ({line.node.reason})" if line.node.reason else ""))


def _with_differences(node: ScoreTree) -> Text | None:
    """Both values with what differs marked, where the similarity counts."""
    if node.kind != "scalar" or node.status != "partial":
        return None
    left, right = differences(shown(node.ground_truth), shown(node.prediction))
    return _marked(left, _TRUTH).append(" → ").append_text(_marked(right, _PREDICTION))


def _marked(spans: list[Span], style: str) -> Text:
    return Text.assemble(*((span.text, style if span.changed else "") for span in spans))


def _stripped(text: Text) -> Text:
    text.rstrip()
    return text
