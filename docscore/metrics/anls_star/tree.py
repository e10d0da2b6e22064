"""The score tree, with one node for each pair of places, and its views: closest ground truth, key scores and text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, Literal, Protocol

from docscore.core.assignment import Criteria
from docscore.core.displayed import Displayed
from docscore.core.formatting import clipped, display_width, points_of, printable, three_digits
from docscore.core.numbers import DecimalText
from docscore.core.options import CompareOptions
from docscore.core.runtime import call_with_fresh_stack
from docscore.core.same_value import spelling_of_same_value
from docscore.core.similarity import TEXT_RULES, fold_all, similarity
from docscore.core.values import (
    SCALAR_TYPES,
    Scalar,
    Value,
    field_of,
    is_empty,
    paired_excerpts,
    scalar_text,
    step_text,
    to_json,
    value_excerpt,
)
from docscore.metrics.anls_star.causes import Cause, cause_of_scalars
from docscore.metrics.anls_star.matching import ListRows
from docscore.metrics.anls_star.sizes import ALL_CLEAR, SchemaNode, Side

Kind = Literal["scalar", "null", "list", "object", "mismatch", "group"]
Status = Literal["exact", "partial", "wrong", "missing", "extra"]

GLYPHS = {"exact": "=", "partial": "≈", "wrong": "≠", "missing": "−", "extra": "+"}

_ONE_SIDED = ("missing", "extra")
_HEAD_WIDTH = 34
_LONGEST_LABEL = 40


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an outline.

    Attributes:
        branch: the box-drawing characters before the label.
        label: the key, or the indices of both sides: `[0 ↔ 1]`, `[− ↔ 2]`.
        values: the expected and the predicted value in one line.
        node: the node.
        width: the column in which the score starts.
        folded: a description of the nodes below that are not shown, or "".
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
        """The score and the points lost; only scores of exactly 0 and 1 are shown as 0 and 1."""
        lost = self.node.points_lost
        shown_lost = f"-{lost:.3f}" if lost >= 0.0005 else f"-{lost:.0e}" if lost else ""  # noqa: PLR2004
        return f"{three_digits(self.node.score)}  {shown_lost:>6}"

    def text(self) -> str:
        """Return the whole line without colours."""
        return f"{self.head}  {self.numbers}  {self.detail}".rstrip()

    @property
    def detail(self) -> str:
        """The values and the comment."""
        return "  ".join(filter(None, (self.values, self.comment)))

    @property
    def comment(self) -> str:
        """The reason and the description of hidden nodes, in parentheses."""
        node = self.node
        points = (
            points_of(node.earned, node.weight)
            if node.path == "$" and node.status == "partial" and node.children
            else ""
        )
        comments = "; ".join(filter(None, (points, printable(node.reason), REGION_WORDS[node.region], self.folded)))
        return f"({comments})" if comments else ""


def outline(tree: ScoreTree, *, fold: bool = False) -> list[Line]:
    """Return the lines of a tree, parents before children.

    Args:
        tree: the root.
        fold: whether to show exact containers as one line and to leave out keys that do not count.
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
    """Return the children to show, and a description of the others."""
    counted = tuple(child for child in node.children if child.weight or child.status != "extra")
    if node.kind == "group":
        return (), ""
    if node.children and node.status == "exact" and not node.annotations:  # exact values may have another region
        return (), f"all {sum(1 for leaf in node.leaves() if leaf.weight or leaf.status != 'extra')} exact"
    ignored = len(node.children) - len(counted)
    if ignored < 2:  # noqa: PLR2004
        return node.children, ""
    return counted, f"{ignored} keys only in the prediction are empty and do not count"


def _label(node: ScoreTree) -> str:
    if node.key is not None:
        return clipped(printable(node.key), _LONGEST_LABEL)
    place = indices_text(node)
    return f"[{place}]" if place != "$" else place


def indices_text(node: ScoreTree) -> str:
    """Return the indices of a list element on both sides, such as "0 ↔ 1" or "− ↔ 2"; "$" for the root."""
    if node.truth_index is None and node.prediction_index is None:
        return "$"
    return " ↔ ".join("−" if index is None else str(index) for index in (node.truth_index, node.prediction_index))


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


