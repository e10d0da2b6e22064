"""Where the nodes of a score tree stand in the JSON texts of both sides, so that a page can show their lines."""

from __future__ import annotations

from typing import Any, NamedTuple

from docscore.core.values import step_text
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import MetricTree


class Positions(NamedTuple):
    """Where a node stands in both texts.

    A position lists, from the root, which child of its parent a value is, counted from 0: "0/2" is the third child of
    the first child; "" is the root. It needs no key, which may hold any character. None where a side has no such value.
    """

    truth: str | None
    prediction: str | None


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
    found = {id(tree): Positions(_of_option(tree, ""), "")}
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
            truth, prediction = _below(above.truth, numbers[0]), _below(above.prediction, numbers[1])
            found[id(child)] = Positions(_of_option(child, truth), prediction)
        waiting.extend(children)
    return found


def _by_paths(tree: MetricTree) -> dict[int, Positions]:
    """The positions of the nodes of a tree whose parents need not be those of the JSON texts."""
    truth, prediction = _positions_below(tree.ground_truth), _positions_below(tree.prediction)
    nodes = [node for node in tree.nodes() if isinstance(node, MetricTree) and node.kind != "group"]
    return {
        id(node): Positions(truth.get(node.truth_path or ""), prediction.get(node.prediction_path or ""))
        for node in nodes
    }


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
