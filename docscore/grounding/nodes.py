"""The values of a score tree that have evidence, and the choice among tied matchings by regions."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from docscore.core.assignment import Criteria, Indices
from docscore.core.values import SCALAR_TYPES, Matrix, Value, step_text, values_by_path
from docscore.grounding.regions import LEVELS, NO_REGIONS, Level, Region, RowRegions, accepted_regions, has_level
from docscore.metrics.anls_star.matching import marked_text
from docscore.metrics.anls_star.sizes import SchemaNode
from docscore.metrics.anls_star.tree import NodeBuilder, RegionOfValue, ScoreTree, TreeAnnotator, Whole

_ACCEPTED_FIRST = LEVELS[::-1]  # if matchings tie, boxes decide before pages


class GroundedValue(NamedTuple):
    """A value of the ground truth that has evidence, and what the prediction cites for the value that faces it.

    Attributes:
        path: its path in the ground truth.
        right: whether it loses no point.
        values: how many values of the prediction face it; several for an object or a list.
        levels: for each level of its evidence, the number of accepted and of all cited regions.
    """

    path: str
    right: bool
    values: int
    levels: dict[Level, tuple[int, int]]

    @property
    def predicted(self) -> bool:
        """Whether the prediction has a value for it."""
        return self.right or self.values > 0

    @property
    def region(self) -> RegionOfValue | None:
        """Whether the predicted value has the right region; None without evidence.

        The box decides, or the page of a value that cites pages alone.
        """
        if not self.predicted or not self.levels:
            return None
        for level in reversed(LEVELS):
            accepted, cited = self.levels.get(level, (0, 0))
            if cited:
                return "right" if accepted else "other"
        return "not cited"


class RowAnnotator:
    """The regions and confidences of one pair of values, which annotate its score tree.

    Args:
        regions: its evidence and citations; None if they were not interpreted.
        confidences: numbers in the shape of the prediction, or None.
        iou: the least intersection over union at which a cited box is accepted.
        chooses: whether the regions decide among matchings of lists that tie.

    Attributes:
        evidence: the evidence of the acceptable answer that was chosen.
    """

    def __init__(self, regions: RowRegions | None, confidences: Any, iou: float, *, chooses: bool = True) -> None:
        self.given, self.regions, self.iou, self.chooses = regions, regions or NO_REGIONS, iou, chooses
        self.evidence = self.regions.evidence[0]
        self._confidences = confidences

    @cached_property
    def confidences(self) -> dict[str, Any]:
        """The confidences by the paths of their values."""
        parts = values_by_path(self._confidences)
        return {path: part for path, part in parts if not isinstance(part, dict | list | tuple)}

    def root(self, whole: Whole, nodes: list[ScoreTree]) -> "GroundedNodeBuilder":
        self.evidence = self.regions.evidence[0]
        return GroundedNodeBuilder(self, "$", whole, nodes)

    def annotate(self, tree: ScoreTree) -> dict[str, GroundedValue] | None:
        return None if self.given is None else {value.path: value for value in self.values(tree)}

    def values(self, tree: ScoreTree, predicted: str = "$") -> Iterator[GroundedValue]:
        """Yield the values with evidence in a tree whose prediction has this path."""
        for leaf, path in _faced(tree, predicted):
            truth = leaf.ground_truth
            is_one = not isinstance(truth, dict | list)  # otherwise no single value faces its values
            values = count_values(leaf.prediction) if is_one else 0
            citations = self.regions.citations.get(path, ()) if is_one else ()
            paths = values_by_path(truth, leaf.path) if leaf.status != "extra" and leaf.weight else ()
            for inside in dict.fromkeys(path for path, value in paths if type(value) in SCALAR_TYPES):
                if evidence := self.evidence.get(inside):
                    right = is_one and leaf.earned == leaf.weight
                    levels = (level for level in LEVELS if has_level(evidence, level))
                    accepted = {level: accepted_regions(citations, evidence, level, self.iou) for level in levels}
                    yield GroundedValue(inside, right, values, accepted)

    def accepted(self, tree: ScoreTree, predicted: str) -> list[int]:
        """Return how many right values of a tree have an accepted box, and how many have an accepted page."""
        right = [cell for cell in self.values(tree, predicted) if cell.right]
        return [sum(cell.levels.get(level, (0, 0))[0] > 0 for cell in right) for level in _ACCEPTED_FIRST]

    def of_prediction(self, path: str) -> str:
        """Return the confidence and the citations of a value of the prediction as text; "" without any."""
        sure, citations = self.confidences.get(path), self.regions.citations.get(path)
        return f" {sure!r} {sorted(map(repr, citations or ()))}" if citations or sure is not None else ""

    def indices(self, truth: str, prediction: str) -> list[set[int]]:
        """Return the indices of elements with evidence in one list and with citations in the other, given by paths."""
        sides = (truth, self.evidence), (prediction, self.regions.citations)
        return [
            {
                int(path[len(start) + 1 :].partition("]")[0])
                for path in places
                if path.startswith(f"{start}[") and path[len(start) + 1].isdigit()
            }
            for start, places in sides
        ]


def count_values(value: Value) -> int:
    """Return the number of values in a prediction; nulls and empty texts do not count."""
    return sum(type(part) in SCALAR_TYPES and part != "" for _, part in values_by_path(value))


def grounded_values(tree: ScoreTree) -> list[GroundedValue]:
    """Return the values with evidence in a tree that was built with regions."""
    return [value for value in tree.annotations.values() if isinstance(value, GroundedValue)]


def regions_of(annotator: TreeAnnotator | None) -> RowRegions | None:
    """Return the regions of the row that an annotator annotates; None if there are none."""
    return annotator.given if isinstance(annotator, RowAnnotator) else None


def grounded_leaves(
    tree: ScoreTree, regions: RowRegions
) -> Iterator[tuple[ScoreTree, str, GroundedValue | None, Sequence[Region], Sequence[Region]]]:
    """Yield the leaves of a tree that was built with these regions.

    Yields:
        The leaf; the path of the prediction that it faces, "" if it faces nothing; how a single value with evidence is
        cited, else None; the accepted regions of all values of its ground truth; the regions that the prediction names.
    """
    values = {value.path: value for value in grounded_values(tree)}
    option = tree.option or 0 if len(regions.evidence) > 1 else 0
    for leaf, path in _faced(tree, "$"):
        is_extra = leaf.status == "extra"
        inside = {} if is_extra else dict(values_by_path(leaf.ground_truth, leaf.path))
        evidence = [place for each in inside for place in regions.evidence[option].get(each, ())]
        value = None if is_extra or isinstance(leaf.ground_truth, dict | list) else values.get(leaf.path)
        yield leaf, path, value, evidence, regions.citations.get(path, ())


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


class GroundedNodeBuilder(NodeBuilder):
    """The builder of a node of a tree with regions or confidences.

    If matchings of lists tie, the number of right values with an accepted box decides, then with an accepted page.

    Args:
        annotator: the regions and confidences of the pair.
        predicted: the path in the prediction.
        node: the arguments of `NodeBuilder`.
    """

    __slots__ = ("annotator", "predicted")

    def __init__(self, annotator: RowAnnotator, predicted: str, *node: Any) -> None:
        super().__init__(*node)
        self.annotator, self.predicted = annotator, predicted

    def at_key(self, key: str, *, absent: bool = False) -> "GroundedNodeBuilder":
        step = step_text(key)
        node = self.whole, self.children, self.path + step, key, None, None, self.cause, absent
        return GroundedNodeBuilder(self.annotator, self.predicted + step, *node)

    def at_index(self, truth: int | None, prediction: int | None) -> "GroundedNodeBuilder":
        path = f"{self.path}[{prediction if truth is None else truth}]"
        node = self.whole, self.children, path, None, truth, prediction, self.cause
        return GroundedNodeBuilder(self.annotator, f"{self.predicted}[{prediction}]", *node)

    def at_option(self, option: int, count: int = 1) -> NodeBuilder:
        if self.path == "$" and self.option is None and len(self.annotator.regions.evidence) > 1:
            self.annotator.evidence = self.annotator.regions.evidence[option]
        return super().at_option(option, count)

    def preferences(self, score: Callable[[int, int, Any], object]) -> Criteria | None:
        if not self.annotator.chooses:
            return None

        def accepted(rows: Indices, columns: Indices) -> Matrix:
            counts = np.zeros((len(_ACCEPTED_FIRST), len(rows)))
            known, cited = self.annotator.indices(self.path, self.predicted)
            for number, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
                if i in known and j in cited:
                    nodes: list[ScoreTree] = []
                    path = f"{self.predicted}[{j}]"
                    score(i, j, GroundedNodeBuilder(self.annotator, path, self.whole, nodes, f"{self.path}[{i}]"))
                    counts[:, number] = self.annotator.accepted(nodes[-1], path)
            return counts

        return accepted

    def annotated(self, value: Value, schema: SchemaNode | None, **element: int | None) -> str:
        index, option = element.get("prediction"), element.get("option")
        if index is not None:
            return marked_text(value, schema, f"{self.predicted}[{index}]", self.annotator.of_prediction)
        evidence, path = self.annotator.evidence, f"{self.path}[{element.get('truth')}]"
        if option is not None:
            path, options = self.path, self.annotator.regions.evidence
            evidence = options[option] if path == "$" and self.option is None and len(options) > 1 else evidence
        return marked_text(value, schema, path, lambda path: str(sorted(map(repr, evidence.get(path, ())))))
