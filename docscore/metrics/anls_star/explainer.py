"""The second pass, top-down: the score tree of one pair, solving the chosen pairs only."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

from docscore.core.assignment import best_mask, match, sum_of_ties
from docscore.core.numbers import DecimalText
from docscore.core.options import ScoringOptions
from docscore.core.same_value import are_same_value
from docscore.core.similarity import fold, similarity, text_rule
from docscore.core.values import Scalar, Value, scalar_text, step_text
from docscore.metrics.anls_star.scorer import Scorer
from docscore.metrics.anls_star.sizes import SchemaNode, unit_at
from docscore.metrics.anls_star.tree import Kind, ScoreTree, Side, Status, Whole


class NodePlace(NamedTuple):
    """Where a pair of values is.

    Attributes:
        path: the path from the root.
        key: the object key; None for list elements and the root.
        truth_index: the index in the list of the ground truth, or None.
        prediction_index: the index in the list of the prediction, or None.
        option: which option of a one-of was taken, or None.
        note: what the reason of the node begins with.
        absent: whether the prediction lacks the key.
        schema: the place in a schema, or None.
    """

    path: str = "$"
    key: str | None = None
    truth_index: int | None = None
    prediction_index: int | None = None
    option: int | None = None
    note: str = ""
    absent: bool = False
    schema: SchemaNode | None = None

    def at_key(self, key: str, *, absent: bool = False) -> NodePlace:
        """The place below this one at a key."""
        below = self.schema and self.schema.at_key(key)
        return NodePlace(self.path + step_text(key), key, absent=absent, schema=below)

    def at_index(self, truth: int | None, prediction: int | None) -> NodePlace:
        """The place below this one at a list index of either side or both."""
        index = truth if truth is not None else prediction
        return NodePlace(f"{self.path}[{index}]", None, truth, prediction, schema=self.schema and self.schema.items)

    @property
    def unit(self) -> float:
        """What a scalar counts here."""
        return unit_at(self.schema)


_LONG_TEXT = 20_000  # characters from which a similarity below the threshold is not computed for its sentence


_ONE_SIDED = {"missing": "missing", "extra": "only in the prediction"}


class Explainer:
    """Builds the score tree of a pair of plain values.

    Args:
        scorer: scores what is to be matched.
        schema: the root of a schema, or None.
    """

    __slots__ = ("counting", "schema", "scorer", "whole")

    def __init__(self, scorer: Scorer, schema: SchemaNode | None = None) -> None:
        self.scorer = scorer
        self.counting = scorer.counting
        self.schema = schema
        self.whole = Whole()

    def tree(self, truth: Value, prediction: Value) -> ScoreTree:
        """The tree of the whole pair."""
        root = self.pair(truth, prediction, NodePlace(schema=self.schema))
        self.whole.weight = root.weight
        return root

    def pair(self, truth: Value, prediction: Value, place: NodePlace) -> ScoreTree:  # noqa: PLR0911  one branch a rule
        """The node of one pair, by the rules of the metric."""
        if isinstance(truth, tuple):
            return self.one_of(truth, prediction, place)
        if truth is None:
            return self.null(prediction, place)
        if prediction is None:
            place = place if place.path != "$" else place._replace(note="the whole prediction is null or absent")
            return self.one_sided(truth, place, "missing", least=place.unit)
        if isinstance(truth, list) and isinstance(prediction, list):
            return self.lists(truth, prediction, place)
        if isinstance(truth, dict) and isinstance(prediction, dict):
            return self.objects(truth, prediction, place)
        if not isinstance(truth, list | dict) and not isinstance(prediction, list | dict | tuple):
            return self.scalars(truth, prediction, place)
        schema = place.schema
        weight = float(max(self.counting.truth(truth, schema), self.counting.prediction(prediction, schema)))
        reason = f"{type_name(truth)} against {type_name(prediction)}"
        return self.node(place, "mismatch", None, 0.0, weight, truth, prediction, reason)

    def null(self, prediction: Value, place: NodePlace) -> ScoreTree:
        if not self.counting.is_empty(prediction):
            return self.only_predicted(prediction, place._replace(note="nothing expected"), least=place.unit)
        given = "absent" if place.absent else empty_name(prediction)
        reason = "" if prediction is None and not place.absent else f"null and {given} agree"
        return self.node(
            place._replace(absent=False), "null", "exact", place.unit, place.unit, None, prediction, reason
        )

    def scalars(self, truth: Scalar, prediction: Scalar, place: NodePlace) -> ScoreTree:
        scorer, unit = self.scorer, place.unit
        if place.schema is not None and place.schema.comparator is not None:
            earned, _ = scorer.pair(truth, prediction, place.schema)
            reason = place.schema.comparator.remark(truth, prediction, right=earned == unit)
            return self.node(place, "scalar", None, earned, unit, truth, prediction, reason)
        if type(truth) is type(prediction) is str and truth == prediction:
            return self.node(place, "scalar", "exact", unit, unit, truth, prediction, "")
        left, right = (fold(value, scorer.ignore_case, scorer.text) for value in (truth, prediction))
        found = similarity(left, right, scorer.threshold)
        unknown = not found and max(len(left), len(right)) > _LONG_TEXT
        raw = None if unknown else found or similarity(left, right, 0.0)  # what was below the threshold
        reason = scalar_reason(truth, prediction, raw, scorer.options)
        return self.node(place, "scalar", None, unit * found, unit, truth, prediction, reason)

    def objects(self, truth: dict[str, Value], prediction: dict[str, Value], place: NodePlace) -> ScoreTree:
        children = []
        for key, value in truth.items():
            below = place.at_key(key, absent=key not in prediction)
            children.append(self.pair(value, prediction.get(key), below))
        for key, value in prediction.items():
            if key not in truth:
                below = place.at_key(key)._replace(note="key only in the prediction")
                children.append(self.only_predicted(value, below, least=below.unit if self.counting.all_keys else 0.0))
        in_order = sorted(children, key=lambda child: child.key or "")  # in which the scorer adds them
        earned, weight = sum(child.earned for child in in_order), sum(child.weight for child in in_order)
        return self.node(place, "object", None, float(earned), float(weight), truth, prediction, "", tuple(children))

    def only_predicted(self, value: Value, place: NodePlace, *, least: float = 0.0) -> ScoreTree:
        """What only the prediction has; of its keys those without a value do not count."""
        if place.key is None or not self.counting.ignores(value):
            return self.one_sided(value, place, "extra", least=least)
        note = f"only in the prediction, but {empty_name(value)}: not counted"
        return self.node(place._replace(note=note), kind_of(value), "extra", 0.0, 0.0, None, value, "")

    def lists(self, truth: list[Value], prediction: list[Value], place: NodePlace) -> ScoreTree:
        below = place.schema and place.schema.items
        sizes = self.counting.truths(truth, below), self.counting.predictions(prediction, below)
        kept = self.scorer.tables and self.scorer.tables.of(truth, prediction, below)
        table = kept or self.scorer.element_table(truth, prediction, below)
        rows, columns, clear = match(*table, *sizes, partial(self.scorer.identities.equality, truth, prediction))
        partner = dict(zip(rows.tolist(), columns.tolist(), strict=True))
        children = []
        for i, value in enumerate(truth):
            if i in partner:
                children.append(self.pair(value, prediction[partner[i]], place.at_index(i, partner[i])))
            else:
                children.append(self.one_sided(value, place.at_index(i, None), "missing"))
        taken = set(partner.values())
        for j, value in enumerate(prediction):
            if j not in taken:
                children.append(self.one_sided(value, place.at_index(None, j), "extra"))
        add = math.fsum if clear else sum_of_ties
        earned, weight = add([child.earned for child in children]), add([child.weight for child in children])
        return self.node(place, "list", None, earned, weight, truth, prediction, "", tuple(children))

    def one_of(self, options: tuple[Value, ...], prediction: Value, place: NodePlace) -> ScoreTree:
        best = [0]
        if len(options) > 1:
            table = self.scorer.pairwise(options, [prediction], place.schema)
            best = best_mask(*table)[:, 0].nonzero()[0].tolist()
        wanted = self.scorer.identities.of(prediction)
        chosen = next((i for i in best if self.scorer.identities.of(options[i]) == wanted), best[0])
        if place.option is None:
            note = f"option {chosen + 1} of {len(options)}" if len(options) > 1 else ""
            place = place._replace(option=chosen, note="; ".join(filter(None, (note, place.note))))
        return self.pair(options[chosen], prediction, place)

    def one_sided(self, value: Value, place: NodePlace, status: Status, *, least: float = 0.0) -> ScoreTree:
        """What only one side has: its whole size is lost, shared among its parts."""
        size = self.counting.truth if status == "missing" else self.counting.prediction
        whole = size(value, place.schema)
        truth, prediction = (value, None) if status == "missing" else (None, value)
        weight = float(max(least, whole))
        while isinstance(value, tuple):
            sizes = self.counting.truths(value, place.schema)
            option = sizes.index(max(sizes))
            place, value = place if place.option is not None else place._replace(option=option), value[option]
        kind: Kind = kind_of(value) if weight == whole else "mismatch"
        if value is None and not place.note and not place.absent:
            place = place._replace(note=f"null counts here, since what holds it is {_ONE_SIDED[status]}")
        children = tuple(self.parts(value, place, status)) if whole and kind != "mismatch" else ()
        return self.node(place, kind, status, 0.0, weight, truth, prediction, "", children)

    def parts(self, value: Value, place: NodePlace, status: Status) -> Iterable[ScoreTree]:
        if isinstance(value, dict):
            for key, item in value.items():
                below = place.at_key(key)
                yield self.only_predicted(item, below) if status == "extra" else self.one_sided(item, below, status)
        elif isinstance(value, list):
            for i, item in enumerate(value):
                below = place.at_index(i, None) if status == "missing" else place.at_index(None, i)
                yield self.one_sided(item, below, status)

    def node(
        self,
        place: NodePlace,
        kind: Kind,
        status: Status | None,
        earned: float,
        weight: float,
        truth: Value,
        prediction: Value,
        reason: str,
        children: tuple[ScoreTree, ...] = (),
    ) -> ScoreTree:
        if status is None:
            status = "exact" if earned == weight else "partial" if earned else "wrong"
        compared: tuple[str, tuple[Side, ...]] = "", ()
        if kind == "scalar" and place.schema is not None and place.schema.comparator is not None:
            comparator = place.schema.comparator
            sides: dict[Side, Any] = {"ground_truth": truth, "prediction": prediction}
            unread = [side for side, value in sides.items() if value is not None and not comparator.reads(value)]
            compared = comparator.label, tuple(unread)
        return ScoreTree(
            place.path,
            place.key,
            kind,
            status,
            earned,
            weight,
            truth,
            prediction,
            place.truth_index,
            place.prediction_index,
            place.option,
            "; ".join(filter(None, (place.note, "absent from the prediction" if place.absent else "", reason))),
            children,
            self.whole,
            *compared,
        )


def scalar_reason(truth: Scalar, prediction: Scalar, found: float | None, options: ScoringOptions) -> str:
    """Why two scalars scored what they did, where that may surprise; a similarity of None is below the threshold."""
    threshold, text = options.threshold, text_rule(options.numbers)
    same_type = isinstance(truth, str) == isinstance(prediction, str)
    if found == 1:
        if text(truth) != text(prediction):
            return "equal but for case or white space"
        if scalar_text(truth) != scalar_text(prediction):
            return "equal as numbers"
        return "" if same_type else "numbers and booleans compare as text"
    reasons = [] if same_type and isinstance(truth, str) else ["numbers and booleans compare as text"]
    if are_same_value(truth, prediction):
        reasons.append("the same value, written differently")
    if found is None:
        reasons.append(f"similarity < {threshold:g}")
    elif found < threshold:
        reasons.append(f"similarity {math.floor(found * 100 + 1e-9) / 100:.2f} < {threshold:g}")
    return "; ".join(reasons)


_TYPE_NAMES = {type(None): "null", str: "string", DecimalText: "string", bool: "boolean", list: "list", dict: "object"}


def type_name(value: Value) -> str:
    """The JSON name of the value's type."""
    return _TYPE_NAMES.get(type(value), "number")


def empty_name(value: Value) -> str:
    """What an empty value is called."""
    if value is None:
        return "null"
    return "an object of empty values" if isinstance(value, dict) and value else f"an empty {type_name(value)}"


_KINDS: dict[type, Kind] = {type(None): "null", list: "list", dict: "object"}


def kind_of(value: Value) -> Kind:
    """The kind of node for a value that stands alone."""
    return _KINDS.get(type(value), "scalar")
