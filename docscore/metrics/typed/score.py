"""The typed score, which is ANLS* with a schema: functions for one row, and the metric of a test set."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from docscore.core.errors import InputValueError, at_place
from docscore.core.options import PAPER, THRESHOLD, CompareOptions
from docscore.core.runtime import warn
from docscore.core.schema_source import SchemaSource
from docscore.core.similarity import nearest
from docscore.core.values import Value, field_path, places_in, plain_pair
from docscore.metrics.anls_star.api import FieldCounts, Leaf, build_tree, score_one
from docscore.metrics.anls_star.causes import MEANINGS
from docscore.metrics.anls_star.sizes import SchemaNode
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import FigureName, Metric, MetricRow
from docscore.metrics.typed.schema import compiled_schema, named_places
from docscore.metrics.typed.schema_warnings import check_compared, place_of_field


def typed_score(
    gt: object,
    pred: object,
    schema: Any,
    *,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
    comparators: Mapping[Any, Any] | None = None,
) -> float:
    """Compute the typed score of a prediction: ANLS* with a schema that determines how values compare.

    Args:
        gt: the ground truth, as for `anls_score`.
        pred: the prediction.
        schema: a JSON Schema as a dict or the path of a file, or a pydantic model class. Numbers, booleans, dates and
            times compare by value. `x-docscore` changes this: {"compare": "money", "currency": "EUR", "weight": 3}. An
            empty schema gives ANLS*.
        threshold: tau in [0, 1]; a similarity of texts below it counts as 0.
        ignore_case: whether to compare texts in lower case.
        rules: the rules for keys of the prediction, as for `anls_score`.
        numbers: how to compare numbers that the schema does not describe, as for `anls_score`.
        comparators: comparators of fields or types, in addition to the schema: {"items[].sku": same_sku,
            float: "money"}. Each is a name, settings, or a function of two values that returns a number from 0 to 1.

    Returns:
        The score in [0, 1]; 1 is best. It is not ANLS*: compare it only with scores that use the same schema.

    Raises:
        TypeError, ValueError: as `anls_score`; also for an invalid or contradictory schema, naming the place.

    >>> prices = {"properties": {"total": {"type": "number", "x-docscore": {"tolerance": "1%"}}}}
    >>> typed_score({"total": 100}, {"total": 100.9}, prices)
    1.0
    """
    values, plain = plain_pair(gt, pred), SchemaSource.of(schema)
    source = plain.with_comparators(comparators or {})
    options = CompareOptions(threshold=threshold, ignore_case=ignore_case, rules=rules, numbers=numbers, schema=source)
    score = score_one(*values, options, schema_of_row(source, ""))
    if comparators:
        check_compared(values[:1], source)
        _warn_of_fields(comparators, values, schema_of_row(plain, ""))
    return score


def _warn_of_fields(comparators: Mapping[Any, Any], values: Sequence[Value], schema: SchemaNode) -> None:
    """Warn of comparators for fields that are in neither the values nor the schema."""
    known = {path for value in values for path, _ in places_in(value)} | named_places(schema).keys()
    for key in (key for key in comparators if isinstance(key, str)):
        path = place_of_field(key)
        if path not in known:
            meant = "".join(f"; did you mean {field_path(name)!r}?" for name in nearest([path], known).values())
            warn(f"comparators[{key!r}]: neither the values nor the schema has this field{meant}")


def typed_tree(gt: object, pred: object, schema: Any, **keywords: Any) -> ScoreTree:
    """Return the score tree of the typed score; for arguments and errors, see `typed_score`.

    The leaves have their comparator in `compared`, and the sides that it could not read in `unreadable`.
    """
    options = CompareOptions(**keywords, schema=SchemaSource.of(schema))
    return build_tree(*plain_pair(gt, pred), options, schema_of_row(options.schema, ""))


def schema_of_row(source: SchemaSource, question_id: str) -> SchemaNode:
    """Return the compiled schema of a row; errors name the schema."""
    return _compiled(source, source.names.get(question_id, question_id), source.schema_of(question_id))


def _compiled(source: SchemaSource, name: str, text: str) -> SchemaNode:
    try:
        return compiled_schema(text, source.functions)
    except ValueError as error:
        raise at_place(f"schema {name}" if source.folder else "schema", error) from None


TypedPoints = tuple[float, list[Leaf]]  # the score of a row, and its leaves


class Typed(Metric[TypedPoints]):
    """The typed score as a metric of a test set: the mean over rows, by the schema in the options."""

    name = "typed"
    label = "Typed score"
    figures = (FigureName("typed_score", "Typed score"),)
    options = frozenset({"threshold", "ignore_case", "rules", "numbers", "schema"})
    field_source = "tree"
    meanings = MEANINGS | {
        "wrong value": "another number, date or truth value, or a text whose similarity is below the threshold",
        "near miss": "a value whose text is similar, but which is not the same",
    }

    def check_options(self, options: CompareOptions) -> None:
        """Raise `ValueError` if there is no schema, or a schema is invalid."""
        if options.schema is None:
            raise InputValueError(place="schema", expected="a JSON Schema for the metric typed", got="none")
        self.versions(options)

    def versions(self, options: CompareOptions) -> dict[str, str]:
        """Return the versions of the libraries with which the comparators of the schemas read values."""
        roots = (_compiled(options.schema, *named) for named in options.schema.schemas.items())
        used = {name for root in roots for name in root.libraries}
        return {name: import_module(name).__version__ for name in sorted(used)}

    def row_points(self, row: MetricRow, options: CompareOptions) -> TypedPoints:
        counts = FieldCounts()
        self.count_fields(counts, row, options)
        return counts.earned / counts.weight if counts.weight else 1.0, counts.leaves

    def score_tree(self, row: MetricRow, options: CompareOptions) -> ScoreTree:
        schema = schema_of_row(options.schema, row.question_id)
        return build_tree(row.ground_truth, row.prediction, options, schema, row.cause, row.annotator)

    def count_fields(self, counts: FieldCounts, row: MetricRow, options: CompareOptions) -> None:
        root = schema_of_row(options.schema, row.question_id)
        counts.of_pair(row.ground_truth, row.prediction, options, root, row.cause, row.annotator)

    def figure_sums(self, points: TypedPoints) -> Sequence[tuple[float, float]]:
        return [(points[0], 1.0)]
