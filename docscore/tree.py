"""The score tree: one node for every pair of places, and its views as closest ground truth, key scores and text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from docscore.outline import outline
from docscore.stack import with_room_to_recurse
from docscore.values import is_empty, to_json

Kind = Literal["scalar", "null", "list", "object", "mismatch"]
Status = Literal["exact", "partial", "wrong", "missing", "extra"]


@dataclass
class ScoreNode:
    """The score of an object key, and the scores of the keys below it.

    Attributes:
        anls_score: S / L of the values of the key, in [0, 1]; under lists the mean over the matched pairs.
        children: the same for each key of the values, where they are objects or lists of objects.
    """

    anls_score: float
    children: dict[str, ScoreNode] = field(default_factory=dict)


class Whole:
    """What every node of a tree shares: the weight of the root."""

    __slots__ = ("weight",)

    def __init__(self, weight: float = 0.0) -> None:
        self.weight = weight


@dataclass(frozen=True, slots=True, repr=False)
class ScoreTree:
    """How one place of a ground truth was scored against one place of a prediction.

    In a container that is no mismatch, `earned` and `weight` are the sums of the children's.

    Attributes:
        path: `$.items[2].price`, in the ground truth, or in the prediction for what only it has.
        key: the object key of this place; None for list elements and the root.
        kind: "scalar", "null", "list", "object", or "mismatch" where the two sides cannot be compared part by part.
        status: "exact" (score 1), "partial", "wrong" (score 0), "missing" (nothing predicted) or "extra" (nothing
            expected).
        earned: S, from 0 to `weight`.
        weight: L, a whole number; the root's is the number of values that count.
        ground_truth: the value expected here (of a one-of the option taken), None if none is.
        prediction: the value predicted here, None if none is.
        truth_index: where this place is in its list of the ground truth, or None.
        prediction_index: where it is in its list of the prediction, or None.
        option: which option of a one-of was taken, or None.
        reason: a sentence where the number may surprise, else "".
        children: the nodes below.
    """

    path: str
    key: str | None
    kind: Kind
    status: Status
    earned: float
    weight: float
    ground_truth: Any
    prediction: Any
    truth_index: int | None
    prediction_index: int | None
    option: int | None
    reason: str
    children: tuple[ScoreTree, ...]
    _whole: Whole = field(compare=False)

    @property
    def score(self) -> float:
        """S / L, in [0, 1]; 1 where L is 0."""
        return self.earned / self.weight if self.weight else 1.0

    @property
    def points_lost(self) -> float:
        """The share of this place in 1 - score of the whole tree; those of the leaves add up to it."""
        return (self.weight - self.earned) / self._whole.weight if self._whole.weight else 0.0

    def leaves(self) -> Iterator[ScoreTree]:
        """The nodes without children, in order."""
        return (node for node in self.nodes() if not node.children)

    def nodes(self) -> Iterator[ScoreTree]:
        """This node and all below it, parents before their children, in order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def closest_gt(self) -> Any:
        """What the prediction would be if it were right in the way nearest to it.

        One-of options are chosen, lists stand in the order of the prediction with the unmatched elements behind, keys
        that only the prediction has are None.
        """
        return with_room_to_recurse(self._closest_gt)

    def _closest_gt(self) -> Any:
        if self.kind == "null" and self.status == "exact":
            return self.prediction
        if self.status == "extra":
            return None
        if self.status != "missing" and self.kind == "list":
            return [child._closest_gt() for child in self._in_prediction_order()]
        if self.status != "missing" and self.kind == "object":
            return {str(child.key): child._closest_gt() for child in self.children if self._belongs(child)}
        return self.ground_truth

    def key_scores(self) -> dict[str, ScoreNode]:
        """The score of every object key, as `anls_star` gives them; blind to list elements without a partner."""
        return with_room_to_recurse(self._key_scores)

    def _key_scores(self) -> dict[str, ScoreNode]:
        if self.status in ("missing", "extra"):
            return {}
        if self.kind == "list":
            return _mean([child._key_scores() for child in self._matched()])
        if self.kind == "object":
            return {
                str(child.key): ScoreNode(child.score, child._key_scores())
                for child in self.children
                if child.weight or child.status != "extra"
            }
        return {}

    def to_dict(self) -> dict[str, Any]:
        """The tree in JSON types; one-ofs spelled `{"$one_of": [...]}`, NaN and infinities as their text."""
        return with_room_to_recurse(self._to_dict)

    def _to_dict(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "kind": self.kind,
            "status": self.status,
            "score": self.score,
            "earned": self.earned,
            "weight": self.weight,
            "points_lost": self.points_lost,
            "ground_truth": to_json(self.ground_truth, _finite),
            "prediction": to_json(self.prediction, _finite),
            "truth_index": self.truth_index,
            "prediction_index": self.prediction_index,
            "option": self.option,
            "reason": self.reason,
            "children": list(map(ScoreTree._to_dict, self.children)),
        }

    def __str__(self) -> str:
        return "\n".join(line.text() for line in outline(self))

    def __repr__(self) -> str:
        return f"<ScoreTree {self.path} {self.status} {self.earned:g}/{self.weight:g}, {len(self.children)} children>"

    def _matched(self) -> list[ScoreTree]:
        """The children of a list that have a partner."""
        return [c for c in self.children if c.truth_index is not None and c.prediction_index is not None]

    def _in_prediction_order(self) -> list[ScoreTree]:
        """The matched elements in the order of the prediction, then the unmatched ones of the ground truth."""
        unmatched = [c for c in self.children if c.prediction_index is None]
        return sorted(self._matched(), key=lambda child: child.prediction_index or 0) + unmatched

    def _belongs(self, child: ScoreTree) -> bool:
        """Whether the closest ground truth has the key: not where either side has an empty value and the other none."""
        if child.key in self.ground_truth:
            return child.key in self.prediction or not is_empty(child.ground_truth)
        return not is_empty(child.prediction)


def _finite(value: Any) -> Any:
    """What every JSON reader takes: NaN and infinities as text."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _mean(parts: list[dict[str, ScoreNode]]) -> dict[str, ScoreNode]:
    """For each key the mean over the parts that have it, and so below."""
    merged = {}
    for key in dict.fromkeys(key for part in parts for key in part):
        nodes = [part[key] for part in parts if key in part]
        mean = sum(node.anls_score for node in nodes) / len(nodes)
        merged[key] = ScoreNode(mean, _mean([node.children for node in nodes]))
    return merged