RegionOfValue = Literal["right", "other", "not cited"]

REGION_WORDS: dict[RegionOfValue | None, str] = {
    "right": "right region",
    "other": "other region",
    "not cited": "not cited",
    None: "",
}


class NodeAnnotation(Protocol):
    """Protocol of an annotation of a value of the ground truth."""

    @property
    def region(self) -> RegionOfValue | None:
        """Whether the prediction names the right region for the value; None if that is not known."""


class TreeAnnotator(Protocol):
    """Protocol of an object that annotates the values of one row, and may decide among matchings that tie.

    Attributes:
        chooses: whether it decides among matchings that tie; fields are then counted in the matching that it chooses.
    """

    chooses: bool

    def root(self, whole: Whole, nodes: list[ScoreTree]) -> NodeBuilder:
        """Return the builder of the root, which takes these arguments as `NodeBuilder` does."""

    def annotate(self, tree: ScoreTree) -> Mapping[str, NodeAnnotation] | None:
        """Return the annotations of the values of the ground truth by path; None if nothing can be annotated."""


@dataclass
class ScoreNode:
    """The score of an object key, and the scores of the keys below it.

    Attributes:
        anls_score: S / L of the value of the key, in [0, 1]; below lists, the mean over the values in matched elements.
        children: the scores of the keys of the values, if they are objects or lists of objects.
    """

    anls_score: float
    children: dict[str, ScoreNode] = field(default_factory=dict)


class Whole:
    """The data that all nodes of a tree share: the weight of the root, the options of ANLS*, and the annotations."""

    def __init__(self, weight: float = 0.0, options: CompareOptions | None = None, metric: str = "") -> None:
        self.weight, self.options, self.metric = weight, options, metric  # the metric of the tree
        self.annotations: Mapping[str, NodeAnnotation] | None = None  # by path in the ground truth


