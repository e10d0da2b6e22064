"""The cells of a score tree, the values that have evidence, and the choice among tied matchings by places."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from docscore.core.assignment import Criteria, Indices
from docscore.core.places import LEVELS, Place, Places, accepted_places, has_level, values_by_path
from docscore.core.values import SCALAR_TYPES, Matrix, Value, step_text
from docscore.metrics.anls_star.matching import marked_text
from docscore.metrics.anls_star.sizes import SchemaNode
from docscore.metrics.anls_star.tree import Cell, ScoreTree, TreePlace

_ACCEPTED_FIRST = LEVELS[::-1]  # among matchings that tie, boxes decide before pages


class PlacedPair:
    """The places and confidences of one pair of values.

    Args:
        places: its evidence and citations.
        confidences: numbers in the shape of the prediction, or None.
        iou: the intersection over union from which a cited box is accepted.

    Attributes:
        evidence: that of the acceptable answer that was taken.
        confidences: the numbers by their paths.
    """

    def __init__(self, places: Places, confidences: Any, iou: float) -> None:
        self.places, self.iou, self.evidence = places, iou, places.evidence[0]
        self.confidences = {
            path: part for path, part in values_by_path(confidences) if not isinstance(part, dict | list | tuple)
        }

    def cells(self, tree: ScoreTree, predicted: str = "$") -> Iterator[Cell]:
        """Yield the cells of a tree, whose prediction has this path."""
        for leaf, path in _faced(tree, predicted):
            truth = leaf.ground_truth
            is_one = not isinstance(truth, dict | list)  # otherwise no single value faces its values
            values = count_values(leaf.prediction) if is_one else 0
            citations = self.places.citations.get(path, ()) if is_one else ()
            paths = values_by_path(truth, leaf.path) if leaf.status != "extra" and leaf.weight else ()
            for inside in dict.fromkeys(path for path, value in paths if type(value) in SCALAR_TYPES):
                if evidence := self.evidence.get(inside):
                    right = is_one and leaf.earned == leaf.weight
                    yield Cell(inside, right, values, self._levels(citations, evidence))

    def _levels(self, citations: Any, evidence: Any) -> dict[Any, tuple[int, int]]:
        levels = [level for level in LEVELS if has_level(evidence, level)]
        return {level: accepted_places(citations, evidence, level, self.iou) for level in levels}

    def accepted(self, tree: ScoreTree, predicted: str) -> list[int]:
        """Return how many cells of a tree are right and have an accepted box, and how many an accepted page."""
        right = [cell for cell in self.cells(tree, predicted) if cell.right]
        return [sum(cell.levels.get(level, (0, 0))[0] > 0 for cell in right) for level in _ACCEPTED_FIRST]

    def of_prediction(self, path: str) -> str:
        """Return the confidence and the citations of a value of the prediction as text; "" without any."""
        sure, citations = self.confidences.get(path), self.places.citations.get(path)
        return f" {sure!r} {sorted(map(repr, citations or ()))}" if citations or sure is not None else ""

    def indices(self, truth: str, prediction: str) -> list[set[int]]:
        """Return the indices of the elements of two lists, given by their paths, that hold evidence and citations."""
        sides = (truth, self.evidence), (prediction, self.places.citations)
        return [
            {
                int(path[len(start) + 1 :].partition("]")[0])
                for path in places
                if path.startswith(f"{start}[") and path[len(start) + 1].isdigit()
            }
            for start, places in sides
        ]


def count_values(value: Value) -> int:
    """Return the number of values in a prediction; nulls and empty texts are none."""
    return sum(type(part) in SCALAR_TYPES and part != "" for _, part in values_by_path(value))


class PlacedLeaf(NamedTuple):
    """A leaf of a tree with its places.

    Attributes:
        leaf: the leaf.
        predicted: the path of the prediction that it faces; "" if it faces nothing.
        cell: of a single value that has evidence how it is cited, else None.
        evidence: the accepted places of all values of its ground truth.
        citations: the places that the prediction names for it.
    """

    leaf: ScoreTree
    predicted: str
    cell: Cell | None
    evidence: Sequence[Place]
    citations: Sequence[Place]


def placed_leaves(tree: ScoreTree, places: Places) -> Iterator[PlacedLeaf]:
    """Yield the leaves of a tree that was built with these places."""
    option = tree.option or 0 if len(places.evidence) > 1 else 0
    for leaf, path in _faced(tree, "$"):
        is_extra = leaf.status == "extra"
        inside = {} if is_extra else dict(values_by_path(leaf.ground_truth, leaf.path))
        evidence = [place for each in inside for place in places.evidence[option].get(each, ())]
        cell = None if is_extra or isinstance(leaf.ground_truth, dict | list) else tree.cells.get(leaf.path)
        yield PlacedLeaf(leaf, path, cell, evidence, places.citations.get(path, ()))


def _faced(tree: ScoreTree, predicted: str) -> Iterator[tuple[ScoreTree, str]]:
    """Yield the leaves of a tree with the path of the prediction that they face; "" if they face nothing."""
    waiting = [(tree, predicted)]
    while waiting:
        node, path = waiting.pop()
        if not node.children:
            yield node, path
        for child in reversed(node.children):
            index = child.prediction_index
            step = step_text(child.key) if child.key is not None else "" if index is None else f"[{index}]"
            waiting.append((child, path + step if path and step else ""))


class GroundedPlace(TreePlace):
    """The place of a node of a tree with places or confidences.

    Lists that tie are matched for the most values that are right and have an accepted box, then an accepted page.

    Args:
        placed: the places of the pair.
        predicted: the path in the prediction.
        node: the arguments of `TreePlace`.
    """

    __slots__ = ("placed", "predicted")

    def __init__(self, placed: PlacedPair, predicted: str, *node: Any) -> None:
        super().__init__(*node)
        self.placed, self.predicted = placed, predicted

    def at_key(self, key: str, *, absent: bool = False) -> "GroundedPlace":
        step = step_text(key)
        node = self.whole, self.children, self.path + step, key, None, None, self.cause, absent
        return GroundedPlace(self.placed, self.predicted + step, *node)

    def at_index(self, truth: int | None, prediction: int | None) -> "GroundedPlace":
        path = f"{self.path}[{prediction if truth is None else truth}]"
        node = self.whole, self.children, path, None, truth, prediction, self.cause
        return GroundedPlace(self.placed, f"{self.predicted}[{prediction}]", *node)

    def at_option(self, option: int, count: int = 1) -> TreePlace:
        if self.path == "$" and self.option is None and len(self.placed.places.evidence) > 1:
            self.placed.evidence = self.placed.places.evidence[option]
        return super().at_option(option, count)

    def preferences(self, score: Callable[[int, int, Any], object]) -> Criteria:
        def accepted(rows: Indices, columns: Indices) -> Matrix:
            counts = np.zeros((len(_ACCEPTED_FIRST), len(rows)))
            known, cited = self.placed.indices(self.path, self.predicted)
            for number, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
                if i in known and j in cited:
                    nodes: list[ScoreTree] = []
                    path = f"{self.predicted}[{j}]"
                    score(i, j, GroundedPlace(self.placed, path, self.whole, nodes, f"{self.path}[{i}]"))
                    counts[:, number] = self.placed.accepted(nodes[-1], path)
            return counts

        return accepted

    def annotated(self, value: Value, schema: SchemaNode | None, **element: int | None) -> str:
        index, option = element.get("prediction"), element.get("option")
        if index is not None:
            return marked_text(value, schema, f"{self.predicted}[{index}]", self.placed.of_prediction)
        evidence, path = self.placed.evidence, f"{self.path}[{element.get('truth')}]"
        if option is not None:
            path, options = self.path, self.placed.places.evidence
            evidence = options[option] if path == "$" and self.option is None and len(options) > 1 else evidence
        return marked_text(value, schema, path, lambda path: str(sorted(map(repr, evidence.get(path, ())))))
