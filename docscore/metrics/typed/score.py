"""The typed score: ANLS* by a schema, as functions and as a metric of a test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from docscore.core.errors import InputValueError, at_place
from docscore.core.options import PAPER, THRESHOLD, SchemaSource, ScoringOptions
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.causes import FieldCounts
from docscore.metrics.anls_star.sizes import SchemaNode
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import FieldSource, FigureName, Metric, MetricRow
from docscore.metrics.typed.schema import compiled_schema


def typed_score(
    gt: object,
    pred: object,
    schema: Any,
    *,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
) -> float:
    """The score of a prediction where a schema says how places compare; a schema that says nothing gives ANLS*.

    Args:
        gt: the ground truth, as for `anls_score`.
        pred: the prediction.
        schema: a JSON Schema as a dict or the path of a file, or a pydantic model class. Numbers, booleans and dates
            (`format`) compare by value; `x-docscore` says otherwise: {"compare": "text", "exact", "number", "date" or
            "boolean", "tolerance": 0.01 or "1%", "weight": 3, "decimal": ",", "group": ".", "order": "dmy"}.
        threshold: tau in [0, 1]; a similarity of texts below it counts as 0.
        ignore_case: whether texts are compared in lower case.
        rules: what counts in the prediction, as for `anls_score`.
        numbers: how numbers are compared where the schema says nothing, as for `anls_score`.

    Returns:
        The score in [0, 1], 1 is best. It is no ANLS*, and comparable with other scores by the same schema only.

    Raises:
        TypeError, ValueError: as `anls_score`; for a schema that is wrong or contradicts itself, naming the place.

    >>> prices = {"properties": {"total": {"type": "number", "x-docscore": {"tolerance": "1%"}}}}
    >>> typed_score({"total": 100}, {"total": 100.9}, prices)
    1.0
    """
    source = SchemaSource.of(schema)  # which None is not
    options = ScoringOptions(threshold=threshold, ignore_case=ignore_case, rules=rules, numbers=numbers, schema=source)
    return build_tree(convert_ground_truth(gt), convert_prediction(pred), options, _root(source, "")).score


def typed_tree(gt: object, pred: object, schema: Any, **keywords: Any) -> ScoreTree:
    """How the typed score of a prediction comes about; takes and raises what `typed_score` does.

    Returns:
        The root of a score tree. Its leaves say in `compared` how they were compared where it was not as text, and in
        `unreadable` which sides could not be read so.
    """
    options = ScoringOptions(**keywords, schema=SchemaSource.of(schema))
    return build_tree(convert_ground_truth(gt), convert_prediction(pred), options, _root(options.schema, ""))


def _root(source: SchemaSource, question_id: str) -> SchemaNode:
    """The compiled schema of a document; what is wrong with it names the schema."""
    text = source.schema_of(question_id)
    try:
        return compiled_schema(text)
    except ValueError as error:
        raise at_place(f"schema {question_id}" if source.folder else "schema", error) from None


AS_TEXT = "text"


@dataclass
class TypedField:
    """A place of a schema, over all documents.

    Attributes:
        path: the place with list indices left out: `items[].price`.
        compared: how its values were compared; several ways where documents have several schemas.
        earned: the sum of S over its values.
        weight: the sum of L over its values.
        values: how many values there are, on either side.
        unreadable_ground_truths: how many values of ground truths could not be read, and were compared as text.
        unreadable_predictions: how many of predictions.
    """

    path: str
    compared: list[str] = field(default_factory=list)
    earned: float = 0.0
    weight: float = 0.0
    values: int = 0
    unreadable_ground_truths: int = 0
    unreadable_predictions: int = 0

    def add(self, other: TypedField) -> None:
        """Count the same place of another document, or another value there."""
        self.compared = list(dict.fromkeys([*self.compared, *other.compared]))
        for name in ("earned", *_COUNTED):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def score(self) -> float:
        """S / L over all documents, in [0, 1]; 1 where L is 0."""
        return self.earned / self.weight if self.weight else 1.0

    @property
    def compared_as(self) -> str:
        """How its values were compared, in words."""
        return " or ".join(self.compared)

    def to_dict(self) -> dict[str, Any]:
        """The row of a table, in plain types."""
        counts = {name: getattr(self, name) for name in _COUNTED}
        return {"field": self.path, "typed_score": self.score, "compared": self.compared_as, **counts}


_COUNTED = ("weight", "values", "unreadable_ground_truths", "unreadable_predictions")


@dataclass
class TypedFields:
    """The fields of a document, or of many, with how each was compared.

    Attributes:
        fields: the fields by their paths.
        score: the typed score of a document.
    """

    fields: dict[str, TypedField] = field(default_factory=dict)
    score: float = 0.0

    @classmethod
    def of(cls, counts: FieldCounts) -> TypedFields:
        """Those of one document."""
        document = cls(score=counts.earned / counts.weight if counts.weight else 1.0)
        for leaf in counts.leaves:
            unread = (int(side in leaf.unreadable) for side in ("ground_truth", "prediction"))
            document.add(TypedField(leaf.field, [leaf.compared or AS_TEXT], leaf.earned, leaf.weight, 1, *unread))
        return document

    def add(self, *fields: TypedField) -> None:
        """Count fields of another document."""
        for other in fields:
            self.fields.setdefault(other.path, TypedField(other.path)).add(other)

    def counts(self) -> dict[str, int]:
        """How many values could not be read."""
        return {name: sum(getattr(row, name) for row in self.fields.values()) for name in _COUNTED[2:]}

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """The fields, a row each, in plain types."""
        return {"typed_fields": [row.to_dict() for row in self.fields.values()]}


class Typed(Metric[TypedFields]):
    """The typed score as a metric of a test set: the mean over documents, by the schema of the options."""

    name: ClassVar[str] = "typed"
    label: ClassVar[str] = "Typed score"
    figures: ClassVar[tuple[FigureName, ...]] = (FigureName("typed_score", "Typed score"),)
    options: ClassVar[frozenset[str]] = frozenset({"threshold", "ignore_case", "rules", "numbers", "schema"})
    field_source: ClassVar[FieldSource] = "tree"

    def check_options(self, options: ScoringOptions) -> None:
        """Raise `ValueError` where there is no schema, or one that is wrong."""
        if options.schema is None:
            raise InputValueError(place="schema", expected="a JSON Schema for the metric typed", got="none")
        for question_id in options.schema.schemas:
            _root(options.schema, question_id)

    def row_points(self, row: MetricRow, options: ScoringOptions) -> TypedFields:
        counts = FieldCounts()
        self.count_fields(counts, row, options, parsed=True, absent=False)
        return TypedFields.of(counts)

    def score_tree(self, row: MetricRow, options: ScoringOptions) -> ScoreTree:
        return build_tree(row.ground_truth, row.prediction, options, _root(options.schema, row.question_id))

    def count_fields(
        self, counts: FieldCounts, row: MetricRow, options: ScoringOptions, *, parsed: bool, absent: bool
    ) -> None:
        """Fill the counts of the fields of one row without a tree."""
        root = _root(options.schema, row.question_id)
        counts.of_pair(row.ground_truth, row.prediction, options, root, parsed=parsed, absent=absent)

    def figure_sums(self, points: TypedFields) -> Sequence[tuple[float, float]]:
        return [(points.score, 1.0)]

    def breakdown(self, points: Sequence[TypedFields]) -> TypedFields:
        """The fields of all documents."""
        total = TypedFields()
        for document in points:
            total.add(*document.fields.values())
        return total