@dataclass(frozen=True, slots=True, repr=False)
class ScoreTree(Displayed):
    """The score of one place of a prediction against one place of a ground truth.

    Except for mismatches, `earned` and `weight` of a container are the sums over its children.

    Attributes:
        path: the path in the ground truth, such as `$.items[2].price`; for extra values, the path in the prediction.
        key: the object key; None for list elements and the root.
        kind: "scalar", "null", "list", "object", or "mismatch" if the sides cannot be compared part by part; "group"
            for siblings that a folded tree shows as one node, whose `key` describes them.
        status: "exact" (score 1), "partial", "wrong" (score 0), "missing" (nothing predicted) or "extra" (nothing
            expected).
        earned: S, from 0 to `weight`.
        weight: L, an integer; for the root, the number of values that count. The weights of a schema multiply it.
        ground_truth: the expected value, or the chosen option of a one-of; None if nothing is expected.
        prediction: the predicted value; None if nothing is predicted.
        truth_index: the index in the list of the ground truth, or None.
        prediction_index: the index in the list of the prediction, or None.
        option: the number of the chosen option of a one-of, or None.
        note: the first part of the reason, which cannot be derived from the values.
        children: the nodes below.
        compared: the comparator from a schema, such as "number, tolerance 1%"; "" if texts were compared.
        unreadable: the sides whose value the comparator could not read.
        ambiguous: the sides whose value has several readings.
        rows: for two lists that ANLS* or the typed score matched, the counts of their rows; otherwise None.
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
    ambiguous: tuple[Side, ...] = ()
    _cause: Cause | None = None  # the cause if the whole part is lost
    rows: ListRows | None = None

    @property
    def cause(self) -> Cause | None:
        """The cause of lost points; None if no points are lost or the nodes below have the causes."""
        if self.earned == self.weight:
            return None
        if self._cause or self.children:
            return self._cause
        return cause_of_scalars(self.ground_truth, self.prediction, earned=self.earned)

    @property
    def field_path(self) -> str:
        """The path without list indices, such as `items[].price`; `$` for the root."""
        return field_of(self.path)

    @property
    def score(self) -> float:
        """S / L, in [0, 1]; 1 if L is 0."""
        return self.earned / self.weight if self.weight else 1.0

    @property
    def reason(self) -> str:
        """An explanation of a score that may surprise, or ""."""
        comment, options = "", self._whole.options
        if options is not None and not self.compared and self.status not in _ONE_SIDED:
            if self.kind == "scalar":
                comment = _comment_on_scalars(self.ground_truth, self.prediction, options, earned=self.earned > 0)
            elif self.kind == "mismatch":
                comment = f"{type_name(self.ground_truth)} against {type_name(self.prediction)}"
        return "; ".join(filter(None, (self.note, comment)))

    @property
    def metric(self) -> str:
        """The name of the metric of this tree: "anls_star", "typed", or a metric that a user wrote."""
        return self._whole.metric

    def name_metric(self, name: str) -> None:
        """Set the metric of this tree, for all nodes."""
        self._whole.metric = name

    @property
    def annotations(self) -> Mapping[str, NodeAnnotation]:
        """The annotations of values of the whole ground truth, by path."""
        return self._whole.annotations or {}

    @property
    def region(self) -> RegionOfValue | None:
        """Whether the prediction names the "right" region for the value, an "other" one, or none ("not cited").

        None without a predicted value or without evidence. The box decides, or the page of a value that cites pages
        alone.
        """
        annotation = None if self.children or self.status == "extra" else self.annotations.get(self.path)
        return None if annotation is None else annotation.region

    @property
    def points_lost(self) -> float:
        """The part of the root's 1 - score that is lost here; the leaves add up to all of it."""
        return (self.weight - self.earned) / self._whole.weight if self._whole.weight else 0.0

    @property
    def ignores_case(self) -> bool:
        """Whether texts were compared in lower case."""
        return self._whole.options is not None and self._whole.options.ignore_case

    def leaves(self) -> Iterator[ScoreTree]:
        """Return the nodes without children, in order."""
        return (node for node in self.nodes() if not node.children)

    def nodes(self) -> Iterator[ScoreTree]:
        """Yield this node and all nodes below it in order, parents before children."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def closest_gt(self) -> Any:
        """Return the right answer that is nearest to the prediction.

        It has the chosen options of one-ofs, lists in the order of the prediction followed by unmatched elements, and
        None for keys that only the prediction has.
        """
        return call_with_fresh_stack(self._closest_gt)

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
        """Return the score of every object key, as `anls_star` does; list elements without a partner do not count.

        The score of a key below lists is the mean over all of its values in all lists.
        """
        return call_with_fresh_stack(self._key_scores)

    def _key_scores(self) -> dict[str, ScoreNode]:
        pooled: _KeyValues = {}
        self._pool(pooled)
        return _means(pooled)

    def _pool(self, pooled: _KeyValues) -> None:
        """Add the scores of all values of this node to the values of their keys."""
        if self.status in _ONE_SIDED:
            return
        if self.kind == "list":
            for child in self.children:
                child._pool(pooled)
        elif self.kind == "object":
            for child in self.children:
                if child.status != "extra" or child._has_value():
                    scores, below = pooled.setdefault(str(child.key), ([], {}))
                    scores.append(child.score)
                    child._pool(below)

    def to_dict(self) -> dict[str, Any]:
        """Return the metric and the tree in JSON types, with one-ofs as `{"$one_of": [...]}`, and NaN as text.

        Nodes with the same value share one object.
        """
        return {"metric": self.metric, **call_with_fresh_stack(self._to_dict, {})}

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
            **({"region": self.region} if self._whole.annotations is not None and not self.children else {}),
            **(
                {
                    "compared": self.compared,
                    "unreadable": list(self.unreadable),
                    "ambiguous": list(self.ambiguous),
                }
                if self.compared
                else {}
            ),
            "children": [child._to_dict(known) for child in self.children],
        }

    def __str__(self) -> str:
        return "\n".join(line.text() for line in outline(self))

    def __repr__(self) -> str:
        return f"<ScoreTree {self.path} {self.status} {self.earned:g}/{self.weight:g}, {len(self.children)} children>"

    def _belongs(self, child: ScoreTree) -> bool:
        """Return whether the closest ground truth has the key of a child.

        It does not if one side has an empty value and the other no value.
        """
        if child.key in self.ground_truth:
            return child.key in self.prediction or not is_empty(child.ground_truth)
        return child._has_value()

    def _has_value(self) -> bool:
        """Return whether a key that only the prediction has counts and is not empty."""
        return self.weight > 0 and not is_empty(self.prediction)


_Draft = make_dataclass("_Draft", [each.name for each in fields(ScoreTree)], bases=(Displayed,), slots=True)


class ScoreListener(Protocol):
    """Protocol of an object that receives how a pair of values was scored, and returns listeners for its children.

    Children are scored before their parent: first the children of the ground truth, in its order, then the children
    that only the prediction has. Only the chosen option of a one-of is reported.
    """

    __slots__ = ()

    def begin(self, truth: Value, prediction: Value, schema: SchemaNode | None) -> None:  # noqa: ARG002  for overriding
        """Receive the values before they are scored; not called for expected texts, except "", and one-sided parts."""
        return

    def at_key(self, key: str, *, absent: bool = False) -> ScoreListener:
        """Return the listener for a key of objects, which may be absent from the prediction."""

    def at_index(self, truth: int | None, prediction: int | None) -> ScoreListener:
        """Return the listener for the elements with these indices; None for a side without a partner."""

    def with_rows(self, rows: ListRows) -> None:
        """Receive the counts of the rows of the list, before `make`."""

    def at_option(self, option: int, count: int = 1) -> ScoreListener:  # noqa: ARG002  for overriding
        """Return the listener for the chosen option, out of `count` options if they were compared."""
        return self

    def lost(self, cause: Cause, note: str = "") -> ScoreListener:
        """Return the listener for this part, which is lost entirely; the cause of a lost part around it is kept."""

    def missing_parts(self) -> ScoreListener | None:
        """Return the listener for parts of a ground truth if the prediction has the wrong type; None to skip them."""
        return None

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
        """Receive how the pair was scored, after its parts."""

    def preferences(self, score: Callable[[int, int, Any], object]) -> Criteria | None:  # noqa: ARG002  for overriding
        """Return the criteria that decide among matchings of two lists with the same score; None for no criteria.

        Args:
            score: scores the elements with these indices, and reports to a temporary listener.
        """
        return None

    def annotated(self, value: Value, schema: SchemaNode | None, **element: int | None) -> str:  # noqa: ARG002  for overriding
        """Return the canonical text of a part with its evidence, or its confidences and citations; "" if it has none.

        Args:
            value: the element of a list or the option of a one-of at this place.
            schema: its place in a schema.
            element: the index of the element as "truth" or "prediction", or the number of the option as "option".
        """
        return ""


class NodeBuilder(ScoreListener):
    """A builder of a node of a score tree.

    Args:
        whole: the object that all nodes share.
        siblings: the list to which the node is added.
        path: the path from the root.
        key: the object key; None for list elements and the root.
        truth_index: the index in the list of the ground truth, or None.
        prediction_index: the index in the list of the prediction, or None.
        cause: the cause if this part, or a part around it, is lost entirely; otherwise None.
        absent: whether the prediction does not have the key.
    """

    __slots__ = (
        "absent", "cause", "children", "key", "note", "option", "path", "prediction_index", "rows", "siblings",
        "truth_index", "whole",
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
        self.rows: ListRows | None = None
        self.children: list[ScoreTree] = []

    def at_key(self, key: str, *, absent: bool = False) -> NodeBuilder:
        return NodeBuilder(self.whole, self.children, self.path + step_text(key), key, None, None, self.cause, absent)

    def at_index(self, truth: int | None, prediction: int | None) -> NodeBuilder:
        path = f"{self.path}[{prediction if truth is None else truth}]"
        return NodeBuilder(self.whole, self.children, path, None, truth, prediction, self.cause)

    def with_rows(self, rows: ListRows) -> None:
        self.rows = rows
        if rows.cut_off:
            cut = f"cut off after row {rows.cut_after:,} of {rows.expected:,}"
            self.note = f"{self.note}; {cut}" if self.note else cut

    def at_option(self, option: int, count: int = 1) -> NodeBuilder:
        if self.option is None:
            self.option = option
            if count > 1:
                self.note = f"option {option + 1} of {count}"
        return self

    def lost(self, cause: Cause, note: str = "") -> NodeBuilder:
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
        unclear_sides = ALL_CLEAR
        if status == "missing" and self.path == "$":
            note = "the whole prediction is null or absent"
        elif self.absent and status == "missing":
            note = f"{note}; absent from the prediction" if note else "absent from the prediction"
        if kind == "null" and status == "exact" and (self.absent or prediction is not None):
            agreed = f"null and {'absent' if self.absent else empty_name(prediction)} agree"
            note = f"{note}; {agreed}" if note else agreed
        elif kind == "null" and not note and status != "exact":
            holder = "missing" if status == "missing" else "only in the prediction"
            note = f"null counts here because its object or list is {holder}"
        elif kind == "scalar" and schema is not None and schema.comparator is not None:
            comparator = schema.comparator
            compared, unclear_sides = comparator.label, comparator.unclear_sides(truth, prediction)  # type: ignore[arg-type]
            if status not in _ONE_SIDED:
                comment = comparator.comment(truth, prediction, right=status == "exact")  # type: ignore[arg-type]
                note = "; ".join(filter(None, (note, comment)))
        node = _Draft(  # becomes a `ScoreTree` below: setting the attributes of a frozen class takes ten times as long
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
            *unclear_sides,
            self.cause,
            self.rows,
        )
        node.__class__ = ScoreTree
        self.siblings.append(node)


def status_of(earned: float, weight: float) -> Status:
    """Return the status of a pair of values with S and L."""
    return "exact" if earned == weight else "partial" if earned else "wrong"


# The kind of a node by the type of its only value.
NODE_KINDS: dict[type, Kind] = {
    **dict.fromkeys(SCALAR_TYPES, "scalar"),
    type(None): "null",
    list: "list",
    dict: "object",
}

_TYPE_NAMES = {type(None): "null", str: "string", DecimalText: "string", bool: "boolean", list: "list", dict: "object"}


def type_name(value: Value) -> str:
    """Return the JSON name of the value's type."""
    return _TYPE_NAMES.get(type(value), "number")


