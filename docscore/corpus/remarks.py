"""What stands out in a score tree beyond single places: exchanged values, values elsewhere, spellings of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from docscore.core.similarity import text_rule
from docscore.core.spellings import number_of
from docscore.core.values import scalar_text
from docscore.metrics.anls_star.tree import ScoreTree

RemarkKind = Literal["exchanged", "elsewhere", "decimal comma", "as printed"]

_SHORTEST = 3  # characters of a value that is found elsewhere; shorter ones are there by chance


class Remark(NamedTuple):
    """What several places of a score tree have in common.

    Attributes:
        kind: "exchanged": two fields of an object with each other's values. "elsewhere": the value of the first place
            is predicted at the second. "decimal comma": the same numbers, with a comma on one side. "as printed": the
            same JSON numbers, printed differently, which count as equal with numbers compared by value.
        nodes: the places, in the order of the tree.
        points: the points lost at them, a share of 1.
    """

    kind: RemarkKind
    nodes: tuple[ScoreTree, ...]
    points: float


def remarks(tree: ScoreTree) -> list[Remark]:
    """What stands out in a score tree, the most points first.

    >>> from docscore import score_tree
    >>> tree = score_tree({"vat": "DE811", "no": "42", "sum": "1.50"}, {"vat": "42", "no": "DE811", "sum": "1,50"})
    >>> [(remark.kind, [node.path for node in remark.nodes]) for remark in remarks(tree)]
    [('exchanged', ['$.vat', '$.no']), ('decimal comma', ['$.sum'])]
    """
    nodes = [node for node in tree.nodes() if node.points_lost > 0]
    found = [remark for node in nodes for remark in _exchanged(node)]
    known = {id(node) for remark in found for node in remark.nodes}
    leaves = [node for node in nodes if not node.children and id(node) not in known]
    found += _elsewhere(leaves)
    spelled: tuple[tuple[RemarkKind, Any], ...] = (
        ("decimal comma", _differ_by_comma),
        ("as printed", _differ_in_print),
    )
    for kind, differ in spelled:
        alike = tuple(leaf for leaf in leaves if leaf.kind == "scalar" and differ(leaf.ground_truth, leaf.prediction))
        if alike:
            found.append(_remark(kind, alike))
    return sorted(found, key=lambda remark: -remark.points)


def _remark(kind: RemarkKind, nodes: tuple[ScoreTree, ...]) -> Remark:
    return Remark(kind, nodes, sum(node.points_lost for node in nodes))


def _exchanged(node: ScoreTree) -> Iterator[Remark]:
    """Pairs of fields of an object that have each other's values."""
    waiting: dict[tuple[str, str], ScoreTree] = {}
    for child in node.children:
        if child.key is None or child.kind != "scalar" or child.status not in ("wrong", "partial"):
            continue
        texts = scalar_text(child.ground_truth), scalar_text(child.prediction)
        other = waiting.pop((texts[1], texts[0]), None)
        if other is not None:
            yield _remark("exchanged", (other, child))
        else:
            waiting[texts] = child


def _elsewhere(leaves: list[ScoreTree]) -> Iterator[Remark]:
    """Values that are expected at one place only, and predicted at another one only."""
    expected = [leaf for leaf in leaves if isinstance(leaf.ground_truth, str) and len(leaf.ground_truth) >= _SHORTEST]
    times = Counter(leaf.ground_truth for leaf in expected)
    predicted = Counter(leaf.prediction for leaf in leaves if isinstance(leaf.prediction, str))
    places = {leaf.prediction: leaf for leaf in leaves if isinstance(leaf.prediction, str)}
    for leaf in expected:
        text = leaf.ground_truth
        if times[text] == predicted[text] == 1 and places[text] is not leaf:
            yield _remark("elsewhere", (leaf, places[text]))


def _differ_by_comma(truth: Any, prediction: Any) -> bool:
    """Whether two scalars are one number, of which one side has a decimal comma."""
    sides = (truth, prediction), (prediction, truth)
    return any(
        isinstance(comma, str) and "," in comma and _is_number_with_comma(comma, point) for comma, point in sides
    )


def _is_number_with_comma(comma: str, point: Any) -> bool:
    number = number_of(comma, decimal=",", group=".")
    return number is not None and number == number_of(point, group=",")


def _differ_in_print(truth: Any, prediction: Any) -> bool:
    """Whether two scalars are equal as numbers by value, and not as they print."""
    by_value = text_rule("value")
    return by_value(truth) == by_value(prediction) and scalar_text(truth) != scalar_text(prediction)
