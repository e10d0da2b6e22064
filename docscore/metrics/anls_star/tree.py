"""The score tree: one node for every pair of places, and its views as closest ground truth, key scores and text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, Literal

from docscore.core.display import Displayed
from docscore.core.formatting import clipped, display_width, printable, three_digits
from docscore.core.numbers import DecimalText
from docscore.core.options import ScoringOptions
from docscore.core.runtime import with_room_to_recurse
from docscore.core.same_value import spelling_of_same_value
from docscore.core.similarity import fold_all, similarity, text_rule
from docscore.core.values import (
    SCALAR_TYPES,
    Scalar,
    Value,
    field_path,
    is_empty,
    paired_excerpts,
    scalar_text,
    step_text,
    to_json,
    value_excerpt,
)
from docscore.metrics.anls_star.causes import Cause, cause_of_scalars
from docscore.metrics.anls_star.sizes import SchemaNode, Side

GLYPHS = {"exact": "=", "partial": "≈", "wrong": "≠", "missing": "−", "extra": "+"}


_HEAD_WIDTH = 34


_LONGEST_LABEL = 40


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the outline.

    Attributes:
        branch: the box-drawing characters before it.
        label: the key, or the index on either side: `[0 ↔ 1]`, `[− ↔ 2]`.
        values: what was expected and predicted, in one line.
        node: the node.
        width: the column where the score starts.
        folded: what was folded away below, in words, or "".
    """

    branch: str
    label: str
    values: str
    node: ScoreTree
    width: int
    folded: str

    @property
    def head(self) -> str:
        """Branch, glyph and label, padded to the column of the score."""
        head = f"{self.branch}{GLYPHS[self.node.status]} {self.label}"
        return head + " " * (self.width - display_width(head))

    @property
    def numbers(self) -> str:
        """The score and the points lost here; what is not 0 or 1 is not rounded to it."""
        lost = self.node.points_lost
        shown_lost = f"-{lost:.3f}" if lost >= 0.0005 else f"-{lost:.0e}" if lost else ""  # noqa: PLR2004
        return f"{three_digits(self.node.score)}  {shown_lost:>6}"

    def text(self) -> str:
        """The whole line without colour."""
        return f"{self.head}  {self.numbers}  {self.detail}".rstrip()

    @property
    def detail(self) -> str:
        """The values, and in parentheses the reason and what was folded away."""
        return "  ".join(filter(None, (self.values, self.remark)))

    @property
    def remark(self) -> str:
        """The reason and what was folded away, in parentheses."""
        node = self.node
        points = (
            f"{node.earned:.4g} of {node.weight:g} points"
            if node.path == "$" and node.status == "partial" and node.children
            else ""
        )
        remarks = "; ".join(filter(None, (points, printable(node.reason), self.folded)))
        return f"({remarks})" if remarks else ""


def outline(tree: ScoreTree, *, fold: bool = False) -> list[Line]:
    """The lines of a tree, parents before children.

    Args:
        tree: the root.
        fold: whether containers that are exact stand as one line, and keys that do not count are left out.
    """
    rows: list[tuple[str, ScoreTree, str]] = []
    waiting = [("", "", tree)]
    while waiting:
        branch, below, node = waiting.pop()
        children, folded = _folded(node) if fold else (node.children, "")
        rows.append((branch, node, folded))
        last = len(children) - 1
        branches = [("└─ ", "   ") if i == last else ("├─ ", "│  ") for i in range(last + 1)]
        placed = [(below + mark, below + rest, child) for (mark, rest), child in zip(branches, children, strict=True)]
        waiting.extend(reversed(placed))
    width = min(max(display_width(branch) + display_width(_label(node)) + 2 for branch, node, _ in rows), _HEAD_WIDTH)
    return [Line(branch, _label(node), _values(node), node, width, folded) for branch, node, folded in rows]


def _folded(node: ScoreTree) -> tuple[tuple[ScoreTree, ...], str]:
    """The children that are shown, and what is said of those that are not."""
    counted = tuple(child for child in node.children if child.weight or child.status != "extra")
    if node.kind == "group":
        return (), ""
    if node.children and node.status == "exact":
        return (), f"all {sum(1 for leaf in node.leaves() if leaf.weight or leaf.status != 'extra')} exact"
    ignored = len(node.children) - len(counted)
    if ignored < 2:  # noqa: PLR2004
        return node.children, ""
    return counted, f"{ignored} keys only in the prediction are empty and do not count"