def empty_name(value: Value) -> str:
    """Return the name of an empty value."""
    if value is None:
        return "null"
    return "an object of empty values" if isinstance(value, dict) and value else f"an empty {type_name(value)}"


_LONG_TEXT = 20_000  # comments do not compute similarities below the threshold of texts with more characters


def _comment_on_scalars(truth: Scalar, prediction: Scalar, options: CompareOptions, *, earned: bool) -> str:
    """Return a comment on two scalars whose score may surprise, or ""."""
    both_texts = isinstance(truth, str) and isinstance(prediction, str)
    if both_texts and truth == prediction:
        return ""
    threshold, text = options.threshold, TEXT_RULES[options.numbers]
    left, right = fold_all((truth, prediction), options.ignore_case, text)
    if left == right:
        if text(truth) != text(prediction):
            return "equal except for case or white space"
        if scalar_text(truth) != scalar_text(prediction):
            return "equal as numbers"
        same_type = isinstance(truth, str) == isinstance(prediction, str)
        return "" if same_type else "numbers and booleans are compared as text"
    spelling = spelling_of_same_value(truth, prediction)
    if spelling is not None:
        return f"same {'date' if spelling == 'date' else 'number'}, compared as text"
    comments = [] if both_texts else ["numbers and booleans are compared as text"]
    if not earned and max(len(left), len(right)) > _LONG_TEXT:
        comments.append(f"similarity < {threshold:g}")
    elif (ratio := similarity(left, right, 0.0)) < threshold:
        comments.append(f"similarity {math.floor(ratio * 100 + 1e-9) / 100:.2f} < {threshold:g}")
    return "; ".join(comments)


def _finite(value: Any) -> Any:
    """Return a leaf that every JSON reader accepts: NaN and infinities as text."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


_KeyValues = dict[str, tuple[list[float], "_KeyValues"]]  # by key: the scores of its values, and the keys below


def _means(pooled: _KeyValues) -> dict[str, ScoreNode]:
    """Return the mean of each key over its values, and the means of the keys below it."""
    return {key: ScoreNode(math.fsum(scores) / len(scores), _means(below)) for key, (scores, below) in pooled.items()}
