"""The score tree in the terminal: colour where there is one, and character differences."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from docscore.differences import Span, differences
from docscore.outline import Line, outline, shown_pair
from docscore.tree import ScoreTree

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
    left, right = differences(*shown_pair(node.ground_truth, node.prediction))
    return _marked(left, _TRUTH).append(" → ").append_text(_marked(right, _PREDICTION))


def _marked(spans: list[Span], style: str) -> Text:
    return Text.assemble(*((span.text, style if span.changed else "") for span in spans))