def _label(node: ScoreTree) -> str:
    if node.key is not None:
        return clipped(printable(node.key), _LONGEST_LABEL)
    if node.truth_index is None and node.prediction_index is None:
        return "$"
    truth, prediction = ("−" if i is None else i for i in (node.truth_index, node.prediction_index))
    return f"[{truth} ↔ {prediction}]"


def _values(node: ScoreTree) -> str:
    if node.children:
        return ""
    if node.status == "missing":
        return f"{value_excerpt(node.ground_truth)} → nothing"
    if node.status == "extra":
        return f"nothing → {value_excerpt(node.prediction)}"
    if (
        node.status == "exact"
        and node.ground_truth == node.prediction
        and type(node.ground_truth) is type(node.prediction)
    ):
        return value_excerpt(node.ground_truth)
    return " → ".join(paired_excerpts(node.ground_truth, node.prediction))


Kind = Literal["scalar", "null", "list", "object", "mismatch", "group"]


Status = Literal["exact", "partial", "wrong", "missing", "extra"]


_ONE_SIDED = ("missing", "extra")


_INDEX = re.compile(r'\[\d+\]|(\["(?:[^"\\]|\\.)*"\])')  # or a key in quotes, which stays


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
    """What every node of a tree shares: the weight of the root, and of a tree of ANLS* how texts were compared."""

    def __init__(self, weight: float = 0.0, options: ScoringOptions | None = None) -> None:
        self.weight = weight
        self.options = options


@dataclass(frozen=True, slots=True, repr=False)
class ScoreTree(Displayed):
    """How one place of a ground truth was scored against one place of a prediction.

    In a container that is no mismatch, `earned` and `weight` are the sums of the children's.

    Attributes:
        path: `$.items[2].price`, in the ground truth, or in the prediction for what only it has.
        key: the object key of this place; None for list elements and the root.
        kind: "scalar", "null", "list", "object", or "mismatch" where the two sides cannot be compared part by part;
            "group" for the siblings that a folded tree draws as one, whose `key` says what they are.
        status: "exact" (score 1), "partial", "wrong" (score 0), "missing" (nothing predicted) or "extra" (nothing
            expected).
        earned: S, from 0 to `weight`.
        weight: L, a whole number; the root's is the number of values that count. With a schema, times the weights.
        ground_truth: the value expected here (of a one-of the option taken), None if none is.
        prediction: the value predicted here, None if none is.
        truth_index: where this place is in its list of the ground truth, or None.
        prediction_index: where it is in its list of the prediction, or None.
        option: which option of a one-of was taken, or None.
        note: what the reason begins with: what is known of the place beside its values.
        children: the nodes below.
        compared: how a scalar was compared by a schema, "number, tolerance 1%"; "" for as text.
        unreadable: the sides whose value could not be read so, and was compared as text.
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
    note: str
    children: tuple[ScoreTree, ...]
    _whole: Whole = field(compare=False)
    compared: str = ""
    unreadable: tuple[Side, ...] = ()
    _cause: Cause | None = None  # of a part that is lost as a whole

    @property
    def cause(self) -> Cause | None:
        """Why points are lost here; None if none are, or if the nodes below say it."""
        if self.earned == self.weight:
            return None
        if self._cause or self.children:
            return self._cause
        return cause_of_scalars(self.ground_truth, self.prediction, earned=self.earned)

    @property
    def field_path(self) -> str:
        """The path without list indices, such as `items[].price`; `$` for the root."""
        return field_path(_INDEX.sub(lambda step: step[1] or "[]", self.path.removeprefix("$")))

    @property
    def score(self) -> float:
        """S / L, in [0, 1]; 1 where L is 0."""
        return self.earned / self.weight if self.weight else 1.0

    @property
    def reason(self) -> str:
        """A sentence where the number may surprise, else ""."""
        remark, options = "", self._whole.options
        if options is not None and not self.compared and self.status not in _ONE_SIDED:
            if self.kind == "scalar":
                remark = _scalar_remark(self.ground_truth, self.prediction, options, earned=self.earned > 0)
            elif self.kind == "mismatch":
                remark = f"{type_name(self.ground_truth)} against {type_name(self.prediction)}"
        return "; ".join(filter(None, (self.note, remark)))

    @property
    def points_lost(self) -> float:
        """The share of this place in 1 - score of the whole tree; those of the leaves add up to it."""
        return (self.weight - self.earned) / self._whole.weight if self._whole.weight else 0.0

    @property
    def ignores_case(self) -> bool:
        """Whether its texts were compared in lower case."""
        return self._whole.options is not None and self._whole.options.ignore_case

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
            expected = [child for child in self.children if child.truth_index is not None]
            expected.sort(key=lambda child: (child.prediction_index is None, child.prediction_index or 0))
            return [child._closest_gt() for child in expected]
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
            matched = (c for c in self.children if c.truth_index is not None and c.prediction_index is not None)
            return _mean([child._key_scores() for child in matched])
        if self.kind == "object":
            return {
                str(child.key): ScoreNode(child.score, child._key_scores())
                for child in self.children
                if child.status != "extra" or child._has_value()
            }
        return {}

    def to_dict(self) -> dict[str, Any]:
        """The tree in JSON types; one-ofs spelled `{"$one_of": [...]}`, NaN and infinities as their text.

        A value stands at its own place and in those above it: these are one object.
        """
        return with_room_to_recurse(self._to_dict, {})

    def _to_dict(self, known: dict[int, Any]) -> dict[str, Any]:
        return {
            "path": self.path,
            "kind": self.kind,
            "status": self.status,
            "score": self.score,
            "earned": self.earned,
            "weight": self.weight,
            "points_lost": self.points_lost,
            "ground_truth": to_json(self.ground_truth, _finite, known),
            "prediction": to_json(self.prediction, _finite, known),
            "truth_index": self.truth_index,
            "prediction_index": self.prediction_index,
            "option": self.option,
            "reason": self.reason,
            **({"compared": self.compared, "unreadable": list(self.unreadable)} if self.compared else {}),
            "children": [child._to_dict(known) for child in self.children],
        }

    def __str__(self) -> str:
        return "\n".join(line.text() for line in outline(self))

    def __repr__(self) -> str:
        return f"<ScoreTree {self.path} {self.status} {self.earned:g}/{self.weight:g}, {len(self.children)} children>"

    def _belongs(self, child: ScoreTree) -> bool:
        """Whether the closest ground truth has the key: not where either side has an empty value and the other none."""
        if child.key in self.ground_truth:
            return child.key in self.prediction or not is_empty(child.ground_truth)
        return child._has_value()

    def _has_value(self) -> bool:
        """Whether a key that only the prediction has counts, and is not empty."""
        return self.weight > 0 and not is_empty(self.prediction)


_Draft = make_dataclass("_Draft", [each.name for each in fields(ScoreTree)], bases=(Displayed,), slots=True)


class TreePlace:
    """A node while its pair of values is scored, and the nodes of its parts: the `Place` of the scorer.

    Args:
        whole: what the nodes share.
        siblings: where the node is added.
        path: the path from the root.
        key: the object key; None for list elements and the root.
        truth_index: the index in the list of the ground truth, or None.
        prediction_index: the index in the list of the prediction, or None.
        cause: why a part that holds this place is lost as a whole, or None.
        absent: whether the prediction lacks the key.
    """

    __slots__ = (
        "absent", "cause", "children", "key", "note", "option", "path", "prediction_index", "siblings", "truth_index",
        "whole",
    )  # fmt: skip

    def __init__(
        self,
        whole: Whole,
        siblings: list[ScoreTree],
        path: str = "$",
        key: str | None = None,
        truth_index: int | None = None,
        prediction_index: int | None = None,
        cause: Cause | None = None,
        absent: bool = False,  # noqa: FBT002  positional: it is faster
    ) -> None:
        self.whole, self.siblings, self.path, self.key = whole, siblings, path, key
        self.truth_index, self.prediction_index, self.cause, self.absent = truth_index, prediction_index, cause, absent
        self.option: int | None = None
        self.note = ""
        self.children: list[ScoreTree] = []

    def at_key(self, key: str, *, absent: bool = False) -> TreePlace:
        return TreePlace(self.whole, self.children, self.path + step_text(key), key, None, None, self.cause, absent)

    def at_index(self, truth: int | None, prediction: int | None) -> TreePlace:
        path = f"{self.path}[{prediction if truth is None else truth}]"
        return TreePlace(self.whole, self.children, path, None, truth, prediction, self.cause)

    def at_option(self, option: int, count: int = 1) -> TreePlace:
        if self.option is None:
            self.option = option
            if count > 1:
                self.note = f"option {option + 1} of {count}"
        return self

    def lost(self, cause: Cause, note: str = "") -> TreePlace:
        self.cause = self.cause or cause
        self.note = note or self.note
        return self

    def make(
        self,
        kind: Kind,
        status: Status,
        earned: float,
        weight: float,
        truth: Value,
        prediction: Value,
        schema: SchemaNode | None,
    ) -> None:
        note, compared = self.note, ""
        unreadable: tuple[Side, ...] = ()
        if status == "missing" and self.path == "$":
            note = "the whole prediction is null or absent"
        elif self.absent and status == "missing":
            note = f"{note}; absent from the prediction" if note else "absent from the prediction"
        if kind == "null" and status == "exact" and (self.absent or prediction is not None):
            agreed = f"null and {'absent' if self.absent else empty_name(prediction)} agree"
            note = f"{note}; {agreed}" if note else agreed
        elif kind == "null" and not note and status != "exact":
            holder = "missing" if status == "missing" else "only in the prediction"
            note = f"null counts here, since what holds it is {holder}"
        elif kind == "scalar" and schema is not None and schema.comparator is not None:
            comparator = schema.comparator
            compared, unreadable = comparator.label, comparator.unreadable(truth, prediction)  # type: ignore[arg-type]
            if status not in _ONE_SIDED:
                remark = comparator.remark(truth, prediction, right=status == "exact")  # type: ignore[arg-type]
                note = "; ".join(filter(None, (note, remark)))
        node = _Draft(  # frozen as soon as it is filled: attributes of a frozen class take ten times as long to set
            self.path,
            self.key,
            kind,
            status,
            earned,
            weight,
            truth,
            prediction,
            self.truth_index,
            self.prediction_index,
            self.option,
            note,
            tuple(self.children),
            self.whole,
            compared,
            unreadable,
            self.cause,
        )
        node.__class__ = ScoreTree
        self.siblings.append(node)


def status_of(earned: float, weight: float) -> Status:
    """What became of a pair of values, by S and L."""
    return "exact" if earned == weight else "partial" if earned else "wrong"


NODE_KINDS: dict[type, Kind] = {
    **dict.fromkeys(SCALAR_TYPES, "scalar"),
    type(None): "null",
    list: "list",
    dict: "object",
}
"""The kind of node for a value of a type that stands alone."""

_TYPE_NAMES = {type(None): "null", str: "string", DecimalText: "string", bool: "boolean", list: "list", dict: "object"}


def type_name(value: Value) -> str:
    """The JSON name of the value's type."""
    return _TYPE_NAMES.get(type(value), "number")


def empty_name(value: Value) -> str:
    """What an empty value is called."""
    if value is None:
        return "null"
    return "an object of empty values" if isinstance(value, dict) and value else f"an empty {type_name(value)}"


_LONG_TEXT = 20_000  # characters from which a similarity below the threshold is not computed for its sentence


def _scalar_remark(truth: Scalar, prediction: Scalar, options: ScoringOptions, *, earned: bool) -> str:
    """Why two scalars scored what they did, where that may surprise."""
    both_texts = isinstance(truth, str) and isinstance(prediction, str)
    if both_texts and truth == prediction:
        return ""
    threshold, text = options.threshold, text_rule(options.numbers)
    left, right = fold_all((truth, prediction), options.ignore_case, text)
    if left == right:
        if text(truth) != text(prediction):
            return "equal but for case or white space"
        if scalar_text(truth) != scalar_text(prediction):
            return "equal as numbers"
        same_type = isinstance(truth, str) == isinstance(prediction, str)
        return "" if same_type else "numbers and booleans compare as text"
    spelling = spelling_of_same_value(truth, prediction)
    if spelling is not None:
        return f"same {'date' if spelling == 'date' else 'number'}, compared as text"
    remarks = [] if both_texts else ["numbers and booleans compare as text"]
    if not earned and max(len(left), len(right)) > _LONG_TEXT:
        remarks.append(f"similarity < {threshold:g}")
    elif (ratio := similarity(left, right, 0.0)) < threshold:
        remarks.append(f"similarity {math.floor(ratio * 100 + 1e-9) / 100:.2f} < {threshold:g}")
    return "; ".join(remarks)


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
